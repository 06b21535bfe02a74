#include <config.h>

#include "predict/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "common/units/units.h"

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
	if (isnan(ask->bandwidth))
		return error_set(e, ERROR_USAGE,
		    "--want needs --bandwidth, the link rate of the measured "
		    "cases");
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

/* Set the first count below the target by the median and the interval's ends,
 * all by the measured case where there is one. */
static void
look_at(const struct forecast *f, const struct doubling *d,
    const struct scaling_row *row, long count, double level,
    struct until_answer *out)
{
	const double quantiles[] = { 0.5, (1 + level) / 2, (1 - level) / 2 };
	long *const firsts[] = { &out->count, &out->earliest, &out->latest };
	const double gpus = row->axis == DOUBLING_ROW
	    ? (double)(count * row->gpus_per_node)
	    : (double)count;
	const struct scaling_case *c = NULL;
	struct mixture x;

	for (size_t i = 0; i < row->n && c == NULL; i++)
		if (row->points[i].m == (double)count)
			c = row->cases[i];
	if (c == NULL)
		doubling_predict(d, (double)count, gpus, &x);
	for (int i = 0; i < 3; i++)
		if (*firsts[i] == 0 &&
		    scaling_efficiency(&f->s,
			c != NULL ? c->t
				  : exp(mixture_quantile(&x, quantiles[i]))) <
			out->target)
			*firsts[i] = count;
}

int
until_find(const struct forecast *f, double target, double level,
    struct until_answer *out)
{
	const struct forecast_row *r = forecast_main_row(f);
	const double farthest = exp2(floor(K_FARTHEST));
	struct doubling d;

	if (r == NULL)
		return -1;
	*out = (struct until_answer){ .target = target,
		.gpus_per_node = r->row.gpus_per_node };
	out->limit = (long)(r->row.points[r->row.n - 1].m * farthest);
	doubling_init(&d, r->row.axis, r->row.points, r->row.n, r->prior);
	for (long count = 1; count <= out->limit && out->latest == 0; count++)
		look_at(f, &d, &r->row, count, level, out);
	return 0;
}

/* --- reading -------------------------------------------------------------- */

static const struct {
	const char *key;
	const char *wanted;
} changes[] = {
	{ "bandwidth", "a rate (25Gbit/s) or a factor (x10)" },
	{ "compression", "fp16 or bf16" },
	{ "buckets", "messages then and now (161:4)" },
	{ "compute", "a factor (x1.5)" },
	{ "batch", "samples per device" },
	{ "precision", "a precision (fp16)" },
};

/* "x1.5". */
static int
parse_times(const char *text, double *out)
{
	return text[0] == 'x' ? parse_double(text + 1, 1e-6, 1e6, out) : -1;
}

/* "64". */
static int
parse_whole(const char *text, double *out)
{
	long x;
	const int rc = parse_long(text, 1, 1000000000, &x);

	*out = rc == 0 ? (double)x : NAN;
	return rc;
}

/* "161:4". */
static int
parse_buckets(const char *text, struct what_if *w)
{
	const char *colon = strchr(text, ':');
	char *then;
	int rc;

	if (colon == NULL)
		return -1;
	then = xstrndup(text, (size_t)(colon - text));
	rc = parse_double(then, 1e-6, 1e9, &w->then);
	free(then);
	return rc != 0 ? rc : parse_double(colon + 1, 1e-6, 1e9, &w->now);
}

/* Set one change. Returns 0, or -1 for an invalid value. */
static int
set_change(struct what_if *w, const char *key, const char *value)
{
	if (strcmp(key, "bandwidth") == 0)
		return parse_times(value, &w->faster) == 0
		    ? 0
		    : link_rate_parse(value, &w->bit_per_s);
	if (strcmp(key, "buckets") == 0)
		return parse_buckets(value, w);
	if (strcmp(key, "compute") == 0)
		return parse_times(value, &w->compute);
	if (strcmp(key, "batch") == 0)
		return parse_whole(value, &w->batch);
	if (strcmp(key, "compression") == 0) {
		w->compressed = 0.5;
		return strcmp(value, "fp16") == 0 || strcmp(value, "bf16") == 0
		    ? 0
		    : -1;
	}
	if (value[0] == '\0' || strlen(value) >= sizeof w->precision)
		return -1;
	snprintf(w->precision, sizeof w->precision, "%s", value);
	return 0;
}

static int
parse_change(struct what_if *w, const char *text, struct error *e)
{
	const size_t n = sizeof changes / sizeof changes[0];
	const size_t len = strcspn(text, "=");
	const char *value = text + len + (text[len] == '=');
	size_t i = 0;

	while (i < n &&
	    (text[len] != '=' || strlen(changes[i].key) != len ||
		memcmp(changes[i].key, text, len) != 0))
		i++;
	if (i == n)
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s' is not one of bandwidth=, compression=, "
		    "buckets=, compute=, batch=, precision=",
		    text);
	if (set_change(w, changes[i].key, value) == 0)
		return 0;
	return error_set(e, ERROR_USAGE, "--what-if: '%s': %s is not %s", text,
	    value[0] != '\0' ? value : "nothing", changes[i].wanted);
}

int
what_if_parse(const char *text, struct what_if *w, struct error *e)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	*w = (struct what_if){ .text = text,
		.bit_per_s = NAN,
		.faster = 1,
		.compressed = 1,
		.then = NAN,
		.now = NAN,
		.compute = 1,
		.batch = NAN };
	while (rc == 0 && rest != NULL) {
		char *comma = strchr(rest, ',');

		if (comma != NULL)
			*comma++ = '\0';
		rc = parse_change(w, rest, e);
		rest = comma;
	}
	if (rc == 0 && w->precision[0] != '\0' && strchr(text, ',') != NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--what-if: '%s': precision= cannot be combined", text);
	free(copy);
	return rc;
}

/* --- other series --------------------------------------------------------- */

/* The 1n1g case of a series that differs from s in one key only.
 *
 * value  of that key, or NULL: compare the batch instead */
static const struct scaling_case *
other_single(const struct forecast_set *set, const struct scaling_series *s,
    size_t key, double batch, const char *value,
    const struct scaling_series **of)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct scaling_series *o = &set->items[i].s;
		const struct scaling_case *c;
		size_t k = 0;

		while (k < SERIES_MAX_KEYS &&
		    (k == key ||
			text_same(o->series->values[k], s->series->values[k])))
			k++;
		if (k < SERIES_MAX_KEYS || o->n == 0 ||
		    (value != NULL ? !text_same(o->series->values[key], value)
				   : o->batch != batch))
			continue;
		c = scaling_series_find(o, 1, 1, 1);
		if (c != NULL && !isnan(c->step_s)) {
			*of = o;
			return c;
		}
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
	latency = network_model_latency(
	    ask->network, c->shape.nodes, c->shape.gpus_per_node);
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
	const struct scaling_case *own = scaling_series_find(s, 1, 1, 1);
	const struct scaling_case *other;
	const struct scaling_series *of;
	double single;

	if (isnan(w->batch))
		return 0;
	if (isnan(s->batch) || own == NULL)
		return error_set(e, ERROR_INPUT,
		    "--what-if: '%s' needs a known batch size and 1n1g, which "
		    "%s lacks",
		    w->text, s->cases[0].point->source->path);
	other = other_single(set, s, SERIES_BATCH, w->batch, NULL, &of);
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
	const struct scaling_series *of;
	const struct scaling_case *c =
	    other_single(set, s, SERIES_PRECISION, NAN, w->precision, &of);

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
