/* Choose the fastest of some candidates by timing them.
 *
 * Candidates come in the order of a heuristic, which is usually right.  Try the
 * first few, then the first of each other engine, then the rest, until some in
 * a row are no better; each runs twice, and the second run counts.  Time the
 * best and those near it again, in turns; the least median decides.  Exclude
 * candidates that cannot be prepared or fail.  Of equals the first wins.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H
#define TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H

#include <stdint.h>

#include "common/error.h"

enum {
	TUNE_FIRST = 6,  /* candidates before those of other engines */
	TUNE_VAIN = 8,   /* so many in a row without a better one are enough */
	TUNE_BEST = 4,   /* candidates that are timed again, at most, */
	TUNE_ROUNDS = 3, /* in so many rounds */
	TUNE_TIMES = 3,  /* of as many runs each */
	TUNE_MAX = 64    /* candidates */
};

struct tune_task {
	int n;                 /* candidates, at most TUNE_MAX */
	const int64_t *engine; /* [n] the engine that each is a setting of */
	/* Make candidate i ready.  Returns 0, or -1 with e. */
	int (*prepare)(void *ctx, int i, struct error *e);
	/* Run it n times; seconds[n] are set.  Returns 0, or -1 with e. */
	int (*time)(void *ctx, int i, int n, double *seconds, struct error *e);
	/* True if no time is left: the best so far is taken. */
	int (*is_over)(void *ctx);
	void *ctx;
};

/* Choose.  Returns the best, and its least median; -1 with the last candidate's
 * error if none can be used. */
int tune(const struct tune_task *t, double *seconds, struct error *e);

#endif
