/* Forecasts of a set of series. Makes rows and finds their siblings, then
 * predicts each target by one of the models: the doubling model, another batch
 * size, or the cost of the network. */
#include <config.h>

#include "predict/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

const struct forecast_word forecast_warnings[N_FORECAST_WARNINGS] = {
	[WARNING_TWO_COUNTS] = { "two-counts", MESSAGE_TWO_COUNTS },
	[WARNING_SATURATED] = { "saturated", MESSAGE_SATURATED },
	[WARNING_FAR] = { "far", MESSAGE_FAR },
	[WARNING_BEYOND] = { "beyond-4x", MESSAGE_FAR_BEYOND },
	[WARNING_RISING] = { "rising", MESSAGE_RISING },
	[WARNING_WIDE] = { "wide", MESSAGE_WIDE },
	[WARNING_SPREAD] = { "spread", MESSAGE_SPREAD },
	[WARNING_BACKTEST] = { "backtest", MESSAGE_BACKTEST_MISSED },
	[WARNING_ASSUMED] = { "assumed", MESSAGE_BUCKETS_ASSUMED },
	[WARNING_FLAGGED] = { .word = "flagged" },
};

const struct forecast_word forecast_hows[] = {
	[FORECAST_MEASURED] = { "measured", MESSAGE_MEASURED },
	[FORECAST_BY_DOUBLING] = { "doubling", MESSAGE_BY_DOUBLING },
	[FORECAST_BY_TRANSFER] = { "transfer", MESSAGE_BY_TRANSFER },
	[FORECAST_BY_LINK] = { "from the link", MESSAGE_BY_LINK },
};

/* --- rows ----------------------------------------------------------------- */

/* The row of cases with this number of GPUs per node, or NULL. */
static struct forecast_row *
find_row(const struct forecast *f, long gpus_per_node)
{
	for (size_t i = 0; i < f->n_rows; i++)
		if (f->rows[i].gpus_per_node == gpus_per_node)
			return &f->rows[i];
	return NULL;
}

const struct forecast_row *
forecast_main_row(const struct forecast *f)
{
	for (size_t i = f->n_rows; i-- > 0;)
		if (f->rows[i].refusal.code == REMARK_NONE &&
		    f->s.not_predicted == REMARK_NONE)
			return &f->rows[i];
	return NULL;
}

const struct forecast_backtest *
forecast_best_backtest(const struct forecast *f)
{
	const struct forecast_backtest *best = NULL;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct forecast_backtest *b = &f->rows[i].backtest;

		if (b->of != NULL &&
		    (best == NULL || b->of->shape.gpus >= best->of->shape.gpus))
			best = b;
	}
	return best;
}

const struct forecast_case *
forecast_first(const struct forecast *f)
{
	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].how != FORECAST_MEASURED)
			return &f->cases[i];
	return NULL;
}

/* The target's count of what varies along a row: nodes, else GPUs. */
static double
row_count(const struct forecast_row *row, const struct scaling_shape *target)
{
	return (
	    double)(row->axis == DOUBLING_ROW ? target->nodes : target->gpus);
}

/* Make a row of the cases of one axis, ascending in m.
 *
 * gpus_per_node  of the cases on DOUBLING_ROW, else ignored
 * without        a case that is excluded, or NULL */
static struct forecast_row
make_row(const struct scaling_series *s, enum doubling_axis axis,
    long gpus_per_node, const struct scaling_case *without, struct arena *a)
{
	struct forecast_row row = { .axis = axis,
		.gpus_per_node =
		    axis == DOUBLING_ROW ? gpus_per_node : RESULT_UNKNOWN,
		.points = arena_calloc(a, s->n, sizeof *row.points) };

	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];
		const double m = row_count(&row, &c->shape);
		const int is_on_axis = axis == DOUBLING_COLUMN
		    ? s->flat || c->shape.nodes == 1
		    : c->shape.gpus_per_node == gpus_per_node;
		size_t at = row.n;

		if (c == without || !is_on_axis)
			continue;
		/* By m; equal counts stay in the order of the series. */
		for (; at > 0 && row.points[at - 1].m > m; at--)
			row.points[at] = row.points[at - 1];
		row.points[at] = (struct scaling_point){ m,
			(double)c->shape.gpus, c->t, c->s, c };
		row.n++;
	}
	return row;
}

