#include <config.h>

#include "common/stats/rank_test.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "tests/tap.h"

/* Runs without rounding. */
static struct rounded_runs
exact_runs(const double *x, size_t n)
{
	static double room[2][SIGNED_RANK_MAX_PAIRS + 1];
	static int next;
	double *copy = room[next ^= 1];

	memcpy(copy, x, n * sizeof *x);
	return (struct rounded_runs){ copy, copy, copy, n };
}

static int
ratio_median(
    const double *a, size_t m, const double *b, size_t n, double *median)
{
	struct interval i;

	if (rank_test_ratio(a, m, b, n, 0.95, &i) != 0)
		return -1;
	*median = i.middle;
	return 0;
}

static int
ratio_side(const double *a, size_t m, const double *b, size_t n, double bound,
    int below, double *p)
{
	const struct rounded_runs x = exact_runs(a, m), y = exact_runs(b, n);
	const double found = rounded_side(&x, &y, bound, below);

	*p = isnan(found) ? *p : found;
	return isnan(found) ? -1 : 0;
}

struct pairs {
	double ratio, p;
	struct interval interval;
};

static int
pairs_ratio(const double *r, size_t n, double confidence, struct pairs *out)
{
	const struct rounded_runs x = exact_runs(r, n);

	if (rounded_ratio(&x, NULL, confidence, &out->interval) != 0 ||
	    rounded_p(&x, NULL, &out->p) != 0)
		return -1;
	out->ratio = out->interval.middle;
	return 0;
}

static int
pairs_side(const double *r, size_t n, double bound, int below, double *p)
{
	const struct rounded_runs x = exact_runs(r, n);
	const double found = rounded_side(&x, NULL, bound, below);

	*p = isnan(found) ? *p : found;
	return isnan(found) ? -1 : 0;
}

static const double confidences[] = { 0.5, 0.8, 0.9, 0.9375, 0.95, 0.99 };

static int
bits_set(unsigned mask)
{
	int n = 0;

	for (; mask != 0; mask &= mask - 1)
		n++;
	return n;
}

/* Return the largest rank whose level reaches the confidence, or 1. The level
 * of rank k is the share of cases with a count in k .. top - k, of 0 .. top. */
static size_t
rank_oracle(const double *cases, size_t top, double confidence, double *level)
{
	double total = 0.0, inside;
	size_t rank = 0;

	for (size_t i = 0; i <= top; i++)
		total += cases[i];
	for (size_t k = 1; 2 * k <= top; k++) {
		inside = 0.0;
		for (size_t i = k; i <= top - k; i++)
			inside += cases[i];
		if (k == 1 || inside / total >= confidence) {
			rank = k;
			*level = inside / total;
		}
	}
	return rank;
}

/* Oracle: all 2^n ways in which n values fall below or above the median. */
static void
test_median_enumerated(void)
{
	double x[14], level = NAN;
	struct interval found;

	for (size_t n = 1; n <= 14; n++) {
		double cases[15] = { 0.0 };

		for (unsigned mask = 0; mask < 1U << n; mask++)
			cases[bits_set(mask)]++;
		for (size_t i = 0; i < n; i++)
			x[i] = (double)((i * 5) % n);
		for (int c = 0; c < N_TESTS(confidences); c++) {
			size_t k =
			    rank_oracle(cases, n, confidences[c], &level);

			CHECK_INT(
			    rank_test_median(x, n, confidences[c], &found), 0);
			CHECK_INT(found.rank, k);
			if (n > 1)
				CHECK_NEAR(found.level, level, 1e-15);
		}
	}
}

/* R 4.2.2: k <- max(which(1 - 2 * pbinom((1:(n / 2)) - 1, n, 0.5) >= conf)),
 * level 1 - 2 * pbinom(k - 1, n, 0.5).  n = 5 and 6 by hand: 1 - 2/32,
 * 1 - 2/64. */
static void
test_median_levels(void)
{
	static const struct {
		size_t n;
		double confidence;
		size_t k;
		double level;
	} cases[] = {
		{ 2, 0.95, 1, 0.5 },
		{ 5, 0.95, 1, 0.9375 },
		{ 6, 0.95, 1, 0.96875 },
		{ 9, 0.95, 2, 0.9609375 },
		{ 20, 0.95, 6, 0.95861053466796875 },
		{ 100, 0.95, 40, 0.96479979978229513 },
		{ 1000, 0.95, 469, 0.95370880263950186 },
		{ 1000, 0.99, 459, 0.99136005099773949 },
		{ 10000, 0.95, 4902, 0.95116705010361813 },
		{ 10000, 0.99, 4871, 0.99040584187416414 },
	};
	double *x = xreallocarray(NULL, 10000, sizeof *x);
	struct interval found;

	for (int i = 0; i < N_TESTS(cases); i++) {
		const size_t n = cases[i].n, k = cases[i].k;

		for (size_t j = 0; j < n; j++) /* n down to 1 */
			x[j] = (double)(n - j);
		CHECK_INT(
		    rank_test_median(x, n, cases[i].confidence, &found), 0);
		CHECK_INT(found.rank, k);
		CHECK_NEAR(found.level, cases[i].level, 1e-12);
		CHECK_NEAR(found.low, k, 0.0);
		CHECK_NEAR(found.high, n + 1 - k, 0.0);
	}
	free(x);
}

