/* CUDA on the CPU: the functions of the runtime that the cuda device
 * calls, and its kernels (kernels.cu is compiled here once more), run block by
 * block, the threads of a block by turns from one __syncthreads to the next.
 * So indices, the order of calls and what a captured step holds are tested
 * without a GPU; races and speed are not. */
#include <config.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#include "tests/cuda_emulator.h"

/* --- threads --------------------------------------------------------- */

struct place3 {
	unsigned x, y, z;
};

static place3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

enum { STACK = 64 << 10, MOST_THREADS = 1024 };

struct fiber {
	ucontext_t context;
	place3 thread;
	bool done;
};

static fiber fibers[MOST_THREADS];
static ucontext_t scheduler;
static fiber *current;
static const std::function<void()> *body;

static void
enter(void)
{
	(*body)();
	current->done = true;
	swapcontext(&current->context, &scheduler);
}

static void
__syncthreads(void)
{
	swapcontext(&current->context, &scheduler);
	threadIdx = current->thread;
}

static void
start_fiber(fiber *f, unsigned i)
{
	static char *stacks;

	if (stacks == NULL)
		stacks = (char *)malloc((size_t)STACK * MOST_THREADS);
	f->thread = { i % blockDim.x, i / blockDim.x % blockDim.y,
		i / blockDim.x / blockDim.y };
	f->done = false;
	if (i > 0 && fibers[0].done)
		return;
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = stacks + (size_t)i * STACK;
	f->context.uc_stack.ss_size = STACK;
	f->context.uc_link = &scheduler;
	makecontext(&f->context, enter, 0);
}

/* The first thread of a block records whether they wait for each other; those
 * that do not are called one after the other. */
static void
run_block(void)
{
	const unsigned n = blockDim.x * blockDim.y * blockDim.z;
	unsigned left = n;

	start_fiber(&fibers[0], 0);
	current = &fibers[0];
	threadIdx = current->thread;
	swapcontext(&scheduler, &current->context);
	left -= current->done;
	for (unsigned i = 1; i < n; i++) {
		start_fiber(&fibers[i], i);
		current = &fibers[i];
		threadIdx = current->thread;
		if (fibers[0].done) {
			(*body)();
			left--;
		} else {
			swapcontext(&scheduler, &current->context);
			left -= current->done;
		}
	}
	while (left > 0)
		for (unsigned i = 0; i < n; i++) {
			if (fibers[i].done)
				continue;
			current = &fibers[i];
			threadIdx = current->thread;
			swapcontext(&scheduler, &current->context);
			left -= current->done;
		}
}

static void
run_kernel(dim3 grid, dim3 block, const std::function<void()> &f)
{
	gridDim = grid;
	blockDim = block;
	body = &f;
	for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
		for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
			for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
				run_block();
}

/* --- what a stream has queued ---------------------------------------- */

typedef std::vector<std::function<void()>> task_list;

static task_list *capturing;

static void
ask(const std::function<void()> &task)
{
	if (capturing != NULL)
		capturing->push_back(task);
	else
		task();
}

extern "C" void
emulator_ask(void (*f)(void *arg), const void *arg, size_t n)
{
	const std::vector<char> copy((const char *)arg, (const char *)arg + n);

	ask([f, copy]() {
		std::vector<char> own(copy);

		f(own.data());
	});
}

template <typename F, typename... A>
static void
launch(dim3 grid, dim3 block, F kernel, A... a)
{
	ask([=]() { run_kernel(grid, block, [=]() { kernel(a...); }); });
}

#define LAUNCH(grid, block, s, kernel, ...) \
	((void)(s), launch(grid, block, kernel, __VA_ARGS__))

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
/* C++ finds that a function and a structure share a name; nvcc does not. */
#pragma GCC diagnostic ignored "-Wshadow"
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#include "trainer/device/cuda/kernels.cu"
#include "trainer/device/cuda/kernels_step.cu"
#include "trainer/device/cuda/kernels_pool.cu"

/* --- the runtime ----------------------------------------------------- */

extern "C" {

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = 1;
	return cudaSuccess;
}

cudaError_t
cudaSetDevice(int)
{
	return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *p, int)
{
	memset(p, 0, sizeof *p);
	strcpy(p->name, "Emulated GPU");
	p->major = 9;
	p->multiProcessorCount = 1;
	p->l2CacheSize = 1 << 12;
	return cudaSuccess;
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *)
{
	return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *left, size_t *all)
{
	*left = *all = (size_t)8 << 30;
	return cudaSuccess;
}

/* As on a GPU rubbish at first. */
cudaError_t
cudaMalloc(void **p, size_t n)
{
	*p = aligned_alloc(256, (n + 255) / 256 * 256);
	memset(*p, 0xff, n);
	return cudaSuccess;
}

cudaError_t
cudaFree(void *p)
{
	free(p);
	return cudaSuccess;
}

cudaError_t
cudaHostAlloc(void **p, size_t n, unsigned)
{
	return cudaMalloc(p, n);
}

cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(
    void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t)
{
	ask([=]() { memcpy(to, from, n); });
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t)
{
	ask([=]() { memset(p, value, n); });
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
	*s = (cudaStream_t)malloc(1);
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int)
{
	return cudaStreamCreateWithFlags(s, flags);
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	*least = *greatest = 0;
	return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
	free(s);
	return cudaSuccess;
}

/* Nothing may wait while a step is captured. */
cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
	return capturing != NULL ? cudaErrorStreamCaptureUnsupported
				 : cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
	return cudaSuccess;
}

/* An event is the number of things recorded when it was. */
static long recorded;

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
	*e = (cudaEvent_t)calloc(1, sizeof(long));
	return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *e)
{
	return cudaEventCreateWithFlags(e, 0);
}

cudaError_t
cudaEventDestroy(cudaEvent_t e)
{
	free(e);
	return cudaSuccess;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t, unsigned flags)
{
	if ((capturing != NULL) != (flags == cudaEventRecordExternal))
		return cudaErrorInvalidValue;
	ask([=]() { *(long *)(void *)e = ++recorded; });
	return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	return cudaEventRecordWithFlags(e, s, 0);
}

cudaError_t
cudaEventSynchronize(cudaEvent_t)
{
	return cudaStreamSynchronize(NULL);
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	const long a = *(long *)(void *)from, b = *(long *)(void *)to;

	if (a == 0 || b < a)
		return cudaErrorInvalidResourceHandle;
	*ms = (float)(b - a);
	return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
	capturing = new task_list;
	return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture(cudaStream_t, cudaGraph_t *out)
{
	*out = (cudaGraph_t)capturing;
	capturing = NULL;
	return cudaSuccess;
}

cudaError_t
cudaGraphInstantiateWithFlags(
    cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long)
{
	*out = (cudaGraphExec_t) new task_list(*(task_list *)graph);
	return cudaSuccess;
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
	delete (task_list *)graph;
	return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t graph)
{
	delete (task_list *)graph;
	return cudaSuccess;
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t)
{
	for (const std::function<void()> &task : *(task_list *)graph)
		task();
	return cudaSuccess;
}

cudaError_t
cudaGetLastError(void)
{
	return cudaSuccess;
}

cudaError_t
cudaPeekAtLastError(void)
{
	return cudaSuccess;
}

const char *
cudaGetErrorString(cudaError_t)
{
	return "an emulated error";
}
}
