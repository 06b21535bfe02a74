/* What the forward and the backward half of a program share while it is
 * planned. */
#include <config.h>

#include "trainer/device/cuda/planning/program_builder.h"

#include "common/alloc.h"

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
