/* Parts of a case's loss for --diagnose, and parts of its step for questions
 * about the link, from measured values only. */
#include <config.h>

#include "predict/forecast/diagnosis.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum run_number {
	EXPOSED_SHARE,
	WAIT_SHARE,
	BUSY_SHARE,
	COMPUTE_SIGMA,
	BYTES_PER_STEP
};

/* The median of a number over the runs of a case that have it. */
static double
median_of(const struct result_case *c, enum run_number which)
{
	double *x = xcalloc(c->n_runs, sizeof *x), median;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *r = &c->runs[i];
		const double numbers[] = {
			[EXPOSED_SHARE] =
			    r->phases.exposed_s / r->phases.step_s,
			[WAIT_SHARE] = r->phases.data_s / r->phases.step_s,
			[BUSY_SHARE] = r->phases.busy_s / r->phases.step_s,
			[COMPUTE_SIGMA] = (r->audit.p95 - r->audit.p5) /
			    K_P90_TO_SIGMA / r->audit.p50,
			[BYTES_PER_STEP] = r->phases.bytes_per_step,
		};

		x[i] = numbers[which];
	}
	median = stats_median_known(x, c->n_runs);
	free(x);
	return median;
}

double
diagnosis_sigma(const struct scaling_series *s)
{
	double sigma = NAN;

	for (size_t i = 0; i < s->n; i++)
		if (s->cases[i].gpus == 1)
			sigma = median_of(s->cases[i].point->c, COMPUTE_SIGMA);
	return sigma;
}

const struct diagnosis_part_row diagnosis_parts[N_DIAGNOSIS_PARTS] = {
	[DIAGNOSIS_LOSS] = { "loss", MESSAGE_PART_LOSS },
	[DIAGNOSIS_WITHIN_NODES] = { "within_nodes", MESSAGE_PART_WITHIN },
	[DIAGNOSIS_BETWEEN_NODES] = { "between_nodes", MESSAGE_PART_BETWEEN },
	[DIAGNOSIS_COMMUNICATION] = { "communication",
	    MESSAGE_PART_COMMUNICATION },
	[DIAGNOSIS_INPUT] = { "input", MESSAGE_PART_INPUT },
	[DIAGNOSIS_STRAGGLER] = { "straggler", MESSAGE_PART_STRAGGLER },
	[DIAGNOSIS_OTHER] = { "other", MESSAGE_PART_OTHER },
};

void
diagnosis_make(const struct scaling_series *s, const struct scaling_case *c,
    const struct diagnosis_measured *measured, double parts[N_DIAGNOSIS_PARTS])
{
	const double share = s->baseline->t / c->t;
	const struct scaling_case *one, *node;
	double known = 0;
	int n_known = 0;

	for (int i = 0; i < N_DIAGNOSIS_PARTS; i++)
		parts[i] = NAN;
	parts[DIAGNOSIS_LOSS] = 1 - share;
	parts[DIAGNOSIS_COMMUNICATION] = measured->exposed_share;
	parts[DIAGNOSIS_INPUT] = measured->wait_share;
	if (!s->flat) {
		one = scaling_series_node(s, 1);
		node = scaling_series_node(s, c->gpus_per_node);
		if (one != NULL && node != NULL && node != one)
			parts[DIAGNOSIS_WITHIN_NODES] =
			    (node->t - one->t) / c->t;
		if (node != NULL && c->nodes > 1)
			parts[DIAGNOSIS_BETWEEN_NODES] =
			    (c->t - node->t) / c->t;
	}
	if (!isnan(measured->sigma))
		parts[DIAGNOSIS_STRAGGLER] = fmin(parts[DIAGNOSIS_LOSS],
		    measured->sigma * expected_largest((double)c->gpus) *
			share);
	for (int i = DIAGNOSIS_COMMUNICATION; i < DIAGNOSIS_OTHER; i++)
		if (!isnan(parts[i])) {
			known += parts[i];
			n_known++;
		}
	if (n_known > 0)
		parts[DIAGNOSIS_OTHER] = parts[DIAGNOSIS_LOSS] - known;
}

void
diagnosis_of(const struct scaling_series *s, const struct scaling_case *c,
    double parts[N_DIAGNOSIS_PARTS])
{
	const struct diagnosis_measured measured = { median_of(c->point->c,
							 EXPOSED_SHARE),
		median_of(c->point->c, WAIT_SHARE), diagnosis_sigma(s) };

	diagnosis_make(s, c, &measured, parts);
}

/* --- parts of a step ------------------------------------------------------ */

struct step_communication
step_communication_of(const struct forecast_case *c,
    const struct network_model *network, double bandwidth)
{
	const struct allreduce_layout l = { network->algorithm, c->shape.nodes,
		c->shape.gpus_per_node };
	struct step_communication out = { NAN, NAN };
	double bytes = network->gradient_bytes;

	if (c->measured != NULL) {
		const struct result_case *of = c->measured->point->c;

		out.busy_s = median_of(of, BUSY_SHARE) * c->measured->step_s;
		if (isnan(bytes))
			bytes = median_of(of, BYTES_PER_STEP);
	}
	if (!isnan(bytes) && !isnan(bandwidth))
		out.link_s = link_communication(&l, bytes, bandwidth);
	return out;
}

int
step_parts_of(const struct forecast *f, const struct forecast_case *c,
    const struct network_model *network, double bandwidth,
    struct step_parts *out)
{
	const struct scaling_case *node;
	struct step_communication known;

	if (f->s.flat || f->s.strong || c->shape.nodes < 2)
		return -1;
	node = scaling_series_node(&f->s, c->shape.gpus_per_node);
	if (node == NULL || isnan(node->step_s))
		return -1;
	out->compute_s = node->step_s;
	out->exposed_s =
	    scaling_step(&f->s, c->t, (double)c->shape.gpus) - node->step_s;
	out->gamma = network->gamma;
	if (!isnan(out->gamma))
		return 0;
	known = step_communication_of(c, network, bandwidth);
	if (isnan(known.busy_s) && !isnan(network->gradient_bytes))
		known.busy_s = known.link_s;
	if (!isnan(known.busy_s))
		out->gamma = step_overlap(out, known.busy_s);
	return 0;
}
