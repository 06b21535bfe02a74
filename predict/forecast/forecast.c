/* Forecasts of a set of series: rows and their siblings first, then each target
 * by the first applicable model: the doubling model, another batch size, or the
 * cost of the network. */
#include <config.h>

#include "predict/forecast/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "predict/forecast/diagnosis.h"

const char *const forecast_warning_words[N_FORECAST_WARNINGS] = { "two-counts",
	"saturated", "far", "wide", "spread", "backtest", "assumed" };
const char *const forecast_warning_texts[N_FORECAST_WARNINGS] = {
	[WARNING_TWO_COUNTS] =
	    "the row has two counts, so the growth of the network's cost is "
	    "not from its data; a third count would narrow the interval",
	[WARNING_SATURATED] =
	    "speed grew by less than 1.35 a doubling between the two largest "
	    "counts: something shared may be full",
	[WARNING_FAR] = "more than one doubling beyond the measured counts",
	[WARNING_WIDE] =
	    "the 80 % interval spans more than a factor of 1.5: too wide to "
	    "plan by",
	[WARNING_SPREAD] = "runs of a case spread by more than 10 %",
	[WARNING_BACKTEST] =
	    "the largest measured case lies outside of the interval that the "
	    "others predict for it: this series does not follow the model",
	[WARNING_ASSUMED] = "how gradients are cut into buckets was assumed",
};

/* Arguments common to the functions below. */
struct forecast_job {
	struct forecast_set *set;
	const struct forecast_request *request;
};

/* The row of nodes with so many GPUs, or NULL. */
static struct forecast_row *
find_row(struct forecast *f, long gpus_per_node)
{
	for (size_t i = 0; i < f->n_rows; i++)
		if (f->rows[i].row.gpus_per_node == gpus_per_node)
			return &f->rows[i];
	return NULL;
}

void
forecast_release(struct forecast_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct forecast *f = &set->items[i];

		for (size_t k = 0; k < f->n_rows; k++)
			scaling_row_release(&f->rows[k].row);
		free(f->rows);
		free(f->cases);
		free(f->refused);
		scaling_series_release(&f->s);
	}
	free(set->items);
	arena_release(&set->arena);
	*set = (struct forecast_set){ 0 };
}

size_t
forecast_n_predicted(const struct forecast_set *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		for (size_t j = 0; j < f->items[i].n_cases; j++)
			n += f->items[i].cases[j].how != FORECAST_MEASURED;
	return n;
}

const struct forecast_row *
forecast_main_row(const struct forecast *f)
{
	for (size_t i = f->n_rows; i-- > 0;)
		if (f->rows[i].refusal.code == REFUSAL_NONE &&
		    f->s.not_predicted == NULL)
			return &f->rows[i];
	return NULL;
}

