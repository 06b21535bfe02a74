/* BFGS in a box; values, the factor of their covariance, predictions. */
#include <config.h>

#include "trainer/tune/gaussian_process.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/rng.h"

enum { STARTS = 25 };

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

/* True if a wall stops a move of x[i] in the direction p. */
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

struct gaussian_process {
	int dims;
	double noise;
	int n;
	double *x;            /* [n][dims] */
	double *y;            /* [n] as given */
	double *standardised; /* [n] */
	double length, scale;
	double *factor;  /* [n][n] lower triangle, Cholesky's */
	double *weights; /* [n] covariance^-1 times the values */
	double best;     /* of the means at all values */
};

struct gaussian_process *
gaussian_process_new(int dims, double noise)
{
	struct gaussian_process *g = xcalloc(1, sizeof *g);

	assert(dims >= 1 && dims <= MINIMIZE_MOST && noise > 0);
	g->dims = dims;
	g->noise = noise;
	g->length = g->scale = 1;
	return g;
}

void
gaussian_process_clear(struct gaussian_process *g)
{
	free(g->x);
	free(g->y);
	free(g->standardised);
	free(g->factor);
	free(g->weights);
	g->x = g->y = g->standardised = g->factor = g->weights = NULL;
	g->n = 0;
}

void
gaussian_process_free(struct gaussian_process *g)
{
	if (g == NULL)
		return;
	gaussian_process_clear(g);
	free(g);
}

/* Mean 0 and deviation 1 from three values on. */
static void
standardise_values(struct gaussian_process *g)
{
	double mean = 0, squares = 0, deviation;

	for (int i = 0; i < g->n; i++)
		mean += g->y[i] / g->n;
	for (int i = 0; i < g->n; i++)
		squares += (g->y[i] - mean) * (g->y[i] - mean);
	deviation = sqrt(squares / g->n);
	for (int i = 0; i < g->n; i++)
		g->standardised[i] = g->n < 3 ? g->y[i]
		    : deviation > 0           ? (g->y[i] - mean) / deviation
					      : 0;
}

void
gaussian_process_add(struct gaussian_process *g, const double *x, double y)
{
	const size_t n = (size_t)g->n + 1, dims = (size_t)g->dims;

	g->x = xreallocarray(g->x, n * dims, sizeof *g->x);
	g->y = xreallocarray(g->y, n, sizeof *g->y);
	g->standardised =
	    xreallocarray(g->standardised, n, sizeof *g->standardised);
	g->factor = xreallocarray(g->factor, n * n, sizeof *g->factor);
	g->weights = xreallocarray(g->weights, n, sizeof *g->weights);
	memcpy(g->x + (n - 1) * dims, x, dims * sizeof *x);
	g->y[n - 1] = y;
	g->n = (int)n;
	standardise_values(g);
}

static double
covariance_of(
    const struct gaussian_process *g, const double *a, const double *b)
{
	double squares = 0;

	for (int i = 0; i < g->dims; i++)
		squares += (a[i] - b[i]) * (a[i] - b[i]);
	return g->scale * g->scale *
	    exp(-squares / (2 * g->length * g->length));
}

static const double *
sample_of(const struct gaussian_process *g, int i)
{
	return g->x + (size_t)i * (size_t)g->dims;
}

/* Cholesky's factor of the covariance of the values. */
static void
find_factor(struct gaussian_process *g)
{
	double *const l = g->factor;
	const int n = g->n;

	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++) {
			double sum =
			    covariance_of(g, sample_of(g, i), sample_of(g, k));

			if (i == k)
				sum += g->noise * g->noise;
			for (int j = 0; j < k; j++)
				sum -= l[i * n + j] * l[k * n + j];
			l[i * n + k] = i == k ? sqrt(sum) : sum / l[k * n + k];
		}
}

/* Solve factor * v = v. */
static void
solve_lower(const struct gaussian_process *g, double *v)
{
	for (int i = 0; i < g->n; i++) {
		for (int k = 0; k < i; k++)
			v[i] -= g->factor[i * g->n + k] * v[k];
		v[i] /= g->factor[i * g->n + i];
	}
}

