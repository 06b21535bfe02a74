/* report_results: options, modes, and the tables of --table. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/defaults.h"
#include "common/files/outfile.h"
#include "common/program/confine.h"
#include "common/program/options.h"
#include "common/program/program_main.h"
#include "common/result/predictions.h"
#include "common/series/result_comparison.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/series/series.h"
#include "common/stats/stats.h"
#include "common/strbuf.h"
#include "common/table/table.h"
#include "common/texts/messages.h"
#include "common/units/units.h"
#include "report/check/check.h"
#include "report/history/trend.h"
#include "report/page/page_parts.h"
#include "report/report.h"
#include "report/tables/report_makers.h"

/* Modes of the program. */
enum report_mode {
	MODE_TABLES,
	MODE_COMPARE,
	MODE_PAGE,
	MODE_CHECK,
	MODE_REPRODUCE,
	MODE_ENVIRONMENT,
	MODE_ADD, /* from here on commands of --history=FILE, in this order */
	MODE_REMOVE,
	MODE_SHOW,
	MODE_PLOT,
	MODE_WHEN,
	N_REPORT_MODES
};

/* Values of struct opt's modes. */
#define IN(mode) (1u << (mode))
#define IN_TABLES (IN(MODE_TABLES) | IN(MODE_COMPARE))
#define IN_RESULTS (IN_TABLES | IN(MODE_PAGE))
#define IN_TRENDS (IN(MODE_SHOW) | IN(MODE_PLOT) | IN(MODE_WHEN))
#define IN_HISTORY (IN(MODE_ADD) | IN(MODE_REMOVE) | IN_TRENDS)
#define IN_CASES (IN_RESULTS | IN(MODE_CHECK) | IN_TRENDS)
#define IN_WRITTEN (IN_CASES | IN(MODE_REPRODUCE) | IN(MODE_ENVIRONMENT))

static struct opt_list tables, selection, gates, extract_options;
static struct predictions predictions;
static struct comparison_how compare_how = { .confidence = NAN, .detect = NAN };
static struct report_how tables_how = { .tables = &tables,
	.digits = REPORT_DIGITS,
	.ratio_decimals = REPORT_DIGITS,
	.comparison_how = &compare_how,
	.predictions = &predictions };
static struct history_ask history = { .select = &selection,
	.how = &tables_how };
static int list_tables, list_statistics, compare, check, every_cell, reproduce,
    environment;
static double samples = NAN;
static const char *delta, *detect, *unproven, *flagged, *published, *output,
    *format, *sort_by, *law_efficiency, *metric;

/* Formats of tables, two formats of gates (junit, github), and those of
 * --history. */
static const char *const formats[] = { "text", "markdown", "csv", "json",
	"jsonl", "latex", "html", "html-fragment", "junit", "github",
	"benchfmt", "bmf", "github-action-benchmark", "conbench", "openmetrics",
	"svg", "png", "pdf", "gp", NULL };
static const char *const unproven_choices[] = { "pass", "fail", NULL };
/* In the order of enum gate_flagged. */
static const char *const flagged_choices[] = { "warn", "fail", "ignore", NULL };

