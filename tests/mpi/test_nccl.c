/* Test the NCCL back end without a GPU. The functions of CUDA and NCCL below
 * record what is queued. The back end that carries everything else executes it
 * in that order when the compute stream joins. Levels need several machines:
 * run with DLSCALE_RANKS_PER_NODE=2 on four ranks. */
#include <config.h>

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <time.h>

#include "tests/mpi/mpi_tap.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/device/device.h"
#include "trainer/base/tensor.h"
#include "trainer/base/shared_library.h"
#include "trainer/sync/gradient_reducer.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <nccl.h>
#pragma GCC diagnostic pop

enum { N = 100, MAX_QUEUED = 64 };

/* Work queued in the stream of NCCL: an allreduce over all ranks, collectives
 * of levels, or the device's conversions. */
enum queued_kind { ALLREDUCE, SCATTER, GATHER, COMPRESS, DECOMPRESS };
struct queued {
	enum queued_kind kind;
	struct comm *comm;
	enum comm_type type;
	void *data;
	size_t n;
	struct device_compression half;
};

static char compute, other; /* their addresses serve as streams */
static float arena[N];
static struct bucket buckets[] = { { 0, 31, 2, 124 }, { 31, 0, 0, 0 },
	{ 31, 50, 1, 200 }, { 81, 19, 1, 76 } };
static const struct fusion_plan plan = { buckets, N_TESTS(buckets) };

/* Behaviour of the fakes, and what they recorded. */
static struct {
	int shared_gpu, refuse_join, broken, busy, gone; /* set by tests */
	struct comm *levels[3]; /* in the order that NCCL joins them */
	struct queued queue[MAX_QUEUED];
	int n_queued, n_allreduces; /* the latter over all ranks */
	int events, waits, ordered; /* ordered: waits of NCCL's stream for the
	                                      compute stream */
	int n_joined, allocated;
	int joins, aborted, destroyed;
	volatile int captured; /* a captured step holds allreduces */
	int hung;              /* times that such a step never ended */
} fake;

/* --- CUDA ---------------------------------------------------------------- */

const char *
cudaGetErrorString(cudaError_t e)
{
	return e == cudaSuccess ? "no error" : "an error";
}

cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
	return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	(void)device;
	memset(p, 0, sizeof *p);
	p->uuid.bytes[3] = (char)(fake.shared_gpu ? 7 : 1 + world->rank);
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority)
{
	*s = (cudaStream_t)&other;
	return flags == cudaStreamNonBlocking && priority == -5
	    ? cudaSuccess
	    : cudaErrorInvalidValue;
}

cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
	return s == (cudaStream_t)&other ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cudaStreamQuery(cudaStream_t s)
{
	if (fake.gone)
		return cudaErrorUnknown;
	return s == (cudaStream_t)&other && fake.busy-- > 0 ? cudaErrorNotReady
							    : cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
	*e = malloc(1);
	return flags == cudaEventDisableTiming ? cudaSuccess
					       : cudaErrorInvalidValue;
}

cudaError_t
cudaEventDestroy(cudaEvent_t e)
{
	free(e);
	return cudaSuccess;
}

static cudaStream_t recorded;

cudaError_t
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	(void)e;
	fake.events++;
	recorded = s;
	return cudaSuccess;
}

static void
work_on(const struct queued *q)
{
	const struct device_compression *h = &q->half;

	if (q->kind == ALLREDUCE)
		comm_allreduce(q->comm, q->data, q->n, q->type, COMM_SUM, NULL);
	else if (q->kind == SCATTER)
		comm_reduce_scatter(q->comm, q->data, q->n, q->type, NULL);
	else if (q->kind == GATHER)
		comm_allgather(q->comm, q->data, q->n, q->type, NULL);
	else if (q->kind == COMPRESS)
		half_float_from_float(
		    h->type, arena + h->offset, h->scale, h->half, h->n);
	else
		half_float_to_float(h->type, h->half, arena + h->offset, h->n);
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
	(void)e, (void)flags;
	fake.waits++;
	if (s == (cudaStream_t)&other) {
		fake.ordered += recorded == (cudaStream_t)&compute;
		return cudaSuccess;
	}
	fake.joins += recorded == (cudaStream_t)&other;
	for (int i = 0; i < fake.n_queued; i++)
		work_on(&fake.queue[i]);
	return cudaSuccess;
}

