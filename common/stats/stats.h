/* Descriptive statistics over arrays of double. A statistic is NAN if it is
 * undefined: too few values, or a value that is not finite. One isfinite()
 * after a call is enough.  Derivations and sources: doc/measurement.md. */
#ifndef COMMON_STATS_STATS_H
#define COMMON_STATS_STATS_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

/* Compensated sum (Neumaier 1974): its error does not grow with the number of
 * terms. Start with STATS_SUM_INIT. */
struct stats_sum {
	double sum;   /* plain sum */
	double carry; /* rounding error of the plain sum */
};

#define STATS_SUM_INIT ((struct stats_sum){ 0.0, 0.0 })

static inline void
stats_sum_add(struct stats_sum *s, double term)
{
	const double sum = s->sum + term;

	/* The rounding error is that of the smaller operand. */
	if (fabs(s->sum) >= fabs(term))
		s->carry += (s->sum - sum) + term;
	else
		s->carry += (term - sum) + s->sum;
	s->sum = sum;
}

static inline double
stats_sum_value(const struct stats_sum *s)
{
	return s->sum + s->carry;
}

/* Statistic of x [n], in any unit and any order. */
typedef double stats_function(const double *x, size_t n);

/* Arithmetic mean, by a compensated sum. */
double stats_mean(const double *x, size_t n);

/* Middle value of the sorted x; mean of the two middle ones for even n. */
double stats_median(const double *x, size_t n);

/* Harmonic mean n / sum(1 / x), for rates of equal work. All x > 0, else
 * NAN. */
double stats_harmonic_mean(const double *x, size_t n);

/* Mean without the smallest and the largest value (one each).  n >= 3.
 * Source: MLPerf training rules, "olympic scoring". */
double stats_olympic_mean(const double *x, size_t n);

struct interval;

/* Interval of the olympic mean by Student's t, from the variance of the values
 * after the smallest and the largest are replaced by their neighbours.
 *
 * Returns 0, or -1 with n < 4 or a value that is not finite.
 * Source: Tukey and McLaughlin 1963, Sankhya A 25(3). */
int stats_olympic_interval(
    const double *x, size_t n, double confidence, struct interval *out);

/* Smallest, largest value. */
double stats_min(const double *x, size_t n);
double stats_max(const double *x, size_t n);

/* Sum of (x - mean)^2 / (n - 1), two passes, and its square root.  n >= 2. */
double stats_variance(const double *x, size_t n);
double stats_stddev(const double *x, size_t n);

/* stddev / mean, no unit; NAN unless the mean is above 0.  n >= 2. */
double stats_cv(const double *x, size_t n);

/* Median of |x - median|, not scaled: times 1.4826 it estimates the standard
 * deviation of normal values. */
double stats_mad(const double *x, size_t n);

/* Quantile: the value with a share p of x at or below it, 0 <= p <= 1, else
 * NAN.  Definition 7 of Hyndman and Fan 1996 (Am. Stat. 50(4)), the default of
 * R and numpy: h = (n - 1) p, linear between the sorted x[floor h] and
 * x[ceil h] (from 0), so that p = 1/2 is the median, also for even n. */
double stats_quantile(const double *x, size_t n, double p);

/* The value at index i (from 0, < n) of the sorted x, plus a share below 1 of
 * the distance to the next one. Reorders x so that it is at i with no larger
 * value before it. O(n), no memory. No NAN in x. */
double stats_value_at(double *x, size_t n, size_t i, double share);

/* Like stats_quantile, but reorders x: no copy, O(n). */
double stats_quantile_reorder(double *x, size_t n, double p);

/* Number of values further from the median than STATS_OUTLIER_MADS times their
 * median distance from it, which for normal values is ten standard deviations.
 * 0 if that distance is 0.
 * Source: Hampel 1974, JASA 69; the factor is hyperfine's. */
#define STATS_OUTLIER_MADS 14.826
double stats_outliers(const double *x, size_t n);

/* Order of two doubles, or of structs that begin with one, for qsort. */
int double_order(const void *a, const void *b);

/* Sort ascending in place.  No NAN in x. */
void stats_sort(double *x, size_t n);

/* Sorted copy of x, freed by the caller. No NAN in x. */
double *stats_sorted(const double *x, size_t n);

/* Median of a scratch array x, which is reordered: of all values, or of the
 * finite ones. */
double stats_median_reorder(double *x, size_t n);
double stats_median_known(double *x, size_t n);

/* --- quantiles of distributions, for intervals; p from 0 to 1, else NAN --- */

/* Quantile of the standard normal distribution, to 1e-14 (relative above 1 and
 * below -1, else absolute); -INFINITY for 0, INFINITY for 1.
 * Source: Abramowitz and Stegun 1964, 26.2.23, as start, then two Halley steps
 * on erfc. */
double normal_quantile(double p);

/* Quantile of the chi-square distribution with df > 0 degrees of freedom, which
 * may be fractional, to 1e-10 relative.
 * Source: regularised incomplete gamma function by series (Abramowitz and
 * Stegun 1964, 6.5.29), and bisection. */
double chi_square_quantile(double p, double df);

/* Quantile of Student's t, likewise.
 * Source: regularised incomplete beta function by its series (Abramowitz and
 * Stegun 1964, 26.5.4), and bisection. */
double student_quantile(double p, double df);

/* --- table of statistics -------------------------------------------------- */

/* A statistic of the runs of a case. */
struct statistic {
	const char *name;
	size_t smallest_n; /* minimum number of values */
	stats_function *of;
	int has_unit; /* 1: has the unit of the values */
	const char *sentence;
	const char *source;
};

/* The last one has the name NULL. */
extern const struct statistic statistics[];

/* Print the name, smallest number of runs, sentence and source of each, also of
 * the statistics for two cases, for steps and for ranks. */
void statistics_print(FILE *f);

/* Find a statistic by name, or NULL. */
const struct statistic *statistic_find(const char *name);

/* Value of a statistic of runs; NAN below smallest_n.  x [n]. */
double statistic_of(const struct statistic *s, const double *x, size_t n);

#endif