static const struct opt opts[] = { { OPT_GROUP, .help = "What is shown" },
	{ OPT_LIST, 't', "table", "NAME",
	    .brief = "scaling, comparison, speedup, phases, all ...",
	    .help = "scaling (the default), comparison, speedup, "
		    "collectives, law, times, phases, dlperf or all; several "
		    "with commas",
	    .to = &tables, .modes = IN_TABLES },
	{ OPT_FLAG, 0, "list-tables", .help = "list the tables and exit",
	    .to = &list_tables },
	{ OPT_LIST, 0, "select", "KEY=VALUE",
	    .brief = "only cases whose KEY is VALUE",
	    .help = "show only the cases whose KEY (framework, model, "
		    "precision, batch, a label, nodes, gpus, gpus_per_node, "
		    "case ...) is VALUE; values of one key are alternatives",
	    .to = &selection, .modes = IN_CASES },
	{ OPT_STR, 0, "rows", "KEYS",
	    .brief = "own table: these keys as rows (--columns)",
	    .help = "a table whose rows are the values of KEYS, any that "
		    "--select takes, several with commas; default: nodes,gpus "
		    "where --columns is given, framework where that names "
		    "these",
	    .to = &tables_how.pivot_rows, .modes = IN_TABLES },
	{ OPT_STR, 0, "columns", "KEYS",
	    .help = "a table whose columns are the values of KEYS; default: "
		    "framework where --rows is given, nodes,gpus where that "
		    "names it",
	    .to = &tables_how.pivot_columns, .modes = IN_TABLES },
	{ OPT_STR, 0, "values", "NAMES",
	    .help = "with --rows or --columns: the numbers in the cells: "
		    "median, speedup, efficiency, n, or those of "
		    "--list-statistics, several with commas; default: median",
	    .to = &tables_how.pivot_values, .modes = IN_TABLES },
	{ OPT_FLAG, 0, "list-statistics",
	    .help = "list the statistics of a case's runs, from how many runs "
		    "on, and their sources, and exit",
	    .to = &list_statistics },
	{ OPT_CHOICE, 0, "metric", "WHAT",
	    .help = "show this figure of the runs instead of their speed, "
		    "without speedups; default: what was measured",
	    .choices = run_metric_choices, .to = &metric,
	    .modes = IN(MODE_TABLES) },
	{ OPT_STR, 0, "sort", "KEY",
	    .help = "sort the cases of each series by median, speedup, "
		    "efficiency, n, nodes or gpus, as -speedup downwards",
	    .to = &sort_by, .modes = IN(MODE_TABLES) },
	{ OPT_STR, 0, "law-efficiency", "SHARE",
	    .help = "with --table=law: show up to how many GPUs a law keeps "
		    "this efficiency, as in 90%; default: " DEFAULT_TEXT(
			DEFAULT_LAW_EFFICIENCY) "%",
	    .to = &law_efficiency, .modes = IN_TABLES },
	OPERANDS_EXTRACT_OPTION(extract_options,
	    IN_RESULTS | IN(MODE_CHECK) | IN(MODE_REPRODUCE) |
		IN(MODE_ENVIRONMENT) | IN(MODE_ADD) | IN(MODE_REMOVE)),
	RUNS_TABLE_OPTIONS(
	    IN_RESULTS | IN(MODE_CHECK) | IN(MODE_REPRODUCE) | IN(MODE_ADD)),
	{ OPT_FLAG, 0, "allow-mixed",
	    .help = "show cases together even if their rules, metrics or units "
		    "differ; add runs of another protocol to a history",
	    .to = &compare_how.allow_mixed,
	    .modes = IN_RESULTS | IN(MODE_ADD) },
	{ OPT_GROUP, .help = "Which of two results is faster" },
	{ OPT_FLAG, 0, "compare",
	    .brief = "OLD and NEW, or the two of --by=KEY: proven?",
	    .help = "compare the two operands OLD and NEW case by case: ratio "
		    "of speeds with its interval, verdict, p, and what these "
		    "runs could have shown",
	    .to = &compare, .modes = IN(MODE_COMPARE) },
	{ OPT_STR, 0, "by", "KEY",
	    .help = "with --compare: OLD and NEW differ in KEY (framework, "
		    "model, precision, batch or a label); one operand is "
		    "split by its two values, of which 'old' or the first is "
		    "OLD",
	    .to = &compare_how.by, .modes = IN(MODE_COMPARE) },
	{ OPT_STR, 0, "delta", "SHARE",
	    .help =
		"call cases equivalent if their speeds provably differ by less "
		"than SHARE, such as 2% or 0.02",
	    .def = DEFAULT_DELTA, .to = &delta, .modes = IN(MODE_COMPARE) },
	{ OPT_FLAG, 0, "paired",
	    .help = "runs were made in turns (old 1, new 1, old 2, ...): "
		    "compare each run with the one of the same number",
	    .to = &compare_how.paired, .modes = IN(MODE_COMPARE) },
	{ OPT_FLAG, 0, "sessions",
	    .help = "take sessions as units instead of runs: runs of a host "
		    "that began within one job or an hour count as one, by "
		    "their median; with --paired each session that has both "
		    "is a pair",
	    .to = &compare_how.sessions, .modes = IN_TABLES },
	{ OPT_STR, 0, "detect", "SHARE",
	    .help = "print how many runs are needed to show such a change, "
		    "such as 1%, with a power of 80 %",
	    .to = &detect, .modes = IN(MODE_COMPARE) },
	{ OPT_REAL, 0, "confidence", "LEVEL",
	    .help = "confidence level required of the interval of a ratio; "
		    "default: that of the results",
	    .min = 0.5, .max = 0.999999, .to = &compare_how.confidence,
	    .modes = IN_TABLES | IN_TRENDS },
	{ OPT_GROUP, .help = "What a pipeline fails on" },
	{ OPT_LIST, 0, "gate", "CLAIM",
	    .brief = "exit with 1 if proven, such as slower:3%",
	    .help = "exit with status 1 if CLAIM is proven for a case: "
		    "slower:3% or faster:3% (compares OLD and NEW), "
		    "efficiency<0.8, "
		    "speedup<14 (or >); can be repeated; status 4 if a case is "
		    "missing from the new result",
	    .to = &gates, .modes = IN_TABLES },
	{ OPT_CHOICE, 0, "gate-unproven", "WHAT",
	    .help = "result of a gate whose claim is neither proven nor "
		    "refuted, or has too few runs",
	    .def = "pass", .choices = unproven_choices, .to = &unproven,
	    .modes = IN_TABLES },
	{ OPT_CHOICE, 0, "gate-flagged", "WHAT",
	    .help = "result of a gate that runs with flags of doubt decide, as "
		    "warm-up in the window: warn is status 0, ignore what the "
		    "runs prove",
	    .def = "warn", .choices = flagged_choices, .to = &flagged,
	    .modes = IN_TABLES },
	{ OPT_GROUP, .help = "Check a published table" },
	{ OPT_FLAG, 0, "check", .brief = "check a published table",
	    .help = "check the first operand, a Markdown, CSV or LaTeX file, "
		    "or DLPerf's JSON: recompute speedups, efficiencies, "
		    "ratios, shares and relative costs from the printed "
		    "digits, and its speeds from the results that follow; "
		    "status 1 if a cell does not follow, 4 if none could be "
		    "checked",
	    .to = &check, .modes = IN(MODE_CHECK) },
	{ OPT_REAL, 0, "samples", "N", "samples",
	    .help = "with --check: the times in tables are for N samples, so "
		    "speeds must be N divided by the time",
	    .min = 1, .max = 1e15, .to = &samples, .modes = IN(MODE_CHECK) },
	{ OPT_FLAG, 0, "every-cell",
	    .help = "with --check: also list the cells that are right",
	    .to = &every_cell, .modes = IN(MODE_CHECK) },
	{ OPT_FLAG, 0, "reproduce",
	    .brief = "why is my run slower than the published figure?",
	    .help =
		"compare runs with a published figure: the first of several "
		"operands is a published table or a result; else --published "
		"states the figure, or it is that of the same model among "
		"the known ones; prints how far the runs are from it, and "
		"the settings that differ or are unknown",
	    .to = &reproduce, .modes = IN(MODE_REPRODUCE) },
	{ OPT_STR, 0, "published", "FIGURE",
	    .help = "with --reproduce, which it implies: the figure and its "
		    "settings, as in \"resnet50 fp16 b256 1xH200 7950 "
		    "images/s\" or \"mpt-7b bf16 8xH100 seq_len=2048 46.44% "
		    "MFU\"",
	    .to = &published, .modes = IN(MODE_REPRODUCE) },
	{ OPT_GROUP, .help = "How speeds change over time" },
	{ OPT_STR, 0, "history", "FILE",
	    .brief = "changes over time: add LOGS..., show, when",
	    .help =
		"keep a history of results in FILE, a SQLite database; the "
		"first operand names what to do: add RESULT|LOGS..., "
		"remove RESULT|LOGS..., show (a table), plot (a chart), when "
		"(since which commit is it slower, by how much, how sure)",
	    .to = &history.path, .modes = IN_HISTORY },
	{ OPT_STR, 0, "date", "DATE",
	    .help =
		"of add: when the runs were made, as 2026-11-13 or "
		"2026-11-13T08:00:00Z; default: \"started\" in machine.txt, "
		"else the time of the result's file",
	    .to = &history.date, .modes = IN(MODE_ADD) },
	{ OPT_STR, 0, "commit", "NAME",
	    .help = "of add: the state of the code that was measured; default: "
		    "\"commit\" in machine.txt",
	    .to = &history.commit, .modes = IN(MODE_ADD) },
	{ OPT_STR, 0, "host", "NAME",
	    .help = "of add: where the runs were made; default: \"host\" in "
		    "machine.txt; of the others: only what was made there",
	    .to = &history.host, .modes = IN(MODE_ADD) | IN_TRENDS },
	{ OPT_STR, 0, "machine", "FILE",
	    .help = "of add and --html: run_sweep's machine.txt, that holds "
		    "date, commit, host and hardware; default: the one next to "
		    "the result, if any",
	    .to = &tables_how.machine, .modes = IN(MODE_ADD) | IN(MODE_PAGE) },
	{ OPT_FLAG, 0, "force", .help = "of plot: overwrite an edited script",
	    .to = &history.force, .modes = IN(MODE_PLOT) },
	{ OPT_STR, 0, "size", "WxH", .help = "of plot: as of plot_results",
	    .def = "800", .to = &history.size, .modes = IN(MODE_PLOT) },
	{ OPT_GROUP, .help = "What it was measured on" },
	{ OPT_FLAG, 0, "environment",
	    .help = "a table of hardware, network links, software, host, date "
		    "and commit: of this machine, or, a column each, of the "
		    "operands: run_sweep's machine.txt, other files of lines "
		    "\"key: value\", and what the logs of a result stated",
	    .to = &environment, .modes = IN(MODE_ENVIRONMENT) },
	{ OPT_GROUP, .help = "How it looks" },
	{ OPT_CHOICE, 0, "format", "FORMAT",
	    .help = "text unless the ending of --output names another; junit "
		    "(.xml) and github (annotations) hold gates only, json has "
		    "the tables and their notes, jsonl a row a line; "
		    "html-fragment is for another page; benchfmt (of Go), bmf "
		    "(of Bencher), github-action-benchmark, conbench and "
		    "openmetrics are the cases for these programs; svg, png, "
		    "pdf and gp (the gnuplot script) are of plot",
	    .choices = formats, .to = &format,
	    .modes = IN_TABLES | IN(MODE_CHECK) | IN(MODE_REPRODUCE) |
		IN(MODE_ENVIRONMENT) | IN_TRENDS },
	{ OPT_INT, 0, "digits", "N",
	    .help = "decimals of speeds and times; default: two, but at least "
		    "five digits; csv: unrounded",
	    .min = 0, .max = 15, .to = &tables_how.digits,
	    .modes = IN_RESULTS | IN(MODE_SHOW) },
	{ OPT_INT, 0, "speedup-digits", "N",
	    .help = "significant digits of speedups, but all whole ones, and "
		    "of --compare's ratios; default: 3; csv: unrounded",
	    .min = 1, .max = 17, .to = &tables_how.ratio_digits,
	    .modes = IN_RESULTS },
	{ OPT_INT, 0, "speedup-decimals", "N",
	    .help = "decimals of speedups, the baseline's 1 too, and of "
		    "--compare's ratios: 2 is what DLPerf's tables have",
	    .min = 0, .max = 15, .to = &tables_how.ratio_decimals,
	    .modes = IN_RESULTS },
	{ OPT_GROUP, .help = "Output" },
	{ OPT_FLAG, 0, "html", .brief = "one page with tables and charts",
	    .help =
		"write one HTML page instead of tables: the finding, charts "
		"that answer, tables that can be sorted, filtered and "
		"copied, what is doubtful, and where each number comes "
		"from; also of --compare and of --history=FILE show; it "
		"needs no other file and no network; a prediction (JSON of "
		"predict_scaling) becomes a section of it",
	    .to = &history.html,
	    .modes = IN(MODE_PAGE) | IN(MODE_COMPARE) | IN(MODE_SHOW) },
	{ OPT_STR, 'o', "output", "FILE",
	    .brief = "its ending: md, csv, json, tex, xml (JUnit) ...",
	    .help = "write to FILE instead of stdout (-)", .to = &output,
	    .modes = IN_WRITTEN },
	{ .kind = OPT_END } };

