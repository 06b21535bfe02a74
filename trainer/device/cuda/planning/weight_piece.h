/* Part of the arenas that one block of threads handles: elements arena .. arena
 * + n - 1 of weights, momenta and gradients, and the start of their working
 * weights (and gradients of these). Also read on the GPU. */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_WEIGHT_PIECE_H
#define TRAINER_DEVICE_CUDA_PLANNING_WEIGHT_PIECE_H

#include <stddef.h>

enum { PIECE_MOST = 8192 }; /* elements; a longer row is one piece */

struct weight_piece {
	size_t arena;
	size_t work; /* offset in elements; only if has_work */
	int n;
	int has_work;
	/* A row of `channels` elements takes `padded` working weights, the rest
	 * are 0. Pieces start with a row. */
	int channels, padded;
};

#endif
