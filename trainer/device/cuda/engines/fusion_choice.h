/* Fuse a call if it takes no longer than the single calls that do the same, by
 * the times in the file of engines (engine_cache.h): convolutions under
 * engine_signature(), our own kernels under fusion_own_signature().
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H
#define TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H

#include "trainer/device/cuda/engines/engine_cache.h"

/* Instead of an engine of cuDNN: a call of our own kernels; a convolution whose
 * trial ended the process; a fused call for which no proposed engine works. */
#define ENGINE_OWN "own"
#define ENGINE_FAULTED "faulted"
#define ENGINE_NONE "none"

/* Key of a call of our own kernels that a fused call can replace, without the
 * batch.
 *
 * out  [ENGINE_WORD]
 *
 * Returns 1; 0 if no fused call of this type can replace it. */
int fusion_own_signature(
    const struct gpu_program *p, const struct call *c, char *out);

/* True if program p should use the fused call c.  Fuse while the single calls
 * are not timed; do not if only they are, or if the trial of c failed.  The
 * forward call decides about a normalised input together with the weight
 * gradient that reads it.  A convolution with a bias must be timed and faster:
 * its engines are compiled at each start, for seconds. */
int fusion_pays(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

/* True if a choice has no engine, or one that ends the process. */
int fusion_is_missing(const struct engine_choice *x);

/* True if the trial of convolution c found that. */
int fusion_failed(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

#endif