/* Check the points of a row: number of counts, equal counts, rising efficiency;
 * and the distance of the target, unless it is NULL.
 *
 * flat   1: nodes are unknown, so the column has all cases
 * force  1: accept REMARK_ONE_NODE_COUNT, and drop the points before the last
 *        rise instead of returning REMARK_EFFICIENCY_RISES
 *
 * Returns the reason for a refusal, or REMARK_NONE. */
static struct remark
check_row(struct forecast_row *row, int flat,
    const struct scaling_shape *target, int force)
{
	const int is_row = row->axis == DOUBLING_ROW;
	const double of_node = is_row || flat ? NAN : 1;
	const double farthest = exp2(K_FARTHEST);
	const struct scaling_point *p = row->points;
	size_t rise = 0;
	double m;

	if (row->n == 0 || p[row->n - 1].m <= p[0].m) {
		if (!is_row)
			return REMARK(REMARK_TOO_FEW_COUNTS,
			    remark_count(row->n), remark_number(of_node));
		if (!force)
			return REMARK(REMARK_ONE_NODE_COUNT,
			    remark_count(row->gpus_per_node),
			    remark_number(p[0].m));
		row->lifted = 1;
	}
	for (size_t i = 1; i < row->n; i++)
		if (p[i].m <= p[i - 1].m)
			return REMARK(REMARK_SAME_COUNT,
			    is_row ? remark_count(row->gpus_per_node)
				   : remark_number(NAN),
			    remark_number(of_node));
	for (size_t i = 1; i < row->n; i++) {
		if (p[i].t >= K_SUPERLINEAR * p[i - 1].t)
			continue;
		if (!force)
			return REMARK(REMARK_EFFICIENCY_RISES,
			    remark_number(100 * (p[i - 1].t / p[i].t - 1)),
			    remark_number(p[i - 1].m), remark_number(p[i].m),
			    remark_name(is_row ? "nodes" : "GPUs"));
		rise = i;
	}
	row->points += rise;
	row->n -= rise;
	row->lifted |= rise > 0;
	m = target != NULL ? row_count(row, target) : p[0].m;
	if (m > farthest * p[rise + row->n - 1].m)
		return REMARK(REMARK_TARGET_FAR, remark_name(target->name),
		    remark_number(m / p[rise + row->n - 1].m),
		    remark_number(exp2(floor(K_FARTHEST))));
	if (m * farthest < p[rise].m)
		return REMARK(REMARK_TARGET_BELOW, remark_name(target->name));
	return remark_plain(REMARK_NONE);
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct forecast_row *a = pa, *b = pb;

	return (a->gpus_per_node > b->gpus_per_node) -
	    (a->gpus_per_node < b->gpus_per_node);
}

/* Series of one file with the same framework and device are siblings. */
static int
are_siblings(const struct forecast *a, const struct forecast *b)
{
	return a != b && a->s.n > 0 && b->s.n > 0 &&
	    a->s.not_predicted == REMARK_NONE &&
	    b->s.not_predicted == REMARK_NONE &&
	    a->s.cases[0].point->source == b->s.cases[0].point->source &&
	    text_same(a->s.device, b->s.device) &&
	    text_same(a->s.series->values[SERIES_FRAMEWORK],
		b->s.series->values[SERIES_FRAMEWORK]);
}

/* Set the prior of a row, and back-test it: predict its largest case from the
 * others. A row with fewer than three counts has no back-test. */
static void
set_row(
    struct forecast_set *set, const struct forecast *f, struct forecast_row *r)
{
	const int is_row = r->axis == DOUBLING_ROW;
	const double level = set->request->levels[0];
	const double **evidence =
	    arena_calloc(&set->arena, set->n, sizeof *evidence);
	const struct scaling_point *last = &r->points[r->n - 1];
	struct forecast_backtest *b = &r->backtest;
	struct forecast_row rest;
	struct doubling d;
	struct prediction x;

	for (size_t i = 0; i < set->n && is_row && !set->request->no_pool;
	     i++) {
		const struct forecast_row *row =
		    find_row(&set->items[i], r->gpus_per_node);

		if (row != NULL && row->teaches &&
		    are_siblings(f, &set->items[i]))
			evidence[r->pooled++] = row->evidence;
	}
	growth_pool(evidence, r->pooled, r->prior);

