/* The table of a comparison of two results. */
#ifndef REPORT_TABLES_COMPARE_H
#define REPORT_TABLES_COMPARE_H

#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* Name of a row's series: its configuration without the file; "" if there is
 * only one. Lives in the set's arena. */
const char *compare_row_group(struct series_set *set,
    const struct comparison_row *row, enum language lang);

/* Add the table. */
void compare_make(struct series_set *set, const struct comparison *c,
    const struct comparison_how *compare_how, const struct report_how *how,
    struct report_tables *list);

#endif
