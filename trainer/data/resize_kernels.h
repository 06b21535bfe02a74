/* The two sums of resizing, compiled for several instruction sets. All give the
 * same results: the same operations in the same order, none fused
 * (-ffp-contract=off).
 */
#ifndef TRAINER_DATA_RESIZE_KERNELS_H
#define TRAINER_DATA_RESIZE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum {
	RESIZE_STEP = 64, /* rows of sums have a multiple of this length */
	RESIZE_ROWS = 4   /* rows whose columns are summed at once */
};

/* The weights of one side: output pixel k is the sum over i < count[k] of
 * weight[k * most + i] * input[low[k] + i]; later weights are 0. */
struct resize_weights {
	int *low, *count; /* [n] */
	float *weight;    /* [n][most] */
	int most;
	size_t n_alloc, weight_alloc;
};

struct resize_kernels {
	const char *isa;

	/* sum[i] = sum over t < count of weight[t] * in[t * stride + i] for i <
	 * n, a multiple of RESIZE_STEP. */
	void (*add_rows)(float *sum, const uint8_t *in, size_t stride,
	    const float *weight, int count, size_t n);

	/* Sum the columns of RESIZE_ROWS rows and round: n pixels a row, from
	 * right to left if mirror.
	 *
	 * sum  [RESIZE_ROWS][stride], reads a pixel and a number after the last
	 * row  [RESIZE_ROWS][stride] scratch space of finite numbers
	 * out  [RESIZE_ROWS][stride], sets the first 3 * n of each row and may
	 *      overwrite up to the next multiple of RESIZE_STEP */
	void (*add_columns)(const struct resize_weights *w, int n, int mirror,
	    const float *sum, float *row, size_t stride, uint8_t *out);
};

/* For any CPU; on x86 also for AVX2 and AVX-512. */
extern const struct resize_kernels resize_kernels_plain, resize_kernels_avx2,
    resize_kernels_avx512;

#endif
