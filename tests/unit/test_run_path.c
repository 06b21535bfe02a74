/* Which parts of a path distinguish repetitions, and which do not. */
#include <config.h>

#include "extract/measure/run_path.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static const struct metadata unknown = {
	.nodes = -1, .gpus_per_node = -1, .gpus = -1
};
static const struct metadata known = {
	.nodes = 4, .gpus_per_node = 8, .gpus = 32
};

static const struct part {
	const char *path, *folder, *file, *run;
	long number;
} parts[] = {
	{ "x.log", "", "x", NULL, -1 },
	{ "a/b/x_1.log", "a/b", "x", NULL, 1 },
	{ "a/x_0012.log.gz", "a", "x", NULL, 12 },
	{ "run1/x_1.log", "", "x", "run1", 1 },
	{ "a/run-2/seed_42/x.log", "a", "x", "run-2/seed_42", -1 },
	{ "r3/x.log", "", "x", "r3", -1 },
	{ "r50/x.log", "r50", "x", NULL, -1 },
	{ "runs/x.log", "runs", "x", NULL, -1 },
	{ "2023-04-05/x.log", "", "x", "2023-04-05", -1 },
	{ "a_20230405_123000/x.log", "a", "x", "20230405_123000", -1 },
	{ "20230405T123000Z-a/x.log", "a", "x", "20230405T123000Z", -1 },
	{ "2023-04-05_12:30/x.log", "", "x", "2023-04-05_12:30", -1 },
	{ "2023-14-05/x.log", "2023-14-05", "x", NULL, -1 },
	/* The limits of the calendar and the clock, and one beyond. */
	{ "1999-12-31/x.log", "", "x", "1999-12-31", -1 },
	{ "2099-01-01/x.log", "", "x", "2099-01-01", -1 },
	{ "1899-12-31/x.log", "1899-12-31", "x", NULL, -1 },
	{ "2100-01-01/x.log", "2100-01-01", "x", NULL, -1 },
	{ "2023-13-01/x.log", "2023-13-01", "x", NULL, -1 },
	{ "2023-00-10/x.log", "2023-00-10", "x", NULL, -1 },
	{ "2023-01-32/x.log", "2023-01-32", "x", NULL, -1 },
	{ "2023-01-00/x.log", "2023-01-00", "x", NULL, -1 },
	{ "2023-04-05_00-00-00/x.log", "", "x", "2023-04-05_00-00-00", -1 },
	{ "2023-04-05_23-59-60/x.log", "", "x", "2023-04-05_23-59-60", -1 },
	{ "2023-04-05_24-00-00/x.log", "24-00-00", "x", "2023-04-05", -1 },
	{ "2023-04-05_23-60-00/x.log", "23-60-00", "x", "2023-04-05", -1 },
	{ "2023-04-05_23-59-61/x.log", "61", "x", "2023-04-05_23-59", -1 },
	/* Four digits may be a number; five or more are an id, unless they are
	 * round and at most nine. */
	{ "x-4711.log", "", "x", NULL, 4711 },
	{ "x_100000000.log", "", "x", NULL, 100000000 },
	{ "x_1000000000.log", "", "x", NULL, -1 },
	{ "x.abcdefghij", "", "x", NULL, -1 },
	{ "x.abcdefghijk", "", "x.abcdefghijk", NULL, -1 },
	{ "slurm-4711.out", "", "", NULL, -1 },
	{ "x-47113.out", "", "x", NULL, -1 },
	{ "x_65536.log", "", "x", NULL, 65536 },
	{ "x_10000.log", "", "x", NULL, 10000 },
	{ "x.o47113", "", "x", NULL, -1 },
	{ "lr0.1.log", "", "lr0.1", NULL, -1 },
	{ "lr0.1_2.log", "", "lr0.1", NULL, 2 },
	{ "b--1d3bd93b-a69e-4118-aeb8-8184239d7566.txt", "", "b-", NULL, -1 },
	/* MLflow runs; other hashes have seven or more hex digits. */
	{ "mlruns/1a/3dea820bab0943dd986b8bd2f353d8fa", "mlruns/1a", "", NULL,
	    -1 },
	{ "3dea820bab0943dd986b8bd2f353d8fa/x.log", "", "x",
	    "3dea820bab0943dd986b8bd2f353d8fa", -1 },
	{ "a-3dea820/x.log", "a", "x", "3dea820", -1 },
	{ "9f8e7d6/x.log", "", "x", "9f8e7d6", -1 },
	{ "9f8e7d/x.log", "9f8e7d", "x", NULL, -1 },
	{ "deadbeef/x.log", "deadbeef", "x", NULL, -1 },
	{ "b256e8f/x.log", "", "x", "b256e8f", -1 },
	{ "1234567e/x.log", "", "x", "1234567e", -1 },
	{ "123456e/x.log", "123456e", "x", NULL, -1 },
	{ "mlruns/0/x.log", "mlruns", "x", "0", -1 },
	/* A folder named by a number: of a run, or a value. */
	{ "runs/4711/x.log", "runs", "x", "4711", -1 },
	{ "a/1152/x.log", "a", "x", "1152", -1 },
	{ "a/2048/x.log", "a/2048", "x", NULL, -1 },
	{ "a/1500/x.log", "a/1500", "x", NULL, -1 },
	{ "a/152/x.log", "a/152", "x", NULL, -1 },
	{ "runs/152/x.log", "runs", "x", "152", -1 },
	{ "runs/4711a/x.log", "runs/4711a", "x", NULL, -1 },
	{ "lr0.00123/x.log", "lr0.00123", "x", NULL, -1 },
	{ "2026-01-02/10-30-59/x.log", "", "x", "2026-01-02/10-30-59", -1 },
	{ "abcdefghijklmnopqrstuvwxyzabcdef/x.log",
	    "abcdefghijklmnopqrstuvwxyzabcdef", "x", NULL, -1 },
	/* W&B ids, in W&B's own logs only; chosen names stay. */
	{ "run-20261122_120708-7rau84o8/run-7rau84o8.wandb", "", "run",
	    "run-20261122_120708-7rau84o8", -1 },
	{ "run-20261122_120708-abcdefgh/run-abcdefgh.wandb", "", "run",
	    "run-20261122_120708-abcdefgh", -1 },
	{ "offline-run-20261122_120708-abcdefgh/x.log", "offline", "x",
	    "run-20261122_120708-abcdefgh", -1 },
	{ "20261122_120708-abcdefgh/x.log", "abcdefgh", "x", "20261122_120708",
	    -1 },
	{ "run-7rau84o8.log", "", "run-7rau84o8", NULL, -1 },
	{ "run-resnet50.wandb", "", "run-resnet50", NULL, -1 },
	{ "run-baseline.wandb", "", "run-baseline", NULL, -1 },
	{ "run-7rau84o.wandb", "", "run-7rau84o", NULL, -1 },
	{ "run-7rau84o8x.wandb", "", "run-7rau84o8x", NULL, -1 },
	{ "run-7RAU84O8.wandb", "", "run-7RAU84O8", NULL, -1 },
	{ "1.log", "", "", NULL, 1 },
	{ "12345678/x.log", "", "x", "12345678", -1 },
	{ "", "", "", NULL, -1 },
	{ "4n8g/x.log", "4n8g", "x", NULL, -1 },
};

