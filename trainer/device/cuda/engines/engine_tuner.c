/* Time candidates and choose the fastest. */
#include <config.h>

#include "trainer/device/cuda/engines/engine_tuner.h"

#include <assert.h>

#include "common/stats/stats.h"

/* Candidates slower than this factor of the best are not timed again; single
 * runs vary by less. */
static const double NEAR = 1.3;

/* Usable candidate. */
struct engine_runner {
	int i;
	double seconds; /* second run, later lowest median of a round */
};

/* True if candidate i is the first of its engine. */
static int
begins_engine(const struct tune_task *t, int i)
{
	for (int k = 0; k < i; k++)
		if (t->engine[k] == t->engine[i])
			return 0;
	return 1;
}

/* Order in which candidates are tried. */
static void
put_in_order(const struct tune_task *t, int *order)
{
	int n = 0;

	for (int i = 0; i < t->n && i < TUNE_FIRST; i++)
		order[n++] = i;
	for (int others = 0; others < 2; others++)
		for (int i = TUNE_FIRST; i < t->n; i++)
			if (begins_engine(t, i) == !others)
				order[n++] = i;
}

/* Run candidate i twice; the first run warms up. */
static int
try_candidate(
    const struct tune_task *t, int i, struct engine_runner *r, struct error *e)
{
	double seconds[2] = { 0, 0 };

	*r = (struct engine_runner){ i, 0 };
	if (t->prepare(t->ctx, i, e) != 0 ||
	    t->time(t->ctx, i, 2, seconds, e) != 0)
		return -1;
	r->seconds = seconds[1];
	return 0;
}

/* Insert r into the n sorted entries, after equal ones. Returns its index. */
static int
insert_runner(struct engine_runner *best, int n, struct engine_runner r)
{
	int at = n;

	while (at > 0 && best[at - 1].seconds > r.seconds) {
		best[at] = best[at - 1];
		at--;
	}
	best[at] = r;
	return at;
}

/* Time the best and those near it again; medians replace the single runs.
 * Returns the number timed. */
static int
time_again(const struct tune_task *t, struct engine_runner *all, int n,
    struct error *e)
{
	const double most = NEAR * all[0].seconds;
	double seconds[TUNE_TIMES], median;
	int few = 1;

	while (few < n && few < TUNE_BEST && all[few].seconds <= most)
		few++;
	for (int round = 0; round < TUNE_ROUNDS && !t->is_over(t->ctx); round++)
		for (int k = 0; k < few; k++) {
			if (t->time(t->ctx, all[k].i, TUNE_TIMES, seconds, e) !=
			    0)
				return -1;
			median = stats_median(seconds, TUNE_TIMES);
			if (round == 0 || median < all[k].seconds)
				all[k].seconds = median;
		}
	return few;
}

int
tune(const struct tune_task *t, double *seconds, struct error *e)
{
	struct engine_runner all[TUNE_MAX], r;
	int order[TUNE_MAX], n = 0, vain = 0, few;

	assert(t->n <= TUNE_MAX);
	put_in_order(t, order);
	for (int k = 0; k < t->n && vain < TUNE_VAIN; k++) {
		if (n > 0 && t->is_over(t->ctx))
			break;
		if (try_candidate(t, order[k], &r, e) != 0)
			continue;
		vain = insert_runner(all, n++, r) == 0 ? 0 : vain + 1;
	}
	if (n == 0)
		return t->n > 0
		    ? -1
		    : error_set(e, ERROR_EMPTY, "there is no candidate");
	few = time_again(t, all, n, e);
	if (few < 0)
		return -1;
	r = all[0];
	for (int k = 1; k < few; k++)
		if (all[k].seconds < r.seconds ||
		    (all[k].seconds <= r.seconds && all[k].i < r.i))
			r = all[k];
	*seconds = r.seconds;
	return r.i;
}
