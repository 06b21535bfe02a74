/* Private to common/published: patterns, and the reader of a document, which
 * collects the rows of one table after the other. */
#ifndef COMMON_PUBLISHED_PUBLISHED_PARTS_H
#define COMMON_PUBLISHED_PUBLISHED_PARTS_H

#include "common/published/published.h"
#include "common/text.h"

/* Search [s, end) for a regular expression over bytes.
 *
 * pattern  a literal: it is compiled once for each address
 * end      NULL: s ends with a NUL
 * parts    [n_parts] receives the whole match and its groups; s NULL: not in
 *          the match
 *
 * Returns 1, or 0. */
int published_match(const char *pattern, const char *s, const char *end,
    struct text_span *parts, size_t n_parts);

/* Replace all matches of a pattern in [s, end) by its group "keep" and the name
 * of its mark, "(*:NAME)"; the result may be up to 4 bytes longer. Returns a
 * text in a. */
char *published_replace(
    const char *pattern, struct arena *a, const char *s, const char *end);

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

/* The text of [s, end) without links, tags, emphasis, entities and escapes; a
 * line break becomes a blank. Allocated in a. */
const char *published_plain(struct arena *a, const char *s, const char *end);

/* As published_plain, for LaTeX: without commands, braces and math. */
const char *published_plain_latex(
    struct arena *a, const char *s, const char *end);

/* Set precision, batch and unit of t from a heading that may state them. */
void published_heading_read(
    struct arena *a, const char *text, struct published_table *t);

enum { PUBLISHED_MAX_HEADINGS = 7 };

/* A document and the rows of the table that is read, before they are
 * interpreted; the first holds the heads. All is in the arena of p. */
struct published_reader {
	struct published *p;
	const char *name;
	const char *at, *end; /* unread text */
	struct text_place {
		const char *s, *line_start;
		long line;  /* from 1 */
	} place, row_place; /* of the last cell and row */
	const char *headings[PUBLISHED_MAX_HEADINGS]; /* above, outermost
	                                                 first */
	size_t n_headings;
	struct published_row *rows;
	size_t n_rows, n_cells;
	struct published_cell spare; /* for a cell that is one too many */
	struct error *e;
	int failed; /* e is set; what is read from then on is lost */
};

/* Start a row at s. */
void reader_row(struct published_reader *r, const char *s);

/* Add a cell to the last row, at s, which must not precede the row; NULL if it
 * is not printed. Empty cells are added for further columns that it spans.
 *
 * across  columns spanned, from 1
 *
 * Returns the cell, valid until the next one. */
struct published_cell *reader_cell(
    struct published_reader *r, const char *text, const char *s, long across);

/* Convert the rows to a table of the document and start another. */
void reader_finish(struct published_reader *r);

/* Read a whole document of one format. */
void published_markdown(struct published_reader *r);
void published_csv(struct published_reader *r);
void published_latex(struct published_reader *r);
void published_dlperf(struct published_reader *r);

/* Read one Markdown table whose row of dashes may be missing. */
void published_block(struct published_reader *r);

/* True if a line of the text is a rule of dashes with three columns or more. */
int published_is_ruled(const char *text, const char *end);

/* Add a remark to the table. Its text must live in p->arena. */
void published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text);

#endif
