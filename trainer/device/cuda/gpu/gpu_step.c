/* A step alongside its calls: loss, optimiser, capturing, and when its parts
 * begin and end. */
#include <config.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

int
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

int
gpu_results(struct executor *m, struct loss_result *r, int n, struct error *e)
{
	struct gpu *g = gpu(m);
	struct kernel_losses all;

	if (gpu_copy_back(g, &all, g->found, sizeof all, e) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		const unsigned at =
		    (all.n - (unsigned)n + (unsigned)i) % KERNEL_LOSSES;
		const struct kernel_loss *k = &all.last[at];

		r[i] = (struct loss_result){ k->loss, k->n, k->top1, k->top5 };
	}
	return 0;
}

int
gpu_refresh(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);
	const struct gpu_program *p = m->program;

	kernel_weight_in(g->stream, p->config.type, g->pieces, p->n_work_pieces,
	    g->areas[AREA_PARAMS], g->work);
	return gpu_check(cudaGetLastError(), "weights", e);
}

int
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

	if (gpu_send_numbers(g, slot, e) != 0)
		return -1;
	kernel_update(g->stream, p->config.type, &all);
	return gpu_check(cudaGetLastError(), "update", e);
}

/* --- capturing ----------------------------------------------------------- */

int
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

/* A capture that something spoiled ends without a graph; the stream works as
 * before. */
int
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

int
gpu_replay(struct executor *m, int slot, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	s->numbers_read = 1;
	s->marked = 1;
	return gpu_check(cudaGraphLaunch(s->graph, g->stream), "step", e);
}

/* A graph that runs is dropped when it has come to its end. */
void
gpu_forget(struct executor *m)
{
	struct gpu *g = gpu(m);

	for (int i = 0; i < EXECUTOR_SLOTS; i++) {
		if (g->slots[i].graph != NULL)
			(void)cudaGraphExecDestroy(g->slots[i].graph);
		g->slots[i].graph = NULL;
	}
}

/* --- times ---------------------------------------------------------------- */

/* In a captured step an event is recorded by a node of the graph, each time it
 * runs; without the flag it would only order the capture. */
int
gpu_mark(struct executor *m, int slot, enum executor_mark k, struct error *e)
{
	struct gpu *g = gpu(m);
	struct gpu_slot *s = &g->slots[slot];

	if (s->marks[k] == NULL)
		return 0;
	s->marked = k == MARK_END && !g->capturing;
	return gpu_check(cudaEventRecordWithFlags(s->marks[k], g->stream,
			     g->capturing ? cudaEventRecordExternal
					  : cudaEventRecordDefault),
	    "event", e);
}

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

int
gpu_count_phases(struct gpu *g, int slot, struct error *e)
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

int
gpu_phases(struct executor *m, struct device_times *t, struct error *e)
{
	struct gpu *g = gpu(m);

	if (gpu_check(cudaStreamSynchronize(g->stream), "wait", e) != 0)
		return -1;
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		if (gpu_count_phases(g, i, e) != 0)
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

int
gpu_tick(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);
	cudaEvent_t *tick = tick_at(g, g->n_ticks++);

	if (*tick == NULL && gpu_check(cudaEventCreate(tick), "event", e) != 0)
		return -1;
	return gpu_check(cudaEventRecord(*tick, g->stream), "event", e);
}

int
gpu_between_ticks(struct executor *m, double *seconds, int n, struct error *e)
{
	struct gpu *g = gpu(m);

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