static void
test_single_runs(void)
{
	static const double x[] = { 3.0, 4.5, 4.0 };
	struct interval found;

	CHECK_INT(rank_test_median(x, 1, 0.95, &found), 0);
	CHECK(isnan(found.low) && isnan(found.high) && isnan(found.level));
	CHECK_INT(found.rank, 0);
	CHECK_INT(rank_test_ratio(x, 1, x + 1, 1, 0.95, &found), 0);
	CHECK(isnan(found.low) && isnan(found.high) && isnan(found.level));
	CHECK_INT(found.rank, 0);
	/* 1 and 2: 1 - 2 / C(3,1), from the smallest to the largest ratio. */
	CHECK_INT(rank_test_ratio(x, 1, x + 1, 2, 0.95, &found), 0);
	CHECK_NEAR(found.level, 1.0 / 3.0, 1e-15);
	CHECK_NEAR(found.low, 3.0 / 4.5, 0.0);
	CHECK_NEAR(found.high, 3.0 / 4.0, 0.0);
}

/* The rank-th smallest quotient by sorting all of them. */
static double
quotient_oracle(
    const double *a, size_t m, const double *b, size_t n, size_t rank)
{
	double *all = xreallocarray(NULL, m * n, sizeof *all), value;

	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			all[i * n + j] = a[i] / b[j];
	stats_sort(all, m * n);
	value = all[rank - 1];
	free(all);
	return value;
}

/* Count the cases of each U: over all choices of m of the m + n values as a's,
 * U is the number of pairs in which the a is the larger. */
static void
count_u(double *cases, size_t m, size_t n)
{
	for (unsigned mask = 0; mask < 1U << (m + n); mask++) {
		size_t u = 0, others = 0;

		if (bits_set(mask) != (int)m)
			continue;
		for (size_t i = 0; i < m + n; i++) {
			if ((mask >> i & 1) != 0)
				u += others;
			else
				others++;
		}
		cases[u]++;
	}
}

static void
test_ratio_enumerated(void)
{
	static const double a[] = { 9.1, 7.3, 8.8, 7.3, 9.9, 8.0 };
	static const double b[] = { 4.0, 4.4, 3.1, 5.0, 4.4, 4.7 };
	struct interval found;
	double level = NAN;

	for (size_t m = 1; m <= 6; m++)
		for (size_t n = 1; n <= 6; n++) {
			double cases[37] = { 0.0 };

			count_u(cases, m, n);
			for (int i = 0; i < N_TESTS(confidences); i++) {
				size_t c = rank_oracle(
				    cases, m * n, confidences[i], &level);

				CHECK_INT(rank_test_ratio(a, m, b, n,
					      confidences[i], &found),
				    0);
				CHECK_INT(found.rank, c);
				if (c == 0)
					continue;
				CHECK_NEAR(found.level, level, 1e-15);
				CHECK_NEAR(found.low,
				    quotient_oracle(a, m, b, n, c), 0.0);
				CHECK_NEAR(found.high,
				    quotient_oracle(a, m, b, n, m * n + 1 - c),
				    0.0);
			}
		}
}

/* Coverage: of the C(10,5) = 252 equally likely ways to split ten values of one
 * distribution into two samples, the interval of their ratio contains the true
 * 1 in 0.96825 * 252 = 244. */
static void
test_ratio_covers(void)
{
	struct interval found = { NAN, NAN, NAN, 0, NAN };
	int holds = 0, ways = 0;

	for (unsigned mask = 0; mask < 1U << 10; mask++) {
		double x[2][5];
		size_t n[2] = { 0, 0 };

		if (bits_set(mask) != 5)
			continue;
		for (unsigned i = 0; i < 10; i++) {
			const unsigned to = mask >> i & 1;

			x[to][n[to]++] = 100.0 + i * i;
		}
		CHECK_INT(rank_test_ratio(x[0], 5, x[1], 5, 0.95, &found), 0);
		ways++;
		holds += found.low <= 1.0 && found.high >= 1.0;
	}
	CHECK_INT(ways, 252);
	CHECK_INT(holds, 244);
	CHECK_NEAR(found.level, 244.0 / 252.0, 1e-15);
	CHECK_INT(found.rank, 3);
}

static const double new_speeds[] = { 391.2, 388.7, 392.24, 390.1, 393.5, 389.9,
	391.7 };
static const double old_speeds[] = { 380.2, 381.1, 392.3, 379.5, 383.0, 378.8 };

/* R 4.2.2: exp(wilcox.test(log(new), log(old), conf.int = TRUE)$conf.int) and
 * 1 - 2 * pwilcox(c - 1, m, n). */
