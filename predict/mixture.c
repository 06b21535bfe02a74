/* Student's t of 2 degrees, mixed.  doubling.c and transfer.c fill one, the
 * forecast asks it for quantiles.  Thousands of components are summed for each
 * value, so the loop is kept plain. */
#include <config.h>

#include "predict/mixture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

enum { QUANTILE_STEPS = 100, QUANTILE_SCALES = 60 };

void
mixture_init(struct mixture *x, double scale)
{
	*x = (struct mixture){ .scale = scale };
}

void
mixture_release(struct mixture *x)
{
	free(x->place);
	free(x->weight);
	*x = (struct mixture){ 0 };
}

void
mixture_add(struct mixture *x, double place, double weight)
{
	x->place = vec_grow(x->place, x->n, &x->alloc_places, sizeof *x->place);
	x->weight =
	    vec_grow(x->weight, x->n, &x->alloc_weights, sizeof *x->weight);
	x->place[x->n] = place;
	x->weight[x->n++] = weight;
}

/* The share below at, and the density there. */
static double
mixture_value(const struct mixture *x, double at, double *density)
{
	const double scale = 1 / x->scale;
	double below = 0, slope = 0;

	for (size_t i = 0; i < x->n; i++) {
		const double z = (at - x->place[i]) * scale;
		const double r = 1 / sqrt(2 + z * z);

		below += x->weight[i] * z * r;
		slope += x->weight[i] * r * r * r;
	}
	*density = slope * scale;
	return 0.5 + below / 2;
}

double
mixture_below(const struct mixture *x, double at)
{
	double density;

	return mixture_value(x, at, &density);
}

double
mixture_mean(const struct mixture *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += x->weight[i] * x->place[i];
	return sum;
}

/* Newton's steps, and a bisection wherever one would leave the bracket: a
 * dozen values instead of sixty, to the same digits. */
double
mixture_quantile(const struct mixture *x, double p)
{
	double low = INFINITY, high = -INFINITY, at;

	assert(x->n > 0 && p > 0 && p < 1);
	for (size_t i = 0; i < x->n; i++) {
		low = fmin(low, x->place[i]);
		high = fmax(high, x->place[i]);
	}
	low -= QUANTILE_SCALES * x->scale;
	high += QUANTILE_SCALES * x->scale;
	at = mixture_mean(x);
	for (int i = 0; i < QUANTILE_STEPS; i++) {
		double density, next;
		const double above = mixture_value(x, at, &density) - p;

		if (above < 0)
			low = at;
		else
			high = at;
		next = at - above / density;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		if (fabs(next - at) <= 1e-15 * (1 + fabs(at)))
			return next;
		at = next;
	}
	return at;
}
