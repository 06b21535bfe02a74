#include <config.h>

#include "common/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum {
	MAX_LINE = 1 << 24,
	LINE_WIDTH = 80, /* terminal width, columns */
	NOTE_INDENT = 4,
	MIN_SENTENCE = 24, /* columns; shorter text is not wrapped */
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
	const char **cells; /* [n_rows] with decimal points aligned */
	size_t width;       /* in columns of the terminal */
	const char *rest;   /* of the cell that is being written */
};

/* State of writing a table to f. */
struct text_table {
	const struct table *t;
	struct text_column *columns; /* [n_columns] */
	struct strbuf line;
	struct arena arena; /* of cells */
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

/* Split the number [s, end) into two parts. Returns 0 if it is not a number. */
static int
split_number(struct number_part *p, const char *s, const char *end)
{
	size_t whole;

	if (!table_is_number(s, &whole))
		return 0;
	/* table_is_number may read past the comma, as a digit separator. */
	if (whole > (size_t)(end - s))
		whole = (size_t)(end - s);
	p[0] = (struct number_part){ s, whole };
	p[1] = (struct number_part){ s + whole, (size_t)(end - s) - whole };
	return 1;
}

/* Split a number into two parts, or "[low, high]" into four. Returns 0 for any
 * other text. */
static int
split_cell(
    struct number_part p[MAX_PARTS], enum table_align align, const char *text)
{
	const char *end = text + strlen(text), *comma = strstr(text, ", ");

