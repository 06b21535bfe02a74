/* Charts of single steps: step times, their distribution, loss and accuracy.
 * Each case whose logs have records has one line: that of its only run, or the
 * median of its runs inside a band. */
#include <config.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "plots/charts/chart.h"

/* --- records -------------------------------------------------------------- */

/* True if the numbers are equal or both are unknown. */
static int
is_same(double x, double y)
{
	return isnan(x) ? isnan(y) : !(x < y || x > y || isnan(y));
}

/* Add a record to its run if it has an iteration and comes from the same rank
 * as the run's first record. "step" replaces a value that is missing or a mean
 * since the start of the epoch; it is set if lines print it or time stamps. */
static int
read_record(struct step_records *r, const struct json_value *v,
    struct arena *texts, struct error *e)
{
	/* Epochs and iterations of some programs are negative. */
	const double whole = 1e15, any = DBL_MAX;
	const char *path, *unit, *statistic;
	double step;
	struct step_sample s = { 0 };
	const struct {
		const char *key;
		double *to, most;
	} numbers[] = { { "epoch", &s.epoch, whole },
		{ "iteration", &s.iteration, whole },
		{ "iteration_from", &s.iteration_from, whole },
		{ "rank", &s.rank, whole }, { "value", &s.value, any },
		{ "step", &step, any }, { "loss", &s.loss, any },
		{ "top1", &s.top1, any } };
	struct step_run *run;
	size_t i;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "path", e) != 0 ||
	    json_read_require(v, "line", e) != 0 ||
	    json_read_string(v, "path", texts, &path, e) != 0 ||
	    json_read_string(v, "unit", texts, &unit, e) != 0 ||
	    json_read_string(v, "statistic", texts, &statistic, e) != 0 ||
	    json_read_count(v, "line", &s.line, e) != 0)
		return -1;
	for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (json_read_double(v, numbers[i].key, -numbers[i].most,
			numbers[i].most, numbers[i].to, e) != 0)
			return -1;
	if (isnan(s.iteration) || s.value <= 0)
		return 0;
	if (text_same(statistic, "cumulative-mean") || isnan(s.value))
		s.value = step;
	/* Search backwards: records of a log are usually consecutive. */
	for (i = r->n; i > 0 && strcmp(r->runs[i - 1].path, path) != 0;)
		i--;
	if (i == 0) {
		r->runs = arena_grow(&r->arena, r->runs, r->n, sizeof *run);
		i = ++r->n;
		r->runs[i - 1] =
		    (struct step_run){ .path = arena_strdup(&r->arena, path),
			    .unit = arena_strdup(
				&r->arena, unit != NULL ? unit : "") };
	}
	run = &r->runs[i - 1];
	if (run->n > 0 && !is_same(run->samples[0].rank, s.rank))
		return 0;
	run->samples = arena_grow(&r->arena, run->samples, run->n, sizeof s);
	run->samples[run->n++] = s;
	return 0;
}

/* Set position and seconds of all steps. A line covers the steps since its
 * iteration_from if known, else since the previous line. The first line of an
 * epoch covers as many as the other lines if its iteration number allows it. */
static void
count_through(struct step_run *run)
{
	const int is_seconds = strcmp(run->unit, "s") == 0;
	struct step_sample *all = run->samples;
	double spacing = 1, first_iteration = 0, seconds = 0;

	/* The first line stands for as many steps as the second, if known. */
	if (run->n > 1 && is_same(all[1].epoch, all[0].epoch) &&
	    !(all[1].iteration_from >= 0) &&
	    all[1].iteration > all[0].iteration)
		spacing = all[1].iteration - all[0].iteration;
	for (struct step_sample *s = all; s < all + run->n; s++) {
		const struct step_sample *last =
		    s > all && is_same(s[-1].epoch, s->epoch) ? s - 1 : NULL;
		double covered = s->iteration + 1 >= spacing ? spacing : 1;
		long n;

		if (last != NULL) {
			covered = s->iteration - last->iteration;
			if (covered > 0)
				spacing = covered;
		}
		if (s->iteration_from >= 0)
			covered = s->iteration - s->iteration_from;
		n = covered > 1 ? lround(covered) : 1;
		if (last == NULL) {
			s->epoch_start = s > all ? s[-1].position + 1 : 0;
			first_iteration = s->iteration - (double)n + 1;
		} else {
			s->epoch_start = last->epoch_start;
		}
		s->position =
		    s->epoch_start + lround(s->iteration - first_iteration);
		s->from = s->position - n + 1;
		if (isfinite(s->value))
			seconds += (double)n * s->value;
		s->seconds =
		    is_seconds && isfinite(s->value) && isfinite(seconds)
		    ? seconds
		    : NAN;
	}
}

