/* A table as one JSON object: what it shows, with its notes, for programs that
 * show it again.  Numbers are text as in the other forms; CSV has them
 * unrounded.  A program that writes several tables makes an array of them;
 * report/report.c does. */
#include <config.h>

#include "common/json/json_write.h"
#include "common/table/table.h"
#include "common/table/table_parts.h"

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
