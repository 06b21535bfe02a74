/* Which gradients are allreduced together: a plan of buckets, each a
 * contiguous range of the gradient arena, in backward order.  A policy decides
 * after which tensors a bucket ends.
 *
 * ddp      PyTorch's DistributedDataParallel (torch/csrc/distributed/c10d/
 *          reducer.cpp, compute_bucket_assignment_by_size): a bucket is closed
 *          as soon as it holds at least its limit, first bytes in the first
 *          bucket, rest in all others
 * horovod  Horovod's FuseResponses (controller.cc), all tensors being ready: a
 *          tensor joins while the bucket then holds at most threshold bytes; a
 *          larger one is alone.  (It may look past tensors that do not fit, but
 *          only while what it has and what it passed fit together; that which
 *          did not fit never does, so among gradients of one type it passes
 *          none.)
 * tensor   each alone
 * all      all together
 * mgwfbp   the plan whose last allreduce ends first, if one of b bytes takes
 *          alpha + beta b and begins when its last gradient is ready and the
 *          allreduce before it has ended: MG-WFBP's model (Shi, Chu and Li,
 *          arXiv 1811.11141), solved exactly
 *
 *	struct fusion_plan p;
 *	struct fusion f = { .policy = "horovod", .threshold = 64 << 20 };
 *	if (fusion_plan_make(&f, &g, 4, &p) != 0)
 *		... no such policy ...
 *	fusion_plan_release(&p);
 */
#ifndef TRAINER_GRAPH_FUSION_PLAN_H
#define TRAINER_GRAPH_FUSION_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/graph/graph.h"

/* A policy and its limits. */
struct fusion {
	const char *policy;
	size_t first, rest;    /* ddp: bytes; 0: each tensor is alone */
	size_t threshold;      /* horovod: bytes; 0: each tensor is alone */
	const double *ready_s; /* mgwfbp: [n_params] when each gradient is
	                          ready, ascending, in backward order */
	double alpha_s, beta_s_per_byte; /* mgwfbp: >= 0 */
};

struct bucket {
	size_t offset; /* elements, into the arena */
	size_t n;      /* elements, gaps included */
	int n_tensors;
	size_t bytes; /* of the tensors, gaps not included */
};

/* Invariant: the buckets cover [0, graph->arena_size) without holes. */
struct fusion_plan {
	struct bucket *buckets;
	int n;
};

/* The names of all policies, n of them. */
const char *const *fusion_policies(size_t *n);

/* Make the plan.
 *
 * element  bytes of a gradient element
 *
 * Returns -1 if there is no such policy. */
int fusion_plan_make(const struct fusion *f, const struct graph *g,
    size_t element, struct fusion_plan *p);

/* Free the plan. */
void fusion_plan_release(struct fusion_plan *p);

/* Horovod's rule for tensors that are ready.
 *
 * tensors  a plan of policy "tensor"
 *
 * Returns how many, from number first and below end, are summed together. */
int fusion_plan_fuse(
    const struct fusion_plan *tensors, int first, int end, size_t threshold);

/* What Horovod makes of a threshold: the next multiple of 512 bytes a process
 * of the machine (64 doubles each), 0 stays 0.
 *
 * local_size  processes on each machine, >= 1 */
size_t fusion_round_threshold(size_t bytes, int local_size);

/* When the last allreduce of a plan would end, in mgwfbp's model of f; the unit
 * of f's times. */
double fusion_plan_end(const struct fusion *f, const struct fusion_plan *p);

/* A number that differs for plans that differ. */
uint64_t fusion_plan_hash(const struct fusion_plan *p);

#endif
