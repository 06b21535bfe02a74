/* Memory and numbers for tests that compare kernels of the cpu device with sums
 * in double precision.
 */
#ifndef TESTS_UNIT_KERNEL_NUMBERS_H
#define TESTS_UNIT_KERNEL_NUMBERS_H

#include <stdint.h>
#include <stdlib.h>

#include "tests/tap.h"

/* A number less than `below`, from the same sequence in each run: Marsaglia
 * 2003, "Xorshift RNGs". */
static inline unsigned
next_random(unsigned below)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

/* Allocate at least `bytes` bytes, aligned to a cache line, uninitialised. The
 * caller frees them. */
static inline void *
aligned(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);

	CHECK(p != NULL);
	return p;
}

/* n numbers from -1 to 1. The caller frees them. */
static inline float *
float_numbers(size_t n)
{
	float *x = aligned(n * sizeof *x);

	for (size_t i = 0; i < n; i++)
		x[i] = (float)next_random(2000001) / 1e6F - 1;
	return x;
}

#endif