static void
test_ratio_r(void)
{
	struct interval found, inverse;

	CHECK_INT(
	    rank_test_ratio(new_speeds, 7, old_speeds, 6, 0.95, &found), 0);
	CHECK_INT(found.rank, 7);
	CHECK_NEAR(found.level, 0.965034965034965, 1e-14);
	CHECK_NEAR(found.low, 1.0030588835075198, 1e-15);
	CHECK_NEAR(found.high, 1.032734952481521, 1e-15);
	CHECK_INT(
	    rank_test_ratio(old_speeds, 6, new_speeds, 7, 0.95, &inverse), 0);
	CHECK_NEAR(inverse.low * found.high, 1.0, 1e-15);
	CHECK_NEAR(inverse.high * found.low, 1.0, 1e-15);
}

/* x[i] = from + step ((i times) mod modulus) */
static void
fill(
    double *x, size_t n, double from, double step, size_t times, size_t modulus)
{
	for (size_t i = 0; i < n; i++)
		x[i] = from + step * (double)(i * times % modulus);
}

/* R 4.2.2: c and level as above, the last by pnorm((c - 1/2 - mn/2) / s) with
 * s = sqrt(mn (m + n + 1) / 12); the exact level of its c is 0.950429. */
static void
test_ratio_levels(void)
{
	static const struct {
		size_t m, n, c;
		double level;
	} cases[] = {
		{ 3, 3, 1, 0.9 },
		{ 4, 4, 1, 0.97142857142857142 },
		{ 5, 5, 3, 0.96825396825396826 },
		{ 7, 7, 9, 0.96212121212121215 },
		{ 10, 12, 30, 0.95742956733668805 },
		{ 30, 40, 435, 0.95092974501084715 },
		{ 70, 70, 1980, 0.95031312949008862 },
		{ 80, 90, 2973, 0.950062853753373 },
	};
	double a[90], b[90];
	struct interval found;

	for (int i = 0; i < N_TESTS(cases); i++) {
		const size_t m = cases[i].m, n = cases[i].n, c = cases[i].c;

		fill(a, m, 100.0, 0.25, 37, 97);
		fill(b, n, 30.0, 0.125, 53, 101);
		CHECK_INT(rank_test_ratio(a, m, b, n, 0.95, &found), 0);
		CHECK_INT(found.rank, c);
		CHECK_NEAR(found.level, cases[i].level, 1e-12);
		CHECK_NEAR(found.low, quotient_oracle(a, m, b, n, c), 0.0);
		CHECK_NEAR(found.high,
		    quotient_oracle(a, m, b, n, m * n + 1 - c), 0.0);
	}
}

/* Distance of the a's doubled rank sum from its mean, times m + n. Twice a
 * midrank is the number of values below plus the number not above, plus 1. */
static long
distance(const double *pool, int all, unsigned mask)
{
	long sum = 0, sum_a = 0;

	for (int i = 0; i < all; i++) {
		long twice = 1;

		for (int j = 0; j < all; j++)
			twice += (pool[j] < pool[i]) + (pool[j] <= pool[i]);
		sum += twice;
		if ((mask >> i & 1) != 0)
			sum_a += twice;
	}
	return labs(sum_a * all - sum * bits_set(mask));
}

/* Oracle: for every split of the pool, p is the share of the splits of the same
 * sizes that lie at least as far from the mean. */
static void
check_pool(const double *pool, int all)
{
	static long far[1 << 9];

	for (unsigned mask = 0; mask < 1U << all; mask++)
		far[mask] = distance(pool, all, mask);
	for (unsigned mask = 1; mask + 1 < 1U << all; mask++) {
		double x[2][9], p;
		size_t n[2] = { 0, 0 };
		int ways = 0, as_far = 0;

		for (int i = 0; i < all; i++) {
			const unsigned to = mask >> i & 1;

			x[to][n[to]++] = pool[i];
		}
		for (unsigned other = 0; other < 1U << all; other++)
			if (bits_set(other) == bits_set(mask)) {
				ways++;
				as_far += far[other] >= far[mask];
			}
		CHECK_INT(
		    rank_test_mann_whitney(x[1], n[1], x[0], n[0], &p), 0);
		CHECK_NEAR(p, (double)as_far / ways, 1e-15);
	}
}

static void
test_p_enumerated(void)
{
	static const double pools[][9] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8, 9 },
		{ 5, 5, 5, 5, 5, 5, 5, 5, 5 },
		{ 1, 1, 2, 2, 3, 3, 4, 4, 5 },
		{ 1, 1, 1, 1, 1, 1, 2, 3, 4 },
		{ 9, -1, 9, -1, 0, 9, 9, -1, 0 },
		{ 1e9, 2.5, 1e9, 2.5, 3, 4, 5, -6, -6 },
	};

	for (int i = 0; i < N_TESTS(pools); i++)
		for (int all = 2; all <= 9; all++)
			check_pool(pools[i], all);
}

/* Without ties: R 4.2.2 wilcox.test(a, b, exact = TRUE) and scipy 1.17.1
 * mannwhitneyu(a, b, method = "exact") agree.  With ties: R 4.2.2, coin 1.4.2,
 * pvalue(wilcox_test(v ~ group, distribution = "exact")).  The smallest p of
 * 5 and 5: 2 / C(10,5). */
