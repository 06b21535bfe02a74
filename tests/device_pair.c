#include <config.h>

#include "tests/device_pair.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/rng.h"

static struct error e;

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

/* Set gammas and running statistics other than 0 and 1, which hide errors. */
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

/* Convolution and batch normalisation of x, then a ReLU if relu is set. */
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

/* A residual network with all layer kinds of a large one, and enough pixels for
 * stable statistics: fp32 and fp64 stay close. */
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

/* Wide enough for fused engines: 32 channels or more, 64 or more where a block
 * ends. */
static void
wide_graph(struct graph *g)
{
	int x = 0;

	graph_start(g, (struct shape){ 3, 32, 32 });
	x = layer(g, "stem", x, 64, 7, 2, 1);
	x = graph_maxpool(g, x, 3, 2, 1);
	x = bottleneck(g, x, 32, 1, 1);
	x = bottleneck(g, x, 32, 1, 0);
	x = bottleneck(g, x, 64, 2, 1);
	x = bottleneck(g, x, 64, 1, 0);
	x = graph_avgpool(g, x, 1);
	graph_linear(g, "last", x, CLASSES);
	graph_finish(g);
}

/* The layers of VGG: biases and ReLUs, with and without pooling after them. */
static void
biased_graph(struct graph *g)
{
	int x = 0;

	graph_start(g, (struct shape){ 3, 16, 16 });
	x = graph_relu(g, graph_conv(g, "one", x, 32, 3, 1, 1, 1));
	x = graph_relu(g, graph_conv(g, "two", x, 64, 3, 1, 1, 1));
	x = graph_maxpool(g, x, 2, 2, 0);
	x = graph_relu(g, graph_conv(g, "three", x, 64, 3, 1, 1, 1));
	x = graph_maxpool(g, x, 2, 2, 0);
	x = graph_relu(g, graph_linear(g, "four", x, 64));
	graph_linear(g, "last", x, CLASSES);
	graph_finish(g);
}

/* Biases, also before a batch normalisation, pooling that overlaps or omits the
 * edge, a linear layer over several pixels, dropout before it. */
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

/* An image too large for a cache to hold its 32 channels. */
static void
large_graph(struct graph *g)
{
	int x = 0;

	graph_start(g, (struct shape){ 3, 92, 92 });
	x = graph_relu(g, graph_conv(g, "one", x, 32, 3, 1, 1, 1));
	x = graph_relu(g, graph_conv(g, "two", x, 32, 3, 1, 1, 1));
	x = graph_avgpool(g, x, 4);
	graph_linear(g, "last", x, CLASSES);
	graph_finish(g);
}

static void
named_graph(const char *model, struct graph *g)
{
	const char *pixels = strchr(model, '@');
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(model, "@"), model);
	CHECK_INT(
	    graph_build(model_find(name, &e), CLASSES,
		pixels != NULL ? (int)strtol(pixels + 1, NULL, 10) : 32, g, &e),
	    0);
}

void
pair_graph(const char *model, struct graph *g)
{
	if (strcmp(model, "small") == 0)
		small_graph(g);
	else if (strcmp(model, "plain") == 0)
		plain_graph(g);
	else if (strcmp(model, "wide") == 0)
		wide_graph(g);
	else if (strcmp(model, "biased") == 0)
		biased_graph(g);
	else if (strcmp(model, "large") == 0)
		large_graph(g);
	else
		named_graph(model, g);
}

void
pair_open(
    struct pair *p, const char *model, enum dtype precision, pair_open_fn open)
{
	struct device_config c = { .device = "reference",
		.precision = DTYPE_FP64,
		.batch = BATCH,
		.threads = 1,
		.seed = 3,
		.input_gradient = 1 };
	struct graph *g = &p->reference.graph;

	pair_graph(model, g);
	CHECK_INT(device_open(g, &c, &p->reference.device, &e), 0);
	CHECK_INT(
	    network_init(&p->reference, &(unsigned long long){ 3 }, &e), 0);
	stir(g, p->reference.device);
	c.precision = precision;
	CHECK_INT(open(g, &c, &p->device, &e), 0);
	copy_all(g, p->reference.device, p->device);
}

