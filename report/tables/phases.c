/* Tables of the times of a step's phases: a column per case with phases, a row
 * per quantity, the relative cost in parentheses after the total time; and of
 * collectives by size: for trainings in the columns of published measurements
 * with Horovod, for benchmarks (nccl-tests, OSU, Intel MPI) as they print. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/defaults.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* --- phases --------------------------------------------------------------- */

static const enum quantity quantities[] = { QUANTITY_REAL, QUANTITY_STEP,
	QUANTITY_DATA, QUANTITY_TO_DEVICE, QUANTITY_FORWARD, QUANTITY_LOSS,
	QUANTITY_BACKWARD, QUANTITY_UPDATE, QUANTITY_BUSY, QUANTITY_EXPOSED,
	QUANTITY_RECEIVED, QUANTITY_SENT };
enum { N_SHOWN = sizeof quantities / sizeof quantities[0] };

/* The cases of the columns, in the order of the files. */
struct phase_columns {
	struct panel_point *items;
	size_t n;
};

static int
compare_columns(const void *pa, const void *pb)
{
	const struct series_point *a = ((const struct panel_point *)pa)->p;
	const struct series_point *b = ((const struct panel_point *)pb)->p;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The 1-GPU case for a column's relative cost: of its own series, else the only
 * one of the table; NULL: none or several. */
static const struct panel_point *
find_one(const struct phase_columns *l, const struct series *s)
{
	const struct panel_point *only = NULL;
	int several = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct panel_point *c = &l->items[i];

		if (c->c->gpus != 1 ||
		    !(quantity_of_case(c->c, QUANTITY_REAL) > 0))
			continue;
		if (c->s == s)
			return c;
		several |= only != NULL;
		only = c;
	}
	return several ? NULL : only;
}

/* T_n / (n T_1); NAN for the 1-GPU case itself and where unknown. */
static double
relative_cost(const struct phase_columns *l, const struct panel_point *c)
{
	const struct panel_point *one = find_one(l, c->s);

	if (one == NULL || one == c || !(c->c->gpus > 1))
		return NAN;
	return quantity_of_case(c->c, QUANTITY_REAL) /
	    ((double)c->c->gpus * quantity_of_case(one->c, QUANTITY_REAL));
}

/* "4n1g (link 2.5G)": the case and its distinguishing labels. */
static const char *
column_head(struct series_set *set, const struct panel *p,
    const struct panel_point *c, enum language lang)
{
	struct arena *a = &set->arena;
	const char *text = series_case_name(a, c->c, lang);
	int n = 0;

	for (size_t k = 0; k < set->n_keys; k++) {
		const char *value = c->s->values[k];
		const int is_label = k >= SERIES_LABELS;

		if (!(p->differing & SERIES_BIT(k)) || value == NULL ||
		    k == SERIES_UNIT || k == SERIES_RULE || k == SERIES_KIND)
			continue;
		text = arena_printf(a, "%s%s%s%s%s", text,
		    n++ == 0 ? " (" : message(MESSAGE_COMMA, lang),
		    is_label ? message_label(set->keys[k], lang) : "",
		    is_label ? " " : "", value);
	}
	return n > 0 ? arena_printf(a, "%s)", text) : text;
}

/* Format a value: as published, else times in ms, the total in s, rates in
 * bit/s. */
static const char *
quantity_text(struct arena *a, const struct panel_point *c, enum quantity q)
{
	const char *written = panel_written(c->p, q);
	const double x = quantity_of_case(c->c, q);
	char buf[QUANTITY_TEXT_SIZE];

	if (written != NULL)
		return written;
	if (!isfinite(x))
		return "";
	if (quantity_rows[q].is_rate)
		return arena_strdup(a, quantity_bit_rate(buf, x));
	return q == QUANTITY_REAL ? arena_printf(a, "%.1fs", x)
				  : arena_printf(a, "%.1fms", 1e3 * x);
}

static void
make_panel(struct series_set *set, const struct panel *p,
    const struct phase_columns *l, const struct report_how *how,
    struct table *t)
{
	const enum language lang = how->lang;
	const char *title = panel_title(set, p, 0, lang);

