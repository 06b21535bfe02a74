/* Tables of plain text, Markdown and HTML in one document, below its headings.
 *
 * Plain text: without rules, columns are separated by spaces, as programs print
 * them, or the whole table is in one line, as in a web page copied as text; its
 * heads must be words that are not consecutive in prose. With a rule of dashes
 * for each column, as in dlscale's own tables, cells are aligned with the
 * dashes. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/utf8.h"

enum {
	MAX_PARTS = 512,
	MIN_PARTS = 3,
	MAX_HEAD_LINES = 3,
	MAX_LEVEL = PUBLISHED_MAX_HEADINGS, /* 6 and list items */
	MAX_LOOKED = 200000 /* lines searched for plain text tables */
};

/* --- plain text ----------------------------------------------------------- */

/* A line split into cells. */
struct text_line {
	struct text_span line;
	struct text_span parts[MAX_PARTS]; /* s == end: an empty cell */
	size_t n;                          /* MAX_PARTS: or more */
};

/* Split a line at blanks and tabs; wide: only at two blanks or a tab. */
static void
split_line(struct text_line *l, struct text_span line, int wide)
{
	static struct published_pattern words = { .text = "[^ \\t]++" };
	static struct published_pattern wide_parts = {
		.text = "[^ \\t]++(?: [^ \\t]++)*+"
	};
	const char *s = line.s;

	l->line = line;
	for (l->n = 0; l->n < MAX_PARTS &&
	     published_match(
		 wide ? &wide_parts : &words, s, line.end, &l->parts[l->n], 1);
	     l->n++)
		s = l->parts[l->n].end;
}

/* "----- ----", "=== ===": the line below heads or at the end of a table. */
static int
is_rule(struct text_span l)
{
	static struct published_pattern rule = { .text =
						     "\\A *+[=+-][=+ -]*+\\z" };

	return published_match(&rule, l.s, l.end, NULL, 0);
}

/* A line of dashes and blanks, also without dashes. */
static int
is_dashed(struct text_span l)
{
	static struct published_pattern dashes = { .text = "\\A[ -]++\\z" };

	return published_match(&dashes, l.s, l.end, NULL, 0);
}

/* Add a row whose cells are wrapped over n lines. */
static int
add_row(struct published_reader *r, const struct text_line *lines, size_t n)
{
	reader_row(r, lines[0].line.s);
	for (size_t k = 0; k < lines[0].n; k++) {
		const char *at = NULL, *text;
		struct strbuf sb;

		strbuf_init(&sb, PUBLISHED_MAX_BYTES);
		for (size_t i = 0; i < n; i++) {
			const struct text_span *part = &lines[i].parts[k];

			if (part->s == part->end)
				continue;
			if (at != NULL)
				strbuf_addch(&sb, ' ');
			else
				at = part->s;
			strbuf_add(&sb, part->s, (size_t)(part->end - part->s));
		}
		text = published_plain(&r->p->arena, sb.buf, sb.buf + sb.len);
		strbuf_release(&sb);
		if (reader_add(r, text, at) == NULL)
			return -1;
	}
	return 0;
}

/* --- columns without rules ------------------------------------------------ */

/* The first of the known heads that precede part n; n if these do not include
 * counts and values. */
static size_t
first_head(struct arena *a, const struct text_line *l, size_t n)
{
	int counts = 0, values = 0;
	size_t i = n;

	for (; i > 0; i--) {
		const struct text_span *part = &l->parts[i - 1];
		struct published_column h;

		published_head_read(
		    a, published_plain(a, part->s, part->end), &h);
		if (!h.known)
			break;
		counts |= h.role >= PUBLISHED_NODES && h.role <= PUBLISHED_CASE;
		values |= h.role >= PUBLISHED_RATE;
	}
	return counts && values ? i : n;
}

/* Assign the cells of a row with fewer cells than heads: each belongs to the
 * head or rule that it overlaps. Returns 0 if one overlaps none or several. */
