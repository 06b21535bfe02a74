/* What results hold next to speeds: metrics such as MFU, phases of a step,
 * collectives.  page.c calls it; phases and collectives are the tables of
 * --table. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/run_metric.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/case_links.h"
#include "report/tables/report_makers.h"

enum { METRIC_DIGITS = 5 };

/* --- metrics -------------------------------------------------------------- */

static int
metric_is_named(const void *items, size_t i, const void *name)
{
	const struct result_metric *const *all = items;

	return strcmp(all[i]->name, name) == 0;
}

void
page_metrics_add(struct page_metrics *l, const struct result_run *run)
{
	for (size_t i = 0; i < run->n_metrics && !l->more; i++) {
		const char *name = run->metrics[i].name;
		const uint32_t hash = hash_text(0, name);

		if (hash_index_find(&l->by_name, hash, metric_is_named,
			l->items, name) != HASH_INDEX_NONE)
			continue;
		l->more = l->n == PAGE_MAX_METRICS;
		if (l->more)
			return;
		l->items =
		    vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
		hash_index_add(&l->by_name, hash, l->n);
		l->items[l->n++] = &run->metrics[i];
	}
}

void
page_metrics_release(struct page_metrics *l)
{
	free(l->items);
	hash_index_release(&l->by_name);
	*l = (struct page_metrics)PAGE_METRICS_INIT;
}

void
page_metrics_note(
    struct table *t, const struct page_metrics *l, enum language lang)
{
	if (l->more)
		table_note(t, "%s", page_message_text(PAGE_METRICS_MORE, lang));
}

/* The median over the runs that have it; NAN if none has. */
static double
metric_median(const struct result_case *c, const char *name)
{
	double *values = xcalloc(c->n_runs + 1, sizeof *values);
	double median = NAN;
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_metric *m =
		    run_metric_of(&c->runs[i], name);

		if (m != NULL && isfinite(m->value))
			values[n++] = m->value;
	}
	if (n > 0)
		median = stats_median(values, n);
	free(values);
	return median;
}

static void
put_metrics_row(const struct html_page *pg, struct table *t,
    const struct page_metrics *l, const struct series *s,
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
	struct page_metrics l = PAGE_METRICS_INIT;
	struct table t;

	for (size_t i = 0; i < pg->set->n; i++)
		for (size_t k = 0; k < pg->set->items[i].n_points; k++) {
			const struct result_case *c =
			    pg->set->items[i].points[k].c;

			for (size_t j = 0; j < c->n_runs; j++)
				page_metrics_add(&l, &c->runs[j]);
		}
	if (l.n == 0)
		return;
	table_init(&t);
	table_column(&t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	for (size_t k = 0; k < l.n; k++)
		table_column(&t, l.items[k]->name,
		    l.items[k]->unit != NULL && l.items[k]->unit[0] != '\0'
			? l.items[k]->unit
			: NULL,
		    TABLE_DECIMAL);
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
	page_metrics_release(&l);
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
