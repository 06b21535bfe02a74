/* Pivot tables: each cell is one case; two cases in one cell are an error. */
#include <config.h>

#include "report/tables/report_makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_index.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"

/* Keys of a topology, besides those of a series set. */
enum pivot_topology {
	PIVOT_NODES,
	PIVOT_GPUS,
	PIVOT_GPUS_PER_NODE,
	PIVOT_CASE,
	N_PIVOT_TOPOLOGY
};

enum { PIVOT_MAX_KEYS = 16, PIVOT_MAX_VALUES = 8 };

/* A key is an index of the set's keys, or n_keys + enum pivot_topology. */
struct pivot {
	size_t rows[PIVOT_MAX_KEYS], columns[PIVOT_MAX_KEYS];
	size_t n_rows, n_columns;
	int values[PIVOT_MAX_VALUES]; /* index in the list of numbers */
	size_t n_values;
};

static const char *const topology_names[N_PIVOT_TOPOLOGY] = { "nodes", "gpus",
	"gpus_per_node", "case" };

/* --- numbers -------------------------------------------------------------- */

/* Numbers of a case. --values takes the first ones, --sort takes all. */
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

static int
number_find(const char *name)
{
	for (int i = 0; i < N_NUMBERS; i++)
		if (strcmp(numbers[i].key, name) == 0)
			return i;
	return -1;
}

/* Put a number of the list above, or the statistic of the case's runs that
 * follows it. */
static void
put_value(struct table *t, const struct report_how *how,
    const struct series_point *p, int value)
{
	const struct statistic *s = &statistics[value - N_NUMBERS];
	double *x, number;
	size_t n = 0;

	if (value < N_NUMBERS) {
		column_put(&(struct column_row){ .t = t,
		    .how = how,
		    .p = p,
		    .c = p->c,
		    .column = &numbers[value] });
		return;
	}
	x = arena_calloc(&t->arena, p->c->n_runs, sizeof *x);
	for (size_t i = 0; i < p->c->n_runs; i++)
		if (isfinite(p->c->runs[i].value))
			x[n++] = p->c->runs[i].value;
	number = n > 0 ? statistic_of(s, x, n) : NAN;
	if (s->has_unit)
		cell_number(t, how, p, number);
	else
		cell_ratio(t, how, number);
}

/* --- options -------------------------------------------------------------- */

/* Name of a key, as in --select. */
static const char *
key_name(const struct series_set *set, size_t key)
{
	return key < set->n_keys ? set->keys[key]
				 : topology_names[key - set->n_keys];
}

/* True if the key is of rows or columns. */
static int
is_used(const struct pivot *p, size_t key)
{
	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i] == key)
			return 1;
	for (size_t i = 0; i < p->n_columns; i++)
		if (p->columns[i] == key)
			return 1;
	return 0;
}

static int
read_keys(struct pivot *p, struct series_set *set, const char *option,
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
		if (is_used(p, key))
			return error_set(e, ERROR_USAGE,
			    "--%s: '%s' is named twice", option, name);
		if (*n == PIVOT_MAX_KEYS)
			return error_set(e, ERROR_LIMIT,
			    "--%s: more than %d keys", option, PIVOT_MAX_KEYS);
		keys[(*n)++] = key;
	}
	return 0;
}

/* True if the key is in a list separated by commas. */
static int
names_key(const char *keys, const char *key)
{
	const size_t len = strlen(key);

	for (; keys != NULL; keys = strchr(keys, ',')) {
		keys += keys[0] == ',';
		if (strcspn(keys, ",") == len && memcmp(keys, key, len) == 0)
			return 1;
	}
	return 0;
}

