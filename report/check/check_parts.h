/* Internals of the check: intervals of printed numbers, findings, names. */
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
	const struct check_ask *ask;
	const struct published_table *t;
	size_t *baseline;         /* [n_rows] row of the baseline, or NO_ROW */
	char *stated;             /* [n_rows] 1: a column states the baseline */
	struct check_range total; /* sum of the column of durations, or NAN; set
				     by check_within */
	const struct check_names *models, *frameworks; /* names in the
							  headings */
};

#define NO_ROW ((size_t)-1)

extern const struct check_range check_nowhere; /* all NAN */

/* The range of a printed number, of an exact value, and between two bounds. */
struct check_range check_range_of(const struct published_number *n);
struct check_range check_range_exact(double x);
struct check_range check_range_between(double low, double high);

/* A quotient, a product, and a range times a factor. */
struct check_range check_range_over(struct check_range a, struct check_range b);
struct check_range check_range_times(
    struct check_range a, struct check_range b);
struct check_range check_range_scaled(struct check_range a, double factor);

/* Find where most of n ranges overlap. Returns their number; out is set if it
 * is above 0. */
size_t check_range_overlap(
    const struct check_range *list, size_t n, struct check_range *out);

/* The step time in a cell for computing a rate. It is wider than its rounding
 * if it is the median of an even number of runs. */
struct check_range check_time_of_work(
    const struct check_table *c, size_t row, size_t k);

/* A row and the key of its group. */
struct check_keyed {
	const char *key;
	size_t row;
};

/* Sort rows by their groups. */
void check_keyed_sort(struct check_keyed *rows, size_t n);

/* One past the last row of the group that starts at first. */
size_t check_keyed_end(const struct check_keyed *rows, size_t n, size_t first);

/* Verdict on whether the computed range rounds, or is cut, to the printed
 * number.
 *
 * decimals  most decimals in its column: 10.2 may be 10.20 */
enum check_verdict check_judge(const struct published_number *printed,
    int decimals, struct check_range computed);

/* Add a finding about a cell.
 *
 * computed  the expected value; low NAN: not stated
 * why       its texts live as long as the report */
void check_add(const struct check_table *c, const struct published_row *row,
    size_t column, enum check_verdict verdict, struct check_range computed,
    struct remark why);

/* The same with the expected value as text; NULL: not stated. */
void check_add_text(const struct check_table *c,
    const struct published_row *row, size_t column, enum check_verdict verdict,
    const char *expected, struct remark why);

/* Judge a cell and add the finding. */
void check_cell(const struct check_table *c, const struct published_row *row,
    size_t column, struct check_range computed, struct remark why);

/* Add a remark on the table. */
void check_remark(const struct check_table *c, struct remark remark);

/* A model or framework of the results, and whether headings name it. */
struct check_name {
	const char *value;
	int anywhere; /* 1: a heading of any table names it */
	int here;     /* 1: a heading above the current table names it */
};

/* The different models, or frameworks, of results. */
struct check_names {
	struct check_name *items;
	size_t n, alloc;
	int any_here;
};

/* Collect the values of a key of all series and search all headings of a
 * document for them. check_names_release frees. */
void check_names_init(struct check_names *names, const struct series_set *set,
    enum series_key key, const struct published *p);
void check_names_release(struct check_names *names);

/* Search the headings above a table for the names. */
void check_names_at(struct check_names *names, const struct published_table *t);

/* The column of the speed or time of a speedup or efficiency: the nearest
 * matching one to the left, else to the right, with a number in that row;
 * NO_ROW if there is none. */
size_t check_speed_of(const struct check_table *c, size_t row, size_t column);

/* GPUs of the baseline of a row's speedup or efficiency; 1 if the baseline row
 * does not print 1. */
long check_baseline_gpus(
    const struct check_table *c, size_t row, size_t column);

/* True for a number above 0. */
int check_is_number(const struct published_cell *cell);

/* True if the cell prints 1, as a baseline's speedup does. */
int check_prints_one(const struct published_cell *cell);

/* Check cells by others of the table. */
void check_within(const struct check_table *c);

/* Check cells against the cases of results. */
void check_against(const struct check_table *c, const struct series_set *set);

#endif
