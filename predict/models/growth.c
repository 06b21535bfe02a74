/* The doubling model's two unknown numbers on a grid.  doubling.c turns the
 * weights into a prediction; no other module needs them.  It knows neither
 * cases nor units: points have a count, a time and an error. */
#include <config.h>

#include "predict/models/growth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/distribution.h"

static const struct prediction_constants *const k = &prediction_constants;

/* --- two functions and the grid ------------------------------------------- */

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

double
growth_rho(int i)
{
	return k->rho_step * (i + 1) - k->rho_first;
}

double
growth_cost(int i)
{
	const int last = COST_LOSSES - 1;

	if (i < COST_GAINS)
		return k->gains[i];
	return k->loss_first *
	    pow(k->loss_factor, (double)(i - COST_GAINS) / last);
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

		prior[i] = pow(rho, k->rho_power) * exp(-rho / k->rho_scale);
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}

void
growth_cost_prior(double prior[COSTS])
{
	const double middle = log(k->loss_middle);

	for (int i = 0; i < COST_GAINS; i++)
		prior[i] = exp(-fabs(k->gains[i]) / k->gain_scale);
	for (int i = COST_GAINS; i < COSTS; i++) {
		double z = (log(growth_cost(i)) - middle) / k->loss_width;

		prior[i] = exp(-z * z / 2);
	}
	normalise_sum(prior, COST_GAINS, k->gain_weight);
	normalise_sum(prior + COST_GAINS, COST_LOSSES, k->loss_weight);
}

/* --- weights -------------------------------------------------------------- */

/* What is known of the step from a point to the next one. */
struct increment {
	double ln_t; /* its logarithm, the straggler's part taken off */
	double v;    /* variance of that */
	double m0, m1;
};

static struct increment
increment_make(const struct scaling_point *p, double straggler)
{
	const double doublings = log2(p[1].m / p[0].m);
	const double noise = k->doubling_noise * doublings;
	struct increment d = { .m0 = p[0].m, .m1 = p[1].m };

	d.ln_t = log(p[1].t / p[0].t) -
	    straggler *
		(expected_largest(p[1].gpus) - expected_largest(p[0].gpus));
	d.v = k->increment_noise * k->increment_noise + noise * noise +
	    p[0].s * p[0].s + p[1].s * p[1].s;
	return d;
}

/* Add one increment's logarithm to all of the grid. */
static void
add_increment(const struct increment *d, struct growth_weights *l)
{
	double cost[COSTS];

	for (int j = 0; j < COSTS; j++)
		cost[j] = growth_cost(j);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi0 = growth_phi(growth_rho(i), d->m0);
		const double phi1 = growth_phi(growth_rho(i), d->m1);

		for (int j = 0; j < COSTS; j++) {
			const double g0 = 1 + cost[j] * phi0;
			const double g1 = 1 + cost[j] * phi1;
			double z;

			if (g0 <= k->least_step || g1 <= k->least_step) {
				l->w[i][j] = -INFINITY;
				continue;
			}
			z = d->ln_t - log(g1 / g0);
			l->w[i][j] -= 1.5 * log1p(z * z / (2 * d->v));
		}
	}
}

void
growth_likelihood(const struct scaling_point *points, size_t n,
    double straggler, struct growth_weights *l)
{
	*l = (struct growth_weights){ 0 };
	for (size_t i = 0; i + 1 < n; i++) {
		struct increment d = increment_make(&points[i], straggler);

		add_increment(&d, l);
	}
}

/* From logarithms to values, the largest of them 1. */
static void
exponentiate_weights(struct growth_weights *l)
{
	double largest = -INFINITY;

	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			largest = fmax(largest, l->w[i][j]);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			l->w[i][j] = exp(l->w[i][j] - largest);
}

void
growth_weigh(const struct scaling_point *points, size_t n, double straggler,
    const double prior[GROWTH_RHOS], struct growth_weights *w)
{
	double cost_prior[COSTS];

	growth_cost_prior(cost_prior);
	growth_likelihood(points, n, straggler, w);
	exponentiate_weights(w);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			w->w[i][j] *= prior[i] * cost_prior[j];
	normalise_sum(&w->w[0][0], (size_t)GROWTH_RHOS * COSTS, 1);
}

double
growth_median(const struct growth_weights *w)
{
	double below = 0;

	for (int i = 0; i < GROWTH_RHOS; i++) {
		for (int j = 0; j < COSTS; j++)
			below += w->w[i][j];
		if (below >= 0.5)
			return growth_rho(i);
	}
	return growth_rho(GROWTH_RHOS - 1);
}

/* --- siblings ------------------------------------------------------------- */

/* near[f][i]: how near rho i lies to the habit f; sum over i is 1. */
static void
habit_kernel(double near[GROWTH_RHOS][GROWTH_RHOS])
{
	for (int f = 0; f < GROWTH_RHOS; f++) {
		for (int i = 0; i < GROWTH_RHOS; i++) {
			double z =
			    (growth_rho(i) - growth_rho(f)) / k->pool_width;

			near[f][i] = exp(-z * z / 2);
		}
		normalise_sum(near[f], GROWTH_RHOS, 1);
	}
}

void
growth_evidence(const struct scaling_point *points, size_t n, double straggler,
    double evidence[GROWTH_RHOS])
{
	struct growth_weights *l = xmalloc(sizeof *l);
	double near[GROWTH_RHOS][GROWTH_RHOS];
	double cost_prior[COSTS], of_rho[GROWTH_RHOS];

	growth_cost_prior(cost_prior);
	growth_likelihood(points, n, straggler, l);
	exponentiate_weights(l);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		of_rho[i] = 0;
		for (int j = 0; j < COSTS; j++)
			of_rho[i] += l->w[i][j] * cost_prior[j];
	}
	habit_kernel(near);
	for (int f = 0; f < GROWTH_RHOS; f++) {
		evidence[f] = 0;
		for (int i = 0; i < GROWTH_RHOS; i++)
			evidence[f] += near[f][i] * of_rho[i];
	}
	free(l);
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
		    k->pool_weight * sum + (1 - k->pool_weight) * published[i];
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}
