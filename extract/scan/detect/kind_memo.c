/* A hash table of kinds of line that never shrinks and is bounded.  Called by
 * detect.c; what a format is it does not know. */
#include <config.h>

#include "extract/scan/detect/kind_memo.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/hash_index.h"

enum {
	MAX_KINDS = 1024,
	MAX_BYTES = 1 << 20 /* of all copies */
};

struct kind_memo {
	struct arena arena;
	struct kind_entry kinds[MAX_KINDS];
	struct hash_index by_masked;
	size_t n, bytes;
};

struct kind_memo *
kind_memo_new(void)
{
	struct kind_memo *m = xcalloc(1, sizeof *m);

	m->arena = (struct arena)ARENA_INIT;
	return m;
}

void
kind_memo_free(struct kind_memo *m)
{
	if (m == NULL)
		return;
	hash_index_release(&m->by_masked);
	arena_release(&m->arena);
	free(m);
}

/* Has that kind the same copy as key, whose finds do not matter? */
static int
is_same_copy(const void *kinds, size_t i, const void *key)
{
	const struct kind_entry *x = (const struct kind_entry *)kinds + i;
	const struct kind_entry *y = key;

	return x->len == y->len && memcmp(x->masked, y->masked, y->len) == 0;
}

const struct kind_entry *
kind_memo_find(const struct kind_memo *m, const char *masked, size_t len)
{
	const struct kind_entry key = { .masked = masked, .len = len };
	const size_t i = hash_index_find(&m->by_masked,
	    hash_bytes(0, masked, len), is_same_copy, m->kinds, &key);

	return i != HASH_INDEX_NONE ? &m->kinds[i] : NULL;
}

int
kind_memo_is_full(const struct kind_memo *m)
{
	return m->n == MAX_KINDS || m->bytes == MAX_BYTES;
}

int
kind_entry_is_unsure(const struct kind_entry *x, size_t format)
{
	for (size_t i = 0; i < x->n_unsure; i++)
		if (x->unsure[i] == format)
			return 1;
	return 0;
}

static void *
copy_items(struct arena *a, const void *items, size_t n, size_t size)
{
	void *own = arena_calloc(a, n + 1, size);

	if (n > 0)
		memcpy(own, items, n * size);
	return own;
}

void
kind_memo_add(struct kind_memo *m, const struct kind_entry *kind)
{
	struct kind_entry *own = &m->kinds[m->n];

	if (m->n == MAX_KINDS || kind->len > MAX_BYTES - m->bytes ||
	    kind_memo_find(m, kind->masked, kind->len) != NULL)
		return;
	*own = *kind;
	own->finds = copy_items(
	    &m->arena, kind->finds, kind->n_finds, sizeof *kind->finds);
	own->unsure = copy_items(
	    &m->arena, kind->unsure, kind->n_unsure, sizeof *kind->unsure);
	own->masked = arena_strndup(&m->arena, kind->masked, kind->len);
	hash_index_add(
	    &m->by_masked, hash_bytes(0, kind->masked, kind->len), m->n++);
	m->bytes += kind->len;
}