static int
read_options(struct pivot *p, struct series_set *set,
    const struct report_how *how, struct error *e)
{
	const char *rows = how->pivot_rows, *columns = how->pivot_columns;
	const char *values = how->pivot_values;
	char *at, *name;

	/* Default for rows or columns, depending on the other. */
	if (rows == NULL || rows[0] == '\0')
		rows = names_key(columns, "nodes") || names_key(columns, "gpus")
		    ? "framework"
		    : "nodes,gpus";
	if (columns == NULL || columns[0] == '\0')
		columns =
		    names_key(rows, "framework") ? "nodes,gpus" : "framework";
	if (read_keys(p, set, "rows", rows, p->rows, &p->n_rows, e) != 0 ||
	    read_keys(
		p, set, "columns", columns, p->columns, &p->n_columns, e) != 0)
		return -1;
	at = arena_strdup(&set->arena, values != NULL ? values : "median");
	while ((name = strsep(&at, ",")) != NULL) {
		const struct statistic *s = statistic_find(name);
		int i = number_find(name);

		/* Number of a case by name: those above, then statistics of
		 * runs; statistics of steps or of two cases are rejected. */
		if (i < 0 && s != NULL)
			i = N_NUMBERS + (int)(s - statistics);
		if (i < 0 ||
		    (i < N_NUMBERS && numbers[i].head[LANGUAGE_EN] == NULL))
			return error_set(e, ERROR_USAGE,
			    "--values: '%s' is not median, speedup, "
			    "efficiency, n or one of --list-statistics",
			    name);
		if (p->n_values == PIVOT_MAX_VALUES)
			return error_set(e, ERROR_LIMIT,
			    "--values: more than %d", PIVOT_MAX_VALUES);
		p->values[p->n_values++] = i;
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

/* Points grouped by the values of keys: numbers by size, then words by first
 * appearance, unknown values last. */
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
	/* Texts whose order is that of the groups. */
	for (size_t k = 0; k < n_keys; k++, hash_index_release(&known))
		for (size_t i = 0; i < n; i++) {
			const char *v = key_value(set, &points[i], keys[k]);
			size_t first;
			long number;

			values[i] = v;
			first = hash_index_first(&known, values, i);
			if (v != NULL &&
			    whole_parse(v, strlen(v), 0, most, &number) ==
				UNITS_OK)
				order[i] = arena_printf(a, "%s0 %013ld %016zx ",
				    order[i], number, first);
			else
				order[i] = arena_printf(a, "%s%d %016zx ",
				    order[i], v == NULL ? 2 : 1, first);
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
	static const enum message names[SERIES_LABELS + N_PIVOT_TOPOLOGY] = {
		[SERIES_FRAMEWORK] = MESSAGE_FRAMEWORK,
		[SERIES_MODEL] = MESSAGE_MODEL,
		[SERIES_PRECISION] = MESSAGE_PRECISION,
		[SERIES_BATCH] = MESSAGE_BATCH,
		[SERIES_GLOBAL_BATCH] = MESSAGE_GLOBAL_BATCH,
		[SERIES_UNIT] = MESSAGE_UNIT,
		[SERIES_RULE] = MESSAGE_RULE,
		[SERIES_KIND] = MESSAGE_KIND,
		[SERIES_SOURCE] = MESSAGE_SOURCE,
		[SERIES_LABELS + PIVOT_NODES] = MESSAGE_NODES,
		[SERIES_LABELS + PIVOT_GPUS] = MESSAGE_GPUS,
		[SERIES_LABELS + PIVOT_GPUS_PER_NODE] = MESSAGE_GPUS_PER_NODE,
		[SERIES_LABELS + PIVOT_CASE] = MESSAGE_CASE,
	};
	const int is_label =
	    key == SERIES_WORK || (key >= SERIES_LABELS && key < set->n_keys);

	if (how->flat)
		return key < set->n_keys ? series_key_column(set, key)
					 : key_name(set, key);
	if (is_label)
		return message_label(set->keys[key], how->lang);
	return message(
	    names[key < set->n_keys ? key : key - set->n_keys + SERIES_LABELS],
	    how->lang);
}

/* True if the values of a key are numbers, or names of cases. */
static int
is_count(const struct series_set *set, size_t key)
{
	return key >= set->n_keys || key == SERIES_BATCH;
}

static void
add_columns(struct series_set *set, const struct pivot *p,
    const struct groups *columns, const struct report_how *how, struct table *t)
{
	const char *comma = message(MESSAGE_COMMA, how->lang);
	struct arena *a = &set->arena;

	for (size_t i = 0; i < p->n_rows; i++)
		table_column(t, key_head(set, p->rows[i], how), NULL,
		    is_count(set, p->rows[i]) ? TABLE_RIGHT : TABLE_LEFT);
	for (size_t i = 0; i < columns->n; i++) {
		const struct panel_point *x = columns->first[i];
		const char *keys = "";

		/* "PyTorch, 128". A framework's name needs no key. */
		for (size_t k = 0; k < p->n_columns; k++) {
			const char *v = key_value(set, x, p->columns[k]);

			if (v == NULL)
				v = message(MESSAGE_UNKNOWN, how->lang);
			if (p->columns[k] != SERIES_FRAMEWORK)
				v = arena_join(a,
				    key_head(set, p->columns[k], how), " ", v);
			keys = arena_join(a, keys, comma, v);
		}
		for (size_t k = 0; k < p->n_values; k++) {
			const int value = p->values[k];
			const char *unit, *name;

			if (value >= N_NUMBERS) {
				name = statistics[value - N_NUMBERS].name;
				unit = statistics[value - N_NUMBERS].has_unit
				    ? x->c->unit
				    : NULL;
			} else {
				name = how->flat
				    ? numbers[value].key
				    : numbers[value].head[how->lang];
				unit = text_same(numbers[value].unit, "")
				    ? x->c->unit
				    : numbers[value].unit;
			}
			table_column(t,
			    p->n_values == 1 ? keys
					     : arena_join(a, keys, comma, name),
			    how->flat ? NULL : unit, TABLE_DECIMAL);
		}
	}
	if (how->flat)
		measured_columns_add(t);
}

/* The notes that the numbers of the table need. */
static enum notes_of
notes_for(const struct pivot *p)
{
	for (size_t k = 0; k < p->n_values; k++)
		if (p->values[k] < N_NUMBERS &&
		    numbers[p->values[k]].cell != CELL_MEDIAN &&
		    numbers[p->values[k]].cell != CELL_COUNT)
			return NOTES_SPEEDUPS;
	return NOTES_SPEEDS;
}

/* Fill the table of these points. Returns 0, or -1 if two share a cell. */
static int
make_table(struct series_set *set, const struct pivot *p,
    const struct panel_point *all, size_t n, const struct report_how *how,
    struct table *t, struct error *e)
{
	struct arena *a = &set->arena;
	const struct groups rows =
	    group_points(set, all, n, p->rows, p->n_rows);
	const struct groups columns =
	    group_points(set, all, n, p->columns, p->n_columns);
	const struct panel_point **cells =
	    arena_calloc(a, rows.n * columns.n + 1, sizeof *cells);
	struct measured_case *cases =
	    arena_calloc(a, columns.n + 1, sizeof *cases);
	struct panel panel = { .s = arena_calloc(a, n + 1, sizeof *panel.s) };
	const struct panel_point *twice = NULL;
	size_t where = 0;
	uint64_t used = 0;

	/* The points come series by series. */
	for (size_t i = 0; i < n; i++) {
		const size_t at = rows.of[i] * columns.n + columns.of[i];

		if (i == 0 || all[i].s != all[i - 1].s)
			panel.s[panel.n++] = all[i].s;
		if (cells[at] == NULL) {
			cells[at] = &all[i];
		} else if (twice == NULL || at <= where) {
			twice = &all[i];
			where = at;
		}
	}
	if (twice != NULL) {
		char first[SERIES_PLACE_SIZE], second[SERIES_PLACE_SIZE];

		return error_set(e, ERROR_INPUT,
		    "%s and %s fall into one cell: add keys to --rows or "
		    "--columns (case, nodes, gpus), or choose by --select",
		    series_point_place(first, cells[where]->p),
		    series_point_place(second, twice->p));
	}
	panel.differing = series_differing(panel.s, panel.n);
	for (size_t key = 0; key < set->n_keys; key++)
		if (is_used(p, key))
			used |= SERIES_BIT(key);
	if (!how->flat)
		table_title(t, "%s", panel_title(set, &panel, used, how->lang));
	add_columns(set, p, &columns, how, t);
	for (size_t r = 0; r < rows.n; r++) {
		size_t n_cases = 0;

		table_row(t);
		for (size_t i = 0; i < p->n_rows; i++) {
			table_cell(
			    t, key_value(set, rows.first[r], p->rows[i]));
			if (is_count(set, p->rows[i]))
				table_last_cell(t)->is_numeric = 1;
		}
		for (size_t i = 0; i < columns.n; i++) {
			const struct panel_point *at = cells[r * columns.n + i];

			if (at != NULL)
				cases[n_cases++] = keys_measured(at->s, at->p);
			for (size_t k = 0; k < p->n_values; k++)
				if (at != NULL)
					put_value(t, how, at->p, p->values[k]);
				else
					table_cell(t, how->flat ? "" : "-");
		}
		if (how->flat)
			measured_columns_fill(t, cases, n_cases);
	}
	notes_measured(set, t, &panel, notes_for(p), how);
	return 0;
}

int
pivot_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list, struct error *e)
{
	struct pivot p = { .n_rows = 0 };
	/* With --allow-mixed rules and units are in one table, and noted. */
	const uint64_t mixed =
	    how->comparison_how != NULL && how->comparison_how->allow_mixed
	    ? SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_UNIT)
	    : 0;
	size_t keys[SERIES_MAX_KEYS], n_keys = 0, n = 0;
	struct panel_point *all = NULL, *own;
	struct groups tables;

	if (read_options(&p, set, how, e) != 0)
		return -1;
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);) {
		all = arena_grow(&set->arena, all, n, sizeof *all);
		all[n++] = x;
	}
	own = arena_calloc(&set->arena, n + 1, sizeof *own);
	for (size_t k = 0; k < set->n_keys; k++)
		if ((set->differing & ~mixed & SERIES_BIT(k)) &&
		    !is_used(&p, k))
			keys[n_keys++] = k;
	/* A flat table is one table: keys that would split it are columns. */
	while (how->flat && n_keys > 0 && p.n_rows < PIVOT_MAX_KEYS)
		p.rows[p.n_rows++] = keys[--n_keys];
	tables = group_points(set, all, n, keys, n_keys);
	for (size_t i = 0; i < tables.n; i++) {
		size_t n_own = 0;

		for (size_t k = 0; k < n; k++)
			if (tables.of[k] == i)
				own[n_own++] = all[k];
		if (make_table(set, &p, own, n_own, how,
			report_tables_add(list), e) != 0)
			return -1;
	}
	return 0;
}

