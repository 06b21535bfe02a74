/* Choosing the fastest of some candidates by timing each.
 *
 * All are timed once; the best few are timed again, by turns, and the least
 * median decides.  Candidates that cannot be prepared, need too much workspace
 * or fail when they run are excluded.  Of equals the first one wins: they are
 * in the order of a good guess.
 *
 * Knows nothing of CUDA: what prepares and what measures comes from outside.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H
#define TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H

#include <stddef.h>

#include "common/error.h"

enum {
	TUNE_TIMES = 5,  /* of a candidate in a round */
	TUNE_BEST = 4,   /* candidates that are timed again */
	TUNE_ROUNDS = 3, /* so many more rounds */
	TUNE_MAX = 64    /* candidates */
};

struct tune_task {
	int n; /* candidates, at most TUNE_MAX */
	/* Make candidate i ready; workspace is set to the bytes it needs.
	 * Returns 0, or -1 with e. */
	int (*prepare)(void *ctx, int i, size_t *workspace, struct error *e);
	/* Run it n times; seconds[n] are set.  Returns 0, or -1 with e. */
	int (*time)(void *ctx, int i, int n, double *seconds, struct error *e);
	void *ctx;
	size_t workspace_limit; /* bytes */
};

struct tune_result {
	int best;
	double seconds; /* the least of its medians */
	int n_timed;    /* candidates that could be used */
};

/* Choose.  Returns 0, or -1 with the last candidate's error if none can be used
 * (ERROR_LIMIT: all need too much workspace). */
int tune(const struct tune_task *t, struct tune_result *out, struct error *e);

#endif
