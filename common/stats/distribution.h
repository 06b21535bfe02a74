/* Quantiles of distributions, for intervals; p from 0 to 1, else NAN. */
#ifndef COMMON_STATS_DISTRIBUTION_H
#define COMMON_STATS_DISTRIBUTION_H

/* Of the standard normal distribution, to 1e-14 (relative if the result is
 * above 1 or below -1, else absolute); -INFINITY for 0, INFINITY for 1.
 * Source: Abramowitz and Stegun 1964, 26.2.23, as start, then two Halley steps
 * on erfc. */
double normal_quantile(double p);

/* Of the chi-square distribution with df > 0 degrees of freedom, which may be
 * fractional, to 1e-10 relative.
 * Source: regularised incomplete gamma function by series (Abramowitz and
 * Stegun 1964, 6.5.29), and bisection. */
double chi_square_quantile(double p, double df);

/* Of Student's t, likewise.
 * Source: regularised incomplete beta function by its series (Abramowitz and
 * Stegun 1964, 26.5.4), and bisection. */
double student_quantile(double p, double df);

#endif
