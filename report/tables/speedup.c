/* The speedup table: a row a case, as published reports have it.  report.c
 * lists it. */
#include <config.h>

#include "report/parts/cell.h"
#include "report/parts/keys.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

/* The unit alone is the head of the speeds, as published reports have it. */
static void
add_columns(struct table *t, const char *unit, const struct report_how *how)
{
	table_column(t, message(MESSAGE_NODE_GPU, how->lang), NULL, TABLE_LEFT);
	table_column(t,
	    unit != NULL ? unit : message(MESSAGE_MEDIAN, how->lang), NULL,
	    TABLE_DECIMAL);
	table_column(
	    t, message(MESSAGE_SPEEDUP, how->lang), NULL, TABLE_DECIMAL);
}

static void
add_cells(struct series_set *set, const struct series_point *p,
    const struct report_how *how, const char *marks, struct table *t)
{
	table_cell(t,
	    series_case_name(
		&set->arena, p->c, how->flat ? LANGUAGE_EN : how->lang));
	cell_value_flagged(t, how, p, marks);
	cell_speedup(t, how, p, p->c->speedup);
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	uint64_t keys = keys_known(set, UINT64_MAX);

	keys_columns(t, set, keys);
	table_column(t, "case", NULL, TABLE_LEFT);
	table_column(t, "median", NULL, TABLE_DECIMAL);
	table_column(t, "speedup", NULL, TABLE_DECIMAL);
	measured_columns_add(t);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			table_row(t);
			keys_cells(t, set, &set->items[i], keys);
			add_cells(set, &set->items[i].points[k], how, "", t);
			keys_measured_cells(
			    t, &set->items[i], &set->items[i].points[k]);
		}
}

static void
make_shown(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	const struct series *s = p->s[0];
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);

	table_title(t, "%s", panel_title(set, p, 0, how->lang));
	add_columns(t, s->points[0].c->unit, how);
	for (size_t k = 0; k < s->n_points; k++) {
		table_row(t);
		add_cells(set, &s->points[k], how,
		    case_flags_marks(&flags, s->points[k].c, &set->arena), t);
	}
	notes_flags(t, &flags);
	notes_measured(set, t, p, NOTES_SPEEDUPS, how->lang);
	case_flags_release(&flags);
}

void
speedup_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };
		struct table *t = report_tables_add(list);

		make_shown(set, &p, how, t);
		if (i + 1 == set->n)
			notes_origins(t, set, how->lang);
	}
}
