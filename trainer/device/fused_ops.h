/* Fusion of a network's nodes into operations, where every device supports it:
 * a ReLU with the node before it, a normalisation with the sum after it.
 *
 * Values are the tensors between operations. Fused nodes have none.
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
	OP_CONV, /* convolution with bias and ReLU */
	OP_NORM, /* norm(in[0]) [+ norm(in[1]) or + in[1]], ReLU */
	OP_SUM,  /* in[0] [+ in[1]], ReLU */
	OP_MAXPOOL,
	OP_AVGPOOL,
	OP_FLATTEN, /* added by devices with blocked layouts; not in op_list */
	OP_DROPOUT,
	OP_LINEAR, /* convolution over one pixel: the flattened input */
	N_OP_KINDS
};

struct op_value {
	int node;  /* node whose output it is */
	int maker; /* operation that writes it; GRAPH_NONE for the input */
	int first; /* first operation that reads it, or GRAPH_NONE */
	int n_uses;
};

struct op {
	enum op_kind kind;
	const struct node *node;     /* gives names, parameters, sizes */
	const struct node *norms[2]; /* OP_NORM: normalisation of in[0], and of
	                                in[1] or NULL */
	int relu;
	int in[2], out; /* values; in[1] may be GRAPH_NONE */
};

struct op_list {
	const struct graph *graph; /* borrowed */
	struct op_value *values;   /* value 0: the input */
	int n_values;
	struct op *ops; /* in node order */
	int n_ops;
	int *value_of_node; /* [n_nodes]; GRAPH_NONE for fused nodes */
};

/* Fuse any graph. An average pooling with windows of one pixel is dropped. */
void ops_build(const struct graph *g, struct op_list *out);

/* Free all. */
void ops_release(struct op_list *l);

#endif
