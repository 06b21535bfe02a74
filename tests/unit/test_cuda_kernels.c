/* Single kernels on the CPU (tests/cuda_emulator.h) at sizes that a small
 * network does not have: more pieces than threads, so that each thread loops
 * several times; channels that are not a multiple of 16 bytes; one row. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/cuda/grid.h"
#include "trainer/device/cuda/kernels.h"

/* Different numbers, exact in fp16. */
static float
some(size_t i)
{
	return (float)(int)(i * 7919 % 257 - 128) / 64;
}

static void *
new_tensor(enum dtype t, size_t n)
{
	float *x = xcalloc(n, sizeof *x);

	for (size_t i = 0; i < n; i++) {
		if (t == DTYPE_FP32)
			x[i] = some(i);
		else
			((uint16_t *)x)[i] = fp16_from_float(some(i));
	}
	return x;
}

static double
at(enum dtype t, const void *x, size_t i)
{
	return t == DTYPE_FP32
	    ? (double)((const float *)x)[i]
	    : (double)fp16_to_float(((const uint16_t *)x)[i]);
}

struct size {
	enum dtype type;
	size_t rows;
	int c;
};

/* Access by 16 bytes or by element; one or several loops per thread. */
static const struct size sizes[] = {
	{ DTYPE_FP32, 1, 1 },
	{ DTYPE_FP32, 1, 1000 },
	{ DTYPE_FP32, 7, 10 },
	{ DTYPE_FP32, 100000, 24 },
	{ DTYPE_FP32, 60000, 10 },
	{ DTYPE_FP16, 3, 9 },
	{ DTYPE_FP16, 100000, 48 },
	{ DTYPE_FP16, 1100, 1000 },
	{ DTYPE_FP16, 200, 25088 },
};

#define EACH_SIZE(s) \
	const struct size *s = sizes; \
	s < sizes + sizeof sizes / sizeof sizes[0]; \
	s++

/* The largest difference of the elements from f, relative to the tolerance of
 * the type. */
static double
worst(const struct size *s, const void *y, const float *v,
    double (*f)(double x, const float *v, size_t c))
{
	const double step = s->type == DTYPE_FP32 ? 1e-6 : 1e-3;
	double most = 0;

	for (size_t i = 0; i < s->rows * (size_t)s->c; i++) {
		const double want = f((double)some(i), v, i % (size_t)s->c);
		const double d =
		    fabs(at(s->type, y, i) - want) / (step * (1 + fabs(want)));

		most = d > most ? d : most;
	}
	return most;
}

static double
biased(double x, const float *v, size_t c)
{
	const double y = x + (double)v[c];

	return y > 0 ? y : 0;
}

static void
test_bias(void)
{
	for (EACH_SIZE(s)) {
		float *b = new_tensor(DTYPE_FP32, (size_t)s->c);
		void *x = new_tensor(s->type, s->rows * (size_t)s->c);

		kernel_bias(NULL, s->type, x, b, s->rows, s->c, 1);
		CHECK(worst(s, x, b, biased) < 1);
		free(x);
		free(b);
	}
}

/* mean 0.5, 1/deviation 2, gamma 3, beta = the channel's vector */
static double
normed(double x, const float *v, size_t c)
{
	const double y = (x - 0.5) * 2 * 3 + (double)v[c];

	return y > 0 ? y : 0;
}

static double
normed_twice(double x, const float *v, size_t c)
{
	const double y = (x - 0.5) * 2 * 3 + (double)v[c];

	return y > 0 ? 2 * y : 0;
}

enum { COUNT = 4, VECTORS = 9 };

/* memory  [VECTORS * c], gammas last */
static void
set_vectors(struct norm_vectors *v, float *memory, size_t c, const float *beta)
{
	float **const all[] = { &v->sum, &v->squares, &v->mean, &v->invstd,
		&v->scale, &v->shift, &v->running_mean, &v->running_var };
	float *gamma = memory + (VECTORS - 1) * c;

	for (size_t k = 0; k < VECTORS - 1; k++)
		*all[k] = memory + k * c;
	for (size_t i = 0; i < c; i++) {
		v->sum[i] = COUNT * 0.5f;
		v->squares[i] = COUNT * (0.5f * 0.5f + 0.25f - 1e-5f);
		v->mean[i] = 0.5f;
		v->invstd[i] = 2;
		v->scale[i] = 2 * 3;
		v->shift[i] = beta[i] - 0.5f * 2 * 3;
		gamma[i] = 3;
	}
	v->gamma = gamma;
	v->beta = beta;
	v->count = COUNT;
}

