/* What the forward and the backward half of planning share; only program*.c
 * include it. */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_BUILDER_H
#define TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_BUILDER_H

#include "trainer/device/cuda/planning/program.h"

/* What is known of a value while its program is made. */
struct value_state {
	int tensor;   /* MEMORY_PLAN_NONE as long as it is not in memory */
	int grads[2]; /* tensors whose sum is its gradient */
	int n_grads;
	int left;   /* operations whose backward calls are not made yet */
	int wanted; /* its gradient is needed */
};

struct op_state {
	int norm[2];  /* OP_NORM: of in[0], of in[1]; or -1 */
	int finished; /* bit k: norm[k] has been finished */
	int implied;  /* OP_NORM: its output is never in memory; OP_CONV: bias
	                 and ReLU are left to the pooling after it */
	int pooled;   /* its ReLU is done by the pooling after it, both ways */
	int places;   /* OP_MAXPOOL: tensor */
	int masked;   /* OP_NORM: the gradient after the ReLU, if a data
	                 gradient made it; else MEMORY_PLAN_NONE */
};

struct builder {
	struct gpu_program *p;
	const struct op_list *l;
	struct value_state *values;
	struct op_state *ops;
	char *final;  /* [n_params] the gradient is made */
	int n_final;  /* so many from the end of params */
	int *waiting; /* parameters whose gradients are outside */
	int n_waiting;
	size_t waiting_size;        /* elements */
	const struct op *last_conv; /* whose gradient waits last */
};

/* A call of a kind for an operation, without tensors and normalisations. */
struct call builder_call(enum call_kind kind, const struct op *op);

/* Append a call.  Returns its out[0]. */
int builder_emit(struct builder *b, const struct call *c);

/* Add the pieces of parameter i. */
void builder_add_pieces(struct gpu_program *p, int i);

/* A new tensor of a batch of images of that shape. */
int builder_add_tensor(
    struct gpu_program *p, const char *name, struct shape s, enum dtype type);

/* A new tensor for node's output. */
int builder_tensor(struct builder *b, const struct node *n, enum dtype type);

/* A new tensor like another. */
int builder_tensor_like(struct builder *b, int tensor, const char *name);

/* True if the executor can do the call. */
int builder_supports(const struct builder *b, const struct call *c);

/* The convolution that an OP_CONV or OP_LINEAR is. */
struct conv_shape builder_conv_shape(
    const struct builder *b, const struct op *op);

/* Make c read value v: as a tensor, or as the normalisation that implies it. */
void builder_read(const struct builder *b, int v, struct call *c);

/* All forward, all backward calls. */
void builder_forward(struct builder *b);
void builder_backward(struct builder *b);

#endif
