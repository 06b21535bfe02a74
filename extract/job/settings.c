/* The options of extract_logs. Each row of the table defines an option
 * completely: parsing, help, man page and completion. */
#include <config.h>

#include "extract/job/settings.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/files/files.h"
#include "common/result/result.h"
#include "common/series/runs_table.h"
#include "common/table/table.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "extract/format/format.h"
#include "extract/input/byte_source.h"

#define PROTOCOL_FILE "known.protocols"

/* String of a number, for an option's default. */
#define DEFAULT_TEXT_(x) #x
#define DEFAULT_TEXT(x) DEFAULT_TEXT_(x)

/* Parts of a row. */
enum { NAME, OPTIONS, MEANING, N_PARTS };

/* Find the row of a protocol in a file.
 *
 * parts  set if the row is found and parts is not set yet; allocated in a
 * known  a line is added for each row
 *
 * Returns 0, or -1 for a bad file. */
static int
read_file(const char *path, const char *name, struct arena *a,
    char *parts[N_PARTS], struct strbuf *known, struct error *e)
{
	struct error ignored = ERROR_INIT;
	size_t len, n;
	char *text = read_whole_file(path, &len, &ignored), *row, *rest = text;
	long line = 0;
	int rc = 0;

	while (rc == 0 && (row = strsep(&rest, "\n")) != NULL) {
		char *own[N_PARTS], *copy = arena_strdup(a, row), *end;

		line++;
		if (row[strspn(row, " \t\r")] == '\0' || row[0] == '#')
			continue;
		/* The row must have N_PARTS parts, none of them empty. */
		for (n = 0; n < N_PARTS && copy != NULL; n++) {
			copy += strspn(copy, " \t");
			own[n] = strsep(&copy, "|");
			end = own[n] + strlen(own[n]);
			while (end > own[n] && strchr(" \t\r", end[-1]) != NULL)
				*--end = '\0';
			if (end == own[n])
				break;
		}
		if (n < N_PARTS || copy != NULL) {
			rc = error_set(e, ERROR_INPUT,
			    "%s:%ld: a protocol is 'NAME | OPTION=VALUE ... | "
			    "meaning'",
			    path, line);
			break;
		}
		strbuf_printf(known, "\n  %-18s %s", own[NAME], own[MEANING]);
		if (parts[NAME] == NULL && strcmp(own[NAME], name) == 0)
			memcpy(parts, own, sizeof own);
	}
	free(text);
	return rc;
}

/* Set the option that a word "NAME=VALUE" names; iterations=A-B sets the
 * options for measuring the iterations printed as A to B. */
static int
set_option(struct settings *s, char *word, struct error *e)
{
	char *value = strchr(word, '=');
	long from = 0, to = 0;
	int end = 0;

	if (value == NULL)
		return error_set(
		    e, ERROR_INPUT, "'%s' is not OPTION=VALUE", word);
	*value++ = '\0';
	if (strcmp(word, "score") == 0 && strcmp(value, RESULT_OLYMPIC) == 0) {
		s->rule.score = RESULT_OLYMPIC;
		return 0;
	}
	if (strcmp(word, "scripts") == 0 && strcmp(value, "dlperf") == 0) {
		s->compat = value;
		return 0;
	}
	if (strcmp(word, "iterations") != 0)
		return options_set(word, value, e);
	if (sscanf(value, "%9ld-%9ld%n", &from, &to, &end) != 2 ||
	    value[end] != '\0' || from < 1 || to < from)
		return error_set(
		    e, ERROR_INPUT, "iterations '%s' are not A-B", value);

	const struct result_pair options[] = { { "rule", "window" },
		{ "skip-iterations", "0" },
		{ "warmup-batches", arena_printf(&s->arena, "%ld", from - 1) },
		{ "train-batches", arena_printf(&s->arena, "%ld", to) },
		{ "epoch", "auto" }, { "aggregate", "time" } };

	s->rule.by_number = 1;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (options_set(options[i].key, options[i].value, e) != 0)
			return -1;
	return 0;
}

/* Set the options of the protocol that s->rule.protocol names, and
 * s->rule.by_number if the protocol has iterations=A-B.
 *
 * Returns 0; -1 with ERROR_USAGE, which lists the known protocols, for an
 * unknown one, or if the command line sets an option that a protocol sets;
 * ERROR_INPUT with the place of a bad row. */
