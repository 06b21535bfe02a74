#include <config.h>

#include "extract/measure/metadata.h"
#include "tests/tap.h"

static struct arena arena;

/* Resolve triples such as "option", "nodes", "4"; NULL ends them. */
static struct metadata
resolve(const char *const *words)
{
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;
	int64_t line = 0;

	arena_release(&arena);
	for (; words[0] != NULL; words += 3) {
		const enum metadata_origin o = words[0][0] == 'o'
		    ? METADATA_OPTION
		    : words[0][0] == 'p' ? METADATA_PATH
					 : METADATA_LOG;

		metadata_state(&stated, o, words[1], words[2],
		    o == METADATA_LOG ? ++line : 0);
	}
	metadata_resolve(&stated, &arena, &f);
	metadata_forget(&stated);
	return f;
}

#define RESOLVE(...) resolve((const char *const[]){ __VA_ARGS__, NULL })

static const char *
source(const struct metadata *f, const char *key)
{
	size_t i;

	for (i = 0; i < f->n_sources; i++)
		if (strcmp(f->sources[i].key, key) == 0)
			return f->sources[i].value;
	return NULL;
}

#define CHECK_COUNTS(f, n_nodes, per_node, all) \
	do { \
		CHECK_INT((f).nodes, n_nodes); \
		CHECK_INT((f).gpus_per_node, per_node); \
		CHECK_INT((f).gpus, all); \
	} while (0)

static void
test_precedence(void)
{
	struct metadata f = RESOLVE("log", "model", "resnet50", "path", "model",
	    "r50", "log", "precision", "fp32");

	CHECK_STR(f.model, "r50");
	CHECK_STR(source(&f, "model"), "path; log line 1 says resnet50");
	CHECK_STR(f.precision, "fp32");
	CHECK_STR(source(&f, "precision"), "log line 2");
	CHECK_INT(f.n_conflicts, 1);
	CHECK_STR(f.conflicts[0].key, "model");
	CHECK_INT(f.conflicts[0].line, 1);
	f = RESOLVE(
	    "log", "model", "a", "path", "model", "b", "option", "model", "c");
	CHECK_STR(f.model, "c");
	CHECK_INT(f.n_conflicts, 2);
	CHECK_STR(
	    source(&f, "model"), "option; path says b; log line 1 says a");
	/* Values that differ only in case agree; the first line counts. */
	f = RESOLVE("log", "precision", "FP32", "log", "precision", "amp",
	    "path", "precision", "fp32");
	CHECK_INT(f.n_conflicts, 0);
	CHECK_STR(f.precision, "fp32");
	CHECK(f.model == NULL && source(&f, "model") == NULL);
}

/* Counts, such as batch sizes and nodes, are compared as numbers, all other
 * values as text. */
static void
test_counts_as_numbers(void)
{
	static const char *const counts[] = { "batch_size_per_device", "nodes",
		"gpus_per_node", "gpus", "sequence_length" };
	struct metadata f;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		f = RESOLVE("log", counts[i], "016", "path", counts[i], "16");
		CHECK_INT(f.n_conflicts, 0);
		f = RESOLVE("log", counts[i], "17", "path", counts[i], "16");
		CHECK_INT(f.n_conflicts, 1);
		CHECK_STR(f.conflicts[0].key, counts[i]);
	}
	f = RESOLVE("log", "model", "016", "path", "model", "16");
	CHECK_INT(f.n_conflicts, 1);
}

/* A row of --map takes precedence over all other sources. */
static void
test_map(void)
{
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	arena_release(&arena);
	metadata_state(&stated, METADATA_OPTION, "model", "b", 0);
	metadata_state(&stated, METADATA_MAP, "model", "c", 3);
	metadata_resolve(&stated, &arena, &f);
	metadata_forget(&stated);
	CHECK_STR(f.model, "c");
	CHECK_STR(source(&f, "model"), "map line 3; option says b");
}

/* "set framework" of a format applies only to logs that do not state one. */
static void
test_format_gives_way(void)
{
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	arena_release(&arena);
	metadata_state(&stated, METADATA_LOG, "framework", "pytorch", 0);
	metadata_state(&stated, METADATA_LOG, "framework", "dlscale", 3);
	metadata_state(&stated, METADATA_LOG, "framework", "late", 9);
	metadata_resolve(&stated, &arena, &f);
	metadata_forget(&stated);
	CHECK_STR(f.framework, "dlscale");
	CHECK_STR(source(&f, "framework"), "log line 3; log line 9 says late");
	CHECK_INT(f.n_conflicts, 1);
	CHECK_INT(f.conflicts[0].line, 9);
	CHECK_STR(f.conflicts[0].taken_place, "log line 3");
	CHECK_STR(f.conflicts[0].other_place, "log line 9");
}

