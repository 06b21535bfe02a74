/* Allocation that ends the program on failure, so that callers need no
 * checks. */
#include <config.h>

#include "common/alloc.h"

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

/* Use huge pages for a large block: clearing one takes less time than faults of
 * small pages. */
static void *
in_huge_pages(void *p, size_t size)
{
	if (p != NULL && size >= LARGE)
		(void)madvise((void *)(((uintptr_t)p + PAGE - 1) / PAGE * PAGE),
		    size - PAGE, MADV_HUGEPAGE);
	return p;
}

void *
xmalloc(size_t size)
{
	void *p = fails_now() ? NULL : malloc(size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
xcalloc(size_t n, size_t size)
{
	void *p =
	    fails_now() ? NULL : calloc(n > 0 ? n : 1, size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return in_huge_pages(p, n * size);
}

void *
xreallocarray(void *p, size_t n, size_t size)
{
	if (size > 0 && n > SIZE_MAX / size)
		out_of_memory();
	if (n == 0 || size == 0)
		n = size = 1;
	p = fails_now() ? NULL : realloc(p, n * size);
	if (p == NULL)
		out_of_memory();
	return in_huge_pages(p, n * size);
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
	return xreallocarray(items, *alloc, size);
}

void *
vec_reserve(void *items, size_t n, size_t *alloc, size_t size)
{
	if (n <= *alloc)
		return items;
	*alloc = n;
	return xreallocarray(items, n, size);
}
