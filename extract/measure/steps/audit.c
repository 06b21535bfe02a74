/* What describes all steps of the selected epochs: where they settle, how they
 * are spread.  Called by measure_run.c and progress.c.  Steps may be more than
 * there is memory for, so that everything is a stream that can be read again; a
 * column of times is kept where there is room.  What is made of the figures is
 * for audit_judge.c. */
#include <config.h>

#include "extract/measure/steps/audit.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/settled.h"
#include "common/stats/stats.h"
#include "common/stats/stats_stream.h"

/* That a column of times may take above 16 bytes a sample. */
enum { SPARE_BYTES = 4 << 20 };

/* Times of which it pays to count how often each occurs. */
enum { MANY = 8192 };

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

/* Some of the next steps, as next_step gives them, where they are straight
 * instants.
 *
 * done  [max] filled with the iterations of the epoch that are done after each
 *
 * Returns how many there are; 0 at the end. */
static size_t
next_straight(struct times *t, double *seconds, long *done, size_t max)
{
	const struct steps *s = t->steps;
	const struct sample *x = NULL;
	struct steps_row row;
	size_t n;

	if (t->cursor.next == s->epochs[t->window->last_epoch].end)
		return 0;
	if (steps_next_values(&t->cursor, max, seconds, &row))
		n = row.n;
	else
		x = steps_next_run(&t->cursor, max, &n);
	for (; t->epoch < t->cursor.epoch; t->epoch++)
		t->offset += s->epochs[t->epoch].length;
	for (size_t i = 0; i < n && x == NULL; i++)
		done[i] = row.done + (long)i * row.step;
	for (size_t i = 0; i < n && x != NULL; i++) {
		seconds[i] = steps_straight_value(s, &x[i]);
		done[i] = steps_instant_done(&s->epochs[t->epoch], x[i].iter);
	}
	for (size_t i = 0; i < n && s->is_rate; i++)
		seconds[i] = t->work / seconds[i];
	t->position = done[n - 1] - 1 + t->offset;
	return n;
}

static size_t
read_straight_times(struct times *t, double *out, size_t max)
{
	long done[SAMPLE_STORE_BLOCK];
	size_t n = 0, more;

	while (n < max) {
		more = next_straight(t, out + n, done,
		    max - n < SAMPLE_STORE_BLOCK ? max - n
						 : SAMPLE_STORE_BLOCK);
		if (more == 0)
			break;
		for (size_t i = n, end = n + more; i < end; i++) {
			out[n] = out[i];
			n += steps_value_ok(out[i], 0) != 0;
		}
	}
	return n;
}

static size_t
read_times(void *arg, double *out, size_t max)
{
	struct times *t = arg;
	size_t n = 0;

	if (steps_are_straight(t->steps))
		return read_straight_times(t, out, max);
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
	struct stats_sum sum;
	double min, max;
	double *column; /* [n] the times, where there is room; else NULL */
	struct stats_stream_array array;
	struct stats_stream stream; /* of the times */
};

/* Blocks of steps from the window's first on, while they are made. */
struct rest_builder {
	struct audit_rest *out; /* NULL: not asked for */
	long first;             /* position of the window's first step */
	size_t epoch;           /* that it is in */
	double sum;             /* of the block that is not full */
	size_t in;              /* it */
};

static void
rest_start(struct rest_builder *b, const struct steps *s,
    const struct window *w, struct audit_rest *out)
{
	*b = (struct rest_builder){ .out = out };
	if (out == NULL)
		return;
	*out = (struct audit_rest){ .block = audit_block(s) };
	b->first = w->first.done - 1 + w->parts[0].offset;
	b->epoch = w->first_epoch;
	out->means = xcalloc(s->n / out->block + 1, sizeof *out->means);
}

/* A step of an epoch took so many seconds.
 *
 * done  iterations of the epoch that are done after it */
static inline void
rest_add(struct rest_builder *b, size_t epoch, long done, double seconds)
{
	struct audit_rest *out = b->out;

	if (out == NULL || (epoch == b->epoch && done <= b->first))
		return;
	out->total += seconds;
	out->steps++;
	b->sum += seconds;
	if (++b->in == out->block) {
		out->means[out->n++] = b->sum / (double)out->block;
		b->sum = 0;
		b->in = 0;
	}
}

void
audit_rest_release(struct audit_rest *r)
{
	free(r->means);
	*r = (struct audit_rest){ .n = 0 };
}

