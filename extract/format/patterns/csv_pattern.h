/* Patterns for tables with a header row, whose columns are named, not numbered.
 * A statement "csv ROLE NAME SELECTORS" compiles to one.  It returns offset
 * pairs like a regular expression.
 *
 * See selectors.h for selectors; NAME is the name of a column.  A row whose
 * cell of a FIELD=COLUMN is empty does not match.  A header row is a line whose
 * cells include all required columns; it does not match itself.  Cells are
 * separated by commas, tabs or semicolons, as in the header.  They may be in
 * double quotes, and spaces around them are ignored.  A row has as many cells
 * as the header.  The first header is among the first CSV_HEADER_LINES lines of
 * a log and does not begin with a digit.
 *
 *	struct csv_header h;
 *	if (csv_read_header(p->csv, line, len, &h))
 *		...
 *	n = csv_read_row(&h, next, next_len, ov);
 */
#ifndef EXTRACT_FORMAT_PATTERNS_CSV_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_CSV_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/pattern.h"
#include "extract/format/patterns/selectors.h"

struct csv_pattern;

enum {
	CSV_MAX_CELLS = 1024,  /* in a row */
	CSV_HEADER_LINES = 100 /* of a log that may hold its first header */
};

/* Columns of a pattern in a table. */
struct csv_header {
	const struct csv_pattern *of; /* NULL: no header seen */
	char delimiter;
	uint16_t n_cells;
	/* Column of each selector, from 0; n_cells: none. */
	uint16_t columns[SELECTORS_MAX];
};

/* Compile the selectors in p->text.  Sets p->csv, captures, n_groups, literal
 * and the other members that pattern_compile sets.  Returns 0; -1 with the
 * position of an invalid selector. */
int csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Returns 1 and fills h if the line [len] is a header row for p. */
int csv_read_header(const struct csv_pattern *p, const char *line, size_t len,
    struct csv_header *h);

/* Match a row.
 *
 * line  [len]
 * ov    receives the offset pairs, 2 * (groups + 1) numbers
 *
 * Returns the number of pairs, or 0 if it does not match. */
size_t csv_read_row(
    const struct csv_header *h, const char *line, size_t len, size_t *ov);

#endif
