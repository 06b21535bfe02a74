/* Classify repeated iterations: ranks, a restart, or a stalled counter. Find
 * the attempts of a restarted job. */
#include <config.h>

#include "extract/measure/steps/steps.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/result/result.h"

enum {
	/* Larger labels are not ranks and are not distinguished. */
	MAX_LABEL = 1 << 20,
	MAX_STREAMS = 1 << 16,
	/* At most one iteration in this many may lack lines of some ranks. */
	RAGGED_ONE_IN = 20,
	/* A stalled counter still advances at least once in this many lines. */
	STILL_MOVES_ONE_IN = 10,
	MIN_FALL = 3, /* minimum number of lines that a restart repeats */
	/* Numbers of one process fall back on fewer than one in this many
	 * lines. */
	FALLS_ONE_IN = 20,
	FEW_FALLS = 2,
	COMPARED = 1000, /* maximum lines per attempt to compare times */
	SIZES = 256
};

/* --- Attempts --------------------------------------------------------------*/

/* Lines of one process, or all lines if they do not show a rank. A place orders
 * iterations over all epochs. */
struct stream {
	int64_t high, last; /* places; -1: none yet */
	size_t fallen;      /* index + 1 of the line that fell back; 0: none */
	long risen;         /* lines that rose since, but not above `high` */
};

/* Starts of attempts in one log, except the first. */
struct starts {
	size_t *items;
	size_t n, alloc;
};

static void
add_start(struct starts *s, size_t index)
{
	s->items = vec_grow(s->items, s->n, &s->alloc, sizeof *s->items);
	s->items[s->n++] = index;
}

/* Start an attempt at the first stream's fall; the other streams follow. */
static void
begin_attempt(struct starts *s, struct stream *streams, size_t n)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		struct stream *x = &streams[i];

		if (x->fallen > 0 && x->fallen - 1 < first)
			first = x->fallen - 1;
		if (x->fallen == 0)
			x->last = -1;
		x->high = x->last;
		x->fallen = 0;
	}
	add_start(s, first);
}

/* Find the lines of a log at which numbers fall back and then rise again.
 *
 * A fall alone is not enough: lines of many ranks overtake each other, even by
 * whole pipe buffers. The numbers after a fall must rise without exceeding the
 * former maximum.
 *
 * Returns 1; 0 if numbers fall back too often. */
static int
find_falls(
    const struct sample_index *r, size_t source, int by_label, struct starts *s)
{
	const struct sample_store *all = &r->logs[source]->samples;
	const size_t n = by_label ? (size_t)r->max_label + 1 : 1;
	struct stream *streams = xcalloc(n, sizeof *streams);
	size_t falls = 0, i;
	int32_t epoch = 0;

	for (i = 0; i < n; i++)
		streams[i].high = streams[i].last = -1;
	for (i = 0; i < all->n; i++) {
		const struct sample *x = &all->items[i];
		struct stream *stream = &streams[by_label ? x->rank : 0];
		int64_t place;

		epoch = sample_index_epoch(r, x->epoch, epoch);
		place = ((int64_t)epoch << 32) + x->iter;
		if (stream->fallen > 0 && place > stream->last)
			stream->risen++;
		if (place > stream->high) {
			stream->fallen = 0; /* overtaken, not restarted */
			stream->high = place;
		}
		if (place < stream->last) {
			falls++;
			stream->fallen = i + 1;
			stream->risen = 0;
		}
		stream->last = place;
		if (stream->fallen > 0 && stream->risen == MIN_FALL)
			begin_attempt(s, streams, n);
	}
	for (i = 0; i < n && streams[i].fallen == 0; i++)
		;
	if (i < n)
		begin_attempt(s, streams, n); /* an attempt that ended early */
	free(streams);
	return falls <= FEW_FALLS + all->n / FALLS_ONE_IN;
}

/* Start an attempt at each line of an iteration that already has `world` lines.
 * Requires a single log that the index contains completely. */
static void
find_too_many(const struct sample_index *r, long world, struct starts *s)
{
	/* Lines of an iteration in the current attempt (from 1). */
	struct place_count {
		size_t attempt;
		long n;
	} *counts = xcalloc(r->n, sizeof *counts);
	size_t *groups = xcalloc(r->n, sizeof *groups); /* of each sample */
	size_t attempt = 1;

	for (size_t i = 0, end; i < r->n; i = end) {
		end = sample_index_group_end(r, i);
		for (size_t k = i; k < end; k++)
			groups[r->items[k].index] = i;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct place_count *c = &counts[groups[i]];

		if (c->attempt == attempt && c->n == world) {
			add_start(s, i);
			attempt++;
		}
		if (c->attempt != attempt)
			*c = (struct place_count){ attempt, 0 };
		c->n++;
	}
	free(groups);
	free(counts);
}

