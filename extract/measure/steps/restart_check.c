#include <config.h>

#include "extract/measure/steps/sample_index.h"

#include <limits.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/measure/steps/attempts.h"
#include "common/result/result.h"

enum {
	/* Labels above are no ranks; they are not kept apart. */
	MAX_LABEL = 1 << 20,
	/* Ranks print all but one in so many iterations. */
	RAGGED_ONE_IN = 20,
	/* A counter that stands still moves on at least once in so many. */
	STILL_MOVES_ONE_IN = 10
};

/* What repeats look like. */
struct repeats {
	size_t groups;
	size_t repeated;   /* groups with more than one member */
	size_t full;       /* groups as large as the largest */
	size_t cut;        /* of the first and the last group those that are
	                      smaller: the log may begin or end inside */
	size_t sizes[256]; /* groups of so many members; the last: or more */
	size_t over;       /* groups with more members than allowed */
	size_t label_most; /* most members of a group with the same label */
	size_t n_labels;
	size_t label_again; /* groups in which a label stands twice */
	long fall_back;     /* furthest that numbers fell back, in iterations */
	long span;          /* iterations of the longest epoch, first to last */
	size_t first_over;  /* index + 1 of the member that is too many */
};

/* Count, for each label, how often it stands in a group. */
struct label_count {
	size_t group; /* of the last time, from 1 */
	size_t n;     /* times in that group */
};

static void
count_label(struct label_count *c, size_t group, struct repeats *w)
{
	w->n_labels += c->group == 0;
	c->n = c->group == group ? c->n + 1 : 1;
	c->group = group;
	if (c->n > w->label_most)
		w->label_most = c->n;
}

/* Count the labels of a group, samples i to end - 1. */
static void
count_labels(const struct sample_index *r, size_t i, size_t end,
    struct label_count *counts, struct repeats *w)
{
	int again = 0;

	for (; i < end; i++) {
		struct label_count *c =
		    &counts[sample_index_label(r, &r->items[i])];

		again |= c->group == w->groups;
		count_label(c, w->groups, w);
	}
	w->label_again += again;
}

/* How far the numbers of one log fall back, in the order of the file, from the
 * highest seen in the same epoch. */
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

static void
look_at_groups(const struct sample_index *r, size_t allowed, struct repeats *w)
{
	const int labels = r->labelled && r->max_label < MAX_LABEL;
	struct label_count *counts = NULL;
	size_t end;

	if (labels)
		counts = xcalloc((size_t)r->max_label + 1, sizeof *counts);
	for (size_t i = 0; i < r->n; i = end) {
		end = sample_index_group_end(r, i);
		w->groups++;
		w->repeated += end - i > 1;
		w->full += end - i == r->most;
		w->cut += (i == 0 || end == r->n) && end - i < r->most;
		w->sizes[end - i < 255 ? end - i : 255]++;
		if (end - i > allowed) {
			w->over++;
			if (w->first_over == 0)
				w->first_over = i + allowed + 1;
		}
		if (labels)
			count_labels(r, i, end, counts, w);
	}
	free(counts);
}

/* True if repeats are as regular as those of ranks. */
static int
repeats_are_regular(const struct repeats *w)
{
	if (w->full == w->groups ||
	    (w->full + w->cut == w->groups && w->fall_back == 0))
		return 1;
	return w->full * RAGGED_ONE_IN >= w->groups * (RAGGED_ONE_IN - 1) &&
	    w->fall_back * 2 < w->span;
}

static int
exclude_restart(const struct sample_index *r, long world,
    const struct repeats *w, struct exclusion *x)
{
	size_t at = w->first_over;
	const struct sample_place *again;
	struct remark_arg place;

	/* Without a limit: the first that comes a second time. */
	for (size_t i = 0; at == 0; i++)
		if (sample_index_group_end(r, i) - i > 1)
			at = i + 2;
	again = &r->items[at - 1];
	place = remark_at(
	    r->logs[again->log]->shown, sample_index_sample(r, again)->line);
	if (world == RESULT_UNKNOWN)
		return exclude(x,
		    REMARK(REMARK_REPEATED_UNKNOWN, place,
			remark_number(again->iter)));
	return exclude(x,
	    REMARK(REMARK_REPEATED, place, remark_number(again->iter),
		remark_number((double)world)));
}

/* A counter that does not move on while a loss scaler skips steps prints its
 * number again, at first for half of all steps; that is no restart. */
static int
repeats_stand_still(const struct sample_index *r, const struct repeats *w)
{
	const size_t again = w->over > 0 ? w->over
	    : r->labelled                ? w->label_again
					 : w->repeated;

	return w->fall_back == 0 &&
	    (again == 1 ||
		again * STILL_MOVES_ONE_IN <=
		    w->groups * (STILL_MOVES_ONE_IN - 1));
}

static int
are_ranks(const struct sample_index *r, long world, const struct repeats *w)
{
	if (w->over > 0)
		return 0;
	if (r->labelled ? w->label_most > 1 : world == RESULT_UNKNOWN)
		return repeats_are_regular(w);
	return 1;
}

/* True if all iterations are printed again after the others, on lines that do
 * not state another rank. */
static int
again_from_start(const struct sample_index *r, const struct repeats *w)
{
	return w->span > 0 && w->fall_back == w->span && w->full == w->groups &&
	    (!r->labelled || w->label_most > 1);
}

/* Members of most groups. */
static size_t
usual_size(const struct repeats *w)
{
	size_t best = 1;

	for (size_t i = 2; i < 256; i++)
		if (w->sizes[i] > w->sizes[best])
			best = i;
	return best;
}

/* True if the job was started again.  Ranks whose logs were joined look
 * alike. */
static int
find_attempts(const struct sample_index *r, long world, int ranks,
    const struct repeats *w, struct attempts *attempts)
{
	const int again = again_from_start(r, w);

	if (w->fall_back == 0 || (ranks && !again && repeats_are_regular(w)))
		return 0;
	attempts_find(r, world, usual_size(w), attempts);
	if (attempts->n > 1 &&
	    !(ranks && again && !attempts_are_in_turn(r, attempts)))
		return 1;
	attempts_release(attempts);
	return 0;
}

int
sample_index_check(struct sample_index *r, long world,
    struct attempts *attempts, struct exclusion *x)
{
	const size_t allowed =
	    world == RESULT_UNKNOWN ? (size_t)-1 : (size_t)world;
	struct repeats w = { .groups = 0 };
	int ranks;

	if (r->most <= 1)
		return 0;
	look_at_groups(r, allowed, &w);
	for (size_t i = 0; i < r->n_logs && r->numbered; i++)
		measure_fall_back(r, i, &w);
	ranks = are_ranks(r, world, &w);
	if (attempts != NULL && find_attempts(r, world, ranks, &w, attempts))
		return 1;
	if (!ranks) {
		if (!repeats_stand_still(r, &w))
			return exclude_restart(r, world, &w, x);
		r->flag = REMARK_STOOD_STILL;
	} else if (again_from_start(r, &w))
		r->flag = REMARK_FROM_START_AGAIN;
	else if (world == RESULT_UNKNOWN && !r->labelled)
		r->flag = REMARK_RANKS_ASSUMED;
	else if (!repeats_are_regular(&w))
		r->flag = REMARK_RANKS_UNEQUAL;
	return 0;
}