cudaError_t
cudaMalloc(void **p, size_t bytes)
{
	*p = calloc(1, bytes);
	fake.allocated++;
	return cudaSuccess;
}

cudaError_t
cudaFree(void *p)
{
	fake.allocated -= p != NULL;
	free(p);
	return cudaSuccess;
}

/* --- NCCL ---------------------------------------------------------------- */

const char *
ncclGetErrorString(ncclResult_t r)
{
	return r == ncclRemoteError ? "remote process exited" : "system error";
}

const char *
ncclGetLastError(ncclComm_t c)
{
	(void)c;
	return "connection closed";
}

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
	memset(id, 'x', sizeof *id);
	return ncclSuccess;
}

ncclResult_t
ncclCommInitRank(ncclComm_t *c, int n, ncclUniqueId id, int rank)
{
	struct comm *level = fake.levels[fake.n_joined++];

	if (fake.refuse_join && rank == world->size - 1)
		return ncclSystemError;
	*c = (ncclComm_t)(void *)level;
	if (strcmp(getenv("NCCL_RUNTIME_CONNECT"), "0") != 0)
		return ncclInvalidUsage;
	return n == level->size && rank == level->rank &&
		id.internal[NCCL_UNIQUE_ID_BYTES - 1] == 'x'
	    ? ncclSuccess
	    : ncclInvalidArgument;
}

ncclResult_t
ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *r)
{
	*r = fake.broken ? ncclRemoteError : ncclSuccess;
	for (int i = 0; i < 3; i++)
		if (c == (ncclComm_t)(void *)fake.levels[i])
			return ncclSuccess;
	return ncclInvalidArgument;
}

/* Wait like NCCL until no captured step holds allreduces, but at most 3 s. */
static void
wait_for_steps(void)
{
	const struct timespec t = { 0, 20000000 };

	for (int i = 0; fake.captured && i < 150; i++)
		nanosleep(&t, NULL);
	fake.hung += fake.captured;
}

ncclResult_t
ncclCommAbort(ncclComm_t c)
{
	(void)c;
	wait_for_steps();
	fake.aborted++;
	return ncclSuccess;
}

ncclResult_t
ncclCommDestroy(ncclComm_t c)
{
	(void)c;
	wait_for_steps();
	fake.destroyed++;
	return ncclSuccess;
}

/* Queue an in-place collective in NCCL's stream. */
static ncclResult_t
queue(enum queued_kind kind, ncclComm_t c, void *data, size_t n,
    ncclDataType_t t, cudaStream_t s)
{
	struct queued *q = &fake.queue[fake.n_queued];

	if (s != (cudaStream_t)&other || fake.n_queued == MAX_QUEUED || n == 0)
		return ncclInvalidArgument;
	if (t != ncclFloat32 && t != ncclHalf && t != ncclBfloat16)
		return ncclInvalidArgument;
	q->kind = kind;
	q->comm = (struct comm *)(void *)c;
	q->type = t == ncclHalf ? COMM_FP16
	    : t == ncclBfloat16 ? COMM_BF16
				: COMM_FP32;
	q->data = data;
	q->n = n;
	fake.n_queued++;
	return ncclSuccess;
}

/* The rank's own block of data. */
static const void *
block_of(ncclComm_t c, const void *data, size_t n, ncclDataType_t t)
{
	const size_t size = t == ncclFloat32 ? 4 : 2;
	const struct comm *level = (struct comm *)(void *)c;

	return (const char *)data + (size_t)level->rank * n * size;
}

