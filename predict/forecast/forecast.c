/* Forecasts of a set of series: rows and their siblings first, then each target
 * by the first applicable model. */
#include <config.h>

#include "predict/forecast/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/text.h"

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

struct forecast_row *
forecast_row_find(struct forecast *f, long gpus_per_node)
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

void
forecast_case_set_times(const struct forecast_job *job, const struct mixture *x,
    double scale, struct forecast_case *c)
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

void
forecast_case_set_range(const struct forecast_job *job, double t, double low,
    double high, struct forecast_case *c)
{
	c->t = t;
	c->standard_low = low;
	c->standard_high = high;
	for (size_t i = 0; i < job->request->n_levels; i++) {
		c->t_low[i] = low;
		c->t_high[i] = high;
	}
}

struct forecast_case
forecast_case_init(const struct scaling_target *shape, enum forecast_how how)
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

void
forecast_add_case(
    const struct forecast_job *job, struct forecast *f, struct forecast_case *c)
{
	set_laws(job, &f->s, c);
	warn_wide(c);
	f->cases =
	    vec_grow(f->cases, f->n_cases, &f->alloc_cases, sizeof *f->cases);
	f->cases[f->n_cases++] = *c;
}

unsigned
forecast_spread_warning(const struct scaling_case *c)
{
	return c->cv > K_SPREAD ? 1U << WARNING_SPREAD : 0;
}

struct forecast_case
forecast_measured(const struct forecast_job *job, const struct scaling_case *m)
{
	struct scaling_target shape = { "", m->nodes, m->gpus_per_node,
		m->gpus };
	struct forecast_case c;

	snprintf(shape.name, sizeof shape.name, "%s", m->name);
	c = forecast_case_init(&shape, FORECAST_MEASURED);
	c.measured = m;
	forecast_case_set_range(job, m->t, m->t, m->t, &c);
	c.warnings = forecast_spread_warning(m);
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
		if (forecast_row_find(f, f->s.cases[i].gpus_per_node) == NULL)
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
		    forecast_row_find(other, r->row.gpus_per_node);

		if (row != NULL && row->teaches && are_siblings(f, other) &&
		    r->row.axis == DOUBLING_ROW)
			evidence[r->pooled++] = row->evidence;
	}
	growth_pool(evidence, r->pooled, r->prior);
	free(evidence);
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
	const struct forecast_row *own =
	    forecast_row_find(f, target->gpus_per_node);
	int more = 0;

	if (own == NULL || own->row.n != 1)
		return 0;
	for (size_t i = 0; i < job->set->n; i++) {
		struct forecast *other = &job->set->items[i];
		const struct forecast_row *row =
		    forecast_row_find(other, target->gpus_per_node);

		if (row == NULL || !forecast_differs_in_batch(f, other))
			continue;
		if (row->row.n > 1)
			return 0;
		more |= row->row.points[0].m != own->row.points[0].m;
	}
	return more;
}

/* Refuse a target, with a better message if batch sizes are the cause; with
 * --force, predict wider nodes. */
static void
refuse_or_force(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, struct refusal r)
{
	if (r.code == REFUSAL_ONE_NODE_COUNT &&
	    is_split_by_batch(job, f, target))
		r = (struct refusal){ REFUSAL_BATCH,
			"cases with different batch sizes in one series" };
	if (r.code == REFUSAL_GPUS_PER_NODE && job->request->force)
		r = forecast_wider(job, f, target);
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
	int lifted;

	scaling_row_for(&row, &f->s, target);
	r = refusal_check(
	    &f->s, &row, target, request->force, &lifted, &job->set->arena);
	if (r.code == REFUSAL_MEASURED || r.code == REFUSAL_METRIC ||
	    r.code == REFUSAL_NODES)
		add_refused(f, target, r);
	else if (request->model != FORECAST_DOUBLING &&
	    forecast_by_transfer(job, f, target))
		;
	else if (request->model == FORECAST_TRANSFER)
		add_refused(f, target,
		    (struct refusal){ REFUSAL_TRANSFER,
			arena_printf(&job->set->arena,
			    "no other batch size of this configuration has %s "
			    "measured, and a case in common",
			    target->name) });
	else if ((r.code == REFUSAL_ONE_NODE_COUNT || (lifted && row.n == 1)) &&
	    forecast_by_link(job, f, target))
		;
	else if (r.code == REFUSAL_NONE)
		forecast_by_doubling(job, f, target, &row, lifted);
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
		struct forecast_case c = forecast_measured(job, &f->s.cases[i]);

		forecast_add_case(job, f, &c);
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

	if (f->s.n == 0)
		return;
	for (size_t i = 0; i < f->n_rows; i++) {
		set_prior(job, f, &f->rows[i]);
		forecast_set_backtest(job, f, &f->rows[i]);
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
