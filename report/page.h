/* One HTML page of a set of results that needs no network and no other file: a
 * summary, what is doubtful, charts, tables that sort and filter, and for each
 * number the runs that it stands on.
 *
 * Texts of logs stand in it as text alone: they are escaped, kept apart from
 * the direction of what is around them, and the page's policy allows no style
 * and no script but its own two, which it names by their hashes.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/panel.h"
#include "report/report.h"

/* Write the page.
 *
 * how  its language, digits; tables and format are not asked
 *
 * Returns 0; -1 with ERROR_SYSTEM where the style or the script is missing,
 * ERROR_EMPTY where no series has a case.  Errors of f are left to
 * outfile_commit. */
int page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

/* --- What its parts share --------------------------------------------------*/

/* A text of a log or a file, escaped; NULL is "unknown". */
void page_text(FILE *f, const char *text);

/* The number of a point in the page, from 0: its details have the id
 * "case-N".  Points are numbered in the order of panels, series and points. */
typedef size_t page_number;

enum page_chart {
	PAGE_SPEEDUP,
	PAGE_EFFICIENCY,
	PAGE_THROUGHPUT,
	N_PAGE_CHARTS
};

/* A chart of the panel as inline SVG in a figure; nothing where no series has
 * two points that can be drawn. */
void page_chart(FILE *f, struct series_set *set, const struct panel *p,
    enum page_chart kind, enum language lang);

struct predictions;

/* A section of predictions; nothing without series, or where p is NULL. */
void page_predictions(const struct predictions *p, FILE *f);

/* What the number of a point stands on: the sentence that makes it, its runs
 * with files and lines, their flags. */
void page_details(FILE *f, struct series_set *set, const struct panel *p,
    size_t i_series, size_t i_point, page_number number,
    const struct report_how *how);

#endif
