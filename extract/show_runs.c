/* Runs as rows.  main calls it for --table=runs; it knows the result and no
 * log. */
#include <config.h>

#include "extract/show_runs.h"

#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/strbuf.h"
#include "common/result/measured_columns.h"
#include "common/result/measured_text.h"
#include "common/units/units.h"
#include "extract/label_columns.h"
#include "extract/measure/cases/case.h"

enum { DIGITS = 5, MAX_TEXT = 1 << 16 };

/* The unit of all runs, or NULL if they differ. */
static const char *
common_unit(const struct result *r)
{
	for (size_t i = 1; i < r->n_cases; i++)
		if (strcmp(r->cases[0].unit, r->cases[i].unit) != 0)
			return NULL;
	return r->n_cases > 0 ? r->cases[0].unit : NULL;
}

/* What stands before the name in the description of a case:
 * "pytorch resnet50 fp32 b128 "; NULL where that differs among cases. */
static const char *
common_start(const struct result *r, struct arena *a)
{
	const char *start = NULL;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *all = case_describe(c, a);
		const size_t len = strlen(all), n = strlen(c->name);

		if (len < n || strcmp(all + len - n, c->name) != 0)
			return NULL;
		all = arena_strndup(a, all, len - n);
		if (start != NULL && strcmp(all, start) != 0)
			return NULL;
		start = all;
	}
	return start;
}

static void
count_cell(struct table *t, long n)
{
	if (n == RESULT_UNKNOWN)
		table_cell(t, "");
	else
		table_cellf(t, "%ld", n);
}

/* Both ends, or nothing: "27-126". */
static void
range_cell(struct table *t, long first, long last)
{
	if (first == RESULT_UNKNOWN || last == RESULT_UNKNOWN)
		table_cell(t, "");
	else
		table_cellf(t, "%ld-%ld", first, last);
}

static void
show_run(struct table *t, const struct result_case *c,
    const struct result_run *run, const char *name, const char *unit)
{
	char text[UNITS_TEXT_SIZE];

	table_row(t);
	table_cell(t, name);
	table_cell(t, run->run);
	if (unit != NULL)
		table_cell(t, number_format(text, run->value, DIGITS));
	else
		table_cellf(t, "%s %s", number_format(text, run->value, DIGITS),
		    c->unit);
	range_cell(t, run->first_iteration, run->last_iteration);
	range_cell(t, run->first_line, run->last_line);
	table_cell(t, run->path);
	for (size_t k = 0; k < run->n_flags; k++)
		table_note(t, "%s: %s.", run->path,
		    remark_text(&run->flags[k], LANGUAGE_EN, &t->arena));
}

/* How the runs were measured, each rule of a case once. */
static void
note_rules(struct table *t, const struct result *r)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		size_t k = 0;

		while (k < i && strcmp(r->cases[k].rule, r->cases[i].rule) != 0)
			k++;
		if (k == i)
			table_note(t, "measured: %s",
			    measured_text(&t->arena, &r->rule, r->cases[i].rule,
				LANGUAGE_EN));
	}
}

static void
fill_text(struct table *t, const struct result *r)
{
	const char *start = common_start(r, &t->arena);
	const char *unit = common_unit(r);

	if (start != NULL && start[0] != '\0')
		table_title(t, "%.*s", (int)strlen(start) - 1, start);

	table_column(t, "case", NULL, TABLE_LEFT);
	table_column(t, "run", NULL, TABLE_LEFT);
	table_column(t, "value", unit, unit ? TABLE_DECIMAL : TABLE_LEFT);
	table_column(t, "iterations", NULL, TABLE_RIGHT);
	table_column(t, "lines", NULL, TABLE_RIGHT);
	table_column(t, "log", NULL, TABLE_LEFT);
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *name =
		    start != NULL ? c->name : case_describe(c, &t->arena);

		for (size_t k = 0; k < c->n_runs; k++)
			show_run(t, c, &c->runs[k], name, unit);
	}
	note_rules(t, r);
}

static void
exact_cell(struct table *t, double x)
{
	char text[JSON_DOUBLE_SIZE];

	table_cell(t, isfinite(x) ? json_double(text, x) : "");
}

static void
flags_cell(struct table *t, const struct result_run *run)
{
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	for (size_t k = 0; k < run->n_flags; k++) {
		strbuf_addstr(&sb, k > 0 ? "; " : "");
		remark_add(&sb, &run->flags[k], 0, LANGUAGE_EN);
	}
	table_cell(t, sb.buf);
	strbuf_release(&sb);
}

static void
csv_run(struct table *t, const struct result_case *c,
    const struct result_run *run, const struct result_rule *options,
    const struct label_columns *labels)
{
	const struct measured_case measured = { c, options, NULL, 0 };

	table_row(t);
	table_cell(t, c->framework);
	table_cell(t, c->model);
	table_cell(t, c->precision);
	count_cell(t, c->batch_size_per_device);
	label_columns_fill(labels, c, t);
	count_cell(t, c->nodes);
	count_cell(t, c->gpus_per_node);
	count_cell(t, c->gpus);
	table_cell(t, c->name);
	table_cell(t, run->run);
	table_cell(t, c->unit);
	exact_cell(t, run->value);
	exact_cell(t, run->samples_per_s);
	exact_cell(t, run->step_s);
	count_cell(t, run->iterations);
	count_cell(t, run->first_iteration);
	count_cell(t, run->last_iteration);
	table_cell(t, run->path);
	count_cell(t, run->first_line);
	count_cell(t, run->last_line);
	table_cell(t, run->device);
	table_cell(t, run->framework_version);
	table_cell(t, c->rule);
	flags_cell(t, run);
	exact_cell(t, run->audit.half_width);
	measured_columns_fill(t, &measured, 1);
}

static void
fill_csv(struct table *t, const struct result *r)
{
	static const char *const before[] = { "framework", "model", "precision",
		"batch_size_per_device" };
	static const char *const after[] = { "nodes", "gpus_per_node", "gpus",
		"case", "run", "unit", "value", "samples_per_s", "step_s",
		"iterations", "first_iteration", "last_iteration", "log",
		"first_line", "last_line", "device", "framework_version",
		"rule", "flags", "half_width", "measured" };
	struct label_columns labels;

	label_columns_init(&labels, r);
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		table_column(t, before[i], NULL, TABLE_LEFT);
	label_columns_add(&labels, t);
	for (size_t i = 0; i < sizeof after / sizeof *after; i++)
		table_column(t, after[i], NULL, TABLE_LEFT);
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++)
			csv_run(t, &r->cases[i], &r->cases[i].runs[k], &r->rule,
			    &labels);
	label_columns_release(&labels);
}

void
show_runs(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	struct table t;

	table_init(&t);
	if (format == &table_csv)
		fill_csv(&t, r);
	else
		fill_text(&t, r);
	table_write(&t, format, colour, f);
	table_release(&t);
}
