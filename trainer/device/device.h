/* Compute devices. A device holds one network's weights, gradients, activations
 * and running statistics, all planned and allocated at opening, and runs the
 * phases of a step. Each kind of device is one table of functions.
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
 * The next step's device_load may precede device_results: the device then has
 * its images when the wait ends.
 *
 * Each of them may defer its work. Deferred work is done in this order, at the
 * latest when its result is read.
 *
 * Evaluation: load, forward with MODE_EVAL, loss, result.
 *
 * All return 0, or -1 and fill e (ERROR_SYSTEM: a library or the machine
 * failed, and the device can only be closed). A device belongs to one thread at
 * a time; only on_ready may pass ranges to another.
 */
#ifndef TRAINER_DEVICE_DEVICE_H
#define TRAINER_DEVICE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "trainer/base/pixel.h"
#include "trainer/base/tensor.h"
#include "trainer/graph/graph.h"

enum device_mode {
	MODE_TRAIN, /* batch statistics, update running ones, dropout on */
	MODE_EVAL,  /* running statistics, dropout off, no backward pass */
	MODE_FROZEN /* as MODE_EVAL, but backward may follow (tests) */
};

enum image_order { IMAGES_NCHW, IMAGES_NHWC };

/* A batch in host memory. */
struct images {
	enum dtype type; /* DTYPE_FP32: used as is; DTYPE_U8: (x / 255 - mean) /
	                    deviation with the ImageNet constants below */
	enum image_order order;
	const void *data;      /* n images */
	int n;                 /* MODE_TRAIN, MODE_FROZEN: the batch size;
	                          MODE_EVAL: 1 .. batch size */
	const uint8_t *mirror; /* [n] 1: flip horizontally; NULL: none */
	int width;             /* pixels in a row; used with mirror only */
	int held;              /* later batches during which data and mirror
	                          stay valid */
};

/* Result of one device_loss() call. */
struct loss_result {
	double loss; /* mean cross entropy of the n images */
	long n;      /* images */
	long top1;   /* images whose label has the largest logit */
	long top5;   /* images whose label is among the five largest */
};

/* Parameters of stochastic gradient descent as in torch.optim.SGD: g = grad *
 * grad_scale + weight_decay * w; m = momentum * m + g; w -= lr * m (m is 0 at
 * first). */
struct sgd {
	double lr, momentum, weight_decay;
	double grad_scale; /* 1 / ranks after an allreduce that sums */
};

/* Tensors that can be read and written. */
enum tensor_kind {
	TENSOR_PARAM,
	TENSOR_GRAD,
	TENSOR_MOMENTUM,    /* index: parameter */
	TENSOR_BUFFER,      /* index: buffer */
	TENSOR_OUTPUT,      /* (batch, c, h, w) of the last node; index 0 */
	TENSOR_OUTPUT_GRAD, /* written instead of calling device_loss (tests) */
	TENSOR_INPUT_GRAD   /* only with config.input_gradient */
};

struct device_config {
	const char *device; /* "reference", "cpu", ... */
	enum dtype precision;
	int gpu;                  /* index among the GPUs of this machine */
	int batch;                /* images per step on this device, >= 1 */
	int threads;              /* 0: number of CPUs the process may run on */
	unsigned long long seed;  /* of dropout */
	long first_image;         /* position of this device's image 0 in the
	                             global batch: rank * batch; seeds dropout,
	                             so that 2 x n images drop the same elements
	                             as 1 x 2n */
	int input_gradient;       /* keep the gradient of the input (tests) */
	double memory_limit;      /* most bytes to allocate; 0: no limit */
	int deterministic;        /* equal runs give identical bytes */
	int step_graph;           /* run a step as a captured graph if
	                             possible */
	int time_phases;          /* measure for device_phases */
	int profile;              /* steps kept for device_call_times; 0: off */
	const char *engine_cache; /* cache file of measured engines; "": the
	                             default; NULL: none */
	int engine_guess;         /* cuDNN's first proposals, unmeasured */
	void (*note)(void *ctx, const char *message); /* message for the user;
	                                                 may be NULL */
	void *note_ctx;
};

/* Gradients [offset, offset + n) of the arena are final until device_update.
 * Calls are in ascending order, without holes, from 0 to arena_size; each
 * covers the gradients of one or a few nodes. */
typedef void (*device_ready_fn)(void *ctx, size_t offset, size_t n);

/* Replaces device_ready_fn for gradient allreduces that run in the device's
 * streams. The functions queue work and never wait. If a step is a captured
 * graph, they are called at capture and not at replay; a stream that they fork
 * is joined by join. */
