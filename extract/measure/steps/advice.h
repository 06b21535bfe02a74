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

/* Add to x the option that would include the run, if iterations are what it
 * lacks.
 *
 * w  as window_select left it, which filled x
 * a  where the hint's texts live */
void advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct arena *a, struct exclusion *x);

#endif
