/* Device interface: the list of device kinds, and functions that check their
 * arguments and call the device's own. */
#include <config.h>

#include "trainer/device/device.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"

#ifndef HAVE_DNNL
const struct device_ops device_cpu = {
	.name = "cpu",
	.summary = "not built: configure found no oneDNN 2.x",
};
#endif

#ifndef HAVE_CUDNN
const struct device_ops device_cuda = {
	.name = "cuda",
	.summary = "not built: configure found no CUDA or no cuDNN",
	.roofs = cuda_roofs,
};
#endif

static const struct device_ops *const devices[] = {
	&device_cpu,
	&device_cuda,
	&device_reference,
};

enum { N_DEVICES = sizeof devices / sizeof devices[0] };

const struct device_ops *const *
device_list(size_t *n)
{
	*n = N_DEVICES;
	return devices;
}

int
device_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	struct device_config full = *c;
	struct strbuf names = STRBUF_INIT(1000);
	const struct device_ops *ops = NULL;

	assert(g->finished && c->batch >= 1 && c->threads >= 0);
	for (int i = 0; i < N_DEVICES; i++) {
		if (strcmp(devices[i]->name, c->device) == 0)
			ops = devices[i];
		strbuf_printf(
		    &names, "%s%s", i > 0 ? ", " : "", devices[i]->name);
	}
	if (ops == NULL)
		error_set(e, ERROR_USAGE, "no device '%s'; there are %s",
		    c->device, names.buf);
	strbuf_release(&names);
	if (ops == NULL)
		return -1;
	if (ops->open == NULL)
		return error_set(
		    e, ERROR_USAGE, "device '%s': %s", ops->name, ops->summary);
	if ((ops->precisions & 1u << c->precision) == 0)
		return error_set(e, ERROR_USAGE,
		    "device '%s' does not support %s", ops->name,
		    dtype_name(c->precision));
	if (full.threads == 0)
		full.threads = parallel_processors();
	parallel_set_threads(full.threads);
	if (ops->open(g, &full, out, e) != 0)
		return -1;
	/* Check after opening: an open device may provide functions that its
	 * entry in the list lacks. */
	if (c->profile == 0 || (*out)->ops->times != NULL)
		return 0;
	error_set(
	    e, ERROR_USAGE, "device '%s' cannot time its calls", ops->name);
	device_close(*out);
	*out = NULL;
	return -1;
}

int
device_check_memory(
    const struct device_config *c, size_t bytes, struct error *e)
{
	if (c->memory_limit <= 0 || (double)bytes <= c->memory_limit)
		return 0;
	return error_set(e, ERROR_LIMIT,
	    "%d images a step take %.1f MiB of memory, but %.1f MiB are "
	    "available to each device; a smaller --batch-size takes less",
	    c->batch, (double)bytes / (1 << 20), c->memory_limit / (1 << 20));
}

void
device_close(struct device *d)
{
	if (d != NULL)
		d->ops->close(d);
}

/* Called on each entry, since each calling thread has its own number. */
static void
set_threads(const struct device *d)
{
	parallel_set_threads(d->config.threads);
}

int
device_load(struct device *d, const struct images *im, const int32_t *labels,
    struct error *e)
{
	assert(im->n >= 1 && im->n <= d->config.batch);
	assert(im->type == DTYPE_FP32 || im->type == DTYPE_U8);
	for (int i = 0; labels != NULL && i < im->n; i++)
		if (labels[i] < 0 || labels[i] >= d->graph->classes)
			return error_set(e, ERROR_INPUT,
			    "label %ld is not one of %d classes",
			    (long)labels[i], d->graph->classes);
	set_threads(d);
	return d->ops->load(d, im, labels, e);
}

int
device_forward(
    struct device *d, enum device_mode mode, long step, struct error *e)
{
	const struct graph *g = d->graph;

	/* Batch normalisation of one value has no variance; PyTorch also
	 * rejects it. */
	for (int i = 0; i < g->n_nodes && mode == MODE_TRAIN; i++) {
		const struct node *n = &g->nodes[i];

		if (n->kind == NODE_BATCHNORM &&
		    (long)d->config.batch * n->out.h * n->out.w < 2)
			return error_set(e, ERROR_USAGE,
			    "'%s' sees one value per channel; training it "
			    "needs a larger batch or image",
			    n->name);
	}
	set_threads(d);
	return d->ops->forward(d, mode, step, e);
}

int
device_loss(struct device *d, struct error *e)
{
	set_threads(d);
	if (d->ops->loss(d, &d->found[d->n_losses % DEVICE_RESULTS], e) != 0)
		return -1;
	d->n_losses++;
	return 0;
}

