/* Options of tables, the list of tables of a report, cells with their digits,
 * and columns, each described by a row of an array.
 *
 *	struct table *t = report_tables_add(list);
 *	table_title(t, "%s", title);
 *	table_row(t);
 *	cell_ratio(t, how, 1.74);
 *
 * Four kinds of cells are distinguished: a number; a published word ("OOM",
 * "TODO"); a case without a number ("n/a"); a missing case ("-").
 */
#ifndef REPORT_PARTS_COLUMNS_H
#define REPORT_PARTS_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "common/texts/remark.h"
#include "report/parts/panel.h"

struct case_links;
struct comparison;
struct comparison_how;
struct gate_report;
struct predictions;

struct report_how {
	enum language lang;
	const struct table_format *format;
	enum table_colour colour;
	long ratio_decimals; /* decimals of speedups including the baseline's;
			       -1: by their significant digits */
	/* Comparison of two results, whose table is first; NULL: none. */
	const struct comparison *comparison;
	const struct comparison_how *comparison_how;
	const struct gate_report *gates;       /* gates, whose table is added;
						  NULL: none */
	const struct predictions *predictions; /* for the page, or NULL */
	const struct case_links *links; /* of the page: links to details, or
					   NULL */
	/* 1: a pivot table of these keys and numbers, see pivot_make(),
	 * replaces the other tables */
	int is_pivot;
	const char *pivot_rows, *pivot_columns, *pivot_values;
	int sessions; /* 1: the runs are sessions, and a note says so */
	int of_logs;  /* 1: of extract_logs: one series with cases of all
			configurations, "-" for an unknown number, speeds in
			five digits, no note about missing intervals */
	int flat;     /* format->is_flat: configurations in columns instead of
			titles, intervals in two columns, numbers unrounded */
};

/* The tables of a report in order; they own their text. */
struct report_tables {
	struct table *items;
	size_t n, alloc;
};

/* Append an empty table. */
struct table *report_tables_add(struct report_tables *list);

/* Write the tables with rows to f in how->format. */
void report_tables_write(
    const struct report_tables *list, const struct report_how *how, FILE *f);

/* Write the start and the end of a self-contained HTML page of tables. */
void report_page_start(const char *title, const char *language, FILE *f);
void report_page_end(FILE *f);

/* Free all tables. */
void report_tables_release(struct report_tables *list);

/* --- texts, in a or static; "n/a" if unknown, "" in flat tables ---------- */

/* Half the width of the 95 % interval of a single run's mean by batch means,
 * relative to the mean. NAN if the case has several runs or it is unknown. A
 * single run has no interval of the median; this one shows how steady its steps
 * were, not how runs differ. */
double case_within_run(const struct result_case *c);

/* x, a value of the point or an end of its interval. Speeds have two decimals
 * and at least five digits (5.3214, 347.12, 11548.45), times have five digits.
 * Both have no more digits than the interval supports (half a width of 24.8:
 * 1404); for a single run, that is the interval of case_within_run. */
const char *text_of_value(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x);

/* A ratio with three significant digits and all digits before the point: 1.74,
 * 16.0, 123. */
const char *text_of_ratio(
    struct arena *a, const struct report_how *how, double x);

/* The same for x, the speedup of the point or an end of its interval; by
 * default with no more digits than the interval supports. */
const char *text_of_speedup(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x);

/* Both ends of an interval, "[low, high]"; "" if one is unknown.
 *
 * is_ratio  1: digits as a speedup, 0: as a value */
const char *text_of_interval(struct arena *a, const struct report_how *how,
    const struct series_point *p, double low, double high, int is_ratio);

/* --- cells ---------------------------------------------------------------- */

/* A count; "n/a" if unknown, empty in flat tables. */
void cell_count(struct table *t, const struct report_how *how, long count);

/* The median of a point: a published cell as it was written, else the number
 * with the marks of the case's flags. p may be NULL.
 *
 * marks  "" for none */
