/* What plan_model.c needs to know, measured in this run, and the plans that it
 * ranks best, put to use as plan_tuner.c says. */
#include <config.h>

#include "trainer/run/autotune_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/tune/plan_model.h"
#include "trainer/tune/plan_tuner.h"

/* Steps whose times are shared in one go, once a plan is kept. */
enum { SHARED = 10 };

struct autotune_model {
	struct train *t; /* borrowed */
	struct plan_model model;
	struct gradient_codec *codecs[PLAN_MODEL_ROUTES]; /* of the routes */
	double *ready_s;
	struct plan_tuner tuner;
	/* The first plan, and the candidates. */
	struct plan_choice plans[1 + PLAN_TUNER_CANDIDATES];
	int n_ranked; /* plans that were simulated */
	double seconds[SHARED];
	int n_seconds;
};

static const char *const route_names[2][2] = { { "flat", "hierarchical" },
	{ "flat-compressed", "hierarchical-compressed" } };

static int
add_route(struct autotune_model *a, enum dtype wire, int compressed,
    int hierarchical, struct error *e)
{
	const struct gradient_codec_config c = { .wire = wire,
		.hierarchical = hierarchical };
	const int i = a->model.n_routes;

	assert(i < PLAN_MODEL_ROUTES);
	if (train_open_codec(a->t, &c, &a->codecs[i], e) != 0)
		return -1;
	a->model.routes[i].name = route_names[compressed][hierarchical];
	a->model.n_routes++;
	return 0;
}

/* The route that is in use, and those that the options leave open. */
static int
open_routes(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	const struct train_options *o = t->o;
	const enum dtype type =
	    device_arena(t->network.device, TENSOR_GRAD).type;
	const int may_compress =
	    strcmp(o->compression, "auto") == 0 && type == DTYPE_FP32;
	enum dtype wire = type;

	dtype_find(o->compression, &wire);
	a->codecs[0] = t->codec;
	a->model.routes[0].name =
	    route_names[wire != type][gradient_codec_is_hierarchical(t->codec)];
	a->model.n_routes = 1;
	if (!o->hierarchical && train_has_levels(t) &&
	    add_route(a, wire, wire != type, 1, e) != 0)
		return -1;
	if (!may_compress)
		return 0;
	if (add_route(a, DTYPE_FP16, 1,
		gradient_codec_is_hierarchical(t->codec), e) != 0)
		return -1;
	return !o->hierarchical && train_has_levels(t)
	    ? add_route(a, DTYPE_FP16, 1, 1, e)
	    : 0;
}

/* What the run began with, as a choice. */
static struct plan_choice
first_choice(const struct train *t)
{
	const struct train_options *o = t->o;
	const double mib = 1 << 20;
	struct plan_choice c = { .f = { .policy = o->fusion } };

	if (strcmp(o->fusion, "ddp") == 0) {
		c.f.first = (size_t)(o->first_bucket_mib * mib);
		c.f.rest = (size_t)(o->bucket_mib * mib);
	} else if (strcmp(o->fusion, "horovod") == 0) {
		c.f.threshold = (size_t)(o->threshold_mib * mib);
		c.cycle_s = o->cycle_ms * 1e-3;
	}
	return c;
}

int
autotune_model_open(
    struct train *t, struct autotune_model **out, struct error *e)
{
	struct autotune_model *a = xcalloc(1, sizeof *a);

	a->t = t;
	a->model.graph = &t->network.graph;
	a->model.element =
	    dtype_size(device_arena(t->network.device, TENSOR_GRAD).type);
	a->model.ready_s = a->ready_s =
	    xcalloc((size_t)t->network.graph.n_params, sizeof *a->ready_s);
	a->plans[0] = first_choice(t);
	plan_tuner_start(&a->tuner);
	*out = a;
	return open_routes(a, e);
}

int
autotune_model_routes(const struct autotune_model *a)
{
	return a->model.n_routes;
}

void
autotune_model_close(struct autotune_model *a)
{
	if (a == NULL)
		return;
	free(a->ready_s);
	free(a);
}

/* A plan's part of a line: what it is called, and how it is sent. */
static void
describe_plan(const struct autotune_model *a, const struct plan_choice *c,
    struct strbuf *sb)
{
	strbuf_addstr(sb, " plan=");
	plan_choice_name(c, sb);
	strbuf_printf(sb, " route=%s", a->model.routes[c->route].name);
}

/* Put a plan to use. */
static int
use_plan(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	const struct plan_choice *c = &a->plans[plan_tuner_plan(&a->tuner)];
	struct fusion f = plan_model_fusion(&a->model, c);
	const int in_cycles = strcmp(f.policy, "horovod") == 0;
	const double threshold_mib = (double)f.threshold / (1 << 20);

	if (in_cycles)
		f.policy = "tensor";
	train_use_codec(t, a->codecs[c->route]);
	if (train_use_plan(t, &f, e) != 0)
		return -1;
	if (in_cycles)
		train_use_cycles(
		    t, threshold_mib, c->cycle_s, t->o->cache_capacity);
	return 0;
}

