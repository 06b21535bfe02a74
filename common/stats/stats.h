/* Descriptive statistics over arrays of double: what one number states about
 * many.  Nothing here prints, keeps state or changes its input, except the
 * functions whose comment warns that they reorder.
 *
 * Invariants: a statistic is NAN where it is not defined: fewer values than
 * its minimum, or a value that is not finite.  So one test
 * with isfinite() after a call is enough.  Memory comes from xmalloc.
 * Derivations and sources: doc/measurement.md.
 *
 *	double speeds[] = { 112.22, 112.18, 112.12, 112.18, 112.21 };
 *	double headline = stats_median(speeds, 5);  -> 112.18
 *	double olympic = stats_olympic_mean(speeds, 5);  -> 112.19
 */
#ifndef COMMON_STATS_STATS_H
#define COMMON_STATS_STATS_H

#include <math.h>
#include <stddef.h>

/* A sum over many terms that keeps what rounding drops (Neumaier 1974): its
 * error does not grow with the number of terms.  Start with { 0, 0 }.
 *
 *	struct stats_sum s = STATS_SUM_INIT;
 *	stats_sum_add(&s, step_s);
 *	total_s = stats_sum_value(&s); */
struct stats_sum {
	double sum;   /* as a plain sum has it */
	double carry; /* what the plain sum lost */
};

#define STATS_SUM_INIT \
	{ \
		0.0, 0.0 \
	}

/* Add one term. */
static inline void
stats_sum_add(struct stats_sum *s, double term)
{
	const double sum = s->sum + term;

	/* What is lost is lost from the smaller of the two. */
	if (fabs(s->sum) >= fabs(term))
		s->carry += (s->sum - sum) + term;
	else
		s->carry += (term - sum) + s->sum;
	s->sum = sum;
}

/* The sum so far. */
double stats_sum_value(const struct stats_sum *s);

/* The signature of a statistic: x [n], in any unit and any order. */
typedef double stats_function(const double *x, size_t n);

/* Arithmetic mean, compensated sum.  n >= 1. */
double stats_mean(const double *x, size_t n);

/* Middle value of the sorted x; mean of the two middle ones for even n.
 * n >= 1. */
double stats_median(const double *x, size_t n);

/* n / sum(1 / x): the mean of rates that each did the same work.  All x > 0,
 * else NAN.  n >= 1. */
double stats_harmonic_mean(const double *x, size_t n);

/* exp of the mean of ln x: of ratios.  All x > 0, else NAN.  n >= 1.
 * Source: Fleming and Wallace 1986, CACM 29(3). */
double stats_geometric_mean(const double *x, size_t n);

/* Mean without the smallest and the largest value (one each).  n >= 3.
 * Source: MLPerf training rules, "olympic scoring". */
double stats_olympic_mean(const double *x, size_t n);

/* Smallest, largest value.  n >= 1. */
double stats_min(const double *x, size_t n);
double stats_max(const double *x, size_t n);

/* Sum of (x - mean)^2 / (n - 1), two passes.  n >= 2. */
double stats_variance(const double *x, size_t n);

/* Square root of the variance, in the unit of x.  n >= 2. */
double stats_stddev(const double *x, size_t n);

/* stddev / mean, no unit; NAN unless the mean is above 0.  n >= 2. */
double stats_cv(const double *x, size_t n);

/* Median of |x - median|, not scaled: times 1.4826 it estimates the standard
 * deviation of normal values.  n >= 1. */
double stats_mad(const double *x, size_t n);

/* The value that the share p of x lies at or below.
 *
 * p  0 <= p <= 1, else NAN
 *
 * Definition 7 of Hyndman and Fan 1996 (Am. Stat. 50(4)), the default of R and
 * numpy: h = (n - 1) p, linear between the sorted x[floor h] and x[ceil h]
 * (from 0).  It is the one of the audit because its p50 is the median, for
 * even n too.  n >= 1. */
double stats_quantile(const double *x, size_t n, double p);

/* The same of an x that is reordered: no copy, O(n). */
double stats_quantile_reorder(double *x, size_t n, double p);

/* How many of x lie further from the median than STATS_OUTLIER_MADS times their
 * median distance from it, which for normal values are ten standard deviations.
 * 0 where that distance is 0.  n >= 1.
 * Source: Hampel 1974, JASA 69; the number is hyperfine's. */
#define STATS_OUTLIER_MADS 14.826
double stats_outliers(const double *x, size_t n);

/* The share of the sum of step times that is in stalls: steps of more than
 * twice the median.
 *
 * x       [n] times, >= 0; n >= 1
 * weight  [n] how many steps each stands for; NULL: one
 */
double stats_stall_share(const double *x, const double *weight, size_t n);

/* By which share of its median a row of step times rises from its start to its
 * end: stats_theil_sen times the positions that it spans over the median.
 *
 * position  [n] ascending, or NULL for 0, 1, 2, ...
 * x         [n], n >= 2
 */
double stats_drift(const double *position, const double *x, size_t n);

/* By how much the slowest rank is later than the mean of all in a step: max /
 * mean - 1.  x [n] times of the ranks, n >= 1. */
double stats_imbalance(const double *x, size_t n);

/* Sort ascending in place.  No NAN in x. */
void stats_sort(double *x, size_t n);

/* The value that would stand at index k (from 0, < n) if x were sorted; x is
 * reordered so that it stands there with none larger before it.  O(n), no
 * memory.  No NAN in x. */
double stats_select(double *x, size_t n, size_t k);

/* The median of x, which is reordered: for many medians of scratch arrays.
 * n >= 1, all finite, else NAN. */
double stats_median_reorder(double *x, size_t n);

/* Above so many points stats_theil_sen takes Theil's incomplete method. */
enum { STATS_THEIL_SEN_COMPLETE = 1024 };

/* Slope of y over x that outliers do not bend: the median of the slopes of
 * pairs of points (Theil 1950, Sen 1968).
 *
 * x  [n] ascending, or NULL for 0, 1, 2, ...; pairs of equal x are excluded
 * y  [n]
 *
 * Up to STATS_THEIL_SEN_COMPLETE points: all n (n - 1) / 2 pairs, Sen's median.
 * Above: the pairs (i, i + ceil(n/2)), the "incomplete method" of the same
 * paper by Theil; every point is in a pair (but the middle one of an odd n) and
 * the cost is O(n).  n >= 2; NAN if no two x differ, a value is not finite or
 * x is not ascending. */
double stats_theil_sen(const double *x, const double *y, size_t n);

#endif
