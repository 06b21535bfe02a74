/* The comparison table: one column per framework. */
#include <config.h>

#include <string.h>

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
add_shape_cells(struct table *t, const struct report_how *how,
    const struct result_case *row)
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
	const struct panel_grid g = panel_grid(p, &set->arena);

	table_title(t, "%s",
	    panel_title(set, p, SERIES_BIT(SERIES_FRAMEWORK), how->lang));
	add_shape_columns(t, how);
	for (size_t i = 0; i < p->n; i++)
		table_column(t, panel_series_name(set, p, i, how->lang),
		    p->s[i]->points[0].c->unit, TABLE_DECIMAL);
	for (size_t i = 0; i < g.n; i++) {
		table_row(t);
		add_shape_cells(t, how, g.rows[i]);
		for (size_t k = 0; k < p->n; k++) {
			const struct series_point *at = g.cells[i * p->n + k];

			cell_value(t, how, at,
			    at != NULL
				? case_flags_marks(&flags, at->c, &set->arena)
				: "");
		}
	}
	notes_flags(t, &flags);
	notes_measured(set, t, p, NOTES_SPEEDS, how);
	case_flags_release(&flags);
}

void
comparison_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel_list panels = panel_split(set, PANEL_KEYS);

	if (how->flat)
		scaling_make(set, how, list);
	for (size_t i = 0; i < panels.n && !how->flat; i++) {
		struct table *t = report_tables_add(list);

		make_panel(set, &panels.items[i], how, t);
		if (i + 1 == panels.n)
			notes_origins(t, set, how->lang);
	}
}