static const char *const examples[] = {
	"report_results result/resnet50_result.json",
	"the scaling table",
	"report_results --table=comparison -o cmp.md a.json b.json",
	"frameworks next to each other, in Markdown",
	"report_results --gate=slower:3% logs/old logs/new",
	"is the new one faster; fail if it is proven to be slower by 3 %",
	"report_results --compare old.json new.json",
	"the same of results, without a gate",
	"report_results --check README.md result/resnet50_result.json",
	"are the numbers in the README consistent with each other and with the "
	"result?",
	"report_results --published='resnet50 fp16 b256 1xH200 7950' logs/mine",
	"is my run as fast as the published one, and if not, what differs?",
	"report_results --table=speedup --lang=zh dlperf-resnet50.figures",
	"speedups of reference values, in Chinese",
	"report_results --html -o r.html result.json prediction.json",
	"a page that includes a prediction of predict_scaling",
	"report_results --history=speed.db add --commit=3f2a1b0 logs/today",
	"add the runs of a folder to a history",
	"report_results --history=speed.db when",
	"since which commit is it slower, by how much, and how certain is "
	"that?",
	"report_results --environment -o environment.md",
	"describe this machine, for a report",
	NULL,
};

static const struct program program = {
	.name = "report_results",
	.synopsis = "[OPTION]... [LABEL=]RESULT|LOGS...",
	.summary = "print tables of training results",
	.text =
	    "Prints tables of results of extract_logs, of logs (files or "
	    "folders, which it lets extract_logs read) and of files of "
	    "reference values, together in one table if several are given."
	    "\n\nA table keeps text that was published instead of a number "
	    "(OOM, TODO); n/a marks a case whose number is unknown, - a "
	    "missing "
	    "case. Intervals contain the true median or speedup with the "
	    "confidence level given below the table.\n\nThe formats csv, json "
	    "and jsonl are meant for programs: the first columns identify a "
	    "row, intervals are two columns, numbers are unrounded, and the "
	    "last columns are the number of runs, the rule and the baseline of "
	    "each row.",
	.opts = opts,
	.examples = examples,
	.see_also = "extract_logs(1), plot_results(1), predict_scaling(1)",
};

