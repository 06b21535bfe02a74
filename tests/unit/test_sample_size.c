#include <config.h>

#include "common/stats/sample_size.h"

#include "tests/tap.h"

/* R 4.2.2: qnorm(p), printed with 17 digits. */
static void
test_normal_quantile(void)
{
	static const struct {
		double p, x;
	} cases[] = {
		{ 0.975, 1.9599639845400536 },
		{ 0.995, 2.5758293035488999 },
		{ 0.8, 0.84162123357291441 },
		{ 0.9, 1.2815515655446008 },
		{ 0.6, 0.25334710313579978 },
		{ 0.5, 0.0 },
		{ 0.3, -0.52440051270804067 },
		{ 0.02425, -1.9729610513118845 },
		{ 1e-10, -6.3613409024040557 },
		{ 0.999999, 4.7534243088170891 },
		{ 1e-300, -37.047096299361201 },
	};

	for (int i = 0; i < N_TESTS(cases); i++)
		CHECK_NEAR(normal_quantile(cases[i].p), cases[i].x,
		    1e-14 * fmax(1.0, fabs(cases[i].x)));
	CHECK(isinf(normal_quantile(0.0)) && normal_quantile(0.0) < 0.0);
	CHECK(isinf(normal_quantile(1.0)) && normal_quantile(1.0) > 0.0);
	CHECK(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(1.1)));
	CHECK(isnan(normal_quantile(NAN)));
}

/* The quantile undoes P(Z <= x) = erfc(-x / sqrt 2) / 2 of libm. */
static void
test_normal_round_trip(void)
{
	for (int i = 1; i < 2000; i++) {
		const double p = i / 2000.0;
		const double x = normal_quantile(p);

		CHECK_NEAR(erfc(-x / sqrt(2.0)) / 2.0, p, 1e-15);
	}
}

static const double first[] = { 100.0, 101.0, 99.0, 100.5, 98.0 };
static const double second[] = { 50.0, 50.7, 49.1 };

/* R 4.2.2: sqrt((4 var(log(first)) + 2 var(log(second))) / 6).  A case of one
 * run and an empty one add nothing. */
static void
test_pooled(void)
{
	static const double one[] = { 7.0 }, bad[] = { 1.0, 0.0, 2.0 };
	static const double nan[] = { NAN };
	const double *x[] = { first, second, one, one };
	const size_t n[] = { 5, 3, 1, 0 };

	CHECK_NEAR(pooled_log_stddev(x, n, 4), 0.013560363635665139, 1e-16);
	CHECK_NEAR(pooled_log_stddev(x, n, 2), 0.013560363635665139, 1e-16);
	CHECK(isnan(pooled_log_stddev(x + 2, n + 2, 2)));
	CHECK(isnan(pooled_log_stddev(x, n, 0)));
	x[1] = bad;
	CHECK(isnan(pooled_log_stddev(x, n, 4)));
	x[1] = second;
	x[2] = nan;
	CHECK(isnan(pooled_log_stddev(x, n, 4)));
}

/* R 4.2.2: n from 4 up while (qnorm(1 - (1 - conf) / 2) + qnorm(0.8)) * s *
 * sqrt(2 / n * pi / 3) > log(1 + x).  At 0.99, 4 and 4 runs prove nothing
 * (1 - 2 / C(8,4) = 0.971), 5 and 5 do (0.992). */
static void
test_runs_needed(void)
{
	static const struct {
		double s, change, confidence;
		long n;
	} cases[] = {
		{ 0.02, 0.03, 0.95, 8 },
		{ 0.01, 0.03, 0.95, 4 },
		{ 0.02, 0.01, 0.95, 67 },
		{ 0.05, 0.05, 0.95, 18 },
		{ 0.003, 0.01, 0.95, 4 },
		{ 0.02, 0.03, 0.99, 12 },
		{ 0.0, 0.01, 0.95, 4 },
		{ 0.0, 0.01, 0.99, 5 },
		{ 0.0, 0.01, 0.5, 4 },
	};
	long n;

	for (int i = 0; i < N_TESTS(cases); i++) {
		CHECK_INT(runs_needed(cases[i].s, cases[i].change,
			      cases[i].confidence, &n, NULL),
		    0);
		CHECK_INT(n, cases[i].n);
	}
}

/* R 4.2.2: exp(z * s * sqrt(2 / n * pi / 3)) - 1; and n runs that show their
 * own detectable change are n runs again. */
static void
test_detectable_change(void)
{
	long n;

	CHECK_NEAR(
	    detectable_change(0.02, 5, 0.95), 0.036929770299231057, 1e-15);
	CHECK_NEAR(
	    detectable_change(0.01, 8, 0.95), 0.014437919174044023, 1e-15);
	for (long runs = 4; runs < 200; runs++) {
		double change = detectable_change(0.02, runs, 0.95);

		CHECK_INT(
		    runs_needed(0.02, change * (1.0 + 1e-12), 0.95, &n, NULL),
		    0);
		CHECK_INT(n, runs);
	}
	CHECK(isnan(detectable_change(0.02, 3, 0.95)));
	CHECK(isnan(detectable_change(0.02, 4, 0.99)));
	CHECK(isfinite(detectable_change(0.02, 5, 0.99)));
	CHECK(isnan(detectable_change(-0.02, 5, 0.95)));
	CHECK(isnan(detectable_change(NAN, 5, 0.95)));
	CHECK(isnan(detectable_change(0.02, 5, 1.0)));
}

static void
test_errors(void)
{
	struct error e = ERROR_INIT;
	long n = -7;

	CHECK_INT(runs_needed(0.02, 0.03, 1.5, &n, &e), -1);
	CHECK_STR(e.message, "confidence 1.5 is not between 0 and 1");
	CHECK_INT(e.code, ERROR_DOMAIN);
	CHECK_INT(runs_needed(-1.0, 0.03, 0.95, &n, &e), -1);
	CHECK_STR(e.message, "spread -1 is not a number from 0 up");
	CHECK_INT(runs_needed(NAN, 0.03, 0.95, &n, &e), -1);
	CHECK_INT(runs_needed(0.02, 0.0, 0.95, &n, &e), -1);
	CHECK_STR(e.message, "change 0 is not above 0");
	CHECK_INT(runs_needed(0.02, NAN, 0.95, &n, &e), -1);
	CHECK_INT(runs_needed(0.5, 0.0001, 0.95, &n, &e), -1);
	CHECK_STR(e.message, "a change of 0.01 % takes more than 1000000 runs");
	CHECK_INT(e.code, ERROR_LIMIT);
	CHECK_INT(n, -7);
}

static const struct tap_test tests[] = {
	TEST(test_normal_quantile),
	TEST(test_normal_round_trip),
	TEST(test_pooled),
	TEST(test_runs_needed),
	TEST(test_detectable_change),
	TEST(test_errors),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
