/* The comparison table: one column per framework. */
#include <config.h>

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

/* Add a row a case and a column a series, or if turned a row a series. */
static void
add_rows(struct series_set *set, const struct panel *p,
    const struct report_how *how, int turned, struct case_flags *flags,
    struct table *t)
{
	const struct panel_grid g = panel_grid(p, &set->arena);
	const size_t n_rows = turned ? p->n : g.n, n = turned ? g.n : p->n;

	table_column(t, turned ? "" : message(MESSAGE_NODES, how->lang),
	    turned ? p->s[0]->points[0].c->unit : NULL,
	    turned ? TABLE_LEFT : TABLE_RIGHT);
	if (!turned)
		table_column(
		    t, message(MESSAGE_GPUS, how->lang), NULL, TABLE_RIGHT);
	for (size_t i = 0; i < n; i++)
		table_column(t,
		    turned ? series_case_name(&t->arena, g.rows[i], how->lang)
			   : panel_series_name(set, p, i, how->lang),
		    turned ? NULL : p->s[i]->points[0].c->unit, TABLE_DECIMAL);
	for (size_t r = 0; r < n_rows; r++) {
		table_row(t);
		if (turned)
			table_cell(t, panel_series_name(set, p, r, how->lang));
		else
			cell_count(t, how, g.rows[r]->nodes);
		if (!turned)
			cell_count(t, how, g.rows[r]->gpus);
		for (size_t i = 0; i < n; i++) {
			const struct series_point *at = turned
			    ? g.cells[i * p->n + r]
			    : g.cells[r * p->n + i];

			/* With the marks of its flags. */
			cell_value(t, how, at,
			    at == NULL
				? ""
				: case_flags_marks(flags, at->c, &t->arena));
		}
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
		add_rows(set, &part, how, turned, &flags, t);
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
		case_tables_make(set, &scaling_table, how, list);
	for (size_t i = 0; i < panels.n && !how->flat; i++)
		make_panel(set, &panels.items[i], how, list);
	if (!how->flat && list->n > 0)
		notes_origins(&list->items[list->n - 1], set, how->lang);
}
