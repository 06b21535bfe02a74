/* The summary of a whole run: the choice among several, its scope, and the
 * remarks about it. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

enum { MAX_ROWS = 16 };
static struct arena arena;

/* Measure n logs of a job by their summaries.
 *
 * gpus, nodes  RESULT_UNKNOWN: not known */
static int
measure(struct log *const *logs, size_t n, long nodes, long gpus,
    const struct rule *rule, struct measured *m, struct exclusion *x)
{
	const struct metadata f = { .batch_size_per_device = 64,
		.nodes = nodes,
		.gpus_per_node = gpus == RESULT_UNKNOWN ? gpus : gpus / nodes,
		.gpus = gpus };
	const struct log *packed[4];
	const struct run_source source = { packed, n, &f, NULL };

	for (size_t i = 0; i < n; i++)
		packed[i] = log_pack(logs[i]);
	arena_release(&arena);
	return measure_run(&source, rule, &arena, m, x);
}

/* The rule that uses the summary of the whole run. */
static struct rule
summary_rule(enum metric metric)
{
	struct rule rule = RULE_DEFAULT;

	rule.kind = RULE_SUMMARY;
	rule.metric = metric;
	return rule;
}

/* The last of several summaries is used, whether larger or smaller. */
static void
test_last_counts(void)
{
	static const double values[] = { 700, 750, 720, 720 };
	const struct rule rule = summary_rule(METRIC_THROUGHPUT);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int n = 1; n <= 4; n++) {
		struct log *log = log_new(&dllogger);

		for (int i = 0; i < n; i++)
			log_add_summary(log, values[i], "images/s");
		log_add_summary(log, 90, "s");
		CHECK_INT(measure(&log, 1, 1, 2, &rule, &m, &x), 0);
		CHECK_NEAR(m.run.value, values[n - 1], 0);
		CHECK_INT(m.run.first_line, n);
		CHECK_INT(m.run.last_line, n);
		CHECK_STR(m.unit, "images/s");
		log_drop(log);
	}
}

/* The time between two events takes precedence over a time that the program
 * computed, in any order of lines; in seconds and in minutes. */
static void
test_events_first(void)
{
	const struct rule rule = summary_rule(METRIC_TIME_TO_TRAIN);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int at = 0; at < 3; at++) {
		struct log *log = log_new(&dllogger);

		for (int i = 0; i < 3; i++) {
			log_add_summary(
			    log, i == at ? 90 : 5, i == at ? "s" : "min");
			log->summaries[i].event = i == at;
		}
		CHECK_INT(measure(&log, 1, 1, 2, &rule, &m, &x), 0);
		CHECK_NEAR(m.run.value, 1.5, 1e-15);
		CHECK_STR(m.unit, "min");
		CHECK_INT(m.run.first_line, at + 1);
		log->summaries[at].event = 0;
		CHECK_INT(measure(&log, 1, 1, 2, &rule, &m, &x), 0);
		CHECK_NEAR(m.run.value, at == 2 ? 1.5 : 5, 1e-15);
		log_drop(log);
	}
}

/* The best trial is used; of equal ones, the last. */
static void
test_trials(void)
{
	const struct rule rule = summary_rule(METRIC_THROUGHPUT);
	struct meaning meaning = dllogger;
	struct log *log = log_new(&meaning);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.trials = 1;
	log_add_range(log, 0, 1, 3, 800);
	log_add_summary(log, 700, "images/s");
	log_add_summary(log, 800, "images/s");
	log_add_summary(log, 800, "images/s");
	log_add_summary(log, 750, "images/s");
	log->summaries[2].text = "batch 64";
	CHECK_INT(measure(&log, 1, 1, 2, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 800, 0);
	CHECK_INT(m.run.first_line, 6);
	CHECK(run_says(&m.run, "best of 3 trials: batch 64"));
	log_drop(log);
}

/* An invalid rate or time is reported with its line. */
static void
test_no_number(void)
{
	static const double bad[] = { 0, -1, NAN, INFINITY };
	const struct rule rule = summary_rule(METRIC_THROUGHPUT);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int i = 0; i < N_TESTS(bad); i++) {
		struct log *log = log_new(&dllogger);

		log_add_summary(log, 700, "images/s");
		log_add_summary(log, bad[i], "images/s");
		CHECK_INT(measure(&log, 1, 1, 2, &rule, &m, &x), -1);
		CHECK_STR(reason_of(&x), EXCLUDED_BAD_VALUE);
		CHECK_STR(why_said(&x),
		    "a.log:2: the figure of the whole run is not a "
		    "plausible number above 0");
		log_drop(log);
	}
}

