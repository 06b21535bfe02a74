/* NVTX ranges that are steps by their names, and files that are not exports. */
#include <config.h>

#include "extract/input/encoding/records.h"

#include "tests/tap.h"

static void
test_names(void)
{
	static const struct {
		const char *name;
		long number;
	} steps[] = { { "ProfilerStep#12", 12 }, { "step 0", 0 },
		{ "Step: 7", 7 }, { "iteration_42", 42 }, { "iter0012", 12 },
		{ "train_step", -1 }, { "Training Step", -1 },
		{ "global_step=300", 300 }, { "batch 5", 5 },
		{ "[pl][profile]run_training_batch", -1 },
		{ "step 999999999", 999999999 }, { "step 1000000000", -1 } };

	for (int i = 0; i < N_TESTS(steps); i++) {
		long number = -2;

		printf("# %s\n", steps[i].name);
		CHECK(nsight_step_name(steps[i].name, &number) > 0);
		CHECK_INT(number, steps[i].number);
	}
}

/* Not steps: parts of a step, other words, numbers that are not at the end. */
static void
test_other_names(void)
{
	static const char *const others[] = { "", "5", "forward",
		"forward step", "optimizer step", "Optimizer.step#SGD.step",
		"stepping", "steps 5", "step 5 of 10", "ncclAllReduce",
		"validation_step 3", "eval_iter 2", "step2vec", "2 step",
		"a very long name of a range that ends in step" };

	for (int i = 0; i < N_TESTS(others); i++) {
		long number;

		printf("# %s\n", others[i]);
		CHECK_INT(nsight_step_name(others[i], &number), 0);
	}
}

/* "step 5" is preferred to "batch 5", and a profiler's mark to both. */
static void
test_order(void)
{
	static const char *const better[] = { "ProfilerStep#1", "train_step",
		"step 1", "iteration 1", "batch 1" };

	for (int i = 1; i < N_TESTS(better); i++) {
		long number;

		CHECK(nsight_step_name(better[i - 1], &number) <
		    nsight_step_name(better[i], &number));
	}
}

static void
test_is(void)
{
	static const char magic[] = "SQLite format 3";

	CHECK(nsight_file_is(magic, sizeof magic));
	CHECK(!nsight_file_is(magic, sizeof magic - 1));
	CHECK(!nsight_file_is("SQLite format 4", sizeof magic));
}

static const struct tap_test tests[] = {
	TEST(test_names),
	TEST(test_other_names),
	TEST(test_order),
	TEST(test_is),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
