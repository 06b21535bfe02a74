/* Convolutions and linear layers of the cpu device: oneDNN, or own kernels
 * where they are faster. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/bf16_grad.h"
#include "trainer/device/cpu/kernels/winograd.h"

enum {
	WINOGRAD_PIXELS = 8,
	OWN_BLOCK = 16,   /* channels of a block in own kernels */
	CHUNK = 1 << 13,  /* elements that a thread converts at a time */
	CACHED = 1 << 21, /* most elements of a converted operand */
	WIDE_SIDE = 28,
	WIDE_CHANNELS = 256
};

enum pass { PASS_FORWARD, PASS_DATA, PASS_WEIGHTS, N_PASSES };

/* Reorders of a product: arena -> copies, weight gradient -> arena. */
enum { TO_FORWARD = N_PASSES, TO_BACKWARD, FROM_GRAD, N_CALLS };

/* Convolutions and linear layers: three products each, through oneDNN.
 *
 * The master weights and gradients lie in the arenas in the layout of the
 * weight gradient pass. A forward or data pass that needs another layout or
 * type has a copy, which is updated after each step. */
struct product {
	struct onednn_call calls[N_CALLS];
	void *copies[3];
	size_t bytes[3];
	dnnl_memory_desc_t layouts[2]; /* copies for forward, data */
	int one_copy;                  /* 1: both passes use one copy */
	double wino_saving;            /* call_row.saving of Winograd */
	/* Accumulation of weight and bias gradients if a call processes some
	 * images of the batch; n is 0 if it processes all. */
	struct gradient_sum {
		float *at, *before;
		size_t n;
	} sums[2];
	/* Own kernels in place of oneDNN's call. */
	struct own_pass {
		enum { OWN_NONE, OWN_CONV, OWN_WEIGHTS, OWN_BF16_WEIGHTS } kind;
		struct winograd wino;
		struct bf16_grad bf16;
		float *to; /* weight gradient */
	} own[N_PASSES];
};

/* Memory descriptors of a product's operands; oneDNN chooses `any`. */
struct operands {
	dnnl_memory_desc_t x, w, bias, y; /* forward */
	dnnl_memory_desc_t dy, dw;        /* backward; dy in y's layout, fp32 */
	dnnl_dims_t strides, pads;
	const dnnl_memory_desc_t *maybe_bias; /* &bias or NULL */
	int linear;
};

/* --- products in fp32 of values in bf16 ----------------------------------- */

/* Operands are converted a few images at a time, so that oneDNN's operands stay
 * in the caches. Operations that are not wide convert nothing. */

static size_t
image_size(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];
	const size_t pixels = (size_t)v->shape.h * (size_t)v->shape.w;

	if (v->layout != LAYOUT_BLOCKED)
		return shape_size(v->shape);
	return (size_t)(v->blocks * d->block) * pixels;
}

/* Winograd's algorithm in fp32 does a quarter of the operations at half the
 * rate, and needs converted operands. It gains with many channels, where
 * products outweigh conversions, on planes that its tiles fill (measured:
 * doc/performance.md, "Without AMX"). */
static int
winograd_gains(const struct cpu *d, const struct cpu_op *op)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const struct shape out = d->values[op->out].shape;

	return !d->amx && op->kind == OP_CONV && n->kernel == 3 &&
	    n->stride == 1 && out.h >= WIDE_SIDE && out.w >= WIDE_SIDE &&
	    in.c >= WIDE_CHANNELS / 2 && out.c >= WIDE_CHANNELS;
}

/* Images per oneDNN call: a divisor of the batch, or all without conversion. */
static int
wide_images(const struct cpu *d, const struct cpu_op *op)
{
	const int batch = d->base.config.batch;
	const size_t in = image_size(d, op->in[0]);
	const size_t out = image_size(d, op->out);
	const size_t larger = in > out ? in : out;
	int n = batch;

	if (!op->wide || op->kind == OP_LINEAR)
		return batch;
	while (n > 1 && (batch % n != 0 || (size_t)n * larger > CACHED))
		n--;
	return n;
}

