/* Decide whether to fuse a call: if it is no slower than the equivalent single
 * calls, by the times in the engine cache. Keys are engine_signature() for
 * convolutions and fusion_own_signature() for our own kernels.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H
#define TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H

#include "trainer/device/cuda/engines/engine_cache.h"

/* Values in place of a cuDNN engine: a call of our own kernels; a convolution
 * whose trial crashed the process; a fused call for which no proposed engine
 * works. */
#define ENGINE_OWN "own"
#define ENGINE_FAULTED "faulted"
#define ENGINE_NONE "none"

/* Key, without the batch, of a call of our own kernels that a fused call can
 * replace.
 *
 * out  [ENGINE_WORD]
 *
 * Returns 1; 0 if no fused call of this type can replace it. */
int fusion_own_signature(
    const struct gpu_program *p, const struct call *c, char *out);

/* True if program p should use the fused call c: also if the single calls are
 * not timed, but not if only they are, or if the trial of c failed. The
 * decision on a normalised input includes the weight gradient that reads it. A
 * convolution with a bias must be measured to be faster, since compiling its
 * engines takes seconds at each start. */
int fusion_pays(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

/* True if a choice has no engine or one that crashes. */
int fusion_is_missing(const struct engine_choice *x);

/* True if the trial of convolution c found no engine or crashed. */
int fusion_failed(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

#endif
