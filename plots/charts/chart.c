/* Compute the data of a chart from a set of series. */
#include <config.h>

#include "plots/charts/chart.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

/* --- series and points ---------------------------------------------------- */

struct chart_series *
chart_series_add(struct chart_data *d, const char *name, size_t n)
{
	const size_t used = d->n_series++ + d->n_bands;
	struct chart_series *s;

	d->series = arena_grow(&d->arena, d->series, used, sizeof *d->series);
	s = &d->series[used];
	*s = (struct chart_series){ .name = name,
		.base_gpus = NAN,
		.base_value = NAN,
		.base_other = NAN,
		.mark_at = { NAN, NAN, NAN } };
	s->points = arena_calloc(&d->arena, n + 1, sizeof *s->points);
	return s;
}

struct chart_number
chart_number_of(double at)
{
	return (struct chart_number){ at, NAN, NAN };
}

struct chart_number
chart_percentiles(double *v, size_t n)
{
	const double median = stats_median_reorder(v, n);

	return (struct chart_number){ median, stats_quantile(v, n, 0.05),
		stats_quantile(v, n, 0.95) };
}

struct chart_point *
chart_point_add(
    struct chart_series *s, double x, struct chart_number y, const char *name)
{
	struct chart_point *p = &s->points[s->n_points++];

	*p = (struct chart_point){ .x = x, .name = name, .trend = NAN };
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		p->y[q] = chart_number_of(NAN);
		p->level[q] = NAN;
	}
	p->y[CHART_VALUE] = y;
	return p;
}

struct chart_point *
chart_case_add(struct chart_series *s, double x, const struct result_case *c,
    const char *name)
{
	struct chart_point *p = chart_point_add(s, x,
	    (struct chart_number){
		c->median_speed, c->median_low, c->median_high },
	    name);

	p->level[CHART_VALUE] = c->median_level;
	if (c->n_runs > 1 && c->n_runs <= CHART_MAX_RUNS_SHOWN) {
		p->runs = c->runs;
		p->n_runs = c->n_runs;
	}
	return p;
}

int
chart_point_is_drawn(const struct chart *chart, const struct chart_point *p)
{
	const double y = p->y[chart->quantity].at;

	return isfinite(y) && y > 0;
}

double
chart_run_value(const struct chart_data *d, const struct chart_series *s,
    const struct chart_point *p, enum chart_quantity quantity, size_t run)
{
	const double value = p->runs[run].value, median = p->y[CHART_VALUE].at;
	/* Times and costs fall as the speed rises. */
	const int falls =
	    quantity == CHART_OTHER && d->chart->other != OTHER_PER_GPU;

	if (quantity == CHART_VALUE)
		return value;
	return p->y[quantity].at *
	    (work_kind_is_time(s->kind) == falls ? value / median
						 : median / value);
}

double
chart_ideal(const struct chart_data *d, const struct chart_series *s,
    enum chart_quantity quantity, double gpus)
{
	const double speedup = gpus / s->base_gpus;

	switch (quantity) {
	case CHART_SPEEDUP:
		return speedup;
	case CHART_EFFICIENCY:
		return isnan(speedup) ? NAN : 100;
	case CHART_OTHER:
		return d->chart->other == OTHER_STEP_TIME && s->is_strong
		    ? s->base_other / speedup
		    : s->base_other;
	case CHART_VALUE:
		break;
	}
	if (s->flat)
		return isnan(speedup) ? NAN : s->base_value;
	return work_kind_is_time(s->kind) ? s->base_value / speedup
					  : s->base_value * speedup;
}

const char *
chart_case_name(
    struct chart_data *d, const struct chart_case *c, const char *separator)
{
	if (!d->one_shape || c->name[0] == '\0')
		return arena_join(&d->arena, c->name, separator, c->c->name);
	d->shape = c->c->name;
	return c->name;
}

/* --- numbers -------------------------------------------------------------- */

