#include <config.h>

#include "predict/forecast/forecast_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "predict/forecast/forecast_parts.h"
#include "predict/models/constants.h"

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

static const struct prediction_constants *const k = &prediction_constants;

/* Quantiles of ln t to device times at all levels that are asked for. */
void
forecast_case_set_times(const struct forecast_job *job, const struct mixture *x,
    double scale, struct forecast_case *c)
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

void
forecast_add_case(
    const struct forecast_job *job, struct forecast *f, struct forecast_case *c)
{
	set_laws(job, &f->s, c);
	f->cases =
	    vec_grow(f->cases, f->n_cases, &f->alloc_cases, sizeof *f->cases);
	f->cases[f->n_cases++] = *c;
}

unsigned
forecast_spread_warning(const struct scaling_case *c)
{
	return c->cv > k->spread ? 1U << WARNING_SPREAD : 0;
}

/* A case as measured; with 0 as its spread. */
struct forecast_case
forecast_measured(const struct forecast_job *job, const struct scaling_case *m)
{
	struct scaling_target shape = { "", m->nodes, m->gpus_per_node,
		m->gpus };
	struct forecast_case c;

	snprintf(shape.name, sizeof shape.name, "%s", m->name);
	c = forecast_case_init(&shape, FORECAST_MEASURED);
	c.measured = m;
	c.t = m->t;
	c.standard_low = c.standard_high = m->t;
	for (size_t j = 0; j < job->request->n_levels; j++)
		c.t_low[j] = c.t_high[j] = m->t;
	c.warnings = forecast_spread_warning(m);
	return c;
}
