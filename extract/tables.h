/* The tables of extract_logs, from the result in memory. */
#ifndef EXTRACT_TABLES_H
#define EXTRACT_TABLES_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* Print the table of that name: "runs", "metrics", else the cases, with
 * collectives and excluded logs below (CSV holds one table: the cases alone).
 * CSV has all columns and unrounded numbers.  Errors of f are left to
 * stdout_finish. */
void tables_write(const struct result *r, const char *name,
    const struct table_format *format, enum table_colour colour, FILE *f);

/* Excluded logs shown of one reason before "and N more". */
enum { TABLES_EXCLUDED = 20 };

#endif
