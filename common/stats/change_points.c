#include <config.h>

#include "common/stats/change_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/stats/distribution.h"
#include "common/stats/stats.h"

/* Factors that scale them to the standard deviation of normal noise. */
static const double of_mean_deviation = 1.2533141373155001; /* sqrt(pi / 2) */
static const double penalty = 3.0; /* cost of a change, times ln n */
static const double outlier = 3.0; /* standard deviations of the noise */
static const double most_correlation = 0.99;

/* --- noise ---------------------------------------------------------------- */

double
change_points_noise(const double *x, size_t n)
{
	double *differences, noise;
	struct stats_sum sum = STATS_SUM_INIT;

	if (n < 2)
		return NAN;
	differences = xcalloc(n - 1, sizeof *differences);
	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = x[i + 1] - x[i];
	noise = MAD_TO_SIGMA * stats_mad(differences, n - 1);
	if (noise == 0) {
		const double middle = stats_median(differences, n - 1);

		for (size_t i = 0; i + 1 < n; i++)
			stats_sum_add(&sum, fabs(differences[i] - middle));
		noise =
		    of_mean_deviation * stats_sum_value(&sum) / (double)(n - 1);
	}
	free(differences);
	return noise / sqrt(2.0);
}

/* --- levels --------------------------------------------------------------- */

/* Add a number to the n ascending ones of a level. Returns by how much the cost
 * grows, the sum of |z - median|: the distance from the median, or from the
 * interval of the two middle numbers. */
static double
level_add(double *level, size_t n, double z)
{
	size_t at = 0, end = n;
	double more = 0;

	while (at < end) {
		const size_t middle = (at + end) / 2;

		if (level[middle] <= z)
			at = middle + 1;
		else
			end = middle;
	}
	if (n > 0 && z < level[(n - 1) / 2])
		more = level[(n - 1) / 2] - z;
	else if (n > 0 && z > level[n / 2])
		more = z - level[n / 2];
	memmove(level + at + 1, level + at, (n - at) * sizeof *level);
	level[at] = z;
	return more;
}

static int
check_row(const double *x, size_t n, struct error *e)
{
	if (n > CHANGE_POINTS_MAX)
		return error_set(e, ERROR_LIMIT,
		    "change points of more than %d numbers", CHANGE_POINTS_MAX);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return error_set(e, ERROR_DOMAIN,
			    "change points: a number is not finite");
	return 0;
}

int
change_points_find(const double *x, size_t n, size_t *at, size_t max,
    size_t *n_at, struct error *e)
{
	const double noise = change_points_noise(x, n);
	const double change = penalty * log((double)n);
	double *best, *z, *level, middle;
	size_t *from;

	if (check_row(x, n, e) != 0)
		return -1;
	*n_at = 0;
	if (n < 2 * CHANGE_POINTS_LEAST || !(noise > 0))
		return 0;
	/* Of the first `end` numbers: the cost of the cheapest partition and
	 * the start of its last level. */
	best = xcalloc(n + 1, sizeof *best);
	from = xcalloc(n + 1, sizeof *from);
	z = xcalloc(2 * n, sizeof *z);
	level = z + n;
	middle = stats_median(x, n);
	for (size_t i = 0; i < n; i++)
		z[i] = (x[i] - middle) / noise;
	for (size_t end = 1; end <= n; end++) {
		double of_level = 0;

		best[end] = INFINITY;
		for (size_t begin = end; begin-- > 0;) {
			const size_t len = end - begin;
			double cost;

			of_level += level_add(level, len - 1, z[begin]);
			cost =
			    of_level + best[begin] + (begin > 0 ? change : 0);
			if (len >= CHANGE_POINTS_LEAST && cost < best[end]) {
				best[end] = cost;
				from[end] = begin;
			}
		}
	}
	for (size_t end = from[n]; end > 0; end = from[end])
		++*n_at;
	*n_at = *n_at < max ? *n_at : max;
	for (size_t end = from[n], k = *n_at; k > 0; end = from[end])
		at[--k] = end;
	free(z);
	free(best);
	free(from);
	return 0;
}

/* --- correlation ---------------------------------------------------------- */

/* Distances of the numbers of all levels from the mean of their level. Those
 * farther from its median than 3 standard deviations of the noise are first
 * moved there.
 *
 * means  [n_at + 1] receives the means; or NULL */
