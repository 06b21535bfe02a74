/* GPU executor: loading of images and numbers, begin and end of steps, captured
 * steps, times, memory. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

/* --- times ---------------------------------------------------------------- */

static int
add_between(struct device_times *t, enum device_phase k, cudaEvent_t from,
    cudaEvent_t to, struct error *e)
{
	float ms = 0;

	if (gpu_check(cudaEventElapsedTime(&ms, from, to), "event", e) != 0)
		return -1;
	t->seconds[k] += 1e-3 * (double)ms;
	return 0;
}

static int
count_phases(struct gpu *g, int slot, struct error *e)
{
	static const enum device_phase ends[N_MARKS] = {
		[MARK_TAKEN] = DEVICE_TO_DEVICE,
		[MARK_FORWARD] = DEVICE_FORWARD,
		[MARK_LOSS] = DEVICE_LOSS,
		[MARK_BACKWARD] = DEVICE_BACKWARD,
		[MARK_SUMMED] = DEVICE_ALLREDUCE,
		[MARK_END] = DEVICE_UPDATE,
	};
	struct gpu_slot *s = &g->slots[slot];

	if (!s->marked || s->marks[0] == NULL)
		return 0;
	s->marked = 0;
	for (int i = 1; i < N_MARKS; i++)
		if (add_between(&g->times, ends[i], s->marks[i - 1],
			s->marks[i], e) != 0)
			return -1;
	g->times.steps++;
	return add_between(&g->times, DEVICE_COPY, s->copy[0], s->copy[1], e);
}

static struct gpu *
gpu_of(struct device *d)
{
	return gpu(cuda_executor(d));
}

static int
gpu_phases(struct device *d, struct device_times *t, struct error *e)
{
	struct gpu *g = gpu_of(d);

	if (cuda_flush(d, e) != 0 ||
	    gpu_check(cudaStreamSynchronize(g->stream), "wait", e) != 0)
		return -1;
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (count_phases(g, i, e) != 0)
			return -1;
	*t = g->times;
	g->times = (struct device_times){ .steps = 0 };
	return 0;
}

static cudaEvent_t *
tick_at(struct gpu *g, long i)
{
	return &g->ticks[i % (DEVICE_RESULTS + 1)];
}

static int
record_tick(struct gpu *g, struct error *e)
{
	cudaEvent_t *tick = tick_at(g, g->n_ticks++);

	if (*tick == NULL && gpu_check(cudaEventCreate(tick), "event", e) != 0)
		return -1;
	return gpu_check(cudaEventRecord(*tick, g->stream), "event", e);
}

/* In a captured step cudaEventRecordExternal makes a graph node that records
 * the event on each run; without it the event would only order the capture. */
static int
gpu_mark(struct executor *m, int slot, enum executor_mark k, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	if (s->marks[k] != NULL) {
		s->marked = k == MARK_END && !g->capturing;
		if (gpu_check(cudaEventRecordWithFlags(s->marks[k], g->stream,
				  g->capturing ? cudaEventRecordExternal
					       : cudaEventRecordDefault),
			"event", e) != 0)
			return -1;
	}
	return k == MARK_END && !g->capturing ? record_tick(g, e) : 0;
}

static int
gpu_tick(struct device *d, struct error *e)
{
	return cuda_flush(d, e) != 0 ? -1 : record_tick(gpu_of(d), e);
}

static int
gpu_between_ticks(struct device *d, double *seconds, int n, struct error *e)
{
	struct gpu *g = gpu_of(d);

	if (gpu_check(cudaEventSynchronize(*tick_at(g, g->n_ticks - 1)),
		"event", e) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		const long to = g->n_ticks - n + i;
		float ms = 0;

		if (gpu_check(cudaEventElapsedTime(
				  &ms, *tick_at(g, to - 1), *tick_at(g, to)),
			"event", e) != 0)
			return -1;
		seconds[i] = 1e-3 * (double)ms;
	}
	return 0;
}

/* --- images and numbers --------------------------------------------------- */

static int
create_event(cudaEvent_t *out, unsigned flags, struct error *e)
{
	return gpu_check(cudaEventCreateWithFlags(out, flags), "event", e);
}

/* Blocking events: a thread that waits for a step leaves the CPU to those that
 * prepare images. */
