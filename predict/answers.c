/* Time, cost and bandwidth.  The shows ask for each series or case. */
#include <config.h>

#include "predict/answers.h"

#include <math.h>

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

/* The largest case of several nodes whose step has known parts. */
static const struct forecast_case *
largest_case(const struct forecast *f, const struct answers_request *ask,
    struct step_parts *p)
{
	const struct forecast_case *best = NULL;

	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].measured != NULL &&
		    step_parts_of(
			f, &f->cases[i], ask->network, ask->bandwidth, p) == 0)
			best = &f->cases[i];
	if (best != NULL)
		step_parts_of(f, best, ask->network, ask->bandwidth, p);
	return best;
}

int
bandwidth_find(const struct forecast *f, const struct answers_request *ask,
    struct bandwidth_answer *out, struct error *e)
{
	struct step_parts p;
	double ends[2];

	*out = (struct bandwidth_answer){ .target = ask->want };
	if (isnan(ask->bandwidth))
		return error_set(e, ERROR_USAGE,
		    "--want needs --bandwidth, the rate that the cases were "
		    "measured with");
	out->of = f->s.n > 0 ? largest_case(f, ask, &p) : NULL;
	if (out->of == NULL)
		return error_set(e, ERROR_INPUT,
		    "--want: no case of several nodes has its step, and that "
		    "of one node, known");
	out->best = f->s.baseline->step_s / p.compute_s;
	for (int i = 0; i < 2; i++) {
		struct step_parts q = p;

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
