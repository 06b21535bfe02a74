/* Indices of list elements by hash, for lists that grow and are searched for
 * equal elements.
 *
 *	struct hash_index x = HASH_INDEX_INIT;
 *	hash = hash_text(0, name);
 *	i = hash_index_find(&x, hash, is_named, list, name);
 *	if (i == HASH_INDEX_NONE)
 *		hash_index_add(&x, hash, n_list++);
 *	hash_index_release(&x);
 */
#ifndef COMMON_HASH_INDEX_H
#define COMMON_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define HASH_INDEX_NONE SIZE_MAX

struct hash_slot;

struct hash_index {
	struct hash_slot *slots;
	size_t n_slots, n;
};

#define HASH_INDEX_INIT \
	{ \
		NULL, 0, 0 \
	}

/* True if the element at this place of the list is the one with that key. */
typedef int hash_index_test(const void *list, size_t place, const void *key);

/* A hash of len bytes (XXH3); begin is 0, or the hash of what comes before
 * them.  For tables in memory only: no file may depend on it. */
uint32_t hash_bytes(uint32_t begin, const void *data, size_t len);

/* The same of a text; of one that is NULL, unknown, it is begin. */
uint32_t hash_text(uint32_t begin, const char *text);

/* The place that was added with this hash and passes the test, or
 * HASH_INDEX_NONE. */
size_t hash_index_find(const struct hash_index *x, uint32_t hash,
    hash_index_test *is, const void *list, const void *key);

/* Add a place, which is below 2^32 - 1. */
void hash_index_add(struct hash_index *x, uint32_t hash, size_t place);

/* Remove all elements; keeps the memory. */
void hash_index_clear(struct hash_index *x);

/* Free it; it may be used again. */
void hash_index_release(struct hash_index *x);

#endif
