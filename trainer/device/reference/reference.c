/* The reference device, for the type `real` (reference_kernels.h): every node
 * keeps its output and its gradient; nothing is fused, no memory is shared.
 * reference_fp64.c compiles this file again for double. */
#include <config.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/device/device.h"
#include "trainer/device/loss.h"
#include "trainer/device/reference/reference_kernels.h"

#if REFERENCE_FP64
#define REAL_TYPE DTYPE_FP64
#define OPS reference_ops_fp64
#else
#define REAL_TYPE DTYPE_FP32
#define OPS reference_ops_fp32
#endif

extern const struct device_ops reference_ops_fp32, reference_ops_fp64;

/* Data of a node besides its parameters. */
struct ref_node {
	real *y, *dy;          /* shape (batch, c, h, w) */
	double *mean, *invstd; /* [c] used by the last forward pass */
	int *where;            /* max pooling: position of each maximum */
};

struct ref_device {
	struct device base;
	real *params, *grads, *momenta;
	real *buffers;
	struct ref_node *nodes;
	real *scratch;   /* largest convolution's */
	double *row;     /* [2 * classes]: logits and their gradient */
	int32_t *labels; /* [batch] */
	int n;           /* images in the batch */
	enum device_mode mode;
	long step;
};

static struct ref_device *
ref(struct device *d)
{
	return (struct ref_device *)d;
}

static void *
ref_alloc(struct ref_device *r, size_t n, size_t size)
{
	r->base.bytes += n * size;
	return xcalloc(n, size);
}

static void
ref_plan_node(struct ref_device *r, int i)
{
	const struct graph *g = r->base.graph;
	const struct node *n = &g->nodes[i];
	const size_t size = (size_t)r->base.config.batch * shape_size(n->out);
	struct ref_node *p = &r->nodes[i];

	p->y = ref_alloc(r, size, sizeof(real));
	p->dy = ref_alloc(r, size, sizeof(real));
	if (n->kind == NODE_BATCHNORM) {
		p->mean = ref_alloc(r, (size_t)n->out.c, sizeof(double));
		p->invstd = ref_alloc(r, (size_t)n->out.c, sizeof(double));
	} else if (n->kind == NODE_MAXPOOL) {
		p->where = ref_alloc(r, size, sizeof(int));
	}
}

/* Elements of scratch: the maximum over all nodes. */
static size_t
ref_scratch(const struct graph *g, size_t batch)
{
	size_t most = 1;

	for (int i = 1; i < g->n_nodes; i++) {
		const struct node *n = &g->nodes[i];
		const struct shape in = g->nodes[n->in[0]].out;
		size_t need = 0;

		if (n->kind == NODE_CONV)
			need = conv_scratch(n, in);
		else if (n->kind == NODE_LINEAR)
			need = batch * (shape_size(in) + (size_t)n->out.c);
		if (need > most)
			most = need;
	}
	return most;
}

/* Bytes that ref_open allocates, approximately. */
static size_t
ref_bytes(const struct graph *g, size_t batch)
{
	size_t n = 3 * g->arena_size + ref_scratch(g, batch);
	size_t bytes;

	for (int i = 0; i < g->n_nodes; i++)
		n += 2 * batch * shape_size(g->nodes[i].out);
	bytes = n * sizeof(real);
	for (int i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind == NODE_MAXPOOL)
			bytes +=
			    batch * shape_size(g->nodes[i].out) * sizeof(int);
	return bytes;
}

static int
ref_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	const size_t batch = (size_t)c->batch;
	struct ref_device *r;

	if (device_check_memory(c, ref_bytes(g, batch), e) != 0)
		return -1;
	r = xcalloc(1, sizeof *r);
	r->base.ops = &OPS;
	r->base.graph = g;
	r->base.config = *c;
	r->params = ref_alloc(r, g->arena_size, sizeof(real));
	r->grads = ref_alloc(r, g->arena_size, sizeof(real));
	r->momenta = ref_alloc(r, g->arena_size, sizeof(real));
	r->base.params =
	    (struct device_arena){ r->params, g->arena_size, REAL_TYPE };
	r->base.grads =
	    (struct device_arena){ r->grads, g->arena_size, REAL_TYPE };
	r->base.momenta =
	    (struct device_arena){ r->momenta, g->arena_size, REAL_TYPE };
	r->buffers = ref_alloc(r, g->buffers_size + 1, sizeof(real));
	r->nodes = ref_alloc(r, (size_t)g->n_nodes, sizeof *r->nodes);
	for (int i = 0; i < g->n_nodes; i++)
		ref_plan_node(r, i);
	r->scratch = ref_alloc(r, ref_scratch(g, batch), sizeof(real));
	r->row = ref_alloc(r, 2 * (size_t)g->classes, sizeof(double));
	r->labels = ref_alloc(r, batch, sizeof *r->labels);
	*out = &r->base;
	return 0;
}

