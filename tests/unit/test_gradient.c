#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/device.h"
#include "trainer/graph/graph.h"
#include "trainer/base/rng.h"

/* All gradients of all layer kinds against finite differences on the fp64
 * reference device.
 *
 * The scalar is f = sum(output * r) with fixed r, or the loss. Its derivative
 * is (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h, with an error of order
 * h^4 f''''' + 1e-16 |f| / h. Inputs are multiples of 2^-8 and h is 2^-10, so
 * that perturbed inputs are exact floats; kinks of ReLU and max pooling are
 * more than 2h away unless a case states otherwise. */
static const double h = 1.0 / 1024;

enum { BATCH = 3 };

struct fixture {
	struct graph g;
	struct device *d;
	float *x;  /* the batch */
	double *r; /* weights of the output in f */
	size_t n_x, n_out;
	int loss; /* f is the loss, not sum(output * r) */
	enum device_mode mode;
	struct error e;
};

static void
fixture_open(struct fixture *f, enum dtype precision)
{
	const struct device_config c = { .device = "reference",
		.precision = precision,
		.batch = BATCH,
		.seed = 3,
		.input_gradient = 1 };
	const struct rng key = { 11, RNG_STREAM_DATA, 0 };

	graph_finish(&f->g);
	CHECK_INT(device_open(&f->g, &c, &f->d, &f->e), 0);
	f->n_x = device_tensor_size(f->d, TENSOR_INPUT_GRAD, 0);
	f->n_out = device_tensor_size(f->d, TENSOR_OUTPUT, 0);
	f->x = xcalloc(f->n_x, sizeof *f->x);
	f->r = xcalloc(f->n_out, sizeof *f->r);
	/* Distinct odd multiples of 1/256. */
	for (size_t i = 0; i < f->n_x; i++)
		f->x[i] = (float)((double)(i * 167 % 509) - 254.5) / 128;
	for (size_t i = 0; i < f->n_out; i++)
		f->r[i] = rng_uniform(&key, i) * 2 - 1;
}

/* Set parameters to values other than zero and one. */
static void
fixture_fill(struct fixture *f)
{
	for (int i = 0; i < f->g.n_params; i++) {
		const struct rng key = { 5, RNG_STREAM_PARAM + (uint32_t)i, 0 };
		double *w = xcalloc(f->g.params[i].n, sizeof *w);

		for (size_t k = 0; k < f->g.params[i].n; k++)
			w[k] = rng_uniform(&key, k) * 1.5 - 0.5;
		CHECK_INT(
		    device_write(f->d, TENSOR_PARAM, i, DTYPE_FP64, w, &f->e),
		    0);
		free(w);
	}
	for (int i = 0; i < f->g.n_buffers; i++) {
		double *b = xcalloc(f->g.buffers[i].n, sizeof *b);

		for (size_t k = 0; k < f->g.buffers[i].n; k++)
			b[k] = 0.5 + 0.1 * (double)k;
		CHECK_INT(
		    device_write(f->d, TENSOR_BUFFER, i, DTYPE_FP64, b, &f->e),
		    0);
		free(b);
	}
}

static void
fixture_close(struct fixture *f)
{
	device_close(f->d);
	graph_release(&f->g);
	free(f->x);
	free(f->r);
}

static double
value(struct fixture *f)
{
	const struct images im = { .type = DTYPE_FP32,
		.order = IMAGES_NCHW,
		.data = f->x,
		.n = BATCH };
	static const int32_t labels[BATCH] = { 0, 2, 1 };
	struct loss_result l;
	double sum = 0, *y;

	CHECK_INT(device_load(f->d, &im, f->loss ? labels : NULL, &f->e), 0);
	CHECK_INT(device_forward(f->d, f->mode, 17, &f->e), 0);
	if (f->loss) {
		CHECK_INT(device_loss(f->d, &f->e), 0);
		CHECK_INT(device_result(f->d, &l, &f->e), 0);
		return l.loss;
	}
	y = xcalloc(f->n_out, sizeof *y);
	CHECK_INT(device_read(f->d, TENSOR_OUTPUT, 0, DTYPE_FP64, y, &f->e), 0);
	for (size_t i = 0; i < f->n_out; i++)
		sum += y[i] * f->r[i];
	free(y);
	CHECK_INT(
	    device_write(f->d, TENSOR_OUTPUT_GRAD, 0, DTYPE_FP64, f->r, &f->e),
	    0);
	return sum;
}

