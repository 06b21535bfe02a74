/* struct device_ops of the cuda device on any executor. Independent of CUDA, so
 * that tests can run it on the host.
 *
 * The phases of a step are passed to the executor at once, or deferred until
 * the step is complete and then run as one captured graph. A step is deferred
 * if
 *	it trains,
 *	nothing on the host takes part in it (no device_ready_fn),
 *	the executor can capture, and capture is not disabled.
 * The first step runs uncaptured, because it creates objects on first use. Then
 * the step of each slot is captured once and replayed, and captured again for
 * images of another type or order. After a failed capture, steps stay
 * uncaptured. */
#include <config.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/device/cuda/executor.h"

/* Parts of a deferred step that are pending. */
enum step_pending {
	PENDING_NOTHING,
	PENDING_FORWARD,
	PENDING_LOSS,
	PENDING_BACKWARD
};

struct cuda {
	struct device base;
	const struct executor_kind *kind;
	void *ctx;
	struct gpu_program program;
	struct executor *executor;
	int capture;                 /* 1: steps may be captured */
	int slot;                    /* slot of the last load */
	struct executor_input input; /* input in that slot */
	enum device_mode mode;
	struct executor_numbers numbers;
	enum step_pending pending;
	int n_plain; /* steps that ran uncaptured */
	struct {
		int there;
		struct executor_input input;
	} graphs[EXECUTOR_SLOTS];
	struct error failed; /* cause of a failed capture */
};

static struct cuda *
cuda_of(struct device *d)
{
	return (struct cuda *)d;
}

static void
cuda_close(struct device *base)
{
	struct cuda *d = cuda_of(base);

	if (d->executor != NULL)
		d->executor->ops->close(d->executor);
	program_release(&d->program);
	if (d->kind->release != NULL)
		d->kind->release(d->ctx);
	free(d);
}

int
cuda_open_on(const struct executor_kind *kind, const struct device_ops *ops,
    const struct graph *g, const struct device_config *c, struct device **out,
    struct error *e)
{
	struct cuda *d = xcalloc(1, sizeof *d);
	struct program_config plan = { .batch = c->batch,
		.type = c->precision == DTYPE_TF32 ? DTYPE_FP32 : c->precision,
		.input_gradient = c->input_gradient,
		.supports = kind->supports };
	const struct device_arena arena = { NULL, g->arena_size, DTYPE_FP32 };
	int rc;

	d->base.ops = ops;
	d->base.graph = g;
	d->base.config = *c;
	d->kind = kind;
	if (kind->probe(c, &d->ctx, e) != 0) {
		free(d);
		return -1;
	}
	plan.ctx = d->ctx;
	do {
		program_release(&d->program);
		program_build(g, &plan, &d->program);
		rc = kind->open(
		    d->ctx, &d->program, &d->base.config, &d->executor, e);
	} while (rc > 0);
	if (rc != 0) {
		cuda_close(&d->base);
		return -1;
	}
	d->base.params = d->base.grads = d->base.momenta = arena;
	d->base.params.data = d->executor->arenas[AREA_PARAMS];
	d->base.grads.data = d->executor->arenas[AREA_GRADS];
	d->base.momenta.data = d->executor->arenas[AREA_MOMENTA];
	d->base.bytes = d->executor->bytes;
	d->capture = c->step_graph && d->executor->ops->capture != NULL;
	d->slot = EXECUTOR_SLOTS - 1;
	*out = &d->base;
	return 0;
}

/* --- the phases, as they are done ----------------------------------------- */

static int
queue_mark(struct cuda *d, enum executor_mark k, struct error *e)
{
	const struct executor_ops *ops = d->executor->ops;

	if (d->mode != MODE_TRAIN || ops->mark == NULL)
		return 0;
	return ops->mark(d->executor, d->slot, k, e);
}

static int
do_forward(struct cuda *d, struct error *e)
{
	const struct gpu_program *p = &d->program;
	const struct executor_ops *ops = d->executor->ops;

	if (queue_mark(d, MARK_BEGIN, e) != 0 ||
	    ops->take(d->executor, d->slot, &d->input, e) != 0 ||
	    queue_mark(d, MARK_TAKEN, e) != 0)
		return -1;
	for (int i = 0; i < p->n_forward; i++)
		if (ops->run(d->executor, &p->calls[i], d->mode, e) != 0)
			return -1;
	return queue_mark(d, MARK_FORWARD, e);
}