double
chart_fitting_unit(const char *unit, double low, double high, const char **name)
{
	static const char *const units[][3] = { { "s", "ms", "\xc2\xb5s" },
		{ "GB/s", "MB/s", "kB/s" } };
	double factor = 1;

	*name = unit;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2 && strcmp(unit, units[i][0]) == 0 &&
		     (high * factor < 1 ||
			 (low * factor < 0.1 && high * factor < 10));
		     k++) {
			*name = units[i][k + 1];
			factor *= 1000;
		}
	return factor;
}

/* "476 ± 15": a number in the unit of the y axis and the larger half of its
 * interval, which shows two digits; without an interval the number alone. */
static const char *
number_text(struct chart_data *d, double at, double half)
{
	const double times = d->y.times > 0 ? d->y.times : 1;
	const int is_large = d->y.high * times >= 1e6;
	const double by = is_large ? times / 1e6 : times;
	const int decimals =
	    interval_decimals(by * (at - half), by * (at + half));
	char text[UNITS_TEXT_SIZE];

	if (!(half > 0) || decimals > 9)
		return arena_printf(&d->arena, "%s%s",
		    number_format(text, by * at, 4), is_large ? " M" : "");
	return arena_printf(&d->arena, "%.*f \xc2\xb1 %.*f%s", decimals,
	    by * at, decimals, by * half, is_large ? " M" : "");
}

/* Write the numbers of the rows that have none yet: "476 ± 15", or for single
 * steps "281 [267, 295]". */
static void
fill_numbers(struct chart_data *d)
{
	const double times = d->y.times > 0 ? d->y.times : 1;

	for (size_t i = 0; i < d->n_rows; i++) {
		struct chart_row *row = &d->rows[i];
		const struct chart_number *y = &row->y;
		const char *brief = number_text(d, y->at, NAN), *full;
		char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

		if (row->texts[0] != NULL)
			continue;
		full = d->chart->of_steps
		    ? arena_printf(&d->arena, "%s [%s, %s]", brief,
			  number_format(low, y->low * times, 4),
			  number_format(high, y->high * times, 4))
		    : number_text(
			  d, y->at, fmax(y->high - y->at, y->at - y->low));
		row->texts[0] = row->texts[1] = full;
		row->texts[2] = brief;
	}
}

/* --- x axes --------------------------------------------------------------- */

/* Sorted distinct x positions of all points.
 *
 * n  set to their number, at least 1 */
static const double *
places_of(struct chart_data *d, size_t *n)
{
	double *x = NULL;
	size_t all = 0;

	for (size_t i = 0; i < d->n_series + d->n_bands; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			x = arena_grow(&d->arena, x, all, sizeof *x);
			x[all++] = d->series[i].points[k].x;
		}
	stats_sort(x, all);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (*n == 0 || x[*n - 1] < x[i])
			x[(*n)++] = x[i];
	return x;
}

const double *
chart_number_x(struct chart_data *d)
{
	const double *values = places_of(d, &d->n_x_names);

	d->x_names = arena_calloc(&d->arena, d->n_x_names, sizeof *d->x_names);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			double *x = &d->series[i].points[k].x;
			size_t place = 0;

			while (values[place] < *x)
				place++;
			*x = (double)place + 1;
		}
	return values;
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

int
chart_set_room(struct chart_data *d, int room, struct error *e)
{
	const struct chart *chart = d->chart;
	const int few = room / 8 > 2 ? room / 8 : 2;
	const int least = (int)strlen("geometric mean");
	size_t n;
	const double *places = places_of(d, &n);
	long *counts = arena_calloc(&d->arena, n, sizeof *counts);
	const char **rows =
	    arena_calloc(&d->arena, d->n_rows + 1, sizeof *rows);

	for (size_t i = 0; i < n; i++)
		counts[i] = lround(places[i]);
	for (size_t i = 0; i < d->n_rows; i++)
		rows[i] = d->rows[i].name;
	if (chart->sideways)
		axis_rows(rows, d->n_rows,
		    room * 2 / 5 > least ? room * 2 / 5 : least, &d->x);
	else if (chart->has_names)
		axis_names(d->x_names, d->n_x_names, room, &d->x);
	else if (chart->shows_link) /* sizes of messages */
		axis_sizes(places[0], places[n - 1], room, &d->x);
	else if (chart->of_steps)
		axis_linear(places[n - 1] > 0 ? places[n - 1] : 1, few, &d->x);
	else
		axis_counts(counts, n, room, d->linear, &d->x);
	return limit_axis("--x-range", &d->x, d->how.x_range, few, e);
}

