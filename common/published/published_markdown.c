/* Tables of Markdown: a row of heads, a row of dashes, rows, and the headings
 * above them. */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

enum {
	MAX_LEVEL = 7,      /* of headings: 6, and that of a list's item */
	MAX_LOOKED = 200000 /* lines that are looked at for tables of text */
};

struct markdown {
	struct published *p;
	const char *name;
	const char *at, *end; /* what is left */
	const char *line;
	size_t len;
	long number;
	long looked; /* lines that were looked at for tables of text */
	int fenced;  /* within a block of code, where '#' is no heading */
	const char *headings[MAX_LEVEL];
};

static int
next_line(struct markdown *m)
{
	const char *nl;

	if (m->at >= m->end)
		return 0;
	nl = memchr(m->at, '\n', (size_t)(m->end - m->at));
	m->line = m->at;
	m->len = (size_t)((nl != NULL ? nl : m->end) - m->at);
	m->at = nl != NULL ? nl + 1 : m->end;
	m->number++;
	if (m->len > 0 && m->line[m->len - 1] == '\r')
		m->len--;
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
read_row(struct markdown *m, struct grid *g)
{
	const char *s, *end;

	row_of_line(m, &s, &end);
	grid_add_row(g, m->number);
	for (;;) {
		const char *p = s, *first = s, *last;

		while (p < end && *p != '|')
			p += *p == '\\' && p + 1 < end ? 2 : 1;
		last = p;
		trim_blanks(&first, &last);
		if (grid_add_cell(g,
			published_plain(
			    &m->p->arena, first, (size_t)(last - first)),
			m->number, (long)(first - m->line) + 1) != 0)
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
	const char *nl;
	size_t len;

	if (m->len == 0 || memchr(m->line, '|', m->len) == NULL ||
	    m->at >= m->end || is_dashes(m->line, m->len))
		return 0;
	nl = memchr(m->at, '\n', (size_t)(m->end - m->at));
	len = (size_t)((nl != NULL ? nl : m->end) - m->at);
	if (len > 0 && m->at[len - 1] == '\r')
		len--;
	return is_dashes(m->at, len);
}

/* The headings above, outermost first.  Returns how many. */
static size_t
headings_of(const struct markdown *m, const char *headings[MAX_LEVEL])
{
	size_t n = 0;

	for (int i = 0; i < MAX_LEVEL; i++)
		if (m->headings[i] != NULL)
			headings[n++] = m->headings[i];
	return n;
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

/* The tables of HTML that begin in the line; m stands at the line where the
 * last one ends. */
static int
read_html(struct markdown *m, struct error *e)
{
	const char *headings[MAX_LEVEL], *from = m->line;
	const size_t n = headings_of(m, headings);

	while ((from = html_table_in(m, from)) != NULL) {
		const char *stop;

		if (published_html(m->p, m->name, m->line, from, m->end,
			m->number, headings, n, &stop, e) != 0)
			return -1;
		while (m->at < m->end && m->at <= stop && next_line(m))
			;
		from = stop;
	}
	return 0;
}

/* A line that is none of Markdown's tables may begin one of plain text. */
static int
read_text(struct markdown *m, struct error *e)
{
	const char *headings[MAX_LEVEL], *stop;
	const size_t n = headings_of(m, headings);

	if (m->len == 0 || m->looked++ >= MAX_LOOKED)
		return 0;
	if (published_ruled_table(m->p, m->name, m->line, m->end, m->number,
		headings, n, &stop, e) != 0)
		return -1;
	if (stop == NULL &&
	    published_text_table(m->p, m->name, m->line, m->end, m->number,
		headings, n, &stop, e) != 0)
		return -1;
	while (m->at < m->end && m->at <= stop && next_line(m))
		;
	return 0;
}

static int
read_table(struct markdown *m, struct error *e)
{
	const char *headings[MAX_LEVEL];
	struct grid g = { 0 };
	size_t n;
	int rc = read_row(m, &g);

	next_line(m);
	while (rc == 0 && m->at < m->end && *m->at != '\n') {
		const struct markdown before = *m;

		next_line(m);
		/* A box has a rule below each row. */
		if (is_dashes(m->line, m->len))
			continue;
		if (m->len == 0 || memchr(m->line, '|', m->len) == NULL) {
			*m = before;
			break;
		}
		rc = read_row(m, &g);
	}
	n = headings_of(m, headings);
	if (rc == 0)
		rc = published_add(m->p, m->name, &g, headings, n, e);
	else
		error_at(e, ERROR_LIMIT, m->name, m->number, 0,
		    "a table of too many columns or cells");
	grid_release(&g);
	return rc;
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
		m->headings[i] = NULL;
	m->headings[level - 1] =
	    published_plain(&m->p->arena, s, (size_t)(end - s));
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
published_markdown(struct published *p, const char *name, const char *text,
    size_t len, struct error *e)
{
	struct markdown m = {
		.p = p, .name = name, .at = text, .end = text + len
	};

	while (next_line(&m)) {
		if (is_fence(&m))
			m.fenced = !m.fenced;
		else if (heads_a_table(&m)) {
			if (read_table(&m, e) != 0)
				return -1;
		} else if (!m.fenced && html_table_in(&m, m.line) != NULL) {
			if (read_html(&m, e) != 0)
				return -1;
		} else {
			if (!m.fenced)
				read_heading(&m);
			if (read_text(&m, e) != 0)
				return -1;
		}
	}
	return 0;
}

int
published_read_block(const char *name, const char *text, size_t len, long line,
    struct published *p, struct error *e)
{
	struct markdown m = { .p = p,
		.name = name,
		.at = text,
		.end = text + len,
		.number = line - 1 };
	struct grid g = { 0 };
	int rc = 0;

	*p = (struct published){ .arena = ARENA_INIT, .keeps_empty = 1 };
	for (int i = 0; rc == 0 && next_line(&m); i++)
		if (i != 1 || !is_dashes(m.line, m.len))
			rc = read_row(&m, &g);
	if (rc != 0)
		error_at(e, ERROR_LIMIT, name, m.number, 0,
		    "a table of too many columns or cells");
	else
		rc = published_add(p, name, &g, NULL, 0, e);
	grid_release(&g);
	if (rc != 0)
		published_release(p);
	return rc;
}
