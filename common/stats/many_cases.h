/* What several cases show together: the geometric mean of their ratios, and p
 * values adjusted for the number of tests.
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
	double logs;      /* sum of their logarithms */
	double variances; /* sum of the variances of these */
	double squares;   /* sum of v^2 / degrees of freedom of each sample */
};

#define RATIO_MEAN_INIT \
	{ \
		0, 0, 0, 0 \
	}

/* Add the ratio of one case, after Hodges and Lehmann.
 *
 * ratio      > 0; NAN: the case is not counted
 * x          [n_samples] the samples that it is of, 1 (quotients of pairs) or
 *            2, each [n[i]] values > 0 */
void ratio_mean_add(struct ratio_mean *m, double ratio, const double *const *x,
    const size_t *n, size_t n_samples);

/* exp of the mean of ln ratio; NAN of no case. */
double ratio_mean_value(const struct ratio_mean *m);

/* Its interval: each ln ratio has the variance (pi / 3) sum of s^2 / n over its
 * samples, s the standard deviation of ln x (Hodges and Lehmann 1956: pi / 3
 * times that of the means), and the mean of all is taken with Student's t and
 * the degrees of freedom of Welch and Satterthwaite.
 *
 * low, high  NAN where no sample has 2 values, or none any spread
 *
 * Source: Welch 1947, Biometrika 34; doc/measurement.md, "Comparison and
 * gate". */
void ratio_mean_interval(
    const struct ratio_mean *m, double confidence, double *low, double *high);

/* Holm: at most the share alpha of whole families has a false one among those
 * with out <= alpha, whatever depends on what.
 *
 * p    [n], 0 to 1; NAN: was not tested, is not counted
 * out  [n], p or more, at most 1; NAN where p is; may be p itself
 *
 * Source: Holm 1979, Scand. J. Stat. 6(2). */
void holm_adjust(const double *p, size_t n, double *out);

/* Benjamini and Hochberg: of those with out <= alpha at most the share alpha is
 * false in the mean, for independent or positively dependent tests.  As
 * holm_adjust.
 *
 * Source: Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57(1). */
void benjamini_hochberg_adjust(const double *p, size_t n, double *out);

#endif
