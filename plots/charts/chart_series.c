/* Series, points and x axes shared by several kinds of charts. */
#include <config.h>

#include "plots/charts/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

struct chart_series *
chart_series_add(struct chart_data *d, const char *name, size_t n)
{
	struct chart_series *s;

	if (d->n_series == d->alloc_series) {
		const size_t more = d->n_series > 0 ? 2 * d->n_series : 4;
		struct chart_series *all =
		    arena_calloc(&d->arena, more, sizeof *all);

		if (d->n_series > 0)
			memcpy(all, d->series, d->n_series * sizeof *all);
		d->series = all;
		d->alloc_series = more;
	}
	s = &d->series[d->n_series++];
	*s = (struct chart_series){ .name = name,
		.base_gpus = NAN,
		.base_value = NAN,
		.mark_at = { NAN, NAN, NAN },
		.spread = { NAN, NAN, NAN } };
	s->points = arena_calloc(&d->arena, n + 1, sizeof *s->points);
	return s;
}

struct chart_number
chart_number_of(double at)
{
	return (struct chart_number){ at, NAN, NAN };
}

struct chart_point *
chart_point_add(struct chart_series *s, double x, const struct chart_number *y,
    double level, const char *name)
{
	struct chart_point *p = &s->points[s->n_points++];

	*p = (struct chart_point){ .x = x, .name = name, .trend = NAN };
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		p->y[q] = chart_number_of(NAN);
		p->level[q] = NAN;
	}
	p->y[CHART_VALUE] = *y;
	p->level[CHART_VALUE] = level;
	return p;
}

struct chart_point *
chart_case_add(struct chart_series *s, double x, const struct result_case *c,
    const char *name)
{
	const struct chart_number y = { c->median_speed, c->median_low,
		c->median_high };
	struct chart_point *p =
	    chart_point_add(s, x, &y, c->median_level, name);

	if (c->n_runs > 1 && c->n_runs <= CHART_MAX_RUNS_SHOWN) {
		p->runs = c->runs;
		p->n_runs = c->n_runs;
	}
	return p;
}

const char *
chart_join(struct chart_data *d, const char *what, const char *separator,
    const char *part)
{
	return arena_printf(
	    &d->arena, "%s%s%s", what, what[0] != '\0' ? separator : "", part);
}

int
chart_point_is_drawn(const struct chart *chart, const struct chart_point *p)
{
	const double y = p->y[chart->quantity].at;

	return isfinite(y) && y > 0;
}

static int
compare_places(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *
chart_places(const struct chart_data *d, size_t *n)
{
	double *x = NULL;
	size_t all = 0, alloc = 0;

	for (size_t i = 0; i < d->n_series + d->n_bands; i++) {
		const struct chart_band *b =
		    i < d->n_series ? NULL : &d->bands[i - d->n_series];
		const struct chart_point *points =
		    b == NULL ? d->series[i].points : b->points;
		const size_t n_points =
		    b == NULL ? d->series[i].n_points : b->n_points;

		for (size_t k = 0; k < n_points; k++) {
			x = vec_grow(x, all, &alloc, sizeof *x);
			x[all++] = points[k].x;
		}
	}
	if (all > 0)
		qsort(x, all, sizeof *x, compare_places);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (*n == 0 || x[*n - 1] < x[i])
			x[(*n)++] = x[i];
	return x;
}

void
chart_names_x(struct chart_data *d, int room)
{
	size_t n_places;
	double *places = chart_places(d, &n_places);
	const size_t n = (size_t)places[n_places - 1];
	const char **labels = xcalloc(n, sizeof *labels);

	for (size_t i = 0; i < n; i++)
		labels[i] = "";
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];

			labels[(size_t)p->x - 1] = p->name;
		}
	axis_names(labels, n, room, &d->x);
	free(labels);
	free(places);
}

void
chart_rows_x(struct chart_data *d, int room)
{
	const char *labels[AXIS_MAX_TICKS];
	const int width = room / 3 > 9 ? room / 3 : 9; /* "geometric" */

	for (size_t i = 0; i < d->n_rows; i++)
		labels[i] = d->rows[i].name;
	axis_rows(labels, d->n_rows, width, &d->x);
}

void
chart_counts_x(struct chart_data *d, int room)
{
	size_t n;
	double *places = chart_places(d, &n);
	long *counts = xcalloc(n, sizeof *counts);

	for (size_t i = 0; i < n; i++)
		counts[i] = lround(places[i]);
	axis_counts(counts, n, room, d->linear, &d->x);
	free(counts);
	free(places);
}
