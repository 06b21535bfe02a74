/* Work per second, which speedups compare.
 *
 * A rate of samples or tokens is work per second already. Seconds per iteration
 * and iterations per second need the work of an iteration, which grows with the
 * devices under weak scaling: 8 GPUs that take 0.384 s for 8 times the batch
 * that 1 GPU does in 0.359 s are 7.48 times as fast, not 0.935 times. A
 * bandwidth has no speedup.
 *
 *	struct work_scale scale;
 *	if (work_scale_of(c, baseline, strong, &scale))
 *		speedup = work_rate(scale.kind, c->median_speed, scale.own) /
 *		    work_rate(scale.kind, baseline->median_speed, scale.base);
 */
#ifndef COMMON_RESULT_WORK_RATE_H
#define COMMON_RESULT_WORK_RATE_H

#include "common/error.h"
#include "common/result/result.h"
#include "common/stats/rank_test.h"

/* Kind of a case's number, by its unit. */
enum work_kind {
	WORK_RATE,      /* "samples/s", "tokens/s", ...: higher is better */
	WORK_STEP_RATE, /* "iterations/s" */
	WORK_STEP_TIME, /* "s": seconds per iteration */
	WORK_JOB_TIME,  /* "min": time to train */
	WORK_NONE       /* "GB/s", "%", "GiB" ..., no unit: no speedup */
};

/* Kind of a unit; NULL is WORK_NONE. */
enum work_kind work_kind_of(const char *unit);

/* True if lower is better. */
int work_kind_is_time(enum work_kind kind);

/* True if the kind does not include the work of an iteration. */
int work_kind_is_per_step(enum work_kind kind);

/* True if the unit counts samples per second under any name: images, sequences,
 * examples, records. */
int unit_counts_samples(const char *unit);

/* True if the units are equal or both count samples. NULL equals only NULL. */
int unit_is_alike(const char *a, const char *b);

/* Canonical name of a unit: "samples/s" if it counts samples, else the unit
 * itself. */
const char *unit_alike_name(const char *unit);

/* True if case i of an array is not the key itself, but has the same
 * configuration, size, unit and rule. For hash_index_find. */
int case_is_same(const void *cases, size_t i, const void *key);

/* Scale that makes the numbers of two cases comparable. */
struct work_scale {
	enum work_kind kind;
	double own, base; /* work per iteration of the case and of its baseline,
			     in one unit; 1 if the kind does not need it */
	int assumed;      /* 1: batch unknown; the same batch per device is
			     assumed, as in weak scaling */
};

/* Compute the scale of a case over its baseline.
 *
 * strong  1: equal work per iteration (--scaling=strong)
 *
 * Returns 1; 0 if there is no speedup: different units or units of work, a
 * bandwidth, only one known batch, or unknown GPU counts. */
int work_scale_of(const struct result_case *c, const struct result_case *base,
    int strong, struct work_scale *scale);

/* Work per second of a number of this kind.
 *
 * value  in the unit of the case
 * work   per iteration */
double work_rate(enum work_kind kind, double value, double work);

/* Work per second of each run of a case, with its rounding bounds. With
 * WORK_RATE and work 1 these are the runs' own numbers.
 *
 * work  per iteration; NAN: that of each run, which must be known
 * a     holds the arrays of out */
void work_rates_of_runs(const struct result_case *c, enum work_kind kind,
    double work, struct arena *a, struct rounded_runs *out);

/* Set n, the headline, its interval and the means of a case from its runs,
 * n_runs >= 1. An interval of too few runs is unknown. The headline is the
 * median, or the statistic that c->score names if there are enough runs. */
void case_summarise(struct result_case *c, double confidence);

/* Count one more run, which failed, as the slowest with infinite time: the
 * olympic mean drops it and the median may not depend on it; other means are
 * infinite and become unknown, as does the interval. n does not change.
 *
 * c  summarised, with two runs or more */
void case_add_failed(struct result_case *c);

/* Set baseline, speedup, its interval and efficiency of a case over b; base and
 * baseline_flag do not change. The work of an iteration is that of the runs if
 * they state it, else that of work_scale_of. Without runs, and for times to
 * train, the speedup is that of the headlines. No interval if c->score is set.
 *
 * strong  as for work_scale_of
 *
 * Returns 1; 2 if equal batches per device are assumed; 0 with c unchanged if
 * their work cannot be compared. */
int case_speedup_over(struct result_case *c, const struct result_case *b,
    int strong, double confidence);

/* --- what follows from the runs of a result ------------------------------- */

/* Compute the speedup of each case over its base, and the flags that follow. A
 * case that is the base of itself only has no speedup. Returns the number of
 * cases for which equal batches per device are assumed. */
size_t result_speedups(struct result *r, double confidence);

/* Check that the numbers of each case follow from its runs and its baseline, to
 * the digits that they have, at least four: counts, name, median and means,
 * intervals and their levels, speedup and efficiency. Unknown numbers, and
 * those of cases without runs, are only checked for order. Any speedup is
 * accepted for iterations whose amount of work is not stated.
 *
 * Find the base of each case, and set the flags that follow from the numbers:
 * doubts of a baseline on each speedup over it, efficiencies above 1 beyond
 * their interval, utilizations above 100 %. A case whose baseline is not in the
 * result keeps its flags.
 *
 * Returns 0; -1 with ERROR_INPUT, which states file, JSON path, the number and
 * what follows: "a.json: cases[1].median_speed: 311.1, but its runs give
 * 305". */
int result_check(struct result *r, struct error *e);

#endif
