#include <config.h>

#include "extract/refs.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result.h"

enum {
	DAY_S = 86400,
	LEAP_YEAR_S = 366 * DAY_S,
	/* Labels above are no ranks; they are not told apart. */
	MAX_LABEL = 1 << 20,
	/* A counter may stand still on one in so many iterations. */
	STILL_ONE_IN = 20,
	KEPT_BLOCKS = 64 /* unpacked blocks of samples */
};

/* Stamps below lie in 1972, the year that stands for "no year". */
#define YEARLESS_END_S (3.0 * 365 * DAY_S + 1.0 * DAY_S)

/* Where a sample stands in the order of iterations. */
struct ref_place {
	int32_t epoch, iter;
	size_t index; /* of all samples, by log and line */
};

struct ref_block {
	size_t source, block;
	struct sample items[SAMPLES_BLOCK];
};

/* --- Epochs by their numbers -----------------------------------------------*/

static size_t *
epoch_slot(const struct refs *r, int32_t number)
{
	size_t i = (uint32_t)number * 2654435761u; /* Knuth's multiplier */

	for (;; i++) {
		size_t *slot = &r->slots[i & (r->n_slots - 1)];

		if (*slot == 0 || r->epochs[*slot - 1] == number)
			return slot;
	}
}

static void
grow_slots(struct refs *r)
{
	free(r->slots);
	r->n_slots = r->n_slots == 0 ? 64 : r->n_slots * 4;
	r->slots = xcalloc(r->n_slots, sizeof *r->slots);
	for (size_t i = 0; i < r->n_epochs; i++)
		*epoch_slot(r, r->epochs[i]) = i + 1;
}

static int32_t
epoch_index(struct refs *r, int32_t number)
{
	size_t *slot;

	/* Lines of the same epoch follow each other. */
	if (r->n_epochs > 0 && r->epochs[r->last_epoch] == number)
		return r->last_epoch;
	if (r->n_epochs * 2 >= r->n_slots)
		grow_slots(r);
	slot = epoch_slot(r, number);
	if (*slot == 0) {
		r->epochs = vec_grow(r->epochs, r->n_epochs, &r->alloc_epochs,
		    sizeof *r->epochs);
		r->epochs[r->n_epochs++] = number;
		*slot = r->n_epochs;
	}
	r->last_epoch = (int32_t)(*slot - 1);
	return r->last_epoch;
}

/* --- Putting in order ------------------------------------------------------*/

/* After how many seconds a clock that shows stamp starts anew; 0: never. */
static double
clock_period(double stamp)
{
	if (stamp < DAY_S)
		return DAY_S;
	return stamp < YEARLESS_END_S ? LEAP_YEAR_S : 0;
}

/* Did the clock start anew between two stamps?  Ranks that overtake each other
 * step back by seconds only. */
static int
clock_wrapped(double before, double now)
{
	const double period = clock_period(before);

	return period > 0 && before - now > period / 2;
}

static int
order(const void *a, const void *b)
{
	const struct ref_place *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->iter != y->iter)
		return x->iter < y->iter ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The log that sample index is of. */
