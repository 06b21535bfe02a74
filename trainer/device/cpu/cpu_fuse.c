/* From a network's nodes to values and operations, several nodes in one where
 * the cpu device can. cpu.c calls it once, when the device is opened; nothing
 * is computed here. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum { STEM_CHANNELS = 4 };

/* What the fusion knows of each node. */
struct fuse {
	struct cpu *d;
	const struct graph *g;
	int *n_users;  /* [n_nodes] nodes that read it */
	int *user;     /* [n_nodes] the last of them */
	char *pending; /* [n_nodes] a normalisation that its sum will take in */
	int *flat;     /* [n_nodes] the value of its flattened form */
	struct error *e;
};

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* A value for the output of a node. */
static int
add_value(struct fuse *f, int node, enum cpu_layout layout)
{
	struct cpu *d = f->d;
	const struct shape s = f->g->nodes[node].out;
	const size_t batch = (size_t)d->base.config.batch;
	struct cpu_value *v;

	if (d->n_values == d->alloc_values) {
		d->alloc_values += 64;
		d->values = xreallocarray(
		    d->values, (size_t)d->alloc_values, sizeof *d->values);
	}
	v = &d->values[d->n_values];
	memset(v, 0, sizeof *v);
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
	return d->n_values++;
}

static struct cpu_op *
add_op(struct fuse *f, enum cpu_op_kind kind, const struct node *n, int in,
    int out)
{
	struct cpu *d = f->d;
	struct cpu_op *op;

	if (d->n_ops == d->alloc_ops) {
		d->alloc_ops += 64;
		d->ops =
		    xreallocarray(d->ops, (size_t)d->alloc_ops, sizeof *d->ops);
	}
	op = &d->ops[d->n_ops++];
	memset(op, 0, sizeof *op);
	op->kind = kind;
	op->node = n;
	op->in[0] = in;
	op->in[1] = GRAPH_NONE;
	op->out = out;
	op->dy = op->dy2 = op->dx[0] = op->dx[1] = MEMORY_PLAN_NONE;
	op->own_buffer = MEMORY_PLAN_NONE;
	d->values[in].n_uses++;
	return op;
}

/* The node that alone reads node i and is of the given kind, or NULL. */
static const struct node *
sole_user(const struct fuse *f, int i, enum node_kind kind)
{
	const struct node *n;

	if (f->n_users[i] != 1)
		return NULL;
	n = &f->g->nodes[f->user[i]];
	return n->kind == kind ? n : NULL;
}

/* If node i's only reader is a ReLU, that is where the result goes. */
static int
output_node(const struct fuse *f, int i, int *relu)
{
	*relu = sole_user(f, i, NODE_RELU) != NULL;
	return *relu ? f->user[i] : i;
}

static int
is_flat_kind(enum node_kind k)
{
	return k == NODE_LINEAR || k == NODE_DROPOUT;
}

/* The value of a node in blocked form. */
static int
blocked_value(struct fuse *f, int node)
{
	const struct cpu_value *v;
	int i = f->d->value_of_node[node];

	assert(i != GRAPH_NONE);
	v = &f->d->values[i];
	if (v->layout == LAYOUT_FLAT)
		return error_set(f->e, ERROR_USAGE,
		    "device 'cpu' cannot go on with images after '%s'",
		    v->name);
	return i;
}

/* The value of a node in flat form; flattened if need be. */
static int
flat_value(struct fuse *f, int node)
{
	int i = f->d->value_of_node[node];

	assert(i != GRAPH_NONE);
	if (f->d->values[i].layout == LAYOUT_FLAT)
		return i;
	if (f->flat[node] == GRAPH_NONE) {
		f->flat[node] = add_value(f, node, LAYOUT_FLAT);
		add_op(f, OP_FLATTEN, &f->g->nodes[node], i, f->flat[node]);
	}
	return f->flat[node];
}

