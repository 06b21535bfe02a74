/* What the files of the check share: intervals of what was printed, and adding
 * a finding.  No other file includes it. */
#ifndef REPORT_CHECK_CHECK_PARTS_H
#define REPORT_CHECK_CHECK_PARTS_H

#include "report/check/check.h"

/* All values that a number stands for, and the one of the digits as they are:
 * 1000 over a printed 0.37 is 2702.7, which is not midway between 1000 / 0.375
 * and 1000 / 0.365. */
struct check_range {
	double low, high, at;
};

/* The table that is checked. */
struct check_table {
	struct check_report *r;
	const struct check_ask *ask;
	const struct published_table *t;
	size_t *baseline;         /* [n_rows] its baseline's row, or NO_ROW */
	char *stated;             /* [n_rows] 1: a column states that it is */
	struct check_range total; /* of the column of durations, or NAN; within
	                             check_within */
	const struct check_names *models, *frameworks; /* as headings state */
};

#define NO_ROW ((size_t)-1)

extern const struct check_range check_nowhere; /* all NAN */

/* Of a number as printed; of what is known exactly; of bounds without digits,
 * midway. */
struct check_range check_range_of(const struct published_number *n);
struct check_range check_range_exact(double x);
struct check_range check_range_between(double low, double high);

/* A quotient, a product, and a range times a factor. */
struct check_range check_range_over(struct check_range a, struct check_range b);
struct check_range check_range_times(
    struct check_range a, struct check_range b);
struct check_range check_range_scaled(struct check_range a, double factor);

/* Where most of n ranges overlap.  Returns how many do; out is set if any. */
size_t check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out);

/* The step time in a cell, as what work per second follows from: wider than its
 * digits where it is the median of an even number of runs. */
struct check_range check_time_of_work(
    const struct check_table *c, size_t row, size_t k);

/* A row and the group that it is in. */
struct check_keyed {
	const char *key;
	size_t row;
};

/* Sort rows by their groups. */
void check_keyed_sort(struct check_keyed *rows, size_t n);

/* One past the rows of the group of row number first. */
size_t check_keyed_end(const struct check_keyed *rows, size_t n, size_t first);

/* Whether what was computed rounds to the printed number, or is cut to it.
 *
 * decimals  that its column prints at most: 10.2 may be 10.20 */
enum check_verdict check_judge(const struct published_number *printed,
    int decimals, struct check_range computed);

/* Add a finding of the cell.
 *
 * computed  what it should be; low NAN: not stated
 * why       its texts live as long as the report */
void check_add(const struct check_table *c, const struct published_row *row,
    size_t column, enum check_verdict verdict, struct check_range computed,
    struct remark why);

/* The same with what it should be as text; NULL: not stated. */
void check_add_text(const struct check_table *c,
    const struct published_row *row, size_t column, enum check_verdict verdict,
    const char *expected, struct remark why);

/* Judge the cell and add the finding. */
void check_cell(const struct check_table *c, const struct published_row *row,
    size_t column, struct check_range computed, struct remark why);

/* Add a remark of the table. */
void check_remark(const struct check_table *c, struct remark remark);

/* A model or framework of the results, and which headings name it. */
struct check_name {
	const char *value;
	int anywhere; /* one of any table */
	int here;     /* one above the current table */
};

/* The different models, or frameworks, of results. */
struct check_names {
	struct check_name *items;
	size_t n, alloc;
	int any_here;
};

/* Collect the values of a key of all series, and look for them in all headings
 * of a document.  check_names_release frees. */
void check_names_init(struct check_names *names, const struct series_set *set,
    enum series_key key, const struct published *p);
void check_names_release(struct check_names *names);

/* Look for them above that table. */
void check_names_at(struct check_names *names, const struct published_table *t);

/* The column of speeds or times that a speedup or an efficiency is of: the
 * nearest one left of it, else right, that speaks of the same; NO_ROW if none
 * of them has a number in that row. */
size_t check_speed_of(const struct check_table *c, size_t row, size_t column);

/* The GPUs of what a speedup or efficiency of a row is over: of the table's
 * baseline, 1 where its cell is none of a baseline. */
long check_baseline_gpus(
    const struct check_table *c, size_t row, size_t column);

/* True for a number above 0. */
int check_is_number(const struct published_cell *cell);

/* True if it prints 1, as a baseline does. */
int check_prints_one(const struct published_cell *cell);

/* Check cells by others of the table. */
void check_within(const struct check_table *c);

/* Check cells against the cases of results. */
void check_against(const struct check_table *c, const struct series_set *set);

#endif
