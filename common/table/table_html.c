#include <config.h>

#include "common/table/table.h"

#include <string.h>

static const struct table_escape html[] = {
	{ '&', "&amp;" },
	{ '<', "&lt;" },
	{ '>', "&gt;" },
	{ '"', "&quot;" },
	{ '\'', "&#39;" },
	{ 0, NULL },
};

void
table_html_text(FILE *f, const char *text)
{
	struct strbuf clean;

	table_clean_text(text, &clean);
	table_put(f, "^", clean.buf, html);
	strbuf_release(&clean);
}

/* True if the link is relative, within the page, or http(s). The path of a log
 * could be "javascript:...". */
static int
is_harmless(const char *href)
{
	const size_t scheme = strcspn(href, ":/?#");

	if (href[scheme] != ':')
		return 1;
	return strncmp(href, "http://", 7) == 0 ||
	    strncmp(href, "https://", 8) == 0;
}

/* Attributes of cells: of text, and of numbers. */
static const char *const classes[][2] = {
	[TABLE_PLAIN] = { "", " class=\"num\"" },
	[TABLE_STRONG] = { " class=\"strong\"", " class=\"num strong\"" },
	[TABLE_FAINT] = { " class=\"faint\"", " class=\"num faint\"" },
	[TABLE_GOOD] = { " class=\"good\"", " class=\"num good\"" },
	[TABLE_BAD] = { " class=\"bad\"", " class=\"num bad\"" },
};

/* Each group is a tbody. */
static void
html_write(const struct table *t, enum table_colour colour, FILE *f)
{
	(void)colour;
	fputs("<table>\n", f);
	if (t->title != NULL && t->title[0] != '\0')
		table_put(f, "<caption>^</caption>\n", t->title, html);
	fputs("<thead>\n<tr>", f);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *column = &t->columns[k];

		fprintf(f, "<th scope=\"col\"%s>",
		    classes[TABLE_PLAIN][column->align != TABLE_LEFT]);
		table_put(f, "^", column->head, html);
		if (column->unit != NULL)
			table_put(f, " <span class=\"unit\">(^)</span>",
			    column->unit, html);
		fputs("</th>", f);
	}
	fputs("</tr>\n</thead>\n<tbody>\n", f);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0)
			fputs("</tbody>\n<tbody>\n", f);
		if (row->group && row->group_title != NULL) {
			fprintf(f,
			    "<tr class=\"group\"><th scope=\"rowgroup\" "
			    "colspan=\"%zu\">",
			    t->n_columns);
			table_put(f, "^</th></tr>\n", row->group_title, html);
		}
		fputs("<tr>", f);
		for (size_t k = 0; k < t->n_columns; k++) {
			const struct table_cell *cell = &row->cells[k];
			const int link =
			    cell->link != NULL && is_harmless(cell->link);

			fprintf(f, "<td%s>",
			    classes[cell->emphasis]
				   [t->columns[k].align != TABLE_LEFT]);
			if (link)
				table_put(
				    f, "<a href=\"^\">", cell->link, html);
			table_put(f, link ? "^</a></td>" : "^</td>", cell->text,
			    html);
		}
		fputs("</tr>\n", f);
	}
	fputs("</tbody>\n</table>\n", f);
	for (size_t i = 0; i < t->n_notes; i++)
		table_put(f, "<p class=\"note\">^</p>\n", t->notes[i], html);
}

const struct table_format table_html_fragment = { "html-fragment", "html",
	.between = "\n", .write = html_write };
const struct table_format table_html = { "html", "html", .between = "\n",
	.write = html_write };

void
table_page_start(const char *title, const char *language, FILE *f)
{
	fprintf(f,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>%s</title>\n"
	    "<style>\n"
	    "body { font-family: sans-serif; margin: 2em; }\n"
	    "table { border-collapse: collapse; margin: 1em 0; }\n"
	    "caption { font-weight: bold; text-align: left; "
	    "padding: 0.3em 0; }\n"
	    "th, td { padding: 0.2em 0.8em; "
	    "border-bottom: 1px solid #ccc; text-align: left; }\n"
	    ".num { text-align: right; "
	    "font-variant-numeric: tabular-nums; }\n"
	    ".unit, .note { color: #666; font-weight: normal; }\n"
	    "</style>\n</head>\n<body>\n",
	    language, title);
}

void
table_page_end(FILE *f)
{
	fputs("</body>\n</html>\n", f);
}
