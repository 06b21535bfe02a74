/* Charts of cases with other x axes than the number of GPUs: medians side by
 * side, batch size sweeps, parts of a step's time, and collectives (bins of
 * common/result/collective_groups.h). */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/case_flags.h"
#include "common/result/case_text.h"
#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "plots/charts/chart.h"

/* --- bars ------------------------------------------------------------------*/

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

void
chart_fill_bars(struct chart_data *d)
{
	const struct result_case **all =
	    arena_calloc(&d->arena, d->n_cases, sizeof *all);
	struct chart_series *out = NULL;
	size_t n = 0, n_places = 0;

	/* One place per case name in all series, sorted by GPUs. */
	for (size_t i = 0; i < d->n_cases; i++)
		if (d->cases[i].c->median_speed > 0) {
			d->cases[i].is_drawn = 1;
			all[n++] = d->cases[i].c;
		}
	qsort(all, n, sizeof *all, compare_cases);
	for (size_t i = 0; i < n; i++)
		if (i == 0 ||
		    strcmp(all[n_places - 1]->name, all[i]->name) != 0)
			all[n_places++] = all[i];
	d->n_x_names = n_places;
	d->x_names = arena_calloc(&d->arena, n_places, sizeof *d->x_names);
	for (size_t i = 0; i < n_places; i++)
		d->x_names[i] = all[i]->name;
	for (size_t i = 0; i < d->n_cases; i++) {
		const struct chart_case *c = &d->cases[i];
		size_t at = 0;

		if (!c->is_drawn)
			continue;
		if (out == NULL || out->source != c->s) {
			out = chart_series_add(d, c->name, c->s->n_points);
			out->source = c->s;
		}
		while (strcmp(all[at]->name, c->c->name) != 0)
			at++;
		chart_case_add(out, (double)(at + 1), c->c, c->c->name);
	}
}

/* --- dots ------------------------------------------------------------------*/

/* Order cases from the best to the worst. */
static int
compare_speeds(const void *a, const void *b)
{
	const struct chart_case *x = *(struct chart_case *const *)a,
				*y = *(struct chart_case *const *)b;
	const int order = (x->c->median_speed < y->c->median_speed) -
	    (x->c->median_speed > y->c->median_speed);

	return work_kind_is_time(work_kind_of(x->c->unit)) ? -order : order;
}

void
chart_fill_dots(struct chart_data *d)
{
	struct chart_case **all =
	    arena_calloc(&d->arena, d->n_cases, sizeof *all);
	struct chart_series *s;
	size_t n = 0;

	for (size_t i = 0; i < d->n_cases; i++)
		if (d->cases[i].c->median_speed > 0) {
			d->cases[i].is_drawn = 1;
			all[n++] = &d->cases[i];
		}
	if (n == 0)
		return;
	qsort(all, n, sizeof *all, compare_speeds);
	s = chart_series_add(d, message(case_headline(all[0]->c), d->lang), n);
	s->source = all[0]->s;
	for (size_t i = 0; i < n; i++) {
		const struct result_case *c = all[i]->c;
		struct chart_point *p = chart_case_add(s, (double)i + 1, c, "");

		p->aside = 1;
		p->is_open = case_is_doubtful(c, 0);
		d->rows[d->n_rows++] =
		    (struct chart_row){ chart_case_name(d, all[i], " "), NULL,
			    "", .y = p->y[CHART_VALUE] };
	}
}

/* --- batch sizes -----------------------------------------------------------*/

/* A case with a batch size. */
struct batch_point {
	const char *line; /* name of its line */
	size_t at;        /* position of the line's first point */
	const struct chart_case *c;
	long batch;
};

/* Order by position of the line, then by batch size. */
static int
compare_batches(const void *a, const void *b)
{
	const struct batch_point *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->batch > y->batch) - (x->batch < y->batch);
}

