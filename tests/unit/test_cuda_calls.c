/* Compare each call of a step on a GPU, fused and not, with plain C from the
 * same inputs, and whole steps of the same networks with the reference device.
 * Compiled twice: for a GPU, and with EMULATED for CUDA on the CPU
 * (tests/cuda_emulator.h), whose convolutions are plain loops as well. */
#include <config.h>

#include <math.h>

#include "tests/cuda_mirror.h"
#include "tests/tap.h"

#ifdef EMULATED
#include "tests/cuda_emulator.h"
#else
static int emulated_fused, emulated_tf32;
#endif

static struct error e;

/* Compare each call of a step, forward and backward.
 *
 * fused  minimum number of fused convolutions */
static void
check_calls(const char *model, enum dtype t, double most, int fused)
{
	static const enum device_mode modes[] = { MODE_TRAIN, MODE_FROZEN };
	struct loss_result r;
	struct pair p;

	mirror_most = most;
	for (int i = 0; i < 2; i++) {
		pair_open(&p, model, t, mirror_open);
		pair_run(p.device, modes[i], &r);
		printf("# %s %s: %d calls, %d fused, off by %.2g at most\n",
		    model, dtype_name(t), mirror_calls, mirror_fused,
		    mirror_worst);
		CHECK(mirror_calls > 20);
		CHECK(mirror_fused >= fused);
		pair_close(&p);
	}
}

static void
test_fp32_calls(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	check_calls("wide", DTYPE_FP32, 1e-4, 0);
	check_calls("biased", DTYPE_FP32, 1e-4, 0);
}

/* fp16 has 11 bits: a call's result is off by 2^-11 of each element, sums by
 * less; 1e-2 also allows for the few gradients whose mask flips. */
static void
test_fp16_calls(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	emulated_fused = 1;
	/* Three convolutions in each of four blocks sum up their output, and
	 * the gradients of two go through a normalisation. */
	check_calls("wide", DTYPE_FP16, 1e-2, 20);
	emulated_fused = 0;
	check_calls("wide", DTYPE_FP16, 1e-2, 0);
	check_calls("biased", DTYPE_FP16, 1e-2, 0);
}

static void
test_bf16_calls(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	check_calls("wide", DTYPE_BF16, 3e-2, 0);
	check_calls("biased", DTYPE_BF16, 3e-2, 0);
}

/* Without a trial of engines, which takes longer than everything else. */
static int
open_guessing(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	own.engine_guess = 1;
	return device_open(g, &own, out, error);
}

/* Whole steps in fp32: the error of a gradient is that of its products, 2^-24
 * times the root of their number through ten layers, and of statistics of 64
 * values. */
static void
test_steps(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	pair_check_model("wide", DTYPE_FP32, 1e-3, 2e-2, open_guessing);
	pair_check_model("biased", DTYPE_FP32, 1e-4, 1e-4, open_guessing);
}

/* Whole steps in TF32, which multiplies numbers of 11 bits: the input of a ReLU
 * is off by at most 2^-10 of its deviation, so 0.8 * 2^-10 of a normal
 * distribution change their sign, and the gradient changes by the root of that,
 * 0.028, at each ReLU. Twice that is allowed. */
static void
check_tf32(const char *model, int relus)
{
	struct pair p;

	pair_open(&p, model, DTYPE_TF32, open_guessing);
	pair_check(&p, MODE_TRAIN, 2 * 0.028 * sqrt(relus));
	pair_close(&p);
}

static void
test_tf32_steps(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	emulated_tf32 = 1;
	check_tf32("biased", 4);
	check_tf32("wide", 13); /* one in the stem, three in each block */
	emulated_tf32 = 0;
}

static const struct tap_test tests[] = {
	TEST(test_fp32_calls),
	TEST(test_fp16_calls),
	TEST(test_bf16_calls),
	TEST(test_steps),
	TEST(test_tf32_steps),
};

int
main(void)
{
	const size_t n = sizeof tests / sizeof tests[0];

	(void)emulated_fused;
	(void)emulated_tf32;
	return tap_main(tests, n);
}
