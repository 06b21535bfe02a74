/* Allreduce of a run's gradients: the plan of buckets, the codec, and
 * --autotune, which measures steps and applies the proposals of the tuners in
 * trainer/tune/. */
#include <config.h>

#include "trainer/run/train.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/host_state.h"
#include "trainer/run/options/options_table.h"
#include "trainer/tune/horovod_tuner.h"
#include "trainer/tune/plan_model.h"

static int
is_policy(const struct train *t, const char *name)
{
	return strcmp(t->o->fusion, name) == 0;
}

/* Convert MiB to bytes; threshold_of() also rounds, as Horovod does. */
static size_t
bytes_of(double mib)
{
	return (size_t)(mib * (1 << 20));
}

static size_t
threshold_of(const struct train *t, double mib)
{
	return fusion_round_threshold(bytes_of(mib), t->comm->local_size);
}

/* The options of fusion; the threshold is not rounded yet. */
static struct fusion
fusion_of(const struct train *t)
{
	return (struct fusion){ .policy = t->o->fusion,
		.first = bytes_of(t->o->first_bucket_mib),
		.rest = bytes_of(t->o->bucket_mib),
		.threshold = bytes_of(t->o->threshold_mib) };
}

void
train_plan_fusion(struct train *t)
{
	const size_t element = dtype_size(t->reduction.grads.type);
	struct fusion f = fusion_of(t);

	/* Until mgwfbp has made its plan, reduce each tensor alone. A back end
	 * that reduces in device streams has no cycles. */
	if (t->comm->ops->attach == NULL &&
	    (is_policy(t, "horovod") || is_policy(t, "mgwfbp")))
		f.policy = "tensor";
	f.threshold = threshold_of(t, t->o->threshold_mib);
	fusion_plan_make(&f, &t->network.graph, element, &t->plan);
	f.policy = "tensor";
	fusion_plan_make(&f, &t->network.graph, element, &t->each);
}

void
train_describe_fusion(const struct train *t, struct strbuf *sb)
{
	const struct train_options *o = t->o;

	strbuf_printf(sb, "dlscale: fusion policy=%s", o->fusion);
	if (is_policy(t, "ddp"))
		strbuf_printf(sb, " first_mib=%.10g rest_mib=%.10g",
		    o->first_bucket_mib, o->bucket_mib);
	if (is_policy(t, "horovod"))
		strbuf_printf(sb,
		    " threshold_mib=%.10g cycle_ms=%.10g cache_capacity=%ld",
		    (double)threshold_of(t, o->threshold_mib) / (1 << 20),
		    o->cycle_ms, o->cache_capacity);
	strbuf_printf(sb, " compression=%s hierarchical=%s", o->compression,
	    !o->hierarchical                               ? "no"
		: gradient_codec_is_hierarchical(t->codec) ? "yes"
							   : "one-level");
	if (o->autotune != NULL)
		strbuf_printf(sb, " autotune=%s", o->autotune);
}

/* A hash of the settings that must be equal on all ranks. */
static uint64_t
hash_fusion(const struct train *t)
{
	/* An option given by the user is not tuned, even with its default
	 * value. */
	static const char *const tuned[] = { "fusion-threshold", "cycle-time",
		"cache-capacity", "hierarchical", "hierarchical-allgather" };
	const struct train_options *o = t->o;
	struct strbuf sb = STRBUF_INIT(LOGGER_LINE_MAX);
	uint64_t sum;

	for (size_t i = 0; i < sizeof tuned / sizeof tuned[0]; i++)
		strbuf_printf(&sb, "%d ",
		    o->autotune != NULL && fusion_options_is_fixed(tuned[i]));
	strbuf_printf(&sb,
	    "%s %.17g %.17g %.17g %.17g %ld %s %d %s %ld %ld %ld %.17g",
	    o->fusion, o->first_bucket_mib, o->bucket_mib, o->threshold_mib,
	    o->cycle_ms, o->cache_capacity, o->compression, o->hierarchical,
	    o->autotune != NULL ? o->autotune : "none", o->autotune_warmup,
	    o->autotune_steps, o->autotune_samples, o->autotune_noise);
	sum = XXH3_64bits_withSeed(sb.buf, sb.len, fusion_plan_hash(&t->plan));
	strbuf_release(&sb);
	return sum;
}

/* Measure the time and CPU time of an allreduce of n gradients: the minimum of
 * several tries, because the process also reads images meanwhile.
 *
 * out  [2] */
