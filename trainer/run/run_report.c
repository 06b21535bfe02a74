/* Lines that begin with "dlscale:": configuration, phases, means, summary,
 * weights. */
#include <config.h>

#include "trainer/run/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

void
run_report_config(const struct train *t, struct strbuf *sb)
{
	const struct train_options *o = t->o;
	const struct graph *g = &t->network.graph;
	const struct comm *c = t->comm;

	strbuf_printf(sb,
	    "dlscale: config version=%s model=%s parameters=%zu image=%d "
	    "classes=%d device=%s precision=%s batch_per_device=%ld "
	    "devices=%d nodes=%d images=%s train_images=%ld val_images=%ld "
	    "batches_per_epoch=%ld "
	    "val_batches=%ld epochs=%ld start_epoch=%ld",
	    PACKAGE_VERSION, t->model->name, g->n_weights, g->image, g->classes,
	    o->device, o->precision, o->batch, c->size, c->n_nodes,
	    o->dummy ? "dummy" : "folder", t->n_images[IMAGE_SOURCE_TRAIN],
	    t->n_images[IMAGE_SOURCE_VALIDATION],
	    t->n_batches[IMAGE_SOURCE_TRAIN],
	    t->n_batches[IMAGE_SOURCE_VALIDATION], o->epochs, o->start_epoch);
	strbuf_printf(sb,
	    " lr=%.10g lr_step=%ld momentum=%.10g weight_decay=%.10g seed=%ld "
	    "backend=%s buckets=%d print_freq=%ld workers=%ld",
	    t->lr, o->lr_step, o->momentum, o->weight_decay, o->seed,
	    c->ops->name, t->plan.n, o->print_freq, o->workers);
}

/* Print each line with a prefix, and free the text. */
static int
print_lines(
    struct logger *l, const char *front, struct strbuf *sb, struct error *e)
{
	const char *text = sb->buf;
	int rc = 0;

	while (rc == 0 && *text != '\0') {
		const size_t len = strcspn(text, "\n");

		strbuf_addstr(&l->line, front);
		strbuf_add(&l->line, text, len);
		rc = logger_end(l, e);
		text += len + (text[len] == '\n');
	}
	strbuf_release(sb);
	return rc;
}

int
run_report_plan(struct train *t, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(LOGGER_LINE_MAX);

	device_describe(t->network.device, &sb);
	return print_lines(&t->tags, "dlscale: plan ", &sb, e);
}

int
run_report_collectives(struct train *t, struct error *e)
{
	const long every = t->o->comm_trace;
	struct strbuf sb = STRBUF_INIT(LOGGER_LINE_MAX);
	int rc = 0;

	if (every > 0 && t->step % every == 0 && t->comm->size > 1) {
		trace_show_step(
		    t->trace, t->comm->ops->name, t->comm->rank, &sb);
		rc = print_lines(&t->log, "", &sb, e);
	}
	if (rc == 0 && t->timeline != NULL)
		rc = timeline_writer_step(t->timeline, t->trace, e);
	return rc;
}

int
run_report_epoch(
    struct train *t, int epoch, const struct epoch_totals *s, struct error *e)
{
	static const char *const names[N_DEVICE_PHASES] = { "copy", "to_device",
		"forward", "loss", "backward", "allreduce", "update" };
	const struct reducer_stats *r = &s->reductions;
	const double n = (double)s->steps;
	struct strbuf *sb = &t->tags.line;
	const int fake = t->clock.fake;

	strbuf_printf(sb, "dlscale: phases epoch=%d steps=%ld mode=%s", epoch,
	    s->steps, t->o->phases);
	phases_show(&s->phases, s->steps, sb);
	if (logger_end(&t->tags, e) != 0)
		return -1;
	/* Omit the rest with the fake clock. */
	if (s->device.steps > 0 && !fake) {
		strbuf_printf(sb, "dlscale: device epoch=%d steps=%ld mode=%s",
		    epoch, s->device.steps, t->o->phases);
		for (int i = 0; i < N_DEVICE_PHASES; i++)
			strbuf_printf(sb, " %s_ms=%.3f", names[i],
			    1e3 * s->device.seconds[i] /
				(double)s->device.steps);
		if (logger_end(&t->tags, e) != 0)
			return -1;
	}
	if (t->comm->size > 1 && !fake) {
		strbuf_printf(sb,
		    "dlscale: reductions epoch=%d per_step=%.10g "
		    "bytes_per_step=%.0f busy_ms=%.3f exposed_ms=%.3f "
		    "overlap=%.4f",
		    epoch, r->n / n, r->bytes / n, 1e3 * r->busy / n,
		    1e3 * r->exposed / n,
		    r->busy > r->exposed ? 1 - r->exposed / r->busy : 0.0);
		if (logger_end(&t->tags, e) != 0)
			return -1;
	}
	if (fake)
		return 0;
	strbuf_printf(sb, "dlscale: network epoch=%d", epoch);
	net_counters_show(
	    &s->traffic[0], &s->traffic[1], phases_total(&s->phases), sb);
	return logger_end(&t->tags, e);
}