static int
protocol_apply(struct settings *s, struct error *e)
{
	const char *script = strchr(s->rule.protocol, ':');
	struct arena *a = &s->arena;
	const char *name = script == NULL
	    ? s->rule.protocol
	    : arena_strndup(
		  a, s->rule.protocol, (size_t)(script - s->rule.protocol));
	char *parts[N_PARTS] = { NULL }, *word;
	struct search_path path;
	struct strbuf known;
	int rc = 0;

	strbuf_init(&known, ERROR_MESSAGE_SIZE);
	search_path_init(&path, s->format_dirs.items, s->format_dirs.n);
	for (size_t i = 0; rc == 0 && i < path.n_dirs; i++)
		rc = read_file(
		    arena_printf(a, "%s/%s", path.dirs[i].path, PROTOCOL_FILE),
		    name, a, parts, &known, e);
	search_path_release(&path);
	if (rc == 0 && name[0] == '\0')
		rc = error_set(
		    e, ERROR_USAGE, "--protocol: known are%s", known.buf);
	else if (rc == 0 && parts[NAME] == NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--protocol: '%s' is not known; known are%s", name,
		    known.buf);
	strbuf_release(&known);
	if (rc != 0)
		return -1;
	s->rule.protocol = parts[NAME];
	while (rc == 0 && (word = strsep(&parts[OPTIONS], " \t")) != NULL)
		if (*word != '\0')
			rc = set_option(s, word, e);
	if (rc == 0 && script != NULL && s->compat == NULL)
		rc = error_set(e, ERROR_USAGE, "it has no scripts");
	s->compat_script = script != NULL ? script + 1 : "";
	return rc == 0 ? 0 : error_prefix(e, "--protocol=%s", s->rule.protocol);
}

struct settings settings = { .nodes = RESULT_UNKNOWN,
	.gpus_per_node = RESULT_UNKNOWN,
	.gpus = RESULT_UNKNOWN,
	.batch_size_per_device = RESULT_UNKNOWN,
	.batch_size = RESULT_UNKNOWN,
	.sequence_length = RESULT_UNKNOWN };

static const char *const units[] = { "samples/s", "tokens/s", "iterations/s",
	NULL };
static const char *const scopes[] = { "global", "node", "device", NULL };
static const char *const tables[] = { "cases", "runs", "metrics", NULL };
static const char *const scalings[] = { "auto", "weak", "strong", NULL };

#define MAX_COUNT 1e9

