#include <config.h>

#include "common/stats/change_points.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/stats/stats.h"
#include "tests/tap.h"

/* A history of speeds: a stall, a slowdown of 3 %, and its repair. */
static const double history[] = { 1000.2, 1003.1, 998.7, 1001.5, 996.9, 720,
	999.4, 1004, 1000.8, 997.6, 1001.9, 999, 970.4, 968.9, 972.8, 966.1,
	971.5, 969.7, 973.3, 967.8, 970.9, 968.2, 999.8, 1001.1, 998.3, 1003.4,
	1000.6, 997.9, 1002, 999.1 };
enum { N_HISTORY = N_TESTS(history), MOST = 1400 };

static size_t
find(const double *speeds, size_t n, size_t *at)
{
	static double x[CHANGE_POINTS_MAX];

	for (size_t i = 0; i < n; i++)
		x[i] = log(speeds[i]);
	return change_points_find(x, n, at);
}

/* Python's ruptures 1.1.10: Pelt(model="l1", min_size=3, jump=1)
 * .fit(z).predict(pen=3 * log(30)) -> [12, 22, 30]. */
static void
test_levels(void)
{
	size_t at[MOST];

	CHECK_INT(find(history, N_HISTORY, at), 2);
	CHECK_INT(at[0], 12);
	CHECK_INT(at[1], 22);
}

/* By hand: MAD of the differences or, if that is 0, their mean deviation. */
static void
test_noise(void)
{
	const double a[] = { 0, 1, 3, 2, 6 }; /* differences 1 2 -1 4 */
	const double b[] = { 2, 2, 2, 2, 2, 5 };
	const double c[] = { 1, 1, 1 };

	CHECK_NEAR(change_points_noise(a, 5), 1.4826 * 1.5 / sqrt(2), 1e-15);
	CHECK_NEAR(change_points_noise(b, 6),
	    1.2533141373155001 * 0.6 / sqrt(2), 1e-15);
	CHECK_NEAR(change_points_noise(c, 3), 0, 0);
	CHECK(isnan(change_points_noise(c, 1)));
}

/* Reference values from a separate Python program: correlation of the residuals
 * from the levels' means, with the 9 moved to 3 standard deviations. */
static void
test_correlated(void)
{
	static const double x[] = { 0.3, -0.1, 0.5, 0.9, 1.1, 0.2, 0.4, -0.5,
		-0.9, -0.2, -0.1, 2.3, 2.9, 2.4, 9.0, 3.1, 2.8, 1.7, 1.9, 2.2,
		2.5, 2.6 };
	const size_t at = 11, ends[] = { 3 };
	const double same[] = { 1, 1, 1, 1, 1, 2, 2, 2, 2, 2 };
	const size_t middle = 5;

	CHECK_NEAR(
	    change_points_correlation(x, 22, &at, 1), .815983853839891, 1e-14);
	CHECK_NEAR(
	    change_points_correlation(x, 22, NULL, 0), .84329345580214, 1e-14);
	CHECK_NEAR(change_points_correlation(same, 10, &middle, 1), 0, 0);
	CHECK(isnan(change_points_correlation(x, 6, ends, 1)));
}

/* Find the changes of x and keep the proven ones, with their p. */
static size_t
prove(const double *x, size_t n, const size_t *group, size_t *at, double *p,
    double *groups)
{
	const struct change_series s = { x, n, group, group != NULL ? 2 : 0 };
	const size_t n_at = change_points_find(x, n, at);

	return change_points_prove(&s, 0.05, at, p, n_at, groups);
}

/* Reference values from a separate Python program: a change in `slight` has a
 * likelihood gain of 5.673168, at a correlation of 0.5. */
static void
test_proof(void)
{
	double x[N_HISTORY], p[MOST], distance[2];
	size_t at[MOST], group[N_HISTORY];
	static const double slight[] = { 0.3, -0.1, 0.5, 0.9, 1.1, 0.2, 0.4,
		-0.5, -0.9, -0.2, -0.1, 1.3, 1.9, 1.4, 2.0, 2.1, 1.8, 0.7, 0.9,
		1.2, 1.5, 1.6 };
	const double six[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2 };

	for (size_t i = 0; i < N_HISTORY; i++)
		x[i] = log(history[i]);
	CHECK_INT(prove(x, N_HISTORY, NULL, at, p, NULL), 2);
	CHECK_INT(at[0], 12);
	CHECK_INT(at[1], 22);
	/* The smallest p of a permutation test. */
	CHECK_NEAR(p[0], 2 * 22 / 646646.0, 1e-15); /* choose(22, 10) */
	CHECK_NEAR(p[1], 2 * 18 / 43758.0, 1e-15);  /* choose(18, 8) */
	CHECK_INT(prove(slight, 22, NULL, at, p, NULL), 1);
	CHECK_INT(at[0], 11);
	CHECK_NEAR(p[0], 0.331152601991183, 1e-12);
	CHECK_INT(prove(six, 12, NULL, at, p, NULL), 1);
	CHECK_NEAR(p[0], 2 * 12 / 924.0, 1e-15);
	/* The steps come from two machines in three turns, not the program. */
	for (size_t i = 0; i < N_HISTORY; i++) {
		group[i] = i >= 12 && i < 22;
		x[i] -= i == 5 ? log(0.72) : 0;
	}
	CHECK_INT(prove(x, N_HISTORY, group, at, p, distance), 2);
	CHECK_NEAR(p[0], 1, 0);
	CHECK_NEAR(p[1], 1, 0);
	CHECK_NEAR(distance[0], 0, 0);
	CHECK_NEAR(distance[1], log(0.97), 1e-3);
}

