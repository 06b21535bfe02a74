#include <config.h>

#include "extract/measure/window.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/stats/stats_stream.h"

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
step_counts(const struct steps *s, const struct step *step, size_t index,
    const struct rule *rule, enum rule_kind kind,
    const struct window_part *part, int later)
{
	const long offset = part->offset;

	if (s->points && index == s->epochs[part->epoch].first)
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

/* The steps of one epoch that count; the cursor stands before it. */
static void
select_epoch(struct steps_cursor *c, const struct rule *rule,
    enum rule_kind kind, size_t epoch, long offset, struct window *w,
    struct view *v)
{
	const struct steps *s = c->steps;
	struct window_part part = { 0, 0, epoch, offset, 0, 0 };
	const int later = epoch > w->first_epoch;

	while (c->next < s->epochs[epoch].end) {
		const struct step *step = steps_next(c);

		if (!later || step_start(s, step) >= rule->skip)
			look(s, step, rule, offset, v);
		if (!step_counts(s, step, c->index, rule, kind, &part, later))
			continue;
		if (part.end == 0) {
			part.first = c->index;
			part.from = step->from;
			if (w->n_parts == 0)
				w->first = *step;
		}
		part.end = c->index + 1;
		part.done = step->done;
		w->last = *step;
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
	struct steps_cursor c;
	long offset = 0;
	size_t e;

	*w = (struct window){ .parts = NULL };
	*v = (struct view){ 0, LONG_MAX, LONG_MAX };
	if (find_epoch(s, rule, &w->first_epoch) != 0)
		return -1;
	steps_open(s, &c);
	steps_seek(&c, w->first_epoch);
	for (e = w->first_epoch; e < s->n_epochs; e++) {
		const long skipped =
		    kind == RULE_WINDOW && e > w->first_epoch ? rule->skip : 0;
		const long end = offset + s->epochs[e].length - skipped;

		select_epoch(&c, rule, kind, e, offset - skipped, w, v);
		w->last_epoch = e;
		if (rule->epoch_choice == EPOCH_ONE)
			break;
		if (kind == RULE_WINDOW && end >= rule_end(rule))
			break;
		offset = end > offset ? end : offset;
	}
	steps_close(&c);
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
		return w->last.done - 1 + offset >= w1 - s->spacing;
	return w->last.done + offset >= w1 - (w->last.done - w->last.from);
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
	other.from_iteration = s->first_printed + rule_start(rule);
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

void
window_walk_open(
    struct window_walk *walk, const struct steps *s, const struct window *w)
{
	walk->window = w;
	walk->part = 0;
	steps_open(s, &walk->cursor);
	if (w->n_parts > 0)
		steps_seek(&walk->cursor, w->parts[0].epoch);
}

void
window_walk_close(struct window_walk *walk)
{
	steps_close(&walk->cursor);
}

const struct step *
window_walk_next(struct window_walk *walk)
{
	const struct window *w = walk->window;
	const struct step *step;

	if (walk->part == w->n_parts)
		return NULL;
	if (walk->cursor.next == w->parts[walk->part].end) {
		if (++walk->part == w->n_parts)
			return NULL;
		steps_seek(&walk->cursor, w->parts[walk->part].epoch);
	}
	do
		step = steps_next(&walk->cursor);
	while (walk->cursor.index < w->parts[walk->part].first);
	return step;
}

/* What all steps that count have in common; the value is total work over total
 * time, in the unit of the steps. */
static void
sum_up(const struct steps *s, struct window *w)
{
	struct stats_sum work = STATS_SUM_INIT, seconds = STATS_SUM_INIT;
	struct window_walk walk;
	const struct step *step;

	w->iterations = 0;
	window_walk_open(&walk, s, w);
	while ((step = window_walk_next(&walk)) != NULL) {
		const double n = (double)(step->done - step->from);

		w->iterations += step->done - step->from;
		if (step->ranks > w->ranks)
			w->ranks = step->ranks;
		if (step->bad_line != 0 && w->bad.bad_line == 0)
			w->bad = *step;
		stats_sum_add(&work, n);
		stats_sum_add(
		    &seconds, s->is_rate ? n / step->value : n * step->value);
	}
	window_walk_close(&walk);
	w->value = s->is_rate
	    ? stats_sum_value(&work) / stats_sum_value(&seconds)
	    : stats_sum_value(&seconds) / stats_sum_value(&work);
}

/* The values of the steps that count, as printed. */
struct printed {
	const struct steps *steps;
	const struct window *window;
	struct window_walk walk;
	int open;
};

static void
rewind_printed(void *arg)
{
	struct printed *p = arg;

	if (p->open)
		window_walk_close(&p->walk);
	window_walk_open(&p->walk, p->steps, p->window);
	p->open = 1;
}

static size_t
read_printed(void *arg, double *out, size_t max)
{
	struct printed *p = arg;
	const struct step *step;
	size_t n = 0;

	while (n < max && (step = window_walk_next(&p->walk)) != NULL)
		out[n++] = p->steps->points ? step->value : step->record;
	return n;
}

static double
aggregate(
    const struct steps *s, const struct rule *rule, const struct window *w)
{
	struct printed printed = { .steps = s, .window = w };
	const struct stats_stream stream = { rewind_printed, read_printed,
		&printed };
	struct stats_stream_summary sum;
	double result;

	if (rule->aggregate == AGGREGATE_TIME)
		return w->value;
	if (rule->aggregate == AGGREGATE_MEDIAN) {
		result = stats_stream_median(&stream);
	} else {
		stats_stream_summarise(&stream, &sum);
		result = sum.mean;
	}
	window_walk_close(&printed.walk);
	return result;
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
		    rule->from_iteration, s->last);
	}
	sum_up(s, w);
	w->value = aggregate(s, rule, w);
	return 0;
}

void
window_release(struct window *w)
{
	free(w->parts);
	*w = (struct window){ .parts = NULL };
}