static int
do_loss(struct cuda *d, struct error *e)
{
	if (d->executor->ops->loss(
		d->executor, d->slot, d->input.n, d->mode != MODE_EVAL, e) != 0)
		return -1;
	return queue_mark(d, MARK_LOSS, e);
}

static int
do_backward(struct cuda *d, device_ready_fn ready, void *ctx, struct error *e)
{
	const struct gpu_program *p = &d->program;
	size_t done = 0;

	for (int i = p->n_forward; i < p->n_calls; i++) {
		const size_t end = p->calls[i].done;

		if (d->executor->ops->run(
			d->executor, &p->calls[i], d->mode, e) != 0)
			return -1;
		if (end <= done)
			continue;
		/* Gradients before `end` are final. */
		if (d->base.allreduce.ready != NULL &&
		    d->base.allreduce.ready(
			d->base.allreduce.ctx, done, end - done, e) != 0)
			return -1;
		if (ready != NULL)
			ready(ctx, done, end - done);
		done = end;
	}
	assert(done == p->graph->arena_size);
	return queue_mark(d, MARK_BACKWARD, e);
}

static int
do_update(struct cuda *d, struct error *e)
{
	if (d->base.allreduce.join != NULL &&
	    d->base.allreduce.join(d->base.allreduce.ctx, e) != 0)
		return -1;
	if (queue_mark(d, MARK_SUMMED, e) != 0 ||
	    d->executor->ops->update(d->executor, d->slot, e) != 0)
		return -1;
	return queue_mark(d, MARK_END, e);
}

/* --- a step as a whole ---------------------------------------------------- */

static int
do_all(struct cuda *d, struct error *e)
{
	return do_forward(d, e) != 0 || do_loss(d, e) != 0 ||
		do_backward(d, NULL, NULL, e) != 0 || do_update(d, e) != 0
	    ? -1
	    : 0;
}

/* Capture the step of this slot. A failure is stored and not returned: the step
 * can still run uncaptured. */
static void
capture_step(struct cuda *d)
{
	const struct executor_ops *ops = d->executor->ops;
	struct error ignored = ERROR_INIT;
	int rc;

	d->graphs[d->slot].there = 0;
	if (ops->capture(d->executor, &d->failed) != 0) {
		d->capture = 0;
		return;
	}
	rc = do_all(d, &d->failed);
	if (ops->captured(
		d->executor, d->slot, rc == 0 ? &d->failed : &ignored) != 0 ||
	    rc != 0) {
		d->capture = 0;
		return;
	}
	d->graphs[d->slot].there = 1;
	d->graphs[d->slot].input = d->input;
}

/* --- pending work --------------------------------------------------------- */

/* Run pending work uncaptured, before the host reads or writes its data. */
static int
flush(struct cuda *d, struct error *e)
{
	const enum step_pending pending = d->pending;

	d->pending = PENDING_NOTHING;
	if ((pending >= PENDING_FORWARD && do_forward(d, e) != 0) ||
	    (pending >= PENDING_LOSS && do_loss(d, e) != 0) ||
	    (pending >= PENDING_BACKWARD && do_backward(d, NULL, NULL, e) != 0))
		return -1;
	return 0;
}

static int
cuda_load(struct device *base, const struct images *im, const int32_t *labels,
    struct error *e)
{
	struct cuda *d = cuda_of(base);

	if (flush(d, e) != 0)
		return -1;
	d->slot = (d->slot + 1) % EXECUTOR_SLOTS;
	d->input = (struct executor_input){ im->type, im->order, im->n,
		im->mirror != NULL };
	return d->executor->ops->load(d->executor, d->slot, im, labels, e);
}

static int
cuda_forward(
    struct device *base, enum device_mode mode, long step, struct error *e)
{
	struct cuda *d = cuda_of(base);

