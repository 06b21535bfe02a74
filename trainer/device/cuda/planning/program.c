/* Build a program: place tensors, lay out weights, emit the calls of a forward
 * and a backward pass, name them. */
#include <config.h>

#include "trainer/device/cuda/planning/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	WORK_ALIGN = 64, /* elements */
	VECTOR_ALIGN = 32,
	INPUT_CHANNELS = 4, /* to which the input of convolutions is padded */
	/* Elements of gradients collected for one CALL_WEIGHT_OUT: 8 MiB of
	 * fp32, a third of a usual bucket, so that no allreduce is delayed. */
	WAITING_MOST = 2 << 20
};

/* State of a value during planning. */
struct value_state {
	int tensor;   /* MEMORY_PLAN_NONE while not in memory */
	int grads[2]; /* tensors whose sum is its gradient */
	int n_grads;
	int left;   /* its users that have no backward calls yet */
	int wanted; /* 1: its gradient is needed */
};

struct op_state {
	int norm[2]; /* OP_NORM: norms of in[0] and in[1], or -1 */
	int summed;  /* bit k: norm[k] has its sums */
	int pooled;  /* 1: OP_NORM: the next pooling normalises, the output is
	                 never in memory; OP_CONV: it adds the bias; in both
	                 cases it does the ReLU */
	int places;  /* OP_MAXPOOL: tensor of places */
	int masked;  /* OP_NORM: gradient behind the ReLU if a data gradient
	                 made it; else MEMORY_PLAN_NONE */
};

struct builder {
	struct gpu_program *p;
	const struct op_list *l;
	struct value_state *values;
	struct op_state *ops;
	char *final;  /* [n_params] 1: the gradient is final */
	int n_final;  /* number of final ones from the end of params */
	int *waiting; /* parameters whose gradients are not yet in the arena */
	int n_waiting;
	size_t waiting_size;        /* elements */
	const struct op *last_conv; /* of the last waiting gradient */
};

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Make a call for an operation, without tensors and normalisations. */
static struct call
make_call(enum call_kind kind, const struct op *op)
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

/* Append a call.  Returns its out[0]. */
static int
emit(struct builder *b, const struct call *c)
{
	struct gpu_program *p = b->p;

	p->calls = vec_grow(
	    p->calls, (size_t)p->n_calls, &p->alloc_calls, sizeof *p->calls);
	p->calls[p->n_calls++] = *c;
	return c->out[0];
}

/* Add a tensor for a batch of images of a shape. */
static int
add_tensor(struct gpu_program *p, struct shape s, enum dtype type)
{
	const size_t n = (size_t)p->config.batch * shape_size(s);
	const int i = memory_plan_add(&p->memory, n * dtype_size(type));

	p->tensors = vec_grow(
	    p->tensors, (size_t)i, &p->alloc_tensors, sizeof *p->tensors);
	p->tensors[i] = (struct tensor){ s, n, type };
	return i;
}

/* Add a tensor for node's output. */
static int
node_tensor(struct builder *b, const struct node *n)
{
	return add_tensor(b->p, n->out, b->p->config.type);
}

static int
tensor_like(struct builder *b, int tensor)
{
	const struct tensor t = b->p->tensors[tensor];

	return add_tensor(b->p, t.shape, t.type);
}

/* Add the pieces of parameter i. */
static void
add_pieces(struct gpu_program *p, int i)
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

static int
supports(const struct builder *b, const struct call *c)
{
	const struct program_config *g = &b->p->config;

	return g->supports != NULL && g->supports(g->ctx, b->p, c);
}

/* Convolution of an OP_CONV or OP_LINEAR. */
static struct conv_shape
conv_shape_of(const struct builder *b, const struct op *op)
{
	const struct node *n = op->node;
	struct shape in = b->l->graph->nodes[b->l->values[op->in[0]].node].out;

	if (op->kind == OP_LINEAR)
		return (struct conv_shape){ (int)shape_size(in), 1, 1, n->out.c,
			1, 1, 1, 1, 0 };
	if (op->in[0] == 0)
		in = b->p->tensors[b->p->input].shape;
	return (struct conv_shape){ in.c, in.h, in.w, n->out.c, n->out.h,
		n->out.w, n->kernel, n->stride, n->pad };
}

