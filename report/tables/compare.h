/* The table of a comparison of two results. */
#ifndef REPORT_TABLES_COMPARE_H
#define REPORT_TABLES_COMPARE_H

#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "report/parts/report_tables.h"

/* What the series of a row is, where several are compared: its configuration
 * without the file.  Lives in the set's arena; "" where there is one only. */
const char *compare_row_group(struct series_set *set,
    const struct comparison_row *row, enum language lang);

/* Add the table. */
void compare_make(struct series_set *set, const struct comparison *c,
    const struct comparison_how *compare_how, const struct report_how *how,
    struct report_tables *list);

#endif
