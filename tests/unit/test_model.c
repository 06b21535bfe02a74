#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/graph/graph.h"
#include "trainer/base/philox.h"
#include "trainer/base/rng.h"

/* sum(p.numel()), len(list(m.parameters())), len(list(m.buffers())) without
 * num_batches_tracked: torchvision 0.14.1. Multiply-adds at 224 pixels: summed
 * by forward hooks on its Conv2d and Linear modules. */
static const struct {
	const char *name;
	long long weights;
	int n_params, n_buffers;
	double macs;
} counts[] = {
	{ "resnet18", 11689512, 62, 40, 1814073344 },
	{ "resnet34", 21797672, 110, 72, 3663761408 },
	{ "resnet50", 25557032, 161, 106, 4089184256 },
	{ "resnet101", 44549160, 314, 208, 7801405440 },
	{ "resnet152", 60192808, 467, 310, 11513626624 },
	{ "vgg11", 132863336, 22, 0, 7609090048 },
	{ "vgg11_bn", 132868840, 38, 16, 7609090048 },
	{ "vgg13", 133047848, 26, 0, 11308466176 },
	{ "vgg13_bn", 133053736, 46, 20, 11308466176 },
	{ "vgg16", 138357544, 32, 0, 15470264320 },
	{ "vgg16_bn", 138365992, 58, 26, 15470264320 },
	{ "vgg19", 143667240, 38, 0, 19632062464 },
	{ "vgg19_bn", 143678248, 70, 32, 19632062464 },
	{ "alexnet", 61100840, 16, 0, 714188480 },
};

static void
test_counts(void)
{
	size_t n;

	model_list(&n);
	CHECK_INT(n, N_TESTS(counts));
	for (int i = 0; i < N_TESTS(counts); i++) {
		struct error e = ERROR_INIT;
		const struct model *m = model_find(counts[i].name, &e);
		struct graph g;

		CHECK(m != NULL);
		printf("# %s\n", m->name);
		CHECK_INT(graph_build(m, 1000, 224, &g, &e), 0);
		CHECK_INT(g.n_weights, counts[i].weights);
		CHECK_INT(m->parameters, counts[i].weights);
		CHECK_INT(g.n_params, counts[i].n_params);
		CHECK_INT(g.n_buffers, counts[i].n_buffers);
		CHECK_NEAR(graph_macs(&g), counts[i].macs, 0);
		graph_release(&g);
	}
}

/* 24.30 and 92.65 GFLOP per image: three times the forward pass without the
 * first layer's data gradient, two operations per multiply-add. */
static void
test_training_flops(void)
{
	struct graph g;

	CHECK_INT(
	    graph_build(model_find("resnet50", NULL), 1000, 224, &g, NULL), 0);
	CHECK_NEAR(graph_training_flops(&g),
	    2.0 * (3 * 4089184256.0 - 118013952.0), 0);
	graph_release(&g);
	CHECK_INT(
	    graph_build(model_find("vgg16", NULL), 1000, 224, &g, NULL), 0);
	CHECK_NEAR(graph_training_flops(&g),
	    2.0 * (3 * 15470264320.0 - 86704128.0), 0);
	graph_release(&g);
}