void
attempts_find(const struct sample_index *r, long world, size_t usual,
    struct arena *arena, struct attempts *a)
{
	struct starts *logs = xcalloc(r->n_logs, sizeof *logs);
	const size_t width = r->n_logs;
	const int by_label =
	    width == 1 && r->labelled && r->max_label < MAX_STREAMS;

	*a = (struct attempts){ .n = 1 };
	for (size_t i = 0; i < width && r->numbered; i++) {
		struct starts *s = &logs[i];

		if (!find_falls(r, i, by_label, s) ||
		    (!by_label && usual > 1 && s->n + 1 > 2 * usual))
			s->n = 0;
		if (s->n == 0 && world > 0 && width == 1 && !by_label &&
		    r->most > (size_t)world)
			find_too_many(r, world, s);
		a->n = s->n + 1 > a->n ? s->n + 1 : a->n;
	}
	a->starts = arena_calloc(arena, (a->n + 1) * width, sizeof *a->starts);
	/* A log with fewer attempts than others lacks the first ones. */
	for (size_t i = 0; i < width; i++) {
		const size_t late = a->n - logs[i].n;

		for (size_t k = 0; k < logs[i].n; k++)
			a->starts[(late + k) * width + i] = logs[i].items[k];
		a->starts[a->n * width + i] = r->logs[i]->samples.n;
		free(logs[i].items);
	}
	free(logs);
}

/* True if attempts over the same iterations ran one after the other; false if
 * they are joined logs of ranks. Compare time stamps, else step times, since
 * ranks of synchronous training are at most two steps apart. */
static int
are_in_turn(const struct sample_index *r, const struct attempts *a)
{
	const int is_rate = r->logs[0]->meaning->kind == VALUE_RATE;
	const struct sample *items = r->logs[0]->samples.items;
	double last_stamp = NAN, before = 0;

	for (size_t k = 0; k < a->n; k++) {
		const size_t from = a->starts[k * r->n_logs];
		const size_t to = a->starts[(k + 1) * r->n_logs];
		const double first_stamp = to > from ? items[from].stamp : NAN;
		double seconds = 0;
		size_t n = 0;

		/* Use the second half of the attempt. */
		for (size_t i = from + (to - from) / 2; i < to && n < COMPARED;
		     i++)
			if (items[i].value > 0) {
				seconds += is_rate ? 1 / items[i].value
						   : items[i].value;
				n++;
			}
		if (k > 0 && first_stamp >= last_stamp)
			return 1;
		if (k > 0 && isnan(first_stamp) &&
		    fabs(seconds - before) * (double)n >
			2 * fmax(seconds, before))
			return 1;
		last_stamp = to > from ? items[to - 1].stamp : NAN;
		before = seconds;
	}
	return 0;
}

/* --- Repeats ---------------------------------------------------------------*/

/* Statistics of repeated iterations. */
struct repeats {
	size_t groups;
	size_t repeated;     /* groups with more than one member */
	size_t full;         /* groups of maximum size */
	size_t cut;          /* smaller groups among the first and the last: the
	                        log may begin or end inside */
	size_t sizes[SIZES]; /* groups by size; last: or more */
	size_t over;         /* groups with more members than allowed */
	size_t label_most;   /* most members of a group with the same label */
	size_t label_again;  /* groups with a label that occurs twice */
	long fall_back;      /* maximum fall of the numbers, in iterations */
	long span;         /* iterations of the longest epoch, first to last */
	size_t first_over; /* index + 1 of the first member too many */
};

/* Occurrences of a label in the last group that has it. */
struct label_count {
	size_t group; /* from 1 */
	size_t n;
};

/* Maximum fall of the numbers of one log, in file order, below the highest
 * number seen in the same epoch. */
static void
measure_fall_back(const struct sample_index *r, size_t log, struct repeats *w)
{
	struct epoch_reach {
		int32_t low, high;
	} *seen = xcalloc(r->n_epochs, sizeof *seen);
	const struct sample *items = r->logs[log]->samples.items;
	int32_t epoch = 0;

	for (size_t i = 0; i < r->n_epochs; i++)
		seen[i] = (struct epoch_reach){ INT32_MAX, INT32_MIN };
	for (size_t i = r->from[log]; i < r->to[log]; i++) {
		const int32_t iter = items[i].iter;
		struct epoch_reach *e;

		epoch = sample_index_epoch(r, items[i].epoch, epoch);
		e = &seen[epoch];
		if (iter < e->low)
			e->low = iter;
		if (iter > e->high)
			e->high = iter;
		if (e->high - iter > w->fall_back)
			w->fall_back = e->high - iter;
		if (e->high - e->low > w->span)
			w->span = e->high - e->low;
	}
	free(seen);
}

/* Examine all groups.
 *
 * allowed  maximum members of a group */
