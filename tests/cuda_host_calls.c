#include <config.h>

#include "tests/cuda_host_calls.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"
#include "trainer/base/rng.h"

#if defined _OPENMP && !defined __clang__
#define SIMD_SUM _Pragma("omp simd reduction(+ : sum)")
#else
#define SIMD_SUM
#endif

/* --- where things are ---------------------------------------------------- */

float *
host_at(const struct host *h, int tensor)
{
	const struct gpu_program *p = h->base.program;
	const size_t size = p->config.type == DTYPE_FP32 ? 4 : 2;

	assert(tensor != MEMORY_PLAN_NONE);
	return h->block + p->memory.buffers[tensor].offset / size;
}

void
host_put(const struct host *h, float *to, double x)
{
	const enum dtype t = h->base.program->config.type;

	*to = (float)x;
	if (t == DTYPE_FP16)
		*to = fp16_to_float(fp16_from_float(*to));
	else if (t == DTYPE_BF16)
		*to = bf16_to_float(bf16_from_float(*to));
}

static float *
vector(const struct host *h, int norm, enum norm_vector v)
{
	const struct norm *n = &h->base.program->norms[norm];

	return h->vectors + n->offset + v * n->stride;
}

static float *
param(const struct host *h, enum area a, int i)
{
	return h->areas[a] + h->base.program->graph->params[i].offset;
}

static float *
weight(const struct host *h, const struct call *c, int grad)
{
	const int i = c->node->weight;
	const struct program_weight *w = &h->base.program->weights[i];

	if (w->in_place)
		return param(h, grad ? AREA_GRADS : AREA_PARAMS, i);
	return (grad ? h->work_grad : h->work) + w->offset;
}

static int
batch_of(const struct host *h)
{
	return h->base.program->config.batch;
}

const struct tensor *
host_tensor_of(const struct host *h, int i)
{
	return &h->base.program->tensors[i];
}

/* norm(x) of element i of a tensor with c channels. */
static double
normed(const struct host *h, int norm, const float *x, size_t i, int c)
{
	const size_t k = i % (size_t)c;

	return (double)x[i] * vector(h, norm, NORM_SCALE)[k] +
	    vector(h, norm, NORM_SHIFT)[k];
}

/* The sum of two normalised operands, the second raw if norm[1] is -1. */
static double
block_value(const struct host *h, const struct call *c, const float *x,
    const float *z, size_t i, int channels)
{
	double y = normed(h, c->norm[0], x, i, channels);

	if (z != NULL)
		y += c->norm[1] >= 0 ? normed(h, c->norm[1], z, i, channels)
				     : z[i];
	return y;
}

/* --- convolutions -------------------------------------------------------- */

/* Called for each pair of an input pixel and an output pixel that a tap joins.
 * w is the tap's first weight; that of the next output channel is taps * c
 * further. */
typedef void (*tap_fn)(
    const struct conv_shape *s, float *x, float *w, double *y);

static void
each_tap(const struct host *h, const struct conv_shape *s, float *x, float *w,
    double *y, tap_fn fn)
{
	const int all = s->kernel * s->kernel;

	for (int i = 0; i < batch_of(h) * s->p * s->q; i++)
		for (int t = 0; t < all; t++) {
			const int row = i / s->q % s->p * s->stride - s->pad +
			    t / s->kernel;
			const int column =
			    i % s->q * s->stride - s->pad + t % s->kernel;
			const int image = i / (s->p * s->q);

			if (row < 0 || row >= s->h || column < 0 ||
			    column >= s->w)
				continue;
			fn(s,
			    x +
				(size_t)((image * s->h + row) * s->w + column) *
				    (size_t)s->c,
			    w + t * s->c, y + (size_t)i * (size_t)s->k);
		}
}

static void
tap_forward(const struct conv_shape *s, float *x, float *w, double *y)
{
	const int row = s->kernel * s->kernel * s->c;

	for (int k = 0; k < s->k; k++) {
		const float *v = w + k * row;
		float sum = 0;

		SIMD_SUM
		for (int c = 0; c < s->c; c++)
			sum += x[c] * v[c];
		y[k] += (double)sum;
	}
}

