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
#include "extract/log/log.h"

enum {
	DAY_S = 86400,
	LEAP_YEAR_S = 366 * DAY_S,
	HOUR_S = 3600,
	/* With steps further apart, jumps of an hour are not recognised. */
	MAX_DISTANCE_S = 60,
	/* With more jumps, the clocks of ranks differ by an hour. */
	MAX_HOURS = 4
};

/* Stamps below this are in 1972, which stands for an unknown year. */
#define YEARLESS_END_S (3.0 * 365 * DAY_S + 1.0 * DAY_S)

/* --- Epochs by their numbers -----------------------------------------------*/

static int
is_epoch(const void *epochs, size_t i, const void *number)
{
	return ((const int32_t *)epochs)[i] == *(const int32_t *)number;
}

static size_t
epoch_find(const struct sample_index *r, int32_t number)
{
	return hash_index_find(&r->by_number,
	    hash_bytes(0, &number, sizeof number), is_epoch, r->epochs,
	    &number);
}

int32_t
sample_index_epoch(const struct sample_index *r, int32_t number, int32_t last)
{
	/* Successive lines usually have the same epoch. */
	if (r->epochs[last] == number)
		return last;
	return (int32_t)epoch_find(r, number);
}

/* --- Clocks ----------------------------------------------------------------*/

static void
release_stamps(struct sample_index *r)
{
	for (size_t i = 0; r->stamps != NULL && i < r->n_logs; i++)
		free(r->stamps[i]);
	free(r->stamps);
	r->stamps = NULL;
}

/* Correct clocks that wrap around at midnight or new year, or change by an hour
 * when daylight saving begins or ends: a jump of an hour, to within a few
 * steps, rarely has another cause. Ranks that overtake each other step back by
 * seconds only. After a wrap, a rank still in the old day seems a whole period
 * ahead and is shifted back.
 *
 * hours  1: also correct jumps of an hour
 *
 * Sets r->hours to the most jumps of a log. Returns 1 if any stamp was
 * corrected. */
static int
follow_clocks(struct sample_index *r, int hours)
{
	int shifted = 0;

	r->hours = 0;
	for (size_t i = 0; i < r->n_logs; i++) {
		const struct sample_store *all = &r->logs[i]->samples;
		double before = NAN; /* previous stamp, corrected */
		double distance = 0; /* last difference below MAX_DISTANCE_S */
		double shift = 0;    /* correction to add to a stamp */
		int32_t jumps = 0;

		for (size_t k = 0; k < all->n; k++) {
			const double stamp = all->items[k].stamp;
			/* Seconds after which such a clock wraps around. */
			const double period = stamp < DAY_S ? DAY_S
			    : stamp < YEARLESS_END_S        ? LEAP_YEAR_S
							    : 0;
			const double d = stamp + shift - before;

			if (period > 0 && d < -period / 2) {
				shift += period;
			} else if (period > 0 && shift >= period &&
			    d > period / 2) {
				shift -= period;
			} else if (hours && distance > 0 &&
			    fabs(fabs(d) - HOUR_S) < fmax(5 * distance, 2)) {
				shift -= d > 0 ? HOUR_S : -HOUR_S;
				jumps++;
			} else if (d > 0 && d < MAX_DISTANCE_S) {
				distance = d;
			}
			if (!isnan(stamp))
				before = stamp + shift;
			shifted |= fabs(shift) > 0;
			r->stamps[i][k] = stamp + shift;
		}
		r->hours = jumps > r->hours ? jumps : r->hours;
	}
	return shifted;
}

/* --- Order -----------------------------------------------------------------*/

static int
place_order(const void *a, const void *b)
{
	const struct sample_place *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->iter != y->iter)
		return x->iter < y->iter ? -1 : 1;
	if (x->log != y->log)
		return x->log < y->log ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Find the epochs of a log and what all its samples have in common. Returns 1
 * if each iteration comes after those of the lines before. */
