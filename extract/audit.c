#include <config.h>

#include "extract/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats.h"

/* The steps that are looked at. */
struct series {
	double *position; /* running, ascending */
	double *time;     /* seconds */
	size_t n;
};

void
audit_init(struct result_audit *a)
{
	*a = (struct result_audit){ RESULT_UNKNOWN, NAN, NAN, NAN, NAN, NAN,
		NAN, NAN, NAN };
}

static void
collect(const struct steps *s, const struct window *w, double work,
    struct series *out, struct result_audit *a)
{
	struct stats_sum imbalance = STATS_SUM_INIT;
	size_t e, i, n = 0;
	long offset = 0;

	for (e = w->first_epoch; e <= w->last_epoch; e++) {
		for (i = s->epochs[e].first; i < s->epochs[e].end; i++) {
			const struct step *step = &s->items[i];
			const double t =
			    s->is_rate ? work / step->value : step->value;

			if (!isnan(step->imbalance)) {
				stats_sum_add(&imbalance, step->imbalance);
				n++;
			}
			if (!steps_value_ok(t, 0))
				continue;
			out->position[out->n] =
			    (double)(step->done - 1 + offset);
			out->time[out->n++] = t;
		}
		offset += s->epochs[e].length;
	}
	if (n > 0)
		a->imbalance = stats_sum_value(&imbalance) / (double)n;
}

/* The sorted block slides along: the step that leaves it makes room for the one
 * that comes. */
static void
slide(double *block, double leaves, double comes)
{
	size_t i = 0;

	while (block[i] < leaves)
		i++;
	for (; i + 1 < AUDIT_BLOCK && block[i + 1] < comes; i++)
		block[i] = block[i + 1];
	for (; i > 0 && block[i - 1] > comes; i--)
		block[i] = block[i - 1];
	block[i] = comes;
}

static long
find_settled(const struct series *s)
{
	const size_t half = s->n / 2;
	double block[AUDIT_BLOCK];
	double target;
	size_t i;

	if (s->n < AUDIT_BLOCK)
		return RESULT_UNKNOWN;
	target = stats_median(s->time + half, s->n - half);
	i = s->n - AUDIT_BLOCK;
	memcpy(block, s->time + i, sizeof block);
	stats_sort(block, AUDIT_BLOCK);
	for (;; i--) {
		const double median =
		    (block[AUDIT_BLOCK / 2 - 1] + block[AUDIT_BLOCK / 2]) / 2;

		if (fabs(median - target) >
		    target * AUDIT_SETTLED_PERCENT / 100)
			break;
		if (i == 0)
			return (long)s->position[0];
		slide(block, s->time[i - 1 + AUDIT_BLOCK], s->time[i - 1]);
	}
	/* Block i is off; the next one was not, if there is one. */
	if (i + AUDIT_BLOCK == s->n)
		return RESULT_UNKNOWN;
	return (long)s->position[i + 1];
}

static void
describe(struct series *s, long window_length, struct result_audit *a)
{
	const double median = stats_median(s->time, s->n);
	size_t i, stalls = 0;

	a->settled_at = find_settled(s);
	a->drift = stats_theil_sen(s->position, s->time, s->n) *
	    (double)window_length / median;
	a->cv = stats_cv(s->time, s->n);
	for (i = 0; i < s->n; i++)
		stalls += s->time[i] > AUDIT_STALL_FACTOR * median;
	a->stall_share = (double)stalls / (double)s->n;
	stats_sort(s->time, s->n);
	a->p5 = stats_quantile_sorted(s->time, s->n, 0.05);
	a->p50 = stats_quantile_sorted(s->time, s->n, 0.50);
	a->p95 = stats_quantile_sorted(s->time, s->n, 0.95);
	a->max = s->time[s->n - 1];
}

void
audit_make(const struct steps *s, const struct window *w, double work,
    long window_length, struct result_audit *a)
{
	struct series series = { NULL, NULL, 0 };

	audit_init(a);
	series.position = xcalloc(s->n, sizeof *series.position);
	series.time = xcalloc(s->n, sizeof *series.time);
	collect(s, w, work, &series, a);
	if (series.n > 0)
		describe(&series, window_length, a);
	free(series.position);
	free(series.time);
}
