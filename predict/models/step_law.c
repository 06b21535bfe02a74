#include <config.h>

#include "predict/models/step_law.h"

#include <assert.h>
#include <math.h>

#include "common/alloc.h"
#include "predict/models/constants.h"
#include "predict/models/growth.h"

static double
clamp_share(double x)
{
	return fmin(1, fmax(0, x));
}

double
step_overlap(const struct step_parts *p, double communication_s)
{
	if (!(p->exposed_s > 0))
		return NAN;
	return clamp_share((communication_s - p->exposed_s) / p->compute_s);
}

/* Both ends of an unknown overlap and their middle. */
static struct step_range
range_make(double gamma_0, double gamma_1)
{
	struct step_range r;

	r.low_s = fmin(gamma_0, gamma_1);
	r.high_s = fmax(gamma_0, gamma_1);
	r.step_s = (r.low_s + r.high_s) / 2;
	return r;
}

static double
changed_at(
    const struct step_parts *p, const struct step_change *c, double gamma)
{
	const double exposed = fmax(0, p->exposed_s);
	const double compute = p->compute_s / c->speed;

	return compute +
	    fmax(0,
		c->cost * (exposed + gamma * p->compute_s) + c->extra_s -
		    gamma * compute);
}

struct step_range
step_changed(const struct step_parts *p, const struct step_change *c)
{
	if (isnan(p->gamma))
		return range_make(changed_at(p, c, 0), changed_at(p, c, 1));
	return range_make(
	    changed_at(p, c, p->gamma), changed_at(p, c, p->gamma));
}

struct step_range
step_from_link(double compute_s, double communication_s, double gamma)
{
	const double least = isnan(gamma) ? 1 : gamma;
	const double most = isnan(gamma) ? 0 : gamma;

	return range_make(
	    compute_s + fmax(0, communication_s - least * compute_s),
	    compute_s + fmax(0, communication_s - most * compute_s));
}

double
step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target)
{
	const double hidden = p->gamma * p->compute_s;
	const double allowed = baseline_s / target - p->compute_s;

	if (allowed < 0 || !(allowed + hidden > 0))
		return NAN;
	return bit_per_s * (fmax(0, p->exposed_s) + hidden) /
	    (allowed + hidden);
}

double
bucket_step_time(const struct bucket_step *step, struct step_bucket *buckets,
    size_t n, allreduce_cost *cost, const void *context)
{
	const double stretch =
	    1 + step->sigma_s * expected_largest(step->ranks) / step->compute_s;
	double end = 0;

	for (size_t i = 0; i < n; i++) {
		struct step_bucket *b = &buckets[i];

		b->start_s = fmax(b->ready_s * stretch, end);
		b->end_s = b->start_s + cost(b->bytes, context);
		end = b->end_s;
	}
	return fmax(step->compute_s * stretch, end) + step->optimiser_s;
}

struct step_bucket *
buckets_assume(double bytes, double compute_s, size_t *n)
{
	const struct prediction_constants *k = &prediction_constants;
	struct step_bucket *buckets;
	const double first = compute_s * k->bucket_from;

	*n = (size_t)fmin(1e6, fmax(1, ceil(bytes / k->bucket_bytes)));
	buckets = xcalloc(*n, sizeof *buckets);
	for (size_t i = 0; i < *n; i++) {
		buckets[i].bytes =
		    fmin(k->bucket_bytes, bytes - (double)i * k->bucket_bytes);
		buckets[i].ready_s =
		    first + (compute_s - first) * (double)(i + 1) / (double)*n;
	}
	return buckets;
}

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