static void
tap_data(const struct conv_shape *s, float *x, float *w, double *y)
{
	const int row = s->kernel * s->kernel * s->c;

	for (int k = 0; k < s->k; k++) {
		const float *v = w + k * row, by = (float)y[k];

		SIMD_FOR
		for (int c = 0; c < s->c; c++)
			x[c] += by * v[c];
	}
}

static void
tap_weight(const struct conv_shape *s, float *x, float *w, double *y)
{
	const int row = s->kernel * s->kernel * s->c;

	for (int k = 0; k < s->k; k++) {
		const float by = (float)y[k];
		float *v = w + k * row;

		SIMD_FOR
		for (int c = 0; c < s->c; c++)
			v[c] += by * x[c];
	}
}

static size_t
conv_outputs(const struct host *h, const struct conv_shape *s)
{
	return (size_t)batch_of(h) * (size_t)(s->k * s->p) * (size_t)s->q;
}

static void
sum_up(const struct host *h, int norm, const float *x, size_t n, int channels)
{
	float *sums = vector(h, norm, NORM_SUM);
	float *squares = vector(h, norm, NORM_SQUARES);

	for (int c = 0; c < channels; c++) {
		double sum = 0, square = 0;

		for (size_t i = (size_t)c; i < n; i += (size_t)channels) {
			sum += x[i];
			square += (double)x[i] * x[i];
		}
		sums[c] = (float)sum;
		squares[c] = (float)square;
	}
}

static void
run_conv(struct host *h, const struct call *c, enum device_mode mode)
{
	const size_t n = conv_outputs(h, &c->conv);
	double *y = xcalloc(n, sizeof *y);
	float *out = host_at(h, c->out[0]);

	(void)mode;
	each_tap(
	    h, &c->conv, host_at(h, c->in[0]), weight(h, c, 0), y, tap_forward);
	for (size_t i = 0; i < n; i++)
		host_put(h, &out[i], y[i]);
	if (c->norm[0] >= 0)
		sum_up(h, c->norm[0], out, n, c->conv.k);
	free(y);
}

static void
norm_grads(const struct host *h, int norm, const float *dy, const float *x,
    size_t n, int channels)
{
	const struct node *node = h->base.program->norms[norm].node;
	const float *mean = vector(h, norm, NORM_MEAN);
	const float *invstd = vector(h, norm, NORM_INVSTD);

	for (int c = 0; c < channels; c++) {
		double gamma = 0, beta = 0;

		for (size_t i = (size_t)c; i < n; i += (size_t)channels) {
			gamma += (double)dy[i] * (x[i] - mean[c]) * invstd[c];
			beta += dy[i];
		}
		param(h, AREA_GRADS, node->weight)[c] = (float)gamma;
		param(h, AREA_GRADS, node->bias)[c] = (float)beta;
	}
}

static void
run_conv_data(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct conv_shape *v = &c->conv;
	const size_t n =
	    (size_t)batch_of(h) * (size_t)(v->c * v->h) * (size_t)v->w;
	const size_t outs = conv_outputs(h, v);
	const float *from = host_at(h, c->in[0]);
	float *dx = xcalloc(n, sizeof *dx), *out = host_at(h, c->out[0]);
	double *dy = xcalloc(outs, sizeof *dy);

	(void)mode;
	for (size_t i = 0; i < outs; i++)
		dy[i] = from[i];
	each_tap(h, v, dx, weight(h, c, 0), dy, tap_data);
	for (size_t i = 0; i < n; i++) {
		double x = dx[i];

		if (c->in[1] != MEMORY_PLAN_NONE)
			x += host_at(h, c->in[1])[i];
		if (c->norm[0] >= 0 &&
		    !(block_value(h, c, host_at(h, c->in[2]),
			  c->in[3] != MEMORY_PLAN_NONE ? host_at(h, c->in[3])
						       : NULL,
			  i, v->c) > 0))
			x = 0;
		host_put(h, &out[i], x);
	}
	if (c->norm[0] >= 0)
		norm_grads(h, c->norm[0], out, host_at(h, c->in[2]), n, v->c);
	free(dx);
	free(dy);
}

