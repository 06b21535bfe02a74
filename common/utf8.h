/* UTF-8 without the locale: decoding, validation and width on a terminal.
 *
 *	uint32_t cp;
 *	for (size_t i = 0; i < len; )
 *		i += utf8_decode(s + i, len - i, &cp);
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>

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

/* True if the text has a character of two columns, which pdflatex lacks. */
int utf8_has_wide(const char *text);

#endif
