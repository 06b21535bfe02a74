/* Lines with their free digits put to '0', 16 bytes at a time where the machine
 * can.  Called by unread_lines.c and line_kinds.c, which count lines by kind;
 * what a line means it does not know. */
#include <config.h>

#include "extract/scan/detect/digit_mask.h"

#include <stdint.h>

#include "extract/format/patterns/regex_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__SSE2__)

/* A bit for each byte of x that is from first on, last at most. */
static inline unsigned
bytes_from_to(__m128i x, char first, char last)
{
	const __m128i d = _mm_sub_epi8(x, _mm_set1_epi8(first));
	const __m128i most = _mm_set1_epi8((char)(last - first));

	return (unsigned)_mm_movemask_epi8(
	    _mm_cmpeq_epi8(_mm_min_epu8(d, most), d));
}

static inline unsigned
bytes_equal(__m128i x, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)));
}

/* The bytes whose bit is set are 0xff, the others 0. */
static inline __m128i
spread_bits(unsigned bits)
{
	const __m128i which =
	    _mm_set1_epi64x((long long)UINT64_C(0x8040201008040201));
	__m128i x = _mm_cvtsi32_si128((int)bits);

	x = _mm_unpacklo_epi8(x, x);
	x = _mm_shufflelo_epi16(x, 0x50);
	x = _mm_unpacklo_epi32(x, x);
	return _mm_cmpeq_epi8(_mm_and_si128(x, which), which);
}

/* Mask 16 bytes at a time as long as there are so many.  Returns how many were
 * done; held as in mask_line. */
static inline size_t
mask_blocks(
    const char *line, size_t len, char *out, unsigned char *most, int *held)
{
	unsigned carry = 0;
	size_t i = 0;

	for (; i + 16 <= len; i += 16) {
		const __m128i x = _mm_loadu_si128((const __m128i *)(line + i));
		const __m128i lower = _mm_or_si128(x, _mm_set1_epi8(0x20));
		const unsigned digits = bytes_from_to(x, '0', '9');
		const unsigned holders = bytes_from_to(lower, 'a', 'z') |
		    bytes_equal(x, '_') | bytes_equal(x, '@');
		/* Runs of digits after a holder: the sum carries through. */
		const unsigned begin = (holders << 1 | carry) & digits;
		const unsigned kept = digits & ~(digits + begin);
		const __m128i free = spread_bits(digits & ~kept);

		_mm_storeu_si128((__m128i *)(out + i),
		    _mm_or_si128(_mm_andnot_si128(free, x),
			_mm_and_si128(free, _mm_set1_epi8('0'))));
		if (most != NULL)
			_mm_storeu_si128((__m128i *)(most + i),
			    _mm_and_si128(free, _mm_set1_epi8(9)));
		carry = (holders | kept) >> 15 & 1;
	}
	*held = (int)carry;
	return i;
}

#else

static inline size_t
mask_blocks(
    const char *line, size_t len, char *out, unsigned char *most, int *held)
{
	(void)line, (void)len, (void)out, (void)most;
	*held = 0;
	return 0;
}

#endif

/* most  as in digit_mask_places, or NULL */
static inline void
mask_line(const char *line, size_t len, char *out, unsigned char *most)
{
	int held; /* the current digits stand after what holds them */

	for (size_t i = mask_blocks(line, len, out, most, &held); i < len;
	     i++) {
		const char c = line[i];
		int is_free;

		if (!text_is_digit(c))
			held = text_holds_digits(c);
		is_free = text_is_digit(c) && !held;
		out[i] = is_free ? '0' : c;
		if (most != NULL)
			most[i] = is_free ? 9 : 0;
	}
}

void
digit_mask_line(const char *line, size_t len, char *out)
{
	mask_line(line, len, out, NULL);
}

void
digit_mask_places(const char *line, size_t len, char *out, unsigned char *most)
{
	mask_line(line, len, out, most);
}