static void
run_conv_weight(struct host *h, const struct call *c, enum device_mode mode)
{
	const size_t n = conv_outputs(h, &c->conv);
	const size_t weights = (size_t)(c->conv.k * c->conv.c) *
	    (size_t)(c->conv.kernel * c->conv.kernel);
	const float *from = host_at(h, c->in[1]);
	double *dy = xcalloc(n, sizeof *dy);
	float *dw = weight(h, c, 1);

	(void)mode;
	for (size_t i = 0; i < n; i++)
		dy[i] = from[i];
	memset(dw, 0, weights * sizeof *dw);
	each_tap(h, &c->conv, host_at(h, c->in[0]), dw, dy, tap_weight);
	for (size_t i = 0; i < weights; i++)
		host_put(h, &dw[i], dw[i]);
	free(dy);
}

/* Copy rows of c channels, padded or not; padding is cleared or dropped. */
void
host_copy_weight(const struct host *h, int i, int out)
{
	const struct program_weight *w = &h->base.program->weights[i];
	float *plain = param(h, out ? AREA_GRADS : AREA_PARAMS, i);
	float *work = (out ? h->work_grad : h->work) + w->offset;

	for (size_t j = 0; j < (size_t)w->k * (size_t)w->taps; j++)
		for (int c = 0; c < w->c; c++) {
			float *x = &work[j * (size_t)w->c + (size_t)c];
			float *y = &plain[j * (size_t)w->channels + (size_t)c];

			if (out && c < w->channels)
				*y = *x;
			else if (!out)
				host_put(h, x, c < w->channels ? *y : 0);
		}
}

/* Copy out the gradients of the parameters that these pieces belong to. */
static void
run_weight_out(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct gpu_program *p = h->base.program;

	(void)mode;
	for (int k = c->first; k < c->first + c->n_pieces; k++)
		for (int i = 0; i < p->graph->n_params; i++)
			if (p->graph->params[i].offset == p->pieces[k].arena)
				host_copy_weight(h, i, 1);
}

static void
run_bias(struct host *h, const struct call *c, enum device_mode mode)
{
	const size_t n = host_tensor_of(h, c->out[0])->n;
	const size_t channels = (size_t)host_tensor_of(h, c->out[0])->shape.c;
	const float *bias = param(h, AREA_PARAMS, c->node->bias);
	float *x = host_at(h, c->in[0]);

	(void)mode;
	assert(c->in[0] == c->out[0]);
	for (size_t i = 0; i < n; i++) {
		const float y = x[i] + bias[i % channels];

		host_put(h, &x[i], c->relu && y < 0 ? 0 : y);
	}
}

static void
sum_bias(const struct host *h, const struct node *n, int tensor)
{
	const struct tensor *t = host_tensor_of(h, tensor);
	const float *dy = host_at(h, tensor);

	for (int k = 0; k < t->shape.c; k++) {
		double sum = 0;

		for (size_t i = (size_t)k; i < t->n; i += (size_t)t->shape.c)
			sum += dy[i];
		param(h, AREA_GRADS, n->bias)[k] = (float)sum;
	}
}

static void
run_relu_back(struct host *h, const struct call *c, enum device_mode mode)
{
	const size_t n = host_tensor_of(h, c->out[0])->n;

	(void)mode;
	for (size_t i = 0; i < n; i++)
		host_at(h, c->out[0])[i] =
		    host_at(h, c->in[1])[i] > 0 ? host_at(h, c->in[0])[i] : 0;
}

static void
run_bias_grad(struct host *h, const struct call *c, enum device_mode mode)
{
	const int masks = c->out[0] != MEMORY_PLAN_NONE;

	if (masks)
		run_relu_back(h, c, mode);
	sum_bias(h, c->node, masks ? c->out[0] : c->in[0]);
}

/* --- normalisation ------------------------------------------------------- */

static void
run_norm_sums(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct tensor *t = host_tensor_of(h, c->in[0]);

	if (mode == MODE_TRAIN)
		sum_up(h, c->norm[0], host_at(h, c->in[0]), t->n, t->shape.c);
}

static float *
running(const struct host *h, int buffer)
{
	size_t offset = 0;

	for (int i = 0; i < buffer; i++)
		offset += h->base.program->graph->buffers[i].n;
	return h->areas[AREA_BUFFERS] + offset;
}

