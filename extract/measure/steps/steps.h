/* Convert samples to steps: the lines of a run in order of iterations, merging
 * ranks that printed the same iteration (doc/measurement.md, "Positions",
 * "Ranks").
 *
 * All counts are iterations, never lines. A step covers the iterations of its
 * epoch from `from` (done before it) to `done` (done after it), so that
 * position k, the (k+1)-th iteration, is the step (k, k+1].
 *
 *	struct steps s;
 *	if (steps_make(&from, &s, &x) != 0)
 *		... x states why the run does not count ...
 *	for (w = steps_walk(&s, epoch); steps_next(&w, &step);)
 *		... step.value ...
 *	steps_release(&s);
 *
 * Steps are not stored, since a log has one per line.
 */
#ifndef EXTRACT_MEASURE_STEPS_STEPS_H
#define EXTRACT_MEASURE_STEPS_STEPS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "extract/log/log.h"
#include "common/hash_index.h"

/* --- Samples in their order ------------------------------------------------*/

/* Index of a run's samples in order of iterations. Checks whether samples of
 * the same iteration are ranks or a restart.
 *
 * Samples of the same epoch and iteration form a group; they are adjacent. */

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
	int has_zero;          /* 1: an iteration 0 is printed */
	int first_has_zero;    /* 1: in the first epoch, too */
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
	size_t *starts; /* [(n + 1) * n_logs], in an arena */
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
void attempts_find(const struct sample_index *r, long world, size_t usual,
    struct arena *arena, struct attempts *a);

/* Check whether the samples of each group are ranks (see steps_make).
 *
 * world     number of ranks, or RESULT_UNKNOWN
 * attempts  set, in a, if they are not ranks and the job was restarted; NULL:
 *           do not look for attempts
 *
 * Returns 0; 1 if attempts was set; or -1 with EXCLUDED_RESTART. */
int sample_index_check(struct sample_index *r, long world, struct arena *a,
    struct attempts *attempts, struct exclusion *x);

/* --- Steps -----------------------------------------------------------------*/

/* Larger values are invalid: a run with one in its window is excluded. */
#define STEPS_MAX_SECONDS 1e6 /* per iteration: 11 days */
#define STEPS_MAX_RATE 1e18   /* units per second */

struct step {
	double value;        /* seconds per iteration, or units per second: mean
	                        over the ranks, or their sum if each value
	                        covers a part of the job */
	uint32_t line;       /* first line of the step */
	int32_t from, done;  /* iterations of the epoch done before and after */
	int32_t last;        /* number of the last one, as printed */
	uint32_t entry;      /* number of its first sample in steps.index */
	unsigned ranks : 30; /* number of ranks that printed it */
	unsigned empty : 1;  /* no value: first point in time of an epoch, or
	                        ranks are missing */
	unsigned bad : 1;    /* the value is not a valid time or rate */
};

#define STEPS_MAX_RANKS ((1U << 30) - 1)

/* Values printed on the lines of a step. */
struct step_lines {
	double record;    /* mean or sum, before taking differences */
	double second;    /* mean of their sample.second */
	double imbalance; /* (max - mean) / mean of the ranks' times; NAN for
	                     one rank */
	int64_t first_line, last_line;
	int64_t bad_line; /* line of an invalid value; 0: none */
	size_t source;    /* log number of bad_line, else of first_line */
};

/* The steps of one epoch. */
struct steps_epoch {
	long number;       /* as printed, or SAMPLE_NONE */
	long length;       /* number of iterations, as far as the log shows */
	size_t first, end; /* samples first to end - 1 of steps.index */
	size_t n;          /* steps */
	long first_done;   /* `done` of the first step */
	long base;         /* number of its first iteration */
	long start;        /* previous iterations, if numbers run on */
};

