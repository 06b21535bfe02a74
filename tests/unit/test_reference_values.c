#include <config.h>

#include <stdlib.h>
#include <sys/resource.h>

#include "common/alloc.h"
#include "common/published/published.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "tests/tap.h"

static struct result_file s;
static struct error e;

static struct series_set set;

static int
parse(const char *text)
{
	return reference_values_parse(
	    "a.figures", text, strlen(text), 0, &s, &e);
}

/* Copy the cases with their speedups from the series; set owns these. */
static void
fill_speedups(void)
{
	const struct series_how how = { .allow_mixed = 1 };
	struct result_set list = { &s, 1, 1 };

	s.path = s.name = "a";
	CHECK_INT(series_collect(&list, &how, &set, &e), 0);
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.items[i].n_points; k++)
			s.result.cases[set.items[i].points[k].index] =
			    *set.items[i].points[k].c;
}

static void
release(void)
{
	result_release(&s.result);
	series_release(&set);
}

/* Check that parsing fails with this code and first line of the message. */
static void
refuse(const char *text, enum error_code code, const char *message)
{
	char *nl;

	CHECK_INT(parse(text), -1);
	nl = strchr(e.message, '\n');
	if (nl != NULL)
		*nl = '\0';
	CHECK_STR(e.message, message);
	CHECK_INT(e.code, code);
}

#define HEAD "| nodes | GPUs | A | B |\n|---|---|---|---|\n"

static void
test_cells_stay_as_written(void)
{
	const struct result *r = &s.result;

	CHECK_INT(parse("# a comment\n"
			"model: ResNet50 V1.5\n"
			"batch: 160\n"
			"\n" HEAD "| 1 | 1 | 383.760 | OOM |\n"
			"| 2 | 16 | 5839.054 | n/a |\n"
			"| 4 | 32 |  |-|\n"),
	    0);
	CHECK_INT(r->n_cases, 6);
	CHECK_STR(s.values[0].text, "383.760");
	CHECK_NEAR(r->cases[0].median_speed, 383.76, 0);
	CHECK_STR(s.values[1].text, "OOM");
	CHECK(isnan(r->cases[1].median_speed));
	CHECK_STR(s.values[3].text, "n/a");
	CHECK_STR(s.values[4].text, "");
	CHECK_STR(s.values[5].text, "-");
	CHECK_STR(r->cases[0].framework, "A");
	CHECK_STR(r->cases[1].framework, "B");
	CHECK_STR(r->cases[2].name, "2n8g");
	CHECK_STR(r->cases[0].model, "ResNet50 V1.5");
	CHECK_INT(r->cases[0].batch_size_per_device, 160);
	CHECK(r->cases[0].precision == NULL);
	CHECK_STR(r->cases[0].unit, "samples/s");
	CHECK_STR(r->rule.metric, "throughput");
	CHECK_INT(r->cases[0].n, RESULT_UNKNOWN);
	CHECK_INT(s.values[0].line, 7);
	CHECK_INT(s.values[5].line, 9);
	result_release(&s.result);
}

/* The baseline is 1n1g, otherwise the fewest GPUs that have a number. */
static void
test_speedups(void)
{
	const struct result_case *c;

	CHECK_INT(parse(HEAD "| 1 | 1 | 100 | TODO |\n"
			     "| 1 | 4 | 300 | 50 |\n"
			     "| 2 | 8 | 500 | 75 |\n"),
	    0);
	fill_speedups();
	c = s.result.cases;
	CHECK_NEAR(c[4].speedup, 5, 0);
	CHECK_NEAR(c[4].efficiency, 0.625, 1e-15);
	CHECK_STR(c[4].baseline, "1n1g");
	CHECK_INT(c[4].baseline_flag, 0);
	CHECK(isnan(c[1].speedup));
	CHECK_NEAR(c[5].speedup, 1.5, 0);
	CHECK_NEAR(c[5].efficiency, 0.75, 0);
	CHECK_STR(c[5].baseline, "1n4g");
	CHECK_INT(c[5].baseline_flag, 1);
	CHECK(isnan(c[5].speedup_low));
	release();
}

/* A global batch that grows with the GPUs does not separate a row from its
 * baseline. One that does not grow makes a series if scaling is strong. */
