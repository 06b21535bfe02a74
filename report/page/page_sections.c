/* What results hold next to speeds: metrics such as MFU; phases of a step and
 * collectives as the tables of --table. */
#include <config.h>

#include <math.h>

#include "common/units/units.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/case_links.h"
#include "report/tables/report_makers.h"

enum { METRIC_DIGITS = 5 };

/* --- metrics -------------------------------------------------------------- */

void
page_metrics_note(
    struct table *t, const struct metric_list *l, enum language lang)
{
	if (l->more)
		table_note(t, "%s", page_message_text(PAGE_METRICS_MORE, lang));
}

static void
put_metrics_row(const struct html_page *pg, struct table *t,
    const struct metric_list *l, const struct series *s,
    const struct result_case *c)
{
	char text[UNITS_TEXT_SIZE];

	table_row(t);
	table_cell(t, page_case_name(pg, s, c));
	for (size_t k = 0; k < l->n; k++) {
		const double x = metric_median(c, l->items[k]->name);

		table_cell(t,
		    isfinite(x) ? number_format(text, x, METRIC_DIGITS) : "");
		case_links_cell(pg->how->links, t, c);
	}
}

static void
put_metrics(const struct html_page *pg)
{
	const enum language lang = pg->how->lang;
	const char *head = page_message_text(PAGE_METRICS, lang);
	struct metric_list l = METRIC_LIST_INIT;
	struct table t;

	for (size_t i = 0; i < pg->set->n; i++)
		for (size_t k = 0; k < pg->set->items[i].n_points; k++)
			metric_list_add(&l, pg->set->items[i].points[k].c);
	if (l.n == 0)
		return;
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	metric_list_columns(&l, &t, TABLE_DECIMAL);
	for (size_t i = 0; i < pg->set->n; i++)
		for (size_t k = 0; k < pg->set->items[i].n_points; k++) {
			const struct result_case *c =
			    pg->set->items[i].points[k].c;

			if (c->n_runs > 0)
				put_metrics_row(
				    pg, &t, &l, &pg->set->items[i], c);
		}
	table_note(&t, "%s", page_message_text(PAGE_METRICS_OF, lang));
	page_metrics_note(&t, &l, lang);
	fprintf(pg->f,
	    "<section aria-labelledby=\"metrics\">\n"
	    "<h2 id=\"metrics\">%s</h2>\n",
	    head);
	page_table(pg, &t, head, "table-metrics");
	fputs("</section>\n", pg->f);
	table_release(&t);
	metric_list_release(&l);
}

/* --- tables of --table ---------------------------------------------------- */

static void
put_tables(const struct html_page *pg, report_maker *make,
    enum page_message head, const char *id)
{
	const char *text = page_message_text(head, pg->how->lang);
	struct report_tables list = { NULL, 0, 0 };
	size_t n = 0;

	make(pg->set, pg->how, &list);
	for (size_t i = 0; i < list.n; i++) {
		if (list.items[i].n_rows == 0)
			continue;
		if (n++ == 0)
			fprintf(pg->f,
			    "<section aria-labelledby=\"%s\">\n"
			    "<h2 id=\"%s\">%s</h2>\n",
			    id, id, text);
		page_table(pg, &list.items[i], text, NULL);
	}
	if (n > 0)
		fputs("</section>\n", pg->f);
	report_tables_release(&list);
}

void
page_sections(const struct html_page *pg)
{
	put_metrics(pg);
	put_tables(pg, phases_make, PAGE_PHASES, "phases");
	put_tables(pg, collectives_make, PAGE_COLLECTIVES, "collectives");
}
