#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "plots/draw.h"
#include "tests/tap.h"

static struct result_set list;
static struct series_set set;
static struct chart_data chart;
static struct chart_how how = { .room = 90, .max_ticks = 14 };
static struct error e;

/* Read a table of reference values into list and collect its series in set. */
static void
start(const char *text)
{
	struct series_how all = { .need_gpus = 1 };
	struct result_file *s;

	chart_release(&chart);
	series_release(&set);
	result_set_release(&list);
	list.items = vec_grow(NULL, 0, &list.alloc, sizeof *list.items);
	s = &list.items[0];
	memset(s, 0, sizeof *s);
	CHECK_INT(reference_values_parse("a", text, strlen(text), 0, s, &e), 0);
	s->path = s->name = "a";
	list.n = 1;
	CHECK_INT(series_collect(&list, &all, &set, &e), 0);
	/* Let points refer to the cases in list, which tests modify. */
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.items[i].n_points; k++) {
			struct series_point *p = &set.items[i].points[k];

			s->result.cases[p->index] = *p->c;
			p->c = &s->result.cases[p->index];
		}
}

static int
collect(const char *name)
{
	chart_release(&chart);
	return chart_collect(chart_find(name), &set, &how, &chart, &e);
}

#define HEAD "| nodes | GPUs | A | B |\n"
#define TABLE HEAD "| 1 | 1 | 10 | 20 |\n| 1 | 4 | 32 | OOM |\n"

/* Value of CHART_OTHER at the last point of series i; *ideal gets its ideal. */
static double
other_of(size_t i, double *ideal)
{
	const struct chart_series *s = &chart.series[i];
	const struct chart_point *p = &s->points[s->n_points - 1];

	*ideal = chart_ideal(&chart, s, CHART_OTHER, p->x);
	return p->y[CHART_OTHER].at;
}

static void
test_step_times(void)
{
	double ideal;

	/* Strong scaling: 256 samples in all at 200/s, ideally at 400/s. */
	start("scaling: strong\nbatch: 256\n" HEAD "| 1 | 1 | 100 | 50 |\n"
	      "| 1 | 4 | 200 | 160 |\n");
	CHECK_INT(collect("step-time"), 0);
	CHECK_NEAR(other_of(0, &ideal), 1.28, 1e-12);
	CHECK_NEAR(ideal, 0.64, 1e-12);
	CHECK_STR(chart.y_title, "step time (s)");
	CHECK_STR(chart.second->name, "speedup");
	/* Weak scaling: 256 samples per GPU, ideally as fast as on one GPU. */
	start("batch: 256\n" HEAD "| 1 | 1 | 100 | 50 |\n"
	      "| 1 | 4 | 200 | 160 |\n");
	CHECK_INT(collect("step-time"), 0);
	CHECK_NEAR(other_of(0, &ideal), 5.12, 1e-12);
	CHECK_NEAR(ideal, 2.56, 1e-12);
	start("unit: iterations/s\n" HEAD "| 1 | 1 | 4 | 5 |\n"
	      "| 1 | 4 | 2 | 4 |\n");
	CHECK_INT(collect("step-time"), 0);
	CHECK_NEAR(other_of(0, &ideal), 0.5, 1e-12);
	/* Without the batch size the samples per step are unknown. */
	start(TABLE);
	CHECK_INT(collect("step-time"), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	start("batch: 8\nunit: tokens/s\n" TABLE);
	CHECK_INT(collect("step-time"), -1);
}

static void
test_costs(void)
{
	double ideal;

	start(TABLE);
	CHECK_INT(collect("cost"), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	how.price = 3.6;
	/* 4 GPUs at 0.001 per second, a million samples at 32 per second. */
	CHECK_INT(collect("cost"), 0);
	CHECK_NEAR(other_of(0, &ideal), 125, 1e-9);
	CHECK_NEAR(ideal, 100, 1e-9);
	CHECK_STR(chart.y_title, "cost of a million samples");
	start("unit: tokens/s\n" TABLE);
	CHECK_INT(collect("cost"), 0);
	CHECK_STR(chart.y_title, "cost of a million tokens");
	CHECK_INT(collect("speedup"), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	how.price = 0;
}

/* A series with one number of GPUs next to one with several. */
static void
test_lone_series(void)
{
	start("| nodes | GPUs | A | B |\n| 1 | 1 | 10 | - |\n"
	      "| 1 | 4 | 32 | 30 |\n");
	CHECK_INT(collect("scaling"), 0);
	CHECK_INT(chart.n_series, 1);
	CHECK(strstr(chart.note,
		  "not drawn: B 1n4g (only one number of GPUs)") != NULL);
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_series, 2);
	CHECK_INT(chart.series[1].points[1].is_open, 1);
	CHECK_INT(chart.series[0].points[1].is_open, 0);
	start("| nodes | GPUs | A |\n| 1 | 4 | 32 |\n");
	CHECK_INT(collect("speedup"), 0);
}

static void
test_grid(void)
{
	start(HEAD "| 1 | 1 | 10 | 20 |\n| 1 | 4 | 32 | OOM |\n"
		   "| 2 | 4 | 31 | 70 |\n");
	CHECK_INT(collect("heatmap"), 0);
	CHECK_INT(chart.n_rows, 2);
	CHECK_STR(chart.rows[1].name, "B");
	CHECK_INT(chart.n_x_names, 2);
	CHECK_STR(chart.x_names[1], "4");
	/* One cell per number of GPUs: the case with the fewest nodes. */
	CHECK_INT(chart.series[0].n_points, 2);
	CHECK_STR(chart.series[0].points[1].name, "80");
	CHECK_NEAR(chart.series[0].points[1].y[CHART_VALUE].at, 2, 0);
	CHECK_NEAR(chart.series[1].points[1].x, 2, 0);
	CHECK_STR(chart.series[1].points[1].name, "88");
	start("| nodes | GPUs | A |\n| 1 | 4 | OOM |\n");
	CHECK_INT(collect("heatmap"), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
}

static void
test_dots(void)
{
	start("| nodes | GPUs | A | B | C |\n| 1 | 4 | 10 | 30 | 20 |\n");
	CHECK_INT(collect("dots"), 0);
	CHECK_STR(chart.rows[0].name, "B");
	CHECK_STR(chart.rows[1].name, "C");
	CHECK_STR(chart.rows[2].texts[0], "10.00");
	/* The shortest time is the best. */
	start("unit: s\n" HEAD "| 1 | 4 | 10 | 3 |\n| 1 | 8 | 9 | 2 |\n");
	CHECK_INT(collect("dots"), 0);
	CHECK_STR(chart.rows[0].name, "B 1n8g");
	CHECK_STR(chart.rows[3].name, "A 1n4g");
}

static void
test_ideal_lines(void)
{
	start("model: m\n" TABLE);
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_series, 2);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_VALUE, 4), 40, 1e-12);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[1], CHART_VALUE, 4), 80, 1e-12);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[1], CHART_SPEEDUP, 4), 4, 0);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[1], CHART_EFFICIENCY, 4), 100, 0);
	/* The end of the ideal line is within the y axis. */
	CHECK(chart.y.high > 80);
}

