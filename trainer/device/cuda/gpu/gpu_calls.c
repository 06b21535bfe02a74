/* Run the calls of a program on a GPU: convolutions by cuDNN, the rest by our
 * own kernels, all in one stream. */
#include <config.h>

#include "trainer/base/rng.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

/* Operands of a call for its kernel: addresses of its tensors, rows and
 * channels of one of them, `like`, and the vectors of its normalisations (those
 * of the first in both places if there is no second one). */
struct gpu_call {
	void *in[CALL_IN], *out[CALL_OUT];
	const struct tensor *like;
	size_t rows;
	int channels;
	struct norm_vectors norm[2];
};

static struct gpu_call
find_operands(const struct gpu *g, const struct call *c)
{
	const struct gpu_program *p = g->base.program;
	const int like = c->kind == CALL_NORM_REDUCE ? c->in[2]
	    : c->out[0] != MEMORY_PLAN_NONE          ? c->out[0]
						     : c->in[0];
	struct gpu_call k = { .like = NULL };

	for (int i = 0; i < CALL_IN; i++)
		k.in[i] = gpu_at(g, c->in[i]);
	for (int i = 0; i < CALL_OUT; i++)
		k.out[i] = gpu_at(g, c->out[i]);
	if (like != MEMORY_PLAN_NONE) {
		k.like = &p->tensors[like];
		k.channels = k.like->shape.c;
		k.rows = k.like->n / (size_t)k.channels;
	}
	for (int i = 0; i < 2 && c->norm[0] >= 0; i++)
		k.norm[i] = gpu_vectors(g, c->norm[c->norm[i] >= 0 ? i : 0]);
	return k;
}

static struct pool_window
pool_window(const struct gpu *g, const struct call *c, int input)
{
	const struct shape in = g->base.program->tensors[input].shape;
	const struct node *n = c->node;

	return (struct pool_window){ .batch = g->base.program->config.batch,
		.c = in.c,
		.h = in.h,
		.w = in.w,
		.p = n->out.h,
		.q = n->out.w,
		.kernel = n->kernel,
		.stride = n->stride,
		.pad = n->pad };
}

static void
run_norm_reduce(struct gpu *g, const struct call *c, const struct gpu_call *k)
{
	const struct gpu_program *p = g->base.program;
	struct norm_reduce r = { .dy = k->in[0],
		.dy2 = k->in[1],
		.x = k->in[2],
		.y = k->in[3],
		.x2 = k->in[4],
		.out = k->out[0],
		.first = &k->norm[0],
		.second = &k->norm[1],
		.relu = c->relu };

	for (int i = 0; i < 2; i++) {
		const int norm = c->norm[c->norm[i] >= 0 ? i : 0];
		const struct node *n = p->norms[norm].node;

		r.gamma[i] = gpu_param(g, AREA_GRADS, n->weight);
		r.beta[i] = gpu_param(g, AREA_GRADS, n->bias);
	}
	kernel_norm_reduce(
	    g->stream, p->config.type, &r, k->rows, k->channels, g->scratch);
}

static void
run_norm_back(
    struct gpu *g, const struct call *c, const struct gpu_call *k, int train)
{
	const struct gpu_program *p = g->base.program;
	struct norm_back both[2];

	for (int i = 0; i < 2 && c->norm[i] >= 0; i++) {
		const struct node *n = p->norms[c->norm[i]].node;

		both[i] = (struct norm_back){ .x = k->in[1 + i],
			.dx = k->out[i],
			.v = k->norm[i],
			.gamma_grad = gpu_param(g, AREA_GRADS, n->weight),
			.beta_grad = gpu_param(g, AREA_GRADS, n->bias) };
	}
	kernel_norm_back(g->stream, p->config.type, k->in[0], &both[0],
	    c->norm[1] >= 0 ? &both[1] : NULL, train, k->rows, k->channels);
}

