/* The walk over counts for --until.  The shows call it with a forecast. */
#include <config.h>

#include "predict/until.h"

#include <math.h>

/* Note the first count whose efficiency is below the target. */
static void
note_first(
    const struct forecast *f, double t, double target, long count, long *first)
{
	if (*first == 0 && scaling_efficiency(&f->s, t) < target)
		*first = count;
}

static const struct scaling_case *
measured_at(const struct scaling_row *row, double m)
{
	for (size_t i = 0; i < row->n; i++)
		if (row->points[i].m == m)
			return row->cases[i];
	return NULL;
}

static void
look_at(const struct forecast *f, const struct doubling *d,
    const struct scaling_row *row, long count, double level,
    struct until_answer *out)
{
	const struct scaling_case *c = measured_at(row, (double)count);
	const double gpus = row->axis == DOUBLING_ROW
	    ? (double)(count * row->gpus_per_node)
	    : (double)count;
	struct mixture x;

	if (c != NULL) {
		note_first(f, c->t, out->target, count, &out->count);
		note_first(f, c->t, out->target, count, &out->earliest);
		note_first(f, c->t, out->target, count, &out->latest);
		return;
	}
	doubling_predict(d, (double)count, gpus, &x);
	if (out->count == 0)
		note_first(f, exp(mixture_quantile(&x, 0.5)), out->target,
		    count, &out->count);
	if (out->earliest == 0)
		note_first(f, exp(mixture_quantile(&x, (1 + level) / 2)),
		    out->target, count, &out->earliest);
	if (out->latest == 0)
		note_first(f, exp(mixture_quantile(&x, (1 - level) / 2)),
		    out->target, count, &out->latest);
	mixture_release(&x);
}

int
until_find(const struct forecast *f, double target, double level,
    struct until_answer *out)
{
	const struct forecast_row *r = forecast_main_row(f);
	const double farthest = exp2(floor(prediction_constants.farthest));
	struct doubling d;

	if (r == NULL)
		return -1;
	*out = (struct until_answer){ .target = target,
		.gpus_per_node = r->row.gpus_per_node };
	out->limit = (long)(r->row.points[r->row.n - 1].m * farthest);
	doubling_init(&d, r->row.axis, r->row.points, r->row.n, r->prior);
	for (long count = 1; count <= out->limit && out->latest == 0; count++)
		look_at(f, &d, &r->row, count, level, out);
	doubling_release(&d);
	return 0;
}
