#include <config.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"

static struct arena arena = ARENA_INIT;

static struct metadata
facts_of(long batch, long nodes, long per_node)
{
	return (struct metadata){ .batch_size_per_device = batch,
		.nodes = nodes,
		.gpus_per_node = per_node,
		.gpus = nodes == RESULT_UNKNOWN ? RESULT_UNKNOWN
						: nodes * per_node };
}

static int
measure(struct log *log, const struct metadata *f, const struct rule *rule,
    struct measured *m, struct exclusion *x)
{
	const struct log *packed = log_pack(log);
	const struct run_source source = { &packed, 1, f };

	arena_release(&arena);
	return measure_run(&source, rule, &arena, m, x);
}

static void
test_speed_from_times(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = facts_of(128, 4, 8);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	int i;

	log->shown = "4n8g/r50_b128_fp32_1.log";
	for (i = 0; i < 130; i++) {
		log_add(log, 0, i, 0.4);
		log_add(log, 0, i, 0.6); /* two of 32 ranks print */
	}
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-15);
	CHECK_NEAR(m.run.samples_per_s, 128 * 32 / 0.5, 1e-9);
	CHECK_NEAR(m.run.value, m.run.samples_per_s, 0);
	CHECK_STR(m.unit, "samples/s");
	CHECK_INT(m.kind, RULE_WINDOW);
	CHECK_INT(m.run.iterations, 100);
	CHECK_INT(m.run.first_iteration, 25);
	CHECK_INT(m.run.last_iteration, 124);
	CHECK_INT(m.run.first_line, 51);
	CHECK_INT(m.run.last_line, 250);
	CHECK_INT(m.run.ranks_seen, 2);
	CHECK_INT(m.run.n_flags, 0);
	CHECK_STR(m.run.path, "4n8g/r50_b128_fp32_1.log");
	CHECK_STR(m.run.run, "r50_b128_fp32_1");
	CHECK_NEAR(m.run.audit.imbalance, 0.2, 1e-14);
	log_drop(log);
}

static void
test_needs(void)
{
	struct rule rule = RULE_DEFAULT;
	struct metadata f = facts_of(RESULT_UNKNOWN, 1, 1);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 0, 129, 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_NO_BATCH);
	CHECK(strstr(x.error.message, "--batch-size-per-device=N") != NULL);
	f = facts_of(128, RESULT_UNKNOWN, RESULT_UNKNOWN);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_NO_GPUS);
	/* The time of a step needs neither. */
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 0.5, 1e-15);
	CHECK(isnan(m.run.samples_per_s));
	CHECK_STR(m.unit, "s");
	log_drop(log);
}

static void
test_rates(void)
{
	struct meaning tokens = dllogger;
	struct rule rule = RULE_DEFAULT;
	struct metadata f = facts_of(RESULT_UNKNOWN, 1, 8);
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 1, 130, 800);
	/* A rate needs no batch. */
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 800, 1e-9);
	CHECK_STR(m.unit, "images/s");
	CHECK(isnan(m.run.step_s));
	CHECK_NEAR(m.run.audit.p50, 1 / 800.0, 1e-15);
	/* With one it tells the time of a step. */
	f.batch_size_per_device = 50;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-12);
	CHECK_NEAR(m.run.audit.p50, 0.5, 1e-12);
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 0.5, 1e-12);
	/* Tokens do not. */
	tokens.unit = "tokens/s";
	log->meaning = &tokens;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.error.message,
	    "prints tokens/s, which does not tell the time of a step");
	/* Nor do parts of samples. */
	tokens.unit = "items/s";
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.error.message,
	    "prints items/s, which does not tell the time of a step");
	rule.metric = METRIC_THROUGHPUT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(isnan(m.run.samples_per_s));
	CHECK_NEAR(m.run.value, 800, 1e-9);
	/* Iterations do. */
	tokens.unit = "iterations/s";
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 1 / 800.0, 1e-15);
	log_drop(log);
}

