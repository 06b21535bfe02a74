/* Tables of plain text with a rule of dashes for each column below their heads,
 * as ours on a terminal: a cell is what stands above or below its dashes,
 * whatever spaces it has. */
#include <config.h>

#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum { MAX_PARTS = 512, MIN_PARTS = 3, MAX_HEAD_LINES = 3 };

struct ruled_line {
	const char *s, *end;
};

/* The dashes of a rule: columns of the terminal, [from, to). */
struct ruled_column {
	size_t from, to;
};

struct rule_line {
	struct ruled_column columns[MAX_PARTS];
	size_t n;
};

struct ruled_table {
	struct published_reader *r;
	struct rule_line rule;
};

/* The line that begins at s, without what ends it. */
static struct ruled_line
line_at(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	nl = nl != NULL ? nl : end;
	return (struct ruled_line){ s, nl > s && nl[-1] == '\r' ? nl - 1 : nl };
}

/* The line after l; an empty one at the end. */
static struct ruled_line
line_after(const struct ruled_line *l, const char *end)
{
	const char *nl =
	    l->end < end ? memchr(l->end, '\n', (size_t)(end - l->end)) : NULL;

	return line_at(nl != NULL ? nl + 1 : end, end);
}

/* "----  ---  -----": dashes alone, those of each column separated by spaces
 * from the next column's.  Returns whether it is one. */
static int
read_rule(const struct ruled_line *l, struct rule_line *rule)
{
	const char *s = l->s;

	rule->n = 0;
	while (s < l->end && rule->n < MAX_PARTS) {
		const char *from = s;

		if (*s == ' ') {
			s++;
			continue;
		}
		while (s < l->end && *s == '-')
			s++;
		if (s == from)
			return 0;
		rule->columns[rule->n++] =
		    (struct ruled_column){ (size_t)(from - l->s),
			    (size_t)(s - l->s) };
	}
	return s == l->end && rule->n >= MIN_PARTS;
}

/* The parts of a line in the columns of the terminal that the rule has, without
 * spaces at their ends; parts has rule->n.  Returns 0 where something stands
 * between two columns. */
static int
split_by_rule(const struct ruled_line *l, const struct rule_line *rule,
    struct ruled_line *parts)
{
	size_t at = 0, k = 0;

	for (size_t i = 0; i < rule->n; i++)
		parts[i] = (struct ruled_line){ l->s, l->s };
	for (const char *s = l->s, *next; s < l->end; s = next) {
		uint32_t cp;

		next = s + utf8_decode(s, (size_t)(l->end - s), &cp);
		while (k < rule->n && at >= rule->columns[k].to)
			k++;
		if (*s != ' ') {
			if (k == rule->n || at < rule->columns[k].from)
				return 0;
			if (parts[k].s == parts[k].end)
				parts[k].s = s;
			parts[k].end = next;
		}
		at += (size_t)utf8_char_width(cp);
	}
	return 1;
}

/* Add a row whose cells are of n lines, each above the next; parts has
 * MAX_PARTS of each. */
static int
add_row(struct ruled_table *t, struct ruled_line (*parts)[MAX_PARTS],
    const struct ruled_line *lines, size_t n)
{
	struct published_reader *r = t->r;
	int rc = 0;

	reader_row(r, lines[0].s);
	for (size_t k = 0; rc == 0 && k < t->rule.n; k++) {
		struct strbuf sb;
		long col = 0;

		strbuf_init(&sb, PUBLISHED_MAX_BYTES);
		for (size_t i = 0; i < n; i++) {
			const struct ruled_line *part = &parts[i][k];

			if (part->s >= part->end)
				continue;
			if (sb.len > 0)
				strbuf_addch(&sb, ' ');
			else
				col = (long)(part->s - lines[i].s) + 1;
			strbuf_add(&sb, part->s, (size_t)(part->end - part->s));
		}
		rc =
		    reader_add(r, published_plain(&r->p->arena, sb.buf, sb.len),
			r->line, col);
		strbuf_release(&sb);
	}
	return rc;
}

/* A row of one cell. */
static int
add_title(struct ruled_table *t, const struct ruled_line *l)
{
	reader_row(t->r, l->s);
	return reader_plain(t->r, l->s, l->end);
}

