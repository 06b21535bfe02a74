/* Work of an iteration (samples, tokens), units, and conversion of seconds or
 * rates to the requested metric. */
#include <config.h>

#include "extract/measure/measure_parts.h"

#include <math.h>
#include <string.h>

#include "common/defaults.h"

/* True if the unit counts samples of a batch: samples, images, sequences. */
static int
counts_samples(const char *unit)
{
	return strcmp(unit, "tokens/s") != 0 && strcmp(unit, "items/s") != 0 &&
	    strcmp(unit, "iterations/s") != 0 && strcmp(unit, "GB/s") != 0;
}

/* Samples of an iteration of the whole job, or NAN. */
static double
samples_of(const struct metadata *f)
{
	if (f->batch_size_per_device > 0 && f->gpus > 0)
		return (double)f->batch_size_per_device * (double)f->gpus;
	return f->batch_size > 0 ? (double)f->batch_size : NAN;
}

void
measure_reckon_work(struct measuring *g)
{
	const struct metadata *f = g->source->metadata;
	const double length =
	    f->sequence_length > 0 ? (double)f->sequence_length : NAN;

	if (isnan(g->samples))
		g->samples = samples_of(f);
	if (isnan(g->tokens) && f->tokens_per_step > 0)
		g->tokens = (double)f->tokens_per_step;
	if (isnan(g->tokens))
		g->tokens = g->samples * length;
	if (isnan(g->samples))
		g->samples = g->tokens / length;
}

/* Printed work of an iteration: its mean over the window, so that the rate is
 * total work over total time. NAN if no log prints work. */
static double
printed_work(const struct measuring *g, const char *key)
{
	const struct window *w = &g->window;
	double sum = 0;
	long n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct step *step = &w->steps[i];
		const long weight = step->done - step->from;

		sum += (double)weight * steps_work(&g->steps, step, key);
		n += weight;
	}
	return n > 0 ? sum / (double)n : NAN;
}

/* Samples of an epoch: from its events, in samples or in steps, else the number
 * that the log states for all epochs; else NAN. */
static double
epoch_samples(struct measuring *g)
{
	const char key[] = "epoch_samples";
	const struct log *log = g->source->logs[0];
	const char *unit = metadata_log_text(log, "epoch_unit");
	const double batch = metadata_log_number(log, "batch_size");
	const double steps = printed_work(g, "epoch_batches");
	const double by_steps = steps * batch;
	double amount = printed_work(g, key);

	if (isnan(amount) && isnan(by_steps))
		amount = metadata_log_number(log, key);
	/* Counted in tokens, batches or samples. */
	if (unit != NULL && strcmp(unit, "batches") == 0)
		amount *= batch;
	else if (unit != NULL)
		amount /= metadata_log_number(log, "sequence_length");
	if (isnan(amount))
		return by_steps;
	if (!(fabs(amount / by_steps - 1) > WORK_MAX_OFF))
		return amount;
	FLAG(g, REMARK_EVENTS_CONTRADICT, remark_number(amount),
	    remark_number(steps), remark_number(batch));
	return by_steps;
}

/* A batch on the lines of steps takes precedence over other statements of the
 * log, but not over options and path. */
void
measure_read_work(struct measuring *g)
{
	if (g->source->logs[0]->meaning->epochs) {
		g->samples = epoch_samples(g);
		return;
	}
	if (g->source->metadata->batch_by_log)
		g->samples = printed_work(g, "batch_size");
	g->tokens = printed_work(g, "tokens_per_step");
	measure_reckon_work(g);
}

double
measure_work_of(const struct measuring *g, const char *unit)
{
	if (strcmp(unit, "iterations/s") == 0)
		return 1;
	if (strcmp(unit, "tokens/s") == 0)
		return g->tokens;
	return counts_samples(unit) ? g->samples : NAN;
}

/* Exclude a run that lacks a value, with the options that set it.
 *
 * hint  REMARK_PASS_FOR_ALL, since one option would be wrong for most runs of a
 *       mixed folder, or an extension of it
 *
 * Returns -1. */
static int
exclude_unstated(struct exclusion *x, struct remark why, enum remark_code hint,
    const char *options)
{
	exclude(x, why);
	x->hint = REMARK(hint, remark_name(options));
	return -1;
}

/* The options that state what a throughput in this unit lacks.
 *
 * samples  of an iteration, or NAN
 * why      set to the reason for exclusion without them */
static const char *
missing_options(const struct metadata *f, const char *unit, double samples,
    enum remark_code *why)
{
	const int is_tokens = strcmp(unit, "tokens/s") == 0;

	*why = is_tokens ? REMARK_NO_SEQUENCE_LENGTH : REMARK_NO_GPUS;
	if (is_tokens && !isnan(samples))
		return "--sequence-length=N";
	if (!is_tokens && f->batch_size_per_device != RESULT_UNKNOWN)
		return "--nodes=N --gpus-per-node=N";
	*why = REMARK_NO_TOKENS;
	if (is_tokens)
		return f->sequence_length > 0
		    ? "--batch-size=N"
		    : "--batch-size=N --sequence-length=N";
	*why = REMARK_NO_BATCH_SIZE;
	if (f->gpus != RESULT_UNKNOWN)
		return "--batch-size-per-device=N";
	*why = REMARK_NO_BATCH_OR_GPUS;
	return "--batch-size-per-device=N --nodes=N --gpus-per-node=N";
}

