/* The table of the phases of a step: one column per case with phases, one row
 * per quantity, the total time with its relative cost in parentheses. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/result/result.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

static const enum quantity shown[] = { QUANTITY_REAL, QUANTITY_STEP,
	QUANTITY_DATA, QUANTITY_TO_DEVICE, QUANTITY_FORWARD, QUANTITY_LOSS,
	QUANTITY_BACKWARD, QUANTITY_UPDATE, QUANTITY_BUSY, QUANTITY_EXPOSED,
	QUANTITY_RECEIVED, QUANTITY_SENT };
enum { N_SHOWN = sizeof shown / sizeof shown[0] };

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
	const char *written = result_file_written(
	    c->p->source, c->p->index, quantity_rows[q].head);
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
			known |=
			    isfinite(quantity_of_case(l->items[i].c, shown[q]));
		if (!known)
			continue;
		table_row(t);
		table_cell(t,
		    message(shown[q] == QUANTITY_REAL
			    ? MESSAGE_TOTAL_TRAINING
			    : quantity_rows[shown[q]].shown,
			lang));
		for (size_t i = 0; i < l->n; i++) {
			const double cost = shown[q] == QUANTITY_REAL
			    ? relative_cost(l, &l->items[i])
			    : NAN;
			const char *text =
			    quantity_text(&set->arena, &l->items[i], shown[q]);

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
	notes_doubts(set, t, p, lang);
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
			table_column(flat, quantity_rows[shown[q]].key, NULL,
			    TABLE_LEFT);
		table_column(flat, "relative_cost", NULL, TABLE_LEFT);
		measured_columns_add(flat);
	}
	for (size_t i = 0; i < panels.n; i++) {
		struct phase_columns l = { NULL, 0 };

		for (struct panel_point x = { NULL };
		     panel_next(&panels.items[i], &x);) {
			int known = 0;

			/* Cases with a total only are in the table of times. */
			for (int q = 1; q < N_SHOWN; q++)
				known |=
				    isfinite(quantity_of_case(x.c, shown[q]));
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
			const struct measured_case measured =
			    keys_measured(x->s, x->p);

			table_row(flat);
			keys_cells(flat, set, x->s, keys);
			table_cell(flat,
			    series_case_name(&set->arena, x->c, LANGUAGE_EN));
			for (int q = 0; q < N_SHOWN; q++)
				cell_unrounded(
				    flat, quantity_of_case(x->c, shown[q]));
			cell_unrounded(flat, relative_cost(&l, x));
			measured_columns_fill(flat, &measured, 1);
		}
	}
}
