/* Cases in the formats of other programs that keep or compare benchmarks. */
#include <config.h>

#include "report/report.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "common/json/json_write.h"
#include "common/text.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

/* A writer of a format. */
typedef void export_writer(struct series_set *set, FILE *f);

/* --- what all need -------------------------------------------------------- */

/* Keys of a case's name: framework, model, precision, batch, labels, and what
 * else differs. */
static uint64_t
name_keys(const struct series_set *set)
{
	const uint64_t others = SERIES_BIT(SERIES_UNIT) |
	    SERIES_BIT(SERIES_WORK) | SERIES_BIT(SERIES_RULE) |
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE);

	return keys_known(set, ~others | set->differing);
}

/* Step to the next case with a number. Start with { NULL }. */
static int
next_case(const struct series_set *set, struct panel_point *x)
{
	while (panel_next_of_set(set, x))
		if (isfinite(x->c->median_speed))
			return 1;
	return 0;
}

/* "framework=pytorch/model=resnet50/.../case=1n8g" */
static const char *
case_name(struct series_set *set, const struct panel_point *x)
{
	const uint64_t keys = name_keys(set);
	const char *name = "";

	for (size_t k = 0; k < set->n_keys; k++)
		if ((keys & SERIES_BIT(k)) && x->s->values[k] != NULL)
			name = arena_printf(&set->arena, "%s%s=%s/", name,
			    series_key_column(set, k), x->s->values[k]);
	return arena_printf(&set->arena, "%scase=%s", name,
	    series_case_name(&set->arena, x->c, LANGUAGE_EN));
}

/* "throughput", "step-time", "mfu" ...: what was measured. */
static const char *
measure_of(const struct panel_point *x)
{
	const char *metric = x->p->source->result.rule.metric;

	return metric != NULL ? metric : "throughput";
}

static const char *
unit_of(const struct panel_point *x)
{
	return x->c->unit != NULL ? x->c->unit : "1";
}

/* --- the Go benchmark format ---------------------------------------------- */

/* A text as a part of a benchmark's name or as a unit: without blanks. */
static const char *
one_word(struct arena *a, const char *text)
{
	char *word = arena_strdup(a, text);

	for (char *at = word; *at != '\0'; at++)
		if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
			*at = '_';
	return word;
}

/* One line a run, as benchstat expects. */
static void
benchfmt_write(struct series_set *set, FILE *f)
{
	const char *unit = NULL;
	char value[JSON_DOUBLE_SIZE];

	for (struct panel_point x = { NULL }; next_case(set, &x);) {
		const char *own = one_word(&set->arena, unit_of(&x));
		const char *name = one_word(&set->arena, case_name(set, &x));

		const int is_new = !text_same(unit, own);
		const size_t len = strlen(own);

		if (is_new && len > 2 && strcmp(own + len - 2, "/s") == 0)
			fprintf(f, "Unit %s better=higher\n", own);
		else if (is_new &&
		    (strcmp(own, "s") == 0 || strcmp(own, "min") == 0))
			fprintf(f, "Unit %s better=lower\n", own);
		unit = own;
		for (size_t i = 0; i < x.c->n_runs; i++) {
			const struct result_run *run = &x.c->runs[i];

			if (isfinite(run->value))
				fprintf(f, "BenchmarkTraining/%s %ld %s %s\n",
				    name,
				    run->iterations > 0 ? run->iterations : 1,
				    json_double(value, run->value), own);
		}
		if (x.c->n_runs == 0)
			fprintf(f, "BenchmarkTraining/%s 1 %s %s\n", name,
			    json_double(value, x.c->median_speed), own);
	}
}

/* --- Bencher Metric Format ------------------------------------------------ */

