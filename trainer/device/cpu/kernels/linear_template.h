/* The kernels of linear.h for one type of values. linear_fp32.c and
 * linear_bf16.c include it after
 *
 *	value             the type
 *	operand           a vector of factors
 *	DEEP              products that a lane of a sum gets at once
 *	add_products      to sums
 *	load_values       LANES * DEEP values
 *	load_weights      as many weights in values' type
 *	load_outputs      LANES weights of one row, or of DEEP rows in turn,
 *	                  of which the second may be NULL
 *	load_images       LANES values of one image, or of DEEP images in turn
 *	join_values       one value, or DEEP of them, the second may be NULL
 *	images_in_turn    what load_images reads
 *	store_values      LANES sums as values
 *	to_value, to_float  one
 *	LINEAR_KERNELS    the table's name
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_LINEAR_TEMPLATE_H
#define TRAINER_DEVICE_CPU_KERNELS_LINEAR_TEMPLATE_H

#include <string.h>

#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_vector.h"

enum {
	ROWS = 4,      /* of weights at a time, or units of DEEP rows */
	IMAGES = 4,    /* at a time */
	STRETCH = 512, /* inputs whose weights stay in the first cache */
	AHEAD = 512    /* weights of a row that are fetched before */
};

static inline int
fewer_of(int a, int b)
{
	return a < b ? a : b;
}

/* A factor in all lanes. */
static inline operand
spread(uint32_t factor)
{
	return (operand)_mm512_set1_epi32((int)factor);
}

/* --- forward -------------------------------------------------------------- */

/* Weights of a row, while those further on come. */
static inline operand
fetch_weights(const float *w)
{
	for (int i = 0; i < LANES * DEEP; i += LANES)
		_mm_prefetch((const char *)(w + AHEAD + i), _MM_HINT_T0);
	return load_weights(w);
}

/* Some rows of weights times some images, n inputs: sums[image][ROWS]. */
static ALWAYS_INLINE void
dot_rows(int rows, int images, const struct linear *l, const float *w,
    const value *x, int n, __m512 (*sums)[ROWS])
{
	__m512 acc[IMAGES][ROWS];

	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int r = 0; r < rows; r++)
		acc[b][r] = sums[b][r];
	for (int i = 0; i < n; i += LANES * DEEP) {
		operand f[ROWS];

		UNROLL
		for (int r = 0; r < rows; r++)
			f[r] = fetch_weights(w + (size_t)r * (size_t)l->in + i);
		UNROLL
		for (int b = 0; b < images; b++) {
			const operand v =
			    load_values(x + (size_t)b * (size_t)l->in + i);

			UNROLL
			for (int r = 0; r < rows; r++)
				acc[b][r] = add_products(acc[b][r], f[r], v);
		}
	}
	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int r = 0; r < rows; r++)
		sums[b][r] = acc[b][r];
}

/* All images, a stretch of inputs. */
static ALWAYS_INLINE void
dot_stretch(int rows, const struct linear *l, const float *w, const value *x,
    int n, __m512 (*sums)[ROWS])
{
	int b = 0;

	for (; b + IMAGES <= l->batch; b += IMAGES)
		dot_rows(rows, IMAGES, l, w, x + (size_t)b * (size_t)l->in, n,
		    sums + b);
	for (; b < l->batch; b++)
		dot_rows(
		    rows, 1, l, w, x + (size_t)b * (size_t)l->in, n, sums + b);
}

static void
store_output(float y, void *to, size_t i, int is_fp32)
{
	if (is_fp32)
		((float *)to)[i] = y;
	else
		((value *)to)[i] = to_value(y);
}

static void
forward_rows(const struct linear *l, int first, int rows, const value *x,
    const float *w, const float *bias, void *y, int y_is_fp32)
{
	__m512 sums[LINEAR_IMAGES][ROWS];

	memset(sums, 0, sizeof sums);
	w += (size_t)first * (size_t)l->in;
	for (int i = 0; i < l->in; i += STRETCH) {
		const int n = fewer_of(STRETCH, l->in - i);

		if (rows == ROWS)
			dot_stretch(ROWS, l, w + i, x + i, n, sums);
		else
			for (int r = 0; r < rows; r++)
				dot_stretch(1, l,
				    w + (size_t)r * (size_t)l->in + i, x + i, n,
				    (__m512(*)[ROWS])((__m512 *)sums + r));
	}
	for (int b = 0; b < l->batch; b++)
		for (int r = 0; r < rows; r++) {
			float sum = _mm512_reduce_add_ps(sums[b][r]);

			if (bias != NULL)
				sum += bias[first + r];
			if (l->relu && sum < 0)
				sum = 0;
			store_output(sum, y,
			    (size_t)b * (size_t)l->out + (size_t)(first + r),
			    y_is_fp32);
		}
}

