/* Vectors of VECTOR_LANES floats, 8 or 16, with the vector extensions of GCC
 * and clang.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_VECTOR_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_VECTOR_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef VECTOR_LANES
#define VECTOR_LANES 16
#endif

typedef float vec __attribute__((vector_size(4 * VECTOR_LANES)));
typedef uint32_t vec_uint __attribute__((vector_size(4 * VECTOR_LANES)));
typedef int32_t vec_int __attribute__((vector_size(4 * VECTOR_LANES)));
typedef uint16_t vec_half __attribute__((vector_size(2 * VECTOR_LANES)));
typedef uint8_t vec_byte __attribute__((vector_size(VECTOR_LANES)));

/* Unroll loops of known length, so that arrays of vectors stay in registers,
 * and inline functions with constant arguments. clang unrolls by itself, and
 * would warn about indexes beyond the four vectors. */
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline vec
vec_load(const float *p)
{
	vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void
vec_store(float *p, vec v)
{
	memcpy(p, &v, sizeof v);
}

static inline void
vec_add_to(float *p, vec v)
{
	vec_store(p, vec_load(p) + v);
}

/* Non-temporal store: if the data leaves the caches before it is read again,
 * the line need not be read first. p is aligned to v's size. */
static inline void
vec_store_past(float *p, vec v)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	_mm512_stream_ps(p, (__m512)v);
#elif defined __AVX__ && VECTOR_LANES == 8
	_mm256_stream_ps(p, (__m256)v);
#else
	vec_store(p, v);
#endif
}

/* Make non-temporal stores visible before later stores. */
static inline void
vec_fence(void)
{
#ifdef __SSE2__
	_mm_sfence();
#endif
}

/* Widen bf16. GCC 12 would compile __builtin_convertvector to five moves. */
static inline vec
vec_from_half(vec_half h)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)h), 16);
#else
	return (vec)(__builtin_convertvector(h, vec_uint) << 16);
#endif
}

static inline vec
vec_load_half(const uint16_t *p)
{
	vec_half h;

	memcpy(&h, p, sizeof h);
	return vec_from_half(h);
}

/* Round to nearest even; NaNs produced by the CPU stay NaN. */
static inline vec_half
vec_to_half(vec v)
{
	vec_uint u = (vec_uint)v;

	u += 0x7fff + (u >> 16 & 1);
	return __builtin_convertvector(u >> 16, vec_half);
}

static inline void
vec_store_half(uint16_t *p, vec v)
{
	const vec_half h = vec_to_half(v);

	memcpy(p, &h, sizeof h);
}

static inline void
vec_store_half_past(uint16_t *p, vec v)
{
	const vec_half h = vec_to_half(v);

#if defined __AVX__ && VECTOR_LANES == 16
	_mm256_stream_si256((__m256i *)(void *)p, (__m256i)h);
#elif defined __SSE2__ && VECTOR_LANES == 8
	_mm_stream_si128((__m128i *)(void *)p, (__m128i)h);
#else
	memcpy(p, &h, sizeof h);
#endif
}

/* max(0, v); NaN stays NaN. */
static inline vec
vec_relu(vec v)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	return (vec)_mm512_max_ps(_mm512_setzero_ps(), (__m512)v);
#else
	return (vec)((vec_int)v & ~(v < (vec){ 0 }));
#endif
}

/* d where y > 0, else 0. */
static inline vec
vec_mask(vec y, vec d)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	return (vec)_mm512_maskz_mov_ps(
	    _mm512_cmp_ps_mask((__m512)y, _mm512_setzero_ps(), _CMP_GT_OQ),
	    (__m512)d);
#else
	return (vec)((vec_int)d & (y > (vec){ 0 }));
#endif
}

/* best = v and at = k where v > best or v is NaN, or everywhere if first. */
static inline void
vec_keep_larger(vec *best, vec_uint *at, vec v, unsigned k, int first)
{
	if (first) {
		*best = v;
		*at = (vec_uint){ 0 } + k;
		return;
	}
#if defined __AVX512F__ && VECTOR_LANES == 16
	{
		/* NLE_UQ would replace a NaN by a later number. */
		const __mmask16 taken = _kor_mask16(
		    _mm512_cmp_ps_mask((__m512)v, (__m512)*best, _CMP_GT_OQ),
		    _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q));

		*best =
		    (vec)_mm512_mask_mov_ps((__m512)*best, taken, (__m512)v);
		*at = (vec_uint)_mm512_mask_mov_epi32(
		    (__m512i)*at, taken, _mm512_set1_epi32((int)k));
	}
#else
	{
		const vec_int taken = (v > *best) | (v != v);

		*best = (vec)(((vec_int)v & taken) | ((vec_int)*best & ~taken));
		*at = (((vec_uint){ 0 } + k) & (vec_uint)taken) |
		    (*at & (vec_uint)~taken);
	}
#endif
}

/* v where at == k, else 0. */
static inline vec
vec_where(vec_uint at, unsigned k, vec v)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	return (vec)_mm512_maskz_mov_ps(
	    _mm512_cmpeq_epi32_mask((__m512i)at, _mm512_set1_epi32((int)k)),
	    (__m512)v);
#else
	return (vec)((vec_int)v & (vec_int)(at == k));
#endif
}

/* Two conversions, since GCC 12 compiles a single one to sixteen moves. */
static inline void
vec_store_bytes(uint8_t *p, vec_uint v)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	_mm_storeu_si128(
	    (__m128i *)(void *)p, _mm512_cvtepi32_epi8((__m512i)v));
#else
	vec_byte b = __builtin_convertvector(
	    __builtin_convertvector(v, vec_half), vec_byte);

	memcpy(p, &b, sizeof b);
#endif
}

static inline vec_uint
vec_load_bytes(const uint8_t *p)
{
#if defined __AVX512F__ && VECTOR_LANES == 16
	return (vec_uint)_mm512_cvtepu8_epi32(
	    _mm_loadu_si128((const __m128i *)(const void *)p));
#else
	vec_byte b;

	memcpy(&b, p, sizeof b);
	return __builtin_convertvector(
	    __builtin_convertvector(b, vec_half), vec_uint);
#endif
}

#endif
