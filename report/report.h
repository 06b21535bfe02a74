/* Tables made of series: one row a kind of table.
 *
 * A new kind is a file report/NAME.c with a report_maker and a row of
 * reports[] in report.c.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "common/error.h"
#include "common/series/series.h"
#include "report/report_tables.h"

/* Is JSON asked for, by --format or, without it, by the ending of --output?
 * Either may be NULL. */
int report_wants_json(const char *format, const char *output);

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
