#include <config.h>

#include "common/defaults.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* True if there are at least min_n values, all finite. */
static int
usable_values(const double *x, size_t n, size_t min_n)
{
	if (n < min_n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return 0;
	return 1;
}

int
double_order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof *x, double_order);
}

double *
stats_sorted(const double *x, size_t n)
{
	double *copy =
	    memcpy(xreallocarray(NULL, n, sizeof *copy), x, n * sizeof *copy);

	stats_sort(copy, n);
	return copy;
}

/* Move the values of x[lo..hi) below the pivot, or not above it if same is set,
 * to the front, without unpredictable branches: five times as fast as Hoare's
 * partition on millions of values. Returns the index after them. */
static size_t
part_values(double *x, size_t lo, size_t hi, double pivot, int same)
{
	for (size_t i = lo; i < hi; i++) {
		const double v = x[i];

		x[i] = x[lo];
		x[lo] = v;
		lo += (v < pivot) | (same & (v <= pivot));
	}
	return lo;
}

/* Reorder x so that x[k] is the value that it would have in sorted order and no
 * larger value precedes it: Hoare's FIND with pivots of a fixed random
 * sequence, so that no order of the values costs O(n^2). Returns x[k]. */
static double
select_value(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n;
	uint32_t random = 1;

	assert(k < n);
	while (hi - lo > 1) {
		double pivot;
		size_t same;

		random = random * 1664525 + 1013904223;
		pivot = x[lo + (random >> 8) % (hi - lo)];
		same = part_values(x, lo, hi, pivot, 0);
		if (k < same) {
			hi = same;
			continue;
		}
		lo = part_values(x, same, hi, pivot, 1);
		if (k < lo)
			break; /* the pivot */
	}
	return x[k];
}

double
stats_value_at(double *x, size_t n, size_t i, double share)
{
	const double low = select_value(x, n, i);
	double high;

	if (i + 1 == n || !(share > 0))
		return low;
	high = x[i + 1];
	for (size_t k = i + 2; k < n; k++)
		high = x[k] < high ? x[k] : high;
	/* This form rounds like the median for a share of 1/2. */
	return low < high ? (1.0 - share) * low + share * high : low;
}

double
stats_quantile_reorder(double *x, size_t n, double p)
{
	const double at = (double)(n - 1) * p;

	if (!usable_values(x, n, 1) || !(p >= 0.0 && p <= 1.0))
		return NAN;
	return stats_value_at(x, n, (size_t)at, at - floor(at));
}

double
stats_median_reorder(double *x, size_t n)
{
	return stats_quantile_reorder(x, n, 0.5);
}

double
stats_quantile(const double *x, size_t n, double p)
{
	double *copy, value;

	if (n == 0)
		return NAN;
	copy =
	    memcpy(xreallocarray(NULL, n, sizeof *copy), x, n * sizeof *copy);
	value = stats_quantile_reorder(copy, n, p);
	free(copy);
	return value;
}

double
stats_median_known(double *x, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]))
			x[known++] = x[i];
	return stats_median_reorder(x, known);
}

double
stats_median(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

/* Sum of f(x), of x if f is NULL. */
static double
sum_of(const double *x, size_t n, double (*f)(double))
{
	struct stats_sum sum = STATS_SUM_INIT;

	for (size_t i = 0; i < n; i++)
		stats_sum_add(&sum, f != NULL ? f(x[i]) : x[i]);
	return stats_sum_value(&sum);
}

double
stats_mean(const double *x, size_t n)
{
	return usable_values(x, n, 1) ? sum_of(x, n, NULL) / (double)n : NAN;
}

static double
reciprocal(double x)
{
	return 1.0 / x;
}

double
stats_harmonic_mean(const double *x, size_t n)
{
	return stats_min(x, n) > 0.0 ? (double)n / sum_of(x, n, reciprocal)
				     : NAN;
}

/* NAN unless all x > 0. Source: Fleming and Wallace 1986, CACM 29(3). */
static double
stats_geometric_mean(const double *x, size_t n)
{
	return stats_min(x, n) > 0.0 ? exp(sum_of(x, n, log) / (double)n) : NAN;
}

double
stats_olympic_mean(const double *x, size_t n)
{
	double *copy, mean;

	if (!usable_values(x, n, 3))
		return NAN;
	copy = stats_sorted(x, n);
	mean = stats_mean(copy + 1, n - 2);
	free(copy);
	return mean;
}

int
stats_olympic_interval(
    const double *x, size_t n, double confidence, struct interval *out)
{
	const double mean = stats_olympic_mean(x, n);
	double *copy, half;

	if (n < 4 || isnan(mean))
		return -1;
	copy = stats_sorted(x, n);
	copy[0] = copy[1];
	copy[n - 1] = copy[n - 2];
	half = student_quantile((1 + confidence) / 2, (double)(n - 3)) *
	    sqrt(stats_variance(copy, n) * (double)n) / (double)(n - 2);
	free(copy);
	*out =
	    (struct interval){ mean - half, mean + half, confidence, 0, mean };
	return 0;
}

double
stats_min(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.0);
}