void cell_value(struct table *t, const struct report_how *how,
    const struct series_point *p, const char *marks);

/* A number in the unit of the point's case. */
void cell_number(struct table *t, const struct report_how *how,
    const struct series_point *p, double x);

/* A speedup; the baseline's is "1", which is exact. */
void cell_speedup(struct table *t, const struct report_how *how,
    const struct series_point *p, double speedup);

/* Another ratio, with as many digits as a speedup. */
void cell_ratio(struct table *t, const struct report_how *how, double ratio);

/* A share in per cent without the sign, one decimal; unrounded in flat
 * tables. */
void cell_percent(struct table *t, const struct report_how *how, double share);

/* A number with all its digits; "" if unknown. */
void cell_unrounded(struct table *t, double x);

/* True for a case that is its own baseline. */
int cell_is_baseline(const struct result_case *c);

/* --- columns -------------------------------------------------------------- */

/* Columns of tables, one row of an array each.
 *
 *	static const struct column columns[] = {
 *		{ { "runs", "次数" }, "n", .align = TABLE_RIGHT,
 *		    .cell = CELL_COUNT, CASE_MEMBER(n) },
 *		{ { "speedup", "加速比" }, "speedup", .align = TABLE_DECIMAL,
 *		    .cell = CELL_PUT, .put = put_speedup },
 *		{ .cell = CELL_END },
 *	};
 *	struct column_row x = { .t = t, .how = how, ... };
 *	uint64_t shown = columns_add(columns, &x);
 *	columns_row(columns, shown, &x);
 *
 * A flat table (CSV) has the columns with a key, any other table those with a
 * head whose condition holds. */

struct case_flags;

/* Input of the cells of a row; a table fills in the members that its columns
 * read. */
struct column_row {
	struct table *t;
	const struct report_how *how;
	struct arena *arena; /* owns texts; outlives the table */
	/* For flat tables that begin with keys of the configuration and end
	 * with columns on the measurement of the cases, else NULL. */
	const struct series_set *set;
	uint64_t keys; /* keys of set that have a column */
	const struct panel *panel;
	const struct result *result;
	const struct series *s;
	const struct series_point *p;
	const struct result_case *c;
	const void *item; /* a run, a message size, a fit, ... */
	int links;        /* 1: cells link to the details of c */
	struct case_flags *flags;
	const struct column *column; /* column of the current cell */
};

/* Content of a column: the member at an offset, or the result of a function. */
enum column_cell {
	CELL_END,    /* end of the array */
	CELL_PUT,    /* put() adds the cell */
	CELL_CASE,   /* name of the case */
	CELL_MEDIAN, /* of the case, as published */
	CELL_SPEEDUP,
	CELL_MEDIAN_INTERVAL, /* of the case */
	CELL_SPEEDUP_INTERVAL,
	CELL_MADE,   /* text() of the row; NULL is an empty cell */
	CELL_TEXT,   /* const char *; the same */
	CELL_COUNT,  /* long, RESULT_UNKNOWN where it is unknown */
	CELL_VALUE,  /* double in the unit of the case */
	CELL_RATIO,  /* double, digits as a speedup's */
	CELL_SHARE,  /* double, shown in per cent */
	CELL_DIGITS, /* double with a few digits, "-" if unknown */
	CELL_EXACT   /* double with all its digits */
};

struct column {
	const char *head[N_LANGUAGES]; /* NULL: only in flat tables */
	const char *key;  /* head in flat tables, as in results; NULL: not in
	                     flat tables */
	const char *unit; /* "": that of the case; NULL: none */
	enum table_align align;
	enum column_cell cell;
	int of_item;  /* 1: a member of the item, 0: of the case */
	int of_rule;  /* 1: of the rule of the result of extract_logs */
	size_t at;    /* offset of the member */
	double scale; /* of column_number; 0: 1 */
	void (*put)(const struct column_row *x);
	const char *(*text)(const struct column_row *x);
	int differs; /* 1: only if the texts of x->result's cases differ */
	int (*when)(const struct column_row *x);          /* NULL: always */
	const char *(*title)(const struct column_row *x); /* instead of head */
};

