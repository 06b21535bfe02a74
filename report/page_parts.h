/* The parts of the page, and what they share; page.c puts them together.  No
 * other file includes it.
 */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include <stdio.h>

#include "report/panel.h"
#include "report/report_tables.h"

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
