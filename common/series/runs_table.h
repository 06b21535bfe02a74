/* Tables of runs, CSV or separated by tabs, as extract_logs --table=runs
 * --format=csv writes them: one row a run, whose columns case, run, value and
 * unit are required. Rows of one case are its runs; unknown columns are labels.
 * Medians, intervals and speedups are computed from the runs. */
#ifndef COMMON_SERIES_RUNS_TABLE_H
#define COMMON_SERIES_RUNS_TABLE_H

#include <stddef.h>

#include "common/error.h"
#include "common/result/result.h"

/* True if the first line has the required columns. */
int runs_table_is(const char *text, size_t len);

/* Read a table.
 *
 * name  file name for messages
 *
 * Returns 0; -1 with ERROR_INPUT for a cell that is no number or is missing,
 * ERROR_EMPTY without a run. */
int runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e);

#endif
