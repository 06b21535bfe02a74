/* Allreduce of gradients while the backward pass runs: a thread reduces the
 * buckets of a plan in place and in order, each as soon as its last gradient
 * is computed.  A run of one process has no thread and reduces nothing.
 *
 * A step begins with a small allreduce that tells every rank if one has failed;
 * the step then ends on all ranks, so that none waits. It also distributes a
 * flag.
 *
 *	reducer_begin(r, e.code != ERROR_NONE, flag);
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
#include "trainer/base/tensor.h"
#include "trainer/comm/comm.h"
#include "trainer/device/device.h"
#include "trainer/device/host_staging.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/sync/collective_trace.h"

/* Horovod's cycles: each allreduces the gradients that are ready on all ranks,
 * fused up to the threshold. */
struct reducer_cycles {
	double cycle_s;           /* minimum time between cycles */
	size_t threshold;         /* bytes; see fusion_plan_fuse() */
	const char *const *names; /* [n] tensors; NULL: no cycles */
	long capacity;            /* see coordinator_new() */
};

/* Settings of a reducer; pointers are borrowed while it is in use. */
struct reducer_config {
	struct comm
	    *comm; /* for the reducer only from reducer_begin to reducer_wait */
	struct device_arena grads;         /* fp32 or fp64 */
	const struct fusion_plan *plan;    /* with cycles of policy "tensor" */
	struct gradient_codec *codec;      /* NULL: gradients as they are */
	struct host_staging *staging;      /* if grads is not host memory */
	int on_device;                     /* 1: the back end reduces */
	const struct fusion_plan *tensors; /* policy "tensor": records when each
					      is ready; or NULL */
	struct trace *trace;               /* records each allreduce; or NULL */
	struct reducer_cycles cycles;
};

/* Times of a reduction; seconds of the monotonic clock. */
struct reduction {
	double ready; /* time of its last gradient */
	double start, end;
	double bytes; /* of gradients before compression, without gaps */
};

/* Results of the last step; with one rank all but the flag is 0 or NULL. */
struct reducer_stats {
	int n;          /* reductions */
	double bytes;   /* sent by each rank, including gaps */
	double busy;    /* seconds, sum of end - start */
	double exposed; /* seconds that the training loop waited */
	int64_t flag;   /* maximum over all ranks */
	const struct reduction *reductions; /* [n]; not for on_device */
	const double *tensor_s; /* when each of config.tensors was ready */
};

struct reducer;

/* Start the thread, if there is more than one rank.  ERROR_SYSTEM: it cannot be
 * started. */
int reducer_open(
    const struct reducer_config *c, struct reducer **out, struct error *e);

/* Use another configuration, with the same comm, from the next step on. */
void reducer_configure(struct reducer *r, const struct reducer_config *c);

/* End the thread; r may be NULL.  No step may be under way. */
void reducer_close(struct reducer *r);

/* Begin a step.
 *
 * failed  1: this rank failed and will not run the backward pass
 * flag    of this rank, >= 0 */
void reducer_begin(struct reducer *r, int failed, int64_t flag);

/* Report that gradients [offset, offset + n) are final; a device_ready_fn.
 *
 * ctx  the reducer */
void reducer_ready(void *ctx, size_t offset, size_t n);

/* Wait until all gradients are reduced.
 *
 * Returns 0; 1 if a rank began the step with failed set: nothing was reduced,
 * call comm_agree(); -1 with e if the transport failed: no further agreement is
 * possible. */
int reducer_wait(struct reducer *r, struct error *e);

/* Results of the last step; valid until the next one or reducer_configure(). */
struct reducer_stats reducer_stats(const struct reducer *r);

/* --- Agreement ------------------------------------------------------------ */

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

struct coordinator;

/* Create a coordinator for tensors in the order in which they become ready.
 *
 * comm      borrowed
 * names     [n] borrowed, unique
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

/* --- Compression and hierarchy -------------------------------------------- */

/* Allreduce of gradients: in their own type or as fp16 or bf16, over all ranks
 * at once or hierarchically.
 *
 * Compressed: each gradient is divided by the number of ranks, rounded to fp16
 * or bf16, summed in that type (in fp32, rounded after each addition), and
 * converted back to fp32. Dividing first keeps the sum from overflowing. Long
 * allreduces are sent in pieces; a thread converts some while another is sent.
 *
 * Hierarchical: the ranks of a machine reduce by blocks (reduce-scatter), each
 * reduces its block with its peers on the other machines (allreduce), and the
 * ranks of a machine exchange the blocks (allgather). So each rank sends only 1
 * / (ranks of the machine) of its gradients to other machines.
 *
 *	struct gradient_codec_config config = { DTYPE_FP16, 1, 0 };
 *	gradient_codec_open(comm, DTYPE_FP32, longest, &config, &c, &e);
 *	gradient_codec_allreduce(c, grads, n, &e);
 *	... grads * gradient_codec_scale(c) are the means ...
 *	gradient_codec_close(c);
 */

struct gradient_codec_config {
	enum dtype wire;  /* DTYPE_FP16, DTYPE_BF16; else not compressed */
	int hierarchical; /* 1: hierarchical, if there are several machines */
	int on_device;    /* 1: the back end reduces by itself (comm_attach());
			     gradient_codec_allreduce is not called */
};

struct gradient_codec;

/* Settings of a back end that reduces by itself, without the plan. */
struct comm_attachment gradient_codec_attachment(
    const struct gradient_codec *c);

/* Open a codec. Collective.
 *
 * comm   borrowed until gradient_codec_close
 * type   of gradients: DTYPE_FP32 or DTYPE_FP64
 * most   maximum n of gradient_codec_allreduce
 *
 * ERROR_USAGE: compression of fp64, hierarchy over machines with different
 * numbers of ranks, or not supported by the back end. */
int gradient_codec_open(struct comm *comm, enum dtype type, size_t most,
    const struct gradient_codec_config *config, struct gradient_codec **out,
    struct error *e);

/* Free it; c may be NULL. */
void gradient_codec_close(struct gradient_codec *c);

/* Sum over all ranks, in place; all get the same bytes.
 *
 * data  [n] host memory, n <= most */
int gradient_codec_allreduce(
    struct gradient_codec *c, void *data, size_t n, struct error *e);

/* The factor that turns allreduced gradients into means: 1 / ranks, or 1 if
 * they are already divided. */
double gradient_codec_scale(const struct gradient_codec *c);

/* Bytes of a gradient as it is sent. */
size_t gradient_codec_element(const struct gradient_codec *c);

/* True if the codec reduces hierarchically. */
int gradient_codec_is_hierarchical(const struct gradient_codec *c);

/* Traffic of the communicators over all ranks, within the machine, and across
 * machines; the last two are 0 if not hierarchical. */
struct comm_count gradient_codec_count(
    const struct gradient_codec *c, int level);
enum { GRADIENT_CODEC_ALL, GRADIENT_CODEC_LOCAL, GRADIENT_CODEC_CROSS };

#endif
