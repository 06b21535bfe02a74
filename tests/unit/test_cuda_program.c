/* The cuda device's planning and host side, run on the processor
 * (tests/cuda_host.h), against the reference device in fp64. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/cuda_host.h"
#include "tests/tap.h"
#include "trainer/cuda/loss_scale.h"
#include "trainer/network.h"
#include "trainer/rng.h"

enum { BATCH = 4, CLASSES = 10 };

static struct error e;

/* A network on the reference device and the same on the host's machine. */
struct pair {
	struct network reference;
	struct device *device;
};

static void
copy_all(const struct graph *g, struct device *from, struct device *to)
{
	static const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_MOMENTUM,
		TENSOR_BUFFER };

	for (int k = 0; k < 3; k++) {
		const int n =
		    kinds[k] == TENSOR_BUFFER ? g->n_buffers : g->n_params;

		for (int i = 0; i < n; i++) {
			double *x = xcalloc(
			    device_tensor_size(from, kinds[k], i), sizeof *x);

			CHECK_INT(
			    device_read(from, kinds[k], i, DTYPE_FP64, x, &e),
			    0);
			CHECK_INT(
			    device_write(to, kinds[k], i, DTYPE_FP64, x, &e),
			    0);
			free(x);
		}
	}
}

/* Gammas of 1 hide what depends on them; running statistics of 0 and 1, too. */
static void
stir(const struct graph *g, struct device *d)
{
	for (int i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->nodes[i];
		const struct rng key = { 5, (uint32_t)i, 1 };
		float *x = xcalloc((size_t)n->out.c, sizeof *x);

		if (n->kind != NODE_BATCHNORM) {
			free(x);
			continue;
		}
		for (int what = 0; what < 4; what++) {
			rng_fill_uniform(&key, 0.3, (size_t)n->out.c, x);
			for (int c = 0; c < n->out.c; c++)
				x[c] += what % 2 == 0 ? 0.8f : 0.05f;
			CHECK_INT(device_write(d,
				      what < 2 ? TENSOR_PARAM : TENSOR_BUFFER,
				      what == 0       ? n->weight
					  : what == 1 ? n->bias
					  : what == 2 ? n->var
						      : n->mean,
				      DTYPE_FP32, x, &e),
			    0);
		}
		free(x);
	}
}

/* x through a convolution, a normalisation and perhaps a ReLU. */
static int
layer(struct graph *g, const char *name, int x, int out, int kernel, int stride,
    int relu)
{
	x = graph_conv(g, name, x, out, kernel, stride, kernel / 2, 0);
	x = graph_batchnorm(g, name, x);
	return relu ? graph_relu(g, x) : x;
}

static int
bottleneck(struct graph *g, int x, int mid, int stride, int down)
{
	int y = layer(g, "a", x, mid, 1, 1, 1);

	y = layer(g, "b", y, mid, 3, stride, 1);
	y = layer(g, "c", y, 4 * mid, 1, 1, 0);
	if (down)
		x = layer(g, "down", x, 4 * mid, 1, stride, 0);
	return graph_relu(g, graph_add(g, y, x));
}

/* A residual network of all that a large one has, with enough pixels for
 * statistics: fp32 and fp64 stay close. */
static void
small_graph(struct graph *g)
{
	int x = 0;

	graph_start(g, (struct shape){ 3, 24, 24 });
	x = layer(g, "stem", x, 8, 7, 2, 1);
	x = graph_maxpool(g, x, 3, 2, 1);
	x = bottleneck(g, x, 4, 1, 1);
	x = bottleneck(g, x, 4, 1, 0);
	x = bottleneck(g, x, 6, 2, 1);
	x = bottleneck(g, x, 6, 1, 0);
	x = graph_avgpool(g, x, 2);
	x = graph_relu(g, graph_linear(g, "hidden", x, 12));
	x = graph_dropout(g, x, 0.5);
	graph_linear(g, "last", x, CLASSES);
	graph_finish(g);
}

/* Biases, convolutions behind a bias, pooling that overlaps or leaves the edge
 * out, a linear layer of several pixels, dropout before it. */
