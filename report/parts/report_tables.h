/* Options of tables, and the list of tables of a report.
 *
 *	struct table *t = report_tables_add(list);
 *	table_title(t, "%s", title);
 */
#ifndef REPORT_PARTS_REPORT_TABLES_H
#define REPORT_PARTS_REPORT_TABLES_H

#include <stddef.h>
#include <stdio.h>

#include "common/program/options.h"
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
	double law_efficiency; /* --law-efficiency; 0: 0.8 */
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

#endif
