/* Other operations of the cpu device: sums, ReLU, pooling, dropout, layout
 * changes, and linear layers of few images. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <assert.h>
#include <string.h>

#include "trainer/base/parallel.h"
#include "trainer/base/rng.h"
#include "trainer/device/cpu/kernels/linear.h"

enum { CHUNK = 4096 }; /* elements per thread at a time */

/* --- element-wise sum and ReLU ------------------------------------------- */

static void
sum_plan(struct cpu *d, struct cpu_op *op)
{
	if (op->relu)
		cpu_use_backward(d, op, d->values[op->out].buffer);
	if (d->values[op->in[0]].wanted)
		cpu_plan_dx(d, op, 0, op->dy);
	if (op->in[1] != GRAPH_NONE && d->values[op->in[1]].wanted)
		cpu_plan_dx(d, op, 1, cpu_plan_buffer(d, op->in[1]));
}

static void
sum_forward(struct cpu *d, struct cpu_op *op)
{
	const size_t n = d->values[op->out].n;
	const size_t size = dtype_size(d->values[op->out].type);
	const char *a = cpu_at(d, op->in[0]);
	const char *b = op->in[1] != GRAPH_NONE ? cpu_at(d, op->in[1]) : NULL;
	char *y = cpu_at(d, op->out);

	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK)
		d->kernels->sum(n - i < CHUNK ? n - i : CHUNK, a + i * size,
		    b != NULL ? b + i * size : NULL, op->relu, y + i * size);
}

static void
sum_backward(struct cpu *d, struct cpu_op *op)
{
	const size_t bytes =
	    d->values[op->out].n * dtype_size(d->values[op->out].type);
	const char *dy = cpu_buffer(d, op->dy);
	char *dx = cpu_buffer(d, op->dx[1]);

	if (op->relu)
		cpu_relu_back(d, op);
	PARALLEL_FOR
	for (size_t i = 0; i < bytes; i += CHUNK)
		if (dx != NULL)
			memcpy(dx + i, dy + i,
			    bytes - i < CHUNK ? bytes - i : CHUNK);
}

void
cpu_add(struct cpu *d, size_t n, int from, int to)
{
	const size_t size = dtype_size(d->base.config.precision);
	const char *b = cpu_buffer(d, from);
	char *a = cpu_buffer(d, to);

	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK)
		d->kernels->add(
		    n - i < CHUNK ? n - i : CHUNK, b + i * size, a + i * size);
}

void
cpu_relu_back(struct cpu *d, const struct cpu_op *op)
{
	const size_t n = d->values[op->out].n;
	const size_t size = dtype_size(d->base.config.precision);
	const char *y = cpu_at(d, op->out);
	char *dy = cpu_buffer(d, op->dy);

	assert(d->values[op->out].type == d->base.config.precision);
	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK)
		d->kernels->relu_back(
		    n - i < CHUNK ? n - i : CHUNK, y + i * size, dy + i * size);
}

/* --- pooling ------------------------------------------------------------- */

static struct cpu_window
window_of(const struct cpu *d, const struct cpu_op *op)
{
	const struct shape in = d->values[op->in[0]].shape;
	const struct node *n = op->node;

	return (struct cpu_window){ in.h, in.w, n->out.h, n->out.w, n->kernel,
		n->stride, n->pad };
}

static void
pool_plan(struct cpu *d, struct cpu_op *op)
{
	if (op->kind == OP_MAXPOOL) {
		op->own_buffer =
		    memory_plan_add(&d->memory, d->values[op->out].n);
		cpu_use_forward(d, op, op->own_buffer);
		cpu_use_backward(d, op, op->own_buffer);
	}
	if (d->values[op->in[0]].wanted)
		cpu_plan_dx(d, op, 0, cpu_plan_buffer(d, op->in[0]));
}

/* Bytes of a panel, and number of panels. */
static size_t
panel_bytes(const struct cpu *d, int value)
{
	return cpu_panel_of(d, value).n * dtype_size(d->values[value].type);
}

static size_t
value_panels(const struct cpu *d, int value)
{
	return (size_t)(d->base.config.batch * d->values[value].blocks);
}

static void
pool_forward(struct cpu *d, struct cpu_op *op)
{
	const struct cpu_window w = window_of(d, op);
	const size_t in = panel_bytes(d, op->in[0]);
	const size_t out = panel_bytes(d, op->out);
	const size_t places = cpu_panel_of(d, op->out).n;
	const char *x = cpu_at(d, op->in[0]);
	uint8_t *where = cpu_buffer(d, op->own_buffer);
	char *y = cpu_at(d, op->out);

	PARALLEL_FOR
	for (size_t i = 0; i < value_panels(d, op->out); i++)
		if (op->kind == OP_MAXPOOL)
			d->kernels->maxpool(&w, d->block, x + i * in,
			    y + i * out, where + i * places);
		else
			d->kernels->avgpool(
			    &w, d->block, x + i * in, y + i * out);
}