static void
run_pool(struct gpu *g, const struct call *c, const struct gpu_call *k)
{
	const int back =
	    c->kind == CALL_MAXPOOL_BACK || c->kind == CALL_AVGPOOL_BACK;
	const struct pool_window w =
	    pool_window(g, c, back ? c->out[0] : c->in[0]);
	const struct pool_gradient from = { k->in[0], k->in[2], k->in[1] };
	const enum dtype t = g->base.program->config.type;
	const float *shift = k->norm[0].shift;

	if (c->before != NULL)
		shift = gpu_param(g, AREA_PARAMS, c->before->bias);
	if (c->kind == CALL_MAXPOOL)
		kernel_maxpool(g->stream, t, k->in[0], k->norm[0].scale, shift,
		    &w, k->out[0], k->out[1]);
	else if (c->kind == CALL_MAXPOOL_BACK)
		kernel_maxpool_back(g->stream, t, &from, &w, k->out[0]);
	else if (c->kind == CALL_AVGPOOL)
		kernel_avgpool(g->stream, t, k->in[0], &w, k->out[0]);
	else
		kernel_avgpool_back(g->stream, t, k->in[0], &w, k->out[0]);
}

static void
run_own(struct gpu *g, const struct call *c, int train)
{
	const struct gpu_call k = find_operands(g, c);
	const struct gpu_program *p = g->base.program;
	const struct device_config *config = g->base.config;
	const struct node *n = c->node;
	const struct shape shape = k.like != NULL ? k.like->shape : n->out;
	const enum dtype t = p->config.type;
	cudaStream_t s = g->stream;

	switch (c->kind) {
	case CALL_BIAS:
		kernel_bias(s, t, k.out[0],
		    gpu_param(g, AREA_PARAMS, c->node->bias), k.rows,
		    k.channels, c->relu);
		break;
	case CALL_BIAS_GRAD:
		kernel_bias_grad(s, t, k.in[0], k.in[1], k.rows, k.channels,
		    g->scratch, gpu_param(g, AREA_GRADS, c->node->bias),
		    k.out[0]);
		break;
	case CALL_NORM_SUMS:
		if (train)
			kernel_norm_sums(s, t, k.in[0], k.rows, k.channels,
			    g->scratch, &k.norm[0]);
		break;
	case CALL_NORM_FINISH:
		kernel_norm_finish(s, train, n->out.c, &k.norm[0]);
		break;
	case CALL_NORM_APPLY:
		kernel_norm_apply(s, t, k.in[0], &k.norm[0], k.in[1],
		    c->norm[1] >= 0 ? &k.norm[1] : NULL, train, k.rows,
		    k.channels, c->relu, k.out[0]);
		break;
	case CALL_NORM_REDUCE:
		run_norm_reduce(g, c, &k);
		break;
	case CALL_NORM_BACK:
		run_norm_back(g, c, &k, train);
		break;
	case CALL_SUM:
		kernel_sum(
		    s, t, k.in[0], k.in[1], k.like->n, c->relu, k.out[0]);
		break;
	case CALL_RELU_BACK:
		kernel_relu_back(s, t, k.in[0], k.in[1], k.like->n, k.out[0]);
		break;
	case CALL_DROPOUT:
	case CALL_DROPOUT_BACK:
		kernel_dropout(s, t, k.in[0], train, (float)n->p, config->seed,
		    RNG_STREAM_DROPOUT + (uint32_t)(n - p->graph->nodes),
		    &g->numbers->step,
		    (uint64_t)config->first_image * shape_size(shape),
		    config->batch, shape.c, shape.h * shape.w, k.out[0]);
		break;
	case CALL_WEIGHT_OUT:
		kernel_weight_out(s, t, g->pieces + c->first, c->n_pieces,
		    g->work_grad, g->areas[AREA_GRADS]);
		break;
	default:
		run_pool(g, c, &k);
	}
}

int
gpu_run(struct executor *m, const struct call *c, enum device_mode mode,
    struct error *e)
{
	struct gpu *g = gpu(m);

	if (call_is_conv(c))
		return gpu_execute(
		    g, c, &g->prepared[c - m->program->calls], e);
	run_own(g, c, mode == MODE_TRAIN);
	return gpu_check(cudaGetLastError(), call_kind_name(c->kind), e);
}
