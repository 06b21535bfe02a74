/* The tables of report_results --table. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "common/error.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* Print name and description of each table. */
void reports_list(FILE *f);

/* Write the comparison, the gates and the pivot table of how, and the tables
 * of how->tables; scaling if there are none of these.
 *
 * Returns 0; -1 with ERROR_USAGE for an unknown table or, if how->flat,
 * several; ERROR_EMPTY without a row, ERROR_INPUT for a table of speeds of
 * another metric. */
int reports_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

/* Write the same tables, of which a comparison is one, as a page.
 *
 * Returns as reports_write. */
int reports_page_write(struct series_set *set, const struct report_how *how,
    FILE *f, struct error *e);

/* Find a format of --format of another program (benchfmt, bmf,
 * github-action-benchmark, conbench, openmetrics). Returns -1 if there is none
 * of this name, which may be NULL. */
int export_find(const char *name);

/* Write the cases of a set in a format of export_find.
 *
 * Returns 0; -1 with ERROR_EMPTY if no case has a number. */
int export_write(int format, struct series_set *set, FILE *f, struct error *e);

#endif
