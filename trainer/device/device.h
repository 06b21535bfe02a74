/* What computes: a device holds one network's weights, gradients, activations
 * and running statistics, all planned and allocated when it is opened, and
 * runs the phases of a step.  Each kind of device is one table of functions.
 *
 * A training step:
 *
 *	device_load(d, &images, labels, &e);        to-device
 *	device_forward(d, MODE_TRAIN, step, &e);    forward
 *	device_loss(d, &e);                         loss
 *	device_backward(d, on_ready, ctx, &e);      backward
 *	(all-reduce device_arena(d, TENSOR_GRAD))
 *	device_update(d, &sgd, &e);                 update
 *	device_results(d, results, n, &e);          loss and accuracy, waits
 *
 * The next step's device_load may come before device_results: then the device
 * need not wait for images once it was waited for.
 *
 * Any of them may put its work off; what is put off is done in this order, at
 * the latest when something of it is read.
 *
 * Evaluation: load, forward with MODE_EVAL, loss, result.
 *
 * All return 0, or -1 with e filled (ERROR_SYSTEM: the library or the machine
 * failed; the device can then only be closed).  A device belongs to one thread
 * at a time; only the on_ready function may hand ranges to another.
 */
#ifndef TRAINER_DEVICE_DEVICE_H
#define TRAINER_DEVICE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/graph/graph.h"
#include "trainer/base/pixel.h"
#include "trainer/base/tensor.h"

enum device_mode {
	MODE_TRAIN, /* batch statistics, running ones updated, dropout on */
	MODE_EVAL,  /* running statistics, dropout off, keeps nothing for a
	               backward pass */
	MODE_FROZEN /* as MODE_EVAL but backward may follow (tests) */
};

enum image_order { IMAGES_NCHW, IMAGES_NHWC };

/* A batch on the host. */
struct images {
	enum dtype type; /* DTYPE_FP32: used as is;
	                            DTYPE_U8: (x / 255 - mean) / deviation with
	                            ImageNet's constants below */
	enum image_order order;
	const void *data;      /* n images */
	int n;                 /* MODE_TRAIN, MODE_FROZEN: the whole batch;
	                            MODE_EVAL: 1 .. batch */
	const uint8_t *mirror; /* [n] 1: swap left and right; NULL: none */
	int width;             /* pixels of a row; only with mirror */
	int held;              /* data and mirror stay as they are while so many
	                          batches more are loaded */
};

/* What one loss call found. */
struct loss_result {
	double loss; /* mean cross entropy over the n images */
	long n;      /* images */
	long top1;   /* images whose label has the largest logit */
	long top5;   /* images whose label is among the five largest */
};

/* Stochastic gradient descent as torch.optim.SGD does it:
 * g = grad * grad_scale + weight_decay * w; m = momentum * m + g; w -= lr * m
 * (m starts as 0). */
struct sgd {
	double lr, momentum, weight_decay;
	double grad_scale; /* 1 / ranks after a summing all-reduce */
};

/* Which tensors can be read and written. */
enum tensor_kind {
	TENSOR_PARAM,
	TENSOR_GRAD,
	TENSOR_MOMENTUM,    /* index: parameter */
	TENSOR_BUFFER,      /* index: buffer */
	TENSOR_OUTPUT,      /* (batch, c, h, w) of the last node; index 0 */
	TENSOR_OUTPUT_GRAD, /* write it instead of device_loss (tests) */
	TENSOR_INPUT_GRAD   /* only with config.input_gradient */
};

struct device_config {
	const char *device; /* "reference", "cpu", ... */
	enum dtype precision;
	int gpu;                  /* of this machine's GPUs, from 0 */
	int batch;                /* images in a step on this device, >= 1 */
	int threads;              /* 0: as many as the process may run on */
	unsigned long long seed;  /* of dropout */
	long first_image;         /* number in the global batch of this device's
	                         image 0: rank * batch; keys dropout, so that
	                         2 x n images drop what 1 x 2n would */
	int input_gradient;       /* keep the gradient of the input (tests) */
	double memory_limit;      /* bytes that it may take; 0: any number */
	int deterministic;        /* equal runs give equal bytes */
	int step_graph;           /* run a step as one captured graph, if the
	                            device can */
	int time_phases;          /* for device_phases */
	int profile;              /* steps over which device_call_times is to
	                             report; 0: it will not be called */
	const char *engine_cache; /* file of measured choices; "": the usual
	                             one; NULL: none */
	int engine_guess;         /* cuDNN's first proposals, unmeasured */
	int engine_marks;         /* keep in the file which convolution is
	                             measured, before it is */
	void (*note)(void *ctx, const char *message); /* for the user; may
	                                                 be NULL */
	void *note_ctx;
	/* Open this device in another process, with engine_cache = file and
	 * engine_marks: it adds to the file what was not measured, and ends.
	 * A fault there is none of this process.  Returns its exit status, with
	 * e filled from its messages unless 0; -1 if it did not start.  NULL:
	 * engines are measured in this process.  Only device_open calls it. */
	int (*engine_trial)(void *ctx, const char *file, struct error *e);
	void *engine_trial_ctx;
};

