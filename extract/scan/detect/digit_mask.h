/* Masks the free digits of a line: all digits except those in names ("layer1",
 * "_2", "@3"), where the digit is significant (regex_text.h). Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_DETECT_DIGIT_MASK_H
#define EXTRACT_SCAN_DETECT_DIGIT_MASK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copy a line with its free digits set to '0'. Lines with equal copies are
 * matched alike by digit-insensitive patterns.
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

#endif
