/* Tables of HTML in Markdown documents: rows of cells that may span columns and
 * rows. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

/* Cells that reach down into the rows to come, by column. */
struct reaching {
	struct grid_cell cell;
	long left;
};

/* Where the next tag of one of those names begins, or end. */
static const char *
find_tag(const char *s, const char *end, const char *const *tags)
{
	for (; s < end; s++) {
		s = memchr(s, '<', (size_t)(end - s));
		if (s == NULL)
			return end;
		for (size_t i = 0; tags[i] != NULL; i++) {
			const size_t n = strlen(tags[i]);

			if ((size_t)(end - s) > n &&
			    strncasecmp(s, tags[i], n) == 0 &&
			    !isalnum((unsigned char)s[n]))
				return s;
		}
	}
	return end;
}

/* "colspan=\"2\"" in the tag [s, end): its number, else 1. */
static long
attribute_of(const char *s, const char *end, const char *name)
{
	const size_t n = strlen(name);
	long value = 0;

	while ((size_t)(end - s) > n && strncasecmp(s, name, n) != 0)
		s++;
	if ((size_t)(end - s) <= n)
		return 1;
	for (s += n; s < end && strchr("= \"'", *s) != NULL; s++)
		;
	for (; s < end && isdigit((unsigned char)*s) && value < 1000; s++)
		value = 10 * value + (*s - '0');
	return value > 0 ? value : 1;
}

/* Add cells of rows above that reach into this one. */
static int
add_reaching(struct published_reader *r, struct reaching *below)
{
	const struct grid *g = &r->g;

	for (;;) {
		const size_t i = g->rows[g->n - 1].n;
		const struct grid_cell *c = &below[i].cell;

		if (i >= PUBLISHED_MAX_COLUMNS || below[i].left == 0)
			return 0;
		below[i].left--;
		if (reader_add(r, c->text, c->line, c->col) != 0)
			return -1;
	}
}

/* The cell whose tag begins at tag.
 *
 * stop  set to the end of its text */
static int
read_cell(struct published_reader *r, struct reaching *below, const char *tag,
    const char **stop)
{
	static const char *const ends[] = { "<td", "<th", "</td", "</th", "<tr",
		"</tr", "</table", "</thead", "</tbody", NULL };
	struct grid *g = &r->g;
	const char *text = memchr(tag, '>', (size_t)(r->end - tag));
	long across, down;

	*stop = r->end;
	if (text == NULL)
		return 0;
	text++;
	across = attribute_of(tag, text, "colspan");
	down = attribute_of(tag, text, "rowspan");
	*stop = find_tag(text, r->end, ends);
	if (g->n == 0)
		reader_row(r, tag);
	if (add_reaching(r, below) != 0)
		return -1;
	for (long i = 0; i < across; i++) {
		const struct grid_row *row = &g->rows[g->n - 1];
		const size_t column = row->n;

		if (reader_cell(r,
			i > 0 ? ""
			      : published_plain(
				    &r->p->arena, text, (size_t)(*stop - text)),
			tag) != 0)
			return -1;
		below[column] =
		    (struct reaching){ row->cells[column], down - 1 };
		if (i == 0)
			grid_set_span(g, across, down);
	}
	return 0;
}

/* A head that reaches down is merged with the empty cell below it; any other
 * repeats its text. */
int
published_html(struct published_reader *r, const char *text, const char **stop)
{
	static const char *const tags[] = { "<tr", "<td", "<th", "</table",
		NULL };
	struct reaching below[PUBLISHED_MAX_COLUMNS + 1] = { 0 };
	const char *at = find_tag(text + 1, r->end, tags);

	for (; at < r->end && at[1] != '/'; at = find_tag(at, r->end, tags)) {
		if (tolower((unsigned char)at[2]) == 'r') {
			if (r->g.n > 0 && add_reaching(r, below) != 0)
				return -1;
			grid_add_row(&r->g, r->line);
			at++;
		} else if (read_cell(r, below, at, &at) != 0) {
			return -1;
		}
	}
	*stop = at;
	return reader_finish(r);
}
