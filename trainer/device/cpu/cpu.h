/* Internals of the cpu device. A network's nodes become values (activations in
 * memory) and operations (possibly several fused nodes) when the device is
 * opened.
 *
 *	cpu.c          struct device_ops, instructions
 *	cpu_plan.c     values, operations, gradients, lifetimes, addresses
 *	cpu_conv.c     convolutions and linear layers through oneDNN
 *	amx_conv.c     convolutions in bf16, where the CPU has AMX
 *	amx_gram.c     their weight gradients
 *	cpu_norm.c     normalisation + add + ReLU
 *	cpu_ops.c      the other operations, linear layers of few images
 *	cpu_profile.c  the time of each call and their table (--profile)
 *	kernels/       inner loops for each set of instructions
 */
#ifndef TRAINER_DEVICE_CPU_CPU_H
#define TRAINER_DEVICE_CPU_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "trainer/device/call_table.h"
#include "trainer/device/cpu/cpu_onednn.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"
#include "trainer/device/device.h"
#include "trainer/device/fused_ops.h"
#include "trainer/device/memory_plan.h"

/* --- Times of calls ------------------------------------------------------- */

/* Times of the kernel calls of the cpu device within training steps
 * (--profile). The time of a call starts at the end of the one before.
 * Measuring whole steps keeps the usual cache contents; reading the clock takes
 * about 30 ns.
 *
 * Functions do nothing if the first argument is NULL.
 */

/* Calls of an operation and of the whole step. */
enum cpu_call {
	CPU_CALL_FORWARD,
	CPU_CALL_JOIN,        /* add gradients of several readers */
	CPU_CALL_RELU_BACK,   /* mask the gradient */
	CPU_CALL_BACK,        /* operations other than products */
	CPU_CALL_WEIGHT,      /* gradient of a product's weights */
	CPU_CALL_WEIGHT_OUT,  /* convert it to the arena's layout */
	CPU_CALL_DATA,        /* gradient of a product's input */
	CPU_CALL_WEIGHT_COPY, /* update copies of weights */
	N_CPU_OP_CALLS,
	CPU_CALL_TAKE = N_CPU_OP_CALLS, /* convert images to the input */
	CPU_CALL_LOSS,
	CPU_CALL_UPDATE, /* optimiser */
	CPU_CALL_STEP,   /* from loading to the end of the update */
	N_CPU_CALLS
};

struct cpu_times {
	int n_ops;       /* operations that are timed */
	int slots;       /* steps that are kept */
	size_t n;        /* times per step */
	double *seconds; /* [slots][n] */
	long steps;      /* done so far */
	int active;      /* inside a step */
	double begin, last;
};

/* Create times of n_ops operations in the last `slots` steps, >= 1. */
struct cpu_times *cpu_times_new(int n_ops, int slots);
void cpu_times_free(struct cpu_times *l);

/* A batch was loaded: begin a training step, or leave for evaluation. */
void cpu_times_begin(struct cpu_times *l);
void cpu_times_leave(struct cpu_times *l);

/* Start timing a call. */
void cpu_times_start(struct cpu_times *l);

/* End a call of operation op; op is ignored for calls of the whole step. */
void cpu_times_add(struct cpu_times *l, int op, enum cpu_call call);

/* End a step. */
void cpu_times_end(struct cpu_times *l);

/* Median over the kept steps, without the first of the run if there are others,
 * as it causes page faults. 0 for a call that does not occur. At least one step
 * must have been done. */
double cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call);

/* Number of steps in the median. */
int cpu_times_count(const struct cpu_times *l);

/* --- Values and operations ------------------------------------------------ */

/* LAYOUT_BLOCKED is (n, C / 16, h, w, 16), oneDNN's, with 8 for 16 below
 * AVX-512; with AMX it is (C / 32, n, h, w, 32), where the pixels of a block of
 * all images form one matrix. LAYOUT_STEM is for few channels and one
 * convolution only: (n, c, h, w), with AMX (n, h + 2 pad, w + 2 pad, c) with
 * the convolution's padding. LAYOUT_FLAT is (n, c * h * w), PyTorch's order. */
enum cpu_layout { LAYOUT_BLOCKED, LAYOUT_STEM, LAYOUT_FLAT };

enum {
	CPU_MAX_NARROW = 32,       /* most blocks of a window */
	CPU_CACHED_BYTES = 1 << 20 /* larger parts of a value per thread leave
	                              the caches before they are read again */
};

/* Sums of a value's channels, computed by the operation that writes the value
 * for the normalisation that reads it, in training only. */
