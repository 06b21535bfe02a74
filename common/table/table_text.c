/* Tables as plain text, aligned and wrapped, and in Markdown. */
#include <config.h>

#include "common/table/table.h"

#include <string.h>

#include "common/strbuf.h"
#include "common/text.h"

enum {
	MAX_LINE = 1 << 24,
	LINE_WIDTH = 80, /* terminal width, columns */
	NOTE_INDENT = 4,
	MIN_SENTENCE = 24,      /* columns; shorter text is not wrapped */
	MIN_MARKDOWN_WIDTH = 3, /* of a column */
	MAX_PARTS = 4
};

static const char *const escapes[] = {
	[TABLE_PLAIN] = "",
	[TABLE_STRONG] = "\033[1m",
	[TABLE_FAINT] = "\033[2m",
	[TABLE_GOOD] = "\033[32m",
	[TABLE_BAD] = "\033[31m",
};

/* Formatted column. */
struct text_column {
	const char **cells; /* [n_rows] aligned, or escaped */
	size_t width;       /* in columns of the terminal */
	size_t least;       /* width to which it may be shrunk */
	const char *rest;   /* of the cell that is being written */
};

/* State of writing a table to f. */
struct text_table {
	const struct table *t;
	struct text_column *columns; /* [n_columns] */
	struct strbuf line;
	struct arena arena;
	int colour;
	FILE *f;
};

static size_t
max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* --- decimal points ------------------------------------------------------- */

/* Part of a number: before the decimal point, or from it. */
struct number_part {
	const char *s;
	size_t len; /* bytes */
};

/* Split a number into two parts, or "[low, high]" into four. Returns 0 for any
 * other text. */
static int
split_cell(
    struct number_part p[MAX_PARTS], enum table_align align, const char *text)
{
	const char *end = text + strlen(text), *comma = strstr(text, ", ");
	const int is_interval = align == TABLE_INTERVAL && text[0] == '[' &&
	    comma != NULL && end[-1] == ']';
	int n = 0;

	if (!is_interval && align != TABLE_DECIMAL)
		return 0;
	for (const char *s = text + is_interval; n < 2 + 2 * is_interval;
	     s = comma + 2) {
		const size_t len = (size_t)((!is_interval    ? end
						    : n == 0 ? comma
							     : end - 1) -
		    s);
		size_t whole;

		if (!table_is_number(s, &whole))
			return 0;
		/* It may read past the comma, as a digit separator. */
		whole = whole < len ? whole : len;
		p[n++] = (struct number_part){ s, whole };
		p[n++] = (struct number_part){ s + whole, len - whole };
	}
	return n;
}

static void
make_column(struct text_table *x, size_t column)
{
	const struct table_column *head = &x->t->columns[column];
	struct text_column *c = &x->columns[column];
	const size_t n_rows = x->t->n_rows;
	size_t widths[MAX_PARTS] = { 0 };
	struct number_part p[MAX_PARTS];

	c->cells = arena_calloc(&x->arena, n_rows + 1, sizeof *c->cells);
	c->width = utf8_columns(head->head);
	if (head->unit != NULL)
		c->width = max_size(c->width, utf8_columns(head->unit) + 2);
	for (size_t i = 0; i < n_rows; i++) {
		c->cells[i] = x->t->rows[i].cells[column].text;
		for (int n = split_cell(p, head->align, c->cells[i]); n-- > 0;)
			widths[n] =
			    max_size(widths[n], utf8_width(p[n].s, p[n].len));
	}
	for (size_t i = 0; i < n_rows; i++) {
		const int n = split_cell(p, head->align, c->cells[i]);
		struct strbuf sb = STRBUF_INIT(MAX_LINE);

		/* Join the parts, padded so that the points are aligned. */
		for (int k = 0; k < n; k += 2) {
			strbuf_addstr(&sb, n == 2 ? "" : k == 0 ? "[" : ", ");
			strbuf_addchars(
			    &sb, ' ', widths[k] - utf8_width(p[k].s, p[k].len));
			strbuf_add(&sb, p[k].s, p[k].len + p[k + 1].len);
			strbuf_addchars(&sb, ' ',
			    widths[k + 1] -
				utf8_width(p[k + 1].s, p[k + 1].len));
		}
		strbuf_addstr(&sb, n > 2 ? "]" : "");
		if (n > 0)
			c->cells[i] = strbuf_finish(&sb, &x->arena);
		c->width = max_size(c->width, utf8_columns(c->cells[i]));
	}
}

