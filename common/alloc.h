/* Allocation that ends the program on failure: callers do not check for NULL.
 * It prints "program: out of memory" and exits with status 3.
 *
 * Everything outside of alloc.c allocates through here (make lint keeps it),
 * so that tests can let the k-th allocation fail: the environment variable
 * DLSCALE_FAIL_ALLOC=k does that.
 */
#ifndef COMMON_ALLOC_H
#define COMMON_ALLOC_H

#include <stddef.h>

#include "common/error.h"

/* size bytes, not cleared; size 0 gives a unique pointer.  Free with free(). */
void *xmalloc(size_t size);

/* n members of size bytes, cleared; a product over SIZE_MAX ends the program.
 */
void *xcalloc(size_t n, size_t size);

/* p (may be NULL) resized to n members of size bytes; overflow ends the
 * program. */
void *xreallocarray(void *p, size_t n, size_t size);

/* A copy of s.  Free with free(). */
char *xstrdup(const char *s);

/* A copy of the first len bytes of s and a NUL.  Free with free(). */
char *xstrndup(const char *s, size_t len);

/* A formatted string.  Free with free(). */
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Room for one more member in a growing array.
 *
 * items  the array, may be NULL when *alloc is 0
 * n      members in use
 * alloc  members allocated; updated
 * size   bytes of a member
 *
 * Returns the array, moved if it had to grow (by half, at least 16 members).
 *
 *	v->items = vec_grow(v->items, v->n, &v->alloc, sizeof *v->items);
 *	v->items[v->n++] = x; */
void *vec_grow(void *items, size_t n, size_t *alloc, size_t size);

#endif