static int
need_batch(const struct measuring *g, const char *unit, struct exclusion *x)
{
	enum remark_code why;
	const char *options =
	    missing_options(g->source->metadata, unit, g->samples, &why);

	return exclude_unstated(
	    x, remark_plain(why), REMARK_PASS_FOR_ALL, options);
}

/* Default unit of the throughput: that of a printed rate, or the format's. */
static const char *
own_unit_of(const struct measuring *g, const char *printed)
{
	const struct meaning *meaning = g->source->logs[0]->meaning;

	if (printed != NULL)
		return printed;
	return meaning->throughput != NULL ? meaning->throughput : "samples/s";
}

int
measure_also_needs(const struct measuring *g, struct exclusion *x)
{
	const struct metadata *f = g->source->metadata;
	const struct meaning *meaning = g->source->logs[0]->meaning;
	const char *unit =
	    g->rule->unit != NULL ? g->rule->unit : own_unit_of(g, NULL);
	const double samples = samples_of(f);
	const int lacks = strcmp(unit, "tokens/s") == 0
	    ? f->tokens_per_step <= 0 &&
		(isnan(samples) || f->sequence_length <= 0)
	    : strcmp(unit, "samples/s") == 0 && isnan(samples);
	enum remark_code why;

	if (lacks && x->hint.code == REMARK_PASS &&
	    meaning->kind != VALUE_RATE && !meaning->of_samples &&
	    !meaning->has_work && g->rule->metric == METRIC_THROUGHPUT)
		x->hint.args[1] =
		    remark_name(missing_options(f, unit, samples, &why));
	return -1;
}

/* Set the work of an iteration, for speedups of values per iteration. It has
 * the unit of the throughput, so that speedups are equal for all metrics. */
static void
keep_work(struct measuring *g, const char *wanted)
{
	const int tokens = strcmp(wanted, "tokens/s") == 0 ||
	    (isnan(g->samples) && !isnan(g->tokens) && !counts_samples(wanted));

	g->m->work = tokens ? g->tokens : g->samples;
	g->m->work_unit = tokens ? "tokens" : "samples";
}

int
measure_to_metric(struct measuring *g, double value, int is_rate,
    const char *unit, struct exclusion *x)
{
	struct result_run *run = &g->m->run;
	const char *own, *wanted;

	if (!is_rate && g->source->logs[0]->meaning->of_samples) {
		is_rate = 1;
		unit = "samples/s";
		value = 1 / value;
	}
	own = own_unit_of(g, is_rate ? unit : NULL);
	wanted = g->rule->unit != NULL ? g->rule->unit : own;
	/* "iterations/s" does not imply a unit of work. */
	keep_work(g, strcmp(wanted, "iterations/s") == 0 ? own : wanted);
	run->step_s = is_rate ? measure_work_of(g, unit) / value : value;
	if (g->rule->metric == METRIC_STEP_TIME) {
		if (isnan(run->step_s))
			return counts_samples(unit)
			    ? need_batch(g, unit, x)
			    : exclude(x,
				  REMARK(
				      REMARK_NO_STEP_TIME, remark_name(unit)));
		run->value = run->step_s;
		g->m->unit = "s";
		return 0;
	}
	if (is_rate &&
	    (strcmp(wanted, unit) == 0 ||
		(counts_samples(wanted) && counts_samples(unit))))
		run->value = value; /* images are samples */
	else if (is_rate && isnan(run->step_s))
		return need_batch(g, unit, x);
	else if (isnan(measure_work_of(g, wanted)))
		return need_batch(g, wanted, x);
	else
		run->value = measure_work_of(g, wanted) / run->step_s;
	g->m->unit = arena_strdup(g->arena, wanted);
	run->samples_per_s =
	    counts_samples(wanted) ? run->value : g->samples / run->step_s;
	return 0;
}

int
measure_exclude_part(
    const struct measuring *g, enum value_scope scope, struct exclusion *x)
{
	const int node = scope == SCOPE_NODE;
	const int both = !node && g->source->metadata->gpus_per_node < 1;

	return exclude_unstated(x,
	    REMARK(REMARK_RATE_OF_PART, remark_name(node ? "node" : "device")),
	    REMARK_PASS_OR_GLOBAL,
	    both ? "--nodes=N --gpus-per-node=N" : "--nodes=N");
}

int
measure_exclude_scope(const struct measuring *g, struct exclusion *x)
{
	return exclude_unstated(x, remark_plain(REMARK_RATE_SCOPE),
	    REMARK_PASS_FOR_ALL,
	    g->m->kind == RULE_SUMMARY
		? "--rule=all --rate-scope=global (or --rate-scope=device)"
		: "--rate-scope=global (or --rate-scope=device)");
}

void
measuring_flag(struct measuring *g, struct remark flag)
{
	const struct remark copy = remark_copy(&flag, g->arena);

	result_run_flag(&g->m->run, &copy, g->arena);
}
