/* The doubling model of one row or column: from measured counts to the
 * distribution of the time at another one.
 *
 *	struct doubling d;
 *	struct mixture x;
 *	doubling_init(&d, DOUBLING_ROW, points, n, prior);
 *	doubling_predict(&d, 4, 32, &x);
 *	t = exp(mixture_quantile(&x, 0.5));
 *	mixture_release(&x);
 *	doubling_release(&d);
 */
#ifndef PREDICT_MODELS_DOUBLING_H
#define PREDICT_MODELS_DOUBLING_H

#include "predict/models/growth.h"
#include "predict/models/mixture.h"

/* Rows and columns measure different links, so their numbers differ. */
enum doubling_axis {
	DOUBLING_ROW,   /* m is nodes, GPUs of a node fixed */
	DOUBLING_COLUMN /* m is GPUs of one node, or all of unknown nodes */
};

struct doubling {
	enum doubling_axis axis;
	const struct scaling_point *points; /* [n] borrowed; by m */
	size_t n;
	struct growth_weights *weights;
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

/* Free all. */
void doubling_release(struct doubling *d);

/* Speed grew by less than the constant allows, a doubling, between the two
 * largest counts: something shared is full. */
int doubling_is_saturated(const struct scaling_point *points, size_t n);

/* The distribution of ln t at a count.
 *
 * m, gpus  of the target, >= 1
 * x        set; the caller releases it */
void doubling_predict(
    const struct doubling *d, double m, double gpus, struct mixture *x);

/* The index of the measured count nearest to m in |log2|, the larger of two. */
size_t doubling_anchor(const struct scaling_point *points, size_t n, double m);

#endif
