/* Another batch size of the same configuration that has the target measured:
 * what a step loses to the network hardly depends on its batch.
 */
#ifndef PREDICT_MODELS_TRANSFER_H
#define PREDICT_MODELS_TRANSFER_H

#include "predict/models/mixture.h"

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