static void
take_residuals(const double *x, size_t n, const size_t *at, size_t n_at,
    double *out, double *means)
{
	double edge;

	for (size_t k = 0, from = 0, end; k <= n_at; k++, from = end) {
		double middle;

		end = k < n_at ? at[k] : n;
		middle = stats_median(x + from, end - from);
		for (size_t i = from; i < end; i++)
			out[i] = x[i] - middle;
	}
	edge = outlier * MAD_TO_SIGMA * stats_mad(out, n);
	if (!(edge > 0))
		edge = INFINITY;
	for (size_t k = 0, from = 0, end; k <= n_at; k++, from = end) {
		const double middle = x[from] - out[from];
		double mean = 0;

		end = k < n_at ? at[k] : n;
		for (size_t i = from; i < end; i++) {
			out[i] = fmax(-edge, fmin(edge, out[i]));
			mean += out[i] / (double)(end - from);
		}
		for (size_t i = from; i < end; i++)
			out[i] -= mean;
		if (means != NULL)
			means[k] = middle + mean;
	}
}

double
change_points_correlation(
    const double *x, size_t n, const size_t *at, size_t n_at)
{
	const double count = (double)n, levels = (double)n_at + 1;
	/* 1 less the share of the correlation that the means of the levels
	 * take away. */
	const double left = 1 - 4 * levels / count;
	double products = 0, squares = 0, r;
	double *y = xcalloc(n, sizeof *y);

	take_residuals(x, n, at, n_at, y, NULL);
	for (size_t k = 0, i = 0; i < n; i++) {
		const int first = i == 0 || (k < n_at && at[k] == i);

		k += i > 0 && first;
		squares += y[i] * y[i];
		products += first ? 0 : y[i] * y[i - 1];
	}
	free(y);
	if (!(left > 0))
		return NAN;
	if (!(squares > 0))
		return 0;
	r = (products / squares + levels / count) / left;
	return fmax(0, fmin(r, most_correlation));
}

/* --- Pettitt's test ------------------------------------------------------- */

double
change_points_pettitt(const double *x, size_t n, size_t *place, double *p)
{
	const double count = (double)n;
	double u = 0, k = 0;
	size_t at = 0;

	/* U(t) = U(t - 1) + sum over j of sign(x[t] - x[j]) */
	for (size_t t = 0; t + 1 < n; t++) {
		for (size_t j = 0; j < n; j++)
			u += (x[t] > x[j]) - (x[t] < x[j]);
		if (fabs(u) > k) {
			k = fabs(u);
			at = t + 1;
		}
	}
	if (place != NULL)
		*place = at;
	if (p != NULL)
		*p = n < 2
		    ? NAN
		    : fmin(1,
			  2 * exp(-6 * k * k / (count * count * (count + 1))));
	return k;
}

/* --- both levels ---------------------------------------------------------- */

double
change_points_variance(double correlation)
{
	return (1 + correlation) / (1 - correlation);
}

/* Logarithm of the number of ways to divide m + n independent numbers. */
static double
log_ways(double m, double n)
{
	return lgamma(m + n + 1) - lgamma(m + 1) - lgamma(n + 1);
}

/* p of the difference of the means of two levels: Student's t, but at least the
 * smallest p of a permutation test, which needs no normal noise, times the
 * number of places that were possible. 1 for noise that is 0. */
static double
compare_means(const double *x, size_t n, size_t place, double factor)
{
	const double old = (double)place, new = (double)(n - place);
	const double freedom = (double)n / factor - 2;
	double *y, means[2], squares = 0, t, p;

	if (!(freedom > 0))
		return 1;
	y = xcalloc(n, sizeof *y);
	take_residuals(x, n, &place, 1, y, means);
	for (size_t i = 0; i < n; i++)
		squares += y[i] * y[i];
	free(y);
	if (!(squares > 0) || !(fabs(means[1] - means[0]) > 0))
		return 1;
	t = fabs(means[1] - means[0]) /
	    sqrt(squares / (double)(n - 2) * factor * (1 / old + 1 / new));
	p = fmax(student_above(t, freedom),
	    exp(-log_ways(old / factor, new / factor)));
	return 2 * (double)n * p;
}

double
change_points_p(const double *x, size_t n, size_t place, double correlation)
{
	const double factor = change_points_variance(correlation);
	double by_rank;

	change_points_pettitt(x, n, NULL, &by_rank);
	by_rank = 2 * pow(by_rank / 2, 1 / factor);
	return fmin(1, 2 * fmin(by_rank, compare_means(x, n, place, factor)));
}
