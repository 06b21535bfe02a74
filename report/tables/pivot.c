/* Pivot tables: each cell is one case; two cases in one cell are an error. */
#include <config.h>

#include "report/tables/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"

static const char *const topology_names[N_PIVOT_TOPOLOGY] = { "nodes", "gpus",
	"gpus_per_node", "case" };

/* --- numbers -------------------------------------------------------------- */

static void
put_median(const struct column_row *x)
{
	cell_value(x->t, x->how, x->p);
}

static void
put_speedup(const struct column_row *x)
{
	cell_speedup(x->t, x->how, x->p, x->c->speedup);
}

/* Numbers of a case. --values takes the first ones, --sort takes all. */
static const struct column numbers[] = {
	{ { "median", "中位数" }, "median", "", .cell = CELL_PUT,
	    .put = put_median, CASE_MEMBER(median_speed) },
	{ { "speedup", "加速比" }, "speedup", .cell = CELL_PUT,
	    .put = put_speedup, CASE_MEMBER(speedup) },
	{ { "efficiency", "并行效率" }, "efficiency", "%", .cell = CELL_SHARE,
	    CASE_MEMBER(efficiency) },
	{ { "runs", "次数" }, "n", .cell = CELL_COUNT, CASE_MEMBER(n) },
	{ .key = "nodes", .cell = CELL_COUNT, CASE_MEMBER(nodes) },
	{ .key = "gpus", .cell = CELL_COUNT, CASE_MEMBER(gpus) },
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

static int
is_word(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && memcmp(word, text, len) == 0;
}

static int
number_find(const char *name, size_t len)
{
	for (int i = 0; i < N_NUMBERS; i++)
		if (is_word(numbers[i].key, name, len))
			return i;
	return -1;
}

/* A statistic of the case's runs; numbers follow those above. */
static const struct statistic *
statistic_at(int value)
{
	return value >= N_NUMBERS ? &statistics[value - N_NUMBERS] : NULL;
}

static void
put_statistic(struct table *t, const struct report_how *how,
    const struct series_point *p, const struct statistic *s)
{
	double *x = xcalloc(p->c->n_runs + 1, sizeof *x), value;
	size_t n = 0;

	for (size_t i = 0; i < p->c->n_runs; i++)
		if (isfinite(p->c->runs[i].value))
			x[n++] = p->c->runs[i].value;
	value = n > 0 ? statistic_of(s, x, n) : NAN;
	if (s->has_unit)
		cell_number(t, how, p, value);
	else
		cell_ratio(t, how, value);
	free(x);
}

static void
put_value(struct table *t, const struct report_how *how,
    const struct series_point *p, int value)
{
	const struct statistic *s = statistic_at(value);

	if (s != NULL)
		put_statistic(t, how, p, s);
	else
		column_put(&(struct column_row){ .t = t,
		    .how = how,
		    .p = p,
		    .c = p->c,
		    .column = &numbers[value] });
}

/* "": the unit of the case; NULL: none. */
static const char *
value_unit(int value)
{
	const struct statistic *s = statistic_at(value);

	if (s != NULL)
		return s->has_unit ? "" : NULL;
	return numbers[value].unit;
}

static const char *
value_name(int value, const struct report_how *how)
{
	const struct statistic *s = statistic_at(value);

	if (s != NULL)
		return s->name;
	return how->flat ? numbers[value].key : numbers[value].head[how->lang];
}

/* --- options -------------------------------------------------------------- */

/* Name of a key, as in --select. */
static const char *
key_name(const struct series_set *set, size_t key)
{
	return key < set->n_keys ? set->keys[key]
				 : topology_names[key - set->n_keys];
}

static int
is_among(const size_t *keys, size_t n, size_t key)
{
	for (size_t i = 0; i < n; i++)
		if (keys[i] == key)
			return 1;
	return 0;
}

static int
no_such_key(const char *option, const struct series_set *set, const char *name,
    size_t len, struct error *e)
{
	struct strbuf all;

	strbuf_init(&all, 1000);
	for (size_t k = 0; k < set->n_keys + N_PIVOT_TOPOLOGY && !all.full; k++)
		strbuf_printf(&all, " %s", key_name(set, k));
	error_set(e, ERROR_USAGE, "--%s: no such key '%.*s'; there are:%s",
	    option, (int)len, name, all.buf);
	strbuf_release(&all);
	return -1;
}

static int
read_keys(struct pivot *p, const struct series_set *set, const char *option,
    const char *text, size_t *keys, size_t *n, struct error *e)
{
	const size_t n_keys = set->n_keys + N_PIVOT_TOPOLOGY;

	*n = 0;
	for (const char *at = text;;) {
		const size_t len = strcspn(at, ",");
		size_t key = 0;

		while (key < n_keys && !is_word(key_name(set, key), at, len))
			key++;
		if (key == n_keys)
			return no_such_key(option, set, at, len, e);
		if (is_among(p->rows, p->n_rows, key) ||
		    is_among(p->columns, p->n_columns, key) ||
		    is_among(keys, *n, key))
			return error_set(e, ERROR_USAGE,
			    "--%s: '%.*s' is named twice", option, (int)len,
			    at);
		if (*n == PIVOT_MAX_KEYS)
			return error_set(e, ERROR_LIMIT,
			    "--%s: more than %d keys", option, PIVOT_MAX_KEYS);
		keys[(*n)++] = key;
		if (at[len] == '\0')
			return 0;
		at += len + 1;
	}
}

static int
read_values(struct pivot *p, const char *text, struct error *e)
{
	for (const char *at = text;;) {
		const size_t len = strcspn(at, ",");
		const struct statistic *s = statistic_find(at, len);
		int i = number_find(at, len);

		/* Number of a case by name: those above, then statistics of
		 * runs; statistics of steps or of two cases are rejected. */
		if (i < 0 && s != NULL && s->sample == STATISTIC_OF_RUNS)
			i = N_NUMBERS + (int)(s - statistics);
		if (i < 0 ||
		    (i < N_NUMBERS && numbers[i].head[LANGUAGE_EN] == NULL))
			return error_set(e, ERROR_USAGE,
			    "--values: '%.*s' is no number of a case: median, "
			    "speedup, efficiency, n, or of the runs "
			    "in --list-statistics",
			    (int)len, at);
		if (p->n_values == PIVOT_MAX_VALUES)
			return error_set(e, ERROR_LIMIT,
			    "--values: more than %d", PIVOT_MAX_VALUES);
		p->values[p->n_values++] = i;
		if (at[len] == '\0')
			return 0;
		at += len + 1;
	}
}

/* True if the key is in a list separated by commas. */
static int
names_key(const char *keys, const char *key)
{
	for (const char *at = keys; at != NULL && *at != '\0';) {
		const size_t n = strcspn(at, ",");

		if (is_word(key, at, n))
			return 1;
		at += n + (at[n] == ',');
	}
	return 0;
}

int
pivot_init(struct pivot *p, const struct series_set *set, const char *rows,
    const char *columns, const char *values, struct error *e)
{
	memset(p, 0, sizeof *p);
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
	return read_values(p, values != NULL ? values : "median", e);
}

/* --- values --------------------------------------------------------------- */

/* A count of the case, or RESULT_UNKNOWN.
 *
 * key  of enum pivot_topology, except PIVOT_CASE */
static long
topology_count(const struct result_case *c, size_t key)
{
	return key == PIVOT_NODES ? c->nodes
	    : key == PIVOT_GPUS   ? c->gpus
				  : c->gpus_per_node;
}

static int
is_count(const struct series_set *set, size_t key)
{
	return key >= set->n_keys && key - set->n_keys != PIVOT_CASE;
}

static const char *
key_value(struct series_set *set, const struct panel_point *x, size_t key)
{
	long count;

	if (key < set->n_keys)
		return x->s->values[key];
	if (!is_count(set, key))
		return x->c->name;
	count = topology_count(x->c, key - set->n_keys);
	return count == RESULT_UNKNOWN
	    ? NULL
	    : arena_printf(&set->arena, "%ld", count);
}

/* Compare counts as numbers, without formatting them. */
static int
values_same(struct series_set *set, const struct panel_point *a,
    const struct panel_point *b, size_t key)
{
	if (is_count(set, key))
		return topology_count(a->c, key - set->n_keys) ==
		    topology_count(b->c, key - set->n_keys);
	return text_same(key_value(set, a, key), key_value(set, b, key));
}

static int
points_agree(struct series_set *set, const struct panel_point *a,
    const struct panel_point *b, const size_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!values_same(set, a, b, keys[i]))
			return 0;
	return 1;
}

