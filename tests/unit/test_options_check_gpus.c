/* The GPU that a process gets. */
#include <config.h>

#include "tests/tap.h"
#include "trainer/run/options/options_table.h"

static struct error e;

static void
test_lists(void)
{
	static const struct {
		const char *text;
		int n, first, last;
	} cases[] = { { "0", 1, 0, 0 }, { "0,2", 2, 0, 2 },
		{ "7,3,5", 3, 7, 5 }, { "0,0", 2, 0, 0 }, { "63", 1, 63, 63 } };
	int list[GPU_CHOICE_MAX];

	for (int i = 0; i < N_TESTS(cases); i++) {
		CHECK_INT(
		    gpu_choice_parse(cases[i].text, list, &e), cases[i].n);
		CHECK_INT(list[0], cases[i].first);
		CHECK_INT(list[cases[i].n - 1], cases[i].last);
	}
}

static void
test_bad_lists(void)
{
	static const char *const bad[] = { "", ",", "0,", ",1", "0,,1", "a",
		"0;1", "-1", "64", "0 ,1", "1.0", "00000000001", "0x1" };
	char many[200] = "0", want[100];
	int list[GPU_CHOICE_MAX];

	for (int i = 0; i < N_TESTS(bad); i++) {
		e.code = ERROR_NONE;
		CHECK_INT(gpu_choice_parse(bad[i], list, &e), -1);
		CHECK_INT(e.code, ERROR_USAGE);
		snprintf(want, sizeof want,
		    "--gpus: '%s' is not a list of GPU numbers such as 0,1",
		    bad[i]);
		CHECK_STR(e.message, want);
	}
	for (int i = 0; i < GPU_CHOICE_MAX; i++)
		memcpy(many + 1 + 2 * i, ",1", 3);
	CHECK_INT(gpu_choice_parse(many, list, &e), -1);
	CHECK_STR(e.message, "--gpus: more than 64 GPUs");
}

static void
test_choice(void)
{
	int gpu = -1;

	CHECK_INT(gpu_choice_choose(NULL, 3, 4, 1, "nccl", &gpu, &e), 0);
	CHECK_INT(gpu, 3);
	CHECK_INT(gpu_choice_choose("0,2", 1, 2, 1, "nccl", &gpu, &e), 0);
	CHECK_INT(gpu, 2);
	CHECK_INT(gpu_choice_choose("0,0", 1, 2, 0, "mpi", &gpu, &e), 0);
	CHECK_INT(gpu, 0);
	CHECK_INT(gpu_choice_choose("1,0,1", 0, 3, 1, "nccl", &gpu, &e), -1);
	CHECK_STR(e.message,
	    "--gpus: GPU 1 twice, but back end 'nccl' needs one for each "
	    "process");
	CHECK_INT(gpu_choice_choose("0,2", 0, 1, 0, "self", &gpu, &e), -1);
	CHECK_STR(e.message,
	    "--gpus: '0,2' is 2 GPUs, but 1 process runs on this machine; "
	    "each computes on one");
	CHECK_INT(gpu_choice_choose("0", 1, 2, 0, "mpi", &gpu, &e), -1);
	CHECK_STR(e.message,
	    "--gpus: '0' is 1 GPU, but 2 processes run on this machine; each "
	    "computes on one");
	CHECK_INT(gpu_choice_choose("0,x", 1, 2, 0, "mpi", &gpu, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_INT(gpu, 0); /* unchanged */
}

static const struct tap_test tests[] = {
	TEST(test_lists),
	TEST(test_bad_lists),
	TEST(test_choice),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
