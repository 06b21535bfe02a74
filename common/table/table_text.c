#include <config.h>

#include "common/table/table.h"
#include "common/table/table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum {
	MAX_LINE = 1 << 24,
	LINE_WIDTH = 80, /* of a terminal */
	NOTE_INDENT = 4,
	MIN_SENTENCE = 24 /* columns; shorter text is not broken */
};

/* Columns of the terminal that a table's column takes: numbers of a decimal
 * column stand in a block of whole + rest at its right edge. */
struct extent {
	size_t width, whole, rest;
	/* The same of the low and the high end of an interval. */
	size_t low_whole, low_rest, high_whole, high_rest;
};

static size_t
max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
width_of(const char *text)
{
	return utf8_width(text, strlen(text));
}

/* What decimal columns put before and after the decimal point. */
static int
split_decimal(const struct table_column *column, const char *text,
    size_t *whole, size_t *rest)
{
	size_t bytes;

	if (column->align != TABLE_DECIMAL || !table_is_number(text, &bytes))
		return 0;
	*whole = utf8_width(text, bytes);
	*rest = width_of(text + bytes);
	return 1;
}

/* The ends of "[low, high]" in an interval column: where they begin, and their
 * bytes before and from the decimal point. */
struct interval_parts {
	const char *low, *high;
	size_t low_whole, low_rest, high_whole, high_rest;
};

static int
split_interval(const struct table_column *column, const char *text,
    struct interval_parts *out)
{
	const char *comma = strstr(text, ", ");
	const size_t len = strlen(text);

	if (column->align != TABLE_INTERVAL || text[0] != '[' ||
	    comma == NULL || text[len - 1] != ']')
		return 0;
	out->low = text + 1;
	out->high = comma + 2;
	if (!table_is_number(out->low, &out->low_whole) ||
	    !table_is_number(out->high, &out->high_whole))
		return 0;
	/* A comma is one of digits for table_is_number. */
	if (out->low + out->low_whole > comma)
		out->low_whole = (size_t)(comma - out->low);
	out->low_rest = (size_t)(comma - out->low) - out->low_whole;
	out->high_rest = (size_t)(text + len - 1 - out->high) - out->high_whole;
	return 1;
}

static void
measure_column(const struct table *t, size_t k, struct extent *x)
{
	const struct table_column *column = &t->columns[k];
	struct interval_parts ends;
	size_t i, whole, rest;

	memset(x, 0, sizeof *x);
	x->width = width_of(column->head);
	if (column->unit != NULL)
		x->width = max_size(x->width, width_of(column->unit) + 2);
	for (i = 0; i < t->n_rows; i++) {
		const char *text = table_cell_at(t, i, k)->text;

		if (split_decimal(column, text, &whole, &rest)) {
			x->whole = max_size(x->whole, whole);
			x->rest = max_size(x->rest, rest);
		} else if (split_interval(column, text, &ends)) {
			x->low_whole = max_size(x->low_whole, ends.low_whole);
			x->low_rest = max_size(x->low_rest, ends.low_rest);
			x->high_whole =
			    max_size(x->high_whole, ends.high_whole);
			x->high_rest = max_size(x->high_rest, ends.high_rest);
		} else {
			x->width = max_size(x->width, width_of(text));
		}
	}
	x->width = max_size(x->width, x->whole + x->rest);
	if (x->low_whole > 0)
		x->width = max_size(x->width,
		    4 + x->low_whole + x->low_rest + x->high_whole +
			x->high_rest);
}

/* "[345.9,  348.0]": both ends in their own decimal column. */
static char *
aligned_interval(const struct interval_parts *p, const struct extent *x)
{
	return xasprintf("[%*s%.*s%*s, %*s%.*s%*s]",
	    (int)(x->low_whole - p->low_whole), "",
	    (int)(p->low_whole + p->low_rest), p->low,
	    (int)(x->low_rest - p->low_rest), "",
	    (int)(x->high_whole - p->high_whole), "",
	    (int)(p->high_whole + p->high_rest), p->high,
	    (int)(x->high_rest - p->high_rest), "");
}

static const char *
escape_of(enum table_emphasis emphasis)
{
	static const char *const escapes[] = {
		[TABLE_PLAIN] = "",
		[TABLE_STRONG] = "\033[1m",
		[TABLE_FAINT] = "\033[2m",
		[TABLE_GOOD] = "\033[32m",
		[TABLE_BAD] = "\033[31m",
	};

	return escapes[emphasis];
}

