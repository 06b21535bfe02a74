/* Tables in memory and their cells. Text and Markdown are written by
 * table_text.c, the other formats by table_FORMAT.c. */
#include <config.h>

#include "common/table/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/program/options.h"
#include "common/strbuf.h"
#include "common/utf8.h"

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

void
table_clean_text(const char *text, struct strbuf *clean)
{
	const size_t len = strnlen(text, TABLE_MAX_TEXT);
	size_t i = 0, n;
	uint32_t cp;

	strbuf_init(clean, 3 * (size_t)TABLE_MAX_TEXT);
	for (; i < len; i += n) {
		n = utf8_decode(text + i, len - i, &cp);
		if (strchr("\t\n\v\f\r", text[i]) != NULL)
			strbuf_addch(clean, ' ');
		else if (utf8_is_control(cp))
			strbuf_addstr(clean, "\xef\xbf\xbd");
		else
			strbuf_add(clean, text + i, n);
	}
}

static const char *
clean_copy(struct table *t, const char *text)
{
	struct strbuf sb;

	table_clean_text(text, &sb);
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
table_link(struct table *t, const char *href)
{
	table_last_cell(t)->link = href != NULL ? clean_copy(t, href) : NULL;
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

int
table_is_decimal(const char *text)
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

/* --- forms ---------------------------------------------------------------- */

static const struct table_format *const formats[] = {
	&table_text,
	&table_markdown,
	&table_csv,
	&table_json,
	&table_jsonl,
	&table_latex,
	&table_html,
	&table_html_fragment,
};

enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* In the order of formats[], which a test checks. */
const char *const table_format_names[] = { "text", "markdown", "csv", "json",
	"jsonl", "latex", "html", NULL };

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
