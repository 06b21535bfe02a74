/* The tables of a figure file, line by line. common/published reads tables of
 * nodes and GPUs as a whole; others are read row by row. */
#include <config.h>

#include <assert.h>
#include <string.h>

#include "common/series/reference_reader.h"

/* "|---|:--:|" */
static int
is_separator(const char *at, const char *end)
{
	int dashes = 0;

	for (; at < end; at++) {
		if (strchr(" \t|:-", *at) == NULL)
			return 0;
		dashes += *at == '-';
	}
	return dashes > 0;
}

/* A table of topologies is read as a whole. */
static int
topologies_end(struct reference_reader *r)
{
	struct published p;
	int rc;

	if (r->table_at == NULL)
		return 0;
	if (published_read_block(r->name, r->table_at,
		(size_t)(r->table_end - r->table_at), r->table_line, &p,
		r->e) != 0)
		return -1;
	assert(p.n <= 1);
	rc = p.n == 1 ? reference_values_add_table(r, &p.tables[0]) : 0;
	published_release(&p);
	r->table_at = NULL;
	return rc;
}

int
reference_values_table_end(struct reference_reader *r)
{
	if (topologies_end(r) != 0)
		return -1;
	if (r->n_columns == 0)
		return 0;
	if (r->n == r->table_from)
		return error_at(r->e, ERROR_EMPTY, r->name, r->line_number, 0,
		    "the table before has no rows");
	if (reference_check_baseline(r) != 0)
		return -1;
	reference_records_end(r);
	r->n_columns = 0;
	return 0;
}

int
reference_values_table_line(struct reference_reader *r, struct span line)
{
	const char *at = line.s + 1, *end = line.s + line.len;

	if (end[-1] == '|' && line.len > 1)
		end--;
	else
		return reference_values_fail(
		    r, ERROR_INPUT, end, "a row must end with '|'", SPAN_NONE);
	if (r->rows == ROWS_TOPOLOGIES) {
		if (r->table_at == NULL) {
			r->table_at = r->line;
			r->table_line = r->line_number;
			r->table_col = (long)(line.s - r->line) + 1;
		}
		r->table_end = r->line + r->line_len;
		return 0;
	}
	if (r->n_columns == 0) {
		r->n_lines = 1;
		return reference_records_heads(r, at, end);
	}
	r->n_lines++;
	if (r->n_lines == 2 && is_separator(at, end))
		return 0;
	return reference_records_row(r, at, end);
}