	if (!is_row || r->n < 3 || r->refusal.code == REMARK_SAME_COUNT)
		return;
	rest = make_row(
	    &f->s, DOUBLING_ROW, r->gpus_per_node, last->of, &set->arena);
	if (check_row(&rest, 0, NULL, 0).code != REMARK_NONE)
		return;
	doubling_init(&d, DOUBLING_ROW, rest.points, rest.n, r->prior);
	doubling_predict(&d, last->m, last->gpus, &x);
	b->of = last->of;
	b->predicted =
	    scaling_speed(&f->s, exp(prediction_quantile(&x, 0.5)), last->gpus);
	b->error = b->predicted / last->of->speed - 1;
	b->inside = log(last->t) >= prediction_quantile(&x, (1 - level) / 2) &&
	    log(last->t) <= prediction_quantile(&x, (1 + level) / 2);
}

/* --- cases ---------------------------------------------------------------- */

/* Number of elements of forecast_case.t that a request uses. */
static size_t
n_ends(const struct forecast_request *request)
{
	return 2 * request->n_levels + 3;
}

/* Set the times from the distribution of their logarithm, in units of scale. */
static void
set_times(const struct forecast_request *request, const struct prediction *x,
    double scale, struct forecast_case *c)
{
	for (size_t i = 0; i < n_ends(request); i++) {
		const double level = i > 0 ? request->levels[(i - 1) / 2] : 0;
		const double p = (1 + (i % 2 == 0 ? level : -level)) / 2;

		c->t[i] = exp(prediction_quantile(x, p)) * scale;
	}
}

/* Set the median, and one interval for all levels. */
static void
set_range(double t, double low, double high, struct forecast_case *c)
{
	for (size_t i = 0; i < FORECAST_ENDS; i++)
		c->t[i] = i == 0 ? t : i % 2 == 1 ? low : high;
}

/* Make a case without times. It is computed from cases of its series and at
 * most two cases of another. */
static struct forecast_case
init_case(struct forecast_set *set, const struct forecast *f,
    const struct scaling_shape *shape, enum forecast_how how)
{
	const size_t most = f->s.n + 2;

	return (struct forecast_case){ .shape = *shape,
		.how = how,
		.doublings = NAN,
		.growth = NAN,
		.sibling_batch = NAN,
		.rests = arena_calloc(
		    &set->arena, most, sizeof(struct scaling_case *)) };
}

/* Record, once, that c is computed from a measured case; add the warning if
 * that case is in doubt. */
static void
rest_on(struct forecast_case *c, const struct scaling_case *of)
{
	for (size_t i = 0; i < c->n_rests; i++)
		if (c->rests[i] == of)
			return;
	c->rests[c->n_rests++] = of;
	if (of->n_doubts > 0)
		c->warnings |= 1U << WARNING_FLAGGED;
}

/* Like rest_on(); also add the warning if the measured case's runs differ. */
static void
depend_on(struct forecast_case *c, const struct scaling_case *of)
{
	rest_on(c, of);
	if (of->cv > K_SPREAD)
		c->warnings |= 1U << WARNING_SPREAD;
}

/* Add a case with its times as speeds, the other laws, the warning about a wide
 * interval, and the baseline, from which its speedup is computed. */
static void
add_case(struct forecast_set *set, struct forecast *f,
    const struct forecast_case *made)
{
	struct forecast_case *c = &f->cases[f->n_cases++];
	const double target = (double)made->shape.gpus;
	const size_t last = n_ends(set->request) - 1;
	double *gpus, *speed;

	*c = *made;
	rest_on(c, f->s.baseline);
	c->step_s = scaling_step(&f->s, c->t[0], target);
	c->efficiency = f->s.baseline->t / c->t[0];
	c->speedup =
	    c->efficiency * (target / (double)f->s.baseline->shape.gpus);
	c->speed[0] = scaling_speed(&f->s, c->t[0], target);
	for (size_t i = 1; i < last; i += 2) {
		const double a = scaling_speed(&f->s, c->t[i], target);
		const double b = scaling_speed(&f->s, c->t[i + 1], target);

		c->speed[i] = fmin(a, b);
		c->speed[i + 1] = fmax(a, b);
	}
	if (c->t[last] / c->t[last - 1] > K_WIDE)
		c->warnings |= 1U << WARNING_WIDE;
	if (!set->request->compare || c->measured != NULL)
		return;
	gpus = arena_calloc(&set->arena, 2 * f->s.n, sizeof *gpus);
	speed = gpus + f->s.n;
	for (size_t i = 0; i < f->s.n; i++) {
		gpus[i] = (double)f->s.cases[i].shape.gpus;
		speed[i] = gpus[i] / f->s.cases[i].t;
	}
	for (int i = 0; i < N_SCALING_LAWS; i++)
		c->laws[i] = scaling_speed(&f->s,
		    target / law_predict(i, gpus, speed, f->s.n, target),
		    target);
}

