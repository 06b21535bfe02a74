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

/* True if some log of the run prints work on its lines. */
static int
prints_work(const struct measuring *g)
{
	for (size_t i = 0; i < g->source->n_logs; i++)
		if (g->source->logs[i]->n_works > 0)
			return 1;
	return 0;
}

/* Printed work of an iteration: its mean over the window, so that the rate is
 * total work over total time. */
static double
printed_work(const struct measuring *g, const char *key)
{
	const struct window *w = &g->window;
	double sum = 0;
	long n = 0;

	if (!prints_work(g))
		return NAN;
	for (size_t i = 0; i < w->n; i++) {
		const struct step *step = &w->steps[i];
		const long weight = step->done - step->from;

		sum += (double)weight * steps_work(&g->steps, step, key);
		n += weight;
	}
	return n > 0 ? sum / (double)n : NAN;
}

/* Convert the size of an epoch, in tokens, batches or samples, to samples. */
static double
samples_counted(const struct measuring *g, double amount, double batch)
{
	const struct log *log = g->source->logs[0];
	const char *unit = metadata_log_text(log, "epoch_unit");

	if (unit == NULL)
		return amount;
	if (strcmp(unit, "batches") == 0)
		return amount * batch;
	return amount / metadata_log_number(log, "sequence_length");
}

/* Samples of an epoch: from its events, in samples or in steps, else the number
 * that the log states for all epochs; else NAN. */
static double
epoch_samples(struct measuring *g)
{
	const char key[] = "epoch_samples";
	const double batch =
	    metadata_log_number(g->source->logs[0], "batch_size");
	const double steps = printed_work(g, "epoch_batches");
	const double by_steps = steps * batch;
	double amount = printed_work(g, key);

	if (isnan(amount) && isnan(by_steps))
		amount = metadata_log_number(g->source->logs[0], key);
	amount = samples_counted(g, amount, batch);
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

static int
need_batch(const struct measuring *g, const char *unit, struct exclusion *x)
{
	const struct metadata *f = g->source->metadata;
	enum remark_code code = REMARK_NO_BATCH_SIZE;
	const char *options = "--batch-size-per-device=N";

	if (strcmp(unit, "tokens/s") == 0 && !isnan(g->samples)) {
		code = REMARK_NO_SEQUENCE_LENGTH;
		options = "--sequence-length=N";
	} else if (strcmp(unit, "tokens/s") == 0) {
		code = REMARK_NO_TOKENS;
		options = "--batch-size=N --sequence-length=N";
	} else if (f->batch_size_per_device != RESULT_UNKNOWN) {
		code = REMARK_NO_GPUS;
		options = "--nodes=N --gpus-per-node=N";
	} else if (f->gpus == RESULT_UNKNOWN) {
		code = REMARK_NO_BATCH_OR_GPUS;
		options = "--batch-size-per-device=N --nodes=N "
			  "--gpus-per-node=N";
	}
	return exclude_unstated(
	    x, remark_plain(code), REMARK_PASS_FOR_ALL, options);
}

/* Default unit of the throughput.
 *
 * printed  printed unit of a rate */
static const char *
own_unit_of(const struct measuring *g, int is_rate, const char *printed)
{
	const struct meaning *meaning = g->source->logs[0]->meaning;

	if (is_rate)
		return printed;
	return meaning->throughput != NULL ? meaning->throughput : "samples/s";
}

/* Unit of the throughput.
 *
 * printed  of a rate: its own */
static const char *
unit_of(const struct measuring *g, int is_rate, const char *printed)
{
	const char *unit = g->rule->unit;

	return unit != NULL ? unit : own_unit_of(g, is_rate, printed);
}

int
measure_also_needs(const struct measuring *g, struct exclusion *x)
{
	const struct metadata *f = g->source->metadata;
	const struct log *log = g->source->logs[0];
	const char *unit = unit_of(g, 0, NULL);
	const int no_samples = isnan(samples_of(f));
	const char *with = NULL;

	if (x->hint.code != REMARK_PASS || log->meaning->kind == VALUE_RATE ||
	    log->meaning->of_samples || log->meaning->has_work ||
	    g->rule->metric != METRIC_THROUGHPUT)
		return -1;
	if (strcmp(unit, "tokens/s") == 0 && f->tokens_per_step <= 0) {
		if (no_samples && f->sequence_length <= 0)
			with = "--batch-size=N --sequence-length=N";
		else if (no_samples)
			with = "--batch-size=N";
		else if (f->sequence_length <= 0)
			with = "--sequence-length=N";
	} else if (strcmp(unit, "samples/s") == 0 && no_samples) {
		if (f->gpus != RESULT_UNKNOWN)
			with = "--batch-size-per-device=N";
		else if (f->batch_size_per_device != RESULT_UNKNOWN)
			with = "--nodes=N --gpus-per-node=N";
		else
			with = "--batch-size-per-device=N --nodes=N "
			       "--gpus-per-node=N";
	}
	x->hint.args[1] = remark_name(with);
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
	const char *wanted;
	double work;
	struct result_run *run = &g->m->run;

	if (!is_rate && g->source->logs[0]->meaning->of_samples) {
		is_rate = 1;
		unit = "samples/s";
		value = 1 / value;
	}
	wanted = unit_of(g, is_rate, unit);
	work = measure_work_of(g, wanted);
	/* "iterations/s" does not imply a unit of work. */
	keep_work(g,
	    strcmp(wanted, "iterations/s") == 0 ? own_unit_of(g, is_rate, unit)
						: wanted);
	run->step_s = is_rate ? measure_work_of(g, unit) / value : value;
	if (g->rule->metric == METRIC_STEP_TIME) {
		if (isnan(run->step_s) && !counts_samples(unit))
			return exclude(
			    x, REMARK(REMARK_NO_STEP_TIME, remark_name(unit)));
		if (isnan(run->step_s))
			return need_batch(g, unit, x);
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
	else if (isnan(work))
		return need_batch(g, wanted, x);
	else
		run->value = work / run->step_s;
	g->m->unit = arena_strdup(g->arena, wanted);
	if (counts_samples(wanted))
		run->samples_per_s = run->value;
	else
		run->samples_per_s = g->samples / run->step_s;
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
