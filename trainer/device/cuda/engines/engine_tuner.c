/* Times decide which candidate is the best.  gpu_tune.c hands in what
 * prepares and measures one. */
#include <config.h>

#include "trainer/device/cuda/engines/engine_tuner.h"

#include <assert.h>

#include "common/stats/stats.h"

/* A candidate that can be used. */
struct engine_runner {
	int i;
	double seconds; /* least median */
};

static int
measure_engine(
    const struct tune_task *t, struct engine_runner *r, struct error *e)
{
	double seconds[TUNE_TIMES], median;

	if (t->time(t->ctx, r->i, TUNE_TIMES, seconds, e) != 0)
		return -1;
	median = stats_median(seconds, TUNE_TIMES);
	if (r->seconds < 0 || median < r->seconds)
		r->seconds = median;
	return 0;
}

/* Time candidate i, if it can be used. */
static int
try_candidate(
    const struct tune_task *t, int i, struct engine_runner *r, struct error *e)
{
	size_t workspace = 0;

	r->i = i;
	r->seconds = -1;
	if (t->prepare(t->ctx, i, &workspace, e) != 0)
		return -1;
	if (workspace > t->workspace_limit)
		return error_set(e, ERROR_LIMIT,
		    "it needs %zu bytes of workspace, %zu may be taken",
		    workspace, t->workspace_limit);
	return measure_engine(t, r, e);
}

/* Put r among the n best so far, after its equals. */
static void
insert_runner(struct engine_runner *best, int n, struct engine_runner r)
{
	int at = n;

	while (at > 0 && best[at - 1].seconds > r.seconds) {
		best[at] = best[at - 1];
		at--;
	}
	best[at] = r;
}

int
tune(const struct tune_task *t, struct tune_result *out, struct error *e)
{
	struct engine_runner all[TUNE_MAX], r;
	int n = 0, few;

	assert(t->n <= TUNE_MAX);
	for (int i = 0; i < t->n; i++)
		if (try_candidate(t, i, &r, e) == 0)
			insert_runner(all, n++, r);
	if (n == 0)
		return t->n > 0
		    ? -1
		    : error_set(e, ERROR_EMPTY, "there is no candidate");
	few = n < TUNE_BEST ? n : TUNE_BEST;
	for (int round = 0; few > 1 && round < TUNE_ROUNDS; round++)
		for (int k = 0; k < few; k++)
			if (measure_engine(t, &all[k], e) != 0)
				return -1;
	r = all[0];
	for (int k = 1; k < few; k++)
		if (all[k].seconds < r.seconds ||
		    (all[k].seconds <= r.seconds && all[k].i < r.i))
			r = all[k];
	*out = (struct tune_result){ r.i, r.seconds, n };
	return 0;
}
