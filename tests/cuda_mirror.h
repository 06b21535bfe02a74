/* A GPU, each of whose calls runs a second time on tests/cuda_host.h, from the
 * same inputs, and is compared: a fused call that is wrong is found by itself,
 * not by what a whole network makes of it.
 *
 *	mirror_most = 1e-2;
 *	pair_open(&p, "wide", DTYPE_FP16, mirror_open);
 *	pair_run(p.device, MODE_TRAIN, &r);
 *	CHECK(mirror_calls > 0);
 */
#ifndef TESTS_CUDA_MIRROR_H
#define TESTS_CUDA_MIRROR_H

#include "tests/device_pair.h"

/* What a result may differ, as a share of its norm. */
extern double mirror_most;

/* Calls that were compared; those of them that were fused convolutions; the
 * largest difference. */
extern int mirror_calls, mirror_fused;
extern double mirror_worst;

/* A pair_open_fn: the cuda device, one at a time. */
int mirror_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

#endif
