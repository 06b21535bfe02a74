/* Compare where step times settle with the definition, a new median for each
 * block; and test how they drift. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "extract/measure/steps/window.h"
#include "tests/tap.h"

enum { MOST = 90 };

/* Index of the first settled value, as settled_from() defines it. */
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
		spread = fmax(spread, neighbour_spread(x, n)) *
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
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

/* Step times well inside, just inside, just outside and far outside the band on
 * both sides, from some step on inside; blocks half outside are common. */
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
			    1e-7 * (next_random(&state) % 32768);
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

/* --- drift ---------------------------------------------------------------- */

static int
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* Median slope of all pairs i < j (or only of pairs i, i + apart), sorted. */
static double
slope_oracle(const double *x, const double *y, size_t n, size_t apart)
{
	double *slopes = xreallocarray(NULL, n * n, sizeof *slopes), middle;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			if ((apart > 0 && j != i + apart) || x[i] >= x[j])
				continue;
			slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
		}
	stats_sort(slopes, count);
	middle = slopes[(count - 1) / 2];
	if (middle < slopes[count / 2])
		middle = 0.5 * middle + 0.5 * slopes[count / 2];
	free(slopes);
	return middle;
}

static void
test_theil_sen(void)
{
	/* scipy 1.17.1: stats.theilslopes(y, x).slope is 2; all points but
	 * one lie near 2 x + 1. */
	static const double x[] = { 0.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.5 };
	static const double y[] = { 1.0, 2.9, 5.2, 40.0, 11.0, 14.8, 18.0 };
	static const double same[] = { 0.0, 0.0, 1.0, 1.0 };
	static const double falls[] = { 0.0, 2.0, 1.0 };
	static const double bad[] = { 0.0, NAN, 1.0 };

	CHECK_NEAR(theil_sen(x, y, 7), 2.0, 1e-15);
	CHECK_NEAR(theil_sen(x, y, 7), slope_oracle(x, y, 7, 0), 0.0);
	/* By hand: slopes of the pairs (0,2) (0,3) (1,2) (1,3). */
	CHECK_NEAR(theil_sen(same, y, 4), (4.2 + 37.1) / 2.0, 1e-14);
	CHECK(isnan(theil_sen(same, y, 2)));
	CHECK(isnan(theil_sen(x, y, 1)));
	CHECK(isnan(theil_sen(x, y, 0)));
	CHECK(isnan(theil_sen(falls, y, 3)));
	CHECK(isnan(theil_sen(bad, y, 3)));
	CHECK(isnan(theil_sen(bad, y, 3)));
}

/* Odd and even counts on both sides of the limit, against slope_oracle(). */
static void
test_theil_sen_large(void)
{
	const size_t limit = THEIL_SEN_COMPLETE;
	const size_t room = limit + 2, million = 1000000;
	double *x = xreallocarray(NULL, million, sizeof *x);
	double *y = xreallocarray(NULL, million, sizeof *y);
	unsigned state = 3;

	for (size_t i = 0; i < room; i++) {
		x[i] = (double)(i + i / 7);
		y[i] = 1e-4 * x[i] + next_random(&state) / 1e7;
	}
	for (size_t n = limit - 1; n <= room; n++)
		CHECK_NEAR(theil_sen(x, y, n),
		    slope_oracle(x, y, n, n <= limit ? 0 : n - n / 2), 0.0);
	/* y = i / 8 exactly, except for 20 % outliers. */
	for (size_t i = 0; i < million; i++) {
		x[i] = (double)i;
		y[i] = i % 5 == 0 ? 1e9 : (double)i / 8.0;
	}
	CHECK_NEAR(theil_sen(x, y, million), 0.125, 0.0);
	free(x);
	free(y);
}

/* Sets of points: steps with three decimals, many of them equal; a trend; two
 * levels; stalls; a constant; magnitudes at which digits get lost. */
static double
slope_point(int sort, size_t i, size_t n, unsigned *state)
{
	const double noise = next_random(state);
	const double printed = floor(noise / 10) / 1000;

	switch (sort) {
	case 0:
		return 0.3 + printed;
	case 1:
		return 0.3 + 1e-3 * (double)i + printed;
	case 2:
		return i < n / 2 ? 0.25 : 0.75;
	case 3:
		return i % 9 == 0 ? 60 + noise : 0.25 + 1e-9 * noise;
	case 4:
		return 0.5;
	case 5:
		return -1e15 - noise / 1000;
	case 6:
		return noise * 1e-311;
	case 7:
		return i % 3 == 0 ? 1e300 : noise;
	case 8:
		return noise * 1e-130;
	default:
		return 1e9 * (double)(i * i) + noise;
	}
}

/* The median is the same if most slopes are only bounded, not computed. */
static void
test_theil_sen_sorts(void)
{
	enum { SORTS = 10, LONGEST = 200 };
	unsigned state = 5;
	double x[LONGEST], y[LONGEST];

	for (int sort = 0; sort < 3 * SORTS; sort++)
		for (size_t n = 2; n <= LONGEST; n += n < 60 ? 1 : 17) {
			/* x evenly or unevenly spaced, or equal in pairs. */
			for (size_t i = 0; i < n; i++) {
				y[i] = slope_point(sort % SORTS, i, n, &state);
				x[i] = sort < SORTS    ? (double)i
				    : sort < 2 * SORTS ? (double)i * 1e7 +
					next_random(&state) / 1e4
						       : (double)(i / 2 * 3);
			}
			if (sort >= 2 * SORTS && n < 3)
				continue;
			if (!same_bits(
				theil_sen(x, y, n), slope_oracle(x, y, n, 0)))
				CHECK_INT(sort, (int)n);
		}
}

static void
test_slope_of_two(void)
{
	static const double x[] = { 10, 20 }, y[] = { 1, 3 };

	CHECK_NEAR(theil_sen(x, y, 2), 0.2, 1e-15);
	CHECK(isnan(theil_sen(x, y, 1)));
}

static const struct tap_test tests[] = {
	TEST(test_all_blocks),
	TEST(test_theil_sen),
	TEST(test_theil_sen_large),
	TEST(test_theil_sen_sorts),
	TEST(test_slope_of_two),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
