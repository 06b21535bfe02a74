/* Texts about a case in tables: the sentences of an excluded run, and how the
 * case was measured. */
#ifndef COMMON_RESULT_CASE_TEXT_H
#define COMMON_RESULT_CASE_TEXT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/result/result.h"
#include "common/table/table.h"
#include "common/texts/messages.h"

/* Half the width of the 95 % interval of a single run's mean by batch means,
 * relative to the mean. NAN if the case has several runs or it is unknown. A
 * single run has no interval of the median; this one shows how steady its steps
 * were, not how runs differ. */
double case_within_run(const struct result_case *c);

/* Name of the statistic that the headline of a case is. */
enum message case_headline(const struct result_case *c);

/* Sentence on why a run is excluded and how to include it, with the place in
 * the log if known. */
const char *excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a);

/* Logs that are excluded with the same words. */
struct excluded_group {
	const char *reason;
	const char *place; /* the first log, with its line if known, "and N
	                      more" */
	const char *words; /* the sentence without its place */
	size_t n;
};

/* Group the excluded logs, in the order of their first logs.
 *
 * Returns [*n] groups in a */
struct excluded_group *excluded_groups(
    const struct result *r, enum language lang, struct arena *a, size_t *n);

/* --- measurement rule ----------------------------------------------------- */

/* Iterations are positions as in doc/measurement.md, "Window": counted from 0
 * at the start of an epoch, skip + warm-up to skip + train - 1. Unknown options
 * are omitted.
 *
 * name  rule of the case; NULL: that of the result
 *
 * Returns a text in a, or NULL if both rules are unknown. */
const char *measured_text(struct arena *a, const struct result_rule *rule,
    const char *name, enum language lang);

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
