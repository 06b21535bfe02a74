/* Weight gradients of convolutions in fp32 against sums in double
 * precision. */
#include <config.h>

#include "tests/tap.h"

#if defined(HAVE_DNNL) && defined(HAVE_X86_FLAGS)

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/kernel_numbers.h"
#include "trainer/base/isa.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/fp32_grad.h"

enum { LANES = 16, GUARD = 64, SAMPLES = 100 };

/* The gradient of the weight from input channel c to output channel o at a
 * place of the window, by definition. */
static double
by_definition(const struct fp32_grad *g, const struct fp32_grad_places *p,
    int o, int c, int tap)
{
	double sum = 0;

	for (int image = 0; image < g->images; image++)
		for (int k = 0; k < g->out_h * g->out_w; k++) {
			const int y =
			    k / g->out_w * g->stride - g->pad + tap / g->kernel;
			const int x =
			    k % g->out_w * g->stride - g->pad + tap % g->kernel;
			const int in = image * g->in_blocks + c / LANES;
			const int out = image * g->out_blocks + o / LANES;

			if (y < 0 || x < 0 || y >= g->h || x >= g->w)
				continue;
			sum +=
			    (double)p->x[((in * g->h + y) * g->w + x) * LANES +
				c % LANES] *
			    (double)
				p->dy[(out * g->out_h * g->out_w + k) * LANES +
				    o % LANES];
		}
	return sum;
}

/* The length of the differences of some weights over that of these weights. */
static double
error_of(const struct fp32_grad *g, const struct fp32_grad_places *p)
{
	const int taps = g->kernel * g->kernel;
	double differences = 0, all = 0;

	for (int k = 0; k < SAMPLES; k++) {
		const int o =
		    (int)next_random((unsigned)(g->out_blocks * LANES));
		const int c =
		    (int)next_random((unsigned)(g->in_blocks * LANES));
		const int tap = (int)next_random((unsigned)taps);
		const double want = by_definition(g, p, o, c, tap);
		const int block = o / LANES * g->in_blocks + c / LANES;
		const double d =
		    (double)p->dw[((block * taps + tap) * LANES + c % LANES) *
			    LANES +
			o % LANES] -
		    want;

		differences += d * d;
		all += want * want;
	}
	return sqrt(differences / all);
}

/* Run it with scratch that is just large enough, and see that nothing else is
 * written. */
static void
run(const struct fp32_grad *g, const struct fp32_grad_places *p, int threads)
{
	const size_t stride = (fp32_grad_scratch_bytes(g) + 63) / 64 * 64;
	char *space = aligned(stride * (size_t)threads + GUARD);

	memset(space, 0xff, stride * (size_t)threads); /* NaNs */
	memset(space + stride * (size_t)threads, 77, GUARD);
	parallel_set_threads(threads);
	fp32_grad_run(g, p, space, stride);
	for (size_t i = 0; i < GUARD; i++)
		CHECK_INT(space[stride * (size_t)threads + i], 77);
	free(space);
}

/* Gradients are right to a tenth of what test_cpu_kernels.c allows; they are
 * written, nothing else is, whatever was there; and they are the same for any
 * number of threads. */
static void
check(struct fp32_grad g)
{
	const size_t n =
	    (size_t)(g.in_blocks * g.out_blocks * g.kernel * g.kernel) * LANES *
	    LANES;
	struct fp32_grad_places p;
	float *x, *dy, *first = aligned(n * sizeof *first);
	size_t n_sums;
	double error;

	fp32_grad_cut(&g);
	n_sums = fp32_grad_sums_bytes(&g) / sizeof(float);
	x = float_numbers((size_t)(g.images * g.in_blocks * g.h * g.w) * LANES);
	dy = float_numbers(
	    (size_t)(g.images * g.out_blocks * g.out_h * g.out_w) * LANES);
	p.x = x;
	p.dy = dy;
	p.dw = aligned((n + GUARD) * sizeof *p.dw);
	p.sums = aligned((n_sums + GUARD) * sizeof *p.sums);
	for (size_t i = 0; i < GUARD; i++)
		p.dw[n + i] = p.sums[n_sums + i] = 77;
	for (int threads = 1; threads < 5; threads++) {
		memset(p.dw, 0xff, n * sizeof *p.dw);
		memset(p.sums, 0xff, n_sums * sizeof *p.sums);
		run(&g, &p, threads);
		if (threads == 1)
			memcpy(first, p.dw, n * sizeof *first);
		CHECK(memcmp(first, p.dw, n * sizeof *first) == 0);
	}
	for (size_t i = 0; i < GUARD; i++)
		CHECK(p.dw[n + i] >= 77 && p.dw[n + i] <= 77 &&
		    p.sums[n_sums + i] >= 77 && p.sums[n_sums + i] <= 77);
	error = error_of(&g, &p);
	if (!(error < 1e-6))
		printf("# %d images, %d and %d blocks, %dx%d, window %d, "
		       "stride %d, pad %d: %g\n",
		    g.images, g.in_blocks, g.out_blocks, g.h, g.w, g.kernel,
		    g.stride, g.pad, error);
	CHECK(error < 1e-6);
	free(x);
	free(dy);
	free(first);
	free(p.dw);
	free(p.sums);
}

static void
test_shapes(void)
{
	int sliced = 0, several = 0;

	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int trial = 0; trial < 120; trial++) {
		const int most = trial % 3 == 0 ? 40 : 14;
		struct fp32_grad g = { .images = 1 + (int)next_random(9),
			.in_blocks = 1 + (int)next_random(20),
			.out_blocks = 4 + 4 * (int)next_random(5),
			.h = 3 + (int)next_random((unsigned)most),
			.w = 3 + (int)next_random((unsigned)most),
			.kernel = 1 + (int)next_random(3),
			.stride = 1 + (int)next_random(2),
			.pad = (int)next_random(2) };

		g.out_h = (g.h + 2 * g.pad - g.kernel) / g.stride + 1;
		g.out_w = (g.w + 2 * g.pad - g.kernel) / g.stride + 1;
		check(g);
		fp32_grad_cut(&g);
		sliced += g.slices > 1;
		several += g.strip_images > 1;
	}
	CHECK(sliced > 10);
	CHECK(several > 10);
}

/* Which it takes: groups of 64 output channels, some strips, a unit or two for
 * each thread. */
static void
test_suits(void)
{
	struct fp32_grad g = { .images = 16,
		.in_blocks = 32,
		.out_blocks = 32,
		.h = 7,
		.w = 7,
		.out_h = 7,
		.out_w = 7,
		.kernel = 1,
		.stride = 1 };

	fp32_grad_cut(&g);
	CHECK_INT(g.strips, 8);
	CHECK_INT(g.units, 8);
	CHECK(fp32_grad_suits(&g, 4));
	CHECK(!fp32_grad_suits(&g, 5));
	g.out_blocks = 3;
	fp32_grad_cut(&g);
	CHECK(!fp32_grad_suits(&g, 2));
	g.out_blocks = 32;
	g.images = 6;
	fp32_grad_cut(&g);
	CHECK(!fp32_grad_suits(&g, 2));
}

static const struct tap_test tests[] = {
	TEST(test_shapes),
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
	printf("1..0 # SKIP no kernels for AVX-512 are built\n");
	return 0;
}

#endif
