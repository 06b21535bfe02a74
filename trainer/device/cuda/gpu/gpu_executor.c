/* A GPU as an executor: cuDNN for convolutions, kernels.cu for the rest, all in
 * one stream, but for images on their way to it. */
#include <config.h>

#include "trainer/device/cuda/gpu/gpu_internal.h"

#include <stdlib.h>
#include <string.h>

#include "trainer/base/rng.h"

static float *
running_statistics(const struct gpu *g, int buffer)
{
	size_t offset = 0;

	for (int i = 0; i < buffer; i++)
		offset += g->base.program->graph->buffers[i].n;
	return g->areas[AREA_BUFFERS] + offset;
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

/* --- the other calls ----------------------------------------------------- */

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

static int
run_bias(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	(void)s;
	(void)e;
	kernel_bias(g->stream, type_of(g), gpu_at(g, c->out[0]),
	    gpu_param(g, AREA_PARAMS, c->node->bias), rows_of(g, c->out[0]),
	    channels_of(g, c->out[0]), c->relu);
	return 0;
}

static int
run_bias_grad(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	(void)s;
	(void)e;
	kernel_bias_grad(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), rows_of(g, c->in[0]), channels_of(g, c->in[0]),
	    g->scratch, gpu_param(g, AREA_GRADS, c->node->bias),
	    gpu_at(g, c->out[0]));
	return 0;
}

static int
run_norm_sums(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	const struct norm_vectors v = gpu_vectors(g, c->norm[0]);

	(void)e;
	if (s->mode == MODE_TRAIN)
		kernel_norm_sums(g->stream, type_of(g), gpu_at(g, c->in[0]),
		    rows_of(g, c->in[0]), channels_of(g, c->in[0]), g->scratch,
		    &v);
	return 0;
}

static int
run_norm_finish(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	const struct norm_vectors v = gpu_vectors(g, c->norm[0]);
	const struct node *n = c->node;

	(void)e;
	kernel_norm_finish(g->stream, s->mode == MODE_TRAIN,
	    g->base.program->norms[c->norm[0]].count, n->out.c,
	    gpu_param(g, AREA_PARAMS, n->weight),
	    gpu_param(g, AREA_PARAMS, n->bias), running_statistics(g, n->mean),
	    running_statistics(g, n->var), &v);
	return 0;
}

static int
run_norm_apply(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	struct norm_vectors v[2];

	(void)s;
	(void)e;
	for (int k = 0; k < 2; k++)
		v[k] =
		    gpu_vectors(g, c->norm[k] >= 0 ? c->norm[k] : c->norm[0]);
	kernel_norm_apply(g->stream, type_of(g), gpu_at(g, c->in[0]), &v[0],
	    gpu_at(g, c->in[1]), c->norm[1] >= 0 ? &v[1] : NULL,
	    rows_of(g, c->out[0]), channels_of(g, c->out[0]), c->relu,
	    gpu_at(g, c->out[0]));
	return 0;
}

static int
run_norm_reduce(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	struct norm_vectors v[2];
	struct norm_reduce r = { .dy = gpu_at(g, c->in[0]),
		.dy2 = gpu_at(g, c->in[1]),
		.x = gpu_at(g, c->in[2]),
		.y = gpu_at(g, c->in[3]),
		.x2 = gpu_at(g, c->in[4]),
		.out = gpu_at(g, c->out[0]),
		.relu = c->relu };

	(void)s;
	(void)e;
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
	return 0;
}

/* A normalisation, the input x of which gets the gradient dx. */
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

static int
run_norm_back(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	const int two = c->norm[1] >= 0;
	const struct norm_back first =
	    norm_of(g, c->norm[0], c->in[1], c->out[0]);
	const struct norm_back second =
	    two ? norm_of(g, c->norm[1], c->in[2], c->out[1]) : first;

	(void)e;
	kernel_norm_back(g->stream, type_of(g), gpu_at(g, c->in[0]), &first,
	    two ? &second : NULL, s->mode == MODE_TRAIN,
	    g->base.program->norms[c->norm[0]].count, rows_of(g, c->out[0]),
	    channels_of(g, c->out[0]));
	return 0;
}

static int
run_sum(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	(void)s;
	(void)e;
	kernel_sum(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), g->base.program->tensors[c->out[0]].n, c->relu,
	    gpu_at(g, c->out[0]));
	return 0;
}

static int
run_relu_back(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	(void)s;
	(void)e;
	kernel_relu_back(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    gpu_at(g, c->in[1]), g->base.program->tensors[c->out[0]].n,
	    gpu_at(g, c->out[0]));
	return 0;
}

