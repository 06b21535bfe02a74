/* A Gaussian process: what a function of a few variables may be like, after
 * some noisy values of it, and where the next value is best taken.
 *
 * The covariance of two points is s^2 exp(-d^2 / (2 l^2)) of their Euclidean
 * distance d, of one l for all variables as they are; each value has noise of
 * a given deviation.  l and s maximise the likelihood of the values, which are
 * standardised first when there are three or more (Rasmussen and Williams,
 * "Gaussian Processes for Machine Learning", 2006, equations 2.23 to 2.26 and
 * 2.30).
 *
 *	struct gaussian_process *g = gaussian_process_new(2, 0.8);
 *	gaussian_process_add(g, x, score);
 *	gaussian_process_fit(g);
 *	gaussian_process_next(g, low, high, seed, x);
 *	gaussian_process_free(g);
 */
#ifndef TRAINER_TUNE_GAUSSIAN_PROCESS_H
#define TRAINER_TUNE_GAUSSIAN_PROCESS_H

#include <stdint.h>

struct gaussian_process;

/* dims   variables, 1 .. MINIMIZE_MOST
 * noise  deviation of a standardised value, > 0 */
struct gaussian_process *gaussian_process_new(int dims, double noise);

/* Free it; g may be NULL. */
void gaussian_process_free(struct gaussian_process *g);

/* Forget all values. */
void gaussian_process_clear(struct gaussian_process *g);

/* One more value y at x [dims]; gaussian_process_fit() comes after it. */
void gaussian_process_add(
    struct gaussian_process *g, const double *x, double y);

/* Find l and s; one value or more has been added. */
void gaussian_process_fit(struct gaussian_process *g);

/* Take these instead. */
void gaussian_process_set_kernel(
    struct gaussian_process *g, double length, double scale);

/* l and s, as they are now. */
void gaussian_process_kernel(
    const struct gaussian_process *g, double *length, double *scale);

/* The logarithm of the likelihood of the (standardised) values. */
double gaussian_process_likelihood(const struct gaussian_process *g);

/* Mean and deviation of the function at x [dims], standardised; the noise of a
 * value is not part of it. */
void gaussian_process_predict(const struct gaussian_process *g, const double *x,
    double *mean, double *deviation);

/* By how much a value at x [dims] is expected to be above what is the best of
 * the means at all values, and margin (Brochu, Cora and de Freitas, arXiv
 * 1012.2599, equation 4); >= 0. */
double gaussian_process_improvement(
    const struct gaussian_process *g, const double *x, double margin);

/* Where in a box the improvement with a margin of 0.01 is largest, as found
 * from 25 random starts.
 *
 * low, high  [dims]
 * seed       of the starts
 * x          [dims] out */
void gaussian_process_next(struct gaussian_process *g, const double *low,
    const double *high, uint64_t seed, double *x);

enum { MINIMIZE_MOST = 4 }; /* variables */

typedef double minimize_fn(void *ctx, const double *x);

/* Go downhill from x: BFGS with forward differences and backtracking; steps
 * that leave the box end at its wall (Nocedal and Wright, "Numerical
 * Optimization", 2006, sections 6.1 and 16.7).
 *
 * f          finite, or INFINITY where it is not defined
 * low, high  [n] the box, low < high
 * n          variables, 1 .. MINIMIZE_MOST
 * x          [n] in: inside of the box; out: where f is least of all that was
 *            tried
 *
 * Returns f(x). */
double minimize(minimize_fn *f, void *ctx, const double *low,
    const double *high, int n, double *x);

#endif
