/* Properties of a regular expression found in its text, in PCRE2's syntax,
 * before it is compiled.  Errors are left to PCRE2.  Internal to extract/.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) are held: patterns may name
 * them.  All others are free: a digit-insensitive pattern matches lines that
 * differ only in free digits alike, and the scanner matches one of them for all
 * (scan/line_template.h).
 */
#ifndef EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H
#define EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H

#include <stddef.h>
#include <stdint.h>

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

/* True if a text [len] has digits. */
int text_has_digit(const char *s, size_t len);

/* True if a text [len] has free digits.  Leading digits count as free, since
 * the text before them is not known. */
int text_has_free_digit(const char *text, size_t len);

/* Position after the unit at p: an escape, a class, a verb, the opening of a
 * group with its name or options, or another byte. */
const char *regex_after_unit(const char *p);

/* Position after the quantifier at p, or p if there is none.
 *
 * least  out: least number of repetitions: 0 or 1; 2: 1 with more possible */
const char *regex_after_quantifier(const char *p, int *least);

/* True if the expression treats all free digits alike; 0 also if it is not
 * understood. */
int regex_is_digit_insensitive(const char *regex);

/* The bytes (4 words) and hashed pairs of adjacent bytes in a text; digits
 * count as one. */
enum { TEXT_SET_WORDS = 12 };

struct text_set {
	uint64_t bits[TEXT_SET_WORDS];
};

/* Add a byte and its pair with the byte before; before 0: start of a text. */
static inline void
text_set_add(struct text_set *set, unsigned before, unsigned c)
{
	/* Factors that keep adjacent letters apart. */
	const unsigned pair = 256 + (before * 37 + c * 11) % 512;

	set->bits[c / 64] |= UINT64_C(1) << c % 64;
	if (before != 0)
		set->bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

/* The byte, with all digits mapped to one. */
static inline unsigned
text_digits_as_one(char c)
{
	return text_is_digit(c) ? '0' : (unsigned char)c;
}

/* Add a text [len]. */
void text_set_add_text(struct text_set *set, const char *s, size_t len);

/* True if a text with the set `in` may contain all of need. */
static inline int
text_set_holds(const struct text_set *in, const struct text_set *need)
{
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		if (need->bits[i] & ~in->bits[i])
			return 0;
	return 1;
}

/* Intersect a set with another; and add another to a set. */
void text_set_keep(struct text_set *set, const struct text_set *other);
void text_set_add_set(struct text_set *set, const struct text_set *other);

/* Find the longest text that occurs in every match.
 *
 * out   [max] receives it, without a NUL
 * need  receives the bytes in every match, whichever alternatives are taken
 *
 * Returns its length; 0 if there is none or the regex is not understood. */
size_t regex_find_literal(
    const char *regex, char *out, size_t max, struct text_set *need);

#endif
