/* predict_scaling: its options, the series they name, and the outputs;
 * forecast.c predicts, show*.c print. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/program/confine.h"
#include "common/program/options.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "common/text.h"
#include "common/units/units.h"
#include "predict/forecast.h"

static struct opt_list targets, selection, what_if_texts, extract_options;
static struct forecast_request request = { .until = NAN,
	.want = NAN,
	.samples = NAN,
	.price = NAN,
	.bandwidth = NAN,
	.network = NETWORK_MODEL_INIT };
static const char *model, *level, *bandwidth, *algorithm, *network_text, *until,
    *want, *format, *output, *chart;

/* In the order of enum forecast_model. */
static const char *const models[] = { "auto", "doubling", "transfer", NULL };
static const struct opt opts[] = { { OPT_GROUP, .help = "What is predicted" },
	{ OPT_LIST, 't', "to", "CASES",
	    .brief = "cases to predict, such as 4n8g,8n8g",
	    .help = "cases to predict, such as 4n8g,8n8g, or 64g for so many "
		    "GPUs; default: the next two doublings of each row",
	    .to = &targets },
	{ OPT_CHOICE, 'm', "model", "MODEL",
	    .help = "transfer predicts from another batch size that has the "
		    "case measured; auto prefers it",
	    .def = "auto", .choices = models, .to = &model },
	{ OPT_FLAG, 0, "compare",
	    .help = "also show what Amdahl's, Gustafson's, the universal, a "
		    "power and a linear law predict",
	    .to = &request.compare },
	{ OPT_FLAG, 0, "no-pool",
	    .help = "predict each series from its own data alone",
	    .to = &request.no_pool },
	{ OPT_FLAG, 0, "force",
	    .help = "also predict, flagged, where efficiency rises, from one "
		    "node count, and with more GPUs per node than any "
		    "measured case has",
	    .to = &request.force },
	{ OPT_STR, 0, "level", "LEVEL",
	    .brief = "confidence level of the interval",
	    .help = "confidence level of the interval; for JSON several, "
		    "separated by commas",
	    .def = "0.8", .to = &level },
	{ OPT_STR, 0, "baseline", "CASE",
	    .help = "compute speedup and efficiency over this case; default: "
		    "1n1g, else the one with the fewest GPUs",
	    .to = &request.baseline },
	{ OPT_LIST, 0, "select", "KEY=VALUE",
	    .help = "use only the cases whose KEY (framework, model, "
		    "precision, batch, a label ...) is VALUE; values of one "
		    "key are alternatives",
	    .to = &selection },
	OPERANDS_EXTRACT_OPTION(extract_options, 0), RUNS_TABLE_OPTIONS(0),
	{ OPT_GROUP, .help = "Questions" },
	{ OPT_STR, 'u', "until", "PERCENT",
	    .brief = "nodes at which efficiency falls below",
	    .help = "show at how many nodes efficiency falls below PERCENT",
	    .to = &until },
	{ OPT_STR, 'w', "want", "PERCENT",
	    .brief = "bandwidth that gives this efficiency",
	    .help = "show the bandwidth that gives this "
		    "efficiency",
	    .to = &want },
	{ OPT_FLAG, 0, "diagnose", .brief = "what limits each case",
	    .help = "show what limits each measured case",
	    .to = &request.diagnose },
	{ OPT_LIST, 0, "what-if", "CHANGES",
	    .brief = "bandwidth=x10, compression=fp16 ...",
	    .help = "show the speed after a change: bandwidth=25Gbit/s or "
		    "=x10, compression=fp16, buckets=161:4, compute=x1.5, "
		    "batch=64, precision=fp16; those separated by commas "
		    "together",
	    .to = &what_if_texts },
	{ OPT_REAL, 0, "samples", "N",
	    .brief = "time and GPU-hours for N samples", .unit = "samples",
	    .help = "show the time and GPU-hours for N samples", .min = 1,
	    .max = 1e18, .to = &request.samples },
	{ OPT_REAL, 0, "price", "P", .help = "show the cost at P per GPU-hour",
	    .min = 0, .max = 1e9, .to = &request.price },
	{ OPT_GROUP, .help = "What is known of the network" },
	{ OPT_STR, 0, "bandwidth", "RATE",
	    .help = "rate of the link between nodes with which the cases were "
		    "measured (kbit/s, Mbit/s, Gbit/s, GB/s)",
	    .to = &bandwidth },
	{ OPT_REAL, 0, "gradient-bytes", "N", .unit = "bytes",
	    .help = "size of all gradients of a step; default: as the runs "
		    "state, or 4 bytes for each parameter of a known model",
	    .min = 1, .max = 1e15, .to = &request.network.gradient_bytes },
	{ OPT_CHOICE, 0, "algorithm", "NAME",
	    .help = "algorithm of the allreduce", .def = "ring",
	    .choices = allreduce_algorithm_names, .to = &algorithm },
	{ OPT_REAL, 0, "overlap", "SHARE",
	    .help = "share of the compute time that communication overlaps; "
		    "default: as measured, else both 0 and 1",
	    .min = 0, .max = 1, .to = &request.network.gamma },
	{ OPT_REAL, 0, "latency", "SECONDS", .unit = "s",
	    .help = "time of one small allreduce, for buckets=", .min = 0,
	    .max = 1000, .to = &request.network.latency_s },
	{ OPT_STR, 0, "network", "FILE|RATE",
	    .brief = "predict more nodes than were measured",
	    .help = "a benchmark of allreduce that extract_logs can read, or "
		    "a rate: predicts more nodes where only one is measured",
	    .to = &network_text },
	{ OPT_GROUP, .help = "Output" },
	{ OPT_CHOICE, 0, "format", "FORMAT",
	    .help = "text unless the ending of --output names another",
	    .choices = table_format_names, .to = &format },
	{ OPT_STR, 'o', "output", "FILE",
	    .brief = "its ending: md, csv, json ...",
	    .help = "write to FILE instead of stdout (-)", .to = &output },
	{ OPT_STR, 'c', "chart", "FILE.svg",
	    .brief = "draw measured and predicted speeds",
	    .help = "also draw measured and predicted speeds with their 80 % "
		    "band",
	    .to = &chart },
	{ .kind = OPT_END } };

