/* Tables in memory and their cells, and all formats but text and Markdown,
 * which table_text.c writes. */
#include <config.h>

#include "common/table/table.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/json/json.h"
#include "common/program/options.h"
#include "common/strbuf.h"
#include "common/text.h"

enum table_colour
table_colour_of_file(const char *path)
{
	if (path != NULL && strcmp(path, "-") != 0)
		return TABLE_COLOUR_OFF;
	return terminal_colour() ? TABLE_COLOUR_ON : TABLE_COLOUR_OFF;
}

void
table_release(struct table *t)
{
	arena_release(&t->arena);
	*t = TABLE_INIT;
}

/* Copy text so that it cannot break a table or control a terminal: line ends
 * and tabs become spaces, other control characters (escape sequences,
 * bidirectional marks) and invalid UTF-8 become U+FFFD. The caller releases
 * it. */
static struct strbuf
clean_text(const char *text)
{
	enum { MAX_TEXT = 1 << 20 /* the rest is truncated */ };
	struct strbuf clean = STRBUF_INIT(3 * (size_t)MAX_TEXT);
	const size_t len = strnlen(text, MAX_TEXT);
	size_t i = 0, n;
	uint32_t cp;

	for (; i < len; i += n) {
		n = utf8_decode(text + i, len - i, &cp);
		if (strchr("\t\n\v\f\r", text[i]) != NULL)
			strbuf_addch(&clean, ' ');
		else if (utf8_is_control(cp))
			strbuf_addstr(&clean, "\xef\xbf\xbd");
		else
			strbuf_add(&clean, text + i, n);
	}
	return clean;
}

static const char *
clean_copy(struct table *t, const char *text)
{
	struct strbuf sb = clean_text(text);

	return strbuf_finish(&sb, &t->arena);
}

void
table_title(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->title = clean_copy(t, arena_vprintf(&t->arena, fmt, ap));
	va_end(ap);
}

void
table_column(
    struct table *t, const char *head, const char *unit, enum table_align align)
{
	assert(t->n_rows == 0);
	t->columns =
	    arena_grow(&t->arena, t->columns, t->n_columns, sizeof *t->columns);
	t->columns[t->n_columns++] = (struct table_column){
		.head = clean_copy(t, head),
		.unit = unit != NULL ? clean_copy(t, unit) : NULL,
		.align = align,
	};
}

void
table_row(struct table *t)
{
	struct table_row *row;

	assert(t->n_columns > 0);
	t->rows = arena_grow(&t->arena, t->rows, t->n_rows, sizeof *t->rows);
	row = &t->rows[t->n_rows++];
	row->cells = arena_calloc(&t->arena, t->n_columns, sizeof *row->cells);
	for (size_t k = 0; k < t->n_columns; k++)
		row->cells[k].text = "";
	row->n_cells = 0;
	row->group = t->next_group;
	row->group_title = t->next_group_title;
	t->next_group = 0;
	t->next_group_title = NULL;
}

void
table_group(struct table *t, const char *title)
{
	t->next_group = 1;
	t->next_group_title = title != NULL ? clean_copy(t, title) : NULL;
}

struct table_cell *
table_last_cell(struct table *t)
{
	struct table_row *row = &t->rows[t->n_rows - 1];

	assert(t->n_rows > 0 && row->n_cells > 0);
	return &row->cells[row->n_cells - 1];
}

static struct table_cell *
next_cell(struct table *t)
{
	assert(t->n_rows > 0 && t->rows[t->n_rows - 1].n_cells < t->n_columns);
	t->rows[t->n_rows - 1].n_cells++;
	return table_last_cell(t);
}

void
table_cell(struct table *t, const char *text)
{
	next_cell(t)->text = text != NULL ? clean_copy(t, text) : "";
}

void
table_cellf(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	next_cell(t)->text = clean_copy(t, arena_vprintf(&t->arena, fmt, ap));
	va_end(ap);
}

void
table_note(struct table *t, const char *fmt, ...)
{
	va_list ap;

	t->notes =
	    arena_grow(&t->arena, t->notes, t->n_notes, sizeof *t->notes);
	va_start(ap, fmt);
	t->notes[t->n_notes++] =
	    clean_copy(t, arena_vprintf(&t->arena, fmt, ap));
	va_end(ap);
}

