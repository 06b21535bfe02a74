/* All places that were added are found, and no others, while the table grows
 * and with equal hashes. */
#include <config.h>

#include "common/hash_index.h"
#include "tests/tap.h"

#include <string.h>

enum { N = 20000 };

static int
is_number(const void *list, size_t place, const void *key)
{
	return ((const int *)list)[place] == *(const int *)key;
}

/* Add numbers under their hashes, of which only the bits of mask are kept. */
static void
check_hashes(uint32_t mask)
{
	static int numbers[N];
	struct hash_index x = HASH_INDEX_INIT;

	for (int round = 0; round < 2; round++) {
		size_t wrong = 0;

		for (int i = 0; i < N; i++) {
			const uint32_t hash =
			    hash_bytes(0, &i, sizeof i) & mask;

			wrong += hash_index_find(&x, hash, is_number, numbers,
				     &i) != HASH_INDEX_NONE;
			numbers[i] = i;
			hash_index_add(&x, hash, (size_t)i);
		}
		for (int i = 0; i < N; i++)
			wrong += hash_index_find(&x,
				     hash_bytes(0, &i, sizeof i) & mask,
				     is_number, numbers, &i) != (size_t)i;
		CHECK_INT(wrong, 0);
		CHECK_INT(x.n, N);
		hash_index_release(&x);
		CHECK_INT(x.n, 0);
	}
	hash_index_release(&x);
}

static void
test_places(void)
{
	check_hashes(UINT32_MAX);
	check_hashes(0xfff00); /* 4096 hashes with equal lowest bits */
}

/* An empty index finds nothing; the first place is 0. */
static void
test_empty(void)
{
	struct hash_index x = HASH_INDEX_INIT;
	const int none[1] = { 7 }, key = 7;

	CHECK(hash_index_find(&x, 5, is_number, none, &key) == HASH_INDEX_NONE);
	hash_index_add(&x, 5, 0);
	CHECK_INT(hash_index_find(&x, 5, is_number, none, &key), 0);
	CHECK(hash_index_find(&x, 6, is_number, none, &key) == HASH_INDEX_NONE);
	hash_index_release(&x);
	CHECK(hash_index_find(&x, 5, is_number, none, &key) == HASH_INDEX_NONE);
}

/* Equal bytes have equal hashes, which depend on each byte, its position and
 * the preceding hash. */
static void
test_hash(void)
{
	CHECK_INT(hash_bytes(0, "abc", 3), hash_bytes(0, "abcd", 3));
	CHECK(hash_bytes(0, "abc", 3) != hash_bytes(0, "acb", 3));
	CHECK(hash_bytes(0, "abc", 3) != hash_bytes(1, "abc", 3));
	CHECK(hash_bytes(0, "", 0) != hash_bytes(0, "\0", 1));
	/* XXH3's value for no bytes is 2d06800538d394c2. */
	CHECK_INT(hash_bytes(0, "", 0), 0x38d394c2);
}

/* Strings are hashed without the final NUL. An empty string differs from NULL,
 * and the boundary between two strings matters. */
static void
test_text(void)
{
	CHECK_INT(hash_text(7, "abc"), hash_bytes(7, "abc", 3));
	CHECK_INT(hash_text(7, NULL), 7);
	CHECK(hash_text(7, "") != 7);
	CHECK(hash_text(hash_text(0, "ab"), "c") !=
	    hash_text(hash_text(0, "a"), "bc"));
}

static const struct tap_test tests[] = {
	TEST(test_places),
	TEST(test_empty),
	TEST(test_hash),
	TEST(test_text),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