void
pair_close(struct pair *p)
{
	device_close(p->device);
	network_close(&p->reference);
}

void
pair_run(struct device *d, enum device_mode mode, struct loss_result *r)
{
	const size_t n = device_tensor_size(d, TENSOR_INPUT_GRAD, 0);
	const struct rng key = { 1, RNG_STREAM_DATA, 0 };
	float *x = xcalloc(n, sizeof *x);
	const struct images im = {
		.type = DTYPE_FP32, .order = IMAGES_NCHW, .data = x, .n = BATCH
	};
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

/* ||x - y|| / ||y|| of a tensor of both devices. The small number is for the
 * bias before batch statistics, whose gradient is 0 but for rounding. */
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

void
pair_compare(const struct pair *p, enum tensor_kind k, int n, double most)
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

void
pair_check_bytes(struct pair *p, double most)
{
	const struct graph *g = &p->reference.graph;
	const size_t n = BATCH * shape_size(g->nodes[0].out);
	const uint8_t mirror[BATCH] = { 1, 0, 1, 0 };
	/* Not freed until the end: the device may read them later. */
	uint8_t *x[3];
	struct images im = { .type = DTYPE_U8,
		.order = IMAGES_NHWC,
		.n = BATCH,
		.width = g->nodes[0].out.w,
		.held = 2 };

	for (int k = 0; k < 3; k++) {
		const struct rng key = { 4, RNG_STREAM_DATA, (uint32_t)k };

		x[k] = xmalloc(n);
		for (size_t i = 0; i < n; i++)
			x[k][i] = (uint8_t)(256 * rng_uniform(&key, i));
		im.data = x[k];
		im.mirror = k < 2 ? mirror : NULL;
		CHECK_INT(device_load(p->device, &im, NULL, &e), 0);
		CHECK_INT(device_forward(p->device, MODE_EVAL, 0, &e), 0);
		CHECK_INT(device_load(p->reference.device, &im, NULL, &e), 0);
		CHECK_INT(
		    device_forward(p->reference.device, MODE_EVAL, 0, &e), 0);
		pair_compare(p, TENSOR_OUTPUT, 1, most);
	}
	for (int k = 0; k < 3; k++)
		free(x[k]);
}

void
pair_check(struct pair *p, enum device_mode mode, double most)
{
	const struct graph *g = &p->reference.graph;
	struct loss_result a, b;

	pair_run(p->reference.device, mode, &a);
	pair_run(p->device, mode, &b);
	CHECK_NEAR(b.loss, a.loss, most);
	CHECK_INT(b.top1, a.top1);
	CHECK_INT(b.top5, a.top5);
	pair_compare(p, TENSOR_OUTPUT, 1, most);
	pair_compare(p, TENSOR_BUFFER, g->n_buffers, most);
	if (mode == MODE_EVAL)
		return;
	pair_compare(p, TENSOR_GRAD, g->n_params, most);
	pair_compare(p, TENSOR_INPUT_GRAD, 1, most);
}

void
pair_check_model(const char *model, enum dtype precision, double frozen,
    double train, pair_open_fn open)
{
	struct pair p;
	const struct sgd s = { 0.05, 0.9, 1e-3, 0.5 };

	pair_open(&p, model, precision, open);
	pair_check(&p, MODE_FROZEN, frozen);
	pair_check(&p, MODE_EVAL, frozen);
	pair_check(&p, MODE_TRAIN, train);
	pair_check_bytes(&p, frozen);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	CHECK_INT(device_update(p.reference.device, &s, &e), 0);
	pair_compare(&p, TENSOR_PARAM, p.reference.graph.n_params, train);
	pair_compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, train);
	pair_close(&p);
}

int
pair_have_gpu(struct error *why)
{
	const struct device_config c = {
		.device = "cuda", .batch = 1, .engine_guess = 1
	};
	struct device *d = NULL;
	struct graph g;
	int rc;

	pair_graph("small", &g);
	rc = device_open(&g, &c, &d, why);
	device_close(d);
	graph_release(&g);
	return rc == 0;
}
