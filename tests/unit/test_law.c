#include <config.h>

#include "report/tables/report.h"

#include "tests/tap.h"

static const double n[] = { 1, 2, 4, 8, 16, 32 };
static const double x[] = { 100.3, 197.1, 382.6, 729.4, 1301.8, 2088.5 };

/* Expected: R 4.2.2, nls(log(x) ~ ll + log(n / (1 + s * (n - 1)))), its vcov
 * and AIC; SciPy's curve_fit gives the same. Amdahl with tol = 1e-13. */
static void
test_amdahl(void)
{
	struct scaling_fit f;

	CHECK_INT(scaling_fit(SCALING_AMDAHL, n, x, 6, &f), 0);
	CHECK_NEAR(f.of[0].x, 100.840730585, 1e-6);
	CHECK_NEAR(f.of[1].x, .0170517993817, 1e-9);
	CHECK_NEAR(f.of[1].error, .000645, 1e-6);
	CHECK_NEAR(f.aic, -33.261, 1e-3);
	/* exp(ll) * its s.e.; s.e. * qt(0.975, df.residual). */
	CHECK_NEAR(f.of[0].error, .6517527234, 1e-6);
	CHECK_NEAR(f.of[1].half, .001791229271, 1e-8);
	CHECK(isnan(f.of[2].half));
	CHECK(isinf(f.peak) && isnan(f.of[2].error));
	/* 1 / (1 + s (n - 1)) = 0.8 */
	CHECK_NEAR(f.reach, 1 + .25 / f.of[1].x, 1e-9);
}

static void
test_usl(void)
{
	struct scaling_fit f;

	CHECK_INT(scaling_fit(SCALING_USL, n, x, 6, &f), 0);
	CHECK_NEAR(f.of[0].x, 100.0143285, 1e-6);
	CHECK_NEAR(f.of[1].x, .0133336572, 1e-9);
	CHECK_NEAR(f.of[1].error, .00059915, 1e-8);
	CHECK_NEAR(f.of[2].x, .0001199779, 1e-9);
	CHECK_NEAR(f.of[2].error, .0000184, 1e-7);
	CHECK_NEAR(f.of[0].error, .2309749069, 1e-6);
	CHECK_NEAR(f.of[2].half, 5.857107946e-05, 1e-10);
	CHECK_NEAR(f.aic, -47.464, 1e-3);
	CHECK_NEAR(f.peak, 90.7, .05);
	CHECK_NEAR(f.of[0].x * 64 / (1 + f.of[1].x * 63 + f.of[2].x * 64 * 63),
	    2754.54, .01);
}

/* Exact points reproduce their law; superlinear ones give coefficients of 0. */
static void
test_exact(void)
{
	double y[6];
	struct scaling_fit f;

	for (int i = 0; i < 6; i++)
		y[i] = 50 * (n[i] - 0.07 * (n[i] - 1));
	CHECK_INT(scaling_fit(SCALING_GUSTAFSON, n, y, 6, &f), 0);
	CHECK_NEAR(f.of[0].x, 50, 1e-6);
	CHECK_NEAR(f.of[1].x, 0.07, 1e-8);
	CHECK(isinf(f.reach)); /* the efficiency falls towards 0.93 */
	for (int i = 0; i < 6; i++)
		y[i] = 50 * pow(n[i], 1.02); /* superlinear */
	for (int law = 0; law < N_SCALING_FITS; law++) {
		CHECK_INT(
		    scaling_fit((enum scaling_fit_law)law, n, y, 6, &f), 0);
		CHECK_NEAR(f.of[1].x, 0, 0);
		CHECK_NEAR(f.of[2].x, 0, 0);
		CHECK(isnan(f.of[1].error));
		CHECK(isinf(f.reach));
	}
}

static void
test_refusals(void)
{
	const double same[] = { 1, 2, 4, 4, 4 }, bad[] = { 1, 2, 0, 4, 5 };
	struct scaling_fit f;

	CHECK_INT(scaling_fit(SCALING_AMDAHL, n, x, 3, &f), -1);
	CHECK_INT(f.sizes, 3);
	CHECK_INT(scaling_fit(SCALING_USL, n, x, 4, &f), -1);
	CHECK_INT(f.sizes, 4);
	CHECK_INT(scaling_fit(SCALING_AMDAHL, same, x, 5, &f), -1);
	CHECK_INT(f.sizes, 3);
	CHECK_INT(scaling_fit(SCALING_AMDAHL, bad, x, 5, &f), -1);
	CHECK_INT(f.sizes, 5);
}

/* The efficiency of Gustafson's law falls to 0.8 at s / (0.8 - (1 - s))
 * devices. With coherence alone, it is 1 / (1 + k n (n - 1)). */
static void
test_reach(void)
{
	struct scaling_fit f;
	double y[6];

	/* The serial part exceeds 1: no size is the fastest. */
	for (int i = 0; i < 6; i++)
		y[i] = 50 * n[i] /
		    (1 + 1.5 * (n[i] - 1) + 0.001 * n[i] * (n[i] - 1));
	CHECK_INT(scaling_fit(SCALING_USL, n, y, 6, &f), 0);
	CHECK_NEAR(f.of[1].x, 1.5, 1e-6);
	CHECK_NEAR(f.of[2].x, 0.001, 1e-7);
	CHECK(isinf(f.peak));
	for (int i = 0; i < 6; i++)
		y[i] = n[i] - 0.25 * (n[i] - 1);
	CHECK_INT(scaling_fit(SCALING_GUSTAFSON, n, y, 6, &f), 0);
	CHECK_NEAR(f.reach, 5, 1e-6);
	for (int i = 0; i < 6; i++)
		y[i] = n[i] / (1 + 1e-4 * n[i] * (n[i] - 1));
	CHECK_INT(scaling_fit(SCALING_USL, n, y, 6, &f), 0);
	CHECK_NEAR(f.of[2].x, 1e-4, 1e-9);
	CHECK_NEAR(f.reach, (1 + sqrt(1 + 1e4)) / 2, 1e-4);
}

static const struct tap_test tests[] = {
	TEST(test_amdahl),
	TEST(test_usl),
	TEST(test_exact),
	TEST(test_refusals),
	TEST(test_reach),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
