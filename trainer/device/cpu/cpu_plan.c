/* Converts a network to values and operations; plans lifetimes and
 * addresses. */
#include <config.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/cpu.h"

#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/amx_conv.h"
#endif

enum { STEM_CHANNELS = 4 };

const char *const cpu_op_names[N_OP_KINDS] = { [OP_CONV] = "conv",
	[OP_NORM] = "norm",
	[OP_SUM] = "sum",
	[OP_MAXPOOL] = "maxpool",
	[OP_AVGPOOL] = "avgpool",
	[OP_FLATTEN] = "flatten",
	[OP_DROPOUT] = "dropout",
	[OP_LINEAR] = "linear" };

/* --- values and operations ------------------------------------------------ */

/* State of the conversion of an operation list. */
struct fuse {
	struct cpu *d;
	const struct graph *g;
	const struct op_list *l;
	int *value; /* [l->n_values] value of the device */
	int *flat;  /* [l->n_values] flattened value, or GRAPH_NONE */
};

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static int
is_flat_kind(enum op_kind k)
{
	return k == OP_LINEAR || k == OP_DROPOUT;
}

/* Add a value for the output of a node. */
static int
add_value(struct fuse *f, int node, enum cpu_layout layout)
{
	struct cpu *d = f->d;
	const struct shape s = f->g->nodes[node].out;
	const size_t batch = (size_t)d->base.config.batch;
	struct cpu_value *v = &d->values[d->n_values];

	v->name = f->g->nodes[node].name;
	v->layout = layout;
	v->shape = s;
	v->type = d->base.config.precision;
	v->buffer = v->grads[0] = v->grads[1] = MEMORY_PLAN_NONE;
	if (layout == LAYOUT_BLOCKED) {
		v->blocks = (s.c + d->block - 1) / d->block;
		v->n = batch * (size_t)(v->blocks * d->block) * (size_t)s.h *
		    (size_t)s.w;
	} else {
		v->n = batch * shape_size(s);
	}
	v->n = round_up(v->n, CPU_LANES);
	return d->n_values++;
}

/* Add the input. With few channels it stays unblocked if its only reader is a
 * convolution. With AMX that convolution cannot compute the input's gradient,
 * and the input includes padding and space for reads past its end: up to a
 * block of windows of up to a block of words each. */
static void
add_input(struct fuse *f)
{
	struct cpu *d = f->d;
	const struct op_value *in = &f->l->values[0];
	const int c = f->g->nodes[0].out.c;
	const struct node *stem = NULL; /* that convolution */
	struct cpu_value *v;
	int all_flat = 1;

	if (in->n_uses == 1 && c <= STEM_CHANNELS &&
	    f->l->ops[in->first].kind == OP_CONV)
		stem = f->l->ops[in->first].node;
	if (stem != NULL && d->amx &&
	    (d->base.config.input_gradient ||
		stem->kernel * ((stem->kernel * c + d->block - 1) / d->block) >
		    CPU_MAX_NARROW))
		stem = NULL;
	for (int i = 0; i < f->l->n_ops; i++)
		if (f->l->ops[i].in[0] == 0 || f->l->ops[i].in[1] == 0)
			all_flat &= is_flat_kind(f->l->ops[i].kind);
	v = &d->values[add_value(f, 0,
	    stem != NULL   ? LAYOUT_STEM
		: all_flat ? LAYOUT_FLAT
			   : LAYOUT_BLOCKED)];
	if (stem == NULL || !d->amx)
		return;
	v->pad = stem->pad;
	v->n = round_up((size_t)d->base.config.batch * (size_t)v->shape.c *
		    (size_t)(v->shape.h + 2 * v->pad) *
		    (size_t)(v->shape.w + 2 * v->pad) +
		(size_t)(d->block * (stem->stride * v->shape.c + 2)),
	    CPU_LANES);
}

