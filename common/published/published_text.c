/* Plain text tables. Without rules, columns are separated by spaces, as
 * programs print them, or the whole table is in one line, as in a web page
 * copied as text; its heads must be words that are not consecutive in prose.
 * With a rule of dashes for each column, as in dlscale's own tables, cells are
 * aligned with the dashes. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum { MAX_PARTS = 512, MIN_PARTS = 3, MAX_HEAD_LINES = 3 };

/* A line split into cells. */
struct text_line {
	struct text_span line;
	struct text_span parts[MAX_PARTS];
	size_t n; /* MAX_PARTS: or more */
};

/* Split a line at runs of at least that many blanks, or at a tab. */
static void
split_line(struct text_line *l, struct text_span line, size_t blanks)
{
	const char *s = line.s, *end = line.end;

	l->line = line;
	for (l->n = 0; l->n < MAX_PARTS;) {
		struct text_span part;

		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		if (s >= end)
			return;
		part.s = part.end = s;
		for (; s < end && *s != '\t'; s++) {
			size_t n = 0;

			while (s + n < end && s[n] == ' ' && n < blanks)
				n++;
			if (n == blanks)
				break;
			if (*s != ' ')
				part.end = s + 1;
		}
		l->parts[l->n++] = part;
	}
}

/* True if a line is not empty and consists of these characters. */
static int
is_made_of(struct text_span l, const char *characters)
{
	for (const char *s = l.s; s < l.end; s++)
		if (strchr(characters, *s) == NULL)
			return 0;
	return l.s < l.end;
}

/* "----- ----", "=== ===": the line below heads or at the end of a table. */
static int
is_rule(struct text_span l)
{
	return is_made_of(l, "-=+ ") && !is_made_of(l, " ");
}

/* --- heads ---------------------------------------------------------------- */

static struct published_column
head_of(struct arena *a, struct text_span part)
{
	struct published_column h;

	published_head_read(
	    a, published_plain(a, part.s, (size_t)(part.end - part.s)), &h);
	return h;
}

/* Length of the longest run of known heads at i that includes counts and
 * values, or 0. */
static size_t
count_heads(struct arena *a, const struct text_line *l, size_t i)
{
	int counts = 0, values = 0;
	size_t n = 0;

	for (; i + n < l->n; n++) {
		const struct published_column h = head_of(a, l->parts[i + n]);

		if (!h.known)
			break;
		counts |= h.role >= PUBLISHED_NODES && h.role <= PUBLISHED_CASE;
		values |= h.role >= PUBLISHED_RATE;
	}
	return counts && values ? n : 0;
}

/* --- columns without rules ------------------------------------------------ */

static int
add_parts(struct published_reader *r, const struct text_span *parts, size_t n)
{
	int rc = 0;

	reader_row_at(r, parts[0].s);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = reader_plain(r, parts[i].s, parts[i].end);
	return rc;
}

/* Add a row with fewer cells than heads: each cell belongs to the head or rule
 * that it overlaps. Returns 0; 1 if a cell overlaps none or several; -1 for too
 * many. */
static int
add_by_place(struct published_reader *r, const struct text_line *row,
    const struct text_line *heads)
{
	size_t at = 0;

	reader_row_at(r, row->line.s);
	for (size_t k = 0; k < heads->n; k++) {
		const long from = (long)(heads->parts[k].s - heads->line.s);
		const long to = (long)(heads->parts[k].end - heads->line.s);
		const struct text_span *p = &row->parts[at];
		int rc;

		if (at < row->n && p->s - row->line.s < to &&
		    p->end - row->line.s > from) {
			rc = reader_plain(r, p->s, p->end);
			at++;
			if (at < row->n && row->parts[at].s - row->line.s < to)
				return 1;
		} else {
			rc = reader_add(r, "", r->line, 0);
		}
		if (rc != 0)
			return -1;
	}
	return at == row->n ? 0 : 1;
}

static int
finish_table(struct published_reader *r)
{
	struct published *p = r->p;
	const size_t before = p->n;

	if (r->g.n < 2) {
		r->g = (struct grid){ 0 };
		return 0;
	}
	if (reader_finish(r) != 0)
		return -1;
	if (p->n > before)
		published_remark(
		    p, &p->tables[p->n - 1], REMARK_NO_BORDERS, NULL);
	return 0;
}

