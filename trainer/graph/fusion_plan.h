/* Plan of gradient allreduces: buckets, each a contiguous range of the gradient
 * arena, in backward order. A policy chooses the tensors that end a bucket.
 *
 * ddp      PyTorch's DistributedDataParallel (torch/csrc/distributed/c10d/
 *          reducer.cpp, compute_bucket_assignment_by_size): a bucket is closed
 *          as soon as it holds at least its limit, `first` bytes for the first
 *          bucket, `rest` for all others
 * horovod  Horovod's FuseResponses (controller.cc), with all tensors ready: a
 *          tensor is added if the bucket then holds at most threshold bytes; a
 *          larger one is alone. (Horovod may skip a tensor that does not fit,
 *          but only while bucket and skipped tensors together fit; with
 *          gradients of one type they never do.)
 * tensor   one bucket for each tensor
 * all      one bucket
 * mgwfbp   the plan whose last allreduce ends first, if an allreduce of b bytes
 *          takes alpha + beta b and starts when its last gradient is ready and
 *          the allreduce before has ended: MG-WFBP's model (Shi, Chu and Li,
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

/* A policy and its parameters. */
struct fusion {
	const char *policy;
	size_t first, rest;    /* ddp: bytes; 0: one bucket per tensor */
	size_t threshold;      /* horovod: bytes; 0: one bucket per tensor */
	const double *ready_s; /* mgwfbp: [n_params] time at which each gradient
	                          is ready, ascending, in backward order */
	double alpha_s, beta_s_per_byte; /* mgwfbp: >= 0 */
};

struct bucket {
	size_t offset; /* elements, into the arena */
	size_t n;      /* elements, with gaps */
	int n_tensors;
	size_t bytes; /* bytes of the tensors, without gaps */
};

/* Invariant: the buckets cover [0, graph->arena_size) without holes. */
struct fusion_plan {
	struct bucket *buckets;
	int n;
};

/* Names of all policies; n is set to their number. */
const char *const *fusion_policies(size_t *n);

/* Make the plan.
 *
 * element  size of a gradient element in bytes
 *
 * Returns -1 if the policy is unknown. */
int fusion_plan_make(const struct fusion *f, const struct graph *g,
    size_t element, struct fusion_plan *p);

/* Free the plan. */
void fusion_plan_release(struct fusion_plan *p);

/* Fuse ready tensors by Horovod's rule.
 *
 * tensors  a plan of policy "tensor"
 *
 * Returns how many of tensors first .. end - 1 form the first allreduce. */
int fusion_plan_fuse(
    const struct fusion_plan *tensors, int first, int end, size_t threshold);

/* Round a threshold as Horovod does: up to a multiple of 512 bytes (64 doubles)
 * times the number of local processes; 0 stays 0.
 *
 * local_size  processes per machine, >= 1 */
size_t fusion_round_threshold(size_t bytes, int local_size);

/* End of the last allreduce of a plan in mgwfbp's model with the costs of f, in
 * the unit of f's times. */
double fusion_plan_end(const struct fusion *f, const struct fusion_plan *p);

/* Hash of a plan; differs for plans that differ. */
uint64_t fusion_plan_hash(const struct fusion_plan *p);

#endif