static int
time_allreduce(struct train *t, struct gradient_codec *c, void *data, size_t n,
    int times, double *out, struct error *e)
{
	const clockid_t clocks[2] = { CLOCK_MONOTONIC,
		CLOCK_PROCESS_CPUTIME_ID };

	out[0] = out[1] = 1e9;
	for (int i = 0; i < times; i++) {
		struct timespec now;
		double start[2];

		if (comm_barrier(t->comm, e) != 0)
			return -1;
		for (int k = 0; k < 2; k++) {
			clock_gettime(clocks[k], &now);
			start[k] =
			    (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
		}
		if (gradient_codec_allreduce(c, data, n, e) != 0)
			return -1;
		for (int k = 0; k < 2; k++) {
			clock_gettime(clocks[k], &now);
			out[k] = fmin(out[k],
			    (double)now.tv_sec - start[k] +
				1e-9 * (double)now.tv_nsec);
		}
	}
	return 0;
}

/* Fit a line through two points, with slope and intercept at least 0. */
static struct plan_cost
line_through(double small, double small_s, double large, double large_s)
{
	struct plan_cost c = { .beta_s_per_byte = 0 };

	if (large > small && large_s > small_s)
		c.beta_s_per_byte = (large_s - small_s) / (large - small);
	c.alpha_s = fmax(small_s - c.beta_s_per_byte * small, 0);
	return c;
}

int
train_probe(struct train *t, struct gradient_codec *c, struct plan_cost *took,
    struct plan_cost *cpu, struct error *e)
{
	const struct device_arena grads = t->reduction.grads;
	const size_t size = dtype_size(grads.type);
	/* Bucket size, too large for the cache: with four ranks on two cores a
	 * buffer of 4 MiB took less than half the time per byte. */
	const size_t most = (16 << 20) / size, some = 4096 / size;
	const size_t large = grads.n < most ? grads.n : most;
	const size_t small = some < large ? some : large;
	const double bytes[2] = { (double)(small * size),
		(double)(large * size) };
	/* Measure in shared memory if there is any, since its sums are
	 * faster. */
	void *own = t->memory == NULL ? xcalloc(large, size) : NULL;
	void *data = own != NULL ? own : grads.data;
	/* Time and CPU time of the small and the large allreduce. */
	double s[4] = { 0, 0, 0, 0 };
	int rc = 0;

	if (time_allreduce(t, c, data, small, 5, s, e) != 0 ||
	    time_allreduce(t, c, data, large, 3, s + 2, e) != 0 ||
	    comm_allreduce(t->comm, s, 4, COMM_FP64, COMM_MAX, e) != 0)
		rc = -1;
	free(own);
	*took = line_through(bytes[0], s[0], bytes[1], s[2]);
	*cpu = line_through(bytes[0], s[1] < s[0] ? s[1] : s[0], bytes[1],
	    s[3] < s[2] ? s[3] : s[2]);
	return rc;
}

/* As use_codec: use cycles, with a plan of policy "tensor". */
static void
use_cycles(struct train *t, double threshold_mib, double cycle_s, long capacity)
{
	const struct graph *g = &t->network.graph;
	struct reducer_cycles c = { .cycle_s = cycle_s,
		.threshold = threshold_of(t, threshold_mib),
		.capacity = capacity };

	if (t->tensors == NULL) {
		t->tensors = xcalloc((size_t)g->n_params, sizeof *t->tensors);
		for (int i = 0; i < g->n_params; i++)
			t->tensors[i] = g->params[g->n_params - 1 - i].name;
	}
	c.names = t->tensors;
	t->reduction.cycles = c;
	reducer_configure(t->reducer, &t->reduction);
}

/* Open another codec; it is closed with the run. Collective. */
static int
open_codec(struct train *t, const struct gradient_codec_config *c,
    struct gradient_codec **out, struct error *e)
{
	const struct device_arena *grads = &t->reduction.grads;

	assert(t->n_codecs < TRAIN_CODECS);
	if (gradient_codec_open(t->comm, grads->type, grads->n, c, out, e) != 0)
		return -1;
	t->codecs[t->n_codecs++] = *out;
	return 0;
}

/* True if hierarchical allreduce is possible: several machines with the same
 * number of ranks, more than one. */
static int
can_level(const struct train *t)
{
	const struct comm *c = t->comm;

	return c->n_nodes > 1 && c->local_size > 1 &&
	    c->size == c->n_nodes * c->local_size;
}

/* Use this codec for allreduces. All ranks must do so, between the same two
 * steps. */
static void
use_codec(struct train *t, struct gradient_codec *c)
{
	t->codec = t->reduction.codec = c;
	reducer_configure(t->reducer, &t->reduction);
}

int
train_open_fusion(struct train *t, struct error *e)
{
	const int attaches = t->comm->ops->attach != NULL;
	struct gradient_codec_config c = { .wire = t->reduction.grads.type,
		.hierarchical = t->o->hierarchical,
		.on_device = attaches };
	struct gradient_codec *codec;
	struct plan_cost took, cpu;
	struct strbuf unused = STRBUF_INIT(LOGGER_LINE_MAX);

	if (comm_check_same(t->comm, "their plan of gradient allreduces",
		hash_fusion(t), e) != 0) {
		t->agreed = e->code == ERROR_INPUT;
		return -1;
	}
	/* Capturing a step requires its plan, which mgwfbp makes later. */
	if (attaches && is_policy(t, "mgwfbp")) {
		t->agreed = 1;
		return error_set(e, ERROR_USAGE,
		    "--fusion=mgwfbp: not with back end '%s', which needs its "
		    "plan before the first step",
		    t->comm->ops->name);
	}
	fusion_options_unused(t->o->fusion, &unused);
	if (unused.len > 0 && t->comm->rank == 0)
		logger_printf(&t->warn, NULL,
		    "%s: environment variable %s: not used with "
		    "--fusion=%s\n",
		    train_program()->name, unused.buf, t->o->fusion);
	strbuf_release(&unused);
	dtype_find(t->o->compression, &c.wire);
	if (open_codec(t, &c, &codec, e) != 0) {
		t->agreed = e->code == ERROR_USAGE;
		return -1;
	}
	if (!attaches && t->comm->size > 1)
		t->reduction.tensors = &t->each;
	use_codec(t, codec);
	if (attaches)
		return 0;
	if (is_policy(t, "horovod"))
		use_cycles(t, t->o->threshold_mib, t->o->cycle_ms * 1e-3,
		    t->o->cache_capacity);
	if (!is_policy(t, "mgwfbp") || t->comm->size == 1)
		return 0;
	/* Costs for train_renew_fusion(). */
	if (train_probe(t, codec, &took, &cpu, e) != 0)
		return -1;
	t->alpha_s = took.alpha_s;
	t->beta_s_per_byte = took.beta_s_per_byte;
	return 0;
}

int
train_open_staging(struct train *t, struct error *e)
{
	struct device *d = t->network.device;

	if (t->comm->ops->attach != NULL || d->ops->on_host ||
	    t->comm->size == 1)
		return 0;
	if (d->ops->staging == NULL)
		return error_set(e, ERROR_USAGE,
		    "back end '%s' cannot reach the memory of device '%s'",
		    t->comm->ops->name, d->ops->name);
	host_staging_close(t->staging);
	t->staging = t->reduction.staging = NULL;
	if (host_staging_open(
		d, &t->plan, HOST_STAGING_PIECE, &t->staging, e) != 0)
		return -1;
	t->reduction.staging = t->staging;
	return 0;
}

/* As use_codec: use this plan, without cycles. */
static int
use_fusion(struct train *t, const struct fusion *f, struct error *e)
{
	fusion_plan_release(&t->plan);
	fusion_plan_make(f, &t->network.graph,
	    dtype_size(t->reduction.grads.type), &t->plan);
	t->reduction.cycles = (struct reducer_cycles){ .names = NULL };
	if (train_open_staging(t, e) != 0)
		return -1;
	reducer_configure(t->reducer, &t->reduction);
	return comm_check_same(t->comm, "their plan of gradient allreduces",
	    fusion_plan_hash(&t->plan), e);
}

int
train_renew_fusion(struct train *t, struct error *e)
{
	const size_t n = (size_t)t->network.graph.n_params;
	struct fusion f = { .policy = "mgwfbp",
		.alpha_s = t->alpha_s,
		.beta_s_per_byte = t->beta_s_per_byte };
	const double *times = reducer_stats(t->reducer).tensor_s;
	double *ready;

	/* --autotune=model makes the plan itself. */
	if (!is_policy(t, "mgwfbp") || t->comm->size == 1 ||
	    t->o->autotune != NULL || t->step != t->begin.step + 2)
		return 0;
	ready = xcalloc(n, sizeof *ready);
	f.ready_s = ready;
	/* Seconds since the first gradient, maximum over the ranks. */
	for (size_t i = 0; i < n; i++)
		ready[i] = times[i] - times[0];
	if (comm_allreduce(t->comm, ready, n, COMM_FP64, COMM_MAX, e) != 0 ||
	    use_fusion(t, &f, e) != 0) {
		free(ready);
		return -1;
	}
	logger_printf(&t->tags, NULL,
	    "dlscale: fusion_plan step=%ld buckets=%d alpha_us=%.1f "
	    "gb_per_s=%.4g backward_ms=%.3f predicted_ms=%.3f\n",
	    t->step, t->plan.n, 1e6 * f.alpha_s,
	    f.beta_s_per_byte > 0 ? 1e-9 / f.beta_s_per_byte : 0,
	    1e3 * ready[n - 1], 1e3 * fusion_plan_end(&f, &t->plan));
	free(ready);
	return 0;
}

/* --- Plans by measured costs ---------------------------------------------- */

/* Number of steps whose times are exchanged together once a plan is kept. */
enum { SHARED = 10 };

struct autotune_model {
	struct train *t; /* borrowed */
	struct plan_model model;
	struct gradient_codec *codecs[PLAN_MODEL_ROUTES]; /* one per route */
	double *ready_s;
	double cores;           /* available to this rank */
	struct core_wait begin; /* after the first step */
	double own_s;           /* search time after the previous step */
	struct plan_tuner tuner;
	/* The first plan, and the candidates. */
	struct plan_choice plans[1 + PLAN_TUNER_CANDIDATES];
	int n_ranked; /* number of plans simulated */
	double seconds[SHARED];
	int n_seconds;
};

/* Add the current route and those that the options allow: compressed,
 * hierarchical, or both. */
static int
open_routes(struct autotune_model *a, struct error *e)
{
	static const char *const names[2][2] = { { "flat", "hierarchical" },
		{ "flat-compressed", "hierarchical-compressed" } };
	struct train *t = a->t;
	const struct train_options *o = t->o;
	const enum dtype type = t->reduction.grads.type;
	const int may_compress =
	    strcmp(o->compression, "auto") == 0 && type == DTYPE_FP32;
	const int may_level = !o->hierarchical && can_level(t);
	const int has_levels = gradient_codec_is_hierarchical(t->codec);
	enum dtype wire = type;

	dtype_find(o->compression, &wire);
	for (int half = 0; half <= may_compress; half++)
		for (int levels = 0; levels <= may_level; levels++) {
			const int compressed = half || wire != type;
			const int hierarchical = levels || has_levels;
			const struct gradient_codec_config c = {
				.wire = half ? DTYPE_FP16 : wire,
				.hierarchical = hierarchical
			};
			const int i = a->model.n_routes++;

			assert(i < PLAN_MODEL_ROUTES);
			a->codecs[i] = t->codec;
			a->model.routes[i].name =
			    names[compressed][hierarchical];
			a->model.routes[i].kind =
			    (compressed ? PLAN_ROUTE_HALF : 0u) |
			    (hierarchical ? PLAN_ROUTE_LEVELS : 0u);
			if (i > 0 && open_codec(t, &c, &a->codecs[i], e) != 0)
				return -1;
		}
	return 0;
}

/* Find this rank's share of the cores in its affinity mask, or its control
 * group's quota if that is lower. Processes that share cores have the same boot
 * ID and mask, also across namespaces. */
static int
find_cores(struct autotune_model *a, struct error *e)
{
	const double quota =
	    core_quota(CONTROL_GROUPS_FILE, CONTROL_GROUPS_ROOT);
	struct strbuf boot = STRBUF_INIT(1 << 20);
	cpu_set_t set;
	uint64_t hash;
	int same;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	boot_id_add(&boot);
	hash = XXH3_64bits_withSeed(
	    boot.buf, boot.len, XXH3_64bits(&set, sizeof set));
	strbuf_release(&boot);
	same = comm_count_same(a->t->comm, hash, 0, e);
	if (same < 0)
		return -1;
	a->cores = (double)CPU_COUNT(&set) / same;
	if (quota > 0 && quota < a->cores)
		a->cores = quota;
	return 0;
}

/* Add a plan's name and route to a line. */
static void
describe_plan(const struct autotune_model *a, const struct plan_choice *c,
    struct strbuf *sb)
{
	strbuf_addstr(sb, " plan=");
	plan_choice_name(c, sb);
	strbuf_printf(sb, " route=%s", a->model.routes[c->route].name);
}

/* Apply a plan. */
static int
use_plan(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	const struct plan_choice *c = &a->plans[a->tuner.plan];
	struct fusion f = plan_model_fusion(&a->model, c);
	const int in_cycles = strcmp(f.policy, "horovod") == 0;
	const double threshold_mib = (double)f.threshold / (1 << 20);

	if (in_cycles)
		f.policy = "tensor";
	use_codec(t, a->codecs[c->route]);
	if (use_fusion(t, &f, e) != 0)
		return -1;
	if (in_cycles)
		use_cycles(t, threshold_mib, c->cycle_s, t->o->cache_capacity);
	return 0;
}

/* Measure the cost of allreduces, at rest and in the last step, and the times
 * at which gradients would be ready without them. */
static int
measure_costs(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	const int n_params = t->network.graph.n_params;
	const struct reducer_stats s = reducer_stats(t->reducer);
	const int used = a->plans[0].route;
	const int threads = t->network.device->config.threads;
	struct core_wait now;
	double share = 0;
	struct plan_span *spans = xcalloc((size_t)s.n + 1, sizeof *spans);
	struct plan_sample *samples = xcalloc((size_t)s.n + 1, sizeof *samples);
	double *least = xcalloc(2 * (size_t)s.n + 1, sizeof *least);
	double last;
	int rc = 0;

	/* The cost of a second of CPU time, from the number of cores and the
	 * time that the second step waited for them. One more thread does the
	 * allreduces. A device with its own memory computes without the CPU. */
	core_wait_read(CORE_WAIT_TASKS, &now);
	if (t->staging == NULL)
		share = plan_model_cpu_share(a->cores, threads,
		    core_wait_share(&a->begin, &now,
			threads + 1 < a->cores ? threads + 1 : a->cores));
	for (int i = 0; i < n_params; i++)
		a->ready_s[i] = s.tensor_s[i] - s.tensor_s[0];
	for (int i = 0; i < a->model.n_routes && rc == 0; i++) {
		struct plan_route *r = &a->model.routes[i];

		rc = train_probe(t, a->codecs[i], &r->rest, &r->cpu, e);
		r->cpu.alpha_s *= share;
		r->cpu.beta_s_per_byte *= share;
		/* Use the highest cost, of the rank most short of cores. */
		if (rc == 0)
			rc = comm_allreduce(
			    t->comm, &r->cpu, 2, COMM_FP64, COMM_MAX, e);
	}
	/* The allreduces of the last step. Spans: this rank's times in seconds
	 * since its first gradient was ready. Samples, of all ranks: the
	 * shortest time, which excludes waiting for slower ranks, and the
	 * largest fraction that lay before the last gradient. */
	last = a->ready_s[n_params - 1];
	for (int i = 0; i < s.n; i++) {
		const struct reduction *r = &s.reductions[i];
		const double start = r->start - s.tensor_s[0];
		const double end = r->end - s.tensor_s[0];
		const double both = (end < last ? end : last) - start;

		spans[i] = (struct plan_span){ r->bytes, start, end };
		least[2 * i] = end - start;
		least[2 * i + 1] =
		    both > 0 && end > start ? -both / (end - start) : 0;
	}
	if (rc == 0)
		rc = comm_allreduce(
		    t->comm, least, 2 * (size_t)s.n, COMM_FP64, COMM_MIN, e);
	for (int i = 0; i < s.n; i++)
		samples[i] = (struct plan_sample){ spans[i].bytes, least[2 * i],
			-least[2 * i + 1] };
	if (rc == 0) {
		plan_routes_fit(
		    a->model.routes, a->model.n_routes, used, samples, s.n);
		plan_model_ready_alone(a->ready_s, n_params, spans, s.n,
		    &a->model.routes[used].cpu);
		rc = comm_allreduce(t->comm, a->ready_s, (size_t)n_params,
		    COMM_FP64, COMM_MAX, e);
	}
	free(least);
	free(samples);
	free(spans);
	return rc;
}

/* Bandwidth of a cost; 0: too fast to measure. */
static double
gb_per_s(const struct plan_cost *c)
{
	return c->beta_s_per_byte > 0 ? 1e-9 / c->beta_s_per_byte : 0;
}

/* Print the plans that were tried, unless printed before, and the one kept. */
static void
report_decision(const struct autotune_model *a, int again)
{
	struct train *t = a->t;
	const int kept = a->tuner.plan;

	for (int i = 0; i <= PLAN_TUNER_CANDIDATES && !again; i++) {
		const double s = plan_tuner_time(&a->tuner, i);

		if (s <= 0)
			continue;
		strbuf_addstr(&t->tags.line, "dlscale: autotune_try");
		describe_plan(a, &a->plans[i], &t->tags.line);
		logger_printf(&t->tags, NULL,
		    " allreduces=%d predicted_added_ms=%.3f steps=%d "
		    "step_ms=%.3f\n",
		    a->plans[i].allreduces, 1e3 * a->plans[i].added_s,
		    a->tuner.times[i].n, 1e3 * s);
	}
	strbuf_printf(
	    &t->tags.line, "dlscale: autotune_done step=%ld", t->step);
	describe_plan(a, &a->plans[kept], &t->tags.line);
	logger_printf(&t->tags, NULL, " ranked=%d noise_ms=%.3f%s\n",
	    a->n_ranked, 1e3 * a->tuner.noise_s,
	    again ? " reason=slower-than-at-first" : "");
}

/* Measure, rank all plans, and propose the best. */
static int
propose_plans(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	struct plan_choice *all;
	enum plan_tuner_event what;
	int n;

	if (measure_costs(a, e) != 0)
		return -1;
	for (int i = 0; i < a->model.n_routes; i++) {
		const struct plan_route *r = &a->model.routes[i];

		logger_printf(&t->tags, NULL,
		    "dlscale: autotune_route name=%s alpha_us=%.1f "
		    "gb_per_s=%.4g loaded_alpha_us=%.1f loaded_gb_per_s=%.4g "
		    "cpu_alpha_us=%.1f cpu_ms_per_mib=%.4g\n",
		    r->name, 1e6 * r->rest.alpha_s, gb_per_s(&r->rest),
		    1e6 * r->loaded.alpha_s, gb_per_s(&r->loaded),
		    1e6 * r->cpu.alpha_s,
		    1e3 * (1 << 20) * r->cpu.beta_s_per_byte);
	}
	all = xcalloc(PLAN_MODEL_CHOICES, sizeof *all);
	a->n_ranked = plan_model_rank(&a->model, all);
	n = plan_model_best(&a->model, all, a->n_ranked, &a->plans[0],
	    PLAN_TUNER_CANDIDATES, a->plans + 1);
	for (int i = 0; i < a->n_ranked && t->o->verbose; i++) {
		strbuf_addstr(&t->tags.line, "dlscale: autotune_ranked");
		describe_plan(a, &all[i], &t->tags.line);
		logger_printf(&t->tags, NULL, " allreduces=%d added_ms=%.3f\n",
		    all[i].allreduces, 1e3 * all[i].added_s);
	}
	free(all);
	plan_model_simulate(&a->model, &a->plans[0]);
	what = plan_tuner_propose(&a->tuner, n);
	if (what == PLAN_TUNER_DECIDED)
		report_decision(a, 0);
	return use_plan(a, e);
}

/* Take the time of a step. Exchange the times of the last steps between the
 * ranks when they are due, pass them to the tuner, and apply its decisions. */
static int
step_model(struct autotune_model *a, struct error *e)
{
	struct train *t = a->t;
	const double begin = clock_now(&t->clock);
	/* Number of the kept plan, from 1; 0: none yet. */
	const int kept = a->tuner.kept ? a->tuner.plan + 1 : 0;
	const int n = ++a->n_seconds;
	int rc = 0;

	/* Measure from the second step on: the first is slow for other reasons
	 * than a busy machine. */
	if (a->tuner.step == 0)
		core_wait_read(CORE_WAIT_TASKS, &a->begin);
	/* A step lasts from the end of the previous one; exclude the search
	 * between them. */
	a->seconds[n - 1] = t->step_s[t->step - t->begin.step - 1] - a->own_s;
	if (n == (kept ? SHARED : 1)) {
		a->n_seconds = 0;
		rc = comm_allreduce(
		    t->comm, a->seconds, (size_t)n, COMM_FP64, COMM_SUM, e);
	}
	for (int i = 0; a->n_seconds == 0 && i < n && rc == 0; i++)
		switch (
		    plan_tuner_step(&a->tuner, a->seconds[i] / t->comm->size)) {
		case PLAN_TUNER_NOTHING:
			break;
		case PLAN_TUNER_PROBE:
			rc = propose_plans(a, e);
			break;
		case PLAN_TUNER_DECIDED:
			report_decision(a, kept);
			rc = use_plan(a, e);
			break;
		case PLAN_TUNER_USE:
			rc = use_plan(a, e);
			break;
		case PLAN_TUNER_AGAIN:
			a->plans[0] = a->plans[kept - 1];
			logger_printf(&t->tags, NULL,
			    "dlscale: autotune_again step=%ld "
			    "reason=steps-are-slower\n",
			    t->step);
			break;
		}
	a->own_s = clock_now(&t->clock) - begin;
	return rc;
}

/* --- Horovod's search ----------------------------------------------------- */

struct autotune {
	struct train *t;              /* borrowed */
	struct autotune_model *model; /* NULL: horovod */
	struct horovod_tuner_config config;
	struct horovod_tuner *tuner;   /* on rank 0, else NULL */
	struct gradient_codec *levels; /* hierarchical codec; NULL: none */
	struct gradient_codec *flat;
	struct logger log;   /* in Horovod's format, on rank 0 */
	int log_is_old;      /* 1: the file still holds an earlier search */
	long steps, samples; /* so far */
	double bytes;        /* reduced by a rank in a step */
	int done;
};

static void
apply_setting(struct autotune *a, const struct horovod_setting *s)
{
	const long capacity = a->t->o->cache_capacity;

	use_cycles(a->t, s->at[HOROVOD_THRESHOLD_MIB],
	    s->at[HOROVOD_CYCLE_MS] * 1e-3,
	    s->on[HOROVOD_CACHE_ENABLED] ? capacity : 0);
	if (a->levels != NULL)
		use_codec(a->t,
		    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE] ? a->levels
							  : a->flat);
}

