/* Tables with aligned columns: plain text, also wrapped, Markdown and LaTeX. */
#include <config.h>

#include "common/table/table.h"

#include <ctype.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

enum {
	MAX_LINE = 1 << 24,
	LINE_WIDTH = 80, /* terminal width, columns */
	NOTE_INDENT = 4,
	MIN_SENTENCE = 24,      /* columns; shorter text is not wrapped */
	MIN_MARKDOWN_WIDTH = 3, /* of a column */
	WIDE_CELL = 48          /* columns; wider text is wrapped in LaTeX */
};

/* Formatted column. */
struct text_column {
	const char **cells; /* [n_rows] aligned, or escaped */
	size_t width;       /* of cells, head and unit, in columns */
	size_t least;       /* width to which it may be shrunk */
	const char *rest;   /* of the cell that is being written */
	int is_wide;        /* LaTeX: cells are wrapped */
};

static size_t
max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Find the end of the first line of text, at most room columns wide. Wider
 * words are not broken. A line ends after a blank or after a full-width comma
 * or semicolon. */
static const char *
line_end(const char *text, size_t room)
{
	const char *p = text, *good = NULL;
	size_t used = 0;

	while (*p != '\0') {
		uint32_t cp;
		const size_t n = utf8_decode(p, strnlen(p, 4), &cp);

		if (p > text && p[-1] == ' ')
			good = p;
		if (p >= text + 3 &&
		    (memcmp(p - 3, "\xef\xbc\x8c", 3) == 0 ||
			memcmp(p - 3, "\xef\xbc\x9b", 3) == 0))
			good = p;
		used += utf8_width(p, n);
		if (used > room && cp != ' ' && good != NULL)
			return good;
		p += n;
	}
	return p;
}

/* Length without trailing blanks. */
static size_t
trimmed_length(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	return (size_t)(end - text);
}

/* --- decimal points ------------------------------------------------------- */

/* Length of a number ("2957.8", "-3", "12.3 k") before its decimal point, or of
 * its digits; 0 for other texts. */
static size_t
whole_length(const char *text)
{
	const size_t sign = strspn(text, "+-<>=~");

	return isdigit((unsigned char)text[sign])
	    ? sign + strspn(text + sign, "0123456789,")
	    : 0;
}

/* Pad the numbers among n texts so that their decimal points are aligned. */
static void
align_points(struct arena *a, const char **texts, size_t n)
{
	size_t before = 0, after = 0;

	for (size_t i = 0; i < 2 * n; i++) {
		const char *text = texts[i % n];
		const size_t whole = whole_length(text);
		const size_t tail = utf8_columns(text + whole);

		if (whole > 0 && i < n) {
			before = max_size(before, whole);
			after = max_size(after, tail);
		} else if (whole > 0) {
			texts[i % n] =
			    arena_printf(a, "%*s%s%*s", (int)(before - whole),
				"", text, (int)(after - tail), "");
		}
	}
}

/* Lay out a column, with its head as the cell to be written. */
static struct text_column
align_column(struct arena *a, const struct table *t, size_t column)
{
	const struct table_column *head = &t->columns[column];
	const size_t n = t->n_rows;
	const char **low = arena_calloc(a, n + 1, sizeof *low);
	const char **high = arena_calloc(a, n + 1, sizeof *high);
	struct text_column c = { .rest = head->head,
		.width = utf8_columns(head->head),
		.cells = arena_calloc(a, n + 1, sizeof *c.cells) };

	if (head->unit != NULL)
		c.width = max_size(c.width, utf8_columns(head->unit) + 2);
	for (size_t i = 0; i < n; i++) {
		const char *text = t->rows[i].cells[column].text;
		const char *comma = strstr(text, ", "),
			   *end = strchr(text, ']');

		c.cells[i] = text;
		low[i] = high[i] = "";
		if (head->align == TABLE_INTERVAL && text[0] == '[' &&
		    comma != NULL && end > comma) {
			low[i] = arena_strndup(
			    a, text + 1, (size_t)(comma - text) - 1);
			high[i] = arena_strndup(
			    a, comma + 2, (size_t)(end - comma) - 2);
		}
	}
	if (head->align == TABLE_DECIMAL)
		align_points(a, c.cells, n);
	align_points(a, low, n);
	align_points(a, high, n);
	for (size_t i = 0; i < n; i++) {
		if (low[i][0] != '\0')
			c.cells[i] =
			    arena_printf(a, "[%s, %s]", low[i], high[i]);
		c.width = max_size(c.width, utf8_columns(c.cells[i]));
	}
	return c;
}

