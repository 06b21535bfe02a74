#include <config.h>

#include "common/stats/rank_test.h"

#include <math.h>

#include "tests/tap.h"

/* R 4.2.2: b <- log(c(2451.44, 2458.83, 2450.83)), a <- log(c(2398.1, 2402.6,
 * 2399.9)), d <- log(c(10, 10.2, 10.1)), e <- log(c(11, 11.1, 11.3));
 * v <- pi / 3 * sapply(list(b, a, d, e), var) / 3; r <- c(.977, 1.1);
 * exp(mean(log(r)) + c(-1, 1) * qt(.975, sum(v)^2 / sum(v^2 / 2)) *
 * sqrt(sum(v)) / 2) */
static void
test_two_cases(void)
{
	static double b[] = { 2451.44, 2458.83, 2450.83 };
	static double a[] = { 2398.1, 2402.6, 2399.9 };
	static double d[] = { 10, 10.2, 10.1 };
	static double c[] = { 11, 11.1, 11.3 };
	static const struct rounded_runs first[] = { { b, b, b, 3 },
		{ a, a, a, 3 } };
	static const struct rounded_runs second[] = { { d, d, d, 3 },
		{ c, c, c, 3 } };
	struct ratio_mean m = RATIO_MEAN_INIT;
	double low, high;

	CHECK(isnan(ratio_mean_interval(&m, 0.95, &low, &high)));
	CHECK(isnan(low) && isnan(high));
	ratio_mean_add(&m, 0.977, &first[0], &first[1]);
	ratio_mean_add(&m, NAN, &first[0], &first[1]);
	ratio_mean_add(&m, 1.1, &second[0], &second[1]);
	CHECK_NEAR(ratio_mean_interval(&m, 0.95, &low, &high),
	    1.0366773847248718, 1e-12);
	CHECK_NEAR(low, 1.0219216110035467, 1e-9);
	CHECK_NEAR(high, 1.0516462206378274, 1e-9);
}

/* A case with a single run has no known spread. */
static void
test_one_run(void)
{
	static double a[] = { 10 }, b[] = { 11, 12 };
	static const struct rounded_runs x = { a, a, a, 1 }, y = { b, b, b, 2 };
	struct ratio_mean m = RATIO_MEAN_INIT;
	double low, high;

	ratio_mean_add(&m, 1.1, &x, &y);
	CHECK_NEAR(ratio_mean_interval(&m, 0.95, &low, &high), 1.1, 1e-15);
	CHECK(isnan(low) && isnan(high));
}

/* R 4.2.2: p.adjust(p, "holm") and p.adjust(p, "BH"), in unsorted order. */
static void
test_adjust(void)
{
	static const double p[] = { 1, .0079365, .0158730, .0079365, .0317460,
		NAN, .0952381, .1507937, .2222222, .5476190, .6904762 };
	static const double holm[] = { 1, .079365, .126984, .079365, .222222,
		NAN, .5714286, .7539685, .8888888, 1, 1 };
	static const double bh[] = { 1, .0396825, .05291, .0396825, .079365,
		NAN, .1904762, .25132283333, .31746028571, .68452375,
		.76719577778 };
	double out[N_TESTS(p)];

	p_adjust(p, N_TESTS(p), 1, out);
	for (int i = 0; i < N_TESTS(p); i++) {
		CHECK_INT(isnan(out[i]), isnan(holm[i]));
		if (!isnan(holm[i]))
			CHECK_NEAR(out[i], holm[i], 1e-10);
	}
	p_adjust(p, N_TESTS(p), 0, out);
	for (int i = 0; i < N_TESTS(p); i++) {
		CHECK_INT(isnan(out[i]), isnan(bh[i]));
		if (!isnan(bh[i]))
			CHECK_NEAR(out[i], bh[i], 1e-10);
	}
	p_adjust(p, 0, 1, out);
	p_adjust(p + 1, 1, 0, out);
	CHECK_NEAR(out[0], p[1], 0.0);
}

static const struct tap_test tests[] = {
	TEST(test_two_cases),
	TEST(test_one_run),
	TEST(test_adjust),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
