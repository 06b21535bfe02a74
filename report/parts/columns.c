#include <config.h>

#include "report/parts/columns.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/cell.h"

enum { DIGITS = 4 };

/* --- rows of arrays ------------------------------------------------------- */

static const void *
member_of(const struct column *column, const struct column_row *x)
{
	const char *of = column->of_rule ? (const void *)&x->result->rule
	    : column->of_item            ? x->item
					 : (const void *)x->c;

	return of + column->at;
}

const char *
column_text(const struct column *column, const struct column_row *x)
{
	if (column->cell == CELL_MADE)
		return column->text(x);
	if (column->cell == CELL_COUNT) {
		const long n = *(const long *)member_of(column, x);

		return n == RESULT_UNKNOWN ? NULL
					   : arena_printf(x->arena, "%ld", n);
	}
	return *(const char *const *)member_of(column, x);
}

double
column_number(const struct column_row *x)
{
	const struct column *column = x->column;
	const void *member = member_of(column, x);

	if (column->cell == CELL_COUNT)
		return *(const long *)member == RESULT_UNKNOWN
		    ? NAN
		    : (double)*(const long *)member;
	return *(const double *)member *
	    (column->scale != 0 ? column->scale : 1);
}

int
column_differs(const struct column *column, const struct column_row *x)
{
	struct column_row one = *x;
	const char *first = NULL;

	for (size_t i = 0; i < x->result->n_cases; i++) {
		const char *text;

		one.c = &x->result->cases[i];
		text = column_text(column, &one);
		if (i > 0 && !text_same(first, text))
			return 1;
		first = text;
	}
	return 0;
}

/* Add a column. A label of its name, which comes first, is renamed: heads are
 * the members of objects in JSON. */
static void
flat_column(struct table *t, const char *head)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].head, head) == 0)
			t->columns[i].head =
			    arena_printf(&t->arena, "label_%s", head);
	table_column(t, head, NULL, TABLE_LEFT);
}

uint64_t
columns_add(const struct column *columns, const struct column_row *x)
{
	const int of_cases = x->how->flat && x->set != NULL;
	uint64_t shown = 0;

	if (of_cases)
		keys_columns(x->t, x->set, x->keys);
	for (int i = 0; columns[i].cell != CELL_END; i++) {
		const struct column *c = &columns[i];
		const char *head = c->key, *unit = NULL;

		assert(i < 64);
		if (!x->how->flat) {
			head = c->head[x->how->lang];
			unit = text_same(c->unit, "") ? x->c->unit : c->unit;
			if ((c->when != NULL && !c->when(x)) ||
			    (c->differs && !column_differs(c, x)))
				continue;
			if (c->title != NULL)
				head = c->title(x);
		}
		if (head == NULL)
			continue;
		if (x->how->flat)
			flat_column(x->t, head);
		else
			table_column(x->t, head,
			    unit != NULL && unit[0] != '\0' ? unit : NULL,
			    c->align);
		shown |= (uint64_t)1 << i;
	}
	if (of_cases)
		measured_columns_add(x->t);
	return shown;
}

void
column_put(const struct column_row *x)
{
	const struct column *column = x->column;
	struct table *t = x->t;
	char text[UNITS_TEXT_SIZE];

	switch (column->cell) {
	case CELL_CASE:
		table_cell(t,
		    series_case_name(x->arena, x->c,
			x->how->flat ? LANGUAGE_EN : x->how->lang));
		break;
	case CELL_MEDIAN:
		cell_value(t, x->how, x->p, "");
		if (x->how->of_logs)
			table_last_cell(t)->emphasis = TABLE_STRONG;
		break;
	case CELL_SPEEDUP:
		cell_speedup(t, x->how, x->p, x->c->speedup);
		break;
	case CELL_MEDIAN_INTERVAL:
		cell_median_interval(t, x->how, x->p);
		break;
	case CELL_SPEEDUP_INTERVAL:
		cell_interval(
		    t, x->how, x->p, x->c->speedup_low, x->c->speedup_high, 1);
		break;
	case CELL_MADE:
	case CELL_TEXT:
		table_cell(t, column_text(column, x));
		break;
	case CELL_COUNT:
		cell_count(t, x->how, *(const long *)member_of(column, x));
		break;
	case CELL_VALUE:
		cell_number(t, x->how, x->p, column_number(x));
		break;
	case CELL_RATIO:
		cell_ratio(t, x->how, column_number(x));
		break;
	case CELL_SHARE:
		cell_percent(t, x->how, column_number(x));
		break;
	case CELL_DIGITS:
		table_cell(t,
		    isnan(column_number(x))
			? "-"
			: number_format(text, column_number(x), DIGITS));
		break;
	case CELL_EXACT:
		cell_unrounded(t, column_number(x));
		break;
	default:
		column->put(x);
		break;
	}
}