/* Address of op's input (side 0) or output (1) for oneDNN: d->wide or place. */
static void *
wide_place(const struct cpu *d, const struct cpu_op *op, int side, void *place)
{
	return op->wide ? d->wide[side] : place;
}

/* Convert images of op's input (side 0) or output (1), or of their gradients,
 * from `first` on, between `values`, the whole batch, and d->wide. */
static void
convert_images(const struct cpu *d, const struct cpu_op *op, int side,
    int first, void *values, int back)
{
	const size_t size = dtype_size(d->base.config.precision);
	const size_t one = image_size(d, side == 0 ? op->in[0] : op->out);
	const size_t n = one * (size_t)wide_images(d, op);
	char *half = (char *)values + (size_t)first * one * size;

	if (!op->wide)
		return;
	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK) {
		const size_t some = n - i < CHUNK ? n - i : CHUNK;
		float *wide = d->wide[side] + i;

		if (back)
			d->kernels->from_float(some, wide, half + i * size);
		else
			d->kernels->to_float(some, half + i * size, wide);
	}
}

/* --- preparation --------------------------------------------------------- */

static int
describe_operands(const struct cpu *d, const struct cpu_op *op,
    struct operands *o, struct error *e)
{
	const struct param *p = &d->base.graph->params[op->node->weight];
	const dnnl_data_type_t type =
	    onednn_type(op->wide ? DTYPE_FP32 : d->arithmetic);
	const int images = wide_images(d, op);
	const int rank = p->rank;
	dnnl_dims_t dims;
	dnnl_status_t s;

	o->linear = op->kind == OP_LINEAR;
	o->x = cpu_layout_of(d, op->in[0], images);
	o->y = cpu_layout_of(d, op->out, images);
	if (d->values[op->out].type != DTYPE_FP32)
		o->y.data_type = type;
	o->x.data_type = type;
	o->dy = o->y;
	o->dy.data_type = type; /* round the gradient of the logits */
	for (int i = 0; i < rank; i++)
		dims[i] = p->dims[i];
	for (int i = 0; i < 2; i++) {
		o->strides[i] = op->node->stride;
		o->pads[i] = op->node->pad;
	}
	s = dnnl_memory_desc_init_by_tag(
	    &o->w, rank, dims, type, dnnl_format_tag_any);
	if (s == dnnl_success)
		s = dnnl_memory_desc_init_by_tag(
		    &o->dw, rank, dims, dnnl_f32, dnnl_format_tag_any);
	if (s == dnnl_success)
		s = dnnl_memory_desc_init_by_tag(
		    &o->bias, 1, dims, dnnl_f32, dnnl_a);
	o->maybe_bias = op->node->bias == GRAPH_NONE ? NULL : &o->bias;
	return onednn_check(s, "layout", e);
}

/* Winograd pays for 3x3 in fp32 unless the plane is tiny (measured: no gain for
 * 7x7, 1.6 to 2.6 times for 14x14 and larger). */
static int
suits_winograd(const struct cpu *d, const struct cpu_op *op)
{
	const struct node *n = op->node;

	return (op->wide || d->arithmetic == DTYPE_FP32) && n->kernel == 3 &&
	    n->stride == 1 && n->out.h >= WINOGRAD_PIXELS &&
	    d->values[op->in[0]].layout == LAYOUT_BLOCKED;
}

