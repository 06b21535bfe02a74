/* What the text of a regular expression shows, as PCRE2 takes it, before it is
 * compiled.  Nothing is checked: PCRE2 does that.  Internal to extract/.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) are held: patterns may name
 * them.  All others are free: lines that differ in free digits only are matched
 * alike by a digit-insensitive pattern, and the scanner matches one of them for
 * all (scan/line_template.h).
 */
#ifndef EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H
#define EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H

#include <stddef.h>

static inline int
text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True if digits after this character are held. */
static inline int
text_holds_digits(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '@';
}

int text_has_digit(const char *s, size_t len);

/* True if a text [len] has free digits.  Those that it begins with count: what
 * a line has before them is not known. */
int text_has_free_digit(const char *text, size_t len);

/* The place after the escape, class, group or other byte at p. */
const char *regex_skip_piece(const char *p);

/* The place after a quantifier at p, or p.
 *
 * least  out: how often what it belongs to comes at least: 0 or 1; 2: maybe
 *        more than once */
const char *regex_skip_quantifier(const char *p, int *least);

/* The next named group from *p on; *p is then after the name.
 *
 * Returns the name [len], or NULL where there is none. */
const char *regex_next_name(const char **p, size_t *len);

/* True if every match begins at the start of the text, as is seen at once. */
int regex_is_anchored(const char *regex);

/* True if the expression treats all free digits alike.  0 where it does not, or
 * holds what this does not understand. */
int regex_is_digit_insensitive(const char *regex);

/* Find the longest text that stands in every match.
 *
 * out  [max] gets it, without a NUL
 *
 * Returns its bytes; 0 where there is none, or the expression holds what this
 * does not understand. */
size_t regex_find_literal(const char *regex, char *out, size_t max);

#endif
