/* Tables of plain text: columns parted by spaces alone, as a program prints
 * them, or all of a table in one line, as is left of a page that was copied as
 * text.  Such a table is one only where its heads are words that no prose has
 * in a row. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/published/published_parts.h"

enum { MAX_PARTS = 512, MIN_HEADS = 3 };

/* A part of a line: [s, end). */
struct text_part {
	const char *s, *end;
};

struct text_line {
	const char *s, *end;
	struct text_part parts[MAX_PARTS];
	size_t n; /* MAX_PARTS: maybe more */
};

/* Where the line that begins at s ends. */
static const char *
line_end(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	nl = nl != NULL ? nl : end;
	return nl > s && nl[-1] == '\r' ? nl - 1 : nl;
}

/* Split a line at so many blanks or more, or at a tab. */
static void
split_line(struct text_line *l, const char *s, const char *end, size_t blanks)
{
	l->s = s;
	l->end = end;
	for (l->n = 0; l->n < MAX_PARTS;) {
		const char *from, *to;

		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		if (s >= end)
			return;
		from = to = s;
		for (; s < end && *s != '\t'; s++) {
			size_t n = 0;

			while (s + n < end && s[n] == ' ' && n < blanks)
				n++;
			if (n == blanks)
				break;
			if (*s != ' ')
				to = s + 1;
		}
		l->parts[l->n++] = (struct text_part){ from, to };
	}
}

/* "-----  ----", "=== ===": what stands below heads or ends a table. */
static int
is_rule(const char *s, const char *end)
{
	int strokes = 0;

	for (; s < end; s++) {
		if (strchr("-=+ ", *s) == NULL || *s == '\0')
			return 0;
		strokes += *s != ' ';
	}
	return strokes > 0;
}

/* --- heads ---------------------------------------------------------------- */

static struct published_head
head_of(struct arena *a, const struct text_part *part)
{
	struct published_head h;

	published_head_read(
	    a, published_plain(a, part->s, (size_t)(part->end - part->s)), &h);
	return h;
}

/* The longest run of known heads from i on that has counts and values; 0 if
 * there is none. */
static size_t
count_heads(struct arena *a, const struct text_line *l, size_t i)
{
	int counts = 0, values = 0;
	size_t n = 0;

	for (; i + n < l->n; n++) {
		const struct published_head h = head_of(a, &l->parts[i + n]);

		if (!h.known)
			break;
		counts |= h.role >= PUBLISHED_NODES && h.role <= PUBLISHED_CASE;
		values |= h.role >= PUBLISHED_RATE;
	}
	return counts && values ? n : 0;
}

/* --- cells ---------------------------------------------------------------- */

static int
add_parts(struct published_reader *r, const struct text_part *parts, size_t n)
{
	int rc = 0;

	reader_row(r, parts[0].s);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = reader_plain(r, parts[i].s, parts[i].end);
	return rc;
}

/* Cells by their place below heads or rules, for a row that has fewer.
 * Returns 0; 1 if a cell is below none or several; -1 for too many. */
static int
add_by_place(struct published_reader *r, const struct text_line *row,
    const struct text_line *heads)
{
	size_t at = 0;

	reader_row(r, row->s);
	for (size_t k = 0; k < heads->n; k++) {
		const long from = (long)(heads->parts[k].s - heads->s);
		const long to = (long)(heads->parts[k].end - heads->s);
		const struct text_part *p = &row->parts[at];
		int rc;

		if (at < row->n && p->s - row->s < to &&
		    p->end - row->s > from) {
			rc = reader_plain(r, p->s, p->end);
			at++;
			if (at < row->n && row->parts[at].s - row->s < to)
				return 1;
		} else {
			rc = reader_add(r, "", r->line, 0);
		}
		if (rc != 0)
			return -1;
	}
	return at == row->n ? 0 : 1;
}

/* True if a part looks like a figure, a case, or a word for a missing one. */
static int
is_value(const struct text_part *part)
{
	static const char *const words[] = { "OOM", "TODO", "N/A", "-", NULL };
	const size_t n = (size_t)(part->end - part->s);

	if (isdigit((unsigned char)*part->s))
		return 1;
	for (size_t i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == n && memcmp(part->s, words[i], n) == 0)
			return 1;
	return 0;
}

static int
finish_table(struct published_reader *r)
{
	struct published *p = r->p;
	const size_t before = p->n;

	if (r->g.n < 2) {
		grid_release(&r->g);
		return 0;
	}
	if (reader_finish(r) != 0)
		return -1;
	if (p->n > before)
		published_remark(
		    p, &p->tables[p->n - 1], REMARK_NO_BORDERS, NULL);
	return 0;
}

/* --- tables --------------------------------------------------------------- */

/* "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19": heads and whole rows
 * in one line; a rest that is no whole row refuses it. */
static int
read_flat(struct published_reader *r, const struct text_line *l)
{
	struct arena *a = &r->p->arena;

	for (size_t i = 0, end; i < l->n; i = end) {
		size_t first = i, heads = 0;

		/* Figures, then the heads before them. */
		for (end = i; end < l->n && !is_value(&l->parts[end]);)
			end++;
		for (first = end;
		     first > i && head_of(a, &l->parts[first - 1]).known;)
			first--;
		heads = end - first;
		while (end < l->n && is_value(&l->parts[end]))
			end++;
		if (heads < MIN_HEADS || count_heads(a, l, first) != heads ||
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

/* Rows below heads, one a line.  stop is set to where they end. */
static int
read_rows(struct published_reader *r, const struct text_line *heads,
    size_t blanks, const char **stop)
{
	struct text_line places = *heads;
	struct grid *g = &r->g;
	const char *at = heads->end;
	int rc = add_parts(r, heads->parts, heads->n);

	while (
	    rc == 0 && (at = memchr(at, '\n', (size_t)(r->end - at))) != NULL) {
		struct text_line row;
		const char *to = line_end(++at, r->end);

		split_line(&row, at, to, blanks);
		if (g->n == 1 && is_rule(at, to)) {
			if (row.n == heads->n)
				places = row;
			continue;
		}
		if (row.n == 0 || row.n > heads->n || is_rule(at, to))
			break;
		if (row.n == heads->n)
			rc = add_parts(r, row.parts, row.n);
		else if (blanks > 1)
			rc = add_by_place(r, &row, &places);
		else
			break;
		if (rc > 0) {
			/* The row is no row of it. */
			g->n--;
			g->n_cells -= g->rows[g->n].n;
			free(g->rows[g->n].cells);
			return 0;
		}
		*stop = to;
	}
	return rc;
}

int
published_text_table(
    struct published_reader *r, const char *s, const char **stop)
{
	struct text_line l;

	*stop = line_end(s, r->end);
	for (size_t blanks = 2; blanks > 0; blanks--) {
		split_line(&l, s, *stop, blanks);
		if (l.n < MIN_HEADS || l.n == MAX_PARTS ||
		    count_heads(&r->p->arena, &l, 0) != l.n)
			continue;
		if (read_rows(r, &l, blanks, stop) != 0)
			return -1;
		return finish_table(r);
	}
	split_line(&l, s, *stop, 1);
	return l.n > MIN_HEADS ? read_flat(r, &l) : 0;
}
