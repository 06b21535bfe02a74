/* Hash table of indices with open addressing, at most half full.
 *
 * xxHash is compiled inline: for short keys a call takes as long as the hash,
 * and programs that read no logs do not need the library. */
#include <config.h>

#include "common/hash_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/alloc.h"
#include "common/text.h"

enum { FIRST_SLOTS = 64 };

struct hash_slot {
	uint32_t hash;
	uint32_t place; /* place + 1; 0: free */
};

uint32_t
hash_bytes(uint32_t begin, const void *data, size_t len)
{
	return (uint32_t)XXH3_64bits_withSeed(data, len, begin);
}

uint32_t
hash_text(uint32_t begin, const char *text)
{
	return text != NULL ? hash_bytes(begin, text, strlen(text)) : begin;
}

size_t
hash_index_find(const struct hash_index *x, uint32_t hash, hash_index_test *is,
    const void *list, const void *key)
{
	for (size_t at = hash; x->n > 0; at++) {
		const struct hash_slot *slot = &x->slots[at & (x->n_slots - 1)];

		if (slot->place == 0)
			break;
		if (slot->hash == hash && is(list, slot->place - 1, key))
			return slot->place - 1;
	}
	return HASH_INDEX_NONE;
}

static int
is_text(const void *texts, size_t place, const void *text)
{
	return text_same(((const char *const *)texts)[place], text);
}

size_t
hash_index_first(struct hash_index *x, const char *const *texts, size_t i)
{
	const uint32_t hash = hash_text(0, texts[i]);
	const size_t first = hash_index_find(x, hash, is_text, texts, texts[i]);

	if (first != HASH_INDEX_NONE)
		return first;
	hash_index_add(x, hash, i);
	return i;
}

void
hash_index_add(struct hash_index *x, uint32_t hash, size_t place)
{
	size_t at = hash;

	assert(place < UINT32_MAX);
	if (2 * x->n >= x->n_slots) {
		const struct hash_index old = *x;

		x->n = 0;
		x->n_slots = old.n == 0 ? FIRST_SLOTS : old.n_slots * 4;
		x->slots = xcalloc(x->n_slots, sizeof *x->slots);
		for (size_t i = 0; i < old.n_slots; i++)
			if (old.slots[i].place != 0)
				hash_index_add(x, old.slots[i].hash,
				    old.slots[i].place - 1);
		free(old.slots);
	}
	while (x->slots[at & (x->n_slots - 1)].place != 0)
		at++;
	x->slots[at & (x->n_slots - 1)] =
	    (struct hash_slot){ hash, (uint32_t)place + 1 };
	x->n++;
}

void
hash_index_release(struct hash_index *x)
{
	free(x->slots);
	*x = HASH_INDEX_INIT;
}
