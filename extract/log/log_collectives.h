/* Collectives in a log: rows of a benchmark, and operations of a training
 * merged by size.
 *
 *	const struct log_collective x = { .bytes = 4096, ... };
 *	log_collectives_add(log, &x, 1);
 */
#ifndef EXTRACT_LOG_LOG_COLLECTIVES_H
#define EXTRACT_LOG_LOG_COLLECTIVES_H

#include "extract/log/log.h"

enum {
	LOG_COLLECTIVES_MAX = 1 << 20, /* maximum per log */
	LOG_BUCKETS_MAX = 1 << 16      /* maximum of all traced steps */
};

/* Add a collective. Computes a missing algorithm bandwidth from bytes and time.
 *
 * x      its names must live as long as the log
 * merge  1: merge with those of the same name, kind and size: mean time,
 *        bandwidths as total bytes over total time, and the count
 *
 * Returns 0, or -1 if it has no size or the log is full. */
int log_collectives_add(
    struct log *log, const struct log_collective *x, int merge);

/* Add a bucket of a traced step, up to the maximum.
 *
 * collective  "allreduce"; for others, or NULL, the bucket consists of several
 *             operations without a common time and is only noted */
void log_buckets_add(
    struct log *log, const struct log_bucket *x, const char *collective);

#endif
