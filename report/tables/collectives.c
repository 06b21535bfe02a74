/* Times of collectives by size: of trainings in the columns of published
 * measurements with Horovod, of benchmarks (nccl-tests, OSU, Intel MPI) their
 * rows, which the table of extract_logs also has of trainings. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/defaults.h"
#include "common/stats/stats.h"
#include "common/result/result.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

enum { COUNT_DIGITS = 15 };

/* --- rows ----------------------------------------------------------------- */

/* A message size; unknown numbers are NAN. */
struct collective_row {
	const struct result_case *c;
	const char *collective, *kind;
	const char *size; /* label of the bin; "" for a single size */
	double bytes, count, total_s, mean_s, algorithm, bus, share;
	double fastest_s, p99_s, slowest_s, slowest_ratio;
	long slowest_process; /* the same of all runs, or RESULT_UNKNOWN */
	long test, runs;
	int published;
};

/* The rows of a table. */
struct collective_rows {
	struct collective_row *items;
	size_t n, n_runs;
	int tests, counted, binned; /* known in some row, in some row, in all
				       rows */
};

/* Numbers of a row are unknown until they are set. */
static const struct collective_row no_row = { .size = "",
	.bytes = NAN,
	.count = NAN,
	.total_s = NAN,
	.mean_s = NAN,
	.algorithm = NAN,
	.bus = NAN,
	.share = NAN,
	.fastest_s = NAN,
	.p99_s = NAN,
	.slowest_s = NAN,
	.slowest_ratio = NAN,
	.slowest_process = RESULT_UNKNOWN,
	.test = RESULT_UNKNOWN };

/* One run's row. */
struct collective_entry {
	const struct result_case *c;
	const struct result_collective *x;
	double size;  /* that distinguishes rows: for operations by size the
			 bin, because its mean differs between runs */
	size_t order; /* position in the result */
};

/* Order of entries by row: by case, test, collective and size, sending before
 * receiving and out of place before in place. */
static int
compare_entries(
    const struct collective_entry *a, const struct collective_entry *b)
{
	int d = (a->c > b->c) - (a->c < b->c);

	if (d == 0)
		d = (a->x->test > b->x->test) - (a->x->test < b->x->test);
	if (d == 0)
		d = text_order(a->x->collective, b->x->collective);
	if (d == 0)
		d = text_order(b->x->kind, a->x->kind);
	return d != 0 ? d : (a->size > b->size) - (a->size < b->size);
}

static int
sort_entries(const void *pa, const void *pb)
{
	const struct collective_entry *a = pa, *b = pb;
	const int d = compare_entries(a, b);

	return d != 0 ? d : (a->order > b->order) - (a->order < b->order);
}

static const char *
bin_label(struct arena *a, int bin, const char *comma)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(bin, comma, label);
	return arena_strdup(a, label);
}

/* Median over entries of the member at an offset; NAN if none has it. */
static double
median_of(
    const struct collective_entry *e, size_t n, size_t offset, struct arena *a)
{
	double *v = arena_calloc(a, n, sizeof *v);

	for (size_t i = 0; i < n; i++)
		memcpy(&v[i], (const char *)e[i].x + offset, sizeof v[i]);
	return stats_median_known(v, n);
}

#define MEDIAN(member) \
	median_of(e, n, offsetof(struct result_collective, member), a)

/* The row of n entries of one operation. */
static struct collective_row
row_of(const struct collective_entry *e, size_t n, struct arena *a)
{
	struct collective_row row = no_row;

	row.c = e->c;
	row.collective = e->x->collective;
	row.kind = e->x->kind;
	if (collective_is_by_size(e->x))
		row.size = bin_label(a, (int)e->size, ",");
	row.bytes = e->x->bytes;
	row.mean_s = MEDIAN(time_s);
	row.algorithm = MEDIAN(algorithm_gb_per_s);
	row.bus = MEDIAN(bus_gb_per_s);
	row.fastest_s = MEDIAN(iterations.fastest_s);
	row.p99_s = MEDIAN(iterations.p99_s);
	row.slowest_s = MEDIAN(iterations.slowest_s);
	row.slowest_ratio = MEDIAN(iterations.slowest_ratio);
	row.slowest_process = e->x->iterations.slowest_process;
	row.test = e->x->test;
	row.runs = (long)n;
	for (size_t i = 0; i < n; i++) {
		if (e[i].x->count != RESULT_UNKNOWN)
			row.count = (isnan(row.count) ? 0 : row.count) +
			    (double)e[i].x->count;
		if (e[i].x->iterations.slowest_process != row.slowest_process)
			row.slowest_process = RESULT_UNKNOWN;
	}
	return row;
}

