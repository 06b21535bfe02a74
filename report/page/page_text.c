/* Escaped text, names and tables of the page. */
#include <config.h>

#include <math.h>
#include <stdarg.h>

#include "report/page/page_parts.h"
#include "report/parts/cell.h"

const char *
page_words(const struct html_page *pg, const char *en, const char *zh)
{
	return pg->lang == LANGUAGE_ZH ? zh : en;
}

static void
put_list(const struct html_page *pg, const char *html, va_list list)
{
	for (; *html != '\0'; html++) {
		const int isolated = *html == '@';
		const char *text;

		if (*html == '#') {
			fprintf(pg->f, "<bdi>%ld</bdi>", va_arg(list, long));
		} else if (isolated || *html == '^') {
			text = va_arg(list, const char *);
			fputs(isolated ? "<bdi>" : "", pg->f);
			table_html_text(pg->f, text != NULL ? text : "unknown");
			fputs(isolated ? "</bdi>" : "", pg->f);
		} else {
			putc(*html, pg->f);
		}
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

/* " [1.45, 1.79] (96.83 % CI)", or nothing. */
static const char *
interval_text(const struct html_page *pg, const char *text, double level)
{
	if (text[0] == '\0' || !isfinite(level))
		return "";
	return text_fill(pg->a, page_words(pg, " @ (@ CI)", " @（@ 置信区间）"),
	    text, page_percent(pg, level));
}

const char *
page_value_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;

	if (p->text != NULL || !isfinite(c->median_speed))
		return p->text != NULL ? p->text : "n/a";
	return arena_printf(pg->a, "%s %s%s",
	    text_of_value(pg->a, pg->how, p, c->median_speed),
	    c->unit != NULL ? c->unit : "",
	    interval_text(pg,
		text_of_interval(
		    pg->a, pg->how, p, c->median_low, c->median_high, 0),
		c->median_level));
}

const char *
page_speedup_text(const struct html_page *pg, const struct series_point *p)
{
	const struct result_case *c = p->c;
	const char *text;

	if (!isfinite(c->speedup) || cell_is_baseline(c))
		return NULL;
	text =
	    arena_printf(pg->a, "%s %s%s%s", message(MESSAGE_SPEEDUP, pg->lang),
		text_of_speedup(pg->a, pg->how, p, c->speedup),
		interval_text(pg,
		    text_of_interval(
			pg->a, pg->how, p, c->speedup_low, c->speedup_high, 1),
		    c->speedup_level),
		c->baseline != NULL
		    ? text_fill(pg->a, page_words(pg, " over @", "（相对 @）"),
			  c->baseline)
		    : "");
	if (!isfinite(c->efficiency))
		return text;
	return arena_printf(pg->a, "%s%s%s %.1f %%", text,
	    message(MESSAGE_COMMA, pg->lang),
	    message(MESSAGE_EFFICIENCY, pg->lang), 100 * c->efficiency);
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
	fprintf(pg->f, "<div class=\"scroll%s\"", id != NULL ? " data" : "");
	if (id != NULL)
		fprintf(pg->f, " id=\"%s\"", id);
	page_put(
	    pg, " tabindex=\"0\" role=\"group\" aria-label=\"^\">\n", label);
	table_write(t, 1, &table_html, TABLE_COLOUR_OFF, pg->f);
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
