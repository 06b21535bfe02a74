/* The table of charts, and the numbers of one chart from a set of series.
 * main.c and draw.c call it; how a script is written, script.c knows. */
#include <config.h>

#include "plots/charts/chart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/series/metric_choice.h"
#include "plots/charts/chart_band.h"
#include "plots/charts/chart_compare.h"
#include "plots/charts/chart_points.h"
#include "plots/charts/chart_series.h"
#include "plots/charts/chart_texts.h"
#include "plots/charts/charts_case.h"
#include "plots/charts/chart_history.h"
#include "plots/charts/charts_collective.h"
#include "plots/charts/charts_steps.h"
#include "plots/charts/composition.h"

#define OVER_GPUS \
	MESSAGE_GPUS, NULL, NULL, NULL, 0, 0, LEGEND_LINE, 0, NULL, 0, 0, 0, \
	    0, 0, NULL

const struct chart charts[] = {
	{ "speedup", CHART_SPEEDUP, CHART_RATIO, MESSAGE_SPEEDUP, "×",
	    "speedup over the baseline, with the ideal line", OVER_GPUS },
	{ "throughput", CHART_VALUE, CHART_AMOUNT, MESSAGE_THROUGHPUT, NULL,
	    "median speed (or time), both axes logarithmic", OVER_GPUS },
	{ "efficiency", CHART_EFFICIENCY, CHART_PERCENT, MESSAGE_EFFICIENCY,
	    "%", "speedup divided by what the GPUs would give ideally",
	    OVER_GPUS },
	{ "bandwidth", CHART_VALUE, CHART_AMOUNT, MESSAGE_BUS_BANDWIDTH, "GB/s",
	    "bus bandwidth of collectives over their size, both axes "
	    "logarithmic",
	    MESSAGE_MESSAGE_SIZE, "B", bandwidth_fill, bandwidth_x, 0, 0,
	    LEGEND_LINE, 0, "bandwidths of collectives", 0, 0, 0, 0, 0,
	    bandwidth_draws },
	{ "collectives", CHART_VALUE, CHART_PERCENT, MESSAGE_TIME_SHARE, "%",
	    "time of collectives by their size, and how many they are",
	    MESSAGE_SIZE_UP_TO, NULL, sizes_fill, sizes_x, 1, 0, LEGEND_BOX, 0,
	    "times of collectives", 0, 1, MESSAGE_NOTE_COUNTS, 0, 0,
	    sizes_draws },
	{ "compare", CHART_VALUE, CHART_RATIO, MESSAGE_RATIO, "×",
	    "ratio of two results' speeds, new over old, with intervals",
	    MESSAGE_CASE, NULL, compare_fill, chart_rows_x, 0, 0, LEGEND_POINT,
	    0, "cases of two results", 0, 0, 0, 1, 0, NULL },
	{ "bars", CHART_VALUE, CHART_FROM_ZERO, MESSAGE_THROUGHPUT, NULL,
	    "medians side by side, with their intervals", MESSAGE_CASE, NULL,
	    bars_fill, bars_x, 0, 0, LEGEND_BOX, 1, "medians", 0, 0, 0, 0, 0,
	    bars_draws },
	{ "batch", CHART_VALUE, CHART_AMOUNT, MESSAGE_THROUGHPUT, NULL,
	    "median speed over the batch size of a device",
	    MESSAGE_BATCH_OF_DEVICE, NULL, batch_fill, NULL, 0, 0, LEGEND_LINE,
	    1, "cases of several batch sizes", 0, 0, 0, 0,
	    SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH),
	    batch_draws },
	{ "phases", CHART_VALUE, CHART_FROM_ZERO, MESSAGE_STEP_TIME, "ms",
	    "where the time of a mean step goes: data, compute, communication",
	    MESSAGE_CASE, NULL, phases_fill, phases_x, 0, 1, LEGEND_BOX, 0,
	    "phases of steps, as logs of train_imagenet have them", 0, 1,
	    MESSAGE_NOTE_PHASES, 0, 0, phases_draws },
	{ "steps", CHART_VALUE, CHART_AMOUNT, MESSAGE_STEP_TIME, NULL,
	    "time (or speed) of each step, with the window that was measured",
	    MESSAGE_STEP, NULL, steps_fill, steps_x, 0, 0, LEGEND_STROKE, 1,
	    "records of these runs' steps", 1, 1, MESSAGE_NOTE_STEPS, 0, 0,
	    NULL },
	{ "spread", CHART_VALUE, CHART_AMOUNT, MESSAGE_STEP_TIME, NULL,
	    "how the steps of each run's window are spread", MESSAGE_RUN, NULL,
	    spread_fill, chart_rows_x, 0, 0, LEGEND_POINT, 1,
	    "records of these runs' steps", 1, 1, MESSAGE_NOTE_SPREAD, 1, 0,
	    NULL },
	{ "loss", CHART_VALUE, CHART_AMOUNT, MESSAGE_LOSS, "",
	    "training loss over steps", MESSAGE_STEP, NULL, loss_fill, steps_x,
	    0, 0, LEGEND_STROKE, 1, "losses of steps", 1, 1,
	    MESSAGE_NOTE_RUNNING_MEDIAN, 0, 0, NULL },
	{ "loss-time", CHART_VALUE, CHART_AMOUNT, MESSAGE_LOSS, "",
	    "training loss over time", MESSAGE_TIME, "s", loss_time_fill,
	    steps_x, 0, 0, LEGEND_STROKE, 1, "losses of steps of known time", 1,
	    1, MESSAGE_NOTE_RUNNING_MEDIAN, 0, 0, NULL },
	{ "accuracy", CHART_VALUE, CHART_PERCENT, MESSAGE_ACCURACY, "%",
	    "top-1 accuracy of training batches over steps", MESSAGE_STEP, NULL,
	    accuracy_fill, steps_x, 0, 0, LEGEND_STROKE, 1,
	    "accuracies of steps", 1, 1, MESSAGE_NOTE_RUNNING_MEDIAN, 0, 0,
	    NULL },
	{ "history", CHART_VALUE, CHART_AMOUNT, MESSAGE_THROUGHPUT, NULL,
	    "medians over time and their levels; drawn by report_results "
	    "--history=FILE plot",
	    MESSAGE_COMMIT_OR_DATE, NULL, history_fill, history_x, 1, 0,
	    LEGEND_POINT, 0, "two moments of a history", 0, 1,
	    MESSAGE_NOTE_LEVELS, 0, 0, NULL },
	{ .name = NULL },
};