/* The first of several files with a summary is used if it covers the whole
 * job. */
static void
test_several_files(void)
{
	const struct rule rule = summary_rule(METRIC_THROUGHPUT);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int first = 0; first < 3; first++) {
		struct log *logs[3];

		for (int i = 0; i < 3; i++) {
			logs[i] = log_new(&dllogger);
			if (i >= first)
				log_add_summary(
				    logs[i], 100 + 10 * i, "images/s");
		}
		CHECK_INT(measure(logs, 3, 1, 2, &rule, &m, &x), 0);
		CHECK_NEAR(m.run.value, 100 + 10 * first, 0);
		CHECK_INT(m.run.n_flags, 0);
		for (int i = 0; i < 3; i++)
			log_drop(logs[i]);
	}
}

/* Rates of devices are summed; a sum with some missing is scaled up. */
static void
test_scaled_up(void)
{
	static const struct {
		int scope; /* option of the user */
		int n;     /* files that print a rate */
		long nodes, gpus;
		double value; /* 0: excluded */
		const char *flag;
	} cases[] = {
		{ SCOPE_BY_FORMAT, 2, 1, 2, 210, NULL },
		{ SCOPE_BY_FORMAT, 2, 1, 4, 420,
		    "only 2 of 4 ranks print rates: their sum is scaled up" },
		{ SCOPE_BY_FORMAT, 1, 1, 2, 200,
		    "the rate of one of 2 ranks, times 2" },
		{ SCOPE_BY_FORMAT, 1, 1, 1, 100, NULL },
		{ SCOPE_BY_FORMAT, 2, RESULT_UNKNOWN, RESULT_UNKNOWN, 210,
		    "number of ranks unknown: sum over the 2 that printed" },
		{ SCOPE_BY_FORMAT, 1, RESULT_UNKNOWN, RESULT_UNKNOWN, 0, NULL },
		{ SCOPE_DEVICE, 2, 2, 8, 840,
		    "only 2 of 8 ranks print rates: their sum is scaled up" },
		{ SCOPE_NODE, 2, 2, 8, 210, NULL },
		{ SCOPE_NODE, 2, 4, 8, 420,
		    "only 2 of 4 nodes print rates: their sum is scaled up" },
		{ SCOPE_NODE, 2, RESULT_UNKNOWN, RESULT_UNKNOWN, 210,
		    "number of nodes unknown: sum over the 2 that printed" },
		{ SCOPE_GLOBAL, 2, 2, 8, 100, NULL },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct rule rule = summary_rule(METRIC_THROUGHPUT);
		struct log *logs[2];
		struct exclusion x = EXCLUSION_INIT;
		struct measured m;
		int rc;

		printf("# case %d\n", i);
		rule.rate_scope = cases[i].scope;
		for (int k = 0; k < 2; k++) {
			logs[k] = log_new(&dllogger);
			if (k >= cases[i].n)
				continue;
			log_add_summary(logs[k], 100 + 10 * k, "images/s");
			logs[k]->summaries[0].per_device =
			    cases[i].scope == SCOPE_BY_FORMAT;
		}
		rc = measure(
		    logs, 2, cases[i].nodes, cases[i].gpus, &rule, &m, &x);
		CHECK_INT(rc, cases[i].value > 0 ? 0 : -1);
		if (rc == 0) {
			CHECK_NEAR(m.run.value, cases[i].value, 1e-12);
			CHECK_INT(m.run.n_flags, cases[i].flag != NULL);
			if (cases[i].flag != NULL)
				CHECK_STR(said(&m.run.flags[0]), cases[i].flag);
		} else {
			CHECK_STR(reason_of(&x), EXCLUDED_NO_GPUS);
		}
		log_drop(logs[0]);
		log_drop(logs[1]);
	}
}

/* The rate of one device or node, whose number is unknown: the message names
 * the options that include it. */
