/* Charts over the number of GPUs: speedup, throughput, efficiency, their
 * baselines and predictions. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/result/predictions.h"
#include "plots/charts/chart.h"

/* Ratio of the baseline's GPUs to the case's; NAN if there is no baseline. */
static double
ideal_share(const struct result_case *c)
{
	return c->efficiency / c->speedup;
}

/* Set the speed of each GPU from the point's value, unless that is a time. */
static void
set_per_gpu(struct chart_point *p, const char *unit)
{
	const struct chart_number *v = &p->y[CHART_VALUE];

	if (work_kind_is_time(work_kind_of(unit)))
		return;
	p->y[CHART_PER_GPU] = (struct chart_number){ v->at / p->x,
		v->low / p->x, v->high / p->x };
	p->level[CHART_PER_GPU] = p->level[CHART_VALUE];
}

/* Add a point: a case's speed, speedup and efficiency in %, with their
 * intervals. */
static struct chart_point *
add_case(
    struct chart_data *d, struct chart_series *s, const struct result_case *c)
{
	struct case_flags flags = CASE_FLAGS_INIT(d->lang);
	const double share = 100 * ideal_share(c);
	struct chart_point *p = chart_case_add(s, (double)c->gpus, c, c->name);

	p->y[CHART_SPEEDUP] = (struct chart_number){ c->speedup, c->speedup_low,
		c->speedup_high };
	p->level[CHART_SPEEDUP] = c->speedup_level;
	p->y[CHART_EFFICIENCY] = (struct chart_number){ 100 * c->efficiency,
		c->speedup_low * share, c->speedup_high * share };
	p->level[CHART_EFFICIENCY] = c->speedup_level;
	set_per_gpu(p, c->unit);
	case_flags_marks(&flags, c, &d->arena);
	p->is_open = flags.n > 0;
	case_flags_release(&flags);
	return p;
}

/* Set the kind of values and whether their ideal is constant over GPUs. */
static void
fill_kind(struct chart_series *out, const struct series *s)
{
	const struct result *r = &s->points[0].source->result;

	out->kind = work_kind_of(s->points[0].c->unit);
	out->flat = work_kind_is_per_step(out->kind) &&
	    !result_rule_is_strong(&r->rule);
}

/* Compute the baseline's value from a case's value and its gain. */
static double
base_value(const struct chart_series *out, const struct result_case *c)
{
	const double gain = out->flat ? c->efficiency : c->speedup;

	return work_kind_is_time(out->kind) ? c->median_speed * gain
					    : c->median_speed / gain;
}

/* Set the baseline of the series from its first case that has one. */
static void
fill_base(struct chart_series *out, const struct series *s)
{
	out->base_gpus = out->base_value = NAN;
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;

		if (c->baseline == NULL || isnan(ideal_share(c)))
			continue;
		out->base_name = c->baseline;
		out->base_flag = c->baseline_flag;
		out->base_gpus = ideal_share(c) * (double)c->gpus;
		out->base_value = base_value(out, c);
		return;
	}
}

/* Recompute a series' speedups relative to another's baseline. The intervals
 * come from its own medians alone, as if the baseline were exact. */
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

/* True if both have the same unit and work. */
static int
units_are_alike(const struct chart_series *s, const struct chart_series *t)
{
	const struct result_case *x = s->source->points[0].c;
	const struct result_case *y = t->source->points[0].c;

	return unit_is_alike(x->unit, y->unit) && work_is_alike(x, y);
}

int
chart_share_baseline(struct chart_data *d, struct error *e)
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