static dnnl_status_t
create_pd(const struct operands *o, enum pass pass, dnnl_alg_kind_t alg,
    dnnl_primitive_attr_t attr, dnnl_engine_t engine,
    const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out)
{
	dnnl_convolution_desc_t c;
	dnnl_inner_product_desc_t l;
	dnnl_status_t s;

	if (pass == PASS_FORWARD)
		s = o->linear
		    ? dnnl_inner_product_forward_desc_init(&l,
			  dnnl_forward_training, &o->x, &o->w, o->maybe_bias,
			  &o->y)
		    : dnnl_convolution_forward_desc_init(&c,
			  dnnl_forward_training, alg, &o->x, &o->w,
			  o->maybe_bias, &o->y, o->strides, o->pads, o->pads);
	else if (pass == PASS_DATA)
		s = o->linear
		    ? dnnl_inner_product_backward_data_desc_init(
			  &l, &o->x, &o->w, &o->dy)
		    : dnnl_convolution_backward_data_desc_init(&c, alg, &o->x,
			  &o->w, &o->dy, o->strides, o->pads, o->pads);
	else
		s = o->linear ? dnnl_inner_product_backward_weights_desc_init(
				    &l, &o->x, &o->dw, o->maybe_bias, &o->dy)
			      : dnnl_convolution_backward_weights_desc_init(&c,
				    alg, &o->x, &o->dw, o->maybe_bias, &o->dy,
				    o->strides, o->pads, o->pads);
	if (s != dnnl_success)
		return s;
	return dnnl_primitive_desc_create(
	    out, o->linear ? (void *)&l : &c, attr, engine, hint);
}

/* Create the primitive descriptor of one pass: Winograd if it suits and exists.
 * The forward pass does the ReLU. */
static int
product_pd(struct cpu *d, const struct cpu_op *op, const struct operands *o,
    enum pass pass, const_dnnl_primitive_desc_t hint,
    dnnl_primitive_desc_t *out, struct error *e)
{
	static const char *const names[] = { "forward", "backward data",
		"backward weights" };
	dnnl_primitive_attr_t attr = NULL;
	dnnl_post_ops_t ops = NULL;
	dnnl_status_t s = dnnl_success;

	if (op->relu && pass == PASS_FORWARD) {
		s = dnnl_primitive_attr_create(&attr);
		if (s == dnnl_success)
			s = dnnl_post_ops_create(&ops);
		if (s == dnnl_success)
			s = dnnl_post_ops_append_eltwise(
			    ops, 1, dnnl_eltwise_relu, 0, 0);
		if (s == dnnl_success)
			s = dnnl_primitive_attr_set_post_ops(attr, ops);
	}
	if (s == dnnl_success) {
		s = dnnl_unimplemented;
		if (!o->linear && suits_winograd(d, op))
			s = create_pd(o, pass, dnnl_convolution_winograd, attr,
			    d->onednn.engine, hint, out);
		if (s != dnnl_success)
			s = create_pd(o, pass, dnnl_convolution_direct, attr,
			    d->onednn.engine, hint, out);
	}
	if (ops != NULL)
		dnnl_post_ops_destroy(ops);
	if (attr != NULL)
		dnnl_primitive_attr_destroy(attr);
	return onednn_check(s, names[pass], e) != 0
	    ? error_prefix(e, "'%s'", op->node->name)
	    : 0;
}

static const dnnl_memory_desc_t *
query_layout(const_dnnl_primitive_desc_t pd, dnnl_query_t what)
{
	return dnnl_primitive_desc_query_md(pd, what, 0);
}

static void *
new_copy(struct cpu *d, struct product *p, int i, const dnnl_memory_desc_t *md)
{
	p->bytes[i] = dnnl_memory_desc_get_size(md);
	p->copies[i] = cpu_map(d, p->bytes[i]);
	return p->copies[i];
}

/* Use the weight gradient's layout for the arena if it has no padding. */
static int
choose_arena_layout(struct cpu *d, const struct cpu_op *op,
    const dnnl_memory_desc_t *dw, struct error *e)
{
	const struct param *p = &d->base.graph->params[op->node->weight];
	dnnl_memory_desc_t *layout = &d->arena_layout[op->node->weight];

	if (dnnl_memory_desc_get_size(dw) == p->n * sizeof(float)) {
		*layout = *dw;
		return 0;
	}
	return onednn_check(
	    dnnl_memory_desc_init_by_tag(layout, dw->ndims, dw->dims, dnnl_f32,
		dw->ndims == 2 ? dnnl_ab : dnnl_abcd),
	    "layout", e);
}

