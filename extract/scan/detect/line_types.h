/* Types of lines: lines of one type differ only in free digits, which are all
 * digits except those in names ("layer1", "_2", "@3"), where the digit is
 * significant (pattern.h). Digit-insensitive patterns match them alike.
 * Internal to extract/.
 */
#ifndef EXTRACT_SCAN_DETECT_LINE_TYPES_H
#define EXTRACT_SCAN_DETECT_LINE_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"
#include "common/hash_index.h"

/* Copy a line with its free digits set to '0'.
 *
 * out   [len]
 * most  [len] 9 for a free digit, else 0: largest XOR of a byte and its copy */
void digit_mask_places(
    const char *line, size_t len, char *out, unsigned char *most);

enum { DIGIT_MASK_MIN = 16 /* minimum line length for digit_mask_fits */ };

/* Bytes that are compared together. */
typedef unsigned char digit_mask_block __attribute__((vector_size(16)));

/* 0xff for each byte of the block at i that differs from the copy by at most
 * `most`. */
static inline digit_mask_block
digit_mask_match(
    const char *line, const char *copy, const unsigned char *most, size_t i)
{
	digit_mask_block x, t, m;

	memcpy(&x, line + i, sizeof x);
	memcpy(&t, copy + i, sizeof t);
	memcpy(&m, most + i, sizeof m);
	return (digit_mask_block)((x ^ t) <= m);
}

/* True if the line has that masked copy: '0' to '9' are the bytes that differ
 * from '0' by at most 9.
 *
 * line, copy, most  [len] at least DIGIT_MASK_MIN */
static inline int
digit_mask_fits(
    const char *line, const char *copy, const unsigned char *most, size_t len)
{
	digit_mask_block same =
	    digit_mask_match(line, copy, most, len - sizeof same);
	uint64_t halves[2];

	for (size_t i = 0; i + sizeof same <= len; i += sizeof same)
		same &= digit_mask_match(line, copy, most, i);
	memcpy(halves, &same, sizeof halves);
	return (halves[0] & halves[1]) == UINT64_MAX;
}

struct line_type {
	const char *text; /* [len] the first such line */
	size_t len;
	int64_t first;  /* its number */
	int64_t times;  /* such lines */
	uint64_t hash;  /* of the masked text; types differ in it */
	int has_digits; /* 1: free digits; 0: all lines are equal */
};

/* Line types in the order of their first lines. Initialise with zeros. */
struct line_types {
	struct line_type *items; /* [n] */
	size_t n, alloc;
	struct hash_index by_hash;
	size_t last; /* type of the last line, whose masks follow */
	char *masked;
	unsigned char *most;
	size_t alloc_masks;
};

enum {
	UNREAD_MIN_LINE = 8,         /* bytes; shorter lines are skipped */
	UNREAD_MAX_LINE = 16 << 10,  /* longer lines are skipped */
	UNREAD_MAX_BYTES = 256 << 10 /* bytes of all texts */
};

/* The lines of a log that its format did not match: they may be steps printed
 * by another program. The first types are kept, up to UNREAD_MAX_BYTES.
 * Initialise with zeros. */
struct unread_lines {
	struct line_types types;
	struct arena texts;
	size_t bytes;
	int overflowed; /* 1: some line types were not kept */
};

/* Add an unmatched line.
 *
 * text    [len] without control characters; copied
 * number  line number, from 1 */
void unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t number);

/* Free the lines and leave u empty. */
void unread_lines_release(struct unread_lines *u);

#endif
