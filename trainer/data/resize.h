/* Resizing with a triangle filter that grows with the reduction ("bilinear with
 * antialias"), as Pillow and torchvision do: output pixel o of a side that is
 * resized from length to out pixels is the mean of the input pixels around c =
 * start + (o + 1/2) * length / out, weighted with max(0, 1 - |i + 1/2 - c| /
 * s), s = max(1, length / out).
 *
 * Sums are in single precision, rows first and columns second, rounded once.
 */
#ifndef TRAINER_DATA_RESIZE_H
#define TRAINER_DATA_RESIZE_H

#include <stddef.h>
#include <stdint.h>

enum {
	RESIZE_PAD = 64 /* readable bytes after the last row */
};

/* One dimension of the resizing. */
struct resize_side {
	double start, length; /* the box in input pixels; length > 0 */
	int low, high;        /* input pixels low .. high - 1 exist */
	int out;              /* pixels of the resized box, >= 1 */
	int first, n;         /* output pixels to compute */
};

/* Input pixels that the output pixels depend on: *low .. *high - 1.
 */
void resize_span(const struct resize_side *s, int *low, int *high);

struct resizer; /* weights and buffers, for one thread */

/* Create a resizer; free it with resizer_free. */
struct resizer *resizer_new(void);

/* Create a resizer with the i-th fastest instruction set of this machine (0: as
 * resizer_new), or return NULL. All give equal bytes. */
struct resizer *resizer_new_at(int i);

/* Free it; r may be NULL. */
void resizer_free(struct resizer *r);

/* Resize.
 *
 * rgb     pixel (row->low, column->low) of the input, 3 bytes a pixel;
 *         RESIZE_PAD bytes after the last pixel must be readable
 * stride  bytes from a row to the next
 * mirror  1: columns are written from right to left
 * out     [rows->n][columns->n][3] set */
void resizer_run(struct resizer *r, const uint8_t *rgb, size_t stride,
    const struct resize_side *rows, const struct resize_side *columns,
    int mirror, uint8_t *out);

/* The two sums of resizing, compiled for several instruction sets. All give the
 * same results: the same operations in the same order, none fused
 * (-ffp-contract=off).
 */

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
