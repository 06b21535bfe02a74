/* What describes all steps of the selected epochs: where they settle, how they
 * are spread.  Called by measure_run.c and progress.c.  Steps may be more than
 * there is memory for, so that everything is a stream that can be read again; a
 * column of times is kept where there is room.  What is made of the figures is
 * for audit_judge.c. */
#include <config.h>

#include "extract/measure/audit.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/stats/stats_stream.h"

/* That a column of times may take above 16 bytes a sample. */
enum { SPARE_BYTES = 4 << 20 };

void
audit_init(struct result_audit *a)
{
	*a = (struct result_audit){ RESULT_UNKNOWN, NAN, NAN, NAN, NAN, NAN,
		NAN, NAN, NAN, NAN, NAN };
}

/* --- The times of the steps that are looked at -----------------------------*/

/* Them one after the other. */
struct times {
	const struct steps *steps;
	const struct window *window;
	double work;
	size_t skip; /* of the first, to begin with */
	struct steps_cursor cursor;
	int open;
	size_t epoch;     /* of the last one */
	long offset;      /* iterations of the epochs before it */
	long position;    /* of the last one */
	double imbalance; /* of the last step, with time or without */
};

static void
times_close(struct times *t)
{
	if (t->open)
		steps_close(&t->cursor);
	t->open = 0;
}

/* The next step and its seconds, which may make no sense.  Returns 0 at the
 * end. */
static int
next_step(struct times *t, double *seconds)
{
	const struct steps *s = t->steps;
	const struct step *step;

	if (t->cursor.next == s->epochs[t->window->last_epoch].end)
		return 0;
	step = steps_next(&t->cursor);
	for (; t->epoch < t->cursor.epoch; t->epoch++)
		t->offset += s->epochs[t->epoch].length;
	t->position = step->from + t->offset;
	t->imbalance = step->imbalance;
	*seconds = s->is_rate ? t->work / step->value : step->value;
	return 1;
}

static size_t
read_times(void *arg, double *out, size_t max)
{
	struct times *t = arg;
	size_t n = 0;

	while (n < max && next_step(t, &out[n]))
		n += steps_value_ok(out[n], 0) != 0;
	return n;
}

static void
rewind_times(void *arg)
{
	struct times *t = arg;
	double ignored;

	times_close(t);
	steps_open(t->steps, &t->cursor);
	steps_seek(&t->cursor, t->window->first_epoch);
	t->open = 1;
	t->epoch = t->window->first_epoch;
	t->offset = 0;
	for (size_t i = 0; i < t->skip; i++)
		if (read_times(t, &ignored, 1) == 0)
			break;
}

/* All that is known of them. */
struct step_series {
	struct times times;
	size_t n;
	double *column; /* [n] the times, where there is room; else NULL */
	struct stats_stream_array array;
	struct stats_stream stream; /* of the times */
};

static void
series_collect(
    struct step_series *s, const struct steps *steps, struct result_audit *a)
{
	struct stats_sum imbalance = STATS_SUM_INIT;
	struct times *t = &s->times;
	size_t n = 0;
	double seconds;

	if (steps->n * sizeof *s->column <= steps->room + SPARE_BYTES)
		s->column = xcalloc(steps->n, sizeof *s->column);
	rewind_times(t);
	while (next_step(t, &seconds)) {
		if (!isnan(t->imbalance)) {
			stats_sum_add(&imbalance, t->imbalance);
			n++;
		}
		if (!steps_value_ok(seconds, 0))
			continue;
		if (s->column != NULL)
			s->column[s->n] = seconds;
		s->n++;
	}
	if (n > 0)
		a->imbalance = stats_sum_value(&imbalance) / (double)n;
	s->stream = s->column != NULL
	    ? stats_stream_of_array(&s->array, s->column, s->n)
	    : (struct stats_stream){ rewind_times, read_times, t };
}

/* The position of time i. */
static long
position_at(const struct step_series *s, size_t i)
{
	struct times t = s->times;
	double ignored;
	size_t n;

	t.open = 0;
	t.skip = i;
	rewind_times(&t);
	n = read_times(&t, &ignored, 1);
	assert(n == 1);
	(void)n;
	times_close(&t);
	return t.position;
}

/* --- Settling --------------------------------------------------------------*/

/* The median of the last half. */
static double
late_median(const struct step_series *s)
{
	const size_t half = s->n / 2;
	struct times t = s->times;
	struct stats_stream_array array;
	struct stats_stream stream = { rewind_times, read_times, &t };
	double median;

	t.open = 0;
	t.skip = half;
	if (s->column != NULL)
		stream = stats_stream_of_array(
		    &array, s->column + half, s->n - half);
	median = stats_stream_median(&stream);
	times_close(&t);
	return median;
}

/* The last times, and how many of them are too far from the target. */
struct block {
	double target, tolerance;
	double times[AUDIT_BLOCK]; /* in a ring of size */
	size_t size;
	size_t n; /* that went in */
	int below, above;
};

/* -1, 0 or 1: too far below, near, too far above. */
static int
block_side(const struct block *b, double t)
{
	if (!(fabs(t - b->target) > b->tolerance))
		return 0;
	return t < b->target ? -1 : 1;
}

static void
block_count(struct block *b, double t, int how)
{
	const int where = block_side(b, t);

	b->below += where < 0 ? how : 0;
	b->above += where > 0 ? how : 0;
}

