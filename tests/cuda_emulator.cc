/* CUDA on the CPU: the runtime functions that the cuda device calls, and its
 * kernels (kernels.cu compiled again here), run block by block. The threads of
 * a block take turns from one __syncthreads to the next. This tests indices,
 * the order of calls and the content of a captured step without a GPU, but not
 * races within a kernel or speed.
 *
 * With emulated_seed, tasks queued on streams run late, when one of them is
 * waited for, in a random order that streams and events allow.
 */
#include <config.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
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
	jmp_buf state; /* where the thread continues */
	place3 thread;
	bool started, done;
};

#ifdef __SANITIZE_ADDRESS__
__attribute__((constructor)) static void
skip_all(void)
{
	printf("1..0 # SKIP the sanitizer takes fibers for overflows\n");
	exit(0);
}
#endif

static fiber fibers[MOST_THREADS];
static jmp_buf scheduler;
static fiber *current;
static const std::function<void()> *body;

/* Return to resume(). Unlike swapcontext, _setjmp makes no system call. */
static void
leave(void)
{
	if (_setjmp(current->state) == 0)
		_longjmp(scheduler, 1);
}

static void
run_threads(void)
{
	for (;;) {
		(*body)();
		current->done = true;
		leave();
	}
}

static void
__syncthreads(void)
{
	leave();
	threadIdx = current->thread;
}

/* Run thread i of the block until it waits for the others or ends. */
static void
resume(unsigned i)
{
	static char *stacks;
	ucontext_t context;

	current = &fibers[i];
	threadIdx = current->thread;
	if (_setjmp(scheduler) != 0)
		return;
	if (current->started)
		_longjmp(current->state, 1);
	current->started = true;
	if (stacks == NULL)
		stacks = (char *)malloc((size_t)STACK * MOST_THREADS);
	getcontext(&context);
	context.uc_stack.ss_sp = stacks + (size_t)i * STACK;
	context.uc_stack.ss_size = STACK;
	makecontext(&context, run_threads, 0);
	setcontext(&context);
}

/* The first thread of a block shows whether its threads wait for each other. If
 * not, they are called one after the other. */
static void
run_block(void)
{
	const unsigned n = blockDim.x * blockDim.y * blockDim.z;
	unsigned left = n;

	for (unsigned i = 0; i < n; i++) {
		fibers[i].thread = { i % blockDim.x,
			i / blockDim.x % blockDim.y,
			i / blockDim.x / blockDim.y };
		fibers[i].done = false;
	}
	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && fibers[0].done) {
			current = &fibers[i];
			threadIdx = current->thread;
			(*body)();
			current->done = true;
		} else {
			resume(i);
		}
		left -= fibers[i].done;
	}
	while (left > 0)
		for (unsigned i = 0; i < n; i++) {
			if (fibers[i].done)
				continue;
			resume(i);
			left -= fibers[i].done;
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

/* A task of a stream. It waits for the previous task of the stream, and for
 * task `other`. */
struct queued_task {
	std::function<void()> run;
	cudaStream_t stream;
	long other; /* -1: for none */
};

/* Numbered, so that an event can state the list that it was recorded in. */
struct task_list {
	long number;
	std::vector<queued_task> tasks;
};

unsigned emulated_seed;

static long n_lists;
static task_list pending = { 0, {} }; /* with emulated_seed */
static task_list *capturing;

/* A pseudorandom number from 0 to n - 1. */
static size_t
draw(size_t n)
{
	static unsigned x;

	x = (x ^ emulated_seed) * 1103515245u + 12345u;
	return (x >> 16) % n;
}

/* The next task of each stream, unless it waits for another stream. */
static std::vector<size_t>
next_tasks(const task_list &all, const std::vector<bool> &done)
{
	std::vector<cudaStream_t> seen;
	std::vector<size_t> next;

	for (size_t i = 0; i < all.tasks.size(); i++) {
		const queued_task &t = all.tasks[i];
		bool first = !done[i];

		for (cudaStream_t s : seen)
			first = first && s != t.stream;
		if (!first)
			continue;
		seen.push_back(t.stream);
		if (t.other < 0 || done[(size_t)t.other])
			next.push_back(i);
	}
	return next;
}

/* Choose a task, usually of the same stream, so that the others are late. */
static size_t
choose_task(const task_list &all, const std::vector<size_t> &next)
{
	static cudaStream_t favourite;

	if (emulated_seed == 0)
		return next[0];
	if (draw(32) != 0)
		for (size_t i : next)
			if (all.tasks[i].stream == favourite)
				return i;
	const size_t i = next[draw(next.size())];
	favourite = all.tasks[i].stream;
	return i;
}

static void
run_list(const task_list &all)
{
	std::vector<bool> done(all.tasks.size());

	for (size_t left = all.tasks.size(); left > 0; left--) {
		const size_t i = choose_task(all, next_tasks(all, done));

		all.tasks[i].run();
		done[i] = true;
	}
}

/* Run all queued tasks. */
static void
drain(void)
{
	task_list own = { 0, {} };

	std::swap(own.tasks, pending.tasks);
	pending.number = ++n_lists;
	run_list(own);
}

static void
ask(cudaStream_t s, const std::function<void()> &run, long other = -1)
{
	if (capturing != NULL)
		capturing->tasks.push_back({ run, s, other });
	else if (emulated_seed != 0)
		pending.tasks.push_back({ run, s, other });
	else
		run();
}

extern "C" void
emulator_ask(void *stream, void (*f)(void *arg), const void *arg, size_t n)
{
	const std::vector<char> copy((const char *)arg, (const char *)arg + n);

	ask((cudaStream_t)stream, [f, copy]() {
		std::vector<char> own(copy);

		f(own.data());
	});
}

template <typename F, typename... A>
static void
launch(cudaStream_t s, dim3 grid, dim3 block, F kernel, A... a)
{
	ask(s, [=]() { run_kernel(grid, block, [=]() { kernel(a...); }); });
}

#define LAUNCH(grid, block, s, kernel, ...) \
	launch(s, grid, block, kernel, __VA_ARGS__)

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
/* C++ warns if a function and a structure share a name; nvcc does not. */
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
	snprintf(p->name, sizeof p->name, "Emulated GPU");
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

/* As on a GPU, new memory contains garbage. */
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
	drain();
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
	drain();
	free(p);
	return cudaSuccess;
}

