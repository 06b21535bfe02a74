/* Rank-based intervals and tests for a few runs: one stalled run among five
 * does no harm and no distribution is assumed.
 *
 * Values are finite and, for ratios, above 0; samples are not empty; 0 <
 * confidence < 1.  Otherwise the result is -1 and the output unchanged. Each
 * interval states the level that it achieves. Derivations and sources:
 * doc/measurement.md.
 *
 *	struct interval i;
 *	if (rank_test_ratio(speeds, 5, baseline, 5, 0.95, &i) != 0)
 *		return -1;
 *	... i.level is 0.968: the true speedup lies in i.low to i.high
 */
#ifndef COMMON_STATS_RANK_TEST_H
#define COMMON_STATS_RANK_TEST_H

#include <stddef.h>

/* Interval and its level. All three are NAN without an interval (a single
 * run). */
struct interval {
	double low, high; /* inclusive, in the unit of the values */
	double level;     /* achieved, in (0, 1); may be below confidence */
	size_t rank;      /* k or c: from the rank-th value to the rank-th from
			     the end; 0 without an interval */
	double middle;    /* Hodges-Lehmann estimate of a ratio */
};

/* Interval of the median of x [n] from its order statistics: from the k-th
 * value to the k-th from the end, with the largest k that reaches confidence,
 * else k = 1 with its lower level (n = 5: 0.9375).
 * Source: David and Nagaraja 2003, Order Statistics, section 7.1. */
int rank_test_median(
    const double *x, size_t n, double confidence, struct interval *out);

/* Interval of the ratio a / b of samples [m] and [n], from the sorted
 * quotients: from the c-th to the c-th from the end, with the largest c whose
 * level 1 - 2 P(U <= c-1), U the Mann-Whitney U of m and n values, reaches
 * confidence, else c = 1 (5 and 5: c = 3, 0.9683; 3 and 3 reach only 0.90).
 *
 * Its middle is the median of all quotients; for an even number the geometric
 * mean of the two middle ones.
 *
 * A speedup of speeds is ratio(fast, baseline); of times ratio(baseline, fast).
 * Returns -1 also if a quotient overflows. The pairs are not stored: about 64
 * (m + n) steps per end.
 * Source: Hollander, Wolfe, Chicken 2014, Nonparametric Statistical Methods,
 * section 4.3. */
int rank_test_ratio(const double *a, size_t m, const double *b, size_t n,
    double confidence, struct interval *out);

/* Rank c of this interval and its achieved level, without its ends. */
struct interval rank_test_ratio_rank(size_t m, size_t n, double confidence);

/* P(U <= u) of the Mann-Whitney U of m and n values, m, n >= 1: exact while 2
 * min(m,n)^2 max(m,n) <= 5e7 (290 and 290), else the normal approximation with
 * continuity correction. */
double rank_test_u_at_most(size_t m, size_t n, size_t u);

/* Level of rank_test_ratio's interval of rank c if the spread of one sample is
 * negligible: min(L_m(ceil(c / n)), L_n(ceil(c / m))) with L the level of the
 * median. NAN for fewer than 2 of each. */
double rank_test_limit_level(size_t m, size_t n, size_t c);

/* Two-sided Mann-Whitney test. The null hypothesis is that a [m] and b [n], of
 * any unit, have the same distribution.
 *
 * p     0 < p <= 1: share of all C(m+n, m) divisions of the pooled values into
 *       m and n whose rank sum (midranks for ties) is at least as far from its
 *       mean as the observed one. Exact while (m + n) min(m,n)^2 max(m,n) <=
 *       5e7 (70 and 70), and without ties like rank_test_u_at_most; else normal
 *       approximation, tie-corrected variance, continuity correction 1/2
 *
 * Source: Mann and Whitney 1947, Ann. Math. Stat. 18(1); Lehmann 1975,
 * Nonparametrics, section 1.4 (ties). */
int rank_test_mann_whitney(
    const double *a, size_t m, const double *b, size_t n, double *p);

