/* LaTeX tables with booktabs, to be pasted into papers: with heads in two lines
 * and a label, scaled to the page if they are wider. */
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

/* State of writing a table. */
struct latex_table {
	const struct table *t;
	int *is_wide; /* [t->n_columns] 1: cells are wrapped */
	FILE *f;
};

static void
put_cell(FILE *f, const struct table_cell *cell)
{
	const int minus = cell->text[0] == '-' && table_is_decimal(cell->text);

	fputs(cell->emphasis == TABLE_STRONG ? "\\textbf{" : "", f);
	fputs(minus ? "$-$" : "", f);
	table_put(f, cell->emphasis == TABLE_STRONG ? "^}" : "^",
	    cell->text + minus, latex);
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
put_row(const struct latex_table *x, size_t i, const char *indent)
{
	const struct table_row *row = &x->t->rows[i];
	const size_t n = x->t->n_columns;
	FILE *f = x->f;

	if (row->group && i > 0)
		fprintf(f, "%s  \\midrule\n", indent);
	if (row->group && row->group_title != NULL) {
		fprintf(f, "%s  \\multicolumn{%zu}{l}{\\emph{", indent, n);
		table_put(f, "^}} \\\\\n", row->group_title, latex);
	}
	for (size_t k = 0; k < n; k++) {
		fprintf(f, "%s%s%s", k == 0 ? indent : " & ",
		    k == 0 ? "  " : "", x->is_wide[k] ? "\\raggedright " : "");
		if (x->is_wide[k])
			put_text(f, row->cells[k].text);
		else
			put_cell(f, &row->cells[k]);
	}
	fputs(x->is_wide[n - 1] ? " \\tabularnewline\n" : " \\\\\n", f);
}

/* The units are below the heads, if there are any. */
static void
put_tabular(const struct latex_table *x, const char *indent)
{
	const struct table *t = x->t;
	FILE *f = x->f;
	int units = 0;

	fprintf(f, "%s\\begin{tabular}{", indent);
	for (size_t k = 0; k < t->n_columns; k++)
		fputs(x->is_wide[k] ? "p{0.4\\linewidth}"
			: t->columns[k].align == TABLE_LEFT ? "l"
							    : "r",
		    f);
	fprintf(f, "}\n%s  \\toprule\n%s  ", indent, indent);
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
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(x, i, indent);
	fprintf(f, "%s  \\bottomrule\n%s\\end{tabular}", indent, indent);
}

/* Write caption and label, "tab:scaling-resnet50-fp32-batch-128": the name and
 * the alphanumeric words of the title. */
static void
put_caption(const struct table *t, FILE *f)
{
	int gap = t->name != NULL;

	table_put(f, "  \\caption{^}\n  \\label{tab:", t->title, latex);
	fputs(t->name != NULL ? t->name : "", f);
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
	fputs("}\n", f);
}

/* Write a table with a title or notes. */
static void
put_float(const struct latex_table *x)
{
	const struct table *t = x->t;
	FILE *f = x->f;

	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL)
		put_caption(t, f);
	fputs("  \\sbox0{%\n", f);
	put_tabular(x, "  ");
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
	fputs(t->n_notes > 0 ? "  \\end{minipage}\n\\end{table}\n"
			     : "\\end{table}\n",
	    f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct latex_table x = { .t = t,
		.is_wide = xcalloc(t->n_columns, sizeof *x.is_wide) };
	char *text;
	size_t len;

	(void)colour;
	x.f = open_memstream(&text, &len);
	if (x.f == NULL)
		xmalloc(SIZE_MAX); /* exits with "out of memory" */
	for (size_t k = 0; k < t->n_columns; k++)
		for (size_t i = 0; i < t->n_rows; i++)
			x.is_wide[k] |= t->columns[k].align == TABLE_LEFT &&
			    utf8_columns(t->rows[i].cells[k].text) > WIDE_CELL;
	if (t->title == NULL && t->n_notes == 0) {
		put_tabular(&x, "");
		putc('\n', x.f);
	} else {
		put_float(&x);
	}
	free(x.is_wide);
	if (ferror(x.f) || fclose(x.f) != 0)
		xmalloc(SIZE_MAX);
	fprintf(f, "%% needs \\usepackage{booktabs,graphicx%s\n%s",
	    utf8_has_wide(text) ? ",ctex} and xelatex or lualatex" : "}", text);
	free(text);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.write = latex_write };
