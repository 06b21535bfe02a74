/* What the collectives of a training took, by size: the columns of published
 * measurements with Horovod; of a benchmark of collectives (nccl-tests, OSU,
 * Intel MPI) its rows.  One of report.c's kinds of table; it knows no logs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "common/series/quantity.h"
#include "common/text_order.h"
#include "common/units/units.h"
#include "report/notes.h"
#include "report/panel.h"
#include "report/report.h"

enum { DIGITS = 5, COUNT_DIGITS = 15 };

static const double mib = 1 << 20;

static void
add_columns(struct table *t, enum language lang)
{
	table_column(t, message(MESSAGE_MESSAGE_SIZE, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_COUNT, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_MEAN_SIZE, lang), "MiB", TABLE_DECIMAL);
	table_column(
	    t, message(MESSAGE_BUS_BANDWIDTH, lang), "Mibit/s", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_TOTAL_TIME, lang), "s", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_MEAN_TIME, lang), "ms", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_TIME_SHARE, lang), "%", TABLE_DECIMAL);
}

/* Two decimals, as published tables have them; measured values have no fewer
 * than three digits. */
static void
put_two(struct table *t, double x, int published)
{
	const int decimals = published ? 2 : significant_decimals(x, 3);

	table_cellf(t, "%.*f", decimals < 2 ? 2 : decimals, x);
}

/* What the program took, and a step of it, where the log states. */
static void
note_times(struct table *t, const struct result_case *c, enum language lang)
{
	const double total = quantity_of_case(c, QUANTITY_REAL);
	const double step = quantity_of_case(c, QUANTITY_STEP);

	if (isfinite(total))
		table_note(t, "%s: %.1f s",
		    message(MESSAGE_TOTAL_TRAINING, lang), total);
	if (isfinite(step))
		table_note(t, "%s: %.1f ms", message(MESSAGE_MEAN_STEP, lang),
		    1e3 * step);
}

static void
add_row(struct table *t, const struct collective_bin *b, int published)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(b->bin, ", ", label);
	table_row(t);
	table_cell(t, label);
	table_cellf(t, "%.*g", COUNT_DIGITS, b->count);
	put_two(t, b->bytes / b->count / mib, published);
	if (b->bus > 0)
		put_two(t, 8e9 / mib * b->bus, published);
	else
		table_cell(t, "n/a");
	put_two(t, b->seconds, published);
	put_two(t, 1e3 * b->seconds / b->count, published);
	table_cellf(t, "%.2f", 100 * b->share);
}

static void
add_case(struct series_set *set, const struct series *s,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel p = { UINT64_MAX, &s, 1 };
	struct collective_bin bins[SIZE_BINS];
	size_t n_runs, n = collective_groups_by_size(c, bins, &n_runs);
	const char *of;
	struct table *t;

	if (n == 0)
		return;
	t = report_tables_add(list);
	of = panel_title(set, &p, 0, how->lang);
	table_title(t, "%s%s%s: %s", of,
	    of[0] != '\0' ? message(MESSAGE_COMMA, how->lang) : "",
	    series_case_name(&set->arena, c, how->lang),
	    message(MESSAGE_COLLECTIVES, how->lang));
	add_columns(t, how->lang);
	for (size_t i = 0; i < n; i++)
		add_row(t, &bins[i], series_is_published(s));
	note_times(t, c, how->lang);
	notes_doubts(set, t, &p, how->lang);
	if (n_runs > 1)
		table_note(t, "%s: %zu",
		    message(MESSAGE_MEAN_OF_RUNS, how->lang), n_runs);
}

/* --- Benchmarks ------------------------------------------------------------*/

static int
compare_benchmark_rows(const void *a, const void *b)
{
	const struct result_collective *x =
	    *(const struct result_collective *const *)a;
	const struct result_collective *y =
	    *(const struct result_collective *const *)b;
	int d = text_order(x->collective, y->collective);

	if (d == 0)
		d = text_order(x->kind, y->kind);
	return d != 0 ? d : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The rows of all runs, by collective, kind and size.  Returns how many. */
static size_t
benchmark_rows(
    const struct result_case *c, const struct result_collective ***out)
{
	const struct result_collective **all = NULL;
	size_t n = 0, alloc = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];

			if (x->count != RESULT_UNKNOWN)
				continue;
			all = vec_grow(all, n, &alloc, sizeof *all);
			all[n++] = x;
		}
	if (n > 1)
		qsort(all, n, sizeof *all, compare_benchmark_rows);
	*out = all;
	return n;
}

static double
row_time_us(const struct result_collective *x)
{
	return 1e6 * x->time_s;
}

static double
row_algorithm(const struct result_collective *x)
{
	return x->algorithm_gb_per_s;
}

static double
row_bus(const struct result_collective *x)
{
	return x->bus_gb_per_s;
}

/* The median of a member over rows of one size; "-" where none has it. */
static void
put_median(struct table *t, const struct result_collective *const *rows,
    size_t n, double (*member)(const struct result_collective *))
{
	double *v = xcalloc(n, sizeof *v);
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		v[known] = member(rows[i]);
		known += !isnan(v[known]);
	}
	if (known > 0)
		table_cellf(t, "%.*g", DIGITS, stats_median(v, known));
	else
		table_cell(t, "-");
	free(v);
}

static void
add_benchmark(struct series_set *set, const struct series *s,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel p = { UINT64_MAX, &s, 1 };
	const struct result_collective **rows;
	const size_t n = benchmark_rows(c, &rows);
	const enum language lang = how->lang;
	struct table *t;
	const char *of;

	if (n == 0)
		return;
	t = report_tables_add(list);
	of = panel_title(set, &p, 0, lang);
	table_title(t, "%s%s%s: %s", of,
	    of[0] != '\0' ? message(MESSAGE_COMMA, how->lang) : "",
	    series_case_name(&set->arena, c, lang),
	    message(MESSAGE_COLLECTIVES, lang));
	table_column(t, message(MESSAGE_COLLECTIVE, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_KIND, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_MESSAGE_SIZE, lang), "B", TABLE_RIGHT);
	table_column(t, message(MESSAGE_MEAN_TIME, lang), "us", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_ALGORITHM_BANDWIDTH, lang), "GB/s",
	    TABLE_DECIMAL);
	table_column(
	    t, message(MESSAGE_BUS_BANDWIDTH, lang), "GB/s", TABLE_DECIMAL);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n &&
		     compare_benchmark_rows(&rows[i], &rows[end]) == 0;)
			end++;
		table_row(t);
		table_cell(t, rows[i]->collective);
		table_cell(t, rows[i]->kind);
		table_cellf(t, "%.0f", rows[i]->bytes);
		put_median(t, rows + i, end - i, row_time_us);
		put_median(t, rows + i, end - i, row_algorithm);
		put_median(t, rows + i, end - i, row_bus);
	}
	free(rows);
}

void
collectives_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			add_case(set, &set->items[i], c, how, list);
			add_benchmark(set, &set->items[i], c, how, list);
		}
}
