/* cuDNN plans every convolution that the cuda device would run on an H200 from
 * a description of that GPU: no GPU and no driver is needed. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "trainer/device/cuda/engines/cudnn_graph.h"

/* cuDNN and cuBLAS never free some memory, partly allocated by libraries that
 * they have unloaded, so leaks of this program cannot be told apart. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* An H200 as cuDNN describes it. */
static const char CUDNN_H200[] =
    "{\"maxGridSize\":[2147483647,65535,65535],"
    "\"maxBlockSize\":[1024,1024,64],\"regsPerBlock\":65536,"
    "\"multiProcessorCount\":132,\"warpSize\":32,"
    "\"maxSharedMemoryPerBlock\":49152,"
    "\"maxSharedMemoryPerBlockOptin\":232448,"
    "\"reservedSharedMemoryPerBlock\":1024,\"maxRegistersPerSM\":65536,"
    "\"maxCtasPerSM\":32,\"maxThreadsPerBlock\":1024,"
    "\"maxThreadsPerSM\":2048,\"pciDeviceId\":0,\"isTccDriver\":0,"
    "\"supportCoopLaunch\":1,\"totalGlobalMem\":150754820096,"
    "\"smClockRateKHz\":1980000,\"memClockRateKHz\":3201000,"
    "\"l2CacheSize\":62914560,\"cudaDeviceId\":0,\"deviceVer\":900,"
    "\"driverVer\":13000,\"deviceName\":\"NVIDIA H200\"}";

/* Make a target from a JSON description. Returns cuDNN's status. */
static cudnnStatus_t
describe_target(const char *json, struct cudnn_target *out)
{
	cudnnStatus_t s = cudnn.create_descriptor(
	    CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &out->described);

	out->handle = NULL;
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnn.set_attribute(out->described,
		    CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
		    (int64_t)strlen(json), json);
	return s == CUDNN_STATUS_SUCCESS ? cudnn.finalize(out->described) : s;
}

static struct error e;
static struct cudnn_target h200;

static void
plan(const char *model, enum dtype type, int batch, int fused, struct graph *g,
    struct gpu_program *p)
{
	const struct program_config c = { .batch = batch,
		.type = type,
		.supports = fused ? cudnn_supports : NULL,
		.ctx = &h200 };

	CHECK_INT(graph_build(model_find(model, &e), 1000, 224, g, &e), 0);
	program_build(g, &c, p);
}

static int
is_conv(const struct call *c)
{
	return c->kind == CALL_CONV || c->kind == CALL_CONV_DATA ||
	    c->kind == CALL_CONV_WEIGHT;
}

/* Check that each convolution has an engine, and that the first precompiled one
 * gives a plan. Returns the number of plans that need more than 1 GiB of
 * workspace. */
static int
check_calls(const struct gpu_program *p)
{
	int greedy = 0;

	for (int i = 0; i < p->n_calls; i++) {
		struct cudnn_graph g;
		struct cudnn_plan made;
		int ready = 0;

		if (!is_conv(&p->calls[i]))
			continue;
		if (cudnn_graph_build(&h200, p, &p->calls[i], &g, &e) != 0)
			printf("# %s\n", e.message);
		CHECK(g.n_engines > 0);
		while (ready < g.n_engines && cudnn_graph_compiles(&g, ready))
			ready++;
		CHECK(ready < g.n_engines);
		CHECK(cudnn_graph_engine(&g, ready) >= 0);
		if (cudnn_plan_build(&h200, &g, ready, &made, &e) != 0)
			printf("# %s '%s': %s\n",
			    call_kind_name(p->calls[i].kind),
			    p->calls[i].node->name, e.message);
		CHECK(made.plan != NULL);
		greedy += made.workspace > 1 << 30;
		cudnn_plan_release(&made);
		cudnn_graph_release(&g);
	}
	return greedy;
}

static void
check_plain(const char *model, enum dtype type, int batch)
{
	struct gpu_program p;
	struct graph g;

	plan(model, type, batch, 0, &g, &p);
	(void)check_calls(&p);
	program_release(&p);
	graph_release(&g);
}

/* cuDNN has the fused patterns of the fastest known ResNet-50 in fp16, except
 * for the stem and for gradients of strided 1x1 convolutions. */
static void
test_fused(void)
{
	int sums = 0, through = 0, pools = 0, both = 0;
	struct gpu_program p;
	struct graph g;

	plan("resnet50", DTYPE_FP16, 256, 1, &g, &p);
	for (int i = 0; i < p.n_calls; i++) {
		const struct call *c = &p.calls[i];

		sums += c->kind == CALL_CONV && call_is_fused(c);
		through += c->kind == CALL_CONV_DATA && call_is_fused(c);
		pools += c->kind == CALL_MAXPOOL && c->norm[0] >= 0;
		both += c->kind == CALL_NORM_BACK && c->norm[1] >= 0;
	}
	CHECK_INT(sums, 52); /* all but the stem */
	CHECK_INT(through, 32 + 15 - 4);
	CHECK_INT(pools, 1);
	CHECK_INT(both, 4);
	CHECK_INT(check_calls(&p), 0);
	program_release(&p);
	graph_release(&g);
}

