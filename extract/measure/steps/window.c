#include <config.h>

#include "extract/measure/steps/window.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

/* --- Rules -----------------------------------------------------------------*/

const char *const rule_kind_names[] = { "", "window", "all", "summary", NULL };
const char *const aggregate_names[] = { "time", "mean", "median", NULL };

long
rule_start(const struct rule *rule)
{
	return rule->skip + rule->warmup;
}

long
rule_end(const struct rule *rule)
{
	if (rule->train == RESULT_UNKNOWN)
		return LONG_MAX;
	return rule->skip + rule->train;
}

enum rule_kind
rule_kind_find(const char *name)
{
	for (int i = RULE_WINDOW; i <= RULE_SUMMARY && name != NULL; i++)
		if (strcmp(name, rule_kind_names[i]) == 0)
			return (enum rule_kind)i;
	return RULE_BY_FORMAT;
}

enum rule_kind
rule_kind_of(const struct rule *rule, const struct meaning *meaning)
{
	const enum rule_kind kind = rule_kind_find(meaning->rule);

	if (rule->kind != RULE_BY_FORMAT)
		return rule->kind;
	if (rule->metric == METRIC_TIME_TO_TRAIN)
		return RULE_SUMMARY;
	return kind != RULE_BY_FORMAT ? kind : RULE_WINDOW;
}

const char *
rule_metric_name(const struct rule *rule)
{
	return rule->figure != NULL ? rule->figure->name
				    : run_metric_choices[rule->metric];
}

int
rule_check(const struct rule *rule, struct error *e)
{
	if (rule->train != RESULT_UNKNOWN && rule->train <= rule->warmup)
		return error_set(e, ERROR_USAGE,
		    "--train-batches: %ld is not more than --warmup-batches, "
		    "%ld: the window would be empty",
		    rule->train, rule->warmup);
	if (rule->metric == METRIC_TIME_TO_TRAIN &&
	    rule->kind != RULE_BY_FORMAT && rule->kind != RULE_SUMMARY)
		return error_set(e, ERROR_USAGE,
		    "--metric=time-to-train: only with --rule=summary, since "
		    "it is a figure of the whole run");
	return 0;
}

/* --- Another choice --------------------------------------------------------*/

/* Maximum share of start-up in the window's time; above it the result measures
 * something else. With few records the audit may miss it. */
#define START_MAX_SHARE 0.05

/* Maximum deviation from the printed running mean with --rule=all, which uses
 * printed steps only: these may not represent the others. */
#define MEANS_MAX_OFF 0.05

/* Minimum number of settled iterations in a shortened window. */
enum { SHORT_LEAST = 10 };

/* Apply a rule to the run.
 *
 * doubt  first finding of the audit; REMARK_NONE if none
 *
 * Returns 1 if the run is included, else 0. */
static int
try_rule(const struct steps *s, const struct rule *rule, enum rule_kind kind,
    struct remark *doubt)
{
	struct exclusion ignored = EXCLUSION_INIT;
	struct result_audit audit;
	struct audit_flags flags;
	struct window w;
	/* The first record's time per iteration (first) and iterations (own);
	 * time (rest) and iterations of the other records. */
	double first = NAN, own = 0, rest = 0, iterations = 0;
	const int included = window_select(s, rule, kind, &w, &ignored) == 0;

	for (size_t i = 0; included && i < w.n; i++) {
		const struct step *step = &w.steps[i];
		const double n = (double)(step->done - step->from);
		const double t = s->is_rate ? 1 / step->value : step->value;

		if (i == 0) {
			first = t;
			own = n;
		} else {
			rest += n * t;
			iterations += n;
		}
	}
	if (included) {
		audit_run(s, &w, 1,
		    kind == RULE_WINDOW ? rule_end(rule) : LONG_MAX, &audit,
		    &flags);
		*doubt = remark_plain(REMARK_NONE);
		if (flags.n > 0)
			*doubt = flags.items[0];
		else if (w.iterations < 2)
			*doubt = remark_plain(REMARK_ONE_ITERATION);
		else if (w.n == 1 && w.first.from <= 0)
			*doubt = remark_plain(REMARK_ONE_RECORD);
		else if (own * (first - rest / iterations) /
			(own * first + rest) >
		    START_MAX_SHARE)
			*doubt = remark_plain(REMARK_SLOWER_START);
		else if (kind == RULE_ALL && s->spacing > 1 &&
		    steps_print_means(s) &&
		    fabs(steps_lines(s, &w.last).second / w.value - 1) >
			MEANS_MAX_OFF)
			*doubt = remark_plain(REMARK_OTHER_MEANS);
	}
	window_release(&w);
	return included;
}

