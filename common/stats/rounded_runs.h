/* Intervals of runs of which each is known only between two ends: what its log
 * prints was rounded.  The interval of the exact runs, whatever they are, lies
 * inside these.
 *
 *	struct rounded_runs r;
 *	rounded_runs_init(&r, n);
 *	... fill r.value, r.low, r.high ...
 *	if (rounded_median(&r, 0.95, &in, &e) == 0)
 *		... in.low to in.high ...
 *	rounded_runs_release(&r);
 */
#ifndef COMMON_STATS_ROUNDED_RUNS_H
#define COMMON_STATS_ROUNDED_RUNS_H

#include <stddef.h>

#include "common/stats/rank_test.h"

struct rounded_runs {
	double *value, *low, *high; /* [n] low <= value <= high */
	size_t n;
};

/* Room for n runs, and free it. */
void rounded_runs_init(struct rounded_runs *r, size_t n);
void rounded_runs_release(struct rounded_runs *r);

/* True if a run is known between two ends only. */
int rounded_runs_are(const struct rounded_runs *r);

/* rank_test_median, with the ends that the runs' own ends allow.  A single run
 * has its own, with the level NAN.  Returns as that. */
int rounded_median(const struct rounded_runs *r, double confidence,
    struct interval *out, struct error *e);

/* rank_test_ratio of a over b, in the same way. */
int rounded_ratio(const struct rounded_runs *a, const struct rounded_runs *b,
    double confidence, struct interval *out, struct error *e);

#endif