/* The median of a full block of which half is too far on one side: between the
 * nearest of that half and the nearest of the other. */
static double
block_median_of_halves(const struct block *b, int which)
{
	double low = -INFINITY, high = INFINITY;

	for (size_t i = 0; i < b->size; i++) {
		const int where = block_side(b, b->times[i]);
		const int is_low = which < 0 ? where < 0 : where <= 0;

		if (is_low && b->times[i] > low)
			low = b->times[i];
		if (!is_low && b->times[i] < high)
			high = b->times[i];
	}
	return (low + high) / 2;
}

/* Is the median of a full block too far? */
static int
block_is_off(const struct block *b)
{
	const int size = (int)b->size;

	if (2 * b->below < size && 2 * b->above < size)
		return 0;
	if (2 * b->below > size || 2 * b->above > size)
		return 1;
	/* The median lies between the two in the middle. */
	return block_side(b,
		   block_median_of_halves(b, 2 * b->below == size ? -1 : 1)) !=
	    0;
}

/* The distances of times from a target. */
struct time_distances {
	struct times times;
	double target;
};

static void
rewind_distances(void *arg)
{
	rewind_times(&((struct time_distances *)arg)->times);
}

static size_t
read_distances(void *arg, double *out, size_t max)
{
	struct time_distances *d = arg;
	const size_t n = read_times(&d->times, out, max);

	for (size_t i = 0; i < n; i++)
		out[i] = fabs(out[i] - d->target);
	return n;
}

/* The standard deviation of the last half, as its median distance from the
 * target has it. */
static double
late_spread(const struct step_series *s, double target)
{
	struct time_distances d = { s->times, target };
	const struct stats_stream stream = { rewind_distances, read_distances,
		&d };
	double median;

	d.times.open = 0;
	d.times.skip = s->n / 2;
	median = stats_stream_median(&stream);
	times_close(&d.times);
	return 1.4826 * median;
}

/* The first good block may begin with up to half of it that is not settled: the
 * first of them that is.
 *
 * half  records of half a block
 * near  how far off a single time may be */
static size_t
step_over(const struct step_series *s, size_t settled, size_t half,
    double target, double near)
{
	struct times t = s->times;
	double x[AUDIT_BLOCK / 2];
	size_t n, i = 0;

	if (settled == 0)
		return 0;
	t.open = 0;
	t.skip = settled;
	rewind_times(&t);
	n = read_times(&t, x, half);
	while (i < n && fabs(x[i] - target) > near)
		i++;
	times_close(&t);
	return settled + i;
}

size_t
audit_block(const struct steps *s)
{
	const long spacing = s->spacing > 0 ? s->spacing : 1;

	return spacing >= AUDIT_BLOCK
	    ? 1
	    : (size_t)((AUDIT_BLOCK + spacing - 1) / spacing);
}

static long
find_settled(const struct step_series *s)
{
	struct block b = { .size = audit_block(s->times.steps) };
	double x[256], spread, near;
	size_t got, settled = 0;

	if (s->n < b.size || s->n < AUDIT_FEW)
		return RESULT_UNKNOWN;
	b.target = late_median(s);
	spread = late_spread(s, b.target);
	if (b.size < AUDIT_BLOCK)
		spread *= 1 + 8 / (double)(s->n - s->n / 2);
	near = b.target * AUDIT_SETTLED_PERCENT / 100;
	/* A median of 20 scatters by 1.2533 / sqrt(20) of what one does. */
	b.tolerance = fmax(near, 4.5 * 1.2533 * spread / sqrt((double)b.size));
	s->stream.rewind(s->stream.arg);
	while ((got = s->stream.read(s->stream.arg, x, 256)) > 0)
		for (size_t i = 0; i < got; i++) {
			double *place = &b.times[b.n % b.size];

			if (b.n >= b.size)
				block_count(&b, *place, -1);
			*place = x[i];
			block_count(&b, x[i], 1);
			b.n++;
			if (b.n >= b.size && block_is_off(&b))
				settled = b.n - b.size + 1;
		}
	if (settled + b.size > s->n)
		return RESULT_UNKNOWN; /* the last block is off */
	return position_at(s,
	    step_over(
		s, settled, b.size / 2, b.target, fmax(near, 3 * spread)));
}

/* --- All of it -------------------------------------------------------------*/

static void
series_describe(struct step_series *s, struct result_audit *a)
{
	static const double p[] = { 0.05, 0.50, 0.95 };
	struct stats_stream_summary sum;
	double quantiles[3] = { 0 };

	stats_stream_summarise(&s->stream, &sum);
	stats_stream_quantiles(&s->stream, &sum, p, 3, quantiles);
	a->p5 = quantiles[0];
	a->p50 = quantiles[1];
	a->p95 = quantiles[2];
	a->max = sum.max;
	a->cv = stats_stream_cv(&s->stream, &sum);
	a->settled_at = find_settled(s);
}

void
audit_make(const struct steps *steps, const struct window *w, double work,
    struct result_audit *a)
{
	struct step_series s = {
		.times = { .steps = steps, .window = w, .work = work }
	};

	audit_init(a);
	series_collect(&s, steps, a);
	if (s.n > 0)
		series_describe(&s, a);
	times_close(&s.times);
	free(s.column);
}
