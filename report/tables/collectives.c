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

/* Add the entries of a case, or only those of benchmarks.
 *
 * all  [*n], grown; free with free() */
static struct collective_entry *
add_entries(struct collective_entry *all, size_t *n, size_t *alloc,
    const struct result_case *c, int of_logs)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];

			if (!of_logs && x->count != RESULT_UNKNOWN)
				continue;
			all = vec_grow(all, *n, alloc, sizeof *all);
			all[*n] =
			    (struct collective_entry){ c, x, *n, of_logs };
			(*n)++;
		}
	return all;
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

/* Make one row per operation of the sorted entries. Returns their number.
 *
 * rows  [n] */
static size_t
rows_of(
    const struct collective_entry *all, size_t n, struct collective_row *rows)
{
	size_t n_rows = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
		     end < n && compare_entries(&all[i], &all[end]) == 0;)
			end++;
		rows[n_rows++] = row_of(&all[i], end - i);
	}
	return n_rows;
}

/* Rows of a case's benchmark. Free *out with free(). */
static size_t
benchmark_rows(const struct result_case *c, struct collective_row **out)
{
	size_t n = 0, alloc = 0;
	struct collective_entry *all = add_entries(NULL, &n, &alloc, c, 0);

	if (n > 1)
		qsort(all, n, sizeof *all, sort_entries);
	*out = xcalloc(n + 1, sizeof **out);
	n = rows_of(all, n, *out);
	free(all);
	return n;
}

/* Rows of a case's training, by bins of sizes.
 *
 * rows    [SIZE_BINS]
 * n_runs  set to the number of runs that report them */
static size_t
training_rows(const struct result_case *c, int published,
    struct collective_row *rows, size_t *n_runs)
{
	struct collective_bin bins[SIZE_BINS];
	const size_t n = collective_groups_by_size(c, bins, n_runs);

	for (size_t i = 0; i < n; i++) {
		const struct collective_bin *b = &bins[i];

		rows[i] = (struct collective_row){ .c = c,
			.bytes = b->bytes / b->count,
			.count = b->count,
			.total_s = b->seconds,
			.mean_s = b->seconds / b->count,
			.algorithm = NAN,
			.bus = b->bus > 0 ? b->bus : NAN,
			.share = b->share,
			.published = published };
		size_bin_label(b->bin, ", ", rows[i].size);
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

/* Note the time of the program and of a step, if the log states them. */
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

/* Note the number of runs, and why there is neither window nor interval. */
static void
note_whole_runs(
    struct table *t, size_t n_runs, enum message what, enum language lang)
{
	if (n_runs > 0)
		table_note(t, "%s: %zu", message(what, lang), n_runs);
	table_note(t, "%s", message(MESSAGE_WHOLE_RUNS, lang));
}

static struct table *
start_table(struct series_set *set, const struct panel *p,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	struct table *t = report_tables_add(list);
	const char *of = panel_title(set, p, 0, how->lang);

	table_title(t, "%s%s%s: %s", of,
	    of[0] != '\0' ? message(MESSAGE_COMMA, how->lang) : "",
	    series_case_name(&set->arena, c, how->lang),
	    message(MESSAGE_COLLECTIVES, how->lang));
	return t;
}

static void
add_training(struct series_set *set, const struct series *s,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };
	struct column_row x = { .how = how, .arena = &set->arena };
	struct collective_row rows[SIZE_BINS];
	size_t n_runs;
	const size_t n =
	    training_rows(c, series_is_published(s), rows, &n_runs);

	if (n == 0)
		return;
	x.t = start_table(set, &p, c, how, list);
	put_rows(training_columns, rows, n, &x);
	note_times(x.t, c, how->lang);
	notes_doubts(set, x.t, &p, how->lang);
	note_whole_runs(x.t, n_runs, MESSAGE_MEAN_OF_RUNS, how->lang);
	case_links_table(how->links, x.t, c);
}

/* Number of runs of the case with rows of a benchmark. */
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
	struct column_row x = { .how = how, .arena = &set->arena };
	struct collective_row *rows;
	const size_t n = benchmark_rows(c, &rows);

	if (n > 0) {
		x.t = start_table(set, &p, c, how, list);
		put_rows(benchmark_columns, rows, n, &x);
		note_whole_runs(x.t, benchmark_runs(c),
		    MESSAGE_MEDIANS_OVER_RUNS, how->lang);
		case_links_table(how->links, x.t, c);
	}
	free(rows);
}

static void
add_flat_rows(const struct series_set *set, uint64_t keys, uint64_t shown,
    const struct collective_row *rows, size_t n, struct column_row *x)
{
	for (size_t i = 0; i < n; i++) {
		x->item = &rows[i];
		columns_flat_row(machine_columns, shown, set, keys, x);
	}
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	const uint64_t keys = keys_known(set, UINT64_MAX);
	struct column_row x = { .t = t, .how = how, .arena = &set->arena };
	struct collective_row bins[SIZE_BINS], *rows;
	uint64_t shown;
	size_t n_runs, n;

	keys_columns(t, set, keys);
	shown = columns_add(machine_columns, &x);
	measured_columns_add(t);
	for (struct panel_point at = { NULL }; panel_next_of_set(set, &at);) {
		x.s = at.s;
		x.p = at.p;
		x.c = at.c;
		n = training_rows(x.c, 0, bins, &n_runs);
		add_flat_rows(set, keys, shown, bins, n, &x);
		n = benchmark_rows(x.c, &rows);
		add_flat_rows(set, keys, shown, rows, n, &x);
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
		add_training(set, x.s, x.c, how, list);
		add_benchmark(set, x.s, x.c, how, list);
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
	struct collective_entry *all = NULL;
	struct collective_row *rows;
	size_t n = 0, alloc = 0;
	int tests = 0, counted = 0, binned = 1;
	uint64_t traits, shown;

	for (size_t i = 0; i < r->n_cases; i++)
		all = add_entries(all, &n, &alloc, &r->cases[i], 1);
	if (n == 0)
		return;
	qsort(all, n, sizeof *all, sort_entries);
	rows = xcalloc(n, sizeof *rows);
	n = rows_of(all, n, rows);
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
	free(all);
}
