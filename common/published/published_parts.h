/* Private to common/published: replacement by patterns, and the state of a
 * document reader, which collects the rows of one table at a time. */
#ifndef COMMON_PUBLISHED_PUBLISHED_PARTS_H
#define COMMON_PUBLISHED_PUBLISHED_PARTS_H

#include "common/published/published.h"
#include "common/text.h"

/* Replace all matches of a pattern in [s, end) by its group "keep" and the name
 * of its mark, "(*:NAME)"; the result may be up to 4 bytes longer. Returns a
 * text in a. */
char *published_replace(
    const char *pattern, struct arena *a, const char *s, const char *end);

/* Set precision, batch and unit of t from a heading that may state them. */
void published_heading_read(
    struct arena *a, const char *text, struct published_table *t);

/* A document and the rows of the current table, not yet interpreted; the first
 * row holds the heads. All memory is in p->arena. */
struct published_reader {
	struct published *p;
	const char *name;
	const char *at, *end; /* unread text */
	const char *place;    /* of the last row or cell */
	const char *line_start;
	long line; /* of place, from 1 */
	/* Headings above, outermost first, or NULL. */
	const char *headings[PUBLISHED_MAX_HEADINGS];
	struct published_row *rows;
	size_t n_rows, n_cells;
	struct error *e;
	int failed;  /* 1: e is set, and later input is ignored */
	int is_bare; /* as for published_read */
};

/* Convert the rows, if any, to a table of the document and start another. */
void published_finish(struct published_reader *r);

/* Add a remark to the table. Its text must live in p->arena. */
void published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text);

#endif