int
device_results(struct device *d, struct loss_result *r, int n, struct error *e)
{
	assert(n >= 1 && n <= DEVICE_RESULTS && n <= d->n_losses);
	set_threads(d);
	if (d->ops->results != NULL)
		return d->ops->results(d, r, n, e);
	for (int i = 0; i < n; i++)
		r[i] = d->found[(d->n_losses - n + i) % DEVICE_RESULTS];
	return 0;
}

int
device_result(struct device *d, struct loss_result *r, struct error *e)
{
	return device_results(d, r, 1, e);
}

int
device_backward(
    struct device *d, device_ready_fn ready, void *ctx, struct error *e)
{
	set_threads(d);
	return d->ops->backward(d, ready, ctx, e);
}

int
device_update(struct device *d, const struct sgd *s, struct error *e)
{
	set_threads(d);
	return d->ops->update(d, s, e);
}

int
device_sync(struct device *d, struct error *e)
{
	return d->ops->sync != NULL ? d->ops->sync(d, e) : 0;
}

size_t
device_tensor_size(const struct device *d, enum tensor_kind k, int i)
{
	const struct graph *g = d->graph;

	switch (k) {
	case TENSOR_PARAM:
	case TENSOR_GRAD:
	case TENSOR_MOMENTUM:
		assert(i >= 0 && i < g->n_params);
		return g->params[i].n;
	case TENSOR_BUFFER:
		assert(i >= 0 && i < g->n_buffers);
		return g->buffers[i].n;
	case TENSOR_OUTPUT:
	case TENSOR_OUTPUT_GRAD:
		return (size_t)d->config.batch *
		    shape_size(g->nodes[g->n_nodes - 1].out);
	case TENSOR_INPUT_GRAD:
		assert(d->config.input_gradient);
		break;
	}
	return (size_t)d->config.batch * shape_size(g->nodes[0].out);
}

int
device_read(struct device *d, enum tensor_kind k, int i, enum dtype t,
    void *out, struct error *e)
{
	set_threads(d);
	return d->ops->read(d, k, i, t, out, e);
}

int
device_write(struct device *d, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e)
{
	set_threads(d);
	return d->ops->write(d, k, i, t, in, e);
}

struct device_arena
device_arena(const struct device *d, enum tensor_kind k)
{
	assert(k == TENSOR_PARAM || k == TENSOR_GRAD || k == TENSOR_MOMENTUM);
	return k == TENSOR_PARAM ? d->params
	    : k == TENSOR_GRAD   ? d->grads
				 : d->momenta;
}

size_t
device_regions(struct device *d, struct device_region **out)
{
	*out = NULL;
	return d->ops->regions == NULL ? 0 : d->ops->regions(d, out);
}

void *
device_stream(struct device *d)
{
	return d->ops->stream != NULL ? d->ops->stream(d) : NULL;
}

void
device_forget_steps(struct device *d)
{
	if (d->ops->forget_steps != NULL)
		d->ops->forget_steps(d);
}

int
device_compress(struct device *d, const struct device_compression *c, int back,
    struct error *e)
{
	if (d->ops->compress == NULL)
		return error_set(e, ERROR_USAGE,
		    "device '%s' cannot compress its gradients", d->ops->name);
	return d->ops->compress(d, c, back, e);
}

int
device_phases(struct device *d, struct device_times *t, struct error *e)
{
	memset(t, 0, sizeof *t);
	return d->ops->phases != NULL ? d->ops->phases(d, t, e) : 0;
}

int
device_tick(struct device *d, struct error *e)
{
	return d->ops->tick != NULL ? d->ops->tick(d, e) : 1;
}

int
device_scaling(struct device *d, struct loss_scaling *s, struct error *e)
{
	memset(s, 0, sizeof *s);
	return d->ops->scaling != NULL ? d->ops->scaling(d, s, 0, e) : 0;
}

int
device_set_scaling(struct device *d, struct loss_scaling s, struct error *e)
{
	if (s.scale <= 0 || d->ops->scaling == NULL)
		return 0;
	return d->ops->scaling(d, &s, 1, e);
}

int
device_call_times(
    struct device *d, int repeats, struct strbuf *out, struct error *e)
{
	if (d->ops->times == NULL)
		return error_set(e, ERROR_USAGE,
		    "device '%s' cannot time its calls", d->ops->name);
	return d->ops->times(d, repeats, out, e);
}

void *
device_host_alloc(struct device *d, size_t bytes)
{
	return d->ops->host_alloc != NULL ? d->ops->host_alloc(d, bytes) : NULL;
}