static struct repeats
find_repeats(const struct sample_index *r, size_t allowed)
{
	const int labels = r->labelled && r->max_label < MAX_LABEL;
	struct label_count *counts = NULL;
	struct repeats w = { .groups = 0 };
	size_t end;

	if (labels)
		counts = xcalloc((size_t)r->max_label + 1, sizeof *counts);
	for (size_t i = 0; i < r->n; i = end) {
		size_t size;
		int again = 0; /* 1: a label occurs twice in the group */

		end = sample_index_group_end(r, i);
		size = end - i;
		w.groups++;
		w.repeated += size > 1;
		w.full += size == r->most;
		w.cut += (i == 0 || end == r->n) && size < r->most;
		w.sizes[size < SIZES - 1 ? size : SIZES - 1]++;
		w.over += size > allowed;
		if (size > allowed && w.first_over == 0)
			w.first_over = i + allowed + 1;
		for (size_t k = i; labels && k < end; k++) {
			struct label_count *c =
			    &counts[sample_index_label(r, &r->items[k])];

			again |= c->group == w.groups;
			c->n = c->group == w.groups ? c->n + 1 : 1;
			c->group = w.groups;
			if (c->n > w.label_most)
				w.label_most = c->n;
		}
		w.label_again += (size_t)again;
	}
	free(counts);
	for (size_t i = 0; i < r->n_logs && r->numbered; i++)
		measure_fall_back(r, i, &w);
	return w;
}

/* True if repeats are as regular as lines of ranks. */
static int
are_regular(const struct repeats *w)
{
	if (w->full == w->groups ||
	    (w->full + w->cut == w->groups && w->fall_back == 0))
		return 1;
	return w->full * RAGGED_ONE_IN >= w->groups * (RAGGED_ONE_IN - 1) &&
	    w->fall_back * 2 < w->span;
}

/* True if all iterations are printed a second time after the others, on lines
 * without the label of another rank. */
static int
again_from_start(const struct sample_index *r, const struct repeats *w)
{
	return w->span > 0 && w->fall_back == w->span && w->full == w->groups &&
	    (!r->labelled || w->label_most > 1);
}

static int
exclude_restart(const struct sample_index *r, long world,
    const struct repeats *w, struct exclusion *x)
{
	size_t at = w->first_over;
	const struct sample_place *again;
	struct remark_arg place;

	/* Without a limit, find the first repeated iteration. */
	for (size_t i = 0; at == 0; i++)
		if (sample_index_group_end(r, i) - i > 1)
			at = i + 2;
	again = &r->items[at - 1];
	place = remark_at(
	    r->logs[again->log]->shown, sample_index_sample(r, again)->line);
	return exclude(x,
	    REMARK(REMARK_REPEATED, place, remark_number(again->iter),
		remark_number(world == RESULT_UNKNOWN ? NAN : (double)world)));
}

/* True if the job was restarted, not if logs of ranks were joined; sets a. */
static int
was_restarted(const struct sample_index *r, long world, int ranks,
    const struct repeats *w, struct arena *arena, struct attempts *a)
{
	const int again = again_from_start(r, w);
	size_t usual = 1; /* most frequent group size */

	if (w->fall_back == 0 || (ranks && !again && are_regular(w)))
		return 0;
	for (size_t i = 2; i < SIZES; i++)
		if (w->sizes[i] > w->sizes[usual])
			usual = i;
	attempts_find(r, world, usual, arena, a);
	return a->n > 1 && !(ranks && again && !are_in_turn(r, a));
}

int
sample_index_check(struct sample_index *r, long world, struct arena *a,
    struct attempts *attempts, struct exclusion *x)
{
	struct repeats w;
	size_t again;
	int ranks;

	if (r->most <= 1)
		return 0;
	w = find_repeats(r, world == RESULT_UNKNOWN ? SIZE_MAX : (size_t)world);
	ranks = w.over == 0 &&
	    (are_regular(&w) ||
		!(r->labelled ? w.label_most > 1 : world == RESULT_UNKNOWN));
	if (attempts != NULL && was_restarted(r, world, ranks, &w, a, attempts))
		return 1;
	/* A counter stalls while a loss scaler skips steps, initially up to
	 * half of them: its number is repeated but never falls back. */
	again = w.over > 0 ? w.over : r->labelled ? w.label_again : w.repeated;
	if (!ranks &&
	    (w.fall_back != 0 ||
		(again != 1 &&
		    again * STILL_MOVES_ONE_IN >
			w.groups * (STILL_MOVES_ONE_IN - 1))))
		return exclude_restart(r, world, &w, x);
	if (!ranks)
		r->flag = REMARK_STOOD_STILL;
	else if (again_from_start(r, &w))
		r->flag = REMARK_FROM_START_AGAIN;
	else if (world == RESULT_UNKNOWN && !r->labelled)
		r->flag = REMARK_RANKS_ASSUMED;
	else if (!are_regular(&w))
		r->flag = REMARK_RANKS_UNEQUAL;
	return 0;
}
