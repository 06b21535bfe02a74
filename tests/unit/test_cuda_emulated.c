/* The cuda device with its own kernels on the CPU (tests/cuda_emulator.h)
 * against the reference device in fp64. Only cuDNN's engines and races are not
 * covered. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda_emulator.h"
#include "tests/cuda_steps.h"
#include "tests/tap.h"

static struct error e;

static void
test_fp32(void)
{
	pair_check_model("small", DTYPE_FP32, 1e-4, 1e-4, steps_open_cuda);
	pair_check_model("plain", DTYPE_FP32, 1e-4, 1e-4, steps_open_cuda);
}

static void
check_half(const char *model, enum dtype t)
{
	struct pair p;

	pair_open(&p, model, t, steps_open_cuda);
	pair_check(&p, MODE_FROZEN, 0.3);
	pair_check_bytes(&p, 0.3);
	pair_close(&p);
}

static void
test_half_float(void)
{
	emulated_fused = 0;
	check_half("small", DTYPE_FP16);
	check_half("small", DTYPE_BF16);
	check_half("plain", DTYPE_FP16);
	check_half("plain", DTYPE_BF16);
	emulated_fused = 1;
	check_half("small", DTYPE_FP16);
	emulated_fused = 0;
}

static void
test_captured(void)
{
	const int captured[STEPS_COMPARED] = { 0 };
	const int mixed[STEPS_COMPARED] = { 0, 0, HOST_READS, 0,
		HOST_LOOKS_ON };

	steps_compare(captured, DTYPE_FP32, steps_open_cuda);
	steps_compare(mixed, DTYPE_FP32, steps_open_cuda);
	emulated_fused = 1;
	steps_compare(captured, DTYPE_FP16, steps_open_cuda);
	steps_overflow(steps_open_cuda);
	emulated_fused = 0;
	steps_overflow(steps_open_cuda);
}

/* A phase takes 1 ms per step in the emulator, captured or not. */
static void
test_phases(void)
{
	struct device_times t;
	struct run r;

	for (int captured = 0; captured < 2; captured++) {
		steps_open(&r, "small", captured, DTYPE_FP32, steps_open_cuda);
		for (int i = 0; i < 5; i++)
			steps_train(&r, 0.01, 0);
		CHECK_INT(device_phases(r.n.device, &t, &e), 0);
		CHECK_INT(t.steps, 5);
		for (int i = 0; i < N_DEVICE_PHASES; i++)
			CHECK_NEAR(t.seconds[i], 5e-3, 1e-9);
		CHECK_INT(device_phases(r.n.device, &t, &e), 0);
		CHECK_INT(t.steps, 0);
		steps_close(&r);
	}
}

static void
test_forget(void)
{
	steps_forget(steps_open_cuda);
}

static void
test_go_on(void)
{
	steps_go_on(steps_open_cuda);
}

static int n_notes;

static void
count_note(void *ctx, const char *message)
{
	(void)ctx;
	n_notes += strstr(message, "measuring cuDNN's engines") != NULL;
}

static int guesses;
static const char *pair_engines;

static int
open_noting(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	own.deterministic = 0;
	own.engine_guess = guesses;
	own.engine_cache = pair_engines;
	own.note = count_note;
	return device_open(g, &own, out, error);
}

/* Measuring the engines is noted; with engine_guess none is measured. */
static void
test_guess(void)
{
	for (guesses = 0; guesses < 2; guesses++) {
		struct run r;

		n_notes = 0;
		steps_open(&r, "plain", 0, DTYPE_FP16, open_noting);
		steps_train(&r, 0.01, 0);
		steps_close(&r);
		CHECK_INT(n_notes, !guesses);
	}
}

/* Calls are fused only in fp16, and only if cuDNN can make the plan; otherwise
 * the single calls are measured. */
