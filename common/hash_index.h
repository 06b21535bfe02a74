/* Hash index of a growing list, to find equal elements.
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

#define HASH_INDEX_INIT ((struct hash_index){ NULL, 0, 0 })

/* True if element i of the list has this key. */
typedef int hash_index_test(const void *list, size_t place, const void *key);

/* Hash len bytes (XXH3). begin is 0, or the hash of the preceding bytes. For
 * tables in memory only: do not store it in files. */
uint32_t hash_bytes(uint32_t begin, const void *data, size_t len);

/* Hash a string. NULL (unknown) gives begin. */
uint32_t hash_text(uint32_t begin, const char *text);

/* Find the place with this hash that passes the test. HASH_INDEX_NONE if there
 * is none. */
size_t hash_index_find(const struct hash_index *x, uint32_t hash,
    hash_index_test *is, const void *list, const void *key);

/* Place of the first of these texts, indexed by x, that equals text i. Adds i
 * if none does. NULL only equals NULL. */
size_t hash_index_first(
    struct hash_index *x, const char *const *texts, size_t i);

/* Add a place, below 2^32 - 1. */
void hash_index_add(struct hash_index *x, uint32_t hash, size_t place);

/* Free the memory. The index may be used again. */
void hash_index_release(struct hash_index *x);

#endif
