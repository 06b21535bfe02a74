/* Series of the charts of cases.  chart.c's table calls it; axes are axis.c's.
 */
#include <config.h>

#include "plots/charts_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

static void
add_value(struct chart_series *s, long x, const struct chart_number *y,
    double level, const char *name)
{
	struct chart_point *p = &s->points[s->n_points++];

	*p = (struct chart_point){ .gpus = x, .name = name };
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		p->y[q] = (struct chart_number){ NAN, NAN, NAN };
		p->level[q] = NAN;
	}
	p->y[CHART_VALUE] = *y;
	p->level[CHART_VALUE] = level;
}

/* A series of as many as most in d, empty, with room for n points. */
static struct chart_series *
add_series(struct chart_data *d, size_t most, const char *name, size_t n)
{
	struct chart_series *s;

	if (d->series == NULL)
		d->series = arena_calloc(&d->arena, most, sizeof *d->series);
	s = &d->series[d->n_series++];
	*s = (struct chart_series){
		.name = name, .base_gpus = NAN, .base_value = NAN
	};
	s->points = arena_calloc(&d->arena, n + 1, sizeof *s->points);
	return s;
}

/* --- bars ------------------------------------------------------------------*/

struct category {
	const char *name;
	long gpus, nodes;
};

static int
compare_categories(const void *a, const void *b)
{
	const struct category *x = a, *y = b;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The different cases of all series, by GPUs.  Free with free(). */
static struct category *
make_categories(const struct series_set *set, size_t *n)
{
	struct category *all;
	size_t most = 0, kept = 0;

	for (size_t i = 0; i < set->n; i++)
		most += set->items[i].n_points;
	all = xcalloc(most + 1, sizeof *all);
	*n = 0;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			if (c->median_speed > 0)
				all[(*n)++] = (struct category){ c->name,
					c->gpus, c->nodes };
		}
	qsort(all, *n, sizeof *all, compare_categories);
	for (size_t i = 0; i < *n; i++)
		if (kept == 0 || strcmp(all[kept - 1].name, all[i].name) != 0)
			all[kept++] = all[i];
	*n = kept;
	return all;
}

static long
place_of(const struct category *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, name) == 0)
			return (long)i + 1;
	return 0;
}

void
bars_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	size_t n;
	struct category *all = make_categories(set, &n);

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		struct chart_series *out =
		    add_series(d, set->n, names[i], s->n_points);

		for (size_t k = 0; k < s->n_points; k++) {
			const struct result_case *c = s->points[k].c;
			const struct chart_number y = { c->median_speed,
				c->median_low, c->median_high };
			const long place = place_of(all, n, c->name);

			if (c->median_speed > 0 && place > 0)
				add_value(out, place, &y, c->median_level,
				    arena_strdup(&d->arena, c->name));
		}
		if (out->n_points == 0)
			d->n_series--;
	}
	free(all);
}

/* The names of the points at 1, 2, ... */
static void
names_x(struct chart_data *d, int room)
{
	const char **labels;
	size_t n = 0;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			if ((size_t)d->series[i].points[k].gpus > n)
				n = (size_t)d->series[i].points[k].gpus;
	labels = xcalloc(n + 1, sizeof *labels);
	for (size_t i = 0; i < n; i++)
		labels[i] = "";
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++) {
			const struct chart_point *p = &d->series[i].points[k];

			labels[p->gpus - 1] = p->name;
		}
	axis_names(labels, n, room, &d->x);
	free(labels);
}

void
bars_x(struct chart_data *d, int room)
{
	names_x(d, room);
}

/* --- batch sizes -----------------------------------------------------------*/

static int
compare_points(const void *a, const void *b)
{
	const long x = ((const struct chart_point *)a)->gpus,
		   y = ((const struct chart_point *)b)->gpus;

	return (x > y) - (x < y);
}

/* The line of that name, or a new one; most points in all. */
static struct chart_series *
find_line(struct chart_data *d, const char *name, size_t most)
{
	for (size_t i = 0; i < d->n_series; i++)
		if (strcmp(d->series[i].name, name) == 0)
			return &d->series[i];
	return add_series(d, most, name, most);
}

