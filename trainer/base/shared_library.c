/* dlopen and dlsym, with the loader's message as an error. */
#include <config.h>

#include "trainer/base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

int
shared_library_open(const char *name, const struct shared_library_call *calls,
    size_t n, struct error *e)
{
	void *library = dlopen(name, RTLD_NOW), *found;
	const size_t len = strlen(name);
	const char *text;

	if (library == NULL) {
		text = dlerror();
		if (text == NULL)
			text = "no cause is known";
		else if (strncmp(text, name, len) == 0 &&
		    strncmp(text + len, ": ", 2) == 0)
			text += len + 2; /* after the library's name */
		return error_set(
		    e, ERROR_SYSTEM, "%s: cannot be loaded: %s", name, text);
	}
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