static struct cpu_op *
add_op(struct fuse *f, enum op_kind kind, const struct node *n, int in)
{
	static const struct cpu_op_kind_ops *const all[] = {
		[OP_CONV] = &cpu_product_ops,
		[OP_LINEAR] = &cpu_product_ops,
		[OP_NORM] = &cpu_norm_ops,
		[OP_SUM] = &cpu_sum_ops,
		[OP_MAXPOOL] = &cpu_pool_ops,
		[OP_AVGPOOL] = &cpu_pool_ops,
		[OP_DROPOUT] = &cpu_dropout_ops,
		[OP_FLATTEN] = &cpu_flatten_ops,
	};
	struct cpu *d = f->d;
	struct cpu_op *op = &d->ops[d->n_ops++];

	op->kind = kind;
	op->ops = all[kind];
#ifdef HAVE_AMX_FLAGS
	if (kind == OP_CONV && d->amx)
		op->ops = &cpu_amx_conv_ops;
#endif
#ifdef HAVE_X86_FLAGS
	if (kind == OP_LINEAR && cpu_linear_is_own(d, n))
		op->ops = &cpu_own_linear_ops;
#endif
	op->node = n;
	op->in[0] = in;
	op->in[1] = GRAPH_NONE;
	op->dy = op->dy2 = op->dx[0] = op->dx[1] = MEMORY_PLAN_NONE;
	op->own_buffer = MEMORY_PLAN_NONE;
	d->values[in].n_uses++;
	return op;
}

/* The flat form of a value, flattened if necessary. */
static int
flat_value(struct fuse *f, int value)
{
	struct cpu *d = f->d;
	const int node = f->l->values[value].node;

	if (d->values[f->value[value]].layout == LAYOUT_FLAT)
		return f->value[value];
	if (f->flat[value] == GRAPH_NONE) {
		f->flat[value] = add_value(f, node, LAYOUT_FLAT);
		add_op(f, OP_FLATTEN, &f->g->nodes[node], f->value[value])
		    ->out = f->flat[value];
	}
	return f->flat[value];
}

static int
fuse_op(struct fuse *f, const struct op *from, struct error *e)
{
	struct cpu *d = f->d;
	const int flat = is_flat_kind(from->kind);
	const int in =
	    flat ? flat_value(f, from->in[0]) : f->value[from->in[0]];
	const int relu = from->kind == OP_SUM && from->in[1] == GRAPH_NONE;
	struct cpu_op *op;
	int second = GRAPH_NONE;

	for (int k = 0; k < 2 && !flat && !relu; k++) {
		const int v = k == 0            ? in
		    : from->in[1] != GRAPH_NONE ? f->value[from->in[1]]
						: in;

		if (d->values[v].layout == LAYOUT_FLAT)
			return error_set(e, ERROR_USAGE,
			    "device 'cpu' cannot go on with images after '%s'",
			    d->values[v].name);
	}
	if (from->in[1] != GRAPH_NONE)
		second = f->value[from->in[1]];
	if (from->norms[1] != NULL) { /* shortcut: a separate operation first */
		const struct node *n = from->norms[1];

		op = add_op(f, OP_NORM, n, second);
		op->norm = n;
		second = op->out =
		    add_value(f, (int)(n - f->g->nodes), LAYOUT_BLOCKED);
	}
	op = add_op(f, from->kind, from->node, in);
	op->out = add_value(f, f->l->values[from->out].node,
	    flat       ? LAYOUT_FLAT
		: relu ? d->values[in].layout
		       : LAYOUT_BLOCKED);
	f->value[from->out] = op->out;
	op->relu = from->relu;
	op->norm = from->norms[0];
	if (from->in[1] != GRAPH_NONE) {
		op->in[1] = second;
		d->values[second].n_uses++;
	}
	return 0;
}

int
cpu_fuse(struct cpu *d, struct error *e)
{
	const struct graph *g = d->base.graph;
	struct op_list l;
	struct fuse f = { .d = d, .g = g, .l = &l };
	int rc = 0;

	ops_build(g, &l);
	f.value = xcalloc((size_t)l.n_values, sizeof *f.value);
	f.flat = xcalloc((size_t)l.n_values, sizeof *f.flat);
	for (int i = 0; i < l.n_values; i++)
		f.flat[i] = GRAPH_NONE;
	d->values =
	    arena_calloc(&d->arena, 2 * (size_t)l.n_values, sizeof *d->values);
	d->ops = arena_calloc(
	    &d->arena, (size_t)(l.n_ops + l.n_values), sizeof *d->ops);
	add_input(&f);
	for (int i = 0; i < l.n_ops && rc == 0; i++)
		rc = fuse_op(&f, &l.ops[i], e);
	d->output = f.value[l.value_of_node[g->n_nodes - 1]];
	if (rc == 0 && l.ops[l.n_ops - 1].kind == OP_LINEAR)
		d->values[d->output].type = DTYPE_FP32; /* exact logits */
	free(f.value);
	free(f.flat);
	ops_release(&l);
	return rc;
}

