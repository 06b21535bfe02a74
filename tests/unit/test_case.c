#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/rank_test.h"
#include "extract/measure/cases/case.h"
#include "extract/log/log.h"
#include "extract/log/words.h"
#include "tests/tap.h"
#include "tests/unit/case_runs.h"

static void
add_all(long nodes, long per_node, const double *values, int n)
{
	static const char *const names[] = { "1", "2", "3", "4", "5", "12",
		"22", "32", "42", "52" };
	int i;

	for (i = 0; i < n; i++)
		add(nodes, per_node, names[i], values[i]);
}

static int
noted(const char *part)
{
	size_t i;

	for (i = 0; i < notes.n; i++)
		if (strstr(notes.items[i], part) != NULL)
			return 1;
	return 0;
}

/* Speeds of the 30 runs in DLPerf's report on PyTorch ResNet-50 v1.5 (batch
 * 128, V100); test_published has its medians and speedups. */
static const double s4n8g[] = { 8853.15, 8468.23, 8648.47, 8781.78, 9046.34,
	8973.6, 8515.95, 8654.31, 8940.3, 8851.62 };
static const double s1n1g[] = { 354.61, 353.62, 354.02, 354.44, 354.47 };
static const double s2n8g[] = { 4038.81, 4484.64, 4347.27, 4401.46, 4372.33 };
static const double s1n8g[] = { 2185.75, 2277.07, 2244.24, 2311.41, 2243.7 };
static const double s1n4g[] = { 1369.97, 1367.67, 1367.89, 1336.61, 1340.95 };

static void
test_published(void)
{
	static const struct {
		const char *name;
		double median, average, speedup;
		long n;
	} want[] = {
		{ "1n1g", 354.44, 354.23, 1.0, 5 },
		{ "1n4g", 1367.67, 1356.62, 3.86, 5 },
		{ "1n8g", 2244.24, 2252.43, 6.33, 5 },
		{ "2n8g", 4372.33, 4328.9, 12.34, 5 },
		{ "4n8g", 8816.7, 8773.38, 24.88, 10 },
	};
	size_t i;

	begin();
	add_all(4, 8, s4n8g, 10);
	add_all(1, 1, s1n1g, 5);
	add_all(2, 8, s2n8g, 5);
	add_all(1, 8, s1n8g, 5);
	add_all(1, 4, s1n4g, 5);
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_INT(result.n_cases, 5);
	for (i = 0; i < 5; i++) {
		const struct result_case *c = &result.cases[i];

		CHECK_STR(c->name, want[i].name);
		CHECK_INT(c->n, want[i].n);
		CHECK_NEAR(c->median_speed, want[i].median, 1e-9);
		CHECK_NEAR(c->average_speed, want[i].average, 0.005);
		CHECK_NEAR(c->speedup, want[i].speedup, 0.005);
		CHECK_STR(c->baseline, "1n1g");
		CHECK_INT(c->baseline_flag, 0);
		CHECK_NEAR(c->efficiency, c->speedup / (double)c->gpus, 1e-15);
	}
	/* 5 runs: [x(1), x(5)], level 1 - 2/32. */
	CHECK_NEAR(result.cases[1].median_low, 1336.61, 0);
	CHECK_NEAR(result.cases[1].median_high, 1369.97, 0);
	CHECK_NEAR(result.cases[1].median_level, 0.9375, 1e-15);
	/* 10 runs: [x(2), x(9)], level 1 - 2 * 11/1024. */
	CHECK_NEAR(result.cases[4].median_low, 8515.95, 0);
	CHECK_NEAR(result.cases[4].median_high, 8973.6, 0);
	CHECK_NEAR(result.cases[4].median_level, 1 - 22.0 / 1024, 1e-15);
	/* 5 runs each: the third of the 25 quotients from either end. */
	CHECK_NEAR(result.cases[1].speedup_level, 1 - 8.0 / 252, 1e-12);
	CHECK(result.cases[1].speedup_low < result.cases[1].speedup);
	CHECK(result.cases[1].speedup_high > result.cases[1].speedup);
	/* A baseline's own speedup has no interval. */
	CHECK(isnan(result.cases[0].speedup_low));
	CHECK_NEAR(result.cases[0].speedup, 1, 0);
	CHECK_STR(result.cases[4].runs[9].run, "52"); /* natural order */
	CHECK_INT(notes.n, 0);
	finish();
}