	assert(mode == MODE_EVAL || d->input.n == d->program.config.batch);
	if (flush(d, e) != 0)
		return -1;
	d->mode = mode;
	d->numbers.step = (uint32_t)step;
	d->executor->ops->set(d->executor, d->slot, &d->numbers);
	if (!d->capture || mode != MODE_TRAIN)
		return do_forward(d, e);
	d->pending = PENDING_FORWARD;
	return 0;
}

static int
cuda_loss(struct device *base, struct loss_result *r, struct error *e)
{
	struct cuda *d = cuda_of(base);

	(void)r;
	if (d->pending == PENDING_FORWARD) {
		d->pending = PENDING_LOSS;
		return 0;
	}
	return flush(d, e) != 0 ? -1 : do_loss(d, e);
}

static int
cuda_backward(
    struct device *base, device_ready_fn ready, void *ctx, struct error *e)
{
	struct cuda *d = cuda_of(base);

	assert(d->mode != MODE_EVAL && d->input.n == d->program.config.batch);
	if (d->pending == PENDING_LOSS && ready == NULL) {
		d->pending = PENDING_BACKWARD;
		return 0;
	}
	return flush(d, e) != 0 ? -1 : do_backward(d, ready, ctx, e);
}

static int
cuda_update(struct device *base, const struct sgd *s, struct error *e)
{
	struct cuda *d = cuda_of(base);
	const struct executor_ops *ops = d->executor->ops;
	const struct executor_input *was = &d->graphs[d->slot].input;

	d->numbers.lr = (float)s->lr;
	d->numbers.momentum = (float)s->momentum;
	d->numbers.weight_decay = (float)s->weight_decay;
	d->numbers.grad_scale = (float)s->grad_scale;
	ops->set(d->executor, d->slot, &d->numbers);
	if (d->pending != PENDING_BACKWARD)
		return flush(d, e) != 0 ? -1 : do_update(d, e);
	/* The step is complete: run or replay it. */
	d->pending = PENDING_NOTHING;
	if (d->n_plain > 0 && d->capture &&
	    !(d->graphs[d->slot].there && was->type == d->input.type &&
		was->order == d->input.order && was->n == d->input.n &&
		was->mirror == d->input.mirror))
		capture_step(d);
	if (d->n_plain == 0 || !d->capture) {
		d->n_plain++;
		return do_all(d, e);
	}
	return ops->replay(d->executor, d->slot, e);
}

static void
cuda_forget_steps(struct device *base)
{
	struct cuda *d = cuda_of(base);

	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		d->graphs[i].there = 0;
	if (d->executor->ops->forget != NULL)
		d->executor->ops->forget(d->executor);
}

struct executor *
cuda_executor(struct device *base)
{
	return cuda_of(base)->executor;
}

int
cuda_flush(struct device *base, struct error *e)
{
	return flush(cuda_of(base), e);
}

/* --- what the device is asked besides ------------------------------------- */

static int
cuda_results(struct device *base, struct loss_result *r, int n, struct error *e)
{
	struct cuda *d = cuda_of(base);

	if (flush(d, e) != 0)
		return -1;
	return d->executor->ops->results(d->executor, r, n, e);
}

static int
cuda_sync(struct device *base, struct error *e)
{
	struct cuda *d = cuda_of(base);

	if (flush(d, e) != 0)
		return -1;
	return d->executor->ops->sync(d->executor, e);
}

/* Each call is launched many times in a row, so launches overlap with the GPU's
 * work, and data that fits into the GPU's cache stays there. The weights are
 * garbage afterwards. */
static int
cuda_times(
    struct device *base, int repeats, struct strbuf *out, struct error *e)
{
	struct cuda *d = cuda_of(base);
	struct executor *m = d->executor;
	const struct executor_ops *ops = m->ops;

