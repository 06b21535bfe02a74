/* Which steps of a run count, and their mean (doc/measurement.md, "Window").
 *
 * Positions of the window run on through epochs: those of the first selected
 * epoch are its own; in each later one the first S iterations are excluded and
 * have no position, so that a window always holds as many iterations.
 *
 *	struct window w;
 *	if (window_select(&steps, &rule, RULE_WINDOW, &w, &x) == 0)
 *		speed = batch / w.value;
 *	window_release(&w);
 */
#ifndef EXTRACT_MEASURE_STEPS_WINDOW_H
#define EXTRACT_MEASURE_STEPS_WINDOW_H

#include <stddef.h>

#include "extract/log/exclusion.h"
#include "extract/measure/steps/rule.h"
#include "extract/measure/steps/steps.h"

/* A window may lack the lines of one in so many of its iterations. */
enum { WINDOW_MAX_LOST_ONE_IN = 10 };

/* Steps that count, of one epoch. */
struct window_part {
	size_t first, end; /* they are numbers first to end - 1 in steps */
	size_t epoch;      /* index in steps.epochs */
	long offset;     /* running position = position in the epoch + offset */
	long from, done; /* of the first of them; of the last */
};

/* What selecting them saw of all steps. */
struct window_view {
	long total;     /* iterations done at the last step, running */
	long lowest;    /* those done before the first */
	long next_done; /* done after the first step that starts in the window
	                   or later; LONG_MAX: none */
};

struct window {
	uint32_t *steps; /* [n] those that count: indices in steps.items */
	size_t n, alloc;
	struct window_part *parts; /* in order, none empty */
	size_t n_parts, alloc_parts;
	size_t first_epoch, last_epoch; /* selected ones, by index; the parts
	                                   lie in them */
	long lost; /* iterations for which lines are lacking, as near to each
	              other as the others are */
	long iterations; /* that they average */
	double value;    /* the aggregate: seconds per iteration, or units per
	                    second */
	struct step first, last; /* of the steps that count */
	struct step bad;         /* the first of them that is bad, if any */
	long ranks;              /* most that printed one of them */
	int by_work;   /* 1: steps were weighted by the work of each */
	int shortened; /* 1: it ends where the log does, see rule.h */
	struct window_view view;
	double line_work; /* work of an iteration by a rate and a time that its
	                     line prints, mean; NAN: not printed */
};

/* Choose the steps and aggregate them.
 *
 * kind  RULE_WINDOW or RULE_ALL
 * x     set on failure: EXCLUDED_SHORT where the log ends before the window
 *       does or no step lies inside (advice.h: what would include it);
 *       EXCLUDED_NO_EPOCH; EXCLUDED_NO_STEPS
 *
 * Steps with a bad value are chosen like others: look at bad.bad before the
 * value is used.  Returns 0, or -1.  w is to be released in both cases. */
int window_select(const struct steps *s, const struct rule *rule,
    enum rule_kind kind, struct window *w, struct exclusion *x);
void window_release(struct window *w);

/* What w->value may be where the sums at the window's ends were rounded to the
 * digits that are printed of them; both NAN where nothing is differenced; 0 and
 * INFINITY where rounding hides all of it.
 *
 * unplaced  1: running means may lack steps_before_means() */
void window_rounding(const struct steps *s, const struct window *w,
    int unplaced, double *low, double *high);

/* Half a digit of the times of single steps, where they are printed so coarsely
 * that rounding does not average out: most of the window's are one number.
 * Else 0.  Seconds. */
double window_coarseness(const struct steps *s, const struct window *w);

/* The i-th step that counts, i < w->n. */
static inline const struct step *
window_step(const struct steps *s, const struct window *w, size_t i)
{
	return &s->items[w->steps[i]];
}

/* --- Steps on trial (tuned_steps.c) ----------------------------------------*/

/* Steps of a window that were made while the program still looked for its
 * settings (--autotune, HOROVOD_AUTOTUNE): they are slower than those it ends
 * with, or faster, and belong to no setting that could be named. */
struct tuned_steps {
	long n, all; /* steps of the window: on trial; all */
	int ends;    /* 1: the log states somewhere that tuning had ended */
	long after;  /* first position, running as the window's, from which on
	                no step of the window's first epoch is on trial;
	                RESULT_UNKNOWN: none, or no step is on trial */
};

/* Count them, by the lines that the steps stand on and those on which the log
 * states that tuning begins ("tuning_from") and ends ("tuning_until").
 *
 * logs  [n] those that the steps were made of
 * w     of the steps; has one that counts */
void tuned_steps_count(const struct log *const *logs, size_t n,
    const struct steps *s, const struct window *w, struct tuned_steps *out);

#endif
