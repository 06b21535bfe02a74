/* The kinds of tables: what report.c lists and calls, each in its own file.
 *
 * A new kind is a file next to this one with a report_maker, its name below,
 * and a row of reports[] in report.c.
 */
#ifndef REPORT_TABLES_REPORT_MAKERS_H
#define REPORT_TABLES_REPORT_MAKERS_H

#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* Fill a list from a set.  A table without rows is not added. */
typedef void report_maker(struct series_set *set, const struct report_how *how,
    struct report_tables *list);

report_maker scaling_make, comparison_make, speedup_make, collectives_make,
    law_make, times_make, phases_make, dlperf_make;

/* Of extract_logs: the collectives of all cases in one table, which stays
 * without columns where there are none.
 *
 * t  empty */
void collectives_of_logs_make(
    const struct result *r, const struct report_how *how, struct table *t);

#endif
