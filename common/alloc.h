/* Allocation that never returns NULL: on failure it prints "program: out of
 * memory" and exits with status 3.
 *
 * All code allocates through here (make lint checks it), so that tests can make
 * the k-th allocation fail with DLSCALE_FAIL_ALLOC=k.
 */
#ifndef COMMON_ALLOC_H
#define COMMON_ALLOC_H

#include <stddef.h>

#include "common/error.h"

/* Allocate size bytes, uninitialised. Size 0 gives a unique pointer. Free with
 * free(). */
void *xmalloc(size_t size);

/* Allocate n zeroed members of size bytes. Overflow ends the program.
 */
void *xcalloc(size_t n, size_t size);

/* Resize p (may be NULL) to n members of size bytes. Overflow ends the
 * program. */
void *xreallocarray(void *p, size_t n, size_t size);

/* Copy s. Free with free(). */
char *xstrdup(const char *s);

/* Copy the first len bytes of s and add a NUL. Free with free(). */
char *xstrndup(const char *s, size_t len);

/* Format a string. Free with free(). */
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Make space for one more member in a growing array.
 *
 * items  the array, may be NULL when *alloc is 0
 * n      members in use, or needed in all less one
 * alloc  members allocated; updated
 * size   bytes of a member
 *
 * Returns the array, moved if it had to grow (by half, at least 16 members).
 * Memory that is not written to is not taken from the system.
 *
 *	v->items = vec_grow(v->items, v->n, &v->alloc, sizeof *v->items);
 *	v->items[v->n++] = x; */
void *vec_grow(void *items, size_t n, size_t *alloc, size_t size);

#endif
