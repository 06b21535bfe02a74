/* The reference device in plain C, for the type `real`: every node keeps its
 * output and its gradient, (n, c, h, w); nothing is fused, no memory is shared.
 * reference_fp64.c compiles this file again for double. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"
#include "trainer/base/rng.h"
#include "trainer/device/device.h"

#ifdef REFERENCE_FP64
typedef double real;
#define REAL_TYPE DTYPE_FP64
#define OPS reference_ops_fp64
#else
typedef float real;
#define REAL_TYPE DTYPE_FP32
#define OPS reference_ops_fp32
#endif

#define BATCHNORM_EPS 1e-5
#define BATCHNORM_MOMENTUM 0.1

enum { GEMM_ROWS = 4 }; /* rows of c that share a row of b in the cache */

extern const struct device_ops reference_ops_fp32, reference_ops_fp64;

/* Data of a node besides its parameters. */
struct ref_node {
	real *y, *dy;          /* output and its gradient */
	double *mean, *invstd; /* [c] used by the last forward pass */
	int *where;            /* max pooling: position of each maximum */
};

struct ref_device {
	struct device base;
	struct arena memory; /* all of the following */
	real *params, *grads, *momenta, *buffers;
	struct ref_node *nodes;
	real *scratch;   /* largest convolution's or linear layer's */
	double *row;     /* [2 * classes]: logits and their gradient */
	int32_t *labels; /* [batch] */
	int n;           /* images in the batch */
	enum device_mode mode;
	long step;
};

/* --- layers --------------------------------------------------------------- */

/* Gradients are added to those of activations and parameters, which the device
 * clears first. */

/* c[i][j] += sum over k of a(i, k) * b[k][j], with a(i, k) = a[i * ai + k *
 * ak]. The order of the sum does not depend on the number of threads. */
static void
gemm(int rows, size_t columns, size_t depth, const real *a, size_t ai,
    size_t ak, const real *b, real *c)
{
	PARALLEL_FOR
	for (int first = 0; first < rows; first += GEMM_ROWS)
		for (size_t k = 0; k < depth; k++)
			for (int i = first; i < rows && i < first + GEMM_ROWS;
			     i++) {
				const real x = a[(size_t)i * ai + k * ak];
				real *y = c + (size_t)i * columns;

				SIMD_FOR
				for (size_t j = 0; j < columns; j++)
					y[j] += x * b[k * columns + j];
			}
}

/* to[j][i] = from[i][j] */
static void
transpose(int rows, int columns, const real *from, real *to)
{
	PARALLEL_FOR
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			to[(size_t)j * (size_t)rows + (size_t)i] =
			    from[(size_t)i * (size_t)columns + (size_t)j];
}

static size_t
pixels_of(struct shape s)
{
	return (size_t)s.h * (size_t)s.w;
}

/* Offset of a channel of an image. */
static size_t
plane_at(struct shape s, int image, int c)
{
	return ((size_t)image * (size_t)s.c + (size_t)c) * pixels_of(s);
}

/* Unfold one image: col[(c * k + r) * k + s][oy * ow + ox] is the pixel that
 * weight (c, r, s) multiplies at output (oy, ox), 0 in the padding. back: add
 * col to the pixels instead. */
static void
unfold(const struct node *n, struct shape in, real *x, real *col, int back)
{
	const int k = n->kernel;

	PARALLEL_FOR
	for (int c = 0; c < in.c; c++) {
		real *plane = x + plane_at(in, 0, c);
		real *to =
		    col + (size_t)c * (size_t)(k * k) * pixels_of(n->out);

		for (int tap = 0; tap < k * k; tap++)
			for (int o = 0; o < n->out.h * n->out.w; o++, to++) {
				const int y =
				    o / n->out.w * n->stride - n->pad + tap / k;
				const int z =
				    o % n->out.w * n->stride - n->pad + tap % k;
				const int inside =
				    y >= 0 && y < in.h && z >= 0 && z < in.w;

				if (back && inside)
					plane[y * in.w + z] += *to;
				else if (!back)
					*to = inside ? plane[y * in.w + z] : 0;
			}
	}
}

/* Rows of an unfolded image. */
static size_t
conv_depth(const struct node *n, struct shape in)
{
	return (size_t)in.c * (size_t)(n->kernel * n->kernel);
}

