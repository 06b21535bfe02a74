/* What a run's own steps say about its trustworthiness; beside the fixed rule,
 * never instead of it (doc/measurement.md, "Audit").
 *
 * It looks at all steps of the epochs that were selected, not only at the
 * window, and at times: where a log prints rates, at the seconds of an
 * iteration if the work of one is known, else at those of one unit of work.
 */
#ifndef EXTRACT_MEASURE_AUDIT_H
#define EXTRACT_MEASURE_AUDIT_H

#include "common/result/result.h"
#include "extract/measure/steps.h"
#include "extract/measure/window.h"

enum {
	AUDIT_BLOCK = 20,          /* steps of a block */
	AUDIT_SETTLED_PERCENT = 5, /* how near a block's median has to be */
	AUDIT_STALL_FACTOR = 2     /* a step of so many medians is a stall */
};

/* Nothing known: all NAN or RESULT_UNKNOWN. */
void audit_init(struct result_audit *a);

/* Fill in all figures that the steps allow.
 *
 * work           units of work in an iteration, for logs of rates; 1 if
 *                unknown: times are then seconds per unit
 * window_length  iterations that drift is told for, > 0
 *
 * settled_at   first position (running through the selected epochs) from which
 *              on every AUDIT_BLOCK steps that follow each other have a median
 *              within 5 % of the median of the last half of the steps; unknown
 *              with fewer than AUDIT_BLOCK steps or if the last block is not
 * drift        Theil-Sen slope of time over position, times window_length,
 *              over the median time
 * stall_share  steps that took over twice the median / all steps
 * imbalance    mean over the steps that several ranks printed of
 *              (max - mean) / mean of their times
 * p5 ... cv    of the times */
void audit_make(const struct steps *s, const struct window *w, double work,
    long window_length, struct result_audit *a);

#endif
