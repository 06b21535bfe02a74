/* Expected values: R 4.2.2 of the samples below; the calls stand next to
 * them. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/stats/statistics.h"
#include "tests/tap.h"

/* DLPerf, MindSpore BERT bz32 1n1g; and speeds of two cases, the second
 * slower. */
static const double x[] = { 112.22, 112.18, 112.12, 112.18, 112.21 };
static const double b[] = { 2451.44, 2458.83, 2450.83, 2458.03, 2457.80 };
static const double a[] = { 2398.1, 2402.6, 2399.9, 2371.2, 2401.0 };
/* Step times with two stalls. */
static const double t[] = { 0.247, 0.2391, 0.2512, 1.903, 0.2388, 0.2405,
	0.2399, 0.4711, 0.2402, 0.2396 };

static const struct {
	const char *name;
	double value;
} expected[] = {
	{ "median", 112.18000000000001 },       /* median(x) */
	{ "median_low", 112.12 },               /* sort(x)[1] */
	{ "median_high", 112.22 },              /* sort(x)[5] */
	{ "median_level", 0.9375 },             /* 1 - 2 * pbinom(0, 5, .5) */
	{ "mean", 1.1218200000000000e+02 },     /* mean(x) */
	{ "harmonic", 1.1218198915790305e+02 }, /* 1 / mean(1 / x) */
	{ "geometric", 112.18199457937951 },    /* exp(mean(log(x))) */
	{ "olympic", 1.1219000000000000e+02 },  /* mean(sort(x)[2:4]) */
	{ "min", 1.1212000000000000e+02 },      /* min(x) */
	{ "max", 1.1222000000000000e+02 },      /* max(x) */
	{ "sd", 3.8987177379232470e-02 },       /* sd(x) */
	{ "cv", 3.4753505356681526e-04 },       /* sd(x) / mean(x) */
	{ "mad", 2.9999999999986926e-02 },      /* mad(x, constant = 1) */
	/* sum(abs(x - median(x)) > 14.826 * mad(x, constant = 1)) */
	{ "outliers", 0 },
	/* w <- wilcox.test(log(a), log(b), exact = TRUE, conf.int = TRUE,
	 * conf.level = .95): exp(w$estimate), exp(w$conf.int), w$p.value */
	{ "ratio", 0.97679849310219979 }, { "ratio_low", 0.96476523720400342 },
	{ "ratio_high", 0.97966811243537888 },
	{ "ratio_level", 0.96825396825396826 }, /* 1 - 2 * pwilcox(2, 5, 5) */
	{ "p", 0.0079365079365079361 },
	/* s <- sqrt(sum((log(a) - mean(log(a)))^2, (log(b) - mean(log(b)))^2)
	 * / 8); the smallest n whose simulated factor (5: 2.3115) is at most
	 * log(1.01) / s = 2.4512; exp(2.3115 * s) - 1 */
	{ "runs_needed", 5 }, { "detectable", 0.00942722957839969 },
	/* 20 times 1, then 40 times 0.5: the first block of the latter begins
	 * at 20 - 9, steps over 9 (test_settled) */
	{ "settled", 20 },
	/* median of (t[j] - t[i]) / (j - i), j > i, * 10 / median(t) */
	{ "drift", -0.0041605991262741102 },
	/* sum(t[t > 2 * median(t)]) / sum(t) */
	{ "stalls", 0.44149034892353373 },
	{ "imbalance", 3.4149034892353383 }, /* max(t) / mean(t) - 1 */
};
enum { N_EXPECTED = sizeof expected / sizeof expected[0], SLOW = 20, ALL = 60 };

static void
make_settling(double *out)
{
	for (int i = 0; i < ALL; i++)
		out[i] = i < SLOW ? 1 : 0.5;
}

/* The row's value of the sample that it is of, with so many values. */
static double
value_of(const struct statistic *s, size_t n)
{
	double settling[ALL];

	make_settling(settling);
	switch (s->sample) {
	case STATISTIC_OF_TWO:
		return n < s->smallest_n ? NAN : s->of_two(a, n, b, n);
	case STATISTIC_OF_RUNS:
		return statistic_of(s, x, n);
	default:
		return strcmp(s->name, "settled") == 0
		    ? statistic_of(s, settling, n)
		    : statistic_of(s, t, n);
	}
}