const struct chart *
chart_find(const char *name)
{
	for (const struct chart *c = charts; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* --- points --------------------------------------------------------------- */

double
chart_run_value(const struct chart_series *s, const struct chart_point *p,
    enum chart_quantity quantity, size_t run)
{
	const double value = p->runs[run].value, median = p->y[CHART_VALUE].at;

	if (quantity == CHART_VALUE)
		return value;
	return p->y[quantity].at *
	    (work_kind_is_time(s->kind) ? median / value : value / median);
}

static int
is_time_metric(const struct series *s)
{
	const char *metric = s->points[0].source->result.rule.metric;

	return metric != NULL && strcmp(metric, "throughput") != 0;
}

/* What the values are and what ideally becomes of them on more GPUs. */
static void
fill_kind(struct chart_series *out, const struct series *s)
{
	const struct result *r = &s->points[0].source->result;

	out->kind = work_kind_of(s->points[0].c->unit);
	out->flat = work_kind_is_per_step(out->kind) &&
	    !result_rule_is_strong(&r->rule);
}

/* The baseline's value out of that of a case that stands on it. */
static double
base_value(const struct chart_series *out, const struct result_case *c)
{
	const double gain = out->flat ? c->efficiency : c->speedup;

	return work_kind_is_time(out->kind) ? c->median_speed * gain
					    : c->median_speed / gain;
}

/* Where the series' speedups stand: its first case that has a baseline states
 * it. */
static void
fill_base(struct chart_series *out, const struct series *s)
{
	out->base_gpus = out->base_value = NAN;
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;

		if (c->baseline == NULL || isnan(chart_ideal_share(c)))
			continue;
		out->base_name = c->baseline;
		out->base_flag = c->baseline_flag;
		out->base_gpus = chart_ideal_share(c) * (double)c->gpus;
		out->base_value = base_value(out, c);
		return;
	}
}

/* Let a series stand on another's baseline: its speedups are over that one, its
 * intervals those of its medians, as if the baseline were exact. */
static void
rebase_series(struct chart_series *s, const struct chart_series *base)
{
	const int is_time = work_kind_is_time(s->kind);

	for (size_t k = 0; k < s->n_points; k++) {
		struct chart_point *p = &s->points[k];
		const struct chart_number *v = &p->y[CHART_VALUE];
		struct chart_number *up = &p->y[CHART_SPEEDUP];
		struct chart_number *eff = &p->y[CHART_EFFICIENCY];
		const double gpus = p->x / base->base_gpus;
		const double work = s->flat ? gpus : 1;
		const double b = base->base_value;

		up->at = work * (is_time ? b / v->at : v->at / b);
		up->low = work * (is_time ? b / v->high : v->low / b);
		up->high = work * (is_time ? b / v->low : v->high / b);
		p->level[CHART_SPEEDUP] = p->level[CHART_VALUE];
		p->level[CHART_EFFICIENCY] = p->level[CHART_VALUE];
		*eff = (struct chart_number){ 100 * up->at / gpus,
			100 * up->low / gpus, 100 * up->high / gpus };
	}
	s->base_name = base->base_name;
	s->base_gpus = base->base_gpus;
	s->base_value = base->base_value;
	s->base_flag = base->base_flag;
}

/* Do both count the same? */
static int
units_are_alike(const struct chart_series *s, const struct chart_series *t)
{
	const struct result_case *x = s->source->points[0].c;
	const struct result_case *y = t->source->points[0].c;

	return unit_is_alike(x->unit, y->unit) && work_is_alike(x, y);
}

/* The first series that has a baseline gives it to all.  Returns 0; -1 with
 * ERROR_EMPTY if none has one, ERROR_INPUT where one is of another unit. */
static int
share_baseline(struct chart_data *d, struct error *e)
{
	const struct chart_series *base = NULL;

	for (size_t i = 0; base == NULL && i < d->n_series; i++)
		if (isfinite(d->series[i].base_value))
			base = &d->series[i];
	if (base == NULL)
		return error_set(e, ERROR_EMPTY,
		    "--common-baseline: no case has a baseline");
	for (size_t i = 0; i < d->n_series; i++) {
		if (!units_are_alike(&d->series[i], base) ||
		    d->series[i].flat != base->flat)
			return error_set(e, ERROR_INPUT,
			    "--common-baseline: '%s' and '%s' have different "
			    "units",
			    base->name, d->series[i].name);
		if (&d->series[i] != base)
			rebase_series(&d->series[i], base);
	}
	for (size_t i = 0; i < d->n_bands; i++) {
		struct chart_band *b = &d->bands[i];
		struct chart_series s = d->series[b->series];

		s.points = b->points;
		s.n_points = b->n_points;
		if (&d->series[b->series] != base)
			rebase_series(&s, base);
	}
	d->shared_base = base;
	return 0;
}

/* Points that lie on the line first, then those aside. */
static void
fill_points(
    struct chart_data *d, struct chart_series *out, const struct series *s)
{
	long last_gpus;

	for (int aside = 0; aside < 2; aside++) {
		last_gpus = 0;
		for (size_t i = 0; i < s->n_points; i++) {
			const struct result_case *c = s->points[i].c;
			struct chart_point *p = &out->points[out->n_points];

			if (c->gpus <= 0)
				continue; /* has no place; see say_missing */
			chart_point_of_case(p, c);
			p->aside = c->gpus == last_gpus;
			if (chart_point_is_drawn(d->chart, p))
				last_gpus = c->gpus;
			if (p->aside == aside)
				out->n_points++;
		}
	}
}

static int
has_drawn(const struct chart *chart, const struct chart_series *s)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (chart_point_is_drawn(chart, &s->points[i]))
			return 1;
	return 0;
}

