/* Sample size: from the spread of runs to the detectable change, and back. All
 * spreads are standard deviations of ln value, so that they apply to cases of
 * any speed.  Derivations and sources: doc/measurement.md, "Runs needed". */
#ifndef COMMON_STATS_SAMPLE_SIZE_H
#define COMMON_STATS_SAMPLE_SIZE_H

#include <stddef.h>

/* Standard deviation of ln x pooled over groups [n_groups] of n[i] values, the
 * relative spread of runs around their own case: sqrt(sum of squares around
 * each group's mean / sum of (n - 1)).  NAN if no group has 2 runs or a value
 * is not finite and above 0. */
double pooled_log_stddev(
    const double *const *x, const size_t *n, size_t n_groups);

/* Number of runs per case at which a change of the ratio by 1 + change is
 * detected with power 0.8.
 *
 * log_stddev  s, of ln speed, >= 0 (pooled_log_stddev)
 * change      > 0; 0.03 is 3 %
 * n           smallest n >= 4 with log1p(change) >= d(n) and 1 - 2/C(2n,n) >=
 *             confidence (fewer runs prove nothing at this level for any
 *             spread). d(n), the detectable change: up to 30 runs s times a
 *             simulated factor (0.95: 2.31 at 5, 0.756 at 30), above
 *             (z_{1-alpha/2} + z_0.8) s sqrt(2/n pi/3)
 *
 * Returns 0; -1 for arguments out of range (NAN too) and if it takes more than
 * a million runs. */
int runs_needed(double log_stddev, double change, double confidence, long *n);

/* The inverse: change that n runs per case detect with power 0.8. NAN for
 * arguments out of range, or if n and n runs prove nothing at this confidence
 * (3 and 3 at 0.95). */
double detectable_change(double log_stddev, long n, double confidence);

/* Interval of a standard deviation >= 0 of normal values, from chi-square; for
 * pooled_log_stddev the degrees of freedom are the sum of (n - 1).
 *
 * Returns 0 and sets low and high, or -1 for arguments out of range. */
int stddev_interval(double stddev, double freedom, double confidence,
    double *low, double *high);

/* --- several cases -------------------------------------------------------- */

/* Geometric mean of ratios. Start with RATIO_MEAN_INIT. */
struct ratio_mean {
	size_t n;         /* ratios */
	double logs;      /* sum of the logarithms of the ratios */
	double variances; /* sum of the variances of the logarithms */
	double squares;   /* sum of v^2 / degrees of freedom of each sample */
};

#define RATIO_MEAN_INIT ((struct ratio_mean){ 0, 0, 0, 0 })

/* Add the ratio of one case, after Hodges and Lehmann; NAN is ignored.
 *
 * x  [n_samples] samples of the ratio, 1 (quotients of pairs) or 2, each [n[i]]
 *    values > 0 */
void ratio_mean_add(struct ratio_mean *m, double ratio, const double *const *x,
    const size_t *n, size_t n_samples);

/* Geometric mean of the ratios; NAN without cases. Its interval: each ln ratio
 * has the variance (pi / 3) sum of s^2 / n over its samples, s the standard
 * deviation of ln x (Hodges and Lehmann 1956: pi / 3 times that of the means),
 * and the mean of all is taken with Student's t and the degrees of freedom of
 * Welch 1947, Biometrika 34, and Satterthwaite. NAN if no sample has 2 values,
 * or all have no spread. */
double ratio_mean_interval(
    const struct ratio_mean *m, double confidence, double *low, double *high);

/* Adjust p values for several tests. By Holm the probability of any false
 * positive among those with out <= alpha is at most alpha, for any dependence
 * of the tests; by Benjamini and Hochberg the expected share of false positives
 * among them, for independent or positively dependent tests.
 *
 * p     [n], 0 to 1; NAN: not tested, ignored
 * holm  1: Holm; 0: Benjamini and Hochberg
 * out   [n], adjusted p, at most 1; NAN if p is; may be p itself
 *
 * Source: Holm 1979, Scand. J. Stat. 6(2); Benjamini and Hochberg 1995, J. R.
 * Stat. Soc. B 57(1). */
void p_adjust(const double *p, size_t n, int holm, double *out);

#endif