void
columns_put(
    const struct column *columns, uint64_t shown, const struct column_row *x)
{
	struct column_row own = *x;

	for (int i = 0; columns[i].cell != CELL_END; i++) {
		own.column = &columns[i];
		if (!(shown >> i & 1))
			continue;
		column_put(&own);
		if (x->links)
			case_links_cell(x->how->links, x->t, x->c);
	}
}

void
columns_row(
    const struct column *columns, uint64_t shown, const struct column_row *x)
{
	table_row(x->t);
	if (x->set != NULL)
		keys_cells(x->t, x->set, x->s, x->keys);
	columns_put(columns, shown, x);
	if (x->how->flat && x->set != NULL) {
		const struct measured_case one = keys_measured(x->s, x->p);

		measured_columns_fill(x->t, &one, 1);
	}
}

void
flat_columns(struct table *t, const char *const *heads)
{
	for (; *heads != NULL; heads++)
		flat_column(t, *heads);
}

void
flat_numbers(struct table *t, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cell_unrounded(t, x[i]);
}

/* --- columns of a configuration ------------------------------------------- */

uint64_t
keys_known(const struct series_set *set, uint64_t mask)
{
	uint64_t known = 0;

	for (size_t i = 0; i < set->n; i++)
		known |= set->items[i].known;
	if (!(set->differing & SERIES_BIT(SERIES_WORK)))
		known &= ~SERIES_BIT(SERIES_WORK);
	return known & mask;
}

const char *
keys_head(const struct series_set *set, size_t key, enum language lang)
{
	static const enum message heads[SERIES_LABELS] = {
		[SERIES_FRAMEWORK] = MESSAGE_FRAMEWORK,
		[SERIES_MODEL] = MESSAGE_MODEL,
		[SERIES_PRECISION] = MESSAGE_PRECISION,
		[SERIES_BATCH] = MESSAGE_BATCH,
		[SERIES_GLOBAL_BATCH] = MESSAGE_GLOBAL_BATCH,
		[SERIES_UNIT] = MESSAGE_UNIT,
		[SERIES_RULE] = MESSAGE_RULE,
		[SERIES_KIND] = MESSAGE_KIND,
		[SERIES_SOURCE] = MESSAGE_SOURCE,
	};

	return key < SERIES_LABELS && key != SERIES_WORK
	    ? message(heads[key], lang)
	    : message_label(set->keys[key], lang);
}

void
keys_columns(struct table *t, const struct series_set *set, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_column(
			    t, series_key_column(set, k), NULL, TABLE_LEFT);
}

void
keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys)
{
	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k)) {
			table_cell(t, s != NULL ? s->values[k] : "");
			if (k == SERIES_BATCH || k == SERIES_GLOBAL_BATCH)
				table_last_cell(t)->is_numeric = 1;
		}
}

struct measured_case
keys_measured(const struct series *s, const struct series_point *p)
{
	return (struct measured_case){ .c = p->c,
		.options = &p->source->result.rule,
		.rule = s->values[SERIES_RULE],
		.is_published = series_is_published(s) };
}

void
metric_list_add(struct metric_list *l, const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_metrics && !l->more; k++) {
			const struct result_metric *m = &c->runs[i].metrics[k];
			size_t j = 0;

			while (
			    j < l->n && strcmp(l->items[j]->name, m->name) != 0)
				j++;
			if (j < l->n)
				continue;
			l->more = l->n == METRICS_MAX;
			if (l->more)
				return;
			l->items[l->n++] = m;
		}
}

void
metric_list_columns(
    const struct metric_list *l, struct table *t, enum table_align align)
{
	for (size_t k = 0; k < l->n; k++) {
		const char *unit = l->items[k]->unit;

		table_column(t, l->items[k]->name,
		    unit != NULL && unit[0] != '\0' ? unit : NULL, align);
	}
}

double
metric_median(const struct result_case *c, const char *name)
{
	double *values = xcalloc(c->n_runs + 1, sizeof *values), median;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_metric *m =
		    run_metric_of(&c->runs[i], name);

		values[i] = m != NULL ? m->value : NAN;
	}
	median = stats_median_known(values, c->n_runs);
	free(values);
	return median;
}