/* Check what follows from sums or, at evaluation, from running statistics. */
static void
check_vectors(const struct norm_vectors *v, size_t c, int train)
{
	double off = 0;

	for (size_t i = 0; i < c; i++) {
		off = fmax(off, fabs((double)v->mean[i] - 0.5));
		off = fmax(off, fabs((double)v->invstd[i] - 2));
		off = fmax(off, fabs((double)v->scale[i] - 6));
		off = fmax(
		    off, fabs((double)v->shift[i] - (double)v->beta[i] + 3));
		/* From 0.5 and 0.24999; the sample's variance is unbiased. */
		off = fmax(off, fabs((double)v->running_mean[i] - 0.5));
		off = fmax(off,
		    fabs((double)v->running_var[i] -
			(train ? 0.9 + 0.1 * COUNT / (COUNT - 1) : 1) *
			    0.24999));
	}
	CHECK(off < 2e-6);
}

/* Normalise x, alone and with itself added, in training and at evaluation; both
 * store the vectors. */
static void
check_apply(const struct size *s, int train)
{
	const size_t c = (size_t)s->c;
	float *memory = xcalloc(VECTORS * c, sizeof *memory);
	float *other = xcalloc(VECTORS * c, sizeof *other);
	float *beta = new_tensor(DTYPE_FP32, c);
	void *x = new_tensor(s->type, s->rows * c);
	void *y = xcalloc(s->rows * c, sizeof(float));
	struct norm_vectors v, w;

	set_vectors(&v, memory, c, beta);
	for (size_t i = 0; i < c; i++) {
		v.running_mean[i] = 0.5f;
		v.running_var[i] = 0.25f - 1e-5f;
	}
	/* The vectors that a call must not read are NaN. */
	memset(
	    train ? v.mean : v.sum, 0xff, (train ? 4 : 6) * c * sizeof(float));
	memcpy(other, memory, VECTORS * c * sizeof *other);
	set_vectors(&w, other, c, beta);
	memcpy(other, memory, VECTORS * c * sizeof *other);
	kernel_norm_apply(
	    NULL, s->type, x, &v, NULL, NULL, train, s->rows, s->c, 1, y);
	CHECK(worst(s, y, beta, normed) < 1);
	check_vectors(&v, c, train);
	memcpy(memory, other, VECTORS * c * sizeof *other);
	kernel_norm_apply(
	    NULL, s->type, x, &v, x, &w, train, s->rows, s->c, 1, y);
	CHECK(worst(s, y, beta, normed_twice) < 1);
	check_vectors(&v, c, train);
	check_vectors(&w, c, train);
	free(memory);
	free(other);
	free(beta);
	free(x);
	free(y);
}

static void
test_norm_apply(void)
{
	for (EACH_SIZE(s)) {
		check_apply(s, 1);
		check_apply(s, 0);
	}
}

/* The gradient of a normalisation's input, with sums fixed at 1/8 and 1/4. */
static double
back(double x, const float *v, size_t c)
{
	(void)v;
	(void)c;
	return (x - 0.25 - 0.125 * 2 * (x - 0.5)) * 2 * 3;
}

static void
test_norm_back(void)
{
	for (EACH_SIZE(s)) {
		const size_t c = (size_t)s->c;
		float *memory = xcalloc(VECTORS * c, sizeof *memory);
		float *grads = xcalloc(2 * c, sizeof *grads);
		void *x = new_tensor(s->type, s->rows * c);
		void *dx = xcalloc(s->rows * c, sizeof(float));
		void *dx2 = xcalloc(s->rows * c, sizeof(float));
		struct norm_back one, two;
		struct norm_vectors v;

		for (size_t i = 0; i < c; i++) {
			grads[i] = 0.125f * COUNT;
			grads[c + i] = 0.25f * COUNT;
		}
		set_vectors(&v, memory, c, memory);
		one = (struct norm_back){ .x = x,
			.dx = dx,
			.v = v,
			.gamma_grad = grads,
			.beta_grad = grads + c };
		two = one;
		two.dx = dx2;
		/* dy is x */
		kernel_norm_back(
		    NULL, s->type, x, &one, NULL, 1, s->rows, s->c);
		CHECK(worst(s, dx, NULL, back) < 1);
		memset(dx, 0xff, s->rows * c * sizeof(float));
		kernel_norm_back(
		    NULL, s->type, x, &one, &two, 1, s->rows, s->c);
		CHECK(worst(s, dx2, NULL, back) < 1);
		free(dx2);
		CHECK(worst(s, dx, NULL, back) < 1);
		free(memory);
		free(grads);
		free(x);
		free(dx);
	}
}

