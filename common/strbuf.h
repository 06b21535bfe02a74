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
#ifndef COMMON_STRBUF_H
#define COMMON_STRBUF_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

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

/* Free the contents. sb is empty with the same max. */
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
