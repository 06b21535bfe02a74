/* The ways to predict a case: by the doubling model (also back-tests and wider
 * nodes), from another batch size, and from the cost of the network. */
#include <config.h>

#include "predict/forecast/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "predict/forecast/diagnosis.h"

static unsigned
row_warnings(const struct scaling_row *row, double doublings)
{
	unsigned warnings = 0;

	if (row->n == 2)
		warnings |= 1U << WARNING_TWO_COUNTS;
	if (doubling_is_saturated(row->points, row->n))
		warnings |= 1U << WARNING_SATURATED;
	if (doublings > 1)
		warnings |= 1U << WARNING_FAR;
	for (size_t i = 0; i < row->n; i++)
		warnings |= forecast_spread_warning(row->cases[i]);
	return warnings;
}

/* The row of the series that contains a row's cases; NULL for the column of a
 * series with rows. */
static struct forecast_row *
whole_row(struct forecast *f, const struct scaling_row *row)
{
	if (row->axis != DOUBLING_ROW && !f->s.flat)
		return NULL;
	return forecast_row_find(
	    f, row->axis == DOUBLING_ROW ? row->gpus_per_node : RESULT_UNKNOWN);
}

/* The case at a target by the doubling model; not added to the forecast.
 *
 * forced  1: cases may have been dropped, so the back-test does not apply */
static struct forecast_case
doubling_case(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    int forced)
{
	const double m = scaling_row_count(row, target);
	const struct forecast_row *whole = whole_row(f, row);
	struct forecast_case c =
	    forecast_case_init(target, FORECAST_BY_DOUBLING);
	struct doubling d;
	double prior[GROWTH_RHOS];
	struct mixture x;

	growth_prior(prior);
	if (whole != NULL && row->axis == DOUBLING_ROW) {
		memcpy(prior, whole->prior, sizeof prior);
		c.pooled = whole->pooled;
	}
	doubling_init(&d, row->axis, row->points, row->n, prior);
	doubling_predict(&d, m, (double)target->gpus, &x);
	c.forced = forced;
	c.doublings = log2(m / row->points[row->n - 1].m);
	c.growth = growth_median(&d.weights);
	c.n_counts = row->n;
	c.warnings = row_warnings(row, c.doublings);
	forecast_case_set_times(job, &x, 1, &c);
	if (whole != NULL && !forced && whole->backtest.of != NULL &&
	    !whole->backtest.inside)
		c.warnings |= 1U << WARNING_BACKTEST;
	return c;
}

void
forecast_by_doubling(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    int forced)
{
	struct forecast_case c = doubling_case(job, f, target, row, forced);

	forecast_add_case(job, f, &c);
}

void
forecast_set_backtest(
    const struct forecast_job *job, struct forecast *f, struct forecast_row *r)
{
	struct forecast_backtest *b = &r->backtest;
	const double level = job->request->levels[0];
	const struct scaling_case *last;
	struct scaling_row rest;
	struct doubling d;
	struct mixture x;
	double gpus;

	if (r->row.axis != DOUBLING_ROW || r->row.n < 3 ||
	    r->refusal.code == REFUSAL_CASE_TWICE)
		return;
	last = r->row.cases[r->row.n - 1];
	gpus = (double)last->gpus;
	scaling_row_init(&rest, &f->s, r->row.axis, r->row.gpus_per_node, last);
	if (refusal_of_row(&rest, &job->set->arena).code == REFUSAL_NONE) {
		doubling_init(&d, r->row.axis, rest.points, rest.n, r->prior);
		doubling_predict(&d, r->row.points[r->row.n - 1].m, gpus, &x);
		b->of = last;
		b->predicted =
		    scaling_speed(&f->s, exp(mixture_quantile(&x, 0.5)), gpus);
		b->error = b->predicted / last->speed - 1;
		b->inside =
		    log(last->t) >= mixture_quantile(&x, (1 - level) / 2) &&
		    log(last->t) <= mixture_quantile(&x, (1 + level) / 2);
	}
	scaling_row_release(&rest);
}

