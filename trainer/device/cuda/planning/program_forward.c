/* Emit the calls of a forward pass. */
#include <config.h>

#include "trainer/device/cuda/planning/program_builder.h"

/* Normalisation that is the only reader of operation i's output, normalising it
 * as input *k; -1 if there is none. */
static int
norm_behind(const struct builder *b, int i, int *k)
{
	const struct op_value *v = &b->l->values[b->l->ops[i].out];
	const struct op *user;

	if (v->n_uses != 1)
		return -1;
	user = &b->l->ops[v->first];
	*k = user->in[0] == b->l->ops[i].out ? 0 : 1;
	return user->kind == OP_NORM && user->norms[*k] != NULL ? v->first : -1;
}

static int
has_bias(const struct op *op)
{
	return op->node->bias != GRAPH_NONE;
}

/* Let convolution c sum up its output if a normalisation needs the sums and the
 * executor supports it. */
static int
add_sums(const struct builder *b, int i, struct call *c)
{
	const struct op *op = &b->l->ops[i];
	int k, user = norm_behind(b, i, &k);

	if (user < 0 || has_bias(op) || op->relu)
		return 0;
	c->norm[2] = b->ops[user].norm[k];
	if (builder_supports(b, c))
		return 1;
	c->norm[2] = -1;
	return 0;
}

/* Let convolution c, without a pooling behind it, add its bias and apply its
 * ReLU if the executor supports it. */
static int
add_bias(const struct builder *b, int i, struct call *c)
{
	if (!has_bias(&b->l->ops[i]) || c->input != INPUT_PLAIN)
		return 0;
	c->biased = 1;
	c->relu = b->l->ops[i].relu;
	if (builder_supports(b, c))
		return 1;
	c->biased = c->relu = 0;
	return 0;
}

/* True if convolution i can compute its input itself, as in c. */
static int
can_make_input(const struct builder *b, int i, struct call *c)
{
	c->conv = builder_conv_shape(b, &b->l->ops[i]);
	return add_sums(b, i, c) || builder_supports(b, c);
}

/* Call of convolution i that computes normalisation o as its input. */
static struct call
input_of_conv(const struct builder *b, int o, int i)
{
	const struct op *norm = &b->l->ops[o];
	struct call c = builder_call(CALL_CONV, &b->l->ops[i]);

	c.input = norm->in[1] == GRAPH_NONE ? INPUT_NORM : INPUT_BLOCK;
	c.in[0] = b->values[norm->in[0]].tensor;
	c.norm[0] = b->ops[o].norm[0];
	if (norm->in[1] != GRAPH_NONE) {
		c.in[1] = b->values[norm->in[1]].tensor;
		c.norm[1] = b->ops[o].norm[1];
	}
	return c;
}

/* True if the convolution that first reads the output of normalisation o
 * computes it. Without a sum the output is never in memory; then the
 * convolution's weight gradient must be able to compute it too. */
static int
made_by_reader(const struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	const struct op_value *v = &b->l->values[op->out];
	struct call c;

	if (!op->relu || v->first == GRAPH_NONE ||
	    b->l->ops[v->first].kind != OP_CONV)
		return 0;
	c = input_of_conv(b, o, v->first);
	if (c.input == INPUT_NORM && v->n_uses != 1)
		return 0;
	if (!can_make_input(b, v->first, &c))
		return 0;
	if (c.input == INPUT_BLOCK)
		return 1;
	c.kind = CALL_CONV_WEIGHT;
	c.norm[2] = -1;
	return builder_supports(b, &c);
}

/* Emit the statistics of normalisation o's k-th input. */
static void
finish_norm(struct builder *b, int o, int k, int have_sums)
{
	const struct op *op = &b->l->ops[o];
	struct call c = builder_call(CALL_NORM_SUMS, op);

	c.node = op->norms[k];
	c.norm[0] = b->ops[o].norm[k];
	if (!have_sums) {
		c.in[0] = b->values[op->in[k]].tensor;
		builder_emit(b, &c);
		c.in[0] = MEMORY_PLAN_NONE;
	}
	c.kind = CALL_NORM_FINISH;
	builder_emit(b, &c);
	b->ops[o].finished |= 1 << k;
}

/* Make the call of convolution i, which computes its input if that is not in
 * memory. */
static struct call
conv_call(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	struct value_state *v = &b->values[op->in[0]];
	const int maker = b->l->values[op->in[0]].maker;
	struct call c = builder_call(CALL_CONV, op);

	if (v->tensor == MEMORY_PLAN_NONE) {
		c = input_of_conv(b, maker, i);
		if (c.input == INPUT_BLOCK)
			c.out[1] = v->tensor = builder_tensor(b,
			    &b->l->graph->nodes[b->l->values[op->in[0]].node],
			    b->p->config.type);
	} else {
		c.in[0] = v->tensor;
	}
	c.conv = builder_conv_shape(b, op);
	return c;
}

