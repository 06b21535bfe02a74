/* Work per second: what speedups compare.
 *
 * A rate of samples or tokens is work per second already.  Seconds per
 * iteration and iterations per second state nothing about the work of an
 * iteration, which grows with the devices where scaling is weak: 8 GPUs that
 * take 0.384 s for 8 times the batch that 1 GPU does in 0.359 s are 7.48 times
 * as fast, not 0.935 times.  A bandwidth is no work at all and has no speedup.
 *
 *	struct work_scale scale;
 *	if (work_scale_of(c, baseline, strong, &scale))
 *		speedup = work_rate(scale.kind, c->median_speed, scale.own) /
 *		    work_rate(scale.kind, baseline->median_speed, scale.base);
 */
#ifndef COMMON_RESULT_WORK_RATE_H
#define COMMON_RESULT_WORK_RATE_H

#include "common/result/result.h"
#include "common/stats/rank_test.h"

/* What the number of a case counts, by its unit. */
enum work_kind {
	WORK_RATE,      /* "samples/s", "tokens/s", ...: more is better */
	WORK_STEP_RATE, /* "iterations/s" */
	WORK_STEP_TIME, /* "s": seconds per iteration */
	WORK_JOB_TIME,  /* "min": time to train */
	WORK_NONE       /* "GB/s", "%", "GiB" ..., no unit: no speedup */
};

/* The kind of that unit; NULL is WORK_NONE. */
enum work_kind work_kind_of(const char *unit);

/* True if less is better. */
int work_kind_is_time(enum work_kind kind);

/* True if the kind leaves the work of an iteration open. */
int work_kind_is_per_step(enum work_kind kind);

/* True if the unit counts samples, by that or another name: images, sequences,
 * examples, records per second. */
int unit_counts_samples(const char *unit);

/* True if the units are equal or both count samples.  NULL is like NULL
 * only. */
int unit_is_alike(const char *a, const char *b);

/* One name of all units that are alike: "samples/s", or the unit itself. */
const char *unit_alike_name(const char *unit);

/* True if both cases count the work of an iteration in the same unit.  Seconds
 * for so many tokens and seconds for so many samples are no speedup. */
int work_is_alike(const struct result_case *a, const struct result_case *b);

/* How to make two cases' numbers comparable. */
struct work_scale {
	enum work_kind kind;
	double own, base; /* work of an iteration of the case and of its
	                     baseline, in one unit; 1 where the kind has
	                     no need of it */
	int assumed;      /* 1: no batch is known; the same on each device
	                     is assumed, as weak scaling has it */
};

/* The scale of a case over its baseline.
 *
 * strong  1: both do the same work in an iteration (--scaling=strong)
 *
 * Returns 1; 0 if there is no speedup: other units, other units of work, a
 * bandwidth, the batch of only one known, or no number of GPUs known. */
int work_scale_of(const struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale);

/* Work per second of a number of that kind.
 *
 * value  in the case's unit
 * work   of an iteration */
double work_rate(enum work_kind kind, double value, double work);

/* The same of each run of a case and of what its rounding allows; of
 * WORK_RATE and 1 they are the runs' numbers themselves.
 *
 * out  to be released by the caller */
void work_rates_of_runs(const struct result_case *c, enum work_kind kind,
    double work, struct rounded_runs *out);

#endif
