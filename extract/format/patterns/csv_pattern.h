/* Patterns for tables with a header row, whose columns are named, not counted.
 * A statement "csv ROLE NAME SELECTORS" compiles to one; it gives offset pairs
 * as a regular expression does.
 *
 * selectors.h has the selectors; a NAME is that of a column.  A row in which
 * the cell of a FIELD=COLUMN is empty is no match.  A header row is a line
 * whose cells hold all columns that are asked for; it is no match itself.
 * Cells are separated by commas, tabs or semicolons, as the header is; they may
 * stand in double quotes, and spaces around them do not count.  A row has as
 * many cells as the header.  The first header is among the first
 * CSV_HEADER_LINES lines of a log and begins with no digit.
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
	CSV_HEADER_LINES = 100 /* of a log, among which the first header is */
};

/* Where a table has the columns of a pattern. */
struct csv_header {
	const struct csv_pattern *of; /* NULL: no header was seen */
	char delimiter;
	uint16_t n_cells;
	/* By selector: its column, from 0; n_cells: there is none. */
	uint16_t columns[SELECTORS_MAX];
};

/* Compile the selectors in p->text: fills p->csv, captures, n_groups, literal
 * and what else pattern_compile fills.  Returns 0; -1 with the place of a
 * selector that is wrong. */
int csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Returns 1 and fills h if this line [len] is a header row for p. */
int csv_read_header(const struct csv_pattern *p, const char *line, size_t len,
    struct csv_header *h);

/* True if some column's name holds a digit; otherwise lines that differ in
 * digits only are headers alike. */
int csv_names_digits(const struct csv_pattern *p);

/* Take the cells of a row.
 *
 * line  [len]
 * ov    gets the offset pairs, 2 * (groups + 1) numbers
 *
 * Returns the number of pairs, or 0 if it is no row that fits. */
size_t csv_read_row(
    const struct csv_header *h, const char *line, size_t len, size_t *ov);

#endif
