/* Gradients of the weights of convolutions in fp32, for CPUs with AVX-512:
 * those of 1 x 1 and those with a stride.  (winograd.h has those of 3 x 3
 * without.)
 *
 * For each place of the window it is a matrix product,
 * (input channels x pixels) * (pixels x output channels).
 *
 * Activations are (n, C / 16, h, w, 16), gradients of weights
 * (K / 16, C / 16, kernel, kernel, 16 in, 16 out), as oneDNN has them.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_FP32_GRAD_H
#define TRAINER_DEVICE_CPU_KERNELS_FP32_GRAD_H

#include <stddef.h>

/* A convolution with square windows; padding is the same on all sides.  The
 * work is cut into units by its shape alone: some of the pixels, of the
 * input channels and places of the window, of the output channels. Units of
 * different pixels have sums apart, so that results are the same for any
 * number of threads. */
struct fp32_grad {
	int images, in_blocks, out_blocks; /* of 16 channels */
	int h, w, out_h, out_w;
	int kernel, stride, pad;
	/* The cut, by fp32_grad_cut().  A strip is some pixels of an image, or
	 * some whole images. */
	int strip_pixels, strip_images, strips;
	int slices; /* of the strips */
	int units;  /* slices * groups of input * groups of output blocks */
};

/* Where it finds its operands. */
struct fp32_grad_places {
	const float *x, *dy;
	float *sums; /* fp32_grad_sums_bytes(), of each slice but the first */
	float *dw;   /* gradients of the weights */
};

/* Cut a convolution of which the other numbers are known. */
void fp32_grad_cut(struct fp32_grad *g);

/* Bytes: of a thread's scratch, of all slices' sums. */
size_t fp32_grad_scratch_bytes(const struct fp32_grad *g);
size_t fp32_grad_sums_bytes(const struct fp32_grad *g);

/* 1: it is possible, and faster than oneDNN's on this many threads.  A rule of
 * shapes alone. */
int fp32_grad_suits(const struct fp32_grad *g, int threads);

/* Write the gradients: the same bits for any number of threads.
 *
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        fp32_grad_scratch_bytes() and a multiple of 64 */
void fp32_grad_run(const struct fp32_grad *g, const struct fp32_grad_places *p,
    char *space, size_t stride);

#endif