static void
test_identity(void)
{
	struct result_pair label = { "fusion", "0" };
	struct case_run *r;

	begin();
	add(1, 1, "1", 100);
	add(1, 1, "2", 100)->metadata.batch_size_per_device = 64;
	add(1, 1, "3", 100)->metadata.precision = "amp";
	add(1, 1, "4", 100)->metadata.model = NULL;
	r = add(1, 1, "5", 100);
	r->metadata.labels = &label;
	r->metadata.n_labels = 1;
	add(1, 1, "6", 100)->measured.kind = RULE_ALL;
	add(1, 1, "7", 100)->measured.unit = "tokens/s";
	add(1, 1, "8", 100)->metadata.framework = "mxnet";
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_INT(result.n_cases, 8);
	/* Sorted by framework, model, precision and batch. */
	CHECK_STR(result.cases[0].framework, "mxnet");
	CHECK(result.cases[1].model == NULL);
	CHECK_STR(result.cases[2].precision, "amp");
	CHECK_INT(result.cases[3].batch_size_per_device, 64);
	CHECK_STR(case_describe(&result.cases[7], &result.arena),
	    "pytorch r50 fp32 b128 fusion=0 1n1g");
	finish();
}

/* The baseline is the shape with the fewest GPUs, then the fewest nodes,
 * measured by the same rule as the case. */
static void
test_choice_of_baseline(void)
{
	begin();
	add(4, 1, "1", 300);
	add(2, 1, "1", 160);
	add(1, 2, "1", 200);
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_INT(result.n_cases, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct result_case *c = &result.cases[i];

		CHECK_STR(c->baseline, "1n2g");
		CHECK_NEAR(c->speedup, c->median_speed / 200, 1e-15);
	}
	finish();
	begin();
	for (int kind = 0; kind < 2; kind++) {
		add(1, 1, "1", kind ? 100 : 110)->measured.kind =
		    kind ? RULE_ALL : RULE_WINDOW;
		add(1, 2, "1", kind ? 150 : 220)->measured.kind =
		    kind ? RULE_ALL : RULE_WINDOW;
	}
	CHECK_INT(make(NULL, 0, 1), 0);
	CHECK_INT(result.n_cases, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct result_case *c = &result.cases[i];

		CHECK_STR(c->baseline, "1n1g");
		CHECK_NEAR(c->speedup,
		    c->median_speed < 120       ? 1
			: c->median_speed < 200 ? 1.5
						: 2,
		    1e-15);
	}
	finish();
}

static void
test_baselines(void)
{
	begin();
	add(2, 8, "1", 1600);
	add(1, 8, "1", 1000);
	add(4, 8, "1", 2000);
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(result.cases[1].baseline, "1n8g");
	CHECK_INT(result.cases[1].baseline_flag, 1);
	CHECK_NEAR(result.cases[1].speedup, 1.6, 1e-15);
	CHECK_NEAR(result.cases[1].efficiency, 0.8, 1e-15);
	CHECK_NEAR(result.cases[2].efficiency, 0.5, 1e-15);
	CHECK(noted("pytorch r50 fp32 b128 1n8g: the baseline, because there "
		    "is no comparable 1n1g"));
	/* One run in each case shows no spread. */
	CHECK(isnan(result.cases[1].speedup_low));
	CHECK(isnan(result.cases[1].median_level));
	finish();
	begin();
	n_runs = 3;
	CHECK_INT(make("2n8g", 0, 0), 0);
	CHECK_NEAR(result.cases[0].speedup, 0.625, 1e-15);
	CHECK_NEAR(result.cases[0].efficiency, 1.25, 1e-15);
	CHECK_INT(result.cases[0].baseline_flag, 0);
	finish();
	begin();
	n_runs = 3;
	CHECK_INT(make("9n9g", 0, 0), -1);
	CHECK_INT(error.code, ERROR_USAGE);
	CHECK_STR(error.message,
	    "--baseline: no case is called '9n9g'; there "
	    "are 1n8g, 2n8g, 4n8g");
	finish();
}

/* Cases of different rules are compared only on request. */
static void
test_mixed_rules(void)
{
	struct case_run *r;

	begin();
	add(1, 1, "1", 100);
	add(1, 8, "1", 700)->measured.kind = RULE_SUMMARY;
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(result.cases[1].baseline, "1n8g");
	finish();
	begin();
	n_runs = 2;
	CHECK_INT(make(NULL, 0, 1), 0);
	CHECK_STR(result.cases[1].baseline, "1n1g");
	CHECK_NEAR(result.cases[1].speedup, 7, 1e-15);
	CHECK_STR(result.cases[1].rule, "summary");
	finish();
	begin();
	add(1, 1, "1", 100);
	r = add(1, 8, "1", 700);
	r->metadata.gpus = r->metadata.nodes = r->metadata.gpus_per_node =
	    RESULT_UNKNOWN;
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(result.cases[0].name, "unknown");
	CHECK(isnan(result.cases[0].speedup));
	CHECK(result.cases[0].baseline == NULL);
	CHECK_STR(result.cases[1].baseline, "1n1g");
	/* alone in its group: no speedup */
	CHECK(isnan(result.cases[1].speedup));
	CHECK(isnan(result.cases[1].efficiency));
	CHECK(noted("unknown: no speedup without a number of GPUs"));
	finish();
	/* One of two groups lacks the named baseline. */
	begin();
	add(1, 4, "1", 100);
	add(1, 8, "1", 700)->metadata.model = "vgg16";
	CHECK_INT(make("1n4g", 0, 0), 0);
	CHECK(result.cases[1].baseline == NULL);
	CHECK(noted("vgg16 fp32 b128 1n8g: no speedup: there is no comparable "
		    "case '1n4g'"));
	finish();
}

