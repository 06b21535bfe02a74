/* String functions: numbers, comparison, lines.
 *
 * NULL stands for an unknown name, label or date everywhere. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/alloc.h"

/* Parse an integer.
 *
 * Returns 0 and sets out, or -1 if text is empty, has trailing characters or is
 * outside [min, max]. */
int parse_long(const char *text, long min, long max, long *out);

/* Parse a finite decimal number, like parse_long. */
int parse_double(const char *text, double min, double max, double *out);

/* True if both strings are equal or both NULL. */
static inline int
text_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Like strcmp; NULL sorts first. */
static inline int
text_order(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Like text_order, for qsort and bsearch on an array of const char *. */
static inline int
text_order_at(const void *a, const void *b)
{
	return text_order(*(const char *const *)a, *(const char *const *)b);
}

/* Bytes [s, end) of a text. */
struct text_span {
	const char *s, *end;
};

/* The line that begins at s, without its terminator; the line after l, empty at
 * the end. */
struct text_span text_line(const char *s, const char *end);
struct text_span text_line_after(struct text_span l, const char *end);

/* l without blanks and tabs at its ends. */
struct text_span span_trim(struct text_span l);

/* Copy l. */
char *span_copy(struct arena *a, struct text_span l);

/* The character of marks that is most frequent in a line; the first one if the
 * line contains none. */
char text_separator(struct text_span l, const char *marks);

/* Append a cell of separated values to sb, without leading spaces; it may be
 * quoted, with inner quotes doubled. Returns a pointer to the separator or
 * newline after the cell, or end. */
const char *text_csv_cell(
    const char *s, const char *end, char separator, struct strbuf *sb);

/* --- UTF-8 ---------------------------------------------------------------- */

/* UTF-8 without the locale: decoding, validation and width on a terminal.
 *
 *	uint32_t cp;
 *	for (size_t i = 0; i < len; )
 *		i += utf8_decode(s + i, len - i, &cp);
 */
enum { UTF8_INVALID = 0x110000 /* above all code points */ };

/* Decode the first character of s.
 *
 * len  bytes at s, > 0
 * cp   set to the code point; UTF8_INVALID if the bytes are invalid (overlong
 *      form, surrogate, above U+10FFFF, truncated)
 *
 * Returns the number of bytes read: 1 to 4; for an invalid sequence that of the
 * longest valid prefix, at least 1 (Unicode 15, section 3.9, "maximal
 * subpart"). */
size_t utf8_decode(const char *s, size_t len, uint32_t *cp);

/* True if all len bytes of s are valid UTF-8. NUL is valid. */
int utf8_valid(const char *s, size_t len);

/* True for UTF8_INVALID and characters that control the display: C0, DEL and C1
 * controls, line and paragraph separators, and bidirectional marks (Unicode
 * 15, section 23.2; UAX #9). They can make a terminal show a different text. */
int utf8_is_control(uint32_t cp);

/* Width of a code point in columns: 2 for East Asian wide and full-width
 * characters and emoji, 0 for controls and combining marks of Latin and East
 * Asian scripts, else 1. Source: Unicode 15, EastAsianWidth.txt (W and F),
 * general categories Mn, Me, Cf and Cc, by blocks. */
int utf8_char_width(uint32_t cp);

/* Width of len bytes of s in columns. An invalid sequence has width 1. */
size_t utf8_width(const char *s, size_t len);

/* Width of the widest line of a text. */
size_t utf8_columns(const char *text);

#endif
