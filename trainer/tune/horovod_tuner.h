/* Horovod's autotuner (version 0.20.3): finds the fusion threshold, cycle time
 * and switches that reduce the most bytes of gradients per microsecond.
 *
 * A score is the median of five rates, each over some steps. Threshold and
 * cycle time are sampled together: first at four fixed points, then where a
 * Gaussian process expects the largest improvement. This is repeated for three
 * switches, the first of which changes fastest; a switch keeps the value with
 * the best score. A setting fixed by the user is not sampled.
 *
 * The switches are the hierarchical allreduce, the hierarchical allgather
 * (unused in training, but sampled as in Horovod), and the response cache, with
 * which ranks negotiate tensors by number.
 *
 *	struct horovod_tuner *t = horovod_tuner_new(&config);
 *	... after each step of training with t->now:
 *	if (horovod_tuner_step(t, seconds, bytes))
 *		... another setting, or t->done ...
 *	horovod_tuner_free(t);
 */
#ifndef TRAINER_TUNE_HOROVOD_TUNER_H
#define TRAINER_TUNE_HOROVOD_TUNER_H

#include <stdint.h>

#include "common/alloc.h"

/* --- Gaussian process ----------------------------------------------------- */

/* Gaussian process regression of a function of a few variables with noisy
 * values, and choice of the next point to sample.
 *
 * The covariance of two points is s^2 exp(-d^2 / (2 l^2)) with Euclidean
 * distance d and the same l for all variables; values have noise of a given
 * deviation. l and s maximise the likelihood of the values, which are
 * standardised if there are three or more (Rasmussen and Williams, "Gaussian
 * Processes for Machine Learning", 2006, equations 2.23 to 2.26 and 2.30).
 *
 *	struct gaussian_process g = { .dims = 2, .noise = 0.8 };
 *	gaussian_process_add(&g, x, score);
 *	gaussian_process_fit(&g);
 *	gaussian_process_next(&g, low, high, seed, x);
 *	gaussian_process_clear(&g);
 */

enum { GAUSSIAN_PROCESS_DIMS = 2 }; /* most variables */

/* The caller sets dims and noise; all else is 0 at first. */
struct gaussian_process {
	int dims;
	double noise;         /* deviation of a standardised value, > 0 */
	double length, scale; /* l and s */
	int n;
	double *x;            /* [n][dims] */
	double *y;            /* [n] values as given */
	double *standardised; /* [n] */
	double *factor;       /* [n][n] lower triangle of the covariance's
	                         Cholesky factor */
	double *weights;      /* [n] inverse covariance times the values */
	double best;          /* largest mean at the sampled points */
};

/* Remove all values and free their memory. */
void gaussian_process_clear(struct gaussian_process *g);

/* Add a value y at x [dims]. Call gaussian_process_fit() afterwards. */
void gaussian_process_add(
    struct gaussian_process *g, const double *x, double y);

/* Fit l and s; needs at least one value. */
void gaussian_process_fit(struct gaussian_process *g);

/* Set l and s. */
void gaussian_process_set_kernel(
    struct gaussian_process *g, double length, double scale);

/* Log likelihood of the (standardised) values. */
double gaussian_process_likelihood(const struct gaussian_process *g);

/* Standardised mean and deviation of the function, without noise, at x
 * [dims]. */
void gaussian_process_predict(const struct gaussian_process *g, const double *x,
    double *mean, double *deviation);

/* Expected improvement at x [dims] over the best mean at sampled points plus
 * margin (Brochu, Cora and de Freitas, arXiv 1012.2599, equation 4); >= 0. */
double gaussian_process_improvement(
    const struct gaussian_process *g, const double *x, double margin);

/* Find the point of a box with the largest improvement for a margin of 0.01.
 *
 * low, high  [dims]
 * seed       of the random start points
 * x          [dims] out */
void gaussian_process_next(struct gaussian_process *g, const double *low,
    const double *high, uint64_t seed, double *x);

/* --- Horovod's search ----------------------------------------------------- */

enum horovod_switch {
	HOROVOD_HIERARCHICAL_ALLREDUCE,
	HOROVOD_HIERARCHICAL_ALLGATHER,
	HOROVOD_CACHE_ENABLED,
	HOROVOD_SWITCHES
};

enum horovod_variable { HOROVOD_THRESHOLD_MIB, HOROVOD_CYCLE_MS };

/* Parameters of the gradient allreduces. */
struct horovod_setting {
	int on[HOROVOD_SWITCHES]; /* 0 or 1 */
	double at[2];             /* indexed by enum horovod_variable */
};

struct horovod_tuner_config {
	int warmup;    /* scores that are discarded, >= 0; Horovod: 3 */
	int steps;     /* steps of a rate, >= 1; Horovod: 10 */
	int most;      /* later samples of each search, >= 0; Horovod: 20 */
	double noise;  /* of a standardised score, > 0; Horovod: 0.8 */
	uint64_t seed; /* seed of the search */
	struct horovod_setting fixed; /* values of fixed settings */
	int switch_fixed[HOROVOD_SWITCHES], variable_fixed[2];
};

enum { HOROVOD_TUNER_RATES = 5 }; /* of a score */

/* State of the search; read-only for callers. */
struct horovod_tuner {
	struct horovod_setting now;  /* to train with; the best once done */
	struct horovod_setting last; /* setting of last_score */
	double last_score;
	double best_score; /* best score so far; 0: none */
	int done;          /* now is the best setting */

	/* Private. */
	struct horovod_tuner_config c;
	int free[2]; /* variables to sample, n_free of them */
	int n_free;
	int samples; /* since the last change of switches */
	struct gaussian_process values;
	uint64_t asked; /* seeds used */
	double best_at[2];
	double switch_score[HOROVOD_SWITCHES]; /* best score with best_on */
	int best_on[HOROVOD_SWITCHES];
	int ignored; /* scores */
	double rates[HOROVOD_TUNER_RATES];
	int n_rates, steps;
	double start, bytes;
};

/* Number of scores in a search, without discarded ones. */
long horovod_tuner_samples(const struct horovod_tuner_config *c);

/* Number of steps of a search, discarded scores included. */
long horovod_tuner_steps(const struct horovod_tuner_config *c);

/* Start a search; c is copied. */
struct horovod_tuner *horovod_tuner_new(const struct horovod_tuner_config *c);

/* Free t, which may be NULL. */
void horovod_tuner_free(struct horovod_tuner *t);

/* Start timing: before the first step, and after a new setting takes effect.
 *
 * now  seconds of a monotonic clock */
void horovod_tuner_start(struct horovod_tuner *t, double now);

/* Record a training step.
 *
 * now    as above; truncated to microseconds
 * bytes  that each rank allreduced in the step
 *
 * Returns 1 if it completed a score that is not discarded: the setting has
 * changed, or tuning is done. */
int horovod_tuner_step(struct horovod_tuner *t, double now, double bytes);

/* Record a score directly, in bytes per microsecond; ignored once done. */
void horovod_tuner_score(struct horovod_tuner *t, double score);

/* Add the header of Horovod's log, or a row of it, to sb; numbers are formatted
 * as by C++ streams, with six digits. */
void horovod_tuner_head(struct strbuf *sb);
void horovod_tuner_row(
    const struct horovod_setting *s, double score, struct strbuf *sb);

#endif
