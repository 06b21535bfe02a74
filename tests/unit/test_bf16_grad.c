/* Weight gradients in bf16 against sums in double precision. */
#include <config.h>

#include "tests/tap.h"

#if defined(HAVE_DNNL) && defined(HAVE_AMX_FLAGS)

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/unit/kernel_numbers.h"
#include "trainer/base/tensor.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/bf16_grad.h"

enum { BLOCK = BF16_GRAD_BLOCK, GUARD = 64 };

/* Random numbers in +-1. */
static uint16_t *
numbers(size_t n)
{
	uint16_t *x = aligned(n * sizeof *x);

	for (size_t i = 0; i < n; i++)
		x[i] = bf16_from_float((float)next_random(20001) / 1e4F - 1);
	return x;
}

static double
value_at(const uint16_t *x, int channels, int h, int w, int image, int c, int y,
    int z)
{
	const size_t block =
	    (size_t)image * (size_t)(channels / BLOCK) + (size_t)(c / BLOCK);

	return (double)bf16_to_float(
	    x[((block * (size_t)h + (size_t)y) * (size_t)w + (size_t)z) *
		    BLOCK +
		(size_t)(c % BLOCK)]);
}

/* The gradient of the weight from input channel c to output channel o at a
 * place of the window, by definition. */
static double
by_definition(const struct bf16_grad *g, const uint16_t *x, const uint16_t *dy,
    int o, int c, int row, int column)
{
	double sum = 0;

	for (int image = 0; image < g->batch; image++)
		for (int i = 0; i < g->out_h; i++)
			for (int j = 0; j < g->out_w; j++) {
				const int y = i * g->stride - g->pad + row;
				const int z = j * g->stride - g->pad + column;

				if (y < 0 || z < 0 || y >= g->in_h ||
				    z >= g->in_w)
					continue;
				sum += value_at(x, g->in_c, g->in_h, g->in_w,
					   image, c, y, z) *
				    value_at(dy, g->out_c, g->out_h, g->out_w,
					image, o, i, j);
			}
	return sum;
}

static size_t
place_of(const struct bf16_grad *g, int o, int c, int tap)
{
	const size_t taps = (size_t)(g->kernel * g->kernel);
	const size_t block = (size_t)(o / BLOCK) * (size_t)(g->in_c / BLOCK) +
	    (size_t)(c / BLOCK);

	return ((block * taps + (size_t)tap) * BLOCK + (size_t)(c % BLOCK)) *
	    BLOCK +
	    (size_t)(o % BLOCK);
}

/* The largest error among some weights, relative to the standard deviation of a
 * sum of this many products of random numbers in +-1. */
static double
error_of(const struct bf16_grad *g, const uint16_t *x, const uint16_t *dy,
    const float *dw)
{
	const double usual = sqrt((double)(g->batch * g->out_h * g->out_w)) / 3;
	double worst = 0;

	for (int k = 0; k < 60; k++) {
		const int o = (int)next_random((unsigned)g->out_c);
		const int c = (int)next_random((unsigned)g->in_c);
		const int tap =
		    (int)next_random((unsigned)(g->kernel * g->kernel));
		const double want = by_definition(
		    g, x, dy, o, c, tap / g->kernel, tap % g->kernel);

		worst = fmax(worst,
		    fabs((double)dw[place_of(g, o, c, tap)] - want) / usual);
	}
	return worst;
}

/* Run with scratch memory of the smallest sufficient size, and check that
 * nothing beyond it is written. */
static void
run(const struct bf16_grad *g, const uint16_t *x, const uint16_t *dy, float *dw)
{
	const size_t stride = (bf16_grad_bytes(g) + 63) / 64 * 64;
	const size_t bytes = stride * (size_t)g->threads;
	char *space = aligned(bytes + GUARD);
	int kept = 1;

	memset(space, 0x5a, bytes + GUARD);
	parallel_set_threads(g->threads);
	bf16_grad_run(g, x, dy, space, stride, dw);
	for (size_t i = bytes; i < bytes + GUARD; i++)
		kept &= space[i] == 0x5a;
	CHECK(kept);
	free(space);
}

