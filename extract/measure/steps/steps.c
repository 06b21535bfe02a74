#include <config.h>

#include "extract/measure/steps/steps.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "extract/log/log_works.h"

/* --- From samples to a step ------------------------------------------------*/

/* The ranks or nodes that the job has, if values of fewer are to be scaled up;
 * else 0. */
static long
parts_of(const struct steps *s)
{
	if (s->points || !s->is_rate || s->scope == SCOPE_GLOBAL ||
	    s->scope == SCOPE_RANKS)
		return 0;
	return s->scope == SCOPE_NODE ? s->nodes : s->world;
}

/* What the sum of c values is multiplied with to be the job's: 1 / c makes
 * their mean. */
static double
group_factor(const struct steps *s, size_t c)
{
	const long parts = parts_of(s);

	if (!s->is_rate || s->scope == SCOPE_GLOBAL)
		return 1.0 / (double)c;
	if (s->scope == SCOPE_RANKS || parts == RESULT_UNKNOWN)
		return 1.0;
	return (double)parts / (double)c;
}

/* The value of a sample; its line, and whether the value is bad, are noted in
 * the step. */
static double
read_member(
    const struct steps *s, const struct sample_place *place, struct step *out)
{
	const struct sample *x = sample_index_sample(&s->index, place);
	double v = s->by_mean ? x->second : x->value;

	if (s->points)
		v = s->meaning->kind == VALUE_ELAPSED
		    ? x->value
		    : sample_index_stamp(&s->index, place);
	if (out->bad_line == 0 &&
	    (s->points ? !isfinite(v) : !steps_value_ok(v, s->is_rate))) {
		out->bad_line = x->line;
		out->source = (int32_t)place->log;
	}
	if (x->line < out->first_line)
		out->first_line = x->line;
	if (x->line > out->last_line)
		out->last_line = x->line;
	return v;
}

/* Merge a group, the c entries from the i-th on, into one step, whose
 * iterations are filled in later. */
static void
merge_group(const struct steps *s, size_t i, size_t c, struct step *out)
{
	const struct sample_place *first = &s->index.items[i];
	struct stats_sum values = STATS_SUM_INIT, times = STATS_SUM_INIT;
	double slowest = 0;

	*out = (struct step){ .imbalance = NAN,
		.ranks = (int32_t)c,
		.first_line = INT64_MAX,
		.source = (int32_t)first->log,
		.first_entry = i,
		.end_entry = i + c };
	if (c == 1) {
		const double v = read_member(s, first, out);

		out->also_s = sample_index_sample(&s->index, first)->second;
		out->value = (isfinite(v) ? v : NAN) *
		    (s->points ? 1.0 : group_factor(s, 1));
		out->record = out->value;
		return;
	}
	for (const struct sample_place *p = first; p < first + c; p++) {
		const double v = read_member(s, p, out);
		const double t = s->is_rate ? 1 / v : v;

		out->also_s += sample_index_sample(&s->index, p)->second;
		stats_sum_add(&values, v);
		stats_sum_add(&times, t);
		if (t > slowest)
			slowest = t;
	}
	out->also_s /= (double)c;
	out->value = stats_sum_value(&values) *
	    (s->points ? 1.0 / (double)c : group_factor(s, c));
	out->record = out->value;
	if (c > 1 && !s->points)
		out->imbalance =
		    slowest * (double)c / stats_sum_value(&times) - 1;
}

/* Fill in the numbers of a step and the iterations that it covers if it states
 * them or is an instant.
 *
 * i  its first entry */
static void
place_step(const struct steps *s, struct step *step, size_t i,
    const struct steps_epoch *epoch)
{
	const struct sample_place *place = &s->index.items[i];
	const struct sample *sample = sample_index_sample(&s->index, place);

	step->last = step->first = step->printed = place->iter;
	step->done = place->iter - epoch->base + 1 - epoch->start;
	step->from = step->done - 1;
	if (s->instant || s->points || sample->iter_from == SAMPLE_NONE ||
	    s->meaning->statistic != STATISTIC_WINDOW_MEAN)
		return;
	/* "[20-40]": the numbers are bounds, not iterations. */
	step->first = step->printed = sample->iter_from;
	step->done = place->iter - epoch->base - epoch->start;
	step->from = step->first - epoch->base - epoch->start;
	if (step->from >= step->done) { /* "[40-20]" */
		step->from = step->done - 1;
		step->bad_line = sample->line;
	}
}

