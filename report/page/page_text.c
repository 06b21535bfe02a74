/* Texts, names and tables in the page.  All its parts call it. */
#include <config.h>

#include "report/page/page_parts.h"

#include "report/page/page_messages.h"
#include "report/parts/case_links.h"

void
page_text(FILE *f, const char *text)
{
	table_html_text(f, text != NULL ? text : "unknown");
}

void
page_bdi(FILE *f, const char *text)
{
	fputs("<bdi>", f);
	page_text(f, text);
	fputs("</bdi>", f);
}

const char *
page_devices(struct series_set *set, long count, enum language lang)
{
	static const struct {
		enum message kind;
		enum page_message one, many;
	} names[] = {
		{ MESSAGE_GPUS, PAGE_ONE_GPU, PAGE_N_GPUS },
		{ MESSAGE_CPU_PROCESSES, PAGE_ONE_PROCESS, PAGE_N_PROCESSES },
		{ MESSAGE_TPU_CHIPS, PAGE_ONE_TPU, PAGE_N_TPUS },
		{ MESSAGE_NPUS, PAGE_ONE_NPU, PAGE_N_NPUS },
		{ MESSAGE_DEVICES, PAGE_ONE_DEVICE, PAGE_N_DEVICES },
	};
	const enum message kind = series_devices(set);
	size_t i = 0;

	while (i + 1 < sizeof names / sizeof names[0] && names[i].kind != kind)
		i++;
	if (count == 1)
		return page_message_text(names[i].one, lang);
	return page_message_fill(&set->arena, lang, names[i].many,
	    arena_printf(&set->arena, "%ld", count), NULL);
}

const char *
page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c)
{
	const enum language lang = pg->how->lang;
	const uint64_t differ = pg->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));
	const char *of = series_text(pg->set, s, differ, lang);
	const char *name = series_case_name(&pg->set->arena, c, lang);

	if (of[0] == '\0')
		return name;
	return arena_printf(
	    &pg->set->arena, "%s%s%s", of, message(MESSAGE_COMMA, lang), name);
}

const char *
page_percent(struct series_set *set, double share)
{
	return arena_printf(&set->arena, "%.4g %%", 100 * share);
}

void
page_link(const struct html_page *pg, const struct result_case *c)
{
	fprintf(pg->f, "<a href=\"#case-%ld\">",
	    case_links_number(pg->how->links, c));
}

void
page_table(const struct html_page *pg, const struct table *t, const char *label,
    const char *id)
{
	if (id != NULL) {
		fprintf(pg->f,
		    "<p class=\"filter\" data-of=\"%s\" hidden><label>%s "
		    "<input type=\"search\"></label> "
		    "<output aria-live=\"polite\"></output></p>\n",
		    id, page_message_text(PAGE_FILTER, pg->how->lang));
		fprintf(pg->f, "<div class=\"scroll\" id=\"%s\"", id);
	} else {
		fputs("<div class=\"scroll\"", pg->f);
	}
	fputs(" tabindex=\"0\" role=\"region\" aria-label=\"", pg->f);
	page_text(pg->f, label);
	fputs("\">\n", pg->f);
	table_write(t, &table_html, TABLE_COLOUR_OFF, pg->f);
	fputs("</div>\n", pg->f);
}