static double
difference(const double v[4])
{
	return (8 * (v[2] - v[1]) - (v[3] - v[0])) / (12 * h);
}

/* The derivative of value() with respect to x[k]. */
static double
by_input(struct fixture *f, size_t k)
{
	static const int steps[] = { -2, -1, 1, 2 };
	const float x = f->x[k];
	double v[4];

	for (int i = 0; i < 4; i++) {
		f->x[k] = x + (float)(steps[i] * h);
		v[i] = value(f);
	}
	f->x[k] = x;
	return difference(v);
}

static double
by_param(struct fixture *f, int p, size_t k)
{
	static const int steps[] = { -2, -1, 1, 2 };
	double *w = xcalloc(f->g.params[p].n, sizeof *w);
	double v[4], was;

	CHECK_INT(device_read(f->d, TENSOR_PARAM, p, DTYPE_FP64, w, &f->e), 0);
	was = w[k];
	for (int i = 0; i < 4; i++) {
		w[k] = was + steps[i] * h;
		CHECK_INT(
		    device_write(f->d, TENSOR_PARAM, p, DTYPE_FP64, w, &f->e),
		    0);
		v[i] = value(f);
	}
	w[k] = was;
	CHECK_INT(device_write(f->d, TENSOR_PARAM, p, DTYPE_FP64, w, &f->e), 0);
	free(w);
	return difference(v);
}

/* Compare at most `most` elements, spread over the tensor. */
static void
check_all(struct fixture *f, size_t most, double tolerance)
{
	double *got = xcalloc(f->n_x, sizeof *got);
	size_t step = f->n_x / most + 1;

	value(f);
	CHECK_INT(device_backward(f->d, NULL, NULL, &f->e), 0);
	CHECK_INT(
	    device_read(f->d, TENSOR_INPUT_GRAD, 0, DTYPE_FP64, got, &f->e), 0);
	for (size_t k = 0; k < f->n_x; k += step)
		CHECK_NEAR(got[k], by_input(f, k), tolerance);
	for (int p = 0; p < f->g.n_params; p++) {
		const size_t n = f->g.params[p].n;

		got = xreallocarray(got, n, sizeof *got);
		value(f);
		CHECK_INT(device_backward(f->d, NULL, NULL, &f->e), 0);
		CHECK_INT(
		    device_read(f->d, TENSOR_GRAD, p, DTYPE_FP64, got, &f->e),
		    0);
		for (size_t k = 0; k < n; k += n / most + 1)
			CHECK_NEAR(got[k], by_param(f, p, k), tolerance);
	}
	free(got);
}

static void
check_graph(struct fixture *f)
{
	fixture_open(f, DTYPE_FP64);
	fixture_fill(f);
	check_all(f, 1000, 1e-8);
	fixture_close(f);
}

static const struct {
	struct shape in;
	int out, kernel, stride, pad, bias;
} convs[] = {
	{ { 2, 5, 5 }, 3, 3, 1, 1, 1 },
	{ { 3, 7, 7 }, 2, 3, 2, 1, 0 },
	{ { 3, 4, 4 }, 4, 1, 1, 0, 0 },
	{ { 3, 5, 5 }, 4, 1, 2, 0, 0 },
	{ { 3, 9, 9 }, 2, 7, 2, 3, 0 },
	{ { 2, 15, 15 }, 2, 11, 4, 2, 1 },
};

static void
test_conv(void)
{
	for (int i = 0; i < N_TESTS(convs); i++) {
		struct fixture f = { .mode = MODE_TRAIN };

		graph_start(&f.g, convs[i].in);
		graph_conv(&f.g, "conv", 0, convs[i].out, convs[i].kernel,
		    convs[i].stride, convs[i].pad, convs[i].bias);
		check_graph(&f);
	}
}

