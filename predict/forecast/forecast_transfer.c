/* A case from the same configuration at another batch size, which has the
 * target measured and a case in common.  forecast.c calls it first. */
#include <config.h>

#include "predict/forecast/forecast_parts.h"

#include <math.h>

#include "common/text.h"
#include "predict/models/constants.h"
#include "predict/models/mixture.h"

/* The same configuration at another batch size? */
int
forecast_differs_in_batch(const struct forecast *a, const struct forecast *b)
{
	if (a == b || a->s.n == 0 || b->s.n == 0 || a->s.strong ||
	    b->s.strong || a->s.flat || b->s.flat || isnan(a->s.batch) ||
	    isnan(b->s.batch) || a->s.batch == b->s.batch ||
	    !text_same(a->s.device, b->s.device))
		return 0;
	for (size_t i = 0; i < SERIES_MAX_KEYS; i++)
		if (i != SERIES_BATCH &&
		    !text_same(a->s.series->values[i], b->s.series->values[i]))
			return 0;
	return 1;
}

/* T of a case: b t for rates, t for step times, in one unit. */
static double
transfer_time(const struct scaling_series *s, const struct scaling_case *c)
{
	return s->kind == SPEED_RATE ? s->batch * c->t : c->t;
}

/* The largest case of the row below the target that both have, else 1n1g. */
static const struct scaling_case *
find_anchor(const struct scaling_series *s, const struct scaling_series *other,
    const struct scaling_target *target, const struct scaling_case **common)
{
	const struct scaling_case *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];
		const struct scaling_case *o = scaling_series_find(
		    other, c->nodes, c->gpus_per_node, c->gpus);
		const int in_row = c->gpus_per_node == target->gpus_per_node &&
		    c->nodes < target->nodes;
		const int is_one = c->nodes == 1 && c->gpus_per_node == 1;

		if (o == NULL || (!in_row && !(is_one && best == NULL)))
			continue;
		best = c;
		*common = o;
	}
	return best;
}

/* Fill a transfer from one sibling; 0 if it cannot. */
static int
transfer_from(const struct scaling_series *s, const struct forecast *other,
    const struct scaling_target *target, struct transfer *t,
    const struct scaling_case **anchor)
{
	const struct scaling_case *common = NULL;
	const struct scaling_case *there = scaling_series_find(
	    &other->s, target->nodes, target->gpus_per_node, target->gpus);

	*anchor = find_anchor(s, &other->s, target, &common);
	if (there == NULL || *anchor == NULL)
		return 0;
	*t = (struct transfer){ transfer_time(s, *anchor),
		transfer_time(&other->s, common),
		transfer_time(&other->s, there), (*anchor)->s,
		(double)(*anchor)->gpus, (double)target->gpus };
	return transfer_step(t) > 0;
}

/* Of two other batch sizes the nearer one, the larger on a tie. */
static int
is_nearer(double batch, double of, double best)
{
	const double d = fabs(log(batch / of)), e = fabs(log(best / of));

	return d < e || (d == e && batch > best);
}

int
forecast_by_transfer(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	struct forecast_case c =
	    forecast_case_init(target, FORECAST_BY_TRANSFER);
	const struct scaling_case *anchor = NULL, *a;
	struct transfer best, t;
	struct mixture x;

	if (f->s.flat || target->nodes == RESULT_UNKNOWN)
		return 0;
	for (size_t i = 0; i < job->set->n; i++) {
		const struct forecast *other = &job->set->items[i];

		if (!forecast_differs_in_batch(f, other) ||
		    !transfer_from(&f->s, other, target, &t, &a))
			continue;
		if (anchor != NULL &&
		    !is_nearer(other->s.batch, f->s.batch, c.sibling_batch))
			continue;
		anchor = a;
		best = t;
		c.sibling_batch = other->s.batch;
	}
	if (anchor == NULL)
		return 0;
	transfer_predict(&best, &x);
	c.anchor = anchor->name;
	c.warnings = forecast_spread_warning(anchor);
	forecast_case_set_times(
	    job, &x, f->s.kind == SPEED_RATE ? 1 / f->s.batch : 1, &c);
	forecast_add_case(job, f, &c);
	mixture_release(&x);
	return 1;
}