/* --- text ----------------------------------------------------------------- */

static const char *const escapes[] = {
	[TABLE_PLAIN] = "",
	[TABLE_STRONG] = "\033[1m",
	[TABLE_FAINT] = "\033[2m",
	[TABLE_GOOD] = "\033[32m",
	[TABLE_BAD] = "\033[31m",
};

/* State of writing a table to f. */
struct text_table {
	const struct table *t;
	struct text_column *columns; /* [n_columns] */
	struct strbuf line;
	struct arena arena;
	int colour;
	FILE *f;
};

/* Shrink columns of sentences until the table fits the terminal: the widest
 * first, none below MIN_SENTENCE, its head or its widest word. */
static void
fit_columns(struct text_table *x)
{
	const struct table *t = x->t;
	size_t total = 2 * (t->n_columns - 1);

	for (size_t k = 0; k < t->n_columns; k++) {
		struct text_column *c = &x->columns[k];

		total += c->least = c->width;
		if (t->columns[k].align != TABLE_LEFT ||
		    c->width <= MIN_SENTENCE)
			continue;
		c->least =
		    max_size(MIN_SENTENCE, utf8_columns(t->columns[k].head));
		for (size_t i = 0; i < t->n_rows; i++)
			for (const char *s = c->cells[i], *end; *s != '\0';
			     s = end) {
				end = line_end(s, 0);
				c->least = max_size(c->least,
				    utf8_width(s, trimmed_length(s, end)));
			}
	}
	for (; total > LINE_WIDTH; total--) {
		struct text_column *widest = NULL, *c;

		for (size_t k = 0; k < t->n_columns; k++) {
			c = &x->columns[k];
			if (c->width > c->least &&
			    (widest == NULL || c->width > widest->width))
				widest = c;
		}
		if (widest == NULL)
			break;
		widest->width--;
	}
}

/* Write the line without trailing spaces, and empty it. */
static void
put_line(struct text_table *x)
{
	const size_t len =
	    trimmed_length(x->line.buf, x->line.buf + x->line.len);

	fprintf(x->f, "%.*s\n", (int)len, x->line.buf);
	strbuf_reset(&x->line);
}

static void
put_rule(struct text_table *x, const char *gap)
{
	for (size_t k = 0; k < x->t->n_columns; k++) {
		strbuf_addstr(&x->line, k > 0 ? gap : "");
		strbuf_addchars(&x->line, '-', x->columns[k].width);
	}
	put_line(x);
}

/* Write the rest of each column as a row, in several lines if texts are
 * wrapped.
 *
 * row  NULL: all cells have this emphasis */
static void
put_row(struct text_table *x, const struct table_row *row,
    enum table_emphasis emphasis)
{
	int more = 1;