/* --- y axes --------------------------------------------------------------- */

/* Range of a chart's values. */
struct chart_span {
	double low, high; /* of the values above 0 */
	double lowest;    /* of all values; high is their maximum too */
};

static void
extend_span(struct chart_span *span, double y)
{
	if (!isfinite(y))
		return;
	span->lowest = fmin(span->lowest, y);
	if (y > 0) {
		span->low = fmin(span->low, y);
		span->high = fmax(span->high, y);
	}
}

static struct chart_span
span_of(const struct chart_data *d, enum chart_quantity q)
{
	struct chart_span span = { INFINITY, 0, INFINITY };

	for (size_t i = 0; i < d->n_series + d->n_bands; i++) {
		const struct chart_series *s = &d->series[i];

		for (size_t k = 0; k < s->n_points; k++) {
			const struct chart_point *p = &s->points[k];

			extend_span(&span, p->y[q].at);
			if (p->y[q].low > 0) /* else cut off at the axis */
				extend_span(&span, p->y[q].low);
			extend_span(&span, p->y[q].high);
			extend_span(&span, chart_ideal(d, s, q, p->x));
			for (size_t r = 0; r < p->n_runs; r++)
				extend_span(
				    &span, chart_run_value(d, s, p, q, r));
		}
	}
	if (d->chart->is_ratio) {
		/* The band of equivalence around the line of no change. */
		extend_span(&span, 1 / (1 + d->delta));
		extend_span(&span, 1 + d->delta);
	}
	if (d->limit > 0)
		extend_span(&span, d->limit);
	return span;
}

/* Choose the limits and ticks of a y axis for the values. */
static void
choose_axis(const struct chart_data *d, const struct chart *chart,
    int logarithm, const struct chart_span *v, int max_ticks, struct axis *y)
{
	const struct chart_how *how = &d->how;

	if (how->y_from == START_DATA && !logarithm)
		axis_span(v->lowest, v->high, max_ticks, y);
	else if (chart->scale == CHART_PERCENT && !how->logarithmic &&
	    !how->linear)
		axis_linear(fmax(v->high, 100), max_ticks, y);
	else if (v->lowest < 0)
		axis_span(v->lowest, v->high, max_ticks, y);
	else if (!logarithm || v->lowest <= 0)
		axis_linear(v->high, max_ticks, y);
	else if (chart->scale == CHART_RATIO || d->is_relative)
		axis_ratio(v->low, v->high, max_ticks, y);
	else
		axis_amount(v->low, v->high, max_ticks, y);
}

/* Choose the y axis of the chart or of the second one beside it. Unless a range
 * is given, which is in the usual unit, choose a fitting unit too. Returns 0;
 * -1 with ERROR_INPUT if the requested logarithmic axis cannot show a value, or
 * with ERROR_USAGE if the axis cannot show the range. */
