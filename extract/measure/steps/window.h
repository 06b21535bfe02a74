/* Select and aggregate the steps of a run (doc/measurement.md, "Window").
 *
 * Positions of the window continue through the epochs, starting with those of
 * the first selected epoch. In later epochs the first S iterations are excluded
 * and have no position, so all windows have the same length.
 *
 *	struct window w;
 *	if (window_select(&steps, &rule, RULE_WINDOW, &w, &x) == 0)
 *		speed = batch / w.value;
 *	window_release(&w);
 */
#ifndef EXTRACT_MEASURE_STEPS_WINDOW_H
#define EXTRACT_MEASURE_STEPS_WINDOW_H

#include <stddef.h>

#include "extract/log/log.h"
#include "extract/measure/steps/rule.h"
#include "extract/measure/steps/steps.h"
#include "common/result/result.h"

/* At most one iteration in this many of a window may lack its line. */
enum { WINDOW_MAX_LOST_ONE_IN = 10 };

/* Counted steps of one epoch. */
struct window_part {
	size_t first, end; /* steps first to end - 1 of window.steps */
	size_t epoch;      /* index in steps.epochs */
	long offset;     /* running position = position in the epoch + offset */
	long from, done; /* of the first step; of the last step */
};

/* Positions of all examined steps. */
struct window_view {
	long total;     /* iterations done at the last step, all epochs */
	long lowest;    /* iterations done before the first step */
	long next_done; /* done after the first step that starts in the window
	                   or later; LONG_MAX: none */
};

struct window {
	struct step *steps; /* [n] counted steps */
	size_t n, alloc;
	struct step first, last;   /* of them */
	struct window_part *parts; /* in order, none empty */
	size_t n_parts, alloc_parts;
	size_t first_epoch, last_epoch; /* indices of the selected epochs;
	                                   contain the parts */
	long lost; /* iterations of lost lines, assuming the usual spacing */
	long iterations;  /* iterations covered */
	double value;     /* mean or median: seconds per iteration, or units per
	                    second */
	struct step bad;  /* first invalid one, if any */
	long ranks;       /* maximum ranks per step */
	int by_work;      /* 1: steps are weighted by their work */
	int by_means;     /* 1: value is from running means, steps are single
			     iterations: see window_read_instants */
	int shortened;    /* 1: ends with the log, see rule.h */
	long skip;        /* iterations left out at the start of later epochs */
	size_t end_epoch; /* index after the last epoch that window_compare
	                     reads */
	struct window_view view;
	double line_work; /* mean work of an iteration from the rate and time
	                     printed on a line; NAN: not printed */
};

/* Select the steps and aggregate them.
 *
 * kind  RULE_WINDOW or RULE_ALL
 * x     set on failure: EXCLUDED_SHORT if the log ends before the window or no
 *       step lies inside (advice.h: options that would include it);
 *       EXCLUDED_NO_EPOCH; EXCLUDED_NO_STEPS
 *
 * Steps with an invalid value are selected like others: check bad.bad before
 * using the value. Returns 0, or -1. Release w in both cases. */
int window_select(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w, struct exclusion *x);
void window_release(struct window *w);

/* Change the steps of a window of running means to those of single
 * iterations. */
void window_read_instants(struct steps *s, struct window *w);

/* Range of w->value, given the rounding of the printed sums at the window's
 * ends. Both are NAN if the value is not a difference of sums; 0 and INFINITY
 * if the rounding error is as large as the value.
 *
 * unplaced  1: running means may lack the iterations before a late first line:
 *           the job may have resumed from a checkpoint, or the log may be
 *           incomplete */
void window_rounding(const struct steps *s, const struct window *w,
    int unplaced, double *low, double *high);

/* Maximum error of the time of a record, in seconds per iteration: from the
 * resolution of the clock, or the rounding of the printed value or sums.
 *
 * mean  seconds per iteration */
double window_record_error(const struct steps *s, double mean);

/* Comparison of a window with all steps from its start to the end of the run,
 * or of the epoch if the rule chose one. */
