/* Weight gradients of 3 x 3 convolutions in fp32 against sums in double
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
#include "trainer/device/cpu/kernels/winograd.h"

enum { LANES = 16, GUARD = 64 };

/* By definition: the gradient of the weight from input channel c to output
 * channel o at a place of the window. */
static double
by_definition(const struct winograd *w, const float *x, const float *dy, int o,
    int c, int tap)
{
	double sum = 0;

	for (int image = 0; image < w->images; image++)
		for (int i = 0; i < w->out_h; i++)
			for (int j = 0; j < w->out_w; j++) {
				const int y = i - w->pad + tap / 3;
				const int z = j - w->pad + tap % 3;
				const int in = image * w->in_blocks + c / LANES;
				const int out =
				    image * w->out_blocks + o / LANES;

				if (y < 0 || z < 0 || y >= w->h || z >= w->w)
					continue;
				sum +=
				    (double)
					x[((in * w->h + y) * w->w + z) * LANES +
					    c % LANES] *
				    (double)
					dy[((out * w->out_h + i) * w->out_w +
					       j) *
						LANES +
					    o % LANES];
			}
	return sum;
}

/* The sum of the gradient of one output channel. */
static double
bias_of(const struct winograd *w, const float *dy, int o)
{
	const int n = w->out_h * w->out_w;
	double sum = 0;

	for (int image = 0; image < w->images; image++)
		for (int i = 0; i < n; i++)
			sum += (double)
			    dy[((image * w->out_blocks + o / LANES) * n + i) *
				    LANES +
				o % LANES];
	return sum;
}

/* The largest error among some weights and biases, relative to the standard
 * deviation of a sum of this many products of random numbers in +-1. */
static double
error_of(const struct winograd *w, const struct winograd_places *p)
{
	const double usual =
	    sqrt((double)(w->images * w->out_h * w->out_w)) / 3;
	double worst = 0;

	for (int k = 0; k < 60; k++) {
		const int o =
		    (int)next_random((unsigned)(w->out_blocks * LANES));
		const int c =
		    (int)next_random((unsigned)(w->in_blocks * LANES));
		const int tap = (int)next_random(9);
		const size_t block =
		    (size_t)(o / LANES) * (size_t)w->in_blocks +
		    (size_t)(c / LANES);
		const double got =
		    (double)p->dw[((block * 9 + (size_t)tap) * LANES +
				      (size_t)(c % LANES)) *
			    LANES +
			(size_t)(o % LANES)];

		worst = fmax(worst,
		    fabs(got - by_definition(w, p->x, p->dy, o, c, tap)) /
			usual);
		if (p->bias != NULL)
			worst = fmax(worst,
			    fabs((double)p->bias[o] - bias_of(w, p->dy, o)) /
				usual);
	}
	return worst;
}

static void
run(const struct winograd *w, const struct winograd_places *p, int threads)
{
	const size_t stride = (winograd_scratch_bytes() + 63) / 64 * 64;
	char *space = aligned(stride * (size_t)threads);

	memset(space, 0xff, stride * (size_t)threads); /* NaNs */
	parallel_set_threads(threads);
	winograd_run(w, p, space, stride);
	free(space);
}

/* Gradients are accurate to about 80 roundings of 2^-24 of their usual size,
 * half of what test_cpu_kernels.c allows. They replace the previous contents,
 * nothing else is written, and they are the same for any number of threads. */
