/* Run the calls of a program on a GPU: convolutions by cuDNN, the rest by our
 * own kernels, all in one stream. */
#include <config.h>

#include "trainer/base/rng.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

static float *
running_statistics(const struct gpu *g, int buffer)
{
	return g->areas[AREA_BUFFERS] +
	    g->base.program->graph->buffers[buffer].offset;
}

static size_t
rows_of(const struct gpu *g, int tensor)
{
	const struct tensor *t = &g->base.program->tensors[tensor];

	return t->n / (size_t)t->shape.c;
}

static int
channels_of(const struct gpu *g, int tensor)
{
	return g->base.program->tensors[tensor].shape.c;
}

static enum dtype
type_of(const struct gpu *g)
{
	return g->base.program->config.type;
}

static struct pool_window
call_window(const struct gpu *g, const struct call *c, int input)
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
run_bias(struct gpu *g, const struct call *c, int train)
{
	(void)train;
	kernel_bias(g->stream, type_of(g), gpu_at(g, c->out[0]),
	    gpu_param(g, AREA_PARAMS, c->node->bias), rows_of(g, c->out[0]),
	    channels_of(g, c->out[0]), c->relu);
}

static void
run_bias_grad(struct gpu *g, const struct call *c, int train)
{
	(void)train;
	kernel_bias_grad(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), rows_of(g, c->in[0]), channels_of(g, c->in[0]),
	    g->scratch, gpu_param(g, AREA_GRADS, c->node->bias),
	    gpu_at(g, c->out[0]));
}

static void
run_norm_sums(struct gpu *g, const struct call *c, int train)
{
	const struct norm_vectors v = gpu_vectors(g, c->norm[0]);

	if (train)
		kernel_norm_sums(g->stream, type_of(g), gpu_at(g, c->in[0]),
		    rows_of(g, c->in[0]), channels_of(g, c->in[0]), g->scratch,
		    &v);
}

static void
run_norm_finish(struct gpu *g, const struct call *c, int train)
{
	const struct norm_vectors v = gpu_vectors(g, c->norm[0]);
	const struct node *n = c->node;

	kernel_norm_finish(g->stream, train,
	    g->base.program->norms[c->norm[0]].count, n->out.c,
	    gpu_param(g, AREA_PARAMS, n->weight),
	    gpu_param(g, AREA_PARAMS, n->bias), running_statistics(g, n->mean),
	    running_statistics(g, n->var), &v);
}

static void
run_norm_apply(struct gpu *g, const struct call *c, int train)
{
	struct norm_vectors v[2];

	(void)train;
	for (int k = 0; k < 2; k++)
		v[k] =
		    gpu_vectors(g, c->norm[k] >= 0 ? c->norm[k] : c->norm[0]);
	kernel_norm_apply(g->stream, type_of(g), gpu_at(g, c->in[0]), &v[0],
	    gpu_at(g, c->in[1]), c->norm[1] >= 0 ? &v[1] : NULL,
	    rows_of(g, c->out[0]), channels_of(g, c->out[0]), c->relu,
	    gpu_at(g, c->out[0]));
}

static void
run_norm_reduce(struct gpu *g, const struct call *c, int train)
{
	struct norm_vectors v[2];
	struct norm_reduce r = { .dy = gpu_at(g, c->in[0]),
		.dy2 = gpu_at(g, c->in[1]),
		.x = gpu_at(g, c->in[2]),
		.y = gpu_at(g, c->in[3]),
		.x2 = gpu_at(g, c->in[4]),
		.out = gpu_at(g, c->out[0]),
		.relu = c->relu };

	(void)train;
	for (int k = 0; k < 2; k++) {
		const int norm = c->norm[k] >= 0 ? c->norm[k] : c->norm[0];
		const struct node *n = g->base.program->norms[norm].node;

		v[k] = gpu_vectors(g, norm);
		r.gamma[k] = gpu_param(g, AREA_GRADS, n->weight);
		r.beta[k] = gpu_param(g, AREA_GRADS, n->bias);
	}
	r.first = &v[0];
	r.second = &v[1];
	kernel_norm_reduce(g->stream, type_of(g), &r, rows_of(g, c->in[2]),
	    channels_of(g, c->in[2]), g->scratch);
}

/* Gradient dx of normalisation norm's input x. */
static struct norm_back
norm_of(const struct gpu *g, int norm, int x, int dx)
{
	const struct node *n = g->base.program->norms[norm].node;

	return (struct norm_back){ .x = gpu_at(g, x),
		.dx = gpu_at(g, dx),
		.v = gpu_vectors(g, norm),
		.gamma = gpu_param(g, AREA_PARAMS, n->weight),
		.gamma_grad = gpu_param(g, AREA_GRADS, n->weight),
		.beta_grad = gpu_param(g, AREA_GRADS, n->bias) };
}

