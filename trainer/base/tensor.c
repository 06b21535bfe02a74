/* Element types of tensors and conversion between them. */
#include <config.h>

#include "trainer/base/tensor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
