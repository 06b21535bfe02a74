/* A table for programs: as CSV, and as one JSON object with its notes, for
 * those that show it again.  Numbers are text as in the other forms; CSV has
 * them unrounded. */
#include <config.h>

#include "common/table/table.h"
#include "common/table/table_parts.h"

#include <string.h>

#include "common/json/json_write.h"

/* --- CSV ------------------------------------------------------------------ */

/* RFC 4180: fields with commas, quotes or line ends are quoted, quotes inside
 * doubled, lines end with CR LF.  Blanks at the ends are quoted too, since some
 * readers drop them, and so is a lone empty field, which would be an empty
 * line. */
static const struct table_escape quotes[] = { { '"', "\"\"" }, { 0, NULL } };

/* Is all of it a plain decimal number? */
static int
is_decimal(const char *s)
{
	size_t digits;

	s += *s == '+' || *s == '-';
	digits = strspn(s, "0123456789");
	s += digits;
	if (*s == '.') {
		s++;
		digits += strspn(s, "0123456789");
		s += strspn(s, "0123456789");
	}
	if (digits > 0 && (*s == 'e' || *s == 'E')) {
		s++;
		s += *s == '+' || *s == '-';
		digits = strspn(s, "0123456789");
		s += digits;
	}
	return digits > 0 && *s == '\0';
}

/* A spreadsheet runs a cell that begins so as a formula, wherever the text is
 * from; a quote before it makes it text.  Numbers stay numbers, and a lone dash
 * is nothing to run. */
static int
is_formula(const char *text)
{
	return text[0] != '\0' && text[1] != '\0' &&
	    strchr("=+-@", text[0]) != NULL && !is_decimal(text);
}

/* The same of a head, which its unit follows: "-2" is a number, and "-2 (s)"
 * is none. */
static int
is_formula_head(const struct table_column *column)
{
	return column->unit == NULL ? is_formula(column->head)
				    : column->head[0] != '\0' &&
		strchr("=+-@", column->head[0]) != NULL;
}

static void
put_field(FILE *f, const char *text, int quoted)
{
	fputs(quoted ? "\"" : "", f);
	fputs(is_formula(text) ? "'" : "", f);
	table_put(f, text, quotes);
	fputs(quoted ? "\"" : "", f);
}

static int
needs_quotes(const char *text)
{
	const size_t len = strlen(text);

	return strpbrk(text, ",\"\r\n") != NULL ||
	    (len > 0 && (text[0] == ' ' || text[len - 1] == ' '));
}

static void
csv_write(const struct table *t, enum table_colour colour, FILE *f)
{
	size_t i, k;

	(void)colour;
	for (k = 0; k < t->n_columns; k++) {
		const struct table_column *column = &t->columns[k];
		const int quoted = needs_quotes(column->head) ||
		    (column->unit != NULL && needs_quotes(column->unit));

		fputs(k > 0 ? "," : "", f);
		fputs(quoted ? "\"" : "", f);
		fputs(is_formula_head(column) ? "'" : "", f);
		table_put_head(f, column, quotes);
		fputs(quoted ? "\"" : "", f);
	}
	fputs("\r\n", f);
	for (i = 0; i < t->n_rows; i++) {
		for (k = 0; k < t->n_columns; k++) {
			const char *text = table_cell_at(t, i, k)->text;
			const int quoted = needs_quotes(text) ||
			    (t->n_columns == 1 && text[0] == '\0');

			fputs(k > 0 ? "," : "", f);
			put_field(f, text, quoted);
		}
		fputs("\r\n", f);
	}
}

const struct table_format table_csv = { "csv", "csv", csv_write };

/* --- JSON ----------------------------------------------------------------- */

static void
put_heads(struct json_writer *j, const struct table *t)
{
	json_write_begin_array(j, "columns");
	for (size_t k = 0; k < t->n_columns; k++) {
		json_write_begin_object(j, NULL);
		json_write_string(j, "head", t->columns[k].head);
		json_write_string(j, "unit", t->columns[k].unit);
		json_write_end(j);
	}
	json_write_end(j);
}

static void
put_rows(struct json_writer *j, const struct table *t)
{
	const char *group = NULL;

	json_write_begin_array(j, "rows");
	for (size_t i = 0; i < t->n_rows; i++) {
		if (t->rows[i].group)
			group = t->rows[i].group_title;
		json_write_begin_object(j, NULL);
		json_write_string(j, "group", group);
		json_write_begin_array(j, "cells");
		for (size_t k = 0; k < t->n_columns; k++)
			json_write_string(
			    j, NULL, table_cell_at(t, i, k)->text);
		json_write_end(j);
		json_write_end(j);
	}
	json_write_end(j);
}

static void
json_table_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct json_writer j;

	(void)colour;
	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "table", t->name);
	json_write_string(&j, "title", t->title);
	put_heads(&j, t);
	put_rows(&j, t);
	json_write_begin_array(&j, "notes");
	for (size_t i = 0; i < t->n_notes; i++)
		json_write_string(&j, NULL, t->notes[i]);
	json_write_end(&j);
	json_write_end(&j);
	json_write_finish(&j);
}

const struct table_format table_json = { "json", "json", json_table_write };
