#include <config.h>

#include "extract/scan/samples/context.h"
#include "extract/scan/samples/sample_from_match.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/units/units.h"

/* Epoch numbers that differ by at least this count samples (or tokens). */
#define COUNTS_SAMPLES 1000.0

/* Set *to to a captured number if it is a count. */
static void
take_count(double value, int32_t *to)
{
	if (value >= 0 && value <= INT32_MAX)
		*to = (int32_t)value;
}

void
contexts_update(struct contexts *all, const struct match *match, int32_t rank)
{
	const struct pattern *p = match->pattern;
	double fields[N_PATTERN_FIELDS];
	struct context *x;
	size_t len;

	if (rank >= CONTEXT_MAX_RANKS)
		return;
	while (all->n < (size_t)(rank + 2)) {
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		all->items[all->n++] = (struct context){ SAMPLE_NONE,
			SAMPLE_NONE, SAMPLE_NONE, NAN };
	}
	x = &all->items[rank + 1];
	match_numbers(match, fields);
	take_count(fields[FIELD_EPOCH], &x->epoch);
	take_count(fields[FIELD_ITER], &x->iter);
	take_count(fields[FIELD_ITERS], &x->iters);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const char *text = match_text(match, c, &len);

		if (c->field == FIELD_STAMP &&
		    (text == NULL ||
			stamp_parse(text, len, &x->stamp) == STAMP_BAD))
			x->stamp = NAN;
	}
}

void
contexts_fill(const struct contexts *all, struct sample *s)
{
	const struct context *x;

	if ((size_t)(s->rank + 1) >= all->n)
		return;
	x = &all->items[s->rank + 1];
	if (s->epoch == SAMPLE_NONE)
		s->epoch = x->epoch;
	if (s->iter == SAMPLE_NONE)
		s->iter = x->iter;
	if (s->iters == SAMPLE_NONE)
		s->iters = x->iters;
	if (isnan(s->stamp))
		s->stamp = x->stamp;
}

/* --- Pairs of events ------------------------------------------------------ */

/* Read the fields of an event. Returns 0, or -1 without a time. */
static int
read_event(const struct match *match, struct pair_begin *x)
{
	double fields[N_PATTERN_FIELDS];

	match_numbers(match, fields);
	*x = (struct pair_begin){ .pattern = match->pattern,
		.seconds = fields[FIELD_MOMENT],
		.done = fields[FIELD_DONE],
		.steps = fields[FIELD_STEPS_DONE],
		.number = NAN,
		.ended = NAN,
		.counted = NAN,
		.iter = SAMPLE_NONE,
		.span = SAMPLE_NONE };
	take_count(fields[FIELD_SPAN], &x->span);
	take_count(fields[FIELD_ITER], &x->iter);
	if (x->iter != SAMPLE_NONE)
		x->number = fields[FIELD_ITER];
	return isnan(x->seconds) ? -1 : 0;
}

static struct pair_begin *
find_begin(struct interval_pairs *all, const struct pattern *pattern)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].pattern == pattern)
			return &all->items[i];
	return NULL;
}

void
interval_pairs_begin(struct interval_pairs *all, const struct match *match)
{
	struct pair_begin *b = find_begin(all, match->pattern), x;

	if (read_event(match, &x) != 0)
		return;
	if (b == NULL) {
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		b = &all->items[all->n++];
	} else if (!b->closed && b->iter == x.iter) {
		return;
	} else {
		x.ended = b->ended;
		x.counted = b->counted;
		x.begun = b->begun;
	}
	*b = x;
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
	struct pair_begin *b = find_begin(all, match->pattern->begin), x;

	assert(match->pattern->begin != NULL);
	/* With a smaller number the end belongs to another interval, whose
	 * begin is missing. */
	if (b == NULL || read_event(match, &x) != 0 ||
	    !(x.seconds > b->seconds) || ceil(x.number) < b->number)
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
