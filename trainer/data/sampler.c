/* The order of an epoch's images.  The loader calls it; it knows numbers of
 * images only. */
#include <config.h>

#include "trainer/data/sampler.h"

#include <assert.h>

#include "trainer/base/rng.h"

/* Random number k of the stream, uniform in 0 .. n - 1: 53 bits scaled, so
 * that chances differ by less than n / 2^53. */
static uint32_t
random_below(const struct rng *r, uint64_t k, uint32_t n)
{
	uint32_t four[4];
	double x;

	rng_block(r, k / 2, four);
	x = (four[k % 2 * 2] >> 5) * 0x1p26 + (four[k % 2 * 2 + 1] >> 6);
	return (uint32_t)(x * 0x1p-53 * n);
}

void
sampler_order(uint32_t *order, long n, int shuffle, uint64_t seed, int epoch)
{
	const struct rng r = { seed, RNG_STREAM_ORDER, (uint32_t)epoch };

	assert(n >= 0 && n <= INT32_MAX && epoch >= 0);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t j = shuffle ? random_below(&r, i, i + 1) : i;

		/* Durstenfeld's "inside-out" form. */
		if (j != i)
			order[i] = order[j];
		order[j] = i;
	}
}

long
sampler_place(long b, int batch, int rank, int ranks)
{
	return (b * ranks + rank) * batch;
}

long
sampler_batches(long n, int batch, int ranks)
{
	const long all = (long)batch * ranks;

	assert(n >= 0 && batch >= 1 && ranks >= 1);
	return n / all + (n % all > 0);
}

int
sampler_count(long n, long b, int batch, int rank, int ranks, int whole)
{
	const long left = n - sampler_place(b, batch, rank, ranks);

	if (whole || left >= batch)
		return batch;
	return left > 0 ? (int)left : 0;
}
