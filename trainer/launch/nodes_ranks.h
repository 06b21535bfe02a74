/* The ranks of emulated nodes: started, watched and ended by the first process
 * of the nodes' namespaces. */
#ifndef TRAINER_LAUNCH_NODES_RANKS_H
#define TRAINER_LAUNCH_NODES_RANKS_H

#include "common/error.h"
#include "trainer/launch/core_share.h"
#include "trainer/launch/nodes.h"

/* Seconds from a rank's failure, or an interrupt, to the end of all. */
enum { NODES_PATIENCE_S = 8 };

/* Start all ranks and wait for them.  The nodes are there; SIGTERM is blocked
 * and asks all ranks to end.
 *
 * Returns as nodes_run(). */
int nodes_ranks_run(const struct nodes_how *how, const struct core_share *share,
    struct error *e);

#endif
