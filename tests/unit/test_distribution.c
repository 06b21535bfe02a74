#include <config.h>

#include "common/stats/stats.h"

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

/* The quantile inverts P(Z <= x) = erfc(-x / sqrt 2) / 2, erfc of libm. */
static void
test_normal_round_trip(void)
{
	for (int i = 1; i < 2000; i++) {
		const double p = i / 2000.0;
		const double x = normal_quantile(p);

		CHECK_NEAR(erfc(-x / sqrt(2.0)) / 2.0, p, 1e-15);
	}
}

/* R 4.2.2: qchisq(p, df) and qt(p, df). */
static void
test_chi_square_and_student(void)
{
	CHECK_NEAR(chi_square_quantile(.025, 4), 0.48441855708792975, 1e-11);
	CHECK_NEAR(chi_square_quantile(.975, 8), 17.534546139484647, 1e-10);
	CHECK_NEAR(chi_square_quantile(.5, 2.5), 1.8738477677808782, 1e-11);
	CHECK_NEAR(chi_square_quantile(.025, 100), 74.221927474923717, 1e-9);
	CHECK_NEAR(chi_square_quantile(.975, 1), 5.0238861873148846, 1e-11);
	CHECK(isnan(chi_square_quantile(0.5, 0.0)));
	CHECK(isnan(chi_square_quantile(1.0, 3.0)));
	CHECK(isnan(chi_square_quantile(0.0, 3.0)));
	CHECK_NEAR(student_quantile(.975, 4), 2.7764451051977934, 1e-11);
	CHECK_NEAR(student_quantile(.025, 4), -2.7764451051977934, 1e-11);
	CHECK_NEAR(student_quantile(.995, 3.7), 4.8692522532278284, 1e-10);
	CHECK_NEAR(student_quantile(.9, 1), 3.0776835371752544, 1e-11);
	CHECK_NEAR(student_quantile(.6, 30), 0.25560536495191277, 1e-11);
	CHECK_NEAR(student_quantile(.5, 30), 0.0, 0.0);
	CHECK_NEAR(student_quantile(1 - 0.0198251173328152, 7.3), 2.5, 1e-11);
	CHECK(isnan(student_quantile(0.5, -1.0)));
	CHECK(isnan(student_quantile(0.5, 0.0)));
	CHECK(isnan(student_quantile(0.0, 4.0)));
	CHECK(isnan(student_quantile(1.0, 4.0)));
}

static const struct tap_test tests[] = {
	TEST(test_normal_quantile),
	TEST(test_normal_round_trip),
	TEST(test_chi_square_and_student),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