/* --- forward -------------------------------------------------------------- */

static int
has_bias(const struct op *op)
{
	return op->node->bias != GRAPH_NONE;
}

/* Emit the sums of normalisation o's k-th input, unless it has them already. */
static void
sum_norm(struct builder *b, int o, int k)
{
	const struct op *op = &b->l->ops[o];
	struct call c = make_call(CALL_NORM_SUMS, op);

	if (b->ops[o].summed & 1 << k)
		return;
	c.node = op->norms[k];
	c.norm[0] = b->ops[o].norm[k];
	c.in[0] = b->values[op->in[k]].tensor;
	emit(b, &c);
	b->ops[o].summed |= 1 << k;
}

/* True if operation i has a ReLU and only a max pooling reads its output. The
 * pooling then does the ReLU and the bias or normalisation in front of it. */
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
	const struct op_value *v = &b->l->values[op->out];
	const int pooled = has_bias(op) && pooling_after(b, i);
	struct call c = make_call(CALL_CONV, op);
	int user = v->n_uses == 1 ? v->first : -1, k = 0;

	/* The only reader, if it is a normalisation; it reads input k. */
	if (user >= 0) {
		k = b->l->ops[user].in[0] == op->out ? 0 : 1;
		if (b->l->ops[user].kind != OP_NORM ||
		    b->l->ops[user].norms[k] == NULL)
			user = -1;
	}
	c.conv = conv_shape_of(b, op);
	c.in[0] = b->values[op->in[0]].tensor;
	/* Sum up the output if a normalisation needs the sums and the executor
	 * supports it. */
	if (user >= 0 && !has_bias(op) && !op->relu) {
		c.norm[0] = b->ops[user].norm[k];
		if (supports(b, &c))
			b->ops[user].summed |= 1 << k;
		else
			c.norm[0] = -1;
	}
	c.out[0] = node_tensor(b, op->node);
	b->values[op->out].tensor = emit(b, &c);
	b->ops[i].pooled = pooled;
	if ((has_bias(op) || op->relu) && !pooled) {
		c = make_call(has_bias(op) ? CALL_BIAS : CALL_SUM, op);
		c.in[0] = b->values[op->out].tensor;
		c.out[0] = has_bias(op) ? c.in[0] : node_tensor(b, op->node);
		c.relu = op->relu;
		b->values[op->out].tensor = emit(b, &c);
	}
	if (user >= 0)
		sum_norm(b, user, k);
}

static void
forward_norm(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	struct call c = make_call(CALL_NORM_APPLY, op);

	for (int k = 0; k < 2; k++) {
		if (op->norms[k] != NULL)
			sum_norm(b, o, k);
		c.norm[k] = b->ops[o].norm[k];
		if (op->in[k] != GRAPH_NONE)
			c.in[k] = b->values[op->in[k]].tensor;
	}
	if (op->in[1] == GRAPH_NONE && pooling_after(b, o)) {
		b->ops[o].pooled = 1;
		c = make_call(CALL_NORM_FINISH, op);
		c.node = op->norms[0];
		c.norm[0] = b->ops[o].norm[0];
		emit(b, &c);
		return;
	}
	c.relu = op->relu;
	c.out[0] = node_tensor(b, op->node);
	b->values[op->out].tensor = emit(b, &c);
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
	struct call c = make_call(kinds[op->kind], op);

	for (int k = 0; k < 2; k++)
		if (op->in[k] != GRAPH_NONE)
			c.in[k] = b->values[op->in[k]].tensor;
	c.relu = op->relu;
	c.out[0] = node_tensor(b, op->node);
	b->values[op->out].tensor = emit(b, &c);
}