/* Make one row per operation of the cases.
 *
 * trainings  0: only those of benchmarks */
static struct collective_rows
operation_rows(const struct result_case *cases, size_t n_cases, int trainings,
    struct arena *a)
{
	struct collective_rows rows = { .binned = 1 };
	struct collective_entry *all = NULL;
	size_t n = 0;

	for (const struct result_case *c = cases; c < cases + n_cases; c++)
		for (size_t r = 0; r < c->n_runs; r++)
			for (size_t k = 0; k < c->runs[r].n_collectives; k++) {
				const struct result_collective *x =
				    &c->runs[r].collectives[k];

				if (!trainings && x->count != RESULT_UNKNOWN)
					continue;
				all = arena_grow(a, all, n, sizeof *all);
				all[n] = (struct collective_entry){ c, x,
					collective_is_by_size(x)
					    ? size_bin(x->bytes)
					    : x->bytes,
					n };
				n++;
			}
	rows.items = arena_calloc(a, n + 1, sizeof *rows.items);
	if (n > 1)
		qsort(all, n, sizeof *all, sort_entries);
	for (size_t i = 0, end; i < n; i = end) {
		struct collective_row *row = &rows.items[rows.n++];

		for (end = i + 1;
		     end < n && compare_entries(&all[i], &all[end]) == 0;)
			end++;
		*row = row_of(&all[i], end - i, a);
		rows.tests |= row->test > 1;
		rows.counted |= !isnan(row->count);
		rows.binned &= row->size[0] != '\0';
	}
	return rows;
}

/* Rows of a case's training, by bins of sizes, or of its benchmark. */
static struct collective_rows
case_rows(const struct panel_point *at, int training, struct arena *a)
{
	struct collective_bin bins[SIZE_BINS];
	struct collective_rows rows = { NULL };

	if (!training)
		return operation_rows(at->c, 1, 0, a);
	rows.n = collective_groups_by_size(at->c, bins, &rows.n_runs);
	rows.items = arena_calloc(a, rows.n + 1, sizeof *rows.items);
	for (size_t i = 0; i < rows.n; i++) {
		const struct collective_bin *b = &bins[i];
		struct collective_row *row = &rows.items[i];

		*row = no_row;
		row->c = at->c;
		row->size = bin_label(a, b->bin, ", ");
		row->bytes = b->bytes / b->count;
		row->count = b->count;
		row->total_s = b->seconds;
		row->mean_s = b->seconds / b->count;
		row->bus = b->bus > 0 ? b->bus : NAN;
		row->share = b->share;
		row->published = series_is_published(at->s);
	}
	return rows;
}

/* --- cells ---------------------------------------------------------------- */

static const struct collective_row *
row_at(const struct column_row *x)
{
	return x->item;
}