static void
test_plain(void)
{
	check_plain("resnet50", DTYPE_FP16, 256);
	check_plain("resnet50", DTYPE_BF16, 256);
	check_plain("resnet50", DTYPE_FP32, 128);
	check_plain("resnet18", DTYPE_FP16, 64);
}

static void
test_vgg(void)
{
	check_plain("vgg16", DTYPE_FP16, 128);
	check_plain("vgg16_bn", DTYPE_FP32, 32);
	check_plain("alexnet", DTYPE_BF16, 128);
}

/* The other heuristics add configurations; each added one has a unique tag,
 * which is the same in the next query. */
static void
test_candidates(void)
{
	struct gpu_program p;
	struct graph g;
	int more = 0;

	plan("resnet18", DTYPE_FP16, 64, 1, &g, &p);
	for (int i = 0; i < p.n_calls; i++) {
		char tags[GRAPH_MAX_ENGINES][GRAPH_TAG], again[GRAPH_TAG];
		struct cudnn_graph made, second;
		int first;

		if (!is_conv(&p.calls[i]))
			continue;
		CHECK_INT(
		    cudnn_graph_build(&h200, &p, &p.calls[i], &made, &e), 0);
		first = made.n_engines;
		cudnn_graph_more(&h200, &made);
		CHECK(made.n_engines >= first);
		more += made.n_engines - first;
		for (int k = 0; k < made.n_engines; k++) {
			cudnn_graph_tag(&made, k, tags[k]);
			CHECK(strncmp(tags[k], "eng", 3) == 0);
			CHECK(strlen(tags[k]) < GRAPH_TAG - 1);
			for (int j = 0; j < k; j++)
				CHECK(
				    strcmp(tags[k], tags[j]) != 0 || k < first);
		}
		CHECK_INT(
		    cudnn_graph_build(&h200, &p, &p.calls[i], &second, &e), 0);
		for (int k = 0; k < second.n_engines; k++) {
			cudnn_graph_tag(&second, k, again);
			CHECK_STR(again, tags[k]);
		}
		cudnn_graph_release(&second);
		cudnn_graph_release(&made);
	}
	CHECK(more > 0);
	program_release(&p);
	graph_release(&g);
}

/* In fp32 each convolution has an engine without rounding to TF32, and others
 * with it. */
static void
test_exact(void)
{
	struct gpu_program p;
	struct graph g;

	plan("resnet50", DTYPE_FP32, 128, 0, &g, &p);
	for (int i = 0; i < p.n_calls; i++) {
		struct cudnn_plan made;
		struct cudnn_graph all;
		int rounding = 0, exact = 0;

		if (!is_conv(&p.calls[i]))
			continue;
		CHECK_INT(
		    cudnn_graph_build(&h200, &p, &p.calls[i], &all, &e), 0);
		cudnn_graph_more(&h200, &all);
		for (int k = 0; k < all.n_engines; k++)
			if (cudnn_graph_rounds(&all, k))
				rounding++;
			else if (!exact &&
			    cudnn_plan_build(&h200, &all, k, &made, &e) == 0) {
				exact = 1;
				cudnn_plan_release(&made);
			}
		CHECK(rounding > 0);
		CHECK(exact);
		cudnn_graph_release(&all);
	}
	program_release(&p);
	graph_release(&g);
}

/* A graph that cuDNN rejects gives an error with cuDNN's message. */
static void
test_errors(void)
{
	struct cudnn_graph made;
	struct gpu_program p;
	struct graph g;

	plan("resnet18", DTYPE_FP32, 8, 0, &g, &p);
	p.calls[0].conv.p = 3; /* contradicts kernel and stride */
	CHECK_INT(cudnn_graph_build(&h200, &p, &p.calls[0], &made, &e), -1);
	CHECK(strstr(e.message, "cuDNN") != NULL);
	program_release(&p);
	graph_release(&g);
}

static const struct tap_test tests[] = {
	TEST(test_fused),
	TEST(test_plain),
	TEST(test_vgg),
	TEST(test_candidates),
	TEST(test_exact),
	TEST(test_errors),
};

int
main(void)
{
	int status;

	if (cudnn_library_open(&e) != 0) {
		printf("1..0 # SKIP %s\n", e.message);
		return 0;
	}
	if (describe_target(CUDNN_H200, &h200) != CUDNN_STATUS_SUCCESS) {
		printf("1..0 # SKIP cuDNN knows no H200\n");
		return 0;
	}
	status = tap_main(tests, sizeof tests / sizeof tests[0]);
	cudnn.destroy_descriptor(h200.described);
	return status;
}