/* With CUDA_TRACE set, each copy requested by the program is printed as a line
 * on standard error. */
cudaError_t
cudaMemcpyAsync(
    void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s)
{
	static const bool traced = getenv("CUDA_TRACE") != NULL;

	if (traced)
		fprintf(stderr, "%s %zu\n",
		    kind == cudaMemcpyHostToDevice ? "in" : "out", n);
	ask(s, [=]() { memcpy(to, from, n); });
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
	ask(s, [=]() { memset(p, value, n); });
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
	drain();
	free(s);
	return cudaSuccess;
}

/* Nothing may wait while a step is captured. */
cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
	if (capturing != NULL)
		return cudaErrorStreamCaptureUnsupported;
	drain();
	return cudaSuccess;
}

/* `when` is the number of events recorded before, plus emulator_spend()'s ms;
 * `list` and `task` are where the event is recorded. */
struct event {
	long when, list, task;
};

static event *
event_of(cudaEvent_t e)
{
	return (event *)(void *)e;
}

/* The list that tasks are added to, or NULL if they run at once. */
static task_list *
list_now(void)
{
	if (capturing != NULL)
		return capturing;
	return emulated_seed != 0 ? &pending : NULL;
}

/* Events of other lists have occurred; a capture rejects them. */
cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
	const event *x = event_of(e);
	const task_list *list = list_now();

	if (list != NULL && list->number == x->list)
		ask(
		    s, []() {}, x->task);
	else if (capturing != NULL)
		return cudaErrorStreamCaptureIsolation;
	return cudaSuccess;
}

static long recorded;

void
emulator_spend(long ms)
{
	recorded += ms;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
	*e = (cudaEvent_t)calloc(1, sizeof(event));
	event_of(*e)->list = -1;
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
	drain();
	free(e);
	return cudaSuccess;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags)
{
	const bool external = flags == cudaEventRecordExternal;
	event *const x = event_of(e);
	const task_list *list = list_now();

	if (capturing == NULL && external)
		return cudaErrorInvalidValue;
	if (!external) {
		x->list = list != NULL ? list->number : -1;
		x->task = list != NULL ? (long)list->tasks.size() : 0;
	}
	/* Other captured events define an order only, no time. */
	if (capturing != NULL && !external) {
		x->when = 0;
		ask(s, []() {});
	} else
		ask(s, [=]() { x->when = ++recorded; });
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
	const long a = event_of(from)->when, b = event_of(to)->when;

	if (a == 0 || b < a)
		return cudaErrorInvalidResourceHandle;
	*ms = (float)(b - a);
	return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
	capturing = new task_list;
	capturing->number = ++n_lists;
	return cudaSuccess;
}

/* True if all forked streams are joined: the last task of this stream waits,
 * directly or not, for the last task of each other stream. */
static bool
is_joined(const task_list &all, cudaStream_t origin)
{
	std::vector<bool> reached(all.tasks.size());
	std::vector<cudaStream_t> later;
	bool whole = true;

	for (size_t i = all.tasks.size(); i-- > 0;) {
		const queued_task &t = all.tasks[i];

		if (t.stream == origin)
			reached[i] = true;
		for (cudaStream_t s : later)
			if (s == t.stream)
				reached[i] = true;
		whole = whole && reached[i];
		if (reached[i])
			later.push_back(t.stream);
		if (reached[i] && t.other >= 0)
			reached[(size_t)t.other] = true;
	}
	return whole;
}

cudaError_t
cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
	const bool joined = is_joined(*capturing, s);

	*out = (cudaGraph_t)capturing;
	capturing = NULL;
	if (joined)
		return cudaSuccess;
	delete (task_list *)*out;
	*out = NULL;
	return cudaErrorStreamCaptureUnjoined;
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

/* Tasks of a graph are late, too, but in the order of their streams. */
cudaError_t
cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t)
{
	drain();
	run_list(*(task_list *)graph);
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