static const char *const examples[] = {
	"predict_scaling --to=4n8g result/resnet50_result.json",
	"the speed of four nodes, with an interval",
	"predict_scaling --until=80% logs/resnet50",
	"how many nodes until efficiency falls below 80 %",
	"predict_scaling --what-if=bandwidth=x10 --diagnose result.json",
	"a faster network, and what limits each case",
	NULL,
};

static const struct program program = {
	.name = "predict_scaling",
	.synopsis = "[OPTION]... [LABEL=]RESULT|LOGS...",
	.summary = "predict the speed of cases that were never run",
	.text =
	    "Predicts the speed of more nodes or GPUs from results of "
	    "extract_logs, logs (files or folders, which it lets extract_logs "
	    "read) or files of published figures, each with an interval, or "
	    "names what must be measured first.\n\n"
	    "Cases with the same number of GPUs per node are a row, those of "
	    "one node the column. Each doubling of a row costs a multiple of "
	    "the doubling before it. This multiple comes from the data, and "
	    "where these are too few from published series. On published "
	    "series the interval held the speed that was measured later in "
	    "more than 80 of 100 cases; a ceiling that smaller cases do not "
	    "show (a saturated file server or switch) may be below it.\n\n"
	    "What is refused is reported on stderr; if nothing could be "
	    "predicted, the exit status is 4.",
	.opts = opts,
	.examples = examples,
	.see_also = "extract_logs(1), report_results(1), plot_results(1)",
};

/* --- reading options ------------------------------------------------------ */

/* Parse "80%" or "80", if given, as a share. */
static int
read_percent(const char *name, const char *text, double *out, struct error *e)
{
	char number[32];

	if (text == NULL)
		return 0;
	snprintf(number, sizeof number, "%.*s", (int)strcspn(text, "%"), text);
	if (parse_double(number, 1, 100, out) != 0)
		return error_set(e, ERROR_USAGE,
		    "--%s: '%s' is not a percentage from 1 to 100, such as "
		    "80%%",
		    name, text);
	*out /= 100;
	return 0;
}

/* Parse the what-if questions and the network into the request. */
static int
read_questions(struct arena *a, struct error *e)
{
	struct what_if *what_ifs =
	    arena_calloc(a, what_if_texts.n + 1, sizeof *what_ifs);

	request.what_ifs = what_ifs;
	if (!isnan(request.price) && isnan(request.samples))
		return error_set(e, ERROR_USAGE, "--price needs --samples");
	if (bandwidth != NULL &&
	    link_rate_parse(bandwidth, &request.bandwidth) != 0)
		return error_set(e, ERROR_USAGE,
		    "--bandwidth: '%s' is not a rate with a unit, such as "
		    "25Gbit/s",
		    bandwidth);
	if (read_percent("until", until, &request.until, e) != 0 ||
	    read_percent("want", want, &request.want, e) != 0)
		return -1;
	if (!isnan(request.want) && isnan(request.bandwidth))
		return error_set(e, ERROR_USAGE,
		    "--want needs --bandwidth, the link rate of the measured "
		    "cases");
	for (; request.n_what_ifs < what_if_texts.n; request.n_what_ifs++)
		if (what_if_parse(what_if_texts.items[request.n_what_ifs],
			&what_ifs[request.n_what_ifs], e) != 0)
			return -1;
	while (strcmp(allreduce_algorithm_names[request.network.algorithm],
		   algorithm) != 0)
		request.network.algorithm++;
	if (network_text == NULL)
		return 0;
	request.by_network = 1;
	return network_model_read(&request.network, network_text, a, e);
}