static void
check_fused(enum dtype type, int fails)
{
	const int fused = type == DTYPE_FP16 && !fails;
	struct run r;

	emulated_fused = 1;
	emulated_no_fused = fails;
	n_notes = 0;
	steps_open(&r, "small", 0, type, open_noting);
	steps_train(&r, 0.01, 0);
	CHECK_INT(steps_says(&r, " with sums"), fused);
	CHECK_INT(steps_says(&r, " through relu and "), fused);
	CHECK_INT(n_notes, 1);
	steps_close(&r);
	emulated_fused = emulated_no_fused = 0;
}

static void
test_fused(void)
{
	guesses = 0;
	check_fused(DTYPE_FP16, 0);
	check_fused(DTYPE_FP16, 1);
	check_fused(DTYPE_BF16, 0);
	check_fused(DTYPE_FP32, 0);
}

/* A fused data gradient is used only if it is faster than the convolution and
 * our reduction after it; sums have no such pair. The file keeps the choice. */
static void
test_pairs(void)
{
	static const long ms[] = { 0, 9, 0 };
	char name[32];

	snprintf(name, sizeof name, "pairs_%d", (int)getpid());
	emulated_fused = 1;
	pair_engines = name;
	for (int i = 0; i < 3; i++) {
		struct run r;

		emulated_fused_ms = ms[i];
		n_notes = 0;
		steps_open(&r, "small", 0, DTYPE_FP16, open_noting);
		steps_train(&r, 0.01, 0);
		CHECK_INT(steps_says(&r, " with sums"), 1);
		CHECK_INT(steps_says(&r, " through relu and "), i == 0);
		CHECK_INT(n_notes, i < 2);
		steps_close(&r);
		if (i == 0)
			unlink(name);
	}
	unlink(name);
	pair_engines = NULL;
	emulated_fused = 0;
}

static const char *engine_file;

static int
open_with_file(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	own.engine_cache = engine_file;
	return device_open(g, &own, out, error);
}

/* Engines that also sum channels give different bytes each time, so a
 * deterministic device does not use them, with measured engines or without. */
static void
test_equal_bytes(void)
{
	char name[32];

	snprintf(name, sizeof name, "engines_%d", (int)getpid());
	emulated_fused = 1;
	emulated_varies = 2;
	for (int i = 0; i < 2; i++) {
		struct run a, b;

		engine_file = i % 2 ? name : NULL;
		steps_open(&a, "small", 0, DTYPE_FP16, open_with_file);
		steps_open(&b, "small", 0, DTYPE_FP16, open_with_file);
		for (int k = 0; k < 3; k++) {
			steps_train(&a, 0.01, 0);
			steps_train(&b, 0.01, 0);
		}
		steps_same(&a, &b);
		steps_close(&a);
		steps_close(&b);
		unlink(name);
	}
	emulated_fused = emulated_varies = 0;
}

/* In any order of the streams' work, the bytes are those of immediate
 * execution. */
static void
check_streams(int step_graph, unsigned seed)
{
	struct run usual, late;

	steps_open(&usual, "small", step_graph, DTYPE_FP16, steps_open_cuda);
	for (int i = 0; i < 5; i++)
		steps_train(&usual, 0.01, 0);
	emulated_seed = seed;
	steps_open(&late, "small", step_graph, DTYPE_FP16, steps_open_cuda);
	for (int i = 0; i < 5; i++)
		steps_train(&late, 0.01, 0);
	CHECK(!step_graph || steps_says(&late, "step captured as a graph\n"));
	steps_same(&usual, &late);
	steps_close(&late);
	steps_close(&usual);
	emulated_seed = 0;
}

static void
test_streams(void)
{
	for (emulated_fused = 0; emulated_fused < 2; emulated_fused++)
		for (unsigned seed = 1; seed <= 4; seed++)
			check_streams((int)seed % 2, seed);
	emulated_fused = 0;
}

static const struct tap_test tests[] = {
	TEST(test_fp32),
	TEST(test_half_float),
	TEST(test_captured),
	TEST(test_phases),
	TEST(test_go_on),
	TEST(test_forget),
	TEST(test_guess),
	TEST(test_fused),
	TEST(test_pairs),
	TEST(test_equal_bytes),
	TEST(test_streams),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