static size_t
values_of(const struct statistic *s)
{
	if (strcmp(s->name, "settled") == 0)
		return ALL;
	return s->sample == STATISTIC_OF_RUNS || s->sample == STATISTIC_OF_TWO
	    ? 5
	    : 10;
}

static void
test_values(void)
{
	size_t n = 0;

	for (size_t i = 0; i < N_EXPECTED; i++) {
		const struct statistic *s =
		    statistic_find(expected[i].name, strlen(expected[i].name));

		printf("# %s\n", expected[i].name);
		CHECK(s != NULL);
		CHECK_NEAR(value_of(s, values_of(s)), expected[i].value,
		    1e-9 * fabs(expected[i].value));
	}
	while (statistics[n].name != NULL)
		n++;
	CHECK_INT(n, N_EXPECTED); /* no row without a value from R */
}

/* Thresholds: ten median distances are near, more is far; twice the median is
 * no stall. */
static void
test_thresholds(void)
{
	/* Median 12, median distance 1. */
	static const double near[] = { 11, 11, 12, 13, 13, 26.82, -2.82 };
	static const double far[] = { 11, 11, 12, 13, 13, 26.83, -2.82 };
	static const double even[] = { 1, 1, 1, 2, 2.000001 };
	static const double weights[] = { 1, 1, 1, 1, 10 };

	CHECK_NEAR(stats_outliers(near, 7), 0, 0);
	CHECK_NEAR(stats_outliers(far, 7), 1, 0);
	CHECK_NEAR(stats_stall_share(even, NULL, 4), 0, 0);
	CHECK_NEAR(
	    stats_stall_share(even, NULL, 5), 2.000001 / 7.000001, 1e-15);
	CHECK_NEAR(
	    stats_stall_share(even, weights, 5), 20.00001 / 25.00001, 1e-15);
}

/* A slow start is found whole, and a late one is never settled. */
static void
test_settled(void)
{
	const struct statistic *s = statistic_find("settled", 7);
	double y[ALL];

	make_settling(y);
	CHECK_NEAR(statistic_of(s, y, ALL), SLOW, 0);
	for (int i = 0; i < ALL; i++)
		y[i] = 0.5;
	CHECK_NEAR(statistic_of(s, y, ALL), 0, 0);
	for (int i = ALL - 11; i < ALL; i++)
		y[i] = 1; /* more than half of the last block */
	CHECK(isnan(statistic_of(s, y, ALL)));
	y[ALL - 11] = 0.5;
	y[ALL - 10] = 0.5;
	CHECK_NEAR(statistic_of(s, y, ALL), 0, 0);
}

/* One value fewer than the smallest n has no statistic, so many have one. */
static void
test_smallest_n(void)
{
	for (const struct statistic *s = statistics; s->name != NULL; s++) {
		printf("# %s\n", s->name);
		CHECK(isnan(value_of(s, s->smallest_n - 1)));
		CHECK(isfinite(value_of(s, s->smallest_n)));
		CHECK(s->sentence[0] != '\0' && s->source[0] != '\0');
	}
	CHECK(statistic_find("mea", 3) == NULL);
	CHECK(statistic_find("means", 5) == NULL);
}

/* What is in the unit of the values doubles with them, the rest stays. */
static void
test_units(void)
{
	double y[ALL], z[ALL];

	for (const struct statistic *s = statistics; s->name != NULL; s++) {
		const size_t n = values_of(s);
		double one, two;

		if (s->sample == STATISTIC_OF_TWO)
			continue;
		make_settling(y);
		if (strcmp(s->name, "settled") != 0)
			memcpy(y, s->sample == STATISTIC_OF_RUNS ? x : t,
			    n * sizeof *y);
		for (size_t i = 0; i < n; i++)
			z[i] = 2 * y[i];
		one = statistic_of(s, y, n);
		two = statistic_of(s, z, n);
		printf("# %s\n", s->name);
		CHECK(s->has_unit == 0 || s->has_unit == 1);
		CHECK_NEAR(two, ldexp(one, s->has_unit), 1e-12 * fabs(two));
	}
}

static const struct tap_test tests[] = {
	TEST(test_values),
	TEST(test_thresholds),
	TEST(test_settled),
	TEST(test_smallest_n),
	TEST(test_units),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