/* --- --sort --------------------------------------------------------------- */

/* NAN where it is unknown. */
static double
number_of(const struct column *number, const struct result_case *c)
{
	const void *member = (const char *)c + number->at;

	if (number->cell != CELL_COUNT)
		return *(const double *)member;
	return *(const long *)member == RESULT_UNKNOWN
	    ? NAN
	    : (double)*(const long *)member;
}

int
pivot_sort(struct series_set *set, const char *by, struct error *e)
{
	const int down = by[0] == '-';
	const int key = number_find(by + down);

	if (key < 0)
		return error_set(e, ERROR_USAGE,
		    "--sort: '%s' is not median, speedup, efficiency, n, nodes "
		    "or gpus, with '-' before it for descending order",
		    by);
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->items[i];

		/* A stable insertion sort: there are few points. */
		for (size_t k = 1; k < s->n_points; k++) {
			const struct series_point p = s->points[k];
			const double x = number_of(&numbers[key], p.c);
			size_t at = k;

			for (; at > 0; at--) {
				const double y = number_of(
				    &numbers[key], s->points[at - 1].c);

				/* Unknown values are last. */
				if (isnan(x) ||
				    (!isnan(y) && (down ? x <= y : x >= y)))
					break;
				s->points[at] = s->points[at - 1];
			}
			s->points[at] = p;
		}
	}
	return 0;
}
