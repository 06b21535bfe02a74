/* Inner loops of the cpu device that are not oneDNN's: normalisation, pooling
 * and element-wise work, for one panel at a time and one thread.
 *
 * Activations are blocked: (n, C / block, h, w, block) with block a multiple of
 * the table's lanes; a panel is one image's one channel block, h * w * block
 * elements in a row.  Channels beyond the true ones are zero and stay zero.
 * Elements are fp32 or bf16; arithmetic is fp32.
 *
 * Each table is compiled for plain, AVX2 and AVX-512 CPUs from
 * cpu_kernels_template.h.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/base/isa.h"
#include "trainer/device/device.h"

enum { CPU_BLOCK_MAX = 32, CPU_LANES = 16, ROOF_ALIGN = 64 /* floats */ };

/* How a panel lies. */
struct cpu_panel {
	size_t n;  /* elements: pixels * block */
	int block; /* channels: 8, 16 or 32 */
	int past;  /* 1: write it past the caches, as they cannot hold it until
	              it is read again */
};

/* A window that moves over a plane. */
struct cpu_window {
	int in_h, in_w, out_h, out_w;
	int kernel, stride, pad;
};

/* One normalisation, its per-channel numbers at the panel's block:
 * y = (x - mean) * scale + shift. */
struct cpu_norm {
	const void *x;
	const float *mean, *scale, *shift; /* [block] */
};

struct cpu_kernels {
	const char *isa; /* "AVX-512" */
	enum dtype type; /* of the elements */
	int lanes;       /* floats of a vector, the least block: 8 or 16 */

	/* Add sum(x - pivot) and sum((x - pivot)^2) of each channel. */
	void (*stats)(struct cpu_panel p, const void *x, const float *pivot,
	    float *sum, float *squares);

	/* y = [relu](norm(a) + [add]); add may be NULL.  bits [p.n / 8] or,
	 * always without relu, NULL: whether y, as it is stored, is > 0;
	 * element i is bit i % 8 of byte i / 8. */
	void (*norm)(struct cpu_panel p, const struct cpu_norm *a,
	    const void *add, int relu, void *y, uint8_t *bits);

	/* With d = dy, masked where relu by norm(a) > 0: add sum(d) and
	 * sum(d * (x - mean)). */
	void (*norm_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
	    int relu, const void *dy, float *sum, float *dot);

	/* d = dy + [dy2], or 0 where norm's bit is 0 (bits may be NULL: no
	 * mask); d is written to dy; add sum(d), sum(d * (x - mean)). */
	void (*block_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
	    const uint8_t *bits, const void *dy2, void *dy, float *sum,
	    float *dot);

	/* dx = scale * d + (x - mean) * k1 + k0, d = dy, masked where relu as
	 * above.  dx may be x or dy. */
	void (*norm_back)(struct cpu_panel p, const struct cpu_norm *a,
	    int relu, const float *k0, const float *k1, const void *dy,
	    void *dx);

	/* Largest of each window, and which of its places (0 ..
	 * kernel^2 - 1) it was at; then the gradient's way back. */
	void (*maxpool)(const struct cpu_window *w, int block, const void *x,
	    void *y, uint8_t *where);
	void (*maxpool_back)(const struct cpu_window *w, int block,
	    const void *dy, const uint8_t *where, void *dx);

	/* Adaptive average (kernel, stride, pad unused) and back. */
	void (*avgpool)(
	    const struct cpu_window *w, int block, const void *x, void *y);
	void (*avgpool_back)(
	    const struct cpu_window *w, int block, const void *dy, void *dx);

	/* Element-wise over n elements, rounded up to 16. */
	void (*add)(size_t n, const void *b, void *a); /* a += b */
	void (*sum)(size_t n, const void *a, const void *b, int relu,
	    void *y); /* y = [relu](a + [b]) */
	void (*relu_back)(size_t n, const void *y, void *dy);
	void (*from_float)(size_t n, const float *x, void *y);
	void (*to_float)(size_t n, const void *x, float *y);

	/* Only fp32's, to measure the most that a core can do.
	 *
	 * products  multiply and add n times in each of sums vectors of
	 *           registers, none of which waits for another; returns one
	 *           of the sums
	 * read      the sum of one lane of n floats
	 * triad     a[i] = b[i] / 2 + c[i], past the caches
	 * update    b[i] = b[i] / 2 + c[i]; a[i] -= b[i] / 4, as an optimiser
	 *
	 * n is a multiple of ROOF_ALIGN, arrays are aligned to 64 bytes. */
	int sums;
	float (*products)(long n);
	float (*read)(const float *a, size_t n);
	void (*triad)(float *a, const float *b, const float *c, size_t n);
	void (*update)(float *a, float *b, const float *c, size_t n);

	/* struct sgd on n parameters. */
	void (*sgd)(const struct sgd *s, size_t n, const float *grad,
	    float *momentum, float *param);
};

/* Those after the first two exist where the compiler knows the instructions. */
extern const struct cpu_kernels cpu_kernels_fp32_plain, cpu_kernels_bf16_plain,
    cpu_kernels_fp32_avx2, cpu_kernels_bf16_avx2, cpu_kernels_fp32_avx512,
    cpu_kernels_bf16_avx512;

/* The best table for instructions of isa, all of which this CPU has.
 *
 * t  DTYPE_FP32 or DTYPE_BF16 */
const struct cpu_kernels *cpu_kernels_find(enum dtype t, enum isa isa);

#endif
