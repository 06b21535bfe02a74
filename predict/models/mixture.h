/* A distribution made of Student's t components of 2 degrees with one scale:
 * what a prediction is, in the logarithm of a time.
 *
 *	struct mixture x;
 *	mixture_init(&x, scale);
 *	mixture_add(&x, ln_t, weight);
 *	low = exp(mixture_quantile(&x, 0.1));
 *	mixture_release(&x);
 */
#ifndef PREDICT_MODELS_MIXTURE_H
#define PREDICT_MODELS_MIXTURE_H

#include <stddef.h>

struct mixture {
	double *place;  /* [n] of the middle of each component */
	double *weight; /* [n] of each; the sum is 1 */
	size_t n, alloc_places, alloc_weights;
	double scale; /* of all, > 0 */
};

/* An empty mixture. */
void mixture_init(struct mixture *x, double scale);

/* Free all. */
void mixture_release(struct mixture *x);

/* Add a component. */
void mixture_add(struct mixture *x, double place, double weight);

/* The share of the distribution below at. */
double mixture_below(const struct mixture *x, double at);

/* Mean of the middles, by weight. */
double mixture_mean(const struct mixture *x);

/* Where the share p lies below, 0 < p < 1; n >= 1.  As sixty bisections of
 * the places and 60 scales around them find it, to the last digits. */
double mixture_quantile(const struct mixture *x, double p);

/* Times of steps, all in one unit. */
struct transfer {
	double anchor;         /* T(A; b), of the batch asked for, > 0 */
	double sibling_anchor; /* T(A; b0) */
	double sibling_target; /* T(n, g; b0) */
	double anchor_error;   /* relative standard error of the first */
	double anchor_gpus;    /* N of A, >= 1 */
	double target_gpus;    /* N of the target */
};

/* The step at the target, T(A; b) + T(n, g; b0) - T(A; b0).  Not above 0 where
 * b0 is so much larger that its step says nothing: no transfer then. */
double transfer_step(const struct transfer *f);

/* The distribution of the logarithm of that step, which must be above 0.
 *
 * x  set; the caller releases it */
void transfer_predict(const struct transfer *f, struct mixture *x);

#endif