/* Names and shapes as torchvision's state_dict() lists them. */
static void
test_names(void)
{
	static const struct {
		const char *model;
		int at;
		const char *name;
		int dims[GRAPH_MAX_RANK];
	} want[] = {
		{ "resnet50", 0, "conv1.weight", { 64, 3, 7, 7 } },
		{ "resnet50", 2, "bn1.bias", { 64 } },
		{ "resnet50", 3, "layer1.0.conv1.weight", { 64, 64, 1, 1 } },
		{ "resnet50", 9, "layer1.0.conv3.weight", { 256, 64, 1, 1 } },
		{ "resnet50", 12, "layer1.0.downsample.0.weight",
		    { 256, 64, 1, 1 } },
		{ "resnet50", 13, "layer1.0.downsample.1.weight", { 256 } },
		{ "resnet50", 15, "layer1.1.conv1.weight", { 64, 256, 1, 1 } },
		{ "resnet50", 159, "fc.weight", { 1000, 2048 } },
		{ "resnet50", 160, "fc.bias", { 1000 } },
		{ "resnet18", 3, "layer1.0.conv1.weight", { 64, 64, 3, 3 } },
		{ "resnet18", 21, "layer2.0.downsample.0.weight",
		    { 128, 64, 1, 1 } },
		{ "vgg16", 0, "features.0.weight", { 64, 3, 3, 3 } },
		{ "vgg16", 25, "features.28.bias", { 512 } },
		{ "vgg16", 26, "classifier.0.weight", { 4096, 25088 } },
		{ "vgg16", 31, "classifier.6.bias", { 1000 } },
		{ "vgg11_bn", 2, "features.1.weight", { 64 } },
		{ "vgg11_bn", 1, "features.0.bias", { 64 } },
		{ "vgg11_bn", 4, "features.4.weight", { 128, 64, 3, 3 } },
		{ "alexnet", 8, "features.10.weight", { 256, 256, 3, 3 } },
		{ "alexnet", 10, "classifier.1.weight", { 4096, 9216 } },
		{ "alexnet", 14, "classifier.6.weight", { 1000, 4096 } },
	};

	for (int i = 0; i < N_TESTS(want); i++) {
		struct graph g;
		const struct param *p;

		CHECK_INT(graph_build(model_find(want[i].model, NULL), 1000,
			      224, &g, NULL),
		    0);
		p = &g.params[want[i].at];
		CHECK_STR(p->name, want[i].name);
		for (int k = 0; k < GRAPH_MAX_RANK; k++)
			CHECK_INT(
			    k < p->rank ? p->dims[k] : 0, want[i].dims[k]);
		graph_release(&g);
	}
}

static void
test_buffers(void)
{
	struct graph g;

	CHECK_INT(
	    graph_build(model_find("resnet18", NULL), 10, 64, &g, NULL), 0);
	CHECK_STR(g.buffers[0].name, "bn1.running_mean");
	CHECK_STR(g.buffers[1].name, "bn1.running_var");
	CHECK_NEAR(g.buffers[0].start, 0, 0);
	CHECK_NEAR(g.buffers[1].start, 1, 0);
	CHECK_INT(g.buffers[1].n, 64);
	CHECK_STR(g.buffers[39].name, "layer4.1.bn2.running_var");
	graph_release(&g);
}

/* The arena is the reverse of the parameter list, aligned, without overlap; the
 * part that is final after a node's backward pass grows to the whole. */
static void
test_arena(void)
{
	struct graph g;
	size_t at = 0;

	CHECK_INT(
	    graph_build(model_find("resnet18", NULL), 10, 64, &g, NULL), 0);
	for (int i = g.n_params - 1; i >= 0; i--) {
		CHECK_INT(g.params[i].offset % GRAPH_ALIGN, 0);
		CHECK(g.params[i].offset >= at);
		CHECK(g.params[i].offset < at + GRAPH_ALIGN);
		at = g.params[i].offset + g.params[i].n;
	}
	CHECK(g.arena_size >= at && g.arena_size < at + GRAPH_ALIGN);
	CHECK_INT(graph_done(&g, 0), g.arena_size);
	CHECK_INT(
	    graph_done(&g, g.n_params - 2), g.params[g.n_params - 3].offset);
	graph_release(&g);
}

static void
test_small_images(void)
{
	static const struct {
		const char *model;
		int smallest;
	} want[] = { { "alexnet", 63 }, { "vgg11", 32 }, { "resnet18", 1 } };
	struct error e = ERROR_INIT;
	struct graph g;

	for (int i = 0; i < N_TESTS(want); i++) {
		const struct model *m = model_find(want[i].model, NULL);
		int n = want[i].smallest;

		CHECK_INT(graph_build(m, 10, n, &g, &e), 0);
		graph_release(&g);
		if (n > 1)
			CHECK_INT(graph_build(m, 10, n - 1, &g, &e), -1);
	}
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_STR(e.message,
	    "images of 31 pixels are too small for 'maxpool' of vgg11");
}

static void
test_unknown_model(void)
{
	struct error e = ERROR_INIT;

	CHECK(model_find("resnet51", &e) == NULL);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK(strstr(e.message, "no model 'resnet51'; there are resnet18, ") !=
	    NULL);
	CHECK(strstr(e.message, "alexnet") != NULL);
}

