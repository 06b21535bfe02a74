/* Philox4x32-10 (see rng.h), compiled for the host and for GPUs. */
#ifndef TRAINER_BASE_PHILOX_H
#define TRAINER_BASE_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define PHILOX_FN __host__ __device__
#else
#define PHILOX_FN
#endif

static PHILOX_FN inline void
philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c0 = counter[0], c1 = counter[1];
	uint32_t c2 = counter[2], c3 = counter[3];
	uint32_t k0 = key[0], k1 = key[1];

	/* Multipliers and Weyl constants: table 2 of the paper's code. */
	for (int round = 0; round < 10; round++) {
		uint64_t a = (uint64_t)0xd2511f53 * c0;
		uint64_t b = (uint64_t)0xcd9e8d57 * c2;

		c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)b;
		c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)a;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

#endif
