/* A machine for cuda_open_on() that runs each call on the CPU in plain loops
 * over single elements. It defines the meaning of the calls and is the
 * reference for the planning.
 *
 * Tensors of fp16 and bf16 are floats rounded at each store.
 */
#ifndef TESTS_CUDA_HOST_H
#define TESTS_CUDA_HOST_H

#include "trainer/device/cuda/executor.h"

/* Which fused calls the machine claims: none, all, or some, by the bits of a
 * number that changes with each query. */
enum host_claims { HOST_PLAIN, HOST_FUSED, HOST_MIXED };
extern enum host_claims host_claims;
extern unsigned host_seed; /* of HOST_MIXED */

/* Number of steps that can be captured before a capture fails. */
extern int host_captures;

extern const struct executor_kind host_machine;

/* Open a device on host_machine; all of its operations work. */
int host_device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* The program that d runs. */
const struct gpu_program *host_device_program(const struct device *d);

/* Number of replays of captured steps; number of marked moments. */
long host_device_replays(const struct device *d);
long host_device_marks(const struct device *d);

/* The loss scale of d. */
struct loss_scale *host_device_scale(const struct device *d);

#endif