static void
test_times(void)
{
	struct case_run *r;
	int i;

	begin();
	for (i = 0; i < 5; i++) {
		r = add(1, 1, &"abcde"[i], 100 + i);
		r->measured.unit = "min";
		r = add(1, 8, &"abcde"[i], 20 + i);
		r->measured.unit = "min";
	}
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_NEAR(result.cases[1].speedup, 102 / 22.0, 1e-14);
	CHECK(result.cases[1].speedup_low < 102 / 22.0);
	CHECK(result.cases[1].speedup_high > 102 / 22.0);
	CHECK(result.cases[1].speedup_high <= 104 / 20.0);
	finish();
}

/* Add a run in a unit that does not state the work of a step. */
static struct case_run *
add_step(long per_node, const char *run, double value, const char *unit)
{
	struct case_run *r = add(1, per_node, run, value);

	r->measured.unit = unit;
	r->measured.run.samples_per_s = NAN;
	return r;
}

static void
test_times_of_steps(void)
{
	static const char *const units[] = { "s", "iterations/s" };
	size_t i;

	for (i = 0; i < 2; i++) {
		const int is_rate = i == 1;

		begin();
		add_step(1, "1", is_rate ? 1 / 0.359 : 0.359, units[i]);
		add_step(8, "1", is_rate ? 1 / 0.384 : 0.384, units[i]);
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK_NEAR(result.cases[1].speedup, 8 * 0.359 / 0.384, 1e-12);
		CHECK_NEAR(result.cases[1].efficiency, 0.359 / 0.384, 1e-12);
		CHECK_NEAR(result.cases[0].speedup, 1, 0);
		CHECK(!noted("assume"));
		finish();
		/* Equal global batches: the ratio of the times. */
		begin();
		n_runs = 2;
		runs[0].metadata.batch_size_per_device = 256;
		runs[1].metadata.batch_size_per_device = 32;
		CHECK_INT(make(NULL, 1, 0), 0);
		CHECK_NEAR(result.cases[0].speedup, 0.359 / 0.384, 1e-12);
		finish();
		/* An unknown batch is assumed to be the same on each device. */
		begin();
		n_runs = 2;
		runs[0].metadata.batch_size_per_device =
		    runs[1].metadata.batch_size_per_device = RESULT_UNKNOWN;
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK_NEAR(result.cases[1].efficiency, 0.359 / 0.384, 1e-12);
		CHECK(noted("the speedups of 1 case assume the same batch on "
			    "each device"));
		finish();
	}
}

/* The work of a step that logs print takes precedence over the batch size, and
 * gives the same speedups as rates, also for even numbers of runs. */
