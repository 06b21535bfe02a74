/* Memory that is freed as a whole. Results and tables live in arenas, so that
 * their parts need no owner. */
#include <config.h>

#include "common/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

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
arena_alloc(struct arena *a, size_t size)
{
	void *p = take_memory(a, &size);

	return memset(p, 0, size);
}

void *
arena_calloc(struct arena *a, size_t n, size_t size)
{
	if (size > 0 && n > SIZE_MAX / size)
		return arena_alloc(a, SIZE_MAX);
	return arena_alloc(a, n * size);
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
	text = arena_alloc(a, (size_t)len + 1);
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
