/* Whether a fused call is worth it, by times that are written down. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "tests/tap.h"
#include "trainer/device/cuda/engines/engine_cache.h"
#include "trainer/graph/model.h"

static struct error e;

static const struct engine_machine h200 = { 91900, 9, 0, 132, "NVIDIA H200" };

/* --- one convolution ------------------------------------------------------ */

enum { INPUT, SUMMED, RAW, N_TENSORS };

static struct tensor tensors[N_TENSORS] = {
	[INPUT] = { .shape = { 64, 56, 56 } },
	[SUMMED] = { .shape = { 256, 28, 28 } },
	[RAW] = { .shape = { 64, 56, 56 } },
};

static const struct gpu_program p = {
	.config = { .batch = 32, .type = DTYPE_FP16 }, .tensors = tensors
};

static struct call
call_of(enum call_kind kind)
{
	struct call c = { .kind = kind,
		.conv = { 64, 56, 56, 256, 28, 28, 1, 2, 0 },
		.relu = 1,
		.in = { INPUT, MEMORY_PLAN_NONE, MEMORY_PLAN_NONE,
		    MEMORY_PLAN_NONE, MEMORY_PLAN_NONE },
		.out = { MEMORY_PLAN_NONE, MEMORY_PLAN_NONE },
		.norm = { -1, -1, -1 } };

	return c;
}

/* A form of the forward convolution. */
static struct call
forward_call(enum call_input input, int sums)
{
	struct call c = call_of(CALL_CONV);

	c.input = input;
	c.norm[0] = input == INPUT_PLAIN ? -1 : 3;
	c.norm[2] = sums ? 4 : -1;
	if (input == INPUT_BLOCK) {
		c.in[1] = RAW;
		c.norm[1] = 5;
	}
	return c;
}

static void
put_time(struct engine_cache *times, const struct call *c, double us)
{
	struct engine_choice x = {
		.batch = 32, .precision = DTYPE_FP16, .us = isinf(us) ? 0 : us
	};

	if (call_is_conv(c))
		engine_signature(c, x.signature);
	else
		CHECK_INT(fusion_own_signature(&p, c, x.signature), 1);
	snprintf(x.engine, sizeof x.engine, "%s",
	    isinf(us) ? ENGINE_FAULTED : "eng1");
	engine_cache_put(times, &x);
}

/* What is timed of a forward convolution; NAN: it was not. */
struct forward_times {
	double conv[2][2]; /* [input made][sums made] */
	double weight[2];  /* [input made] */
	double apply, sums;
};

static void
put_forward(struct engine_cache *times, enum call_input input,
    const struct forward_times *t)
{
	struct call c;

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++) {
			c = forward_call(i ? input : INPUT_PLAIN, k);
			if (!isnan(t->conv[i][k]))
				put_time(times, &c, t->conv[i][k]);
		}
	for (int i = 0; i < 2; i++) {
		c = call_of(CALL_CONV_WEIGHT);
		c.in[1] = SUMMED; /* the output's gradient */
		c.input = i ? input : INPUT_PLAIN;
		c.norm[0] = i ? 3 : -1;
		if (!isnan(t->weight[i]) && input == INPUT_NORM)
			put_time(times, &c, t->weight[i]);
	}
	c = call_of(CALL_NORM_APPLY);
	c.norm[0] = 3;
	if (input == INPUT_BLOCK) {
		c.in[1] = RAW;
		c.norm[1] = 5;
	}
	put_time(times, &c, t->apply);
	c = call_of(CALL_NORM_SUMS);
	c.in[0] = SUMMED;
	c.norm[0] = 4;
	put_time(times, &c, t->sums);
}

static int
asks(const struct engine_cache *times, enum call_input input, int sums)
{
	const struct call c = forward_call(input, sums);

	return fusion_pays(times, &p, &c, 0);
}

/* All that a form takes. */
static double
total(const struct forward_times *t, enum call_input input, int i, int k)
{
	return t->conv[i][k] + (i ? 0 : t->apply) + (k ? 0 : t->sums) +
	    (input == INPUT_NORM ? t->weight[i] : 0);
}

/* As the planning asks: the form that it comes to takes least of those that
 * were timed. */
static void
check_best(enum call_input input, const struct forward_times *t)
{
	struct engine_cache times;
	double best = (double)INFINITY, chosen;
	int i = 0, k = 0;

	engine_cache_init(&times, &h200);
	put_forward(&times, input, t);
	if (asks(&times, input, 1))
		i = k = 1;
	else if (asks(&times, input, 0))
		i = 1;
	else if (asks(&times, INPUT_PLAIN, 1))
		k = 1;
	chosen = total(t, input, i, k);
	for (int m = 0; m < 4; m++)
		if (total(t, input, m / 2, m % 2) < best)
			best = total(t, input, m / 2, m % 2);
	CHECK_NEAR(chosen, best, 1e-9);
	engine_cache_release(&times);
}

