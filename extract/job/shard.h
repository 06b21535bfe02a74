/* A shard: the I-th of N parts of the runs of a tree, for several machines to
 * share the work.
 *
 * Runs are dealt out by their files' sizes: part I holds runs that stand side
 * by side, so that what is written for each run in turn (--records) can be put
 * together by cat.
 *
 *	struct shard shard;
 *	if (shard_parse("2/8", &shard, &e) != 0) ...
 *	shard_range(&shard, weights, n, &first, &end);
 */
#ifndef EXTRACT_JOB_SHARD_H
#define EXTRACT_JOB_SHARD_H

#include <stddef.h>

#include "common/error.h"

enum { SHARD_MAX = 100000 };

struct shard {
	long index; /* 1..of */
	long of;    /* 0: no shard, all of it */
};

/* Read "I/N", or "auto": the place that a launcher gave the process.
 *
 * auto looks for OMPI_COMM_WORLD_RANK and _SIZE (Open MPI), PMI_RANK and
 * PMI_SIZE (MPICH, Intel), SLURM_PROCID and SLURM_NTASKS where there are
 * several tasks (srun), SLURM_ARRAY_TASK_ID with _MIN and _COUNT (an array of
 * jobs without gaps).
 *
 * Returns 0, or -1 with ERROR_USAGE. */
int shard_parse(const char *text, struct shard *out, struct error *e);

/* The runs of the shard: [first, end).  Each is in one of the N shards.
 *
 * weights  [n] above 0: what reading each of the runs costs, in any unit */
void shard_range(const struct shard *shard, const double *weights, size_t n,
    size_t *first, size_t *end);

#endif