const struct forecast_backtest *
forecast_best_backtest(const struct forecast *f)
{
	static const struct forecast_backtest none = { NULL, NAN, NAN, 0 };
	const struct forecast_backtest *best = &none;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct forecast_backtest *b = &f->rows[i].backtest;

		if (b->of != NULL &&
		    (best->of == NULL || b->of->gpus >= best->of->gpus))
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

static void
warn_wide(struct forecast_case *c)
{
	if (c->standard_high / c->standard_low > K_WIDE)
		c->warnings |= 1U << WARNING_WIDE;
}

static double
time_at(const struct mixture *x, double p, double scale)
{
	return exp(mixture_quantile(x, p)) * scale;
}

/* Set the median and the intervals of all requested levels.
 *
 * x      of ln t
 * scale  factor from times to device times */
static void
set_times(const struct forecast_job *job, const struct mixture *x, double scale,
    struct forecast_case *c)
{
	const struct forecast_request *request = job->request;

	c->t = time_at(x, 0.5, scale);
	for (size_t i = 0; i < request->n_levels; i++) {
		c->t_low[i] = time_at(x, (1 - request->levels[i]) / 2, scale);
		c->t_high[i] = time_at(x, (1 + request->levels[i]) / 2, scale);
	}
	c->standard_low = time_at(x, (1 - K_STANDARD_LEVEL) / 2, scale);
	c->standard_high = time_at(x, (1 + K_STANDARD_LEVEL) / 2, scale);
	warn_wide(c);
}

/* Set the median, and one interval for all levels. */
static void
set_range(const struct forecast_job *job, double t, double low, double high,
    struct forecast_case *c)
{
	c->t = t;
	c->standard_low = low;
	c->standard_high = high;
	for (size_t i = 0; i < job->request->n_levels; i++) {
		c->t_low[i] = low;
		c->t_high[i] = high;
	}
}

/* A case at a shape whose numbers are all NAN. */
static struct forecast_case
init_case(const struct scaling_target *shape, enum forecast_how how)
{
	struct forecast_case c = { .shape = *shape,
		.how = how,
		.standard_low = NAN,
		.standard_high = NAN,
		.doublings = NAN,
		.growth = NAN,
		.sibling_batch = NAN };

	for (int i = 0; i < N_SCALING_LAWS; i++)
		c.laws[i] = NAN;
	return c;
}

static void
set_laws(const struct forecast_job *job, const struct scaling_series *s,
    struct forecast_case *c)
{
	const double target = (double)c->shape.gpus;
	double *gpus, *speed;

	if (!job->request->compare || c->measured != NULL)
		return;
	gpus = xcalloc(2 * s->n, sizeof *gpus);
	speed = gpus + s->n;
	for (size_t i = 0; i < s->n; i++) {
		gpus[i] = (double)s->cases[i].gpus;
		speed[i] = gpus[i] / s->cases[i].t;
	}
	for (int i = 0; i < N_SCALING_LAWS; i++)
		c->laws[i] = scaling_speed(s,
		    target / law_predict(i, gpus, speed, s->n, target), target);
	free(gpus);
}

/* Add a case with the other laws and the warning about a wide interval. */
static void
add_case(
    const struct forecast_job *job, struct forecast *f, struct forecast_case c)
{
	set_laws(job, &f->s, &c);
	warn_wide(&c);
	f->cases =
	    vec_grow(f->cases, f->n_cases, &f->alloc_cases, sizeof *f->cases);
	f->cases[f->n_cases++] = c;
}

static unsigned
spread_warning(const struct scaling_case *c)
{
	return c->cv > K_SPREAD ? 1U << WARNING_SPREAD : 0;
}

/* A measured case, whose interval has no width. */
static struct forecast_case
measured_case(const struct forecast_job *job, const struct scaling_case *m)
{
	struct scaling_target shape = { "", m->nodes, m->gpus_per_node,
		m->gpus };
	struct forecast_case c;

	snprintf(shape.name, sizeof shape.name, "%s", m->name);
	c = init_case(&shape, FORECAST_MEASURED);
	c.measured = m;
	set_range(job, m->t, m->t, m->t, &c);
	c.warnings = spread_warning(m);
	return c;
}

/* --- rows and siblings ---------------------------------------------------- */

static void
add_row(struct forecast *f, enum doubling_axis axis, long gpus_per_node,
    struct arena *a)
{
	struct forecast_row *r;

	f->rows = vec_grow(f->rows, f->n_rows, &f->alloc_rows, sizeof *r);
	r = &f->rows[f->n_rows++];
	*r = (struct forecast_row){ .backtest = { .predicted = NAN } };
	scaling_row_init(&r->row, &f->s, axis, gpus_per_node, NULL);
	r->refusal = refusal_of_row(&r->row, a);
	r->teaches = axis == DOUBLING_ROW && r->row.n >= 3 &&
	    r->refusal.code == REFUSAL_NONE;
	if (r->teaches)
		growth_evidence(r->row.points, r->row.n,
		    doubling_straggler(axis), r->evidence);
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct forecast_row *a = pa, *b = pb;

	return (a->row.gpus_per_node > b->row.gpus_per_node) -
	    (a->row.gpus_per_node < b->row.gpus_per_node);
}

static void
add_rows(struct forecast *f, struct arena *a)
{
	if (f->s.flat && f->s.n > 0)
		add_row(f, DOUBLING_COLUMN, RESULT_UNKNOWN, a);
	for (size_t i = 0; i < f->s.n && !f->s.flat; i++)
		if (find_row(f, f->s.cases[i].gpus_per_node) == NULL)
			add_row(
			    f, DOUBLING_ROW, f->s.cases[i].gpus_per_node, a);
	if (f->n_rows > 0)
		qsort(f->rows, f->n_rows, sizeof *f->rows, compare_rows);
}

/* Series of one file with the same framework and device are siblings. */
static int
are_siblings(const struct forecast *a, const struct forecast *b)
{
	return a != b && a->s.n > 0 && b->s.n > 0 &&
	    a->s.not_predicted == NULL && b->s.not_predicted == NULL &&
	    a->s.cases[0].point->source == b->s.cases[0].point->source &&
	    text_same(a->s.device, b->s.device) &&
	    text_same(a->s.series->values[SERIES_FRAMEWORK],
		b->s.series->values[SERIES_FRAMEWORK]);
}

static void
set_prior(
    const struct forecast_job *job, struct forecast *f, struct forecast_row *r)
{
	const double **evidence = xcalloc(job->set->n, sizeof *evidence);

	for (size_t i = 0; i < job->set->n && job->request->pool; i++) {
		struct forecast *other = &job->set->items[i];
		const struct forecast_row *row =
		    find_row(other, r->row.gpus_per_node);

		if (row != NULL && row->teaches && are_siblings(f, other) &&
		    r->row.axis == DOUBLING_ROW)
			evidence[r->pooled++] = row->evidence;
	}
	growth_pool(evidence, r->pooled, r->prior);
	free(evidence);
}

/* --- by the doubling model ------------------------------------------------ */

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
		warnings |= spread_warning(row->cases[i]);
	return warnings;
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
	/* The row that contains the cases; NULL for the column of a series with
	 * rows. */
	const struct forecast_row *whole =
	    row->axis != DOUBLING_ROW && !f->s.flat
	    ? NULL
	    : find_row(f,
		  row->axis == DOUBLING_ROW ? row->gpus_per_node
					    : RESULT_UNKNOWN);
	struct forecast_case c = init_case(target, FORECAST_BY_DOUBLING);
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
	set_times(job, &x, 1, &c);
	if (whole != NULL && !forced && whole->backtest.of != NULL &&
	    !whole->backtest.inside)
		c.warnings |= 1U << WARNING_BACKTEST;
	return c;
}

