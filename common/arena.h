/* One arena per input: many small pieces that live and die together.
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

#define ARENA_INIT \
	{ \
		NULL \
	}

/* size bytes, cleared, aligned for any type; live until arena_release. */
void *arena_alloc(struct arena *a, size_t size);

/* n cleared members of size bytes; overflow of the product ends the program. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* A copy of s, or NULL if s is NULL. */
char *arena_strdup(struct arena *a, const char *s);

/* A copy of the first len bytes of s with a NUL after them. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* A formatted string. */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
    PRINTF_LIKE(2, 0);

/* Free all; the arena is as after ARENA_INIT. */
void arena_release(struct arena *a);

#endif