ncclResult_t
ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t t,
    ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
	if (from != to || op != ncclSum)
		return ncclInvalidArgument;
	fake.n_allreduces += (void *)c == (void *)world;
	return queue(ALLREDUCE, c, to, n, t, s);
}

ncclResult_t
ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t t,
    ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
	if (to != block_of(c, from, n, t) || op != ncclSum)
		return ncclInvalidArgument;
	return queue(SCATTER, c, (void *)(uintptr_t)from, n, t, s);
}

ncclResult_t
ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t t,
    ncclComm_t c, cudaStream_t s)
{
	if (from != block_of(c, to, n, t))
		return ncclInvalidArgument;
	return queue(GATHER, c, to, n, t, s);
}

/* Replaces the loader: all functions are those defined above. */
int
shared_library_open(const char *name, const struct shared_library_call *calls,
    size_t n, struct error *e)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} all[] = {
		{ "ncclGetErrorString", (void (*)(void))ncclGetErrorString },
		{ "ncclGetLastError", (void (*)(void))ncclGetLastError },
		{ "ncclGetUniqueId", (void (*)(void))ncclGetUniqueId },
		{ "ncclCommInitRank", (void (*)(void))ncclCommInitRank },
		{ "ncclCommGetAsyncError",
		    (void (*)(void))ncclCommGetAsyncError },
		{ "ncclCommAbort", (void (*)(void))ncclCommAbort },
		{ "ncclCommDestroy", (void (*)(void))ncclCommDestroy },
		{ "ncclAllReduce", (void (*)(void))ncclAllReduce },
		{ "ncclReduceScatter", (void (*)(void))ncclReduceScatter },
		{ "ncclAllGather", (void (*)(void))ncclAllGather },
	};

	for (size_t i = 0; i < n; i++) {
		int k = 0;

		while (
		    k < N_TESTS(all) && strcmp(all[k].name, calls[i].name) != 0)
			k++;
		if (k == N_TESTS(all))
			return error_set(e, ERROR_SYSTEM, "%s: no '%s'", name,
			    calls[i].name);
		memcpy(calls[i].to, &all[k].function, sizeof all[k].function);
	}
	return 0;
}

/* --- tests --------------------------------------------------------------- */

static void *
stream_of(struct device *d)
{
	(void)d;
	return &compute;
}

static void
forget_steps(struct device *d)
{
	(void)d;
	fake.captured = 0;
}

static int
compress(struct device *d, const struct device_compression *h, int back,
    struct error *e)
{
	struct queued *q = &fake.queue[fake.n_queued++];

	(void)d;
	q->kind = back ? DECOMPRESS : COMPRESS;
	q->half = *h;
	return h->stream == &other
	    ? 0
	    : error_set(e, ERROR_SYSTEM, "not NCCL's stream");
}

static const struct device_ops ops = { .name = "cuda",
	.stream = stream_of,
	.forget_steps = forget_steps,
	.compress = compress };

/* Uncompressed gradients, summed over all ranks at once. */
static const struct comm_attachment flat = { .plan = &plan };

static void
open_device(struct device *d)
{
	memset(&fake, 0, sizeof fake);
	fake.levels[0] = world;
	memset(d, 0, sizeof *d);
	d->ops = &ops;
	d->grads = (struct device_arena){ arena, N, DTYPE_FP32 };
}

static void
nap(void)
{
	const struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
}