/* 0 .. n - 1. */
static unsigned
draw(unsigned n)
{
	static unsigned x = 7;

	x = x * 1103515245u + 12345u;
	return (x >> 16) % n;
}

static void
test_forward(void)
{
	for (int n = 0; n < 2000; n++) {
		double all[8];
		struct forward_times t;

		/* Few values, so that there are ties. */
		for (int i = 0; i < 8; i++)
			all[i] = 1 + (double)draw(6);
		memcpy(&t, all, sizeof t);
		if (n % 3 == 1)
			t.conv[1][draw(2)] = (double)NAN;
		if (n % 3 == 2)
			t.conv[draw(2)][1] = (double)INFINITY;
		if (n % 7 == 3)
			t.weight[1] = (double)NAN;
		check_best(n % 2 ? INPUT_NORM : INPUT_BLOCK, &t);
	}
}

/* Of two that take as long the fused one; without times of the single calls
 * the fused one, too. */
static void
test_edges(void)
{
	struct forward_times t = { { { 10, 15 }, { 20, 20 } }, { 30, 25 }, 5,
		5 };
	struct engine_cache times;

	engine_cache_init(&times, &h200);
	CHECK_INT(asks(&times, INPUT_NORM, 1), 1);
	CHECK_INT(asks(&times, INPUT_PLAIN, 1), 1);
	put_forward(&times, INPUT_NORM, &t); /* 45 against 50 */
	CHECK_INT(asks(&times, INPUT_NORM, 1), 1);
	CHECK_INT(asks(&times, INPUT_PLAIN, 1), 1); /* 15 against 10 + 5 */
	t.weight[1] = 30;                           /* 50 against 50 */
	put_forward(&times, INPUT_NORM, &t);
	CHECK_INT(asks(&times, INPUT_NORM, 1), 1);
	t.weight[1] = 30.5;
	put_forward(&times, INPUT_NORM, &t);
	CHECK_INT(asks(&times, INPUT_NORM, 1), 0);
	engine_cache_release(&times);
}

/* A data gradient, for each of what it may take in. */
static void
test_data(void)
{
	for (int form = 0; form < 8; form++)
		for (int us = 14; us <= 16; us++) {
			struct call c = call_of(CALL_CONV_DATA);
			struct call single = call_of(CALL_NORM_REDUCE);
			struct engine_cache times;

			engine_cache_init(&times, &h200);
			put_time(&times, &c, 10);
			c.norm[0] = 3;
			c.in[2] = single.in[2] = RAW;
			single.norm[0] = 3;
			if (form & 1)
				c.in[1] = single.in[1] = INPUT;
			if (form & 2)
				c.in[3] = single.in[3] = INPUT;
			if (form & 4)
				c.norm[1] = single.norm[1] = 5;
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 1);
			put_time(&times, &single, 5);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			put_time(&times, &c, us);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), us <= 15);
			put_time(&times, &c, (double)INFINITY);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			engine_cache_release(&times);
		}
}

/* A bias: only if both forms were timed and its convolution is faster. */
static void
test_bias(void)
{
	for (int relu = 0; relu < 2; relu++)
		for (int us = 14; us <= 16; us++) {
			struct call plain = call_of(CALL_CONV), c = plain;
			struct call single = call_of(CALL_BIAS);
			struct engine_cache times;

			plain.relu = 0;
			c.biased = 1;
			c.relu = single.relu = relu;
			single.in[0] = SUMMED;
			engine_cache_init(&times, &h200);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			put_time(&times, &c, us);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			put_time(&times, &plain, 10);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			put_time(&times, &single, 5);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), us < 15);
			CHECK_INT(fusion_failed(&times, &p, &c, 0), 0);
			put_time(&times, &c, (double)INFINITY);
			CHECK_INT(fusion_pays(&times, &p, &c, 0), 0);
			CHECK_INT(fusion_failed(&times, &p, &c, 0), 1);
			engine_cache_release(&times);
		}
}

static void
test_missing(void)
{
	struct engine_choice x = { .engine = "eng1" };

	CHECK_INT(fusion_is_missing(&x), 0);
	snprintf(x.engine, sizeof x.engine, "%s", ENGINE_FAULTED);
	CHECK_INT(fusion_is_missing(&x), 1);
	snprintf(x.engine, sizeof x.engine, "%s", ENGINE_NONE);
	CHECK_INT(fusion_is_missing(&x), 1);
}