#define CASE_MEMBER(member) .at = offsetof(struct result_case, member)
#define ITEM_MEMBER(type, member) .of_item = 1, .at = offsetof(type, member)

/* A column of flat tables only. */
#define FLAT(name, how, member) \
	{ \
		.key = (name), .cell = (how), member \
	}

/* Add the columns to x->t, in flat tables also the keys and the measurement.
 *
 * Returns a mask of the columns that the table has, for columns_put. */
uint64_t columns_add(const struct column *columns, const struct column_row *x);

/* Add the cells of the columns in the mask to the last row of x->t. */
void columns_put(
    const struct column *columns, uint64_t shown, const struct column_row *x);

/* Add a row: keys, these columns, and the columns of the measurement. */
void columns_row(
    const struct column *columns, uint64_t shown, const struct column_row *x);

/* Add the cell of x->column. */
void column_put(const struct column_row *x);

/* The number at the offset of x->column, times its scale; NAN: unknown. */
double column_number(const struct column_row *x);

/* Text of a column of CELL_MADE, CELL_TEXT or CELL_COUNT; NULL: none. */
const char *column_text(
    const struct column *column, const struct column_row *x);

/* True if the cases of x->result have different texts in the column. */
int column_differs(const struct column *column, const struct column_row *x);

/* --- flat tables ---------------------------------------------------------- */

/* Add columns with these heads, a list that ends with NULL. */
void flat_columns(struct table *t, const char *const *heads);

/* Add cells of numbers with all their digits; "" if unknown. */
void flat_numbers(struct table *t, const double *x, size_t n);

/* --- columns of a configuration, in flat tables --------------------------- */

/* Keys that always have a column. */
#define KEYS_ALWAYS \
	(SERIES_BIT(SERIES_FRAMEWORK) | SERIES_BIT(SERIES_MODEL) | \
	    SERIES_BIT(SERIES_PRECISION) | SERIES_BIT(SERIES_BATCH))

/* Keys in mask that some series of the set has; the unit of work only if series
 * differ in it. */
uint64_t keys_known(const struct series_set *set, uint64_t mask);

/* Head of a key's column in tables for people. */
const char *keys_head(
    const struct series_set *set, size_t key, enum language lang);

/* Add a column per key, in the order of struct series_set; heads are the names
 * in results. */
void keys_columns(struct table *t, const struct series_set *set, uint64_t keys);

/* Add the cells of the keys; unknown values, and all if s is NULL, are
 * empty. */
void keys_cells(struct table *t, const struct series_set *set,
    const struct series *s, uint64_t keys);

/* Machine-readable columns on the measurement of each number, the same at the
 * end of every CSV table.
 *
 *	measured_columns_add(&t);
 *	table_row(&t);
 *	table_cell(&t, "4n8g"); ...
 *	measured_columns_fill(&t, &one, 1); */

/* Add the columns n, median_level, baseline, speedup_level, confidence, rule
 * and measured (the rule as a sentence), except those that the table already
 * has. */
void measured_columns_add(struct table *t);

/* Fill the last cells of the row, which must be these columns. Values that
 * differ between the row's cases are listed once each, separated by "; ". */
void measured_columns_fill(
    struct table *t, const struct panel_point *points, size_t n);

/* Maximum number of metrics in one table. */
enum { METRICS_MAX = 256 };

/* Distinct metrics in order of first appearance; start with { .n = 0 }. */
struct metric_list {
	const struct result_metric *items[METRICS_MAX];
	size_t n;
	int more; /* 1: there were more than METRICS_MAX */
};

/* Add the metrics of a case's runs that are new. They are borrowed. */
void metric_list_add(struct metric_list *l, const struct result_case *c);

/* Add a column per metric, with its name and unit. */
void metric_list_columns(
    const struct metric_list *l, struct table *t, enum table_align align);

#endif
