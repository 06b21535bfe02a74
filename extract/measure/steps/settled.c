/* Robust statistics of a sequence of step times: spread, first settled step and
 * drift. */
#include <config.h>

#include "extract/measure/steps/window.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/stats/stats.h"

double
neighbour_spread(const double *x, size_t n)
{
	double *d = xcalloc(n, sizeof *d);
	double spread;

	for (size_t i = 1; i < n; i++)
		d[i - 1] = fabs(x[i] - x[i - 1]);
	spread = MAD_TO_SIGMA * stats_median_reorder(d, n - 1) / sqrt(2);
	free(d);
	return spread;
}

size_t
settled_from(const double *x, size_t n, size_t block)
{
	const size_t half = n / 2;
	size_t below = 0, above = 0, start = 0, skipped = 0;
	double target, deviation, near, tolerance;

	if (n < block || n < SETTLED_FEWEST)
		return SETTLED_NEVER;
	target = stats_median(x + half, n - half);
	deviation = MAD_TO_SIGMA * stats_mad(x + half, n - half);
	if (block < SETTLED_BLOCK)
		deviation = fmax(deviation, neighbour_spread(x, n)) *
		    (1 + 8 / (double)(n - half));
	near = target * SETTLED_PERCENT / 100;
	/* The median of n values has 1.2533 times the standard error of their
	 * mean. */
	tolerance = fmax(near, 4.5 * 1.2533 * deviation / sqrt((double)block));

	/* Slide a block over x and count its values beyond the tolerance. The
	 * counts tell whether the median is beyond it, too, unless exactly half
	 * of the values are on one side. */
	for (size_t end = 1; end <= n; end++) {
		const double *of = x + (end > block ? end - block : 0);

		below += x[end - 1] < target - tolerance;
		above += x[end - 1] > target + tolerance;
		if (end > block) {
			below -= of[-1] < target - tolerance;
			above -= of[-1] > target + tolerance;
		}
		if (end < block)
			continue;
		if (2 * below == block || 2 * above == block
			? fabs(stats_median(of, block) - target) > tolerance
			: 2 * below > block || 2 * above > block)
			start = end - block + 1;
	}
	if (start + block > n)
		return SETTLED_NEVER;
	while (start > 0 && skipped < block / 2 &&
	    fabs(x[start + skipped] - target) > fmax(near, 3 * deviation))
		skipped++;
	return start + skipped;
}

/* Median of the slopes of all pairs. Stores only the slopes from low to high if
 * the median is among them, since selecting it takes most of the time.
 *
 * slopes  room for the slopes of all pairs */
static double
median_slope(const double *x, const double *y, size_t n, double low,
    double high, double *slopes)
{
	size_t all = 0, below = 0, kept = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		while (next < n && !(x[next] > x[i]))
			next++;
		for (size_t k = next; k < n; k++) {
			const double slope = (y[k] - y[i]) / (x[k] - x[i]);

			below += slope < low;
			slopes[kept] = slope;
			kept += (slope >= low) & (slope <= high);
		}
		all += n - next;
	}
	if (all == 0)
		return NAN;
	if (below > (all - 1) / 2 || below + kept <= all / 2)
		return median_slope(x, y, n, -INFINITY, INFINITY, slopes);
	return stats_value_at(
	    slopes, kept, (all - 1) / 2 - below, all % 2 == 0 ? 0.5 : 0);
}

double
theil_sen(const double *x, const double *y, size_t n)
{
	const size_t far = n - n / 2;
	double *slopes, slope, low, high;
	size_t n_slopes = 0;

	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || !isfinite(y[i]) ||
		    (i > 0 && x[i] < x[i - 1]))
			return NAN;
	if (n < 2)
		return NAN;
	slopes = xreallocarray(NULL,
	    n <= THEIL_SEN_COMPLETE ? n * (n - 1) / 2 : n / 2, sizeof *slopes);
	for (size_t i = 0; i < n / 2; i++)
		if (x[i + far] > x[i])
			slopes[n_slopes++] =
			    (y[i + far] - y[i]) / (x[i + far] - x[i]);
	if (n > THEIL_SEN_COMPLETE) {
		slope = stats_median_reorder(slopes, n_slopes);
	} else {
		/* Quantiles of these slopes, almost surely around the
		 * median of all. */
		low = stats_quantile_reorder(slopes, n_slopes, 0.35);
		high = stats_quantile_reorder(slopes, n_slopes, 0.65);
		slope = median_slope(x, y, n, low, high, slopes);
	}
	free(slopes);
	return slope;
}
