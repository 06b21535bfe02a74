/* The scaling table: a row a case.  report.c lists it; what a cell shows is in
 * cell.c. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/series/metric_choice.h"
#include "report/parts/cell.h"
#include "report/parts/keys.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

/* What a cell is made from. */
struct scaling_cell {
	struct series_set *set;
	const struct report_how *how;
	const struct series *s;
	const struct series_point *p;
	struct case_flags *flags;
};

static void
put_case(struct table *t, const struct scaling_cell *at)
{
	table_cell(t,
	    series_case_name(&at->set->arena, at->p->c,
		at->how->flat ? LANGUAGE_EN : at->how->lang));
}

static void
put_nodes(struct table *t, const struct scaling_cell *at)
{
	cell_count(t, at->how, at->p->c->nodes);
}

static void
put_gpus_per_node(struct table *t, const struct scaling_cell *at)
{
	cell_count(t, at->how, at->p->c->gpus_per_node);
}

static void
put_gpus(struct table *t, const struct scaling_cell *at)
{
	cell_count(t, at->how, at->p->c->gpus);
}

static void
put_unit(struct table *t, const struct scaling_cell *at)
{
	table_cell(t, at->p->c->unit);
}

static void
put_median(struct table *t, const struct scaling_cell *at)
{
	cell_value(t, at->how, at->p);
}

static void
put_interval(struct table *t, const struct scaling_cell *at)
{
	cell_median_interval(t, at->how, at->p, &at->set->arena);
}

static void
put_half_width(struct table *t, const struct scaling_cell *at)
{
	cell_ratio(t, at->how, case_within_run(at->p->c));
}

static void
put_olympic(struct table *t, const struct scaling_cell *at)
{
	cell_number(t, at->how, at->p, at->p->c->olympic_speed);
}

static void
put_low(struct table *t, const struct scaling_cell *at)
{
	cell_number(t, at->how, at->p, at->p->c->median_low);
}

static void
put_high(struct table *t, const struct scaling_cell *at)
{
	cell_number(t, at->how, at->p, at->p->c->median_high);
}

static void
put_level(struct table *t, const struct scaling_cell *at)
{
	cell_percent(t, at->how, at->p->c->median_level);
}

static void
put_speedup(struct table *t, const struct scaling_cell *at)
{
	cell_speedup(t, at->how, at->p, at->p->c->speedup);
}

static void
put_speedup_interval(struct table *t, const struct scaling_cell *at)
{
	cell_interval(t, at->how, at->p, at->p->c->speedup_low,
	    at->p->c->speedup_high, 1);
}

static void
put_speedup_low(struct table *t, const struct scaling_cell *at)
{
	cell_ratio(t, at->how, at->p->c->speedup_low);
}

static void
put_speedup_high(struct table *t, const struct scaling_cell *at)
{
	cell_ratio(t, at->how, at->p->c->speedup_high);
}

static void
put_speedup_level(struct table *t, const struct scaling_cell *at)
{
	cell_percent(t, at->how, at->p->c->speedup_level);
}

static void
put_efficiency(struct table *t, const struct scaling_cell *at)
{
	cell_percent(t, at->how, at->p->c->efficiency);
}

static void
put_runs(struct table *t, const struct scaling_cell *at)
{
	cell_count(t, at->how, at->p->c->n);
}

static void
put_flags(struct table *t, const struct scaling_cell *at)
{
	table_cell(t,
	    at->how->flat
		? case_flags_text(at->p->c, &at->set->arena)
		: case_flags_marks(at->flags, at->p->c, &at->set->arena));
}

static void
put_baseline(struct table *t, const struct scaling_cell *at)
{
	table_cell(t, at->p->c->baseline);
}

static void
put_rule(struct table *t, const struct scaling_cell *at)
{
	table_cell(t, at->s->values[SERIES_RULE]);
}

/* When a column of the shown table is there. */
enum scaling_when {
	ALWAYS,
	OF_SPEEDS,    /* the figure has speedups */
	WHEN_TRAINED, /* where times to train are shown, as MLPerf scores */
	WHEN_FLAGGED
};

/* unit "": that of the cases. */
static const struct {
	enum message head;
	const char *unit;
	enum table_align align;
	enum scaling_when when;
	void (*put)(struct table *t, const struct scaling_cell *at);
} shown[] = {
	{ MESSAGE_CASE, NULL, TABLE_LEFT, ALWAYS, put_case },
	{ MESSAGE_RUNS, NULL, TABLE_RIGHT, ALWAYS, put_runs },
	{ MESSAGE_MEDIAN, "", TABLE_DECIMAL, ALWAYS, put_median },
	{ MESSAGE_MEDIAN_INTERVAL, "", TABLE_INTERVAL, ALWAYS, put_interval },
	{ MESSAGE_OLYMPIC, "", TABLE_DECIMAL, WHEN_TRAINED, put_olympic },
	{ MESSAGE_SPEEDUP, NULL, TABLE_DECIMAL, OF_SPEEDS, put_speedup },
	{ MESSAGE_MEDIAN_INTERVAL, NULL, TABLE_INTERVAL, OF_SPEEDS,
	    put_speedup_interval },
	{ MESSAGE_EFFICIENCY_SHORT, "%", TABLE_DECIMAL, OF_SPEEDS,
	    put_efficiency },
	{ MESSAGE_FLAGS, NULL, TABLE_LEFT, WHEN_FLAGGED, put_flags },
};
enum { N_SHOWN = sizeof shown / sizeof shown[0] };