static const struct opt options[] = { { OPT_GROUP, .help = "Input" },
	{ OPT_LIST, 0, "log-dir", "DIR", .to = &settings.log_dirs,
	    .help = "read the logs below DIR, as with an operand" },
	{ OPT_STR, 0, "log-format", "NAME", .to = &settings.log_format,
	    .help = "read all logs in this format instead of detecting it; "
		    "--list-formats names the formats" },
	{ OPT_LIST, 0, "format-dir", "DIR", .to = &settings.format_dirs,
	    .help = "also read formats and path layouts from DIR, which take "
		    "precedence over the installed ones" },

	{ OPT_LIST, 0, "select", "KEY=VALUE", .to = &settings.selection,
	    .help = "read only the runs whose names, --map or the options "
		    "below state that KEY (framework, model, precision, batch, "
		    "nodes, gpus, gpus_per_node, run, a label) is VALUE; "
		    "values of one key are alternatives" },

	{ OPT_GROUP, .help = "Which iterations are measured" },
	{ OPT_CHOICE, 0, "rule", "RULE",
	    .brief = "iterations that count: window, all, summary",
	    .choices = &rule_kind_names[RULE_WINDOW], .to = &settings.rule_name,
	    .help = "window: a fixed range of iterations; all: every iteration "
		    "that is printed; summary: the figure that the program "
		    "printed at its end; default: as the log's format states, "
		    "mostly window" },
	{ OPT_INT, 0, "skip-iterations", "S", .unit = "iterations",
	    .def = DEFAULT_TEXT(DEFAULT_SKIP), .max = MAX_COUNT,
	    .to = &settings.rule.skip,
	    .help = "window: ignore the first S iterations of each epoch" },
	{ OPT_INT, 0, "warmup-batches", "W", .unit = "iterations",
	    .def = DEFAULT_TEXT(DEFAULT_WARMUP), .max = MAX_COUNT,
	    .to = &settings.rule.warmup,
	    .help = "window: ignore W more iterations as warm-up" },
	{ OPT_INT, 0, "train-batches", "T", .unit = "iterations",
	    .def = DEFAULT_TEXT(DEFAULT_TRAIN), .min = 1, .max = MAX_COUNT,
	    .to = &settings.rule.train,
	    .help = "window: end after iteration S + T, so that T - W "
		    "iterations are measured" },
	{ OPT_FLAG, 0, "strict-window", .to = &settings.rule.strict,
	    .help = "window: exclude a log that is shorter than the window; "
		    "otherwise, without --train-batches and the like, its "
		    "settled iterations are measured and flagged, from 10 on" },
	{ OPT_STR, 0, "protocol", "NAME", .to = &settings.rule.protocol,
	    .brief = "measure as mlperf, dgxc, dlperf ... do",
	    .alias = "compat", .optional = "",
	    .help = "measure by a published convention, which sets the "
		    "options above; without NAME all are listed. dlperf "
		    "computes what DLPerf's script for these logs computes, to "
		    "the digit, mistakes included; dlperf:SCRIPT names the "
		    "script, dlperf:list lists them" },
	{ OPT_STR, 0, "epoch", "EPOCH", .def = "auto", .to = &settings.epoch,
	    .help = "measure which epoch: a number; auto: the first, continued "
		    "into the next ones if it is too short; all: all epochs, "
		    "to the end of the log unless T is given" },
	{ OPT_INT, 0, "from-iteration", "N", .unit = "iterations", .def = "0",
	    .max = MAX_COUNT, .to = &settings.rule.from_iteration,
	    .help = "with --rule=all: ignore iterations before N" },
	{ OPT_CHOICE, 0, "aggregate", "HOW", .choices = aggregate_names,
	    .def = "time", .to = &settings.aggregate,
	    .help = "one figure for a run: total samples over total time, or "
		    "the mean or median of the printed values" },
	{ OPT_CHOICE, 0, "metric", "WHAT",
	    .brief = "throughput, step-time, mfu (--peak-tflops) ...",
	    .choices = run_metric_choices, .def = "throughput",
	    .to = &settings.metric,
	    .help = "what to measure; mfu and those after it replace the "
		    "throughput by a figure of --table=metrics, without "
		    "speedups" },
	{ OPT_CHOICE, 0, "unit", "UNIT", .choices = units,
	    .to = &settings.rule.unit,
	    .help = "unit of the throughput; default: that of the log's "
		    "format" },

	{ OPT_GROUP, .help = "Other metrics (--table=metrics)" },
	{ OPT_REAL, 0, "flop-per-sample", "N", .unit = "FLOP", .def = "0",
	    .max = 1e30, .to = &settings.rule.flop_per_sample,
	    .help = "floating-point operations to train on one sample; 0: "
		    "from a table of common networks" },
	{ OPT_REAL, 0, "parameters", "N", .def = "0", .max = 1e18,
	    .to = &settings.rule.parameters,
	    .help = "parameters of a language model, at 6 operations per token "
		    "each; 0: as the log or the model's card states" },
	{ OPT_REAL, 0, "layers", "N", .def = "0", .max = 1e9,
	    .to = &settings.rule.layers,
	    .help = "layers of a language model, for the operations of its "
		    "attention; 0: as the log or the model's card states" },
	{ OPT_REAL, 0, "hidden-size", "N", .def = "0", .max = 1e9,
	    .to = &settings.rule.hidden_size,
	    .help = "width of that attention, heads times head size; 0: as "
		    "the log or the model's card states" },
	{ OPT_REAL, 0, "peak-tflops", "T", .unit = "TFLOP/s", .def = "0",
	    .max = 1e9, .to = &settings.rule.peak_tflops,
	    .help = "peak TFLOP/s of a device, for MFU; 0: from the data "
		    "sheet of the log's device" },

	{ OPT_GROUP, .help = "Cases (configurations) and their comparison" },
	{ OPT_STR, 0, "baseline", "CASE",
	    .brief = "speedups over this case, such as 1n8g",
	    .to = &settings.baseline,
	    .help = "compute speedups over this case, such as 1n8g (one node, "
		    "eight GPUs); default: 1n1g, else the case with the fewest "
		    "GPUs" },
	{ OPT_CHOICE, 0, "scaling", "KIND",
	    .brief = "weak, or strong: same global batch size",
	    .choices = scalings, .def = "auto", .to = &settings.scaling,
	    .help = "weak: compare cases of the same batch size per device; "
		    "strong: of the same global batch size; auto: strong where "
		    "all logs state the global batch size and it is the same "
		    "for all numbers of GPUs, else weak" },
	{ OPT_REAL, 0, "confidence", "P",
	    .def = DEFAULT_TEXT(DEFAULT_CONFIDENCE), .min = 0.01, .max = 0.9999,
	    .to = &settings.confidence,
	    .help = "confidence level of the intervals" },
	{ OPT_FLAG, 0, "allow-mixed", .to = &settings.allow_mixed,
	    .help = "compare cases even if their rules or devices differ" },

	{ OPT_GROUP, .help = "Values that logs and paths do not state" },
	{ OPT_STR, 0, "framework", "NAME", .to = &settings.framework,
	    .help = "framework, such as pytorch" },
	{ OPT_STR, 0, "model", "NAME", .to = &settings.model,
	    .help = "model, such as resnet50" },
	{ OPT_STR, 0, "precision", "NAME", .to = &settings.precision,
	    .help = "precision, such as fp32 or amp" },
	{ OPT_INT, 0, "batch-size-per-device", "N", .unit = "samples", .min = 1,
	    .max = MAX_COUNT, .to = &settings.batch_size_per_device,
	    .help = "batch size of each GPU" },
	{ OPT_INT, 0, "batch-size", "N", .unit = "samples", .min = 1,
	    .max = MAX_COUNT, .to = &settings.batch_size,
	    .help = "global batch size: of all GPUs together" },
	{ OPT_INT, 0, "sequence-length", "N", .unit = "tokens", .min = 1,
	    .max = MAX_COUNT, .to = &settings.sequence_length,
	    .help = "tokens per sample" },
	{ OPT_INT, 0, "nodes", "N", .min = 1, .max = MAX_COUNT,
	    .to = &settings.nodes, .help = "number of nodes" },
	{ OPT_INT, 0, "gpus-per-node", "N", .min = 1, .max = MAX_COUNT,
	    .to = &settings.gpus_per_node,
	    .help = "GPUs per node; without any number of nodes there is one "
		    "node" },
	{ OPT_INT, 0, "gpus", "N", .min = 1, .max = MAX_COUNT,
	    .to = &settings.gpus, .help = "GPUs on all nodes together" },
	{ OPT_STR, 0, "run", "NAME", .to = &settings.run,
	    .help = "number or name of the run; of a table of runs, the column "
		    "that numbers the runs of a case" },
	RUNS_TABLE_OPTION("value", "COLUMN",
	    "column of a table of runs that holds the value, or one of its "
	    "metrics",
	    value, 0),
	RUNS_TABLE_OPTION("ignore", "COLUMN,...",
	    "columns of a table of runs that do not distinguish cases", ignore,
	    0),
	{ OPT_LIST, 0, "path", "TEMPLATE", .to = &settings.paths,
	    .help =
		"read values from the names of the logs by this template, such "
		"as {model}-n{nodes}-g{gpus_per_node}-bs{batch}.log; * matches "
		"any text; --explain-paths shows what is found" },
	{ OPT_STR, 0, "map", "FILE", .to = &settings.map,
	    .help = "a CSV table with the values of each log: the first "
		    "column, file, is a path or glob, the others are nodes, "
		    "gpus, gpus_per_node, model, precision, "
		    "batch_size_per_device, label_NAME, ...; overrides the "
		    "options above" },
	{ OPT_CHOICE, 0, "rate-scope", "SCOPE", .choices = scopes,
	    .to = &settings.rate_scope,
	    .help =
		"whether the logs print the rate of the whole job, of a "
		"node or of a device; default: as the log's format states" },

	{ OPT_GROUP, .help = "Output" },
	{ OPT_STR, 0, "output-dir", "DIR", .def = "result",
	    .to = &settings.output_dir,
	    .help = "write the result to DIR/NAME_result.json" },
	{ OPT_STR, 'o', "output", "FILE",
	    .brief = "the result (JSON); -: stdout", .to = &settings.output,
	    .help = "write the result (JSON) to FILE instead; -: to standard "
		    "output, without the table" },
	{ OPT_FLAG, 0, "force", .to = &settings.force,
	    .help = "replace the result in --output-dir even if it was made "
		    "with another rule, metric, scaling or confidence; "
		    "otherwise it is kept, as it is with --select" },
	{ OPT_STR, 0, "name", "NAME", .to = &settings.name,
	    .help = "NAME of the result; default: the last part of the "
		    "operand's path; result if there are several" },
	{ OPT_CHOICE, 0, "format", "FORMAT", .choices = table_format_names,
	    .def = "text", .to = &settings.format,
	    .help = "format of the table on standard output" },
	{ OPT_CHOICE, 0, "table", "ROWS", .brief = "cases, runs or metrics",
	    .choices = tables, .def = "cases", .to = &settings.table,
	    .help =
		"print one row per case, one per run, or the other figures of "
		"the logs: MFU, memory, loss, ..." },
	{ OPT_STR, 0, "records", "FILE", .to = &settings.records,
	    .help = "also write every sample as a line of JSON to FILE" },
	{ OPT_FLAG, 0, "no-hash", .to = &settings.no_hash,
	    .help = "do not hash the logs" },
	{ OPT_FLAG, 'q', "quiet", .to = &settings.quiet,
	    .help = "print no warnings and no progress" },
	{ OPT_FLAG, 'v', "verbose", .to = &settings.verbose,
	    .help = "print the format of each log and its number of samples" },

	{ OPT_GROUP, .help = "Running" },
	{ OPT_INT, 0, "max-unpacked", "MIB",
	    .def = DEFAULT_TEXT(DEFAULT_MAX_UNPACKED), .min = 1, .max = 1 << 30,
	    .to = &settings.max_unpacked,
	    .help = "exclude a compressed log that expands to more than 1000 "
		    "times its size and to more than this; in MiB" },
	{ OPT_FLAG, 0, "strict", .to = &settings.strict,
	    .help = "exit with status 3 if any log was excluded" },
	{ OPT_INT, 'j', "jobs", "N", .def = "0", .max = 1024,
	    .to = &settings.jobs,
	    .help = "threads that read logs; 0: one per core" },
	{ OPT_FLAG, 0, "follow",
	    .brief = "watch runs: speed, time left, how they end",
	    .to = &settings.follow,
	    .help = "watch runs that are still going on: print the speed of "
		    "each, whether it has settled, the time left, and how it "
		    "ended (done, out of memory, crashed, killed, silent for "
		    "10 steps); update the result when a run is long enough "
		    "(--strict-window); ends on SIGINT or SIGTERM" },
	{ OPT_REAL, 0, "interval", "S", .unit = "s", .def = "2", .min = 0.05,
	    .max = 86400, .to = &settings.interval,
	    .help = "with --follow: look again every S seconds" },
	{ OPT_REAL, 0, "timeout", "S", .unit = "s", .def = "0", .max = 1e9,
	    .to = &settings.timeout,
	    .help = "with --follow: end after S seconds; 0: never" },

	{ OPT_GROUP, .help = "Log formats (instead of measuring)" },
	{ OPT_STR, 0, "explain", "FILE",
	    .brief = "which lines give the number of a log",
	    .to = &settings.explain,
	    .help = "show line by line what is read from FILE" },
	{ OPT_STR, 0, "suggest", "FILE",
	    .brief = "propose a format for an unknown log",
	    .to = &settings.suggest,
	    .help = "propose a format for a log in an unknown format" },
	{ OPT_STR, 0, "list-formats", "WORD", .to = &settings.list_formats,
	    .optional = "",
	    .help = "list the log formats, those with WORD in their name, "
		    "description or address" },
	{ OPT_FLAG, 0, "list-fields", .to = &settings.list_fields,
	    .help = "list the names that patterns of a format can use, and "
		    "where" },
	{ OPT_STR, 0, "show-format", "NAME", .to = &settings.show_format,
	    .help = "print a format or layout file" },
	{ OPT_FLAG, 0, "explain-paths", .to = &settings.explain_paths,
	    .help = "show what is read from the names of the logs, without "
		    "reading the logs" },
	{ OPT_FLAG, 0, "check-formats", .to = &settings.check_formats,
	    .help = "check all formats and layouts against their samples" },
	{ .kind = OPT_END } };

