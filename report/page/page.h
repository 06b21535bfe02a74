/* One HTML page of a set of results that needs no network and no other file: a
 * summary, what is doubtful, charts, tables that sort and filter, and for each
 * number the runs that it stands on.
 *
 * Texts of logs stand in it as text alone: they are escaped, kept apart from
 * the direction of what is around them, and the page's policy allows no style
 * and no script but its own two, which it names by their hashes.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* Write the page.
 *
 * how  its language, digits; tables and format are not asked
 *
 * Returns 0; -1 with ERROR_SYSTEM where the style or the script is missing,
 * ERROR_EMPTY where no series has a case.  Errors of f are left to
 * outfile_commit. */
int page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

#endif