static int
place_parts(struct text_line *row, const struct text_line *heads)
{
	struct text_line from = *row;
	size_t at = 0;

	for (size_t k = 0; k < heads->n; k++) {
		const long left = heads->parts[k].s - heads->line.s;
		const long right = heads->parts[k].end - heads->line.s;
		struct text_span *part = &row->parts[k];

		part->s = part->end = row->line.s;
		if (at == from.n || from.parts[at].s - row->line.s >= right ||
		    from.parts[at].end - row->line.s <= left)
			continue;
		*part = from.parts[at++];
		if (at < from.n && from.parts[at].s - row->line.s < right)
			return 0;
	}
	row->n = heads->n;
	return at == from.n;
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
	static struct published_pattern value = {
		.text = "(?i)\\A(?:\\d|(?:OOM|TODO|N/A|-)\\z)"
	};

	return published_match(&value, part.s, part.end, NULL, 0);
}

/* "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19": heads and complete rows
 * in one line. A trailing incomplete row refuses it. */
static int
read_flat(struct published_reader *r, const struct text_line *l)
{
	struct text_line row = { .line = l->line };

	for (size_t i = 0, first, end; i < l->n; i = end) {
		/* Find numbers, then the heads before them. */
		for (end = i; end < l->n && !is_value(l->parts[end]);)
			end++;
		first = first_head(&r->p->arena, l, end);
		row.n = end - first;
		while (end < l->n && is_value(l->parts[end]))
			end++;
		if (row.n < MIN_PARTS || (end - first) % row.n != 0 ||
		    end - first == row.n)
			continue;
		for (; first < end; first += row.n) {
			memcpy(row.parts, l->parts + first,
			    row.n * sizeof *row.parts);
			if (add_row(r, &row, 1) != 0)
				return -1;
		}
		if (finish_table(r) != 0)
			return -1;
	}
	return 0;
}

/* Read the rows below heads, one per line. stop is set to their end. */
static int
read_rows(struct published_reader *r, const struct text_line *heads, int wide,
    const char **stop)
{
	struct text_line places = *heads, row;
	struct text_span l = heads->line;

	if (add_row(r, heads, 1) != 0)
		return -1;
	while (l.end < r->end) {
		l = text_line_after(l, r->end);
		split_line(&row, l, wide);
		if (r->g.n == 1 && is_rule(l)) {
			if (row.n == heads->n)
				places = row;
			continue;
		}
		if (row.n == 0 || row.n > heads->n || is_rule(l) ||
		    (row.n < heads->n &&
			(!wide || !place_parts(&row, &places))))
			break;
		if (add_row(r, &row, 1) != 0)
			return -1;
		*stop = l.end;
	}
	return finish_table(r);
}

/* --- columns with rules --------------------------------------------------- */

/* "---- --- -----": one run of dashes per column, separated by spaces. */
static int
read_rule(struct text_span l, struct text_line *rule)
{
	rule->n = 0;
	if (is_dashed(l))
		split_line(rule, l, 0);
	return rule->n >= MIN_PARTS;
}

/* Split a line at the columns of the rule. Returns the number of columns with
 * text, or 0 if there is text between two columns. */
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

/* True if the table continues after a blank line: with a row or with the title
 * of a group of rows. */
static int
goes_on(const struct published_reader *r, struct text_span l,
    const struct text_line *rule)
{
	return l.s < l.end && *l.s != ' ' &&
	    (is_ruled_row(l, rule) ||
		is_ruled_row(text_line_after(l, r->end), rule));
}

/* Read the rows below the rule. stop is set to their end. */
static int
read_ruled_rows(
    struct published_reader *r, const struct text_line *rule, const char **stop)
{
	struct text_span l = rule->line;
	struct text_line row;
	int may_be_title = 1;

