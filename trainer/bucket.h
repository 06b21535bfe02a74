/* Which gradients are summed over the ranks together: a plan of buckets, each a
 * contiguous range of the gradient arena, in backward order.
 *
 * PyTorch's DistributedDataParallel (torch/csrc/distributed/c10d/reducer.cpp,
 * compute_bucket_assignment_by_size): tensors are taken in backward order, a
 * bucket is closed as soon as it holds at least its limit, the first bucket's
 * limit is 1 MiB, that of all others 25 MiB.
 *
 *	struct bucket_plan p;
 *	bucket_plan_ddp(&g, 4, 1 << 20, 25 << 20, &p);
 *	bucket_plan_release(&p);
 */
#ifndef TRAINER_BUCKET_H
#define TRAINER_BUCKET_H

#include <stddef.h>

#include "trainer/graph.h"

struct bucket {
	size_t offset; /* elements, into the arena */
	size_t n;      /* elements, gaps included */
	int n_tensors;
	size_t bytes; /* of the tensors, gaps not included */
};

/* Invariant: the buckets cover [0, graph->arena_size) without holes. */
struct bucket_plan {
	struct bucket *buckets;
	int n;
};

/* Make the plan.
 *
 * element  bytes of a gradient element
 * first    bytes that close the first bucket; 0: each tensor is alone
 * rest     bytes that close the others */
void bucket_plan_ddp(const struct graph *g, size_t element, size_t first,
    size_t rest, struct bucket_plan *p);

/* Free the plan. */
void bucket_plan_release(struct bucket_plan *p);

#endif