/* Without 1n1g the ideal line starts from the baseline in use, 1n4g. */
static void
test_ideal_of_other_baseline(void)
{
	start("| nodes | GPUs | A |\n| 1 | 4 | 10 |\n| 1 | 8 | 19 |\n");
	CHECK_INT(collect("speedup"), 0);
	CHECK_NEAR(chart.series[0].base_gpus, 4, 1e-12);
	CHECK_NEAR(chart.series[0].base_value, 10, 1e-12);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_SPEEDUP, 4), 1, 1e-12);
	CHECK_STR(
	    chart.note, "baseline: 1n4g = 10.000 samples/s (1n1g is missing)");
}

/* Ideal times decrease with the number of GPUs. */
static void
test_ideal_of_times(void)
{
	start("unit: min\n| nodes | GPUs | A |\n| 1 | 1 | 80 |\n"
	      "| 1 | 4 | 25 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_VALUE, 4), 20, 1e-12);
	CHECK_STR(chart.y_title, "time to train (min)");
	CHECK(chart.y.low < 20);
}

/* A step of weak scaling ideally takes as long on any number of GPUs. */
static void
test_ideal_of_steps(void)
{
	start("unit: s\n| nodes | GPUs | A |\n| 1 | 1 | 0.359 |\n"
	      "| 1 | 8 | 0.384 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_NEAR(chart_ideal(&chart, &chart.series[0], CHART_VALUE, 8), 0.359,
	    1e-12);
	CHECK_NEAR(chart_ideal(&chart, &chart.series[0], CHART_VALUE, 1), 0.359,
	    1e-12);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_SPEEDUP, 8), 8, 1e-12);
	start("unit: s\nscaling: strong\n| nodes | GPUs | A |\n"
	      "| 1 | 1 | 4 |\n| 1 | 8 | 1 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_VALUE, 8), 0.5, 1e-12);
	start("unit: iterations/s\n| nodes | GPUs | A |\n"
	      "| 1 | 1 | 2 |\n| 1 | 8 | 1.5 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[0], CHART_VALUE, 8), 2, 1e-12);
}

static void
test_texts(void)
{
	start("model: m\nbatch: 8\n" TABLE);
	CHECK_INT(collect("speedup"), 0);
	CHECK_STR(chart.title, "m, batch 8 per device");
	CHECK_STR(chart.note,
	    "not drawn: B 1n1g (only one number of GPUs), B 1n4g (OOM); "
	    "baseline: 1n1g = 10.000 samples/s");
	CHECK_STR(chart_note_line(&chart, 90),
	    "not drawn: B 1n1g (only one number of GPUs), B 1n4g (OOM)");
	CHECK_STR(chart_note_line(&chart, 95), chart.note);
	CHECK_STR(chart.x_title, "GPUs");
	CHECK_STR(chart.y_title, "speedup (×)");
	CHECK_STR(chart.series[0].name, "A");
	CHECK_INT(collect("throughput"), 0);
	CHECK_STR(chart.y_title, "throughput (samples/s)");
	how.lang = LANGUAGE_ZH;
	how.title = "标题";
	CHECK_INT(collect("efficiency"), 0);
	how.lang = LANGUAGE_EN;
	how.title = NULL;
	CHECK_STR(chart.title, "标题");
	CHECK_STR(chart.y_title, "并行效率 (%)");
}

/* The note names cases without a number. */
static void
test_empty_series(void)
{
	start(HEAD "| 1 | 1 | 1 | TODO |\n| 1 | 2 | 2 | TODO |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_series, 1);
	CHECK_STR(chart.note,
	    "not drawn: B 1n1g (TODO), B 1n2g (TODO); "
	    "baseline: 1n1g = 1.0000 samples/s");
}

static void
test_different_baselines(void)
{
	start(HEAD "| 1 | 1 | 1 | TODO |\n| 1 | 2 | 2 | 3 |\n"
		   "| 1 | 4 | 4 | 6 |\n");
	CHECK_INT(collect("speedup"), 0);
	CHECK_STR(chart.series[0].name, "A, baseline 1n1g");
	CHECK_STR(chart.series[1].name, "B, baseline 1n2g");
}

/* The interval of the efficiency is derived from the speedup's. */
static void
test_intervals(void)
{
	struct result_case *c;

	start(TABLE);
	c = &list.items[0].result.cases[2];
	c->median_low = 31;
	c->median_high = 33;
	c->median_level = 0.9375;
	c->speedup_low = 3;
	c->speedup_high = 3.6;
	c->speedup_level = 61.0 / 63;
	CHECK_INT(collect("efficiency"), 0);
	CHECK_NEAR(chart.series[0].points[1].y[CHART_EFFICIENCY].at, 80, 1e-9);
	CHECK_NEAR(chart.series[0].points[1].y[CHART_EFFICIENCY].low, 75, 1e-9);
	CHECK_NEAR(
	    chart.series[0].points[1].y[CHART_EFFICIENCY].high, 90, 1e-9);
	CHECK(strstr(chart.note, "; error bars: 96.83 % CI of the speedup") !=
	    NULL);
	CHECK_INT(collect("throughput"), 0);
	CHECK(strstr(chart.note, "; error bars: 93.75 % CI of the median") !=
	    NULL);
	c[-2].median_low = 9;
	c[-2].median_high = 11;
	c[-2].median_level = 0.5;
	CHECK_INT(collect("throughput"), 0);
	CHECK(strstr(chart.note, " 50 % / 93.75 % CI of") != NULL);
}

/* 8 GPUs on one, two and eight nodes: the line goes through one of them. */
static void
test_points_aside(void)
{
	const struct chart_point *p;

	start("| nodes | GPUs | A |\n| 1 | 1 | 1 |\n| 8 | 8 | 5 |\n"
	      "| 1 | 8 | 7 |\n| 2 | 8 | 6 |\n| 2 | 16 | 13 |\n");
	CHECK_INT(collect("speedup"), 0);
	p = chart.series[0].points;
	CHECK_INT(chart.series[0].n_points, 5);
	CHECK_STR(p[1].name, "1n8g");
	CHECK_STR(p[2].name, "2n8g");
	CHECK_INT(p[2].aside, 0);
	CHECK_STR(p[3].name, "2n4g");
	CHECK_INT(p[3].aside, 1);
	CHECK_STR(p[4].name, "8n1g");
	CHECK_INT(p[4].aside, 1);
	/* An OOM case does not count: 8n1g stays on the line. */
	start("| nodes | GPUs | A |\n| 1 | 1 | 1 |\n| 8 | 8 | 5 |\n"
	      "| 1 | 8 | OOM |\n");
	CHECK_INT(collect("speedup"), 0);
	CHECK_INT(chart.series[0].points[2].aside, 0);
	CHECK_STR(chart.series[0].points[2].name, "8n1g");
}

/* Bandwidths are drawn without a number of GPUs; the note names a case without
 * bandwidths, also if it is all of an unnamed series. */
static void
test_cases_not_drawn(void)
{
	static struct result_collective row;
	static struct result_run run;
	struct result_case *c;

	start("model: m\n| nodes | GPUs | A |\n| 1 | 1 | 10 |\n"
	      "| 1 | 2 | 20 |\n");
	c = list.items[0].result.cases;
	row = (struct result_collective){ .collective = "allreduce",
		.kind = "by-size",
		.bytes = 1024,
		.bus_gb_per_s = 2,
		.iterations = RESULT_ITERATIONS_UNKNOWN };
	run.collectives = &row;
	run.n_collectives = 1;
	c[1].runs = &run;
	c[1].n_runs = 1;
	c[0].gpus = c[1].gpus = RESULT_UNKNOWN;
	CHECK_INT(collect("bandwidth"), 0);
	CHECK_STR(chart.note, "not drawn: 1n1g (no figure)");
	CHECK_INT(collect("bars"), 0);
	CHECK_INT(chart.series[0].n_points, 2);
	CHECK_STR(chart.note, "");
	c[0].gpus = 1;
	CHECK_INT(collect("throughput"), 0);
	CHECK(strstr(chart.note, "not drawn: 1n2g (number of GPUs unknown)") !=
	    NULL);
	c[1].n_runs = 0;
}

/* Nearly equal sizes form one point: their median size and bandwidth. */
static void
test_sizes(void)
{
	static const double sizes[] = { 1000, 1100, 1200, 4096, 8192 };
	static const double rates[] = { 1, 3, 2, 5, 6 };
	static struct result_collective rows[5];
	static struct result_run run = { .collectives = rows,
		.n_collectives = 5 };
	const struct chart_point *p;
	struct result_case *c;

	for (int i = 0; i < 5; i++)
		rows[i] = (struct result_collective){ .collective = "allreduce",
			.kind = "traced",
			.bytes = sizes[i],
			.bus_gb_per_s = rates[i],
			.iterations = RESULT_ITERATIONS_UNKNOWN };
	start("model: m\n| nodes | GPUs | A |\n| 1 | 1 | 10 |\n");
	c = list.items[0].result.cases;
	c[0].runs = &run;
	c[0].n_runs = 1;
	CHECK_INT(collect("bandwidth"), 0);
	CHECK_INT(chart.series[0].n_points, 3);
	p = chart.series[0].points;
	CHECK_NEAR(p[0].x, 1100, 0);
	CHECK_NEAR(p[0].y[CHART_VALUE].at, 2, 0);
	CHECK_NEAR(p[0].y[CHART_VALUE].low, 1.1, 1e-12);
	CHECK_NEAR(p[0].y[CHART_VALUE].high, 2.9, 1e-12);
	CHECK_NEAR(p[1].x, 4096, 0);
	CHECK_NEAR(p[2].y[CHART_VALUE].at, 6, 0);
	CHECK_STR(chart.note,
	    "medians of nearly equal sizes; band: 5th to 95th percentile");
	c[0].n_runs = 0;
}

static void
test_nothing_to_draw(void)
{
	start(HEAD "| 1 | 1 | TODO | OOM |\n");
	CHECK_INT(collect("throughput"), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	CHECK_STR(e.message,
	    "no case has a number for the chart "
	    "'throughput'");
	CHECK_INT(collect("speedup"), -1);
	CHECK_STR(e.message,
	    "no case has a number for the chart 'speedup' "
	    "(is there a baseline?)");
}

/* B's speedups over A's first case: 20/10 and 60/10. */
static void
test_common_baseline(void)
{
	start("model: m\n" HEAD "| 1 | 1 | 10 | 20 |\n| 1 | 4 | 32 | 60 |\n");
	how.common_baseline = 1;
	CHECK_INT(collect("speedup"), 0);
	CHECK_NEAR(chart.series[0].points[1].y[CHART_SPEEDUP].at, 3.2, 1e-12);
	CHECK_NEAR(chart.series[1].points[0].y[CHART_SPEEDUP].at, 2, 1e-12);
	CHECK_NEAR(chart.series[1].points[1].y[CHART_SPEEDUP].at, 6, 1e-12);
	CHECK_NEAR(chart.series[1].points[1].y[CHART_EFFICIENCY].at, 150, 1e-9);
	CHECK(
	    strstr(chart.note, "baseline: A 1n1g = 10.000 samples/s") != NULL);
	CHECK_NEAR(
	    chart_ideal(&chart, &chart.series[1], CHART_VALUE, 4), 40, 1e-12);
	/* For times, less is better. */
	start("unit: s\nscaling: strong\n" HEAD
	      "| 1 | 1 | 10 | 20 |\n| 1 | 4 | 5 | 8 |\n");
	CHECK_INT(collect("speedup"), 0);
	CHECK_NEAR(chart.series[1].points[0].y[CHART_SPEEDUP].at, 0.5, 1e-12);
	how.common_baseline = 0;
	CHECK_INT(collect("speedup"), 0);
	CHECK_NEAR(chart.series[1].points[0].y[CHART_SPEEDUP].at, 1, 1e-12);
}

/* Runs outside all medians and intervals are within the range of the y axis,
 * linear or logarithmic. */
static void
test_runs_are_inside(void)
{
	static const char *const names[] = { "throughput", "speedup",
		"efficiency" };
	static struct result_run runs[2];

	start("model: m\n| nodes | GPUs | A |\n| 1 | 1 | 100 |\n"
	      "| 1 | 2 | 200 |\n");
	for (int more = 0; more <= 40; more++) {
		struct result_case *c = &list.items[0].result.cases[1];

		runs[0].value = 200 * (1 + more / 200.0);
		runs[1].value = 200 / (1 + more / 200.0);
		c->runs = runs;
		c->n_runs = 2;
		for (int k = 0; k < 6; k++) {
			const struct chart_point *p;

			how.linear = k >= 3;
			CHECK_INT(collect(names[k % 3]), 0);
			p = &chart.series[0].points[1];
			for (size_t r = 0; r < 2; r++) {
				const double v =
				    chart_run_value(&chart, &chart.series[0], p,
					chart.chart->quantity, r);

				CHECK(v >= chart.y.low && v <= chart.y.high);
			}
		}
	}
	how.linear = 0;
	list.items[0].result.cases[1].n_runs = 0;
}

/* Small charts have less room for the labels of their axis. */
static void
test_room_of_facets(void)
{
	start("model: m\n| nodes | GPUs | A |\n| 1 | 100 | 1 |\n"
	      "| 1 | 104 | 2 |\n| 1 | 110 | 3 |\n| 1 | 120 | 3 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK(chart.x.ticks[1].label[0] != '\0');
	CHECK_INT(chart_set_room(&chart, 10, &e), 0);
	CHECK(chart.x.ticks[1].label[0] == '\0');
}

/* Every case has one place on the x axis, whichever series contain it. */
static void
test_bars(void)
{
	start("model: m\n" HEAD "| 1 | 1 | 10 | OOM |\n| 2 | 16 | 90 | 80 |\n"
	      "| 1 | 8 | 70 | 60 |\n");
	CHECK_INT(collect("bars"), 0);
	CHECK_INT(chart.n_series, 2);
	CHECK_INT(chart.series[0].n_points, 3);
	CHECK_INT(chart.series[1].n_points, 2);
	CHECK_NEAR(chart.series[1].points[0].x, 2, 0);
	CHECK_STR(chart.series[1].points[0].name, "1n8g");
	CHECK_NEAR(chart.series[1].points[1].x, 3, 0);
	CHECK_INT(chart.x.n, 3);
	CHECK_STR(chart.x.ticks[2].label, "2n8g");
	/* Bars start at 0, so that their lengths are comparable. */
	CHECK_NEAR(chart.y.low, 0, 0);
	CHECK_INT(chart.y.base, 0);
	CHECK(chart.y.high > 90);
}

static void
test_batch_sweep(void)
{
	start("model: m\n" TABLE);
	CHECK_INT(collect("batch"), -1);
	CHECK_STR(e.message,
	    "there are no cases of several batch sizes for the chart 'batch'");
	start("model: m\nbatch: 64\n" TABLE "\nbatch: 32\n" TABLE);
	CHECK_INT(collect("batch"), 0);
	/* Two cases of A, one of B: B's other case is OOM. */
	CHECK_INT(chart.n_series, 3);
	CHECK_STR(chart.series[0].name, "A, 1n1g");
	CHECK_NEAR(chart.series[0].points[0].x, 32, 0);
	CHECK_NEAR(chart.series[0].points[1].x, 64, 0);
	CHECK_INT(chart.x.n, 2);
	CHECK_STR(chart.x.ticks[1].label, "64");
}

/* A label of some cases is left out of the names of the others, unless these
 * would be empty. */
static void
test_labels_of_some(void)
{
#define ONE(speed) "| nodes | GPUs | A |\n| 1 | 1 | " speed " |\n"
	start(
	    "model: m\nlabel: sweep=x\nbatch: 64\n" ONE("10") "batch: 32\n" ONE(
		"9") "label:\nbatch: 64\n" ONE("8") "batch: 32\n" ONE("7"));
	CHECK_INT(collect("batch"), 0);
	CHECK_INT(chart.n_series, 2);
	CHECK_STR(chart.series[0].name, "sweep=x, 1n1g");
	CHECK_STR(chart.series[1].name, "1n1g");
	CHECK_INT(collect("bars"), 0);
	CHECK_STR(chart.series[2].name, "batch 64 per device");
	start("model: m\nlabel: sweep=x\n" ONE("10") "label:\n" ONE("8"));
	CHECK_INT(collect("bars"), 0);
	CHECK_STR(chart.series[0].name, "sweep=x");
	CHECK_STR(chart.series[1].name, "sweep unknown");
#undef ONE
}

#define FOUR \
	"model: m\nbatch: 64\n" TABLE "\nbatch: 32\n" HEAD \
	"| 1 | 1 | 9 | 8 |\n| 1 | 4 | 30 | 30 |\n"

/* Series of a framework share a colour; marks distinguish their batch sizes. */
static void
test_colours_by_key(void)
{
	start(FOUR);
	how.colour_by = "framework";
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_series, 4);
	CHECK_INT(chart.n_colours, 2);
	CHECK_STR(chart.series[0].name, "A, batch 64 per device");
	CHECK_STR(chart.series[2].name, "A, batch 32 per device");
	CHECK_INT(chart.series[0].colour, chart.series[2].colour);
	CHECK(chart.series[0].colour != chart.series[1].colour);
	CHECK(chart.series[0].mark != chart.series[2].mark);
	CHECK_INT(chart.series[0].mark, chart.series[1].mark);
	how.dash_by = "batch";
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.series[1].dash, 0);
	CHECK_INT(chart.series[2].dash, 1);
	how.dash_by = NULL;
	how.colour_by = "model name";
	CHECK_INT(collect("throughput"), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_STR(e.message,
	    "--color-by: there is no key 'model name'; the series differ in: "
	    "framework, batch");
	how.colour_by = NULL;
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_colours, 4);
}

static void
test_facets(void)
{
	start(FOUR);
	how.facet_by = "framework";
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_facets, 2);
	CHECK_STR(chart.facets[0], "A");
	CHECK_STR(chart.facets[1], "B");
	/* Series of a facet are adjacent and named by the other key. */
	for (int i = 0; i < 4; i++)
		CHECK_INT(chart.series[i].facet, i / 2);
	CHECK_STR(chart.series[1].name, "batch 32 per device");
	CHECK_STR(chart.series[3].name, "batch 32 per device");
	CHECK_INT(chart.series[1].colour, chart.series[3].colour);
	CHECK(chart.series[0].colour != chart.series[1].colour);
	CHECK_NEAR(chart.series[3].points[0].y[CHART_VALUE].at, 8, 0);
	how.facet_by = NULL;
}

/* Eight series that differ in two keys are divided into small charts if
 * max_facets allows. */
static void
test_facets_of_many(void)
{
	char text[1024] = "model: m\n";

	for (int b = 1; b <= 4; b++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
		    "batch: %d\n" TABLE "\n", b);
	start(text);
	how.max_facets = 6;
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_facets, 2); /* two frameworks, not four batch sizes */
	CHECK_STR(chart.facets[1], "B");
	CHECK_INT(collect("bars"), 0);
	CHECK_INT(chart.n_facets, 2);
	CHECK_INT(chart.series[4].facet, 1);
	CHECK_STR(chart.series[4].name, "batch 1 per device");
	CHECK_INT(chart.series[4].colour, chart.series[0].colour);
	how.max_facets = 1;
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_facets, 0);
	how.max_facets = 6;
	how.dash_by = "batch"; /* an explicit key prevents small charts */
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_facets, 0);
	how.dash_by = NULL;
	how.max_facets = 0;
}

