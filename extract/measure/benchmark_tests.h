/* Tests in the log of a benchmark of collectives (nccl-tests, OSU, Intel MPI):
 * a log may contain several tests, each a list of rows by size.
 *
 *	for (i = 0; benchmark_log(log) && i < log->n_collectives; i = end) {
 *		end = benchmark_test_end(log, i);
 *		figure = benchmark_figure(log, i, end, &room);
 *	}
 */
#ifndef EXTRACT_MEASURE_BENCHMARK_TESTS_H
#define EXTRACT_MEASURE_BENCHMARK_TESTS_H

#include <stddef.h>

#include "extract/log/log.h"

/* True if the rows were printed by a benchmark, not by a training. */
int benchmark_log(const struct log *log);

/* End of the test that begins at row i, up to n_collectives. A new test begins
 * if the size decreases, since benchmarks print sizes in ascending order, or if
 * the name changes. */
size_t benchmark_test_end(const struct log *log, size_t i);

/* The bandwidth of the test in rows [from, end), in GB/s: the printed summary,
 * else the bandwidth of its largest message. Returns NULL if there is none.
 *
 * room  buffer for the result */
const struct log_summary *benchmark_figure(
    const struct log *log, size_t from, size_t end, struct log_summary *room);

#endif
