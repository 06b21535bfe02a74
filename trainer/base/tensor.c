/* Element types of tensors and conversion between them. */
#include <config.h>

#include "trainer/base/tensor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_X86_FLAGS
#include <immintrin.h>

#include "trainer/base/isa.h"
#endif

static const struct {
	const char *name;
	size_t size;
} dtypes[N_DTYPES] = {
	[DTYPE_FP32] = { "fp32", 4 },
	[DTYPE_FP64] = { "fp64", 8 },
	[DTYPE_TF32] = { "tf32", 4 },
	[DTYPE_FP16] = { "fp16", 2 },
	[DTYPE_BF16] = { "bf16", 2 },
	[DTYPE_U8] = { "u8", 1 },
};

const char *
dtype_name(enum dtype t)
{
	return dtypes[t].name;
}

size_t
dtype_size(enum dtype t)
{
	return dtypes[t].size;
}

int
dtype_find(const char *name, enum dtype *out)
{
	for (int i = 0; i < N_DTYPES; i++)
		if (strcmp(name, dtypes[i].name) == 0) {
			*out = (enum dtype)i;
			return 0;
		}
	return -1;
}

size_t
shape_size(struct shape s)
{
	return (size_t)s.c * (size_t)s.h * (size_t)s.w;
}

uint16_t
bf16_from_float(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof u);
	if ((u & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(u >> 16 | 0x40);
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

float
bf16_to_float(uint16_t x)
{
	uint32_t u = (uint32_t)x << 16;
	float f;

	memcpy(&f, &u, sizeof f);
	return f;
}

uint16_t
fp16_from_float(float x)
{
	const float least_normal = 6.103515625e-05f; /* 2^-14 */
	uint32_t u, sign;

	memcpy(&u, &x, sizeof u);
	sign = u >> 16 & 0x8000;
	u &= 0x7fffffff;
	if (u > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (u >> 13 & 0x1ff));
	x = fabsf(x);
	if (x >= 65520)
		return (uint16_t)(sign | 0x7c00);
	if (x < least_normal) /* a multiple of 2^-24 */
		return (uint16_t)(sign | (uint32_t)rintf(ldexpf(x, 24)));
	u -= (127 - 15) << 23;
	return (uint16_t)(sign | (u + 0xfff + (u >> 13 & 1)) >> 13);
}

float
fp16_to_float(uint16_t x)
{
	const int exponent = x >> 10 & 31, fraction = x & 0x3ff;
	float f;

	if (exponent == 31)
		f = fraction == 0 ? INFINITY : NAN;
	else if (exponent == 0)
		f = ldexpf((float)fraction, -24);
	else
		f = ldexpf((float)(fraction | 0x400), exponent - 25);
	return x & 0x8000 ? -f : f;
}

void
tensor_convert(
    enum dtype from, const void *src, enum dtype to, void *dst, size_t n)
{
	assert(from == DTYPE_FP32 || from == DTYPE_FP64);
	assert(to == DTYPE_FP32 || to == DTYPE_FP64);
	if (from == to) {
		memcpy(dst, src, n * dtype_size(to));
	} else if (to == DTYPE_FP64) {
		for (size_t i = 0; i < n; i++)
			((double *)dst)[i] = ((const float *)src)[i];
	} else {
		for (size_t i = 0; i < n; i++)
			((float *)dst)[i] = (float)((const double *)src)[i];
	}
}

/* --- Arrays of halves ----------------------------------------------------- */

/* Conversions are done in software, or eight at a time on CPUs with F16C and
 * AVX2. Both round to nearest even. */

static float
widen_bits(enum dtype t, uint16_t x)
{
	return t == DTYPE_FP16 ? fp16_to_float(x) : bf16_to_float(x);
}

#ifdef HAVE_X86_FLAGS
/* Eight numbers at a time, for CPUs with AVX2 and F16C. */
#define WIDE __attribute__((target("avx2,fma,f16c")))
enum { LANES = 8 };
/* Least count for which non-temporal stores pay: 512 KiB. */
enum { STREAMED = 1 << 17 };

static int
runs_wide(void)
{
	return isa_runs_avx2() && isa_runs_f16c();
}

WIDE static inline __m256
load(enum dtype t, const uint16_t *x)
{
	const __m128i raw = _mm_loadu_si128((const __m128i *)(const void *)x);

	if (t == DTYPE_FP16)
		return _mm256_cvtph_ps(raw);
	return _mm256_castsi256_ps(
	    _mm256_slli_epi32(_mm256_cvtepu16_epi32(raw), 16));
}

/* Round eight numbers to bf16, ties to even, as bf16_from_float() does. */
WIDE static inline __m128i
round_bf16(__m256 x)
{
	const __m256i u = _mm256_castps_si256(x);
	const __m256i odd =
	    _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
	const __m256i up = _mm256_add_epi32(
	    u, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
	const __m256i quiet = _mm256_or_si256(u, _mm256_set1_epi32(0x400000));
	const __m256 is_nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
	const __m256i r = _mm256_srli_epi32(
	    _mm256_blendv_epi8(up, quiet, _mm256_castps_si256(is_nan)), 16);

	return _mm_packus_epi32(
	    _mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1));
}

WIDE static inline void
store(enum dtype t, __m256 x, uint16_t *out)
{
	_mm_storeu_si128((__m128i *)(void *)out,
	    t == DTYPE_FP16 ? _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)
			    : round_bf16(x));
}

WIDE static size_t
wide_from_float(
    enum dtype t, const float *in, float scale, uint16_t *out, size_t n)
{
	const __m256 k = _mm256_set1_ps(scale);
	size_t i;

	for (i = 0; i + LANES <= n; i += LANES)
		store(t, _mm256_mul_ps(_mm256_loadu_ps(in + i), k), out + i);
	return i;
}

WIDE static size_t
wide_to_float(enum dtype t, const uint16_t *in, float *out, size_t n)
{
	size_t i = 0;

	if (n >= STREAMED) {
		while ((uintptr_t)(out + i) % sizeof(__m256) != 0) {
			out[i] = widen_bits(t, in[i]);
			i++;
		}
		for (; i + LANES <= n; i += LANES)
			_mm256_stream_ps(out + i, load(t, in + i));
		_mm_sfence();
	}
	for (; i + LANES <= n; i += LANES)
		_mm256_storeu_ps(out + i, load(t, in + i));
	return i;
}

WIDE static size_t
wide_add(enum dtype t, uint16_t *sum, const uint16_t *x, size_t n)
{
	size_t i;

	for (i = 0; i + LANES <= n; i += LANES)
		store(t, _mm256_add_ps(load(t, sum + i), load(t, x + i)),
		    sum + i);
	return i;
}

#endif

static uint16_t
narrow_bits(enum dtype t, float x)
{
	return t == DTYPE_FP16 ? fp16_from_float(x) : bf16_from_float(x);
}

void
half_float_from_float(
    enum dtype t, const float *in, float scale, uint16_t *out, size_t n)
{
	size_t i = 0;

	assert(t == DTYPE_FP16 || t == DTYPE_BF16);
#ifdef HAVE_X86_FLAGS
	if (runs_wide())
		i = wide_from_float(t, in, scale, out, n);
#endif
	for (; i < n; i++)
		out[i] = narrow_bits(t, in[i] * scale);
}

void
half_float_to_float(enum dtype t, const uint16_t *in, float *out, size_t n)
{
	size_t i = 0;

	assert(t == DTYPE_FP16 || t == DTYPE_BF16);
#ifdef HAVE_X86_FLAGS
	if (runs_wide())
		i = wide_to_float(t, in, out, n);
#endif
	for (; i < n; i++)
		out[i] = widen_bits(t, in[i]);
}

void
half_float_add(enum dtype t, uint16_t *sum, const uint16_t *x, size_t n)
{
	size_t i = 0;

	assert(t == DTYPE_FP16 || t == DTYPE_BF16);
#ifdef HAVE_X86_FLAGS
	if (runs_wide())
		i = wide_add(t, sum, x, n);
#endif
	for (; i < n; i++)
		sum[i] =
		    narrow_bits(t, widen_bits(t, sum[i]) + widen_bits(t, x[i]));
}