/* The maximum number of additions that a term of a sum over rows goes through:
 * those of a thread, then two trees and the additions of a thread in the second
 * tree (kernels_reduce.cuh). */
static double
depth_of(const struct size *s)
{
	const size_t pieces = (size_t)s->c; /* or fewer */
	const size_t own = GRID_BLOCK / grid_lanes(pieces);
	const size_t columns = (pieces + 31) / 32;
	const size_t parts = GRID_REDUCE / columns < KERNEL_PARTS
	    ? GRID_REDUCE / columns
	    : KERNEL_PARTS;

	return (double)(s->rows / (own * (parts > 0 ? parts : 1)) + 1 + 5 +
	    KERNEL_PARTS / 32 + 5);
}

/* Check a gradient that goes through a ReLU: dy and the second input are x,
 * mean 0.5 and 1/deviation 2; the mask is y > 0 or norm(x) > 0, or there is no
 * mask. */
static void
check_reduce(const struct size *s, int by_output, int relu, int two)
{
	const size_t c = (size_t)s->c, n = s->rows * c;
	float *scratch = xcalloc(kernel_scratch(c), sizeof *scratch);
	float *memory = xcalloc(VECTORS * c, sizeof *memory);
	float *beta = new_tensor(DTYPE_FP32, c);
	float *grads = xcalloc(4 * c, sizeof *grads);
	void *x = new_tensor(s->type, n), *out = xcalloc(n, sizeof(float));
	struct norm_vectors v;
	struct norm_reduce r = { .dy = x,
		.dy2 = two ? x : NULL,
		.x = x,
		.y = by_output ? x : NULL,
		.x2 = two ? x : NULL,
		.out = out,
		.first = &v,
		.second = &v,
		.gamma = { grads, grads + 2 * c },
		.beta = { grads + c, grads + 3 * c },
		.relu = relu };
	double off = 0;

	set_vectors(&v, memory, c, beta);
	kernel_norm_reduce(NULL, s->type, &r, s->rows, s->c, scratch);
	for (size_t k = 0; k < c; k++) {
		double sums[2] = { 0 }, all[2] = { 1e-30, 1e-30 };

		for (size_t i = k; i < n; i += c) {
			const double one = (double)some(i);
			const double above =
			    by_output ? one : one * 6 + (double)v.shift[k];
			const double d =
			    relu && !(above > 0) ? 0 : (1 + two) * one;

			off = fmax(off, 1e6 * fabs(at(s->type, out, i) - d));
			sums[0] += d * (one - 0.5) * 2;
			all[0] += fabs(d * (one - 0.5) * 2);
			sums[1] += d;
			all[1] += fabs(d);
		}
		for (int j = 0; j < 2 * (1 + two); j++)
			off = fmax(off,
			    fabs((double)grads[(size_t)j * c + k] -
				sums[j % 2]) /
				(depth_of(s) * 0x1p-24 * all[j % 2]));
	}
	CHECK(off <= 1);
	free(scratch);
	free(memory);
	free(beta);
	free(grads);
	free(x);
	free(out);
}

static void
test_norm_reduce(void)
{
	for (EACH_SIZE(s))
		for (int two = 0; two < 2; two++) {
			if (s->rows * (size_t)s->c > 2000000)
				continue; /* no other paths, only time */
			check_reduce(s, 0, 0, two);
			check_reduce(s, 0, 1, two);
			check_reduce(s, 1, 1, two);
		}
}

/* Sums over rows differ from those in double by no more than the theory of
 * rounding allows. */