/* --- lines ---------------------------------------------------------------- */

/* Find the end of the first line of text, at most room columns wide. Wider
 * words are not broken. A line ends after a blank or after a full-width comma
 * or semicolon. */
static const char *
line_end(const char *text, size_t room)
{
	const char *p = text, *good = NULL;
	size_t used = 0;

	while (*p != '\0') {
		uint32_t cp;
		const size_t n = utf8_decode(p, strnlen(p, 4), &cp);

		if (p > text && p[-1] == ' ')
			good = p;
		if (p >= text + 3 &&
		    (memcmp(p - 3, "\xef\xbc\x8c", 3) == 0 ||
			memcmp(p - 3, "\xef\xbc\x9b", 3) == 0))
			good = p;
		used += utf8_width(p, n);
		if (used > room && cp != ' ' && good != NULL)
			return good;
		p += n;
	}
	return p;
}

/* Length without trailing blanks. */
static size_t
trimmed_length(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	return (size_t)(end - text);
}

/* Shrink columns of sentences until the table fits the terminal: the widest
 * first, none below MIN_SENTENCE, its head or its widest word. */
static void
fit_columns(struct text_table *x)
{
	const struct table *t = x->t;
	size_t total = 2 * (t->n_columns - 1);

	for (size_t k = 0; k < t->n_columns; k++) {
		struct text_column *c = &x->columns[k];

		total += c->least = c->width;
		if (t->columns[k].align != TABLE_LEFT ||
		    c->width <= MIN_SENTENCE)
			continue;
		c->least =
		    max_size(MIN_SENTENCE, utf8_columns(t->columns[k].head));
		for (size_t i = 0; i < t->n_rows; i++)
			for (const char *s = c->cells[i], *end; *s != '\0';
			     s = end) {
				end = line_end(s, 0);
				c->least = max_size(c->least,
				    utf8_width(s, trimmed_length(s, end)));
			}
	}
	for (; total > LINE_WIDTH; total--) {
		struct text_column *widest = NULL, *c;

		for (size_t k = 0; k < t->n_columns; k++) {
			c = &x->columns[k];
			if (c->width > c->least &&
			    (widest == NULL || c->width > widest->width))
				widest = c;
		}
		if (widest == NULL)
			break;
		widest->width--;
	}
}

/* --- text ----------------------------------------------------------------- */

/* Write the line without trailing spaces, and empty it. */
static void
put_line(struct text_table *x)
{
	const size_t len =
	    trimmed_length(x->line.buf, x->line.buf + x->line.len);

	fprintf(x->f, "%.*s\n", (int)len, x->line.buf);
	strbuf_reset(&x->line);
}

static void
put_rule(struct text_table *x, const char *gap)
{
	for (size_t k = 0; k < x->t->n_columns; k++) {
		strbuf_addstr(&x->line, k > 0 ? gap : "");
		strbuf_addchars(&x->line, '-', x->columns[k].width);
	}
	put_line(x);
}

/* Write the rest of each column as a row, in several lines if texts are
 * wrapped.
 *
 * row  NULL: all cells have this emphasis */
static void
put_row(struct text_table *x, const struct table_row *row,
    enum table_emphasis emphasis)
{
	int more = 1;