static int
open_horovod(struct autotune *a, struct error *e)
{
	struct train *t = a->t;
	const struct train_options *o = t->o;
	struct horovod_tuner_config *h = &a->config;
	struct gradient_codec_config c = { .wire = t->reduction.grads.type,
		.hierarchical = 1 };
	const char *path = o->autotune_log;
	struct error own = ERROR_INIT;
	struct stat st;

	/* As in Horovod, parameters set by the user are not tuned. */
	*h = (struct horovod_tuner_config){ .warmup = (int)o->autotune_warmup,
		.steps = (int)o->autotune_steps,
		.most = (int)o->autotune_samples,
		.noise = o->autotune_noise,
		.seed = (uint64_t)o->seed };
	h->variable_fixed[HOROVOD_THRESHOLD_MIB] =
	    fusion_options_is_fixed("fusion-threshold");
	h->variable_fixed[HOROVOD_CYCLE_MS] =
	    fusion_options_is_fixed("cycle-time");
	h->switch_fixed[HOROVOD_CACHE_ENABLED] =
	    fusion_options_is_fixed("cache-capacity");
	h->switch_fixed[HOROVOD_HIERARCHICAL_ALLREDUCE] =
	    fusion_options_is_fixed("hierarchical");
	/* The value has no effect: training does no separate allgather. */
	h->switch_fixed[HOROVOD_HIERARCHICAL_ALLGATHER] =
	    fusion_options_is_fixed("hierarchical-allgather");
	h->fixed.at[HOROVOD_THRESHOLD_MIB] = o->threshold_mib;
	h->fixed.at[HOROVOD_CYCLE_MS] = o->cycle_ms;
	h->fixed.on[HOROVOD_CACHE_ENABLED] = o->cache_capacity > 0;
	h->fixed.on[HOROVOD_HIERARCHICAL_ALLREDUCE] = o->hierarchical;
	a->flat = t->codec;
	dtype_find(t->o->compression, &c.wire);
	if (!a->config.switch_fixed[HOROVOD_HIERARCHICAL_ALLREDUCE] &&
	    can_level(t) && open_codec(t, &c, &a->levels, e) != 0)
		return -1;
	for (int i = 0; i < t->each.n; i++)
		a->bytes += (double)t->each.buckets[i].bytes *
		    (double)gradient_codec_element(t->codec) /
		    (double)dtype_size(t->reduction.grads.type);
	a->tuner = horovod_tuner_new(&a->config);
	apply_setting(a, &a->tuner->now);
	if (t->comm->rank != 0) {
		horovod_tuner_free(a->tuner);
		a->tuner = NULL;
	} else if (path != NULL &&
	    (a->log.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) <
		0) {
		error_errno(
		    &own, errno, "cannot write --autotune-log '%s'", path);
	} else if (path != NULL) {
		/* Keep an existing file until the first score, in case the run
		 * ends earlier. */
		a->log_is_old = fstat(a->log.fd, &st) == 0 &&
		    S_ISREG(st.st_mode) && st.st_size > 0;
		horovod_tuner_head(&a->log.line);
		if (!a->log_is_old)
			logger_flush(&a->log, &own);
	}
	*e = own;
	return train_agree(t, e);
}