/* Predict the largest case of a row from the others. A row of less than three
 * counts has no back-test. */
static void
set_backtest(
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
		*c = measured_case(job,
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

/* Add a case with more GPUs per node than any row: the column's step time plus
 * the network loss of the largest row. The ends of both intervals are combined,
 * so the interval is conservative. Returns the refusal if it is not added. */
static struct refusal
predict_wider(const struct forecast_job *job, struct forecast *f,
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
	add_case(job, f, c);
	return refusal;
}

/* --- transfer from another batch size ------------------------------------ */

static int
differs_in_batch(const struct forecast *a, const struct forecast *b)
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

/* Add the case from the nearest other batch size. Returns 0 if no series allows
 * it. */
static int
predict_by_transfer(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	struct forecast_case c = init_case(target, FORECAST_BY_TRANSFER);
	const struct scaling_case *anchor = NULL, *a;
	struct transfer best, t;
	struct mixture x;
	double own, nearest = INFINITY;

	if (f->s.flat || target->nodes == RESULT_UNKNOWN)
		return 0;
	for (size_t i = 0; i < job->set->n; i++) {
		const struct forecast *other = &job->set->items[i];

		if (!differs_in_batch(f, other) ||
		    !transfer_from(&f->s, other, target, &t, &a))
			continue;
		/* The larger batch at the same distance. */
		own = fabs(log(other->s.batch / f->s.batch));
		if (anchor != NULL &&
		    (own > nearest ||
			(own == nearest && other->s.batch <= c.sibling_batch)))
			continue;
		nearest = own;
		anchor = a;
		best = t;
		c.sibling_batch = other->s.batch;
	}
	if (anchor == NULL)
		return 0;
	transfer_predict(&best, &x);
	c.anchor = anchor->name;
	c.warnings = spread_warning(anchor);
	set_times(job, &x, f->s.kind == SPEED_RATE ? 1 / f->s.batch : 1, &c);
	add_case(job, f, c);
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

/* Add the case from that of one node and the request's network. The range
 * covers an overlap of none to all. Returns 0 if either is unknown. */
static int
predict_by_link(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct network_model *network = job->request->network;
	struct forecast_case c = init_case(target, FORECAST_BY_LINK);
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
	set_range(job, step.step_s * scale, step.low_s * scale,
	    step.high_s * scale, &c);
	c.warnings |= spread_warning(one);
	add_case(job, f, c);
	return 1;
}
/* --- targets ------------------------------------------------------------- */

static void
add_refused(struct forecast *f, const struct scaling_target *target,
    struct refusal refusal)
{
	f->refused = vec_grow(
	    f->refused, f->n_refused, &f->alloc_refused, sizeof *f->refused);
	f->refused[f->n_refused++] =
	    (struct forecast_refused){ *target, refusal };
}

/* True if cases with other batch sizes would complete the row, and none of
 * their series is sufficient by itself: they were meant as one series. */
static int
is_split_by_batch(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct forecast_row *own = find_row(f, target->gpus_per_node);
	int more = 0;

	if (own == NULL || own->row.n != 1)
		return 0;
	for (size_t i = 0; i < job->set->n; i++) {
		struct forecast *other = &job->set->items[i];
		const struct forecast_row *row =
		    find_row(other, target->gpus_per_node);

		if (row == NULL || !differs_in_batch(f, other))
			continue;
		if (row->row.n > 1)
			return 0;
		more |= row->row.points[0].m != own->row.points[0].m;
	}
	return more;
}

static void
predict_target(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct forecast_request *request = job->request;
	struct scaling_row row;
	struct refusal r;
	int lifted;

	scaling_row_for(&row, &f->s, target);
	r = refusal_check(
	    &f->s, &row, target, request->force, &lifted, &job->set->arena);
	if (r.code == REFUSAL_MEASURED || r.code == REFUSAL_METRIC ||
	    r.code == REFUSAL_NODES)
		; /* refused in any case */
	else if (request->model != FORECAST_DOUBLING &&
	    predict_by_transfer(job, f, target))
		r.code = REFUSAL_NONE;
	else if (request->model == FORECAST_TRANSFER)
		r = (struct refusal){ REFUSAL_TRANSFER,
			arena_printf(&job->set->arena,
			    "no other batch size of this configuration has %s "
			    "measured, and a case in common",
			    target->name) };
	else if ((r.code == REFUSAL_ONE_NODE_COUNT || (lifted && row.n == 1)) &&
	    predict_by_link(job, f, target))
		r.code = REFUSAL_NONE;
	else if (r.code == REFUSAL_NONE)
		add_case(job, f, doubling_case(job, f, target, &row, lifted));
	else if (r.code == REFUSAL_GPUS_PER_NODE && request->force)
		r = predict_wider(job, f, target);
	else if (r.code == REFUSAL_ONE_NODE_COUNT &&
	    is_split_by_batch(job, f, target))
		r = (struct refusal){ REFUSAL_BATCH,
			"cases with different batch sizes in one series" };
	if (r.code != REFUSAL_NONE)
		add_refused(f, target, r);
	scaling_row_release(&row);
}

/* The next two doublings of a row. */
static void
predict_next(const struct forecast_job *job, struct forecast *f,
    const struct forecast_row *r)
{
	const long m = (long)r->row.points[r->row.n - 1].m;

	for (long factor = 2; factor <= 4; factor *= 2) {
		struct scaling_target target;

		if (r->row.axis == DOUBLING_ROW)
			scaling_target_set(
			    &target, m * factor, r->row.gpus_per_node);
		else
			scaling_target_set(&target, RESULT_UNKNOWN, m * factor);
		predict_target(job, f, &target);
	}
}

/* Order of counts, with unknown ones last. */
static int
compare_counts(long a, long b)
{
	if (a == b)
		return 0;
	if (a == RESULT_UNKNOWN || b == RESULT_UNKNOWN)
		return a == RESULT_UNKNOWN ? 1 : -1;
	return a < b ? -1 : 1;
}

static int
compare_cases(const void *pa, const void *pb)
{
	const struct forecast_case *a = pa, *b = pb;
	const int order = compare_counts(a->shape.gpus, b->shape.gpus);

	return order != 0 ? order
			  : compare_counts(a->shape.nodes, b->shape.nodes);
}

static void
predict_all(const struct forecast_job *job, struct forecast *f)
{
	const struct forecast_request *request = job->request;
	int any = 0;

	if (f->s.n == 0)
		return;
	for (size_t i = 0; i < f->n_rows; i++) {
		set_prior(job, f, &f->rows[i]);
		set_backtest(job, f, &f->rows[i]);
	}
	for (size_t i = 0; i < f->s.n; i++)
		add_case(job, f, measured_case(job, &f->s.cases[i]));
	for (size_t i = 0; i < request->n_targets; i++)
		predict_target(job, f, &request->targets[i]);
	for (size_t i = 0; i < f->n_rows; i++)
		any |= f->rows[i].row.n > 1;
	for (size_t i = 0; request->n_targets == 0 && i < f->n_rows; i++)
		if (any ? f->rows[i].row.n > 1 : i + 1 == f->n_rows)
			predict_next(job, f, &f->rows[i]);
	qsort(f->cases, f->n_cases, sizeof *f->cases, compare_cases);
}

int
forecast_make(struct series_set *set, const struct forecast_request *request,
    struct forecast_set *out, struct error *e)
{
	const struct forecast_job job = { out, request };

	assert(request->n_levels > 0);
	*out = (struct forecast_set){ .items =
					  xcalloc(set->n, sizeof *out->items) };
	for (size_t i = 0; i < set->n; i++) {
		if (scaling_series_init(&out->items[i].s, &set->items[i],
			request->baseline, e) != 0) {
			forecast_release(out);
			return -1;
		}
		out->n++;
		add_rows(&out->items[i], &out->arena);
	}
	for (size_t i = 0; i < out->n; i++)
		predict_all(&job, &out->items[i]);
	return 0;
}
