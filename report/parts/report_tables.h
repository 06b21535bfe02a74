/* How tables are shown, and the list of them that a report makes.
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
	REPORT_DIGITS = -1,     /* of speeds, by default */
	REPORT_RATIO_DIGITS = 3 /* of speedups */
};

struct case_links;
struct comparison;
struct comparison_how;
struct gate_report;
struct pivot;
struct predictions;

struct report_how {
	const struct opt_list *tables; /* names, also with commas; empty:
	                                  scaling */
	enum language lang;
	const struct table_format *format;
	enum table_colour colour;
	int digits;         /* decimals of speeds and times; REPORT_DIGITS */
	int ratio_digits;   /* significant ones of speedups */
	int ratio_decimals; /* decimals of speedups, the baseline's too;
	                       REPORT_DIGITS: as ratio_digits states */
	/* Of two results: its table stands first; NULL: none. */
	const struct comparison *comparison;
	const struct comparison_how *comparison_how;
	const struct gate_report *gates;       /* their table; NULL: none */
	const struct predictions *predictions; /* for the page, or NULL */
	const char *machine;            /* of the page: --machine, or NULL */
	const struct case_links *links; /* of the page: numbers lead to what
	                                   they stand on; or NULL */
	const struct pivot
	    *pivot;            /* its tables instead of others; NULL: none */
	double law_efficiency; /* of --table=law: the level that it looks for;
	                          0: 0.8 */
	int of_logs; /* of extract_logs: cases of all configurations in one
	                series, "-" for an unknown number, speeds in five
	                digits, no note where an interval is missing */
	int flat;    /* one table for a machine: configurations in columns
	                     instead of titles, intervals in two columns,
	                     numbers unrounded unless digits is given */
};

/* Is JSON asked for, by --format or, without it, by the ending of --output?
 * Either may be NULL. */
int report_wants_json(const char *format, const char *output);

/* The tables of a report, in order; they own their text. */
struct report_tables {
	struct table *items;
	size_t n, alloc;
};

/* An empty table at the end of the list. */
struct table *report_tables_add(struct report_tables *list);

/* Write the tables that have rows to f, as how->format states. */
void report_tables_write(
    const struct report_tables *list, const struct report_how *how, FILE *f);

/* Free them all. */
void report_tables_release(struct report_tables *list);

#endif
