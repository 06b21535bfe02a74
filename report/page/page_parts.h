/* Sections of the page and their common helpers. */
#ifndef REPORT_PAGE_PAGE_PARTS_H
#define REPORT_PAGE_PAGE_PARTS_H

#include <stdio.h>

#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* A page being written. */
struct html_page {
	FILE *f;
	enum language lang;
	struct arena *a; /* of the set, for strings */
	struct series_set *set;
	const struct panel_list *panels;
	const struct report_how *how; /* how->links numbers the cases */
	uint64_t differing;           /* keys in which the series differ */
};

/* --- the page (page.c) ---------------------------------------------------- */

/* Write one self-contained HTML page of a set: summary, doubts, charts, tables
 * that sort and filter, and the runs of each number. Texts from logs are
 * escaped and isolated in direction, and the content security policy allows
 * only the page's own style and script, by their hashes.
 *
 * how  language and digits; tables and format are ignored
 *
 * Returns 0; -1 with ERROR_SYSTEM where the style or the script is missing,
 * ERROR_EMPTY where no series has a case.  Errors of f are left to
 * outfile_commit. */
int page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

/* --- texts (page_text.c) -------------------------------------------------- */

/* A message in the page's language. */
const char *page_words(
    const struct html_page *pg, const char *en, const char *zh);

/* Write HTML, replacing each '@' by the next text, escaped and isolated in
 * direction, each '^' by the next text, escaped only, and each '#' by the next
 * number. A text that is NULL is written as "unknown".
 *
 * ...  const char * for each '@' and '^', long for each '#' */
void page_put(const struct html_page *pg, const char *html, ...);

/* The same in the page's language, within a line and as a paragraph. */
void page_say(const struct html_page *pg, const char *en, const char *zh, ...);
void page_sentence(
    const struct html_page *pg, const char *en, const char *zh, ...);

/* Start a section with a heading that also names it. */
void page_section(const struct html_page *pg, const char *id, const char *head);

/* "2 GPUs", "1 CPU process": a count of the set's devices. */
const char *page_devices(const struct html_page *pg, long count);

/* "pytorch, fp32, 1n2g": the values that distinguish the series, and the
 * case. */
const char *page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c);

/* A level or share in per cent, "96.83 %". */
const char *page_percent(const struct html_page *pg, double share);

/* Start a link to the details of a case; close it with "</a>". */
void page_link(const struct html_page *pg, const struct result_case *c);

/* "and 3 more" */
void page_more(const struct html_page *pg, size_t n);

/* A table in a region that scrolls sideways if it is too wide.
 *
 * label  of the region
 * id     of the region; makes the table sortable and filterable. NULL: its
 *        order matters */
void page_table(const struct html_page *pg, const struct table *t,
    const char *label, const char *id);

/* Note below a table that more metrics exist. */
void page_metrics_note(
    const struct html_page *pg, struct table *t, const struct metric_list *l);

/* --- sections ------------------------------------------------------------- */

/* Doubts: flags, wide intervals, too few runs, excluded logs. */
void page_doubts(const struct html_page *pg);

/* The charts of a panel as inline SVG with one legend; nothing if no series has
 * two points that can be drawn. */
void page_charts(const struct html_page *pg, const struct panel *p);

/* Details of a case: how its numbers are computed, its runs with files and
 * lines, their flags and metrics. */
void page_details(const struct html_page *pg, const struct panel_point *x);

#endif
