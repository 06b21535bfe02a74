/* The tests in the log of a benchmark of collectives (nccl-tests, OSU, Intel
 * MPI): rows by size, several tests one after the other.
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

/* True if the rows are those of a benchmark, not of a training. */
int benchmark_log(const struct log *log);

/* The row after the test that begins at row i, up to n_collectives.  A
 * benchmark prints its sizes in rising order: another begins where they fall
 * back, or have another name. */
size_t benchmark_test_end(const struct log *log, size_t i);

/* The figure of the test in rows [from, end), in GB/s: what it printed after
 * them, else the bandwidth of its largest message.
 *
 * room  for it
 *
 * NULL: there is none. */
const struct log_summary *benchmark_figure(
    const struct log *log, size_t from, size_t end, struct log_summary *room);

#endif
