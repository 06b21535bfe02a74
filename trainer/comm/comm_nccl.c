/* NCCL: gradients are allreduced by the GPUs, in a stream next to the backward
 * pass. All other data, beginning with NCCL's address, goes through the back
 * end that comm_open("auto") chooses, so a single process needs no MPI.
 *
 * A GPU waits forever for a peer that has exited, so a thread watches NCCL's
 * errors and the progress of steps. On an error it ends the allreduces
 * (ncclCommAbort); the training loop then continues and gets the error at the
 * next step.
 *
 * Compressed gradients are rounded into a separate buffer in the same stream,
 * summed there, and converted back. A hierarchical allreduce is a
 * reduce-scatter on the machine, an allreduce across machines, and an allgather
 * on the machine, each with its own NCCL communicator.
 *
 * ncclCommAbort and ncclCommDestroy wait until no captured step contains an
 * allreduce, so captured steps must be released first. */
#include <config.h>

#include "trainer/comm/comm.h"

#if defined HAVE_NCCL && defined HAVE_CUDA

#include <assert.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* NCCL's header causes warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <nccl.h>
#pragma GCC diagnostic pop

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/shared_library.h"
#include "trainer/device/device.h"
#include "trainer/graph/fusion_plan.h"

enum {
	JOIN_S = 120, /* limit for all ranks to join */
	LEAVE_S = 5,  /* limit for the rest of the stream at the end */
	LOOK_MS = 50
};

enum { LEVEL_ALL, LEVEL_LOCAL, LEVEL_CROSS, N_LEVELS };

/* NCCL's functions. The library is loaded when GPUs first allreduce, so that
 * the program starts without it. */
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
} nccl;

static const struct shared_library_call nccl_calls[] = {
	{ "ncclGetErrorString", &nccl.error_string },
	{ "ncclGetLastError", &nccl.last_error },
	{ "ncclGetUniqueId", &nccl.unique_id },
	{ "ncclCommInitRank", &nccl.init_rank },
	{ "ncclCommGetAsyncError", &nccl.async_error },
	{ "ncclCommAbort", &nccl.abort },
	{ "ncclCommDestroy", &nccl.destroy },
	{ "ncclAllReduce", &nccl.all_reduce },
	{ "ncclReduceScatter", &nccl.reduce_scatter },
	{ "ncclAllGather", &nccl.all_gather },
};

struct comm_nccl {
	struct comm base;

	/* Set while attached. */
	struct device *device;
	const struct fusion_plan *plan;
	struct comm *levels[N_LEVELS]; /* this; other levels, or NULL */
	enum comm_type wire;
	void *half; /* [grads.n] of type wire; NULL: not compressed */
	int gpu;
	cudaStream_t compute, stream;
	cudaEvent_t ready, done;
	int next; /* bucket of this step */

	/* The thread joins the communicators, then watches them. */
	pthread_t watcher;
	int watching;
	int lost; /* 1: the thread was detached and still uses this struct */
	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t changed;
	ncclComm_t comms[N_LEVELS]; /* first NULL: none, or aborted */
	ncclUniqueId ids[N_LEVELS];
	int joined, quit;
	int quiet;   /* 1: streams are empty: comms need not be aborted */
	int ended;   /* 1: the thread may free the struct */
	int working; /* a step is under way */
	double beat; /* when the step began, by seconds_now */
	struct error error;
};

static struct comm_nccl *
nccl_of(struct comm *c)
{
	return (struct comm_nccl *)c;
}

static int
check_cuda(cudaError_t s, const char *what, struct error *e)
{
	if (s == cudaSuccess)
		return 0;
	return error_set(
	    e, ERROR_SYSTEM, "CUDA: %s: %s", what, cudaGetErrorString(s));
}

static int
check_nccl(ncclResult_t s, const char *what, struct error *e)
{
	if (s == ncclSuccess || s == ncclInProgress)
		return 0;
	return error_set(e, ERROR_SYSTEM, "NCCL: %s: %s (%s)", what,
	    nccl.error_string(s), nccl.last_error(NULL));
}