static void
test_sums(void)
{
	for (EACH_SIZE(s)) {
		const size_t c = (size_t)s->c;
		float *scratch = xcalloc(kernel_scratch(c), sizeof *scratch);
		float *memory = xcalloc(VECTORS * c, sizeof *memory);
		float *grad = xcalloc(c, sizeof *grad);
		void *x = new_tensor(s->type, s->rows * c);
		struct norm_vectors v;
		double off = 0;

		set_vectors(&v, memory, c, grad);
		kernel_norm_sums(NULL, s->type, x, s->rows, s->c, scratch, &v);
		kernel_bias_grad(
		    NULL, s->type, x, NULL, s->rows, s->c, scratch, grad, NULL);
		for (size_t k = 0; k < c; k++) {
			double sum = 0, squares = 0, all = 0, most;

			for (size_t r = 0; r < s->rows; r++) {
				const double one = (double)some(r * c + k);

				sum += one;
				all += fabs(one);
				squares += one * one;
			}
			most = depth_of(s) * 0x1p-24;
			off = fmax(
			    off, fabs(sum - (double)v.sum[k]) / (most * all));
			off = fmax(
			    off, fabs(sum - (double)grad[k]) / (most * all));
			off = fmax(off,
			    fabs(squares - (double)v.squares[k]) /
				(most * squares));
		}
		CHECK(off <= 1);
		free(scratch);
		free(memory);
		free(grad);
		free(x);
	}
}

/* --- pooling ------------------------------------------------------------ */

struct pooling {
	enum dtype type;
	int batch, c, side, kernel, stride, pad;
};

/* ResNet's and VGG's; windows that leave out the edge; one column; channels
 * accessed by element or by 16 bytes, and more of them than a block covers. */
static const struct pooling poolings[] = {
	{ DTYPE_FP32, 2, 64, 14, 3, 2, 1 },
	{ DTYPE_FP16, 3, 64, 15, 3, 2, 1 },
	{ DTYPE_FP16, 2, 8, 34, 3, 2, 1 },
	{ DTYPE_BF16, 1, 16, 18, 3, 2, 1 },
	{ DTYPE_FP16, 2, 8, 16, 2, 2, 0 },
	{ DTYPE_FP16, 1, 9, 7, 3, 2, 1 },
	{ DTYPE_FP32, 2, 10, 9, 3, 2, 0 },
	{ DTYPE_FP16, 1, 9, 7, 3, 1, 1 },
	{ DTYPE_FP16, 1, 512, 5, 2, 2, 0 },
	{ DTYPE_FP32, 1, 4, 1, 1, 1, 0 },
};

#define EACH_POOLING(s) \
	const struct pooling *s = poolings; \
	s < poolings + sizeof poolings / sizeof poolings[0]; \
	s++

static struct pool_window
window_of(const struct pooling *s)
{
	const int out = (s->side + 2 * s->pad - s->kernel) / s->stride + 1;

	return (struct pool_window){ .batch = s->batch,
		.c = s->c,
		.h = s->side,
		.w = s->side,
		.p = out,
		.q = out,
		.kernel = s->kernel,
		.stride = s->stride,
		.pad = s->pad };
}

/* All buffers of a pooling, computed fused and by separate calls. */
struct pooled {
	struct pool_window w;
	size_t c, rows, in, out;
	void *x, *made, *y[2], *dy, *dy2, *sum, *dx, *masked, *result;
	uint8_t *places[2];
	float *vectors;
	struct norm_vectors v;
};

static void
pooled_open(struct pooled *p, const struct pooling *s)
{
	void **const all[] = { &p->made, &p->sum, &p->dx, &p->masked,
		&p->result };
	float *gamma, *beta;

	p->w = window_of(s);
	p->c = (size_t)s->c;
	p->rows = (size_t)(s->batch * s->side) * (size_t)s->side;
	p->in = p->rows * p->c;
	p->out = (size_t)(s->batch * p->w.p) * (size_t)p->w.q * p->c;
	p->x = new_tensor(s->type, p->in);
	p->dy = new_tensor(s->type, p->out);
	p->dy2 = new_tensor(s->type, p->out);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		*all[i] = xcalloc(p->in + p->out, sizeof(float));
	for (int k = 0; k < 2; k++) {
		p->y[k] = xcalloc(p->out, sizeof(float));
		p->places[k] = xcalloc(p->out, 1);
	}
	p->vectors = xcalloc((VECTORS + 1) * p->c, sizeof(float));
	beta = p->vectors + VECTORS * p->c;
	gamma = beta - p->c;
	set_vectors(&p->v, p->vectors, p->c, beta);
	/* Leave a few windows without a place; factors of either sign and 0. */
	for (size_t i = 0; i < p->c; i++) {
		beta[i] = -6 * 0.75f + (float)(i % 5) / 16;
		if (i % 3 == 1) {
			gamma[i] = -3;
			beta[i] = (float)(i % 5) / 16 - 3;
		}
		if (i % 11 == 5) {
			gamma[i] = 0;
			beta[i] = 1;
		}
	}
	kernel_norm_finish(NULL, 1, s->c, &p->v);
}

