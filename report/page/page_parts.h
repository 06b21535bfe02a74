/* The parts of the page, and what they share; page.c puts them together. */
#ifndef REPORT_PAGE_PAGE_PARTS_H
#define REPORT_PAGE_PAGE_PARTS_H

#include <stdio.h>

#include "report/parts/metrics.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* A page on its way out. */
struct html_page {
	FILE *f;
	enum language lang;
	struct arena *a; /* of the set, for texts */
	struct series_set *set;
	const struct panel_list *panels;
	const struct report_how *how; /* its links number the cases */
	uint64_t differing;           /* keys in which its series differ */
};

/* --- texts (page_text.c) -------------------------------------------------- */

/* The text in the page's language. */
const char *page_words(
    const struct html_page *pg, const char *en, const char *zh);

/* Write HTML with texts in it: '@' stands for the next text, escaped and apart
 * from the direction of what is around it, '^' for the next one escaped alone.
 * A text that is NULL is "unknown".
 *
 * ...  const char *, as many as there are '@' and '^' */
void page_put(const struct html_page *pg, const char *html, ...);

/* The same as a paragraph. */
void page_sentence(const struct html_page *pg, const char *html, ...);

/* Start a section with a head, which is the section's name, too. */
void page_section(const struct html_page *pg, const char *id, const char *head);

/* "2 GPUs", "1 CPU process": as many of what the set counts. */
const char *page_devices(const struct html_page *pg, long count);

/* "pytorch, fp32, 1n2g": what sets the series apart from all others of the
 * page, and the case. */
const char *page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c);

/* A level or share as per cent, "96.83 %". */
const char *page_percent(const struct html_page *pg, double share);

/* Start a link to the details of a case; close it with "</a>". */
void page_link(const struct html_page *pg, const struct result_case *c);

/* "and 3 more" */
void page_more(const struct html_page *pg, size_t n);

/* A table in a region of its own, that scrolls sideways where it has no room.
 *
 * label  of the region
 * id     of the region, which makes its heads sort the rows and leads a field
 *        that filters them; NULL: the order is the table's sense */
void page_table(const struct html_page *pg, const struct table *t,
    const char *label, const char *id);

/* Note below a table of metrics that there are more. */
void page_metrics_note(
    const struct html_page *pg, struct table *t, const struct metric_list *l);

/* --- sections ------------------------------------------------------------- */

/* What was measured in a line, and the headline of each series. */
void page_summary(const struct html_page *pg);

/* What is doubtful: flags, wide intervals, too few runs, what was excluded. */
void page_doubts(const struct html_page *pg);

/* The charts of a panel as inline SVG, with one key; nothing where no series
 * has two points that can be drawn. */
void page_charts(const struct html_page *pg, const struct panel *p);

/* A section of the predictions of pg->how; nothing without any. */
void page_predictions(const struct html_page *pg);

/* What the numbers of a case stand on: the sentences that make them, its runs
 * with files and lines, their flags and metrics. */
void page_details(const struct html_page *pg, const struct panel_point *x);

#endif
