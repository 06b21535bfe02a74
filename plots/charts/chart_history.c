/* Chart of a history: medians of each case over time, and the levels between
 * its change points.
 *
 * Each series of the set must hold one case over time: points sorted by date,
 * each from a different file, named for its date or commit; the files are in
 * one array, sorted by date. Other sets produce no series. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/series/series.h"
#include "common/stats/change_points.h"
#include "common/stats/stats.h"
#include "plots/charts/chart.h"

/* True if each series has points of one topology and of different files, and
 * one of them more than one. */
static int
is_history(const struct series_set *set)
{
	int several = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series_point *p = set->items[i].points;

		for (size_t k = 1; k < set->items[i].n_points; k++)
			if (p[k].c->gpus != p[0].c->gpus ||
			    p[k].c->nodes != p[0].c->nodes ||
			    p[k].source == p[k - 1].source)
				return 0;
		several |= set->items[i].n_points > 1;
	}
	return several;
}

/* Set the level of points [begin, end) to their median. */
static void
fill_level(struct chart_series *s, size_t begin, size_t end, double *scratch)
{
	double level;

	for (size_t i = begin; i < end; i++)
		scratch[i] = s->points[i].y[CHART_VALUE].at;
	level = stats_median(scratch + begin, end - begin);
	for (size_t i = begin; i < end; i++)
		s->points[i].trend = level;
	s->points[begin].starts_level = begin > 0;
}

/* Find levels as report_results --history does, in at most the last
 * CHANGE_POINTS_MAX points. */
static void
fill_levels(struct chart_series *s)
{
	const size_t n = s->n_points;
	const size_t skip = n > CHANGE_POINTS_MAX ? n - CHANGE_POINTS_MAX : 0;
	double *logs = xcalloc(n, sizeof *logs);
	size_t *at = xcalloc(n, sizeof *at), n_at, begin = skip;

	for (size_t i = 0; i < n; i++)
		logs[i] = log(s->points[i].y[CHART_VALUE].at);
	if (change_points_find(logs + skip, n - skip, at, n, &n_at, NULL) == 0)
		for (size_t k = 0; k <= n_at; k++) {
			const size_t end = k < n_at ? skip + at[k] : n;

			fill_level(s, begin, end, logs);
			begin = end;
		}
	free(at);
	free(logs);
}

/* Give each series a small chart of its values relative to its first level. On
 * one axis, series of very different values would hide changes of some per
 * cent. */
static void
make_relative(struct chart_data *d)
{
	d->is_relative = 1;
	d->n_facets = d->n_series;
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		const double first = s->points[0].trend;
		const double base =
		    isfinite(first) ? first : s->points[0].y[CHART_VALUE].at;

		d->facets[i] = s->name;
		s->facet = (int)i;
		s->name = message(MESSAGE_MEDIAN, d->lang);
		for (size_t k = 0; k < s->n_points; k++) {
			struct chart_number *y = &s->points[k].y[CHART_VALUE];

			*y = (struct chart_number){ y->at / base, y->low / base,
				y->high / base };
			s->points[k].trend /= base;
		}
	}
}

int
chart_fill_history(struct chart_data *d, struct error *e)
{
	const struct result_file *first;
	const struct chart_case *c = d->cases, *end;

	(void)e;
	if (!is_history(d->set))
		return 0;
	first = series_next_source(d->set, NULL);
	while (c < d->cases + d->n_cases) {
		struct chart_series *s = chart_series_add(
		    d, chart_join(d, c->name, " ", c->c->name), c->s->n_points);

		for (end = c + c->s->n_points; c < end; c++) {
			const struct result_file *source = c->p->source;
			struct chart_point *p = chart_case_add(s,
			    (double)(source - first) + 1, c->c, source->name);

			p->n_runs = 0;
		}
		fill_levels(s);
	}
	if (d->n_series > 1 && d->n_series <= CHART_MAX_FACETS)
		make_relative(d);
	return 0;
}
