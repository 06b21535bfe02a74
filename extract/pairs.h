/* Events that come in pairs: a "begin" pattern notes a time, the "end" or "lap"
 * pattern behind it in the format file makes the seconds since out of it.  An
 * end gives a figure of the whole run, a lap a step.  Internal to extract/.
 *
 *	struct pairs all = { 0 };
 *	pairs_begin(&all, hit);
 *	if (pairs_end(&all, hit, &x) == 0) ... x.seconds ...
 *	pairs_release(&all);
 */
#ifndef EXTRACT_PAIRS_H
#define EXTRACT_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "extract/match.h"

/* One pair that is complete. */
struct interval {
	double seconds;
	int32_t iter; /* of the last iteration in it, or SAMPLE_NONE */
	int32_t span; /* iterations in it, at least 1 */
	double work;  /* samples of one of its iterations, or NAN */
};

/* What a begin said. */
struct pair_begin {
	const struct pattern *pattern;
	double seconds, done;
	double ended; /* samples done at the end before it, or NAN */
	int32_t iter, span;
	int closed; /* an end came behind it */
};

struct pairs {
	struct pair_begin *items;
	size_t n, alloc;
};

/* Take down a match of a begin pattern.  One that comes again before its end,
 * as when each rank prints it, is the same event unless its iteration is
 * another. */
void pairs_begin(struct pairs *all, const struct hit *hit);

/* The interval that a match of an end or lap pattern completes.  Returns 0; -1
 * where nothing began, the times make no sense, or samples are counted but not
 * those of the interval. */
int pairs_end(struct pairs *all, const struct hit *hit, struct interval *x);

/* Free the list; there are none then. */
void pairs_release(struct pairs *all);

#endif
