/* A job that was started again into the same log: where each attempt begins.
 *
 *	struct attempts a;
 *	attempts_find(&index, RESULT_UNKNOWN, &a);
 *	... attempt i of source k: samples a.starts[i * n_sources + k] up to
 *	    a.starts[(i + 1) * n_sources + k] - 1, counted in that log ...
 *	attempts_release(&a);
 */
#ifndef EXTRACT_MEASURE_STEPS_ATTEMPTS_H
#define EXTRACT_MEASURE_STEPS_ATTEMPTS_H

#include <stddef.h>

#include "extract/measure/steps/sample_index.h"

struct attempts {
	size_t n;       /* 1: it was not started again, as far as is known */
	size_t *starts; /* [(n + 1) * n_sources] */
};

/* Find the attempts by the numbers of the iterations, in the order of the
 * files.
 *
 * An attempt begins where the numbers of a log (of a rank in it, where lines
 * state by whom they are) fall back by ATTEMPTS_MIN_FALL lines or more and rise
 * again from there, as one process's do; where many processes print and their
 * lines fall back all the time, at the first line that is one too many for
 * world ranks.
 *
 * world  ranks in all, or RESULT_UNKNOWN
 * usual  lines of most iterations: where there are more falls than that, they
 *        are those of ranks that print in blocks */
void attempts_find(
    const struct sample_index *r, long world, size_t usual, struct attempts *a);
void attempts_release(struct attempts *a);

/* True if attempts that hold the same iterations ran one after the other, and
 * are not ranks whose logs were joined: by their time stamps, else by their
 * times, since ranks of synchronous training are at most two steps apart. */
int attempts_are_in_turn(
    const struct sample_index *r, const struct attempts *a);

#endif