/* --- gradients, lifetimes ------------------------------------------------- */

void
cpu_plan(struct cpu *d)
{
	struct cpu_value *last;

	/* Gradients are computed for values that depend on parameters, and for
	 * the input on request. The backward pass of a ReLU needs its result,
	 * except in a normalisation without a sum, which recomputes it. */
	d->values[0].wanted = d->base.config.input_gradient;
	for (int i = 0; i < d->n_ops; i++) {
		const struct cpu_op *op = &d->ops[i];

		d->values[op->out].wanted = op->kind == OP_CONV ||
		    op->kind == OP_LINEAR || op->kind == OP_NORM ||
		    d->values[op->in[0]].wanted ||
		    (op->in[1] != GRAPH_NONE && d->values[op->in[1]].wanted);
		d->values[op->out].kept = op->relu &&
		    (op->kind != OP_NORM || op->in[1] != GRAPH_NONE);
	}
	for (int i = 0; i < d->n_values; i++)
		d->values[i].buffer = cpu_plan_buffer(d, i);
	memory_plan_use(&d->memory, d->values[0].buffer, 0);
	for (int i = 0; i < d->n_ops; i++) {
		struct cpu_op *op = &d->ops[i];

		op->time_forward = i;
		op->time_backward = 2 * d->n_ops - 1 - i;
		for (int k = 0; k < 2; k++)
			if (op->in[k] != GRAPH_NONE)
				cpu_use_forward(
				    d, op, d->values[op->in[k]].buffer);
		cpu_use_forward(d, op, d->values[op->out].buffer);
	}
	last = &d->values[d->output];
	last->grads[0] = memory_plan_add(
	    &d->memory, last->n * dtype_size(d->base.config.precision));
	last->n_grads = 1;
	/* The loss, between forward and backward, uses both. */
	memory_plan_use(&d->memory, last->buffer, d->n_ops - 1);
	memory_plan_use(&d->memory, last->buffer, d->n_ops);
	memory_plan_use(&d->memory, last->grads[0], d->n_ops - 1);
	memory_plan_use(&d->memory, last->grads[0], d->n_ops);
	for (int i = d->n_ops - 1; i >= 0; i--) {
		struct cpu_op *op = &d->ops[i];
		const struct cpu_value *v = &d->values[op->out];

		/* The gradient is one buffer, or two that op adds. */
		if (v->wanted) {
			op->dy = v->grads[0];
			op->dy2 =
			    v->n_grads > 1 ? v->grads[1] : MEMORY_PLAN_NONE;
			cpu_use_backward(d, op, op->dy);
			cpu_use_backward(d, op, op->dy2);
		}
		op->ops->plan(d, op);
	}
	/* Keep what the host may read after the step. */
	for (int i = 0; i < d->values[0].n_grads; i++)
		memory_plan_use(
		    &d->memory, d->values[0].grads[i], 2 * d->n_ops - 1);
	memory_plan_use(&d->memory, last->buffer, 2 * d->n_ops - 1);
	memory_plan_arrange(&d->memory);
}

/* --- addresses, and requests during planning ------------------------------ */

int
cpu_plan_buffer(struct cpu *d, int v)
{
	const struct cpu_value *value = &d->values[v];

	return memory_plan_add(&d->memory, value->n * dtype_size(value->type));
}

void
cpu_use_forward(struct cpu *d, const struct cpu_op *op, int b)
{
	memory_plan_use(&d->memory, b, op->time_forward);
}

void
cpu_use_backward(struct cpu *d, const struct cpu_op *op, int b)
{
	memory_plan_use(&d->memory, b, op->time_backward);
}

void
cpu_plan_dx(struct cpu *d, struct cpu_op *op, int i, int buffer)
{
	struct cpu_value *v = &d->values[op->in[i]];

	op->dx[i] = buffer;
	cpu_use_backward(d, op, buffer);
	if (v->n_grads < 2) {
		v->grads[v->n_grads++] = buffer;
		return;
	}
	/* Third reader: merge its gradient into the first one. */
	op->merges[op->n_merges++] =
	    (struct cpu_merge){ buffer, v->grads[0], v->n };
	cpu_use_backward(d, op, v->grads[0]);
}

void *
cpu_buffer(const struct cpu *d, int buffer)
{
	return memory_plan_at(&d->memory, buffer);
}

void *
cpu_at(const struct cpu *d, int value)
{
	return memory_plan_at(&d->memory, d->values[value].buffer);
}

