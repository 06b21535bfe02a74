/* Deferred, captured and replayed steps of the cuda device, on the CPU
 * (tests/cuda_host.h), equal the same steps run call by call, byte for byte. */
#include <config.h>

#include "tests/cuda_host.h"

#include "tests/cuda_steps.h"
#include "tests/tap.h"
#include "trainer/device/cuda/loss_scale.h"

static struct error e;

static void
run_open(struct run *r, int step_graph, enum dtype precision)
{
	steps_open(r, "small", step_graph, precision, host_device_open);
}

/* The first step runs call by call, then come two captures, then replays, while
 * the learning rate changes. */
static void
test_replays(void)
{
	struct run plain, graph;

	host_claims = HOST_FUSED;
	run_open(&plain, 0, DTYPE_FP32);
	for (int i = 0; i < 6; i++)
		steps_train(&plain, i < 4 ? 0.01 : 0.001, 0);
	CHECK_INT(host_device_replays(plain.n.device), 0);
	CHECK(steps_says(&plain, "step call by call\n"));
	run_open(&graph, 1, DTYPE_FP32);
	for (int i = 0; i < 6; i++)
		steps_train(&graph, i < 4 ? 0.01 : 0.001, 0);
	CHECK_INT(host_device_replays(graph.n.device), 5);
	CHECK(steps_says(&graph, "step captured as a graph\n"));
	/* Marks of the plain step and two captures; replays add none. */
	CHECK_INT(host_device_marks(graph.n.device), 3 * N_MARKS);
	steps_close(&graph);
	steps_close(&plain);
}

static void
test_equal(void)
{
	const int all_captured[STEPS_COMPARED] = { 0 };
	const int mixed[STEPS_COMPARED] = { 0, 0, HOST_READS, 0,
		HOST_LOOKS_ON };

	host_claims = HOST_FUSED;
	steps_compare(all_captured, DTYPE_FP32, host_device_open);
	steps_compare(mixed, DTYPE_FP32, host_device_open);
	steps_compare(all_captured, DTYPE_FP16, host_device_open);
}

/* Tests that also run on a GPU. */
static void
test_overflow_weights(void)
{
	steps_overflow(host_device_open);
	steps_go_on(host_device_open);
}

/* Another order of images is captured separately, with the plain results. */
static void
test_recapture(void)
{
	struct run plain, graph;

	run_open(&plain, 0, DTYPE_FP32);
	run_open(&graph, 1, DTYPE_FP32);
	for (int i = 0; i < 8; i++) {
		steps_train(&plain, 0.01, i / 4 ? OTHER_ORDER : 0);
		steps_train(&graph, 0.01, i / 4 ? OTHER_ORDER : 0);
	}
	steps_same(&plain, &graph);
	/* The plain step and four captures, N_MARKS each. */
	CHECK_INT(host_device_marks(graph.n.device), 5 * N_MARKS);
	steps_close(&graph);
	steps_close(&plain);
}

/* Forgotten steps are captured again: here two, one for each slot. */
static void
test_forget(void)
{
	struct run graph;

	run_open(&graph, 1, DTYPE_FP32);
	for (int i = 0; i < 5; i++)
		steps_train(&graph, 0.01, 0);
	device_forget_steps(graph.n.device);
	for (int i = 0; i < 4; i++)
		steps_train(&graph, 0.01, 0);
	CHECK_INT(host_device_marks(graph.n.device), 5 * N_MARKS);
	CHECK_INT(host_device_replays(graph.n.device), 8);
	steps_close(&graph);
	steps_forget(host_device_open);
}

/* If a step cannot be captured, it and all later steps run call by call. */
static void
test_failed_capture(void)
{
	struct run plain, graph;

	run_open(&plain, 0, DTYPE_FP32);
	host_captures = 1;
	run_open(&graph, 1, DTYPE_FP32);
	host_captures = 1000;
	for (int i = 0; i < 5; i++) {
		steps_train(&plain, 0.01, 0);
		steps_train(&graph, 0.01, 0);
	}
	steps_same(&plain, &graph);
	CHECK_INT(host_device_replays(graph.n.device), 1);
	CHECK(steps_says(&graph, "step not captured: no capture today\n"));
	steps_close(&graph);
	steps_close(&plain);
}

/* A captured step with a gradient that is not finite is skipped. */
static void
test_overflow(void)
{
	struct run plain, graph;
	struct loss_scale *scale[2];

	run_open(&plain, 0, DTYPE_FP16);
	scale[0] = host_device_scale(plain.n.device);
	run_open(&graph, 1, DTYPE_FP16);
	scale[1] = host_device_scale(graph.n.device);
	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < 2; k++)
			scale[k]->scale = i == 4 ? 1e7f : 1024;
		steps_train(&plain, 0.01, 0);
		steps_train(&graph, 0.01, 0);
	}
	CHECK_INT(scale[1]->n_skipped, 1);
	CHECK_INT(scale[0]->n_skipped, 1);
	CHECK_INT(scale[1]->good, 1);
	steps_same(&plain, &graph);
	steps_close(&graph);
	steps_close(&plain);
}

struct sums {
	size_t end;
	int joins, readies, fail;
};

static int
allreduce_ready(void *ctx, size_t offset, size_t n, struct error *error)
{
	struct sums *s = ctx;

	if (s->fail)
		return error_set(error, ERROR_SYSTEM, "no sums");
	CHECK_INT(offset, s->end);
	s->end += n;
	s->readies++;
	return 0;
}

static int
allreduce_join(void *ctx, struct error *error)
{
	struct sums *s = ctx;

	(void)error;
	s->joins++;
	s->end = 0;
	return 0;
}

/* Allreduces in the device's streams are queued in the plain step and during
 * captures, but not in replays; their errors are reported. */
static void
test_sums(void)
{
	struct sums sums = { 0 };
	struct run r;
	int each;

	run_open(&r, 1, DTYPE_FP32);
	r.n.device->allreduce =
	    (struct device_allreduce){ allreduce_ready, allreduce_join, &sums };
	steps_train(&r, 0.01, 0);
	CHECK_INT(sums.joins, 1);
	each = sums.readies;
	CHECK(each > 5);
	for (int i = 0; i < 5; i++)
		steps_train(&r, 0.01, 0);
	CHECK_INT(sums.joins, 3);
	CHECK_INT(sums.readies, 3 * each);
	CHECK_INT(host_device_replays(r.n.device), 5);
	steps_close(&r);
	run_open(&r, 0, DTYPE_FP32);
	sums.fail = 1;
	r.n.device->allreduce =
	    (struct device_allreduce){ allreduce_ready, allreduce_join, &sums };
	CHECK_INT(device_load(r.n.device,
		      &(struct images){ .type = DTYPE_FP32,
			  .order = IMAGES_NCHW,
			  .data = r.images,
			  .n = BATCH },
		      r.labels, &e),
	    0);
	CHECK_INT(device_forward(r.n.device, MODE_TRAIN, 0, &e), 0);
	CHECK_INT(device_loss(r.n.device, &e), 0);
	CHECK_INT(device_backward(r.n.device, NULL, NULL, &e), -1);
	CHECK_STR(e.message, "no sums");
	steps_close(&r);
}

static const struct tap_test tests[] = {
	TEST(test_replays),
	TEST(test_equal),
	TEST(test_recapture),
	TEST(test_forget),
	TEST(test_failed_capture),
	TEST(test_overflow),
	TEST(test_overflow_weights),
	TEST(test_sums),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