static void
ref_close(struct device *d)
{
	struct ref_device *r = ref(d);

	for (int i = 0; i < d->graph->n_nodes; i++) {
		free(r->nodes[i].y);
		free(r->nodes[i].dy);
		free(r->nodes[i].mean);
		free(r->nodes[i].invstd);
		free(r->nodes[i].where);
	}
	free(r->nodes);
	free(r->buffers);
	free(r->params);
	free(r->grads);
	free(r->momenta);
	free(r->scratch);
	free(r->row);
	free(r->labels);
	free(r);
}

static int
ref_load(struct device *d, const struct images *im, const int32_t *labels,
    struct error *e)
{
	struct ref_device *r = ref(d);
	const struct shape s = d->graph->nodes[0].out;
	const size_t pixels = (size_t)s.h * (size_t)s.w;
	float *plane = (float *)r->nodes[0].dy; /* not in use until backward */

	(void)e;
	r->n = im->n;
	memset(r->nodes[0].y, 0,
	    (size_t)d->config.batch * shape_size(s) * sizeof(real));
	for (int i = 0; i < im->n * s.c; i++) {
		images_plane(im, i / s.c, i % s.c, s.c, pixels, plane);
		for (size_t p = 0; p < pixels; p++)
			r->nodes[0].y[(size_t)i * pixels + p] = plane[p];
	}
	if (labels != NULL)
		memcpy(r->labels, labels, (size_t)im->n * sizeof *labels);
	return 0;
}

/* A parameter, its gradient, a buffer; NULL for GRAPH_NONE. */
static real *
ref_param(struct ref_device *r, int i)
{
	return i == GRAPH_NONE ? NULL
			       : r->params + r->base.graph->params[i].offset;
}

static real *
ref_grad(struct ref_device *r, int i)
{
	return i == GRAPH_NONE ? NULL
			       : r->grads + r->base.graph->params[i].offset;
}

static void
ref_batchnorm(struct ref_device *r, const struct node *n, struct ref_node *p,
    const real *x)
{
	const struct buffer *buffers = r->base.graph->buffers;
	real *running_mean = r->buffers + buffers[n->mean].offset;
	real *running_var = r->buffers + buffers[n->var].offset;

	if (r->mode == MODE_TRAIN)
		batchnorm_statistics(n->out, r->n, x, p->mean, p->invstd,
		    running_mean, running_var);
	else
		for (int c = 0; c < n->out.c; c++) {
			p->mean[c] = running_mean[c];
			p->invstd[c] =
			    1 / sqrt((double)running_var[c] + BATCHNORM_EPS);
		}
	batchnorm_forward(n->out, r->n, x, p->mean, p->invstd,
	    ref_param(r, n->weight), ref_param(r, n->bias), p->y);
}

/* y (n, out) = x (n, in) times w (out, in) transposed, plus bias: computed as w
 * times x transposed, so that w is read once and in order. */
static void
ref_linear(struct ref_device *r, const struct node *n, size_t in, const real *x,
    real *y)
{
	const size_t batch = (size_t)r->n, out = (size_t)n->out.c;
	const real *bias = ref_param(r, n->bias);
	real *turned = r->scratch, *sums = r->scratch + batch * in;

	transpose((int)batch, (int)in, x, turned);
	memset(sums, 0, batch * out * sizeof *sums);
	gemm((int)out, batch, in, ref_param(r, n->weight), in, 1, turned, batch,
	    sums, batch);
	for (size_t i = 0; i < batch; i++)
		for (size_t j = 0; j < out; j++)
			y[i * out + j] = sums[j * batch + i] + bias[j];
}

static void
ref_dropout(struct ref_device *r, int i, const real *x, real *y)
{
	const struct node *n = &r->base.graph->nodes[i];
	const size_t one = shape_size(n->out), size = (size_t)r->n * one;
	const struct rng key = { r->base.config.seed,
		RNG_STREAM_DROPOUT + (uint32_t)i, (uint32_t)r->step };

	if (r->mode == MODE_TRAIN)
		dropout(&key, n->p, (size_t)r->base.config.first_image * one,
		    size, x, y);
	else
		for (size_t k = 0; k < size; k++)
			y[k] += x[k];
}

