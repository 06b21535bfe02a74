/* Counter-based random numbers (Philox). */
#include <config.h>

#include "trainer/base/rng.h"

#include <math.h>

#include "trainer/base/philox.h"

void
rng_block(const struct rng *r, uint64_t block, uint32_t out[4])
{
	const uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32),
		r->stream, r->step };
	const uint32_t key[2] = { (uint32_t)r->seed,
		(uint32_t)(r->seed >> 32) };

	philox(counter, key, out);
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
			/* (u + 1) / 2^32 > 0: its logarithm is finite. */
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
