/* Charts of collectives: bus bandwidth over message size, and share of time by
 * size (bins of common/result/collective_groups.h). */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "plots/charts/chart.h"

/* --- Bandwidth against size ----------------------------------------------- */

/* A value of one run. */
struct spot {
	const char *what; /* collective and kind */
	double bytes, bus;
};

static int
compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	const int d = strcmp(x->what, y->what);

	return d != 0 ? d : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Values of all runs, sorted; they live in the arena. The table by size is used
 * only for a case without other values. */
static struct spot *
make_spots(struct arena *a, const struct result_case *c, size_t *n)
{
	struct spot *all;
	size_t most = 0;
	int exact = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		most += c->runs[i].n_collectives;
	all = arena_calloc(a, most, sizeof *all);
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];

			exact |= x->kind != NULL && !collective_is_by_size(x);
		}
	*n = 0;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];
			const char *name = x->collective;

			if (!(x->bus_gb_per_s > 0) || !(x->bytes >= 1) ||
			    (exact && collective_is_by_size(x)))
				continue;
			all[(*n)++] =
			    (struct spot){ arena_printf(a, "%s%s%s",
					       name != NULL ? name : "",
					       name != NULL ? " " : "",
					       x->kind != NULL ? x->kind : ""),
				    x->bytes, x->bus_gb_per_s };
		}
	if (*n > 0)
		qsort(all, *n, sizeof *all, compare_spots);
	return all;
}

/* Add the lines of a case, one for each kind: medians over its runs. */
static void
add_lines(struct chart_data *d, struct chart_case *c)
{
	const char *name = chart_join(d, c->name, ", ", c->c->name);
	size_t n, end;
	struct spot *all = make_spots(&d->arena, c->c, &n);
	double *v = arena_calloc(&d->arena, n, sizeof *v);
	struct chart_series *s = NULL;

	c->is_drawn = n > 0;
	for (size_t i = 0; i < n; i = end) {
		if (i == 0 || strcmp(all[i - 1].what, all[i].what) != 0)
			s = chart_series_add(
			    d, chart_join(d, name, ", ", all[i].what), n - i);
		for (end = i; end < n && compare_spots(&all[i], &all[end]) == 0;
		     end++)
			v[end - i] = all[end].bus;
		chart_point_add(s, all[i].bytes,
		    chart_number_of(stats_median_reorder(v, end - i)), "");
	}
}

int
chart_fill_bandwidth(struct chart_data *d, struct error *e)
{
	(void)e;
	for (size_t i = 0; i < d->n_cases; i++)
		add_lines(d, &d->cases[i]);
	return 0;
}

void
chart_bandwidth_x(struct chart_data *d, int room)
{
	size_t n;
	const double *x = chart_places(d, &n);

	axis_sizes(x[0], x[n - 1], room, &d->x);
}

/* --- Time by size ----------------------------------------------------------*/

/* Renumber the points' bins so that bins without any point leave no gap, and
 * name them. */
static void
name_bins(struct chart_data *d)
{
	int place[SIZE_BINS + 1] = { 0 };

	d->x_names = arena_calloc(&d->arena, SIZE_BINS, sizeof *d->x_names);
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			place[(int)d->series[i].points[k].x] = 1;
	for (int bin = 1; bin <= SIZE_BINS; bin++) {
		char label[SIZE_LABEL_SIZE];
		const char *end;

		if (!place[bin])
			continue;
		size_bin_label(bin - 1, " ", label);
		end = strrchr(label, ' ');
		d->x_names[d->n_x_names++] = end == NULL
		    ? arena_strdup(&d->arena, label)
		    : arena_printf(
			  &d->arena, "%.*s", (int)strlen(end + 1) - 1, end + 1);
		place[bin] = (int)d->n_x_names;
	}
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			struct chart_point *p = &d->series[i].points[k];

			p->x = place[(int)p->x];
		}
}

int
chart_fill_sizes(struct chart_data *d, struct error *e)
{
	(void)e;
	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		struct collective_bin bins[SIZE_BINS];
		size_t n_runs;
		const size_t n = collective_groups_by_size(c->c, bins, &n_runs);
		struct chart_series *s;

		c->is_drawn = n > 0;
		if (n == 0)
			continue;
		s = chart_series_add(
		    d, chart_join(d, c->name, ", ", c->c->name), n);
		for (size_t j = 0; j < n; j++)
			chart_point_add(s, bins[j].bin + 1,
			    chart_number_of(100 * bins[j].share),
			    arena_printf(&d->arena, "%.4g", bins[j].count));
	}
	name_bins(d);
	return 0;
}

void
chart_sizes_x(struct chart_data *d, int room)
{
	axis_names(d->x_names, d->n_x_names, room, &d->x);
}