	for (; more; put_line(x)) {
		more = 0;
		for (size_t k = 0; k < x->t->n_columns; k++) {
			struct text_column *c = &x->columns[k];
			const int left = x->t->columns[k].align == TABLE_LEFT;
			const char *escape =
			    escapes[row ? row->cells[k].emphasis : emphasis];
			const char *text = c->rest,
				   *end = line_end(
				       text, left ? c->width : SIZE_MAX);
			const size_t shown = trimmed_length(text, end);
			const size_t blanks = left ? 0 : strspn(text, " ");
			const size_t len = left ? shown : (size_t)(end - text);
			const size_t width = utf8_width(text, len);
			const size_t pad =
			    c->width > width ? c->width - width : 0;

			strbuf_addstr(&x->line, k > 0 ? "  " : "");
			strbuf_addchars(
			    &x->line, ' ', blanks + (left ? 0 : pad));
			if (x->colour && shown > 0)
				strbuf_addstr(&x->line, escape);
			strbuf_add(&x->line, text + blanks, shown - blanks);
			if (x->colour && shown > 0 && escape[0] != '\0')
				strbuf_addstr(&x->line, "\033[0m");
			strbuf_addchars(
			    &x->line, ' ', len - shown + (left ? pad : 0));
			c->rest = end;
			more |= *end != '\0';
		}
	}
}

static void
put_strong(const struct text_table *x, const char *text)
{
	fprintf(x->f, x->colour ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

static void
text_write(const struct table *t, enum table_colour on, FILE *f)
{
	struct text_table x = { .t = t,
		.line = STRBUF_INIT(MAX_LINE),
		.colour = on == TABLE_COLOUR_ON,
		.f = f };
	int units = 0;

	x.columns = arena_calloc(&x.arena, t->n_columns, sizeof *x.columns);
	for (size_t k = 0; k < t->n_columns; k++) {
		x.columns[k] = align_column(&x.arena, t, k);
		units |= t->columns[k].unit != NULL;
	}
	fit_columns(&x);
	if (t->title != NULL && t->title[0] != '\0') {
		put_strong(&x, t->title);
		putc('\n', f);
	}
	put_row(&x, NULL, TABLE_STRONG);
	for (size_t k = 0; k < t->n_columns; k++)
		if (t->columns[k].unit != NULL)
			x.columns[k].rest =
			    arena_printf(&x.arena, "(%s)", t->columns[k].unit);
	if (units)
		put_row(&x, NULL, TABLE_PLAIN);
	put_rule(&x, "  ");
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0 && row->group_title == NULL)
			put_rule(&x, "--");
		else if (row->group && i > 0)
			putc('\n', f);
		if (row->group && row->group_title != NULL)
			put_strong(&x, row->group_title);
		for (size_t k = 0; k < t->n_columns; k++)
			x.columns[k].rest = x.columns[k].cells[i];
		put_row(&x, row, TABLE_PLAIN);
	}
	for (size_t i = 0; i < t->n_notes; i++) {
		int indent = 0;

		fputs(i == 0 ? "\n" : "", f);
		for (const char *s = t->notes[i], *end; *s != '\0'; s = end) {
			end = line_end(s, (size_t)(LINE_WIDTH - indent));
			fprintf(f, "%*s%.*s\n", indent, "",
			    (int)trimmed_length(s, end), s);
			indent = NOTE_INDENT;
		}
	}
	strbuf_release(&x.line);
	arena_release(&x.arena);
}

const struct table_format table_text = { "text", "txt", .between = "\n",
	.write = text_write };

/* --- Markdown ------------------------------------------------------------- */

static int
is_word(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80) != 0;
}

/* Escape a text for Markdown, between marks unless it is empty. Underscores
 * inside a word ("r50_b128"), a lone tilde, "<0.01" and "A & B" are not markup
 * and are kept as they are, so that the source is readable. */
static const char *
escaped(struct arena *a, const char *text, const char *mark)
{
	const int tildes = strchr(text, '~') != strrchr(text, '~');
	struct strbuf sb = STRBUF_INIT(MAX_LINE);

	if (text[0] == '\0')
		return "";
	strbuf_addstr(&sb, mark);
	for (const char *p = text; *p != '\0'; p++) {
		const int word = is_word(p[1]);

		if (strchr("\\|`*[]", *p) != NULL || (*p == '~' && tildes) ||
		    (*p == '_' && (p == text || !is_word(p[-1]) || !word)) ||
		    (*p == '<' &&
			(word ? p[1] > '9' : strchr("/!?", p[1]) != NULL)) ||
		    (*p == '&' && (word || p[1] == '#')))
			strbuf_addch(&sb, '\\');
		strbuf_addch(&sb, *p);
	}
	strbuf_addstr(&sb, mark);
	return strbuf_finish(&sb, a);
}

