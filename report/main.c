/* report_results: options, modes, and the tables of --table. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/defaults.h"
#include "common/files/files.h"
#include "common/program/confine.h"
#include "common/program/options.h"
#include "common/result/result.h"
#include "common/series/result_comparison.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/series/series.h"
#include "common/stats/stats.h"
#include "common/table/table.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/check/check.h"
#include "report/history/history.h"
#include "report/page/page_parts.h"
#include "report/tables/report.h"

/* Modes of the program. */
enum report_mode {
	MODE_TABLES,
	MODE_COMPARE,
	MODE_PAGE,
	MODE_CHECK,
	MODE_REPRODUCE,
	MODE_ENVIRONMENT,
	MODE_ADD, /* from here on commands of --history=FILE, in this order */
	MODE_SHOW,
	MODE_PLOT,
	MODE_WHEN,
	N_REPORT_MODES
};

#define HISTORY "--history=FILE "
static const char *const mode_names[N_REPORT_MODES] = { "tables", "--compare",
	"--html", "--check", "--reproduce", "--environment", HISTORY "add",
	HISTORY "show", HISTORY "plot", HISTORY "when" };

/* Values of struct opt's modes. */
#define IN(mode) (1u << (mode))
#define IN_TABLES (IN(MODE_TABLES) | IN(MODE_COMPARE))
#define IN_RESULTS (IN_TABLES | IN(MODE_PAGE))
#define IN_TRENDS (IN(MODE_SHOW) | IN(MODE_PLOT) | IN(MODE_WHEN))
#define IN_HISTORY (IN(MODE_ADD) | IN_TRENDS)
#define IN_CASES (IN_RESULTS | IN(MODE_CHECK) | IN_TRENDS)
#define IN_WRITTEN (IN_CASES | IN(MODE_REPRODUCE) | IN(MODE_ENVIRONMENT))

static struct opt_list tables, selection, gates, extract_options;
static struct predictions predictions;
static struct comparison_how compared = { .confidence = NAN, .detect = NAN };
static struct report_how how = { .ratio_decimals = -1,
	.comparison_how = &compared,
	.predictions = &predictions };
/* Options of --history; other modes use some of them, too. */
static struct history_ask ask = { .select = &selection, .how = &how };
static int list_statistics, compare, check, every_cell, reproduce, environment;
static double samples = NAN;
static const char *delta, *detect, *unproven, *flagged, *published, *sort_by,
    *metric;

/* Formats of tables, two formats of gates (junit, github), and those of
 * --history. */
static const char *const formats[] = { TABLE_FORMATS(TABLE_FORMAT_NAME),
	"html-fragment", "junit", "github", "benchfmt", "bmf",
	"github-action-benchmark", "conbench", "openmetrics", "svg", "png",
	"pdf", "gp", NULL };
static const char *const unproven_choices[] = { "pass", "fail", NULL };
/* In the order of enum gate_flagged. */
static const char *const flagged_choices[] = { "warn", "fail", "ignore", NULL };