double
stats_max(const double *x, size_t n)
{
	return stats_quantile(x, n, 1.0);
}

double
stats_variance(const double *x, size_t n)
{
	struct stats_sum squares = STATS_SUM_INIT;
	double mean;

	if (!usable_values(x, n, 2))
		return NAN;
	mean = stats_mean(x, n);
	for (size_t i = 0; i < n; i++)
		stats_sum_add(&squares, (x[i] - mean) * (x[i] - mean));
	return stats_sum_value(&squares) / (double)(n - 1);
}

double
stats_stddev(const double *x, size_t n)
{
	return sqrt(stats_variance(x, n));
}

double
stats_cv(const double *x, size_t n)
{
	const double mean = stats_mean(x, n);

	return mean > 0.0 ? stats_stddev(x, n) / mean : NAN;
}

double
stats_mad(const double *x, size_t n)
{
	const double middle = stats_median(x, n);
	double *distance = xcalloc(n, sizeof *distance), median;

	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(x[i] - middle);
	median = stats_median_reorder(distance, n);
	free(distance);
	return median;
}

double
stats_outliers(const double *x, size_t n)
{
	const double mad = stats_mad(x, n);
	double middle, far = 0;

	if (isnan(mad))
		return NAN;
	middle = stats_median(x, n);
	for (size_t i = 0; i < n; i++)
		far +=
		    mad > 0 && fabs(x[i] - middle) > STATS_OUTLIER_MADS * mad;
	return far;
}

/* --- quantiles of distributions ------------------------------------------- */

static const double pi = 3.14159265358979323846;

/* Quantile for 0 < p <= 1/2. */
static double
lower_quantile(double p)
{
	const double t = sqrt(-2.0 * log(p));
	double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
		(1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
	    t;

	/* The initial error is below 4.5e-4; each step cubes it. */
	for (int i = 0; i < 2; i++) {
		const double off = erfc(-x / sqrt(2.0)) / 2.0 - p;
		const double u = off * sqrt(2.0 * pi) * exp(x * x / 2.0);

		x -= u / (1.0 + x * u / 2.0);
	}
	return x;
}

double
normal_quantile(double p)
{
	if (!(p >= 0.0 && p <= 1.0))
		return NAN;
	if (p <= 0.0)
		return -INFINITY;
	if (p >= 1.0)
		return INFINITY;
	return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1.0 - p);
}

enum { MAX_TERMS = 10000 };

/* P(X > x) of chi-square: the series of the incomplete gamma function. */
static double
chi_square_above(double x, double df)
{
	const double a = df / 2.0, half = x / 2.0;
	double term = 1.0 / a, sum = term;

	for (int k = 1; k < MAX_TERMS && term > sum * DBL_EPSILON / 4.0; k++) {
		term *= half / (a + k);
		sum += term;
	}
	return 1.0 - sum * exp(a * log(half) - half - lgamma(a));
}

/* I_x(a, b) by its series, all of whose terms are positive; for x <= 1/2. */
static double
beta_series(double a, double b, double x)
{
	double term = 1.0 / a, sum = term;

	for (int k = 0; k < MAX_TERMS && term > sum * DBL_EPSILON / 4.0; k++) {
		term *= (a + b + k) / (a + 1 + k) * x;
		sum += term;
	}
	return sum *
	    exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		lgamma(b));
}

/* P(T > t) of Student's t, for t > 0. */
static double
student_above(double t, double df)
{
	const double x = df / (df + t * t), y = t * t / (df + t * t);

	return x < 0.5 ? beta_series(df / 2.0, 0.5, x) / 2.0
		       : (1.0 - beta_series(0.5, df / 2.0, y)) / 2.0;
}

/* Quantile x > 0 of p: doubling, then bisection to the tolerance; NAN for
 * arguments out of range.
 *
 * above  P(X > x) */