static void
pooled_close(struct pooled *p)
{
	void *const all[] = { p->x, p->made, p->y[0], p->y[1], p->dy, p->dy2,
		p->sum, p->dx, p->masked, p->result, p->places[0], p->places[1],
		p->vectors };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

/* The largest difference over the largest value. */
static double
differ(enum dtype t, const void *a, const void *b, size_t n)
{
	double most = 0, large = 1e-30;

	for (size_t i = 0; i < n; i++) {
		most = fmax(most, fabs(at(t, a, i) - at(t, b, i)));
		large = fmax(large, fabs(at(t, b, i)));
	}
	return most / large;
}

/* The input at a place of the window of output element i. */
static double
input_at(const struct pooled *p, enum dtype t, size_t i, int place)
{
	const struct pool_window *w = &p->w;
	const size_t pixel = i / p->c, q = pixel % (size_t)w->q,
		     row = pixel / (size_t)w->q;
	const size_t y = row % (size_t)w->p * (size_t)w->stride +
	    (size_t)(place / w->kernel) - (size_t)w->pad;
	const size_t x = q * (size_t)w->stride + (size_t)(place % w->kernel) -
	    (size_t)w->pad;

	return at(t, p->made,
	    ((row / (size_t)w->p * (size_t)w->h + y) * (size_t)w->w + x) *
		    p->c +
		i % p->c);
}

/* The maxima are the same; each place holds an input equal to the maximum. */
static void
same_pooled(const struct pooled *p, enum dtype t)
{
	size_t none = 0;

	CHECK(differ(t, p->y[0], p->y[1], p->out) <= 0);
	for (size_t i = 0; i < p->out; i++) {
		const double largest = at(t, p->y[1], i);
		const int place = p->places[0][i];

		none += !(largest > 0);
		if (largest > 0)
			CHECK_NEAR(input_at(p, t, i, place), largest, 0);
		else
			CHECK_INT(place, POOL_NOWHERE);
	}
	CHECK(p->out < 100 || none > 0);
}

/* Compare a pooling fused with a normalisation and ReLU, or with a bias, with
 * the separate calls; also its gradient, which is 0 where the ReLU's is. */
static void
check_pooled(const struct pooling *s, int bias)
{
	const enum dtype t = s->type;
	struct pooled p;
	struct pool_gradient g, single;

	pooled_open(&p, s);
	for (size_t i = 0; bias && i < p.c; i++)
		p.v.shift[i] /= 4;
	g = (struct pool_gradient){ p.dy, p.dy2, p.places[0] };
	single = (struct pool_gradient){ p.sum, NULL, p.places[0] };
	kernel_maxpool(NULL, t, p.x, bias ? NULL : p.v.scale, p.v.shift, &p.w,
	    p.y[0], p.places[0]);
	memcpy(p.made, p.x, p.in * (t == DTYPE_FP32 ? sizeof(float) : 2));
	if (bias)
		kernel_bias(NULL, t, p.made, p.v.shift, p.rows, s->c, 1);
	else
		kernel_norm_apply(
		    NULL, t, p.x, &p.v, NULL, NULL, 1, p.rows, s->c, 1, p.made);
	kernel_maxpool(NULL, t, p.made, NULL, NULL, &p.w, p.y[1], p.places[1]);
	same_pooled(&p, t);
	kernel_sum(NULL, t, p.dy, p.dy2, p.out, 0, p.sum);
	kernel_maxpool_back(NULL, t, &single, &p.w, p.dx);
	kernel_maxpool_back(NULL, t, &g, &p.w, p.result);
	/* The separate sum rounds the gradient once more. */
	CHECK(
	    differ(t, p.result, p.dx, p.in) < (t == DTYPE_FP32 ? 1e-5 : 3e-3));
	kernel_relu_back(NULL, t, p.dx, p.made, p.in, p.masked);
	CHECK(differ(t, p.dx, p.masked, p.in) <= 0);
	pooled_close(&p);
}

static void
test_pool_of_norm(void)
{
	for (EACH_POOLING(s))
		check_pooled(s, 0);
}

static void
test_pool_of_bias(void)
{
	for (EACH_POOLING(s))
		check_pooled(s, 1);
}

/* Average over whole images and over overlapping windows; the backward pass
 * preserves the sum of all gradients. */
static void
test_means(void)
{
	static const struct {
		enum dtype type;
		int c, side, out;
	} cases[] = {
		{ DTYPE_FP16, 2048, 7, 1 },
		{ DTYPE_FP32, 10, 7, 3 },
		{ DTYPE_FP32, 4, 5, 5 },
		{ DTYPE_FP16, 16, 6, 7 },
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		const enum dtype t = cases[k].type;
		const size_t c = (size_t)cases[k].c;
		const size_t in =
		    2 * c * (size_t)(cases[k].side * cases[k].side);
		const size_t out =
		    2 * c * (size_t)(cases[k].out * cases[k].out);
		const struct pool_window w = { .batch = 2,
			.c = cases[k].c,
			.h = cases[k].side,
			.w = cases[k].side,
			.p = cases[k].out,
			.q = cases[k].out };
		void *dy = new_tensor(t, out), *dx = xcalloc(in, sizeof(float));
		void *y = xcalloc(out, sizeof(float));
		const double half = t == DTYPE_FP32 ? 1e-6 : 1e-3;
		double off = 0;

		kernel_avgpool_back(NULL, t, dy, &w, dx);
		for (size_t i = 0; i < 2 * c; i++) {
			const size_t image = i / c, one = i % c;
			double from = 0, to = 0, all = 0;

			for (size_t j = 0; j < out / c / 2; j++)
				from += at(t, dy,
				    (image * (out / c / 2) + j) * c + one);
			for (size_t j = 0; j < in / c / 2; j++) {
				const double v = at(t, dx,
				    (image * (in / c / 2) + j) * c + one);

				to += v;
				all += fabs(v);
			}
			off = fmax(off, fabs(from - to) / (half * (1 + all)));
		}
		CHECK(off < 4);
		/* The mean of equal numbers is that number. */
		for (size_t i = 0; i < in; i++) {
			if (t == DTYPE_FP32)
				((float *)dx)[i] = some(i % c);
			else
				((uint16_t *)dx)[i] =
				    fp16_from_float(some(i % c));
		}
		kernel_avgpool(NULL, t, dx, &w, y);
		off = 0;
		for (size_t i = 0; i < out; i++)
			off =
			    fmax(off, fabs(at(t, y, i) - (double)some(i % c)));
		CHECK(off <= 2 * half);
		free(dy);
		free(dx);
		free(y);
	}
}

/* --- weights ------------------------------------------------------------ */

enum { ARENA = 20000 };

/* A long tensor in two pieces, a padded one, and vectors without working
 * weights, one of an odd length. */
static const struct weight_piece pieces[] = {
	{ 0, 64, PIECE_MOST, 1, 1, 1 },
	{ PIECE_MOST, 64 + PIECE_MOST, 1003, 1, 1, 1 },
	{ 10000, 10240, 3 * 49 * 4, 1, 3, 4 },
	{ 12000, 0, 77, 0, 1, 1 },
	{ 13000, 0, 4096, 0, 1, 1 },
};
enum { N_PIECES = sizeof pieces / sizeof pieces[0], N_WORK = 3 };

static size_t
work_at(const struct weight_piece *p, int i)
{
	return p->work + (size_t)(i / p->channels * p->padded) +
	    (size_t)(i % p->channels);
}

/* Compare a step of the optimiser with plain C. The working weights follow, and
 * elements outside all pieces do not change. */
static void
test_update(void)
{
	for (int overflow = 0; overflow < 2; overflow++) {
		float *w = new_tensor(DTYPE_FP32, ARENA);
		float *m = new_tensor(DTYPE_FP32, ARENA);
		float *g = new_tensor(DTYPE_FP32, ARENA);
		uint16_t *work = xcalloc(ARENA, sizeof *work);
		uint16_t *work_grad = new_tensor(DTYPE_FP16, ARENA);
		float hyper[4] = { 0.125f, 0.5f, 0.25f, 0.5f };
		struct loss_scale scale = { 4, 4, 1, 0, 0, 0 };
		const struct kernel_arenas a = { w, m, g, ARENA, work, pieces,
			N_PIECES, hyper, &scale };
		size_t wrong = 0, touched = 0;

		kernel_weight_in(NULL, DTYPE_FP16, pieces, N_WORK, w, work);
		kernel_weight_out(
		    NULL, DTYPE_FP16, pieces, N_WORK, work_grad, g);
		if (overflow)
			g[12010] = INFINITY;
		kernel_update(NULL, DTYPE_FP16, &a);
		CHECK_INT(scale.n_skipped, overflow);
		for (int k = 0; k < N_PIECES; k++)
			for (int i = 0; i < pieces[k].n; i++) {
				const struct weight_piece *p = &pieces[k];
				const size_t at = p->arena + (size_t)i;
				const float one = p->has_work
				    ? fp16_to_float(work_grad[work_at(p, i)])
				    : some(at);
				float v = some(at), x = some(at);

				if (!overflow) {
					v = 0.5f * v + one / 8 + 0.25f * x;
					x -= 0.125f * v;
				}
				wrong += fabsf(m[at] - v) > 1e-6f;
				wrong += fabsf(w[at] - x) > 1e-6f;
				wrong += p->has_work &&
				    work[work_at(p, i)] !=
					fp16_from_float(w[at]);
				m[at] = some(at);
			}
		CHECK_INT(wrong, 0);
		for (size_t i = 0; i < ARENA; i++)
			touched += m[i] != some(i);
		CHECK_INT(touched, 0);
		CHECK_INT(work[10240 + 3], 0); /* padding */
		free(w);
		free(m);
		free(g);
		free(work);
		free(work_grad);
	}
}

/* More elements than 65,536 blocks have threads. */
static void
test_many(void)
{
	const size_t n = ((size_t)65536 * GRID_BLOCK) + 3;
	float *x = xcalloc(n, sizeof *x), *y = xcalloc(n, sizeof *y);
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		x[i] = some(i);
	kernel_sum(NULL, DTYPE_FP32, x, x, n, 0, y);
	for (size_t i = 0; i < n; i++)
		wrong += y[i] != 2 * x[i];
	CHECK_INT(wrong, 0);
	kernel_relu_back(NULL, DTYPE_FP32, y, x, n, y);
	for (size_t i = 0; i < n; i++)
		wrong += y[i] != (x[i] > 0 ? 2 * x[i] : 0);
	CHECK_INT(wrong, 0);
	free(x);
	free(y);
}

/* Gradients are scaled for transfer, rounded as the host rounds them, and
 * decompressed exactly. */
static void
check_compressed(enum dtype t, size_t n)
{
	float *x = xcalloc(n, sizeof *x), *back = xcalloc(n, sizeof *back);
	uint16_t *half = xcalloc(n, sizeof *half);
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		x[i] = some(i) * 1.001f * (float)(i % 3 == 0 ? 65504 : 1e-6);
	kernel_compress(NULL, t, x, n, 1.0f / 3, half);
	kernel_decompress(NULL, t, half, n, back);
	for (size_t i = 0; i < n; i++) {
		const float by = x[i] * (1.0f / 3);
		const uint16_t h =
		    t == DTYPE_FP16 ? fp16_from_float(by) : bf16_from_float(by);
		const float f =
		    t == DTYPE_FP16 ? fp16_to_float(h) : bf16_to_float(h);

		wrong += half[i] != h || back[i] != f;
	}
	CHECK_INT(wrong, 0);
	free(x);
	free(back);
	free(half);
}

static void
test_compressed(void)
{
	check_compressed(DTYPE_FP16, 1);
	check_compressed(DTYPE_FP16, 100003);
	check_compressed(DTYPE_BF16, 1001);
}

static const struct tap_test tests[] = {
	TEST(test_bias),
	TEST(test_norm_apply),
	TEST(test_norm_back),
	TEST(test_sums),
	TEST(test_norm_reduce),
	TEST(test_pool_of_norm),
	TEST(test_pool_of_bias),
	TEST(test_means),
	TEST(test_update),
	TEST(test_many),
	TEST(test_compressed),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
