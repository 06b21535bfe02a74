/* The doubling model: weights of its two parameters on a grid, mixtures, and
 * ceilings. */
#include <config.h>

#include "predict/models/models.h"

#include <assert.h>
#include <string.h>

#include "common/stats/distribution.h"

/* --- the grid and its weights --------------------------------------------- */

double
growth_phi(double rho, double m)
{
	return (1 - pow(m, log2(rho))) / (1 - rho);
}

double
expected_largest(double n)
{
	return n > 1 ? normal_quantile((n - 0.375) / (n + 0.25)) : 0;
}

/* rho and a of the grid, both ascending. */
static double
growth_rho(int i)
{
	return K_RHO_STEP * (i + 1) - K_RHO_FIRST;
}

static double
growth_cost(int i)
{
	static const double gains[COST_GAINS] = K_GAINS;
	const int last = COST_LOSSES - 1;

	if (i < COST_GAINS)
		return gains[i];
	return K_LOSS_FIRST *
	    pow(K_LOSS_FACTOR, (double)(i - COST_GAINS) / last);
}

/* Scale x so that its sum is total. */
static void
normalise_sum(double *x, size_t n, double total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	assert(sum > 0);
	for (size_t i = 0; i < n; i++)
		x[i] *= total / sum;
}

static double
straggler_of(enum doubling_axis axis)
{
	return axis == DOUBLING_ROW ? K_STRAGGLER_ROW : K_STRAGGLER_COLUMN;
}

/* Set w to prior times likelihood of the increments: Student's t with 2 degrees
 * of freedom, which is robust to an outlier.
 *
 * prior  of rho; NULL: none
 *
 * Lange, Little, Taylor 1989, JASA 84, for t instead of normal errors. */
static void
weigh(enum doubling_axis axis, const struct scaling_point *p, size_t n,
    const double *prior, double w[GROWTH_RHOS][COSTS])
{
	double costs[COSTS], cost_prior[COSTS], largest = -INFINITY;

	for (int j = 0; j < COSTS; j++) {
		double z;

		costs[j] = growth_cost(j);
		z = (log(costs[j]) - log(K_LOSS_MIDDLE)) / K_LOSS_WIDTH;
		cost_prior[j] = j < COST_GAINS
		    ? exp(-fabs(costs[j]) / K_GAIN_SCALE)
		    : exp(-z * z / 2);
	}
	normalise_sum(cost_prior, COST_GAINS, K_GAIN_WEIGHT);
	normalise_sum(cost_prior + COST_GAINS, COST_LOSSES, K_LOSS_WEIGHT);
	memset(w, 0, sizeof(double[GROWTH_RHOS][COSTS]));
	for (; n > 1; n--, p++) {
		const double noise = K_DOUBLING_NOISE * log2(p[1].m / p[0].m);
		const double ln_t = log(p[1].t / p[0].t) -
		    straggler_of(axis) *
			(expected_largest(p[1].gpus) -
			    expected_largest(p[0].gpus));
		const double variance = K_INCREMENT_NOISE * K_INCREMENT_NOISE +
		    noise * noise + p[0].s * p[0].s + p[1].s * p[1].s;

		for (int i = 0; i < GROWTH_RHOS; i++) {
			const double phi0 = growth_phi(growth_rho(i), p[0].m);
			const double phi1 = growth_phi(growth_rho(i), p[1].m);

			for (int j = 0; j < COSTS; j++) {
				const double g0 = 1 + costs[j] * phi0;
				const double g1 = 1 + costs[j] * phi1;
				const double z = ln_t - log(g1 / g0);

				w[i][j] -=
				    g0 <= K_LEAST_STEP || g1 <= K_LEAST_STEP
				    ? INFINITY
				    : 1.5 * log1p(z * z / (2 * variance));
			}
		}
	}
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			largest = fmax(largest, w[i][j]);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			w[i][j] = exp(w[i][j] - largest) *
			    ((prior != NULL ? prior[i] : 1) * cost_prior[j]);
	normalise_sum(&w[0][0], (size_t)GROWTH_RHOS * COSTS, 1);
}

/* --- siblings ------------------------------------------------------------- */

