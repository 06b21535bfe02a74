/* Batch normalisation of the cpu device, with optional sum and ReLU. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"

#define NORM_EPS 1e-5
#define NORM_MOMENTUM 0.1

/* Arrays are padded to whole blocks; the padding keeps scale 0.
 *
 * Work is divided into channel blocks and, if these are too few for the
 * threads, into groups of images. With one group, a thread computes the result
 * of a block right after its sums, while the block is in its cache. */
struct norm_op {
	struct cpu *d;
	const struct cpu_op *op;
	const char *x; /* input */
	char *dx;      /* gradient of the input, or NULL */
	int channels;  /* unpadded */
	float *mean, *scale, *shift, *invstd;
	float *k0, *k1;         /* backward: see cpu_kernels.h */
	double *sums;           /* [groups][padded][2] partial sums */
	struct cpu_sums *given; /* sums of x from its operation, or NULL */
	int blocks, padded;
	int groups;
	struct cpu_panel panel;
	size_t panel_bytes; /* distance between panels */
	double count;       /* values per channel */
};

static void
norm_plan(struct cpu *d, struct cpu_op *op)
{
	const int end_of_block = op->in[1] != GRAPH_NONE;
	const struct cpu_value *x = &d->values[op->in[0]];

	if (end_of_block && op->relu)
		cpu_use_backward(d, op, d->values[op->out].buffer);
	op->takes_two = end_of_block;
	if (end_of_block && d->values[op->in[1]].wanted)
		cpu_plan_dx(d, op, 1, op->dy); /* after masking */
	cpu_use_backward(d, op, x->buffer);
	/* The gradient of x can overwrite x if nothing reads x later. */
	if (x->wanted && x->n_uses == 1 && !x->kept && op->in[0] != 0)
		cpu_plan_dx(d, op, 0, x->buffer);
	else if (x->wanted)
		cpu_plan_dx(d, op, 0, cpu_plan_buffer(d, op->in[0]));
}

/* Request a value's sums from the operation that writes it, if supported. */
static struct cpu_sums *
ask_for_sums(struct cpu *d, int value, const struct node *n, int padded)
{
	const size_t threads = (size_t)d->base.config.threads;
	struct cpu_value *v = &d->values[value];
	struct cpu_sums *s;
	int maker = 0;

	while (maker < d->n_ops && d->ops[maker].out != value)
		maker++;
	if (maker == d->n_ops || d->ops[maker].kind != OP_CONV || !d->amx ||
	    v->sums != NULL)
		return NULL;
	s = arena_calloc(&d->arena, 1, sizeof *s);
	s->channels = v->shape.c;
	s->padded = padded;
	s->mean = d->buffers + d->base.graph->buffers[n->mean].offset;
	s->pivot = arena_calloc(&d->arena, (size_t)padded, sizeof *s->pivot);
	s->part = arena_calloc(
	    &d->arena, threads * 2 * (size_t)padded, sizeof *s->part);
	s->sums = arena_calloc(
	    &d->arena, threads * 2 * (size_t)padded, sizeof *s->sums);
	v->sums = s;
	return s;
}

static int
norm_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	struct norm_op *w = arena_calloc(&d->arena, 1, sizeof *w);
	const struct cpu_value *v = &d->values[op->in[0]];
	const int threads = d->base.config.threads;
	size_t padded;

	(void)e;
	op->own = w;
	w->d = d;
	w->op = op;
	w->blocks = v->blocks;
	w->padded = v->blocks * d->block;
	if (w->blocks % threads == 0 || w->blocks >= 4 * threads)
		w->groups = 1;
	else
		w->groups = d->base.config.batch < threads
		    ? d->base.config.batch
		    : threads;
	w->panel = cpu_panel_of(d, op->in[0]);
	w->panel_bytes = w->panel.n * dtype_size(v->type);
	w->panel.past = cpu_is_past(d, op->in[0]);
	w->count = (double)d->base.config.batch * v->shape.h * v->shape.w;
	w->channels = v->shape.c;
	w->x = cpu_at(d, op->in[0]);
	w->dx = cpu_buffer(d, op->dx[0]);
	padded = (size_t)w->padded;
	w->mean = arena_calloc(&d->arena, 6 * padded, sizeof *w->mean);
	w->scale = w->mean + padded;
	w->shift = w->mean + 2 * padded;
	w->invstd = w->mean + 3 * padded;
	w->k0 = w->mean + 4 * padded;
	w->k1 = w->mean + 5 * padded;
	w->sums = arena_calloc(
	    &d->arena, 2 * padded * (size_t)w->groups, sizeof *w->sums);
	w->given = ask_for_sums(d, op->in[0], op->norm, w->padded);
	return 0;
}

/* Offset of the panel of an image and block, in bytes. */
static size_t
panel_at(const struct norm_op *w, int image, int block)
{
	return cpu_panel_index(
		   w->d, &w->d->values[w->op->in[0]], image, block) *
	    w->panel_bytes;
}