static void
finish_norm(struct host *h, int norm, enum device_mode mode)
{
	const struct norm *v = &h->base.program->norms[norm];
	const struct node *n = v->node;
	float *mean = running(h, n->mean), *var = running(h, n->var);

	for (int k = 0; k < n->out.c; k++) {
		double m = mean[k], d = var[k], invstd, scale;

		if (mode == MODE_TRAIN) {
			m = vector(h, norm, NORM_SUM)[k] / v->count;
			d = vector(h, norm, NORM_SQUARES)[k] / v->count - m * m;
			d = d > 0 ? d : 0;
			mean[k] = (float)(0.9 * mean[k] + 0.1 * m);
			var[k] = (float)(0.9 * var[k] +
			    0.1 * d * v->count / (v->count - 1));
		}
		invstd = 1 / sqrt(d + 1e-5);
		scale = param(h, AREA_PARAMS, n->weight)[k] * invstd;
		vector(h, norm, NORM_MEAN)[k] = (float)m;
		vector(h, norm, NORM_INVSTD)[k] = (float)invstd;
		vector(h, norm, NORM_SCALE)[k] = (float)scale;
		vector(h, norm, NORM_SHIFT)[k] =
		    (float)(param(h, AREA_PARAMS, n->bias)[k] - m * scale);
	}
}

static void
run_norm_finish(struct host *h, const struct call *c, enum device_mode mode)
{
	finish_norm(h, c->norm[0], mode);
}

static void
run_norm_apply(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct tensor *t = host_tensor_of(h, c->out[0]);
	const float *z =
	    c->in[1] != MEMORY_PLAN_NONE ? host_at(h, c->in[1]) : NULL;

	for (int k = 0; k < CALL_NORMS && c->norm[k] >= 0; k++)
		finish_norm(h, c->norm[k], mode);
	for (size_t i = 0; i < t->n; i++) {
		const double y =
		    block_value(h, c, host_at(h, c->in[0]), z, i, t->shape.c);

		host_put(
		    h, &host_at(h, c->out[0])[i], c->relu && y < 0 ? 0 : y);
	}
}

static void
run_norm_reduce(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct tensor *t = host_tensor_of(h, c->in[2]);
	float *dy = host_at(h, c->in[0]);

	(void)mode;
	for (size_t i = 0; c->out[0] != MEMORY_PLAN_NONE && i < t->n; i++) {
		double x = dy[i];
		const double y = c->in[3] != MEMORY_PLAN_NONE
		    ? host_at(h, c->in[3])[i]
		    : normed(
			  h, c->norm[0], host_at(h, c->in[2]), i, t->shape.c);

		if (c->in[1] != MEMORY_PLAN_NONE)
			x += host_at(h, c->in[1])[i];
		host_put(
		    h, &host_at(h, c->out[0])[i], c->relu && !(y > 0) ? 0 : x);
	}
	if (c->out[0] != MEMORY_PLAN_NONE)
		dy = host_at(h, c->out[0]);
	norm_grads(h, c->norm[0], dy, host_at(h, c->in[2]), t->n, t->shape.c);
	if (c->norm[1] >= 0)
		norm_grads(
		    h, c->norm[1], dy, host_at(h, c->in[4]), t->n, t->shape.c);
}

/* The gradient of norm's input x from dy, both with the size of tensor out. */
static void
norm_back(const struct host *h, enum device_mode mode, int norm,
    const float *dy, const float *x, int out)
{
	const struct tensor *t = host_tensor_of(h, out);
	const struct norm *v = &h->base.program->norms[norm];

	for (size_t i = 0; i < t->n; i++) {
		const size_t k = i % (size_t)t->shape.c;
		const double invstd = vector(h, norm, NORM_INVSTD)[k];
		const double xhat =
		    (x[i] - vector(h, norm, NORM_MEAN)[k]) * invstd;
		double d = dy[i];

		if (mode == MODE_TRAIN)
			d -= (param(h, AREA_GRADS, v->node->bias)[k] +
				 xhat *
				     param(h, AREA_GRADS, v->node->weight)[k]) /
			    v->count;
		host_put(h, &host_at(h, out)[i],
		    d * invstd * param(h, AREA_PARAMS, v->node->weight)[k]);
	}
}

