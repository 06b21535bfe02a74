#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/device.h"
#include "trainer/base/rng.h"

enum { SIDE = 32, BATCH = 8, CLASSES = 10 };

static struct error e;

static int
have_cpu(void)
{
	size_t n;
	const struct device_ops *const *list = device_list(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, "cpu") == 0)
			return list[i]->open != NULL;
	return 0;
}

/* One thread: oneDNN's threads wait for each other in busy loops, which takes
 * long where other programs run too. */
static struct network_config
config(const char *device, enum dtype precision)
{
	return (struct network_config){ .model = "resnet18",
		.classes = CLASSES,
		.image = SIDE,
		.seed = 7,
		.device = { .device = device,
		    .precision = precision,
		    .batch = BATCH,
		    .threads = 1 } };
}

/* Skip the test if this machine or build does not have the device. */
static void
open_or_skip(const struct network_config *c, struct network *n)
{
	if (network_open(c, n, &e) == 0)
		return;
	printf("# %s\n", e.message);
	CHECK_INT(e.code, ERROR_USAGE);
	SKIP("this machine cannot");
}

static float *
new_images(size_t n)
{
	const struct rng key = { 1, RNG_STREAM_DATA, 0 };
	float *x = xcalloc(n, sizeof *x);

	rng_fill_normal(&key, 1, n, x);
	return x;
}

static double
train(struct network *n, const float *x, int steps, double lr)
{
	const struct images im = { .type = DTYPE_FP32,
		.order = IMAGES_NCHW,
		.data = x,
		.n = n->device->config.batch };
	const struct sgd s = { lr, 0.9, 1e-4, 1 };
	struct loss_result r = { 0 };
	int32_t labels[BATCH];

	for (int i = 0; i < BATCH; i++)
		labels[i] = i % n->graph.classes;
	for (int i = 0; i < steps; i++) {
		CHECK_INT(device_load(n->device, &im, labels, &e), 0);
		CHECK_INT(device_forward(n->device, MODE_TRAIN, i, &e), 0);
		CHECK_INT(device_loss(n->device, &e), 0);
		CHECK_INT(device_backward(n->device, NULL, NULL, &e), 0);
		CHECK_INT(device_update(n->device, &s, &e), 0);
		CHECK_INT(device_result(n->device, &r, &e), 0);
		CHECK_INT(r.n, BATCH);
	}
	return r.loss;
}

/* Cross entropy of known logits, by hand: softmax of (ln 1, ln 2, ln 5) is
 * (1, 2, 5) / 8. */
static void
test_loss(void)
{
	const double logits[] = { 0, log(2), log(5) };
	double grad[3];
	struct loss_result r = { 0 };

	loss_add_image(logits, 3, 1, 0.5, grad, &r);
	CHECK_NEAR(r.loss, log(4), 1e-14);
	CHECK_NEAR(grad[0], 0.5 / 8, 1e-15);
	CHECK_NEAR(grad[1], 0.5 * (2.0 / 8 - 1), 1e-15);
	CHECK_NEAR(grad[2], 0.5 * 5 / 8, 1e-15);
	CHECK_INT(r.n, 1);
	CHECK_INT(r.top1, 0);
	CHECK_INT(r.top5, 1);
}

/* Large logits do not overflow. */
static void
test_loss_range(void)
{
	const double logits[] = { 1000, 0, -1000 };
	struct loss_result r = { 0 };

	loss_add_image(logits, 3, 2, 1, NULL, &r);
	CHECK_NEAR(r.loss, 2000, 1e-9);
}

/* Six equal logits rank by index, the smallest first; NaN is no hit. */
static void
test_accuracy(void)
{
	const double equal[6] = { 0 };
	const double broken[6] = { NAN, 1, 2, 3, 4, 5 };
	struct loss_result r = { 0 };

	loss_add_image(equal, 6, 0, 1, NULL, &r);
	CHECK_INT(r.top1, 1);
	loss_add_image(equal, 6, 4, 1, NULL, &r);
	CHECK_INT(r.top5, 2);
	loss_add_image(equal, 6, 5, 1, NULL, &r);
	CHECK_INT(r.top1, 1);
	CHECK_INT(r.top5, 2);
	loss_add_image(broken, 6, 0, 1, NULL, &r);
	CHECK_INT(r.top5, 2);
	loss_add_image(broken, 6, 5, 1, NULL, &r);
	CHECK_INT(r.top1, 1);
	CHECK_INT(r.top5, 3);
	CHECK_INT(r.n, 5);
	CHECK(isnan(r.loss));
}

