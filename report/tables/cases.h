/* The columns of a table of cases, for report_results and extract_logs. */
#ifndef REPORT_TABLES_CASES_H
#define REPORT_TABLES_CASES_H

#include "report/parts/columns.h"

/* Columns of a case; they read how, arena, panel, s, p, c and flags. */
extern const struct column case_columns[];

/* Columns that distinguish the cases of a result: framework, model, precision,
 * batch, labels, rule and unit, where they differ. They read how, arena, result
 * and c. */
extern const struct column case_traits[], case_measures[];

#endif