static void
put_bytes(const struct column_row *x)
{
	if (row_at(x)->size[0] != '\0')
		table_cell(x->t, row_at(x)->size);
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

/* "142 ms": times of messages of all sizes have no common unit. */
static void
put_time(const struct column_row *x)
{
	char text[UNITS_TEXT_SIZE];

	table_cell(x->t, seconds_format(text, row_at(x)->mean_s));
}

static void
put_share(const struct column_row *x)
{
	table_cellf(x->t, "%.2f", column_number(x));
}

/* Conditions of columns: the item is then the rows. */
static int
has_tests(const struct column_row *x)
{
	return ((const struct collective_rows *)x->item)->tests;
}

static int
is_counted(const struct column_row *x)
{
	return ((const struct collective_rows *)x->item)->counted;
}

static int
is_binned(const struct column_row *x)
{
	return ((const struct collective_rows *)x->item)->binned;
}

static int
is_in_bytes(const struct column_row *x)
{
	return !is_binned(x);
}

/* --- columns -------------------------------------------------------------- */

#define ROW(member) ITEM_MEMBER(struct collective_row, member)

static const struct column training_columns[] = {
	{ { "message size", "消息大小" }, .cell = CELL_TEXT, ROW(size) },
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
	    .cell = CELL_PUT, .put = put_share, ROW(share), .scale = 100 },
	{ .cell = CELL_END },
};

/* Columns of both kinds, for flat tables. */
static const struct column machine_columns[] = {
	FLAT("nodes", CELL_COUNT, CASE_MEMBER(nodes)),
	FLAT("gpus_per_node", CELL_COUNT, CASE_MEMBER(gpus_per_node)),
	FLAT("gpus", CELL_COUNT, CASE_MEMBER(gpus)),
	{ .key = "case", .cell = CELL_CASE },
	FLAT("test", CELL_COUNT, ROW(test)),
	FLAT("collective", CELL_TEXT, ROW(collective)),
	FLAT("kind_of_collective", CELL_TEXT, ROW(kind)),
	FLAT("sizes", CELL_TEXT, ROW(size)),
	FLAT("message_bytes", CELL_EXACT, ROW(bytes)),
	FLAT("count", CELL_EXACT, ROW(count)),
	FLAT("total_s", CELL_EXACT, ROW(total_s)),
	FLAT("mean_s", CELL_EXACT, ROW(mean_s)),
	FLAT("algorithm_gb_per_s", CELL_EXACT, ROW(algorithm)),
	FLAT("bus_gb_per_s", CELL_EXACT, ROW(bus)),
	FLAT("share", CELL_EXACT, ROW(share)),
	FLAT("fastest_s", CELL_EXACT, ROW(fastest_s)),
	FLAT("p99_s", CELL_EXACT, ROW(p99_s)),
	FLAT("slowest_s", CELL_EXACT, ROW(slowest_s)),
	FLAT("slowest_process", CELL_COUNT, ROW(slowest_process)),
	FLAT("slowest_ratio", CELL_EXACT, ROW(slowest_ratio)),
	{ .cell = CELL_END },
};

/* Columns of benchmarks, in extract_logs also of trainings. */
static const struct column log_columns[] = {
	{ { "case", "规模" }, .cell = CELL_CASE },
	{ { "test", "测试" }, .align = TABLE_RIGHT, .when = has_tests,
	    .cell = CELL_COUNT, ROW(test) },
	{ { "collective", "集合通信" }, .cell = CELL_TEXT, ROW(collective) },
	{ { "kind", "性质" }, .cell = CELL_TEXT, ROW(kind) },
	{ { "size", "大小" }, NULL, "B", TABLE_RIGHT, .when = is_in_bytes,
	    .cell = CELL_PUT, .put = put_bytes },
	{ { "size", "大小" }, .align = TABLE_RIGHT, .when = is_binned,
	    .cell = CELL_TEXT, ROW(size) },
	{ { "operations", "次数" }, .align = TABLE_RIGHT, .when = is_counted,
	    .cell = CELL_PUT, .put = put_operations },
	{ { "time", "时间" }, .align = TABLE_RIGHT, .cell = CELL_PUT,
	    .put = put_time },
	{ { "algorithm", "算法" }, NULL, "GB/s", TABLE_RIGHT,
	    .cell = CELL_DIGITS, ROW(algorithm) },
	{ { "bus", "总线" }, NULL, "GB/s", TABLE_RIGHT, .cell = CELL_DIGITS,
	    ROW(bus) },
	{ { "runs", "次数" }, .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    ROW(runs) },
	{ .cell = CELL_END },
};

/* --- tables --------------------------------------------------------------- */

