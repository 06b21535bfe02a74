/* How each number of a table was measured, in columns for a machine: the same
 * ones at the end of every table in CSV.  For people it stands below the table
 * (measured_text.h, report/parts/notes.h).
 *
 *	measured_columns_add(&t);
 *	table_row(&t);
 *	table_cell(&t, "4n8g"); ...
 *	measured_columns_fill(&t, &one, 1);
 */
#ifndef COMMON_RESULT_MEASURED_COLUMNS_H
#define COMMON_RESULT_MEASURED_COLUMNS_H

#include <stddef.h>

#include "common/result/result.h"
#include "common/table/table.h"

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
