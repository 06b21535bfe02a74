/* The doubling model: weights of its two parameters on a grid, mixtures, and
 * ceilings. */
#include <config.h>

#include "predict/models/doubling.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/stats/distribution.h"

/* --- two functions and the grid ------------------------------------------- */

double
growth_phi(double rho, double m)
{
	return (1 - pow(m, log2(rho))) / (1 - rho);
}

double
expected_largest(double n)
{
	return normal_quantile((n - 0.375) / (n + 0.25));
}

double
growth_rho(int i)
{
	return K_RHO_STEP * (i + 1) - K_RHO_FIRST;
}

double
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

void
growth_prior(double prior[GROWTH_RHOS])
{
	for (int i = 0; i < GROWTH_RHOS; i++) {
		double rho = growth_rho(i);

		prior[i] = pow(rho, K_RHO_POWER) * exp(-rho / K_RHO_SCALE);
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}

/* The prior of the cost; sum 1. */
static void
set_cost_prior(double prior[COSTS])
{
	const double middle = log(K_LOSS_MIDDLE);

	for (int i = 0; i < COST_GAINS; i++)
		prior[i] = exp(-fabs(growth_cost(i)) / K_GAIN_SCALE);
	for (int i = COST_GAINS; i < COSTS; i++) {
		double z = (log(growth_cost(i)) - middle) / K_LOSS_WIDTH;

		prior[i] = exp(-z * z / 2);
	}
	normalise_sum(prior, COST_GAINS, K_GAIN_WEIGHT);
	normalise_sum(prior + COST_GAINS, COST_LOSSES, K_LOSS_WEIGHT);
}

/* --- weights -------------------------------------------------------------- */

/* Add the log likelihood of the increment from p[0] to p[1] at all points of
 * the grid, -INFINITY where it has no weight: Student's t with 2 degrees of
 * freedom, which is robust to an outlier.
 *
 * Lange, Little, Taylor 1989, JASA 84, for t instead of normal errors. */
static void
add_increment(
    const struct scaling_point *p, double straggler, struct growth_weights *l)
{
	const double noise = K_DOUBLING_NOISE * log2(p[1].m / p[0].m);
	const double ln_t = log(p[1].t / p[0].t) -
	    straggler *
		(expected_largest(p[1].gpus) - expected_largest(p[0].gpus));
	const double variance = K_INCREMENT_NOISE * K_INCREMENT_NOISE +
	    noise * noise + p[0].s * p[0].s + p[1].s * p[1].s;

	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi0 = growth_phi(growth_rho(i), p[0].m);
		const double phi1 = growth_phi(growth_rho(i), p[1].m);

		for (int j = 0; j < COSTS; j++) {
			const double g0 = 1 + growth_cost(j) * phi0;
			const double g1 = 1 + growth_cost(j) * phi1;
			const double z = ln_t - log(g1 / g0);

			if (g0 <= K_LEAST_STEP || g1 <= K_LEAST_STEP)
				l->w[i][j] = -INFINITY;
			else
				l->w[i][j] -=
				    1.5 * log1p(z * z / (2 * variance));
		}
	}
}

void
growth_weigh(const struct scaling_point *points, size_t n, double straggler,
    const double prior[GROWTH_RHOS], struct growth_weights *w)
{
	double cost_prior[COSTS], largest = -INFINITY;

	set_cost_prior(cost_prior);
	*w = (struct growth_weights){ 0 };
	for (size_t i = 0; i + 1 < n; i++)
		add_increment(&points[i], straggler, w);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			largest = fmax(largest, w->w[i][j]);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			w->w[i][j] = exp(w->w[i][j] - largest) *
			    ((prior != NULL ? prior[i] : 1) * cost_prior[j]);
	normalise_sum(&w->w[0][0], (size_t)GROWTH_RHOS * COSTS, 1);
}

