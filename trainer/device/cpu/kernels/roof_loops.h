/* Loops that do nothing but multiply and add in registers, or read and write
 * memory: what one core can do at most, to measure by.  One thread each.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_ROOF_LOOPS_H
#define TRAINER_DEVICE_CPU_KERNELS_ROOF_LOOPS_H

#include <stddef.h>

#include "trainer/base/tensor.h"

enum { ROOF_LOOPS_ALIGN = 64 }; /* bytes; n floats are a multiple of it */

struct roof_loops {
	const char *name; /* "AVX-512" */
	/* Multiply and add n times in each of some registers, which no loop has
	 * to wait for.  Returns what was computed, which means nothing. */
	float (*products)(long n);
	double flop; /* operations for each of the n */
	/* Sum of n floats; and a[i] = x * b[i] + c[i], past the caches. */
	float (*read)(const float *a, size_t n);
	void (*triad)(float *a, const float *b, const float *c, size_t n);
	/* b[i] = x * b[i] + c[i]; a[i] += y * b[i]: what an optimiser moves,
	 * of five numbers two to where they came from. */
	void (*update)(float *a, float *b, const float *c, size_t n);
};

/* The fastest that this CPU has for products of this type: tiles or dot
 * products of bf16; without them bf16 is multiplied as fp32 is.
 *
 * tiles  AMX may be used (amx_available() was asked) */
const struct roof_loops *roof_loops_find(enum dtype type, int tiles);

#endif