/* Make the case at a target, measured or by doubling. Returns the refusal, if
 * any. */
static struct refusal
part_case(const struct forecast_job *job, struct forecast *f, long nodes,
    long gpus_per_node, struct forecast_case *c)
{
	struct scaling_target target;
	struct scaling_row row;
	struct refusal r;
	int lifted;

	scaling_target_set(&target, nodes, gpus_per_node);
	scaling_row_for(&row, &f->s, &target);
	r = refusal_check(&f->s, &row, &target, 0, &lifted, &job->set->arena);
	if (r.code == REFUSAL_MEASURED) {
		*c = forecast_measured(job,
		    scaling_series_find(
			&f->s, nodes, gpus_per_node, target.gpus));
		r.code = REFUSAL_NONE;
	} else if (r.code == REFUSAL_NONE) {
		*c = doubling_case(job, f, &target, &row, 1);
	}
	scaling_row_release(&row);
	return r;
}

/* Time at the target: the step of one wider node plus the row's increase over
 * one node.
 *
 * one, link, node  times of 1 x wide, n x row, 1 x row GPUs */
static double
wider_time(const struct scaling_series *s, const struct scaling_target *target,
    const struct forecast_case *shape, double one, double link, double node)
{
	const double row = s->strong ? (double)shape->shape.gpus_per_node : 1;
	const double nodes = s->strong ? (double)target->nodes : 1;
	const double wide = s->strong ? (double)target->gpus_per_node : 1;
	const double exposed = fmax(0, link / (nodes * row) - node / row);

	return (one / wide + exposed) * nodes * wide;
}

struct refusal
forecast_wider(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct forecast_row *r = forecast_main_row(f);
	struct forecast_case one, link, c;
	const struct scaling_case *node;
	struct refusal refusal;

	if (f->s.flat || target->nodes < 2 || r == NULL ||
	    target->gpus_per_node <= f->rows[f->n_rows - 1].row.gpus_per_node)
		return (struct refusal){ REFUSAL_GPUS_PER_NODE,
			arena_printf(&job->set->arena,
			    "no case has %ld GPUs a node; with --force more "
			    "than any row has can be predicted, from a row "
			    "with two node counts and the cases of one node",
			    target->gpus_per_node) };
	node = scaling_series_find(
	    &f->s, 1, r->row.gpus_per_node, r->row.gpus_per_node);
	refusal = part_case(job, f, 1, target->gpus_per_node, &one);
	if (refusal.code == REFUSAL_NONE)
		refusal = part_case(
		    job, f, target->nodes, r->row.gpus_per_node, &link);
	if (refusal.code == REFUSAL_NONE && node == NULL)
		refusal = (struct refusal){ REFUSAL_GPUS_PER_NODE,
			arena_printf(&job->set->arena,
			    "1n%ldg is not measured, so what the network "
			    "costs is not known",
			    r->row.gpus_per_node) };
	if (refusal.code != REFUSAL_NONE)
		return refusal;
	c = link;
	c.shape = *target;
	c.how = FORECAST_BY_DOUBLING;
	c.measured = NULL;
	c.forced = 1;
	c.t = wider_time(&f->s, target, &link, one.t, link.t, node->t);
	for (size_t i = 0; i < job->request->n_levels; i++) {
		c.t_low[i] = wider_time(
		    &f->s, target, &link, one.t_low[i], link.t_low[i], node->t);
		c.t_high[i] = wider_time(&f->s, target, &link, one.t_high[i],
		    link.t_high[i], node->t);
	}
	c.standard_low = wider_time(
	    &f->s, target, &link, one.standard_low, link.standard_low, node->t);
	c.standard_high = wider_time(&f->s, target, &link, one.standard_high,
	    link.standard_high, node->t);
	c.doublings =
	    fmax(one.doublings, isnan(link.doublings) ? 0 : link.doublings);
	c.n_counts = r->row.n;
	c.warnings = one.warnings | link.warnings;
	forecast_add_case(job, f, &c);
	return refusal;
}

