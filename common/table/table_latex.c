/* LaTeX tables with booktabs, to be pasted into papers: scaled down to the page
 * width, with heads in two lines and a label. */
#include <config.h>

#include "common/table/table.h"

#include <ctype.h>
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
	size_t k;

	if (row->group && i > 0)
		fprintf(f, "%s  \\midrule\n", indent);
	if (row->group && row->group_title != NULL) {
		fprintf(f, "%s  \\multicolumn{%zu}{l}{\\emph{", indent,
		    t->n_columns);
		table_put(f, "^}} \\\\\n", row->group_title, latex);
	}
	fprintf(f, "%s  ", indent);
	for (k = 0; k < t->n_columns; k++) {
		fputs(k > 0 ? " & " : "", f);
		fputs(columns[k].is_wide ? "\\raggedright " : "", f);
		if (columns[k].is_wide)
			put_text(f, row->cells[k].text);
		else
			put_cell(f, &row->cells[k], columns[k].decimals);
	}
	fputs(columns[k - 1].is_wide ? " \\tabularnewline\n" : " \\\\\n", f);
}

/* Write the heads, and their units below if there are any. */
static void
put_heads(const struct table *t, const char *indent, FILE *f)
{
	int units = 0;

	fprintf(f, "%s  ", indent);
	for (size_t k = 0; k < t->n_columns; k++) {
		table_put(f, k > 0 ? " & ^" : "^", t->columns[k].head, latex);
		units |= t->columns[k].unit != NULL;
	}
	if (units)
		fprintf(f, " \\\\\n%s  ", indent);
	for (size_t k = 0; units && k < t->n_columns; k++) {
		fputs(k > 0 ? " & " : "", f);
		if (t->columns[k].unit != NULL)
			table_put(f, "(^)", t->columns[k].unit, latex);
	}
	fprintf(f, " \\\\\n%s  \\midrule\n", indent);
}

static void
put_tabular(const struct table *t, const char *indent, FILE *f)
{
	struct latex_column *columns = xcalloc(t->n_columns, sizeof *columns);

	fprintf(f, "%s\\begin{tabular}{", indent);
	for (size_t k = 0; k < t->n_columns; k++) {
		const enum table_align align = t->columns[k].align;
		struct latex_column *c = &columns[k];

		c->decimals = -1;
		for (size_t i = 0; i < t->n_rows; i++) {
			const char *text = t->rows[i].cells[k].text;
			const int own = decimals_of(text);

			c->is_wide |= align == TABLE_LEFT &&
			    utf8_width(text, strlen(text)) > WIDE_CELL;
			if (align == TABLE_DECIMAL && own > c->decimals)
				c->decimals = own;
		}
		fputs(c->is_wide              ? "p{0.4\\linewidth}"
			: align == TABLE_LEFT ? "l"
					      : "r",
		    f);
	}
	fprintf(f, "}\n%s  \\toprule\n", indent);
	put_heads(t, indent, f);
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(t, i, columns, indent, f);
	fprintf(f, "%s  \\bottomrule\n%s\\end{tabular}", indent, indent);
	free(columns);
}

/* Write the label, "tab:scaling-resnet50-fp32-batch-128": the name and the
 * alphanumeric words of the title. */
static void
put_label(const struct table *t, FILE *f)
{
	int gap = t->name != NULL;

	fprintf(f, "  \\label{tab:%s", t->name != NULL ? t->name : "");
	for (const char *p = t->title; *p != '\0'; p++) {
		if (!isalnum((unsigned char)*p)) {
			gap |= gap == 0 && p > t->title ? 1 : 0;
			continue;
		}
		if (gap)
			putc('-', f);
		gap = 0;
		putc(tolower((unsigned char)*p), f);
	}
	if (t->copies > 0)
		fprintf(f, "-%d", t->copies + 1);
	fputs("}\n", f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	(void)colour;
	fputs("% needs \\usepackage{booktabs,graphicx}\n", f);
	if (t->title == NULL && t->n_notes == 0) {
		put_tabular(t, "", f);
		putc('\n', f);
		return;
	}
	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL) {
		table_put(f, "  \\caption{^}\n", t->title, latex);
		put_label(t, f);
	}
	/* Natural width, at most that of the page. */
	fputs("  \\sbox0{%\n", f);
	put_tabular(t, "  ", f);
	fputs("}%\n"
	      "  \\ifdim\\wd0>\\linewidth"
	      "\\resizebox{\\linewidth}{!}{\\usebox0}"
	      "\\else\\usebox0\\fi\n",
	    f);
	for (size_t i = 0; i < t->n_notes; i++) {
		fputs(i > 0 ? "    \\par "
			    : "  \\par\\begin{minipage}{\\linewidth}"
			      "\\footnotesize\\raggedright\n    ",
		    f);
		put_text(f, t->notes[i]);
		putc('\n', f);
	}
	if (t->n_notes > 0)
		fputs("  \\end{minipage}\n", f);
	fputs("\\end{table}\n", f);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.write = latex_write };
