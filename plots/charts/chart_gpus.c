/* Charts over the number of GPUs: speedup, throughput, efficiency, their
 * baselines and predictions. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "plots/charts/chart.h"

/* Ratio of the baseline's GPUs to the case's; NAN if there is no baseline. */
static double
ideal_share(const struct result_case *c)
{
	return c->efficiency / c->speedup;
}

static struct chart_number
scaled(struct chart_number y, double times, double by)
{
	return (struct chart_number){ y.at * times / by, y.low * times / by,
		y.high * times / by };
}

/* Convert a series' value to the chart's CHART_OTHER; NAN if it has none. */
static double
other_of(const struct chart_data *d, const struct chart_series *s, double value,
    double gpus)
{
	const struct result_case *c = s->source->points[0].c;
	/* Samples of a step. */
	const double work = c->batch_size_per_device <= 0
	    ? NAN
	    : (double)c->batch_size_per_device *
		(s->is_strong ? (double)c->gpus : gpus);
	const double rate = work_kind_is_per_step(s->kind)
	    ? work_rate(s->kind, value, work)
	    : value;
	const double per_second = s->kind == WORK_JOB_TIME ? NAN : rate;

	switch (d->chart->other) {
	case OTHER_PER_GPU:
		return work_kind_is_time(s->kind) ? NAN : value / gpus;
	case OTHER_STEP_TIME:
		return s->kind == WORK_RATE && !unit_counts_samples(c->unit)
		    ? NAN
		    : work_kind_is_per_step(s->kind)
		    ? 1 / work_rate(s->kind, value, 1)
		    : work / per_second;
	case OTHER_COST:
		break;
	}
	return d->how.price > 0 ? d->how.price * gpus / 3600 * 1e6 / per_second
				: NAN;
}

/* Set CHART_OTHER from the point's value. */
static void
set_other(const struct chart_data *d, const struct chart_series *s,
    struct chart_point *p)
{
	const struct chart_number *v = &p->y[CHART_VALUE];
	const double low = other_of(d, s, v->low, p->x),
		     high = other_of(d, s, v->high, p->x);

	p->y[CHART_OTHER] = (struct chart_number){ other_of(d, s, v->at, p->x),
		low > high ? high : low, low > high ? low : high };
	p->level[CHART_OTHER] = p->level[CHART_VALUE];
}

/* Add a point for each case, those aside last: speed, speedup and efficiency in
 * %, with their intervals. Set the baseline from the first case that has one;
 * its value follows from the case's speed and gain.
 *
 * cases  of the series */
static void
fill_points(
    struct chart_data *d, struct chart_series *to, struct chart_case *cases)
{
	const size_t n = to->source->n_points;
	struct chart_point *aside = arena_calloc(&d->arena, n, sizeof *aside);
	size_t n_aside = 0;
	long last_gpus = 0;

	for (size_t i = 0; i < n; i++) {
		const struct result_case *c = cases[i].c;
		const double gain = to->flat ? c->efficiency : c->speedup;
		struct chart_point *p;
		struct chart_number *up;

		if (to->base_name == NULL && c->baseline != NULL &&
		    !isnan(ideal_share(c))) {
			to->base_name = c->baseline;
			to->base_flag = c->baseline_flag;
			to->base_gpus = ideal_share(c) * (double)c->gpus;
			to->base_value = work_kind_is_time(to->kind)
			    ? c->median_speed * gain
			    : c->median_speed / gain;
			to->base_other =
			    other_of(d, to, to->base_value, to->base_gpus);
		}
		if (c->gpus <= 0)
			continue; /* see missing_word */
		p = chart_case_add(to, (double)c->gpus, c, c->name);
		up = &p->y[CHART_SPEEDUP];
		*up = (struct chart_number){ c->speedup, c->speedup_low,
			c->speedup_high };
		p->y[CHART_EFFICIENCY] = scaled(*up, 100 * ideal_share(c), 1);
		p->y[CHART_EFFICIENCY].at = 100 * c->efficiency;
		p->level[CHART_SPEEDUP] = p->level[CHART_EFFICIENCY] =
		    c->speedup_level;
		set_other(d, to, p);
		p->is_open = case_is_doubtful(c, chart_is_of_speedup(d->chart));
		p->aside = c->gpus == last_gpus;
		cases[i].is_drawn = chart_point_is_drawn(d->chart, p);
		if (cases[i].is_drawn)
			last_gpus = c->gpus;
		if (p->aside)
			aside[n_aside++] = to->points[--to->n_points];
	}
	for (size_t i = 0; i < n_aside; i++)
		to->points[to->n_points++] = aside[i];
}

