/* Convolution calls on a GPU through cuDNN: their addresses, and the plan that
 * was chosen, run in the stream. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

/* The addresses of what norm k of a call brings to a graph. */
static void
norm_addresses(const struct gpu *g, int norm, int second, void **at_role)
{
	const struct node *n = g->base.program->norms[norm].node;
	const struct norm_vectors v = gpu_vectors(g, norm);
	const int step = second ? ROLE_MEAN_2 - ROLE_MEAN : 0;

	at_role[second ? ROLE_SCALE_2 : ROLE_SCALE] = v.half_scale;
	at_role[second ? ROLE_SHIFT_2 : ROLE_SHIFT] = v.half_shift;
	at_role[ROLE_MEAN + step] = v.mean;
	at_role[ROLE_INVSTD + step] = v.invstd;
	at_role[ROLE_GAMMA + step] = gpu_param(g, AREA_PARAMS, n->weight);
	at_role[ROLE_BETA + step] = gpu_param(g, AREA_PARAMS, n->bias);
	at_role[ROLE_GAMMA_GRAD + step] = gpu_param(g, AREA_GRADS, n->weight);
	at_role[ROLE_BETA_GRAD + step] = gpu_param(g, AREA_GRADS, n->bias);
	/* Rows that hold nothing else in the backward pass. */
	at_role[ROLE_UNUSED + step] = v.sum;
	at_role[ROLE_UNUSED_B + step] = v.squares;
	at_role[ROLE_UNUSED_C + step] = v.shift;
}

static void
all_addresses(const struct gpu *g, const struct call *c, void **at_role)
{
	if (c->norm[0] >= 0)
		norm_addresses(g, c->norm[0], 0, at_role);
	if (c->norm[1] >= 0)
		norm_addresses(g, c->norm[1], 1, at_role);
	at_role[ROLE_W] = gpu_weight(g, c, 0);
	if (c->kind == CALL_CONV_DATA) {
		at_role[ROLE_Y] = gpu_at(g, c->in[0]);
		at_role[ROLE_DX] = gpu_at(g, c->out[0]);
		at_role[ROLE_ADDED] = gpu_at(g, c->in[1]);
		at_role[ROLE_RAW] = gpu_at(g, c->in[2]);
		at_role[ROLE_RAW_2] = gpu_at(g, c->in[3]);
		return;
	}
	at_role[ROLE_X] = gpu_at(g, c->in[0]);
	if (c->kind == CALL_CONV_WEIGHT) {
		at_role[ROLE_DW] = gpu_weight(g, c, 1);
		at_role[ROLE_Y] = gpu_at(g, c->in[1]);
		return;
	}
	at_role[ROLE_Z] = gpu_at(g, c->in[1]);
	at_role[ROLE_MADE] = gpu_at(g, c->out[1]);
	at_role[ROLE_Y] = gpu_at(g, c->out[0]);
	if (c->biased)
		at_role[ROLE_BIAS] = gpu_param(g, AREA_PARAMS, c->node->bias);
	if (c->norm[2] >= 0) {
		at_role[ROLE_SUM] = gpu_vectors(g, c->norm[2]).sum;
		at_role[ROLE_SQUARES] = gpu_vectors(g, c->norm[2]).squares;
	}
}

/* Addresses never change: they are handed over once. */
int
gpu_bind(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e)
{
	void *at_role[N_ROLES] = { NULL }, *pointers[N_ROLES];
	int64_t ids[N_ROLES];
	int64_t n = 0;
	cudnnStatus_t s;

	all_addresses(g, c, at_role);
	for (int r = 0; r < N_ROLES; r++)
		if (p->graph.used[r]) {
			ids[n] = r + 1;
			pointers[n++] = at_role[r];
		}
	s = cudnnBackendCreateDescriptor(
	    CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &p->addresses);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnnBackendSetAttribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n,
		    ids);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnnBackendSetAttribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
		    n, pointers);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnnBackendSetAttribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
		    &g->workspace);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnnBackendFinalize(p->addresses);
	return gpu_check_cudnn(s, "addresses", e);
}

int
gpu_execute(struct gpu *g, const struct call *c, const struct prepared *p,
    struct error *e)
{
	return gpu_check_cudnn(
	    cudnnBackendExecute(g->target->handle, p->plan.plan, p->addresses),
	    c->node->name, e);
}

static int
prepare_convolution(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e)
{
	if (cudnn_graph_build(g->target, g->base.program, c, &p->graph, e) != 0)
		return -1;
	return gpu_choose_plan(g, c, p, e);
}

int
gpu_run_conv(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	(void)s;
	return gpu_execute(g, c, &g->prepared[c - g->base.program->calls], e);
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

		if (bytes > g->workspace_bytes)
			g->workspace_bytes = bytes;
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
