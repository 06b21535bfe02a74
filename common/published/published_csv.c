/* A table of comma-separated values, or with tabs or semicolons, quoted as in
 * RFC 4180.  The whole text is one table; a blank line ends it and another may
 * follow. */
#include <config.h>

#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"

struct csv {
	struct published *p;
	const char *at, *end;
	const char *line_start;
	long line;
	char separator;
};

/* The character that the first line has most of. */
static char
find_separator(const char *s, const char *end)
{
	size_t n[3] = { 0 };
	static const char separators[] = ",\t;";

	for (; s < end && *s != '\n'; s++)
		for (int i = 0; i < 3; i++)
			n[i] += *s == separators[i];
	if (n[1] > n[0] && n[1] >= n[2])
		return '\t';
	return n[2] > n[0] ? ';' : ',';
}

static void
csv_step(struct csv *c)
{
	if (*c->at++ == '\n') {
		c->line++;
		c->line_start = c->at;
	}
}

/* A quoted cell, its quotes doubled inside. */
static void
read_quoted(struct csv *c, struct strbuf *sb)
{
	c->at++;
	while (c->at < c->end) {
		if (*c->at == '"') {
			c->at++;
			if (c->at >= c->end || *c->at != '"')
				return;
		}
		strbuf_addch(sb, *c->at);
		csv_step(c);
	}
}

static int
read_cell(struct csv *c, struct grid *g)
{
	const long line = c->line, col = (long)(c->at - c->line_start) + 1;
	struct strbuf sb;
	int rc;

	strbuf_init(&sb, PUBLISHED_MAX_BYTES);
	if (c->at < c->end && *c->at == '"')
		read_quoted(c, &sb);
	while (c->at < c->end && *c->at != c->separator && *c->at != '\n')
		strbuf_addch(&sb, *c->at++);
	rc = grid_add_cell(
	    g, published_plain(&c->p->arena, sb.buf, sb.len), line, col);
	strbuf_release(&sb);
	return rc;
}

/* A line of cells; stands after its end then. */
static int
read_line(struct csv *c, struct grid *g)
{
	grid_add_row(g, c->line);
	for (;;) {
		if (read_cell(c, g) != 0)
			return -1;
		if (c->at >= c->end)
			return 0;
		if (*c->at == '\n') {
			csv_step(c);
			return 0;
		}
		c->at++;
	}
}

static int
at_blank_line(const struct csv *c)
{
	return c->at < c->end &&
	    (*c->at == '\n' ||
		(*c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n'));
}

int
published_csv(struct published *p, const char *name, const char *text,
    size_t len, struct error *e)
{
	struct csv c = { p, text, text + len, text, 1, ',' };
	int rc = 0;

	while (rc == 0 && c.at < c.end) {
		struct grid g = { 0 };

		while (c.at < c.end && (*c.at == '\n' || *c.at == '\r'))
			csv_step(&c);
		c.separator = find_separator(c.at, c.end);
		while (rc == 0 && c.at < c.end && !at_blank_line(&c))
			if (read_line(&c, &g) != 0)
				rc = error_at(e, ERROR_LIMIT, name, c.line, 0,
				    "a table of too many columns or cells");
		if (rc == 0)
			rc = published_add(p, name, &g, NULL, 0, e);
		grid_release(&g);
	}
	return rc;
}
