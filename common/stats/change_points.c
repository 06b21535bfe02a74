#include <config.h>

#include "common/stats/change_points.h"

#include <assert.h>
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

/* Correlations of which the most likely one is taken. */
static const double tried[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
	0.95, 0.98 };
static const double least_pivot = 1e-9;
static const double least_rest = 1e-12; /* of the squares: noise of 0 */

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

size_t
change_points_find(const double *x, size_t n, size_t *at, size_t max)
{
	const double noise = change_points_noise(x, n);
	const double change = penalty * log((double)n);
	double *best, *z, *level, middle;
	size_t *from, n_at = 0;

	assert(n <= CHANGE_POINTS_MAX);
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
		n_at++;
	n_at = n_at < max ? n_at : max;
	for (size_t end = from[n], k = n_at; k > 0; end = from[end])
		at[--k] = end;
	free(z);
	free(best);
	free(from);
	return n_at;
}

/* --- correlation ---------------------------------------------------------- */

/* Copy of a series with outliers moved: numbers farther from the median of
 * their level than 3 standard deviations of the noise, to that distance. */
static double *
without_outliers(const double *x, size_t n, const size_t *at, size_t n_at)
{
	double *y = xcalloc(n, sizeof *y), edge;

	for (size_t k = 0, i = 0; k <= n_at; k++) {
		const size_t end = k < n_at ? at[k] : n;
		const double middle = stats_median(x + i, end - i);

		for (; i < end; i++)
			y[i] = x[i] - middle;
	}
	edge = outlier * MAD_TO_SIGMA * stats_mad(y, n);
	for (size_t i = 0; i < n; i++)
		y[i] = edge > 0 && fabs(y[i]) > edge
		    ? x[i] - y[i] + copysign(edge, y[i])
		    : x[i];
	return y;
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
	double *y = without_outliers(x, n, at, n_at);

	for (size_t k = 0, from = 0, end; k <= n_at; k++, from = end) {
		double mean;

		end = k < n_at ? at[k] : n;
		mean = stats_mean(y + from, end - from);
		for (size_t i = from; i < end; i++) {
			y[i] -= mean;
			squares += y[i] * y[i];
			products += i > from ? y[i] * y[i - 1] : 0;
		}
	}
	free(y);
	if (!(left > 0))
		return NAN;
	if (!(squares > 0))
		return 0;
	r = (products / squares + levels / count) / left;
	return fmax(0, fmin(r, CHANGE_POINTS_MOST_CORRELATION));
}

/* --- proof ---------------------------------------------------------------- */

double
change_points_variance(double correlation)
{
	return (1 + correlation) / (1 - correlation);
}

/* Sums of products of the columns of a model: one for each level, one for each
 * group but the first, and the series. Of each number with itself (all, and all
 * but both ends) and with its neighbour. With a correlation r the normal
 * equations are same - r next + r^2 inner. */
struct products {
	double *same, *next, *inner; /* [width][width] */
	size_t width;
};

/* A column that is not 0 for a number, and its value. */
struct entry {
	size_t column;
	double value;
};

static void
add_products(double *sums, size_t width, const struct entry *a, size_t n_a,
    const struct entry *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			sums[a[i].column * width + b[k].column] +=
			    a[i].value * b[k].value;
}

static void
products_fill(struct products *p, const struct change_series *s,
    const size_t *at, size_t n_at)
{
	struct entry own[3], before[3];
	size_t n_own, n_before = 0, level = 0;

	for (size_t i = 0; i < s->n; i++) {
		level += level < n_at && at[level] == i;
		own[0] = (struct entry){ p->width - 1, s->x[i] };
		own[1] = (struct entry){ level, 1 };
		n_own = 2;
		if (s->group != NULL && s->group[i] > 0)
			own[n_own++] = (struct entry){ n_at + s->group[i], 1 };
		add_products(p->same, p->width, own, n_own, own, n_own);
		if (i > 0 && i + 1 < s->n)
			add_products(
			    p->inner, p->width, own, n_own, own, n_own);
		add_products(p->next, p->width, own, n_own, before, n_before);
		add_products(p->next, p->width, before, n_before, own, n_own);
		memcpy(before, own, sizeof own);
		n_before = n_own;
	}
}

/* Solve the normal equations for a correlation. Columns that depend on earlier
 * ones are left out.
 *
 * a         [width][width], overwritten
 * solution  [width - 1], or NULL
 *
 * Returns the sum of squares that is left. */
