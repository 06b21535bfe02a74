#include <config.h>

#include "common/stats/many_cases.h"

#include "tests/tap.h"

/* R 4.2.2: p.adjust(p, "holm") and p.adjust(p, "BH"); in another order here. */
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

	holm_adjust(p, N_TESTS(p), out);
	for (int i = 0; i < N_TESTS(p); i++) {
		CHECK_INT(isnan(out[i]), isnan(holm[i]));
		if (!isnan(holm[i]))
			CHECK_NEAR(out[i], holm[i], 1e-10);
	}
	benjamini_hochberg_adjust(p, N_TESTS(p), out);
	for (int i = 0; i < N_TESTS(p); i++) {
		CHECK_INT(isnan(out[i]), isnan(bh[i]));
		if (!isnan(bh[i]))
			CHECK_NEAR(out[i], bh[i], 1e-10);
	}
	holm_adjust(p, 0, out);
	benjamini_hochberg_adjust(p + 1, 1, out);
	CHECK_NEAR(out[0], p[1], 0.0);
}

static const struct tap_test tests[] = {
	TEST(test_adjust),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
