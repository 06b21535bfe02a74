/* A convolution call meets its addresses. */
#include <config.h>

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
	void *const workspace = c->alongside && g->alongside.workspace != NULL
	    ? g->alongside.workspace
	    : g->workspace;
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
		    &workspace);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnnBackendFinalize(p->addresses);
	return gpu_check_cudnn(s, "addresses", e);
}

int
gpu_execute(struct gpu *g, const struct call *c, const struct prepared *p,
    const struct executor_step *s, struct error *e)
{
	(void)g;
	(void)s;
	return gpu_check_cudnn(
	    cudnnBackendExecute(p->target->handle, p->plan.plan, p->addresses),
	    c->node->name, e);
}
