/* The pipeline of buckets.  forecast_link.c calls it where ready times are
 * known, or assumes them. */
#include <config.h>

#include "predict/models/bucket_step.h"

#include <math.h>

#include "common/alloc.h"
#include "predict/models/constants.h"
#include "predict/models/growth.h"

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
