/* What --follow shows on a terminal: a table of the runs that fits it.
 */
#ifndef EXTRACT_FOLLOW_TABLE_H
#define EXTRACT_FOLLOW_TABLE_H

#include <stdio.h>

#include "extract/job/run_job.h"

/* Columns and lines of the terminal that standard output is, else 80 and 24;
 * COLUMNS and LINES in the environment go before. */
void follow_table_size(int *columns, int *lines);

/* Write the table to f.
 *
 * n_operands  below which the runs were found
 * columns  paths are cut in their middle, so that lines are no wider
 * lines    where there are more runs than lines, those that are done are left
 *          out first, then the last ones; a note states how many */
void follow_table_show(const struct run_job_list *jobs, size_t n_operands,
    int columns, int lines, FILE *f);

#endif