int
advice_is_good(
    const struct steps *s, const struct rule *rule, enum rule_kind kind)
{
	struct remark doubt;

	return try_rule(s, rule, kind, &doubt) && doubt.code == REMARK_NONE;
}

int
advice_shorten(const struct steps *s, const struct rule *rule,
    const struct window *w, struct rule *out)
{
	const long total = w->view.total, half = total / 2;
	long start = rule_start(rule) < half ? rule_start(rule) : half;
	struct result_audit audit;

	if (!s->numbered || s->n == 0 || total >= rule_end(rule))
		return -1;
	audit_run(s, w, 1, LONG_MAX, &audit, NULL);
	if (audit.settled_at > start)
		start = audit.settled_at;
	*out = *rule;
	out->warmup = start - rule->skip;
	out->train = total - rule->skip;
	out->shortened = 1;
	return audit.settled_at != RESULT_UNKNOWN &&
		total - start >= SHORT_LEAST &&
		advice_is_good(s, out, RULE_WINDOW)
	    ? 0
	    : -1;
}

/* First printed number above that of the first line; LONG_MAX: none. */
static long
second_printed(const struct steps *s)
{
	long first = LONG_MIN;

	for (size_t e = 0; e < s->n_epochs; e++) {
		struct step_walk walk = steps_walk(s, e);
		struct step step;

		while (steps_next(&walk, &step)) {
			const long printed = steps_printed(s, &step);

			if (!step.empty && first == LONG_MIN)
				first = printed;
			else if (!step.empty && printed > first)
				return printed;
		}
	}
	return LONG_MAX;
}

void
advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct arena *a, struct exclusion *x)
{
	const struct window_view *v = &w->view;
	const long end = rule_end(rule), second = second_printed(s);
	struct remark *doubt = arena_calloc(a, 1, sizeof *doubt), own;
	struct step_walk walk = steps_walk(s, 0);
	struct step first;

	steps_next(&walk, &first);

	const struct {
		int fits;
		enum rule_kind kind;
		const char *option;
		long number; /* after the option, or RESULT_UNKNOWN */
	} choices[] = {
		{ v->total < end, RULE_WINDOW,
		    "--train-batches=", v->total - rule->skip },
		/* The run resumed from a checkpoint. */
		{ v->lowest >= end, RULE_ALL, "--rule=all --from-iteration=",
		    steps_printed(s, &first) + rule_start(rule) },
		/* Only every n-th iteration is printed. */
		{ v->next_done < LONG_MAX && v->total >= end, RULE_WINDOW,
		    "--train-batches=", v->next_done - rule->skip },
		{ rule->epoch_choice == EPOCH_ONE, RULE_WINDOW, "--epoch=auto",
		    RESULT_UNKNOWN },
		{ 1, RULE_ALL, "--rule=all", RESULT_UNKNOWN },
		{ second < LONG_MAX, RULE_ALL,
		    "--rule=all --from-iteration=", second },
	};

	*doubt = remark_plain(REMARK_NONE);
	if (s->numbered && !exclusion_is(x, EXCLUDED_SHORT))
		return;
	/* Suggest the first option whose rule includes the run without a
	 * finding of the audit. */
	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
		const enum rule_kind kind = choices[i].kind;
		const char *option = choices[i].option;
		const long number = choices[i].number;
		struct rule other = *rule;

		if (number != RESULT_UNKNOWN)
			*(kind == RULE_ALL ? &other.from_iteration
					   : &other.train) = number;
		else
			other.epoch_choice =
			    kind == RULE_ALL ? rule->epoch_choice : EPOCH_AUTO;
		if (!choices[i].fits ||
		    (kind == RULE_WINDOW && rule_end(&other) < LONG_MAX &&
			other.train <= other.warmup) ||
		    !try_rule(s, &other, kind, &own))
			continue;
		if (own.code == REMARK_NONE) {
			if (number != RESULT_UNKNOWN)
				option =
				    arena_printf(a, "%s%ld", option, number);
			x->hint = REMARK(REMARK_PASS, remark_name(option));
			return;
		}
		if (doubt->code == REMARK_NONE)
			*doubt = own;
	}
	if (doubt->code != REMARK_NONE)
		x->hint = REMARK(REMARK_NO_CHOICE, remark_inner(doubt));
}