static int
examine_log(struct sample_index *r, size_t log)
{
	const struct sample *items = r->logs[log]->samples.items;
	int32_t epoch = 0, last_epoch = -1, last_iter = 0;
	int ascends = 1;

	for (size_t i = r->from[log]; i < r->to[log]; i++) {
		const struct sample *x = &items[i];

		if (r->n_epochs == 0 || r->epochs[epoch] != x->epoch)
			epoch = (int32_t)epoch_find(r, x->epoch);
		if (epoch < 0) {
			epoch = (int32_t)r->n_epochs++;
			r->epochs = vec_grow(r->epochs, (size_t)epoch,
			    &r->alloc_epochs, sizeof *r->epochs);
			r->epochs[epoch] = x->epoch;
			hash_index_add(&r->by_number,
			    hash_bytes(0, &x->epoch, sizeof x->epoch),
			    (size_t)epoch);
		}
		if (epoch <= last_epoch &&
		    (epoch < last_epoch || x->iter <= last_iter))
			ascends = 0;
		last_epoch = epoch;
		last_iter = x->iter;
		if (x->iter == SAMPLE_NONE)
			r->numbered = 0;
		if (x->iter == 0 || x->iter_from == 0) {
			r->has_zero = 1;
			r->first_has_zero |= epoch == 0;
		}
		if (x->rank == SAMPLE_NONE)
			r->labelled = 0;
		else if (x->rank > r->max_label)
			r->max_label = x->rank;
	}
	return ascends;
}

/* Set the places of the samples; without numbers, lines count from 0. */
static void
sort_places(struct sample_index *r)
{
	struct sample_place *p = xreallocarray(NULL, r->n, sizeof *p);
	int32_t epoch = 0;
	int sorted = 1;

	r->items = p;
	for (size_t log = 0; log < r->n_logs; log++)
		for (size_t i = r->from[log]; i < r->to[log]; i++) {
			const struct sample *x =
			    &r->logs[log]->samples.items[i];

			epoch = r->numbered
			    ? sample_index_epoch(r, x->epoch, epoch)
			    : 0;
			*p++ = (struct sample_place){ epoch,
				r->numbered ? x->iter
					    : (int32_t)(i - r->from[log]),
				(uint32_t)log, (uint32_t)i };
			sorted &=
			    p - r->items < 2 || place_order(p - 2, p - 1) < 0;
		}
	if (!sorted)
		qsort(r->items, r->n, sizeof *r->items, place_order);
	for (size_t i = 0; i < r->n; i++)
		r->items[i].epoch = r->epochs[r->items[i].epoch];
}

void
sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to)
{
	int ascends = n_logs == 1;

	*r = (struct sample_index){ .logs = logs,
		.n_logs = n_logs,
		.numbered = 1,
		.labelled = 1,
		.max_label = -1,
		.most = 1,
		.least = 1 };
	r->from = xcalloc(n_logs, sizeof *r->from);
	r->to = xcalloc(n_logs, sizeof *r->to);
	for (size_t i = 0; i < n_logs; i++) {
		r->from[i] = from != NULL ? from[i] : 0;
		r->to[i] = to != NULL ? to[i] : logs[i]->samples.n;
		r->n += r->to[i] - r->from[i];
	}
	for (size_t i = 0; i < n_logs; i++)
		ascends &= examine_log(r, i);
	if (n_logs > 1) {
		r->labelled = 1;
		r->max_label = (int32_t)n_logs - 1;
	}
	if (r->n > 0 && !ascends && (r->numbered || n_logs > 1)) {
		sort_places(r);
		r->least = SIZE_MAX;
		for (size_t i = 0, end; i < r->n; i = end) {
			end = sample_index_group_end(r, i);
			r->most = end - i > r->most ? end - i : r->most;
			r->least = end - i < r->least ? end - i : r->least;
		}
	}
	if (logs[0]->meaning->kind != VALUE_STAMP &&
	    logs[0]->meaning->kind != VALUE_ELAPSED)
		return;
	r->stamps = xcalloc(n_logs, sizeof *r->stamps);
	for (size_t i = 0; i < n_logs; i++)
		r->stamps[i] = xcalloc(logs[i]->samples.n, sizeof **r->stamps);
	if (!follow_clocks(r, 1) ||
	    (r->hours > MAX_HOURS && !follow_clocks(r, 0)))
		release_stamps(r);
}

void
sample_index_release(struct sample_index *r)
{
	release_stamps(r);
	free(r->items);
	free(r->from);
	free(r->to);
	hash_index_release(&r->by_number);
	free(r->epochs);
	*r = (struct sample_index){ .n = 0 };
}

/* --- From samples to a step ------------------------------------------------*/

/* Ranks or nodes of the job if values of fewer must be scaled up; else 0. */
static long
parts_of(const struct steps *s)
{
	if (s->points || !s->is_rate || s->scope == SCOPE_GLOBAL ||
	    s->scope == SCOPE_RANKS)
		return 0;
	return s->scope == SCOPE_NODE ? s->nodes : s->world;
}

