/* Checks for refusals, and their messages. */
#include <config.h>

#include "predict/forecast/refusal.h"

#include <math.h>

const char *const refusal_words[] = { [REFUSAL_NONE] = "none",
	[REFUSAL_MEASURED] = "measured",
	[REFUSAL_METRIC] = "metric",
	[REFUSAL_BATCH] = "batch",
	[REFUSAL_NODES] = "nodes",
	[REFUSAL_GPUS_PER_NODE] = "gpus-per-node",
	[REFUSAL_ONE_NODE_COUNT] = "one-node-count",
	[REFUSAL_TOO_FEW] = "too-few",
	[REFUSAL_CASE_TWICE] = "case-twice",
	[REFUSAL_SUPERLINEAR] = "superlinear",
	[REFUSAL_TOO_FAR] = "too-far",
	[REFUSAL_TRANSFER] = "transfer" };

static const struct refusal none = { REFUSAL_NONE, NULL };

/* "s" after all numbers but 1. */
static const char *
plural_ending(double n)
{
	return n == 1 ? "" : "s";
}

/* --- points --------------------------------------------------------------- */

static struct refusal
check_counts(const struct scaling_row *row, struct arena *a)
{
	size_t different = row->n > 0;

	for (size_t i = 1; i < row->n; i++)
		different += row->points[i].m > row->points[i - 1].m;
	if (different >= 2)
		return none;
	if (row->axis == DOUBLING_COLUMN)
		return (struct refusal){ REFUSAL_TOO_FEW,
			arena_printf(a,
			    "%zu case%s%s; at least two different counts are "
			    "needed",
			    row->n, plural_ending((double)row->n),
			    row->flat ? "" : " on one node") };
	return (struct refusal){ REFUSAL_ONE_NODE_COUNT,
		arena_printf(a,
		    "all cases with %ld GPU%s a node have %.0f node%s: how "
		    "the network slows training is not in the data; measure "
		    "one more node count, or give a benchmark of the network",
		    row->gpus_per_node,
		    plural_ending((double)row->gpus_per_node), row->points[0].m,
		    plural_ending(row->points[0].m)) };
}

static struct refusal
check_twice(const struct scaling_row *row, struct arena *a)
{
	for (size_t i = 1; i < row->n; i++) {
		if (row->points[i].m > row->points[i - 1].m)
			continue;
		if (row->axis == DOUBLING_COLUMN)
			return (struct refusal){ REFUSAL_CASE_TWICE,
				row->flat
				    ? "two cases have the same count"
				    : "two cases on one node have the same "
				      "count" };
		return (struct refusal){ REFUSAL_CASE_TWICE,
			arena_printf(a,
			    "two cases with %ld GPU%s a node have the same "
			    "count",
			    row->gpus_per_node,
			    plural_ending((double)row->gpus_per_node)) };
	}
	return none;
}

/* Index of the last point at which efficiency rises; 0: none. */
static size_t
last_rise(const struct scaling_row *row)
{
	size_t last = 0;

	for (size_t i = 1; i < row->n; i++)
		if (row->points[i].t < K_SUPERLINEAR * row->points[i - 1].t)
			last = i;
	return last;
}

static struct refusal
check_superlinear(const struct scaling_row *row, struct arena *a)
{
	for (size_t i = 1; i < row->n; i++) {
		const struct scaling_point *p = &row->points[i - 1];

		if (p[1].t >= K_SUPERLINEAR * p[0].t)
			continue;
		return (struct refusal){ REFUSAL_SUPERLINEAR,
			arena_printf(a,
			    "efficiency rises by %.0f %% from %.0f to %.0f "
			    "%s: these cases were not run in the same way",
			    100 * (p[0].t / p[1].t - 1), p[0].m, p[1].m,
			    row->axis == DOUBLING_ROW ? "nodes" : "GPUs") };
	}
	return none;
}

struct refusal
refusal_of_row(const struct scaling_row *row, struct arena *a)
{
	struct refusal r = check_counts(row, a);

	if (r.code == REFUSAL_NONE)
		r = check_twice(row, a);
	if (r.code == REFUSAL_NONE)
		r = check_superlinear(row, a);
	return r;
}

/* --- targets -------------------------------------------------------------- */

static struct refusal
check_target(const struct scaling_series *s, const struct scaling_row *row,
    const struct scaling_target *target, struct arena *a)
{
	if (scaling_series_find(
		s, target->nodes, target->gpus_per_node, target->gpus) != NULL)
		return (struct refusal){ REFUSAL_MEASURED,
			arena_printf(a, "%s is measured", target->name) };
	if (s->not_predicted != NULL)
		return (struct refusal){ REFUSAL_METRIC, s->not_predicted };
	if (!s->flat && target->nodes == RESULT_UNKNOWN)
		return (struct refusal){ REFUSAL_NODES,
			arena_printf(a,
			    "'%s' does not state how many nodes, as the cases "
			    "do (1n8g)",
			    target->name) };
	if (row->n == 0 && row->axis == DOUBLING_ROW)
		return (struct refusal){ REFUSAL_GPUS_PER_NODE,
			arena_printf(a, "no case has %ld GPU%s a node",
			    target->gpus_per_node,
			    plural_ending((double)target->gpus_per_node)) };
	return none;
}

static struct refusal
check_far(const struct scaling_row *row, const struct scaling_target *target,
    struct arena *a)
{
	const double farthest = exp2(K_FARTHEST);
	const double m = scaling_row_count(row, target);
	const double largest = row->points[row->n - 1].m;

	if (m > farthest * largest)
		return (struct refusal){ REFUSAL_TOO_FAR,
			arena_printf(a,
			    "%s is %.3g times the largest measured count; at "
			    "most %.0f times is predicted",
			    target->name, m / largest,
			    exp2(floor(K_FARTHEST))) };
	if (m * farthest < row->points[0].m)
		return (struct refusal){ REFUSAL_TOO_FAR,
			arena_printf(a,
			    "%s is too far below the smallest measured count",
			    target->name) };
	return none;
}

/* Drop the points before the last rise. */
static void
drop_before_rise(struct scaling_row *row)
{
	const size_t from = last_rise(row);

	for (size_t i = from; i < row->n; i++) {
		row->points[i - from] = row->points[i];
		row->cases[i - from] = row->cases[i];
	}
	row->n -= from;
}

struct refusal
refusal_check(const struct scaling_series *s, struct scaling_row *row,
    const struct scaling_target *target, int force, int *lifted,
    struct arena *a)
{
	struct refusal r = check_target(s, row, target, a);

	*lifted = 0;
	if (r.code == REFUSAL_NONE)
		r = check_counts(row, a);
	if (r.code == REFUSAL_ONE_NODE_COUNT && force) {
		*lifted = 1;
		r = none;
	}
	if (r.code == REFUSAL_NONE)
		r = check_twice(row, a);
	if (r.code == REFUSAL_NONE)
		r = check_superlinear(row, a);
	if (r.code == REFUSAL_SUPERLINEAR && force) {
		*lifted = 1;
		drop_before_rise(row);
		r = none;
	}
	if (r.code == REFUSAL_NONE)
		r = check_far(row, target, a);
	return r;
}
