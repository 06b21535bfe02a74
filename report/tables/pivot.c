/* Tables with one case per cell: the comparison, with a column per series, and
 * pivot tables of any keys, where two cases in one cell are an error; and the
 * order of --sort. */
#include <config.h>

#include "report/tables/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_index.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

/* Keys of a topology, besides those of a series set. */
enum pivot_topology {
	PIVOT_NODES,
	PIVOT_GPUS,
	PIVOT_GPUS_PER_NODE,
	PIVOT_CASE,
	N_PIVOT_TOPOLOGY
};

static const struct {
	const char *name; /* of --rows and --columns */
	enum message head;
} topology[N_PIVOT_TOPOLOGY] = {
	[PIVOT_NODES] = { "nodes", MESSAGE_NODES },
	[PIVOT_GPUS] = { "gpus", MESSAGE_GPUS },
	[PIVOT_GPUS_PER_NODE] = { "gpus_per_node", MESSAGE_GPUS_PER_NODE },
	[PIVOT_CASE] = { "case", MESSAGE_CASE },
};

enum {
	GAP = 2,         /* between columns of a text */
	UNIT_WIDTH = 11, /* of a column with a unit */
	MOST_WIDTH = 64, /* of the series of a comparison, side by side */
	MOST_CASES = 8   /* in the columns of its rows of series */
};

/* A key is an index of the set's keys, or n_keys + enum pivot_topology; each is
 * used once. */
struct pivot {
	size_t rows[SERIES_MAX_KEYS + N_PIVOT_TOPOLOGY];
	size_t columns[SERIES_MAX_KEYS + N_PIVOT_TOPOLOGY];
	size_t n_rows, n_columns;
	int is_turned; /* 1: columns are named by their case alone, and the unit
	                  is in the head of the first one */
	size_t *values, n_values; /* indexes of numbers[], then of statistics[]
				   */
};

/* --- numbers -------------------------------------------------------------- */

/* Numbers of a case. --values accepts those with a head, --sort all. */
static const struct column numbers[] = {
	{ { "median", "中位数" }, "median", "", .cell = CELL_MEDIAN,
	    CASE_MEMBER(median_speed) },
	{ { "speedup", "加速比" }, "speedup", .cell = CELL_SPEEDUP,
	    CASE_MEMBER(speedup) },
	{ { "efficiency", "并行效率" }, "efficiency", "%", .cell = CELL_SHARE,
	    CASE_MEMBER(efficiency) },
	{ { "runs", "次数" }, "n", .cell = CELL_COUNT, CASE_MEMBER(n) },
	{ .key = "nodes", .cell = CELL_COUNT, CASE_MEMBER(nodes) },
	{ .key = "gpus", .cell = CELL_COUNT, CASE_MEMBER(gpus) },
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

static size_t
number_find(const char *name)
{
	size_t i = 0;

	while (i < N_NUMBERS && strcmp(numbers[i].key, name) != 0)
		i++;
	return i;
}

/* --- options -------------------------------------------------------------- */

/* Name of a key, as in --select. */
static const char *
key_name(const struct series_set *set, size_t key)
{
	return key < set->n_keys ? set->keys[key]
				 : topology[key - set->n_keys].name;
}

/* True if the key is used by the rows or columns. */
static int
is_used(const struct pivot *v, size_t key)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (v->rows[i] == key)
			return 1;
	for (size_t i = 0; i < v->n_columns; i++)
		if (v->columns[i] == key)
			return 1;
	return 0;
}

static int
read_keys(const struct pivot *v, struct series_set *set, const char *option,
    const char *text, size_t *keys, size_t *n, struct error *e)
{
	const size_t n_keys = set->n_keys + N_PIVOT_TOPOLOGY;
	char *at = arena_strdup(&set->arena, text);
	const char *all = "";

	for (char *name; (name = strsep(&at, ",")) != NULL;) {
		size_t key = 0;

		while (key < n_keys && strcmp(key_name(set, key), name) != 0)
			key++;
		for (size_t k = 0; key == n_keys && k < n_keys; k++)
			all = arena_printf(
			    &set->arena, "%s %s", all, key_name(set, k));
		if (key == n_keys)
			return error_set(e, ERROR_USAGE,
			    "--%s: no such key '%s'; there are:%.1000s", option,
			    name, all);
		if (is_used(v, key))
			return error_set(e, ERROR_USAGE,
			    "--%s: '%s' is named twice", option, name);
		keys[(*n)++] = key;
	}
	return 0;
}

