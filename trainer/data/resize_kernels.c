/* The two sums of resizing. Compiled once for each instruction set, with
 * RESIZE_KERNELS (the name of the table) and RESIZE_ISA set by local.mk. Uses
 * the vector extensions common to GCC and clang. */
#include <config.h>

#include "trainer/data/resize.h"

#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { CHANNELS = 3, WIDE = 16 };

typedef float resize_wide __attribute__((vector_size(64)));
typedef int32_t resize_ints __attribute__((vector_size(64)));
typedef uint16_t resize_halves __attribute__((vector_size(32)));
typedef uint8_t resize_bytes __attribute__((vector_size(16)));

/* A pixel and an unused number. */
typedef float resize_pixel __attribute__((vector_size(16)));

/* Convert in steps: GCC 12 compiles a direct conversion to sixteen moves. */
static inline resize_wide
load_bytes(const uint8_t *p)
{
	resize_bytes b;

	memcpy(&b, p, sizeof b);
#ifdef __AVX512F__
	return (resize_wide)_mm512_cvtepi32_ps(
	    _mm512_cvtepu8_epi32((__m128i)b));
#else
	return __builtin_convertvector(
	    __builtin_convertvector(
		__builtin_convertvector(b, resize_halves), resize_ints),
	    resize_wide);
#endif
}

static inline void
store_bytes(uint8_t *p, resize_wide x)
{
#ifdef __AVX512F__
	const resize_bytes b =
	    (resize_bytes)_mm512_cvtepi32_epi8(_mm512_cvttps_epi32((__m512)x));
#else
	const resize_bytes b = __builtin_convertvector(
	    __builtin_convertvector(
		__builtin_convertvector(x, resize_ints), resize_halves),
	    resize_bytes);
#endif

	memcpy(p, &b, sizeof b);
}

static inline resize_pixel
load_pixel(const float *p)
{
	resize_pixel v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void
sum_rows(float *sum, const uint8_t *in, size_t stride, const float *weight,
    int count, size_t n)
{
	for (size_t i = 0; i < n; i += WIDE) {
		resize_wide x = weight[0] * load_bytes(in + i);

		for (int t = 1; t < count; t++)
			x +=
			    weight[t] * load_bytes(in + (size_t)t * stride + i);
		memcpy(sum + i, &x, sizeof x);
	}
}

static void
add_rows(float *sum, const uint8_t *in, size_t stride, const float *weight,
    int count, size_t n)
{
	if (count == 2)
		sum_rows(sum, in, stride, weight, 2, n);
	else if (count == 3)
		sum_rows(sum, in, stride, weight, 3, n);
	else if (count == 4)
		sum_rows(sum, in, stride, weight, 4, n);
	else
		sum_rows(sum, in, stride, weight, count, n);
}

/* Store a pixel as a vector of four numbers; the next pixel overwrites the
 * fourth. Each weight is loaded once for all rows. */
static inline void
sum_columns(const struct resize_weights *w, int n, int mirror, int count,
    const float *restrict sum, size_t stride, float *restrict row)
{
	const resize_pixel half = { 0.5f, 0.5f, 0.5f, 0.5f };

	for (int k = 0; k < n; k++) {
		const int from = mirror ? n - 1 - k : k;
		const float *weight =
		    w->weight + (size_t)from * (size_t)w->most;
		const float *in = sum + (size_t)w->low[from] * CHANNELS;
		float *to = row + (size_t)k * CHANNELS;
		resize_pixel x0 = half, x1 = half, x2 = half, x3 = half;

		for (int t = 0; t < count; t++, in += CHANNELS) {
			x0 += weight[t] * load_pixel(in);
			x1 += weight[t] * load_pixel(in + stride);
			x2 += weight[t] * load_pixel(in + 2 * stride);
			x3 += weight[t] * load_pixel(in + 3 * stride);
		}
		memcpy(to, &x0, sizeof x0);
		memcpy(to + stride, &x1, sizeof x1);
		memcpy(to + 2 * stride, &x2, sizeof x2);
		memcpy(to + 3 * stride, &x3, sizeof x3);
	}
}

static void
add_columns(const struct resize_weights *w, int n, int mirror, const float *sum,
    float *row, size_t stride, uint8_t *out)
{
	if (w->most == 2)
		sum_columns(w, n, mirror, 2, sum, stride, row);
	else if (w->most == 3)
		sum_columns(w, n, mirror, 3, sum, stride, row);
	else if (w->most == 4)
		sum_columns(w, n, mirror, 4, sum, stride, row);
	else
		sum_columns(w, n, mirror, w->most, sum, stride, row);
	for (size_t i = 0; i < RESIZE_ROWS; i++)
		for (size_t k = 0; k < (size_t)n * CHANNELS; k += WIDE) {
			resize_wide x;

			memcpy(&x, row + i * stride + k, sizeof x);
			store_bytes(out + i * stride + k, x);
		}
}

const struct resize_kernels RESIZE_KERNELS = { RESIZE_ISA, add_rows,
	add_columns };
