#include <config.h>

#include "common/stats/scaling_fit.h"

#include "tests/tap.h"

static const double n[] = { 1, 2, 4, 8, 16, 32 };
static const double x[] = { 100.3, 197.1, 382.6, 729.4, 1301.8, 2088.5 };

/* R 4.2.2: nls(log(x) ~ ll + log(n / (1 + s * (n - 1)))), its vcov and AIC; the
 * same of SciPy's curve_fit.  Amdahl with tol = 1e-13. */
static void
test_amdahl(void)
{
	struct scaling_fit f;

	CHECK_INT(scaling_fit(SCALING_AMDAHL, n, x, 6, &f), 0);
	CHECK_NEAR(f.speed_of_one, 100.840730585, 1e-6);
	CHECK_NEAR(f.serial, .0170517993817, 1e-9);
	CHECK_NEAR(f.serial_error, .000645, 1e-6);
	CHECK_NEAR(f.aic, -33.261, 1e-3);
	/* exp(ll) * its s.e.; s.e. * qt(0.975, df.residual). */
	CHECK_NEAR(f.speed_of_one_error, .6517527234, 1e-6);
	CHECK_INT(f.freedom, 4);
	CHECK_NEAR(scaling_fit_half_width(&f, f.serial_error, .95),
	    .001791229271, 1e-8);
	CHECK(isnan(scaling_fit_half_width(&f, f.coherence_error, .95)));
	CHECK(isinf(f.peak) && isnan(f.coherence_error));
	/* 1 / (1 + s (n - 1)) = 0.8 */
	CHECK_NEAR(scaling_fit_reach(&f, .8), 1 + .25 / f.serial, 1e-9);
}

static void
test_usl(void)
{
	struct scaling_fit f;

	CHECK_INT(scaling_fit(SCALING_USL, n, x, 6, &f), 0);
	CHECK_NEAR(f.speed_of_one, 100.0143285, 1e-6);
	CHECK_NEAR(f.serial, .0133336572, 1e-9);
	CHECK_NEAR(f.serial_error, .00059915, 1e-8);
	CHECK_NEAR(f.coherence, .0001199779, 1e-9);
	CHECK_NEAR(f.coherence_error, .0000184, 1e-7);
	CHECK_NEAR(f.speed_of_one_error, .2309749069, 1e-6);
	CHECK_INT(f.freedom, 3);
	CHECK_NEAR(scaling_fit_half_width(&f, f.coherence_error, .95),
	    5.857107946e-05, 1e-10);
	CHECK_NEAR(f.aic, -47.464, 1e-3);
	CHECK_NEAR(f.peak, 90.7, .05);
	CHECK_NEAR(
	    f.speed_of_one * 64 / (1 + f.serial * 63 + f.coherence * 64 * 63),
	    2754.54, .01);
}

/* Exact points give their law back, and no loss is no negative one. */
static void
test_exact(void)
{
	double y[6];
	struct scaling_fit f;

	for (int i = 0; i < 6; i++)
		y[i] = 50 * (n[i] - 0.07 * (n[i] - 1));
	CHECK_INT(scaling_fit(SCALING_GUSTAFSON, n, y, 6, &f), 0);
	CHECK_NEAR(f.speed_of_one, 50, 1e-6);
	CHECK_NEAR(f.serial, 0.07, 1e-8);
	CHECK(isinf(scaling_fit_reach(&f, 0.9)));
	for (int i = 0; i < 6; i++)
		y[i] = 50 * pow(n[i], 1.02); /* more than linear */
	for (int law = 0; law < N_SCALING_FITS; law++) {
		CHECK_INT(
		    scaling_fit((enum scaling_fit_law)law, n, y, 6, &f), 0);
		CHECK_NEAR(f.serial, 0, 0);
		CHECK_NEAR(f.coherence, 0, 0);
		CHECK(isnan(f.serial_error));
		CHECK(isinf(scaling_fit_reach(&f, 0.5)));
	}
}

static void
test_refusals(void)
{
	const double same[] = { 1, 2, 4, 4, 4 }, bad[] = { 1, 2, 0, 4, 5 };
	struct scaling_fit f;

	CHECK_INT(scaling_laws[SCALING_AMDAHL].min_sizes, 4);
	CHECK_INT(scaling_laws[SCALING_USL].min_sizes, 5);
	CHECK_INT(scaling_fit(SCALING_AMDAHL, n, x, 3, &f), -1);
	CHECK_INT(f.sizes, 3);
	CHECK_INT(scaling_fit(SCALING_USL, n, x, 4, &f), -1);
	CHECK_INT(f.sizes, 4);
	CHECK_INT(scaling_fit(SCALING_AMDAHL, same, x, 5, &f), -1);
	CHECK_INT(f.sizes, 3);
	CHECK_INT(scaling_fit(SCALING_AMDAHL, bad, x, 5, &f), -1);
	CHECK_INT(f.sizes, 5);
}

/* What never falls below a share reaches any size: Gustafson's efficiency falls
 * towards 1 - s.  That of coherence alone is 1 / (1 + k n (n - 1)). */
static void
test_reach(void)
{
	const struct scaling_fit gustafson = {
		.law = SCALING_GUSTAFSON, .speed_of_one = 1, .serial = 0.25
	};
	const struct scaling_fit usl = {
		.law = SCALING_USL, .speed_of_one = 1, .coherence = 1e-4
	};

	struct scaling_fit f;
	double y[6];

	/* More than all is serial: no size is the fastest. */
	for (int i = 0; i < 6; i++)
		y[i] = 50 * n[i] /
		    (1 + 1.5 * (n[i] - 1) + 0.001 * n[i] * (n[i] - 1));
	CHECK_INT(scaling_fit(SCALING_USL, n, y, 6, &f), 0);
	CHECK_NEAR(f.serial, 1.5, 1e-6);
	CHECK_NEAR(f.coherence, 0.001, 1e-7);
	CHECK(isinf(f.peak));
	CHECK(isinf(scaling_fit_reach(&gustafson, 0.75)));
	CHECK_NEAR(scaling_fit_reach(&gustafson, 0.875), 2, 1e-12);
	CHECK_NEAR(scaling_fit_reach(&usl, 0.5), (1 + sqrt(1 + 4e4)) / 2, 1e-9);
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