/* Images are the bottleneck if a larger fraction of the time is spent waiting
 * for them. If the device is slower, the wait for each batch is only
 * microseconds. */
static const double SLOW_IMAGES = 0.05;

/* Report the throughput of the run, whether images or the device are the
 * bottleneck, means over the steps that the summary counts, the time of the
 * processes, and all collectives by size. */
static int
print_summary(struct train *t, struct error *e)
{
	const long steps = t->step - t->begin.step;
	const long skip = run_means_skipped(&t->means);
	const size_t n = (size_t)(steps - skip);
	const double *x = t->step_s + skip;
	const double mean = stats_mean(x, n);
	const double images = (double)t->o->batch / mean;
	const double tflops =
	    1e-12 * graph_training_flops(&t->network.graph) * images;
	const struct net_counters none = { 0, 0, 0, "" };
	struct strbuf *sb = &t->tags.line, more = STRBUF_INIT(LOGGER_LINE_MAX);

	strbuf_printf(sb,
	    "dlscale: summary steps=%ld skipped=%ld images=%ld "
	    "images_per_s=%.5g images_per_s_per_device=%.5g "
	    "step_ms_mean=%.3f step_ms_median=%.3f step_ms_min=%.3f "
	    "step_ms_max=%.3f total_s=%.3f",
	    steps, skip, steps * t->o->batch * t->comm->size,
	    images * t->comm->size, images, 1e3 * mean,
	    1e3 * stats_median(x, n), 1e3 * stats_min(x, n),
	    1e3 * stats_max(x, n),
	    (double)steps * stats_mean(t->step_s, (size_t)steps));
	/* Of a device in training steps, and its ratio to the peak rate. */
	strbuf_printf(sb, " model_tflops_per_s_per_device=%.5g", tflops);
	if (t->o->peak_tflops > 0)
		strbuf_printf(sb, " peak_tflops=%.5g mfu=%.4f",
		    t->o->peak_tflops, tflops / t->o->peak_tflops);
	if (!t->o->dummy)
		strbuf_printf(sb, " unusable_images=%ld", t->unusable);
	if (logger_end(&t->tags, e) != 0)
		return -1;
	if (t->clock.fake)
		return 0;
	strbuf_printf(&more,
	    "dlscale: input bottleneck=%s wait_share=%.4f wait_ms=%.3f "
	    "workers=%ld\n",
	    t->wait_share > SLOW_IMAGES ? "images" : "device", t->wait_share,
	    1e3 * t->wait_share * mean, t->o->workers);
	run_means_show(&t->means, &more);
	strbuf_addstr(&more, "dlscale: run_network");
	net_counters_show(&none, &t->traffic, t->traffic_s, &more);
	strbuf_printf(&more,
	    "\ndlscale: run_times real_s=%.2f user_s=%.2f sys_s=%.2f "
	    "processes=%d\n",
	    t->times.real_s, t->times.user_s, t->times.sys_s, t->comm->size);
	trace_show_histogram(t->trace, &more);
	return print_lines(&t->tags, "", &more, e);
}

int
train_checksum(struct train *t, uint64_t *sum, double *norm, struct error *e)
{
	struct device *d = t->network.device;
	const int wide = device_arena(d, TENSOR_PARAM).type == DTYPE_FP64;
	const size_t size = wide ? sizeof(double) : sizeof(float);
	void *x = xcalloc(t->network.graph.arena_size, size);
	XXH3_state_t *state = XXH3_createState();
	struct stats_sum squares = STATS_SUM_INIT;
	int rc = 0;

	XXH3_64bits_reset(state);
	for (int i = 0; i < t->network.graph.n_params && rc == 0; i++) {
		const size_t n = device_tensor_size(d, TENSOR_PARAM, i);

		rc = device_read(
		    d, TENSOR_PARAM, i, wide ? DTYPE_FP64 : DTYPE_FP32, x, e);
		XXH3_64bits_update(state, x, n * size);
		for (size_t k = 0; k < n; k++) {
			const double w =
			    wide ? ((double *)x)[k] : ((float *)x)[k];

			stats_sum_add(&squares, w * w);
		}
	}
	*sum = XXH3_64bits_digest(state);
	*norm = sqrt(stats_sum_value(&squares));
	XXH3_freeState(state);
	free(x);
	return rc;
}

int
run_report_end(struct train *t, struct error *e)
{
	const int trained = t->step > t->begin.step;
	struct strbuf sb = STRBUF_INIT(LOGGER_LINE_MAX);
	uint64_t sum;
	double norm;

	if ((trained && print_summary(t, e) != 0) ||
	    train_checksum(t, &sum, &norm, e) != 0 ||
	    logger_printf(&t->log, e,
		"dlscale: weights rank=%d xxh3=%016llx norm=%.17g\n",
		t->comm->rank, (unsigned long long)sum, norm) != 0)
		return -1;
	if (!trained || t->o->profile == 0 || t->comm->rank != 0)
		return 0;
	if (device_call_times(t->network.device, (int)t->o->profile, &sb, e) ==
	    0)
		return print_lines(&t->tags, "dlscale: ", &sb, e);
	strbuf_release(&sb);
	return -1;
}
