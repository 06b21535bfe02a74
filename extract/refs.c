#include <config.h>

#include "extract/refs.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/result.h"

enum {
	DAY_S = 86400,
	LEAP_YEAR_S = 366 * DAY_S,
	/* Labels above are no ranks; they are not told apart. */
	MAX_LABEL = 1 << 20,
	/* A counter may stand still on one in so many iterations. */
	STILL_ONE_IN = 20
};

/* Stamps below lie in 1972, the year that stands for "no year". */
#define YEARLESS_END_S (3.0 * 365 * DAY_S + 1.0 * DAY_S)

static int32_t
epoch_index(struct refs *r, int32_t number)
{
	size_t i;

	/* Lines of the same epoch follow each other: look at the last first. */
	for (i = r->n_epochs; i > 0; i--)
		if (r->epochs[i - 1] == number)
			return (int32_t)(i - 1);
	r->epochs = vec_grow(
	    r->epochs, r->n_epochs, &r->alloc_epochs, sizeof *r->epochs);
	r->epochs[r->n_epochs] = number;
	return (int32_t)r->n_epochs++;
}

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
	const struct ref *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->iter != y->iter)
		return x->iter < y->iter ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static void
take_log(struct refs *r, const struct log *log, int32_t source)
{
	double before = NAN;
	int32_t wraps = 0;
	size_t i;

	for (i = 0; i < log->n_samples; i++) {
		const struct sample *s = &log->samples[i];

		if (!isnan(s->stamp)) {
			if (!isnan(before) && clock_wrapped(before, s->stamp))
				wraps++;
			else if (!isnan(before) && wraps > 0 &&
			    clock_wrapped(s->stamp, before))
				wraps--; /* a rank that is still in the old */
			before = s->stamp;
		}
		r->items[r->n++] = (struct ref){ s, epoch_index(r, s->epoch),
			s->iter, source, wraps };
		if (s->iter == SAMPLE_NONE)
			r->numbered = 0;
		if (s->rank == SAMPLE_NONE)
			r->labelled = 0;
		else if (s->rank > r->max_label)
			r->max_label = s->rank;
	}
}

/* Without numbers on the lines each log counts its own. */
static void
count_iterations(struct refs *r)
{
	int32_t source = -1, iter = 0;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->items[i].source != source)
			iter = 0;
		source = r->items[i].source;
		r->items[i].iter = iter++;
		r->items[i].epoch = 0;
	}
}

size_t
refs_group_end(const struct refs *r, size_t i)
{
	const struct ref *first = &r->items[i];

	while (i < r->n && r->items[i].iter == first->iter &&
	    r->items[i].epoch == first->epoch)
		i++;
	return i;
}

int32_t
refs_label(const struct refs *r, const struct ref *ref)
{
	return r->n_sources > 1 ? ref->source : ref->sample->rank;
}

void
refs_collect(struct refs *r, const struct log *const *logs, size_t n_logs)
{
	size_t i, total = 0;
	int sorted = 1;

	*r = (struct refs){ .n_sources = n_logs,
		.numbered = 1,
		.labelled = 1,
		.max_label = -1 };
	for (i = 0; i < n_logs; i++)
		total += logs[i]->n_samples;
	r->items = xcalloc(total, sizeof *r->items);
	for (i = 0; i < n_logs; i++)
		take_log(r, logs[i], (int32_t)i);
	if (n_logs > 1) {
		r->labelled = 1;
		r->max_label = (int32_t)n_logs - 1;
	}
	if (!r->numbered)
		count_iterations(r);
	for (i = 1; i < r->n && sorted; i++)
		sorted = order(&r->items[i - 1], &r->items[i]) < 0;
	if (!sorted)
		qsort(r->items, r->n, sizeof *r->items, order);
	for (i = 0; i < r->n;) {
		const size_t end = refs_group_end(r, i);

		if (end - i > r->most)
			r->most = end - i;
		i = end;
	}
}

void
refs_release(struct refs *r)
{
	free(r->items);
	free(r->epochs);
	*r = (struct refs){ .items = NULL };
}

/* What repeats look like. */
struct repeats {
	size_t groups;
	size_t repeated;   /* groups with more than one member */
	size_t full;       /* groups as large as the largest */
	size_t over;       /* groups with more members than allowed */
	size_t label_most; /* most members of a group with the same label */
	size_t n_labels;
	long fall_back; /* furthest that numbers fell back, in iterations */
	long span;      /* iterations of the longest epoch, first to last */
	const struct ref *first_over; /* the member that is too many */
};

/* Count, for each label, how often it stands in a group. */
struct label_count {
	size_t group; /* of the last time, from 1 */
	size_t n;     /* times in that group */
};

static void
count_labels(const struct refs *r, size_t i, size_t end, size_t group,
    struct label_count *counts, struct repeats *w)
{
	for (; i < end; i++) {
		struct label_count *c;

		c = &counts[refs_label(r, &r->items[i])];
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
measure_fall_back(struct refs *r, const struct log *log, struct repeats *w)
{
	struct range {
		int32_t low, high;
	} *seen = xcalloc(r->n_epochs, sizeof *seen);
	size_t i;

	for (i = 0; i < r->n_epochs; i++)
		seen[i] = (struct range){ INT32_MAX, INT32_MIN };
	for (i = 0; i < log->n_samples; i++) {
		const struct sample *s = &log->samples[i];
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
look_at_groups(const struct refs *r, size_t allowed, struct repeats *w)
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
			if (w->first_over == NULL)
				w->first_over = &r->items[i + allowed];
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
restart(const struct refs *r, const struct log *const *logs, long world,
    const struct repeats *w, struct exclusion *x)
{
	const struct ref *again = w->first_over;
	char ranks[64] = "the world size is unknown";
	size_t i;

	if (world != RESULT_UNKNOWN)
		snprintf(ranks, sizeof ranks, "there %s %ld rank%s",
		    world == 1 ? "is" : "are", world, world == 1 ? "" : "s");
	/* Without a limit: the first that comes a second time. */
	for (i = 0; again == NULL && i < r->n; i++)
		if (refs_group_end(r, i) - i > 1)
			again = &r->items[i + 1];
	assert(again != NULL);
	return exclude(x, EXCLUDED_RESTART,
	    "%s:%lld: iteration %d comes again, and %s: the log tells of more "
	    "than one run; keep one of them",
	    logs[again->source]->shown, (long long)again->sample->line,
	    again->iter, ranks);
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
refs_check(struct refs *r, const struct log *const *logs, long world,
    struct exclusion *x)
{
	const size_t allowed =
	    world == RESULT_UNKNOWN ? (size_t)-1 : (size_t)world;
	struct repeats w = { .groups = 0 };
	size_t i;

	if (r->most <= 1)
		return 0;
	look_at_groups(r, allowed, &w);
	for (i = 0; i < r->n_sources && r->numbered; i++)
		measure_fall_back(r, logs[i], &w);
	if (!are_ranks(r, world, &w)) {
		if (!stood_still(&w))
			return restart(r, logs, world, &w, x);
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