static int
read_options(struct pivot *v, struct series_set *set,
    const struct report_how *how, struct error *e)
{
	const char *rows = how->pivot_rows, *columns = how->pivot_columns;
	const char *values = how->pivot_values;
	char *at, *name;

	/* The default of one option avoids the keys of the other. */
	if (rows == NULL)
		rows = columns != NULL &&
			(strstr(columns, "nodes") || strstr(columns, "gpus"))
		    ? "framework"
		    : "nodes,gpus";
	if (columns == NULL)
		columns =
		    strstr(rows, "framework") ? "nodes,gpus" : "framework";
	if (read_keys(v, set, "rows", rows, v->rows, &v->n_rows, e) != 0 ||
	    read_keys(
		v, set, "columns", columns, v->columns, &v->n_columns, e) != 0)
		return -1;
	at = arena_strdup(&set->arena, values != NULL ? values : "median");
	while ((name = strsep(&at, ",")) != NULL) {
		const struct statistic *s = statistic_find(name);
		size_t i = number_find(name);

		if (i == N_NUMBERS && s != NULL)
			i += (size_t)(s - statistics);
		else if (i == N_NUMBERS || numbers[i].head[LANGUAGE_EN] == NULL)
			return error_set(e, ERROR_USAGE,
			    "--values: '%s' is not median, speedup, "
			    "efficiency, n or one of --list-statistics",
			    name);
		v->values = arena_grow(
		    &set->arena, v->values, v->n_values, sizeof *v->values);
		v->values[v->n_values++] = i;
	}
	return 0;
}

/* --- values --------------------------------------------------------------- */

/* NULL: unknown */
static const char *
key_value(struct series_set *set, const struct panel_point *x, size_t key)
{
	const long counts[] = { [PIVOT_NODES] = x->c->nodes,
		[PIVOT_GPUS] = x->c->gpus,
		[PIVOT_GPUS_PER_NODE] = x->c->gpus_per_node };
	long count;

	if (key < set->n_keys)
		return x->s->values[key];
	if (key - set->n_keys == PIVOT_CASE)
		return x->c->name;
	count = counts[key - set->n_keys];
	return count == RESULT_UNKNOWN
	    ? NULL
	    : arena_printf(&set->arena, "%ld", count);
}

/* Points grouped by the values of keys: numbers by size, then words and unknown
 * values by first appearance. */
struct groups {
	size_t *of;                       /* [n_points] */
	const struct panel_point **first; /* [n] */
	size_t n;
};

static struct groups
group_points(struct series_set *set, const struct panel_point *points, size_t n,
    const size_t *keys, size_t n_keys)
{
	const long most = 1L << 40;
	struct arena *a = &set->arena;
	struct groups g = { arena_calloc(a, n + 1, sizeof *g.of),
		arena_calloc(a, n + 1, sizeof *g.first), 0 };
	const char **order = arena_calloc(a, n + 1, sizeof *order);
	const char **sorted = arena_calloc(a, n + 1, sizeof *sorted);
	const char **values = arena_calloc(a, n + 1, sizeof *values);
	struct hash_index known = HASH_INDEX_INIT;

	for (size_t i = 0; i < n; i++)
		order[i] = "";
	/* Make texts that sort in the order of the groups. */
	for (size_t k = 0; k < n_keys; k++, hash_index_release(&known))
		for (size_t i = 0; i < n; i++) {
			const char *v = key_value(set, &points[i], keys[k]);
			size_t first;
			long number;

			values[i] = v;
			first = hash_index_first(&known, values, i);
			if (v == NULL ||
			    whole_parse(v, strlen(v), 0, most, &number) !=
				UNITS_OK)
				number = most;
			order[i] = arena_printf(
			    a, "%s%013ld %016zx ", order[i], number, first);
		}
	memcpy(sorted, order, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, text_order_at);
	for (size_t i = 0; i < n; i++)
		if (g.n == 0 || strcmp(sorted[g.n - 1], sorted[i]) != 0)
			sorted[g.n++] = sorted[i];
	for (size_t i = n; i-- > 0;) {
		const char **found = bsearch(
		    &order[i], sorted, g.n, sizeof *sorted, text_order_at);

		g.of[i] = (size_t)(found - sorted);
		g.first[g.of[i]] = &points[i];
	}
	return g;
}

/* --- cells ---------------------------------------------------------------- */

/* Head of a column with the values of a key. */
static const char *
key_head(const struct series_set *set, size_t key, const struct report_how *how)
{
	if (how->flat)
		return key < set->n_keys ? series_key_column(set, key)
					 : key_name(set, key);
	return key < set->n_keys
	    ? keys_head(set, key, how->lang)
	    : message(topology[key - set->n_keys].head, how->lang);
}

