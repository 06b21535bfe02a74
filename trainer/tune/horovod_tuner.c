/* Scores, and the search through all settings. */
#include <config.h>

#include "trainer/tune/horovod_tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "trainer/tune/gaussian_process.h"

enum { VARIABLES = 2, POINTS = 4 };

static const double low[VARIABLES] = { 0, 1 }, high[VARIABLES] = { 64, 100 };
/* MiB and ms, in the order in which they are sampled. */
static const double points[POINTS][VARIABLES] = { { 4, 5 }, { 32, 50 },
	{ 16, 25 }, { 8, 10 } };

/* The joint search for threshold and cycle time. */
struct joint_search {
	int free[VARIABLES]; /* which variables are searched, n_free of them */
	int n_free;
	int samples; /* of the present search */
	double best[VARIABLES];
	struct gaussian_process *values; /* NULL: nothing is free */
	uint64_t asked;                  /* times, so that no two are alike */
};

/* One switch, off first. */
struct switch_search {
	double best_score;
	int best;
};

struct horovod_search {
	struct horovod_tuner_config c;
	struct joint_search joint;
	struct switch_search switches[HOROVOD_SWITCHES];
	int ignored;

	double rates[HOROVOD_TUNER_RATES];
	int n_rates, steps;
	double start, bytes;
};

static int
count_free(const struct horovod_tuner_config *c)
{
	return !c->variable_fixed[0] + !c->variable_fixed[1];
}

long
horovod_tuner_samples(const struct horovod_tuner_config *c)
{
	long n = count_free(c) > 0 ? c->most + 1 : 1;

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

/* The fixed point i for what is searched. */
static void
take_point(struct horovod_tuner *t, int i)
{
	for (int k = 0; k < t->search->joint.n_free; k++)
		t->now.at[t->search->joint.free[k]] =
		    points[i][t->search->joint.free[k]];
}

struct horovod_tuner *
horovod_tuner_new(const struct horovod_tuner_config *c)
{
	struct horovod_tuner *t = xcalloc(1, sizeof *t);
	struct joint_search *j;

	t->search = xcalloc(1, sizeof *t->search);
	t->search->c = *c;
	j = &t->search->joint;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		t->now.on[i] = c->switch_fixed[i] ? c->fixed.on[i] : 0;
	for (int i = 0; i < VARIABLES; i++)
		if (c->variable_fixed[i])
			t->now.at[i] = c->fixed.at[i];
		else
			j->free[j->n_free++] = i;
	if (j->n_free > 0)
		j->values = gaussian_process_new(j->n_free, c->noise);
	take_point(t, 0);
	return t;
}

void
horovod_tuner_free(struct horovod_tuner *t)
{
	if (t == NULL)
		return;
	gaussian_process_free(t->search->joint.values);
	free(t->search);
	free(t);
}

void
horovod_tuner_start(struct horovod_tuner *t, double now)
{
	t->search->start = now;
	t->search->bytes = 0;
	t->search->n_rates = t->search->steps = 0;
}

/* Where the next sample of the joint search is taken. */
static void
take_next(struct horovod_tuner *t)
{
	struct joint_search *j = &t->search->joint;
	double x[VARIABLES], from[VARIABLES], to[VARIABLES];

	if (j->samples < POINTS) {
		take_point(t, j->samples);
		return;
	}
	for (int k = 0; k < j->n_free; k++) {
		from[k] = low[j->free[k]];
		to[k] = high[j->free[k]];
	}
	gaussian_process_fit(j->values);
	gaussian_process_next(
	    j->values, from, to, t->search->c.seed + j->asked++, x);
	for (int k = 0; k < j->n_free; k++)
		t->now.at[j->free[k]] = x[k];
}

/* One more score of the joint search.  Returns 1 when it is over: it begins
 * anew for the next combination of switches. */
static int
joint_score(struct horovod_tuner *t, double score)
{
	struct joint_search *j = &t->search->joint;
	double x[VARIABLES];

	if (score > t->best_score) {
		t->best_score = score;
		memcpy(j->best, t->now.at, sizeof j->best);
	}
	if (j->n_free == 0)
		return 1;
	for (int k = 0; k < j->n_free; k++)
		x[k] = t->now.at[j->free[k]];
	gaussian_process_add(j->values, x, score);
	j->samples++;
	if (j->samples <= t->search->c.most) {
		take_next(t);
		return 0;
	}
	gaussian_process_clear(j->values);
	j->samples = 0;
	take_point(t, 0);
	return 1;
}

/* The best score so far under the present value of switch i is known.  Returns
 * 1 when both values have been tried. */
static int
switch_score(struct horovod_tuner *t, int i, double score)
{
	struct switch_search *s = &t->search->switches[i];

	if (score > s->best_score) {
		s->best_score = score;
		s->best = t->now.on[i];
	}
	if (t->search->c.switch_fixed[i])
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
		if (!switch_score(t, i, t->best_score))
			return;
	t->done = 1;
	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		t->now.on[i] = t->search->switches[i].best;
	memcpy(t->now.at, t->search->joint.best, sizeof t->now.at);
}

int
horovod_tuner_step(struct horovod_tuner *t, double now, double bytes)
{
	double us;

	if (t->done)
		return 0;
	t->search->bytes += bytes;
	if (++t->search->steps < t->search->c.steps)
		return 0;
	us = floor((now - t->search->start) * 1e6);
	t->search->rates[t->search->n_rates++] =
	    t->search->bytes / (us > 0 ? us : 1);
	t->search->start = now;
	t->search->bytes = 0;
	t->search->steps = 0;
	if (t->search->n_rates < HOROVOD_TUNER_RATES)
		return 0;
	t->search->n_rates = 0;
	if (t->search->ignored++ < t->search->c.warmup)
		return 0;
	horovod_tuner_score(
	    t, stats_median(t->search->rates, HOROVOD_TUNER_RATES));
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
