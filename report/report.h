/* Tables made of series: one row a kind of table (report_makers.h). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "common/error.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"
#include "report/tables/report_makers.h"

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
