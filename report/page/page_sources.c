/* The files that the page is made of, what they state of the machine, and what
 * was excluded of them.  page.c calls it. */
#include <config.h>

#include "common/table/table.h"
#include "common/texts/remark.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/notes.h"

static void
put_file(const struct html_page *pg, const struct result_file *s)
{
	const enum language lang = pg->how->lang;
	const char *comma = message(MESSAGE_COMMA, lang);
	FILE *f = pg->f;

	fprintf(f, "<li>%s ", page_message_text(PAGE_FILE, lang));
	page_bdi(f, s->path);
	if (s->result.tool_name != NULL) {
		fputs(comma, f);
		page_message(f, lang, PAGE_WRITTEN_BY,
		    arena_printf(&pg->set->arena, "%s %s", s->result.tool_name,
			s->result.tool_version != NULL ? s->result.tool_version
						       : ""),
		    NULL);
		fprintf(f, "%s%s: %zu%s%s: %zu", comma,
		    page_message_text(PAGE_LOGS, lang), s->result.n_inputs,
		    comma, message(MESSAGE_EXCLUDED, lang),
		    s->result.n_excluded);
	}
	for (size_t i = 0; i < s->n_origins; i++) {
		fprintf(
		    f, "%s%s: ", comma, message(MESSAGE_PUBLISHED_AT, lang));
		page_bdi(f, s->origins[i]);
	}
	fputs("</li>\n", f);
}

void
page_sources(const struct html_page *pg)
{
	const enum language lang = pg->how->lang;
	const char *head = page_message_text(PAGE_ENVIRONMENT, lang);
	const struct result_file *s = NULL;

	fprintf(pg->f,
	    "<section aria-labelledby=\"sources\">\n"
	    "<h2 id=\"sources\">%s</h2>\n<ul class=\"files\">\n",
	    head);
	while ((s = series_next_source(pg->set, s)) != NULL)
		put_file(pg, s);
	fputs("</ul>\n", pg->f);
	if (pg->environment->n_rows > 0)
		page_table(pg, pg->environment, head, NULL);
	fputs("</section>\n", pg->f);
}

void
page_excluded(const struct html_page *pg)
{
	const enum language lang = pg->how->lang;
	const char *head = page_message_text(PAGE_EXCLUDED, lang);
	const struct result_file *s = NULL;
	struct table t;

	table_init(&t);
	table_column(&t, message(MESSAGE_SOURCE, lang), NULL, TABLE_LEFT);
	table_column(&t, page_message_text(PAGE_LOG, lang), NULL, TABLE_LEFT);
	table_column(
	    &t, page_message_text(PAGE_REASON, lang), NULL, TABLE_LEFT);
	table_column(
	    &t, page_message_text(PAGE_WHAT_INCLUDES, lang), NULL, TABLE_LEFT);
	while ((s = series_next_source(pg->set, s)) != NULL)
		for (size_t k = 0; k < s->result.n_excluded; k++) {
			const struct result_excluded *x =
			    &s->result.excluded[k];

			table_row(&t);
			table_cell(&t, s->name);
			table_cell(&t, x->path);
			table_cell(&t, remark_word(x->reason, lang));
			table_cell(&t, excluded_text(x, lang, &t.arena));
		}
	if (t.n_rows > 0) {
		fprintf(pg->f,
		    "<section aria-labelledby=\"excluded\">\n"
		    "<h2 id=\"excluded\">%s</h2>\n",
		    head);
		page_table(pg, &t, head, "table-excluded");
		fputs("</section>\n", pg->f);
	}
	table_release(&t);
}