static void
pool_backward(struct cpu *d, struct cpu_op *op)
{
	const struct cpu_window w = window_of(d, op);
	const size_t in = panel_bytes(d, op->in[0]);
	const size_t out = panel_bytes(d, op->out);
	const size_t places = cpu_panel_of(d, op->out).n;
	const uint8_t *where = cpu_buffer(d, op->own_buffer);
	const char *dy = cpu_buffer(d, op->dy);
	char *dx = cpu_buffer(d, op->dx[0]);

	PARALLEL_FOR
	for (size_t i = 0; i < value_panels(d, op->out); i++)
		if (op->kind == OP_MAXPOOL)
			d->kernels->maxpool_back(&w, d->block, dy + i * out,
			    where + i * places, dx + i * in);
		else
			d->kernels->avgpool_back(
			    &w, d->block, dy + i * out, dx + i * in);
}

/* --- blocked <-> flat ---------------------------------------------------- */

/* Copy elements of `size` bytes between (n, C / block, pixels, block) and
 * (n, c, pixels). */
static void
reblock_value(
    const struct cpu *d, int value, char *blocked, char *flat, int back)
{
	const struct cpu_value *v = &d->values[value];
	const size_t size = dtype_size(v->type);
	const size_t pixels = (size_t)v->shape.h * (size_t)v->shape.w;
	const size_t block = (size_t)d->block, c = (size_t)v->shape.c;

	PARALLEL_FOR
	for (int i = 0; i < d->base.config.batch; i++)
		for (size_t k = 0; k < c; k++)
			for (size_t p = 0; p < pixels; p++) {
				char *b = blocked +
				    ((cpu_panel_index(
					  d, v, i, (int)(k / block)) *
					     pixels +
					 p) *
					    block +
					k % block) *
					size;
				char *f = flat +
				    (((size_t)i * c + k) * pixels + p) * size;

				memcpy(back ? b : f, back ? f : b, size);
			}
}

static void
flatten_forward(struct cpu *d, struct cpu_op *op)
{
	reblock_value(
	    d, op->in[0], cpu_at(d, op->in[0]), cpu_at(d, op->out), 0);
}

static void
flatten_backward(struct cpu *d, struct cpu_op *op)
{
	const struct cpu_value *v = &d->values[op->in[0]];
	char *dx = cpu_buffer(d, op->dx[0]);

	if (v->shape.c % d->block != 0) /* clear the padding */
		memset(dx, 0, v->n * dtype_size(v->type));
	reblock_value(d, op->in[0], dx, cpu_buffer(d, op->dy), 1);
}

/* --- dropout ------------------------------------------------------------- */

static void
dropout_plan(struct cpu *d, struct cpu_op *op)
{
	op->own_buffer = memory_plan_add(&d->memory, d->values[op->out].n);
	cpu_use_forward(d, op, op->own_buffer);
	cpu_use_backward(d, op, op->own_buffer);
	if (d->values[op->in[0]].wanted)
		cpu_plan_dx(d, op, 0, op->dy);
}

/* y = x * mask / (1 - p); y may be x. */
static void
dropout_apply(const struct cpu *d, const struct cpu_op *op, const uint8_t *mask,
    const char *x, char *y)
{
	const size_t n = d->values[op->out].n;
	const size_t size = dtype_size(d->values[op->out].type);
	const float scale = (float)(1 / (1 - op->node->p));

	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CPU_LANES) {
		float some[CPU_LANES];

		d->kernels->to_float(CPU_LANES, x + i * size, some);
		for (size_t k = 0; k < CPU_LANES; k++)
			some[k] = mask[i + k] ? some[k] * scale : 0;
		d->kernels->from_float(CPU_LANES, some, y + i * size);
	}
}

static void
dropout_forward(struct cpu *d, struct cpu_op *op)
{
	const size_t n = d->values[op->out].n;
	const size_t one = shape_size(d->values[op->out].shape);
	const size_t first = (size_t)d->base.config.first_image * one;
	const struct rng key = { d->base.config.seed,
		RNG_STREAM_DROPOUT +
		    (uint32_t)(op->node - d->base.graph->nodes),
		(uint32_t)d->step };
	uint8_t *mask = cpu_buffer(d, op->own_buffer);

	if (d->mode != MODE_TRAIN) {
		memcpy(cpu_at(d, op->out), cpu_at(d, op->in[0]),
		    n * dtype_size(d->values[op->out].type));
		return;
	}
	PARALLEL_FOR
	for (size_t i = 0; i < n; i++)
		mask[i] = rng_uniform(&key, first + i) >= op->node->p;
	dropout_apply(d, op, mask, cpu_at(d, op->in[0]), cpu_at(d, op->out));
}

static void
dropout_backward(struct cpu *d, struct cpu_op *op)
{
	char *dy = cpu_buffer(d, op->dy);

	if (d->mode == MODE_TRAIN && op->dx[0] != MEMORY_PLAN_NONE)
		dropout_apply(d, op, cpu_buffer(d, op->own_buffer), dy, dy);
}

/* --- linear layers of few images ------------------------------------------ */

#ifdef HAVE_X86_FLAGS

