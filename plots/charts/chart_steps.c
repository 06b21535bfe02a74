/* Charts of single steps: step times, their distribution, loss and accuracy.
 * One line for each run whose log has records. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/stats/stats.h"
#include "common/units/units.h"
#include "plots/charts/step_records.h"
#include "plots/charts/chart.h"

enum {
	MAX_RUNS = 24,    /* in one chart */
	MAX_SHOWN = 1200, /* points of a run, to limit the size of files */
	HALF_MEDIAN = 10  /* running median: 2 * HALF_MEDIAN + 1 points */
};

/* A run and its records. */
struct run_steps {
	const struct chart_case *from;
	const struct result_run *run;
	const struct step_run *steps;
	double per_step; /* samples (or the rate's other unit) per step, to
	                    convert rates to step times; 0: as they are */
};

/* Value that a chart draws for a step; NAN: none. */
static double
number_of(const struct run_steps *r, const struct step_sample *s,
    enum step_field field)
{
	if (field == STEP_LOSS)
		return s->loss;
	if (field == STEP_TOP1)
		return s->top1;
	return r->per_step > 0 ? r->per_step / s->value : s->value;
}

static int
is_in_window(const struct result_run *run, const struct step_sample *s)
{
	return s->line >= run->first_line && s->line <= run->last_line;
}

/* Find the first MAX_RUNS runs that have records; count the others in
 * n_runs_left_out. Returns the number found.
 *
 * runs  [MAX_RUNS] results */
static size_t
find_runs(struct chart_data *d, struct run_steps *runs)
{
	size_t n = 0;

	for (size_t i = 0; d->how.records != NULL && i < d->n_cases; i++) {
		const struct result_case *c = d->cases[i].c;

		for (size_t r = 0; r < c->n_runs; r++) {
			const struct step_run *steps =
			    step_records_find(d->how.records, c->runs[r].path);

			if (steps != NULL && n == MAX_RUNS)
				d->n_runs_left_out++;
			else if (steps != NULL)
				runs[n++] = (struct run_steps){ &d->cases[i],
					&c->runs[r], steps, 0 };
		}
	}
	return n;
}

/* Images, sequences and examples count as samples. */
static const char *
common_unit(const struct run_steps *r)
{
	return unit_counts_samples(r->steps->unit) ? "samples/s"
						   : r->steps->unit;
}

/* Choose one unit: that of all runs if they share it, else seconds. Returns 0;
 * -1 with ERROR_INPUT if a run cannot be drawn in seconds.
 *
 * runs  [n] */
static int
unite_units(
    struct chart_data *d, struct run_steps *runs, size_t n, struct error *e)
{
	int differ = 0;

	d->y_unit = n > 0 ? runs[0].steps->unit : NULL;
	for (size_t i = 1; i < n; i++) {
		differ |= strcmp(common_unit(&runs[i]), common_unit(runs)) != 0;
		if (strcmp(runs[i].steps->unit, d->y_unit) != 0)
			d->y_unit = "samples/s";
	}
	if (!differ)
		return 0;
	d->y_unit = "s";
	for (size_t i = 0; i < n; i++) {
		struct run_steps *r = &runs[i];
		const char *unit = common_unit(r);

		if (strcmp(unit, "s") == 0)
			continue;
		if (strcmp(unit, "iterations/s") == 0)
			r->per_step = 1;
		else if (strcmp(unit, "samples/s") == 0)
			r->per_step = r->run->samples_per_s * r->run->step_s;
		if (!(r->per_step > 0) || isinf(r->per_step))
			return error_set(e, ERROR_INPUT,
			    "--chart=%s: the records of '%s' are in %s and "
			    "those of other runs in other units; choose by "
			    "--select=KEY=VALUE",
			    d->chart->name, r->steps->path, r->steps->unit);
	}
	return 0;
}

/* --- lines over steps and time ---------------------------------------------*/

/* Mark the window and the settling point of a run. */
static void
set_marks(struct chart_series *series, const struct run_steps *r)
{
	struct chart_mark *m = &series->mark_at;
	long epoch_start = 0;

	for (size_t i = 0; i < r->steps->n; i++) {
		const struct step_sample *s = &r->steps->samples[i];

		if (!is_in_window(r->run, s))
			continue;
		if (isnan(m->from)) {
			m->from = (double)s->from + 0.5;
			epoch_start = s->epoch_start;
		}
		m->to = (double)s->position + 1.5;
	}
	if (r->run->audit.settled_at != RESULT_UNKNOWN && isfinite(m->from))
		m->settled =
		    (double)(epoch_start + r->run->audit.settled_at) + 0.5;
}

