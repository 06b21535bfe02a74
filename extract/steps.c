#include <config.h>

#include "extract/steps.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/result.h"
#include "common/stats.h"
#include "extract/refs.h"

/* All that the functions below hand on to each other. */
struct builder {
	const struct steps_source *from;
	const struct meaning *meaning;
	enum value_scope scope;
	struct refs refs;
	struct steps *s;
	size_t alloc_flags;
	int scaled;   /* a step was scaled up from fewer ranks */
	int unscaled; /* it would have been, but the number is unknown */
};

int
steps_value_ok(double v, int is_rate)
{
	return isfinite(v) && v > 0 &&
	    v <= (is_rate ? STEPS_MAX_RATE : STEPS_MAX_SECONDS);
}

static void
add_flag(struct builder *b, const char *flag)
{
	struct steps *s = b->s;

	s->flags =
	    vec_grow(s->flags, s->n_flags, &b->alloc_flags, sizeof *s->flags);
	s->flags[s->n_flags++] = flag;
}

/* How much of the job a group of c values says, as what they are to be
 * multiplied with: 1 / c is their mean. */
static double
group_factor(struct builder *b, size_t c)
{
	long parts;

	if (!b->s->is_rate || b->scope == SCOPE_GLOBAL)
		return 1.0 / (double)c;
	parts = b->scope == SCOPE_NODE ? b->from->nodes : b->from->world;
	if (parts == RESULT_UNKNOWN) {
		b->unscaled = 1;
		return 1.0;
	}
	if ((size_t)parts > c)
		b->scaled = 1;
	return (double)parts / (double)c;
}

/* The stamp of a sample with its clock's wraps taken back; of an elapsed time
 * that time itself. */
static double
stamp_of(const struct builder *b, const struct ref *ref)
{
	const double stamp = ref->sample.stamp;

	if (b->meaning->kind == VALUE_ELAPSED)
		return ref->sample.value;
	if (ref->wraps == 0)
		return stamp;
	return stamp + ref->wraps * (stamp < 86400.0 ? 86400.0 : 366 * 86400.0);
}

/* The members i to end of a group become one step; its iterations are filled
 * in later. */
static void
merge_group(struct builder *b, size_t i, size_t end, struct step *out)
{
	const size_t c = end - i;
	struct stats_sum sum = STATS_SUM_INIT, times = STATS_SUM_INIT;
	double slowest = 0;

	*out = (struct step){ .ranks = (int32_t)c,
		.imbalance = NAN,
		.first_line = INT64_MAX,
		.source = refs_at(&b->refs, i).source };
	for (; i < end; i++) {
		const struct ref ref = refs_at(&b->refs, i);
		const int64_t line = ref.sample.line;
		double v = ref.sample.value, t;

		if (b->s->points)
			v = stamp_of(b, &ref);
		t = b->s->is_rate ? 1 / v : v;
		if (out->bad_line == 0 &&
		    (b->s->points ? !isfinite(v)
				  : !steps_value_ok(v, b->s->is_rate))) {
			out->bad_line = line;
			out->source = ref.source;
		}
		stats_sum_add(&sum, v);
		stats_sum_add(&times, t);
		if (t > slowest)
			slowest = t;
		if (line < out->first_line)
			out->first_line = line;
		if (line > out->last_line)
			out->last_line = line;
	}
	out->value = stats_sum_value(&sum) *
	    (b->s->points ? 1.0 / (double)c : group_factor(b, c));
	out->record = out->value;
	if (c > 1 && !b->s->points)
		out->imbalance =
		    slowest * (double)c / stats_sum_value(&times) - 1;
	if ((long)c > b->s->ranks)
		b->s->ranks = (long)c;
}

/* Number of the first iteration of the epoch whose refs are i to end. */
static long
find_base(struct builder *b, size_t i, size_t end)
{
	if (b->meaning->base != BASE_AUTO)
		return b->meaning->base;
	if (!b->refs.numbered)
		return 0;
	for (; i < end; i++) {
		const struct ref ref = refs_at(&b->refs, i);

		if (ref.sample.iter == 0 || ref.sample.iter_from == 0)
			return 0;
	}
	return 1;
}

/* Iterations done before a window that does not say where it starts: those up
 * to the line before it, or as many as the format says. */
