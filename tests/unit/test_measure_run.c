#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

static struct arena arena;

static struct metadata
metadata_of(long batch, long nodes, long per_node)
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
	const struct run_source source = { &packed, 1, f, NULL };

	arena_release(&arena);
	return measure_run(&source, rule, &arena, m, x);
}

static void
test_speed_from_times(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(128, 4, 8);
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
	CHECK_INT(m.run.n_flags, 1);
	CHECK_STR(said(&m.run.flags[0]), "ranks are unbalanced by 20 %");
	CHECK_STR(m.run.path, "4n8g/r50_b128_fp32_1.log");
	CHECK_STR(m.run.run, "r50_b128_fp32_1");
	CHECK_NEAR(m.run.audit.imbalance, 0.2, 1e-14);
	log_drop(log);
}

static void
test_needs(void)
{
	struct rule rule = RULE_DEFAULT;
	struct metadata f = metadata_of(RESULT_UNKNOWN, 1, 1);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 0, 129, 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_BATCH);
	CHECK(strstr(why_said(&x), "--batch-size-per-device=N") != NULL);
	f = metadata_of(128, RESULT_UNKNOWN, RESULT_UNKNOWN);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_GPUS);
	/* The step time needs neither. */
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 0.5, 1e-15);
	CHECK(isnan(m.run.samples_per_s));
	CHECK_STR(m.unit, "s");
	/* A global batch suffices, even a batch of 1. */
	rule.metric = METRIC_THROUGHPUT;
	f = metadata_of(RESULT_UNKNOWN, RESULT_UNKNOWN, RESULT_UNKNOWN);
	f.batch_size = 1;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 2, 1e-15);
	log_drop(log);
}

/* The reason given for a run that is too short also names the options for other
 * values that it needs and that are not known. */
static void
test_also_needs(void)
{
	static const struct {
		const char *unit; /* asked for */
		long batch, gpus, all, length, tokens;
		const char *more; /* after the advice */
	} cases[] = {
		{ NULL, 128, 8, 0, 0, 0, "" },
		{ NULL, 0, 0, 1, 0, 0, "" },
		{ NULL, 0, 8, 0, 0, 0, ", with --batch-size-per-device=N" },
		{ NULL, 128, 0, 0, 0, 0, ", with --nodes=N --gpus-per-node=N" },
		{ NULL, 0, 0, 0, 0, 0,
		    ", with --batch-size-per-device=N --nodes=N "
		    "--gpus-per-node=N" },
		{ "tokens/s", 0, 0, 0, 0, 0,
		    ", with --batch-size=N --sequence-length=N" },
		{ "tokens/s", 128, 8, 0, 0, 0, ", with --sequence-length=N" },
		{ "tokens/s", 0, 8, 0, 1, 0, ", with --batch-size=N" },
		{ "tokens/s", 128, 8, 0, 1, 0, "" },
		{ "tokens/s", 0, 0, 0, 0, 1, "" },
	};
	static const char advice[] = "; pass --train-batches=95 to include it";
	struct meaning meaning = imagenet;
	struct log *log = log_new(&meaning);

	log_add_range(log, 0, 0, 99, 0.5);
	for (int i = 0; i < N_TESTS(cases); i++)
		/* Ways 1 to 3 need no batch: step times, or work in the log. */
		for (int way = 0; way < 4; way++) {
			struct rule rule = RULE_DEFAULT;
			struct metadata f = metadata_of(1, 1, 1);
			struct exclusion x = EXCLUSION_INIT;
			struct measured m;
			const char *said;

			rule.strict = 1;
			f.batch_size_per_device = cases[i].batch > 0
			    ? cases[i].batch
			    : RESULT_UNKNOWN;
			f.gpus = f.gpus_per_node =
			    cases[i].gpus > 0 ? cases[i].gpus : RESULT_UNKNOWN;
			f.batch_size = cases[i].all;
			f.sequence_length = cases[i].length;
			f.tokens_per_step = cases[i].tokens;
			rule.unit = cases[i].unit;
			rule.metric =
			    way == 1 ? METRIC_STEP_TIME : METRIC_THROUGHPUT;
			meaning.has_work = way == 2;
			meaning.of_samples = way == 3;
			printf("# case %d, %d\n", i, way);
			CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
			CHECK_STR(reason_of(&x), EXCLUDED_SHORT);
			said = strchr(why_said(&x), ';');
			CHECK(said != NULL);
			CHECK(strncmp(said, advice, strlen(advice)) == 0);
			CHECK_STR(said + strlen(advice),
			    way == 0 ? cases[i].more : "");
		}
	log_drop(log);
}

