/* How threads are dealt out to the elements of (rows, channels): each thread
 * takes a few channels next to each other, always the same ones, row by row, so
 * that what belongs to the channels is read once and nothing is divided in a
 * loop.  Compiled for the GPU and for the host.
 */
#ifndef TRAINER_DEVICE_CUDA_GRID_H
#define TRAINER_DEVICE_CUDA_GRID_H

#include <stddef.h>

enum {
	GRID_BLOCK = 256, /* threads */
	/* Blocks that are enough, each for 132 multiprocessors: 4 that run at
	 * once, since each first reads what belongs to its channels; 8 of a
	 * reduction. */
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

/* Blocks for n pieces, per of them in a row: such that the number of all
 * threads is a multiple of per. */
static inline unsigned
grid_blocks(size_t n, size_t per)
{
	const size_t unit = per / grid_divisor(per, GRID_BLOCK);
	const size_t all = (n + GRID_BLOCK - 1) / GRID_BLOCK;
	const size_t most = GRID_MOST;
	const size_t some = all < 1 ? 1 : all < most ? all : most;

	return (unsigned)((some + unit - 1) / unit * unit);
}

/* Threads next to each other in a reduction over rows of per pieces: a power of
 * two that covers them, 32 at most; the block's other threads take other rows.
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
