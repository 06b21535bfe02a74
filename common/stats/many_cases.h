/* Statistics over several cases: geometric mean of ratios, and p values
 * adjusted for multiple tests.
 *
 *	struct ratio_mean m = RATIO_MEAN_INIT;
 *	ratio_mean_add(&m, ratio, samples, n, 2);  for each case
 *	ratio_mean_interval(&m, 0.95, &low, &high);
 *	... ratio_mean_value(&m), low to high
 *
 *	holm_adjust(p, n, adjusted);
 *	if (adjusted[i] <= 0.05) ...  no one of the n is wrong with 95 %
 */
#ifndef COMMON_STATS_MANY_CASES_H
#define COMMON_STATS_MANY_CASES_H

#include <stddef.h>

struct ratio_mean {
	size_t n;         /* ratios */
	double logs;      /* sum of the logarithms of the ratios */
	double variances; /* sum of the variances of the logarithms */
	double squares;   /* sum of v^2 / degrees of freedom of each sample */
};

#define RATIO_MEAN_INIT \
	{ \
		0, 0, 0, 0 \
	}

/* Add the ratio of one case, after Hodges and Lehmann.
 *
 * ratio      > 0; NAN: ignored
 * x          [n_samples] samples of the ratio, 1 (quotients of pairs) or 2,
 *            each [n[i]] values > 0 */
void ratio_mean_add(struct ratio_mean *m, double ratio, const double *const *x,
    const size_t *n, size_t n_samples);

/* Geometric mean of the ratios; NAN without cases. */
double ratio_mean_value(const struct ratio_mean *m);

/* Interval of the geometric mean: each ln ratio has the variance (pi / 3) sum
 * of s^2 / n over its samples, s the standard deviation of ln x (Hodges and
 * Lehmann 1956: pi / 3 times that of the means), and the mean of all is taken
 * with Student's t and the degrees of freedom of Welch and Satterthwaite.
 *
 * low, high  NAN if no sample has 2 values, or all have no spread
 *
 * Source: Welch 1947, Biometrika 34; doc/measurement.md, "Comparison and
 * gate". */
void ratio_mean_interval(
    const struct ratio_mean *m, double confidence, double *low, double *high);

/* Holm's adjustment: the probability of any false positive among those with out
 * <= alpha is at most alpha, for any dependence of the tests.
 *
 * p    [n], 0 to 1; NAN: not tested, ignored
 * out  [n], adjusted p, at most 1; NAN if p is; may be p itself
 *
 * Source: Holm 1979, Scand. J. Stat. 6(2). */
void holm_adjust(const double *p, size_t n, double *out);

/* Adjustment of Benjamini and Hochberg: the expected share of false positives
 * among those with out <= alpha is at most alpha, for independent or positively
 * dependent tests. Arguments as for holm_adjust.
 *
 * Source: Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57(1). */
void benjamini_hochberg_adjust(const double *p, size_t n, double *out);

#endif
