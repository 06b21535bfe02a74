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

/* The bytes of a text, and pairs of neighbours, hashed; all digits are one. */
struct text_set {
	uint64_t bytes[4], pairs[8];
};

/* Add a byte after another one; before is 0 where it begins a text. */
static inline void
text_set_add(struct text_set *set, unsigned before, unsigned c)
{
	/* Letters that are neighbours are apart in the sum. */
	const unsigned pair = (before * 37 + c * 11) % 512;

	set->bytes[c / 64] |= UINT64_C(1) << c % 64;
	if (before != 0)
		set->pairs[pair / 64] |= UINT64_C(1) << pair % 64;
}

/* A byte, with all digits as one. */
static inline unsigned
text_digits_as_one(char c)
{
	return text_is_digit(c) ? '0' : (unsigned char)c;
}

/* Add a text [len]. */
void text_set_add_text(struct text_set *set, const char *s, size_t len);

/* True if a text of which `in` is the set may hold all of need. */
static inline int
text_set_holds(const struct text_set *in, const struct text_set *need)
{
	uint64_t missing = 0;

	for (int i = 0; i < 4; i++)
		missing |= need->bytes[i] & ~in->bytes[i];
	if (missing != 0)
		return 0;
	for (int i = 0; i < 8; i++)
		missing |= need->pairs[i] & ~in->pairs[i];
	return missing == 0;
}

/* Keep of a set what is in another, too; and add it to a set. */
void text_set_keep(struct text_set *set, const struct text_set *other);
void text_set_add_set(struct text_set *set, const struct text_set *other);

/* Find the longest text that stands in every match.
 *
 * out   [max] gets it, without a NUL
 * need  gets what stands in every match, of all alternatives too
 *
 * Returns its bytes; 0 where there is none, or the expression holds what this
 * does not understand. */
size_t regex_find_literal(
    const char *regex, char *out, size_t max, struct text_set *need);

#endif
