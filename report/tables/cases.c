/* Tables with one row per case: scaling, speedup, times and DLPerf's. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* --- cells ---------------------------------------------------------------- */

static void
put_median_flagged(const struct column_row *x)
{
	cell_value(x->t, x->how, x->p,
	    x->how->flat
		? ""
		: case_flags_marks(x->flags, x->c, ALL_FLAGS, NULL, x->arena));
}

static void
put_known_speedup(const struct column_row *x)
{
	if (isfinite(x->c->speedup))
		cell_speedup(x->t, x->how, x->p, x->c->speedup);
	else
		table_cell(x->t, "");
}

static void
put_flags(const struct column_row *x)
{
	table_cell(x->t,
	    x->how->flat
		? case_doubts_text(x->c, ALL_FLAGS, NULL, LANGUAGE_EN, x->arena)
		: case_flags_marks(x->flags, x->c, ALL_FLAGS, NULL, x->arena));
}

static void
put_rule(const struct column_row *x)
{
	table_cell(
	    x->t, x->how->of_logs ? x->c->rule : x->s->values[SERIES_RULE]);
}

static void
put_half_width(const struct column_row *x)
{
	cell_ratio(x->t, x->how, case_within_run(x->c));
}

/* Put the time of the quantity that the column's offset names: as published or
 * as the shell's "time" formats it, "2m53.341s"; in flat formats in seconds. */
static void
put_time(const struct column_row *x)
{
	const enum quantity q = (enum quantity)x->column->at;
	const char *written = x->how->flat ? NULL : panel_written(x->p, q);
	const double seconds = quantity_of_case(x->c, q);
	/* Round first, so that 59.9996 s is 1m0.000s. */
	const double ms = floor(1e3 * seconds + 0.5);
	const double minutes = floor(ms / 60e3);

	if (written != NULL)
		table_cell(x->t, written);
	else if (x->how->flat)
		cell_unrounded(x->t, seconds);
	else if (isfinite(seconds))
		table_cellf(
		    x->t, "%.0fm%.3fs", minutes, (ms - 60e3 * minutes) / 1e3);
	else
		table_cell(x->t, "");
}

/* --- which columns, and their heads --------------------------------------- */

static int
is_speed(const struct column_row *x)
{
	return run_metric_find(x->p->source->result.rule.metric) == NULL;
}

/* True if the olympic mean is not the headline. */
static int
has_olympic_mean(const struct column_row *x)
{
	return text_same(x->p->source->result.rule.metric, "time-to-train") &&
	    x->c->score == NULL;
}

static int
is_flagged(const struct column_row *x)
{
	for (struct panel_point at = { NULL }; panel_next(x->panel, &at);)
		if (case_is_doubtful(at.c, ALL_FLAGS))
			return 1;
	return 0;
}

static const char *
median_title(const struct column_row *x)
{
	const char *name = x->p->source->result.rule.metric;
	const struct run_metric *metric = run_metric_find(name);

	return message(metric != NULL ? metric->title
		: !x->how->of_logs || name == NULL || x->c->score != NULL ||
		    strcmp(name, "throughput") == 0
		? case_headline(x->c)
		: strcmp(name, "time-to-train") == 0 ? MESSAGE_TIME_TO_TRAIN
						     : MESSAGE_STEP_TIME,
	    x->how->lang);
}

/* The unit alone, as in published reports. */
static const char *
unit_title(const struct column_row *x)
{
	return x->c->unit != NULL ? x->c->unit
				  : message(case_headline(x->c), x->how->lang);
}

/* "samples/s(PyTorch)", with the framework's official spelling. */
static const char *
dlperf_title(const struct column_row *x)
{
	static const char *const names[] = { "PyTorch", "TensorFlow", "MXNet",
		"OneFlow", "PaddlePaddle", "MindSpore" };
	const char *framework = x->s->values[SERIES_FRAMEWORK];
	const char *unit = x->c->unit != NULL ? x->c->unit : "samples/s";

	if (framework == NULL)
		return unit;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(names[i], framework) == 0)
			framework = names[i];
	if (strcmp(framework, "paddle") == 0)
		framework = "PaddlePaddle";
	return arena_printf(x->arena, "%s(%s)", unit, framework);
}

/* --- the columns ---------------------------------------------------------- */