/* Keep the time of a step, if it makes sense. */
static inline void
series_add(struct step_series *s, struct rest_builder *b, size_t epoch,
    long done, double seconds)
{
	if (!steps_value_ok(seconds, 0))
		return;
	if (s->column != NULL)
		s->column[s->n] = seconds;
	s->n++;
	stats_sum_add(&s->sum, seconds);
	s->min = seconds < s->min ? seconds : s->min;
	s->max = seconds > s->max ? seconds : s->max;
	rest_add(b, epoch, done, seconds);
}

/* Returns the mean imbalance of the steps; NAN: each is of one rank. */
static double
add_one_by_one(struct step_series *s, struct rest_builder *b)
{
	struct stats_sum imbalance = STATS_SUM_INIT;
	struct times *t = &s->times;
	size_t n = 0;
	double seconds;

	while (next_step(t, &seconds)) {
		if (!isnan(t->imbalance)) {
			stats_sum_add(&imbalance, t->imbalance);
			n++;
		}
		series_add(s, b, t->cursor.epoch, t->cursor.step.done, seconds);
	}
	return n > 0 ? stats_sum_value(&imbalance) / (double)n : NAN;
}

static void
add_straight(struct step_series *s, struct rest_builder *b)
{
	double seconds[SAMPLE_STORE_BLOCK];
	long done[SAMPLE_STORE_BLOCK];
	struct times *t = &s->times;
	size_t n;

	while ((n = next_straight(t, seconds, done, SAMPLE_STORE_BLOCK)) > 0)
		for (size_t i = 0; i < n; i++)
			series_add(s, b, t->epoch, done[i], seconds[i]);
}

static void
series_collect(struct step_series *s, const struct steps *steps,
    struct result_audit *a, struct audit_rest *rest)
{
	struct times *t = &s->times;
	struct rest_builder b;

	rest_start(&b, steps, t->window, rest);
	if (steps->n * sizeof *s->column <= steps->room + SPARE_BYTES)
		s->column = xmalloc_large(steps->n * sizeof *s->column);
	rewind_times(t);
	if (steps_are_straight(steps))
		add_straight(s, &b);
	else
		a->imbalance = add_one_by_one(s, &b);
	s->stream = s->column != NULL
	    ? stats_stream_of_array(&s->array, s->column, s->n)
	    : (struct stats_stream){ rewind_times, read_times, t, NULL };
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

size_t
audit_block(const struct steps *s)
{
	const long spacing = s->spacing > 0 ? s->spacing : 1;

	return spacing >= SETTLED_BLOCK
	    ? 1
	    : (size_t)((SETTLED_BLOCK + spacing - 1) / spacing);
}

static long
find_settled(const struct step_series *s, const struct value_counts *counts)
{
	const size_t at =
	    settled_from(&s->stream, counts, s->n, audit_block(s->times.steps));

	return at == SETTLED_NEVER ? RESULT_UNKNOWN : position_at(s, at);
}

/* --- All of it -------------------------------------------------------------*/

static void
series_describe(struct step_series *s, struct result_audit *a)
{
	static const double p[] = { 0.05, 0.50, 0.95 };
	const struct stats_stream_summary sum = { s->n, 1,
		stats_sum_value(&s->sum) / (double)s->n, s->min, s->max };
	struct value_counts counts;
	double quantiles[3] = { 0 };

	if (s->n > MANY && value_counts_make(&counts, &s->stream, s->n)) {
		for (int i = 0; i < 3; i++)
			quantiles[i] = value_counts_quantile(&counts, p[i]);
		a->settled_at = find_settled(s, &counts);
		value_counts_release(&counts);
	} else {
		stats_stream_quantiles(&s->stream, &sum, p, 3, quantiles);
		a->settled_at = find_settled(s, NULL);
	}
	a->p5 = quantiles[0];
	a->p50 = quantiles[1];
	a->p95 = quantiles[2];
	a->max = sum.max;
	a->cv = stats_stream_cv(&s->stream, &sum);
}

void
audit_make(const struct steps *steps, const struct window *w, double work,
    struct result_audit *a, struct audit_rest *rest)
{
	struct step_series s = {
		.times = { .steps = steps, .window = w, .work = work },
		.sum = STATS_SUM_INIT,
		.min = INFINITY,
		.max = -INFINITY
	};

	audit_init(a);
	series_collect(&s, steps, a, rest);
	if (s.n > 0)
		series_describe(&s, a);
	times_close(&s.times);
	free(s.column);
}
