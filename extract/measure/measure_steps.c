/* Measurement of a run by its steps: choice of the attempt, of the window, and
 * of single steps or running means; and checks of the number against the
 * steps. */
#include <config.h>

#include "extract/measure/measure_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/log/log.h"
#include "extract/measure/steps/window.h"

/* Steps of a window that ran during tuning of settings (--autotune,
 * HOROVOD_AUTOTUNE): they are slower or faster than later steps, and their
 * settings are unknown. */
struct tuned_steps {
	long n, all; /* steps of the window: tuned; all */
	int ends;    /* 1: the log shows an end of tuning */
	long after;  /* position after the last tuned step of the window's first
	                epoch; RESULT_UNKNOWN: no step follows, or none was
	                tuned */
};

/* A line at which tuning starts or ends. */
struct tuning_change {
	size_t log;
	int64_t line;
	int on;
	size_t number; /* in the order of the logs */
};

struct tuning_changes {
	struct tuning_change *changes; /* [n] by change_order */
	size_t n, alloc;
};

/* Order by log, then by line; changes in one line keep the order of the log. */
static int
change_order(const void *a, const void *b)
{
	const struct tuning_change *x = a, *y = b;

	if (x->log != y->log)
		return x->log < y->log ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* True if the program was tuning at a line: use the last change before it. */
static int
tunes_at(const struct tuning_changes *t, size_t log, int64_t line)
{
	const struct tuning_change at = { log, line, 1, SIZE_MAX };
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (change_order(&t->changes[middle], &at) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && t->changes[low - 1].log == log &&
	    t->changes[low - 1].on;
}

/* True if a step ran during tuning. If it covers the iterations since the
 * previous line, that line counts as well.
 *
 * before  line of the previous step in the same log; 0: none; set to the line
 *         of this step */
static int
is_tuned(const struct tuning_changes *t, const struct steps *s,
    const struct step *step, int64_t *before)
{
	const size_t log = sample_index_place(&s->index, step->entry).log;
	const int tuned = tunes_at(t, log, step->line) ||
	    (!s->instant && *before > 0 && tunes_at(t, log, *before));

	*before = steps_lines(s, step).last_line;
	return tuned;
}

/* Count the tuned steps of a window that is not empty: those between the lines
 * that show the start ("tuning_from") and end of tuning ("tuning_until"). A
 * start of 0 means that tuning was on from the first line, wherever the log
 * states it. */
static void
tuned_steps_count(
    const struct steps *s, const struct window *w, struct tuned_steps *out)
{
	struct tuning_changes t = { .n = 0 };
	int64_t before = 0;
	int begins = 0;

	*out =
	    (struct tuned_steps){ .all = (long)w->n, .after = RESULT_UNKNOWN };
	for (size_t i = 0; i < s->n_logs; i++)
		for (size_t k = 0; k < s->logs[i]->n_metadata; k++) {
			const struct log_metadata *f = &s->logs[i]->metadata[k];
			const int on = strcmp(f->key, "tuning_from") == 0;

			if (!on && strcmp(f->key, "tuning_until") != 0)
				continue;
			begins |= on;
			out->ends |= !on;
			t.changes = vec_grow(
			    t.changes, t.n, &t.alloc, sizeof *t.changes);
			t.changes[t.n] = (struct tuning_change){ i,
				on && strcmp(f->value, "0") == 0 ? 0 : f->line,
				on, t.n };
			t.n++;
		}
	if (t.n > 0)
		qsort(t.changes, t.n, sizeof *t.changes, change_order);
	for (size_t i = 0; begins && i < w->n; i++)
		out->n += is_tuned(&t, s, &w->steps[i], &before);
	if (out->n > 0 && w->parts[0].epoch == w->first_epoch) {
		struct step_walk walk = steps_walk(s, w->first_epoch);
		struct step step;
		long after = 0;
		int rest = 0; /* 1: a step without tuning follows */

		before = 0;
		while (steps_next(&walk, &step)) {
			rest = !is_tuned(&t, s, &step, &before);
			if (!rest)
				after =
				    step.done - s->points + w->parts[0].offset;
		}
		out->after = rest ? after : RESULT_UNKNOWN;
	}
	free(t.changes);
}

/* Running means with a relative rounding error below this are used even if
 * single steps agree; larger differences to single steps are reported. */
#define MEANS_MAX_ERROR 0.01
#define INSTANTS_MAX_OFF 0.01
#define INSTANTS_ERRORS 4.0 /* standard errors of the mean of single steps */

/* Results with a larger relative rounding error are flagged. */
#define ROUNDING_SAID 0.01

/* Factors by which measured steps may be longer than the time stamps of their
 * lines indicate, or shorter because of pauses, over at least STAMPS_LEAST_S
 * seconds, since stamps often have a resolution of 1 s. */
#define STAMPS_MAX_LONGER 1.25
#define STAMPS_MAX_SHORTER 2.0
#define STAMPS_LEAST_S 8.0

/* The same in relative terms if only some steps and no means are printed. */
#define STAMPS_MAX_OFF 0.05

/* Share of a run's time outside of epochs that is flagged. */
#define BETWEEN_EPOCHS 0.05

/* Rates of tokens with a larger coefficient of variation need the tokens of
 * each step. */
#define TOKENS_MAX_CV 0.05

/* Limit of samples that are read to find the attempt to measure, and number of
 * attempts that are tried even beyond it. */
enum { TRIES_SAMPLES = 20000000, TRIES_LEAST = 64 };

/* Check that the values of the window and of its steps are valid times or
 * rates.
 */
static int
check_values(const struct measuring *g, struct exclusion *x)
{
	const struct window *w = &g->window;
	const struct step *step = w->bad.bad ? &w->bad : &w->last;
	struct step_lines lines;

	if (g->low <= 0)
		return exclude(x, remark_plain(REMARK_TOO_COARSE));
	if (!w->bad.bad && steps_value_ok(w->value, g->steps.is_rate))
		return 0;
	lines = steps_lines(&g->steps, step);
	return exclude(x,
	    REMARK(REMARK_BAD_STEP,
		remark_at(g->source->logs[lines.source]->shown,
		    step->bad ? lines.bad_line : step->line),
		remark_name(g->steps.points ? "time stamp"
			: g->steps.is_rate  ? "rate"
					    : "time"),
		remark_count(step->last)));
}

/* Relative rounding error of the value; NAN: unknown. */
static double
half_width(const struct measuring *g)
{
	return (g->high - g->low) / 2 / g->window.value;
}

/* Flag whether running means or single steps were used, if only some steps are
 * printed. */
static void
flag_sampling(struct measuring *g)
{
	const struct steps *s = &g->steps;
	const double half = half_width(g);

	if (s->by_mean)
		FLAG(g,
		    steps_mean_is_plain(s) ? REMARK_SAMPLED_PLAIN_MEANS
					   : REMARK_SAMPLED_MEANS,
		    remark_count(s->spacing));
	else if (s->instant && s->spacing > 1)
		FLAG(g,
		    g->steps_agree ? REMARK_SAMPLED_CONFIRMED : REMARK_SAMPLED,
		    remark_count(s->spacing));
	if (fabs(g->means_off) > INSTANTS_MAX_OFF)
		FLAG(g, REMARK_MEANS_DIFFER,
		    remark_number(fabs(g->means_off) * 100),
		    remark_name(g->means_off > 0 ? "higher" : "lower"),
		    remark_number(INSTANTS_MAX_OFF * 100));
	if (half > ROUNDING_SAID)
		FLAG(g, REMARK_ROUNDED, remark_number(half * 100));
}

/* Flag that records without rate or time were timed by when they were written.
 * The most decimals of a record, up to 9, give the resolution of that clock. */
static void
flag_clock(struct measuring *g)
{
	const struct window *w = &g->window;
	double scale = 1;

	if (!g->steps.points || !g->source->logs[0]->meaning->generic)
		return;
	for (size_t i = 0; i < w->n; i++) {
		const double x = steps_lines(&g->steps, &w->steps[i]).record;

		while (
		    scale < 1e9 && fabs(x * scale - round(x * scale)) >= 1e-6)
			scale *= 10;
	}
	FLAG(g, REMARK_RECORD_TIMES, remark_number(1 / scale));
}

/* True if lines print only some single steps and no means, so that only their
 * time stamps tell anything about the steps between them. */
static int
only_stamps_tell(const struct steps *s)
{
	return s->instant && s->spacing > 1 && !steps_print_means(s);
}

/* Resolution in seconds of the clock that gave two time stamps. */
static double
stamp_tick(double from, double to)
{
	return from == floor(from) && to == floor(to) ? 1 : 0.001;
}

/* Flag that the steps after the window, in all epochs, differ from it according
 * to the time stamps, which are all that the log states about most steps.
 *
 * from, to  stamps of the window's first and last line
 * steps     number of steps between these lines */
static void
check_stamps_after(struct measuring *g, double from, double to, long steps)
{
	const struct steps *s = &g->steps;
	const struct window *w = &g->window;
	const double tick = stamp_tick(from, to);
	double seconds = 0, off, noise;
	long iterations = 0;

	for (size_t e = w->parts[0].epoch; e < w->end_epoch; e++) {
		const int same = e == w->parts[0].epoch;
		const struct sample_place first =
		    sample_index_place(&s->index, s->epochs[e].first);
		const struct sample_place end =
		    sample_index_place(&s->index, s->epochs[e].end - 1);
		const long own = end.iter - (same ? w->last.last : first.iter);
		const double start =
		    same ? to : sample_index_sample(&s->index, &first)->stamp;
		const double time =
		    sample_index_sample(&s->index, &end)->stamp - start;

		if (own > 0 && time > 0) {
			iterations += own;
			seconds += time;
		}
	}
	if (iterations < AUDIT_BLOCK)
		return;
	off = (to - from) / (double)steps / (seconds / (double)iterations) - 1;
	/* Noise of the ratio, derived from that of the window's mean. */
	noise = g->m->noise *
	    sqrt((double)w->n * (1 / (double)steps + 1 / (double)iterations));
	if (fabs(off) >
	    fmax(STAMPS_MAX_OFF, noise) + tick / (to - from) + tick / seconds)
		FLAG(g, REMARK_REST_OFF, remark_number(fabs(off) * 100),
		    remark_name(off < 0 ? "faster" : "slower"),
		    remark_number(STAMPS_MAX_OFF * 100));
}

/* Check the measured step time against the time stamps of the window's lines.
 * Pauses between steps, such as an evaluation, are tolerated unless only the
 * stamps tell the time of the steps between the lines; then also check the
 * steps after the window. */
static void
check_stamps(struct measuring *g)
{
	const struct steps *s = &g->steps;
	const struct window *w = &g->window;
	const struct log *log = g->source->logs[0];
	const struct result_run *run = &g->m->run;
	const long steps = w->last.last - w->first.last;
	double longer = STAMPS_MAX_LONGER, shorter = STAMPS_MAX_SHORTER;
	double least = STAMPS_LEAST_S, from, to, own;
	int off = 0; /* 1: the audit says that the rest of the run differs */

	if (s->points || !s->numbered || w->n_parts != 1 ||
	    g->source->n_logs != 1 || steps < 1)
		return;
	from = log_stamp_at(log, (long)steps_lines(s, &w->first).last_line);
	to = log_stamp_at(log, (long)steps_lines(s, &w->last).last_line);
	own = (to - from) / (double)steps;
	if (only_stamps_tell(s)) {
		least = stamp_tick(from, to);
		longer = shorter =
		    1 + least / (to - from) + fmax(STAMPS_MAX_OFF, g->m->noise);
	}
	if (to - from >= least &&
	    (run->step_s > own * longer || run->step_s < own / shorter))
		FLAG(g, REMARK_CLOCK_CONTRADICTS, remark_number(own),
		    remark_number(run->step_s));
	for (size_t i = 0; i < run->n_flags; i++)
		off |= run->flags[i].code == REMARK_WINDOW_OFF ||
		    run->flags[i].code == REMARK_REST_OFF ||
		    run->flags[i].code == REMARK_CLOCK_CONTRADICTS;
	if (only_stamps_tell(s) && to > from && !off)
		check_stamps_after(g, from, to, steps);
}

/* Check the measured rate against the printed total of work. Its line may
 * precede the line of the step. */
static void
check_total(struct measuring *g)
{
	const struct window *w = &g->window;
	const struct log *log = g->source->logs[0];
	const struct result_run *run = &g->m->run;
	const char *key = strcmp(g->m->unit, "tokens/s") == 0 ? "tokens_done"
							      : "samples_done";
	const struct log_work *from, *to;
	const struct sample *first, *last;
	double rate;

	if (g->rule->metric != METRIC_THROUGHPUT || w->n_parts != 1 ||
	    g->source->n_logs != 1 || strncmp(g->m->unit, "iter", 4) == 0)
		return;
	from = log_works_entry(
	    log, key, steps_lines(&g->steps, &w->first).last_line);
	to = log_works_entry(
	    log, key, steps_lines(&g->steps, &w->last).last_line);
	if (from == NULL || to == NULL || !(to->amount > from->amount))
		return;
	first = log_sample_from(log, from->line);
	last = log_sample_from(log, to->line);
	if (!(last->stamp - first->stamp >= STAMPS_LEAST_S))
		return;
	rate = (to->amount - from->amount) / (last->stamp - first->stamp);
	if (run->value > rate * STAMPS_MAX_SHORTER ||
	    run->value < rate / STAMPS_MAX_LONGER)
		FLAG(g, REMARK_TOTAL_CONTRADICTS, remark_number(rate),
		    remark_name(g->m->unit), remark_number(run->value));
}

/* For epochs delimited by events, flag the rate of the whole run if evaluation
 * and other pauses between epochs take much of the time. */
static void
flag_between_epochs(struct measuring *g)
{
	const struct log *log;
	const struct log_summary *run =
	    measure_find_summary(g->source, 0, &log);
	const double value = g->m->run.value;
	double whole;

	if (!g->source->logs[0]->meaning->epochs || run == NULL ||
	    g->rule->metric != METRIC_THROUGHPUT)
		return;
	whole =
	    value * g->window.value * (double)g->window.iterations / run->value;
	if (whole < value * (1 - BETWEEN_EPOCHS))
		FLAG(g, REMARK_BETWEEN_EPOCHS, remark_number(whole),
		    remark_name(g->m->unit));
}

/* The printed number of an epoch, or its index if none is printed. */
static double
epoch_number(const struct steps_epoch *epochs, size_t i)
{
	return epochs[i].number != SAMPLE_NONE ? (double)epochs[i].number
					       : (double)i;
}

static void
flag_window(struct measuring *g)
{
	const struct steps *s = &g->steps;
	const struct window *w = &g->window;
	const struct window_part *front = w->parts, *part;
	const int by_window = g->m->kind == RULE_WINDOW;
	/* Iterations of the window before its first step. */
	const long late =
	    front->from - s->points + front->offset - rule_start(g->rule);
	long span = 0, wanted; /* iterations, printed or not */

	for (part = front; part < front + w->n_parts; part++)
		span += part->done - part->from;
	wanted = by_window && rule_end(g->rule) < LONG_MAX
	    ? rule_end(g->rule) - rule_start(g->rule)
	    : span;
	if (g->source->n_logs > 1)
		FLAG(g, REMARK_JOINED, remark_count(g->source->n_logs));
	if (front->epoch != part[-1].epoch)
		FLAG(g, REMARK_EPOCHS,
		    remark_number(epoch_number(s->epochs, front->epoch)),
		    remark_number(epoch_number(s->epochs, part[-1].epoch)));
	if (by_window && late >= s->spacing && late > 0)
		FLAG(g, REMARK_LATE_START, remark_count(late));
	flag_sampling(g);
	if (by_window && w->n == 1)
		FLAG(g, REMARK_SINGLE_RECORD, remark_count(w->iterations));
	if (w->lost > 0)
		FLAG(g, REMARK_UNPRINTED, remark_count(wanted - w->lost),
		    remark_count(wanted));
	else if (s->instant && s->spacing == 1 && w->iterations < span)
		FLAG(g, REMARK_UNPRINTED, remark_count(w->iterations),
		    remark_count(span));
	if (g->rule->aggregate != AGGREGATE_TIME)
		FLAG(g, REMARK_AGGREGATE,
		    remark_name(aggregate_names[g->rule->aggregate]));
}

/* True if single steps agree with the means within rounding.
 *
 * low, high  bounds of the means */
static int
is_within(const struct measuring *g, double low, double high)
{
	const double half = g->steps.units.mean / 2;

	return g->window.value >= low - half && g->window.value <= high + half;
}

/* True if single steps agree with the means of all lines up to the window's
 * end. Used if there are no means of the window alone. */
static int
agrees_around(struct measuring *g)
{
	struct rule around = *g->rule;
	struct exclusion ignored = EXCLUSION_INIT;
	struct window w;
	double low, high;
	int yes = 1;

	around.skip = around.warmup = 0;
	around.train = g->window.last.done + g->steps.spacing;
	if (window_select(&g->steps, &around, RULE_WINDOW, &w, &ignored) == 0) {
		window_rounding(&g->steps, &w, 1, &low, &high);
		yes = !(low > 0) ||
		    is_within(g, low * (1 - MEANS_MAX_ERROR),
			high * (1 + MEANS_MAX_ERROR));
	}
	window_release(&w);
	return yes;
}

/* If lines also print the running mean of all steps, the window's time is a
 * difference of sums. Single steps are used only if they agree within its
 * rounding, which is coarse (statistics, "Sampled instants"). Returns 0; -1
 * with x if the means disagree and no mean covers the window alone. */
static int
try_means(struct measuring *g, struct exclusion *x)
{
	struct steps *s = &g->steps;
	struct exclusion none = EXCLUSION_INIT;
	const double half = window_coarseness(s, &g->window);
	struct window w;
	int fine, agree, rc = 0;

	window_rounding(s, &g->window, 0, &g->low, &g->high);
	/* If every step is printed, the window's time is their sum. */
	if (isnan(g->low) && half > ROUNDING_SAID * g->window.value) {
		g->low = fmax(0, g->window.value - half);
		g->high = g->window.value + half;
	}
	if (!s->instant || s->spacing < 2 || !steps_print_means(s) ||
	    g->rule->aggregate != AGGREGATE_TIME || s->meaning->of_samples)
		return 0;
	steps_read_means(s, 1);
	if (window_select(s, g->rule, g->m->kind, &w, &none) != 0) {
		if (!agrees_around(g)) {
			*x = none;
			advice_add(s, g->rule, &w, g->arena, x);
			rc = -1;
		}
		goto instants;
	}
	window_rounding(s, &w, 0, &g->low, &g->high);
	if (!is_within(g, g->low, g->high))
		window_rounding(s, &w, 1, &g->low, &g->high);
	agree = is_within(g, g->low, g->high);
	fine = g->high - g->low < 2 * MEANS_MAX_ERROR * w.value;
	if (g->m->kind != RULE_ALL && !w.bad.bad && g->low > 0 &&
	    (fine || !agree)) {
		g->instants = g->window.value;
		window_release(&g->window);
		g->window = w;
		return 0;
	}
	/* RULE_ALL requests every record as printed. */
	g->means_off = agree ? 0 : w.value / g->window.value - 1;
	g->steps_agree = g->m->kind != RULE_ALL && g->low > 0;
	g->low = g->steps_agree ? fmin(g->low, g->window.value) : NAN;
	g->high = g->steps_agree ? fmax(g->high, g->window.value) : NAN;
instants:
	window_release(&w);
	steps_read_means(s, 0);
	return rc;
}

/* Make the steps of the run. If the job was restarted, use its last attempt
 * that contains the window. */
static int
make_steps(struct measuring *g, struct exclusion *x)
{
	struct rule *shifted;
	const struct run_source *from = g->source;
	size_t most = 1, n, tried;

	for (size_t i = 0; i < from->n_logs; i++)
		most += from->logs[i]->samples.n;
	most = TRIES_SAMPLES / most > TRIES_LEAST ? TRIES_SAMPLES / most
						  : TRIES_LEAST;
	if (steps_make(from->logs, from->n_logs, from->metadata->gpus,
		from->metadata->nodes, g->rule->rate_scope, &g->steps, x) != 0)
		return -1;
	if (g->rule->by_number && g->steps.numbered &&
	    g->steps.epochs[0].base == 0) {
		shifted = arena_calloc(g->arena, 1, sizeof *shifted);
		*shifted = *g->rule;
		shifted->warmup++;
		shifted->train += shifted->train != RESULT_UNKNOWN;
		g->rule = shifted;
	}
	n = g->steps.attempts;
	for (tried = 0; n > 1 && tried < n && tried < most; tried++) {
		if (tried > 0 &&
		    steps_take_attempt(&g->steps, n - 1 - tried, x) != 0)
			return -1;
		if (window_select(
			&g->steps, g->rule, g->m->kind, &g->window, x) == 0) {
			FLAG(g, REMARK_ATTEMPT, remark_count(n - tried),
			    remark_count(n));
			return 0;
		}
		window_release(&g->window);
	}
	if (n == 1)
		return 0;
	return exclude(x,
	    REMARK(REMARK_ATTEMPTS, remark_count(n),
		remark_number(tried < n ? (double)tried : NAN)));
}

/* True if the window is the default one. */
static int
is_default_window(const struct measuring *g)
{
	const struct rule usual = RULE_DEFAULT;

	return g->m->kind == RULE_WINDOW && g->rule->kind == usual.kind &&
	    g->rule->skip == usual.skip && g->rule->warmup == usual.warmup &&
	    g->rule->train == usual.train &&
	    g->rule->epoch_choice == usual.epoch_choice;
}

/* Select the steps of the window, unless make_steps did. In a short log the
 * default window ends with the log. Returns 0, or -1 with x. */
static int
choose_window(struct measuring *g, struct exclusion *x)
{
	struct rule *shorter;
	struct exclusion ignored = EXCLUSION_INIT;

	if (g->window.n_parts > 0 ||
	    window_select(&g->steps, g->rule, g->m->kind, &g->window, x) == 0)
		return 0;
	shorter = arena_calloc(g->arena, 1, sizeof *shorter);
	if (!g->rule->strict && is_default_window(g) &&
	    advice_shorten(&g->steps, g->rule, &g->window, shorter) == 0) {
		window_release(&g->window);
		g->rule = shorter;
		if (window_select(&g->steps, shorter, g->m->kind, &g->window,
			&ignored) == 0)
			return 0;
	}
	/* The options of a protocol cannot be changed. */
	if (g->m->kind == RULE_WINDOW && g->rule->protocol == NULL)
		advice_add(&g->steps, g->rule, &g->window, g->arena, x);
	return -1;
}

/* Exclude steps in which the program tuned its settings: move the default
 * window after them, if the run is long enough, or flag it. */
static void
judge_tuning(struct measuring *g)
{
	struct exclusion ignored = EXCLUSION_INIT;
	struct tuned_steps t, rest;
	struct rule *moved;
	struct window w;

	tuned_steps_count(&g->steps, &g->window, &t);
	if (t.n == 0)
		return;
	if (t.after != RESULT_UNKNOWN && is_default_window(g)) {
		moved = arena_calloc(g->arena, 1, sizeof *moved);
		*moved = *g->rule;
		moved->warmup = t.after - moved->skip;
		moved->train += moved->warmup - g->rule->warmup;
		rest.n = 1;
		if (window_select(&g->steps, moved, g->m->kind, &w, &ignored) ==
		    0)
			tuned_steps_count(&g->steps, &w, &rest);
		if (rest.n == 0) {
			window_release(&g->window);
			g->window = w;
			g->rule = moved;
			FLAG(g, REMARK_WINDOW_MOVED, remark_count(t.after));
			return;
		}
		window_release(&w);
	}
	FLAG(g, REMARK_TUNED, remark_number(t.ends ? (double)t.n : NAN),
	    remark_count(t.all));
}

/* Audit the steps, add the audit's flags, and flag a shortened window with its
 * precision. Check the known work of an iteration against lines that print the
 * rate both in work and in iterations.
 *
 * work  of an iteration, or NAN */
static void
judge_run(struct measuring *g, double work)
{
	const int window = g->m->kind == RULE_WINDOW;
	const struct rule usual = RULE_DEFAULT, *rule = g->rule;
	const char *unit = g->source->logs[0]->meaning->unit;
	const struct result_audit *a = &g->m->run.audit;
	struct audit_flags flags;
	double width, error, off = g->window.line_work / work - 1;

	if (fabs(off) > WORK_MAX_OFF)
		FLAG(g, REMARK_RATES_CONTRADICT,
		    remark_number(g->window.line_work),
		    remark_name(
			arena_strndup(g->arena, unit, strcspn(unit, "/"))),
		    remark_number(work),
		    remark_number(g->window.value / (1 + off)),
		    remark_name(unit));
	audit_run(&g->steps, &g->window, isnan(work) ? 1 : work,
	    window ? rule_end(rule) : LONG_MAX, &g->m->run.audit, &flags);
	g->m->noise = flags.noise;
	/* RULE_ALL includes the warm-up on request: no flags. */
	for (size_t i = 0; window && i < flags.n; i++)
		measuring_flag(g, flags.items[i]);
	width = measure_own_width(g);
	if (rule->shortened)
		FLAG(g, REMARK_SHORT_LOG,
		    remark_count(rule_end(rule) - rule_start(rule)),
		    remark_count(rule_start(rule)),
		    remark_count(rule_end(rule) - 1),
		    remark_count(usual.train - usual.warmup),
		    remark_number(width > 0 ? 100 * width : NAN));
	/* Single steps that differ from the running means on their lines by
	 * more than their own scatter explains: p50 - p5 of a normal
	 * distribution is 1.645 standard deviations; a few stalls do not widen
	 * it. */
	off = fabs(g->instants / g->window.value - 1);
	error = (1 - a->p5 / a->p50) / 1.645 / sqrt((double)g->window.n);
	if (off > INSTANTS_MAX_OFF &&
	    off > INSTANTS_ERRORS * error + half_width(g))
		FLAG(g, REMARK_INSTANTS_DIFFER, remark_number(off * 100),
		    remark_name(
			g->instants > g->window.value ? "higher" : "lower"),
		    remark_number(INSTANTS_MAX_OFF * 100));
}

int
measure_steps(struct measuring *g, struct exclusion *x)
{
	const struct meaning *meaning = g->source->logs[0]->meaning;
	const struct window *w = &g->window;
	struct result_run *run = &g->m->run;
	double work, low, high;

	if (make_steps(g, x) != 0)
		return measure_hint_summary(g, x);
	if (g->steps.scope == SCOPE_UNKNOWN && g->source->metadata->gpus != 1)
		return measure_exclude_scope(g, x);
	if (g->steps.unscaled && g->steps.ranks == 1)
		return measure_exclude_part(g, g->steps.scope, x);
	if (choose_window(g, x) != 0)
		return measure_also_needs(g, x);
	judge_tuning(g);
	if (try_means(g, x) != 0)
		return measure_also_needs(g, x);
	if (check_values(g, x) != 0)
		return -1;
	measure_read_work(g);
	if (measure_to_metric(
		g, g->window.value, g->steps.is_rate, meaning->unit, x) != 0)
		return -1;
	/* The rounding bounds of the window's value give those of the run's. */
	low = g->low / w->value;
	high = g->high / w->value;
	if ((g->steps.is_rate && !meaning->of_samples) ==
	    (g->rule->metric != METRIC_STEP_TIME))
		run->rounding = (struct result_rounding){ run->value * low,
			run->value * high };
	else
		run->rounding = (struct result_rounding){ run->value / high,
			run->value / low };
	run->iterations = w->iterations;
	run->first_iteration = steps_first(&g->steps, &w->first);
	run->last_iteration = w->last.last;
	run->first_line = (long)w->first.line;
	run->last_line = (long)steps_lines(&g->steps, &w->last).last_line;
	run->ranks_seen = w->ranks;
	flag_window(g);
	flag_between_epochs(g);
	check_total(g);
	flag_clock(g);
	for (size_t i = 0; i < g->steps.n_flags; i++)
		measuring_flag(g, g->steps.flags[i]);
	if (g->steps.by_mean)
		window_read_instants(&g->steps, &g->window); /* for the audit */
	work = measure_work_of(g, meaning->unit);
	judge_run(g, work);
	check_stamps(g);
	measure_check_summary(g);
	if (g->steps.is_rate && strcmp(meaning->unit, "tokens/s") == 0 &&
	    isnan(work) && !g->window.by_work &&
	    g->m->run.audit.cv > TOKENS_MAX_CV)
		measuring_flag(g, remark_plain(REMARK_TOKENS_UNKNOWN));
	return 0;
}