static void
test_work_of_steps(void)
{
	static const double speeds[2][2] = { { 100, 110 }, { 700, 730 } };
	double speedup, low, high;
	size_t i;

	begin();
	for (i = 0; i < 4; i++)
		add(1, i < 2 ? 1 : 8, i % 2 ? "1" : "2", speeds[i / 2][i % 2]);
	CHECK_INT(make(NULL, 0, 0), 0);
	speedup = result.cases[1].speedup;
	low = result.cases[1].speedup_low;
	high = result.cases[1].speedup_high;
	finish();
	begin();
	for (i = 0; i < 4; i++) {
		struct case_run *r = add_step(i < 2 ? 1 : 8, i % 2 ? "1" : "2",
		    (i < 2 ? 128 : 1000) / speeds[i / 2][i % 2], "s");

		r->measured.work = i < 2 ? 128 : 1000; /* not 1024 */
		r->measured.work_unit = "samples";
	}
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_NEAR(result.cases[1].speedup, speedup, 1e-12);
	CHECK_NEAR(result.cases[1].speedup_low, low, 1e-12);
	CHECK_NEAR(result.cases[1].speedup_high, high, 1e-12);
	finish();
	/* If the work of one run is unknown, the batch size is used. */
	begin();
	n_runs = 4;
	runs[0].measured.work = NAN;
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_NEAR(result.cases[1].speedup, speedup * 1.024, 1e-12);
	finish();
	/* Runs that count samples and runs that count tokens form separate
	 * cases and are not compared; for rates only the unit matters. */
	for (int rate = 0; rate < 2; rate++) {
		begin();
		n_runs = 4;
		for (i = 0; i < 4; i++) {
			runs[i].measured.unit = rate ? "samples/s" : "s";
			runs[i].measured.work_unit =
			    i == 0 || i > 1 ? "tokens" : "samples";
		}
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK_INT(result.n_cases, rate ? 2 : 3);
		CHECK(result.cases[0].work_unit == NULL);
		if (!rate) {
			CHECK_STR(result.cases[1].work_unit, "tokens");
			CHECK_STR(result.cases[2].work_unit, "tokens");
			CHECK_NEAR(result.cases[2].speedup,
			    1024 / result.cases[2].median_speed /
				(128 / result.cases[1].median_speed),
			    0.01); /* from median times, not median rates */
		}
		finish();
	}
}

/* The order of labels does not matter: that of an earlier result may differ. */
static void
test_order_of_labels(void)
{
	static struct result_pair one[] = { { "fusion", "0" },
		{ "net", "eth" } };
	static struct result_pair other[] = { { "net", "eth" },
		{ "fusion", "0" } };

	for (int way = 0; way < 2; way++) {
		struct case_run *r;

		begin();
		r = add(1, 1, "1", 100);
		r->metadata.labels = way ? other : one;
		r->metadata.n_labels = 2;
		r = add(1, 4, "1", 380);
		r->metadata.labels = way ? one : other;
		r->metadata.n_labels = 2;
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK_INT(result.n_cases, 2);
		for (size_t i = 0; i < 2; i++)
			CHECK_STR(result.cases[i].baseline, "1n1g");
		finish();
	}
}

/* Bandwidths have no speedup: a link's work is not shared among GPUs. */
static void
test_bandwidths(void)
{
	begin();
	add_step(2, "1", 100, "GB/s");
	add_step(8, "1", 65.3, "GB/s");
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK(result.cases[1].baseline == NULL);
	CHECK(isnan(result.cases[1].speedup));
	CHECK(isnan(result.cases[1].efficiency));
	CHECK(!noted("baseline"));
	CHECK(!noted("no speedup"));
	finish();
}

/* Strong scaling: the same global batch on 1 and 4 GPUs. */
static void
test_strong(void)
{
	begin();
	add(1, 1, "1", 100)->metadata.batch_size_per_device = 256;
	add(1, 4, "1", 300)->metadata.batch_size_per_device = 64;
	add(1, 4, "1", 380)->metadata.batch_size_per_device = 256;
	CHECK_INT(make(NULL, 1, 0), 0);
	CHECK_INT(result.cases[0].batch_size_per_device, 64);
	CHECK_STR(result.cases[0].baseline, "1n1g");
	CHECK_NEAR(result.cases[0].speedup, 3, 1e-15);
	CHECK_STR(result.cases[2].baseline, "1n4g"); /* alone at 1024 */
	finish();
	begin();
	n_runs = 3;
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(result.cases[0].baseline, "1n4g");
	CHECK_NEAR(result.cases[2].speedup, 3.8, 1e-15);
	finish();
}

/* If the batch is unknown, a note states why there is no speedup; only
 * --baseline causes a note about a missing case. */
static void
test_strong_without_batch(void)
{
	begin();
	add(1, 1, "1", 100)->metadata.batch_size_per_device = RESULT_UNKNOWN;
	add(1, 4, "1", 300)->metadata.batch_size_per_device = RESULT_UNKNOWN;
	CHECK_INT(make(NULL, 1, 0), 0);
	CHECK(result.cases[1].baseline == NULL);
	CHECK(noted("1n4g: no speedup: strong scaling compares equal global "
		    "batches, and its batch is unknown"));
	CHECK(!noted("no comparable case"));
	finish();
	begin();
	n_runs = 2;
	CHECK_INT(make("1n1g", 1, 0), 0);
	CHECK(noted("no comparable case '1n1g'"));
	finish();
}

/* Global batches beyond the range of integers: 2^64 and 2^65 are not equal. */
static void
test_strong_huge(void)
{
	begin();
	add(1, 4, "1", 100)->metadata.batch_size_per_device = 1L << 62;
	add(1, 8, "1", 300)->metadata.batch_size_per_device = 1L << 62;
	CHECK_INT(make(NULL, 1, 0), 0);
	CHECK_STR(result.cases[0].baseline, "1n4g");
	CHECK_STR(result.cases[1].baseline, "1n8g");
	finish();
}

