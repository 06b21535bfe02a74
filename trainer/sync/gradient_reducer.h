/* Gradient allreduce over the ranks while the backward pass still runs: a
 * thread takes the buckets of a plan in order, each as soon as its last
 * gradient is there, and reduces it in place.  One process alone has no thread
 * and nothing to do.
 *
 * A step begins with one more, tiny, reduction: whether every rank is well.  A
 * rank that is not ends the step on all of them, so that none waits.  The
 * same reduction carries a flag to all ranks.
 *
 *	reducer_begin(r, e.code != ERROR_NONE);
 *	if (e.code == ERROR_NONE)
 *		device_backward(d, reducer_ready, r, &e);
 *	if (reducer_wait(r, &e) != 0)
 *		... comm_agree(comm, &e) ...
 */
#ifndef TRAINER_SYNC_GRADIENT_REDUCER_H
#define TRAINER_SYNC_GRADIENT_REDUCER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/sync/gradient_codec.h"
#include "trainer/comm/comm.h"
#include "trainer/device/device.h"
#include "trainer/device/host_staging.h"
#include "trainer/sync/collective_trace.h"

/* When a bucket was reduced; seconds of the monotonic clock. */
struct reduction {
	double ready; /* its last gradient was there */
	double start, end;
	double bytes; /* of its gradients as they are, gaps not included */
};

/* What the reductions of the last step took, in seconds. */
struct reducer_stats {
	int n;          /* reductions */
	double bytes;   /* that each rank gave, gaps included */
	double busy;    /* sum of end - start */
	double exposed; /* that the training loop waited for */
};

/* Sum as Horovod does: at each cycle those gradients that are ready on all
 * ranks, as many together as a threshold lets. */
struct reducer_cycles {
	double cycle_s;           /* at least, from one to the next */
	size_t threshold;         /* bytes; see fusion_plan_fuse() */
	const char *const *names; /* [n] of the tensors, borrowed */
	long capacity;            /* of the cache; see coordinator_new() */
};

struct reducer;

/* Start the thread, if there is more than one rank.
 *
 * comm, plan  borrowed until reducer_close; between reducer_begin and
 *             reducer_wait comm belongs to the reducer
 * grads the gradient arena; must be host memory, or reducer_set_staging is
 *             called
 *
 * ERROR_SYSTEM: no thread. */
int reducer_open(struct comm *comm, struct device_arena grads,
    const struct fusion_plan *plan, struct reducer **out, struct error *e);

/* Allreduce through a codec from the next step on, borrowed until
 * reducer_close, not as they are. */
void reducer_set_codec(struct reducer *r, struct gradient_codec *c);

/* Sum in cycles from the next step on; the plan must be of policy "tensor".
 * NULL: no cycles any more. */
void reducer_set_cycles(struct reducer *r, const struct reducer_cycles *c);

/* Another plan from the next step on, borrowed until reducer_close. */
void reducer_set_plan(struct reducer *r, const struct fusion_plan *plan);

/* Note when each tensor is ready from the next step on, whatever the plan.
 *
 * tensors  a plan of policy "tensor", borrowed until reducer_close */
void reducer_watch_tensors(
    struct reducer *r, const struct fusion_plan *tensors);

/* When each tensor was ready in the last step, in the order of that plan,
 * seconds of the monotonic clock; NULL: they are not watched. */
const double *reducer_tensor_times(const struct reducer *r);

/* Record each reduction in a trace from now on; NULL: in none.  The trace is
 * borrowed, and is the reducer's between reducer_begin and reducer_wait. */
void reducer_set_trace(struct reducer *r, struct trace *t);

/* Allreduce gradients that are no host memory through staging buffers, borrowed
 * until reducer_close; before the first step. */
void reducer_set_staging(struct reducer *r, struct host_staging *s);

/* Gradients are summed in other ways: only ask whether all ranks are well. */
void reducer_set_on_device(struct reducer *r);

/* End the thread; r may be NULL.  A step must not be under way. */
void reducer_close(struct reducer *r);

/* A flag that this rank shares with the others from the next step on, 0 at
 * first; and what all of them agreed on in the last step, once reducer_wait()
 * returned 0: the largest flag of all ranks. */
void reducer_set_flag(struct reducer *r, int64_t flag);
int64_t reducer_flag(const struct reducer *r);

/* Begin a step.
 *
 * failed  1: this rank has an error and will not go backward */
void reducer_begin(struct reducer *r, int failed);

/* A device_ready_fn: gradients [offset, offset + n) are final.
 *
 * ctx  the reducer */
void reducer_ready(void *ctx, size_t offset, size_t n);

/* Wait until all is summed.
 *
 * Returns 0; 1 if some rank began the step with failed: nothing was summed,
 * call comm_agree(); -1 with e if the transport failed: nothing can be agreed
 * any more. */
int reducer_wait(struct reducer *r, struct error *e);

/* How the last step's reductions went.  With one rank all is 0. */
struct reducer_stats reducer_stats(const struct reducer *r);

/* Times of the last step's reductions, reducer_stats().n of them; NULL with one
 * rank. */
const struct reduction *reducer_trace(const struct reducer *r);

#endif
