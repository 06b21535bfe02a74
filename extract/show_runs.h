/* The table of single runs: what each run is worth and which lines of its log
 * state so. */
#ifndef EXTRACT_SHOW_RUNS_H
#define EXTRACT_SHOW_RUNS_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* Write a row for each run, in the order of the result.
 *
 * In text the flags of runs are notes below the table.  CSV has all columns,
 * unrounded numbers, and "" for what is unknown.  Errors of f are left to
 * stdout_finish. */
void show_runs(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f);

#endif
