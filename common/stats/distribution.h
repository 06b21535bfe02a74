/* Quantiles of the distributions that intervals are made from.
 *
 *	double low = s * sqrt(df / chi_square_quantile(0.975, df));
 */
#ifndef COMMON_STATS_DISTRIBUTION_H
#define COMMON_STATS_DISTRIBUTION_H

/* The x with P(Z <= x) = p of a standard normal Z, to 1e-14 (relative where
 * |x| > 1, else absolute).
 *
 * p  0 < p < 1; -INFINITY for 0, INFINITY for 1, NAN for all else
 *
 * Source: Abramowitz and Stegun 1964, 26.2.23, to start with, then two of
 * Halley's steps on erfc. */
double normal_quantile(double p);

/* The x with P(X <= x) = p of a chi-square X with df degrees of freedom, to
 * 1e-10 relative.
 *
 * p   0 < p < 1; df  > 0, need not be whole; else NAN
 *
 * Source: the regularised incomplete gamma function by its series and continued
 * fraction (Abramowitz and Stegun 1964, 6.5.29 and 6.5.31), halved. */
double chi_square_quantile(double p, double df);

/* The same of Student's t.
 *
 * Source: the regularised incomplete beta function by its continued fraction
 * (Abramowitz and Stegun 1964, 26.5.8), halved. */
double student_quantile(double p, double df);

#endif