static struct cpu_norm
panel_norm(const struct norm_op *w, int image, int block)
{
	const size_t c = (size_t)block * (size_t)w->d->block;

	return (struct cpu_norm){ w->x + panel_at(w, image, block), w->mean + c,
		w->scale + c, w->shift + c };
}

static int
first_image(const struct norm_op *w, int group)
{
	return w->d->base.config.batch * group / w->groups;
}

static double *
group_sums(const struct norm_op *w, int group, int block)
{
	return w->sums +
	    ((size_t)group * (size_t)w->padded +
		(size_t)block * (size_t)w->d->block) *
	    2;
}

/* Add one panel's float sums to the group's double sums. */
static void
add_sums(int block, const float *a, const float *b, double *sums)
{
	for (int c = 0; c < block; c++) {
		sums[2 * c] += a[c];
		sums[2 * c + 1] += b[c];
	}
}

/* Sums of x and x^2 over a group's images, relative to the first pixel so that
 * a large mean does not cancel the variance. */
static void
forward_sums(const struct norm_op *w, int block, int group)
{
	const struct cpu_kernels *k = w->d->kernels;
	double *sums = group_sums(w, group, block);
	float pivot[CPU_BLOCK_MAX];

	if (w->given != NULL)
		return;
	k->to_float((size_t)w->d->block, w->x + panel_at(w, 0, block), pivot);
	memset(sums, 0, 2 * (size_t)w->d->block * sizeof *sums);
	for (int image = first_image(w, group);
	     image < first_image(w, group + 1); image++) {
		float a[CPU_BLOCK_MAX] = { 0 };
		float b[CPU_BLOCK_MAX] = { 0 };

		k->stats(
		    w->panel, w->x + panel_at(w, image, block), pivot, a, b);
		add_sums(w->d->block, a, b, sums);
	}
}

/* A channel's two sums over n parts, [n][padded][2]. */
static void
sum_parts(const double *sums, int n, int padded, int c, double out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < n; i++) {
		const double *s =
		    sums + ((size_t)i * (size_t)padded + (size_t)c) * 2;

		out[0] += s[0];
		out[1] += s[1];
	}
}

static void
set_channel(const struct norm_op *w, int c, double mean, double var)
{
	const struct node *n = w->op->norm;
	const double invstd = 1 / sqrt(var + NORM_EPS);

	w->mean[c] = (float)mean;
	w->invstd[c] = (float)invstd;
	w->scale[c] = (float)(invstd * cpu_param(w->d, n->weight)[c]);
	w->shift[c] = cpu_param(w->d, n->bias)[c];
}

/* Mean, scale and shift of a block's channels from sums or running
 * statistics. */
static void
forward_channels(const struct norm_op *w, int block)
{
	const int c0 = block * w->d->block, c1 = c0 + w->d->block;
	const struct buffer *buffers = w->d->base.graph->buffers;
	float *running_mean = w->d->buffers + buffers[w->op->norm->mean].offset;
	float *running_var = w->d->buffers + buffers[w->op->norm->var].offset;
	float pivot[CPU_BLOCK_MAX];

	w->d->kernels->to_float(
	    (size_t)w->d->block, w->x + panel_at(w, 0, block), pivot);
	for (int c = c0; c < c1 && c < w->channels; c++) {
		double sum[2], mean, var;

		if (w->d->mode != MODE_TRAIN) {
			set_channel(w, c, running_mean[c], running_var[c]);
			continue;
		}
		if (w->given != NULL) {
			sum_parts(w->given->sums, w->d->base.config.threads,
			    w->padded, c, sum);
			pivot[c - c0] = w->given->pivot[c];
		} else {
			sum_parts(w->sums, w->groups, w->padded, c, sum);
		}
		mean = sum[0] / w->count;
		var = fmax(sum[1] / w->count - mean * mean, 0);
		mean += pivot[c - c0];
		set_channel(w, c, mean, var);
		running_mean[c] +=
		    (float)(NORM_MOMENTUM * (mean - running_mean[c]));
		running_var[c] += (float)(NORM_MOMENTUM *
		    (var * w->count / (w->count - 1) - running_var[c]));
	}
}

static void
forward_result(const struct norm_op *w, int block, int group)
{
	const struct cpu_op *op = w->op;
	const char *shortcut =
	    op->in[1] != GRAPH_NONE ? cpu_at(w->d, op->in[1]) : NULL;
	char *y = cpu_at(w->d, op->out);

	for (int image = first_image(w, group);
	     image < first_image(w, group + 1); image++) {
		const size_t at = panel_at(w, image, block);
		const struct cpu_norm a = panel_norm(w, image, block);

		w->d->kernels->norm(w->panel, &a,
		    shortcut != NULL ? shortcut + at : NULL, op->relu, y + at);
	}
}

