#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/device.h"
#include "trainer/graph/graph.h"
#include "trainer/base/rng.h"

/* Compare every operation of the cpu device with the fp64 reference on
 * identical inputs (images, weights and output gradients that bf16 can
 * represent): output, input gradient and all parameter gradients,
 * ||difference|| / ||reference||.
 *
 * Tolerances: fp32 1e-5, about 100 roundings of 2^-24 in a random walk of some
 * thousand terms; bf16 1e-2, a few roundings of 2^-9. In chains of layers the
 * intermediate values are rounded too and ReLUs near zero change sides: a
 * factor increases the tolerance. */
static const struct {
	const char *name;
	enum dtype precision;
	double tolerance;
	const char *most; /* DLSCALE_MAX_ISA, or NULL */
} modes[] = {
	{ "fp32", DTYPE_FP32, 1e-5, NULL },
	{ "bf16", DTYPE_BF16, 1e-2, NULL },
	{ "bf16 without AMX", DTYPE_BF16, 1e-2, "avx512_bf16" },
	{ "bf16, AVX-512, in fp32", DTYPE_BF16, 1e-2, "avx512" },
	{ "fp32, AVX2", DTYPE_FP32, 1e-5, "avx2" },
	{ "fp32, plain", DTYPE_FP32, 1e-5, "plain" },
	{ "bf16, AVX2", DTYPE_BF16, 1e-2, "avx2" },
	{ "bf16, plain", DTYPE_BF16, 1e-2, "plain" },
};

enum { BATCH = 4, MAX_PARAMS = 16 };

/* Threads of the device, 0: all. set_threads overrides those of the mode. */
static int threads, set_threads;

struct run {
	double *output, *input_grad, *grads[MAX_PARAMS], *buffers[MAX_PARAMS];
	double *params[MAX_PARAMS]; /* after two updates */
};

/* Numbers in +-scale that bf16 can represent, determined by the stream. */
static float *
numbers(size_t n, uint32_t stream, double scale)
{
	const struct rng key = { 99, stream, 0 };
	float *x = xcalloc(n, sizeof *x);

	for (size_t i = 0; i < n; i++)
		x[i] = bf16_to_float(bf16_from_float(
		    (float)((rng_uniform(&key, i) * 2 - 1) * scale)));
	return x;
}

static double *
read_all(struct device *d, enum tensor_kind k, int i)
{
	struct error e = ERROR_INIT;
	double *x = xcalloc(device_tensor_size(d, k, i), sizeof *x);

	CHECK_INT(device_read(d, k, i, DTYPE_FP64, x, &e), 0);
	return x;
}

static void
write_all(struct device *d, enum tensor_kind k, int i, uint32_t stream,
    double scale, double shift)
{
	struct error e = ERROR_INIT;
	const size_t n = device_tensor_size(d, k, i);
	float *x = numbers(n, stream, scale);

	for (size_t j = 0; j < n; j++)
		x[j] += (float)shift;
	CHECK_INT(device_write(d, k, i, DTYPE_FP32, x, &e), 0);
	free(x);
}

/* Update twice, because the first update does not depend on the momentum. */
static void
update(struct device *d, struct run *r)
{
	const struct sgd sgd = { 0.1, 0.9, 0.01, 0.5 };
	struct error e = ERROR_INIT;

	for (int i = 0; i < d->graph->n_params; i++)
		write_all(d, TENSOR_MOMENTUM, i, 4000, 0, 0);
	CHECK_INT(device_update(d, &sgd, &e), 0);
	CHECK_INT(device_update(d, &sgd, &e), 0);
	for (int i = 0; i < d->graph->n_params; i++)
		r->params[i] = read_all(d, TENSOR_PARAM, i);
}

static void
run_device(const struct graph *g, const char *name, enum dtype precision,
    enum device_mode mode, int input_gradient, struct run *r)
{
	const struct device_config c = { .device = name,
		.precision = precision,
		.batch = BATCH,
		.threads = threads,
		.seed = 3,
		.input_gradient = input_gradient };
	struct error e = ERROR_INIT;
	struct images im = { .type = DTYPE_FP32,
		.order = IMAGES_NCHW,
		.data = NULL,
		.n = BATCH };
	struct device *d;
	float *x;

