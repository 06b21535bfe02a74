/* The cpu device inside: a network's nodes become values (activations in
 * memory) and operations (what is run, several nodes fused into one), all
 * decided when the device is opened.
 *
 *	cpu.c          struct device_ops, instructions
 *	cpu_plan.c     values, operations, gradients, lifetimes, addresses
 *	cpu_values.c   where values, parameters, gradients lie
 *	cpu_conv.c     convolutions and linear layers through oneDNN
 *	amx_conv.c     convolutions in bf16, where the CPU has AMX
 *	amx_gram.c     their weight gradients
 *	cpu_norm.c     normalisation + add + ReLU
 *	cpu_ops.c      the other operations, linear layers of few images
 *	cpu_times.c    the time of each call (--profile)
 *	cpu_profile.c  their table
 *	kernels/       inner loops for each set of instructions
 */
#ifndef TRAINER_DEVICE_CPU_CPU_H
#define TRAINER_DEVICE_CPU_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"
#include "trainer/device/memory_plan.h"
#include "trainer/device/cpu/cpu_times.h"
#include "trainer/device/cpu/cpu_onednn.h"
#include "trainer/device/call_table.h"
#include "trainer/device/device.h"
#include "trainer/device/fused_ops.h"

/* LAYOUT_BLOCKED is (n, C / 16, h, w, 16), oneDNN's, with 8 for 16 below
 * AVX-512; with AMX it is (C / 32, n, h, w, 32), so that a block's pixels of
 * all images are one long matrix.
 * LAYOUT_STEM is for few channels and one convolution only: (n, c, h, w), with
 * AMX (n, h + 2 pad, w + 2 pad, c) with the convolution's padding.
 * LAYOUT_FLAT is (n, c * h * w), PyTorch's order. */
enum cpu_layout { LAYOUT_BLOCKED, LAYOUT_STEM, LAYOUT_FLAT };

enum {
	CPU_MAX_NARROW = 32,       /* blocks of a window of few channels */
	CPU_CACHED_BYTES = 1 << 20 /* where a thread's part of a value is
	                              larger, it is no longer in the caches
	                              when it is read again */
};

/* The sums of a value's channels, which the operation that makes it leaves for
 * the normalisation that reads it, in training only. */
struct cpu_sums {
	int channels;      /* true ones */
	int padded;        /* of whole blocks */
	const float *mean; /* [channels] running, and so near the mean: what is
	                      summed up are differences to it */
	float *pivot;      /* [padded] the same as it was then, 0 beyond */
	float *part;       /* [threads][2 * padded] scratch: of a part of the
	                      value, [block][sums, squares][block's channels] */
	double *sums;      /* [threads][padded][2] sums, squares */
};

/* One activation of the network. */
struct cpu_value {
	const char *name;
	enum cpu_layout layout;
	struct shape shape;
	enum dtype type;
	int blocks; /* channel blocks of LAYOUT_BLOCKED */
	int pad;    /* of LAYOUT_STEM with AMX */
	size_t n;   /* elements of the whole batch, padding included */
	int n_uses; /* operations that read it */
	int kept;   /* the operation that made it reads it again in its
	                   backward pass */
	int wanted; /* its gradient is needed */
	int buffer; /* in memory */
	struct cpu_sums *sums; /* NULL: no one wants them */
	int grads[2];          /* buffers whose sum is its gradient */
	int n_grads;
};

struct cpu_op;
struct cpu;

/* What a kind of operation can do. */
struct cpu_op_kind_ops {
	const char *name;
	/* Report which buffers are used when, make those of its own, and hand
	 * on gradients (cpu_plan.h). */
	void (*plan)(struct cpu *d, struct cpu_op *op);
	/* Make primitives; addresses are known. */
	int (*prepare)(struct cpu *d, struct cpu_op *op, struct error *e);
	int (*forward)(struct cpu *d, struct cpu_op *op, struct error *e);
	int (*backward)(struct cpu *d, struct cpu_op *op, struct error *e);
	/* Copy a weight-like tensor between arena and PyTorch's order; NULL: as
	 * arena_layout gives. */
	int (*copy)(struct cpu *d, const struct cpu_op *op, float *arena,
	    float *plain, int write);
	/* Take over changed parameters; may be NULL. */
	int (*refresh)(struct cpu *d, struct cpu_op *op, struct error *e);
	/* Where refresh writes, [2], NULL and 0 bytes if it does not; NULL: it
	 * writes elsewhere too. */
	void (*copies)(const struct cpu_op *op, struct device_region *out);
	/* Correct what is known of a call by its shapes alone (cpu_profile.c);
	 * may be NULL. */
	void (*work)(const struct cpu *d, const struct cpu_op *op,
	    enum cpu_call call, struct call_row *row);
	/* Add the choice of kernels to a line of text; may be NULL. */
	void (*describe)(const struct cpu_op *op, struct strbuf *out);
	/* Free op->own; may be NULL. */
	void (*release)(struct cpu_op *op);
};

struct cpu_op {
	enum op_kind kind;
	const struct cpu_op_kind_ops *ops;
	const struct node *node; /* the graph's: names, parameters, sizes */
	const struct node *norm; /* OP_NORM: of in[0] */
	int relu;
	int wide;       /* 1: products in fp32 of values in bf16 */
	int in[2], out; /* values; in[1] GRAPH_NONE if there is none */
	int dy, dy2;    /* buffers of the gradient of out; dy2 may be
	                      MEMORY_PLAN_NONE */
	int dx[2];      /* buffers for the gradients of in[]; MEMORY_PLAN_NONE:
	                      not wanted */
	int takes_two;  /* adds dy2 itself; otherwise dy += dy2 is done
	                      before its backward pass */
	int own_buffer; /* where of maxpool, mask of dropout, bits of a
	                      block's ReLU; or MEMORY_PLAN_NONE */
	int is_copied;  /* its weights, by another process, with which they are
	                   shared */
	struct cpu_merge {
		int from, to;
		size_t n;
	} merges[2]; /* after backward: to += from */
	int n_merges;
	int time_forward, time_backward;
	void *own;                    /* of the kind */
	double forward_s, backward_s; /* spent so far */
};