/* Add the points on the line, then those aside. */
static void
fill_points(
    struct chart_data *d, struct chart_series *out, const struct series *s)
{
	for (int aside = 0; aside < 2; aside++) {
		long last_gpus = 0;

		for (size_t i = 0; i < s->n_points; i++) {
			const struct result_case *c = s->points[i].c;
			struct chart_point *p;

			if (c->gpus <= 0)
				continue; /* see say_missing */
			p = add_case(d, out, c);
			p->aside = c->gpus == last_gpus;
			if (chart_point_is_drawn(d->chart, p))
				last_gpus = c->gpus;
			out->n_points -= p->aside != aside;
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

/* Add a series of the set to the chart if it has any value to draw. */
int
chart_fill_gpus(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	(void)e;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *from = &set->items[i];
		struct chart_series *s =
		    chart_series_add(d, names[i], from->n_points);

		s->source = from;
		if (set->n == 1)
			s->name = message(from->points[0].text != NULL
				? MESSAGE_PUBLISHED
				: MESSAGE_MEASURED,
			    d->lang);
		fill_points(d, s, from);
		fill_kind(s, from);
		fill_base(s, from);
		d->n_series -= !has_drawn(d->chart, s);
	}
	return 0;
}

/* --- predictions ---------------------------------------------------------- */

/* Keys that describe how a series was measured. */
static int
is_of_measuring(size_t key)
{
	return key == SERIES_UNIT || key == SERIES_RULE ||
	    key == SERIES_SOURCE || key == SERIES_KIND;
}

/* True if the prediction is for this series. Keys that only one of them has are
 * ignored. */
static int
is_of(const struct series_set *set, const struct series *s,
    const struct prediction_series *p)
{
	for (size_t i = 0; i < p->n_configuration; i++) {
		const struct result_pair *pair = &p->configuration[i];

		for (size_t k = 0; k < set->n_keys; k++)
			if (!is_of_measuring(k) && s->values[k] != NULL &&
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

/* Add a predicted case: its speed, and its speedup and efficiency relative to
 * the series' baseline. */
static void
add_predicted(struct chart_series *to, const struct chart_series *s,
    const struct prediction_case *c)
{
	const int known =
	    !c->measured && isfinite(c->first.low) && isfinite(c->first.high);
	const struct chart_number y = { c->speed,
		known ? c->first.low : c->speed,
		known ? c->first.high : c->speed };
	const double gain = c->speedup / c->speed;
	const double share = 100 * s->base_gpus / (double)c->gpus;
	struct chart_point *p =
	    chart_point_add(to, (double)c->gpus, &y, c->first.level, c->name);
	struct chart_number *up = &p->y[CHART_SPEEDUP];

	*up = (struct chart_number){ c->speedup, y.low * gain, y.high * gain };
	if (work_kind_is_time(s->kind))
		*up = (struct chart_number){ c->speedup,
			c->speedup * c->speed / y.high,
			c->speedup * c->speed / y.low };
	p->y[CHART_EFFICIENCY] = (struct chart_number){ share * up->at,
		share * up->low, share * up->high };
	set_per_gpu(p, s->source->points[0].c->unit);
}

/* Add the predicted cases and the adjacent measured ones. */
static void
add_band(struct chart_data *d, size_t series, const struct prediction_series *p)
{
	struct chart_data one = { .arena = d->arena };
	const struct prediction_case **cases =
	    arena_calloc(&one.arena, p->n_cases + 1, sizeof *cases);
	struct chart_series *to = chart_series_add(&one, "", p->n_cases);
	size_t n = 0;

	for (size_t i = 0; i < p->n_cases; i++)
		if (p->cases[i].gpus > 0 && p->cases[i].speed > 0)
			cases[n++] = &p->cases[i];
	qsort(cases, n, sizeof *cases, compare_cases);
	for (size_t i = 0; i < n; i++) {
		const int next_to = (i > 0 && !cases[i - 1]->measured) ||
		    (i + 1 < n && !cases[i + 1]->measured);

		/* Only one case per number of GPUs is on the line. */
		if (i > 0 && cases[i]->gpus == cases[i - 1]->gpus)
			continue;
		if (!cases[i]->measured || next_to)
			add_predicted(to, &d->series[series], cases[i]);
	}
	d->arena = one.arena;
	if (to->n_points > 1)
		d->bands[d->n_bands++] = (struct chart_band){ (int)series,
			to->points, to->n_points };
}

int
chart_bands_make(struct chart_data *d, const struct series_set *set,
    const struct predictions *p, struct error *e)
{
	int found = 0;

	d->bands =
	    arena_calloc(&d->arena, p->n * d->n_series + 1, sizeof *d->bands);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < p->n; k++)
			if (is_of(set, d->series[i].source, &p->items[k])) {
				found = 1;
				add_band(d, i, &p->items[k]);
			}
	if (p->n > 0 && !found)
		return error_set(e, ERROR_INPUT,
		    "'%s' predicts none of the configurations that are drawn",
		    p->items[0].path);
	return 0;
}
