/* What the collectives of a training took, by size: the columns of published
 * measurements with Horovod; of a benchmark of collectives (nccl-tests, OSU,
 * Intel MPI) its rows.  One of report.c's kinds of table; it knows no logs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/collective_groups.h"
#include "common/series/quantity.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/case_links.h"
#include "report/parts/cell.h"
#include "report/parts/keys.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

enum { DIGITS = 5, COUNT_DIGITS = 15 };

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

/* Of how many runs, and why the table has neither window nor interval. */
static void
note_whole_runs(
    struct table *t, size_t n_runs, enum message what, enum language lang)
{
	if (n_runs > 0)
		table_note(t, "%s: %zu", message(what, lang), n_runs);
	table_note(t, "%s", message(MESSAGE_WHOLE_RUNS, lang));
}

static void
add_row(struct table *t, const struct collective_bin *b, int published)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(b->bin, ", ", label);
	table_row(t);
	table_cell(t, label);
	table_cellf(t, "%.*g", COUNT_DIGITS, b->count);
	put_two(t, b->bytes / b->count / MIB, published);
	if (b->bus > 0)
		put_two(t, 8e9 / MIB * b->bus, published);
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
	const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };
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
	note_whole_runs(t, n_runs, MESSAGE_MEAN_OF_RUNS, how->lang);
	case_links_table(how->links, t, c);
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

/* The median of a member over rows of one size; NAN where none has it. */
static double
rows_median(const struct result_collective *const *rows, size_t n,
    double (*member)(const struct result_collective *))
{
	double *v = xcalloc(n, sizeof *v), median = NAN;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		v[known] = member(rows[i]);
		known += !isnan(v[known]);
	}
	if (known > 0)
		median = stats_median(v, known);
	free(v);
	return median;
}

static void
put_median(struct table *t, const struct result_collective *const *rows,
    size_t n, double (*member)(const struct result_collective *))
{
	const double x = rows_median(rows, n, member);

	if (isnan(x))
		table_cell(t, "-");
	else
		table_cellf(t, "%.*g", DIGITS, x);
}

/* The end of the rows from i on that are of one size. */
static size_t
rows_end(const struct result_collective **rows, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && compare_benchmark_rows(&rows[i], &rows[end]) == 0)
		end++;
	return end;
}

/* The runs of the case that have rows of a benchmark. */
static size_t
benchmark_runs(const struct result_case *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++)
			if (c->runs[i].collectives[k].count == RESULT_UNKNOWN) {
				n++;
				break;
			}
	return n;
}

static void
add_benchmark(struct series_set *set, const struct series *s,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };
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
		end = rows_end(rows, n, i);
		table_row(t);
		table_cell(t, rows[i]->collective);
		table_cell(t, rows[i]->kind);
		table_cellf(t, "%.0f", rows[i]->bytes);
		put_median(t, rows + i, end - i, row_time_us);
		put_median(t, rows + i, end - i, row_algorithm);
		put_median(t, rows + i, end - i, row_bus);
	}
	note_whole_runs(t, benchmark_runs(c), MESSAGE_MEDIANS_OVER_RUNS, lang);
	case_links_table(how->links, t, c);
	free(rows);
}

/* --- for machines ----------------------------------------------------------*/

static void
flat_start(struct table *t, struct series_set *set, const struct series *s,
    const struct series_point *p, uint64_t keys, const struct report_how *how)
{
	table_row(t);
	keys_cells(t, set, s, keys);
	cell_count(t, how, p->c->nodes);
	cell_count(t, how, p->c->gpus_per_node);
	cell_count(t, how, p->c->gpus);
	table_cell(t, series_case_name(&set->arena, p->c, LANGUAGE_EN));
}

static void
flat_bin(struct table *t, const struct collective_bin *b)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(b->bin, ", ", label);
	table_cell(t, "");
	table_cell(t, "");
	table_cell(t, label);
	cell_unrounded(t, b->bytes / b->count);
	cell_unrounded(t, b->count);
	cell_unrounded(t, b->seconds);
	cell_unrounded(t, b->seconds / b->count);
	cell_unrounded(t, NAN);
	cell_unrounded(t, b->bus > 0 ? b->bus : NAN);
	cell_unrounded(t, b->share);
}

static void
flat_benchmark(struct table *t, const struct result_collective **rows, size_t n)
{
	table_cell(t, rows[0]->collective);
	table_cell(t, rows[0]->kind);
	table_cell(t, "");
	cell_unrounded(t, rows[0]->bytes);
	cell_unrounded(t, NAN);
	cell_unrounded(t, NAN);
	cell_unrounded(t, rows_median(rows, n, row_time_us) / 1e6);
	cell_unrounded(t, rows_median(rows, n, row_algorithm));
	cell_unrounded(t, rows_median(rows, n, row_bus));
	cell_unrounded(t, NAN);
}

static void
add_flat(struct table *t, struct series_set *set, const struct series *s,
    const struct series_point *p, uint64_t keys, const struct report_how *how)
{
	struct collective_bin bins[SIZE_BINS];
	const struct result_collective **rows;
	size_t n_runs, n = collective_groups_by_size(p->c, bins, &n_runs);

	for (size_t i = 0; i < n; i++) {
		flat_start(t, set, s, p, keys, how);
		flat_bin(t, &bins[i]);
		keys_measured_cells(t, s, p);
	}
	n = benchmark_rows(p->c, &rows);
	for (size_t i = 0, end; i < n; i = end) {
		end = rows_end(rows, n, i);
		flat_start(t, set, s, p, keys, how);
		flat_benchmark(t, rows + i, end - i);
		keys_measured_cells(t, s, p);
	}
	free(rows);
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "nodes", "gpus_per_node", "gpus",
		"case", "collective", "kind_of_collective", "sizes",
		"message_bytes", "count", "total_s", "mean_s",
		"algorithm_gb_per_s", "bus_gb_per_s", "share" };
	const uint64_t keys = keys_known(set, UINT64_MAX);

	keys_columns(t, set, keys);
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_column(t, heads[i], NULL, TABLE_LEFT);
	measured_columns_add(t);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			add_flat(t, set, &set->items[i],
			    &set->items[i].points[k], keys, how);
}

void
collectives_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			add_case(set, &set->items[i], c, how, list);
			add_benchmark(set, &set->items[i], c, how, list);
		}
}
