/* Table of statistics: --list-statistics lists all, --values accepts those of
 * one sample of runs. A new statistic is a function and a row.
 */
#ifndef COMMON_STATS_STATISTICS_H
#define COMMON_STATS_STATISTICS_H

#include <stddef.h>

#include "common/stats/stats.h"

/* Samples of a statistic. */
enum statistic_sample {
	STATISTIC_OF_RUNS,  /* runs of a case, in any order */
	STATISTIC_OF_TWO,   /* runs of two cases, a compared with b */
	STATISTIC_OF_STEPS, /* step times of a run, in order */
	STATISTIC_OF_RANKS, /* times of one step on all ranks */
	N_STATISTIC_SAMPLES
};

struct statistic {
	const char *name;
	enum statistic_sample sample;
	size_t smallest_n;  /* minimum number of values (per sample) */
	stats_function *of; /* of runs; NULL for other samples */
	int has_unit;       /* 1: has the unit of the values */
	const char *sentence;
	const char *source;
};

/* Ordered by samples. The last one has the name NULL. */
extern const struct statistic statistics[];

/* Names of the samples, for --list-statistics. */
extern const char *const statistic_samples[N_STATISTIC_SAMPLES];

/* Find a statistic by name, or NULL.
 *
 * name  [len] */
const struct statistic *statistic_find(const char *name, size_t len);

/* Value of a statistic of runs; NAN below smallest_n.  x [n]. */
double statistic_of(const struct statistic *s, const double *x, size_t n);

#endif
