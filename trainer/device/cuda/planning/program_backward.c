/* Emit the calls of a backward pass. */
#include <config.h>

#include <assert.h>

#include "trainer/device/cuda/planning/program_builder.h"

/* Elements of gradients collected for one CALL_WEIGHT_OUT: 8 MiB of fp32, a
 * third of a usual bucket of gradients, so that the allreduce is not
 * delayed. */
enum { WAITING_MOST = 2 << 20 };

/* Mark parameter i's gradient as final after the last call. */
static void
mark_final(struct builder *b, int i)
{
	const struct graph *g = b->p->graph;

	if (i == GRAPH_NONE)
		return;
	b->final[i] = 1;
	while (
	    b->n_final < g->n_params && b->final[g->n_params - 1 - b->n_final])
		b->n_final++;
	/* The arena is in reverse order: the final part ends where the first
	 * missing gradient begins. */
	b->p->calls[b->p->n_calls - 1].done = b->n_final == g->n_params
	    ? g->arena_size
	    : g->params[g->n_params - 1 - b->n_final].offset;
}

/* Return a tensor with the complete gradient of value v. */
static int
whole_grad(struct builder *b, const struct op *op, int v)
{
	struct value_state *s = &b->values[v];
	struct call c = builder_call(CALL_SUM, op);

	assert(s->n_grads > 0);
	if (s->n_grads == 2) {
		c.in[0] = s->grads[0];
		c.in[1] = s->grads[1];
		c.out[0] = builder_tensor_like(b, s->grads[0], op->node->name);
		s->grads[0] = builder_emit(b, &c);
		s->n_grads = 1;
	}
	return s->grads[0];
}

/* Add tensor t to the gradient of value v. */
static void
add_grad(struct builder *b, const struct op *op, int v, int t)
{
	struct value_state *s = &b->values[v];

	if (s->n_grads == 2)
		whole_grad(b, op, v);
	s->grads[s->n_grads++] = t;
}

/* Return the gradient in front of operation i's ReLU; emits the bias's gradient
 * as well. */
static int
before_relu(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const int has_bias = op->node->bias != GRAPH_NONE;
	const int relu = op->relu && !b->ops[i].pooled;
	struct call c =
	    builder_call(has_bias ? CALL_BIAS_GRAD : CALL_RELU_BACK, op);

	c.in[0] = whole_grad(b, op, op->out);
	if (!has_bias && !relu)
		return c.in[0];
	if (relu) {
		c.in[1] = b->values[op->out].tensor;
		c.out[0] = builder_tensor(b, op->node, b->p->config.type);
	}
	builder_emit(b, &c);
	if (has_bias)
		mark_final(b, op->node->bias);
	return relu ? c.out[0] : c.in[0];
}

/* Emit one call that copies all waiting gradients to the arena. */
static void
emit_waiting(struct builder *b)
{
	struct gpu_program *p = b->p;
	struct call c = { .kind = CALL_WEIGHT_OUT };

	if (b->n_waiting == 0)
		return;
	c = builder_call(CALL_WEIGHT_OUT, b->last_conv);
	c.first = p->n_pieces;
	for (int i = 0; i < b->n_waiting; i++)
		builder_add_pieces(p, b->waiting[i]);
	c.n_pieces = p->n_pieces - c.first;
	builder_emit(b, &c);
	for (int i = 0; i < b->n_waiting; i++)
		mark_final(b, b->waiting[i]);
	b->n_waiting = 0;
	b->waiting_size = 0;
}

static void
weight_grad(struct builder *b, const struct op *op, int dy)
{
	const int weight = op->node->weight;
	struct call c = builder_call(CALL_CONV_WEIGHT, op);

	builder_read(b, op->in[0], &c);
	c.conv = builder_conv_shape(b, op);
	c.in[1] = dy;
	builder_emit(b, &c);
	if (b->p->weights[weight].in_place) {
		mark_final(b, weight);
		return;
	}
	b->last_conv = op;
	b->waiting[b->n_waiting++] = weight;
	b->waiting_size += b->p->graph->params[weight].n;
	if (b->waiting_size >= WAITING_MOST)
		emit_waiting(b);
}

