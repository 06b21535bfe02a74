/* Pairs of events and the time between them. */
#include <config.h>

#include "extract/scan/samples/interval_pairs.h"
#include "extract/scan/samples/sample_from_match.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"

/* Epoch numbers that differ by at least this count samples (or tokens). */
#define COUNTS_SAMPLES 1000.0

/* The fields of an event. */
struct pair_event {
	double seconds, done, steps, number;
	int32_t iter, span;
};

static int
read_event(const struct match *match, struct pair_event *x)
{
	*x =
	    (struct pair_event){ NAN, NAN, NAN, NAN, SAMPLE_NONE, SAMPLE_NONE };
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		const int small = c->field == FIELD_ITER ||
		    c->field == FIELD_EPOCH || c->field == FIELD_SPAN;
		double v;

		if (c->field == FIELD_NONE || match_number(match, c, &v) != 0)
			continue;
		if (small && !(v >= 0 && v <= INT32_MAX))
			continue;
		if (c->field == FIELD_MOMENT)
			x->seconds = v;
		else if (c->field == FIELD_DONE)
			x->done = v;
		else if (c->field == FIELD_STEPS_DONE)
			x->steps = v;
		else if (c->field == FIELD_SPAN)
			x->span = (int32_t)v;
		else if (small) {
			x->iter = (int32_t)v;
			x->number = v;
		}
	}
	return isnan(x->seconds) ? -1 : 0;
}

static struct pair_begin *
interval_pairs_find(struct interval_pairs *all, const struct pattern *pattern)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].pattern == pattern)
			return &all->items[i];
	return NULL;
}

void
interval_pairs_begin(struct interval_pairs *all, const struct match *match)
{
	struct pair_begin *b = interval_pairs_find(all, match->pattern);
	struct pair_event x;

	if (read_event(match, &x) != 0)
		return;
	if (b == NULL) {
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		b = &all->items[all->n++];
		*b = (struct pair_begin){ .ended = NAN, .counted = NAN };
	} else if (!b->closed && b->iter == x.iter) {
		return;
	}
	*b = (struct pair_begin){ match->pattern, x.seconds, x.done, x.steps,
		b->ended, b->counted, x.number, b->begun, x.iter, x.span, 0 };
}

/* Derive the work from epoch numbers. Some programs number epochs by the
 * samples (or tokens) done so far: the only epoch of BERT stops at 2,840,576,
 * OpenFold's are 3840, 7680, ... Others stop within an epoch, at 0.83.
 *
 * stopped  the number at the end, or NAN */
static void
count_by_number(struct pair_begin *b, double stopped, struct interval_pair *out)
{
	const double before = b->counted;

	out->work = NAN;
	out->forget = 0;
	b->counted = isnan(stopped) ? b->number : stopped;
	if (out->span >= COUNTS_SAMPLES) {
		out->work = out->span;
		out->span = 1;
	} else if (stopped - b->number >= COUNTS_SAMPLES) {
		out->work = stopped - b->number;
	} else if (isnan(before) && b->number >= COUNTS_SAMPLES) {
		out->work = b->number;
	} else if (b->number - before >= COUNTS_SAMPLES) {
		out->work = b->number - before;
		/* If the log begins in the middle, its first number is not the
		 * work of an epoch. */
		out->forget = !b->begun && before > 2 * out->work;
		b->begun = 1;
	} else if (stopped > floor(stopped)) {
		out->seconds /= stopped > b->number ? stopped - b->number
						    : fmod(stopped, 1);
	}
}

int
interval_pairs_end(struct interval_pairs *all, const struct match *match,
    struct interval_pair *out)
{
	struct pair_begin *b = interval_pairs_find(all, match->pattern->begin);
	struct pair_event x;

	assert(match->pattern->begin != NULL);
	if (b == NULL || read_event(match, &x) != 0 ||
	    !(x.seconds > b->seconds))
		return -1;
	/* The end belongs to another interval, whose begin is missing. */
	if (ceil(x.number) < b->number)
		return -1;
	b->closed = 1;
	out->seconds = x.seconds - b->seconds;
	out->span = x.span != SAMPLE_NONE ? x.span : b->span;
	if (out->span < 1)
		out->span = 1;
	out->steps = (x.steps - b->steps) / out->span;
	count_by_number(b, x.number, out);
	out->iter = b->iter != SAMPLE_NONE ? b->iter : x.iter;
	if (out->iter > INT32_MAX - out->span)
		return -1;
	if (b->iter != SAMPLE_NONE)
		out->iter += out->span - 1;
	if (isnan(x.done) && isnan(b->done))
		return 0;
	out->work = (x.done - fmax(b->done, b->ended)) / out->span;
	b->ended = x.done;
	/* Equal counts at both ends are not the work of the interval. */
	return out->work > 0 ? 0 : -1;
}

void
interval_pairs_release(struct interval_pairs *all)
{
	free(all->items);
	*all = (struct interval_pairs){ NULL, 0, 0 };
}
