/* One run, one number: steps, window, work, audit, in this order.  Called by
 * extract/job for each run, and by the wall-clock run.  Here meet what the log
 * printed and what is known of its configuration; it must not know formats'
 * patterns, paths or other runs. */
#include <config.h>

#include "extract/log/log_flags.h"
#include "extract/measure/measure_run.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract/measure/audit.h"
#include "extract/measure/benchmark_tests.h"
#include "extract/measure/run_metrics.h"
#include "extract/measure/run_path.h"
#include "extract/measure/run_phases.h"
#include "extract/measure/steps.h"
#include "extract/measure/window.h"

enum { MAX_FLAGS = 32 };

/* A running mean is taken where its rounding holds less of the result than
 * this, and the instants are reported to differ by more (statistics, "Sampled
 * instants"). */
#define MEANS_MAX_ERROR 0.01
#define INSTANTS_MAX_OFF 0.01

/* A line's two rates contradict what is known of its work by more than this. */
#define LINE_WORK_MAX_OFF 0.05

/* Rates of tokens that vary by more than this need the tokens of each step. */
#define TOKENS_MAX_CV 0.05

/* One option would be wrong for most of a mixed folder. */
#define MAP_HINT " (logs that differ: --map=FILE or --path=TEMPLATE)"

/* What the functions below hand on to each other. */
struct measuring {
	const struct run_source *source;
	const struct rule *rule;
	struct arena *arena;
	struct measured *m;
	struct steps steps;
	struct window window;
	double samples, tokens; /* of an iteration of the whole job, or NAN */
	double instants; /* what the printed instants state, where running means
	                    were taken instead; else NAN */
	const char *flags[MAX_FLAGS];
	size_t n_flags;
};

static void
measuring_flag(struct measuring *g, const char *flag)
{
	assert(g->n_flags < MAX_FLAGS);
	g->flags[g->n_flags++] = flag;
}

/* Samples, images, sequences: what a batch counts. */
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