static void
test_sums(void)
{
	const int n = world->size;
	struct error e = ERROR_INIT;
	struct device d;
	int wrong = 0;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	for (int step = 0; step < 3; step++) {
		fake.n_allreduces = fake.n_queued = fake.ordered = 0;
		for (int i = 0; i < N; i++)
			arena[i] = (float)(i + world->rank + step);
		wrong |= comm_alive(world, 1, &e);
		/* Half a bucket, up to the middle of the next, the rest. */
		wrong |= d.allreduce.ready(d.allreduce.ctx, 0, 15, &e);
		wrong |= fake.n_allreduces != 0;
		wrong |= d.allreduce.ready(d.allreduce.ctx, 15, 45, &e);
		wrong |= fake.n_allreduces != 1;
		wrong |= d.allreduce.ready(d.allreduce.ctx, 60, 40, &e);
		wrong |= fake.n_allreduces != 3 || fake.ordered != 3;
		wrong |= d.allreduce.join(d.allreduce.ctx, &e);
		for (int i = 0; i < N; i++)
			wrong |= arena[i] !=
			    (float)((i + step) * n + n * (n - 1) / 2);
	}
	wrong |= comm_alive(world, 0, &e);
	fake.captured = 1;
	comm_detach(world);
	ALL(!wrong && !fake.hung);
	ALL(fake.joins == 3 && fake.destroyed == 1 && fake.aborted == 0);
	ALL(d.allreduce.ready == NULL);
	comm_detach(world); /* a second call has no effect */
	ALL(fake.destroyed == 1);
}

/* Multiples of the world size, small enough for bf16: exact in any order. */
static float
gradient(int i, int rank)
{
	return (float)(world->size * (i % 13 - 6 + rank));
}

/* Elements that a rank passes to NCCL in a step. With levels: those that the
 * ranks of a machine share evenly twice, its own block of them once, and the
 * rest once. */
static size_t
elements(const struct comm *local)
{
	size_t n = 0;

	for (int i = 0; i < plan.n; i++) {
		const size_t all = plan.buckets[i].n;
		const size_t block =
		    local != NULL ? all / (size_t)local->size : 0;
		const size_t even =
		    local != NULL ? block * (size_t)local->size : 0;

		n += 2 * even + block + (all - even);
	}
	return n;
}

/* A step averages the gradients, and the codec counts the bytes of NCCL. */
static void
try_codec(enum dtype wire, int hierarchical)
{
	const struct gradient_codec_config config = { wire, hierarchical, 1 };
	struct error e = ERROR_INIT;
	struct gradient_codec *codec;
	struct comm_attachment a;
	struct comm_count count[3];
	struct device d;
	uint64_t bytes = 0;
	int wrong = 0, n_levels;

	ALL(gradient_codec_open(world, DTYPE_FP32, N, &config, &codec, &e) ==
	    0);
	a = gradient_codec_attachment(codec);
	a.plan = &plan;
	n_levels = a.local != NULL ? 3 : 1;
	ALL((n_levels == 3) ==
	    (hierarchical && world->n_nodes > 1 && world->local_size > 1));
	open_device(&d);
	fake.levels[1] = a.local;
	fake.levels[2] = a.cross;
	ALL(comm_attach(world, &d, &a, &e) == 0);
	ALL(fake.n_joined == n_levels);
	ALL(fake.allocated == (wire != DTYPE_FP32));
	for (int i = 0; i < 3; i++)
		count[i] = gradient_codec_count(codec, i);
	for (int i = 0; i < N; i++)
		arena[i] = gradient(i, world->rank);
	wrong |= d.allreduce.ready(d.allreduce.ctx, 0, N, &e);
	/* Bytes passed to NCCL, before the fakes add their own. */
	for (int i = 0; i < 3; i++)
		bytes += gradient_codec_count(codec, i).bytes - count[i].bytes;
	wrong |= d.allreduce.join(d.allreduce.ctx, &e);
	for (int i = 0; i < N; i++) {
		float sum = 0;

		for (int r = 0; r < world->size; r++)
			sum += gradient(i, r);
		wrong |= arena[i] * (float)gradient_codec_scale(codec) !=
		    sum / (float)world->size;
	}
	ALL(!wrong);
	ALL(bytes == elements(a.local) * gradient_codec_element(codec));
	comm_detach(world);
	ALL(fake.destroyed == n_levels && fake.allocated == 0);
	gradient_codec_close(codec);
}

static void
test_compressed(void)
{
	try_codec(DTYPE_FP16, 0);
	try_codec(DTYPE_BF16, 0);
}

