/* UTF-8 without the locale: decoding, checking, and how many columns of a
 * terminal a text takes.
 *
 *	uint32_t cp;
 *	for (size_t i = 0; i < len; )
 *		i += utf8_decode(s + i, len - i, &cp);
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_INVALID = 0xfffd /* U+FFFD, REPLACEMENT CHARACTER */ };

/* One character from the start of s.
 *
 * len  bytes at s, > 0
 * cp   set to the code point; UTF8_INVALID if the bytes are none (overlong
 *      forms, surrogates, above U+10FFFF and cut characters are none)
 *
 * Returns the bytes it took: 1 to 4; of an invalid sequence the longest start
 * of a valid one, at least 1 (Unicode 15, section 3.9, "maximal subpart"). */
size_t utf8_decode(const char *s, size_t len, uint32_t *cp);

/* True if all len bytes of s are valid UTF-8.  NUL is a character. */
int utf8_valid(const char *s, size_t len);

/* True for characters that command the display: C0, DEL and C1 controls, line
 * and paragraph separators, and marks that change the direction of text
 * (Unicode 15, section 23.2; UAX #9).  A terminal may show text with them as
 * something else. */
int utf8_is_control(uint32_t cp);

/* Columns that the code point takes: 2 for East Asian wide and full-width
 * characters and emoji, 0 for combining marks and controls, else 1.
 * Combining marks of scripts other than Latin, Greek, Cyrillic, Hebrew, Arabic,
 * Devanagari and Thai count as 1.  Source: Unicode 15, EastAsianWidth.txt (W
 * and F), general categories Mn, Me, Cf and Cc, by blocks. */
int utf8_char_width(uint32_t cp);

/* Columns that len bytes of s take; an invalid sequence takes 1. */
size_t utf8_width(const char *s, size_t len);

/* Columns of the widest line of a text. */
size_t utf8_columns(const char *text);

#endif