/* Ratio below which the work of steps is equal, up to rounding. */
#define WORK_VARIES 1.01

/* Iterations done before a step. For time stamps, count from the previous
 * stamp: position k - 1. */
static long
step_start(const struct steps *s, const struct step *step)
{
	return s->points ? step->from - 1 : step->from;
}

/* True if a step counts.
 *
 * done   iterations done after the last counted step of the epoch, or LONG_MIN
 * later  1: the epoch is not the first selected one */
static int
step_counts(const struct steps *s, const struct step *step,
    const struct rule *rule, enum rule_kind kind, long offset, long done,
    int later)
{
	/* Overlapping steps would count iterations twice. */
	if (step->empty || step->from < done)
		return 0;
	if (kind == RULE_ALL)
		return steps_printed(s, step) + (s->counts_on ? 0 : offset) >=
		    rule->from_iteration;
	if (later && step_start(s, step) < rule->skip)
		return 0;
	return step_start(s, step) + offset >= rule_start(rule) &&
	    step->done + offset <= rule_end(rule);
}

/* Iterations that may be missing at an edge of the window without a lost line:
 * the spacing of lines or the iterations per line. */
static long
reach_of(const struct steps *s, const struct step *step)
{
	const long own = step->done - step->from;

	return own > s->spacing ? own : s->spacing;
}

/* Iterations lost at an edge, counted in whole lines. */
static long
lost_at_edge(long lacking, long reach)
{
	return lacking >= reach ? lacking / reach * reach : 0;
}

/* Select the counted steps of one epoch.
 *
 * offset  running position = position in the epoch + offset */
static void
select_epoch(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, size_t epoch, long offset, struct window *w)
{
	const int later = epoch > w->first_epoch;
	struct window_part part = { w->n, w->n, epoch, offset, 0, LONG_MIN };
	struct window_view *v = &w->view;
	const long lost = w->lost;
	/* Iterations done before the first one that could count. */
	long front = rule_start(rule) - offset;
	struct step_walk walk = steps_walk(s, epoch);
	struct step step;

	if (later && rule->skip > front)
		front = rule->skip;
	while (steps_next(&walk, &step)) {
		const long start = step_start(s, &step);
		const long done = step.done + offset;

		if (!later || start >= rule->skip) {
			v->total = done > v->total ? done : v->total;
			if (start + offset < v->lowest)
				v->lowest = start + offset;
			if (start + offset >= rule_start(rule) &&
			    done < v->next_done)
				v->next_done = done;
		}
		/* Instants ascend and the log is long enough: stop early. */
		if (kind == RULE_WINDOW && (s->instant || s->by_mean) &&
		    step.from + offset >= rule_end(rule))
			break;
		if (!step_counts(
			s, &step, rule, kind, offset, part.done, later))
			continue;
		if (w->n == part.first) {
			part.from = step.from;
			w->lost +=
			    lost_at_edge(start - front, reach_of(s, &step));
		} else {
			/* Some programs print by time, so up to half a spacing
			 * more does not count as lost. */
			const long own = step.done - step.from;
			const long lacks = step.from - part.done -
			    (own < s->spacing ? s->spacing - own : 0);

			w->lost += 2 * lacks >= s->spacing ? lacks : 0;
		}
		part.done = step.done;
		w->steps =
		    vec_grow(w->steps, w->n, &w->alloc, sizeof *w->steps);
		w->steps[w->n++] = step;
	}
	part.end = w->n;
	if (part.end == part.first)
		return;
	if (kind != RULE_WINDOW)
		w->lost = lost; /* only a window must be complete */
	w->parts =
	    vec_grow(w->parts, w->n_parts, &w->alloc_parts, sizeof *w->parts);
	w->parts[w->n_parts++] = part;
}

/* Select steps in the epochs of the rule. Returns -1 if the log lacks the
 * chosen epoch. */