static void
test_few(void)
{
	double x[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	size_t at[MOST];

	/* Constant values have no change. */
	for (size_t n = 1; n <= 12; n++)
		CHECK_INT(find(x, n, at), 0);
	/* Values so coarse that neighbours are equal: 6 against 6 suffice. */
	for (int i = 6; i < 12; i++)
		x[i] = 0.97;
	CHECK_INT(find(x, 12, at), 1);
	CHECK_INT(at[0], 6);
	/* A single outlier at the start, inside or at the end is no level. */
	for (int k = 0; k < 12; k++) {
		for (int i = 0; i < 12; i++)
			x[i] = i == k ? 0.5 : 1;
		CHECK_INT(find(x, 12, at), 0);
	}
}

/* --- against all partings ------------------------------------------------- */

static uint64_t seed;

/* Uniform in (0, 1): xorshift64*. */
static double
uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double)((seed * 2685821657736338717u) >> 12) + 0.5) /
	    4503599627370496.0;
}

static int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
level_cost(const double *z, size_t begin, size_t end)
{
	double sorted[16], sum = 0;
	const size_t n = end - begin;

	for (size_t i = 0; i < n; i++)
		sorted[i] = z[begin + i];
	qsort(sorted, n, sizeof *sorted, ascending);
	for (size_t i = 0; i < n; i++)
		sum += fabs(sorted[i] - sorted[n / 2]);
	return sum;
}

/* The least cost of all partitions of z[begin..n). */
static double
cheapest(const double *z, size_t begin, size_t n, double change)
{
	double best = level_cost(z, begin, n);

	for (size_t at = begin + 3; at + 3 <= n; at++) {
		const double cost = level_cost(z, begin, at) + change +
		    cheapest(z, at, n, change);

		if (cost < best)
			best = cost;
	}
	return best;
}

/* Random levels: the changes found cost as little as the best of all
 * partitions, which are tried one by one. */
static void
test_optimum(void)
{
	seed = 42;
	for (int trial = 0; trial < 300; trial++) {
		const size_t n = 6 + (size_t)(uniform() * 9);
		double x[16], noise, change, cost = 0, level = 0;
		size_t at[8], n_at, begin = 0;

		for (size_t i = 0; i < n; i++) {
			if (uniform() < 0.2)
				level = 40 * uniform();
			x[i] = level + uniform();
		}
		noise = change_points_noise(x, n);
		change = 3 * log((double)n) * noise;
		n_at = change_points_find(x, n, at);
		for (size_t k = 0; k <= n_at; k++) {
			const size_t end = k < n_at ? at[k] : n;

			CHECK(end >= begin + 3);
			cost +=
			    level_cost(x, begin, end) + (k > 0 ? change : 0);
			begin = end;
		}
		CHECK_NEAR(cost, cheapest(x, 0, n, change), 1e-9);
	}
}

/* A single outlier in the last three values does not make a new level. */
static void
test_shortest(void)
{
	double x[30];
	size_t at[MOST];

	seed = 3;
	for (int short_of = 0; short_of <= 2; short_of += 2) {
		for (int i = 0; i < 30; i++)
			x[i] = 1000 + uniform();
		for (int i = 27 + short_of; i < 30; i++)
			x[i] -= 100;
		CHECK_INT(find(x, 30, at), short_of == 0);
		CHECK_INT(short_of ? 27 : at[0], 27);
	}
}

/* At most 1 % of 1000 series of 30 values without a change seem to have one (a
 * simulation with 20,000 series gave 0.2 %). */
static void
test_false_alarms(void)
{
	size_t at[MOST];
	int alarms = 0;

	seed = 7;
	for (int trial = 0; trial < 1000; trial++) {
		double x[30];

		for (int i = 0; i < 30; i++)
			x[i] = 1000 * exp(0.01 * normal_quantile(uniform()));
		alarms += find(x, 30, at) > 0;
	}
	CHECK(alarms <= 10);
}

/* Long series: the places of changes stay exact. With sanitizers, moving memory
 * takes 25 times as long. */
static void
test_long(void)
{
	static double x[CHANGE_POINTS_MAX];
	const int n = getenv("DLSCALE_QUICK") != NULL ? CHANGE_POINTS_MAX / 2
						      : CHANGE_POINTS_MAX;
	size_t at[MOST];

	seed = 9;
	for (int i = 0; i < n; i++)
		x[i] = (i < 1500          ? 1000.0
			       : i < 1510 ? 900.0
					  : 1010.0) +
		    uniform();
	CHECK_INT(find(x, (size_t)n, at), 2);
	CHECK_INT(at[0], 1500);
	CHECK_INT(at[1], 1510);
}

static const struct tap_test tests[] = {
	TEST(test_levels),
	TEST(test_proof),
	TEST(test_noise),
	TEST(test_correlated),
	TEST(test_few),
	TEST(test_shortest),
	TEST(test_optimum),
	TEST(test_false_alarms),
	TEST(test_long),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