	if (align == TABLE_DECIMAL)
		return 2 * split_number(p, text, end);
	if (align == TABLE_INTERVAL && text[0] == '[' && comma != NULL &&
	    end[-1] == ']' && split_number(p, text + 1, comma) &&
	    split_number(p + 2, comma + 2, end - 1))
		return MAX_PARTS;
	return 0;
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

/* Width of the column's widest word, the minimum when wrapping. */
static size_t
widest_word(const struct text_table *x, size_t k)
{
	size_t most = 0;

	for (size_t i = 0; i < x->t->n_rows; i++)
		for (const char *s = x->columns[k].cells[i], *end; *s != '\0';
		     s = end) {
			end = line_end(s, 0);
			most = max_size(
			    most, utf8_width(s, trimmed_length(s, end)));
		}
	return most;
}

/* Shrink columns of sentences until the table fits the terminal: the widest
 * first, none below MIN_SENTENCE, its head or its widest word. */
static void
fit_columns(struct text_table *x)
{
	const struct table *t = x->t;
	size_t *least = xcalloc(t->n_columns, sizeof *least);
	size_t total = 2 * (t->n_columns - 1);

	for (size_t k = 0; k < t->n_columns; k++) {
		const size_t width = x->columns[k].width;

		total += width;
		least[k] = width;
		if (t->columns[k].align == TABLE_LEFT && width > MIN_SENTENCE)
			least[k] = max_size(widest_word(x, k),
			    max_size(MIN_SENTENCE,
				utf8_columns(t->columns[k].head)));
	}
	for (; total > LINE_WIDTH; total--) {
		size_t widest = t->n_columns;

		for (size_t k = 0; k < t->n_columns; k++)
			if (x->columns[k].width > least[k] &&
			    (widest == t->n_columns ||
				x->columns[k].width > x->columns[widest].width))
				widest = k;
		if (widest == t->n_columns)
			break;
		x->columns[widest].width--;
	}
	free(least);
}

/* --- output --------------------------------------------------------------- */

/* Append len bytes of text to the line, in column k. */
static void
add_cell(struct text_table *x, size_t k, const char *text, size_t len,
    const char *escape)
{
	const size_t width = utf8_width(text, len);
	const size_t pad =
	    x->columns[k].width > width ? x->columns[k].width - width : 0;
	const int left = x->t->columns[k].align == TABLE_LEFT;
	const size_t blanks = left ? 0 : strspn(text, " ");
	const size_t shown = trimmed_length(text, text + len);

	strbuf_addstr(&x->line, k > 0 ? "  " : "");
	strbuf_addchars(&x->line, ' ', blanks + (left ? 0 : pad));
	if (x->colour && shown > 0)
		strbuf_addstr(&x->line, escape);
	strbuf_add(&x->line, text + blanks, shown - blanks);
	if (x->colour && shown > 0 && escape[0] != '\0')
		strbuf_addstr(&x->line, "\033[0m");
	strbuf_addchars(&x->line, ' ', len - shown + (left ? pad : 0));
}

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

/* Write a row, in several lines if cells are wrapped. */
static void
put_row(struct text_table *x, size_t i)
{
	int more = 1;

	for (size_t k = 0; k < x->t->n_columns; k++)
		x->columns[k].rest = x->columns[k].cells[i];
	while (more) {
		more = 0;
		for (size_t k = 0; k < x->t->n_columns; k++) {
			struct text_column *c = &x->columns[k];
			const char *text = c->rest;
			const int wraps = x->t->columns[k].align == TABLE_LEFT;
			size_t len;

			c->rest = line_end(text, wraps ? c->width : SIZE_MAX);
			len = wraps ? trimmed_length(text, c->rest)
				    : (size_t)(c->rest - text);
			add_cell(x, k, text, len,
			    escapes[x->t->rows[i].cells[k].emphasis]);
			more |= *c->rest != '\0';
		}
		put_line(x);
	}
}

static void
put_strong(const struct text_table *x, const char *text)
{
	fprintf(x->f, x->colour ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

/* Wrap the sentences below a table to the terminal width. */
static void
put_note(const char *note, FILE *f)
{
	size_t indent = 0;

	while (*note != '\0') {
		const char *end = line_end(note, LINE_WIDTH - indent);

		fprintf(f, "%*s%.*s\n", (int)indent, "",
		    (int)trimmed_length(note, end), note);
		note = end;
		indent = NOTE_INDENT;
	}
}

static void
text_write(const struct table *t, enum table_colour on, FILE *f)
{
	struct text_table x = { .t = t,
		.columns = xcalloc(t->n_columns, sizeof *x.columns),
		.arena = ARENA_INIT,
		.colour = on == TABLE_COLOUR_ON,
		.f = f };
	int units = 0;

	strbuf_init(&x.line, MAX_LINE);
	for (size_t k = 0; k < t->n_columns; k++)
		make_column(&x, k);
	fit_columns(&x);
	if (t->title != NULL && t->title[0] != '\0') {
		put_strong(&x, t->title);
		putc('\n', f);
	}
	for (size_t k = 0; k < t->n_columns; k++) {
		const char *head = t->columns[k].head;

		units |= t->columns[k].unit != NULL;
		add_cell(&x, k, head, strlen(head), escapes[TABLE_STRONG]);
	}
	put_line(&x);
	for (size_t k = 0; units && k < t->n_columns; k++) {
		const char *unit = t->columns[k].unit;
		const char *text =
		    unit == NULL ? "" : arena_printf(&x.arena, "(%s)", unit);

		add_cell(&x, k, text, strlen(text), "");
	}
	if (units)
		put_line(&x);
	put_rule(&x, "  ");
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0 && row->group_title == NULL)
			put_rule(&x, "--");
		else if (row->group && i > 0)
			putc('\n', f);
		if (row->group && row->group_title != NULL)
			put_strong(&x, row->group_title);
		put_row(&x, i);
	}
	for (size_t i = 0; i < t->n_notes; i++) {
		fputs(i == 0 ? "\n" : "", f);
		put_note(t->notes[i], f);
	}
	strbuf_release(&x.line);
	arena_release(&x.arena);
	free(x.columns);
}

const struct table_format table_text = { "text", "txt", .between = "\n",
	.write = text_write };
