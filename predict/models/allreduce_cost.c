/* Costs of an allreduce.  bucket_step.c and forecast_link.c ask; it knows
 * neither steps nor overlap. */
#include <config.h>

#include "predict/models/allreduce_cost.h"

#include <assert.h>
#include <math.h>

#include "predict/models/constants.h"

const char *const allreduce_algorithm_names[] = { "ring", "tree",
	"hierarchical", NULL };

/* ceil(log2 n), without rounding. */
static double
tree_depth(double n)
{
	double depth = 0;

	for (double reach = 1; reach < n; reach *= 2)
		depth++;
	return depth;
}

/* Members of the ring that the slowest link is in. */
static double
ring_members(const struct allreduce_layout *l)
{
	if (l->algorithm != ALLREDUCE_HIERARCHICAL)
		return (double)l->nodes * (double)l->gpus_per_node;
	return (double)(l->nodes > 1 ? l->nodes : l->gpus_per_node);
}

double
allreduce_share(const struct allreduce_layout *l)
{
	const double n = ring_members(l);

	if (l->algorithm == ALLREDUCE_TREE)
		return n > 1 ? 2 : 0;
	return 2 * (n - 1) / n;
}

double
allreduce_steps(const struct allreduce_layout *l)
{
	const double n = ring_members(l);

	if (l->algorithm == ALLREDUCE_TREE)
		return 2 * tree_depth(n);
	return 2 * (n - 1);
}

double
curve_time(const struct curve_point *points, size_t n, double bytes)
{
	const struct curve_point *p = points, *last = &points[n - 1];
	double share;

	assert(n > 0);
	if (bytes <= p->bytes)
		return p->seconds;
	if (bytes >= last->bytes)
		return last->seconds * (bytes / last->bytes);
	while (p[1].bytes < bytes)
		p++;
	share = log(bytes / p->bytes) / log(p[1].bytes / p->bytes);
	return exp(log(p->seconds) + share * log(p[1].seconds / p->seconds));
}

/* Seconds a byte, from the large sizes: between the largest one and the
 * largest of at most a quarter of it. */
static double
curve_slope(const struct curve_point *points, size_t n)
{
	const struct curve_point *last = &points[n - 1];
	const double most = last->seconds / last->bytes;

	for (size_t i = n - 1; i-- > 0;)
		if (points[i].bytes <=
		    last->bytes / prediction_constants.curve_tail)
			return fmin(most,
			    fmax(0,
				(last->seconds - points[i].seconds) /
				    (last->bytes - points[i].bytes)));
	return most;
}

double
curve_rescaled(const struct curve_point *points, size_t n,
    const struct allreduce_layout *from, const struct allreduce_layout *to,
    double rate, double bytes)
{
	const double moved = curve_slope(points, n) * bytes;
	const double latency = fmax(0, curve_time(points, n, bytes) - moved);

	if (allreduce_steps(from) == 0)
		return NAN;
	return latency * (allreduce_steps(to) / allreduce_steps(from)) +
	    moved * (allreduce_share(to) / allreduce_share(from)) / rate;
}

double
link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s)
{
	return prediction_constants.header_factor * 8 * allreduce_share(l) *
	    bytes / bit_per_s;
}