static void
test_p_known(void)
{
	static const double a[] = { 3, 3, 4, 5, 5 }, b[] = { 1, 2, 3, 3, 4 };
	static const double c[] = { 391.2, 391.2, 392.24, 390.1 };
	static const double d[] = { 380.2, 391.2, 379.5, 379.5, 378.8, 380.2,
		381 };
	static const double low[] = { 1, 2, 3, 4, 5 };
	static const double high[] = { 6, 7, 8, 9, 10 };
	double x[25], y[25], p;

	CHECK_INT(rank_test_mann_whitney(new_speeds, 7, old_speeds, 6, &p), 0);
	CHECK_NEAR(p, 0.034965034965034961, 1e-15);
	CHECK_INT(rank_test_mann_whitney(a, 5, b, 5, &p), 0);
	CHECK_NEAR(p, 0.13492063492063491, 1e-15);
	CHECK_INT(rank_test_mann_whitney(c, 4, d, 7, &p), 0);
	CHECK_NEAR(p, 0.02121212121212121, 1e-15);
	CHECK_INT(rank_test_mann_whitney(d, 7, c, 4, &p), 0);
	CHECK_NEAR(p, 0.02121212121212121, 1e-15);
	fill(x, 20, 0.0, 1.0, 7, 13);
	fill(y, 25, 2.0, 1.0, 5, 11);
	CHECK_INT(rank_test_mann_whitney(x, 20, y, 25, &p), 0);
	CHECK_NEAR(p, 0.1550545152054234, 1e-12);
	CHECK_INT(rank_test_mann_whitney(low, 5, high, 5, &p), 0);
	CHECK_NEAR(p, 2.0 / 252.0, 1e-16);
	CHECK_INT(rank_test_mann_whitney(high, 5, low, 5, &p), 0);
	CHECK_NEAR(p, 2.0 / 252.0, 1e-16);
}

/* R 4.2.2: wilcox.test(a, b, exact = FALSE, correct = TRUE) with ties, exact =
 * TRUE without. */
static void
test_p_normal(void)
{
	double a[200], b[200], p;

	fill(a, 90, 0.0, 1.0, 37, 101);
	fill(b, 85, 9.0, 1.0, 53, 97);
	CHECK_INT(rank_test_mann_whitney(a, 90, b, 85, &p), 0);
	CHECK_NEAR(p, 0.12562698355914656, 1e-14);
	fill(a, 90, 0.0, 1.5, 1, 1000);
	fill(b, 80, 20.1, 1.25, 1, 1000);
	CHECK_INT(rank_test_mann_whitney(a, 90, b, 80, &p), 0);
	CHECK_NEAR(p, 0.648224, 5e-7); /* exact: there are no ties */
	fill(a, 200, 3.0, 0.0, 1, 2);
	CHECK_INT(rank_test_mann_whitney(a, 200, a, 200, &p), 0);
	CHECK_NEAR(p, 1.0, 0.0);
	fill(a, 200, 3.0, 1.0, 1, 1000);
	CHECK_INT(rank_test_mann_whitney(a, 200, a, 200, &p), 0);
	CHECK_NEAR(p, 1.0, 0.0);
}

/* The runs of cases A, B and C: rates of an old and a new version. */
static const double a_old[] = { 2451.44, 2458.83, 2450.83, 2458.03, 2457.80 };
static const double a_new[] = { 2398.1, 2402.6, 2399.9, 2371.2, 2401.0 };
static const double b_old[] = { 812.4, 815.1, 810.9, 813.3, 811.7 };
static const double b_new[] = { 813.0, 811.2, 814.6, 812.1, 809.8 };
static const double c_old[] = { 100, 104.1, 97.2, 101.3, 99.5 };
static const double c_new[] = { 98.4, 95.9, 102.2, 96.8, 100.7 };

/* R 4.2.2: wilcox.test(log(new), log(old), exact = TRUE, conf.int = TRUE,
 * conf.level = 0.95 and 0.90), exp of its limits and estimate. */
