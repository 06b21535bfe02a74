#include <config.h>

#include "predict/forecast.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

/* The median of a member of the phases over the runs of a case that have it.
 *
 * at        offset of the member
 * is_share  1: as a share of the step */
static double
phase_median(const struct result_case *c, size_t at, int is_share)
{
	double *x = xcalloc(c->n_runs, sizeof *x), median;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_phases *p = &c->runs[i].phases;

		memcpy(&x[i], (const char *)p + at, sizeof x[i]);
		x[i] /= is_share ? p->step_s : 1;
	}
	median = stats_median_known(x, c->n_runs);
	free(x);
	return median;
}

#define PHASE_SHARE(c, member) \
	phase_median(c, offsetof(struct result_phases, member), 1)

/* --- what limits a case -------------------------------------------------- */

const struct diagnosis_part_row diagnosis_parts[N_DIAGNOSIS_PARTS] = {
	[DIAGNOSIS_LOSS] = { "loss", MESSAGE_LOSS },
	[DIAGNOSIS_WITHIN_NODES] = { "within_nodes", MESSAGE_PART_WITHIN },
	[DIAGNOSIS_BETWEEN_NODES] = { "between_nodes", MESSAGE_PART_BETWEEN },
	[DIAGNOSIS_COMMUNICATION] = { "communication",
	    MESSAGE_PART_COMMUNICATION },
	[DIAGNOSIS_INPUT] = { "input", MESSAGE_PART_INPUT },
	[DIAGNOSIS_STRAGGLER] = { "straggler", MESSAGE_PART_STRAGGLER },
	[DIAGNOSIS_OTHER] = { "other", MESSAGE_OTHER },
};

void
diagnosis_make(const struct scaling_series *s, const struct scaling_case *c,
    double parts[N_DIAGNOSIS_PARTS])
{
	const double share = s->baseline->t / c->t;
	const long g = c->shape.gpus_per_node;
	double known = 0;

	for (int i = 0; i < N_DIAGNOSIS_PARTS; i++)
		parts[i] = NAN;
	parts[DIAGNOSIS_LOSS] = 1 - share;
	parts[DIAGNOSIS_COMMUNICATION] = PHASE_SHARE(c->point->c, exposed_s);
	parts[DIAGNOSIS_INPUT] = PHASE_SHARE(c->point->c, data_s);
	if (!s->flat) {
		const struct scaling_case *one =
		    scaling_series_find(s, 1, 1, 1);
		const struct scaling_case *node =
		    scaling_series_find(s, 1, g, g);

		if (one != NULL && node != NULL && node != one)
			parts[DIAGNOSIS_WITHIN_NODES] =
			    (node->t - one->t) / c->t;
		if (node != NULL && c->shape.nodes > 1)
			parts[DIAGNOSIS_BETWEEN_NODES] =
			    (c->t - node->t) / c->t;
	}
	if (!isnan(s->sigma))
		parts[DIAGNOSIS_STRAGGLER] = fmin(parts[DIAGNOSIS_LOSS],
		    s->sigma * expected_largest((double)c->shape.gpus) * share);
	for (int i = DIAGNOSIS_COMMUNICATION; i < DIAGNOSIS_OTHER; i++)
		if (!isnan(parts[i])) {
			known += parts[i];
			parts[DIAGNOSIS_OTHER] = parts[DIAGNOSIS_LOSS] - known;
		}
}

/* --- parts of a step ------------------------------------------------------ */

/* Communication times of a case: as measured, and as the link needs for the
 * bytes that the request or else the runs state; NAN: unknown. */
static void
communication_of(const struct forecast_case *c,
    const struct forecast_request *ask, double *busy_s, double *link_s)
{
	const struct allreduce_layout l = { ask->network.algorithm,
		c->shape.nodes, c->shape.gpus_per_node };
	double bytes = ask->network.gradient_bytes;

	*busy_s = *link_s = NAN;
	if (c->measured != NULL) {
		const struct result_case *of = c->measured->point->c;

		*busy_s = PHASE_SHARE(of, busy_s) * c->measured->step_s;
		if (isnan(bytes))
			bytes = phase_median(of,
			    offsetof(struct result_phases, bytes_per_step), 0);
	}
	if (!isnan(bytes) && !isnan(ask->bandwidth))
		*link_s = link_communication(&l, bytes, ask->bandwidth);
}

/* C, E and gamma of a case of several nodes: gamma is the request's, else from
 * the phases of the measured case, else from gradient bytes and the bandwidth,
 * else NAN. Returns 0; -1 where T(1, g) or the seconds of a step are
 * unknown. */
static int
step_parts_of(const struct forecast *f, const struct forecast_case *c,
    const struct forecast_request *ask, struct step_parts *out)
{
	const long g = c->shape.gpus_per_node;
	const struct scaling_case *node = scaling_series_find(&f->s, 1, g, g);
	double busy_s, link_s;

	if (f->s.flat || f->s.strong || c->shape.nodes < 2 || node == NULL ||
	    isnan(node->step_s))
		return -1;
	out->compute_s = node->step_s;
	out->exposed_s = c->step_s - node->step_s;
	out->gamma = ask->network.gamma;
	if (!isnan(out->gamma))
		return 0;
	communication_of(c, ask, &busy_s, &link_s);
	if (isnan(busy_s) && !isnan(ask->network.gradient_bytes))
		busy_s = link_s;
	if (!isnan(busy_s))
		out->gamma = step_overlap(out, busy_s);
	return 0;
}