/* True if the values of a key are numbers, or names of cases. */
static int
is_count(const struct series_set *set, size_t key)
{
	return key >= set->n_keys || key == SERIES_BATCH;
}

/* "PyTorch, batch 128 per device": the values of the column keys; of a
 * configuration only the keys in shown. */
static const char *
column_name(struct series_set *set, const struct pivot *v,
    const struct panel_point *x, uint64_t shown, const struct report_how *how)
{
	const enum language lang = how->flat ? LANGUAGE_EN : how->lang;
	const char *name =
	    shown != 0 ? series_text(set, x->s, shown, lang) : "";

	if (v->is_turned)
		return series_case_name(&set->arena, x->c, lang);
	for (size_t k = 0; k < v->n_columns; k++) {
		const char *value = key_value(set, x, v->columns[k]);

		if (v->columns[k] < set->n_keys)
			continue;
		if (value == NULL)
			value = message(MESSAGE_UNKNOWN, lang);
		name =
		    arena_join(&set->arena, name, message(MESSAGE_COMMA, lang),
			arena_join(&set->arena,
			    key_head(set, v->columns[k], how), " ", value));
	}
	if (name[0] != '\0')
		return name;
	return message(
	    series_is_published(x->s) ? MESSAGE_PUBLISHED : MESSAGE_MEASURED,
	    lang);
}

static void
add_columns(struct series_set *set, const struct pivot *v,
    const struct groups *columns, uint64_t shown, const struct report_how *how,
    struct table *t)
{
	for (size_t i = 0; i < v->n_rows; i++)
		table_column(t, key_head(set, v->rows[i], how),
		    v->is_turned && i == 0 ? columns->first[0]->c->unit : NULL,
		    is_count(set, v->rows[i]) ? TABLE_RIGHT : TABLE_LEFT);
	for (size_t i = 0; i < columns->n; i++) {
		const struct panel_point *x = columns->first[i];
		const char *keys = column_name(set, v, x, shown, how);

		for (size_t k = 0; k < v->n_values; k++) {
			const size_t value = v->values[k];
			const int of_runs = value >= N_NUMBERS;
			const struct column *own =
			    &numbers[of_runs ? 0 : value];
			const struct statistic *s =
			    &statistics[of_runs ? value - N_NUMBERS : 0];
			const char *name = of_runs ? s->name
			    : how->flat            ? own->key
						   : own->head[how->lang];
			const int in_unit =
			    of_runs ? s->has_unit : text_same(own->unit, "");

			if (v->n_values > 1)
				name = arena_join(&set->arena, keys,
				    message(MESSAGE_COMMA, how->lang), name);
			table_column(t, v->n_values > 1 ? name : keys,
			    how->flat || v->is_turned ? NULL
				: in_unit             ? x->c->unit
				: of_runs             ? NULL
						      : own->unit,
			    TABLE_DECIMAL);
		}
	}
	if (how->flat)
		measured_columns_add(t);
}

/* Put a number of a case, or a statistic of its runs. */
static void
put_value(struct table *t, const struct report_how *how,
    const struct panel_point *at, size_t value, struct case_flags *flags)
{
	const struct statistic *s;
	double *x, number;
	size_t n = 0;

	if (at == NULL) {
		table_cell(t, how->flat ? "" : "-");
		return;
	}
	if (value == 0 && !how->flat) {
		cell_value(t, how, at->p,
		    case_flags_marks(flags, at->c, ALL_FLAGS, NULL, &t->arena));
		return;
	}
	if (value < N_NUMBERS) {
		column_put(&(struct column_row){ .t = t,
		    .how = how,
		    .p = at->p,
		    .c = at->c,
		    .column = &numbers[value] });
		return;
	}
	s = &statistics[value - N_NUMBERS];
	x = arena_calloc(&t->arena, at->c->n_runs, sizeof *x);
	for (size_t i = 0; i < at->c->n_runs; i++)
		if (isfinite(at->c->runs[i].value))
			x[n++] = at->c->runs[i].value;
	number = n > 0 ? statistic_of(s, x, n) : NAN;
	if (s->has_unit)
		cell_number(t, how, at->p, number);
	else
		cell_ratio(t, how, number);
}