/* Call sums (NULL: none) for all blocks and groups, then channels for all
 * blocks, then result for all blocks and groups. */
static void
run_pass(const struct norm_op *w,
    void (*sums)(const struct norm_op *, int block, int group),
    void (*channels)(const struct norm_op *, int block),
    void (*result)(const struct norm_op *, int block, int group))
{
	const int blocks = w->blocks, groups = w->groups;

	if (groups == 1) {
		PARALLEL_FOR
		for (int b = 0; b < blocks; b++) {
			if (sums != NULL)
				sums(w, b, 0);
			channels(w, b);
			result(w, b, 0);
		}
		return;
	}
	if (sums != NULL) {
		PARALLEL_FOR_2
		for (int g = 0; g < groups; g++)
			for (int b = 0; b < blocks; b++)
				sums(w, b, g);
	}
	for (int b = 0; b < blocks; b++)
		channels(w, b);
	PARALLEL_FOR_2
	for (int g = 0; g < groups; g++)
		for (int b = 0; b < blocks; b++)
			result(w, b, g);
}

static void
norm_forward(struct cpu *d, struct cpu_op *op)
{
	run_pass(op->own, d->mode == MODE_TRAIN ? forward_sums : NULL,
	    forward_channels, forward_result);
}

/* Sums over a group's images of d and d * (x - mean). */
static void
backward_sums(const struct norm_op *w, int block, int group)
{
	const struct cpu_kernels *k = w->d->kernels;
	const char *dy2 = cpu_buffer(w->d, w->op->dy2);
	const char *y = w->op->relu ? cpu_at(w->d, w->op->out) : NULL;
	char *dy = cpu_buffer(w->d, w->op->dy);
	double *sums = group_sums(w, group, block);

	memset(sums, 0, 2 * (size_t)w->d->block * sizeof *sums);
	for (int image = first_image(w, group);
	     image < first_image(w, group + 1); image++) {
		const size_t at = panel_at(w, image, block);
		const struct cpu_norm a = panel_norm(w, image, block);
		float s[CPU_BLOCK_MAX] = { 0 }, dot[CPU_BLOCK_MAX] = { 0 };

		/* At the end of a residual block dy is masked in place by its
		 * output, as the shortcut uses the result. */
		if (w->op->in[1] != GRAPH_NONE)
			k->block_back_sums(w->panel, &a,
			    y != NULL ? y + at : NULL,
			    dy2 != NULL ? dy2 + at : NULL, dy + at, s, dot);
		else
			k->norm_back_sums(
			    w->panel, &a, w->op->relu, dy + at, s, dot);
		add_sums(w->d->block, s, dot, sums);
	}
}

static void
backward_channels(const struct norm_op *w, int block)
{
	const struct node *n = w->op->norm;
	const int c0 = block * w->d->block, c1 = c0 + w->d->block;

	for (int c = c0; c < c1 && c < w->channels; c++) {
		const double invstd = w->invstd[c];
		double sum[2];

		sum_parts(w->sums, w->groups, w->padded, c, sum);
		cpu_grad(w->d, n->bias)[c] = (float)sum[0];
		cpu_grad(w->d, n->weight)[c] = (float)(sum[1] * invstd);
		if (w->d->mode != MODE_TRAIN)
			sum[0] = sum[1] = 0;
		w->k0[c] = (float)(-w->scale[c] * sum[0] / w->count);
		w->k1[c] =
		    (float)(-w->scale[c] * invstd * invstd * sum[1] / w->count);
	}
}

static void
backward_result(const struct norm_op *w, int block, int group)
{
	const char *dy = cpu_buffer(w->d, w->op->dy);
	const size_t c = (size_t)block * (size_t)w->d->block;

	for (int image = first_image(w, group);
	     w->dx != NULL && image < first_image(w, group + 1); image++) {
		const struct cpu_norm a = panel_norm(w, image, block);
		const size_t at = panel_at(w, image, block);

		w->d->kernels->norm_back(w->panel, &a,
		    w->op->relu && w->op->in[1] == GRAPH_NONE, w->k0 + c,
		    w->k1 + c, dy + at, w->dx + at);
	}
}

static void
norm_backward(struct cpu *d, struct cpu_op *op)
{
	(void)d;
	run_pass(op->own, backward_sums, backward_channels, backward_result);
}

static void
norm_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct norm_op *w = op->own;

	strbuf_printf(out, "own%s%s, %d blocks x %d groups",
	    op->in[1] != GRAPH_NONE ? ", + add" : "",
	    op->relu ? ", + ReLU" : "", w->blocks, w->groups);
}

const struct cpu_op_kind_ops cpu_norm_ops = {
	.plan = norm_plan,
	.prepare = norm_prepare,
	.forward = norm_forward,
	.backward = norm_backward,
	.describe = norm_describe,
};
