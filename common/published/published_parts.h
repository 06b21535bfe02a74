/* Private to common/published: raw cells with their positions, and the
 * conversion of a grid of cells to a table. */
#ifndef COMMON_PUBLISHED_PUBLISHED_PARTS_H
#define COMMON_PUBLISHED_PUBLISHED_PARTS_H

#include "common/published/published.h"
#include "common/text.h"

/* A regular expression over bytes. */
struct published_pattern {
	const char *text;
	void *code, *match; /* compiled at its first use */
};

/* Search [s, end) for a pattern.
 *
 * end    NULL: s ends with a NUL
 * parts  [n_parts] receives the whole match and its groups; s NULL: not in the
 *        match
 *
 * Returns 1, or 0. */
int published_match(struct published_pattern *p, const char *s, const char *end,
    struct text_span *parts, size_t n_parts);

/* Replace all matches of a pattern in [s, end) by its group "keep" and the name
 * of its mark, "(*:NAME)"; the result may be up to 4 bytes longer. Returns a
 * text in a. */
char *published_replace(struct published_pattern *p, struct arena *a,
    const char *s, const char *end);

/* Pattern of a footnote mark: "*", "†", "²", "[1]", "[^a]", "^1". */
#define PUBLISHED_NOTE \
	"(?:\\^?(?:[*]|†|‡|§|¶|¹|²|³|⁴|⁵|⁶|⁷|⁸|⁹|ᵃ|ᵇ|ᶜ" \
	"|\\[\\^?(?:\\d+|[a-zA-Z])\\]|\\[\\^[a-zA-Z][a-zA-Z0-9]*\\])" \
	"|\\^[a-zA-Z0-9](?![a-zA-Z0-9]))"

/* Start of patterns for LaTeX: the first groups are an option in brackets, or
 * nothing, and a group in braces. */
#define PUBLISHED_LATEX \
	"(?s)(?(DEFINE)(?<option>(?:\\[[^][]*+\\])?+)" \
	"(?<group>\\{(?:\\\\.|[^{}\\\\]++|(?&group))*+(?:\\}|\\z)))"

/* Rows before they are interpreted; the first holds the heads. All is in the
 * arena of the document. */
struct grid {
	struct published_row *rows;
	size_t n;
	size_t n_cells; /* of all rows */
};

/* The text of [s, end) without links, tags, emphasis, entities and escapes; a
 * line break becomes a blank. Allocated in a. */
const char *published_plain(struct arena *a, const char *s, const char *end);

/* As published_plain, for LaTeX: without commands, braces and math. */
const char *published_plain_latex(
    struct arena *a, const char *s, const char *end);

/* Set precision, batch and unit of t from a heading that may state them. */
void published_heading_read(
    struct arena *a, const char *text, struct published_table *t);

/* Mark a row as invalid because of a cell. The first reason is kept. */
void published_row_refuse(struct published_row *row,
    const struct published_cell *cell, enum remark_code problem);

/* Set nodes, GPUs and batches of all rows from the cells that were read. */
void published_counts_read(struct published *p, struct published_table *t);

/* A position in a document, and its line. */
struct text_place {
	const char *s, *line_start;
	long line; /* from 1 */
};

enum { PUBLISHED_MAX_HEADINGS = 7 };

/* A document and the grid of the table that is read. */
struct published_reader {
	struct published *p;
	const char *name;
	const char *at, *end;               /* unread text */
	struct text_place place, row_place; /* of the last cell and row */
	const char *headings[PUBLISHED_MAX_HEADINGS]; /* above, outermost
	                                                 first */
	size_t n_headings;
	struct grid g;
	struct error *e;
};

/* Start a row at s. */
void reader_row(struct published_reader *r, const char *s);

/* Add a cell to the last row, at s, which must not precede the row; NULL if it
 * is not printed.
 *
 * Returns the cell, valid until the next one; NULL with ERROR_LIMIT. */
struct published_cell *reader_add(
    struct published_reader *r, const char *text, const char *s);

/* Add a cell with the plain text of [s, end). Returns 0; -1 with
 * ERROR_LIMIT. */
int reader_plain(struct published_reader *r, const char *s, const char *end);

/* Add a cell, and empty ones for further columns that it spans. Returns as
 * reader_plain.
 *
 * across, down  columns and rows spanned, from 1 */
int reader_span(struct published_reader *r, const char *text, const char *s,
    long across, long down);

/* Convert the grid to a table of the document and empty the grid.
 *
 * Returns 0; -1 with ERROR_LIMIT. */
int reader_finish(struct published_reader *r);

/* Read a whole document of one format. Return as published_read. */
int published_markdown(struct published_reader *r);
int published_csv(struct published_reader *r);
int published_latex(struct published_reader *r);
int published_dlperf(struct published_reader *r);

/* Read one Markdown table whose row of dashes may be missing. */
int published_block(struct published_reader *r);

/* True if a line of the text is a rule of dashes with three columns or more. */
int published_is_ruled(const char *text, const char *end);

/* Add a remark to the table. Its text must live in p->arena. */
void published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text);

#endif
