/* Assess how trustworthy a run's result is, from its own steps; in addition to
 * the fixed rule, never instead of it (doc/measurement.md, "Audit").
 *
 * The audit uses all steps of the selected epochs, not only the window, and
 * their times: for logs of rates, seconds per iteration if the work of one is
 * known, else seconds per unit of work.
 */
#ifndef EXTRACT_MEASURE_STEPS_AUDIT_H
#define EXTRACT_MEASURE_STEPS_AUDIT_H

#include "common/result/result.h"
#include "common/stats/stats.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

/* Set all members to NAN or RESULT_UNKNOWN. */
void audit_init(struct result_audit *a);

enum {
	AUDIT_MAX_FLAGS = 8,
	AUDIT_BLOCK = SETTLED_BLOCK, /* iterations of a block */
	AUDIT_LONE_FACTOR = 100      /* times the median: flag a single step */
};

/* Reasons to doubt a number. */
struct audit_flags {
	struct remark items[AUDIT_MAX_FLAGS];
	size_t n;
	double noise; /* relative difference from the true mean that 99 % of
			 runs have at most, by the scatter of neighbouring
			 records; 0: unknown */
};

/* Describe all steps of the selected epochs, then those of the window, and flag
 * them (rules and rates: doc/measurement.md, "Flags of the audit").
 *
 * work   units of work per iteration, for logs of rates; 1 if unknown: times
 *        are then seconds per unit
 * end    end of the window, or LONG_MAX
 * flags  set; NULL: describe all steps only, the window may be empty
 *
 * settled_at   first position (counted over the selected epochs) of the step
 *              that settled_from() finds in blocks of as many records as stand
 *              for 20 iterations; unknown if none
 * imbalance    mean of (max - mean) / mean of the ranks' times, over the steps
 *              that several ranks printed
 * p5 ... cv    of the times
 * drift        Theil-Sen slope of time over position, times the window's
 *              length, over the median time
 * stall_share  share of the time spent in steps longer than twice the median
 * half_width   half of the 95 % interval of the mean, over the mean: by 5 to 10
 *              batch means of 20 records (2 for a shortened window), else by
 *              the scatter of all records; NAN for fewer than 4 */
void audit_run(const struct steps *s, const struct window *w, double work,
    long end, struct result_audit *a, struct audit_flags *flags);

#endif
