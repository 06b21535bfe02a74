/* Tables of Markdown: a row of heads, a row of dashes, rows, and the headings
 * above them. */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

enum {
	MAX_LEVEL = PUBLISHED_MAX_HEADINGS, /* 6, and that of a list's item */
	MAX_LOOKED = 200000 /* lines that are looked at for tables of text */
};

/* r->at is the line after this one. */
struct markdown {
	struct published_reader *r;
	const char *line;
	size_t len;
	long looked; /* lines that were looked at for tables of text */
	int fenced;  /* within a block of code, where '#' is no heading */
	const char *levels[MAX_LEVEL]; /* the heading of each, or NULL */
};

/* The length of the line at s, without what ends it. */
static size_t
line_len(const struct published_reader *r, const char *s)
{
	const char *nl = memchr(s, '\n', (size_t)(r->end - s));
	const size_t len = (size_t)((nl != NULL ? nl : r->end) - s);

	return len > 0 && s[len - 1] == '\r' ? len - 1 : len;
}

static int
next_line(struct markdown *m)
{
	struct published_reader *r = m->r;
	const char *nl;

	if (r->at >= r->end)
		return 0;
	nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
	m->line = r->at;
	m->len = line_len(r, r->at);
	r->at = nl != NULL ? nl + 1 : r->end;
	return 1;
}

/* "|---|:--:|", "-- | --", "+----+----+", "|----+----|". */
static int
is_dashes(const char *s, size_t len)
{
	int dashes = 0, strokes = 0;

	for (size_t i = 0; i < len; i++) {
		if (strchr(" \t|:-+=", s[i]) == NULL)
			return 0;
		dashes += s[i] == '-' || s[i] == '=';
		strokes += s[i] == '|' || s[i] == '+';
	}
	return dashes > 0 && strokes > 0;
}

/* [s, end) without spaces at its ends. */
static void
trim_blanks(const char **s, const char **end)
{
	while (*s < *end && (**s == ' ' || **s == '\t'))
		++*s;
	while (*end > *s && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
		--*end;
}

/* What of a line holds cells: without the quote's marks and the strokes at its
 * ends. */
static void
row_of_line(const struct markdown *m, const char **s, const char **end)
{
	*s = m->line;
	*end = m->line + m->len;
	trim_blanks(s, end);
	while (*s < *end && (**s == '>' || **s == ' '))
		++*s;
	if (*s < *end && **s == '|')
		++*s;
	if (*end > *s && (*end)[-1] == '|' &&
	    (*end - 1 == *s || (*end)[-2] != '\\'))
		--*end;
}

/* The cells of a line.  Returns -1 if there are too many. */
static int
read_row(struct markdown *m)
{
	const char *s, *end;

	row_of_line(m, &s, &end);
	reader_row(m->r, m->line);
	for (;;) {
		const char *p = s, *first = s, *last;

		while (p < end && *p != '|')
			p += *p == '\\' && p + 1 < end ? 2 : 1;
		last = p;
		trim_blanks(&first, &last);
		if (reader_plain(m->r, first, last) != 0)
			return -1;
		if (p >= end)
			return 0;
		s = p + 1;
	}
}

/* The next line holds dashes: m stands on a row of heads. */
static int
heads_a_table(const struct markdown *m)
{
	return m->len > 0 && memchr(m->line, '|', m->len) != NULL &&
	    m->r->at < m->r->end && !is_dashes(m->line, m->len) &&
	    is_dashes(m->r->at, line_len(m->r, m->r->at));
}

/* The "<table" in the line from s on, or NULL. */
static const char *
html_table_in(const struct markdown *m, const char *s)
{
	const char *end = m->line + m->len;

	while (s < end && (s = memchr(s, '<', (size_t)(end - s))) != NULL) {
		if (end - s >= 6 && strncasecmp(s, "<table", 6) == 0)
			return s;
		s++;
	}
	return NULL;
}

/* Go on to the line in which stop is. */
static void
skip_to(struct markdown *m, const char *stop)
{
	while (m->r->at < m->r->end && m->r->at <= stop && next_line(m))
		;
}

/* The tables of HTML that begin in the line; m stands at the line where the
 * last one ends. */
static int
read_html(struct markdown *m)
{
	const char *from = m->line;

	reader_move(m->r, m->line);
	while ((from = html_table_in(m, from)) != NULL) {
		if (published_html(m->r, from, &from) != 0)
			return -1;
		skip_to(m, from);
	}
	return 0;
}

/* A line that is none of Markdown's tables may begin one of plain text. */
static int
read_text(struct markdown *m)
{
	const char *stop;

	if (m->len == 0 || m->looked++ >= MAX_LOOKED)
		return 0;
	if (published_ruled_table(m->r, m->line, &stop) != 0)
		return -1;
	if (stop == NULL && published_text_table(m->r, m->line, &stop) != 0)
		return -1;
	skip_to(m, stop);
	return 0;
}

static int
read_table(struct markdown *m)
{
	int rc = read_row(m);

	next_line(m);
	while (rc == 0 && m->r->at < m->r->end && *m->r->at != '\n') {
		const size_t len = line_len(m->r, m->r->at);

		/* A box has a rule below each row. */
		if (is_dashes(m->r->at, len)) {
			next_line(m);
			continue;
		}
		if (memchr(m->r->at, '|', len) == NULL)
			break;
		next_line(m);
		rc = read_row(m);
	}
	return rc != 0 ? -1 : reader_finish(m->r);
}

/* "## Results", also as an item of a list, "- ### FP16".  A heading ends those
 * below it. */
static void
read_heading(struct markdown *m)
{
	const char *s = m->line, *end = m->line + m->len;
	int level = 0, item = 0;

	while (s < end && strchr(" \t-", *s) != NULL)
		item |= *s++ == '-';
	while (s < end && *s == '#') {
		s++;
		level++;
	}
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
is_fence(const struct markdown *m)
{
	const char *s = m->line;
	size_t len = m->len;

	while (len > 0 && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	return len >= 3 &&
	    (memcmp(s, "```", 3) == 0 || memcmp(s, "~~~", 3) == 0);
}

int
published_markdown(struct published_reader *r)
{
	struct markdown m = { .r = r };
	int rc = 0;

	while (rc == 0 && next_line(&m)) {
		if (is_fence(&m)) {
			m.fenced = !m.fenced;
		} else if (heads_a_table(&m)) {
			rc = read_table(&m);
		} else if (!m.fenced && html_table_in(&m, m.line) != NULL) {
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
		if ((i != 1 || !is_dashes(m.line, m.len)) && read_row(&m) != 0)
			return -1;
	return reader_finish(r);
}
