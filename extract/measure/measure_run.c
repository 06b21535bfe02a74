/* Measurement of a run: by steps (measure_steps.c) or by a printed figure of
 * the whole run (measure_summary.c), then the members that all runs have. */
#include <config.h>

#include "extract/measure/measure_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <limits.h>

#include "common/defaults.h"
#include "extract/log/log.h"
#include "extract/measure/run_metrics.h"
#include "extract/measure/run_path.h"
#include "extract/measure/steps/audit.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

static void
keep_collectives(struct measuring *g)
{
	const struct log *log = g->source->logs[0];
	struct result_run *run = &g->m->run;
	const int tests = benchmark_log(log);
	size_t end = 0;
	long test = 0;

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
			tests ? test : RESULT_UNKNOWN
		};
	}
}

/* Flag program times of a resumed run: earlier steps are in another log, so the
 * times cover only the rest. */
static void
add_resumed_flag(struct measuring *g)
{
	const struct result_times *t = &g->m->run.times;
	const char *at = metadata_log_text(g->source->logs[0], "resumed_at");

	if (at != NULL && strcmp(at, "0") != 0 &&
	    !(isnan(t->real_s) && isnan(t->user_s) && isnan(t->sys_s)))
		FLAG(g, REMARK_RESUMED_TIMES, remark_name(at));
}

/* Set all metrics, independent of the requested one. */
static void
keep_metrics(struct measuring *g)
{
	struct result_run *run = &g->m->run;
	struct run_metrics_source from = { g->source->logs[0],
		g->source->metadata, g->rule, run->samples_per_s, NAN,
		g->source->power };

	if (isnan(from.samples_per_s))
		from.samples_per_s = g->samples / run->step_s;
	from.tokens_per_s =
	    g->m->unit != NULL && strcmp(g->m->unit, "tokens/s") == 0
	    ? run->value
	    : g->tokens / run->step_s;
	run_metrics_keep(&from, g->arena, run);
}

static void
measuring_finish(struct measuring *g)
{
	struct result_run *run = &g->m->run;
	const struct metadata *f = g->source->metadata;
	struct remark flags[LOG_FLAGS_MAX];
	size_t n;

	run->path = arena_strdup(g->arena, g->source->logs[0]->shown);
	run->run = f->run != NULL ? f->run : run_path_stem(run->path, g->arena);
	run->sources = f->sources;
	run->n_sources = f->n_sources;
	run->framework_version = f->framework_version;
	run->device = f->device;
	keep_collectives(g);
	run_phases_keep(g->source->logs[0], g->arena, run);
	add_resumed_flag(g);
	keep_metrics(g);
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

/* Default rule: the printed figure if the log contains nothing else. */
static enum rule_kind
kind_of(const struct run_source *source, const struct rule *rule)
{
	const struct log *log;
	size_t i;

	if (rule->kind == RULE_BY_FORMAT) {
		for (i = 0; i < source->n_logs; i++)
			if (source->logs[i]->samples.n > 0)
				break;
		if (i == source->n_logs &&
		    measure_find_summary(source, 1, &log) != NULL)
			return RULE_SUMMARY;
	}
	return rule_kind_of(rule, source->logs[0]->meaning);
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
	int outcome;

	assert(source->n_logs >= 1 && log->meaning != NULL);
	result_run_init(&m->run);
	audit_init(&m->run.audit);
	m->unit = NULL;
	m->work = NAN;
	m->work_unit = NULL;
	m->kind = kind_of(source, rule);
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

/* --- Progress of a run that may still be running, for --follow ------------*/

/* Rate, or time per iteration, over the last steps that have a value. */
static double
last_value(const struct steps *s)
{
	double works[PROGRESS_STEPS],
	    times[PROGRESS_STEPS]; /* step i at i % n */
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

static long
settled_at(const struct steps *s, const struct rule *rule)
{
	struct rule all = *rule;
	struct exclusion x = EXCLUSION_INIT;
	struct result_audit audit;
	struct window w;

	all.from_iteration = 0;
	all.epoch_choice = EPOCH_ALL;
	audit_init(&audit);
	if (window_select(s, &all, RULE_ALL, &w, &x) == 0)
		audit_run(s, &w, 1, LONG_MAX, &audit, NULL);
	window_release(&w);
	return audit.settled_at;
}

void
progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out)
{
	const struct steps_source from = { logs, n_logs, metadata->gpus,
		metadata->nodes, rule->rate_scope };
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	double value;

	*out = (struct progress){
		.speed = NAN, .step_s = NAN, .settled_at = RESULT_UNKNOWN
	};
	if (steps_make(&from, &s, &x) == 0 && s.n > 0) {
		const struct steps_epoch *epoch = &s.epochs[s.n_epochs - 1];
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
		out->total =
		    epoch->length > out->done ? epoch->length : out->done;
		out->settled_at = settled_at(&s, rule);
	}
	steps_release(&s);
}