/* Sources of metadata, with line numbers. */
static void
test_places(void)
{
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	arena_release(&arena);
	metadata_state(&stated, METADATA_LOG, "framework", "pytorch", 0);
	metadata_state(&stated, METADATA_LOG, "framework_version", "2.1.0", 7);
	metadata_state(&stated, METADATA_LOG, "device", "H100", 12);
	stated.items[stated.n - 1].file = "rank1.log";
	metadata_state(&stated, METADATA_OPTION, "nodes", "2", 0);
	metadata_state(&stated, METADATA_LOG, "gpus_per_node", "8", 9);
	metadata_resolve(&stated, &arena, &f);
	metadata_forget(&stated);
	CHECK_STR(f.framework_version, "2.1.0");
	CHECK_STR(f.device, "H100");
	CHECK_STR(source(&f, "framework"), "format");
	CHECK_STR(source(&f, "framework_version"), "log line 7");
	CHECK_STR(source(&f, "device"), "log line 12 of rank1.log");
	CHECK_STR(source(&f, "nodes"), "option");
	/* A product has the source of its weaker factor. */
	CHECK_STR(source(&f, "gpus"), "log line 9");
}

static void
test_gpu_choice(void)
{
	struct metadata f =
	    RESOLVE("path", "nodes", "4", "path", "gpus_per_node", "8");

	CHECK_INT(f.gpus, 32);
	CHECK_STR(source(&f, "gpus"), "path");
	f = RESOLVE("path", "gpus", "16", "path", "nodes", "2");
	CHECK_INT(f.gpus_per_node, 8);
	f = RESOLVE("path", "gpus", "16", "log", "gpus_per_node", "4");
	CHECK_INT(f.nodes, 4);
	CHECK_STR(source(&f, "nodes"), "path");
	f = RESOLVE("path", "gpus", "1");
	CHECK_INT(f.nodes, 1);
	CHECK_INT(f.gpus_per_node, 1);
	f = RESOLVE("path", "gpus", "8");
	CHECK_INT(f.gpus, 8);
	CHECK_INT(f.nodes, RESULT_UNKNOWN);
	/* An option that states only the GPUs of one machine. */
	f = RESOLVE("option", "gpus_per_node", "4");
	CHECK_INT(f.nodes, 1);
	CHECK_INT(f.gpus, 4);
	CHECK_STR(source(&f, "nodes"), "option");
	f = RESOLVE("log", "gpus_per_node", "4");
	CHECK_INT(f.nodes, RESULT_UNKNOWN);
	f = RESOLVE("option", "gpus_per_node", "4", "log", "world_size", "8");
	CHECK_INT(f.nodes, 2);
	f = RESOLVE("option", "gpus_per_node", "4", "log", "nodes", "3");
	CHECK_INT(f.gpus, 12);
	f = RESOLVE("path", "gpus", "15", "path", "nodes", "2");
	CHECK_INT(f.gpus_per_node, RESULT_UNKNOWN);
	f = RESOLVE("log", "world_size", "8");
	CHECK_INT(f.gpus, 8);
	/* An option changes one count; the other is kept. */
	f = RESOLVE("path", "nodes", "4", "path", "gpus_per_node", "8",
	    "option", "nodes", "2");
	CHECK_INT(f.gpus, 16);
	CHECK_INT(f.n_conflicts, 1);
}

static void
test_gpus_disagree(void)
{
	struct metadata f = RESOLVE("path", "nodes", "4", "path",
	    "gpus_per_node", "8", "log", "world_size", "16");

	CHECK_COUNTS(f, 2, 8, 16);
	CHECK_INT(f.n_conflicts, 1);
	CHECK_STR(f.conflicts[0].key, "gpus");
	CHECK_STR(f.conflicts[0].taken_value, "16");
	CHECK_STR(f.conflicts[0].other_value, "4 nodes of 8");
	CHECK(f.conflicts[0].flagged);
	CHECK_STR(source(&f, "gpus"), "log line 1; path says 4 nodes of 8");
	f = RESOLVE("path", "gpus", "16", "log", "nodes", "1", "log",
	    "gpus_per_node", "8");
	CHECK_COUNTS(f, 1, 8, 8);
	CHECK(f.n_conflicts == 1 && f.conflicts[0].flagged);
	/* A log's total takes precedence over its other numbers. */
	f = RESOLVE("log", "gpus", "64", "log", "nodes", "2", "log",
	    "gpus_per_node", "8");
	CHECK_COUNTS(f, 8, 8, 64);
	CHECK(f.n_conflicts == 1 && f.conflicts[0].flagged);
	f = RESOLVE("log", "gpus", "16", "log", "nodes", "3");
	CHECK_COUNTS(f, RESULT_UNKNOWN, RESULT_UNKNOWN, 16);
	f = RESOLVE("log", "gpus", "4", "log", "gpus_per_node", "8");
	CHECK_COUNTS(f, RESULT_UNKNOWN, RESULT_UNKNOWN, 4);
}