static int
set_y(const struct chart_data *d, const struct chart *chart,
    const double *range, struct axis *y, struct error *e)
{
	enum { LABEL = 9 }; /* characters of a label on the x axis, and a gap */
	const struct chart_how *how = &d->how;
	const int along_x = how->room / LABEL > 2 ? how->room / LABEL : 2;
	const int max_ticks = chart->sideways ? along_x : how->max_ticks;
	/* Other metrics than speed (shares, sizes) do not grow by factors. Step
	 * times of few GPUs do, next to speedups on linear axes. */
	const int linear =
	    chart->other == OTHER_STEP_TIME ? how->linear : d->linear;
	const int logarithm = (d->metric == NULL || how->logarithmic) &&
	    !linear && how->y_from != START_ZERO &&
	    chart->scale != CHART_FROM_ZERO &&
	    (chart->scale != CHART_PERCENT || how->logarithmic);
	const struct chart_span span = span_of(d, chart->quantity);
	const char *unit;

	if (chart->is_grid) {
		/* Columns get 4/5 of the room, the rows' names the rest. */
		axis_names(d->x_names, d->n_x_names, how->room * 4 / 5, y);
		return 0;
	}
	if (logarithm && span.lowest <= 0 && how->logarithmic)
		return error_set(e, ERROR_INPUT,
		    "--log: the chart '%s' has the value %g, which a "
		    "logarithmic axis cannot show",
		    chart->name, span.lowest);
	choose_axis(d, chart, logarithm, &span, max_ticks, y);
	if (range == NULL)
		axis_set_times(y,
		    chart_fitting_unit(chart_unit(d, chart),
			logarithm ? span.low : span.high, span.high, &unit));
	return limit_axis("--y-range", y, range, max_ticks, e);
}

/* --- colours, dashes and facets ------------------------------------------- */

enum { FEW_SERIES = 7 }; /* series that each get their own colour */

/* Number of a key, n_keys if it is NULL or unknown. */
static size_t
key_of(const struct series_set *set, const char *name)
{
	size_t k = 0;

	while (k < set->n_keys && !text_same(set->keys[k], name))
		k++;
	return k;
}

/* Series are grouped by a key of the set, or with BY_NAME by their names. */
enum { BY_NAME = SERIES_MAX_KEYS };

/* Groups of series that share a text, numbered in order of appearance. */
struct series_groups {
	int n;
	int largest; /* size of the largest */
	int number[CHART_MAX_SERIES];
	int rank[CHART_MAX_SERIES]; /* position in its group */
};

static struct series_groups
group_series(const struct chart_data *d, size_t by)
{
	struct series_groups g = { .n = 0 };
	const char *texts[CHART_MAX_SERIES];

	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		texts[i] = by == BY_NAME ? s->name : s->source->values[by];
		g.number[i] = -1;
		for (size_t k = 0; k < i; k++)
			if (text_same(texts[k], texts[i])) {
				g.number[i] = g.number[k];
				g.rank[i]++;
			}
		if (g.number[i] < 0)
			g.number[i] = g.n++;
		if (g.rank[i] >= g.largest)
			g.largest = g.rank[i] + 1;
	}
	return g;
}

static int
compare_facets(const void *a, const void *b)
{
	const struct chart_series *x = a, *y = b;

	if (x->facet != y->facet)
		return x->facet < y->facet ? -1 : 1;
	return x->mark - y->mark; /* keeps the original order */
}

static int
may_divide(const struct chart *chart)
{
	return chart->keyed && !chart->sideways;
}

/* Key that divides many series into the fewest small charts of at most
 * FEW_SERIES each, n_keys if none. The largest has at least two, or one if over
 * GPUs, since many crossing lines are easier to read one by one. */
static size_t
dividing_key(const struct chart_data *d)
{
	const uint64_t differ = d->set->differing & ~d->chart->over;
	size_t best = d->set->n_keys;
	int fewest = d->how.max_facets < CHART_MAX_FACETS ? d->how.max_facets
							  : CHART_MAX_FACETS;

	for (size_t k = 0; k < d->set->n_keys && d->n_series > FEW_SERIES &&
	     may_divide(d->chart);
	     k++) {
		const struct series_groups g = group_series(d, k);

		if ((differ & SERIES_BIT(k)) != 0 && g.n > 1 && g.n <= fewest &&
		    g.largest >= 2 - d->chart->over_gpus &&
		    g.largest <= FEW_SERIES) {
			best = k;
			fewest = g.n - 1;
		}
	}
	return best;
}

/* Set colour, mark, dash and facet of all series by the keys of d->how, and
 * sort the series by facet. Without any key each series has its own colour and
 * mark, and many series are divided by dividing_key. */
