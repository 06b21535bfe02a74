/* The text that stands in everything a regular expression matches, so that a
 * format can be passed over where a log does not hold it.  Internal to
 * extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_REQUIRED_LITERAL_H
#define EXTRACT_FORMAT_PATTERNS_REQUIRED_LITERAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	REQUIRED_LITERAL_MAX = 32, /* bytes of a longer one are dropped */
	REQUIRED_KEY_MAX = 64      /* of a key that is looked for */
};

/* What all such texts of a pattern are made of, or what a line is made of:
 * bytes, pairs of them and keys of objects, hashed.  All digits are one. */
struct required_literal_set {
	uint64_t bytes[4], pairs[8], keys[8];
};

/* Add the bytes of a text, and their pairs. */
void required_literal_set_add(
    struct required_literal_set *set, const char *s, size_t len);

/* Add the keys of a line's objects: each text between two quotes, one after the
 * other, that a ':' follows. */
void required_literal_set_add_keys(
    struct required_literal_set *set, const char *s, size_t len);

/* A key as a set sees it.  0 where nothing can be said about it: it is empty,
 * longer than REQUIRED_KEY_MAX, or holds a quote or a backslash. */
uint32_t required_key_hash(const char *key, size_t len);

/* May a line that `in` is made of hold the key?  0: surely not. */
static inline int
required_literal_set_holds_key(
    const struct required_literal_set *in, uint32_t hash)
{
	return hash == 0 ||
	    ((in->keys[hash >> 6 & 7] >> (hash & 63) & 1) != 0 &&
		(in->keys[hash >> 15 & 7] >> (hash >> 9 & 63) & 1) != 0);
}

/* Does a text hold digits? */
int required_literal_has_digit(const char *s, size_t len);

/* Does the line that `in` is made of hold all of need?  0: surely not. */
static inline int
required_literal_set_holds(const struct required_literal_set *in,
    const struct required_literal_set *need)
{
	uint64_t missing = 0;

	for (int i = 0; i < 4; i++)
		missing |= need->bytes[i] & ~in->bytes[i];
	if (missing != 0)
		return 0;
	for (int i = 0; i < 8; i++)
		missing |= (need->pairs[i] & ~in->pairs[i]) |
		    (need->keys[i] & ~in->keys[i]);
	return missing == 0;
}

/* Find the longest such text.
 *
 * regex  as PCRE2 takes it
 * out    [REQUIRED_LITERAL_MAX] gets it, without a NUL
 * need   gets what all of them are made of, and what stands in all alternatives
 *
 * Returns its bytes; 0 where there is none, or the expression holds what this
 * does not understand. */
size_t required_literal_find(
    const char *regex, char *out, struct required_literal_set *need);

/* The same for the selectors of a JSON pattern: the longest of what stands
 * before the object, the keys that must be in it, and the values that they
 * must have. */
size_t required_literal_find_key(
    const char *selectors, char *out, struct required_literal_set *need);

#endif