/* In a log the program's statements take precedence over its launcher's, and
 * these over the job's. Differences between them are not flagged. */
static void
test_voices(void)
{
	static const enum log_voice voices[] = { LOG_GUESS, LOG_MACHINE,
		LOG_JOB, LOG_LAUNCHER, LOG_PROGRAM };
	static const char *const values[] = { "1", "2", "4", "8", "16" };
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	arena_release(&arena);
	for (size_t i = 0; i < 5; i++) {
		metadata_state(&stated, metadata_origin_of(voices[i]), "gpus",
		    values[i], (int64_t)i + 1);
		metadata_resolve(&stated, &arena, &f);
		CHECK_INT(f.gpus, 1L << i);
		for (size_t k = 0; k < f.n_conflicts; k++)
			CHECK(f.conflicts[k].quiet && !f.conflicts[k].flagged);
	}
	/* The path takes precedence over a guess only. */
	metadata_state(&stated, METADATA_PATH, "gpus", "32", 0);
	metadata_resolve(&stated, &arena, &f);
	CHECK_INT(f.gpus, 16);
	stated.n = 0;
	metadata_state(&stated, METADATA_PATH, "gpus", "32", 0);
	metadata_state(&stated, METADATA_GUESS, "gpus", "1", 7);
	metadata_resolve(&stated, &arena, &f);
	CHECK_INT(f.gpus, 32);
	CHECK_INT(f.n_conflicts, 0);
	metadata_forget(&stated);
}

static void
test_batch(void)
{
	struct metadata f =
	    RESOLVE("log", "batch_size", "256", "path", "gpus", "8");

	CHECK_INT(f.batch_size_per_device, 32);
	CHECK_STR(source(&f, "batch_size_per_device"), "path");
	f = RESOLVE("log", "batch_size", "255", "path", "gpus", "8");
	CHECK_INT(f.batch_size_per_device, RESULT_UNKNOWN);
	f = RESOLVE("log", "batch_size", "256");
	CHECK_INT(f.batch_size_per_device, RESULT_UNKNOWN);
	/* A global batch or that of a process: both agree with 32 each. */
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "256");
	CHECK_INT(f.n_conflicts, 0);
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "32");
	CHECK_INT(f.n_conflicts, 0);
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "128");
	CHECK_INT(f.n_conflicts, 1);
	CHECK(f.conflicts[0].flagged);
	CHECK_STR(f.conflicts[0].taken_value, "128 on 8");
	CHECK_INT(f.batch_size_per_device, 16);
	f = RESOLVE("option", "batch_size_per_device", "32", "path", "gpus",
	    "8", "log", "batch_size", "128");
	CHECK_STR(f.conflicts[0].taken_value, "32 each on 8");
	CHECK_INT(f.batch_size_per_device, 32);
}

/* The global batch size is the micro-batch size times the accumulation steps
 * times the number of data-parallel devices. */
static void
test_micro_batches(void)
{
	struct metadata f = RESOLVE("log", "micro_batch_size", "4", "log",
	    "accumulation", "2", "path", "gpus", "8");

	CHECK_INT(f.batch_size, 64);
	CHECK_INT(f.batch_size_per_device, 8);
	CHECK_STR(source(&f, "batch_size_per_device"), "path");
	f = RESOLVE("log", "micro_batch_size", "4", "path", "gpus", "8");
	CHECK_INT(f.batch_size, 32);
	f = RESOLVE("log", "micro_batch_size", "4", "log", "accumulation", "2",
	    "log", "data_parallel", "4", "path", "gpus", "8");
	CHECK_INT(f.batch_size, 32);
	CHECK_INT(f.batch_size_per_device, 4);
	/* Stated values take precedence. */
	f = RESOLVE("log", "micro_batch_size", "4", "log", "batch_size", "80",
	    "path", "gpus", "8");
	CHECK_INT(f.batch_size, 80);
	f = RESOLVE("log", "micro_batch_size", "4", "log",
	    "batch_size_per_device", "16", "path", "gpus", "8");
	CHECK_INT(f.batch_size, 128);
	f = RESOLVE("log", "micro_batch_size", "4");
	CHECK_INT(f.batch_size, RESULT_UNKNOWN);
	/* The largest product that fits, and one that overflows. */
	f = RESOLVE("log", "micro_batch_size", "4611686018427387903", "log",
	    "gpus", "2");
	CHECK_INT(f.batch_size, 9223372036854775806);
	f = RESOLVE("log", "micro_batch_size", "4611686018427387904", "log",
	    "gpus", "2");
	CHECK_INT(f.batch_size, RESULT_UNKNOWN);
}