/* --- formats -------------------------------------------------------------- */

/* The format that holds gates only, if --format names one, else NULL. */
static const char *
gate_format(void)
{
	const char *dot = output != NULL ? strrchr(output, '.') : NULL;

	if (check || export_find(format) >= 0)
		return NULL;
	if (format != NULL)
		return table_format_find(format) == NULL ? format : NULL;
	return dot != NULL && strcasecmp(dot, ".xml") == 0 ? "junit" : NULL;
}

/* Complete the options of tables. */
static void
set_tables_how(void)
{
	const struct table_format *named = history.html ? &table_html
	    : format != NULL ? table_format_find(format)
			     : NULL;

	tables_how.lang = language_find(NULL);
	tables_how.colour = table_colour_of_file(output);
	tables_how.sessions = compare_how.sessions;
	tables_how.format =
	    named != NULL ? named : table_format_of_file(output);
	if (tables_how.format == NULL)
		tables_how.format = &table_text;
	tables_how.flat = tables_how.format->is_flat;
	tables_how.is_pivot = tables_how.pivot_rows != NULL ||
	    tables_how.pivot_columns != NULL || tables_how.pivot_values != NULL;
}

/* Write the gates, the page or the tables. */
static int
write_results(struct series_set *set, int fail_unproven, struct error *e)
{
	const struct report_how *how = &tables_how;
	struct outfile o;
	int rc = 0;

	if (outfile_open(&o, output, e) != 0)
		return -1;
	if (how->gates != NULL && gate_format() != NULL)
		gate_write(how->gates, gate_format(), fail_unproven, o.f);
	else if (export_find(format) >= 0)
		rc = export_write(export_find(format), set, o.f, e);
	else if (history.html && how->comparison == NULL)
		rc = page_write(set, how, o.f, e);
	else
		rc = reports_write(set, how, history.html, o.f, e);
	if (rc == 0)
		return outfile_commit(&o, e);
	outfile_abort(&o);
	return -1;
}

