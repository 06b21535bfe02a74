/* Templates, names and tables of the page. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/page/page_parts.h"
#include "report/parts/cell.h"

const char *
page_words(const struct html_page *pg, const char *en, const char *zh, ...)
{
	const char *text;
	va_list list;

	va_start(list, zh);
	text = text_fill_list(pg->a, pg->lang == LANGUAGE_ZH ? zh : en, list);
	va_end(list);
	return text;
}

void
page_put(const struct html_page *pg, const char *html, ...)
{
	FILE *f = pg->f;
	const char *text;
	va_list list;

	va_start(list, html);
	for (; *html != '\0'; html++)
		switch (*html) {
		case '{': /* to the part in the page's language */
			if (pg->lang == LANGUAGE_ZH)
				html = strchr(html, '|');
			break;
		case '|':
			html = strchr(html, '}');
			break;
		case '}':
			break;
		case '#':
			if (isalnum((unsigned char)html[1]))
				putc('#', f);
			else
				fprintf(
				    f, "<bdi>%ld</bdi>", va_arg(list, long));
			break;
		case '*':
			fprintf(f, "%ld", va_arg(list, long));
			break;
		case '~':
			fprintf(f, "%.1f", va_arg(list, double));
			break;
		case '$':
			fprintf(f, "<a href=\"#case-%ld\">",
			    case_links_number(pg->how->links,
				va_arg(list, const struct result_case *)));
			break;
		case '`':
			fputs(va_arg(list, const char *), f);
			break;
		case '@':
		case '^':
			text = va_arg(list, const char *);
			fputs(*html == '@' ? "<bdi>" : "", f);
			table_html_text(f, text != NULL ? text : "unknown");
			fputs(*html == '@' ? "</bdi>" : "", f);
			break;
		default:
			putc(*html, f);
		}
	va_end(list);
}

void
page_section(const struct html_page *pg, const char *id, const char *head)
{
	page_put(pg, "<section aria-labelledby=\"^\">\n<h2 id=\"^\">^</h2>\n",
	    id, id, head);
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
	size_t i = 0;

	while (i + 1 < sizeof names / sizeof names[0] &&
	    names[i].kind != pg->set->devices)
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
	const uint64_t differ = pg->set->differing &
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
page_table(const struct html_page *pg, struct table *t, const char *label,
    const char *id)
{
	page_put(pg, "<div class=\"scroll`\"`", id != NULL ? " data" : "",
	    id != NULL ? arena_printf(pg->a, " id=\"%s\"", id) : "");
	page_put(
	    pg, " tabindex=\"0\" role=\"group\" aria-label=\"^\">\n", label);
	table_write(t, &table_html, TABLE_COLOUR_OFF, pg->f);
	fputs("</div>\n", pg->f);
	table_release(t);
}

void
page_metrics_table(const struct html_page *pg, struct table *t,
    const struct metric_list *l, const char *id)
{
	const char *head = page_words(pg, "Metrics", "其他指标");

	if (l->more)
		table_note(t, "%s",
		    page_words(pg,
			"More metrics than a page shows; the result has all.",
			"指标多于页面所能显示的数量；结果文件中有全部指标。"));
	page_table(pg, t, head, id);
}
