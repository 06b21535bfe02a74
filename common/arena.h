/* Arenas: many small allocations that are freed together, e.g. one arena per
 * input.
 *
 *	struct arena a = ARENA_INIT;
 *	const char *name = arena_strdup(&a, "resnet50");
 *	arena_release(&a);
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "common/error.h"

struct arena {
	struct arena_block *blocks; /* newest first */
};

#define ARENA_INIT ((struct arena){ NULL })

/* Allocate n zeroed members of size bytes, aligned for any type. Overflow ends
 * the program. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* List of n members of size bytes with room for one more: a copy for n = 0 and
 * powers of two, else list, which has grown by this function alone. */
void *arena_grow(struct arena *a, void *list, size_t n, size_t size);

/* Copy a list of n members of size bytes, with room for one more. */
void *arena_longer(struct arena *a, const void *list, size_t n, size_t size);

/* Copy s. NULL if s is NULL. */
char *arena_strdup(struct arena *a, const char *s);

/* Copy the first len bytes of s and add a NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* Format a string. */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
    PRINTF_LIKE(2, 0);

/* Add an item to a list of texts. If one of them is empty or NULL, the other is
 * returned. */
const char *arena_join(
    struct arena *a, const char *list, const char *separator, const char *item);

/* Free all allocations. The arena may be used again. */
void arena_release(struct arena *a);

#endif
