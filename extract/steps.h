/* From samples to steps: what the lines of one run say, put in order of
 * iterations, with the ranks that printed the same iteration made one
 * (doc/measurement.md, "Iterations").
 *
 * Everything counts iterations, never lines.  A step speaks for the iterations
 * of its epoch from `from` (done before it) to `done` (done behind it), so that
 * position k, the (k+1)-th iteration, is the step (k, k+1].
 *
 *	struct steps s;
 *	if (steps_make(&from, &s, &x) != 0)
 *		... x says why the run does not count ...
 *	steps_release(&s);
 */
#ifndef EXTRACT_STEPS_H
#define EXTRACT_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "extract/exclusion.h"
#include "extract/log.h"

/* Values outside are absurd: a run with one in its window is excluded. */
#define STEPS_MAX_SECONDS 1e6 /* of an iteration: 11 days */
#define STEPS_MAX_RATE 1e18   /* units per second */

struct step {
	double value;     /* seconds per iteration, or units per second: over
	                     the ranks their mean, or their sum where a value
	                     speaks for less than the job */
	double record;    /* what was printed, where value is made of it and the
	                     one before: a mean since the start */
	double imbalance; /* (max - mean) / mean of the ranks' times; NAN with
	                     one rank */
	long from, done;  /* iterations of the epoch done before and behind */
	long first, last; /* the same iterations, as the log numbers them */
	long printed;     /* first number on its (first) line */
	int64_t first_line, last_line; /* that it stands on */
	int64_t bad_line; /* of a value that is no time or rate; 0: none */
	int32_t ranks;    /* that printed it */
	int32_t source;   /* index of the log of bad_line or first_line */
};

/* The steps of one epoch. */
struct steps_epoch {
	long number;       /* as printed, or SAMPLE_NONE */
	long length;       /* iterations it has, as far as the log tells */
	size_t first, end; /* its steps are items[first] to items[end - 1] */
};

struct steps {
	struct arena arena;
	struct step *items; /* by epoch, then iteration */
	size_t n;
	struct steps_epoch *epochs; /* in the order of the file */
	size_t n_epochs;
	int is_rate;   /* value: 1 units per second, 0 seconds */
	int instant;   /* 1: a step speaks for itself only, whatever lies
	                 between it and the one before */
	int points;    /* 1: made of time stamps; the first of an epoch has no
	                 value */
	int counts_on; /* 1: printed numbers run on through the epochs */
	int numbered;  /* 0: the log numbers no iterations; they were counted */
	long spacing;  /* the usual distance between printed iterations, >= 1 */
	long ranks;    /* most ranks that printed the same iteration */
	const char **flags; /* sentences for result_run.flags */
	size_t n_flags;
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

/* Make the steps.
 *
 * x  set on failure: EXCLUDED_NO_STEPS without samples; EXCLUDED_RESTART where
 *    an iteration was printed more often than there are ranks
 *
 * How repeats are told apart: lines of one (epoch, iteration) up to the world
 * size are ranks.  Where the world size is unknown, or ranks are labelled and a
 * label repeats, they are ranks if 95 % of the iterations are printed equally
 * often and the numbers do not fall back by half an epoch (unless all are
 * printed equally often: files of ranks put one behind the other); this is
 * flagged.  A counter that stood still on a few lines (a skipped step) and
 * never fell back is no restart; it is flagged too.
 *
 * Returns 0, or -1.  s is to be released in both cases. */
int steps_make(
    const struct steps_source *from, struct steps *s, struct exclusion *x);
void steps_release(struct steps *s);

/* Is v a time (or a rate) that can be reckoned with? */
int steps_value_ok(double v, int is_rate);

#endif
