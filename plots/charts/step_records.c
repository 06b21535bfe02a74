/* Records of extract_logs --records, line by line. */
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

/* One line, as it was read. */
struct record {
	const char *path, *unit;
	long epoch, iteration, iteration_from, rank, line;
	double value, stamp, loss, top1;
	int is_mean; /* the value is the mean since the epoch began */
};

static struct step_run *
find_run(struct step_records *r, const struct record *record)
{
	struct step_run *run;

	/* Records of a log follow each other. */
	for (size_t i = r->n; i-- > 0;)
		if (strcmp(r->runs[i].path, record->path) == 0)
			return &r->runs[i];
	r->runs = vec_grow(r->runs, r->n, &r->alloc, sizeof *r->runs);
	run = &r->runs[r->n++];
	*run = (struct step_run){ .path = arena_strdup(&r->arena, record->path),
		.unit = arena_strdup(&r->arena, record->unit),
		.every = 1,
		.rank = record->rank,
		.epoch = LONG_MIN,
		.spacing = 1,
		.first_stamp = NAN,
		.last_stamp = NAN,
		.last_position = -1 };
	return run;
}

/* Keep every second of the samples that are there. */
static void
thin_out(struct step_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->n; i += 2)
		run->samples[kept++] = run->samples[i];
	run->n = kept;
	run->every *= 2;
}

/* How many steps a line stands for: those of its window where it has one, else
 * those since the line before.  Before the first line of an epoch there was
 * none: it stands for as many as the others if so many can have been. */
static long
steps_of(const struct step_run *run, const struct record *record, int is_first)
{
	long n = record->iteration - run->last_iteration;

	if (is_first)
		n = record->iteration + 1 >= run->spacing ? run->spacing : 1;
	if (record->iteration_from >= 0)
		n = record->iteration - record->iteration_from;
	return n > 1 ? n : 1;
}

/* A sum of what a file states, which may be too large for a number: unknown
 * then, since no chart shows it. */
static double
finite_or_unknown(double x)
{
	return isfinite(x) ? x : NAN;
}

/* What the very first line stands for shows at the second. */
static void
widen_first(struct step_run *run, const struct record *record, int is_seconds)
{
	const long more = run->spacing - 1;

	if (run->n_read != 1 || record->iteration_from >= 0 || more < 1 ||
	    run->last_iteration < more)
		return;
	run->first_iteration -= more;
	run->last_position += more;
	run->samples[0].position += more;
	run->mean_done = run->mean_done > 0 ? run->mean_done + (double)more : 0;
	run->mean_sum *= (double)run->spacing;
	if (is_seconds && isfinite(run->samples[0].value)) {
		run->seconds += (double)more * run->samples[0].value;
		run->samples[0].seconds = finite_or_unknown(run->seconds);
	}
}

/* The mean of the n steps that end at a line, of two time stamps; a clock
 * without a day begins again at midnight. */
static double
value_of_stamps(struct step_run *run, double stamp, long n)
{
	const double day = 86400;
	double value;

	if (stamp < run->last_stamp && run->last_stamp <= day) {
		run->first_stamp -= day;
		run->last_stamp -= day;
	}
	value = (stamp - run->last_stamp) / (double)n;
	if (isnan(run->first_stamp))
		run->first_stamp = stamp;
	run->last_stamp = stamp;
	return value > 0 ? finite_or_unknown(value) : NAN;
}

/* The same of two means since the epoch began: the difference of the sums. */
static double
value_of_means(
    struct step_run *run, const struct record *record, int is_seconds)
{
	const double done = (double)(run->last_position - run->epoch_start + 1);
	const double sum =
	    is_seconds ? done * record->value : done / record->value;
	const double n = done - run->mean_done, t = sum - run->mean_sum;

	run->mean_done = done;
	run->mean_sum = sum;
	if (!(n > 0 && t > 0))
		return NAN;
	return finite_or_unknown(is_seconds ? t / n : n / t);
}