/* Text in its column, with the spaces that stand left and right of it. */
static void
add_cell(struct strbuf *line, const struct table_column *column,
    const struct extent *x, const char *text, const char *escape)
{
	struct interval_parts ends;
	char *aligned = split_interval(column, text, &ends)
	    ? aligned_interval(&ends, x)
	    : NULL;
	const char *shown = aligned != NULL ? aligned : text;
	const size_t width = width_of(shown);
	size_t left = 0, right, whole, rest;

	if (split_decimal(column, text, &whole, &rest))
		left = x->width - x->rest - whole;
	else if (column->align != TABLE_LEFT)
		left = x->width - width;
	right = x->width - left - width;
	strbuf_addchars(line, ' ', left);
	strbuf_addstr(line, escape);
	strbuf_addstr(line, shown);
	if (escape[0] != '\0')
		strbuf_addstr(line, "\033[0m");
	strbuf_addchars(line, ' ', right);
	free(aligned);
}

static void
add_gap(struct strbuf *line, size_t k)
{
	if (k > 0)
		strbuf_addstr(line, "  ");
}

/* Write the line without the spaces at its end, and empty it. */
static void
put_line(struct strbuf *line, FILE *f)
{
	while (line->len > 0 && line->buf[line->len - 1] == ' ')
		line->len--;
	fprintf(f, "%.*s\n", (int)line->len, line->buf);
	strbuf_reset(line);
}

static void
put_rule(const struct table *t, const struct extent *x, int gaps,
    struct strbuf *line, FILE *f)
{
	size_t k;

	for (k = 0; k < t->n_columns; k++) {
		if (k > 0)
			strbuf_addstr(line, gaps ? "  " : "--");
		strbuf_addchars(line, '-', x[k].width);
	}
	put_line(line, f);
}

/* Heads, their units in a line below if there are any, and a rule. */
static void
put_heads(const struct table *t, const struct extent *x, const char *escape,
    struct strbuf *line, FILE *f)
{
	int units = 0;
	size_t k;

	for (k = 0; k < t->n_columns; k++) {
		struct table_column head = t->columns[k];

		/* A head that begins with a digit is no number. */
		if (head.align != TABLE_LEFT)
			head.align = TABLE_RIGHT;
		units |= head.unit != NULL;
		add_gap(line, k);
		add_cell(line, &head, &x[k], head.head, escape);
	}
	put_line(line, f);
	for (k = 0; units && k < t->n_columns; k++) {
		struct table_column head = t->columns[k];
		char *unit = head.unit == NULL ? xstrdup("")
					       : xasprintf("(%s)", head.unit);

		add_gap(line, k);
		add_cell(line, &head, &x[k], unit, "");
		free(unit);
	}
	if (units)
		put_line(line, f);
	put_rule(t, x, 1, line, f);
}

/* May a line end before the character at p?  After a blank, or after a
 * full-width comma or semicolon. */
static int
may_end_line(const char *start, const char *p)
{
	const size_t before = (size_t)(p - start);

	if (before >= 1 && p[-1] == ' ')
		return 1;
	return before >= 3 &&
	    (memcmp(p - 3, "\xef\xbc\x8c", 3) == 0 ||
		memcmp(p - 3, "\xef\xbc\x9b", 3) == 0);
}

/* The end of the first line of text that is at most room columns wide; a word
 * that is wider stays whole. */
static const char *
line_end(const char *text, size_t room)
{
	const char *p = text, *good = NULL;
	size_t used = 0;

	while (*p != '\0') {
		uint32_t cp;
		const size_t n = utf8_decode(p, strlen(p), &cp);

		if (p > text && may_end_line(text, p))
			good = p;
		used += utf8_width(p, n);
		if (used > room && cp != ' ' && good != NULL)
			return good;
		p += n;
	}
	return p;
}

/* Without the blanks at the end. */
static size_t
trimmed_length(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	return (size_t)(end - text);
}

/* The widest word of the column, which no line break makes narrower. */
static size_t
widest_word(const struct table *t, size_t k)
{
	size_t most = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const char *text = table_cell_at(t, i, k)->text;

		while (*text != '\0') {
			const char *end = line_end(text, 0);

			most = max_size(
			    most, utf8_width(text, trimmed_length(text, end)));
			text = end;
		}
	}
	return most;
}