/* A run measured in tokens needs the sequence length if the batch is known,
 * otherwise the batch too. */
static void
test_tokens_asked_for(void)
{
	struct rule rule = RULE_DEFAULT;
	struct metadata f = metadata_of(128, 1, 8);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 0, 129, 0.5);
	rule.unit = "tokens/s";
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_BATCH);
	CHECK_STR(why_said(&x),
	    "neither an option nor the path nor the log states the tokens of a "
	    "sample; pass --sequence-length=N to include it (logs that "
	    "differ: --map=FILE or --path=TEMPLATE)");
	f = metadata_of(RESULT_UNKNOWN, 1, 8);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(why_said(&x),
	    "neither an option nor the path nor the log states the tokens of "
	    "an iteration; pass --batch-size=N --sequence-length=N to include "
	    "it (logs that differ: --map=FILE or --path=TEMPLATE)");
	log_drop(log);
}

/* Times grow by 0.001 per step: by 0.1 over a window of 100, by 0.2 over all
 * 200. The drift is relative to the median. */
static void
test_drift_span(void)
{
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(128, 1, 1);
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int i = 0; i < 200; i++)
		log_add(log, 0, i, 1 + 0.001 * i);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.audit.drift, 0.1 / 1.0745, 1e-12);
	rule.kind = RULE_ALL;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.audit.drift, 0.2 / 1.0995, 1e-12);
	log_drop(log);
}

static void
test_rates(void)
{
	struct meaning tokens = dllogger;
	struct rule rule = RULE_DEFAULT;
	struct metadata f = metadata_of(RESULT_UNKNOWN, 1, 8);
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
	/* With a batch, the step time follows from the rate. */
	f.batch_size_per_device = 50;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.5, 1e-12);
	CHECK_NEAR(m.run.audit.p50, 0.5, 1e-12);
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 0.5, 1e-12);
	/* It does not follow from tokens/s, */
	tokens.unit = "tokens/s";
	log->meaning = &tokens;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(why_said(&x),
	    "prints tokens/s, which does not give the time of a step");
	/* nor from items/s, which count parts of samples. */
	tokens.unit = "items/s";
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(why_said(&x),
	    "prints items/s, which does not give the time of a step");
	rule.metric = METRIC_THROUGHPUT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(isnan(m.run.samples_per_s));
	CHECK_NEAR(m.run.value, 800, 1e-9);
	/* It follows from iterations/s. */
	tokens.unit = "iterations/s";
	rule.metric = METRIC_STEP_TIME;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 1 / 800.0, 1e-15);
	log_drop(log);
}

/* Without a figure of the whole run, the advice is the usual window, or all
 * steps if the window does not fit. */
static void
test_no_summary(void)
{
	static const struct {
		int steps;
		const char *advice;
	} cases[] = { { 130, "; pass --rule=window to include it" },
		{ 10, "; pass --rule=all to include it" } };
	const struct metadata f = metadata_of(64, 1, 2);
	struct rule rule = RULE_DEFAULT;

	rule.kind = RULE_SUMMARY;
	for (size_t i = 0; i < N_TESTS(cases); i++) {
		struct log *log = log_new(&dllogger);
		struct exclusion x = EXCLUSION_INIT;
		struct measured m;

		log_add_range(log, 0, 1, cases[i].steps, 800);
		CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
		CHECK_STR(reason_of(&x), EXCLUDED_NO_SUMMARY);
		CHECK_STR(strchr(why_said(&x), ';'), cases[i].advice);
		log_drop(log);
	}
}

