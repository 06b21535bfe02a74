/* LaTeX tables with booktabs, to be pasted into papers: with heads in two lines
 * and a label; tables wider than a page become several. */
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
	int width;    /* with the space around it, in digits of the font */
};

/* State of writing a table. */
struct latex_table {
	const struct table *t;
	struct latex_column *columns; /* [t->n_columns] */
	size_t *shown;                /* [n_shown] columns of the part */
	size_t n_shown;
	FILE *f;
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

/* Show the next part: the columns before the first of numbers, and as many from
 * `from` on as fit on a page. Returns the first column of the next part. */
static size_t
show_part(struct latex_table *x, size_t from)
{
	enum { PAGE = 125 }; /* digits in 0.8 of the size on A4 */
	const size_t n = x->t->n_columns;
	int width = 0, all = 0;
	size_t n_keys = 0;

	for (size_t k = 0; k < n; k++)
		all += x->columns[k].width;
	for (; n_keys < n && x->t->columns[n_keys].align != TABLE_DECIMAL;
	     n_keys++) {
		width += x->columns[n_keys].width;
		x->shown[n_keys] = n_keys;
	}
	x->n_shown = n_keys;
	for (from = from < n_keys ? n_keys : from; from < n; from++) {
		width += x->columns[from].width;
		if (all > PAGE && x->n_shown > n_keys && width > PAGE)
			break;
		x->shown[x->n_shown++] = from;
	}
	return from;
}

static void
put_row(const struct latex_table *x, size_t i)
{
	const struct table_row *row = &x->t->rows[i];
	const struct latex_column *c = NULL;
	FILE *f = x->f;

	if (row->group && i > 0)
		fputs("    \\midrule\n", f);
	if (row->group && row->group_title != NULL) {
		fprintf(f, "    \\multicolumn{%zu}{l}{\\emph{", x->n_shown);
		table_put(f, "^}} \\\\\n", row->group_title, latex);
	}
	for (size_t k = 0; k < x->n_shown; k++) {
		const struct table_cell *cell = &row->cells[x->shown[k]];

		c = &x->columns[x->shown[k]];
		fprintf(f, "%s%s", k == 0 ? "    " : " & ",
		    c->is_wide ? "\\raggedright " : "");
		if (c->is_wide)
			put_text(f, cell->text);
		else
			put_cell(f, cell, c->decimals);
	}
	fputs(c->is_wide ? " \\tabularnewline\n" : " \\\\\n", f);
}

/* The units are below the heads, if there are any. */
static void
put_tabular(const struct latex_table *x)
{
	const struct table *t = x->t;
	FILE *f = x->f;
	int units = 0;

	fputs("  \\begin{tabular}{", f);
	for (size_t i = 0; i < x->n_shown; i++)
		fputs(x->columns[x->shown[i]].is_wide ? "p{0.4\\linewidth}"
			: t->columns[x->shown[i]].align == TABLE_LEFT ? "l"
								      : "r",
		    f);
	fputs("}\n    \\toprule\n    ", f);
	for (size_t i = 0; i < x->n_shown; i++) {
		const struct table_column *head = &t->columns[x->shown[i]];

		table_put(f, i > 0 ? " & ^" : "^", head->head, latex);
		units |= head->unit != NULL;
	}
	if (units)
		fputs(" \\\\\n    ", f);
	for (size_t i = 0; units && i < x->n_shown; i++) {
		const char *unit = t->columns[x->shown[i]].unit;

		fputs(i > 0 ? " & " : "", f);
		table_put(f, unit != NULL ? "(^)" : "^",
		    unit != NULL ? unit : "", latex);
	}
	fputs(" \\\\\n    \\midrule\n", f);
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(x, i);
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
	fputs(t->n_notes > 0 ? "  \\end{minipage}\n\\end{table}\n"
			     : "\\end{table}\n",
	    f);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	enum { AROUND = 3 }; /* \tabcolsep on both sides */
	struct latex_table x = { .t = t,
		.columns = xcalloc(t->n_columns, sizeof *x.columns),
		.shown = xcalloc(t->n_columns, sizeof *x.shown),
		.f = f };
	size_t from = 0;

	(void)colour;
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *head = &t->columns[k];
		const int unit =
		    head->unit == NULL ? 0 : (int)utf8_columns(head->unit) + 2;
		struct latex_column *c = &x.columns[k];

		c->decimals = -1;
		c->width = (int)utf8_columns(head->head);
		c->width = unit > c->width ? unit : c->width;
		for (size_t i = 0; i < t->n_rows; i++) {
			const char *cell = t->rows[i].cells[k].text;
			const int own = decimals_of(cell);
			const int width = (int)utf8_columns(cell);

			c->is_wide |=
			    head->align == TABLE_LEFT && width > WIDE_CELL;
			if (head->align == TABLE_DECIMAL && own > c->decimals)
				c->decimals = own;
			c->width = width > c->width ? width : c->width;
		}
		c->width = (c->is_wide ? WIDE_CELL : c->width) + AROUND;
	}
	for (int part = 1; from < t->n_columns; part++) {
		from = show_part(&x, from);
		put_part(&x, part == 1 && from == t->n_columns ? 0 : part);
	}
	free(x.columns);
	free(x.shown);
}

const struct table_format table_latex = { "latex", "tex", .between = "\n",
	.start =
	    "% needs \\usepackage{booktabs,graphicx}; Chinese: ctex too, and "
	    "xelatex or lualatex\n",
	.write = latex_write };
