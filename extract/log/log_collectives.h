/* Collectives in a log: each row of a benchmark, and those of a training summed
 * up by size.
 *
 *	const struct log_collective x = { .bytes = 4096, ... };
 *	log_collectives_add(log, &x, 1);
 */
#ifndef EXTRACT_LOG_LOG_COLLECTIVES_H
#define EXTRACT_LOG_LOG_COLLECTIVES_H

#include "extract/log/log.h"

enum {
	LOG_COLLECTIVES_MAX = 1 << 20, /* maximum number of a log */
	LOG_BUCKETS_MAX = 1 << 16      /* of all traced steps; the first ones */
};

/* Add one.  Its bandwidth over time is computed where it is missing.
 *
 * x      names live as long as the log
 * merge  1: merge those of the same name, kind and size: mean time, all bytes
 *        over all time as bandwidth, and their number
 *
 * Returns 0, or -1 if it has no size, or there are too many. */
int log_collectives_add(
    struct log *log, const struct log_collective *x, int merge);

/* Add one bucket of a traced step; beyond the maximum nothing is added.
 *
 * collective  other than "allreduce": a bucket is made of several operations,
 *             of which the log states no common time; or NULL */
void log_buckets_add(
    struct log *log, const struct log_bucket *x, const char *collective);

#endif