static void
warn_of_gates(const struct gate_report *g)
{
	if (g->n_flagged > 0)
		fprintf(stderr,
		    "%s: warning: %zu of %zu gates are decided by numbers in "
		    "doubt\n",
		    program.name, g->n_flagged, g->n);
	if (g->n_too_few > 0)
		fprintf(stderr,
		    "%s: warning: %zu of %zu gates cannot fail: too few "
		    "runs\n",
		    program.name, g->n_too_few, g->n);
}

/* Compare the results and check the gates, where asked for, and write the
 * report. Returns the exit status of the gates, or -1. */
static int
show_results(struct series_set *set, struct error *e)
{
	struct report_how *how = &tables_how;
	const int fail_unproven = strcmp(unproven, "fail") == 0;
	enum gate_flagged decides = GATE_FLAGGED_WARN;
	int status = EXIT_STATUS_OK, rc = 0;
	struct comparison c;
	struct gate_report g;

	if (compare) {
		rc = comparison_init(set, &compare_how, &c, e);
		how->comparison = rc == 0 ? &c : NULL;
	}
	if (rc == 0 && gates.n > 0) {
		while (strcmp(flagged_choices[decides], flagged) != 0)
			decides++;
		rc = gate_check(&gates, compare_how.confidence, decides,
		    how->flat ? LANGUAGE_EN : how->lang, set, how->comparison,
		    &g, e);
		how->gates = rc == 0 ? &g : NULL;
	}
	if (rc == 0 && sort_by != NULL)
		rc = pivot_sort(set, sort_by, e);
	if (rc == 0 && law_efficiency != NULL)
		rc = share_parse(
		    "law-efficiency", law_efficiency, &how->law_efficiency, e);
	if (rc == 0)
		rc = write_results(set, fail_unproven, e);
	if (how->gates != NULL) {
		status = gate_exit_status(&g, fail_unproven);
		if (rc == 0)
			warn_of_gates(&g);
		gate_release(&g);
	}
	if (how->comparison != NULL)
		comparison_release(&c);
	return rc != 0 ? -1 : status;
}

static int
is_asked(const char *table)
{
	size_t i = 0;

	while (i < tables.n && strstr(tables.items[i], table) == NULL)
		i++;
	return i < tables.n;
}

/* Reject options that have no effect with the others, or contradict them. */
static int
check_options(struct error *e)
{
	const int by_law = is_asked("law") || is_asked("all");
	const struct {
		int wrong;
		const char *message;
	} rules[] = {
		{ sort_by != NULL && by_law,
		    "--sort cannot be used with --table=law" },
		{ sort_by != NULL && tables_how.is_pivot,
		    "--sort cannot be used with --rows or --columns" },
		{ law_efficiency != NULL && !by_law,
		    "--law-efficiency is of --table=law" },
		{ !isnan(compare_how.confidence) && !compare && gates.n == 0,
		    "--confidence: only with --compare, --gate=CLAIM or "
		    "--history=FILE" },
		{ tables_how.ratio_digits != 0 &&
			tables_how.ratio_decimals != REPORT_DIGITS,
		    "--speedup-digits cannot be used with --speedup-decimals" },
		{ gates.n == 0 &&
			(gate_format() != NULL ||
			    options_given("gate-unproven") ||
			    options_given("gate-flagged")),
		    "--format=junit, --format=github, --gate-unproven and "
		    "--gate-flagged: only with --gate=CLAIM" },
		{ export_find(format) >= 0 &&
			(compare || gates.n > 0 || tables.n > 0 ||
			    tables_how.is_pivot),
		    "this --format holds the cases of results: it cannot be "
		    "used with --compare, --gate, --table, --rows and "
		    "--columns" },
		{ history.html && format != NULL,
		    "--html cannot be used with --format" },
		{ detect != NULL && compare_how.paired,
		    "--detect cannot be used with --paired" },
	};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (rules[i].wrong)
			return error_set(
			    e, ERROR_USAGE, "%s", rules[i].message);
	return 0;
}