static void
forward_maxpool(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const int maker = b->l->values[op->in[0]].maker;
	struct call c = make_call(CALL_MAXPOOL, op);

	c.in[0] = b->values[op->in[0]].tensor;
	if (maker != GRAPH_NONE && b->ops[maker].pooled) {
		const struct op *from = &b->l->ops[maker];

		if (from->kind == OP_NORM) {
			c.in[0] = b->values[from->in[0]].tensor;
			c.norm[0] = b->ops[maker].norm[0];
		} else {
			c.before = from->node;
		}
	}
	c.out[0] = node_tensor(b, op->node);
	c.out[1] = b->ops[i].places = add_tensor(b->p, op->node->out, DTYPE_U8);
	b->values[op->out].tensor = emit(b, &c);
}

/* --- backward ------------------------------------------------------------- */

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
	struct call c = make_call(CALL_SUM, op);

	assert(s->n_grads > 0);
	if (s->n_grads == 2) {
		c.in[0] = s->grads[0];
		c.in[1] = s->grads[1];
		c.out[0] = tensor_like(b, s->grads[0]);
		s->grads[0] = emit(b, &c);
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
	    make_call(has_bias ? CALL_BIAS_GRAD : CALL_RELU_BACK, op);

	c.in[0] = whole_grad(b, op, op->out);
	if (!has_bias && !relu)
		return c.in[0];
	if (relu) {
		c.in[1] = b->values[op->out].tensor;
		c.out[0] = node_tensor(b, op->node);
	}
	emit(b, &c);
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
	c = make_call(CALL_WEIGHT_OUT, b->last_conv);
	c.first = p->n_pieces;
	for (int i = 0; i < b->n_waiting; i++)
		add_pieces(p, b->waiting[i]);
	c.n_pieces = p->n_pieces - c.first;
	emit(b, &c);
	for (int i = 0; i < b->n_waiting; i++)
		mark_final(b, b->waiting[i]);
	b->n_waiting = 0;
	b->waiting_size = 0;
}

/* Fuse data gradient c with the ReLU and weight gradients of the only
 * normalisation that made its value, if all other shares of the gradient exist
 * and the executor supports it. (With two normalisations single calls are
 * faster: doc/performance.md.) */
static int
go_through_norm(struct builder *b, const struct op *op, struct call *c)
{
	const struct value_state *v = &b->values[op->in[0]];
	const int maker = b->l->values[op->in[0]].maker;
	const struct op *norm;

	if (maker == GRAPH_NONE || v->left != 1 || v->n_grads > 1)
		return 0;
	norm = &b->l->ops[maker];
	if (norm->kind != OP_NORM || !norm->relu || norm->norms[1] != NULL)
		return 0;
	if (v->n_grads == 1)
		c->in[1] = v->grads[0];
	c->in[2] = b->values[norm->in[0]].tensor;
	if (norm->in[1] != GRAPH_NONE)
		c->in[3] = b->values[norm->in[1]].tensor;
	c->norm[0] = b->ops[maker].norm[0];
	if (supports(b, c))
		return 1;
	c->in[1] = c->in[2] = c->in[3] = MEMORY_PLAN_NONE;
	c->norm[0] = -1;
	return 0;
}

static void
backward_conv(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const struct op_value *in = &b->l->values[op->in[0]];
	const int weight = op->node->weight, dy = before_relu(b, i);
	struct call c = make_call(CALL_CONV_WEIGHT, op);
	int through;

	c.conv = conv_shape_of(b, op);
	c.in[0] = b->values[op->in[0]].tensor;
	c.in[1] = dy;
	emit(b, &c);
	if (b->p->weights[weight].in_place) {
		mark_final(b, weight);
	} else {
		b->last_conv = op;
		b->waiting[b->n_waiting++] = weight;
		b->waiting_size += b->p->graph->params[weight].n;
		if (b->waiting_size >= WAITING_MOST)
			emit_waiting(b);
	}
	if (!b->values[op->in[0]].wanted)
		return;
	c = make_call(CALL_CONV_DATA, op);
	c.conv = conv_shape_of(b, op);
	c.in[0] = dy;
	through = go_through_norm(b, op, &c);
	c.out[0] = op->in[0] == 0
	    ? tensor_like(b, b->p->input)
	    : node_tensor(b, &b->l->graph->nodes[in->node]);
	emit(b, &c);
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
	struct call c = make_call(CALL_NORM_REDUCE, op);

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
	if (relu || v->n_grads == 2)
		c.out[0] = node_tensor(b, op->node);
	emit(b, &c);
	return relu || v->n_grads == 2 ? c.out[0] : c.in[0];
}

