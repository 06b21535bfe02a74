/* Linear layers for few images, on CPUs with AVX-512: all three products read
 * or write the layer's weights in fp32 where they lie, once, in PyTorch's order
 * (out, in), so that memory is what they wait for and there are no copies of
 * weights to be made anew after each step.  Values and gradients of values come
 * in fp32, and leave in fp32 or bf16.  (VDPBF16PS gains nothing.)
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_LINEAR_H
#define TRAINER_DEVICE_CPU_KERNELS_LINEAR_H

#include <stddef.h>

#include "trainer/base/tensor.h"

enum {
	LINEAR_IMAGES = 16, /* at most */
	LINEAR_STEP = 32    /* inputs are a multiple of it */
};

/* x is [batch][in], dy [batch][out]; w and dw are [out][in], aligned to 64.
 * Results are the same bits for any number of threads. */
struct linear {
	int batch, in, out;
	int threads;
	int relu;   /* 1: negative outputs are 0 */
	int rounds; /* 1: weights are rounded to bf16 before they multiply */
	int past;   /* 1: write gradients of weights past the caches */
};

/* 1: linear_forward() and the others can do this layer, and are faster than
 * oneDNN's.  A rule of shapes alone. */
static inline int
linear_suits(const struct linear *l)
{
	return l->batch <= LINEAR_IMAGES && l->in % LINEAR_STEP == 0;
}

/* y[batch][out], of type fp32 or bf16.  Only where the CPU has avx512f, bw, dq
 * and vl, as for all of these.
 *
 * bias  [out], or NULL */
void linear_forward(const struct linear *l, const float *x, const float *w,
    const float *bias, void *y, enum dtype type);

/* Scratch of a thread for linear_data(): a batch's gradient at some inputs. */
size_t linear_thread_bytes(const struct linear *l);

/* dx[batch][in], of type fp32 or bf16.
 *
 * space  [threads][stride] scratch, aligned to 64, stride at least
 *        linear_thread_bytes() and a multiple of 64 */
void linear_data(const struct linear *l, const float *dy, const float *w,
    void *dx, enum dtype type, char *space, size_t stride);

/* Gradients of weights and bias; bias may be NULL. */
void linear_weights(const struct linear *l, const float *x, const float *dy,
    float *dw, float *bias);

#endif
