/* Expected values: R 4.2.2 of x <- c(112.22, 112.18, 112.12, 112.18, 112.21);
 * the calls stand next to them. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/stats/statistics.h"
#include "tests/tap.h"

static const double x[] = { 112.22, 112.18, 112.12, 112.18, 112.21 };

static const struct {
	const char *name;
	double value;
} expected[] = {
	{ "mean", 1.1218200000000000e+02 },     /* mean(x) */
	{ "harmonic", 1.1218198915790305e+02 }, /* 1 / mean(1 / x) */
	{ "olympic", 1.1219000000000000e+02 },  /* mean(sort(x)[2:4]) */
	{ "min", 1.1212000000000000e+02 },      /* min(x) */
	{ "max", 1.1222000000000000e+02 },      /* max(x) */
	{ "sd", 3.8987177379232470e-02 },       /* sd(x) */
	{ "cv", 3.4753505356681526e-04 },       /* sd(x) / mean(x) */
	{ "mad", 2.9999999999986926e-02 },      /* mad(x, constant = 1) */
};
enum { N_EXPECTED = sizeof expected / sizeof expected[0] };

static void
test_values(void)
{
	size_t n = 0;

	for (size_t i = 0; i < N_EXPECTED; i++) {
		const struct statistic *s =
		    statistic_find(expected[i].name, strlen(expected[i].name));

		CHECK(s != NULL);
		if (s != NULL)
			CHECK_NEAR(statistic_of(s, x, 5), expected[i].value,
			    1e-12 * expected[i].value);
	}
	while (statistics[n].name != NULL)
		n++;
	CHECK_INT(n, N_EXPECTED); /* no row without a value from R */
}

/* One value fewer than the smallest n has no statistic, so many have one. */
static void
test_smallest_n(void)
{
	for (const struct statistic *s = statistics; s->name != NULL; s++) {
		CHECK(isnan(statistic_of(s, x, s->smallest_n - 1)));
		CHECK(isfinite(statistic_of(s, x, s->smallest_n)));
		CHECK(s->sentence[0] != '\0' && s->source[0] != '\0');
	}
	CHECK(statistic_find("mea", 3) == NULL);
	CHECK(statistic_find("means", 5) == NULL);
}

static const struct tap_test tests[] = {
	TEST(test_values),
	TEST(test_smallest_n),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
