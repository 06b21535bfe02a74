#include <config.h>

#include "extract/log/log_collectives.h"

#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

/* True if both have the same name, kind and size. */
static int
is_alike(const void *list, size_t i, const void *key)
{
	const struct log_collective *x = key,
				    *y =
					(const struct log_collective *)list + i;

	return !(y->bytes < x->bytes) && !(y->bytes > x->bytes) &&
	    text_same(y->kind, x->kind) &&
	    text_same(y->collective, x->collective);
}

/* Hash of name, kind and size. */
static uint32_t
hash_of(const struct log_collective *x)
{
	const double bytes = x->bytes + 0.0; /* -0 is 0 */
	const uint32_t hash = hash_bytes(0, &bytes, sizeof bytes);

	return hash_text(hash_text(hash, x->kind), x->collective);
}

/* Mean of n values with mean a and k values with mean b; NAN if either is. */
static double
weighted_mean(double a, double n, double b, double k)
{
	return a + (b - a) * (k / (n + k));
}

/* The same for bandwidths of messages of one size: total bytes over total time.
 * The arithmetic mean would be larger if times differ. */
static double
mean_rate(double a, double n, double b, double k)
{
	return (n + k) / (n / a + k / b);
}

int
log_collectives_add(struct log *log, const struct log_collective *x, int merge)
{
	struct log_collective one = *x, *y;
	size_t i = HASH_INDEX_NONE;

	if (!(one.bytes >= 0))
		return -1;
	if (isnan(one.algorithm) && one.time_s > 0)
		one.algorithm = one.bytes / one.time_s / 1e9;
	if (merge && !(one.count > 0))
		one.count = 1;
	if (merge)
		i = hash_index_find(&log->collective_index, hash_of(&one),
		    is_alike, log->collectives, &one);
	if (i != HASH_INDEX_NONE) {
		y = &log->collectives[i];
		y->time_s =
		    weighted_mean(y->time_s, y->count, one.time_s, one.count);
		y->algorithm =
		    mean_rate(y->algorithm, y->count, one.algorithm, one.count);
		y->bus = mean_rate(y->bus, y->count, one.bus, one.count);
		y->count += one.count;
		return 0;
	}
	if (log->n_collectives == LOG_COLLECTIVES_MAX)
		return -1;
	log->collectives = vec_grow(log->collectives, log->n_collectives,
	    &log->alloc_collectives, sizeof *log->collectives);
	if (merge)
		hash_index_add(
		    &log->collective_index, hash_of(&one), log->n_collectives);
	log->collectives[log->n_collectives++] = one;
	return 0;
}

void
log_buckets_add(
    struct log *log, const struct log_bucket *x, const char *collective)
{
	if (collective == NULL || strcmp(collective, "allreduce") != 0) {
		log->split_buckets = 1;
		return;
	}
	if (log->n_buckets == LOG_BUCKETS_MAX)
		return;
	log->buckets = vec_grow(log->buckets, log->n_buckets,
	    &log->alloc_buckets, sizeof *log->buckets);
	log->buckets[log->n_buckets++] = *x;
}