/* --- order ---------------------------------------------------------------- */

/* Rank of a key's value among all cases: numbers by size, then words by first
 * appearance, unknown values last. */
struct pivot_rank {
	enum { RANK_NUMBER, RANK_WORD, RANK_UNKNOWN } kind;
	long number;  /* value for RANK_NUMBER */
	size_t first; /* first case with the value */
};

/* A case with the ranks of its values. */
struct ranked_point {
	const struct panel_point *point;
	const struct pivot_rank *ranks; /* [n_keys] */
	size_t n_keys, index;
};

static struct pivot_rank
rank_alone(struct series_set *set, const struct panel_point *x, size_t key)
{
	struct pivot_rank r = { RANK_NUMBER, 0, 0 };
	const char *text;

	if (is_count(set, key)) {
		r.number = topology_count(x->c, key - set->n_keys);
		if (r.number == RESULT_UNKNOWN)
			r.kind = RANK_UNKNOWN;
		return r;
	}
	text = key_value(set, x, key);
	if (text == NULL)
		r.kind = RANK_UNKNOWN;
	else if (whole_parse(text, strlen(text), 0, 1L << 40, &r.number) !=
	    UNITS_OK)
		r.kind = RANK_WORD;
	return r;
}

/* out [n * step], every step-th element is set */
static void
rank_values(struct series_set *set, const struct panel_point *all, size_t n,
    size_t key, struct pivot_rank *out, size_t step)
{
	size_t *firsts = xcalloc(n + 1, sizeof *firsts), n_firsts = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		out[i * step] = rank_alone(set, &all[i], key);
		while (k < n_firsts &&
		    !values_same(set, &all[firsts[k]], &all[i], key))
			k++;
		if (k == n_firsts)
			firsts[n_firsts++] = i;
		out[i * step].first = firsts[k];
	}
	free(firsts);
}

