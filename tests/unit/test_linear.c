/* The linear kernels of the CPU device, with results in fp32 and bf16, against
 * sums in double precision. */
#include <config.h>

#include "tests/tap.h"

#if defined(HAVE_DNNL) && defined(HAVE_X86_FLAGS)

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/unit/kernel_numbers.h"
#include "trainer/base/tensor.h"
#include "trainer/base/isa.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/linear.h"

enum { GUARD = 64, THREADS = 3, SHAPES = 60 };

/* Element i of a result in bf16 or fp32. */
static double
value_at(const void *x, size_t i, int bf16)
{
	return bf16 ? (double)bf16_to_float(((const uint16_t *)x)[i])
		    : (double)((const float *)x)[i];
}

static size_t
value_size(int bf16)
{
	return bf16 ? sizeof(uint16_t) : sizeof(float);
}

/* --- a layer ------------------------------------------------------------- */

struct layer {
	struct linear l;
	int y_bf16, dx_bf16;
	void *y, *dx;
	float *x, *dy, *w, *bias, *dw, *db;
	size_t in, out, batch;
};

/* Allocate a layer, with a guard after each result. */
static void
make_layer(struct layer *t)
{
	t->in = (size_t)t->l.in;
	t->out = (size_t)t->l.out;
	t->batch = (size_t)t->l.batch;
	t->x = float_numbers(t->batch * t->in);
	t->dy = float_numbers(t->batch * t->out);
	t->w = float_numbers(t->out * t->in);
	t->bias = float_numbers(t->out);
	t->y = aligned(t->batch * t->out * sizeof(float) + GUARD);
	t->dx = aligned(t->batch * t->in * sizeof(float) + GUARD);
	t->dw = aligned(t->out * t->in * sizeof(float) + GUARD);
	t->db = aligned(t->out * sizeof(float) + GUARD);
}

static void
free_layer(struct layer *t)
{
	void *const all[] = { t->x, t->dy, t->w, t->bias, t->y, t->dx, t->dw,
		t->db };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

static void
mark_end(void *at, size_t bytes)
{
	memset((char *)at + bytes, 0x5a, GUARD);
}

static int
has_end(const void *at, size_t bytes)
{
	int kept = 1;

	for (size_t i = 0; i < GUARD; i++)
		kept &= ((const char *)at)[bytes + i] == 0x5a;
	return kept;
}

static size_t
y_bytes(const struct layer *t)
{
	return t->batch * t->out * value_size(t->y_bf16);
}

/* Compute all three products with scratch of the exact size, and check that
 * nothing else is written. */
static void
run_layer(struct layer *t, int threads, int with_bias)
{
	size_t stride;
	char *space;

	t->l.threads = threads;
	stride = (linear_thread_bytes(&t->l) + 63) / 64 * 64;
	space = aligned(stride * (size_t)threads + GUARD);
	mark_end(space, stride * (size_t)threads);
	mark_end(t->y, y_bytes(t));
	mark_end(t->dx, t->batch * t->in * value_size(t->dx_bf16));
	mark_end(t->dw, t->out * t->in * sizeof(float));
	mark_end(t->db, t->out * sizeof(float));
	parallel_set_threads(threads);
	linear_forward(&t->l, t->x, t->w, with_bias ? t->bias : NULL, t->y,
	    t->y_bf16 ? DTYPE_BF16 : DTYPE_FP32);
	linear_data(&t->l, t->dy, t->w, t->dx,
	    t->dx_bf16 ? DTYPE_BF16 : DTYPE_FP32, space, stride);
	linear_weights(&t->l, t->x, t->dy, t->dw, with_bias ? t->db : NULL);
	CHECK(has_end(space, stride * (size_t)threads));
	CHECK(has_end(t->y, y_bytes(t)));
	CHECK(has_end(t->dx, t->batch * t->in * value_size(t->dx_bf16)));
	CHECK(has_end(t->dw, t->out * t->in * sizeof(float)));
	CHECK(has_end(t->db, t->out * sizeof(float)));
	free(space);
}

/* --- by definition ------------------------------------------------------- */

/* A weight, rounded as the products use it. */
static double
weight_at(const struct layer *t, size_t i)
{
	return (double)(t->l.rounds ? bf16_to_float(bf16_from_float(t->w[i]))
				    : t->w[i]);
}

static double
output_of(const struct layer *t, size_t b, size_t o, int with_bias)
{
	double sum = with_bias ? (double)t->bias[o] : 0;

	for (size_t i = 0; i < t->in; i++)
		sum +=
		    (double)t->x[b * t->in + i] * weight_at(t, o * t->in + i);
	return t->l.relu && sum < 0 ? 0 : sum;
}

static double
data_of(const struct layer *t, size_t b, size_t i)
{
	double sum = 0;

	for (size_t o = 0; o < t->out; o++)
		sum +=
		    (double)t->dy[b * t->out + o] * weight_at(t, o * t->in + i);
	return sum;
}

static double
gradient_of(const struct layer *t, size_t o, size_t i)
{
	double sum = 0;

	for (size_t b = 0; b < t->batch; b++)
		sum +=
		    (double)t->dy[b * t->out + o] * (double)t->x[b * t->in + i];
	return sum;
}

static double
bias_of(const struct layer *t, size_t o)
{
	double sum = 0;

	for (size_t b = 0; b < t->batch; b++)
		sum += (double)t->dy[b * t->out + o];
	return sum;
}

/* True if x equals a sum of n products of +-1 in fp32, rounded if bf16. */
static int
is_sum(double x, double want, size_t n, int rounded)
{
	const double error = ldexp((double)n, -22) + 1e-7;

	return fabs(x - want) <=
	    error + (rounded ? ldexp(fabs(want) + error, -8) : 0);
}

static void
check_layer(const struct layer *t, int with_bias)
{
	int y = 1, dx = 1, dw = 1, db = 1;

	for (size_t b = 0; b < t->batch; b++)
		for (size_t o = 0; o < t->out; o++)
			y &= is_sum(value_at(t->y, b * t->out + o, t->y_bf16),
			    output_of(t, b, o, with_bias), t->in, t->y_bf16);
	for (size_t b = 0; b < t->batch; b++)
		for (size_t i = 0; i < t->in; i++)
			dx &= is_sum(value_at(t->dx, b * t->in + i, t->dx_bf16),
			    data_of(t, b, i), t->out, t->dx_bf16);
	for (size_t o = 0; o < t->out; o++)
		for (size_t i = 0; i < t->in; i++)
			dw &= is_sum((double)t->dw[o * t->in + i],
			    gradient_of(t, o, i), t->batch, 0);
	for (size_t o = 0; o < t->out && with_bias; o++)
		db &= is_sum((double)t->db[o], bias_of(t, o), t->batch, 0);
	CHECK(y);
	CHECK(dx);
	CHECK(dw);
	CHECK(db);
}

/* The results with one thread. */
struct results {
	void *y, *dx;
	float *dw;
};

static void *
copy_of(const void *from, size_t bytes)
{
	return memcpy(xcalloc(bytes, 1), from, bytes);
}

static void
check_threads(struct layer *t, int with_bias)
{
	const size_t dx = t->batch * t->in * value_size(t->dx_bf16);
	const size_t dw = t->out * t->in * sizeof(float);
	const struct results one = { copy_of(t->y, y_bytes(t)),
		copy_of(t->dx, dx), copy_of(t->dw, dw) };

	for (int threads = 2; threads <= THREADS; threads++) {
		run_layer(t, threads, with_bias);
		CHECK(memcmp(one.y, t->y, y_bytes(t)) == 0);
		CHECK(memcmp(one.dx, t->dx, dx) == 0);
		CHECK(memcmp(one.dw, t->dw, dw) == 0);
	}
	free(one.y);
	free(one.dx);
	free(one.dw);
}

static void
test_layers(void)
{
	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int k = 0; k < 2 * SHAPES; k++) {
		struct layer t = { .y_bf16 = k % 3 == 0, .dx_bf16 = k % 2 };
		const int with_bias = k % 5 != 0;

		t.l = (struct linear){ .batch = k < LINEAR_IMAGES
			    ? k + 1
			    : 1 + (int)next_random(LINEAR_IMAGES),
			.in = LINEAR_STEP * (1 + (int)next_random(60)),
			.out = LINEAR_ROWS * (1 + (int)next_random(10)),
			.relu = k / 2 % 2,
			.rounds = k / 3 % 2,
			.past = k % 4 < 2 };
		make_layer(&t);
		run_layer(&t, 1, with_bias);
		check_layer(&t, with_bias);
		check_threads(&t, with_bias);
		free_layer(&t);
	}
}

