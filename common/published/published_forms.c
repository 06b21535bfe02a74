/* Readers of documents: Markdown with tables of HTML and plain text between
 * its lines, separated values, LaTeX, and the JSON of DLPerf's scripts. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/published/published_parts.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "common/utf8.h"

enum {
	MAX_PARTS = 512,
	MIN_PARTS = 3,
	MAX_HEAD_LINES = 3,
	MAX_LEVEL = PUBLISHED_MAX_HEADINGS, /* 6 and list items */
	MAX_LOOKED = 200000, /* lines searched for plain text tables */
	MAX_NEAR = 65536     /* bytes searched for a key of JSON, or for a
	                        caption below a table */
};

/* --- separated values ----------------------------------------------------- */

/* Values separated by commas, tabs or semicolons, quoted as in RFC 4180, with a
 * blank line after each table. */
void
published_csv(struct published_reader *r)
{
	while (r->at < r->end && !r->failed) {
		char separator;

		while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
			r->at++;
		separator = text_separator(text_line(r->at, r->end), ",\t;");
		while (r->at < r->end && text_line(r->at, r->end).end > r->at) {
			reader_row(r, r->at);
			do {
				const char *from = r->at;
				struct strbuf sb =
				    STRBUF_INIT(PUBLISHED_MAX_BYTES);

				r->at =
				    text_csv_cell(from, r->end, separator, &sb);
				reader_cell(r,
				    published_plain(
					&r->p->arena, sb.buf, sb.buf + sb.len),
				    from, 1);
				strbuf_release(&sb);
			} while (r->at < r->end && *r->at++ != '\n');
		}
		reader_finish(r);
	}
}

/* --- DLPerf's JSON -------------------------------------------------------- */

/* The place of "key" at or after r->at; r->at if it is not near. */
static const char *
find_key(const struct published_reader *r, const char *key)
{
	const char *quoted = arena_printf(&r->p->arena, "\"%s\"", key), *s;
	const size_t left = (size_t)(r->end - r->at);

	s = memmem(
	    r->at, left < MAX_NEAR ? left : MAX_NEAR, quoted, strlen(quoted));
	return s != NULL ? s + 1 : r->at;
}

/* JSON of DLPerf's scripts and of extract_logs --compat=dlperf: models, their
 * cases, and numbers of each. Each model is a table. */
void
published_dlperf(struct published_reader *r)
{
	/* average_speed is omitted, since no other number depends on it. */
	static const char *const members[] = { "batch_size_per_device",
		"median_speed", "speedup" };
	struct json_cursor at_model = { 0, NULL };
	struct json_value model, numbers, any;
	struct arena *a = &r->p->arena;
	const char *name, *key;
	struct json_doc doc;

	if (json_doc_parse(
		r->name, r->at, (size_t)(r->end - r->at), &doc, r->e) != 0) {
		r->failed = 1;
		return;
	}
	r->failed = json_read_is_object(&doc.top, r->e) != 0;
	while (!r->failed && json_read_next(&doc.top, &at_model, &name, &any)) {
		struct json_cursor at_case = { 0, NULL };

		r->failed = json_read_object(&doc.top, name, &model, r->e) != 0;
		r->headings[0] = arena_strdup(a, name);
		r->n_headings = 1;
		r->at = find_key(r, name);
		reader_row(r, r->at);
		reader_cell(r, "case", r->at, 1);
		for (size_t i = 0; i < 3; i++)
			reader_cell(r, members[i], r->at, 1);
		while (!r->failed &&
		    json_read_next(&model, &at_case, &key, &any)) {
			r->failed =
			    json_read_object(&model, key, &numbers, r->e) != 0;
			r->at = find_key(r, key);
			reader_row(r, r->at);
			reader_cell(r, arena_strdup(a, key), r->at, 1);
			/* Members are in any order: r->at stays. */
			for (size_t i = 0; !r->failed && i < 3; i++) {
				char text[JSON_DOUBLE_SIZE] = "";
				double x = NAN;

				r->failed =
				    json_read_double(&numbers, members[i],
					-1e300, 1e300, &x, r->e) != 0;
				if (!isnan(x))
					json_double(text, x);
				reader_cell(r, arena_strdup(a, text),
				    isnan(x) ? r->at : find_key(r, members[i]),
				    1);
			}
		}
		if (!r->failed)
			reader_finish(r);
	}
	json_doc_release(&doc);
}

