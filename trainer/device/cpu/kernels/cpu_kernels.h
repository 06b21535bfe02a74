/* Inner loops of the cpu device: normalisation, pooling and element-wise
 * operations on one panel in one thread.
 *
 * Activations are blocked: (n, C / block, h, w, block) with block a multiple of
 * the table's lanes; a panel is one channel block of one image, h * w * block
 * contiguous elements. Padding channels are zero and stay zero. Elements are
 * fp32 or bf16; arithmetic is fp32.
 *
 * Each table is compiled for plain, AVX2 and AVX-512 CPUs from
 * cpu_kernels_template.h.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/base/isa.h"
#include "trainer/base/tensor.h"
#include "trainer/device/call_table.h"
#include "trainer/device/device.h"

enum { CPU_BLOCK_MAX = 32, CPU_LANES = 16, ROOF_ALIGN = 64 /* floats */ };

/* Size of a panel. */
struct cpu_panel {
	size_t n;  /* elements: pixels * block */
	int block; /* channels: 8, 16 or 32 */
	int past;  /* 1: use non-temporal stores, as the panel would leave the
	              caches before it is read again */
};

/* A sliding window. */
struct cpu_window {
	int in_h, in_w, out_h, out_w;
	int kernel, stride, pad;
};

/* One normalisation, with pointers to the panel's channels: y = (x - mean) *
 * scale + shift. */
struct cpu_norm {
	const void *x;
	const float *mean, *scale, *shift; /* [block] */
};

struct cpu_kernels {
	const char *isa; /* "AVX-512" */
	enum dtype type; /* type of the elements */
	int lanes;       /* floats per vector, the least block: 8 or 16 */

	/* Add sum(x - pivot) and sum((x - pivot)^2) of each channel. */
	void (*stats)(struct cpu_panel p, const void *x, const float *pivot,
	    float *sum, float *squares);

	/* y = [relu](norm(a) + [add]); add may be NULL. */
	void (*norm)(struct cpu_panel p, const struct cpu_norm *a,
	    const void *add, int relu, void *y);

	/* Add sum(d), sum(d * (x - mean)); d = dy, masked by norm(a) > 0 if
	 * relu. */
	void (*norm_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
	    int relu, const void *dy, float *sum, float *dot);

	/* d = dy + [dy2], or 0 where y is not > 0 (y NULL: no mask); store d in
	 * dy; add sum(d), sum(d * (x - mean)). */
	void (*block_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
	    const void *y, const void *dy2, void *dy, float *sum, float *dot);

	/* dx = scale * d + (x - mean) * k1 + k0 with d = dy, masked as above if
	 * relu. dx may be x or dy. */
	void (*norm_back)(struct cpu_panel p, const struct cpu_norm *a,
	    int relu, const float *k0, const float *k1, const void *dy,
	    void *dx);

	/* Maximum of each window, position 0 .. kernel^2 - 1; backward. */
	void (*maxpool)(const struct cpu_window *w, int block, const void *x,
	    void *y, uint8_t *where);
	void (*maxpool_back)(const struct cpu_window *w, int block,
	    const void *dy, const uint8_t *where, void *dx);

	/* Adaptive average (kernel, stride, pad unused); backward pass. */
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

	/* Loops that measure the peak rates of a core; fp32 table only.
	 *
	 * products  n multiply-adds in each of `sums` independent vector
	 *           registers; returns one of the sums
	 * read      returns the sum of one lane of n floats
	 * triad     a[i] = b[i] / 2 + c[i], non-temporal
	 * update    b[i] = b[i] / 2 + c[i]; a[i] -= b[i] / 4, like an optimiser
	 *
	 * n is a multiple of ROOF_ALIGN, arrays are aligned to 64 bytes. */
	int sums;
	float (*products)(long n);
	float (*read)(const float *a, size_t n);
	void (*triad)(float *a, const float *b, const float *c, size_t n);
	void (*update)(float *a, float *b, const float *c, size_t n);

	/* SGD step on n parameters. */
	void (*sgd)(const struct sgd *s, size_t n, const float *grad,
	    float *momentum, float *param);
};

/* Tables after the first two exist if the compiler supports them. */
extern const struct cpu_kernels cpu_kernels_fp32_plain, cpu_kernels_bf16_plain,
    cpu_kernels_fp32_avx2, cpu_kernels_bf16_avx2, cpu_kernels_fp32_avx512,
    cpu_kernels_bf16_avx512;

/* The best table for isa, which this CPU must support.
 *
 * t  DTYPE_FP32 or DTYPE_BF16 */
const struct cpu_kernels *cpu_kernels_find(enum dtype t, enum isa isa);

/* --- Peak rates ----------------------------------------------------------- */

/* Measured peak rates of this machine's cores, caches and memory.
 */

struct cpu_roof {
	struct roof roof;
	const char *isa; /* instruction set of the products */
	double flop;     /* operations per round of products */
};

/* Bytes that cpu_roof_measure() allocates temporarily. */
size_t cpu_roof_bytes(void);

/* Measure peak rates with a number of threads; takes about a second. Each rate
 * is the best of many short runs, so that other work on the machine does not
 * lower it.
 *
 * isa   instruction set to use
 * type  of the products: DTYPE_FP32 or DTYPE_BF16 */
void cpu_roof_measure(
    enum isa isa, enum dtype type, int threads, struct cpu_roof *out);

#endif
