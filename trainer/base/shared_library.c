/* dlopen and dlsym, with the loader's message as an error. */
#include <config.h>

#include "trainer/base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

/* The loader's message without the leading library name. */
static const char *
loader_message(const char *name)
{
	const char *text = dlerror();
	const size_t n = strlen(name);

	if (text == NULL)
		return "no cause is known";
	return strncmp(text, name, n) == 0 && strncmp(text + n, ": ", 2) == 0
	    ? text + n + 2
	    : text;
}

int
shared_library_open(const char *name, const struct shared_library_call *calls,
    size_t n, struct error *e)
{
	void *library = dlopen(name, RTLD_NOW), *found;

	if (library == NULL)
		return error_set(e, ERROR_SYSTEM, "%s: cannot be loaded: %s",
		    name, loader_message(name));
	for (size_t i = 0; i < n; i++)
		if (dlsym(library, calls[i].name) == NULL) {
			error_set(e, ERROR_SYSTEM,
			    "%s: has no '%s': wrong version", name,
			    calls[i].name);
			(void)dlclose(library);
			return -1;
		}
	for (size_t i = 0; i < n; i++) {
		found = dlsym(library, calls[i].name);
		memcpy(calls[i].to, &found, sizeof found);
	}
	return 0;
}