static const char *const examples[] = { "extract_logs logs/pytorch-cpu",
	"measure a folder of logs such as 4n8g/resnet50_b128_fp32_1.log (run "
	"1)",
	"extract_logs --nodes=1 --gpus-per-node=8 --model=bert train.log",
	"measure one log whose path states nothing",
	"extract_logs --rule=all --from-iteration=100 old=runs1 new=runs2",
	"compare two folders over all iterations from 100 on",
	"extract_logs -o all.json result/runs_result.json newruns",
	"add new runs to an earlier result",
	"extract_logs --table=runs --format=csv logs/pytorch-cpu",
	"print a CSV line for each run",
	"extract_logs --explain logs/1n1g/a.log",
	"see why a log was read as it was, or was not",
	"extract_logs --path='{model}_{nodes}x{gpus_per_node}.log' "
	"--explain-paths runs",
	"see what is read from the names of logs", NULL };

const struct program extract_program = { .name = "extract_logs",
	.synopsis = "[OPTION]... [LABEL=]DIR|FILE|RESULT...",
	.summary = "measure training logs",
	.text =
	    "Reads the logs of distributed training runs and measures each run "
	    "over a fixed range of iterations. Prints for each configuration "
	    "(case) the median of its runs, its speedup and its efficiency, "
	    "with confidence intervals, and writes everything that the figures "
	    "are based on to result/NAME_result.json, for plot_results and "
	    "report_results.\n\n"
	    "All logs below a folder are read. Their formats are detected; "
	    "nodes, GPUs and batch sizes are taken from options, else from "
	    "the log, else from the path; model and precision from the path "
	    "before the log. Logs that cannot be measured are listed with the "
	    "reason. A LABEL sets the cases of one operand apart from those "
	    "of another. A RESULT that extract_logs wrote is merged with the "
	    "other operands.",
	.opts = options,
	.examples = examples,
	.see_also = "plot_results(1), report_results(1), "
		    "predict_scaling(1), dlscale-formats(5)" };

