#include <config.h>

#include "common/table/table.h"
#include "common/table/table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum { MAX_CELL = 1 << 23, MIN_WIDTH = 3 };

/* Lines of cells with Markdown's special characters escaped. */
struct markdown_table {
	const struct table *t;
	const char **cells; /* [n_lines * n_columns], heads first */
	size_t n_lines;
	size_t *widths; /* [n_columns] */
	struct arena arena;
};

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
	struct strbuf sb;

	strbuf_init(&sb, MAX_CELL);
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

static void
set_cell(struct markdown_table *m, size_t line, size_t k, const char *text)
{
	const size_t width = utf8_width(text, strlen(text));

	m->cells[line * m->t->n_columns + k] = text;
	if (width > m->widths[k])
		m->widths[k] = width;
}

/* Markdown has no spanning cells: write a group's title into the first column
 * of a separate row. */
static void
set_cells(struct markdown_table *m)
{
	const struct table *t = m->t;
	struct arena *a = &m->arena;

	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		m->widths[k] = MIN_WIDTH;
		set_cell(m, 0, k,
		    c->unit == NULL
			? escaped(a, c->head)
			: arena_printf(a, "%s (%s)", escaped(a, c->head),
			      escaped(a, c->unit)));
	}
	m->n_lines = 1;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (t->rows[i].group && t->rows[i].group_title != NULL) {
			for (size_t k = 1; k < t->n_columns; k++)
				set_cell(m, m->n_lines, k, "");
			set_cell(m, m->n_lines++, 0,
			    strong(a, t->rows[i].group_title));
		}
		for (size_t k = 0; k < t->n_columns; k++) {
			const struct table_cell *cell = table_cell_at(t, i, k);

			set_cell(m, m->n_lines, k,
			    cell->emphasis == TABLE_STRONG
				? strong(a, cell->text)
				: escaped(a, cell->text));
		}
		m->n_lines++;
	}
}

/* Write the cells between bars, padded so that the source is readable. */
static void
put_line(const struct markdown_table *m, size_t line, int is_title, FILE *f)
{
	putc('|', f);
	for (size_t k = 0; k < m->t->n_columns; k++) {
		const char *text = m->cells[line * m->t->n_columns + k];
		const int pad =
		    (int)(m->widths[k] - utf8_width(text, strlen(text)));

		if (is_title || m->t->columns[k].align == TABLE_LEFT)
			fprintf(f, " %s%*s |", text, pad, "");
		else
			fprintf(f, " %*s%s |", pad, "", text);
	}
	putc('\n', f);
}

static void
put_rule(const struct markdown_table *m, FILE *f)
{
	putc('|', f);
	for (size_t k = 0; k < m->t->n_columns; k++) {
		const int left = m->t->columns[k].align == TABLE_LEFT;

		putc(left ? ':' : '-', f);
		for (size_t i = 0; i < m->widths[k]; i++)
			putc('-', f);
		fputs(left ? "-|" : ":|", f);
	}
	putc('\n', f);
}

static void
markdown_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct markdown_table m = { .t = t,
		.cells = xcalloc(
		    (2 * t->n_rows + 1) * t->n_columns, sizeof *m.cells),
		.widths = xcalloc(t->n_columns, sizeof *m.widths),
		.arena = ARENA_INIT };
	size_t line = 0;

	(void)colour;
	set_cells(&m);
	if (t->title != NULL)
		fprintf(f, "**%s**\n\n", escaped(&m.arena, t->title));
	put_line(&m, line++, 0, f);
	put_rule(&m, f);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (t->rows[i].group && t->rows[i].group_title != NULL)
			put_line(&m, line++, 1, f);
		put_line(&m, line++, 0, f);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(f, "%s- %s\n", i == 0 ? "\n" : "",
		    escaped(&m.arena, t->notes[i]));
	arena_release(&m.arena);
	free(m.cells);
	free(m.widths);
}

const struct table_format table_markdown = { "markdown", "md", markdown_write };
