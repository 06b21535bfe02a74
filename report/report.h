/* Tables made of series: one row a kind of table.
 *
 * A new kind is a file report/NAME.c with a report_maker and a row of
 * reports[] in run_report.c.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "common/options.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "common/series/messages.h"

enum {
	REPORT_DIGITS = -1,     /* of speeds, by default */
	REPORT_RATIO_DIGITS = 3 /* of speedups */
};

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
	const struct pivot
	    *pivot;            /* its tables instead of others; NULL: none */
	double law_efficiency; /* of --table=law: the level that it looks for;
	                          0: 0.8 */
	int flat; /* one table for a machine: configurations in columns
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

/* Fill a list from a set.  A table without rows is not added. */
typedef void report_maker(struct series_set *set, const struct report_how *how,
    struct report_tables *list);

report_maker scaling_make, comparison_make, speedup_make, collectives_make,
    law_make, times_make, phases_make, dlperf_make;

struct report {
	const char *name; /* of --table */
	report_maker *make;
	const char *sentence; /* for --list-tables */
	int of_speeds;        /* means nothing where another metric is shown */
};

/* The last one has the name NULL. */
extern const struct report reports[];

/* Write all tables that were asked for to f.
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown table, ERROR_EMPTY if there is
 * nothing to show.  Errors of f are left to outfile_commit. */
int report_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

#endif