void
table_write(const struct table *tables, size_t n,
    const struct table_format *format, enum table_colour colour, FILE *f)
{
	int written = 0;

	fputs(format->start != NULL ? format->start : "", f);
	for (size_t i = 0; i < n; i++) {
		const struct table *t = &tables[i];

		if (t->n_columns == 0 || (n > 1 && t->n_rows == 0))
			continue;
		if (written++)
			fputs(format->between, f);
		format->write(t, colour, f);
	}
	fputs(format->end != NULL ? format->end : "", f);
}

void
table_put(FILE *f, const char *frame, const char *text,
    const struct table_escape *escapes)
{
	const int before = (int)strcspn(frame, "^");
	const struct table_escape *x;

	fprintf(f, "%.*s", before, frame);
	for (; *text != '\0'; text++) {
		for (x = escapes; x->c != '\0' && x->c != *text; x++)
			;
		if (x->c != '\0')
			fputs(x->as, f);
		else
			putc(*text, f);
	}
	fputs(frame + before + 1, f);
}

/* True if the whole text is a plain decimal number. */
static int
is_decimal(const char *text)
{
	static const char plain[] = "0123456789.eE+-";
	char *end;

	if (text[0] == '\0' || text[strspn(text, plain)] != '\0')
		return 0;
	(void)strtod(text, &end);
	return *end == '\0';
}

int
table_is_number(const char *text, size_t *whole)
{
	const size_t sign = strspn(text, "+-<>=~");
	const size_t digits = strspn(text + sign, "0123456789,");

	*whole = 0;
	if (digits == 0 || text[sign] == ',')
		return 0;
	*whole = sign + digits;
	return 1;
}

/* --- CSV ------------------------------------------------------------------ */

/* RFC 4180: quote fields with commas, quotes or line ends, double inner quotes,
 * end lines with CR LF. Leading and trailing blanks are quoted too, since some
 * readers drop them, and so is a single empty field, which would be an empty
 * line. */
static const struct table_escape quotes[] = { { '"', "\"\"" }, { 0, NULL } };

/* True if a spreadsheet would evaluate the cell as a formula, so that it needs
 * a leading quote. Numbers and a lone dash are harmless. Spreadsheets may drop
 * blanks and invisible characters such as U+FEFF at the start, and read
 * full-width signs.
 *
 * unit  unit that follows in parentheses, or NULL: "-2" is a number, "-2 (s)"
 *       is not */
static int
is_formula(const char *text, const char *unit)
{
	uint32_t cp = ' ';
	size_t n = 0;

	while (*(text += n) != '\0') {
		n = utf8_decode(text, strnlen(text, 4), &cp);
		if (cp != ' ' && utf8_char_width(cp) > 0)
			break;
	}
	if (cp >= 0xff01 && cp <= 0xff5e) /* full-width ASCII */
		cp -= 0xff01 - '!';
	if (cp >= 0x80 || strchr("=+-@", (int)cp) == NULL)
		return 0;
	return unit != NULL || (text[n] != '\0' && !is_decimal(text));
}

static int
needs_quotes(const char *text)
{
	const size_t len = strlen(text);

	return strpbrk(text, ",\"\r\n") != NULL ||
	    (len > 0 && (text[0] == ' ' || text[len - 1] == ' '));
}

/* Write field k of a line: a text, and its unit or NULL. */
static void
put_field(const struct table *t, size_t k, const char *text, const char *unit,
    FILE *f)
{
	const int quoted = needs_quotes(text) ||
	    (unit != NULL && needs_quotes(unit)) ||
	    (t->n_columns == 1 && text[0] == '\0');

	fputs(k > 0 ? "," : "", f);
	fputs(quoted ? "\"" : "", f);
	fputs(is_formula(text, unit) ? "'" : "", f);
	table_put(f, "^", text, quotes);
	if (unit != NULL)
		table_put(f, " (^)", unit, quotes);
	fputs(quoted ? "\"" : "", f);
	fputs(k + 1 == t->n_columns ? "\r\n" : "", f);
}

static void
csv_write(const struct table *t, enum table_colour colour, FILE *f)
{
	(void)colour;
	for (size_t k = 0; k < t->n_columns; k++)
		put_field(t, k, t->columns[k].head, t->columns[k].unit, f);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++)
			put_field(t, k, t->rows[i].cells[k].text, NULL, f);
}