static int
read_compare_options(size_t n_operands, struct error *e)
{
	if (check_options(e) != 0)
		return -1;
	if (compare && n_operands != 2 &&
	    (compare_how.by == NULL || n_operands != 1))
		return error_set(e, ERROR_USAGE,
		    "--compare takes two results, OLD and NEW, not %zu; "
		    "--by=KEY compares the two values of KEY, such as label, "
		    "in one",
		    n_operands);
	if (share_parse("delta", delta, &compare_how.delta, e) != 0)
		return -1;
	if (detect == NULL)
		return 0;
	if (share_parse("detect", detect, &compare_how.detect, e) != 0)
		return -1;
	return compare_how.detect > 0
	    ? 0
	    : error_set(e, ERROR_USAGE, "--detect: the change must be above 0");
}

/* --- modes ---------------------------------------------------------------- */

/* Write the tables, which are released, if rc is 0. Returns the exit status, or
 * -1. */
static int
write_tables(struct report_tables *list, int rc, struct error *e)
{
	struct outfile o;

	if (rc == 0)
		rc = outfile_open(&o, output, e);
	if (rc == 0) {
		report_tables_write(list, &tables_how, o.f);
		rc = outfile_commit(&o, e);
	}
	report_tables_release(list);
	return rc != 0 ? -1 : EXIT_STATUS_OK;
}

/* Check --format and --output of a mode that only writes tables. */
static int
check_table_output(const char *mode, struct error *e)
{
	if (format != NULL && table_format_find(format) == NULL)
		return error_set(
		    e, ERROR_USAGE, "%s has no --format=%s", mode, format);
	return outfile_check_suffix("--output", output, TABLE_SUFFIXES, e);
}

static int
run_environment(char **operands, size_t n, struct error *e)
{
	struct report_tables list = { NULL, 0, 0 };
	int rc;

	if (check_table_output("--environment", e) != 0 ||
	    outfile_spare(output, (const char *const *)operands, n, e) != 0)
		return -1;
	rc = environment_make(
	    operands, n, &tables_how, report_tables_add(&list), e);
	return write_tables(&list, rc, e);
}

/* Check the first operand by itself and against the other operands. */
static int
run_check(char **operands, size_t n, struct error *e)
{
	const struct series_how series_how = { .select = &selection,
		.allow_mixed = 1 };
	struct result_set sources = RESULT_SET_INIT;
	struct series_set set = { .n = 0 };
	struct check_report r;
	struct outfile o;
	int rc, status = -1;

	if (n < 1)
		return error_set(e, ERROR_USAGE,
		    "--check takes a published table, and results to check it "
		    "against");
	if (selection.n > 0 && n == 1)
		return error_set(e, ERROR_USAGE,
		    "--select selects among the results to check against, but "
		    "none is given");
	if (format != NULL && table_format_find(format) == NULL)
		return error_set(e, ERROR_USAGE,
		    "--format: --check does not write '%s'", format);
	if (outfile_check_suffix("--output", output, TABLE_SUFFIXES, e) != 0 ||
	    outfile_spare(output, (const char *const *)operands, 1, e) != 0)
		return -1;
	rc = n > 1 ? result_set_read(&sources, operands + 1, n - 1, e) : 0;
	result_set_print_remarks(&sources, program.name);
	if (rc == 0)
		rc = result_set_spare(&sources, output, e);
	if (rc == 0 && n > 1)
		rc = series_collect(&sources, &series_how, &set, e);
	if (rc == 0)
		rc = check_read(
		    samples, operands[0], n > 1 ? &set : NULL, &r, e);
	if (rc == 0) {
		rc = outfile_open(&o, output, e);
		if (rc == 0) {
			check_write(&r, &tables_how, every_cell, o.f);
			rc = outfile_commit(&o, e);
		}
		status = rc == 0 ? check_exit_status(&r) : -1;
		check_release(&r);
	}
	series_release(&set);
	result_set_release(&sources);
	return status;
}