/* Factor from the sum of c values to the value of the job; 1 / c for a mean. */
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

static double
sample_value(const struct steps *s, const struct sample_place *place)
{
	const struct sample *x = sample_index_sample(&s->index, place);

	if (s->points && s->meaning->kind != VALUE_ELAPSED)
		return sample_index_stamp(&s->index, place);
	return s->by_mean ? x->second : x->value;
}

static int
is_bad_value(const struct steps *s, double v)
{
	return s->points ? !isfinite(v) : !steps_value_ok(v, s->is_rate);
}

/* Merge the lines of a group: c entries from index i on. */
static struct step_lines
merge_group(const struct steps *s, size_t i, size_t c)
{
	const struct sample_place first = sample_index_place(&s->index, i);
	struct stats_sum values = STATS_SUM_INIT, times = STATS_SUM_INIT;
	struct step_lines out = {
		.imbalance = NAN, .first_line = INT64_MAX, .source = first.log
	};
	const double factor = s->points ? 1.0 / (double)c : group_factor(s, c);
	double slowest = 0, sum;

	for (size_t k = i; k < i + c; k++) {
		const struct sample_place p = sample_index_place(&s->index, k);
		const struct sample *x = sample_index_sample(&s->index, &p);
		const double v = sample_value(s, &p);

		if (out.bad_line == 0 && is_bad_value(s, v)) {
			out.bad_line = x->line;
			out.source = p.log;
		}
		if (x->line < out.first_line)
			out.first_line = x->line;
		if (x->line > out.last_line)
			out.last_line = x->line;
		out.second += x->second;
		stats_sum_add(&values, v);
		stats_sum_add(&times, s->is_rate ? 1 / v : v);
		slowest = fmax(slowest, s->is_rate ? 1 / v : v);
	}
	out.second /= (double)c;
	sum = stats_sum_value(&values);
	if (!s->points && c > 1)
		out.imbalance =
		    slowest * (double)c / stats_sum_value(&times) - 1;
	out.record = (isfinite(sum) ? sum : NAN) * factor;
	return out;
}

/* True if the line prints the bounds of its window, such as "[20-40]". */
static int
states_bounds(const struct steps *s, const struct sample *x)
{
	return !s->instant && !s->points && x->iter_from != SAMPLE_NONE &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN;
}

static const struct sample *
first_sample(const struct steps *s, const struct step *step)
{
	const struct sample_place p =
	    sample_index_place(&s->index, step->entry);

	return sample_index_sample(&s->index, &p);
}

/* Set the iterations of a step: those of the window if its line prints bounds,
 * else only the printed one. */
static void
place_step(const struct steps *s, struct step *step,
    const struct steps_epoch *epoch, const struct sample *sample, int32_t iter)
{
	step->empty = step->bad = 0;
	step->last = iter;
	step->done = (int32_t)(iter - epoch->base + 1 - epoch->start);
	step->from = step->done - 1;
	if (!states_bounds(s, sample))
		return;
	/* Bounds are counts of iterations done, not iteration numbers. */
	step->done--;
	step->from = (int32_t)(sample->iter_from - epoch->base - epoch->start);
	if (step->from >= step->done) { /* "[40-20]" */
		step->from = step->done - 1;
		step->bad = 1;
	}
}

/* Iterations done before a window without a printed start: those up to the
 * previous line, or the number given by the format. */
static long
window_start(const struct steps *s, const struct step_walk *before, long done)
{
	if (s->meaning->window > 0 &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN)
		return done - s->meaning->window;
	if (!before->begun)
		return 0;
	/* After lost lines, a mean since the last line covers the usual number
	 * of iterations. */
	if (s->meaning->statistic == STATISTIC_WINDOW_MEAN && s->spacing > 0 &&
	    done - before->done >= 2 * s->spacing &&
	    (done - before->done) % s->spacing == 0)
		return done - s->spacing;
	return before->done;
}

/* Convert a mean since the start of the epoch to one since the previous line by
 * the difference of the sums. */