/* near[f][i]: weight of rho i for the habit f; sums over i are 1. */
static void
habit_kernel(double near[GROWTH_RHOS][GROWTH_RHOS])
{
	for (int f = 0; f < GROWTH_RHOS; f++) {
		for (int i = 0; i < GROWTH_RHOS; i++) {
			double z =
			    (growth_rho(i) - growth_rho(f)) / K_POOL_WIDTH;

			near[f][i] = exp(-z * z / 2);
		}
		normalise_sum(near[f], GROWTH_RHOS, 1);
	}
}

void
growth_evidence(
    const struct scaling_point *points, size_t n, double evidence[GROWTH_RHOS])
{
	double w[GROWTH_RHOS][COSTS], near[GROWTH_RHOS][GROWTH_RHOS];

	weigh(DOUBLING_ROW, points, n, NULL, w);
	habit_kernel(near);
	memset(evidence, 0, GROWTH_RHOS * sizeof *evidence);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		double of_rho = 0;

		for (int j = 0; j < COSTS; j++)
			of_rho += w[i][j];
		for (int f = 0; f < GROWTH_RHOS; f++)
			evidence[f] += near[f][i] * of_rho;
	}
}

void
growth_pool(const double *const *evidence, size_t n, double prior[GROWTH_RHOS])
{
	double near[GROWTH_RHOS][GROWTH_RHOS], habit[GROWTH_RHOS];

	for (int i = 0; i < GROWTH_RHOS; i++)
		prior[i] = pow(growth_rho(i), K_RHO_POWER) *
		    exp(-growth_rho(i) / K_RHO_SCALE);
	normalise_sum(prior, GROWTH_RHOS, 1);
	if (n == 0)
		return;
	memcpy(habit, prior, sizeof habit);
	for (size_t j = 0; j < n; j++) {
		for (int f = 0; f < GROWTH_RHOS; f++)
			habit[f] *= evidence[j][f];
		normalise_sum(habit, GROWTH_RHOS, 1);
	}
	habit_kernel(near);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		double sum = 0;

		for (int f = 0; f < GROWTH_RHOS; f++)
			sum += habit[f] * near[f][i];
		prior[i] = K_POOL_WEIGHT * sum + (1 - K_POOL_WEIGHT) * prior[i];
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}

/* --- mixtures ------------------------------------------------------------- */

enum { QUANTILE_STEPS = 100, QUANTILE_SCALES = 60 };

/* Of the scale: a step of Newton's below it leaves an error of its square. */
#define QUANTILE_NEAR 1e-9

static void
mixture_add(struct mixture *x, double place, double weight)
{
	assert(x->n < MIXTURE_MAX);
	x->place[x->n] = place;
	x->weight[x->n++] = weight;
}

/* Weighted mean of the component middles. */
static double
mixture_mean(const struct mixture *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += x->weight[i] * x->place[i];
	return sum;
}

/* Newton's method, with a bisection where a step would leave the bracket. */
static double
mixture_quantile(const struct mixture *x, double p)
{
	double low = INFINITY, high = -INFINITY, at = mixture_mean(x);

	assert(x->n > 0 && p > 0 && p < 1);
	for (size_t i = 0; i < x->n; i++) {
		low = fmin(low, x->place[i]);
		high = fmax(high, x->place[i]);
	}
	low -= QUANTILE_SCALES * x->scale;
	high += QUANTILE_SCALES * x->scale;
	for (int i = 0; i < QUANTILE_STEPS; i++) {
		double below = 0, slope = 0, step, next;

		for (size_t k = 0; k < x->n; k++) {
			const double z = (at - x->place[k]) / x->scale;
			const double r = 1 / sqrt(2 + z * z);

			below += x->weight[k] * r * z;
			slope += x->weight[k] * r * r * r;
		}
		below = 0.5 + below / 2 - p;
		if (below < 0)
			low = at;
		else
			high = at;
		step = below / (slope / x->scale);
		next = at - step;
		if (fabs(step) <= QUANTILE_NEAR * x->scale)
			return next;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		at = next;
	}
	return at;
}

double
prediction_quantile(const struct prediction *x, double p)
{
	const double middle = mixture_quantile(&x->median, 0.5);

	if (p == 0.5)
		return middle;
	return p < 0.5 ? fmin(mixture_quantile(&x->interval, p), middle)
		       : fmax(mixture_quantile(&x->interval, p), middle);
}