/* True if only a pooling reads the output of operation i: the pooling does the
 * ReLU and the bias or normalisation in front of it. */
static int
pooling_after(const struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const struct op_value *v = &b->l->values[op->out];

	return op->relu && v->n_uses == 1 &&
	    b->l->ops[v->first].kind == OP_MAXPOOL;
}

static void
forward_conv(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	struct call c = conv_call(b, i);
	const int sums = add_sums(b, i, &c);
	const int pooled = has_bias(op) && pooling_after(b, i);
	const int done = pooled || add_bias(b, i, &c);
	int user, k;

	c.out[0] = builder_tensor(b, op->node, b->p->config.type);
	b->values[op->out].tensor = builder_emit(b, &c);
	b->ops[i].implied = b->ops[i].pooled = pooled;
	if ((has_bias(op) || op->relu) && !done) {
		c = builder_call(has_bias(op) ? CALL_BIAS : CALL_SUM, op);
		c.in[0] = b->values[op->out].tensor;
		c.out[0] = has_bias(op)
		    ? c.in[0]
		    : builder_tensor(b, op->node, b->p->config.type);
		c.relu = op->relu;
		b->values[op->out].tensor = builder_emit(b, &c);
	}
	user = norm_behind(b, i, &k);
	if (user >= 0)
		finish_norm(b, user, k, sums);
}

static void
forward_norm(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	struct call c = builder_call(CALL_NORM_APPLY, op);

	for (int k = 0; k < 2; k++) {
		if (op->norms[k] != NULL && !(b->ops[o].finished & 1 << k))
			finish_norm(b, o, k, 0);
		c.norm[k] = b->ops[o].norm[k];
		if (op->in[k] != GRAPH_NONE)
			c.in[k] = b->values[op->in[k]].tensor;
	}
	if (op->in[1] == GRAPH_NONE && pooling_after(b, o)) {
		b->ops[o].implied = b->ops[o].pooled = 1;
		return;
	}
	if (made_by_reader(b, o)) {
		b->ops[o].implied = op->in[1] == GRAPH_NONE;
		return;
	}
	c.relu = op->relu;
	c.out[0] = builder_tensor(b, op->node, b->p->config.type);
	b->values[op->out].tensor = builder_emit(b, &c);
}

static void
forward_other(struct builder *b, int i)
{
	static const enum call_kind kinds[N_OP_KINDS] = {
		[OP_SUM] = CALL_SUM,
		[OP_AVGPOOL] = CALL_AVGPOOL,
		[OP_DROPOUT] = CALL_DROPOUT,
	};
	const struct op *op = &b->l->ops[i];
	struct call c = builder_call(kinds[op->kind], op);

	for (int k = 0; k < 2; k++)
		if (op->in[k] != GRAPH_NONE)
			c.in[k] = b->values[op->in[k]].tensor;
	c.relu = op->relu;
	c.out[0] = builder_tensor(b, op->node, b->p->config.type);
	b->values[op->out].tensor = builder_emit(b, &c);
}

static void
forward_maxpool(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const int maker = b->l->values[op->in[0]].maker;
	struct call c = builder_call(CALL_MAXPOOL, op);

	c.in[0] = b->values[op->in[0]].tensor;
	if (maker != GRAPH_NONE && b->ops[maker].implied) {
		const struct op *from = &b->l->ops[maker];

		if (from->kind == OP_NORM) {
			c.in[0] = b->values[from->in[0]].tensor;
			c.norm[0] = b->ops[maker].norm[0];
		} else {
			c.before = from->node;
		}
	}
	c.out[0] = builder_tensor(b, op->node, b->p->config.type);
	c.out[1] = b->ops[i].places = builder_tensor(b, op->node, DTYPE_U8);
	b->values[op->out].tensor = builder_emit(b, &c);
}

void
builder_forward(struct builder *b)
{
	static void (*const makers[N_OP_KINDS])(struct builder *, int) = {
		[OP_CONV] = forward_conv,
		[OP_LINEAR] = forward_conv,
		[OP_NORM] = forward_norm,
		[OP_SUM] = forward_other,
		[OP_MAXPOOL] = forward_maxpool,
		[OP_AVGPOOL] = forward_other,
		[OP_DROPOUT] = forward_other,
	};

	for (int i = 0; i < b->l->n_ops; i++)
		makers[b->l->ops[i].kind](b, i);
}
