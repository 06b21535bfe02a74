/* Cases in the formats of other programs that keep or compare benchmarks. */
#include <config.h>

#include "report/tables/report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/json/json.h"
#include "common/process.h"
#include "common/text.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

/* A case with a number. */
struct exported {
	struct series_set *set;
	struct panel_point at;
	const struct result_case *c;
	uint64_t keys;       /* of its name */
	const char *name;    /* "framework=pytorch/.../case=1n8g" */
	const char *measure; /* "throughput", "step-time", "mfu" ... */
	const char *unit;    /* "1" if unknown */
};

/* Step to the next key of the name with a value; k is one more than its index.
 * Returns its column, or NULL at the end. */
static const char *
next_key(const struct exported *x, size_t *k)
{
	while (*k < x->set->n_keys) {
		const size_t key = (*k)++;

		if ((x->keys & SERIES_BIT(key)) && x->at.s->values[key] != NULL)
			return series_key_column(x->set, key);
	}
	return NULL;
}

/* Step to the next case with a number. Returns 0 at the end. */
static int
next_case(struct exported *x)
{
	struct arena *a = &x->set->arena;
	const char *name = "", *key;

	do
		if (!panel_next_of_set(x->set, &x->at))
			return 0;
	while (!isfinite(x->at.c->median_speed));
	x->c = x->at.c;
	for (size_t k = 0; (key = next_key(x, &k)) != NULL;)
		name = arena_printf(
		    a, "%s%s=%s/", name, key, x->at.s->values[k - 1]);
	x->name = arena_printf(
	    a, "%scase=%s", name, series_case_name(a, x->c, LANGUAGE_EN));
	x->measure = x->at.p->source->result.rule.metric;
	if (x->measure == NULL)
		x->measure = "throughput";
	x->unit = x->c->unit != NULL ? x->c->unit : "1";
	return 1;
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

/* Write one line per run, as benchstat expects. */
static void
benchfmt_write(struct exported *x, FILE *f)
{
	const char *last = NULL;
	char value[JSON_DOUBLE_SIZE];

	while (next_case(x)) {
		const char *unit = one_word(&x->set->arena, x->unit);
		const char *name = one_word(&x->set->arena, x->name);
		const size_t len = strlen(unit);
		const char *better =
		    len > 2 && strcmp(unit + len - 2, "/s") == 0 ? "higher"
		    : strcmp(unit, "s") == 0 || strcmp(unit, "min") == 0
		    ? "lower"
		    : NULL;

		if (!text_same(last, unit) && better != NULL)
			fprintf(f, "Unit %s better=%s\n", unit, better);
		last = unit;
		for (size_t i = 0; i < x->c->n_runs; i++) {
			const struct result_run *run = &x->c->runs[i];

			if (isfinite(run->value))
				fprintf(f, "BenchmarkTraining/%s %ld %s %s\n",
				    name,
				    run->iterations > 0 ? run->iterations : 1,
				    json_double(value, run->value), unit);
		}
		if (x->c->n_runs == 0)
			fprintf(f, "BenchmarkTraining/%s 1 %s %s\n", name,
			    json_double(value, x->c->median_speed), unit);
	}
}

/* --- JSON ----------------------------------------------------------------- */

/* Write a case as a member of the object in Bencher Metric Format. */
static void
bmf_put(struct json_writer *j, const struct exported *x)
{
	json_write_begin_object(j, x->name);
	json_write_begin_object(j, x->measure);
	json_write_double(j, "value", x->c->median_speed);
	if (isfinite(x->c->median_low) && isfinite(x->c->median_high)) {
		json_write_double(j, "lower_value", x->c->median_low);
		json_write_double(j, "upper_value", x->c->median_high);
	}
	json_write_end(j);
	json_write_end(j);
}

/* Write a case for github-action-benchmark's customBiggerIsBetter, or for times
 * customSmallerIsBetter. */
static void
action_put(struct json_writer *j, const struct exported *x)
{
	struct arena *a = &x->set->arena;
	char low[JSON_DOUBLE_SIZE], high[JSON_DOUBLE_SIZE];

	json_write_begin_object(j, NULL);
	json_write_string(j, "name", x->name);
	json_write_string(j, "unit", x->unit);
	json_write_double(j, "value", x->c->median_speed);
	if (isfinite(x->c->median_low) && isfinite(x->c->median_high))
		json_write_string(j, "range",
		    arena_printf(a, "%s to %s",
			json_double(low, x->c->median_low),
			json_double(high, x->c->median_high)));
	if (x->c->n != RESULT_UNKNOWN)
		json_write_string(
		    j, "extra", arena_printf(a, "runs: %ld", x->c->n));
	json_write_end(j);
}

/* Write a result of Conbench, to be posted with the measured commit. */
static void
conbench_put(struct json_writer *j, const struct exported *x)
{
	const struct result_run *run = x->c->n_runs > 0 ? x->c->runs : NULL;
	struct arena *a = &x->set->arena;
	const char *key;
	char stamp[UTC_TEXT_SIZE];
	long n = 0;

	utc_text(time(NULL), stamp);
	json_write_begin_object(j, NULL);
	json_write_string(j, "run_id", arena_printf(a, "dlscale-%s", stamp));
	json_write_string(j, "batch_id", x->name);
	json_write_string(j, "timestamp", stamp);
	json_write_begin_object(j, "stats");
	json_write_begin_array(j, "data");
	for (size_t i = 0; i < x->c->n_runs; i++)
		if (isfinite(x->c->runs[i].value)) {
			json_write_double(j, NULL, x->c->runs[i].value);
			n++;
		}
	if (n == 0)
		json_write_double(j, NULL, x->c->median_speed);
	json_write_end(j);
	json_write_string(j, "unit", x->unit);
	json_write_begin_array(j, "times");
	json_write_end(j);
	json_write_string(j, "time_unit", "s");
	json_write_long(j, "iterations", n > 0 ? n : 1);
	json_write_end(j);
	json_write_begin_object(j, "tags");
	json_write_string(j, "name", "training");
	json_write_string(j, "measure", x->measure);
	json_write_string(j, "case", x->c->name);
	for (size_t k = 0; (key = next_key(x, &k)) != NULL;)
		json_write_string(j,
		    k <= SERIES_LABELS ? key : arena_printf(a, "label_%s", key),
		    x->at.s->values[k - 1]);
	json_write_end(j);
	json_write_begin_object(j, "info");
	if (run != NULL)
		json_write_string(
		    j, "framework_version", run->framework_version);
	json_write_end(j);
	json_write_begin_object(j, "context");
	json_write_string(j, "rule", x->at.s->values[SERIES_RULE]);
	json_write_end(j);
	json_write_begin_object(j, "cluster_info");
	json_write_string(j, "name",
	    run != NULL && run->device != NULL ? run->device : "unknown");
	json_write_begin_object(j, "info");
	if (x->c->nodes != RESULT_UNKNOWN)
		json_write_long(j, "nodes", x->c->nodes);
	if (x->c->gpus != RESULT_UNKNOWN)
		json_write_long(j, "gpus", x->c->gpus);
	json_write_end(j);
	json_write_begin_object(j, "optional_info");
	json_write_end(j);
	json_write_end(j);
	json_write_end(j);
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

/* Metric families; the head is the help text. */
static const struct column families[] = {
	{ { "Median of the runs of a case, in the label unit." }, "median",
	    CASE_MEMBER(median_speed) },
	{ { "Lower end of its interval." }, "median_low",
	    CASE_MEMBER(median_low) },
	{ { "Upper end of its interval." }, "median_high",
	    CASE_MEMBER(median_high) },
	{ { "Runs of a case." }, "runs", .cell = CELL_COUNT, CASE_MEMBER(n) },
	{ { "GPUs of a case." }, "gpus", .cell = CELL_COUNT,
	    CASE_MEMBER(gpus) },
	{ { "Speedup over the baseline." }, "speedup", CASE_MEMBER(speedup) },
	{ { "Speedup divided by the ideal one." }, "efficiency",
	    CASE_MEMBER(efficiency) },
};

static void
openmetrics_write(struct exported *x, FILE *f)
{
	char value[JSON_DOUBLE_SIZE];
	const char *key;

	x->keys &= ~SERIES_BIT(SERIES_UNIT);
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		const char *name = families[i].key;

		fprintf(f, "# TYPE dlscale_%s gauge\n# HELP dlscale_%s %s\n",
		    name, name, families[i].head[LANGUAGE_EN]);
		x->at = (struct panel_point){ NULL };
		while (next_case(x)) {
			const double number =
			    column_number(&(struct column_row){
				.c = x->c, .column = &families[i] });

			if (!isfinite(number))
				continue;
			fprintf(f, "dlscale_%s{", name);
			put_label("", "case",
			    series_case_name(&x->set->arena, x->c, LANGUAGE_EN),
			    f);
			put_label(",", "unit", x->unit, f);
			put_label(",", "measure", x->measure, f);
			for (size_t k = 0; (key = next_key(x, &k)) != NULL;)
				put_label(k <= SERIES_LABELS ? "," : ",label_",
				    key, x->at.s->values[k - 1], f);
			fprintf(f, "} %s\n", json_double(value, number));
		}
	}
	fputs("# EOF\n", f);
}

/* --- all ------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*write)(struct exported *x, FILE *f); /* or, for each case: */
	void (*put)(struct json_writer *j, const struct exported *x);
} exports[] = {
	{ "benchfmt", benchfmt_write, NULL },
	{ "bmf", NULL, bmf_put },
	{ "github-action-benchmark", NULL, action_put },
	{ "conbench", NULL, conbench_put },
	{ "openmetrics", openmetrics_write, NULL },
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
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	/* Framework, model, precision, batch, labels, and what else differs. */
	const uint64_t others = SERIES_BIT(SERIES_UNIT) |
	    SERIES_BIT(SERIES_WORK) | SERIES_BIT(SERIES_RULE) |
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE);
	struct exported x = { .set = set,
		.keys = keys_known(set, ~others | set->differing) };

	if (!next_case(&x))
		return error_set(e, ERROR_EMPTY, "no case to show");
	x.at = (struct panel_point){ NULL };
	if (exports[format].write != NULL) {
		exports[format].write(&x, f);
		return 0;
	}
	if (exports[format].put == bmf_put)
		json_write_begin_object(&j, NULL);
	else
		json_write_begin_array(&j, NULL);
	while (next_case(&x))
		exports[format].put(&j, &x);
	json_write_end(&j);
	json_write_finish(&j);
	return 0;
}
