/* A GPU device that repeats each call on tests/cuda_host.h with the same inputs
 * and compares the results. A wrong fused call is detected by itself, not by
 * its effect on a whole network.
 *
 *	mirror_most = 1e-2;
 *	pair_open(&p, "wide", DTYPE_FP16, mirror_open);
 *	pair_run(p.device, MODE_TRAIN, &r);
 *	CHECK(mirror_calls > 0);
 */
#ifndef TESTS_CUDA_MIRROR_H
#define TESTS_CUDA_MIRROR_H

#include "tests/device_pair.h"

/* Largest allowed difference of a result, relative to its norm. */
extern double mirror_most;

/* Number of compared calls, and of fused convolutions among them; the largest
 * difference. */
extern int mirror_calls, mirror_fused;
extern double mirror_worst;

/* A pair_open_fn for the cuda device; only one can be open at a time. */
int mirror_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

#endif
