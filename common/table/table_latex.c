#include <config.h>

#include "common/table/table.h"
#include "common/table/table_parts.h"

#include <stdlib.h>

#include "common/alloc.h"

/* '[' and '*' after the "\\" of the row before would be its argument. */
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

/* Most digits after the point of a decimal column's plain numbers. */
static int
most_decimals(const struct table *t, size_t k)
{
	int most = -1, own;
	size_t i;

	if (t->columns[k].align != TABLE_DECIMAL)
		return -1;
	for (i = 0; i < t->n_rows; i++) {
		own = table_decimals(table_cell_at(t, i, k)->text);
		most = own > most ? own : most;
	}
	return most;
}

/* Invisible digits after a number, so that points stand below each other
 * without a package for it. */
static void
put_phantom(FILE *f, const char *text, int most)
{
	int own = table_decimals(text);

	if (own < 0 || own >= most)
		return;
	fputs("\\phantom{", f);
	fputs(own == 0 ? "." : "", f);
	for (; own < most; own++)
		putc('0', f);
	putc('}', f);
}

static void
put_cell(FILE *f, const struct table_cell *cell, int most)
{
	const int strong = cell->emphasis == TABLE_STRONG;
	const int minus =
	    cell->text[0] == '-' && table_decimals(cell->text) >= 0;

	fputs(strong ? "\\textbf{" : "", f);
	fputs(minus ? "$-$" : "", f);
	table_put(f, cell->text + minus, latex);
	fputs(strong ? "}" : "", f);
	put_phantom(f, cell->text, most);
}

static void
put_body(const struct table *t, const int *most, const char *indent, FILE *f)
{
	size_t i, k;

	for (i = 0; i < t->n_rows; i++) {
		const struct table_row *row = &t->rows[i];

		if (row->group && i > 0)
			fprintf(f, "%s  \\midrule\n", indent);
		if (row->group && row->group_title != NULL) {
			fprintf(f, "%s  \\multicolumn{%zu}{l}{\\emph{", indent,
			    t->n_columns);
			table_put(f, row->group_title, latex);
			fputs("}} \\\\\n", f);
		}
		fprintf(f, "%s  ", indent);
		for (k = 0; k < t->n_columns; k++) {
			fputs(k > 0 ? " & " : "", f);
			put_cell(f, table_cell_at(t, i, k), most[k]);
		}
		fputs(" \\\\\n", f);
	}
}

static void
put_tabular(const struct table *t, const char *indent, FILE *f)
{
	int *most = xcalloc(t->n_columns, sizeof *most);
	size_t k;

	for (k = 0; k < t->n_columns; k++)
		most[k] = most_decimals(t, k);
	fprintf(f, "%s\\begin{tabular}{", indent);
	for (k = 0; k < t->n_columns; k++)
		putc(t->columns[k].align == TABLE_LEFT ? 'l' : 'r', f);
	fprintf(f, "}\n%s  \\toprule\n%s  ", indent, indent);
	for (k = 0; k < t->n_columns; k++) {
		fputs(k > 0 ? " & " : "", f);
		table_put_head(f, &t->columns[k], latex);
	}
	fprintf(f, " \\\\\n%s  \\midrule\n", indent);
	put_body(t, most, indent, f);
	fprintf(f, "%s  \\bottomrule\n%s\\end{tabular}\n", indent, indent);
	free(most);
}

static void
latex_write(const struct table *t, enum table_colour colour, FILE *f)
{
	size_t i;

	(void)colour;
	fputs("% needs \\usepackage{booktabs}\n", f);
	if (t->title == NULL && t->n_notes == 0) {
		put_tabular(t, "", f);
		return;
	}
	fputs("\\begin{table}\n  \\centering\n", f);
	if (t->title != NULL) {
		fputs("  \\caption{", f);
		table_put(f, t->title, latex);
		fputs("}\n", f);
	}
	put_tabular(t, "  ", f);
	for (i = 0; i < t->n_notes; i++) {
		fputs("  \\par\\footnotesize ", f);
		table_put(f, t->notes[i], latex);
		putc('\n', f);
	}
	fputs("\\end{table}\n", f);
}

const struct table_format table_latex = { "latex", "tex", latex_write };
