/* Collectives by size: the bins that reports on Horovod's responses use, 1 KiB,
 * 1 MiB, then each 10 MiB up to 100 MiB, each 50 MiB up to 1000 MiB, and all
 * above; and the collectives of a case of a result put into them.
 *
 *	struct collective_bin bins[SIZE_BINS];
 *	size_t n = collective_groups_by_size(c, bins);
 */
#ifndef COMMON_RESULT_COLLECTIVE_GROUPS_H
#define COMMON_RESULT_COLLECTIVE_GROUPS_H

#include <stddef.h>

#include "common/result/result.h"

enum { SIZE_BINS = 31, SIZE_LABEL_SIZE = 32 };

/* The bin, from 0, of a size in bytes, >= 0.  Its bounds are (from, to]; the
 * first one holds 0 too. */
int size_bin(double bytes);

/* Where a bin ends; INFINITY for the last one. */
double size_bin_end(int bin);

/* "(1KB, 1MB]", the last one ">1000MB": units of 1024, as in the reports.
 *
 * comma  between the bounds: ", " */
void size_bin_label(int bin, const char *comma, char label[SIZE_LABEL_SIZE]);

/* 1: x is what a log states of all operations of a bin ("by-size"), its bytes
 * their mean; 0: it is of one size. */
int collective_is_by_size(const struct result_collective *x);

/* The operations of a bin. */
struct collective_bin {
	int bin;
	double count;   /* of a run */
	double bytes;   /* all of them, of a run */
	double seconds; /* the same */
	double bus;     /* what a link carried over the time of all, GB/s; NAN:
	                   unknown */
	double share;   /* of the time of all bins */
};

/* The operations that the runs of a case made, where their number is known: the
 * mean over the runs that report it.  Of a run that reports them twice, each
 * and by size, the latter count, because each may be a sample.
 *
 * bins   gets those that are not empty, by size
 * n_runs set to the number of those runs
 *
 * Returns the number of bins. */
size_t collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs);

#endif
