/* From where on times have settled, against the definition: a median of every
 * block, made anew. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/stats.h"
#include "tests/tap.h"

enum { MOST = 90 };

/* The first value that has settled, as settled.h defines it. */
static size_t
by_definition(const double *x, size_t n, size_t block)
{
	const size_t late = n - n / 2;
	double off[MOST], target, spread, near, tolerance;
	size_t at = 0;

	if (n < block || n < SETTLED_FEWEST)
		return SETTLED_NEVER;
	target = stats_median(x + n / 2, late);
	for (size_t i = 0; i < late; i++)
		off[i] = fabs(x[n / 2 + i] - target);
	spread = 1.4826 * stats_median(off, late);
	if (block < SETTLED_BLOCK)
		spread = fmax(spread, stats_neighbour_spread(x, n)) *
		    (1 + 8 / (double)late);
	near = target * SETTLED_PERCENT / 100;
	tolerance = fmax(near, 4.5 * 1.2533 * spread / sqrt((double)block));
	for (size_t i = 0; i + block <= n; i++)
		if (fabs(stats_median(x + i, block) - target) > tolerance)
			at = i + 1;
	if (at + block > n)
		return SETTLED_NEVER;
	for (size_t k = at > 0 ? block / 2 : 0; k > 0; k--) {
		if (!(fabs(x[at] - target) > fmax(near, 3 * spread)))
			break;
		at++;
	}
	return at;
}

static unsigned
next_random(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16 & 0x7fff;
}

/* Times that are near, hardly near, hardly off and far off on both sides, and
 * from some step on near; so that blocks of which half is off are common. */
static void
test_all_blocks(void)
{
	static const double wild[] = { 0.8, 0.94, 0.96, 1.0, 1.04, 1.056, 1.3 };
	unsigned state = 1;
	size_t never = 0, late = 0;

	for (int trial = 0; trial < 4000; trial++) {
		const size_t n = 1 + next_random(&state) % MOST;
		const size_t block = 1 + next_random(&state) % SETTLED_BLOCK;
		const size_t slow = next_random(&state) % (n + 1);
		double x[MOST];
		size_t want, got;

		for (size_t i = 0; i < n; i++)
			x[i] = (i < slow ? wild[next_random(&state) % 7] : 1) +
			    1e-7 * next_random(&state);
		want = by_definition(x, n, block);
		got = settled_from(x, n, block);
		if (got != want)
			printf("# trial %d: %zu values, blocks of %zu\n", trial,
			    n, block);
		CHECK_INT(got, want);
		never += want == SETTLED_NEVER;
		late += want > 0 && want != SETTLED_NEVER;
	}
	CHECK(never > 100);
	CHECK(late > 500);
}

static const struct tap_test tests[] = {
	TEST(test_all_blocks),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
