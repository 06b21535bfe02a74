/* Selects the plan to try next and the plan to keep, from step times alone. */
#include <config.h>

#include "trainer/tune/plan_model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/stats/stats.h"

/* Fractions of a step: least gain to leave the first plan, loss to return to
 * it, drift to start again. */
static const double gain = 0.01, loss = 0.03, drift = 0.2;

enum { CHECKED = 10 }; /* steps until the decision is checked */

void
plan_tuner_start(struct plan_tuner *p)
{
	memset(p, 0, sizeof *p);
	p->n = -1;
}

/* Reorders the array. */
static double
upper_median(double *x, int n)
{
	return stats_select(x, (size_t)n, (size_t)n / 2);
}

/* End of the second round: the two plans have three steps each. */
static enum plan_tuner_event
decide_plan(struct plan_tuner *p)
{
	p->plan = 0;
	if (p->n > 0) {
		const double best_s = plan_tuner_time(p, p->best);

		p->first_s = plan_tuner_time(p, 0);
		p->noise_s = sqrt(
		    (stats_variance(p->times[0].s, PLAN_TUNER_TIMES) +
			stats_variance(p->times[p->best].s, PLAN_TUNER_TIMES)) /
		    2);
		if (best_s < (1 - gain) * p->first_s &&
		    p->first_s - best_s > p->noise_s)
			p->plan = p->best;
	}
	p->kept = 1;
	p->n_seconds = 0;
	return PLAN_TUNER_DECIDED;
}

enum plan_tuner_event
plan_tuner_propose(struct plan_tuner *p, int n)
{
	assert(n >= 0 && n <= PLAN_TUNER_CANDIDATES && p->n < 0);
	p->n = n;
	return n == 0 ? decide_plan(p) : PLAN_TUNER_USE;
}

/* Record a step of a trial: one step of each plan, then of the first, two of
 * the fastest candidate, and of the first again. */
static enum plan_tuner_event
next_trial(struct plan_tuner *p, double seconds)
{
	struct plan_times *t = &p->times[p->plan];
	const int before = p->plan;
	int second; /* step number in the second round */

	assert(p->n > 0 && t->n < PLAN_TUNER_TIMES);
	t->s[t->n++] = seconds;
	second = ++p->trials - (p->n + 1);
	if (second == PLAN_TUNER_FINAL)
		return decide_plan(p);
	if (second == 0) {
		p->best = 1;
		for (int i = 2; i <= p->n; i++)
			if (p->times[i].s[0] < p->times[p->best].s[0])
				p->best = i;
	}
	p->plan = second < 0             ? p->trials
	    : second == 1 || second == 2 ? p->best
					 : 0;
	return p->plan != before ? PLAN_TUNER_USE : PLAN_TUNER_NOTHING;
}

/* Check the plan in use after a step. */
static enum plan_tuner_event
watch_plan(struct plan_tuner *p)
{
	double median;

	if (p->usual == 0 && p->plan != 0 && p->n_seconds == CHECKED &&
	    upper_median(p->seconds, p->n_seconds) >
		p->first_s + fmax(loss * p->first_s, p->noise_s)) {
		p->plan = 0;
		p->n_seconds = 0;
		return PLAN_TUNER_DECIDED;
	}
	if (p->n_seconds < PLAN_TUNER_WATCH)
		return PLAN_TUNER_NOTHING;
	median = upper_median(p->seconds, p->n_seconds);
	p->n_seconds = 0;
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
	if (p->step++ < PLAN_TUNER_WARM)
		return p->step == PLAN_TUNER_WARM ? PLAN_TUNER_PROBE
						  : PLAN_TUNER_NOTHING;
	assert(p->n >= 0);
	if (!p->kept)
		return next_trial(p, seconds);
	p->seconds[p->n_seconds++] = seconds;
	return watch_plan(p);
}

double
plan_tuner_time(const struct plan_tuner *p, int plan)
{
	struct plan_times t = p->times[plan];

	return t.n > 0 ? upper_median(t.s, t.n) : 0;
}
