/* Records that span several lines. Internal to extract/.
 *
 * Contexts: a header line states the epoch and the iteration of the values on
 * the following lines, until the next header of the same rank.
 *
 * Pairs of events: a "begin" pattern gives a time, and the following "end" or
 * "interval" pattern of the format file the seconds since then. An end is a
 * result of the whole run, an interval a step.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CONTEXT_H
#define EXTRACT_SCAN_SAMPLES_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "extract/log/log.h"
#include "extract/format/matcher.h"

enum {
	CONTEXT_MAX_RANKS = 1 << 16 /* higher ranks have no context */
};

/* The last header of a rank; SAMPLE_NONE for values not stated. */
struct context {
	int32_t epoch, iter, iters;
	double stamp; /* as in struct sample, or NAN */
};

/* Contexts of all ranks of a log. Initialise with zeros. */
struct contexts {
	struct context *items; /* [n] by rank + 1 */
	size_t n, alloc;
};

/* Update a rank's context from a match of a context pattern. Fields that the
 * pattern does not capture keep their values.
 *
 * rank  or SAMPLE_NONE */
void contexts_update(
    struct contexts *all, const struct match *match, int32_t rank);

/* Fill in fields of a sample that its own line does not print. */
void contexts_fill(const struct contexts *all, struct sample *s);

/* A complete pair. */
struct interval_pair {
	double seconds;
	int32_t iter; /* last iteration in it, or SAMPLE_NONE */
	int32_t span; /* iterations in it, at least 1 */
	double work;  /* work per iteration, or NAN */
	double steps; /* training steps per iteration, or NAN */
	int forget;   /* 1: earlier intervals have no work */
};

/* The last begin event of a pattern. */
struct pair_begin {
	const struct pattern *pattern;
	double seconds, done, steps;
	double number;  /* iter, unrounded */
	double ended;   /* samples done at the previous end, or NAN */
	double counted; /* number of the previous interval, or NAN */
	int32_t iter, span;
	int begun;  /* 1: an earlier interval counted work */
	int closed; /* 1: has ended */
};

/* Initialise with zeros; free items. */
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

#endif