/* Label the runs, then make cases of those that are not refused. */
static int
label(int strong)
{
	struct case_run *all[MAX];
	size_t i, n = 0;

	for (i = 0; i < n_runs; i++) {
		all[i] = &runs[i];
		runs[i].where = runs[i].measured.run.path;
	}
	case_label_runs(all, n_runs, strong, &result.arena, &notes);
	for (i = 0; i < n_runs; i++)
		if (runs[i].refused.why.code == REMARK_NONE)
			runs[n++] = runs[i];
	n_runs = n;
	return make(NULL, strong, 0);
}

static void
test_duplicates(void)
{
	begin();
	add(1, 1, "1", 100)->measured.run.path = "b/1.log";
	add(1, 1, "1", 102)->measured.run.path = "a/1.log";
	runs[0].metadata.run = runs[1].metadata.run = "1";
	CHECK_INT(label(0), 0);
	CHECK_INT(result.n_cases, 2);
	CHECK_STR(result.cases[0].runs[0].path, "a/1.log");
	CHECK_STR(result.cases[0].labels[0].key, "folder");
	CHECK_STR(result.cases[0].labels[0].value, "a");
	CHECK(noted("by the label 'folder' (1 configuration)"));
	finish();
	/* Two runs of one name in one folder are both refused ... */
	begin();
	add(1, 1, "1", 100)->measured.run.path = "a/1.log";
	add(1, 1, "1", 102)->measured.run.path = "a/1.txt";
	add(1, 1, "2", 104)->measured.run.path = "a/2.log";
	runs[0].metadata.run = runs[1].metadata.run = "1";
	runs[2].metadata.run = "2";
	CHECK_INT(label(0), 0);
	CHECK_INT(result.n_cases, 1);
	CHECK_INT(result.cases[0].n, 1);
	CHECK_STR(result.cases[0].runs[0].run, "2");
	finish();
	/* ... in any order ... */
	begin();
	add(1, 1, "1", 100)->measured.run.path = "a/1.log";
	add(1, 1, "2", 104)->measured.run.path = "a/2.log";
	add(1, 1, "1", 102)->measured.run.path = "a/1.txt";
	for (size_t i = 0; i < 3; i++)
		runs[i].metadata.run = runs[i].measured.run.run;
	CHECK_INT(label(0), 0);
	CHECK_INT(result.n_cases, 1);
	CHECK_INT(result.cases[0].n, 1);
	CHECK_STR(result.cases[0].runs[0].run, "2");
	finish();
	/* ... but the first of two with equal hashes or figures counts. */
	begin();
	add(1, 1, "1", 100)->hash = "ab";
	add(1, 1, "2", 100)->hash = "ab";
	add(1, 1, "3", 100)->hash = "cd";
	CHECK_INT(label(0), 0);
	CHECK_INT(result.cases[0].n, 2);
	CHECK_STR(result.cases[0].runs[0].run, "1");
	CHECK_STR(result.cases[0].runs[1].run, "3");
	finish();
}

/* Three runs of one name, two of them with equal figures, are all refused, in
 * any order. */
static void
test_three_of_a_name(void)
{
	static const char *const paths[] = { "a/1.log", "a/1.out", "a/1.txt" };

	for (int other = 0; other < 3; other++) {
		begin();
		for (int i = 0; i < 3; i++) {
			struct case_run *r =
			    add(1, 1, "1", i == other ? 102 : 100);

			r->measured.run.path = paths[i];
			r->metadata.run = "1";
		}
		add(1, 1, "2", 104)->measured.run.path = "a/2.log";
		runs[3].metadata.run = "2";
		CHECK_INT(label(0), 0);
		CHECK_INT(result.n_cases, 1);
		CHECK_INT(result.cases[0].n, 1);
		CHECK_STR(result.cases[0].runs[0].run, "2");
		finish();
	}
}

/* Of two runs of one name with equal figures and lines the first is used;
 * otherwise both are refused. */
