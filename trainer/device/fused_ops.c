/* Fusion of nodes into operations. */
#include <config.h>

#include "trainer/device/fused_ops.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

struct joiner {
	struct op_list *l;
	const struct graph *g;
	int *n_users;  /* [n_nodes] number of readers of each node */
	int *user;     /* [n_nodes] last reader */
	char *pending; /* [n_nodes] normalisation to be fused into a sum */
};

static int
add_value(struct joiner *j, int node)
{
	struct op_list *l = j->l;

	l->values[l->n_values] = (struct op_value){
		.node = node, .maker = l->n_ops, .first = GRAPH_NONE
	};
	l->value_of_node[node] = l->n_values;
	return l->n_values++;
}

static int
read_value_of(struct joiner *j, int value)
{
	struct op_value *v = &j->l->values[value];

	if (v->first == GRAPH_NONE)
		v->first = j->l->n_ops;
	v->n_uses++;
	return value;
}

/* The only reader of node i if it has that kind, else GRAPH_NONE. */
static int
sole_user(const struct joiner *j, int i, enum node_kind kind)
{
	return j->n_users[i] == 1 && j->g->nodes[j->user[i]].kind == kind
	    ? j->user[i]
	    : GRAPH_NONE;
}

/* Add the operation of node i with the values of nodes a and b as inputs, fused
 * with a ReLU that is the only reader of the result. */
static struct op *
add_op(struct joiner *j, enum op_kind kind, int i, int a, int b)
{
	struct op_list *l = j->l;
	struct op *op = &l->ops[l->n_ops];
	const int relu =
	    kind == OP_MAXPOOL || kind == OP_AVGPOOL || kind == OP_DROPOUT
	    ? GRAPH_NONE
	    : sole_user(j, i, NODE_RELU);

	memset(op, 0, sizeof *op);
	op->kind = kind;
	op->node = &j->g->nodes[i];
	op->in[0] = read_value_of(j, l->value_of_node[a]);
	op->in[1] = b == GRAPH_NONE ? GRAPH_NONE
				    : read_value_of(j, l->value_of_node[b]);
	op->relu = relu != GRAPH_NONE;
	op->out = add_value(j, op->relu ? relu : i);
	l->n_ops++;
	return op;
}

/* Fuse a sum with the pending normalisations of its inputs. */
static void
join_add(struct joiner *j, int i)
{
	const struct node *nodes = j->g->nodes;
	const int first = j->pending[nodes[i].in[0]] ? 0 : 1;
	int in[2] = { nodes[i].in[first], nodes[i].in[1 - first] };
	const struct node *norms[2] = { NULL, NULL };
	struct op *op;

	for (int k = 0; k < 2; k++)
		if (j->pending[in[k]]) {
			norms[k] = &nodes[in[k]];
			in[k] = norms[k]->in[0];
		}
	op = add_op(j, norms[0] != NULL ? OP_NORM : OP_SUM, i, in[0], in[1]);
	op->norms[0] = norms[0];
	op->norms[1] = norms[1];
}

/* Add node i to the operations. */
static void
join_node(struct joiner *j, int i)
{
	const struct node *n = &j->g->nodes[i];
	const struct shape in = j->g->nodes[n->in[0]].out;

	switch (n->kind) {
	case NODE_CONV:
		add_op(j, OP_CONV, i, n->in[0], GRAPH_NONE);
		break;
	case NODE_BATCHNORM:
		if (sole_user(j, i, NODE_ADD) != GRAPH_NONE)
			j->pending[i] = 1;
		else
			add_op(j, OP_NORM, i, n->in[0], GRAPH_NONE)->norms[0] =
			    n;
		break;
	case NODE_RELU: /* unless fused into the operation before */
		if (j->l->value_of_node[i] == GRAPH_NONE)
			add_op(j, OP_SUM, i, n->in[0], GRAPH_NONE)->relu = 1;
		break;
	case NODE_ADD:
		join_add(j, i);
		break;
	case NODE_MAXPOOL:
		add_op(j, OP_MAXPOOL, i, n->in[0], GRAPH_NONE);
		break;
	case NODE_AVGPOOL:
		if (in.h == n->out.h && in.w == n->out.w)
			j->l->value_of_node[i] = j->l->value_of_node[n->in[0]];
		else
			add_op(j, OP_AVGPOOL, i, n->in[0], GRAPH_NONE);
		break;
	case NODE_DROPOUT:
		add_op(j, OP_DROPOUT, i, n->in[0], GRAPH_NONE);
		break;
	default:
		add_op(j, OP_LINEAR, i, n->in[0], GRAPH_NONE);
	}
}

void
ops_build(const struct graph *g, struct op_list *out)
{
	const size_t n = (size_t)g->n_nodes;
	struct joiner j = { .l = out, .g = g };

	memset(out, 0, sizeof *out);
	out->graph = g;
	out->values = xcalloc(n, sizeof *out->values);
	out->ops = xcalloc(n, sizeof *out->ops);
	out->value_of_node = xcalloc(n, sizeof *out->value_of_node);
	j.n_users = xcalloc(n, sizeof *j.n_users);
	j.user = xcalloc(n, sizeof *j.user);
	j.pending = xcalloc(n, sizeof *j.pending);
	for (int i = 0; i < g->n_nodes; i++) {
		out->value_of_node[i] = GRAPH_NONE;
		for (int k = 0; k < 2; k++)
			if (g->nodes[i].in[k] != GRAPH_NONE) {
				j.n_users[g->nodes[i].in[k]]++;
				j.user[g->nodes[i].in[k]] = i;
			}
	}
	add_value(&j, 0);
	out->values[0].maker = GRAPH_NONE;
	for (int i = 1; i < g->n_nodes; i++)
		join_node(&j, i);
	free(j.n_users);
	free(j.user);
	free(j.pending);
}

void
ops_release(struct op_list *l)
{
	free(l->values);
	free(l->ops);
	free(l->value_of_node);
	memset(l, 0, sizeof *l);
}
