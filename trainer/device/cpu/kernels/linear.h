/* Linear layers for few images, on CPUs with AVX-512: all three products read
 * or write the layer's weights in fp32 where they lie, once, in PyTorch's order
 * (out, in), so that memory is what they wait for and there are no copies of
 * weights to be made anew after each step.
 *
 * With bf16 values, weights are rounded on their way and multiplied by
 * VDPBF16PS (Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2): each lane of a sum gets two products, of two inputs, outputs or
 * images.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_LINEAR_H
#define TRAINER_DEVICE_CPU_KERNELS_LINEAR_H

#include <stddef.h>
#include <stdint.h>

enum {
	LINEAR_IMAGES = 16, /* at most */
	LINEAR_STEP = 32    /* inputs are a multiple of it */
};

struct linear {
	int batch, in, out;
	int threads;
	int relu; /* 1: negative outputs are 0 */
	int past; /* 1: write gradients of weights past the caches */
};

/* For one type of values, that of x, dy and dx: [batch][in], [batch][out],
 * [batch][in].  w and dw are [out][in], aligned to 64.  Results are the same
 * bits for any number of threads. */
struct linear_kernels {
	/* y[batch][out], in fp32 or of the type of values.
	 *
	 * bias  [out], or NULL */
	void (*forward)(const struct linear *l, const void *x, const float *w,
	    const float *bias, void *y, int y_is_fp32);
	/* space  [threads][stride] scratch, aligned to 64, stride at least
	 *        linear_thread_bytes() and a multiple of 64 */
	void (*data)(const struct linear *l, const void *dy, const float *w,
	    void *dx, char *space, size_t stride);
	/* pairs  linear_shared_bytes() of scratch, aligned to 64
	 * bias   its gradient, or NULL */
	void (*weights)(const struct linear *l, const void *x, const void *dy,
	    char *pairs, float *dw, float *bias);
};

/* For fp32, where the CPU has avx512f, bw, dq, vl; for bf16, where it has
 * avx512_bf16 too. */
extern const struct linear_kernels linear_fp32, linear_bf16;

/* 1: they can do this layer, and are faster than oneDNN's.  A rule of shapes
 * alone. */
static inline int
linear_suits(const struct linear *l)
{
	return l->batch <= LINEAR_IMAGES && l->in % LINEAR_STEP == 0;
}

/* Scratch: of a thread, a batch's gradient at some inputs; of all, a batch's
 * values. */
static inline int
linear_columns(const struct linear *l)
{
	enum { MOST = 1024 };
	const int part = l->in / (2 * l->threads) / LINEAR_STEP * LINEAR_STEP;

	return part < LINEAR_STEP ? LINEAR_STEP : part < MOST ? part : MOST;
}

static inline size_t
linear_thread_bytes(const struct linear *l)
{
	return (size_t)l->batch * (size_t)linear_columns(l) * sizeof(float);
}

static inline size_t
linear_shared_bytes(const struct linear *l)
{
	return (size_t)(l->batch + 1) / 2 * (size_t)l->in * sizeof(uint32_t);
}

#endif
