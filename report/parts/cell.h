/* Options of tables, the list of tables of a report, and cells with their
 * digits.
 *
 *	struct table *t = report_tables_add(list);
 *	table_title(t, "%s", title);
 *	table_row(t);
 *	cell_ratio(t, how, 1.74);
 *
 * Four kinds of cells are distinguished: a number; a published word ("OOM",
 * "TODO"); a case without a number ("n/a"); a missing case ("-").
 */
#ifndef REPORT_PARTS_CELL_H
#define REPORT_PARTS_CELL_H

#include <stddef.h>
#include <stdio.h>

#include "common/program/options.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "common/texts/messages.h"

enum {
	REPORT_DIGITS = -1,     /* of speeds, default */
	REPORT_RATIO_DIGITS = 3 /* of speedups */
};

struct case_links;
struct comparison;
struct comparison_how;
struct gate_report;
struct predictions;

struct report_how {
	const struct opt_list *tables; /* names, may contain commas; empty:
					  scaling */
	enum language lang;
	const struct table_format *format;
	enum table_colour colour;
	long digits;         /* decimals of speeds and times; REPORT_DIGITS */
	long ratio_digits;   /* significant digits of speedups */
	long ratio_decimals; /* decimals of speedups including the baseline's;
			       REPORT_DIGITS: by ratio_digits */
	/* Comparison of two results, whose table is first; NULL: none. */
	const struct comparison *comparison;
	const struct comparison_how *comparison_how;
	const struct gate_report *gates;       /* gates, whose table is added;
						  NULL: none */
	const struct predictions *predictions; /* for the page, or NULL */
	const char *machine;            /* of the page: --machine, or NULL */
	const struct case_links *links; /* of the page: links to details, or
					   NULL */
	/* 1: a pivot table of these keys and numbers, see pivot_make(),
	 * replaces the other tables */
	int is_pivot;
	const char *pivot_rows, *pivot_columns, *pivot_values;
	double law_efficiency; /* --law-efficiency */
	int sessions;          /* 1: the runs are sessions, which is noted */
	int of_logs;           /* of extract_logs: one series with cases of all
			configurations, "-" for an unknown number, speeds in
			five digits, no note about missing intervals */
	int flat; /* format->is_flat: configurations in columns instead of
			titles, intervals in two columns, numbers unrounded
			unless digits is given */
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

/* Free them all. */
void report_tables_release(struct report_tables *list);

/* --- texts, in a or static; "n/a" if unknown, "" in flat tables ---------- */

/* x, a value of the point or an end of its interval, with how->digits decimals.
 * By default speeds have two decimals and at least five digits (5.3214, 347.12,
 * 11548.45), times five digits, both no more than the interval supports (half a
 * width of 24.8: 1404), of a single run the one within it. */
const char *text_of_value(struct arena *a, const struct report_how *how,
    const struct series_point *p, double x);

/* A ratio with how->ratio_digits significant digits but all digits before the
 * point: 1.74, 16.0, 123. */
const char *text_of_ratio(
    struct arena *a, const struct report_how *how, double x);

/* The same of x, the speedup of the point or an end of its interval; by default
 * no more digits than the interval supports. */
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

/* Another ratio, with digits as a speedup. */
void cell_ratio(struct table *t, const struct report_how *how, double ratio);

/* True if an option sets the digits of ratios. */
int cell_ratio_digits_asked(const struct report_how *how);

/* A share in per cent without the sign, one decimal; unrounded in flat
 * tables. */
void cell_percent(struct table *t, const struct report_how *how, double share);

/* A number with all its digits; "" if unknown. */
void cell_unrounded(struct table *t, double x);

/* True for a case that is its own baseline. */
int cell_is_baseline(const struct result_case *c);

/* An interval as in text_of_interval. */
void cell_interval(struct table *t, const struct report_how *how,
    const struct series_point *p, double low, double high, int is_ratio);

/* The interval of a point's median; for a single run the interval within it,
 * which notes_levels explains. */
void cell_median_interval(struct table *t, const struct report_how *how,
    const struct series_point *p);

#endif