static void
linear_forward(const struct linear *l, const void *x, const float *w,
    const float *bias, void *y, int y_is_fp32)
{
	PARALLEL_FOR
	for (int o = 0; o < l->out; o += ROWS)
		forward_rows(
		    l, o, fewer_of(ROWS, l->out - o), x, w, bias, y, y_is_fp32);
}

/* --- gradient of the input ------------------------------------------------ */

/* Add some units of rows of weights, times factors[image][unit], to the sums of
 * some images and n inputs, `step` from one image's to the next.  Meanwhile
 * the rows `ahead` come, if it is not 0. */
static ALWAYS_INLINE void
add_rows(int units, int images, const float *const *rows, size_t ahead, int n,
    const uint32_t (*factors)[ROWS], float *sums, size_t step)
{
	operand f[IMAGES][ROWS];

	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int u = 0; u < units; u++)
		f[b][u] = spread(factors[b][u]);
	for (int i = 0; i < n; i += LANES) {
		operand w[ROWS];

		UNROLL
		for (int u = 0; u < units; u++)
			w[u] = load_outputs(rows + u * DEEP, i);
		if (ahead > 0)
			UNROLL
		for (int u = 0; u < units * DEEP; u++)
			_mm_prefetch(
			    (const char *)(rows[u] + ahead + i), _MM_HINT_T0);
		UNROLL
		for (int b = 0; b < images; b++) {
			float *at = sums + (size_t)b * step + i;
			__m512 sum = _mm512_load_ps(at);

			UNROLL
			for (int u = 0; u < units; u++)
				sum = add_products(sum, w[u], f[b][u]);
			_mm512_store_ps(at, sum);
		}
	}
}

/* All images; units of DEEP rows. */
static ALWAYS_INLINE void
add_units(int units, const struct linear *l, const float *const *rows,
    size_t ahead, int n, const uint32_t (*factors)[ROWS], float *sums,
    size_t step)
{
	int b = 0;

	for (; b + IMAGES <= l->batch; b += IMAGES)
		add_rows(units, IMAGES, rows, b == 0 ? ahead : 0, n,
		    factors + b, sums + (size_t)b * step, step);
	for (; b < l->batch; b++)
		add_rows(units, 1, rows, b == 0 ? ahead : 0, n, factors + b,
		    sums + (size_t)b * step, step);
}

/* The factors of `units` units of rows from row o on. */
static void
take_factors(const struct linear *l, const value *dy, int o, int units,
    uint32_t (*factors)[ROWS])
{
	for (int b = 0; b < l->batch; b++)
		for (int u = 0; u < units; u++) {
			const int at = o + u * DEEP;
			const value *v =
			    dy + (size_t)b * (size_t)l->out + (size_t)at;

			factors[b][u] =
			    join_values(v, at + 1 < l->out ? v + 1 : NULL);
		}
}

/* The sums of n inputs from w's column on. */
static void
sum_columns(const struct linear *l, const value *dy, const float *w, int n,
    float *sums, size_t step)
{
	const size_t in = (size_t)l->in;
	uint32_t factors[LINEAR_IMAGES][ROWS];
	const float *rows[ROWS * DEEP];
	int o = 0, more;

	for (; o + ROWS * DEEP <= l->out; o += ROWS * DEEP) {
		for (int k = 0; k < ROWS * DEEP; k++)
			rows[k] = w + (size_t)(o + k) * in;
		more = o + 2 * ROWS * DEEP <= l->out;
		take_factors(l, dy, o, ROWS, factors);
		add_units(ROWS, l, rows, more ? ROWS * DEEP * in : 0, n,
		    (const uint32_t(*)[ROWS])factors, sums, step);
	}
	for (; o < l->out; o += DEEP) {
		for (int k = 0; k < DEEP; k++)
			rows[k] =
			    o + k < l->out ? w + (size_t)(o + k) * in : NULL;
		take_factors(l, dy, o, 1, factors);
		add_units(1, l, rows, 0, n, (const uint32_t(*)[ROWS])factors,
		    sums, step);
	}
}