/* dbias and dx may be NULL. */
static void
conv_backward(const struct node *n, struct shape in, int batch, real *x,
    const real *w, const real *dy, real *dw, real *dbias, real *dx,
    real *scratch)
{
	const size_t pixels = pixels_of(n->out), depth = conv_depth(n, in);
	real *turned = scratch + depth * pixels;

	for (int i = 0; i < batch; i++) {
		const real *from = dy + plane_at(n->out, i, 0);

		unfold(n, in, x + plane_at(in, i, 0), scratch, 0);
		transpose((int)depth, (int)pixels, scratch, turned);
		gemm(n->out.c, depth, pixels, from, pixels, 1, turned, dw);
		for (size_t p = 0;
		     dbias != NULL && p < (size_t)n->out.c * pixels; p++)
			dbias[p / pixels] += from[p];
		if (dx == NULL)
			continue;
		memset(scratch, 0, depth * pixels * sizeof *scratch);
		gemm((int)depth, pixels, (size_t)n->out.c, w, 1, depth, from,
		    scratch);
		unfold(n, in, dx + plane_at(in, i, 0), scratch, 1);
	}
}

/* With xh = (x - mean) * invstd and sums over batch and pixels:
 * dbeta = sum dy, dgamma = sum dy * xh,
 * dx = gamma * invstd * (dy - dbeta / count - xh * dgamma / count); without
 * batch statistics the last two terms vanish. */
static void
batchnorm_backward(struct shape s, int batch, const real *x, const double *mean,
    const double *invstd, const real *gamma, const real *dy,
    int batch_statistics, real *dgamma, real *dbeta, real *dx)
{
	const double count = (double)pixels_of(s) * batch;

	PARALLEL_FOR
	for (int c = 0; c < s.c; c++) {
		double sum = 0, dot = 0;

		for (int i = 0; i < batch; i++) {
			const size_t at = plane_at(s, i, c);

			for (size_t p = at; p < at + pixels_of(s); p++) {
				sum += dy[p];
				dot += dy[p] * (x[p] - mean[c]) * invstd[c];
			}
		}
		dbeta[c] += (real)sum;
		dgamma[c] += (real)dot;
		if (!batch_statistics)
			sum = dot = 0;
		for (int i = 0; i < batch; i++) {
			const size_t at = plane_at(s, i, c);

			for (size_t p = at; p < at + pixels_of(s); p++)
				dx[p] += (real)((double)gamma[c] * invstd[c] *
				    (dy[p] - sum / count -
					(x[p] - mean[c]) * invstd[c] * dot /
					    count));
		}
	}
}

/* Maximum of each window; ties go to the first, as in PyTorch. where[] keeps
 * its position in the plane. */
static void
maxpool_forward(const struct node *n, struct shape in, int planes,
    const real *x, real *y, int *where)
{
	PARALLEL_FOR
	for (int plane = 0; plane < planes; plane++) {
		const real *from = x + (size_t)plane * pixels_of(in);
		size_t at = (size_t)plane * pixels_of(n->out);

		for (int o = 0; o < n->out.h * n->out.w; o++, at++) {
			int best = -1;

			for (int k = 0; k < n->kernel * n->kernel; k++) {
				const int yy = o / n->out.w * n->stride -
				    n->pad + k / n->kernel;
				const int xx = o % n->out.w * n->stride -
				    n->pad + k % n->kernel;
				const int here = yy * in.w + xx;

				if (yy >= 0 && yy < in.h && xx >= 0 &&
				    xx < in.w &&
				    (best < 0 || from[here] > from[best] ||
					isnan(from[here])))
					best = here;
			}
			y[at] = from[best];
			where[at] = best;
		}
	}
}

/* Adaptive average pooling: output o of n covers inputs floor(o * in / n) ..
 * ceil((o + 1) * in / n) - 1 in each direction. back: spread gradients in y. */