/* The cells of a table, row by row; NULL if two cases share one. */
static const struct panel_point **
make_cells(struct arena *a, const struct panel_point *all, size_t n,
    const struct groups *rows, const struct groups *columns, struct error *e)
{
	const struct panel_point **cells =
	    arena_calloc(a, rows->n * columns->n + 1, sizeof *cells);
	char first[SERIES_PLACE_SIZE], second[SERIES_PLACE_SIZE];

	for (size_t i = 0; i < n; i++) {
		const struct panel_point **cell =
		    &cells[rows->of[i] * columns->n + columns->of[i]];

		if (*cell != NULL) {
			error_set(e, ERROR_INPUT,
			    "%s and %s fall into one cell: add keys to --rows "
			    "or --columns (case, nodes, gpus), or choose by "
			    "--select",
			    series_point_place(first, (*cell)->p),
			    series_point_place(second, all[i].p));
			return NULL;
		}
		*cell = &all[i];
	}
	return cells;
}

/* The mask of those keys that belong to a configuration. */
static uint64_t
mask_of(const struct series_set *set, const size_t *keys, size_t n)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < n; i++)
		if (keys[i] < set->n_keys)
			mask |= SERIES_BIT(keys[i]);
	return mask;
}

/* Fill the table of a panel. Returns 0, or -1 if two cases share a cell. */
static int
make_table(struct series_set *set, const struct pivot *v, const struct panel *p,
    const struct report_how *how, struct table *t, struct error *e)
{
	const uint64_t of_columns = mask_of(set, v->columns, v->n_columns);
	const uint64_t framework = of_columns & SERIES_BIT(SERIES_FRAMEWORK);
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	struct panel_point *all = NULL;
	const struct panel_point **cells;
	struct groups rows, columns;
	struct panel_point *cases;
	enum notes_of of = NOTES_SPEEDS;
	uint64_t shown;
	size_t n = 0;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		all = arena_grow(&set->arena, all, n, sizeof *all);
		all[n++] = x;
	}
	rows = group_points(set, all, n, v->rows, v->n_rows);
	columns = group_points(set, all, n, v->columns, v->n_columns);
	cells = make_cells(&set->arena, all, n, &rows, &columns, e);
	if (cells == NULL)
		return -1;
	/* What all columns share is in the title, except for the name of a
	 * single column. */
	shown = of_columns & p->differing & ~SERIES_BIT(SERIES_UNIT);
	if (shown == 0)
		shown = framework != 0 ? framework : of_columns;
	if (!how->flat)
		table_title(t, "%s",
		    panel_title(set, p,
			shown | mask_of(set, v->rows, v->n_rows), how->lang));
	add_columns(set, v, &columns, shown, how, t);
	cases = arena_calloc(&set->arena, columns.n + 1, sizeof *cases);
	for (size_t r = 0; r < rows.n; r++) {
		size_t n_cases = 0;

		table_row(t);
		for (size_t i = 0; i < v->n_rows; i++) {
			const char *value =
			    key_value(set, rows.first[r], v->rows[i]);
			const int count = is_count(set, v->rows[i]);

			table_cell(t,
			    value == NULL && count && !how->flat ? "n/a"
								 : value);
			table_last_cell(t)->is_numeric = count;
		}
		for (size_t i = 0; i < columns.n; i++) {
			const struct panel_point *at = cells[r * columns.n + i];

			if (at != NULL)
				cases[n_cases++] = *at;
			for (size_t k = 0; k < v->n_values; k++)
				put_value(t, how, at, v->values[k], &flags);
		}
		if (how->flat)
			measured_columns_fill(t, cases, n_cases);
	}
	for (size_t k = 0; k < v->n_values; k++)
		if (v->values[k] < N_NUMBERS &&
		    numbers[v->values[k]].cell != CELL_MEDIAN &&
		    numbers[v->values[k]].cell != CELL_COUNT)
			of = NOTES_SPEEDUPS;
	notes_flags(t, &flags);
	notes_measured(set, t, p, of, how);
	case_flags_release(&flags);
	return 0;
}

int
pivot_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list, struct error *e)
{
	/* With --allow-mixed rules and units are in one table, and noted. */
	const uint64_t mixed =
	    how->comparison_how != NULL && how->comparison_how->allow_mixed
	    ? SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_UNIT)
	    : 0;
	struct pivot v = { .n_rows = 0 };
	uint64_t keys = set->differing & ~mixed;
	struct panel_list panels;

	if (read_options(&v, set, how, e) != 0)
		return -1;
	keys &= ~mask_of(set, v.rows, v.n_rows) &
	    ~mask_of(set, v.columns, v.n_columns);
	/* A flat table is one table: keys that would split it are columns. */
	for (size_t k = set->n_keys; how->flat && k-- > 0;)
		if (keys & SERIES_BIT(k))
			v.rows[v.n_rows++] = k;
	panels = panel_split(set, how->flat ? 0 : keys);
	for (size_t i = 0; i < panels.n; i++)
		if (make_table(set, &v, &panels.items[i], how,
			report_tables_add(list), e) != 0)
			return -1;
	return 0;
}