static void
add_table(char *text, size_t size, int n)
{
	static const char *const sizes[] = { "\n| 1 | 1 |", "\n| 1 | 4 |" };

	snprintf(text + strlen(text), size - strlen(text), "\n|---|---|");
	for (int i = 0; i < n; i++)
		snprintf(text + strlen(text), size - strlen(text), "---|");
	for (int k = 0; k < 2; k++) {
		snprintf(
		    text + strlen(text), size - strlen(text), "%s", sizes[k]);
		for (int i = 0; i < n; i++)
			snprintf(text + strlen(text), size - strlen(text),
			    " %d |", 10 * (k + 1) + i);
	}
	snprintf(text + strlen(text), size - strlen(text), "\n");
}

/* Eight frameworks get a small chart each, seven share one. Bars stay together
 * for comparison. */
static void
test_facets_of_one_key(void)
{
	for (int n = 7; n <= 8; n++) {
		char text[2048] = "model: m\n| nodes | GPUs |";

		for (int i = 0; i < n; i++)
			snprintf(text + strlen(text),
			    sizeof text - strlen(text), " F%d |", i);
		add_table(text, sizeof text, n);
		start(text);
		how.max_facets = 12;
		CHECK_INT(collect("throughput"), 0);
		CHECK_INT(chart.n_series, n);
		CHECK_INT(chart.n_facets, n == 8 ? 8 : 0);
		CHECK_INT(collect("bars"), 0);
		CHECK_INT(chart.n_facets, 0);
		how.max_facets = 7;
		CHECK_INT(collect("throughput"), 0);
		CHECK_INT(chart.n_facets, 0);
		how.max_facets = 0;
	}
}

