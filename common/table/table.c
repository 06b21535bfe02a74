/* Tables in memory and their cells, and all formats but text, Markdown and
 * LaTeX, which table_text.c writes. */
#include <config.h>

#include "common/table/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/json/json.h"
#include "common/program/options.h"
#include "common/text.h"

enum table_colour
table_colour_of_file(const char *path)
{
	return (path == NULL || strcmp(path, "-") == 0) && terminal_colour()
	    ? TABLE_COLOUR_ON
	    : TABLE_COLOUR_OFF;
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
	*row = (struct table_row){ .group = t->next_group,
		.group_title = t->next_group_title };
	row->cells = arena_calloc(&t->arena, t->n_columns, sizeof *row->cells);
	for (size_t k = 0; k < t->n_columns; k++)
		row->cells[k].text = "";
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

/* --- CSV ------------------------------------------------------------------ */

/* RFC 4180: quote fields with commas, quotes or line ends, double inner quotes,
 * end lines with CR LF. Leading and trailing blanks are quoted too, since some
 * readers drop them, and so is a single empty field, which would be an empty
 * line. */
static const struct table_escape quotes[] = { { '"', "\"\"" }, { 0, NULL } };

/* True if a spreadsheet would evaluate the cell as a formula, so that it needs
 * a leading quote. Numbers and a lone dash are harmless. Spreadsheets may drop
 * blanks and invisible characters such as U+FEFF at the start, and read
 * full-width signs. */
static int
is_formula(const char *text)
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
	return cp < 0x80 && strchr("=+-@", (int)cp) != NULL &&
	    text[n] != '\0' && !is_decimal(text);
}

/* Write field k of a line. */
static void
put_field(const struct table *t, size_t k, const char *text, FILE *f)
{
	const size_t len = strlen(text);
	const int quoted = len == 0 ? t->n_columns == 1
				    : strpbrk(text, ",\"\r\n") != NULL ||
		text[0] == ' ' || text[len - 1] == ' ';

	fputs(k > 0 ? "," : "", f);
	fputs(quoted ? "\"" : "", f);
	fputs(is_formula(text) ? "'" : "", f);
	table_put(f, "^", text, quotes);
	fputs(quoted ? "\"" : "", f);
	fputs(k + 1 == t->n_columns ? "\r\n" : "", f);
}

static void
csv_write(const struct table *t, enum table_colour colour, FILE *f)
{
	(void)colour;
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *head = &t->columns[k];
		char *text = head->unit == NULL
		    ? xstrdup(head->head)
		    : xasprintf("%s (%s)", head->head, head->unit);

		put_field(t, k, text, f);
		free(text);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++)
			put_field(t, k, t->rows[i].cells[k].text, f);
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

/* Write one object per row, with the name of the table. */
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

/* True if href is a link that is relative, within the page, or http(s); false
 * for NULL. The path of a log could be "javascript:...". */
static int
is_harmless(const char *href)
{
	return href != NULL &&
	    (href[strcspn(href, ":/?#")] != ':' ||
		strncmp(href, "http://", 7) == 0 ||
		strncmp(href, "https://", 8) == 0);
}

/* Attributes of cells: [0] with text, [1] with numbers. */
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