static int
create_events(struct gpu *g, struct gpu_slot *s, struct error *e)
{
	const unsigned waited = cudaEventDisableTiming | cudaEventBlockingSync;

	if (create_event(&s->done, waited, e) != 0 ||
	    create_event(&s->loaded, cudaEventDisableTiming, e) != 0)
		return -1;
	if (!g->base.config->time_phases)
		return 0;
	for (int i = 0; i < N_MARKS; i++)
		if (create_event(&s->marks[i], cudaEventDefault, e) != 0)
			return -1;
	for (int i = 0; i < 2; i++)
		if (create_event(&s->copy[i], cudaEventDefault, e) != 0)
			return -1;
	return 0;
}

static int
open_slot(struct gpu *g, struct gpu_slot *s, struct error *e)
{
	void *numbers = NULL;

	if (create_events(g, s, e) != 0 ||
	    gpu_check(cudaHostAlloc(
			  &s->pinned, g->pinned_bytes, cudaHostAllocDefault),
		"pinned memory", e) != 0 ||
	    gpu_check(cudaHostAlloc(
			  &numbers, sizeof *s->numbers, cudaHostAllocDefault),
		"pinned memory", e) != 0)
		return -1;
	s->numbers = numbers;
	memset(s->numbers, 0, sizeof *s->numbers);
	return 0;
}

int
gpu_open_slots(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const size_t image = shape_size(p->graph->nodes[0].out) * sizeof(float);

	g->pinned_bytes = (size_t)p->config.batch * (image + sizeof(int32_t));
	if (gpu_check(
		cudaStreamCreateWithFlags(&g->copies, cudaStreamNonBlocking),
		"stream", e) != 0)
		return -1;
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (open_slot(g, &g->slots[i], e) != 0)
			return -1;
	return 0;
}

static void
destroy_event(cudaEvent_t event)
{
	if (event != NULL)
		(void)cudaEventDestroy(event);
}

static void
close_slots(struct gpu *g)
{
	if (g->copies != NULL)
		(void)cudaStreamSynchronize(g->copies);
	for (int k = 0; k < EXECUTOR_SLOTS; k++) {
		struct gpu_slot *s = &g->slots[k];

		destroy_event(s->done);
		destroy_event(s->loaded);
		for (int i = 0; i < N_MARKS; i++)
			destroy_event(s->marks[i]);
		destroy_event(s->copy[0]);
		destroy_event(s->copy[1]);
		(void)cudaFree(s->images);
		(void)cudaFree(s->labels);
		(void)cudaFree(s->mirror);
		(void)cudaFreeHost(s->pinned);
		(void)cudaFreeHost(s->numbers);
	}
	if (g->copies != NULL)
		(void)cudaStreamDestroy(g->copies);
}

/* Wait until no step reads the slot. Steps queued so far are done with the
 * other slots when the stream reaches this point. */
static int
empty_slot(struct gpu *g, int slot, struct error *e)
{
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (i != slot &&
		    gpu_check(cudaEventRecord(g->slots[i].done, g->stream),
			"load", e) != 0)
			return -1;
	if (gpu_check(cudaEventSynchronize(g->slots[slot].done), "load", e) !=
	    0)
		return -1;
	g->slots[slot].numbers_read = 0;
	return count_phases(g, slot, e);
}

static int
copy_in(struct gpu *g, void *to, const void *from, size_t n, struct error *e)
{
	return gpu_check(
	    cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, g->copies),
	    "images", e);
}

/* Labels and mirror flags are at the end of the slot's pinned memory. There is
 * space for the flags: images with flags are bytes, and the slot is sized for
 * floats. */
static int
copy_rest(struct gpu *g, struct gpu_slot *s, const struct images *im,
    const int32_t *labels, struct error *e)
{
	const size_t n = (size_t)im->n, extra = n * sizeof *labels;
	char *last = (char *)s->pinned + g->pinned_bytes - extra;

	if (labels != NULL) {
		memcpy(last, labels, extra);
		if (copy_in(g, s->labels, last, extra, e) != 0)
			return -1;
	}
	if (im->mirror == NULL)
		return 0;
	memcpy(last - n, im->mirror, n);
	return copy_in(g, s->mirror, last - n, n, e);
}

