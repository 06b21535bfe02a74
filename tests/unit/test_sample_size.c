#include <config.h>

#include "common/stats/stats.h"
#include "common/stats/rank_test.h"
#include "tests/tap.h"

static const double first[] = { 100.0, 101.0, 99.0, 100.5, 98.0 };
static const double second[] = { 50.0, 50.7, 49.1 };

/* R 4.2.2: sqrt((4 var(log(first)) + 2 var(log(second))) / 6).  A case of one
 * run and an empty one add nothing. */
static void
test_pooled(void)
{
	static const double one[] = { 7.0 }, bad[] = { 1.0, 0.0, 2.0 };
	static const double nan[] = { NAN, 1.0 };

	CHECK_NEAR(sqrt((log_squares(first, 5) + log_squares(second, 3)) / 6),
	    0.013560363635665139, 1e-16);
	CHECK_NEAR(log_squares(one, 1), 0, 0);
	CHECK_NEAR(log_squares(one, 0), 0, 0);
	CHECK(isnan(log_squares(bad, 3)));
	CHECK(isnan(log_squares(nan, 2)));
}

/* Up to 30 runs: simulated factors; above: R 4.2.2, n up while (qnorm(1 - (1 -
 * conf) / 2) + qnorm(0.8)) * s * sqrt(2 / n * pi / 3) > log(1 + x). At 0.99, 4
 * and 4 runs prove nothing (1 - 2 / C(8,4) = 0.971), 5 and 5 do (0.992). */
static void
test_runs_needed(void)
{
	static const struct {
		double s, change, confidence;
		long n;
	} cases[] = {
		{ 0.02, 0.03, 0.95, 10 }, /* 9 runs show 1.5065 s: 3.06 % */
		{ 0.01, 0.03, 0.95, 4 },
		{ 0.02, 0.01, 0.95, 67 },
		{ 0.05, 0.05, 0.95, 19 },
		{ 0.003, 0.01, 0.95, 4 },
		{ 0.02, 0.03, 0.99, 14 },
		{ 0.0, 0.01, 0.95, 4 },
		{ 0.0, 0.01, 0.99, 5 },
		{ 0.0, 0.01, 0.5, 4 },
	};
	long n;

	for (int i = 0; i < N_TESTS(cases); i++) {
		CHECK_INT(runs_needed(cases[i].s, cases[i].change,
			      cases[i].confidence, &n),
		    0);
		CHECK_INT(n, cases[i].n);
	}
}

/* The 80 % quantile of the interval's lower end under normal noise, simulated
 * elsewhere with 400,000 trials: ln(1 + change) / s at 0.95. */
static void
test_small_samples(void)
{
	static const struct {
		long n;
		double shown;
	} cases[] = { { 4, 2.88 }, { 5, 2.31 }, { 6, 1.93 }, { 7, 1.77 },
		{ 8, 1.55 }, { 9, 1.51 }, { 10, 1.40 }, { 11, 1.30 },
		{ 12, 1.25 }, { 15, 1.105 }, { 20, .936 }, { 25, .831 },
		{ 30, .755 } };
	double last = INFINITY;

	for (int i = 0; i < N_TESTS(cases); i++)
		CHECK_NEAR(
		    log1p(detectable_change(0.01, cases[i].n, 0.95)) / 0.01,
		    cases[i].shown, 0.006);
	/* Between and above these rows, too, more runs show a smaller change.
	 * (From 8 to 9 runs the level rises, so the step is small.) */
	for (long n = 4; n < 60; n++) {
		const double shown = detectable_change(0.02, n, 0.95);

		CHECK(shown < last);
		last = shown;
	}
}

/* For simulated numbers of runs and confidences nothing is interpolated. These
 * rows, with the table's first and last, are from 200,000 trials. */
static void
test_simulated_rows(void)
{
	static const struct {
		long n;
		double confidence, shown;
	} cases[] = { { 4, 0.90, 2.3918 }, { 4, 0.95, 2.8799 },
		{ 5, 0.99, 3.1121 }, { 25, 0.95, 0.8307 }, { 30, 0.90, 0.6673 },
		{ 30, 0.95, 0.7561 }, { 30, 0.99, 0.9336 } };

	for (int i = 0; i < N_TESTS(cases); i++)
		CHECK_NEAR(log1p(detectable_change(
			       0.01, cases[i].n, cases[i].confidence)) /
			0.01,
		    cases[i].shown, 1e-9);
}

/* The normal formula for six runs at the level that they achieve. */
static double
formula_of_six(double confidence)
{
	const double level = rank_test_ratio_rank(6, 6, confidence).level;

	return (normal_quantile(0.5 + level / 2) + normal_quantile(0.8)) *
	    sqrt(2.0 / 6 * acos(-1.0) / 3);
}

