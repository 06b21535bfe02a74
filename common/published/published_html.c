/* Tables of HTML in Markdown documents: rows of cells that may span columns and
 * rows. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

struct html {
	struct published *p;
	const char *at, *end;
	const char *counted, *line_start; /* lines up to here are in line */
	long line;
	struct grid g;
	/* Cells that reach down into the rows to come, by column. */
	struct grid_cell below[PUBLISHED_MAX_COLUMNS];
	long left[PUBLISHED_MAX_COLUMNS];
};

/* True if a tag of that name, such as "<td" or "</td", is at s. */
static int
is_tag_at(const char *s, const char *end, const char *tag)
{
	const size_t n = strlen(tag);

	return (size_t)(end - s) > n && strncasecmp(s, tag, n) == 0 &&
	    !isalnum((unsigned char)s[n]);
}

/* Where the next tag of one of those names begins, or end. */
static const char *
find_tag(const char *s, const char *end, const char *const *tags)
{
	for (; s < end; s++) {
		s = memchr(s, '<', (size_t)(end - s));
		if (s == NULL)
			return end;
		for (size_t i = 0; tags[i] != NULL; i++)
			if (is_tag_at(s, end, tags[i]))
				return s;
	}
	return end;
}

/* "colspan=\"2\"" in the tag [s, end): its number, else 1. */
static long
attribute_of(const char *s, const char *end, const char *name)
{
	const size_t n = strlen(name);
	long value = 0;

	for (; (size_t)(end - s) > n; s++) {
		if (strncasecmp(s, name, n) != 0)
			continue;
		s += n;
		while (s < end && strchr("= \"'", *s) != NULL && *s != '\0')
			s++;
		while (s < end && isdigit((unsigned char)*s) && value < 1000)
			value = 10 * value + (*s++ - '0');
		break;
	}
	return value > 0 ? value : 1;
}

/* Cells of rows above that reach into this one. */
static int
add_reaching(struct html *h)
{
	for (;;) {
		const size_t i = h->g.rows[h->g.n - 1].n;
		const struct grid_cell *c;

		if (i >= PUBLISHED_MAX_COLUMNS || h->left[i] == 0)
			return 0;
		h->left[i]--;
		c = &h->below[i];
		if (grid_add_cell(&h->g, c->text, c->line, c->col) != 0)
			return -1;
	}
}

/* The cell whose tag begins at h->at; stands after its text then. */
static int
read_cell(struct html *h)
{
	static const char *const ends[] = { "<td", "<th", "</td", "</th", "<tr",
		"</tr", "</table", "</thead", "</tbody", NULL };
	const char *tag = h->at;
	const char *text = memchr(tag, '>', (size_t)(h->end - tag));
	const char *stop;
	long across, down;

	if (text == NULL) {
		h->at = h->end;
		return 0;
	}
	text++;
	across = attribute_of(tag, text, "colspan");
	down = attribute_of(tag, text, "rowspan");
	stop = find_tag(text, h->end, ends);
	for (; h->counted < tag; h->counted++)
		if (*h->counted == '\n') {
			h->line++;
			h->line_start = h->counted + 1;
		}
	if (h->g.n == 0)
		grid_add_row(&h->g, h->line);
	if (add_reaching(h) != 0)
		return -1;
	for (long i = 0; i < across; i++) {
		const size_t column = h->g.rows[h->g.n - 1].n;

		if (grid_add_cell(&h->g,
			i > 0 ? ""
			      : published_plain(
				    &h->p->arena, text, (size_t)(stop - text)),
			h->line, (long)(tag - h->line_start) + 1) != 0)
			return -1;
		h->left[column] = down - 1;
		h->below[column] = h->g.rows[h->g.n - 1].cells[column];
		if (i == 0)
			grid_set_span(&h->g, across, down);
	}
	h->at = stop;
	return 0;
}

/* Rows up to the end of the table.  A head that reaches down is merged with
 * the empty cell below it; any other repeats its text. */
static int
read_rows(struct html *h)
{
	static const char *const tags[] = { "<tr", "<td", "<th", "</table",
		NULL };

	for (;;) {
		h->at = find_tag(h->at, h->end, tags);
		if (h->at >= h->end || h->at[1] == '/')
			return 0;
		if (is_tag_at(h->at, h->end, "<tr")) {
			if (h->g.n > 0 && add_reaching(h) != 0)
				return -1;
			grid_add_row(&h->g, h->line);
			h->at++;
		} else if (read_cell(h) != 0) {
			return -1;
		}
	}
}

int
published_html(struct published *p, const char *name, const char *line_start,
    const char *text, const char *end, long line, const char *const *headings,
    size_t n, const char **stop, struct error *e)
{
	struct html h = { .p = p,
		.at = text + 1,
		.end = end,
		.counted = line_start,
		.line_start = line_start,
		.line = line };
	int rc = read_rows(&h);

	if (rc == 0)
		rc = published_add(p, name, &h.g, headings, n, e);
	else
		error_at(e, ERROR_LIMIT, name, h.line, 0,
		    "a table of too many columns or cells");
	grid_release(&h.g);
	*stop = h.at;
	return rc;
}
