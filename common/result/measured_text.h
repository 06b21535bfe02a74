/* Text in and below tables: which iterations a number was measured on, and how
 * steady those of a single run were. The option values themselves are in the
 * JSON and in the CSV column "rule".
 *
 *	measured_text(a, &r->rule, c->rule, LANGUAGE_EN)
 *	  -> "iterations 25–124 of the first epoch, by time"
 */
#ifndef COMMON_RESULT_MEASURED_TEXT_H
#define COMMON_RESULT_MEASURED_TEXT_H

#include "common/arena.h"
#include "common/result/result.h"
#include "common/table/table.h"
#include "common/texts/messages.h"

/* Iterations are positions as in doc/measurement.md, "Window": counted from 0
 * at the start of an epoch, skip + warm-up to skip + train - 1. Unknown options
 * are omitted.
 *
 * name  rule of the case; NULL: that of the result
 *
 * Returns a text in a, or NULL if both rules are unknown. */
const char *measured_text(struct arena *a, const struct result_rule *rule,
    const char *name, enum language lang);

/* Replacement for the interval of the median in a case of one run: "within
 * ±0.61 %", half the width of the 95 % interval of that run's mean by batch
 * means (doc/measurement.md, "Audit"). The table then needs the note
 * MESSAGE_WITHIN_MEANS.
 *
 * Returns a text in a, or NULL if the case has several runs or this interval is
 * unknown. */
const char *within_run_text(
    struct arena *a, const struct result_case *c, enum language lang);

/* Measurement of each number in machine-readable columns, the same at the end
 * of every CSV table.
 *
 *	measured_columns_add(&t);
 *	table_row(&t);
 *	table_cell(&t, "4n8g"); ...
 *	measured_columns_fill(&t, &one, 1); */

/* Case of a row. */
struct measured_case {
	const struct result_case *c;
	const struct result_rule *options; /* rule of its result */
	const char *rule; /* rule with options; NULL: the case's rule */
	int is_published; /* by others: rule unknown unless given */
};

/* Add the columns n, median_level, baseline, speedup_level, confidence, rule
 * and measured (the rule as a sentence), except those that the table already
 * has. */
void measured_columns_add(struct table *t);

/* Fill the last cells of the row, which must be these columns. Values that
 * differ between the row's cases are listed once each, separated by "; ". */
void measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n);

#endif
