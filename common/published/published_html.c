/* Tables of HTML in Markdown documents: rows of cells that may span columns and
 * rows. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

struct html {
	struct published_reader *r;
	const char *at;
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
	struct grid *g = &h->r->g;

	for (;;) {
		const size_t i = g->rows[g->n - 1].n;
		const struct grid_cell *c;

		if (i >= PUBLISHED_MAX_COLUMNS || h->left[i] == 0)
			return 0;
		h->left[i]--;
		c = &h->below[i];
		if (reader_add(h->r, c->text, c->line, c->col) != 0)
			return -1;
	}
}

/* The cell whose tag begins at h->at; stands after its text then. */
static int
read_cell(struct html *h)
{
	static const char *const ends[] = { "<td", "<th", "</td", "</th", "<tr",
		"</tr", "</table", "</thead", "</tbody", NULL };
	struct published_reader *r = h->r;
	struct grid *g = &r->g;
	const char *tag = h->at;
	const char *text = memchr(tag, '>', (size_t)(r->end - tag));
	const char *stop;
	long across, down;

	if (text == NULL) {
		h->at = r->end;
		return 0;
	}
	text++;
	across = attribute_of(tag, text, "colspan");
	down = attribute_of(tag, text, "rowspan");
	stop = find_tag(text, r->end, ends);
	if (g->n == 0)
		reader_row(r, tag);
	if (add_reaching(h) != 0)
		return -1;
	for (long i = 0; i < across; i++) {
		const size_t column = g->rows[g->n - 1].n;

		if (reader_cell(r,
			i > 0 ? ""
			      : published_plain(
				    &r->p->arena, text, (size_t)(stop - text)),
			tag) != 0)
			return -1;
		h->left[column] = down - 1;
		h->below[column] = g->rows[g->n - 1].cells[column];
		if (i == 0)
			grid_set_span(g, across, down);
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
		h->at = find_tag(h->at, h->r->end, tags);
		if (h->at >= h->r->end || h->at[1] == '/')
			return 0;
		if (is_tag_at(h->at, h->r->end, "<tr")) {
			if (h->r->g.n > 0 && add_reaching(h) != 0)
				return -1;
			grid_add_row(&h->r->g, h->r->line);
			h->at++;
		} else if (read_cell(h) != 0) {
			return -1;
		}
	}
}

int
published_html(struct published_reader *r, const char *text, const char **stop)
{
	struct html h = { .r = r, .at = text + 1 };

	if (read_rows(&h) != 0 || reader_finish(r) != 0)
		return -1;
	*stop = h.at;
	return 0;
}
