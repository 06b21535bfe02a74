/* Times of collectives by size: of trainings in the columns of published
 * measurements with Horovod, of benchmarks (nccl-tests, OSU, Intel MPI) their
 * rows, and both in the table of extract_logs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "common/series/quantity.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"
#include "report/parts/cell.h"
#include "report/parts/notes.h"
#include "report/tables/report_makers.h"

enum { COUNT_DIGITS = 15 };

/* --- rows ----------------------------------------------------------------- */

/* A message size; unknown numbers are NAN. */
struct collective_row {
	const struct result_case *c;
	const char *collective, *kind;
	char size[SIZE_LABEL_SIZE]; /* label of the bin; "" for a single size */
	double bytes, count, total_s, mean_s, algorithm, bus, share;
	long test, runs;
	int published;
	int tests, counted, binned; /* known in some row, in some row, in all
				       rows of the table */
};

/* One run's row. */
struct collective_entry {
	const struct result_case *c;
	const struct result_collective *x;
	size_t order; /* position in the result */
	int of_logs;  /* 1: for the table of all cases of a result */
};

/* The size that distinguishes rows: for operations by size the bin, because its
 * mean differs between runs. */
static double
entry_size(const struct collective_entry *e)
{
	return collective_is_by_size(e->x) ? size_bin(e->x->bytes)
					   : e->x->bytes;
}

/* Order of entries by row: within a case by collective, kind and size; in the
 * table of all logs by case and test, sending before receiving. */
static int
compare_entries(
    const struct collective_entry *a, const struct collective_entry *b)
{
	int d = (a->c > b->c) - (a->c < b->c);

	if (d == 0 && a->of_logs)
		d = (a->x->test > b->x->test) - (a->x->test < b->x->test);
	if (d == 0)
		d = text_order(a->x->collective, b->x->collective);
	if (d == 0)
		d = text_order(a->x->kind, b->x->kind) * (a->of_logs ? -1 : 1);
	return d != 0
	    ? d
	    : (entry_size(a) > entry_size(b)) - (entry_size(a) < entry_size(b));
}

static int
sort_entries(const void *pa, const void *pb)
{
	const struct collective_entry *a = pa, *b = pb;
	const int d = compare_entries(a, b);

	return d != 0 ? d : (a->order > b->order) - (a->order < b->order);
}

struct entry_list {
	struct collective_entry *items; /* free with free() */
	size_t n, alloc;
	size_t n_runs; /* with entries */
};

/* Add the entries of a case, or only those of benchmarks. */
static void
add_entries(struct entry_list *l, const struct result_case *c, int of_logs)
{
	for (size_t i = 0; i < c->n_runs; i++) {
		const size_t before = l->n;

		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];

			if (!of_logs && x->count != RESULT_UNKNOWN)
				continue;
			l->items = vec_grow(
			    l->items, l->n, &l->alloc, sizeof *l->items);
			l->items[l->n] =
			    (struct collective_entry){ c, x, l->n, of_logs };
			l->n++;
		}
		l->n_runs += l->n > before;
	}
}

/* Median over entries of the member at an offset; NAN if none has it. */
static double
median_of(const struct collective_entry *e, size_t n, size_t offset)
{
	double *v = xcalloc(n, sizeof *v), median = NAN;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const char *x = (const char *)e[i].x + offset;

		memcpy(&v[known], x, sizeof v[known]);
		known += !isnan(v[known]);
	}
	if (known > 0)
		median = stats_median_reorder(v, known);
	free(v);
	return median;
}

/* Make the row of n entries of one operation. */
static struct collective_row
row_of(const struct collective_entry *e, size_t n)
{
	struct collective_row row = { .c = e->c,
		.collective = e->x->collective,
		.kind = e->x->kind,
		.bytes = e->x->bytes,
		.count = NAN,
		.total_s = NAN,
		.share = NAN,
		.test = e->x->test,
		.runs = (long)n };

	if (collective_is_by_size(e->x))
		size_bin_label(size_bin(e->x->bytes), ",", row.size);
	for (size_t i = 0; i < n; i++)
		if (e[i].x->count != RESULT_UNKNOWN)
			row.count = (isnan(row.count) ? 0 : row.count) +
			    (double)e[i].x->count;
	row.mean_s =
	    median_of(e, n, offsetof(struct result_collective, time_s));
	row.algorithm = median_of(
	    e, n, offsetof(struct result_collective, algorithm_gb_per_s));
	row.bus =
	    median_of(e, n, offsetof(struct result_collective, bus_gb_per_s));
	return row;
}

