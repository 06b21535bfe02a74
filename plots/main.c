/* plot_results: options and inputs. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/files/files.h"
#include "common/program/options.h"
#include "common/result/result.h"
#include "common/series/result_comparison.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/series/series.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "plots/charts/chart.h"
#include "plots/draw.h"

static struct opt_list chart_names, selection, extract_options;
static struct comparison_how comparison = { .detect = NAN };
static struct draw_how how = {
	.charts = &chart_names,
	.chart = { .comparison = &comparison },
};
static int list_charts, allow_mixed;
static const char *size, *records_file, *palette, *theme, *link_rate, *metric,
    *delta, *place;
static const char *x_range, *y_range, *y_from;
static double x_ends[2], y_ends[2];
static double font_size;

static const char *const start_names[] = { "data", "zero", NULL };

static const char *const formats[] = { "svg", "png", "pdf", "eps", "tex", "gp",
	NULL };

static char chart_help[500]; /* contains the names of all charts */

static const struct opt opts[] = { { OPT_GROUP, .help = "What is drawn" },
	{ OPT_LIST, 'c', "chart", "NAME",
	    .brief = "scaling, throughput, bars, steps, all ...",
	    .help = chart_help, .to = &chart_names },
	{ OPT_FLAG, 0, "list-charts", .brief = "what there is to draw",
	    .help = "list the charts and exit", .to = &list_charts },
	{ OPT_LIST, 0, "select", "KEY=VALUE",
	    .brief = "only cases whose KEY is VALUE",
	    .help = "draw only the cases whose KEY (framework, model, "
		    "precision, batch, a label ...) is VALUE; values of one "
		    "key are alternatives",
	    .to = &selection },
	{ OPT_CHOICE, 0, "metric", "WHAT",
	    .help = "for the charts throughput, bars and batch: draw this "
		    "metric of the runs instead of their speed; default: the "
		    "one that was measured",
	    .choices = run_metric_choices, .to = &metric },
	{ OPT_STR, 0, "records", "FILE",
	    .brief = "steps for --chart=steps, loss, accuracy",
	    .help = "for the charts steps, spread, loss, loss-time and "
		    "accuracy: the steps of the results' runs, as extract_logs "
		    "--records=FILE wrote them; - is stdin",
	    .to = &records_file },
	{ OPT_STR, 0, "link", "RATE",
	    .help = "in the chart bandwidth: draw a line at this rate of the "
		    "link, such as 25Gbit/s or 12.5GB/s",
	    .to = &link_rate },
	{ OPT_REAL, 0, "price", "P",
	    .help = "in the chart cost: a GPU costs P per hour, in any "
		    "currency",
	    .min = 1e-9, .max = 1e9, .to = &how.chart.price },
	{ OPT_STR, 0, "delta", "SHARE",
	    .help = "in the chart compare: call cases equivalent if their "
		    "speeds provably differ by less than SHARE, such as 2% or "
		    "0.02, and shade that range; 0: no shading",
	    .def = DEFAULT_DELTA, .to = &delta },
	{ OPT_FLAG, 0, "paired",
	    .help = "in the chart compare: runs were made in turns; compare "
		    "each run with the one of the same number",
	    .to = &comparison.paired },
	{ OPT_REAL, 0, "confidence", "LEVEL",
	    .help = "in the chart compare: confidence level required of an "
		    "interval; default: that of the results",
	    .min = 0.5, .max = 0.999999, .to = &comparison.confidence },
	OPERANDS_EXTRACT_OPTION(extract_options, 0), RUNS_TABLE_OPTIONS(0),
	{ OPT_FLAG, 0, "allow-mixed",
	    .help = "draw cases together even if their rules, metrics or units "
		    "differ",
	    .to = &allow_mixed },
	{ OPT_FLAG, 0, "common-baseline",
	    .help = "compute all speedups over the baseline of the first "
		    "series, to compare two variants of a program; default: "
		    "each series over its own",
	    .to = &how.chart.common_baseline },
	{ OPT_GROUP, .help = "How it looks" },
	{ OPT_STR, 0, "title", "TEXT",
	    .help = "title; default: what all series have in common",
	    .to = &how.chart.title },
	{ OPT_STR, 0, "size", "WxH",
	    .brief = "column, two-column, page, slide, 16x10cm ...",
	    .help = "size of the picture: column, two-column or page (of a "
		    "journal), slide, 800 (pixels), 800x500, 16x10cm, 6in; "
		    "with a width alone the height follows from titles and "
		    "legend; column, two-column and pictures too low for them "
		    "write the title and the note to a caption file",
	    .def = "800", .to = &size },
	{ OPT_REAL, 0, "font-size", "POINTS",
	    .help = "font size; default: 7 or 8 in sizes of paper, 24 on a "
		    "slide, else 9.75",
	    .min = 4, .max = 100, .to = &font_size },
	{ OPT_CHOICE, 0, "legend", "PLACE",
	    .help = "names of the series: at the ends of the lines, right of, "
		    "inside or below the plot, or none; auto: at the ends if "
		    "they fit",
	    .def = "auto", .choices = legend_place_names, .to = &place },
	{ OPT_STR, 0, "caption", "FILE",
	    .help = "write the title and the note to FILE (.tex: for LaTeX) "
		    "instead of the picture; none: leave them out",
	    .to = &how.caption },
	{ OPT_STR, 0, "color-by", "KEY",
	    .help = "series with the same KEY (framework, model, precision, "
		    "batch, a label ...) have the same colour",
	    .to = &how.chart.colour_by },
	{ OPT_STR, 0, "dash-by", "KEY",
	    .help = "series with the same KEY have the same dashes",
	    .to = &how.chart.dash_by },
	{ OPT_STR, 0, "facet-by", "KEY",
	    .brief = "a small chart for each value of KEY",
	    .help = "one small chart per value of KEY, side by side with the "
		    "same axes",
	    .to = &how.chart.facet_by },
	{ OPT_FLAG, 0, "linear", .help = "linear axes, from 0 on",
	    .to = &how.chart.linear },
	{ OPT_FLAG, 0, "log", .help = "logarithmic axes, for percentages too",
	    .to = &how.chart.logarithmic },
	{ OPT_STR, 0, "x-range", "FROM:TO",
	    .help = "range of the x axis; either side may be empty",
	    .to = &x_range },
	{ OPT_STR, 0, "y-range", "FROM:TO",
	    .help = "range of the y axis, in s or GB/s where the axis would "
		    "otherwise be in ms or MB/s; either side may be empty",
	    .to = &y_range },
	{ OPT_CHOICE, 0, "y-from", "START",
	    .help = "start of a linear y axis: at the data or at zero; "
		    "default: by the kind of chart",
	    .choices = start_names, .to = &y_from },
	{ OPT_REAL, 0, "scale", "FACTOR",
	    .help = "pixels of a PNG per pixel of --size; 2 for "
		    "high-resolution screens",
	    .def = "1", .min = 0.25, .max = 8, .to = &how.script.scale },
	{ OPT_CHOICE, 0, "palette", "PALETTE", .help = "colours of the series",
	    .def = "okabe-ito", .choices = palette_names, .to = &palette },
	{ OPT_CHOICE, 0, "theme", "THEME",
	    .help = "colours of everything else; print has thicker lines",
	    .def = "light", .choices = theme_names, .to = &theme },
	{ OPT_STR, 0, "font", "NAME",
	    .help = "font family; default: sans-serif",
	    .to = &how.script.font },
	{ OPT_GROUP, .help = "Output" },
	{ OPT_STR, 'o', "output", "FILE",
	    .brief = "its ending: svg, png, pdf, tex ...",
	    .help = "write the picture to FILE (-: stdout); the suffix selects "
		    "the format",
	    .to = &how.output },
	{ OPT_STR, 0, "output-dir", "DIR",
	    .help = "write DIR/NAME_CHART.svg and the script NAME_CHART.gp",
	    .def = "result", .to = &how.output_dir },
	{ OPT_STR, 0, "name", "NAME",
	    .help = "first part of the file names; default: the name of the "
		    "only operand, else result",
	    .to = &how.name },
	{ OPT_CHOICE, 0, "format", "FORMAT",
	    .help = "format; default: by the suffix of --output, else svg; gp "
		    "writes only the script and needs no gnuplot",
	    .choices = formats, .to = &how.format },
	{ OPT_FLAG, 0, "terminal", .brief = "draw with characters",
	    .help = "draw on stdout with characters; needs no gnuplot",
	    .to = &how.terminal },
	{ OPT_FLAG, 0, "force", .brief = "overwrite an edited script",
	    .help = "overwrite a script that was edited by hand",
	    .to = &how.force },
	{ OPT_FLAG, 'q', "quiet", .help = "do not print what was written",
	    .to = &how.quiet },
	{ .kind = OPT_END } };

