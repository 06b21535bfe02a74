/* Table, filled row by row and written in one of several formats.
 *
 * Columns of quantities have a unit in their head; tables for programs have it
 * in a column instead. Cells are plain UTF-8 text, escaped by each format. All
 * text is copied; line ends and tabs become spaces, other control characters
 * and invalid UTF-8 become U+FFFD, so that text from logs cannot break a table
 * or control a terminal. An output format is a struct table_format, its name in
 * TABLE_FORMATS and its suffix in TABLE_SUFFIXES.
 *
 * The text format wraps sentences if the table is wider than 80 columns. It
 * never breaks words or numbers, nor cells of fewer than 24 columns.
 *
 *	struct table t = TABLE_INIT;
 *	table_column(&t, "GPUs", NULL, TABLE_RIGHT);
 *	table_column(&t, "speed", "samples/s", TABLE_DECIMAL);
 *	table_row(&t);
 *	table_cell(&t, "8");
 *	table_cellf(&t, "%.1f", 2957.8);
 *	table_write(&t, 1, table_format_find("markdown"), TABLE_COLOUR_OFF, f);
 *	table_release(&t);
 */
#ifndef COMMON_TABLE_TABLE_H
#define COMMON_TABLE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_DECIMAL, /* decimal points aligned */
	TABLE_INTERVAL /* "[low, high]": both decimal points aligned */
};

/* Meaning of a cell. Text shows it as colour, if enabled, HTML as a class of
 * that name; Markdown and LaTeX show only TABLE_STRONG, CSV none. */
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
	const char *link; /* HTML: target of a link; NULL: none */
	enum table_emphasis emphasis;
	int is_numeric; /* 1: a number in JSON if its text is one */
};

struct table_row {
	struct table_cell *cells; /* one per column */
	size_t n_cells;           /* number of filled cells; the rest is "" */
	int group;                /* 1: first row of a group */
	const char *group_title;  /* title of the group; NULL: only a line */
};

struct table {
	struct arena arena;
	const char *title; /* NULL: none */
	const char *name;  /* name of its kind, static: "scaling"; NULL: none */
	int copies; /* number of preceding tables with this name and title */
	struct table_column *columns;
	size_t n_columns;
	struct table_row *rows;
	size_t n_rows;
	const char **notes; /* below the table, in order */
	size_t n_notes;
	int next_group; /* 1: the next row starts a group */
	const char *next_group_title;
};

/* Output format. */
struct table_format {
	const char *name;   /* name for --format: "markdown" */
	const char *suffix; /* file suffix: "md" */
	int is_flat; /* 1: for programs: one table with the keys of its rows as
			columns, unrounded numbers, no units in heads */
	const char *start, *between, *end; /* around and between tables */
	void (*write)(const struct table *t, enum table_colour colour, FILE *f);
};

/* F(format) for each value of --format, in order; F gives the format's name or
 * its variable, such as table_text. */
#define TABLE_FORMATS(F) \
	F(text), F(markdown), F(csv), F(json), F(jsonl), F(latex), F(html)
#define TABLE_FORMAT_NAME(form) #form
#define TABLE_FORMAT_VARIABLE(form) table_##form

/* doc/tables-schema.json describes JSON; the fragment is part of a page. */
extern const struct table_format TABLE_FORMATS(TABLE_FORMAT_VARIABLE),
    table_html_fragment;

/* Names of all formats but the fragment, NULL-terminated, for OPT_CHOICE. */
extern const char *const table_format_names[];

/* File suffixes of the formats, for outfile_check_suffix. */
#define TABLE_SUFFIXES "txt md html htm csv tex json jsonl"

/* Find a format by name, or NULL. */
const struct table_format *table_format_find(const char *name);

/* Find the format of a file suffix ("a.md", "A.MD"). NULL if path is NULL or
 * has no known suffix. */
const struct table_format *table_format_of_file(const char *path);

/* Write untrusted text into HTML or SVG, as content or attribute value: cleaned
 * like the text of a cell, and escaped. */
void table_html_text(FILE *f, const char *text);

/* Colour mode for a table written to path: on if path is stdout (NULL, "-") and
 * stdout a terminal with colours. */
enum table_colour table_colour_of_file(const char *path);

/* An empty table without columns. */
#define TABLE_INIT ((struct table){ .title = NULL })

/* Free all; t becomes empty. */
void table_release(struct table *t);

/* Set the title above the table (omitted in CSV). */
void table_title(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add a column, before the first row.
 *
 * unit  shown as "head (unit)"; NULL for none */
void table_column(struct table *t, const char *head, const char *unit,
    enum table_align align);

/* Start a row. */
void table_row(struct table *t);

/* Start a group with the next row: a line above it with title (may be NULL).
 * CSV omits it: use a column for essential information. */
void table_group(struct table *t, const char *title);

/* Fill the next cell of the row; NULL is an empty cell. The number of cells
 * must not exceed that of the columns; missing cells are empty. */
void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The last filled cell, to change its emphasis, to link it or to mark it as a
 * number. */
struct table_cell *table_last_cell(struct table *t);

/* Add a note below the table (omitted in CSV). */
void table_note(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Write n tables to f; those without columns are omitted, and those without
 * rows if there are several. A single table without rows still has its head.
 *
 * colour  only used by text: see table_colour_of_file
 *
 * outfile_commit checks f for errors. */
void table_write(const struct table *tables, size_t n,
    const struct table_format *format, enum table_colour colour, FILE *f);

/* --- formats -------------------------------------------------------------- */

/* Escape sequence of a special character of a format. */
struct table_escape {
	char c;
	const char *as;
};

/* Write the frame with its '^' replaced by a text.
 *
 * escapes  characters to replace in text; terminated by c == '\0' */
void table_put(FILE *f, const char *frame, const char *text,
    const struct table_escape *escapes);

struct json_writer;

/* Write a table as an item of an array. */
void table_json_put(struct json_writer *j, const struct table *t);

#endif
