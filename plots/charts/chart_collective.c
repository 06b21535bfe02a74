/* The charts of collectives: bus bandwidth over the size of a message, and the
 * share of the time by size (bins of common/result/collective_groups.h). */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "plots/charts/chart.h"

/* --- Bandwidth against size ----------------------------------------------- */

/* A figure of a run. */
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

static int
same_size(const struct spot *x, const struct spot *y)
{
	return compare_spots(x, y) == 0;
}

/* Are there exact sizes next to those of the table by size? */
static int
has_exact(const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];

			if (x->kind != NULL && !collective_is_by_size(x))
				return 1;
		}
	return 0;
}

/* Is the row one of those to be drawn?
 *
 * exact  as has_exact reports it */
static int
is_spot(const struct result_collective *x, int exact)
{
	return x->bus_gb_per_s > 0 && x->bytes >= 1 &&
	    !(exact && collective_is_by_size(x));
}

int
chart_draws_bandwidth(const struct result_case *c)
{
	const int exact = has_exact(c);

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++)
			if (is_spot(&c->runs[i].collectives[k], exact))
				return 1;
	return 0;
}

static size_t
count_rows(const struct result_case *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		n += c->runs[i].n_collectives;
	return n;
}

/* The numbers of all runs, sorted.  Free with free(). */
static struct spot *
make_spots(struct chart_data *d, const struct result_case *c, size_t *n)
{
	struct spot *all = xcalloc(count_rows(c) + 1, sizeof *all);
	const int exact = has_exact(c);

	*n = 0;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];
			const char *kind = x->kind != NULL ? x->kind : "";

			if (!is_spot(x, exact))
				continue;
			all[(*n)++] = (struct spot){
				arena_printf(&d->arena, "%s%s%s",
				    x->collective != NULL ? x->collective : "",
				    x->collective != NULL ? " " : "", kind),
				x->bytes, x->bus_gb_per_s
			};
		}
	qsort(all, *n, sizeof *all, compare_spots);
	return all;
}

/* The lines of a case, one for each kind; medians over its runs.
 *
 * name  of the configuration and the case */
static void
add_lines(struct chart_data *d, const char *name, const struct result_case *c)
{
	size_t n, i = 0;
	struct spot *all = make_spots(d, c, &n);
	double *v = xcalloc(n + 1, sizeof *v);

	while (i < n) {
		const char *what = all[i].what;
		struct chart_series *s =
		    chart_series_add(d, chart_join(d, name, ", ", what), n - i);

		while (i < n && strcmp(all[i].what, what) == 0) {
			const size_t first = i;
			struct chart_number y;

			for (; i < n && same_size(&all[first], &all[i]); i++)
				v[i - first] = all[i].bus;
			y = chart_number_of(stats_median_reorder(v, i - first));
			chart_point_add(s, all[first].bytes, &y, NAN, "");
		}
	}
	free(v);
	free(all);
}

int
chart_fill_bandwidth(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	(void)e;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			add_lines(d,
			    chart_join(d, names[i], ", ",
				set->items[i].points[k].c->name),
			    set->items[i].points[k].c);
	return 0;
}

void
chart_bandwidth_x(struct chart_data *d, int room)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const double x = d->series[i].points[k].x;

			low = fmin(low, x);
			high = fmax(high, x);
		}
	axis_sizes(low, high, room, &d->x);
}

/* --- Time by size ----------------------------------------------------------*/

int
chart_draws_sizes(const struct result_case *c)
{
	struct collective_bin bins[SIZE_BINS];
	size_t n_runs;

	return collective_groups_by_size(c, bins, &n_runs) > 0;
}

int
chart_fill_sizes(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	(void)e;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;
			struct collective_bin bins[SIZE_BINS];
			size_t n_runs, n;
			struct chart_series *s;

			n = collective_groups_by_size(c, bins, &n_runs);
			if (n == 0)
				continue;
			s = chart_series_add(
			    d, chart_join(d, names[i], ", ", c->name), n);
			for (size_t j = 0; j < n; j++) {
				const struct chart_number y =
				    chart_number_of(100 * bins[j].share);

				chart_point_add(s, bins[j].bin + 1, &y, NAN,
				    arena_printf(
					&d->arena, "%.4g", bins[j].count));
			}
		}
	return 0;
}

/* The bins that some series has, closed up: points get their place among them.
 */
void
chart_sizes_x(struct chart_data *d, int room)
{
	const char *labels[SIZE_BINS];
	int place[SIZE_BINS + 1] = { 0 }, n = 0;

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
		labels[n++] = end == NULL
		    ? arena_strdup(&d->arena, label)
		    : arena_printf(
			  &d->arena, "%.*s", (int)strlen(end + 1) - 1, end + 1);
		place[bin] = n;
	}
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			struct chart_point *p = &d->series[i].points[k];

			p->x = place[(int)p->x];
		}
	axis_names(labels, (size_t)n, room, &d->x);
}