static const char *const examples[] = {
	"plot_results result/resnet50_result.json",
	"draw result/resnet50_speedup.svg",
	"plot_results --chart=all --format=png logs/resnet50",
	"extract a folder of logs and draw all charts as PNG",
	"plot_results --chart=compare old.json new.json",
	"draw the ratios of new over old with their intervals",
	"plot_results --terminal old=a.json new=b.json",
	"compare two results in the terminal",
	"plot_results -o p.svg resnet50_result.json prediction.json",
	"draw a prediction as a band beyond the measured cases",
	"plot_results --select=batch=128 dlperf-resnet50.figures",
	"draw reference values of one batch size",
	NULL,
};

static const struct program program = {
	.name = "plot_results",
	.synopsis = "[OPTION]... [LABEL=]RESULT|LOGS...",
	.summary = "draw scaling charts of training results",
	.text =
	    "Draws speedup, throughput and efficiency over the number of GPUs "
	    "from results of extract_logs, from logs (files or folders, which "
	    "it lets extract_logs read) and from files of reference values. "
	    "The ideal line goes through the named baseline; error bars are "
	    "intervals of the median. A prediction (of predict_scaling "
	    "--format=json), given together with its results, is drawn as a "
	    "band.\n\nNext to each picture the gnuplot script that draws it is "
	    "written, including the data, so that it can be edited; an edited "
	    "script is overwritten only with --force. gnuplot is taken from "
	    "the environment variable GNUPLOT, else from PATH.\n\nSeries are "
	    "named by what differs among them: framework, model, precision, "
	    "batch size, labels, or the file.",
	.opts = opts,
	.examples = examples,
	.see_also = "extract_logs(1), report_results(1), gnuplot(1)",
};

