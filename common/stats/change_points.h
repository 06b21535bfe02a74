/* Change points of a history: where the median of a series of numbers
 * changes. */
#ifndef COMMON_STATS_CHANGE_POINTS_H
#define COMMON_STATS_CHANGE_POINTS_H

#include <stddef.h>

enum {
	CHANGE_POINTS_LEAST = 3, /* minimum length of a level */
	CHANGE_POINTS_MAX = 4000 /* maximum length of a series: O(n^3) */
};

#define CHANGE_POINTS_MOST_CORRELATION 0.99

/* Standard deviation of the noise of a series x [n] with level changes: 1.4826
 * MAD of the differences of neighbours / sqrt 2.  If that is 0 because most
 * neighbours are equal: 1.2533 times the mean |difference - median| / sqrt 2.
 * NAN for n < 2. */
double change_points_noise(const double *x, size_t n);

/* Find the cheapest partition of a series into levels: the cost of a level is
 * the sum of |z - its median|, that of a change 3 ln n, with z = (x - median) /
 * noise; levels have at least CHANGE_POINTS_LEAST numbers. The result is PELT's
 * optimum, computed without pruning, which helps little without changes.
 *
 * x   [n], finite, n up to CHANGE_POINTS_MAX; for speeds use their logarithms
 * at  [n / CHANGE_POINTS_LEAST] receives the starts of all levels but the
 *     first, ascending
 *
 * Returns the number of changes.
 * Source: Killick, Fearnhead, Eckley 2012, J. Am. Stat. Assoc. 107(500);
 * Jackson et al. 2005, IEEE Signal Process. Lett. 12(2). */
size_t change_points_find(const double *x, size_t n, size_t *at);

/* Correlation of neighbouring numbers inside levels, as of an autoregressive
 * process of order 1: the sum of products of neighbours over the sum of
 * squares, both of the distances from the level's mean, corrected for the
 * means, which lower it by (1 + 4 r) levels / n. Outliers count as 3 standard
 * deviations.  All levels of x [n] except the first start at `at` [n_at].
 *
 * Returns 0 to 0.99, 0 if the numbers of each level are equal; NAN for at most
 * 4 numbers a level.
 * Source: Kendall 1954, Biometrika 41(3-4). */
double change_points_correlation(
    const double *x, size_t n, const size_t *at, size_t n_at);

/* A series whose numbers may belong to groups (machines) of different level. */
struct change_series {
	const double *x; /* [n], finite */
	size_t n;
	const size_t *group; /* [n], 0 to n_groups - 1; NULL: all are alike */
	size_t n_groups;
};

/* Judge changes of level in noise that may be correlated. A change is judged by
 * how much it raises the likelihood of levels (and groups) with AR(1) noise of
 * the most likely correlation. The place that raises it most, or else the best
 * two of `at`, is added as long as p is at most `most`. Then changes with a
 * larger p next to the others are dropped, the least certain first. Outliers
 * count as 3 standard deviations.
 *
 * at      [n / CHANGE_POINTS_LEAST + 1] changes from change_points_find;
 *         receives, ascending, the proven changes and those of `at` at a
 *         distance of at least CHANGE_POINTS_LEAST from these
 * p       [as at] p-value of each change, corrected for the search; at least n
 *         times the smallest p of a permutation, 2 / C(n, k), where both levels
 *         together have n numbers and the old one k
 * groups  [n_groups] receives the distances of the groups' levels from that of
 *         the first; may be NULL
 *
 * Returns the number of changes.
 * Source: likelihood ratio with limits by simulation (doc/measurement.md,
 * "Change points of a history"). */
size_t change_points_prove(const struct change_series *of, double most,
    size_t *at, double *p, size_t n_at, double *groups);

#endif
