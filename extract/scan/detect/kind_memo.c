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

void
kind_memo_add(struct kind_memo *m, const char *masked, size_t len,
    const struct kind_find *finds, size_t n)
{
	struct kind_find *own;

	if (m->n == MAX_KINDS || len > MAX_BYTES - m->bytes ||
	    kind_memo_find(m, masked, len) != NULL)
		return;
	own = arena_calloc(&m->arena, n + 1, sizeof *own);
	if (n > 0)
		memcpy(own, finds, n * sizeof *own);
	m->kinds[m->n] = (struct kind_entry){ own, n,
		arena_strndup(&m->arena, masked, len), len };
	hash_index_add(&m->by_masked, hash_bytes(0, masked, len), m->n++);
	m->bytes += len;
}
