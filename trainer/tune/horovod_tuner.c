/* Scores, and the search over all settings. */
#include <config.h>

#include "trainer/tune/horovod_tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

enum { VARIABLES = 2, POINTS = 4 };

static const double low[VARIABLES] = { 0, 1 }, high[VARIABLES] = { 64, 100 };
/* MiB and ms, in the order in which they are sampled. */
static const double points[POINTS][VARIABLES] = { { 4, 5 }, { 32, 50 },
	{ 16, 25 }, { 8, 10 } };

long
horovod_tuner_samples(const struct horovod_tuner_config *c)
{
	const int joint = !c->variable_fixed[0] || !c->variable_fixed[1];
	long n = joint ? c->most + 1 : 1;

	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		n *= c->switch_fixed[i] ? 1 : 2;
	return n;
}

long
horovod_tuner_steps(const struct horovod_tuner_config *c)
{
	return (horovod_tuner_samples(c) + c->warmup) * HOROVOD_TUNER_RATES *
	    c->steps;
}

/* Set the variables that are not fixed to point i. */
static void
take_point(struct horovod_tuner *t, int i)
{
	for (int k = 0; k < t->n_free; k++)
		t->now.at[t->free[k]] = points[i][t->free[k]];
}

struct horovod_tuner *
horovod_tuner_new(const struct horovod_tuner_config *c)
{
	struct horovod_tuner *t = xcalloc(1, sizeof *t);

	t->c = *c;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		t->now.on[i] = c->switch_fixed[i] ? c->fixed.on[i] : 0;
	for (int i = 0; i < VARIABLES; i++)
		if (c->variable_fixed[i])
			t->now.at[i] = c->fixed.at[i];
		else
			t->free[t->n_free++] = i;
	t->values.dims = t->n_free;
	t->values.noise = c->noise;
	take_point(t, 0);
	return t;
}

void
horovod_tuner_free(struct horovod_tuner *t)
{
	if (t == NULL)
		return;
	gaussian_process_clear(&t->values);
	free(t);
}

void
horovod_tuner_start(struct horovod_tuner *t, double now)
{
	t->start = now;
	t->bytes = 0;
	t->n_rates = t->steps = 0;
}

/* Set the next sample of threshold and cycle time. */
static void
take_next(struct horovod_tuner *t)
{
	double x[VARIABLES], from[VARIABLES], to[VARIABLES];

	if (t->samples < POINTS) {
		take_point(t, t->samples);
		return;
	}
	for (int k = 0; k < t->n_free; k++) {
		from[k] = low[t->free[k]];
		to[k] = high[t->free[k]];
	}
	gaussian_process_fit(&t->values);
	gaussian_process_next(&t->values, from, to, t->c.seed + t->asked++, x);
	for (int k = 0; k < t->n_free; k++)
		t->now.at[t->free[k]] = x[k];
}

/* Add the score of a threshold and cycle time. Returns 1 at the end of their
 * search, which restarts with the next combination of switches. */
static int
joint_score(struct horovod_tuner *t, double score)
{
	double x[VARIABLES];

	if (score > t->best_score) {
		t->best_score = score;
		memcpy(t->best_at, t->now.at, sizeof t->best_at);
	}
	if (t->n_free == 0)
		return 1;
	for (int k = 0; k < t->n_free; k++)
		x[k] = t->now.at[t->free[k]];
	gaussian_process_add(&t->values, x, score);
	t->samples++;
	if (t->samples <= t->c.most) {
		take_next(t);
		return 0;
	}
	gaussian_process_clear(&t->values);
	t->samples = 0;
	take_point(t, 0);
	return 1;
}

/* Record the best score so far for the current value of switch i. Returns 1
 * after both values. */
static int
switch_score(struct horovod_tuner *t, int i)
{
	if (t->best_score > t->switch_score[i]) {
		t->switch_score[i] = t->best_score;
		t->best_on[i] = t->now.on[i];
	}
	if (t->c.switch_fixed[i])
		return 1;
	t->now.on[i] = !t->now.on[i];
	return !t->now.on[i];
}

void
horovod_tuner_score(struct horovod_tuner *t, double score)
{
	if (t->done)
		return;
	t->last = t->now;
	t->last_score = score;
	if (!joint_score(t, score))
		return;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		if (!switch_score(t, i))
			return;
	t->done = 1;
	memcpy(t->now.on, t->best_on, sizeof t->now.on);
	memcpy(t->now.at, t->best_at, sizeof t->now.at);
}

int
horovod_tuner_step(struct horovod_tuner *t, double now, double bytes)
{
	double us;

	if (t->done)
		return 0;
	t->bytes += bytes;
	if (++t->steps < t->c.steps)
		return 0;
	us = floor((now - t->start) * 1e6);
	t->rates[t->n_rates++] = t->bytes / (us > 0 ? us : 1);
	t->start = now;
	t->bytes = 0;
	t->steps = 0;
	if (t->n_rates < HOROVOD_TUNER_RATES)
		return 0;
	t->n_rates = 0;
	if (t->ignored++ < t->c.warmup)
		return 0;
	horovod_tuner_score(t, stats_median(t->rates, HOROVOD_TUNER_RATES));
	return 1;
}

void
horovod_tuner_head(struct strbuf *sb)
{
	strbuf_addstr(sb,
	    "hierarchical_allreduce,hierarchical_allgather,cache_enabled,"
	    "cycle_time_ms,tensor_fusion_threshold,score\n");
}

void
horovod_tuner_row(
    const struct horovod_setting *s, double score, struct strbuf *sb)
{
	strbuf_printf(sb, "%d,%d,%d,%g,%g,%g\n",
	    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE],
	    s->on[HOROVOD_HIERARCHICAL_ALLGATHER], s->on[HOROVOD_CACHE_ENABLED],
	    s->at[HOROVOD_CYCLE_MS], s->at[HOROVOD_THRESHOLD_MIB], score);
}