static int
fuse_conv(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int relu, to = output_node(f, i, &relu);
	int in = blocked_value(f, n->in[0]);

	if (in < 0)
		return -1;
	f->d->value_of_node[to] = add_value(f, to, LAYOUT_BLOCKED);
	add_op(f, f->d->amx ? OP_AMX_CONV : OP_CONV, n, in,
	    f->d->value_of_node[to])
	    ->relu = relu;
	return 0;
}

static int
fuse_linear(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int relu, to = output_node(f, i, &relu);
	int in = flat_value(f, n->in[0]), out;

	out = add_value(f, to, LAYOUT_FLAT);
	f->d->value_of_node[to] = out;
	if (to == f->g->n_nodes - 1)
		f->d->values[out].type = DTYPE_FP32; /* exact logits */
	add_op(f, cpu_linear_is_own(f->d, n) ? OP_OWN_LINEAR : OP_LINEAR, n, in,
	    out)
	    ->relu = relu;
	return 0;
}

static int
fuse_batchnorm(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int relu, to, in;
	struct cpu_op *op;

	if (sole_user(f, i, NODE_ADD) != NULL) {
		f->pending[i] = 1;
		return 0;
	}
	in = blocked_value(f, n->in[0]);
	if (in < 0)
		return -1;
	to = output_node(f, i, &relu);
	f->d->value_of_node[to] = add_value(f, to, LAYOUT_BLOCKED);
	op = add_op(f, OP_NORM, n, in, f->d->value_of_node[to]);
	op->norms[0] = n;
	op->relu = relu;
	return 0;
}

/* A sum: takes in the normalisations that wait for it and the ReLU after. */
static int
fuse_add(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int a = n->in[0], b = n->in[1], relu, in[2];
	int to = output_node(f, i, &relu);
	const struct node *norms[2] = { NULL, NULL };
	struct cpu_op *op;

	if (!f->pending[a]) { /* the normalised operand first */
		a = n->in[1];
		b = n->in[0];
	}
	if (f->pending[a]) {
		norms[0] = &f->g->nodes[a];
		a = norms[0]->in[0];
	}
	if (f->pending[b]) {
		norms[1] = &f->g->nodes[b];
		b = norms[1]->in[0];
	}
	in[0] = blocked_value(f, a);
	in[1] = blocked_value(f, b);
	if (in[0] < 0 || in[1] < 0)
		return -1;
	f->d->value_of_node[to] = add_value(f, to, LAYOUT_BLOCKED);
	op = add_op(f, norms[0] != NULL ? OP_NORM : OP_SUM, n, in[0],
	    f->d->value_of_node[to]);
	op->norms[0] = norms[0];
	op->norms[1] = norms[1];
	op->relu = relu;
	op->in[1] = in[1];
	f->d->values[in[1]].n_uses++;
	return 0;
}

static int
fuse_relu(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int in = f->d->value_of_node[n->in[0]];
	struct cpu_op *op;

	if (f->d->value_of_node[i] != GRAPH_NONE)
		return 0; /* the node before took it in */
	f->d->value_of_node[i] = add_value(f, i, f->d->values[in].layout);
	op = add_op(f, OP_SUM, n, in, f->d->value_of_node[i]);
	op->relu = 1;
	return 0;
}

static int
fuse_pool(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	const struct shape x = f->g->nodes[n->in[0]].out;
	int in = blocked_value(f, n->in[0]);

	if (in < 0)
		return -1;
	if (n->kind == NODE_AVGPOOL && x.h == n->out.h && x.w == n->out.w) {
		f->d->value_of_node[i] = in; /* windows of one pixel */
		return 0;
	}
	f->d->value_of_node[i] = add_value(f, i, LAYOUT_BLOCKED);
	add_op(f, n->kind == NODE_MAXPOOL ? OP_MAXPOOL : OP_AVGPOOL, n, in,
	    f->d->value_of_node[i]);
	return 0;
}

static int
fuse_dropout(struct fuse *f, int i)
{
	const struct node *n = &f->g->nodes[i];
	int in = flat_value(f, n->in[0]);

	f->d->value_of_node[i] = add_value(f, i, LAYOUT_FLAT);
	add_op(f, OP_DROPOUT, n, in, f->d->value_of_node[i]);
	return 0;
}

