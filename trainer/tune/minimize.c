/* BFGS in a box. The Gaussian process fits its kernel with it, the search for
 * the next sample looks for the largest expected improvement. */
#include <config.h>

#include "trainer/tune/minimize.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 100, HALVINGS = 40 };

struct descent {
	minimize_fn *f;
	void *ctx;
	const double *low, *high;
	int n;
	double x[MINIMIZE_MOST], g[MINIMIZE_MOST], value;
	double inverse[MINIMIZE_MOST][MINIMIZE_MOST]; /* of the Hessian */
};

static double
descent_clamp(const struct descent *d, int i, double x)
{
	return x < d->low[i] ? d->low[i] : x > d->high[i] ? d->high[i] : x;
}

/* Forward differences; backward ones at the upper wall. */
static void
find_gradient(const struct descent *d, double *g)
{
	double x[MINIMIZE_MOST];

	memcpy(x, d->x, sizeof x);
	for (int i = 0; i < d->n; i++) {
		double h = 1e-7 * (1 + fabs(d->x[i]));

		if (d->x[i] + h > d->high[i])
			h = -h;
		x[i] = d->x[i] + h;
		g[i] = (d->f(d->ctx, x) - d->value) / (x[i] - d->x[i]);
		if (!isfinite(g[i]))
			g[i] = 0;
		x[i] = d->x[i];
	}
}

static void
forget_curvature(struct descent *d)
{
	memset(d->inverse, 0, sizeof d->inverse);
	for (int i = 0; i < d->n; i++)
		d->inverse[i][i] = 1;
}

/* Does a wall stop a move of x[i] in the direction p? */
static int
is_stopped(const struct descent *d, int i, double p)
{
	return (p < 0 && d->x[i] <= d->low[i]) ||
	    (p > 0 && d->x[i] >= d->high[i]);
}

/* Returns the slope along the direction; 0: there is none downhill. */
static double
find_direction(const struct descent *d, double *p)
{
	double slope = 0;

	for (int i = 0; i < d->n; i++) {
		p[i] = 0;
		for (int k = 0; k < d->n; k++)
			p[i] -= is_stopped(d, k, -d->g[k])
			    ? 0
			    : d->inverse[i][k] * d->g[k];
		if (is_stopped(d, i, p[i]))
			p[i] = 0;
		slope += p[i] * d->g[i];
	}
	return slope < 0 ? slope : 0;
}

/* Move along p as far as it pays; returns 0 if nowhere. */
static int
descent_move(struct descent *d, const double *p, double slope, double *moved)
{
	double step = 1, x[MINIMIZE_MOST] = { 0 };

	for (int i = 0; i < HALVINGS; i++, step /= 2) {
		double value;

		for (int k = 0; k < d->n; k++)
			x[k] = descent_clamp(d, k, d->x[k] + step * p[k]);
		value = d->f(d->ctx, x);
		if (!(value <= d->value + 1e-4 * step * slope))
			continue;
		for (int k = 0; k < d->n; k++)
			moved[k] = x[k] - d->x[k];
		memcpy(d->x, x, sizeof x);
		d->value = value;
		return 1;
	}
	return 0;
}

/* BFGS's update by the move s and the change y of the gradient. */
static void
learn_curvature(struct descent *d, const double *s, const double *y)
{
	double sy = 0, yhy = 0, hy[MINIMIZE_MOST] = { 0 };

	for (int i = 0; i < d->n; i++) {
		for (int k = 0; k < d->n; k++)
			hy[i] += d->inverse[i][k] * y[k];
		sy += s[i] * y[i];
		yhy += y[i] * hy[i];
	}
	if (!(sy > 1e-12)) {
		forget_curvature(d);
		return;
	}
	for (int i = 0; i < d->n; i++)
		for (int k = 0; k < d->n; k++)
			d->inverse[i][k] += (1 + yhy / sy) * s[i] * s[k] / sy -
			    (hy[i] * s[k] + s[i] * hy[k]) / sy;
}

double
minimize(minimize_fn *f, void *ctx, const double *low, const double *high,
    int n, double *x)
{
	struct descent d = {
		.f = f, .ctx = ctx, .low = low, .high = high, .n = n
	};
	int fresh = 1;

	assert(n >= 1 && n <= MINIMIZE_MOST);
	memcpy(d.x, x, (size_t)n * sizeof *x);
	d.value = f(ctx, d.x);
	find_gradient(&d, d.g);
	forget_curvature(&d);
	for (int i = 0; i < ITERATIONS; i++) {
		double p[MINIMIZE_MOST], s[MINIMIZE_MOST], g[MINIMIZE_MOST];
		const double slope = find_direction(&d, p);

		if (slope == 0 || !descent_move(&d, p, slope, s)) {
			if (fresh)
				break;
			forget_curvature(&d);
			fresh = 1;
			continue;
		}
		memcpy(g, d.g, sizeof g);
		find_gradient(&d, d.g);
		for (int k = 0; k < n; k++)
			g[k] = d.g[k] - g[k];
		learn_curvature(&d, s, g);
		fresh = 0;
	}
	memcpy(x, d.x, (size_t)n * sizeof *x);
	return d.value;
}
