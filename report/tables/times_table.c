/* The table of what programs took: back end, nodes and GPUs, the times of the
 * shell's "time", throughput and speedup, as report 002 has it.  report.c lists
 * it; cases without any time are not in it. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/json/json_write.h"
#include "common/series/quantity.h"
#include "report/parts/cell.h"
#include "report/parts/keys.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

static const enum quantity shown[] = { QUANTITY_REAL, QUANTITY_USER,
	QUANTITY_SYS };
enum { N_SHOWN = sizeof shown / sizeof shown[0] };

static int
has_times(const struct series_point *p)
{
	for (int i = 0; i < N_SHOWN; i++)
		if (isfinite(quantity_of_case(p->c, shown[i])))
			return 1;
	return 0;
}

static int
panel_has_times(const struct panel *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			if (has_times(&p->s[i]->points[k]))
				return 1;
	return 0;
}

static void
put_time(struct table *t, const struct report_how *how,
    const struct series_point *p, enum quantity q)
{
	const char *written =
	    result_file_written(p->source, p->index, quantity_rows[q].head);
	const double x = quantity_of_case(p->c, q);
	char buf[QUANTITY_TEXT_SIZE], exact[JSON_DOUBLE_SIZE];

	if (!isfinite(x))
		table_cell(t, written != NULL && !how->flat ? written : "");
	else if (how->flat)
		table_cell(t, json_double(exact, x));
	else
		table_cell(
		    t, written != NULL ? written : quantity_clock(buf, x));
}

/* The framework where it differs, and the labels that are known: what names
 * rows apart. */
static uint64_t
row_keys(const struct series_set *set, const struct panel *p)
{
	uint64_t keys = 0;

	for (size_t k = SERIES_LABELS; k < set->n_keys; k++)
		for (size_t i = 0; i < p->n; i++)
			if (p->s[i]->values[k] != NULL)
				keys |= SERIES_BIT(k);
	return keys |
	    (p->differing &
		(SERIES_BIT(SERIES_FRAMEWORK) | SERIES_BIT(SERIES_WORK) |
		    SERIES_BIT(SERIES_SOURCE)));
}

static const char *
key_head(const struct series_set *set, size_t k, enum language lang)
{
	if (k == SERIES_FRAMEWORK)
		return message(MESSAGE_FRAMEWORK, lang);
	if (k == SERIES_SOURCE)
		return message(MESSAGE_SOURCE, lang);
	return message_label(set->keys[k], lang);
}

static void
add_columns(struct table *t, const struct series_set *set, uint64_t keys,
    const char *unit, const struct report_how *how)
{
	const enum language lang = how->lang;

	for (size_t k = 0; k < set->n_keys; k++)
		if (keys & SERIES_BIT(k))
			table_column(
			    t, key_head(set, k, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_NODES, lang), NULL, TABLE_RIGHT);
	table_column(
	    t, message(MESSAGE_GPUS_PER_NODE, lang), NULL, TABLE_RIGHT);
	for (int i = 0; i < N_SHOWN; i++)
		table_column(t, message(quantity_rows[shown[i]].shown, lang),
		    NULL, TABLE_RIGHT);
	table_column(
	    t, message(MESSAGE_MEAN_THROUGHPUT, lang), unit, TABLE_DECIMAL);
	table_column(t, message(MESSAGE_SPEEDUP, lang), NULL, TABLE_DECIMAL);
}

static void
add_row(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	cell_count(t, how, p->c->nodes);
	cell_count(t, how, p->c->gpus_per_node);
	for (int i = 0; i < N_SHOWN; i++)
		put_time(t, how, p, shown[i]);
	cell_value(t, how, p);
	if (isfinite(p->c->speedup))
		cell_speedup(t, how, p, p->c->speedup);
	else
		table_cell(t, "");
}

static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	const uint64_t keys = row_keys(set, p);

	table_title(t, "%s", panel_title(set, p, keys, how->lang));
	add_columns(t, set, keys, p->s[0]->points[0].c->unit, how);
	for (size_t i = 0; i < p->n; i++) {
		if (p->n > 1)
			table_group(t, NULL);
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			if (!has_times(&p->s[i]->points[k]))
				continue;
			table_row(t);
			for (size_t j = 0; j < set->n_keys; j++)
				if (keys & SERIES_BIT(j))
					table_cell(t, p->s[i]->values[j]);
			add_row(t, how, &p->s[i]->points[k]);
		}
	}
	notes_doubts(set, t, p, how->lang);
	notes_measured(set, t, p, NOTES_SPEEDUPS, how->lang);
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	const uint64_t keys = keys_known(set, UINT64_MAX);

	keys_columns(t, set, keys);
	table_column(t, "nodes", NULL, TABLE_LEFT);
	table_column(t, "gpus_per_node", NULL, TABLE_LEFT);
	for (int i = 0; i < N_SHOWN; i++)
		table_column(t, quantity_rows[shown[i]].key, NULL, TABLE_LEFT);
	table_column(t, "median", NULL, TABLE_LEFT);
	table_column(t, "speedup", NULL, TABLE_LEFT);
	measured_columns_add(t);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			if (!has_times(&set->items[i].points[k]))
				continue;
			table_row(t);
			keys_cells(t, set, &set->items[i], keys);
			add_row(t, how, &set->items[i].points[k]);
			keys_measured_cells(
			    t, &set->items[i], &set->items[i].points[k]);
		}
}

void
times_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	struct panel_list panels;

	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT), &panels);
	for (size_t i = 0; i < panels.n; i++)
		if (panel_has_times(&panels.items[i]))
			make_panel(set, &panels.items[i], how,
			    report_tables_add(list));
	panel_release(&panels);
}