static int
select_steps(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w)
{
	long offset = 0;
	size_t e;

	*w = (struct window){ .view = { 0, LONG_MAX, LONG_MAX } };
	while (rule->epoch_choice == EPOCH_ONE &&
	    s->epochs[w->first_epoch].number != rule->epoch)
		if (++w->first_epoch == s->n_epochs)
			return -1;
	if (kind == RULE_ALL)
		w->steps =
		    vec_grow(w->steps, s->n, &w->alloc, sizeof *w->steps);
	for (e = w->first_epoch; e < s->n_epochs; e++) {
		const long skipped =
		    kind == RULE_WINDOW && e > w->first_epoch ? rule->skip : 0;
		const long end = offset + s->epochs[e].length - skipped;

		select_epoch(s, rule, kind, e, offset - skipped, w);
		w->last_epoch = e;
		if (rule->epoch_choice == EPOCH_ONE)
			break;
		if (kind == RULE_WINDOW && end >= rule_end(rule))
			break;
		offset = end > offset ? end : offset;
	}
	if (w->n > 0) {
		w->first = w->steps[0];
		w->last = w->steps[w->n - 1];
	}
	return 0;
}

/* Number of iterations of the window. */
static long
window_iterations(const struct rule *rule, const struct window *w)
{
	const struct window_part *last = &w->parts[w->n_parts - 1];
	const long end = rule_end(rule);

	return (end < LONG_MAX ? end : last->done + last->offset) -
	    rule_start(rule);
}

/* True if the log reaches the end of the window. Missing iterations at its end
 * count as lost if the log goes on. */
static int
long_enough(const struct steps *s, const struct rule *rule, struct window *w)
{
	const long end = rule_end(rule);
	const long reach = reach_of(s, &w->last);
	const int points = s->instant || s->points; /* position k is done - 1 */
	long lacking;

	if (end == LONG_MAX)
		return 1;
	lacking = end - w->last.done - w->parts[w->n_parts - 1].offset;
	if (lacking > reach - points && w->view.total < end)
		return 0;
	w->lost += lost_at_edge(lacking, reach);
	return 1;
}

/* Explain a missing window by the positions of the log's iterations. */
static int
refuse_short(const struct steps *s, const struct rule *rule,
    const struct window *w, struct exclusion *x)
{
	const long w0 = rule_start(rule), w1 = rule_end(rule);
	const struct window_view *v = &w->view;
	const struct remark_arg from = remark_count(w0);
	const struct remark_arg to =
	    remark_number(w1 == LONG_MAX ? NAN : (double)w1);
	const struct remark_arg lowest = remark_count(v->lowest);
	const struct remark_arg total = remark_count(v->total);

	if (v->lowest <= w0 && v->total < (w1 == LONG_MAX ? w0 : w1))
		return exclude(x,
		    REMARK(REMARK_TOO_FEW, total,
			w1 == LONG_MAX ? remark_count(w0 + 1) : to));
	if (v->total < (w1 == LONG_MAX ? w0 : w1) || v->lowest >= w1 ||
	    (v->lowest - w0 >= s->spacing && v->lowest - w0 >= w->lost))
		return exclude(x,
		    REMARK(REMARK_NOT_WINDOW, lowest,
			v->total < w1 ? total : remark_number(NAN), from, to));
	if (w->n_parts > 0 && w->lost > 0)
		return exclude(x,
		    REMARK(REMARK_LINES_LACKING, remark_count(w->lost),
			remark_count(window_iterations(rule, w)), from, to));
	return exclude(
	    x, REMARK(REMARK_TOO_SPARSE, remark_count(s->spacing), from, to));
}

/* Sum up the counted steps. The value is total work over total time, in the
 * unit of the steps. The work of a step is printed on its lines, or follows
 * from rate and time. */