/* Make one row per operation of the entries, which are freed. Returns their
 * number; free *rows with free(). */
static size_t
rows_of(struct entry_list *l, struct collective_row **rows)
{
	const struct collective_entry *all = l->items;
	size_t n = 0;

	*rows = xcalloc(l->n + 1, sizeof **rows);
	if (l->n > 1)
		qsort(l->items, l->n, sizeof *all, sort_entries);
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1;
		     end < l->n && compare_entries(&all[i], &all[end]) == 0;)
			end++;
		(*rows)[n++] = row_of(&all[i], end - i);
	}
	free(l->items);
	return n;
}

/* Rows of a case's training, by bins of sizes, or of its benchmark.
 *
 * n_runs  set to the number of runs that report them
 *
 * Returns their number; free *rows with free(). */
static size_t
case_rows(const struct result_case *c, int training, int published,
    struct collective_row **rows, size_t *n_runs)
{
	struct collective_bin bins[SIZE_BINS];
	struct entry_list l = { NULL };
	size_t n;

	if (!training) {
		add_entries(&l, c, 0);
		*n_runs = l.n_runs;
		return rows_of(&l, rows);
	}
	n = collective_groups_by_size(c, bins, n_runs);
	*rows = xcalloc(n + 1, sizeof **rows);
	for (size_t i = 0; i < n; i++) {
		const struct collective_bin *b = &bins[i];

		(*rows)[i] = (struct collective_row){ .c = c,
			.bytes = b->bytes / b->count,
			.count = b->count,
			.total_s = b->seconds,
			.mean_s = b->seconds / b->count,
			.algorithm = NAN,
			.bus = b->bus > 0 ? b->bus : NAN,
			.share = b->share,
			.published = published };
		size_bin_label(b->bin, ", ", (*rows)[i].size);
	}
	return n;
}

/* --- cells ---------------------------------------------------------------- */

static const struct collective_row *
row_at(const struct column_row *x)
{
	return x->item;
}

static void
put_sizes(const struct column_row *x)
{
	table_cell(x->t, row_at(x)->size);
}

static void
put_bytes(const struct column_row *x)
{
	if (x->how->of_logs && row_at(x)->size[0] != '\0')
		put_sizes(x);
	else
		table_cellf(x->t, "%.0f", row_at(x)->bytes);
}

static void
put_count(const struct column_row *x)
{
	table_cellf(x->t, "%.*g", COUNT_DIGITS, row_at(x)->count);
}

static void
put_operations(const struct column_row *x)
{
	if (row_at(x)->count > 0)
		table_cellf(x->t, "%.0f", row_at(x)->count);
	else
		table_cell(x->t, "-");
}

/* Two decimals as in published tables, but at least three digits. */
static void
put_two(const struct column_row *x)
{
	const double value = column_number(x);
	const int decimals =
	    row_at(x)->published ? 2 : significant_decimals(value, 3);

	if (isnan(value))
		table_cell(x->t, "n/a");
	else
		table_cellf(x->t, "%.*f", decimals < 2 ? 2 : decimals, value);
}

static void
put_share(const struct column_row *x)
{
	table_cellf(x->t, "%.2f", 100 * row_at(x)->share);
}

static void
put_case(const struct column_row *x)
{
	table_cell(x->t, series_case_name(x->arena, x->c, LANGUAGE_EN));
}

static int
has_tests(const struct column_row *x)
{
	return row_at(x)->tests;
}

static int
is_counted(const struct column_row *x)
{
	return row_at(x)->counted;
}

/* --- columns -------------------------------------------------------------- */

#define ROW(member) ITEM_MEMBER(struct collective_row, member)

static const struct column training_columns[] = {
	{ { "message size", "消息大小" }, .cell = CELL_PUT, .put = put_sizes },
	{ { "count", "个数" }, .align = TABLE_RIGHT, .cell = CELL_PUT,
	    .put = put_count },
	{ { "mean size", "平均大小" }, NULL, "MiB", TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_two, ROW(bytes), .scale = 1.0 / MIB },
	{ { "bus bandwidth", "总线带宽" }, NULL, "Mibit/s", TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_two, ROW(bus), .scale = 8e9 / MIB },
	{ { "total time", "总时间" }, NULL, "s", TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_two, ROW(total_s) },
	{ { "mean time", "平均时间" }, NULL, "ms", TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_two, ROW(mean_s), .scale = 1e3 },
	{ { "share of time", "时间占比" }, NULL, "%", TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_share },
	{ .cell = CELL_END },
};