static void
backward_norm(struct builder *b, int o)
{
	const struct op *op = &b->l->ops[o];
	struct call c = make_call(CALL_NORM_BACK, op);
	int inputs[2], n = 0;

	c.in[0] = b->ops[o].masked != MEMORY_PLAN_NONE ? b->ops[o].masked
						       : reduce_norm(b, o);
	for (int k = 0; k < 2; k++) {
		if (op->in[k] == GRAPH_NONE || !b->values[op->in[k]].wanted)
			continue;
		if (op->norms[k] == NULL) {
			add_grad(b, op, op->in[k], c.in[0]);
			continue;
		}
		if (n == 0)
			c.node = op->norms[k];
		inputs[n] = op->in[k];
		c.norm[n] = b->ops[o].norm[k];
		c.in[1 + n] = b->values[op->in[k]].tensor;
		c.out[n++] = node_tensor(b, op->norms[k]);
	}
	if (n > 0)
		emit(b, &c);
	for (int k = 0; k < n; k++)
		add_grad(b, op, inputs[k], c.out[k]);
	/* No later call reads these: the allreduce may overwrite them. */
	for (int k = 0; k < 2; k++)
		if (op->norms[k] != NULL) {
			mark_final(b, op->norms[k]->weight);
			mark_final(b, op->norms[k]->bias);
		}
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
	struct call c = make_call(kinds[op->kind], op);

	if (!b->values[op->in[0]].wanted)
		return;
	c.in[0] = whole_grad(b, op, op->out);
	c.out[0] = tensor_like(b, b->values[op->in[0]].tensor);
	add_grad(b, op, op->in[0], emit(b, &c));
}

static void
backward_maxpool(struct builder *b, int i)
{
	const struct op *op = &b->l->ops[i];
	const struct value_state *v = &b->values[op->out];
	const int maker = b->l->values[op->in[0]].maker;
	int like = b->values[op->in[0]].tensor;
	struct call c = make_call(CALL_MAXPOOL_BACK, op);

	if (!b->values[op->in[0]].wanted)
		return;
	assert(v->n_grads > 0);
	if (like == MEMORY_PLAN_NONE) /* the preceding normalisation is fused */
		like = b->values[b->l->ops[maker].in[0]].tensor;
	c.in[0] = v->grads[0];
	c.in[1] = b->ops[i].places;
	if (v->n_grads == 2)
		c.in[2] = v->grads[1];
	c.out[0] = tensor_like(b, like);
	add_grad(b, op, op->in[0], emit(b, &c));
}

static const struct {
	void (*forward)(struct builder *, int);
	void (*backward)(struct builder *, int);
} makers[N_OP_KINDS] = {
	[OP_CONV] = { forward_conv, backward_conv },
	[OP_LINEAR] = { forward_conv, backward_conv },
	[OP_NORM] = { forward_norm, backward_norm },
	[OP_SUM] = { forward_other, backward_sum },
	[OP_MAXPOOL] = { forward_maxpool, backward_maxpool },
	[OP_AVGPOOL] = { forward_other, backward_other },
	[OP_DROPOUT] = { forward_other, backward_other },
};

