/* Compare the time of a fused call with the total of the single calls that it
 * replaces. */
#include <config.h>

#include "trainer/device/cuda/engines/fusion_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Key of a call of our own kernels: kind, image shape and optional inputs.
 *
 * second    1: has a second normalisation
 * added     1: has a second operand
 * from_sum  "reduce": 1: the ReLU is that of a block's end */
static void
own_signature(const char *kind, struct shape s, int second, int added,
    int from_sum, char *out)
{
	snprintf(out, ENGINE_WORD, "%s:c%d,h%d,w%d:n%d:t%d%d", kind, s.c, s.h,
	    s.w, second, added, from_sum);
}

int
fusion_own_signature(
    const struct gpu_program *p, const struct call *c, char *out)
{
	static const char *const kinds[N_CALL_KINDS] = {
		[CALL_NORM_APPLY] = "apply",
		[CALL_NORM_SUMS] = "sums",
		[CALL_NORM_REDUCE] = "reduce",
		[CALL_BIAS] = "bias",
	};
	const int reduces = c->kind == CALL_NORM_REDUCE;

	if (kinds[c->kind] == NULL || !program_may_fuse(p, c))
		return 0;
	/* Fused normalisations always have a ReLU. */
	if ((reduces || c->kind == CALL_NORM_APPLY) && !c->relu)
		return 0;
	own_signature(kinds[c->kind],
	    p->tensors[reduces ? c->in[2] : c->in[0]].shape, c->norm[1] >= 0,
	    c->in[1] != MEMORY_PLAN_NONE,
	    reduces && c->in[3] != MEMORY_PLAN_NONE, out);
	return 1;
}

/* --- times ---------------------------------------------------------------- */

struct fusion_times {
	const struct engine_cache *times;
	const struct gpu_program *p;
	int deterministic;
};

int
fusion_is_missing(const struct engine_choice *x)
{
	return strcmp(x->engine, ENGINE_FAULTED) == 0 ||
	    strcmp(x->engine, ENGINE_NONE) == 0;
}

/* Key for t, without the signature. */
static struct engine_choice
key_of(const struct fusion_times *t)
{
	return (struct engine_choice){ .batch = t->p->config.batch,
		.precision = t->p->config.type,
		.deterministic = t->deterministic };
}

/* Time in microseconds; NAN: not timed, INFINITY: cannot run. */
static double
time_of_key(const struct fusion_times *t, const struct engine_choice *key)
{
	const struct engine_choice *x = engine_cache_find(t->times, key);

	if (x == NULL)
		return (double)NAN;
	return fusion_is_missing(x) ? (double)INFINITY : x->us;
}

static double
time_of_conv(const struct fusion_times *t, const struct call *c)
{
	struct engine_choice key = key_of(t);

	engine_signature(c, key.signature);
	return time_of_key(t, &key);
}

static double
time_of_own(const struct fusion_times *t, const char *kind, struct shape s,
    int second, int added, int from_sum)
{
	struct engine_choice key = key_of(t);

	own_signature(kind, s, second, added, from_sum, key.signature);
	return time_of_key(t, &key);
}

/* Shapes of a convolution's input and output images. */
static struct shape
input_of(const struct call *c)
{
	return (struct shape){ c->conv.c, c->conv.h, c->conv.w };
}

static struct shape
output_of(const struct call *c)
{
	return (struct shape){ c->conv.k, c->conv.p, c->conv.q };
}

/* The convolution of a fused call without the rest. */
static struct call
plain_form(const struct call *c)
{
	struct call plain = *c;

	plain.input = INPUT_PLAIN;
	plain.biased = plain.relu = 0;
	for (int i = 1; i < CALL_IN; i++)
		plain.in[i] = MEMORY_PLAN_NONE;
	for (int i = 0; i < CALL_NORMS; i++)
		plain.norm[i] = -1;
	return plain;
}

/* Time of the weight gradient that reads its input as c does. */
static double
time_of_weight(const struct fusion_times *t, const struct call *c)
{
	struct call weight = plain_form(c);

	weight.kind = CALL_CONV_WEIGHT;
	weight.input = c->input;
	weight.norm[0] = c->norm[0];
	return time_of_conv(t, &weight);
}

/* Time of a variant of forward convolution c, including the separate calls that
 * it needs.
 *
 * makes  1: computes its input itself
 * sums   1: sums up its output itself */
static double
time_of_forward(
    const struct fusion_times *t, const struct call *c, int makes, int sums)
{
	struct call form = makes ? *c : plain_form(c);
	double us;

	form.norm[2] = sums ? 0 : -1;
	us = time_of_conv(t, &form);
	if (!makes && c->input != INPUT_PLAIN)
		us += time_of_own(t, "apply", input_of(c), c->norm[1] >= 0,
		    c->in[1] != MEMORY_PLAN_NONE, 0);
	if (!sums)
		us += time_of_own(t, "sums", output_of(c), 0, 0, 0);
	/* Weight gradients of INPUT_BLOCK are the same: a block's output is
	 * always in memory. */
	if (c->input == INPUT_NORM)
		us += time_of_weight(t, &form);
	return us;
}

/* True if c is at least as fast as all variants that were timed. */
static int
forward_pays(const struct fusion_times *t, const struct call *c)
{
	const int makes = c->input != INPUT_PLAIN, sums = c->norm[2] >= 0;
	const double own = time_of_forward(t, c, makes, sums);

	if (isnan(time_of_forward(t, c, 0, 0)))
		return 1;
	if (!isfinite(own))
		return 0;
	for (int i = 0; i <= makes; i++)
		for (int k = 0; k < 2; k++)
			if (time_of_forward(t, c, i, k) < own)
				return 0;
	return 1;
}

static int
data_pays(const struct fusion_times *t, const struct call *c)
{
	const struct call plain = plain_form(c);
	const double own = time_of_conv(t, c);
	const double single = time_of_conv(t, &plain) +
	    time_of_own(t, "reduce", input_of(c), c->norm[1] >= 0,
		c->in[1] != MEMORY_PLAN_NONE, c->in[3] != MEMORY_PLAN_NONE);

	return isnan(single) || own <= single;
}

/* False also if a time is unknown. */
static int
bias_pays(const struct fusion_times *t, const struct call *c)
{
	const struct call plain = plain_form(c);
	const double single = time_of_conv(t, &plain) +
	    time_of_own(t, "bias", output_of(c), 0, 0, 0);

	return time_of_conv(t, c) < single;
}

int
fusion_failed(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic)
{
	const struct fusion_times t = { times, p, deterministic };

	return isinf(time_of_conv(&t, c));
}

int
fusion_pays(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic)
{
	const struct fusion_times t = { times, p, deterministic };

	if (fusion_failed(times, p, c, deterministic))
		return 0;
	if (c->biased)
		return bias_pays(&t, c);
	if (c->kind == CALL_CONV)
		return forward_pays(&t, c);
	if (c->kind == CALL_CONV_DATA)
		return data_pays(&t, c);
	return 1;
}