static const struct column benchmark_columns[] = {
	{ { "collective", "集合通信" }, .cell = CELL_TEXT, ROW(collective) },
	{ { "kind", "性质" }, .cell = CELL_TEXT, ROW(kind) },
	{ { "message size", "消息大小" }, NULL, "B", TABLE_RIGHT,
	    .cell = CELL_PUT, .put = put_bytes },
	{ { "mean time", "平均时间" }, NULL, "us", TABLE_DECIMAL,
	    .cell = CELL_DIGITS, ROW(mean_s), .scale = 1e6 },
	{ { "algorithm bandwidth", "算法带宽" }, NULL, "GB/s", TABLE_DECIMAL,
	    .cell = CELL_DIGITS, ROW(algorithm) },
	{ { "bus bandwidth", "总线带宽" }, NULL, "GB/s", TABLE_DECIMAL,
	    .cell = CELL_DIGITS, ROW(bus) },
	{ .cell = CELL_END },
};

/* Columns of both kinds, for flat tables. */
static const struct column machine_columns[] = {
	{ .key = "nodes", .cell = CELL_COUNT, CASE_MEMBER(nodes) },
	{ .key = "gpus_per_node",
	    .cell = CELL_COUNT,
	    CASE_MEMBER(gpus_per_node) },
	{ .key = "gpus", .cell = CELL_COUNT, CASE_MEMBER(gpus) },
	{ .key = "case", .cell = CELL_PUT, .put = put_case },
	{ .key = "collective", .cell = CELL_TEXT, ROW(collective) },
	{ .key = "kind_of_collective", .cell = CELL_TEXT, ROW(kind) },
	{ .key = "sizes", .cell = CELL_PUT, .put = put_sizes },
	{ .key = "message_bytes", .cell = CELL_EXACT, ROW(bytes) },
	{ .key = "count", .cell = CELL_EXACT, ROW(count) },
	{ .key = "total_s", .cell = CELL_EXACT, ROW(total_s) },
	{ .key = "mean_s", .cell = CELL_EXACT, ROW(mean_s) },
	{ .key = "algorithm_gb_per_s", .cell = CELL_EXACT, ROW(algorithm) },
	{ .key = "bus_gb_per_s", .cell = CELL_EXACT, ROW(bus) },
	{ .key = "share", .cell = CELL_EXACT, ROW(share) },
	{ .cell = CELL_END },
};

static int
is_in_bytes(const struct column_row *x)
{
	return !row_at(x)->binned;
}

static int
is_binned(const struct column_row *x)
{
	return row_at(x)->binned;
}

/* Columns of extract_logs. */
static const struct column log_columns[] = {
	{ { "case", "规模" }, .cell = CELL_PUT, .put = put_case },
	{ { "test", "测试" }, .align = TABLE_RIGHT, .when = has_tests,
	    .cell = CELL_COUNT, ROW(test) },
	{ { "collective", "集合通信" }, .cell = CELL_TEXT, ROW(collective) },
	{ { "kind", "性质" }, .cell = CELL_TEXT, ROW(kind) },
	{ { "size", "大小" }, NULL, "B", TABLE_RIGHT, .when = is_in_bytes,
	    .cell = CELL_PUT, .put = put_bytes },
	{ { "size", "大小" }, .align = TABLE_RIGHT, .when = is_binned,
	    .cell = CELL_PUT, .put = put_sizes },
	{ { "operations", "次数" }, .align = TABLE_RIGHT, .when = is_counted,
	    .cell = CELL_PUT, .put = put_operations },
	{ { "time", "时间" }, NULL, "us", TABLE_RIGHT, .cell = CELL_DIGITS,
	    ROW(mean_s), .scale = 1e6 },
	{ { "algorithm", "算法" }, NULL, "GB/s", TABLE_RIGHT,
	    .cell = CELL_DIGITS, ROW(algorithm) },
	{ { "bus", "总线" }, NULL, "GB/s", TABLE_RIGHT, .cell = CELL_DIGITS,
	    ROW(bus) },
	{ { "runs", "次数" }, .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    ROW(runs) },
	{ .cell = CELL_END },
};

static void
put_rows(const struct column *columns, const struct collective_row *rows,
    size_t n, struct column_row *x)
{
	uint64_t shown;

	x->item = rows;
	x->c = rows->c;
	shown = columns_add(columns, x);
	for (size_t i = 0; i < n; i++) {
		x->item = &rows[i];
		x->c = rows[i].c;
		table_row(x->t);
		columns_put(columns, shown, x);
	}
}

/* --- tables --------------------------------------------------------------- */

