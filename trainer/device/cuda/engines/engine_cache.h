/* File of the fastest engine measured for each convolution on a GPU. A file
 * measured with another cuDNN version or GPU type is ignored.
 *
 * The file is text with one item per line:
 *
 *	dlscale-engines 1
 *	cudnn 91900
 *	gpu 9.0 132 NVIDIA H200
 *	engine 256 fp16 0 87.5 conv:... eng12_k2=3
 *	end 1
 *
 * engine: batch, precision, deterministic, microseconds, convolution
 * (engine_signature), engine with its settings; end: number of engines.
 *
 * Independent of CUDA.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_ENGINE_CACHE_H
#define TRAINER_DEVICE_CUDA_ENGINES_ENGINE_CACHE_H

#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/base/tensor.h"
#include "trainer/device/cuda/planning/program.h"

enum { ENGINE_WORD = 192 }; /* bytes of a signature or an engine, with NUL */

/* In place of a cuDNN engine: none works for this fused call. */
#define ENGINE_NONE "none"

/* Machine that choices are valid for. */
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
	double us;                   /* measured */
	char signature[ENGINE_WORD]; /* no spaces */
	char engine[ENGINE_WORD];    /* no spaces */
};

struct engine_cache {
	struct engine_machine machine;
	struct engine_choice *choices;
	size_t n, alloc;
	int changed; /* 1: changed since it was read */
};

/* Key of a convolution call, without the batch: shape and fused operations. */
void engine_signature(const struct call *c, char *out);

/* Create an empty cache for a machine, or free it. */
void engine_cache_init(
    struct engine_cache *c, const struct engine_machine *machine);
void engine_cache_release(struct engine_cache *c);

/* Read a file into an empty cache. A missing file counts as empty.
 *
 * Returns 0; 1 if the file is ignored, with the reason in note: measured with
 * another GPU or cuDNN, or damaged. */
int engine_cache_read(
    struct engine_cache *c, const char *path, struct error *note);

/* Write the cache to a file atomically; errors are those of files.h. */
int engine_cache_write(
    struct engine_cache *c, const char *path, struct error *e);

/* Choice with the batch, precision, determinism and signature of key, or
 * NULL. */
struct engine_choice *engine_cache_find(
    const struct engine_cache *c, const struct engine_choice *key);

/* Add a choice, replacing an older one with the same key. */
void engine_cache_put(
    struct engine_cache *c, const struct engine_choice *choice);

/* Default path of the file: dlscale/engines-CUDNN-GPU in $XDG_CACHE_HOME or
 * $HOME/.cache; empty if neither is set. */
void engine_cache_path(const struct engine_machine *m, struct strbuf *out);

/* --- Trial ---------------------------------------------------------------- */

/* Choose the fastest of several candidates by timing them.
 *
 * Candidates are in the order of a heuristic, which is usually right. Try the
 * first few, then the first of each other engine, then the rest, until several
 * in a row are no better; each runs twice and the second run counts. Then time
 * the best and those near it again, alternating; the lowest median wins, on
 * a tie the first candidate. Candidates that cannot be prepared or fail are
 * excluded.
 */

enum {
	TUNE_FIRST = 6,  /* candidates tried before those of other engines */
	TUNE_VAIN = 8,   /* stop after this many that are no better */
	TUNE_BEST = 4,   /* limit of candidates that are timed again */
	TUNE_ROUNDS = 3, /* rounds of timing them again */
	TUNE_TIMES = 3,  /* runs per candidate and round */
	TUNE_MAX = 64    /* candidates */
};

struct tune_task {
	int n;                 /* number of candidates, at most TUNE_MAX */
	const int64_t *engine; /* [n] engine of each candidate */
	/* Prepare candidate i. Returns 0, or -1 with e. */
	int (*prepare)(void *ctx, int i, struct error *e);
	/* Run candidate i n times, set seconds[n]. Returns 0, or -1 with e. */
	int (*time)(void *ctx, int i, int n, double *seconds, struct error *e);
	/* True if the time is up: the best so far is chosen. */
	int (*is_over)(void *ctx);
	void *ctx;
};

/* Returns the best candidate and sets *seconds to its lowest median; -1 with
 * the last candidate's error if none is usable. */
int tune(const struct tune_task *t, double *seconds, struct error *e);

#endif
