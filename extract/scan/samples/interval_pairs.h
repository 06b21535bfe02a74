/* Events that come in pairs: a "begin" pattern notes a time, the "end" or
 * "interval" pattern after it in the format file makes the seconds since out
 * of it.  An end gives a figure of the whole run, an interval a step.
 * Internal to extract/.
 *
 *	struct interval_pairs all = { 0 };
 *	interval_pairs_begin(&all, match);
 *	if (interval_pairs_end(&all, match, &x) == 0) ... x.seconds ...
 *	interval_pairs_release(&all);
 */
#ifndef EXTRACT_SCAN_SAMPLES_INTERVAL_PAIRS_H
#define EXTRACT_SCAN_SAMPLES_INTERVAL_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/matcher.h"

/* One pair that is complete. */
struct interval_pair {
	double seconds;
	int32_t iter; /* of the last iteration in it, or SAMPLE_NONE */
	int32_t span; /* iterations in it, at least 1 */
	double work;  /* what one of its iterations counts, or NAN */
	double steps; /* training steps of one of them, or NAN */
	int forget;   /* 1: the intervals before it have no work */
};

/* What a begin stated. */
struct pair_begin {
	const struct pattern *pattern;
	double seconds, done, steps;
	double ended;   /* samples done at the end before it, or NAN */
	double counted; /* number of the interval before it, or NAN */
	double number;  /* iter, unrounded */
	int begun;      /* 1: an interval before it counted work */
	int32_t iter, span;
	int closed; /* an end came after it */
};

struct interval_pairs {
	struct pair_begin *items;
	size_t n, alloc;
};

/* Take down a match of a begin pattern.  One that comes again before its end,
 * as when each rank prints it, is the same event unless its iteration is
 * another. */
void interval_pairs_begin(
    struct interval_pairs *all, const struct match *match);

/* The interval that a match of an end or interval pattern completes.
 * Returns 0; -1 where nothing began, the times make no sense, or samples are
 * counted but not those of the interval. */
int interval_pairs_end(struct interval_pairs *all, const struct match *match,
    struct interval_pair *x);

/* Free the list; there are none then. */
void interval_pairs_release(struct interval_pairs *all);

#endif
