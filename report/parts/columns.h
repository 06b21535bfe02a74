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
#ifndef REPORT_PARTS_COLUMNS_H
#define REPORT_PARTS_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "report/parts/panel.h"
#include "report/parts/cell.h"

struct case_flags;

/* Input of the cells of a row; a table fills in the members that its columns
 * read. */
struct column_row {
	struct table *t;
	const struct report_how *how;
	struct arena *arena; /* owns texts; outlives the table */
	/* For flat tables that begin with keys of the configuration and end
	 * with how the cases were measured; NULL: without. */
	const struct series_set *set;
	uint64_t keys; /* of set, that have a column */
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
	CELL_DIGITS, /* double in some digits, "-" if unknown */
	CELL_EXACT   /* double with all its digits */
};

struct column {
	const char *head[N_LANGUAGES]; /* NULL: only in flat tables */
	const char *key;  /* in flat tables, the result's name of it; NULL: not
	                     there */
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
#define RULE_MEMBER(member) \
	.of_rule = 1, .at = offsetof(struct result_rule, member)
#define ITEM_MEMBER(type, member) .of_item = 1, .at = offsetof(type, member)

/* A column of flat tables only. */
#define FLAT(name, how, member) \
	{ \
		.key = (name), .cell = (how), member \
	}

/* Add the columns to x->t, those of keys and measured cases too.
 *
 * Returns a mask of the columns that the table has, for columns_put. */
uint64_t columns_add(const struct column *columns, const struct column_row *x);

/* Add the cells of the columns in the mask to the last row of x->t. */
void columns_put(
    const struct column *columns, uint64_t shown, const struct column_row *x);

/* Add a row: keys, these columns, and how its cases were measured. */
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

/* Add columns with these heads; the last is NULL. */
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

/* Make the columns' input for how a case was measured. Borrows from both. */
struct measured_case keys_measured(
    const struct series *s, const struct series_point *p);

/* Most metrics in one table. */
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

/* Median of a metric over the runs of a case that have it; NAN: none. */
double metric_median(const struct result_case *c, const char *name);

#endif