/* Smallest one-sided p that m and n runs can reach or, if of_one is set, that
 * the median of m runs or m pairs can. The level of their intervals is at most
 * 1 - 2 p. */
double rank_test_least_p(size_t m, size_t n, int of_one);

/* Smallest n, from 2 to 1000, at which n and n runs (the median of n runs, n
 * pairs) can reach this one-sided p. */
long rank_test_runs_for(double p, int of_one);

/* --- rounded runs --------------------------------------------------------- */

/* Runs known only up to the rounding of their logs: each has a lower and an
 * upper bound. The intervals below contain the interval of the exact runs. */
struct rounded_runs {
	double *value, *low, *high; /* [n] low <= value <= high */
	size_t n;
};

/* Like rank_test_median, widened by the bounds of the runs. For a single run
 * its own bounds, with level NAN. */
int rounded_median(
    const struct rounded_runs *r, double confidence, struct interval *out);

/* Most pairs that the functions below take; their time grows as the square. */
enum { SIGNED_RANK_MAX_PAIRS = 2000 };

/* Like rank_test_ratio of a over b, widened by the bounds of the runs.
 *
 * b  NULL: a has the quotients of pairs. The middle is then exp of the median
 *    of all n (n + 1) / 2 means of two ln r (each with itself too); the
 *    interval reaches from the k-th of these to the k-th from the end, with the
 *    largest k whose level 1 - 2 P(V <= k - 1), V of Wilcoxon's signed ranks,
 *    reaches confidence, else k = 1 (6 pairs: 0.96875; fewer cannot reach 0.95)
 *
 * Source: Hollander, Wolfe and Chicken 2014, sections 3.1 to 3.3 and 4.3. */
int rounded_ratio(const struct rounded_runs *a, const struct rounded_runs *b,
    double confidence, struct interval *out);

/* One-sided test of the ratio of a and b, or of pairs. The null hypothesis is
 * that it equals bound > 0. Each run counts with the bound of its rounding
 * interval that is least favourable to the claim. A quotient equal to the bound
 * counts against both claims.
 *
 * below  1: the claim is that the ratio is below the bound, 0.97 for "slower by
 *        more than 3 %"; 0: above it
 *
 * Returns p: P(U <= number of quotients that contradict the claim), or the p of
 * the signed ranks; NAN for arguments out of range. */
double rounded_side(const struct rounded_runs *a, const struct rounded_runs *b,
    double bound, int below);

/* Two-sided test of a ratio of 1: of a and b by rank_test_mann_whitney, of
 * pairs by signed ranks, with midranks for ties and without ratios of 1: exact
 * up to 60 pairs, else normal with tie-corrected variance and continuity
 * correction. For rounded runs p is at least twice the smaller one-sided p. */
int rounded_p(
    const struct rounded_runs *a, const struct rounded_runs *b, double *p);

/* --- sample size ---------------------------------------------------------- */

/* From the spread of runs to the detectable change, and back. All spreads are
 * standard deviations of ln value, so that they apply to cases of any speed.
 * Derivations and sources: doc/measurement.md, "Runs needed". */

/* Sum of the squares of ln x [n] around their mean, from which the relative
 * spread of runs around their own case follows: sqrt(sum over cases / sum of
 * (n - 1)). 0 for one value; NAN if one is not finite and above 0. */
double log_squares(const double *x, size_t n);

/* Number of runs per case at which a change of the ratio by 1 + change is
 * detected with power 0.8.
 *
 * log_stddev  s, of ln speed, >= 0 (log_squares)
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

/* Interval of a standard deviation >= 0 of normal values, from chi-square; of
 * several cases the degrees of freedom are the sum of (n - 1).
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
 * a, b  its samples, each > 0; b is NULL if a has quotients of pairs */
void ratio_mean_add(struct ratio_mean *m, double ratio,
    const struct rounded_runs *a, const struct rounded_runs *b);

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