/* A batch sweep is divided by framework, but not by the key of its x axis. */
static void
test_facets_of_batch_sizes(void)
{
	start("model: m\nbatch: 1\n" TABLE "\nbatch: 2\n" TABLE
	      "\nbatch: 4\n" TABLE);
	how.facet_by = "framework";
	CHECK_INT(collect("batch"), 0);
	CHECK_INT(chart.n_facets, 2);
	CHECK_INT(chart.n_series, 3);
	CHECK_STR(chart.series[0].name, "1n1g");
	CHECK_STR(chart.series[1].name, "1n4g");
	CHECK_STR(chart.series[2].name, "1n1g");
	CHECK_INT(chart.series[2].facet, 1);
	CHECK_INT(chart.series[2].colour, chart.series[0].colour);
	how.facet_by = "batch";
	CHECK_INT(collect("batch"), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	how.facet_by = NULL;
}

static void
test_too_many_series(void)
{
	char text[4096] = "| nodes | GPUs |";
	size_t len = strlen(text);

	for (int i = 0; i <= CHART_MAX_SERIES; i++)
		len += (size_t)snprintf(
		    text + len, sizeof text - len, " f%d |", i);
	len += (size_t)snprintf(text + len, sizeof text - len, "\n| 1 | 1 |");
	for (int i = 0; i <= CHART_MAX_SERIES; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, " 5 |");
	start(text);
	CHECK_INT(collect("throughput"), 0);
	CHECK_INT(chart.n_series, CHART_MAX_SERIES);
	CHECK(strstr(chart.note, "48 of 49 shown") != NULL);
}

/* The first rows, series or small charts are drawn; the note counts them. */
static void
test_most_important_rows(void)
{
	start("| nodes | GPUs | A | B | C |\n| 1 | 1 | 10 | 10 | 10 |\n"
	      "| 1 | 4 | 20 | 40 | 30 |\n");
	how.most = 2;
	CHECK_INT(collect("heatmap"), 0);
	CHECK_INT(chart.n_rows, 2);
	CHECK_STR(chart.rows[0].name, "A");
	CHECK_STR(chart.rows[1].name, "B");
	CHECK_INT(chart.n_series, 2);
	CHECK_STR(chart.series[1].name, "B");
	CHECK_NEAR(chart.series[1].points[1].x, 2, 0);
	CHECK(strstr(chart.note, "2 of 3 shown") != NULL);
	CHECK_INT(collect("speedup"), 0);
	CHECK_INT(chart.n_series, 2);
	CHECK_STR(chart.series[1].name, "B");
	how.facet_by = "framework";
	CHECK_INT(collect("speedup"), 0);
	CHECK_INT(chart.n_facets, 2);
	CHECK_INT(chart.n_series, 2);
	how.facet_by = NULL;
	how.most = 0;
}

/* Series are named by letters, which the note explains. */
static void
test_letters(void)
{
	start("model: m\n" HEAD "| 1 | 1 | 10 | 20 |\n| 1 | 4 | 32 | 60 |\n");
	how.lettered = 1;
	CHECK_INT(collect("speedup"), 0);
	CHECK_STR(chart.series[0].name, "A");
	CHECK_STR(chart.series[1].name, "B");
	CHECK(strstr(chart.note, "; A: A; B: B") != NULL);
	how.lettered = 0;
}

static void
test_units(void)
{
	const char *name;

	CHECK_NEAR(chart_fitting_unit("s", 0.3, 0.9, &name), 1e3, 0);
	CHECK_STR(name, "ms");
	CHECK_NEAR(chart_fitting_unit("s", 0.3, 1, &name), 1, 0);
	CHECK_STR(name, "s");
	CHECK_NEAR(chart_fitting_unit("s", 0.09, 9, &name), 1e3, 0);
	CHECK_NEAR(chart_fitting_unit("s", 0.09, 11, &name), 1, 0);
	CHECK_NEAR(chart_fitting_unit("s", 2e-6, 3e-4, &name), 1e6, 0);
	CHECK_STR(name, "\xc2\xb5s");
	CHECK_NEAR(chart_fitting_unit("GB/s", 2e-4, 1.1, &name), 1e3, 0);
	CHECK_STR(name, "MB/s");
	CHECK_NEAR(chart_fitting_unit("samples/s", 0.1, 0.2, &name), 1, 0);
	CHECK_STR(name, "samples/s");
	/* The unit applies to axis, title, note and description. */
	start("unit: s\n| nodes | GPUs | A |\n| 1 | 1 | 0.359 |\n"
	      "| 1 | 8 | 0.384 |\n");
	CHECK_INT(collect("throughput"), 0);
	CHECK_STR(chart.y_title, "step time (ms)");
	CHECK_STR(chart.y.ticks[chart.y.n - 1].label, "420");
	CHECK_NEAR(chart.y.ticks[chart.y.n - 1].at, 0.42, 1e-12);
	CHECK(strstr(chart.note, "baseline: 1n1g = 359.00 ms") != NULL);
	CHECK(strstr(chart_describe(&chart), "8: 384.0") != NULL);
	start("unit: s\n" HEAD "| 1 | 4 | 0.1 | 0.3 |\n");
	CHECK_INT(collect("dots"), 0);
	CHECK_STR(chart.rows[0].texts[0], "100.0");
	CHECK_STR(chart.rows[0].name, "A");
	CHECK_STR(chart.title, "1n4g");
	/* An explicit range is in seconds, so the unit stays. */
	how.y_range = (double[]){ 0.1, 0.5 };
	CHECK_INT(collect("throughput"), 0);
	CHECK_STR(chart.y_title, "step time (s)");
	how.y_range = NULL;
	start(HEAD "| 1 | 4 | 1600000 | 2000000 |\n");
	CHECK_INT(collect("dots"), 0);
	CHECK_STR(chart.rows[1].texts[0], "1.600 M");
}

/* Relative luminance of a colour, 0 to 1 (WCAG 2.1). */
static double
luminance(const char *colour)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	const long all = strtol(colour + 1, NULL, 16);
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		const double v = (double)(all >> (16 - 8 * i) & 255) / 255;

		sum += weights[i] *
		    (v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/* Every palette colour has a contrast of at least 2.2 on all backgrounds. */
static void
test_contrast(void)
{
	for (const struct palette *p = palettes; p->name != NULL; p++)
		for (const struct theme *t = themes; t->name != NULL; t++)
			for (int i = 0; i < p->n; i++) {
				const double a = luminance(
				    series_style_of(p, t, i, p->n, i, 0)
					.colour);
				const double b = luminance(t->background);

				CHECK(
				    (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05) >=
				    2.2);
			}
}

static void
test_table_of_charts(void)
{
	size_t n = 0;

	for (; charts[n].name != NULL; n++)
		CHECK(chart_find(charts[n].name) == &charts[n] &&
		    charts[n].sentence != NULL);
	CHECK(n >= 3);
	CHECK(chart_find("pie") == NULL);
}

static const struct tap_test tests[] = {
	TEST(test_step_times),
	TEST(test_costs),
	TEST(test_lone_series),
	TEST(test_grid),
	TEST(test_dots),
	TEST(test_ideal_lines),
	TEST(test_ideal_of_other_baseline),
	TEST(test_ideal_of_times),
	TEST(test_ideal_of_steps),
	TEST(test_texts),
	TEST(test_empty_series),
	TEST(test_different_baselines),
	TEST(test_intervals),
	TEST(test_points_aside),
	TEST(test_cases_not_drawn),
	TEST(test_sizes),
	TEST(test_nothing_to_draw),
	TEST(test_common_baseline),
	TEST(test_runs_are_inside),
	TEST(test_room_of_facets),
	TEST(test_bars),
	TEST(test_colours_by_key),
	TEST(test_facets),
	TEST(test_batch_sweep),
	TEST(test_labels_of_some),
	TEST(test_facets_of_many),
	TEST(test_facets_of_one_key),
	TEST(test_facets_of_batch_sizes),
	TEST(test_too_many_series),
	TEST(test_most_important_rows),
	TEST(test_letters),
	TEST(test_units),
	TEST(test_table_of_charts),
	TEST(test_contrast),
};

int
main(void)
{
	int rc = tap_main(tests, N_TESTS(tests));

	chart_release(&chart);
	series_release(&set);
	result_set_release(&list);
	return rc;
}
