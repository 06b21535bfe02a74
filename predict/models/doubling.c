/* Anchor, ceilings and the mixture of the doubling model.  forecast.c calls it
 * after refusal.c let the row through. */
#include <config.h>

#include "predict/models/doubling.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

static const struct prediction_constants *const k = &prediction_constants;

double
doubling_straggler(enum doubling_axis axis)
{
	return axis == DOUBLING_ROW ? k->straggler_row : k->straggler_column;
}

void
doubling_init(struct doubling *d, enum doubling_axis axis,
    const struct scaling_point *points, size_t n,
    const double prior[GROWTH_RHOS])
{
	assert(n > 0);
	d->axis = axis;
	d->points = points;
	d->n = n;
	d->weights = xmalloc(sizeof *d->weights);
	growth_weigh(points, n, doubling_straggler(axis), prior, d->weights);
}

void
doubling_release(struct doubling *d)
{
	free(d->weights);
	d->weights = NULL;
}

int
doubling_is_saturated(const struct scaling_point *points, size_t n)
{
	const struct scaling_point *a, *b;
	double growth;

	if (n < 2)
		return 0;
	a = &points[n - 2];
	b = &points[n - 1];
	growth = log((b->gpus / b->t) / (a->gpus / a->t)) / log2(b->m / a->m);
	return growth < log(k->saturated_growth);
}

size_t
doubling_anchor(const struct scaling_point *points, size_t n, double m)
{
	size_t best = 0;

	/* One half and twice m are as near to it: the product of two counts
	 * decides, not two rounded logarithms. */
	for (size_t i = 1; i < n; i++)
		if (points[i].m <= m || points[i].m * points[best].m <= m * m)
			best = i;
	return best;
}

/* Speed may stop rising: a share of all weights goes to where it does.
 *
 * doublings  from the anchor, > 0
 * stays      ln t if speed stays as it is at the anchor */
static void
add_ceilings(
    const struct doubling *d, double doublings, double stays, struct mixture *x)
{
	const int saturated = d->axis == DOUBLING_COLUMN &&
	    doubling_is_saturated(d->points, d->n);
	const int parts = saturated ? 1 : CEILINGS;
	const double middle = mixture_mean(x);
	double q = d->axis == DOUBLING_ROW ? k->ceiling_row : k->ceiling_column;
	double chance;

	if (saturated)
		q = k->ceiling_saturated;
	chance = 1 - pow(1 - q, doublings);
	for (size_t i = 0; i < x->n; i++)
		x->weight[i] *= 1 - chance;
	for (int i = 1; i <= parts; i++)
		mixture_add(x,
		    middle + (double)i / parts * fmax(0, stays - middle),
		    chance / parts);
}

void
doubling_predict(
    const struct doubling *d, double m, double gpus, struct mixture *x)
{
	const struct scaling_point *a =
	    &d->points[doubling_anchor(d->points, d->n, m)];
	const double doublings = fabs(log2(m / a->m));
	const double noise = k->doubling_noise * doublings;
	const double level = log(a->t) +
	    doubling_straggler(d->axis) *
		(expected_largest(gpus) - expected_largest(a->gpus));

	double costs[COSTS];

	for (int j = 0; j < COSTS; j++)
		costs[j] = growth_cost(j);
	mixture_init(x,
	    sqrt(k->anchor_noise * k->anchor_noise + noise * noise +
		a->s * a->s));
	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi = growth_phi(growth_rho(i), m);
		const double phi_a = growth_phi(growth_rho(i), a->m);

		for (int j = 0; j < COSTS; j++) {
			const double g = 1 + costs[j] * phi;
			const double g_a = 1 + costs[j] * phi_a;

			if (d->weights->w[i][j] > 0)
				mixture_add(x,
				    level +
					log(fmax(g, k->least_step) /
					    fmax(g_a, k->least_step)),
				    d->weights->w[i][j]);
		}
	}
	if (m > d->points[d->n - 1].m)
		add_ceilings(d, doublings, log(a->t) + log(gpus / a->gpus), x);
}
