/* Markdown tables: a row of heads, a row of dashes, rows, and the headings
 * above; and HTML tables in the same document, with cells that span columns and
 * rows. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

enum {
	MAX_LEVEL = PUBLISHED_MAX_HEADINGS, /* 6 and list items */
	MAX_LOOKED = 200000 /* lines searched for plain text tables */
};

/* --- HTML ----------------------------------------------------------------- */

/* Cells that extend into the next rows, by column. */
struct reaching {
	struct grid_cell cell;
	long left;
};

/* The next tag with one of these names, or end. */
static const char *
find_tag(const char *s, const char *end, const char *const *tags)
{
	for (; (s = memchr(s, '<', (size_t)(end - s))) != NULL; s++)
		for (size_t i = 0; tags[i] != NULL; i++) {
			const size_t n = strlen(tags[i]);

			if ((size_t)(end - s) > n &&
			    strncasecmp(s, tags[i], n) == 0 &&
			    !isalnum((unsigned char)s[n]))
				return s;
		}
	return end;
}

/* "colspan=\"2\"" in the tag [s, end): the number, 1 by default. */
static long
attribute_of(const char *s, const char *end, const char *name)
{
	long value = 0;

	while (s < end && !span_starts(s, end, name))
		s++;
	if (s == end)
		return 1;
	for (s += strlen(name); s < end && strchr("= \"'", *s) != NULL; s++)
		;
	for (; s < end && isdigit((unsigned char)*s) && value < 1000; s++)
		value = 10 * value + (*s - '0');
	return value > 0 ? value : 1;
}

/* Add the cells of previous rows that extend into this one. */
static int
add_reaching(struct published_reader *r, struct reaching *below)
{
	for (;;) {
		const size_t i = r->g.rows[r->g.n - 1].n;
		struct grid_cell *cell;

		if (i >= PUBLISHED_MAX_COLUMNS || below[i].left == 0)
			return 0;
		below[i].left--;
		cell = reader_add(r, below[i].cell.text, NULL);
		if (cell == NULL)
			return -1;
		*cell = below[i].cell;
		cell->across = cell->down = 1;
	}
}

/* Read the cell whose tag begins at tag.
 *
 * stop  set to the end of its text */
static int
read_cell(struct published_reader *r, struct reaching *below, const char *tag,
    const char **stop)
{
	static const char *const ends[] = { "<td", "<th", "</td", "</th", "<tr",
		"</tr", "</table", "</thead", "</tbody", NULL };
	const char *text = memchr(tag, '>', (size_t)(r->end - tag));
	const struct grid_row *row;
	long down;
	size_t column;

	*stop = r->end;
	if (text == NULL)
		return 0;
	text++;
	down = attribute_of(tag, text, "rowspan");
	*stop = find_tag(text, r->end, ends);
	if (r->g.n == 0)
		reader_row(r, tag);
	if (add_reaching(r, below) != 0)
		return -1;
	row = &r->g.rows[r->g.n - 1];
	column = row->n;
	if (reader_span(r, published_plain(&r->p->arena, text, *stop), tag,
		attribute_of(tag, text, "colspan"), down) != 0)
		return -1;
	for (; column < row->n; column++)
		below[column] =
		    (struct reaching){ row->cells[column], down - 1 };
	return 0;
}

/* Read the table whose "<table" is at text. A head with a rowspan is merged
 * with the empty cell below it; other cells repeat their text.
 *
 * stop  set to its "</table", or end */
static int
read_html_table(struct published_reader *r, const char *text, const char **stop)
{
	static const char *const tags[] = { "<tr", "<td", "<th", "</table",
		NULL };
	struct reaching below[PUBLISHED_MAX_COLUMNS + 1] = { 0 };
	const char *at = find_tag(text + 1, r->end, tags);

	for (; at < r->end && at[1] != '/'; at = find_tag(at, r->end, tags)) {
		if (tolower((unsigned char)at[2]) == 'r') {
			if (r->g.n > 0 && add_reaching(r, below) != 0)
				return -1;
			reader_row(r, r->g.n > 0 ? at : text);
			at++;
		} else if (read_cell(r, below, at, &at) != 0) {
			return -1;
		}
	}
	*stop = at;
	return reader_finish(r);
}

/* --- Markdown ------------------------------------------------------------- */

static int
has_stroke(struct text_span l)
{
	return memchr(l.s, '|', (size_t)(l.end - l.s)) != NULL;
}

