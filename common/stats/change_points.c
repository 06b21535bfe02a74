#include <config.h>

#include "common/stats/change_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/stats/stats.h"

/* Factors that scale them to the standard deviation of normal noise. */
static const double of_mean_deviation = 1.2533141373155001; /* sqrt(pi / 2) */
static const double penalty = 3.0; /* cost of a change, times ln n */

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

/* --- the cost of a level -------------------------------------------------- */

/* Fenwick tree (1994) over ranks: count and sum of a level's numbers up to a
 * rank. The level grows by one number at a time. Equal numbers have distinct
 * ranks. */
struct level_tree {
	size_t n, top;   /* ranks 1 to n; top: power of two, at most n */
	size_t *counts;  /* [n + 1] */
	double *sums;    /* [n + 1] */
	double total;    /* sum of the numbers in the tree */
	size_t in;       /* their count */
	const double *z; /* [n] ascending: number of rank i + 1 */
};

static void
level_tree_clear(struct level_tree *t)
{
	memset(t->counts, 0, (t->n + 1) * sizeof *t->counts);
	memset(t->sums, 0, (t->n + 1) * sizeof *t->sums);
	t->total = 0;
	t->in = 0;
}

static void
level_tree_add(struct level_tree *t, size_t rank)
{
	const double z = t->z[rank - 1];

	for (size_t i = rank; i <= t->n; i += i & (~i + 1)) {
		t->counts[i]++;
		t->sums[i] += z;
	}
	t->total += z;
	t->in++;
}

/* Sum of the k smallest numbers. */
static double
level_tree_smallest(const struct level_tree *t, size_t k)
{
	size_t at = 0;
	double sum = 0;

	for (size_t step = t->top; step > 0; step /= 2)
		if (at + step <= t->n && t->counts[at + step] <= k) {
			at += step;
			k -= t->counts[at];
			sum += t->sums[at];
		}
	return sum;
}

/* Sum of |z - median|: the larger half less the smaller one. */
static double
level_tree_cost(const struct level_tree *t)
{
	const size_t half = t->in / 2;

	return t->total - level_tree_smallest(t, t->in - half) -
	    level_tree_smallest(t, half);
}

/* --- levels ---------------------------------------------------------- */

struct ranked_number {
	double z;
	size_t index;
};

static int
compare_numbers(const void *a, const void *b)
{
	const struct ranked_number *x = a, *y = b;

	if (x->z != y->z)
		return x->z < y->z ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Fill z (standardised, ascending) and the ranks, from 1. */
static void
rank_numbers(const double *x, size_t n, double noise, double *z, size_t *ranks)
{
	struct ranked_number *list = xcalloc(n, sizeof *list);
	const double middle = stats_median(x, n);

	for (size_t i = 0; i < n; i++)
		list[i] = (struct ranked_number){ (x[i] - middle) / noise, i };
	qsort(list, n, sizeof *list, compare_numbers);
	for (size_t i = 0; i < n; i++) {
		z[i] = list[i].z;
		ranks[list[i].index] = i + 1;
	}
	free(list);
}

/* Find the cheapest partition of the first `end` numbers from those of fewer:
 * best[end] is its cost, from[end] the start of its last level. */
static void
extend_parting(struct level_tree *t, const size_t *ranks, size_t end,
    double change, double *best, size_t *from)
{
	level_tree_clear(t);
	best[end] = INFINITY;
	for (size_t begin = end; begin-- > 0;) {
		double cost;

		level_tree_add(t, ranks[begin]);
		if (end - begin < CHANGE_POINTS_LEAST || !isfinite(best[begin]))
			continue;
		cost =
		    best[begin] + level_tree_cost(t) + (begin > 0 ? change : 0);
		if (cost < best[end]) {
			best[end] = cost;
			from[end] = begin;
		}
	}
}

/* Collect the starts of all levels but the first. */
static size_t
collect_changes(const size_t *from, size_t n, size_t *at, size_t max)
{
	size_t n_at = 0;

	for (size_t end = from[n]; end > 0; end = from[end])
		n_at++;
	if (n_at > max)
		n_at = max;
	for (size_t end = from[n], k = n_at; end > 0 && k > 0; end = from[end])
		at[--k] = end;
	return n_at;
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
	struct level_tree t = { .n = n, .top = 1 };
	size_t *ranks, *from;
	double *best, *z;

	if (check_row(x, n, e) != 0)
		return -1;
	*n_at = 0;
	if (n < 2 * CHANGE_POINTS_LEAST || !(noise > 0))
		return 0;
	while (t.top * 2 <= n)
		t.top *= 2;
	ranks = xcalloc(n, sizeof *ranks);
	from = xcalloc(n + 1, sizeof *from);
	best = xcalloc(n + 1, sizeof *best);
	z = xcalloc(n, sizeof *z);
	t.counts = xcalloc(n + 1, sizeof *t.counts);
	t.sums = xcalloc(n + 1, sizeof *t.sums);
	t.z = z;
	rank_numbers(x, n, noise, z, ranks);
	for (size_t end = 1; end <= n; end++)
		extend_parting(
		    &t, ranks, end, penalty * log((double)n), best, from);
	*n_at = collect_changes(from, n, at, max);
	free(t.sums);
	free(t.counts);
	free(z);
	free(best);
	free(from);
	free(ranks);
	return 0;
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