static int
run_maxpool(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	const struct pool_window w = call_window(g, c, c->in[0]);
	const float *scale = NULL, *shift = NULL;

	(void)s;
	(void)e;
	if (c->norm[0] >= 0) {
		scale = gpu_vectors(g, c->norm[0]).scale;
		shift = gpu_vectors(g, c->norm[0]).shift;
	} else if (c->before != NULL) {
		shift = gpu_param(g, AREA_PARAMS, c->before->bias);
	}
	kernel_maxpool(g->stream, type_of(g), gpu_at(g, c->in[0]), scale, shift,
	    &w, gpu_at(g, c->out[0]), gpu_at(g, c->out[1]));
	return 0;
}

static int
run_maxpool_back(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	const int reduces = c->kind == CALL_MAXPOOL_REDUCE;
	const struct pool_window w =
	    call_window(g, c, reduces ? c->in[3] : c->out[0]);
	const struct pool_gradient from = { .dy = gpu_at(g, c->in[0]),
		.dy2 = gpu_at(g, c->in[2]),
		.places = gpu_at(g, c->in[1]) };
	const enum dtype t = type_of(g);

	(void)e;
	if (c->norm[0] >= 0) {
		const struct norm *n = &g->base.program->norms[c->norm[0]];
		const struct norm_back to =
		    norm_of(g, c->norm[0], c->in[3], c->out[0]);

		if (reduces)
			kernel_maxpool_reduce(g->stream, t, &from, &w, to.x,
			    gpu_at(g, c->in[4]), &to.v, g->scratch,
			    gpu_param(g, AREA_GRADS, n->node->weight),
			    gpu_param(g, AREA_GRADS, n->node->bias));
		else
			kernel_maxpool_norm_back(g->stream, t, &from, &w, &to,
			    s->mode == MODE_TRAIN, n->count);
	} else if (c->before != NULL) {
		kernel_maxpool_bias_grad(g->stream, t, &from, &w, g->scratch,
		    gpu_param(g, AREA_GRADS, c->before->bias),
		    gpu_at(g, c->out[0]));
	} else {
		kernel_maxpool_back(
		    g->stream, t, &from, &w, gpu_at(g, c->out[0]));
	}
	return 0;
}

static int
run_avgpool(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	const int back = c->kind == CALL_AVGPOOL_BACK;
	const struct pool_window w =
	    call_window(g, c, back ? c->out[0] : c->in[0]);

	(void)s;
	(void)e;
	(back ? kernel_avgpool_back : kernel_avgpool)(g->stream, type_of(g),
	    gpu_at(g, c->in[0]), &w, gpu_at(g, c->out[0]));
	return 0;
}

static int
run_dropout(struct gpu *g, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const struct shape shape = p->tensors[c->out[0]].shape;
	const struct device_config *config = g->base.config;

	(void)e;
	kernel_dropout(g->stream, type_of(g), gpu_at(g, c->in[0]),
	    s->mode == MODE_TRAIN, (float)c->node->p, config->seed,
	    RNG_STREAM_DROPOUT + (uint32_t)(c->node - p->graph->nodes),
	    &g->numbers->step,
	    (uint64_t)config->first_image * shape_size(shape), config->batch,
	    shape.c, shape.h * shape.w, gpu_at(g, c->out[0]));
	return 0;
}

static int
run_weight_out(struct gpu *g, const struct call *c,
    const struct executor_step *s, struct error *e)
{
	(void)s;
	(void)e;
	kernel_weight_out(g->stream, type_of(g), g->pieces + c->first,
	    c->n_pieces, g->work_grad, g->areas[AREA_GRADS]);
	return 0;
}

static int (*const runners[N_CALL_KINDS])(struct gpu *, const struct call *,
    const struct executor_step *, struct error *) = {
	[CALL_CONV] = gpu_run_conv,
	[CALL_BIAS] = run_bias,
	[CALL_NORM_SUMS] = run_norm_sums,
	[CALL_NORM_FINISH] = run_norm_finish,
	[CALL_NORM_APPLY] = run_norm_apply,
	[CALL_SUM] = run_sum,
	[CALL_MAXPOOL] = run_maxpool,
	[CALL_AVGPOOL] = run_avgpool,
	[CALL_DROPOUT] = run_dropout,
	[CALL_CONV_DATA] = gpu_run_conv,
	[CALL_CONV_WEIGHT] = gpu_run_conv,
	[CALL_WEIGHT_OUT] = run_weight_out,
	[CALL_BIAS_GRAD] = run_bias_grad,
	[CALL_NORM_REDUCE] = run_norm_reduce,
	[CALL_NORM_BACK] = run_norm_back,
	[CALL_RELU_BACK] = run_relu_back,
	[CALL_MAXPOOL_BACK] = run_maxpool_back,
	[CALL_MAXPOOL_REDUCE] = run_maxpool_back,
	[CALL_MAXPOOL_NORM_BACK] = run_maxpool_back,
	[CALL_AVGPOOL_BACK] = run_avgpool,
	[CALL_DROPOUT_BACK] = run_dropout,
};