static void
sum_up(const struct steps *s, struct window *w)
{
	const char *unit = s->meaning->unit;
	const char *key = s->is_rate && strcmp(unit, "tokens/s") == 0
	    ? "tokens_per_step"
	    : "batch_size";
	const int by_rate = s->is_rate && !steps_mean_is_plain(s);
	struct stats_sum n_sum = STATS_SUM_INIT, n_seconds = STATS_SUM_INIT;
	struct stats_sum work_sum = STATS_SUM_INIT;
	struct stats_sum seconds = STATS_SUM_INIT; /* from the printed work */
	double least = INFINITY, most = 0;         /* work of an iteration */
	double line_work = 0; /* sum of rate times printed time */
	int known = s->is_rate && !s->by_mean; /* 1: all work is known */

	for (size_t i = 0; i < w->n; i++) {
		const struct step *step = &w->steps[i];
		const double n = (double)(step->done - step->from);
		double work = NAN, by_time = NAN;

		w->iterations += step->done - step->from;
		if (step->ranks > w->ranks)
			w->ranks = step->ranks;
		if (step->bad && !w->bad.bad)
			w->bad = *step;
		stats_sum_add(&n_sum, n);
		stats_sum_add(
		    &n_seconds, by_rate ? n / step->value : n * step->value);
		if (!s->is_rate)
			continue;
		if (s->meaning->second == SECOND_STEP)
			by_time = step->value * steps_lines(s, step).second;
		if (strcmp(unit, "iterations/s") != 0)
			work = steps_work(s, step, key);
		if (isnan(work))
			work = by_time;
		line_work += n * by_time;
		known &= work > 0;
		least = fmin(least, work);
		most = fmax(most, work);
		stats_sum_add(&work_sum, n * work);
		stats_sum_add(&seconds, n * work / step->value);
	}
	w->line_work =
	    s->is_rate && !s->by_mean ? line_work / (double)w->iterations : NAN;
	w->by_work = known && most > WORK_VARIES * least;
	if (w->by_work)
		w->value =
		    stats_sum_value(&work_sum) / stats_sum_value(&seconds);
	else if (by_rate)
		w->value =
		    stats_sum_value(&n_sum) / stats_sum_value(&n_seconds);
	else
		w->value =
		    stats_sum_value(&n_seconds) / stats_sum_value(&n_sum);
}

void
window_read_instants(struct steps *s, struct window *w)
{
	steps_read_means(s, 0);
	w->by_means = 1;
	for (size_t p = 0; p < w->n_parts; p++)
		for (size_t i = w->parts[p].first; i < w->parts[p].end; i++) {
			struct step_walk walk =
			    steps_walk(s, w->parts[p].epoch);

			walk.entry = w->steps[i].entry;
			steps_next(&walk, &w->steps[i]);
		}
}

/* --- Rounding --------------------------------------------------------------*/

/* Maximum rounding error of a sum of n iterations.
 *
 * mean  printed mean of these iterations */
static double
sum_error(const struct steps *s, long n, double mean)
{
	double parts = 1;

	if (n <= 0 || !(s->units.mean > 0))
		return 0;
	/* A sum over devices has the rounding error of each. */
	if (s->is_rate && s->scope != SCOPE_GLOBAL)
		parts = (double)(s->scope == SCOPE_NODE ? s->nodes : s->world);
	if (parts < 1)
		parts = (double)s->ranks;
	if (s->is_rate && !steps_mean_is_plain(s))
		parts /= mean * mean;
	return (double)n * parts * s->units.mean / 2;
}

/* True if steps are differences of printed sums or means. */
static int
has_sums(const struct steps *s)
{
	return (s->units.mean > 0 || s->units.total > 0) &&
	    (s->by_mean || steps_are_differences(s));
}

double
window_record_error(const struct steps *s, double mean)
{
	const int of_rate = s->is_rate && !steps_mean_is_plain(s);
	long longest = 0;

	if (!has_sums(s))
		return s->units.value / 2 * (s->is_rate ? mean * mean : 1);
	for (size_t e = 0; e < s->n_epochs; e++)
		if (s->epochs[e].length > longest)
			longest = s->epochs[e].length;
	return fmax(s->units.total,
		   2 * sum_error(s, longest, of_rate ? 1 / mean : mean)) /
	    (double)s->spacing;
}

/* Rounding error of the time from step first to step last of an epoch: that of
 * the sums at both ends, but at least a tick of the clock.
 *
 * unplaced  as for window_rounding */
