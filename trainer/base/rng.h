/* Random numbers by counter: the k-th number of a stream depends only on (seed,
 * stream, step, k), not on the number of threads or processes.
 *
 * Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC 2011.  Key: the seed's low and high half.  Counter words:
 * block number k / 4 (low, high half), stream, step.
 */
#ifndef TRAINER_BASE_RNG_H
#define TRAINER_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* A parameter's stream is its index in the graph, a dropout node's is
 * RNG_STREAM_DROPOUT plus the index of the node. */
enum rng_stream {
	RNG_STREAM_PARAM = 0,
	RNG_STREAM_DROPOUT = 1 << 16,
	RNG_STREAM_DATA = 1 << 17,
	RNG_STREAM_ORDER = 3 << 16,
	RNG_STREAM_TUNE = 4 << 16
};

struct rng {
	uint64_t seed;
	uint32_t stream, step;
};

/* Block number `block` of the stream: four 32-bit numbers. */
void rng_block(const struct rng *r, uint64_t block, uint32_t out[4]);

/* The k-th number, scaled to [0, 1): a multiple of 2^-32. */
double rng_uniform(const struct rng *r, uint64_t k);

/* Normal numbers k = 0 .. n - 1 with mean 0 and the given standard deviation,
 * by the Box-Muller method; two from each pair of 32-bit numbers. */
void rng_fill_normal(
    const struct rng *r, double deviation, size_t n, float *out);

/* Numbers k = 0 .. n - 1 uniform in [-bound, bound). */
void rng_fill_uniform(const struct rng *r, double bound, size_t n, float *out);

#endif