static void
difference_mean(struct step_walk *b, struct step *step)
{
	const struct steps *s = b->steps;
	/* Plain means of rates are differenced like means of times. */
	const int is_rate = s->is_rate && !steps_mean_is_plain(s);
	const long shift = steps_mean_shift(s, (size_t)(b->epoch - s->epochs));
	const double n = (double)(step->done + shift);
	const double seconds = is_rate ? n / step->value : n * step->value;
	const double t = (seconds - b->seconds) / (n - b->work);
	/* The mean on an epoch's first line may include earlier epochs, or
	 * iterations before a checkpoint and the compilation. Differences start
	 * after that line. */
	const int late = (s->meaning->mean_start > 0 && b->epoch->start > 0) ||
	    (b->epoch->n > 1 && step->done > 2 * s->spacing);

	if (step->bad)
		return; /* covered by the next difference */
	if (!(n > 0) || (!(b->work > 0) && late)) {
		step->empty = 1;
		step->value = NAN;
		step->from = step->done - 1;
	} else {
		step->from = (int32_t)((long)b->work - shift);
		step->value = is_rate ? 1 / t : t;
	}
	if (n > 0) {
		b->work = n;
		b->seconds = seconds;
	}
}

/* Convert a point in time to the time since the previous one. */
static void
difference_point(const struct step_walk *b, struct step *step)
{
	if (!b->begun) {
		step->value = NAN;
		step->empty = 1;
		return;
	}
	step->value =
	    (step->value - b->record) / (double)(step->done - b->done);
	step->from = b->done;
	step->line = b->line;
	/* A clock may stand still between two lines. */
	step->bad |= step->value != 0 && !steps_value_ok(step->value, 0);
}

struct step_walk
steps_walk(const struct steps *s, size_t epoch)
{
	return (struct step_walk){ .steps = s,
		.epoch = &s->epochs[epoch],
		.entry = s->epochs[epoch].first,
		.factor = s->points ? 1 : group_factor(s, 1) };
}

