/* Detects captures that end in the middle of a number. Inline because it is
 * used for each sample. Internal to extract/scan.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CAPTURE_TEXT_H
#define EXTRACT_SCAN_SAMPLES_CAPTURE_TEXT_H

#include <stddef.h>
#include <string.h>

#include "extract/format/format.h"
#include "extract/format/patterns/regex_text.h"

/* The length of the number of which at least one byte, len in all, was
 * captured, including a following exponent such as "e-05".
 *
 * room  bytes of the line from text on */
static inline size_t
capture_number_len(const char *text, size_t len, size_t room)
{
	size_t end = len + (text[len] == 'e' || text[len] == 'E');

	if (end == len && text[len - 1] != 'e' && text[len - 1] != 'E')
		return len;
	if (end < room && (text[end] == '+' || text[end] == '-'))
		end++;
	if (end == room || !text_is_digit(text[end]))
		return len;
	while (end < room && text_is_digit(text[end]))
		end++;
	return end;
}

/* True if a comma and digits follow, as in "12,345.6" or "0,45", which are
 * ambiguous. */
static inline int
capture_is_torn(const char *text, size_t len, size_t room)
{
	return len + 1 < room && text[len] == ',' &&
	    text_is_digit(text[len + 1]) && memchr(text, '.', len) == NULL;
}

/* True if the number continues after the len bytes captured by c, as after 1.5
 * in "1.5e-05" or, unless the pattern contains the comma, after 12 in
 * "12,345". */
static inline int
capture_is_cut(
    const struct capture *c, const char *text, size_t len, size_t room)
{
	return len > 0 && len < room && c->word->type != FIELD_NAME_DURATION &&
	    (capture_number_len(text, len, room) != len ||
		(!c->comma && capture_is_torn(text, len, room)));
}

#endif