static void
test_summary(void)
{
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(64, 1, 2);
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 1, 130, 800);
	rule.kind = RULE_SUMMARY;
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
	CHECK_STR(why_said(&x),
	    "lacks the figure of the whole run, which its program prints at "
	    "its end; pass --metric=throughput --rule=summary to "
	    "include it");
	/* A log with only a summary is measured by it by default. */
	rule = (struct rule)RULE_DEFAULT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 700, 0);
	CHECK_INT(m.kind, RULE_SUMMARY);
	rule.kind = RULE_WINDOW;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_STEPS);
	CHECK_STR(why_said(&x),
	    "no step with a time or a rate was found in it; "
	    "pass --rule=summary to include it");
	log_drop(log);

	log = log_new(&dllogger);
	log_add_summary(log, 90, "s");
	rule = (struct rule)RULE_DEFAULT;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(why_said(&x),
	    "no step with a time or a rate was found in it; "
	    "pass --metric=time-to-train to include it");
	log_drop(log);
}

/* A run whose log states a failure, on whichever line, is excluded. */
static void
test_status(void)
{
	static struct log_metadata metadata[] = { { "status", "aborted", 7, 0 },
		{ "other", "aborted", 8, 0 }, { "status", "aborted", 9, 0 } };
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(128, 1, 1);

	rule.metric = METRIC_TIME_TO_TRAIN;
	for (size_t i = 0; i < 3; i++) {
		struct log *log = log_new(&dllogger);
		struct exclusion x = EXCLUSION_INIT;
		struct measured m;
		int rc;

		log_add_summary(log, 90, "s");
		log->metadata = &metadata[i];
		log->n_metadata = 1;
		rc = measure(log, &f, &rule, &m, &x);
		CHECK_INT(rc, i == 1 ? 0 : -1);
		if (rc != 0)
			CHECK_STR(reason_of(&x), EXCLUDED_FAILED);
		log->metadata = NULL;
		log->n_metadata = 0;
		log_drop(log);
	}
}

/* A bad value excludes a run only if it is in the window. */
static void
test_bad_values(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(64, 1, 2);
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
	CHECK_STR(reason_of(&x), EXCLUDED_BAD_VALUE);
	CHECK_STR(why_said(&x),
	    "a.log:71: the time of iteration 70 is not a plausible number "
	    "above 0");
	log_drop(log);
	/* The message names the first of two. */
	log = log_new(&dllogger);
	log_add_range(log, 0, 1, 130, 800);
	log_item(log, 70)->value = 0;
	log_item(log, 90)->value = NAN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK_STR(why_said(&x),
	    "a.log:71: the rate of iteration 71 is not a plausible number "
	    "above 0");
	log_drop(log);
}