static void
test_batchnorm(void)
{
	static const enum device_mode modes[] = { MODE_TRAIN, MODE_FROZEN };

	for (int i = 0; i < 2; i++) {
		struct fixture f = { .mode = modes[i] };

		graph_start(&f.g, (struct shape){ 3, 4, 4 });
		graph_batchnorm(&f.g, "bn", 0);
		check_graph(&f);
	}
}

static void
test_relu(void)
{
	struct fixture f = { .mode = MODE_TRAIN };

	graph_start(&f.g, (struct shape){ 2, 3, 3 });
	graph_relu(&f.g, 0);
	check_graph(&f);
}

/* With a shortcut, the input's gradient is the sum over both paths. */
static void
test_add(void)
{
	struct fixture f = { .mode = MODE_TRAIN };

	graph_start(&f.g, (struct shape){ 3, 4, 4 });
	graph_add(&f.g, graph_conv(&f.g, "conv", 0, 3, 3, 1, 1, 0), 0);
	check_graph(&f);
}

static void
test_maxpool(void)
{
	static const int kinds[][4] = { { 3, 2, 1, 7 }, { 2, 2, 0, 6 },
		{ 3, 2, 0, 8 } };

	for (int i = 0; i < N_TESTS(kinds); i++) {
		struct fixture f = { .mode = MODE_TRAIN };
		int side = kinds[i][3];

		graph_start(&f.g, (struct shape){ 2, side, side });
		graph_maxpool(&f.g, 0, kinds[i][0], kinds[i][1], kinds[i][2]);
		check_graph(&f);
	}
}

/* Windows of equal and unequal sizes, and outputs larger than the input. */
static void
test_avgpool(void)
{
	static const int kinds[][2] = { { 4, 1 }, { 7, 3 }, { 2, 6 },
		{ 3, 3 } };

	for (int i = 0; i < N_TESTS(kinds); i++) {
		struct fixture f = { .mode = MODE_TRAIN };
		int side = kinds[i][0];

		graph_start(&f.g, (struct shape){ 2, side, side });
		graph_avgpool(&f.g, 0, kinds[i][1]);
		check_graph(&f);
	}
}

static void
test_linear(void)
{
	struct fixture f = { .mode = MODE_TRAIN };

	graph_start(&f.g, (struct shape){ 3, 2, 2 });
	graph_linear(&f.g, "fc", 0, 5);
	check_graph(&f);
}

static void
test_dropout(void)
{
	struct fixture f = { .mode = MODE_TRAIN };

	graph_start(&f.g, (struct shape){ 3, 4, 4 });
	graph_dropout(&f.g, 0, 0.3);
	check_graph(&f);
}

/* The dropped share, the scale of the rest, and the dependence on step and
 * image; evaluation drops nothing. */
static void
test_dropout_mask(void)
{
	struct fixture f = { .mode = MODE_TRAIN };
	double *a, *b;
	size_t zeros = 0, same = 0;

	graph_start(&f.g, (struct shape){ 16, 16, 16 });
	graph_dropout(&f.g, 0, 0.5);
	fixture_open(&f, DTYPE_FP64);
	a = xcalloc(f.n_out, sizeof *a);
	b = xcalloc(f.n_out, sizeof *b);
	value(&f);
	CHECK_INT(device_read(f.d, TENSOR_OUTPUT, 0, DTYPE_FP64, a, &f.e), 0);
	for (size_t i = 0; i < f.n_out; i++) {
		zeros += a[i] == 0;
		CHECK(a[i] == 0 || a[i] == 2 * (double)f.x[i]);
	}
	/* 12288 coin tosses: standard deviation 55. */
	CHECK_NEAR((double)zeros, (double)f.n_out / 2, 5 * 55);
	CHECK_INT(device_forward(f.d, MODE_TRAIN, 18, &f.e), 0);
	CHECK_INT(device_read(f.d, TENSOR_OUTPUT, 0, DTYPE_FP64, b, &f.e), 0);
	for (size_t i = 0; i < f.n_out; i++)
		same += a[i] == b[i];
	CHECK_NEAR((double)same, (double)f.n_out / 2, 5 * 55);
	CHECK_INT(device_forward(f.d, MODE_EVAL, 17, &f.e), 0);
	CHECK_INT(device_read(f.d, TENSOR_OUTPUT, 0, DTYPE_FP64, b, &f.e), 0);
	for (size_t i = 0; i < f.n_out; i++)
		CHECK(b[i] == (double)f.x[i]);
	free(a);
	free(b);
	fixture_close(&f);
}

