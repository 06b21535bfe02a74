/* Suggest another choice of iterations for a run that lacks the requested ones:
 * one that the audit accepts, or none.
 *
 *	if (window_select(&steps, &rule, RULE_WINDOW, &w, &x) != 0)
 *		advice_add(&steps, &rule, &w, &arena, &x);
 */
#ifndef EXTRACT_MEASURE_STEPS_ADVICE_H
#define EXTRACT_MEASURE_STEPS_ADVICE_H

#include "extract/log/log.h"
#include "extract/measure/steps/window.h"

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

#endif
