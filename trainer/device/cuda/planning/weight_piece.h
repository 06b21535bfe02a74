/* A part of the arenas that one block of threads handles: elements arena to
 * arena + n - 1 of weights, momenta and gradients, and where the working
 * weights (and their gradients) of them begin.  Read on the GPU too. */
#ifndef TRAINER_DEVICE_CUDA_PLANNING_WEIGHT_PIECE_H
#define TRAINER_DEVICE_CUDA_PLANNING_WEIGHT_PIECE_H

#include <stddef.h>

enum { PIECE_MOST = 8192 }; /* elements, but for rows longer than that */

struct weight_piece {
	size_t arena;
	size_t work; /* elements; only if has_work */
	int n;
	int has_work;
	/* A row of channels elements has padded ones among the working
	 * weights, the rest of them 0.  A piece begins with a row. */
	int channels, padded;
};

#endif
