/* The doubling model of one row or column: how the cost of each doubling grows,
 * from measured counts to the distribution of the time at another one.
 *
 *	ln t(m) = const + ln(1 + a phi(m)) + c expected_largest(N)
 *
 * Growth rho and cost a are unknown: each pair of a grid has a weight from
 * data.  All sums run over the grid in index order, so that the digits are the
 * same everywhere.
 *
 *	struct doubling d;
 *	struct prediction x;
 *	growth_prior(prior);
 *	doubling_init(&d, DOUBLING_ROW, points, n, prior);
 *	doubling_predict(&d, 4, 32, &x);
 *	t = exp(prediction_quantile(&x, 0.5));
 */
#ifndef PREDICT_MODELS_DOUBLING_H
#define PREDICT_MODELS_DOUBLING_H

#include <stddef.h>

#include "predict/models/constants.h"

/* One measured case on the axis of its row (m: nodes) or column (m: GPUs). */
struct scaling_point {
	double m;    /* count on the axis, >= 1 */
	double gpus; /* N, all of them, >= 1 */
	double t;    /* device time a sample takes, any unit, > 0 */
	double s;    /* relative standard error of t, >= 0 */
};

/* Weight of each (rho, a) of the grid; the sum is 1. */
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

/* Prior times likelihood of the increments between neighbours, sum 1.
 *
 * points     [n] by m, ascending, n >= 1; one leaves the priors
 * straggler  c of the axis
 * prior      of rho; NULL: none */
void growth_weigh(const struct scaling_point *points, size_t n,
    double straggler, const double prior[GROWTH_RHOS],
    struct growth_weights *w);

/* Median of the growth: the smallest rho whose cumulative weight reaches one
 * half. */
double growth_median(const struct growth_weights *w);

/* Evidence of a sibling's row about the common habit f: the likelihood of its
 * points for each f on the grid of rho, up to a common factor.
 *
 * points  [n] by m, ascending
 *
 * It depends on the sibling only, so callers cache it. */
void growth_evidence(const struct scaling_point *points, size_t n,
    double straggler, double evidence[GROWTH_RHOS]);

/* Prior of rho given siblings, which share a habit f near each rho;
 * growth_prior without siblings.
 *
 * evidence  [n] of each sibling
 *
 * Casella 1985, American Statistician 39(2), for priors from many series. */
void growth_pool(
    const double *const *evidence, size_t n, double prior[GROWTH_RHOS]);

/* --- mixtures ------------------------------------------------------------- */

enum { MIXTURE_MAX = GROWTH_RHOS * COSTS + CEILINGS };

/* A mixture of Student's t distributions with 2 degrees of freedom and one
 * scale: the distribution of the logarithm of a time. */
struct mixture {
	double place[MIXTURE_MAX];  /* [n] middle of each component */
	double weight[MIXTURE_MAX]; /* [n] of each; the sum is 1 */
	size_t n;
	double scale; /* of all, > 0 */
};

/* An empty mixture. */
void mixture_init(struct mixture *x, double scale);

/* Add a component. */
void mixture_add(struct mixture *x, double place, double weight);

/* Quantile p, 0 < p < 1; n >= 1. */
double mixture_quantile(const struct mixture *x, double p);

/* A distribution in two parts: bends that the data do not show widen the
 * interval but leave the median. */
struct prediction {
	struct mixture median, interval;
};

/* Quantile p, 0 < p < 1: 0.5 is that of the median's mixture, others are those
 * of the interval's mixture, at most or at least the median. */
double prediction_quantile(const struct prediction *x, double p);

/* Times of steps, all in one unit. */
struct transfer {
	double anchor;         /* T(A; b), for the requested batch, > 0 */
	double sibling_anchor; /* T(A; b0) */
	double sibling_target; /* T(n, g; b0) */
	double anchor_error;   /* relative standard error of the first */
	double anchor_gpus;    /* N of A, >= 1 */
	double target_gpus;    /* N of the target */
};

/* The step at the target, T(A; b) + T(n, g; b0) - T(A; b0). Not above 0 if the
 * step at b0 is too long for a transfer. */
double transfer_step(const struct transfer *f);

/* Set x to the distribution of the logarithm of that step, which must be above
 * 0. */
void transfer_predict(const struct transfer *f, struct prediction *x);

/* --- prediction ----------------------------------------------------------- */

/* Rows and columns measure different links, so their numbers differ. */
enum doubling_axis {
	DOUBLING_ROW,   /* m is nodes, GPUs of a node fixed */
	DOUBLING_COLUMN /* m is GPUs of one node, or all of unknown nodes */
};

struct doubling {
	enum doubling_axis axis;
	const struct scaling_point *points; /* [n] borrowed; by m */
	size_t n;
	struct growth_weights weights;
};

/* c of the straggler term of an axis. */
double doubling_straggler(enum doubling_axis axis);

/* Weigh the grid by the points.
 *
 * points  [n] by m, all m different, n >= 1; one leaves the prior as it is
 * prior   of rho: growth_prior or growth_pool */
void doubling_init(struct doubling *d, enum doubling_axis axis,
    const struct scaling_point *points, size_t n,
    const double prior[GROWTH_RHOS]);

/* True if speed grew by less than K_SATURATED_GROWTH per doubling between the
 * two largest counts: a shared resource is saturated. */
int doubling_is_saturated(const struct scaling_point *points, size_t n);

/* True if the last doubling cost more than the one before it, by more than
 * K_RISING of ln t a doubling; false below three counts. */
int doubling_is_rising(const struct scaling_point *points, size_t n);

/* Set x to the distribution of ln t at a count.
 *
 * m, gpus  of the target, >= 1 */
void doubling_predict(
    const struct doubling *d, double m, double gpus, struct prediction *x);

/* The index of the measured count nearest to m in |log2|, the larger of two. */
size_t doubling_anchor(const struct scaling_point *points, size_t n, double m);

#endif
