/* Growing strings with a maximum length. */
#include <config.h>

#include "common/strbuf.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

char strbuf_empty[1];

void
strbuf_init(struct strbuf *sb, size_t max)
{
	*sb = STRBUF_INIT(max);
}

void
strbuf_release(struct strbuf *sb)
{
	if (sb->alloc > 0)
		free(sb->buf);
	strbuf_init(sb, sb->max);
}

void
strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	sb->full = 0;
	if (sb->alloc > 0)
		sb->buf[0] = '\0';
}

/* Make space for more bytes and the NUL. Returns 0 if that exceeds the
 * maximum. */
static int
strbuf_room(struct strbuf *sb, size_t more)
{
	size_t need;

	assert(sb->buf[sb->len] == '\0');
	/* A quarter of the address space is never free. */
	if (more > sb->max - sb->len || more > SIZE_MAX / 4) {
		sb->full = 1;
		return 0;
	}
	need = sb->len + more + 1;
	if (need > sb->alloc) {
		size_t alloc = sb->alloc < 64 ? 64 : sb->alloc * 2;

		if (alloc < need)
			alloc = need;
		sb->buf =
		    xreallocarray(sb->alloc > 0 ? sb->buf : NULL, alloc, 1);
		sb->alloc = alloc;
	}
	return 1;
}

void
strbuf_add(struct strbuf *sb, const char *data, size_t len)
{
	if (len == 0 || !strbuf_room(sb, len))
		return;
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void
strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void
strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void
strbuf_addchars(struct strbuf *sb, char c, size_t n)
{
	if (n == 0 || !strbuf_room(sb, n))
		return;
	memset(sb->buf + sb->len, c, n);
	sb->len += n;
	sb->buf[sb->len] = '\0';
}

void
strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(len >= 0);
	if (len == 0 || !strbuf_room(sb, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(sb->buf + sb->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	sb->len += (size_t)len;
}

char *
strbuf_detach(struct strbuf *sb)
{
	char *s = sb->alloc > 0 ? sb->buf : xstrdup("");

	strbuf_init(sb, sb->max);
	return s;
}

char *
strbuf_finish(struct strbuf *sb, struct arena *a)
{
	char *text = arena_strndup(a, sb->buf, sb->len);

	strbuf_release(sb);
	return text;
}
