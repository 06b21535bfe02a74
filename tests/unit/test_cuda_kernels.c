/* Single kernels on the CPU (tests/cuda_emulator.h) at sizes that a small
 * network has not: more pieces than threads, so that each thread goes round
 * several times; channels that are no multiple of 16 bytes; one row. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/cuda/grid.h"
#include "trainer/device/cuda/kernels.h"

/* Numbers that differ, exact in fp16. */
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

/* 16 bytes at once or one element; once round, or more often. */
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

/* The worst difference of the elements from f, as a share of what half
 * precision can show. */
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

static void
set_vectors(struct norm_vectors *v, float *memory, size_t c, const float *beta)
{
	float **const all[] = { &v->sum, &v->squares, &v->mean, &v->invstd,
		&v->scale, &v->shift };

	for (size_t k = 0; k < 6; k++)
		*all[k] = memory + k * c;
	v->half_scale = v->half_shift = NULL;
	for (size_t i = 0; i < c; i++) {
		v->mean[i] = 0.5f;
		v->invstd[i] = 2;
		v->scale[i] = 2 * 3;
		v->shift[i] = beta[i] - 0.5f * 2 * 3;
	}
}

static void
test_norm_apply(void)
{
	for (EACH_SIZE(s)) {
		const size_t c = (size_t)s->c;
		float *memory = xcalloc(6 * c, sizeof *memory);
		float *beta = new_tensor(DTYPE_FP32, c);
		void *x = new_tensor(s->type, s->rows * c);
		void *y = xcalloc(s->rows * c, sizeof(float));
		struct norm_vectors v;

		set_vectors(&v, memory, c, beta);
		kernel_norm_apply(
		    NULL, s->type, x, &v, NULL, NULL, s->rows, s->c, 1, y);
		CHECK(worst(s, y, beta, normed) < 1);
		free(memory);
		free(beta);
		free(x);
		free(y);
	}
}

/* The gradient after a normalisation, fixed sums of 1/8 and 1/4. */
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
		float *memory = xcalloc(9 * c, sizeof *memory);
		float *gamma = memory + 6 * c, *grads = gamma + c;
		void *x = new_tensor(s->type, s->rows * c);
		void *dx = xcalloc(s->rows * c, sizeof(float));
		struct norm_vectors v;

		for (size_t i = 0; i < c; i++) {
			gamma[i] = 3;
			grads[i] = 0.125f * 4; /* count is 4 */
			grads[c + i] = 0.25f * 4;
		}
		set_vectors(&v, memory, c, memory);
		/* dy is x */
		kernel_norm_back(NULL, s->type, x, x, &v, gamma, grads,
		    grads + c, 1, 4, s->rows, s->c, dx);
		CHECK(worst(s, dx, NULL, back) < 1);
		free(memory);
		free(x);
		free(dx);
	}
}

/* Sums over rows against those in double. */
static void
test_sums(void)
{
	for (EACH_SIZE(s)) {
		const size_t c = (size_t)s->c;
		float *scratch = xcalloc(kernel_scratch(c), sizeof *scratch);
		float *memory = xcalloc(6 * c, sizeof *memory);
		float *grad = xcalloc(c, sizeof *grad);
		void *x = new_tensor(s->type, s->rows * c);
		struct norm_vectors v;
		double off = 0;

		set_vectors(&v, memory, c, grad);
		kernel_norm_sums(NULL, s->type, x, s->rows, s->c, scratch, &v);
		kernel_bias_grad(
		    NULL, s->type, x, s->rows, s->c, scratch, grad);
		for (size_t k = 0; k < c; k++) {
			double sum = 0, squares = 0;

			for (size_t r = 0; r < s->rows; r++) {
				const double one = (double)some(r * c + k);

				sum += one;
				squares += one * one;
			}
			off = fmax(off, fabs(sum - (double)v.sum[k]));
			off = fmax(off, fabs(sum - (double)grad[k]));
			off = fmax(off, fabs(squares - (double)v.squares[k]));
		}
		CHECK(off <= 1e-6 * (double)s->rows);
		free(scratch);
		free(memory);
		free(grad);
		free(x);
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

/* Gradients as they travel: multiplied, rounded as the host rounds them, and
 * taken back exactly. */
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
	TEST(test_many),
	TEST(test_compressed),
};

int
main(void)
{
	const size_t n = sizeof tests / sizeof tests[0];

#ifdef __SANITIZE_ADDRESS__
	printf("1..0 # SKIP the sanitizer takes fibers for overflows\n");
	return n == 0;
#else
	return tap_main(tests, n);
#endif
}
