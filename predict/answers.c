#include <config.h>

#include "predict/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

enum run_number { EXPOSED_SHARE, WAIT_SHARE, BUSY_SHARE, BYTES_PER_STEP };

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
			[BYTES_PER_STEP] = r->phases.bytes_per_step,
		};

		x[i] = numbers[which];
	}
	median = stats_median_known(x, c->n_runs);
	free(x);
	return median;
}

/* --- what limits a case -------------------------------------------------- */

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
    double exposed_share, double wait_share, double sigma,
    double parts[N_DIAGNOSIS_PARTS])
{
	const double share = s->baseline->t / c->t;
	const struct scaling_case *one, *node;
	double known = 0;
	int n_known = 0;

	for (int i = 0; i < N_DIAGNOSIS_PARTS; i++)
		parts[i] = NAN;
	parts[DIAGNOSIS_LOSS] = 1 - share;
	parts[DIAGNOSIS_COMMUNICATION] = exposed_share;
	parts[DIAGNOSIS_INPUT] = wait_share;
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
	if (!isnan(sigma))
		parts[DIAGNOSIS_STRAGGLER] = fmin(parts[DIAGNOSIS_LOSS],
		    sigma * expected_largest((double)c->gpus) * share);
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
	diagnosis_make(s, c, median_of(c->point->c, EXPOSED_SHARE),
	    median_of(c->point->c, WAIT_SHARE), s->sigma, parts);
}

/* --- parts of a step ------------------------------------------------------ */

/* Communication times of a case.
 *
 * network    its gradient_bytes are used, else the bytes stated by the runs
 * bandwidth  of the measured link, bit/s; NAN: unknown */
static struct step_communication
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

/* C, E and gamma of a case of several nodes: gamma is network's, else from the
 * phases of the measured case, else from gradient bytes and the bandwidth, else
 * NAN. Returns 0; -1 where T(1, g) or the seconds of a step are unknown. */
static int
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

/* --- time, cost, bandwidth, nodes ----------------------------------------- */

struct cost_answer
cost_at(double samples, double speed, double gpus, double price)
{
	struct cost_answer c;

	c.seconds = c.seconds_low = c.seconds_high = samples / speed;
	c.gpu_hours = gpus * c.seconds / 3600;
	c.cost = c.gpu_hours * price;
	return c;
}

struct cost_answer
cost_make(const struct scaling_series *s, const struct forecast_case *c,
    double samples, double price)
{
	const double gpus = (double)c->shape.gpus;
	struct cost_answer a =
	    cost_at(samples, scaling_samples(s, c->t, gpus), gpus, price);

	a.seconds_low = samples / scaling_samples(s, c->t_low[0], gpus);
	a.seconds_high = samples / scaling_samples(s, c->t_high[0], gpus);
	return a;
}

int
bandwidth_find(const struct forecast *f, const struct answers_request *ask,
    struct bandwidth_answer *out, struct error *e)
{
	struct step_parts p = { NAN, NAN, NAN }, q;
	double ends[2];

	*out = (struct bandwidth_answer){ .target = ask->want };
	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].measured != NULL &&
		    step_parts_of(f, &f->cases[i], ask->network, ask->bandwidth,
			&q) == 0) {
			out->of = &f->cases[i];
			p = q;
		}
	if (out->of == NULL)
		return error_set(e, ERROR_INPUT,
		    "--want: no case of several nodes has its step, and that "
		    "of one node, known");
	out->best = f->s.baseline->step_s / p.compute_s;
	for (int i = 0; i < 2; i++) {
		q = p;
		if (isnan(p.gamma))
			q.gamma = i;
		ends[i] = step_bandwidth_for(
		    &q, ask->bandwidth, f->s.baseline->step_s, ask->want);
	}
	out->low = fmin(ends[0], ends[1]);
	out->high = fmax(ends[0], ends[1]);
	out->bit_per_s = (ends[0] + ends[1]) / 2;
	return 0;
}

int
until_find(const struct forecast *f, double target, double level,
    struct until_answer *out)
{
	const double quantiles[] = { 0.5, (1 + level) / 2, (1 - level) / 2 };
	long *const firsts[] = { &out->count, &out->earliest, &out->latest };
	const struct forecast_row *r = forecast_main_row(f);
	const struct scaling_row *row;
	struct doubling d;
	struct prediction x;