	for (; more; put_line(x)) {
		more = 0;
		for (size_t k = 0; k < x->t->n_columns; k++) {
			struct text_column *c = &x->columns[k];
			const int left = x->t->columns[k].align == TABLE_LEFT;
			const char *escape =
			    escapes[row ? row->cells[k].emphasis : emphasis];
			const char *text = c->rest,
				   *end = line_end(
				       text, left ? c->width : SIZE_MAX);
			const size_t shown = trimmed_length(text, end);
			const size_t blanks = left ? 0 : strspn(text, " ");
			const size_t len = left ? shown : (size_t)(end - text);
			const size_t width = utf8_width(text, len);
			const size_t pad =
			    c->width > width ? c->width - width : 0;

			strbuf_addstr(&x->line, k > 0 ? "  " : "");
			strbuf_addchars(
			    &x->line, ' ', blanks + (left ? 0 : pad));
			if (x->colour && shown > 0)
				strbuf_addstr(&x->line, escape);
			strbuf_add(&x->line, text + blanks, shown - blanks);
			if (x->colour && shown > 0 && escape[0] != '\0')
				strbuf_addstr(&x->line, "\033[0m");
			strbuf_addchars(
			    &x->line, ' ', len - shown + (left ? pad : 0));
			c->rest = end;
			more |= *end != '\0';
		}
	}
}

static void
put_strong(const struct text_table *x, const char *text)
{
	fprintf(x->f, x->colour ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

static void
text_write(const struct table *t, enum table_colour on, FILE *f)
{
	struct text_table x = { .t = t,
		.line = STRBUF_INIT(MAX_LINE),
		.colour = on == TABLE_COLOUR_ON,
		.f = f };
	int units = 0;

	x.columns = arena_calloc(&x.arena, t->n_columns, sizeof *x.columns);
	for (size_t k = 0; k < t->n_columns; k++) {
		make_column(&x, k);
		x.columns[k].rest = t->columns[k].head;
		units |= t->columns[k].unit != NULL;
	}
	fit_columns(&x);
	if (t->title != NULL && t->title[0] != '\0') {
		put_strong(&x, t->title);
		putc('\n', f);
	}
	put_row(&x, NULL, TABLE_STRONG);
	for (size_t k = 0; k < t->n_columns; k++)
		if (t->columns[k].unit != NULL)
			x.columns[k].rest =
			    arena_printf(&x.arena, "(%s)", t->columns[k].unit);
	if (units)
		put_row(&x, NULL, TABLE_PLAIN);
	put_rule(&x, "  ");
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0 && row->group_title == NULL)
			put_rule(&x, "--");
		else if (row->group && i > 0)
			putc('\n', f);
		if (row->group && row->group_title != NULL)
			put_strong(&x, row->group_title);
		for (size_t k = 0; k < t->n_columns; k++)
			x.columns[k].rest = x.columns[k].cells[i];
		put_row(&x, row, TABLE_PLAIN);
	}
	for (size_t i = 0; i < t->n_notes; i++) {
		int indent = 0;

		fputs(i == 0 ? "\n" : "", f);
		for (const char *s = t->notes[i], *end; *s != '\0'; s = end) {
			end = line_end(s, (size_t)(LINE_WIDTH - indent));
			fprintf(f, "%*s%.*s\n", indent, "",
			    (int)trimmed_length(s, end), s);
			indent = NOTE_INDENT;
		}
	}
	strbuf_release(&x.line);
	arena_release(&x.arena);
}

const struct table_format table_text = { "text", "txt", .between = "\n",
	.write = text_write };

/* --- Markdown ------------------------------------------------------------- */

static int
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/* True if the character at p is special in Markdown and must be escaped.
 * Exceptions are underscores inside a word ("r50_b128"), a lone tilde, "<0.01"
 * and "A & B", which remain readable in the source.
 *
 * tildes  1: the text contains two or more of them */