static void
ref_forward_node(struct ref_device *r, int i)
{
	const struct node *n = &r->base.graph->nodes[i];
	const struct shape in = r->base.graph->nodes[n->in[0]].out;
	const size_t size = (size_t)r->n * shape_size(n->out);
	struct ref_node *p = &r->nodes[i];
	real *x = r->nodes[n->in[0]].y;

	switch (n->kind) {
	case NODE_CONV:
		conv_forward(n, in, r->n, x, ref_param(r, n->weight),
		    ref_param(r, n->bias), p->y, r->scratch);
		break;
	case NODE_BATCHNORM:
		ref_batchnorm(r, n, p, x);
		break;
	case NODE_RELU:
		for (size_t k = 0; k < size; k++)
			p->y[k] = x[k] < 0 ? 0 : x[k];
		break;
	case NODE_ADD:
		for (size_t k = 0; k < size; k++)
			p->y[k] = x[k] + r->nodes[n->in[1]].y[k];
		break;
	case NODE_MAXPOOL:
		maxpool_forward(n, in, r->n * in.c, x, p->y, p->where);
		break;
	case NODE_AVGPOOL:
		avgpool(in, n->out, r->n * in.c, x, p->y, 0);
		break;
	case NODE_DROPOUT:
		memset(p->y, 0, size * sizeof *p->y);
		ref_dropout(r, i, x, p->y);
		break;
	case NODE_LINEAR:
		ref_linear(r, n, shape_size(in), x, p->y);
		break;
	default:
		assert(n->kind == NODE_INPUT);
	}
}

static int
ref_forward(struct device *d, enum device_mode mode, long step, struct error *e)
{
	struct ref_device *r = ref(d);

	(void)e;
	assert(mode == MODE_EVAL || r->n == d->config.batch);
	r->mode = mode;
	r->step = step;
	for (int i = 1; i < d->graph->n_nodes; i++)
		ref_forward_node(r, i);
	return 0;
}

static int
ref_loss(struct device *d, struct loss_result *result, struct error *e)
{
	struct ref_device *r = ref(d);
	const size_t classes = (size_t)d->graph->classes;
	struct ref_node *last = &r->nodes[d->graph->n_nodes - 1];

	(void)e;
	memset(result, 0, sizeof *result);
	for (size_t i = 0; i < (size_t)r->n; i++) {
		double *grad = r->row + classes;

		for (size_t k = 0; k < classes; k++)
			r->row[k] = last->y[i * classes + k];
		loss_add_image(r->row, (int)classes, r->labels[i], 1.0 / r->n,
		    grad, result);
		for (size_t k = 0; k < classes; k++)
			last->dy[i * classes + k] = (real)grad[k];
	}
	result->loss /= r->n;
	return 0;
}

static void
ref_linear_backward(struct ref_device *r, const struct node *n, size_t in,
    const real *x, const real *dy, real *dx)
{
	const size_t batch = (size_t)r->n, out = (size_t)n->out.c;
	real *dbias = ref_grad(r, n->bias);

	gemm(
	    (int)out, in, batch, dy, 1, out, x, in, ref_grad(r, n->weight), in);
	for (size_t i = 0; i < batch; i++)
		for (size_t j = 0; j < out; j++)
			dbias[j] += dy[i * out + j];
	if (dx != NULL)
		gemm((int)batch, in, out, dy, out, 1, ref_param(r, n->weight),
		    in, dx, in);
}

static void
ref_conv_backward(struct ref_device *r, const struct node *n, struct shape in,
    real *x, const real *dy, real *dx)
{
	conv_backward_weights(n, in, r->n, x, dy, ref_grad(r, n->weight),
	    ref_grad(r, n->bias), r->scratch);
	if (dx != NULL)
		conv_backward_data(
		    n, in, r->n, ref_param(r, n->weight), dy, dx, r->scratch);
}

/* dx is NULL if the gradient of the input is not needed */
static void
ref_backward_node(struct ref_device *r, int i, real *dx)
{
	const struct node *n = &r->base.graph->nodes[i];
	const struct shape in = r->base.graph->nodes[n->in[0]].out;
	const size_t size = (size_t)r->n * shape_size(n->out);
	struct ref_node *p = &r->nodes[i];
	real *x = r->nodes[n->in[0]].y;

	switch (n->kind) {
	case NODE_CONV:
		ref_conv_backward(r, n, in, x, p->dy, dx);
		break;
	case NODE_BATCHNORM:
		batchnorm_backward(n->out, r->n, x, p->mean, p->invstd,
		    ref_param(r, n->weight), p->dy, r->mode == MODE_TRAIN,
		    ref_grad(r, n->weight), ref_grad(r, n->bias), dx);
		break;
	case NODE_RELU:
		for (size_t k = 0; k < size; k++)
			dx[k] += p->y[k] > 0 ? p->dy[k] : 0;
		break;
	case NODE_ADD:
		for (size_t k = 0; k < size; k++) {
			dx[k] += p->dy[k];
			r->nodes[n->in[1]].dy[k] += p->dy[k];
		}
		break;
	case NODE_MAXPOOL:
		maxpool_backward(n, in, r->n * in.c, p->dy, p->where, dx);
		break;
	case NODE_AVGPOOL:
		avgpool(in, n->out, r->n * in.c, dx, p->dy, 1);
		break;
	case NODE_DROPOUT:
		ref_dropout(r, i, p->dy, dx);
		break;
	case NODE_LINEAR:
		ref_linear_backward(r, n, shape_size(in), x, p->dy, dx);
		break;
	default:
		assert(n->kind == NODE_INPUT);
	}
}

