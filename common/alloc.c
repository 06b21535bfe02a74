/* Memory: allocation that ends the program on failure, so that callers need no
 * checks; arenas, whose memory is freed as a whole, so that its parts need no
 * owner; growing strings. */
#include <config.h>

#include "common/alloc.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE = 4 << 20 };

static _Noreturn void
out_of_memory(void)
{
	fprintf(stderr, "dlscale: out of memory\n");
	exit(EXIT_STATUS_INPUT);
}

/* True for the k-th allocation of all threads, k = DLSCALE_FAIL_ALLOC. Only
 * that one fails. */
static int
fails_now(void)
{
	static _Atomic long wanted = -1, counted;

	if (wanted < 0) { /* all threads compute the same value */
		const char *text = getenv("DLSCALE_FAIL_ALLOC");
		const long n = text == NULL ? 0 : strtol(text, NULL, 10);

		wanted = n > 0 ? n : 0;
	}
	return wanted > 0 && ++counted == wanted;
}

/* Check an allocation. A block of at least LARGE bytes uses huge pages, since
 * clearing one takes less time than faulting in its small pages. */
static void *
checked(void *p, size_t size)
{
	if (p == NULL)
		out_of_memory();
	if (size >= LARGE)
		(void)madvise((void *)(((uintptr_t)p + PAGE - 1) / PAGE * PAGE),
		    size - PAGE, MADV_HUGEPAGE);
	return p;
}

void *
xmalloc(size_t size)
{
	return checked(fails_now() ? NULL : malloc(size > 0 ? size : 1), 0);
}

void *
xcalloc(size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return checked(fails_now() ? NULL : calloc(n, size), n * size);
}

void *
xreallocarray(void *p, size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return checked(fails_now() ? NULL : reallocarray(p, n, size), n * size);
}

char *
xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *
xstrndup(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
xasprintf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = fails_now() ? -1 : vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		out_of_memory();
	return text;
}

void *
vec_grow(void *items, size_t n, size_t *alloc, size_t size)
{
	if (n < *alloc)
		return items;
	*alloc = *alloc < 16 ? 16 : *alloc + *alloc / 2;
	if (*alloc <= n)
		*alloc = n + 1;
	return xreallocarray(items, *alloc, size);
}

/* --- arenas --------------------------------------------------------------- */

enum {
	/* The first block is small, because most arenas are: blocks of up to 1
	 * KiB are reused from malloc's cache. */
	FIRST_SIZE = 1024 - 64,
	BLOCK_SIZE = 16384 - 64
};

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char data[];
};

/* Allocate uninitialised memory.
 *
 * size  in, out: rounded up */
static void *
take_memory(struct arena *a, size_t *size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b = a->blocks;
	void *p;

	if (*size > SIZE_MAX - BLOCK_SIZE - align)
		*size = SIZE_MAX - BLOCK_SIZE - align; /* xmalloc rejects it */
	*size = (*size + align - 1) / align * align;
	if (b == NULL || b->size - b->used < *size) {
		const size_t least = b == NULL ? FIRST_SIZE : BLOCK_SIZE;
		const size_t room = *size > least ? *size : least;

		b = xmalloc(sizeof *b + room);
		b->used = 0;
		b->size = room;
		b->next = a->blocks;
		a->blocks = b;
	}
	p = b->data + b->used;
	b->used += *size;
	return p;
}

void *
arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t all = size > 0 && n > SIZE_MAX / size ? SIZE_MAX : n * size;
	void *p = take_memory(a, &all);

	return memset(p, 0, all);
}

void *
arena_longer(struct arena *a, const void *list, size_t n, size_t size)
{
	void *more = arena_calloc(a, n + 1, size);

	return n > 0 ? memcpy(more, list, n * size) : more;
}

void *
arena_grow(struct arena *a, void *list, size_t n, size_t size)
{
	void *more;

	if ((n & (n - 1)) != 0)
		return list;
	more = arena_calloc(a, n > 0 ? 2 * n : 1, size);
	return n > 0 ? memcpy(more, list, n * size) : more;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return s == NULL ? NULL : arena_strndup(a, s, strlen(s));
}

char *
arena_strndup(struct arena *a, const char *s, size_t len)
{
	size_t size = len + 1;
	char *copy = take_memory(a, &size);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	assert(len >= 0);
	text = arena_calloc(a, (size_t)len + 1, 1);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return text;
}

const char *
arena_join(
    struct arena *a, const char *list, const char *separator, const char *item)
{
	if (list == NULL || list[0] == '\0')
		return item;
	return item == NULL || item[0] == '\0'
	    ? list
	    : arena_printf(a, "%s%s%s", list, separator, item);
}

void
arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}

/* --- strings -------------------------------------------------------------- */

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

/* Extend the string by n bytes, which the caller writes, and a NUL. Returns a
 * pointer to these bytes, or NULL if the maximum would be exceeded. */
static char *
strbuf_extend(struct strbuf *sb, size_t n)
{
	size_t need;

	assert(sb->buf[sb->len] == '\0');
	if (n == 0)
		return NULL;
	/* A quarter of the address space is never free. */
	if (n > sb->max - sb->len || n > SIZE_MAX / 4) {
		sb->full = 1;
		return NULL;
	}
	need = sb->len + n + 1;
	if (need > sb->alloc) {
		size_t alloc = sb->alloc < 64 ? 64 : sb->alloc * 2;

		if (alloc < need)
			alloc = need;
		sb->buf =
		    xreallocarray(sb->alloc > 0 ? sb->buf : NULL, alloc, 1);
		sb->alloc = alloc;
	}
	sb->len += n;
	sb->buf[sb->len] = '\0';
	return sb->buf + sb->len - n;
}

void
strbuf_add(struct strbuf *sb, const char *data, size_t len)
{
	char *to = strbuf_extend(sb, len);

	if (to != NULL)
		memcpy(to, data, len);
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
	char *to = strbuf_extend(sb, n);

	if (to != NULL)
		memset(to, c, n);
}

void
strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	char *to;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(len >= 0);
	to = strbuf_extend(sb, (size_t)len);
	va_start(ap, fmt);
	if (to != NULL)
		vsnprintf(to, (size_t)len + 1, fmt, ap);
	va_end(ap);
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
