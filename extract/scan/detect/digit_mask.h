/* Masks the free digits of a line: all digits except those in names ("layer1",
 * "_2", "@3"), where the digit is significant (regex_text.h). Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_DETECT_DIGIT_MASK_H
#define EXTRACT_SCAN_DETECT_DIGIT_MASK_H

#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Copy a line with its free digits set to '0'. Lines with equal copies are
 * matched alike by digit-insensitive patterns.
 *
 * out   [len]
 * most  [len] 9 for a free digit, else 0: largest XOR of a byte and its copy */
void digit_mask_places(
    const char *line, size_t len, char *out, unsigned char *most);

enum { DIGIT_MASK_MIN = 16 /* minimum line length for digit_mask_fits */ };

#if defined(__SSE2__)

/* Excess of the difference of 16 bytes from the copy over `most`. */
static inline __m128i
digit_mask_misfit(
    const char *line, const char *copy, const unsigned char *most, size_t i)
{
	const __m128i x = _mm_loadu_si128((const __m128i *)(line + i));
	const __m128i t = _mm_loadu_si128((const __m128i *)(copy + i));
	const __m128i m = _mm_loadu_si128((const __m128i *)(most + i));

	return _mm_subs_epu8(_mm_xor_si128(x, t), m);
}

/* True if the line has that masked copy: '0' to '9' are the bytes that differ
 * from '0' by at most 9.
 *
 * line, copy, most  [len] at least DIGIT_MASK_MIN */
static inline int
digit_mask_fits(
    const char *line, const char *copy, const unsigned char *most, size_t len)
{
	__m128i odd = digit_mask_misfit(line, copy, most, len - 16);

	for (size_t i = 0; i + 16 <= len; i += 16)
		odd = _mm_or_si128(odd, digit_mask_misfit(line, copy, most, i));
	return _mm_movemask_epi8(_mm_cmpeq_epi8(odd, _mm_setzero_si128())) ==
	    0xffff;
}

#else

static inline int
digit_mask_fits(
    const char *line, const char *copy, const unsigned char *most, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] ^ (unsigned char)copy[i]) > most[i])
			return 0;
	return 1;
}

#endif

#endif