static void
test_flags(void)
{
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(64, 1, 1);
	struct log *log = log_new(&imagenet), *more;
	const struct log *logs[2];
	const struct run_source two = { logs, 2, &f, NULL };
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
	CHECK_STR(said(&m.run.flags[0]),
	    "epochs 0\xe2\x80\x93"
	    "1");
	CHECK_STR(said(&m.run.flags[1]), "prints 1 of 10 iterations");
	CHECK_STR(said(&m.run.flags[2]), "median of the records");
	log_drop(log);

	/* Iterations 60 to 62 are missing. */
	rule = (struct rule)RULE_DEFAULT;
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 59, 0.5);
	log_add_range(log, 0, 63, 129, 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_INT(m.run.n_flags, 1);
	CHECK_STR(said(&m.run.flags[0]), "97 of 100 iterations printed");
	CHECK_INT(m.run.iterations, 97);
	/* With --rule=all, the share is of all iterations. */
	rule.kind = RULE_ALL;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_STR(said(&m.run.flags[0]), "127 of 130 iterations printed");
	rule.kind = RULE_BY_FORMAT;
	/* The share is up to the last iteration if the window has no end. */
	rule.train = RESULT_UNKNOWN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_STR(said(&m.run.flags[0]), "102 of 105 iterations printed");
	rule.train = 120;
	log_drop(log);

	log = log_new(&imagenet);
	more = log_new(&imagenet);
	log_add_range(log, 0, 0, 129, 0.5);
	log_add_range(more, 0, 0, 129, 0.7);
	logs[0] = log_pack(log);
	logs[1] = log_pack(more);
	arena_release(&arena);
	CHECK_INT(measure_run(&two, &rule, &arena, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_RESTART); /* on one GPU */
	log_drop(log);
	log_drop(more);
}

/* A log of 200 iterations that prints one of 10 and the running mean next to
 * it. Every eighth step takes three times as long.
 *
 * digits  decimals of the means
 * lag     iterations of 0.9 s that the means include before the first one */
static struct log *
sampled_log(const struct meaning *meaning, double digits, int lag)
{
	struct log *log = log_new(meaning);
	const double unit = log->units.mean = pow(10, -digits);
	double sum = 0.9 * lag;

	for (int i = 0; i < 200; i++) {
		const double t = i % 8 == 7 ? 0.9 : 0.3;

		sum += t;
		if (i % 10 == 0)
			log_add(log, 0, i + lag, t)->second =
			    round(sum / (i + 1 + lag) / unit) * unit;
	}
	return log;
}

static void
test_running_means(void)
{
	struct meaning meaning = imagenet;
	struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	struct log *log;
	double sum = 0;

	meaning.base = 0;
	meaning.second = SECOND_MEAN;
	log = sampled_log(&meaning, 4, 0);
	for (int i = 31; i < 121; i++)
		sum += i % 8 == 7 ? 0.9 : 0.3;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	/* Rounding of the sums at 121 and 31: half a unit each. */
	CHECK_NEAR(m.run.step_s, sum / 90, 152 * 0.00005 / 90);
	CHECK(
	    run_says(&m.run, "1 of 10 iterations: the printed running means"));
	CHECK(run_says(&m.run, "single steps on the same lines are"));
	CHECK_INT(m.run.iterations, 90);
	CHECK_INT(m.run.last_iteration, 120);
	/* Aggregates of the records do not use the means. */
	rule.aggregate = AGGREGATE_MEAN;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(!run_says(&m.run, "running means"));
	rule.aggregate = AGGREGATE_TIME;
	log_drop(log);

	for (int digits = 2; digits >= 0; digits -= 2) {
		log = sampled_log(&meaning, digits, 0);
		CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
		CHECK_INT(run_says(&m.run, "running means"), digits == 2);
		CHECK_INT(m.run.rounding.high > 32 / (sum / 90), digits == 2);
		log_drop(log);
	}
	/* The first line is late: its mean may not include earlier steps. */
	log = sampled_log(&meaning, 4, 15);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(run_says(&m.run, "running means"));
	CHECK(m.run.rounding.high > 1.02 * m.run.rounding.low);
	log_drop(log);

	/* Plain means of rates are differenced as they are. */
	meaning = dllogger;
	meaning.base = 0;
	meaning.second = SECOND_MEAN_OF_RATES;
	log = sampled_log(&meaning, 4, 0);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, sum / 90, 152 * 0.00005 / 90);
	CHECK(run_says(&m.run, "which average rates"));
	/* Means of work over time are differenced as times are. */
	meaning.second = SECOND_MEAN;
	log_drop(log);
	log = log_new(&meaning);
	log->units.mean = 1e-4;
	for (int i = 0; i < 200; i++)
		if (i % 10 == 0)
			log_add(log, 0, i, 50)->second =
			    round((i + 1) / (0.01 * (i + 1) + 0.2) * 1e4) / 1e4;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 100, 0.01);
	CHECK(run_says(&m.run, "the printed running means are used"));
	log_drop(log);
}

/* Running means of all steps next to the time of every tenth step. The steps
 * between these lines all take 0.3123. */
static void
test_instants_apart(void)
{
	static const struct {
		double instant;
		const char *flag; /* NULL: none */
	} cases[] = { { 0.9, " higher" }, { 0.1, " lower" }, { 0.3123, NULL } };
	struct meaning meaning = imagenet;
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.base = 0;
	meaning.second = SECOND_MEAN;
	for (int k = 0; k < N_TESTS(cases); k++) {
		struct log *log = log_new(&meaning);
		double sum = 0;

		for (int i = 0; i < 200; i++) {
			sum += i % 10 == 0 ? cases[k].instant : 0.3123;
			if (i % 10 == 0)
				log_add(log, 0, i, cases[k].instant)->second =
				    round(sum / (i + 1) * 1e5) / 1e5;
		}
		log->units.mean = 1e-5;
		CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
		CHECK(run_says(
		    &m.run, "1 of 10 iterations: the printed running means"));
		CHECK_INT(run_says(&m.run, "single steps on the same lines"),
		    cases[k].flag != NULL);
		if (cases[k].flag != NULL)
			CHECK(run_says(&m.run, cases[k].flag));
		log_drop(log);
	}
}

