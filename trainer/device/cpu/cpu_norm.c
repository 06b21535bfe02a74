/* Batch normalisation of the cpu device, with the sum and the ReLU after it. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/parallel.h"

#define NORM_EPS 1e-5
#define NORM_MOMENTUM 0.1

/* One normalisation of an operation (a block's end may have two).  Arrays are
 * padded to whole blocks; the padding keeps scale 0. */
struct op_norm {
	const struct node *node;
	const char *x; /* what is normalised */
	char *dx;      /* where its gradient goes, or NULL */
	int channels;  /* true ones */
	float *mean, *scale, *shift, *invstd;
	float *k0, *k1;         /* backward: see cpu_kernels.h */
	double *sums;           /* [groups][padded][2] partial sums */
	struct cpu_sums *given; /* those of x, if who makes it has them */
};

/* Work is cut into channel blocks, and where there are too few of them for the
 * threads, into groups of images too.  With one group a thread does sums and
 * result of a block one after the other, while the block is in its cache. */
struct norm_op {
	struct op_norm norms[2];
	int n_norms;
	int blocks, padded;
	int groups;
	float *arrays;
	double *sums;
	struct cpu_panel panel;
	size_t panel_bytes; /* from one panel to the next */
	double count;       /* values of a channel */
};

/* What one pass works on; op and d for what it calls. */
struct norm_pass {
	struct cpu *d;
	struct cpu_op *op;
	struct norm_op *w;
};

/* True if the gradient of x may take its place: nothing reads x later. */
static int
in_place(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];

	return v->n_uses == 1 && !v->kept && value != 0;
}

static void
norm_plan(struct cpu *d, struct cpu_op *op)
{
	const int end_of_block = op->in[1] != GRAPH_NONE;

	if (end_of_block && op->relu) {
		op->own_buffer = memory_plan_add(
		    &d->memory, "ReLU bits", d->values[op->out].n / 8);
		cpu_use_forward(d, op, op->own_buffer);
		cpu_use_backward(d, op, op->own_buffer);
	}
	op->takes_two = end_of_block;
	for (int i = 0; i < 2; i++) {
		const struct cpu_value *v;

		if (op->in[i] == GRAPH_NONE)
			continue;
		v = &d->values[op->in[i]];
		if (op->norms[i] == NULL) {
			if (v->wanted) /* the masked dy is its gradient */
				cpu_plan_dx(d, op, i, op->dy);
			continue;
		}
		cpu_use_backward(d, op, v->buffer);
		if (!v->wanted)
			continue;
		cpu_plan_dx(d, op, i,
		    in_place(d, op->in[i]) ? v->buffer
					   : cpu_plan_buffer(d, op->in[i]));
	}
}

static int
choose_groups(const struct cpu *d, int blocks)
{
	const int threads = d->base.config.threads;
	const int batch = d->base.config.batch;

	if (blocks % threads == 0 || blocks >= 4 * threads)
		return 1;
	return batch < threads ? batch : threads;
}

/* Ask for a value's sums, if what makes it can sum them up on the way. */
static struct cpu_sums *
ask_for_sums(const struct cpu *d, int value, const struct node *n, int padded)
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
	s = xcalloc(1, sizeof *s);
	s->channels = v->shape.c;
	s->padded = padded;
	s->mean = d->buffers[n->mean];
	s->pivot = xcalloc((size_t)padded, sizeof *s->pivot);
	s->part = xcalloc(threads * 2 * (size_t)padded, sizeof *s->part);
	s->sums = xcalloc(threads * 2 * (size_t)padded, sizeof *s->sums);
	v->sums = s;
	return s;
}

