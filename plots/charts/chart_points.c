/* Cases as points of a chart over GPUs: what they have to draw, and whether a
 * chart draws it.  Called by chart.c, which makes series of them, and
 * chart_texts.c, which states what is missing. */
#include <config.h>

#include "plots/charts/chart_points.h"

#include <math.h>

double
chart_ideal_share(const struct result_case *c)
{
	return c->efficiency / c->speedup;
}

void
chart_point_set_runs(struct chart_point *p, const struct result_case *c)
{
	if (c->n_runs > 1 && c->n_runs <= CHART_MAX_RUNS_SHOWN) {
		p->runs = c->runs;
		p->n_runs = c->n_runs;
	}
}

void
chart_point_of_case(struct chart_point *p, const struct result_case *c)
{
	double share = 100 * chart_ideal_share(c);

	*p = (struct chart_point){ .x = (double)c->gpus, .name = c->name };
	chart_point_set_runs(p, c);
	p->y[CHART_VALUE] = (struct chart_number){ c->median_speed,
		c->median_low, c->median_high };
	p->level[CHART_VALUE] = c->median_level;
	p->y[CHART_SPEEDUP] = (struct chart_number){ c->speedup, c->speedup_low,
		c->speedup_high };
	p->level[CHART_SPEEDUP] = c->speedup_level;
	p->y[CHART_EFFICIENCY] = (struct chart_number){ 100 * c->efficiency,
		c->speedup_low * share, c->speedup_high * share };
	p->level[CHART_EFFICIENCY] = c->speedup_level;
}

int
chart_point_is_drawn(const struct chart *chart, const struct chart_point *p)
{
	double y = p->y[chart->quantity].at;

	return isfinite(y) && y > 0;
}

int
chart_draws(const struct chart *chart, const struct series_point *p)
{
	struct chart_point drawn;

	if (chart->fill != NULL)
		return chart->draws == NULL || chart->draws(p->c);
	chart_point_of_case(&drawn, p->c);
	return p->c->gpus > 0 && chart_point_is_drawn(chart, &drawn);
}