	if (device_open(g, &c, &d, &e) != 0) {
		printf("# %s\n", e.message);
		CHECK(e.code == ERROR_USAGE);
		SKIP("this machine cannot");
	}
	for (int i = 0; i < g->n_params; i++)
		write_all(d, TENSOR_PARAM, i, (uint32_t)i,
		    1 / sqrt((double)g->params[i].n / g->params[i].dims[0]),
		    g->params[i].rank == 1 ? 0.5 : 0);
	for (int i = 0; i < g->n_buffers; i++)
		write_all(d, TENSOR_BUFFER, i, 1000, 0.25, 0.75);
	x = numbers(BATCH * shape_size(g->nodes[0].out), 2000, 1);
	im.data = x;
	CHECK_INT(device_load(d, &im, NULL, &e), 0);
	CHECK_INT(device_forward(d, mode, 5, &e), 0);
	r->output = read_all(d, TENSOR_OUTPUT, 0);
	write_all(d, TENSOR_OUTPUT_GRAD, 0, 3000, 1, 0);
	CHECK_INT(device_backward(d, NULL, NULL, &e), 0);
	r->input_grad =
	    input_gradient ? read_all(d, TENSOR_INPUT_GRAD, 0) : NULL;
	for (int i = 0; i < g->n_params; i++)
		r->grads[i] = read_all(d, TENSOR_GRAD, i);
	for (int i = 0; i < g->n_buffers; i++)
		r->buffers[i] = read_all(d, TENSOR_BUFFER, i);
	update(d, r);
	device_close(d);
	free(x);
}

static void
release_run(const struct graph *g, struct run *r)
{
	free(r->output);
	free(r->input_grad);
	for (int i = 0; i < g->n_params; i++) {
		free(r->grads[i]);
		free(r->params[i]);
	}
	for (int i = 0; i < g->n_buffers; i++)
		free(r->buffers[i]);
}

static void
check_close(const char *what, const double *got, const double *want, size_t n,
    double tolerance)
{
	double d = 0, norm = 0;

	for (size_t i = 0; i < n; i++) {
		d += (got[i] - want[i]) * (got[i] - want[i]);
		norm += want[i] * want[i];
	}
	if (!(sqrt(d) <= tolerance * sqrt(norm)))
		printf("# %s: relative error %.3g, allowed %.3g\n", what,
		    sqrt(d / norm), tolerance);
	CHECK(sqrt(d) <= tolerance * sqrt(norm));
}

/* Limit the instruction set to that of a mode; the machine may support less.
 * Returns 0 if this build has no such limit. */
static int
choose_isa(int m)
{
	/* One thread is faster on busy machines. */
	threads = set_threads > 0 ? set_threads : modes[m].most != NULL;
	if (modes[m].most == NULL) {
		unsetenv("DLSCALE_MAX_ISA");
		return 1;
	}
	setenv("DLSCALE_MAX_ISA", modes[m].most, 1);
#ifdef HAVE_DNNL
	return 1;
#else
	return 0;
#endif
}

/* Compare one mode of the cpu device with the reference. */
static void
compare_mode(const struct graph *g, enum device_mode mode, int m,
    int input_gradient, double tolerance, const struct run *want)
{
	const size_t in = BATCH * shape_size(g->nodes[0].out);
	const size_t out = BATCH * shape_size(g->nodes[g->n_nodes - 1].out);
	struct run got = { 0 };

	printf("# %s\n", modes[m].name);
	if (!choose_isa(m)) {
		printf("# not on this machine\n");
		return;
	}
	run_device(g, "cpu", modes[m].precision, mode, input_gradient, &got);
	check_close("output", got.output, want->output, out, tolerance);
	for (int i = 0; i < g->n_params; i++) {
		check_close(g->params[i].name, got.grads[i], want->grads[i],
		    g->params[i].n, tolerance);
		check_close(g->params[i].name, got.params[i], want->params[i],
		    g->params[i].n, tolerance);
	}
	for (int i = 0; i < g->n_buffers; i++)
		check_close(g->buffers[i].name, got.buffers[i],
		    want->buffers[i], g->buffers[i].n, tolerance);
	if (input_gradient)
		check_close("input gradient", got.input_grad, want->input_grad,
		    in, tolerance);
	release_run(g, &got);
}

/* Compare all modes. A network's first layer is computed differently if the
 * gradient of the images is not requested. */
static void
compare_chain(struct graph *g, enum device_mode mode, double factor)
{
	struct run want = { 0 };

	graph_finish(g);
	CHECK(g->n_params <= MAX_PARAMS);
	run_device(g, "reference", DTYPE_FP64, mode, 1, &want);
	for (int m = 0; m < N_TESTS(modes); m++)
		for (int k = 0; k < (g->nodes[0].out.c <= 4 ? 2 : 1); k++)
			compare_mode(g, mode, m, k == 0,
			    factor * modes[m].tolerance, &want);
	release_run(g, &want);
	graph_release(g);
}

static void
compare(struct graph *g, enum device_mode mode)
{
	compare_chain(g, mode, 1);
}

