/* A case over a network of which only the cost is known, from a case of one
 * node.  forecast.c calls it where a series has one node count. */
#include <config.h>

#include "predict/forecast/forecast_parts.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "predict/forecast/diagnosis.h"
#include "predict/models/step_law.h"
#include "predict/models/constants.h"

static const struct prediction_constants *const k = &prediction_constants;

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

/* Over a network that only its cost is known of, from a case of one node.  The
 * range is that of the overlap, none to all. */
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
	c.t = step.step_s * scale;
	for (size_t i = 0; i < job->request->n_levels; i++) {
		c.t_low[i] = step.low_s * scale;
		c.t_high[i] = step.high_s * scale;
	}
	c.standard_low = step.low_s * scale;
	c.standard_high = step.high_s * scale;
	if (c.standard_high / c.standard_low > k->wide)
		c.warnings |= 1U << WARNING_WIDE;
	c.warnings |= forecast_spread_warning(one);
	forecast_add_case(job, f, &c);
	return 1;
}
