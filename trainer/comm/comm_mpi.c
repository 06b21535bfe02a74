/* MPI with blocking collectives. Long allreduces over TCP use mpi_ring.h. The
 * training loop and the reducer's thread take turns, so MPI_THREAD_SERIALIZED
 * suffices. */
#include <config.h>

#include "trainer/comm/comm.h"

#ifdef HAVE_MPI

#include <assert.h>
#include <glob.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "trainer/base/half_float.h"
#include "trainer/comm/mpi_ring.h"

/* When to use the ring for long allreduces; equal on all ranks. */
enum ring_use { RING_NEVER, RING_ON_NETWORK, RING_ALWAYS };

struct comm_mpi {
	struct comm base;
	MPI_Comm world; /* a copy of MPI_COMM_WORLD, or a part of it */
	int is_part;    /* made by mpi_split() */
	enum ring_use use;
	struct mpi_ring *ring; /* NULL: not needed yet */
};

enum {
	CHUNK = COMM_BLOCK_MAX, /* elements in one call */
	RING_BYTES = 256 * 1024 /* minimum of a long allreduce */
};

/* Reductions of types that MPI lacks; created with the first communicator. */
static MPI_Op half_sums[N_COMM_TYPES];

/* Returns 0 if rc is MPI_SUCCESS, else -1 with its message. */
static int
check_mpi(struct error *e, const char *call, int rc)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	if (rc == MPI_SUCCESS)
		return 0;
	MPI_Error_string(rc, text, &len);
	return error_set(e, ERROR_SYSTEM, "%s: %s", call, text);
}