static void
test_verdict_oracles(void)
{
	struct interval i;
	double x;

	CHECK_INT(rank_test_ratio(a_new, 5, a_old, 5, 0.95, &i), 0);
	CHECK_NEAR(i.low, 0.9647652372, 1e-10);
	CHECK_NEAR(i.high, 0.9796681124, 1e-10);
	CHECK_INT(rank_test_ratio(a_new, 5, a_old, 5, 0.90, &i), 0);
	CHECK_NEAR(i.level, 0.9047619, 1e-7);
	CHECK_NEAR(i.low, 0.9675089664, 1e-10);
	CHECK_NEAR(i.high, 0.9792192849, 1e-10);
	CHECK_INT(ratio_median(a_new, 5, a_old, 5, &x), 0);
	CHECK_NEAR(x, 0.9767984931, 1e-10);
	CHECK_INT(ratio_median(a_old, 5, a_new, 4, &x), 0);
	CHECK_INT(rank_test_mann_whitney(a_new, 5, a_old, 5, &x), 0);
	CHECK_NEAR(x, 0.0079365079, 1e-10);
	CHECK_INT(rank_test_ratio(b_new, 5, b_old, 5, 0.95, &i), 0);
	CHECK_NEAR(i.low, 0.9956965449, 1e-10);
	CHECK_NEAR(i.high, 1.0027080256, 1e-10);
	CHECK_INT(rank_test_mann_whitney(b_new, 5, b_old, 5, &x), 0);
	CHECK_NEAR(x, 0.690476, 1e-6);
	CHECK_INT(rank_test_ratio(c_new, 5, c_old, 5, 0.95, &i), 0);
	CHECK_NEAR(i.low, 0.945244957, 1e-9);
	CHECK_NEAR(i.high, 1.027135678, 1e-9);
	CHECK_INT(rank_test_mann_whitney(c_new, 5, c_old, 5, &x), 0);
	CHECK_NEAR(x, 0.420635, 1e-6);
}

/* By hand: the middle quotient, or the geometric mean of the two middle ones. A
 * quotient that is 0 or infinite is an error. */
static void
test_ratio_median(void)
{
	static const double six[] = { 6 }, by[] = { 1, 2, 3 };
	static const double tiny[] = { 1e-300 }, huge[] = { 1e300 };
	double x = 0;

	CHECK_INT(ratio_median(six, 1, by, 2, &x), 0);
	CHECK_NEAR(x, sqrt(6.0 * 3.0), 1e-14);
	CHECK_INT(ratio_median(six, 1, by, 3, &x), 0);
	CHECK_NEAR(x, 3, 0);
	CHECK_INT(ratio_median(by, 3, six, 1, &x), 0);
	CHECK_NEAR(x, 2.0 / 6.0, 0);
	CHECK_INT(ratio_median(tiny, 1, huge, 1, &x), -1);
	CHECK_INT(ratio_median(huge, 1, tiny, 1, &x), -1);
}

/* Every rank reaches this confidence: the two middle quotients are chosen. */
static void
test_ratio_last_rank(void)
{
	const struct interval i = rank_test_ratio_rank(300, 300, 1e-9);

	CHECK_INT(i.rank, 45000);
	CHECK(i.level > 0 && i.level < 1e-3);
	CHECK_INT(rank_test_ratio_rank(4, 5, 1e-9).rank, 10);
}

/* The larger p of the one-sided tests that the ratio is above 1 / (1 + delta)
 * and below 1 + delta (R 4.2.2: of two wilcox.test(..., alternative)). */
static double
tost(const double *a, const double *b, double delta)
{
	double low, high;

	CHECK_INT(ratio_side(a, 5, b, 5, 1.0 / (1.0 + delta), 0, &low), 0);
	CHECK_INT(ratio_side(a, 5, b, 5, 1.0 + delta, 1, &high), 0);
	return fmax(low, high);
}

static void
test_sides(void)
{
	static const struct {
		double slower, p;
	} gates[] = { { 0.01, .00396825 }, { 0.02, .01587302 },
		{ 0.022, .21031746 }, { 0.03, .95238095 } };
	double p;

	CHECK_NEAR(tost(a_new, a_old, 0.03), .0753968, 1e-7);
	CHECK_NEAR(tost(a_new, a_old, 0.04), .0039683, 1e-7);
	CHECK_NEAR(tost(b_new, b_old, 0.003), .0753968, 1e-7);
	CHECK_NEAR(tost(b_new, b_old, 0.005), .0079365, 1e-7);
	CHECK_NEAR(tost(c_new, c_old, 0.02), .420635, 1e-6);
	CHECK_NEAR(tost(c_new, c_old, 0.05), .047619, 1e-6);
	for (int i = 0; i < N_TESTS(gates); i++) {
		CHECK_INT(ratio_side(
			      a_new, 5, a_old, 5, 1.0 - gates[i].slower, 1, &p),
		    0);
		CHECK_NEAR(p, gates[i].p, 1e-8);
	}
	/* Equal runs lie exactly on the bound and prove nothing. */
	CHECK_INT(ratio_side(b_old, 1, b_old, 1, 1.0, 1, &p), 0);
	CHECK_NEAR(p, 1.0, 0.0);
	CHECK_INT(ratio_side(b_old, 1, b_old, 1, 1.0, 0, &p), 0);
	CHECK_NEAR(p, 1.0, 0.0);
	CHECK_INT(ratio_side(b_old, 5, b_new, 5, 0.0, 0, &p), -1);
}

/* Few against many runs are exact: for one against 8000, U is uniform over 0 to
 * 8000. R 4.2.2: pwilcox(c(200, 3, 100, 0), ...). */
