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

/* A function of it. */
struct shared_library_call {
	const char *name;
	void *to; /* a pointer to a function, which is set */
};

/* Load a library and find its functions. It stays loaded; loading it again has
 * no effect.
 *
 * name   as the loader knows it, "libcudnn.so.9": it is looked for where the
 *        loader looks for what a program is linked with
 * calls  [n] all are set, or none
 *
 * ERROR_SYSTEM: "libcudnn.so.9: cannot be loaded: ..." or that a function is
 * missing. */
int shared_library_open(const char *name,
    const struct shared_library_call *calls, size_t n, struct error *e);

#endif