int
published_is_dlperf(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) == NULL &&
	    memmem(text, len, "\"median_speed\"", 14) != NULL;
}

/* --- LaTeX ---------------------------------------------------------------- */

static long
span_of(struct text_span digits)
{
	long n = 1;

	if (digits.s != NULL)
		(void)whole_parse(digits.s, (size_t)(digits.end - digits.s), 1,
		    PUBLISHED_MAX_COLUMNS, &n);
	return n;
}

/* Read the rows [s, stop) of a tabular. Empty cells below a \multirow have its
 * text. */
static void
read_tabular(struct published_reader *r, const char *s, const char *stop)
{
	/* Blanks, rules and comments between rows. */
	static const char rules[] = PUBLISHED_LATEX
	    "\\A(?:\\s|%[^\\n]*+|\\\\(?:hline|toprule|midrule|bottomrule"
	    "|cmidrule|cline|addlinespace)(?:[([][^])]*+[])])*+(?&group)?+)++";
	static const char cell[] = PUBLISHED_LATEX
	    "\\A\\s*+(?<at>)(?:\\\\multicolumn(?&option)\\{(?<across>"
	    "\\d+)\\}(?&group))?(?=\\{?\\\\multirow(?&option)\\{"
	    "(?<down>\\d+)\\}|)"
	    "(?<text>(?:[^&\\\\{]++|(?&group)|\\\\[^\\\\])*+)"
	    "(?:(?<next>&)|\\\\\\\\|\\\\?\\z)";
	long left[PUBLISHED_MAX_COLUMNS] = { 0 };
	struct text_span part[8];

	while (!r->failed) {
		if (published_match(rules, s, stop, part, 1))
			s = part[0].end;
		if (s >= stop)
			return;
		reader_row(r, s);
		do {
			const struct published_row *row =
			    &r->rows[r->n_rows - 1];
			const size_t k = row->n_cells;
			const char *text;

			if (!published_match(cell, s, stop, part, 8))
				return;
			s = part[0].end;
			text = published_plain_latex(
			    &r->p->arena, part[6].s, part[6].end);
			if (k < PUBLISHED_MAX_COLUMNS && text[0] != '\0')
				left[k] = span_of(part[5]) - 1;
			else if (k < PUBLISHED_MAX_COLUMNS && left[k]-- > 0)
				text = k < row[-1].n_cells
				    ? row[-1].cells[k].text
				    : "";
			reader_cell(r, text, part[3].s, span_of(part[4]));
		} while (part[7].s != NULL);
	}
}

/* The argument of the first or last command of a pattern in [s, end), or
 * NULL. */
static const char *
argument_of(struct arena *a, const char *command, const char *s,
    const char *end, int last)
{
	const char *text = NULL;
	struct text_span part[4];

	while ((text == NULL || last) &&
	    published_match(command, s, end, part, 4)) {
		text = published_plain_latex(a, part[3].s, part[3].end);
		s = part[0].end;
	}
	return text;
}

