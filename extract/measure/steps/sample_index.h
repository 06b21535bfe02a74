/* Index of a run's samples in order of iterations. Checks whether samples of
 * the same iteration are ranks or a restart.
 *
 * Samples of the same epoch and iteration form a group; they are adjacent.
 */
#ifndef EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H
#define EXTRACT_MEASURE_STEPS_SAMPLE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/log/log.h"

/* Place of a sample: logs[log]->samples.items[index]. */
struct sample_place {
	int32_t epoch; /* as printed; the first one if iter is counted */
	int32_t iter;  /* as printed; counted per log if not printed */
	uint32_t log, index;
};

struct sample_index {
	const struct log *const *logs; /* [n_logs] */
	size_t n_logs;
	struct sample_place *items; /* [n] by epoch, iteration, log, line; NULL:
	                               the lines of one log are in that order
	                               and no iteration is repeated */
	size_t n;
	size_t *from, *to; /* [n_logs] the range of samples used of each log */
	int32_t *epochs;   /* printed numbers, in file order */
	size_t n_epochs, alloc_epochs;
	struct hash_index by_number; /* index of the epochs */
	int numbered; /* 0: no iterations are printed; iter is a count */
	int labelled; /* 1: all samples have a rank */
	int32_t max_label;
	int32_t hours;         /* corrected jumps of a clock by an hour */
	int has_zero;          /* 1: some iteration 0 is printed */
	int first_has_zero;    /* 1: one of the first epoch is */
	size_t most, least;    /* sizes of the largest and smallest group */
	double **stamps;       /* [n_logs] corrected; NULL: all as printed */
	enum remark_code flag; /* result of sample_index_check, or
	                          REMARK_NONE */
};

/* Index the samples of n_logs logs. The logs must outlive r.
 *
 * from, to  [n_logs] use samples from[i] to to[i] - 1 of log i; NULL: all */
void sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to);
void sample_index_release(struct sample_index *r);

static inline const struct sample *
sample_index_sample(const struct sample_index *r, const struct sample_place *p)
{
	return &r->logs[p->log]->samples.items[p->index];
}

/* Place of the i-th sample, i < n. */
static inline struct sample_place
sample_index_place(const struct sample_index *r, size_t i)
{
	const struct sample *x;

	if (r->items != NULL)
		return r->items[i];
	x = &r->logs[0]->samples.items[r->from[0] + i];
	return (struct sample_place){ r->numbered ? x->epoch : r->epochs[0],
		r->numbered ? x->iter : (int32_t)i, 0,
		(uint32_t)(r->from[0] + i) };
}

/* Time stamp of a sample, with corrected clocks. */
static inline double
sample_index_stamp(const struct sample_index *r, const struct sample_place *p)
{
	return r->stamps != NULL ? r->stamps[p->log][p->index]
				 : sample_index_sample(r, p)->stamp;
}

/* Rank of a sample: its log if there are several, else its label. */
static inline int32_t
sample_index_label(const struct sample_index *r, const struct sample_place *p)
{
	return r->n_logs > 1 ? (int32_t)p->log
			     : sample_index_sample(r, p)->rank;
}

/* End of the group that begins with the i-th sample. */
static inline size_t
sample_index_group_end(const struct sample_index *r, size_t i)
{
	const struct sample_place *p = r->items;
	size_t end = i + 1;

	while (p != NULL && end < r->n && p[end].iter == p[i].iter &&
	    p[end].epoch == p[i].epoch)
		end++;
	return end;
}

/* Index of the epoch with that number, which must exist; fast if it is
 * `last`. */
int32_t sample_index_epoch(
    const struct sample_index *r, int32_t number, int32_t last);

/* Starts of the attempts of a restarted job. Attempt i of log k consists of
 * samples starts[i * n_logs + k] to starts[(i + 1) * n_logs + k] - 1. */
struct attempts {
	size_t n;       /* 1: no restart was found */
	size_t *starts; /* [(n + 1) * n_logs] */
};

/* Find the attempts by the numbers of the iterations, in file order.
 *
 * An attempt begins where the numbers of a log (of each rank, if lines show it)
 * fall back by three lines or more and then rise again, as those of one
 * process. If many processes print and their lines fall back all the time, it
 * begins at the first line that is one too many for world ranks.
 *
 * world  number of ranks, or RESULT_UNKNOWN
 * usual  lines of most iterations: more falls than that are due to ranks that
 *        print in blocks */
void attempts_find(
    const struct sample_index *r, long world, size_t usual, struct attempts *a);
void attempts_release(struct attempts *a);

/* Check whether the samples of each group are ranks (see steps_make).
 *
 * world     number of ranks, or RESULT_UNKNOWN
 * attempts  set if they are not ranks and the job was restarted; NULL: do not
 *           look for attempts
 *
 * Returns 0; 1 if attempts was set; or -1 with EXCLUDED_RESTART. */
int sample_index_check(struct sample_index *r, long world,
    struct attempts *attempts, struct exclusion *x);

#endif