static void
avgpool(
    struct shape in, struct shape out, int planes, real *x, real *y, int back)
{
	PARALLEL_FOR
	for (int plane = 0; plane < planes; plane++) {
		real *from = x + (size_t)plane * pixels_of(in);
		real *to = y + (size_t)plane * pixels_of(out);

		for (int o = 0; o < out.h * out.w; o++) {
			int oy = o / out.w, ox = o % out.w;
			int y0 = oy * in.h / out.h, x0 = ox * in.w / out.w;
			int y1 = ((oy + 1) * in.h + out.h - 1) / out.h;
			int x1 = ((ox + 1) * in.w + out.w - 1) / out.w;
			double area = (double)(y1 - y0) * (x1 - x0), sum = 0;

			for (int yy = y0; yy < y1; yy++)
				for (int xx = x0; xx < x1; xx++)
					if (back)
						from[yy * in.w + xx] +=
						    (real)(to[o] / area);
					else
						sum += from[yy * in.w + xx];
			if (!back)
				to[o] = (real)(sum / area);
		}
	}
}

/* --- the device ----------------------------------------------------------- */

static struct ref_device *
ref(struct device *d)
{
	return (struct ref_device *)d;
}

/* Count an allocation, and make it unless only counting. */
static void *
ref_alloc(struct ref_device *r, int counting, size_t n, size_t size)
{
	r->base.bytes += n * size;
	return counting ? NULL : arena_calloc(&r->memory, n, size);
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
			need = 2 * conv_depth(n, in) * pixels_of(n->out);
		else if (n->kind == NODE_LINEAR)
			need = batch * (shape_size(in) + (size_t)n->out.c);
		if (need > most)
			most = need;
	}
	return most;
}

/* Allocate everything but r->nodes; set r->base.bytes. */
static void
ref_plan(struct ref_device *r, int counting)
{
	const struct graph *g = r->base.graph;
	const size_t batch = (size_t)r->base.config.batch, n = g->arena_size;

	r->base.bytes = 0;
	r->params = ref_alloc(r, counting, n, sizeof(real));
	r->grads = ref_alloc(r, counting, n, sizeof(real));
	r->momenta = ref_alloc(r, counting, n, sizeof(real));
	r->buffers = ref_alloc(r, counting, g->buffers_size + 1, sizeof(real));
	r->scratch =
	    ref_alloc(r, counting, ref_scratch(g, batch), sizeof(real));
	r->row = ref_alloc(r, counting, 2 * (size_t)g->classes, sizeof(double));
	r->labels = ref_alloc(r, counting, batch, sizeof *r->labels);
	for (int i = 0; i < g->n_nodes; i++) {
		const struct shape s = g->nodes[i].out;
		const size_t size = batch * shape_size(s);
		const size_t c =
		    g->nodes[i].kind == NODE_BATCHNORM ? (size_t)s.c : 0;
		struct ref_node *p = &r->nodes[i];

		p->y = ref_alloc(r, counting, size, sizeof(real));
		p->dy = ref_alloc(r, counting, size, sizeof(real));
		p->mean = ref_alloc(r, counting, c, sizeof(double));
		p->invstd = ref_alloc(r, counting, c, sizeof(double));
		p->where = ref_alloc(r, counting,
		    g->nodes[i].kind == NODE_MAXPOOL ? size : 0, sizeof(int));
	}
}

static void
ref_close(struct device *d)
{
	struct ref_device *r = ref(d);

	arena_release(&r->memory);
	free(r);
}

static int
ref_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	struct ref_device *r = xcalloc(1, sizeof *r);

	r->base.ops = &OPS;
	r->base.graph = g;
	r->base.config = *c;
	r->nodes =
	    arena_calloc(&r->memory, (size_t)g->n_nodes, sizeof *r->nodes);
	ref_plan(r, 1);
	if (device_check_memory(c, r->base.bytes, e) != 0) {
		ref_close(&r->base);
		return -1;
	}
	ref_plan(r, 0);
	r->base.params =
	    (struct device_arena){ r->params, g->arena_size, REAL_TYPE };
	r->base.grads =
	    (struct device_arena){ r->grads, g->arena_size, REAL_TYPE };
	r->base.momenta =
	    (struct device_arena){ r->momenta, g->arena_size, REAL_TYPE };
	*out = &r->base;
	return 0;
}

static int
ref_load(struct device *d, const struct images *im, const int32_t *labels,
    struct error *e)
{
	struct ref_device *r = ref(d);
	const struct shape s = d->graph->nodes[0].out;
	float *plane = (float *)r->nodes[0].dy; /* not in use until backward */

