/* The cuda device's planning and host side, run on the CPU
 * (tests/cuda_host.h), against the reference device in fp64. */
#include <config.h>

#include "tests/cuda_host.h"
#include "tests/device_pair.h"
#include "tests/tap.h"
#include "trainer/device/cuda/loss_scale.h"

static struct error e;

static void
test_plain(void)
{
	host_claims = HOST_PLAIN;
	pair_check_model("small", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
	pair_check_model("plain", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
}

static void
test_fused(void)
{
	host_claims = HOST_FUSED;
	pair_check_model("small", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
	pair_check_model("plain", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
	pair_check_model("biased", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
#ifndef __SANITIZE_ADDRESS__ /* takes 20 s there */
	/* Statistics of four values: even fp32 on the reference device is off
	 * by 0.03. */
	pair_check_model("resnet18", DTYPE_FP32, 0.02, 0.2, host_device_open);
#endif
}

/* The plan is correct for any mix of fused calls that the machine claims. */
static void
test_mixed(void)
{
	host_claims = HOST_MIXED;
	for (host_seed = 1; host_seed <= 20; host_seed++) {
		pair_check_model(
		    "small", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
		pair_check_model(
		    "plain", DTYPE_FP32, 1e-4, 1e-4, host_device_open);
	}
}

/* ResNet-50 fused: each convolution also sums its output, and its data gradient
 * includes the step back through a normalisation that it reads. */
static void
test_resnet50(void)
{
	const struct device_config c = {
		.device = "host", .precision = DTYPE_FP16, .batch = 2
	};
	int kinds[N_CALL_KINDS] = { 0 }, fused[N_CALL_KINDS] = { 0 };
	struct device *d;
	struct graph g;
	const struct gpu_program *p;

	host_claims = HOST_FUSED;
	CHECK_INT(graph_build(model_find("resnet50", &e), 1000, 64, &g, &e), 0);
	CHECK_INT(host_device_open(&g, &c, &d, &e), 0);
	p = host_device_program(d);
	for (int i = 0; i < p->n_calls; i++) {
		kinds[p->calls[i].kind]++;
		fused[p->calls[i].kind] += call_is_fused(&p->calls[i]);
	}
	/* 53 convolutions and the classifier. In data gradients: 2 convolutions
	 * in each of 16 blocks read a normalisation; 15 blocks follow another
	 * one, four of which end with two normalisations. */
	CHECK_INT(kinds[CALL_CONV], 54);
	CHECK_INT(fused[CALL_CONV], 53);
	CHECK_INT(fused[CALL_CONV_WEIGHT], 0);
	CHECK_INT(fused[CALL_CONV_DATA], 32 + 15 - 4);
	/* The stem's normalisation is part of the pooling; four blocks have two
	 * normalisations with both gradients in one call; 25.5 million weights
	 * are copied out at 8 MiB plus at most a layer. */
	CHECK_INT(kinds[CALL_NORM_APPLY], 32 + 16);
	CHECK_INT(kinds[CALL_MAXPOOL], 1);
	CHECK_INT(kinds[CALL_MAXPOOL_BACK], 1);
	CHECK_INT(kinds[CALL_SUM], 0);
	CHECK_INT(kinds[CALL_WEIGHT_OUT], 11);
	CHECK_INT(kinds[CALL_BIAS_GRAD], 1);
	CHECK_INT(kinds[CALL_NORM_SUMS], 0);
	CHECK_INT(kinds[CALL_NORM_FINISH], 1);
	CHECK_INT(kinds[CALL_NORM_REDUCE], 2 + 4);
	CHECK_INT(kinds[CALL_NORM_BACK], 53 - 4);
	CHECK_INT(p->n_norms, 53);
	/* Sharing memory saves at least 20 %. */
	CHECK(p->memory.bytes < p->memory.sum * 0.8);
	device_close(d);
	graph_release(&g);
}

/* VGG-16's five biases before a pooling are part of the pooling call. */
static void
test_vgg(void)
{
	const struct device_config c = {
		.device = "host", .precision = DTYPE_BF16, .batch = 2
	};
	const struct gpu_program *p;
	struct device *d;
	struct graph g;
	int biases = 0;

	host_claims = HOST_FUSED;
	CHECK_INT(graph_build(model_find("vgg16", &e), 10, 32, &g, &e), 0);
	CHECK_INT(host_device_open(&g, &c, &d, &e), 0);
	p = host_device_program(d);
	for (int i = 0; i < p->n_calls; i++)
		biases += p->calls[i].kind == CALL_BIAS;
	CHECK_INT(biases, 8 + 3);
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
		pair_open(&p, "small", DTYPE_FP32, host_device_open);
		pair_run(p.device, MODE_TRAIN, &r);
		ranges = (struct ranges){ 0 };
		CHECK_INT(
		    device_backward(p.device, take_range, &ranges, &e), 0);
		CHECK_INT(ranges.end, p.reference.graph.arena_size);
		CHECK(ranges.n > 10);
		pair_close(&p);
	}
}

/* True if the calls before t report the gradient of parameter i as final. */
static int
is_reported(const struct gpu_program *p, int t, int i)
{
	size_t done = 0;

	for (int k = 0; k < t; k++)
		if (p->calls[k].done > done)
			done = p->calls[k].done;
	return p->graph->params[i].offset < done;
}

/* Gradients reported as final may be summed over ranks in place. Those of a
 * normalisation's weights are still an input of CALL_NORM_BACK, so they must be
 * this rank's own until then. */
static void
test_ready_when_read(void)
{
	const struct device_config c = {
		.device = "host", .precision = DTYPE_FP16, .batch = 2
	};

	for (host_claims = HOST_PLAIN; host_claims <= HOST_FUSED;
	     host_claims++) {
		const struct gpu_program *p;
		struct device *d;
		struct graph g;
		int n = 0, early = 0;

		CHECK_INT(
		    graph_build(model_find("resnet18", &e), 10, 64, &g, &e), 0);
		CHECK_INT(host_device_open(&g, &c, &d, &e), 0);
		p = host_device_program(d);
		for (int t = p->n_forward; t < p->n_calls; t++) {
			const struct call *call = &p->calls[t];

			if (call->kind != CALL_NORM_BACK)
				continue;
			for (int k = 0; k < 2; k++) {
				const struct node *norm = call->norm[k] < 0
				    ? NULL
				    : p->norms[call->norm[k]].node;

				n += norm != NULL;
				early += norm != NULL &&
				    (is_reported(p, t, norm->weight) ||
					is_reported(p, t, norm->bias));
			}
		}
		CHECK_INT(n, 20); /* of 20 normalisations */
		CHECK_INT(early, 0);
		device_close(d);
		graph_release(&g);
	}
}

/* fp16 gradients include the loss scale, hidden from callers. An overflow skips
 * the step and halves the scale. */
static void
test_loss_scale(void)
{
	const struct sgd s = { 0.05, 0.9, 1e-3, 1 };
	struct loss_result r;
	struct loss_scale *scale;
	struct pair p;
	float before, after;

	host_claims = HOST_FUSED;
	pair_open(&p, "small", DTYPE_FP16, host_device_open);
	scale = host_device_scale(p.device);
	CHECK(scale->dynamic);
	scale->scale = 1024;
	pair_check(&p, MODE_FROZEN, 0.3);
	CHECK_NEAR(scale->used, 1024, 0);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	CHECK_INT(device_update(p.reference.device, &s, &e), 0);
	pair_compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, 0.3);
	CHECK_INT(scale->good, 1);
	scale->scale = 1e7f; /* times a gradient of 0.1: beyond 65504 */
	before = scale->scale;
	pair_run(p.device, MODE_TRAIN, &r);
	CHECK_INT(device_update(p.device, &s, &e), 0);
	after = scale->scale;
	CHECK_NEAR(after, before / 2, 0);
	CHECK_INT(scale->n_skipped, 1);
	CHECK_INT(scale->good, 0);
	/* The skipped step changed nothing. */
	pair_compare(&p, TENSOR_MOMENTUM, p.reference.graph.n_params, 0.3);
	pair_close(&p);
}

/* loss_scale_next() alone. */
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
	const float step = 0.0009765625f; /* 2^-10, the next after 1 */

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
	TEST(test_vgg),
	TEST(test_ready),
	TEST(test_ready_when_read),
	TEST(test_loss_scale),
	TEST(test_scale_rule),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