static void
test_global_batch(void)
{
	static const char weak[] =
	    "| nodes | GPUs | global_batch_size | samples/s |\n"
	    "| 1 | 1 | 32 | 100 |\n| 1 | 8 | 256 | 700 |\n";
	static const char strong[] =
	    "| nodes | GPUs | global_batch_size | samples/s |\n"
	    "| 1 | 1 | 256 | 100 |\n| 1 | 8 | 256 | 600 |\n"
	    "| 1 | 1 | 512 | 200 |\n| 1 | 8 | 512 | 1500 |\n";
	static const char document[] =
	    "| nodes | GPUs | global_batch_size | samples/s |\n|-|-|-|-|\n"
	    "| 1 | 1 | 256 | 100 |\n| 1 | 8 | 256 | 600 |\n"
	    "| 1 | 1 | 512 | 200 |\n| 1 | 8 | 512 | 1500 |\n";
	char text[1000];
	const struct result_case *c;

	CHECK_INT(parse(weak), 0);
	fill_speedups();
	c = s.result.cases;
	CHECK_NEAR(c[1].speedup, 7, 0);
	CHECK_INT(c[0].batch_size_per_device, 32);
	CHECK_INT(c[1].batch_size_per_device, 32);
	CHECK_INT(c[1].n_labels, 0);
	release();
	CHECK_INT(parse(strong), 0);
	fill_speedups();
	c = s.result.cases;
	CHECK_INT(c[1].batch_size_per_device, 32);
	CHECK_INT(c[1].n_labels, 0);
	CHECK_NEAR(c[1].speedup, 1, 0);
	CHECK_STR(c[1].baseline, "1n8g");
	release();
	CHECK_INT(reference_values_parse(
		      "a.md", document, strlen(document), 1, &s, &e),
	    0);
	fill_speedups();
	c = s.result.cases;
	CHECK_STR(s.result.rule.scaling, "strong");
	CHECK_NEAR(c[1].speedup, 6, 0);
	CHECK_NEAR(c[3].speedup, 7.5, 0);
	CHECK_INT(c[1].batch_size_per_device, 32);
	release();
	snprintf(text, sizeof text, "scaling: strong\n%s", strong);
	CHECK_INT(parse(text), 0);
	fill_speedups();
	c = s.result.cases;
	CHECK_NEAR(c[1].speedup, 6, 0);
	CHECK_NEAR(c[3].speedup, 7.5, 0);
	CHECK_INT(c[1].batch_size_per_device, 32);
	CHECK_INT(c[1].n_labels, 0);
	release();
}

/* With several batches per step, the global batch is a label. */
static void
test_accumulated_batch(void)
{
	const struct result_case *c;

	CHECK_INT(parse("| nodes | GPUs | batch_size_per_device | "
			"global_batch_size | samples/s |\n"
			"| 1 | 1 | 32 | 64 | 100 |\n"
			"| 1 | 8 | 32 | 512 | 700 |\n"),
	    0);
	c = s.result.cases;
	CHECK_INT(c[1].batch_size_per_device, 32);
	CHECK_STR(c[1].labels[0].key, "global_batch_size");
	CHECK_STR(c[1].labels[0].value, "512");
	result_release(&s.result);
}

/* Memory is linear in the rows of a table of sizes. Quadratic memory would be
 * 1.6 GB here. */
static void
test_many_sizes(void)
{
	enum { ROWS = 4000 };
	struct rusage before, after;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	strbuf_addstr(&sb,
	    "rows: sizes\ncase: 4n1g\n"
	    "| count | mean size (MiB) | total time (s) |\n");
	for (int i = 0; i < ROWS; i++)
		strbuf_printf(&sb, "| %d | 2 | 1.5 |\n", i + 1);
	getrusage(RUSAGE_SELF, &before);
	CHECK_INT(parse(sb.buf), 0);
	getrusage(RUSAGE_SELF, &after);
	CHECK_INT(s.result.cases[0].runs[0].n_collectives, ROWS);
	CHECK_INT(s.result.cases[0].runs[0].collectives[ROWS - 1].count, ROWS);
	CHECK(after.ru_maxrss - before.ru_maxrss < 200000);
	result_release(&s.result);
	strbuf_release(&sb);
}