void
published_latex(struct published_reader *r)
{
	/* tabular*, tabularx and tabulary have a width before the columns. */
	static const char begin[] = PUBLISHED_LATEX
	    "\\\\begin\\{(?:(?:tabular|longtable|array)\\}"
	    "|tabular[*xy]\\}(?=\\{)(?&group))(?&option)(?&group)?+";
	static const char captions[] =
	    PUBLISHED_LATEX "\\\\caption(?&option)(?=\\{)(?<text>(?&group))";
	static const char sections[] =
	    PUBLISHED_LATEX "section(?&option)(?=\\{)(?<text>(?&group))";
	struct arena *a = &r->p->arena;
	const char *stop, *above = r->at, *section = NULL;
	struct text_span all;

	for (; !r->failed && published_match(begin, above, r->end, &all, 1);
	     above = stop) {
		const char *caption, *next, *end;
		size_t left;

		stop = memmem(all.end, (size_t)(r->end - all.end), "\\end{", 5);
		stop = stop != NULL ? stop : r->end;
		/* Headings are the last section, and a caption after the
		 * previous table, else below this one in the same
		 * environment. */
		caption = argument_of(a, captions, above, all.end, 1);
		next = argument_of(a, sections, above, all.end, 1);
		left = (size_t)(r->end - stop);
		end = memmem(
		    stop, left < MAX_NEAR ? left : MAX_NEAR, "\\end{table", 10);
		section = next != NULL ? next : section;
		if (caption == NULL && end != NULL)
			caption = argument_of(a, captions, stop, end, 0);
		r->n_headings = 0;
		if (section != NULL)
			r->headings[r->n_headings++] = section;
		if (caption != NULL)
			r->headings[r->n_headings++] = caption;
		read_tabular(r, all.end, stop);
		reader_finish(r);
	}
}

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
	const char *s = line.s;

	l->line = line;
	for (l->n = 0; l->n < MAX_PARTS &&
	     published_match(wide ? "[^ \\t]++(?: [^ \\t]++)*+" : "[^ \\t]++",
		 s, line.end, &l->parts[l->n], 1);
	     l->n++)
		s = l->parts[l->n].end;
}

/* Add a row whose cells are wrapped over n lines. */
static void
add_row(struct published_reader *r, const struct text_line *lines, size_t n)
{
	struct arena *a = &r->p->arena;

	reader_row(r, lines[0].line.s);
	for (size_t k = 0; k < lines[0].n; k++) {
		const char *at = NULL, *text = "";

		for (size_t i = 0; i < n; i++) {
			const struct text_span *part = &lines[i].parts[k];

			if (part->s == part->end)
				continue;
			at = at != NULL ? at : part->s;
			text = arena_join(a, text, " ",
			    published_plain(a, part->s, part->end));
		}
		reader_cell(r, text, at, 1);
	}
}

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

/* Finish a table that has no borders. */
static void
finish_table(struct published_reader *r)
{
	struct published *p = r->p;
	const size_t before = p->n;

	if (r->n_rows < 2)
		r->n_rows = r->n_cells = 0;
	reader_finish(r);
	if (p->n > before)
		published_remark(
		    p, &p->tables[p->n - 1], REMARK_NO_BORDERS, NULL);
}

/* "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19": heads and complete rows
 * in one line, as in a web page copied as text. A trailing incomplete row
 * refuses it. */
static void
read_flat(struct published_reader *r, const struct text_line *l)
{
	/* A number, a case, or a word for a missing number. */
	static const char value[] = "(?i)\\A(?:\\d|(?:OOM|TODO|N/A|-)\\z)";
	struct text_line row = { .line = l->line };

	for (size_t i = 0, first, end; i < l->n; i = end) {
		/* Find numbers, then the heads before them. */
		for (end = i; end < l->n &&
		     !published_match(
			 value, l->parts[end].s, l->parts[end].end, NULL, 0);)
			end++;
		first = first_head(&r->p->arena, l, end);
		row.n = end - first;
		while (end < l->n &&
		    published_match(
			value, l->parts[end].s, l->parts[end].end, NULL, 0))
			end++;
		if (row.n < MIN_PARTS || (end - first) % row.n != 0 ||
		    end - first == row.n)
			continue;
		for (; first < end; first += row.n) {
			memcpy(row.parts, l->parts + first,
			    row.n * sizeof *row.parts);
			add_row(r, &row, 1);
		}
		finish_table(r);
	}
}