void
transfer_predict(
    double step, double doublings, double error, struct prediction *x)
{
	const double noise = K_TRANSFER_DOUBLING_NOISE * doublings;

	x->median.n = 0;
	x->median.scale = sqrt(K_TRANSFER_NOISE * K_TRANSFER_NOISE +
	    noise * noise + error * error);
	mixture_add(&x->median, log(step), 1);
	x->interval = x->median;
}

/* --- prediction ----------------------------------------------------------- */

/* Cost of a doubling between two points, in ln t. */
static double
doubling_cost(const struct scaling_point *p)
{
	return log(p[1].t / p[0].t) / log2(p[1].m / p[0].m);
}

void
doubling_init(struct doubling *d, enum doubling_axis axis,
    const struct scaling_point *points, size_t n,
    const double prior[GROWTH_RHOS])
{
	const struct scaling_point *last = &points[n - 1];
	double below = 0;

	assert(n > 0);
	d->axis = axis;
	d->points = points;
	d->n = n;
	weigh(axis, points, n, prior, d->weight);
	for (int i = 0; below < 0.5; i++) {
		for (int j = 0; j < COSTS; j++)
			below += d->weight[i][j];
		d->growth = growth_rho(i);
	}
	d->saturated = n > 1 &&
	    log((last->gpus / last->t) / (last[-1].gpus / last[-1].t)) /
		    log2(last->m / last[-1].m) <
		log(K_SATURATED_GROWTH);
	d->rising = n > 2 &&
	    doubling_cost(last - 1) > doubling_cost(last - 2) + K_RISING;
}

/* Move a share of the weights to ceilings: parts of the way to a speed that
 * stays as it is at the anchor, ln t stays. */
static void
add_ceilings(double share, int parts, double stays, struct mixture *x)
{
	const double middle = mixture_mean(x);

	for (size_t i = 0; i < x->n; i++)
		x->weight[i] *= 1 - share;
	for (int i = 1; i <= parts; i++)
		mixture_add(x,
		    middle + (double)i / parts * fmax(0, stays - middle),
		    share / parts);
}

void
doubling_predict(
    const struct doubling *d, double m, double gpus, struct prediction *x)
{
	const struct scaling_point *a = d->points;
	const int is_row = d->axis == DOUBLING_ROW;
	const int saturated = !is_row && d->saturated;
	const int parts = saturated ? 1 : CEILINGS;
	const double ceiling = saturated ? K_CEILING_SATURATED
	    : is_row                     ? K_CEILING_ROW
					 : K_CEILING_COLUMN;
	const double bend = saturated ? K_CEILING_SATURATED
	    : d->rising               ? K_BEND_RISING
	    : !is_row                 ? K_BEND_COLUMN
	    : d->n < 3                ? K_BEND_TWO
				      : K_BEND_CALM;
	double doublings, noise, level, stays;

	/* The anchor is the nearest count in |log2|, the larger of two: the
	 * product of the counts is exact, unlike logarithms. */
	for (size_t i = 1; i < d->n; i++)
		if (d->points[i].m <= m || d->points[i].m * a->m <= m * m)
			a = &d->points[i];
	doublings = fabs(log2(m / a->m));
	noise = hypot(K_ANCHOR_NOISE, K_DOUBLING_NOISE * doublings);
	level = log(a->t) +
	    straggler_of(d->axis) *
		(expected_largest(gpus) - expected_largest(a->gpus));
	x->median.n = 0;
	x->median.scale = hypot(noise, a->s);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi = growth_phi(growth_rho(i), m);
		const double phi_a = growth_phi(growth_rho(i), a->m);

		for (int j = 0; j < COSTS; j++) {
			const double g = 1 + growth_cost(j) * phi;
			const double g_a = 1 + growth_cost(j) * phi_a;

			if (d->weight[i][j] > 0)
				mixture_add(&x->median,
				    level +
					log(fmax(g, K_LEAST_STEP) /
					    fmax(g_a, K_LEAST_STEP)),
				    d->weight[i][j]);
		}
	}
	x->interval = x->median;
	if (m <= d->points[d->n - 1].m)
		return;
	x->interval.scale = hypot(K_INTERVAL_NOISE * noise, a->s);
	stays = log(a->t) + log(gpus / a->gpus);
	/* The median's share grows with the distance, the interval's does
	 * not. */
	add_ceilings(1 - pow(1 - ceiling, doublings), parts, stays, &x->median);
	add_ceilings(bend, parts, stays, &x->interval);
}