static size_t
source_of(const struct refs *r, size_t index)
{
	size_t low = 0, high = r->n_sources;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (r->starts[middle] <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static const struct sample *
sample_at(struct refs *r, size_t source, size_t i)
{
	const size_t block = i / SAMPLES_BLOCK;
	struct ref_block *b = &r->blocks[(block + source * 17) % KEPT_BLOCKS];

	if (b->source != source || b->block != block) {
		samples_block(&r->logs[source]->samples, block, b->items);
		b->source = source;
		b->block = block;
	}
	return &b->items[i % SAMPLES_BLOCK];
}

/* How a clock goes on in one log. */
struct clock_course {
	double before;
	int32_t wraps;
};

static void
follow_clock(struct clock_course *c, double stamp)
{
	if (isnan(stamp))
		return;
	if (!isnan(c->before) && clock_wrapped(c->before, stamp))
		c->wraps++;
	else if (!isnan(c->before) && c->wraps > 0 &&
	    clock_wrapped(stamp, c->before))
		c->wraps--; /* a rank that is still in the old */
	c->before = stamp;
}

/* Look at the samples of one log.  Returns 1 if they are in order behind
 * *last. */
static int
look_at_log(struct refs *r, size_t source, struct ref_place *last)
{
	const size_t n = r->logs[source]->samples.n;
	struct clock_course clock = { NAN, 0 };
	int sorted = 1;

	for (size_t i = 0; i < n; i++) {
		const struct sample *s = sample_at(r, source, i);
		const size_t index = r->starts[source] + i;
		const struct ref_place place = { epoch_index(r, s->epoch),
			s->iter, index };

		follow_clock(&clock, s->stamp);
		if (clock.wraps > 0 && r->wraps == NULL)
			r->wraps = xcalloc(r->n, sizeof *r->wraps);
		if (r->wraps != NULL)
			r->wraps[index] = clock.wraps;
		if (s->iter == SAMPLE_NONE)
			r->numbered = 0;
		if (s->rank == SAMPLE_NONE)
			r->labelled = 0;
		else if (s->rank > r->max_label)
			r->max_label = s->rank;
		sorted = sorted && (index == 0 || order(last, &place) < 0);
		*last = place;
	}
	return sorted;
}

static void
put_in_order(struct refs *r)
{
	r->places = xcalloc(r->n, sizeof *r->places);
	for (size_t source = 0; source < r->n_sources; source++)
		for (size_t i = 0; i < r->logs[source]->samples.n; i++) {
			const struct sample *s = sample_at(r, source, i);
			const size_t index = r->starts[source] + i;

			r->places[index] =
			    (struct ref_place){ epoch_index(r, s->epoch),
				    s->iter, index };
			/* Without numbers each log counts its own. */
			if (!r->numbered)
				r->places[index] =
				    (struct ref_place){ 0, (int32_t)i, index };
		}
	qsort(r->places, r->n, sizeof *r->places, order);
}

struct ref
refs_at(struct refs *r, size_t i)
{
	const size_t index = r->places != NULL ? r->places[i].index : i;
	const size_t source = r->n_sources > 1 ? source_of(r, index) : 0;
	struct ref ref = { .sample =
			       *sample_at(r, source, index - r->starts[source]),
		.source = (int32_t)source };

	if (r->places != NULL) {
		ref.epoch = r->places[i].epoch;
		ref.iter = r->places[i].iter;
	} else if (r->numbered) {
		ref.epoch = epoch_index(r, ref.sample.epoch);
		ref.iter = ref.sample.iter;
	} else {
		ref.iter = (int32_t)i;
	}
	if (r->wraps != NULL)
		ref.wraps = r->wraps[index];
	return ref;
}

size_t
refs_group_end(struct refs *r, size_t i)
{
	const struct ref first = refs_at(r, i);

	for (i++; i < r->n; i++) {
		const struct ref ref = refs_at(r, i);

		if (ref.iter != first.iter || ref.epoch != first.epoch)
			break;
	}
	return i;
}

int32_t
refs_label(const struct refs *r, const struct ref *ref)
{
	return r->n_sources > 1 ? ref->source : ref->sample.rank;
}

/* Members of the largest group. */
static size_t
largest_group(struct refs *r)
{
	size_t most = 0, members = 0;
	int32_t epoch = 0, iter = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct ref ref = refs_at(r, i);

		members = i > 0 && ref.iter == iter && ref.epoch == epoch
		    ? members + 1
		    : 1;
		iter = ref.iter;
		epoch = ref.epoch;
		if (members > most)
			most = members;
	}
	return most;
}

void
refs_collect(struct refs *r, const struct log *const *logs, size_t n_logs)
{
	struct ref_place last = { 0, 0, 0 };
	size_t i;
	int sorted = 1;

	*r = (struct refs){ .n_sources = n_logs,
		.logs = logs,
		.numbered = 1,
		.labelled = 1,
		.max_label = -1 };
	r->starts = xcalloc(n_logs + 1, sizeof *r->starts);
	for (i = 0; i < n_logs; i++)
		r->starts[i + 1] = r->starts[i] + logs[i]->samples.n;
	r->n = r->starts[n_logs];
	r->blocks = xcalloc(KEPT_BLOCKS, sizeof *r->blocks);
	for (i = 0; i < KEPT_BLOCKS; i++)
		r->blocks[i].source = SIZE_MAX;
	for (i = 0; i < n_logs; i++)
		sorted = look_at_log(r, i, &last) && sorted;
	if (n_logs > 1) {
		r->labelled = 1;
		r->max_label = (int32_t)n_logs - 1;
	}
	if (r->numbered ? !sorted : n_logs > 1)
		put_in_order(r);
	r->most = largest_group(r);
}

void
refs_release(struct refs *r)
{
	free(r->starts);
	free(r->places);
	free(r->wraps);
	free(r->blocks);
	free(r->slots);
	free(r->epochs);
	*r = (struct refs){ .n = 0 };
}

/* --- Ranks or a restart? ---------------------------------------------------*/

/* What repeats look like. */
struct repeats {
	size_t groups;
	size_t repeated;   /* groups with more than one member */
	size_t full;       /* groups as large as the largest */
	size_t over;       /* groups with more members than allowed */
	size_t label_most; /* most members of a group with the same label */
	size_t n_labels;
	long fall_back;    /* furthest that numbers fell back, in iterations */
	long span;         /* iterations of the longest epoch, first to last */
	size_t first_over; /* index + 1 of the member that is too many */
};

/* Count, for each label, how often it stands in a group. */
struct label_count {
	size_t group; /* of the last time, from 1 */
	size_t n;     /* times in that group */
};

static void
count_labels(struct refs *r, size_t i, size_t end, size_t group,
    struct label_count *counts, struct repeats *w)
{
	for (; i < end; i++) {
		const struct ref ref = refs_at(r, i);
		struct label_count *c = &counts[refs_label(r, &ref)];

		w->n_labels += c->group == 0;
		c->n = c->group == group ? c->n + 1 : 1;
		c->group = group;
		if (c->n > w->label_most)
			w->label_most = c->n;
	}
}

/* How far the numbers of one log fall back, in the order of the file, from the
 * highest seen in the same epoch. */
static void
measure_fall_back(struct refs *r, size_t source, struct repeats *w)
{
	struct range {
		int32_t low, high;
	} *seen = xcalloc(r->n_epochs, sizeof *seen);
	size_t i;

	for (i = 0; i < r->n_epochs; i++)
		seen[i] = (struct range){ INT32_MAX, INT32_MIN };
	for (i = 0; i < r->logs[source]->samples.n; i++) {
		const struct sample *s = sample_at(r, source, i);
		struct range *e = &seen[epoch_index(r, s->epoch)];

		if (s->iter < e->low)
			e->low = s->iter;
		if (s->iter > e->high)
			e->high = s->iter;
		if (e->high - s->iter > w->fall_back)
			w->fall_back = e->high - s->iter;
		if (e->high - e->low > w->span)
			w->span = e->high - e->low;
	}
	free(seen);
}

static void
look_at_groups(struct refs *r, size_t allowed, struct repeats *w)
{
	const int labels = r->labelled && r->max_label < MAX_LABEL;
	struct label_count *counts = NULL;
	size_t i, end;

	if (labels)
		counts = xcalloc((size_t)r->max_label + 1, sizeof *counts);
	for (i = 0; i < r->n; i = end) {
		end = refs_group_end(r, i);
		w->groups++;
		w->repeated += end - i > 1;
		w->full += end - i == r->most;
		if (end - i > allowed) {
			w->over++;
			if (w->first_over == 0)
				w->first_over = i + allowed + 1;
		}
		if (labels)
			count_labels(r, i, end, w->groups, counts, w);
	}
	free(counts);
}

/* Do repeats come as regularly as ranks print? */
static int
regular(const struct repeats *w)
{
	if (w->full == w->groups)
		return 1;
	return w->full * STILL_ONE_IN >= w->groups * (STILL_ONE_IN - 1) &&
	    w->fall_back * 2 < w->span;
}

static int
restart(
    struct refs *r, long world, const struct repeats *w, struct exclusion *x)
{
	size_t at = w->first_over;
	struct ref again;
	char ranks[64] = "the world size is unknown";
	size_t i;

	if (world != RESULT_UNKNOWN)
		snprintf(ranks, sizeof ranks, "there %s %ld rank%s",
		    world == 1 ? "is" : "are", world, world == 1 ? "" : "s");
	/* Without a limit: the first that comes a second time. */
	for (i = 0; at == 0 && i < r->n; i++)
		if (refs_group_end(r, i) - i > 1)
			at = i + 2;
	assert(at > 0);
	again = refs_at(r, at - 1);
	return exclude(x, EXCLUDED_RESTART,
	    "%s:%lld: iteration %d comes again, and %s: the log tells of more "
	    "than one run; keep one of them",
	    r->logs[again.source]->shown, (long long)again.sample.line,
	    again.iter, ranks);
}

/* A counter that does not move on while a step is skipped prints its number
 * again; that is no restart. */
static int
stood_still(const struct repeats *w)
{
	const size_t again = w->over > 0 ? w->over : w->repeated;

	return w->fall_back == 0 &&
	    (again == 1 || again * STILL_ONE_IN <= w->groups);
}

static int
are_ranks(const struct refs *r, long world, const struct repeats *w)
{
	if (w->over > 0)
		return 0;
	if (r->labelled ? w->label_most > 1 : world == RESULT_UNKNOWN)
		return regular(w);
	return 1;
}

int
refs_check(struct refs *r, long world, struct exclusion *x)
{
	const size_t allowed =
	    world == RESULT_UNKNOWN ? (size_t)-1 : (size_t)world;
	struct repeats w = { .groups = 0 };
	size_t i;

	if (r->most <= 1)
		return 0;
	look_at_groups(r, allowed, &w);
	for (i = 0; i < r->n_sources && r->numbered; i++)
		measure_fall_back(r, i, &w);
	if (!are_ranks(r, world, &w)) {
		if (!stood_still(&w))
			return restart(r, world, &w, x);
		r->flag = "some iterations are printed again: their counter "
			  "stood still";
	} else if (world == RESULT_UNKNOWN && !r->labelled)
		r->flag = "world size unknown: lines of the same iteration "
			  "are taken for ranks";
	else if (!regular(&w))
		r->flag = "ranks printed unequal numbers of iterations: the "
			  "log may tell of a restart";
	return 0;
}