/* Gradients [offset, offset + n) of the arena are final and will not be
 * touched before device_update.  Calls come in ascending order, without holes,
 * from 0 to arena_size; each covers the gradients of one or a few nodes. */
typedef void (*device_ready_fn)(void *ctx, size_t offset, size_t n);

/* For gradient allreduces that are work in the device's own streams: these take
 * the place of device_ready_fn.  They put work into streams and never wait.
 * Where a step is a captured graph, they are called when it is captured, and
 * not when it runs again; a stream that they fork is joined by join. */
struct device_allreduce {
	/* The stream has come to where gradients [offset, offset + n) are
	 * final.  NULL: none. */
	int (*ready)(void *ctx, size_t offset, size_t n, struct error *e);
	/* Let the stream wait for all of them. */
	int (*join)(void *ctx, struct error *e);
	void *ctx;
};

/* Where the device's own time went, in seconds. */
enum device_phase {
	DEVICE_COPY,      /* images to the device, alongside the rest */
	DEVICE_TO_DEVICE, /* what it makes of them */
	DEVICE_FORWARD,
	DEVICE_LOSS,
	DEVICE_BACKWARD,
	DEVICE_ALLREDUCE, /* waiting for gradient allreduces */
	DEVICE_UPDATE,
	N_DEVICE_PHASES
};

struct device_times {
	long steps;
	double seconds[N_DEVICE_PHASES];
};

/* Where dynamic loss scaling is, so that another process can go on with it. */
struct loss_scaling {
	double scale; /* of the next step's loss; 0: it is not scaled */
	long good;    /* steps since the scale changed */
};

/* A flat arena: graph->arena_size elements in backward order. */
struct device_arena {
	void *data;      /* host memory if ops->on_host */
	size_t n;        /* elements, gaps included */
	enum dtype type; /* DTYPE_FP32; DTYPE_FP64 on the fp64 reference */
};

/* Gradients [offset, offset + n) of the arena as they travel compressed. */
struct device_compression {
	void *stream;    /* of the device: the work goes there */
	enum dtype type; /* DTYPE_FP16, DTYPE_BF16 */
	size_t offset, n;
	float scale; /* multiplies them before they are rounded */
	void *half;  /* [n] of type, memory of the device */
};

/* Memory of the host that a device has mapped, from the beginning of a page. */
struct device_region {
	void *at;
	size_t bytes; /* > 0 */
	int common;   /* follows from the weights and momenta: devices of equal
	                 ones, and the same network, hold the same bytes */
};

/* Devices of several processes whose common regions are one piece of memory.
 * Each does its part of device_update(), between calls of join, which returns
 * when all have called it. */
struct device_sharing {
	int part, parts; /* parts: 0 or 1: none others */
	int (*join)(void *ctx, struct error *e);
	void *ctx;
};

struct device;
struct host_staging_ops;

enum { DEVICE_RESULTS = 256 }; /* losses that are kept */