/* Fuse data gradient c with the ReLU and weight gradients of the normalisation
 * that made its value, if all other shares of the gradient exist and the
 * executor supports it. */
static int
go_through_norm(struct builder *b, const struct op *op, struct call *c)
{
	const struct value_state *v = &b->values[op->in[0]];
	const int maker = b->l->values[op->in[0]].maker;
	const struct op *norm;

	if (maker == GRAPH_NONE || v->left != 1 || v->n_grads > 1)
		return 0;
	norm = &b->l->ops[maker];
	if (norm->kind != OP_NORM || !norm->relu)
		return 0;
	if (v->n_grads == 1)
		c->in[1] = v->grads[0];
	c->in[2] = b->values[norm->in[0]].tensor;
	if (norm->in[1] != GRAPH_NONE)
		c->in[3] = b->values[norm->in[1]].tensor;
	c->norm[0] = b->ops[maker].norm[0];
	c->norm[1] = b->ops[maker].norm[1];
	if (builder_supports(b, c))
		return 1;
	c->in[1] = c->in[2] = c->in[3] = MEMORY_PLAN_NONE;
	c->norm[0] = c->norm[1] = -1;
	return 0;
}

/* Mark operation o's weight gradients as final: no later call reads them, so
 * the allreduce may overwrite them. */
static void
mark_norms(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];

	for (int k = 0; k < 2; k++)
		if (op->norms[k] != NULL) {
			mark_final(b, op->norms[k]->weight);
			mark_final(b, op->norms[k]->bias);
		}
}

static void
backward_conv(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const struct op_value *in = &b->l->values[op->in[0]];
	const int dy = before_relu(b, i);
	struct call c = builder_call(CALL_CONV_DATA, op);
	int through;

	weight_grad(b, op, dy);
	if (!b->values[op->in[0]].wanted)
		return;
	c.conv = builder_conv_shape(b, op);
	c.in[0] = dy;
	through = go_through_norm(b, op, &c);
	c.out[0] = op->in[0] == 0
	    ? builder_tensor_like(b, b->p->input, op->node->name)
	    : builder_tensor(
		  b, &b->l->graph->nodes[in->node], b->p->config.type);
	builder_emit(b, &c);
	if (through)
		b->ops[in->maker].masked = c.out[0];
	else
		add_grad(b, op, op->in[0], c.out[0]);
}

/* Emit normalisation o's reduction. Returns the gradient behind its ReLU. */
static int
reduce_norm(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	const struct value_state *v = &b->values[op->out];
	const int relu = op->relu && !b->ops[o].pooled;
	struct call c = builder_call(CALL_NORM_REDUCE, op);
	int masked;

	assert(v->n_grads > 0);
	c.in[0] = v->grads[0];
	if (v->n_grads == 2)
		c.in[1] = v->grads[1];
	c.in[2] = b->values[op->in[0]].tensor;
	if (relu && op->in[1] != GRAPH_NONE)
		c.in[3] = v->tensor;
	if (op->norms[1] != NULL)
		c.in[4] = b->values[op->in[1]].tensor;
	c.norm[0] = b->ops[o].norm[0];
	c.norm[1] = b->ops[o].norm[1];
	c.relu = relu;
	masked = c.in[0];
	if (relu || v->n_grads == 2)
		masked = c.out[0] =
		    builder_tensor(b, op->node, b->p->config.type);
	builder_emit(b, &c);
	return masked;
}

/* Set output `at` of c to the gradient of normalisation o's k-th input. */
static void
set_norm_input(struct builder *b, int o, int k, int at, struct call *c)
{
	const struct op *op = &b->l->ops[o];

	c->norm[at] = b->ops[o].norm[k];
	c->in[1 + at] = b->values[op->in[k]].tensor;
	c->out[at] = builder_tensor(b, op->norms[k], b->p->config.type);
}

