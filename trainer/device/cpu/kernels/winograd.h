/* Gradients of the weights of 3 x 3 convolutions in fp32 by Winograd's minimal
 * filtering (Winograd, "Arithmetic Complexity of Computations", 1980), for
 * CPUs with AVX-512.
 *
 * A tile of 4 x 4 places of the output's gradient meets 6 x 6 of the input.
 * With both transformed to 6 x 6 numbers, the nine sums of products over a tile
 * are 36 products transformed back, in place of 144; and as the way back is
 * linear, it is done once for the sum of many tiles.  So there are 36 matrix
 * products, (input channels x tiles) * (tiles x output channels).
 *
 * Activations are (n, C / 16, h, w, 16), gradients of weights
 * (K / 16, C / 16, 3, 3, 16 in, 16 out), as oneDNN has them.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_H
#define TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_H

#include <stddef.h>

/* A convolution with stride 1.  The work is cut into units by its shape alone:
 * some of the tiles, at most 64 input and 64 output channels.  Units of
 * different tiles have sums apart, so that results are the same for any number
 * of threads. */
struct winograd {
	int images, in_blocks, out_blocks; /* of 16 channels */
	int h, w, out_h, out_w, pad;
	long cache; /* bytes of a second cache; 0: unknown */
	long tiles;
	int slices; /* of the tiles */
	int units;  /* slices * groups of input * groups of output channels */
};

/* Where it finds its operands. */
struct winograd_places {
	const float *x, *dy;
	float *sums; /* winograd_sums_bytes(), of each slice but the first */
	float *dw;   /* gradients of the weights */
	float *bias; /* [out_blocks * 16] of the bias, or NULL */
};

/* Cut a convolution of which the other numbers are known. */
void winograd_cut(struct winograd *c);

/* Bytes: of a thread's scratch, of all slices' sums. */
size_t winograd_scratch_bytes(void);
size_t winograd_sums_bytes(const struct winograd *c);

/* 1: it is faster than oneDNN's on this many threads.  A rule of shapes
 * alone. */
int winograd_suits(const struct winograd *c, int threads);

/* Write the gradients: the same bits for any number of threads.
 *
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        winograd_scratch_bytes() and a multiple of 64 */
void winograd_run(const struct winograd *c, const struct winograd_places *p,
    char *space, size_t stride);

#endif
