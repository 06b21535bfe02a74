/* A table, filled row by row and written in one of several formats.
 *
 * Every column that holds a quantity has its unit in its head.  Cells are
 * plain UTF-8 text; each format escapes what it must.  All text is copied; line
 * ends and tabs become spaces, other control characters and invalid UTF-8
 * become U+FFFD, so that a log's text cannot break a table or a terminal.  An
 * output format is one file with a struct table_format and a line in the list
 * of table.c.
 *
 * As text, a table whose columns of sentences would make it wider than 80
 * columns breaks these, but no word, no number and nothing shorter than 24.
 *
 *	struct table t;
 *	table_init(&t);
 *	table_column(&t, "GPUs", NULL, TABLE_RIGHT);
 *	table_column(&t, "speed", "samples/s", TABLE_DECIMAL);
 *	table_row(&t);
 *	table_cell(&t, "8");
 *	table_cellf(&t, "%.1f", 2957.8);
 *	table_write(&t, table_format_find("markdown"), TABLE_COLOUR_OFF, f);
 *	table_release(&t);
 */
#ifndef COMMON_TABLE_TABLE_H
#define COMMON_TABLE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_DECIMAL, /* the decimal points below each other */
	TABLE_INTERVAL /* "[low, high]": the points of both ends below each
	                  other */
};

/* How a cell is to be read; text shows it where colours are asked for, HTML as
 * a class of that name, Markdown and LaTeX show TABLE_STRONG only, CSV none. */
enum table_emphasis {
	TABLE_PLAIN,
	TABLE_STRONG,
	TABLE_FAINT,
	TABLE_GOOD,
	TABLE_BAD
};

enum table_colour { TABLE_COLOUR_OFF, TABLE_COLOUR_ON };

struct table_column {
	const char *head;
	const char *unit; /* NULL: none */
	enum table_align align;
};

struct table_cell {
	const char *text; /* never NULL */
	const char *link; /* HTML: where a click leads; NULL: nowhere */
	enum table_emphasis emphasis;
};

struct table_row {
	struct table_cell *cells; /* one a column */
	size_t n_cells;           /* filled so far; the rest is "" */
	int group;                /* 1: a group starts here */
	const char *group_title;  /* NULL: just a line */
};

struct table {
	struct arena arena;
	const char *title; /* NULL: none */
	const char *name;  /* of its kind, static: "scaling"; NULL: none */
	int copies; /* tables of this name and title that stand before it */
	struct table_column *columns;
	size_t n_columns, alloc_columns;
	struct table_row *rows;
	size_t n_rows, alloc_rows;
	const char **notes; /* below the table, in order */
	size_t n_notes, alloc_notes;
	int next_group; /* the next row starts a group */
	const char *next_group_title;
};

/* How one output format writes a table. */
struct table_format {
	const char *name;   /* "markdown": what --format calls it */
	const char *suffix; /* "md": of files in it */
	void (*write)(const struct table *t, enum table_colour colour, FILE *f);
};

extern const struct table_format table_text;
extern const struct table_format table_markdown;
extern const struct table_format table_csv;
extern const struct table_format table_latex;
extern const struct table_format table_html;
/* Not among the names below: of programs that write whole documents of them. */
extern const struct table_format table_json;
extern const struct table_format table_html_fragment; /* to be put into a page;
                                                         table_html itself */

/* Names of all formats, NULL-terminated, for OPT_CHOICE. */
extern const char *const table_format_names[];

/* The format of that name, or NULL. */
const struct table_format *table_format_find(const char *name);

/* The format that a file's ending asks for ("a.md", "A.MD"), or NULL: path is
 * NULL, has no ending, or that of no format. */
const struct table_format *table_format_of_file(const char *path);

/* Write a text of a log or a file into HTML or SVG, as content or as the value
 * of an attribute: cleaned as the text of a cell is, and escaped. */
void table_html_text(FILE *f, const char *text);

/* Colours for a table written to path: on where that is stdout (NULL, "-") and
 * stdout a terminal that wants them. */
enum table_colour table_colour_of_file(const char *path);

/* An empty table without columns. */
void table_init(struct table *t);

/* Free all; t is as after table_init. */
void table_release(struct table *t);

/* The title: a sentence or a noun, shown above (CSV: nowhere). */
void table_title(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add a column; only before the first row.
 *
 * unit  shown as "head (unit)"; NULL for none */
void table_column(struct table *t, const char *head, const char *unit,
    enum table_align align);

/* Start a row. */
void table_row(struct table *t);

/* The next row starts a group: a line above it, and title (may be NULL) on it.
 * CSV leaves it out; what must not get lost there belongs into a column. */
void table_group(struct table *t, const char *title);

/* Fill the next cell of the row; NULL is an empty cell.  A row must not get
 * more cells than there are columns; with fewer, the rest stays empty. */
void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* How the cell filled last is shown, and where a click on it leads. */
void table_emphasise(struct table *t, enum table_emphasis emphasis);
void table_link(struct table *t, const char *href);

/* Add a note below the table (CSV: nowhere). */
void table_note(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Write the table to f.  A table without rows is written with its head.
 *
 * colour  only text looks at it: see table_colour_of_file
 *
 * Errors of f are left to outfile_commit. */
void table_write(const struct table *t, const struct table_format *format,
    enum table_colour colour, FILE *f);

#endif
