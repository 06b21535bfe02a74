/* 3 x 3 convolutions in fp32 by Winograd's minimal filtering (Winograd,
 * "Arithmetic Complexity of Computations", 1980), for CPUs with AVX-512.
 *
 * winograd_conv_...: the forward pass, and the gradient of the input, which is
 * the convolution of the output's gradient with the rotated weights. A 4 x 4
 * tile of the output depends on 6 x 6 of the input. With tile and weights
 * transformed to 6 x 6 numbers, the output is the inverse transform of 36
 * products instead of 144. So there are 36 matrix products, (tiles x input
 * channels) * (input channels x output channels).
 *
 * winograd_...: the gradient of the weights. A 4 x 4 tile of the output's
 * gradient is multiplied with 6 x 6 of the input; the nine sums of products
 * over a tile are the inverse transform of 36 products, done once for the sum
 * of many tiles: (input channels x tiles) * (tiles x output channels).
 *
 * Activations are (n, C / 16, h, w, 16), weights and their gradients (K / 16, C
 * / 16, 3, 3, 16 in, 16 out), as in oneDNN.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_H
#define TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_H

#include <stddef.h>

/* A convolution with stride 1. For the gradient of the input, the input here is
 * the output's gradient. Results are bit-identical for any number of threads:
 * sums are in the order of input channels, and those of weights are divided
 * into units by sizes alone. */
struct winograd {
	int images, in_blocks, out_blocks; /* blocks of 16 channels */
	int h, w, out_h, out_w, pad;
	int is_gradient; /* 1: weights are (C / 16, K / 16, ...), rotated */
	int relu;        /* 1: negative results are 0 */
	int threads;
	long cache; /* bytes of an L2 cache; 0: unknown */
	/* Set by the cut functions. */
	long tiles;
	int depth;  /* input blocks at a time */
	int range;  /* tiles per unit */
	int block;  /* tiles at a time */
	int slices; /* weight gradient: parts of the tiles */
	int units;  /* groups of output channels * ranges; weight gradient:
	               slices * groups of input * groups of output channels */
};

/* Set the division of a convolution from the fields above. */
void winograd_conv_cut(struct winograd *c);
void winograd_cut(struct winograd *c);

/* True if supported and faster than oneDNN's. Depends on sizes only. */
int winograd_conv_suits(const struct winograd *c);
int winograd_suits(const struct winograd *c);

/* Bytes of scratch per thread. */
size_t winograd_conv_bytes(const struct winograd *c);
size_t winograd_scratch_bytes(void);

/* Bytes of the sums of all slices. */
size_t winograd_sums_bytes(const struct winograd *c);

struct winograd_conv_places {
	const float *x, *weights;
	const float *bias; /* [out_blocks * 16], or NULL */
	float *y;          /* written */
};

struct winograd_places {
	const float *x, *dy;
	float *sums; /* winograd_sums_bytes(), for each slice but the first */
	float *dw;   /* output: weight gradients */
	float *bias; /* [out_blocks * 16] output: bias gradient, or NULL */
};

/* space  [threads][stride] scratch, aligned to 64, stride at least the bytes
 *        above and a multiple of 64 */
void winograd_conv_run(const struct winograd *c,
    const struct winograd_conv_places *p, char *space, size_t stride);
void winograd_run(const struct winograd *c, const struct winograd_places *p,
    char *space, size_t stride);

#endif