struct cpu_sums {
	int channels;      /* unpadded */
	int padded;        /* channels of whole blocks */
	const float *mean; /* [channels] running mean, an estimate of the mean:
	                      sums are of differences from it */
	float *pivot;      /* [padded] copy of mean for the pass, 0 beyond */
	float *part;       /* [threads][2 * padded] sums of a part of the value:
	                      [block][sums, squares][block's channels] */
	double *sums;      /* [threads][padded][2] sums, squares */
};

/* An activation. */
struct cpu_value {
	const char *name;
	enum cpu_layout layout;
	struct shape shape;
	enum dtype type;
	int blocks; /* channel blocks of LAYOUT_BLOCKED */
	int pad;    /* padding of LAYOUT_STEM with AMX */
	size_t n;   /* elements of the whole batch, padding included */
	int n_uses; /* operations that read it */
	int kept;   /* backward of the operation that wrote it reads it */
	int wanted; /* its gradient is computed */
	int buffer; /* in d->memory */
	struct cpu_sums *sums; /* NULL: not used */
	int grads[2];          /* buffers whose sum is its gradient */
	int n_grads;
};

struct cpu_op;
struct cpu;

/* Functions of a kind of operation. */
struct cpu_op_kind_ops {
	/* Declare uses of buffers, add own ones, and set the buffers of the
	 * inputs' gradients with cpu_plan_dx(). */
	void (*plan)(struct cpu *d, struct cpu_op *op);
	/* Create primitives and op->own, in d->arena; addresses are known. May
	 * be NULL. */
	int (*prepare)(struct cpu *d, struct cpu_op *op, struct error *e);
	void (*forward)(struct cpu *d, struct cpu_op *op);
	void (*backward)(struct cpu *d, struct cpu_op *op);
	/* Copy a weight or its gradient between arena and PyTorch's order;
	 * NULL: use arena_layout. */
	void (*copy)(struct cpu *d, const struct cpu_op *op, float *arena,
	    float *plain, int write);
	/* Update copies of changed parameters; may be NULL. */
	void (*refresh)(struct cpu *d, struct cpu_op *op);
	/* Set the two regions that refresh writes, NULL and 0 bytes if unused.
	 * NULL: refresh also writes elsewhere. */
	void (*copies)(const struct cpu_op *op, struct device_region *out);
	/* Correct the operations and bytes that shapes give for a call
	 * (cpu_profile.c); may be NULL. */
	void (*work)(const struct cpu *d, const struct cpu_op *op,
	    enum cpu_call call, struct call_row *row);
	/* Add the chosen kernels to a line of text; may be NULL. */
	void (*describe)(const struct cpu_op *op, struct strbuf *out);
	/* Free what op->own holds outside d->arena; may be NULL. */
	void (*release)(struct cpu_op *op);
};

struct cpu_op {
	enum op_kind kind;
	const struct cpu_op_kind_ops *ops;
	const struct node *node; /* gives names, parameters, sizes */
	const struct node *norm; /* OP_NORM: normalisation of in[0] */
	int relu;
	int wide;       /* 1: products in fp32 on bf16 values */
	int in[2], out; /* values; in[1] may be GRAPH_NONE */
	int dy, dy2;    /* buffers whose sum is the gradient of out; dy2 may be
	                   MEMORY_PLAN_NONE */
	int dx[2];      /* buffers for the gradients of in[]; MEMORY_PLAN_NONE:
	                   not needed */
	int takes_two;  /* backward adds dy2 itself; otherwise dy += dy2
	                   precedes it */
	int own_buffer; /* maxpool: positions, dropout: mask; or
	                   MEMORY_PLAN_NONE */
	int is_copied;  /* another process updates its shared weights */
	struct cpu_merge {
		int from, to;
		size_t n;
	} merges[2]; /* after backward: to += from */
	int n_merges;
	int time_forward, time_backward;
	void *own; /* data of its kind */
};

struct cpu {
	struct device base;
	struct arena arena; /* what lives as long as the device */
	struct cpu_map {
		void *at;
		size_t bytes;
	} * maps; /* from cpu_map() */
	size_t n_maps, alloc_maps;
	const struct cpu_kernels *kernels;
	struct onednn onednn;
	enum isa isa;          /* instruction set in use */
	int amx;               /* isa is ISA_AMX and precision is bf16 */
	enum dtype arithmetic; /* type of oneDNN's products; fp32 for bf16 if
	                          that is faster for nearly all */
	int block;             /* channels of a block */
	struct cpu_value *values;
	struct cpu_op *ops;
	int n_values, n_ops;
	int output; /* value */
	struct memory_plan memory;
	float *wide[2]; /* [n_wide] fp32 input and output of some images; NULL
	                   if no operation is wide */
	size_t n_wide[2];
	size_t thread_bytes, shared_bytes; /* scratch of own kernels */
	char *thread_space, *shared_space;
	float *params, *grads, *momenta;  /* the arenas */
	dnnl_memory_desc_t *arena_layout; /* [n_params] their layouts */
	float *buffers;  /* [buffers_size] running statistics */
	double *row;     /* [2 * classes]: logits and their gradient */
	float *planes;   /* [threads][h * w] for the input */
	int32_t *labels; /* [batch] */
	char *final;     /* [n_params] 1: gradient of this pass is final */
	int n;           /* images in the batch */
	enum device_mode mode;
	long step;
	struct cpu_times *times; /* NULL unless profiling */
	struct cpu_roof *roof;   /* NULL unless profiling */
};