static double
solve(const struct products *p, double r, double *a, double *solution)
{
	const size_t width = p->width, size = width - 1;

	for (size_t i = 0; i < width * width; i++)
		a[i] = p->same[i] - r * p->next[i] + r * r * p->inner[i];
	for (size_t i = 0; i < size; i++) {
		const double *row = a + i * width;

		for (size_t k = i + 1; row[i] > least_pivot && k < width; k++) {
			const double by = a[k * width + i] / row[i];

			for (size_t l = i; fabs(by) > 0 && l < width; l++)
				a[k * width + l] -= by * row[l];
		}
	}
	for (size_t i = size; solution != NULL && i-- > 0;) {
		const double *row = a + i * width;
		double rest = row[size];

		for (size_t k = i + 1; k < size; k++)
			rest -= row[k] * solution[k];
		solution[i] = row[i] > least_pivot ? rest / row[i] : 0;
	}
	return fmax(
	    a[size * width + size], least_rest * p->same[size * width + size]);
}

/* Logarithm of the likelihood of levels, groups and normal noise with the best
 * correlation.
 *
 * r       set to the correlation
 * groups  [s->n_groups] set to the groups' distances from the first, or NULL */
static double
likelihood(const struct change_series *s, const size_t *at, size_t n_at,
    double *r, double *groups)
{
	const size_t width = n_at + 1 + (s->group != NULL ? s->n_groups : 1);
	const size_t room = width * width;
	double *all = xcalloc(4 * room + width, sizeof *all);
	double *solution = all + 4 * room, best = -INFINITY;
	struct products p = { all, all + room, all + 2 * room, width };

	products_fill(&p, s, at, n_at);
	for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
		const double l = -(double)s->n / 2 *
			log(solve(&p, tried[i], all + 3 * room, NULL)) +
		    log(1 - tried[i] * tried[i]) / 2;

		if (l > best) {
			best = l;
			*r = tried[i];
		}
	}
	if (groups != NULL && s->group != NULL) {
		solve(&p, *r, all + 3 * room, solution);
		groups[0] = 0;
		for (size_t i = 1; i < s->n_groups; i++)
			groups[i] = solution[n_at + i];
	}
	free(all);
	return best;
}

/* p of a change by the gain of likelihood, and of two that were added at once.
 * The limit is the gain that noise without changes exceeds in 5 % of series at
 * most, simulated for 20 to 4000 numbers of a correlation of 0 to 0.97. Their
 * share falls by exp(-0.8) for each 1 above the limit. */
static double
p_of_gain(double gain, size_t n, double r, int added)
{
	const double limit = 4.9 + 36 / (double)n +
	    0.3 * fmax(0, log((double)n / 240)) + 3 * r + (added == 2 ? 6 : 0);

	return fmin(1, 0.05 * exp(-0.8 * (gain - limit)));
}

/* True if a level may start there. */
static int
is_free(const size_t *at, size_t n_at, size_t place, size_t n)
{
	for (size_t i = 0; i < n_at; i++)
		if (place + CHANGE_POINTS_LEAST > at[i] &&
		    at[i] + CHANGE_POINTS_LEAST > place)
			return 0;
	return place >= CHANGE_POINTS_LEAST && place + CHANGE_POINTS_LEAST <= n;
}

/* Insert a place in order. Returns its index. */
static size_t
insert(size_t *at, size_t n_at, size_t place)
{
	for (; n_at > 0 && at[n_at - 1] > place; n_at--)
		at[n_at] = at[n_at - 1];
	at[n_at] = place;
	return n_at;
}

/* Remove the place of an index from n_at places. */
static void
erase(size_t *at, size_t n_at, size_t which)
{
	memmove(at + which, at + which + 1, (n_at - 1 - which) * sizeof *at);
}

/* The most likely one or two places that were tried. */
struct addition {
	size_t first, last;
	double likelihood, r;
};

/* Keep `first` and `last`, which may be one place, in best if the levels are
 * more likely with them.
 *
 * at  [n_at] levels, with `first` if that is another place; room for one more
 */
static void
try_place(const struct change_series *s, size_t *at, size_t n_at, size_t first,
    size_t last, struct addition *best)
{
	size_t which;
	double r, l;

	if (!is_free(at, n_at, last, s->n))
		return;
	which = insert(at, n_at, last);
	l = likelihood(s, at, n_at + 1, &r, NULL);
	erase(at, n_at + 1, which);
	if (l > best->likelihood)
		*best = (struct addition){ first, last, l, r };
}

/* Add the one place of a level, or the two among those found, that raise the
 * likelihood most, if p is at most `most`. Returns the number of places.
 *
 * at  [n_at] with room for two more */