/* Compare by the ranks; 0 if all are equal. */
static int
ranks_order(const struct ranked_point *x, const struct ranked_point *y)
{
	for (size_t i = 0; i < x->n_keys; i++) {
		const struct pivot_rank *a = &x->ranks[i], *b = &y->ranks[i];

		if (a->first == b->first)
			continue;
		if (a->kind != b->kind)
			return a->kind < b->kind ? -1 : 1;
		if (a->kind == RANK_NUMBER && a->number != b->number)
			return a->number < b->number ? -1 : 1;
		return a->first < b->first ? -1 : 1;
	}
	return 0;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct ranked_point *a = pa, *b = pb;
	const int d = ranks_order(a, b);

	return d != 0 ? d : (a->index > b->index) - (a->index < b->index);
}

/* First case of each distinct combination of values, in order. Free with
 * free(). */
static struct panel_point *
distinct_points(struct series_set *set, const struct panel_point *all,
    size_t n_all, const size_t *keys, size_t n_keys, size_t *n)
{
	struct panel_point *out = xcalloc(n_all + 1, sizeof *out);
	struct pivot_rank *ranks = xcalloc(n_all * n_keys + 1, sizeof *ranks);
	struct ranked_point *sorted = xcalloc(n_all + 1, sizeof *sorted);

	for (size_t k = 0; k < n_keys; k++)
		rank_values(set, all, n_all, keys[k], ranks + k, n_keys);
	for (size_t i = 0; i < n_all; i++)
		sorted[i] = (struct ranked_point){ &all[i], ranks + i * n_keys,
			n_keys, i };
	qsort(sorted, n_all, sizeof *sorted, compare_points);
	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (i == 0 || ranks_order(&sorted[i - 1], &sorted[i]) != 0)
			out[(*n)++] = *sorted[i].point;
	free(sorted);
	free(ranks);
	return out;
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
		return key_name(set, key);
	if (is_label)
		return message_label(set->keys[key], how->lang);
	return message(
	    names[key < set->n_keys ? key : key - set->n_keys + SERIES_LABELS],
	    how->lang);
}

