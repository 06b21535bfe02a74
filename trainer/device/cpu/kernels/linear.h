/* Linear layers for few images, on CPUs with AVX-512. All three products read
 * or write the fp32 weights once, in place, in PyTorch's order (out, in). They
 * are bound by memory, and no copies of weights need updating after a step.
 * Inputs are fp32, results fp32 or bf16. (VDPBF16PS gains nothing.)
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_LINEAR_H
#define TRAINER_DEVICE_CPU_KERNELS_LINEAR_H

#include <stddef.h>

#include "trainer/base/tensor.h"

enum {
	LINEAR_IMAGES = 16, /* most images */
	LINEAR_STEP = 32,   /* inputs are a multiple of it */
	LINEAR_ROWS = 4     /* outputs are a multiple of it */
};

/* x is [batch][in], dy [batch][out]; w and dw are [out][in], aligned to 64.
 * Results are bit-identical for any number of threads. */
struct linear {
	int batch, in, out;
	int threads;
	int relu;   /* 1: negative outputs are 0 */
	int rounds; /* 1: round weights to bf16 before multiplying */
	int past;   /* 1: write weight gradients with non-temporal stores */
};

/* True if these functions support the layer and are faster than oneDNN. Depends
 * on sizes only. */
static inline int
linear_suits(const struct linear *l)
{
	return l->batch <= LINEAR_IMAGES && l->in % LINEAR_STEP == 0 &&
	    l->out % LINEAR_ROWS == 0;
}

/* Compute y[batch][out], of type fp32 or bf16. All functions here require
 * avx512f, bw, dq and vl.
 *
 * bias  [out], or NULL */
void linear_forward(const struct linear *l, const float *x, const float *w,
    const float *bias, void *y, enum dtype type);

/* Scratch per thread for linear_data(), in bytes. */
size_t linear_thread_bytes(const struct linear *l);

/* Compute dx[batch][in], of type fp32 or bf16.
 *
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        linear_thread_bytes() and a multiple of 64 */
void linear_data(const struct linear *l, const float *dy, const float *w,
    void *dx, enum dtype type, char *space, size_t stride);

/* Compute the gradients of weights and bias; bias may be NULL. */
void linear_weights(const struct linear *l, const float *x, const float *dy,
    float *dw, float *bias);

#endif