static void
test_loss(void)
{
	struct fixture f = { .mode = MODE_TRAIN, .loss = 1 };

	graph_start(&f.g, (struct shape){ 7, 1, 1 });
	graph_linear(&f.g, "fc", 0, 4);
	check_graph(&f);
}

/* All layer kinds. A ReLU's kink may lie within 2h of a value here, but small
 * initial parameters make that rare; the seed is fixed. */
static void
test_small_network(void)
{
	struct fixture f = { .mode = MODE_TRAIN, .loss = 1 };
	int stem, a;

	graph_start(&f.g, (struct shape){ 3, 9, 9 });
	a = graph_conv(&f.g, "conv1", 0, 4, 3, 2, 1, 0);
	a = graph_relu(&f.g, graph_batchnorm(&f.g, "bn1", a));
	stem = graph_maxpool(&f.g, a, 3, 1, 1);
	a = graph_conv(&f.g, "conv2", stem, 4, 1, 1, 0, 0);
	a = graph_batchnorm(&f.g, "bn2", a);
	a = graph_relu(&f.g, graph_add(&f.g, a, stem));
	a = graph_dropout(&f.g, graph_avgpool(&f.g, a, 2), 0.25);
	graph_linear(&f.g, "fc", a, 3);
	fixture_open(&f, DTYPE_FP64);
	fixture_fill(&f);
	check_all(&f, 40, 1e-6);
	fixture_close(&f);
}

/* The ready function receives final values, in order over [0, arena_size). */
struct ready_log {
	struct fixture *f;
	size_t done;
	int calls;
	double *copy;
};

static void
note_ready(void *ctx, size_t offset, size_t n)
{
	struct ready_log *l = ctx;
	const double *grads = device_arena(l->f->d, TENSOR_GRAD).data;

	l->calls += offset == l->done ? 1 : -1000;
	l->done = offset + n;
	memcpy(l->copy + offset, grads + offset, n * sizeof *grads);
}

static void
test_ready(void)
{
	struct fixture f = { .mode = MODE_TRAIN };
	struct ready_log l = { .f = &f };
	struct device_arena grads;
	int a;

	graph_start(&f.g, (struct shape){ 3, 5, 5 });
	a = graph_batchnorm(
	    &f.g, "bn1", graph_conv(&f.g, "c", 0, 4, 3, 1, 1, 1));
	graph_linear(&f.g, "fc", a, 3);
	fixture_open(&f, DTYPE_FP64);
	fixture_fill(&f);
	grads = device_arena(f.d, TENSOR_GRAD);
	CHECK_INT(grads.type, DTYPE_FP64);
	CHECK_INT(grads.n, f.g.arena_size);
	l.copy = xcalloc(grads.n, sizeof *l.copy);
	value(&f);
	CHECK_INT(device_backward(f.d, note_ready, &l, &f.e), 0);
	CHECK_INT(l.calls, 3);
	CHECK_INT(l.done, f.g.arena_size);
	CHECK(memcmp(l.copy, grads.data, grads.n * sizeof(double)) == 0);
	free(l.copy);
	fixture_close(&f);
}

/* Running statistics: momentum 0.1, unbiased variance; expected values by
 * hand. */
