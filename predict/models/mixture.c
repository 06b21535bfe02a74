#include <config.h>

#include "predict/models/mixture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "predict/models/constants.h"

enum { QUANTILE_STEPS = 100, QUANTILE_SCALES = 60, SUMS = 4, COARSE = 256 };

/* Of the scale: a step of Newton's below it leaves an error of its square. */
#define QUANTILE_NEAR 1e-9

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

/* The share below at, and the density there.  Four sums side by side, in fixed
 * order: a processor adds them at once. */
static double
mixture_value(const struct mixture *x, double at, double *density)
{
	const double scale = 1 / x->scale;
	double below[SUMS] = { 0 }, slope[SUMS] = { 0 };
	size_t i = 0;

	for (; i + SUMS <= x->n; i += SUMS)
		for (size_t k = 0; k < SUMS; k++) {
			const double z = (at - x->place[i + k]) * scale;
			const double r = 1 / sqrt(2 + z * z);
			const double w = x->weight[i + k] * r;

			below[k] += w * z;
			slope[k] += w * r * r;
		}
	for (; i < x->n; i++) {
		const double z = (at - x->place[i]) * scale;
		const double r = 1 / sqrt(2 + z * z);

		below[0] += x->weight[i] * z * r;
		slope[0] += x->weight[i] * r * r * r;
	}
	*density = ((slope[0] + slope[1]) + (slope[2] + slope[3])) * scale;
	return 0.5 + ((below[0] + below[1]) + (below[2] + below[3])) / 2;
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

/* Newton's steps from a start, and a bisection wherever one would leave the
 * bracket: a dozen values instead of sixty, to the same digits. */
static double
search_quantile(
    const struct mixture *x, double p, double low, double high, double at)
{
	for (int i = 0; i < QUANTILE_STEPS; i++) {
		double density, step, next;
		const double above = mixture_value(x, at, &density) - p;

		if (above < 0)
			low = at;
		else
			high = at;
		step = above / density;
		next = at - step;
		if (fabs(step) <= QUANTILE_NEAR * x->scale)
			return next;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		at = next;
	}
	return at;
}

/* The same weights in few components, each at the mean of those it is of: good
 * enough to start a search on all of them.
 *
 * low, high  of all places, low < high */
static void
coarsen_places(const struct mixture *x, double low, double high, double *place,
    double *weight)
{
	const double bins = COARSE / (high - low);

	memset(place, 0, COARSE * sizeof *place);
	memset(weight, 0, COARSE * sizeof *weight);
	for (size_t i = 0; i < x->n; i++) {
		const int bin = (int)((x->place[i] - low) * bins);
		const int to = bin < COARSE ? bin : COARSE - 1;

		weight[to] += x->weight[i];
		place[to] += x->weight[i] * x->place[i];
	}
	for (int i = 0; i < COARSE; i++)
		place[i] = weight[i] > 0 ? place[i] / weight[i] : low;
}

double
mixture_quantile(const struct mixture *x, double p)
{
	double low = INFINITY, high = -INFINITY, start;

	assert(x->n > 0 && p > 0 && p < 1);
	for (size_t i = 0; i < x->n; i++) {
		low = x->place[i] < low ? x->place[i] : low;
		high = x->place[i] > high ? x->place[i] : high;
	}
	start = low;
	if (low < high) {
		double place[COARSE], weight[COARSE];
		const struct mixture few = { .place = place,
			.weight = weight,
			.n = COARSE,
			.scale = x->scale };

		coarsen_places(x, low, high, place, weight);
		start =
		    search_quantile(&few, p, low - QUANTILE_SCALES * x->scale,
			high + QUANTILE_SCALES * x->scale, mixture_mean(&few));
	}
	return search_quantile(x, p, low - QUANTILE_SCALES * x->scale,
	    high + QUANTILE_SCALES * x->scale, start);
}

double
transfer_step(const struct transfer *f)
{
	return f->anchor + (f->sibling_target - f->sibling_anchor);
}

void
transfer_predict(const struct transfer *f, struct mixture *x)
{
	const struct prediction_constants *k = &prediction_constants;
	const double noise =
	    k->transfer_doubling_noise * log2(f->target_gpus / f->anchor_gpus);

	mixture_init(x,
	    sqrt(k->transfer_noise * k->transfer_noise + noise * noise +
		f->anchor_error * f->anchor_error));
	mixture_add(x, log(transfer_step(f)), 1);
}