	table_column(t, title, NULL, TABLE_LEFT);
	for (size_t i = 0; i < l->n; i++)
		table_column(t, column_head(set, p, &l->items[i], lang), NULL,
		    TABLE_RIGHT);
	for (int q = 0; q < N_SHOWN; q++) {
		int known = 0;

		for (size_t i = 0; i < l->n; i++)
			known |= isfinite(
			    quantity_of_case(l->items[i].c, quantities[q]));
		if (!known)
			continue;
		table_row(t);
		table_cell(t,
		    message(quantities[q] == QUANTITY_REAL
			    ? MESSAGE_TOTAL_TRAINING
			    : quantity_rows[quantities[q]].shown,
			lang));
		for (size_t i = 0; i < l->n; i++) {
			const double cost = quantities[q] == QUANTITY_REAL
			    ? relative_cost(l, &l->items[i])
			    : NAN;
			const char *text = quantity_text(
			    &set->arena, &l->items[i], quantities[q]);

			if (isfinite(cost))
				table_cellf(t, "%s (%.0f%%)", text, 100 * cost);
			else
				table_cell(t, text);
			case_links_cell(how->links, t, l->items[i].c);
		}
	}
	for (size_t i = 0; i < l->n; i++)
		if (isfinite(relative_cost(l, &l->items[i]))) {
			note_message(t, lang, MESSAGE_RELATIVE_COST,
			    series_case_name(&set->arena,
				find_one(l, l->items[i].s)->c, lang));
			break;
		}
	notes_measured(set, t, p, NOTES_SPEEDS, how);
}

void
phases_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const uint64_t keys = keys_known(set, UINT64_MAX);
	struct table *flat = NULL;
	const struct panel_list panels = panel_split(set, PANEL_KEYS);

	if (how->flat) {
		flat = report_tables_add(list);
		keys_columns(flat, set, keys);
		table_column(flat, "case", NULL, TABLE_LEFT);
		for (int q = 0; q < N_SHOWN; q++)
			table_column(flat, quantity_rows[quantities[q]].key,
			    NULL, TABLE_LEFT);
		table_column(flat, "relative_cost", NULL, TABLE_LEFT);
		measured_columns_add(flat);
	}
	for (size_t i = 0; i < panels.n; i++) {
		struct phase_columns l = { NULL, 0 };

		for (struct panel_point x = { NULL };
		     panel_next(&panels.items[i], &x);) {
			int known = 0;

			/* Cases with only a total are in the table of times. */
			for (int q = 1; q < N_SHOWN; q++)
				known |= isfinite(
				    quantity_of_case(x.c, quantities[q]));
			if (!known)
				continue;
			l.items = arena_grow(
			    &set->arena, l.items, l.n, sizeof *l.items);
			l.items[l.n++] = x;
		}
		if (l.n > 1)
			qsort(l.items, l.n, sizeof *l.items, compare_columns);
		if (!how->flat && l.n > 0)
			make_panel(set, &panels.items[i], &l, how,
			    report_tables_add(list));
		for (size_t k = 0; k < l.n && how->flat; k++) {
			const struct panel_point *x = &l.items[k];

			table_row(flat);
			keys_cells(flat, set, x->s, keys);
			table_cell(flat,
			    series_case_name(&set->arena, x->c, LANGUAGE_EN));
			for (int q = 0; q < N_SHOWN; q++)
				cell_unrounded(flat,
				    quantity_of_case(x->c, quantities[q]));
			cell_unrounded(flat, relative_cost(&l, x));
			measured_columns_fill(flat, x, 1);
		}
	}
}

/* --- rows of collectives -------------------------------------------------- */

/* A message size; unknown numbers are NAN. */
struct collective_row {
	const char *collective, *kind;
	const char *size; /* label of the bin; "" for a single size */
	double bytes, count, total_s, mean_s, algorithm, bus, share;
	double fastest_s, p99_s, slowest_s, slowest_ratio;
	long slowest_process; /* equal in all runs, or RESULT_UNKNOWN */
	long test, runs;
	int published;
};

/* The rows of a table. */
struct collective_rows {
	struct collective_row *items;
	size_t n, n_runs;
	int tests; /* 1: rows of several tests */
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
	const struct result_collective *x;
	size_t order; /* position in the result */
};

/* Order of entries by row: by test, collective and size, sending before
 * receiving and out of place before in place. */
static int
compare_entries(
    const struct collective_entry *a, const struct collective_entry *b)
{
	int d = (a->x->test > b->x->test) - (a->x->test < b->x->test);

	if (d == 0)
		d = text_order(a->x->collective, b->x->collective);
	if (d == 0)
		d = text_order(b->x->kind, a->x->kind);
	return d != 0
	    ? d
	    : (a->x->bytes > b->x->bytes) - (a->x->bytes < b->x->bytes);
}

