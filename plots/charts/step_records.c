/* Read the records of extract_logs --records line by line, then derive the
 * steps. */
#include <config.h>

#include "plots/charts/step_records.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/text.h"

/* --- lines ---------------------------------------------------------------- */

static struct step_run *
find_run(struct step_records *r, const char *path, const char *unit)
{
	struct step_run *run;

	/* Search backwards: records of a log are usually consecutive. */
	for (size_t i = r->n; i-- > 0;)
		if (strcmp(r->runs[i].path, path) == 0)
			return &r->runs[i];
	r->runs = vec_grow(r->runs, r->n, &r->alloc, sizeof *r->runs);
	run = &r->runs[r->n++];
	*run = (struct step_run){ .path = arena_strdup(&r->arena, path),
		.unit = arena_strdup(&r->arena, unit != NULL ? unit : "") };
	return run;
}

/* True if both are equal or unknown. */
static int
is_same(double x, double y)
{
	return isnan(x) ? isnan(y) : !(x < y || x > y || isnan(y));
}

static int
read_numbers(const struct json_value *v, struct step_sample *s, struct error *e)
{
	/* Epochs and iterations of some programs are negative. */
	const double whole = 1e15, any = DBL_MAX;
	const struct {
		const char *key;
		double *to, most;
	} numbers[] = { { "epoch", &s->epoch, whole },
		{ "iteration", &s->iteration, whole },
		{ "iteration_from", &s->iteration_from, whole },
		{ "rank", &s->rank, whole }, { "value", &s->value, any },
		{ "stamp", &s->stamp, any }, { "loss", &s->loss, any },
		{ "top1", &s->top1, any } };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof numbers / sizeof *numbers; i++)
		rc = json_read_double(v, numbers[i].key, -numbers[i].most,
		    numbers[i].most, numbers[i].to, e);
	return rc;
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

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "path", e) != 0 ||
	    json_read_require(v, "line", e) != 0 ||
	    json_read_string(v, "path", texts, &path, e) != 0 ||
	    json_read_string(v, "unit", texts, &unit, e) != 0 ||
	    json_read_string(v, "statistic", texts, &statistic, e) != 0 ||
	    json_read_count(v, "line", &s.line, e) != 0 ||
	    read_numbers(v, &s, e) != 0)
		return -1;
	s.is_mean = text_same(statistic, "cumulative-mean");
	if (isnan(s.iteration) ||
	    !(isnan(s.value) ? isfinite(s.stamp) : s.value > 0))
		return 0;
	run = find_run(r, path, unit);
	if (run->n > 0 && !is_same(run->samples[0].rank, s.rank))
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
	struct arena texts = ARENA_INIT;
	struct json_doc d;
	int rc = json_doc_parse(
	    arena_printf(&texts, "%s:%ld", path, number), text, len, &d, e);

	if (rc == 0) {
		rc = read_record(r, &d.top, &texts, e);
		json_doc_release(&d);
	}
	arena_release(&texts);
	return rc;
}

/* --- steps ---------------------------------------------------------------- */

/* What values are the differences to; NAN: none yet. */
struct step_past {
	double first_stamp, last_stamp;
	double done, sum; /* steps of the epoch so far, and their summed time */
};

/* Mean of the n steps that end at a line, from two time stamps or two means
 * since the start of the epoch (the difference of the sums), else as printed;
 * NAN: unknown. Sums of a file's numbers may overflow; charts cannot show
 * infinity. */
static double
value_of(
    struct step_past *past, const struct step_sample *s, long n, int is_seconds)
{
	const double day = 86400;
	const double done = (double)(s->position - s->epoch_start + 1);
	double value = s->value, sum, steps;

	if (isnan(s->value)) {
		/* Time stamps without a date wrap at midnight. */
		if (s->stamp < past->last_stamp && past->last_stamp <= day) {
			past->first_stamp -= day;
			past->last_stamp -= day;
		}
		value = (s->stamp - past->last_stamp) / (double)n;
		if (isnan(past->first_stamp))
			past->first_stamp = s->stamp;
		past->last_stamp = s->stamp;
	} else if (s->is_mean) {
		sum = is_seconds ? done * s->value : done / s->value;
		steps = done - past->done;
		value = is_seconds ? (sum - past->sum) / steps
				   : steps / (sum - past->sum);
		if (!(steps > 0))
			value = NAN;
		past->done = done;
		past->sum = sum;
	}
	return value > 0 && isfinite(value) ? value : NAN;
}

/* Number of steps that a line covers: its window if known, else the steps since
 * the previous line. The first line of an epoch covers as many as the other
 * lines do, if its iteration allows that.
 *
 * last  previous line of the epoch, or NULL */
static long
steps_of(
    const struct step_sample *s, const struct step_sample *last, double spacing)
{
	double n = s->iteration + 1 >= spacing ? spacing : 1;

	if (last != NULL)
		n = s->iteration - last->iteration;
	if (s->iteration_from >= 0)
		n = s->iteration - s->iteration_from;
	return n > 1 ? lround(n) : 1;
}

/* Set position, value and seconds of all steps. */
static void
count_through(struct step_run *run)
{
	const int is_seconds = strcmp(run->unit, "s") == 0;
	struct step_sample *all = run->samples;
	struct step_past past = { NAN, NAN, 0, 0 };
	double spacing = 1, first_iteration = 0, seconds = 0;

	/* The first line stands for as many steps as the second, if known. */
	if (run->n > 1 && is_same(all[1].epoch, all[0].epoch) &&
	    !(all[1].iteration_from >= 0) &&
	    all[1].iteration > all[0].iteration)
		spacing = all[1].iteration - all[0].iteration;
	for (size_t i = 0; i < run->n; i++) {
		struct step_sample *s = &all[i];
		const struct step_sample *last =
		    i > 0 && is_same(s[-1].epoch, s->epoch) ? s - 1 : NULL;
		const int is_stamp = isnan(s->value);
		long n;

		if (last != NULL && s->iteration > last->iteration)
			spacing = s->iteration - last->iteration;
		n = steps_of(s, last, spacing);
		if (last == NULL) {
			s->epoch_start = i > 0 ? s[-1].position + 1 : 0;
			first_iteration = s->iteration - (double)n + 1;
			past.done = past.sum = 0;
		} else {
			s->epoch_start = last->epoch_start;
		}
		s->position =
		    s->epoch_start + lround(s->iteration - first_iteration);
		s->from = s->position - n + 1;
		s->value = value_of(&past, s, n, is_seconds);
		if (is_stamp)
			seconds = s->stamp - past.first_stamp;
		else if (isfinite(s->value))
			seconds += (double)n * s->value;
		s->seconds = is_seconds && isfinite(seconds) ? seconds : NAN;
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