/* Add the table of a case's training or benchmark, if there is one. */
static void
add_case(struct series_set *set, const struct panel_point *at, int training,
    const struct report_how *how, struct report_tables *list)
{
	const enum language lang = how->lang;
	const struct column *columns =
	    training ? training_columns : log_columns + 1;
	const struct panel p = { .keys = UINT64_MAX,
		.s = (const struct series *[]){ at->s },
		.n = 1 };
	const char *of = panel_title(set, &p, 0, lang);
	const struct collective_rows rows =
	    case_rows(at, training, &set->arena);
	const double total = quantity_of_case(at->c, QUANTITY_REAL);
	const double step = quantity_of_case(at->c, QUANTITY_STEP);
	struct column_row x = {
		.how = how,
		.arena = &set->arena,
		.c = at->c,
		.item = &rows,
		.links = 1,
	};
	uint64_t shown;

	if (rows.n == 0)
		return;
	x.t = report_tables_add(list);
	table_title(x.t, "%s%s%s: %s", of,
	    of[0] != '\0' ? message(MESSAGE_COMMA, lang) : "",
	    series_case_name(&set->arena, at->c, lang),
	    message(MESSAGE_COLLECTIVES, lang));
	shown = columns_add(columns, &x);
	for (size_t i = 0; i < rows.n; i++) {
		x.item = &rows.items[i];
		columns_row(columns, shown, &x);
	}
	if (!training) {
		table_note(x.t, "%s", message(MESSAGE_MEDIANS_OF_RUNS, lang));
		return;
	}
	if (isfinite(total))
		table_note(x.t, "%s: %.1f s",
		    message(MESSAGE_TOTAL_TRAINING, lang), total);
	if (isfinite(step))
		table_note(x.t, "%s: %.1f ms", message(MESSAGE_MEAN_STEP, lang),
		    1e3 * step);
	notes_doubts(set, x.t, &p, lang);
	table_note(
	    x.t, "%s: %zu", message(MESSAGE_MEAN_OF_RUNS, lang), rows.n_runs);
	/* There is neither window nor interval. */
	table_note(x.t, "%s", message(MESSAGE_WHOLE_RUNS, lang));
}

void
collectives_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	struct column_row x = { .how = how,
		.arena = &set->arena,
		.set = set,
		.keys = keys_known(set, UINT64_MAX) };
	uint64_t shown = 0;

	if (how->flat) {
		x.t = report_tables_add(list);
		shown = columns_add(machine_columns, &x);
	}
	for (struct panel_point at = { NULL }; panel_next_of_set(set, &at);)
		for (int training = 1; training >= 0; training--) {
			struct collective_rows rows = { .n = 0 };

			if (how->flat)
				rows = case_rows(&at, training, &set->arena);
			else
				add_case(set, &at, training, how, list);
			x.s = at.s;
			x.p = at.p;
			x.c = at.c;
			for (size_t i = 0; i < rows.n; i++) {
				x.item = &rows.items[i];
				columns_row(machine_columns, shown, &x);
			}
		}
}

void
collectives_of_logs_make(
    const struct result *r, const struct report_how *how, struct table *t)
{
	const struct collective_rows rows =
	    operation_rows(r->cases, r->n_cases, 1, &t->arena);
	struct column_row x = { .t = t,
		.how = how,
		.arena = &t->arena,
		.result = r,
		.c = r->cases,
		.item = &rows };
	uint64_t traits, shown;

	if (rows.n == 0)
		return;
	table_title(t, "%s", message(MESSAGE_COLLECTIVES_OF_RUNS, how->lang));
	traits = columns_add(case_traits, &x);
	shown = columns_add(log_columns, &x);
	for (size_t i = 0; i < rows.n; i++) {
		x.item = &rows.items[i];
		x.c = rows.items[i].c;
		columns_row(case_traits, traits, &x);
		columns_put(log_columns, shown, &x);
	}
	table_note(t, "%s",
	    message(rows.counted ? MESSAGE_MEANS_OF_OPERATIONS
				 : MESSAGE_MEDIANS_OF_RUNS,
		how->lang));
}
