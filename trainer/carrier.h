/* How gradients are summed over the ranks: as they are or as halves, over all
 * ranks at once or level by level.
 *
 * Compressed: each gradient is divided by the number of ranks, rounded to fp16
 * or bf16, summed in that type (in fp32, rounded after each addition), and
 * taken back to fp32.  Dividing first keeps the sum from overflowing.
 * Of long sums a thread converts one piece while another is on its way.
 *
 * Hierarchical: the ranks of a machine sum by blocks (reduce-scatter), each of
 * them sums its block with its like on the other machines (allreduce), and then
 * they give each other the blocks (allgather).  So one machine sends to another
 * 1 / local ranks of what each rank has.
 *
 *	struct carrier_config config = { DTYPE_FP16, 1 };
 *	carrier_open(comm, DTYPE_FP32, longest, &config, &c, &e);
 *	carrier_sum(c, grads, n, &e);
 *	... grads * carrier_scale(c) are the means ...
 *	carrier_close(c);
 */
#ifndef TRAINER_CARRIER_H
#define TRAINER_CARRIER_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/comm.h"
#include "trainer/tensor.h"

struct carrier_config {
	enum dtype wire;  /* DTYPE_FP16, DTYPE_BF16; else: that of gradients */
	int hierarchical; /* if there is more than one level */
};

/* One of the collectives that a sum level by level is made of. */
struct carrier_leg {
	const char *op;    /* as in struct trace_event */
	int ranks;         /* that took part */
	double bytes;      /* of all blocks of a rank */
	double start, end; /* seconds of the monotonic clock */
};

typedef void carrier_leg_fn(void *ctx, const struct carrier_leg *leg);

struct carrier;

/* Set up; all ranks together.
 *
 * comm   borrowed until carrier_close
 * type   of gradients: DTYPE_FP32 or DTYPE_FP64
 * most   elements of the longest carrier_sum
 *
 * ERROR_USAGE: fp64 cannot be compressed; machines with unlike numbers of ranks
 * have no levels; the back end cannot do it. */
int carrier_open(struct comm *comm, enum dtype type, size_t most,
    const struct carrier_config *config, struct carrier **out, struct error *e);

/* Free it; c may be NULL. */
void carrier_close(struct carrier *c);

/* Sum over all ranks, in place; all get the same bytes.
 *
 * data  [n] host memory, n <= most */
int carrier_sum(struct carrier *c, void *data, size_t n, struct error *e);

/* By what the sums are to be multiplied to be means: 1 / ranks, or 1 if they
 * have been divided already. */
double carrier_scale(const struct carrier *c);

/* Bytes of a gradient on its way. */
size_t carrier_element(const struct carrier *c);

/* Does it sum level by level? */
int carrier_is_hierarchical(const struct carrier *c);

/* Call a function behind each collective of a sum, on the thread that sums; of
 * a carrier without levels it is not called. */
void carrier_tell(struct carrier *c, carrier_leg_fn *told, void *ctx);

/* What was given to the communicator of all ranks, of the machine and across
 * machines; the last two are 0 without levels. */
struct comm_count carrier_count(const struct carrier *c, int level);
enum { CARRIER_ALL, CARRIER_LOCAL, CARRIER_CROSS };

#endif
