#include <config.h>

#include "extract/measure/metadata.h"
#include "tests/tap.h"

static struct arena arena = ARENA_INIT;

/* "option nodes 4" and so on, NULL at the end. */
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
	/* Spelling in capitals is no disagreement; the first line holds. */
	f = RESOLVE("log", "precision", "FP32", "log", "precision", "amp",
	    "path", "precision", "fp32");
	CHECK_INT(f.n_conflicts, 0);
	CHECK_STR(f.precision, "fp32");
	CHECK(f.model == NULL && source(&f, "model") == NULL);
}

/* "set framework" of a format is for logs that do not state it themselves. */
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

/* Where metadata came from, to the line. */
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
	/* Their product is as sure as the less sure of them. */
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
	CHECK_STR(source(&f, "nodes"), "log line 1");
	f = RESOLVE("path", "gpus", "1");
	CHECK_INT(f.nodes, 1);
	CHECK_INT(f.gpus_per_node, 1);
	f = RESOLVE("path", "gpus", "8");
	CHECK_INT(f.gpus, 8);
	CHECK_INT(f.nodes, RESULT_UNKNOWN);
	/* An option that gives one machine's GPUs alone. */
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
	/* An option changes one; the other stays. */
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

	CHECK_INT(f.gpus, 32);
	CHECK_INT(f.n_conflicts, 1);
	CHECK_STR(f.conflicts[0].key, "gpus");
	CHECK_STR(f.conflicts[0].taken_value, "32");
	CHECK_STR(f.conflicts[0].other_value, "16");
	CHECK_STR(source(&f, "gpus"), "path; log line 1 says 16");
	/* The total of the path against the log's idea of one node. */
	f = RESOLVE("path", "gpus", "16", "log", "nodes", "1", "log",
	    "gpus_per_node", "8");
	CHECK_INT(f.gpus, 16);
	CHECK_INT(f.nodes, 2);
	CHECK_INT(f.gpus_per_node, 8);
}

static void
test_batch(void)
{
	struct metadata f =
	    RESOLVE("log", "batch_size", "256", "path", "gpus", "8");

	CHECK_INT(f.batch_size_per_device, 32);
	CHECK_STR(source(&f, "batch_size_per_device"), "log line 1");
	f = RESOLVE("log", "batch_size", "255", "path", "gpus", "8");
	CHECK_INT(f.batch_size_per_device, RESULT_UNKNOWN);
	f = RESOLVE("log", "batch_size", "256");
	CHECK_INT(f.batch_size_per_device, RESULT_UNKNOWN);
	/* Global, or that of a process: both agree with 32 each. */
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "256");
	CHECK_INT(f.n_conflicts, 0);
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "32");
	CHECK_INT(f.n_conflicts, 0);
	f = RESOLVE("path", "batch_size_per_device", "32", "path", "gpus", "8",
	    "log", "batch_size", "128");
	CHECK_INT(f.n_conflicts, 1);
	CHECK_STR(f.conflicts[0].taken_value, "32 each on 8");
	CHECK_INT(f.batch_size_per_device, 32);
}

/* An option's total against nodes and devices that are stated as strongly as
 * each other: the nodes give way. */
static void
test_nodes_give_way(void)
{
	struct metadata f = RESOLVE("path", "nodes", "2", "path",
	    "gpus_per_node", "8", "option", "gpus", "8");

	CHECK_INT(f.gpus, 8);
	CHECK_INT(f.gpus_per_node, 8);
	CHECK_INT(f.nodes, 1);
	f = RESOLVE("path", "nodes", "2", "log", "gpus_per_node", "8", "option",
	    "gpus", "8");
	CHECK_INT(f.nodes, 2);
	CHECK_INT(f.gpus_per_node, 4);
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

/* Lines that state one number twice, in whatever spelling, agree. */
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

static const struct tap_test tests[] = {
	TEST(test_same_counts),
	TEST(test_precedence),
	TEST(test_format_gives_way),
	TEST(test_places),
	TEST(test_gpu_choice),
	TEST(test_gpus_disagree),
	TEST(test_batch),
	TEST(test_nodes_give_way),
	TEST(test_no_counts),
	TEST(test_labels),
};

int
main(void)
{
	const int rc = tap_main(tests, N_TESTS(tests));

	arena_release(&arena);
	return rc;
}
