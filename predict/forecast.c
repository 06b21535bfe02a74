/* What is predicted of each series: rows and their siblings first, then each
 * target by the model that can.  main.c makes one forecast of all series;
 * answers and shows read it.  It knows no format of output. */
#include <config.h>

#include "predict/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text_order.h"
#include "predict/bucket_step.h"
#include "predict/diagnosis.h"
#include "predict/step_law.h"
#include "predict/transfer.h"

static const struct prediction_constants *const k = &prediction_constants;

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

/* What one call works with. */
struct forecast_job {
	struct forecast_set *set;
	const struct series_set *series;
	const struct forecast_request *request;
};

/* --- rows and siblings ---------------------------------------------------- */

static struct forecast_row *
find_row(struct forecast *f, long gpus_per_node)
{
	for (size_t i = 0; i < f->n_rows; i++)
		if (f->rows[i].row.gpus_per_node == gpus_per_node)
			return &f->rows[i];
	return NULL;
}

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

/* Series of one input that agree in framework and device share habits. */
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

/* --- distributions -------------------------------------------------------- */

/* Quantiles of ln t to device times at all levels that are asked for. */
static void
set_times(const struct forecast_job *job, const struct mixture *x, double scale,
    struct forecast_case *c)
{
	const struct forecast_request *request = job->request;

	c->t = exp(mixture_quantile(x, 0.5)) * scale;
	for (size_t i = 0; i < request->n_levels; i++) {
		const double level = request->levels[i];

		c->t_low[i] = exp(mixture_quantile(x, (1 - level) / 2)) * scale;
		c->t_high[i] =
		    exp(mixture_quantile(x, (1 + level) / 2)) * scale;
		if (level == k->standard_level) {
			c->standard_low = c->t_low[i];
			c->standard_high = c->t_high[i];
		}
	}
	if (isnan(c->standard_low)) {
		c->standard_low =
		    exp(mixture_quantile(x, (1 - k->standard_level) / 2)) *
		    scale;
		c->standard_high =
		    exp(mixture_quantile(x, (1 + k->standard_level) / 2)) *
		    scale;
	}
	if (c->standard_high / c->standard_low > k->wide)
		c->warnings |= 1U << WARNING_WIDE;
}

static struct forecast_case
case_init(const struct scaling_target *shape, enum forecast_how how)
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
	double *gpus, *speed;

	if (!job->request->compare || c->measured != NULL)
		return;
	gpus = xcalloc(s->n, sizeof *gpus);
	speed = xcalloc(s->n, sizeof *speed);
	for (size_t i = 0; i < s->n; i++) {
		gpus[i] = (double)s->cases[i].gpus;
		speed[i] = gpus[i] / s->cases[i].t;
	}
	for (int i = 0; i < N_SCALING_LAWS; i++) {
		double x =
		    law_predict(i, gpus, speed, s->n, (double)c->shape.gpus);

		c->laws[i] = scaling_speed(
		    s, (double)c->shape.gpus / x, (double)c->shape.gpus);
	}
	free(gpus);
	free(speed);
}

static void
add_case(
    const struct forecast_job *job, struct forecast *f, struct forecast_case *c)
{
	set_laws(job, &f->s, c);
	f->cases =
	    vec_grow(f->cases, f->n_cases, &f->alloc_cases, sizeof *f->cases);
	f->cases[f->n_cases++] = *c;
}

static void
add_refused(struct forecast *f, const struct scaling_target *target,
    struct refusal refusal)
{
	f->refused = vec_grow(
	    f->refused, f->n_refused, &f->alloc_refused, sizeof *f->refused);
	f->refused[f->n_refused++] =
	    (struct forecast_refused){ *target, refusal };
}

/* --- doubling ------------------------------------------------------------- */

static unsigned
spread_warning(const struct scaling_case *c)
{
	return c->cv > k->spread ? 1U << WARNING_SPREAD : 0;
}

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
 * kept  the row of the series that row is, whole; NULL: a column, or forced */
static struct forecast_case
doubling_case(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    struct forecast_row *kept)
{
	const double m = scaling_row_count(row, target);
	struct forecast_case c = case_init(target, FORECAST_BY_DOUBLING);
	struct doubling own, *d = kept != NULL ? &kept->doubling : &own;
	double prior[GROWTH_RHOS];
	struct forecast_row *pool =
	    row->axis == DOUBLING_ROW ? find_row(f, row->gpus_per_node) : NULL;
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
	set_times(job, &x, 1, &c);
	if (kept != NULL && kept->backtest.of != NULL && !kept->backtest.inside)
		c.warnings |= 1U << WARNING_BACKTEST;
	mixture_release(&x);
	if (kept == NULL)
		doubling_release(d);
	return c;
}