static double
search_quantile(
    double (*above)(double x, double df), double p, double df, double tolerance)
{
	double low = 0.0, high = 1.0;

	if (!(p > 0.0 && p < 1.0) || !(df > 0.0) || !isfinite(df))
		return NAN;
	while (above(high, df) > 1.0 - p && high < 1e300)
		high *= 2.0;
	for (int i = 0; i < 200 && high - low > tolerance * high; i++) {
		const double middle = low + (high - low) / 2.0;

		if (above(middle, df) > 1.0 - p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
chi_square_quantile(double p, double df)
{
	return search_quantile(chi_square_above, p, df, 1e-12);
}

double
student_quantile(double p, double df)
{
	const double x =
	    search_quantile(student_above, fmax(p, 1.0 - p), df, 1e-13);

	return p > 0.5 ? x : p < 0.5 ? -x : 0.0 * x;
}

/* --- table of statistics -------------------------------------------------- */

static struct interval
median_interval(const double *x, size_t n)
{
	struct interval i = { NAN, NAN, NAN, 0, NAN };

	(void)rank_test_median(x, n, DEFAULT_CONFIDENCE, &i);
	return i;
}

static double
median_low(const double *x, size_t n)
{
	return median_interval(x, n).low;
}

static double
median_high(const double *x, size_t n)
{
	return median_interval(x, n).high;
}

static double
median_level(const double *x, size_t n)
{
	return median_interval(x, n).level;
}

const struct statistic statistics[] = {
	{ "median", 1, stats_median, 1, "middle value: what the tables show",
	    "definition" },
	{ "median_low", 2, median_low, 1,
	    "lower end of the interval of the median for 95 %",
	    "David and Nagaraja 2003, 7.1" },
	{ "median_high", 2, median_high, 1, "its upper end",
	    "David and Nagaraja 2003, 7.1" },
	{ "median_level", 2, median_level, 0,
	    "the level that it reaches: 93.75 % of 5 runs",
	    "David and Nagaraja 2003, 7.1" },
	{ "mean", 1, stats_mean, 1, "arithmetic mean",
	    "definition, Neumaier 1974 for the sum" },
	{ "harmonic", 1, stats_harmonic_mean, 1,
	    "harmonic mean: of rates that each did the same work",
	    "Smith 1988, CACM 31(10)" },
	{ "geometric", 1, stats_geometric_mean, 1, "geometric mean: of ratios",
	    "Fleming and Wallace 1986, CACM 29(3)" },
	{ "olympic", 3, stats_olympic_mean, 1,
	    "mean without the smallest and the largest",
	    "MLPerf training rules" },
	{ "min", 1, stats_min, 1, "smallest", "definition" },
	{ "max", 1, stats_max, 1, "largest", "definition" },
	{ "sd", 2, stats_stddev, 1, "standard deviation, over n - 1",
	    "Bessel" },
	{ "cv", 2, stats_cv, 0, "standard deviation over mean", "definition" },
	{ "mad", 1, stats_mad, 1, "median distance from the median, unscaled",
	    "Hampel 1974, JASA 69" },
	{ "outliers", 5, stats_outliers, 0,
	    "runs more than 14.826 mad from the median",
	    "Hampel 1974, JASA 69; hyperfine's number" },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

/* Statistics that --values does not accept. */
static const char other_statistics[] =
    "\n"
    "of the runs of two cases (--compare):\n"
    "ratio        from n = 1   median of all quotients a / b (Hodges and "
    "Lehmann 1963)\n"
    "ratio_low    from n = 2   lower end of the interval of the ratio for 95 "
    "% (Hollander, Wolfe and Chicken 2014, 4.3)\n"
    "ratio_high   from n = 2   its upper end (Hollander, Wolfe and Chicken "
    "2014, 4.3)\n"
    "ratio_level  from n = 2   the level that it reaches: 96.83 % of 5 and 5 "
    "runs (Hollander, Wolfe and Chicken 2014, 4.3)\n"
    "p            from n = 1   how likely so different runs are of one "
    "distribution, two-sided (Mann and Whitney 1947)\n"
    "runs_needed  from n = 2   runs of each that show a change of 1 % with "
    "power 80 % (simulated; Hodges and Lehmann 1956 above 30)\n"
    "detectable   from n = 4   the smallest change that so many runs show "
    "with power 80 % (simulated; Hodges and Lehmann 1956 above 30)\n"
    "\n"
    "of the step times of a run (audit of a result):\n"
    "settled      from n = 20  first step from which on blocks of 20 stay "
    "near the last half (doc/measurement.md)\n"
    "drift        from n = 2   slope over the window as a share of the median "
    "(Theil 1950, Sen 1968)\n"
    "stalls       from n = 1   share of the time in steps of more than twice "
    "the median (doc/measurement.md)\n"
    "\n"
    "of the times of a step on all ranks (audit):\n"
    "imbalance    from n = 1   slowest over mean, less 1 (definition)\n";

const struct statistic *
statistic_find(const char *name)
{
	for (const struct statistic *s = statistics; s->name != NULL; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

double
statistic_of(const struct statistic *s, const double *x, size_t n)
{
	return n < s->smallest_n ? NAN : s->of(x, n);
}

void
statistics_print(FILE *f)
{
	fputs("of the runs of a case (--values takes them):\n", f);
	for (const struct statistic *s = statistics; s->name != NULL; s++)
		fprintf(f, "%-12s from n = %-2zu  %s (%s)\n", s->name,
		    s->smallest_n, s->sentence, s->source);
	fputs(other_statistics, f);
}
