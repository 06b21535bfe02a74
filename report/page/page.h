/* One self-contained HTML page of a set of results: summary, doubts, charts,
 * tables that sort and filter, and the runs of each number.
 *
 * Texts from logs are escaped and isolated in direction, and the content
 * security policy allows only the page's own style and script, by their hashes.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* Write the page.
 *
 * how  language and digits; tables and format are ignored
 *
 * Returns 0; -1 with ERROR_SYSTEM where the style or the script is missing,
 * ERROR_EMPTY where no series has a case.  Errors of f are left to
 * outfile_commit. */
int page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

#endif