static double
ends_error(const struct steps *s, size_t epoch, const struct step *first,
    const struct step *last, int unplaced)
{
	const int of_time = !s->is_rate || steps_mean_is_plain(s);
	const long shift = steps_mean_shift(s, epoch);
	const long done = s->epochs[epoch].first_done;
	const double record = steps_lines(s, last).record;
	const double n = (double)(first->done + shift);
	const double own = (double)(first->done - first->from);
	const double value = of_time ? first->value : 1 / first->value;
	double from = steps_lines(s, first).record, error;

	/* The running mean before the first step. */
	from = of_time ? from : 1 / from;
	if (n > own)
		from = (n * from - own * value) / (n - own);
	from = of_time ? from : 1 / from;
	error = sum_error(s, first->from + shift, from) +
	    sum_error(s, last->done + shift, record);
	/* A mean that lacks k iterations has the sum (n - k) m. */
	if (unplaced && s->meaning->mean_start == 0 && done > s->spacing)
		error += fabs(of_time ? record - from : 1 / record - 1 / from) *
		    (double)(done - 1);
	return fmax(error, s->units.total);
}

void
window_rounding(const struct steps *s, const struct window *w, int unplaced,
    double *low, double *high)
{
	const int of_time = !s->is_rate || steps_mean_is_plain(s);
	const double total =
	    (double)w->iterations * (of_time ? w->value : 1 / w->value);
	double error = 0;

	*low = *high = NAN;
	if (!has_sums(s))
		return;
	for (size_t p = 0; p < w->n_parts; p++) {
		const struct window_part *part = &w->parts[p];

		error += ends_error(s, part->epoch, &w->steps[part->first],
		    &w->steps[part->end - 1], unplaced);
	}
	error /= total;
	if (error >= 1) {
		*low = 0;
		*high = INFINITY;
		return;
	}
	*low = w->value * (of_time ? 1 - error : 1 / (1 + error));
	*high = w->value * (of_time ? 1 + error : 1 / (1 - error));
}

/* --- The rest of the run ---------------------------------------------------*/

/* Time and iterations of the steps of the window or after it. */
struct stretch {
	double seconds, iterations;
	size_t records;
};

/* Means of successive blocks of records. */
struct blocks {
	double *means; /* [n] */
	size_t n, alloc;
	double sum; /* of the unfinished block */
	size_t records;
};

/* Add the steps of an epoch from the window's start on. Returns the rounding
 * error of their sum. */
static double
add_epoch(const struct steps *s, const struct window *w, size_t epoch,
    size_t block, struct stretch spans[2], struct blocks *blocks)
{
	const struct window_part *front = &w->parts[0];
	const struct window_part *back = &w->parts[w->n_parts - 1];
	const int of_time = !s->is_rate || steps_mean_is_plain(s);
	const int sums = has_sums(s);
	const long start = epoch == front->epoch ? front->from : w->skip;
	struct step_walk walk = steps_walk(s, epoch);
	struct step step, first, last;
	long done = LONG_MIN;

	while (steps_next(&walk, &step)) {
		const double t = of_time ? step.value : 1 / step.value;
		const double n = (double)(step.done - step.from);
		const int after = epoch > back->epoch ||
		    (epoch == back->epoch && step.from >= back->done);

		if (step.empty || step.bad || !isfinite(t) ||
		    step.from < start || step.from < done)
			continue;
		if (sums && done == LONG_MIN)
			first = step;
		if (sums)
			last = step;
		done = step.done;
		spans[after].seconds += t * n;
		spans[after].iterations += n;
		spans[after].records++;
		blocks->sum += t;
		if (++blocks->records < block)
			continue;
		blocks->means = vec_grow(blocks->means, blocks->n,
		    &blocks->alloc, sizeof *blocks->means);
		blocks->means[blocks->n++] = blocks->sum / (double)block;
		blocks->sum = 0;
		blocks->records = 0;
	}
	return done > LONG_MIN && sums ? ends_error(s, epoch, &first, &last, 0)
				       : 0;
}

