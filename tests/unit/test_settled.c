/* From where on times have settled, against the definition: a median of every
 * block, made anew. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/settled.h"
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

	if (n < block || n < SETTLED_FEW)
		return SETTLED_NEVER;
	target = stats_median(x + n / 2, late);
	for (size_t i = 0; i < late; i++)
		off[i] = fabs(x[n / 2 + i] - target);
	spread = 1.4826 * stats_median(off, late);
	if (block < SETTLED_BLOCK)
		spread *= 1 + 8 / (double)late;
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
		struct stats_stream_array room;
		struct stats_stream s;
		struct value_counts counts;
		double x[MOST];
		size_t want, got;

		for (size_t i = 0; i < n; i++)
			x[i] = (i < slow ? wild[next_random(&state) % 7] : 1) +
			    1e-7 * next_random(&state);
		s = stats_stream_of_array(&room, x, n);
		want = by_definition(x, n, block);
		got = settled_from(&s, NULL, n, block);
		if (got != want)
			printf("# trial %d: %zu values, blocks of %zu\n", trial,
			    n, block);
		CHECK_INT(got, want);
		CHECK(value_counts_make(&counts, &s, n));
		CHECK_INT(settled_from(&s, &counts, n, block), want);
		value_counts_release(&counts);
		never += want == SETTLED_NEVER;
		late += want > 0 && want != SETTLED_NEVER;
	}
	CHECK(never > 100);
	CHECK(late > 500);
}

/* An array that gives one value at a time. */
struct one_by_one {
	const double *x;
	size_t n, at;
};

static void
rewind_one(void *arg)
{
	((struct one_by_one *)arg)->at = 0;
}

static size_t
read_one(void *arg, double *out, size_t max)
{
	struct one_by_one *r = arg;

	if (r->at == r->n || max == 0)
		return 0;
	*out = r->x[r->at++];
	return 1;
}

/* How many values are read at once does not matter. */
static void
test_one_by_one(void)
{
	unsigned state = 7;

	for (int trial = 0; trial < 200; trial++) {
		const size_t n = 30 + next_random(&state) % 60;
		struct stats_stream_array room;
		struct one_by_one ones;
		struct stats_stream s, one;
		double x[MOST];

		for (size_t i = 0; i < n; i++)
			x[i] = (i < n / 3 ? 2 : 1) + 1e-6 * next_random(&state);
		s = stats_stream_of_array(&room, x, n);
		ones = (struct one_by_one){ x, n, 0 };
		one =
		    (struct stats_stream){ rewind_one, read_one, &ones, NULL };
		CHECK(settled_from(&s, NULL, n, SETTLED_BLOCK) > 0);
		CHECK_INT(settled_from(&one, NULL, n, SETTLED_BLOCK),
		    settled_from(&s, NULL, n, SETTLED_BLOCK));
	}
}

static const struct tap_test tests[] = {
	TEST(test_all_blocks),
	TEST(test_one_by_one),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
