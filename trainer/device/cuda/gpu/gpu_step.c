/* A step alongside its calls: loss, optimiser, capturing. */
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
