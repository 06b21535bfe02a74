/* Linear layers of few images, compiled for AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/linear.h"

#include <immintrin.h>
#include <string.h>

#include "trainer/base/tensor.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_vector.h"

enum {
	LANES = 16,
	ROWS = LINEAR_ROWS, /* at a time */
	IMAGES = 4,         /* images at a time */
	STRETCH = 512,      /* inputs whose weights stay in the L1 cache */
	AHEAD = 512,        /* prefetch distance in a row of weights */
	COLUMNS = 1024      /* most inputs of a thread at a time */
};

static inline int
fewer_of(int a, int b)
{
	return a < b ? a : b;
}

/* Load LANES weights, rounded to bf16 if the layer computes in bf16. */
static ALWAYS_INLINE __m512
load_weights(const struct linear *l, const float *w)
{
	const vec v = vec_load(w);

	return (__m512)(l->rounds ? vec_from_half(vec_to_half(v)) : v);
}

/* --- forward -------------------------------------------------------------- */

/* Add rows of weights times images over n inputs to sums[image]. Prefetches. */
static ALWAYS_INLINE void
dot_rows(int images, const struct linear *l, const float *w, const float *x,
    int n, __m512 (*sums)[ROWS])
{
	__m512 acc[IMAGES][ROWS];

	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int r = 0; r < ROWS; r++)
		acc[b][r] = sums[b][r];
	for (int i = 0; i < n; i += LANES) {
		__m512 f[ROWS];

		UNROLL
		for (int r = 0; r < ROWS; r++) {
			const float *at = w + (size_t)r * (size_t)l->in + i;

			_mm_prefetch((const char *)(at + AHEAD), _MM_HINT_T0);
			f[r] = load_weights(l, at);
		}
		UNROLL
		for (int b = 0; b < images; b++) {
			const __m512 v =
			    _mm512_loadu_ps(x + (size_t)b * (size_t)l->in + i);

			UNROLL
			for (int r = 0; r < ROWS; r++)
				acc[b][r] = _mm512_fmadd_ps(f[r], v, acc[b][r]);
		}
	}
	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int r = 0; r < ROWS; r++)
		sums[b][r] = acc[b][r];
}

/* Apply dot_rows() to all images for a stretch of n inputs. */
static ALWAYS_INLINE void
dot_stretch(const struct linear *l, const float *w, const float *x, int n,
    __m512 (*sums)[ROWS])
{
	int b = 0;

	for (; b + IMAGES <= l->batch; b += IMAGES)
		dot_rows(
		    IMAGES, l, w, x + (size_t)b * (size_t)l->in, n, sums + b);
	for (; b < l->batch; b++)
		dot_rows(1, l, w, x + (size_t)b * (size_t)l->in, n, sums + b);
}

static void
forward_rows(const struct linear *l, int first, const float *x, const float *w,
    const float *bias, void *y, enum dtype type)
{
	__m512 sums[LINEAR_IMAGES][ROWS];

	memset(sums, 0, sizeof sums);
	w += (size_t)first * (size_t)l->in;
	for (int i = 0; i < l->in; i += STRETCH)
		dot_stretch(
		    l, w + i, x + i, fewer_of(STRETCH, l->in - i), sums);
	for (int b = 0; b < l->batch; b++)
		for (int r = 0; r < ROWS; r++) {
			const size_t at =
			    (size_t)b * (size_t)l->out + (size_t)(first + r);
			float sum = _mm512_reduce_add_ps(sums[b][r]);

			if (bias != NULL)
				sum += bias[first + r];
			if (l->relu && sum < 0)
				sum = 0;
			if (type == DTYPE_FP32)
				((float *)y)[at] = sum;
			else
				((uint16_t *)y)[at] = bf16_from_float(sum);
		}
}

void
linear_forward(const struct linear *l, const float *x, const float *w,
    const float *bias, void *y, enum dtype type)
{
	PARALLEL_FOR
	for (int o = 0; o < l->out; o += ROWS)
		forward_rows(l, o, x, w, bias, y, type);
}

/* --- gradient of the input ------------------------------------------------ */

/* Add rows of weights times factors[image][row] to the sums of some images over
 * n inputs; `step` is the distance between images in sums. Prefetches the rows
 * `ahead`, if not 0. */
static ALWAYS_INLINE void
add_rows(int images, const struct linear *l, const float *w, size_t ahead,
    int n, const float (*factors)[ROWS], float *sums, size_t step)
{
	const size_t in = (size_t)l->in;
	__m512 f[IMAGES][ROWS];

	UNROLL
	for (int b = 0; b < images; b++)
		UNROLL
	for (int r = 0; r < ROWS; r++)
		f[b][r] = _mm512_set1_ps(factors[b][r]);
	for (int i = 0; i < n; i += LANES) {
		__m512 v[ROWS];

		UNROLL
		for (int r = 0; r < ROWS; r++)
			v[r] = load_weights(l, w + (size_t)r * in + i);
		if (ahead > 0)
			UNROLL
		for (int r = 0; r < ROWS; r++)
			_mm_prefetch(
			    (const char *)(w + (size_t)r * in + ahead + i),
			    _MM_HINT_T0);
		UNROLL
		for (int b = 0; b < images; b++) {
			float *at = sums + (size_t)b * step + i;
			__m512 sum = _mm512_load_ps(at);

			UNROLL
			for (int r = 0; r < ROWS; r++)
				sum = _mm512_fmadd_ps(v[r], f[b][r], sum);
			_mm512_store_ps(at, sum);
		}
	}
}

