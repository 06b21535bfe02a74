/* The loops of a run, an epoch of training and a validation, and lines that
 * begin with "dlscale:": configuration, phases, means, summary, weights. */
#include <config.h>

#include "trainer/run/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/stats/stats.h"

/* --- Lines ---------------------------------------------------------------- */

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

/* Report the collectives of a finished step, for --comm-trace and in the file
 * of --timeline. */
static int
report_collectives(struct train *t, struct error *e)
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

/* Sums over the steps of an epoch. */
struct epoch_totals {
	long steps;
	struct phases phases;
	struct reducer_stats reductions; /* all but n: sums */
	struct net_counters traffic[2];  /* before and after the epoch */
	struct device_times device;      /* measured by its events */
};

/* --phases */
static int
report_epoch(
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
	/* Rate per device in training steps, and its ratio to the peak rate. */
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

/* --- Loops ---------------------------------------------------------------- */

/* The state of an epoch. */
struct epoch {
	int number;
	struct sgd sgd;
	int sync; /* 1: wait for the device after each phase */
	struct meters meters;
	struct epoch_totals totals;
	double step_s;     /* since the end of the last step */
	struct error own;  /* of this rank, not yet agreed on */
	int unread;        /* number of losses not yet read */
	int device_clock;  /* 1: the device times its steps */
	int ahead;         /* 1: the next batch is loaded */
	struct error next; /* error of loading it, reported in its step */
	long steps_before; /* steps of the run before this epoch */
};

/* End phase k and add its time to the step. */
static void
end_phase(struct train *t, struct epoch *ep, enum phase k)
{
	if (ep->sync && ep->own.code == ERROR_NONE)
		device_sync(t->network.device, &ep->own);
	ep->step_s += phases_end(&ep->totals.phases, k);
}

/* Accuracy in per cent of the batch, computed as in accuracy() of PyTorch's
 * example. */
static void
take_result(struct meters *m, const struct loss_result *r)
{
	const double n = (double)r->n;

	meter_update(&m->loss, r->loss, n);
	meter_update(&m->top1, 100.0 * (double)r->top1 / n, n);
	meter_update(&m->top5, 100.0 * (double)r->top5 / n, n);
}

static const char *
not_finite(double x)
{
	return isnan(x) ? "not a number" : "infinite";
}

/* Store the time of a step, counted from 0 in the run. */
static void
set_step_time(struct train *t, long step, double seconds)
{
	t->step_s = vec_grow(t->step_s, (size_t)(step - t->begin.step),
	    &t->step_alloc, sizeof *t->step_s);
	t->step_s[step - t->begin.step] = seconds;
}

/* Read the losses up to a batch's, and the times of their steps. */
static int
read_losses(struct train *t, struct epoch *ep, long batch)
{
	struct loss_result found[DEVICE_RESULTS];
	double seconds[DEVICE_RESULTS];
	const int n = ep->unread;

	if (n == 0)
		return 0;
	ep->unread = 0;
	if (device_results(t->network.device, found, n, &ep->own) != 0)
		return -1;
	/* On an asynchronous device the time of a step is the time between the
	 * ends of steps on the device, not between their queueing by the
	 * host. */
	if (ep->device_clock) {
		if (t->network.device->ops->between_ticks(
			t->network.device, seconds, n, &ep->own) != 0)
			return -1;
		for (int i = 0; i < n; i++) {
			set_step_time(t, ep->steps_before + batch + 1 - n + i,
			    seconds[i]);
			meter_update(&ep->meters.time, seconds[i], 1);
		}
	}
	for (int i = 0; i < n; i++) {
		if (!isfinite(found[i].loss))
			return error_set(&ep->own, ERROR_INPUT,
			    "the loss is %s in step %ld (epoch %d, batch %ld) "
			    "on rank %d; a smaller --lr may help",
			    not_finite(found[i].loss),
			    ep->steps_before + batch + 2 - n + i, ep->number,
			    batch + 2 - n + i, t->comm->rank);
		take_result(&ep->meters, &found[i]);
	}
	return 0;
}

/* Load the next batch to the device. */
static int
load_batch(struct train *t, struct epoch *ep, struct error *own)
{
	const int32_t *labels;
	struct images im;

	if (loader_next(t->loaders[IMAGE_SOURCE_TRAIN], &im, &labels, own) < 0)
		return -1;
	end_phase(t, ep, PHASE_DATA);
	if (device_load(t->network.device, &im, labels, own) != 0)
		return -1;
	end_phase(t, ep, PHASE_TO_DEVICE);
	return 0;
}

/* Run the part of a step before the gradients. Sets ep->own on error. */
static int
load_and_forward(struct train *t, struct epoch *ep, long batch)
{
	struct device *d = t->network.device;
	struct error *own = &ep->own;

	if (ep->ahead)
		*own = ep->next;
	else
		load_batch(t, ep, own);
	ep->ahead = 0;
	if (own->code != ERROR_NONE)
		return -1;
	if (device_forward(d, MODE_TRAIN, t->step, own) != 0)
		return -1;
	end_phase(t, ep, PHASE_FORWARD);
	if (device_loss(d, own) != 0)
		return -1;
	ep->unread++;
	if (d->ops->on_host && read_losses(t, ep, batch) != 0)
		return -1;
	end_phase(t, ep, PHASE_LOSS);
	return 0;
}

/* Run the rest of a step: gradients, allreduce, update of the weights. */
static int
learn_step(struct train *t, struct epoch *ep, struct error *e)
{
	struct device *d = t->network.device;
	const int alone = t->comm->size == 1 || d->allreduce.ready != NULL;
	int rc;

	if (comm_alive(t->comm, 1, e) != 0)
		return -1;
	reducer_begin(t->reducer, ep->own.code != ERROR_NONE, signals_caught());
	if (ep->own.code == ERROR_NONE) {
		if (device_backward(
			d, alone ? NULL : reducer_ready, t->reducer, e) != 0)
			return -1;
		end_phase(t, ep, PHASE_BACKWARD);
	}
	rc = reducer_wait(t->reducer, e);
	if (rc > 0) {
		*e = ep->own;
		return train_agree(t, e);
	}
	if (rc < 0)
		return -1;
	end_phase(t, ep, PHASE_ALLREDUCE);
	ep->sgd.grad_scale = gradient_codec_scale(t->codec);
	if (device_update(d, &ep->sgd, e) != 0)
		return -1;
	end_phase(t, ep, PHASE_STEP);
	return 0;
}

/* End a step: count it and print its line.
 *
 * before  seconds of waiting for data before the step */
static void
end_step(struct train *t, struct epoch *ep, long batch, double before)
{
	const struct reducer_stats r = reducer_stats(t->reducer);
	const int is_last = batch + 1 >= t->n_batches[IMAGE_SOURCE_TRAIN];
	const int ahead =
	    !t->network.device->ops->on_host && ep->own.code == ERROR_NONE;
	double data_s;

	/* Give an asynchronous device the next batch, so that it does not idle,
	 * and then read its losses if a line is due. An error of loading is
	 * reported in the step that uses the batch. */
	if (ahead && !is_last) {
		ep->ahead = 1;
		load_batch(t, ep, &ep->next);
	}
	if (ahead && ep->unread > 0 && ep->own.code == ERROR_NONE &&
	    (is_last || batch % t->o->print_freq == 0 ||
		ep->unread >= DEVICE_RESULTS)) {
		read_losses(t, ep, batch);
		end_phase(t, ep, PHASE_LOSS);
	}
	data_s = ep->totals.phases.seconds[PHASE_DATA] - before;
	if (!ep->device_clock || ep->unread > 0)
		set_step_time(t, t->step, ep->step_s);
	if (!ep->device_clock)
		meter_update(&ep->meters.time, ep->step_s, 1);
	t->step++;
	ep->totals.steps++;
	ep->totals.reductions.n += r.n;
	ep->totals.reductions.bytes += r.bytes;
	ep->totals.reductions.busy += r.busy;
	ep->totals.reductions.exposed += r.exposed;
	trace_end_step(t->trace, r.exposed, seconds_now());
	run_means_add(&t->means,
	    &(struct step_times){
		ep->step_s, data_s, r.busy, r.exposed, r.bytes, (double)r.n },
	    t->trace);
	report_collectives(t, &ep->own);
	meter_update(&ep->meters.data, data_s, 1);
	if (batch % t->o->print_freq == 0 && ep->own.code == ERROR_NONE) {
		meters_train_line(&ep->meters, ep->number, batch + 1,
		    t->n_batches[IMAGE_SOURCE_TRAIN], &t->log.line);
		logger_flush(&t->log, &ep->own);
	}
	ep->step_s = phases_end(&ep->totals.phases, PHASE_OTHER);
}

/* Set up the remainder of an epoch. Returns the batch to begin with. */
static long
begin_epoch(struct train *t, struct epoch *ep, int number)
{
	const struct checkpoint *b = &t->begin;
	const long first = number == b->epoch ? b->batch : 0;

	ep->number = number;
	ep->steps_before = t->step - first;
	ep->sync = t->o->phases != NULL && strcmp(t->o->phases, "sync") == 0;
	/* Divided by 10 every lr_step epochs (StepLR). */
	ep->sgd.lr = t->lr * pow(0.1, number / (int)t->o->lr_step);
	ep->sgd.momentum = t->o->momentum;
	ep->sgd.weight_decay = t->o->weight_decay;
	if (first > 0)
		memcpy(&ep->meters,
		    t->begin_meters + t->comm->rank * CHECKPOINT_METERS,
		    sizeof ep->meters);
	net_counters_read(&ep->totals.traffic[0]);
	ep->device_clock = device_tick(t->network.device, &ep->own) == 0;
	loader_start(t->loaders[IMAGE_SOURCE_TRAIN], number, first);
	phases_start(&ep->totals.phases, &t->clock);
	return first;
}

/* Save a checkpoint after a step if one is due, and stop if a signal reached
 * any rank. */
static int
save_checkpoint(struct train *t, struct epoch *ep, long batch, struct error *e)
{
	const long every = t->o->checkpoint_every;
	const int on_host = t->network.device->ops->on_host;

	t->stopped = (int)reducer_stats(t->reducer).flag;
	if (t->stopped == 0 && (every == 0 || t->step % every != 0))
		return 0;
	/* Save nothing if a loss is not finite on any rank. */
	if (!on_host && ep->own.code == ERROR_NONE)
		read_losses(t, ep, batch - 1);
	*e = ep->own;
	if (!on_host && train_agree(t, e) != 0)
		return -1;
	if (resume_save(t, ep->number, batch, &ep->meters, e) != 0)
		return -1;
	return t->stopped != 0 ? resume_stop(t, ep->number, batch, e) : 0;
}

int
train_epoch(struct train *t, int epoch, struct error *e)
{
	struct epoch *ep = xcalloc(1, sizeof *ep);
	const struct phases *p = &ep->totals.phases;
	const long first = begin_epoch(t, ep, epoch);
	uint64_t sum;
	double norm;
	int rc = 0;

	for (long i = first; i < t->n_batches[IMAGE_SOURCE_TRAIN]; i++) {
		const double before = p->seconds[PHASE_DATA];

		trace_begin_step(t->trace, t->step, seconds_now());
		if (ep->own.code == ERROR_NONE)
			load_and_forward(t, ep, i);
		if ((rc = learn_step(t, ep, e)) != 0)
			goto done;
		end_step(t, ep, i, before);
		if ((rc = train_renew_fusion(t, e)) != 0 ||
		    (rc = autotune_step(t, e)) != 0)
			goto done;
		if ((rc = save_checkpoint(t, ep, i + 1, e)) != 0)
			goto done;
	}
	if ((rc = comm_alive(t->comm, 0, e)) != 0)
		goto done;
	net_counters_read(&ep->totals.traffic[1]);
	net_counters_add(
	    &t->traffic, &ep->totals.traffic[0], &ep->totals.traffic[1]);
	t->traffic_s += phases_total(p);
	if (ep->own.code == ERROR_NONE && t->o->phases != NULL &&
	    device_phases(t->network.device, &ep->totals.device, &ep->own) == 0)
		report_epoch(t, epoch, &ep->totals, &ep->own);
	/* The loss can be finite when weights are not: ReLU maps NaN to 0. */
	if (ep->own.code == ERROR_NONE &&
	    train_checksum(t, &sum, &norm, &ep->own) == 0 && !isfinite(norm))
		error_set(&ep->own, ERROR_INPUT,
		    "a weight is %s after step %ld on rank %d; a smaller --lr "
		    "may help",
		    not_finite(norm), t->step, t->comm->rank);
	*e = ep->own;
	rc = train_agree(t, e);
done:
	free(ep);
	return rc;
}

/* Validate one batch, which may be empty. */
static int
test_batch(
    struct train *t, struct meters *m, long batch, long n, struct error *own)
{
	struct device *d = t->network.device;
	const double start = clock_now(&t->clock);
	struct loss_result r;
	const int32_t *labels;
	struct images im;

	if (loader_next(
		t->loaders[IMAGE_SOURCE_VALIDATION], &im, &labels, own) < 0)
		return -1;
	if (im.n == 0)
		return 0;
	if (device_load(d, &im, labels, own) != 0 ||
	    device_forward(d, MODE_EVAL, t->step, own) != 0 ||
	    device_loss(d, own) != 0 || device_result(d, &r, own) != 0)
		return -1;
	if (!isfinite(r.loss))
		return error_set(own, ERROR_INPUT,
		    "the loss is %s in batch %ld of the validation after step "
		    "%ld on rank %d",
		    not_finite(r.loss), batch + 1, t->step, t->comm->rank);
	take_result(m, &r);
	meter_update(&m->time, clock_now(&t->clock) - start, 1);
	if (batch % t->o->print_freq != 0)
		return 0;
	meters_test_line(m, batch + 1, n, &t->log.line);
	return logger_flush(&t->log, own);
}

int
train_validate(struct train *t, struct error *e)
{
	/* Number of batches with images for this rank. */
	const long step = t->o->batch * t->comm->size;
	const long images = t->n_images[IMAGE_SOURCE_VALIDATION];
	const long own_n =
	    images / step + (images % step > t->o->batch * t->comm->rank);
	const long all_n = t->n_batches[IMAGE_SOURCE_VALIDATION];
	struct meters m = { .time = { 0, 0, 0 } };
	struct error own = ERROR_INIT;
	double sums[3];
	int64_t signal;

	/* Running statistics differ between ranks, because each saw other
	 * images; use those of rank 0, as DistributedDataParallel does. */
	if (train_share(t, TENSOR_BUFFER, e) != 0)
		return -1;
	loader_start(t->loaders[IMAGE_SOURCE_VALIDATION], 0, 0);
	for (long i = 0; i < all_n; i++)
		if (signals_caught() != 0 ||
		    test_batch(t, &m, i, own_n < all_n ? own_n : all_n, &own) !=
			0)
			break;
	*e = own;
	if (train_agree(t, e) != 0)
		return -1;
	signal = signals_caught();
	if (comm_allreduce(t->comm, &signal, 1, COMM_I64, COMM_MAX, e) != 0)
		return -1;
	t->stopped = (int)signal;
	if (t->stopped != 0)
		return 0;
	/* The accuracy over all ranks. */
	sums[0] = m.top1.sum;
	sums[1] = m.top5.sum;
	sums[2] = m.top1.count;
	if (comm_allreduce(t->comm, sums, 3, COMM_FP64, COMM_SUM, e) != 0)
		return -1;
	if (sums[2] <= 0) { /* the same on all ranks */
		t->agreed = 1;
		return error_set(e, ERROR_EMPTY, "no image to validate on");
	}
	if (sums[0] / sums[2] > t->best_top1)
		t->best_top1 = sums[0] / sums[2];
	meters_accuracy_line(
	    sums[0] / sums[2], sums[1] / sums[2], &t->log.line);
	logger_flush(&t->log, e);
	return train_agree(t, e);
}
