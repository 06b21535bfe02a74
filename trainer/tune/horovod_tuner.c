/* Scores, and the search over all settings. */
#include <config.h>

#include "trainer/tune/horovod_tuner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "trainer/base/rng.h"

enum { VARIABLES = 2, POINTS = 4 };

static const double lowest[VARIABLES] = { 0, 1 },
		    highest[VARIABLES] = { 64, 100 };
/* MiB and ms, in the order in which they are sampled. */
static const double points[POINTS][VARIABLES] = { { 4, 5 }, { 32, 50 },
	{ 16, 25 }, { 8, 10 } };

long
horovod_tuner_samples(const struct horovod_tuner_config *c)
{
	const int joint = !c->variable_fixed[0] || !c->variable_fixed[1];
	long n = joint ? c->most + 1 : 1;

	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		n *= c->switch_fixed[i] ? 1 : 2;
	return n;
}

long
horovod_tuner_steps(const struct horovod_tuner_config *c)
{
	return (horovod_tuner_samples(c) + c->warmup) * HOROVOD_TUNER_RATES *
	    c->steps;
}

/* Set the variables that are not fixed to point i. */
static void
take_point(struct horovod_tuner *t, int i)
{
	for (int k = 0; k < t->n_free; k++)
		t->now.at[t->free[k]] = points[i][t->free[k]];
}

struct horovod_tuner *
horovod_tuner_new(const struct horovod_tuner_config *c)
{
	struct horovod_tuner *t = xcalloc(1, sizeof *t);

	t->c = *c;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		t->now.on[i] = c->switch_fixed[i] ? c->fixed.on[i] : 0;
	for (int i = 0; i < VARIABLES; i++)
		if (c->variable_fixed[i])
			t->now.at[i] = c->fixed.at[i];
		else
			t->free[t->n_free++] = i;
	t->values.dims = t->n_free;
	t->values.noise = c->noise;
	take_point(t, 0);
	return t;
}

void
horovod_tuner_free(struct horovod_tuner *t)
{
	if (t == NULL)
		return;
	gaussian_process_clear(&t->values);
	free(t);
}

void
horovod_tuner_start(struct horovod_tuner *t, double now)
{
	t->start = now;
	t->bytes = 0;
	t->n_rates = t->steps = 0;
}

/* Add the score of a threshold and cycle time, and set their next sample.
 * Returns 1 at the end of their search, which restarts with the next
 * combination of switches. */
static int
joint_score(struct horovod_tuner *t, double score)
{
	double x[VARIABLES], from[VARIABLES], to[VARIABLES];

	if (score > t->best_score) {
		t->best_score = score;
		memcpy(t->best_at, t->now.at, sizeof t->best_at);
	}
	if (t->n_free == 0)
		return 1;
	for (int k = 0; k < t->n_free; k++) {
		x[k] = t->now.at[t->free[k]];
		from[k] = lowest[t->free[k]];
		to[k] = highest[t->free[k]];
	}
	gaussian_process_add(&t->values, x, score);
	t->samples++;
	if (t->samples > t->c.most) {
		gaussian_process_clear(&t->values);
		t->samples = 0;
		take_point(t, 0);
		return 1;
	}
	if (t->samples < POINTS) {
		take_point(t, t->samples);
		return 0;
	}
	gaussian_process_fit(&t->values);
	gaussian_process_next(&t->values, from, to, t->c.seed + t->asked++, x);
	for (int k = 0; k < t->n_free; k++)
		t->now.at[t->free[k]] = x[k];
	return 0;
}

/* Record the best score so far for the current value of switch i. Returns 1
 * after both values. */
static int
switch_score(struct horovod_tuner *t, int i)
{
	if (t->best_score > t->switch_score[i]) {
		t->switch_score[i] = t->best_score;
		t->best_on[i] = t->now.on[i];
	}
	if (t->c.switch_fixed[i])
		return 1;
	t->now.on[i] = !t->now.on[i];
	return !t->now.on[i];
}

void
horovod_tuner_score(struct horovod_tuner *t, double score)
{
	if (t->done)
		return;
	t->last = t->now;
	t->last_score = score;
	if (!joint_score(t, score))
		return;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		if (!switch_score(t, i))
			return;
	t->done = 1;
	memcpy(t->now.on, t->best_on, sizeof t->now.on);
	memcpy(t->now.at, t->best_at, sizeof t->now.at);
}

int
horovod_tuner_step(struct horovod_tuner *t, double now, double bytes)
{
	double us;

	if (t->done)
		return 0;
	t->bytes += bytes;
	if (++t->steps < t->c.steps)
		return 0;
	us = floor((now - t->start) * 1e6);
	t->rates[t->n_rates++] = t->bytes / (us > 0 ? us : 1);
	t->start = now;
	t->bytes = 0;
	t->steps = 0;
	if (t->n_rates < HOROVOD_TUNER_RATES)
		return 0;
	t->n_rates = 0;
	if (t->ignored++ < t->c.warmup)
		return 0;
	horovod_tuner_score(t, stats_median(t->rates, HOROVOD_TUNER_RATES));
	return 1;
}

void
horovod_tuner_head(struct strbuf *sb)
{
	strbuf_addstr(sb,
	    "hierarchical_allreduce,hierarchical_allgather,cache_enabled,"
	    "cycle_time_ms,tensor_fusion_threshold,score\n");
}

void
horovod_tuner_row(
    const struct horovod_setting *s, double score, struct strbuf *sb)
{
	strbuf_printf(sb, "%d,%d,%d,%g,%g,%g\n",
	    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE],
	    s->on[HOROVOD_HIERARCHICAL_ALLGATHER], s->on[HOROVOD_CACHE_ENABLED],
	    s->at[HOROVOD_CYCLE_MS], s->at[HOROVOD_THRESHOLD_MIB], score);
}