const struct column case_columns[] = {
	{ { "case", "规模" }, .cell = CELL_CASE },
	FLAT("nodes", CELL_COUNT, CASE_MEMBER(nodes)),
	FLAT("gpus_per_node", CELL_COUNT, CASE_MEMBER(gpus_per_node)),
	FLAT("gpus", CELL_COUNT, CASE_MEMBER(gpus)),
	FLAT("unit", CELL_TEXT, CASE_MEMBER(unit)),
	{ { "runs", "次数" }, "n", .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    CASE_MEMBER(n) },
	{ .key = "median",
	    .unit = "",
	    .align = TABLE_DECIMAL,
	    .cell = CELL_MEDIAN,
	    .title = median_title },
	{ { "interval", "区间" }, .unit = "", .align = TABLE_INTERVAL,
	    .cell = CELL_MEDIAN_INTERVAL },
	FLAT("median_low", CELL_VALUE, CASE_MEMBER(median_low)),
	FLAT("median_high", CELL_VALUE, CASE_MEMBER(median_high)),
	FLAT("median_level", CELL_SHARE, CASE_MEMBER(median_level)),
	{ { "olympic mean", "去最好最差均值" }, .unit = "",
	    .align = TABLE_DECIMAL, .when = has_olympic_mean,
	    .cell = CELL_VALUE, CASE_MEMBER(olympic_speed) },
	{ { "speedup", "加速比" }, "speedup", .align = TABLE_DECIMAL,
	    .when = is_speed, .cell = CELL_SPEEDUP },
	{ { "interval", "区间" }, .align = TABLE_INTERVAL, .when = is_speed,
	    .cell = CELL_SPEEDUP_INTERVAL },
	FLAT("speedup_low", CELL_RATIO, CASE_MEMBER(speedup_low)),
	FLAT("speedup_high", CELL_RATIO, CASE_MEMBER(speedup_high)),
	FLAT("speedup_level", CELL_SHARE, CASE_MEMBER(speedup_level)),
	{ { "eff.", "效率" }, "efficiency", "%", TABLE_DECIMAL,
	    .when = is_speed, .cell = CELL_SHARE, CASE_MEMBER(efficiency) },
	{ { "flags", "备注" }, "flags", .when = is_flagged, .cell = CELL_PUT,
	    .put = put_flags },
	{ .key = "case", .cell = CELL_CASE },
	FLAT("baseline", CELL_TEXT, CASE_MEMBER(baseline)),
	FLAT("rule", CELL_PUT, .put = put_rule),
	FLAT("half_width", CELL_PUT, .put = put_half_width),
	{ .cell = CELL_END },
};

static const struct column speedup_columns[] = {
	{ { "node-GPU", "节点-GPU" }, "case", .cell = CELL_CASE },
	{ .key = "median",
	    .align = TABLE_DECIMAL,
	    .cell = CELL_PUT,
	    .put = put_median_flagged,
	    .title = unit_title },
	{ { "speedup", "加速比" }, "speedup", .align = TABLE_DECIMAL,
	    .cell = CELL_SPEEDUP },
	{ .cell = CELL_END },
};

static const struct column times_columns[] = {
	{ { "nodes", "节点数" }, "nodes", .align = TABLE_RIGHT,
	    .cell = CELL_COUNT, CASE_MEMBER(nodes) },
	{ { "GPUs per node", "每台服务器显卡数量" }, "gpus_per_node",
	    .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    CASE_MEMBER(gpus_per_node) },
	{ { "real", "实际耗时 real" }, "real_s", .align = TABLE_RIGHT,
	    .cell = CELL_PUT, .put = put_time, .at = QUANTITY_REAL },
	{ { "user", "用户态 user" }, "user_s", .align = TABLE_RIGHT,
	    .cell = CELL_PUT, .put = put_time, .at = QUANTITY_USER },
	{ { "sys", "内核态 sys" }, "sys_s", .align = TABLE_RIGHT,
	    .cell = CELL_PUT, .put = put_time, .at = QUANTITY_SYS },
	{ { "throughput", "平均吞吐率" }, "median", "", TABLE_DECIMAL,
	    .cell = CELL_MEDIAN },
	{ { "speedup", "加速比" }, "speedup", .align = TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_known_speedup },
	{ .cell = CELL_END },
};