void
batch_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	const uint64_t mask = series_set_differing(set) &
	    ~(SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH));
	size_t most = 0, kept = 0;

	(void)names;
	for (size_t i = 0; i < set->n; i++)
		most += set->items[i].n_points;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;
			const char *text =
			    series_text(set, &set->items[i], mask, d->lang);
			const struct chart_number y = { c->median_speed,
				c->median_low, c->median_high };

			if (!(c->median_speed > 0) ||
			    c->batch_size_per_device <= 0)
				continue;
			add_value(find_line(d,
				      arena_printf(&d->arena, "%s%s%s", text,
					  text[0] != '\0' ? ", " : "", c->name),
				      most),
			    c->batch_size_per_device, &y, c->median_level,
			    c->name);
		}
	/* One batch size is no sweep. */
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];

		qsort(
		    s->points, s->n_points, sizeof *s->points, compare_points);
		if (s->n_points > 1 &&
		    s->points[0].gpus != s->points[s->n_points - 1].gpus)
			d->series[kept++] = *s;
	}
	d->n_series = kept;
}

void
batch_x(struct chart_data *d, int room)
{
	long *sizes;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < d->n_series; i++)
		n += d->series[i].n_points;
	sizes = xcalloc(n, sizeof *sizes);
	n = 0;
	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			sizes[n++] = d->series[i].points[k].gpus;
	/* Insertion: they are few, and nearly in order. */
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && sizes[k - 1] > sizes[k]; k--) {
			const long size = sizes[k];

			sizes[k] = sizes[k - 1];
			sizes[k - 1] = size;
		}
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || sizes[kept - 1] != sizes[i])
			sizes[kept++] = sizes[i];
	axis_counts(sizes, kept, room, 0, &d->x);
	free(sizes);
}

/* --- phases ----------------------------------------------------------------*/

/* Parts of a step, from the bottom of a bar to its top. */
enum part { PART_DATA, PART_COMPUTE, PART_OVERLAPPED, PART_EXPOSED, N_PARTS };

static const enum message part_names[N_PARTS] = { MESSAGE_DATA_WAIT,
	MESSAGE_COMPUTE, MESSAGE_OVERLAPPED, MESSAGE_EXPOSED };

/* Milliseconds of the parts of a run's mean step.  Returns 0 where the run does
 * not state its step's time. */
static int
parts_of(const struct result_phases *p, double parts[N_PARTS])
{
	const double data = isnan(p->data_s) ? 0 : p->data_s;
	const double exposed = isnan(p->exposed_s) ? 0 : p->exposed_s;
	const double busy = isnan(p->busy_s) ? exposed : p->busy_s;

	if (!(p->step_s > 0) || (isnan(p->exposed_s) && isnan(p->busy_s)))
		return 0;
	parts[PART_DATA] = 1e3 * data;
	parts[PART_EXPOSED] = 1e3 * exposed;
	parts[PART_OVERLAPPED] = 1e3 * fmax(busy - exposed, 0);
	parts[PART_COMPUTE] = fmax(1e3 * p->step_s - parts[PART_DATA] -
		parts[PART_EXPOSED] - parts[PART_OVERLAPPED],
	    0);
	return 1;
}

/* The medians of the parts over a case's runs.  Returns the number of runs
 * that state them. */
static size_t
case_parts(const struct result_case *c, double parts[N_PARTS])
{
	double(*all)[N_PARTS] = xcalloc(c->n_runs + 1, sizeof *all);
	double *v = xcalloc(c->n_runs + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		n += (size_t)parts_of(&c->runs[i].phases, all[n]);
	for (int part = 0; n > 0 && part < N_PARTS; part++) {
		for (size_t i = 0; i < n; i++)
			v[i] = all[i][part];
		parts[part] = stats_median_reorder(v, n);
	}
	free(v);
	free(all);
	return n;
}

/* Each part's points are the upper ends of its boxes, so that the template
 * draws the last first. */
void
phases_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	size_t most = 0;
	long place = 0;

	for (size_t i = 0; i < set->n; i++)
		most += set->items[i].n_points;
	for (int part = 0; part < N_PARTS; part++)
		add_series(
		    d, N_PARTS, message(part_names[part], d->lang), most);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;
			double parts[N_PARTS], sum = 0;
			const char *name = arena_printf(&d->arena, "%s%s%s",
			    names[i], names[i][0] != '\0' ? " " : "", c->name);

			if (case_parts(c, parts) == 0)
				continue;
			place++;
			for (int part = 0; part < N_PARTS; part++) {
				const struct chart_number y = {
					sum += parts[part], NAN, NAN
				};

				add_value(
				    &d->series[part], place, &y, NAN, name);
			}
		}
	if (place == 0)
		d->n_series = 0;
}

void
phases_x(struct chart_data *d, int room)
{
	names_x(d, room);
}
