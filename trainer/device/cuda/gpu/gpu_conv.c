/* Convolution calls on a GPU: the plan that was chosen, run in the stream. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

static int
prepare_convolution(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e)
{
	p->target = gpu_target(g, c);
	if (cudnn_graph_build(p->target, g->base.program, c, &p->graph, e) !=
		0 ||
	    gpu_choose_plan(g, c, p, e) != 0)
		return -1;
	return 0;
}

int
gpu_run_conv(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	return gpu_execute(
	    g, c, &g->prepared[c - g->base.program->calls], s, e);
}

int
gpu_prepare_convs(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;

	g->prepared = xcalloc((size_t)p->n_calls + 1, sizeof *g->prepared);
	if (g->context->measures)
		gpu_open_flush(g);
	for (int i = 0; i < p->n_calls; i++)
		if (call_is_conv(&p->calls[i]) &&
		    prepare_convolution(g, &p->calls[i], &g->prepared[i], e) !=
			0)
			return -1;
	if (gpu_close_engines(g, e) != 0)
		return -1;
	g->workspace_bytes = 0;
	for (int i = 0; i < p->n_calls; i++) {
		const size_t bytes = (size_t)g->prepared[i].plan.workspace;
		size_t *const most = p->calls[i].alongside
		    ? &g->alongside.workspace_bytes
		    : &g->workspace_bytes;

		if (bytes > *most)
			*most = bytes;
	}
	return 0;
}

int
gpu_bind_convs(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;

	for (int i = 0; i < p->n_calls; i++)
		if (call_is_conv(&p->calls[i]) &&
		    gpu_bind(g, &p->calls[i], &g->prepared[i], e) != 0)
			return -1;
	return 0;
}

void
gpu_release_convs(struct gpu *g)
{
	for (int i = 0; g->prepared != NULL && i < g->base.program->n_calls;
	     i++) {
		struct prepared *p = &g->prepared[i];

		if (p->addresses != NULL)
			cudnnBackendDestroyDescriptor(p->addresses);
		cudnn_plan_release(&p->plan);
		cudnn_graph_release(&p->graph);
	}
	free(g->prepared);
}