/* "PyTorch, 128": head of a column: values of its keys, and the number. */
static const char *
column_head(struct series_set *set, const struct pivot *p,
    const struct panel_point *i, int value, const struct report_how *how)
{
	const char *text = "";

	for (size_t k = 0; k < p->n_columns; k++) {
		const char *v = key_value(set, i, p->columns[k]);
		const char *comma =
		    text[0] != '\0' ? message(MESSAGE_COMMA, how->lang) : "";

		if (v == NULL)
			v = message(MESSAGE_UNKNOWN, how->lang);
		/* A framework's name needs no key. */
		text = p->columns[k] == SERIES_FRAMEWORK
		    ? arena_printf(&set->arena, "%s%s%s", text, comma, v)
		    : arena_printf(&set->arena, "%s%s%s %s", text, comma,
			  key_head(set, p->columns[k], how), v);
	}
	if (p->n_values > 1)
		text = arena_printf(&set->arena, "%s%s%s", text,
		    message(MESSAGE_COMMA, how->lang), value_name(value, how));
	return text;
}

static void
add_columns(struct series_set *set, const struct pivot *p,
    const struct panel_point *columns, size_t n, const struct report_how *how,
    struct table *t)
{
	for (size_t i = 0; i < p->n_rows; i++)
		table_column(t, key_head(set, p->rows[i], how), NULL,
		    p->rows[i] >= set->n_keys || p->rows[i] == SERIES_BATCH
			? TABLE_RIGHT
			: TABLE_LEFT);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < p->n_values; k++) {
			const char *unit = value_unit(p->values[k]);

			if (unit != NULL && unit[0] == '\0')
				unit = columns[i].p->c->unit;
			table_column(t,
			    column_head(set, p, &columns[i], p->values[k], how),
			    unit, TABLE_DECIMAL);
		}
}

/* The case of a row and a column, or NULL. *twice is set to a second case. */
static const struct panel_point *
find_cell(struct series_set *set, const struct pivot *p,
    const struct panel_point *all, size_t n, const struct panel_point *row,
    const struct panel_point *column, const struct panel_point **twice)
{
	const struct panel_point *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!points_agree(set, &all[i], row, p->rows, p->n_rows) ||
		    !points_agree(
			set, &all[i], column, p->columns, p->n_columns))
			continue;
		if (found != NULL)
			*twice = &all[i];
		else
			found = &all[i];
	}
	return found;
}

static int
two_in_one(
    const struct panel_point *a, const struct panel_point *b, struct error *e)
{
	char first[SERIES_PLACE_SIZE], second[SERIES_PLACE_SIZE];

	return error_set(e, ERROR_INPUT,
	    "%s and %s are in one cell: name more keys in --rows or "
	    "--columns (case, nodes, gpus), or choose by --select",
	    series_point_place(first, a->p), series_point_place(second, b->p));
}

static int
add_row(struct series_set *set, const struct pivot *p,
    const struct panel_point *all, size_t n_all, const struct panel_point *row,
    const struct panel_point *columns, size_t n_columns,
    const struct report_how *how, struct table *t, struct error *e)
{
	const struct panel_point *twice = NULL;
	struct measured_case *cases = xcalloc(n_columns + 1, sizeof *cases);
	size_t n_cases = 0;

	table_row(t);
	for (size_t i = 0; i < p->n_rows; i++)
		table_cell(t, key_value(set, row, p->rows[i]));
	for (size_t i = 0; i < n_columns; i++) {
		const struct panel_point *at =
		    find_cell(set, p, all, n_all, row, &columns[i], &twice);

		if (twice != NULL) {
			free(cases);
			return two_in_one(at, twice, e);
		}
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
	free(cases);
	return 0;
}

/* The series of the cases, each once, for the title and notes. */
static struct panel
panel_of_points(const struct panel_point *all, size_t n)
{
	struct panel p = { .s = xcalloc(n + 1, sizeof *p.s) };

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < p.n && p.s[k] != all[i].s)
			k++;
		if (k == p.n)
			p.s[p.n++] = all[i].s;
	}
	p.differing = series_differing(p.s, p.n);
	return p;
}