struct device_ops {
	const char *name;    /* "cpu" */
	const char *summary; /* one sentence for --help */
	unsigned precisions; /* bits 1u << enum dtype */
	int on_host;         /* arenas are host memory */
	int (*open)(const struct graph *g, const struct device_config *c,
	    struct device **out, struct error *e);
	void (*close)(struct device *d);
	int (*load)(struct device *d, const struct images *im,
	    const int32_t *labels, struct error *e);
	int (*forward)(struct device *d, enum device_mode mode, long step,
	    struct error *e);
	/* Set r, unless the device has results. */
	int (*loss)(struct device *d, struct loss_result *r, struct error *e);
	int (*backward)(struct device *d, device_ready_fn ready, void *ctx,
	    struct error *e);
	int (*update)(struct device *d, const struct sgd *s, struct error *e);
	int (*sync)(struct device *d, struct error *e);
	int (*read)(struct device *d, enum tensor_kind k, int i, enum dtype t,
	    void *out, struct error *e);
	int (*write)(struct device *d, enum tensor_kind k, int i, enum dtype t,
	    const void *in, struct error *e);
	void (*describe)(struct device *d, struct strbuf *out);
	/* Optional. */
	/* What the last n losses found. */
	int (*results)(
	    struct device *d, struct loss_result *r, int n, struct error *e);
	void *(*stream)(struct device *d);
	void (*forget_steps)(struct device *d);
	/* See device_regions(). */
	size_t (*regions)(struct device *d, struct device_region **out);
	/* See device_compress(); back is 1 for device_decompress(). */
	int (*compress)(struct device *d, const struct device_compression *c,
	    int back, struct error *e);
	int (*phases)(
	    struct device *d, struct device_times *t, struct error *e);
	/* Get, or set where the device scales too; waits. */
	int (*scaling)(
	    struct device *d, struct loss_scaling *s, int set, struct error *e);
	/* See device_tick() and device_between_ticks(). */
	int (*tick)(struct device *d, struct error *e);
	int (*between_ticks)(
	    struct device *d, double *seconds, int n, struct error *e);
	int (*times)(
	    struct device *d, int repeats, struct strbuf *out, struct error *e);
	/* See device_roofs(); NULL: the device has none. */
	int (*roofs)(const struct graph *g, int batch, enum dtype type,
	    const char *model, struct strbuf *out, struct error *e);
	/* Memory of the host that the device reads images from by itself; NULL:
	 * there is none left. */
	void *(*host_alloc)(struct device *d, size_t bytes);
	void (*host_free)(struct device *d, void *p);
	const struct host_staging_ops
	    *staging; /* trainer/device/host_staging.h; NULL if on_host */
};

/* The part that all devices share; each device's own struct starts with it. */
struct device {
	const struct device_ops *ops;
	const struct graph *graph;   /* borrowed: must outlive the device */
	struct device_config config; /* threads filled in */
	struct device_arena params, grads, momenta;
	size_t bytes; /* allocated in all */
	struct device_allreduce
	    allreduce; /* set before the first step; only devices
	                            with a stream look at it */
	struct device_sharing sharing; /* set before the first step, if
	                                  device_regions() gives any */
	long n_losses;                 /* requested */
	struct loss_result found[DEVICE_RESULTS]; /* of ops->loss */
};

extern const struct device_ops device_reference, device_cpu, device_cuda;

/* device_ops.roofs of device cuda, which needs no CUDA.  In fp16 all fusions
 * are made that the device plans where cuDNN has them. */
int cuda_roofs(const struct graph *g, int batch, enum dtype type,
    const char *model, struct strbuf *out, struct error *e);

/* The device kinds this program knows; n is set to their number.  Those that
 * were not built have open == NULL and state in summary what is missing. */
const struct device_ops *const *device_list(size_t *n);

/* Open c->device for the network.  Parameters, momenta and buffers are zero
 * resp. at their start values only after network_open or device_write.
 *
 * Errors, ERROR_USAGE: no such device, a device that was not built, a precision
 * that it has not or that this machine's CPU lacks; ERROR_LIMIT: more
 * than config.memory_limit; ERROR_SYSTEM. */
int device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* Check that a device may take so many bytes.  Devices do before they allocate:
 * the kernel would give them, and end the process when it uses them.  If not,
 * ERROR_LIMIT. */
int device_check_memory(
    const struct device_config *c, size_t bytes, struct error *e);

/* Free all; d may be NULL. */
void device_close(struct device *d);

/* Hand over a batch; data is copied (or converted) before the return.
 *
 * labels  [im->n] 0 .. classes - 1; may be NULL if device_loss is not used */
int device_load(struct device *d, const struct images *im,
    const int32_t *labels, struct error *e);

/* Run the network.
 *
 * step  number of the training step, from 0; keys dropout */
int device_forward(
    struct device *d, enum device_mode mode, long step, struct error *e);

/* Mean cross entropy of the output's softmax with the labels, the accuracy
 * counts, and (after MODE_TRAIN or MODE_FROZEN) the output's gradient. */
int device_loss(struct device *d, struct error *e);

/* Wait for the last n calls of device_loss and return what they found.
 *
 * n  1 .. DEVICE_RESULTS, not more than there were
 * r  [n] the oldest first */
int device_results(
    struct device *d, struct loss_result *r, int n, struct error *e);

/* That of the last one. */
int device_result(struct device *d, struct loss_result *r, struct error *e);

/* Gradients of all parameters (overwritten, not added to).
 *
 * ready  called as ranges become final; on a device with a stream, when the
 *        stream has come to that.  NULL: no one asks, and the device may put
 *        the whole step off until device_update() */