/* Bytes, planar or interleaved, are normalised with ImageNet's constants. */
static void
test_bytes(void)
{
	const uint8_t planar[] = { 0, 255, 51, 102, 10, 20 };
	const uint8_t woven[] = { 0, 51, 10, 255, 102, 20 };
	struct images im = {
		.type = DTYPE_U8, .order = IMAGES_NCHW, .data = planar, .n = 1
	};
	float a[2], b[2];

	images_plane(&im, 0, 0, 3, 2, a);
	CHECK_NEAR(a[0], -0.485 / 0.229, 1e-6);
	CHECK_NEAR(a[1], (1 - 0.485) / 0.229, 1e-6);
	images_plane(&im, 0, 1, 3, 2, a);
	CHECK_NEAR(a[0], (0.2 - 0.456) / 0.224, 1e-6);
	im.order = IMAGES_NHWC;
	im.data = woven;
	images_plane(&im, 0, 1, 3, 2, b);
	CHECK(memcmp(a, b, sizeof a) == 0);
}

/* A mirrored image equals one whose columns are swapped, bit for bit, and its
 * neighbour is unchanged. */
static void
test_turned(void)
{
	enum { W = 5, H = 3, SIZE = W * H * 3 };
	const uint8_t mirror[2] = { 1, 0 };
	uint8_t bytes[2 * SIZE], turned[2 * SIZE];
	struct images im = { .type = DTYPE_U8, .n = 2 };
	float a[W * H], b[W * H];

	for (int i = 0; i < 2 * SIZE; i++)
		bytes[i] = (uint8_t)(37 * i + i * i);
	for (int order = IMAGES_NCHW; order <= IMAGES_NHWC; order++) {
		const int c = order == IMAGES_NCHW ? 1 : 3;

		memcpy(turned, bytes, sizeof turned);
		for (int i = 0; i < SIZE; i++) {
			const int column = i / c % W;

			turned[i] = bytes[i + (W - 1 - 2 * column) * c];
		}
		for (int k = 0; k < 6; k++) {
			im.order =
			    order == IMAGES_NCHW ? IMAGES_NCHW : IMAGES_NHWC;
			im.data = bytes;
			im.mirror = mirror;
			im.width = W;
			images_plane(&im, k / 3, k % 3, 3, W * H, a);
			im.data = turned;
			im.mirror = NULL;
			images_plane(&im, k / 3, k % 3, 3, W * H, b);
			CHECK(memcmp(a, b, sizeof a) == 0);
		}
	}
}

