/* What the writers of table_*.c share.  Private to them; the offer to others is
 * common/table/table.h.
 */
#ifndef COMMON_TABLE_TABLE_PARTS_H
#define COMMON_TABLE_TABLE_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "common/strbuf.h"
#include "common/table/table.h"

enum {
	TABLE_MAX_TEXT = 1 << 20 /* bytes of one text; the rest is cut off */
};

/* A copy that cannot break a table or a terminal: spaces for line ends and
 * tabs, U+FFFD for other control characters (a log may have printed escape
 * sequences, or marks that turn the text around) and for what is no UTF-8.
 *
 * clean  initialised here; the caller releases it */
void table_clean_text(const char *text, struct strbuf *clean);

/* What stands in a format for a character that means something there. */
struct table_escape {
	char c;
	const char *as;
};

/* Write text with the characters of the list (ended by c == '\0') replaced. */
void table_put(FILE *f, const char *text, const struct table_escape *escapes);

/* The cell of row i in column k; an empty one where the row ends early. */
const struct table_cell *table_cell_at(
    const struct table *t, size_t i, size_t k);

/* Is the text a number, maybe with something after it ("2957.8", "-3",
 * "12.3 k", "1.00 \xc2\xb1 0.02")?
 *
 * whole  set to the bytes before the decimal point, of all the digits if
 *        there is none; 0 if it is no number
 *
 * Returns 1 or 0. */
int table_is_number(const char *text, size_t *whole);

/* Digits after the decimal point where the text is a number and nothing else;
 * -1 if it is not. */
int table_decimals(const char *text);

#endif
