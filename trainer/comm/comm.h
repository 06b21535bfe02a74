/* Communication between the ranks of a run: each back end is a table of
 * functions. All functions are collective: all ranks call the same ones in the
 * same order, from one thread at a time.
 *
 * Errors of the transport are ERROR_SYSTEM. An error of a single rank (a bad
 * image, a loss that is not finite) is passed to comm_agree(), so that all
 * ranks end together and none waits for another. If that fails, comm_abort()
 * ends all ranks.
 *
 *	struct comm *c;
 *	if (comm_open("mpi", &c, &e) != 0)
 *		return -1;
 *	comm_allreduce(c, sums, 3, COMM_FP64, COMM_SUM, &e);
 *	comm_close(c);
 */
#ifndef TRAINER_COMM_COMM_H
#define TRAINER_COMM_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* fp16 and bf16 can only be summed: in fp32, rounded after each addition. */
enum comm_type {
	COMM_FP32,
	COMM_FP64,
	COMM_I64,
	COMM_FP16,
	COMM_BF16,
	N_COMM_TYPES
};
enum comm_op { COMM_SUM, COMM_MIN, COMM_MAX, N_COMM_OPS };

struct fusion_plan;
struct comm;
struct device;
struct device_region;
struct machine_memory;
struct watchdog;

/* Settings with which a back end with ops->attach reduces gradients. */
struct comm_attachment {
	const struct fusion_plan *plan;
	enum comm_type wire; /* COMM_FP32; with COMM_FP16 or COMM_BF16,
				gradients are divided by the ranks and rounded
				before the sum */
	/* Communicators of this machine and across machines, in the order of
	 * the blocks; NULL: not hierarchical. */
	struct comm *local, *cross;
};

struct comm_ops {
	const char *name;    /* "mpi" */
	const char *summary; /* one sentence */
	int on_device; /* data of allreduce, reduce_scatter and allgather may
	                  also be memory of a CUDA device */
	int in_memory; /* ranks that are all on one machine may sum in shared
			  memory instead (machine_memory_open) */
	int (*open)(struct comm **out, struct error *e);
	void (*close)(struct comm *c);
	int (*allreduce)(struct comm *c, void *data, size_t n, enum comm_type t,
	    enum comm_op op, struct error *e);
	int (*broadcast)(struct comm *c, void *data, size_t bytes, int root,
	    struct error *e);
	/* The next three are NULL if the back end lacks them. Collectives are
	 * called for more than one rank and element. */
	int (*split)(struct comm *c, int color, int key, struct comm **out,
	    struct error *e);
	int (*reduce_scatter)(struct comm *c, void *data, size_t n,
	    enum comm_type t, struct error *e);
	int (*allgather)(struct comm *c, void *data, size_t n, enum comm_type t,
	    struct error *e);
	/* NULL if other ranks notice that connections are closed. */
	void (*abort)(struct comm *c, int status);
	/* Only for back ends that allreduce gradients in device streams; see
	 * comm_attach(). */
	int (*attach)(struct comm *c, struct device *d,
	    const struct comm_attachment *a, struct error *e);
	int (*alive)(struct comm *c, int working, struct error *e);
	void (*detach)(struct comm *c);
};

/* Traffic of comm_allreduce(), comm_reduce_scatter() and comm_allgather() since
 * the communicator was opened. */
struct comm_count {
	uint64_t calls;
	uint64_t bytes; /* of all blocks, not what the algorithm sends */
};

enum { COMM_BLOCK_MAX = 1 << 28 }; /* elements; MPI counts in int */

/* The part common to all back ends: the first member of each back end's struct.
 * open() and split() of the back end set ops, rank and size; comm_open() and
 * comm_split() set the rest. */
struct comm {
	const struct comm_ops *ops;
	struct comm *host; /* back end for all data except the gradients of
			      ops->attach; NULL: this one */
	int rank, size;    /* in the run */
	int local_rank, local_size; /* on this machine */
	int node, n_nodes;          /* machines, numbered by lowest rank */
	uint64_t machine;           /* identifies the machine */
	struct comm_count count;
	struct watchdog *watchdog;     /* borrowed; NULL: none */
	struct machine_memory *memory; /* shared by the ranks of this machine;
	                                  borrowed, NULL */
	int memory_sums;               /* 1: sum fp32 in `memory` */
	double timeout_s; /* limit of a step with allreduces in device streams;
			     set before comm_attach; 0: none */
};

/* Bytes of an element. */
size_t comm_type_size(enum comm_type t);

/* The list of back ends; sets n. Back ends that were not built have open ==
 * NULL and a summary that names the missing library. */
const struct comm_ops *const *comm_list(size_t *n);

/* Number of processes that a launcher (mpirun, srun) started for MPI; 1 if
 * started alone or by torchrun. */
long comm_launched(void);

/* Join the run.
 *
 * backend  a name, or "auto": mpi if a launcher started several MPI processes,
 *          gloo if it started several others (torchrun), else self
 *
 * ERROR_USAGE: no such back end, or not built; ERROR_SYSTEM. */