/* --- Gaussian process ----------------------------------------------------- */

enum { STARTS = 500 }; /* random points of a search */

/* First and last step of the pattern search, as fractions of the box. */
static const double first_step = 1.0 / 16, last_step = 1e-8;

typedef double minimize_fn(void *ctx, const double *x);

/* Minimise f in a box: start at the best of random points, move downhill along
 * the axes, and halve the step if no move is downhill (Hooke and Jeeves'
 * pattern search).
 *
 * f          may return INFINITY
 * low, high  [n]
 * x          [n] out */
static void
minimize(minimize_fn *f, void *ctx, const double *low, const double *high,
    int n, uint64_t seed, double *x)
{
	const struct rng r = { .seed = seed, .stream = RNG_STREAM_TUNE };
	double least = INFINITY, at[GAUSSIAN_PROCESS_DIMS];
	double step = first_step;

	for (int i = 0; i < STARTS; i++) {
		double value;

		for (int k = 0; k < n; k++)
			at[k] = low[k] +
			    (high[k] - low[k]) *
				rng_uniform(&r, (uint64_t)(i * n + k));
		value = f(ctx, at);
		if (i == 0 || value < least) {
			least = value;
			memcpy(x, at, (size_t)n * sizeof *x);
		}
	}
	while (step > last_step) {
		const double before = least;

		for (int k = 0; k < 2 * n; k++) {
			const int i = k / 2;
			const double from = x[i],
				     move = step * (high[i] - low[i]) *
			    (k % 2 == 0 ? 1 : -1);
			double value;

			x[i] = fmin(fmax(from + move, low[i]), high[i]);
			value = f(ctx, x);
			if (value < least)
				least = value;
			else
				x[i] = from;
		}
		if (!(least < before))
			step /= 2;
	}
}

void
gaussian_process_clear(struct gaussian_process *g)
{
	free(g->x);
	free(g->y);
	free(g->standardised);
	free(g->factor);
	free(g->weights);
	*g = (struct gaussian_process){ .dims = g->dims, .noise = g->noise };
}

void
gaussian_process_add(struct gaussian_process *g, const double *x, double y)
{
	const size_t n = (size_t)g->n + 1, dims = (size_t)g->dims;
	double mean = 0, squares = 0, deviation;

	g->x = xreallocarray(g->x, n * dims, sizeof *g->x);
	g->y = xreallocarray(g->y, n, sizeof *g->y);
	g->standardised =
	    xreallocarray(g->standardised, n, sizeof *g->standardised);
	g->factor = xreallocarray(g->factor, n * n, sizeof *g->factor);
	g->weights = xreallocarray(g->weights, n, sizeof *g->weights);
	memcpy(g->x + (n - 1) * dims, x, dims * sizeof *x);
	g->y[n - 1] = y;
	g->n = (int)n;
	/* Standardise to mean 0 and deviation 1 if there are three or more
	 * values. */
	for (size_t i = 0; i < n; i++)
		mean += g->y[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (g->y[i] - mean) * (g->y[i] - mean);
	deviation = sqrt(squares / (double)n);
	for (size_t i = 0; i < n; i++)
		g->standardised[i] = n < 3 ? g->y[i]
		    : deviation > 0        ? (g->y[i] - mean) / deviation
					   : 0;
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

/* Solve factor * x = v in place. */
static void
solve_lower(const struct gaussian_process *g, double *v)
{
	for (int i = 0; i < g->n; i++) {
		for (int k = 0; k < i; k++)
			v[i] -= g->factor[i * g->n + k] * v[k];
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
	double *const l = g->factor, *w = g->weights;
	const int n = g->n;

	assert(n > 0);
	g->length = length;
	g->scale = scale;
	/* Cholesky factor of the covariance of the values. */
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
	/* Solve factor * transposed factor * weights = values. */
	memcpy(w, g->standardised, (size_t)n * sizeof *w);
	solve_lower(g, w);
	for (int i = n - 1; i >= 0; i--) {
		for (int k = i + 1; k < n; k++)
			w[i] -= l[k * n + i] * w[k];
		w[i] /= l[i * n + i];
	}
	g->best = -INFINITY;
	for (int i = 0; i < g->n; i++)
		g->best = fmax(g->best, mean_at(g, sample_of(g, i)));
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

/* A minimize_fn of log l and log s. */
static double
negative_likelihood(void *ctx, const double *x)
{
	struct gaussian_process *g = ctx;
	double likelihood;

	gaussian_process_set_kernel(g, exp(x[0]), exp(x[1]));
	likelihood = gaussian_process_likelihood(g);
	return isfinite(likelihood) ? -likelihood : INFINITY;
}

void
gaussian_process_fit(struct gaussian_process *g)
{
	const double low[2] = { log(1e-3), log(1e-3) };
	const double high[2] = { log(1e4), log(1e3) };
	double x[2];

	minimize(negative_likelihood, g, low, high, 2, 0, x);
	gaussian_process_set_kernel(g, exp(x[0]), exp(x[1]));
}

void
gaussian_process_predict(const struct gaussian_process *g, const double *x,
    double *mean, double *deviation)
{
	double *v = xcalloc((size_t)g->n, sizeof *v);
	/* The constant keeps the variance above zero at known points. */
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

/* A minimize_fn: x is a point in the box. */
static double
negative_improvement(void *ctx, const double *x)
{
	return -gaussian_process_improvement(ctx, x, 0.01);
}

void
gaussian_process_next(struct gaussian_process *g, const double *low,
    const double *high, uint64_t seed, double *x)
{
	minimize(negative_improvement, g, low, high, g->dims, seed, x);
}
