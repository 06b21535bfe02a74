/* A bounded sample of the lines that a log's format did not match: the kinds
 * with the smallest hashes, as many as the bytes allow. */
#include <config.h>

#include "extract/scan/detect/unread_lines.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "extract/scan/detect/digit_mask.h"

struct unread_lines {
	/* Kinds, in the order in which they came. */
	struct unread_line *lines;
	size_t n, alloc;
	struct hash_index by_hash;
	size_t bytes; /* of all texts */
	uint64_t end; /* only smaller hashes are kept */
	int overflowed;
	char masked[UNREAD_MAX_LINE]; /* the current line */
	unsigned char most[UNREAD_MAX_LINE];
	struct unread_line *sorted; /* of unread_lines_all */
};

struct unread_lines *
unread_lines_new(void)
{
	struct unread_lines *u = xcalloc(1, sizeof *u);

	u->end = UINT64_MAX;
	return u;
}

void
unread_lines_free(struct unread_lines *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n; i++)
		free(u->lines[i].text);
	free(u->lines);
	hash_index_release(&u->by_hash);
	free(u->sorted);
	free(u);
}

static uint64_t
hash_of_kind(struct unread_lines *u, const char *text, size_t len)
{
	digit_mask_places(text, len, u->masked, u->most);
	return XXH3_64bits(u->masked, len);
}

static int
is_of_hash(const void *lines, size_t i, const void *hash)
{
	return ((const struct unread_line *)lines)[i].hash ==
	    *(const uint64_t *)hash;
}

/* The kind of that hash, or NULL.  Two kinds of one hash are one. */
static struct unread_line *
kind_of_hash(const struct unread_lines *u, uint64_t hash)
{
	const size_t i = hash_index_find(
	    &u->by_hash, (uint32_t)hash, is_of_hash, u->lines, &hash);

	return i != HASH_INDEX_NONE ? &u->lines[i] : NULL;
}

static int
by_hash(const void *a, const void *b)
{
	const struct unread_line *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int
by_first(const void *a, const void *b)
{
	const struct unread_line *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void
index_kinds(struct unread_lines *u)
{
	hash_index_clear(&u->by_hash);
	for (size_t i = 0; i < u->n; i++)
		hash_index_add(&u->by_hash, (uint32_t)u->lines[i].hash, i);
}

/* Keep the smallest hashes whose texts are no more than that many bytes, in
 * their order. */
static void
keep_smallest(struct unread_lines *u, size_t bytes)
{
	size_t n = 0, kept = 0;

	if (u->n > 0)
		qsort(u->lines, u->n, sizeof *u->lines, by_hash);
	while (n < u->n && u->lines[n].hash < u->end &&
	    kept + u->lines[n].len <= bytes)
		kept += u->lines[n++].len;
	if (n < u->n) {
		u->overflowed = 1;
		if (u->end > u->lines[n].hash)
			u->end = u->lines[n].hash;
		for (size_t i = n; i < u->n; i++)
			free(u->lines[i].text);
		u->n = n;
		u->bytes = kept;
	}
	index_kinds(u);
}

/* x  its text is not used, but the next argument, which is copied */
static void
add_kind(struct unread_lines *u, const struct unread_line *x, const char *text)
{
	struct unread_line *own;

	if (x->hash >= u->end)
		return;
	own = kind_of_hash(u, x->hash);
	if (own != NULL) {
		own->times += x->times;
		return;
	}
	u->lines = vec_grow(u->lines, u->n, &u->alloc, sizeof *u->lines);
	u->lines[u->n] = *x;
	u->lines[u->n].text = xstrndup(text, x->len);
	hash_index_add(&u->by_hash, (uint32_t)x->hash, u->n++);
	u->bytes += x->len;
	/* Sorting is put off until there is twice as much as is kept. */
	if (u->bytes > 2 * (size_t)UNREAD_MAX_BYTES)
		keep_smallest(u, UNREAD_MAX_BYTES);
}

static int
may_be_step(size_t len)
{
	return len >= UNREAD_MIN_LINE && len <= UNREAD_MAX_LINE;
}

void
unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t line)
{
	struct unread_line x = { 0, NULL, len, line, 1 };

	if (!may_be_step(len))
		return;
	x.hash = hash_of_kind(u, text, len);
	add_kind(u, &x, text);
}

const struct unread_line *
unread_lines_all(struct unread_lines *u, size_t *n)
{
	keep_smallest(u, UNREAD_MAX_BYTES);
	*n = u->n;
	u->sorted = xreallocarray(u->sorted, u->n + 1, sizeof *u->sorted);
	if (u->n > 0)
		memcpy(u->sorted, u->lines, u->n * sizeof *u->sorted);
	qsort(u->sorted, u->n, sizeof *u->sorted, by_first);
	return u->sorted;
}

int
unread_lines_overflowed(const struct unread_lines *u)
{
	return u->overflowed;
}