static const struct opt opts[] = { { OPT_GROUP, .help = "What is shown" },
	{ OPT_LIST, 't', "table", "NAME",
	    .brief = "scaling, comparison, speedup, phases, all ...",
	    .help = "scaling (the default), comparison (a column per "
		    "framework), speedup, collectives (allreduces by size), "
		    "law (Amdahl, Gustafson, USL), times (real, user, sys), "
		    "phases (of a step), dlperf (its five columns) or all; "
		    "several with commas",
	    .to = &tables, .modes = IN_TABLES },
	{ OPT_LIST, 0, "select", "KEY=VALUE",
	    .brief = "only cases whose KEY is VALUE",
	    .help = "only cases whose KEY (framework, model, precision, batch, "
		    "a label, nodes, gpus, gpus_per_node, case ...) is VALUE; "
		    "values of one key are alternatives",
	    .to = &selection, .modes = IN_CASES },
	{ OPT_STR, 0, "rows", "KEYS",
	    .brief = "own table: these keys as rows (--columns)",
	    .help = "a table with a row for each value of KEYS, which --select "
		    "takes, several with commas; default: nodes,gpus, or "
		    "framework if --columns names these",
	    .to = &how.pivot_rows, .modes = IN_TABLES },
	{ OPT_STR, 0, "columns", "KEYS",
	    .help = "the columns of that table; default: framework, or "
		    "nodes,gpus if --rows names it",
	    .to = &how.pivot_columns, .modes = IN_TABLES },
	{ OPT_STR, 0, "values", "NAMES",
	    .help = "the numbers in its cells: median (the default), speedup, "
		    "efficiency, n, or those of --list-statistics",
	    .to = &how.pivot_values, .modes = IN_TABLES },
	{ OPT_FLAG, 0, "list-statistics",
	    .help = "list the statistics of a case's runs, their smallest "
		    "numbers of runs and their sources, and exit",
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
	OPERANDS_EXTRACT_OPTION(extract_options,
	    IN_RESULTS | IN(MODE_CHECK) | IN(MODE_REPRODUCE) |
		IN(MODE_ENVIRONMENT) | IN(MODE_ADD)),
	RUNS_TABLE_OPTIONS(
	    IN_RESULTS | IN(MODE_CHECK) | IN(MODE_REPRODUCE) | IN(MODE_ADD)),
	{ OPT_FLAG, 0, "allow-mixed",
	    .help = "show cases of different rules, metrics or units together",
	    .to = &compared.allow_mixed, .modes = IN_RESULTS },
	{ OPT_GROUP, .help = "Which of two results is faster" },
	{ OPT_FLAG, 0, "compare",
	    .brief = "OLD and NEW, or the two of --by=KEY: proven?",
	    .help = "compare OLD and NEW case by case: ratio of speeds, its "
		    "interval, verdict, p, and what the runs could have shown",
	    .to = &compare, .modes = IN(MODE_COMPARE) },
	{ OPT_STR, 0, "by", "KEY",
	    .help = "OLD and NEW differ in KEY (framework, model, precision, "
		    "batch or a label); one operand is split by its two "
		    "values, of which 'old' or the first is OLD",
	    .to = &compared.by, .modes = IN(MODE_COMPARE) },
	{ OPT_STR, 0, "delta", "SHARE",
	    .help = "call cases equivalent if their speeds provably differ by "
		    "less than SHARE, as 2% or 0.02",
	    .def = DEFAULT_DELTA, .to = &delta, .modes = IN(MODE_COMPARE) },
	{ OPT_FLAG, 0, "paired",
	    .help = "runs were made in turns (old 1, new 1, old 2, ...): "
		    "compare runs of the same number",
	    .to = &compared.paired, .modes = IN(MODE_COMPARE) },
	{ OPT_FLAG, 0, "sessions",
	    .help = "count the runs of a host that began within one job or an "
		    "hour as one, by their median; with --paired each session "
		    "that has both is a pair",
	    .to = &compared.sessions, .modes = IN_TABLES },
	{ OPT_STR, 0, "detect", "SHARE",
	    .help = "how many runs show such a change, as 1%, with a power of "
		    "80 %",
	    .to = &detect, .modes = IN(MODE_COMPARE) },
	{ OPT_REAL, 0, "confidence", "LEVEL",
	    .help = "confidence level required of the interval of a ratio; "
		    "default: that of the results",
	    .min = 0.5, .max = 0.999999, .to = &compared.confidence,
	    .modes = IN_TABLES | IN_TRENDS },
	{ OPT_GROUP, .help = "What a pipeline fails on" },
	{ OPT_LIST, 0, "gate", "CLAIM",
	    .brief = "exit with 1 if proven, such as slower:3%",
	    .help = "exit with status 1 if CLAIM is proven for a case: "
		    "slower:3% or faster:3% (compares OLD and NEW), "
		    "efficiency<0.8, speedup<14 (or >); with status 4 if a "
		    "case is missing from the new result",
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
		    "digits, and speeds from the results that follow; status 1 "
		    "if a cell does not follow, 4 if none could be checked",
	    .to = &check, .modes = IN(MODE_CHECK) },
	{ OPT_REAL, 0, "samples", "N", "samples",
	    .help = "times in the table are for N samples: speeds must be N "
		    "divided by the time",
	    .min = 1, .max = 1e15, .to = &samples, .modes = IN(MODE_CHECK) },
	{ OPT_FLAG, 0, "every-cell", .help = "list also the right cells",
	    .to = &every_cell, .modes = IN(MODE_CHECK) },
	{ OPT_FLAG, 0, "reproduce",
	    .brief = "why is my run slower than the published figure?",
	    .help = "how far runs are from a published figure, and the "
		    "settings that differ or are unknown; the figure is in the "
		    "first of several operands, a published table or a result, "
		    "or in --published, or a known one of the same model",
	    .to = &reproduce, .modes = IN(MODE_REPRODUCE) },
	{ OPT_STR, 0, "published", "FIGURE",
	    .help = "implies --reproduce: the figure and its settings, as in "
		    "\"resnet50 fp16 b256 1xH200 7950 images/s\" or \"mpt-7b "
		    "bf16 8xH100 seq_len=2048 46.44% MFU\"",
	    .to = &published, .modes = IN(MODE_REPRODUCE) },
	{ OPT_GROUP, .help = "How speeds change over time" },
	{ OPT_STR, 0, "history", "FILE",
	    .brief = "changes over time: add LOGS..., show, when",
	    .help = "keep a history of results in FILE, a SQLite database; the "
		    "first operand is the command: add RESULT|LOGS..., show (a "
		    "table), plot (a chart), when (since which commit is it "
		    "slower, by how much, how sure)",
	    .to = &ask.path, .modes = IN_HISTORY },
	{ OPT_STR, 0, "date", "DATE",
	    .help = "of add: when the runs were made, as 2026-11-13 or "
		    "2026-11-13T08:00:00Z; default: \"started\" in "
		    "machine.txt, else the time of the result's file",
	    .to = &ask.date, .modes = IN(MODE_ADD) },
	{ OPT_STR, 0, "commit", "NAME",
	    .help = "of add: the commit that was measured; default: "
		    "\"commit\" in machine.txt",
	    .to = &ask.commit, .modes = IN(MODE_ADD) },
	{ OPT_STR, 0, "host", "NAME",
	    .help = "of add: where the runs were made; default: \"host\" in "
		    "machine.txt; of the others: only runs made there",
	    .to = &ask.host, .modes = IN(MODE_ADD) | IN_TRENDS },
	{ OPT_FLAG, 0, "force", .help = "of plot: overwrite an edited script",
	    .to = &ask.force, .modes = IN(MODE_PLOT) },
	{ OPT_STR, 0, "size", "WxH", .help = "of plot: as of plot_results",
	    .def = "800", .to = &ask.size, .modes = IN(MODE_PLOT) },
	{ OPT_GROUP, .help = "What it was measured on" },
	{ OPT_FLAG, 0, "environment",
	    .help = "a table of hardware, network links, software, host, date "
		    "and commit of this machine, or, a column each, of the "
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
	    .choices = formats, .to = &ask.format,
	    .modes = IN_TABLES | IN(MODE_CHECK) | IN(MODE_REPRODUCE) |
		IN(MODE_ENVIRONMENT) | IN_TRENDS },
	{ OPT_INT, 0, "speedup-decimals", "N",
	    .help = "decimals of speedups, also of the baseline's 1, and of "
		    "--compare's ratios: 2 is what DLPerf's tables have",
	    .min = 0, .max = 15, .to = &how.ratio_decimals,
	    .modes = IN_RESULTS },
	{ OPT_GROUP, .help = "Output" },
	{ OPT_FLAG, 0, "html", .brief = "one page with tables and charts",
	    .help = "write one HTML page instead of tables: findings, charts, "
		    "tables that can be sorted, filtered and copied, doubts, "
		    "and the source of each number; also of --compare and of "
		    "--history=FILE show; it needs no other file and no "
		    "network; a prediction (JSON of predict_scaling) becomes a "
		    "section of it",
	    .to = &ask.html,
	    .modes = IN(MODE_PAGE) | IN(MODE_COMPARE) | IN(MODE_SHOW) },
	{ OPT_STR, 'o', "output", "FILE",
	    .brief = "its ending: md, csv, json, tex, xml (JUnit) ...",
	    .help = "write to FILE instead of stdout (-)", .to = &ask.output,
	    .modes = IN_WRITTEN },
	{ .kind = OPT_END } };

static const char *const examples[] = {
	"report_results result/resnet50_result.json",
	"the scaling table",
	"report_results --table=comparison -o cmp.md a.json b.json",
	"frameworks next to each other, in Markdown",
	"report_results --gate=slower:3% logs/old logs/new",
	"is the new one faster; fail if it is proven to be slower by 3 %",
	"report_results --check README.md result/resnet50_result.json",
	"do the numbers in the README follow from each other and the result?",
	"report_results --published='resnet50 fp16 b256 1xH200 7950' logs/mine",
	"is my run as fast as the published one, and if not, what differs?",
	"report_results --table=speedup --lang=zh dlperf-resnet50.figures",
	"speedups of reference values, in Chinese",
	"report_results --html -o r.html result.json prediction.json",
	"a page that includes a prediction of predict_scaling",
	"report_results --history=speed.db add --commit=3f2a1b0 logs/today",
	"add the runs of a folder to a history",
	"report_results --history=speed.db when",
	"since which commit is it slower, by how much, and how sure is that?",
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
	    "reference values, in one table if several are given.\n\nA table "
	    "keeps published text instead of a number (OOM, TODO); n/a marks "
	    "an unknown number, - a missing case. Intervals contain the true "
	    "median or speedup with the level given below the table.\n\nThe "
	    "formats csv, json and jsonl are for programs: the first columns "
	    "identify a row, intervals are two columns, numbers are unrounded, "
	    "and the last columns tell how each row was measured.",
	.opts = opts,
	.examples = examples,
	.see_also = "extract_logs(1), plot_results(1), predict_scaling(1)",
};

/* --- tables --------------------------------------------------------------- */

static const struct report {
	const char *name;   /* of --table */
	report_maker *make; /* NULL: of cases */
	const struct case_table *cases;
	int of_speeds; /* 1: not available with --metric */
} reports[] = {
	{ "scaling", NULL, &scaling_table, 0 },
	{ "comparison", comparison_make, NULL, 0 },
	{ "speedup", NULL, &speedup_table, 1 },
	{ "collectives", collectives_make, NULL, 0 },
	{ "law", law_make, NULL, 1 },
	{ "times", NULL, &times_table, 1 },
	{ "phases", phases_make, NULL, 1 },
	{ "dlperf", NULL, &dlperf_table, 1 },
};
enum { N_REPORTS = sizeof reports / sizeof reports[0] };

/* Find the tables of --table, each once, in the order given. Returns their
 * number, or -1. */
static int
find_tables(struct series_set *set, const struct report **out, struct error *e)
{
	const int speeds = series_need_speeds(set, reports[0].name, NULL) == 0;
	unsigned taken = 0;
	int n = 0;

	for (size_t i = 0; i < tables.n; i++) {
		char *at = arena_strdup(&set->arena, tables.items[i]);

		for (char *name; (name = strsep(&at, ",")) != NULL;) {
			const int all = strcmp(name, "all") == 0;
			int found = all;

			for (size_t k = 0; k < N_REPORTS; k++) {
				if (!all && strcmp(reports[k].name, name) != 0)
					continue;
				found = 1;
				if (!all && !speeds && reports[k].of_speeds)
					return series_need_speeds(set,
					    arena_printf(&set->arena,
						"--table=%s", name),
					    e);
				if ((taken >> k & 1) == 0 &&
				    (speeds || !reports[k].of_speeds))
					out[n++] = &reports[k];
				taken |= 1u << k;
			}
			if (!found)
				return error_set(e, ERROR_USAGE,
				    "--table: unknown table '%s'; --help "
				    "lists all",
				    name);
		}
	}
	return n;
}

/* Set the kind of the tables added last. */
static void
name_tables(struct report_tables *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].name == NULL)
			list->items[i].name = name;
}

