#include <config.h>

#include "extract/window.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats.h"

/* What select_steps saw on its way, for messages. */
struct view {
	long total;     /* iterations done at the last step, running */
	long lowest;    /* those done before the first */
	long next_done; /* done behind the first step that starts in the window
	                   or later; LONG_MAX: none */
};

/* Iterations that a step needs to have done before it and may have done behind
 * it are counted for stamps from the stamp before: position k - 1. */
static long
step_start(const struct steps *s, const struct step *step)
{
	return s->points ? step->from - 1 : step->from;
}

static int
step_counts(const struct steps *s, const struct step *step,
    const struct rule *rule, enum rule_kind kind,
    const struct window_part *part, int later)
{
	const long offset = part->offset;

	if (s->points && step == &s->items[s->epochs[part->epoch].first])
		return 0;
	if (kind == RULE_ALL)
		return step->printed + (s->counts_on ? 0 : offset) >=
		    rule->from_iteration;
	if (later && step_start(s, step) < rule->skip)
		return 0;
	return step_start(s, step) + offset >= rule_start(rule) &&
	    step->done + offset <= rule_end(rule);
}

static void
look(const struct steps *s, const struct step *step, const struct rule *rule,
    long offset, struct view *v)
{
	const long start = step_start(s, step) + offset;

	if (step->done + offset > v->total)
		v->total = step->done + offset;
	if (start < v->lowest)
		v->lowest = start;
	if (start >= rule_start(rule) && step->done + offset < v->next_done)
		v->next_done = step->done + offset;
}

/* The steps of one epoch that count. */
static void
select_epoch(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, size_t epoch, long offset, struct window *w,
    struct view *v)
{
	struct window_part part = { 0, 0, epoch, offset };
	const int later = epoch > w->first_epoch;
	size_t i;

	for (i = s->epochs[epoch].first; i < s->epochs[epoch].end; i++) {
		const struct step *step = &s->items[i];

		if (!later || step_start(s, step) >= rule->skip)
			look(s, step, rule, offset, v);
		if (!step_counts(s, step, rule, kind, &part, later))
			continue;
		if (part.end == 0)
			part.first = i;
		part.end = i + 1;
	}
	if (part.end == 0)
		return;
	w->parts =
	    vec_grow(w->parts, w->n_parts, &w->alloc_parts, sizeof *w->parts);
	w->parts[w->n_parts++] = part;
	w->n += part.end - part.first;
}

static int
find_epoch(const struct steps *s, const struct rule *rule, size_t *epoch)
{
	size_t i;

	*epoch = 0;
	if (rule->epoch_choice != EPOCH_ONE)
		return 0;
	for (i = 0; i < s->n_epochs; i++)
		if (s->epochs[i].number == rule->epoch) {
			*epoch = i;
			return 0;
		}
	return -1;
}

/* Go through the epochs that the rule selects. */
static int
select_steps(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w, struct view *v)
{
	long offset = 0;
	size_t e;

	*w = (struct window){ .parts = NULL };
	*v = (struct view){ 0, LONG_MAX, LONG_MAX };
	if (find_epoch(s, rule, &w->first_epoch) != 0)
		return -1;
	for (e = w->first_epoch; e < s->n_epochs; e++) {
		const long skipped =
		    kind == RULE_WINDOW && e > w->first_epoch ? rule->skip : 0;
		const long end = offset + s->epochs[e].length - skipped;

		select_epoch(s, rule, kind, e, offset - skipped, w, v);
		w->last_epoch = e;
		if (rule->epoch_choice == EPOCH_ONE)
			break;
		if (kind == RULE_WINDOW && end >= rule_end(rule))
			break;
		offset = end > offset ? end : offset;
	}
	if (w->n_parts > 0) {
		w->first = &s->items[w->parts[0].first];
		w->last = &s->items[w->parts[w->n_parts - 1].end - 1];
	}
	return 0;
}

/* Does the last step that counts lie at the end of the window? */
static int
long_enough(
    const struct steps *s, const struct rule *rule, const struct window *w)
{
	const long offset = w->parts[w->n_parts - 1].offset;
	const long w1 = rule_end(rule);

	if (w1 == LONG_MAX)
		return 1;
	if (s->instant || s->points) /* position k is done - 1 */
		return w->last->done - 1 + offset >= w1 - s->spacing;
	return w->last->done + offset >= w1 - (w->last->done - w->last->from);
}

static int
admitted(const struct steps *s, const struct rule *rule, enum rule_kind kind,
    const struct window *w)
{
	return w->n_parts > 0 && (kind == RULE_ALL || long_enough(s, rule, w));
}

int
window_admits(
    const struct steps *s, const struct rule *rule, enum rule_kind kind)
{
	struct window w;
	struct view v;
	int yes;

	yes = select_steps(s, rule, kind, &w, &v) == 0 &&
	    admitted(s, rule, kind, &w);
	window_release(&w);
	return yes;
}

static int
admits_train(const struct steps *s, const struct rule *rule, long train)
{
	struct rule other = *rule;

	other.train = train;
	return train > rule->warmup && window_admits(s, &other, RULE_WINDOW);
}