struct steps {
	struct arena arena;
	size_t n;                   /* steps of all epochs */
	long last, last_done;       /* number of the last step, as printed; its
	                         `done` */
	struct steps_epoch *epochs; /* [n_epochs] in file order */
	size_t n_epochs;
	int is_rate;   /* unit of values: 1 units/s, 0 seconds */
	int instant;   /* 1: a value covers a single iteration, whatever the
	                  distance to the previous line */
	int points;    /* 1: from time stamps; no value for the first of an
	                  epoch */
	int by_mean;   /* 1: values are differences of the running means printed
	                  next to instants, see steps_read_means */
	int counts_on; /* 1: numbers run on through the epochs */
	int numbered;  /* 0: iterations are not printed but counted */
	long spacing;  /* usual distance of printed iterations, >= 1 */
	long ranks;    /* maximum ranks per iteration */
	size_t full;   /* ranks of most steps; 0: varying */
	int unscaled;  /* 1: rates cover the ranks (or nodes) that printed; the
	                  total number is unknown */
	enum value_scope scope;
	struct log_units units; /* of all logs */
	size_t attempts;        /* known attempts of the job */
	struct attempts tries;  /* their starts if there are several */
	struct remark *flags;   /* for result_run.flags */
	size_t n_flags;
	struct sample_index index;
	const struct log **logs; /* [n_logs] */
	size_t n_logs;
	const struct meaning *meaning;
	long world, nodes; /* or RESULT_UNKNOWN */
};

/* Make the steps, for a restarted job those of the last attempt.
 *
 * logs   [n_logs] with the same meaning; several: one file per rank or node
 * world  number of ranks, or RESULT_UNKNOWN
 * nodes  or RESULT_UNKNOWN
 * scope  enum value_scope that overrides the meaning's, or -1
 * x      set on failure: EXCLUDED_NO_STEPS without samples; EXCLUDED_RESTART if
 *        an iteration is printed more often than there are ranks
 *
 * Classification of repeats: lines of one (epoch, iteration) up to the world
 * size are ranks. If the world size is unknown, or ranks have labels and a
 * label repeats, they are ranks if 95 % of the iterations are printed equally
 * often and the numbers do not fall back by half an epoch (unless all are
 * printed equally often: joined files of ranks); this is flagged. A counter
 * that stalled on a few lines (a skipped step) and never fell back is not a
 * restart; it is flagged, too.
 *
 * The logs must outlive s. Returns 0, or -1. Release s in both cases. */
int steps_make(const struct log *const *logs, size_t n_logs, long world,
    long nodes, int scope, struct steps *s, struct exclusion *x);
void steps_release(struct steps *s);

/* Make the steps of another attempt, 0 to s->attempts - 1. Returns like
 * steps_make. */
int steps_take_attempt(struct steps *s, size_t attempt, struct exclusion *x);

/* A walk over the steps of an epoch. */
struct step_walk {
	const struct steps *steps;
	const struct steps_epoch *epoch;
	size_t entry;  /* first sample of the next step */
	double factor; /* from the value of a step of one rank to the job's */
	int begun;     /* 1: the members below are those of the last step */
	int32_t done;
	uint32_t line;
	double record;
	double work, seconds; /* up to `done`, for means since the start */
};

/* Start at the first step of an epoch. */
struct step_walk steps_walk(const struct steps *s, size_t epoch);

/* Make the next step, in order of iterations. Returns 0 after the last one. */
int steps_next(struct step_walk *w, struct step *step);

/* Values printed on the lines of a step. */
struct step_lines steps_lines(const struct steps *s, const struct step *step);

/* Number of the first iteration of a step, as the log numbers them: the end of
 * the previous step for points in time, the start of printed bounds. */
long steps_first(const struct steps *s, const struct step *step);

/* First number on the first line of a step. */
long steps_printed(const struct steps *s, const struct step *step);

/* True if lines print a running mean next to the value of one iteration. */
int steps_print_means(const struct steps *s);

/* True if running means are plain means of rates instead of work over time. */
int steps_mean_is_plain(const struct steps *s);

/* Iterations in a running mean in addition to those done in its epoch. */
long steps_mean_shift(const struct steps *s, size_t epoch);

/* Use running means instead of instants (on 1), or instants again (0). Only for
 * formats of instants whose lines print both. */
void steps_read_means(struct steps *s, int on);

/* Work per iteration printed on the lines of a step or before them; NAN: none.
 *
 * key  "batch_size", "tokens_per_step" or "epoch_samples" */
double steps_work(
    const struct steps *s, const struct step *step, const char *key);

/* True if a step is the difference of two printed times or means: its time may
 * be 0 by their resolution. */
static inline int
steps_are_differences(const struct steps *s)
{
	return s->points || s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN;
}

/* True if v is a valid time or rate. */
static inline int
steps_value_ok(double v, int is_rate)
{
	return isfinite(v) && v > 0 &&
	    v <= (is_rate ? STEPS_MAX_RATE : STEPS_MAX_SECONDS);
}

#endif