/* Overlapping windows count once: every tenth line covers 20 iterations. */
static void
test_overlap(void)
{
	struct meaning meaning = imagenet;
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct log *log = log_new(&meaning);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.statistic = STATISTIC_WINDOW_MEAN;
	meaning.base = 0;
	meaning.window = 20;
	for (int i = 0; i < 200; i += 10)
		log_add(log, 0, i, i == 60 ? 1.5 : 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	/* (31,51] (51,71] (71,91] (91,111], not the seven in between. */
	CHECK_NEAR(m.run.step_s, 0.5, 1e-12);
	CHECK_INT(m.run.iterations, 80);
	log_item(log, 7)->value = 1.5;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.75, 1e-12);
	log_drop(log);
}

/* Rates of unequal work, on lines that also print a time: 100 in 1 s
 * alternating with 30 in 0.5 s is 130 in 1.5 s. */
static void
test_unequal_work(void)
{
	struct meaning meaning = dllogger;
	const struct rule rule = RULE_DEFAULT;
	struct metadata f = metadata_of(RESULT_UNKNOWN, 1, 1);
	struct log *log = log_new(&meaning);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.unit = "tokens/s";
	meaning.second = SECOND_STEP;
	for (int i = 1; i <= 200; i++)
		log_add(log, 0, i, i % 2 ? 100 : 60)->second = i % 2 ? 1 : 0.5;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 130 / 1.5, 1e-9);
	CHECK(!run_says(&m.run, "weighted equally"));
	/* Without times, the tokens of each step are unknown. */
	meaning.second = SECOND_NONE;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 75, 1e-9);
	CHECK(run_says(&m.run, "tokens of each step unknown"));
	/* The lines give 65 tokens per iteration, the metadata 650. */
	meaning.second = SECOND_STEP;
	f.tokens_per_step = 650;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(run_says(&m.run,
	    "the two rates of a line give 65 tokens per "
	    "iteration, not 650"));
	f.tokens_per_step = 65;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK(!run_says(&m.run, "two rates"));
	log_drop(log);
}

/* A log of 600 iterations with lost lines.
 *
 * every  iterations from one line to the next
 * mean   1: each line prints the mean since the previous line
 * at     first lost iteration
 * lost   number of lost iterations
 * n      set to the number of lost iterations in the window */
static struct log *
lossy_log(const struct meaning *meaning, int every, int mean, int at, int lost,
    int *n)
{
	struct log *log = log_new(meaning);

	*n = 0;
	for (int i = every - 1; i < 600; i += every) {
		const int first = i - mean * (every - 1);

		if (i < at || i >= at + lost)
			log_add(log, 0, i, i < at ? 0.5 : 0.7);
		else if (first >= 25 && i < 125)
			*n += every;
	}
	return log;
}

static void
check_lost(int every, int mean, int at, int lost)
{
	struct meaning meaning = imagenet;
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	struct log *log;
	int n, outcome;

	meaning.base = 0;
	meaning.statistic = mean ? STATISTIC_WINDOW_MEAN : STATISTIC_INSTANT;
	log = lossy_log(&meaning, every, mean, at, lost, &n);
	outcome = measure(log, &f, &rule, &m, &x);
	if (outcome != (n > 10 ? -1 : 0))
		printf("# every %d, mean %d, %d lost from %d: %d\n", every,
		    mean, lost, at, outcome);
	CHECK_INT(outcome, n > 10 ? -1 : 0);
	if (outcome == 0)
		CHECK_INT(run_says(&m.run, "iterations printed"), n > 0);
	log_drop(log);
}

/* Lines lost at each position, in logs that print each iteration or one in 10,
 * as window means or as instants. */
static void
test_lost_lines(void)
{
	for (int every = 1; every <= 10; every += 9)
		for (int mean = 0; mean < 2; mean++)
			for (int at = 20; at < 130; at += 10)
				for (int lost = 0; lost <= 90; lost += 5)
					check_lost(every, mean, at, lost);
}