static int
is_special(const char *text, const char *p, int tildes)
{
	switch (*p) {
	case '\\':
	case '|':
	case '`':
	case '*':
	case '[':
	case ']':
		return 1;
	case '_':
		return p == text || !is_word(p[-1]) || !is_word(p[1]);
	case '~':
		return tildes;
	case '<':
		return is_word(p[1]) ? p[1] > '9' : strchr("/!?", p[1]) != NULL;
	case '&':
		return is_word(p[1]) || p[1] == '#';
	default:
		return 0;
	}
}

/* Escape a text, between marks unless it is empty. */
static const char *
escaped(struct arena *a, const char *text, const char *mark)
{
	const int tildes = strchr(text, '~') != strrchr(text, '~');
	struct strbuf sb = STRBUF_INIT(MAX_LINE);

	if (text[0] == '\0')
		return "";
	strbuf_addstr(&sb, mark);
	for (const char *p = text; *p != '\0'; p++) {
		if (is_special(text, p, tildes))
			strbuf_addch(&sb, '\\');
		strbuf_addch(&sb, *p);
	}
	strbuf_addstr(&sb, mark);
	return strbuf_finish(&sb, a);
}

/* Write a cell and its bar, padded so that the source is readable. */
static void
put_cell(const struct text_table *x, size_t k, const char *text, int left)
{
	const int pad = (int)(x->columns[k].width - utf8_columns(text));

	fprintf(x->f, "%s %*s%s%*s |%s", k == 0 ? "|" : "", left ? 0 : pad, "",
	    text, left ? pad : 0, "", k + 1 == x->t->n_columns ? "\n" : "");
}

/* Markdown has no spanning cells: a group's title is in the first column of a
 * row of its own. */
static void
markdown_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct text_table x = { .t = t, .f = f };
	struct arena *a = &x.arena;

	(void)colour;
	x.columns = arena_calloc(a, t->n_columns, sizeof *x.columns);
	if (t->title != NULL && t->title[0] != '\0')
		fprintf(f, "**%s**\n\n", escaped(a, t->title, ""));
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *head = &t->columns[k];
		struct text_column *c = &x.columns[k];

		c->cells = arena_calloc(a, t->n_rows + 1, sizeof *c->cells);
		c->rest = escaped(a, head->head, "");
		if (head->unit != NULL)
			c->rest = arena_printf(
			    a, "%s (%s)", c->rest, escaped(a, head->unit, ""));
		c->width = max_size(MIN_MARKDOWN_WIDTH, utf8_columns(c->rest));
		for (size_t i = 0; i < t->n_rows; i++) {
			const struct table_row *row = &t->rows[i];
			const char *title = row->group_title;

			c->cells[i] = escaped(a, row->cells[k].text,
			    row->cells[k].emphasis == TABLE_STRONG ? "**" : "");
			c->width =
			    max_size(c->width, utf8_columns(c->cells[i]));
			if (k == 0 && title != NULL)
				c->width = max_size(c->width,
				    utf8_columns(escaped(a, title, "**")));
		}
		put_cell(&x, k, c->rest, head->align == TABLE_LEFT);
	}
	putc('|', f);
	for (size_t k = 0; k < t->n_columns; k++) {
		const int left = t->columns[k].align == TABLE_LEFT;

		putc(left ? ':' : '-', f);
		for (size_t i = 0; i < x.columns[k].width; i++)
			putc('-', f);
		fputs(left ? "-|" : ":|", f);
	}
	putc('\n', f);
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *title = t->rows[i].group_title;

		for (size_t k = 0; title != NULL && k < t->n_columns; k++)
			put_cell(
			    &x, k, k > 0 ? "" : escaped(a, title, "**"), 1);
		for (size_t k = 0; k < t->n_columns; k++)
			put_cell(&x, k, x.columns[k].cells[i],
			    t->columns[k].align == TABLE_LEFT);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(f, "%s- %s\n", i == 0 ? "\n" : "",
		    escaped(a, t->notes[i], ""));
	arena_release(&x.arena);
}

const struct table_format table_markdown = { "markdown", "md", .between = "\n",
	.write = markdown_write };
