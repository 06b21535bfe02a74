/* What --profile reports for each call. */
#include <config.h>

#include <stdlib.h>

#include "tests/cuda_host.h"
#include "tests/device_pair.h"
#include "tests/tap.h"
#include "trainer/device/cuda/executor.h"

static struct error e;

/* Convolutions and linear layers of ResNet-50 take 4.089 GMAC per image
 * forward, and as many for each gradient except that of the stem's input. The
 * stem has 4 channels instead of 3. */
static void
test_work(void)
{
	struct program_config c = { .batch = 2, .type = DTYPE_FP16 };
	const double stem = 2.0 * 2 * 112 * 112 * 64 * 49 * 3;
	double flop[2] = { 0, 0 }, bytes = 0;
	struct graph g;
	struct gpu_program p;
	const struct call *first = NULL;

	CHECK_INT(
	    graph_build(model_find("resnet50", &e), 1000, 224, &g, &e), 0);
	program_build(&g, &c, &p);
	for (int i = 0; i < p.n_calls; i++) {
		flop[i >= p.n_forward] += call_row_of(&p, i, 1).flop;
		bytes += call_row_of(&p, i, 1).bytes;
		if (first == NULL && p.calls[i].kind == CALL_CONV)
			first = &p.calls[i];
	}
	CHECK_NEAR(
	    flop[0] + flop[1], 2 * graph_training_flops(&g) + 2 * stem / 3, 1);
	CHECK(first != NULL);
	/* 2 x 224 x 224 x 4 in, 2 x 112 x 112 x 64 out, 64 x 7 x 7 x 4. */
	CHECK_NEAR(call_row_of(&p, (int)(first - p.calls), 1).bytes,
	    2.0 * (2 * 224 * 224 * 4 + 2 * 112 * 112 * 64 + 64 * 49 * 4), 0.1);
	/* Unfused, each is read and written alone: at least 490 MB per image
	 * (convolution, statistics, normalisation, ReLU), below twice that. */
	CHECK(bytes / 2 > 350e6 && bytes / 2 < 980e6);
	program_release(&p);
	graph_release(&g);
}

static int
count_lines(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void
test_lines(void)
{
	const struct sgd sgd = { 0.05, 0.9, 1e-3, 1 };
	struct loss_result r;
	struct strbuf sb;
	struct pair p;
	int n, n_fused = 0;

	host_claims = HOST_FUSED;
	pair_open(&p, "small", DTYPE_FP16, host_device_open);
	pair_run(p.device, MODE_TRAIN, &r);
	CHECK_INT(device_update(p.device, &sgd, &e), 0);
	strbuf_init(&sb, 1 << 20);
	CHECK_INT(device_call_times(p.device, 2, &sb, &e), 0);
	n = host_device_program(p.device)->n_calls;
	CHECK_INT(count_lines(sb.buf, "call index="), n + 3);
	CHECK_INT(count_lines(sb.buf, "\n"), n + 3);
	CHECK_INT(count_lines(sb.buf, " kind=take node=- "), 1);
	CHECK_INT(count_lines(sb.buf, " kind=update node=- "), 1);
	CHECK(count_lines(sb.buf, " kind=conv-data node=layer") +
		count_lines(sb.buf, " kind=conv-data node=a ") >
	    0);
	for (int i = 0; i < n; i++) {
		const struct call *c = &host_device_program(p.device)->calls[i];

		n_fused += call_is_fused(c);
	}
	CHECK(n_fused > 0);
	CHECK_INT(count_lines(sb.buf, " fused=1 us="), n_fused);
	strbuf_release(&sb);
	CHECK_INT(device_call_times(p.reference.device, 2, &sb, &e), -1);
	CHECK_STR(e.message, "device 'reference' cannot time its calls");
	pair_close(&p);
}

static const struct tap_test tests[] = {
	TEST(test_work),
	TEST(test_lines),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
