#include <config.h>

#include <math.h>
#include <string.h>

#include "report/cell.h"
#include "report/keys.h"
#include "report/notes.h"
#include "report/panel.h"
#include "report/report.h"

/* What a cell is made from. */
struct place {
	struct series_set *set;
	const struct report_how *how;
	const struct series_point *p;
};

static void
put_nodes(struct table *t, const struct place *at)
{
	cell_count(t, at->how, at->p->c->nodes);
}

static void
put_gpus(struct table *t, const struct place *at)
{
	cell_count(t, at->how, at->p->c->gpus);
}

static void
put_median(struct table *t, const struct place *at)
{
	cell_value(t, at->how, at->p);
}

static void
put_interval(struct table *t, const struct place *at)
{
	cell_interval(
	    t, at->how, at->p, at->p->c->median_low, at->p->c->median_high, 0);
}

static void
put_olympic(struct table *t, const struct place *at)
{
	cell_number(t, at->how, at->p, at->p->c->olympic_speed);
}

static void
put_low(struct table *t, const struct place *at)
{
	cell_number(t, at->how, at->p, at->p->c->median_low);
}

static void
put_high(struct table *t, const struct place *at)
{
	cell_number(t, at->how, at->p, at->p->c->median_high);
}

static void
put_level(struct table *t, const struct place *at)
{
	cell_percent(t, at->how, at->p->c->median_level);
}

static void
put_speedup(struct table *t, const struct place *at)
{
	cell_speedup(t, at->how, at->p, at->p->c->speedup);
}

static void
put_speedup_interval(struct table *t, const struct place *at)
{
	cell_interval(t, at->how, at->p, at->p->c->speedup_low,
	    at->p->c->speedup_high, 1);
}

static void
put_speedup_low(struct table *t, const struct place *at)
{
	cell_ratio(t, at->how, at->p->c->speedup_low);
}

static void
put_speedup_high(struct table *t, const struct place *at)
{
	cell_ratio(t, at->how, at->p->c->speedup_high);
}

static void
put_speedup_level(struct table *t, const struct place *at)
{
	cell_percent(t, at->how, at->p->c->speedup_level);
}

static void
put_efficiency(struct table *t, const struct place *at)
{
	cell_percent(t, at->how, at->p->c->efficiency);
}

static void
put_runs(struct table *t, const struct place *at)
{
	cell_count(t, at->how, at->p->c->n);
}

static void
put_flags(struct table *t, const struct place *at)
{
	table_cell(t, notes_flags(&at->set->arena, at->p, at->how->lang));
}

enum where {
	EVERYWHERE,
	ONLY_FLAT,
	ONLY_SHOWN,
	ONLY_TRAINED /* where times to train are shown, as MLPerf scores them */
};

