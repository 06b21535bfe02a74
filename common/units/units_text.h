/* Shared string functions of units_*.c. The public interface is
 * common/units/units.h.
 */
#ifndef COMMON_UNITS_UNITS_TEXT_H
#define COMMON_UNITS_UNITS_TEXT_H

#include <stddef.h>

/* len bytes at s, not NUL-terminated. */
struct text {
	const char *s;
	size_t len;
};

/* True for 0 to 9. */
static inline int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True for ASCII letters. */
static inline int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* t without leading and trailing spaces and tabs. */
struct text text_trim(struct text t);

/* True if t is this word, ignoring case.
 *
 * lower  in lower case */
int text_is(struct text t, const char *lower);

/* True if t is one of the words, ignoring case.
 *
 * words  in lower case, NULL-terminated */
int text_is_one_of(struct text t, const char *const *words);

#endif