static int
make_table(struct series_set *set, const struct pivot *p,
    const struct panel_point *all, size_t n, const struct report_how *how,
    struct table *t, struct error *e)
{
	size_t n_rows, n_columns;
	struct panel_point *rows =
	    distinct_points(set, all, n, p->rows, p->n_rows, &n_rows);
	struct panel_point *columns =
	    distinct_points(set, all, n, p->columns, p->n_columns, &n_columns);
	struct panel panel = panel_of_points(all, n);
	uint64_t used = 0;
	int rc = 0;

	for (size_t key = 0; key < set->n_keys; key++)
		if (is_among(p->rows, p->n_rows, key) ||
		    is_among(p->columns, p->n_columns, key))
			used |= SERIES_BIT(key);
	if (!how->flat)
		table_title(t, "%s", panel_title(set, &panel, used, how->lang));
	add_columns(set, p, columns, n_columns, how, t);
	if (how->flat)
		measured_columns_add(t);
	for (size_t i = 0; rc == 0 && i < n_rows; i++)
		rc = add_row(
		    set, p, all, n, &rows[i], columns, n_columns, how, t, e);
	notes_measured(set, t, &panel, NOTES_SPEEDUPS, how);
	free(panel.s);
	free(rows);
	free(columns);
	return rc;
}

/* Keys that differ between cases and are neither rows nor columns. */
static size_t
other_keys(const struct series_set *set, const struct pivot *p,
    size_t keys[SERIES_MAX_KEYS])
{
	const uint64_t differ = set->differing;
	size_t n = 0;

	for (size_t k = 0; k < set->n_keys; k++)
		if ((differ & SERIES_BIT(k)) &&
		    !is_among(p->rows, p->n_rows, k) &&
		    !is_among(p->columns, p->n_columns, k))
			keys[n++] = k;
	return n;
}

int
pivot_make(const struct pivot *asked, struct series_set *set,
    const struct report_how *how, struct report_tables *list, struct error *e)
{
	struct pivot p = *asked;
	size_t keys[SERIES_MAX_KEYS], n_keys = other_keys(set, &p, keys);
	size_t n = 0, n_tables;
	struct panel_point *all, *tables;
	int rc = 0;

	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);)
		n++;
	all = xcalloc(n + 1, sizeof *all);
	n = 0;
	for (struct panel_point x = { NULL }; panel_next_of_set(set, &x);)
		all[n++] = x;
	/* A flat table is one table: keys that would split it are columns. */
	while (how->flat && n_keys > 0 && p.n_rows < PIVOT_MAX_KEYS)
		p.rows[p.n_rows++] = keys[--n_keys];
	tables = distinct_points(set, all, n, keys, n_keys, &n_tables);
	for (size_t i = 0; rc == 0 && i < n_tables; i++) {
		struct panel_point *own = xcalloc(n + 1, sizeof *own);
		size_t n_own = 0;

		for (size_t k = 0; k < n; k++)
			if (points_agree(
				set, &all[k], &tables[i], keys, n_keys))
				own[n_own++] = all[k];
		rc = make_table(
		    set, &p, own, n_own, how, report_tables_add(list), e);
		free(own);
	}
	free(tables);
	free(all);
	return rc;
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

/* True if x sorts before y; unknown values are last. */
static int
goes_before(double x, double y, int down)
{
	return !isnan(x) && (isnan(y) || (down ? x > y : x < y));
}

int
pivot_sort(struct series_set *set, const char *by, struct error *e)
{
	const int down = by[0] == '-';
	const int key = number_find(by + down, strlen(by + down));

	if (key < 0)
		return error_set(e, ERROR_USAGE,
		    "--sort: '%s' is no key: median, speedup, efficiency, n, "
		    "nodes or gpus, with a '-' before it downwards",
		    by);
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->items[i];

		/* A stable insertion sort: there are few points. */
		for (size_t k = 1; k < s->n_points; k++) {
			const struct series_point p = s->points[k];
			const double x = number_of(&numbers[key], p.c);
			size_t at = k;

			while (at > 0 &&
			    goes_before(x,
				number_of(&numbers[key], s->points[at - 1].c),
				down)) {
				s->points[at] = s->points[at - 1];
				at--;
			}
			s->points[at] = p;
		}
	}
	return 0;
}
