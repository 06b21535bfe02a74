/* Flags that result from comparing the runs of a case. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/stats/stats.h"
#include "extract/measure/cases/case.h"
#include "tests/tap.h"
#include "tests/unit/case_runs.h"
#include "tests/unit/said.h"

static void
add_all(long nodes, long per_node, const double *values, int n)
{
	static const char *const names[] = { "1", "2", "3", "4", "5", "6" };

	for (int i = 0; i < n; i++)
		add(nodes, per_node, names[i], values[i]);
}

static void
test_outliers(void)
{
	const double speeds[] = { 100, 101, 99, 100.5, 99.5, 84 };

	begin();
	add_all(1, 1, speeds, 6);
	CHECK_INT(make(NULL, 0, 0), 0);
	for (size_t i = 0; i < 6; i++)
		CHECK_INT(result.cases[0].runs[i].n_flags, i == 5);
	CHECK_STR(said(&result.cases[0].runs[5].flags[0]),
	    "outlier: -15.8 % off the median of the runs");
	finish();
	/* Outliers need five runs, four are too few. */
	begin();
	add_all(1, 1, speeds + 1, 5);
	CHECK_INT(make(NULL, 0, 0), 0);
	for (size_t i = 0; i < 5; i++)
		CHECK_INT(result.cases[0].runs[i].n_flags, i == 4);
	finish();
	begin();
	add_all(1, 1, speeds + 2, 4);
	CHECK_INT(make(NULL, 0, 0), 0);
	for (size_t i = 0; i < 4; i++)
		CHECK_INT(result.cases[0].runs[i].n_flags, 0);
	finish();
}

/* An outlier is at least 1 % off, and by more than its log's rounding. */
static void
test_limits_of_outliers(void)
{
	double speeds[] = { 100, 100.01, 99.99, 100.005, 99.995, 0 };

	for (int k = 0; k < 3; k++) {
		speeds[5] = k == 0 ? 99.02 : 98.9;
		begin();
		add_all(1, 1, speeds, 6);
		if (k == 2)
			runs[n_runs - 1].measured.run.rounding =
			    (struct result_rounding){ 97, 101 };
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK_INT(result.cases[0].runs[5].n_flags, k == 1);
		finish();
	}
}

/* A normally distributed number; the sequence is the same each time. */
static double
normal(void)
{
	static unsigned long long state = 88172645463325252ULL;
	double x[2];

	for (int i = 0; i < 2; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		x[i] = ((double)(state >> 11) + 0.5) / 9007199254740992.0;
	}
	return sqrt(-2 * log(x[0])) * cos(6.283185307179586 * x[1]);
}

/* Percentage of cases of n runs in which two groups are found.
 *
 * apart  standard deviations between the means of two halves */
static double
groups_found(size_t n, double apart)
{
	enum { CASES = 20000 };
	double v[10];
	int found = 0;

	for (int i = 0; i < CASES; i++) {
		for (size_t k = 0; k < n; k++)
			v[k] = 100 + 5 * normal() + (k < n / 2 ? 5 * apart : 0);
		stats_sort(v, n);
		found += case_two_groups(v, n) > 0;
	}
	return 100.0 * found / CASES;
}

/* doc/measurement.md, "Two groups" */
static void
test_two_groups(void)
{
	static const double twenty[] = { 6, 60, 92, 99, 99, 99, 99, 99 };
	static const double few[] = { 100, 100, 101 };

	for (size_t n = 3; n <= 10; n++) {
		const double alarms = groups_found(n, 0);
		const double found = groups_found(n, 20);

		printf("# %zu runs: %.2f %%, 5: %.0f 10: %.0f 20: %.0f\n", n,
		    alarms, groups_found(n, 5), groups_found(n, 10), found);
		CHECK(alarms < 1);
		CHECK(found >= twenty[n - 3]);
	}
	CHECK_INT(case_two_groups(few, 2), 0);
	CHECK_INT(case_two_groups(few, 3), 0); /* the gap is too small */
}

static void
test_groups_flagged(void)
{
	static const double v[] = { 100, 140, 101, 141, 100.5, 140.5 };

	begin();
	add_all(1, 4, v, 6);
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(said(&result.cases[0].runs[0].flags[0]),
	    "the runs form two groups: 3 around 100.5 and 3 around 140.5");
	finish();
}

static const struct tap_test tests[] = {
	TEST(test_outliers),
	TEST(test_limits_of_outliers),
	TEST(test_two_groups),
	TEST(test_groups_flagged),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