/* A measured case, whose interval has no width. */
static struct forecast_case
measured_case(struct forecast_set *set, const struct forecast *f,
    const struct scaling_case *m)
{
	struct forecast_case c =
	    init_case(set, f, &m->shape, FORECAST_MEASURED);

	c.measured = m;
	set_range(m->t, m->t, m->t, &c);
	depend_on(&c, m);
	return c;
}

/* --- by the doubling model ------------------------------------------------ */

/* Set the row by which a target is predicted: that of its GPUs per node; for
 * one node the column, unless it has fewer than two counts and a row exists.
 *
 * Returns why the target cannot be predicted from it, or REMARK_NONE. */
static struct remark
row_for(const struct forecast *f, const struct scaling_shape *target, int force,
    struct forecast_row *row)
{
	const struct scaling_series *s = &f->s;
	const long g = target->gpus_per_node;
	const struct forecast_row *of =
	    find_row(f, s->flat ? RESULT_UNKNOWN : g);

	if (!s->flat && target->nodes == 1 && (f->column.n >= 2 || of == NULL))
		of = &f->column;
	*row = of != NULL ? *of : (struct forecast_row){ .n = 0 };
	if (scaling_series_find(s, target->nodes, g, target->gpus) != NULL)
		return REMARK(REMARK_IS_MEASURED, remark_name(target->name));
	if (s->not_predicted != REMARK_NONE)
		return remark_plain(s->not_predicted);
	if (!s->flat && target->nodes == RESULT_UNKNOWN)
		return remark_plain(REMARK_NODES_UNSTATED);
	if (of == NULL)
		return REMARK(REMARK_NO_SUCH_ROW, remark_count(g));
	return check_row(row, s->flat, target, force);
}

/* Predict a target by the doubling model; the case is not added to f.
 *
 * forced  1: cases may have been dropped, so the back-test does not apply */
static struct forecast_case
doubling_case(struct forecast_set *set, const struct forecast *f,
    const struct scaling_shape *target, const struct forecast_row *row,
    int forced)
{
	const double m = row_count(row, target);
	struct forecast_case c =
	    init_case(set, f, target, FORECAST_BY_DOUBLING);
	struct doubling d;
	struct prediction x;

	c.pooled = row->pooled;
	doubling_init(&d, row->axis, row->points, row->n, row->prior);
	doubling_predict(&d, m, (double)target->gpus, &x);
	set_times(set->request, &x, 1, &c);
	c.forced = forced;
	c.doublings = log2(m / row->points[row->n - 1].m);
	c.growth = d.growth;
	c.n_counts = row->n;
	for (size_t i = 0; i < row->n; i++)
		depend_on(&c, row->points[i].of);
	c.warnings |= (unsigned)(row->n == 2) << WARNING_TWO_COUNTS |
	    (unsigned)d.saturated << WARNING_SATURATED |
	    (unsigned)(c.doublings > 1) << WARNING_FAR |
	    (unsigned)(c.doublings > K_BEYOND) << WARNING_BEYOND |
	    (unsigned)(c.doublings > 0 && d.rising) << WARNING_RISING |
	    (unsigned)(!forced && row->backtest.of != NULL &&
		!row->backtest.inside)
		<< WARNING_BACKTEST;
	return c;
}

/* Make the case at a target, measured or by doubling. Returns the refusal, if
 * any. */
static struct remark
part_case(struct forecast_set *set, const struct forecast *f, long nodes,
    long gpus_per_node, struct forecast_case *c)
{
	const struct scaling_shape target =
	    scaling_shape_make(nodes, gpus_per_node, &set->arena);
	struct forecast_row row;
	struct remark r = row_for(f, &target, 0, &row);

	if (r.code == REMARK_IS_MEASURED) {
		*c = measured_case(set, f,
		    scaling_series_find(
			&f->s, nodes, gpus_per_node, target.gpus));
		r.code = REMARK_NONE;
	} else if (r.code == REMARK_NONE) {
		*c = doubling_case(set, f, &target, &row, 1);
	}
	return r;
}