/* The known-answer vectors of the Random123 distribution (kat_vectors,
 * "philox4x32 10"). */
static void
test_philox(void)
{
	static const struct {
		uint32_t counter[4], key[2], out[4];
	} kat[] = {
		{ { 0, 0, 0, 0 }, { 0, 0 },
		    { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u },
		    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		    { 0xa4093822, 0x299f31d0 },
		    { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};

	for (int i = 0; i < N_TESTS(kat); i++) {
		uint32_t out[4];

		philox(kat[i].counter, kat[i].key, out);
		for (int k = 0; k < 4; k++)
			CHECK_INT(out[k], kat[i].out[k]);
	}
}

/* Check the mean and deviation of n values: the errors of both are about
 * deviation / sqrt(n); allow five times that. */
static void
check_moments(const float *x, size_t n, double deviation)
{
	const double allowed = 5 * deviation / sqrt((double)n);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
	CHECK_NEAR(sum / (double)n, 0, allowed);
	CHECK_NEAR(sqrt(squares / (double)n), deviation, allowed);
}

static void
check_start(const char *model, const char *name, double deviation)
{
	struct graph g;
	int i = 0;
	float *x;

	CHECK_INT(graph_build(model_find(model, NULL), 1000, 224, &g, NULL), 0);
	while (i < g.n_params && strcmp(g.params[i].name, name) != 0)
		i++;
	CHECK(i < g.n_params);
	x = xcalloc(g.params[i].n, sizeof *x);
	graph_init_param(&g, i, 7, x);
	check_moments(x, g.params[i].n, deviation);
	free(x);
	graph_release(&g);
}

/* torchvision's constructors: ResNet and VGG convolutions are normal with
 * sqrt(2 / (out * k * k)); linear layers are uniform in +-1/sqrt(fan_in), with
 * a deviation of that over sqrt(3), but normal with 0.01 in VGG; AlexNet is all
 * uniform. */
static void
test_start_values(void)
{
	check_start("resnet50", "conv1.weight", sqrt(2.0 / (64 * 49)));
	check_start("resnet50", "layer4.2.conv3.weight", sqrt(2.0 / 2048));
	check_start("resnet50", "fc.weight", 1 / sqrt(3 * 2048.0));
	check_start("resnet50", "fc.bias", 1 / sqrt(3 * 2048.0));
	check_start("vgg11", "features.0.weight", sqrt(2.0 / (64 * 9)));
	check_start("vgg11", "features.0.bias", 0);
	check_start("vgg11", "classifier.6.weight", 0.01);
	check_start("vgg11", "classifier.6.bias", 0);
	check_start("alexnet", "features.0.weight", 1 / sqrt(3 * 363.0));
	check_start("alexnet", "features.0.bias", 1 / sqrt(3 * 363.0));
	check_start("alexnet", "classifier.6.weight", 1 / sqrt(3 * 4096.0));
}

static void
test_seed(void)
{
	float a[64], b[64];
	struct graph g;

	CHECK_INT(
	    graph_build(model_find("resnet18", NULL), 10, 64, &g, NULL), 0);
	graph_init_param(&g, 1, 7, a);
	CHECK_NEAR(a[0], 1, 0);
	CHECK_NEAR(a[63], 1, 0);
	graph_init_param(&g, 2, 7, a);
	CHECK_NEAR(a[63], 0, 0);
	g.params[1].init = PARAM_NORMAL;
	graph_init_param(&g, 1, 7, a);
	graph_init_param(&g, 1, 7, b);
	CHECK(memcmp(a, b, sizeof a) == 0);
	graph_init_param(&g, 1, 8, b);
	CHECK(memcmp(a, b, sizeof a) != 0);
	graph_release(&g);
}

static const struct tap_test tests[] = {
	TEST(test_counts),
	TEST(test_training_flops),
	TEST(test_names),
	TEST(test_buffers),
	TEST(test_arena),
	TEST(test_small_images),
	TEST(test_unknown_model),
	TEST(test_philox),
	TEST(test_start_values),
	TEST(test_seed),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
