/* A network's nodes joined into operations, as far as every device can: a ReLU
 * runs with the node before it, a normalisation with the sum after it.
 *
 * Values are the tensors between operations.  Nodes that were joined away have
 * none.
 *
 *	struct op_list l;
 *	ops_build(&graph, &l);
 *	for (int i = 0; i < l.n_ops; i++)
 *		... l.ops[i] ...
 *	ops_release(&l);
 */
#ifndef TRAINER_DEVICE_FUSED_OPS_H
#define TRAINER_DEVICE_FUSED_OPS_H

#include "trainer/graph/graph.h"

enum op_kind {
	OP_CONV, /* convolution, with bias and ReLU */
	OP_NORM, /* norm(in[0]) [+ norm(in[1]) or + in[1]], ReLU */
	OP_SUM,  /* in[0] [+ in[1]], ReLU */
	OP_MAXPOOL,
	OP_AVGPOOL,
	OP_FLATTEN, /* added by devices with blocked layouts; in no list */
	OP_DROPOUT,
	OP_LINEAR, /* convolution of one pixel: the flattened input */
	N_OP_KINDS
};

struct op_value {
	int node;  /* that it is the output of */
	int maker; /* operation; GRAPH_NONE for the input */
	int first; /* operation that reads it; GRAPH_NONE */
	int n_uses;
};

struct op {
	enum op_kind kind;
	const struct node *node;     /* names, parameters, sizes */
	const struct node *norms[2]; /* OP_NORM: of in[0], and of in[1] if that
	                                is normalised too, else NULL */
	int relu;
	int in[2], out; /* values; in[1] GRAPH_NONE if there is none */
};

struct op_list {
	const struct graph *graph; /* borrowed */
	struct op_value *values;   /* value 0: the input */
	int n_values;
	struct op *ops; /* in the order of their nodes */
	int n_ops;
	int *value_of_node; /* [n_nodes]; GRAPH_NONE where joined away */
};

/* Any graph can be joined.  An average pooling whose windows are one pixel is
 * dropped. */
void ops_build(const struct graph *g, struct op_list *out);

/* Free all. */
void ops_release(struct op_list *l);

#endif