/* One line per thousand iterations. */
static void
test_spacing_told(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct meaning meaning = imagenet;
	struct log *log = log_new(&meaning);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.statistic = STATISTIC_WINDOW_MEAN;
	log_add(log, 0, 1000, 0.5);
	log_add(log, 1, 1000, 0.5);
	CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
	CHECK(strstr(why_said(&x), "prints 1 of 1000 iterations") != NULL);
	log_drop(log);
}

/* A log that counts from 0 in a format that counts from 1. */
static void
test_base_of_log(void)
{
	const struct rule rule = RULE_DEFAULT;
	const struct metadata f = metadata_of(32, 1, 1);
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	log_add_range(log, 0, 0, 24, 100);
	log_add_range(log, 0, 25, 124, 800);
	log_add_range(log, 0, 125, 200, 100);
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, 800, 1e-9);
	CHECK_INT(m.run.first_iteration, 25);
	CHECK(m.run.audit.settled_at == RESULT_UNKNOWN ||
	    m.run.audit.settled_at >= 0);
	log_drop(log);
}

/* Add the iterations first to last of an epoch for each rank, in blocks:
 * `block` lines of one rank, then those of the next. */
static void
add_ranks(
    struct log *log, int first, int last, int ranks, int block, double value)
{
	for (int i = first; i <= last; i += block)
		for (int r = 0; r < ranks; r++)
			for (int j = i; j < i + block && j <= last; j++)
				log_add(log, 0, j, value);
}

/* Jobs restarted into the same log, by one process and by eight, whose lines
 * are interleaved or in blocks, from the start and from a checkpoint. */
static void
test_attempts(void)
{
	struct meaning meaning = imagenet;
	const struct rule rule = RULE_DEFAULT;
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	meaning.base = 0;
	for (int ranks = 1; ranks <= 8; ranks += 7)
		for (int block = 1; block <= 40; block += 39) {
			/* Two nodes of four: if one rank prints, the number of
			 * lines does not distinguish a restart. */
			const struct metadata f = metadata_of(32, 2, 4);
			struct log *log = log_new(&meaning);

			/* Both reach the end: the last one counts. */
			add_ranks(log, 0, 199, ranks, block, 0.6);
			add_ranks(log, 0, 199, ranks, block, 0.3);
			CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
			CHECK_NEAR(m.run.step_s, 0.3, 1e-12);
			CHECK(run_says(&m.run, "attempt 2 of 2"));
			CHECK_INT(m.run.first_line,
			    200 * ranks + (block > 1 ? 26 : 25 * ranks + 1));
			log_drop(log);

			/* The second ends early. */
			log = log_new(&meaning);
			add_ranks(log, 0, 199, ranks, block, 0.6);
			add_ranks(log, 0, 79, ranks, block, 0.3);
			CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
			CHECK_NEAR(m.run.step_s, 0.6, 1e-12);
			CHECK(run_says(&m.run, "attempt 1 of 2"));
			log_drop(log);

			/* It resumes from a checkpoint, twice. */
			log = log_new(&meaning);
			add_ranks(log, 0, 239, ranks, block, 0.6);
			add_ranks(log, 160, 279, ranks, block, 0.3);
			add_ranks(log, 200, 399, ranks, block, 0.3);
			CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
			CHECK_NEAR(m.run.step_s, 0.6, 1e-12);
			CHECK(run_says(&m.run, "attempt 1 of 3"));
			log_drop(log);

			/* Neither has the whole window. */
			log = log_new(&meaning);
			add_ranks(log, 0, 79, ranks, block, 0.6);
			add_ranks(log, 0, 79, ranks, block, 0.3);
			CHECK_INT(measure(log, &f, &rule, &m, &x), -1);
			CHECK_STR(reason_of(&x), EXCLUDED_RESTART);
			log_drop(log);

			/* Ranks are not attempts. */
			log = log_new(&meaning);
			add_ranks(log, 0, 199, ranks, block, 0.3);
			CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
			CHECK(!run_says(&m.run, "attempt"));
			CHECK_INT(m.run.ranks_seen, ranks);
			log_drop(log);
		}
}