static void
plain_graph(struct graph *g)
{
	int x = 0;

	graph_start(g, (struct shape){ 3, 19, 19 });
	x = graph_relu(g, graph_conv(g, "one", x, 6, 5, 2, 2, 1));
	x = graph_maxpool(g, x, 3, 2, 0);
	x = graph_conv(g, "two", x, 8, 3, 1, 1, 1);
	x = graph_relu(g, graph_batchnorm(g, "two", x));
	x = graph_avgpool(g, x, 3);
	x = graph_dropout(g, x, 0.5);
	x = graph_relu(g, graph_linear(g, "three", x, 9));
	x = graph_add(g, x, graph_linear(g, "four", x, 9));
	x = graph_add(g, x, graph_relu(g, x));
	graph_linear(g, "five", x, CLASSES);
	graph_finish(g);
}

static void
open_pair(struct pair *p, const char *model, enum dtype precision)
{
	struct device_config c = { .device = "reference",
		.precision = DTYPE_FP64,
		.batch = BATCH,
		.threads = 1,
		.seed = 3,
		.input_gradient = 1 };
	struct graph *g = &p->reference.graph;

	if (strcmp(model, "small") == 0)
		small_graph(g);
	else if (strcmp(model, "plain") == 0)
		plain_graph(g);
	else
		CHECK_INT(
		    graph_build(model_find(model, &e), CLASSES, 32, g, &e), 0);
	CHECK_INT(device_open(g, &c, &p->reference.device, &e), 0);
	CHECK_INT(network_init(&p->reference, 3, &e), 0);
	stir(g, p->reference.device);
	c.precision = precision;
	CHECK_INT(host_device_open(g, &c, &p->device, &e), 0);
	copy_all(g, p->reference.device, p->device);
}

static void
close_pair(struct pair *p)
{
	device_close(p->device);
	network_close(&p->reference);
}

/* Load noise, go forward and backward. */
static void
run(struct device *d, enum device_mode mode, struct loss_result *r)
{
	const size_t n = device_tensor_size(d, TENSOR_INPUT_GRAD, 0);
	const struct rng key = { 1, RNG_STREAM_DATA, 0 };
	float *x = xcalloc(n, sizeof *x);
	const struct images im = { DTYPE_FP32, IMAGES_NCHW, x, BATCH };
	const int32_t labels[BATCH] = { 3, 0, 9, 4 };

	rng_fill_normal(&key, 1, n, x);
	CHECK_INT(device_load(d, &im, labels, &e), 0);
	CHECK_INT(device_forward(d, mode, 2, &e), 0);
	CHECK_INT(device_loss(d, &e), 0);
	CHECK_INT(device_result(d, r, &e), 0);
	if (mode != MODE_EVAL)
		CHECK_INT(device_backward(d, NULL, NULL, &e), 0);
	free(x);
}

/* ||x - y|| / ||y|| of a tensor of both devices; a bias before batch statistics
 * has a gradient of 0, up to rounding, hence the small number. */
static double
difference(const struct pair *p, enum tensor_kind k, int i)
{
	const size_t n = device_tensor_size(p->device, k, i);
	double *x = xcalloc(n, sizeof *x), *y = xcalloc(n, sizeof *y);
	double apart = 0, all = 0;

	CHECK_INT(device_read(p->device, k, i, DTYPE_FP64, x, &e), 0);
	CHECK_INT(device_read(p->reference.device, k, i, DTYPE_FP64, y, &e), 0);
	for (size_t j = 0; j < n; j++) {
		apart += (x[j] - y[j]) * (x[j] - y[j]);
		all += y[j] * y[j];
	}
	free(x);
	free(y);
	return sqrt(apart) / (sqrt(all) + 1e-3);
}

static void
compare(const struct pair *p, enum tensor_kind k, int n, double most)
{
	for (int i = 0; i < n; i++) {
		const double d = difference(p, k, i);

		if (!(d <= most))
			printf("# kind %d, tensor %d (%s): %g\n", (int)k, i,
			    k == TENSOR_GRAD || k == TENSOR_PARAM
				? p->reference.graph.params[i].name
				: "",
			    d);
		CHECK(d <= most);
	}
}

/* One step in a mode; all that can be read must agree. */
static void
check_mode(struct pair *p, enum device_mode mode, double most)
{
	const struct graph *g = &p->reference.graph;
	struct loss_result a, b;

	run(p->reference.device, mode, &a);
	run(p->device, mode, &b);
	CHECK_NEAR(b.loss, a.loss, most);
	CHECK_INT(b.top1, a.top1);
	CHECK_INT(b.top5, a.top5);
	compare(p, TENSOR_OUTPUT, 1, most);
	compare(p, TENSOR_BUFFER, g->n_buffers, most);
	if (mode == MODE_EVAL)
		return;
	compare(p, TENSOR_GRAD, g->n_params, most);
	compare(p, TENSOR_INPUT_GRAD, 1, most);
}

