/* Measurement of a run by a printed figure of the whole run: a benchmark
 * result, a time to train, the best of trials. */
#include <config.h>

#include "extract/measure/measure_parts.h"

#include <math.h>
#include <string.h>

#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "extract/log/log.h"
#include "extract/measure/steps/advice.h"

/* A figure of the whole job is flagged if it differs from the window by more
 * than the window's interval plus this. */
#define SUMMARY_MAX_OFF 0.02

/* Earlier tests of a benchmark log listed in its flag. */
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
		    metric_name(
			is_rate ? METRIC_THROUGHPUT : METRIC_TIME_TO_TRAIN));
	} else if (!is_rate) {
		const struct steps_source steps = { from->logs, from->n_logs,
			from->metadata->gpus, from->metadata->nodes,
			g->rule->rate_scope };

		if (steps_make(&steps, &s, &ignored) == 0)
			options = advice_is_good(&s, g->rule, RULE_WINDOW)
			    ? "--rule=window"
			    : advice_is_good(&s, g->rule, RULE_ALL)
			    ? "--rule=all"
			    : NULL;
		steps_release(&s);
	}
	exclude(
	    x, remark_plain(is_rate ? REMARK_NO_RUN_TIME : REMARK_NO_SUMMARY));
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

/* The rate of the whole job: the figure, or the sum of those of devices (or
 * nodes), scaled to all of them if their number is known.
 *
 * scope  set to what a figure is of
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

/* Set value to the rate of the whole job, and flag how. */
static int
scale_summary(struct measuring *g, const struct log_summary *s, double *value,
    struct exclusion *x)
{
	enum value_scope scope;
	const char *name;
	long n, parts;

	*value = job_figure(g, s, &scope, &n, &parts);
	name = scope == SCOPE_NODE ? "nodes" : "ranks";
	if (scope == SCOPE_GLOBAL || n == parts)
		return 0;
	if (parts == RESULT_UNKNOWN && n == 1)
		return measure_exclude_part(g, scope, x);
	if (parts == RESULT_UNKNOWN)
		FLAG(g, REMARK_COUNT_UNKNOWN, remark_name(name),
		    remark_count(n));
	else
		FLAG(g, REMARK_SCALED_UP, remark_count(n), remark_count(parts),
		    remark_name(name));
	return 0;
}

double
measure_own_width(const struct measuring *g)
{
	const struct result_run *run = &g->m->run;
	const double half = run->audit.half_width;
	const double rounded =
	    (run->rounding.high - run->rounding.low) / 2 / run->value;
	/* p50 - p5 of a normal distribution is 1.645 standard deviations;
	 * stalls affect only the other side. */
	const double scattered = 2 * (1 - run->audit.p5 / run->audit.p50) /
	    1.645 / sqrt((double)g->window.n);

	/* fmax ignores unknown values, which are NAN. */
	return fmax(0, fmax(rounded, isnan(half) ? scattered : half));
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

int
measure_summary(struct measuring *g, struct exclusion *x)
{
	const int is_rate = g->rule->metric != METRIC_TIME_TO_TRAIN;
	struct result_run *run = &g->m->run;
	const struct log *log = NULL;
	const struct log_summary *s =
	    measure_find_summary(g->source, is_rate, &log);
	struct log_summary room;
	const struct log_summary *test = is_rate ? last_test(g, &room) : NULL;
	double value;

	if (test != NULL)
		s = test;
	if (s == NULL)
		return no_summary(g, x);
	run->first_line = run->last_line = (long)s->line;
	if (!steps_value_ok(s->value, 1))
		return exclude(x,
		    REMARK(REMARK_BAD_SUMMARY, remark_at(log->shown, s->line)));
	if (s->text != NULL)
		FLAG(g, REMARK_BEST_TRIAL, remark_count(log->samples.n),
		    remark_name(s->text));
	if (is_rate) {
		if (scale_summary(g, s, &value, x) != 0)
			return -1;
		measure_reckon_work(g);
		return measure_to_metric(
		    g, session_rate(g, log, value, s->unit), 1, s->unit, x);
	}
	run->value = strcmp(s->unit, "min") == 0 ? s->value : s->value / 60;
	g->m->unit = "min";
	return 0;
}