/* Copy images through pinned memory while the GPU works; the stream waits for
 * them. Images that are held until the step after the next begins, when this
 * step is done (see empty_slot()), are copied directly. */
static int
gpu_load(struct executor *m, int slot, const struct images *im,
    const int32_t *labels, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];
	const size_t bytes = (size_t)im->n * dtype_size(im->type) *
	    shape_size(m->program->graph->nodes[0].out);
	const void *from = im->held >= EXECUTOR_SLOTS ? im->data : s->pinned;

	if (empty_slot(g, slot, e) != 0)
		return -1;
	if (from == s->pinned)
		memcpy(s->pinned, im->data, bytes);
	if (s->copy[0] != NULL &&
	    gpu_check(cudaEventRecord(s->copy[0], g->copies), "load", e) != 0)
		return -1;
	if (copy_in(g, s->images, from, bytes, e) != 0 ||
	    copy_rest(g, s, im, labels, e) != 0)
		return -1;
	if (s->copy[1] != NULL &&
	    gpu_check(cudaEventRecord(s->copy[1], g->copies), "load", e) != 0)
		return -1;
	if (gpu_check(cudaEventRecord(s->loaded, g->copies), "load", e) != 0)
		return -1;
	return gpu_check(
	    cudaStreamWaitEvent(g->stream, s->loaded, 0), "load", e);
}

/* Wait before changing numbers that a queued step may not have copied yet, for
 * example if the learning rate changes. */
static void
gpu_set(struct executor *m, int slot, const struct executor_numbers *numbers)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	if (memcmp(s->numbers, numbers, sizeof *numbers) == 0)
		return;
	if (s->numbers_read)
		(void)cudaStreamSynchronize(g->stream);
	s->numbers_read = 0;
	*s->numbers = *numbers;
}

static int
send_numbers(struct gpu *g, int slot, struct error *e)
{
	struct gpu_slot *s = &g->slots[slot];

	s->numbers_read = 1;
	return gpu_check(
	    cudaMemcpyAsync(g->numbers, s->numbers, sizeof *s->numbers,
		cudaMemcpyHostToDevice, g->stream),
	    "numbers", e);
}

static int
gpu_take(struct executor *m, int slot, const struct executor_input *in,
    struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;
	const struct shape own = p->graph->nodes[0].out;

	if (send_numbers(g, slot, e) != 0)
		return -1;
	kernel_load(g->stream, in->type, in->order == IMAGES_NHWC,
	    g->slots[slot].images, in->mirror ? g->slots[slot].mirror : NULL,
	    own.w, in->n, p->config.batch, own.c, own.h * own.w,
	    p->tensors[p->input].shape.c, p->config.type, gpu_at(g, p->input));
	return gpu_check(cudaGetLastError(), "load", e);
}

/* --- loss and optimiser --------------------------------------------------- */

static int
gpu_loss(struct executor *m, int slot, int n, int back, struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;

	kernel_loss(g->stream, p->config.type, gpu_at(g, p->output),
	    g->slots[slot].labels, n, p->config.batch, p->graph->classes,
	    g->scale, g->losses, g->found,
	    back ? gpu_at(g, p->output_grad) : NULL);
	return gpu_check(cudaGetLastError(), "loss", e);
}

static int
gpu_results(struct executor *m, struct loss_result *r, int n, struct error *e)
{
	struct gpu *g = gpu(m);
	struct kernel_losses all;

	if (gpu_copy_host(g, g->found, &all, sizeof all, 0, e) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		const unsigned at =
		    (all.n - (unsigned)n + (unsigned)i) % KERNEL_LOSSES;
		const struct kernel_loss *k = &all.last[at];

		r[i] = (struct loss_result){ k->loss, k->n, k->top1, k->top5 };
	}
	return 0;
}

static int
gpu_refresh(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;

	kernel_weight_in(g->stream, p->config.type, g->pieces, p->n_work_pieces,
	    g->areas[AREA_PARAMS], g->work);
	return gpu_check(cudaGetLastError(), "weights", e);
}