/* How many parts of a line stand in columns, if one does in the first; 0 for
 * any other line. */
static size_t
count_cells(const struct ruled_line *l, const struct rule_line *rule,
    struct ruled_line parts[MAX_PARTS])
{
	size_t n = 0;

	if (!split_by_rule(l, rule, parts) || parts[0].s == parts[0].end)
		return 0;
	for (size_t k = 0; k < rule->n; k++)
		n += parts[k].s < parts[k].end;
	return n;
}

/* Dashes alone, which part groups of rows. */
static int
is_dashes(const struct ruled_line *l)
{
	for (const char *s = l->s; s < l->end; s++)
		if (*s != '-' && *s != ' ')
			return 0;
	return l->s < l->end;
}

/* True if the table continues after a blank line: with a row of at least
 * MIN_PARTS cells or with the title of such rows.  Anything else is prose. */
static int
goes_on(const struct ruled_table *t, const struct ruled_line *l,
    struct ruled_line parts[MAX_PARTS])
{
	const struct ruled_line next = line_after(l, t->r->end);

	return l->s < l->end && *l->s != ' ' &&
	    (count_cells(l, &t->rule, parts) >= MIN_PARTS ||
		count_cells(&next, &t->rule, parts) >= MIN_PARTS);
}

/* Read the rows below the rule l; *stop is the end of the last one then. */
static int
read_rows(struct ruled_table *t, struct ruled_line l,
    struct ruled_line (*parts)[MAX_PARTS], const char **stop)
{
	const char *end = t->r->end;
	int may_be_title = 1, rc = 0;

	while (rc == 0) {
		*stop = l.end;
		l = line_after(&l, end);
		if (l.s == l.end) {
			l = line_after(&l, end);
			may_be_title = 1;
			if (!goes_on(t, &l, parts[0]))
				break;
		}
		if (is_dashes(&l))
			continue;
		if (split_by_rule(&l, &t->rule, parts[0]))
			rc = add_row(t, parts, &l, 1);
		else if (may_be_title && goes_on(t, &l, parts[1]))
			rc = add_title(t, &l);
		else
			break;
		may_be_title = 0;
	}
	return rc;
}

/* Read the heads' lines from l on and the rule below them, and split them.
 * Returns how many lines of heads there are, 0 if no table begins here; l is
 * the rule then. */
static size_t
read_heads(struct rule_line *rule, struct ruled_line *l, const char *end,
    struct ruled_line heads[MAX_HEAD_LINES],
    struct ruled_line (*parts)[MAX_PARTS])
{
	for (size_t n = 0; n <= MAX_HEAD_LINES && l->s < l->end; n++) {
		if (n > 0 && read_rule(l, rule)) {
			for (size_t i = 0; i < n; i++)
				if (!split_by_rule(&heads[i], rule, parts[i]))
					return 0;
			/* A caption is no head. */
			return count_cells(&heads[0], rule, parts[0]) >=
				MIN_PARTS
			    ? n
			    : 0;
		}
		if (n == MAX_HEAD_LINES)
			return 0;
		heads[n] = *l;
		*l = line_after(l, end);
	}
	return 0;
}

int
published_ruled_table(
    struct published_reader *r, const char *s, const char **stop)
{
	struct ruled_line l = line_at(s, r->end), heads[MAX_HEAD_LINES];
	struct ruled_line parts[MAX_HEAD_LINES][MAX_PARTS];
	struct ruled_table t = { .r = r };
	const size_t n = read_heads(&t.rule, &l, r->end, heads, parts);

	*stop = NULL;
	if (n == 0)
		return 0;
	if (add_row(&t, parts, heads, n) != 0 ||
	    read_rows(&t, l, parts, stop) != 0)
		return -1;
	return reader_finish(r);
}

int
published_is_ruled(const char *text, size_t len)
{
	const char *end = text + len;
	struct rule_line rule;

	for (struct ruled_line l = line_at(text, end); l.s < end;
	     l = line_after(&l, end))
		if (l.s < l.end && (*l.s == '-' || *l.s == ' ') &&
		    read_rule(&l, &rule))
			return 1;
	return 0;
}
