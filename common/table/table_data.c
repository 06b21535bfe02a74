/* Machine-readable tables: CSV, and a JSON object that includes the notes.
 * Numbers in JSON are text as in the other formats; CSV has them unrounded. */
#include <config.h>

#include "common/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/utf8.h"

/* --- CSV ------------------------------------------------------------------ */

/* RFC 4180: quote fields with commas, quotes or line ends, double inner quotes,
 * end lines with CR LF. Leading and trailing blanks are quoted too, since some
 * readers drop them, and so is a single empty field, which would be an empty
 * line. */
static const struct table_escape quotes[] = { { '"', "\"\"" }, { 0, NULL } };

/* True if the whole text is a plain decimal number. */
static int
is_decimal(const char *s)
{
	static const char plain[] = "0123456789.eE+-";
	char *end;

	if (s[0] == '\0' || s[strspn(s, plain)] != '\0')
		return 0;
	(void)strtod(s, &end);
	return *end == '\0';
}

/* True if a spreadsheet would evaluate the cell as a formula, so that it needs
 * a leading quote. Numbers and a lone dash are harmless. Spreadsheets may drop
 * blanks and invisible characters such as U+FEFF at the start, and read
 * full-width signs.
 *
 * unit  unit that follows in parentheses, or NULL: "-2" is a number, "-2 (s)"
 *       is not */
static int
is_formula(const char *text, const char *unit)
{
	uint32_t cp = ' ';
	size_t n = 0;

	while (*(text += n) != '\0') {
		n = utf8_decode(text, strlen(text), &cp);
		if (cp != ' ' && utf8_char_width(cp) > 0)
			break;
	}
	if (cp >= 0xff01 && cp <= 0xff5e) /* full-width ASCII */
		cp -= 0xff01 - '!';
	if (cp >= 0x80 || strchr("=+-@", (int)cp) == NULL)
		return 0;
	return unit != NULL || (text[n] != '\0' && !is_decimal(text));
}

static int
needs_quotes(const char *text)
{
	const size_t len = strlen(text);

	return strpbrk(text, ",\"\r\n") != NULL ||
	    (len > 0 && (text[0] == ' ' || text[len - 1] == ' '));
}

/* Write field k of a line: a text, and its unit or NULL. */
static void
put_field(const struct table *t, size_t k, const char *text, const char *unit,
    FILE *f)
{
	const int quoted = needs_quotes(text) ||
	    (unit != NULL && needs_quotes(unit)) ||
	    (t->n_columns == 1 && text[0] == '\0');

	fputs(k > 0 ? "," : "", f);
	fputs(quoted ? "\"" : "", f);
	fputs(is_formula(text, unit) ? "'" : "", f);
	table_put(f, "^", text, quotes);
	if (unit != NULL)
		table_put(f, " (^)", unit, quotes);
	fputs(quoted ? "\"" : "", f);
	fputs(k + 1 == t->n_columns ? "\r\n" : "", f);
}

static void
csv_write(const struct table *t, enum table_colour colour, FILE *f)
{
	(void)colour;
	for (size_t k = 0; k < t->n_columns; k++)
		put_field(t, k, t->columns[k].head, t->columns[k].unit, f);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++)
			put_field(t, k, t->rows[i].cells[k].text, NULL, f);
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
			json_write_string(j, NULL, t->rows[i].cells[k].text);
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