/* Make the comparison, the gates, the pivot table and the tables of --table;
 * scaling if there are none of these. */
static int
make_tables(struct series_set *set, struct report_tables *list, struct error *e)
{
	const struct report *which[N_REPORTS];
	const int own =
	    how.comparison != NULL || how.gates != NULL || how.is_pivot;
	int n = find_tables(set, which, e), rc = 0;

	if (n < 0)
		return -1;
	if (n == 0 && !own)
		which[n++] = &reports[0];
	if (how.format == &table_csv && n + own > 1)
		return error_set(e, ERROR_USAGE,
		    "--format=%s holds one table, %d were asked for",
		    how.format->name, n + own);
	if (how.comparison != NULL &&
	    !(how.format == &table_csv && how.gates != NULL))
		compare_make(set, &how, list);
	name_tables(list, "compare");
	if (how.gates != NULL)
		gate_make(&how, list);
	name_tables(list, "gate");
	if (how.is_pivot)
		rc = pivot_make(set, &how, list, e);
	name_tables(list, "pivot");
	for (int i = 0; i < n; i++) {
		if (which[i]->make != NULL)
			which[i]->make(set, &how, list);
		else
			case_tables_make(set, which[i]->cases, &how, list);
		name_tables(list, which[i]->name);
	}
	return rc;
}

