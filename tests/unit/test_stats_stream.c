#include <config.h>

#include "common/stats/stats_stream.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/measure/steps/radix_sort.h"
#include "common/stats/stats.h"
#include "tests/tap.h"

/* More than are kept to be sorted, so that ranges must be narrowed. */
enum { N = 3 * STATS_STREAM_KEPT + 5 };

static uint64_t state;

/* Marsaglia 2003, "Xorshift RNGs". */
static uint64_t
next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double
uniform(void)
{
	return (double)(next_random() >> 11) / 9007199254740992.0;
}

static double
some_value(int kind, size_t i)
{
	switch (kind) {
	case 0: /* times of steps, with stalls */
		return next_random() % 100 == 0 ? 40 * uniform()
						: 0.3 + 0.01 * uniform();
	case 1: /* three decimals: most are equal */
		return (double)(300 + next_random() % 20) / 1000;
	case 2: /* slopes, of both signs, some of them 0 */
		return next_random() % 5 == 0 ? 0.0 : uniform() - 0.5;
	case 3: /* from the tiny to the huge */
		return (uniform() - 0.5) * pow(10, uniform() * 200 - 100);
	case 4:
		return 0.5;
	case 5: /* close together, in order */
		return 1 + (double)i * 2.3e-16;
	case 6: /* neighbours, more than are kept */
		return next_random() % 2 == 0 ? 1 : 1 + DBL_EPSILON;
	default: /* the least is looked for in part after part from 1 on */
		return i % 100 == 7 ? 1e9 : 1 + (double)i * 2.3e-16;
	}
}

/* A stream computes what the array does, to the last bit. */
static void
check_alike(const double *x, size_t n)
{
	static const double p[] = { 0, 0.05, 0.5, 0.95, 1 };
	struct stats_stream_array room;
	const struct stats_stream s = stats_stream_of_array(&room, x, n);
	struct stats_stream_summary sum;
	double q[5], *copy;

	stats_stream_summarise(&s, &sum);
	CHECK_INT(sum.n, n);
	CHECK(sum.finite);
	CHECK_NEAR(sum.mean, stats_mean(x, n), 0);
	CHECK_NEAR(sum.min, stats_min(x, n), 0);
	CHECK_NEAR(sum.max, stats_max(x, n), 0);
	CHECK_NEAR(stats_stream_median(&s), stats_median(x, n), 0);
	if (sum.mean > 0 && n > 1)
		CHECK_NEAR(stats_stream_cv(&s, &sum), stats_cv(x, n), 0);
	else
		CHECK(isnan(stats_stream_cv(&s, &sum)));
	stats_stream_quantiles(&s, &sum, p, 5, q);
	copy = xcalloc(n, sizeof *copy);
	memcpy(copy, x, n * sizeof *copy);
	stats_sort(copy, n);
	for (int i = 0; i < 5; i++)
		CHECK_NEAR(q[i], stats_quantile_sorted(copy, n, p[i]), 0);
	/* In any order, and alone. */
	stats_stream_quantiles(&s, &sum, (double[]){ 0.95, 0.05 }, 2, q);
	CHECK_NEAR(q[0], stats_quantile_sorted(copy, n, 0.95), 0);
	CHECK_NEAR(q[1], stats_quantile_sorted(copy, n, 0.05), 0);
	stats_stream_quantiles(&s, &sum, (double[]){ 0.5 }, 1, q);
	CHECK_NEAR(q[0], stats_quantile_sorted(copy, n, 0.5), 0);
	free(copy);
}

static void
test_as_arrays(void)
{
	double *x = xcalloc(N, sizeof *x);

	state = 88172645463325252u;
	for (int kind = 0; kind < 8; kind++) {
		for (size_t i = 0; i < N; i++)
			x[i] = some_value(kind, i);
		check_alike(x, N);
		check_alike(x, N - 1);
		check_alike(x, 1000);
		for (size_t n = 1; n < 6; n++)
			check_alike(x, n);
	}
	free(x);
}

/* -0 and 0 are one value. */
static void
test_zeros(void)
{
	const double x[] = { 0.0, -0.0, 0.0, -0.0, -1, 1, -0.0 };

	check_alike(x, 7);
	check_alike(x, 4);
}

static void
test_undefined(void)
{
	const double x[] = { 1, NAN, 2 }, y[] = { 1, INFINITY };
	struct stats_stream_array room;
	struct stats_stream s = stats_stream_of_array(&room, x, 0);
	struct stats_stream_summary sum;

	stats_stream_summarise(&s, &sum);
	CHECK_INT(sum.n, 0);
	CHECK(isnan(sum.mean));
	CHECK(isnan(stats_stream_median(&s)));
	CHECK(isnan(stats_stream_cv(&s, &sum)));
	s = stats_stream_of_array(&room, x, 3);
	stats_stream_summarise(&s, &sum);
	CHECK(!sum.finite && isnan(sum.mean) && isnan(sum.max));
	CHECK(isnan(stats_stream_median(&s)));
	s = stats_stream_of_array(&room, y, 2);
	CHECK(isnan(stats_stream_median(&s)));
}

static int
ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
test_keys(void)
{
	enum { KEYS = 5000 };
	uint64_t x[KEYS], y[KEYS];

	state = 1;
	for (int kind = 0; kind < 4; kind++)
		for (size_t n = 0; n <= KEYS; n = n * 3 + 1) {
			for (size_t i = 0; i < n; i++) {
				x[i] = next_random();
				if (kind == 1)
					x[i] %= 7;
				if (kind == 2)
					x[i] = i + x[i] % 4;
				if (kind == 3)
					x[i] = n - i;
				y[i] = x[i];
			}
			radix_sort(x, n);
			qsort(y, n, sizeof *y, ascending);
			CHECK(memcmp(x, y, n * sizeof *x) == 0);
		}
}

static const struct tap_test tests[] = {
	TEST(test_as_arrays),
	TEST(test_zeros),
	TEST(test_undefined),
	TEST(test_keys),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof *tests);
}
