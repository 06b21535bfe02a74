/* A Gaussian process: what a function of a few variables may be like, after
 * some noisy values of it, and where the next value is best taken.
 *
 * The covariance of two points is s^2 exp(-d^2 / (2 l^2)) of their Euclidean
 * distance d, with one l for all variables; each value has noise of a given
 * deviation.  l and s maximise the likelihood of the values, which are
 * standardised first when there are three or more (Rasmussen and Williams,
 * "Gaussian Processes for Machine Learning", 2006, equations 2.23 to 2.26 and
 * 2.30).
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

enum { GAUSSIAN_PROCESS_DIMS = 2 }; /* at most */

/* dims and noise are set by the caller, all else is 0 at first. */
struct gaussian_process {
	int dims;
	double noise;         /* deviation of a standardised value, > 0 */
	double length, scale; /* l and s */
	int n;
	double *x;            /* [n][dims] */
	double *y;            /* [n] as given */
	double *standardised; /* [n] */
	double *factor;       /* [n][n] of the covariance, lower triangle */
	double *weights;      /* [n] covariance^-1 times the values */
	double best;          /* of the means at all values */
};

/* Forget all values and free their memory. */
void gaussian_process_clear(struct gaussian_process *g);

/* Add a value y at x [dims]; gaussian_process_fit() comes after it. */
void gaussian_process_add(
    struct gaussian_process *g, const double *x, double y);

/* Find l and s; one value or more has been added. */
void gaussian_process_fit(struct gaussian_process *g);

/* Take these instead. */
void gaussian_process_set_kernel(
    struct gaussian_process *g, double length, double scale);

/* The logarithm of the likelihood of the (standardised) values. */
double gaussian_process_likelihood(const struct gaussian_process *g);

/* Mean and deviation of the function at x [dims], standardised; the noise of a
 * value is not part of it. */
void gaussian_process_predict(const struct gaussian_process *g, const double *x,
    double *mean, double *deviation);

/* The expected improvement of a value at x [dims] over the best of the means at
 * all values plus margin (Brochu, Cora and de Freitas, arXiv 1012.2599,
 * equation 4); >= 0. */
double gaussian_process_improvement(
    const struct gaussian_process *g, const double *x, double margin);

/* Where in a box the improvement with a margin of 0.01 is largest.
 *
 * low, high  [dims]
 * seed       of the random points at which the search begins
 * x          [dims] out */
void gaussian_process_next(struct gaussian_process *g, const double *low,
    const double *high, uint64_t seed, double *x);

#endif