/* Solve transposed factor * v = v. */
static void
solve_upper(const struct gaussian_process *g, double *v)
{
	for (int i = g->n - 1; i >= 0; i--) {
		for (int k = i + 1; k < g->n; k++)
			v[i] -= g->factor[k * g->n + i] * v[k];
		v[i] /= g->factor[i * g->n + i];
	}
}

static double
mean_at(const struct gaussian_process *g, const double *x)
{
	double mean = 0;

	for (int i = 0; i < g->n; i++)
		mean += covariance_of(g, x, sample_of(g, i)) * g->weights[i];
	return mean;
}

void
gaussian_process_set_kernel(
    struct gaussian_process *g, double length, double scale)
{
	assert(g->n > 0);
	g->length = length;
	g->scale = scale;
	find_factor(g);
	memcpy(g->weights, g->standardised, (size_t)g->n * sizeof *g->weights);
	solve_lower(g, g->weights);
	solve_upper(g, g->weights);
	g->best = -INFINITY;
	for (int i = 0; i < g->n; i++)
		g->best = fmax(g->best, mean_at(g, sample_of(g, i)));
}

void
gaussian_process_kernel(
    const struct gaussian_process *g, double *length, double *scale)
{
	*length = g->length;
	*scale = g->scale;
}

double
gaussian_process_likelihood(const struct gaussian_process *g)
{
	double sum = -0.5 * g->n * log(2 * M_PI);

	for (int i = 0; i < g->n; i++)
		sum -= log(g->factor[i * g->n + i]) +
		    0.5 * g->standardised[i] * g->weights[i];
	return sum;
}

/* A minimize_fn of l and s. */
static double
negative_likelihood(void *ctx, const double *x)
{
	struct gaussian_process *g = ctx;
	double likelihood;

	gaussian_process_set_kernel(g, x[0], x[1]);
	likelihood = gaussian_process_likelihood(g);
	return isfinite(likelihood) ? -likelihood : INFINITY;
}

void
gaussian_process_fit(struct gaussian_process *g)
{
	static const double low[2] = { 1e-3, 1e-3 }, high[2] = { 1e4, 1e3 };
	double x[2] = { 1, 1 };

	minimize(negative_likelihood, g, low, high, 2, x);
	gaussian_process_set_kernel(g, x[0], x[1]);
}

void
gaussian_process_predict(const struct gaussian_process *g, const double *x,
    double *mean, double *deviation)
{
	double *v = xcalloc((size_t)g->n, sizeof *v);
	/* The small part keeps the variance above zero at a value. */
	double variance = g->scale * g->scale + 1e-8;

	for (int i = 0; i < g->n; i++)
		v[i] = covariance_of(g, x, sample_of(g, i));
	solve_lower(g, v);
	for (int i = 0; i < g->n; i++)
		variance -= v[i] * v[i];
	free(v);
	*mean = mean_at(g, x);
	*deviation = variance > 0 ? sqrt(variance) : 0;
}

double
gaussian_process_improvement(
    const struct gaussian_process *g, const double *x, double margin)
{
	double mean, deviation, above, z;

	gaussian_process_predict(g, x, &mean, &deviation);
	if (deviation == 0)
		return 0;
	above = mean - g->best - margin;
	z = above / deviation;
	return above * 0.5 * erfc(-z * M_SQRT1_2) +
	    deviation * exp(-z * z / 2) / sqrt(2 * M_PI);
}

/* A minimize_fn. */
static double
negative_improvement(void *ctx, const double *x)
{
	return -gaussian_process_improvement(ctx, x, 0.01);
}

void
gaussian_process_next(struct gaussian_process *g, const double *low,
    const double *high, uint64_t seed, double *x)
{
	const struct rng r = { .seed = seed, .stream = RNG_STREAM_TUNE };
	double least = INFINITY, at[MINIMIZE_MOST];

	for (int i = 0; i < STARTS; i++) {
		double value;

		for (int k = 0; k < g->dims; k++)
			at[k] = low[k] +
			    (high[k] - low[k]) *
				rng_uniform(&r, (uint64_t)(i * g->dims + k));
		value =
		    minimize(negative_improvement, g, low, high, g->dims, at);
		if (value < least) {
			least = value;
			memcpy(x, at, (size_t)g->dims * sizeof *x);
		}
	}
}