/* --- a program ----------------------------------------------------------- */

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
	struct shape input = p->graph->nodes[0].out;
	int convs_only = 1;

	for (int i = 0; i < b->l->n_values; i++) {
		struct value_state *v = &b->values[i];

		v->tensor = v->grads[0] = v->grads[1] = MEMORY_PLAN_NONE;
		v->left = b->l->values[i].n_uses;
		v->wanted = i > 0 || p->config.input_gradient;
	}
	for (int i = 0; i < b->l->n_ops; i++) {
		const struct op *op = &b->l->ops[i];

		if (op->in[0] == 0 || op->in[1] == 0)
			convs_only &= op->kind == OP_CONV;
		b->ops[i].masked = MEMORY_PLAN_NONE;
		for (int k = 0; k < 2; k++) {
			const struct node *n = op->norms[k];
			struct norm *m = &p->norms[p->n_norms];

			b->ops[i].norm[k] = n != NULL ? p->n_norms++ : -1;
			if (n == NULL)
				continue;
			m->node = n;
			m->offset = p->n_vectors;
			m->stride = round_up((size_t)n->out.c, VECTOR_ALIGN);
			m->count =
			    (double)p->config.batch * n->out.h * n->out.w;
			p->n_vectors += N_NORM_VECTORS * m->stride;
		}
	}
	/* Pad the input's channels if only convolutions read it. */
	if (convs_only && input.c < INPUT_CHANNELS)
		input.c = INPUT_CHANNELS;
	p->input = add_tensor(p, input, p->config.type);
	b->values[0].tensor = p->input;
	place_weights(b);
}

void
program_build(const struct graph *g, const struct program_config *c,
    struct gpu_program *p)
{
	struct builder b = { .p = p };
	struct value_state *last;

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
	for (int i = 0; i < p->ops.n_ops; i++)
		makers[p->ops.ops[i].kind].forward(&b, i);
	last = &b.values[p->ops.value_of_node[g->n_nodes - 1]];
	p->output = last->tensor;
	p->n_forward = p->n_calls;
	b.waiting = xcalloc((size_t)g->n_params + 1, sizeof *b.waiting);
	p->output_grad = tensor_like(&b, p->output);
	last->grads[last->n_grads++] = p->output_grad;
	for (int i = p->ops.n_ops - 1; i >= 0; i--) {
		const struct op *op = &p->ops.ops[i];

		makers[op->kind].backward(&b, i);
		for (int k = 0; k < 2; k++)
			if (op->in[k] != GRAPH_NONE)
				b.values[op->in[k]].left--;
	}
	emit_waiting(&b);
	if (c->input_gradient)
		p->input_grad = whole_grad(&b, &p->ops.ops[0], 0);
	p->n_work_pieces = p->n_pieces;
	for (int i = g->n_params - 1; i >= 0; i--)
		if (p->weights[i].k == 0 || p->weights[i].in_place)
			add_pieces(p, i);
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

const char *
call_kind_name(enum call_kind kind)
{
	return kind_names[kind];
}

void
program_describe(const struct gpu_program *p, struct strbuf *out)
{
	for (const struct call *c = p->calls; c < p->calls + p->n_calls; c++) {
		const int k = c->norm[c->kind == CALL_NORM_BACK];
		const char *norm = k >= 0 ? p->norms[k].node->name : NULL;

		strbuf_printf(
		    out, "%s %s", call_kind_name(c->kind), c->node->name);
		if (c->kind == CALL_WEIGHT_OUT)
			strbuf_printf(
			    out, " and before: %d pieces", c->n_pieces);
		if (c->kind == CALL_MAXPOOL && norm != NULL)
			strbuf_printf(out, " of relu and %s", norm);
		if (c->before != NULL)
			strbuf_printf(out, " with %s's bias", c->before->name);
		if (c->kind == CALL_NORM_BACK && norm != NULL)
			strbuf_printf(out, " and %s", norm);
		if (c->kind == CALL_BIAS_GRAD && c->out[0] != MEMORY_PLAN_NONE)
			strbuf_printf(out, " through relu");
		if (c->kind == CALL_CONV && norm != NULL)
			strbuf_printf(out, " with sums");
		if (c->kind == CALL_CONV_DATA && norm != NULL)
			strbuf_printf(out, "%s through relu and %s",
			    c->in[1] != MEMORY_PLAN_NONE ? " plus shortcut"
							 : "",
			    norm);
		strbuf_printf(out, "\n");
	}
}