static void
test_few_against_many(void)
{
	static double many[8000];
	const double one[] = { 7.25 };
	struct interval i;

	CHECK_NEAR(rank_test_u_at_most(1, 8000, 200), 201.0 / 8001.0, 1e-15);
	CHECK_NEAR(rank_test_u_at_most(8000, 1, 0), 1.0 / 8001.0, 1e-15);
	CHECK_NEAR(rank_test_u_at_most(5, 5, 3), 0.027777777777777776, 1e-15);
	CHECK_NEAR(
	    rank_test_u_at_most(2, 3000, 100), 0.00057742244923466527, 1e-15);
	CHECK_NEAR(rank_test_u_at_most(2, 2, 4), 1.0, 0.0);
	fill(many, 8000, 5.0, 0.001, 37, 8009);
	CHECK_INT(rank_test_ratio(one, 1, many, 8000, 0.95, &i), 0);
	/* 1 - 2 * 200 / 8001; one more would be 0.94976 */
	CHECK_INT(i.rank, 200);
	CHECK_NEAR(i.level, 1.0 - 400.0 / 8001.0, 1e-12);
}

/* min(L_m(ceil(c/n)), L_n(ceil(c/m))) by hand. */
static void
test_limit_level(void)
{
	static const struct {
		size_t m, n;
		double level;
	} cases[] = { { 3, 3, .75 }, { 4, 4, .875 }, { 5, 5, .9375 },
		{ 7, 7, .875 }, { 10, 10, .890625 }, { 25, 25, .8922 },
		{ 3, 10, .75 }, { 2, 25, .5 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		const size_t m = cases[i].m, n = cases[i].n;
		const size_t c = rank_test_ratio_rank(m, n, 0.95).rank;

		CHECK_NEAR(
		    rank_test_limit_level(m, n, c), cases[i].level, 5e-5);
		CHECK_NEAR(
		    rank_test_limit_level(n, m, c), cases[i].level, 5e-5);
	}
	CHECK(isnan(rank_test_limit_level(1, 9, 1)));
}

/* The intervals for equivalence: the largest c with a one-sided P(U <= c - 1)
 * of at most 0.05, and the two-sided level 1 - 2 P. R 4.2.2: qwilcox(.05, n, n)
 * and 1 - 2 * pwilcox(c - 1, n, n). */
static void
test_equivalence_ranks(void)
{
	static const struct {
		size_t n, c;
		double level;
	} cases[] = { { 3, 1, .9 }, { 4, 2, .9429 }, { 5, 5, .9048 },
		{ 6, 8, .9069 }, { 10, 28, .9108 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		const size_t n = cases[i].n;

		const struct interval out = rank_test_ratio_rank(n, n, 0.9);

		CHECK_INT(out.rank, cases[i].c);
		CHECK_NEAR(out.level, cases[i].level, 5e-5);
	}
}

/* Limits of the exact computation: 71 and 71 are exact without ties (R's exact
 * level of c = 2041: 0.950025), 300 and 300 are not. */
static void
test_border(void)
{
	double a[71], b[71];
	struct interval found;

	fill(a, 71, 5.0, 1.0, 1, 71);
	fill(b, 71, 3.0, 1.0, 1, 71);
	CHECK_INT(rank_test_ratio(a, 71, b, 71, 0.95, &found), 0);
	CHECK_NEAR(found.level, 0.950024995162014, 1e-12);
	CHECK_NEAR(rank_test_u_at_most(290, 290, 38000),
	    rank_test_u_at_most(293, 293, 38793), 0.002);
	CHECK_INT(rank_test_ratio(a, 70, b, 70, 1.0 - 1e-9, &found), 0);
	CHECK(found.level >= 1.0 - 1e-9 && found.rank > 1);
}

static void
test_errors(void)
{
	static const double good[] = { 1.0, 2.0 }, zero[] = { 1.0, 0.0 };
	static const double nan[] = { 1.0, NAN }, inf[] = { INFINITY, 1.0 };
	static const double big[] = { 1e300 }, small[] = { 1e-300 };
	const struct interval before = { 1.0, 2.0, 3.0, 4, 5.0 };
	struct interval out = before;
	double p = -1.0;

	CHECK_INT(rank_test_median(good, 0, 0.95, &out), -1);
	CHECK_INT(rank_test_median(nan, 2, 0.95, &out), -1);
	CHECK_INT(rank_test_median(good, 2, 1.0, &out), -1);
	CHECK_INT(rank_test_median(good, 2, 0.0, &out), -1);
	CHECK_INT(rank_test_median(good, 2, NAN, &out), -1);
	CHECK_INT(rank_test_ratio(good, 2, zero, 2, 0.95, &out), -1);
	CHECK_INT(rank_test_ratio(inf, 2, good, 2, 0.95, &out), -1);
	CHECK_INT(rank_test_ratio(good, 2, good, 0, 0.95, &out), -1);
	CHECK_INT(rank_test_ratio(good, 2, good, 2, 2.0, &out), -1);
	CHECK_INT(rank_test_ratio(big, 1, small, 1, 0.95, &out), -1);
	CHECK_INT(rank_test_ratio(small, 1, big, 1, 0.95, &out), -1);
	CHECK_INT(memcmp(&out, &before, sizeof out), 0);
	CHECK_INT(rank_test_mann_whitney(good, 0, good, 2, &p), -1);
	CHECK_INT(rank_test_mann_whitney(good, 2, nan, 2, &p), -1);
	CHECK_NEAR(p, -1.0, 0.0);
}

/* Levels are 1 - 2^(1 - n) for the median of n, 1 - 2 / C(2 n, n) for the
 * ratio. A level that equals the confidence to the last bit reaches it. */
static void
test_runs_for(void)
{
	static const struct {
		double confidence;
		int of_two;
		long runs;
	} cases[] = { { 0, 0, 2 }, { 0.5, 0, 2 }, { 0.75, 0, 3 },
		{ 0.9375, 0, 5 }, { 0.938, 0, 6 }, { 0.95, 0, 6 },
		{ 0.96875, 0, 6 }, { 0.99, 0, 8 }, { 0.999, 0, 11 },
		{ 0.9, 1, 3 }, { 0.901, 1, 4 }, { 0.95, 1, 4 }, { 0.99, 1, 5 },
		{ 0.999, 1, 7 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_INT(rank_test_runs_for(
			      (1 - cases[i].confidence) / 2, !cases[i].of_two),
		    cases[i].runs);
}

/* R 4.2.2: wilcox.test(log(r), conf.int = TRUE), exp of its limits. */
static void
test_pairs(void)
{
	static const double six[] = { 1.021, 1.034, 1.017, 1.029, 1.041,
		1.012 };
	static const double eight[] = { 0.98, 1.034, 1.017, 1.029, 1.041, 1.012,
		1.05, .97 };
	struct pairs s;

	CHECK_INT(pairs_ratio(six, 6, 0.95, &s), 0);
	CHECK_NEAR(s.ratio, 1.0254647726762729, 1e-14);
	CHECK_NEAR(s.interval.low, 1.012, 1e-14);
	CHECK_NEAR(s.interval.high, 1.041, 1e-14);
	CHECK_NEAR(s.interval.level, 0.96875, 1e-15);
	CHECK_NEAR(s.p, .03125, 1e-15);
	CHECK_INT(pairs_ratio(eight, 8, 0.95, &s), 0);
	CHECK_NEAR(s.ratio, 1.0187308271929199, 1e-14);
	CHECK_NEAR(s.interval.low, 0.99077747249319303, 1e-14);
	CHECK_NEAR(s.interval.high, 1.0409999999999999, 1e-14);
	CHECK_NEAR(s.p, 0.19531250000000006, 1e-15);
	/* Five pairs cannot reach 95 %. */
	CHECK_INT(pairs_ratio(six, 5, 0.95, &s), 0);
	CHECK_NEAR(s.interval.level, 0.9375, 1e-15);
	/* Two pairs have only the middle rank: 1 - 2/4. */
	CHECK_INT(pairs_ratio(six, 2, 0.95, &s), 0);
	CHECK_NEAR(s.interval.level, 0.5, 1e-15);
	CHECK_NEAR(s.interval.low, 1.021, 1e-14);
	CHECK_NEAR(s.interval.high, 1.034, 1e-14);
	CHECK_INT(pairs_ratio(six, 1, 0.95, &s), 0);
	CHECK(isnan(s.interval.level));
	CHECK_NEAR(s.p, 1.0, 1e-15);
}

/* A level that is just reached counts. With six pairs rank 2 has 1 - 4 / 2^6:
 * from the second smallest to the second largest mean of two logarithms. */
static void
test_pairs_level(void)
{
	static const double six[] = { 1.021, 1.034, 1.017, 1.029, 1.041,
		1.012 };
	struct pairs s;

	CHECK_INT(pairs_ratio(six, 6, 0.9375, &s), 0);
	CHECK_INT(s.interval.rank, 2);
	CHECK_NEAR(s.interval.level, 0.9375, 1e-15);
	CHECK_NEAR(s.interval.low, sqrt(1.012 * 1.017), 1e-14);
	CHECK_NEAR(s.interval.high, sqrt(1.034 * 1.041), 1e-14);
}

/* 100 pairs in which every third rank is positive: the sum is 1683, its mean
 * 2525, its variance n (n + 1) (2 n + 1) / 24. */
static void
test_many_pairs(void)
{
	static double equal[SIGNED_RANK_MAX_PAIRS + 1];
	const double spread = sqrt(2 * 100.0 * 101 * 201 / 24);
	double r[100], p;
	struct pairs s;

	for (int i = 0; i < 100; i++)
		r[i] = exp((i % 3 == 2 ? 0.001 : -0.001) * (i + 1));
	CHECK_INT(pairs_ratio(r, 100, 0.95, &s), 0);
	CHECK_NEAR(s.p, erfc((2525 - 1683.5) / spread), 1e-12);
	CHECK_INT(pairs_side(r, 100, 1.0, 1, &p), 0);
	CHECK_NEAR(p, erfc((2525 - 1683.5) / spread) / 2, 1e-12);
	CHECK_INT(pairs_side(r, 100, 1.0, 0, &p), 0);
	CHECK_NEAR(p, erfc((2525 - 3367.5) / spread) / 2, 1e-12);
	for (size_t i = 0; i <= SIGNED_RANK_MAX_PAIRS; i++)
		equal[i] = 1;
	CHECK_INT(pairs_side(equal, SIGNED_RANK_MAX_PAIRS, 1.0, 1, &p), 0);
	CHECK_INT(pairs_side(equal, SIGNED_RANK_MAX_PAIRS + 1, 1.0, 1, &p), -1);
}

/* Oracle: all 2^n choices of signs of the ranks, with ties. */
static void
test_pairs_enumerated(void)
{
	static const double logs[] = { 1, -2, 2, 3, 3, -3, 5, 7 };
	static const double ranks[] = { 1, 2.5, 2.5, 5, 5, 5, 7, 8 };
	double r[9], seen = 0, total = 0, p = 0;
	struct pairs s;

	for (int i = 0; i < 8; i++) {
		r[i] = exp(logs[i] / 100);
		seen += logs[i] > 0 ? ranks[i] : 0;
		total += ranks[i];
	}
	for (unsigned mask = 0; mask < 256; mask++) {
		double sum = 0;

		for (int i = 0; i < 8; i++)
			sum += mask >> i & 1 ? ranks[i] : 0;
		p += fabs(sum - total / 2) >= fabs(seen - total / 2);
	}
	r[8] = 1.0; /* no rank */
	CHECK_INT(pairs_ratio(r, 9, 0.95, &s), 0);
	CHECK_NEAR(s.p, p / 256, 1e-15);
}

static void
test_pairs_side(void)
{
	static const double r[] = { .97, .96, .98, .95, .965, .94 };
	static const double equal[] = { 1, 1, 1, 1, 1, 1 };
	double p;

	CHECK_INT(pairs_side(r, 6, 0.99, 1, &p), 0);
	CHECK_NEAR(p, 1.0 / 64, 1e-15);
	CHECK_INT(pairs_side(r, 6, 0.93, 0, &p), 0);
	CHECK_NEAR(p, 1.0 / 64, 1e-15);
	CHECK_INT(pairs_side(equal, 6, 1.0, 1, &p), 0);
	CHECK_NEAR(p, 1.0, 1e-15);
	CHECK_INT(pairs_side(equal, 6, 1.0, 0, &p), 0);
	CHECK_NEAR(p, 1.0, 1e-15);
}

/* At 60 pairs the exact p and the normal one agree to a few thousandths. The p
 * belong to the sums 837 and 855. The levels are 1 - 2 P(sum < rank), from all
 * 2^60 choices of signs, counted in integers, and from a normal sum with the
 * correction of a half. */
static void
test_pairs_seam(void)
{
	double r[61];
	struct pairs exact, normal;

	for (int i = 0; i < 61; i++)
		r[i] = exp((i % 7 - 2.6) / 100 + i * 1e-6);
	CHECK_INT(pairs_ratio(r, 60, 0.95, &exact), 0);
	CHECK_INT(pairs_ratio(r, 61, 0.95, &normal), 0);
	CHECK_INT(exact.interval.rank, 649);
	CHECK_NEAR(exact.interval.level, 0.95071849401563868, 1e-12);
	CHECK_INT(normal.interval.rank, 673);
	CHECK_NEAR(normal.interval.level, 0.95010904905065596, 1e-12);
	CHECK_NEAR(exact.interval.low, normal.interval.low, 0.003);
	CHECK_NEAR(exact.p, 0.5709070155082846, 1e-12);
	CHECK_NEAR(normal.p, 0.5179880910885917, 1e-12);
}

static void
test_pairs_errors(void)
{
	const double bad[] = { 1.0, 0.0 };
	struct pairs s;
	double p;

	CHECK_INT(pairs_ratio(bad, 2, 0.95, &s), -1);
	CHECK_INT(pairs_ratio(bad, 0, 0.95, &s), -1);
	CHECK_INT(pairs_ratio(bad, 1, 1.0, &s), -1);
	CHECK_INT(pairs_side(bad, 1, 0.0, 1, &p), -1);
	CHECK_INT(pairs_side(bad, 2, 1.0, 1, &p), -1);
}

static const struct tap_test tests[] = {
	TEST(test_median_enumerated),
	TEST(test_median_levels),
	TEST(test_single_runs),
	TEST(test_ratio_enumerated),
	TEST(test_ratio_covers),
	TEST(test_ratio_r),
	TEST(test_ratio_levels),
	TEST(test_p_enumerated),
	TEST(test_p_known),
	TEST(test_p_normal),
	TEST(test_verdict_oracles),
	TEST(test_ratio_median),
	TEST(test_ratio_last_rank),
	TEST(test_sides),
	TEST(test_few_against_many),
	TEST(test_limit_level),
	TEST(test_equivalence_ranks),
	TEST(test_border),
	TEST(test_runs_for),
	TEST(test_errors),
	TEST(test_pairs),
	TEST(test_pairs_level),
	TEST(test_many_pairs),
	TEST(test_pairs_enumerated),
	TEST(test_pairs_side),
	TEST(test_pairs_seam),
	TEST(test_pairs_errors),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
