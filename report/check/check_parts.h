/* Internals of the check. Cells are addressed by row and column of the table
 * under check. */
#ifndef REPORT_CHECK_CHECK_PARTS_H
#define REPORT_CHECK_CHECK_PARTS_H

#include "report/check/check.h"

/* The interval of values that round to a printed number, and the value of its
 * digits: 1000 / 0.37 = 2702.7 is not midway between 1000 / 0.375 and 1000 /
 * 0.365. */
struct check_range {
	double low, high, at;
};

/* A table under check. */
struct check_table {
	struct check_report *r;
	double samples; /* of one training, or NAN */
	const struct published_table *t;
	size_t *baseline; /* [n_rows] row of the baseline, or NO_ROW */
	char *stated;     /* [n_rows] 1: a column states the baseline */
	/* Of the column under check, set by check_within. */
	size_t *base;   /* [n_rows] row of a speedup's baseline; NO_ROW:
			   undecided */
	char *done;     /* [n_rows] 1: the speedup's finding is added */
	int of_one_gpu; /* efficiencies are over a 1-GPU baseline outside the
			   table */
	const struct series_set *set; /* cases of results, or NULL */
	struct check_names *names;    /* [set->n] */
};

#define NO_ROW ((size_t)-1)

extern const struct check_range check_nowhere; /* all NAN */

/* The range of a printed number, and between two bounds. */
struct check_range check_range_of(const struct published_number *n);
struct check_range check_range_between(double low, double high);

/* Find where most of n ranges overlap. Returns their number; out is set if it
 * is above 0. */
size_t check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out);

/* Verdict on whether the computed range rounds, or is cut, to the number of a
 * cell. */
enum check_verdict check_judge(const struct check_table *c, size_t row,
    size_t column, struct check_range computed);

/* Add a finding about a cell.
 *
 * computed  the expected value; low NAN: not stated
 * why       its texts live as long as the report */
void check_add(const struct check_table *c, size_t row, size_t column,
    enum check_verdict verdict, struct check_range computed, struct remark why);

/* Add a remark on the table. */
void check_remark(const struct check_table *c, struct remark remark);

/* The column of the speed or time of a speedup or efficiency: the nearest
 * matching one to the left, else to the right, with a number in that row;
 * NO_ROW if there is none. */
size_t check_speed_of(const struct check_table *c, size_t row, size_t column);

/* GPUs of the baseline of a row's speedup or efficiency; 1 if the baseline row
 * does not print 1. */
long check_baseline_gpus(
    const struct check_table *c, size_t row, size_t column);

/* True for a number above 0. */
int check_is_number(const struct check_table *c, size_t row, size_t column);

/* Set c->baseline and c->stated. */
void check_find_baselines(const struct check_table *c);

/* Check cells by others of the table. */
void check_within(const struct check_table *c);

#endif
