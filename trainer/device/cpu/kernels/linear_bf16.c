/* Linear layers of bf16 values, for CPUs with AVX-512's products of bf16. */
#include <config.h>

#include "trainer/device/cpu/kernels/linear.h"

#include <immintrin.h>
#include <string.h>

#include "trainer/base/half_float.h"
#include "trainer/base/parallel.h"

#define LANES 16
#define DEEP 2
#define LINEAR_KERNELS linear_bf16

typedef uint16_t value;
typedef __m512bh operand;

static inline __m512
add_products(__m512 sum, operand a, operand b)
{
	return _mm512_dpbf16_ps(sum, a, b);
}

static inline operand
load_values(const value *x)
{
	return (operand)_mm512_loadu_si512(x);
}

static inline operand
load_weights(const float *w)
{
	return _mm512_cvtne2ps_pbh(
	    _mm512_loadu_ps(w + LANES), _mm512_loadu_ps(w));
}

/* The lanes of two vectors of 16 halves in turn. */
static inline operand
in_turn(__m512i both)
{
	const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12,
	    27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18,
	    2, 17, 1, 16, 0);

	return (operand)_mm512_permutexvar_epi16(order, both);
}

static inline operand
load_outputs(const float *const *rows, int i)
{
	const __m512 second = rows[1] == NULL ? _mm512_setzero_ps()
					      : _mm512_loadu_ps(rows[1] + i);

	return in_turn(
	    (__m512i)_mm512_cvtne2ps_pbh(second, _mm512_loadu_ps(rows[0] + i)));
}

static inline operand
load_images(const void *images, size_t i)
{
	return (operand)_mm512_loadu_si512((const uint32_t *)images + i);
}

static inline uint32_t
join_values(const value *a, const value *b)
{
	return *a | (b == NULL ? 0 : (uint32_t)*b << 16);
}

/* Pairs of images, [(batch + 1) / 2][in]; an odd one's last is paired with
 * zeros. */
static const void *
images_in_turn(const struct linear *l, const void *x, char *pairs)
{
	const size_t in = (size_t)l->in;

	PARALLEL_FOR
	for (int b = 0; b < l->batch; b += 2) {
		const value *first = (const value *)x + (size_t)b * in;
		const value *second = b + 1 < l->batch ? first + in : NULL;
		uint32_t *to = (uint32_t *)(void *)pairs + (size_t)b / 2 * in;

		for (size_t i = 0; i < in; i += LANES) {
			const __m512i low =
			    _mm512_cvtepu16_epi32(_mm256_loadu_si256(
				(const __m256i *)(const void *)(first + i)));
			const __m512i high = second == NULL
			    ? _mm512_setzero_si512()
			    : _mm512_cvtepu16_epi32(_mm256_loadu_si256(
				  (const __m256i *)(const void *)(second + i)));

			_mm512_storeu_si512(to + i,
			    _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
		}
	}
	return pairs;
}

static inline void
store_values(value *to, __m512 sums)
{
	_mm256_storeu_si256(
	    (__m256i *)(void *)to, (__m256i)_mm512_cvtneps_pbh(sums));
}

static inline value
to_value(float x)
{
	return bf16_from_float(x);
}

static inline float
to_float(value x)
{
	return bf16_to_float(x);
}

#include "trainer/device/cpu/kernels/linear_template.h"