/* "|---|:--:|", "-- | --", "+----+----+", "|----+----|". */
static int
is_dashes(struct text_span l)
{
	int dashes = 0, strokes = 0;

	for (const char *s = l.s; s < l.end; s++) {
		if (strchr(" \t|:-+=", *s) == NULL)
			return 0;
		dashes += *s == '-' || *s == '=';
		strokes += *s == '|' || *s == '+';
	}
	return dashes > 0 && strokes > 0;
}

/* Read the cells of a line, without quote marks and outer '|'. */
static int
read_row(struct published_reader *r, struct text_span line)
{
	struct text_span l = span_trim(line);

	while (l.s < l.end && (*l.s == '>' || *l.s == ' '))
		l.s++;
	l.s += l.s < l.end && *l.s == '|';
	if (l.end > l.s && l.end[-1] == '|' &&
	    (l.end - 1 == l.s || l.end[-2] != '\\'))
		l.end--;
	reader_row(r, line.s);
	for (;; l.s++) {
		struct text_span cell = l;

		while (l.s < l.end && *l.s != '|')
			l.s += *l.s == '\\' && l.s + 1 < l.end ? 2 : 1;
		cell.end = l.s;
		cell = span_trim(cell);
		if (reader_plain(r, cell.s, cell.end) != 0)
			return -1;
		if (l.s >= l.end)
			return 0;
	}
}

/* Read the table whose heads are in the line l.
 *
 * stop  set to the end of its last line */
static int
read_table(struct published_reader *r, struct text_span l, const char **stop)
{
	do {
		/* A box has a rule below each row. */
		if (!is_dashes(l) && read_row(r, l) != 0)
			return -1;
		*stop = l.end;
		l = line_after(l, r->end);
	} while (is_dashes(l) || has_stroke(l));
	return reader_finish(r);
}

int
published_block(struct published_reader *r)
{
	struct text_span l = line_at(r->at, r->end);

	for (int i = 0; l.s < r->end; i++, l = line_after(l, r->end))
		if ((i != 1 || !is_dashes(l)) && read_row(r, l) != 0)
			return -1;
	return reader_finish(r);
}

/* The next "<table" in the line, or NULL. */
static const char *
find_html_table(struct text_span l)
{
	for (; l.s < l.end; l.s++)
		if (span_starts(l.s, l.end, "<table"))
			return l.s;
	return NULL;
}

/* "## Results", also as an item of a list, "- ### FP16". A heading clears those
 * of lower levels.
 *
 * levels  heading of each level, or NULL */
static void
read_heading(
    struct published_reader *r, struct text_span l, const char **levels)
{
	int level = 0, item = 0;

	for (; l.s < l.end && strchr(" \t-", *l.s) != NULL; l.s++)
		item |= *l.s == '-';
	for (; l.s < l.end && *l.s == '#'; l.s++)
		level++;
	if (level == 0 || level > 6 || l.s >= l.end || *l.s != ' ')
		return;
	if (item)
		level = MAX_LEVEL;
	for (int i = level; i < MAX_LEVEL; i++)
		levels[i] = NULL;
	levels[level - 1] = published_plain(&r->p->arena, l.s, l.end);
	r->n_headings = 0;
	for (int i = 0; i < level; i++)
		if (levels[i] != NULL)
			r->headings[r->n_headings++] = levels[i];
}

static int
is_fence(struct text_span l)
{
	l = span_trim(l);
	return span_starts(l.s, l.end, "```") || span_starts(l.s, l.end, "~~~");
}

int
published_markdown(struct published_reader *r)
{
	const char *levels[MAX_LEVEL] = { NULL };
	long looked = 0;
	int rc = 0, fenced = 0; /* in a code block, '#' is no heading */

	while (rc == 0 && r->at < r->end) {
		const struct text_span l = line_at(r->at, r->end);
		const char *table = fenced ? NULL : find_html_table(l);
		const char *stop = l.end;

		if (is_fence(l)) {
			fenced = !fenced;
		} else if (has_stroke(l) && !is_dashes(l) &&
		    is_dashes(line_after(l, r->end))) {
			rc = read_table(r, l, &stop);
		} else if (table != NULL) {
			rc = read_html_table(r, table, &r->at);
			continue;
		} else {
			if (!fenced)
				read_heading(r, l, levels);
			if (l.s < l.end && looked++ < MAX_LOOKED)
				rc = published_text_table(r, l.s, &stop);
		}
		r->at = line_after((struct text_span){ stop, stop }, r->end).s;
	}
	return rc;
}
