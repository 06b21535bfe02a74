/* The samples of a run in the order of its iterations, and the check whether
 * those that share an iteration are ranks or a restart.
 *
 * Samples of the same epoch and iteration are a group; they are adjacent.
 */
#ifndef EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H
#define EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/exclusion.h"
#include "extract/log/log.h"

/* Where a sample is: logs[log]->samples.items[index]. */
struct sample_place {
	int32_t epoch; /* index in the index's epochs */
	int32_t iter;  /* as printed; counted in its log where none was */
	uint32_t log, index;
};

struct sample_index {
	const struct log *const *logs; /* [n_logs] */
	size_t n_logs;
	struct sample_place *items; /* [n] by epoch, iteration, log, line */
	size_t n;
	size_t *from, *to; /* [n_logs] the samples of each log that count */
	int32_t *epochs;   /* printed numbers, in the order of the file */
	size_t n_epochs, alloc_epochs;
	struct hash_index by_number; /* of the epochs */
	int numbered; /* 0: no iteration was printed; iter is the count */
	int labelled; /* 1: each sample has a rank */
	int32_t max_label;
	int32_t hours; /* jumps of a clock by an hour that were corrected */
	int has_zero;  /* 1: an iteration 0 is printed, anywhere */
	int first_has_zero; /* 1: in the first epoch */
	size_t n_groups;
	size_t most, least; /* samples of the largest and smallest group */
	double **stamps;    /* [n_logs] corrected; NULL: all are as printed */
	enum remark_code flag; /* what sample_index_check found, or
	                          REMARK_NONE */
};

/* Put the samples of n_logs logs in order.  The logs must outlive r.
 *
 * from, to  [n_logs] only samples from[i] to to[i] - 1 of log i; NULL: all */
void sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to);
void sample_index_release(struct sample_index *r);

static inline const struct sample *
sample_index_sample(const struct sample_index *r, const struct sample_place *p)
{
	return &r->logs[p->log]->samples.items[p->index];
}

/* Its time stamp, with clocks that were set corrected. */
static inline double
sample_index_stamp(const struct sample_index *r, const struct sample_place *p)
{
	return r->stamps != NULL ? r->stamps[p->log][p->index]
				 : sample_index_sample(r, p)->stamp;
}

/* The rank of a sample: its log where there are several, else its label. */
static inline int32_t
sample_index_label(const struct sample_index *r, const struct sample_place *p)
{
	return r->n_logs > 1 ? (int32_t)p->log
			     : sample_index_sample(r, p)->rank;
}

/* The end of the group that begins with the i-th sample. */
size_t sample_index_group_end(const struct sample_index *r, size_t i);

/* Index of the epoch of that number, which exists; fast if it is that of index
 * last. */
int32_t sample_index_epoch(
    const struct sample_index *r, int32_t number, int32_t last);

/* Where each attempt of a job that was started again begins.  Attempt i of log
 * k is samples starts[i * n_logs + k] to starts[(i + 1) * n_logs + k] - 1. */
struct attempts {
	size_t n;       /* 1: it was not started again, as far as is known */
	size_t *starts; /* [(n + 1) * n_logs] */
};

/* Find the attempts by the numbers of the iterations, in the order of the
 * files.
 *
 * An attempt begins where the numbers of a log (of a rank in it, where lines
 * state by whom they are) fall back by three lines or more and rise again from
 * there, as one process's do; where many processes print and their lines fall
 * back all the time, at the first line that is one too many for world ranks.
 *
 * world  ranks in all, or RESULT_UNKNOWN
 * usual  lines of most iterations: where there are more falls than that, they
 *        are those of ranks that print in blocks */
void attempts_find(
    const struct sample_index *r, long world, size_t usual, struct attempts *a);
void attempts_release(struct attempts *a);

/* Check whether the samples of each group are ranks, as steps_make describes.
 *
 * world     ranks in all, or RESULT_UNKNOWN
 * attempts  filled if they are not and the job was started again; NULL: do not
 *           look for attempts
 *
 * Returns 0; 1 if attempts was filled; or -1 with EXCLUDED_RESTART. */
int sample_index_check(struct sample_index *r, long world,
    struct attempts *attempts, struct exclusion *x);

#endif
