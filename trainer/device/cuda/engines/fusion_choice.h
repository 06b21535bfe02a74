/* Is a fused call worth it?  It is if it takes no longer than the single calls
 * that would do the same, by the times of both forms in the file of measured
 * engines (engine_cache.h): a convolution's under engine_signature(), our own
 * kernels' under fusion_own_signature().
 *
 * Knows nothing of CUDA.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H
#define TRAINER_DEVICE_CUDA_ENGINES_FUSION_CHOICE_H

#include "trainer/device/cuda/engines/engine_cache.h"

/* What a choice has for an engine that is none of cuDNN's: a call of our own
 * kernels; a convolution whose trial ended the process that made it; a fused
 * one for which cuDNN could make none of those that it proposed. */
#define ENGINE_OWN "own"
#define ENGINE_FAULTED "faulted"
#define ENGINE_NONE "none"

/* What makes a call of our own kernels, which a fused call may take the place
 * of, the same as another one but for the batch.
 *
 * out  [ENGINE_WORD]
 *
 * Returns 1; 0 if no fused call takes the place of such a call in this type. */
int fusion_own_signature(
    const struct gpu_program *p, const struct call *c, char *out);

/* Should the program have the fused call c, which could be done?  Yes, too,
 * as long as the single calls were not timed.  If they were and c was not, or
 * if its trial failed, then no.  A normalised input is judged together with the
 * weight gradient that then reads it so, by the forward call.  A convolution
 * with a bias must have been timed and be faster: its engines are compiled, for
 * seconds, at each start.
 *
 * p  for batch and type */
int fusion_pays(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

/* Is there no engine in a choice, or one that ends the process? */
int fusion_is_missing(const struct engine_choice *x);

/* Did the trial of convolution c find that? */
int fusion_failed(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic);

#endif
