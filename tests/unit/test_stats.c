#include <config.h>

#include "common/stats/stats.h"
#include "common/stats/rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/alloc.h"
#include "tests/tap.h"

/* Ten invented step times, with two stalls. */
static const double steps[] = { 0.247, 0.2391, 0.2512, 1.903, 0.2388, 0.2405,
	0.2399, 0.4711, 0.2402, 0.2396 };
/* Five published runs: DLPerf, MindSpore BERT bz32 1n1g. */
static const double runs[] = { 112.22, 112.18, 112.12, 112.18, 112.21 };

/* Expected values: R 4.2.2, e.g. sd(x) / mean(x), mad(x, constant = 1),
 * quantile(x, p, type = 7), 1 / mean(1 / x), exp(mean(log(x))),
 * mean(sort(x)[2:(n - 1)]). */
static double
p5(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.05);
}

static double
p50(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.50);
}

static double
p95(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.95);
}

static const struct {
	stats_function *function;
	size_t least; /* number of values it requires */
	double of_steps, of_runs;
} known[] = {
	{ stats_mean, 1, 0.43103999999999998, 112.182 },
	{ stats_median, 1, 0.24035, 112.18 },
	{ stats_harmonic_mean, 1, 0.28002705438049585, 112.1819891579031 },
	{ stats_olympic_mean, 3, 0.271075, 112.19 },
	{ stats_min, 1, 0.2388, 112.12 },
	{ stats_max, 1, 1.903, 112.22 },
	{ stats_variance, 2, 0.52219521083807563 * 0.52219521083807563,
	    0.00152 },
	{ stats_stddev, 2, 0.52219521083807563, 0.03898717737923247 },
	{ stats_cv, 2, 1.2114773822338429, 0.00034753505356681526 },
	{ stats_mad, 1, 0.0014, 0.03 },
	{ p5, 1, 0.238935, 112.132 },
	{ p50, 1, 0.24035, 112.18 },
	{ p95, 1, 1.258645, 112.218 },
};

static void
test_known_values(void)
{
	for (int i = 0; i < N_TESTS(known); i++) {
		CHECK_NEAR(
		    known[i].function(steps, 10), known[i].of_steps, 1e-14);
		CHECK_NEAR(known[i].function(runs, 5), known[i].of_runs, 3e-13);
	}
}

/* Too few values and values that are not numbers give NAN; x is not changed. */
static void
test_not_defined(void)
{
	double x[10];

	for (int i = 0; i < N_TESTS(known); i++) {
		stats_function *function = known[i].function;

		memcpy(x, steps, sizeof x);
		CHECK(isfinite(function(x, known[i].least)));
		CHECK(isnan(function(x, known[i].least - 1)));
		CHECK(isnan(function(NULL, 0)));
		CHECK(isfinite(function(x, 10)));
		CHECK_INT(memcmp(x, steps, sizeof x), 0);
		x[7] = NAN;
		CHECK(isnan(function(x, 10)));
		x[7] = INFINITY;
		CHECK(isnan(function(x, 10)));
	}
}

/* NIST Statistical Reference Datasets, NumAcc3 and NumAcc4: mean 1000000.2 and
 * 10000000.2, standard deviation 0.1, both certified exact. As doubles the
 * values are only within 6e-11 and 1e-9 of the decimal ones. */
static void
test_nist(void)
{
	for (double base = 1e6; base < 2e7; base *= 10.0) {
		const double off = base * 2.3e-16;
		double x[1001];

		x[0] = base + 0.2;
		for (int i = 1; i < 1001; i++)
			x[i] = base + (i % 2 == 1 ? 0.1 : 0.3);
		CHECK_NEAR(stats_mean(x, 1001), base + 0.2, off);
		CHECK_NEAR(stats_stddev(x, 1001), 0.1, 2.0 * off);
	}
}

/* A plain sum gives 0 and 100000.00000133288: 1e16 + 1 rounds to 1e16, and each
 * of the million additions rounds. */
