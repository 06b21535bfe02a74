/* Bands of predictions.  What was predicted and how is not known here: cases
 * with an interval each, of a configuration. */
#include <config.h>

#include "plots/charts/chart_band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/charts/chart_series.h"

/* Keys that name how a series was measured, not what it is of. */
static int
is_of_measuring(size_t key)
{
	return key == SERIES_UNIT || key == SERIES_RULE ||
	    key == SERIES_SOURCE || key == SERIES_KIND;
}

/* Is the prediction of this series?  What only one of the two knows does not
 * set them apart. */
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
	return y->measured - x->measured; /* what was measured first */
}

/* A case's speed, and what follows from it for a series that stands on its own
 * baseline. */
static void
add_case(struct chart_series *to, const struct chart_series *s,
    const struct prediction_case *c)
{
	const int known = !c->measured && isfinite(c->low) && isfinite(c->high);
	const struct chart_number y = { c->speed, known ? c->low : c->speed,
		known ? c->high : c->speed };
	const double gain = c->speedup / c->speed;
	const double share = 100 * s->base_gpus / (double)c->gpus;
	struct chart_point *p =
	    chart_point_add(to, (double)c->gpus, &y, c->level, c->name);
	struct chart_number *up = &p->y[CHART_SPEEDUP];

	*up = (struct chart_number){ c->speedup, y.low * gain, y.high * gain };
	if (work_kind_is_time(s->kind))
		*up = (struct chart_number){ c->speedup,
			c->speedup * c->speed / y.high,
			c->speedup * c->speed / y.low };
	p->y[CHART_EFFICIENCY] = (struct chart_number){ share * up->at,
		share * up->low, share * up->high };
}

/* The predicted cases, and the measured ones next to them. */
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

		/* Of cases with as many GPUs one is on the line. */
		if (i > 0 && cases[i]->gpus == cases[i - 1]->gpus)
			continue;
		if (!cases[i]->measured || next_to)
			add_case(to, &d->series[series], cases[i]);
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
		    "'%s' is a prediction of none of the configurations that "
		    "are drawn",
		    p->items[0].path);
	return 0;
}

size_t
chart_band_levels(const struct chart_data *d, double *levels, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_bands; i++)
		for (size_t k = 0; k < d->bands[i].n_points; k++) {
			const double level =
			    d->bands[i].points[k].level[CHART_VALUE];
			size_t j = 0;

			while (j < n && fabs(levels[j] - level) > 1e-9)
				j++;
			if (j == n && n < most && isfinite(level))
				levels[n++] = level;
		}
	return n;
}
