/* What a run's own steps state about its trustworthiness; next to the fixed
 * rule, never instead of it (doc/measurement.md, "Audit").
 *
 * It looks at all steps of the epochs that were selected, not only at the
 * window, and at times: where a log prints rates, at the seconds of an
 * iteration if the work of one is known, else at those of one unit of work.
 */
#ifndef EXTRACT_MEASURE_STEPS_AUDIT_H
#define EXTRACT_MEASURE_STEPS_AUDIT_H

#include "common/result/result.h"
#include "common/stats/settled.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

enum {
	AUDIT_BLOCK = SETTLED_BLOCK, /* iterations of a block */
	AUDIT_LONE_FACTOR = 100      /* one of so many has a flag of its own */
};

/* Records of a block: as many as stand for AUDIT_BLOCK iterations, from 1 where
 * a line speaks for so many or one of so many is printed, to AUDIT_BLOCK. */
size_t audit_block(const struct steps *s);

/* Nothing known: all NAN or RESULT_UNKNOWN. */
void audit_init(struct result_audit *a);

/* All steps from the window's first one on, to compare the window with. */
struct audit_rest {
	size_t block;  /* records of a block */
	double *means; /* [n] of blocks that follow each other; owned */
	size_t n;
	double total; /* seconds of all steps, each counted once */
	long steps;
};

/* Free its means. */
void audit_rest_release(struct audit_rest *r);

/* Fill in what is of all steps of the selected epochs.
 *
 * rest  set, to be released by the caller; NULL: not asked for; else the window
 *       has a step
 * work  units of work in an iteration, for logs of rates; 1 if unknown: times
 *       are then seconds per unit
 *
 * settled_at   first position (running through the selected epochs) of the step
 *              that settled_from() finds in blocks of audit_block(s) records;
 *              unknown where that finds none
 * imbalance    mean over the steps that several ranks printed of
 *              (max - mean) / mean of their times
 * p5 ... cv    of the times */
void audit_make(const struct steps *s, const struct window *w, double work,
    struct result_audit *a, struct audit_rest *rest);

enum {
	AUDIT_MAX_FLAGS = 8,
	AUDIT_MAX_LABEL = 1 << 16 /* labels above are no ranks */
};

/* What makes a number doubtful. */
struct audit_flags {
	struct remark items[AUDIT_MAX_FLAGS];
	size_t n;
};

/* Fill in what is of the window's own steps, and judge all of it (rules and
 * their rates: doc/measurement.md, "Flags of the audit").  After audit_make.
 *
 * work   as for audit_make
 * rest   from audit_make
 * end    where the window ends, or LONG_MAX
 *
 * drift        Theil-Sen slope of time over position, times the window's
 *              length, over the median time
 * stall_share  share of the time that went into steps of over twice the median
 * half_width   half the 95 % interval of the mean by means of 5 to 10 batches
 *              that follow each other, over the mean; NAN with fewer than 100
 *              steps, 10 where the window was shortened */
void audit_judge(const struct steps *s, const struct window *w, double work,
    const struct audit_rest *rest, long end, struct result_audit *a,
    struct audit_flags *flags);

#endif
