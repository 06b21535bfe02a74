/* The NCCL back end without a GPU: CUDA's and NCCL's functions are those below,
 * which note their calls.  A sum is done when the compute stream
 * joins, by the back end that carries everything else. */
#include <config.h>

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <time.h>

#include "tests/mpi/mpi_tap.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/device/device.h"
#include "trainer/comm/nccl_library.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <nccl.h>
#pragma GCC diagnostic pop

enum { N = 100, MAX_SUMS = 8 };

static char compute, other; /* streams are their addresses */
static float arena[N];
static struct bucket buckets[] = { { 0, 30, 2, 120 }, { 30, 0, 0, 0 },
	{ 30, 50, 1, 200 }, { 80, 20, 1, 80 } };
static const struct fusion_plan plan = { buckets, N_TESTS(buckets) };

/* What the fakes do and saw. */
static struct {
	int shared_gpu, refuse_join, broken, busy, gone; /* to do */
	struct {
		float *data;
		size_t n;
	} sums[MAX_SUMS];
	int n_allreduces, events, waits,
	    ordered; /* ordered: an event since the last
	                                      sum made its stream wait */
	int joins, aborted, destroyed;
	volatile int captured; /* a step that holds allreduces */
	int hung;              /* it was waited for without end */
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
	return s == (cudaStream_t)&other && fake.busy ? cudaErrorNotReady
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
	for (int i = 0; i < fake.n_allreduces; i++)
		comm_allreduce(world, fake.sums[i].data, fake.sums[i].n,
		    COMM_FP32, COMM_SUM, NULL);
	return cudaSuccess;
}

/* --- NCCL ---------------------------------------------------------------- */

int
nccl_library_open(struct error *e)
{
	(void)e;
	return 0;
}

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
	return world->rank == 0 ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t
ncclCommInitRank(ncclComm_t *c, int n, ncclUniqueId id, int rank)
{
	if (fake.refuse_join && rank == world->size - 1)
		return ncclSystemError;
	*c = (ncclComm_t)(void *)&fake;
	if (strcmp(getenv("NCCL_RUNTIME_CONNECT"), "0") != 0)
		return ncclInvalidUsage;
	return n == world->size && rank == world->rank &&
		id.internal[NCCL_UNIQUE_ID_BYTES - 1] == 'x'
	    ? ncclSuccess
	    : ncclInvalidArgument;
}

ncclResult_t
ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *r)
{
	*r = fake.broken ? ncclRemoteError : ncclSuccess;
	return c == (ncclComm_t)(void *)&fake ? ncclSuccess
					      : ncclInvalidArgument;
}

/* As NCCL does, until no captured step holds its allreduces; a test has no
 * time. */
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

ncclResult_t
ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t t,
    ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
	(void)c;
	if (from != to || t != ncclFloat32 || op != ncclSum ||
	    s != (cudaStream_t)&other || fake.n_allreduces == MAX_SUMS)
		return ncclInvalidArgument;
	fake.sums[fake.n_allreduces].data = to;
	fake.sums[fake.n_allreduces++].n = n;
	return ncclSuccess;
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

static const struct device_ops ops = {
	.name = "cuda", .stream = stream_of, .forget_steps = forget_steps
};

static void
open_device(struct device *d)
{
	memset(&fake, 0, sizeof fake);
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
	ALL(comm_attach(world, &d, &plan, &e) == 0);
	for (int step = 0; step < 3; step++) {
		fake.n_allreduces = fake.ordered = 0;
		for (int i = 0; i < N; i++)
			arena[i] = (float)(i + world->rank + step);
		wrong |= comm_alive(world, 1, &e);
		/* Half a bucket, one and a half, the rest. */
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
	comm_detach(world); /* once more is nothing */
	ALL(fake.destroyed == 1);
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
	ALL(comm_attach(world, &d, &plan, &e) == -1);
	ALL(e.code == ERROR_USAGE);
	ALL(strstr(e.message, " processes have the same; with ") != NULL);
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
	ALL(comm_attach(world, &d, &plan, &e) == -1);
	ALL(strcmp(e.message,
		"back end 'nccl' reduces what GPUs compute; device 'cpu' is "
		"none") == 0);
	comm_detach(world);
}

/* One rank cannot join: all get the error. */
static void
test_no_join(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	fake.refuse_join = 1;
	ALL(comm_attach(world, &d, &plan, &e) == -1);
	ALL(e.code == ERROR_SYSTEM);
	ALL(strstr(e.message,
		"NCCL: joining the ranks: system error "
		"(connection closed)") != NULL);
	comm_detach(world);
}

/* An error of NCCL's own is reported at the next step, and ends the allreduces,
 * so that no rank waits for them. */
static void
test_broken(void)
{
	struct error e = ERROR_INIT;
	struct device d;
	int k = 0;

	open_device(&d);
	ALL(comm_attach(world, &d, &plan, &e) == 0);
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
	ALL(fake.captured); /* no rank had to wait for that */
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0 && !fake.hung);
}

/* A sum that never ends is given up. */
static void
test_stuck(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	ALL(comm_attach(world, &d, &plan, &e) == 0);
	fake.busy = 1;
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0);
}

/* A step that is not done within the timeout is reported, once it has one. */
static void
test_stall(void)
{
	struct error e = ERROR_INIT;
	struct device d;
	int rc = 0;

	open_device(&d);
	ALL(comm_attach(world, &d, &plan, &e) == 0);
	ALL(comm_alive(world, 1, &e) == 0);
	for (int i = 0; i < 10; i++)
		nap();
	ALL(comm_alive(world, 1, &e) == 0);
	comm_detach(world);
	open_device(&d);
	world->timeout_s = 0.05;
	ALL(comm_attach(world, &d, &plan, &e) == 0);
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

/* Nor is a GPU that failed waited for. */
static void
test_gone(void)
{
	struct error e = ERROR_INIT;
	struct device d;

	open_device(&d);
	ALL(comm_attach(world, &d, &plan, &e) == 0);
	fake.gone = 1;
	comm_detach(world);
	ALL(fake.aborted == 1 && fake.destroyed == 0);
}

static const struct tap_test tests[] = {
	TEST(test_sums),
	TEST(test_shared_gpu),
	TEST(test_other_devices),
	TEST(test_no_join),
	TEST(test_broken),
	TEST(test_stuck),
	TEST(test_gone),
	TEST(test_stall),
};

int
main(void)
{
	setenv("TEST_BACKEND", "nccl", 1);
	return mpi_tap_main(tests, N_TESTS(tests));
}
