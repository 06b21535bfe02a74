/* Charts of cases with other x axes than the number of GPUs: medians side by
 * side, batch size sweeps, and the parts of a step's time. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "plots/charts/chart.h"

/* --- bars ------------------------------------------------------------------*/

int
chart_draws_bars(const struct result_case *c)
{
	return c->median_speed > 0;
}

/* Order cases by GPUs, nodes, and name. */
static int
compare_cases(const void *a, const void *b)
{
	const struct result_case *x = *(struct result_case *const *)a,
				 *y = *(struct result_case *const *)b;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* One case per case name in all series, sorted by GPUs. Free with free(). */
static const struct result_case **
make_categories(const struct series_set *set, size_t *n)
{
	const struct result_case **all = NULL;
	size_t n_all = 0, alloc = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			all = vec_grow(all, n_all, &alloc, sizeof *all);
			all[n_all] = set->items[i].points[k].c;
			n_all += (size_t)chart_draws_bars(all[n_all]);
		}
	if (n_all > 0)
		qsort(all, n_all, sizeof *all, compare_cases);
	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (*n == 0 || strcmp(all[*n - 1]->name, all[i]->name) != 0)
			all[(*n)++] = all[i];
	return all;
}

int
chart_fill_bars(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	size_t n;
	const struct result_case **all = make_categories(set, &n);

	(void)e;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		struct chart_series *out =
		    chart_series_add(d, names[i], s->n_points);

		out->source = s;
		for (size_t k = 0; k < s->n_points; k++) {
			const struct result_case *c = s->points[k].c;
			size_t at = 0;

			while (at < n && strcmp(all[at]->name, c->name) != 0)
				at++;
			if (chart_draws_bars(c))
				chart_case_add(
				    out, (double)(at + 1), c, c->name);
		}
		if (out->n_points == 0)
			d->n_series--;
	}
	free(all);
	return 0;
}

/* --- batch sizes -----------------------------------------------------------*/

/* Measured batch size and the line it belongs to. */
struct batch_point {
	const char *line; /* name of the line */
	size_t at;        /* position of the line's first point */
	const struct series *s;
	const struct result_case *c;
};

/* Order by position of the line, then by batch size. */
static int
compare_batches(const void *a, const void *b)
{
	const struct batch_point *x = a, *y = b;
	const long m = x->c->batch_size_per_device,
		   n = y->c->batch_size_per_device;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (m > n) - (m < n);
}

int
chart_draws_batch(const struct result_case *c)
{
	return c->median_speed > 0 && c->batch_size_per_device > 0;
}

/* Cases of the set that have a batch size, grouped by line. Free with
 * free(). */
static struct batch_point *
make_batch_points(struct chart_data *d, struct series_set *set, size_t *n)
{
	const uint64_t mask = set->differing & ~d->chart->over;
	struct batch_point *all = NULL;
	size_t alloc = 0;

	*n = 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const char *text = series_name_part(set, s, mask, d->lang);

		for (size_t k = 0; k < s->n_points; k++) {
			const struct result_case *c = s->points[k].c;
			struct batch_point *p;

			if (!chart_draws_batch(c))
				continue;
			all = vec_grow(all, *n, &alloc, sizeof *all);
			p = &all[(*n)++];
			*p = (struct batch_point){
				chart_join(d, text, ", ", c->name), 0, s, c
			};
			while (strcmp(all[p->at].line, p->line) != 0)
				p->at++;
		}
	}
	if (*n > 0)
		qsort(all, *n, sizeof *all, compare_batches);
	return all;
}

int
chart_fill_batch(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	size_t n, end;
	struct batch_point *all = make_batch_points(d, set, &n);

	(void)names;
	(void)e;
	for (size_t i = 0; i < n; i = end) {
		struct chart_series *s;

		for (end = i + 1; end < n && all[end].at == all[i].at; end++)
			;
		/* A single batch size is not a sweep. */
		if (all[i].c->batch_size_per_device ==
		    all[end - 1].c->batch_size_per_device)
			continue;
		s = chart_series_add(d, all[i].line, end - i);
		s->source = all[i].s;
		s->part = all[i].c->name;
		for (size_t k = i; k < end; k++)
			chart_case_add(s,
			    (double)all[k].c->batch_size_per_device, all[k].c,
			    all[k].c->name);
	}
	free(all);
	return 0;
}

/* --- phases ----------------------------------------------------------------*/

/* Parts of a step, from the bottom to the top of a bar. */
enum part { PART_DATA, PART_COMPUTE, PART_OVERLAPPED, PART_EXPOSED, N_PARTS };

static const enum message part_names[N_PARTS] = { MESSAGE_DATA_WAIT,
	MESSAGE_COMPUTE, MESSAGE_OVERLAPPED, MESSAGE_EXPOSED };

/* Parts of a run's mean step, in milliseconds. Returns 0 if the run has no step
 * time. */
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

/* Medians of the parts over a case's runs. Returns the number of runs that have
 * them. */
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

int
chart_draws_phases(const struct result_case *c)
{
	double parts[N_PARTS];

	return case_parts(c, parts) > 0;
}

/* Points are the upper ends of the boxes, so the template draws the last part
 * first. */
int
chart_fill_phases(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	size_t most = 0;
	long place = 0;

	(void)e;

	for (size_t i = 0; i < set->n; i++)
		most += set->items[i].n_points;
	for (int part = 0; part < N_PARTS; part++)
		chart_series_add(d, message(part_names[part], d->lang), most);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;
			double parts[N_PARTS], sum = 0;
			const char *name =
			    chart_join(d, names[i], " ", c->name);

			if (case_parts(c, parts) == 0)
				continue;
			place++;
			for (int part = 0; part < N_PARTS; part++) {
				const struct chart_number y =
				    chart_number_of(sum += parts[part]);

				chart_point_add(&d->series[part], (double)place,
				    &y, NAN, name);
			}
		}
	if (place == 0)
		d->n_series = 0;
	return 0;
}