static void
test_parts(void)
{
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		struct arena a = ARENA_INIT;
		struct run_path p;

		printf("# %s\n", parts[i].path);
		run_path_read(&p, parts[i].path, &unknown, NULL, &a);
		CHECK_STR(p.folder, parts[i].folder);
		CHECK_STR(p.file, parts[i].file);
		CHECK_INT(p.number, parts[i].number);
		if (parts[i].run == NULL)
			CHECK(p.run == NULL);
		else
			CHECK_STR(p.run, parts[i].run);
		arena_release(&a);
	}
}

/* "x-r3" may be the third repetition; "xr3" and "r12" are names. */
static void
test_letter_before_number(void)
{
	static const struct {
		const char *path, *file;
		long number;
		int lettered;
	} cases[] = {
		{ "x-r3.log", "x", 3, 1 },
		{ "x_R12.log", "x", 12, 1 },
		{ "x-12.log", "x", 12, 0 },
		{ "xr3.log", "xr3", -1, 0 },
		{ "r12.log", "r12", -1, 0 },
		{ "x-s3.log", "x-s3", -1, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena a = ARENA_INIT;
		struct run_path p;

		printf("# %s\n", cases[i].path);
		run_path_read(&p, cases[i].path, &unknown, NULL, &a);
		CHECK_STR(p.file, cases[i].file);
		CHECK_INT(p.number, cases[i].number);
		CHECK_INT(p.lettered, cases[i].lettered);
		arena_release(&a);
	}
}

static void
test_shape(void)
{
	static const struct {
		const char *path, *folder, *file;
	} cases[] = {
		{ "4n8g/x.log", "", "x" },
		{ "a/gpus32/x_4nodes_8gpus.log", "a", "x" },
		{ "4n16g/x.log", "4n16g", "x" }, /* differs from the metadata */
		{ "d2/x_c10.log", "d2", "x_c10" },
		{ "32/x.log", "32", "x" },
		{ "gpus/x.log", "gpus", "x" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena a = ARENA_INIT;
		struct run_path p;

		printf("# %s\n", cases[i].path);
		run_path_read(&p, cases[i].path, &known, NULL, &a);
		CHECK_STR(p.folder, cases[i].folder);
		CHECK_STR(p.file, cases[i].file);
		arena_release(&a);
	}
}

/* A token that states the shape in one run and contradicts it in another stays
 * in both, so that the two are distinguished in the same way. */
static void
test_contrary(void)
{
	static const struct metadata eight = {
		.nodes = 8, .gpus_per_node = 1, .gpus = 8
	};
	static const struct metadata half = {
		.nodes = 8, .gpus_per_node = 1, .gpus = -1
	};
	struct run_path_kinds kinds = { .n = 0 };
	struct arena a = ARENA_INIT;
	struct run_path p;
	char token[RUN_PATH_KIND] = "none";

	CHECK_INT(
	    run_path_find_contrary(&kinds, "N8_FP16/a.log", &eight, token), 0);
	CHECK_INT(
	    run_path_find_contrary(&kinds, "N1_FP16/a.log", &half, token), 0);
	CHECK_INT(run_path_find_contrary(
		      &kinds, "d12/node3/gpu0_x4.log", &eight, token),
	    0);
	CHECK_STR(token, "none");
	CHECK_INT(
	    run_path_find_contrary(&kinds, "N1_FP16/a.log", &eight, token), 1);
	CHECK_STR(token, "N1");
	CHECK_INT(
	    run_path_find_contrary(&kinds, "N2_FP16/a.log", &eight, token), 0);
	run_path_read(&p, "N8_FP16/8n1g_a.log", &eight, &kinds, &a);
	CHECK_STR(p.folder, "N8_FP16");
	CHECK_STR(p.file, "a");
	run_path_read(&p, "N1_FP16/8n1g_a.log", &eight, &kinds, &a);
	CHECK_STR(p.folder, "N1_FP16");
	arena_release(&a);
}

/* "5G" is the rate of a link, not GPUs, if a label has that value or if it ends
 * a number ("2.5G"). */
static void
test_no_shapes(void)
{
	static const struct metadata four = {
		.nodes = 4, .gpus_per_node = 1, .gpus = 4
	};
	struct result_pair link = { .key = "link", .value = "5G" };
	struct metadata labels = four, varied = four;
	struct run_path_kinds kinds = { .n = 0 };
	struct arena a = ARENA_INIT;
	struct run_path p;
	char token[RUN_PATH_KIND] = "none";

	labels.labels = varied.varied = &link;
	labels.n_labels = varied.n_varied = 1;
	CHECK_INT(
	    run_path_find_contrary(&kinds, "2.5G/4n1g/a.log", &four, token), 0);
	CHECK_INT(
	    run_path_find_contrary(&kinds, "5G/4n1g/a.log", &labels, token), 0);
	CHECK_INT(
	    run_path_find_contrary(&kinds, "5G/4n1g/a.log", &varied, token), 0);
	CHECK_STR(token, "none");
	link.value = "5";
	CHECK_INT(
	    run_path_find_contrary(&kinds, "5G/4n1g/a.log", &labels, token), 1);
	CHECK_STR(token, "5G");
	kinds.n = 0;
	CHECK_INT(
	    run_path_find_contrary(&kinds, "a.5G/4n1g/a.log", &four, token), 1);
	run_path_read(&p, "2.4G/4n1g/a.log", &four, NULL, &a);
	CHECK_STR(p.folder, "2.4G");
	run_path_read(&p, "4G/4n1g/a.log", &four, NULL, &a);
	CHECK_STR(p.folder, "");
	arena_release(&a);
}

static void
test_series(void)
{
	static const struct {
		long numbers[5];
		size_t n;
		int is;
	} cases[] = {
		{ { 7 }, 1, 1 }, { { 0, 1 }, 2, 1 }, { { 1, 2 }, 2, 1 },
		{ { 1, 2, 3 }, 3, 1 }, { { 1, 2, 4, 5 }, 4, 1 },
		{ { 3, 5 }, 2, 1 }, { { 3, 6 }, 2, 1 }, { { 3, 7 }, 2, 0 },
		{ { 1, 2, 4 }, 3, 0 }, { { 2, 4 }, 2, 0 },
		{ { 16, 128 }, 2, 0 }, { { 1, 10, 100 }, 3, 0 },
		{ { 1, 4, 8, 16, 32 }, 5, 0 },
		{ { -1, 1, 2 }, 3, 1 }, /* x.log, x_1.log, x_2.log */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_INT(run_path_is_series(cases[i].numbers, cases[i].n),
		    cases[i].is);
}

/* Generated paths: changing an id in any place leaves the compared parts equal;
 * changing anything else does not. */
static void
test_generated(void)
{
	static const char *const ids[][2] = { { "run1", "run2" },
		{ "seed_7", "seed_11" }, { "20230405", "20240229" },
		{ "2023-04-05_12-30-00", "2023-04-06_01-02-03" },
		{ "job-4711", "job-4712" }, { "471131", "471132" } };
	static const char *const others[][2] = { { "nccl", "gloo" },
		{ "lr0.1", "lr0.2" }, { "b32", "b64" }, { "16", "128" },
		{ "r50", "r101" }, { "fp16", "fp32" }, { "v1", "v2" },
		{ "65536", "131072" }, { "n1", "n8" } };
	static const char *const ways[] = { "%s/a_x/y.log", "a/%s/y_1.log",
		"a/q_%s/y.log", "a/%s-q/y.log.gz", "a/y_%s_z.log", "a/%s_y.out",
		"a/q_%s_r/y" };
	const size_t n_ids = sizeof ids / sizeof ids[0];
	const size_t n = n_ids + sizeof others / sizeof others[0];

	for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
		for (size_t i = 0; i < n; i++) {
			const char *const *pair =
			    i < n_ids ? ids[i] : others[i - n_ids];
			struct arena a = ARENA_INIT;
			const char *hole = strstr(ways[w], "%s");
			struct run_path p[2];
			char path[2][128];

			for (int k = 0; k < 2; k++) {
				snprintf(path[k], sizeof path[k], "%.*s%s%s",
				    (int)(hole - ways[w]), ways[w], pair[k],
				    hole + 2);
				run_path_read(
				    &p[k], path[k], &unknown, NULL, &a);
			}
			printf("# %s %s\n", path[0], path[1]);
			CHECK_INT(strcmp(p[0].folder, p[1].folder) == 0 &&
				strcmp(p[0].named, p[1].named) == 0,
			    i < n_ids);
			/* In a folder an id names the run. */
			if (i < n_ids && strchr(hole, '/') != NULL)
				CHECK(strcmp(p[0].run, p[1].run) != 0);
			arena_release(&a);
		}
}

static const struct tap_test tests[] = {
	TEST(test_parts),
	TEST(test_letter_before_number),
	TEST(test_shape),
	TEST(test_contrary),
	TEST(test_no_shapes),
	TEST(test_series),
	TEST(test_generated),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