/* --- opening -------------------------------------------------------------- */

static int
nccl_open(struct comm **out, struct error *e)
{
	struct error missing = ERROR_INIT;
	struct comm_nccl *c;
	struct comm *host;
	char name[32];

	if (comm_open_host(&host, e) != 0)
		return error_prefix(e, "back end 'nccl'");
	snprintf(name, sizeof name, "libnccl.so.%d", NCCL_MAJOR);
	(void)shared_library_open(name, nccl_calls,
	    sizeof nccl_calls / sizeof nccl_calls[0], &missing);
	if (comm_agree(host, &missing) != 0) {
		comm_close(host);
		return error_set(
		    e, missing.code, "back end 'nccl': %s", missing.message);
	}
	/* Connect when joining, which has a time limit, and not in the first
	 * allreduce, which would wait for a lost rank with the lock held.
	 */
	setenv("NCCL_RUNTIME_CONNECT", "0", 0);
	c = xcalloc(1, sizeof *c);
	c->base.ops = &comm_nccl;
	c->base.rank = host->rank;
	c->base.size = host->size;
	c->base.host = host;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	*out = &c->base;
	return 0;
}

static void
nccl_close(struct comm *base)
{
	struct comm_nccl *c = nccl_of(base);

	comm_close(c->base.host);
	if (c->lost)
		return;
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* --- the thread ---------------------------------------------------------- */

/* Wait for a change with a time limit. The lock is held. */
static void
wait_ms(struct comm_nccl *c, long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&c->changed, &c->lock, &t);
}

/* Check for errors of NCCL and for a step that takes too long. The lock is
 * held. */
static int
find_failure(struct comm_nccl *c, struct error *e)
{
	for (int i = 0; i < N_LEVELS; i++) {
		ncclResult_t found = ncclSuccess, rc = ncclSuccess;

		if (c->comms[i] != NULL)
			rc = nccl.async_error(c->comms[i], &found);
		if (check_nccl(rc, "its state", e) != 0 ||
		    check_nccl(found, "gradient allreduces", e) != 0)
			return -1;
	}
	if (!c->working || c->base.timeout_s <= 0 ||
	    seconds_now() - c->beat < c->base.timeout_s)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "NCCL: no step was done for %g s: a rank, or its GPU, does not "
	    "answer",
	    c->base.timeout_s);
}