	if (r == NULL)
		return -1;
	row = &r->row;
	*out = (struct until_answer){ .target = target,
		.gpus_per_node = row->gpus_per_node,
		.limit = (long)(row->points[row->n - 1].m *
		    exp2(floor(K_FARTHEST))) };
	doubling_init(&d, row->axis, row->points, row->n, r->prior);
	for (long n = 1; n <= out->limit && out->latest == 0; n++) {
		const long gpus =
		    row->axis == DOUBLING_ROW ? n * row->gpus_per_node : n;
		size_t k = 0;

		/* A measured case answers for its count. */
		while (k < row->n && row->points[k].m != (double)n)
			k++;
		if (k == row->n)
			doubling_predict(&d, (double)n, (double)gpus, &x);
		for (int i = 0; i < 3; i++) {
			const double t = k < row->n
			    ? row->points[k].t
			    : exp(prediction_quantile(&x, quantiles[i]));

			if (*firsts[i] == 0 &&
			    scaling_efficiency(&f->s, t) < target)
				*firsts[i] = n;
		}
	}
	return 0;
}

/* --- reading -------------------------------------------------------------- */

/* "x1.5". */
static int
parse_times(const char *text, double *out)
{
	return text[0] == 'x' ? parse_double(text + 1, 1e-6, 1e6, out) : -1;
}

enum change { BANDWIDTH, COMPRESSION, BUCKETS, COMPUTE, BATCH, PRECISION };

static const struct {
	const char *key, *wanted;
} changes[] = {
	[BANDWIDTH] = { "bandwidth=", "a rate (25Gbit/s) or a factor (x10)" },
	[COMPRESSION] = { "compression=", "fp16 or bf16" },
	[BUCKETS] = { "buckets=", "messages then and now (161:4)" },
	[COMPUTE] = { "compute=", "a factor (x1.5)" },
	[BATCH] = { "batch=", "samples per device" },
	[PRECISION] = { "precision=", "a precision (fp16)" },
};

/* Set one change. Returns 0, or -1 for an invalid value. */
static int
set_change(struct what_if *w, enum change change, char *value)
{
	char *colon;
	long batch;
	int rc;

	switch (change) {
	case BANDWIDTH:
		return parse_times(value, &w->faster) == 0
		    ? 0
		    : link_rate_parse(value, &w->bit_per_s);
	case COMPRESSION:
		w->compressed = 0.5;
		return strcmp(value, "fp16") == 0 || strcmp(value, "bf16") == 0
		    ? 0
		    : -1;
	case BUCKETS: /* "161:4" */
		colon = strchr(value, ':');
		if (colon == NULL)
			return -1;
		*colon = '\0';
		rc = parse_double(value, 1e-6, 1e9, &w->then);
		*colon = ':';
		return rc != 0 ? rc
			       : parse_double(colon + 1, 1e-6, 1e9, &w->now);
	case COMPUTE:
		return parse_times(value, &w->compute);
	case BATCH:
		if (parse_long(value, 1, 1000000000, &batch) != 0)
			return -1;
		w->batch = (double)batch;
		return 0;
	default:
		if (value[0] == '\0' || strlen(value) >= sizeof w->precision)
			return -1;
		snprintf(w->precision, sizeof w->precision, "%s", value);
		return 0;
	}
}

int
what_if_parse(const char *text, struct what_if *w, struct error *e)
{
	const size_t n = sizeof changes / sizeof changes[0];
	char *copy = xstrdup(text), *at = copy;
	int rc = 0;

	*w = (struct what_if){ .text = text,
		.bit_per_s = NAN,
		.faster = 1,
		.compressed = 1,
		.then = NAN,
		.now = NAN,
		.compute = 1,
		.batch = NAN };
	for (char *one; rc == 0 && (one = strsep(&at, ",")) != NULL;) {
		char *value = one + strcspn(one, "=") + 1;
		size_t i = 0;

		while (i < n &&
		    strncmp(one, changes[i].key, strlen(changes[i].key)) != 0)
			i++;
		if (i == n)
			rc = error_set(e, ERROR_USAGE,
			    "--what-if: '%s' is not one of bandwidth=, "
			    "compression=, buckets=, compute=, batch=, "
			    "precision=",
			    one);
		else if (set_change(w, (enum change)i, value) != 0)
			rc = error_set(e, ERROR_USAGE,
			    "--what-if: '%s': %s is not %s", one,
			    value[0] != '\0' ? value : "nothing",
			    changes[i].wanted);
	}
	if (rc == 0 && w->precision[0] != '\0' && strchr(text, ',') != NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--what-if: '%s': precision= cannot be combined", text);
	free(copy);
	return rc;
}

/* --- other series --------------------------------------------------------- */

/* The 1n1g case with a known step of a series that differs from s in one key
 * only, or NULL.
 *
 * value  of that key, or NULL: compare the batch instead */
static const struct scaling_case *
other_single(const struct forecast_set *set, const struct scaling_series *s,
    size_t key, double batch, const char *value)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct scaling_series *o = &set->items[i].s;
		const char *const *values = o->series->values;
		const struct scaling_case *c = scaling_series_node(o, 1);

		if (c != NULL && !isnan(c->step_s) &&
		    series_values_same(
			values, s->series->values, ~SERIES_BIT(key)) &&
		    (value != NULL ? text_same(values[key], value)
				   : o->batch == batch))
			return c;
	}
	return NULL;
}

