/* The columns of a table of cases, for report_results and extract_logs. */
#ifndef REPORT_TABLES_CASES_H
#define REPORT_TABLES_CASES_H

#include "report/parts/columns.h"

/* Their rows read how, arena, panel, s, p, c and flags. */
extern const struct column case_columns[];

/* What sets the cases of a result apart: framework, model, precision, batch,
 * labels; and rule and unit.  Only those in which they differ are shown.  Their
 * rows read how, arena, result and c. */
extern const struct column case_traits[], case_measures[];

#endif