int comm_open(const char *backend, struct comm **out, struct error *e);

/* The same as comm_open("auto"), for a back end that needs another one for host
 * data. */
int comm_open_host(struct comm **out, struct error *e);

/* Leave the run; c may be NULL. */
void comm_close(struct comm *c);

/* Reduce data over all ranks, in place; all get the same bytes.
 *
 * data  [n] of type t; n may be 0 */
int comm_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e);

/* Sum over all ranks, in place; each rank gets a block of the sum.
 *
 * data  [c->size][n] of type t; block c->rank is the sum afterwards, the others
 *       are unspecified
 * n     elements of a block, <= COMM_BLOCK_MAX; may be 0
 *
 * ERROR_USAGE: the back end cannot do it. */
int comm_reduce_scatter(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e);

/* Distribute the blocks of all ranks to all, in place; all get the same bytes.
 *
 * data  [c->size][n] of type t; block c->rank is this rank's input
 * n     as in comm_reduce_scatter
 *
 * ERROR_USAGE: the back end cannot do it. */
int comm_allgather(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e);

/* Split the ranks: those with the same color form a communicator, ordered by
 * key, then by rank. Close it before c.
 *
 * color  >= 0
 *
 * ERROR_USAGE: the back end cannot do it. */
int comm_split(
    struct comm *c, int color, int key, struct comm **out, struct error *e);

/* Broadcast root's bytes. */
int comm_broadcast(
    struct comm *c, void *data, size_t bytes, int root, struct error *e);

/* Barrier. */
int comm_barrier(struct comm *c, struct error *e);

/* Barrier of the ranks that share c->memory; all ranks call it. */
int comm_join_machine(struct comm *c, struct error *e);

/* Agree on an error. Each rank passes its own e, with code ERROR_NONE if it has
 * no error.
 *
 * Returns 0 if no rank failed; -1 on all ranks with the error of the lowest
 * failed rank, prefixed with "rank N: " unless all failed; -2 with e if the
 * transport failed, without an agreement. */
int comm_agree(struct comm *c, struct error *e);

/* Check that all ranks have the same number. If not, ERROR_INPUT on all ranks:
 * "the ranks differ in WHAT". */
int comm_check_same(
    struct comm *c, const char *what, uint64_t x, struct error *e);

/* The number of ranks (of all, or of this machine) with the same number,
 * including this one; -1 with e. */
int comm_count_same(
    struct comm *c, uint64_t x, int on_machine, struct error *e);

/* Let a back end with ops->attach allreduce a device's gradients in the
 * device's own streams: sets d->allreduce. Collective.
 *
 * d, a->plan, a->local, a->cross  borrowed until comm_detach, which must
 *                                 precede device_close()
 *
 * Returns 0; -1 and -2 as comm_agree(). ERROR_USAGE: a device without streams,
 * or shared by two processes; ERROR_SYSTEM. */
int comm_attach(struct comm *c, struct device *d,
    const struct comm_attachment *a, struct error *e);

/* Call it when a step begins (working 1), and when no step follows for a while
 * (0). Returns 0; -1 with e: queued allreduces failed or exceeded the step's
 * timeout_s, and no more can be queued. */
int comm_alive(struct comm *c, int working, struct error *e);

/* Detach from the device. Waits for allreduces in progress, with a time
 * limit. */
void comm_detach(struct comm *c);

/* End the processes of all ranks, including this one, with an exit status. */
void comm_abort(struct comm *c, int status);

/* --- Memory of a machine -------------------------------------------------- */

/* Shared memory of the ranks of one machine, which replaces their private
 * regions. All ranks use a single copy of a common region; of other regions
 * each rank has its own and can access those of the other ranks. So sums need
 * no messages, and results that are equal on all ranks are computed once, each
 * rank computing a part. A waiting rank sleeps.
 *
 * The memory is an unnamed file (memfd_create), which the other processes open
 * through /proc. If that fails on any rank, as between containers, no rank uses
 * it.
 *
 *	struct device_region r[] = { { grads, bytes, 0 }, { weights, w, 1 } };
 *
 *	if (machine_memory_open(comm, r, 2, &m, &e) != 0)
 *		...
 *	comm->memory = m;
 *	...
 *	machine_memory_close(m);
 */

/* Replace the regions by shared memory with the same contents. Collective over
 * c, with the same sizes on all ranks.
 *
 * c    borrowed
 * out  set to NULL, with the regions unchanged, if this rank is alone on its
 *      machine, a rank cannot share memory, or common regions differ
 *
 * The memory stays mapped until the process unmaps it or ends.
 *
 * ERROR_SYSTEM: an error of the transport, or mappings were lost. */
int machine_memory_open(struct comm *c, const struct device_region *regions,
    size_t n, struct machine_memory **out, struct error *e);

/* Close it; m may be NULL. */
void machine_memory_close(struct machine_memory *m);

/* The back ends; listed by comm_list(). */
extern const struct comm_ops comm_self, comm_mpi, comm_gloo, comm_nccl;

#endif