/* Which types: bf16 for a bias only. */
static void
test_types(void)
{
	static const struct {
		enum dtype type;
		int bias, reduce;
	} cases[] = { { DTYPE_FP16, 1, 1 }, { DTYPE_BF16, 1, 0 },
		{ DTYPE_FP32, 0, 0 } };
	const struct call bias = call_of(CALL_BIAS);
	const struct call reduce = call_of(CALL_NORM_REDUCE);
	char word[ENGINE_WORD];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct gpu_program own = p;

		own.config.type = cases[i].type;
		CHECK_INT(
		    fusion_own_signature(&own, &bias, word), cases[i].bias);
		CHECK_INT(program_may_fuse(&own, &bias), cases[i].bias);
		CHECK_INT(program_may_fuse(&own, &reduce), cases[i].reduce);
	}
}

/* --- a whole network ------------------------------------------------------ */

/* What is fused in a form of the program; NULL: what pays. */
struct form {
	const struct engine_cache *times;
	int inputs, sums, back, bias;
};

static int
form_has(void *ctx, const struct gpu_program *program, const struct call *c)
{
	const struct form *f = ctx;

	if (f->times != NULL)
		return fusion_pays(f->times, program, c, 0);
	if (c->kind == CALL_CONV_DATA)
		return f->back;
	if (c->biased)
		return f->bias;
	if (c->kind == CALL_CONV_WEIGHT)
		return f->inputs;
	return (f->inputs || c->input == INPUT_PLAIN) &&
	    (f->sums || c->norm[2] < 0);
}

static void
build(const struct graph *g, struct form *f, struct gpu_program *out)
{
	const struct program_config c = {
		.batch = 32, .type = DTYPE_FP16, .supports = form_has, .ctx = f
	};

	program_build(g, &c, out);
}

/* The calls of a form, fused ones with the one time, others with the other. */
static void
put_program(struct engine_cache *times, const struct gpu_program *program,
    double fused, double single)
{
	struct engine_choice x = {
		.batch = 32, .precision = DTYPE_FP16, .engine = "eng1"
	};

	for (int i = 0; i < program->n_calls; i++) {
		const struct call *c = &program->calls[i];

		if (call_is_conv(c))
			engine_signature(c, x.signature);
		else if (!fusion_own_signature(program, c, x.signature))
			continue;
		x.us = call_is_fused(c) ? fused : single;
		engine_cache_put(times, &x);
	}
}

static void
check_same_plan(const struct graph *g, struct form *a, struct form *b)
{
	struct gpu_program programs[2];
	struct strbuf texts[2];

	build(g, a, &programs[0]);
	build(g, b, &programs[1]);
	for (int i = 0; i < 2; i++) {
		strbuf_init(&texts[i], 1 << 20);
		program_describe(&programs[i], &texts[i]);
		program_release(&programs[i]);
	}
	CHECK_STR(texts[0].buf, texts[1].buf);
	for (int i = 0; i < 2; i++)
		strbuf_release(&texts[i]);
}

/* The forms that a GPU times hold the times of all that is asked for: with slow
 * fused calls the plan is the single one, with fast ones all is fused, the bias
 * too. */
static void
check_network(const char *model)
{
	struct form forms[] = { { NULL, 1, 1, 1, 0 }, { NULL, 0, 1, 0, 0 },
		{ NULL, 0, 0, 0, 0 }, { NULL, 0, 0, 0, 1 } };
	struct form all = { NULL, 1, 1, 1, 1 };
	struct graph g;

	CHECK_INT(graph_build(model_find(model, &e), 1000, 224, &g, &e), 0);
	for (int slow = 0; slow < 2; slow++) {
		struct engine_cache times;
		struct form chosen = { .times = &times };

		engine_cache_init(&times, &h200);
		for (int i = 0; i < 4; i++) {
			struct gpu_program program;

			build(&g, &forms[i], &program);
			put_program(&times, &program, slow ? 100 : 1, 10);
			program_release(&program);
		}
		check_same_plan(&g, &chosen, slow ? &forms[2] : &all);
		engine_cache_release(&times);
	}
	graph_release(&g);
}

static void
test_networks(void)
{
	check_network("resnet18");
	check_network("resnet50");
	check_network("vgg16");
}

static const struct tap_test tests[] = {
	TEST(test_forward),
	TEST(test_edges),
	TEST(test_data),
	TEST(test_bias),
	TEST(test_missing),
	TEST(test_types),
	TEST(test_networks),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
