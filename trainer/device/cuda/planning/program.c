/* Build a program: place tensors, lay out weights, emit and name the calls. */
#include <config.h>

#include "trainer/device/cuda/planning/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/device/cuda/planning/program_builder.h"

enum { WORK_ALIGN = 64, VECTOR_ALIGN = 32 }; /* elements */

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* --- Shared by forward and backward --------------------------------------- */

struct call
builder_call(enum call_kind kind, const struct op *op)
{
	struct call c = { .kind = kind, .node = op->node };

	for (int i = 0; i < CALL_IN; i++)
		c.in[i] = MEMORY_PLAN_NONE;
	for (int i = 0; i < CALL_OUT; i++)
		c.out[i] = MEMORY_PLAN_NONE;
	for (int i = 0; i < CALL_NORMS; i++)
		c.norm[i] = -1;
	return c;
}

int
builder_emit(struct builder *b, const struct call *c)
{
	struct gpu_program *p = b->p;

	p->calls = vec_grow(
	    p->calls, (size_t)p->n_calls, &p->alloc_calls, sizeof *p->calls);
	p->calls[p->n_calls++] = *c;
	return c->out[0];
}

int
builder_add_tensor(
    struct gpu_program *p, const char *name, struct shape s, enum dtype type)
{
	const size_t n = (size_t)p->config.batch * shape_size(s);
	const int i = memory_plan_add(&p->memory, name, n * dtype_size(type));

	p->tensors = vec_grow(
	    p->tensors, (size_t)i, &p->alloc_tensors, sizeof *p->tensors);
	p->tensors[i] = (struct tensor){ s, n, type };
	return i;
}

int
builder_tensor(struct builder *b, const struct node *n, enum dtype type)
{
	return builder_add_tensor(b->p, n->name, n->out, type);
}

int
builder_tensor_like(struct builder *b, int tensor, const char *name)
{
	const struct tensor t = b->p->tensors[tensor];

	return builder_add_tensor(b->p, name, t.shape, t.type);
}

void
builder_add_pieces(struct gpu_program *p, int i)
{
	const struct param *param = &p->graph->params[i];
	const struct program_weight *w = &p->weights[i];
	const int row = w->k > 0 ? w->channels : 1;
	const int padded = w->k > 0 ? w->c : 1;
	const int most = row < PIECE_MOST ? PIECE_MOST / row * row : row;
	const int has_work = w->k > 0 && !w->in_place;

	for (size_t at = 0; at < param->n; at += (size_t)most) {
		const size_t left = param->n - at;

		p->pieces = vec_grow(p->pieces, (size_t)p->n_pieces,
		    &p->alloc_pieces, sizeof *p->pieces);
		p->pieces[p->n_pieces++] = (struct weight_piece){
			.arena = param->offset + at,
			.work = w->offset + at / (size_t)row * (size_t)padded,
			.n = left < (size_t)most ? (int)left : most,
			.has_work = has_work,
			.channels = row,
			.padded = padded,
		};
	}
}

int
builder_supports(const struct builder *b, const struct call *c)
{
	const struct program_config *g = &b->p->config;

	return g->supports != NULL && g->supports(g->ctx, b->p, c);
}

struct conv_shape
builder_conv_shape(const struct builder *b, const struct op *op)
{
	const struct node *n = op->node;
	struct shape in = b->l->graph->nodes[b->l->values[op->in[0]].node].out;

	if (op->kind == OP_LINEAR)
		return (struct conv_shape){ .c = (int)shape_size(in),
			.h = 1,
			.w = 1,
			.k = n->out.c,
			.p = 1,
			.q = 1,
			.kernel = 1,
			.stride = 1 };
	if (op->in[0] == 0)
		in = b->p->tensors[b->p->input].shape;
	return (struct conv_shape){ .c = in.c,
		.h = in.h,
		.w = in.w,
		.k = n->out.c,
		.p = n->out.h,
		.q = n->out.w,
		.kernel = n->kernel,
		.stride = n->stride,
		.pad = n->pad };
}

void
builder_read(const struct builder *b, int v, struct call *c)
{
	const int maker = b->l->values[v].maker;

	if (maker != GRAPH_NONE && b->ops[maker].implied) {
		c->input = INPUT_NORM;
		c->in[0] = b->values[b->l->ops[maker].in[0]].tensor;
		c->norm[0] = b->ops[maker].norm[0];
	} else {
		c->input = INPUT_PLAIN;
		c->in[0] = b->values[v].tensor;
	}
}

/* --- a program ----------------------------------------------------------- */

