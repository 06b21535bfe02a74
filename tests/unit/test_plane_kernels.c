/* Compare the pooling and element-wise kernels of cpu_kernels.h, in each table
 * that this CPU can run, with loops in double precision.
 */
#include <config.h>

#include "tests/unit/kernel_arrays.h"

#ifdef HAVE_DNNL

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A plane and the window that pools it. */
struct pool_test {
	const struct cpu_kernels *k;
	struct cpu_window w;
	int block;
	struct array x, y, where;
};

static size_t
in_elements(const struct pool_test *t)
{
	return (size_t)(t->w.in_h * t->w.in_w * t->block);
}

static size_t
out_elements(const struct pool_test *t)
{
	return (size_t)(t->w.out_h * t->w.out_w * t->block);
}

/* Index of the element at a place of output o's window, or -1 for padding. */
static int
window_place(const struct pool_test *t, int o, int place)
{
	const int pixel = o / t->block;
	const int y =
	    pixel / t->w.out_w * t->w.stride - t->w.pad + place / t->w.kernel;
	const int x =
	    pixel % t->w.out_w * t->w.stride - t->w.pad + place % t->w.kernel;

	if (y < 0 || y >= t->w.in_h || x < 0 || x >= t->w.in_w)
		return -1;
	return (y * t->w.in_w + x) * t->block + o % t->block;
}

/* As in PyTorch, NaN exceeds all numbers, and a later NaN an earlier one. */
static int
largest(const struct pool_test *t, int o)
{
	int best = -1;
	double of_best = 0;

	for (int place = 0; place < t->w.kernel * t->w.kernel; place++) {
		const int i = window_place(t, o, place);
		double x;

		if (i < 0)
			continue;
		x = element_get(t->k, &t->x, (size_t)i);
		if (best < 0 || x > of_best || isnan(x)) {
			best = place;
			of_best = x;
		}
	}
	return best;
}

static void
check_maxpool(struct pool_test *t)
{
	const int n = (int)out_elements(t);

	t->y = array_empty(t->k, out_elements(t), 0);
	t->where = array_new(out_elements(t), 0, WRITTEN);
	t->k->maxpool(
	    &t->w, t->block, t->x.at, t->y.at, (uint8_t *)t->where.at);
	for (int o = 0; o < n; o++) {
		const int best = largest(t, o);
		const double x =
		    element_get(t->k, &t->x, (size_t)window_place(t, o, best));

		check_near(t->k, "maxpool", (size_t)o,
		    element_get(t->k, &t->y, (size_t)o), (struct term){ x, 0 },
		    0);
		check_near(t->k, "maxpool, where", (size_t)o,
		    (unsigned char)t->where.at[o], (struct term){ best, 0 }, 0);
	}
}

static void
check_maxpool_back(struct pool_test *t)
{
	struct array dy = array_random(t->k, out_elements(t), 0);
	struct array dx = array_empty(t->k, in_elements(t), 0);
	struct term *want = calloc(in_elements(t), sizeof *want);

	CHECK(want != NULL);
	for (size_t o = 0; o < out_elements(t); o++) {
		const int i =
		    window_place(t, (int)o, (unsigned char)t->where.at[o]);

		want[i].value += element_get(t->k, &dy, o);
		want[i].size += fabs(element_get(t->k, &dy, o));
	}
	t->k->maxpool_back(
	    &t->w, t->block, dy.at, (const uint8_t *)t->where.at, dx.at);
	for (size_t i = 0; i < in_elements(t); i++)
		check_element(t->k, "maxpool_back", &dx, i, want[i], 9);
	free(want);
	array_end(&dy);
	array_end(&dx);
}

/* Few distinct values, so that many are equal. */
static struct array
tied_array(const struct cpu_kernels *k, size_t n)
{
	struct array a = array_new(n * element_size(k), 0, READ);

	for (size_t i = 0; i < n; i++) {
		const unsigned way = next_random(40);
		const double x = (int)next_random(7) - 3;

		element_set(k, &a, i,
		    way == 0       ? (double)NAN
			: way == 1 ? (double)INFINITY
			: way < 6  ? -(double)INFINITY
				   : x);
	}
	return a;
}