static void
backward_norm(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	struct call c = builder_call(CALL_NORM_BACK, op);
	int inputs[2], n = 0, masked;

	masked = b->ops[o].masked != MEMORY_PLAN_NONE ? b->ops[o].masked
						      : reduce_norm(b, o);

	c.in[0] = masked;
	for (int k = 0; k < 2; k++) {
		if (op->in[k] == GRAPH_NONE || !b->values[op->in[k]].wanted)
			continue;
		if (op->norms[k] == NULL) {
			add_grad(b, op, op->in[k], masked);
			continue;
		}
		if (n == 0)
			c.node = op->norms[k];
		inputs[n] = op->in[k];
		set_norm_input(b, o, k, n++, &c);
	}
	if (n > 0)
		builder_emit(b, &c);
	for (int k = 0; k < n; k++)
		add_grad(b, op, inputs[k], c.out[k]);
	mark_norms(b, o);
}

static void
backward_sum(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const int dy = before_relu(b, i);

	for (int k = 0; k < 2; k++)
		if (op->in[k] != GRAPH_NONE && b->values[op->in[k]].wanted)
			add_grad(b, op, op->in[k], dy);
}

static void
backward_other(struct builder *b, int i)
{
	static const enum call_kind kinds[N_OP_KINDS] = {
		[OP_AVGPOOL] = CALL_AVGPOOL_BACK,
		[OP_DROPOUT] = CALL_DROPOUT_BACK,
	};
	const struct op *op = &b->l->ops[i];
	struct call c = builder_call(kinds[op->kind], op);

	if (!b->values[op->in[0]].wanted)
		return;
	c.in[0] = whole_grad(b, op, op->out);
	c.out[0] =
	    builder_tensor_like(b, b->values[op->in[0]].tensor, op->node->name);
	add_grad(b, op, op->in[0], builder_emit(b, &c));
}

static void
backward_maxpool(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const struct value_state *v = &b->values[op->out];
	const int maker = b->l->values[op->in[0]].maker;
	int like = b->values[op->in[0]].tensor;
	struct call c = builder_call(CALL_MAXPOOL_BACK, op);

	if (!b->values[op->in[0]].wanted)
		return;
	assert(v->n_grads > 0);
	if (like == MEMORY_PLAN_NONE) /* the preceding normalisation is fused */
		like = b->values[b->l->ops[maker].in[0]].tensor;
	c.in[0] = v->grads[0];
	c.in[1] = b->ops[i].places;
	if (v->n_grads == 2)
		c.in[2] = v->grads[1];
	c.out[0] = builder_tensor_like(b, like, op->node->name);
	add_grad(b, op, op->in[0], builder_emit(b, &c));
}

void
builder_backward(struct builder *b)
{
	static void (*const makers[N_OP_KINDS])(struct builder *, int) = {
		[OP_CONV] = backward_conv,
		[OP_LINEAR] = backward_conv,
		[OP_NORM] = backward_norm,
		[OP_SUM] = backward_sum,
		[OP_MAXPOOL] = backward_maxpool,
		[OP_AVGPOOL] = backward_other,
		[OP_DROPOUT] = backward_other,
	};
	const int last = b->l->value_of_node[b->l->graph->n_nodes - 1];
	struct gpu_program *p = b->p;

	p->output_grad = builder_tensor_like(b, p->output, "output gradient");
	b->values[last].grads[b->values[last].n_grads++] = p->output_grad;
	for (int i = b->l->n_ops - 1; i >= 0; i--) {
		const struct op *op = &b->l->ops[i];

		makers[op->kind](b, i);
		for (int k = 0; k < 2; k++)
			if (op->in[k] != GRAPH_NONE)
				b->values[op->in[k]].left--;
	}
	emit_waiting(b);
	if (p->config.input_gradient)
		p->input_grad = whole_grad(b, &b->l->ops[0], 0);
}