/* The end of the series of a panel, starting at `from`, that fit side by side;
 * at least one does. */
static size_t
end_of_line(struct series_set *set, const struct panel *p, size_t from,
    enum language lang)
{
	size_t width = 0, end = from;

	for (; end < p->n; end++) {
		const size_t own =
		    utf8_columns(panel_series_name(set, p, end, lang));

		width += GAP + (own > UNIT_WIDTH ? own : UNIT_WIDTH);
		if (end > from && width > MOST_WIDTH)
			break;
	}
	return end;
}

/* One row per topology, one column per series. In text and LaTeX, whose lines
 * have a width, many series become rows, or several tables with many cases. */
void
comparison_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel_list panels = panel_split(set, PANEL_KEYS);
	const int has_width =
	    how->format == &table_text || how->format == &table_latex;
	size_t median = 0;
	struct pivot v = { .values = &median, .n_values = 1 }, turned = v;

	if (how->flat) {
		case_tables_make(set, &scaling_table, how, list);
		return;
	}
	v.rows[v.n_rows++] = set->n_keys + PIVOT_NODES;
	v.rows[v.n_rows++] = set->n_keys + PIVOT_GPUS;
	/* Without counts the names of cases set them apart. */
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);)
		if (x.c->gpus == RESULT_UNKNOWN && v.n_rows == 2)
			v.rows[v.n_rows++] = set->n_keys + PIVOT_CASE;
	turned.is_turned = 1;
	memcpy(turned.columns, v.rows, sizeof v.rows);
	turned.n_columns = v.n_rows;
	for (size_t k = 0; k < set->n_keys; k++) {
		const uint64_t key = SERIES_BIT(k) & ~PANEL_KEYS;

		if (key & (set->differing | SERIES_BIT(SERIES_FRAMEWORK)))
			v.columns[v.n_columns++] = k;
		if (key & set->differing)
			turned.rows[turned.n_rows++] = k;
	}
	for (const struct panel *p = panels.items; p < panels.items + panels.n;
	     p++)
		for (size_t from = 0, end; from < p->n; from = end) {
			const struct pivot *form = &v;
			struct panel part = *p;

			end = has_width ? end_of_line(set, p, from, how->lang)
					: p->n;
			if (from == 0 && end < p->n &&
			    p->s[0]->n_points <= MOST_CASES &&
			    !(p->differing & SERIES_BIT(SERIES_UNIT))) {
				form = &turned;
				end = p->n;
			}
			part.s += from;
			part.n = end - from;
			make_table(set, form, &part, how,
			    report_tables_add(list), NULL);
		}
	if (list->n > 0)
		notes_origins(&list->items[list->n - 1], set, how->lang);
}

/* --- --sort --------------------------------------------------------------- */

/* A point, and its place before sorting. */
struct sorted_point {
	struct series_point p;
	double by; /* ascending */
	size_t place;
};

static int
compare_points(const void *pa, const void *pb)
{
	const struct sorted_point *a = pa, *b = pb;
	const int order = (a->by > b->by) - (a->by < b->by);

	return order != 0 ? order
			  : (a->place > b->place) - (a->place < b->place);
}

int
pivot_sort(struct series_set *set, const char *by, struct error *e)
{
	const int down = by[0] == '-';
	const size_t key = number_find(by + down);

	if (key == N_NUMBERS)
		return error_set(e, ERROR_USAGE,
		    "--sort: '%s' is not median, speedup, efficiency, n, nodes "
		    "or gpus, with '-' before it for descending order",
		    by);
	for (struct series *s = set->items; s < set->items + set->n; s++) {
		struct sorted_point *points =
		    arena_calloc(&set->arena, s->n_points + 1, sizeof *points);

		for (size_t i = 0; i < s->n_points; i++) {
			const double x = column_number(&(struct column_row){
			    .c = s->points[i].c, .column = &numbers[key] });

			/* Unknown values are last. */
			points[i] = (struct sorted_point){ s->points[i],
				isnan(x)   ? INFINITY
				    : down ? -x
					   : x,
				i };
		}
		qsort(points, s->n_points, sizeof *points, compare_points);
		for (size_t i = 0; i < s->n_points; i++)
			s->points[i] = points[i].p;
	}
	return 0;
}