/* Apply add_rows() to all images; w and dy begin at the first row. */
static ALWAYS_INLINE void
add_all(const struct linear *l, const float *w, size_t ahead, int n,
    const float *dy, float *sums, size_t step)
{
	float factors[LINEAR_IMAGES][ROWS];
	int b = 0;

	for (int i = 0; i < l->batch; i++)
		for (int r = 0; r < ROWS; r++)
			factors[i][r] = dy[(size_t)i * (size_t)l->out + r];
	for (; b + IMAGES <= l->batch; b += IMAGES)
		add_rows(IMAGES, l, w, b == 0 ? ahead : 0, n,
		    (const float(*)[ROWS])(factors + b),
		    sums + (size_t)b * step, step);
	for (; b < l->batch; b++)
		add_rows(1, l, w, b == 0 ? ahead : 0, n,
		    (const float(*)[ROWS])(factors + b),
		    sums + (size_t)b * step, step);
}

static int
thread_columns(const struct linear *l)
{
	const int part = l->in / (2 * l->threads) / LINEAR_STEP * LINEAR_STEP;

	return part < LINEAR_STEP ? LINEAR_STEP : fewer_of(part, COLUMNS);
}

size_t
linear_thread_bytes(const struct linear *l)
{
	return (size_t)l->batch * (size_t)thread_columns(l) * sizeof(float);
}

void
linear_data(const struct linear *l, const float *dy, const float *w, void *dx,
    enum dtype type, char *space, size_t stride)
{
	const int columns = thread_columns(l);
	const size_t in = (size_t)l->in;

	PARALLEL_FOR
	for (int i = 0; i < l->in; i += columns) {
		float *sums = (float *)(void *)(space +
		    (size_t)parallel_thread() * stride);
		const int n = fewer_of(columns, l->in - i);

		memset(sums, 0, linear_thread_bytes(l));
		for (int o = 0; o < l->out; o += ROWS)
			add_all(l, w + (size_t)o * in + i,
			    o + 2 * ROWS <= l->out ? ROWS * in : 0, n, dy + o,
			    sums, (size_t)columns);
		for (int b = 0; b < l->batch; b++)
			for (int k = 0; k < n; k += LANES) {
				const vec v = vec_load(sums + b * columns + k);
				const size_t at =
				    (size_t)b * in + (size_t)(i + k);

				if (type == DTYPE_FP32)
					vec_store((float *)dx + at, v);
				else
					vec_store_half((uint16_t *)dx + at, v);
			}
	}
}

/* --- gradient of the weights ---------------------------------------------- */

/* Some rows of the weight gradient: factors[image][row] times the images. */
static ALWAYS_INLINE void
gradient_rows(const struct linear *l, const float *x,
    const float (*factors)[ROWS], float *dw)
{
	for (int i = 0; i < l->in; i += 2 * LANES) {
		__m512 sums[ROWS][2];

		UNROLL
		for (int r = 0; r < ROWS; r++)
			sums[r][0] = sums[r][1] = _mm512_setzero_ps();
		for (int b = 0; b < l->batch; b++) {
			const float *at = x + (size_t)b * (size_t)l->in + i;
			const __m512 low = _mm512_loadu_ps(at);
			const __m512 high = _mm512_loadu_ps(at + LANES);

			UNROLL
			for (int r = 0; r < ROWS; r++) {
				const __m512 f = _mm512_set1_ps(factors[b][r]);

				sums[r][0] =
				    _mm512_fmadd_ps(low, f, sums[r][0]);
				sums[r][1] =
				    _mm512_fmadd_ps(high, f, sums[r][1]);
			}
		}
		UNROLL
		for (int r = 0; r < ROWS; r++)
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
gradient_group(const struct linear *l, int first, const float *x,
    const float *dy, float *dw, float *bias)
{
	float factors[LINEAR_IMAGES][ROWS];

	for (int r = 0; r < ROWS; r++) {
		float sum = 0;

		for (int b = 0; b < l->batch; b++) {
			factors[b][r] = dy[(size_t)b * (size_t)l->out +
			    (size_t)(first + r)];
			sum += factors[b][r];
		}
		if (bias != NULL)
			bias[first + r] = sum;
	}
	dw += (size_t)first * (size_t)l->in;
	gradient_rows(l, x, (const float(*)[ROWS])factors, dw);
}

void
linear_weights(const struct linear *l, const float *x, const float *dy,
    float *dw, float *bias)
{
	PARALLEL_FOR
	for (int o = 0; o < l->out; o += ROWS) {
		gradient_group(l, o, x, dy, dw, bias);
		vec_fence();
	}
}
