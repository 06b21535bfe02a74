/* What to try next, and what to keep, by times of steps alone;
 * trainer/run/autotune.c measures them and puts plans to use. */
#include <config.h>

#include "trainer/tune/plan_tuner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Less than this is no reason to leave the first plan, more than this is one
 * to return to it, and to begin anew. */
static const double gain = 0.01, loss = 0.03, drift = 0.2;

enum { CHECKED = 10 }; /* steps after the decision */

void
plan_tuner_start(struct plan_tuner *p)
{
	memset(p, 0, sizeof *p);
	p->n = -1;
}

static void
forget_times(struct plan_tuner *p)
{
	p->n_seconds = 0;
}

static int
compare_seconds(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of the steps since the last look; the upper one of an even number. */
static double
median_time(struct plan_tuner *p)
{
	qsort(p->seconds, (size_t)p->n_seconds, sizeof *p->seconds,
	    compare_seconds);
	return p->seconds[p->n_seconds / 2];
}

static enum plan_tuner_event
decide_plan(struct plan_tuner *p)
{
	int best = 0;

	for (int i = 1; i <= p->n; i++)
		if (p->least[i] < p->least[best])
			best = i;
	if (p->least[best] >= (1 - gain) * p->least[0])
		best = 0;
	p->plan = best;
	p->kept = 1;
	forget_times(p);
	return PLAN_TUNER_DECIDED;
}

enum plan_tuner_event
plan_tuner_propose(struct plan_tuner *p, int n)
{
	assert(n >= 0 && n <= PLAN_TUNER_CANDIDATES && p->n < 0);
	p->n = n;
	if (n == 0)
		return decide_plan(p);
	p->plan = 1;
	forget_times(p);
	return PLAN_TUNER_USE;
}

/* The steps of a trial are over. */
static enum plan_tuner_event
end_trial(struct plan_tuner *p)
{
	double least = p->seconds[0];

	for (int i = 1; i < p->n_seconds; i++)
		least = p->seconds[i] < least ? p->seconds[i] : least;
	p->least[p->plan] = least;
	forget_times(p);
	if (p->n < 0)
		return PLAN_TUNER_PROBE;
	if (p->plan == p->n)
		return decide_plan(p);
	p->plan++;
	return PLAN_TUNER_USE;
}

/* One more step with the plan that is kept. */
static enum plan_tuner_event
watch_plan(struct plan_tuner *p)
{
	double median;

	if (p->usual == 0 && p->plan != 0 && p->n_seconds == CHECKED &&
	    median_time(p) > (1 + loss) * p->least[0]) {
		p->plan = 0;
		forget_times(p);
		return PLAN_TUNER_DECIDED;
	}
	if (p->n_seconds < PLAN_TUNER_WATCH)
		return PLAN_TUNER_NOTHING;
	median = median_time(p);
	forget_times(p);
	if (p->usual == 0) {
		p->usual = median;
		return PLAN_TUNER_NOTHING;
	}
	if (median <= (1 + drift) * p->usual)
		return PLAN_TUNER_NOTHING;
	plan_tuner_start(p);
	return PLAN_TUNER_AGAIN;
}

enum plan_tuner_event
plan_tuner_step(struct plan_tuner *p, double seconds)
{
	assert(p->kept || p->n >= 0 ||
	    p->step < PLAN_TUNER_WARM + PLAN_TUNER_TRIAL);
	if (p->step++ < PLAN_TUNER_WARM)
		return PLAN_TUNER_NOTHING;
	p->seconds[p->n_seconds++] = seconds;
	if (p->kept)
		return watch_plan(p);
	return p->n_seconds < PLAN_TUNER_TRIAL ? PLAN_TUNER_NOTHING
					       : end_trial(p);
}

int
plan_tuner_plan(const struct plan_tuner *p)
{
	return p->plan;
}

double
plan_tuner_time(const struct plan_tuner *p, int plan)
{
	return plan <= PLAN_TUNER_CANDIDATES ? p->least[plan] : 0;
}