/* Windows are symmetric, so that slopes are kept. Near the ends they shrink to
 * half their width (or half of a short run) and then stop, so that the line
 * does not end in the spike of a single point. */
static void
set_running_median(struct chart_series *s)
{
	const size_t short_run = s->n_points > 0 ? (s->n_points - 1) / 4 : 0;
	const size_t least =
	    short_run < HALF_MEDIAN / 2 ? short_run : HALF_MEDIAN / 2;
	double v[2 * HALF_MEDIAN + 1];

	for (size_t i = 0; i < s->n_points; i++) {
		const size_t after = s->n_points - 1 - i;
		size_t half = i < after ? i : after, n = 0;

		if (half < least)
			continue;
		half = half < HALF_MEDIAN ? half : HALF_MEDIAN;
		for (size_t k = i - half; k <= i + half; k++)
			v[n++] = s->points[k].y[CHART_VALUE].at;
		s->points[i].trend = stats_median_reorder(v, n);
	}
}

/* Add the points of a run, thinned evenly to at most MAX_SHOWN. */
static void
fill_line(struct chart_series *s, const struct run_steps *r,
    const struct chart *chart)
{
	const size_t stride = (r->steps->n + MAX_SHOWN - 1) / MAX_SHOWN;

	for (size_t i = 0; i < r->steps->n; i += stride) {
		const struct step_sample *sample = &r->steps->samples[i];
		const double y = number_of(r, sample, chart->step_y);
		const double x = chart->over_seconds
		    ? sample->seconds
		    : (double)sample->position + 1;

		if (isfinite(y) && isfinite(x))
			chart_point_add(s, x, chart_number_of(y), "");
	}
	set_running_median(s);
	if (chart->step_y == STEP_VALUE)
		set_marks(s, r);
}

void
chart_steps_x(struct chart_data *d, int room)
{
	size_t n;
	const double *x = chart_places(d, &n);

	axis_linear(
	    x[n - 1] > 0 ? x[n - 1] : 1, room / 8 > 2 ? room / 8 : 2, &d->x);
}

/* Add the steps of the window only, and a row with their median and
 * percentiles, "0.2013 [0.1934, 0.2127]". */
static void
fill_window(
    struct chart_data *d, struct chart_series *s, const struct run_steps *r)
{
	double *v = arena_calloc(&d->arena, r->steps->n, sizeof *v);
	char at[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
	struct chart_number *q = &s->spread;
	size_t n = 0;

	for (size_t i = 0; i < r->steps->n; i++) {
		const struct step_sample *sample = &r->steps->samples[i];

		if (!is_in_window(r->run, sample) || !isfinite(sample->value))
			continue;
		v[n] = number_of(r, sample, STEP_VALUE);
		chart_point_add(
		    s, (double)d->n_series, chart_number_of(v[n]), s->name);
		n++;
	}
	if (n == 0)
		return;
	q->at = stats_median_reorder(v, n);
	q->low = stats_quantile(v, n, 0.05);
	q->high = stats_quantile(v, n, 0.95);
	if (d->rows == NULL)
		d->rows = arena_calloc(&d->arena, MAX_RUNS, sizeof *d->rows);
	d->rows[d->n_rows++] = (struct chart_row){ s->name,
		arena_printf(&d->arena, "%s [%s, %s]",
		    number_format(at, q->at, 4), number_format(low, q->low, 4),
		    number_format(high, q->high, 4)),
		"" };
}

/* Add a series per run: its line, or in a sideways chart the steps of its
 * window. Series without points are dropped. */
int
chart_fill_steps(struct chart_data *d, struct error *e)
{
	struct run_steps runs[MAX_RUNS];
	const size_t n = find_runs(d, runs);

	if (d->chart->step_y == STEP_VALUE && unite_units(d, runs, n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct run_steps *r = &runs[i];
		const char *part = arena_printf(&d->arena, "%s%s%s",
		    r->from->c->name, r->run->run != NULL ? " #" : "",
		    r->run->run != NULL ? r->run->run : "");
		struct chart_series *s = chart_series_add(
		    d, chart_join(d, r->from->name, " ", part), r->steps->n);

		s->source = r->from->s;
		s->group = arena_printf(&d->arena, "%td", r->from - d->cases);
		s->part = part;
		if (d->chart->sideways)
			fill_window(d, s, r);
		else
			fill_line(s, r, d->chart);
		d->n_series -= s->n_points == 0;
	}
	return 0;
}