/* Write the tables, with --html as the page of a comparison. */
static int
write_tables(struct series_set *set, FILE *f, struct error *e)
{
	const struct panel_list panels =
	    panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
	const struct case_links links = case_links_of(&panels, &set->arena);
	struct report_tables list = { NULL, 0, 0 };
	const char *note = NULL;
	size_t n_rows = 0;
	int rc;

	how.links = ask.html ? &links : NULL;
	rc = make_tables(set, &list, e);
	for (size_t i = 0; i < list.n; i++) {
		n_rows += list.items[i].n_rows;
		if (note == NULL && list.items[i].n_notes > 0)
			note = list.items[i].notes[0];
	}
	/* A table without rows may have a note that says why. */
	if (rc == 0 && ask.html)
		rc = page_compare_write(set, &how, &panels, &list, f, e);
	else if (rc == 0 && n_rows == 0)
		rc = error_set(e, ERROR_EMPTY, "no case to show%s%s",
		    note != NULL ? ": " : "", note != NULL ? note : "");
	else if (rc == 0)
		report_tables_write(&list, &how, f);
	how.links = NULL;
	report_tables_release(&list);
	return rc;
}

/* --- tables and pages of results ------------------------------------------ */

/* The format that holds gates only, if --format or --output name one, else
 * NULL. */