static void
compose(struct chart_data *d)
{
	const struct chart_how *how = &d->how;
	const size_t none = d->set->n_keys, dash = key_of(d->set, how->dash_by);
	const int asked = how->colour_by != NULL || how->dash_by != NULL ||
	    how->facet_by != NULL;
	const size_t colour = key_of(d->set, how->colour_by);
	size_t facet = key_of(d->set, how->facet_by);
	struct series_groups g;

	d->n_colours = (int)d->n_series;
	for (size_t i = 0; i < d->n_series; i++) {
		d->series[i].mark = d->series[i].colour = (int)i;
		d->series[i].dash = -1;
	}
	if (!d->chart->keyed)
		return;
	if (!asked)
		facet = dividing_key(d);
	if (facet < none) {
		const uint64_t rest =
		    d->set->differing & ~d->chart->over & ~SERIES_BIT(facet);

		/* Divide the series by a key and omit it from their names.
		 * Series that differ only in that key share a style. */
		g = group_series(d, facet);
		d->n_facets = (size_t)g.n;
		d->facets =
		    arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
		for (size_t i = 0; i < d->n_series; i++) {
			struct chart_series *s = &d->series[i];
			const char *name =
			    (s->part != NULL ? series_name_part : series_text)(
				d->set, s->source, rest, d->lang);

			s->facet = g.number[i];
			d->facets[s->facet] = series_text(
			    d->set, s->source, SERIES_BIT(facet), d->lang);
			s->name = arena_join(&d->arena, name, " ",
			    s->part != NULL ? s->part : "");
			if (s->name[0] == '\0')
				s->name = message(d->chart->title, d->lang);
		}
		qsort(
		    d->series, d->n_series, sizeof *d->series, compare_facets);
		g = group_series(d, BY_NAME);
		d->n_colours = g.n;
		for (size_t i = 0; i < d->n_series; i++) {
			d->series[i].colour = d->series[i].mark = g.number[i];
			d->series[i].dash = -1;
		}
	}
	if (colour < none) {
		/* Series of one colour differ in marks. */
		g = group_series(d, colour);
		d->n_colours = g.n;
		for (size_t i = 0; i < d->n_series; i++) {
			d->series[i].colour = g.number[i];
			d->series[i].mark = g.rank[i];
			d->series[i].dash = 0;
		}
	}
	if (dash < none) {
		g = group_series(d, dash);
		for (size_t i = 0; i < d->n_series; i++)
			d->series[i].dash = g.number[i];
	}
}

/* --- all of it ------------------------------------------------------------ */

/* Start a chart with the cases of the set. */
static struct chart_data
new_chart(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	struct chart_data d = { .chart = chart,
		.set = set,
		.e = e,
		.how = *how,
		.lang = how->lang,
		.one_shape = 1,
		.shape = "" };
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->items[i].n_points;
	d.cases = arena_calloc(&d.arena, n, sizeof *d.cases);
	d.rows = arena_calloc(&d.arena, n + 1, sizeof *d.rows);
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		/* Charts without full_names append the case's name. */
		const char *name =
		    (chart->full_names ? series_text : series_name_part)(
			set, s, set->differing, d.lang);

		for (size_t k = 0; k < s->n_points; k++) {
			d.cases[d.n_cases++] = (struct chart_case){ .s = s,
				.p = &s->points[k],
				.c = s->points[k].c,
				.name = name };
			d.one_shape &=
			    case_shape_order(d.cases->c, s->points[k].c) == 0;
		}
	}
	return d;
}

size_t
chart_n_parts(const struct chart_data *d)
{
	return d->n_rows > 0  ? d->n_rows
	    : d->n_facets > 0 ? d->n_facets
			      : d->n_series;
}

/* Keep the first rows, small charts or series, and the mean of all rows. */
static void
keep_most(struct chart_data *d, size_t most)
{
	const size_t n = chart_n_parts(d);
	size_t n_series = 0;

	if (n <= most)
		return;
	d->n_all = d->n_all > 0 ? d->n_all : n;
	if (d->n_rows > 0) {
		d->n_rows = most;
		if (d->has_mean)
			d->rows[most - 1] = d->rows[n - 1];
	} else if (d->n_facets > 0) {
		d->n_facets = most;
	} else {
		d->n_series = most;
	}
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		const size_t n_points = s->n_points;

		s->n_points = 0;
		for (size_t k = 0; k < n_points; k++) {
			struct chart_point p = s->points[k];

			if (p.change == 2)
				p.x = (double)most;
			else if (d->n_rows > 0 &&
			    p.x > (double)(most - (size_t)d->has_mean))
				continue;
			s->points[s->n_points++] = p;
		}
		if (s->n_points > 0 &&
		    (d->n_facets == 0 || s->facet < (int)d->n_facets))
			d->series[n_series++] = *s;
	}
	d->n_series = n_series;
}