static void
test_of_a_part(void)
{
	static const struct {
		int scope;
		long per_node;
		const char *message; /* up to "to include it" */
	} cases[] = {
		{ SCOPE_DEVICE, RESULT_UNKNOWN,
		    "prints the rate of one device, and neither an option nor "
		    "the path nor the log states how many there are; pass "
		    "--nodes=N --gpus-per-node=N to include it" },
		{ SCOPE_DEVICE, 1,
		    "prints the rate of one device, and neither an option nor "
		    "the path nor the log states how many there are; pass "
		    "--nodes=N to include it" },
		{ SCOPE_NODE, RESULT_UNKNOWN,
		    "prints the rate of one node, and neither an option nor "
		    "the path nor the log states how many there are; pass "
		    "--nodes=N to include it" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct rule rule = summary_rule(METRIC_THROUGHPUT);
		const struct metadata f = { .batch_size_per_device = 64,
			.nodes = RESULT_UNKNOWN,
			.gpus_per_node = cases[i].per_node,
			.gpus = RESULT_UNKNOWN };
		struct log *log = log_new(&dllogger);
		const struct log *packed = log_pack(log);
		const struct run_source source = { &packed, 1, &f, NULL };
		struct exclusion x = EXCLUSION_INIT;
		struct measured m;

		log_add_summary(log, 100, "images/s");
		rule.rate_scope = cases[i].scope;
		arena_release(&arena);
		CHECK_INT(measure_run(&source, &rule, &arena, &m, &x), -1);
		CHECK_STR(reason_of(&x), EXCLUDED_NO_GPUS);
		CHECK_INT(strncmp(why_said(&x), cases[i].message,
			      strlen(cases[i].message)),
		    0);
		log_drop(log);
	}
}

/* Measure n tests of a benchmark of collectives, one row each. Test k = 1, 2,
 * ... prints k GB/s.
 *
 * unnamed  number of a test without a name; 0: none */
static void
measure_tests(int n, int unnamed, struct measured *m)
{
	static struct log_collective rows[MAX_ROWS];
	static const char *const names[] = { "", "a", "b" };
	const struct rule rule = summary_rule(METRIC_THROUGHPUT);
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;

	CHECK(n <= MAX_ROWS);
	log->collectives = rows;
	for (int k = 1; k <= n; k++) {
		rows[log->n_collectives++] = (struct log_collective){
			k == unnamed ? NULL : names[1 + (k - 1) % 2], "row", 8,
			NAN, NAN, NAN, 1, ++log->lines
		};
		log_add_summary(log, k, "GB/s");
		/* Ignored for bandwidths of links. */
		log->summaries[k - 1].per_device = 1;
	}
	CHECK_INT(measure(&log, 1, 1, 8, &rule, m, &x), 0);
	CHECK_NEAR(m->run.value, n, 0);
	CHECK_STR(m->unit, "GB/s");
	CHECK_INT(m->run.n_flags, n > 1);
	log_drop(log);
}

/* The last test is used; up to eight before it are named. */
static void
test_tests_named(void)
{
	struct measured m;

	measure_tests(1, 0, &m);
	measure_tests(2, 0, &m);
	CHECK_STR(said(&m.run.flags[0]),
	    "2 benchmarks in it: that of b (before: a 1 GB/s)");
	measure_tests(3, 2, &m);
	CHECK_STR(said(&m.run.flags[0]),
	    "3 benchmarks in it: that of a (before: a 1, one without a name 2 "
	    "GB/s)");
	measure_tests(9, 0, &m);
	CHECK_STR(said(&m.run.flags[0]),
	    "9 benchmarks in it: that of a (before: a 1, b 2, a 3, b 4, a 5, b "
	    "6, a 7, b 8 GB/s)");
	measure_tests(10, 0, &m);
	CHECK_STR(said(&m.run.flags[0]),
	    "10 benchmarks in it: that of b (before: a 1, b 2, a 3, b 4, a 5, "
	    "b 6, a 7, b 8 GB/s and 1 more)");
}

static const struct tap_test tests[] = {
	TEST(test_last_counts),
	TEST(test_events_first),
	TEST(test_trials),
	TEST(test_no_number),
	TEST(test_several_files),
	TEST(test_scaled_up),
	TEST(test_of_a_part),
	TEST(test_tests_named),
};

int
main(void)
{
	tap_main(tests, N_TESTS(tests));
	arena_release(&arena);
	return 0;
}
