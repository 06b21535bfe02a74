/* What the readers of units_*.c share: a piece of text and small questions
 * about it.  Private to them; the offer to others is common/units/units.h.
 */
#ifndef COMMON_UNITS_UNITS_TEXT_H
#define COMMON_UNITS_UNITS_TEXT_H

#include <stddef.h>

/* len bytes at s, no NUL after. */
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

/* t without the spaces and tabs around it. */
struct text text_trim(struct text t);

/* True if t is that word in any case.
 *
 * lower  in lower case */
int text_is(struct text t, const char *lower);

/* True if t is one of the words in any case.
 *
 * words  in lower case, NULL-terminated */
int text_is_one_of(struct text t, const char *const *words);

#endif