void
device_describe(struct device *d, struct strbuf *out)
{
	d->ops->describe(d, out);
}

int
device_roofs(const char *device, const struct graph *g, int batch,
    enum dtype type, const char *model, struct strbuf *out, struct error *e)
{
	for (int i = 0; i < N_DEVICES; i++)
		if (strcmp(devices[i]->name, device) == 0 &&
		    devices[i]->roofs != NULL)
			return devices[i]->roofs(g, batch, type, model, out, e);
	return error_set(e, ERROR_USAGE, "--plan: only with --device=cuda");
}

/* --- A model with its weights --------------------------------------------- */

int
network_init(struct network *n, const unsigned long long *seed, struct error *e)
{
	const struct graph *g = &n->graph;
	int rc = 0;

	for (int i = 0; i < g->n_params && rc == 0; i++) {
		float *x = xcalloc(g->params[i].n, sizeof *x);

		rc = device_write(
		    n->device, TENSOR_MOMENTUM, i, DTYPE_FP32, x, e);
		if (rc == 0 && seed != NULL) {
			graph_init_param(g, i, *seed, x);
			rc = device_write(
			    n->device, TENSOR_PARAM, i, DTYPE_FP32, x, e);
		}
		free(x);
	}
	for (int i = 0; i < g->n_buffers && rc == 0; i++) {
		const struct buffer *b = &g->buffers[i];
		float *x = xcalloc(b->n, sizeof *x);

		for (size_t k = 0; k < b->n; k++)
			x[k] = (float)b->start;
		rc =
		    device_write(n->device, TENSOR_BUFFER, i, DTYPE_FP32, x, e);
		free(x);
	}
	return rc;
}

int
network_open(const struct network_config *c, struct network *n, struct error *e)
{
	const struct model *m = model_find(c->model, e);
	int image;

	n->device = NULL;
	if (m == NULL)
		return -1;
	image = c->image > 0 ? c->image : m->default_image;
	if (graph_build(m, c->classes, image, &n->graph, e) != 0)
		return -1;
	if (device_open(&n->graph, &c->device, &n->device, e) != 0) {
		graph_release(&n->graph);
		return -1;
	}
	if (network_init(n, c->weights_later ? NULL : &c->seed, e) != 0) {
		network_close(n);
		return -1;
	}
	return 0;
}

void
network_close(struct network *n)
{
	device_close(n->device);
	n->device = NULL;
	graph_release(&n->graph);
}

/* --- Loss of one image, pixels -------------------------------------------- */

void
loss_add_image(const double *logits, int classes, int label, double scale,
    double *grad, struct loss_result *r)
{
	double most = logits[0], sum = 0;
	const double own = logits[label];
	/* Classes that precede the label's in descending order of logits. */
	int rank = 0;

	for (int i = 0; i < classes; i++) {
		if (logits[i] > most)
			most = logits[i];
		rank += !(logits[i] < own) && i != label &&
		    (logits[i] > own || i < label || isnan(logits[i]));
	}
	if (isnan(own))
		rank = classes;
	for (int i = 0; i < classes; i++)
		sum += exp(logits[i] - most);
	r->loss += log(sum) + most - logits[label];
	r->n++;
	r->top1 += rank < 1;
	r->top5 += rank < 5;
	if (grad == NULL)
		return;
	for (int i = 0; i < classes; i++)
		grad[i] = scale *
		    (exp(logits[i] - most) / sum - (i == label ? 1 : 0));
}

void
images_plane(const struct images *im, int image, int channel, int channels,
    size_t pixels, float *out)
{
	const int turn = im->mirror != NULL && im->mirror[image];
	const int planar = im->order == IMAGES_NCHW;
	const size_t step = planar ? 1 : (size_t)channels;
	const size_t first = (size_t)image * (size_t)channels * pixels +
	    (size_t)channel * (planar ? pixels : 1);

	if (im->type == DTYPE_FP32) {
		const float *x = (const float *)im->data + first;

		for (size_t i = 0; i < pixels; i++)
			out[i] = x[i * step];
		assert(!turn);
	} else {
		const uint8_t *x = (const uint8_t *)im->data + first;

		assert(im->type == DTYPE_U8 && channels == 3);
		for (size_t i = 0; i < pixels && !turn; i++)
			out[i] = pixel_value(x[i * step], channel);
		for (size_t i = 0; i < pixels && turn; i++)
			out[i] = pixel_value(x[step *
						 pixel_source((uint32_t)i,
						     (uint32_t)im->width, 1)],
			    channel);
	}
}
