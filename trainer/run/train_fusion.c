/* How a run allreduces its gradients: the plan of buckets, and the codec. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "trainer/run/fusion_options.h"
#include "trainer/run/run_report.h"
#include "trainer/run/train.h"

static int
is_policy(const struct train *t, const char *name)
{
	return strcmp(t->o->fusion, name) == 0;
}

/* Horovod's threshold in bytes. */
static size_t
find_threshold(const struct train *t)
{
	return fusion_round_threshold(
	    (size_t)(t->o->threshold_mib * (1 << 20)), t->comm->local_size);
}

void
train_plan_fusion(struct train *t)
{
	const struct device_arena grads =
	    device_arena(t->network.device, TENSOR_GRAD);
	const double mib = 1 << 20;
	/* Where the plan is made later, tensors are separate until then; a
	 * back end that reduces in streams of devices has no cycles. */
	const int later = t->comm->ops->attach == NULL &&
	    (is_policy(t, "horovod") || is_policy(t, "mgwfbp"));
	struct fusion f = { .policy = later ? "tensor" : t->o->fusion,
		.first = (size_t)(t->o->first_bucket_mib * mib),
		.rest = (size_t)(t->o->bucket_mib * mib),
		.threshold = find_threshold(t) };

	fusion_plan_make(
	    &f, &t->network.graph, dtype_size(grads.type), &t->plan);
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
		    (double)find_threshold(t) / (1 << 20), o->cycle_ms,
		    o->cache_capacity);
	strbuf_printf(sb, " compression=%s hierarchical=%s", o->compression,
	    !o->hierarchical                               ? "no"
		: gradient_codec_is_hierarchical(t->codec) ? "yes"
							   : "one-level");
}

/* One number for all that the ranks must have alike. */
static uint64_t
hash_fusion(const struct train *t)
{
	const struct train_options *o = t->o;
	struct strbuf sb;
	uint64_t sum;

	strbuf_init(&sb, LOGGER_LINE_MAX);
	strbuf_printf(&sb, "%s %.17g %.17g %.17g %.17g %ld %s %d", o->fusion,
	    o->first_bucket_mib, o->bucket_mib, o->threshold_mib, o->cycle_ms,
	    o->cache_capacity, o->compression, o->hierarchical);
	sum = XXH3_64bits_withSeed(sb.buf, sb.len, fusion_plan_hash(&t->plan));
	strbuf_release(&sb);
	return sum;
}

/* The seconds that an allreduce of n gradients takes, the least of a few. */
static int
time_allreduce(
    struct train *t, void *data, size_t n, double *out, struct error *e)
{
	struct clock clock;

	clock_init(&clock, 0);
	*out = 1e9;
	for (int i = 0; i < 5; i++) {
		double start, took;

		if (comm_barrier(t->comm, e) != 0)
			return -1;
		start = clock_now(&clock);
		if (gradient_codec_allreduce(t->codec, data, n, e) != 0)
			return -1;
		took = clock_now(&clock) - start;
		*out = took < *out ? took : *out;
	}
	return 0;
}

/* What an allreduce costs: alpha + beta times its bytes, from a short and a
 * long one; the slowest rank's. */
static int
probe_thresholds(struct train *t, struct device_arena grads, struct error *e)
{
	const size_t size = dtype_size(grads.type);
	const size_t small = 4096 / size, most = (4 << 20) / size;
	const size_t large = grads.n < most ? grads.n : most;
	void *data = xcalloc(large, size);
	double s[2];
	int rc = 0;

	if (time_allreduce(t, data, small, &s[0], e) != 0 ||
	    time_allreduce(t, data, large, &s[1], e) != 0 ||
	    comm_allreduce(t->comm, s, 2, COMM_FP64, COMM_MAX, e) != 0)
		rc = -1;
	free(data);
	t->beta_s_per_byte =
	    s[1] > s[0] ? (s[1] - s[0]) / (double)((large - small) * size) : 0;
	t->alpha_s = s[0] - t->beta_s_per_byte * (double)(small * size);
	t->alpha_s = t->alpha_s > 0 ? t->alpha_s : 0;
	return rc;
}

static void
start_cycles(struct train *t)
{
	const struct graph *g = &t->network.graph;
	const struct reducer_cycles c = { .cycle_s = t->o->cycle_ms * 1e-3,
		.threshold = find_threshold(t),
		.names = t->tensors =
		    xcalloc((size_t)g->n_params, sizeof *t->tensors),
		.capacity = t->o->cache_capacity };

	for (int i = 0; i < g->n_params; i++)
		t->tensors[i] = g->params[g->n_params - 1 - i].name;
	reducer_set_cycles(t->reducer, &c);
}