/* As doubling_case, and added. */
static void
predict_doubling(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    struct forecast_row *kept, int forced)
{
	struct forecast_case c = doubling_case(job, f, target, row, kept);

	c.forced = forced;
	add_case(job, f, &c);
}

/* The largest case of a row from the others. */
static void
set_backtest(
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

/* --- transfer ------------------------------------------------------------- */

/* The same configuration at another batch size? */
static int
differ_in_batch(const struct forecast *a, const struct forecast *b)
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

static int
predict_transfer(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	struct forecast_case c = case_init(target, FORECAST_BY_TRANSFER);
	const struct scaling_case *anchor = NULL, *a;
	struct transfer best, t;
	struct mixture x;

	if (f->s.flat || target->nodes == RESULT_UNKNOWN)
		return 0;
	for (size_t i = 0; i < job->set->n; i++) {
		const struct forecast *other = &job->set->items[i];

		if (!differ_in_batch(f, other) ||
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
	c.warnings = spread_warning(anchor);
	set_times(job, &x, f->s.kind == SPEED_RATE ? 1 / f->s.batch : 1, &c);
	add_case(job, f, &c);
	mixture_release(&x);
	return 1;
}

/* --- link ----------------------------------------------------------------- */

/* Seconds of an allreduce by the benchmark's curve. */
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

/* The buckets of a run of the series, if one states them all; free with free().
 * NULL: none does. */
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

/* The step by its buckets over a measured curve: each waits for the one
 * before.  Sets *assumed to whether no bucket was measured. */
static double
pipeline_step(const struct network_model *network,
    const struct scaling_series *s, const struct scaling_case *one,
    const struct scaling_target *target, int *assumed)
{
	const struct link_cost cost = { network,
		{ network->algorithm, target->nodes, target->gpus_per_node } };
	const struct diagnosis_facts facts = diagnosis_facts_of(s, one);
	const struct bucket_step step = { one->step_s, 0,
		isnan(facts.sigma) ? 0 : facts.sigma * one->step_s,
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

/* Over a network that only its cost is known of, from a case of one node.  The
 * range is that of the overlap, none to all. */
static int
predict_link(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct network_model *network = job->request->network;
	struct forecast_case c = case_init(target, FORECAST_BY_LINK);
	const struct scaling_case *one;
	struct step_range step;
	double scale, communication;

	if (network == NULL || f->s.flat || target->nodes < 2)
		return 0;
	one = scaling_series_find(
	    &f->s, 1, target->gpus_per_node, target->gpus_per_node);
	communication = network_communication(
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
	c.t = step.step_s * scale;
	for (size_t i = 0; i < job->request->n_levels; i++) {
		c.t_low[i] = step.low_s * scale;
		c.t_high[i] = step.high_s * scale;
	}
	c.standard_low = step.low_s * scale;
	c.standard_high = step.high_s * scale;
	if (c.standard_high / c.standard_low > k->wide)
		c.warnings |= 1U << WARNING_WIDE;
	c.warnings |= spread_warning(one);
	add_case(job, f, &c);
	return 1;
}

/* --- more GPUs a node ----------------------------------------------------- */

/* A case as measured; with 0 as its spread. */
static struct forecast_case
measured_case(const struct forecast_job *job, const struct scaling_case *m)
{
	struct scaling_target shape = { "", m->nodes, m->gpus_per_node,
		m->gpus };
	struct forecast_case c;

	snprintf(shape.name, sizeof shape.name, "%s", m->name);
	c = case_init(&shape, FORECAST_MEASURED);
	c.measured = m;
	c.t = m->t;
	c.standard_low = c.standard_high = m->t;
	for (size_t j = 0; j < job->request->n_levels; j++)
		c.t_low[j] = c.t_high[j] = m->t;
	c.warnings = spread_warning(m);
	return c;
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
		*c = measured_case(job,
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
	c = case_init(target, FORECAST_BY_DOUBLING);
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
	add_case(job, f, &c);
	return refusal;
}

/* --- targets -------------------------------------------------------------- */

/* Would the cases be enough if those of other batch sizes were theirs?  Only
 * where none of these series is enough by itself: they were meant as one. */
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

		if (row == NULL || !differ_in_batch(f, other))
			continue;
		if (row->row.n > 1)
			return 0;
		more |= row->row.points[0].m != own->row.points[0].m;
	}
	return more;
}

/* A refusal by the rules, in better words where its cause is the batch; of a
 * wider node --force may make a prediction. */
static void
refuse_or_force(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, struct refusal r)
{
	if (r.code == REFUSAL_ONE_NODE_COUNT &&
	    is_split_by_batch(job, f, target))
		r = (struct refusal){ REFUSAL_BATCH,
			"cases with different batch sizes in one series" };
	if (r.code == REFUSAL_GPUS_PER_NODE && job->request->force)
		r = predict_wider(job, f, target);
	if (r.code != REFUSAL_NONE)
		add_refused(f, target, r);
}

static void
predict_target(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target)
{
	const struct forecast_request *request = job->request;
	struct scaling_row row;
	struct refusal r;
	struct forecast_row *kept;
	int lifted;

	scaling_row_for(&row, &f->s, target);
	kept = row.axis == DOUBLING_ROW || f->s.flat
	    ? find_row(f,
		  row.axis == DOUBLING_ROW ? row.gpus_per_node : RESULT_UNKNOWN)
	    : NULL;
	r = refusal_check(
	    &f->s, &row, target, request->force, &lifted, &job->set->arena);
	if (r.code == REFUSAL_MEASURED || r.code == REFUSAL_METRIC ||
	    r.code == REFUSAL_NODES)
		add_refused(f, target, r);
	else if (request->model != FORECAST_DOUBLING &&
	    predict_transfer(job, f, target))
		;
	else if (request->model == FORECAST_TRANSFER)
		add_refused(f, target,
		    (struct refusal){ REFUSAL_TRANSFER,
			arena_printf(&job->set->arena,
			    "no other batch size of this configuration has %s "
			    "measured, and a case in common",
			    target->name) });
	else if ((r.code == REFUSAL_ONE_NODE_COUNT || (lifted && row.n == 1)) &&
	    predict_link(job, f, target))
		;
	else if (r.code == REFUSAL_NONE)
		predict_doubling(
		    job, f, target, &row, lifted ? NULL : kept, lifted);
	else
		refuse_or_force(job, f, target, r);
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

static void
predict_standard(const struct forecast_job *job, struct forecast *f)
{
	int any = 0;

	for (size_t i = 0; i < f->n_rows; i++)
		any |= f->rows[i].row.n > 1;
	for (size_t i = 0; i < f->n_rows; i++)
		if (any ? f->rows[i].row.n > 1 : i + 1 == f->n_rows)
			predict_next(job, f, &f->rows[i]);
}

static void
add_measured(const struct forecast_job *job, struct forecast *f)
{
	for (size_t i = 0; i < f->s.n; i++) {
		struct forecast_case c = measured_case(job, &f->s.cases[i]);

		add_case(job, f, &c);
	}
}

static int
compare_cases(const void *pa, const void *pb)
{
	const struct forecast_case *a = pa, *b = pb;
	long d = a->shape.gpus - b->shape.gpus;

	if (d == 0)
		d = a->shape.nodes - b->shape.nodes;
	return d < 0 ? -1 : d > 0;
}

static void
predict_all(const struct forecast_job *job, struct forecast *f)
{
	const struct forecast_request *request = job->request;

	if (f->s.n == 0)
		return;
	for (size_t i = 0; i < f->n_rows; i++) {
		set_prior(job, f, &f->rows[i]);
		set_backtest(job, f, &f->rows[i]);
	}
	add_measured(job, f);
	for (size_t i = 0; i < request->n_targets; i++)
		predict_target(job, f, &request->targets[i]);
	if (request->n_targets == 0)
		predict_standard(job, f);
	qsort(f->cases, f->n_cases, sizeof *f->cases, compare_cases);
}

int
forecast_make(struct series_set *set, const struct forecast_request *request,
    struct forecast_set *out, struct error *e)
{
	const struct forecast_job job = { out, set, request };

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

static void
forecast_clear(struct forecast *f)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		doubling_release(&f->rows[i].doubling);
		scaling_row_release(&f->rows[i].row);
	}
	free(f->rows);
	free(f->cases);
	free(f->refused);
	scaling_series_release(&f->s);
}

void
forecast_release(struct forecast_set *f)
{
	for (size_t i = 0; i < f->n; i++)
		forecast_clear(&f->items[i]);
	free(f->items);
	arena_release(&f->arena);
	*f = (struct forecast_set){ 0 };
}

/* --- questions ------------------------------------------------------------ */

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
