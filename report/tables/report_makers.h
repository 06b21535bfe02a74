/* The kinds of tables, one file each.
 *
 * A new kind is a file with a report_maker, its declaration here, and a row of
 * reports[] in report.c.
 */
#ifndef REPORT_TABLES_REPORT_MAKERS_H
#define REPORT_TABLES_REPORT_MAKERS_H

#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* Add tables of a set to a list. */
typedef void report_maker(struct series_set *set, const struct report_how *how,
    struct report_tables *list);

report_maker scaling_make, comparison_make, speedup_make, collectives_make,
    law_make, times_make, phases_make, dlperf_make;

/* The table of extract_logs with the collectives of all cases; without columns
 * if there are none.
 *
 * t  empty */
void collectives_of_logs_make(
    const struct result *r, const struct report_how *how, struct table *t);

#endif
