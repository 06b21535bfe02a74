/* Shared parts of table_*.c. The public interface is common/table/table.h.
 */
#ifndef COMMON_TABLE_TABLE_PARTS_H
#define COMMON_TABLE_TABLE_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "common/strbuf.h"
#include "common/table/table.h"

enum {
	TABLE_MAX_TEXT = 1 << 20 /* bytes of a text; the rest is truncated */
};

/* Copy text so that it cannot break a table or control a terminal: line ends
 * and tabs become spaces, other control characters (escape sequences,
 * bidirectional marks) and invalid UTF-8 become U+FFFD.
 *
 * clean  initialised here, released by the caller */
void table_clean_text(const char *text, struct strbuf *clean);

/* Escape sequence of a special character of a format. */
struct table_escape {
	char c;
	const char *as;
};

/* Write text with the characters of the list (terminated by c == '\0')
 * replaced. */
void table_put(FILE *f, const char *text, const struct table_escape *escapes);

/* Cell of row i in column k; empty if the row has fewer cells. */
const struct table_cell *table_cell_at(
    const struct table *t, size_t i, size_t k);

/* True if the text starts with a number ("2957.8", "-3", "12.3 k", "1.00
 * \xc2\xb1 0.02").
 *
 * whole  set to the length before the decimal point, or of all digits without
 *        one; 0 if not a number
 *
 * Returns 1 or 0. */
int table_is_number(const char *text, size_t *whole);

/* Digits after the decimal point if the whole text is a number, else -1. */
int table_decimals(const char *text);

#endif
