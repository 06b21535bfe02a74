/* The parts of the page, and what they share; page.c puts them together.  No
 * other file includes it.
 */
#ifndef REPORT_PAGE_PAGE_PARTS_H
#define REPORT_PAGE_PAGE_PARTS_H

#include <stdio.h>

#include "report/parts/metrics.h"
#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* A page on its way out. */
struct html_page {
	FILE *f;
	struct series_set *set;
	const struct panel_list *panels;
	const struct report_how *how; /* its links number the cases */
	const struct table *environment;
	uint64_t differing; /* keys in which its series differ */
};

/* --- texts (page_text.c) -------------------------------------------------- */

/* A text of a log or a file, escaped; NULL is "unknown". */
void page_text(FILE *f, const char *text);

/* The same, apart from the direction of what is around it. */
void page_bdi(FILE *f, const char *text);

/* "2 GPUs", "1 CPU process": as many of what the set counts.  Lives in the
 * set's arena. */
const char *page_devices(
    struct series_set *set, long count, enum language lang);

/* "pytorch, fp32, 1n2g": what sets the series apart from all others of the
 * page, and the case.  Lives in the set's arena. */
const char *page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c);

/* A level or share as per cent, "96.83 %".  Lives in the set's arena. */
const char *page_percent(struct series_set *set, double share);

/* Start a link to the details of a case; close it with "</a>". */
void page_link(const struct html_page *pg, const struct result_case *c);

/* A table in a region of its own, that scrolls sideways where it has no room.
 *
 * label  of the region
 * id     of the region, which makes its heads sort the rows and leads a field
 *        that filters them; NULL: the order is the table's sense */
void page_table(const struct html_page *pg, const struct table *t,
    const char *label, const char *id);

/* --- sections ------------------------------------------------------------- */

/* What was measured in a line, and the headline of each series. */
void page_summary(const struct html_page *pg);

/* What is doubtful: flags, wide intervals, too few runs, what was excluded. */
void page_doubts(const struct html_page *pg);

/* The files that the numbers are from, and what they state of machine and
 * software. */
void page_sources(const struct html_page *pg);

/* The logs that were excluded, and why; nothing without any. */
void page_excluded(const struct html_page *pg);

enum page_chart {
	PAGE_SPEEDUP,
	PAGE_EFFICIENCY,
	PAGE_THROUGHPUT,
	N_PAGE_CHARTS
};

/* The charts of a panel as inline SVG, with one key; nothing where no series
 * has two points that can be drawn. */
void page_charts(const struct html_page *pg, const struct panel *p);

/* Metrics, phases of a step and collectives, a section each, where results
 * have them. */
void page_sections(const struct html_page *pg);

/* Add a note to their table where there are more. */
void page_metrics_note(
    struct table *t, const struct metric_list *l, enum language lang);

/* A section of the predictions of pg->how; nothing without any. */
void page_predictions(const struct html_page *pg);

/* What the numbers of a case stand on: the sentences that make them, its runs
 * with files and lines, their flags and metrics.
 *
 * s  the series that the point is of */
void page_details(const struct html_page *pg, const struct series *s,
    const struct series_point *point);

#endif
