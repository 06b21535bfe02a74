/* Which iterations a case's number was measured on, as it is printed under a
 * table.  extract_logs and report_results print it; the values of the options
 * themselves stand in the JSON and in the CSV column "rule".
 *
 *	measured_text(a, &r->rule, c->rule, LANGUAGE_EN)
 *	  -> "iterations 25–124 of the first epoch, by time"
 */
#ifndef COMMON_SERIES_MEASURED_TEXT_H
#define COMMON_SERIES_MEASURED_TEXT_H

#include "common/arena.h"
#include "common/result/result.h"
#include "common/series/messages.h"

/* Iterations are positions as in doc/measurement.md, "Window": counted from 0
 * at the start of an epoch, skip + warm-up to skip + train - 1.  An option
 * that the result does not state is not mentioned.
 *
 * name  the case's rule; NULL: that of the result
 * Returns a text in a, or NULL if neither states a rule. */
const char *measured_text(struct arena *a, const struct result_rule *rule,
    const char *name, enum language lang);

#endif
