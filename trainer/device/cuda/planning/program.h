/* A training step as a GPU runs it: a list of calls on tensors, all planned
 * when the device is opened.  What computes the calls is a struct executor
 * (executor.h); nothing here knows of CUDA.
 *
 * Tensors are (n, h, w, c), channels last, of the program's type; a tensor is
 * known by its index, MEMORY_PLAN_NONE where there is none.  Each normalisation
 * has a row of vectors in fp32 (enum norm_vector).
 *
 * Plain: convolutions alone, with own calls for all else.  Fused: what the
 * executor can do in one call (program_supports_fn):
 *
 *	statistics of a convolution's output as it is written,
 *	relu(norm(x)) as the input of a convolution, so that only the raw x is
 *	    ever in memory,
 *	relu(norm(x) + z), a block's end, computed by the next block's first
 *	    convolution, which also writes it,
 *	after a data gradient: adding another gradient, undoing that ReLU and
 *	    summing up the normalisation's weight gradients,
 *	a convolution's bias and ReLU as its output is written.
 *
 *	struct gpu_program p;
 *	program_build(&graph, &config, &p);
 *	for (int i = 0; i < p.n_forward; i++)
 *		executor->ops->run(m, &p.calls[i], ...);
 *	program_release(&p);
 */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_H
#define TRAINER_DEVICE_CUDA_PLANNING_PROGRAM_H

#include "common/strbuf.h"
#include "trainer/device/memory_plan.h"
#include "trainer/device/fused_ops.h"
#include "trainer/device/cuda/planning/weight_piece.h"
#include "trainer/base/tensor.h"

enum call_kind {
	/* out[0] = convolution of the input with node's weight.  The input is
	 * in[0] (INPUT_PLAIN), relu(norm[0](in[0])) (INPUT_NORM), or with
	 * INPUT_BLOCK out[1] = relu(norm[0](in[0]) + in[1]), where in[1] is
	 * normalised with norm[1] if that is not -1.  The sums of the output
	 * go to norm[2] if that is not -1.  If biased, CALL_BIAS is done before
	 * the output is rounded: only INPUT_PLAIN, without sums. */
	CALL_CONV,
	/* out[0] = in[0] + bias, then ReLU if relu; out[0] is in[0]. */
	CALL_BIAS,
	/* SUM and SQUARES of norm[0] from in[0]; only with batch statistics. */
	CALL_NORM_SUMS,
	/* MEAN, INVSTD, SCALE, SHIFT of norm[0], from the sums or from the
	 * running statistics, which follow. */
	CALL_NORM_FINISH,
	/* out[0] = norm[0](in[0]) [+ in[1], normalised if norm[1]], ReLU. */
	CALL_NORM_APPLY,
	CALL_SUM, /* out[0] = in[0] [+ in[1]], ReLU */
	/* out[0], and places out[1] (u8), of in[0]; of relu(norm[0](in[0])) if
	 * that is not -1; of relu(in[0] + bias) with the bias of before if
	 * that is not NULL.  Fused, a largest of 0 has no place. */
	CALL_MAXPOOL,
	CALL_AVGPOOL,
	CALL_DROPOUT,

	/* out[0] = the gradient of a convolution's input from in[0], that of
	 * its output.  If norm[0] is not -1, then further: + in[1] if that is
	 * there; times the mask of relu(norm[0](in[2]) [+ in[3], normalised if
	 * norm[1]]); GAMMA_GRAD and BETA_GRAD of norm[0] and norm[1]. */
	CALL_CONV_DATA,
	/* Gradient of node's weight from the input, read as in CALL_CONV
	 * (INPUT_PLAIN or INPUT_NORM), and in[1], the output's gradient. */
	CALL_CONV_WEIGHT,
	/* Weights' gradients that were made outside into the arena: n_pieces
	 * from number first on. */
	CALL_WEIGHT_OUT,
	/* Of node's bias from in[0], or, if there is an out[0], from out[0] =
	 * in[0] where in[1] > 0, else 0. */
	CALL_BIAS_GRAD,
	/* out[0] = (in[0] [+ in[1]]) masked by in[3] > 0, or without in[3] by
	 * norm[0](in[2]) > 0 if relu; GAMMA_GRAD and BETA_GRAD of norm[0] from
	 * it and in[2], of norm[1] from it and in[4]. */
	CALL_NORM_REDUCE,
	/* out[0] = the gradient of norm[0]'s input in[1], from in[0]; if
	 * norm[1] is not -1, out[1] = that of norm[1]'s input in[2]. */
	CALL_NORM_BACK,
	CALL_RELU_BACK,    /* out[0] = in[0] where in[1] > 0, else 0 */
	CALL_MAXPOOL_BACK, /* out[0] from in[0] [+ in[2]], places in[1] */
	CALL_AVGPOOL_BACK,
	CALL_DROPOUT_BACK,
	N_CALL_KINDS
};