struct device_allreduce {
	/* The stream has reached the point where gradients [offset, offset + n)
	 * are final. NULL: none. */
	int (*ready)(void *ctx, size_t offset, size_t n, struct error *e);
	/* Make the stream wait for all allreduces. */
	int (*join)(void *ctx, struct error *e);
	void *ctx;
};

/* Phases of the device's own time, in seconds. */
enum device_phase {
	DEVICE_COPY,      /* copy of images to the device, in parallel */
	DEVICE_TO_DEVICE, /* conversion of images on the device */
	DEVICE_FORWARD,
	DEVICE_LOSS,
	DEVICE_BACKWARD,
	DEVICE_ALLREDUCE, /* wait for gradient allreduces */
	DEVICE_UPDATE,
	N_DEVICE_PHASES
};

struct device_times {
	long steps;
	double seconds[N_DEVICE_PHASES];
};

/* State of dynamic loss scaling, for checkpoints. */
struct loss_scaling {
	double scale; /* factor of the next step's loss; 0: no scaling */
	long good;    /* steps since the last change of scale */
};

/* A flat arena: graph->arena_size elements in backward order. */
struct device_arena {
	void *data;      /* host memory if ops->on_host */
	size_t n;        /* elements, gaps included */
	enum dtype type; /* DTYPE_FP32; DTYPE_FP64 on the fp64 reference */
};

/* Compression of gradients [offset, offset + n) of the arena. */
struct device_compression {
	void *stream;    /* stream of the device that does the work */
	enum dtype type; /* DTYPE_FP16 or DTYPE_BF16 */
	size_t offset, n;
	float scale; /* factor applied before rounding */
	void *half;  /* [n] of type, device memory */
};

/* Host memory mapped by a device, starting at a page boundary. */
struct device_region {
	void *at;
	size_t bytes; /* > 0 */
	int common;   /* determined by weights and momenta: equal in devices
	                 with equal weights, momenta and network */
};

/* Devices of several processes whose common regions are the same memory. Each
 * does its part of device_update(), between calls of join, a barrier. */
struct device_sharing {
	int part, parts; /* parts 0 or 1: not shared */
	int (*join)(void *ctx, struct error *e);
	void *ctx;
};

struct device;
struct host_staging_ops;

enum { DEVICE_RESULTS = 256 }; /* number of losses kept */

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
	/* Set r, unless the device has the results function. */
	int (*loss)(struct device *d, struct loss_result *r, struct error *e);
	int (*backward)(struct device *d, device_ready_fn ready, void *ctx,
	    struct error *e);
	int (*update)(struct device *d, const struct sgd *s, struct error *e);
	int (*read)(struct device *d, enum tensor_kind k, int i, enum dtype t,
	    void *out, struct error *e);
	int (*write)(struct device *d, enum tensor_kind k, int i, enum dtype t,
	    const void *in, struct error *e);
	void (*describe)(struct device *d, struct strbuf *out);
	/* Optional. */
	int (*sync)(struct device *d, struct error *e); /* NULL: no deferred
	                                                   work */
	/* Results of the last n losses. */
	int (*results)(
	    struct device *d, struct loss_result *r, int n, struct error *e);
	void *(*stream)(struct device *d);
	void (*forget_steps)(struct device *d);
	/* See device_regions(). */
	size_t (*regions)(struct device *d, struct device_region **out);
	/* See device_compress(). */
	int (*compress)(struct device *d, const struct device_compression *c,
	    int back, struct error *e);
	int (*phases)(
	    struct device *d, struct device_times *t, struct error *e);
	/* Get or set the scale, if the device scales the loss; waits. */
	int (*scaling)(
	    struct device *d, struct loss_scaling *s, int set, struct error *e);
	/* See device_tick(). between_ticks: seconds between the last n + 1
	 * ticks, oldest first, 1 <= n <= DEVICE_RESULTS; waits. */
	int (*tick)(struct device *d, struct error *e);
	int (*between_ticks)(
	    struct device *d, double *seconds, int n, struct error *e);
	int (*times)(
	    struct device *d, int repeats, struct strbuf *out, struct error *e);
	/* See device_roofs(); NULL: not supported. */
	int (*roofs)(const struct graph *g, int batch, enum dtype type,
	    const char *model, struct strbuf *out, struct error *e);
	/* Host memory that the device reads images from; NULL: out of
	 * memory. */
	void *(*host_alloc)(struct device *d, size_t bytes);
	void (*host_free)(struct device *d, void *p);
	const struct host_staging_ops
	    *staging; /* trainer/device/host_staging.h; NULL if on_host */
};