/* Unstated GPUs are computed from batch sizes, else from tasks. */
static void
test_gpus_of_batches(void)
{
	struct metadata f = RESOLVE(
	    "log", "batch_size", "2048", "log", "batch_size_per_device", "256");

	CHECK_INT(f.gpus, 8);
	f = RESOLVE("log", "batch_size", "128", "log", "micro_batch_size", "4",
	    "log", "accumulation", "4", "log", "gpus_per_node", "4");
	CHECK_COUNTS(f, 2, 4, 8);
	f = RESOLVE("log", "batch_size", "128", "log", "micro_batch_size", "4",
	    "log", "model_parallel", "2");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
	CHECK_INT(f.n_conflicts, 0);
	f = RESOLVE("log", "batch_size", "128", "log", "micro_batch_size", "4",
	    "log", "accumulation", "4", "log", "gpus", "4");
	CHECK_INT(f.gpus, 4);
	CHECK(f.n_conflicts == 1 && f.conflicts[0].flagged);
	CHECK_STR(f.conflicts[0].other_value, "a batch of 128 / 16");
	f = RESOLVE(
	    "log", "batch_size", "130", "log", "batch_size_per_device", "4");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
	/* The number of micro-batches per iteration is unknown. */
	f = RESOLVE("log", "batch_size", "128", "log", "micro_batch_size", "4");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
	f = RESOLVE(
	    "log", "batch_size", "128", "path", "batch_size_per_device", "16");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
	f = RESOLVE("log", "tasks", "16", "log", "nodes", "2");
	CHECK_COUNTS(f, 2, 8, 16);
	f = RESOLVE("log", "tasks", "2", "log", "nodes", "2");
	CHECK_COUNTS(f, 2, RESULT_UNKNOWN, RESULT_UNKNOWN);
	f = RESOLVE("log", "tasks", "1");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
}

/* The largest counts that fit. */
static void
test_products(void)
{
	struct metadata f;

	f = RESOLVE(
	    "log", "nodes", "1152921504606846975", "log", "gpus_per_node", "8");
	CHECK_INT(f.gpus, 9223372036854775800);
	/* Of two equally weak sources the first is named. */
	CHECK_STR(source(&f, "gpus"), "log line 1");
	/* Of three equally strong counts the total is dropped. */
	f = RESOLVE("path", "gpus", "16", "path", "nodes", "1", "path",
	    "gpus_per_node", "8");
	CHECK_INT(f.gpus, 8);
	CHECK_INT(f.nodes, 1);
	CHECK_INT(f.n_conflicts, 1);
}

/* Lines of the log may change the batch only if nothing else states it. */
static void
test_batch_by_log(void)
{
	struct metadata f =
	    RESOLVE("log", "batch_size", "256", "path", "gpus", "8");

	CHECK_INT(f.batch_by_log, 1);
	f = RESOLVE("option", "batch_size", "256", "log", "gpus", "8");
	CHECK_INT(f.batch_by_log, 0);
	f = RESOLVE("log", "batch_size", "256", "option",
	    "batch_size_per_device", "32", "log", "gpus", "8");
	CHECK_INT(f.batch_by_log, 0);
}

/* If nodes and devices per node are equally strong and contradict an option's
 * total, the nodes change. */
static void
test_nodes_give_way(void)
{
	struct metadata f = RESOLVE("path", "nodes", "2", "path",
	    "gpus_per_node", "8", "option", "gpus", "8");

	CHECK_COUNTS(f, 1, 8, 8);
	f = RESOLVE("path", "nodes", "2", "log", "gpus_per_node", "8", "option",
	    "gpus", "8");
	CHECK_COUNTS(f, 1, 8, 8);
	/* (2^61 + 1) * 8 overflows to 8, which must not count as equal. */
	f = RESOLVE("path", "nodes", "2305843009213693953", "path",
	    "gpus_per_node", "8", "option", "gpus", "8");
	CHECK_INT(f.gpus, 8);
	CHECK_INT(f.nodes, 1);
}