/* Set the argument for the weights in the layout that a pass requires: the
 * arena or a copy, which both passes may share. */
static int
bind_weights(struct cpu *d, const struct cpu_op *op, int i,
    const dnnl_memory_desc_t *want, struct onednn_call *copy,
    struct onednn_arg *out, struct error *e)
{
	struct product *p = op->own;
	const int weight = op->node->weight;
	const dnnl_memory_desc_t *arena = &d->arena_layout[weight];
	void *const other = p->copies[1 - i];

	*out =
	    (struct onednn_arg){ DNNL_ARG_WEIGHTS, want, cpu_param(d, weight) };
	if (dnnl_memory_desc_equal(arena, want))
		return 0;
	p->one_copy =
	    other != NULL && dnnl_memory_desc_equal(&p->layouts[1 - i], want);
	if (p->one_copy) {
		out->place = other;
		return 0;
	}
	p->layouts[i] = *want;
	out->place = new_copy(d, p, i, want);
	return onednn_reorder(
	    &d->onednn, arena, cpu_param(d, weight), want, out->place, copy, e);
}

/* True if weights or their gradient are in blocks of 16 x 16 channels. */
static int
has_blocks(const dnnl_memory_desc_t *md)
{
	dnnl_memory_desc_t want;

	return md->ndims == 4 &&
	    dnnl_memory_desc_init_by_tag(&want, 4, md->dims, dnnl_f32,
		dnnl_OIhw16i16o) == dnnl_success &&
	    dnnl_memory_desc_equal(md, &want);
}

#ifdef HAVE_X86_FLAGS

/* Bytes of a core's L2 cache; 0: unknown. */
static long
second_cache(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
	return sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
	return 0;
#endif
}

/* Choose Winograd's kernel for a pass; it reads the weights in the arena. */
static int
choose_winograd(struct cpu *d, const struct cpu_op *op, enum pass pass)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const int back = pass == PASS_DATA;
	const struct shape x = back ? n->out : in, y = back ? in : n->out;
	struct own_pass *own = &((struct product *)op->own)->own[pass];
	struct winograd *w = &own->wino;

	*w = (struct winograd){ .images = d->base.config.batch,
		.in_blocks = x.c / OWN_BLOCK,
		.out_blocks = y.c / OWN_BLOCK,
		.h = x.h,
		.w = x.w,
		.out_h = y.h,
		.out_w = y.w,
		.pad = back ? 2 - n->pad : n->pad,
		.is_gradient = back,
		.relu = op->relu && !back,
		.threads = d->base.config.threads,
		.cache = second_cache() };
	if (pass == PASS_WEIGHTS) {
		winograd_cut(w);
		if (!winograd_suits(w))
			return 0;
		own->kind = OWN_WEIGHTS;
		cpu_need_space(
		    d, winograd_scratch_bytes(), winograd_sums_bytes(w));
		return 1;
	}
	winograd_conv_cut(w);
	if (!has_blocks(&d->arena_layout[n->weight]) || !winograd_conv_suits(w))
		return 0;
	own->kind = OWN_CONV;
	cpu_need_space(d, winograd_conv_bytes(w), 0);
	return 1;
}

#ifdef HAVE_AMX_FLAGS /* bf16_grad.c is compiled */

static int
choose_bf16_weights(struct cpu *d, const struct cpu_op *op)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	struct own_pass *own = &((struct product *)op->own)->own[PASS_WEIGHTS];

	own->bf16 = (struct bf16_grad){ d->base.config.batch, in.c, in.h, in.w,
		n->out.c, n->out.h, n->out.w, n->kernel, n->stride, n->pad,
		d->base.config.threads };
	if (d->arithmetic != DTYPE_BF16 || d->isa != ISA_AVX512_BF16 ||
	    n->bias != GRAPH_NONE || !bf16_grad_suits(&own->bf16))
		return 0;
	own->kind = OWN_BF16_WEIGHTS;
	cpu_need_space(d, bf16_grad_bytes(&own->bf16), 0);
	return 1;
}