/* A restarted job whose lines state their ranks. */
static void
test_attempts_of_labels(void)
{
	const struct metadata f = metadata_of(32, 1, 2);
	const struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int attempt = 0; attempt < 2; attempt++)
		for (int i = 0; i < 150; i++)
			for (int r = 0; r < 2; r++)
				if (attempt == 1 || r == 0 || i < 149)
					log_add(log, 0, i, 0.6 / (attempt + 1))
					    ->rank = (r + i) % 2;
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.step_s, 0.3, 1e-12);
	CHECK(run_says(&m.run, "attempt 2 of 2"));
	CHECK_INT(m.run.ranks_seen, 2);
	log_drop(log);
}

/* A loss scaler skips a step at every other iteration, where the counter does
 * not advance, in each of four files. */
static void
test_skipped_steps(void)
{
	const struct metadata f = metadata_of(32, 1, 4);
	const struct rule rule = RULE_DEFAULT;
	struct log *all[4];
	const struct log *logs[4];
	const struct run_source four = { logs, 4, &f, NULL };
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int k = 0; k < 4; k++) {
		all[k] = log_new(&dllogger);
		for (int i = 1; i <= 130; i++)
			for (int j = 0; j < (i % 2 ? 1 : 2); j++)
				log_add(all[k], 0, i, 100);
		logs[k] = log_pack(all[k]);
	}
	arena_release(&arena);
	CHECK_INT(measure_run(&four, &rule, &arena, &m, &x), 0);
	CHECK_NEAR(m.run.value, 100, 1e-9);
	CHECK(run_says(&m.run, "counter did not advance"));
	for (int k = 0; k < 4; k++)
		log_drop(all[k]);
}

/* A counter that falls back again and again: the search for the attempt to
 * measure reads about 20 million samples at most. */
static void
test_many_attempts(void)
{
	enum { ATTEMPTS = 4000, EACH = 25 };
	const struct metadata f = metadata_of(1, 1, 1);
	const struct rule usual = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	for (int k = ATTEMPTS; k > 0; k--)
		for (int i = 0; i < EACH; i++)
			log_add(log, 0, EACH * k + i, 0.5);
	log_add(log, 0, 2 * EACH - 1, 0.5);
	CHECK_INT(measure(log, &f, &usual, &m, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_RESTART);
	CHECK_STR(why_said(&x),
	    "was started 4000 times, and none of the last 199 attempts has the "
	    "required iterations; keep one of them, or choose other iterations "
	    "with --skip-iterations, --train-batches or --rule=all");
	log_drop(log);
}

/* A log of 20000 benchmarks with one row and one figure each: the flag names
 * only the first few. */
static void
test_many_tests(void)
{
	enum { TESTS = 20000 };
	const struct metadata f = metadata_of(1, 1, 1);
	struct rule rule = RULE_DEFAULT;
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;

	rule.kind = RULE_SUMMARY;
	for (int i = 0; i < TESTS; i++) {
		log->collectives =
		    vec_grow(log->collectives, log->n_collectives,
			&log->alloc_collectives, sizeof *log->collectives);
		log->collectives[log->n_collectives++] =
		    (struct log_collective){ "x", "row", 8, NAN, NAN, NAN, 1,
			    2 * i + 1 };
		if (i != 2)
			log_add_summary(log, i + 1, "GB/s");
		if (i != 2)
			log->summaries[log->n_summaries - 1].line = 2 * i + 2;
	}
	CHECK_INT(measure(log, &f, &rule, &m, &x), 0);
	CHECK_NEAR(m.run.value, TESTS, 0);
	CHECK(run_says(&m.run,
	    "20000 benchmarks in it: that of x (before: x 1, x 2, x no "
	    "figure, x 4, x 5, x 6, x 7, x 8 GB/s and 19991 more)"));
	free(log->collectives);
	log_drop(log);
}

static const struct tap_test tests[] = {
	TEST(test_many_attempts),
	TEST(test_many_tests),
	TEST(test_attempts),
	TEST(test_attempts_of_labels),
	TEST(test_skipped_steps),
	TEST(test_running_means),
	TEST(test_instants_apart),
	TEST(test_also_needs),
	TEST(test_overlap),
	TEST(test_unequal_work),
	TEST(test_lost_lines),
	TEST(test_spacing_told),
	TEST(test_base_of_log),
	TEST(test_speed_from_times),
	TEST(test_needs),
	TEST(test_tokens_asked_for),
	TEST(test_drift_span),
	TEST(test_rates),
	TEST(test_summary),
	TEST(test_no_summary),
	TEST(test_status),
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