static void
bmf_write(struct series_set *set, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);

	json_write_begin_object(&j, NULL);
	for (struct panel_point x = { NULL }; next_case(set, &x);) {
		json_write_begin_object(&j, case_name(set, &x));
		json_write_begin_object(&j, measure_of(&x));
		json_write_double(&j, "value", x.c->median_speed);
		if (isfinite(x.c->median_low) && isfinite(x.c->median_high)) {
			json_write_double(&j, "lower_value", x.c->median_low);
			json_write_double(&j, "upper_value", x.c->median_high);
		}
		json_write_end(&j);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_finish(&j);
}

/* --- github-action-benchmark ---------------------------------------------- */

/* customBiggerIsBetter, or customSmallerIsBetter of times. */
static void
action_write(struct series_set *set, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	char low[JSON_DOUBLE_SIZE], high[JSON_DOUBLE_SIZE];

	json_write_begin_array(&j, NULL);
	for (struct panel_point x = { NULL }; next_case(set, &x);) {
		json_write_begin_object(&j, NULL);
		json_write_string(&j, "name", case_name(set, &x));
		json_write_string(&j, "unit", unit_of(&x));
		json_write_double(&j, "value", x.c->median_speed);
		if (isfinite(x.c->median_low) && isfinite(x.c->median_high))
			json_write_string(&j, "range",
			    arena_printf(&set->arena, "%s to %s",
				json_double(low, x.c->median_low),
				json_double(high, x.c->median_high)));
		if (x.c->n != RESULT_UNKNOWN)
			json_write_string(&j, "extra",
			    arena_printf(&set->arena, "runs: %ld", x.c->n));
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_finish(&j);
}

/* --- Conbench ------------------------------------------------------------- */

/* One result a case, to be posted with the commit that was measured. */
static void
conbench_write(struct series_set *set, FILE *f)
{
	const uint64_t keys = name_keys(set);
	const time_t now = time(NULL);
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	char stamp[32];
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_write_begin_array(&j, NULL);
	for (struct panel_point x = { NULL }; next_case(set, &x);) {
		const struct result_run *run =
		    x.c->n_runs > 0 ? &x.c->runs[0] : NULL;
		const char *device = run != NULL ? run->device : NULL;
		long n = 0;

		json_write_begin_object(&j, NULL);
		json_write_string(&j, "run_id",
		    arena_printf(&set->arena, "dlscale-%s", stamp));
		json_write_string(&j, "batch_id", case_name(set, &x));
		json_write_string(&j, "timestamp", stamp);
		json_write_begin_object(&j, "stats");
		json_write_begin_array(&j, "data");
		for (size_t i = 0; i < x.c->n_runs; i++)
			if (isfinite(x.c->runs[i].value)) {
				json_write_double(&j, NULL, x.c->runs[i].value);
				n++;
			}
		if (n == 0)
			json_write_double(&j, NULL, x.c->median_speed);
		json_write_end(&j);
		json_write_string(&j, "unit", unit_of(&x));
		json_write_begin_array(&j, "times");
		json_write_end(&j);
		json_write_string(&j, "time_unit", "s");
		json_write_long(&j, "iterations", n > 0 ? n : 1);
		json_write_end(&j);
		json_write_begin_object(&j, "tags");
		json_write_string(&j, "name", "training");
		json_write_string(&j, "measure", measure_of(&x));
		json_write_string(&j, "case", x.c->name);
		for (size_t k = 0; k < set->n_keys; k++)
			if ((keys & SERIES_BIT(k)) && x.s->values[k] != NULL)
				json_write_string(&j,
				    arena_printf(&set->arena, "%s%s",
					k < SERIES_LABELS ? "" : "label_",
					series_key_column(set, k)),
				    x.s->values[k]);
		json_write_end(&j);
		json_write_begin_object(&j, "info");
		if (run != NULL)
			json_write_string(
			    &j, "framework_version", run->framework_version);
		json_write_end(&j);
		json_write_begin_object(&j, "context");
		json_write_string(&j, "rule", x.s->values[SERIES_RULE]);
		json_write_end(&j);
		json_write_begin_object(&j, "cluster_info");
		json_write_string(
		    &j, "name", device != NULL ? device : "unknown");
		json_write_begin_object(&j, "info");
		if (x.c->nodes != RESULT_UNKNOWN)
			json_write_long(&j, "nodes", x.c->nodes);
		if (x.c->gpus != RESULT_UNKNOWN)
			json_write_long(&j, "gpus", x.c->gpus);
		json_write_end(&j);
		json_write_begin_object(&j, "optional_info");
		json_write_end(&j);
		json_write_end(&j);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_finish(&j);
}

/* --- OpenMetrics ---------------------------------------------------------- */

/* Write a label: its name with the permitted letters, its value escaped. */
static void
put_label(const char *prefix, const char *name, const char *value, FILE *f)
{
	static const struct table_escape escapes[] = { { '\\', "\\\\" },
		{ '"', "\\\"" }, { '\n', "\\n" }, { 0, NULL } };

	fputs(prefix, f);
	for (; *name != '\0'; name++)
		putc(isascii(*name) && isalnum((unsigned char)*name) ? *name
								     : '_',
		    f);
	table_put(f, "=\"^\"", value, escapes);
}

/* Numbers of a case; a count is a long. */
#define AT(member) offsetof(struct result_case, member)
static const struct {
	const char *name, *help;
	size_t at;
	int is_count;
} families[] = {
	{ "median", "Median of the runs of a case, in the label unit.",
	    AT(median_speed), 0 },
	{ "median_low", "Lower end of its interval.", AT(median_low), 0 },
	{ "median_high", "Upper end of its interval.", AT(median_high), 0 },
	{ "runs", "Runs of a case.", AT(n), 1 },
	{ "gpus", "GPUs of a case.", AT(gpus), 1 },
	{ "speedup", "Speedup over the baseline.", AT(speedup), 0 },
	{ "efficiency", "Speedup divided by the ideal one.", AT(efficiency),
	    0 },
};

static void
openmetrics_write(struct series_set *set, FILE *f)
{
	const uint64_t keys = name_keys(set) & ~SERIES_BIT(SERIES_UNIT);
	char value[JSON_DOUBLE_SIZE];

	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		fprintf(f, "# TYPE dlscale_%s gauge\n# HELP dlscale_%s %s\n",
		    families[i].name, families[i].name, families[i].help);
		for (struct panel_point x = { NULL }; next_case(set, &x);) {
			const void *at = (const char *)x.c + families[i].at;
			const double number = !families[i].is_count
			    ? *(const double *)at
			    : *(const long *)at == RESULT_UNKNOWN
			    ? NAN
			    : (double)*(const long *)at;

			if (!isfinite(number))
				continue;
			fprintf(f, "dlscale_%s{", families[i].name);
			put_label("", "case",
			    series_case_name(&set->arena, x.c, LANGUAGE_EN), f);
			put_label(",", "unit", unit_of(&x), f);
			put_label(",", "measure", measure_of(&x), f);
			for (size_t k = 0; k < set->n_keys; k++)
				if ((keys & SERIES_BIT(k)) &&
				    x.s->values[k] != NULL)
					put_label(
					    k < SERIES_LABELS ? "," : ",label_",
					    series_key_column(set, k),
					    x.s->values[k], f);
			fprintf(f, "} %s\n", json_double(value, number));
		}
	}
	fputs("# EOF\n", f);
}

/* --- all ------------------------------------------------------------------ */

static const struct {
	const char *name;
	export_writer *write;
} exports[] = {
	{ "benchfmt", benchfmt_write },
	{ "bmf", bmf_write },
	{ "github-action-benchmark", action_write },
	{ "conbench", conbench_write },
	{ "openmetrics", openmetrics_write },
};

int
export_find(const char *name)
{
	for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++)
		if (text_same(exports[i].name, name))
			return (int)i;
	return -1;
}

int
export_write(int format, struct series_set *set, FILE *f, struct error *e)
{
	struct panel_point first = { NULL };

	if (!next_case(set, &first))
		return error_set(e, ERROR_EMPTY, "no case to show");
	exports[format].write(set, f);
	return 0;
}
