/* All runs of a sweep, in the order in which they are made: first run 1 of
 * every combination, then run 2 of every combination, so that slow changes of
 * the machine affect all combinations equally and an interrupted sweep has runs
 * of each.
 */
#ifndef TRAINER_LAUNCH_PLAN_H
#define TRAINER_LAUNCH_PLAN_H

#include "common/arena.h"
#include "common/error.h"
#include "trainer/launch/command.h"
#include "trainer/launch/sweep.h"

enum { PLAN_MAX_RUNS = 100000 };

/* A combination whose runs cannot be made here. */
struct left_out {
	struct run run; /* the first of them */
	const char *why;
};

struct plan {
	struct arena arena;
	struct run *runs;
	size_t n, alloc;
	size_t n_combinations;     /* of all groups */
	struct left_out *left_out; /* if site->leaves_out */
	size_t n_left_out, alloc_left_out;
};

/* Plan the runs of s.
 *
 * only  a shell pattern for the logs to make, or for their folder or file name;
 *       NULL: all
 * take_turns  1: the groups take turns at each combination, so that their runs
 *             k follow each other and form pairs
 * p     set on success only; refers to s; plan_release() frees it
 *
 * Returns 0, or -1 if two runs would write the same log, a launcher or program
 * is missing, or there are too many runs or none (ERROR_EMPTY). */
int plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e);

/* Free the runs; p is empty afterwards. */
void plan_release(struct plan *p);

#endif