static void
run_norm_back(struct host *h, const struct call *c, enum device_mode mode)
{
	for (int k = 0; k < 2; k++)
		if (c->norm[k] >= 0)
			norm_back(h, mode, c->norm[k], host_at(h, c->in[0]),
			    host_at(h, c->in[1 + k]), c->out[k]);
}

/* --- the rest ------------------------------------------------------------ */

static void
run_sum(struct host *h, const struct call *c, enum device_mode mode)
{
	const size_t n = host_tensor_of(h, c->out[0])->n;

	(void)mode;
	for (size_t i = 0; i < n; i++) {
		double x = host_at(h, c->in[0])[i];

		if (c->in[1] != MEMORY_PLAN_NONE)
			x += host_at(h, c->in[1])[i];
		host_put(
		    h, &host_at(h, c->out[0])[i], c->relu && x < 0 ? 0 : x);
	}
}

/* Element i of a pooling's input, after the fused operations. */
static double
pool_input(const struct host *h, const struct call *c, size_t i, int channels)
{
	const float *x = host_at(h, c->in[0]);
	float rounded;
	double y = x[i];

	if (c->norm[0] >= 0)
		y = normed(h, c->norm[0], x, i, channels);
	else if (c->before != NULL)
		y += param(
		    h, AREA_PARAMS, c->before->bias)[i % (size_t)channels];
	else
		return y;
	host_put(h, &rounded, y > 0 ? y : 0);
	return rounded;
}

/* Positions in a window are numbered row by row. */
static void
run_maxpool(struct host *h, const struct call *c, enum device_mode mode)
{
	const int fused = c->norm[0] >= 0 || c->before != NULL;
	const struct node *n = c->node;
	const struct shape in = host_tensor_of(h, c->in[0])->shape,
			   out = n->out;
	unsigned char *places = (unsigned char *)host_at(h, c->out[1]);

	(void)mode;
	for (int i = 0; i < batch_of(h) * (int)shape_size(out); i++) {
		const int k = i % out.c, q = i / out.c % out.w;
		const int p = i / out.c / out.w % out.h;
		const int image = i / (int)shape_size(out);
		double best = -INFINITY;

		for (int t = 0; t < n->kernel * n->kernel; t++) {
			const int row = p * n->stride - n->pad + t / n->kernel;
			const int column =
			    q * n->stride - n->pad + t % n->kernel;
			double v;

			if (row < 0 || row >= in.h || column < 0 ||
			    column >= in.w)
				continue;
			v = pool_input(h, c,
			    (size_t)(((image * in.h + row) * in.w + column) *
				    in.c +
				k),
			    in.c);
			if (v > best || best == -INFINITY) {
				best = v;
				places[i] = (unsigned char)t;
			}
		}
		if (fused && best <= 0)
			places[i] = 255;
		host_at(h, c->out[0])[i] = (float)best;
	}
}

/* The gradient of a pooling's input, as tensor `like`. The caller frees it. */
static float *
pooled(const struct host *h, const struct call *c, int like)
{
	const struct node *n = c->node;
	const struct tensor *to = host_tensor_of(h, like);
	const struct shape in = to->shape, out = n->out;
	const unsigned char *places = (unsigned char *)host_at(h, c->in[1]);
	float *dx = xcalloc(to->n, sizeof *dx);

	for (int i = 0; i < batch_of(h) * (int)shape_size(out); i++) {
		const int q = i / out.c % out.w, p = i / out.c / out.w % out.h;
		const int image = i / (int)shape_size(out);
		const int row = p * n->stride - n->pad + places[i] / n->kernel;
		const int column =
		    q * n->stride - n->pad + places[i] % n->kernel;
		float d = host_at(h, c->in[0])[i];

		if (places[i] == 255)
			continue;
		if (c->in[2] != MEMORY_PLAN_NONE)
			d += host_at(h, c->in[2])[i];
		dx[((image * in.h + row) * in.w + column) * in.c + i % out.c] +=
		    d;
	}
	return dx;
}

static void
run_maxpool_back(struct host *h, const struct call *c, enum device_mode mode)
{
	float *dx = pooled(h, c, c->out[0]);

	(void)mode;
	for (size_t i = 0; i < host_tensor_of(h, c->out[0])->n; i++)
		host_put(h, &host_at(h, c->out[0])[i], dx[i]);
	free(dx);
}

