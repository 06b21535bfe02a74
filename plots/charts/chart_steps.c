/* Charts of single steps: step times, their distribution, loss and accuracy.
 * One line for each case whose logs have records: that of its run, or the
 * median of its runs in a band. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/stats/stats.h"
#include "common/units/units.h"
#include "plots/charts/step_records.h"
#include "plots/charts/chart.h"

enum {
	MAX_SHOWN = 1200,  /* points of a run, to limit the size of files */
	BAND_POINTS = 200, /* of a line of several runs */
	HALF_MEDIAN = 10   /* running median: 2 * HALF_MEDIAN + 1 points */
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

/* Find the runs with records. Returns their number.
 *
 * runs  set to them, case by case, in d's arena */
static size_t
find_runs(struct chart_data *d, struct run_steps **runs)
{
	size_t n = 0, most = 0;

	for (size_t i = 0; i < d->n_cases; i++)
		most += d->cases[i].c->n_runs;
	*runs = arena_calloc(&d->arena, most, sizeof **runs);
	for (size_t i = 0; d->how.records != NULL && i < d->n_cases; i++) {
		const struct result_case *c = d->cases[i].c;

		for (size_t r = 0; r < c->n_runs; r++) {
			const struct step_run *steps =
			    step_records_find(d->how.records, c->runs[r].path);

			if (steps != NULL)
				(*runs)[n++] = (struct run_steps){ &d->cases[i],
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

/* Mark the window and the settling point of a run; of several runs, the steps
 * that are in any window, and the last settling point. */
static void
set_marks(struct chart_series *series, const struct run_steps *r)
{
	struct chart_mark *all = &series->mark_at;
	struct chart_mark of_run = { NAN, NAN, NAN }, *m = &of_run;
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
	all->from = fmin(all->from, m->from);
	all->to = fmax(all->to, m->to);
	all->settled = fmax(all->settled, m->settled);
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
}

/* The running median of a run at x, between its points; NAN outside.
 *
 * at  the point from which to search, moved ahead: x must not fall */
static double
line_at(const struct chart_series *run, double x, size_t *at)
{
	const struct chart_point *p = run->points, *q;

	while (*at + 1 < run->n_points && !(p[*at + 1].x >= x))
		++*at;
	if (*at + 1 >= run->n_points || p[*at].x > x)
		return NAN;
	q = &p[*at + 1];
	return p[*at].trend +
	    (q->trend - p[*at].trend) * (x - p[*at].x) / (q->x - p[*at].x);
}

/* Add the median of the running medians of n >= 2 runs, and their 5th and 95th
 * percentile. */
static void
fill_band(struct chart_data *d, struct chart_series *s,
    const struct run_steps *runs, size_t n)
{
	struct chart_series *lines = arena_calloc(&d->arena, n, sizeof *lines);
	size_t *at = arena_calloc(&d->arena, n, sizeof *at);
	double *v = arena_calloc(&d->arena, n, sizeof *v);
	double first = INFINITY, last = 0;

	for (size_t i = 0; i < n; i++) {
		struct chart_series *line = &lines[i];

		line->points = arena_calloc(
		    &d->arena, runs[i].steps->n + 1, sizeof *line->points);
		fill_line(line, &runs[i], d->chart);
		if (line->n_points == 0)
			continue;
		first = fmin(first, line->points[0].x);
		last = fmax(last, line->points[line->n_points - 1].x);
	}
	for (int k = 0; k <= BAND_POINTS; k++) {
		const double x = first + (last - first) * k / BAND_POINTS;
		struct chart_point *p;
		size_t m = 0;

		for (size_t i = 0; i < n; i++) {
			const double y = line_at(&lines[i], x, &at[i]);

			if (isfinite(y))
				v[m++] = y;
		}
		if (m == 0)
			continue;
		p = chart_point_add(s, x, chart_number_of(NAN), "");
		p->trend = stats_median_reorder(v, m);
		p->y[CHART_VALUE] =
		    (struct chart_number){ p->trend, stats_quantile(v, m, 0.05),
			    stats_quantile(v, m, 0.95) };
	}
	d->remark = message(MESSAGE_NOTE_RUNS_BAND, d->lang);
}

void
chart_steps_x(struct chart_data *d, int room)
{
	size_t n;
	const double *x = chart_places(d, &n);

	axis_linear(
	    x[n - 1] > 0 ? x[n - 1] : 1, room / 8 > 2 ? room / 8 : 2, &d->x);
}

/* Add the steps of the runs' windows only, and a row with their median and
 * percentiles. */
static void
fill_windows(struct chart_data *d, struct chart_series *s,
    const struct run_steps *runs, size_t n_runs)
{
	struct chart_number *q = &s->spread;
	const size_t stride = s->n_points / MAX_SHOWN + 1;
	double *v = arena_calloc(&d->arena, s->n_points, sizeof *v);
	size_t n = 0;

	s->n_points = 0;
	for (size_t r = 0; r < n_runs; r++)
		for (size_t i = 0; i < runs[r].steps->n; i++) {
			const struct step_sample *sample =
			    &runs[r].steps->samples[i];

			if (!is_in_window(runs[r].run, sample) ||
			    !isfinite(sample->value))
				continue;
			v[n] = number_of(&runs[r], sample, STEP_VALUE);
			if (n % stride == 0)
				chart_point_add(s, (double)d->n_series,
				    chart_number_of(v[n]), s->name);
			n++;
		}
	if (n == 0)
		return;
	q->at = stats_median_reorder(v, n);
	q->low = stats_quantile(v, n, 0.05);
	q->high = stats_quantile(v, n, 0.95);
	d->rows[d->n_rows++] = (struct chart_row){ s->name, NULL, "", .y = *q };
}

/* Seconds after which the series' line has reached y, NAN: never. */
static double
reached_at(const struct chart_series *s, double y)
{
	for (size_t k = 0; k < s->n_points; k++)
		if (s->points[k].trend >= y)
			return s->points[k].x;
	return NAN;
}

/* State when each line reached the highest accuracy, in steps of 5 %, that all
 * reach: "60 % after: A 35 s, B 33 s". */
static void
state_times(struct chart_data *d)
{
	enum { STEP = 5, NAMED = 6 };
	double target = 100;
	struct strbuf sb = STRBUF_INIT(1 << 14);

	for (size_t i = 0; i < d->n_series; i++) {
		double best = 0;

		for (size_t k = 0; k < d->series[i].n_points; k++)
			best = fmax(best, d->series[i].points[k].trend);
		target = fmin(target, best);
	}
	target = floor(target / STEP) * STEP;
	if (target < STEP || d->n_series > NAMED)
		return;
	strbuf_printf(
	    &sb, "%.0f %% %s", target, message(MESSAGE_AFTER, d->lang));
	for (size_t i = 0; i < d->n_series; i++) {
		char text[UNITS_TEXT_SIZE];

		strbuf_printf(&sb, "%s%s %s",
		    i > 0 ? message(MESSAGE_COMMA, d->lang) : " ",
		    d->series[i].name,
		    seconds_format(text, reached_at(&d->series[i], target)));
	}
	if (d->remark != NULL) {
		chart_note_part(d, &sb);
		strbuf_addstr(&sb, d->remark);
	}
	d->remark = strbuf_finish(&sb, &d->arena);
}

/* Add a series per case: its line, or in a sideways chart the steps of its
 * windows. Series without points are dropped. */
void
chart_fill_steps(struct chart_data *d)
{
	struct run_steps *runs;
	const size_t n = find_runs(d, &runs);
	const struct chart *chart = d->chart;
	size_t end;

	d->failed =
	    chart->step_y == STEP_VALUE && unite_units(d, runs, n, d->e) != 0;
	if (d->failed)
		return;
	for (size_t i = 0; i < n; i = end) {
		const struct chart_case *from = runs[i].from;
		size_t n_steps = BAND_POINTS;
		struct chart_series *s;

		for (end = i; end < n && runs[end].from == from; end++)
			n_steps += runs[end].steps->n;
		s = chart_series_add(d, chart_case_name(d, from, " "), n_steps);
		s->source = from->s;
		s->part = from->c->name;
		if (chart->sideways) {
			s->n_points = n_steps;
			fill_windows(d, s, &runs[i], end - i);
		} else if (end - i == 1) {
			fill_line(s, &runs[i], chart);
		} else {
			fill_band(d, s, &runs[i], end - i);
		}
		for (size_t k = i;
		     k < end && chart->step_y == STEP_VALUE && !chart->sideways;
		     k++)
			set_marks(s, &runs[k]);
		d->n_series -= s->n_points == 0;
	}
	if (chart->step_y == STEP_TOP1 && chart->over_seconds)
		state_times(d);
}
