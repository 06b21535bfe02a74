/* Where a history changes its level: the points of a row of numbers after which
 * they are of another median.
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
	CHANGE_POINTS_LEAST = 3, /* numbers of a level, at least */
	CHANGE_POINTS_MAX = 4000 /* numbers of a row: it takes n^2 log n */
};

/* The standard deviation of the noise of a row whose level may change: 1.4826
 * MAD of the differences of neighbours / sqrt 2, which few changes do not
 * touch.  Where most neighbours are equal and that is 0: 1.2533 times the mean
 * |difference - median| / sqrt 2; 0 where all differences are equal.
 *
 * x  [n], finite; NAN for n < 2 */
double change_points_noise(const double *x, size_t n);

/* The cheapest parting of a row into levels: the cost of a level is the sum of
 * |z - its median|, that of a change 3 ln n, with z = (x - median) / noise; no
 * level is of fewer than CHANGE_POINTS_LEAST numbers.  This is the optimum that
 * PELT finds, computed without its pruning, which helps little where nothing
 * changes.
 *
 * x    [n], finite: of speeds their logarithms
 * at   [max] set to where levels but the first begin, ascending, counted from 0
 * n    up to CHANGE_POINTS_MAX; below 2 * CHANGE_POINTS_LEAST there is none
 * max  n / CHANGE_POINTS_LEAST are enough
 * n_at set on success
 *
 * Returns 0; -1 with ERROR_DOMAIN for a number that is not finite, ERROR_LIMIT
 * for too many.
 * Source: Killick, Fearnhead, Eckley 2012, J. Am. Stat. Assoc. 107(500);
 * Jackson et al. 2005, IEEE Signal Process. Lett. 12(2). */
int change_points_find(const double *x, size_t n, size_t *at, size_t max,
    size_t *n_at, struct error *e);

/* Pettitt's test for a change anywhere.  Its p is for the place of the largest
 * difference: it needs no correction for having searched for it.
 *
 * x      [n], finite
 * place  where the second part begins; may be NULL
 * p      2 exp(-6 K^2 / (n^3 + n^2)), at most 1; may be NULL
 *
 * Returns K = max |sum over i <= t < j of sign(x[i] - x[j])|; 0 for n < 2.
 * Source: Pettitt 1979, Appl. Stat. 28(2). */
double change_points_pettitt(
    const double *x, size_t n, size_t *place, double *p);

#endif