static const struct {
	struct shape in;
	int out, kernel, stride, pad, bias;
} convs[] = {
	{ { 3, 32, 32 }, 32, 7, 2, 3, 0 },  /* ResNet's first */
	{ { 3, 16, 16 }, 32, 3, 1, 1, 1 },  /* VGG's first */
	{ { 3, 47, 47 }, 32, 11, 4, 2, 1 }, /* AlexNet's first */
	{ { 3, 29, 29 }, 40, 7, 2, 3, 1 },  /* odd number of output lines */
	{ { 1, 20, 66 }, 64, 5, 1, 2, 0 },  /* one channel, two blocks wide */
	{ { 64, 14, 14 }, 32, 5, 1, 2, 1 },
	{ { 64, 14, 14 }, 96, 3, 1, 1, 0 }, /* Winograd in fp32 */
	{ { 32, 7, 7 }, 64, 3, 1, 1, 1 },
	{ { 32, 15, 15 }, 64, 3, 2, 1, 0 },
	{ { 64, 14, 14 }, 64, 3, 2, 1, 0 },
	{ { 64, 9, 9 }, 128, 1, 1, 0, 0 },
	{ { 64, 14, 14 }, 32, 1, 2, 0, 0 },
	{ { 64, 13, 13 }, 32, 1, 2, 0, 0 },
	{ { 32, 1, 1 }, 64, 3, 1, 1, 0 },   /* a plane of one pixel */
	{ { 48, 6, 6 }, 80, 3, 1, 1, 0 },   /* not a multiple of 32 */
	{ { 10, 9, 9 }, 7, 3, 1, 1, 1 },    /* not a multiple of 16 */
	{ { 32, 11, 11 }, 32, 3, 3, 0, 0 }, /* a stride of three */
	{ { 32, 8, 8 }, 32, 2, 2, 0, 0 },   /* an even kernel */
	/* More than is converted at once if bf16 is computed in fp32. */
	{ { 16, 192, 192 }, 64, 1, 1, 0, 1 },
};

static void
test_conv(void)
{
	for (int i = 0; i < N_TESTS(convs); i++) {
		struct graph g;

		printf("# %d -> %d, kernel %d, stride %d\n", convs[i].in.c,
		    convs[i].out, convs[i].kernel, convs[i].stride);
		graph_start(&g, convs[i].in);
		graph_conv(&g, "conv", 0, convs[i].out, convs[i].kernel,
		    convs[i].stride, convs[i].pad, convs[i].bias);
		compare(&g, MODE_TRAIN);
	}
}

/* Enough weights that each of 1, 2, 3 and 6 threads has its own blocks in the
 * weight gradient, and enough pixels that they are processed in parts. Only in
 * the mode that does so, because the reference is slow. */
static void
test_conv_divided(void)
{
	static const struct {
		struct shape in;
		int out, kernel, stride, pad;
	} wide[] = { { { 512, 12, 12 }, 416, 1, 1, 0 },
		{ { 416, 12, 12 }, 512, 1, 1, 0 },
		{ { 160, 13, 13 }, 160, 3, 1, 1 },
		{ { 64, 13, 13 }, 384, 3, 1, 1 },
		{ { 160, 15, 15 }, 160, 3, 2, 1 } };

	for (int i = 0; i < N_TESTS(wide); i++) {
		struct run want = { 0 };
		struct graph g;

		graph_start(&g, wide[i].in);
		graph_conv(&g, "conv", 0, wide[i].out, wide[i].kernel,
		    wide[i].stride, wide[i].pad, 0);
		graph_finish(&g);
		run_device(&g, "reference", DTYPE_FP64, MODE_TRAIN, 1, &want);
		for (set_threads = 1; set_threads <= 6;
		     set_threads += set_threads / 3 * 2 + 1)
			compare_mode(
			    &g, MODE_TRAIN, 1, 1, modes[1].tolerance, &want);
		set_threads = 0;
		release_run(&g, &want);
		graph_release(&g);
	}
}

static void
test_conv_relu(void)
{
	struct graph g;

	graph_start(&g, (struct shape){ 32, 12, 12 });
	graph_relu(&g, graph_conv(&g, "conv", 0, 64, 3, 1, 1, 1));
	compare(&g, MODE_TRAIN);
}

/* Normalisation alone and with ReLU, with batch and with running statistics,
 * with and without padding of the channels. */
static void
test_norm(void)
{
	static const int channels[] = { 64, 20 };

	for (int i = 0; i < 8; i++) {
		struct graph g;
		int bn;

		graph_start(&g, (struct shape){ channels[i & 1], 7, 7 });
		bn = graph_batchnorm(&g, "bn", 0);
		if (i & 2)
			graph_relu(&g, bn);
		compare(&g, i & 4 ? MODE_FROZEN : MODE_TRAIN);
	}
}

