/* Forwards NCCL's functions to the loaded library. */
#include <config.h>

#include "trainer/comm/nccl_library.h"

/* NCCL's header causes warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <nccl.h>
#pragma GCC diagnostic pop

#include <stdio.h>

#include "trainer/base/shared_library.h"

/* Pointers to the library's functions. */
static struct {
	__typeof__(ncclGetErrorString) *error_string;
	__typeof__(ncclGetLastError) *last_error;
	__typeof__(ncclGetUniqueId) *unique_id;
	__typeof__(ncclCommInitRank) *init_rank;
	__typeof__(ncclCommGetAsyncError) *async_error;
	__typeof__(ncclCommAbort) *abort;
	__typeof__(ncclCommDestroy) *destroy;
	__typeof__(ncclAllReduce) *all_reduce;
	__typeof__(ncclReduceScatter) *reduce_scatter;
	__typeof__(ncclAllGather) *all_gather;
} loaded;

static const struct shared_library_call calls[] = {
	{ "ncclGetErrorString", &loaded.error_string },
	{ "ncclGetLastError", &loaded.last_error },
	{ "ncclGetUniqueId", &loaded.unique_id },
	{ "ncclCommInitRank", &loaded.init_rank },
	{ "ncclCommGetAsyncError", &loaded.async_error },
	{ "ncclCommAbort", &loaded.abort },
	{ "ncclCommDestroy", &loaded.destroy },
	{ "ncclAllReduce", &loaded.all_reduce },
	{ "ncclReduceScatter", &loaded.reduce_scatter },
	{ "ncclAllGather", &loaded.all_gather },
};

int
nccl_library_open(struct error *e)
{
	char name[32];

	snprintf(name, sizeof name, "libnccl.so.%d", NCCL_MAJOR);
	return shared_library_open(
	    name, calls, sizeof calls / sizeof calls[0], e);
}

const char *
ncclGetErrorString(ncclResult_t result)
{
	return loaded.error_string(result);
}

const char *
ncclGetLastError(ncclComm_t comm)
{
	return loaded.last_error(comm);
}

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
	return loaded.unique_id(id);
}

ncclResult_t
ncclCommInitRank(ncclComm_t *comm, int n, ncclUniqueId id, int rank)
{
	return loaded.init_rank(comm, n, id, rank);
}

ncclResult_t
ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	return loaded.async_error(comm, error);
}

ncclResult_t
ncclCommAbort(ncclComm_t comm)
{
	return loaded.abort(comm);
}

ncclResult_t
ncclCommDestroy(ncclComm_t comm)
{
	return loaded.destroy(comm);
}

ncclResult_t
ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type,
    ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	return loaded.all_reduce(from, to, n, type, op, comm, stream);
}

ncclResult_t
ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t type,
    ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	return loaded.reduce_scatter(from, to, n, type, op, comm, stream);
}

ncclResult_t
ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type,
    ncclComm_t comm, cudaStream_t stream)
{
	return loaded.all_gather(from, to, n, type, comm, stream);
}