/* --- axes ----------------------------------------------------------------- */

double
chart_ideal(
    const struct chart_series *s, enum chart_quantity quantity, double gpus)
{
	double speedup = gpus / s->base_gpus;

	switch (quantity) {
	case CHART_SPEEDUP:
		return speedup;
	case CHART_EFFICIENCY:
		return isnan(speedup) ? NAN : 100;
	case CHART_VALUE:
		break;
	}
	if (s->flat)
		return isnan(speedup) ? NAN : s->base_value;
	return work_kind_is_time(s->kind) ? s->base_value / speedup
					  : s->base_value * speedup;
}

/* What the numbers of a chart reach. */
struct chart_span {
	double low, high; /* of those above 0 */
	double lowest;    /* of all; none is above high */
	size_t n;
};

static void
extend_limits(struct chart_span *span, double y)
{
	if (!isfinite(y))
		return;
	span->n++;
	span->lowest = fmin(span->lowest, y);
	if (y <= 0)
		return;
	span->low = fmin(span->low, y);
	span->high = fmax(span->high, y);
}

/* Runs that are a little beyond the medians and intervals are in the axis's
 * margin. */
static void
extend_by_runs(const struct chart_data *d, int linear, struct chart_span *span)
{
	const double margin = linear ? AXIS_LINEAR_MARGIN : AXIS_LOG_MARGIN;
	const double from = span->low / margin, to = span->high * margin;

	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		for (size_t k = 0; k < s->n_points; k++)
			for (size_t r = 0; r < s->points[k].n_runs; r++) {
				const double v = chart_run_value(
				    s, &s->points[k], d->chart->quantity, r);

				if (v < from || v > to)
					extend_limits(span, v);
			}
	}
}

