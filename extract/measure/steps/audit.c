#include <config.h>

#include "extract/measure/steps/audit.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/settled.h"
#include "common/stats/stats.h"

void
audit_init(struct result_audit *a)
{
	*a = (struct result_audit){ RESULT_UNKNOWN, NAN, NAN, NAN, NAN, NAN,
		NAN, NAN, NAN, NAN, NAN };
}

void
audit_rest_release(struct audit_rest *r)
{
	free(r->means);
	*r = (struct audit_rest){ .n = 0 };
}

/* Times of the steps that are looked at: those that make sense. */
struct times {
	double *seconds;
	long *position; /* running through the selected epochs */
	size_t n;
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
static void
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

/* Returns the mean imbalance of the steps; NAN: each is of one rank. */
static double
times_collect(struct times *t, const struct steps *s, const struct window *w,
    double work, struct audit_rest *rest)
{
	const struct steps_epoch *last = &s->epochs[w->last_epoch];
	struct steps_cursor c = steps_begin(s, w->first_epoch);
	const size_t n = last->end - c.next;
	struct stats_sum imbalance = STATS_SUM_INIT;
	size_t epoch = w->first_epoch, n_imbalance = 0;
	struct rest_builder b;
	long offset = 0; /* iterations of the epochs before */

	rest_start(&b, s, w, rest);
	t->seconds = xreallocarray(NULL, n, sizeof *t->seconds);
	t->position = xreallocarray(NULL, n, sizeof *t->position);
	while (c.next < last->end) {
		const struct step *step = steps_next(&c);
		const double seconds =
		    s->is_rate ? work / step->value : step->value;

		for (; epoch < c.epoch; epoch++)
			offset += s->epochs[epoch].length;
		if (!isnan(step->imbalance)) {
			stats_sum_add(&imbalance, step->imbalance);
			n_imbalance++;
		}
		if (!steps_value_ok(seconds, 0))
			continue;
		t->seconds[t->n] = seconds;
		t->position[t->n++] = step->from + offset;
		rest_add(&b, epoch, step->done, seconds);
	}
	return n_imbalance > 0
	    ? stats_sum_value(&imbalance) / (double)n_imbalance
	    : NAN;
}

size_t
audit_block(const struct steps *s)
{
	const long spacing = s->spacing > 0 ? s->spacing : 1;

	return spacing >= SETTLED_BLOCK
	    ? 1
	    : (size_t)((SETTLED_BLOCK + spacing - 1) / spacing);
}

void
audit_make(const struct steps *s, const struct window *w, double work,
    struct result_audit *a, struct audit_rest *rest)
{
	struct times t = { .n = 0 };
	size_t settled;

	audit_init(a);
	a->imbalance = times_collect(&t, s, w, work, rest);
	if (t.n > 0) {
		settled = settled_from(t.seconds, t.n, audit_block(s));
		if (settled != SETTLED_NEVER)
			a->settled_at = t.position[settled];
		a->cv = stats_cv(t.seconds, t.n);
		a->max = stats_max(t.seconds, t.n);
		a->p50 = stats_quantile_reorder(t.seconds, t.n, 0.50);
		a->p5 = stats_quantile_reorder(t.seconds, t.n, 0.05);
		a->p95 = stats_quantile_reorder(t.seconds, t.n, 0.95);
	}
	free(t.seconds);
	free(t.position);
}