static int
ref_backward(
    struct device *d, device_ready_fn ready, void *ctx, struct error *e)
{
	struct ref_device *r = ref(d);
	const struct graph *g = d->graph;
	size_t done = 0;

	(void)e;
	assert(r->mode != MODE_EVAL && r->n == d->config.batch);
	memset(r->grads, 0, g->arena_size * sizeof *r->grads);
	for (int i = 0; i < g->n_nodes - 1; i++)
		memset(r->nodes[i].dy, 0,
		    (size_t)d->config.batch * shape_size(g->nodes[i].out) *
			sizeof(real));
	for (int i = g->n_nodes - 1; i > 0; i--) {
		const struct node *n = &g->nodes[i];
		const int wanted = n->in[0] > 0 || d->config.input_gradient ||
		    (n->kind != NODE_CONV && n->kind != NODE_LINEAR);
		size_t end;

		ref_backward_node(r, i, wanted ? r->nodes[n->in[0]].dy : NULL);
		if (n->weight == GRAPH_NONE)
			continue;
		end = graph_done(g, n->weight);
		if (ready != NULL)
			ready(ctx, done, end - done);
		done = end;
	}
	return 0;
}

static int
ref_update(struct device *d, const struct sgd *s, struct error *e)
{
	struct ref_device *r = ref(d);
	const real lr = (real)s->lr, momentum = (real)s->momentum;
	const real decay = (real)s->weight_decay, scale = (real)s->grad_scale;

	(void)e;
	for (size_t i = 0; i < d->graph->arena_size; i++) {
		real g = r->grads[i] * scale + decay * r->params[i];

		r->momenta[i] = momentum * r->momenta[i] + g;
		r->params[i] -= lr * r->momenta[i];
	}
	return 0;
}

/* sync: no pending work */
static int
ref_nothing(struct device *d, struct error *e)
{
	(void)d;
	(void)e;
	return 0;
}

static real *
ref_tensor(struct ref_device *r, enum tensor_kind k, int i)
{
	const struct graph *g = r->base.graph;

	switch (k) {
	case TENSOR_PARAM:
		return r->params + g->params[i].offset;
	case TENSOR_GRAD:
		return r->grads + g->params[i].offset;
	case TENSOR_MOMENTUM:
		return r->momenta + g->params[i].offset;
	case TENSOR_BUFFER:
		return r->buffers + g->buffers[i].offset;
	case TENSOR_OUTPUT:
		return r->nodes[g->n_nodes - 1].y;
	case TENSOR_OUTPUT_GRAD:
		return r->nodes[g->n_nodes - 1].dy;
	case TENSOR_INPUT_GRAD:
		break;
	}
	return r->nodes[0].dy;
}

static int
ref_read(struct device *d, enum tensor_kind k, int i, enum dtype t, void *out,
    struct error *e)
{
	(void)e;
	tensor_convert(REAL_TYPE, ref_tensor(ref(d), k, i), t, out,
	    device_tensor_size(d, k, i));
	return 0;
}

static int
ref_write(struct device *d, enum tensor_kind k, int i, enum dtype t,
    const void *in, struct error *e)
{
	(void)e;
	tensor_convert(t, in, REAL_TYPE, ref_tensor(ref(d), k, i),
	    device_tensor_size(d, k, i));
	return 0;
}

static void
ref_describe(struct device *d, struct strbuf *out)
{
	strbuf_printf(out,
	    "device reference, %s, %d threads: %.1f MiB, every activation and "
	    "its gradient kept, nothing fused\n",
	    dtype_name(REAL_TYPE), d->config.threads,
	    (double)d->bytes / 1048576);
}

const struct device_ops OPS = {
	.name = "reference",
	.summary = "plain C",
	.precisions = 1u << REAL_TYPE,
	.on_host = 1,
	.open = ref_open,
	.close = ref_close,
	.load = ref_load,
	.forward = ref_forward,
	.loss = ref_loss,
	.backward = ref_backward,
	.update = ref_update,
	.sync = ref_nothing,
	.read = ref_read,
	.write = ref_write,
	.describe = ref_describe,
};

#if !REFERENCE_FP64
/* use the ops of this precision from now on */
static int
reference_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	const struct device_ops *ops = c->precision == DTYPE_FP64
	    ? &reference_ops_fp64
	    : &reference_ops_fp32;

	return ops->open(g, c, out, e);
}

const struct device_ops device_reference = {
	.name = "reference",
	.summary = "plain C, exact and slow; what the others are tested with",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_FP64,
	.on_host = 1,
	.open = reference_open,
};
#endif
