/* The sort of keys against the C library's. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "extract/measure/steps/radix_sort.h"
#include "tests/tap.h"

enum { MOST = 300 };

static int
by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void
check_sorted(const uint64_t *from, size_t n)
{
	/* What stands around the keys stays. */
	uint64_t want[MOST + 2], got[MOST + 2];

	want[0] = got[0] = UINT64_MAX;
	want[n + 1] = got[n + 1] = 0;
	memcpy(want + 1, from, n * sizeof *want);
	memcpy(got + 1, from, n * sizeof *got);
	qsort(want + 1, n, sizeof *want, by_value);
	radix_sort(got + 1, n);
	CHECK(memcmp(want, got, (n + 2) * sizeof *got) == 0);
}

/* Of all sizes, of few bits and all: many are equal, some or none. */
static void
test_all_sizes(void)
{
	uint64_t x[MOST], state = 88172645463325252;

	for (size_t n = 0; n <= MOST; n++)
		for (int bits = 0; bits <= 64; bits += 8) {
			for (size_t i = 0; i < n; i++)
				x[i] = bits == 0
				    ? 7
				    : next_random(&state) >> (64 - bits);
			check_sorted(x, n);
		}
}

/* In order, but for two neighbours, and in the order of reverse. */
static void
test_nearly_sorted(void)
{
	uint64_t x[MOST];

	for (size_t at = 0; at + 1 < MOST; at++) {
		for (size_t i = 0; i < MOST; i++)
			x[i] = i << 32;
		x[at] = (at + 1) << 32;
		x[at + 1] = at << 32;
		check_sorted(x, MOST);
	}
	for (size_t i = 0; i < MOST; i++)
		x[i] = MOST - i;
	check_sorted(x, MOST);
}

static const struct tap_test tests[] = {
	TEST(test_all_sizes),
	TEST(test_nearly_sorted),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