static void
run_norm_back(struct gpu *g, const struct call *c, int train)
{
	const int two = c->norm[1] >= 0;
	const struct norm_back first =
	    norm_of(g, c->norm[0], c->in[1], c->out[0]);
	const struct norm_back second =
	    two ? norm_of(g, c->norm[1], c->in[2], c->out[1]) : first;

	kernel_norm_back(g->stream, type_of(g), gpu_at(g, c->in[0]), &first,
	    two ? &second : NULL, train,
	    g->base.program->norms[c->norm[0]].count, rows_of(g, c->out[0]),
	    channels_of(g, c->out[0]));
}

static void
run_sum(struct gpu *g, const struct call *c, int train)
{
	(void)train;
	kernel_sum(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), g->base.program->tensors[c->out[0]].n, c->relu,
	    gpu_at(g, c->out[0]));
}

static void
run_relu_back(struct gpu *g, const struct call *c, int train)
{
	(void)train;
	kernel_relu_back(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), g->base.program->tensors[c->out[0]].n,
	    gpu_at(g, c->out[0]));
}

static void
run_maxpool(struct gpu *g, const struct call *c, int train)
{
	const struct pool_window w = call_window(g, c, c->in[0]);
	const float *scale = NULL, *shift = NULL;

	(void)train;
	if (c->norm[0] >= 0) {
		scale = gpu_vectors(g, c->norm[0]).scale;
		shift = gpu_vectors(g, c->norm[0]).shift;
	} else if (c->before != NULL) {
		shift = gpu_param(g, AREA_PARAMS, c->before->bias);
	}
	kernel_maxpool(g->stream, type_of(g), gpu_at(g, c->in[0]), scale, shift,
	    &w, gpu_at(g, c->out[0]), gpu_at(g, c->out[1]));
}

static void
run_maxpool_back(struct gpu *g, const struct call *c, int train)
{
	const struct pool_window w = call_window(g, c, c->out[0]);
	const struct pool_gradient from = { .dy = gpu_at(g, c->in[0]),
		.dy2 = gpu_at(g, c->in[2]),
		.places = gpu_at(g, c->in[1]) };

	(void)train;
	kernel_maxpool_back(
	    g->stream, type_of(g), &from, &w, gpu_at(g, c->out[0]));
}

static void
run_avgpool(struct gpu *g, const struct call *c, int train)
{
	const int back = c->kind == CALL_AVGPOOL_BACK;
	const struct pool_window w =
	    call_window(g, c, back ? c->out[0] : c->in[0]);

	(void)train;
	(back ? kernel_avgpool_back : kernel_avgpool)(g->stream, type_of(g),
	    gpu_at(g, c->in[0]), &w, gpu_at(g, c->out[0]));
}

static void
run_dropout(struct gpu *g, const struct call *c, int train)
{
	const struct gpu_program *p = g->base.program;
	const struct shape shape = p->tensors[c->out[0]].shape;
	const struct device_config *config = g->base.config;

	kernel_dropout(g->stream, type_of(g), gpu_at(g, c->in[0]), train,
	    (float)c->node->p, config->seed,
	    RNG_STREAM_DROPOUT + (uint32_t)(c->node - p->graph->nodes),
	    &g->numbers->step,
	    (uint64_t)config->first_image * shape_size(shape), config->batch,
	    shape.c, shape.h * shape.w, gpu_at(g, c->out[0]));
}

static void
run_weight_out(struct gpu *g, const struct call *c, int train)
{
	(void)train;
	kernel_weight_out(g->stream, type_of(g), g->pieces + c->first,
	    c->n_pieces, g->work_grad, g->areas[AREA_GRADS]);
}

static void (*const runners[N_CALL_KINDS])(
    struct gpu *, const struct call *, int train) = {
	[CALL_BIAS] = run_bias,
	[CALL_NORM_SUMS] = run_norm_sums,
	[CALL_NORM_FINISH] = run_norm_finish,
	[CALL_NORM_APPLY] = run_norm_apply,
	[CALL_SUM] = run_sum,
	[CALL_MAXPOOL] = run_maxpool,
	[CALL_AVGPOOL] = run_avgpool,
	[CALL_DROPOUT] = run_dropout,
	[CALL_WEIGHT_OUT] = run_weight_out,
	[CALL_BIAS_GRAD] = run_bias_grad,
	[CALL_NORM_REDUCE] = run_norm_reduce,
	[CALL_NORM_BACK] = run_norm_back,
	[CALL_RELU_BACK] = run_relu_back,
	[CALL_MAXPOOL_BACK] = run_maxpool_back,
	[CALL_AVGPOOL_BACK] = run_avgpool,
	[CALL_DROPOUT_BACK] = run_dropout,
};

int
gpu_run(struct executor *m, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	struct gpu *g = gpu(m);

	if (call_is_conv(c))
		return gpu_execute(
		    g, c, &g->prepared[c - m->program->calls], e);
	runners[c->kind](g, c, s->mode == MODE_TRAIN);
	return gpu_check(cudaGetLastError(), call_kind_name(c->kind), e);
}