	(void)e;
	r->n = im->n;
	memset(r->nodes[0].y, 0,
	    (size_t)d->config.batch * shape_size(s) * sizeof(real));
	for (int i = 0; i < im->n * s.c; i++) {
		images_plane(im, i / s.c, i % s.c, s.c, pixels_of(s), plane);
		for (size_t p = 0; p < pixels_of(s); p++)
			r->nodes[0].y[(size_t)i * pixels_of(s) + p] = plane[p];
	}
	if (labels != NULL)
		memcpy(r->labels, labels, (size_t)im->n * sizeof *labels);
	return 0;
}

/* Parameter i in an arena; NULL for GRAPH_NONE. */
static real *
param_at(const struct ref_device *r, real *arena, int i)
{
	return i == GRAPH_NONE ? NULL : arena + r->base.graph->params[i].offset;
}

/* Training uses mean and variance of each channel over the batch and updates
 * the running ones with the unbiased variance (torch.nn.BatchNorm2d). */
static void
ref_batchnorm(struct ref_device *r, const struct node *n, struct ref_node *p,
    const real *x)
{
	const struct buffer *buffers = r->base.graph->buffers;
	const struct shape s = n->out;
	const size_t pixels = pixels_of(s);
	const double count = (double)pixels * r->n;
	real *running_mean = r->buffers + buffers[n->mean].offset;
	real *running_var = r->buffers + buffers[n->var].offset;
	const real *gamma = param_at(r, r->params, n->weight);
	const real *beta = param_at(r, r->params, n->bias);

	PARALLEL_FOR
	for (int c = 0; c < s.c; c++) {
		double sum = 0, squares = 0, m = running_mean[c];
		double var = running_var[c];

		for (int i = 0; i < r->n && r->mode == MODE_TRAIN; i++)
			for (size_t k = 0; k < pixels; k++)
				sum += x[plane_at(s, i, c) + k];
		if (r->mode == MODE_TRAIN)
			m = sum / count;
		for (int i = 0; i < r->n && r->mode == MODE_TRAIN; i++)
			for (size_t k = 0; k < pixels; k++) {
				const double d = x[plane_at(s, i, c) + k] - m;

				squares += d * d;
			}
		if (r->mode == MODE_TRAIN) {
			var = squares / count;
			running_mean[c] += (real)(BATCHNORM_MOMENTUM *
			    (m - (double)running_mean[c]));
			running_var[c] += (real)(BATCHNORM_MOMENTUM *
			    (squares / (count - 1) - (double)running_var[c]));
		}
		p->mean[c] = m;
		p->invstd[c] = 1 / sqrt(var + BATCHNORM_EPS);
	}
	PARALLEL_FOR_2
	for (int i = 0; i < r->n; i++)
		for (int c = 0; c < s.c; c++) {
			const size_t at = plane_at(s, i, c);

			for (size_t k = at; k < at + pixels; k++)
				p->y[k] = (real)((x[k] - p->mean[c]) *
					p->invstd[c] * (double)gamma[c] +
				    (double)beta[c]);
		}
}

/* y += x * mask, for values and gradients. */
static void
ref_dropout(
    const struct ref_device *r, const struct node *n, const real *x, real *y)
{
	const size_t one = shape_size(n->out);
	const size_t first = (size_t)r->base.config.first_image * one;
	const real scale = (real)(1 / (1 - n->p));
	const struct rng key = { r->base.config.seed,
		RNG_STREAM_DROPOUT + (uint32_t)(n - r->base.graph->nodes),
		(uint32_t)r->step };

	for (size_t i = 0; i < (size_t)r->n * one; i++)
		if (r->mode != MODE_TRAIN)
			y[i] += x[i];
		else if (rng_uniform(&key, first + i) >= n->p)
			y[i] += x[i] * scale;
}