/* Fill the series. Returns as chart_collect. */
static int
fill_series(struct chart_data *d, struct error *e)
{
	const struct chart *chart = d->chart;
	int any_gpus = 0;

	chart->fill(d);
	if (d->failed)
		return -1;
	keep_most(d,
	    d->n_rows > 0 && !chart->keyed ? AXIS_MAX_TICKS : CHART_MAX_SERIES);
	if (d->n_series > 0)
		return 0;
	if (chart->of_steps && d->how.records == NULL)
		return error_set(e, ERROR_USAGE,
		    "--chart=%s draws single steps, which a result lacks: "
		    "first extract_logs --records=steps.jsonl LOGS, then add "
		    "--records=steps.jsonl here",
		    chart->name);
	if (chart->other == OTHER_COST && !(d->how.price > 0))
		return error_set(e, ERROR_USAGE,
		    "--chart=cost needs --price=P, what a GPU costs per hour");
	if (!chart->over_gpus)
		return error_set(e, ERROR_EMPTY,
		    "there are no %s for the chart '%s'", chart->wants,
		    chart->name);
	for (size_t i = 0; i < d->n_cases; i++)
		any_gpus |= d->cases[i].c->gpus > 0;
	return error_set(e, ERROR_EMPTY,
	    "no case has a number for the chart '%s'%s", chart->name,
	    !any_gpus ? ": unknown number of GPUs; set it with extract_logs "
			"--gpus=N"
		: chart->quantity == CHART_VALUE ? ""
						 : " (is there a baseline?)");
}

/* Check a key that an option names. Returns 0, or -1 with ERROR_USAGE if it has
 * no effect on the chart or does not exist; in the latter case the message
 * lists the keys in which the series differ. */
static int
check_key(const struct chart *chart, const struct series_set *set,
    const char *option, const char *key, int has_effect, struct error *e)
{
	const size_t k = key_of(set, key);
	struct strbuf differ = STRBUF_INIT(256);

	if (key == NULL ||
	    (has_effect && k < set->n_keys &&
		(chart->over & SERIES_BIT(k)) == 0))
		return 0;
	for (size_t i = 0; i < set->n_keys; i++)
		if (set->differing & SERIES_BIT(i))
			strbuf_printf(&differ, "%s%s",
			    differ.len > 0 ? ", " : "", set->keys[i]);
	if (has_effect && k == set->n_keys)
		error_set(e, ERROR_USAGE,
		    "%s: there is no key '%s'; the series differ in: %s",
		    option, key, differ.len > 0 ? differ.buf : "nothing");
	else
		error_set(e, ERROR_USAGE, "%s has no effect on the chart '%s'",
		    option, chart->name);
	strbuf_release(&differ);
	return -1;
}

int
chart_honours(const struct chart *chart, const struct series_set *set,
    const struct chart_how *how, struct error *e)
{
	const int has_lines = chart->keyed && chart->sample <= LEGEND_STROKE;
	const struct {
		const char *option;
		int is_lost;
	} options[] = {
		{ "--common-baseline",
		    how->common_baseline && !chart->over_gpus },
		{ "a prediction",
		    how->predictions != NULL && !chart->over_gpus },
		{ "--link", how->link_gb_per_s > 0 && !chart->shows_link },
		{ "--price", how->price > 0 && chart->other != OTHER_COST },
		{ "--log",
		    how->logarithmic && chart->scale == CHART_FROM_ZERO },
		{ "--y-range", how->y_range != NULL && chart->is_grid },
		{ "--y-from",
		    how->y_from == START_DATA && chart->sample == LEGEND_BOX },
		{ "--x-range",
		    how->x_range != NULL &&
			(chart->has_names || chart->sideways) },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].is_lost)
			return error_set(e, ERROR_USAGE,
			    "%s has no effect on the chart '%s'",
			    options[i].option, chart->name);
	if (check_key(chart, set, "--facet-by", how->facet_by,
		may_divide(chart), e) != 0 ||
	    check_key(
		chart, set, "--color-by", how->colour_by, chart->keyed, e) != 0)
		return -1;
	return check_key(chart, set, "--dash-by", how->dash_by, has_lines, e);
}