double
growth_median(const struct growth_weights *w)
{
	double below = 0;
	int i = -1;

	do {
		i++;
		for (int j = 0; j < COSTS; j++)
			below += w->w[i][j];
	} while (below < 0.5);
	return growth_rho(i);
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
growth_evidence(const struct scaling_point *points, size_t n, double straggler,
    double evidence[GROWTH_RHOS])
{
	struct growth_weights w;
	double near[GROWTH_RHOS][GROWTH_RHOS], of_rho[GROWTH_RHOS] = { 0 };

	growth_weigh(points, n, straggler, NULL, &w);
	habit_kernel(near);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			of_rho[i] += w.w[i][j];
	for (int f = 0; f < GROWTH_RHOS; f++) {
		evidence[f] = 0;
		for (int i = 0; i < GROWTH_RHOS; i++)
			evidence[f] += near[f][i] * of_rho[i];
	}
}

void
growth_pool(const double *const *evidence, size_t n, double prior[GROWTH_RHOS])
{
	double near[GROWTH_RHOS][GROWTH_RHOS];
	double habit[GROWTH_RHOS], published[GROWTH_RHOS];

	growth_prior(published);
	memcpy(prior, published, sizeof published);
	memcpy(habit, published, sizeof published);
	if (n == 0)
		return;
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
		prior[i] =
		    K_POOL_WEIGHT * sum + (1 - K_POOL_WEIGHT) * published[i];
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}

/* --- mixtures ------------------------------------------------------------- */

enum { QUANTILE_STEPS = 100, QUANTILE_SCALES = 60 };

/* Of the scale: a step of Newton's below it leaves an error of its square. */
#define QUANTILE_NEAR 1e-9

void
mixture_init(struct mixture *x, double scale)
{
	x->n = 0;
	x->scale = scale;
}

void
mixture_add(struct mixture *x, double place, double weight)
{
	assert(x->n < MIXTURE_MAX);
	x->place[x->n] = place;
	x->weight[x->n++] = weight;
}

/* The distribution function and density at a point. */
static double
mixture_below(const struct mixture *x, double at, double *density)
{
	double below = 0, slope = 0;

	for (size_t i = 0; i < x->n; i++) {
		const double z = (at - x->place[i]) / x->scale;
		const double r = 1 / sqrt(2 + z * z);

		below += x->weight[i] * r * z;
		slope += x->weight[i] * r * r * r;
	}
	*density = slope / x->scale;
	return 0.5 + below / 2;
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
double
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
		double density, step, next;
		const double above = mixture_below(x, at, &density) - p;

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

double
prediction_quantile(const struct prediction *x, double p)
{
	const double middle = mixture_quantile(&x->median, 0.5);

	if (p == 0.5)
		return middle;
	return p < 0.5 ? fmin(mixture_quantile(&x->interval, p), middle)
		       : fmax(mixture_quantile(&x->interval, p), middle);
}

double
transfer_step(const struct transfer *f)
{
	return f->anchor + (f->sibling_target - f->sibling_anchor);
}

void
transfer_predict(const struct transfer *f, struct prediction *x)
{
	const double noise =
	    K_TRANSFER_DOUBLING_NOISE * log2(f->target_gpus / f->anchor_gpus);

	mixture_init(&x->median,
	    sqrt(K_TRANSFER_NOISE * K_TRANSFER_NOISE + noise * noise +
		f->anchor_error * f->anchor_error));
	mixture_add(&x->median, log(transfer_step(f)), 1);
	x->interval = x->median;
}

/* --- prediction ----------------------------------------------------------- */

double
doubling_straggler(enum doubling_axis axis)
{
	return axis == DOUBLING_ROW ? K_STRAGGLER_ROW : K_STRAGGLER_COLUMN;
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
	growth_weigh(points, n, doubling_straggler(axis), prior, &d->weights);
}

int
doubling_is_saturated(const struct scaling_point *points, size_t n)
{
	const struct scaling_point *a, *b;

	if (n < 2)
		return 0;
	a = &points[n - 2];
	b = &points[n - 1];
	return log((b->gpus / b->t) / (a->gpus / a->t)) / log2(b->m / a->m) <
	    log(K_SATURATED_GROWTH);
}

size_t
doubling_anchor(const struct scaling_point *points, size_t n, double m)
{
	size_t best = 0;

	/* Compare the product of the counts with m * m, which is exact, instead
	 * of logarithms. */
	for (size_t i = 1; i < n; i++)
		if (points[i].m <= m || points[i].m * points[best].m <= m * m)
			best = i;
	return best;
}

/* Cost of a doubling between two points, in ln t. */
static double
doubling_cost(const struct scaling_point *p)
{
	return log(p[1].t / p[0].t) / log2(p[1].m / p[0].m);
}

int
doubling_is_rising(const struct scaling_point *points, size_t n)
{
	return n >= 3 &&
	    doubling_cost(&points[n - 2]) >
	    doubling_cost(&points[n - 3]) + K_RISING;
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

/* Move the shares of the median's ceilings, which grow with the distance, and
 * of the interval's, which depend on the last steps of the row.
 *
 * doublings  from the anchor, > 0
 * stays      as for add_ceilings */
static void
add_bends(const struct doubling *d, double doublings, double stays,
    struct prediction *x)
{
	const int is_row = d->axis == DOUBLING_ROW;
	const int saturated = !is_row && doubling_is_saturated(d->points, d->n);
	const int parts = saturated ? 1 : CEILINGS;
	double ceiling = is_row ? K_CEILING_ROW : K_CEILING_COLUMN;
	double bend = K_BEND_COLUMN;

	if (saturated)
		ceiling = K_CEILING_SATURATED;
	if (saturated)
		bend = K_CEILING_SATURATED;
	else if (doubling_is_rising(d->points, d->n))
		bend = K_BEND_RISING;
	else if (is_row)
		bend = d->n < 3 ? K_BEND_TWO : K_BEND_CALM;
	add_ceilings(1 - pow(1 - ceiling, doublings), parts, stays, &x->median);
	add_ceilings(bend, parts, stays, &x->interval);
}

void
doubling_predict(
    const struct doubling *d, double m, double gpus, struct prediction *x)
{
	const struct scaling_point *a =
	    &d->points[doubling_anchor(d->points, d->n, m)];
	const double doublings = fabs(log2(m / a->m));
	const double noise =
	    hypot(K_ANCHOR_NOISE, K_DOUBLING_NOISE * doublings);
	const double level = log(a->t) +
	    doubling_straggler(d->axis) *
		(expected_largest(gpus) - expected_largest(a->gpus));

	mixture_init(&x->median, hypot(noise, a->s));
	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi = growth_phi(growth_rho(i), m);
		const double phi_a = growth_phi(growth_rho(i), a->m);

		for (int j = 0; j < COSTS; j++) {
			const double g = 1 + growth_cost(j) * phi;
			const double g_a = 1 + growth_cost(j) * phi_a;

			if (d->weights.w[i][j] > 0)
				mixture_add(&x->median,
				    level +
					log(fmax(g, K_LEAST_STEP) /
					    fmax(g_a, K_LEAST_STEP)),
				    d->weights.w[i][j]);
		}
	}
	x->interval = x->median;
	if (m <= d->points[d->n - 1].m)
		return;
	x->interval.scale = hypot(K_INTERVAL_NOISE * noise, a->s);
	add_bends(d, doublings, log(a->t) + log(gpus / a->gpus), x);
}