#endif

/* Choose an own kernel for a pass if it is faster. Returns its name or NULL. */
static const char *
choose_own(struct cpu *d, const struct cpu_op *op, enum pass pass)
{
	const struct node *n = op->node;
	const struct cpu_value *in = &d->values[op->in[0]];

	if (op->kind != OP_CONV || op->wide || d->isa < ISA_AVX512 ||
	    d->block != OWN_BLOCK || in->layout != LAYOUT_BLOCKED)
		return NULL;
#ifdef HAVE_AMX_FLAGS
	if (pass == PASS_WEIGHTS && choose_bf16_weights(d, op))
		return "own:avx512_bf16";
#endif
	if (d->arithmetic == DTYPE_BF16)
		return NULL;
	if (n->kernel != 3 || n->stride != 1 || in->shape.c % OWN_BLOCK != 0 ||
	    n->out.c % OWN_BLOCK != 0)
		return NULL;
	return choose_winograd(d, op, pass) ? "own_wino:avx512" : NULL;
}

static void
run_own(const struct cpu *d, const struct cpu_op *op, enum pass pass)
{
	const struct own_pass *own = &((struct product *)op->own)->own[pass];
	const struct node *n = op->node;
	const void *x = cpu_at(d, op->in[0]), *dy = cpu_buffer(d, op->dy);

	if (own->kind == OWN_CONV) {
		const int back = pass == PASS_DATA;
		const struct winograd_conv_places places = { back ? dy : x,
			cpu_param(d, n->weight),
			back ? NULL : cpu_param(d, n->bias),
			back ? cpu_buffer(d, op->dx[0]) : cpu_at(d, op->out) };

		winograd_conv_run(
		    &own->wino, &places, d->thread_space, d->thread_bytes);
	} else if (own->kind == OWN_WEIGHTS) {
		const struct winograd_places places = { x, dy,
			(float *)(void *)d->shared_space, own->to,
			cpu_grad(d, n->bias) };

		winograd_run(
		    &own->wino, &places, d->thread_space, d->thread_bytes);
#ifdef HAVE_AMX_FLAGS
	} else {
		bf16_grad_run(&own->bf16, x, dy, d->thread_space,
		    d->thread_bytes, own->to);
#endif
	}
}

#else

static const char *
choose_own(struct cpu *d, const struct cpu_op *op, enum pass pass)
{
	(void)d, (void)op, (void)pass;
	return NULL;
}

static void
run_own(const struct cpu *d, const struct cpu_op *op, enum pass pass)
{
	(void)d, (void)op, (void)pass;
}

#endif

static int
prepare_forward(struct cpu *d, struct cpu_op *op, const struct operands *o,
    const_dnnl_primitive_desc_t pd, struct error *e)
{
	struct product *p = op->own;
	struct onednn_call *call = &p->calls[PASS_FORWARD];
	void *y = cpu_at(d, op->out);
	struct onednn_arg args[] = {
		{ DNNL_ARG_SRC, &o->x,
		    wide_place(d, op, 0, cpu_at(d, op->in[0])) },
		{ 0 },
		/* The logits are fp32 and are not converted. */
		{ DNNL_ARG_DST, &o->y,
		    d->values[op->out].type == DTYPE_FP32
			? y
			: wide_place(d, op, 1, y) },
		{ DNNL_ARG_BIAS, &o->bias, cpu_param(d, op->node->bias) },
	};

	call->impl = choose_own(d, op, PASS_FORWARD);
	if (call->impl != NULL)
		return 0;
	if (bind_weights(d, op, 0, query_layout(pd, dnnl_query_weights_md),
		&p->calls[TO_FORWARD], &args[1], e) != 0)
		return -1;
	return onednn_make(
	    &d->onednn, pd, args, o->maybe_bias != NULL ? 4 : 3, call, e);
}

