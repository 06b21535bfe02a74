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
#ifndef TRAINER_SYNC_GRADIENT_CODEC_H
#define TRAINER_SYNC_GRADIENT_CODEC_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/comm/comm.h"
#include "trainer/base/tensor.h"
#include "trainer/sync/collective_trace.h"

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

/* Record the collectives of the next hierarchical allreduce in a trace, each as
 * event with its own op, ranks, bytes and times; t is borrowed, or NULL. */
void gradient_codec_trace(
    struct gradient_codec *c, struct trace *t, const struct trace_event *event);

/* Traffic of the communicators over all ranks, within the machine, and across
 * machines; the last two are 0 if not hierarchical. */
struct comm_count gradient_codec_count(
    const struct gradient_codec *c, int level);
enum { GRADIENT_CODEC_ALL, GRADIENT_CODEC_LOCAL, GRADIENT_CODEC_CROSS };

#endif