/* What a back end that reduces in streams of devices cannot do. */
static int
check_attached(const struct train *t, struct error *e)
{
	const struct train_options *o = t->o;
	const char *option = NULL;

	if (t->comm->ops->attach == NULL)
		return 0;
	if (strcmp(o->compression, "none") != 0)
		option = "--compression";
	else if (o->hierarchical)
		option = "--hierarchical";
	else if (is_policy(t, "mgwfbp"))
		option = "--fusion=mgwfbp";
	if (option == NULL)
		return 0;
	return error_set(e, ERROR_USAGE, "%s: not with back end '%s'", option,
	    t->comm->ops->name);
}

/* Report which of Horovod's settings another policy has no use for. */
static void
warn_of_unused(struct train *t)
{
	struct strbuf sb;

	strbuf_init(&sb, LOGGER_LINE_MAX);
	fusion_options_unused(t->o->fusion, &sb);
	if (sb.len > 0 && t->comm->rank == 0)
		logger_printf(&t->warn, NULL,
		    "%s: environment variable %s: not used with "
		    "--fusion=%s\n",
		    train_program()->name, sb.buf, t->o->fusion);
	strbuf_release(&sb);
}

/* Warn that what Horovod would tune is not. */
static void
warn_of_tuning(struct train *t)
{
	static const char *const names[] = { "HOROVOD_AUTOTUNE",
		"HOROVOD_AUTOTUNE_LOG" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = getenv(names[i]);

		if (t->comm->rank != 0 || text == NULL || *text == '\0' ||
		    strcmp(text, "0") == 0)
			continue;
		logger_printf(&t->warn, NULL,
		    "%s: environment variable %s: nothing is tuned while this "
		    "program trains; --fusion=mgwfbp plans by measured times\n",
		    train_program()->name, names[i]);
		return;
	}
}

int
train_open_fusion(struct train *t, struct error *e)
{
	const struct device_arena grads =
	    device_arena(t->network.device, TENSOR_GRAD);
	struct gradient_codec_config c = { .wire = grads.type,
		.hierarchical = t->o->hierarchical };

	if (comm_check_same(t->comm, "their plan of gradient allreduces",
		hash_fusion(t), e) != 0) {
		t->agreed = e->code == ERROR_INPUT;
		return -1;
	}
	if (check_attached(t, e) != 0) {
		t->agreed = 1;
		return -1;
	}
	warn_of_tuning(t);
	warn_of_unused(t);
	if (strcmp(t->o->compression, "none") != 0)
		dtype_find(t->o->compression, &c.wire);
	if (gradient_codec_open(
		t->comm, grads.type, grads.n, &c, &t->codec, e) != 0) {
		t->agreed = e->code == ERROR_USAGE;
		return -1;
	}
	reducer_set_codec(t->reducer, t->codec);
	if (t->comm->ops->attach != NULL)
		return 0;
	if (is_policy(t, "horovod"))
		start_cycles(t);
	if (is_policy(t, "mgwfbp") && t->comm->size > 1)
		return probe_thresholds(t, grads, e);
	return 0;
}

/* Staging buffers are cut as the plan is. */
static int
renew_staging(struct train *t, struct error *e)
{
	if (t->staging == NULL)
		return 0;
	host_staging_close(t->staging);
	t->staging = NULL;
	if (host_staging_open(t->network.device, &t->plan, HOST_STAGING_PIECE,
		&t->staging, e) != 0)
		return -1;
	reducer_set_staging(t->reducer, t->staging);
	return 0;
}

int
train_renew_fusion(struct train *t, struct error *e)
{
	const struct graph *g = &t->network.graph;
	const size_t n = (size_t)g->n_params;
	const size_t size =
	    dtype_size(device_arena(t->network.device, TENSOR_GRAD).type);
	struct fusion f = { .policy = "mgwfbp",
		.alpha_s = t->alpha_s,
		.beta_s_per_byte = t->beta_s_per_byte };
	double *ready;

	if (!is_policy(t, "mgwfbp") || t->comm->size == 1 ||
	    t->step != t->begin.step + 2)
		return 0;
	ready = xcalloc(n, sizeof *ready);
	for (size_t i = 0; i < n; i++)
		ready[i] = reducer_ready_times(t->reducer)[i] -
		    reducer_ready_times(t->reducer)[0];
	if (comm_allreduce(t->comm, ready, n, COMM_FP64, COMM_MAX, e) != 0) {
		free(ready);
		return -1;
	}
	f.ready_s = ready;
	fusion_plan_release(&t->plan);
	fusion_plan_make(&f, g, size, &t->plan);
	reducer_set_plan(t->reducer, &t->plan);
	if (renew_staging(t, e) != 0) {
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
	return comm_check_same(t->comm, "their plan of gradient allreduces",
	    fusion_plan_hash(&t->plan), e);
}
