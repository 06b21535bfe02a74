#include <config.h>

#include "common/stats/change_points.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/stats/stats.h"

/* Standard deviation of normal noise over its mean absolute deviation. */
static const double of_mean_deviation = 1.2533141373155001; /* sqrt(pi / 2) */
static const double penalty = 3.0; /* cost of a change, times ln n */
static const double outlier = 3.0; /* standard deviations of the noise */

/* Correlations to try; the most likely one is used. */
static const double tried[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
	0.95, 0.98 };
static const double least_pivot = 1e-9;
static const double least_rest = 1e-12; /* share of the squares: avoids log 0 */

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

/* Add a number to the n sorted numbers of a level. Returns the increase of the
 * level's cost, the sum of |z - median|: the distance of the number from the
 * median, or from the interval between the two middle numbers. */
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
change_points_find(const double *x, size_t n, size_t *at)
{
	const double noise = change_points_noise(x, n);
	const double change = penalty * log((double)n);
	double *best, *z, *level, middle;
	size_t *from, n_at = 0;

	assert(n <= CHANGE_POINTS_MAX);
	if (n < 2 * CHANGE_POINTS_LEAST || !(noise > 0))
		return 0;
	/* best[end], from[end]: cost of the cheapest partition of the first
	 * `end` numbers, and start of its last level. */
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
	for (size_t end = from[n], k = n_at; k > 0; end = from[end])
		at[--k] = end;
	free(z);
	free(best);
	free(from);
	return n_at;
}

/* --- correlation ---------------------------------------------------------- */

/* Copy a series. Numbers farther than 3 standard deviations of the noise from
 * the median of their level are moved to that distance. Freed by the caller. */
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
	/* Share of the correlation that remains after the means of the levels
	 * are subtracted. */
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

/* Sums of products of the columns of a model: a column for each level, one for
 * each group but the first, and the series. `same` has the products at each
 * place, `inner` those without both ends, `next` those of neighbours. With a
 * correlation r the normal equations are same - r next + r^2 inner. */
struct products {
	double *same, *next, *inner; /* [width][width] */
	size_t width;
};