/* Compare runs with the first operand or --published. */
static int
run_reproduce(char **operands, size_t n, struct error *e)
{
	struct report_tables list = { NULL, 0, 0 };
	struct result_set sources = RESULT_SET_INIT;
	struct arena a = ARENA_INIT;
	size_t n_published = published == NULL;
	int rc = check_table_output("--reproduce", e);

	if (n == 0)
		return error_set(e, ERROR_USAGE,
		    "--reproduce takes a published table and runs, runs and "
		    "--published=FIGURE, or runs alone");
	if (rc == 0 && n == 1 && published == NULL) {
		char **known = reproduce_known_files(&a, &n_published, e);

		rc = known == NULL
		    ? -1
		    : result_set_read(&sources, known, n_published, e);
	}
	if (rc == 0)
		rc = result_set_read(&sources, operands, n, e);
	result_set_print_remarks(&sources, program.name);
	if (rc == 0)
		rc = result_set_spare(&sources, output, e);
	if (rc == 0)
		rc = reproduce_compare(published, n_published, &sources,
		    tables_how.lang, report_tables_add(&list), e);
	rc = write_tables(&list, rc, e);
	result_set_release(&sources);
	arena_release(&a);
	return rc;
}

static int
run_history(char **operands, size_t n, struct error *e)
{
#ifdef HAVE_SQLITE
	history.allow_mixed = compare_how.allow_mixed;
	history.machine = tables_how.machine;
	history.confidence = isnan(compare_how.confidence)
	    ? DEFAULT_CONFIDENCE
	    : compare_how.confidence;
	history.output = output;
	history.format = format;
	return history_command(&history, operands, n, e);
#else
	(void)operands;
	(void)n;
	return error_set(e, ERROR_SYSTEM,
	    "--history: built without SQLite; configure --with-sqlite and "
	    "build again");
#endif
}

/* Read the predictions among the operands and move the results to the front.
 * Returns the number of results, or -1. */
static int
read_predictions(char **operands, int n, struct error *e)
{
	int rest = 0;

	for (int i = 0; i < n; i++) {
		const char *path = operands[i];

		if (!predictions_is(path)) {
			operands[rest++] = operands[i];
			continue;
		}
		if (!history.html)
			return error_set(e, ERROR_USAGE,
			    "'%s' is a prediction, which --html shows next to "
			    "results",
			    path);
		if (outfile_spare(output, &path, 1, e) != 0 ||
		    predictions_read(&predictions, path, e) != 0)
			return -1;
	}
	if (rest == 0 && n > 0)
		return error_set(e, ERROR_USAGE,
		    "only predictions given: the page also needs the results "
		    "they were made from");
	return rest;
}

static int
report_results(char **operands, size_t n, struct error *e)
{
	const struct series_how series_how = { .select = &selection,
		.allow_mixed = compare_how.allow_mixed,
		.by_source = compare,
		/* Gates also report cases that the new result lacks. */
		.with_failed = !compare && gates.n == 0,
		.lang = tables_how.lang };
	struct result_set sources = RESULT_SET_INIT;
	struct series_set set;
	int rc, status = -1;

	if (format != NULL && table_format_find(format) == NULL &&
	    export_find(format) < 0 && strcmp(format, "junit") != 0 &&
	    strcmp(format, "github") != 0)
		return error_set(
		    e, ERROR_USAGE, "--format=%s is of --history=FILE", format);
	if (read_compare_options(n, e) != 0 ||
	    result_set_read(&sources, operands, n, e) != 0)
		return -1;
	rc = result_set_choose_metric(&sources, metric, e);
	result_set_print_remarks(&sources, program.name);
	if (rc == 0)
		rc = result_set_spare(&sources, output, e);
	if (rc == 0 && tables_how.machine != NULL)
		rc = outfile_spare(output, &tables_how.machine, 1, e);
	if (compare)
		comparison_name_files(&sources);
	sessions_find(&sources);
	if (rc == 0 && compare_how.sessions)
		rc = sessions_replace_runs(&sources, compare_how.confidence, e);
	if (rc == 0)
		rc = outfile_check_suffix(
		    "--output", output, TABLE_SUFFIXES " xml", e);
	if (rc == 0)
		rc = series_collect(&sources, &series_how, &set, e);
	if (rc == 0) {
		status = show_results(&set, e);
		series_release(&set);
	}
	result_set_release(&sources);
	return status;
}

static const char *const mode_names[N_REPORT_MODES] = {
	[MODE_TABLES] = "tables",
	[MODE_COMPARE] = "--compare",
	[MODE_PAGE] = "--html",
	[MODE_CHECK] = "--check",
	[MODE_REPRODUCE] = "--reproduce",
	[MODE_ENVIRONMENT] = "--environment",
	[MODE_ADD] = "add",
	[MODE_REMOVE] = "remove",
	[MODE_SHOW] = "show",
	[MODE_PLOT] = "plot",
	[MODE_WHEN] = "when",
};