	for (;;) {
		*stop = l.end;
		l = text_line_after(l, r->end);
		if (l.s == l.end) {
			l = text_line_after(l, r->end);
			may_be_title = 1;
			if (!goes_on(r, l, rule))
				return 0;
		}
		if (is_dashed(l))
			continue;
		if (split_by_rule(&row, l, rule) == 0) {
			if (!may_be_title || !goes_on(r, l, rule))
				return 0;
			row.parts[0] = l;
			row.n = 1;
		}
		if (add_row(r, &row, 1) != 0)
			return -1;
		may_be_title = 0;
	}
}

/* Read a table with a rule below at most MAX_HEAD_LINES lines of heads. stop is
 * set to its end, or not if none begins at s. */
static int
read_ruled(struct published_reader *r, const char *s, const char **stop)
{
	struct text_line heads[MAX_HEAD_LINES], rule;
	struct text_span lines[MAX_HEAD_LINES + 1];
	size_t n = 0;

	for (struct text_span l = text_line(s, r->end);;
	     l = text_line_after(l, r->end)) {
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
	if (add_row(r, heads, n) != 0 || read_ruled_rows(r, &rule, stop) != 0)
		return -1;
	return reader_finish(r);
}

/* Read a table of plain text that begins in the line at s, or several that are
 * in this line as a whole.
 *
 * stop  set to the end of the last line that was read */
static int
read_text_table(struct published_reader *r, const char *s, const char **stop)
{
	const struct text_span line = text_line(s, r->end);
	struct text_line l;

	*stop = line.end;
	if (read_ruled(r, s, stop) != 0)
		return -1;
	if (*stop != line.end)
		return 0;
	for (int wide = 1; wide >= 0; wide--) {
		split_line(&l, line, wide);
		if (l.n >= MIN_PARTS && l.n < MAX_PARTS &&
		    first_head(&r->p->arena, &l, l.n) == 0)
			return read_rows(r, &l, wide, stop);
	}
	return l.n > MIN_PARTS ? read_flat(r, &l) : 0;
}

int
published_is_ruled(const char *text, const char *end)
{
	struct text_line rule;

	for (struct text_span l = text_line(text, end); l.s < end;
	     l = text_line_after(l, end))
		if (read_rule(l, &rule))
			return 1;
	return 0;
}

/* --- HTML ----------------------------------------------------------------- */

/* Cells that extend into the next rows, by column. */
struct reaching {
	struct published_cell cell;
	long left;
};

/* The number of an attribute, which is group 1 of its pattern; 1 by default. */
static long
attribute_of(struct published_pattern *attribute, struct text_span attributes)
{
	struct text_span part[2];
	long value = 0;

	if (published_match(attribute, attributes.s, attributes.end, part, 2))
		value = strtol(part[1].s, NULL, 10);
	return value > 0 ? value : 1;
}

/* Add the cells of previous rows that extend into this one. */
static int
add_reaching(struct published_reader *r, struct reaching *below)
{
	for (;;) {
		const size_t i = r->g.rows[r->g.n - 1].n_cells;
		struct published_cell *cell;

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

/* Add a cell, and keep it for the rows into which it extends. */
static int
read_cell(struct published_reader *r, struct reaching *below, const char *tag,
    struct text_span attributes, struct text_span text)
{
	static struct published_pattern columns = {
		.text = "(?i)colspan[= \"']*(\\d{1,4})"
	};
	static struct published_pattern rows = {
		.text = "(?i)rowspan[= \"']*(\\d{1,4})"
	};
	const long down = attribute_of(&rows, attributes);
	const struct published_row *row;
	size_t column;

	if (r->g.n == 0)
		reader_row(r, tag);
	if (add_reaching(r, below) != 0)
		return -1;
	row = &r->g.rows[r->g.n - 1];
	column = row->n_cells;
	if (reader_span(r, published_plain(&r->p->arena, text.s, text.end), tag,
		attribute_of(&columns, attributes), down) != 0)
		return -1;
	for (; column < row->n_cells; column++)
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
	static struct published_pattern tag = {
		.text = "(?is)<(?:(?<row>tr)\\b|t[dh]\\b(?<attributes>[^>]*+)"
			"(?:>(?<text>.*?)(?=</?t(?:[dhr]|able)\\b"
			"|</t(?:head|body)\\b|\\z))?|/table\\b)"
	};
	struct reaching below[PUBLISHED_MAX_COLUMNS + 1] = { 0 };
	struct text_span part[4];
	const char *s = text + 1;

	while (published_match(&tag, s, r->end, part, 4)) {
		s = part[0].end;
		if (part[1].s != NULL) {
			if (r->g.n > 0 && add_reaching(r, below) != 0)
				return -1;
			reader_row(r, r->g.n > 0 ? part[0].s : text);
		} else if (part[2].s == NULL) {
			*stop = part[0].s;
			return reader_finish(r);
		} else if (part[3].s != NULL &&
		    read_cell(r, below, part[0].s, part[2], part[3]) != 0) {
			return -1;
		}
	}
	*stop = r->end;
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
	static struct published_pattern dashes = {
		.text = "\\A(?=[^=-]*+[=-])(?=[^|+]*+[|+])[ \\t|:+=-]++\\z"
	};

	return published_match(&dashes, l.s, l.end, NULL, 0);
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

int
published_block(struct published_reader *r)
{
	struct text_span l = text_line(r->at, r->end);

	for (int i = 0; l.s < r->end; i++, l = text_line_after(l, r->end))
		if ((i != 1 || !is_dashes(l)) && read_row(r, l) != 0)
			return -1;
	return reader_finish(r);
}

/* Read "## Results", also as an item of a list, "- ### FP16". A heading clears
 * those of lower levels.
 *
 * levels  heading of each level, or NULL */
static void
read_heading(
    struct published_reader *r, struct text_span l, const char **levels)
{
	static struct published_pattern heading = {
		.text = "\\A[ \\t]*+(?<item>-)?[ \\t-]*+(?<level>#{1,6})(?= )"
			"(?<text>.*)"
	};
	struct text_span part[4];
	int level;

	if (!published_match(&heading, l.s, l.end, part, 4))
		return;
	level = part[1].s != NULL ? MAX_LEVEL : (int)(part[2].end - part[2].s);
	for (int i = level; i < MAX_LEVEL; i++)
		levels[i] = NULL;
	levels[level - 1] =
	    published_plain(&r->p->arena, part[3].s, part[3].end);
	r->n_headings = 0;
	for (int i = 0; i < level; i++)
		if (levels[i] != NULL)
			r->headings[r->n_headings++] = levels[i];
}

int
published_markdown(struct published_reader *r)
{
	static struct published_pattern fence = {
		.text = "\\A[ \\t]*+(?:```|~~~)"
	};
	static struct published_pattern html = { .text = "(?i)<table" };
	const char *levels[MAX_LEVEL] = { NULL };
	struct text_span table;
	long looked = 0;
	int rc = 0, fenced = 0; /* in a code block, '#' is no heading */

	while (rc == 0 && r->at < r->end) {
		const struct text_span l = text_line(r->at, r->end);
		const char *stop = l.end;

		if (published_match(&fence, l.s, l.end, NULL, 0)) {
			fenced = !fenced;
		} else if (has_stroke(l) && !is_dashes(l) &&
		    is_dashes(text_line_after(l, r->end))) {
			struct text_span row = l;

			do {
				/* A box has a rule below each row. */
				if (!is_dashes(row))
					rc = read_row(r, row);
				stop = row.end;
				row = text_line_after(row, r->end);
			} while (
			    rc == 0 && (is_dashes(row) || has_stroke(row)));
			rc = rc == 0 ? reader_finish(r) : -1;
		} else if (!fenced &&
		    published_match(&html, l.s, l.end, &table, 1)) {
			rc = read_html_table(r, table.s, &r->at);
			continue;
		} else {
			if (!fenced)
				read_heading(r, l, levels);
			if (l.s < l.end && looked++ < MAX_LOOKED)
				rc = read_text_table(r, l.s, &stop);
		}
		r->at =
		    text_line_after((struct text_span){ stop, stop }, r->end).s;
	}
	return rc;
}