	assert(repeats >= 1);
	if (flush(d, e) != 0)
		return -1;
	for (int part = STEP_TAKE; part < d->program.n_calls; part++) {
		struct call_row row =
		    call_row_of(&d->program, part, dtype_size(d->input.type));
		double start = 0;
		int rc;

		for (int i = -1; i < repeats; i++) { /* -1: warm-up */
			if (i == 0 && ops->sync(m, e) != 0)
				return -1;
			if (i == 0)
				start = seconds_now();
			rc = part == STEP_TAKE
			    ? ops->take(m, d->slot, &d->input, e)
			    : part == STEP_LOSS
			    ? ops->loss(m, d->slot, d->input.n, 1, e)
			    : part == STEP_UPDATE
			    ? ops->update(m, d->slot, e)
			    : ops->run(
				  m, &d->program.calls[part], MODE_TRAIN, e);
			if (rc != 0)
				return -1;
		}
		if (ops->sync(m, e) != 0)
			return -1;
		row.seconds = (seconds_now() - start) / repeats;
		call_row_show(&row, out);
	}
	return 0;
}

/* Convert a weight from the arena's order (k, taps, channels) to PyTorch's (k,
 * channels, taps), or back. */
static void
reorder_weight(
    const struct program_weight *w, const float *from, float *to, int back)
{
	const size_t taps = (size_t)w->taps, channels = (size_t)w->channels;

	for (size_t k = 0; k < (size_t)w->k; k++)
		for (size_t c = 0; c < channels; c++)
			for (size_t t = 0; t < taps; t++) {
				const size_t torch =
				    (k * channels + c) * taps + t;
				const size_t own =
				    (k * taps + t) * channels + c;

				if (back)
					to[own] = from[torch];
				else
					to[torch] = from[own];
			}
}

/* Copy parameter i of an arena to or from PyTorch's order. */
static int
copy_param(struct cuda *d, enum tensor_kind k, int i, float *torch, int write,
    struct error *e)
{
	static const enum area areas[] = {
		[TENSOR_PARAM] = AREA_PARAMS,
		[TENSOR_GRAD] = AREA_GRADS,
		[TENSOR_MOMENTUM] = AREA_MOMENTA,
	};
	const struct param *p = &d->base.graph->params[i];
	const struct program_weight *w = &d->program.weights[i];
	const struct executor_ops *ops = d->executor->ops;
	float *x = w->k > 0 ? xcalloc(p->n, sizeof *x) : torch;
	int rc;

	if (w->k > 0 && write)
		reorder_weight(w, torch, x, 1);
	rc = ops->copy(d->executor, areas[k], p->offset, p->n, x, write, e);
	if (rc == 0 && write && k == TENSOR_PARAM)
		rc = ops->refresh(d->executor, e);
	if (w->k > 0 && !write)
		reorder_weight(w, x, torch, 0);
	if (w->k > 0)
		free(x);
	return rc;
}

/* Copy a tensor to fp32 in PyTorch's order without padding channels, or from
 * it.
 *
 * channels  of an image in PyTorch */
static int
copy_tensor(struct cuda *d, int tensor, int channels, float *torch, int write,
    struct error *e)
{
	const struct tensor *t = &d->program.tensors[tensor];
	const size_t pixels = (size_t)t->shape.h * (size_t)t->shape.w;
	const size_t batch = (size_t)d->base.config.batch;
	const size_t c = (size_t)channels, padded = (size_t)t->shape.c;
	const struct executor_ops *ops = d->executor->ops;
	const int is_half = t->type != DTYPE_FP32;
	float *x = xcalloc(t->n, sizeof *x);
	uint16_t *half = xcalloc(t->n, sizeof *half);
	void *there = is_half ? (void *)half : x;
	int rc = 0;

	if (!write)
		rc = ops->copy_tensor(d->executor, tensor, there, 0, e);
	if (!write && is_half)
		half_float_to_float(t->type, half, x, t->n);
	for (size_t i = 0; i < batch * c * pixels; i++) {
		const size_t at =
		    (i / (c * pixels) * pixels + i % pixels) * padded +
		    i / pixels % c;

		if (write)
			x[at] = torch[i];
		else
			torch[i] = x[at];
	}
	if (write && is_half)
		half_float_from_float(t->type, x, 1, half, t->n);
	if (write)
		rc = ops->copy_tensor(d->executor, tensor, there, 1, e);
	free(half);
	free(x);
	return rc;
}

/* Copy any kind of tensor as fp32. Only on the device are gradients multiplied
 * by the loss scale. */
