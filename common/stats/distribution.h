/* Quantiles of distributions, for intervals.
 *
 *	double low = s * sqrt(df / chi_square_quantile(0.975, df));
 */
#ifndef COMMON_STATS_DISTRIBUTION_H
#define COMMON_STATS_DISTRIBUTION_H

/* Quantile of the standard normal distribution, to 1e-14 (relative if the
 * result is above 1 or below -1, else absolute).
 *
 * p  0 < p < 1; -INFINITY for 0, INFINITY for 1, else NAN
 *
 * Source: Abramowitz and Stegun 1964, 26.2.23, as start, then two Halley steps
 * on erfc. */
double normal_quantile(double p);

/* Quantile of the chi-square distribution with df degrees of freedom, to 1e-10
 * relative.
 *
 * p   0 < p < 1; df > 0, may be fractional; else NAN
 *
 * Source: regularised incomplete gamma function by series (Abramowitz and
 * Stegun 1964, 6.5.29), and bisection. */
double chi_square_quantile(double p, double df);

/* Quantile of Student's t, like chi_square_quantile.
 *
 * Source: regularised incomplete beta function by continued fraction
 * (Abramowitz and Stegun 1964, 26.5.8), and bisection. */
double student_quantile(double p, double df);

#endif