static const char *
gate_format(void)
{
	const char *dot = ask.output != NULL ? strrchr(ask.output, '.') : NULL;

	if (check || export_find(ask.format) >= 0)
		return NULL;
	if (ask.format != NULL)
		return table_format_find(ask.format) == NULL ? ask.format
							     : NULL;
	return dot != NULL && strcasecmp(dot, ".xml") == 0 ? "junit" : NULL;
}

/* Reject options that have no effect with the others, or contradict them. */
static int
check_options(struct error *e)
{
	const struct {
		int wrong;
		const char *message;
	} rules[] = {
		{ sort_by != NULL && how.is_pivot,
		    "--sort cannot be used with --rows or --columns" },
		{ !isnan(compared.confidence) && !compare && gates.n == 0,
		    "--confidence: only with --compare, --gate=CLAIM or "
		    "--history=FILE" },
		{ gates.n == 0 &&
			(gate_format() != NULL ||
			    options_given("gate-unproven") ||
			    options_given("gate-flagged")),
		    "--format=junit, --format=github, --gate-unproven and "
		    "--gate-flagged: only with --gate=CLAIM" },
		{ export_find(ask.format) >= 0 &&
			(compare || gates.n > 0 || tables.n > 0 ||
			    how.is_pivot),
		    "this --format holds the cases of results: it cannot be "
		    "used with --compare, --gate, --table, --rows and "
		    "--columns" },
		{ ask.html && ask.format != NULL,
		    "--html cannot be used with --format" },
		{ detect != NULL && compared.paired,
		    "--detect cannot be used with --paired" },
	};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (rules[i].wrong)
			return error_set(
			    e, ERROR_USAGE, "%s", rules[i].message);
	return 0;
}

/* Check the operands of --compare, and parse --delta and --detect. */
static int
read_shares(size_t n_operands, struct error *e)
{
	if (compare && n_operands != 2 &&
	    (compared.by == NULL || n_operands != 1))
		return error_set(e, ERROR_USAGE,
		    "--compare takes two results, OLD and NEW, not %zu; "
		    "--by=KEY compares the two values of KEY, such as label, "
		    "in one",
		    n_operands);
	if (share_parse("delta", delta, &compared.delta, e) != 0 ||
	    (detect != NULL &&
		share_parse("detect", detect, &compared.detect, e) != 0))
		return -1;
	if (detect != NULL && compared.detect <= 0)
		return error_set(
		    e, ERROR_USAGE, "--detect: the change must be above 0");
	return 0;
}