int
autotune_open(struct train *t, struct error *e)
{
	struct autotune_model *m;
	struct autotune *a;

	if (t->o->autotune == NULL || t->comm->size == 1)
		return 0;
	if (t->comm->ops->attach != NULL) {
		t->agreed = 1;
		return error_set(e, ERROR_USAGE,
		    "--autotune: not with back end '%s', which needs its plan "
		    "before the first step",
		    t->comm->ops->name);
	}
	t->autotune = a = xcalloc(1, sizeof *a);
	a->t = t;
	logger_init(&a->log, -1);
	if (strcmp(t->o->autotune, "model") != 0)
		return open_horovod(a, e);
	a->model = m = xcalloc(1, sizeof *m);
	m->t = t;
	m->model.graph = &t->network.graph;
	m->model.element = dtype_size(t->reduction.grads.type);
	m->model.ready_s = m->ready_s =
	    xcalloc((size_t)t->network.graph.n_params, sizeof *m->ready_s);
	m->plans[0].f = fusion_of(t);
	m->plans[0].cycle_s = t->o->cycle_ms * 1e-3;
	plan_tuner_start(&m->tuner);
	return open_routes(m, e) != 0 ? -1 : find_cores(m, e);
}

void
autotune_announce(struct train *t)
{
	const struct autotune *a = t->autotune;
	const long first = t->begin.epoch > t->o->start_epoch
	    ? t->begin.epoch
	    : t->o->start_epoch;
	/* Steps that this run will make. */
	const long ahead =
	    (t->o->epochs - first) * t->n_batches[IMAGE_SOURCE_TRAIN] -
	    t->begin.batch;
	long steps;

	if (t->o->autotune != NULL && a == NULL)
		logger_printf(&t->warn, NULL,
		    "%s: --autotune: one process has nothing to tune\n",
		    train_program()->name);
	if (a == NULL)
		return;
	if (a->model != NULL) {
		logger_printf(&t->tags, NULL,
		    "dlscale: autotune policy=model routes=%d\n",
		    a->model->model.n_routes);
		return;
	}
	steps = horovod_tuner_steps(&a->config);
	logger_printf(&t->tags, NULL,
	    "dlscale: autotune policy=horovod samples=%ld steps=%ld\n",
	    horovod_tuner_samples(&a->config), steps);
	if (ahead >= steps || t->comm->rank != 0)
		return;
	logger_printf(&t->warn, NULL,
	    "%s: --autotune=horovod: the search takes %ld steps, this run has "
	    "%ld: all of it will train with settings that are on trial; "
	    "--autotune-steps-per-sample, --autotune-bayes-opt-max-samples and "
	    "fixed settings shorten it, --autotune=model takes 10 steps\n",
	    train_program()->name, steps, ahead);
}

