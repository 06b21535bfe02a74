/* Ring allreduce of pipelined messages. */
#include <config.h>

#ifdef HAVE_MPI

#include "trainer/comm/mpi_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/alloc.h"

enum {
	/* Below 64 KiB with its header: for larger messages Open MPI negotiates
	 * before it sends over TCP. */
	MESSAGE_BYTES = 60 * 1024,
	WINDOW = 32, /* messages in flight in each direction */
	TAG = 1,
	PAUSE_NS = 50000
};

struct mpi_ring {
	MPI_Comm world;
	int rank, size;
	char *spare; /* [WINDOW][MESSAGE_BYTES] received, to be added */
	/* Message k of each direction is in slot k % WINDOW; receives first,
	 * then sends. */
	MPI_Request requests[2 * WINDOW];
	char is_over[2 * WINDOW];
};

/* A sum in progress. Data is divided into one chunk per rank, and each chunk
 * into pieces of one message. In step s of 2 (size - 1) a rank sends all pieces
 * of chunk rank - s and receives chunk rank - s - 1 (modulo size). Received
 * data is added in the first half of the steps and is the final sum in the
 * second half. Message k is piece k % n_pieces of step k / n_pieces. */
struct trip {
	struct mpi_ring *ring;
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
	const size_t ranks = (size_t)t->ring->size;
	const size_t step = k / t->n_pieces + (size_t)comes_in;
	/* The sum is not negative: step < 2 * ranks. */
	const size_t chunk = ((size_t)t->ring->rank + 2 * ranks - step) % ranks;
	const size_t end = least_size(t->n, (chunk + 1) * t->chunk);
	const size_t from =
	    least_size(end, chunk * t->chunk + k % t->n_pieces * t->piece);

	return (struct ring_piece){ t->data + from * t->size,
		(int)least_size(end - from, t->piece) };
}

static char *
find_spare(const struct trip *t, size_t k)
{
	return t->ring->spare + k % WINDOW * MESSAGE_BYTES;
}

/* Post all receives that are possible now. */
static int
post_receives(struct trip *t)
{
	struct mpi_ring *r = t->ring;

	for (; t->posted < least_size(t->n_messages, t->came + WINDOW);
	     t->posted++) {
		const size_t k = t->posted;
		const struct ring_piece p = find_piece(t, k, 1);
		int rc;

		/* Overwrite data only after it was sent. */
		if (k >= t->n_added && k - t->n_added >= t->sent)
			break;
		rc = MPI_Irecv(k < t->n_added ? find_spare(t, k) : p.data, p.n,
		    t->type, (r->rank + r->size - 1) % r->size, TAG, r->world,
		    &r->requests[k % WINDOW]);
		if (rc != MPI_SUCCESS)
			return rc;
	}
	return MPI_SUCCESS;
}

/* Post all sends that are possible now: pieces that have been received, and
 * those of the first step. */
static int
begin_sends(struct trip *t)
{
	struct mpi_ring *r = t->ring;
	const size_t may = least_size(t->sent + WINDOW, t->came + t->n_pieces);

	for (; t->begun < least_size(t->n_messages, may); t->begun++) {
		const size_t k = t->begun;
		const struct ring_piece p = find_piece(t, k, 0);
		const int rc =
		    MPI_Isend(p.data, p.n, t->type, (r->rank + 1) % r->size,
			TAG, r->world, &r->requests[WINDOW + k % WINDOW]);

		if (rc != MPI_SUCCESS)
			return rc;
	}
	return MPI_SUCCESS;
}

/* Wait until a message is complete. */
static int
wait_some(struct mpi_ring *r)
{
	const struct timespec pause = { 0, PAUSE_NS };
	int over[2 * WINDOW], n, rc;

	for (;;) {
		rc = MPI_Testsome(
		    2 * WINDOW, r->requests, &n, over, MPI_STATUSES_IGNORE);
		if (rc != MPI_SUCCESS || n > 0)
			break;
		nanosleep(&pause, NULL);
	}
	for (int i = 0; rc == MPI_SUCCESS && i < n; i++)
		r->is_over[over[i]] = 1;
	return rc;
}

/* True if message k is complete; its slot is then free. */
static int
ring_slot_free(struct mpi_ring *r, size_t k, int first_slot)
{
	char *is_over = &r->is_over[first_slot + (int)(k % WINDOW)];
	const char was_over = *is_over;

	*is_over = 0;
	return was_over;
}

/* Process received messages and release sent ones. */
static int
advance_trip(struct trip *t)
{
	int rc = MPI_SUCCESS;

	while (t->sent < t->begun && ring_slot_free(t->ring, t->sent, WINDOW))
		t->sent++;
	while (rc == MPI_SUCCESS && t->came < t->posted &&
	    ring_slot_free(t->ring, t->came, 0)) {
		const size_t k = t->came++;
		const struct ring_piece p = find_piece(t, k, 1);

		if (k < t->n_added && p.n > 0)
			rc = MPI_Reduce_local(
			    find_spare(t, k), p.data, p.n, t->type, t->op);
	}
	return rc;
}

struct mpi_ring *
mpi_ring_new(MPI_Comm world)
{
	struct mpi_ring *r = xcalloc(1, sizeof *r);

	r->world = world;
	MPI_Comm_rank(world, &r->rank);
	MPI_Comm_size(world, &r->size);
	r->spare = xcalloc(WINDOW, MESSAGE_BYTES);
	for (int i = 0; i < 2 * WINDOW; i++)
		r->requests[i] = MPI_REQUEST_NULL;
	return r;
}

void
mpi_ring_free(struct mpi_ring *r)
{
	if (r != NULL)
		free(r->spare);
	free(r);
}

int
mpi_ring_allreduce(struct mpi_ring *r, void *data, size_t n, size_t size,
    MPI_Datatype type, MPI_Op op)
{
	const size_t ranks = (size_t)r->size;
	struct trip t = { .ring = r,
		.data = data,
		.n = n,
		.size = size,
		.type = type,
		.op = op,
		.chunk = (n + ranks - 1) / ranks,
		.piece = MESSAGE_BYTES / size };
	int rc = MPI_SUCCESS;

	assert(size > 0 && size <= MESSAGE_BYTES);
	if (n == 0 || ranks == 1)
		return MPI_SUCCESS;
	t.n_pieces = (t.chunk + t.piece - 1) / t.piece;
	t.n_added = (ranks - 1) * t.n_pieces;
	t.n_messages = 2 * t.n_added;
	while (rc == MPI_SUCCESS &&
	    (t.came < t.n_messages || t.sent < t.n_messages)) {
		rc = post_receives(&t);
		if (rc == MPI_SUCCESS)
			rc = begin_sends(&t);
		if (rc == MPI_SUCCESS)
			rc = wait_some(r);
		if (rc == MPI_SUCCESS)
			rc = advance_trip(&t);
	}
	return rc;
}

#endif