/* Append the names of the modes: "--check", "tables, --compare",
 * "--history=FILE show, plot". */
static void
add_modes(struct strbuf *sb, unsigned modes)
{
	size_t n = 0;

	for (int mode = 0; mode < N_REPORT_MODES; mode++) {
		if ((modes & IN(mode)) == 0)
			continue;
		strbuf_printf(sb, "%s%s%s", n++ > 0 ? ", " : "",
		    mode >= MODE_ADD &&
			    (modes & IN_HISTORY & (IN(mode) - 1)) == 0
			? "--history=FILE "
			: "",
		    mode_names[mode]);
	}
}

/* Reject options that have no effect in this mode. */
static int
check_mode(enum report_mode mode, struct error *e)
{
	for (const struct opt *o = opts; o->kind != OPT_END; o++) {
		struct strbuf own, other;
		int selects;

		if (o->modes == 0 || (o->modes & IN(mode)) != 0 ||
		    !options_given(o->long_name))
			continue;
		strbuf_init(&own, 200);
		strbuf_init(&other, 200);
		add_modes(&own, o->modes);
		add_modes(&other, IN(mode));
		selects = strcmp(o->long_name, "history") == 0;
		for (int i = MODE_COMPARE; i < MODE_ADD; i++)
			selects |= strcmp(mode_names[i] + 2, o->long_name) == 0;
		if (selects)
			error_set(e, ERROR_USAGE,
			    "--%s and %s exclude each other", o->long_name,
			    other.buf);
		else
			error_set(e, ERROR_USAGE, "--%s is of %s, not of %s",
			    o->long_name, own.buf, other.buf);
		strbuf_release(&own);
		strbuf_release(&other);
		return -1;
	}
	return 0;
}

/* The mode that the options select; N_REPORT_MODES: an unknown command of
 * --history, which history_command reports. */
static enum report_mode
find_mode(const char *verb)
{
	int mode = MODE_ADD;

	if (environment)
		return MODE_ENVIRONMENT;
	if (check)
		return MODE_CHECK;
	if (reproduce || published != NULL)
		return MODE_REPRODUCE;
	if (history.path == NULL)
		return compare     ? MODE_COMPARE
		    : history.html ? MODE_PAGE
				   : MODE_TABLES;
	while (mode < N_REPORT_MODES && strcmp(mode_names[mode], verb) != 0)
		mode++;
	return (enum report_mode)mode;
}

/* Let extract_logs read the operands [*n] that are logs. */
static int
extract_operands(
    enum report_mode mode, char **operands, size_t *n, struct error *e)
{
	/* A published table, or the command of --history. */
	const size_t first = mode == MODE_REPRODUCE
	    ? *n > 1 && published == NULL
	    : *n > 0 && (mode == MODE_CHECK || mode >= MODE_ADD);
	enum log_operands which = OPERANDS_TOGETHER;

	if (mode == MODE_ENVIRONMENT)
		which = OPERANDS_FOLDERS;
	else if (mode >= MODE_ADD || (compare && compare_how.by == NULL))
		which = OPERANDS_APART;
	*n -= first;
	if (log_operands_extract(
		operands + first, n, which, &extract_options, e) != 0)
		return -1;
	*n += first;
	return 0;
}

/* Run the selected mode. Returns the exit status, also of gates, or -1. */
static int
make_report(char **operands, size_t n, struct error *e)
{
	enum report_mode mode;
	int rest, status = -1;

	set_tables_how();
	if (list_tables) {
		reports_list(stdout);
		return EXIT_STATUS_OK;
	}
	if (list_statistics) {
		statistics_print(stdout);
		return EXIT_STATUS_OK;
	}
	if (gates_check(&gates, &compare, e) != 0)
		return -1;
	mode = find_mode(n > 0 ? operands[0] : "");
	if (mode != N_REPORT_MODES && check_mode(mode, e) != 0)
		return -1;
	if (extract_operands(mode, operands, &n, e) != 0)
		return -1;
	if (mode >= MODE_ADD)
		return run_history(operands, n, e);
	if (output == NULL)
		output = "-";
	if (mode == MODE_ENVIRONMENT)
		return run_environment(operands, n, e);
	/* Everything above starts programs (lspci, gnuplot, extract_logs). */
	if (confine_calls(e) != 0 || confine_writing(&output, 1, 0, e) != 0)
		return -1;
	if (mode == MODE_CHECK)
		return run_check(operands, n, e);
	if (mode == MODE_REPRODUCE)
		return run_reproduce(operands, n, e);
	rest = read_predictions(operands, (int)n, e);
	if (rest >= 0)
		status = report_results(operands, (size_t)rest, e);
	predictions_release(&predictions);
	return status;
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, make_report);
}