/* --- transfer from another batch size ------------------------------------ */

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

/* The largest common case of the row below the target, else 1n1g. */
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

/* Make a transfer from one sibling. Returns 0 if it is impossible. */
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

/* True if batch is nearer than best to of, or larger at the same distance. */
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
	return 1;
}

/* --- over a network of known cost ----------------------------------------- */

/* Context of link_cost_of. */
struct link_cost {
	const struct network_model *network;
	struct allreduce_layout to;
};

static double
link_cost_of(double bytes, const void *context)
{
	const struct link_cost *c = context;

	return curve_rescaled(c->network->curve, c->network->n_curve,
	    &c->network->curve_layout, &c->to, 1, bytes);
}

/* The buckets of the first run that states them all, or NULL. Free with
 * free(). */
static struct step_bucket *
measured_buckets(const struct scaling_series *s, size_t *n)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct result_case *c = s->cases[i].point->c;

		for (size_t j = 0; j < c->n_runs; j++) {
			const struct result_run *r = &c->runs[j];
			struct step_bucket *b;

			*n = 0;
			b = xcalloc(r->n_buckets + 1, sizeof *b);
			while (*n < r->n_buckets &&
			    !isnan(r->buckets[*n].ready_s)) {
				b[*n].bytes = r->buckets[*n].bytes;
				b[*n].ready_s = r->buckets[*n].ready_s;
				++*n;
			}
			if (*n > 0 && *n == r->n_buckets)
				return b;
			free(b);
		}
	}
	return NULL;
}

/* Step time from buckets that are reduced one after the other at a measured
 * curve. Sets *assumed to 1 if the buckets are assumed. */
static double
pipeline_step(const struct network_model *network,
    const struct scaling_series *s, const struct scaling_case *one,
    const struct scaling_target *target, int *assumed)
{
	const struct link_cost cost = { network,
		{ network->algorithm, target->nodes, target->gpus_per_node } };
	const struct diagnosis_measured measured =
	    diagnosis_measured_of(s, one);
	const struct bucket_step step = { one->step_s, 0,
		isnan(measured.sigma) ? 0 : measured.sigma * one->step_s,
		(double)target->gpus };
	struct step_bucket *buckets;
	double seconds;
	size_t n;

	buckets = measured_buckets(s, &n);
	*assumed = buckets == NULL;
	if (buckets == NULL)
		buckets =
		    buckets_assume(network->gradient_bytes, one->step_s, &n);
	seconds = bucket_step_time(&step, buckets, n, link_cost_of, &cost);
	free(buckets);
	return seconds;
}

int
forecast_by_link(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct network_model *network = job->request->network;
	struct forecast_case c = forecast_case_init(target, FORECAST_BY_LINK);
	const struct scaling_case *one;
	struct step_range step;
	double scale, communication;

	if (network == NULL || f->s.flat || target->nodes < 2)
		return 0;
	one = scaling_series_find(
	    &f->s, 1, target->gpus_per_node, target->gpus_per_node);
	communication = network_model_communication(
	    network, target->nodes, target->gpus_per_node);
	if (one == NULL || isnan(one->step_s) || isnan(communication))
		return 0;
	if (f->s.strong)
		return 0;
	step = step_from_link(one->step_s, communication, network->gamma);
	if (network->curve != NULL && isnan(network->gamma)) {
		int assumed;

		step.step_s =
		    pipeline_step(network, &f->s, one, target, &assumed);
		step.low_s = fmin(step.low_s, step.step_s);
		step.high_s = fmax(step.high_s, step.step_s);
		c.warnings |= assumed ? 1U << WARNING_ASSUMED : 0;
	}
	scale = one->t / one->step_s;
	forecast_case_set_range(job, step.step_s * scale, step.low_s * scale,
	    step.high_s * scale, &c);
	c.warnings |= forecast_spread_warning(one);
	forecast_add_case(job, f, &c);
	return 1;
}
