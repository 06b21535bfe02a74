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

/* Of a number as printed, a quotient, and a product. */
struct check_range check_range_of(const struct published_number *n);
struct check_range check_range_over(struct check_range a, struct check_range b);
struct check_range check_range_times(
    struct check_range a, struct check_range b);

/* Of what is known exactly; of bounds without digits, midway; and each of them
 * times a factor. */
struct check_range check_range_exact(double x);
struct check_range check_range_between(double low, double high);
struct check_range check_range_scaled(struct check_range a, double factor);

/* Where most of n ranges overlap.  Returns how many do; out is set if any. */
size_t check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out);

/* Does what was computed round to the printed number, or is it cut to it?
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

/* Take back all findings but the first n. */
void check_drop(const struct check_table *c, size_t n);

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

/* A number above 0. */
int check_is_number(const struct published_cell *cell);

/* Does it print 1, of a row that is the baseline? */
int check_prints_one(const struct published_cell *cell);

/* The text of a cell without more than what a reader needs, for a finding. */
struct remark_arg check_cell_name(
    const struct check_table *c, size_t row, size_t column);

/* Is it a column of steps per second? */
int check_is_of_steps(const struct check_table *c, size_t k);

/* The column nearest left of i, else right of it, that the test accepts and
 * that speaks of the same, with numbers in both rows; NO_ROW for none. */
size_t check_operand(const struct check_table *c, size_t i, size_t row,
    size_t base, int (*accepts)(enum published_role role));

/* The two columns of one kind before a column; 1 if both have numbers in the
 * row. */
int check_columns_before(
    const struct check_table *c, size_t row, size_t column, size_t operands[2]);

/* What a quotient may be: up to two readings, for a step's work may grow with
 * the GPUs or not, and a ratio of two columns is one over the other. */
struct check_readings {
	struct check_range ratio[2];
	struct remark why[2]; /* REMARK_QUOTIENT */
	size_t n;
};

/* How much faster row is than base, by column k. */
struct check_readings check_read_speedup(
    const struct check_table *c, size_t row, size_t base, size_t k);

/* The columns over each other, both ways. */
struct check_readings check_read_ratio(
    const struct check_table *c, size_t row, const size_t operands[2]);

/* Judge a number by each reading times factor; the first that it follows from,
 * else the first.  Adds the finding.
 *
 * by  the number that 1 / factor is in its reason, or NAN */
void check_readings_judge(const struct check_table *c,
    const struct published_row *row, size_t column,
    const struct check_readings *s, double by);

/* Has a row a baseline in the table, by its GPUs? */
int check_has_baseline(const struct check_table *c, size_t row);

/* A speedup whose baseline is not in the table: that of the fewest GPUs shows
 * it by being no 1. */
int check_starts_elsewhere(
    const struct check_table *c, size_t base, size_t column);

/* All speedups of a column. */
void check_speedups(const struct check_table *c, size_t column);

/* Cells within the table. */
void check_within(const struct check_table *c);

/* The same, and where a single other value of a cell would let several cells
 * follow that do not, that cell is named in their place. */
void check_blame(const struct check_table *c);

/* Cells against the cases of results. */
void check_against(const struct check_table *c, const struct series_set *set);

#endif