/* --- time, cost, bandwidth, nodes ----------------------------------------- */

struct cost_answer
cost_make(const struct scaling_series *s, const struct forecast_case *c,
    double samples, double price)
{
	const double gpus = (double)c->shape.gpus;
	struct cost_answer a;

	for (int i = 0; i < 3; i++)
		a.seconds[i] = samples /
		    (s->kind == WORK_RATE
			    ? gpus / c->t[i]
			    : s->samples * (s->strong ? 1 : gpus) /
				scaling_step(s, c->t[i], gpus));
	a.gpu_hours = gpus * a.seconds[0] / 3600;
	a.cost = a.gpu_hours * price;
	return a;
}

int
bandwidth_find(const struct forecast *f, const struct forecast_request *ask,
    struct bandwidth_answer *out, struct error *e)
{
	const double base = f->s.baseline != NULL ? f->s.baseline->step_s : NAN;
	struct step_parts p = { NAN, NAN, NAN }, q;
	double ends[2];

	out->of = NULL;
	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].measured != NULL &&
		    step_parts_of(f, &f->cases[i], ask, &q) == 0) {
			out->of = &f->cases[i];
			p = q;
		}
	if (out->of == NULL)
		return error_set(e, ERROR_INPUT,
		    "--want: no case of several nodes has its step, and that "
		    "of one node, known");
	out->best = base / p.compute_s;
	for (int i = 0; i < 2; i++) {
		q = p;
		if (isnan(p.gamma))
			q.gamma = i;
		ends[i] =
		    step_bandwidth_for(&q, ask->bandwidth, base, ask->want);
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
	const struct forecast_row *row = forecast_main_row(f);
	struct doubling d;
	struct prediction x;

	if (row == NULL)
		return -1;
	*out = (struct until_answer){ .gpus_per_node = row->gpus_per_node,
		.limit = (long)(row->points[row->n - 1].m *
		    exp2(floor(K_FARTHEST))) };
	doubling_init(&d, row->axis, row->points, row->n, row->prior);
	for (long n = 1; n <= out->limit && out->first[2] == 0; n++) {
		const long gpus =
		    row->axis == DOUBLING_ROW ? n * row->gpus_per_node : n;
		size_t k = 0;

		/* A measured count needs no prediction. */
		while (k < row->n && row->points[k].m != (double)n)
			k++;
		if (k == row->n)
			doubling_predict(&d, (double)n, (double)gpus, &x);
		for (int i = 0; i < 3; i++) {
			const double t = k < row->n
			    ? row->points[k].t
			    : exp(prediction_quantile(&x, quantiles[i]));

			if (out->first[i] == 0 && f->s.baseline->t / t < target)
				out->first[i] = n;
		}
	}
	return 0;
}

/* --- what if -------------------------------------------------------------- */

/* Set one change. Returns NULL on success, a description of the values expected
 * if this one is invalid, or "" if the key is unknown. */
static const char *
set_change(struct what_if *w, const char *key, const char *value)
{
	const char *wanted = "", *now = strchr(value, ':');
	double x = 1, y = 1;
	char then[32];
	long batch;
	int rc = -1;

	if (strcmp(key, "bandwidth") == 0) {
		wanted = "a rate (25Gbit/s) or a factor (x10)";
		rc = value[0] == 'x' ? parse_double(value + 1, 1e-6, 1e6, &x)
				     : link_rate_parse(value, &w->bit_per_s);
		w->cost /= x;
	} else if (strcmp(key, "compression") == 0) {
		wanted = "fp16 or bf16";
		w->cost /= 2;
		rc = strcmp(value, "fp16") != 0 && strcmp(value, "bf16") != 0;
	} else if (strcmp(key, "buckets") == 0) {
		wanted = "messages then and now (161:4)";
		snprintf(
		    then, sizeof then, "%.*s", (int)strcspn(value, ":"), value);
		rc = now == NULL || parse_double(then, 1e-6, 1e9, &x) ||
		    parse_double(now + 1, 1e-6, 1e9, &y);
		w->fewer = x - y;
	} else if (strcmp(key, "compute") == 0) {
		wanted = "a factor (x1.5)";
		rc = value[0] != 'x' ||
		    parse_double(value + 1, 1e-6, 1e6, &w->compute);
	} else if (strcmp(key, "batch") == 0) {
		wanted = "samples per device";
		rc = parse_long(value, 1, 1000000000, &batch);
		w->batch = rc == 0 ? (double)batch : NAN;
	} else if (strcmp(key, "precision") == 0) {
		wanted = "a precision (fp16)";
		rc = value[0] == '\0' || strlen(value) >= sizeof w->precision;
		snprintf(w->precision, sizeof w->precision, "%s", value);
	}
	return rc == 0 ? NULL : wanted;
}

