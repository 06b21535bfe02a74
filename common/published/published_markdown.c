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

/* "colspan=\"2\"" in the tag [s, end): the number, 1 by default. */
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

/* Add the cells of previous rows that extend into this one. */
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

/* Read the cell whose tag begins at tag.
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
	size_t column;

	*stop = r->end;
	if (text == NULL)
		return 0;
	text++;
	across = attribute_of(tag, text, "colspan");
	down = attribute_of(tag, text, "rowspan");
	*stop = find_tag(text, r->end, ends);
	if (g->n == 0)
		reader_row_at(r, tag);
	if (add_reaching(r, below) != 0)
		return -1;
	column = g->rows[g->n - 1].n;
	if (reader_span(r,
		published_plain(&r->p->arena, text, (size_t)(*stop - text)),
		tag, across, down) != 0)
		return -1;
	for (; column < g->rows[g->n - 1].n; column++)
		below[column] =
		    (struct reaching){ g->rows[g->n - 1].cells[column],
			    down - 1 };
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
			reader_row(r, r->line);
			at++;
		} else if (read_cell(r, below, at, &at) != 0) {
			return -1;
		}
	}
	*stop = at;
	return reader_finish(r);
}

/* --- Markdown ------------------------------------------------------------- */

/* State of reading; r->at is the next line. */
struct markdown {
	struct published_reader *r;
	struct text_span line;
	long looked; /* lines searched for plain text tables */
	int fenced;  /* 1: in a code block, where '#' is not a heading */
	const char *levels[MAX_LEVEL]; /* heading of each level, or NULL */
};

static int
next_line(struct markdown *m)
{
	struct published_reader *r = m->r;
	const char *nl;

	if (r->at >= r->end)
		return 0;
	m->line = line_at(r->at, r->end);
	nl = memchr(m->line.end, '\n', (size_t)(r->end - m->line.end));
	r->at = nl != NULL ? nl + 1 : r->end;
	return 1;
}

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

/* Read the cells of a line, without quote marks and outer '|'. Returns -1 if
 * there are too many. */
static int
read_row(struct markdown *m)
{
	struct text_span l = span_trim(m->line);

	while (l.s < l.end && (*l.s == '>' || *l.s == ' '))
		l.s++;
	l.s += l.s < l.end && *l.s == '|';
	if (l.end > l.s && l.end[-1] == '|' &&
	    (l.end - 1 == l.s || l.end[-2] != '\\'))
		l.end--;
	reader_row_at(m->r, m->line.s);
	for (;;) {
		const char *p = l.s;
		struct text_span cell;

		while (p < l.end && *p != '|')
			p += *p == '\\' && p + 1 < l.end ? 2 : 1;
		cell = span_trim((struct text_span){ l.s, p });
		if (reader_plain(m->r, cell.s, cell.end) != 0)
			return -1;
		if (p >= l.end)
			return 0;
		l.s = p + 1;
	}
}

/* The next "<table" in the line at or after s, or NULL. */
static const char *
html_table_in(const struct markdown *m, const char *s)
{
	for (; s + 6 <= m->line.end; s++)
		if (*s == '<' && strncasecmp(s, "<table", 6) == 0)
			return s;
	return NULL;
}

/* Skip to the line that contains stop. */
static void
skip_to(struct markdown *m, const char *stop)
{
	while (m->r->at < m->r->end && m->r->at <= stop && next_line(m))
		;
}

/* Read the HTML tables that begin in the line, and move m to the last line of
 * the last one. */
static int
read_html(struct markdown *m)
{
	const char *from = m->line.s;

	reader_move(m->r, m->line.s);
	while ((from = html_table_in(m, from)) != NULL) {
		if (read_html_table(m->r, from, &from) != 0)
			return -1;
		skip_to(m, from);
	}
	return 0;
}

/* Read a plain text table that begins at a line outside of Markdown tables. */
static int
read_text(struct markdown *m)
{
	const char *stop;

	if (m->line.s == m->line.end || m->looked++ >= MAX_LOOKED)
		return 0;
	if (published_ruled_table(m->r, m->line.s, &stop) != 0)
		return -1;
	if (stop == NULL && published_text_table(m->r, m->line.s, &stop) != 0)
		return -1;
	skip_to(m, stop);
	return 0;
}

static int
read_table(struct markdown *m)
{
	const char *end = m->r->end;
	int rc = read_row(m);

	next_line(m);
	while (rc == 0 && m->r->at < end && *m->r->at != '\n') {
		const struct text_span next = line_at(m->r->at, end);
		/* A box has a rule below each row. */
		const int is_rule = is_dashes(next);

		if (!is_rule && !has_stroke(next))
			break;
		next_line(m);
		rc = is_rule ? 0 : read_row(m);
	}
	return rc != 0 ? -1 : reader_finish(m->r);
}

/* "## Results", also as an item of a list, "- ### FP16". A heading clears those
 * of lower levels. */
static void
read_heading(struct markdown *m)
{
	const char *s = m->line.s, *end = m->line.end;
	int level = 0, item = 0;

	for (; s < end && strchr(" \t-", *s) != NULL; s++)
		item |= *s == '-';
	for (; s < end && *s == '#'; s++)
		level++;
	if (level == 0 || level > 6 || s >= end || *s != ' ')
		return;
	if (item)
		level = MAX_LEVEL;
	for (int i = level - 1; i < MAX_LEVEL; i++)
		m->levels[i] = NULL;
	m->levels[level - 1] =
	    published_plain(&m->r->p->arena, s, (size_t)(end - s));
	m->r->n_headings = 0;
	for (int i = 0; i < MAX_LEVEL; i++)
		if (m->levels[i] != NULL)
			m->r->headings[m->r->n_headings++] = m->levels[i];
}

static int
is_fence(struct text_span l)
{
	l = span_trim(l);
	return l.end - l.s >= 3 &&
	    (memcmp(l.s, "```", 3) == 0 || memcmp(l.s, "~~~", 3) == 0);
}

int
published_markdown(struct published_reader *r)
{
	struct markdown m = { .r = r };
	int rc = 0;

	while (rc == 0 && next_line(&m)) {
		if (is_fence(m.line)) {
			m.fenced = !m.fenced;
		} else if (has_stroke(m.line) && !is_dashes(m.line) &&
		    is_dashes(line_at(r->at, r->end))) {
			rc = read_table(&m);
		} else if (!m.fenced && html_table_in(&m, m.line.s) != NULL) {
			rc = read_html(&m);
		} else {
			if (!m.fenced)
				read_heading(&m);
			rc = read_text(&m);
		}
	}
	return rc;
}

int
published_block(struct published_reader *r)
{
	struct markdown m = { .r = r };

	for (int i = 0; next_line(&m); i++)
		if ((i != 1 || !is_dashes(m.line)) && read_row(&m) != 0)
			return -1;
	return reader_finish(r);
}
