#include <config.h>

#include <math.h>

#include "tests/tap.h"
#include "trainer/tune/horovod_tuner.h"

/* Expected values are those of scikit-learn 1.7 for standardised scores:
 * GaussianProcessRegressor(ConstantKernel(s * s) * RBF(l), alpha=0.64,
 * optimizer=None), its log_marginal_likelihood_value_ and predict(x,
 * return_std=True); the improvement follows from these by its formula. */

static const struct {
	double x[2], y;
} four[] = {
	{ { 4, 5 }, 424.129 },
	{ { 32, 50 }, 491.156 },
	{ { 16, 25 }, 480.917 },
	{ { 8, 10 }, 485.8 },
};

static const struct {
	double x[2], y;
} ten[] = {
	{ { 4, 5 }, 424 },
	{ { 32, 50 }, 491 },
	{ { 16, 25 }, 481 },
	{ { 8, 10 }, 486 },
	{ { 10, 12 }, 490 },
	{ { 60, 20 }, 500 },
	{ { 45, 33 }, 530 },
	{ { 20, 18 }, 533 },
	{ { 30, 8 }, 560 },
	{ { 2, 70 }, 410 },
};

static struct gaussian_process
make_four(void)
{
	struct gaussian_process g = { .dims = 2, .noise = 0.8 };

	for (int i = 0; i < N_TESTS(four); i++)
		gaussian_process_add(&g, four[i].x, four[i].y);
	return g;
}

static struct gaussian_process
make_ten(void)
{
	struct gaussian_process g = { .dims = 2, .noise = 0.8 };

	for (int i = 0; i < N_TESTS(ten); i++)
		gaussian_process_add(&g, ten[i].x, ten[i].y);
	return g;
}

static void
test_predictions(void)
{
	static const struct {
		double length, scale, x[2], mean, deviation, improvement;
	} cases[] = {
		{ 12, 1.5, { 20, 30 }, 0.25745708762335673, 0.9431526611925172,
		    0.22787313967497486 },
		{ 12, 1.5, { 8, 10 }, -0.14445733613305967, 0.5975845935327811,
		    0.030004787879623088 },
		{ 12, 1.5, { 60, 99 }, 9.403798160614143e-06, 1.499999999855046,
		    0.34405805131852113 },
		{ 1, 1, { 20, 30 }, 2.93909473252664e-10, 1.0,
		    0.20524254677851936 },
		{ 1, 1, { 8, 10 }, 0.3453073976950479, 0.6246950475544244,
		    0.1892252712431688 },
	};
	struct gaussian_process g = make_four();

	for (int i = 0; i < N_TESTS(cases); i++) {
		double mean, deviation;

		gaussian_process_set_kernel(
		    &g, cases[i].length, cases[i].scale);
		gaussian_process_predict(&g, cases[i].x, &mean, &deviation);
		CHECK_NEAR(mean, cases[i].mean, 1e-12);
		/* 1e-8 is added to the variance. */
		CHECK_NEAR(deviation, cases[i].deviation, 1e-7);
		CHECK_NEAR(gaussian_process_improvement(&g, cases[i].x, 0.01),
		    cases[i].improvement, 1e-7);
	}
	gaussian_process_clear(&g);
}

static void
test_likelihood(void)
{
	struct gaussian_process g = make_four();

	gaussian_process_set_kernel(&g, 12, 1.5);
	CHECK_NEAR(gaussian_process_likelihood(&g), -7.003822452879542, 1e-12);
	gaussian_process_set_kernel(&g, 1, 1);
	CHECK_NEAR(gaussian_process_likelihood(&g), -5.884658812064659, 1e-12);
	gaussian_process_clear(&g);
}

/* Expected values are those of scikit-learn's L-BFGS fit, 20 restarts. */
static void
test_fit(void)
{
	struct gaussian_process g = make_four();
	gaussian_process_fit(&g);
	CHECK_NEAR(g.scale, 0.600000, 1e-4);
	CHECK_NEAR(gaussian_process_likelihood(&g), -5.675754132819796, 1e-6);
	gaussian_process_clear(&g);

	g = make_ten();
	gaussian_process_fit(&g);
	CHECK_NEAR(g.length, 18.2, 0.05);
	CHECK_NEAR(g.scale, 0.788503, 1e-4);
	CHECK_NEAR(gaussian_process_likelihood(&g), -13.887919949262614, 1e-6);
	gaussian_process_clear(&g);
}

/* On a grid of 0.1 MiB and 0.1 ms the largest improvement is 0.2530682 at 36.8
 * MiB and 12.8 ms. */
static void
test_next(void)
{
	static const double low[2] = { 0, 1 }, high[2] = { 64, 100 };
	struct gaussian_process g = make_ten();
	double x[2];

	gaussian_process_fit(&g);
	for (int seed = 0; seed < 5; seed++) {
		gaussian_process_next(&g, low, high, (uint64_t)seed, x);
		CHECK_NEAR(x[0], 36.8, 0.1);
		CHECK_NEAR(x[1], 12.8, 0.1);
		CHECK_NEAR(gaussian_process_improvement(&g, x, 0.01),
		    0.2530682196836829, 1e-5);
	}
	gaussian_process_clear(&g);
}

/* Equal values, or a single value, are not an error. */
static void
test_few_values(void)
{
	static const double low[1] = { 1 }, high[1] = { 100 };
	struct gaussian_process g = { .dims = 1, .noise = 0.8 };
	double x[1] = { 5 };

	for (int i = 0; i < 4; i++) {
		gaussian_process_add(&g, x, 7);
		gaussian_process_fit(&g);
		gaussian_process_next(&g, low, high, 1, x);
		CHECK(x[0] >= 1 && x[0] <= 100);
	}
	gaussian_process_clear(&g);
	gaussian_process_add(&g, x, 3);
	gaussian_process_set_kernel(&g, 1, 1);
	/* 3 / (1 + 0.64) */
	gaussian_process_predict(&g, x, &x[0], &(double){ 0 });
	CHECK_NEAR(x[0], 3 / 1.64, 1e-12);
	gaussian_process_clear(&g);
}

static const struct tap_test tests[] = {
	TEST(test_likelihood),
	TEST(test_predictions),
	TEST(test_fit),
	TEST(test_next),
	TEST(test_few_values),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