static void
test_no_counts(void)
{
	struct metadata f = RESOLVE("path", "nodes", "0", "log", "nodes", "2",
	    "log", "batch_size_per_device", "abc", "path", "gpus_per_node",
	    "99999999999999999999", "log", "nonsense", "1", "log", "model", "");

	CHECK_INT(f.nodes, 2);
	CHECK_INT(f.batch_size_per_device, RESULT_UNKNOWN);
	CHECK_INT(f.gpus_per_node, RESULT_UNKNOWN);
	CHECK(f.model == NULL);
	/* A product that does not fit. */
	f = RESOLVE("path", "nodes", "9223372036854775807", "path",
	    "gpus_per_node", "8");
	CHECK_INT(f.gpus, RESULT_UNKNOWN);
}

static void
test_labels(void)
{
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	arena_release(&arena);
	metadata_label(&stated, METADATA_PATH, "fusion", "0");
	metadata_label(&stated, METADATA_PATH, "cycle", "5");
	metadata_label(&stated, METADATA_OPTION, "label", "new");
	metadata_label(&stated, METADATA_OPTION, "fusion", "1");
	metadata_resolve(&stated, &arena, &f);
	metadata_forget(&stated);
	CHECK_INT(f.n_labels, 3);
	CHECK_STR(f.labels[0].key, "cycle");
	CHECK_STR(f.labels[1].key, "fusion");
	CHECK_STR(f.labels[1].value, "1");
	CHECK_STR(f.labels[2].value, "new");
}

/* Lines that state the same number agree, whatever its spelling. */
static void
test_same_counts(void)
{
	static const struct {
		const char *one, *two;
		size_t conflicts;
	} cases[] = { { "4", "4", 0 }, { "4", "04", 0 }, { "4", "8", 1 } };

	for (size_t i = 0; i < 3; i++) {
		struct metadata_stated s = METADATA_STATED_INIT;
		struct arena a = ARENA_INIT;
		struct metadata f;

		metadata_state(&s, METADATA_LOG, "nodes", cases[i].one, 3);
		metadata_state(&s, METADATA_LOG, "nodes", cases[i].two, 9);
		metadata_resolve(&s, &a, &f);
		CHECK_INT(f.nodes, 4);
		CHECK_INT(f.n_conflicts, cases[i].conflicts);
		metadata_forget(&s);
		arena_release(&a);
	}
}

/* A line takes precedence over statements of the format about all its logs;
 * among lines, and among such statements, the first counts. */
static void
test_stated_twice(void)
{
	static const struct {
		const char *value;
		int64_t line; /* 0: of the format */
		const char *holds;
	} said[] = { { "a", 0, "a" }, { "b", 0, "a" }, { "c", 1, "c" },
		{ "d", 2, "c" }, { "e", 0, "c" } };
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct metadata f;

	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
		metadata_state(&stated, METADATA_LOG, "model", said[i].value,
		    said[i].line);
		arena_release(&arena);
		metadata_resolve(&stated, &arena, &f);
		CHECK_STR(f.model, said[i].holds);
	}
	metadata_forget(&stated);
}

/* The first value of a key that is a number, with or without separators. */
static void
test_log_number(void)
{
	struct log_metadata stated[] = { { "model", "resnet50", 1,
					     LOG_PROGRAM },
		{ "epoch_samples", "many", 2, LOG_PROGRAM },
		{ "epoch_samples", "1,281,167", 3, LOG_PROGRAM },
		{ "epoch_samples", "5", 4, LOG_PROGRAM },
		{ "image_size", "224px", 5, LOG_PROGRAM } };
	struct log log;

	memset(&log, 0, sizeof log);
	log.metadata = stated;
	log.n_metadata = sizeof stated / sizeof stated[0];
	CHECK_NEAR(metadata_log_number(&log, "epoch_samples"), 1281167, 0);
	CHECK(isnan(metadata_log_number(&log, "image_size")));
	CHECK(isnan(metadata_log_number(&log, "parameters")));
}

static const struct tap_test tests[] = {
	TEST(test_stated_twice),
	TEST(test_same_counts),
	TEST(test_precedence),
	TEST(test_counts_as_numbers),
	TEST(test_map),
	TEST(test_format_gives_way),
	TEST(test_places),
	TEST(test_gpu_choice),
	TEST(test_gpus_disagree),
	TEST(test_voices),
	TEST(test_gpus_of_batches),
	TEST(test_batch),
	TEST(test_micro_batches),
	TEST(test_products),
	TEST(test_batch_by_log),
	TEST(test_nodes_give_way),
	TEST(test_no_counts),
	TEST(test_labels),
	TEST(test_log_number),
};

int
main(void)
{
	const int rc = tap_main(tests, N_TESTS(tests));

	arena_release(&arena);
	return rc;
}