/* True if a part looks like a number, a case, or a word for a missing
 * number. */
static int
is_value(struct text_span part)
{
	static const char *const words[] = { "OOM", "TODO", "N/A", "-", NULL };
	const size_t n = (size_t)(part.end - part.s);

	for (size_t i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == n && memcmp(part.s, words[i], n) == 0)
			return 1;
	return isdigit((unsigned char)*part.s) != 0;
}

/* "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19": heads and complete rows
 * in one line. A trailing incomplete row refuses it. */
static int
read_flat(struct published_reader *r, const struct text_line *l)
{
	struct arena *a = &r->p->arena;

	for (size_t i = 0, end; i < l->n; i = end) {
		size_t first, heads;

		/* Find numbers, then the heads before them. */
		for (end = i; end < l->n && !is_value(l->parts[end]);)
			end++;
		for (first = end;
		     first > i && head_of(a, l->parts[first - 1]).known;)
			first--;
		heads = end - first;
		while (end < l->n && is_value(l->parts[end]))
			end++;
		if (heads < MIN_PARTS || count_heads(a, l, first) != heads ||
		    (end - first) % heads != 0 || end - first == heads)
			continue;
		for (size_t k = first; k < end; k += heads)
			if (add_parts(r, l->parts + k, heads) != 0)
				return -1;
		if (finish_table(r) != 0)
			return -1;
	}
	return 0;
}

/* Read the rows below heads, one per line. stop is set to their end. */
static int
read_rows(struct published_reader *r, const struct text_line *heads,
    size_t blanks, const char **stop)
{
	struct text_line places = *heads, row;
	struct text_span l = heads->line;
	struct grid *g = &r->g;
	int rc = add_parts(r, heads->parts, heads->n);

	while (rc == 0 && l.end < r->end) {
		l = line_after(l, r->end);
		split_line(&row, l, blanks);
		if (g->n == 1 && is_rule(l)) {
			if (row.n == heads->n)
				places = row;
			continue;
		}
		if (row.n == 0 || row.n > heads->n || is_rule(l) ||
		    (row.n < heads->n && blanks == 1))
			break;
		rc = row.n == heads->n ? add_parts(r, row.parts, row.n)
				       : add_by_place(r, &row, &places);
		if (rc > 0) {
			/* Remove the row: it is not part of the table. */
			g->n--;
			g->n_cells -= g->rows[g->n].n;
			return 0;
		}
		*stop = l.end;
	}
	return rc;
}

int
published_text_table(
    struct published_reader *r, const char *s, const char **stop)
{
	const struct text_span line = line_at(s, r->end);
	struct text_line l;

	*stop = line.end;
	for (size_t blanks = 2; blanks > 0; blanks--) {
		split_line(&l, line, blanks);
		if (l.n < MIN_PARTS || l.n == MAX_PARTS ||
		    count_heads(&r->p->arena, &l, 0) != l.n)
			continue;
		if (read_rows(r, &l, blanks, stop) != 0)
			return -1;
		return finish_table(r);
	}
	return l.n > MIN_PARTS ? read_flat(r, &l) : 0;
}

/* --- columns with rules --------------------------------------------------- */

/* "---- --- -----": one run of dashes per column, separated by spaces. */
static int
read_rule(struct text_span l, struct text_line *rule)
{
	rule->n = 0;
	if (is_made_of(l, "- "))
		split_line(rule, l, 1);
	return rule->n >= MIN_PARTS;
}

/* Split a line at the columns of the rule; a column without text is an empty
 * part. Returns the number of columns with text, or 0 if there is text between
 * two columns. */
static size_t
split_by_rule(
    struct text_line *l, struct text_span line, const struct text_line *rule)
{
	size_t at = 0, k = 0, n = 0;

