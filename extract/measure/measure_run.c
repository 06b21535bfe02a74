/* Measurement of a run: by steps (measure_steps.c) or by a printed figure of
 * the whole run: a benchmark result, a time to train, the best of trials; then
 * the members that all runs have. */
#include <config.h>

#include "extract/measure/measure_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <limits.h>
#include <time.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "common/text.h"
#include "common/units/units.h"
#include "extract/log/log.h"
#include "extract/measure/measure_run.h"
#include "extract/measure/run_path.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

/* --- Work of an iteration: samples, tokens --------------------------------*/

/* True if the unit counts samples of a batch: samples, images, sequences. */
static int
counts_samples(const char *unit)
{
	return strcmp(unit, "tokens/s") != 0 && strcmp(unit, "items/s") != 0 &&
	    strcmp(unit, "iterations/s") != 0 && strcmp(unit, "GB/s") != 0;
}

/* Samples per iteration of the whole job, or NAN. */
static double
samples_of(const struct metadata *f)
{
	if (f->batch_size_per_device > 0 && f->gpus > 0)
		return (double)f->batch_size_per_device * (double)f->gpus;
	return f->batch_size > 0 ? (double)f->batch_size : NAN;
}

/* Set work that is still unknown from the metadata. */
static void
reckon_work(struct measuring *g)
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
	reckon_work(g);
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

/* Exclude a run with an unknown value, with a hint at the options that set it.
 *
 * hint  REMARK_PASS_FOR_ALL, since one option would be wrong for most runs of a
 *       mixed folder, or a hint that offers another option as well
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

/* The options that state the values missing for a throughput in this unit.
 *
 * samples  of an iteration, or NAN
 * why      set to the reason for exclusion without them */
static const char *
missing_options(const struct metadata *f, const char *unit, double samples,
    struct remark *why)
{
	const int is_tokens = strcmp(unit, "tokens/s") == 0;
	const char *lacks = "batch size per device";
	const char *options = "--batch-size-per-device=N";

	if (!is_tokens && f->batch_size_per_device != RESULT_UNKNOWN) {
		*why = remark_plain(REMARK_NO_GPUS);
		return "--nodes=N --gpus-per-node=N";
	}
	if (is_tokens && !isnan(samples)) {
		lacks = "tokens of a sample";
		options = "--sequence-length=N";
	} else if (is_tokens) {
		lacks = "tokens of an iteration";
		options = f->sequence_length > 0
		    ? "--batch-size=N"
		    : "--batch-size=N --sequence-length=N";
	} else if (f->gpus == RESULT_UNKNOWN) {
		lacks = "batch size per device and the number of GPUs";
		options =
		    "--batch-size-per-device=N --nodes=N --gpus-per-node=N";
	}
	*why = REMARK(REMARK_NO_BATCH_SIZE, remark_name(lacks));
	return options;
}