static void
check_maxpools(const struct cpu_kernels *k)
{
	static const struct cpu_window windows[] = { { .kernel = 2,
							 .stride = 2 },
		{ .kernel = 3, .stride = 2, .pad = 1 },
		{ .kernel = 3, .stride = 1, .pad = 1 },
		{ .kernel = 3, .stride = 2 } };

	for (int block = k->lanes; block <= CPU_BLOCK_MAX; block *= 2)
		for (int trial = 0; trial < 40; trial++) {
			struct pool_test t = { .k = k,
				.w = windows[trial % N_TESTS(windows)],
				.block = block };
			struct cpu_window *w = &t.w;
			const int least = w->kernel - 2 * w->pad;

			w->in_h = least + (int)next_random(14);
			w->in_w = least + (int)next_random(14);
			w->out_h =
			    (w->in_h + 2 * w->pad - w->kernel) / w->stride + 1;
			w->out_w =
			    (w->in_w + 2 * w->pad - w->kernel) / w->stride + 1;
			t.x = tied_array(k, in_elements(&t));
			check_maxpool(&t);
			check_maxpool_back(&t);
			array_end(&t.x);
			array_end(&t.y);
			array_end(&t.where);
		}
}

static void
test_maxpool(void)
{
	kernels_each(check_maxpools);
}

/* True if output o of an adaptive average covers input i along one side. */
static int
covers(int o, int n_out, int i, int n_in)
{
	return i >= o * n_in / n_out &&
	    i < ((o + 1) * n_in + n_out - 1) / n_out;
}

static int
window_size(int o, int n_out, int n_in)
{
	int n = 0;

	for (int i = 0; i < n_in; i++)
		n += covers(o, n_out, i, n_in);
	return n;
}

/* Add to each output (or input, if back) its share of the other side. */
static void
average(const struct pool_test *t, int back, const struct array *from,
    struct term *to)
{
	const struct cpu_window *w = &t->w;

	for (int o = 0; o < w->out_h * w->out_w; o++)
		for (int i = 0; i < w->in_h * w->in_w; i++) {
			const int oy = o / w->out_w, ox = o % w->out_w;
			const int n = window_size(oy, w->out_h, w->in_h) *
			    window_size(ox, w->out_w, w->in_w);

			if (!covers(oy, w->out_h, i / w->in_w, w->in_h) ||
			    !covers(ox, w->out_w, i % w->in_w, w->in_w))
				continue;
			for (int c = 0; c < t->block; c++) {
				const int at_i = i * t->block + c;
				const int at_o = o * t->block + c;
				const double x =
				    element_get(t->k, from,
					(size_t)(back ? at_o : at_i)) /
				    n;

				to[back ? at_i : at_o].value += x;
				to[back ? at_i : at_o].size += fabs(x);
			}
		}
}

/* A window has up to 49 inputs, hence the 60 roundings. */
static void
check_average(const struct pool_test *t, int back)
{
	const size_t n_from = back ? out_elements(t) : in_elements(t);
	const size_t n_to = back ? in_elements(t) : out_elements(t);
	struct array from = array_random(t->k, n_from, 0);
	struct array to = array_empty(t->k, n_to, 0);
	struct term *want = calloc(n_to, sizeof *want);

	CHECK(want != NULL);
	average(t, back, &from, want);
	if (back)
		t->k->avgpool_back(&t->w, t->block, from.at, to.at);
	else
		t->k->avgpool(&t->w, t->block, from.at, to.at);
	for (size_t i = 0; i < n_to; i++) {
		check_element(t->k, back ? "avgpool_back" : "avgpool", &to, i,
		    want[i], 60);
	}
	free(want);
	array_end(&from);
	array_end(&to);
}

static void
check_averages(const struct cpu_kernels *k)
{
	static const struct cpu_window windows[] = { { 7, 7, 1, 1, 0, 0, 0 },
		{ 6, 6, 6, 6, 0, 0, 0 }, { 13, 9, 6, 6, 0, 0, 0 },
		{ 2, 3, 7, 7, 0, 0, 0 }, { 1, 1, 1, 1, 0, 0, 0 },
		{ 5, 8, 3, 1, 0, 0, 0 } };

	for (int block = k->lanes; block <= CPU_BLOCK_MAX; block *= 2)
		for (int i = 0; i < N_TESTS(windows); i++) {
			const struct pool_test t = {
				.k = k, .w = windows[i], .block = block
			};

			check_average(&t, 0);
			check_average(&t, 1);
		}
}

static void
test_avgpool(void)
{
	kernels_each(check_averages);
}

/* Numbers, some of which are infinite, NaN or a zero of either sign. */
static struct array
special_array(const struct cpu_kernels *k, size_t n, int fill)
{
	struct array a = array_new(n * element_size(k), 0, fill);

	for (size_t i = 0; i < n; i++) {
		const double few[] = { (double)NAN, (double)INFINITY,
			-(double)INFINITY, 0, -0.0 };
		const unsigned way = next_random(12);

		element_set(k, &a, i, way < 5 ? few[way] : next_uniform());
	}
	return a;
}

