/* Speedups over a series that several results make together.  Inside of
 * common/series; series.c calls it. */
#ifndef COMMON_SERIES_SERIES_SPEEDUP_H
#define COMMON_SERIES_SERIES_SPEEDUP_H

#include "common/arena.h"
#include "common/series/series_set.h"

/* Where the points of a series are from several files: give each a copy of its
 * case, with baseline, speedup, its interval and efficiency over the smallest
 * case of the whole series (the one that --baseline named, where it did) on the
 * same device.  A case that has none loses the speedup that it had over its own
 * file's.
 *
 * s  points sorted by GPUs, then nodes
 * a  where the copies live */
void series_speedup(struct series *s, struct arena *a);

#endif
