/* Series of the charts of steps.  chart.c's table calls it; records come from
 * step_records.c, what was measured of a run from its result. */
#include <config.h>

#include "plots/charts_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "plots/step_records.h"

enum {
	MAX_SHOWN = 1200, /* points of a run: more only make files large */
	HALF_MEDIAN = 10  /* the running median is over twice that and one */
};

/* What a chart takes of a sample. */
typedef double sample_value(const struct step_sample *s);
typedef long sample_place(const struct step_sample *s);

static double
value_of(const struct step_sample *s)
{
	return s->value;
}

static double
loss_of(const struct step_sample *s)
{
	return s->loss;
}

static double
accuracy_of(const struct step_sample *s)
{
	return s->top1;
}

static long
position_of(const struct step_sample *s)
{
	return s->position + 1;
}

static long
seconds_of(const struct step_sample *s)
{
	return isfinite(s->seconds) && s->seconds < 1e15 ? lround(s->seconds)
							 : -1;
}

static void
init_point(struct chart_point *p, long x, double y)
{
	*p = (struct chart_point){ .gpus = x, .name = "" };
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		p->y[q] = (struct chart_number){ NAN, NAN, NAN };
		p->level[q] = NAN;
	}
	p->y[CHART_VALUE].at = y;
}

static int
is_in_window(const struct result_run *run, const struct step_sample *s)
{
	return s->line >= run->first_line && s->line <= run->last_line;
}

/* The window and the settling point of a run. */
static void
add_marks(struct chart_data *d, const struct result_run *run,
    const struct step_run *steps)
{
	struct chart_mark *m = &d->marks[d->n_marks++];
	long epoch_start = 0;

	*m = (struct chart_mark){ NAN, NAN, NAN, (int)d->n_series };
	for (size_t i = 0; i < steps->n; i++) {
		const struct step_sample *s = &steps->samples[i];

		if (!is_in_window(run, s))
			continue;
		if (isnan(m->from)) {
			m->from = (double)position_of(s) - 0.5;
			epoch_start = s->epoch_start;
		}
		m->to = (double)position_of(s) + 0.5;
	}
	if (run->audit.settled_at != RESULT_UNKNOWN && isfinite(m->from))
		m->settled =
		    (double)(epoch_start + run->audit.settled_at) + 0.5;
}

/* A series of a run, with room for all its samples; NULL if there are too many
 * runs. */
static struct chart_series *
add_run(struct chart_data *d, const char *name, const struct result_case *c,
    const struct result_run *run, size_t n)
{
	struct chart_series *s;

	d->n_runs_left_out += d->n_series == CHARTS_STEPS_MAX_RUNS;
	if (d->n_series == CHARTS_STEPS_MAX_RUNS)
		return NULL;
	if (d->series == NULL) {
		d->series = arena_calloc(
		    &d->arena, CHARTS_STEPS_MAX_RUNS, sizeof *d->series);
		d->marks = arena_calloc(
		    &d->arena, CHARTS_STEPS_MAX_RUNS, sizeof *d->marks);
	}
	s = &d->series[d->n_series];
	*s = (struct chart_series){ .base_gpus = NAN, .base_value = NAN };
	s->name = arena_printf(&d->arena, "%s%s%s%s%s", name,
	    name[0] != '\0' ? " " : "", c->name, run->run != NULL ? " #" : "",
	    run->run != NULL ? run->run : "");
	s->points = arena_calloc(&d->arena, n + 1, sizeof *s->points);
	return s;
}

static void
set_running_median(struct chart_series *s)
{
	double v[2 * HALF_MEDIAN + 1];

	for (size_t i = 0; i < s->n_points; i++) {
		const size_t from = i < HALF_MEDIAN ? 0 : i - HALF_MEDIAN;
		size_t n = 0;

		for (size_t k = from; k <= i + HALF_MEDIAN && k < s->n_points;
		     k++)
			v[n++] = s->points[k].y[CHART_VALUE].at;
		s->points[i].y[CHART_SPEEDUP].at = stats_median_reorder(v, n);
	}
}