enum call_input { INPUT_PLAIN, INPUT_NORM, INPUT_BLOCK };

enum norm_vector {
	NORM_SUM,
	NORM_SQUARES,
	NORM_MEAN,
	NORM_INVSTD,
	NORM_SCALE, /* gamma * invstd */
	NORM_SHIFT, /* beta - mean * SCALE */
	N_NORM_VECTORS
};

enum { CALL_IN = 5, CALL_OUT = 2, CALL_NORMS = 3 };

/* A convolution: (batch, h, w, c) to (batch, p, q, k).  A linear layer is one
 * of a single pixel. */
struct conv_shape {
	int c, h, w; /* c with padding */
	int k, p, q;
	int kernel, stride, pad;
};

struct call {
	enum call_kind kind;
	const struct node *node;   /* whose parameters; sizes of pooling */
	const struct node *before; /* pooling: whose bias and ReLU it does */
	struct conv_shape conv;
	enum call_input input;
	int in[CALL_IN], out[CALL_OUT]; /* tensors */
	int norm[CALL_NORMS];           /* normalisations, or -1 */
	int relu;
	int biased;  /* CALL_CONV: with node's bias, then ReLU if relu */
	size_t done; /* backward: so much of the gradient arena is final */
	int first, n_pieces; /* CALL_WEIGHT_OUT */
};

struct tensor {
	struct shape shape; /* of one image; c with padding */
	size_t n;           /* elements of the batch */
	enum dtype type;
};

struct norm {
	const struct node *node;
	size_t offset; /* elements: of its vectors, each norm_stride long */
	size_t stride;
	double count; /* batch * h * w */
};

/* Where a convolution's weights are as the executor multiplies with them. */
struct program_weight {
	int in_place;   /* in the arenas themselves; else at offset of the
	                   working arenas */
	size_t offset;  /* elements */
	int k, taps, c; /* (k, taps, c padded) of (k, taps, channels) */
	int channels;
};

struct gpu_program;

/* True if the executor can do this fused call. */
typedef int (*program_supports_fn)(
    void *ctx, const struct gpu_program *p, const struct call *c);

struct program_config {
	int batch;
	enum dtype type;    /* of tensors: fp32, fp16, bf16 */
	int input_gradient; /* keep that of the input */
	int pad_input;      /* channels of the input are padded to this */
	program_supports_fn supports; /* NULL: nothing fused */
	void *ctx;
};

struct gpu_program {
	const struct graph *graph; /* borrowed */
	struct program_config config;
	struct op_list ops;
	struct tensor *tensors; /* [memory.n] */
	size_t alloc_tensors;
	struct memory_plan memory; /* offsets of the tensors, not allocated */
	struct call *calls;        /* forward ones, then backward */
	size_t alloc_calls;
	int n_calls, n_forward;
	struct norm *norms; /* [n_norms] */
	int n_norms;
	size_t n_vectors;               /* elements of all norms' vectors */
	struct program_weight *weights; /* [n_params]; k 0 for vectors */
	size_t n_work;                  /* elements of a working arena */
	struct weight_piece *pieces;    /* each weight is in one */
	size_t alloc_pieces;
	int n_pieces, n_work_pieces; /* those with work come first */
	int input, output;           /* tensors */
	int output_grad, input_grad; /* MEMORY_PLAN_NONE if not wanted */
};

/* Plan all.  Every graph can be planned. */
void program_build(const struct graph *g, const struct program_config *c,
    struct gpu_program *out);

/* Free all. */
void program_release(struct gpu_program *p);

/* Add the calls, a line each, to out. */
void program_describe(const struct gpu_program *p, struct strbuf *out);

/* True for convolutions, forward or for a gradient. */
static inline int
call_is_conv(const struct call *c)
{
	return c->kind == CALL_CONV || c->kind == CALL_CONV_DATA ||
	    c->kind == CALL_CONV_WEIGHT;
}

/* True for convolutions that do more than that. */
static inline int
call_is_fused(const struct call *c)
{
	return call_is_conv(c) &&
	    (c->input != INPUT_PLAIN || c->norm[0] >= 0 || c->norm[2] >= 0 ||
		c->biased);
}

/* True if there may be engines of the program's type for c, a fused call or one
 * that it replaces.  Those that are ready made are fp16's; what adds a bias is
 * compiled when it is needed, for bf16 too. */
int program_may_fuse(const struct gpu_program *p, const struct call *c);

/* The name of a kind of call: "conv". */
const char *call_kind_name(enum call_kind kind);

#endif
