/* Reports: the tables of a set of series. */
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
	const char *sentence; /* description in --list-tables */
	int of_speeds;        /* 1: not available with --metric */
};

/* All kinds of tables; the last entry has the name NULL. */
extern const struct report reports[];

/* Write the tables that how names to f.
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown table, ERROR_EMPTY if there is
 * nothing to show.  Errors of f are left to outfile_commit. */
int report_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

#endif
