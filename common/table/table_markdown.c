#include <config.h>

#include "common/table/table.h"
#include "common/table/table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum { MAX_CELL = 1 << 23 };

static int
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/* Would Markdown see more than the character p points to?  What it shows as it
 * is stays readable in the source: underscores inside a word ("r50_b128"), a
 * lone tilde, "<0.01", "A & B".
 *
 * tildes  are there two or more of them in the text? */
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

static void
add_escaped(struct strbuf *sb, const char *text)
{
	const int tildes = strchr(text, '~') != strrchr(text, '~');
	const char *p;

	for (p = text; *p != '\0'; p++) {
		if (is_special(text, p, tildes))
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *p);
	}
}

static void
add_head(struct strbuf *sb, const struct table_column *column)
{
	add_escaped(sb, column->head);
	if (column->unit != NULL) {
		strbuf_addstr(sb, " (");
		add_escaped(sb, column->unit);
		strbuf_addch(sb, ')');
	}
}

static void
add_cell(struct strbuf *sb, const struct table_cell *cell)
{
	const int strong =
	    cell->emphasis == TABLE_STRONG && cell->text[0] != '\0';

	if (strong)
		strbuf_addstr(sb, "**");
	add_escaped(sb, cell->text);
	if (strong)
		strbuf_addstr(sb, "**");
}

/* Markdown knows no rows of one cell: a group's title stands in the first
 * column. */
static void
add_group(struct strbuf *sb, const char *title)
{
	const struct table_cell cell = { title, NULL, TABLE_STRONG };

	add_cell(sb, &cell);
}

/* The text between bars, padded so that the source can be read too. */
static void
put_padded(
    FILE *f, const struct strbuf *sb, enum table_align align, size_t width)
{
	const size_t own = utf8_width(sb->buf, sb->len);
	const int pad = own < width ? (int)(width - own) : 0;

	if (align == TABLE_LEFT)
		fprintf(f, " %s%*s |", sb->buf, pad, "");
	else
		fprintf(f, " %*s%s |", pad, "", sb->buf);
}

static size_t
column_width(const struct table *t, size_t k, struct strbuf *sb)
{
	size_t width, own, i;

	strbuf_reset(sb);
	add_head(sb, &t->columns[k]);
	width = utf8_width(sb->buf, sb->len);
	for (i = 0; i < t->n_rows; i++) {
		if (k == 0 && t->rows[i].group_title != NULL) {
			strbuf_reset(sb);
			add_group(sb, t->rows[i].group_title);
			own = utf8_width(sb->buf, sb->len);
			width = own > width ? own : width;
		}
		strbuf_reset(sb);
		add_cell(sb, table_cell_at(t, i, k));
		own = utf8_width(sb->buf, sb->len);
		width = own > width ? own : width;
	}
	return width > 3 ? width : 3;
}

static void
put_heads(
    const struct table *t, const size_t *widths, struct strbuf *sb, FILE *f)
{
	size_t k, i;

	putc('|', f);
	for (k = 0; k < t->n_columns; k++) {
		strbuf_reset(sb);
		add_head(sb, &t->columns[k]);
		put_padded(f, sb, t->columns[k].align, widths[k]);
	}
	fputs("\n|", f);
	for (k = 0; k < t->n_columns; k++) {
		putc(t->columns[k].align == TABLE_LEFT ? ':' : '-', f);
		for (i = 0; i < widths[k]; i++)
			putc('-', f);
		putc(t->columns[k].align == TABLE_LEFT ? '-' : ':', f);
		putc('|', f);
	}
	putc('\n', f);
}

static void
put_group(const struct table *t, const char *title, const size_t *widths,
    struct strbuf *sb, FILE *f)
{
	size_t k;

	putc('|', f);
	for (k = 0; k < t->n_columns; k++) {
		strbuf_reset(sb);
		if (k == 0)
			add_group(sb, title);
		put_padded(f, sb, TABLE_LEFT, widths[k]);
	}
	putc('\n', f);
}

static void
put_rows(
    const struct table *t, const size_t *widths, struct strbuf *sb, FILE *f)
{
	size_t i, k;

	for (i = 0; i < t->n_rows; i++) {
		if (t->rows[i].group && t->rows[i].group_title != NULL)
			put_group(t, t->rows[i].group_title, widths, sb, f);
		putc('|', f);
		for (k = 0; k < t->n_columns; k++) {
			strbuf_reset(sb);
			add_cell(sb, table_cell_at(t, i, k));
			put_padded(f, sb, t->columns[k].align, widths[k]);
		}
		putc('\n', f);
	}
}

static void
markdown_write(const struct table *t, enum table_colour colour, FILE *f)
{
	size_t *widths = xcalloc(t->n_columns, sizeof *widths);
	struct strbuf sb;
	size_t i, k;

	(void)colour;
	strbuf_init(&sb, MAX_CELL);
	for (k = 0; k < t->n_columns; k++)
		widths[k] = column_width(t, k, &sb);
	if (t->title != NULL) {
		strbuf_reset(&sb);
		add_escaped(&sb, t->title);
		fprintf(f, "**%s**\n\n", sb.buf);
	}
	put_heads(t, widths, &sb, f);
	put_rows(t, widths, &sb, f);
	for (i = 0; i < t->n_notes; i++) {
		strbuf_reset(&sb);
		add_escaped(&sb, t->notes[i]);
		fprintf(f, "%s- %s\n", i == 0 ? "\n" : "", sb.buf);
	}
	strbuf_release(&sb);
	free(widths);
}

const struct table_format table_markdown = { "markdown", "md", markdown_write };
