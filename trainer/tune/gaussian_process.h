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
#ifndef TRAINER_TUNE_GAUSSIAN_PROCESS_H
#define TRAINER_TUNE_GAUSSIAN_PROCESS_H

#include <stdint.h>

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

#endif
