/* The comparison table: one column per framework. */
#include <config.h>

#include <string.h>

#include "common/utf8.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

enum {
	MOST_COLUMNS = 4, /* series side by side; more are rows ... */
	MOST_WIDTH = 66,  /* of their names */
	MOST_CASES = 8    /* ... of at most so many cases */
};

/* Add the cell of a point, with the marks of its flags. */
static void
add_cell(struct table *t, const struct report_how *how,
    const struct series_point *at, struct case_flags *flags)
{
	cell_value(t, how, at,
	    at != NULL ? case_flags_marks(flags, at->c, &t->arena) : "");
}

/* A row a case, a column a series. */
static void
add_cases(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct case_flags *flags, struct table *t)
{
	const struct panel_grid g = panel_grid(p, &set->arena);

	table_column(t, message(MESSAGE_NODES, how->lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_GPUS, how->lang), NULL, TABLE_RIGHT);
	for (size_t i = 0; i < p->n; i++)
		table_column(t, panel_series_name(set, p, i, how->lang),
		    p->s[i]->points[0].c->unit, TABLE_DECIMAL);
	for (size_t i = 0; i < g.n; i++) {
		table_row(t);
		cell_count(t, how, g.rows[i]->nodes);
		cell_count(t, how, g.rows[i]->gpus);
		for (size_t k = 0; k < p->n; k++)
			add_cell(t, how, g.cells[i * p->n + k], flags);
	}
}

/* A row a series, a column a case. */
static void
add_series(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct case_flags *flags, struct table *t)
{
	const struct panel_grid g = panel_grid(p, &set->arena);

	table_column(t, "", p->s[0]->points[0].c->unit, TABLE_LEFT);
	for (size_t i = 0; i < g.n; i++)
		table_column(t,
		    series_case_name(&t->arena, g.rows[i], how->lang), NULL,
		    TABLE_DECIMAL);
	for (size_t k = 0; k < p->n; k++) {
		table_row(t);
		table_cell(t, panel_series_name(set, p, k, how->lang));
		for (size_t i = 0; i < g.n; i++)
			add_cell(t, how, g.cells[i * p->n + k], flags);
	}
}

/* The tables of a panel. As text and in LaTeX, whose lines have a width, many
 * series are rows, or if the cases are many, too, several tables of a few
 * series; Markdown keeps the form in which such tables are published. */
static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct report_tables *list)
{
	enum { GAP = 2 };
	const int has_width =
	    how->format == &table_text || how->format == &table_latex;
	size_t width = 0, most = p->n;
	int too_wide, turned;

	for (size_t i = 0; i < p->n; i++)
		width +=
		    GAP + utf8_columns(panel_series_name(set, p, i, how->lang));
	too_wide = has_width && (p->n > MOST_COLUMNS || width > MOST_WIDTH);
	turned = too_wide && panel_grid(p, &set->arena).n <= MOST_CASES &&
	    !(p->differing & SERIES_BIT(SERIES_UNIT));
	if (p->n > MOST_COLUMNS && too_wide && !turned)
		most = MOST_COLUMNS;
	for (size_t from = 0; from < p->n; from += most) {
		struct case_flags flags = CASE_FLAGS_INIT(how->lang);
		struct table *t = report_tables_add(list);
		struct panel part = *p;

		part.s += from;
		part.n = p->n - from < most ? p->n - from : most;
		/* A single series is named by its framework. */
		table_title(t, "%s",
		    panel_title(set, &part,
			p->n > 1 ? 0 : SERIES_BIT(SERIES_FRAMEWORK),
			how->lang));
		(turned ? add_series : add_cases)(set, &part, how, &flags, t);
		notes_flags(t, &flags);
		notes_measured(set, t, &part, NOTES_SPEEDS, how);
		case_flags_release(&flags);
	}
}

void
comparison_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel_list panels = panel_split(set, PANEL_KEYS);

	if (how->flat)
		scaling_make(set, how, list);
	for (size_t i = 0; i < panels.n && !how->flat; i++)
		make_panel(set, &panels.items[i], how, list);
	if (!how->flat && list->n > 0)
		notes_origins(&list->items[list->n - 1], set, how->lang);
}