static int
prepare_data(struct cpu *d, struct cpu_op *op, const struct operands *o,
    const_dnnl_primitive_desc_t hint, struct error *e)
{
	struct product *p = op->own;
	struct onednn_call *call = &p->calls[PASS_DATA];
	struct onednn_arg args[] = {
		{ DNNL_ARG_DIFF_DST, &o->dy,
		    wide_place(d, op, 1, cpu_buffer(d, op->dy)) },
		{ 0 },
		{ DNNL_ARG_DIFF_SRC, &o->x,
		    wide_place(d, op, 0, cpu_buffer(d, op->dx[0])) },
	};
	dnnl_primitive_desc_t pd;
	int rc;

	if (op->dx[0] == MEMORY_PLAN_NONE)
		return 0;
	call->impl = choose_own(d, op, PASS_DATA);
	if (call->impl != NULL)
		return 0;
	if (product_pd(d, op, o, PASS_DATA, hint, &pd, e) != 0)
		return -1;
	rc = bind_weights(d, op, 1, query_layout(pd, dnnl_query_weights_md),
	    &p->calls[TO_BACKWARD], &args[1], e);
	if (rc == 0)
		rc = onednn_make(&d->onednn, pd, args, 3, call, e);
	dnnl_primitive_desc_destroy(pd);
	return rc;
}

/* Accumulate a gradient of n elements if the batch takes several calls. */
static void
sum_calls(struct cpu *d, const struct cpu_op *op, int i, float *at, size_t n)
{
	struct gradient_sum *s = &((struct product *)op->own)->sums[i];

	if (wide_images(d, op) == d->base.config.batch)
		return;
	s->at = at;
	s->n = n;
	s->before = cpu_map(d, n * sizeof *s->before);
}

/* Prepare the weight pass, which has set the layout of the arena. */
static int
prepare_weights(struct cpu *d, struct cpu_op *op, const struct operands *o,
    const_dnnl_primitive_desc_t pd, struct error *e)
{
	const dnnl_memory_desc_t *dw =
	    query_layout(pd, dnnl_query_diff_weights_md);
	struct product *p = op->own;
	struct onednn_call *call = &p->calls[PASS_WEIGHTS];
	const int weight = op->node->weight, bias = op->node->bias;
	const dnnl_memory_desc_t *arena = &d->arena_layout[weight];
	struct onednn_arg args[] = {
		{ DNNL_ARG_SRC, &o->x,
		    wide_place(d, op, 0, cpu_at(d, op->in[0])) },
		{ DNNL_ARG_DIFF_DST, &o->dy,
		    wide_place(d, op, 1, cpu_buffer(d, op->dy)) },
		{ DNNL_ARG_DIFF_WEIGHTS, dw, cpu_grad(d, weight) },
		{ DNNL_ARG_DIFF_BIAS, &o->bias, cpu_grad(d, bias) },
	};

	if (!dnnl_memory_desc_equal(arena, dw)) {
		args[2].place = new_copy(d, p, 2, dw);
		if (onednn_reorder(&d->onednn, dw, args[2].place, arena,
			cpu_grad(d, weight), &p->calls[FROM_GRAD], e) != 0)
			return -1;
	}
	call->impl = has_blocks(dw) ? choose_own(d, op, PASS_WEIGHTS) : NULL;
	p->own[PASS_WEIGHTS].to = args[2].place;
	if (call->impl != NULL)
		return 0;
	sum_calls(d, op, 0, args[2].place,
	    dnnl_memory_desc_get_size(dw) / sizeof(float));
	if (o->maybe_bias != NULL)
		sum_calls(
		    d, op, 1, args[3].place, d->base.graph->params[bias].n);
	return onednn_make(
	    &d->onednn, pd, args, o->maybe_bias != NULL ? 4 : 3, call, e);
}