/* Iterations done before a window that does not state where it starts: those up
 * to the line before it, or as many as the format states. */
static long
window_start(const struct steps *s, const struct step *before, long done)
{
	if (s->meaning->window > 0 &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN)
		return done - s->meaning->window;
	if (before == NULL)
		return 0;
	/* A mean since the last line, of which one was lost, speaks for as many
	 * iterations as the others. */
	if (s->meaning->statistic == STATISTIC_WINDOW_MEAN && s->spacing > 0 &&
	    done - before->done >= 2 * s->spacing &&
	    (done - before->done) % s->spacing == 0)
		return done - s->spacing;
	return before->done;
}

/* The iterations that a step of running or window means covers, if its line
 * does not state their first.
 *
 * before  the step before it in its epoch, or NULL */
static void
place_window(
    const struct steps *s, struct step *step, const struct step *before)
{
	const struct sample *sample =
	    sample_index_sample(&s->index, &s->index.items[step->first_entry]);

	if (s->instant || s->points ||
	    (s->meaning->statistic == STATISTIC_WINDOW_MEAN &&
		sample->iter_from != SAMPLE_NONE))
		return;
	step->from = window_start(s, before, step->done);
	if (step->from < 0)
		step->from = 0;
	step->first = step->last - (step->done - step->from) + 1;
}

/* --- Going along -----------------------------------------------------------*/

/* A run that goes on from a checkpoint: its first window cannot reach back to
 * the start of all. */
static void
trim_first_window(
    const struct steps *s, const struct steps_epoch *epoch, struct step *first)
{
	if (s->instant || s->by_mean ||
	    s->meaning->statistic != STATISTIC_WINDOW_MEAN ||
	    epoch->end - epoch->first < 2 || first->from > 0 ||
	    first->done <= 2 * s->spacing)
		return;
	first->from = first->done - s->spacing;
	first->first = first->last - s->spacing + 1;
}

/* Does the first line of an epoch come so late that its mean is of more
 * iterations than a line's: those before a checkpoint, with the compilation, or
 * of the epochs before?  It is where the next difference begins. */
static int
begins_late(const struct steps_cursor *c, const struct step *first)
{
	const struct steps *s = c->steps;
	const struct steps_epoch *epoch = &s->epochs[c->epoch];

	return (s->meaning->mean_start > 0 && epoch->start > 0) ||
	    (epoch->end - epoch->first > 1 && first->done > 2 * s->spacing);
}

/* A mean since the start of the epoch becomes one since the line before: the
 * difference of the sums. */
static void
difference_mean(struct steps_cursor *c, struct step *step)
{
	/* The plain mean of rates is differenced as a mean of times is. */
	const struct steps *s = c->steps;
	const int is_rate = s->is_rate && !steps_mean_is_plain(s);
	const long shift = steps_mean_shift(s, c->epoch);
	const double n = (double)(step->done + shift);
	const double seconds = is_rate ? n / step->value : n * step->value;
	const double t = (seconds - c->seconds) / (n - c->work);

	if (step->bad_line != 0)
		return; /* the next one reaches over it */
	if (!(n > 0) || (!(c->work > 0) && begins_late(c, step))) {
		step->empty = 1;
		step->value = NAN;
		step->from = step->done - 1;
		step->first = step->last;
	} else {
		step->from = (long)c->work - shift;
		step->value = is_rate ? 1 / t : t;
	}
	if (n > 0) {
		c->work = n;
		c->seconds = seconds;
	}
}

/* A point in time becomes the time since the one before it.
 *
 * before  as it was printed; NULL: there is none */
static void
difference_point(struct step *step, const struct step *before)
{
	if (before == NULL) {
		step->value = NAN;
		step->empty = 1;
		return;
	}
	step->value =
	    (step->value - before->value) / (double)(step->done - before->done);
	step->from = before->done;
	step->first = step->printed = before->last;
	step->first_line = before->first_line;
	if (step->bad_line == 0 && !steps_value_ok(step->value, 0))
		step->bad_line = step->last_line;
}

