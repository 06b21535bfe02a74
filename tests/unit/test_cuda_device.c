/* The cuda device on a real GPU against the reference device in fp64. */
#include <config.h>

#include <stdlib.h>

#include "tests/device_pair.h"
#include "tests/tap.h"

static struct error e;

static int
open_cuda(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	return device_open(g, &own, out, error);
}

/* Is there a GPU?  If not, that is said, and why. */
static int
have_gpu(void)
{
	const struct device_config c = { .device = "cuda", .batch = 1 };
	struct device *d = NULL;
	struct graph g;
	int rc;

	graph_start(&g, (struct shape){ 3, 2, 2 });
	graph_linear(&g, "last", 0, CLASSES);
	graph_finish(&g);
	rc = device_open(&g, &c, &d, &e);
	device_close(d);
	graph_release(&g);
	return rc == 0;
}

/* Without a GPU: an error that names the device and the cause. */
static void
test_refusal(void)
{
	if (have_gpu())
		SKIP("there is a GPU");
	printf("# %s\n", e.message);
	CHECK(e.code == ERROR_SYSTEM || e.code == ERROR_USAGE);
	CHECK(strstr(e.message, "device 'cuda': ") == e.message);
	CHECK(strlen(e.message) > strlen("device 'cuda': no GPU"));
}

static void
test_fp32(void)
{
	if (!have_gpu())
		SKIP(e.message);
	pair_check_model("small", DTYPE_FP32, 1e-4, 1e-4, open_cuda);
	pair_check_model("plain", DTYPE_FP32, 1e-4, 1e-4, open_cuda);
	pair_check_model("resnet18", DTYPE_FP32, 0.02, 0.2, open_cuda);
}

/* 16 bits with fixed statistics: 11 or 8 bits of precision through some ten
 * layers and ReLUs that flip. */
static void
check_half(enum dtype t)
{
	struct pair p;

	pair_open(&p, "small", t, open_cuda);
	pair_check(&p, MODE_FROZEN, 0.3);
	pair_close(&p);
}

static void
test_fp16(void)
{
	if (!have_gpu())
		SKIP(e.message);
	check_half(DTYPE_FP16);
}

static void
test_bf16(void)
{
	if (!have_gpu())
		SKIP(e.message);
	check_half(DTYPE_BF16);
}

static const struct tap_test tests[] = {
	TEST(test_refusal),
	TEST(test_fp32),
	TEST(test_fp16),
	TEST(test_bf16),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
