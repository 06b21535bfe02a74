/* What the files of the check share: intervals of what was printed, and adding
 * a finding.  No other file includes it. */
#ifndef REPORT_CHECK_CHECK_PARTS_H
#define REPORT_CHECK_CHECK_PARTS_H

#include "report/check/check.h"

/* All values that a number stands for. */
struct check_range {
	double low, high;
};

/* The table that is checked. */
struct check_table {
	struct check_report *r;
	const struct check_ask *ask;
	const struct published_table *t;
	size_t *baseline;         /* [n_rows] its baseline's row, or NO_ROW */
	struct check_range total; /* of the column of durations, or NAN */
};

#define NO_ROW ((size_t)-1)

/* Of a number as printed, a quotient, and a product. */
struct check_range check_range_of(const struct published_number *n);
struct check_range check_range_over(struct check_range a, struct check_range b);
struct check_range check_range_times(
    struct check_range a, struct check_range b);

/* Does what was computed round to the printed number, or is it cut to it?
 *
 * decimals  that its column prints at most: 10.2 may be 10.20 */
enum check_verdict check_judge(const struct published_number *printed,
    int decimals, struct check_range computed);

/* Add a finding of the cell.
 *
 * computed  what it should be; low NAN: not said
 * why       lives as long as the report */
void check_add(const struct check_table *c, const struct published_row *row,
    size_t column, enum check_verdict verdict, struct check_range computed,
    const char *why);

/* The same with what it should be as text; NULL: not said. */
void check_add_text(const struct check_table *c,
    const struct published_row *row, size_t column, enum check_verdict verdict,
    const char *expected, const char *why);

/* Judge the cell and add the finding. */
void check_cell(const struct check_table *c, const struct published_row *row,
    size_t column, struct check_range computed, const char *why);

/* Cells within the table. */
void check_within(const struct check_table *c);

/* Cells against the cases of results. */
void check_against(const struct check_table *c, const struct series_set *set);

#endif
