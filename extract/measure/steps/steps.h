/* From samples to steps: what the lines of a run state, in order of iterations,
 * with ranks that printed the same iteration merged (doc/measurement.md,
 * "Positions", "Ranks").
 *
 * Everything counts iterations, never lines.  A step covers the iterations of
 * its epoch from `from` (done before it) to `done` (done after it), so that
 * position k, the (k+1)-th iteration, is the step (k, k+1].
 *
 *	struct steps s;
 *	if (steps_make(&from, &s, &x) != 0)
 *		... x states why the run does not count ...
 *	for (i = 0; i < s.n; i++)
 *		... s.items[i].value ...
 *	steps_release(&s);
 */
#ifndef EXTRACT_MEASURE_STEPS_STEPS_H
#define EXTRACT_MEASURE_STEPS_STEPS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "extract/log/exclusion.h"
#include "extract/log/log.h"
#include "extract/measure/steps/sample_index.h"

/* Values outside are absurd: a run with one in its window is excluded. */
#define STEPS_MAX_SECONDS 1e6 /* of an iteration: 11 days */
#define STEPS_MAX_RATE 1e18   /* units per second */

/* 48 bytes: a log has as many of them as lines. */
struct step {
	double value;        /* seconds per iteration, or units per second: over
	                        the ranks their mean, or their sum where a value
	                        speaks for less than the job */
	int64_t line;        /* first line that it stands on */
	long from, done;     /* iterations of the epoch done before and after */
	int32_t first, last; /* the same iterations, as the log numbers them */
	uint32_t entry;      /* its first line in steps.index */
	unsigned ranks : 30; /* that printed it: so many lines */
	unsigned empty : 1;  /* states nothing: the first point in time of an
	                        epoch, or a step that lacks ranks */
	unsigned bad : 1;    /* has a value that is no time or rate */
};

#define STEPS_MAX_RANKS ((1U << 30) - 1)

/* What the lines of a step print. */
struct step_lines {
	double record;    /* their mean, or sum, before differences are taken */
	double second;    /* mean of their second values, see struct sample */
	double imbalance; /* (max - mean) / mean of the ranks' times; NAN with
	                     one rank */
	int64_t first_line, last_line;
	int64_t bad_line; /* of a value that is no time or rate; 0: none */
	size_t source;    /* number of the log of bad_line, else of the first */
};

/* The steps of one epoch. */
struct steps_epoch {
	long number;       /* as printed, or SAMPLE_NONE */
	long length;       /* iterations it has, as far as the log states */
	size_t first, end; /* its steps are items first to end - 1 */
	long base;         /* number of its first iteration */
	long start;        /* iterations before it, in a log that counts on */
};

struct steps {
	struct arena arena;
	struct step *items; /* [n] by epoch, then iteration */
	size_t n;
	struct steps_epoch *epochs; /* [n_epochs] in the order of the file */
	size_t n_epochs;
	int is_rate;   /* value: 1 units per second, 0 seconds */
	int instant;   /* 1: a step speaks for itself only, whatever lies
	                 between it and the one before */
	int points;    /* 1: made of time stamps; the first of an epoch has no
	                 value */
	int by_mean;   /* 1: values are differences of the running means that
	                 the lines print next to instants, see
	                 steps_read_means */
	int counts_on; /* 1: printed numbers run on through the epochs */
	int numbered;  /* 0: the log numbers no iterations; they were counted */
	long spacing;  /* the usual distance between printed iterations, >= 1 */
	long ranks;    /* most ranks that printed the same iteration */
	size_t full;   /* ranks of most steps; 0: they vary */
	int unscaled;  /* 1: rates are those of the ranks (or nodes) that
	                  printed; how many there are is not stated */
	enum value_scope scope;
	struct log_units units; /* of all logs */
	size_t attempts;        /* of the job, as far as is known */
	struct attempts tries;  /* where they begin if there are several */
	struct remark *flags;   /* for result_run.flags */
	size_t n_flags;
	struct sample_index index;
	const struct log **logs; /* [n_logs] */
	size_t n_logs;
	const struct meaning *meaning;
	long world, nodes; /* or RESULT_UNKNOWN */
};

/* What steps are made of. */
struct steps_source {
	const struct log *const *logs; /* [n_logs] all of one meaning; more than
	                                  one: a file for each rank or node */
	size_t n_logs;
	long world; /* ranks in all, or RESULT_UNKNOWN */
	long nodes; /* or RESULT_UNKNOWN */
	int scope;  /* enum value_scope in place of the meaning's, or -1 */
};

/* Make the steps; of a job that was started again those of its last attempt.
 *
 * x  set on failure: EXCLUDED_NO_STEPS without samples; EXCLUDED_RESTART where
 *    an iteration was printed more often than there are ranks
 *
 * How repeats are classified: lines of one (epoch, iteration) up to the world
 * size are ranks.  Where the world size is unknown, or ranks are labelled and a
 * label repeats, they are ranks if 95 % of the iterations are printed equally
 * often and the numbers do not fall back by half an epoch (unless all are
 * printed equally often: files of ranks joined one after the other); this is
 * flagged.  A counter that stood still on a few lines (a skipped step) and
 * never fell back is no restart; it is flagged too.
 *
 * The logs must outlive s.  Returns 0, or -1.  s is to be released in both
 * cases. */
int steps_make(
    const struct steps_source *from, struct steps *s, struct exclusion *x);
void steps_release(struct steps *s);

/* Make the steps of another attempt, from 0 to s->attempts - 1.  Returns as
 * steps_make does. */
int steps_take_attempt(struct steps *s, size_t attempt, struct exclusion *x);

/* What the lines of a step print. */
struct step_lines steps_lines(const struct steps *s, const struct step *step);

/* The first number on the first line of a step. */
long steps_printed(const struct steps *s, const struct step *step);

/* True if lines print a running mean next to the value of one iteration. */
int steps_print_means(const struct steps *s);

/* True if the means that are read are plain means of rates, not work over
 * time. */
int steps_mean_is_plain(const struct steps *s);

/* Iterations that a running mean is of are those done in its epoch, plus
 * these. */
long steps_mean_shift(const struct steps *s, size_t epoch);

/* Read running means in place of instants (on 1), or instants again (0).  Only
 * for instants of a format whose lines print both.  Steps keep their places. */
void steps_read_means(struct steps *s, int on);

/* Iterations of an epoch that its running means may lack: those before its
 * first line, where that comes late.  The job may have gone on from a
 * checkpoint, or the log be a part of one. */
long steps_before_means(const struct steps *s, size_t epoch);

/* Work of an iteration that the lines of a step print, or those before it; NAN:
 * none did.
 *
 * key  "batch_size", "tokens_per_step" or "epoch_samples" */
double steps_work(
    const struct steps *s, const struct step *step, const char *key);

/* True if v is a usable time (or rate). */
static inline int
steps_value_ok(double v, int is_rate)
{
	return isfinite(v) && v > 0 &&
	    v <= (is_rate ? STEPS_MAX_RATE : STEPS_MAX_SECONDS);
}

#endif