static const struct column dlperf_columns[] = {
	{ { "node_num", "node_num" }, "nodes", .align = TABLE_RIGHT,
	    .cell = CELL_COUNT, CASE_MEMBER(nodes) },
	{ { "gpu_num_per_node", "gpu_num_per_node" }, "gpus_per_node",
	    .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    CASE_MEMBER(gpus_per_node) },
	{ { "batch_size_per_device", "batch_size_per_device" },
	    "batch_size_per_device", .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    CASE_MEMBER(batch_size_per_device) },
	{ .key = "median",
	    .align = TABLE_DECIMAL,
	    .cell = CELL_MEDIAN,
	    .title = dlperf_title },
	{ { "speedup", "speedup" }, "speedup", .align = TABLE_DECIMAL,
	    .cell = CELL_SPEEDUP },
	{ .cell = CELL_END },
};

/* --- tables --------------------------------------------------------------- */

static int
has_times(const struct series_point *p)
{
	return isfinite(quantity_of_case(p->c, QUANTITY_REAL)) ||
	    isfinite(quantity_of_case(p->c, QUANTITY_USER)) ||
	    isfinite(quantity_of_case(p->c, QUANTITY_SYS));
}

const struct case_table scaling_table = { case_columns, 0, 0 };
const struct case_table speedup_table = { speedup_columns, 1, 0 };
const struct case_table times_table = { times_columns, 0, 1 };
const struct case_table dlperf_table = { dlperf_columns, 1, 0 };

/* The keys that get a column: in flat formats the known ones; in tables of
 * times the labels, and framework, work and file if they differ; else none. */
static uint64_t
keys_shown(const struct series_set *set, const struct panel *p,
    const struct case_table *kind, const struct report_how *how)
{
	uint64_t keys = p->differing &
	    (SERIES_BIT(SERIES_FRAMEWORK) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_SOURCE));

	if (how->flat)
		return KEYS_ALWAYS |
		    keys_known(set,
			~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
			    (SERIES_BIT(SERIES_KIND) & ~set->differing)));
	for (size_t i = 0; i < p->n; i++)
		keys |= p->s[i]->known & ~(SERIES_BIT(SERIES_LABELS) - 1);
	return kind->of_times ? keys : 0;
}

/* One table; several series are groups of rows. */
static void
make_table(struct series_set *set, const struct panel *p,
    const struct case_table *kind, const struct report_how *how,
    struct table *t)
{
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	struct column_row x = { .t = t,
		.how = how,
		.arena = &set->arena,
		.set = set,
		.panel = p,
		.s = p->s[0],
		.p = &p->s[0]->points[0],
		.c = p->s[0]->points[0].c,
		.links = 1,
		.flags = &flags };
	uint64_t shown;

	x.keys = keys_shown(set, p, kind, how);
	if (!how->flat)
		table_title(t, "%s", panel_title(set, p, x.keys, how->lang));
	for (size_t k = 0; k < set->n_keys && !how->flat; k++)
		if (x.keys & SERIES_BIT(k))
			table_column(
			    t, keys_head(set, k, how->lang), NULL, TABLE_LEFT);
	shown = columns_add(kind->columns, &x);
	for (struct panel_point at = { NULL }; panel_next(p, &at);) {
		if (at.p == at.s->points && p->n > 1 && !how->flat)
			table_group(t,
			    kind->of_times
				? NULL
				: panel_series_name(set, p, at.i, how->lang));
		x.s = at.s;
		x.p = at.p;
		x.c = at.c;
		if (!kind->of_times || has_times(x.p))
			columns_row(kind->columns, shown, &x);
	}
	notes_flags(t, &flags);
	notes_measured(set, t, p, NOTES_SPEEDUPS, how);
	case_flags_release(&flags);
}

void
case_tables_make(struct series_set *set, const struct case_table *kind,
    const struct report_how *how, struct report_tables *list)
{
	struct panel all = panel_of_all(set, &set->arena);
	struct panel_list panels = { &all, 1 };

	if (how->flat && kind->of_series)
		kind = &scaling_table;
	if (!how->flat)
		panels = panel_split(set,
		    kind->of_series ? UINT64_MAX
				    : PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
	for (size_t i = 0; i < panels.n; i++) {
		int shown = !kind->of_times || how->flat;
		struct table *t;

		for (struct panel_point x = { NULL };
		     !shown && panel_next(&panels.items[i], &x);)
			shown = has_times(x.p);
		if (!shown)
			continue;
		t = report_tables_add(list);
		make_table(set, &panels.items[i], kind, how, t);
		if (i + 1 < panels.n || (kind->of_times && !how->flat))
			continue;
		notes_origins(t, set, how->lang);
		if (!kind->of_series)
			notes_excluded(t, set, how->lang);
	}
}
