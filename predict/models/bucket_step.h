/* A step whose gradients are reduced in buckets, one after the other, while
 * the backward pass goes on.
 *
 *	start_k = max(ready_k, end_(k-1)),  end_k = start_k + t(S_k)
 *	T = max(end of backward, end_K) + optimiser
 *
 * Zhang et al. 2017, Poseidon, USENIX ATC; Shi, Chu, Li 2019, INFOCOM; Li et
 * al. 2020, VLDB 13(12).
 */
#ifndef PREDICT_MODELS_BUCKET_STEP_H
#define PREDICT_MODELS_BUCKET_STEP_H

#include <stddef.h>

struct step_bucket {
	double bytes;   /* >= 0 */
	double ready_s; /* since the start of the step, on a mean rank */
	double start_s; /* set: when its allreduce starts */
	double end_s;   /* set: and ends */
};

/* Seconds of one allreduce of so many bytes. */
typedef double allreduce_cost(double bytes, const void *context);

/* The rest of what makes a step. */
struct bucket_step {
	double compute_s;   /* the end of the backward pass, > 0 */
	double optimiser_s; /* after everything */
	double sigma_s;     /* of the compute time of one rank */
	double ranks;       /* the slowest of so many is waited for */
};

/* The seconds of a step; sets start_s and end_s of the buckets.
 *
 * buckets  [n] in the order of their allreduces */
double bucket_step_time(const struct bucket_step *step,
    struct step_bucket *buckets, size_t n, allreduce_cost *cost,
    const void *context);

/* Buckets that were not measured: so many bytes in pieces of the usual size,
 * ready at equal distances over the last two thirds of the compute time.
 *
 * bytes  > 0
 *
 * Returns [*n] buckets; free with free(). */
struct step_bucket *buckets_assume(double bytes, double compute_s, size_t *n);

#endif
