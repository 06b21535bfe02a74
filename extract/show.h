/* The table of extract_logs: what each case is worth; what was excluded and
 * why. */
#ifndef EXTRACT_SHOW_H
#define EXTRACT_SHOW_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* Print the cases, then what was excluded (not in CSV, which holds one table).
 *
 * What all cases have in common (framework, model, precision, batch, labels)
 * stands in the title, what sets them apart in columns.  CSV has all columns
 * and unrounded numbers.  Errors of f are left to stdout_finish. */
void show_result(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f);

/* Shown of one reason before it prints "and N more". */
enum { SHOW_EXCLUDED = 20 };

#endif
