/* Gradients of a convolution's weights in bf16 by the products of AVX-512
 * (VDPBF16PS, Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2): each lane accumulates two products, here of two images at the same
 * pixel. So pixels of a row are not paired, and shifting a window moves whole
 * pairs.
 *
 * Activations are in blocks of 16 channels, (n, C / 16, h, w, 16), the gradient
 * in blocks of 16 x 16, (out / 16, in / 16, kernel, kernel, 16 in, 16 out).
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_BF16_GRAD_H
#define TRAINER_DEVICE_CPU_KERNELS_BF16_GRAD_H

#include <stddef.h>
#include <stdint.h>

enum { BF16_GRAD_BLOCK = 16 };

/* A convolution with a square window and equal padding on all sides. */
struct bf16_grad {
	int batch;
	int in_c, in_h, in_w; /* in_c, out_c: multiples of 16 */
	int out_c, out_h, out_w;
	int kernel, stride, pad;
	int threads;
};

/* True if these kernels are faster than oneDNN's for this convolution and
 * number of threads. Depends on sizes only. */
int bf16_grad_suits(const struct bf16_grad *g);

/* Scratch per thread, in bytes. */
size_t bf16_grad_bytes(const struct bf16_grad *g);

/* dw = gradient; bit-identical for any number of threads. Requires avx512_bf16.
 *
 * x, dy  activation and gradient of the output, bf16
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        bf16_grad_bytes() and a multiple of 64
 * dw     [out_c * in_c * kernel * kernel], written, aligned to 64 */
void bf16_grad_run(const struct bf16_grad *g, const uint16_t *x,
    const uint16_t *dy, char *space, size_t stride, float *dw);

#endif