static void
forward_node(struct ref_device *r, const struct node *n)
{
	const struct shape in = r->base.graph->nodes[n->in[0]].out;
	const size_t size = (size_t)r->n * shape_size(n->out);
	const size_t batch = (size_t)r->n, depth = shape_size(in);
	const size_t outs = (size_t)n->out.c;
	const size_t pixels = pixels_of(n->out);
	const real *w = param_at(r, r->params, n->weight);
	const real *bias = param_at(r, r->params, n->bias);
	struct ref_node *p = &r->nodes[n - r->base.graph->nodes];
	real *x = r->nodes[n->in[0]].y, *sums = r->scratch + batch * depth;

	switch (n->kind) {
	case NODE_CONV:
		for (int i = 0; i < r->n; i++) {
			const size_t taps = conv_depth(n, in);
			real *y = p->y + plane_at(n->out, i, 0);

			unfold(n, in, x + plane_at(in, i, 0), r->scratch, 0);
			for (size_t k = 0; k < outs * pixels; k++)
				y[k] = bias != NULL ? bias[k / pixels] : 0;
			gemm(n->out.c, pixels, taps, w, taps, 1, r->scratch, y);
		}
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
		ref_dropout(r, n, x, p->y);
		break;
	case NODE_LINEAR:
		/* The weights times x transposed, so that they are read once
		 * and in order. */
		transpose(r->n, (int)depth, x, r->scratch);
		memset(sums, 0, size * sizeof *sums);
		gemm(n->out.c, batch, depth, w, depth, 1, r->scratch, sums);
		for (size_t k = 0; k < size; k++)
			p->y[k] =
			    sums[k % outs * batch + k / outs] + bias[k % outs];
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
		forward_node(r, &d->graph->nodes[i]);
	return 0;
}

static int
ref_loss(struct device *d, struct loss_result *result, struct error *e)
{
	struct ref_device *r = ref(d);
	const size_t classes = (size_t)d->graph->classes;
	struct ref_node *last = &r->nodes[d->graph->n_nodes - 1];
	double *grad = r->row + classes;

	(void)e;
	memset(result, 0, sizeof *result);
	for (size_t i = 0; i < (size_t)r->n; i++) {
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

/* dx is NULL if the gradient of the input is not needed. */
static void
backward_node(struct ref_device *r, const struct node *n, real *dx)
{
	const struct shape in = r->base.graph->nodes[n->in[0]].out;
	const size_t size = (size_t)r->n * shape_size(n->out);
	const size_t batch = (size_t)r->n, depth = shape_size(in);
	const size_t outs = (size_t)n->out.c;
	const struct ref_node *p = &r->nodes[n - r->base.graph->nodes];
	const real *w = param_at(r, r->params, n->weight);
	real *dw = param_at(r, r->grads, n->weight);
	real *dbias = param_at(r, r->grads, n->bias);
	real *x = r->nodes[n->in[0]].y;

	switch (n->kind) {
	case NODE_CONV:
		conv_backward(
		    n, in, r->n, x, w, p->dy, dw, dbias, dx, r->scratch);
		break;
	case NODE_BATCHNORM:
		batchnorm_backward(n->out, r->n, x, p->mean, p->invstd, w,
		    p->dy, r->mode == MODE_TRAIN, dw, dbias, dx);
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
		for (size_t o = 0; o < size; o++)
			dx[o / pixels_of(n->out) * pixels_of(in) +
			    (size_t)p->where[o]] += p->dy[o];
		break;
	case NODE_AVGPOOL:
		avgpool(in, n->out, r->n * in.c, dx, p->dy, 1);
		break;
	case NODE_DROPOUT:
		ref_dropout(r, n, p->dy, dx);
		break;
	case NODE_LINEAR:
		gemm(n->out.c, depth, batch, p->dy, 1, outs, x, dw);
		for (size_t k = 0; k < size; k++)
			dbias[k % outs] += p->dy[k];
		if (dx != NULL)
			gemm(r->n, depth, outs, p->dy, outs, 1, w, dx);
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

		backward_node(r, n, wanted ? r->nodes[n->in[0]].dy : NULL);
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
		const real g = r->grads[i] * scale + decay * r->params[i];

		r->momenta[i] = momentum * r->momenta[i] + g;
		r->params[i] -= lr * r->momenta[i];
	}
	return 0;
}

static real *
ref_tensor(struct ref_device *r, enum tensor_kind k, int i)
{
	const struct graph *g = r->base.graph;

	switch (k) {
	case TENSOR_PARAM:
		return param_at(r, r->params, i);
	case TENSOR_GRAD:
		return param_at(r, r->grads, i);
	case TENSOR_MOMENTUM:
		return param_at(r, r->momenta, i);
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
	.read = ref_read,
	.write = ref_write,
	.describe = ref_describe,
};

#ifndef REFERENCE_FP64
/* Open the device with the ops of the requested precision. */
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
	.summary = "plain C, exact and slow; the reference for tests",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_FP64,
	.on_host = 1,
	.open = reference_open,
};
#endif
