/* Exposed time and overlap.  what_if.c and forecast.c call it with times that
 * were measured or predicted. */
#include <config.h>

#include "predict/models/step_law.h"

#include <math.h>

static double
clamp_share(double x)
{
	return fmin(1, fmax(0, x));
}

double
step_overlap(const struct step_parts *p, double communication_s)
{
	if (!(p->exposed_s > 0))
		return NAN;
	return clamp_share((communication_s - p->exposed_s) / p->compute_s);
}

/* Both ends of an unknown overlap and their middle. */
static struct step_range
range_make(double gamma_0, double gamma_1)
{
	struct step_range r;

	r.low_s = fmin(gamma_0, gamma_1);
	r.high_s = fmax(gamma_0, gamma_1);
	r.step_s = (r.low_s + r.high_s) / 2;
	return r;
}

static double
changed_at(
    const struct step_parts *p, const struct step_change *c, double gamma)
{
	const double exposed = fmax(0, p->exposed_s);
	const double compute = p->compute_s / c->speed;

	return compute +
	    fmax(0,
		c->cost * (exposed + gamma * p->compute_s) + c->extra_s -
		    gamma * compute);
}

struct step_range
step_changed(const struct step_parts *p, const struct step_change *c)
{
	if (isnan(p->gamma))
		return range_make(changed_at(p, c, 0), changed_at(p, c, 1));
	return range_make(
	    changed_at(p, c, p->gamma), changed_at(p, c, p->gamma));
}

struct step_range
step_from_link(double compute_s, double communication_s, double gamma)
{
	const double least = isnan(gamma) ? 1 : gamma;
	const double most = isnan(gamma) ? 0 : gamma;

	return range_make(
	    compute_s + fmax(0, communication_s - least * compute_s),
	    compute_s + fmax(0, communication_s - most * compute_s));
}

double
step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target)
{
	const double hidden = p->gamma * p->compute_s;
	const double allowed = baseline_s / target - p->compute_s;

	if (allowed < 0 || !(allowed + hidden > 0))
		return NAN;
	return bit_per_s * (fmax(0, p->exposed_s) + hidden) /
	    (allowed + hidden);
}