/* Add a case with more GPUs per node than any row: the column's step time plus
 * the network loss of the largest row. The ends of both intervals are combined,
 * so the interval is conservative. Returns the refusal if it is not added. */
static struct remark
predict_wider(struct forecast_set *set, struct forecast *f,
    const struct scaling_shape *target)
{
	const struct forecast_row *r = forecast_main_row(f);
	const double nodes = f->s.strong ? (double)target->nodes : 1;
	const double wide = f->s.strong ? (double)target->gpus_per_node : 1;
	struct forecast_case one, c;
	const struct scaling_case *node;
	struct remark refusal;
	double each;
	long row;

	if (f->s.flat || target->nodes < 2 || r == NULL ||
	    target->gpus_per_node <= f->rows[f->n_rows - 1].gpus_per_node)
		return REMARK(
		    REMARK_NO_WIDER_ROW, remark_count(target->gpus_per_node));
	row = r->gpus_per_node;
	node = scaling_series_find(&f->s, 1, row, row);
	refusal = part_case(set, f, 1, target->gpus_per_node, &one);
	if (refusal.code == REMARK_NONE)
		refusal = part_case(set, f, target->nodes, row, &c);
	if (refusal.code == REMARK_NONE && node == NULL)
		refusal = REMARK(REMARK_NODE_NOT_MEASURED,
		    remark_name(scaling_shape_make(1, row, &set->arena).name));
	if (refusal.code != REMARK_NONE)
		return refusal;
	c.shape = *target;
	c.how = FORECAST_BY_DOUBLING;
	c.measured = NULL;
	c.forced = 1;
	/* The step of one wider node plus the row's increase over one node. */
	each = f->s.strong ? (double)row : 1;
	for (size_t i = 0; i < FORECAST_ENDS; i++)
		c.t[i] =
		    (one.t[i] / wide +
			fmax(0, c.t[i] / (nodes * each) - node->t / each)) *
		    nodes * wide;
	c.doublings = fmax(one.doublings, isnan(c.doublings) ? 0 : c.doublings);
	c.n_counts = r->n;
	c.warnings |= one.warnings;
	for (size_t i = 0; i < one.n_rests; i++)
		rest_on(&c, one.rests[i]);
	rest_on(&c, node);
	add_case(set, f, &c);
	return refusal;
}

/* --- transfer from another batch size ------------------------------------ */

static int
differs_in_batch(const struct forecast *a, const struct forecast *b)
{
	return a != b && a->s.n > 0 && b->s.n > 0 && !a->s.flat && !b->s.flat &&
	    !isnan(a->s.batch) && !isnan(b->s.batch) &&
	    a->s.batch != b->s.batch && text_same(a->s.device, b->s.device) &&
	    series_values_same(a->s.series->values, b->s.series->values,
		~SERIES_BIT(SERIES_BATCH));
}

/* Add the case predicted from the nearest other batch size b0, since a step's
 * time in the network depends little on its batch: T(A; b) + T(n, g; b0) -
 * T(A; b0), where A is the anchor. Returns 0 if no series allows it. */
static int
predict_by_transfer(struct forecast_set *set, struct forecast *f,
    const struct scaling_shape *target)
{
	/* T is b * t if the values are rates, t if they are step times. */
	const double own = f->s.kind == WORK_RATE ? f->s.batch : 1;
	struct forecast_case c =
	    init_case(set, f, target, FORECAST_BY_TRANSFER);
	const struct scaling_case *a = NULL, *same = NULL, *there = NULL;
	struct prediction x;
	double nearest = INFINITY, step = NAN;

	for (size_t i = 0; i < set->n && target->nodes != RESULT_UNKNOWN; i++) {
		const struct scaling_series *o = &set->items[i].s;
		const double other = o->kind == WORK_RATE ? o->batch : 1;
		const double far = fabs(log(o->batch / f->s.batch));
		const struct scaling_case *at = NULL, *common = NULL, *to;
		double t;

		if (!differs_in_batch(f, &set->items[i]))
			continue;
		to = scaling_series_find(
		    o, target->nodes, target->gpus_per_node, target->gpus);
		/* The anchor: the largest common case of the row below the
		 * target, else 1n1g. */
		for (size_t k = 0; k < f->s.n; k++) {
			const struct scaling_shape *m = &f->s.cases[k].shape;
			const struct scaling_case *twin = scaling_series_find(
			    o, m->nodes, m->gpus_per_node, m->gpus);
			const int in_row = m->nodes < target->nodes &&
			    m->gpus_per_node == target->gpus_per_node;

			if (twin != NULL &&
			    (in_row || (m->gpus == 1 && at == NULL))) {
				at = &f->s.cases[k];
				common = twin;
			}
		}
		if (to == NULL || at == NULL)
			continue;
		t = own * at->t + (other * to->t - other * common->t);
		/* Of two batches at the same distance, use the larger one. */
		if (!(t > 0) || far > nearest ||
		    (far == nearest && o->batch <= c.sibling_batch))
			continue;
		nearest = far;
		step = t;
		c.sibling_batch = o->batch;
		a = at;
		same = common;
		there = to;
	}
	if (a == NULL)
		return 0;
	c.anchor = a->shape.name;
	depend_on(&c, a);
	rest_on(&c, same);
	rest_on(&c, there);
	transfer_predict(
	    step, log2((double)target->gpus / (double)a->shape.gpus), a->s, &x);
	set_times(set->request, &x, 1 / own, &c);
	add_case(set, f, &c);
	return 1;
}