static void
linear_data(const struct linear *l, const void *dy, const float *w, void *dx,
    char *space, size_t stride)
{
	const int columns = linear_columns(l);

	PARALLEL_FOR
	for (int i = 0; i < l->in; i += columns) {
		float *sums = (float *)(void *)(space +
		    (size_t)parallel_thread() * stride);
		const int n = fewer_of(columns, l->in - i);

		memset(sums, 0, linear_thread_bytes(l));
		sum_columns(l, dy, w + i, n, sums, (size_t)columns);
		for (int b = 0; b < l->batch; b++)
			for (int k = 0; k < n; k += LANES)
				store_values((value *)dx +
					(size_t)b * (size_t)l->in +
					(size_t)(i + k),
				    _mm512_load_ps(sums + b * columns + k));
	}
}

/* --- gradient of the weights ---------------------------------------------- */

enum { MOST_TURNS = (LINEAR_IMAGES + DEEP - 1) / DEEP };

/* Some rows of the gradient: factors[turn][row] times the images in turn. */
static ALWAYS_INLINE void
gradient_rows(int rows, const struct linear *l, const void *images,
    const uint32_t (*factors)[ROWS], float *dw)
{
	const int turns = (l->batch + DEEP - 1) / DEEP;

	for (int i = 0; i < l->in; i += 2 * LANES) {
		__m512 sums[ROWS][2];

		UNROLL
		for (int r = 0; r < rows; r++)
			sums[r][0] = sums[r][1] = _mm512_setzero_ps();
		for (int t = 0; t < turns; t++) {
			const size_t at = (size_t)t * (size_t)l->in + (size_t)i;
			const operand a = load_images(images, at);
			const operand b = load_images(images, at + LANES);

			UNROLL
			for (int r = 0; r < rows; r++) {
				const operand f = spread(factors[t][r]);

				sums[r][0] = add_products(sums[r][0], a, f);
				sums[r][1] = add_products(sums[r][1], b, f);
			}
		}
		UNROLL
		for (int r = 0; r < rows; r++)
			for (int k = 0; k < 2; k++) {
				float *to = dw + (size_t)r * (size_t)l->in + i +
				    k * LANES;

				if (l->past)
					_mm512_stream_ps(to, sums[r][k]);
				else
					_mm512_store_ps(to, sums[r][k]);
			}
	}
}

static void
gradient_group(const struct linear *l, int first, int rows, const void *images,
    const value *dy, float *dw, float *bias)
{
	const size_t out = (size_t)l->out;
	uint32_t factors[MOST_TURNS][ROWS];

	for (int r = 0; r < rows; r++) {
		const value *v = dy + first + r;
		float sum = 0;

		for (int b = 0; b < l->batch; b += DEEP)
			factors[b / DEEP][r] = join_values(v + (size_t)b * out,
			    b + 1 < l->batch ? v + (size_t)(b + 1) * out
					     : NULL);
		for (int b = 0; b < l->batch; b++)
			sum += to_float(v[(size_t)b * out]);
		if (bias != NULL)
			bias[first + r] = sum;
	}
	dw += (size_t)first * (size_t)l->in;
	if (rows == ROWS)
		gradient_rows(
		    ROWS, l, images, (const uint32_t(*)[ROWS])factors, dw);
	else
		for (int r = 0; r < rows; r++)
			gradient_rows(1, l, images,
			    (const uint32_t(*)[ROWS])(factors[0] + r),
			    dw + (size_t)r * (size_t)l->in);
}

static void
linear_weights(const struct linear *l, const void *x, const void *dy,
    char *pairs, float *dw, float *bias)
{
	const void *images = images_in_turn(l, x, pairs);

	PARALLEL_FOR
	for (int o = 0; o < l->out; o += ROWS) {
		gradient_group(
		    l, o, fewer_of(ROWS, l->out - o), images, dy, dw, bias);
		vec_fence();
	}
}

const struct linear_kernels LINEAR_KERNELS = { .forward = linear_forward,
	.data = linear_data,
	.weights = linear_weights };

#endif