static void
test_compensated_sum(void)
{
	static const double lost[] = { 1e16, 1.0, -1e16 };
	struct stats_sum sum = STATS_SUM_INIT;

	CHECK_NEAR(stats_mean(lost, 3), 1.0 / 3.0, 1e-16);
	for (int i = 0; i < 1000000; i++)
		stats_sum_add(&sum, 0.1);
	CHECK_NEAR(stats_sum_value(&sum), 1e5, 2e-11);
}

static void
test_median(void)
{
	static const double x[] = { 4.0, 1.0, 3.0, 2.0 };

	CHECK_NEAR(stats_median(x, 1), 4.0, 0.0);
	CHECK_NEAR(stats_median(x, 2), 2.5, 0.0);
	CHECK_NEAR(stats_median(x, 3), 3.0, 0.0);
	CHECK_NEAR(stats_median(x, 4), 2.5, 0.0);
}

/* By hand: harmonic mean 3 / (1 + 1/2 + 1/4). It is undefined if a value is not
 * above 0; so is the cv if the mean is 0. */
static void
test_positive_only(void)
{
	static const double x[] = { 1.0, 2.0, 4.0, 0.0, -7.0 };

	CHECK_NEAR(stats_harmonic_mean(x, 3), 12.0 / 7.0, 1e-15);
	CHECK(isnan(stats_harmonic_mean(x, 4)));
	CHECK(isnan(stats_harmonic_mean(x + 4, 1)));
	CHECK(isnan(stats_cv(x, 5)));
	CHECK_NEAR(stats_mean(x, 5), 0.0, 0.0);
}

/* R 4.2.2: quantile(steps, p, type = 7). */
static void
test_quantile(void)
{
	static const struct {
		double p, linear;
	} cases[] = {
		{ 0.0, 0.2388 },
		{ 0.05, 0.238935 },
		{ 0.1, 0.23907 },
		{ 0.25, 0.239675 },
		{ 0.5, 0.24035 },
		{ 0.75, 0.25015 },
		{ 0.95, 1.258645 },
		{ 1.0, 1.903 },
	};
	double x[100];

	for (int i = 0; i < N_TESTS(cases); i++) {
		const double p = cases[i].p;

		CHECK_NEAR(
		    stats_quantile(steps, 10, p), cases[i].linear, 2e-15);
	}
	for (int i = 0; i < 100; i++)
		x[i] = 1.0 + i;
	CHECK_NEAR(stats_quantile(x, 1, 0.3), 1.0, 0.0);
	CHECK(isnan(stats_quantile(x, 100, -0.01)));
	CHECK(isnan(stats_quantile(x, 100, 1.01)));
	CHECK(isnan(stats_quantile(x, 100, NAN)));
}