static long
window_start(const struct builder *b, const struct step *before, long done)
{
	if (b->meaning->window > 0 &&
	    b->meaning->statistic == STATISTIC_WINDOW_MEAN)
		return done - b->meaning->window;
	return before != NULL ? before->done : 0;
}

/* Fill in the iterations of a step.
 *
 * start   iterations done before its epoch, in a log that counts on
 * before  the step before it in its epoch, or NULL */
static void
place_step(const struct builder *b, struct step *step,
    const struct sample *sample, long iter, long base, long start,
    const struct step *before)
{
	const int window = !b->s->instant && !b->s->points;

	step->last = step->first = step->printed = iter;
	step->done = iter - base + 1 - start;
	step->from = step->done - 1;
	if (window && b->meaning->statistic == STATISTIC_WINDOW_MEAN &&
	    sample->iter_from != SAMPLE_NONE) {
		/* "[20-40]": the numbers are bounds, not iterations. */
		step->first = step->printed = sample->iter_from;
		step->done = iter - base - start;
		step->from = step->first - base - start;
		if (step->from >= step->done) { /* "[40-20]" */
			step->from = step->done - 1;
			step->bad_line = sample->line;
		}
		return;
	}
	if (!window)
		return;
	step->from = window_start(b, before, step->done);
	if (step->from < 0)
		step->from = 0;
	step->first = iter - (step->done - step->from) + 1;
}

static void
place_epoch(struct builder *b, size_t i, size_t end, long *start,
    struct steps_epoch *epoch)
{
	struct steps *s = b->s;
	const int on = b->meaning->iter_global;
	const long base =
	    on ? find_base(b, 0, b->refs.n) : find_base(b, i, end);
	const struct step *before = NULL;
	size_t next;

	*epoch =
	    (struct steps_epoch){ b->refs.epochs[refs_at(&b->refs, i).epoch], 0,
		    s->n, s->n };
	for (; i < end; i = next) {
		const struct ref ref = refs_at(&b->refs, i);
		struct step *step = &s->items[s->n++];

		next = refs_group_end(&b->refs, i);
		merge_group(b, i, next, step);
		place_step(b, step, &ref.sample, ref.iter, base,
		    on ? *start : 0, before);
		if (step->done > epoch->length)
			epoch->length = step->done;
		if (!on && ref.sample.iters > epoch->length)
			epoch->length = ref.sample.iters;
		before = step;
	}
	epoch->end = s->n;
	*start += epoch->length;
}

/* The usual distance between printed iterations: the most frequent, the
 * smallest of those. */
static long
find_spacing(const struct steps *s)
{
	double *d;
	size_t i, n = 0, run = 0, best = 0;
	long spacing = 1;

	d = xcalloc(s->n, sizeof *d);
	for (i = 1; i < s->n; i++)
		if (s->items[i].done > s->items[i - 1].done)
			d[n++] =
			    (double)(s->items[i].done - s->items[i - 1].done);
	stats_sort(d, n);
	for (i = 0; i < n; i++) {
		run = i > 0 && d[i] <= d[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			spacing = (long)d[i];
		}
	}
	free(d);
	return spacing;
}

/* A run that goes on from a checkpoint: its first window cannot reach back to
 * the start of all. */
static void
trim_first_windows(struct steps *s)
{
	size_t e;

	for (e = 0; e < s->n_epochs; e++) {
		struct step *first = &s->items[s->epochs[e].first];

		if (s->epochs[e].end - s->epochs[e].first < 2 ||
		    first->from > 0 || first->done <= 2 * s->spacing)
			continue;
		first->from = first->done - s->spacing;
		first->first = first->last - s->spacing + 1;
	}
}

/* Means since the start of the epoch become means since the line before:
 * differences of the sums. */
static void
difference_means(struct steps *s, const struct steps_epoch *epoch)
{
	double work = 0, seconds = 0; /* up to the step before */
	size_t i;

	for (i = epoch->first; i < epoch->end; i++) {
		struct step *step = &s->items[i];
		const double n = (double)step->done;
		const double seconds_now =
		    s->is_rate ? n / step->value : n * step->value;
		const double t = (seconds_now - seconds) / (n - work);

		if (step->bad_line != 0)
			continue; /* the next one reaches over it */
		step->from = (long)work;
		step->value = s->is_rate ? 1 / t : t;
		work = n;
		seconds = seconds_now;
	}
}

