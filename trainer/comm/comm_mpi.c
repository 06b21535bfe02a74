/* MPI with blocking collectives. Long allreduces over TCP use a ring. The
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
#include <time.h>

#include "common/alloc.h"
#include "trainer/base/tensor.h"

/* When to use the ring for long allreduces; equal on all ranks. */
enum ring_use { RING_NEVER, RING_ON_NETWORK, RING_ALWAYS };

enum {
	CHUNK = COMM_BLOCK_MAX,  /* elements in one call */
	RING_BYTES = 256 * 1024, /* minimum of a long allreduce */
	/* Below 64 KiB with its header: for larger messages Open MPI negotiates
	 * before it sends over TCP. */
	MESSAGE_BYTES = 60 * 1024,
	WINDOW = 32, /* messages in flight in each direction */
	TAG = 1,
	PAUSE_NS = 50000
};

struct comm_mpi {
	struct comm base;
	MPI_Comm world; /* a copy of MPI_COMM_WORLD, or a part of it */
	int is_part;    /* made by mpi_split() */
	enum ring_use use;
	char *spare; /* [WINDOW][MESSAGE_BYTES] received, to be added; NULL: the
	                ring was not needed yet */
	/* Message k of each direction of the ring is in slot k % WINDOW;
	 * receives first, then sends. */
	MPI_Request requests[2 * WINDOW];
	char is_over[2 * WINDOW];
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
	const char *forced = getenv("DLSCALE_MPI_RING");
	int rc, have, use = RING_ON_NETWORK;
	MPI_Comm world;
	glob_t found;