static size_t
add_best(const struct change_series *s, const size_t *found, size_t n_found,
    double most, size_t *at, size_t n_at)
{
	struct addition best = { 0, 0, -INFINITY, 0 };
	double r;
	const double before = likelihood(s, at, n_at, &r, NULL);

	for (size_t i = 0; i < s->n; i++)
		try_place(s, at, n_at, i, i, &best);
	if (p_of_gain(best.likelihood - before, s->n, best.r, 1) <= most) {
		insert(at, n_at, best.last);
		return n_at + 1;
	}
	best.likelihood = -INFINITY;
	for (size_t i = 0; i < n_found; i++) {
		size_t which;

		if (!is_free(at, n_at, found[i], s->n))
			continue;
		which = insert(at, n_at, found[i]);
		for (size_t k = i + 1; k < n_found; k++)
			try_place(s, at, n_at + 1, found[i], found[k], &best);
		erase(at, n_at + 1, which);
	}
	if (p_of_gain(best.likelihood - before, s->n, best.r, 2) > most)
		return n_at;
	insert(at, n_at, best.first);
	insert(at, n_at + 1, best.last);
	return n_at + 2;
}

/* p of a change next to the others, but at least the smallest p of a
 * permutation of its two levels, which needs no normal noise, times the number
 * of places that were possible. */
static double
p_of_change(
    const struct change_series *s, size_t *at, size_t n_at, size_t which)
{
	const size_t place = at[which];
	const size_t before = which > 0 ? at[which - 1] : 0;
	const size_t end = which + 1 < n_at ? at[which + 1] : s->n;
	const double old = (double)(place - before);
	const double new = (double)(end - place), n = old + new;
	double r, ignored, gain = likelihood(s, at, n_at, &r, NULL);

	erase(at, n_at, which);
	gain -= likelihood(s, at, n_at - 1, &ignored, NULL);
	insert(at, n_at - 1, place);
	return fmin(1,
	    fmax(p_of_gain(gain, s->n, r, 1),
		2 * n *
		    exp(lgamma(old + 1) + lgamma(new + 1) - lgamma(n + 1))));
}

/* Drop the least certain change until all have p of at most `most`. Returns how
 * many are left, with their p. */
static size_t
drop_uncertain(const struct change_series *s, double most, size_t *at,
    double *p, size_t n_at)
{
	for (; n_at > 0; n_at--) {
		size_t worst = 0;

		for (size_t i = 0; i < n_at; i++) {
			p[i] = p_of_change(s, at, n_at, i);
			worst = p[i] > p[worst] ? i : worst;
		}
		if (p[worst] <= most)
			break;
		erase(at, n_at, worst);
	}
	return n_at;
}

size_t
change_points_prove(const struct change_series *of, double most, size_t *at,
    double *p, size_t n_at, double *groups)
{
	struct change_series s = *of;
	size_t *found, *proven, n_found = n_at, n, before;
	double *y, middle, r;

	if (s.n < 2 * CHANGE_POINTS_LEAST ||
	    !(change_points_noise(s.x, s.n) > 0))
		return 0;
	found = xcalloc(n_at + 1, sizeof *found);
	proven = xcalloc(s.n + 2, sizeof *proven);
	s.x = y = without_outliers(of->x, s.n, at, n_at);
	/* Numbers near 0 lose fewest digits in the sums of products. */
	middle = stats_mean(of->x, s.n);
	for (size_t i = 0; i < s.n; i++)
		y[i] -= middle;
	memcpy(found, at, n_at * sizeof *at);
	n_at = 0;
	do {
		before = n_at;
		n_at = add_best(&s, found, n_found, most, proven, n_at);
	} while (n_at > before);
	n_at = n = drop_uncertain(&s, most, proven, p, n_at);
	likelihood(&s, proven, n, &r, groups);
	memcpy(at, proven, n * sizeof *at);
	/* The others are judged one by one next to the proven ones. */
	for (size_t i = 0; i < n_found; i++) {
		size_t which;
		double own;

		if (!is_free(at, n_at, found[i], s.n))
			continue;
		which = insert(proven, n, found[i]);
		own = p_of_change(&s, proven, n + 1, which);
		erase(proven, n + 1, which);
		which = insert(at, n_at, found[i]);
		memmove(p + which + 1, p + which, (n_at - which) * sizeof *p);
		p[which] = own;
		n_at++;
	}
	free(proven);
	free(found);
	free(y);
	return n_at;
}
