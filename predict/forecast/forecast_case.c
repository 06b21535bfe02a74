/* One case of a forecast, whatever model it is by: its interval from a
 * distribution of times, its warnings, the laws it is compared with.  The
 * models (forecast_doubling.c, forecast_transfer.c, forecast_link.c) and
 * forecast.c call it. */
#include <config.h>

#include "predict/forecast/forecast_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "predict/models/constants.h"

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