	/* Let Open MPI yield between polls, so that a waiting rank does not
	 * take the CPU from threads that compute. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &have);
	if (check_mpi(e, "MPI_Init_thread", rc) != 0)
		return -1;
	if (have < MPI_THREAD_SERIALIZED) {
		MPI_Finalize();
		return error_set(e, ERROR_SYSTEM,
		    "this MPI library does not support calls from several "
		    "threads");
	}
	rc = MPI_Op_create(sum_fp16, 1, &half_sums[COMM_FP16]);
	if (rc == MPI_SUCCESS)
		rc = MPI_Op_create(sum_bf16, 1, &half_sums[COMM_BF16]);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_dup(MPI_COMM_WORLD, &world);
	/* Use the ring by default on a network that MPI reaches through TCP.
	 * InfiniBand, RoCE, Omni-Path and EFA are all listed in one folder.
	 * DLSCALE_MPI_RING sets it to 0 (never) or 1 (also within a
	 * machine). */
	if (glob("/sys/class/infiniband/*", 0, NULL, &found) == 0) {
		use = RING_NEVER;
		globfree(&found);
	}
	if (forced != NULL)
		use = strcmp(forced, "1") == 0 ? RING_ALWAYS : RING_NEVER;
	if (check_mpi(e, "MPI_Comm_dup", rc) == 0 &&
	    check_mpi(e, "MPI_Allreduce",
		MPI_Allreduce(
		    MPI_IN_PLACE, &use, 1, MPI_INT, MPI_MIN, world)) == 0) {
		*out = adopt_communicator(world, (enum ring_use)use, 0);
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

	free(c->spare);
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

/* --- Ring ----------------------------------------------------------------- */

/* Ring allreduce of long data over a network: each rank sends to the next one
 * and receives from the previous one, and each part of the data goes round once
 * to be summed and once to be distributed.
 *
 * Open MPI's own allreduce sends long messages over TCP. Sender and receiver
 * negotiate each long message in a byte stream that also carries the data of
 * the other direction, so the link often runs at half its rate, and waiting
 * ranks occupy a CPU. Here messages are short enough to be sent eagerly, many
 * are in flight, and waiting ranks sleep. See doc/performance.md, "Allreduces
 * over a network". */

/* A sum in progress. Data is divided into one chunk per rank, and each chunk
 * into pieces of one message. In step s of 2 (size - 1) a rank sends all pieces
 * of chunk rank - s and receives chunk rank - s - 1 (modulo size). Received
 * data is added in the first half of the steps and is the final sum in the
 * second half. Message k is piece k % n_pieces of step k / n_pieces. */
struct trip {
	struct comm_mpi *c;
	char *data;
	size_t n, size; /* number and size of elements */
	MPI_Datatype type;
	MPI_Op op;
	size_t chunk, piece; /* elements of the longest one */
	size_t n_pieces;
	size_t n_messages, n_added;
	/* Number of receives posted, messages received, sends posted, and
	 * messages sent; each in order. */
	size_t posted, came, begun, sent;
};

/* The piece of data that is received or sent as message k. */
struct ring_piece {
	char *data;
	int n; /* elements */
};

static size_t
least_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static struct ring_piece
find_piece(const struct trip *t, size_t k, int comes_in)
{
	const size_t ranks = (size_t)t->c->base.size;
	const size_t step = k / t->n_pieces + (size_t)comes_in;
	/* The sum is not negative: step < 2 * ranks. */
	const size_t chunk =
	    ((size_t)t->c->base.rank + 2 * ranks - step) % ranks;
	const size_t end = least_size(t->n, (chunk + 1) * t->chunk);
	const size_t from =
	    least_size(end, chunk * t->chunk + k % t->n_pieces * t->piece);

	return (struct ring_piece){ t->data + from * t->size,
		(int)least_size(end - from, t->piece) };
}

static char *
find_spare(const struct trip *t, size_t k)
{
	return t->c->spare + k % WINDOW * MESSAGE_BYTES;
}

/* Post all receives and sends that are possible now. Pieces that have been
 * received, and those of the first step, can be sent. */
static int
post_messages(struct trip *t)
{
	struct comm_mpi *c = t->c;
	const size_t may = least_size(t->sent + WINDOW, t->came + t->n_pieces);

	for (; t->posted < least_size(t->n_messages, t->came + WINDOW);
	     t->posted++) {
		const size_t k = t->posted;
		const struct ring_piece p = find_piece(t, k, 1);
		int rc;

		/* Overwrite data only after it was sent. */
		if (k >= t->n_added && k - t->n_added >= t->sent)
			break;
		rc = MPI_Irecv(k < t->n_added ? find_spare(t, k) : p.data, p.n,
		    t->type, (c->base.rank + c->base.size - 1) % c->base.size,
		    TAG, c->world, &c->requests[k % WINDOW]);
		if (rc != MPI_SUCCESS)
			return rc;
	}
	for (; t->begun < least_size(t->n_messages, may); t->begun++) {
		const size_t k = t->begun;
		const struct ring_piece p = find_piece(t, k, 0);
		const int rc = MPI_Isend(p.data, p.n, t->type,
		    (c->base.rank + 1) % c->base.size, TAG, c->world,
		    &c->requests[WINDOW + k % WINDOW]);

		if (rc != MPI_SUCCESS)
			return rc;
	}
	return MPI_SUCCESS;
}

/* True if message k is complete; its slot is then free. */
static int
ring_slot_free(struct comm_mpi *c, size_t k, int first_slot)
{
	char *is_over = &c->is_over[first_slot + (int)(k % WINDOW)];
	const char was_over = *is_over;

	*is_over = 0;
	return was_over;
}

/* Wait until a message is complete; process received messages and release sent
 * ones. */
static int
advance_trip(struct trip *t)
{
	const struct timespec pause = { 0, PAUSE_NS };
	struct comm_mpi *c = t->c;
	int over[2 * WINDOW], n, rc;

	while ((rc = MPI_Testsome(2 * WINDOW, c->requests, &n, over,
		    MPI_STATUSES_IGNORE)) == MPI_SUCCESS &&
	    n <= 0)
		nanosleep(&pause, NULL);
	if (rc != MPI_SUCCESS)
		return rc;
	for (int i = 0; i < n; i++)
		c->is_over[over[i]] = 1;
	while (t->sent < t->begun && ring_slot_free(c, t->sent, WINDOW))
		t->sent++;
	while (rc == MPI_SUCCESS && t->came < t->posted &&
	    ring_slot_free(c, t->came, 0)) {
		const size_t k = t->came++;
		const struct ring_piece p = find_piece(t, k, 1);

		if (k < t->n_added && p.n > 0)
			rc = MPI_Reduce_local(
			    find_spare(t, k), p.data, p.n, t->type, t->op);
	}
	return rc;
}

/* Reduce data over all ranks, in place; all get the same bytes.
 *
 * data  [n] elements of size bytes and of type t
 *
 * Returns MPI_SUCCESS or an error of MPI. */
static int
ring_allreduce(struct comm_mpi *c, void *data, size_t n, size_t size,
    MPI_Datatype type, MPI_Op op)
{
	const size_t ranks = (size_t)c->base.size;
	struct trip t = { .c = c,
		.data = data,
		.n = n,
		.size = size,
		.type = type,
		.op = op,
		.chunk = (n + ranks - 1) / ranks,
		.piece = MESSAGE_BYTES / size };
	int rc = MPI_SUCCESS;

	assert(size > 0 && size <= MESSAGE_BYTES);
	if (c->spare == NULL)
		c->spare = xcalloc(WINDOW, MESSAGE_BYTES);
	for (int i = 0; i < 2 * WINDOW; i++)
		c->requests[i] = MPI_REQUEST_NULL;
	t.n_pieces = (t.chunk + t.piece - 1) / t.piece;
	t.n_added = (ranks - 1) * t.n_pieces;
	t.n_messages = 2 * t.n_added;
	while (rc == MPI_SUCCESS &&
	    (t.came < t.n_messages || t.sent < t.n_messages)) {
		rc = post_messages(&t);
		if (rc == MPI_SUCCESS)
			rc = advance_trip(&t);
	}
	return rc;
}

/* --- Collectives ---------------------------------------------------------- */

static int
mpi_allreduce(struct comm *base, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	if (n * comm_type_size(t) >= RING_BYTES &&
	    (c->use == RING_ALWAYS ||
		(c->use == RING_ON_NETWORK && base->n_nodes > 1))) {
		return check_mpi(e, "allreduce round a ring",
		    ring_allreduce(c, data, n, comm_type_size(t), find_type(t),
			find_op(t, op)));
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
	MPI_Abort(((struct comm_mpi *)base)->world, status);
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
