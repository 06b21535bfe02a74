/* The cuda device on a real GPU against the reference device in fp64. */
#include <config.h>

#include <stdlib.h>
#include <unistd.h>

#include "tests/cuda_steps.h"
#include "tests/tap.h"

static struct error e;

/* True if there is a GPU; else e states the reason. */
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

/* Without a GPU, the error names the device and the cause. */
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
	pair_check_model("small", DTYPE_FP32, 1e-4, 1e-4, steps_open_cuda);
	pair_check_model("plain", DTYPE_FP32, 1e-4, 1e-4, steps_open_cuda);
	pair_check_model("resnet18", DTYPE_FP32, 0.02, 0.2, steps_open_cuda);
}

/* 16-bit types with fixed statistics: 11 or 8 bits of precision through about
 * ten layers, with ReLUs that flip. */
static void
check_half(enum dtype t)
{
	struct pair p;

	pair_open(&p, "small", t, steps_open_cuda);
	pair_check(&p, MODE_FROZEN, 0.3);
	pair_check_bytes(&p, 0.3);
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

/* A replayed captured step gives the same bytes as its calls. */
static void
test_captured(void)
{
	const int captured[STEPS_COMPARED] = { 0 };

	if (!have_gpu())
		SKIP(e.message);
	steps_compare(captured, DTYPE_FP32, steps_open_cuda);
	steps_compare(captured, DTYPE_FP16, steps_open_cuda);
	steps_compare(captured, DTYPE_BF16, steps_open_cuda);
}

static void
test_overflow(void)
{
	if (!have_gpu())
		SKIP(e.message);
	steps_overflow(steps_open_cuda);
}

static void
test_forget(void)
{
	if (!have_gpu())
		SKIP(e.message);
	steps_forget(steps_open_cuda);
}

static void
test_go_on(void)
{
	if (!have_gpu())
		SKIP(e.message);
	steps_go_on(steps_open_cuda);
}

/* Each phase of a step takes some time, captured or not. */
static void
test_phases(void)
{
	struct device_times t;
	struct run r;

	if (!have_gpu())
		SKIP(e.message);
	for (int captured = 0; captured < 2; captured++) {
		steps_open(&r, "small", captured, DTYPE_FP32, steps_open_cuda);
		for (int i = 0; i < 8; i++)
			steps_train(&r, 0.01, 0);
		CHECK_INT(device_phases(r.n.device, &t, &e), 0);
		CHECK_INT(t.steps, 8);
		for (int i = 0; i < N_DEVICE_PHASES; i++)
			CHECK(t.seconds[i] >= 0 && t.seconds[i] < 60);
		CHECK(t.seconds[DEVICE_FORWARD] > 0);
		CHECK(t.seconds[DEVICE_BACKWARD] > 0);
		CHECK(t.seconds[DEVICE_UPDATE] > 0);
		steps_close(&r);
	}
}

static int n_notes;

static void
count_note(void *ctx, const char *message)
{
	(void)ctx;
	printf("# %s\n", message);
	n_notes += strncmp(message, "measuring ", 10) == 0;
}

static const char *engine_file;

static int
open_with_file(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	own.engine_cache = engine_file;
	own.note = count_note;
	return device_open(g, &own, out, error);
}

/* Measurements of engines are kept: the next run measures nothing and computes
 * the same bytes. */
static void
test_engine_file(void)
{
	char dir[] = "/tmp/enginesXXXXXX", path[sizeof dir + 10];
	struct run a, b;

	if (!have_gpu())
		SKIP(e.message);
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof path, "%s/engines", dir);
	engine_file = path;
	n_notes = 0;
	steps_open(&a, "small", 0, DTYPE_FP16, open_with_file);
	CHECK_INT(n_notes, 1); /* it measures */
	CHECK_INT(access(path, R_OK), 0);
	steps_open(&b, "small", 0, DTYPE_FP16, open_with_file);
	CHECK_INT(n_notes, 1);
	for (int i = 0; i < 3; i++) {
		steps_train(&a, 0.01, 0);
		steps_train(&b, 0.01, 0);
	}
	steps_same(&a, &b);
	steps_close(&a);
	steps_close(&b);
	unlink(path);
	rmdir(dir);
}

static const struct tap_test tests[] = {
	TEST(test_refusal),
	TEST(test_fp32),
	TEST(test_fp16),
	TEST(test_bf16),
	TEST(test_captured),
	TEST(test_overflow),
	TEST(test_go_on),
	TEST(test_forget),
	TEST(test_phases),
	TEST(test_engine_file),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
