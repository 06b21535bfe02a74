/* The bytes of an object: what they mean inside of it, and the ends of texts
 * and values, many bytes at a time.  Inline, because it is asked for each value
 * of a line.  Internal to extract/format/patterns: json_pattern.c.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_JSON_BYTES_H
#define EXTRACT_FORMAT_PATTERNS_JSON_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
	JSON_WINDOW = 32, /* bytes that are compared at once */
	JSON_BLOCK = 64   /* whose structure is found at once */
};

/* What a byte means inside of an object. */
enum { IS_BLANK = 1, IS_OPEN = 2, IS_CLOSE = 4, IS_QUOTE = 8, IS_COMMA = 16 };

static const unsigned char json_classes[256] = {
	[' '] = IS_BLANK,
	['\t'] = IS_BLANK,
	['{'] = IS_OPEN,
	['['] = IS_OPEN,
	['('] = IS_OPEN,
	['}'] = IS_CLOSE,
	[']'] = IS_CLOSE,
	[')'] = IS_CLOSE,
	['"'] = IS_QUOTE,
	['\''] = IS_QUOTE,
	[','] = IS_COMMA,
};

static inline unsigned
class_of(const char *s)
{
	return json_classes[(unsigned char)*s];
}

static inline const char *
skip_blanks(const char *s, const char *end)
{
	while (s < end && class_of(s) == IS_BLANK)
		s++;
	return s;
}

#if defined(__SSE2__)

/* A bit for each of the 16 bytes at s that is c or d. */
static inline unsigned
either_of(const char *s, char c, char d)
{
	const __m128i x = _mm_loadu_si128((const __m128i *)s);

	return (unsigned)_mm_movemask_epi8(
	    _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)),
		_mm_cmpeq_epi8(x, _mm_set1_epi8(d))));
}

/* A bit for each that is a quote, comma or bracket, at least. */
static inline unsigned
structural_bits(const char *s)
{
	const __m128i x = _mm_loadu_si128((const __m128i *)s);
	/* [ and {, ] and } are a bit apart; ' ( ) are neighbours. */
	const __m128i y = _mm_or_si128(x, _mm_set1_epi8(0x20));
	const __m128i z = _mm_sub_epi8(x, _mm_set1_epi8('\''));
	const __m128i round =
	    _mm_cmpeq_epi8(_mm_min_epu8(z, _mm_set1_epi8(2)), z);
	const __m128i curly =
	    _mm_or_si128(_mm_cmpeq_epi8(y, _mm_set1_epi8('{')),
		_mm_cmpeq_epi8(y, _mm_set1_epi8('}')));
	const __m128i rest = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(',')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('"')));

	return (unsigned)_mm_movemask_epi8(
	    _mm_or_si128(round, _mm_or_si128(curly, rest)));
}

/* A bit for each of the JSON_WINDOW bytes that a and b have in common. */
static inline uint64_t
equal_bits(const char *a, const char *b)
{
	const __m128i *x = (const void *)a, *y = (const void *)b;

	return (unsigned)_mm_movemask_epi8(
		   _mm_cmpeq_epi8(_mm_loadu_si128(x), _mm_loadu_si128(y))) |
	    (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(x + 1), _mm_loadu_si128(y + 1)))
	    << 16;
}

/* structural_bits of JSON_BLOCK bytes. */
static inline uint64_t
structural_block(const char *s)
{
	uint64_t bits = 0;

	for (int i = 0; i < JSON_BLOCK; i += 16)
		bits |= (uint64_t)structural_bits(s + i) << i;
	return bits;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define JSON_HAVE_WIDE 1

/* The same where the processor has AVX2.  With one bit set no two of the bytes
 * that are looked for agree in their lower half but '[' and '{', ']' and '}',
 * which that bit makes equal: so one table says for each half which it is.
 * What a tab becomes is taken for a bracket. */
__attribute__((target("avx2"))) static inline uint64_t
structural_block_wide(const char *s)
{
	const __m256i table = _mm256_setr_epi8(0, 0, '"', 0, 0, 0, 0, '\'', '(',
	    ')', 0, '{', ',', '}', 0, 0, 0, 0, '"', 0, 0, 0, 0, '\'', '(', ')',
	    0, '{', ',', '}', 0, 0);
	const __m256i bit = _mm256_set1_epi8(0x20);
	const __m256i x =
	    _mm256_or_si256(_mm256_loadu_si256((const void *)s), bit);
	const __m256i y =
	    _mm256_or_si256(_mm256_loadu_si256((const void *)(s + 32)), bit);

	return (uint32_t)_mm256_movemask_epi8(
		   _mm256_cmpeq_epi8(x, _mm256_shuffle_epi8(table, x))) |
	    (uint64_t)(uint32_t)_mm256_movemask_epi8(
		_mm256_cmpeq_epi8(y, _mm256_shuffle_epi8(table, y)))
	    << 32;
}

#endif

/* The first quote or backslash from s on, if it is among the next bytes. */
static inline const char *
skip_plain_text(const char *s, const char *end, char quote)
{
	for (; end - s >= 16; s += 16) {
		const unsigned bits = either_of(s, quote, '\\');

		if (bits != 0)
			return s + __builtin_ctz(bits);
	}
	return s;
}

/* The same for a quote, comma or bracket. */
static inline const char *
skip_plain_value(const char *s, const char *end)
{
	for (; end - s >= 16; s += 16) {
		const unsigned bits = structural_bits(s);

		if (bits != 0)
			return s + __builtin_ctz(bits);
	}
	return s;
}

#else

static inline const char *
skip_plain_text(const char *s, const char *end, char quote)
{
	(void)end, (void)quote;
	return s;
}

static inline const char *
skip_plain_value(const char *s, const char *end)
{
	(void)end;
	return s;
}

#endif

/* The end of the text whose quote is at s: its closing quote, or NULL. */
static inline const char *
string_end(const char *s, const char *end)
{
	const char quote = *s++;
	const char *plain = skip_plain_text(s, end, quote);

	if (plain < end && *plain == quote)
		return plain;
	for (;;) {
		const char *q = memchr(s, quote, (size_t)(end - s));
		size_t n = 0;

		if (q == NULL)
			return NULL;
		while (q - n > s && q[-1 - (ptrdiff_t)n] == '\\')
			n++;
		if (n % 2 == 0)
			return q;
		s = q + 1;
	}
}

/* The place after a value, at the ',' or bracket that ends it, or NULL. */
static inline const char *
skip_value(const char *s, const char *end)
{
	size_t depth = 0;

	for (; s < end; s++) {
		unsigned c;

		s = skip_plain_value(s, end);
		if (s == end)
			return NULL;
		c = class_of(s);
		if (c <= IS_BLANK)
			continue;
		if (c == IS_QUOTE) {
			s = string_end(s, end);
			if (s == NULL)
				return NULL;
		} else if (c == IS_OPEN) {
			depth++;
		} else if (depth == 0) {
			return s;
		} else if (c == IS_CLOSE) {
			depth--;
		}
	}
	return NULL;
}

#endif
