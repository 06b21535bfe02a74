/* Allocation that never returns NULL: on failure it prints "program: out of
 * memory" and exits with status 3.
 *
 * All code allocates through here (make lint checks it), so that tests can make
 * the k-th allocation fail with DLSCALE_FAIL_ALLOC=k.
 */
#ifndef COMMON_ALLOC_H
#define COMMON_ALLOC_H

#include <stdarg.h>
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
 * n      members in use; there will be space for n + 1
 * alloc  members allocated; updated
 * size   bytes of a member
 *
 * Returns the array, moved if it had to grow (by half, at least 16 members).
 * Memory that is not written to is not taken from the system.
 *
 *	v->items = vec_grow(v->items, v->n, &v->alloc, sizeof *v->items);
 *	v->items[v->n++] = x; */
void *vec_grow(void *items, size_t n, size_t *alloc, size_t size);

/* --- arenas --------------------------------------------------------------- */

/* Arenas: many small allocations that are freed together, e.g. one arena per
 * input.
 *
 *	struct arena a = ARENA_INIT;
 *	const char *name = arena_strdup(&a, "resnet50");
 *	arena_release(&a);
 */
struct arena {
	struct arena_block *blocks; /* newest first */
};

#define ARENA_INIT ((struct arena){ NULL })

/* Allocate n zeroed members of size bytes, aligned for any type. Overflow ends
 * the program. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* Make room for one more in a list of n members of size bytes, grown by this
 * function alone. Returns a copy if n is 0 or a power of two, else list. */
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

/* Append a separator and an item to a list of texts. If the list or the item is
 * empty or NULL, returns the other. */
const char *arena_join(
    struct arena *a, const char *list, const char *separator, const char *item);

/* Free all allocations. The arena may be used again. */
void arena_release(struct arena *a);

/* --- strings -------------------------------------------------------------- */

/* Growing string with a maximum length.
 *
 * Invariants: buf is never NULL and always ends with a NUL at buf[len]. An
 * addition that would exceed max is dropped as a whole and sets full: check it
 * once at the end.
 *
 *	struct strbuf sb = STRBUF_INIT(1 << 20);
 *	strbuf_printf(&sb, "%dn%dg", nodes, gpus);
 *	strbuf_release(&sb);
 */
struct strbuf {
	char *buf;
	size_t len;   /* bytes in use, without the NUL */
	size_t alloc; /* bytes allocated; 0 while buf is the shared "" */
	size_t max;   /* limit of len */
	int full;     /* an addition was dropped */
};

extern char strbuf_empty[1]; /* "" */

/* An empty string of up to max bytes. Allocates nothing. */
#define STRBUF_INIT(max_) \
	((struct strbuf){ .buf = strbuf_empty, .max = (max_) })

/* Start an empty string, as STRBUF_INIT. */
void strbuf_init(struct strbuf *sb, size_t max);

/* Free the contents. sb is empty afterwards and keeps its max. */
void strbuf_release(struct strbuf *sb);

/* Empty the string, keep its memory and clear full. */
void strbuf_reset(struct strbuf *sb);

/* Add len bytes of data, which must not lie in sb itself. */
void strbuf_add(struct strbuf *sb, const char *data, size_t len);

/* Add a NUL-terminated string. */
void strbuf_addstr(struct strbuf *sb, const char *s);

/* Add one character. */
void strbuf_addch(struct strbuf *sb, char c);

/* Add one character n times. */
void strbuf_addchars(struct strbuf *sb, char c, size_t n);

/* Add formatted text. */
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Copy the text to an arena and release sb. Returns the copy. */
char *strbuf_finish(struct strbuf *sb, struct arena *a);

/* Detach the string, which the caller frees. sb is empty afterwards. */
char *strbuf_detach(struct strbuf *sb);

#endif
