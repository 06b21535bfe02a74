#include <config.h>

#include "common/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	BRACKET_POINTS = 48,  /* of fewer all slopes are made */
	BRACKET_SLOPES = 255, /* that are made first of more */
	BRACKET_SIDE = 20 /* of these, from their middle to a bracket's end */
};

double
stats_sum_value(const struct stats_sum *s)
{
	return s->sum + s->carry;
}

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

/* True if they are above 0 too. */
static int
usable_positive(const double *x, size_t n, size_t min_n)
{
	if (!usable_values(x, n, min_n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (x[i] <= 0.0)
			return 0;
	return 1;
}

static double *
copy_of(const double *x, size_t n)
{
	double *copy = xreallocarray(NULL, n, sizeof *copy);

	memcpy(copy, x, n * sizeof *copy);
	return copy;
}

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof *x, compare_doubles);
}

/* The middle one of the first, the middle and the last of x[lo..hi]. */
static double
pivot_of(const double *x, ptrdiff_t lo, ptrdiff_t hi)
{
	const double a = x[lo], b = x[lo + (hi - lo) / 2], c = x[hi];
	const double low = a < b ? a : b, high = a < b ? b : a;
	const double next = high < c ? high : c;

	return low > next ? low : next;
}

/* Put those of x[lo..hi] that are below the pivot before the others, without a
 * branch on a value, which could not be foreseen.  Returns the first of the
 * others. */
static ptrdiff_t
part_below(double *x, ptrdiff_t lo, ptrdiff_t hi, double pivot)
{
	for (ptrdiff_t i = lo; i <= hi; i++) {
		const double v = x[i];

		x[i] = x[lo];
		x[lo] = v;
		lo += v < pivot;
	}
	return lo;
}

/* The same of those that are not above it. */
static ptrdiff_t
part_not_above(double *x, ptrdiff_t lo, ptrdiff_t hi, double pivot)
{
	for (ptrdiff_t i = lo; i <= hi; i++) {
		const double v = x[i];

		x[i] = x[lo];
		x[lo] = v;
		lo += v <= pivot;
	}
	return lo;
}

/* Hoare's FIND; the budget keeps an unlucky order from costing O(n^2). */
double
stats_select(double *x, size_t n, size_t k)
{
	ptrdiff_t lo = 0, hi = (ptrdiff_t)n - 1;
	const ptrdiff_t at = (ptrdiff_t)k;
	int budget = 8;

	assert(k < n);
	for (size_t i = n; i > 1; i /= 2)
		budget += 2;
	while (lo < hi && budget-- > 0) {
		const double pivot = pivot_of(x, lo, hi);
		const ptrdiff_t same = part_below(x, lo, hi, pivot);

		if (at < same) {
			hi = same - 1;
			continue;
		}
		lo = part_not_above(x, same, hi, pivot);
		if (at < lo)
			return x[at]; /* the pivot */
	}
	if (lo < hi)
		stats_sort(x + lo, (size_t)(hi - lo) + 1);
	return x[at];
}

double
stats_median_reorder(double *x, size_t n)
{
	double upper, lower;

	if (!usable_values(x, n, 1))
		return NAN;
	upper = stats_select(x, n, n / 2);
	if (n % 2 == 1)
		return upper;
	lower = x[0];
	for (size_t i = 1; i < n / 2; i++)
		if (x[i] >= lower)
			lower = x[i];
	return (lower + upper) / 2.0;
}

double
stats_median(const double *x, size_t n)
{
	double *copy, median;

	if (n == 0)
		return NAN;
	copy = copy_of(x, n);
	median = stats_median_reorder(copy, n);
	free(copy);
	return median;
}

double
stats_mean(const double *x, size_t n)
{
	struct stats_sum sum = STATS_SUM_INIT;

	if (!usable_values(x, n, 1))
		return NAN;
	for (size_t i = 0; i < n; i++)
		stats_sum_add(&sum, x[i]);
	return stats_sum_value(&sum) / (double)n;
}

double
stats_harmonic_mean(const double *x, size_t n)
{
	struct stats_sum sum = STATS_SUM_INIT;

	if (!usable_positive(x, n, 1))
		return NAN;
	for (size_t i = 0; i < n; i++)
		stats_sum_add(&sum, 1.0 / x[i]);
	return (double)n / stats_sum_value(&sum);
}

double
stats_geometric_mean(const double *x, size_t n)
{
	struct stats_sum sum = STATS_SUM_INIT;

	if (!usable_positive(x, n, 1))
		return NAN;
	for (size_t i = 0; i < n; i++)
		stats_sum_add(&sum, log(x[i]));
	return exp(stats_sum_value(&sum) / (double)n);
}

double
stats_olympic_mean(const double *x, size_t n)
{
	double *copy, mean;

	if (!usable_values(x, n, 3))
		return NAN;
	copy = copy_of(x, n);
	stats_sort(copy, n);
	mean = stats_mean(copy + 1, n - 2);
	free(copy);
	return mean;
}

