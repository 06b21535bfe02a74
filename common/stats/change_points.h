/* Change points of a history: where the median of a series of numbers changes.
 *
 *	size_t at[10];
 *	n = change_points_find(ln_speeds, 30, at, 10, &e);
 *	... at[0] is 12: numbers 0 to 11 are of one level, 12 and on of the next
 */
#ifndef COMMON_STATS_CHANGE_POINTS_H
#define COMMON_STATS_CHANGE_POINTS_H

#include <stddef.h>

#include "common/error.h"

enum {
	CHANGE_POINTS_LEAST = 3, /* minimum length of a level */
	CHANGE_POINTS_MAX = 4000 /* maximum length of a series: O(n^3) */
};

/* Standard deviation of the noise of a series with level changes: 1.4826 MAD of
 * the differences of neighbours / sqrt 2, which is robust against few changes.
 * If that is 0 because most neighbours are equal: 1.2533 times the mean
 * |difference - median| / sqrt 2; 0 if all differences are equal.
 *
 * x  [n], finite; NAN for n < 2 */
double change_points_noise(const double *x, size_t n);

/* Find the cheapest partition of a series into levels: the cost of a level is
 * the sum of |z - its median|, that of a change 3 ln n, with z = (x - median) /
 * noise; levels have at least CHANGE_POINTS_LEAST numbers. The result is PELT's
 * optimum, computed without pruning, which helps little without changes.
 *
 * x    [n], finite; for speeds use their logarithms
 * at   [max] receives the starts of all levels but the first, ascending, from 0
 * n    up to CHANGE_POINTS_MAX; no change below 2 * CHANGE_POINTS_LEAST
 * max  n / CHANGE_POINTS_LEAST is enough
 * n_at set on success
 *
 * Returns 0; -1 with ERROR_DOMAIN for a number that is not finite, ERROR_LIMIT
 * for too many.
 * Source: Killick, Fearnhead, Eckley 2012, J. Am. Stat. Assoc. 107(500);
 * Jackson et al. 2005, IEEE Signal Process. Lett. 12(2). */
int change_points_find(const double *x, size_t n, size_t *at, size_t max,
    size_t *n_at, struct error *e);

/* Correlation of neighbouring numbers inside levels, as of an autoregressive
 * process of order 1: the sum of products of neighbours over the sum of
 * squares, both of the distances from the level's mean, corrected for the
 * means, which lower it by (1 + 4 r) levels / n. Outliers count as 3 standard
 * deviations.
 *
 * x   [n], finite
 * at  [n_at] starts of all levels but the first, ascending
 *
 * Returns 0 to 0.99, 0 if the numbers of each level are equal; NAN for at most
 * 4 numbers a level.
 * Source: Kendall 1954, Biometrika 41(3-4). */
double change_points_correlation(
    const double *x, size_t n, const size_t *at, size_t n_at);

/* Pettitt's test for a change at an unknown place. Its p accounts for the
 * search: no correction is needed.
 *
 * x      [n], finite
 * place  start of the second part; may be NULL
 * p      2 exp(-6 K^2 / (n^3 + n^2)), at most 1; may be NULL
 *
 * Returns K = max |sum over i <= t < j of sign(x[i] - x[j])|; 0 for n < 2.
 * Source: Pettitt 1979, Appl. Stat. 28(2). */
double change_points_pettitt(
    const double *x, size_t n, size_t *place, double *p);

/* Factor by which a correlation of neighbours raises the variance of the mean
 * of many numbers: (1 + r) / (1 - r). */
double change_points_variance(double correlation);

/* p of no change between two levels of noise with a correlation of neighbours:
 * twice the smaller of two, at most 1. One is Pettitt's, with K^2 divided by
 * the factor above. The other is n times that of Student's t of the levels'
 * means (outliers count as 3 standard deviations), with all numbers of points
 * divided by the factor, but at least 2 / C(n, place), the smallest p of a
 * permutation test. It shows large changes of few points, which Pettitt's
 * cannot.
 *
 * x            [n], finite
 * place        start of the second level
 * correlation  0 <= r < 1 */
double change_points_p(
    const double *x, size_t n, size_t place, double correlation);

#endif
