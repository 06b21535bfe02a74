/* How often each value of a stream occurs, where few are different: step times
 * are printed with so many digits that a log of millions of steps holds some
 * hundred.  Then quantiles need no further reading.  The results are those of
 * common/stats/stats.h and stats_stream.h, to the last bit.
 *
 *	struct value_counts c;
 *	if (value_counts_make(&c, &stream, n)) {
 *		p5 = value_counts_quantile(&c, 0.05);
 *		value_counts_release(&c);
 *	}
 */
#ifndef COMMON_STATS_VALUE_COUNTS_H
#define COMMON_STATS_VALUE_COUNTS_H

#include <stddef.h>

#include "common/stats/stats_stream.h"

enum { VALUE_COUNTS_MOST = 2048 /* different values */ };

/* A value, how often it occurs, and how often of that in the last half. */
struct counted_value {
	double value;
	size_t all, late;
};

struct value_counts {
	struct counted_value *of; /* [n_different] by their values */
	size_t n_different;
	size_t n; /* of all, n - n / 2 of them in the last half */
};

/* Count the n values of s, all finite; -0 is 0.
 *
 * Returns 1; 0 where more than VALUE_COUNTS_MOST are different, or n is 0: then
 * there is nothing to release. */
int value_counts_make(
    struct value_counts *c, const struct stats_stream *s, size_t n);
void value_counts_release(struct value_counts *c);

/* The value that a share p, 0 to 1, of all lies at or below, as
 * stats_quantile. */
double value_counts_quantile(const struct value_counts *c, double p);

/* The median of the last half. */
double value_counts_late_median(const struct value_counts *c);

/* The median of the distances of the last half from a target. */
double value_counts_late_distance(const struct value_counts *c, double target);

/* How many of all are further from a target than that. */
size_t value_counts_beyond(
    const struct value_counts *c, double target, double distance);

#endif