/* Read results, and check that none of them is the output. */
static int
read_sources(
    struct result_set *sources, char **operands, size_t n, struct error *e)
{
	int rc = result_set_read(sources, operands, n, e);

	if (rc == 0)
		rc = result_set_choose_metric(sources, metric, e);
	result_set_print_remarks(sources, program.name);
	return rc == 0 ? result_set_spare(sources, ask.output, e) : rc;
}

/* Write the gates, the cases for another program, the page or the tables. */
static int
write_results(struct series_set *set, FILE *f, struct error *e)
{
	const int export = export_find(ask.format);

	if (export >= 0)
		return export_write(export, set, f, e);
	if (ask.html && !compare)
		return page_write(set, &how, f, e);
	if (how.gates == NULL || gate_format() == NULL)
		return write_tables(set, f, e);
	gate_write(how.gates, gate_format(), f);
	return 0;
}

/* Compare the results and check the gates, if requested, and write the
 * report. Returns the exit status of the gates, or -1. */
static int
show_results(struct series_set *set, FILE *f, struct error *e)
{
	struct gate_report g = { .confidence = compared.confidence,
		.fail_unproven = strcmp(unproven, "fail") == 0,
		.lang = how.flat ? LANGUAGE_EN : how.lang };
	struct comparison c;
	int status = EXIT_STATUS_OK, rc = 0;

	while (strcmp(flagged_choices[g.flagged], flagged) != 0)
		g.flagged++;
	if (compare) {
		rc = comparison_init(set, &compared, &c, e);
		how.comparison = rc == 0 ? &c : NULL;
	}
	if (rc == 0 && gates.n > 0) {
		rc = gate_check(&gates, set, how.comparison, &g, e);
		how.gates = rc == 0 ? &g : NULL;
	}
	if (rc == 0 && sort_by != NULL)
		rc = pivot_sort(set, sort_by, e);
	if (rc == 0)
		rc = write_results(set, f, e);
	if (how.gates != NULL) {
		status = gate_exit_status(&g);
		if (rc == 0 && g.n_flagged > 0)
			fprintf(stderr,
			    "%s: warning: %zu of %zu gates are decided by "
			    "numbers in doubt\n",
			    program.name, g.n_flagged, g.n);
		if (rc == 0 && g.n_too_few > 0)
			fprintf(stderr,
			    "%s: warning: %zu of %zu gates cannot fail: too "
			    "few runs\n",
			    program.name, g.n_too_few, g.n);
		gate_release(&g);
	}
	return rc != 0 ? -1 : status;
}

/* Move the results to the front of the operands, and read the predictions.
 * Returns the number of results, or -1. */