static void
add_sample(struct step_run *run, const struct record *record)
{
	const int is_seconds = strcmp(run->unit, "s") == 0;
	const int is_first = run->n_read == 0 || record->epoch != run->epoch;
	const int is_points = isnan(record->value) && isfinite(record->stamp);
	struct step_sample *s;
	double value = record->value;
	long n;

	if (record->rank != run->rank)
		return;
	if (!is_first && record->iteration > run->last_iteration) {
		run->spacing = record->iteration - run->last_iteration;
		widen_first(run, record, is_seconds);
	}
	n = steps_of(run, record, is_first);
	if (is_first) {
		run->epoch = record->epoch;
		run->epoch_start = run->last_position + 1;
		run->first_iteration = record->iteration - n + 1;
		run->mean_done = run->mean_sum = 0;
	}
	run->last_iteration = record->iteration;
	run->last_position =
	    run->epoch_start + (record->iteration - run->first_iteration);
	if (is_points)
		value = value_of_stamps(run, record->stamp, n);
	else if (record->is_mean)
		value = value_of_means(run, record, is_seconds);
	run->seconds += is_seconds && isfinite(value) ? (double)n * value : 0;
	if (is_points)
		run->seconds = record->stamp - run->first_stamp;
	if (run->n_read++ % (size_t)run->every != 0)
		return;
	if (run->n == STEP_RECORDS_MAX_KEPT)
		thin_out(run);
	run->samples =
	    vec_grow(run->samples, run->n, &run->alloc, sizeof *run->samples);
	s = &run->samples[run->n++];
	*s = (struct step_sample){ .position = run->last_position,
		.from = run->last_position - n + 1,
		.epoch_start = run->epoch_start,
		.line = record->line,
		.value = value,
		.seconds = is_seconds ? finite_or_unknown(run->seconds) : NAN,
		.loss = record->loss,
		.top1 = record->top1 };
}

/* A number that may be negative, as epochs and iterations of some programs are;
 * LONG_MIN: unknown. */
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

/* A finite number of any size; NAN: unknown. */
static int
read_number(
    const struct json_value *v, const char *key, double *out, struct error *e)
{
	return json_read_double(v, key, -DBL_MAX, DBL_MAX, out, e);
}

static int
read_record(const struct json_value *v, struct arena *a, struct record *out,
    struct error *e)
{
	const char *statistic;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "path", e) != 0 ||
	    json_read_require(v, "line", e) != 0 ||
	    json_read_string(v, "path", a, &out->path, e) != 0 ||
	    json_read_string(v, "unit", a, &out->unit, e) != 0 ||
	    json_read_count(v, "line", &out->line, e) != 0 ||
	    read_whole(v, "epoch", &out->epoch, e) != 0 ||
	    read_whole(v, "iteration", &out->iteration, e) != 0 ||
	    read_whole(v, "iteration_from", &out->iteration_from, e) != 0 ||
	    read_whole(v, "rank", &out->rank, e) != 0 ||
	    read_number(v, "value", &out->value, e) != 0 ||
	    read_number(v, "stamp", &out->stamp, e) != 0 ||
	    json_read_string(v, "statistic", a, &statistic, e) != 0 ||
	    read_number(v, "loss", &out->loss, e) != 0 ||
	    read_number(v, "top1", &out->top1, e) != 0)
		return -1;
	if (out->unit == NULL)
		out->unit = "";
	out->is_mean =
	    statistic != NULL && strcmp(statistic, "cumulative-mean") == 0;
	return 0;
}

/* True if it has an iteration, and a time or at least a time stamp. */
static int
record_is_step(const struct record *record)
{
	if (record->iteration == LONG_MIN)
		return 0;
	return isnan(record->value) ? isfinite(record->stamp)
				    : record->value > 0;
}

static int
read_line(struct step_records *r, const char *path, long number,
    const char *text, size_t len, struct error *e)
{
	char *name = xasprintf("%s:%ld", path, number);
	struct arena texts = { 0 };
	struct record record;
	struct json_doc d;
	int rc = json_doc_parse(name, text, len, &d, e);

	if (rc == 0) {
		rc = read_record(&d.top, &texts, &record, e);
		if (rc == 0 && record_is_step(&record))
			add_sample(find_run(r, &record), &record);
		json_doc_release(&d);
	}
	arena_release(&texts);
	free(name);
	return rc;
}

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
