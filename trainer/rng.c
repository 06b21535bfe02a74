#include <config.h>

#include "trainer/rng.h"

#include <math.h>

void
rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
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

void
rng_block(const struct rng *r, uint64_t block, uint32_t out[4])
{
	const uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32),
		r->stream, r->step };
	const uint32_t key[2] = { (uint32_t)r->seed,
		(uint32_t)(r->seed >> 32) };

	rng_philox(counter, key, out);
}

double
rng_uniform(const struct rng *r, uint64_t k)
{
	uint32_t four[4];

	rng_block(r, k / 4, four);
	return four[k % 4] * 0x1p-32;
}

void
rng_fill_normal(const struct rng *r, double deviation, size_t n, float *out)
{
	const float turn = 6.283185307179586f;
	const float scale = (float)deviation;

	for (size_t i = 0; i < n; i += 4) {
		uint32_t u[4];
		float x[4];

		rng_block(r, i / 4, u);
		for (int j = 0; j < 4; j += 2) {
			/* (u + 1) / 2^32 is in (0, 1]: its logarithm is finite.
			 */
			float radius = sqrtf(
			    -2.0f * logf((float)((u[j] + 1.0) * 0x1p-32)));
			float angle = turn * (float)(u[j + 1] * 0x1p-32);

			x[j] = scale * radius * cosf(angle);
			x[j + 1] = scale * radius * sinf(angle);
		}
		for (size_t j = 0; j < 4 && i + j < n; j++)
			out[i + j] = x[j];
	}
}

void
rng_fill_uniform(const struct rng *r, double bound, size_t n, float *out)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t u[4];

		rng_block(r, i / 4, u);
		for (size_t j = 0; j < 4 && i + j < n; j++)
			out[i + j] = (float)(bound * (u[j] * 0x1p-31 - 1));
	}
}