/* Samples and tokens of an iteration, as far as the metadata states it. */
static void
reckon_work(struct measuring *g)
{
	const struct metadata *f = g->source->facts;
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

/* Work of an iteration that the lines themselves print: its mean over the
 * window, so that work over time is the sum over the sum. */
static double
printed_work(const struct measuring *g, const char *key)
{
	struct window_walk walk;
	const struct step *step;
	double sum = 0;
	long n = 0;

	window_walk_open(&walk, &g->steps, &g->window);
	while ((step = window_walk_next(&walk)) != NULL) {
		const long weight = step->done - step->from;

		sum += (double)weight * steps_work(&g->steps, step, key);
		n += weight;
	}
	window_walk_close(&walk);
	return n > 0 ? sum / (double)n : NAN;
}

/* Samples of an epoch: those counted by its events, else those that the log
 * states for all of them; NAN if it does not. */
static double
epoch_samples(const struct measuring *g)
{
	const char key[] = "epoch_samples";
	const struct log *log = g->source->logs[0];
	double amount = printed_work(g, key);

	for (size_t i = 0; isnan(amount) && i < log->n_facts; i++)
		if (strcmp(log->facts[i].key, key) == 0)
			amount = strtod(log->facts[i].value, NULL);
	return amount;
}

/* A batch on the lines of the steps goes before the log's other statements, and
 * after options and path. */
static void
read_work(struct measuring *g)
{
	if (g->source->logs[0]->meaning->epochs) {
		g->samples = epoch_samples(g);
		return;
	}
	if (g->source->facts->batch_by_log)
		g->samples = printed_work(g, "batch_size");
	g->tokens = printed_work(g, "tokens_per_step");
	reckon_work(g);
}

/* Units of work in an iteration, or NAN. */
static double
work_of(const struct measuring *g, const char *unit)
{
	if (strcmp(unit, "iterations/s") == 0)
		return 1;
	if (strcmp(unit, "tokens/s") == 0)
		return g->tokens;
	return counts_samples(unit) ? g->samples : NAN;
}

static int
need_batch(const struct measuring *g, const char *unit, struct exclusion *x)
{
	const struct metadata *f = g->source->facts;

	if (strcmp(unit, "tokens/s") == 0 && !isnan(g->samples))
		return exclude(x, EXCLUDED_NO_BATCH,
		    "neither an option nor the path nor the log states the "
		    "tokens of a sample; pass --sequence-length=N to include "
		    "it" MAP_HINT);
	if (strcmp(unit, "tokens/s") == 0)
		return exclude(x, EXCLUDED_NO_BATCH,
		    "neither an option nor the path nor the log states the "
		    "tokens of an iteration; pass --batch-size=N "
		    "--sequence-length=N to include it" MAP_HINT);
	if (f->batch_size_per_device == RESULT_UNKNOWN)
		return exclude(x, EXCLUDED_NO_BATCH,
		    "neither an option nor the path nor the log states the "
		    "batch size per device%s; pass --batch-size-per-device=N%s "
		    "to include it" MAP_HINT,
		    f->gpus == RESULT_UNKNOWN ? " and the number of GPUs" : "",
		    f->gpus == RESULT_UNKNOWN ? " --nodes=N --gpus-per-node=N"
					      : "");
	return exclude(x, EXCLUDED_NO_GPUS,
	    "neither an option nor the path nor the log states the number of "
	    "GPUs; pass --nodes=N --gpus-per-node=N to include it" MAP_HINT);
}

/* The unit that the throughput is to have.
 *
 * printed  of a rate: its own */
static const char *
unit_of(const struct measuring *g, int is_rate, const char *printed)
{
	const struct meaning *meaning = g->source->logs[0]->meaning;
	const char *unit = g->rule->unit;

	if (unit != NULL)
		return unit;
	if (is_rate)
		return printed;
	return meaning->throughput != NULL ? meaning->throughput : "samples/s";
}

/* A run that could be admitted, but for what to_metric will ask then. */
static int
also_needs(const struct measuring *g, struct exclusion *x)
{
	const struct metadata *f = g->source->facts;
	const struct log *log = g->source->logs[0];
	const size_t len = strlen(x->error.message);
	const size_t room = sizeof x->error.message - len;
	const char *unit = unit_of(g, 0, NULL);
	const int no_samples = isnan(samples_of(f));

	if (strstr(x->error.message, " to include it") == NULL ||
	    log->meaning->kind == VALUE_RATE || log->meaning->of_samples ||
	    log->meaning->has_work || g->rule->metric != METRIC_THROUGHPUT)
		return -1;
	if (strcmp(unit, "tokens/s") == 0 && f->tokens_per_step <= 0 &&
	    (no_samples || f->sequence_length <= 0))
		snprintf(x->error.message + len, room, ", with%s%s",
		    no_samples ? " --batch-size=N" : "",
		    f->sequence_length <= 0 ? " --sequence-length=N" : "");
	else if (strcmp(unit, "samples/s") == 0 && no_samples)
		snprintf(x->error.message + len, room, ", with%s%s",
		    f->batch_size_per_device == RESULT_UNKNOWN
			? " --batch-size-per-device=N"
			: "",
		    f->gpus == RESULT_UNKNOWN ? " --nodes=N --gpus-per-node=N"
					      : "");
	return -1;
}

/* Work of an iteration, for speedups of what is given per iteration: in what
 * the throughput would be given in, so that all metrics give one speedup. */
static void
keep_work(struct measuring *g, const char *wanted)
{
	const int tokens = strcmp(wanted, "tokens/s") == 0 ||
	    (isnan(g->samples) && !counts_samples(wanted));

	g->m->work = tokens ? g->tokens : g->samples;
	g->m->work_unit = isnan(g->m->work) ? NULL
	    : tokens                        ? "tokens"
					    : "samples";
}

/* From seconds per iteration, or a rate, to the metric. */
static int
to_metric(struct measuring *g, double value, int is_rate, const char *unit,
    struct exclusion *x)
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
	work = work_of(g, wanted);
	keep_work(g, wanted);
	run->step_s = is_rate ? work_of(g, unit) / value : value;
	if (g->rule->metric == METRIC_STEP_TIME) {
		if (isnan(run->step_s) && !counts_samples(unit))
			return exclude(x, EXCLUDED_NO_STEPS,
			    "prints %s, from which the time of a step does not "
			    "follow",
			    unit);
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

static int
bad_value(
    const struct measuring *g, const struct step *step, struct exclusion *x)
{
	const struct log *log = g->source->logs[step->source];
	const int64_t line =
	    step->bad_line != 0 ? step->bad_line : step->first_line;

	return exclude(x, EXCLUDED_BAD_VALUE,
	    "%s:%lld: the %s of iteration %ld is not a number above 0 within "
	    "reason",
	    log->shown, (long long)line,
	    g->steps.points        ? "time stamp"
		: g->steps.is_rate ? "rate"
				   : "time",
	    step->last);
}

static int
check_values(struct measuring *g, struct exclusion *x)
{
	const struct window *w = &g->window;

	if (w->bad.bad_line != 0)
		return bad_value(g, &w->bad, x);
	if (!steps_value_ok(w->value, g->steps.is_rate))
		return bad_value(g, &w->last, x);
	return 0;
}

/* Iterations of the window's parts, printed or not. */
static long
span_of(const struct measuring *g)
{
	long span = 0;
	size_t p;

	for (p = 0; p < g->window.n_parts; p++) {
		const struct window_part *part = &g->window.parts[p];

		span += part->done - part->from;
	}
	return span;
}

/* An epoch's number where one was printed, else its place. */
static long
epoch_number(const struct steps *s, size_t epoch)
{
	return s->epochs[epoch].number != SAMPLE_NONE ? s->epochs[epoch].number
						      : (long)epoch;
}

/* Iterations that the window lacks at its start: the log begins inside. */
static long
missing_front(const struct measuring *g)
{
	const struct window_part *part = &g->window.parts[0];
	const long late =
	    part->from - g->steps.points + part->offset - rule_start(g->rule);

	return g->m->kind == RULE_WINDOW && late >= g->steps.spacing ? late : 0;
}

/* Which of what the lines print was taken, where only some steps are
 * printed. */
static void
flag_sampling(struct measuring *g)
{
	const struct steps *s = &g->steps;
	const double off = g->instants / g->window.value - 1;

	if (s->by_mean)
		measuring_flag(g,
		    arena_printf(g->arena,
			"sampled 1 of %ld: the running means of the lines "
			"were taken%s",
			s->spacing,
			s->is_rate && s->meaning->second == SECOND_MEAN_OF_RATES
			    ? ", which are plain means of rates"
			    : ""));
	else if (s->instant && s->spacing > 1)
		measuring_flag(
		    g, arena_printf(g->arena, "sampled 1 of %ld", s->spacing));
	if (s->by_mean && fabs(off) > INSTANTS_MAX_OFF)
		measuring_flag(g,
		    arena_printf(g->arena,
			"the instants on the same lines are %.1f %% %s",
			fabs(off) * 100, off > 0 ? "higher" : "lower"));
}

/* Iterations that drift is reported for: those of the window asked for, or
 * of what was measured. */
static long
window_length(const struct measuring *g)
{
	if (g->m->kind == RULE_WINDOW && rule_end(g->rule) < LONG_MAX)
		return rule_end(g->rule) - rule_start(g->rule);
	return span_of(g);
}

/* A line that prints its rate twice, in work and in iterations, states the work
 * of an iteration: is it what is known? */
static void
check_second_rate(struct measuring *g, const char *unit, double work)
{
	const double off = g->window.line_work / work - 1;

	if (fabs(off) > LINE_WORK_MAX_OFF)
		measuring_flag(g,
		    arena_printf(g->arena,
			"the two rates of a line make %.4g %.*s an "
			"iteration, not %.4g: one of them is wrong",
			g->window.line_work, (int)strcspn(unit, "/"), unit,
			work));
}

static void
flag_window(struct measuring *g)
{
	const struct steps *s = &g->steps;
	const struct window *w = &g->window;
	const size_t first = w->parts[0].epoch;
	const size_t last = w->parts[w->n_parts - 1].epoch;

	if (g->source->n_logs > 1)
		measuring_flag(g,
		    arena_printf(
			g->arena, "joined from %zu files", g->source->n_logs));
	if (first != last)
		measuring_flag(g,
		    arena_printf(g->arena, "epochs %ld\xe2\x80\x93%ld",
			epoch_number(s, first), epoch_number(s, last)));
	if (missing_front(g) > 0)
		measuring_flag(g,
		    arena_printf(g->arena,
			"begins %ld iteration%s inside the window",
			missing_front(g), missing_front(g) == 1 ? "" : "s"));
	flag_sampling(g);
	if (w->lost > 0)
		measuring_flag(g,
		    arena_printf(g->arena, "%ld of %ld iterations printed",
			window_length(g) - w->lost, window_length(g)));
	else if (s->instant && s->spacing == 1 && w->iterations < span_of(g))
		measuring_flag(g,
		    arena_printf(g->arena, "%ld of %ld iterations printed",
			w->iterations, span_of(g)));
	if (g->rule->aggregate != AGGREGATE_TIME)
		measuring_flag(g,
		    arena_printf(g->arena, "%s of the records",
			aggregate_name(g->rule->aggregate)));
}

static void
flag_place(struct measuring *g)
{
	struct result_run *run = &g->m->run;
	const struct window *w = &g->window;

	run->iterations = w->iterations;
	run->first_iteration = w->first.first;
	run->last_iteration = w->last.last;
	run->first_line = (long)w->first.first_line;
	run->last_line = (long)w->last.last_line;
	run->ranks_seen = w->ranks;
}

/* The last figure of that kind; between two events goes before what the program
 * reckoned, and of trials the best counts.  NULL: the log has none. */
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

/* That of the first log that has one. */
static const struct log_summary *
find_summary(
    const struct run_source *source, int is_rate, const struct log **log)
{
	const struct log_summary *best = NULL;

	for (size_t i = 0; i < source->n_logs && best == NULL; i++) {
		best = log_figure(source->logs[i], is_rate);
		*log = source->logs[i];
	}
	return best;
}

/* A log without steps may print a figure of the whole run. */
static int
hint_summary(const struct measuring *g, struct exclusion *x)
{
	const size_t len = strlen(x->error.message);
	const struct log *log;

	if (strcmp(x->reason, EXCLUDED_NO_STEPS) != 0)
		return -1;
	if (find_summary(g->source, 1, &log) != NULL)
		snprintf(x->error.message + len, sizeof x->error.message - len,
		    "; pass --rule=summary to include it");
	else if (find_summary(g->source, 0, &log) != NULL)
		snprintf(x->error.message + len, sizeof x->error.message - len,
		    "; pass --metric=time-to-train to include it");
	return -1;
}

/* The rate of a part of the job is not printed as the job's. */
static int
exclude_part(
    const struct measuring *g, enum value_scope scope, struct exclusion *x)
{
	const int node = scope == SCOPE_NODE;
	const int both = !node && g->source->facts->gpus_per_node < 1;

	return exclude(x, EXCLUDED_NO_GPUS,
	    "prints the rate of one %s, and neither an option nor the path nor "
	    "the log states how many there are; pass --nodes=N%s to include "
	    "it" MAP_HINT ", or --rate-scope=global if the rate is that of all",
	    node ? "node" : "device", both ? " --gpus-per-node=N" : "");
}

/* Digits after the point of a number that was printed with at most 9. */
static int
decimals_of(double x)
{
	double power = 1;

	for (int d = 0; d < 9; d++, power *= 10)
		if (fabs(x * power - round(x * power)) < 1e-6)
			return d;
	return 9;
}

/* By what share of the result the printed digits of the running means may have
 * moved it: sums at both ends of each part, each rounded by half a unit times
 * its iterations. */
static double
means_error(const struct steps *s, const struct window *w)
{
	struct window_walk walk;
	const struct step *step;
	double share = 0;
	int decimals = 0;

	window_walk_open(&walk, s, w);
	while ((step = window_walk_next(&walk)) != NULL)
		/* Of a mean over ranks the sum has the digits of each. */
		if (decimals_of(step->record * step->ranks) > decimals)
			decimals = decimals_of(step->record * step->ranks);
	window_walk_close(&walk);
	for (size_t i = 0; i < w->n_parts; i++)
		share += (double)w->parts[i].done + (double)w->parts[i].from;
	return 0.5 * pow(10, -decimals) * share / (double)w->iterations /
	    w->value;
}

/* Lines that print one step of many, and next to it the running mean of all:
 * the window of the means is taken, if there is one and it is good enough. */
static void
try_means(struct measuring *g)
{
	struct steps *s = &g->steps;
	struct exclusion ignored = EXCLUSION_INIT;
	struct window w;

	if (g->m->kind != RULE_WINDOW || !s->instant || s->spacing < 2 ||
	    (s->meaning->second != SECOND_MEAN &&
		s->meaning->second != SECOND_MEAN_OF_RATES) ||
	    g->rule->aggregate != AGGREGATE_TIME || s->meaning->of_samples)
		return;
	steps_read_means(s, 1);
	if (window_select(s, g->rule, g->m->kind, &w, &ignored) == 0 &&
	    w.bad.bad_line == 0 && steps_value_ok(w.value, s->is_rate) &&
	    steps_means_are_whole(
		s, w.parts[0].epoch, w.parts[w.n_parts - 1].epoch) &&
	    means_error(s, &w) < MEANS_MAX_ERROR) {
		g->instants = g->window.value;
		window_release(&g->window);
		g->window = w;
		return;
	}
	window_release(&w);
	steps_read_means(s, 0);
}

/* The steps of the run: of a job that was started again those of its last
 * attempt that has the window. */
static int
make_steps(struct measuring *g, struct exclusion *x)
{
	struct steps_source from = { g->source->logs, g->source->n_logs,
		g->source->facts->gpus, g->source->facts->nodes,
		g->rule->rate_scope, 0 };

	if (steps_make(&from, &g->steps, x) != 0)
		return -1;
	if (g->steps.attempts == 1)
		return 0;
	for (;;) {
		const size_t n = g->steps.attempts;

		if (g->steps.n > 0 &&
		    window_select(
			&g->steps, g->rule, g->m->kind, &g->window, x) == 0) {
			measuring_flag(g,
			    arena_printf(g->arena, "attempt %zu of %zu",
				n - from.back, n));
			return 0;
		}
		window_release(&g->window);
		if (++from.back == n)
			break;
		steps_release(&g->steps);
		if (steps_make(&from, &g->steps, x) != 0)
			return -1;
	}
	return exclude(x, EXCLUDED_RESTART,
	    "was started %zu times, and no attempt has the iterations that "
	    "count; keep one of them, or choose others",
	    g->steps.attempts);
}

/* What the steps state about the number, and what of that is worth a flag.
 *
 * work  as for audit_make */
static void
judge_run(struct measuring *g, double work)
{
	const int window = g->m->kind == RULE_WINDOW;
	struct result_audit *a = &g->m->run.audit;
	struct audit_flags flags;
	struct audit_rest rest;

	audit_make(&g->steps, &g->window, work, a, &rest);
	audit_judge(&g->steps, &g->window, work, &rest,
	    window ? rule_end(g->rule) : LONG_MAX, g->arena, a, &flags);
	audit_rest_release(&rest);
	/* Whoever takes all steps has asked for the warm-up too. */
	for (size_t i = 0; window && i < flags.n; i++)
		measuring_flag(g, flags.items[i]);
}

static int
measure_steps(struct measuring *g, struct exclusion *x)
{
	const struct meaning *meaning = g->source->logs[0]->meaning;
	double work;
	size_t i;

	if (make_steps(g, x) != 0)
		return hint_summary(g, x);
	if (g->steps.unscaled && g->steps.ranks == 1)
		return exclude_part(g, g->steps.scope, x);
	if (g->window.n_parts == 0 &&
	    window_select(&g->steps, g->rule, g->m->kind, &g->window, x) != 0)
		return also_needs(g, x);
	try_means(g);
	if (check_values(g, x) != 0)
		return -1;
	read_work(g);
	if (to_metric(g, g->window.value, g->steps.is_rate, meaning->unit, x) !=
	    0)
		return -1;
	flag_place(g);
	flag_window(g);
	for (i = 0; i < g->steps.n_flags; i++)
		measuring_flag(g, arena_strdup(g->arena, g->steps.flags[i]));
	if (g->steps.by_mean)
		steps_read_means(&g->steps, 0); /* the audit sees instants */
	work = work_of(g, meaning->unit);
	check_second_rate(g, meaning->unit, work);
	judge_run(g, isnan(work) ? 1 : work);
	if (g->steps.is_rate && strcmp(meaning->unit, "tokens/s") == 0 &&
	    isnan(work) && !g->window.by_work &&
	    g->m->run.audit.cv > TOKENS_MAX_CV)
		measuring_flag(
		    g, "tokens of each step unknown: weighted equally");
	return 0;
}

static int
no_summary(const struct measuring *g, struct exclusion *x)
{
	const int is_rate = g->rule->metric == METRIC_TIME_TO_TRAIN;
	const struct log *log;
	char hint[80] = "";
	struct rule other = *g->rule;
	struct steps s;
	struct exclusion ignored = EXCLUSION_INIT;

	if (find_summary(g->source, is_rate, &log) != NULL)
		snprintf(hint, sizeof hint,
		    "; pass --metric=%s --rule=summary to include it",
		    metric_name(
			is_rate ? METRIC_THROUGHPUT : METRIC_TIME_TO_TRAIN));
	else if (g->rule->metric != METRIC_TIME_TO_TRAIN) {
		struct steps_source from = { g->source->logs, g->source->n_logs,
			g->source->facts->gpus, g->source->facts->nodes,
			g->rule->rate_scope, 0 };
		int k;

		if (steps_make(&from, &s, &ignored) == 0)
			for (k = RULE_WINDOW; k <= RULE_ALL && !hint[0]; k++)
				if (window_admits(
					&s, &other, (enum rule_kind)k))
					snprintf(hint, sizeof hint,
					    "; pass --rule=%s to include it",
					    rule_kind_name((enum rule_kind)k));
		steps_release(&s);
	}
	return exclude(x, EXCLUDED_NO_SUMMARY,
	    "prints no figure of the whole run%s%s", is_rate ? "'s time" : "",
	    hint);
}

/* Several benchmarks in one log: the figure is that of the last, the others are
 * reported. */
static const struct log_summary *
last_test(struct measuring *g, struct log_summary *room)
{
	const struct log *log = g->source->logs[0];
	const struct log_summary *s = NULL;
	const char *others = "";
	size_t n = 0, i, end;

	for (i = 0; benchmark_log(log) && i < log->n_collectives; i = end) {
		const char *name = log->collectives[i].collective;

		end = benchmark_test_end(log, i);
		s = benchmark_figure(log, i, end, room);
		n++;
		if (name == NULL)
			name = "one without a name";
		if (end < log->n_collectives)
			others = arena_printf(g->arena, "%s%s %s %.6g", others,
			    n == 1 ? " (before:" : ",", name,
			    s != NULL ? s->value : NAN);
		else if (n > 1)
			measuring_flag(g,
			    arena_printf(g->arena,
				"%zu benchmarks in it: that of %s%s GB/s)", n,
				name, others));
	}
	return s;
}

/* The whole job's rate: that of the devices (or nodes) whose logs print it,
 * scaled up to all of them. */
static int
scale_summary(struct measuring *g, const struct log_summary *s, double *value,
    struct exclusion *x)
{
	const enum value_scope scope = g->rule->rate_scope != SCOPE_BY_FORMAT
	    ? (enum value_scope)g->rule->rate_scope
	    : s->per_device ? SCOPE_DEVICE
			    : SCOPE_GLOBAL;
	const struct metadata *f = g->source->facts;
	const long parts = scope == SCOPE_NODE ? f->nodes : f->gpus;
	const char *name = scope == SCOPE_NODE ? "nodes" : "ranks";
	long n = 0;

	*value = s->value;
	if (scope == SCOPE_GLOBAL || strcmp(s->unit, "GB/s") == 0)
		return 0;
	*value = 0;
	for (size_t i = 0; i < g->source->n_logs; i++) {
		const struct log_summary *own =
		    log_figure(g->source->logs[i], 1);

		*value += own != NULL ? own->value : 0;
		n += own != NULL;
	}
	if (parts == RESULT_UNKNOWN && n == 1)
		return exclude_part(g, scope, x);
	if (parts == RESULT_UNKNOWN)
		measuring_flag(g,
		    arena_printf(g->arena,
			"number of %s unknown: sum over the %ld that printed",
			name, n));
	else if (parts != n)
		measuring_flag(g,
		    arena_printf(g->arena, "scaled up from %ld to %ld %s", n,
			parts, name));
	if (parts != RESULT_UNKNOWN)
		*value *= (double)parts / (double)n;
	return 0;
}

static int
measure_summary(struct measuring *g, struct exclusion *x)
{
	const int is_rate = g->rule->metric != METRIC_TIME_TO_TRAIN;
	struct result_run *run = &g->m->run;
	const struct log *log = NULL;
	const struct log_summary *s = find_summary(g->source, is_rate, &log);
	struct log_summary room;
	const struct log_summary *test = is_rate ? last_test(g, &room) : NULL;
	double value;

	if (test != NULL)
		s = test;
	if (s == NULL)
		return no_summary(g, x);
	run->first_line = run->last_line = (long)s->line;
	if (!steps_value_ok(s->value, 1))
		return exclude(x, EXCLUDED_BAD_VALUE,
		    "%s:%lld: the figure of the whole run is not a number "
		    "above 0 within reason",
		    log->shown, (long long)s->line);
	if (s->text != NULL)
		measuring_flag(g,
		    arena_printf(g->arena, "best of %zu trials: %s",
			log->samples.n, s->text));
	if (is_rate) {
		if (scale_summary(g, s, &value, x) != 0)
			return -1;
		reckon_work(g);
		return to_metric(g, value, 1, s->unit, x);
	}
	run->value = strcmp(s->unit, "min") == 0 ? s->value : s->value / 60;
	g->m->unit = "min";
	return 0;
}

static void
keep_collectives(struct measuring *g)
{
	const struct log *log = g->source->logs[0];
	struct result_run *run = &g->m->run;
	const int tests = benchmark_log(log);
	size_t end = 0;
	long test = 0;

	run->n_collectives = log->n_collectives;
	run->collectives = arena_calloc(
	    g->arena, log->n_collectives + 1, sizeof *run->collectives);
	for (size_t i = 0; i < log->n_collectives; i++) {
		const struct log_collective *x = &log->collectives[i];

		if (tests && i == end) {
			end = benchmark_test_end(log, i);
			test++;
		}
		run->collectives[i] =
		    (struct result_collective){ x->collective != NULL
				? arena_strdup(g->arena, x->collective)
				: NULL,
			    arena_strdup(g->arena, x->kind), x->bytes,
			    x->count > 0 ? lround(x->count) : RESULT_UNKNOWN,
			    x->time_s, x->algorithm, x->bus, (long)x->line,
			    tests ? test : RESULT_UNKNOWN };
	}
}

/* What went wrong while the logs were read. */
static void
add_log_flags(struct measuring *g)
{
	for (int i = 0; i < N_LOG_FLAGS; i++) {
		const char *text = log_flag_text((enum log_flag)i,
		    g->source->logs, g->source->n_logs, g->arena);

		if (text != NULL)
			measuring_flag(g, text);
	}
}

/* The rates of all metrics, whatever was asked for. */
static void
keep_metrics(struct measuring *g)
{
	struct result_run *run = &g->m->run;
	struct run_metrics_source from = { g->source->logs[0], g->source->facts,
		g->rule, run->samples_per_s, NAN };

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
	const struct metadata *f = g->source->facts;

	run->path = arena_strdup(g->arena, g->source->logs[0]->shown);
	run->run = f->run != NULL ? f->run : run_path_stem(run->path, g->arena);
	run->sources = f->sources;
	run->n_sources = f->n_sources;
	run->framework_version = f->framework_version;
	run->device = f->device;
	keep_collectives(g);
	run_phases_keep(g->source->logs[0], g->arena, run);
	keep_metrics(g);
	add_log_flags(g);
	run->n_flags = g->n_flags;
	run->flags = arena_calloc(g->arena, g->n_flags + 1, sizeof *run->flags);
	if (g->n_flags > 0)
		memcpy(run->flags, g->flags, g->n_flags * sizeof *g->flags);
}

/* Does a log state that its run failed? */
static int
is_failed(const struct run_source *source, struct exclusion *x)
{
	for (size_t i = 0; i < source->n_logs; i++) {
		const struct log *log = source->logs[i];

		for (size_t j = 0; j < log->n_facts; j++) {
			const struct log_fact *fact = &log->facts[j];

			if (strcmp(fact->key, "status") != 0 ||
			    strcasecmp(fact->value, "success") == 0)
				continue;
			exclude(x, EXCLUDED_FAILED,
			    "%s:%lld: the run ended with the status '%s'",
			    log->shown, (long long)fact->line, fact->value);
			return 1;
		}
	}
	return 0;
}

/* Where no rule was asked for: the figure that the program printed itself, if
 * its log has nothing else. */
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
		    find_summary(source, 1, &log) != NULL)
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
		.instants = NAN };
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