static struct chart_span
chart_span_of(const struct chart_data *d, int linear)
{
	const enum chart_quantity q = d->chart->quantity;
	struct chart_span span = { INFINITY, 0, INFINITY, 0 };

	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		for (size_t k = 0; k < s->n_points; k++) {
			const struct chart_point *p = &s->points[k];

			extend_limits(&span, p->y[q].at);
			if (p->y[q].low > 0) /* cut off at the axis's end */
				extend_limits(&span, p->y[q].low);
			extend_limits(&span, p->y[q].high);
			extend_limits(&span, chart_ideal(s, q, p->x));
		}
	}
	for (size_t i = 0; i < d->n_bands; i++)
		for (size_t k = 0; k < d->bands[i].n_points; k++) {
			const struct chart_band *b = &d->bands[i];

			extend_limits(&span, b->points[k].y[q].low);
			extend_limits(&span, b->points[k].y[q].high);
			extend_limits(&span,
			    chart_ideal(
				&d->series[b->series], q, b->points[k].x));
		}
	extend_by_runs(d, linear, &span);
	if (d->chart->title == MESSAGE_RATIO) {
		/* The line of no change, and what is as good. */
		extend_limits(&span, 1 / (1 + d->delta));
		extend_limits(&span, 1 + d->delta);
	}
	if (d->mean.at > 0) {
		extend_limits(&span, d->mean.low);
		extend_limits(&span, d->mean.high);
	}
	extend_limits(&span, d->limit > 0 ? d->limit : NAN);
	return span;
}

/* Has the y axis a logarithm, as far as what is asked for goes? */
static int
wants_logarithm(const struct chart_data *d, const struct chart_how *how)
{
	const struct chart *chart = d->chart;

	/* Shares and sizes are not multiplied from case to case. */
	if (d->metric != NULL && !how->logarithmic)
		return 0;
	return !how->linear && chart->scale != CHART_FROM_ZERO &&
	    (chart->scale != CHART_PERCENT || how->logarithmic);
}

/* Labels of values that fit: along the x axis where the chart is sideways,
 * next to names that take half of it. */
static int
max_value_ticks(const struct chart *chart, const struct chart_how *how)
{
	enum { LABEL = 9 }; /* characters, with a gap */
	const int n = how->room / LABEL;

	if (!chart->sideways)
		return how->max_ticks;
	return n < 2 ? 2 : n;
}

