/* The statistics that the programs show, a row each: --list-statistics lists
 * all, and a table's --values takes those of one sample of runs.  A new one is
 * a function and a row.
 */
#ifndef COMMON_STATS_STATISTICS_H
#define COMMON_STATS_STATISTICS_H

#include <stddef.h>

#include "common/stats/stats.h"

/* What a statistic is of. */
enum statistic_sample {
	STATISTIC_OF_RUNS,  /* the runs of a case, in any order */
	STATISTIC_OF_TWO,   /* the runs of two cases, a compared with b */
	STATISTIC_OF_STEPS, /* the times of a run's steps, in their order */
	STATISTIC_OF_RANKS, /* the times of one step on all ranks */
	N_STATISTIC_SAMPLES
};

/* The signature of a statistic of two samples: a [m], b [n], in one unit and
 * any order, each of smallest_n or more; NAN where it is not defined. */
typedef double statistic_of_two(
    const double *a, size_t m, const double *b, size_t n);

struct statistic {
	const char *name;
	enum statistic_sample sample;
	size_t smallest_n;  /* values that it takes; of two: of each */
	stats_function *of; /* NULL: of two */
	statistic_of_two *of_two;
	int has_unit; /* 1: in the unit of the values */
	const char *sentence;
	const char *source;
};

/* By samples; the last one has the name NULL. */
extern const struct statistic statistics[];

/* What the samples are called, for a list of all. */
extern const char *const statistic_samples[N_STATISTIC_SAMPLES];

/* The statistic of that name, or NULL.
 *
 * name  [len] */
const struct statistic *statistic_find(const char *name, size_t len);

/* Its value; NAN below smallest_n.  x [n]; not of two. */
double statistic_of(const struct statistic *s, const double *x, size_t n);

#endif