/* True if --chart names "compare", the chart of two results. */
static int
asks_to_compare(void)
{
	for (size_t i = 0; i < chart_names.n; i++)
		if (strcmp(chart_names.items[i], "compare") == 0)
			return 1;
	return 0;
}

/* Parse "FROM:TO" of an option, if given; an empty side is NAN. Returns 0, or
 * -1 with ERROR_USAGE.
 *
 * range  [2]
 * out    set to range */
static int
parse_range(const char *option, const char *text, double *range,
    const double **out, struct error *e)
{
	char *from = xstrdup(text != NULL ? text : ":"), *to = from;
	int bad = 0;

	range[0] = range[1] = NAN;
	strsep(&to, ":");
	if (from[0] != '\0')
		bad |= parse_double(from, -1e300, 1e300, &range[0]) != 0;
	if (to != NULL && to[0] != '\0')
		bad |= parse_double(to, -1e300, 1e300, &range[1]) != 0;
	bad |= to == NULL || (from[0] == '\0' && to[0] == '\0') ||
	    range[0] >= range[1];
	free(from);
	if (text == NULL)
		return 0;
	*out = range;
	return !bad
	    ? 0
	    : error_set(e, ERROR_USAGE,
		  "--%s: '%s' is not a range FROM:TO, such as 0:100 or 50:",
		  option, text);
}

/* Derive the settings that follow from several options, and reject those that
 * cannot be used together. */
