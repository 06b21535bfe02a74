/* Which other choice of iterations would include a run that has not those asked
 * for: one that the audit has nothing to say against, or none.
 *
 *	if (window_select(&steps, &rule, RULE_WINDOW, &w, &x) != 0)
 *		advice_add(&steps, &rule, &w, &arena, &x);
 */
#ifndef EXTRACT_MEASURE_STEPS_ADVICE_H
#define EXTRACT_MEASURE_STEPS_ADVICE_H

#include "extract/log/exclusion.h"
#include "extract/measure/steps/window.h"

/* Does that rule include the run, and has the audit nothing to say against the
 * result? */
int advice_is_good(
    const struct steps *s, const struct rule *rule, enum rule_kind kind);

/* The window of a log that ends before the rule's does: from the first settled
 * position, but not before the rule's start or half of the log, to its end.
 *
 * w    as window_select left it, which failed
 * out  the rule with that window
 *
 * Returns 0; -1 where fewer than 10 settled iterations are left, or the audit
 * has something to say against the result. */
int advice_shorten(const struct steps *s, const struct rule *rule,
    const struct window *w, struct rule *out);

/* Add to x the option that would include the run, if iterations are what it
 * lacks.
 *
 * w  as window_select left it, which filled x
 * a  where the hint's texts live */
void advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct arena *a, struct exclusion *x);

#endif
