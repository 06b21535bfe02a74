/* How the cost of each doubling grows: the two functions that the model is
 * written in, the grid of its two unknown numbers (growth rho, cost a), and
 * their weights from data.
 *
 *	ln t(m) = const + ln(1 + a phi(m)) + c expected_largest(N)
 *
 * All sums run over the grid in index order, so that the digits are the same
 * everywhere.
 *
 *	struct growth_weights w;
 *	double prior[GROWTH_RHOS];
 *	growth_prior(prior);
 *	growth_weigh(points, n, c, prior, &w);
 */
#ifndef PREDICT_MODELS_GROWTH_H
#define PREDICT_MODELS_GROWTH_H

#include <stddef.h>

#include "predict/models/constants.h"

/* One measured case on the axis of its row (m: nodes) or column (m: GPUs). */
struct scaling_point {
	double m;    /* count on the axis, >= 1 */
	double gpus; /* N, all of them, >= 1 */
	double t;    /* device time a sample takes, any unit, > 0 */
	double s;    /* relative standard error of t, >= 0 */
};

/* What each (rho, a) of the grid weighs; the sum is 1. */
struct growth_weights {
	double w[GROWTH_RHOS][COSTS];
};

/* Cost of all doublings up to m over the first one's: 0 at m = 1, 1 at 2,
 * 1 + rho at 4.  m > 0, rho > 0 and not 1 (no point of the grid is).
 * Box and Cox 1964, JRSS B 26, for the family. */
double growth_phi(double rho, double m);

/* Expected largest of n standard normal values, n >= 1; 0 for 1.
 * Blom 1958: Phi^-1((n - 0.375) / (n + 0.25)), within 2 % for n >= 4. */
double expected_largest(double n);

/* The grid: rho of index 0 to GROWTH_RHOS - 1, a of index 0 to COSTS - 1,
 * both ascending. */
double growth_rho(int i);
double growth_cost(int i);

/* The prior of rho from published series; sum 1. */
void growth_prior(double prior[GROWTH_RHOS]);

/* The prior of a; sum 1. */
void growth_cost_prior(double prior[COSTS]);

/* The logarithm of the likelihood of each (rho, a) from the increments between
 * neighbours, -INFINITY where it has no weight: Student's t of 2 degrees, so
 * that one odd case does not rule.
 *
 * points      [n] by m, ascending, n >= 1; with one all are 0
 * straggler   c of the axis
 *
 * Lange, Little, Taylor 1989, JASA 84, for t instead of normal errors. */
void growth_likelihood(const struct scaling_point *points, size_t n,
    double straggler, struct growth_weights *l);

/* Prior times likelihood, sum 1. */
void growth_weigh(const struct scaling_point *points, size_t n,
    double straggler, const double prior[GROWTH_RHOS],
    struct growth_weights *w);

/* The growth to print: the smallest rho whose weights and those below it add
 * up to one half. */
double growth_median(const struct growth_weights *w);

/* What a sibling's row states about the habit f that all siblings share: for
 * each f of the grid of rho the likelihood of its points, any common factor.
 *
 * points  [n] by m, ascending
 *
 * It is the same for whoever asks, so callers keep it. */
void growth_evidence(const struct scaling_point *points, size_t n,
    double straggler, double evidence[GROWTH_RHOS]);

/* The prior of rho that siblings leave: they share a habit f and each rho lies
 * near it.  Without siblings it is growth_prior.
 *
 * evidence  [n] of each sibling
 *
 * Casella 1985, American Statistician 39(2), for priors from many series. */
void growth_pool(
    const double *const *evidence, size_t n, double prior[GROWTH_RHOS]);

#endif