/* Make columns of sentences narrower where the table is wider than a terminal:
 * the widest first, none below MIN_SENTENCE, its head or its widest word. */
static void
fit_columns(const struct table *t, struct extent *x)
{
	size_t *least = xcalloc(t->n_columns, sizeof *least);
	size_t total = 2 * (t->n_columns - 1);

	for (size_t k = 0; k < t->n_columns; k++) {
		total += x[k].width;
		least[k] = x[k].width;
		if (t->columns[k].align != TABLE_LEFT ||
		    x[k].width <= MIN_SENTENCE)
			continue;
		least[k] = max_size(widest_word(t, k),
		    max_size(MIN_SENTENCE, width_of(t->columns[k].head)));
	}
	for (; total > LINE_WIDTH; total--) {
		size_t widest = t->n_columns;

		for (size_t k = 0; k < t->n_columns; k++)
			if (x[k].width > least[k] &&
			    (widest == t->n_columns ||
				x[k].width > x[widest].width))
				widest = k;
		if (widest == t->n_columns)
			break;
		x[widest].width--;
	}
	free(least);
}

/* Put what fits of the cell into its column, and move *rest after it. */
static void
add_cell_line(struct strbuf *line, const struct table_column *column,
    const struct extent *x, const char **rest, const char *escape)
{
	const char *text = *rest, *end = text + strlen(text);
	char *copy;

	if (column->align == TABLE_LEFT && width_of(text) > x->width)
		end = line_end(text, x->width);
	copy = xstrndup(text, trimmed_length(text, end));
	add_cell(line, column, x, copy, copy[0] != '\0' ? escape : "");
	free(copy);
	*rest = end;
}

static void
put_row(const struct table *t, size_t i, const struct extent *x, int colour,
    struct strbuf *line, FILE *f)
{
	const char **rests = xcalloc(t->n_columns, sizeof *rests);
	int more = 1;

	for (size_t k = 0; k < t->n_columns; k++)
		rests[k] = table_cell_at(t, i, k)->text;
	while (more) {
		more = 0;
		for (size_t k = 0; k < t->n_columns; k++) {
			const struct table_cell *cell = table_cell_at(t, i, k);

			add_gap(line, k);
			add_cell_line(line, &t->columns[k], &x[k], &rests[k],
			    colour ? escape_of(cell->emphasis) : "");
			more |= rests[k][0] != '\0';
		}
		put_line(line, f);
	}
	free(rests);
}

static void
put_group(const struct table *t, size_t i, const struct extent *x, int colour,
    struct strbuf *line, FILE *f)
{
	const char *title = t->rows[i].group_title;

	if (title == NULL) {
		if (i > 0)
			put_rule(t, x, 0, line, f);
		return;
	}
	if (i > 0)
		putc('\n', f);
	fprintf(f, colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
}

/* Sentences below a table are broken into lines of a terminal. */
static void
put_note(const char *note, FILE *f)
{
	size_t indent = 0;

	while (*note != '\0') {
		const char *end = line_end(note, LINE_WIDTH - indent);
		size_t len = (size_t)(end - note);

		while (len > 0 && note[len - 1] == ' ')
			len--;
		fprintf(f, "%*s%.*s\n", (int)indent, "", (int)len, note);
		note = end;
		indent = NOTE_INDENT;
	}
}

static void
text_write(const struct table *t, enum table_colour on, FILE *f)
{
	struct extent *x = xcalloc(t->n_columns, sizeof *x);
	const int colour = on == TABLE_COLOUR_ON;
	struct strbuf line;
	size_t i, k;

	strbuf_init(&line, MAX_LINE);
	for (k = 0; k < t->n_columns; k++)
		measure_column(t, k, &x[k]);
	fit_columns(t, x);
	if (t->title != NULL)
		fprintf(
		    f, colour ? "\033[1m%s\033[0m\n\n" : "%s\n\n", t->title);
	put_heads(t, x, colour ? escape_of(TABLE_STRONG) : "", &line, f);
	for (i = 0; i < t->n_rows; i++) {
		if (t->rows[i].group)
			put_group(t, i, x, colour, &line, f);
		put_row(t, i, x, colour, &line, f);
	}
	if (t->n_notes > 0)
		putc('\n', f);
	for (i = 0; i < t->n_notes; i++)
		put_note(t->notes[i], f);
	strbuf_release(&line);
	free(x);
}

const struct table_format table_text = { "text", "txt", text_write };
