/* 3 x 3 convolutions in fp32, forward and to the input, compared with sums in
 * double precision. */
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

enum { LANES = 16, GUARD = 64, SAMPLES = 400 };

static int
output_size(const struct winograd *w)
{
	return w->images * w->out_blocks * w->out_h * w->out_w * LANES;
}

/* The weight from input channel c to output channel o at a place of the
 * window. */
static double
weight_of(const struct winograd *w, const float *weights, int o, int c, int tap)
{
	const int in = w->is_gradient ? o : c, out = w->is_gradient ? c : o;
	const int in_blocks = w->is_gradient ? w->out_blocks : w->in_blocks;
	const int block = out / LANES * in_blocks + in / LANES;

	if (w->is_gradient)
		tap = 8 - tap;
	return (
	    double)weights[((block * 9 + tap) * LANES + in % LANES) * LANES +
	    out % LANES];
}

/* One output channel at a place, by definition. */
static double
by_definition(const struct winograd *w, const struct winograd_conv_places *p,
    int image, int o, int i, int j)
{
	double sum = p->bias == NULL ? 0 : (double)p->bias[o];

	for (int c = 0; c < w->in_blocks * LANES; c++)
		for (int tap = 0; tap < 9; tap++) {
			const int y = i - w->pad + tap / 3;
			const int x = j - w->pad + tap % 3;
			const int plane = image * w->in_blocks + c / LANES;

			if (y < 0 || x < 0 || y >= w->h || x >= w->w)
				continue;
			sum +=
			    (double)
				p->x[((plane * w->h + y) * w->w + x) * LANES +
				    c % LANES] *
			    weight_of(w, p->weights, o, c, tap);
		}
	return w->relu && sum < 0 ? 0 : sum;
}

/* The norm of the errors of some outputs over the norm of these outputs. */
static double
error_of(const struct winograd *w, const struct winograd_conv_places *p)
{
	double differences = 0, all = 0;

	for (int k = 0; k < SAMPLES; k++) {
		const int at = (int)next_random((unsigned)output_size(w));
		const int pixel = at / LANES % (w->out_h * w->out_w);
		const int plane = at / LANES / (w->out_h * w->out_w);
		const double want = by_definition(w, p, plane / w->out_blocks,
		    plane % w->out_blocks * LANES + at % LANES,
		    pixel / w->out_w, pixel % w->out_w);
		const double d = (double)p->y[at] - want;

		differences += d * d;
		all += want * want;
	}
	return sqrt(differences / all);
}

static void
run(const struct winograd *w, const struct winograd_conv_places *p, int threads)
{
	const size_t stride = (winograd_conv_bytes(w) + 63) / 64 * 64;
	char *space = aligned(stride * (size_t)threads + GUARD);

	memset(space, 0xff, stride * (size_t)threads); /* NaNs */
	memset(space + stride * (size_t)threads, 77, GUARD);
	parallel_set_threads(threads);
	winograd_conv_run(w, p, space, stride);
	for (size_t i = 0; i < GUARD; i++)
		CHECK_INT(space[stride * (size_t)threads + i], 77);
	free(space);
}

/* Outputs are accurate to a quarter of what test_cpu_kernels.c allows; all of
 * them and nothing else are written; and they are the same for any number of
 * threads. */
static void
check(struct winograd w, int with_bias)
{
	const size_t n = (size_t)output_size(&w);
	struct winograd_conv_places p;
	float *x, *weights, *bias, *first = aligned(n * sizeof *first);
	double error;

	x = float_numbers((size_t)(w.images * w.in_blocks * w.h * w.w) * LANES);
	weights = float_numbers(
	    (size_t)(w.in_blocks * w.out_blocks * 9) * LANES * LANES);
	bias = float_numbers((size_t)w.out_blocks * LANES);
	p.x = x;
	p.weights = weights;
	p.bias = with_bias ? bias : NULL;
	p.y = aligned((n + GUARD) * sizeof *p.y);
	for (int threads = 1; threads < 5; threads++) {
		w.threads = threads;
		winograd_conv_cut(&w);
		memset(p.y, 0xff, n * sizeof *p.y);
		for (size_t i = 0; i < GUARD; i++)
			p.y[n + i] = 77;
		run(&w, &p, threads);
		if (threads == 1)
			memcpy(first, p.y, n * sizeof *first);
		CHECK(memcmp(first, p.y, n * sizeof *first) == 0);
		for (size_t i = 0; i < GUARD; i++)
			CHECK(p.y[n + i] >= 77 && p.y[n + i] <= 77);
	}
	error = error_of(&w, &p);
	if (!(error < 2.5e-6))
		printf("# %d images, %d and %d blocks, %dx%d, pad %d, "
		       "gradient %d: %g\n",
		    w.images, w.in_blocks, w.out_blocks, w.h, w.w, w.pad,
		    w.is_gradient, error);
	CHECK(error < 2.5e-6);
	free(x);
	free(weights);
	free(bias);
	free(first);
	free(p.y);
}

static void
test_shapes(void)
{
	const int trials = getenv("DLSCALE_QUICK") != NULL ? 40 : 120;
	int long_sums = 0, ranges = 0, short_tiles = 0;

	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int trial = 0; trial < trials; trial++) {
		const int pad = (int)next_random(3);
		const int most = trial % 3 == 0 ? 40 : 14;
		struct winograd w = { .images = 1 + (int)next_random(6),
			.in_blocks = 1 + (int)next_random(14),
			.out_blocks = 4 + 4 * (int)next_random(2),
			.h = 3 + (int)next_random((unsigned)most),
			.w = 3 + (int)next_random((unsigned)most),
			.pad = pad,
			.is_gradient = trial % 2,
			.cache = trial % 4 == 0 ? 0 : 2 << 20,
			.relu = trial % 5 == 0 };

		w.out_h = w.h + 2 * pad - 2;
		w.out_w = w.w + 2 * pad - 2;
		check(w, trial % 4 < 2);
		w.threads = 1;
		winograd_conv_cut(&w);
		long_sums += w.depth < w.in_blocks;
		ranges += w.depth < w.in_blocks && w.tiles > w.range;
		short_tiles += w.out_h % 4 == 2 || w.out_w % 4 == 3;
	}
	CHECK(long_sums > trials / 12);
	CHECK(ranges > trials / 24);
	CHECK(short_tiles > trials / 6);
}

/* winograd_conv_suits() requires groups of 64 output channels, enough tiles and
 * a unit for each thread. */
static void
test_suits(void)
{
	struct winograd w = { .images = 16,
		.in_blocks = 32,
		.out_blocks = 32,
		.h = 7,
		.w = 7,
		.out_h = 7,
		.out_w = 7,
		.pad = 1,
		.threads = 2 };

	winograd_conv_cut(&w);
	CHECK_INT(w.tiles, 64);
	CHECK_INT(w.units, 8);
	CHECK(winograd_conv_suits(&w));
	w.threads = 9;
	winograd_conv_cut(&w);
	CHECK(!winograd_conv_suits(&w));
	w.threads = 2;
	w.pad = 0;
	CHECK(!winograd_conv_suits(&w));
	w.pad = 1;
	w.images = 2;
	winograd_conv_cut(&w);
	CHECK_INT(w.tiles, 8);
	CHECK(winograd_conv_suits(&w));
	w.images = 1;
	winograd_conv_cut(&w);
	CHECK(!winograd_conv_suits(&w));
	w.images = 16;
	w.out_blocks = 3;
	winograd_conv_cut(&w);
	CHECK(!winograd_conv_suits(&w));
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