static int
need_batch(const struct measuring *g, const char *unit, struct exclusion *x)
{
	struct remark why;
	const char *options =
	    missing_options(g->source->metadata, unit, g->samples, &why);

	return exclude_unstated(x, why, REMARK_PASS_FOR_ALL, options);
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
	struct remark why;

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

/* --- A printed figure of the whole run ------------------------------------*/

/* A figure of the whole job is flagged if it differs from the window by more
 * than the window's interval plus this. */
#define SUMMARY_MAX_OFF 0.02

/* Lower time stamps have no date: they count from midnight or from 1972. */
#define SESSION_FIRST 1e9 /* 2001, seconds since 1970 */

#define MAX_SCORE_FACTOR 100.0

/* Maximum number of earlier tests that the flag of a benchmark log lists. */
enum { TESTS_NAMED = 8 };

/* The last rate or time. Event intervals override printed totals, and the best
 * trial is used. NULL if the log has none. */
static const struct log_summary *
log_figure(const struct log *log, int is_rate)
{
	const struct log_summary *best = NULL;

	for (size_t i = log->n_summaries; i-- > 0;) {
		const struct log_summary *s = &log->summaries[i];

		if ((strchr(s->unit, '/') != NULL) == is_rate &&
		    (best == NULL || best->event < s->event ||
			(log->meaning->trials && best->value < s->value)))
			best = s;
	}
	return best;
}

const struct log_summary *
measure_find_summary(
    const struct run_source *source, int is_rate, const struct log **log)
{
	const struct log_summary *best = NULL;

	for (size_t i = 0; i < source->n_logs && best == NULL; i++) {
		best = log_figure(source->logs[i], is_rate);
		*log = source->logs[i];
	}
	return best;
}

int
measure_hint_summary(const struct measuring *g, struct exclusion *x)
{
	const struct log *log;

	if (!exclusion_is(x, EXCLUDED_NO_STEPS))
		return -1;
	if (measure_find_summary(g->source, 1, &log) != NULL)
		x->hint = REMARK(REMARK_PASS, remark_name("--rule=summary"));
	else if (measure_find_summary(g->source, 0, &log) != NULL)
		x->hint =
		    REMARK(REMARK_PASS, remark_name("--metric=time-to-train"));
	return -1;
}

static int
no_summary(const struct measuring *g, struct exclusion *x)
{
	const struct run_source *from = g->source;
	const int is_rate = g->rule->metric == METRIC_TIME_TO_TRAIN;
	struct exclusion ignored = EXCLUSION_INIT;
	const char *options = NULL;
	const struct log *log;
	struct steps s;

	if (!is_rate && from->logs[0]->meaning->scope == SCOPE_UNKNOWN &&
	    g->rule->rate_scope == SCOPE_BY_FORMAT &&
	    from->logs[0]->samples.n > 0)
		return measure_exclude_scope(g, x);
	if (measure_find_summary(from, is_rate, &log) != NULL) {
		options = arena_printf(g->arena, "--metric=%s --rule=summary",
		    is_rate ? "throughput" : "time-to-train");
	} else if (!is_rate) {
		if (steps_make(from->logs, from->n_logs, from->metadata->gpus,
			from->metadata->nodes, g->rule->rate_scope, &s,
			&ignored) == 0)
			options = advice_is_good(&s, g->rule, RULE_WINDOW)
			    ? "--rule=window"
			    : advice_is_good(&s, g->rule, RULE_ALL)
			    ? "--rule=all"
			    : NULL;
		steps_release(&s);
	}
	exclude(x, remark_plain(REMARK_NO_SUMMARY));
	if (options != NULL)
		x->hint = REMARK(REMARK_PASS, remark_name(options));
	return -1;
}

/* The figure of the last test of a benchmark log. Others are flagged, the first
 * few by name. */
static const struct log_summary *
last_test(struct measuring *g, struct log_summary *room)
{
	const struct log *log = g->source->logs[0];
	const struct log_summary *s = NULL;
	const char *first = NULL, *name = NULL;
	double first_figure = NAN;
	struct strbuf others;
	size_t n = 0, i, end;

	strbuf_init(&others, 4096);
	for (i = 0; benchmark_log(log) && i < log->n_collectives; i = end) {
		end = benchmark_test_end(log, i);
		s = benchmark_figure(log, i, end, room);
		name = log->collectives[i].collective;
		if (name == NULL)
			name = "one without a name";
		if (end == log->n_collectives || n++ >= TESTS_NAMED)
			continue;
		if (n == 1) {
			first = name;
			first_figure = s != NULL ? s->value : NAN;
			continue;
		}
		strbuf_printf(&others, "%s%s", n == 2 ? "" : ", ", name);
		if (s != NULL)
			strbuf_printf(&others, " %.6g", s->value);
		else
			strbuf_addstr(&others, " no figure");
	}
	if (n > 0)
		FLAG(g, REMARK_BENCHMARKS, remark_count(n + 1),
		    remark_name(name), remark_name(first),
		    remark_number(first_figure),
		    remark_name(n > 1 ? others.buf : NULL),
		    remark_number(
			n > TESTS_NAMED ? (double)(n - TESTS_NAMED) : NAN));
	strbuf_release(&others);
	return s;
}

/* The rate of the whole job: the figure, or the sum of the figures of devices
 * (or nodes), scaled up to all of them if their number is known.
 *
 * scope  set to the part of the job that a figure describes
 * n      set to the number of logs that print one, unless the scope is global
 * parts  set to the number of devices or nodes, or RESULT_UNKNOWN */
static double
job_figure(const struct measuring *g, const struct log_summary *s,
    enum value_scope *scope, long *n, long *parts)
{
	const struct metadata *f = g->source->metadata;
	double sum = 0;

	*scope = g->rule->rate_scope != SCOPE_BY_FORMAT
	    ? (enum value_scope)g->rule->rate_scope
	    : s->per_device ? SCOPE_DEVICE
			    : SCOPE_GLOBAL;
	*parts = *scope == SCOPE_NODE ? f->nodes : f->gpus;
	*n = 0;
	if (*scope == SCOPE_GLOBAL || strcmp(s->unit, "GB/s") == 0) {
		*scope = SCOPE_GLOBAL;
		return s->value;
	}
	for (size_t i = 0; i < g->source->n_logs; i++) {
		const struct log_summary *own =
		    log_figure(g->source->logs[i], 1);

		sum += own != NULL ? own->value : 0;
		*n += own != NULL;
	}
	return *parts == RESULT_UNKNOWN ? sum
					: sum * (double)*parts / (double)*n;
}

double
measure_own_width(const struct measuring *g)
{
	const struct result_run *run = &g->m->run;

	/* fmax ignores unknown values, which are NAN. */
	return fmax(run->audit.half_width,
	    fmax(0, (run->rounding.high - run->rounding.low) / 2 / run->value));
}

void
measure_check_summary(struct measuring *g)
{
	const struct result_run *run = &g->m->run;
	const struct log *log = g->source->logs[0];
	const struct log_summary any = { .value = metadata_log_number(
					     log, "job_samples_per_s"),
		.unit = "samples/s" };
	const struct log_summary *s = measure_find_summary(g->source, 1, &log);
	enum value_scope scope = SCOPE_GLOBAL;
	double value = any.value, window, off;
	long n, parts = 1;

	if (s != NULL)
		value = job_figure(g, s, &scope, &n, &parts);
	else
		s = &any;
	if (!steps_value_ok(s->value, 1) || log->meaning->trials ||
	    (scope != SCOPE_GLOBAL && parts == RESULT_UNKNOWN))
		return;
	window = unit_is_alike(g->m->unit, s->unit)
	    ? run->value
	    : measure_work_of(g, s->unit) / run->step_s;
	off = fabs(value / window - 1);
	if (off > SUMMARY_MAX_OFF + measure_own_width(g))
		FLAG(g, REMARK_SUMMARY_DIFFERS, remark_number(value),
		    remark_name(s->unit), remark_number(window),
		    remark_number(off * 100),
		    remark_name(value < window ? "lower" : "higher"),
		    remark_number(SUMMARY_MAX_OFF * 100));
}

/* Correct the rate of a program that resumed from a checkpoint and divides the
 * work of all steps by the time of this session. A printed time shows which
 * steps were counted. */
static double
session_rate(
    struct measuring *g, const struct log *log, double value, const char *unit)
{
	const struct log_summary *time = log_figure(log, 0);
	const double before = metadata_log_number(log, "resumed_at");
	const double all = metadata_log_number(log, "total_steps");
	const double own = all - before;
	double counted = NAN;

	if (!(before > 0 && own > 0))
		return value;
	if (time != NULL)
		counted = value * time->value / measure_work_of(g, unit);
	if (fabs(counted - own) < fabs(counted - all))
		return value;
	FLAG(g, REMARK_RESUMED_RATE, remark_number(before), remark_number(own),
	    remark_number(all), remark_number(value));
	return value * own / all;
}

/* Measure a time to train. The score of MLPerf multiplies it by a factor. */
static void
measure_time_to_train(
    struct measuring *g, const struct log *log, const struct log_summary *s)
{
	const char *text = metadata_log_text(log, "score_factor");
	double factor;

	g->m->unit = "min";
	g->m->run.value =
	    strcmp(s->unit, "min") == 0 ? s->value : s->value / 60;
	if (g->rule->score == NULL || text == NULL ||
	    parse_double(text, 0, MAX_SCORE_FACTOR, &factor) != 0 ||
	    !(factor > 0))
		return;
	g->m->run.value *= factor;
	FLAG(g, REMARK_SCORE_FACTOR, remark_number(factor));
}

/* Measure the run by its printed figure. Returns 0, or -1 with x set. */
static int
measure_summary(struct measuring *g, struct exclusion *x)
{
	const int is_rate = g->rule->metric != METRIC_TIME_TO_TRAIN;
	struct result_run *run = &g->m->run;
	const struct log *log = NULL;
	const struct log_summary *s =
	    measure_find_summary(g->source, is_rate, &log);
	struct log_summary room;
	const struct log_summary *test = is_rate ? last_test(g, &room) : NULL;
	enum value_scope scope;
	const char *name;
	long n, parts;
	double value;

	if (test != NULL)
		s = test;
	if (s == NULL)
		return no_summary(g, x);
	run->first_line = run->last_line = (long)s->line;
	if (!steps_value_ok(s->value, 1))
		return exclude(x,
		    REMARK(REMARK_BAD_STEP, remark_at(log->shown, s->line),
			remark_name("figure of the whole run"),
			remark_number(NAN)));
	if (s->text != NULL)
		FLAG(g, REMARK_BEST_TRIAL, remark_count(log->samples.n),
		    remark_name(s->text));
	if (is_rate) {
		value = job_figure(g, s, &scope, &n, &parts);
		name = scope == SCOPE_NODE ? "nodes" : "ranks";
		if (parts == RESULT_UNKNOWN && n == 1 && scope != SCOPE_GLOBAL)
			return measure_exclude_part(g, scope, x);
		if (scope != SCOPE_GLOBAL && parts == RESULT_UNKNOWN)
			FLAG(g, REMARK_COUNT_UNKNOWN, remark_name(name),
			    remark_count(n));
		else if (scope != SCOPE_GLOBAL && n != parts && n == 1)
			FLAG(g, REMARK_SCALED_FROM_ONE, remark_count(parts),
			    remark_name(name));
		else if (scope != SCOPE_GLOBAL && n != parts)
			FLAG(g, REMARK_SCALED_UP, remark_count(n),
			    remark_count(parts), remark_name(name));
		reckon_work(g);
		return measure_to_metric(
		    g, session_rate(g, log, value, s->unit), 1, s->unit, x);
	}
	measure_time_to_train(g, log, s);
	return 0;
}

/* --- What all runs have ---------------------------------------------------*/

/* Format a time stamp, with "Z" if like has a zone. NULL: it has no date. */
static const char *
session_stamp(struct arena *a, double seconds, const char *like)
{
	const time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (!(seconds >= SESSION_FIRST) || gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return NULL;
	return arena_printf(
	    a, "%s%s", text, like != NULL && stamp_has_zone(like) ? "Z" : "");
}

/* When and where the run was made: as the log states it, else by the first date
 * of its head or of its steps. */
static void
fill_session(struct result_session *s, const struct log *log,
    const struct result_times *t, struct arena *a)
{
	const struct sample_store *all = &log->samples;
	const char *stated = metadata_log_text(log, "started");
	double first = NAN, last = NAN, seconds = NAN;

	for (size_t i = 0;
	     log->stamped && i < all->n && !(first >= SESSION_FIRST); i++)
		first = all->items[i].stamp;
	if (first >= SESSION_FIRST)
		for (size_t i = all->n; !(last >= SESSION_FIRST); i--)
			last = all->items[i - 1].stamp;
	if (stated == NULL)
		stated = log->first_stamp;
	if (stated == NULL ||
	    stamp_parse(stated, strlen(stated), &seconds) != STAMP_DATE)
		s->started = session_stamp(a, first, NULL);
	else if (strspn(stated, "0123456789.") == strlen(stated))
		s->started = session_stamp(a, seconds, "Z"); /* since 1970 */
	else
		s->started = arena_strdup(a, stated);
	if (!(last >= SESSION_FIRST))
		last = seconds + t->real_s;
	s->ended = session_stamp(a, last, s->started);
	s->host = arena_strdup(a, metadata_log_text(log, "host"));
	s->job = arena_strdup(a, metadata_log_text(log, "job"));
}

static void
measuring_finish(struct measuring *g)
{
	struct result_run *run = &g->m->run;
	const struct log *log = g->source->logs[0];
	const struct metadata *f = g->source->metadata;
	const struct result_times *t = &run->times;
	const char *resumed = metadata_log_text(log, "resumed_at");
	const int of_tokens =
	    g->m->unit != NULL && strcmp(g->m->unit, "tokens/s") == 0;
	const struct run_metrics_source from = { log, f, g->rule,
		isnan(run->samples_per_s) ? g->samples / run->step_s
					  : run->samples_per_s,
		of_tokens ? run->value : g->tokens / run->step_s,
		g->source->power };
	const int tests = benchmark_log(log);
	struct remark flags[LOG_FLAGS_MAX];
	size_t n, end = 0;
	long test = 0;

	run->path = arena_strdup(g->arena, log->shown);
	run->run = f->run != NULL ? f->run : run_path_stem(run->path, g->arena);
	run->sources = f->sources;
	run->n_sources = f->n_sources;
	run->framework_version = f->framework_version;
	run->device = f->device;
	run->n_collectives = log->n_collectives;
	if (log->n_collectives > 0)
		run->collectives = arena_calloc(
		    g->arena, log->n_collectives, sizeof *run->collectives);
	for (size_t i = 0; i < log->n_collectives; i++) {
		const struct log_collective *x = &log->collectives[i];

		if (tests && i == end) {
			end = benchmark_test_end(log, i);
			test++;
		}
		run->collectives[i] = (struct result_collective){
			arena_strdup(g->arena, x->collective),
			arena_strdup(g->arena, x->kind), x->bytes,
			x->count > 0 ? lround(x->count) : RESULT_UNKNOWN,
			x->time_s, x->algorithm, x->bus, (long)x->line,
			tests ? test : RESULT_UNKNOWN, RESULT_ITERATIONS_UNKNOWN
		};
	}
	run_phases_keep(log, g->arena, run);
	fill_session(&run->session, log, t, g->arena);
	/* Earlier steps are in another log, so the times cover only the
	 * rest. */
	if (resumed != NULL && strcmp(resumed, "0") != 0 &&
	    !(isnan(t->real_s) && isnan(t->user_s) && isnan(t->sys_s)))
		FLAG(g, REMARK_RESUMED_TIMES, remark_name(resumed));
	run_metrics_keep(&from, g->arena, run);
	/* Problems found while the logs were read. */
	n = log_flags_find(g->source->logs, g->source->n_logs, flags);
	for (size_t i = 0; i < n; i++)
		measuring_flag(g, flags[i]);
}

/* True if a log states that its run failed. */
static int
is_failed(const struct run_source *source, struct exclusion *x)
{
	for (size_t i = 0; i < source->n_logs; i++) {
		const struct log *log = source->logs[i];

		for (size_t j = 0; j < log->n_metadata; j++) {
			const struct log_metadata *item = &log->metadata[j];

			if (strcmp(item->key, "status") != 0 ||
			    strcasecmp(item->value, "success") == 0)
				continue;
			exclude(x,
			    REMARK(REMARK_FAILED,
				remark_at(log->shown, item->line),
				remark_name(item->value)));
			return 1;
		}
	}
	return 0;
}

int
measure_run(const struct run_source *source, const struct rule *rule,
    struct arena *a, struct measured *m, struct exclusion *x)
{
	struct measuring g = { .source = source,
		.rule = rule,
		.arena = a,
		.m = m,
		.samples = NAN,
		.tokens = NAN,
		.instants = NAN,
		.low = NAN,
		.high = NAN };
	const struct log *log = source->logs[0];
	size_t samples = 0;
	int outcome;

	assert(source->n_logs >= 1 && log->meaning != NULL);
	result_run_init(&m->run);
	audit_init(&m->run.audit);
	m->unit = NULL;
	m->work = NAN;
	m->work_unit = NULL;
	m->kind = rule_kind_of(rule, log->meaning);
	/* By default, use the printed figure if the logs have nothing else. */
	for (size_t i = 0; i < source->n_logs; i++)
		samples += source->logs[i]->samples.n;
	if (rule->kind == RULE_BY_FORMAT && samples == 0 &&
	    measure_find_summary(source, 1, &log) != NULL)
		m->kind = RULE_SUMMARY;
	if (rule->metric == METRIC_TIME_TO_TRAIN && is_failed(source, x))
		outcome = -1;
	else if (m->kind == RULE_SUMMARY)
		outcome = measure_summary(&g, x);
	else
		outcome = measure_steps(&g, x);
	if (outcome == 0)
		measuring_finish(&g);
	if (outcome == 0)
		outcome = run_metrics_promote(rule, a, &m->run, &m->unit, x);
	window_release(&g.window);
	steps_release(&g.steps);
	return outcome;
}

int
measure_was_shortened(
    const struct result_run *run, struct arena *a, struct exclusion *x)
{
	for (size_t i = 0; i < run->n_flags; i++) {
		const struct remark *flag = &run->flags[i];
		const double warmup = flag->args[1].number - DEFAULT_SKIP;
		const double train = flag->args[2].number + 1 - DEFAULT_SKIP;

		if (flag->code != REMARK_SHORT_LOG)
			continue;
		exclude(x,
		    REMARK(REMARK_TOO_FEW, remark_number(train + DEFAULT_SKIP),
			remark_number(DEFAULT_SKIP + DEFAULT_TRAIN)));
		x->hint = REMARK(REMARK_PASS,
		    remark_name(warmup == DEFAULT_WARMUP
			    ? arena_printf(a, "--train-batches=%.0f", train)
			    : arena_printf(a,
				  "--warmup-batches=%.0f --train-batches=%.0f",
				  warmup, train)));
		return 1;
	}
	return 0;
}

/* --- The values of single steps, for --records --------------------------- */

double **
measure_step_values(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule, struct arena *a)
{
	struct exclusion x = EXCLUSION_INIT;
	double **values = NULL;
	struct steps s;

	if (steps_make(logs, n_logs, metadata->gpus, metadata->nodes,
		rule->rate_scope, &s, &x) == 0 &&
	    steps_are_differences(&s)) {
		values = arena_calloc(a, n_logs, sizeof *values);
		for (size_t k = 0; k < n_logs; k++) {
			const size_t n = logs[k]->samples.n;

			values[k] = arena_calloc(a, n + 1, sizeof **values);
			for (size_t i = 0; i < n; i++)
				values[k][i] = NAN;
		}
		for (size_t e = 0; e < s.n_epochs; e++) {
			struct step_walk walk = steps_walk(&s, e);
			struct step step;

			while (steps_next(&walk, &step)) {
				const struct sample_place p =
				    sample_index_place(&s.index, step.entry);

				if (steps_value_ok(step.value, s.is_rate))
					values[p.log][p.index] = step.value;
			}
		}
	}
	steps_release(&s);
	return values;
}

/* --- Progress of a run that may still be running, for --follow ------------*/

/* Rate, or time per iteration, over the last steps that have a value. */
static double
last_value(const struct steps *s)
{
	double works[PROGRESS_STEPS],
	    times[PROGRESS_STEPS]; /* step i is at i % PROGRESS_STEPS */
	double work = 0, time = 0;
	struct step step;
	size_t n = 0;

	for (size_t e = 0; e < s->n_epochs; e++) {
		struct step_walk walk = steps_walk(s, e);

		while (steps_next(&walk, &step)) {
			const double w = (double)(step.done - step.from);

			if (!steps_value_ok(step.value, s->is_rate) || w <= 0)
				continue;
			works[n % PROGRESS_STEPS] = w;
			times[n++ % PROGRESS_STEPS] =
			    s->is_rate ? w / step.value : w * step.value;
		}
	}
	if (n == 0)
		return NAN;
	for (size_t i = n; i-- > 0 && n - i <= PROGRESS_STEPS;) {
		work += works[i % PROGRESS_STEPS];
		time += times[i % PROGRESS_STEPS];
	}
	return s->is_rate ? work / time : time / work;
}

void
progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out)
{
	struct exclusion x = EXCLUSION_INIT;
	struct rule every = *rule;
	struct result_audit audit;
	struct window w;
	struct steps s;
	double value;

	*out = (struct progress){
		.speed = NAN, .step_s = NAN, .settled_at = RESULT_UNKNOWN
	};
	if (steps_make(logs, n_logs, metadata->gpus, metadata->nodes,
		rule->rate_scope, &s, &x) == 0 &&
	    s.n > 0) {
		const struct sample_store *all = &logs[0]->samples;
		/* Iterations of the last epoch, as its last line states. */
		const int32_t iters = all->items[all->n - 1].iters;
		const long total = (long)iters -
		    (s.counts_on ? s.epochs[s.n_epochs - 1].start : 0);
		const double batch =
		    metadata->batch_size_per_device > 0 && metadata->gpus > 0
		    ? (double)metadata->batch_size_per_device *
			(double)metadata->gpus
		    : NAN;

		value = last_value(&s);
		out->known = 1;
		out->unit = s.is_rate ? logs[0]->meaning->unit : "samples/s";
		out->speed = s.is_rate ? value : batch / value;
		out->step_s = s.is_rate ? batch / value : value;
		out->done = s.last_done;
		out->spacing = s.spacing;
		out->total = iters > 0 && total >= s.last_done ? total : 0;
		out->finished =
		    out->total > 0 && out->total - out->done < s.spacing;
		every.from_iteration = 0;
		every.epoch_choice = EPOCH_ALL;
		if (window_select(&s, &every, RULE_ALL, &w, &x) == 0) {
			audit_run(&s, &w, 1, LONG_MAX, &audit, NULL);
			out->settled_at = audit.settled_at;
		}
		window_release(&w);
	}
	for (size_t i = 0; i < n_logs; i++)
		if (logs[i]->n_summaries > 0 &&
		    logs[i]->summaries[logs[i]->n_summaries - 1].line >
			log_last_step(logs[i]))
			out->finished = 1;
	steps_release(&s);
}