/* --- over a network of known cost ----------------------------------------- */

/* The buckets, in a, of the first run that states all of its own; or NULL. */
static struct step_bucket *
measured_buckets(const struct scaling_series *s, size_t *n, struct arena *a)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct result_case *c = s->cases[i].point->c;

		for (size_t j = 0; j < c->n_runs; j++) {
			const struct result_run *r = &c->runs[j];
			struct step_bucket *b =
			    arena_calloc(a, r->n_buckets + 1, sizeof *b);

			for (*n = 0; *n < r->n_buckets &&
			     !isnan(r->buckets[*n].ready_s);
			     ++*n) {
				b[*n].bytes = r->buckets[*n].bytes;
				b[*n].ready_s = r->buckets[*n].ready_s;
			}
			if (*n > 0 && *n == r->n_buckets)
				return b;
		}
	}
	return NULL;
}

/* Set the bytes that a step sends: as requested, else the sum of a run's
 * buckets, else four bytes for each parameter of a known model. */
static void
set_gradient_bytes(struct forecast_set *set, struct forecast *f)
{
	struct step_bucket *buckets;
	size_t n;

	f->gradient_bytes = set->request->network.gradient_bytes;
	if (!isnan(f->gradient_bytes) || f->s.n == 0)
		return;
	buckets = measured_buckets(&f->s, &n, &set->arena);
	if (buckets == NULL) {
		f->gradient_bytes =
		    network_model_gradients(f->s.series->values[SERIES_MODEL]);
		f->gradients_by_model = !isnan(f->gradient_bytes);
		return;
	}
	f->gradient_bytes = 0;
	for (size_t i = 0; i < n; i++)
		f->gradient_bytes += buckets[i].bytes;
}

/* Add the case predicted from that of one node and the request's network. The
 * range is from no to full overlap. Returns 0 if either is unknown or unfit. */
static int
predict_by_link(struct forecast_set *set, struct forecast *f,
    const struct scaling_shape *target)
{
	const long g = target->gpus_per_node;
	const struct scaling_case *one = scaling_series_find(&f->s, 1, g, g);
	struct forecast_case c = init_case(set, f, target, FORECAST_BY_LINK);
	struct network_model network;
	struct allreduce_layout to;
	struct step_range step;
	double scale, communication;

	if (!set->request->by_network || f->s.flat || f->s.strong ||
	    target->nodes < 2)
		return 0;
	network = set->request->network;
	network.gradient_bytes = f->gradient_bytes;
	to = (struct allreduce_layout){ network.algorithm, target->nodes, g };
	communication = network_model_communication(&network, &to);
	if (one == NULL || isnan(one->step_s) || isnan(communication))
		return 0;
	step =
	    step_changed(&(struct step_parts){ one->step_s, 0, network.gamma },
		0, communication, 1);
	/* With a measured curve, buckets are reduced one after the other. */
	if (network.curve != NULL && isnan(network.gamma)) {
		size_t n;
		struct step_bucket *buckets =
		    measured_buckets(&f->s, &n, &set->arena);

		if (buckets == NULL) {
			c.warnings |= 1U << WARNING_ASSUMED;
			buckets = buckets_assume(network.gradient_bytes,
			    one->step_s, &n, &set->arena);
		}
		for (size_t i = 0; i < n; i++)
			buckets[i].seconds = network_model_seconds(
			    &network, &to, 1, buckets[i].bytes);
		step.step_s = bucket_step_time(one->step_s,
		    isnan(f->s.sigma) ? 0 : f->s.sigma * one->step_s,
		    (double)target->gpus, buckets, n);
		step.low_s = fmin(step.low_s, step.step_s);
		step.high_s = fmax(step.high_s, step.step_s);
	}
	scale = one->t / one->step_s;
	set_range(
	    step.step_s * scale, step.low_s * scale, step.high_s * scale, &c);
	depend_on(&c, one);
	add_case(set, f, &c);
	return 1;
}