/* unit "": that of the cases. */
static const struct {
	enum message head;
	const char *unit;
	enum table_align align;
	enum where where;
	void (*put)(struct table *t, const struct place *at);
} columns[] = {
	{ MESSAGE_NODES, NULL, TABLE_RIGHT, EVERYWHERE, put_nodes },
	{ MESSAGE_GPUS, NULL, TABLE_RIGHT, EVERYWHERE, put_gpus },
	{ MESSAGE_MEDIAN, "", TABLE_DECIMAL, EVERYWHERE, put_median },
	{ MESSAGE_MEDIAN_INTERVAL, "", TABLE_RIGHT, ONLY_SHOWN, put_interval },
	{ MESSAGE_OLYMPIC, "", TABLE_DECIMAL, ONLY_TRAINED, put_olympic },
	{ MESSAGE_MEDIAN_LOW, "", TABLE_DECIMAL, ONLY_FLAT, put_low },
	{ MESSAGE_MEDIAN_HIGH, "", TABLE_DECIMAL, ONLY_FLAT, put_high },
	{ MESSAGE_MEDIAN_LEVEL, "%", TABLE_DECIMAL, ONLY_FLAT, put_level },
	{ MESSAGE_SPEEDUP, NULL, TABLE_DECIMAL, EVERYWHERE, put_speedup },
	{ MESSAGE_SPEEDUP_INTERVAL, NULL, TABLE_RIGHT, ONLY_SHOWN,
	    put_speedup_interval },
	{ MESSAGE_SPEEDUP_LOW, NULL, TABLE_DECIMAL, ONLY_FLAT,
	    put_speedup_low },
	{ MESSAGE_SPEEDUP_HIGH, NULL, TABLE_DECIMAL, ONLY_FLAT,
	    put_speedup_high },
	{ MESSAGE_SPEEDUP_LEVEL, "%", TABLE_DECIMAL, ONLY_FLAT,
	    put_speedup_level },
	{ MESSAGE_EFFICIENCY, "%", TABLE_DECIMAL, EVERYWHERE, put_efficiency },
	{ MESSAGE_RUNS, NULL, TABLE_RIGHT, EVERYWHERE, put_runs },
	{ MESSAGE_FLAGS, NULL, TABLE_LEFT, EVERYWHERE, put_flags },
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static int
is_used(int i, const struct series_point *p, const struct report_how *how)
{
	const char *metric = p->source->result.rule.metric;

	/* p is one of the points that the table shows. */
	switch (columns[i].where) {
	case ONLY_FLAT:
		return how->flat;
	case ONLY_SHOWN:
		return !how->flat;
	case ONLY_TRAINED:
		return !how->flat && metric != NULL &&
		    strcmp(metric, "time-to-train") == 0;
	default:
		return 1;
	}
}

/* unit  of all points, or NULL */
static void
add_columns(struct table *t, const char *unit, const struct series_point *first,
    const struct report_how *how)
{
	for (int i = 0; i < N_COLUMNS; i++) {
		const char *of = columns[i].unit;

		if (of != NULL && of[0] == '\0')
			of = unit;
		if (is_used(i, first, how))
			table_column(t, message(columns[i].head, how->lang), of,
			    columns[i].align);
	}
}

static void
add_cells(
    struct table *t, const struct series_point *first, const struct place *at)
{
	for (int i = 0; i < N_COLUMNS; i++)
		if (is_used(i, first, at->how))
			columns[i].put(t, at);
}

/* One table; several series stand in groups below each other. */
static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	const int several = p->n > 1;
	const struct series_point *first = &p->s[0]->points[0];

	table_title(t, "%s", panel_title(set, p, 0, how->lang));
	if (several)
		table_column(
		    t, message(MESSAGE_FRAMEWORK, how->lang), NULL, TABLE_LEFT);
	add_columns(t, first->c->unit, first, how);
	for (size_t i = 0; i < p->n; i++) {
		const char *name = panel_series_name(set, p, i, how->lang);

		if (i > 0)
			table_group(t, NULL);
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct place at = { set, how,
				&p->s[i]->points[k] };

			table_row(t);
			if (several)
				table_cell(t, name);
			add_cells(t, first, &at);
		}
	}
	notes_levels(t, p, how->lang);
	notes_rule(t, p, how->lang);
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	uint64_t keys = keys_known(set, UINT64_MAX);
	uint64_t mixed = series_set_differing(set) & SERIES_BIT(SERIES_UNIT);
	const struct series_point *first = &set->items[0].points[0];

	keys_columns(t, set, keys, how->lang);
	add_columns(t, mixed ? NULL : first->c->unit, first, how);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct place at = { set, how,
				&set->items[i].points[k] };

			table_row(t);
			keys_cells(t, set, &set->items[i], keys);
			add_cells(t, first, &at);
		}
}

void
scaling_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	struct panel_list panels;

	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT), &panels);
	for (size_t i = 0; i < panels.n; i++) {
		struct table *t = report_tables_add(list);

		make_panel(set, &panels.items[i], how, t);
		if (i + 1 < panels.n)
			continue;
		notes_origins(t, set, how->lang);
		notes_excluded(t, set, how->lang);
	}
	panel_release(&panels);
}