int
step_records_read(const char *path, struct step_records *out, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	char *line = NULL;
	size_t alloc = 0;
	ssize_t len;
	int rc = 0;

	*out = (struct step_records){ .n = 0 };
	if (f == NULL)
		return error_errno(e, errno, "cannot read '%s'", path);
	errno = 0;
	for (long number = 1; rc == 0 && (len = getline(&line, &alloc, f)) > 0;
	     number++) {
		struct arena texts = ARENA_INIT;
		struct json_doc d;

		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		rc =
		    json_doc_parse(arena_printf(&texts, "%s:%ld", path, number),
			line, (size_t)len, &d, e);
		if (rc == 0) {
			rc = read_record(out, &d.top, &texts, e);
			json_doc_release(&d);
		}
		arena_release(&texts);
	}
	if (rc == 0 && ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	free(line);
	if (!is_stdin)
		fclose(f);
	if (rc == 0 && out->n == 0)
		rc =
		    error_set(e, ERROR_EMPTY, "there is no step in '%s'", path);
	for (size_t i = 0; rc == 0 && i < out->n; i++)
		count_through(&out->runs[i]);
	if (rc != 0)
		arena_release(&out->arena);
	return rc;
}

const struct step_run *
step_records_find(const struct step_records *r, const char *path)
{
	for (size_t i = 0; path != NULL && i < r->n; i++)
		if (strcmp(r->runs[i].path, path) == 0)
			return &r->runs[i];
	return NULL;
}

/* --- runs and their units ------------------------------------------------- */

enum {
	MAX_SHOWN = 1200,  /* points of a run, to limit the size of files */
	BAND_POINTS = 200, /* points of a line for several runs */
	HALF_MEDIAN = 10   /* running median: 2 * HALF_MEDIAN + 1 points */
};

/* A run and its records. */
struct run_steps {
	const struct chart_case *from;
	const struct result_run *run;
	const struct step_run *steps;
};

static int
is_in_window(const struct result_run *run, const struct step_sample *s)
{
	return s->line >= run->first_line && s->line <= run->last_line;
}

/* Set the unit of all runs. Returns 0; -1 with ERROR_INPUT if they differ.
 *
 * runs  [n] */
static int
unite_units(struct chart_data *d, const struct run_steps *runs, size_t n,
    struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		const char *unit = runs[i].steps->unit;

		d->y_unit = runs->steps->unit;
		if (strcmp(unit, d->y_unit) != 0)
			return error_set(e, ERROR_INPUT,
			    "--chart=%s: the records of '%s' are in %s and "
			    "those of other runs in other units; choose by "
			    "--select=KEY=VALUE",
			    d->chart->name, runs[i].steps->path, unit);
	}
	return 0;
}

/* --- lines over steps and time ---------------------------------------------*/

/* Mark the window and the settling point of a run; for several runs, the range
 * that spans all windows, and the last settling point. */
static void
set_marks(struct chart_mark *all, const struct run_steps *r)
{
	struct chart_mark m = { NAN, NAN, NAN };
	const long settled = r->run->audit.settled_at;

	for (size_t i = 0; i < r->steps->n; i++) {
		const struct step_sample *s = &r->steps->samples[i];

		if (!is_in_window(r->run, s))
			continue;
		if (isnan(m.from)) {
			m.from = (double)s->from + 0.5;
			if (settled != RESULT_UNKNOWN)
				m.settled =
				    (double)(s->epoch_start + settled) + 0.5;
		}
		m.to = (double)s->position + 1.5;
	}
	all->from = fmin(all->from, m.from);
	all->to = fmax(all->to, m.to);
	all->settled = fmax(all->settled, m.settled);
}

/* Add the points of a run, thinned evenly to at most MAX_SHOWN, and their
 * running median. Its windows are symmetric, so that slopes are kept. Near the
 * ends they shrink to half their width (or half of a short run) and then stop,
 * so that the line does not end in the spike of a single point. */