static void
test_levels(void)
{
	if (!all_ranks(world->n_nodes * world->local_size == world->size))
		SKIP("not as many ranks on each machine");
	try_codec(DTYPE_FP32, 1);
	try_codec(DTYPE_FP16, 1);
	try_codec(DTYPE_BF16, 1);
}

static void
test_shared_gpu(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	if (world->size == 1)
		SKIP("one rank only");
	open_device(&d);
	fake.shared_gpu = 1;
	ALL(comm_attach(world, &d, &flat, &e) == -1);
	ALL(e.code == ERROR_USAGE);
	ALL(strstr(e.message, " processes share one; use ") != NULL);
	comm_detach(world);
}

static void
test_other_devices(void)
{
	static const struct device_ops plain = { .name = "cpu" };
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	d.ops = &plain;
	ALL(comm_attach(world, &d, &flat, &e) == -1);
	ALL(strcmp(e.message,
		"back end 'nccl' needs a GPU; device 'cpu' is not one") == 0);
	comm_detach(world);
}

/* If one rank cannot join, all ranks get the error. */
static void
test_no_join(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	fake.refuse_join = 1;
	ALL(comm_attach(world, &d, &flat, &e) == -1);
	ALL(e.code == ERROR_SYSTEM);
	ALL(strstr(e.message,
		"NCCL: joining the ranks: system error "
		"(connection closed)") != NULL);
	comm_detach(world);
}

/* An error of NCCL is reported at the next step and ends the allreduces, so
 * that no rank waits for them. */
static void
test_broken(void)
{
	struct error e = ERROR_INIT;
	struct device d;
	int k = 0;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	fake.captured = 1;
	fake.broken = 1;
	while (k++ < 200 && comm_alive(world, 1, &e) == 0)
		nap();
	ALL(k < 200);
	ALL(strcmp(e.message,
		"NCCL: gradient allreduces: remote process exited "
		"(connection closed)") == 0);
	e.code = ERROR_NONE;
	ALL(d.allreduce.ready(d.allreduce.ctx, 0, 100, &e) == -1);
	ALL(e.code == ERROR_SYSTEM);
	ALL(fake.captured); /* no rank waited for the step */
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0 && !fake.hung);
}

/* A sum that never ends is aborted. */
static void
test_stuck(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	fake.busy = 1 << 30;
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0);
}

/* A sum that is still in progress is awaited. */
static void
test_under_way(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	fake.busy = 3;
	comm_detach(world);
	ALL(fake.aborted == 0 && fake.destroyed == 1);
}

/* A step that exceeds the timeout is reported; without a timeout none is. */
static void
test_stall(void)
{
	struct error e = ERROR_INIT;
	struct device d;
	int rc = 0;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	ALL(comm_alive(world, 1, &e) == 0);
	for (int i = 0; i < 10; i++)
		nap();
	ALL(comm_alive(world, 1, &e) == 0);
	comm_detach(world);
	open_device(&d);
	world->timeout_s = 0.05;
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	(void)comm_alive(world, 1, &e);
	for (int i = 0; i < 500 && !fake.aborted; i++)
		nap();
	rc = comm_alive(world, 1, &e);
	comm_detach(world);
	world->timeout_s = 0;
	ALL(rc == -1);
	ALL(strcmp(e.message,
		"NCCL: no step was done for 0.05 s: a rank, or its GPU, does "
		"not answer") == 0);
}

/* A failed GPU is not waited for. */
static void
test_gone(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	ALL(comm_attach(world, &d, &flat, &e) == 0);
	fake.gone = 1;
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0);
}

static const struct tap_test tests[] = {
	TEST(test_sums),
	TEST(test_compressed),
	TEST(test_levels),
	TEST(test_shared_gpu),
	TEST(test_other_devices),
	TEST(test_no_join),
	TEST(test_broken),
	TEST(test_stuck),
	TEST(test_under_way),
	TEST(test_gone),
	TEST(test_stall),
};

int
main(void)
{
	setenv("TEST_BACKEND", "nccl", 1);
	return mpi_tap_main(tests, N_TESTS(tests));
}