static int
gpu_update(struct executor *m, int slot, struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;
	const struct kernel_arenas all = { .weights = g->areas[AREA_PARAMS],
		.momenta = g->areas[AREA_MOMENTA],
		.grads = g->areas[AREA_GRADS],
		.n = p->graph->arena_size,
		.work = g->work,
		.pieces = g->pieces,
		.n_pieces = p->n_pieces,
		.hyper = &g->numbers->lr,
		.scale = g->scale };

	if (send_numbers(g, slot, e) != 0)
		return -1;
	kernel_update(g->stream, p->config.type, &all);
	return gpu_check(cudaGetLastError(), "update", e);
}

/* --- capturing ----------------------------------------------------------- */

static int
gpu_capture(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);

	if (gpu_check(cudaStreamBeginCapture(
			  g->stream, cudaStreamCaptureModeThreadLocal),
		"capture", e) != 0)
		return -1;
	g->capturing = 1;
	return 0;
}

/* An invalidated capture ends without a graph; the stream stays usable. */
static int
gpu_captured(struct executor *m, int slot, struct error *e)
{
	struct gpu *g = gpu(m);
	cudaGraph_t graph = NULL;
	cudaGraphExec_t made = NULL;
	cudaError_t rc = cudaStreamEndCapture(g->stream, &graph);

	g->capturing = 0;
	if (rc == cudaSuccess && graph != NULL)
		rc = cudaGraphInstantiateWithFlags(&made, graph, 0);
	if (graph != NULL)
		(void)cudaGraphDestroy(graph);
	if (rc == cudaSuccess && made != NULL) {
		if (g->slots[slot].graph != NULL)
			(void)cudaGraphExecDestroy(g->slots[slot].graph);
		g->slots[slot].graph = made;
		return 0;
	}
	(void)cudaGetLastError();
	return error_set(e, ERROR_SYSTEM, "CUDA: capture of a step: %s",
	    cudaGetErrorString(
		rc != cudaSuccess ? rc : cudaErrorStreamCaptureInvalidated));
}

static int
gpu_replay(struct executor *m, int slot, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	s->numbers_read = 1;
	s->marked = 1;
	if (gpu_check(cudaGraphLaunch(s->graph, g->stream), "step", e) != 0)
		return -1;
	return record_tick(g, e);
}

/* CUDA destroys a running graph only when it has finished. */
static void
gpu_forget(struct executor *m)
{
	struct gpu *g = gpu(m);

	for (int i = 0; i < EXECUTOR_SLOTS; i++) {
		if (g->slots[i].graph != NULL)
			(void)cudaGraphExecDestroy(g->slots[i].graph);
		g->slots[i].graph = NULL;
	}
}

/* --- memory -------------------------------------------------------------- */

static int
gpu_sync(struct executor *m, struct error *e)
{
	return gpu_check(cudaStreamSynchronize(gpu(m)->stream), "wait", e);
}

static int
gpu_copy(struct executor *m, enum area a, size_t offset, size_t n, float *host,
    int write, struct error *e)
{
	return gpu_copy_host(gpu(m), gpu(m)->areas[a] + offset, host,
	    n * sizeof *host, write, e);
}

static int
gpu_copy_tensor(
    struct executor *m, int tensor, void *host, int write, struct error *e)
{
	const struct tensor *t = &m->program->tensors[tensor];

	return gpu_copy_host(gpu(m), gpu_at(gpu(m), tensor), host,
	    t->n * dtype_size(t->type), write, e);
}

static int
gpu_scale(struct executor *m, double *out, struct error *e)
{
	struct loss_scale s;

	if (gpu_copy_host(gpu(m), gpu(m)->scale, &s, sizeof s, 0, e) != 0)
		return -1;
	*out = (double)s.used;
	return 0;
}

static int
gpu_scaling(
    struct executor *m, struct loss_scaling *own, int set, struct error *e)
{
	struct loss_scale s;

	if (gpu_copy_host(gpu(m), gpu(m)->scale, &s, sizeof s, 0, e) != 0)
		return -1;
	if (!s.dynamic)
		return 0;
	if (!set) {
		own->scale = (double)s.scale;
		own->good = s.good;
		return 0;
	}
	s.scale = s.used = (float)own->scale;
	s.good = (int)own->good;
	return gpu_copy_host(gpu(m), gpu(m)->scale, &s, sizeof s, 1, e);
}

