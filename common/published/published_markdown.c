/* Markdown tables: a row of heads, a row of dashes, rows, and the headings
 * above; and HTML tables in the same document, with cells that span columns and
 * rows. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

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
	const struct grid_row *row;
	size_t column;

	if (r->g.n == 0)
		reader_row(r, tag);
	if (add_reaching(r, below) != 0)
		return -1;
	row = &r->g.rows[r->g.n - 1];
	column = row->n;
	if (reader_span(r, published_plain(&r->p->arena, text.s, text.end), tag,
		attribute_of(&columns, attributes), down) != 0)
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
		const struct text_span l = line_at(r->at, r->end);
		const char *stop = l.end;

		if (published_match(&fence, l.s, l.end, NULL, 0)) {
			fenced = !fenced;
		} else if (has_stroke(l) && !is_dashes(l) &&
		    is_dashes(line_after(l, r->end))) {
			rc = read_table(r, l, &stop);
		} else if (!fenced &&
		    published_match(&html, l.s, l.end, &table, 1)) {
			rc = read_html_table(r, table.s, &r->at);
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
