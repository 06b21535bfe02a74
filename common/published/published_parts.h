/* Private to common/published: patterns, and the reader of a document, which
 * collects the rows of one table after the other. */
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

/* A document and the rows of the table that is read, before they are
 * interpreted; the first holds the heads. All is in the arena of p. */
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
	int failed;  /* e is set; what is read from then on is lost */
	int is_bare; /* as for published_read */
};

/* Convert the rows, if any, to a table of the document and start another. */
void published_finish(struct published_reader *r);

/* Add a remark to the table. Its text must live in p->arena. */
void published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text);

#endif
