/* Sections of the page and their common helpers. */
#ifndef REPORT_PAGE_PAGE_PARTS_H
#define REPORT_PAGE_PAGE_PARTS_H

#include <stdio.h>

#include "plots/style/svg.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

/* A page being written. */
struct html_page {
	FILE *f;
	enum language lang;
	struct arena *a; /* of the set, for strings */
	struct series_set *set;
	const struct panel_list *panels;
	const struct report_how *how; /* how->links numbers the cases */
};

/* --- pages (page.c) ----------------------------------------------------- */

/* Write one self-contained HTML page of a set: summary, doubts, charts, tables
 * that sort and filter, and the runs of each number; how->tables and format are
 * ignored.
 *
 * Returns 0; -1 with ERROR_SYSTEM where a file of the page is missing,
 * ERROR_EMPTY where no series has a case.  Errors of f are left to
 * outfile_commit. */
int page_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e);

/* Write the page of a comparison, how->comparison: the verdict in one sentence,
 * the ratios as a chart and as a table, the other tables that were asked for,
 * and the runs of each number.
 *
 * panels  of the set, whose cases how->links numbers
 * tables  that of the comparison, then those of --gate and --table; emptied
 *
 * Returns 0, or -1 as page_begin. */
int page_compare_write(struct series_set *set, const struct report_how *how,
    const struct panel_list *panels, struct report_tables *tables, FILE *f,
    struct error *e);

/* Begin a page with page.html: head with style, script and title, start of the
 * body, and the title as a heading. Returns 0, or -1 with ERROR_SYSTEM where it
 * is missing. */
int page_begin(const struct html_page *pg, const char *title, struct error *e);

/* End the page. */
void page_end(const struct html_page *pg);

/* --- texts and tables (page.c) -------------------------------------------- */

/* A text in the page's language, with each '@' replaced by the next text. */
const char *page_words(
    const struct html_page *pg, const char *en, const char *zh, ...);

/* Write a template of HTML. "{English|Chinese}" is replaced by the part in the
 * page's language, and these characters by
 *
 *	@  the next text, escaped and isolated in direction; NULL is "unknown"
 *	^  the next text, escaped
 *	`  the next text as it is
 *	#  the next long, isolated, unless a letter or a digit follows
 *	*  the next long
 *	~  the next double with one decimal
 *	$  the start of a link to the details of the next struct result_case */
void page_put(const struct html_page *pg, const char *html, ...);

/* Parts of templates. */
#define PAGE_LEAD "<section class=\"lead\" aria-label=\"{Summary|摘要}\">\n"
#define PAGE_MORE "{and # more|另有 # 项}"

/* Start a section with a heading that also names it. */
void page_section(const struct html_page *pg, const char *id, const char *head);

/* "pytorch, fp32, 1n2g": the values that distinguish the series, and the
 * case. */
const char *page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c);

/* A level or share in per cent, "96.83 %". */
const char *page_percent(const struct html_page *pg, double share);

/* Write a table in a region that scrolls sideways if it is too wide, and
 * release it.
 *
 * label  of the region
 * id     of the region; the table can be sorted, filtered and copied, and is
 *        saved by this name. NULL: its order matters */
void page_table(const struct html_page *pg, struct table *t, const char *label,
    const char *id);

/* --- sections ------------------------------------------------------------- */

/* The findings, what was measured, the ranked table and one chart. Returns the
 * HTML of the section of doubts, which the caller frees. */
char *page_lead(const struct html_page *pg);

/* Charts of efficiency and throughput of a panel with one legend, except those
 * in the lead. */
void page_charts(const struct html_page *pg, const struct panel *p);

/* --- parts of charts ------------------------------------------------------ */

/* A marker of a chart, its interval, and the lines of its tooltip. */
struct page_mark {
	size_t series;        /* that it belongs to, from 0: colour, shape */
	double x, y;          /* in values of the axes */
	double low, high;     /* of y; NAN: none */
	int sideways;         /* 1: of x */
	const char *lines[5]; /* NULL, "": none */
	const struct result_case *c; /* whose details it shows, or NULL */
	/* The speed that other series at as many devices are compared with;
	 * 0 devices: none. */
	long devices;
	double speed;
};

/* Start a figure: its head, and an SVG picture that the keyboard reaches, with
 * the grid of a plot. "</svg>\n</figure>\n" ends it.
 *
 * unit  of the head, or NULL
 * text  alternative of the picture */
void page_figure(const struct html_page *pg, const struct svg_plot *plot,
    const char *head, const char *unit, const char *text, int width,
    int height);

/* Draw a marker and its whisker. */
void page_mark(const struct html_page *pg, const struct svg_plot *plot,
    const struct page_mark *m);

/* The legend of charts: the names of series 0 to n - 1. */
void page_key(const struct html_page *pg, const char *const *names, size_t n);

/* "11492 samples/s [11400, 11500] (93.75 % CI)" */
const char *page_value_text(
    const struct html_page *pg, const struct series_point *p);

#endif
