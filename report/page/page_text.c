/* Escaped text, names and tables of the page. */
#include <config.h>

#include <stdarg.h>

#include "report/page/page_parts.h"

const char *
page_words(const struct html_page *pg, const char *en, const char *zh)
{
	return pg->lang == LANGUAGE_ZH ? zh : en;
}

static void
put_list(const struct html_page *pg, const char *html, va_list list)
{
	for (; *html != '\0'; html++) {
		const char *text;

		if (*html == '#') {
			fprintf(pg->f, "<bdi>%ld</bdi>", va_arg(list, long));
			continue;
		}
		if (*html != '@' && *html != '^') {
			putc(*html, pg->f);
			continue;
		}
		text = va_arg(list, const char *);
		fputs(*html == '@' ? "<bdi>" : "", pg->f);
		table_html_text(pg->f, text != NULL ? text : "unknown");
		fputs(*html == '@' ? "</bdi>" : "", pg->f);
	}
}

void
page_put(const struct html_page *pg, const char *html, ...)
{
	va_list list;

	va_start(list, html);
	put_list(pg, html, list);
	va_end(list);
}

void
page_say(const struct html_page *pg, const char *en, const char *zh, ...)
{
	va_list list;

	va_start(list, zh);
	put_list(pg, page_words(pg, en, zh), list);
	va_end(list);
}

void
page_sentence(const struct html_page *pg, const char *en, const char *zh, ...)
{
	va_list list;

	va_start(list, zh);
	fputs("<p>", pg->f);
	put_list(pg, page_words(pg, en, zh), list);
	fputs("</p>\n", pg->f);
	va_end(list);
}

void
page_section(const struct html_page *pg, const char *id, const char *head)
{
	fprintf(pg->f,
	    "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id,
	    head);
}

const char *
page_devices(const struct html_page *pg, long count)
{
	static const struct {
		enum message kind;
		const char *en, *plural, *zh;
	} names[] = {
		{ MESSAGE_GPUS, "GPU", "s", " GPU" },
		{ MESSAGE_CPU_PROCESSES, "CPU process", "es", " CPU 进程" },
		{ MESSAGE_TPU_CHIPS, "TPU chip", "s", " TPU 芯片" },
		{ MESSAGE_NPUS, "NPU", "s", " NPU" },
		{ MESSAGE_DEVICES, "device", "s", "设备" },
	};
	const enum message kind = pg->set->devices;
	size_t i = 0;

	while (i + 1 < sizeof names / sizeof names[0] && names[i].kind != kind)
		i++;
	if (pg->lang == LANGUAGE_ZH)
		return arena_printf(pg->a, "%ld 个%s", count, names[i].zh);
	return arena_printf(pg->a, "%ld %s%s", count, names[i].en,
	    count == 1 ? "" : names[i].plural);
}

const char *
page_case_name(const struct html_page *pg, const struct series *s,
    const struct result_case *c)
{
	const uint64_t differ = pg->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));

	return arena_join(pg->a, series_text(pg->set, s, differ, pg->lang),
	    message(MESSAGE_COMMA, pg->lang),
	    series_case_name(pg->a, c, pg->lang));
}

const char *
page_percent(const struct html_page *pg, double share)
{
	return arena_printf(pg->a, "%.4g %%", 100 * share);
}

void
page_link(const struct html_page *pg, const struct result_case *c)
{
	fprintf(pg->f, "<a href=\"#case-%ld\">",
	    case_links_number(pg->how->links, c));
}

void
page_more(const struct html_page *pg, size_t n)
{
	page_say(pg, "and # more", "另有 # 项", (long)n);
}

void
page_table(const struct html_page *pg, const struct table *t, const char *label,
    const char *id)
{
	if (id != NULL)
		fprintf(pg->f,
		    "<p class=\"filter\" data-of=\"%s\" hidden><label>%s "
		    "<input type=\"search\"></label> "
		    "<output aria-live=\"polite\"></output></p>\n"
		    "<div class=\"scroll\" id=\"%s\"",
		    id, page_words(pg, "Filter", "筛选"), id);
	else
		fputs("<div class=\"scroll\"", pg->f);
	page_put(
	    pg, " tabindex=\"0\" role=\"region\" aria-label=\"^\">\n", label);
	table_write(t, &table_html, TABLE_COLOUR_OFF, pg->f);
	fputs("</div>\n", pg->f);
}

void
page_metrics_note(
    const struct html_page *pg, struct table *t, const struct metric_list *l)
{
	if (l->more)
		table_note(t, "%s",
		    page_words(pg,
			"More metrics than a page shows; the result has all.",
			"指标多于页面所能显示的数量；结果文件中有全部指标。"));
}