/* Lower is better: the speedup is the inverse ratio. */
static void
test_times(void)
{
	CHECK_INT(parse("unit: min\n| nodes | GPUs | A |\n"
			"| 1 | 1 | 100 |\n| 1 | 4 | 40 |\n"),
	    0);
	fill_speedups();
	CHECK_STR(s.result.rule.metric, "time-to-train");
	CHECK_NEAR(s.result.cases[1].speedup, 2.5, 0);
	release();
	/* 8 GPUs do 8 times the work in a step. */
	CHECK_INT(parse("unit: s\nbatch: 128\n| nodes | GPUs | A |\n"
			"| 1 | 1 | 0.359 |\n| 1 | 8 | 0.384 |\n"),
	    0);
	fill_speedups();
	CHECK_NEAR(s.result.cases[1].speedup, 8 * 0.359 / 0.384, 1e-14);
	CHECK_NEAR(s.result.cases[1].efficiency, 0.359 / 0.384, 1e-14);
	release();
	CHECK_INT(parse("| nodes | GPUs | A (iterations/s) |\n"
			"| 1 | 1 | 2 |\n| 1 | 8 | 1.5 |\n"),
	    0);
	fill_speedups();
	CHECK_NEAR(s.result.cases[1].speedup, 6, 1e-14);
	release();
	/* The GPUs share the same work per step. */
	CHECK_INT(parse("unit: s\nscaling: strong\nbatch: 1024\n"
			"| nodes | GPUs | A |\n"
			"| 1 | 1 | 4 |\n| 1 | 8 | 0.625 |\n"),
	    0);
	fill_speedups();
	CHECK_NEAR(s.result.cases[1].speedup, 6.4, 1e-14);
	CHECK_INT(s.result.cases[1].batch_size_per_device, 128);
	CHECK_STR(s.result.rule.scaling, "strong");
	release();
}

/* A header line applies until the next one with its key. */
static void
test_several_tables(void)
{
	const struct result_case *c;

	CHECK_INT(parse("model: a\nbatch: 1\nlabel: x=1\nlabel: y=2\n" HEAD
			"| 1 | 1 | 1 | 2 |\n"
			"batch: 2\nlabel: x=3\n" HEAD "| 1 | 1 | 1 | 2 |\n"
			"\n"
			"label:\nbatch:\nprecision: fp16\n" HEAD
			"| 1 | 1 | 1 | 2 |\n"),
	    0);
	c = s.result.cases;
	CHECK_INT(s.result.n_cases, 6);
	CHECK_INT(c[0].batch_size_per_device, 1);
	CHECK_INT(c[2].batch_size_per_device, 2);
	CHECK_STR(c[2].model, "a");
	CHECK_INT(c[0].n_labels, 2);
	CHECK_STR(c[0].labels[0].value, "1");
	CHECK_STR(c[2].labels[0].value, "3");
	CHECK_STR(c[2].labels[1].value, "2");
	CHECK_INT(c[4].n_labels, 0);
	CHECK_INT(c[4].batch_size_per_device, RESULT_UNKNOWN);
	CHECK_STR(c[4].precision, "fp16");
	result_release(&s.result);
}

/* Tables in the style of README files and of this toolkit's reports, with CRLF
 * and a byte order mark. */
static void
test_heads(void)
{
	CHECK_INT(parse("\xef\xbb\xbfmodel: m\r\n"
			"| Node num | GPU num | A \\| B (tokens/s) | C |\r\n"
			"| :-- | --: | :-: | --- |\r\n"
			"| - | 8 | 7 | 9 |\r\n"),
	    0);
	CHECK_STR(s.result.cases[0].framework, "A | B");
	CHECK_STR(s.result.cases[0].unit, "tokens/s");
	CHECK_STR(s.result.cases[1].framework, "C");
	CHECK_STR(s.result.cases[0].name, "8g");
	CHECK_INT(s.result.cases[0].nodes, RESULT_UNKNOWN);
	CHECK_STR(s.result.cases[0].model, "m");
	result_release(&s.result);
}

static void
test_origins(void)
{
	CHECK_INT(parse("source: https://example.org\nsource: a book\n" HEAD
			"| 1 | 1 | 1 | 2 |\n"),
	    0);
	CHECK_INT(s.n_origins, 2);
	CHECK_STR(s.origins[1], "a book");
	result_release(&s.result);
}