/* --- answering ------------------------------------------------------------ */

static int
change_cost(const struct answers_request *ask, const struct forecast_case *c,
    const struct what_if *w, struct step_change *change, struct error *e)
{
	double latency;

	change->cost = w->compressed / w->faster;
	change->speed = w->compute;
	if (!isnan(w->bit_per_s) && isnan(ask->bandwidth))
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s' needs --bandwidth, the link rate of the "
		    "measured cases",
		    w->text);
	if (!isnan(w->bit_per_s))
		change->cost *= ask->bandwidth / w->bit_per_s;
	if (isnan(w->then))
		return 0;
	latency = network_model_latency(ask->network,
	    &(struct allreduce_layout){ ask->network->algorithm, c->shape.nodes,
		c->shape.gpus_per_node });
	if (isnan(latency))
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s' needs --latency, or a benchmark by "
		    "--network",
		    w->text);
	change->extra_s = latency * (w->then - w->now);
	return 0;
}

/* Change C to another batch size by the difference in T(1, 1), which is
 * measured there or scaled by the ratio. */
static int
change_batch(const struct forecast_set *set, const struct scaling_series *s,
    const struct what_if *w, struct step_parts *p, struct error *e)
{
	const struct scaling_case *own = scaling_series_node(s, 1), *other;
	double single;

	if (isnan(w->batch))
		return 0;
	if (isnan(s->batch) || own == NULL)
		return error_set(e, ERROR_INPUT,
		    "--what-if: '%s' needs a known batch size and 1n1g, which "
		    "%s lacks",
		    w->text, s->cases[0].point->source->path);
	other = other_single(set, s, SERIES_BATCH, w->batch, NULL);
	single =
	    other != NULL ? other->step_s : own->step_s * w->batch / s->batch;
	p->compute_s += single - own->step_s;
	if (p->compute_s > 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "--what-if: '%s': the batch is too small: no compute time would be "
	    "left",
	    w->text);
}

static int
answer_precision(const struct forecast_set *set, const struct scaling_series *s,
    const struct what_if *w, const struct step_parts *p,
    struct what_if_answer *out, struct error *e)
{
	static const double factor[] = K_OTHER_PRECISION;
	const double exposed = fmax(0, p->exposed_s);
	const struct scaling_case *c =
	    other_single(set, s, SERIES_PRECISION, NAN, w->precision);

	if (c == NULL)
		return error_set(e, ERROR_INPUT,
		    "--what-if: '%s' needs 1n1g of this configuration in that "
		    "precision",
		    w->text);
	out->step.step_s = c->step_s + factor[0] * exposed;
	out->step.low_s = c->step_s + factor[1] * exposed;
	out->step.high_s = c->step_s + factor[2] * exposed;
	return 0;
}

int
what_if_answer(const struct forecast_set *set,
    const struct answers_request *ask, size_t i, const struct forecast_case *c,
    const struct what_if *w, struct what_if_answer *out, struct error *e)
{
	const struct forecast *f = &set->items[i];
	struct step_change change = STEP_CHANGE_NONE;
	struct step_parts p;

	if (step_parts_of(f, c, ask->network, ask->bandwidth, &p) != 0)
		return error_set(e, ERROR_INPUT,
		    "--what-if: %s: the step of one node (1n%ldg) or its "
		    "batch size is not known",
		    c->shape.name, c->shape.gpus_per_node);
	out->before_s = scaling_step(&f->s, c->t, (double)c->shape.gpus);
	out->gamma = p.gamma;
	out->communication =
	    step_communication_of(c, ask->network, ask->bandwidth);
	out->bound = 0;
	if (w->precision[0] != '\0')
		return answer_precision(set, &f->s, w, &p, out, e);
	if (change_cost(ask, c, w, &change, e) != 0 ||
	    change_batch(set, &f->s, w, &p, e) != 0)
		return -1;
	out->step = step_changed(&p, &change);
	out->bound = change.cost != 1 &&
	    out->communication.busy_s >
		K_NOT_THE_LINK * out->communication.link_s;
	return 0;
}