static int
norm_prepare(struct cpu *d, struct cpu_op *op, struct error *e)
{
	struct norm_op *w = xcalloc(1, sizeof *w);
	const struct cpu_value *v = &d->values[op->in[0]];
	size_t padded;

	(void)e;
	op->own = w;
	w->blocks = v->blocks;
	w->padded = v->blocks * d->block;
	w->groups = choose_groups(d, w->blocks);
	w->panel = cpu_panel_of(d, op->in[0]);
	w->panel_bytes = w->panel.n * dtype_size(v->type);
	w->panel.past = cpu_is_past(d, op->in[0]);
	w->count = (double)d->base.config.batch * v->shape.h * v->shape.w;
	padded = (size_t)w->padded;
	w->arrays = xcalloc(2 * 6 * padded, sizeof *w->arrays);
	w->sums = xcalloc(2 * 2 * padded * (size_t)w->groups, sizeof *w->sums);
	for (int i = 0; i < 2 && op->norms[i] != NULL; i++) {
		struct op_norm *n = &w->norms[w->n_norms++];
		float *a = w->arrays + (size_t)i * 6 * padded;

		n->node = op->norms[i];
		n->channels = v->shape.c;
		n->x = cpu_at(d, op->in[i]);
		n->dx = cpu_buffer(d, op->dx[i]);
		n->mean = a;
		n->scale = a + padded;
		n->shift = a + 2 * padded;
		n->invstd = a + 3 * padded;
		n->k0 = a + 4 * padded;
		n->k1 = a + 5 * padded;
		n->sums = w->sums + (size_t)i * 2 * padded * (size_t)w->groups;
		n->given = ask_for_sums(d, op->in[i], n->node, w->padded);
	}
	return 0;
}

static void
norm_release(struct cpu_op *op)
{
	struct norm_op *w = op->own;

	if (w == NULL)
		return;
	for (int i = 0; i < w->n_norms; i++)
		if (w->norms[i].given != NULL) {
			free(w->norms[i].given->pivot);
			free(w->norms[i].given->part);
			free(w->norms[i].given->sums);
			free(w->norms[i].given);
		}
	free(w->arrays);
	free(w->sums);
	free(w);
}

/* Where the panel of an image and block starts, in bytes. */
static size_t
panel_at(const struct norm_pass *p, int image, int block)
{
	return cpu_panel_index(
		   p->d, &p->d->values[p->op->in[0]], image, block) *
	    p->w->panel_bytes;
}

/* Its part of the bits that the forward pass leaves for the backward one, or
 * NULL. */
static uint8_t *
panel_bits(const struct norm_pass *p, int image, int block)
{
	uint8_t *bits = cpu_buffer(p->d, p->op->own_buffer);
	const size_t panel =
	    cpu_panel_index(p->d, &p->d->values[p->op->in[0]], image, block);

	if (bits == NULL || p->d->mode == MODE_EVAL)
		return NULL;
	return bits + panel * (p->w->panel.n / 8);
}

static struct cpu_norm
panel_norm(
    const struct norm_pass *p, const struct op_norm *n, int image, int block)
{
	const size_t c = (size_t)block * (size_t)p->d->block;

	return (struct cpu_norm){ n->x + panel_at(p, image, block), n->mean + c,
		n->scale + c, n->shift + c };
}

static int
first_image(const struct norm_pass *p, int group)
{
	return p->d->base.config.batch * group / p->w->groups;
}

static double *
group_sums(
    const struct norm_pass *p, const struct op_norm *n, int group, int block)
{
	return n->sums +
	    ((size_t)group * (size_t)p->w->padded +
		(size_t)block * (size_t)p->d->block) *
	    2;
}

/* Move one panel's float sums into the group's double ones. */
static void
add_sums(int block, const float *a, const float *b, double *sums)
{
	for (int c = 0; c < block; c++) {
		sums[2 * c] += a[c];
		sums[2 * c + 1] += b[c];
	}
}

/* Sums over a group's images of x and x^2, from the first pixel as pivot so
 * that a large mean does not drown the variance. */