/* Index of name in names; -1 if it is NULL or not found. */
static int
find_choice(const char *const *names, const char *name)
{
	int i;

	for (i = 0; name != NULL && names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static int
set_epoch(struct settings *s, struct error *e)
{
	struct rule *rule = &s->rule;

	if (strcmp(s->epoch, "auto") == 0)
		rule->epoch_choice = EPOCH_AUTO;
	else if (strcmp(s->epoch, "all") == 0) {
		rule->epoch_choice = EPOCH_ALL;
		if (!options_given("train-batches"))
			rule->train = RESULT_UNKNOWN;
	} else if (parse_long(s->epoch, 0, INT_MAX, &rule->epoch) == 0)
		rule->epoch_choice = EPOCH_ONE;
	else
		return error_set(e, ERROR_USAGE,
		    "--epoch: '%s' is not auto, all or a number", s->epoch);
	return 0;
}

static int
check_compat(const struct settings *s, int n_inputs, struct error *e)
{
	/* Options that DLPerf's script has, or that do not affect its
	 * numbers. */
	static const char *const fine[] = { "log-dir", "output-dir",
		"warmup-batches", "train-batches", "batch-size-per-device",
		"protocol", "output", "name", "quiet", "verbose", "format-dir",
		"jobs", "no-hash", NULL };
	const struct opt *o;

	if (s->compat == NULL || strcmp(s->compat_script, "list") == 0)
		return 0;
	for (o = options; o->kind != OPT_END; o++)
		if (o->kind != OPT_GROUP && options_given(o->long_name) &&
		    find_choice(fine, o->long_name) < 0)
			return error_set(e, ERROR_USAGE,
			    "--protocol=%s cannot be used with --%s",
			    s->rule.protocol, o->long_name);
	if (n_inputs != 1)
		return error_set(e, ERROR_USAGE,
		    "--protocol=%s: takes one folder, not %d", s->rule.protocol,
		    n_inputs);
	return 0;
}

static int
check_outputs(const struct settings *s, struct error *e)
{
	if (s->name != NULL &&
	    (s->name[0] == '\0' || strchr(s->name, '/') != NULL))
		return error_set(e, ERROR_USAGE,
		    "--name: '%s' cannot be a file name", s->name);
	if (outfile_check_suffix("--output", s->output, "json", e) != 0 ||
	    outfile_check_suffix(
		"--records", s->records, "json jsonl ndjson", e) != 0)
		return -1;
	if (s->output != NULL && options_given("output-dir"))
		return error_set(e, ERROR_USAGE,
		    "--output-dir cannot be used with "
		    "--output");
	if (s->output != NULL && s->records != NULL &&
	    strcmp(s->output, s->records) == 0)
		return error_set(e, ERROR_USAGE,
		    "--records: '%s' is already used by --output", s->records);
	if (s->quiet && s->verbose)
		return error_set(
		    e, ERROR_USAGE, "--quiet cannot be used with --verbose");
	return 0;
}

int
settings_ask_of_formats(const struct settings *s)
{
	return s->explain != NULL || s->show_format != NULL ||
	    s->suggest != NULL || s->list_formats != NULL || s->list_fields ||
	    s->check_formats;
}

int
settings_check(struct settings *s, int n_operands, struct error *e)
{
	struct rule *rule = &s->rule;
	const int n_inputs = n_operands + (int)s->log_dirs.n;

	runs_table_options.run = s->run;
	s->compat_script = "";
	if (s->rule.protocol != NULL && protocol_apply(s, e) != 0)
		return -1;
	/* If -1 (not given), the log's format determines the two. */
	rule->kind = rule_kind_find(s->rule_name);
	rule->rate_scope = find_choice(scopes, s->rate_scope);
	rule->aggregate =
	    (enum aggregate)find_choice(aggregate_names, s->aggregate);
	rule->figure = run_metric_find(s->metric);
	rule->metric = rule->figure != NULL
	    ? METRIC_THROUGHPUT
	    : (enum metric)find_choice(run_metric_choices, s->metric);
	if (set_epoch(s, e) != 0 || rule_check(rule, e) != 0)
		return -1;
	for (size_t i = 0; i < s->selection.n; i++) {
		const char *item = s->selection.items[i];
		const size_t key = strcspn(item, "=");

		if (key == 0 || strlen(item) < key + 2)
			return error_set(e, ERROR_USAGE,
			    "--select: '%s' is not KEY=VALUE", item);
	}
	if (options_given("from-iteration") && rule->kind != RULE_ALL)
		return error_set(
		    e, ERROR_USAGE, "--from-iteration: only with --rule=all");
	if (s->follow && s->records != NULL)
		return error_set(
		    e, ERROR_USAGE, "--follow cannot be used with --records");
	/* A running job may still reach the window. */
	rule->strict |= s->follow;
	if (check_outputs(s, e) != 0 || check_compat(s, n_inputs, e) != 0)
		return -1;
	if (settings_ask_of_formats(s) || strcmp(s->compat_script, "list") == 0)
		return 0;
	return options_check_operands(
	    NULL, n_inputs, SIZE_MAX, "logs or folders of logs", e);
}

void
settings_keep_options(
    const struct settings *s, struct result_rule *rule, struct arena *a)
{
	static const char *const names[] = { "log-format", "rate-scope",
		"allow-mixed", "framework", "model", "precision", "run",
		"batch-size-per-device", "batch-size", "sequence-length",
		"nodes", "gpus-per-node", "gpus", "select", "path", "map",
		"flop-per-sample", "parameters", "layers", "hidden-size",
		"peak-tflops" };
	const size_t n_names = sizeof names / sizeof names[0];
	struct result_pair *all =
	    arena_calloc(a, n_names + s->selection.n + s->paths.n, sizeof *all);

	rule->more = all;
	for (size_t k = 0; k < n_names; k++) {
		const struct opt *o = options;
		char *key = arena_strdup(a, names[k]);
		const struct opt_list *list;

		while (o->kind == OPT_GROUP || strcmp(o->long_name, key) != 0)
			o++;
		list = o->kind == OPT_LIST ? o->to : NULL;
		for (char *p = key; *p != '\0'; p++)
			*p = *p == '-' ? '_' : *p;
		if (!options_given(names[k]))
			continue;
		if (list == NULL)
			all[rule->n_more++] = (struct result_pair){ key,
				o->kind == OPT_INT ? arena_printf(a, "%ld",
							 *(const long *)o->to)
				    : o->kind == OPT_REAL
				    ? arena_printf(
					  a, "%.17g", *(const double *)o->to)
				    : o->kind == OPT_FLAG
				    ? "true"
				    : arena_strdup(
					  a, *(const char *const *)o->to) };
		for (size_t i = 0; list != NULL && i < list->n; i++)
			all[rule->n_more++] = (struct result_pair){ i == 0
				    ? key
				    : arena_printf(a, "%s_%zu", key, i + 1),
				arena_strdup(a, list->items[i]) };
	}
}