/* Common part of all devices; the first member of each device's own struct. */
struct device {
	const struct device_ops *ops;
	const struct graph *graph;   /* borrowed: must outlive the device */
	struct device_config config; /* config with threads set */
	struct device_arena params, grads, momenta;
	size_t bytes; /* total allocated */
	struct device_allreduce
	    allreduce; /* set before the first step; needs a stream */
	struct device_sharing sharing; /* set before the first step, if
	                                  device_regions() returns any */
	long n_losses;                 /* requested */
	struct loss_result found[DEVICE_RESULTS]; /* results of ops->loss */
};

extern const struct device_ops device_reference, device_cpu, device_cuda;

/* device_ops.roofs of device cuda; needs no CUDA. In fp16 it assumes all
 * fusions that the device plans if cuDNN has them. */
int cuda_roofs(const struct graph *g, int batch, enum dtype type,
    const char *model, struct strbuf *out, struct error *e);

/* All device kinds; n is set to their number. Kinds that were not built have
 * open == NULL and state in summary what is missing. */
const struct device_ops *const *device_list(size_t *n);

/* Open c->device for a network. Parameters, momenta and buffers are undefined
 * until network_open or device_write.
 *
 * ERROR_USAGE: the device is unknown or was not built, or the precision is not
 * supported by it or this CPU; ERROR_LIMIT: more than config.memory_limit;
 * ERROR_SYSTEM. */
int device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e);

/* Check the memory limit before allocating: the kernel would grant the memory
 * and kill the process when it is used. Returns 0, or ERROR_LIMIT. */
int device_check_memory(
    const struct device_config *c, size_t bytes, struct error *e);

/* Free the device; d may be NULL. */
void device_close(struct device *d);

/* Load a batch; data is copied or converted before the return.
 *
 * labels  [im->n] 0 .. classes - 1; may be NULL if device_loss is not used */
int device_load(struct device *d, const struct images *im,
    const int32_t *labels, struct error *e);

/* Run the forward pass.
 *
 * step  number of the training step, from 0; seeds dropout */
int device_forward(
    struct device *d, enum device_mode mode, long step, struct error *e);

/* Compute the mean cross entropy of softmax(output) and labels, the accuracy
 * counts and, after MODE_TRAIN or MODE_FROZEN, the output's gradient. */
int device_loss(struct device *d, struct error *e);

/* Wait for the last n calls of device_loss and return their results.
 *
 * n  1 .. DEVICE_RESULTS, at most the number of calls
 * r  [n] oldest first */
int device_results(
    struct device *d, struct loss_result *r, int n, struct error *e);

/* Result of the last device_loss(). */
int device_result(struct device *d, struct loss_result *r, struct error *e);

/* Compute the gradients of all parameters (overwritten, not added to).
 *
 * ready  called as ranges become final, on a device with a stream when the
 *        stream reaches that point. NULL: the device may defer the whole step
 *        until device_update() */
int device_backward(
    struct device *d, device_ready_fn ready, void *ctx, struct error *e);

/* Run one optimiser step on the gradient arena. */
int device_update(struct device *d, const struct sgd *s, struct error *e);

/* Wait until all queued work is done (phases with sync). */
int device_sync(struct device *d, struct error *e);

/* Read or write a tensor in PyTorch's element order.
 *
 * t        DTYPE_FP32 or DTYPE_FP64: type of the host's copy
 * out, in  [n] elements, n determined by kind and index */
int device_read(struct device *d, enum tensor_kind k, int i, enum dtype t,
    void *out, struct error *e);
int device_write(struct device *d, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e);

/* Number of elements of a tensor. */
size_t device_tensor_size(const struct device *d, enum tensor_kind k, int i);

/* A flat arena: TENSOR_PARAM, TENSOR_GRAD or TENSOR_MOMENTUM. Write parameters
 * with device_write() only, because devices keep copies of them. */
struct device_arena device_arena(const struct device *d, enum tensor_kind k);

/* List the memory that processes with equal weights on one machine can share:
 * gradients, which differ, and common regions.
 *
 * out  array to be freed; the pages may be replaced by others with equal
 *      contents
 *
 * Returns the number of regions; 0: none can be shared. */
size_t device_regions(struct device *d, struct device_region **out);

/* Stream of the device's work (cuda: a cudaStream_t); NULL if synchronous. */
void *device_stream(struct device *d);

/* Drop captured steps and the allreduces in them; later steps are captured
 * anew. Call it before d->allreduce becomes invalid. */
void device_forget_steps(struct device *d);