static struct term
sum_wanted(const struct cpu_kernels *k, const struct array *a,
    const struct array *b, size_t i, int relu)
{
	const double x = element_get(k, a, i),
		     y = b != NULL ? element_get(k, b, i) : 0;

	return (
	    struct term){ relu && x + y < 0 ? 0 : x + y, fabs(x) + fabs(y) };
}

static void
check_sum(const struct cpu_kernels *k, size_t n)
{
	const size_t room = (n + 15) / 16 * 16;
	struct array a = special_array(k, room, WRITTEN);
	struct array b = special_array(k, room, READ);
	struct array before = array_copy(&a, READ);

	for (int way = 0; way < 4; way++) {
		const int relu = way & 1, two = way >> 1;
		struct array y = array_empty(k, room, 0);

		k->sum(n, a.at, two ? b.at : NULL, relu, y.at);
		for (size_t i = 0; i < n; i++)
			check_element(k, "sum", &y, i,
			    sum_wanted(k, &a, two ? &b : NULL, i, relu), 1);
		array_end(&y);
	}
	k->add(n, b.at, a.at);
	for (size_t i = 0; i < n; i++)
		check_element(
		    k, "add", &a, i, sum_wanted(k, &before, &b, i, 0), 1);
	array_end(&a);
	array_end(&b);
	array_end(&before);
}

static void
check_relu_back(const struct cpu_kernels *k, size_t n)
{
	const size_t room = (n + 15) / 16 * 16;
	struct array y = special_array(k, room, READ);
	struct array dy = special_array(k, room, WRITTEN);
	struct array before = array_copy(&dy, READ);

	k->relu_back(n, y.at, dy.at);
	for (size_t i = 0; i < n; i++) {
		const double d =
		    element_get(k, &y, i) > 0 ? element_get(k, &before, i) : 0;

		check_near(k, "relu_back", i, element_get(k, &dy, i),
		    (struct term){ d, 0 }, 0);
	}
	array_end(&y);
	array_end(&dy);
	array_end(&before);
}

static void
check_elements(const struct cpu_kernels *k)
{
	for (size_t n = 1; n < 70; n++) {
		check_sum(k, n);
		check_relu_back(k, n);
	}
}

static void
test_elements(void)
{
	kernels_each(check_elements);
}

/* The bits of fp32 numbers and of the nearest bf16 numbers. */
static const struct {
	uint32_t from;
	uint16_t to;
} halves[] = {
	{ 0x00000000, 0x0000 }, /* 0 */
	{ 0x80000000, 0x8000 }, /* -0 */
	{ 0x3f800000, 0x3f80 }, /* 1 */
	{ 0xbf800000, 0xbf80 },
	{ 0x3f807fff, 0x3f80 }, /* below the midpoint */
	{ 0x3f808000, 0x3f80 }, /* midpoint, down to even */
	{ 0x3f808001, 0x3f81 }, /* above the midpoint */
	{ 0x3f818000, 0x3f82 }, /* midpoint, up to even */
	{ 0xbf808000, 0xbf80 },
	{ 0xbf818000, 0xbf82 },
	{ 0x3fffffff, 0x4000 }, /* up to the next power of 2 */
	{ 0x7f7f7fff, 0x7f7f }, /* the largest that stays finite */
	{ 0x7f7f8000, 0x7f80 },
	{ 0xff7fffff, 0xff80 },
	{ 0x7f800000, 0x7f80 }, /* infinite */
	{ 0xff800000, 0xff80 },
	{ 0x00800000, 0x0080 }, /* the smallest normal number */
	{ 0x7fc00000, 0x7fc0 }, /* quiet NaNs */
	{ 0xffc00000, 0xffc0 },
	{ 0x7fd50000, 0x7fd5 },
};

static void
check_from(const struct cpu_kernels *k, const uint32_t *from, size_t n)
{
	struct array x = array_new(n * sizeof *from, 0, READ);
	struct array y = array_empty(k, n, 0);

	memcpy(x.at, from, x.bytes);
	k->from_float(n, (const float *)(const void *)x.at, y.at);
	for (size_t i = 0; i < n; i++) {
		float f;

		memcpy(&f, x.at + i * sizeof f, sizeof f);
		if (k->type == DTYPE_BF16)
			check_near(k, "from_float", i, element_get(k, &y, i),
			    (struct term){ element_rounded(k, (double)f), 0 },
			    0);
	}
	if (k->type == DTYPE_FP32)
		CHECK(memcmp(x.at, y.at, x.bytes) == 0);
	array_end(&x);
	array_end(&y);
}

