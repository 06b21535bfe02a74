/* Agreement on the gradients that are ready on all ranks, as in a cycle of
 * Horovod: if all tensors are in the response cache, one small reduction
 * suffices; else each rank sends the names of tensors that became ready, and
 * the first rank counts them and broadcasts those that are ready on all ranks.
 * Gradients become ready in the same order on all ranks, so their number
 * suffices.
 *
 *	n = coordinator_new(comm, names, n_tensors, 1024);
 *	coordinator_begin(n);
 *	coordinator_ask(n, ready_here, &ready_everywhere, &e);
 *	coordinator_free(n);
 */
#ifndef TRAINER_SYNC_COORDINATOR_H
#define TRAINER_SYNC_COORDINATOR_H

#include "common/error.h"
#include "trainer/comm/comm.h"

struct coordinator;

/* Create a coordinator for tensors in the order in which they become ready.
 *
 * comm      borrowed
 * names     [n] borrowed, no two alike
 * capacity  tensors in the cache; less than n: the cache is not used (traversed
 *           in order, a cache that is too small never hits) */
struct coordinator *coordinator_new(
    struct comm *comm, const char *const *names, int n, long capacity);

/* Free it; n may be NULL. */
void coordinator_free(struct coordinator *n);

/* Begin a step, with nothing ready. */
void coordinator_begin(struct coordinator *n);

/* Run one cycle. Collective.
 *
 * ready  number of tensors ready on this rank, not less than before
 * all    set to the number ready on all ranks, equal on all ranks */
int coordinator_ask(
    struct coordinator *n, int ready, int *all, struct error *e);

#endif
