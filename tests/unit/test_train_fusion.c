/* The measured cost of an allreduce of few gradients. */
#include <config.h>

#include <string.h>

#include "tests/tap.h"
#include "trainer/run/train.h"
#include "trainer/tune/plan_model.h"

static struct error e;
static size_t longest; /* elements of an allreduce of gradients */

/* One of two ranks; the other one has zeros. */
static int
note_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *why)
{
	(void)c, (void)data, (void)op, (void)why;
	if (t == COMM_FP32 && n > longest)
		longest = n;
	return 0;
}

static const struct comm_ops noting = { .name = "noting",
	.allreduce = note_allreduce };

/* The shorter of the two allreduces takes 4 KiB, but at most the size of all
 * gradients, which is that of their buffer. */
static void
test_few_gradients(void)
{
	static const struct layer layers[] = { { LAYER_AVGPOOL, 1, 0, 0, 0, 0 },
		{ LAYER_CLASSIFIER, 0, 0, 0, 0, 0 },
		{ LAYER_END, 0, 0, 0, 0, 0 } };
	static const struct model tiny = { .name = "tiny",
		.layers = layers,
		.names = NAMES_SEQUENTIAL,
		.default_image = 8 };
	const struct device_config config = { .device = "reference",
		.precision = DTYPE_FP32,
		.batch = 1,
		.threads = 1 };
	const struct gradient_codec_config as_is = { .wire = DTYPE_FP32 };
	struct comm two = { .ops = &noting, .size = 2 };
	struct train t = { .comm = &two };
	struct gradient_codec *codec;
	struct plan_cost took, cpu;
	size_t n;

	CHECK_INT(graph_build(&tiny, 10, 8, &t.network.graph, &e), 0);
	CHECK_INT(
	    device_open(&t.network.graph, &config, &t.network.device, &e), 0);
	t.reduction.grads = device_arena(t.network.device, TENSOR_GRAD);
	n = t.reduction.grads.n;
	CHECK(n * sizeof(float) < 4096);
	CHECK_INT(
	    gradient_codec_open(&two, DTYPE_FP32, n, &as_is, &codec, &e), 0);
	longest = 0;
	CHECK_INT(train_probe(&t, codec, &took, &cpu, &e), 0);
	CHECK_INT(longest, n);
	CHECK(took.alpha_s >= 0);
	CHECK_NEAR(took.beta_s_per_byte, 0, 0);
	CHECK_NEAR(cpu.beta_s_per_byte, 0, 0);
	gradient_codec_close(codec);
	network_close(&t.network);
}

static const struct tap_test tests[] = {
	TEST(test_few_gradients),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