static int
read_request(struct arena *a, struct error *e)
{
	struct scaling_shape *known;
	size_t most = 0;
	char *at;

	while (strcmp(models[request.model], model) != 0)
		request.model++;
	for (size_t i = 0; i < targets.n; i++)
		most += strlen(targets.items[i]) + 1;
	request.targets = known = arena_calloc(a, most, sizeof *known);
	for (size_t i = 0; i < targets.n; i++) {
		at = arena_strdup(a, targets.items[i]);
		for (char *text; (text = strsep(&at, ",")) != NULL;) {
			if (scaling_shape_parse(
				text, &known[request.n_targets++], a) != 0)
				return error_set(e, ERROR_USAGE,
				    "--to: '%s' is not a case; write 4n8g, or "
				    "32g if nodes are unknown",
				    text);
		}
	}
	at = arena_strdup(a, level);
	for (char *text; (text = strsep(&at, ",")) != NULL;) {
		double x;

		if (parse_double(text, 0, 1, &x) != 0 || x <= 0 || x >= 1)
			return error_set(e, ERROR_USAGE,
			    "--level: '%s' is not between 0 and 1", text);
		if (request.n_levels == FORECAST_MAX_LEVELS)
			return error_set(e, ERROR_USAGE,
			    "--level: more than %d", FORECAST_MAX_LEVELS);
		request.levels[request.n_levels++] = x;
	}
	request.levels[request.n_levels] = K_STANDARD_LEVEL;
	return 0;
}

/* --- writing -------------------------------------------------------------- */

/* Report refused cases, each with its series. Returns 1 if no case was
 * predicted. */
static int
report_refused(struct series_set *set, const struct forecast_set *forecasts)
{
	const uint64_t differ = set->n > 1 ? set->differing : 0;
	int empty = 1;

	for (size_t i = 0; i < forecasts->n; i++) {
		const struct forecast *f = &forecasts->items[i];
		const char *of =
		    series_text(set, f->s.series, differ, LANGUAGE_EN);

		empty &= forecast_first(f) == NULL;
		for (size_t k = 0; k < f->n_refused; k++) {
			const struct forecast_refused *r = &f->refused[k];
			struct error e;

			error_set(&e, ERROR_EMPTY, "%s%s%s: %s", of,
			    of[0] != '\0' ? ": " : "", r->shape.name,
			    remark_text(&r->why, LANGUAGE_EN, &set->arena));
			error_report(program.name, &e);
		}
	}
	return empty;
}

/* Predict and write all outputs. What is read lives as long as the program. */
static int
predict_files(const struct result_set *files, struct error *e)
{
	const struct series_how how = { .select = &selection, .need_gpus = 1 };
	const struct table_format *as = format != NULL
	    ? table_format_find(format)
	    : table_format_of_file(output);
	static struct forecast_set forecasts;
	static struct series_set set;
	struct outfile o;
	int empty;

	if (series_collect(files, &how, &set, e) != 0 ||
	    forecast_make(&set, &request, &forecasts, e) != 0)
		return -1;
	/* Fail before a file is replaced. */
	empty = report_refused(&set, &forecasts);
	if (!empty && chart != NULL && forecasts.n > CHART_SVG_MAX_SERIES)
		return error_set(e, ERROR_LIMIT,
		    "--chart: %zu series, at most %d can be distinguished; "
		    "choose by --select",
		    forecasts.n, CHART_SVG_MAX_SERIES);
	if (outfile_open(&o, output != NULL ? output : "-", e) != 0)
		return -1;
	if (as == &table_json)
		show_json(&set, &forecasts, o.f);
	else
		show_tables(&set, &forecasts, language_find(NULL),
		    as != NULL ? as : &table_text, table_colour_of_file(output),
		    o.f);
	if (outfile_commit(&o, e) != 0)
		return -1;
	if (empty)
		return error_set(e, ERROR_EMPTY, "nothing could be predicted");
	if (chart == NULL)
		return 0;
	if (outfile_open(&o, chart, e) != 0)
		return -1;
	chart_svg_write(&set, &forecasts, o.f);
	return outfile_commit(&o, e);
}

/* Read the options and files, and check what will be written. */
static int
predict_all(char **operands, size_t n, struct error *e)
{
	const char *const outputs[] = { output, chart };
	const char *dot = chart != NULL ? strrchr(chart, '.') : NULL;
	static struct result_set files;
	static struct arena arena;
	int rc;

	if (log_operands_extract(
		operands, &n, OPERANDS_TOGETHER, &extract_options, e) != 0 ||
	    confine_calls(e) != 0 || confine_writing(outputs, 2, 0, e) != 0)
		return -1;
	if (chart != NULL && (dot == NULL || strcasecmp(dot, ".svg") != 0))
		return error_set(e, ERROR_USAGE,
		    "--chart: '%s' does not end in .svg", chart);
	for (int i = 0; i < 2 && network_text != NULL; i++)
		if (outfile_spare(outputs[i], &network_text, 1, e) != 0)
			return -1;
	if (read_request(&arena, e) != 0 || read_questions(&arena, e) != 0)
		return -1;
	rc = result_set_read(&files, operands, n, e);
	result_set_print_remarks(&files, program.name);
	if (rc != 0 ||
	    outfile_check_suffix("--output", output, TABLE_SUFFIXES, e) != 0 ||
	    result_set_spare(&files, output, e) != 0 ||
	    result_set_spare(&files, chart, e) != 0)
		return -1;
	return predict_files(&files, e);
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, predict_all);
}