void
chart_fill_batch(struct chart_data *d)
{
	const uint64_t mask = d->set->differing & ~d->chart->over;
	struct batch_point *all =
	    arena_calloc(&d->arena, d->n_cases, sizeof *all);
	size_t n = 0, end;

	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		struct batch_point *p = &all[n];

		c->is_drawn =
		    c->c->median_speed > 0 && c->c->batch_size_per_device > 0;
		if (!c->is_drawn)
			continue;
		*p = (struct batch_point){ .c = c,
			.batch = c->c->batch_size_per_device };
		p->line =
		    chart_join(d, series_name_part(d->set, c->s, mask, d->lang),
			", ", c->c->name);
		while (strcmp(all[p->at].line, p->line) != 0)
			p->at++;
		n++;
	}
	qsort(all, n, sizeof *all, compare_batches);
	for (size_t i = 0; i < n; i = end) {
		struct chart_series *s;

		for (end = i + 1; end < n && all[end].at == all[i].at; end++)
			;
		/* A single batch size is not a sweep. */
		if (all[i].batch == all[end - 1].batch)
			continue;
		s = chart_series_add(d, all[i].line, end - i);
		s->source = all[i].c->s;
		s->part = all[i].c->c->name;
		for (size_t k = i; k < end; k++)
			chart_case_add(s, (double)all[k].batch, all[k].c->c,
			    all[k].c->c->name);
	}
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
case_parts(const struct result_case *c, double parts[N_PARTS], struct arena *a)
{
	double(*all)[N_PARTS] = arena_calloc(a, c->n_runs + 1, sizeof *all);
	double *v = arena_calloc(a, c->n_runs + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		n += (size_t)parts_of(&c->runs[i].phases, all[n]);
	for (int part = 0; n > 0 && part < N_PARTS; part++) {
		for (size_t i = 0; i < n; i++)
			v[i] = all[i][part];
		parts[part] = stats_median_reorder(v, n);
	}
	return n;
}

/* Add the parts that any case has, a row a case: each point reaches from the
 * end of the part before to its own, and is labelled "142 ms, 34 %". */
void
chart_fill_phases(struct chart_data *d)
{
	double(*parts)[N_PARTS] =
	    arena_calloc(&d->arena, d->n_cases + 1, sizeof *parts);
	char text[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		double *own = parts[d->n_rows], sum = 0;

		c->is_drawn = case_parts(c->c, own, &d->arena) > 0;
		if (!c->is_drawn)
			continue;
		for (int part = 0; part < N_PARTS; part++)
			sum += own[part];
		d->rows[d->n_rows++] =
		    (struct chart_row){ chart_case_name(d, c, " "),
			    arena_printf(&d->arena, "%s ms",
				number_format(text, sum, 3)),
			    "", .brief = NULL };
	}
	/* A part that is below half a per cent everywhere is left out. */
	for (int part = 0; part < N_PARTS; part++) {
		const double least = 0.005;
		int is_seen = 0;
		struct chart_series *s = chart_series_add(
		    d, message(part_names[part], d->lang), d->n_rows);

		for (size_t i = 0; i < d->n_rows; i++) {
			double before = 0, all = 0;

			for (int k = 0; k < N_PARTS; k++) {
				before += k < part ? parts[i][k] : 0;
				all += parts[i][k];
			}
			is_seen |= parts[i][part] >= least * all;
			chart_point_add(s, (double)i + 1,
			    (struct chart_number){ before + parts[i][part],
				before, before + parts[i][part] },
			    arena_printf(&d->arena, "%s ms, %.0f %%",
				number_format(text, parts[i][part], 3),
				100 * parts[i][part] / all));
		}
		d->n_series -= !is_seen;
	}
}

/* --- bandwidth against size ----------------------------------------------- */

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
	qsort(all, *n, sizeof *all, compare_spots);
	return all;
}

/* Add the lines of a case, one for each kind: medians of values of nearly equal
 * sizes, with their 5th and 95th percentile. */
static void
add_lines(struct chart_data *d, struct chart_case *c)
{
	/* Ratios of the sizes of a point: of neighbours, and of all. */
	const double next = 1.2, most = 1.9;
	const char *name = chart_case_name(d, c, ", ");
	size_t n, end;
	struct spot *all = make_spots(&d->arena, c->c, &n);
	double *v = arena_calloc(&d->arena, n, sizeof *v);
	struct chart_series *s = NULL;

	c->is_drawn = n > 0;
	for (size_t i = 0; i < n; i = end) {
		if (i == 0 || strcmp(all[i - 1].what, all[i].what) != 0)
			s = chart_series_add(
			    d, chart_join(d, name, ", ", all[i].what), n - i);
		v[0] = all[i].bus;
		for (end = i + 1;
		     end < n && strcmp(all[i].what, all[end].what) == 0 &&
		     all[end].bytes < next * all[end - 1].bytes &&
		     all[end].bytes < most * all[i].bytes;
		     end++)
			v[end - i] = all[end].bus;
		if (end > i + 1)
			d->remark = message(MESSAGE_NOTE_SIZES_BAND, d->lang);
		chart_point_add(s, all[(i + end - 1) / 2].bytes,
		    (struct chart_number){ stats_median_reorder(v, end - i),
			stats_quantile(v, end - i, 0.05),
			stats_quantile(v, end - i, 0.95) },
		    "");
	}
}

void
chart_fill_bandwidth(struct chart_data *d)
{
	for (size_t i = 0; i < d->n_cases; i++)
		add_lines(d, &d->cases[i]);
}

void
chart_bandwidth_x(struct chart_data *d, int room)
{
	size_t n;
	const double *x = chart_places(d, &n);

	axis_sizes(x[0], x[n - 1], room, &d->x);
}

/* --- time by size ----------------------------------------------------------*/

/* Number the used bins, and name them by their upper ends. */
static void
name_bins(struct chart_data *d)
{
	const double *bins = chart_number_x(d, &d->n_x_names);

	d->x_names = arena_calloc(&d->arena, d->n_x_names, sizeof *d->x_names);
	for (size_t i = 0; i < d->n_x_names; i++) {
		char label[SIZE_LABEL_SIZE];
		char *end;

		size_bin_label((int)bins[i], " ", label);
		end = strrchr(label, ' ');
		d->x_names[i] = end == NULL
		    ? arena_strdup(&d->arena, label)
		    : arena_strndup(&d->arena, end + 1, strlen(end) - 2);
	}
}

void
chart_fill_sizes(struct chart_data *d)
{
	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		struct collective_bin bins[SIZE_BINS];
		size_t n_runs;
		const size_t n = collective_groups_by_size(c->c, bins, &n_runs);
		struct chart_series *s;

		c->is_drawn = n > 0;
		if (n == 0)
			continue;
		s = chart_series_add(d, chart_case_name(d, c, ", "), n);
		for (size_t j = 0; j < n; j++)
			chart_point_add(s, bins[j].bin,
			    chart_number_of(100 * bins[j].share),
			    arena_printf(&d->arena, "%.4g", bins[j].count));
	}
	name_bins(d);
}