/* True if the series has speeds for more than one number of GPUs. */
static int
scales(const struct series *s)
{
	const struct series_point *first = NULL;

	for (size_t k = 0; k < s->n_points; k++) {
		const struct series_point *p = &s->points[k];

		if (!(p->c->median_speed > 0))
			continue;
		first = first != NULL ? first : p;
		if (p->c->gpus != first->c->gpus)
			return 1;
	}
	return 0;
}

/* Add the series of the set that have any value to draw. Next to other series,
 * the speedups of a series with one number of GPUs are meaningless: they are
 * removed, and its marks are drawn open. */
void
chart_fill_gpus(struct chart_data *d)
{
	struct chart_case *c = d->cases;
	int any_scales = 0;

	for (size_t i = 0; i < d->set->n; i++)
		any_scales |= scales(&d->set->items[i]);
	for (; c < d->cases + d->n_cases; c += c->s->n_points) {
		struct chart_series *s =
		    chart_series_add(d, c->name, c->s->n_points);
		const int is_lone = any_scales && !scales(c->s);
		int is_drawn = 0;

		s->source = c->s;
		if (d->set->n == 1)
			s->name = message(d->chart->title, d->lang);
		s->kind = work_kind_of(c->c->unit);
		s->is_strong =
		    result_rule_is_strong(&c->p->source->result.rule);
		s->flat = work_kind_is_per_step(s->kind) && !s->is_strong;
		fill_points(d, s, c);
		for (size_t k = 0; is_lone && k < s->n_points; k++) {
			struct chart_point *p = &s->points[k];

			p->is_open = 1;
			p->y[CHART_SPEEDUP] = chart_number_of(NAN);
			p->y[CHART_EFFICIENCY] = chart_number_of(NAN);
		}
		for (size_t k = 0; k < c->s->n_points; k++) {
			if (is_lone && chart_is_of_speedup(d->chart) &&
			    c[k].is_drawn) {
				c[k].is_drawn = 0;
				c[k].why = message(MESSAGE_ONE_COUNT, d->lang);
			}
			is_drawn |= c[k].is_drawn;
		}
		d->n_series -= !is_drawn;
	}
}

/* --- efficiencies as a grid ----------------------------------------------- */

void
chart_fill_grid(struct chart_data *d)
{
	const double *counts;
	struct chart_case *c = d->cases;

	for (; c < d->cases + d->n_cases; c += c->s->n_points) {
		struct chart_series *s =
		    chart_series_add(d, c->name, c->s->n_points);
		const char *cells = "", *text;
		long last = 0;

		s->source = c->s;
		for (size_t k = 0; k < c->s->n_points; k++) {
			const double share = c[k].c->efficiency;

			if (!isfinite(share) || c[k].c->gpus == last)
				continue;
			c[k].is_drawn = 1;
			last = c[k].c->gpus;
			text = arena_printf(&d->arena, "%.0f", 100 * share);
			chart_point_add(
			    s, (double)last, chart_number_of(share), text)
			    ->trend = 100 * share;
			cells = arena_join(&d->arena, cells, " ",
			    arena_printf(&d->arena, "%ld: %s %%", last, text));
		}
		if (s->n_points > 0)
			d->rows[d->n_rows++] =
			    (struct chart_row){ .name = s->name,
				    .texts = { cells, "", "" } };
		d->n_series -= s->n_points == 0;
	}
	/* Replace the numbers of GPUs by columns, and number the rows. */
	counts = chart_number_x(d);
	for (size_t i = 0; i < d->n_x_names; i++)
		d->x_names[i] = arena_printf(&d->arena, "%.0f", counts[i]);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			struct chart_point *p = &d->series[i].points[k];

			p->y[CHART_VALUE].at = p->x;
			p->x = (double)i + 1;
		}
	d->remark = chart_y_title(d, d->chart, &d->y);
}

/* --- a common baseline ---------------------------------------------------- */

int
chart_share_baseline(struct chart_data *d, struct error *e)
{
	const struct chart_series *base = d->series;
	const struct result_case *first;

	while (base < d->series + d->n_series && !isfinite(base->base_value))
		base++;
	if (base == d->series + d->n_series)
		return error_set(e, ERROR_EMPTY,
		    "--common-baseline: no case has a baseline");
	first = base->source->points[0].c;
	for (size_t i = 0; i < d->n_series + d->n_bands; i++) {
		struct chart_series *s = &d->series[i];
		const struct result_case *c = s->source->points[0].c;
		const double b = base->base_value;

		if (!unit_is_alike(c->unit, first->unit) ||
		    !text_same(c->work_unit, first->work_unit) ||
		    s->flat != base->flat)
			return error_set(e, ERROR_INPUT,
			    "--common-baseline: '%s' and '%s' have different "
			    "units",
			    base->name, s->name);
		if (s->source == base->source)
			continue;
		/* Intervals come from the series' own medians alone, as if the
		 * baseline were exact. */
		for (size_t k = 0; k < s->n_points; k++) {
			struct chart_point *p = &s->points[k];
			const struct chart_number *v = &p->y[CHART_VALUE];
			const double gpus = p->x / base->base_gpus;
			const double work = s->flat ? gpus : 1;

			p->y[CHART_SPEEDUP] = work_kind_is_time(s->kind)
			    ? (struct chart_number){ work * (b / v->at),
				      work * (b / v->high),
				      work * (b / v->low) }
			    : (struct chart_number){ work * (v->at / b),
				      work * (v->low / b),
				      work * (v->high / b) };
			p->y[CHART_EFFICIENCY] =
			    scaled(p->y[CHART_SPEEDUP], 100, gpus);
			p->level[CHART_SPEEDUP] = p->level[CHART_EFFICIENCY] =
			    p->level[CHART_VALUE];
		}
		s->base_name = base->base_name;
		s->base_gpus = base->base_gpus;
		s->base_value = b;
		s->base_flag = base->base_flag;
	}
	d->shared_base = base;
	return 0;
}

