/* All runs of a sweep, in the order in which they are made: the first run of
 * every combination, then the second of every one, so that slow changes of the
 * machine affect all combinations equally and an interrupted sweep has runs of
 * each.
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
	struct run run; /* the first one */
	const char *why;
};

struct plan {
	struct arena arena;
	struct run *runs;
	size_t n, alloc;
	struct left_out *left_out; /* if the site excludes runs it cannot
				      make */
	size_t n_left_out, alloc_left_out;
};

/* Plan the runs of s.
 *
 * only  a pattern as the shell's for file names, of the logs to make, or of
 *       their folders' or files' names; NULL: all
 * take_turns  1: the groups take turns at each combination, so that run k of
 *       one and run k of the next follow each other and are a pair
 * p     set on success only; refers to s; plan_release() frees it
 *
 * Returns 0, or -1: two runs would write the same log, a launcher or program
 * is missing, too many runs, or none (ERROR_EMPTY). */
int plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e);

/* Free the runs; p is empty afterwards. */
void plan_release(struct plan *p);

#endif
