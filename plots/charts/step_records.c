/* Read the records of extract_logs --records line by line, then derive the
 * steps. */
#include <config.h>

#include "plots/charts/step_records.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/text.h"

/* --- lines ---------------------------------------------------------------- */

static struct step_run *
find_run(struct step_records *r, const char *path, const char *unit, long rank)
{
	struct step_run *run;

	/* Search backwards: records of a log are usually consecutive. */
	for (size_t i = r->n; i-- > 0;)
		if (strcmp(r->runs[i].path, path) == 0)
			return &r->runs[i];
	r->runs = vec_grow(r->runs, r->n, &r->alloc, sizeof *r->runs);
	run = &r->runs[r->n++];
	*run = (struct step_run){ .path = arena_strdup(&r->arena, path),
		.unit = arena_strdup(&r->arena, unit != NULL ? unit : ""),
		.rank = rank };
	return run;
}

/* Read an integer, which may be negative (epochs and iterations of some
 * programs); LONG_MIN: unknown. */
static int
read_whole(
    const struct json_value *v, const char *key, long *out, struct error *e)
{
	const double most = 1e15;
	double x;

	if (json_read_double(v, key, -most, most, &x, e) != 0)
		return -1;
	*out = isnan(x) ? LONG_MIN : lround(x);
	return 0;
}

/* Read a finite number; NAN: unknown. */
static int
read_number(
    const struct json_value *v, const char *key, double *out, struct error *e)
{
	return json_read_double(v, key, -DBL_MAX, DBL_MAX, out, e);
}

/* Add a record to its run if it has an iteration and a value or time stamp, and
 * comes from the same rank as the run's first record. */
static int
read_record(struct step_records *r, const struct json_value *v,
    struct arena *texts, struct error *e)
{
	const char *path, *unit, *statistic;
	struct step_sample s = { 0 };
	struct step_run *run;
	long rank;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "path", e) != 0 ||
	    json_read_require(v, "line", e) != 0 ||
	    json_read_string(v, "path", texts, &path, e) != 0 ||
	    json_read_string(v, "unit", texts, &unit, e) != 0 ||
	    json_read_count(v, "line", &s.line, e) != 0 ||
	    read_whole(v, "epoch", &s.epoch, e) != 0 ||
	    read_whole(v, "iteration", &s.iteration, e) != 0 ||
	    read_whole(v, "iteration_from", &s.iteration_from, e) != 0 ||
	    read_whole(v, "rank", &rank, e) != 0 ||
	    read_number(v, "value", &s.value, e) != 0 ||
	    read_number(v, "stamp", &s.stamp, e) != 0 ||
	    json_read_string(v, "statistic", texts, &statistic, e) != 0 ||
	    read_number(v, "loss", &s.loss, e) != 0 ||
	    read_number(v, "top1", &s.top1, e) != 0)
		return -1;
	s.is_mean = text_same(statistic, "cumulative-mean");
	if (s.iteration == LONG_MIN ||
	    !(isnan(s.value) ? isfinite(s.stamp) : s.value > 0))
		return 0;
	run = find_run(r, path, unit, rank);
	if (run->rank != rank)
		return 0;
	run->samples =
	    vec_grow(run->samples, run->n, &run->alloc, sizeof *run->samples);
	run->samples[run->n++] = s;
	return 0;
}

static int
read_line(struct step_records *r, const char *path, long number,
    const char *text, size_t len, struct error *e)
{
	char *name = xasprintf("%s:%ld", path, number);
	struct arena texts = { 0 };
	struct json_doc d;
	int rc = json_doc_parse(name, text, len, &d, e);

	if (rc == 0) {
		rc = read_record(r, &d.top, &texts, e);
		json_doc_release(&d);
	}
	arena_release(&texts);
	free(name);
	return rc;
}

/* --- steps ---------------------------------------------------------------- */

/* State for the differences between lines of a run. */
struct step_differences {
	double first_stamp, last_stamp; /* NAN before the first */
	double done, sum; /* steps of the epoch so far, and their summed time */
};

/* Sums of a file's numbers may overflow; charts cannot show infinity. */
static double
finite_or_unknown(double x)
{
	return isfinite(x) ? x : NAN;
}

/* Number of steps that a line covers: its window if known, else the steps since
 * the previous line. The first line of an epoch covers as many as the other
 * lines do, if its iteration allows that.
 *
 * last  previous line of the epoch, or NULL */
