/* What is predicted of each series: rows and their siblings first, then each
 * target by the model that can.  main.c makes one forecast of all series;
 * answers and shows read it.  It knows no format of output. */
#include <config.h>

#include "predict/forecast/forecast_set.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/text.h"
#include "predict/forecast/forecast_parts.h"

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

/* Would the cases be enough if those of other batch sizes were theirs?  Only
 * where none of these series is enough by itself: they were meant as one. */
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
	struct forecast_row *kept;
	int lifted;

	scaling_row_for(&row, &f->s, target);
	kept = row.axis == DOUBLING_ROW || f->s.flat
	    ? forecast_row_find(f,
		  row.axis == DOUBLING_ROW ? row.gpus_per_node : RESULT_UNKNOWN)
	    : NULL;
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
		forecast_by_doubling(
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
		struct forecast_case c = forecast_measured(job, &f->s.cases[i]);

		forecast_add_case(job, f, &c);
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