static void
product_plan(struct cpu *d, struct cpu_op *op)
{
	const int values[2] = { op->in[0], op->out };
	size_t images;

	/* If the device multiplies in fp32, or if Winograd in fp32 is faster
	 * than bf16, reserve space in d->wide. */
	op->wide = d->base.config.precision == DTYPE_BF16 &&
	    (d->arithmetic == DTYPE_FP32 || winograd_gains(d, op));
	images = (size_t)wide_images(d, op);
	for (int i = 0; i < 2 && op->wide; i++)
		if (images * image_size(d, values[i]) > d->n_wide[i])
			d->n_wide[i] = images * image_size(d, values[i]);
	cpu_plan_product(d, op);
}

static int
product_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	dnnl_primitive_desc_t forward = NULL, weights = NULL;
	struct product *p = arena_calloc(&d->arena, 1, sizeof *p);
	struct operands o;
	int rc = 0;

	op->own = p;
	p->wino_saving = op->wide && d->arithmetic == DTYPE_BF16 ? 2 : 4;
	if (describe_operands(d, op, &o, e) != 0 ||
	    product_pd(d, op, &o, PASS_FORWARD, NULL, &forward, e) != 0 ||
	    product_pd(d, op, &o, PASS_WEIGHTS, forward, &weights, e) != 0 ||
	    choose_arena_layout(d, op,
		query_layout(weights, dnnl_query_diff_weights_md), e) != 0 ||
	    prepare_data(d, op, &o, forward, e) != 0 ||
	    prepare_forward(d, op, &o, forward, e) != 0 ||
	    prepare_weights(d, op, &o, weights, e) != 0)
		rc = -1;
	if (forward != NULL)
		dnnl_primitive_desc_destroy(forward);
	if (weights != NULL)
		dnnl_primitive_desc_destroy(weights);
	return rc;
}

static void
product_forward(struct cpu *d, struct cpu_op *op)
{
	const struct product *p = op->own;
	const int images = wide_images(d, op);

	for (int i = 0; i < d->base.config.batch; i += images) {
		convert_images(d, op, 0, i, cpu_at(d, op->in[0]), 0);
		if (p->own[PASS_FORWARD].kind != OWN_NONE)
			run_own(d, op, PASS_FORWARD);
		else
			onednn_run(&d->onednn, &p->calls[PASS_FORWARD]);
		if (d->values[op->out].type != DTYPE_FP32)
			convert_images(d, op, 1, i, cpu_at(d, op->out), 1);
	}
}

/* Save the accumulated gradient, or add the saved one. */
static void
move_sums(const struct gradient_sum *s, int add)
{
	PARALLEL_FOR
	for (size_t i = 0; i < s->n; i++)
		if (add)
			s->at[i] += s->before[i];
		else
			s->before[i] = s->at[i];
}

/* Run a backward pass, if there is one. */
static void
run_back(
    struct cpu *d, const struct cpu_op *op, enum pass pass, enum cpu_call call)
{
	const struct product *p = op->own;

	if (p->own[pass].kind != OWN_NONE)
		run_own(d, op, pass);
	else if (p->calls[pass].primitive != NULL)
		onednn_run(&d->onednn, &p->calls[pass]);
	else
		return;
	cpu_times_add(d->times, (int)(op - d->ops), call);
}

/* Compute gradients, of some images at a time if the operands are converted;
 * weight gradients accumulate. */
