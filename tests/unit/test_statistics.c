/* Expected values are from R 4.2.2 for the samples below, with the calls next
 * to them. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/stats/stats.h"
#include "tests/tap.h"

/* DLPerf, MindSpore BERT bz32 1n1g. */
static const double x[] = { 112.22, 112.18, 112.12, 112.18, 112.21 };

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
};
enum { N_EXPECTED = sizeof expected / sizeof expected[0] };

static void
test_values(void)
{
	size_t n = 0;

	for (size_t i = 0; i < N_EXPECTED; i++) {
		const struct statistic *s = statistic_find(expected[i].name);

		printf("# %s\n", expected[i].name);
		CHECK(s != NULL);
		CHECK_NEAR(statistic_of(s, x, 5), expected[i].value,
		    1e-9 * fabs(expected[i].value));
	}
	while (statistics[n].name != NULL)
		n++;
	CHECK_INT(n, N_EXPECTED); /* no row without a value from R */
}

/* Values within 14.826 (10 * 1.4826) median distances are no outliers. */
static void
test_thresholds(void)
{
	/* Median 12, median distance 1. */
	static const double near[] = { 11, 11, 12, 13, 13, 26.82, -2.82 };
	static const double far[] = { 11, 11, 12, 13, 13, 26.83, -2.82 };

	CHECK_NEAR(stats_outliers(near, 7), 0, 0);
	CHECK_NEAR(stats_outliers(far, 7), 1, 0);
}

/* Statistics are NAN below their smallest n, and finite at it. */
static void
test_smallest_n(void)
{
	for (const struct statistic *s = statistics; s->name != NULL; s++) {
		printf("# %s\n", s->name);
		CHECK(isnan(statistic_of(s, x, s->smallest_n - 1)));
		CHECK(isfinite(statistic_of(s, x, s->smallest_n)));
		CHECK(s->sentence[0] != '\0' && s->source[0] != '\0');
	}
	CHECK(statistic_find("mea") == NULL);
	CHECK(statistic_find("means") == NULL);
}

/* Statistics in the unit of the values double with them; others stay equal. */
static void
test_units(void)
{
	double y[5];

	for (int i = 0; i < 5; i++)
		y[i] = 2 * x[i];
	for (const struct statistic *s = statistics; s->name != NULL; s++) {
		const double one = statistic_of(s, x, 5);
		const double two = statistic_of(s, y, 5);

		printf("# %s\n", s->name);
		CHECK(s->has_unit == 0 || s->has_unit == 1);
		CHECK_NEAR(two, ldexp(one, s->has_unit), 1e-12 * fabs(two));
	}
}

static const struct tap_test tests[] = {
	TEST(test_values),
	TEST(test_thresholds),
	TEST(test_smallest_n),
	TEST(test_units),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