/* Write a cell and its bar, padded so that the source is readable. */
static void
put_padded(const struct text_table *x, size_t k, const char *text, int left)
{
	const int pad = (int)(x->columns[k].width - utf8_columns(text));

	fprintf(x->f, "%s %*s%s%*s |%s", k == 0 ? "|" : "", left ? 0 : pad, "",
	    text, left ? pad : 0, "", k + 1 == x->t->n_columns ? "\n" : "");
}

/* Markdown has no spanning cells: a group's title is in the first column of a
 * row of its own. */
static void
markdown_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct text_table x = { .t = t, .f = f };
	struct arena *a = &x.arena;

	(void)colour;
	x.columns = arena_calloc(a, t->n_columns, sizeof *x.columns);
	if (t->title != NULL && t->title[0] != '\0')
		fprintf(f, "**%s**\n\n", escaped(a, t->title, ""));
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *head = &t->columns[k];
		struct text_column *c = &x.columns[k];

		c->cells = arena_calloc(a, t->n_rows + 1, sizeof *c->cells);
		c->rest = escaped(a, head->head, "");
		if (head->unit != NULL)
			c->rest = arena_printf(
			    a, "%s (%s)", c->rest, escaped(a, head->unit, ""));
		c->width = max_size(MIN_MARKDOWN_WIDTH, utf8_columns(c->rest));
		for (size_t i = 0; i < t->n_rows; i++) {
			const struct table_row *row = &t->rows[i];
			const char *title = row->group_title;

			c->cells[i] = escaped(a, row->cells[k].text,
			    row->cells[k].emphasis == TABLE_STRONG ? "**" : "");
			c->width =
			    max_size(c->width, utf8_columns(c->cells[i]));
			if (k == 0 && title != NULL)
				c->width = max_size(c->width,
				    utf8_columns(escaped(a, title, "**")));
		}
		put_padded(&x, k, c->rest, head->align == TABLE_LEFT);
	}
	putc('|', f);
	for (size_t k = 0; k < t->n_columns; k++) {
		const int left = t->columns[k].align == TABLE_LEFT;

		putc(left ? ':' : '-', f);
		for (size_t i = 0; i < x.columns[k].width; i++)
			putc('-', f);
		fputs(left ? "-|" : ":|", f);
	}
	putc('\n', f);
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *title = t->rows[i].group_title;

		for (size_t k = 0; title != NULL && k < t->n_columns; k++)
			put_padded(
			    &x, k, k > 0 ? "" : escaped(a, title, "**"), 1);
		for (size_t k = 0; k < t->n_columns; k++)
			put_padded(&x, k, x.columns[k].cells[i],
			    t->columns[k].align == TABLE_LEFT);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(f, "%s- %s\n", i == 0 ? "\n" : "",
		    escaped(a, t->notes[i], ""));
	arena_release(&x.arena);
}

const struct table_format table_markdown = { "markdown", "md", .between = "\n",
	.write = markdown_write };

/* --- LaTeX ---------------------------------------------------------------- */

/* Tables for papers have a second line of heads for the units, and a label. A
 * table wider than a page is split into several. */

/* At the start of a row, '[' or '*' would be an argument of the "\\" before. */
static const struct table_escape latex[] = {
	{ '\\', "\\textbackslash{}" },
	{ '{', "\\{" },
	{ '}', "\\}" },
	{ '$', "\\$" },
	{ '&', "\\&" },
	{ '#', "\\#" },
	{ '_', "\\_" },
	{ '%', "\\%" },
	{ '~', "\\textasciitilde{}" },
	{ '^', "\\textasciicircum{}" },
	{ '<', "\\textless{}" },
	{ '>', "\\textgreater{}" },
	{ '|', "\\textbar{}" },
	{ '[', "{[}" },
	{ ']', "{]}" },
	{ '*', "{*}" },
	{ 0, NULL },
};