/* Points in time become the times between them. */
static void
difference_points(struct steps *s, struct steps_epoch *epoch)
{
	size_t i;

	/* From the end, because each stamp is needed twice. */
	for (i = epoch->end; i-- > epoch->first;) {
		struct step *step = &s->items[i];
		const struct step *before = step - 1;

		if (i == epoch->first) {
			step->value = NAN;
			continue;
		}
		step->value = (step->value - before->value) /
		    (double)(step->done - before->done);
		step->from = before->done;
		step->first = step->printed = before->last;
		step->first_line = before->first_line;
		if (step->bad_line == 0 && !steps_value_ok(step->value, 0))
			step->bad_line = step->last_line;
	}
}

static void
difference(struct builder *b)
{
	size_t e;

	for (e = 0; e < b->s->n_epochs; e++) {
		if (b->s->points)
			difference_points(b->s, &b->s->epochs[e]);
		else if (b->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
			difference_means(b->s, &b->s->epochs[e]);
	}
}

/* The index behind the samples of the epoch that begins at i. */
static size_t
epoch_end(struct builder *b, size_t i)
{
	const int32_t epoch = refs_at(&b->refs, i).epoch;

	while (i < b->refs.n && refs_at(&b->refs, i).epoch == epoch)
		i++;
	return i;
}

static void
place_all(struct builder *b)
{
	struct steps *s = b->s;
	size_t i, end;
	long start = 0;

	s->items = xcalloc(b->refs.n, sizeof *s->items);
	s->epochs = xcalloc(b->refs.n_epochs, sizeof *s->epochs);
	for (i = 0; i < b->refs.n; i = end) {
		end = epoch_end(b, i);
		place_epoch(b, i, end, &start, &s->epochs[s->n_epochs++]);
	}
	s->spacing = find_spacing(s);
	if (!s->instant && b->meaning->statistic == STATISTIC_WINDOW_MEAN)
		trim_first_windows(s);
}

static void
tell(struct builder *b)
{
	if (b->refs.flag != NULL)
		add_flag(b, b->refs.flag);
	if (!b->s->numbered)
		add_flag(b, "iterations are not numbered: records counted");
	if (b->meaning->statistic == STATISTIC_CUMULATIVE_MEAN && !b->s->points)
		add_flag(b, "differences of running means");
	if (b->scaled)
		add_flag(b,
		    arena_printf(&b->s->arena, "scaled up from %ld to %ld %s",
			b->s->ranks,
			b->scope == SCOPE_NODE ? b->from->nodes
					       : b->from->world,
			b->scope == SCOPE_NODE ? "nodes" : "ranks"));
	if (b->unscaled)
		add_flag(b,
		    arena_printf(&b->s->arena,
			"number of %s unknown: sum over the %ld that printed",
			b->scope == SCOPE_NODE ? "nodes" : "ranks",
			b->s->ranks));
}

int
steps_make(
    const struct steps_source *from, struct steps *s, struct exclusion *x)
{
	const struct meaning *meaning = from->logs[0]->meaning;
	struct builder b = { .from = from,
		.meaning = meaning,
		.s = s,
		.scope = from->scope >= 0 ? (enum value_scope)from->scope
					  : meaning->scope };
	int outcome = -1;

	*s = (struct steps){ .arena = ARENA_INIT,
		.is_rate = meaning->kind == VALUE_RATE,
		.points = meaning->kind == VALUE_STAMP ||
		    meaning->kind == VALUE_ELAPSED,
		.instant = meaning->statistic == STATISTIC_INSTANT };
	s->instant = s->instant && !s->points;
	s->counts_on = meaning->iter_global;
	refs_collect(&b.refs, from->logs, from->n_logs);
	s->numbered = b.refs.numbered;
	if (b.refs.n == 0)
		exclude(x, EXCLUDED_NO_STEPS, "no iteration is printed in it");
	else if (refs_check(&b.refs, from->world, x) == 0) {
		place_all(&b);
		difference(&b);
		tell(&b);
		outcome = 0;
	}
	refs_release(&b.refs);
	return outcome;
}

void
steps_release(struct steps *s)
{
	free(s->items);
	free(s->epochs);
	free(s->flags);
	arena_release(&s->arena);
	*s = (struct steps){ .arena = ARENA_INIT };
}
