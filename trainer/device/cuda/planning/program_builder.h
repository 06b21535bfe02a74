/* Shared by the forward and backward half of planning; included by program*.c
 * only. */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_BUILDER_H
#define TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_BUILDER_H

#include "trainer/device/cuda/planning/program.h"

/* State of a value during planning. */
struct value_state {
	int tensor;   /* MEMORY_PLAN_NONE while not in memory */
	int grads[2]; /* tensors whose sum is its gradient */
	int n_grads;
	int left;   /* operations without backward calls so far */
	int wanted; /* 1: its gradient is needed */
};

struct op_state {
	int norm[2];  /* OP_NORM: norms of in[0] and in[1], or -1 */
	int finished; /* bit k: norm[k] is finished */
	int implied;  /* 1: OP_NORM: output is never in memory; OP_CONV: the
	                 next pooling does bias and ReLU */
	int pooled;   /* 1: the next pooling does its ReLU */
	int places;   /* OP_MAXPOOL: tensor of places */
	int masked;   /* OP_NORM: gradient behind the ReLU if a data gradient
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

/* Make a call for an operation, without tensors and normalisations. */
struct call builder_call(enum call_kind kind, const struct op *op);

/* Append a call.  Returns its out[0]. */
int builder_emit(struct builder *b, const struct call *c);

/* Add the pieces of parameter i. */
void builder_add_pieces(struct gpu_program *p, int i);

/* Add a tensor for a batch of images of a shape. */
int builder_add_tensor(
    struct gpu_program *p, const char *name, struct shape s, enum dtype type);

/* Add a tensor for node's output. */
int builder_tensor(struct builder *b, const struct node *n, enum dtype type);

/* Add a tensor like another one. */
int builder_tensor_like(struct builder *b, int tensor, const char *name);

/* True if the executor supports the call. */
int builder_supports(const struct builder *b, const struct call *c);

/* Convolution of an OP_CONV or OP_LINEAR. */
struct conv_shape builder_conv_shape(
    const struct builder *b, const struct op *op);

/* Make c read value v: its tensor, or the input of the normalisation that
 * implies it. */
void builder_read(const struct builder *b, int v, struct call *c);

/* Emit all forward or all backward calls. */
void builder_forward(struct builder *b);
void builder_backward(struct builder *b);

#endif
