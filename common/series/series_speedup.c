/* Speedups over a series that several results make together: extract_logs
 * computed those of each file over its own baseline, so that a file of one case
 * gives 1. */
#include <config.h>

#include "common/series/series_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"

static int
may_be_baseline(const struct series_point *c, const struct series_point *base)
{
	const char *wanted = c->source->result.rule.baseline;
	const char *x = result_case_device(c->c),
		   *y = result_case_device(base->c);
	struct work_scale scale;

	if (wanted != NULL &&
	    (base->c->name == NULL || strcmp(wanted, base->c->name) != 0))
		return 0;
	if (x != NULL && y != NULL && strcmp(x, y) != 0)
		return 0;
	return isfinite(base->c->median_speed) &&
	    work_scale_of(c->c, base->c,
		result_rule_is_strong(&c->source->result.rule), &scale);
}

/* The points stand by GPUs, then nodes: the first that may is the best. */
static const struct series_point *
first_baseline(const struct series *s, const struct series_point *c)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (may_be_baseline(c, &s->points[i]))
			return &s->points[i];
	return NULL;
}

static void
fill_interval(struct result_case *c, const struct result_case *base,
    const struct work_scale *scale, double confidence)
{
	struct rounded_runs own, other;
	struct interval in;

	work_rates_of_runs(c, scale->kind, scale->own, &own);
	work_rates_of_runs(base, scale->kind, scale->base, &other);
	if (rounded_ratio(&own, &other, confidence, &in, NULL) == 0) {
		c->speedup_low = in.low;
		c->speedup_high = in.high;
		c->speedup_level = in.level;
	}
	rounded_runs_release(&own);
	rounded_runs_release(&other);
}

/* A copy of the point's case with its speedup over base, which may be NULL. */
static const struct result_case *
rebased_case(struct arena *a, const struct series_point *p,
    const struct series_point *base)
{
	const double asked = p->source->result.rule.confidence;
	struct result_case *c = arena_alloc(a, sizeof *c);
	struct work_scale scale;

	*c = *p->c;
	c->baseline = NULL;
	c->baseline_flag = 0;
	c->speedup = c->efficiency = NAN;
	c->speedup_low = c->speedup_high = c->speedup_level = NAN;
	if (base == NULL || !isfinite(c->median_speed) ||
	    !work_scale_of(c, base->c,
		result_rule_is_strong(&p->source->result.rule), &scale))
		return c;
	c->baseline = base->c->name;
	c->baseline_flag =
	    p->source->result.rule.baseline == NULL && base->c->gpus != 1;
	c->speedup = work_rate(scale.kind, c->median_speed, scale.own) /
	    work_rate(scale.kind, base->c->median_speed, scale.base);
	if (!isnormal(c->speedup))
		c->speedup = NAN;
	c->efficiency = c->speedup * (double)base->c->gpus / (double)c->gpus;
	if (p != base && c->n_runs > 0 && base->c->n_runs > 0)
		fill_interval(c, base->c, &scale,
		    isnan(asked) ? DEFAULT_CONFIDENCE : asked);
	return c;
}

static int
is_of_several_sources(const struct series *s)
{
	for (size_t i = 1; i < s->n_points; i++)
		if (s->points[i].source != s->points[0].source)
			return 1;
	return 0;
}

void
series_speedup(struct series *s, struct arena *a)
{
	const struct result_case **rebased;

	if (!is_of_several_sources(s))
		return;
	rebased = xcalloc(s->n_points, sizeof *rebased);
	for (size_t i = 0; i < s->n_points; i++)
		rebased[i] = rebased_case(
		    a, &s->points[i], first_baseline(s, &s->points[i]));
	for (size_t i = 0; i < s->n_points; i++)
		s->points[i].c = rebased[i];
	free(rebased);
}