double
stats_min(const double *x, size_t n)
{
	double least;

	if (!usable_values(x, n, 1))
		return NAN;
	least = x[0];
	for (size_t i = 1; i < n; i++)
		least = fmin(least, x[i]);
	return least;
}

double
stats_max(const double *x, size_t n)
{
	double most;

	if (!usable_values(x, n, 1))
		return NAN;
	most = x[0];
	for (size_t i = 1; i < n; i++)
		most = fmax(most, x[i]);
	return most;
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
	double *copy, middle, mad;

	if (!usable_values(x, n, 1))
		return NAN;
	copy = copy_of(x, n);
	middle = stats_median_reorder(copy, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = fabs(copy[i] - middle);
	mad = stats_median_reorder(copy, n);
	free(copy);
	return mad;
}

/* What lies the share of the way from x to y. */
static double
between(double x, double y, double share)
{
	if (!(share > 0.0) || !(x < y))
		return x;
	/* In this form a share of 1/2 rounds as the median does. */
	return (1.0 - share) * x + share * y;
}

double
stats_quantile_reorder(double *x, size_t n, double p)
{
	double at, low, high;
	size_t i;

	if (!usable_values(x, n, 1) || !(p >= 0.0 && p <= 1.0))
		return NAN;
	at = (double)(n - 1) * p;
	i = (size_t)at;
	low = stats_select(x, n, i);
	if (i + 1 == n)
		return low;
	high = x[i + 1];
	for (size_t k = i + 2; k < n; k++)
		high = x[k] < high ? x[k] : high;
	return between(low, high, at - (double)i);
}

double
stats_quantile(const double *x, size_t n, double p)
{
	double *copy, value;

	if (n == 0)
		return NAN;
	copy = copy_of(x, n);
	value = stats_quantile_reorder(copy, n, p);
	free(copy);
	return value;
}

static double
value_position(const double *x, size_t i)
{
	return x != NULL ? x[i] : (double)i;
}

/* Put the slope from point i to point j after the n that are there, unless
 * one stands above the other.  Returns how many there are now. */
static size_t
add_slope(double *slopes, size_t n, const double *x, const double *y, size_t i,
    size_t j)
{
	const double run = value_position(x, j) - value_position(x, i);

	if (run > 0.0)
		slopes[n++] = (y[j] - y[i]) / run;
	return n;
}

/* Two slopes between which the median of all likely is. */
struct slope_bracket {
	double low, high;
	/* Of point i y - low x and y - high x.  A slope is below low where the
	 * former falls from one point to the other, and above high where the
	 * latter rises; so much at least, that no rounding matters. */
	double *over_low, *over_high, margin;
};

/* True if no two x are equal, and no slope, nor what a bracket is made of, can
 * overflow or lose its digits.
 *
 * most_x, most_y  out: the largest of them */
static int
may_bracket(
    const double *x, const double *y, size_t n, double *most_x, double *most_y)
{
	const double most = 1e100;

	*most_x = *most_y = 0;
	for (size_t i = 0; i < n; i++) {
		*most_y = fmax(*most_y, fabs(y[i]));
		*most_x = fmax(*most_x, fabs(value_position(x, i)));
		if (x != NULL && i > 0 && !(x[i] - x[i - 1] > 1 / most))
			return 0;
	}
	return *most_x < most && *most_y<most && * most_y> 1 / most;
}

/* Find a bracket from some of the slopes. */
static void
find_bracket(
    struct slope_bracket *b, const double *x, const double *y, size_t n)
{
	double slopes[BRACKET_SLOPES];
	size_t k = 0;
	uint32_t random = 1;

	while (k < BRACKET_SLOPES) {
		size_t i, j;

		/* Knuth, "The Art of Computer Programming" 2, 3.3.4. */
		random = random * UINT32_C(1664525) + UINT32_C(1013904223);
		i = (random >> 16) * n >> 16;
		random = random * UINT32_C(1664525) + UINT32_C(1013904223);
		j = (random >> 16) * n >> 16;
		if (i != j)
			k = add_slope(
			    slopes, k, x, y, i < j ? i : j, i < j ? j : i);
	}
	b->low = stats_select(
	    slopes, BRACKET_SLOPES, BRACKET_SLOPES / 2 - BRACKET_SIDE);
	b->high = stats_select(
	    slopes, BRACKET_SLOPES, BRACKET_SLOPES / 2 + BRACKET_SIDE);
}

/* Find the pairs whose slopes may be in the bracket.
 *
 * pairs  [n (n - 1) / 2 + 1] gets the places of their points, the first above
 *        the second
 * below  out: how many slopes are below the bracket
 *
 * Returns how many pairs there are. */
static size_t
find_pairs(
    const struct slope_bracket *b, size_t n, uint32_t *pairs, size_t *below)
{
	size_t n_pairs = 0;

	*below = 0;
	for (size_t i = 0; i < n; i++) {
		const double low = b->over_low[i] - b->margin;
		const double high = b->over_high[i] + b->margin;

		for (size_t j = i + 1; j < n; j++) {
			const unsigned is_below = b->over_low[j] < low;
			const unsigned is_above = b->over_high[j] > high;

			*below += is_below;
			pairs[n_pairs] = (uint32_t)(i << 16 | j);
			n_pairs += !(is_below | is_above);
		}
	}
	return n_pairs;
}

/* The median of the slopes, n_all, of which n are these and the others are
 * below or above the bracket.  Returns 1; 0 where it is not among these. */
static int
median_in_bracket(const struct slope_bracket *b, double *slopes, size_t n,
    size_t below, size_t n_all, double *median)
{
	const size_t odd = n_all % 2;
	size_t at = n_all / 2;
	double upper, lower;

	if (at < below + !odd || at >= below + n)
		return 0;
	at -= below;
	upper = lower = stats_select(slopes, n, at);
	if (!odd) {
		lower = slopes[0];
		for (size_t i = 1; i < at; i++)
			lower = slopes[i] > lower ? slopes[i] : lower;
	}
	*median = odd ? upper : (lower + upper) / 2.0;
	return lower >= b->low && upper <= b->high;
}

/* The median of the slopes of all pairs, most of which are only seen to be
 * below or above it.  Returns 1; 0 where that does not give it. */
static int
bracket_slopes(const double *x, const double *y, size_t n, double *median)
{
	const size_t n_all = n * (n - 1) / 2;
	double most_x, most_y, *room, *slopes;
	struct slope_bracket b;
	uint32_t *pairs;
	size_t n_pairs, below, n_slopes = 0;
	int rc;

	if (n < BRACKET_POINTS || !may_bracket(x, y, n, &most_x, &most_y))
		return 0;
	find_bracket(&b, x, y, n);
	room = xreallocarray(NULL, 2 * n, sizeof *room);
	pairs = xreallocarray(NULL, n_all + 1, sizeof *pairs);
	b.over_low = room;
	b.over_high = room + n;
	b.margin =
	    0x1p-46 * (most_y + fmax(fabs(b.low), fabs(b.high)) * most_x);
	for (size_t i = 0; i < n; i++) {
		b.over_low[i] = y[i] - b.low * value_position(x, i);
		b.over_high[i] = y[i] - b.high * value_position(x, i);
	}
	n_pairs = find_pairs(&b, n, pairs, &below);
	slopes = xreallocarray(NULL, n_pairs + 1, sizeof *slopes);
	for (size_t k = 0; k < n_pairs; k++)
		n_slopes = add_slope(
		    slopes, n_slopes, x, y, pairs[k] >> 16, pairs[k] & 0xffff);
	rc = median_in_bracket(&b, slopes, n_slopes, below, n_all, median);
	free(slopes);
	free(pairs);
	free(room);
	return rc;
}

double
stats_theil_sen(const double *x, const double *y, size_t n)
{
	const size_t half = n - n / 2;
	double *slopes, slope;
	size_t n_slopes = 0;

	if (!usable_values(y, n, 2) || (x != NULL && !usable_values(x, n, 2)))
		return NAN;
	for (size_t i = 1; x != NULL && i < n; i++)
		if (x[i] < x[i - 1])
			return NAN;
	if (n <= STATS_THEIL_SEN_COMPLETE && bracket_slopes(x, y, n, &slope))
		return slope;
	if (n <= STATS_THEIL_SEN_COMPLETE) {
		slopes = xreallocarray(NULL, n * (n - 1) / 2, sizeof *slopes);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				n_slopes =
				    add_slope(slopes, n_slopes, x, y, i, j);
	} else {
		slopes = xreallocarray(NULL, n / 2, sizeof *slopes);
		for (size_t i = 0; i < n / 2; i++)
			n_slopes =
			    add_slope(slopes, n_slopes, x, y, i, i + half);
	}
	slope = stats_median_reorder(slopes, n_slopes);
	free(slopes);
	return slope;
}

/* --- runs among others, steps in their order ------------------------------ */

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

double
stats_stall_share(const double *x, const double *weight, size_t n)
{
	struct stats_sum stalled = STATS_SUM_INIT, all = STATS_SUM_INIT;
	const double middle = stats_median(x, n);

	if (isnan(middle))
		return NAN;
	for (size_t i = 0; i < n; i++) {
		const double t = x[i] * (weight != NULL ? weight[i] : 1);

		stats_sum_add(&all, t);
		if (x[i] > 2 * middle)
			stats_sum_add(&stalled, t);
	}
	return stats_sum_value(&stalled) / stats_sum_value(&all);
}

double
stats_drift(const double *position, const double *x, size_t n)
{
	const double slope = stats_theil_sen(position, x, n);

	if (isnan(slope))
		return NAN;
	return slope *
	    (position != NULL ? position[n - 1] - position[0] + 1 : (double)n) /
	    stats_median(x, n);
}

double
stats_imbalance(const double *x, size_t n)
{
	return stats_max(x, n) / stats_mean(x, n) - 1;
}
