/* Which engine was measured to be the fastest for each convolution of a GPU,
 * kept in a file.  What was measured with another cuDNN or on another kind of
 * GPU does not apply and is ignored.
 *
 * The file is text, one item a line:
 *
 *	dlscale-engines 1
 *	cudnn 91900
 *	gpu 9.0 132 NVIDIA H200
 *	engine 256 fp16 0 87.5 conv:... eng12_k2=3
 *	end 1
 *
 * engine: batch, precision, deterministic, microseconds, the convolution
 * (engine_signature) and the engine with its settings; end: how many there are.
 *
 * Knows nothing of CUDA.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_ENGINE_CACHE_H
#define TRAINER_DEVICE_CUDA_ENGINES_ENGINE_CACHE_H

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/device/cuda/planning/program.h"
#include "trainer/base/tensor.h"

enum { ENGINE_WORD = 192 }; /* bytes of a signature or an engine, with NUL */

/* What choices are made for. */
struct engine_machine {
	long cudnn;       /* cudnnGetVersion() */
	int major, minor; /* compute capability */
	int multiprocessors;
	char name[256]; /* of the GPU */
};

struct engine_choice {
	int batch;
	enum dtype precision;
	int deterministic;
	double us;                   /* it took */
	char signature[ENGINE_WORD]; /* no spaces */
	char engine[ENGINE_WORD];    /* no spaces */
};

struct engine_cache {
	struct engine_machine machine;
	struct engine_choice *choices;
	size_t n, alloc;
	int changed; /* since it was read */
};

/* Key of a convolution call, without the batch: shape and fused operations. */
void engine_signature(const struct call *c, char *out);

/* Empty, for a machine. */
void engine_cache_init(
    struct engine_cache *c, const struct engine_machine *machine);
void engine_cache_release(struct engine_cache *c);

/* Add what the file holds to an empty cache.  A file that is not there is as
 * good as an empty one.
 *
 * Returns 0; 1 if the file is ignored, and note gives the reason: it was
 * measured on another GPU or cuDNN, or is damaged. */
int engine_cache_read(
    struct engine_cache *c, const char *path, struct error *note);

/* Write it, whole or not at all; errors are those of outfile.h. */
int engine_cache_write(
    struct engine_cache *c, const char *path, struct error *e);

/* The choice with the batch, precision, determinism and signature of key; NULL
 * if there is none. */
const struct engine_choice *engine_cache_find(
    const struct engine_cache *c, const struct engine_choice *key);

/* Keep a choice; it takes the place of an older one. */
void engine_cache_put(
    struct engine_cache *c, const struct engine_choice *choice);

/* Where the file usually is: dlscale/engines-CUDNN-GPU in $XDG_CACHE_HOME or
 * $HOME/.cache; empty if neither is set. */
void engine_cache_path(const struct engine_machine *m, struct strbuf *out);

#endif