static int
copy_any(struct cuda *d, enum tensor_kind k, int i, float *x, int write,
    struct error *e)
{
	const struct graph *g = d->base.graph;
	const struct executor_ops *ops = d->executor->ops;
	const size_t n = device_tensor_size(&d->base, k, i);
	const int classes = g->nodes[g->n_nodes - 1].out.c;
	double scale = 1;
	int rc = 0;

	if (k == TENSOR_GRAD || k == TENSOR_OUTPUT_GRAD ||
	    k == TENSOR_INPUT_GRAD)
		rc = ops->scale(d->executor, &scale, e);
	for (size_t j = 0; write && j < n; j++)
		x[j] = (float)(x[j] * scale);
	if (rc != 0)
		return rc;
	if (k <= TENSOR_MOMENTUM)
		rc = copy_param(d, k, i, x, write, e);
	else if (k == TENSOR_BUFFER)
		rc = ops->copy(d->executor, AREA_BUFFERS, g->buffers[i].offset,
		    n, x, write, e);
	else if (k == TENSOR_OUTPUT)
		rc = copy_tensor(d, d->program.output, classes, x, write, e);
	else if (k == TENSOR_OUTPUT_GRAD)
		rc = copy_tensor(
		    d, d->program.output_grad, classes, x, write, e);
	else
		rc = copy_tensor(
		    d, d->program.input_grad, g->nodes[0].out.c, x, write, e);
	for (size_t j = 0; !write && j < n; j++)
		x[j] = (float)(x[j] / scale);
	return rc;
}

static int
cuda_read(struct device *base, enum tensor_kind k, int i, enum dtype t,
    void *out, struct error *e)
{
	const size_t n = device_tensor_size(base, k, i);
	float *x = xcalloc(n + 1, sizeof *x);
	int rc = flush(cuda_of(base), e);

	if (rc == 0)
		rc = copy_any(cuda_of(base), k, i, x, 0, e);
	tensor_convert(DTYPE_FP32, x, t, out, n);
	free(x);
	return rc;
}

static int
cuda_write(struct device *base, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e)
{
	const size_t n = device_tensor_size(base, k, i);
	float *x = xcalloc(n + 1, sizeof *x);
	int rc = flush(cuda_of(base), e);

	tensor_convert(t, in, DTYPE_FP32, x, n);
	if (rc == 0)
		rc = copy_any(cuda_of(base), k, i, x, 1, e);
	free(x);
	return rc;
}

static int
cuda_scaling(
    struct device *base, struct loss_scaling *s, int set, struct error *e)
{
	struct executor *m = cuda_of(base)->executor;

	return flush(cuda_of(base), e) != 0 ? -1
					    : m->ops->scaling(m, s, set, e);
}

static void
cuda_describe(struct device *base, struct strbuf *out)
{
	const struct cuda *d = cuda_of(base);

	strbuf_printf(out,
	    "device %s, %s: %.1f MiB, of them %.1f MiB activations and their "
	    "gradients (%.1f MiB without sharing), %d calls forward, %d "
	    "backward\n",
	    base->ops->name, dtype_name(base->config.precision),
	    (double)base->bytes / 1048576,
	    (double)d->program.memory.bytes / 1048576,
	    (double)d->program.memory.sum / 1048576, d->program.n_forward,
	    d->program.n_calls - d->program.n_forward);
	if (d->executor->ops->describe != NULL)
		d->executor->ops->describe(d->executor, out);
	if (d->failed.code != ERROR_NONE)
		strbuf_printf(
		    out, "step not captured: %s\n", d->failed.message);
	else
		strbuf_printf(out, "step %s\n",
		    d->capture ? "captured as a graph" : "call by call");
	program_describe(&d->program, out);
}

const struct device_ops cuda_device_functions = {
	.on_host = 0,
	.close = cuda_close,
	.load = cuda_load,
	.forward = cuda_forward,
	.loss = cuda_loss,
	.results = cuda_results,
	.backward = cuda_backward,
	.update = cuda_update,
	.sync = cuda_sync,
	.read = cuda_read,
	.write = cuda_write,
	.describe = cuda_describe,
	.forget_steps = cuda_forget_steps,
	.times = cuda_times,
	.scaling = cuda_scaling,
};