static void
check(struct winograd w, int with_bias)
{
	const size_t n_bias = (size_t)w.out_blocks * LANES;
	const size_t n = n_bias * (size_t)w.in_blocks * LANES * 9;
	struct winograd_places p;
	float *x, *dy, *first = aligned(n * sizeof *first);
	double error;

	winograd_cut(&w);
	x = float_numbers((size_t)(w.images * w.in_blocks * w.h * w.w) * LANES);
	dy = float_numbers(
	    (size_t)(w.images * w.out_blocks * w.out_h * w.out_w) * LANES);
	p.x = x;
	p.dy = dy;
	p.dw = aligned((n + GUARD) * sizeof *p.dw);
	p.bias = with_bias ? aligned(n_bias * sizeof *p.bias) : NULL;
	p.sums = aligned(winograd_sums_bytes(&w) + GUARD * sizeof *p.sums);
	for (size_t i = 0; i < GUARD; i++)
		p.dw[n + i] =
		    p.sums[winograd_sums_bytes(&w) / sizeof *p.sums + i] = 77;
	run(&w, &p, 1);
	error = error_of(&w, &p);
	if (!(error < 5e-6))
		printf("# %d images, %d and %d blocks, %dx%d, pad %d, %d "
		       "slices: %g\n",
		    w.images, w.in_blocks, w.out_blocks, w.h, w.w, w.pad,
		    w.slices, error);
	CHECK(error < 5e-6);
	memcpy(first, p.dw, n * sizeof *first);
	for (int threads = 2; threads < 5; threads++) {
		run(&w, &p, threads);
		CHECK(memcmp(first, p.dw, n * sizeof *first) == 0);
	}
	for (size_t i = 0; i < GUARD; i++)
		CHECK(p.dw[n + i] >= 77 && p.dw[n + i] <= 77 &&
		    p.sums[winograd_sums_bytes(&w) / sizeof *p.sums + i] >= 77);
	free(x);
	free(dy);
	free(first);
	free(p.dw);
	free(p.bias);
	free(p.sums);
}

static void
test_shapes(void)
{
	const int trials = getenv("DLSCALE_QUICK") != NULL ? 45 : 150;
	int sliced = 0;

	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int trial = 0; trial < trials; trial++) {
		const int pad = (int)next_random(3);
		const int most = trial % 3 == 0 ? 40 : 14;
		struct winograd w = { .images = 1 + (int)next_random(6),
			.in_blocks = 4 + 4 * (int)next_random(2),
			.out_blocks = 4 + 4 * (int)next_random(2),
			.h = 3 + (int)next_random((unsigned)most),
			.w = 3 + (int)next_random((unsigned)most),
			.pad = pad,
			.cache = trial % 2 == 0 ? 0 : 2 << 20 };

		w.out_h = w.h + 2 * pad - 2;
		w.out_w = w.w + 2 * pad - 2;
		check(w, trial % 2);
		winograd_cut(&w);
		sliced += w.slices > 1;
	}
	CHECK(sliced > trials / 15);
}

/* Shapes that winograd_suits() accepts: some tiles, two units per thread. */
static void
test_suits(void)
{
	struct winograd w = { .images = 4,
		.in_blocks = 8,
		.out_blocks = 8,
		.h = 16,
		.w = 16,
		.out_h = 16,
		.out_w = 16,
		.pad = 1,
		.threads = 2 };

	winograd_cut(&w);
	CHECK_INT(w.tiles, 64);
	CHECK_INT(w.units, 4);
	CHECK(winograd_suits(&w));
	w.threads = 3;
	CHECK(!winograd_suits(&w));
	w.threads = 2;
	w.pad = 0;
	CHECK(!winograd_suits(&w));
	w.pad = 1;
	w.images = 1;
	w.h = w.out_h = 8;
	winograd_cut(&w);
	CHECK_INT(w.tiles, 8);
	CHECK(winograd_suits(&w));
	w.w = w.out_w = 12;
	w.h = w.out_h = 7;
	winograd_cut(&w);
	CHECK_INT(w.tiles, 6);
	CHECK(!winograd_suits(&w));
	w.h = w.out_h = 16;
	w.in_blocks = 6;
	winograd_cut(&w);
	CHECK(!winograd_suits(&w));
}

/* The number of slices gives 16 units, of at least 64 tiles. */
static void
test_slices(void)
{
	struct winograd w = { .images = 8,
		.in_blocks = 8,
		.out_blocks = 8,
		.h = 16,
		.w = 16,
		.out_h = 16,
		.out_w = 16,
		.pad = 1 };

	winograd_cut(&w);
	CHECK_INT(w.tiles, 128);
	CHECK_INT(w.slices, 2);
	CHECK_INT(w.units, 8);
	w.images = 7;
	winograd_cut(&w);
	CHECK_INT(w.slices, 1);
	w.images = 99;
	winograd_cut(&w);
	CHECK_INT(w.slices, 4);
	CHECK_INT(w.units, 16);
}

static const struct tap_test tests[] = {
	TEST(test_shapes),
	TEST(test_suits),
	TEST(test_slices),
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
