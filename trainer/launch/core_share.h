/* The same share of a core for each rank of an emulated run, whatever their
 * number, by control groups of Linux: else four ranks on two cores compute more
 * slowly than two, and speedups show the machine, not the network.
 *
 *	struct core_share c;
 *	if (core_share_open(&c, 4, 0.5, &e) != 0) ...     groups made
 *	core_share_join(&c, 2);                            in rank 2
 *	core_share_close(&c);                              groups removed
 */
#ifndef TRAINER_LAUNCH_CORE_SHARE_H
#define TRAINER_LAUNCH_CORE_SHARE_H

#include "common/error.h"

struct core_share {
	char *folder; /* of our group; NULL: none was made */
	long n;       /* ranks */
};

/* Make a group for each of n ranks, and remove groups that killed programs of
 * this machine left.
 *
 * share  of one core, 0 < share <= 1
 *
 * Returns 0; -1 with ERROR_SYSTEM where groups cannot be made, with c empty. */
int core_share_open(
    struct core_share *c, long n, double share, struct error *e);

/* This process and its children are rank's from now on.  Returns 0 or -1. */
int core_share_join(const struct core_share *c, long rank);

/* Remove the groups; their processes must have ended. */
void core_share_close(struct core_share *c);

#endif