struct window_rest {
	double off;   /* mean step time of the window, over that of the window
	                 and all steps after it, minus 1; NAN: unknown */
	double after; /* the same, over that of the steps after it only */
	double error; /* rounding error of both */
	double window_scatter, after_scatter; /* standard errors of off and
	                                         after from the scatter of
	                                         neighbouring blocks */
	size_t blocks;
	double iterations; /* after the window */
};

/* Compare the window with the rest of the run. If lines print running means,
 * these count for the steps between the lines.
 *
 * block  records per block */
void window_compare(const struct steps *s, const struct window *w, size_t block,
    struct window_rest *rest);

/* Half a unit in the last printed digit of step times, in seconds, if every
 * step is printed and rounding does not average out, because most values of the
 * window are equal. Otherwise 0. */
double window_coarseness(const struct steps *s, const struct window *w);

/* --- Another choice --------------------------------------------------------*/

/* Suggest another choice of iterations for a run that lacks the requested ones:
 * one that the audit accepts, or none. */

/* True if the rule includes the run and the audit has no finding. */
int advice_is_good(
    const struct steps *s, const struct rule *rule, enum rule_kind kind);

/* Window for a log that ends before the rule's window does: from the first
 * settled position, but not before the earlier of the rule's start and half of
 * the log, to the end of the log.
 *
 * w    from window_select, which failed
 * out  the rule with that window
 *
 * Returns 0; -1 if fewer than 10 settled iterations remain or the audit has a
 * finding. */
int advice_shorten(const struct steps *s, const struct rule *rule,
    const struct window *w, struct rule *out);

/* Add to x the option that would include the run, if the run lacks iterations.
 *
 * w  from window_select, which set x
 * a  arena of the hint's texts */
void advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct arena *a, struct exclusion *x);

/* --- Warm-up and drift (settled.c) -----------------------------------------*/

/* Standard deviation estimated from the median difference of neighbours, which
 * a change of level does not affect. n >= 2. */
double neighbour_spread(const double *x, size_t n);

/* Number of points above which theil_sen uses Theil's incomplete
 * method. */
enum { THEIL_SEN_COMPLETE = 1024 };

/* Robust slope of y over x [n], ascending: the median of the slopes of pairs of
 * points with different x (Theil 1950, Sen 1968).
 *
 * Up to THEIL_SEN_COMPLETE points: all n (n - 1) / 2 pairs, Sen's median.
 * Above: the pairs (i, i + ceil(n/2)), the "incomplete method" of the same
 * paper by Theil, in O(n). n >= 2; NAN if no two x differ, a value is not
 * finite or x is not ascending. */
double theil_sen(const double *x, const double *y, size_t n);

enum {
	SETTLED_BLOCK = 20,  /* usual block length */
	SETTLED_FEWEST = 8,  /* fewer values never count as settled */
	SETTLED_PERCENT = 5, /* a block this close to the target is settled */
};

#define SETTLED_NEVER SIZE_MAX

/* Index of the first settled value.
 *
 * The target is the median of the second half. A block of consecutive values is
 * settled if its median is within 5 % of the target, or 4.5 standard errors of
 * such a median if that is more. The result is the start of the first block
 * after the last unsettled one; up to block / 2 unsettled values at its start
 * are skipped.
 *
 * x      [n] finite, above 0
 * block  1 to SETTLED_BLOCK; shorter blocks have a wider tolerance, because the
 *        spread of few values is uncertain
 *
 * Returns SETTLED_NEVER for fewer than SETTLED_FEWEST values, for less than one
 * block, and if the last block is unsettled.
 * Source: doc/measurement.md, "Audit". */
size_t settled_from(const double *x, size_t n, size_t block);

/* --- Audit (audit.c) -------------------------------------------------------*/

/* Assess how trustworthy a run's result is, from its own steps; in addition to
 * the fixed rule, never instead of it (doc/measurement.md, "Audit").
 *
 * The audit uses all steps of the selected epochs, not only the window, and
 * their times: for logs of rates, seconds per iteration if the work of one is
 * known, else seconds per unit of work. */

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
			 runs do not exceed, estimated from the scatter of
			 neighbouring records; 0: unknown */
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
