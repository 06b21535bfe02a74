/* Choose the fastest of several candidates by timing them.
 *
 * Candidates are in the order of a heuristic, which is usually right. Try the
 * first few, then the first of each other engine, then the rest, until several
 * in a row are no better; each runs twice and the second run counts. Then time
 * the best and those near it again, alternating; the lowest median wins, of
 * equals the first candidate. Candidates that cannot be prepared or fail are
 * excluded.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H
#define TRAINER_DEVICE_CUDA_ENGINES_ENGINE_TUNER_H

#include <stdint.h>

#include "common/error.h"

enum {
	TUNE_FIRST = 6,  /* candidates tried before those of other engines */
	TUNE_VAIN = 8,   /* stop after this many vain candidates */
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