/* Say which option would admit the run; each was tried. */
static void
advise(const struct steps *s, const struct rule *rule, const struct view *v,
    char *buf, size_t size)
{
	struct rule other = *rule;
	const long to_end = v->total - rule->skip;

	buf[0] = '\0';
	if (v->total < rule_end(rule) && admits_train(s, rule, to_end)) {
		snprintf(
		    buf, size, "; --train-batches=%ld would admit it", to_end);
		return;
	}
	other.from_iteration = s->items[0].printed + rule_start(rule);
	if (v->lowest >= rule_end(rule) && window_admits(s, &other, RULE_ALL)) {
		/* It went on from a checkpoint. */
		snprintf(buf, size,
		    "; --rule=all --from-iteration=%ld would admit it",
		    other.from_iteration);
		return;
	}
	if (v->next_done != LONG_MAX &&
	    admits_train(s, rule, v->next_done - rule->skip)) {
		snprintf(buf, size, "; --train-batches=%ld would admit it",
		    v->next_done - rule->skip);
		return;
	}
	other.epoch_choice = EPOCH_AUTO;
	if (rule->epoch_choice == EPOCH_ONE &&
	    window_admits(s, &other, RULE_WINDOW)) {
		snprintf(buf, size, "; --epoch=auto would admit it");
		return;
	}
	if (window_admits(s, rule, RULE_ALL))
		snprintf(buf, size, "; --rule=all would admit it");
}

static int
refuse_short(const struct steps *s, const struct rule *rule,
    const struct view *v, struct exclusion *x)
{
	const long w0 = rule_start(rule), w1 = rule_end(rule);
	char advice[80], where[80];

	advise(s, rule, v, advice, sizeof advice);
	if (w1 == LONG_MAX)
		snprintf(where, sizeof where, "from %ld on", w0);
	else
		snprintf(where, sizeof where, "from %ld to %ld", w0, w1);
	if (v->total < (w1 == LONG_MAX ? w0 : w1))
		return exclude(x, EXCLUDED_SHORT, "has %ld of %ld iterations%s",
		    v->total, w1 == LONG_MAX ? w0 + 1 : w1, advice);
	if (v->lowest >= w1)
		return exclude(x, EXCLUDED_SHORT,
		    "starts at iteration %ld, behind the window %s%s",
		    v->lowest, where, advice);
	return exclude(x, EXCLUDED_SHORT,
	    "prints 1 of %ld iterations and too few in the window %s%s",
	    s->spacing, where, advice);
}

static int
refuse_epoch(
    const struct steps *s, const struct rule *rule, struct exclusion *x)
{
	const long first = s->epochs[0].number;
	const long last = s->epochs[s->n_epochs - 1].number;

	if (first == SAMPLE_NONE)
		return exclude(x, EXCLUDED_NO_EPOCH,
		    "numbers no epochs; without --epoch=%ld it is looked at",
		    rule->epoch);
	return exclude(x, EXCLUDED_NO_EPOCH,
	    "has no epoch %ld, only %ld to %ld", rule->epoch, first, last);
}

/* Total work over total time, in the unit of the steps. */
static double
over_time(const struct steps *s, const struct window *w)
{
	struct stats_sum work = STATS_SUM_INIT, seconds = STATS_SUM_INIT;
	size_t p, i;

	for (p = 0; p < w->n_parts; p++)
		for (i = w->parts[p].first; i < w->parts[p].end; i++) {
			const struct step *step = &s->items[i];
			const double n = (double)(step->done - step->from);

			stats_sum_add(&work, n);
			stats_sum_add(&seconds,
			    s->is_rate ? n / step->value : n * step->value);
		}
	return s->is_rate ? stats_sum_value(&work) / stats_sum_value(&seconds)
			  : stats_sum_value(&seconds) / stats_sum_value(&work);
}

static double
aggregate(
    const struct steps *s, const struct rule *rule, const struct window *w)
{
	double *values, result;
	size_t p, i, n = 0;

	if (rule->aggregate == AGGREGATE_TIME)
		return over_time(s, w);
	values = xcalloc(w->n, sizeof *values);
	for (p = 0; p < w->n_parts; p++)
		for (i = w->parts[p].first; i < w->parts[p].end; i++)
			values[n++] =
			    s->points ? s->items[i].value : s->items[i].record;
	assert(n == w->n);
	result = rule->aggregate == AGGREGATE_MEAN
	    ? stats_mean(values, n)
	    : stats_median_reorder(values, n);
	free(values);
	return result;
}

static long
count_iterations(const struct steps *s, const struct window *w)
{
	long n = 0;
	size_t p, i;

	for (p = 0; p < w->n_parts; p++)
		for (i = w->parts[p].first; i < w->parts[p].end; i++)
			n += s->items[i].done - s->items[i].from;
	return n;
}

int
window_select(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w, struct exclusion *x)
{
	struct view v;

	assert(kind == RULE_WINDOW || kind == RULE_ALL);
	if (kind == RULE_WINDOW && !s->numbered) {
		*w = (struct window){ .parts = NULL };
		return exclude(x, EXCLUDED_NO_STEPS,
		    "numbers no iterations; --rule=all would admit it");
	}
	if (select_steps(s, rule, kind, w, &v) != 0)
		return refuse_epoch(s, rule, x);
	if (!admitted(s, rule, kind, w)) {
		if (kind == RULE_WINDOW)
			return refuse_short(s, rule, &v, x);
		return exclude(x, EXCLUDED_SHORT,
		    "prints no iteration from %ld on, only up to %ld",
		    rule->from_iteration, s->items[s->n - 1].last);
	}
	w->value = aggregate(s, rule, w);
	w->iterations = count_iterations(s, w);
	return 0;
}

void
window_release(struct window *w)
{
	free(w->parts);
	*w = (struct window){ .parts = NULL };
}
