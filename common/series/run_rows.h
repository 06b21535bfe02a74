/* Rows of a table of runs: CSV, TSV, JSON, JSON lines or lines of text, with
 * the heads of their cells.
 *
 * Heads of JSON are the path from the row's outermost object without indices:
 * "stats.unit". The key of the n-th '*' of the path, or the number of its item
 * from 1, is the head "*n", item i of an array "NAME.[i]" and the length of an
 * array "NAME.#". */
#ifndef COMMON_SERIES_RUN_ROWS_H
#define COMMON_SERIES_RUN_ROWS_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/series/table_form.h"

struct run_row {
	const char **cells; /* [n], by head; NULL or "": none */
	size_t n;
	long line; /* from 1; of JSON the row's number */
};

struct run_rows {
	struct arena *arena;
	const char **heads;
	size_t n_heads, alloc_heads;
	struct run_row *rows;
	size_t n, alloc;
	int is_lines; /* 1: run_row.line counts lines, 0: rows */
};

/* Read rows.
 *
 * name    file name for messages
 * first   1: stop after the first row
 *
 * Returns 0, also without rows; -1 with ERROR_INPUT for text that is no such
 * table, ERROR_LIMIT for more than a million rows or 1024 columns. */
int run_rows_read(struct run_rows *t, const char *name, const char *text,
    size_t len, const struct table_form *form, int first, struct error *e);

/* Free the lists; cells and heads are in the arena. */
void run_rows_release(struct run_rows *t);

/* Find the last head that is the name, or else the last one that ends with '.'
 * and the name. Returns its index, or n_heads. */
size_t run_rows_head(const struct run_rows *t, const char *name);

/* Cell of a row; "" if it has none. */
const char *run_row_cell(const struct run_row *row, size_t head);

#endif