/* starts  [s->n] 1 where a level begins: at n_at places */
static void
products_fill(struct products *p, const struct change_series *s,
    const unsigned char *starts, size_t n_at)
{
	/* Columns that are not 0 for a number and for the one before it, and
	 * their values: the series, the level and the group. */
	const int n_own = s->group != NULL ? 3 : 2;
	size_t own[3] = { p->width - 1, 0, 0 }, before[3];
	double x[3] = { 0, 1, 0 }, y[3] = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		memcpy(before, own, sizeof own);
		if (i > 0)
			memcpy(y, x, sizeof y);
		x[0] = s->x[i];
		own[1] += starts[i];
		x[2] = s->group != NULL && s->group[i] > 0;
		own[2] = x[2] > 0 ? n_at + s->group[i] : own[1];
		for (int j = 0; j < n_own; j++)
			for (int k = 0; k < n_own; k++) {
				const size_t at = own[j] * p->width + own[k];

				p->same[at] += x[j] * x[k];
				if (i > 0 && i + 1 < s->n)
					p->inner[at] += x[j] * x[k];
				p->next[own[j] * p->width + before[k]] +=
				    x[j] * y[k];
				p->next[before[j] * p->width + own[k]] +=
				    y[j] * x[k];
			}
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
likelihood(const struct change_series *s, const unsigned char *starts,
    double *r, double *groups)
{
	size_t n_at = 0, width, room;
	double *all, *solution, best = -INFINITY;
	struct products p;

	for (size_t i = 0; i < s->n; i++)
		n_at += starts[i];
	width = n_at + 1 + (s->group != NULL ? s->n_groups : 1);
	room = width * width;
	all = xcalloc(4 * room + width, sizeof *all);
	solution = all + 4 * room;
	p = (struct products){ all, all + room, all + 2 * room, width };
	products_fill(&p, s, starts, n_at);
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

/* p of a change, or of two added at once, from the gain of log likelihood. In
 * at most 5 % of series noise without changes exceeds the limit (simulated for
 * 20 to 4000 numbers with a correlation of 0 to 0.97). That share falls by a
 * factor of exp(-0.8) for each 1 above the limit. */
static double
p_of_gain(double gain, size_t n, double r, int added)
{
	const double limit = 4.9 + 36 / (double)n +
	    0.3 * fmax(0, log((double)n / 240)) + 3 * r + (added == 2 ? 6 : 0);

	return fmin(1, 0.05 * exp(-0.8 * (gain - limit)));
}

/* True if a level may start at a place. */
static int
is_free(const unsigned char *starts, size_t place, size_t n)
{
	if (place < CHANGE_POINTS_LEAST || place + CHANGE_POINTS_LEAST > n)
		return 0;
	return memchr(starts + place - (CHANGE_POINTS_LEAST - 1), 1,
		   2 * CHANGE_POINTS_LEAST - 1) == NULL;
}

/* The most likely one or two places that were tried. */
struct addition {
	size_t first, last;
	double likelihood, r;
};

/* Store `first` and `last`, which may be equal, in best if they make the levels
 * more likely than the places in it.
 *
 * starts  includes `first` if that differs from `last` */
static void
try_place(const struct change_series *s, unsigned char *starts, size_t first,
    size_t last, struct addition *best)
{
	double r, l;

	if (!is_free(starts, last, s->n))
		return;
	starts[last] = 1;
	l = likelihood(s, starts, &r, NULL);
	starts[last] = 0;
	if (l > best->likelihood)
		*best = (struct addition){ first, last, l, r };
}

/* Add the place where a new level raises the likelihood most, or else the best
 * two of those found, if p is at most `most`. Returns 0 if none is added. */
static int
add_best(const struct change_series *s, const size_t *found, size_t n_found,
    double most, unsigned char *starts)
{
	struct addition best = { 0, 0, -INFINITY, 0 };
	double r;
	const double before = likelihood(s, starts, &r, NULL);

	for (size_t i = 0; i < s->n; i++)
		try_place(s, starts, i, i, &best);
	if (p_of_gain(best.likelihood - before, s->n, best.r, 1) > most) {
		best.likelihood = -INFINITY;
		for (size_t i = 0; i < n_found; i++) {
			if (!is_free(starts, found[i], s->n))
				continue;
			starts[found[i]] = 1;
			for (size_t k = i + 1; k < n_found; k++)
				try_place(s, starts, found[i], found[k], &best);
			starts[found[i]] = 0;
		}
		if (p_of_gain(best.likelihood - before, s->n, best.r, 2) > most)
			return 0;
	}
	starts[best.first] = starts[best.last] = 1;
	return 1;
}

/* p of a change, given the others. It is at least the smallest p of a
 * permutation test of its two levels, which assumes no normal noise, times the
 * number of possible places. */
static double
p_of_change(const struct change_series *s, unsigned char *starts, size_t place)
{
	size_t begin = place - 1, end = place + 1;
	double r, ignored, gain = likelihood(s, starts, &r, NULL), old, new, n;

	while (begin > 0 && !starts[begin])
		begin--;
	while (end < s->n && !starts[end])
		end++;
	old = (double)(place - begin);
	new = (double)(end - place);
	n = old + new;
	starts[place] = 0;
	gain -= likelihood(s, starts, &ignored, NULL);
	starts[place] = 1;
	return fmin(1,
	    fmax(p_of_gain(gain, s->n, r, 1),
		2 * n *
		    exp(lgamma(old + 1) + lgamma(new + 1) - lgamma(n + 1))));
}

size_t
change_points_prove(const struct change_series *of, double most, size_t *at,
    double *p, size_t n_at, double *groups)
{
	struct change_series s = *of;
	unsigned char *proven, *all;
	double *y, *p_at, middle, r;
	size_t n = 0;

	if (s.n < 2 * CHANGE_POINTS_LEAST ||
	    !(change_points_noise(s.x, s.n) > 0))
		return 0;
	proven = xcalloc(2 * s.n, sizeof *proven);
	all = proven + s.n;
	p_at = xcalloc(s.n, sizeof *p_at);
	s.x = y = without_outliers(of->x, s.n, at, n_at);
	/* Numbers near 0 lose fewest digits in the sums of products. */
	middle = stats_mean(of->x, s.n);
	for (size_t i = 0; i < s.n; i++)
		y[i] -= middle;
	while (add_best(&s, at, n_at, most, proven))
		;
	/* Drop the least certain change until all have p of at most `most`. */
	for (;;) {
		size_t worst = 0;

		for (size_t i = 1; i < s.n; i++) {
			if (!proven[i])
				continue;
			p_at[i] = p_of_change(&s, proven, i);
			worst = worst == 0 || p_at[i] > p_at[worst] ? i : worst;
		}
		if (worst == 0 || p_at[worst] <= most)
			break;
		proven[worst] = 0;
	}
	likelihood(&s, proven, &r, groups);
	/* Judge each other change together with the proven ones only. */
	memcpy(all, proven, s.n);
	for (size_t i = 0; i < n_at; i++) {
		if (!is_free(all, at[i], s.n))
			continue;
		all[at[i]] = proven[at[i]] = 1;
		p_at[at[i]] = p_of_change(&s, proven, at[i]);
		proven[at[i]] = 0;
	}
	for (size_t i = 0; i < s.n; i++)
		if (all[i]) {
			at[n] = i;
			p[n++] = p_at[i];
		}
	free(proven);
	free(p_at);
	free(y);
	return n;
}
