/* Cases with failed runs, counted as in the MLPerf rules. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "extract/log/log.h"
#include "extract/measure/cases/case.h"
#include "tests/tap.h"
#include "tests/unit/case_runs.h"
#include "tests/unit/said.h"

static const struct remark failed_run = { .code = REMARK_FAILED };

/* Make a case of n runs with their minutes to train, and count failed runs. */
static const struct result_case *
make_trained(int n, const double *minutes, struct result_excluded *failed,
    size_t n_failed)
{
	static const char *const paths[] = { "a/1", "a/2", "a/3", "a/4" };

	begin();
	for (int i = 0; i < n; i++) {
		struct case_run *r = add(1, 8, paths[i], minutes[i]);

		r->measured.unit = "min";
		r->measured.kind = RULE_SUMMARY;
	}
	CHECK_INT(make(NULL, 0, 0), 0);
	result.rule.metric = "time-to-train";
	result.excluded = failed;
	result.n_excluded = n_failed;
	cases_count_failed(&result);
	return &result.cases[0];
}

/* The failed runs belong to the test. */
static void
finish_trained(void)
{
	result.excluded = NULL;
	result.n_excluded = 0;
	finish();
}

/* Times to train of four runs and up to two failed runs: the examples of the
 * MLPerf rules. */
static void
test_failed_runs(void)
{
	static const double minutes[] = { 20.8, 20, 21.2, 20.4 };

	for (int failed = 0; failed <= 2; failed++) {
		struct result_excluded x[] = {
			excluded_run("a/5", &failed_run),
			excluded_run("a/6", &failed_run),
			excluded_run("b/7", &failed_run),
		};
		const struct result_case *c;

		c = make_trained(
		    4, minutes, x + 2 - failed, (size_t)failed + 1);
		CHECK_NEAR(c->median_speed, failed == 1 ? 20.8 : 20.6, 1e-12);
		CHECK_NEAR(c->olympic_speed, failed == 1 ? 20.8 : 20.6, 1e-12);
		CHECK_INT(isnan(c->average_speed), failed == 1);
		CHECK_INT(isnan(c->median_high), failed == 1);
		CHECK_INT(c->runs[0].n_flags, failed > 0);
		if (failed == 1)
			CHECK(strstr(said(&c->runs[0].flags[0]),
				  "1 of 5 runs failed") != NULL);
		if (failed == 2)
			CHECK_STR(said(&c->runs[3].flags[0]),
			    "2 of 6 runs failed: no valid time to train");
		finish_trained();
	}
}

/* A failed run is the slowest of three or more; of two, no time is valid. */
static void
test_failed_of_few(void)
{
	static const double minutes[] = { 20.8, 20, 21.2 };
	static const double medians[] = { 20.8, 20.8, 21 };

	for (int trained = 1; trained <= 3; trained++) {
		struct result_excluded x = excluded_run("a/5", &failed_run);
		const struct result_case *c;

		c = make_trained(trained, minutes, &x, 1);
		CHECK_NEAR(c->median_speed, medians[trained - 1], 1e-12);
		if (trained == 1)
			CHECK_STR(said(&c->runs[0].flags[0]),
			    "1 of 2 runs failed: no valid time to train");
		else
			CHECK_NEAR(
			    c->olympic_speed, medians[trained - 1], 1e-12);
		finish_trained();
	}
}

static const struct tap_test tests[] = {
	TEST(test_failed_runs),
	TEST(test_failed_of_few),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
