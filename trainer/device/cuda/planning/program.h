/* Program of a training step on a GPU: a list of calls on tensors, planned when
 * the device is opened and run by a struct executor (executor.h). Independent
 * of CUDA.
 *
 * Tensors are (n, h, w, c), channels last, of the program's type; a tensor is
 * identified by its index, MEMORY_PLAN_NONE if none. Each normalisation has a
 * row of vectors in fp32 (enum norm_vector).
 *
 * Plain programs have separate calls for convolutions and everything else.
 * Two calls are fused if the executor supports it (program_supports_fn):
 *
 *	statistics of a convolution's output as it is written,
 *	after a data gradient: adding another gradient, undoing the ReLU of a
 *	    normalisation or a block's end and summing up the normalisation's
 *	    weight gradients.
 *
 *	struct gpu_program p;
 *	program_build(&graph, &config, &p);
 *	for (int i = 0; i < p.n_forward; i++)
 *		executor->ops->run(m, &p.calls[i], ...);
 *	program_release(&p);
 */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_H
#define TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_H

#include "common/alloc.h"
#include "trainer/device/memory_plan.h"
#include "trainer/device/fused_ops.h"
#include "trainer/device/cuda/planning/weight_piece.h"
#include "trainer/base/tensor.h"

enum call_kind {
	/* out[0] = convolution of in[0] with node's weight. Sums of the output
	 * go to norm[0] unless that is -1. */
	CALL_CONV,
	/* out[0] = in[0] + bias, then ReLU if relu; in place. */
	CALL_BIAS,
	/* SUM and SQUARES of norm[0] from in[0]; only for batch statistics. */
	CALL_NORM_SUMS,
	/* MEAN, INVSTD, SCALE, SHIFT of norm[0], from the sums (which also
	 * update the running statistics) or from the running statistics; for a
	 * CALL_MAXPOOL. */
	CALL_NORM_FINISH,
	/* The same for norm[0], and for norm[1] unless that is -1, then
	 * out[0] = norm[0](in[0]) [+ in[1], normalised if norm[1]], ReLU. */
	CALL_NORM_APPLY,
	CALL_SUM, /* out[0] = in[0] [+ in[1]], ReLU */
	/* out[0] = pooled in[0], or relu(norm[0](in[0])) unless norm[0] is -1,
	 * or relu(in[0] + bias) with the bias of `before` unless that is NULL;
	 * out[1] = places (u8). If fused, a maximum of 0 has no place. */
	CALL_MAXPOOL,
	CALL_AVGPOOL,
	CALL_DROPOUT,

	/* out[0] = gradient of a convolution's input from in[0], the output's
	 * gradient. Unless norm[0] is -1, also: add in[1] if present; mask by
	 * relu(norm[0](in[2]) [+ in[3]]); compute the gradients of norm[0]'s
	 * weights. */
	CALL_CONV_DATA,
	/* Gradient of node's weight from in[0], the input, and in[1], the
	 * output's gradient. */
	CALL_CONV_WEIGHT,
	/* Copy gradients of working weights to the arena: n_pieces pieces from
	 * `first` on. */
	CALL_WEIGHT_OUT,
	/* Gradient of node's bias from in[0], or if there is an out[0], from
	 * out[0] = in[0] where in[1] > 0, else 0. */
	CALL_BIAS_GRAD,
	/* out[0] = (in[0] [+ in[1]]) masked by in[3] > 0, or without in[3] by
	 * norm[0](in[2]) > 0 if relu; GAMMA_GRAD and BETA_GRAD of norm[0] from
	 * it and in[2], of norm[1] from it and in[4]. */
	CALL_NORM_REDUCE,
	/* out[0] = gradient of norm[0]'s input in[1], from in[0]; unless
	 * norm[1] is -1, out[1] = gradient of norm[1]'s input in[2]. */
	CALL_NORM_BACK,
	CALL_RELU_BACK,    /* out[0] = in[0] where in[1] > 0, else 0 */
	CALL_MAXPOOL_BACK, /* out[0] from in[0] [+ in[2]], places in[1] */
	CALL_AVGPOOL_BACK,
	CALL_DROPOUT_BACK,
	N_CALL_KINDS
};