/* Each value at each position of a vector and in the remainder after it. */
static void
check_halves(const struct cpu_kernels *k)
{
	const size_t n_halves = N_TESTS(halves);

	for (size_t n = 1; n < 40; n++) {
		struct array x = array_new(n * sizeof(float), 0, READ);
		struct array y = array_empty(k, n, 0);

		for (size_t i = 0; i < n; i++)
			memcpy(x.at + i * sizeof(float),
			    &halves[(i + n) % n_halves].from, sizeof(float));
		k->from_float(n, (const float *)(const void *)x.at, y.at);
		for (size_t i = 0; i < n && k->type == DTYPE_BF16; i++) {
			uint16_t h;

			memcpy(&h, y.at + i * sizeof h, sizeof h);
			CHECK_INT(h, halves[(i + n) % n_halves].to);
		}
		array_end(&x);
		array_end(&y);
	}
}

/* Numbers with each exponent of normal ones, as bits. Some CPUs flush smaller
 * numbers to 0. */
static void
check_random_halves(const struct cpu_kernels *k)
{
	uint32_t some[1000];

	for (int i = 0; i < N_TESTS(some); i++)
		some[i] = (next_random(0xfe) + 1) << 23 | next_random(2) << 31 |
		    next_random(1 << 23);
	check_from(k, some, N_TESTS(some));
	for (size_t n = 1; n < 20; n++)
		check_from(k, some + n, n);
}

/* All bit patterns of bf16 but three NaNs; fp32 numbers are copied. */
static void
check_to(const struct cpu_kernels *k)
{
	const size_t n = (1 << 16) - 3;
	struct array x = array_new(n * element_size(k), 0, READ);
	struct array y = array_new(n * sizeof(float), 0, WRITTEN);

	for (size_t i = 0; i < n; i++) {
		const uint32_t wide = (uint32_t)i << 16;
		const uint16_t h = (uint16_t)i;

		memcpy(x.at + i * element_size(k),
		    k->type == DTYPE_BF16 ? (const void *)&h
					  : (const void *)&wide,
		    element_size(k));
	}
	k->to_float(n, x.at, (float *)(void *)y.at);
	for (size_t i = 0; i < n; i++) {
		uint32_t got;

		memcpy(&got, y.at + i * sizeof got, sizeof got);
		CHECK_INT(got, i << 16);
	}
	array_end(&x);
	array_end(&y);
}

static void
check_conversions(const struct cpu_kernels *k)
{
	check_halves(k);
	check_random_halves(k);
	check_to(k);
}

static void
test_conversions(void)
{
	kernels_each(check_conversions);
}

static float *
floats(const struct array *a)
{
	return (float *)(void *)a->at;
}

static struct array
random_floats(size_t n)
{
	struct array a = array_new(n * sizeof(float), 0, WRITTEN);

	for (size_t i = 0; i < n; i++)
		floats(&a)[i] = (float)next_uniform();
	return a;
}

/* m' = m * momentum + g * scale + w * decay; w' = w - m' * lr. */
static void
check_sgd(const struct cpu_kernels *k)
{
	const struct sgd s = { .lr = 0.3,
		.momentum = 0.9,
		.weight_decay = 0.07,
		.grad_scale = 0.25 };

	for (size_t n = 16; n < 300; n += 16) {
		struct array g = random_floats(n), m = random_floats(n);
		struct array w = random_floats(n);
		struct array m0 = array_copy(&m, READ);
		struct array w0 = array_copy(&w, READ);

		k->sgd(&s, n, floats(&g), floats(&m), floats(&w));
		for (size_t i = 0; i < n; i++) {
			const double p = (double)floats(&w0)[i];
			const double kept = (double)floats(&m0)[i] * s.momentum;
			const double gain =
			    (double)floats(&g)[i] * s.grad_scale;
			const double decay = p * s.weight_decay;
			const double step = kept + gain + decay;
			const double size =
			    fabs(kept) + fabs(gain) + fabs(decay);

			check_near(k, "sgd, momentum", i, (double)floats(&m)[i],
			    (struct term){ step, 0 }, 8 * ROUNDING * size);
			check_near(k, "sgd, weight", i, (double)floats(&w)[i],
			    (struct term){ p - step * s.lr, 0 },
			    8 * ROUNDING * (fabs(p) + size * s.lr));
		}
		array_end(&g);
		array_end(&m);
		array_end(&w);
		array_end(&m0);
		array_end(&w0);
	}
}

static void
test_sgd(void)
{
	kernels_each(check_sgd);
}

static const struct tap_test tests[] = {
	TEST(test_maxpool),
	TEST(test_avgpool),
	TEST(test_elements),
	TEST(test_conversions),
	TEST(test_sgd),
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
	printf("1..0 # SKIP no kernels of the cpu device are built\n");
	return 0;
}

#endif