static void
test_summary(void)
{
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = facts_of(64, 1, 2);
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 1, 130, 800);
	rule.kind = RULE_SUMMARY;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_NO_SUMMARY);
	CHECK_STR(x.error.message,
	    "prints no figure of the whole run; "
	    "--rule=window would admit it");
	log_add_summary(log, 700, "images/s");
	log_add_summary(log, 750, "images/s");
	log_add_summary(log, 90, "s");
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 750, 0); /* the last of its kind */
	CHECK_INT(m.run.first_line, 132);
	CHECK_INT(m.run.iterations, RESULT_UNKNOWN);
	CHECK_INT(m.run.audit.settled_at, RESULT_UNKNOWN);
	rule.kind = RULE_BY_FORMAT;
	rule.metric = METRIC_TIME_TO_TRAIN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 1.5, 0);
	CHECK_STR(m.unit, "min");
	CHECK(isnan(m.run.samples_per_s));
	log_drop(log);

	log = log_new(&dllogger);
	log_add_summary(log, 700, "images/s");
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.error.message,
	    "prints no figure of the whole run's time; --metric=throughput "
	    "--rule=summary would admit it");
	/* Nothing else was printed, and no rule was asked for. */
	rule = (struct rule)RULE_DEFAULT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 700, 0);
	CHECK_INT(m.kind, RULE_SUMMARY);
	rule.kind = RULE_WINDOW;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_NO_STEPS);
	CHECK_STR(x.error.message,
	    "no iteration is printed in it; "
	    "--rule=summary would admit it");
	log_drop(log);

	log = log_new(&dllogger);
	log_add_summary(log, 90, "s");
	rule = (struct rule)RULE_DEFAULT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.error.message,
	    "no iteration is printed in it; "
	    "--metric=time-to-train would admit it");
	log_drop(log);
}

/* A bad value stops a run only where it would count. */
static void
test_bad_values(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = facts_of(64, 1, 2);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 0, 129, 0.5);
	log_item(log, 3)->value = NAN;
	log_item(log, 127)->value = -1;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-15);
	log_item(log, 70)->value = NAN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_BAD_VALUE);
	CHECK_STR(x.error.message,
	    "a.log:71: the time of iteration 70 is not a number above 0 within "
	    "reason");
	log_drop(log);
}

static void
test_flags(void)
{
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = facts_of(64, 1, 1);
	struct log *log = log_new(&imagenet), *more;
	const struct log *logs[2];
	const struct run_source two = { logs, 2, &f };
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	int i;

	for (i = 0; i < 53; i += 10)
		log_add(log, 0, i, 0.5)->iters = 53;
	for (i = 0; i < 201; i += 10)
		log_add(log, 1, i, 0.5);
	rule.aggregate = AGGREGATE_MEDIAN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_INT(m.run.n_flags, 3);
	CHECK_STR(m.run.flags[0],
	    "epochs 0\xe2\x80\x93"
	    "1");
	CHECK_STR(m.run.flags[1], "sampled 1 of 10");
	CHECK_STR(m.run.flags[2], "median of the records");
	log_drop(log);

	/* Lines that were lost. */
	rule = (struct rule)RULE_DEFAULT;
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 59, 0.5);
	log_add_range(log, 0, 63, 129, 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_INT(m.run.n_flags, 1);
	CHECK_STR(m.run.flags[0], "97 of 100 iterations printed");
	CHECK_INT(m.run.iterations, 97);
	log_drop(log);

	log = log_new(&imagenet);
	more = log_new(&imagenet);
	log_add_range(log, 0, 0, 129, 0.5);
	log_add_range(more, 0, 0, 129, 0.7);
	logs[0] = log_pack(log);
	logs[1] = log_pack(more);
	arena_release(&arena);
	CHECK_INT(measure_run(&two, &rule, &arena, &m, &x), -1);
	CHECK_STR(x.reason, EXCLUDED_RESTART); /* on one GPU */
	log_drop(log);
	log_drop(more);
}

static const struct tap_test tests[] = {
	TEST(test_speed_from_times),
	TEST(test_needs),
	TEST(test_rates),
	TEST(test_summary),
	TEST(test_bad_values),
	TEST(test_flags),
};

int
main(void)
{
	tap_main(tests, N_TESTS(tests));
	arena_release(&arena);
	return 0;
}