static int
sort_entries(const void *pa, const void *pb)
{
	const struct collective_entry *a = pa, *b = pb;
	const int d = compare_entries(a, b);

	return d != 0 ? d : (a->order > b->order) - (a->order < b->order);
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

	row.collective = e->x->collective;
	row.kind = e->x->kind;
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
	for (size_t i = 1; i < n; i++)
		if (e[i].x->iterations.slowest_process != row.slowest_process)
			row.slowest_process = RESULT_UNKNOWN;
	return row;
}

/* Rows of a case's benchmark, one per operation. Entries with a count belong to
 * trainings and are left out. */
static struct collective_rows
benchmark_rows(const struct result_case *c, struct arena *a)
{
	struct collective_rows rows = { NULL };
	struct collective_entry *all = NULL;
	size_t n = 0;

	for (size_t r = 0; r < c->n_runs; r++)
		for (size_t k = 0; k < c->runs[r].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[r].collectives[k];

			if (x->count != RESULT_UNKNOWN)
				continue;
			all = arena_grow(a, all, n, sizeof *all);
			all[n] = (struct collective_entry){ x, n };
			n++;
		}
	rows.items = arena_calloc(a, n + 1, sizeof *rows.items);
	if (n > 1)
		qsort(all, n, sizeof *all, sort_entries);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
		     end < n && compare_entries(&all[i], &all[end]) == 0;)
			end++;
		rows.tests |= all[i].x->test > 1;
		rows.items[rows.n++] = row_of(&all[i], end - i, a);
	}
	return rows;
}

/* Rows of a case's training, by bins of sizes. */
static struct collective_rows
training_rows(const struct panel_point *at, struct arena *a)
{
	struct collective_bin bins[SIZE_BINS];
	struct collective_rows rows = { NULL };
	char label[SIZE_LABEL_SIZE];

	rows.n = collective_groups_by_size(at->c, bins, &rows.n_runs);
	rows.items = arena_calloc(a, rows.n + 1, sizeof *rows.items);
	for (size_t i = 0; i < rows.n; i++) {
		const struct collective_bin *b = &bins[i];
		struct collective_row *row = &rows.items[i];

		size_bin_label(b->bin, ", ", label);
		*row = no_row;
		row->size = arena_strdup(a, label);
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

/* While columns are chosen, the item is the struct collective_rows. */
static int
has_tests(const struct column_row *x)
{
	return ((const struct collective_rows *)x->item)->tests;
}

/* --- columns -------------------------------------------------------------- */

#define ROW(member) ITEM_MEMBER(struct collective_row, member)

static const struct column training_columns[] = {
	{ { "message size", "消息大小" }, .cell = CELL_TEXT, ROW(size) },
	{ { "count", "个数" }, .align = TABLE_RIGHT, .cell = CELL_EXACT,
	    ROW(count) },
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

static const struct column benchmark_columns[] = {
	{ { "test", "测试" }, .align = TABLE_RIGHT, .when = has_tests,
	    .cell = CELL_COUNT, ROW(test) },
	{ { "collective", "集合通信" }, .cell = CELL_TEXT, ROW(collective) },
	{ { "kind", "性质" }, .cell = CELL_TEXT, ROW(kind) },
	{ { "size", "大小" }, NULL, "B", TABLE_RIGHT, .cell = CELL_EXACT,
	    ROW(bytes) },
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
	    training ? training_columns : benchmark_columns;
	const struct panel p = { .keys = UINT64_MAX,
		.s = (const struct series *[]){ at->s },
		.n = 1 };
	const char *of = panel_title(set, &p, 0, lang);
	const struct collective_rows rows = training
	    ? training_rows(at, &set->arena)
	    : benchmark_rows(at->c, &set->arena);
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
	table_note(
	    x.t, "%s: %zu", message(MESSAGE_MEAN_OF_RUNS, lang), rows.n_runs);
	/* Whole runs are counted, so there is no window or interval. */
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

			if (!how->flat)
				add_case(set, &at, training, how, list);
			else if (training)
				rows = training_rows(&at, &set->arena);
			else
				rows = benchmark_rows(at.c, &set->arena);
			x.s = at.s;
			x.p = at.p;
			x.c = at.c;
			for (size_t i = 0; i < rows.n; i++) {
				x.item = &rows.items[i];
				columns_row(machine_columns, shown, &x);
			}
		}
}