/* Measure what allreduces cost and when gradients are ready, and propose. */
static int
probe_routes(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	struct plan_choice *all;
	int n;

	if (train_ready_times(t, a->ready_s, e) != 0)
		return -1;
	for (int i = 0; i < a->model.n_routes; i++) {
		struct plan_route *r = &a->model.routes[i];

		if (train_probe(t, a->codecs[i], &r->alpha_s,
			&r->beta_s_per_byte, e) != 0)
			return -1;
		logger_printf(&t->tags, NULL,
		    "dlscale: autotune_route name=%s alpha_us=%.1f "
		    "gb_per_s=%.4g\n",
		    r->name, 1e6 * r->alpha_s,
		    r->beta_s_per_byte > 0 ? 1e-9 / r->beta_s_per_byte : 0);
	}
	all = xcalloc(PLAN_MODEL_CHOICES, sizeof *all);
	a->n_ranked = plan_model_rank(&a->model, all);
	n = plan_model_best(
	    all, a->n_ranked, PLAN_TUNER_CANDIDATES, a->plans + 1);
	for (int i = 0; i < a->n_ranked && t->o->verbose; i++) {
		strbuf_addstr(&t->tags.line, "dlscale: autotune_ranked");
		describe_plan(a, &all[i], &t->tags.line);
		logger_printf(&t->tags, NULL,
		    " allreduces=%d exposed_ms=%.3f\n", all[i].allreduces,
		    1e3 * all[i].exposed_s);
	}
	free(all);
	plan_model_simulate(&a->model, &a->plans[0]);
	return plan_tuner_propose(&a->tuner, n) == PLAN_TUNER_USE
	    ? use_plan(a, e)
	    : 0;
}

/* Print what was tried, unless it was before, and what is kept. */
static void
report_decision(const struct autotune_model *a, int again)
{
	struct train *t = a->t;
	const int kept = plan_tuner_plan(&a->tuner);

	for (int i = 0; i <= PLAN_TUNER_CANDIDATES && !again; i++) {
		const double s = plan_tuner_time(&a->tuner, i);

		if (s <= 0)
			continue;
		strbuf_addstr(&t->tags.line, "dlscale: autotune_try");
		describe_plan(a, &a->plans[i], &t->tags.line);
		logger_printf(&t->tags, NULL,
		    " allreduces=%d predicted_exposed_ms=%.3f step_ms=%.3f\n",
		    a->plans[i].allreduces, 1e3 * a->plans[i].exposed_s,
		    1e3 * s);
	}
	strbuf_printf(
	    &t->tags.line, "dlscale: autotune_done step=%ld", t->step);
	describe_plan(a, &a->plans[kept], &t->tags.line);
	logger_printf(&t->tags, NULL, " ranked=%d%s\n", a->n_ranked,
	    again ? " reason=slower-than-at-first" : "");
}

/* The next of what plan_tuner.c wants. */
static int
go_on(struct autotune_model *a, enum plan_tuner_event what, int was_kept,
    struct error *e)
{
	struct train *t = a->t;

	switch (what) {
	case PLAN_TUNER_NOTHING:
		return 0;
	case PLAN_TUNER_PROBE:
		return probe_routes(a, e);
	case PLAN_TUNER_USE:
		return use_plan(a, e);
	case PLAN_TUNER_DECIDED:
		report_decision(a, was_kept);
		return use_plan(a, e);
	case PLAN_TUNER_AGAIN:
		a->plans[0] = a->plans[was_kept - 1];
		logger_printf(&t->tags, NULL,
		    "dlscale: autotune_again step=%ld "
		    "reason=steps-are-slower\n",
		    t->step);
		return 0;
	}
	return 0;
}

int
autotune_model_step(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	/* The plan that is kept, from 1; 0: none is yet. */
	const int kept = a->tuner.kept ? plan_tuner_plan(&a->tuner) + 1 : 0;
	const int shared = kept ? SHARED : 1;
	const int n = ++a->n_seconds;

	a->seconds[n - 1] = t->step_s[t->step - t->begin.step - 1];
	if (n < shared)
		return 0;
	a->n_seconds = 0;
	if (comm_allreduce(
		t->comm, a->seconds, (size_t)n, COMM_FP64, COMM_SUM, e) != 0)
		return -1;
	for (int i = 0; i < n; i++) {
		const enum plan_tuner_event what =
		    plan_tuner_step(&a->tuner, a->seconds[i] / t->comm->size);

		if (go_on(a, what, kept, e) != 0)
			return -1;
	}
	return 0;
}