const struct table_format table_csv = { "csv", "csv", .is_flat = 1,
	.between = "\n", .write = csv_write };

/* --- JSON ----------------------------------------------------------------- */

static void
put_members(struct json_writer *j, const struct table *t, size_t i)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_cell *cell = &t->rows[i].cells[k];
		const char *key = t->columns[k].head;

		if (cell->text[0] == '\0')
			json_write_string(j, key, NULL);
		else if (cell->is_numeric && is_decimal(cell->text))
			json_write_double(j, key, strtod(cell->text, NULL));
		else
			json_write_string(j, key, cell->text);
	}
}

void
table_json_put(struct json_writer *j, const struct table *t)
{
	json_write_begin_object(j, NULL);
	json_write_string(j, "table", t->name);
	json_write_string(j, "title", t->title);
	json_write_begin_array(j, "rows");
	for (size_t i = 0; i < t->n_rows; i++) {
		json_write_begin_object(j, NULL);
		put_members(j, t, i);
		json_write_end(j);
	}
	json_write_end(j);
	json_write_begin_array(j, "notes");
	for (size_t i = 0; i < t->n_notes; i++)
		json_write_string(j, NULL, t->notes[i]);
	json_write_end(j);
	json_write_end(j);
}

static void
json_table_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);

	(void)colour;
	table_json_put(&j, t);
	json_write_finish(&j);
}

const struct table_format table_json = { "json", "json", .is_flat = 1,
	.start = "{ \"schema\": \"dlscale-tables/1\", \"tables\": [\n",
	.between = ",\n", .end = "] }\n", .write = json_table_write };

/* One object a row, which names its table. */
static void
jsonl_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_LINES);

	(void)colour;
	for (size_t i = 0; i < t->n_rows; i++) {
		json_write_begin_object(&j, NULL);
		json_write_string(&j, "table", t->name);
		put_members(&j, t, i);
		json_write_end(&j);
	}
	json_write_finish(&j);
}

const struct table_format table_jsonl = { "jsonl", "jsonl", .is_flat = 1,
	.between = "", .write = jsonl_write };

/* --- HTML ----------------------------------------------------------------- */

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
	struct strbuf clean = clean_text(text);

	table_put(f, "^", clean.buf, html);
	strbuf_release(&clean);
}

/* True if there is a link that is relative, within the page, or http(s). The
 * path of a log could be "javascript:...". */
static int
is_harmless(const char *href)
{
	return href != NULL &&
	    (href[strcspn(href, ":/?#")] != ':' ||
		strncmp(href, "http://", 7) == 0 ||
		strncmp(href, "https://", 8) == 0);
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
			const int link = is_harmless(cell->link);

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

/* --- LaTeX ---------------------------------------------------------------- */

/* For papers: with heads in two lines and a label; tables wider than a page
 * become several. */

/* After the "\\" of the previous row, '[' and '*' would be its argument. */
static const struct table_escape latex[] = {
	{ '\\', "\\textbackslash{}" },
	{ '{', "\\{" },
	{ '}', "\\}" },
	{ '$', "\\$" },
	{ '&', "\\&" },
	{ '#', "\\#" },
	{ '_', "\\_" },
	{ '%', "\\%" },
	{ '~', "\\textasciitilde{}" },
	{ '^', "\\textasciicircum{}" },
	{ '<', "\\textless{}" },
	{ '>', "\\textgreater{}" },
	{ '|', "\\textbar{}" },
	{ '[', "{[}" },
	{ ']', "{]}" },
	{ '*', "{*}" },
	{ 0, NULL },
};

/* Width in characters from which text columns are wrapped. */
enum { WIDE_CELL = 48 };

/* Digits after the decimal point if the whole text is a number, else -1. */
static int
decimals_of(const char *text)
{
	size_t whole, digits;

	if (!table_is_number(text, &whole))
		return -1;
	text += whole;
	if (*text == '\0')
		return 0;
	digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;
	return digits > 0 && text[1 + digits] == '\0' ? (int)digits : -1;
}

/* Layout of a column. */
struct latex_column {
	int is_wide;  /* 1: cells are wrapped */
	int decimals; /* maximum of the column; -1: points are not aligned */
	int width;    /* with the space around it, in digits of the font */
};

/* State of writing a table. */
struct latex_table {
	const struct table *t;
	struct latex_column *columns; /* [t->n_columns] */
	size_t *shown;                /* [n_shown] columns of the part */
	size_t n_shown;
	FILE *f;
};

/* Write a cell in one line. Invisible digits after a number align decimal
 * points without a package. */
static void
put_cell(FILE *f, const struct table_cell *cell, int most)
{
	const int strong = cell->emphasis == TABLE_STRONG;
	int own = decimals_of(cell->text);
	const int minus = cell->text[0] == '-' && own >= 0;

	fputs(strong ? "\\textbf{" : "", f);
	fputs(minus ? "$-$" : "", f);
	table_put(f, strong ? "^}" : "^", cell->text + minus, latex);
	if (own < 0 || own >= most)
		return;
	fputs(own == 0 ? "\\phantom{." : "\\phantom{", f);
	for (; own < most; own++)
		putc('0', f);
	putc('}', f);
}

/* Write wrapped text. Allows breaks in paths and options, and keeps "--" from
 * becoming a dash. */
static void
put_text(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		const char one[] = { *text, '\0' };

		table_put(f, "^", one, latex);
		if (strchr("/_=", *text) != NULL)
			fputs("\\allowbreak{}", f);
		else if (text[0] == '-' && text[1] == '-')
			fputs("{}", f);
	}
}