/* A generator local to this file, so that the values never change. */
static unsigned
next_random(unsigned *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

/* The median of even counts does not depend on the function used. */
static void
test_p50_is_the_median(void)
{
	unsigned state = 1;
	double x[64];

	for (size_t n = 1; n <= 64; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = next_random(&state) / 977.0;
		CHECK_NEAR(stats_quantile(x, n, 0.5), stats_median(x, n), 0.0);
	}
}

/* Fill x [n] with one of several orders that are hard for a selection. */
static void
fill(double *x, size_t n, int kind, unsigned *state)
{
	for (size_t i = 0; i < n; i++) {
		const double at = (double)i;

		switch (kind) {
		case 0:
			x[i] = at;
			break;
		case 1:
			x[i] = -at;
			break;
		case 2:
			x[i] = 7.0;
			break;
		case 3:
			x[i] = fabs(at - (double)n / 2.0);
			break;
		default:
			x[i] = next_random(state) % (kind == 4 ? 5 : 100000);
			break;
		}
	}
}

/* Reference: the C library's qsort. */
static void
test_select(void)
{
	unsigned state = 2;
	double x[200], sorted[200];

	for (int kind = 0; kind < 6; kind++)
		for (size_t n = 1; n <= 200; n += 1 + n / 8)
			for (size_t k = 0; k < n; k++) {
				fill(x, n, kind, &state);
				memcpy(sorted, x, n * sizeof *x);
				stats_sort(sorted, n);
				CHECK_NEAR(
				    stats_value_at(x, n, k, 0), sorted[k], 0.0);
				for (size_t i = 0; i < n; i++)
					CHECK(i < k ? x[i] <= x[k]
						    : x[i] >= x[k]);
				stats_sort(x, n);
				CHECK_INT(memcmp(x, sorted, n * sizeof *x), 0);
			}
}

/* Reorder as stats_value_at does when it moves one value before the others. */
static void
move_before(size_t *at, size_t lo, size_t n, size_t which)
{
	for (size_t i = lo; i < n; i++) {
		const size_t v = at[i];

		at[i] = at[lo];
		at[lo] = v;
		lo += v == which;
	}
}

/* Fill x so that the median of the first, middle and last value is always the
 * second smallest of the remaining ones: each partition removes only two. */
static void
fill_worst(double *x, size_t n)
{
	size_t *at = xreallocarray(NULL, n, sizeof *at); /* indices in x */

	for (size_t i = 0; i < n; i++)
		at[i] = i;
	for (size_t lo = 0; lo < n; lo++) {
		const size_t middle = at[lo + (n - 1 - lo) / 2];

		x[at[lo]] = (double)lo;
		if (lo % 2 == 1 || lo + 3 > n)
			continue;
		x[middle] = (double)(lo + 1);
		move_before(at, lo, n, at[lo]);
		move_before(at, lo + 1, n, middle);
	}
	free(at);
}

/* Without its budget the selection takes n^2 / 2 steps, hundreds of times as
 * long as a sort; with it, a little longer than the sort it falls back to. */
static void
test_select_worst_case(void)
{
	const size_t n = 20000;
	double *x = xreallocarray(NULL, n, sizeof *x);
	clock_t start, selecting, sorting;

	fill_worst(x, n);
	start = clock();
	stats_sort(x, n);
	sorting = clock() - start;
	fill_worst(x, n);
	start = clock();
	CHECK_NEAR(stats_value_at(x, n, n - 1, 0), (double)(n - 1), 0.0);
	selecting = clock() - start;
	CHECK(selecting < 50 * (sorting + 1));
	free(x);
}

/* Values exactly at the limit of outliers and just beyond it. */
static void
test_outliers(void)
{
	double x[] = { -1, STATS_OUTLIER_MADS, 0, 1, -1 };
	const double same[] = { 3, 3, 3, 3, 7 };

	CHECK_NEAR(stats_mad(x, 5), 1, 0);
	CHECK_NEAR(stats_outliers(x, 5), 0, 0);
	x[1] = nextafter(x[1], INFINITY);
	CHECK_NEAR(stats_outliers(x, 5), 1, 0);
	CHECK_NEAR(stats_outliers(same, 5), 0, 0);
	CHECK(isnan(stats_outliers(x, 0)));
}

/* The values 2, 2, 3, 4, 4 have the variance 1; 4.302653 is the 97.5 % quantile
 * of Student's t with two degrees of freedom. */
static void
test_olympic_interval(void)
{
	const double x[] = { 5, 1, 4, 2, 3 };
	const double half = 4.302652729911275 * sqrt(5) / 3;
	struct interval got;

	CHECK_INT(stats_olympic_interval(x, 5, 0.95, &got), 0);
	CHECK_NEAR(got.low, 3 - half, 1e-9);
	CHECK_NEAR(got.high, 3 + half, 1e-9);
	CHECK_INT(stats_olympic_interval(x, 3, 0.95, &got), -1);
}

static const struct tap_test tests[] = {
	TEST(test_olympic_interval),
	TEST(test_known_values),
	TEST(test_not_defined),
	TEST(test_nist),
	TEST(test_compensated_sum),
	TEST(test_median),
	TEST(test_positive_only),
	TEST(test_quantile),
	TEST(test_p50_is_the_median),
	TEST(test_select),
	TEST(test_select_worst_case),
	TEST(test_outliers),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