static long
steps_of(
    const struct step_sample *s, const struct step_sample *last, long spacing)
{
	long n = s->iteration + 1 >= spacing ? spacing : 1;

	if (last != NULL)
		n = s->iteration - last->iteration;
	if (s->iteration_from >= 0)
		n = s->iteration - s->iteration_from;
	return n > 1 ? n : 1;
}

/* Mean of the n steps that end at a line, from two time stamps. Time stamps
 * without a date wrap at midnight. */
static double
value_of_stamps(struct step_differences *d, double stamp, long n)
{
	const double day = 86400;
	double value;

	if (stamp < d->last_stamp && d->last_stamp <= day) {
		d->first_stamp -= day;
		d->last_stamp -= day;
	}
	value = (stamp - d->last_stamp) / (double)n;
	if (isnan(d->first_stamp))
		d->first_stamp = stamp;
	d->last_stamp = stamp;
	return value > 0 ? finite_or_unknown(value) : NAN;
}

/* Mean since the previous line from two means since the start of the epoch: the
 * difference of the sums.
 *
 * done  steps of the epoch */
static double
value_of_means(
    struct step_differences *d, double mean, double done, int is_seconds)
{
	const double sum = is_seconds ? done * mean : done / mean;
	const double n = done - d->done, t = sum - d->sum;

	d->done = done;
	d->sum = sum;
	if (!(n > 0 && t > 0))
		return NAN;
	return finite_or_unknown(is_seconds ? t / n : n / t);
}

/* Steps between the first two lines; 1 if unknown. */
static long
first_spacing(const struct step_run *run)
{
	const struct step_sample *s = run->samples;

	if (run->n < 2 || s[1].epoch != s[0].epoch || s[1].iteration_from >= 0)
		return 1;
	return s[1].iteration > s[0].iteration ? s[1].iteration - s[0].iteration
					       : 1;
}

/* Set position, value and seconds of all steps. */
static void
count_through(struct step_run *run)
{
	const int is_seconds = strcmp(run->unit, "s") == 0;
	struct step_differences d = { NAN, NAN, 0, 0 };
	long spacing = first_spacing(run), first_iteration = 0;
	double seconds = 0;

	for (size_t i = 0; i < run->n; i++) {
		struct step_sample *s = &run->samples[i];
		const struct step_sample *last = i > 0 ? s - 1 : NULL;
		long n;

		if (last != NULL && last->epoch != s->epoch)
			last = NULL;
		if (last != NULL && s->iteration > last->iteration)
			spacing = s->iteration - last->iteration;
		n = steps_of(s, last, spacing);
		if (last == NULL) {
			s->epoch_start = i > 0 ? s[-1].position + 1 : 0;
			first_iteration = s->iteration - n + 1;
			d.done = d.sum = 0;
		} else {
			s->epoch_start = last->epoch_start;
		}
		s->position = s->epoch_start + s->iteration - first_iteration;
		s->from = s->position - n + 1;
		if (isnan(s->value)) {
			s->value = value_of_stamps(&d, s->stamp, n);
			seconds = s->stamp - d.first_stamp;
		} else {
			if (s->is_mean)
				s->value = value_of_means(&d, s->value,
				    (double)(s->position - s->epoch_start + 1),
				    is_seconds);
			if (is_seconds && isfinite(s->value))
				seconds += (double)n * s->value;
		}
		s->seconds = is_seconds ? finite_or_unknown(seconds) : NAN;
	}
}

/* --- files ---------------------------------------------------------------- */

int
step_records_read(const char *path, struct step_records *out, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	char *line = NULL;
	size_t alloc = 0;
	ssize_t len;
	long number = 0;
	int rc = 0;

	*out = (struct step_records){ .n = 0 };
	if (f == NULL)
		return error_errno(e, errno, "cannot read '%s'", path);
	errno = 0;
	while (rc == 0 && (len = getline(&line, &alloc, f)) > 0) {
		number++;
		if (line[strspn(line, " \t\r\n")] != '\0')
			rc = read_line(out, path, number, line, (size_t)len, e);
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
		step_records_release(out);
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

void
step_records_release(struct step_records *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->runs[i].samples);
	free(r->runs);
	arena_release(&r->arena);
	*r = (struct step_records){ .n = 0 };
}