static const struct {
	const char *text;
	enum error_code code;
	const char *message;
} bad[] = {
	{ "", ERROR_EMPTY, "a.figures: it has no table of reference values" },
	{ "model: a\n", ERROR_EMPTY,
	    "a.figures: it has no table of reference values" },
	{ HEAD, ERROR_EMPTY, "a.figures:1: a table without rows" },
	{ "modell: a\n", ERROR_INPUT,
	    "a.figures:1:1: no key; keys are model, batch, scaling, precision, "
	    "unit, label, source, rows, steps, case and real" },
	{ "scaling: up\n", ERROR_INPUT,
	    "a.figures:1:10: 'up' is not one of: weak strong" },
	{ HEAD "| 1 | 1 | 2 | 3 |\nscaling: strong\n", ERROR_INPUT,
	    "a.figures:4:10: scaling must come before the first table" },
	{ "\n hello\n", ERROR_INPUT,
	    "a.figures:2:2: expected 'key: value', a row '| ... |' or a "
	    "comment '#'" },
	{ "batch: many\n", ERROR_INPUT,
	    "a.figures:1:8: 'many' is not a batch size (samples on each "
	    "GPU)" },
	{ "batch: 0\n", ERROR_INPUT,
	    "a.figures:1:8: '0' is not a batch size (samples on each GPU)" },
	{ "unit: km/h\n", ERROR_INPUT,
	    "a.figures:1:7: 'km/h' is not a unit: samples/s, images/s, "
	    "sequences/s, examples/s, tokens/s, items/s, iterations/s, s or "
	    "min" },
	{ "label: fast\n", ERROR_INPUT,
	    "a.figures:1:8: 'fast' is not key=value (32 labels at most)" },
	{ "| nodes | A |\n", ERROR_INPUT,
	    "a.figures:1:1: a table needs columns of nodes and GPUs, or one of "
	    "cases such as 4n8g, and one of speeds or times" },
	{ "| nodes | GPUs |\n", ERROR_INPUT,
	    "a.figures:1:1: a table needs columns of nodes and GPUs, or one of "
	    "cases such as 4n8g, and one of speeds or times" },
	{ "| nodes | GPUs | Node num | A |\n| 1 | 8 | 2 | 5 |\n", ERROR_INPUT,
	    "a.figures:2:11: '2' contradicts another cell of its row" },
	{ "| nodes | GPUs |  | A |\n", ERROR_INPUT,
	    "a.figures:1:19: a column without a name" },
	{ HEAD "| 1 | 1 | 5 | 6 |\n\n| nodes | GPUs | A (s) |\n", ERROR_INPUT,
	    "a.figures:5:18: speeds and times are not read from one file" },
	{ HEAD "| 1 | 1 | 5 |\n", ERROR_INPUT,
	    "a.figures:3:11: a row of more or fewer cells than the header" },
	{ HEAD "| 1 | 1 | 5 | 6 | 7 |\n", ERROR_INPUT,
	    "a.figures:3:15: a row of more or fewer cells than the header" },
	{ HEAD "| 1 | x | 5 | 6 |\n", ERROR_INPUT,
	    "a.figures:3:7: 'x' is not a count" },
	{ HEAD "| 0 | 1 | 5 | 6 |\n", ERROR_INPUT,
	    "a.figures:3:3: '0' is not a count" },
	{ HEAD "| 3 | 16 | 5 | 6 |\n", ERROR_INPUT,
	    "a.figures:3:3: '3' does not divide the number of GPUs ('GPUs' "
	    "counts those of all nodes)" },
	{ HEAD "| 1 | 1 | 5 | 383.76O |\n", ERROR_INPUT,
	    "a.figures:3:15: '383.76O' is neither a number above 0 nor a word "
	    "such as OOM, TODO or n/a" },
	{ HEAD "| 1 | 1 | -5 | 6 |\n", ERROR_INPUT,
	    "a.figures:3:11: '-5' is neither a number above 0 nor a word "
	    "such as OOM, TODO or n/a" },
	{ "model: \xff\n", ERROR_INPUT, "a.figures: not a text in UTF-8" },
};

static void
test_mistakes(void)
{
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		refuse(bad[i].text, bad[i].code, bad[i].message);
}

static void
test_nul(void)
{
	static const char text[] = "model: a\0b\n";

	CHECK_INT(
	    reference_values_parse("a", text, sizeof text - 1, 0, &s, &e), -1);
	CHECK_STR(e.message, "a: not a text in UTF-8");
}