/* fp32 against fp64.  A wrong plan is off by a tensor's whole norm.
 *
 * frozen, train  what is allowed with fixed and with batch statistics */
static void
check_model(const char *model, double frozen, double train)
{
	struct pair p;
	const struct sgd s = { 0.05, 0.9, 1e-3, 0.5 };

	open_pair(&p, model, DTYPE_FP32);
	check_mode(&p, MODE_FROZEN, frozen);
	check_mode(&p, MODE_EVAL, frozen);
	check_mode(&p, MODE_TRAIN, train);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	CHECK_INT(device_update(p.reference.device, &s, &e), 0);
	compare(&p, TENSOR_PARAM, p.reference.graph.n_params, train);
	compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, train);
	close_pair(&p);
}

static void
test_plain(void)
{
	host_claims = HOST_PLAIN;
	check_model("small", 1e-4, 1e-4);
	check_model("plain", 1e-4, 1e-4);
}

static void
test_fused(void)
{
	host_claims = HOST_FUSED;
	check_model("small", 1e-4, 1e-4);
	check_model("plain", 1e-4, 1e-4);
	/* Statistics of four values: even fp32 on the reference device is off
	 * by 0.03. */
	check_model("resnet18", 0.02, 0.2);
}

/* Whatever the machine can and cannot, the plan is right. */
static void
test_mixed(void)
{
	host_claims = HOST_MIXED;
	for (host_seed = 1; host_seed <= 20; host_seed++)
		check_model("small", 1e-4, 1e-4);
}

/* ResNet-50 fused: no normalisation between two convolutions of a block is in
 * memory, each block's end is made by the next block's first convolution, and
 * all but the first and last gradients go through their normalisation. */
static void
test_resnet50(void)
{
	const struct device_config c = {
		.device = "host", .precision = DTYPE_FP16, .batch = 2
	};
	int kinds[N_CALL_KINDS][3] = { { 0 } }, through = 0;
	struct device *d;
	struct graph g;
	const struct program *p;

	host_claims = HOST_FUSED;
	CHECK_INT(graph_build(model_find("resnet50", &e), 1000, 64, &g, &e), 0);
	CHECK_INT(host_device_open(&g, &c, &d, &e), 0);
	p = host_device_program(d);
	for (int i = 0; i < p->n_calls; i++) {
		kinds[p->calls[i].kind][p->calls[i].input]++;
		through += p->calls[i].kind == CALL_CONV_DATA &&
		    p->calls[i].norm[0] >= 0;
	}
	/* 53 convolutions and the classifier: 2 of each of 16 blocks behind a
	 * normalisation; 15 blocks behind another one. */
	CHECK_INT(kinds[CALL_CONV][INPUT_NORM], 32);
	CHECK_INT(kinds[CALL_CONV][INPUT_BLOCK], 15);
	CHECK_INT(kinds[CALL_CONV][INPUT_PLAIN], 54 - 32 - 15);
	CHECK_INT(kinds[CALL_CONV_WEIGHT][INPUT_NORM], 32);
	CHECK_INT(through, 32 + 15);
	CHECK_INT(kinds[CALL_NORM_APPLY][INPUT_PLAIN], 2); /* stem, last */
	CHECK_INT(kinds[CALL_NORM_SUMS][INPUT_PLAIN], 0);
	CHECK_INT(kinds[CALL_NORM_FINISH][INPUT_PLAIN], 53);
	CHECK_INT(kinds[CALL_NORM_REDUCE][INPUT_PLAIN], 2);
	CHECK_INT(kinds[CALL_NORM_BACK][INPUT_PLAIN], 53);
	CHECK_INT(p->n_norms, 53);
	/* Sharing memory is worth it. */
	CHECK(p->memory.bytes < p->memory.sum * 0.8);
	device_close(d);
	graph_release(&g);
}

struct ranges {
	size_t end;
	int n;
};

static void
take_range(void *ctx, size_t offset, size_t n)
{
	struct ranges *r = ctx;

	CHECK_INT(offset, r->end);
	CHECK(n > 0);
	r->end += n;
	r->n++;
}

