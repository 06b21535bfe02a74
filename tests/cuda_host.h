/* A machine for cuda_open_on() that runs every call on the CPU, in plain
 * loops over one element at a time: the meaning of the calls, and the oracle
 * of the planning.
 *
 * Tensors of fp16 and bf16 are floats rounded at each store.
 */
#ifndef TESTS_CUDA_HOST_H
#define TESTS_CUDA_HOST_H

#include "trainer/device/cuda/executor.h"

/* Which fused calls the machine claims: none, all, or some, by the bits of a
 * number that changes with every question. */
enum host_claims { HOST_PLAIN, HOST_FUSED, HOST_MIXED };
extern enum host_claims host_claims;
extern unsigned host_seed; /* of HOST_MIXED */

/* How many steps can be captured before it fails. */
extern int host_captures;

extern const struct executor_kind host_machine;

/* A device on it, all of whose operations work. */
int host_device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* The program that d runs. */
const struct gpu_program *host_device_program(const struct device *d);

/* How often captured steps ran again; how many moments were marked. */
long host_device_replays(const struct device *d);
long host_device_marks(const struct device *d);

/* The loss scale of d. */
struct loss_scale *host_device_scale(const struct device *d);

#endif