int
steps_next(struct step_walk *b, struct step *step)
{
	const struct steps *s = b->steps;
	const struct sample *sample;
	struct sample_place place;
	uint32_t line;
	double record;
	size_t end;

	if (b->entry == b->epoch->end)
		return 0;
	place = sample_index_place(&s->index, b->entry);
	sample = sample_index_sample(&s->index, &place);
	end = sample_index_group_end(&s->index, b->entry);
	step->entry = (uint32_t)b->entry;
	step->ranks = (unsigned)(end - b->entry) & STEPS_MAX_RANKS;
	place_step(s, step, b->epoch, sample, place.iter);
	if (end - b->entry == 1) { /* as merge_group, but fast */
		const double v = sample_value(s, &place);

		record = (isfinite(v) ? v : NAN) * b->factor;
		line = sample->line;
		step->bad |= is_bad_value(s, v);
	} else {
		const struct step_lines lines =
		    merge_group(s, b->entry, end - b->entry);

		record = lines.record;
		line = (uint32_t)lines.first_line;
		step->bad |= lines.bad_line != 0;
	}
	step->value = record;
	step->line = line;
	b->entry = end;
	if (s->instant)
		return 1;
	if (!s->points && !states_bounds(s, sample)) {
		const long from = window_start(s, b, step->done);

		step->from = from > 0 ? (int32_t)from : 0;
	}
	/* Ranks differ in their clocks and means: skip a step that lacks ranks;
	 * the next one covers it. */
	if ((s->points || s->by_mean) && step->ranks < s->full) {
		step->empty = 1;
		step->bad = 0;
		step->value = NAN;
		return 1;
	}
	/* The first window of a resumed run cannot reach back to the start. */
	if (!b->begun && !s->by_mean &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN && b->epoch->n > 1 &&
	    step->from <= 0 && step->done > 2 * s->spacing)
		step->from = step->done - (int32_t)s->spacing;
	if (s->points)
		difference_point(b, step);
	else if (s->by_mean ||
	    s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		difference_mean(b, step);
	b->begun = 1;
	b->done = step->done;
	b->record = record;
	b->line = line;
	return 1;
}

struct step_lines
steps_lines(const struct steps *s, const struct step *step)
{
	struct step_lines lines = merge_group(s, step->entry, step->ranks);

	if (step->bad && lines.bad_line == 0)
		lines.bad_line = lines.last_line;
	return lines;
}

long
steps_first(const struct steps *s, const struct step *step)
{
	const struct sample *sample = first_sample(s, step);

	return states_bounds(s, sample)
	    ? sample->iter_from
	    : step->last - (step->done - step->from) + !s->points;
}

long
steps_printed(const struct steps *s, const struct step *step)
{
	return s->points || states_bounds(s, first_sample(s, step))
	    ? steps_first(s, step)
	    : step->last;
}

/* --- Making ----------------------------------------------------------------*/

/* Number of the first iteration of an epoch: 0 if the log prints a 0, even if
 * the format says 1. */
static long
steps_base(const struct steps *s)
{
	if (!s->index.numbered)
		return s->meaning->base == BASE_AUTO ? 0 : s->meaning->base;
	if (s->meaning->base == BASE_AUTO)
		return !s->index.has_zero;
	return s->index.first_has_zero ? 0 : s->meaning->base;
}

/* Frequencies of the distances between printed iterations. */
struct distances {
	size_t small[256], n_small; /* by distance; the largest, plus 1 */
	double *large;              /* [n_large] larger distances */
	size_t n_large, alloc_large;
};

/* Usual distance between printed steps: the most frequent one, the smallest in
 * case of a tie. */
static long
usual_spacing(const struct steps *s, struct distances *d)
{
	const long first = s->epochs[0].first_done;
	size_t best = 0, run = 0;
	long usual = 0;

	for (size_t i = 1; i < d->n_small; i++)
		if (d->small[i] > best) {
			best = d->small[i];
			usual = (long)i;
		}
	stats_sort(d->large, d->n_large);
	for (size_t i = 0; i < d->n_large; i++) {
		run = i > 0 && d->large[i] == d->large[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			usual = (long)d->large[i];
		}
	}
	if (usual == 0) /* one line per epoch, or one line */
		return first > 0 ? first : 1;
	/* Two lines have one distance, which lost lines may have widened. If
	 * the first line's distance from the start divides it, use that. */
	return s->n == 2 && s->n_epochs == 1 && first > 1 && first < usual &&
		usual % first == 0 &&
		s->meaning->statistic == STATISTIC_WINDOW_MEAN && !s->points
	    ? first
	    : usual;
}

/* Find the epochs and the usual spacing. */
static void
find_epochs(struct steps *s)
{
	const struct sample_index *r = &s->index;
	struct distances d = { .large = NULL };
	struct steps_epoch *epoch = NULL;
	size_t alloc = 0, full = 0, end;
	const long base = steps_base(s);
	long start = 0; /* iterations of the previous epochs */

	for (size_t i = 0; i < r->n; i = end) {
		const struct sample_place place = sample_index_place(r, i);
		const struct sample *sample = sample_index_sample(r, &place);
		const int32_t from = sample->iter_from;
		struct step step;
		long distance;

		if (epoch == NULL || place.epoch != epoch->number) {
			const long done =
			    (from != SAMPLE_NONE && from < place.iter
				    ? from
				    : place.iter) -
			    base;

			start += epoch != NULL ? epoch->length : 0;
			s->epochs = vec_grow(
			    s->epochs, s->n_epochs, &alloc, sizeof *s->epochs);
			epoch = &s->epochs[s->n_epochs++];
			/* Some logs restart at 0 although their format counts
			 * on. */
			*epoch = (struct steps_epoch){ .number = place.epoch,
				.first = i,
				.base = base,
				.start = !s->counts_on ? 0
				    : done < start     ? done
						       : start };
		}
		end = sample_index_group_end(r, i);
		full += end - i == r->most;
		place_step(s, &step, epoch, sample, place.iter);
		distance = s->n > 0 ? step.done - s->last_done : 0;
		if (distance >= (long)(sizeof d.small / sizeof *d.small)) {
			d.large = vec_grow(d.large, d.n_large, &d.alloc_large,
			    sizeof *d.large);
			d.large[d.n_large++] = (double)distance;
		} else if (distance > 0) {
			d.small[distance]++;
			if ((size_t)distance >= d.n_small)
				d.n_small = (size_t)distance + 1;
		}
		if (epoch->n == 0)
			epoch->first_done = step.done;
		s->last = step.last;
		s->last_done = step.done;
		if (step.done > epoch->length)
			epoch->length = step.done;
		if (!s->counts_on && sample->iters > epoch->length)
			epoch->length = sample->iters;
		epoch->end = end;
		epoch->n++;
		s->n++;
	}
	s->spacing = usual_spacing(s, &d);
	free(d.large);
	/* Smaller groups lack ranks if half of all have maximum size. */
	s->full =
	    r->most >= 2 && r->most < 255 && 2 * full >= s->n ? r->most : 0;
}

/* Make the steps of one attempt, or of all samples if starts is NULL. */
static int
make_attempt(struct steps *s, const size_t *starts, struct exclusion *x)
{
	const char *of = s->scope == SCOPE_NODE ? "nodes" : "ranks";
	const long parts = parts_of(s);
	struct remark *flags = arena_calloc(&s->arena, 6, sizeof *flags);
	const size_t n = s->n_logs;
	const int known = starts != NULL;
	int64_t untimed = 0;
	int verdict;

	sample_index_release(&s->index);
	sample_index_collect(
	    &s->index, s->logs, n, starts, known ? starts + n : NULL);
	for (size_t i = 0; i < n; i++)
		untimed += s->logs[i]->n_untimed;
	if (s->index.n == 0)
		return exclude(x,
		    untimed > 0 ? REMARK(REMARK_NO_TIMES, remark_count(untimed))
				: remark_plain(REMARK_NO_STEPS));
	verdict = sample_index_check(
	    &s->index, s->world, &s->arena, known ? NULL : &s->tries, x);
	if (verdict != 0)
		return verdict;
	free(s->epochs);
	s->epochs = NULL;
	s->n = s->n_epochs = 0;
	s->numbered = s->index.numbered;
	s->ranks = (long)s->index.most;
	find_epochs(s);
	s->flags = flags;
	s->n_flags = 0;
	if (s->index.flag != REMARK_NONE)
		flags[s->n_flags++] = remark_plain(s->index.flag);
	if (s->points && s->index.hours > 0)
		flags[s->n_flags++] = remark_plain(REMARK_CLOCK_SET);
	if (!s->numbered)
		flags[s->n_flags++] = remark_plain(REMARK_UNNUMBERED);
	if (s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN && !s->points)
		flags[s->n_flags++] = remark_plain(REMARK_MEAN_DIFFERENCES);
	if (parts != RESULT_UNKNOWN && (size_t)parts > s->index.least)
		flags[s->n_flags++] = s->ranks == 1
		    ? REMARK(REMARK_SCALED_FROM_ONE, remark_count(parts),
			  remark_name(of))
		    : REMARK(REMARK_SCALED_UP, remark_count(s->ranks),
			  remark_count(parts), remark_name(of));
	s->unscaled = parts == RESULT_UNKNOWN;
	if (s->unscaled)
		flags[s->n_flags++] = REMARK(REMARK_COUNT_UNKNOWN,
		    remark_name(of), remark_count(s->ranks));
	return 0;
}

int
steps_make(const struct log *const *logs, size_t n_logs, long world, long nodes,
    int scope, struct steps *s, struct exclusion *x)
{
	const struct meaning *meaning = logs[0]->meaning;
	int verdict;

	*s = (struct steps){ .arena = ARENA_INIT,
		.is_rate = meaning->kind == VALUE_RATE,
		.points = meaning->kind == VALUE_STAMP ||
		    meaning->kind == VALUE_ELAPSED,
		.instant = meaning->statistic == STATISTIC_INSTANT,
		.counts_on = meaning->iter_global,
		.meaning = meaning,
		.scope = scope >= 0 ? (enum value_scope)scope : meaning->scope,
		.world = world,
		.nodes = nodes,
		.n_logs = n_logs,
		.attempts = 1 };
	s->instant = s->instant && !s->points;
	s->logs = arena_calloc(&s->arena, s->n_logs, sizeof *s->logs);
	for (size_t i = 0; i < s->n_logs; i++) {
		s->logs[i] = logs[i];
		log_units_join(&s->units, &logs[i]->units);
	}
	verdict = make_attempt(s, NULL, x);
	if (verdict != 1)
		return verdict;
	s->attempts = s->tries.n;
	return steps_take_attempt(s, s->attempts - 1, x);
}

int
steps_take_attempt(struct steps *s, size_t attempt, struct exclusion *x)
{
	assert(attempt < s->tries.n);
	return make_attempt(s, s->tries.starts + attempt * s->n_logs, x);
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

double
steps_work(const struct steps *s, const struct step *step, const char *key)
{
	const uint32_t log = sample_index_place(&s->index, step->entry).log;

	return log_works_at(s->logs[log], key, step->line);
}

void
steps_release(struct steps *s)
{
	sample_index_release(&s->index);
	free(s->epochs);
	arena_release(&s->arena);
	*s = (struct steps){ .arena = ARENA_INIT };
}