static void
check(struct bf16_grad g)
{
	const size_t n =
	    (size_t)g.in_c * (size_t)g.out_c * (size_t)(g.kernel * g.kernel);
	uint16_t *x, *dy;
	float *dw = aligned((n + GUARD) * sizeof *dw);
	float *again = aligned(n * sizeof *again);
	double error;

	g.out_h = (g.in_h + 2 * g.pad - g.kernel) / g.stride + 1;
	g.out_w = (g.in_w + 2 * g.pad - g.kernel) / g.stride + 1;
	x = numbers((size_t)(g.batch * g.in_c * g.in_h * g.in_w));
	dy = numbers((size_t)(g.batch * g.out_c * g.out_h * g.out_w));
	for (size_t i = 0; i < n + GUARD; i++)
		dw[i] = 77;
	g.threads = 1;
	run(&g, x, dy, dw);
	for (int i = 0; i < GUARD; i++)
		CHECK(dw[n + (size_t)i] >= 77 && dw[n + (size_t)i] <= 77);
	error = error_of(&g, x, dy, dw);
	if (!(error < 1e-5))
		printf("# batch %d, %d channels of %dx%d to %d, kernel %d, "
		       "stride %d: %g\n",
		    g.batch, g.in_c, g.in_h, g.in_w, g.out_c, g.kernel,
		    g.stride, error);
	CHECK(error < 1e-5);
	for (g.threads = 2; g.threads <= 5; g.threads++) {
		run(&g, x, dy, again);
		CHECK(memcmp(again, dw, n * sizeof *dw) == 0);
	}
	free(x);
	free(dy);
	free(dw);
	free(again);
}

static int
can_run(void)
{
	return __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512bf16");
}

static void
test_shapes(void)
{
	if (!can_run())
		SKIP("needs avx512_bf16");
	for (int trial = 0; trial < 250; trial++) {
		const int kernel = trial % 2 == 0 ? 1 : 3;
		struct bf16_grad g = { .batch = 1 + (int)next_random(7),
			.in_c = BLOCK * (1 + (int)next_random(5)),
			.in_h = 1 + (int)next_random(15),
			.in_w = 1 + (int)next_random(15),
			.out_c = BLOCK * (1 + (int)next_random(5)),
			.kernel = kernel,
			.stride = 1 + (int)next_random(2),
			.pad = kernel / 2 };

		/* More pixels in a row than are processed at a time. */
		if (trial % 25 == 0)
			g.in_w = 190 + (int)next_random(30);
		check(g);
	}
}

/* More channels than fit into the scratch memory at a time. */
static void
test_many_channels(void)
{
	static const struct bf16_grad shapes[] = {
		{ 4, 1024, 14, 14, 32, 14, 14, 1, 1, 0, 1 },
		{ 5, 512, 9, 7, 48, 9, 7, 3, 1, 1, 1 },
		{ 4, 768, 15, 14, 16, 8, 7, 3, 2, 1, 1 },
		{ 4, 512, 28, 28, 64, 14, 14, 1, 2, 0, 1 },
	};

	if (!can_run())
		SKIP("needs avx512_bf16");
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check(shapes[i]);
}

/* Shapes that bf16_grad_suits() accepts. */
static void
test_suits(void)
{
	const struct bf16_grad usual = { 4, 64, 9, 9, 64, 9, 9, 3, 1, 1, 2 };
	struct bf16_grad g = usual;

	CHECK(bf16_grad_suits(&g));
	g.threads = 3; /* 16 products of blocks */
	CHECK(!bf16_grad_suits(&g));
	g = usual;
	g.batch = 3;
	CHECK(!bf16_grad_suits(&g));
	g = usual;
	g.in_c = 72;
	CHECK(!bf16_grad_suits(&g));
	g = usual;
	g.out_c = 72;
	CHECK(!bf16_grad_suits(&g));
	g = usual;
	g.pad = 0;
	CHECK(!bf16_grad_suits(&g));
	g.kernel = 1;
	CHECK(bf16_grad_suits(&g));
	g.kernel = 5;
	g.pad = 2;
	CHECK(!bf16_grad_suits(&g));
}

static const struct tap_test tests[] = {
	TEST(test_shapes),
	TEST(test_many_channels),
	TEST(test_suits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}

#else

int
main(void)
{
	printf("1..0 # SKIP no kernels for AVX-512's bf16 are built\n");
	return 0;
}

#endif