/* --- predictions ---------------------------------------------------------- */

/* True if the prediction is for this series. Keys that only one of them has, or
 * that describe how a series was measured, are ignored. */
static int
is_of(const struct series_set *set, const struct series *s,
    const struct prediction_series *p)
{
	const uint64_t measuring = SERIES_BIT(SERIES_UNIT) |
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_SOURCE) |
	    SERIES_BIT(SERIES_KIND);

	for (size_t i = 0; i < p->n_configuration; i++) {
		const struct result_pair *pair = &p->configuration[i];

		for (size_t k = 0; k < set->n_keys; k++)
			if (!(measuring & SERIES_BIT(k)) &&
			    s->values[k] != NULL && pair->value != NULL &&
			    strcmp(set->keys[k], pair->key) == 0 &&
			    strcmp(s->values[k], pair->value) != 0)
				return 0;
	}
	return work_kind_of(p->unit) == work_kind_of(s->points[0].c->unit);
}

static int
compare_cases(const void *a, const void *b)
{
	const struct prediction_case *x = *(struct prediction_case *const *)a,
				     *y = *(struct prediction_case *const *)b;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	return y->measured - x->measured; /* measured points first */
}

/* Add a band: the predicted cases and the adjacent measured ones, with their
 * speedups and efficiencies relative to the series' baseline. */
static void
add_band(struct chart_data *d, size_t series, const struct prediction_series *p)
{
	const struct prediction_case **cases =
	    arena_calloc(&d->arena, p->n_cases + 1, sizeof *cases);
	struct chart_series *to = chart_series_add(d, "", p->n_cases);
	struct chart_point *points = to->points;
	size_t n = 0;

	*to = d->series[series];
	to->band_of = (int)series;
	to->points = points;
	to->n_points = 0;
	for (size_t i = 0; i < p->n_cases; i++)
		if (p->cases[i].gpus > 0 && p->cases[i].speed > 0)
			cases[n++] = &p->cases[i];
	qsort(cases, n, sizeof *cases, compare_cases);
	for (size_t i = 0; i < n; i++) {
		const struct prediction_case *c = cases[i];
		const double low = c->first.low, high = c->first.high;
		const int known =
		    !c->measured && isfinite(low) && isfinite(high);
		const struct chart_number y = { c->speed,
			known ? low : c->speed, known ? high : c->speed };
		struct chart_point *pt;
		struct chart_number *up;

		/* Only one case per number of GPUs is on the line. */
		if (i > 0 && cases[i - 1]->gpus == c->gpus)
			continue;
		if (c->measured && !(i > 0 && !cases[i - 1]->measured) &&
		    !(i + 1 < n && !cases[i + 1]->measured))
			continue;
		pt = chart_point_add(to, (double)c->gpus, y, c->name);
		pt->level[CHART_VALUE] = c->first.level;
		up = &pt->y[CHART_SPEEDUP];
		*up = scaled(y, c->speedup / c->speed, 1);
		if (work_kind_is_time(to->kind)) {
			up->low = c->speedup * c->speed / y.high;
			up->high = c->speedup * c->speed / y.low;
		}
		up->at = c->speedup;
		pt->y[CHART_EFFICIENCY] =
		    scaled(*up, 100 * to->base_gpus / (double)c->gpus, 1);
		set_other(d, to, pt);
	}
	d->n_series--;
	d->n_bands += to->n_points > 1;
}

int
chart_bands_make(
    struct chart_data *d, const struct predictions *p, struct error *e)
{
	int found = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < p->n; k++)
			if (is_of(d->set, d->series[i].source, &p->items[k])) {
				found = 1;
				add_band(d, i, &p->items[k]);
			}
	if (p->n > 0 && !found)
		return error_set(e, ERROR_INPUT,
		    "'%s' predicts none of the configurations that are drawn",
		    p->items[0].path);
	return 0;
}