/* --- targets ------------------------------------------------------------- */

/* A more specific reason than r why a row has one count, else r: cases with
 * other batch sizes would complete the row, but no series suffices by itself;
 * or a network is given, but the bytes that a step sends are unknown. */
static struct remark
why_one_count(const struct forecast_set *set, const struct forecast *f,
    const struct scaling_shape *target, struct remark r)
{
	const struct forecast_row *own = find_row(f, target->gpus_per_node);
	int more = 0, enough = own == NULL || own->n != 1;

	for (size_t i = 0; i < set->n && !enough; i++) {
		const struct forecast_row *row =
		    find_row(&set->items[i], target->gpus_per_node);

		if (row == NULL || !differs_in_batch(f, &set->items[i]))
			continue;
		enough = row->n > 1;
		more |= row->points[0].m != own->points[0].m;
	}
	if (more && !enough)
		return remark_plain(REMARK_BATCHES_DIFFER);
	if (set->request->by_network && isnan(f->gradient_bytes))
		return REMARK(REMARK_GRADIENTS_UNKNOWN,
		    remark_name(f->s.series->values[SERIES_MODEL]));
	return r;
}

/* Set the nodes of a target that states none, if all cases but 1n1g have the
 * same GPUs per node. Returns the shapes that it may have: "16n4g, 8n8g". */
static const char *
complete_shape(
    struct scaling_shape *target, const struct forecast *f, struct arena *a)
{
	struct scaling_shape shape;
	const char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct forecast_row *row = &f->rows[i];
		const long each = row->gpus_per_node;

		if (row->points[row->n - 1].gpus <= 1)
			continue;
		n++;
		if (target->gpus % each != 0)
			continue;
		shape = scaling_shape_make(target->gpus / each, each, a);
		text = arena_join(a, text, ", ", shape.name);
	}
	if (n == 1 && text != NULL)
		*target = shape;
	return text != NULL ? text : "4n8g";
}

/* True if a target was handled before: "64g" and "8n8g" may be the same. */
static int
was_target(const struct forecast *f, const char *name)
{
	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].measured == NULL &&
		    strcmp(f->cases[i].shape.name, name) == 0)
			return 1;
	for (size_t i = 0; i < f->n_refused; i++)
		if (strcmp(f->refused[i].shape.name, name) == 0)
			return 1;
	return 0;
}

/* Predict a target, or add its refusal. */
static void
predict_target(
    struct forecast_set *set, struct forecast *f, struct scaling_shape target)
{
	const struct forecast_request *request = set->request;
	const char *shapes = NULL;
	struct forecast_row row;
	struct forecast_case c;
	struct remark r;

	if (target.nodes == RESULT_UNKNOWN && !f->s.flat)
		shapes = complete_shape(&target, f, &set->arena);
	if (was_target(f, target.name))
		return;
	r = row_for(f, &target, request->force, &row);
	if (r.code == REMARK_IS_MEASURED || f->s.not_predicted != REMARK_NONE) {
		; /* refused in any case */
	} else if (r.code == REMARK_NODES_UNSTATED) {
		r = REMARK(REMARK_NODES_UNSTATED, remark_name(target.name),
		    remark_name(shapes));
	} else if (request->model != FORECAST_DOUBLING &&
	    predict_by_transfer(set, f, &target)) {
		r.code = REMARK_NONE;
	} else if (request->model == FORECAST_TRANSFER) {
		r = REMARK(REMARK_NO_OTHER_BATCH, remark_name(target.name));
	} else if ((r.code == REMARK_ONE_NODE_COUNT ||
		       (row.lifted && row.n == 1)) &&
	    predict_by_link(set, f, &target)) {
		r.code = REMARK_NONE;
	} else if (r.code == REMARK_NONE) {
		c = doubling_case(set, f, &target, &row, row.lifted);
		add_case(set, f, &c);
	} else if (r.code == REMARK_NO_SUCH_ROW && request->force) {
		r = predict_wider(set, f, &target);
	} else if (r.code == REMARK_ONE_NODE_COUNT) {
		r = why_one_count(set, f, &target, r);
	}
	if (r.code != REMARK_NONE)
		f->refused[f->n_refused++] =
		    (struct forecast_refused){ target, r };
}