static int
start_mpi(struct error *e)
{
	int rc, have;

	/* Let Open MPI yield between polls, so that a waiting rank does not
	 * take the CPU from threads that compute. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &have);
	if (check_mpi(e, "MPI_Init_thread", rc) != 0)
		return -1;
	if (have >= MPI_THREAD_SERIALIZED)
		return 0;
	MPI_Finalize();
	return error_set(e, ERROR_SYSTEM,
	    "this MPI library does not support calls from several threads");
}

static void
sum_fp16(void *in, void *sum, int *n, MPI_Datatype *t)
{
	(void)t;
	half_float_add(DTYPE_FP16, sum, in, (size_t)*n);
}

static void
sum_bf16(void *in, void *sum, int *n, MPI_Datatype *t)
{
	(void)t;
	half_float_add(DTYPE_BF16, sum, in, (size_t)*n);
}

/* Choose when to use the ring: by default on a network that MPI reaches through
 * TCP. InfiniBand, RoCE, Omni-Path and EFA are all listed in one folder.
 * DLSCALE_MPI_RING sets it to 0 (never) or 1 (also within a machine). */
static int
choose_ring(MPI_Comm world, enum ring_use *out, struct error *e)
{
	const char *forced = getenv("DLSCALE_MPI_RING");
	int use = RING_ON_NETWORK, rc;
	glob_t found;

	if (glob("/sys/class/infiniband/*", 0, NULL, &found) == 0) {
		use = RING_NEVER;
		globfree(&found);
	}
	if (forced != NULL)
		use = strcmp(forced, "1") == 0 ? RING_ALWAYS : RING_NEVER;
	rc = MPI_Allreduce(MPI_IN_PLACE, &use, 1, MPI_INT, MPI_MIN, world);
	*out = (enum ring_use)use;
	return check_mpi(e, "MPI_Allreduce", rc);
}

static struct comm *
adopt_communicator(MPI_Comm world, enum ring_use use, int is_part)
{
	struct comm_mpi *c = xcalloc(1, sizeof *c);

	c->base.ops = &comm_mpi;
	c->world = world;
	c->is_part = is_part;
	c->use = use;
	MPI_Comm_set_errhandler(c->world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(c->world, &c->base.rank);
	MPI_Comm_size(c->world, &c->base.size);
	return &c->base;
}

static int
mpi_open(struct comm **out, struct error *e)
{
	enum ring_use use;
	MPI_Comm world;
	int rc;

	if (start_mpi(e) != 0)
		return -1;
	rc = MPI_Op_create(sum_fp16, 1, &half_sums[COMM_FP16]);
	if (rc == MPI_SUCCESS)
		rc = MPI_Op_create(sum_bf16, 1, &half_sums[COMM_BF16]);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_dup(MPI_COMM_WORLD, &world);
	if (check_mpi(e, "MPI_Comm_dup", rc) == 0 &&
	    choose_ring(world, &use, e) == 0) {
		*out = adopt_communicator(world, use, 0);
		return 0;
	}
	MPI_Finalize();
	return -1;
}

static int
mpi_split(
    struct comm *base, int color, int key, struct comm **out, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;
	MPI_Comm part;
	const int rc = MPI_Comm_split(c->world, color, key, &part);

	if (check_mpi(e, "MPI_Comm_split", rc) != 0)
		return -1;
	*out = adopt_communicator(part, c->use, 1);
	return 0;
}

static void
mpi_close(struct comm *base)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	mpi_ring_free(c->ring);
	MPI_Comm_free(&c->world);
	if (!c->is_part) {
		MPI_Op_free(&half_sums[COMM_FP16]);
		MPI_Op_free(&half_sums[COMM_BF16]);
		MPI_Finalize();
	}
	free(c);
}

static MPI_Datatype
find_type(enum comm_type t)
{
	const MPI_Datatype types[N_COMM_TYPES] = { [COMM_FP32] = MPI_FLOAT,
		[COMM_FP64] = MPI_DOUBLE,
		[COMM_I64] = MPI_INT64_T,
		[COMM_FP16] = MPI_UINT16_T,
		[COMM_BF16] = MPI_UINT16_T };

	assert(t < N_COMM_TYPES);
	return types[t];
}

static MPI_Op
find_op(enum comm_type t, enum comm_op op)
{
	const MPI_Op ops[N_COMM_OPS] = { MPI_SUM, MPI_MIN, MPI_MAX };

	assert(op < N_COMM_OPS);
	return t == COMM_FP16 || t == COMM_BF16 ? half_sums[t] : ops[op];
}

static int
mpi_allreduce(struct comm *base, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	if (n * comm_type_size(t) >= RING_BYTES &&
	    (c->use == RING_ALWAYS ||
		(c->use == RING_ON_NETWORK && base->n_nodes > 1))) {
		if (c->ring == NULL)
			c->ring = mpi_ring_new(c->world);
		return check_mpi(e, "allreduce round a ring",
		    mpi_ring_allreduce(c->ring, data, n, comm_type_size(t),
			find_type(t), find_op(t, op)));
	}
	while (n > 0) {
		const size_t k = n < CHUNK ? n : CHUNK;
		const int rc = MPI_Allreduce(MPI_IN_PLACE, data, (int)k,
		    find_type(t), find_op(t, op), c->world);

		if (check_mpi(e, "MPI_Allreduce", rc) != 0)
			return -1;
		data = (char *)data + k * comm_type_size(t);
		n -= k;
	}
	return 0;
}

static int
mpi_reduce_scatter(
    struct comm *base, void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;
	const size_t bytes = n * comm_type_size(t);
	int rc;

	rc = MPI_Reduce_scatter_block(MPI_IN_PLACE, data, (int)n, find_type(t),
	    find_op(t, COMM_SUM), c->world);
	if (check_mpi(e, "MPI_Reduce_scatter_block", rc) != 0)
		return -1;
	/* An in-place MPI_Reduce_scatter_block puts the block at the start of
	 * the buffer. */
	memmove((char *)data + bytes * (size_t)base->rank, data, bytes);
	return 0;
}

static int
mpi_allgather(
    struct comm *base, void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;
	int rc;

	rc = MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, (int)n,
	    find_type(t), c->world);
	return check_mpi(e, "MPI_Allgather", rc);
}

static int
mpi_broadcast(
    struct comm *base, void *data, size_t bytes, int root, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	while (bytes > 0) {
		const size_t k = bytes < CHUNK ? bytes : CHUNK;
		const int rc =
		    MPI_Bcast(data, (int)k, MPI_BYTE, root, c->world);

		if (check_mpi(e, "MPI_Bcast", rc) != 0)
			return -1;
		data = (char *)data + k;
		bytes -= k;
	}
	return 0;
}

static void
mpi_abort(struct comm *base, int status)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	MPI_Abort(c->world, status);
	_exit(status);
}

const struct comm_ops comm_mpi = {
	.name = "mpi",
	.summary = "MPI, on a thread of its own in the backward pass",
	.in_memory = 1,
	.open = mpi_open,
	.close = mpi_close,
	.allreduce = mpi_allreduce,
	.broadcast = mpi_broadcast,
	.split = mpi_split,
	.reduce_scatter = mpi_reduce_scatter,
	.allgather = mpi_allgather,
	.abort = mpi_abort,
};

#else

const struct comm_ops comm_mpi = {
	.name = "mpi",
	.summary = "not built: configure found no MPI",
};

#endif