static int
read_predictions(char **operands, size_t n, struct error *e)
{
	int rest = 0;

	for (size_t i = 0; i < n; i++) {
		const char *path = operands[i];

		if (!predictions_is(path)) {
			operands[rest++] = operands[i];
			continue;
		}
		if (!ask.html)
			return error_set(e, ERROR_USAGE,
			    "'%s' is a prediction, which --html shows next to "
			    "results",
			    path);
		if (outfile_spare(ask.output, &path, 1, e) != 0 ||
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
report_results(char **operands, size_t n, FILE *f, struct error *e)
{
	const struct series_how series_how = { .select = &selection,
		.allow_mixed = compared.allow_mixed,
		.by_source = compare,
		/* Gates also report cases that the new result lacks. */
		.with_failed = !compare && gates.n == 0,
		.lang = how.lang };
	struct result_set sources = RESULT_SET_INIT;
	struct series_set set = { .n = 0 };
	const int rest = read_predictions(operands, n, e);
	int status = -1;

	if (rest >= 0 && check_options(e) == 0 &&
	    read_shares((size_t)rest, e) == 0 &&
	    read_sources(&sources, operands, (size_t)rest, e) == 0) {
		if (compare)
			comparison_name_files(&sources);
		sessions_find(&sources);
		if ((!compared.sessions ||
			sessions_replace_runs(
			    &sources, compared.confidence, e) == 0) &&
		    series_collect(&sources, &series_how, &set, e) == 0)
			status = show_results(&set, f, e);
	}
	series_release(&set);
	result_set_release(&sources);
	return status;
}

/* --- other modes ---------------------------------------------------------- */

/* Check the first operand by itself and against the other operands. */
static int
run_check(char **operands, size_t n, FILE *f, struct error *e)
{
	const struct series_how series_how = { .select = &selection,
		.allow_mixed = 1 };
	struct result_set sources = RESULT_SET_INIT;
	struct series_set set = { .n = 0 };
	struct check_report r;
	int status = -1;

	if (n < 1)
		return error_set(e, ERROR_USAGE,
		    "--check takes a published table, and results to check it "
		    "against");
	if (selection.n > 0 && n == 1)
		return error_set(e, ERROR_USAGE,
		    "--select selects among the results to check against, but "
		    "none is given");
	if (outfile_spare(ask.output, (const char *const *)operands, 1, e) ==
		0 &&
	    (n == 1 ||
		(read_sources(&sources, operands + 1, n - 1, e) == 0 &&
		    series_collect(&sources, &series_how, &set, e) == 0)) &&
	    check_read(samples, operands[0], n > 1 ? &set : NULL, &r, e) == 0) {
		check_write(&r, &how, every_cell, f);
		status = check_exit_status(&r);
		check_release(&r);
	}
	series_release(&set);
	result_set_release(&sources);
	return status;
}

/* Write the table of --reproduce or --environment. */
static int
run_table(int mode, char **operands, size_t n, FILE *f, struct error *e)
{
	struct report_tables list = { NULL, 0, 0 };
	struct table *t = report_tables_add(&list);
	struct result_set sources = RESULT_SET_INIT;
	size_t n_published = published == NULL;
	int rc = 0;

	if (mode == MODE_ENVIRONMENT) {
		rc = outfile_spare(
		    ask.output, (const char *const *)operands, n, e);
		if (rc == 0)
			rc = environment_make(operands, n, &how, t, e);
	} else if (n == 0) {
		rc = error_set(e, ERROR_USAGE,
		    "--reproduce takes a published table and runs, runs and "
		    "--published=FIGURE, or runs alone");
	} else if (n == 1 && published == NULL) {
		char **known =
		    reproduce_known_files(&t->arena, &n_published, e);

		/* Read one by one, so that runs do not get their units. */
		rc = known == NULL ? -1 : 0;
		for (size_t i = 0; rc == 0 && i < n_published; i++)
			rc = result_set_read(&sources, &known[i], 1, e);
	}
	/* Compare runs with the first operand, --published or the known
	 * figures. */
	if (rc == 0 && mode == MODE_REPRODUCE)
		rc = read_sources(&sources, operands, n, e);
	if (rc == 0 && mode == MODE_REPRODUCE)
		rc = reproduce_compare(
		    published, n_published, &sources, how.lang, t, e);
	result_set_release(&sources);
	if (rc == 0)
		report_tables_write(&list, &how, f);
	report_tables_release(&list);
	return rc;
}

/* --- modes ---------------------------------------------------------------- */

/* Find the mode that the options select, and reject options that have no effect
 * in it. N_REPORT_MODES: an unknown command of --history, which history_command
 * reports; -1: an error. */
static int
find_mode(const char *verb, struct error *e)
{
	const int by_figure = reproduce || published != NULL;
	int mode = environment ? MODE_ENVIRONMENT
	    : check            ? MODE_CHECK
	    : by_figure        ? MODE_REPRODUCE
	    : ask.path != NULL ? MODE_ADD
	    : compare          ? MODE_COMPARE
	    : ask.html         ? MODE_PAGE
			       : MODE_TABLES;

	if (environment + check + by_figure + (ask.path != NULL) + compare > 1)
		return error_set(e, ERROR_USAGE,
		    "--environment, --check, --reproduce, --history and "
		    "--compare exclude each other");
	while (mode >= MODE_ADD && mode < N_REPORT_MODES &&
	    strcmp(mode_names[mode] + strlen(HISTORY), verb) != 0)
		mode++;
	for (const struct opt *o = opts;
	     o->kind != OPT_END && mode != N_REPORT_MODES; o++) {
		struct arena a = ARENA_INIT;
		const char *of = "";

		if (o->modes == 0 || (o->modes & IN(mode)) != 0 ||
		    !options_given(o->long_name))
			continue;
		for (int i = 0; i < N_REPORT_MODES; i++)
			if (o->modes & IN(i))
				of = arena_join(&a, of, ", ", mode_names[i]);
		error_set(e, ERROR_USAGE, "--%s is of %s, not of %s",
		    o->long_name, of, mode_names[mode]);
		arena_release(&a);
		return -1;
	}
	return mode;
}

/* Let extract_logs read the operands [*n] that are logs. */
static int
extract_operands(int mode, char **operands, size_t *n, struct error *e)
{
	/* 1: operand 0 is a published table or a command of --history. */
	const size_t first = mode == MODE_REPRODUCE
	    ? *n > 1 && published == NULL
	    : *n > 0 && (mode == MODE_CHECK || mode >= MODE_ADD);
	const enum log_operands which = mode == MODE_ENVIRONMENT
	    ? OPERANDS_FOLDERS
	    : mode >= MODE_ADD || (compare && compared.by == NULL)
	    ? OPERANDS_APART
	    : OPERANDS_TOGETHER;
	size_t rest = *n - first;

	if (log_operands_extract(
		operands + first, &rest, which, &extract_options, e) != 0)
		return -1;
	*n = first + rest;
	return 0;
}

/* Write the output of a mode other than --history. Returns the exit status, or
 * -1. */
static int
write_output(int mode, char **operands, size_t n, struct error *e)
{
	const int has_cases = (IN(mode) & IN_RESULTS) != 0;
	struct outfile o;
	int status;

	if (ask.format != NULL && table_format_find(ask.format) == NULL &&
	    (!has_cases ||
		(export_find(ask.format) < 0 &&
		    strcmp(ask.format, "junit") != 0 &&
		    strcmp(ask.format, "github") != 0)))
		return error_set(e, ERROR_USAGE,
		    "--format: %s does not write '%s'", mode_names[mode],
		    ask.format);
	if (outfile_check_suffix("--output", ask.output,
		has_cases ? TABLE_SUFFIXES " xml" : TABLE_SUFFIXES, e) != 0 ||
	    outfile_open(&o, ask.output, e) != 0)
		return -1;
	if (mode == MODE_CHECK)
		status = run_check(operands, n, o.f, e);
	else if (has_cases)
		status = report_results(operands, n, o.f, e);
	else
		status = run_table(mode, operands, n, o.f, e);
	if (status < 0)
		outfile_abort(&o);
	else if (outfile_commit(&o, e) != 0)
		status = -1;
	return status;
}

/* Run the selected mode. Returns the exit status, also of gates, or -1. */
static int
make_report(char **operands, size_t n, struct error *e)
{
	int mode;

	how.lang = language_find(NULL);
	how.colour = table_colour_of_file(ask.output);
	how.sessions = compared.sessions;
	how.format = ask.html    ? &table_html
	    : ask.format != NULL ? table_format_find(ask.format)
				 : NULL;
	if (how.format == NULL)
		how.format = table_format_of_file(ask.output);
	if (how.format == NULL)
		how.format = &table_text;
	how.flat = how.format->is_flat;
	how.is_pivot = how.pivot_rows != NULL || how.pivot_columns != NULL ||
	    how.pivot_values != NULL;
	if (list_statistics) {
		statistics_print(stdout);
		return EXIT_STATUS_OK;
	}
	if (gates_check(&gates, &compare, e) != 0)
		return -1;
	mode = find_mode(n > 0 ? operands[0] : "", e);
	if (mode < 0 || extract_operands(mode, operands, &n, e) != 0)
		return -1;
	if (mode >= MODE_ADD) {
#ifdef HAVE_SQLITE
		ask.confidence = isnan(compared.confidence)
		    ? DEFAULT_CONFIDENCE
		    : compared.confidence;
		return history_command(&ask, operands, n, e);
#else
		return error_set(e, ERROR_SYSTEM,
		    "--history: built without SQLite; configure --with-sqlite "
		    "and build again");
#endif
	}
	if (ask.output == NULL)
		ask.output = "-";
	/* Everything above, and describing a machine, starts programs (lspci,
	 * gnuplot, extract_logs). */
	if (mode != MODE_ENVIRONMENT &&
	    (confine_calls(e) != 0 ||
		confine_writing(&ask.output, 1, 0, e) != 0))
		return -1;
	return write_output(mode, operands, n, e);
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, make_report);
}