/* Between simulated confidences the ratio to the formula is interpolated over
 * the normal quantile; beyond them it is constant. */
static void
test_between_confidences(void)
{
	static const double known[] = { 0.90, 0.95, 0.99 };
	static const double shown[] = { 1.6239, 1.9251, 2.5505 };
	static const struct {
		double confidence;
		int from, to;
	} cases[] = { { 0.8, 0, 0 }, { 0.925, 0, 1 }, { 0.97, 1, 2 },
		{ 0.995, 2, 2 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		const double c = cases[i].confidence;
		const int k = cases[i].from, l = cases[i].to;
		const double a = shown[k] / formula_of_six(known[k]);
		const double b = shown[l] / formula_of_six(known[l]);
		const double low = normal_quantile(0.5 + known[k] / 2);
		const double high = normal_quantile(0.5 + known[l] / 2);
		const double share = k == l
		    ? 0
		    : (normal_quantile(0.5 + c / 2) - low) / (high - low);

		CHECK_NEAR(log1p(detectable_change(0.01, 6, c)) / 0.01,
		    formula_of_six(c) * (a + (b - a) * share), 1e-9);
	}
}

/* R 4.2.2: exp(z * s * sqrt(2 / n * pi / 3)) - 1. runs_needed() is the inverse
 * of detectable_change(). */
static void
test_detectable_change(void)
{
	long n;

	CHECK_NEAR(
	    detectable_change(0.02, 100, 0.95), 0.0081418886718280948, 1e-15);
	for (long runs = 4; runs < 200; runs++) {
		double change = detectable_change(0.02, runs, 0.95);

		CHECK_INT(
		    runs_needed(0.02, change * (1.0 + 1e-12), 0.95, &n), 0);
		CHECK_INT(n, runs);
	}
	/* The level of four and four runs is just sufficient. */
	CHECK(isfinite(detectable_change(0.02, 4, 1.0 - 2.0 / 70.0)));
	CHECK(isnan(detectable_change(0.02, 4, 1.0 - 2.0 / 70.0 + 1e-9)));
	CHECK(isnan(detectable_change(0.02, 3, 0.95)));
	CHECK(isnan(detectable_change(0.02, 4, 0.99)));
	CHECK(isfinite(detectable_change(0.02, 5, 0.99)));
	CHECK(isnan(detectable_change(-0.02, 5, 0.95)));
	CHECK(isnan(detectable_change(NAN, 5, 0.95)));
	CHECK(isnan(detectable_change(0.02, 5, 1.0)));
}

/* R 4.2.2: 0.02 * sqrt(8 / qchisq(c(.975, .025), 8)). */
static void
test_stddev_interval(void)
{
	double low, high;

	CHECK_INT(stddev_interval(0.02, 8, 0.95, &low, &high), 0);
	CHECK_NEAR(low, 0.02 * sqrt(8 / 17.534546139484647), 1e-12);
	CHECK_NEAR(high, 0.02 * sqrt(8 / 2.1797307472526501), 1e-12);
	CHECK_INT(stddev_interval(0, 8, 0.95, &low, &high), 0);
	CHECK_NEAR(low, 0, 0);
	CHECK_NEAR(high, 0, 0);
	CHECK_INT(stddev_interval(0.02, 8, 0.0, &low, &high), -1);
	CHECK_INT(stddev_interval(0.02, 8, 1.0, &low, &high), -1);
	CHECK_INT(stddev_interval(NAN, 8, 0.95, &low, &high), -1);
	CHECK_INT(stddev_interval(0.02, 0, 0.95, &low, &high), -1);
}

static void
test_errors(void)
{
	long n = -7;

	CHECK_INT(runs_needed(0.02, 0.03, 1.5, &n), -1);
	CHECK_INT(runs_needed(-1.0, 0.03, 0.95, &n), -1);
	CHECK_INT(runs_needed(NAN, 0.03, 0.95, &n), -1);
	CHECK_INT(runs_needed(0.02, 0.0, 0.95, &n), -1);
	CHECK_INT(runs_needed(0.02, NAN, 0.95, &n), -1);
	CHECK_INT(runs_needed(0.5, 0.0001, 0.95, &n), -1);
	CHECK_INT(n, -7);
}

static const struct tap_test tests[] = {
	TEST(test_pooled),
	TEST(test_runs_needed),
	TEST(test_small_samples),
	TEST(test_simulated_rows),
	TEST(test_between_confidences),
	TEST(test_detectable_change),
	TEST(test_stddev_interval),
	TEST(test_errors),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