static void
gpu_describe(struct executor *m, struct strbuf *out)
{
	const struct gpu *g = gpu(m);
	struct cudaDeviceProp p;
	int device = 0;

	if (cudaGetDevice(&device) == cudaSuccess &&
	    cudaGetDeviceProperties(&p, device) == cudaSuccess)
		strbuf_printf(out,
		    "%s, %d multiprocessors, %.1f GiB; cuDNN %zu, workspace "
		    "%.1f MiB\n",
		    p.name, p.multiProcessorCount,
		    (double)p.totalGlobalMem / 1073741824, cudnn.version(),
		    (double)g->workspace_bytes / 1048576);
}

static void *
gpu_stream(struct device *d)
{
	return gpu_of(d)->stream;
}

void
gpu_close(struct executor *m)
{
	struct gpu *g = gpu(m);
	void *const memory[] = { g->vectors, g->work, g->work_grad, g->block,
		g->workspace, g->scratch, g->numbers, g->scale, g->losses,
		g->found, g->pieces, g->flush };

	if (g->stream != NULL)
		(void)cudaStreamSynchronize(g->stream);
	gpu_release_convs(g);
	for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
		(void)cudaFree(memory[i]);
	for (int i = 0; i < N_AREAS; i++)
		(void)cudaFree(g->areas[i]);
	for (int i = 0; i <= DEVICE_RESULTS; i++)
		destroy_event(g->ticks[i]);
	gpu_forget(m);
	close_slots(g);
	if (g->stream != NULL)
		(void)cudaStreamDestroy(g->stream);
	free(g);
}

/* No deferred work needs to run first: the caller orders c->stream after the
 * computation of the gradients. */
static int
gpu_compress(struct device *d, const struct device_compression *c, int back,
    struct error *e)
{
	const struct gpu *g = gpu_of(d);
	float *grads = g->areas[AREA_GRADS] + c->offset;

	if (back)
		kernel_decompress(c->stream, c->type, c->half, c->n, grads);
	else
		kernel_compress(
		    c->stream, c->type, grads, c->n, c->scale, c->half);
	return gpu_check(cudaGetLastError(), "compression of gradients", e);
}

const struct executor_ops gpu_ops = {
	.load = gpu_load,
	.set = gpu_set,
	.take = gpu_take,
	.run = gpu_run,
	.loss = gpu_loss,
	.results = gpu_results,
	.update = gpu_update,
	.capture = gpu_capture,
	.captured = gpu_captured,
	.replay = gpu_replay,
	.forget = gpu_forget,
	.mark = gpu_mark,
	.refresh = gpu_refresh,
	.sync = gpu_sync,
	.copy = gpu_copy,
	.copy_tensor = gpu_copy_tensor,
	.scale = gpu_scale,
	.scaling = gpu_scaling,
	.describe = gpu_describe,
	.close = gpu_close,
};

/* --- the device ----------------------------------------------------------- */

static void *
host_alloc(struct device *d, size_t bytes)
{
	void *p = NULL;

	(void)d;
	if (cudaHostAlloc(&p, bytes, cudaHostAllocDefault) == cudaSuccess)
		return p;
	(void)cudaGetLastError();
	return NULL;
}

static void
host_free(struct device *d, void *p)
{
	(void)d;
	(void)cudaFreeHost(p);
}

static int
cuda_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	static struct device_ops ops;

	ops = cuda_device_functions;
	ops.name = device_cuda.name;
	ops.summary = device_cuda.summary;
	ops.precisions = device_cuda.precisions;
	ops.stream = gpu_stream;
	ops.compress = gpu_compress;
	ops.tick = gpu_tick;
	ops.between_ticks = gpu_between_ticks;
	ops.phases = gpu_phases;
	ops.staging = &staging_cuda;
	ops.host_alloc = host_alloc;
	ops.host_free = host_free;
	return cuda_open_on(&gpu_kind, &ops, g, c, out, e);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.summary = "NVIDIA GPUs through cuDNN",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_TF32 | 1u << DTYPE_FP16 |
	    1u << DTYPE_BF16,
	.on_host = 0,
	.open = cuda_open,
	.roofs = cuda_roofs,
};
