/* The comparison table: one column per framework. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

static void
add_shape_columns(struct table *t, const struct report_how *how)
{
	table_column(t, message(MESSAGE_NODES, how->lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_GPUS, how->lang), NULL, TABLE_RIGHT);
}

static void
add_shape_cells(
    struct table *t, const struct report_how *how, const struct case_shape *row)
{
	cell_count(t, how, row->nodes);
	cell_count(t, how, row->gpus);
}

/* One table: one column per series, one row per shape. */
static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	const struct series_point **cells;
	struct case_shape *rows;
	size_t n;

	table_title(t, "%s",
	    panel_title(set, p, SERIES_BIT(SERIES_FRAMEWORK), how->lang));
	add_shape_columns(t, how);
	for (size_t i = 0; i < p->n; i++)
		table_column(t, panel_series_name(set, p, i, how->lang),
		    p->s[i]->points[0].c->unit, TABLE_DECIMAL);
	rows = panel_rows(p, &n);
	cells = panel_cells(p, rows, n);
	for (size_t i = 0; i < n; i++) {
		table_row(t);
		add_shape_cells(t, how, &rows[i]);
		for (size_t k = 0; k < p->n; k++) {
			const struct series_point *at = cells[i * p->n + k];

			cell_value_flagged(t, how, at,
			    at != NULL
				? case_flags_marks(&flags, at->c, &set->arena)
				: "");
		}
	}
	free(cells);
	free(rows);
	notes_flags(t, &flags);
	notes_measured(set, t, p, NOTES_SPEEDS, how);
	case_flags_release(&flags);
}

/* --- one table for all ---------------------------------------------------- */

/* Series of one name share a column. */
struct flat_columns {
	uint64_t keys;      /* number of leading columns */
	size_t *of;         /* [set->n] the column of each series */
	const char **names; /* [n] heads */
	size_t *series;     /* [n] column in the panel's table + 1; 0: none */
	size_t n;
};

/* Name of a column. */
static const char *
column_name(struct series_set *set, const struct series *s, uint64_t name_keys,
    enum language lang)
{
	const char *name = series_text(set, s, name_keys, lang);

	if (name[0] != '\0')
		return name;
	return message(
	    series_is_published(s) ? MESSAGE_PUBLISHED : MESSAGE_MEASURED,
	    lang);
}

/* Add the named columns to the table. */
static void
flat_columns_add(struct flat_columns *f, struct series_set *set,
    enum language lang, struct table *t)
{
	const uint64_t name_keys =
	    SERIES_BIT(SERIES_FRAMEWORK) | (set->differing & ~PANEL_KEYS);

	f->of = xcalloc(set->n, sizeof *f->of);
	f->names = xcalloc(set->n, sizeof *f->names);
	f->n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const char *name = column_name(set, s, name_keys, lang);
		size_t k = 0;

		while (k < f->n && strcmp(f->names[k], name) != 0)
			k++;
		f->of[i] = k;
		if (k < f->n)
			continue;
		f->names[f->n++] = name;
		table_column(t, name, s->points[0].c->unit, TABLE_DECIMAL);
	}
	f->series = xcalloc(f->n + 1, sizeof *f->series);
}

static void
flat_columns_release(struct flat_columns *f)
{
	free(f->of);
	free(f->names);
	free(f->series);
}

/* Find the panel's first series in each column. */
static void
flat_columns_of_panel(
    struct flat_columns *f, const struct series_set *set, const struct panel *p)
{
	memset(f->series, 0, f->n * sizeof *f->series);
	for (size_t k = 0; k < p->n; k++) {
		size_t *at = &f->series[f->of[p->s[k] - set->items]];

		if (*at == 0)
			*at = k + 1;
	}
}

static void
add_flat_rows(struct series_set *set, struct flat_columns *f,
    const struct panel *p, const struct report_how *how, struct table *t)
{
	struct measured_case *cases = xcalloc(f->n + 1, sizeof *cases);
	size_t n;
	struct case_shape *rows = panel_rows(p, &n);
	const struct series_point **cells = panel_cells(p, rows, n);

	flat_columns_of_panel(f, set, p);
	for (size_t i = 0; i < n; i++) {
		size_t n_cases = 0;

		table_row(t);
		keys_cells(t, set, p->s[0], f->keys);
		add_shape_cells(t, how, &rows[i]);
		for (size_t c = 0; c < f->n; c++) {
			const size_t k = f->series[c];
			const struct series_point *at =
			    k > 0 ? cells[i * p->n + k - 1] : NULL;

			cell_value(t, how, at);
			if (at != NULL)
				cases[n_cases++] =
				    keys_measured(p->s[k - 1], at);
		}
		measured_columns_fill(t, cases, n_cases);
	}
	free(cases);
	free(cells);
	free(rows);
}

static void
make_flat(struct series_set *set, const struct panel_list *panels,
    const struct report_how *how, struct table *t)
{
	struct flat_columns f = { .keys = keys_known(set, PANEL_KEYS) };

	keys_columns(t, set, f.keys);
	add_shape_columns(t, how);
	flat_columns_add(&f, set, how->lang, t);
	measured_columns_add(t);
	for (size_t i = 0; i < panels->n; i++)
		add_flat_rows(set, &f, &panels->items[i], how, t);
	flat_columns_release(&f);
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