/* Window of output pixel p along a side, as in torch's adaptive pooling. */
static int
window_from(int p, int in, int out)
{
	return p * in / out;
}

static int
window_to(int p, int in, int out)
{
	return ((p + 1) * in + out - 1) / out;
}

static void
run_avgpool(struct host *h, const struct call *c, enum device_mode mode)
{
	const int back = c->kind == CALL_AVGPOOL_BACK;
	const struct tensor *t = host_tensor_of(h, back ? c->out[0] : c->in[0]);
	const struct shape in = t->shape, out = c->node->out;
	float *x = host_at(h, back ? c->out[0] : c->in[0]);
	float *y = host_at(h, back ? c->in[0] : c->out[0]);

	(void)mode;
	if (back)
		memset(x, 0, t->n * sizeof *x);
	for (int i = 0; i < batch_of(h) * (int)shape_size(out); i++) {
		const int q = i / out.c % out.w, p = i / out.c / out.w % out.h;
		const int image = i / (int)shape_size(out);
		const int rows[2] = { window_from(p, in.h, out.h),
			window_to(p, in.h, out.h) };
		const int columns[2] = { window_from(q, in.w, out.w),
			window_to(q, in.w, out.w) };
		const int n = (rows[1] - rows[0]) * (columns[1] - columns[0]);
		double sum = 0;

		for (int r = rows[0]; r < rows[1]; r++)
			for (int k = columns[0]; k < columns[1]; k++) {
				float *v =
				    &x[((image * in.h + r) * in.w + k) * in.c +
					i % out.c];

				sum += *v;
				if (back)
					*v += y[i] / (float)n;
			}
		if (!back)
			host_put(h, &y[i], sum / n);
	}
}

static void
run_dropout(struct host *h, const struct call *c, enum device_mode mode)
{
	const struct tensor *t = host_tensor_of(h, c->out[0]);
	const size_t one = shape_size(t->shape),
		     pixels = one / (size_t)t->shape.c;
	const struct rng key = { h->base.config->seed,
		RNG_STREAM_DROPOUT +
		    (uint32_t)(c->node - h->base.program->graph->nodes),
		h->numbers.step };

	for (size_t i = 0; i < t->n; i++) {
		/* Numbers are drawn in PyTorch's order of elements. */
		const size_t image = i / one,
			     pixel = i % one / (size_t)t->shape.c;
		const size_t torch =
		    image * one + i % (size_t)t->shape.c * pixels + pixel;
		const double u = rng_uniform(
		    &key, (size_t)h->base.config->first_image * one + torch);
		double x = host_at(h, c->in[0])[i];

		if (mode == MODE_TRAIN)
			x = u < c->node->p ? 0 : x / (1 - c->node->p);
		host_put(h, &host_at(h, c->out[0])[i], x);
	}
}

void (*const host_runners[N_CALL_KINDS])(
    struct host *, const struct call *, enum device_mode) = {
	[CALL_CONV] = run_conv,
	[CALL_BIAS] = run_bias,
	[CALL_NORM_SUMS] = run_norm_sums,
	[CALL_NORM_FINISH] = run_norm_finish,
	[CALL_NORM_APPLY] = run_norm_apply,
	[CALL_SUM] = run_sum,
	[CALL_MAXPOOL] = run_maxpool,
	[CALL_AVGPOOL] = run_avgpool,
	[CALL_DROPOUT] = run_dropout,
	[CALL_CONV_DATA] = run_conv_data,
	[CALL_CONV_WEIGHT] = run_conv_weight,
	[CALL_WEIGHT_OUT] = run_weight_out,
	[CALL_BIAS_GRAD] = run_bias_grad,
	[CALL_NORM_REDUCE] = run_norm_reduce,
	[CALL_NORM_BACK] = run_norm_back,
	[CALL_RELU_BACK] = run_relu_back,
	[CALL_MAXPOOL_BACK] = run_maxpool_back,
	[CALL_AVGPOOL_BACK] = run_avgpool,
	[CALL_DROPOUT_BACK] = run_dropout,
};