/* Returns 0; -1 with ERROR_INPUT if what was asked for cannot be. */
static int
fill_y(struct chart_data *d, const struct chart_how *how, struct error *e)
{
	const int max_ticks = max_value_ticks(d->chart, how);
	const int logarithm = wants_logarithm(d, how);
	const struct chart_span span = chart_span_of(d, !logarithm);

	if (logarithm && span.lowest <= 0 && how->logarithmic)
		return error_set(e, ERROR_INPUT,
		    "--log: the chart '%s' has a value of %g, which has no "
		    "place on a logarithmic axis",
		    d->chart->name, span.lowest);
	if (d->chart->scale == CHART_PERCENT && !how->logarithmic &&
	    !how->linear)
		axis_percent(span.high, max_ticks, &d->y);
	else if (span.lowest < 0)
		axis_span(span.lowest, span.high, max_ticks, &d->y);
	else if (!logarithm || span.lowest <= 0)
		axis_linear(span.high, max_ticks, &d->y);
	else if (d->chart->scale == CHART_RATIO || d->is_relative)
		axis_ratio(span.low, span.high, max_ticks, &d->y);
	else
		axis_amount(span.low, span.high, max_ticks, &d->y);
	return 0;
}

/* --- all of it ------------------------------------------------------------ */

/* Is the number of GPUs of some case known? */
static int
any_gpus(const struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			if (set->items[i].points[k].c->gpus > 0)
				return 1;
	return 0;
}

/* A series of the set becomes one of the chart, if it has a number for it. */
static void
fill_over_gpus(struct chart_data *d, const struct series_set *set,
    const char *const *names, enum language lang)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct series *from = &set->items[i];
		struct chart_series *s =
		    chart_series_add(d, names[i], from->n_points);

		s->source = from;
		if (set->n == 1)
			s->name = message(from->points[0].text != NULL
				? MESSAGE_PUBLISHED
				: MESSAGE_MEASURED,
			    lang);
		fill_points(d, s, from);
		fill_kind(s, from);
		fill_base(s, from);
		d->n_series -= !has_drawn(d->chart, s);
	}
}

static int
fill_series(struct chart_data *d, struct series_set *set,
    const char *const *names, enum language lang, struct error *e)
{
	if (d->chart->fill == NULL)
		fill_over_gpus(d, set, names, lang);
	else if (d->chart->fill(d, set, names, e) != 0)
		return -1;
	if (d->n_series == 0 && d->chart->of_steps && d->records == NULL)
		return error_set(e, ERROR_USAGE,
		    "--chart=%s draws single steps: pass --records=FILE, as "
		    "extract_logs --records=FILE wrote it",
		    d->chart->name);
	if (d->n_series == 0 && d->chart->fill != NULL)
		return error_set(e, ERROR_EMPTY,
		    "there are no %s for the chart '%s'", d->chart->wants,
		    d->chart->name);
	if (d->n_series == 0)
		return error_set(e, ERROR_EMPTY,
		    "no case has a number for the chart '%s'%s", d->chart->name,
		    !any_gpus(set)
			? ": no number of GPUs is known; extract_logs "
			  "--gpus=N states it"
			: d->chart->quantity == CHART_VALUE
			? ""
			: " (is there a baseline?)");
	if (d->n_series > CHART_MAX_SERIES)
		return error_set(e, ERROR_LIMIT,
		    "%zu series in one chart, more than %d cannot be "
		    "distinguished; choose by --select=KEY=VALUE",
		    d->n_series, CHART_MAX_SERIES);
	return 0;
}

/* Options that a chart has no use for, first to last. */
enum { N_CHART_OPTIONS = 10 };

/* Is the key of that name along the x axis? */
static int
is_over(
    const struct chart *chart, const struct series_set *set, const char *name)
{
	for (size_t k = 0; name != NULL && k < set->n_keys; k++)
		if ((chart->over & SERIES_BIT(k)) != 0 &&
		    strcmp(set->keys[k], name) == 0)
			return 1;
	return 0;
}