int device_backward(
    struct device *d, device_ready_fn ready, void *ctx, struct error *e);

/* One step of the optimiser, from the gradient arena. */
int device_update(struct device *d, const struct sgd *s, struct error *e);

/* Wait until everything that was queued is done (phases with sync). */
int device_sync(struct device *d, struct error *e);

/* Copy a tensor out or in, PyTorch's element order.
 *
 * t        DTYPE_FP32 or DTYPE_FP64: of the host's copy
 * out, in  [n] elements, n by kind and index */
int device_read(struct device *d, enum tensor_kind k, int i, enum dtype t,
    void *out, struct error *e);
int device_write(struct device *d, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e);

/* Elements of a tensor. */
size_t device_tensor_size(const struct device *d, enum tensor_kind k, int i);

/* One of the three flat arenas: TENSOR_PARAM, TENSOR_GRAD or TENSOR_MOMENTUM.
 * Parameters are written by device_write() only, because devices keep copies
 * of them. */
struct device_arena device_arena(const struct device *d, enum tensor_kind k);

/* The memory that processes with equal weights on one machine can share: the
 * gradients, which differ, and what is common.
 *
 * out  in a block to be freed; its pages may be replaced by others that hold
 *      the same
 *
 * Returns how many there are; 0: none can be shared. */
size_t device_regions(struct device *d, struct device_region **out);

/* The stream that a device's work goes to (cuda: its cudaStream_t); NULL if it
 * is synchronous. */
void *device_stream(struct device *d);

/* Forget steps that were captured, and with them the allreduces that they hold;
 * they are captured anew when steps go on.  To be called before what
 * d->allreduce stands for is taken away. */
void device_forget_steps(struct device *d);

/* Put work into a stream that rounds gradients to half precision (to nearest,
 * ties to even; too large ones become infinite), or takes them back to where
 * they came from (exact, not scaled).
 *
 * c  is not needed after the return, c->half until the stream is done
 *
 * ERROR_USAGE: the device has no streams, or cannot; ERROR_SYSTEM. */
int device_compress(
    struct device *d, const struct device_compression *c, struct error *e);
int device_decompress(
    struct device *d, const struct device_compression *c, struct error *e);

/* What the steps since the last call took; waits.  steps is 0 where the device
 * does not report them (config.time_phases was 0, or it is synchronous). */
int device_phases(struct device *d, struct device_times *t, struct error *e);

/* Note when the device has done what was queued so far, by its own clock; each
 * device_update() ends with such a tick.
 *
 * Returns 0; 1 if the device has no clock: it works while the host waits. */
int device_tick(struct device *d, struct error *e);

/* Seconds between the last n + 1 ticks, the oldest first; waits.
 *
 * n        1 .. DEVICE_RESULTS
 * seconds  [n] */
int device_between_ticks(
    struct device *d, double *seconds, int n, struct error *e);

/* Get where dynamic loss scaling is; scale is 0 where there is none. */
int device_scaling(struct device *d, struct loss_scaling *s, struct error *e);

/* Go on from there; nothing happens if s->scale is 0 or the device does not
 * scale. */
int device_set_scaling(
    struct device *d, struct loss_scaling s, struct error *e);

/* Report what each kernel call of a training step, which must have been done,
 * takes: add a line for each to out, "call index=0 ..." (doc/trainer.md).  The
 * cpu has timed calls within the last config.profile steps, and adds a table;
 * cuda now makes each call `repeats` times in a row, after which the weights
 * are of no use.
 *
 * repeats  of each, >= 1
 *
 * ERROR_USAGE: the device cannot. */
int device_call_times(
    struct device *d, int repeats, struct strbuf *out, struct error *e);

/* Without a device: add to out what each call of a training step would take at
 * least on a kind of device, by the peak rates of a model of it: a line a call,
 * sums by kind, and the whole.
 *
 * device  "cuda"
 * batch   images of a step
 * model   "h200"
 *
 * ERROR_USAGE: no such device or model, the device has no such table, or does
 * not compute in that type. */
int device_roofs(const char *device, const struct graph *g, int batch,
    enum dtype type, const char *model, struct strbuf *out, struct error *e);

/* Memory of the host for images: what the device would have, or NULL. */
void *device_host_alloc(struct device *d, size_t bytes);
void device_host_free(struct device *d, void *p);

/* Add the memory plan and the choice of kernels, a line each, to out
 * (--verbose). */
void device_describe(struct device *d, struct strbuf *out);

#endif
