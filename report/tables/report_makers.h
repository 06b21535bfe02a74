/* The kinds of tables, one file each.
 *
 * A new kind is a file with a report_maker, its declaration here, and a row of
 * reports[] in report.c.
 */
#ifndef REPORT_TABLES_REPORT_MAKERS_H
#define REPORT_TABLES_REPORT_MAKERS_H

#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "report/parts/columns.h"
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

/* Columns of a case; they read how, arena, panel, s, p, c and flags. */
extern const struct column case_columns[];

/* Columns that distinguish the cases of a result: framework, model, precision,
 * batch, labels, rule and unit, where they differ. They read how, arena, result
 * and c. */
extern const struct column case_traits[], case_measures[];

/* Name of a row's series: its configuration without the file; "" if there is
 * only one. Lives in the set's arena. */
const char *compare_row_group(struct series_set *set,
    const struct comparison_row *row, enum language lang);

/* Add the table. */
void compare_make(struct series_set *set, const struct comparison *c,
    const struct comparison_how *compare_how, const struct report_how *how,
    struct report_tables *list);

#endif
