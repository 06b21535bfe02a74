/* Compute the data of a chart from a set of series. */
#include <config.h>

#include "plots/charts/chart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
	case CHART_PER_GPU:
		return s->base_value / s->base_gpus;
	case CHART_VALUE:
		break;
	}
	if (s->flat)
		return isnan(speedup) ? NAN : s->base_value;
	return work_kind_is_time(s->kind) ? s->base_value / speedup
					  : s->base_value * speedup;
}

/* Range of a chart's values. */
struct chart_span {
	double low, high; /* of the values above 0 */
	double lowest;    /* of all values; high is their maximum too */
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

/* Include the runs. Runs slightly outside the range of medians and intervals
 * fit into the axis's margin and do not extend it. */
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
			if (p->y[q].low > 0) /* otherwise cut off at the axis */
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
	if (d->chart->is_ratio) {
		/* The band of equivalence around the line of no change. */
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

/* True if the chart and the options call for a logarithmic y axis. */
static int
wants_logarithm(const struct chart_data *d, const struct chart_how *how)
{
	const struct chart *chart = d->chart;

	/* Other metrics (shares, sizes) do not grow by factors. */
	if (d->metric != NULL && !how->logarithmic)
		return 0;
	return !d->linear && how->y_from != START_ZERO &&
	    chart->scale != CHART_FROM_ZERO &&
	    (chart->scale != CHART_PERCENT || how->logarithmic);
}

/* Number of value labels that fit; a sideways chart has them along the x
 * axis. */
static int
max_value_ticks(const struct chart *chart, const struct chart_how *how)
{
	enum { LABEL = 9 }; /* characters, including a gap */
	const int n = how->room / LABEL;

	if (!chart->sideways)
		return how->max_ticks;
	return n < 2 ? 2 : n;
}

/* Apply the range of an option. Returns 0, or -1 with ERROR_USAGE. */
static int
limit_axis(const char *option, struct axis *a, const double *range,
    int max_ticks, struct error *e)
{
	double low, high;

	if (range == NULL)
		return 0;
	low = isnan(range[0]) ? a->low : range[0];
	high = isnan(range[1]) ? a->high : range[1];
	if (!(low < high) || (a->base > 0 && low <= 0))
		return error_set(e, ERROR_USAGE,
		    "%s: %g:%g is not a range of this%s axis", option, low,
		    high, a->base > 0 ? " logarithmic" : "");
	axis_limit(a, low, high, max_ticks);
	return 0;
}

/* Returns 0; -1 with ERROR_INPUT if a value has no place on the logarithmic
 * axis asked for. */
static int
fill_y(struct chart_data *d, const struct chart_how *how, struct error *e)
{
	const int max_ticks = max_value_ticks(d->chart, how);
	const int logarithm = wants_logarithm(d, how);
	const struct chart_span span = chart_span_of(d, !logarithm);

	if (logarithm && span.lowest <= 0 && how->logarithmic)
		return error_set(e, ERROR_INPUT,
		    "--log: the chart '%s' has the value %g, which a "
		    "logarithmic axis cannot show",
		    d->chart->name, span.lowest);
	if (how->y_from == START_DATA && !logarithm)
		axis_span(span.lowest, span.high, max_ticks, &d->y);
	else if (d->chart->scale == CHART_PERCENT && !how->logarithmic &&
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
	return limit_axis("--y-range", &d->y, how->y_range, max_ticks, e);
}

/* --- all of it ------------------------------------------------------------ */

/* True if any case has a known number of GPUs. */
static int
any_gpus(const struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			if (set->items[i].points[k].c->gpus > 0)
				return 1;
	return 0;
}

static int
fill_series(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	if (d->chart->fill(d, set, names, e) != 0)
		return -1;
	if (d->n_series == 0 && d->chart->of_steps && d->records == NULL)
		return error_set(e, ERROR_USAGE,
		    "--chart=%s draws single steps: pass the --records=FILE "
		    "that extract_logs --records=FILE wrote",
		    d->chart->name);
	if (d->n_series == 0 && !d->chart->over_gpus)
		return error_set(e, ERROR_EMPTY,
		    "there are no %s for the chart '%s'", d->chart->wants,
		    d->chart->name);
	if (d->n_series == 0)
		return error_set(e, ERROR_EMPTY,
		    "no case has a number for the chart '%s'%s", d->chart->name,
		    !any_gpus(set)
			? ": unknown number of GPUs; set it with extract_logs "
			  "--gpus=N"
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

/* Rate of one GPU; NAN for times. */
static double
per_gpu_speed(const struct result_case *c)
{
	return work_kind_is_time(work_kind_of(c->unit))
	    ? NAN
	    : c->median_speed / (double)c->gpus;
}

int
chart_draws(const struct chart *chart, const struct series_point *p)
{
	const double values[CHART_N_QUANTITIES] = { p->c->median_speed,
		p->c->speedup, p->c->efficiency, per_gpu_speed(p->c) };
	const double value = values[chart->quantity];

	if (!chart->over_gpus)
		return chart->draws == NULL || chart->draws(p->c);
	return p->c->gpus > 0 && isfinite(value) && value > 0;
}

/* True if the x axis stands for the named key. */
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
	const struct {
		const char *option, *why;
		int is_lost;
	} options[] = {
		{ "--facet-by", "it is never divided",
		    how->facet_by != NULL && !composition_may_divide(chart) },
		{ "--color-by", "its series are not those of the configuration",
		    how->colour_by != NULL && !chart->keyed },
		{ "--dash-by", "it has no lines of such series",
		    how->dash_by != NULL &&
			!(chart->keyed &&
			    legend_sample_is_line(chart->sample)) },
		{ "--facet-by", is_along_x,
		    is_over(chart, set, how->facet_by) },
		{ "--color-by", is_along_x,
		    is_over(chart, set, how->colour_by) },
		{ "--dash-by", is_along_x, is_over(chart, set, how->dash_by) },
		{ "--common-baseline", "it has no baseline",
		    how->common_baseline && !chart->over_gpus },
		{ "a prediction", "it is not over the number of devices",
		    how->predictions != NULL && !chart->over_gpus },
		{ "--link", "it shows no bandwidths",
		    how->link_gb_per_s > 0 && !chart->shows_link },
		{ "--log", "lengths begin at 0",
		    how->logarithmic && chart->scale == CHART_FROM_ZERO },
		{ "--y-from", "lengths begin at 0",
		    how->y_from == START_DATA && chart->sample == LEGEND_BOX },
		{ "--x-range", "its x axis has names",
		    how->x_range != NULL &&
			(chart->fill_x == chart_names_x ||
			    chart->fill_x == chart_sizes_x ||
			    chart->fill_x == chart_rows_x) },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].is_lost)
			return error_set(e, ERROR_USAGE,
			    "%s has no effect on the chart '%s': %s",
			    options[i].option, chart->name, options[i].why);
	return 0;
}

/* Fill the title and axis of the chart beside this one. */
static int
fill_second(struct chart_data *d, struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	struct chart_how own = *how;
	struct chart_data other = *d;
	int rc;

	own.y_range = NULL; /* of the first chart */
	other.chart = chart_find(d->chart->beside);
	chart_axis_titles_set(&other, set);
	rc = fill_y(&other, &own, e);
	d->arena = other.arena;
	d->second = other.chart;
	d->second_y = other.y;
	d->second_y_title = other.y_title;
	return rc;
}

/* True if no x is beyond the chart's limit for linear axes. */
static int
ends_by(const struct chart_data *d)
{
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			if (d->series[i].points[k].x > d->chart->linear_to)
				return 0;
	return 1;
}

/* Fill all fields of a chart. Returns as chart_collect. */
static int
make_chart(struct chart_data *d, struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	const struct result *first = &set->items[0].points[0].source->result;
	const char **names;

	d->is_time = first->rule.metric != NULL &&
	    strcmp(first->rule.metric, "throughput") != 0;
	d->metric = run_metric_find(first->rule.metric);
	names = arena_calloc(&d->arena, set->n, sizeof *names);
	/* Charts without full_names append the case's name themselves. */
	for (size_t i = 0; i < set->n; i++)
		names[i] = d->chart->full_names
		    ? series_text(
			  set, &set->items[i], set->differing, how->lang)
		    : series_name_part(
			  set, &set->items[i], set->differing, how->lang);
	if (fill_series(d, set, names, e) != 0)
		return -1;
	d->linear = how->linear ||
	    (d->chart->linear_to > 0 && !how->logarithmic && ends_by(d));
	chart_styles_set(d);
	if ((d->chart->keyed && composition_set(d, set, how, e) != 0) ||
	    (how->predictions != NULL &&
		chart_bands_make(d, set, how->predictions, e) != 0) ||
	    (how->common_baseline && chart_share_baseline(d, e) != 0))
		return -1;
	if (how->link_gb_per_s > 0) {
		d->limit = how->link_gb_per_s;
		d->limit_title = arena_printf(&d->arena, "%s: %.4g GB/s",
		    message(MESSAGE_LINK, how->lang), d->limit);
	}
	chart_texts_set(d, set, names, how->title);
	if (chart_set_room(d, how, how->room, e) != 0 || fill_y(d, how, e) != 0)
		return -1;
	return d->chart->beside != NULL && d->n_facets == 0
	    ? fill_second(d, set, how, e)
	    : 0;
}

int
chart_collect(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct chart_data *out, struct error *e)
{
	assert(set->n > 0);
	*out = (struct chart_data){ .chart = chart,
		.lang = how->lang,
		.records = how->records,
		.comparison = how->comparison };
	if (chart_honours(chart, set, how, e) == 0 &&
	    make_chart(out, set, how, e) == 0)
		return 0;
	chart_release(out);
	return -1;
}

int
chart_set_room(struct chart_data *d, const struct chart_how *how, int room,
    struct error *e)
{
	if (d->chart->fill_x != NULL)
		d->chart->fill_x(d, room);
	else
		chart_counts_x(d, room);
	return limit_axis(
	    "--x-range", &d->x, how->x_range, room / 8 > 2 ? room / 8 : 2, e);
}

/* True if the set has values to draw at two or more numbers of GPUs; a single
 * number shows no scaling. */
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

	if (chart->over_gpus)
		return has_quantity(chart, set);
	names = arena_calloc(&d.arena, set->n, sizeof *names);
	for (size_t i = 0; i < set->n; i++)
		names[i] = "";
	/* A failure counts as possible: drawing reports the error. */
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
