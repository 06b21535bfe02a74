/* How much of a number a capture caught: a pattern may stop in the middle of
 * one.  Inline, because it is asked for each sample; number_plan.c asks once a
 * template, sample_from_match.c once a line.  Internal to extract/scan.
 */
#ifndef EXTRACT_SCAN_SAMPLES_CAPTURE_TEXT_H
#define EXTRACT_SCAN_SAMPLES_CAPTURE_TEXT_H

#include <stddef.h>
#include <string.h>

#include "extract/format/format.h"
#include "extract/format/patterns/regex_text.h"

/* Where the number ends of which len bytes at text, at least one, were caught:
 * after "e-05" where that follows 1.5.
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

/* Does the number go on after a comma, as in "12,345.6" or "0,45"?  No one can
 * show which of the two it is. */
static inline int
capture_is_torn(const char *text, size_t len, size_t room)
{
	return len + 1 < room && text[len] == ',' &&
	    text_is_digit(text[len + 1]) && memchr(text, '.', len) == NULL;
}

/* Does the number go on after the len bytes at text that c caught of it, as
 * after 1.5 in "1.5e-05" or, where the comma is not the pattern's, after 12
 * in "12,345"? */
static inline int
capture_is_cut(
    const struct capture *c, const char *text, size_t len, size_t room)
{
	return len > 0 && len < room && c->word->type != FIELD_NAME_DURATION &&
	    (capture_number_len(text, len, room) != len ||
		(!c->comma && capture_is_torn(text, len, room)));
}

#endif