static void
put_row(const struct latex_table *x, size_t i)
{
	const struct table_row *row = &x->t->rows[i];
	const struct latex_column *c = NULL;
	FILE *f = x->f;

	if (row->group && i > 0)
		fputs("    \\midrule\n", f);
	if (row->group && row->group_title != NULL) {
		fprintf(f, "    \\multicolumn{%zu}{l}{\\emph{", x->n_shown);
		table_put(f, "^}} \\\\\n", row->group_title, latex);
	}
	for (size_t k = 0; k < x->n_shown; k++) {
		const struct table_cell *cell = &row->cells[x->shown[k]];

		c = &x->columns[x->shown[k]];
		fprintf(f, "%s%s", k == 0 ? "    " : " & ",
		    c->is_wide ? "\\raggedright " : "");
		if (c->is_wide)
			put_text(f, cell->text);
		else
			put_cell(f, cell, c->decimals);
	}
	fputs(c->is_wide ? " \\tabularnewline\n" : " \\\\\n", f);
}

/* The units are below the heads, if there are any. */
static void
put_tabular(const struct latex_table *x)
{
	const struct table *t = x->t;
	FILE *f = x->f;
	int units = 0;

	fputs("  \\begin{tabular}{", f);
	for (size_t i = 0; i < x->n_shown; i++)
		fputs(x->columns[x->shown[i]].is_wide ? "p{0.4\\linewidth}"
			: t->columns[x->shown[i]].align == TABLE_LEFT ? "l"
								      : "r",
		    f);
	fputs("}\n    \\toprule\n    ", f);
	for (size_t i = 0; i < x->n_shown; i++) {
		const struct table_column *head = &t->columns[x->shown[i]];

		table_put(f, i > 0 ? " & ^" : "^", head->head, latex);
		units |= head->unit != NULL;
	}
	if (units)
		fputs(" \\\\\n    ", f);
	for (size_t i = 0; units && i < x->n_shown; i++) {
		const char *unit = t->columns[x->shown[i]].unit;

		fputs(i > 0 ? " & " : "", f);
		table_put(f, unit != NULL ? "(^)" : "^",
		    unit != NULL ? unit : "", latex);
	}
	fputs(" \\\\\n    \\midrule\n", f);
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(x, i);
	fputs("    \\bottomrule\n  \\end{tabular}", f);
}

/* Write the columns shown. The label is "tab:scaling-resnet50-fp32-batch-128":
 * the name and the alphanumeric words of the title.
 *
 * part  from 1; 0: the only one */