/* A table of cases, then one of topologies, selected by each of its names. */
static void
test_rows_again(void)
{
	static const char *const names[] = { "topologies", "" };
	char text[200];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(text, sizeof text,
		    "rows: cases\n| nodes | GPUs | images/s |\n| 1 | 1 | 5 |\n"
		    "\nrows: %s\n" HEAD "| 1 | 1 | 7 | 8 |\n",
		    names[i]);
		CHECK_INT(parse(text), 0);
		CHECK_INT(s.result.n_cases, 3);
		CHECK_STR(s.result.cases[2].framework, "B");
		result_release(&s.result);
	}
	refuse("rows: lines\n", ERROR_INPUT,
	    "a.figures:1:7: 'lines' is not one of: topologies cases sizes");
}

/* Rows that are cases: quantities, cells as written, derived values. */
static void
test_cases(void)
{
	const struct result_case *c;

	CHECK_INT(parse("rows: cases\nsteps: 4500\n"
			"| nodes | GPUs | label link | real | step | sending "
			"| images/s |\n"
			"| 1 | 1 | | 578.1s | 128.4ms | 46.2Kb/s | 100 |\n"
			"| 4 | 4 | 5G | 1142.5s | 254ms | 4.82Gb/s | OOM |\n"
			"| 4 | 4 | 2G | 2282.8s | | TODO | 300.5 |\n"),
	    0);
	CHECK_INT(s.result.n_cases, 3);
	c = s.result.cases;
	CHECK_STR(c[1].name, "4n1g");
	CHECK_STR(c[1].labels[0].key, "link");
	CHECK_STR(c[1].labels[0].value, "5G");
	CHECK_INT(c[0].n_labels, 0);
	CHECK_STR(c[0].unit, "images/s");
	CHECK_INT(c[0].n, RESULT_UNKNOWN);
	CHECK_NEAR(c[0].runs[0].times.real_s, 578.1, 1e-12);
	CHECK_NEAR(c[1].runs[0].network.sent_gb_per_s, 4.82 / 8, 1e-12);
	CHECK(isnan(c[2].runs[0].network.sent_gb_per_s));
	CHECK_NEAR(c[2].runs[0].phases.step_s, 2282.8 / 4500, 1e-12);
	CHECK_STR(s.values[1].text, "OOM");
	CHECK_STR(s.values[1].written[QUANTITY_STEP], "254ms");
	CHECK_STR(s.values[2].written[QUANTITY_SENT], "TODO");
	CHECK(s.values[2].written[QUANTITY_STEP] == NULL);
	CHECK_INT(s.n_remarks, 1);
	CHECK_STR(s.remarks[0],
	    "a.figures:4:22: step '128.4ms' does not follow from 578.1s / "
	    "4500: 128.47 ms");
	result_release(&s.result);
}

/* A value is doubted only if it is outside the rounding of the digits given:
 * 10.0s / 4 is 2.4875 to 2.5125 s. */
static void
test_doubts(void)
{
	static const struct {
		const char *step;
		int doubts;
	} all[] = { { "2.5s", 0 }, { "2.49s", 0 }, { "2.48s", 1 },
		{ "2.51s", 0 }, { "2.52s", 1 }, { "2.487s", 0 },
		{ "2.486s", 1 }, { "2513ms", 0 }, { "2514ms", 1 }, { "2s", 0 },
		{ "3s", 0 }, { "4s", 1 } };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char text[200];

		snprintf(text, sizeof text,
		    "rows: cases\nsteps: 4\n| nodes | GPUs | real | step |\n"
		    "| 1 | 1 | 10.0s | %s |\n",
		    all[i].step);
		CHECK_INT(parse(text), 0);
		if ((int)s.n_remarks != all[i].doubts)
			CHECK_STR(all[i].step, "of other doubts");
		result_release(&s.result);
	}
}

/* The baseline of a speedup is a case with the same labels. */
static void
test_case_speedups(void)
{
	CHECK_INT(parse("rows: cases\n"
			"| label backend | nodes | GPUs | real | images/s |\n"
			"| MPI | 1 | 1 | 10s | 60 |\n"
			"| MPI | 1 | 2 | 5s | 130 |\n"
			"| Gloo | 1 | 1 | 12s | 50 |\n"
			"| Gloo | 1 | 2 | 8s | 75 |\n"),
	    0);
	fill_speedups();
	CHECK_NEAR(s.result.cases[1].speedup, 130.0 / 60, 1e-12);
	CHECK_NEAR(s.result.cases[3].speedup, 1.5, 1e-12);
	release();
}