/* Pad the input's channels if only convolutions read it. */
static void
add_input(struct builder *b)
{
	struct gpu_program *p = b->p;
	struct shape s = p->graph->nodes[0].out;
	int convs_only = 1;

	for (int i = 0; i < b->l->n_ops; i++)
		if (b->l->ops[i].in[0] == 0 || b->l->ops[i].in[1] == 0)
			convs_only &= b->l->ops[i].kind == OP_CONV;
	if (convs_only && s.c < p->config.pad_input)
		s.c = p->config.pad_input;
	p->input = builder_add_tensor(p, "input", s, p->config.type);
	b->values[0].tensor = p->input;
}

static int
add_norm(struct gpu_program *p, const struct node *n)
{
	struct norm *m = &p->norms[p->n_norms];

	m->node = n;
	m->offset = p->n_vectors;
	m->stride = round_up((size_t)n->out.c, VECTOR_ALIGN);
	m->count = (double)p->config.batch * n->out.h * n->out.w;
	p->n_vectors += N_NORM_VECTORS * m->stride;
	return p->n_norms++;
}

/* Lay out the weights of convolutions and linear layers. */
static void
place_weights(struct builder *b)
{
	struct gpu_program *p = b->p;

	for (int i = 0; i < b->l->n_ops; i++) {
		const struct op *op = &b->l->ops[i];
		const struct node *n = op->node;
		struct program_weight *w;
		const struct param *param;

		if (op->kind != OP_CONV && op->kind != OP_LINEAR)
			continue;
		param = &p->graph->params[n->weight];
		w = &p->weights[n->weight];
		w->k = param->dims[0];
		w->taps = n->kernel * n->kernel;
		w->channels = param->dims[1];
		if (op->kind == OP_LINEAR) {
			const struct shape in =
			    p->graph->nodes[b->l->values[op->in[0]].node].out;

			w->taps = in.h * in.w;
			w->channels = in.c;
		}
		w->c = op->in[0] == 0 && op->kind == OP_CONV
		    ? p->tensors[p->input].shape.c
		    : w->channels;
		w->in_place =
		    p->config.type == DTYPE_FP32 && w->c == w->channels;
		w->offset = p->n_work;
		if (!w->in_place)
			p->n_work += round_up(
			    (size_t)w->k * (size_t)w->taps * (size_t)w->c,
			    WORK_ALIGN);
	}
}

/* Tensors live from their first call to their last. */
static void
find_lifetimes(struct gpu_program *p)
{
	const int loss = p->n_forward, end = p->n_calls;
	const int host[] = { p->output, p->output_grad };

	memory_plan_use(&p->memory, p->input, 0);
	for (int t = 0; t < p->n_calls; t++) {
		const struct call *c = &p->calls[t];

		for (int i = 0; i < CALL_IN; i++)
			memory_plan_use(&p->memory, c->in[i], t);
		for (int i = 0; i < CALL_OUT; i++)
			memory_plan_use(&p->memory, c->out[i], t);
	}
	/* The loss runs between forward and backward; the host may read it
	 * later. */
	for (int i = 0; i < 2; i++) {
		memory_plan_use(&p->memory, host[i], loss > 0 ? loss - 1 : 0);
		memory_plan_use(&p->memory, host[i], loss);
	}
	memory_plan_use(&p->memory, p->output, end);
	memory_plan_use(&p->memory, p->input_grad, end);
}

static void
start_program(struct builder *b)
{
	struct gpu_program *p = b->p;

	for (int i = 0; i < b->l->n_values; i++) {
		struct value_state *v = &b->values[i];

		v->tensor = v->grads[0] = v->grads[1] = MEMORY_PLAN_NONE;
		v->left = b->l->values[i].n_uses;
		v->wanted = i > 0 || p->config.input_gradient;
	}
	for (int i = 0; i < b->l->n_ops; i++) {
		const struct op *op = &b->l->ops[i];

		b->ops[i].masked = MEMORY_PLAN_NONE;
		for (int k = 0; k < 2; k++)
			b->ops[i].norm[k] = op->norms[k] != NULL
			    ? add_norm(p, op->norms[k])
			    : -1;
	}
	add_input(b);
	place_weights(b);
}

void
program_build(const struct graph *g, const struct program_config *c,
    struct gpu_program *p)
{
	struct builder b = { .p = p };