/* Fill all fields of a new chart. Returns as chart_collect. */
static int
make_chart(struct chart_data *d, struct error *e)
{
	const struct result *first = &d->set->items[0].points[0].source->result;
	const struct chart_how *how = &d->how;
	const double link = how->link_gb_per_s, *places;
	const char *unit;
	double times;
	size_t n;

	d->is_time = first->rule.metric != NULL &&
	    strcmp(first->rule.metric, "throughput") != 0;
	d->metric = run_metric_find(first->rule.metric);
	if (fill_series(d, e) != 0)
		return -1;
	places = places_of(d, &n);
	d->linear = how->linear ||
	    (d->chart->linear_to > 0 && !how->logarithmic &&
		places[n - 1] <= d->chart->linear_to);
	compose(d);
	keep_most(d,
	    how->most > 0         ? how->most
		: d->n_facets > 0 ? CHART_MAX_FACETS
				  : SIZE_MAX);
	if ((how->predictions != NULL &&
		chart_bands_make(d, how->predictions, e) != 0) ||
	    (how->common_baseline && chart_share_baseline(d, e) != 0))
		return -1;
	if (link > 0) {
		times = chart_fitting_unit("GB/s", link, link, &unit);
		d->limit = link;
		d->limit_title = arena_printf(&d->arena, "%s: %.4g %s",
		    message(MESSAGE_LINK, d->lang), link * times, unit);
	}
	if (chart_set_room(d, how->room, e) != 0 ||
	    set_y(d, d->chart, how->y_range, &d->y, e) != 0)
		return -1;
	fill_numbers(d);
	chart_texts_set(d);
	if (d->chart->beside == NULL || d->n_facets > 0)
		return 0;
	d->second = chart_find(d->chart->beside);
	if (span_of(d, d->second->quantity).high == 0) {
		d->second = NULL; /* no speedup without a baseline */
		return 0;
	}
	if (set_y(d, d->second, NULL, &d->second_y, e) != 0)
		return -1;
	d->second_y_title = chart_y_title(d, d->second, &d->second_y);
	return 0;
}

int
chart_collect(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct chart_data *out, struct error *e)
{
	assert(set->n > 0);
	*out = (struct chart_data){ .n_series = 0 };
	if (chart_honours(chart, set, how, e) != 0)
		return -1;
	*out = new_chart(chart, set, how, e);
	if (make_chart(out, e) == 0)
		return 0;
	chart_release(out);
	return -1;
}

int
chart_is_possible(const struct chart *chart, struct series_set *set,
    const struct chart_how *how)
{
	const struct chart_how needed = { .records = how->records,
		.price = how->price };
	struct error e = ERROR_INIT;
	struct chart_data d = new_chart(chart, set, &needed, &e);
	long gpus = 0;
	int possible = 0;

	/* A failure counts as possible: drawing reports the error. */
	chart->fill(&d);
	if (!chart->over_gpus)
		possible = d.failed || d.n_series > 0;
	for (size_t i = 0; chart->over_gpus && i < d.n_cases; i++)
		if (d.cases[i].is_drawn) {
			possible |= gpus != 0 && d.cases[i].c->gpus != gpus;
			gpus = d.cases[i].c->gpus;
		}
	chart_release(&d);
	return possible;
}

void
chart_release(struct chart_data *d)
{
	arena_release(&d->arena);
	*d = (struct chart_data){ 0 };
}