/* Queue work that rounds gradients to half precision (to nearest even; overflow
 * gives infinity), or with back copies them back (exact, unscaled).
 *
 * c  may be freed on return, c->half once the stream is done
 *
 * ERROR_USAGE: the device does not support it; ERROR_SYSTEM. */
int device_compress(struct device *d, const struct device_compression *c,
    int back, struct error *e);

/* Times of the steps since the last call; waits. steps is 0 if the device does
 * not report them (config.time_phases was 0, or it is synchronous). */
int device_phases(struct device *d, struct device_times *t, struct error *e);

/* Record the device's time at the end of the work queued so far;
 * device_update() ends with such a tick.
 *
 * Returns 0, or 1 if the device has no clock because it is synchronous. */
int device_tick(struct device *d, struct error *e);

/* Get the state of dynamic loss scaling; scale is 0 if there is none. */
int device_scaling(struct device *d, struct loss_scaling *s, struct error *e);

/* Set that state; ignored if s->scale is 0 or the device does not scale. */
int device_set_scaling(
    struct device *d, struct loss_scaling s, struct error *e);

/* Add a line "call index=0 ..." with the time of each kernel call of a training
 * step to out (doc/trainer.md). A training step must have been done. cpu
 * reports times from the last config.profile steps and adds a table; cuda runs
 * each call `repeats` times in a row, which destroys the weights.
 *
 * repeats  runs of each call, >= 1
 *
 * ERROR_USAGE: not supported by the device. */
int device_call_times(
    struct device *d, int repeats, struct strbuf *out, struct error *e);

/* Add to out the least time of each call of a training step at the peak rates
 * of a device model: a line for each call, sums by kind, and the total. Needs
 * no device.
 *
 * device  "cuda"
 * batch   images per step
 * model   "h200"
 *
 * ERROR_USAGE: unknown device or model, no table for that device, or
 * unsupported precision. */
int device_roofs(const char *device, const struct graph *g, int batch,
    enum dtype type, const char *model, struct strbuf *out, struct error *e);

/* Allocate host memory for images with the device's host_alloc; free it with
 * its host_free. NULL: the device has none, or out of memory. */
void *device_host_alloc(struct device *d, size_t bytes);

/* Add the memory plan and the chosen kernels, a line each, to out
 * (--verbose). */
void device_describe(struct device *d, struct strbuf *out);

/* --- A model with its weights --------------------------------------------- */

/* A model on a device, with its initial weights.
 *
 *	struct network_config c = { .model = "resnet50", .classes = 1000,
 *	    .image = 224, .seed = 1, .device = { .device = "cpu",
 *	    .precision = DTYPE_BF16, .batch = 16 } };
 *	struct network n;
 *	if (network_open(&c, &n, &e) != 0)
 *		return -1;
 *	... device_forward(n.device, ...) ...
 *	network_close(&n);
 */

struct network_config {
	const char *model;       /* "resnet50" */
	int classes, image;      /* image 0: default of the model */
	unsigned long long seed; /* of the weights; equal on all ranks */
	int weights_later;       /* 1: the caller sets them */
	struct device_config device;
};

struct network {
	struct graph graph;
	struct device *device;
};

/* Build the graph, open the device, initialise. The device points to the graph
 * in n: do not copy n while it is open. */
int network_open(
    const struct network_config *c, struct network *n, struct error *e);

/* Set parameters and buffers to their initial values, momenta to zero.
 *
 * seed  of the parameters; NULL: do not set them */
int network_init(
    struct network *n, const unsigned long long *seed, struct error *e);

/* Free all. */
void network_close(struct network *n);

/* --- Loss of one image, pixels -------------------------------------------- */

/* Cross entropy of a softmax, top-1 and top-5, for one image; and conversion of
 * pixels. Shared by the devices on the host.
 */

/* Add one image to the sums in r; loss is summed, not averaged.
 *
 * logits  [classes]
 * label   0 .. classes - 1
 * scale   factor of the gradient: 1 / batch
 * grad    [classes] (softmax(logits) - onehot(label)) * scale; may be NULL
 *
 * Another class ranks before the label if its logit is greater, is equal with a
 * smaller index, or is NaN. A label with a NaN logit is never a hit. */
void loss_add_image(const double *logits, int classes, int label, double scale,
    double *grad, struct loss_result *r);

/* Convert one channel of an image to floats; bytes are normalised.
 *
 * channels  of the images; 3 for bytes
 * pixels    h * w
 * out       [pixels] */
void images_plane(const struct images *im, int image, int channel, int channels,
    size_t pixels, float *out);

#endif