static int (*const fusers[N_NODE_KINDS])(struct fuse *, int) = {
	[NODE_CONV] = fuse_conv,
	[NODE_BATCHNORM] = fuse_batchnorm,
	[NODE_RELU] = fuse_relu,
	[NODE_ADD] = fuse_add,
	[NODE_MAXPOOL] = fuse_pool,
	[NODE_AVGPOOL] = fuse_pool,
	[NODE_DROPOUT] = fuse_dropout,
	[NODE_LINEAR] = fuse_linear,
};

/* Images of few channels go straight into a convolution that knows how to read
 * them unblocked; with AMX it has no layout for their gradient. */
static int
is_stem(const struct fuse *f)
{
	const struct shape in = f->g->nodes[0].out;
	const struct node *n = sole_user(f, 0, NODE_CONV);

	if (in.c > STEM_CHANNELS || n == NULL)
		return 0;
	return !f->d->amx ||
	    (!f->d->base.config.input_gradient &&
		n->kernel *
			((n->kernel * in.c + f->d->block - 1) / f->d->block) <=
		    CPU_MAX_NARROW);
}

static enum cpu_layout
input_layout(const struct fuse *f)
{
	int all_flat = 1;

	if (is_stem(f))
		return LAYOUT_STEM;
	for (int i = 1; i < f->g->n_nodes; i++)
		if (f->g->nodes[i].in[0] == 0 || f->g->nodes[i].in[1] == 0)
			all_flat &= is_flat_kind(f->g->nodes[i].kind);
	return all_flat ? LAYOUT_FLAT : LAYOUT_BLOCKED;
}

/* Room for the padding, and for reading beyond the end: up to a block of
 * windows, and of each up to a block of words. */
static void
pad_stem(struct fuse *f)
{
	struct cpu_value *v = &f->d->values[0];
	const struct node *n = sole_user(f, 0, NODE_CONV);

	if (v->layout != LAYOUT_STEM || !f->d->amx)
		return;
	v->pad = n->pad;
	v->n = (size_t)f->d->base.config.batch * (size_t)v->shape.c *
		(size_t)(v->shape.h + 2 * v->pad) *
		(size_t)(v->shape.w + 2 * v->pad) +
	    (size_t)(f->d->block * (n->stride * v->shape.c + 2));
}

static int
fuse_all(struct fuse *f)
{
	const struct graph *g = f->g;

	for (int i = 0; i < g->n_nodes; i++) {
		f->flat[i] = f->d->value_of_node[i] = GRAPH_NONE;
		for (int k = 0; k < 2; k++)
			if (g->nodes[i].in[k] != GRAPH_NONE) {
				f->n_users[g->nodes[i].in[k]]++;
				f->user[g->nodes[i].in[k]] = i;
			}
	}
	f->d->value_of_node[0] = add_value(f, 0, input_layout(f));
	pad_stem(f);
	for (int i = 1; i < g->n_nodes; i++)
		if (fusers[g->nodes[i].kind](f, i) != 0)
			return -1;
	return 0;
}

int
cpu_fuse(struct cpu *d, struct error *e)
{
	const struct graph *g = d->base.graph;
	const size_t n = (size_t)g->n_nodes;
	struct fuse f = { .d = d, .g = g, .e = e };
	int rc;

	f.n_users = xcalloc(n, sizeof *f.n_users);
	f.user = xcalloc(n, sizeof *f.user);
	f.pending = xcalloc(n, sizeof *f.pending);
	f.flat = xcalloc(n, sizeof *f.flat);
	d->value_of_node = xcalloc(n, sizeof *d->value_of_node);
	rc = fuse_all(&f);
	for (int i = 0; rc == 0 && i < d->n_values; i++)
		d->values[i].n = round_up(d->values[i].n, CPU_LANES);
	free(f.n_users);
	free(f.user);
	free(f.pending);
	free(f.flat);
	return rc;
}
