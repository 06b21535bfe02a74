/* Patterns for tables with a header row: comma-separated values whose columns
 * are named, not counted.  A statement "csv ROLE NAME SELECTORS" compiles to
 * one; it gives the same offset pairs as a regular expression does.
 *
 * Selectors, separated by spaces; in a name ~0 is '~', ~1 '/', ~2 a space, ~3
 * '|', ~4 '=':
 *
 *	FIELD=COLUMN|COLUMN   captures the cell of the first column that is
 *	                      there; a row in which it is empty is no match
 *	FIELD?=COLUMN|COLUMN  the same, but column or cell may be missing
 *	COLUMN==TEXT|TEXT     the cell is one of these texts
 *	+COLUMN               the table has such a column
 *	!COLUMN               it has none
 *
 * A header row is a line whose cells hold all columns that are asked for; it is
 * no match itself.  Cells are separated by commas, tabs or semicolons, as the
 * header is; they may stand in double quotes, and spaces around them do not
 * count.  A row has as many cells as the header.  The first header is
 * among the first CSV_HEADER_LINES lines of a log and begins with no digit.
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

struct csv_pattern;

enum {
	CSV_MAX_SELECTORS = 24, /* in one pattern */
	CSV_MAX_NAMES = 64,     /* in one pattern, alternatives included */
	CSV_MAX_CELLS = 1024,   /* in a row */
	CSV_HEADER_LINES = 100  /* of a log, among which the first header is */
};

/* Where a table has the columns of a pattern. */
struct csv_header {
	const struct csv_pattern *of; /* NULL: no header was seen */
	char delimiter;
	uint16_t n_cells;
	/* By selector: its column, from 0; n_cells: there is none. */
	uint16_t columns[CSV_MAX_SELECTORS];
};

/* Compile the selectors in p->text: fills p->csv, captures, n_groups and what
 * else pattern_compile fills.  Returns 0; -1 with the place of a selector that
 * is wrong. */
int csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Is this line [len] a header row for p?  Returns 1 and fills h if so. */
int csv_read_header(const struct csv_pattern *p, const char *line, size_t len,
    struct csv_header *h);

/* Does some column's name hold a digit?  If none does, lines that differ in
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

/* The name of a column that every header holds, of selectors that were not
 * compiled: [REQUIRED_LITERAL_MAX] bytes at out.  Returns how many, 0: none is
 * known. */
size_t csv_find_name(const char *selectors, char *out);

#endif
