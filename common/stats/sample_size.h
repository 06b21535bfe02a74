/* Sample size: from the spread of runs to the detectable change, and back. All
 * spreads are standard deviations of ln value, so that they apply to cases of
 * any speed.
 *
 * Derivations and sources: doc/measurement.md, "Runs needed".
 *
 *	const double *cases[] = { old, new };
 *	const size_t n[] = { 5, 5 };
 *	double s = pooled_log_stddev(cases, n, 2);
 *	if (runs_needed(s, 0.03, 0.95, &runs, &e) != 0)
 *		return -1;
 */
#ifndef COMMON_STATS_SAMPLE_SIZE_H
#define COMMON_STATS_SAMPLE_SIZE_H

#include <stddef.h>

#include "common/error.h"

/* Standard deviation of ln x pooled over groups: the relative spread of runs
 * around their own case.
 *
 * x       [n_groups] of [n[i]], each > 0
 * n       [n_groups] runs per group; groups of fewer than 2 are ignored
 *
 * sqrt(sum of squares around each group's mean / sum of (n - 1)).  NAN if no
 * group has 2 runs or a value is not finite and above 0. */
double pooled_log_stddev(
    const double *const *x, const size_t *n, size_t n_groups);

/* Number of runs per case at which a change of the ratio by 1 + change is
 * detected with power 0.8.
 *
 * log_stddev  s, of ln speed, >= 0 (pooled_log_stddev)
 * change      > 0; 0.03 is 3 %
 * confidence  1 - alpha, 0 < confidence < 1
 * n           smallest n >= 4 with log1p(change) >= d(n) and 1 - 2/C(2n,n) >=
 *             confidence (fewer runs prove nothing at this level for any
 *             spread; 4 at 0.95); set on success only. d(n), the detectable
 *             change: up to 30 runs s times a simulated factor (0.95: 2.31 at
 *             5, 1.40 at 10, 0.756 at 30), above (z_{1-alpha/2} + z_0.8) s
 *             sqrt(2/n pi/3), which would give 1.81 for 5 runs, with power 59 %
 *             instead of 80 %
 *
 * Returns 0; -1 with ERROR_DOMAIN for arguments out of range (NAN too),
 * ERROR_LIMIT if it takes more than a million runs.
 * Source: doc/measurement.md, "Runs needed". */
int runs_needed(double log_stddev, double change, double confidence, long *n,
    struct error *e);

/* The inverse: change that n runs per case detect with power 0.8. NAN for
 * arguments out of range, or if n and n runs prove nothing at this confidence
 * (3 and 3 at 0.95). */
double detectable_change(double log_stddev, long n, double confidence);

/* Interval of a standard deviation of normal values, from chi-square.
 *
 * stddev   estimate, >= 0
 * freedom  degrees of freedom, > 0: for pooled_log_stddev the sum of (n - 1)
 *
 * Returns 0 and sets low and high, or -1 for arguments out of range. */
int stddev_interval(double stddev, double freedom, double confidence,
    double *low, double *high);

#endif