static void
put_part(const struct latex_table *x, int part)
{
	const struct table *t = x->t;
	int gap = t->name != NULL;
	FILE *f = x->f;

	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL) {
		table_put(f, "  \\caption{^", t->title, latex);
		if (part > 0)
			fprintf(f, " (%d)", part);
		fprintf(
		    f, "}\n  \\label{tab:%s", t->name != NULL ? t->name : "");
	}
	for (const char *p = t->title; p != NULL && *p != '\0'; p++)
		if (isalnum((unsigned char)*p)) {
			fputs(gap ? "-" : "", f);
			gap = 0;
			putc(tolower((unsigned char)*p), f);
		} else {
			gap |= p > t->title;
		}
	if (t->title != NULL && t->copies > 0)
		fprintf(f, "-%d", t->copies + 1);
	if (t->title != NULL && part > 1)
		fprintf(f, "-part-%d", part);
	fputs(t->title != NULL ? "}\n" : "", f);
	/* Natural width if that of the page allows, and at least 0.8 of it. */
	fputs("  \\sbox0{%\n", f);
	put_tabular(x);
	fputs("}%\n"
	      "  \\ifdim\\wd0>1.25\\linewidth\\scalebox{0.8}{\\usebox0}"
	      "\\else\\ifdim\\wd0>\\linewidth"
	      "\\resizebox{\\linewidth}{!}{\\usebox0}"
	      "\\else\\usebox0\\fi\\fi\n",
	    f);
	for (size_t i = 0; i < t->n_notes; i++) {
		fputs(i > 0 ? "    \\par "
			    : "  \\par\\begin{minipage}{\\linewidth}"
			      "\\footnotesize\\raggedright\n    ",
		    f);
		put_text(f, t->notes[i]);
		putc('\n', f);
	}
	fputs(t->n_notes > 0 ? "  \\end{minipage}\n\\end{table}\n"
			     : "\\end{table}\n",
	    f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	enum {
		AROUND = 3, /* \tabcolsep on both sides */
		PAGE = 125  /* digits in 0.8 of the size on A4 */
	};
	struct latex_table x = { .t = t,
		.columns = xcalloc(t->n_columns, sizeof *x.columns),
		.shown = xcalloc(t->n_columns, sizeof *x.shown),
		.f = f };
	size_t from, n_keys = 0;
	int all = 0, keys = 0;

	(void)colour;
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *head = &t->columns[k];
		const int unit =
		    head->unit == NULL ? 0 : (int)utf8_columns(head->unit) + 2;
		struct latex_column *c = &x.columns[k];

		c->decimals = -1;
		c->width = (int)utf8_columns(head->head);
		c->width = unit > c->width ? unit : c->width;
		for (size_t i = 0; i < t->n_rows; i++) {
			const char *cell = t->rows[i].cells[k].text;
			const int own = decimals_of(cell);
			const int width = (int)utf8_columns(cell);

			c->is_wide |=
			    head->align == TABLE_LEFT && width > WIDE_CELL;
			if (head->align == TABLE_DECIMAL && own > c->decimals)
				c->decimals = own;
			c->width = width > c->width ? width : c->width;
		}
		c->width = (c->is_wide ? WIDE_CELL : c->width) + AROUND;
		all += c->width;
	}
	/* Each part has the columns before the first of numbers, and as many
	 * of the others as fit on a page. */
	for (;
	     n_keys < t->n_columns && t->columns[n_keys].align != TABLE_DECIMAL;
	     n_keys++) {
		keys += x.columns[n_keys].width;
		x.shown[n_keys] = n_keys;
	}
	from = n_keys;
	for (int part = 1; part == 1 || from < t->n_columns; part++) {
		int width = keys;

		x.n_shown = n_keys;
		for (; from < t->n_columns; from++) {
			width += x.columns[from].width;
			if (all > PAGE && x.n_shown > n_keys && width > PAGE)
				break;
			x.shown[x.n_shown++] = from;
		}
		put_part(&x, part == 1 && from == t->n_columns ? 0 : part);
	}
	free(x.columns);
	free(x.shown);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.start =
	    "% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n",
	.write = latex_write };

/* --- forms ---------------------------------------------------------------- */

#define ADDRESS(form) &table_##form

static const struct table_format *const formats[] = { TABLE_FORMATS(ADDRESS),
	&table_html_fragment };

enum { N_FORMATS = sizeof formats / sizeof formats[0] };

const char *const table_format_names[] = { TABLE_FORMATS(TABLE_FORMAT_NAME),
	NULL };

const struct table_format *
table_format_find(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

const struct table_format *
table_format_of_file(const char *path)
{
	const char *dot = path != NULL ? strrchr(path, '.') : NULL;

	if (dot == NULL)
		return NULL;
	if (strcasecmp(dot, ".htm") == 0)
		return &table_html;
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcasecmp(dot + 1, formats[i]->suffix) == 0)
			return formats[i];
	return NULL;
}