static int
compare_cases(const void *pa, const void *pb)
{
	const struct scaling_shape *a =
	    &((const struct forecast_case *)pa)->shape;
	const struct scaling_shape *b =
	    &((const struct forecast_case *)pb)->shape;

	return case_shape_order(
	    &(struct result_case){ .gpus = a->gpus, .nodes = a->nodes },
	    &(struct result_case){ .gpus = b->gpus, .nodes = b->nodes });
}

/* Predict the given targets, else the next two doublings of each row with
 * several counts, or of the last row if none has. */
static void
predict_all(struct forecast_set *set, struct forecast *f)
{
	const struct forecast_request *request = set->request;
	const size_t most = f->s.n + 2 * f->n_rows + request->n_targets;
	int any = 0;

	if (f->s.n == 0)
		return;
	f->cases = arena_calloc(&set->arena, most, sizeof *f->cases);
	f->refused = arena_calloc(&set->arena, most, sizeof *f->refused);
	for (size_t i = 0; i < f->n_rows; i++) {
		set_row(set, f, &f->rows[i]);
		any |= f->rows[i].n > 1;
	}
	growth_pool(NULL, 0, f->column.prior);
	for (size_t i = 0; i < f->s.n; i++) {
		const struct forecast_case c =
		    measured_case(set, f, &f->s.cases[i]);

		add_case(set, f, &c);
	}
	for (size_t i = 0; i < request->n_targets; i++)
		predict_target(set, f, request->targets[i]);
	for (size_t i = 0; request->n_targets == 0 && i < f->n_rows; i++) {
		const struct forecast_row *row = &f->rows[i];
		const long m = (long)row->points[row->n - 1].m;
		const int is_row = row->axis == DOUBLING_ROW;

		if (any ? row->n < 2 : i + 1 < f->n_rows)
			continue;
		for (long factor = 2; factor <= 4; factor *= 2)
			predict_target(set, f,
			    scaling_shape_make(
				is_row ? m * factor : RESULT_UNKNOWN,
				is_row ? row->gpus_per_node : m * factor,
				&set->arena));
	}
	qsort(f->cases, f->n_cases, sizeof *f->cases, compare_cases);
}

/* Make the rows of a series from its cases. */
static void
make_rows(struct forecast *f, struct arena *a)
{
	const enum doubling_axis axis =
	    f->s.flat ? DOUBLING_COLUMN : DOUBLING_ROW;

	f->rows = arena_calloc(a, f->s.n, sizeof *f->rows);
	f->column = make_row(&f->s, DOUBLING_COLUMN, 0, NULL, a);
	for (size_t i = 0; i < f->s.n; i++) {
		const long of = f->s.flat ? RESULT_UNKNOWN
					  : f->s.cases[i].shape.gpus_per_node;
		struct forecast_row *r = &f->rows[f->n_rows];

		if (find_row(f, of) != NULL)
			continue;
		f->n_rows++;
		*r = make_row(&f->s, axis, of, NULL, a);
		r->refusal = check_row(r, f->s.flat, NULL, 0);
		r->teaches = axis == DOUBLING_ROW && r->n >= 3 &&
		    r->refusal.code == REMARK_NONE;
		if (r->teaches)
			growth_evidence(r->points, r->n, r->evidence);
	}
	qsort(f->rows, f->n_rows, sizeof *f->rows, compare_rows);
}

int
forecast_make(struct series_set *set, const struct forecast_request *request,
    struct forecast_set *out, struct error *e)
{
	assert(request->n_levels > 0);
	*out = (struct forecast_set){ .request = request };
	out->items = arena_calloc(&out->arena, set->n, sizeof *out->items);
	for (; out->n < set->n; out->n++) {
		struct forecast *f = &out->items[out->n];

		if (scaling_series_init(&f->s, &set->items[out->n],
			request->baseline, &out->arena, e) != 0)
			return -1;
		make_rows(f, &out->arena);
	}
	for (size_t i = 0; i < out->n; i++) {
		set_gradient_bytes(out, &out->items[i]);
		predict_all(out, &out->items[i]);
	}
	return 0;
}
