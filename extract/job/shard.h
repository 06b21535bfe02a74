/* A shard: part I of N of the runs of a tree, to distribute work over machines.
 *
 * Runs are distributed by file size. Each part holds successive runs, so that
 * files written run by run (--records) can be joined by cat.
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
	long of;    /* 0: no shard, the whole tree */
};

/* Read "I/N", or "auto": the position given by a launcher.
 *
 * auto reads OMPI_COMM_WORLD_RANK and _SIZE (Open MPI), PMI_RANK and PMI_SIZE
 * (MPICH, Intel), SLURM_PROCID and SLURM_NTASKS with several tasks (srun),
 * SLURM_ARRAY_TASK_ID with _MIN and _COUNT (an array job without gaps).
 *
 * Returns 0, or -1 with ERROR_USAGE. */
int shard_parse(const char *text, struct shard *out, struct error *e);

/* Range of the shard's runs: [first, end). Each run is in one of N shards.
 *
 * weights  [n] above 0: cost of reading each run, in any unit */
void shard_range(const struct shard *shard, const double *weights, size_t n,
    size_t *first, size_t *end);

#endif