struct cpu {
	struct device base;
	const struct cpu_kernels *kernels;
	struct onednn onednn;
	enum isa isa;          /* instructions that are used */
	int amx;               /* isa has it, and precision is bf16 */
	enum dtype arithmetic; /* of oneDNN's products; fp32 for bf16 where
	                          that is faster for nearly all of them */
	int block;             /* channels of a block */
	struct cpu_value *values;
	struct cpu_op *ops;
	int n_values, n_ops;
	int output; /* value */
	struct memory_plan memory;
	float *wide[2]; /* [n_wide] input and output of some images in fp32;
	                   NULL if no operation is wide */
	size_t n_wide[2];
	size_t thread_bytes, shared_bytes; /* scratch of our own kernels */
	char *thread_space, *shared_space;
	float *params, *grads, *momenta;  /* the arenas */
	dnnl_memory_desc_t *arena_layout; /* [n_params] of each parameter */
	float *buffers;  /* [buffers_size] running statistics */
	double *row;     /* [2 * classes]: logits and their gradient */
	float *planes;   /* [threads][h * w] of the input */
	int32_t *labels; /* [batch] */
	char *final;     /* [n_params] gradient is ready (one backward) */
	int n;           /* images loaded */
	enum device_mode mode;
	long step, forwards;     /* forwards: how many have been run */
	struct cpu_times *times; /* NULL unless the run is profiled */
	struct cpu_roof *roof;   /* the same */
};

static inline struct cpu *
cpu(struct device *d)
{
	return (struct cpu *)d;
}

extern const struct cpu_op_kind_ops cpu_conv_ops, cpu_linear_ops, cpu_norm_ops,
    cpu_sum_ops, cpu_maxpool_ops, cpu_avgpool_ops, cpu_flatten_ops,
    cpu_dropout_ops, cpu_own_linear_ops;

/* True for linear layers that our own kernels compute. */
int cpu_linear_is_own(const struct cpu *d, const struct node *n);

/* Turn d->base.graph into values and operations.  ERROR_USAGE for a graph that
 * this device cannot run (dropout between convolutions). */
int cpu_fuse(struct cpu *d, struct error *e);

/* Decide gradients, lifetimes and places; memory_plan_take() is to follow. */
void cpu_plan(struct cpu *d);

/* device_ops.times: add what the steps so far have shown to out: the roofs, a
 * table and its sums as lines "profile ...", a line "call ..." for each call
 * (doc/trainer.md).
 *
 * repeats  is not used: config.profile was it when the device was opened
 *
 * ERROR_USAGE: that was 0, or no training step was done. */
int cpu_profile_show(
    struct device *base, int repeats, struct strbuf *out, struct error *e);

/* For a kind's plan(): the buffer into which op's gradient of in[i] goes, new
 * or shared with another that dies there; returns its value. */
void cpu_plan_dx(struct cpu *d, struct cpu_op *op, int i, int buffer);

/* plan() of a product with weights: convolutions and linear layers. */
void cpu_plan_product(struct cpu *d, struct cpu_op *op);

/* A new buffer like value v's. */
int cpu_plan_buffer(struct cpu *d, int v);

/* Buffers b is used in op's forward resp. backward pass. */
void cpu_use_forward(struct cpu *d, const struct cpu_op *op, int b);
void cpu_use_backward(struct cpu *d, const struct cpu_op *op, int b);

/* The address of a value, of a buffer. */
void *cpu_at(const struct cpu *d, int value);
void *cpu_buffer(const struct cpu *d, int buffer);

/* Buffer to += from, n elements of the device's precision. */
void cpu_add(struct cpu *d, size_t n, int from, int to);

/* Mask the gradient of op's output by its ReLU, in place. */
void cpu_relu_back(struct cpu *d, const struct cpu_op *op);

/* A parameter in its arena, its gradient; NULL for GRAPH_NONE. */
float *cpu_param(const struct cpu *d, int i);
float *cpu_grad(const struct cpu *d, int i);

/* The layout of some images of a value as oneDNN describes it. */
dnnl_memory_desc_t cpu_layout_of(const struct cpu *d, int value, int images);

/* The number of an image's panel of a channel block. */
size_t cpu_panel_index(
    const struct cpu *d, const struct cpu_value *v, int image, int block);

/* Begin with the sums of a value; NULL if it has none or no training is done.
 * Then, by each thread, forget its part; and when that has sums of some blocks,
 * the first of them numbered first, add them up. */
struct cpu_sums *cpu_sums_begin(struct cpu *d, int value);
float *cpu_sums_part(const struct cpu_sums *s);
void cpu_sums_add(
    const struct cpu *d, struct cpu_sums *s, int first, int blocks);

/* For a kind's prepare(): scratch of each thread and of all. */
void cpu_need_space(struct cpu *d, size_t of_thread, size_t of_all);

/* Scratch of the calling thread, thread_bytes. */
char *cpu_thread_space(const struct cpu *d);

/* True if so many bytes, or a value, do not stay in the caches until they are
 * read again. */
int cpu_are_past(const struct cpu *d, size_t bytes);
int cpu_is_past(const struct cpu *d, int value);

/* The panels of a blocked value: how many, and how large. */
struct cpu_panel cpu_panel_of(const struct cpu *d, int value);

#endif