static struct linear
shape_of_linear(const struct cpu *d, const struct node *n)
{
	const size_t weights = d->base.graph->params[n->weight].n;

	return (struct linear){ .batch = d->base.config.batch,
		.in = (int)(weights / (size_t)n->out.c),
		.out = n->out.c,
		.threads = d->base.config.threads,
		.rounds = d->base.config.precision == DTYPE_BF16,
		.past = cpu_are_past(d, weights * sizeof(float)) };
}

int
cpu_linear_is_own(const struct cpu *d, const struct node *n)
{
	const int bf16 = d->base.config.precision == DTYPE_BF16;
	const struct linear l = shape_of_linear(d, n);

	return d->isa >= (bf16 ? ISA_AVX512_BF16 : ISA_AVX512) &&
	    linear_suits(&l);
}

static int
own_linear_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	struct linear *l = arena_calloc(&d->arena, 1, sizeof *l);

	(void)e;
	*l = shape_of_linear(d, op->node);
	l->relu = op->relu;
	cpu_need_space(d, linear_thread_bytes(l),
	    (size_t)l->batch * (size_t)(l->in + l->out) * sizeof(float));
	op->own = l;
	return 0;
}

/* Returns n values in fp32: `from` itself, or `to` with converted values. */
static const float *
values_in_fp32(const struct cpu *d, const void *from, int n, float *to)
{
	if (d->base.config.precision == DTYPE_FP32)
		return from;
	PARALLEL_FOR
	for (int i = 0; i < n; i += CHUNK)
		d->kernels->to_float((size_t)(n - i < CHUNK ? n - i : CHUNK),
		    (const uint16_t *)from + i, to + i);
	return to;
}

static void
own_linear_forward(struct cpu *d, struct cpu_op *op)
{
	const struct linear *l = op->own;

	linear_forward(l,
	    values_in_fp32(d, cpu_at(d, op->in[0]), l->batch * l->in,
		(float *)(void *)d->shared_space),
	    cpu_param(d, op->node->weight), cpu_param(d, op->node->bias),
	    cpu_at(d, op->out), d->values[op->out].type);
}

static void
own_linear_backward(struct cpu *d, struct cpu_op *op)
{
	const struct linear *l = op->own;
	const int i = (int)(op - d->ops);
	float *space = (float *)(void *)d->shared_space;
	const float *x, *dy;

	if (op->relu) {
		cpu_relu_back(d, op);
		cpu_times_add(d->times, i, CPU_CALL_RELU_BACK);
	}
	x = values_in_fp32(d, cpu_at(d, op->in[0]), l->batch * l->in, space);
	dy = values_in_fp32(d, cpu_buffer(d, op->dy), l->batch * l->out,
	    space + l->batch * l->in);
	linear_weights(l, x, dy, cpu_grad(d, op->node->weight),
	    cpu_grad(d, op->node->bias));
	cpu_times_add(d->times, i, CPU_CALL_WEIGHT);
	if (op->dx[0] == MEMORY_PLAN_NONE)
		return;
	linear_data(l, dy, cpu_param(d, op->node->weight),
	    cpu_buffer(d, op->dx[0]), d->base.config.precision, d->thread_space,
	    d->thread_bytes);
	cpu_times_add(d->times, i, CPU_CALL_DATA);
}

/* Weights are read in fp32 and have no copies. */
static void
own_linear_work(const struct cpu *d, const struct cpu_op *op,
    enum cpu_call call, struct call_row *row)
{
	const struct linear *l = op->own;
	const double wider =
	    (double)(sizeof(float) - dtype_size(d->base.config.precision));

	if (call == CPU_CALL_WEIGHT_COPY || call == CPU_CALL_WEIGHT_OUT)
		row->bytes = 0;
	if (row->bytes > 0 &&
	    (call == CPU_CALL_FORWARD || call == CPU_CALL_DATA))
		row->bytes += wider * l->in * l->out;
}

static void
own_linear_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct linear *l = op->own;

	strbuf_printf(out, "own, weights as they are%s%s",
	    l->past ? ", gradient past the caches" : "",
	    l->relu ? ", + ReLU" : "");
}

const struct cpu_op_kind_ops cpu_own_linear_ops = {
	.plan = cpu_plan_product,
	.prepare = own_linear_prepare,
	.forward = own_linear_forward,
	.backward = own_linear_backward,
	.work = own_linear_work,
	.describe = own_linear_describe,
};

#else

int
cpu_linear_is_own(const struct cpu *d, const struct node *n)
{
	(void)d;
	(void)n;
	return 0;
}

#endif

/* --- the rows ------------------------------------------------------------- */

const struct cpu_op_kind_ops cpu_sum_ops = {
	.plan = sum_plan,
	.forward = sum_forward,
	.backward = sum_backward,
};

const struct cpu_op_kind_ops cpu_pool_ops = {
	.plan = pool_plan,
	.forward = pool_forward,
	.backward = pool_backward,
};

const struct cpu_op_kind_ops cpu_flatten_ops = {
	.plan = pool_plan,
	.forward = flatten_forward,
	.backward = flatten_backward,
};

const struct cpu_op_kind_ops cpu_dropout_ops = {
	.plan = dropout_plan,
	.forward = dropout_forward,
	.backward = dropout_backward,
};
