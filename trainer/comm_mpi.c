/* MPI with blocking collectives.  The training loop and the reducer's thread
 * take turns, so MPI_THREAD_SERIALIZED is enough. */
#include <config.h>

#include "trainer/comm.h"

#ifdef HAVE_MPI

#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/alloc.h"

struct comm_mpi {
	struct comm base;
	MPI_Comm world; /* our own copy of MPI_COMM_WORLD */
};

enum { CHUNK = 1 << 28 }; /* elements in one call; MPI counts in int */

static int
mpi_error(struct error *e, const char *call, int rc)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	MPI_Error_string(rc, text, &len);
	return error_set(e, ERROR_SYSTEM, "%s: %s", call, text);
}

/* Which machine this is, and who else is on it. */
static int
find_place(struct comm_mpi *c, struct error *e)
{
	struct comm *b = &c->base;
	MPI_Comm local, leaders;
	int rc, place[2];

	rc = MPI_Comm_split_type(
	    c->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
	if (rc != MPI_SUCCESS)
		return mpi_error(e, "MPI_Comm_split_type", rc);
	MPI_Comm_rank(local, &b->local_rank);
	MPI_Comm_size(local, &b->local_size);
	rc = MPI_Comm_split(
	    c->world, b->local_rank == 0 ? 0 : MPI_UNDEFINED, 0, &leaders);
	if (rc == MPI_SUCCESS && leaders != MPI_COMM_NULL) {
		MPI_Comm_rank(leaders, &place[0]);
		MPI_Comm_size(leaders, &place[1]);
		MPI_Comm_free(&leaders);
	}
	if (rc == MPI_SUCCESS)
		rc = MPI_Bcast(place, 2, MPI_INT, 0, local);
	MPI_Comm_free(&local);
	if (rc != MPI_SUCCESS)
		return mpi_error(e, "MPI_Comm_split", rc);
	b->node = place[0];
	b->n_nodes = place[1];
	return 0;
}

static int
start_mpi(struct error *e)
{
	int rc, have;

	/* A rank that waits must not take the processor from the threads that
	 * compute: Open MPI then yields between its polls. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &have);
	if (rc != MPI_SUCCESS)
		return mpi_error(e, "MPI_Init_thread", rc);
	if (have >= MPI_THREAD_SERIALIZED)
		return 0;
	MPI_Finalize();
	return error_set(e, ERROR_SYSTEM,
	    "this MPI library cannot be called from two threads in turn");
}

static int
mpi_open(struct comm **out, struct error *e)
{
	struct comm_mpi *c;
	int rc;

	if (start_mpi(e) != 0)
		return -1;
	c = xcalloc(1, sizeof *c);
	c->base.ops = &comm_mpi;
	rc = MPI_Comm_dup(MPI_COMM_WORLD, &c->world);
	if (rc != MPI_SUCCESS) {
		mpi_error(e, "MPI_Comm_dup", rc);
		goto finalize;
	}
	MPI_Comm_set_errhandler(c->world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(c->world, &c->base.rank);
	MPI_Comm_size(c->world, &c->base.size);
	if (find_place(c, e) != 0)
		goto free_world;
	*out = &c->base;
	return 0;
free_world:
	MPI_Comm_free(&c->world);
finalize:
	MPI_Finalize();
	free(c);
	return -1;
}

static void
mpi_close(struct comm *base)
{
	struct comm_mpi *c = (struct comm_mpi *)base;

	MPI_Comm_free(&c->world);
	MPI_Finalize();
	free(c);
}

static int
mpi_allreduce(struct comm *base, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	struct comm_mpi *c = (struct comm_mpi *)base;
	const MPI_Datatype types[N_COMM_TYPES] = { MPI_FLOAT, MPI_DOUBLE,
		MPI_INT64_T };
	const MPI_Op ops[N_COMM_OPS] = { MPI_SUM, MPI_MIN, MPI_MAX };
	static const size_t sizes[N_COMM_TYPES] = { 4, 8, 8 };

	assert(t < N_COMM_TYPES && op < N_COMM_OPS);
	while (n > 0) {
		const size_t k = n < CHUNK ? n : CHUNK;
		const int rc = MPI_Allreduce(
		    MPI_IN_PLACE, data, (int)k, types[t], ops[op], c->world);

		if (rc != MPI_SUCCESS)
			return mpi_error(e, "MPI_Allreduce", rc);
		data = (char *)data + k * sizes[t];
		n -= k;
	}
	return 0;
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

		if (rc != MPI_SUCCESS)
			return mpi_error(e, "MPI_Bcast", rc);
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
	.summary = "MPI_Allreduce, on a thread of its own in the backward pass",
	.open = mpi_open,
	.close = mpi_close,
	.allreduce = mpi_allreduce,
	.broadcast = mpi_broadcast,
	.abort = mpi_abort,
};

#else

const struct comm_ops comm_mpi = {
	.name = "mpi",
	.summary = "not built: configure found no MPI",
};

#endif