static void
forward_sums(const struct norm_pass *p, int block, int group)
{
	const struct cpu_kernels *k = p->d->kernels;

	for (int i = 0; i < p->w->n_norms; i++) {
		const struct op_norm *n = &p->w->norms[i];
		double *sums = group_sums(p, n, group, block);
		float pivot[CPU_BLOCK_MAX];

		if (n->given != NULL)
			continue;
		k->to_float(
		    (size_t)p->d->block, n->x + panel_at(p, 0, block), pivot);
		memset(sums, 0, 2 * (size_t)p->d->block * sizeof *sums);
		for (int image = first_image(p, group);
		     image < first_image(p, group + 1); image++) {
			float a[CPU_BLOCK_MAX] = { 0 };
			float b[CPU_BLOCK_MAX] = { 0 };

			k->stats(p->w->panel, n->x + panel_at(p, image, block),
			    pivot, a, b);
			add_sums(p->d->block, a, b, sums);
		}
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
set_channel(const struct norm_pass *p, const struct op_norm *n, int c,
    double mean, double var)
{
	const double invstd = 1 / sqrt(var + NORM_EPS);

	n->mean[c] = (float)mean;
	n->invstd[c] = (float)invstd;
	n->scale[c] = (float)(invstd * cpu_param(p->d, n->node->weight)[c]);
	n->shift[c] = cpu_param(p->d, n->node->bias)[c];
}

/* Mean, scale and shift of a block's channels from the sums, or from the
 * running statistics. */
static void
forward_channels(const struct norm_pass *p, int block)
{
	const struct norm_op *w = p->w;

	for (int i = 0; i < w->n_norms; i++) {
		const struct op_norm *n = &w->norms[i];
		float *running_mean = p->d->buffers[n->node->mean];
		float *running_var = p->d->buffers[n->node->var];
		const int c0 = block * p->d->block, c1 = c0 + p->d->block;
		float pivot[CPU_BLOCK_MAX];

		p->d->kernels->to_float(
		    (size_t)p->d->block, n->x + panel_at(p, 0, block), pivot);
		for (int c = c0; c < c1 && c < n->channels; c++) {
			double sum[2], mean, var;

			if (p->d->mode != MODE_TRAIN) {
				set_channel(
				    p, n, c, running_mean[c], running_var[c]);
				continue;
			}
			if (n->given != NULL) {
				sum_parts(n->given->sums,
				    p->d->base.config.threads, w->padded, c,
				    sum);
				pivot[c - c0] = n->given->pivot[c];
			} else {
				sum_parts(
				    n->sums, w->groups, w->padded, c, sum);
			}
			mean = sum[0] / w->count;
			var = fmax(sum[1] / w->count - mean * mean, 0);
			mean += pivot[c - c0];
			set_channel(p, n, c, mean, var);
			running_mean[c] +=
			    (float)(NORM_MOMENTUM * (mean - running_mean[c]));
			running_var[c] += (float)(NORM_MOMENTUM *
			    (var * w->count / (w->count - 1) - running_var[c]));
		}
	}
}

static void
forward_result(const struct norm_pass *p, int block, int group)
{
	const struct norm_op *w = p->w;
	const struct cpu_op *op = p->op;
	const int add = op->in[1] != GRAPH_NONE && w->n_norms == 1;
	const char *shortcut = add ? cpu_at(p->d, op->in[1]) : NULL;
	char *y = cpu_at(p->d, op->out);

	for (int image = first_image(p, group);
	     image < first_image(p, group + 1); image++) {
		const size_t at = panel_at(p, image, block);
		struct cpu_norm a = panel_norm(p, &w->norms[0], image, block);
		struct cpu_norm b =
		    panel_norm(p, &w->norms[w->n_norms - 1], image, block);

		p->d->kernels->norm(w->panel, &a, w->n_norms == 2 ? &b : NULL,
		    add ? shortcut + at : NULL, op->relu, y + at,
		    panel_bits(p, image, block));
	}
}

/* Sums of all blocks and groups (NULL: none), then the channels of all blocks,
 * then the result. */
static void
run_pass(const struct norm_pass *p,
    void (*sums)(const struct norm_pass *, int block, int group),
    void (*channels)(const struct norm_pass *, int block),
    void (*result)(const struct norm_pass *, int block, int group))
{
	const int blocks = p->w->blocks, groups = p->w->groups;

	if (groups == 1) {
		PARALLEL_FOR
		for (int b = 0; b < blocks; b++) {
			if (sums != NULL)
				sums(p, b, 0);
			channels(p, b);
			result(p, b, 0);
		}
		return;
	}
	if (sums != NULL) {
		PARALLEL_FOR_2
		for (int g = 0; g < groups; g++)
			for (int b = 0; b < blocks; b++)
				sums(p, b, g);
	}
	for (int b = 0; b < blocks; b++)
		channels(p, b);
	PARALLEL_FOR_2
	for (int g = 0; g < groups; g++)
		for (int b = 0; b < blocks; b++)
			result(p, b, g);
}

static int
norm_forward(struct cpu *d, struct cpu_op *op, struct error *e)
{
	const struct norm_pass p = { d, op, op->own };

	(void)e;
	run_pass(&p, d->mode == MODE_TRAIN ? forward_sums : NULL,
	    forward_channels, forward_result);
	return 0;
}

/* True if the operation ends a residual block: dy is then masked by the ReLU's
 * bits, in place, because the shortcut wants the result. */
static int
ends_block(const struct cpu_op *op)
{
	return op->in[1] != GRAPH_NONE;
}

/* Sums over a group's images of d and d * (x - mean). */
static void
backward_sums(const struct norm_pass *p, int block, int group)
{
	const struct norm_op *w = p->w;
	const struct cpu_op *op = p->op;
	const size_t channels = (size_t)p->d->block;
	const char *dy2 = cpu_buffer(p->d, op->dy2);
	char *dy = cpu_buffer(p->d, op->dy);
	double *sums = group_sums(p, &w->norms[0], group, block);
	double *sums2 = group_sums(p, &w->norms[w->n_norms - 1], group, block);

	memset(sums, 0, 2 * channels * sizeof *sums);
	memset(sums2, 0, 2 * channels * sizeof *sums);
	for (int image = first_image(p, group);
	     image < first_image(p, group + 1); image++) {
		const size_t at = panel_at(p, image, block);
		struct cpu_norm a = panel_norm(p, &w->norms[0], image, block);
		struct cpu_norm b =
		    panel_norm(p, &w->norms[w->n_norms - 1], image, block);
		float s[CPU_BLOCK_MAX] = { 0 }, dot[CPU_BLOCK_MAX] = { 0 };
		float dot2[CPU_BLOCK_MAX] = { 0 };

		if (ends_block(op))
			p->d->kernels->block_back_sums(w->panel, &a,
			    w->n_norms == 2 ? &b : NULL,
			    panel_bits(p, image, block),
			    dy2 != NULL ? dy2 + at : NULL, dy + at, s, dot,
			    dot2);
		else
			p->d->kernels->norm_back_sums(
			    w->panel, &a, op->relu, dy + at, s, dot);
		add_sums(p->d->block, s, dot, sums);
		if (w->n_norms == 2)
			add_sums(p->d->block, s, dot2, sums2);
	}
}

static void
backward_channels(const struct norm_pass *p, int block)
{
	const struct norm_op *w = p->w;
	const int c0 = block * p->d->block, c1 = c0 + p->d->block;

	for (int i = 0; i < w->n_norms; i++) {
		const struct op_norm *n = &w->norms[i];

		for (int c = c0; c < c1 && c < n->channels; c++) {
			const double invstd = n->invstd[c];
			double sum[2];

			sum_parts(n->sums, w->groups, w->padded, c, sum);
			cpu_grad(p->d, n->node->bias)[c] = (float)sum[0];
			cpu_grad(p->d, n->node->weight)[c] =
			    (float)(sum[1] * invstd);
			if (p->d->mode != MODE_TRAIN)
				sum[0] = sum[1] = 0;
			n->k0[c] = (float)(-n->scale[c] * sum[0] / w->count);
			n->k1[c] = (float)(-n->scale[c] * invstd * invstd *
			    sum[1] / w->count);
		}
	}
}

static void
backward_result(const struct norm_pass *p, int block, int group)
{
	const struct norm_op *w = p->w;
	const char *dy = cpu_buffer(p->d, p->op->dy);
	const size_t c = (size_t)block * (size_t)p->d->block;

	for (int image = first_image(p, group);
	     image < first_image(p, group + 1); image++)
		for (int i = 0; i < w->n_norms; i++) {
			const struct op_norm *n = &w->norms[i];
			struct cpu_norm a = panel_norm(p, n, image, block);
			const size_t at = panel_at(p, image, block);

			if (n->dx == NULL)
				continue;
			p->d->kernels->norm_back(w->panel, &a,
			    p->op->relu && !ends_block(p->op), n->k0 + c,
			    n->k1 + c, dy + at, n->dx + at);
		}
}

static int
norm_backward(struct cpu *d, struct cpu_op *op, struct error *e)
{
	const struct norm_pass p = { d, op, op->own };

	(void)e;
	run_pass(&p, backward_sums, backward_channels, backward_result);
	return 0;
}

static void
norm_describe(const struct cpu_op *op, struct strbuf *out)
{
	const struct norm_op *w = op->own;

	strbuf_printf(out, "own%s%s%s, %d blocks x %d groups",
	    w->n_norms == 2 ? ", two" : "",
	    op->in[1] != GRAPH_NONE ? ", + add" : "",
	    op->relu ? ", + ReLU" : "", w->blocks, w->groups);
}

const struct cpu_op_kind_ops cpu_norm_ops = {
	.name = "norm",
	.plan = norm_plan,
	.prepare = norm_prepare,
	.forward = norm_forward,
	.backward = norm_backward,
	.describe = norm_describe,
	.release = norm_release,
};