/* Add the table of a case's training or benchmark, if there is one. */
static void
add_case(struct series_set *set, const struct panel_point *at, int training,
    const struct report_how *how, struct report_tables *list)
{
	const struct panel p = { .keys = UINT64_MAX,
		.s = (const struct series *[]){ at->s },
		.n = 1 };
	const char *of = panel_title(set, &p, 0, how->lang);
	struct column_row x = { .how = how, .arena = &set->arena };
	struct collective_row *rows;
	double total, step;
	size_t n_runs;
	const size_t n = case_rows(
	    at->c, training, series_is_published(at->s), &rows, &n_runs);

	if (n > 0) {
		x.t = report_tables_add(list);
		table_title(x.t, "%s%s%s: %s", of,
		    of[0] != '\0' ? message(MESSAGE_COMMA, how->lang) : "",
		    series_case_name(&set->arena, at->c, how->lang),
		    message(MESSAGE_COLLECTIVES, how->lang));
		put_rows(training ? training_columns : benchmark_columns, rows,
		    n, &x);
		if (training) {
			/* Times of the program and of a step, if stated. */
			total = quantity_of_case(at->c, QUANTITY_REAL);
			step = quantity_of_case(at->c, QUANTITY_STEP);
			if (isfinite(total))
				table_note(x.t, "%s: %.1f s",
				    message(MESSAGE_TOTAL_TRAINING, how->lang),
				    total);
			if (isfinite(step))
				table_note(x.t, "%s: %.1f ms",
				    message(MESSAGE_MEAN_STEP, how->lang),
				    1e3 * step);
			notes_doubts(set, x.t, &p, how->lang);
		}
		if (n_runs > 0)
			table_note(x.t, "%s: %zu",
			    message(training ? MESSAGE_MEAN_OF_RUNS
					     : MESSAGE_MEDIANS_OVER_RUNS,
				how->lang),
			    n_runs);
		/* There is neither window nor interval. */
		table_note(x.t, "%s", message(MESSAGE_WHOLE_RUNS, how->lang));
		case_links_table(how->links, x.t, at->c);
	}
	free(rows);
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	const uint64_t keys = keys_known(set, UINT64_MAX);
	struct column_row x = { .t = t, .how = how, .arena = &set->arena };
	uint64_t shown;

	keys_columns(t, set, keys);
	shown = columns_add(machine_columns, &x);
	measured_columns_add(t);
	for (struct panel_point at = { NULL }; panel_next_of_set(set, &at);)
		for (int training = 1; training >= 0; training--) {
			struct collective_row *rows;
			size_t n_runs, n;

			x.s = at.s;
			x.p = at.p;
			x.c = at.c;
			n = case_rows(x.c, training, 0, &rows, &n_runs);
			for (size_t i = 0; i < n; i++) {
				x.item = &rows[i];
				columns_flat_row(
				    machine_columns, shown, set, keys, &x);
			}
			free(rows);
		}
}

void
collectives_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);) {
		add_case(set, &x, 1, how, list);
		add_case(set, &x, 0, how, list);
	}
}

void
collectives_of_logs_make(
    const struct result *r, const struct report_how *how, struct table *t)
{
	struct column_row x = { .t = t,
		.how = how,
		.arena = &t->arena,
		.result = r,
		.c = r->cases };
	struct entry_list all = { NULL };
	struct collective_row *rows;
	size_t n;
	int tests = 0, counted = 0, binned = 1;
	uint64_t traits, shown;

	for (size_t i = 0; i < r->n_cases; i++)
		add_entries(&all, &r->cases[i], 1);
	if (all.n == 0)
		return;
	n = rows_of(&all, &rows);
	for (size_t i = 0; i < n; i++) {
		tests |= rows[i].test > 1;
		counted |= !isnan(rows[i].count);
		binned &= rows[i].size[0] != '\0';
	}
	rows[0].tests = tests;
	rows[0].counted = counted;
	rows[0].binned = binned;
	x.item = rows;
	table_title(t, "Collectives");
	traits = columns_add(case_traits, &x);
	shown = columns_add(log_columns, &x);
	for (size_t i = 0; i < n; i++) {
		x.item = &rows[i];
		x.c = rows[i].c;
		table_row(t);
		columns_put(case_traits, traits, &x);
		columns_put(log_columns, shown, &x);
	}
	table_note(t, "%s",
	    counted ? "Means over all operations of a run, medians over the "
		      "runs; no window, interval or baseline."
		    : "Medians over the runs; no window, interval or "
		      "baseline.");
	free(rows);
}
