/* Cases by the doubling model: in a row or column of the series, its largest
 * case from the others (the back-test), and nodes with more GPUs than any row
 * has.  forecast.c calls it where its rules admit the target. */
#include <config.h>

#include "predict/forecast/forecast_parts.h"

#include <math.h>
#include <string.h>

#include "predict/models/constants.h"

static const struct prediction_constants *const k = &prediction_constants;

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

/* The case at a target by the doubling model; not added to the forecast.
 *
 * kept  the row of the series that row is, whole; NULL: a column, or forced */
static struct forecast_case
doubling_case(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    struct forecast_row *kept)
{
	const double m = scaling_row_count(row, target);
	struct forecast_case c =
	    forecast_case_init(target, FORECAST_BY_DOUBLING);
	struct doubling own, *d = kept != NULL ? &kept->doubling : &own;
	double prior[GROWTH_RHOS];
	struct forecast_row *pool = row->axis == DOUBLING_ROW
	    ? forecast_row_find(f, row->gpus_per_node)
	    : NULL;
	struct mixture x;

	growth_prior(prior);
	if (pool != NULL)
		memcpy(prior, pool->prior, sizeof prior);
	if (kept == NULL || d->weights == NULL)
		doubling_init(d, row->axis,
		    kept != NULL ? kept->row.points : row->points, row->n,
		    prior);
	doubling_predict(d, m, (double)target->gpus, &x);
	c.doublings = log2(m / row->points[row->n - 1].m);
	c.growth = growth_median(d->weights);
	c.n_counts = row->n;
	c.pooled = pool != NULL ? pool->pooled : 0;
	c.warnings = row_warnings(row, c.doublings);
	forecast_case_set_times(job, &x, 1, &c);
	if (kept != NULL && kept->backtest.of != NULL && !kept->backtest.inside)
		c.warnings |= 1U << WARNING_BACKTEST;
	mixture_release(&x);
	if (kept == NULL)
		doubling_release(d);
	return c;
}

/* As doubling_case, and added. */
void
forecast_by_doubling(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    struct forecast_row *kept, int forced)
{
	struct forecast_case c = doubling_case(job, f, target, row, kept);

	c.forced = forced;
	forecast_add_case(job, f, &c);
}

/* The largest case of a row from the others. */
void
forecast_set_backtest(
    const struct forecast_job *job, struct forecast *f, struct forecast_row *r)
{
	const struct scaling_case *last;
	const double level = job->request->levels[0];
	struct scaling_row rest;
	struct doubling d;
	struct mixture x;
	double t;

	if (r->row.axis != DOUBLING_ROW || r->row.n < 3)
		return;
	last = r->row.cases[r->row.n - 1];
	scaling_row_init(&rest, &f->s, r->row.axis, r->row.gpus_per_node, last);
	if (refusal_of_row(&rest, &job->set->arena).code != REFUSAL_NONE ||
	    r->refusal.code == REFUSAL_CASE_TWICE) {
		scaling_row_release(&rest);
		return;
	}
	doubling_init(&d, r->row.axis, rest.points, rest.n, r->prior);
	doubling_predict(
	    &d, r->row.points[r->row.n - 1].m, (double)last->gpus, &x);
	t = exp(mixture_quantile(&x, 0.5));
	r->backtest.of = last;
	r->backtest.predicted = scaling_speed(&f->s, t, (double)last->gpus);
	r->backtest.error = r->backtest.predicted / last->speed - 1;
	r->backtest.inside =
	    log(last->t) >= mixture_quantile(&x, (1 - level) / 2) &&
	    log(last->t) <= mixture_quantile(&x, (1 + level) / 2);
	mixture_release(&x);
	doubling_release(&d);
	scaling_row_release(&rest);
}

/* Fill the case at a target, measured or by doubling.  Returns what refuses
 * it. */
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
		*c = doubling_case(job, f, &target, &row, NULL);
	}
	scaling_row_release(&row);
	return r;
}

/* What a step of the row takes longer than on one node, and the step of one
 * wider node: the time at the target.
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

/* More GPUs a node than any row has: the column's step with them, and what the
 * largest row loses to the network.  Both ends act together, so the interval
 * is no narrower than the truth. */
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
	c = forecast_case_init(target, FORECAST_BY_DOUBLING);
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
	c.growth = link.growth;
	c.n_counts = r->row.n;
	c.pooled = link.pooled;
	c.warnings = one.warnings | link.warnings;
	if (c.standard_high / c.standard_low > k->wide)
		c.warnings |= 1U << WARNING_WIDE;
	forecast_add_case(job, f, &c);
	return refusal;
}
