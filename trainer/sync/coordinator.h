/* Agreeing on which gradients are ready on all ranks, as Horovod does it in
 * each cycle: ranks that know the tensors by number (its response cache holds
 * them all) need one small reduction; else each sends the names of what became
 * ready, the first rank counts them, and sends all which are ready everywhere.
 * Gradients become ready in the same order on all ranks, so what is ready is a
 * number: the first so many.
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

/* A coordinator for tensors in the order in which they become ready.
 *
 * comm      borrowed
 * names     [n] borrowed, no two alike
 * capacity  tensors that are known by number; less than n: none is (a cache
 *           that is gone through in order and is too small never hits) */
struct coordinator *coordinator_new(
    struct comm *comm, const char *const *names, int n, long capacity);

/* Free it; n may be NULL. */
void coordinator_free(struct coordinator *n);

/* A step begins: nothing is ready. */
void coordinator_begin(struct coordinator *n);

/* One cycle; all ranks together.
 *
 * ready  tensors that are ready on this rank, not less than before
 * all    set to those that are ready on all ranks, the same on all */
int coordinator_ask(
    struct coordinator *n, int ready, int *all, struct error *e);

#endif