enum norm_vector {
	NORM_SUM,
	NORM_SQUARES,
	NORM_MEAN,
	NORM_INVSTD,
	NORM_SCALE, /* gamma * invstd */
	NORM_SHIFT, /* beta - mean * SCALE */
	N_NORM_VECTORS
};

enum { CALL_IN = 5, CALL_OUT = 2, CALL_NORMS = 2 };

/* Convolution from (batch, h, w, c) to (batch, p, q, k). A linear layer is a
 * convolution of a single pixel. */
struct conv_shape {
	int c, h, w; /* c includes padding */
	int k, p, q;
	int kernel, stride, pad;
};

struct call {
	enum call_kind kind;
	const struct node *node;   /* gives parameters, sizes of pooling */
	const struct node *before; /* pooling: node of fused bias and ReLU */
	struct conv_shape conv;
	int in[CALL_IN], out[CALL_OUT]; /* tensors */
	int norm[CALL_NORMS];           /* normalisations, or -1 */
	int relu;
	size_t done;         /* backward: leading gradients that are final */
	int first, n_pieces; /* CALL_WEIGHT_OUT */
};

struct tensor {
	struct shape shape; /* of one image; c includes padding */
	size_t n;           /* elements of a batch */
	enum dtype type;
};

struct norm {
	const struct node *node;
	size_t offset; /* of its vectors, in elements */
	size_t stride;
	double count; /* batch * h * w */
};

/* Layout of a convolution's weights in the form that the executor uses. */
struct program_weight {
	int in_place;   /* 1: in the arenas; 0: in the working arenas */
	size_t offset;  /* elements */
	int k, taps, c; /* (k, taps, c), with channels padded to c */
	int channels;
};

struct gpu_program;

/* True if the executor supports this fused call. */
typedef int (*program_supports_fn)(
    void *ctx, const struct gpu_program *p, const struct call *c);

struct program_config {
	int batch;
	enum dtype type;              /* type of tensors: fp32, fp16, bf16 */
	int input_gradient;           /* 1: compute the input's gradient */
	program_supports_fn supports; /* NULL: nothing is fused */
	void *ctx;
};

struct gpu_program {
	const struct graph *graph; /* borrowed */
	struct program_config config;
	struct op_list ops;
	struct tensor *tensors; /* [memory.n] */
	size_t alloc_tensors;
	struct memory_plan memory; /* offsets, nothing is allocated */
	struct call *calls;        /* forward, then backward calls */
	size_t alloc_calls;
	int n_calls, n_forward;
	struct norm *norms; /* [n_norms] */
	int n_norms;
	size_t n_vectors;               /* elements of all vectors */
	struct program_weight *weights; /* [n_params]; k is 0 for vectors */
	size_t n_work;                  /* elements of a working arena */
	struct weight_piece *pieces;    /* cover each weight once */
	size_t alloc_pieces;
	int n_pieces, n_work_pieces; /* those with working weights first */
	int input, output;           /* tensors */
	int output_grad, input_grad; /* MEMORY_PLAN_NONE if not wanted */
};

/* Plan a program; succeeds for every graph. */
void program_build(const struct graph *g, const struct program_config *c,
    struct gpu_program *out);

/* Free all. */
void program_release(struct gpu_program *p);

/* Append the calls to out, one per line. */
void program_describe(const struct gpu_program *p, struct strbuf *out);

/* True for convolutions, forward or of a gradient. */
static inline int
call_is_conv(const struct call *c)
{
	return c->kind == CALL_CONV || c->kind == CALL_CONV_DATA ||
	    c->kind == CALL_CONV_WEIGHT;
}

/* True for convolutions with fused operations. */
static inline int
call_is_fused(const struct call *c)
{
	return call_is_conv(c) && c->norm[0] >= 0;
}

/* Name of a kind of call, such as "conv". */
const char *call_kind_name(enum call_kind kind);

#endif
