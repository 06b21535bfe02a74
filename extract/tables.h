/* Tables of extract_logs, made from the result in memory. */
#ifndef EXTRACT_TABLES_H
#define EXTRACT_TABLES_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* Print the table "runs" or "metrics"; any other name prints the cases, with
 * collectives and excluded logs below (CSV: only the cases). CSV has all
 * columns and unrounded numbers. Errors of f are reported by stdout_finish. */
void tables_write(const struct result *r, const char *name,
    const struct table_format *format, enum table_colour colour, FILE *f);

/* Excluded logs shown per reason before "And N more". */
enum { TABLES_EXCLUDED = 20 };

#endif
