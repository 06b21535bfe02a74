/* From which value on a row of step times has settled: the first steps of a run
 * pay for caches, tuning and clocks.
 *
 *	const size_t at = settled_from(&stream, NULL, n, 20);
 *	if (at == SETTLED_NEVER) ...
 */
#ifndef COMMON_STATS_SETTLED_H
#define COMMON_STATS_SETTLED_H

#include <stddef.h>
#include <stdint.h>

#include "common/stats/stats_stream.h"
#include "common/stats/value_counts.h"

enum {
	SETTLED_BLOCK = 20,  /* values of a full block */
	SETTLED_FEW = 8,     /* values that a look at blocks takes */
	SETTLED_PERCENT = 5, /* how near a block's median is in any case */
};

#define SETTLED_NEVER SIZE_MAX

/* The index of the first value from which on every `block` values that follow
 * each other have a median near that of the last half of all: within 5 %, or
 * 4.5 times what such medians scatter by where that is more; of the first of
 * them up to block / 2 values that are off are skipped.  In blocks of fewer
 * than SETTLED_BLOCK, where so few are in the last half that their scatter is
 * hardly known, the 4.5 are more.
 *
 * s       of n finite values above 0; it is read several times
 * counts  of s, or NULL: the outcome is the same, some readings are saved
 * block   1 to SETTLED_BLOCK
 *
 * Returns SETTLED_NEVER with fewer than SETTLED_FEW values, or a block, or if
 * the last block is not near.
 * Source: doc/measurement.md, "Audit". */
size_t settled_from(const struct stats_stream *s,
    const struct value_counts *counts, size_t n, size_t block);

/* The same of an array in blocks of SETTLED_BLOCK, as a statistic; NAN where it
 * never does.  x [n] finite, above 0. */
double settled_of_array(const double *x, size_t n);

#endif
