/* The comparison table: a column a framework.  report.c lists it. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "report/cell.h"
#include "report/keys.h"
#include "report/notes.h"
#include "report/panel.h"
#include "report/report.h"

static void
add_shape_columns(struct table *t, const struct report_how *how)
{
	table_column(t, message(MESSAGE_NODES, how->lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_GPUS, how->lang), NULL, TABLE_RIGHT);
}

static void
add_shape_cells(
    struct table *t, const struct report_how *how, const struct panel_row *row)
{
	cell_count(t, how, row->nodes);
	cell_count(t, how, row->gpus);
}

/* One table: a column a series, a row a shape. */
static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	struct case_flags flags = CASE_FLAGS_INIT;
	struct panel_row *rows;
	size_t n;

	table_title(t, "%s",
	    panel_title(set, p, SERIES_BIT(SERIES_FRAMEWORK), how->lang));
	add_shape_columns(t, how);
	for (size_t i = 0; i < p->n; i++)
		table_column(t, panel_series_name(set, p, i, how->lang),
		    p->s[i]->points[0].c->unit, TABLE_DECIMAL);
	rows = panel_rows(p, &n);
	for (size_t i = 0; i < n; i++) {
		table_row(t);
		add_shape_cells(t, how, &rows[i]);
		for (size_t k = 0; k < p->n; k++) {
			const struct series_point *at =
			    panel_find(p->s[k], &rows[i]);

			cell_value_flagged(t, how, at,
			    at != NULL
				? case_flags_marks(&flags, at->c, &set->arena)
				: "");
		}
	}
	free(rows);
	notes_flags(t, &flags, how->lang);
	notes_measured(set, t, p, NOTES_SPEEDS, how->lang);
	case_flags_release(&flags);
}

/* --- one table for all ---------------------------------------------------- */

struct flat {
	uint64_t keys;      /* of the columns in front */
	uint64_t name_keys; /* what a column's head is made of */
	const char **names; /* [set->n] of each series' column */
};

static void
flat_init(struct flat *f, struct series_set *set, enum language lang)
{
	uint64_t differ = series_set_differing(set);

	f->keys = keys_known(set, PANEL_KEYS);
	f->name_keys = SERIES_BIT(SERIES_FRAMEWORK) | (differ & ~PANEL_KEYS);
	f->names = xcalloc(set->n, sizeof *f->names);
	for (size_t i = 0; i < set->n; i++) {
		f->names[i] =
		    series_text(set, &set->items[i], f->name_keys, lang);
		if (f->names[i][0] == '\0')
			f->names[i] =
			    message(series_is_published(&set->items[i])
				    ? MESSAGE_PUBLISHED
				    : MESSAGE_MEASURED,
				lang);
	}
}

/* Is it the first series with this column? */
static int
is_first(const struct flat *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(f->names[k], f->names[i]) == 0)
			return 0;
	return 1;
}

/* The panel's series that belongs into the column of series i, or NULL. */
static const struct series *
column_series(const struct flat *f, const struct series_set *set,
    const struct panel *p, size_t i)
{
	for (size_t k = 0; k < p->n; k++)
		if (strcmp(f->names[p->s[k] - set->items], f->names[i]) == 0)
			return p->s[k];
	return NULL;
}

static void
add_flat_rows(struct series_set *set, const struct flat *f,
    const struct panel *p, const struct report_how *how, struct table *t)
{
	struct measured_case *cases = xcalloc(set->n + 1, sizeof *cases);
	size_t n;
	struct panel_row *rows = panel_rows(p, &n);

	for (size_t i = 0; i < n; i++) {
		size_t n_cases = 0;

		table_row(t);
		keys_cells(t, set, p->s[0], f->keys);
		add_shape_cells(t, how, &rows[i]);
		for (size_t k = 0; k < set->n; k++) {
			const struct series *s;
			const struct series_point *at;

			if (!is_first(f, k))
				continue;
			s = column_series(f, set, p, k);
			at = s != NULL ? panel_find(s, &rows[i]) : NULL;
			cell_value(t, how, at);
			if (at != NULL)
				cases[n_cases++] = keys_measured(s, at);
		}
		measured_columns_fill(t, cases, n_cases);
	}
	free(cases);
	free(rows);
}

static void
make_flat(struct series_set *set, const struct panel_list *panels,
    const struct report_how *how, struct table *t)
{
	struct flat f;

	flat_init(&f, set, how->lang);
	keys_columns(t, set, f.keys);
	add_shape_columns(t, how);
	for (size_t i = 0; i < set->n; i++)
		if (is_first(&f, i))
			table_column(t, f.names[i],
			    set->items[i].points[0].c->unit, TABLE_DECIMAL);
	measured_columns_add(t);
	for (size_t i = 0; i < panels->n; i++)
		add_flat_rows(set, &f, &panels->items[i], how, t);
	free(f.names);
}

void
comparison_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	struct panel_list panels;

	panel_split(set, PANEL_KEYS, &panels);
	if (how->flat)
		make_flat(set, &panels, how, report_tables_add(list));
	for (size_t i = 0; i < panels.n && !how->flat; i++) {
		struct table *t = report_tables_add(list);

		make_panel(set, &panels.items[i], how, t);
		if (i + 1 == panels.n)
			notes_origins(t, set, how->lang);
	}
	panel_release(&panels);
}
