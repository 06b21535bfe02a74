/* Loads a shared library when it is first needed, so that the program starts
 * without it.
 *
 *	static double (*cosine)(double);
 *	static const struct shared_library_call calls[] = { { "cos", &cosine }
 *	};
 *	if (shared_library_open("libm.so.6", calls, 1, &e) != 0)
 *		return -1;
 */
#ifndef TRAINER_BASE_SHARED_LIBRARY_H
#define TRAINER_BASE_SHARED_LIBRARY_H

#include <stddef.h>

#include "common/error.h"

/* A function of the library. */
struct shared_library_call {
	const char *name;
	void *to; /* points to the function pointer to set */
};

/* Load a library and find its functions. It stays loaded; loading it again has
 * no effect.
 *
 * name   as in "libcudnn.so.9"; searched for in the loader's usual folders
 * calls  [n] all are set, or none on an error
 *
 * ERROR_SYSTEM: "libcudnn.so.9: cannot be loaded: ..." or that a function is
 * missing. */
int shared_library_open(const char *name,
    const struct shared_library_call *calls, size_t n, struct error *e);

#endif