/* "---- --- -----": one run of dashes per column, separated by blanks. */
static int
read_rule(struct text_span l, struct text_line *rule)
{
	rule->n = 0;
	if (published_match("\\A[ -]++\\z", l.s, l.end, NULL, 0))
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

/* Read a table with a rule below at most MAX_HEAD_LINES lines of heads, as our
 * own programs print them. Returns its end, or NULL if none begins in the
 * line. */
static const char *
read_ruled(struct published_reader *r, struct text_span line)
{
	struct text_line heads[MAX_HEAD_LINES], rule, row;
	struct text_span lines[MAX_HEAD_LINES + 1], l = line;
	int may_be_title = 1;
	const char *stop;
	size_t n = 0;

	for (; n == 0 || !read_rule(l, &rule); l = text_line_after(l, r->end)) {
		if (n > MAX_HEAD_LINES || l.s == l.end)
			return NULL;
		lines[n++] = l;
	}
	if (n > MAX_HEAD_LINES || !is_ruled_row(lines[0], &rule))
		return NULL; /* a caption, not a head */
	for (size_t i = 0; i < n; i++)
		if (split_by_rule(&heads[i], lines[i], &rule) == 0)
			return NULL;
	add_row(r, heads, n);
	for (;;) {
		stop = l.end;
		l = text_line_after(l, r->end);
		if (l.s == l.end) {
			l = text_line_after(l, r->end);
			may_be_title = 1;
			if (!goes_on(r, l, &rule))
				break;
		}
		if (published_match("\\A[ -]++\\z", l.s, l.end, NULL, 0))
			continue;
		if (split_by_rule(&row, l, &rule) == 0) {
			if (!may_be_title || !goes_on(r, l, &rule))
				break;
			row.parts[0] = l;
			row.n = 1;
		}
		add_row(r, &row, 1);
		may_be_title = 0;
	}
	reader_finish(r);
	return stop;
}

/* Read a table of plain text that begins in the line, or several that are in
 * this line as a whole. Without rules its heads must be words that are not
 * consecutive in prose. Returns the end of the last line that was read. */
static const char *
read_text_table(struct published_reader *r, struct text_span line)
{
	const char *stop = read_ruled(r, line);
	struct text_line heads, row;

	if (stop != NULL)
		return stop;
	stop = line.end;
	for (int wide = 1; wide >= 0; wide--) {
		split_line(&heads, line, wide);
		if (heads.n < MIN_PARTS || heads.n == MAX_PARTS ||
		    first_head(&r->p->arena, &heads, heads.n) > 0)
			continue;
		add_row(r, &heads, 1);
		while (line.end < r->end) {
			line = text_line_after(line, r->end);
			split_line(&row, line, wide);
			if (published_match("\\A *+[=+-][=+ -]*+\\z", line.s,
				line.end, NULL, 0)) {
				if (r->n_rows == 1)
					continue;
				break;
			}
			if (row.n != heads.n)
				break;
			add_row(r, &row, 1);
			stop = line.end;
		}
		finish_table(r);
		return stop;
	}
	if (heads.n > MIN_PARTS)
		read_flat(r, &heads);
	return stop;
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

/* Add the cells of the row above that extend into this one.
 *
 * left  further rows into which the cell of each column extends */
static void
add_reaching(struct published_reader *r, long *left)
{
	const struct published_row *row = &r->rows[r->n_rows - 1];

	while (!r->failed && left[row->n_cells] > 0) {
		const struct published_cell *above =
		    &row[-1].cells[row->n_cells];

		left[row->n_cells]--;
		*reader_cell(r, "", NULL, 1) = *above;
	}
}

/* The number of an attribute, 1 by default. */
static long
attribute_of(const char *attribute, struct text_span attributes)
{
	struct text_span part[2];
	long value = 0;

	if (published_match(attribute, attributes.s, attributes.end, part, 2))
		value = strtol(part[1].s, NULL, 10);
	return value > 0 ? value : 1;
}

/* Read the table whose "<table" is at text; a cell with a rowspan is repeated.
 * Returns its "</table", or the end. */
static const char *
read_html_table(struct published_reader *r, const char *text)
{
	static const char tag[] =
	    "(?is)<(?:(?<row>tr)\\b|t[dh]\\b(?<attributes>[^>]*+)"
	    "(?:>(?<text>.*?)(?=</?t(?:[dhr]|able)\\b"
	    "|</t(?:head|body)\\b|\\z))?|/table\\b)";
	long left[PUBLISHED_MAX_COLUMNS + 1] = { 0 };
	struct text_span part[4];
	const char *s = text + 1, *stop = r->end;

	while (!r->failed && published_match(tag, s, r->end, part, 4)) {
		size_t column;
		long down;

		s = part[0].end;
		if (part[1].s != NULL && r->n_rows > 0)
			add_reaching(r, left);
		if (part[1].s != NULL)
			reader_row(r, r->n_rows > 0 ? part[0].s : text);
		else if (part[2].s == NULL)
			stop = part[0].s;
		if (stop < r->end)
			break;
		if (part[3].s == NULL)
			continue;
		if (r->n_rows == 0)
			reader_row(r, part[0].s);
		add_reaching(r, left);
		column = r->rows[r->n_rows - 1].n_cells;
		down = attribute_of("(?i)rowspan[= \"']*(\\d{1,4})", part[2]);
		reader_cell(r,
		    published_plain(&r->p->arena, part[3].s, part[3].end),
		    part[0].s,
		    attribute_of("(?i)colspan[= \"']*(\\d{1,4})", part[2]));
		while (column < r->rows[r->n_rows - 1].n_cells)
			left[column++] = down - 1;
	}
	reader_finish(r);
	return stop;
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
	return published_match(
	    "\\A(?=[^=-]*+[=-])(?=[^|+]*+[|+])[ \\t|:+=-]++\\z", l.s, l.end,
	    NULL, 0);
}

/* Read the cells of a line, without quote marks and outer '|'. */
static void
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
		reader_cell(r, published_plain(&r->p->arena, cell.s, cell.end),
		    cell.s, 1);
		if (l.s >= l.end)
			return;
	}
}

