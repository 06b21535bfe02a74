/* Which iterations a case's number was measured on, and how steady those of
 * its only run were, as it is printed in and under a table.  extract_logs
 * and report_results print it; the values of the options themselves stand in
 * the JSON and in the CSV column "rule".
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
 * at the start of an epoch, skip + warm-up to skip + train - 1.  An option
 * that the result does not state is not mentioned.
 *
 * name  the case's rule; NULL: that of the result
 * Returns a text in a, or NULL if neither states a rule. */
const char *measured_text(struct arena *a, const struct result_rule *rule,
    const char *name, enum language lang);

/* What stands in the interval's place for a case of one run, which has none:
 * "within ±0.61 %", half the width of the 95 % interval of that run's mean by
 * batch means (doc/measurement.md, "Audit").  The table then needs the note
 * MESSAGE_WITHIN_MEANS.
 *
 * Returns a text in a, or NULL if the case has several runs or its audit no
 * such interval. */
const char *within_run_text(
    struct arena *a, const struct result_case *c, enum language lang);

/* How each number of a table was measured, in columns for a machine: the same
 * ones at the end of every table in CSV.
 *
 *	measured_columns_add(&t);
 *	table_row(&t);
 *	table_cell(&t, "4n8g"); ...
 *	measured_columns_fill(&t, &one, 1); */

/* A case that a row is made of. */
struct measured_case {
	const struct result_case *c;
	const struct result_rule *options; /* of its result */
	const char *rule; /* with its options; NULL: the case's rule */
	int is_published; /* by others: no rule is known unless stated */
};

/* Add the columns n, median_level, baseline, speedup_level, confidence, rule
 * and measured (the rule in plain words, with its window), but for those whose
 * heads the table already has. */
void measured_columns_add(struct table *t);

/* Fill the row's last cells, which must be of these columns; what differs
 * between the cases of the row is named once each, with "; " between. */
void measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n);

#endif