/* If both a total and a mean are given, the one with more digits counts. */
static void
test_sizes(void)
{
	const struct result_collective *x;

	CHECK_INT(
	    parse("rows: sizes\ncase: 4n1g\nreal: 141.0s\nsteps: 400\n"
		  "| size | count | mean size (MiB) | bandwidth (Mibit/s) | "
		  "total time (s) | mean time (ms) |\n"
		  "| (0, 1KB] | 24800 | 0.00 | 32.04 | 7.46 | 0.30 |\n"
		  "| (1MB, 10MB] | 391 | 3.32 | 6588.35 | 2.57 | 6.57 "
		  "|\n"),
	    0);
	CHECK_INT(s.result.n_cases, 1);
	CHECK_STR(s.result.cases[0].name, "4n1g");
	CHECK_INT(s.result.cases[0].runs[0].n_collectives, 2);
	x = s.result.cases[0].runs[0].collectives;
	CHECK_INT(x[0].count, 24800);
	CHECK_NEAR(x[0].time_s, 7.46 / 24800, 1e-12);
	CHECK_NEAR(x[1].time_s, 6.57e-3, 1e-12);
	CHECK_NEAR(x[1].bytes, 3.32 * (1 << 20), 1e-6);
	CHECK_NEAR(x[1].bus_gb_per_s, 6588.35 * (1 << 20) / 8e9, 1e-12);
	CHECK_NEAR(s.result.cases[0].runs[0].phases.step_s, 0.3525, 1e-12);
	CHECK_INT(s.n_remarks, 0);
	result_release(&s.result);
}

/* A count is a number from 1 to below 1e15. */
static void
test_counts_of_sizes(void)
{
	static const struct {
		const char *count;
		int is_bad;
	} all[] = { { "1", 0 }, { "0.5", 1 }, { "1e15", 1 },
		{ "999999999999999", 0 } };
	char text[200];

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		snprintf(text, sizeof text,
		    "rows: sizes\ncase: 4n1g\n"
		    "| count | mean size (MiB) | mean time (ms) |\n"
		    "| %s | 3.32 | 6.57 |\n",
		    all[i].count);
		if (all[i].is_bad) {
			refuse(text, ERROR_INPUT,
			    "a.figures:4: a row of sizes needs numbers in the "
			    "columns 'count', 'mean size (MiB)', and 'total "
			    "time (s)' or 'mean time (ms)'");
			continue;
		}
		CHECK_INT(parse(text), 0);
		CHECK_INT(s.result.cases[0].runs[0].collectives[0].count,
		    strtol(all[i].count, NULL, 10));
		result_release(&s.result);
	}
}

/* Files of 16 MiB are read, larger ones are refused. */
static void
test_largest_file(void)
{
	static const char table[] = "\n" HEAD "| 1 | 1 | 2 | 3 |\n";
	const size_t most = PUBLISHED_MAX_BYTES;
	char *text = malloc(most + 1);

	memset(text, '#', most + 1);
	memcpy(text + most - strlen(table), table, strlen(table));
	text[most] = '\n';
	CHECK_INT(reference_values_parse("a", text, most, 0, &s, &e), 0);
	CHECK_INT(s.result.n_cases, 2);
	result_release(&s.result);
	CHECK_INT(reference_values_parse("a", text, most + 1, 0, &s, &e), -1);
	CHECK_STR(e.message, "a: larger than 16 MiB");
	free(text);
}

static void
test_caret(void)
{
	CHECK_INT(parse(HEAD "| 1 | 1 | 5 | 6x |\n"), -1);
	CHECK_STR(
	    strchr(e.message, '\n'), "\n| 1 | 1 | 5 | 6x |\n              ^");
}

static const struct tap_test tests[] = {
	TEST(test_cells_stay_as_written),
	TEST(test_speedups),
	TEST(test_global_batch),
	TEST(test_accumulated_batch),
	TEST(test_many_sizes),
	TEST(test_times),
	TEST(test_several_tables),
	TEST(test_heads),
	TEST(test_origins),
	TEST(test_mistakes),
	TEST(test_nul),
	TEST(test_rows_again),
	TEST(test_cases),
	TEST(test_doubts),
	TEST(test_case_speedups),
	TEST(test_sizes),
	TEST(test_counts_of_sizes),
	TEST(test_largest_file),
	TEST(test_caret),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
