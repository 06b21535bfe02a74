/* The statistics of one sample, a row each: what a table's --values takes and
 * --list-statistics lists.  A new one is a function in stats.c and a row. */
#ifndef COMMON_STATS_STATISTICS_H
#define COMMON_STATS_STATISTICS_H

#include <stddef.h>

#include "common/stats/stats.h"

struct statistic {
	const char *name;
	size_t smallest_n; /* values that it takes */
	stats_function *of;
	int has_unit; /* 1: in the unit of the values */
	const char *sentence;
	const char *source;
};

/* The last one has the name NULL. */
extern const struct statistic statistics[];

/* The statistic of that name, or NULL.
 *
 * name  [len] */
const struct statistic *statistic_find(const char *name, size_t len);

/* Its value; NAN below smallest_n.  x [n] in any order. */
double statistic_of(const struct statistic *s, const double *x, size_t n);

#endif