/* What follows the configuration where a machine reads the table; the names are
 * the result's, in every language.  extract_logs writes the same columns. */
static const struct {
	const char *head;
	void (*put)(struct table *t, const struct scaling_cell *at);
} flat_columns[] = {
	{ "nodes", put_nodes },
	{ "gpus_per_node", put_gpus_per_node },
	{ "gpus", put_gpus },
	{ "unit", put_unit },
	{ "n", put_runs },
	{ "median", put_median },
	{ "median_low", put_low },
	{ "median_high", put_high },
	{ "median_level", put_level },
	{ "speedup", put_speedup },
	{ "speedup_low", put_speedup_low },
	{ "speedup_high", put_speedup_high },
	{ "speedup_level", put_speedup_level },
	{ "efficiency", put_efficiency },
	{ "flags", put_flags },
	{ "case", put_case },
	{ "baseline", put_baseline },
	{ "rule", put_rule },
	{ "half_width", put_half_width },
};
enum { N_FLAT = sizeof flat_columns / sizeof flat_columns[0] };

static int
is_shown(int i, const struct panel *p)
{
	const char *metric = p->s[0]->points[0].source->result.rule.metric;

	switch (shown[i].when) {
	case OF_SPEEDS:
		return run_metric_find(metric) == NULL;
	case WHEN_TRAINED:
		return metric != NULL && strcmp(metric, "time-to-train") == 0;
	case WHEN_FLAGGED:
		return notes_panel_is_flagged(p);
	default:
		return 1;
	}
}

/* shows  [N_SHOWN] out: 1 for the columns that the panel shows */
static void
add_columns(struct table *t, const struct panel *p,
    const struct report_how *how, int shows[N_SHOWN])
{
	const struct series_point *first = &p->s[0]->points[0];
	const struct run_metric *metric =
	    metric_choice_of(&first->source->result);
	const char *unit = first->c->unit;

	for (int i = 0; i < N_SHOWN; i++) {
		const char *of = shown[i].unit;

		if (of != NULL && of[0] == '\0')
			of = unit;
		shows[i] = is_shown(i, p);
		if (shows[i])
			table_column(t,
			    message(metric != NULL &&
					shown[i].head == MESSAGE_MEDIAN
				    ? metric_choice_title(metric)
				    : shown[i].head,
				how->lang),
			    of != NULL && of[0] != '\0' ? of : NULL,
			    shown[i].align);
	}
}

/* One table; several series stand in groups below each other. */
static void
make_panel(struct series_set *set, const struct panel *p,
    const struct report_how *how, struct table *t)
{
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	int shows[N_SHOWN]; /* asked once: it goes through the panel */

	table_title(t, "%s", panel_title(set, p, 0, how->lang));
	add_columns(t, p, how, shows);
	for (size_t i = 0; i < p->n; i++) {
		if (p->n > 1)
			table_group(t, panel_series_name(set, p, i, how->lang));
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct scaling_cell at = { set, how, p->s[i],
				&p->s[i]->points[k], &flags };

			table_row(t);
			for (int c = 0; c < N_SHOWN; c++)
				if (shows[c])
					shown[c].put(t, &at);
		}
	}
	notes_flags(t, &flags);
	notes_measured(set, t, p, NOTES_SPEEDUPS, how->lang);
	case_flags_release(&flags);
}

/* Framework, model, precision and batch are always there; what else sets series
 * apart only where it is known. */
static uint64_t
flat_keys(const struct series_set *set)
{
	const uint64_t always = SERIES_BIT(SERIES_FRAMEWORK) |
	    SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_PRECISION) |
	    SERIES_BIT(SERIES_BATCH);
	uint64_t keys = keys_known(set, UINT64_MAX) &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE));

	if (!(set->differing & SERIES_BIT(SERIES_KIND)))
		keys &= ~SERIES_BIT(SERIES_KIND);
	return keys | always;
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	const uint64_t keys = flat_keys(set);

	keys_columns(t, set, keys);
	for (int c = 0; c < N_FLAT; c++)
		table_column(t, flat_columns[c].head, NULL, TABLE_LEFT);
	measured_columns_add(t);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct scaling_cell at = { set, how,
				&set->items[i], &set->items[i].points[k],
				NULL };

			table_row(t);
			keys_cells(t, set, &set->items[i], keys);
			for (int c = 0; c < N_FLAT; c++)
				flat_columns[c].put(t, &at);
			keys_measured_cells(t, at.s, at.p);
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