static int
gpu_run(struct executor *m, const struct call *c, const struct executor_step *s,
    struct error *e)
{
	if (runners[c->kind](gpu(m), c, s, e) != 0)
		return -1;
	return gpu_check(cudaGetLastError(), call_kind_name(c->kind), e);
}

/* --- memory -------------------------------------------------------------- */

static int
gpu_sync(struct executor *m, struct error *e)
{
	return gpu_check(cudaStreamSynchronize(gpu(m)->stream), "wait", e);
}

static int
gpu_read(struct executor *m, enum area a, size_t offset, size_t n, float *out,
    struct error *e)
{
	return gpu_copy_back(
	    gpu(m), out, gpu(m)->areas[a] + offset, n * sizeof *out, e);
}

static int
gpu_write(struct executor *m, enum area a, size_t offset, size_t n,
    const float *in, struct error *e)
{
	return gpu_copy_in(
	    gpu(m), gpu(m)->areas[a] + offset, in, n * sizeof *in, e);
}

static int
gpu_read_tensor(struct executor *m, int tensor, void *out, struct error *e)
{
	const struct tensor *t = &m->program->tensors[tensor];

	return gpu_copy_back(
	    gpu(m), out, gpu_at(gpu(m), tensor), t->n * dtype_size(t->type), e);
}

static int
gpu_write_tensor(
    struct executor *m, int tensor, const void *in, struct error *e)
{
	const struct tensor *t = &m->program->tensors[tensor];

	return gpu_copy_in(
	    gpu(m), gpu_at(gpu(m), tensor), in, t->n * dtype_size(t->type), e);
}

static int
gpu_scale(struct executor *m, double *out, struct error *e)
{
	struct loss_scale s;

	if (gpu_copy_back(gpu(m), &s, gpu(m)->scale, sizeof s, e) != 0)
		return -1;
	*out = (double)s.used;
	return 0;
}

static int
gpu_scaling(
    struct executor *m, struct loss_scaling *own, int set, struct error *e)
{
	struct loss_scale s;

	if (gpu_copy_back(gpu(m), &s, gpu(m)->scale, sizeof s, e) != 0)
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
	return gpu_copy_in(gpu(m), gpu(m)->scale, &s, sizeof s, e);
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
		    (double)p.totalGlobalMem / 1073741824, cudnnGetVersion(),
		    (double)g->workspace_bytes / 1048576);
}

static void *
gpu_stream(struct executor *m)
{
	return gpu(m)->stream;
}

void
gpu_close(struct executor *m)
{
	struct gpu *g = gpu(m);
	void *const memory[] = { g->vectors, g->half_vectors, g->work,
		g->work_grad, g->block, g->workspace, g->scratch, g->numbers,
		g->scale, g->losses, g->found, g->pieces, g->flush };

	if (g->stream != NULL)
		(void)cudaStreamSynchronize(g->stream);
	gpu_release_convs(g);
	for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
		(void)cudaFree(memory[i]);
	for (int i = 0; i < N_AREAS; i++)
		(void)cudaFree(g->areas[i]);
	for (int i = 0; i <= DEVICE_RESULTS; i++)
		if (g->ticks[i] != NULL)
			(void)cudaEventDestroy(g->ticks[i]);
	gpu_forget(m);
	gpu_close_slots(g);
	if (g->stream != NULL)
		(void)cudaStreamDestroy(g->stream);
	free(g);
}

static int
gpu_compress(struct executor *m, const struct device_compression *c, int back,
    struct error *e)
{
	const struct gpu *g = gpu(m);
	float *grads = g->areas[AREA_GRADS] + c->offset;

	if (back)
		kernel_decompress(c->stream, c->type, c->half, c->n, grads);
	else
		kernel_compress(
		    c->stream, c->type, grads, c->n, c->scale, c->half);
	return gpu_check(cudaGetLastError(), "compression of gradients", e);
}

const struct executor_ops gpu_ops = {
	.name = "cuda",
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
	.tick = gpu_tick,
	.between_ticks = gpu_between_ticks,
	.phases = gpu_phases,
	.refresh = gpu_refresh,
	.sync = gpu_sync,
	.read = gpu_read,
	.write = gpu_write,
	.read_tensor = gpu_read_tensor,
	.write_tensor = gpu_write_tensor,
	.scale = gpu_scale,
	.scaling = gpu_scaling,
	.describe = gpu_describe,
	.stream = gpu_stream,
	.compress = gpu_compress,
	.close = gpu_close,
};