static void
test_running_statistics(void)
{
	struct fixture f = { .mode = MODE_TRAIN };
	double mean = 0, var = 0, got;
	const double count = BATCH * 4;

	graph_start(&f.g, (struct shape){ 1, 2, 2 });
	graph_batchnorm(&f.g, "bn", 0);
	fixture_open(&f, DTYPE_FP64);
	fixture_fill(&f);
	for (size_t i = 0; i < f.n_x; i++)
		mean += (double)f.x[i] / count;
	for (size_t i = 0; i < f.n_x; i++)
		var += ((double)f.x[i] - mean) * ((double)f.x[i] - mean) /
		    (count - 1);
	value(&f);
	CHECK_INT(
	    device_read(f.d, TENSOR_BUFFER, 0, DTYPE_FP64, &got, &f.e), 0);
	CHECK_NEAR(got, 0.9 * 0.5 + 0.1 * mean, 1e-12);
	CHECK_INT(
	    device_read(f.d, TENSOR_BUFFER, 1, DTYPE_FP64, &got, &f.e), 0);
	CHECK_NEAR(got, 0.9 * 0.5 + 0.1 * var, 1e-12);
	fixture_close(&f);
}

/* Two steps of w = 1, grad = 0.5 (after the scale), decay 0.1, momentum 0.9,
 * lr 0.2: m = 0.6, w = 0.88; m = 0.54 + 0.588, w = 0.6544. */
static void
test_update(void)
{
	const struct sgd s = { 0.2, 0.9, 0.1, 0.5 };
	struct fixture f = { .mode = MODE_TRAIN };
	struct device_arena grads;
	double w[2] = { 1, 1 };

	graph_start(&f.g, (struct shape){ 2, 1, 1 });
	graph_linear(&f.g, "fc", 0, 1);
	fixture_open(&f, DTYPE_FP64);
	CHECK_INT(device_write(f.d, TENSOR_PARAM, 0, DTYPE_FP64, w, &f.e), 0);
	grads = device_arena(f.d, TENSOR_GRAD);
	for (size_t i = 0; i < grads.n; i++)
		((double *)grads.data)[i] = 1;
	CHECK_INT(device_update(f.d, &s, &f.e), 0);
	CHECK_INT(device_read(f.d, TENSOR_PARAM, 0, DTYPE_FP64, w, &f.e), 0);
	CHECK_NEAR(w[1], 0.88, 1e-15);
	CHECK_INT(device_update(f.d, &s, &f.e), 0);
	CHECK_INT(device_read(f.d, TENSOR_PARAM, 0, DTYPE_FP64, w, &f.e), 0);
	CHECK_NEAR(w[0], 0.6544, 1e-15);
	CHECK_INT(device_read(f.d, TENSOR_MOMENTUM, 0, DTYPE_FP64, w, &f.e), 0);
	CHECK_NEAR(w[0], 1.128, 1e-15);
	fixture_close(&f);
}

/* fp32 and fp64 agree within rounding. */
static void
test_precisions(void)
{
	double *y[2];

	for (int i = 0; i < 2; i++) {
		struct fixture f = { .mode = MODE_TRAIN };

		graph_start(&f.g, (struct shape){ 3, 8, 8 });
		graph_linear(&f.g, "fc",
		    graph_batchnorm(
			&f.g, "bn", graph_conv(&f.g, "c", 0, 4, 3, 1, 1, 1)),
		    3);
		fixture_open(&f, i == 0 ? DTYPE_FP32 : DTYPE_FP64);
		fixture_fill(&f);
		value(&f);
		y[i] = xcalloc(f.n_out, sizeof *y[i]);
		CHECK_INT(
		    device_read(f.d, TENSOR_OUTPUT, 0, DTYPE_FP64, y[i], &f.e),
		    0);
		fixture_close(&f);
	}
	for (int k = 0; k < 3 * BATCH; k++)
		CHECK_NEAR(y[0][k], y[1][k], 1e-4);
	CHECK(memcmp(y[0], y[1], 3 * BATCH * sizeof(double)) != 0);
	free(y[0]);
	free(y[1]);
}

static const struct tap_test tests[] = {
	TEST(test_conv),
	TEST(test_batchnorm),
	TEST(test_relu),
	TEST(test_add),
	TEST(test_maxpool),
	TEST(test_avgpool),
	TEST(test_linear),
	TEST(test_dropout),
	TEST(test_dropout_mask),
	TEST(test_loss),
	TEST(test_small_network),
	TEST(test_ready),
	TEST(test_running_statistics),
	TEST(test_update),
	TEST(test_precisions),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