	memset(p, 0, sizeof *p);
	p->graph = g;
	p->config = *c;
	p->output_grad = p->input_grad = MEMORY_PLAN_NONE;
	ops_build(g, &p->ops);
	b.l = &p->ops;
	p->norms = xcalloc((size_t)g->n_nodes, sizeof *p->norms);
	p->weights = xcalloc((size_t)g->n_params + 1, sizeof *p->weights);
	b.values = xcalloc((size_t)p->ops.n_values, sizeof *b.values);
	b.ops = xcalloc((size_t)p->ops.n_ops + 1, sizeof *b.ops);
	b.final = xcalloc((size_t)g->n_params + 1, 1);
	start_program(&b);
	builder_forward(&b);
	p->output = b.values[p->ops.value_of_node[g->n_nodes - 1]].tensor;
	p->n_forward = p->n_calls;
	b.waiting = xcalloc((size_t)g->n_params + 1, sizeof *b.waiting);
	builder_backward(&b);
	p->n_work_pieces = p->n_pieces;
	for (int i = g->n_params - 1; i >= 0; i--)
		if (p->weights[i].k == 0 || p->weights[i].in_place)
			builder_add_pieces(p, i);
	find_lifetimes(p);
	memory_plan_arrange(&p->memory);
	free(b.values);
	free(b.ops);
	free(b.final);
	free(b.waiting);
}

void
program_release(struct gpu_program *p)
{
	ops_release(&p->ops);
	memory_plan_release(&p->memory);
	free(p->tensors);
	free(p->calls);
	free(p->norms);
	free(p->weights);
	free(p->pieces);
	memset(p, 0, sizeof *p);
}

static const char *const kind_names[N_CALL_KINDS] = {
	[CALL_CONV] = "conv",
	[CALL_BIAS] = "bias",
	[CALL_NORM_SUMS] = "norm sums",
	[CALL_NORM_FINISH] = "norm finish",
	[CALL_NORM_APPLY] = "norm apply",
	[CALL_SUM] = "sum",
	[CALL_MAXPOOL] = "maxpool",
	[CALL_AVGPOOL] = "avgpool",
	[CALL_DROPOUT] = "dropout",
	[CALL_CONV_DATA] = "conv data",
	[CALL_CONV_WEIGHT] = "conv weight",
	[CALL_WEIGHT_OUT] = "weight out",
	[CALL_BIAS_GRAD] = "bias grad",
	[CALL_NORM_REDUCE] = "norm reduce",
	[CALL_NORM_BACK] = "norm back",
	[CALL_RELU_BACK] = "relu back",
	[CALL_MAXPOOL_BACK] = "maxpool back",
	[CALL_AVGPOOL_BACK] = "avgpool back",
	[CALL_DROPOUT_BACK] = "dropout back",
};

int
program_may_fuse(const struct gpu_program *p, const struct call *c)
{
	const int bias = c->kind == CALL_BIAS || c->biased;

	return p->config.type == DTYPE_FP16 ||
	    (p->config.type == DTYPE_BF16 && bias);
}

const char *
call_kind_name(enum call_kind kind)
{
	return kind_names[kind];
}

static void
describe_call(
    const struct gpu_program *p, const struct call *c, struct strbuf *out)
{
	static const char *const inputs[] = { "", " of norm", " of block end" };

	strbuf_printf(out, "%s %s%s", call_kind_name(c->kind), c->node->name,
	    inputs[c->input]);
	if (c->kind == CALL_WEIGHT_OUT)
		strbuf_printf(out, " and before: %d pieces", c->n_pieces);
	if (c->kind == CALL_MAXPOOL && c->norm[0] >= 0)
		strbuf_printf(
		    out, " of relu and %s", p->norms[c->norm[0]].node->name);
	if (c->before != NULL)
		strbuf_printf(out, " with %s's bias", c->before->name);
	if (c->kind == CALL_NORM_BACK && c->norm[1] >= 0)
		strbuf_printf(out, " and %s", p->norms[c->norm[1]].node->name);
	if (c->kind == CALL_BIAS_GRAD && c->out[0] != MEMORY_PLAN_NONE)
		strbuf_printf(out, " through relu");
	if (c->kind == CALL_CONV && c->norm[2] >= 0)
		strbuf_printf(out, " with sums");
	if (c->biased)
		strbuf_printf(out, " with bias%s", c->relu ? " and relu" : "");
	if (c->kind == CALL_CONV_DATA && c->norm[0] >= 0)
		strbuf_printf(out, "%s through relu and %s%s%s",
		    c->in[1] != MEMORY_PLAN_NONE ? " plus shortcut" : "",
		    p->norms[c->norm[0]].node->name,
		    c->norm[1] >= 0 ? ", " : "",
		    c->norm[1] >= 0 ? p->norms[c->norm[1]].node->name : "");
	strbuf_printf(out, "\n");
}

void
program_describe(const struct gpu_program *p, struct strbuf *out)
{
	for (int i = 0; i < p->n_calls; i++)
		describe_call(p, &p->calls[i], out);
}
