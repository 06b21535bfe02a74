/* 3 x 3 convolutions in fp32 by Winograd's minimal filtering, for CPUs with
 * AVX-512: the forward pass, and the gradient of the input, which is the
 * convolution of the output's gradient with the weights turned round.
 * (winograd.h has the gradient of the weights.)
 *
 * A tile of 4 x 4 places of the output depends on 6 x 6 of the input. With tile
 * and weights transformed to 6 x 6 numbers, a tile is the way back from 36
 * products in place of 144. So there are 36 matrix products,
 * (tiles x input channels) * (input channels x output channels).
 *
 * Activations are (n, C / 16, h, w, 16), weights
 * (K / 16, C / 16, 3, 3, 16 in, 16 out), as oneDNN has them.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_CONV_H
#define TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_CONV_H

#include <stddef.h>

/* A convolution with stride 1, by its sides: for a gradient the input is the
 * output's gradient.  The order of all sums is that of the input channels,
 * so that results do not depend on how the work is cut. */
struct winograd_conv {
	int images, in_blocks, out_blocks; /* of 16 channels */
	int h, w, out_h, out_w, pad;
	int is_gradient; /* 1: weights are (C / 16, K / 16, ...), turned */
	int relu;        /* 1: negative results are 0 */
	int threads;
	long cache; /* bytes of a second cache; 0: unknown */
	/* The cut, by winograd_conv_cut(). */
	long tiles;
	int depth; /* input blocks at a time */
	int range; /* tiles of a unit */
	int block; /* tiles at a time */
	int units; /* groups of output channels * ranges */
};

/* Where it finds its operands. */
struct winograd_conv_places {
	const float *x, *weights;
	const float *bias; /* [out_blocks * 16], or NULL */
	float *y;
};

/* Cut a convolution of which the other numbers are known. */
void winograd_conv_cut(struct winograd_conv *c);

/* Bytes of a thread's scratch. */
size_t winograd_conv_bytes(const struct winograd_conv *c);

/* 1: it is possible, and faster than oneDNN's.  A rule of shapes alone. */
int winograd_conv_suits(const struct winograd_conv *c);

/* Write y.
 *
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        winograd_conv_bytes() and a multiple of 64 */
void winograd_conv_run(const struct winograd_conv *c,
    const struct winograd_conv_places *p, char *space, size_t stride);

#endif