/* Print a setting and its score, and add them to Horovod's log.
 *
 * start   of the line
 * sample  from 1; 0: not shown */
static void
print_setting(struct autotune *a, const char *start, long sample,
    const struct horovod_setting *s, double score)
{
	struct strbuf *sb = &a->t->tags.line;

	strbuf_printf(sb, "%s step=%ld", start, a->t->step);
	if (sample > 0)
		strbuf_printf(sb, " sample=%ld", sample);
	logger_printf(&a->t->tags, NULL,
	    " hierarchical_allreduce=%d hierarchical_allgather=%d "
	    "cache_enabled=%d cycle_ms=%g threshold_mib=%g score=%g\n",
	    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE],
	    s->on[HOROVOD_HIERARCHICAL_ALLGATHER], s->on[HOROVOD_CACHE_ENABLED],
	    s->at[HOROVOD_CYCLE_MS], s->at[HOROVOD_THRESHOLD_MIB], score);
	horovod_tuner_row(s, score, &a->log.line);
}

int
autotune_step(struct train *t, struct error *e)
{
	struct autotune *a = t->autotune;
	/* Broadcast by rank 0 after a score. */
	struct {
		struct horovod_setting setting;
		int done;
	} news = { .done = 0 };
	struct error own = ERROR_INIT;
	struct horovod_tuner *h;

	if (a == NULL || a->done)
		return 0;
	if (a->model != NULL)
		return step_model(a->model, e);
	h = a->tuner;
	/* Include the first step, which began before the measurement. */
	if (h != NULL && a->steps == 0)
		horovod_tuner_start(
		    h, seconds_now() - t->step_s[t->step - t->begin.step - 1]);
	a->steps++;
	if (h != NULL) {
		if (horovod_tuner_step(h, seconds_now(), a->bytes)) {
			print_setting(a, "dlscale: autotune_score",
			    ++a->samples, &h->last, h->last_score);
			if (h->done)
				print_setting(a, "dlscale: autotune_done", 0,
				    &h->now, h->best_score);
			if (a->log_is_old && ftruncate(a->log.fd, 0) != 0) {
				error_errno(&own, errno,
				    "cannot write --autotune-log '%s'",
				    t->o->autotune_log);
			} else {
				a->log_is_old = 0;
				logger_flush(&a->log, &own);
			}
		}
		news.setting = h->now;
		news.done = h->done;
	}
	if (a->steps % (HOROVOD_TUNER_RATES * a->config.steps) != 0)
		return 0;
	if (comm_broadcast(t->comm, &news, sizeof news, 0, e) != 0)
		return -1;
	apply_setting(a, &news.setting);
	a->done = news.done;
	if (h != NULL)
		horovod_tuner_start(h, seconds_now());
	*e = own;
	return train_agree(t, e);
}

void
autotune_close(struct autotune *a)
{
	if (a == NULL)
		return;
	if (a->model != NULL)
		free(a->model->ready_s);
	free(a->model);
	horovod_tuner_free(a->tuner);
	if (a->log.fd >= 0)
		close(a->log.fd);
	logger_release(&a->log);
	free(a);
}
