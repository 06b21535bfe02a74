#include <config.h>

#include "common/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum { MAX_CELL = 1 << 23, MIN_WIDTH = 3 };

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

static const char *
escaped(struct arena *a, const char *text)
{
	const int tildes = strchr(text, '~') != strrchr(text, '~');
	struct strbuf sb = STRBUF_INIT(MAX_CELL);

	for (const char *p = text; *p != '\0'; p++) {
		if (is_special(text, p, tildes))
			strbuf_addch(&sb, '\\');
		strbuf_addch(&sb, *p);
	}
	return strbuf_finish(&sb, a);
}

static const char *
strong(struct arena *a, const char *text)
{
	return text[0] == '\0' ? ""
			       : arena_printf(a, "**%s**", escaped(a, text));
}

static const char *
cell_text(struct arena *a, const struct table_cell *cell)
{
	return cell->emphasis == TABLE_STRONG ? strong(a, cell->text)
					      : escaped(a, cell->text);
}

static const char *
head_text(struct arena *a, const struct table_column *c)
{
	return c->unit == NULL ? escaped(a, c->head)
			       : arena_printf(a, "%s (%s)", escaped(a, c->head),
				     escaped(a, c->unit));
}

/* Width of column k. Markdown has no spanning cells: a group's title is in the
 * first column of a row of its own. */
static size_t
column_width(const struct table *t, size_t k, struct arena *a)
{
	size_t width = utf8_columns(head_text(a, &t->columns[k]));

	for (size_t i = 0; i < t->n_rows; i++) {
		const char *title = k == 0 ? t->rows[i].group_title : NULL;
		const size_t own =
		    utf8_columns(cell_text(a, &t->rows[i].cells[k]));
		const size_t of_title =
		    title != NULL ? utf8_columns(strong(a, title)) : 0;

		width = own > width ? own : width;
		width = of_title > width ? of_title : width;
	}
	return width > MIN_WIDTH ? width : MIN_WIDTH;
}

/* Write a cell and its bar, padded so that the source is readable. */
static void
put_cell(FILE *f, const char *text, size_t width, enum table_align align)
{
	const int pad = (int)(width - utf8_columns(text));

	if (align == TABLE_LEFT)
		fprintf(f, " %s%*s |", text, pad, "");
	else
		fprintf(f, " %*s%s |", pad, "", text);
}

static void
markdown_write(const struct table *t, enum table_colour colour, FILE *f)
{
	size_t *widths = xcalloc(t->n_columns, sizeof *widths);
	struct arena a = ARENA_INIT;

	(void)colour;
	if (t->title != NULL && t->title[0] != '\0')
		fprintf(f, "**%s**\n\n", escaped(&a, t->title));
	putc('|', f);
	for (size_t k = 0; k < t->n_columns; k++) {
		widths[k] = column_width(t, k, &a);
		put_cell(f, head_text(&a, &t->columns[k]), widths[k],
		    t->columns[k].align);
	}
	fputs("\n|", f);
	for (size_t k = 0; k < t->n_columns; k++) {
		const int left = t->columns[k].align == TABLE_LEFT;

		putc(left ? ':' : '-', f);
		for (size_t i = 0; i < widths[k]; i++)
			putc('-', f);
		fputs(left ? "-|" : ":|", f);
	}
	putc('\n', f);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		for (size_t k = 0; row->group_title != NULL && k < t->n_columns;
		     k++) {
			fputs(k == 0 ? "|" : "", f);
			put_cell(f, k == 0 ? strong(&a, row->group_title) : "",
			    widths[k], TABLE_LEFT);
		}
		fputs(row->group_title != NULL ? "\n|" : "|", f);
		for (size_t k = 0; k < t->n_columns; k++)
			put_cell(f, cell_text(&a, &t->rows[i].cells[k]),
			    widths[k], t->columns[k].align);
		putc('\n', f);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(f, "%s- %s\n", i == 0 ? "\n" : "",
		    escaped(&a, t->notes[i]));
	arena_release(&a);
	free(widths);
}

const struct table_format table_markdown = { "markdown", "md", .between = "\n",
	.write = markdown_write };