static void
test_errors(void)
{
	struct network_config c = config("abacus", DTYPE_FP32);
	struct network n;
	int32_t label = CLASSES;
	float x[1] = { 0 };
	struct images im = {
		.type = DTYPE_FP32, .order = IMAGES_NCHW, .data = x, .n = 1
	};

	CHECK_INT(network_open(&c, &n, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_STR(
	    e.message, "no device 'abacus'; there are cpu, cuda, reference");
	c = config("reference", DTYPE_BF16);
	CHECK_INT(network_open(&c, &n, &e), -1);
	CHECK_STR(e.message, "device 'reference' does not support bf16");
	c.device.precision = DTYPE_FP32;
	c.model = "lenet";
	CHECK_INT(network_open(&c, &n, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	c.model = "resnet18";
	c.image = c.device.batch = 1;
	CHECK_INT(network_open(&c, &n, &e), 0);
	CHECK_INT(device_load(n.device, &im, &label, &e), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK_STR(e.message, "label 10 is not one of 10 classes");
	CHECK_INT(device_forward(n.device, MODE_TRAIN, 0, &e), -1);
	CHECK_STR(e.message,
	    "'bn1' sees one value per channel; training it "
	    "needs a larger batch or image");
	network_close(&n);
}

/* Untrained, every class is about as likely: ln(1000) = 6.9. */
static void
test_first_loss(void)
{
	struct network_config c = config("cpu", DTYPE_FP32);
	float *x = new_images((size_t)BATCH * 3 * 64 * 64);
	struct network n;

	c.classes = 1000;
	c.image = 64;
	if (!have_cpu())
		c.device.device = "reference";
	CHECK_INT(network_open(&c, &n, &e), 0);
	CHECK_NEAR(train(&n, x, 1, 0), log(1000), 0.7);
	network_close(&n);
	free(x);
}

/* The network overfits a single batch. */
static void
check_overfit(const char *device, enum dtype precision, const char *model,
    int image, double lr)
{
	struct network_config c = config(device, precision);
	float *x = new_images((size_t)BATCH * 3 * 64 * 64);
	struct network n;
	double loss;

	c.model = model;
	c.image = image;
	open_or_skip(&c, &n);
	loss = train(&n, x, 30, lr);
	printf("# %s %s loss %.4g\n", model, dtype_name(precision), loss);
	CHECK(loss < 0.02);
	network_close(&n);
	free(x);
}

static void
test_overfit_fp32(void)
{
	check_overfit("cpu", DTYPE_FP32, "resnet18", SIDE, 0.02);
}

static void
test_overfit_bf16(void)
{
	check_overfit("cpu", DTYPE_BF16, "resnet18", SIDE, 0.02);
}

/* A small network of all kinds of layers, on the reference device. */
static void
test_overfit_reference(void)
{
	const struct device_config c = {
		.device = "reference", .precision = DTYPE_FP32, .batch = BATCH
	};
	float *x = new_images((size_t)BATCH * 3 * SIDE * SIDE);
	struct network n;
	double loss;
	int a, b;

	graph_start(&n.graph, (struct shape){ 3, SIDE, SIDE });
	a = graph_conv(&n.graph, "conv1", 0, 8, 3, 2, 1, 0);
	a = graph_relu(&n.graph, graph_batchnorm(&n.graph, "bn1", a));
	a = graph_maxpool(&n.graph, a, 3, 2, 1);
	b = graph_conv(&n.graph, "conv2", a, 8, 3, 1, 1, 1);
	a = graph_relu(&n.graph, graph_add(&n.graph, a, b));
	a = graph_dropout(&n.graph, graph_avgpool(&n.graph, a, 2), 0.1);
	graph_linear(&n.graph, "fc", a, CLASSES);
	graph_finish(&n.graph);
	CHECK_INT(device_open(&n.graph, &c, &n.device, &e), 0);
	CHECK_INT(network_init(&n, &(unsigned long long){ 7 }, &e), 0);
	loss = train(&n, x, 400, 0.1);
	printf("# small network loss %.4g\n", loss);
	CHECK(loss < 0.05);
	network_close(&n);
	free(x);
}

/* All parameters after a few steps. */
static float *
trained(const char *device, enum dtype precision, unsigned long long seed)
{
	struct network_config c = config(device, precision);
	float *x = new_images((size_t)BATCH * 3 * SIDE * SIDE);
	struct device_arena arena;
	struct network n;
	float *w;

	c.seed = seed;
	c.device.threads = 2;
	open_or_skip(&c, &n);
	train(&n, x, 3, 0.1);
	arena = device_arena(n.device, TENSOR_PARAM);
	w = xcalloc(arena.n, sizeof *w);
	memcpy(w, arena.data, arena.n * sizeof *w);
	network_close(&n);
	free(x);
	return w;
}

/* The same seed gives the same bytes, another seed different ones. */
static void
check_same(const char *device, enum dtype precision)
{
	const size_t bytes = 11181642 * sizeof(float); /* with 10 classes */
	float *a = trained(device, precision, 7);
	float *b = trained(device, precision, 7);
	float *c = trained(device, precision, 8);

	CHECK(memcmp(a, b, bytes) == 0);
	CHECK(memcmp(a, c, bytes) != 0);
	free(a);
	free(b);
	free(c);
}

static void
test_same_bytes_fp32(void)
{
	check_same("cpu", DTYPE_FP32);
}

static void
test_same_bytes_bf16(void)
{
	check_same("cpu", DTYPE_BF16);
}

/* A tensor is read back as written, whatever layout the device uses. */
static void
test_read_write(void)
{
	struct network_config c = config("cpu", DTYPE_BF16);
	static const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_GRAD,
		TENSOR_MOMENTUM, TENSOR_BUFFER };
	struct network n;

	open_or_skip(&c, &n);
	for (int k = 0; k < N_TESTS(kinds); k++) {
		int last = kinds[k] == TENSOR_BUFFER ? n.graph.n_buffers
						     : n.graph.n_params;

		for (int i = 0; i < last; i += 5) {
			size_t size = device_tensor_size(n.device, kinds[k], i);
			float *in = new_images(size);
			float *out = xcalloc(size, sizeof *out);

			CHECK_INT(device_write(n.device, kinds[k], i,
				      DTYPE_FP32, in, &e),
			    0);
			CHECK_INT(device_read(n.device, kinds[k], i, DTYPE_FP32,
				      out, &e),
			    0);
			CHECK(memcmp(in, out, size * sizeof *in) == 0);
			free(in);
			free(out);
		}
	}
	network_close(&n);
}

/* In evaluation an image's logits depend neither on the other images nor on how
 * full the batch is; the statistics do not change. */
static void
test_evaluation(void)
{
	struct network_config c = config("cpu", DTYPE_FP32);
	float *x = new_images((size_t)BATCH * 3 * SIDE * SIDE);
	const int32_t labels[BATCH] = { 0 };
	struct images im = {
		.type = DTYPE_FP32, .order = IMAGES_NCHW, .data = x, .n = BATCH
	};
	float full[BATCH * CLASSES], part[BATCH * CLASSES], before, after;
	struct loss_result r;
	struct network n;

	if (!have_cpu())
		c.device.device = "reference";
	CHECK_INT(network_open(&c, &n, &e), 0);
	train(&n, x, 2, 0.01);
	CHECK_INT(device_read(n.device, TENSOR_BUFFER, 20, DTYPE_FP32,
		      (float[512]){ 0 }, &e),
	    0);
	for (int k = 0; k < 2; k++) {
		im.n = k == 0 ? BATCH : 3;
		CHECK_INT(device_load(n.device, &im, labels, &e), 0);
		CHECK_INT(device_forward(n.device, MODE_EVAL, 0, &e), 0);
		CHECK_INT(device_read(n.device, TENSOR_OUTPUT, 0, DTYPE_FP32,
			      k == 0 ? full : part, &e),
		    0);
		CHECK_INT(device_loss(n.device, &e), 0);
		CHECK_INT(device_result(n.device, &r, &e), 0);
		CHECK_INT(r.n, im.n);
	}
	CHECK(memcmp(full, part, 3 * CLASSES * sizeof *full) == 0);
	before = full[0];
	CHECK_INT(device_load(n.device, &im, labels, &e), 0);
	CHECK_INT(device_forward(n.device, MODE_EVAL, 0, &e), 0);
	CHECK_INT(
	    device_read(n.device, TENSOR_OUTPUT, 0, DTYPE_FP32, part, &e), 0);
	after = part[0];
	CHECK(memcmp(&before, &after, sizeof after) == 0);
	network_close(&n);
	free(x);
}

/* The ready function is called for the whole arena, in order. */
struct ready_log {
	size_t done;
	int calls, holes;
};

static void
note_ready(void *ctx, size_t offset, size_t count)
{
	struct ready_log *l = ctx;

	l->holes += offset != l->done || count == 0;
	l->done = offset + count;
	l->calls++;
}

static void
test_ready(void)
{
	struct network_config c = config("cpu", DTYPE_FP32);
	float *x = new_images((size_t)BATCH * 3 * SIDE * SIDE);
	const struct images im = {
		.type = DTYPE_FP32, .order = IMAGES_NCHW, .data = x, .n = BATCH
	};
	const int32_t labels[BATCH] = { 0 };
	struct ready_log l = { 0 };
	struct network n;

	open_or_skip(&c, &n);
	CHECK_INT(device_load(n.device, &im, labels, &e), 0);
	CHECK_INT(device_forward(n.device, MODE_TRAIN, 0, &e), 0);
	CHECK_INT(device_loss(n.device, &e), 0);
	CHECK_INT(device_backward(n.device, note_ready, &l, &e), 0);
	CHECK_INT(l.done, n.graph.arena_size);
	CHECK_INT(l.holes, 0);
	CHECK(l.calls > 20);
	network_close(&n);
	free(x);
}

static void
test_describe(void)
{
	struct network_config c = config("cpu", DTYPE_FP32);
	struct network n;
	struct strbuf plan;

	open_or_skip(&c, &n);
	strbuf_init(&plan, 1 << 20);
	device_describe(n.device, &plan);
	CHECK(strstr(plan.buf, "device cpu, fp32, ") != NULL);
	CHECK(strstr(plan.buf, "memory: ") != NULL);
	CHECK(strstr(plan.buf, "layer4.1.conv2") != NULL);
	strbuf_release(&plan);
	network_close(&n);
}

static const struct tap_test tests[] = {
	TEST(test_loss),
	TEST(test_loss_range),
	TEST(test_accuracy),
	TEST(test_bytes),
	TEST(test_turned),
	TEST(test_errors),
	TEST(test_first_loss),
	TEST(test_overfit_fp32),
	TEST(test_overfit_bf16),
	TEST(test_overfit_reference),
	TEST(test_same_bytes_fp32),
	TEST(test_same_bytes_bf16),
	TEST(test_read_write),
	TEST(test_evaluation),
	TEST(test_ready),
	TEST(test_describe),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