float *
cpu_param(const struct cpu *d, int i)
{
	return i == GRAPH_NONE ? NULL
			       : d->params + d->base.graph->params[i].offset;
}

float *
cpu_grad(const struct cpu *d, int i)
{
	return i == GRAPH_NONE ? NULL
			       : d->grads + d->base.graph->params[i].offset;
}

size_t
cpu_panel_index(
    const struct cpu *d, const struct cpu_value *v, int image, int block)
{
	if (d->amx)
		return (size_t)block * (size_t)d->base.config.batch +
		    (size_t)image;
	return (size_t)image * (size_t)v->blocks + (size_t)block;
}

struct cpu_sums *
cpu_sums_begin(struct cpu *d, int value)
{
	struct cpu_sums *s = d->values[value].sums;
	const size_t threads = (size_t)d->base.config.threads;

	if (s == NULL || d->mode != MODE_TRAIN)
		return NULL;
	memcpy(s->pivot, s->mean, (size_t)s->channels * sizeof *s->pivot);
	memset(s->sums, 0, threads * (size_t)s->padded * 2 * sizeof *s->sums);
	return s;
}

float *
cpu_sums_part(const struct cpu_sums *s)
{
	const size_t n = 2 * (size_t)s->padded;
	float *part = s->part + (size_t)parallel_thread() * n;

	memset(part, 0, n * sizeof *part);
	return part;
}

void
cpu_sums_add(const struct cpu *d, struct cpu_sums *s, int first, int blocks)
{
	const size_t thread = (size_t)parallel_thread();
	const size_t block = (size_t)d->block;
	const float *part = s->part + thread * 2 * (size_t)s->padded;
	double *to =
	    s->sums + (thread * (size_t)s->padded + (size_t)first * block) * 2;

	for (int b = 0; b < blocks; b++, part += 2 * block, to += 2 * block)
		for (size_t c = 0; c < block; c++) {
			to[2 * c] += part[c];
			to[2 * c + 1] += part[block + c];
		}
}

void
cpu_need_space(struct cpu *d, size_t of_thread, size_t of_all)
{
	if (of_thread > d->thread_bytes)
		d->thread_bytes = of_thread;
	if (of_all > d->shared_bytes)
		d->shared_bytes = of_all;
}

char *
cpu_thread_space(const struct cpu *d)
{
	return d->thread_space + (size_t)parallel_thread() * d->thread_bytes;
}

int
cpu_are_past(const struct cpu *d, size_t bytes)
{
	return bytes / (size_t)d->base.config.threads > CPU_CACHED_BYTES;
}

int
cpu_is_past(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];

	return cpu_are_past(d, v->n * dtype_size(v->type));
}

struct cpu_panel
cpu_panel_of(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];

	assert(v->layout == LAYOUT_BLOCKED);
	return (struct cpu_panel){ (size_t)v->shape.h * (size_t)v->shape.w *
		    (size_t)d->block,
		d->block, 0 };
}

dnnl_memory_desc_t
cpu_layout_of(const struct cpu *d, int value, int images)
{
	const struct cpu_value *v = &d->values[value];
	const dnnl_dim_t batch = images;
	const dnnl_dims_t dims = { batch, v->shape.c, v->shape.h, v->shape.w };
	const dnnl_dims_t flat = { batch, (dnnl_dim_t)shape_size(v->shape) };
	const dnnl_data_type_t type = onednn_type(v->type);
	dnnl_memory_desc_t md;
	dnnl_status_t status;

	if (v->layout == LAYOUT_FLAT)
		status =
		    dnnl_memory_desc_init_by_tag(&md, 2, flat, type, dnnl_ab);
	else if (v->layout == LAYOUT_STEM)
		status =
		    dnnl_memory_desc_init_by_tag(&md, 4, dims, type, dnnl_nchw);
	else
		status = dnnl_memory_desc_init_by_tag(&md, 4, dims, type,
		    d->block == 8 ? dnnl_nChw8c : dnnl_nChw16c);
	assert(status == dnnl_success); /* fixed tags for few dimensions */
	(void)status;
	return md;
}

void
cpu_plan_product(struct cpu *d, struct cpu_op *op)
{
	cpu_use_backward(d, op, d->values[op->in[0]].buffer);
	if (op->relu)
		cpu_use_backward(d, op, d->values[op->out].buffer);
	if (d->values[op->in[0]].wanted)
		cpu_plan_dx(d, op, 0, cpu_plan_buffer(d, op->in[0]));
}
