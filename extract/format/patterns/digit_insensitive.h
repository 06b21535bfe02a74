/* Patterns that cannot distinguish digits.  Where all patterns of a
 * format are so, lines that differ in digits only are matched alike, and the
 * scanner matches one of them for all (scan/line_template.h).  This is analysis
 * of the pattern's text alone.  Internal to extract/.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) are held: patterns may name
 * them, and two lines must agree in them.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_DIGIT_INSENSITIVE_H
#define EXTRACT_FORMAT_PATTERNS_DIGIT_INSENSITIVE_H

#include <stddef.h>

static inline int
text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Are digits after this character held? */
static inline int
text_holds_digits(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '@';
}

/* Does a pattern, as PCRE2 takes it, treat all digits alike but for held ones?
 * 0 where it does not, or holds what this does not understand. */
int digit_insensitive(const char *pattern);

/* Does a text [len] have digits that are not held?  Those that it begins with
 * may be held by what a line has before it, and count. */
int text_has_free_digit(const char *text, size_t len);

#endif