static void
test_copies(void)
{
	for (int other = 0; other <= 5; other++) {
		struct result_run *const run = &runs[1].measured.run;

		begin();
		for (int i = 0; i < 2; i++) {
			struct case_run *r = add(1, 1, "1", 100);

			r->measured.run.path = i ? "a/1.txt" : "a/1.log";
			r->metadata.run = "1";
			r->measured.run.iterations = 100;
			r->measured.run.first_line = 7;
			r->measured.run.last_line = 106;
			r->measured.run.first_iteration = 25;
		}
		run->value += other == 1;
		run->iterations += other == 2;
		run->first_line += other == 3;
		run->last_line += other == 4;
		run->first_iteration += other == 5;
		add(1, 1, "2", 104)->measured.run.path = "a/2.log";
		runs[2].metadata.run = "2";
		CHECK_INT(label(0), 0);
		CHECK_INT(result.n_cases, 1);
		CHECK_INT(result.cases[0].n, other == 0 ? 2 : 1);
		CHECK_STR(result.cases[0].runs[0].run, other == 0 ? "1" : "2");
		if (other == 0)
			CHECK_STR(result.cases[0].runs[0].path, "a/1.log");
		finish();
	}
}

/* Labels of folders omit the prefix that all paths share, up to a '/'. */
static void
test_folders(void)
{
	static const struct {
		const char *paths[3], *values[3];
	} cases[] = {
		{ { "a/b1/x.log", "a/b2/x.log", "a/c/x.log" },
		    { "b1", "b2", "c" } },
		{ { "ab/c/x.log", "ab/d/x.log", "abc/e/x.log" },
		    { "ab/c", "ab/d", "abc/e" } },
		{ { "x.log", "b/x.log", "c/x.log" }, { ".", "b", "c" } },
		{ { "a/b/x.log", "a/b/c/x.log", "a/b/d/x.log" },
		    { "b", "b/c", "b/d" } },
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		begin();
		for (size_t i = 0; i < 3; i++)
			add(1, 1, "x", 100 + (double)i)->measured.run.path =
			    cases[k].paths[i];
		CHECK_INT(label(0), 0);
		CHECK_INT(result.n_cases, 3);
		for (size_t i = 0; i < 3; i++) {
			CHECK_INT(result.cases[i].n_labels, 1);
			CHECK_STR(result.cases[i].labels[0].key, "folder");
			CHECK_STR(result.cases[i].labels[0].value,
			    cases[k].values[i]);
		}
		finish();
	}
}

/* A topology in the path that contradicts the one used is reported, along with
 * the known parts of the latter. */