static inline struct cpu *
cpu(struct device *d)
{
	return (struct cpu *)d;
}

/* Names of the kinds of operations. */
extern const char *const cpu_op_names[N_OP_KINDS];

extern const struct cpu_op_kind_ops cpu_product_ops, cpu_norm_ops, cpu_sum_ops,
    cpu_pool_ops, cpu_flatten_ops, cpu_dropout_ops, cpu_own_linear_ops;

/* True for linear layers computed by our own kernels. */
int cpu_linear_is_own(const struct cpu *d, const struct node *n);

/* Convert d->base.graph to values and operations. ERROR_USAGE for an
 * unsupported graph (dropout between convolutions). */
int cpu_fuse(struct cpu *d, struct error *e);

/* Plan gradients, lifetimes and addresses; then call memory_plan_take(). */
void cpu_plan(struct cpu *d);

/* device_ops.times: add the profile of the steps so far to out: peak rates, a
 * table and its sums as lines "profile ...", a line "call ..." for each call
 * (doc/trainer.md).
 *
 * repeats  unused; config.profile counts instead
 *
 * ERROR_USAGE: config.profile is 0, or no training step was done. */
int cpu_profile_show(
    struct device *base, int repeats, struct strbuf *out, struct error *e);

/* For plan(): set the buffer of op's gradient of in[i], new or shared with one
 * that dies there, and record it in the value. */
void cpu_plan_dx(struct cpu *d, struct cpu_op *op, int i, int buffer);

/* plan() of convolutions and linear layers. */
void cpu_plan_product(struct cpu *d, struct cpu_op *op);

/* Add a buffer of the size of value v. */
int cpu_plan_buffer(struct cpu *d, int v);

/* Record a use of buffer b in op's forward or backward pass. */
void cpu_use_forward(struct cpu *d, const struct cpu_op *op, int b);
void cpu_use_backward(struct cpu *d, const struct cpu_op *op, int b);

/* Address of a value, of a buffer. */
void *cpu_at(const struct cpu *d, int value);
void *cpu_buffer(const struct cpu *d, int buffer);

/* Add n elements, of the device's precision, of buffer from to buffer to. */
void cpu_add(struct cpu *d, size_t n, int from, int to);

/* Mask the gradient of op's output by its ReLU, in place. */
void cpu_relu_back(struct cpu *d, const struct cpu_op *op);

/* A parameter in its arena, and its gradient; NULL for GRAPH_NONE. */
float *cpu_param(const struct cpu *d, int i);
float *cpu_grad(const struct cpu *d, int i);

/* oneDNN's description of the layout of some images of a value. */
dnnl_memory_desc_t cpu_layout_of(const struct cpu *d, int value, int images);

/* Index of the panel of an image and channel block. */
size_t cpu_panel_index(
    const struct cpu *d, const struct cpu_value *v, int image, int block);

/* Start the sums of a value; NULL if it has none or in evaluation. Then each
 * thread clears its part with cpu_sums_part(), and adds it to the sums with
 * cpu_sums_add() when it holds `blocks` blocks from first on. */
struct cpu_sums *cpu_sums_begin(struct cpu *d, int value);
float *cpu_sums_part(const struct cpu_sums *s);
void cpu_sums_add(
    const struct cpu *d, struct cpu_sums *s, int first, int blocks);

/* Zeroed memory in large pages that lives as long as the device and counts as
 * its memory. */
void *cpu_map(struct cpu *d, size_t bytes);

/* For prepare(): request scratch for each thread and shared by all. */
void cpu_need_space(struct cpu *d, size_t of_thread, size_t of_all);

/* Scratch of the calling thread, thread_bytes long. */
char *cpu_thread_space(const struct cpu *d);

/* True if bytes, or a value, leave the caches before the next read. */
int cpu_are_past(const struct cpu *d, size_t bytes);
int cpu_is_past(const struct cpu *d, int value);

/* Size and number of panels of a blocked value. */
struct cpu_panel cpu_panel_of(const struct cpu *d, int value);

#endif
