/* Tables for programs: CSV, JSON (doc/tables-schema.json) and JSON Lines. */
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
		n = utf8_decode(text, strnlen(text, 4), &cp);
		if (cp != ' ' && utf8_char_width(cp) > 0)
			break;
	}
	if (cp >= 0xff01 && cp <= 0xff5e) /* full-width ASCII */
		cp -= 0xff01 - '!';
	if (cp >= 0x80 || strchr("=+-@", (int)cp) == NULL)
		return 0;
	return unit != NULL || (text[n] != '\0' && !table_is_decimal(text));
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

const struct table_format table_csv = { "csv", "csv", .is_flat = 1,
	.between = "\n", .write = csv_write };

/* --- JSON ----------------------------------------------------------------- */

static void
put_row(struct json_writer *j, const struct table *t, size_t i)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_cell *cell = &t->rows[i].cells[k];
		const char *key = t->columns[k].head;

		if (cell->text[0] == '\0')
			json_write_string(j, key, NULL);
		else if (cell->is_numeric && table_is_decimal(cell->text))
			json_write_double(j, key, strtod(cell->text, NULL));
		else
			json_write_string(j, key, cell->text);
	}
}

void
table_json_put(struct json_writer *j, const struct table *t)
{
	json_write_begin_object(j, NULL);
	json_write_string(j, "table", t->name);
	json_write_string(j, "title", t->title);
	json_write_begin_array(j, "rows");
	for (size_t i = 0; i < t->n_rows; i++) {
		json_write_begin_object(j, NULL);
		put_row(j, t, i);
		json_write_end(j);
	}
	json_write_end(j);
	json_write_begin_array(j, "notes");
	for (size_t i = 0; i < t->n_notes; i++)
		json_write_string(j, NULL, t->notes[i]);
	json_write_end(j);
	json_write_end(j);
}

static void
json_table_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);

	(void)colour;
	table_json_put(&j, t);
	json_write_finish(&j);
}

const struct table_format table_json = { "json", "json", .is_flat = 1,
	.start = "{ \"schema\": \"dlscale-tables/1\", \"tables\": [\n",
	.between = ",\n", .end = "] }\n", .write = json_table_write };

/* One object a row, which names its table. */
static void
jsonl_write(const struct table *t, enum table_colour colour, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_LINES);

	(void)colour;
	for (size_t i = 0; i < t->n_rows; i++) {
		json_write_begin_object(&j, NULL);
		json_write_string(&j, "table", t->name);
		put_row(&j, t, i);
		json_write_end(&j);
	}
	json_write_finish(&j);
}

const struct table_format table_jsonl = { "jsonl", "jsonl", .is_flat = 1,
	.between = "", .write = jsonl_write };