static int
check_options(struct error *e)
{
	static const char *const of_comparison[] = { "delta", "paired",
		"confidence" };
	double link = NAN; /* bit/s */

	how.chart.lang = language_find(NULL);
	how.script.palette = palette_find(palette);
	how.script.theme = theme_find(theme);
	comparison.allow_mixed = allow_mixed || !asks_to_compare();
	if (!options_given("confidence"))
		comparison.confidence = NAN;
	if (draw_parse_size(size, options_given("font-size") ? font_size : NAN,
		&how, e) != 0)
		return -1;
	how.script.bare |= how.caption != NULL;
	while (strcmp(legend_place_names[how.script.place], place) != 0)
		how.script.place++;
	if (parse_range("x-range", x_range, x_ends, &how.chart.x_range, e) !=
		0 ||
	    parse_range("y-range", y_range, y_ends, &how.chart.y_range, e) != 0)
		return -1;
	if (y_from != NULL)
		how.chart.y_from =
		    strcmp(y_from, "zero") == 0 ? START_ZERO : START_DATA;
	if (link_rate != NULL && link_rate_parse(link_rate, &link) != 0)
		return error_set(e, ERROR_USAGE,
		    "--link: '%s' is not a rate with a unit (25Gbit/s, "
		    "12.5GB/s)",
		    link_rate);
	how.chart.link_gb_per_s = link / 8e9;
	for (int i = 0; i < 3 && !asks_to_compare(); i++)
		if (options_given(of_comparison[i]))
			return error_set(e, ERROR_USAGE,
			    "--%s: only with --chart=compare",
			    of_comparison[i]);
	if (how.chart.linear && how.chart.logarithmic)
		return error_set(
		    e, ERROR_USAGE, "--linear cannot be used with --log");
	if (how.output != NULL && options_given("output-dir"))
		return error_set(e, ERROR_USAGE,
		    "--output cannot be used with --output-dir");
	return share_parse("delta", delta, &comparison.delta, e);
}

/* What the operands and --records name. */
static struct result_set sources;
static struct predictions predictions;
static struct step_records records;
static const char **inputs;

/* Read the results and predictions among the operands.
 *
 * operands  their order changes */
static int
read_operands(char **operands, size_t n, struct error *e)
{
	size_t n_results = 0, label_len;

	how.inputs = inputs = xcalloc(n + 1, sizeof *inputs);
	for (; how.n_inputs < n; how.n_inputs++)
		inputs[how.n_inputs] =
		    operand_path(operands[how.n_inputs], &label_len);
	if (records_file != NULL)
		inputs[how.n_inputs++] = records_file;
	if (log_operands_extract(operands, &n,
		asks_to_compare() ? OPERANDS_APART : OPERANDS_TOGETHER,
		&extract_options, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *path = operands[i];

		if (!predictions_is(path))
			operands[n_results++] = operands[i];
		else if (predictions_read(&predictions, path, e) != 0)
			return -1;
	}
	if (n_results == 0 && n > 0)
		return error_set(e, ERROR_USAGE,
		    "only predictions given: the chart also needs the results "
		    "they were made from");
	if (predictions.n > 0)
		how.chart.predictions = &predictions;
	return result_set_read(&sources, operands, n_results, e);
}

/* Read the inputs, check that they can be combined, and draw. What is read
 * lives as long as the program. */
static int
draw_charts(char **operands, size_t n, struct error *e)
{
	const int compares = asks_to_compare();
	const struct series_how series_how = { .select = &selection,
		.allow_mixed = allow_mixed,
		.by_source = compares };
	static struct series_set set;
	int rc;

	for (const struct chart *c = charts; list_charts && c->name; c++)
		printf("%-12s %s\n", c->name, c->sentence);
	if (list_charts)
		return EXIT_STATUS_OK;
	if (check_options(e) != 0 || read_operands(operands, n, e) != 0)
		return -1;
	rc = result_set_choose_metric(&sources, metric, e);
	result_set_print_remarks(&sources, program.name);
	if (rc != 0)
		return -1;
	if (records_file != NULL) {
		if (step_records_read(records_file, &records, e) != 0)
			return -1;
		how.chart.records = &records;
	}
	if (compares && sources.n != 2)
		return error_set(e, ERROR_USAGE,
		    "--chart=compare takes two results, OLD and NEW, not %zu",
		    sources.n);
	if (compares)
		comparison_name_files(&sources);
	if (series_collect(&sources, &series_how, &set, e) != 0)
		return -1;
	if (how.name == NULL)
		how.name = sources.n == 1 ? sources.items[0].name : "result";
	return draw_all(&set, &how, e);
}

int
main(int argc, char **argv)
{
	int n = 0;

	for (const struct chart *c = charts; c->name != NULL; c++)
		n += snprintf(chart_help + n, sizeof chart_help - (size_t)n,
		    "%s%s, ", c->name, c == charts ? " (the default)" : "");
	snprintf(chart_help + n, sizeof chart_help - (size_t)n,
	    "or all: every chart that the results have data for and that "
	    "supports the given options; several are separated by commas");
	return program_main(&program, argc, argv, draw_charts);
}