void
window_compare(const struct steps *s, const struct window *w, size_t block,
    struct window_rest *rest)
{
	struct steps means = *s; /* reads means instead of instants */
	struct stretch spans[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	struct blocks blocks = { .n = 0 };
	double window, after, all, error = 0, low, high, scatter;

	*rest = (struct window_rest){ .off = NAN, .after = NAN };
	if (steps_print_means(s) && s->spacing > 1)
		steps_read_means(&means, 1);
	for (size_t e = w->parts[0].epoch; e < w->end_epoch; e++)
		error += add_epoch(&means, w, e, block, spans, &blocks);
	window = spans[0].seconds / spans[0].iterations;
	after = spans[1].seconds / spans[1].iterations;
	all = (spans[0].seconds + spans[1].seconds) /
	    (spans[0].iterations + spans[1].iterations);
	rest->off = window / all - 1;
	rest->after = window / after - 1;
	if (steps_mean_is_plain(&means)) {
		rest->off = all / window - 1;
		rest->after = after / window - 1;
	}
	rest->error = error / (spans[0].seconds + spans[1].seconds);
	window_rounding(&means, w, 0, &low, &high);
	if (low > 0)
		rest->error += (high - low) / 2 / w->value;
	rest->blocks = blocks.n;
	rest->iterations = spans[1].iterations;
	if (blocks.n > 1) {
		scatter = neighbour_spread(blocks.means, blocks.n) / all *
		    sqrt((double)block);
		rest->window_scatter = scatter / sqrt((double)spans[0].records);
		rest->after_scatter = scatter *
		    sqrt(1 / (double)spans[0].records +
			1 / (double)spans[1].records);
	}
	free(blocks.means);
}

/* Printed value of a counted step. */
static double
printed_value(const struct steps *s, const struct step *step)
{
	return s->points || s->instant ? step->value
				       : steps_lines(s, step).record;
}

double
window_coarseness(const struct steps *s, const struct window *w)
{
	const double alike = s->units.value / 4;
	double usual = NAN; /* the value of most steps, if there is one */
	size_t n = 0;

	if (s->spacing > 1 || s->is_rate || s->by_mean || s->points ||
	    !(s->units.value > 0) || s->meaning->kind != VALUE_STEP_TIME)
		return 0;
	/* Majority vote: two different values cancel each other out. */
	for (size_t i = 0; i < w->n; i++) {
		const double v = printed_value(s, &w->steps[i]);

		if (n == 0)
			usual = v;
		n = n == 0 || fabs(v - usual) < alike ? n + 1 : n - 1;
	}
	n = 0;
	for (size_t i = 0; i < w->n; i++)
		n += fabs(printed_value(s, &w->steps[i]) - usual) < alike;
	return 2 * n > w->n ? s->units.value / 2 : 0;
}

int
window_select(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w, struct exclusion *x)
{
	assert(kind == RULE_WINDOW || kind == RULE_ALL);
	if (kind == RULE_WINDOW && !s->numbered) {
		*w = (struct window){ .n = 0 };
		return exclude(x, remark_plain(REMARK_NO_NUMBERS));
	}
	if (select_steps(s, rule, kind, w) != 0) {
		const long first = s->epochs[0].number;

		return exclude(x,
		    REMARK(REMARK_NO_EPOCH, remark_count(rule->epoch),
			remark_number(
			    first == SAMPLE_NONE ? NAN : (double)first),
			remark_count(s->epochs[s->n_epochs - 1].number)));
	}
	if (kind == RULE_ALL && w->n_parts == 0)
		return exclude(x,
		    REMARK(REMARK_NONE_FROM, remark_count(rule->from_iteration),
			remark_number((double)s->last)));
	if (kind == RULE_WINDOW &&
	    (w->n_parts == 0 || !long_enough(s, rule, w) ||
		w->lost * WINDOW_MAX_LOST_ONE_IN > window_iterations(rule, w)))
		return refuse_short(s, rule, w, x);
	sum_up(s, w);
	if (rule->aggregate != AGGREGATE_TIME) {
		double *values = xcalloc(w->n, sizeof *values);

		for (size_t i = 0; i < w->n; i++)
			values[i] = printed_value(s, &w->steps[i]);
		w->value = rule->aggregate == AGGREGATE_MEDIAN
		    ? stats_median_reorder(values, w->n)
		    : stats_mean(values, w->n);
		free(values);
	}
	w->shortened = rule->shortened;
	w->skip = rule->skip;
	w->end_epoch =
	    rule->epoch_choice == EPOCH_ONE ? w->last_epoch + 1 : s->n_epochs;
	return 0;
}

void
window_release(struct window *w)
{
	free(w->steps);
	free(w->parts);
	*w = (struct window){ .n = 0 };
}