/* End of a residual block: identity or normalised shortcut; two blocks in a
 * row, where a gradient has two sources, also with running statistics; and a
 * normalisation after the end, whose gradient may be stored in place. */
static void
test_block(void)
{
	for (int kind = 0; kind < 5; kind++) {
		struct graph g;
		int a, shortcut;

		graph_start(&g, (struct shape){ 32, 8, 8 });
		shortcut = 0;
		a = graph_batchnorm(
		    &g, "bn1", graph_conv(&g, "conv1", 0, 32, 1, 1, 0, 0));
		if (kind > 0)
			shortcut = graph_batchnorm(&g, "bn2",
			    graph_conv(&g, "conv2", 0, 32, 1, 1, 0, 0));
		a = graph_relu(&g, graph_add(&g, a, shortcut));
		if (kind == 4) {
			graph_batchnorm(&g, "bn3", a);
		} else if (kind > 1) {
			int b = graph_batchnorm(&g, "bn3",
			    graph_conv(&g, "conv3", a, 32, 3, 1, 1, 0));

			graph_relu(&g, graph_add(&g, a, b));
		}
		compare_chain(&g, kind == 3 ? MODE_FROZEN : MODE_TRAIN, 5);
	}
}

/* Graphs unlike any model: sums of plain values, a value with three readers. */
static void
test_odd_graphs(void)
{
	struct graph g;
	int a, b, c;

	graph_start(&g, (struct shape){ 32, 6, 6 });
	a = graph_relu(&g, 0);
	b = graph_conv(&g, "conv1", a, 32, 1, 1, 0, 0);
	c = graph_conv(&g, "conv2", a, 32, 3, 1, 1, 1);
	b = graph_add(&g, graph_add(&g, b, a), c);
	graph_batchnorm(&g, "bn", graph_relu(&g, b));
	compare_chain(&g, MODE_TRAIN, 5);
}

static void
test_maxpool(void)
{
	static const int kinds[][4] = { { 3, 2, 1, 14 }, { 3, 2, 1, 9 },
		{ 2, 2, 0, 8 }, { 3, 2, 0, 13 }, { 3, 1, 1, 7 },
		/* Inputs outside all windows: between two, after the last. */
		{ 2, 3, 0, 11 }, { 2, 2, 0, 9 } };

	for (int i = 0; i < N_TESTS(kinds); i++) {
		struct graph g;

		graph_start(&g, (struct shape){ 40, kinds[i][3], kinds[i][3] });
		graph_maxpool(&g, 0, kinds[i][0], kinds[i][1], kinds[i][2]);
		compare(&g, MODE_TRAIN);
	}
}

static void
test_avgpool(void)
{
	static const int kinds[][2] = { { 7, 1 }, { 10, 7 }, { 2, 6 },
		{ 3, 3 } };

	for (int i = 0; i < N_TESTS(kinds); i++) {
		struct graph g;
		int side = kinds[i][0];

		graph_start(&g, (struct shape){ 40, side, side });
		graph_avgpool(&g, 0, kinds[i][1]);
		if (i == 3) /* otherwise nothing would run */
			graph_relu(&g, 1);
		compare(&g, MODE_TRAIN);
	}
}

static void
test_linear(void)
{
	for (int i = 0; i < 3; i++) {
		struct graph g;
		int a;

		graph_start(&g,
		    i == 1 ? (struct shape){ 20, 3, 3 }
			   : (struct shape){ 100, 1, 1 });
		a = i == 2 ? graph_relu(&g, 0) : 0;
		a = graph_linear(&g, "fc1", a, 70);
		if (i > 0)
			graph_linear(&g, "fc2", graph_relu(&g, a), 10);
		compare(&g, MODE_TRAIN);
	}
}

static void
test_dropout(void)
{
	for (int i = 0; i < 2; i++) {
		struct graph g;
		int a;

		graph_start(&g, (struct shape){ 24, 4, 4 });
		a = graph_avgpool(&g, 0, 2);
		a = graph_linear(&g, "fc", graph_dropout(&g, a, 0.5), 33);
		graph_dropout(&g, a, 0.25);
		compare(&g, i == 0 ? MODE_TRAIN : MODE_FROZEN);
	}
}

static const struct tap_test tests[] = {
	TEST(test_conv),
	TEST(test_conv_divided),
	TEST(test_conv_relu),
	TEST(test_norm),
	TEST(test_block),
	TEST(test_odd_graphs),
	TEST(test_maxpool),
	TEST(test_avgpool),
	TEST(test_linear),
	TEST(test_dropout),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
