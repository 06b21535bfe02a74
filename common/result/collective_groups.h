/* Histogram of the collectives of a case by message size. The bins are those of
 * reports on Horovod's responses: up to 1 KiB, 1 MiB, every 10 MiB up to 100
 * MiB, every 50 MiB up to 1000 MiB, and above.
 *
 *	struct collective_bin bins[SIZE_BINS];
 *	size_t n = collective_groups_by_size(c, bins);
 */
#ifndef COMMON_RESULT_COLLECTIVE_GROUPS_H
#define COMMON_RESULT_COLLECTIVE_GROUPS_H

#include <stddef.h>

#include "common/result/result.h"

enum { SIZE_BINS = 31, SIZE_LABEL_SIZE = 32 };

/* Bin, from 0, of a size in bytes, >= 0. Bins are intervals (from, to]; the
 * first includes 0. */
int size_bin(double bytes);

/* Upper bound of a bin; INFINITY for the last one. */
double size_bin_end(int bin);

/* Label of a bin: "(1KB, 1MB]", the last one ">1000MB"; units of 1024, as in
 * the reports.
 *
 * comma  between the bounds: ", " */
void size_bin_label(int bin, const char *comma, char label[SIZE_LABEL_SIZE]);

/* True if x sums up all operations of a bin ("by-size"), with their mean size
 * in bytes; 0 if x is for one size. */
int collective_is_by_size(const struct result_collective *x);

/* Operations of a bin. */
struct collective_bin {
	int bin;
	double count;   /* operations per run */
	double bytes;   /* bytes of all operations, per run */
	double seconds; /* time of all operations, per run */
	double bus;     /* bus bandwidth over the time of all operations, GB/s;
			   NAN: unknown */
	double share;   /* share of the time of all bins */
};

/* Group the operations of a case by size: the mean over the runs that report
 * their number. If a run reports them both singly and by size, the latter
 * count, because the former may be a sample.
 *
 * bins    receives the non-empty bins, by size
 * n_runs  set to the number of these runs
 *
 * Returns the number of bins. */
size_t collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs);

#endif