static void
product_backward(struct cpu *d, struct cpu_op *op)
{
	const struct product *p = op->own;
	const int index = (int)(op - d->ops), images = wide_images(d, op);

	if (op->relu) {
		cpu_relu_back(d, op);
		cpu_times_add(d->times, index, CPU_CALL_RELU_BACK);
	}
	for (int i = 0; i < d->base.config.batch; i += images) {
		convert_images(d, op, 0, i, cpu_at(d, op->in[0]), 0);
		convert_images(d, op, 1, i, cpu_buffer(d, op->dy), 0);
		for (int k = 0; k < 2 && i > 0; k++)
			move_sums(&p->sums[k], 0);
		run_back(d, op, PASS_WEIGHTS, CPU_CALL_WEIGHT);
		for (int k = 0; k < 2 && i > 0; k++)
			move_sums(&p->sums[k], 1);
		run_back(d, op, PASS_DATA, CPU_CALL_DATA);
		if (op->dx[0] != MEMORY_PLAN_NONE)
			convert_images(
			    d, op, 0, i, cpu_buffer(d, op->dx[0]), 1);
	}
	if (p->calls[FROM_GRAD].primitive == NULL)
		return;
	onednn_run(&d->onednn, &p->calls[FROM_GRAD]);
	cpu_times_add(d->times, index, CPU_CALL_WEIGHT_OUT);
}

static void
product_refresh(struct cpu *d, struct cpu_op *op)
{
	const struct product *p = op->own;

	onednn_run(&d->onednn, &p->calls[TO_FORWARD]);
	onednn_run(&d->onednn, &p->calls[TO_BACKWARD]);
}

static void
product_copies(const struct cpu_op *op, struct device_region *out)
{
	const struct product *p = op->own;

	for (int i = 0; i < 2; i++)
		out[i] = (struct device_region){ p->copies[i], p->bytes[i], 1 };
}

/* Winograd's F(4x4, 3x3) in fp32 does a quarter of the operations at half the
 * rate of bf16. Weights are copied only for a pass with another layout. */
static void
product_work(const struct cpu *d, const struct cpu_op *op, enum cpu_call call,
    struct call_row *row)
{
	const struct product *p = op->own;
	const char *impl = call == CPU_CALL_FORWARD
	    ? p->calls[PASS_FORWARD].impl
	    : call == CPU_CALL_DATA   ? p->calls[PASS_DATA].impl
	    : call == CPU_CALL_WEIGHT ? p->calls[PASS_WEIGHTS].impl
				      : NULL;

	(void)d;
	if (impl != NULL && strstr(impl, "wino") != NULL)
		row->saving =
		    row->saving > p->wino_saving ? row->saving : p->wino_saving;
	if (call == CPU_CALL_WEIGHT_OUT &&
	    p->calls[FROM_GRAD].primitive == NULL)
		row->bytes = 0;
	if (call == CPU_CALL_WEIGHT_COPY)
		row->bytes = (double)p->bytes[0] + (double)p->bytes[1] > 0
		    ? row->bytes + (double)p->bytes[0] + (double)p->bytes[1]
		    : 0;
}

static void
product_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct product *p = op->own;

	strbuf_printf(out, "%s | %s | %s%s", p->calls[PASS_FORWARD].impl,
	    p->calls[PASS_DATA].impl != NULL ? p->calls[PASS_DATA].impl : "-",
	    p->calls[PASS_WEIGHTS].impl, op->relu ? ", + ReLU" : "");
	if (p->copies[0] != NULL || p->copies[1] != NULL)
		strbuf_printf(out, ", weights copied%s for %s%s%s",
		    p->one_copy ? " once" : "",
		    p->copies[0] != NULL || p->one_copy ? "forward" : "",
		    (p->copies[0] != NULL && p->copies[1] != NULL) ||
			    p->one_copy
			? ", "
			: "",
		    p->copies[1] != NULL || p->one_copy ? "backward" : "");
	if (p->copies[2] != NULL)
		strbuf_addstr(out, ", gradient copied");
	if (op->wide)
		strbuf_addstr(out, ", in fp32");
}

static void
product_release(struct cpu_op *op)
{
	struct product *p = op->own;

	for (int i = 0; i < N_CALLS && p != NULL; i++)
		onednn_release(&p->calls[i]);
}

const struct cpu_op_kind_ops cpu_product_ops = {
	.plan = product_plan,
	.prepare = product_prepare,
	.forward = product_forward,
	.backward = product_backward,
	.refresh = product_refresh,
	.copies = product_copies,
	.work = product_work,
	.describe = product_describe,
	.release = product_release,
};
