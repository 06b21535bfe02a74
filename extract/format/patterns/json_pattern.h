/* Patterns for objects instead of text: JSON, and what Python's repr makes of a
 * dictionary (single quotes, None, True, nan).  A statement "json ROLE NAME
 * SELECTORS" compiles to one; it gives the same offset pairs as a regular
 * expression does, so that nothing after it knows the difference.
 *
 * Selectors, separated by spaces; PATH is a key, or keys and array indices with
 * '/' between them; in a key ~0 is '~', ~1 '/', ~2 a space, ~3 '|', ~4 '=' (~0
 * and ~1 as in RFC 6901):
 *
 *	FIELD=PATH|PATH   captures the value of the first path that is there
 *	FIELD?=PATH|PATH  the same, but the value may be missing or null
 *	PATH==TEXT|TEXT   the value is one of these texts
 *	+PATH             the key is there
 *	!PATH             there is no such key, or its value is null
 *	after=TEXT        directly after this text (and spaces) an object
 *	                  begins; without it objects that begin anywhere are
 *	                  tried, one after the other, but not those inside of
 *	                  objects
 *
 * A value is what stands between the quotes, or the bare text.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/pattern.h"
#include "extract/format/patterns/required_literal.h"

struct json_pattern;

enum {
	JSON_MAX_PATHS = 64, /* in one pattern, alternatives included */
	JSON_MAX_PARTS = 8   /* keys in a path */
};

/* Compile the selectors in p->text and find what they capture: fills p->json,
 * captures, n_groups and what else pattern_compile fills.
 *
 * p, a, src  as for pattern_compile
 *
 * Returns 0; -1 with the place of a selector that is wrong. */
int json_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

enum {
	JSON_MEMO_KEYS = 64, /* of an object */
	JSON_MEMO_BYTES = 32 /* of a key with what stands around it */
};

/* The keys of the last object that a pattern read: those of the next are mostly
 * the same, in the same order.  All 0 at first; another pattern begins anew. */
struct json_memo {
	uint64_t number; /* of the pattern; 0: of none */
	size_t span;     /* bytes of the object */
	struct json_memo_key {
		/* [len] from the blanks before a key to its value, with as
		 * many bytes before them as are compared at once. */
		char text[2 * JSON_MEMO_BYTES];
		uint32_t len;   /* 0: no key is kept */
		uint64_t mask;  /* a bit for each of the bytes */
		uint64_t paths; /* that begin with the key */
		/* 1: that is one path, and its value is captured. */
		uint32_t captures;
		uint32_t path, item; /* then: which, and its selector */
	} keys[JSON_MEMO_KEYS];
};

/* Look for the first object in text, from an offset on, that fits.
 *
 * memo  best of this pattern alone; changes nothing that is found
 * made  what the line is made of that text is of, or NULL; the same
 * text  [len]
 * ov    gets the offset pairs, 2 * (p->n_groups + 1) numbers; PCRE2_UNSET for
 *       what is missing
 * wasted   in/out: bytes of text that this pattern has read to no end, at
 *          whatever offset; 0 before the first call
 * gave_up  out: 1 if text was read over and over, as where many objects begin
 *          and none ends: the rest of it was not looked at, nor is it by later
 *          calls
 *
 * Returns the number of pairs, or 0. */
size_t json_pattern_match(const struct json_pattern *p, struct json_memo *memo,
    const struct required_literal_set *made, const char *text, size_t len,
    size_t from, size_t *ov, size_t *wasted, int *gave_up);

/* In the object of text that begins first: the selector that is the first not
 * to fit.
 *
 * len, end  out: bytes of the selector; where in the text the object begins
 *
 * Returns the selector, or NULL where there is no object. */
const char *json_pattern_missing(const struct json_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end);

/* Does it name free digits (digit_insensitive.h)?  0: lines that differ in
 * these only hold the same matches. */
int json_pattern_names_digits(const struct json_pattern *p);

#endif