int
chart_honours(const struct chart *chart, const struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	static const char is_along_x[] = "that key is along the x axis";
	const int of_gpus = chart->fill == NULL;
	const struct {
		const char *option, *why;
		int asked, honoured;
	} options[N_CHART_OPTIONS] = {
		{ "--facet-by", "it is never divided", how->facet_by != NULL,
		    composition_may_divide(chart) },
		{ "--color-by", "its series are not those of the configuration",
		    how->colour_by != NULL, of_gpus || chart->keyed },
		{ "--dash-by", "it has no lines of such series",
		    how->dash_by != NULL,
		    of_gpus ||
			(chart->keyed &&
			    legend_sample_is_line(chart->sample)) },
		{ "--facet-by", is_along_x, is_over(chart, set, how->facet_by),
		    0 },
		{ "--color-by", is_along_x, is_over(chart, set, how->colour_by),
		    0 },
		{ "--dash-by", is_along_x, is_over(chart, set, how->dash_by),
		    0 },
		{ "--common-baseline", "it has no baseline",
		    how->common_baseline, of_gpus },
		{ "a prediction", "it is not over the number of devices",
		    how->predictions != NULL, of_gpus },
		{ "--link", "it shows no bandwidths", how->link_gb_per_s > 0,
		    chart->fill == bandwidth_fill },
		{ "--log", "lengths begin at 0", how->logarithmic,
		    chart->sample != LEGEND_BOX },
	};

	for (int i = 0; i < N_CHART_OPTIONS; i++)
		if (options[i].asked && !options[i].honoured)
			return error_set(e, ERROR_USAGE,
			    "%s means nothing to the chart '%s': %s",
			    options[i].option, chart->name, options[i].why);
	return 0;
}

int
chart_collect(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct chart_data *out, struct error *e)
{
	uint64_t differ = set->differing;
	const char **names;

	assert(set->n > 0);
	*out = (struct chart_data){ .chart = chart,
		.lang = how->lang,
		.records = how->records,
		.comparison = how->comparison };
	if (chart_honours(chart, set, how, e) != 0)
		return -1;
	out->is_time = is_time_metric(&set->items[0]);
	out->metric = metric_choice_of(&set->items[0].points[0].source->result);
	names = arena_calloc(&out->arena, set->n, sizeof *names);
	/* Other charts than these add the case's name. */
	for (size_t i = 0; i < set->n; i++)
		names[i] = chart->fill == NULL || chart->fill == bars_fill
		    ? series_text(set, &set->items[i], differ, how->lang)
		    : series_name_part(set, &set->items[i], differ, how->lang);
	if (fill_series(out, set, names, how->lang, e) != 0) {
		chart_release(out);
		return -1;
	}
	chart_styles_set(out);
	if (((chart->fill == NULL || chart->keyed) &&
		composition_set(out, set, how, e) != 0) ||
	    (how->predictions != NULL &&
		chart_bands_make(out, set, how->predictions, e) != 0) ||
	    (how->common_baseline && share_baseline(out, e) != 0)) {
		chart_release(out);
		return -1;
	}
	if (how->link_gb_per_s > 0) {
		out->limit = how->link_gb_per_s;
		out->limit_title = arena_printf(&out->arena, "%s: %.4g GB/s",
		    message(MESSAGE_LINK, how->lang), out->limit);
	}
	chart_texts_set(out, set, names, how);
	chart_set_room(out, how->room, how->linear);
	if (fill_y(out, how, e) != 0) {
		chart_release(out);
		return -1;
	}
	return 0;
}

void
chart_set_room(struct chart_data *d, int room, int linear)
{
	if (d->chart->fill_x != NULL)
		d->chart->fill_x(d, room);
	else
		chart_counts_x(d, room, linear);
}

/* Has the set what the chart draws, at two numbers of GPUs at least?  One is no
 * scaling; bandwidths have no speedup. */
static int
has_quantity(const struct chart *chart, const struct series_set *set)
{
	long gpus = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct series_point *p = &set->items[i].points[k];

			if (!chart_draws(chart, p))
				continue;
			if (gpus != 0 && p->c->gpus != gpus)
				return 1;
			gpus = p->c->gpus;
		}
	return 0;
}

int
chart_is_possible(const struct chart *chart, struct series_set *set,
    const struct step_records *records)
{
	struct chart_data d = { .chart = chart, .records = records };
	struct error e = ERROR_INIT;
	const char **names;
	int possible;

	if (chart->fill == NULL)
		return has_quantity(chart, set);
	names = arena_calloc(&d.arena, set->n, sizeof *names);
	for (size_t i = 0; i < set->n; i++)
		names[i] = "";
	/* What it has but cannot draw is reported as it is drawn. */
	possible = chart->fill(&d, set, names, &e) != 0 || d.n_series > 0;
	chart_release(&d);
	return possible;
}

void
chart_release(struct chart_data *d)
{
	arena_release(&d->arena);
	*d = (struct chart_data){ 0 };
}