static void
fill_line(struct chart_series *s, const struct run_steps *r,
    const struct chart *chart)
{
	const size_t stride = (r->steps->n + MAX_SHOWN - 1) / MAX_SHOWN;
	double v[2 * HALF_MEDIAN + 1];
	size_t least;

	for (size_t i = 0; i < r->steps->n; i += stride) {
		const struct step_sample *sample = &r->steps->samples[i];
		const double y = chart->step_y == STEP_VALUE ? sample->value
		    : chart->step_y == STEP_LOSS             ? sample->loss
							     : sample->top1;
		const double x = chart->over_seconds
		    ? sample->seconds
		    : (double)sample->position + 1;

		if (isfinite(y) && isfinite(x))
			chart_point_add(s, x, chart_number_of(y), "");
	}
	least = s->n_points > 0 ? (s->n_points - 1) / 4 : 0;
	least = least < HALF_MEDIAN / 2 ? least : HALF_MEDIAN / 2;
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

/* The running median of a run at x, interpolated between points; NAN outside.
 *
 * at  in/out: point at which the search starts; x must not decrease */
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
			v[m] = line_at(&lines[i], x, &at[i]);
			m += isfinite(v[m]);
		}
		if (m == 0)
			continue;
		p = chart_point_add(s, x, chart_percentiles(v, m), "");
		p->trend = p->y[CHART_VALUE].at;
	}
	d->remark = message(MESSAGE_NOTE_RUNS_BAND, d->lang);
}

/* Add the steps of the runs' windows only, and a row with their median and
 * percentiles.
 *
 * most  at least the number of steps of the runs */
static void
fill_windows(struct chart_data *d, struct chart_series *s,
    const struct run_steps *runs, size_t n_runs, size_t most)
{
	const size_t stride = most / MAX_SHOWN + 1;
	double *v = arena_calloc(&d->arena, most, sizeof *v);
	size_t n = 0;

	for (size_t r = 0; r < n_runs; r++)
		for (size_t i = 0; i < runs[r].steps->n; i++) {
			const struct step_sample *sample =
			    &runs[r].steps->samples[i];

			if (!is_in_window(runs[r].run, sample) ||
			    !isfinite(sample->value))
				continue;
			v[n] = sample->value;
			if (n % stride == 0)
				chart_point_add(s, (double)d->n_series,
				    chart_number_of(v[n]), s->name);
			n++;
		}
	if (n > 0)
		d->rows[d->n_rows++] = (struct chart_row){ .name = s->name,
			.y = chart_percentiles(v, n) };
}

/* Add a series per case: its line, or in a sideways chart the steps of its
 * windows. Series without points are dropped. */
void
chart_fill_steps(struct chart_data *d)
{
	const struct step_records *records = d->how.records;
	const struct chart *chart = d->chart;
	const int of_values = chart->step_y == STEP_VALUE;
	struct run_steps *runs = NULL; /* with records, case by case */
	size_t n = 0, end;

	for (size_t i = 0; records != NULL && i < d->n_cases; i++)
		for (size_t r = 0; r < d->cases[i].c->n_runs; r++) {
			const struct result_run *run = &d->cases[i].c->runs[r];
			const struct step_run *steps =
			    step_records_find(records, run->path);

			if (steps == NULL)
				continue;
			runs = arena_grow(&d->arena, runs, n, sizeof *runs);
			runs[n++] =
			    (struct run_steps){ &d->cases[i], run, steps };
		}
	d->failed = of_values && unite_units(d, runs, n, d->e) != 0;
	for (size_t i = 0; !d->failed && i < n; i = end) {
		const struct chart_case *from = runs[i].from;
		size_t n_steps = BAND_POINTS;
		struct chart_series *s;

		for (end = i; end < n && runs[end].from == from; end++)
			n_steps += runs[end].steps->n;
		s = chart_series_add(d, chart_case_name(d, from, " "), n_steps);
		s->source = from->s;
		s->part = from->c->name;
		if (chart->sideways)
			fill_windows(d, s, &runs[i], end - i, n_steps);
		else if (end - i == 1)
			fill_line(s, &runs[i], chart);
		else
			fill_band(d, s, &runs[i], end - i);
		for (size_t k = i; k < end && of_values && !chart->sideways;
		     k++)
			set_marks(&s->mark_at, &runs[k]);
		d->n_series -= s->n_points == 0;
	}
}