struct steps_cursor
steps_begin(const struct steps *s, size_t epoch)
{
	const int at_end = epoch == s->n_epochs;

	return (struct steps_cursor){ .steps = s,
		.epoch = epoch,
		.next = at_end ? s->n : s->epochs[epoch].first,
		.entry = at_end ? s->index.n : s->epochs[epoch].entry };
}

/* True if the step lacks ranks that its neighbours have.  Clocks of ranks
 * differ, and so do their means: the step is skipped, and the next one covers
 * it. */
static int
lacks_ranks(const struct steps *s, const struct step *step)
{
	return (s->points || s->by_mean) && step->ranks < s->full;
}

const struct step *
steps_next(struct steps_cursor *c)
{
	const struct steps *s = c->steps;
	const struct step *before;
	struct step printed, *step = &c->step;
	size_t end;

	if (c->next == s->n)
		return NULL;
	if (c->next == s->epochs[c->epoch].end) {
		c->epoch++;
		c->has_before = 0;
		c->work = c->seconds = 0;
	}
	before = c->has_before ? &c->before : NULL;
	end = sample_index_group_end(&s->index, c->entry);
	merge_group(s, c->entry, end - c->entry, step);
	place_step(s, step, c->entry, &s->epochs[c->epoch]);
	c->entry = end;
	c->index = c->next++;
	if (s->instant)
		return step;
	place_window(s, step, before);
	if (lacks_ranks(s, step)) {
		step->empty = 1;
		step->bad_line = 0;
		step->value = NAN;
		return step;
	}
	printed = *step;
	if (before == NULL)
		trim_first_window(s, &s->epochs[c->epoch], step);
	if (s->points)
		difference_point(step, before);
	else if (s->by_mean ||
	    s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		difference_mean(c, step);
	c->before = printed;
	c->has_before = 1;
	return step;
}

/* --- Making ----------------------------------------------------------------*/

/* Number of the first iteration of an epoch: 0 where the log prints one,
 * against what the format states too. */
static long
steps_base(const struct steps *s)
{
	if (!s->index.numbered)
		return s->meaning->base == BASE_AUTO ? 0 : s->meaning->base;
	if (s->meaning->base == BASE_AUTO)
		return !s->index.has_zero;
	return s->index.first_has_zero ? 0 : s->meaning->base;
}

/* Distances between printed iterations: how often each occurs. */
struct distances {
	size_t small[4096];
	long *large; /* [n_large] those above */
	size_t n_large, alloc_large;
};

static void
distances_add(struct distances *d, long distance)
{
	if (distance <= 0)
		return;
	if ((size_t)distance < sizeof d->small / sizeof *d->small) {
		d->small[distance]++;
		return;
	}
	d->large =
	    vec_grow(d->large, d->n_large, &d->alloc_large, sizeof *d->large);
	d->large[d->n_large++] = distance;
}

static int
compare_longs(const void *a, const void *b)
{
	const long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* The most frequent distance, the smallest of those; 0: there is none. */
static long
distances_usual(struct distances *d)
{
	size_t best = 0, run = 0;
	long usual = 0;

	for (size_t i = 1; i < sizeof d->small / sizeof *d->small; i++)
		if (d->small[i] > best) {
			best = d->small[i];
			usual = (long)i;
		}
	if (d->n_large > 1)
		qsort(d->large, d->n_large, sizeof *d->large, compare_longs);
	for (size_t i = 0; i < d->n_large; i++) {
		run = i > 0 && d->large[i] == d->large[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			usual = d->large[i];
		}
	}
	return usual;
}

/* Iterations done before an epoch, by its first sample.
 *
 * start  by those of the epochs before it */
static long
epoch_start(const struct steps *s, const struct sample_place *first, long start)
{
	const int32_t from = sample_index_sample(&s->index, first)->iter_from;
	const long number =
	    from != SAMPLE_NONE && from < first->iter ? from : first->iter;

	if (!s->counts_on)
		return 0;
	/* Numbers that do not run on, whatever the format states. */
	return number - steps_base(s) < start ? number - steps_base(s) : start;
}

/* Count the steps and iterations of the epoch that begins with the i-th sample.
 *
 * Returns the end of its samples. */
static size_t
count_epoch(
    struct steps *s, struct steps_epoch *epoch, size_t i, struct distances *d)
{
	const int32_t number = s->index.items[i].epoch;

	for (; i < s->index.n && s->index.items[i].epoch == number;
	     i = sample_index_group_end(&s->index, i)) {
		const struct sample *sample =
		    sample_index_sample(&s->index, &s->index.items[i]);
		struct step step;

		place_step(s, &step, i, epoch);
		if (s->n++ == 0) {
			s->first_printed = step.printed;
			s->first_done = step.done;
		} else {
			distances_add(d, step.done - s->last_done);
		}
		s->last = step.last;
		s->last_done = step.done;
		if (step.done > epoch->length)
			epoch->length = step.done;
		if (!s->counts_on && sample->iters > epoch->length)
			epoch->length = sample->iters;
	}
	epoch->end = s->n;
	return i;
}

/* Find the epochs, count the steps, and how far apart they are printed. */
static void
count_steps(struct steps *s)
{
	struct distances d = { .large = NULL };
	size_t alloc = 0;
	long start = 0;

	for (size_t i = 0; i < s->index.n;) {
		const struct sample_place *first = &s->index.items[i];
		struct steps_epoch *epoch;

		s->epochs =
		    vec_grow(s->epochs, s->n_epochs, &alloc, sizeof *s->epochs);
		epoch = &s->epochs[s->n_epochs++];
		*epoch = (struct steps_epoch){ s->index.epochs[first->epoch], 0,
			s->n, s->n, i, steps_base(s),
			epoch_start(s, first, start) };
		i = count_epoch(s, epoch, i, &d);
		start += epoch->length;
	}
	s->spacing = distances_usual(&d);
	free(d.large);
	/* Two lines show one distance, which lost lines may have widened: where
	 * the first stands as far from the start as it divides that, it is the
	 * usual one. */
	if (s->n == 2 && s->n_epochs == 1 && s->first_done > 1 &&
	    s->first_done < s->spacing && s->spacing % s->first_done == 0 &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN && !s->points)
		s->spacing = s->first_done;
	if (s->spacing == 0) /* one line an epoch, or in all */
		s->spacing = s->first_done > 0 ? s->first_done : 1;
}

/* Ranks of at least half of the groups, if no group has more; else 0. */
static long
full_ranks(const struct sample_index *r, size_t n_groups)
{
	size_t full = 0, end;

	if (r->most < 2 || r->most >= 255)
		return 0;
	for (size_t i = 0; i < r->n; i = end) {
		end = sample_index_group_end(r, i);
		full += end - i == r->most;
	}
	return 2 * full >= n_groups ? (long)r->most : 0;
}

static void
add_flags(struct steps *s)
{
	const char *of = s->scope == SCOPE_NODE ? "nodes" : "ranks";
	const long parts = parts_of(s);
	struct remark flags[6];

	if (s->index.flag != REMARK_NONE)
		flags[s->n_flags++] = remark_plain(s->index.flag);
	if (s->points && s->index.hours > 0)
		flags[s->n_flags++] = remark_plain(REMARK_CLOCK_SET);
	if (!s->numbered)
		flags[s->n_flags++] = remark_plain(REMARK_UNNUMBERED);
	if (s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN && !s->points)
		flags[s->n_flags++] = remark_plain(REMARK_MEAN_DIFFERENCES);
	if (parts != RESULT_UNKNOWN && (size_t)parts > s->index.least)
		flags[s->n_flags++] =
		    REMARK(REMARK_SCALED_UP, remark_number((double)s->ranks),
			remark_number((double)parts), remark_name(of));
	s->unscaled = parts == RESULT_UNKNOWN;
	if (s->unscaled)
		flags[s->n_flags++] = REMARK(REMARK_COUNT_UNKNOWN,
		    remark_name(of), remark_number((double)s->ranks));
	s->flags = arena_calloc(&s->arena, 6, sizeof *s->flags);
	memcpy(s->flags, flags, s->n_flags * sizeof *flags);
}

static int
exclude_empty(const struct steps *s, struct exclusion *x)
{
	int64_t untimed = 0;

	for (size_t i = 0; i < s->index.n_logs; i++)
		untimed += s->logs[i]->n_untimed;
	return exclude(x,
	    untimed > 0
		? REMARK(REMARK_NO_TIMES, remark_number((double)untimed))
		: remark_plain(REMARK_NO_STEPS));
}

/* All samples, unless the job was started again: then 1 is returned, and tries
 * filled. */
static int
look_for_attempts(
    struct steps *s, const struct steps_source *from, struct exclusion *x)
{
	sample_index_collect(&s->index, s->logs, from->n_logs, NULL, NULL);
	s->numbered = s->index.numbered;
	if (s->index.n == 0)
		return exclude_empty(s, x);
	return sample_index_check(&s->index, from->world, &s->tries, x);
}

/* Of a job that was started again, only the samples of one attempt. */
static int
choose_attempt(
    struct steps *s, const struct steps_source *from, struct exclusion *x)
{
	const size_t *starts;
	int verdict = 1;

	s->attempts = 1;
	if (from->known != NULL) {
		s->tries = *from->known;
		*from->known = (struct attempts){ .n = 0 };
		s->numbered = 1; /* or there were no attempts */
	} else {
		verdict = look_for_attempts(s, from, x);
	}
	if (verdict != 1)
		return verdict;
	assert(from->back < s->tries.n);
	s->attempts = s->tries.n;
	starts = s->tries.starts + (s->tries.n - 1 - from->back) * from->n_logs;
	sample_index_release(&s->index);
	sample_index_collect(
	    &s->index, s->logs, from->n_logs, starts, starts + from->n_logs);
	if (s->index.n == 0)
		return exclude_empty(s, x);
	return sample_index_check(&s->index, from->world, NULL, x);
}

int
steps_make(
    const struct steps_source *from, struct steps *s, struct exclusion *x)
{
	const struct meaning *meaning = from->logs[0]->meaning;

	*s = (struct steps){ .arena = ARENA_INIT,
		.is_rate = meaning->kind == VALUE_RATE,
		.points = meaning->kind == VALUE_STAMP ||
		    meaning->kind == VALUE_ELAPSED,
		.instant = meaning->statistic == STATISTIC_INSTANT,
		.counts_on = meaning->iter_global,
		.meaning = meaning,
		.scope = from->scope >= 0 ? (enum value_scope)from->scope
					  : meaning->scope,
		.world = from->world,
		.nodes = from->nodes };
	s->instant = s->instant && !s->points;
	s->logs = arena_calloc(&s->arena, from->n_logs, sizeof *s->logs);
	for (size_t i = 0; i < from->n_logs; i++) {
		s->logs[i] = from->logs[i];
		log_units_join(&s->units, &from->logs[i]->units);
	}
	if (choose_attempt(s, from, x) != 0)
		return -1;
	s->ranks = (long)s->index.most;
	count_steps(s);
	s->full = full_ranks(&s->index, s->n);
	add_flags(s);
	return 0;
}

void
steps_read_means(struct steps *s, int on)
{
	assert(steps_print_means(s));
	s->by_mean = on;
	s->instant = !on;
}

int
steps_print_means(const struct steps *s)
{
	return s->meaning->second == SECOND_MEAN ||
	    s->meaning->second == SECOND_MEAN_OF_RATES;
}

int
steps_mean_is_plain(const struct steps *s)
{
	return s->by_mean && s->meaning->second == SECOND_MEAN_OF_RATES;
}

long
steps_mean_shift(const struct steps *s, size_t epoch)
{
	const long start = s->meaning->mean_start;

	return start > 0 ? s->epochs[epoch].start - start : 0;
}

long
steps_before_means(const struct steps *s, size_t epoch)
{
	struct steps_cursor c;
	long done;

	if (s->meaning->mean_start > 0)
		return 0;
	c = steps_begin(s, epoch);
	done = steps_next(&c)->done;
	return done > s->spacing ? done - 1 : 0;
}

double
steps_work(const struct steps *s, const struct step *step, const char *key)
{
	return log_works_at(s->logs[step->source], key, step->first_line);
}

void
steps_release(struct steps *s)
{
	sample_index_release(&s->index);
	attempts_release(&s->tries);
	free(s->epochs);
	arena_release(&s->arena);
	*s = (struct steps){ .arena = ARENA_INIT };
}
