/* Linear layers of fp32 values, for CPUs with AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/linear.h"

#include <immintrin.h>
#include <string.h>

#define LANES 16
#define DEEP 1
#define LINEAR_KERNELS linear_fp32

typedef float value;
typedef __m512 operand;

static inline __m512
add_products(__m512 sum, operand a, operand b)
{
	return _mm512_fmadd_ps(a, b, sum);
}

static inline operand
load_values(const value *x)
{
	return _mm512_loadu_ps(x);
}

static inline operand
load_weights(const float *w)
{
	return _mm512_loadu_ps(w);
}

static inline operand
load_outputs(const float *const *rows, int i)
{
	return _mm512_loadu_ps(rows[0] + i);
}

static inline operand
load_images(const void *images, size_t i)
{
	return _mm512_loadu_ps((const float *)images + i);
}

/* A value's bits; there is no second one. */
static inline uint32_t
join_values(const value *a, const value *b)
{
	uint32_t bits;

	(void)b;
	memcpy(&bits, a, sizeof bits);
	return bits;
}

static inline const void *
images_in_turn(const struct linear *l, const void *x, char *pairs)
{
	(void)l;
	(void)pairs;
	return x;
}

static inline void
store_values(value *to, __m512 sums)
{
	_mm512_storeu_ps(to, sums);
}

static inline value
to_value(float x)
{
	return x;
}

static inline float
to_float(value x)
{
	return x;
}

#include "trainer/device/cpu/kernels/linear_template.h"