enum latex_row { HEADS, UNITS, ROW };

/* State of writing a table. */
struct latex_table {
	const struct table *t;
	struct text_column *columns; /* [t->n_columns] */
	/* Columns of the part: the first n_keys, and [from, to). */
	size_t n_keys, from, to;
	FILE *f;
};

/* Write wrapped text. Allows breaks in paths and options, and keeps "--" from
 * becoming a dash. */
static void
put_text(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		const char one[] = { *text, '\0' };

		table_put(f, "^", one, latex);
		if (strchr("/_=", *text) != NULL)
			fputs("\\allowbreak{}", f);
		else if (text[0] == '-' && text[1] == '-')
			fputs("{}", f);
	}
}

/* Write a cell in one line. Invisible digits after a number align decimal
 * points without a package. */
static void
put_cell(const struct latex_table *x, size_t column, size_t i)
{
	const struct table_cell *cell = &x->t->rows[i].cells[column];
	const int strong = cell->emphasis == TABLE_STRONG;
	const int minus =
	    cell->text[0] == '-' && isdigit((unsigned char)cell->text[1]);
	const char *aligned = x->columns[column].cells[i];
	const char *end = aligned + strlen(aligned);
	const char *point = aligned + trimmed_length(aligned, end);

	fputs(strong ? "\\textbf{" : "", x->f);
	fputs(minus ? "$-$" : "", x->f);
	table_put(x->f, strong ? "^}" : "^", cell->text + minus, latex);
	if (x->t->columns[column].align != TABLE_DECIMAL || point == end)
		return;
	fputs("\\phantom{", x->f);
	if (strchr(cell->text, '.') == NULL) {
		putc('.', x->f);
		point++;
	}
	for (; point < end; point++)
		putc('0', x->f);
	putc('}', x->f);
}

/* Write the heads, the units or a row. */
static void
put_cells(const struct latex_table *x, enum latex_row what, size_t i)
{
	const char *gap = "    ", *end = "";

	for (size_t k = 0; k < x->to; k++) {
		const struct table_column *head = &x->t->columns[k];
		const int is_wide = what == ROW && x->columns[k].is_wide;

		if (k >= x->n_keys && k < x->from)
			continue;
		fputs(gap, x->f);
		if (is_wide) {
			fputs("\\raggedright ", x->f);
			put_text(x->f, x->t->rows[i].cells[k].text);
		} else if (what == ROW) {
			put_cell(x, k, i);
		} else if (what == HEADS) {
			table_put(x->f, "^", head->head, latex);
		} else if (head->unit != NULL) {
			table_put(x->f, "(^)", head->unit, latex);
		}
		gap = " & ";
		end = is_wide ? " \\tabularnewline\n" : " \\\\\n";
	}
	fputs(end, x->f);
}

/* Write the tabular environment, with a row of units if any column has one. */
static void
put_tabular(const struct latex_table *x)
{
	const struct table *t = x->t;
	FILE *f = x->f;
	size_t n = 0;
	int units = 0;

	fputs("  \\begin{tabular}{", f);
	for (size_t k = 0; k < x->to; k++) {
		if (k >= x->n_keys && k < x->from)
			continue;
		fputs(x->columns[k].is_wide ? "p{0.4\\linewidth}"
			: t->columns[k].align == TABLE_LEFT ? "l"
							    : "r",
		    f);
		units |= t->columns[k].unit != NULL;
		n++;
	}
	fputs("}\n    \\toprule\n", f);
	put_cells(x, HEADS, 0);
	if (units)
		put_cells(x, UNITS, 0);
	fputs("    \\midrule\n", f);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0)
			fputs("    \\midrule\n", f);
		if (row->group_title != NULL) {
			fprintf(f, "    \\multicolumn{%zu}{l}{\\emph{", n);
			table_put(f, "^}} \\\\\n", row->group_title, latex);
		}
		put_cells(x, ROW, i);
	}
	fputs("    \\bottomrule\n  \\end{tabular}", f);
}

