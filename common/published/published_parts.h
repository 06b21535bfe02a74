/* Private to common/published: raw cells with their places, and the steps from
 * a grid of them to a table. */
#ifndef COMMON_PUBLISHED_PUBLISHED_PARTS_H
#define COMMON_PUBLISHED_PUBLISHED_PARTS_H

#include "common/published/published.h"

/* Bytes [s, end) of a document. */
struct text_span {
	const char *s, *end;
};

/* The line that begins at s, without what ends it; the one after l, which is
 * empty at the end. */
struct text_span line_at(const char *s, const char *end);
struct text_span line_after(struct text_span l, const char *end);

/* l without blanks and tabs at its ends. */
struct text_span span_trim(struct text_span l);

/* Bytes of the first of the words that s begins with, in any case of letters,
 * or 0.
 *
 * words  ended by NULL */
size_t published_word_at(const char *s, const char *const *words);

/* Room for one more of n items in an array that lives in a. */
void *published_grow(
    struct arena *a, void *items, size_t n, size_t *alloc, size_t size);

/* A cell before its meaning is known. */
struct grid_cell {
	const char *text; /* without markup */
	long line, col;
	long across, down; /* columns and rows that it spans, from 1 */
};

struct grid_row {
	struct grid_cell *cells;
	size_t n, alloc;
	long line;
};

/* The first row holds the heads. */
struct grid {
	struct grid_row *rows;
	size_t n, alloc;
	size_t n_cells; /* of all */
};

/* What a head states. */
struct published_head {
	enum published_role role;
	int known; /* 0: no word of it is known */
	const char *framework, *precision;
	long batch;
	int batch_varies;
	const struct published_unit *unit;
};

/* An empty row at the end, and an empty cell at the end of the last row. */
struct grid_row *grid_add_row(struct grid *g, long line);
int grid_add_cell(struct grid *g, const char *text, long line, long col);

/* The last cell spans so many columns, as empty ones that follow, and rows. */
void grid_set_span(struct grid *g, long across, long down);

/* The cell there; one without text where the row has none. */
const struct grid_cell *grid_at(
    const struct grid *g, size_t row, size_t column);

/* True if all cells of the row are empty. */
int grid_row_is_empty(const struct grid_row *row);

/* What parts the decimals of the grid's numbers: ',' where several cells can
 * only be read so ("390,1", "2.970,3") and none with a point, else '.'.
 *
 * example  set to such a cell's text, or NULL */
char grid_decimal_mark(const struct grid *g, const char **example);

/* Bring a grid into the form of one row of heads above rows of a case each:
 * titles above the heads go, two rows of heads become one, a table whose heads
 * are cases or counts of GPUs is turned.
 *
 * title  set to the title that went, or NULL
 *
 * Returns 0; -1 if it has too many columns or cells when turned. */
int grid_settle(struct arena *a, struct grid *g, const char **title);

/* Free what a grid holds, but for texts. */
void grid_release(struct grid *g);

/* A cell's text without links, tags, emphasis, entities and escapes; a break
 * becomes a blank.  Lives in a. */
const char *published_plain(struct arena *a, const char *s, size_t len);

/* The same of LaTeX: no commands, braces or math. */
const char *published_plain_latex(struct arena *a, const char *s, size_t len);

/* The role of these words of a head alone, in any case, or -1. */
int published_role_find(const char *s, size_t len);

/* What a head means.  Its strings live in a. */
void published_head_read(
    struct arena *a, const char *text, struct published_head *h);

/* Precision, batch and unit that a heading states, into t where it does. */
void published_heading_read(
    struct arena *a, const char *text, struct published_table *t);

/* What a cell states.  Its text is borrowed.
 *
 * point  what parts decimals, '.' or ','
 * unit   that of its head, or NULL */
void published_quantity_read(const char *text, char point,
    const struct published_unit *unit, struct published_cell *cell);

/* A case: "4n8g", "n1g8", "4机32卡", "单机单卡", "4x8", "8 GPUs", with what
 * follows.
 *
 * nodes, gpus  of all nodes; hold nothing if it is none; nodes is
 *              PUBLISHED_UNKNOWN where GPUs alone are stated
 * rest         set to what stands after it, "" for nothing; borrowed
 *
 * Returns 1, or 0 if the text begins with none. */
int published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest);

/* Why a row is of no configuration, and the cell that is to blame; the first
 * reason stays. */
void published_row_refuse(struct published_row *row,
    const struct published_cell *cell, enum remark_code problem);

/* Nodes, GPUs and batches of all rows of a table whose cells are read. */
void published_counts_read(struct published *p, struct published_table *t);

enum { PUBLISHED_MAX_HEADINGS = 7 };

/* A document that is read, and where reading stands. */
struct published_reader {
	struct published *p;
	const char *name;
	const char *at, *end; /* what is left */
	const char *counted;  /* lines up to here are in line */
	const char *line_start;
	long line;
	const char *headings[PUBLISHED_MAX_HEADINGS]; /* above, outermost
	                                                 first */
	size_t n_headings;
	struct grid g; /* of the table that is read */
	struct error *e;
};

/* Count lines up to s, which is not before the last one. */
void reader_move(struct published_reader *r, const char *s);

/* Start a row in the line of s. */
void reader_row(struct published_reader *r, const char *s);

/* Add a cell: at a line and column; where s is; the plain text of [s, end).
 *
 * Returns 0; -1 with ERROR_LIMIT. */
int reader_add(
    struct published_reader *r, const char *text, long line, long col);
int reader_cell(struct published_reader *r, const char *text, const char *s);
int reader_plain(struct published_reader *r, const char *s, const char *end);

/* Make a table of the grid, add it to the document's, and empty the grid.
 *
 * Returns 0; -1 with ERROR_LIMIT. */
int reader_finish(struct published_reader *r);

/* The readers of one form each, of all of a document; as published_read. */
int published_markdown(struct published_reader *r);
int published_csv(struct published_reader *r);
int published_latex(struct published_reader *r);
int published_dlperf(struct published_reader *r);

/* One table of Markdown whose row of dashes may be missing. */
int published_block(struct published_reader *r);

/* Tables of plain text that begin in the line at s.
 *
 * stop  set to the end of the last line that was read
 *
 * Returns as reader_finish. */
int published_text_table(
    struct published_reader *r, const char *s, const char **stop);

/* The table of plain text with a rule of dashes for each column whose first
 * line of heads is at s.
 *
 * stop  set to the end of the last line that was read; NULL if none begins here
 *
 * Returns as reader_finish. */
int published_ruled_table(
    struct published_reader *r, const char *s, const char **stop);

/* True if a line of the text is a rule of dashes for three columns or more. */
int published_is_ruled(const char *text, size_t len);

/* Add a remark to the table's; its texts are in p->arena. */
void published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text);

#endif