int
what_if_parse(const char *text, struct what_if *w, struct error *e)
{
	char *copy = xstrdup(text), *at = copy;
	int rc = 0;

	*w = (struct what_if){ .text = text,
		.bit_per_s = NAN,
		.cost = 1,
		.compute = 1,
		.batch = NAN };
	for (char *key; rc == 0 && (key = strsep(&at, ",")) != NULL;) {
		char *value = key;
		const char *wanted;

		strsep(&value, "=");
		wanted = set_change(w, key, value != NULL ? value : "");
		if (wanted != NULL && wanted[0] == '\0')
			rc = error_set(e, ERROR_USAGE,
			    "--what-if: '%s%s%s' is not one of bandwidth=, "
			    "compression=, buckets=, compute=, batch=, "
			    "precision=",
			    key, value != NULL ? "=" : "",
			    value != NULL ? value : "");
		else if (wanted != NULL)
			rc = error_set(e, ERROR_USAGE,
			    "--what-if: '%s=%s' is not %s", key,
			    value != NULL ? value : "", wanted);
	}
	if (rc == 0 && w->precision[0] != '\0' && strchr(text, ',') != NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--what-if: '%s': precision= cannot be combined", text);
	free(copy);
	return rc;
}

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
		const struct scaling_case *c = scaling_series_find(o, 1, 1, 1);

		if (c != NULL && !isnan(c->step_s) &&
		    series_values_same(
			values, s->series->values, ~SERIES_BIT(key)) &&
		    (value != NULL ? text_same(values[key], value)
				   : o->batch == batch))
			return c;
	}
	return NULL;
}

/* Adapt C to another batch size: add the difference in T(1, 1), where the new
 * T(1, 1) is measured or else scaled by the ratio of the batch sizes. */
static int
change_batch(const struct forecast_set *set, const struct scaling_series *s,
    const struct what_if *w, struct step_parts *p, struct error *e)
{
	const struct scaling_case *own = scaling_series_find(s, 1, 1, 1);
	const struct scaling_case *other;

	if (isnan(s->batch) || own == NULL)
		return error_set(e, ERROR_INPUT,
		    "--what-if: '%s' needs a known batch size and 1n1g, which "
		    "%s lacks",
		    w->text, s->cases[0].point->source->path);
	other = other_single(set, s, SERIES_BATCH, w->batch, NULL);
	p->compute_s += (other != NULL ? other->step_s
				       : own->step_s * w->batch / s->batch) -
	    own->step_s;
	if (p->compute_s > 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "--what-if: '%s': the batch is too small: no compute time would be "
	    "left",
	    w->text);
}

int
what_if_answer(const struct forecast_set *set, const struct forecast *f,
    const struct forecast_case *c, const struct what_if *w,
    struct what_if_answer *out, struct error *e)
{
	static const double factor[] = K_OTHER_PRECISION;
	const struct forecast_request *ask = set->request;
	const struct allreduce_layout layout = { ask->network.algorithm,
		c->shape.nodes, c->shape.gpus_per_node };
	double latency = ask->network.latency_s;
	double cost = w->cost, extra_s = 0;
	struct step_parts p;

	if (step_parts_of(f, c, ask, &p) != 0)
		return error_set(e, ERROR_INPUT,
		    "--what-if: %s: the step of one node (1n%ldg) or its "
		    "batch size is not known",
		    c->shape.name, c->shape.gpus_per_node);
	out->before_s = c->step_s;
	out->gamma = p.gamma;
	out->bound = 0;
	communication_of(c, ask, &out->busy_s, &out->link_s);
	if (w->precision[0] != '\0') {
		const double exposed = fmax(0, p.exposed_s);
		const struct scaling_case *other = other_single(
		    set, &f->s, SERIES_PRECISION, NAN, w->precision);

		if (other == NULL)
			return error_set(e, ERROR_INPUT,
			    "--what-if: '%s' needs 1n1g of this configuration "
			    "in that precision",
			    w->text);
		out->step =
		    (struct step_range){ other->step_s + factor[0] * exposed,
			    other->step_s + factor[1] * exposed,
			    other->step_s + factor[2] * exposed };
		return 0;
	}
	if (!isnan(w->bit_per_s) && isnan(ask->bandwidth))
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s' needs --bandwidth, the link rate of the "
		    "measured cases",
		    w->text);
	if (!isnan(w->bit_per_s))
		cost *= ask->bandwidth / w->bit_per_s;
	if (isnan(latency) && ask->network.curve != NULL)
		latency = network_model_seconds(
		    &ask->network, &layout, 1, ask->network.curve[0].bytes);
	if (w->fewer != 0 && isnan(latency))
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s' needs --latency, or a benchmark by "
		    "--network",
		    w->text);
	if (w->fewer != 0)
		extra_s = latency * w->fewer;
	if (!isnan(w->batch) && change_batch(set, &f->s, w, &p, e) != 0)
		return -1;
	out->step = step_changed(&p, cost, extra_s, w->compute);
	out->bound = cost != 1 && out->busy_s > K_NOT_THE_LINK * out->link_s;
	return 0;
}
