/* Figures next to the throughput as a table.  main calls it for
 * --table=metrics; it knows the result and no logs. */
#include <config.h>

#include "extract/show_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/result/run_metric.h"
#include "common/stats/stats.h"
#include "common/result/measured_columns.h"
#include "common/units/units.h"
#include "extract/measure/cases/case.h"

enum { MAX_METRIC_COLUMNS = 32, METRIC_DIGITS = 4 };

/* The figures that some run has, in the order in which they came. */
struct metric_columns {
	const struct result_metric *items[MAX_METRIC_COLUMNS];
	size_t n;
};

static void
collect_columns(struct metric_columns *c, const struct result_run *run)
{
	for (size_t i = 0; i < run->n_metrics; i++) {
		size_t k = 0;

		while (k < c->n &&
		    strcmp(c->items[k]->name, run->metrics[i].name) != 0)
			k++;
		if (k == c->n && c->n < MAX_METRIC_COLUMNS)
			c->items[c->n++] = &run->metrics[i];
	}
}

/* The median over the runs that have it; n gets their number. */
static double
median_of(const struct result_case *c, const char *name, size_t *n)
{
	double *values = xcalloc(c->n_runs + 1, sizeof *values);
	double median = NAN;

	*n = 0;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_metric *m =
		    run_metric_of(&c->runs[i], name);

		if (m != NULL && isfinite(m->value))
			values[(*n)++] = m->value;
	}
	if (*n > 0)
		median = stats_median(values, *n);
	free(values);
	return median;
}

/* Where a figure is from, in the first run that has it. */
static void
add_note(struct table *t, const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			const struct result_run *run = &r->cases[i].runs[k];
			const struct result_metric *m =
			    run_metric_of(run, name);

			if (m == NULL || m->source == NULL)
				continue;
			table_note(
			    t, "%s: %s (%s).", name, m->source, run->path);
			return;
		}
}

static void
fill_row(struct table *t, const struct result *r, const struct result_case *c,
    const struct metric_columns *columns, int csv)
{
	const struct measured_case measured = { c, &r->rule, NULL, 0 };
	char text[UNITS_TEXT_SIZE];
	size_t n;

	table_row(t);
	table_cell(t, case_describe(c, &t->arena));
	table_cellf(t, "%ld", c->n);
	for (size_t k = 0; k < columns->n; k++) {
		const double x = median_of(c, columns->items[k]->name, &n);

		table_cell(
		    t, n > 0 ? number_format(text, x, METRIC_DIGITS) : "");
	}
	if (csv)
		measured_columns_fill(t, &measured, 1);
}

void
show_metrics(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	const int csv = format == &table_csv;
	struct metric_columns columns = { .n = 0 };
	struct table t;

	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++)
			collect_columns(&columns, &r->cases[i].runs[k]);
	table_init(&t);
	table_column(&t, "case", NULL, TABLE_LEFT);
	table_column(&t, "runs", NULL, TABLE_RIGHT);
	for (size_t k = 0; k < columns.n; k++) {
		const struct result_metric *m = columns.items[k];

		table_column(&t, m->name,
		    m->unit != NULL && m->unit[0] != '\0' ? m->unit : NULL,
		    TABLE_DECIMAL);
	}
	if (csv)
		measured_columns_add(&t);
	for (size_t i = 0; i < r->n_cases; i++)
		fill_row(&t, r, &r->cases[i], &columns, csv);
	if (columns.n == 0)
		table_note(
		    &t, "The logs state nothing next to their throughput.");
	else
		table_note(&t,
		    "Medians over the runs, of what each log states; no "
		    "window, interval or baseline.");
	for (size_t k = 0; k < columns.n; k++)
		add_note(&t, r, columns.items[k]->name);
	table_write(&t, format, colour, f);
	table_release(&t);
}