static void
test_contrary_shape(void)
{
	static const struct {
		long nodes, per_node, gpus;
		const char *note; /* NULL: none */
	} cases[] = {
		{ 2, 4, 8, NULL },
		{ 1, 1, 1,
		    "'N2' in its path contradicts the 1 GPUs on 1 node that "
		    "are used" },
		{ 4, 2, 8,
		    "'N2' in its path contradicts the 8 GPUs on 4 nodes that "
		    "are used" },
		{ RESULT_UNKNOWN, RESULT_UNKNOWN, 8,
		    "'N2' in its path contradicts the 8 GPUs that are used" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct case_run *r;

		begin();
		r = add(1, 1, "x", 100);
		r->measured.run.path = "N2_r50/x.log";
		r->metadata.nodes = cases[i].nodes;
		r->metadata.gpus_per_node = cases[i].per_node;
		r->metadata.gpus = cases[i].gpus;
		CHECK_INT(label(0), 0);
		CHECK_INT(noted("in its path "
				"contradicts"),
		    cases[i].note != NULL);
		if (cases[i].note != NULL)
			CHECK(noted(cases[i].note));
		finish();
	}
}

/* A key that only one run states, in any position, becomes its label. */
static void
test_varied_in_one(void)
{
	static struct result_pair mpi[] = { { "backend", "mpi" } };

	static const char *const names[] = { "1", "2", "3" };
	static const char *const paths[] = { "a/1.log", "a/2.log", "a/3.log" };

	for (int at = 0; at < 3; at++) {
		int labelled = 0;

		begin();
		for (int i = 0; i < 3; i++) {
			struct case_run *r = add(1, 4, names[i], 300 + i);

			r->measured.run.path = paths[i];
			r->metadata.run = names[i];
			if (i == at)
				r->metadata.varied = mpi;
			r->metadata.n_varied = i == at;
		}
		CHECK_INT(label(0), 0);
		CHECK_INT(result.n_cases, 2);
		for (size_t i = 0; i < 2; i++) {
			const struct result_case *c = &result.cases[i];

			if (c->n_labels == 0)
				continue;
			labelled++;
			CHECK_STR(c->labels[0].key, "backend");
			CHECK_STR(c->labels[0].value, "mpi");
			CHECK_INT(c->n, 1);
			CHECK_NEAR(c->median_speed, 300 + at, 0);
		}
		CHECK_INT(labelled, 1);
		finish();
	}
}

/* A key of logs becomes a label where a case would have two of its values. */
static void
test_varied(void)
{
	static struct result_pair mpi[] = { { "backend", "mpi" },
		{ "input", "dummy" } };
	static struct result_pair gloo[] = { { "backend", "gloo" },
		{ "input", "dummy" } };
	static struct result_pair self[] = { { "backend", "self" },
		{ "input", "dummy" } };
	size_t i;

	for (i = 0; i < 2; i++) { /* weak, strong */
		struct case_run *r;

		begin();
		r = add(1, 1, "1", 100);
		r->metadata.varied = self;
		r->metadata.n_varied = 2;
		if (i == 1)
			r->metadata.batch_size_per_device = 512;
		r = add(1, 4, "1", 380);
		r->metadata.varied = mpi;
		r->metadata.n_varied = 2;
		r = add(1, 4, "2", 300);
		r->metadata.varied = gloo;
		r->metadata.n_varied = 2;
		CHECK_INT(label((int)i), 0);
		CHECK_INT(result.n_cases, 3);
		CHECK_INT(result.cases[i == 0 ? 0 : 2].n_labels, 0);
		CHECK_STR(result.cases[i == 0 ? 2 : 1].labels[0].value, "mpi");
		CHECK_STR(result.cases[i == 0 ? 2 : 1].baseline, "1n1g");
		CHECK_NEAR(result.cases[i == 0 ? 2 : 1].speedup, 3.8, 1e-12);
		finish();
	}
}

/* The name of a sweep is a label only if no other key separates the runs, even
 * if it is the first key. */
static void
test_varied_by_sweeps(void)
{
	static struct result_pair one[] = { { "sweep", "s1" },
		{ "backend", "mpi" } };
	static struct result_pair two[] = { { "sweep", "s2" },
		{ "backend", "gloo" } };

	for (size_t n = 1; n <= 2; n++) { /* keys */
		struct case_run *r;

		begin();
		r = add(1, 4, "1", 380);
		r->metadata.varied = one;
		r->metadata.n_varied = n;
		r = add(1, 4, "2", 300);
		r->metadata.varied = two;
		r->metadata.n_varied = n;
		CHECK_INT(label(0), 0);
		CHECK_INT(result.n_cases, 2);
		for (size_t i = 0; i < result.n_cases; i++) {
			CHECK_INT(result.cases[i].n_labels, 1);
			CHECK_STR(result.cases[i].labels[0].key,
			    n == 1 ? "sweep" : "backend");
		}
		finish();
	}
}

static void
test_devices(void)
{
	CHECK(case_same_device("tpu-v4-16", "tpu-v4-128"));
	CHECK(!case_same_device("tpu-v4-16", "tpu-v5-16"));
	CHECK(!case_same_device("tpu-v5e-16", "tpu-v5p-16"));
	/* A number after '-' is ignored if more than "tpu" precedes it. */
	CHECK(case_same_device("tpux-1", "tpux-2"));
	CHECK(!case_same_device("tpu-1", "tpu-2"));
	CHECK(!case_same_device("tpu-v4", "tpu-v5"));
	CHECK(!case_same_device("tpu-v4-a", "tpu-v4-b"));
	CHECK(!case_same_device("gpu-v4-16", "gpu-v4-128"));
	CHECK(case_same_device("TPU-V4-16", "tpu-v4-128"));
	CHECK(case_same_device("Tesla V100-SXM2", "Tesla V100-SXM2-16GB"));
	CHECK(case_same_device("Tesla V100-SXM2-16GB", "tesla v100-sxm2"));
	CHECK(!case_same_device("Tesla V1000", "Tesla V100"));
	CHECK(!case_same_device("Tesla V100", "Tesla V100S"));
	CHECK(case_same_device("Tesla V100", NULL));
	CHECK(case_same_device("NVIDIA H100", "H100"));
	CHECK(!case_same_device("NVIDIA H100", "NVIDIA H200"));
	CHECK(!case_same_device("Tesla V100", "Tesla V1000"));
	CHECK(case_same_device(NULL, "Tesla V100"));
	begin();
	add(1, 4, "1", 100)->measured.run.device = "tpu-v4-16";
	add(1, 8, "1", 190)->measured.run.device = "tpu-v4-128";
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_STR(result.cases[1].baseline, "1n4g");
	finish();
}

/* Up to six cases with few runs are named. */
static void
test_few_named(void)
{
	static const char *const models[] = { "a", "b", "c", "d", "e", "f",
		"g" };

	for (int n = 6; n <= 7; n++) {
		begin();
		for (int i = 0; i < n; i++)
			add(1, 1, "1", 100)->metadata.model = models[i];
		CHECK_INT(make(NULL, 0, 0), 0);
		CHECK(noted("pytorch f fp32 b128 1n1g"));
		CHECK(!noted("pytorch g fp32 b128 1n1g"));
		CHECK_INT(noted("f fp32 b128 1n1g: 1 run only"), n == 6);
		CHECK_INT(
		    noted("f fp32 b128 1n1g and 1 more: 1 run only"), n == 7);
		finish();
	}
}

static void
test_few_runs(void)
{
	int i;

	begin();
	for (i = 0; i < 3; i++)
		add(1, 1, &"abc"[i], 100 + i);
	for (i = 0; i < 3; i++)
		add(1, 2, &"abc"[i], 190 + i);
	add(1, 4, "a", 370);
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_INT(notes.n, 2);
	CHECK_STR(notes.items[0],
	    "pytorch r50 fp32 b128 1n4g: 1 run only: how much runs differ is "
	    "unknown; 95 % confidence in the median needs 6 runs");
	CHECK_STR(notes.items[1],
	    "pytorch r50 fp32 b128 1n1g, pytorch r50 fp32 b128 1n2g: 3 runs "
	    "only, so the interval of the median has 75 %; 95 % needs 6 runs");
	/* 3 runs against 3 reach 90 %. */
	CHECK_NEAR(result.cases[1].speedup_level, 0.9, 1e-12);
	finish();
	CHECK_INT(rank_test_runs_for((1 - 0.95) / 2, 1), 6);
	CHECK_INT(rank_test_runs_for((1 - 0.9375) / 2, 1), 5);
	CHECK_INT(rank_test_runs_for((1 - 0.99) / 2, 1), 8);
	CHECK_INT(rank_test_runs_for((1 - 0.5) / 2, 1), 2);
}

static void
test_natural(void)
{
	static const char *const sorted[] = { NULL, "", "a", "a01", "a1", "a2",
		"a10", "a10b", "a99999999999999999999999", "b" };
	size_t i, j;

	for (i = 0; i < 10; i++)
		for (j = 0; j < 10; j++) {
			const int d = natural_compare(sorted[i], sorted[j]);

			CHECK_INT((d > 0) - (d < 0), (i > j) - (i < j));
		}
	CHECK(natural_compare("r9_x", "r10_a") < 0);
	CHECK(natural_compare("a1b2", "a1b10") < 0);
}

/* A run of a baseline failed: cases compared with it have no speedup. Cases of
 * another model, whose baseline has the same name, keep theirs. */
static void
test_failed_baseline(void)
{
	static const char *const paths[] = { "a/1", "a/2", "b/1", "c/1", "d/1",
		"d/2" };
	struct result_excluded x =
	    excluded_run("a/3", &(struct remark){ .code = REMARK_FAILED });

	begin();
	for (int i = 0; i < 6; i++) {
		/* 1n1g and 1n8g of one model, then of another */
		struct case_run *r = add(1, i == 2 || i == 3 ? 8 : 1, paths[i],
		    i == 2 || i == 3 ? 5 : 20 + i);

		r->measured.run.path = paths[i];
		r->measured.unit = "min";
		r->measured.kind = RULE_SUMMARY;
		if (i >= 3)
			r->metadata.model = "vgg16";
	}
	CHECK_INT(make(NULL, 0, 0), 0);
	CHECK_INT(result.n_cases, 4);
	for (int i = 0; i < 4; i++)
		CHECK(result.cases[i].speedup >= 1);
	result.rule.metric = "time-to-train";
	result.excluded = &x;
	result.n_excluded = 1;
	cases_count_failed(&result);
	for (size_t i = 0; i < result.n_cases; i++)
		CHECK_INT(isnan(result.cases[i].speedup),
		    strcmp(result.cases[i].model, "r50") == 0);
	result.excluded = NULL;
	result.n_excluded = 0;
	finish();
}

static const struct tap_test tests[] = {
	TEST(test_failed_baseline),
	TEST(test_published),
	TEST(test_identity),
	TEST(test_choice_of_baseline),
	TEST(test_baselines),
	TEST(test_mixed_rules),
	TEST(test_times),
	TEST(test_times_of_steps),
	TEST(test_work_of_steps),
	TEST(test_bandwidths),
	TEST(test_strong),
	TEST(test_strong_without_batch),
	TEST(test_strong_huge),
	TEST(test_duplicates),
	TEST(test_copies),
	TEST(test_folders),
	TEST(test_contrary_shape),
	TEST(test_varied_in_one),
	TEST(test_order_of_labels),
	TEST(test_few_named),
	TEST(test_three_of_a_name),
	TEST(test_varied),
	TEST(test_varied_by_sweeps),
	TEST(test_devices),
	TEST(test_few_runs),
	TEST(test_natural),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