/* Gradients become final from the arena's start to its end. */
static void
test_ready(void)
{
	struct pair p;
	struct loss_result r;
	struct ranges ranges = { 0 };

	for (host_claims = HOST_PLAIN; host_claims <= HOST_FUSED;
	     host_claims++) {
		open_pair(&p, "small", DTYPE_FP32);
		run(p.device, MODE_TRAIN, &r);
		ranges = (struct ranges){ 0 };
		CHECK_INT(
		    device_backward(p.device, take_range, &ranges, &e), 0);
		CHECK_INT(ranges.end, p.reference.graph.arena_size);
		CHECK(ranges.n > 10);
		close_pair(&p);
	}
}

/* In fp16 gradients carry the loss scale, and nobody sees it; one that is too
 * large leaves the step out and halves it. */
static void
test_loss_scale(void)
{
	const struct sgd s = { 0.05, 0.9, 1e-3, 1 };
	struct loss_result r;
	struct loss_scale *scale;
	struct pair p;
	float before, after;

	host_claims = HOST_FUSED;
	open_pair(&p, "small", DTYPE_FP16);
	scale = host_device_scale(p.device);
	CHECK(scale->dynamic);
	scale->scale = 1024;
	check_mode(&p, MODE_FROZEN, 0.3);
	CHECK_NEAR(scale->used, 1024, 0);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	CHECK_INT(device_update(p.reference.device, &s, &e), 0);
	compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, 0.3);
	CHECK_INT(scale->good, 1);
	scale->scale = 1e7f; /* times a gradient of 0.1: beyond 65504 */
	before = scale->scale;
	run(p.device, MODE_TRAIN, &r);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	after = scale->scale;
	CHECK_NEAR(after, before / 2, 0);
	CHECK_INT(scale->n_skipped, 1);
	CHECK_INT(scale->good, 0);
	/* The weights stayed. */
	compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, 0.3);
	close_pair(&p);
}

/* The rule alone. */
static void
test_scale_rule(void)
{
	struct loss_scale s = { .scale = 4, .dynamic = 1 };

	for (int i = 1; i < LOSS_SCALE_PATIENCE; i++)
		loss_scale_next(&s);
	CHECK_NEAR(s.scale, 4, 0);
	loss_scale_next(&s);
	CHECK_NEAR(s.scale, 8, 0);
	for (int i = 0; i < 5; i++) {
		s.overflow = 1;
		loss_scale_next(&s);
		CHECK_INT(s.overflow, 0);
	}
	CHECK_NEAR(s.scale, 1, 0); /* not below */
	CHECK_INT(s.n_skipped, 5);
	s.scale = LOSS_SCALE_MOST;
	for (int i = 0; i < LOSS_SCALE_PATIENCE; i++)
		loss_scale_next(&s);
	CHECK_NEAR(s.scale, LOSS_SCALE_MOST, 0);
}

/* IEEE 754 binary16: every value survives, ties go to even. */
static void
test_fp16(void)
{
	const float step = 0.0009765625f; /* 2^-10, the one behind 1 */

	for (unsigned x = 0; x < 0x10000; x++) {
		const float f = fp16_to_float((uint16_t)x);

		if ((x & 0x7fff) > 0x7c00)
			CHECK(isnan(f) &&
			    isnan(fp16_to_float(fp16_from_float(f))));
		else
			CHECK_INT(fp16_from_float(f), x);
	}
	CHECK_NEAR(fp16_to_float(0x3c01), 1 + step, 0);
	CHECK_NEAR(fp16_to_float(0x0001), 5.9604644775390625e-08, 0);
	CHECK_INT(fp16_from_float(1 + step / 2), 0x3c00);
	CHECK_INT(fp16_from_float(1 + step * 3 / 2), 0x3c02);
	CHECK_INT(fp16_from_float(65519.9f), 0x7bff);
	CHECK_INT(fp16_from_float(65520), 0x7c00);
	CHECK_INT(fp16_from_float(-1e9f), 0xfc00);
	CHECK_INT(fp16_from_float(2.9802322387695312e-08f), 0); /* tie */
	CHECK_INT(fp16_from_float(3e-08f), 1);
}

static const struct tap_test tests[] = {
	TEST(test_fp16),
	TEST(test_plain),
	TEST(test_fused),
	TEST(test_mixed),
	TEST(test_resnet50),
	TEST(test_ready),
	TEST(test_loss_scale),
	TEST(test_scale_rule),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