/* NaN weights give NaN results, also through a ReLU, and affect no other
 * results. */
static void
test_nan(void)
{
	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int bf16 = 0; bf16 < 2; bf16++) {
		struct layer t = { .dx_bf16 = bf16 };

		t.l = (struct linear){
			.batch = 3, .in = 64, .out = 8, .relu = 1
		};
		make_layer(&t);
		for (size_t i = 0; i < t.in; i++)
			t.w[4 * t.in + i] = NAN;
		run_layer(&t, 1, 1);
		for (size_t b = 0; b < t.batch; b++)
			for (size_t o = 0; o < t.out; o++)
				CHECK_INT(isnan(((float *)t.y)[b * t.out + o]),
				    o == 4);
		CHECK(isnan(value_at(t.dx, 0, bf16)));
		for (size_t i = 0; i < t.out * t.in; i++)
			CHECK(!isnan(t.dw[i]));
		free_layer(&t);
	}
}

/* A NaN gradient affects only the results of its image and output. */
static void
test_nan_gradient(void)
{
	if (!isa_runs_avx512())
		SKIP("needs AVX-512");
	for (int bf16 = 0; bf16 < 2; bf16++) {
		struct layer t = { .dx_bf16 = bf16 };

		t.l = (struct linear){ .batch = 3, .in = 64, .out = 8 };
		make_layer(&t);
		t.dy[t.out] = NAN;
		run_layer(&t, 1, 1);
		for (size_t b = 0; b < t.batch; b++)
			CHECK_INT(
			    isnan(value_at(t.dx, b * t.in, bf16)), b == 1);
		for (size_t o = 0; o < t.out; o++)
			CHECK_INT(isnan(t.dw[o * t.in]), o == 0);
		free_layer(&t);
	}
}

static void
test_suits(void)
{
	struct linear l = { .batch = LINEAR_IMAGES, .in = 512, .out = 12 };

	CHECK(linear_suits(&l));
	l.in = 512 + 16;
	CHECK(!linear_suits(&l));
	l.in = 512;
	l.batch = LINEAR_IMAGES + 1;
	CHECK(!linear_suits(&l));
	l.batch = LINEAR_IMAGES;
	l.out = 10;
	CHECK(!linear_suits(&l));
}

static const struct tap_test tests[] = {
	TEST(test_layers),
	TEST(test_nan),
	TEST(test_nan_gradient),
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
