/* Reading changes and reckoning what they do.  The shows call it for each case
 * of several nodes. */
#include <config.h>

#include "common/units/units.h"
#include "predict/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "predict/models/constants.h"

/* --- reading -------------------------------------------------------------- */

/* "x1.5". */
static int
parse_times(const char *text, double *out)
{
	return text[0] == 'x' ? parse_double(text + 1, 1e-6, 1e6, out) : -1;
}

static int
set_bandwidth(struct what_if *w, const char *value)
{
	return parse_times(value, &w->faster) == 0
	    ? 0
	    : link_rate_parse(value, &w->bit_per_s);
}

static int
set_compression(struct what_if *w, const char *value)
{
	if (strcmp(value, "fp16") != 0 && strcmp(value, "bf16") != 0)
		return -1;
	w->compressed = 0.5;
	return 0;
}

static int
set_buckets(struct what_if *w, const char *value)
{
	const char *colon = strchr(value, ':');
	char *then;
	int rc;

	if (colon == NULL)
		return -1;
	then = xstrndup(value, (size_t)(colon - value));
	rc = parse_double(then, 1e-6, 1e9, &w->then);
	free(then);
	return rc != 0 ? rc : parse_double(colon + 1, 1e-6, 1e9, &w->now);
}

static int
set_compute(struct what_if *w, const char *value)
{
	return parse_times(value, &w->compute);
}

static int
set_batch(struct what_if *w, const char *value)
{
	long batch;

	if (parse_long(value, 1, 1000000000, &batch) != 0)
		return -1;
	w->batch = (double)batch;
	return 0;
}

static int
set_precision(struct what_if *w, const char *value)
{
	if (value[0] == '\0' || strlen(value) >= sizeof w->precision)
		return -1;
	snprintf(w->precision, sizeof w->precision, "%s", value);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct what_if *w, const char *value);
	const char *wanted;
} changes[] = {
	{ "bandwidth", set_bandwidth, "a rate (25Gbit/s) or a factor (x10)" },
	{ "compression", set_compression, "fp16 or bf16" },
	{ "buckets", set_buckets, "messages then and now (161:4)" },
	{ "compute", set_compute, "a factor (x1.5)" },
	{ "batch", set_batch, "samples per device" },
	{ "precision", set_precision, "a precision (fp16)" },
};

static int
parse_change(struct what_if *w, const char *text, struct error *e)
{
	const char *eq = strchr(text, '=');

	for (size_t i = 0; eq != NULL && i < sizeof changes / sizeof changes[0];
	     i++) {
		if (strlen(changes[i].key) != (size_t)(eq - text) ||
		    memcmp(changes[i].key, text, (size_t)(eq - text)) != 0)
			continue;
		if (changes[i].set(w, eq + 1) == 0)
			return 0;
		return error_set(e, ERROR_USAGE,
		    "--what-if: '%s': %s is not %s", text,
		    eq[1] != '\0' ? eq + 1 : "nothing", changes[i].wanted);
	}
	return error_set(e, ERROR_USAGE,
	    "--what-if: '%s' is none of bandwidth=, compression=, buckets=, "
	    "compute=, batch=, precision=",
	    text);
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
		    "--what-if: '%s': precision= acts alone", text);
	free(copy);
	return rc;
}

/* --- other series --------------------------------------------------------- */

/* The 1n1g case of a series that differs from s in one key only.
 *
 * value  of that key, or NULL: any, judged by batch */
static const struct scaling_case *
other_single(const struct what_if_context *context,
    const struct scaling_series *s, size_t key, double batch, const char *value,
    const struct scaling_series **of)
{
	for (size_t i = 0; i < context->set->n; i++) {
		const struct scaling_series *o = &context->set->items[i].s;
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
change_cost(const struct what_if_context *context,
    const struct forecast_case *c, const struct what_if *w,
    struct step_change *change, struct error *e)
{
	change->cost = w->compressed / w->faster;
	change->speed = w->compute;
	if (!isnan(w->bit_per_s)) {
		if (isnan(context->bandwidth))
			return error_set(e, ERROR_USAGE,
			    "--what-if: '%s' needs --bandwidth, the rate that "
			    "the cases were measured with",
			    w->text);
		change->cost *= context->bandwidth / w->bit_per_s;
	}
	if (!isnan(w->then)) {
		double latency = network_model_latency(
		    context->network, c->shape.nodes, c->shape.gpus_per_node);

		if (isnan(latency))
			return error_set(e, ERROR_USAGE,
			    "--what-if: '%s' needs --latency, or a benchmark "
			    "by --network",
			    w->text);
		change->extra_s = latency * (w->then - w->now);
	}
	return 0;
}

/* C of another batch size: T(1, 1) there, measured or by the ratio. */
static int
change_batch(const struct what_if_context *context,
    const struct scaling_series *s, const struct what_if *w,
    struct step_parts *p, struct error *e)
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
	other = other_single(context, s, SERIES_BATCH, w->batch, NULL, &of);
	single =
	    other != NULL ? other->step_s : own->step_s * w->batch / s->batch;
	p->compute_s += single - own->step_s;
	if (p->compute_s > 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "--what-if: '%s': so small a batch leaves nothing of the step",
	    w->text);
}

static int
answer_precision(const struct what_if_context *context,
    const struct scaling_series *s, const struct what_if *w,
    const struct step_parts *p, struct what_if_answer *out, struct error *e)
{
	const double *factor = prediction_constants.other_precision;
	const double exposed = fmax(0, p->exposed_s);
	const struct scaling_series *of;
	const struct scaling_case *c =
	    other_single(context, s, SERIES_PRECISION, NAN, w->precision, &of);

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
what_if_answer(const struct what_if_context *context, size_t i,
    const struct forecast_case *c, const struct what_if *w,
    struct what_if_answer *out, struct error *e)
{
	const struct forecast *f = &context->set->items[i];
	struct step_change change = STEP_CHANGE_NONE;
	struct step_parts p;

	if (step_parts_of(f, c, context->network, context->bandwidth, &p) != 0)
		return error_set(e, ERROR_INPUT,
		    "--what-if: %s: the step of one node (1n%ldg) or its "
		    "batch size is not known",
		    c->shape.name, c->shape.gpus_per_node);
	out->before_s = scaling_step(&f->s, c->t, (double)c->shape.gpus);
	out->gamma = p.gamma;
	out->communication =
	    step_communication_of(c, context->network, context->bandwidth);
	out->bound = 0;
	if (w->precision[0] != '\0')
		return answer_precision(context, &f->s, w, &p, out, e);
	if (change_cost(context, c, w, &change, e) != 0 ||
	    change_batch(context, &f->s, w, &p, e) != 0)
		return -1;
	out->step = step_changed(&p, &change);
	out->bound = change.cost != 1 &&
	    out->communication.busy_s >
		prediction_constants.not_the_link * out->communication.link_s;
	return 0;
}
