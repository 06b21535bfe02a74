/* Allreduce of a run's gradients: the plan of buckets and the codec. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "trainer/run/options/options_table.h"
#include "trainer/run/train.h"
#include "trainer/tune/plan_model.h"

static int
is_policy(const struct train *t, const char *name)
{
	return strcmp(t->o->fusion, name) == 0;
}

/* Bytes of a number of MiB; Horovod's threshold, which is rounded. */
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

struct fusion
train_fusion(const struct train *t)
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
	struct fusion f = train_fusion(t);

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

void
train_use_cycles(
    struct train *t, double threshold_mib, double cycle_s, long capacity)
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

int
train_open_codec(struct train *t, const struct gradient_codec_config *c,
    struct gradient_codec **out, struct error *e)
{
	const struct device_arena *grads = &t->reduction.grads;

	assert(t->n_codecs < TRAIN_CODECS);
	if (gradient_codec_open(t->comm, grads->type, grads->n, c, out, e) != 0)
		return -1;
	t->codecs[t->n_codecs++] = *out;
	return 0;
}

int
train_has_levels(const struct train *t)
{
	const struct comm *c = t->comm;

	return c->n_nodes > 1 && c->local_size > 1 &&
	    c->size == c->n_nodes * c->local_size;
}

void
train_use_codec(struct train *t, struct gradient_codec *c)
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
	if (train_open_codec(t, &c, &codec, e) != 0) {
		t->agreed = e->code == ERROR_USAGE;
		return -1;
	}
	if (!attaches && t->comm->size > 1)
		t->reduction.tensors = &t->each;
	train_use_codec(t, codec);
	if (attaches)
		return 0;
	if (is_policy(t, "horovod"))
		train_use_cycles(t, t->o->threshold_mib, t->o->cycle_ms * 1e-3,
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

int
train_use_plan(struct train *t, const struct fusion *f, struct error *e)
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
	    train_use_plan(t, &f, e) != 0) {
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