static void *
watch_thread(void *arg)
{
	struct comm_nccl *c = arg;
	ncclComm_t comms[N_LEVELS] = { NULL };
	struct error e = ERROR_INIT;
	int rc = check_cuda(cudaSetDevice(c->gpu), "device", &e);

	/* Join the ranks of each level, in the same order on all. Blocks until
	 * they have joined. */
	for (int i = 0; i < N_LEVELS && rc == 0; i++) {
		const struct comm *l = c->levels[i];

		if (l != NULL)
			rc = check_nccl(nccl.init_rank(&comms[i], l->size,
					    c->ids[i], l->rank),
			    "joining the ranks", &e);
	}
	pthread_mutex_lock(&c->lock);
	c->joined = 1;
	memcpy(c->comms, comms, sizeof comms);
	while (rc == 0 && !c->quit && (rc = find_failure(c, &e)) == 0)
		wait_ms(c, LOOK_MS);
	if (rc != 0) {
		c->error = e;
		memset(c->comms, 0, sizeof c->comms);
	}
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (int i = N_LEVELS - 1; i >= 0; i--)
		if (comms[i] != NULL)
			(void)(rc == 0 && c->quiet ? nccl.destroy(comms[i])
						   : nccl.abort(comms[i]));
	pthread_mutex_lock(&c->lock);
	c->ended = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Start the thread and wait until it has joined the others. */
static int
join_ranks(struct comm_nccl *c, struct error *e)
{
	const double end = seconds_now() + JOIN_S;
	int rc = pthread_create(&c->watcher, NULL, watch_thread, c);

	if (rc != 0)
		return error_errno(e, rc, "cannot start a thread");
	c->watching = 1;
	pthread_mutex_lock(&c->lock);
	while (!c->joined && seconds_now() < end)
		wait_ms(c, 1000);
	rc = c->joined && c->comms[LEVEL_ALL] != NULL ? 0 : -1;
	if (rc != 0 && c->joined)
		*e = c->error;
	else if (rc != 0)
		error_set(e, ERROR_SYSTEM,
		    "NCCL: %d ranks did not meet within %d s", c->base.size,
		    (int)JOIN_S);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* --- allreduce ----------------------------------------------------------- */

static ncclDataType_t
find_type(enum comm_type t)
{
	return t == COMM_FP16 ? ncclHalf
	    : t == COMM_BF16  ? ncclBfloat16
			      : ncclFloat32;
}

/* Count n elements passed to a collective of a level. */
static void
count_bytes(struct comm_nccl *c, int level, size_t n)
{
	c->levels[level]->count.calls++;
	c->levels[level]->count.bytes += n * comm_type_size(c->wire);
}

/* Queue the allreduce of n elements over a level. The lock is held. */
static ncclResult_t
queue_allreduce(struct comm_nccl *c, int level, void *data, size_t n)
{
	if (n == 0)
		return ncclSuccess;
	count_bytes(c, level, n);
	return nccl.all_reduce(data, data, n, find_type(c->wire), ncclSum,
	    c->comms[level], c->stream);
}

/* Reduce the elements that the machine's ranks can share evenly hierarchically,
 * and the remainder over all ranks. The lock is held. */
static ncclResult_t
queue_levels(struct comm_nccl *c, char *data, size_t n)
{
	const struct comm *local = c->levels[LEVEL_LOCAL];
	const ncclDataType_t type = find_type(c->wire);
	const size_t size = comm_type_size(c->wire);
	const size_t block = n / (size_t)local->size;
	const size_t even = block * (size_t)local->size;
	char *own = data + block * (size_t)local->rank * size;
	ncclResult_t rc = ncclSuccess;

	if (block > 0) {
		count_bytes(c, LEVEL_LOCAL, even);
		rc = nccl.reduce_scatter(data, own, block, type, ncclSum,
		    c->comms[LEVEL_LOCAL], c->stream);
	}
	if (rc == ncclSuccess)
		rc = queue_allreduce(c, LEVEL_CROSS, own, block);
	if (rc == ncclSuccess && block > 0) {
		count_bytes(c, LEVEL_LOCAL, even);
		rc = nccl.all_gather(
		    own, data, block, type, c->comms[LEVEL_LOCAL], c->stream);
	}
	if (rc != ncclSuccess)
		return rc;
	return queue_allreduce(c, LEVEL_ALL, data + even * size, n - even);
}

/* Queue the sum of n elements, unless the thread has ended the allreduces. */
static int
queue_sum(struct comm_nccl *c, void *data, size_t n, struct error *e)
{
	int rc = -1;

	pthread_mutex_lock(&c->lock);
	if (c->comms[LEVEL_ALL] == NULL)
		*e = c->error;
	else
		rc = check_nccl(c->levels[LEVEL_LOCAL] != NULL
			? queue_levels(c, data, n)
			: queue_allreduce(c, LEVEL_ALL, data, n),
		    "gradient allreduce", e);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* Queue the allreduce of the next bucket after the kernels that compute it. */
static int
sum_bucket(struct comm_nccl *c, struct error *e)
{
	const struct bucket *b = &c->plan->buckets[c->next++];
	struct device_compression h = { .stream = c->stream,
		.type = c->wire == COMM_FP16 ? DTYPE_FP16 : DTYPE_BF16,
		.offset = b->offset,
		.n = b->n,
		.scale = 1.0f / (float)c->base.size };

	if (b->n == 0)
		return 0;
	if (check_cuda(cudaEventRecord(c->ready, c->compute), "gradients", e) !=
		0 ||
	    check_cuda(cudaStreamWaitEvent(c->stream, c->ready, 0), "gradients",
		e) != 0)
		return -1;
	if (c->half == NULL)
		return queue_sum(
		    c, (float *)c->device->grads.data + b->offset, b->n, e);
	h.half = (char *)c->half + b->offset * comm_type_size(c->wire);
	if (device_compress(c->device, &h, 0, e) != 0 ||
	    queue_sum(c, h.half, b->n, e) != 0)
		return -1;
	return device_compress(c->device, &h, 1, e);
}

static int
allreduce_ready(void *ctx, size_t offset, size_t n, struct error *e)
{
	struct comm_nccl *c = ctx;
	const struct bucket *b = c->plan->buckets;

	if (offset == 0)
		c->next = 0;
	while (c->next < c->plan->n &&
	    b[c->next].offset + b[c->next].n <= offset + n)
		if (sum_bucket(c, e) != 0)
			return -1;
	return 0;
}

static int
allreduce_join(void *ctx, struct error *e)
{
	struct comm_nccl *c = ctx;

	assert(c->next == c->plan->n);
	if (check_cuda(cudaEventRecord(c->done, c->stream), "gradients", e) !=
	    0)
		return -1;
	return check_cuda(
	    cudaStreamWaitEvent(c->compute, c->done, 0), "gradients", e);
}

/* --- attaching ----------------------------------------------------------- */

/* Do the part of attaching that does not involve other ranks. */
static void
prepare_rank(struct comm_nccl *c, uint64_t *name, struct error *e)
{
	const struct device *d = c->device;
	struct cudaDeviceProp p;
	int least = 0, greatest = 0;
	uint64_t half[2];

	c->compute = device_stream(c->device);
	if (c->compute == NULL || d->grads.type != DTYPE_FP32)
		error_set(e, ERROR_USAGE,
		    "back end 'nccl' needs a GPU; device '%s' is not one",
		    d->ops->name);
	if (e->code != ERROR_NONE ||
	    check_cuda(cudaGetDevice(&c->gpu), "device", e) != 0 ||
	    check_cuda(cudaGetDeviceProperties(&p, c->gpu), "device", e) != 0)
		return;
	memcpy(half, p.uuid.bytes, sizeof half);
	*name = half[0] ^ half[1];
	(void)cudaDeviceGetStreamPriorityRange(&least, &greatest);
	if (check_cuda(cudaStreamCreateWithPriority(
			   &c->stream, cudaStreamNonBlocking, greatest),
		"stream of gradients", e) == 0 &&
	    check_cuda(
		cudaEventCreateWithFlags(&c->ready, cudaEventDisableTiming),
		"event of gradients", e) == 0 &&
	    check_cuda(
		cudaEventCreateWithFlags(&c->done, cudaEventDisableTiming),
		"event of gradients", e) == 0 &&
	    c->wire != COMM_FP32)
		check_cuda(
		    cudaMalloc(&c->half, d->grads.n * comm_type_size(c->wire)),
		    "memory of compressed gradients", e);
}

/* Broadcast NCCL's unique ID from the first rank of each level. Returns as
 * comm_agree(). */
static int
share_ids(struct comm_nccl *c, struct error *e)
{
	int rc;

	for (int i = 0; i < N_LEVELS; i++)
		if (c->levels[i] != NULL && c->levels[i]->rank == 0 &&
		    e->code == ERROR_NONE)
			check_nccl(
			    nccl.unique_id(&c->ids[i]), "its address", e);
	if ((rc = comm_agree(&c->base, e)) != 0)
		return rc;
	for (int i = 0; i < N_LEVELS; i++)
		if (c->levels[i] != NULL &&
		    comm_broadcast(
			c->levels[i], &c->ids[i], sizeof c->ids[i], 0, e) != 0)
			return -2;
	return 0;
}

static int
nccl_attach(struct comm *base, struct device *d,
    const struct comm_attachment *a, struct error *e)
{
	struct comm_nccl *c = nccl_of(base);
	uint64_t name = 0;
	int rc, same;

	c->device = d;
	c->plan = a->plan;
	c->wire = a->wire;
	c->levels[LEVEL_ALL] = base;
	c->levels[LEVEL_LOCAL] = a->local;
	c->levels[LEVEL_CROSS] = a->cross;
	prepare_rank(c, &name, e);
	if ((rc = comm_agree(base, e)) != 0)
		return rc;
	/* No two processes can use one GPU. */
	same = comm_count_same(base, name, 1, e);
	if (same < 0)
		return -2;
	if (same > 1)
		error_set(e, ERROR_USAGE,
		    "back end 'nccl' needs one GPU per process, but %d "
		    "processes share one; use --backend=mpi or gloo to share",
		    same);
	if ((rc = comm_agree(base, e)) != 0 || (rc = share_ids(c, e)) != 0)
		return rc;
	join_ranks(c, e);
	if ((rc = comm_agree(base, e)) == 0)
		d->allreduce = (struct device_allreduce){ allreduce_ready,
			allreduce_join, c };
	return rc;
}

static int
nccl_alive(struct comm *base, int working, struct error *e)
{
	struct comm_nccl *c = nccl_of(base);
	int rc = 0;

	if (!c->watching)
		return 0;
	pthread_mutex_lock(&c->lock);
	c->working = working;
	c->beat = seconds_now();
	if (c->joined && c->comms[LEVEL_ALL] == NULL) {
		*e = c->error;
		rc = -1;
	}
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* Wait until both streams are empty, with a time limit, unless the GPU
 * failed. */
static int
is_quiet(struct comm_nccl *c)
{
	const struct timespec pause = { 0, 1000000 };
	const double end = seconds_now() + LEAVE_S;

	while (seconds_now() < end) {
		const cudaError_t own = cudaStreamQuery(c->compute);
		const cudaError_t reduced = cudaStreamQuery(c->stream);

		if (own == cudaSuccess && reduced == cudaSuccess)
			return 1;
		if ((own != cudaSuccess && own != cudaErrorNotReady) ||
		    (reduced != cudaSuccess && reduced != cudaErrorNotReady))
			return 0;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Let the thread leave the communicators and end, with a time limit: on an
 * H200, leaving did not return in NCCL 2.28 after steps with captured
 * allreduces. */
static void
end_watching(struct comm_nccl *c, int quiet)
{
	const double end = seconds_now() + LEAVE_S;
	int ended;

	if (!c->watching)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = 1;
	c->quiet = quiet;
	pthread_cond_broadcast(&c->changed);
	while (c->joined && !c->ended && seconds_now() < end)
		wait_ms(c, 1000);
	ended = c->ended;
	pthread_mutex_unlock(&c->lock);
	if (ended)
		pthread_join(c->watcher, NULL);
	else
		c->lost = pthread_detach(c->watcher) == 0;
}

static void
nccl_detach(struct comm *base)
{
	struct comm_nccl *c = nccl_of(base);
	int quiet;

	if (c->device == NULL)
		return;
	quiet = c->stream == NULL || is_quiet(c);
	device_forget_steps(c->device);
	end_watching(c, quiet);
	if (quiet)
		(void)cudaFree(c->half);
	if (c->stream != NULL)
		(void)cudaStreamDestroy(c->stream);
	if (c->ready != NULL)
		(void)cudaEventDestroy(c->ready);
	if (c->done != NULL)
		(void)cudaEventDestroy(c->done);
	memset(&c->device->allreduce, 0, sizeof c->device->allreduce);
	c->device = NULL;
	c->stream = NULL;
	c->half = NULL;
	c->ready = c->done = NULL;
	if (c->lost)
		return;
	c->watching = c->joined = c->ended = c->quit = c->quiet = c->working =
	    0;
	memset(c->comms, 0, sizeof c->comms);
	c->error.code = ERROR_NONE;
}

const struct comm_ops comm_nccl = {
	.name = "nccl",
	.summary = "NCCL, between GPUs, during the backward pass",
	.open = nccl_open,
	.close = nccl_close,
	.attach = nccl_attach,
	.alive = nccl_alive,
	.detach = nccl_detach,
};

#else

const struct comm_ops comm_nccl = {
	.name = "nccl",
	.summary = "not built: configure found no NCCL",
};

#endif
