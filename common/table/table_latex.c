/* LaTeX tables with booktabs, to be pasted into papers: with heads in two lines
 * and a label; tables wider than a page become several. */
#include <config.h>

#include "common/table/table.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/utf8.h"

/* After the "\\" of the previous row, '[' and '*' would be its argument. */
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

/* Width in characters from which text columns are wrapped. */
enum { WIDE_CELL = 48 };

/* Digits after the decimal point if the whole text is a number, else -1. */
static int
decimals_of(const char *text)
{
	size_t whole, digits;

	if (!table_is_number(text, &whole))
		return -1;
	text += whole;
	if (*text == '\0')
		return 0;
	digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;
	return digits > 0 && text[1 + digits] == '\0' ? (int)digits : -1;
}

/* Layout of a column. */
struct latex_column {
	int is_wide;  /* 1: cells are wrapped */
	int decimals; /* maximum of the column; -1: points are not aligned */
	int width;    /* with the space around it, in digits of the font */
	int shown;    /* 1: in the part that is written */
};

/* Write a cell in one line. Invisible digits after a number align decimal
 * points without a package. */
static void
put_cell(FILE *f, const struct table_cell *cell, int most)
{
	const int strong = cell->emphasis == TABLE_STRONG;
	int own = decimals_of(cell->text);
	const int minus = cell->text[0] == '-' && own >= 0;

	fputs(strong ? "\\textbf{" : "", f);
	fputs(minus ? "$-$" : "", f);
	table_put(f, strong ? "^}" : "^", cell->text + minus, latex);
	if (own < 0 || own >= most)
		return;
	fputs(own == 0 ? "\\phantom{." : "\\phantom{", f);
	for (; own < most; own++)
		putc('0', f);
	putc('}', f);
}

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

static void
put_row(const struct table *t, size_t i, const struct latex_column *columns,
    const char *indent, FILE *f)
{
	const struct table_row *row = &t->rows[i];
	size_t last = 0, n_shown = 0;

	for (size_t k = 0; k < t->n_columns; k++)
		n_shown += (size_t)columns[k].shown;
	if (row->group && i > 0)
		fprintf(f, "%s  \\midrule\n", indent);
	if (row->group && row->group_title != NULL) {
		fprintf(
		    f, "%s  \\multicolumn{%zu}{l}{\\emph{", indent, n_shown);
		table_put(f, "^}} \\\\\n", row->group_title, latex);
	}
	fprintf(f, "%s  ", indent);
	for (size_t k = 0; k < t->n_columns; k++) {
		if (!columns[k].shown)
			continue;
		fputs(k > 0 ? " & " : "", f);
		fputs(columns[k].is_wide ? "\\raggedright " : "", f);
		last = k;
		if (columns[k].is_wide)
			put_text(f, row->cells[k].text);
		else
			put_cell(f, &row->cells[k], columns[k].decimals);
	}
	fputs(columns[last].is_wide ? " \\tabularnewline\n" : " \\\\\n", f);
}

/* Measure the columns; none is shown. */
static struct latex_column *
measure_columns(const struct table *t)
{
	enum { AROUND = 3 }; /* \tabcolsep on both sides */
	struct latex_column *columns = xcalloc(t->n_columns, sizeof *columns);

	for (size_t k = 0; k < t->n_columns; k++) {
		const enum table_align align = t->columns[k].align;
		const char *unit = t->columns[k].unit;
		struct latex_column *c = &columns[k];

		c->decimals = -1;
		c->width = (int)utf8_columns(t->columns[k].head);
		if (unit != NULL && (int)utf8_columns(unit) + 2 > c->width)
			c->width = (int)utf8_columns(unit) + 2;
		for (size_t i = 0; i < t->n_rows; i++) {
			const char *text = t->rows[i].cells[k].text;
			const int own = decimals_of(text);
			const int width = (int)utf8_columns(text);

			c->is_wide |= align == TABLE_LEFT && width > WIDE_CELL;
			if (align == TABLE_DECIMAL && own > c->decimals)
				c->decimals = own;
			if (width > c->width)
				c->width = width;
		}
		if (c->is_wide)
			c->width = WIDE_CELL;
		c->width += AROUND;
	}
	return columns;
}

/* Show the next part: the columns before the first of numbers, and as many from
 * `from` on as fit on a page. Returns the first column of the next part. */
