/* Assignment of threads to elements of (rows, channels). Each thread processes
 * the same few adjacent channels row by row, so that per-channel data is read
 * once and loops need no division. Compiled for the GPU and the host.
 */
#ifndef TRAINER_DEVICE_CUDA_GRID_H
#define TRAINER_DEVICE_CUDA_GRID_H

#include <stddef.h>

enum {
	GRID_BLOCK = 256, /* threads */
	/* Maximum numbers of blocks, for 132 multiprocessors: 4 concurrent
	 * blocks each, since each block first reads its per-channel data; 8 for
	 * a reduction. */
	GRID_MOST = 528,
	GRID_REDUCE = 1056
};

static inline size_t
grid_divisor(size_t a, size_t b)
{
	while (b != 0) {
		const size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Blocks for n pieces with `per` pieces in a row. The total number of threads
 * is a multiple of per. */
static inline unsigned
grid_blocks(size_t n, size_t per)
{
	const size_t unit = per / grid_divisor(per, GRID_BLOCK);
	const size_t all = (n + GRID_BLOCK - 1) / GRID_BLOCK;
	const size_t most = GRID_MOST;
	const size_t some = all < 1 ? 1 : all < most ? all : most;

	return (unsigned)((some + unit - 1) / unit * unit);
}

/* Adjacent threads in a reduction over rows of `per` pieces: a power of two
 * that covers them, at most 32; the block's other threads take other rows.
 */
static inline unsigned
grid_lanes(size_t per)
{
	unsigned n = 1;

	while (n < 32 && n < per)
		n *= 2;
	return n;
}

#endif
