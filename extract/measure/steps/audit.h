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

/* Nothing known: all NAN or RESULT_UNKNOWN. */
void audit_init(struct result_audit *a);

enum {
	AUDIT_MAX_FLAGS = 8,
	AUDIT_BLOCK = SETTLED_BLOCK, /* iterations of a block */
	AUDIT_LONE_FACTOR = 100      /* one of so many has a flag of its own */
};

/* What makes a number doubtful. */
struct audit_flags {
	struct remark items[AUDIT_MAX_FLAGS];
	size_t n;
};

/* Describe all steps of the selected epochs, then the window's, and judge them
 * (rules and their rates: doc/measurement.md, "Flags of the audit").
 *
 * work   units of work in an iteration, for logs of rates; 1 if unknown: times
 *        are then seconds per unit
 * end    where the window ends, or LONG_MAX
 * flags  set; NULL: only what is of all steps is wanted, and the window need
 *        have none
 *
 * settled_at   first position (running through the selected epochs) of the step
 *              that settled_from() finds in blocks of as many records as stand
 *              for 20 iterations; unknown where that finds none
 * imbalance    mean over the steps that several ranks printed of
 *              (max - mean) / mean of their times
 * p5 ... cv    of the times
 * drift        Theil-Sen slope of time over position, times the window's
 *              length, over the median time
 * stall_share  share of the time that went into steps of over twice the median
 * half_width   half the 95 % interval of the mean by means of 5 to 10 batches
 *              that follow each other, over the mean; NAN with fewer than 100
 *              steps, 10 where the window was shortened */
void audit_run(const struct steps *s, const struct window *w, double work,
    long end, struct result_audit *a, struct audit_flags *flags);

#endif