static size_t
show_part(const struct table *t, struct latex_column *columns, size_t from)
{
	enum { PAGE = 125 }; /* digits in 0.8 of the size on A4 */
	size_t n_keys = 0, end;
	int width = 0, all = 0;

	while (
	    n_keys < t->n_columns && t->columns[n_keys].align != TABLE_DECIMAL)
		width += columns[n_keys++].width;
	for (size_t k = 0; k < t->n_columns; k++)
		all += columns[k].width;
	from = from < n_keys ? n_keys : from;
	for (end = from; end < t->n_columns; end++) {
		if (all > PAGE && end > from &&
		    width + columns[end].width > PAGE)
			break;
		width += columns[end].width;
	}
	for (size_t k = 0; k < t->n_columns; k++)
		columns[k].shown = k < n_keys || (k >= from && k < end);
	return end;
}

/* The units are below the heads, if there are any. */
static void
put_tabular(const struct table *t, const struct latex_column *columns,
    const char *indent, FILE *f)
{
	int units = 0;

	fprintf(f, "%s\\begin{tabular}{", indent);
	for (size_t k = 0; k < t->n_columns; k++)
		if (columns[k].shown)
			fputs(columns[k].is_wide ? "p{0.4\\linewidth}"
				: t->columns[k].align == TABLE_LEFT ? "l"
								    : "r",
			    f);
	fprintf(f, "}\n%s  \\toprule\n%s  ", indent, indent);
	for (size_t k = 0; k < t->n_columns; k++) {
		if (!columns[k].shown)
			continue;
		table_put(f, k > 0 ? " & ^" : "^", t->columns[k].head, latex);
		units |= t->columns[k].unit != NULL;
	}
	if (units)
		fprintf(f, " \\\\\n%s  ", indent);
	for (size_t k = 0; units && k < t->n_columns; k++) {
		if (!columns[k].shown)
			continue;
		fputs(k > 0 ? " & " : "", f);
		if (t->columns[k].unit != NULL)
			table_put(f, "(^)", t->columns[k].unit, latex);
	}
	fprintf(f, " \\\\\n%s  \\midrule\n", indent);
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(t, i, columns, indent, f);
	fprintf(f, "%s  \\bottomrule\n%s\\end{tabular}", indent, indent);
}

/* Write the columns shown, one of `parts` tables. Its label is
 * "tab:scaling-resnet50-fp32-batch-128": the name and the alphanumeric words of
 * the title.
 *
 * part  from 1 */
static void
put_part(const struct table *t, const struct latex_column *columns, int part,
    int parts, FILE *f)
{
	int gap = t->name != NULL;

	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL) {
		table_put(f, "  \\caption{^", t->title, latex);
		if (parts > 1)
			fprintf(f, " (%d/%d)", part, parts);
		fprintf(
		    f, "}\n  \\label{tab:%s", t->name != NULL ? t->name : "");
	}
	for (const char *p = t->title; p != NULL && *p != '\0'; p++)
		if (isalnum((unsigned char)*p)) {
			fputs(gap ? "-" : "", f);
			gap = 0;
			putc(tolower((unsigned char)*p), f);
		} else {
			gap |= p > t->title;
		}
	if (t->title != NULL && t->copies > 0)
		fprintf(f, "-%d", t->copies + 1);
	if (t->title != NULL && part > 1)
		fprintf(f, "-part-%d", part);
	fputs(t->title != NULL ? "}\n" : "", f);
	/* Natural width if that of the page allows, and at least 0.8 of it. */
	fputs("  \\sbox0{%\n", f);
	put_tabular(t, columns, "  ", f);
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
	fputs(t->n_notes > 0 ? "  \\end{minipage}\n\\end{table}\n"
			     : "\\end{table}\n",
	    f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct latex_column *columns = measure_columns(t);
	char *text;
	size_t len, from = 0;
	FILE *m = open_memstream(&text, &len);
	int parts = 0;

	(void)colour;
	if (m == NULL)
		xmalloc(SIZE_MAX); /* exits with "out of memory" */
	for (; from < t->n_columns; parts++)
		from = show_part(t, columns, from);
	if (t->title == NULL && t->n_notes == 0 && parts == 1) {
		put_tabular(t, columns, "", m);
		putc('\n', m);
		parts = 0;
	}
	from = 0;
	for (int part = 1; part <= parts; part++) {
		from = show_part(t, columns, from);
		put_part(t, columns, part, parts, m);
	}
	free(columns);
	if (ferror(m) || fclose(m) != 0)
		xmalloc(SIZE_MAX);
	fprintf(f, "%% needs \\usepackage{booktabs,graphicx%s\n%s",
	    utf8_has_wide(text) ? ",ctex} and xelatex or lualatex" : "}", text);
	free(text);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.write = latex_write };
