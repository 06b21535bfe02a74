/* Internals of the check. */
#ifndef REPORT_CHECK_CHECK_PARTS_H
#define REPORT_CHECK_CHECK_PARTS_H

#include "report/check/check.h"

#define NO_ROW ((size_t)-1)

/* Interval of the values that round to a printed number, and the value that its
 * digits give, which need not be midway: 1000 / 0.37 = 2702.7 is not midway
 * between 1000 / 0.375 and 1000 / 0.365. */
struct check_range {
	double low, high, at;
};

/* A table under check. Its cells are addressed by row and column. */
struct check_table {
	struct check_report *r;
	double samples; /* of one training, or NAN */
	const struct published_table *t;
	size_t *baseline;      /* [n_rows] row of the baseline, or NO_ROW */
	struct strbuf *unread; /* heads that are not understood */
	const struct series_set *set; /* cases of results, or NULL */
	struct check_names *names;    /* [set->n] */
};

extern const struct check_range check_nowhere; /* all NAN */

/* Verdict on whether the computed range rounds, or is cut, to the number of a
 * cell. */
enum check_verdict check_judge(const struct check_table *c, size_t row,
    size_t column, struct check_range computed);

/* Add a finding about a cell.
 *
 * computed  the expected value; low NAN: not stated */
struct check_finding *check_add(const struct check_table *c, size_t row,
    size_t column, enum check_verdict verdict, struct check_range computed,
    struct remark why);

/* Sets of roles, for check_operand. */
#define ROLE(role) (1u << (role))
#define TIMES (ROLE(PUBLISHED_STEP_TIME) | ROLE(PUBLISHED_DURATION))
#define SPEEDS (ROLE(PUBLISHED_RATE) | TIMES)

/* Nearest column to the left of column i, else to its right, that has one of
 * the roles, numbers in both rows, and a framework, precision and batch that do
 * not contradict those of column i; NO_ROW if there is none. */
size_t check_operand(const struct check_table *c, size_t i, size_t row,
    size_t base, unsigned roles);

/* True if the row has a baseline in the table for this column: one that prints
 * 1 or nothing, or a row of one GPU. */
int check_has_baseline(const struct check_table *c, size_t row, size_t column);

/* Set c->baseline, and check each cell against others of the table. */
void check_by_rules(const struct check_table *c);

#endif