void
published_block(struct published_reader *r)
{
	struct text_span l = text_line(r->at, r->end);

	for (int i = 0; l.s < r->end; i++, l = text_line_after(l, r->end))
		if (i != 1 || !is_dashes(l))
			read_row(r, l);
	reader_finish(r);
}

/* Read "## Results", also as an item of a list, "- ### FP16". A heading clears
 * those of lower levels.
 *
 * levels  heading of each level, or NULL */
static void
read_heading(
    struct published_reader *r, struct text_span l, const char **levels)
{
	static const char heading[] =
	    "\\A[ \\t]*+(?<item>-)?[ \\t-]*+(?<level>#{1,6})(?= )(?<text>.*)";
	struct text_span part[4];
	int level;

	if (!published_match(heading, l.s, l.end, part, 4))
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

void
published_markdown(struct published_reader *r)
{
	const char *levels[MAX_LEVEL] = { NULL };
	struct text_span table;
	long looked = 0;
	int fenced = 0; /* in a code block, '#' is no heading */

	while (!r->failed && r->at < r->end) {
		const struct text_span l = text_line(r->at, r->end);
		const char *stop = l.end;

		if (published_match(
			"\\A[ \\t]*+(?:```|~~~)", l.s, l.end, NULL, 0)) {
			fenced = !fenced;
		} else if (has_stroke(l) && !is_dashes(l) &&
		    is_dashes(text_line_after(l, r->end))) {
			struct text_span row = l;

			do {
				/* A box has a rule below each row. */
				if (!is_dashes(row))
					read_row(r, row);
				stop = row.end;
				row = text_line_after(row, r->end);
			} while (is_dashes(row) || has_stroke(row));
			reader_finish(r);
		} else if (!fenced &&
		    published_match("(?i)<table", l.s, l.end, &table, 1)) {
			r->at = read_html_table(r, table.s);
			continue;
		} else {
			if (!fenced)
				read_heading(r, l, levels);
			if (l.s < l.end && looked++ < MAX_LOOKED)
				stop = read_text_table(r, l);
		}
		r->at =
		    text_line_after((struct text_span){ stop, stop }, r->end).s;
	}
}
