/* Which steps of a window were made while the program still looked for its
 * settings (--autotune, HOROVOD_AUTOTUNE): they are slower than those it ends
 * with, or faster, and belong to no setting that could be named.  The log's
 * lines state where that begins ("tuning_from") and ends ("tuning_until").
 *
 *	struct tuned_steps t;
 *	tuned_steps_count(logs, n, &steps, &window, &t);
 *	if (t.n > 0)
 *		... t.n of t.all steps were on trial ...
 */
#ifndef EXTRACT_MEASURE_STEPS_TUNED_STEPS_H
#define EXTRACT_MEASURE_STEPS_TUNED_STEPS_H

#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

struct tuned_steps {
	long n, all; /* steps of the window: on trial; all */
	int ends;    /* 1: the log states somewhere that tuning had ended */
	long after;  /* first position, running as the window's, from which on
	                no step of the window's first epoch is on trial;
	                RESULT_UNKNOWN: none, or no step is on trial */
};

/* Count them, by the lines that the steps stand on.
 *
 * logs  [n] those that the steps were made of
 * w     of the steps; has one that counts */
void tuned_steps_count(const struct log *const *logs, size_t n,
    const struct steps *s, const struct window *w, struct tuned_steps *out);

#endif