/* The points of a run; a step more than MAX_SHOWN is left out evenly. */
static void
fill_points(struct chart_series *s, const struct step_run *steps,
    sample_value *value, sample_place *place)
{
	const size_t stride = (steps->n + MAX_SHOWN - 1) / MAX_SHOWN;

	for (size_t i = 0; i < steps->n; i += stride) {
		const struct step_sample *sample = &steps->samples[i];
		const double y = value(sample);
		const long x = place(sample);

		if (y > 0 && isfinite(y) && x >= 0)
			init_point(&s->points[s->n_points++], x, y);
	}
}

static void
fill_runs(struct chart_data *d, const struct series_set *set,
    const char *const *names, sample_value *value, sample_place *place)
{
	for (size_t i = 0; d->records != NULL && i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			for (size_t r = 0; r < c->n_runs; r++) {
				const struct step_run *steps =
				    step_records_find(
					d->records, c->runs[r].path);
				struct chart_series *s = steps == NULL
				    ? NULL
				    : add_run(d, names[i], c, &c->runs[r],
					  steps->n);

				if (s == NULL)
					continue;
				d->y_unit = steps->unit;
				fill_points(s, steps, value, place);
				if (value == value_of)
					add_marks(d, &c->runs[r], steps);
				set_running_median(s);
				d->n_series += s->n_points > 0;
			}
		}
}

void
steps_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	fill_runs(d, set, names, value_of, position_of);
}

void
loss_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	fill_runs(d, set, names, loss_of, position_of);
}

void
loss_time_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	fill_runs(d, set, names, loss_of, seconds_of);
}

void
accuracy_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	fill_runs(d, set, names, accuracy_of, position_of);
}

void
steps_x(struct chart_data *d, int room)
{
	double high = 1;

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t k = 0; k < d->series[i].n_points; k++)
			high = fmax(high, (double)d->series[i].points[k].gpus);
	axis_linear(high, room / 8 > 2 ? room / 8 : 2, &d->x);
}

/* --- how steps are spread --------------------------------------------------*/

/* Only the window's; the first point carries the percentiles. */
static void
fill_window(struct chart_data *d, struct chart_series *s,
    const struct result_run *run, const struct step_run *steps)
{
	double *v = xcalloc(steps->n + 1, sizeof *v);
	struct chart_number *q;
	size_t n = 0;

	for (size_t i = 0; i < steps->n; i++)
		if (is_in_window(run, &steps->samples[i]))
			v[n++] = steps->samples[i].value;
	for (size_t i = 0; i < n; i++)
		init_point(
		    &s->points[s->n_points++], (long)d->n_series + 1, v[i]);
	if (n > 0) {
		q = &s->points[0].y[CHART_SPEEDUP];
		q->at = stats_median_reorder(v, n);
		q->low = stats_quantile(v, n, 0.05);
		q->high = stats_quantile(v, n, 0.95);
	}
	free(v);
}

void
spread_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	for (size_t i = 0; d->records != NULL && i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			for (size_t r = 0; r < c->n_runs; r++) {
				const struct step_run *steps =
				    step_records_find(
					d->records, c->runs[r].path);
				struct chart_series *s = steps == NULL
				    ? NULL
				    : add_run(d, names[i], c, &c->runs[r],
					  steps->n);

				if (s == NULL)
					continue;
				d->y_unit = steps->unit;
				fill_window(d, s, &c->runs[r], steps);
				d->n_series += s->n_points > 0;
			}
		}
}

void
spread_x(struct chart_data *d, int room)
{
	const char *labels[CHARTS_STEPS_MAX_RUNS];

	for (size_t i = 0; i < d->n_series; i++)
		labels[i] = d->series[i].name;
	axis_names(labels, d->n_series, room, &d->x);
}