	l->line = line;
	l->n = rule->n;
	for (size_t i = 0; i < rule->n; i++)
		l->parts[i] = (struct text_span){ line.s, line.s };
	for (const char *s = line.s, *next; s < line.end; s = next) {
		uint32_t cp;

		next = s + utf8_decode(s, (size_t)(line.end - s), &cp);
		while (k < rule->n &&
		    at >= (size_t)(rule->parts[k].end - rule->line.s))
			k++;
		if (*s != ' ') {
			if (k == rule->n ||
			    at < (size_t)(rule->parts[k].s - rule->line.s))
				return 0;
			if (l->parts[k].s == l->parts[k].end) {
				l->parts[k].s = s;
				n++;
			}
			l->parts[k].end = next;
		}
		at += (size_t)utf8_char_width(cp);
	}
	return n;
}

/* True if the line has at least MIN_PARTS cells, including the first column. */
static int
is_ruled_row(struct text_span line, const struct text_line *rule)
{
	struct text_line l;

	return split_by_rule(&l, line, rule) >= MIN_PARTS &&
	    l.parts[0].s < l.parts[0].end;
}

/* Add a row whose cells are wrapped over n lines. */
static int
add_ruled_row(
    struct published_reader *r, const struct text_line *lines, size_t n)
{
	int rc = 0;

	reader_row_at(r, lines[0].line.s);
	for (size_t k = 0; rc == 0 && k < lines[0].n; k++) {
		struct strbuf sb;
		long col = 0;

		strbuf_init(&sb, PUBLISHED_MAX_BYTES);
		for (size_t i = 0; i < n; i++) {
			const struct text_span *part = &lines[i].parts[k];

			if (part->s >= part->end)
				continue;
			if (sb.len > 0)
				strbuf_addch(&sb, ' ');
			else
				col = (long)(part->s - lines[i].line.s) + 1;
			strbuf_add(&sb, part->s, (size_t)(part->end - part->s));
		}
		rc =
		    reader_add(r, published_plain(&r->p->arena, sb.buf, sb.len),
			r->line, col);
		strbuf_release(&sb);
	}
	return rc;
}

/* True if the table continues after a blank line: with a row or with the title
 * of a group of rows. */
static int
goes_on(const struct published_reader *r, struct text_span l,
    const struct text_line *rule)
{
	return l.s < l.end && *l.s != ' ' &&
	    (is_ruled_row(l, rule) ||
		is_ruled_row(line_after(l, r->end), rule));
}

/* Read the rows below the rule; *stop is set to the end of the last one. */
static int
read_ruled_rows(
    struct published_reader *r, const struct text_line *rule, const char **stop)
{
	struct text_span l = rule->line;
	struct text_line row;
	int may_be_title = 1, rc = 0;

	while (rc == 0) {
		*stop = l.end;
		l = line_after(l, r->end);
		if (l.s == l.end) {
			l = line_after(l, r->end);
			may_be_title = 1;
			if (!goes_on(r, l, rule))
				break;
		}
		if (is_made_of(l, "- "))
			continue;
		if (split_by_rule(&row, l, rule) > 0)
			rc = add_ruled_row(r, &row, 1);
		else if (may_be_title && goes_on(r, l, rule))
			rc = add_parts(r, &l, 1);
		else
			break;
		may_be_title = 0;
	}
	return rc;
}

int
published_ruled_table(
    struct published_reader *r, const char *s, const char **stop)
{
	struct text_line heads[MAX_HEAD_LINES], rule;
	struct text_span lines[MAX_HEAD_LINES + 1];
	size_t n = 0;

	*stop = NULL;
	for (struct text_span l = line_at(s, r->end);;
	     l = line_after(l, r->end)) {
		if (n > MAX_HEAD_LINES || l.s == l.end)
			return 0;
		if (n > 0 && read_rule(l, &rule))
			break;
		lines[n++] = l;
	}
	if (n > MAX_HEAD_LINES || !is_ruled_row(lines[0], &rule))
		return 0; /* a caption, not a head */
	for (size_t i = 0; i < n; i++)
		if (split_by_rule(&heads[i], lines[i], &rule) == 0)
			return 0;
	if (add_ruled_row(r, heads, n) != 0 ||
	    read_ruled_rows(r, &rule, stop) != 0)
		return -1;
	return reader_finish(r);
}

int
published_is_ruled(const char *text, size_t len)
{
	const char *end = text + len;
	struct text_line rule;

	for (struct text_span l = line_at(text, end); l.s < end;
	     l = line_after(l, end))
		if (read_rule(l, &rule))
			return 1;
	return 0;
}