/* Write the columns shown. The label is "tab:scaling-resnet50-fp32-batch-128":
 * the name and the alphanumeric words of the title.
 *
 * part  from 1; 0: the only one */
static void
put_part(const struct latex_table *x, int part)
{
	const struct table *t = x->t;
	int gap = t->name != NULL;
	FILE *f = x->f;

	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL) {
		table_put(f, "  \\caption{^", t->title, latex);
		if (part > 0)
			fprintf(f, " (%d)", part);
		fprintf(
		    f, "}\n  \\label{tab:%s", t->name != NULL ? t->name : "");
		for (const char *p = t->title; *p != '\0'; p++)
			if (isalnum((unsigned char)*p)) {
				fputs(gap ? "-" : "", f);
				gap = 0;
				putc(tolower((unsigned char)*p), f);
			} else {
				gap |= p > t->title;
			}
		if (t->copies > 0)
			fprintf(f, "-%d", t->copies + 1);
		if (part > 1)
			fprintf(f, "-part-%d", part);
		fputs("}\n", f);
	}
	/* Natural size if it fits the line, else reduced, at most to 0.8. */
	fputs("  \\sbox0{%\n", f);
	put_tabular(x);
	fputs("}%\n"
	      "  \\ifdim\\wd0>1.25\\linewidth\\scalebox{0.8}{\\usebox0}"
	      "\\else\\ifdim\\wd0>\\linewidth"
	      "\\resizebox{\\linewidth}{!}{\\usebox0}"
	      "\\else\\usebox0\\fi\\fi\n",
	    f);
	for (size_t i = 0; i < t->n_notes; i++) {
		fputs(i > 0 ? "    \\par "
			    : "  \\par\\begin{minipage}{\\linewidth}"
			      "\\footnotesize\\raggedright\n    ",
		    f);
		put_text(f, t->notes[i]);
		putc('\n', f);
	}
	fputs(t->n_notes > 0 ? "  \\end{minipage}\n" : "", f);
	fputs("\\end{table}\n", f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	enum {
		AROUND = 3, /* \tabcolsep on both sides */
		PAGE = 125  /* digits per line on A4, at 0.8 of the size */
	};
	struct arena a = ARENA_INIT;
	struct latex_table x = { .t = t, .f = f };
	size_t all = 0, keys = 0;
	int part = 1;

	(void)colour;
	x.columns = arena_calloc(&a, t->n_columns, sizeof *x.columns);
	for (size_t k = 0; k < t->n_columns; k++) {
		struct text_column *c = &x.columns[k];

		*c = align_column(&a, t, k);
		c->is_wide =
		    t->columns[k].align == TABLE_LEFT && c->width > WIDE_CELL;
		c->width = (c->is_wide ? WIDE_CELL : c->width) + AROUND;
		all += c->width;
	}
	/* Each part has the columns before the first numeric one, and as many
	 * of the others as fit on a page. */
	while (x.n_keys < t->n_columns &&
	    t->columns[x.n_keys].align != TABLE_DECIMAL)
		keys += x.columns[x.n_keys++].width;
	x.to = x.n_keys;
	do {
		size_t width = keys;

		for (x.from = x.to; x.to < t->n_columns; x.to++) {
			width += x.columns[x.to].width;
			if (all > PAGE && x.to > x.from && width > PAGE)
				break;
		}
		put_part(&x, part == 1 && x.to == t->n_columns ? 0 : part);
		part++;
	} while (x.to < t->n_columns);
	arena_release(&a);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.start =
	    "% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n",
	.write = latex_write };
