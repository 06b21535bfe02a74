/* Pairs of events: a "begin" pattern gives a time, and the following "end" or
 * "interval" pattern of the format file the seconds since then. An end is a
 * result of the whole run, an interval a step. Internal to extract/.
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

/* A complete pair. */
struct interval_pair {
	double seconds;
	int32_t iter; /* last iteration in it, or SAMPLE_NONE */
	int32_t span; /* iterations in it, at least 1 */
	double work;  /* work per iteration, or NAN */
	double steps; /* training steps per iteration, or NAN */
	int forget;   /* 1: earlier intervals have no work */
};

/* The fields of a begin event. */
struct pair_begin {
	const struct pattern *pattern;
	double seconds, done, steps;
	double ended;   /* samples done at the previous end, or NAN */
	double counted; /* number of the previous interval, or NAN */
	double number;  /* iter, unrounded */
	int begun;      /* 1: an earlier interval counted work */
	int32_t iter, span;
	int closed; /* 1: has ended */
};

struct interval_pairs {
	struct pair_begin *items;
	size_t n, alloc;
};

/* Add a match of a begin pattern. A repetition before the end, as when each
 * rank prints it, is the same event unless its iteration differs. */
void interval_pairs_begin(
    struct interval_pairs *all, const struct match *match);

/* Complete an interval with a match of an end or interval pattern. Returns 0,
 * or -1 if there was no begin, the times are inconsistent, or the counted
 * samples are not those of the interval. */
int interval_pairs_end(struct interval_pairs *all, const struct match *match,
    struct interval_pair *x);

/* Free all pairs. */
void interval_pairs_release(struct interval_pairs *all);

#endif
