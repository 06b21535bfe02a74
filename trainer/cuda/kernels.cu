#include "trainer/cuda/kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "trainer/philox.h"
#include "trainer/pixel.h"

enum { BLOCK = 256 };

/* Tests run kernels on the processor and say here how. */
#ifndef LAUNCH
#define LAUNCH(grid, block, s, kernel, ...) \
	kernel<<<grid, block, 0, s>>>(__VA_ARGS__)
#endif

/* --- elements ------------------------------------------------------------ */

template <typename T>
static __device__ inline float
load(const T *x, size_t i)
{
	return (float)x[i];
}

template <typename T>
static __device__ inline void
store(T *x, size_t i, float v)
{
	x[i] = (T)v;
}

static unsigned
blocks(size_t n)
{
	const size_t most = 65536, b = (n + BLOCK - 1) / BLOCK;

	return (unsigned)(b < 1 ? 1 : b < most ? b : most);
}

/* Every thread takes elements so far apart. */
#define EACH(i, n) \
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; \
	i < (n); \
	i += (size_t)gridDim.x * blockDim.x

/* Call a template with the type that t names. */
#define WITH_TYPE(t, call) \
	do { \
		if ((t) == DTYPE_FP16) { \
			typedef __half T; \
			call; \
		} else if ((t) == DTYPE_BF16) { \
			typedef __nv_bfloat16 T; \
			call; \
		} else { \
			typedef float T; \
			call; \
		} \
	} while (0)

/* --- reductions over rows ------------------------------------------------
 *
 * A block takes 32 channels and a share of the rows, 8 rows at a time; its
 * partial sums go to scratch, [part][k][c], and are added up in order. */

enum { LANES = 32, ROWS = 8 };

static unsigned
parts_of(size_t rows)
{
	const size_t parts = (rows + 4 * ROWS - 1) / (4 * ROWS);
	const size_t most = KERNEL_PARTS;

	return (unsigned)(parts < most ? parts : most);
}

size_t
kernel_scratch(size_t c)
{
	return (size_t)KERNEL_PARTS * 3 * c;
}

/* Add the K sums of the ROWS threads of each channel; row 0 writes them. */
template <int K>
static __device__ void
finish_part(const double *sums, int c, int channels, float *scratch)
{
	__shared__ double shared[K][ROWS][LANES];

	for (int k = 0; k < K; k++)
		shared[k][threadIdx.y][threadIdx.x] = sums[k];
	__syncthreads();
	if (threadIdx.y != 0 || c >= channels)
		return;
	for (int k = 0; k < K; k++) {
		double sum = 0;

		for (int r = 0; r < ROWS; r++)
			sum += shared[k][r][threadIdx.x];
		scratch[((size_t)blockIdx.y * K + k) * channels + c] =
		    (float)sum;
	}
}

/* out[k][c] = the sum over parts; outs that are NULL are left out. */
template <int K> struct outs {
	float *at[K];
};

template <int K>
static __global__ void
add_parts(const float *scratch, unsigned parts, int channels, outs<K> out)
{
	const int c = blockIdx.x * blockDim.x + threadIdx.x;

	if (c >= channels)
		return;
	for (int k = 0; k < K; k++) {
		double sum = 0;

		for (unsigned p = 0; p < parts; p++)
			sum += scratch[((size_t)p * K + k) * channels + c];
		if (out.at[k] != NULL)
			out.at[k][c] = (float)sum;
	}
}

template <typename T, int K>
static __global__ void
sum_rows(const T *x, size_t rows, int channels, float *scratch)
{
	const int c = blockIdx.x * LANES + threadIdx.x;
	double sums[K] = {};

	for (size_t r = (size_t)blockIdx.y * ROWS + threadIdx.y; r < rows;
	     r += (size_t)gridDim.y * ROWS)
		if (c < channels) {
			const double v = load(x, r * channels + c);

			sums[0] += v;
			if (K > 1)
				sums[K - 1] += v * v;
		}
	finish_part<K>(sums, c, channels, scratch);
}

static dim3
reduction_grid(size_t rows, int c)
{
	return dim3((unsigned)((c + LANES - 1) / LANES), parts_of(rows));
}

void
kernel_bias_grad(cudaStream_t s, enum dtype t, const void *dy, size_t rows,
    int c, float *scratch, float *grad)
{
	const outs<1> out = { { grad } };

	WITH_TYPE(t,
	    (LAUNCH(reduction_grid(rows, c), dim3(LANES, ROWS), s,
		(sum_rows<T, 1>), (const T *)dy, rows, c, scratch)));
	LAUNCH(
	    blocks(c), BLOCK, s, add_parts<1>, scratch, parts_of(rows), c, out);
}

void
kernel_norm_sums(cudaStream_t s, enum dtype t, const void *x, size_t rows,
    int c, float *scratch, const struct norm_vectors *v)
{
	const outs<2> out = { { v->sum, v->squares } };

	WITH_TYPE(t,
	    (LAUNCH(reduction_grid(rows, c), dim3(LANES, ROWS), s,
		(sum_rows<T, 2>), (const T *)x, rows, c, scratch)));
	LAUNCH(
	    blocks(c), BLOCK, s, add_parts<2>, scratch, parts_of(rows), c, out);
}

template <typename T>
static __global__ void
mask_and_reduce(struct norm_reduce r, struct norm_vectors first,
    struct norm_vectors second, size_t rows, int channels, float *scratch)
{
	const int c = blockIdx.x * LANES + threadIdx.x;
	double sums[3] = {};

	for (size_t row = (size_t)blockIdx.y * ROWS + threadIdx.y;
	     row < rows && c < channels; row += (size_t)gridDim.y * ROWS) {
		const size_t i = row * channels + c;
		const float x = load((const T *)r.x, i);
		float d = load((const T *)r.dy, i);

		if (r.dy2 != NULL)
			d += load((const T *)r.dy2, i);
		if (r.relu &&
		    !((r.y != NULL ? load((const T *)r.y, i)
				   : x * first.scale[c] + first.shift[c]) > 0))
			d = 0;
		if (r.out != NULL) {
			store((T *)r.out, i, d);
			d = load((const T *)r.out, i);
		}
		sums[0] += (double)d * (x - first.mean[c]) * first.invstd[c];
		sums[1] += d;
		if (r.x2 != NULL)
			sums[2] += (double)d *
			    (load((const T *)r.x2, i) - second.mean[c]) *
			    second.invstd[c];
	}
	finish_part<3>(sums, c, channels, scratch);
}

static __global__ void
copy_vector(const float *from, float *to, int n)
{
	for (EACH(i, (size_t)n))
		to[i] = from[i];
}

void
kernel_norm_reduce(cudaStream_t s, enum dtype t, const struct norm_reduce *r,
    size_t rows, int c, float *scratch)
{
	const outs<3> out = { { r->gamma[0], r->beta[0],
	    r->x2 != NULL ? r->gamma[1] : NULL } };
	const struct norm_vectors second =
	    r->x2 != NULL ? *r->second : *r->first;

	WITH_TYPE(t,
	    (LAUNCH(reduction_grid(rows, c), dim3(LANES, ROWS), s,
		mask_and_reduce<T>, *r, *r->first, second, rows, c, scratch)));
	LAUNCH(
	    blocks(c), BLOCK, s, add_parts<3>, scratch, parts_of(rows), c, out);
	if (r->x2 != NULL)
		LAUNCH(blocks(c), BLOCK, s, copy_vector, r->beta[0], r->beta[1],
		    c);
}

/* --- normalisation ------------------------------------------------------- */

static __global__ void
norm_finish(int train, double count, int channels, const float *gamma,
    const float *beta, float *mean, float *var, struct norm_vectors v)
{
	const int c = blockIdx.x * blockDim.x + threadIdx.x;
	double m, d, invstd, scale;

	if (c >= channels)
		return;
	m = mean[c];
	d = var[c];
	if (train) {
		m = v.sum[c] / count;
		d = v.squares[c] / count - m * m;
		d = d > 0 ? d : 0;
		mean[c] = (float)(0.9 * mean[c] + 0.1 * m);
		var[c] = (float)(0.9 * var[c] + 0.1 * d * count / (count - 1));
	}
	invstd = 1 / sqrt(d + 1e-5);
	scale = gamma[c] * invstd;
	v.mean[c] = (float)m;
	v.invstd[c] = (float)invstd;
	v.scale[c] = (float)scale;
	v.shift[c] = (float)(beta[c] - m * scale);
	if (v.half_scale != NULL) {
		((__half *)v.half_scale)[c] = (__half)v.scale[c];
		((__half *)v.half_shift)[c] = (__half)v.shift[c];
	}
}

void
kernel_norm_finish(cudaStream_t s, int train, double count, int c,
    const float *gamma, const float *beta, float *mean, float *var,
    const struct norm_vectors *v)
{
	LAUNCH(blocks(c), BLOCK, s, norm_finish, train, count, c, gamma, beta,
	    mean, var, *v);
}

template <typename T>
static __global__ void
norm_apply(const T *x, struct norm_vectors a, const T *z, struct norm_vectors b,
    int normed, size_t n, int channels, int relu, T *y)
{
	for (EACH(i, n)) {
		const int c = (int)(i % channels);
		float v = load(x, i) * a.scale[c] + a.shift[c];

		if (z != NULL)
			v += normed ? load(z, i) * b.scale[c] + b.shift[c]
				    : load(z, i);
		store(y, i, relu && v < 0 ? 0 : v);
	}
}

void
kernel_norm_apply(cudaStream_t s, enum dtype t, const void *x,
    const struct norm_vectors *first, const void *z,
    const struct norm_vectors *second, size_t rows, int c, int relu, void *y)
{
	const size_t n = rows * c;
	const struct norm_vectors b = second != NULL ? *second : *first;

	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, norm_apply<T>, (const T *)x, *first,
		(const T *)z, b, second != NULL, n, c, relu, (T *)y)));
}

template <typename T>
static __global__ void
norm_back(const T *dy, const T *x, struct norm_vectors v, const float *gamma,
    const float *gamma_grad, const float *beta_grad, float by, size_t n,
    int channels, T *dx)
{
	for (EACH(i, n)) {
		const int c = (int)(i % channels);
		const float xhat = (load(x, i) - v.mean[c]) * v.invstd[c];

		store(dx, i,
		    (load(dy, i) - by * (beta_grad[c] + xhat * gamma_grad[c])) *
			v.invstd[c] * gamma[c]);
	}
}

void
kernel_norm_back(cudaStream_t s, enum dtype t, const void *dy, const void *x,
    const struct norm_vectors *v, const float *gamma, const float *gamma_grad,
    const float *beta_grad, int train, double count, size_t rows, int c,
    void *dx)
{
	const size_t n = rows * c;
	const float by = train ? (float)(1 / count) : 0;

	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, norm_back<T>, (const T *)dy,
		(const T *)x, *v, gamma, gamma_grad, beta_grad, by, n, c,
		(T *)dx)));
}

cudaError_t
kernel_check(void)
{
	struct cudaFuncAttributes ignored;

	return cudaFuncGetAttributes(&ignored, (const void *)copy_vector);
}

/* --- rubbish ------------------------------------------------------------- */

/* 2654435761 is a prime near 2^32 times the golden ratio (Knuth, volume 3,
 * section 6.4): its upper bits look random. */
static __global__ void
noise(uint16_t *x, size_t n)
{
	for (EACH(i, n)) {
		const uint32_t r = (uint32_t)i * 2654435761u >> 16;

		x[i] = (uint16_t)(0x3800 | (r & 0x83ff));
	}
}

void
kernel_noise(cudaStream_t s, void *x, size_t bytes)
{
	const size_t n = bytes / sizeof(uint16_t);

	if (n > 0)
		LAUNCH(blocks(n), BLOCK, s, noise, (uint16_t *)x, n);
}

/* --- element by element -------------------------------------------------- */

template <typename T>
static __global__ void
bias(T *x, const float *b, size_t n, int channels, int relu)
{
	for (EACH(i, n)) {
		const float v = load(x, i) + b[i % channels];

		store(x, i, relu && v < 0 ? 0 : v);
	}
}

void
kernel_bias(cudaStream_t s, enum dtype t, void *x, const float *b, size_t rows,
    int c, int relu)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(rows * c), BLOCK, s, bias<T>, (T *)x, b, rows * c, c,
		relu)));
}

template <typename T>
static __global__ void
sum(const T *x, const T *z, size_t n, int relu, T *y)
{
	for (EACH(i, n)) {
		const float v = load(x, i) + (z != NULL ? load(z, i) : 0);

		store(y, i, relu && v < 0 ? 0 : v);
	}
}

void
kernel_sum(cudaStream_t s, enum dtype t, const void *x, const void *z, size_t n,
    int relu, void *y)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, sum<T>, (const T *)x, (const T *)z, n,
		relu, (T *)y)));
}

template <typename T>
static __global__ void
relu_back(const T *dy, const T *y, size_t n, T *dx)
{
	for (EACH(i, n))
		store(dx, i, load(y, i) > 0 ? load(dy, i) : 0);
}

void
kernel_relu_back(cudaStream_t s, enum dtype t, const void *dy, const void *y,
    size_t n, void *dx)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, relu_back<T>, (const T *)dy,
		(const T *)y, n, (T *)dx)));
}

/* --- pooling ------------------------------------------------------------- */

/* Element i of a (batch, h, w, c) tensor. */
struct place {
	int c, x, y, image;
};

static __device__ inline struct place
place_of(size_t i, int c, int w, int h)
{
	struct place p;

	p.c = (int)(i % c);
	i /= c;
	p.x = (int)(i % w);
	i /= w;
	p.y = (int)(i % h);
	p.image = (int)(i / h);
	return p;
}

static __device__ inline size_t
index_of(int image, int y, int x, int c, int h, int w, int channels)
{
	return (((size_t)image * h + y) * w + x) * channels + c;
}

static size_t
inputs(const struct window *w)
{
	return (size_t)w->batch * w->c * w->h * w->w;
}

static size_t
outputs(const struct window *w)
{
	return (size_t)w->batch * w->c * w->p * w->q;
}

template <typename T>
static __global__ void
maxpool(const T *x, struct window w, size_t n, T *y, uint8_t *places)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.q, w.p);
		float best = 0;
		int where = -1;

		for (int t = 0; t < w.kernel * w.kernel; t++) {
			const int row = o.y * w.stride - w.pad + t / w.kernel;
			const int column =
			    o.x * w.stride - w.pad + t % w.kernel;
			float v;

			if (row < 0 || row >= w.h || column < 0 ||
			    column >= w.w)
				continue;
			v = load(x,
			    index_of(o.image, row, column, o.c, w.h, w.w, w.c));
			if (where < 0 || v > best) {
				best = v;
				where = t;
			}
		}
		store(y, i, best);
		places[i] = (uint8_t)where;
	}
}

void
kernel_maxpool(cudaStream_t s, enum dtype t, const void *x,
    const struct window *w, void *y, uint8_t *places)
{
	const size_t n = outputs(w);

	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, maxpool<T>, (const T *)x, *w, n,
		(T *)y, places)));
}

/* Each input pixel asks the windows over it whether it was their largest. */
template <typename T>
static __global__ void
maxpool_back(
    const T *dy, const uint8_t *places, struct window w, size_t n, T *dx)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.w, w.h);
		float sum = 0;

		for (int t = 0; t < w.kernel * w.kernel; t++) {
			const int row = o.y + w.pad - t / w.kernel;
			const int column = o.x + w.pad - t % w.kernel;
			size_t at;

			if (row < 0 || row % w.stride != 0 ||
			    row / w.stride >= w.p || column < 0 ||
			    column % w.stride != 0 || column / w.stride >= w.q)
				continue;
			at = index_of(o.image, row / w.stride,
			    column / w.stride, o.c, w.p, w.q, w.c);
			if (places[at] == t)
				sum += load(dy, at);
		}
		store(dx, i, sum);
	}
}

void
kernel_maxpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const uint8_t *places, const struct window *w, void *dx)
{
	const size_t n = inputs(w);

	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, maxpool_back<T>, (const T *)dy, places,
		*w, n, (T *)dx)));
}

/* The window of output p of a side, as torch.nn.AdaptiveAvgPool2d cuts it. */
static __device__ inline int
adaptive_from(int p, int in, int out)
{
	return p * in / out;
}

static __device__ inline int
adaptive_to(int p, int in, int out)
{
	return ((p + 1) * in + out - 1) / out;
}

template <typename T>
static __global__ void
avgpool(const T *x, struct window w, size_t n, T *y)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.q, w.p);
		const int r0 = adaptive_from(o.y, w.h, w.p);
		const int r1 = adaptive_to(o.y, w.h, w.p);
		const int c0 = adaptive_from(o.x, w.w, w.q);
		const int c1 = adaptive_to(o.x, w.w, w.q);
		float sum = 0;

		for (int r = r0; r < r1; r++)
			for (int c = c0; c < c1; c++)
				sum += load(x,
				    index_of(
					o.image, r, c, o.c, w.h, w.w, w.c));
		store(y, i, sum / ((r1 - r0) * (c1 - c0)));
	}
}

void
kernel_avgpool(cudaStream_t s, enum dtype t, const void *x,
    const struct window *w, void *y)
{
	const size_t n = outputs(w);

	WITH_TYPE(t,
	    (LAUNCH(
		blocks(n), BLOCK, s, avgpool<T>, (const T *)x, *w, n, (T *)y)));
}

template <typename T>
static __global__ void
avgpool_back(const T *dy, struct window w, size_t n, T *dx)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.w, w.h);
		float sum = 0;

		for (int p = 0; p < w.p; p++) {
			const int r0 = adaptive_from(p, w.h, w.p);
			const int r1 = adaptive_to(p, w.h, w.p);

			for (int q = 0; o.y >= r0 && o.y < r1 && q < w.q; q++) {
				const int c0 = adaptive_from(q, w.w, w.q);
				const int c1 = adaptive_to(q, w.w, w.q);

				if (o.x >= c0 && o.x < c1)
					sum += load(dy,
						   index_of(o.image, p, q, o.c,
						       w.p, w.q, w.c)) /
					    ((r1 - r0) * (c1 - c0));
			}
		}
		store(dx, i, sum);
	}
}

void
kernel_avgpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct window *w, void *dx)
{
	const size_t n = inputs(w);

	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, avgpool_back<T>, (const T *)dy, *w, n,
		(T *)dx)));
}

/* --- dropout ------------------------------------------------------------- */

template <typename T>
static __global__ void
dropout(const T *x, float p, uint64_t seed, uint32_t stream,
    const uint32_t *step, uint64_t first, size_t n, int channels, int pixels,
    T *y)
{
	for (EACH(i, n)) {
		const size_t one = (size_t)channels * pixels;
		const uint64_t k = first + i / one * one +
		    i % channels * pixels + i % one / channels;
		const uint32_t counter[4] = { (uint32_t)(k / 4),
			(uint32_t)(k / 4 >> 32), stream, *step };
		const uint32_t key[2] = { (uint32_t)seed,
			(uint32_t)(seed >> 32) };
		uint32_t four[4];

		philox(counter, key, four);
		store(
		    y, i, four[k % 4] * 0x1p-32 < p ? 0 : load(x, i) / (1 - p));
	}
}

void
kernel_dropout(cudaStream_t s, enum dtype t, const void *x, int train, float p,
    uint64_t seed, uint32_t stream, const uint32_t *step, uint64_t first,
    int batch, int c, int pixels, void *y)
{
	const size_t n = (size_t)batch * c * pixels;

	if (!train) {
		kernel_sum(s, t, x, NULL, n, 0, y);
		return;
	}
	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, dropout<T>, (const T *)x, p, seed,
		stream, step, first, n, c, pixels, (T *)y)));
}

/* --- input, weights, loss, update ---------------------------------------- */

template <typename T>
static __global__ void
load_images(const void *x, int bytes, int nhwc, const uint8_t *mirror,
    int width, int n, int channels, int pixels, int padded, size_t all, T *out)
{
	for (EACH(i, all)) {
		const int c = (int)(i % padded);
		const size_t image = i / padded / pixels;
		float v = 0;

		if (c < channels && image < (size_t)n) {
			const size_t pixel = pixel_source(
			    (uint32_t)(i / padded % pixels), (uint32_t)width,
			    mirror != NULL && mirror[image]);
			const size_t at = nhwc
			    ? (image * pixels + pixel) * channels + c
			    : (image * channels + c) * pixels + pixel;

			v = bytes ? pixel_value(((const uint8_t *)x)[at], c % 3)
				  : ((const float *)x)[at];
		}
		store(out, i, v);
	}
}

/* Four elements that are stored at once. */
template <typename T> struct alignas(4 * sizeof(T)) four {
	T x[4];
};

/* The usual case, a thread for each pixel: three bytes in, four channels out,
 * the last of them 0. */
template <typename T>
static __global__ void
load_bytes(const uint8_t *x, const uint8_t *mirror, int width, int n,
    int pixels, size_t all, four<T> *out)
{
	for (EACH(i, all)) {
		const size_t image = i / pixels;
		float v[4] = { 0, 0, 0, 0 };
		four<T> y;

		if (image < (size_t)n) {
			const uint32_t pixel = pixel_source(
			    (uint32_t)(i % pixels), (uint32_t)width,
			    mirror != NULL && mirror[image]);
			const uint8_t *from = x + (image * pixels + pixel) * 3;

			for (int c = 0; c < 3; c++)
				v[c] = pixel_value(from[c], c);
		}
		for (int c = 0; c < 4; c++)
			store(y.x, c, v[c]);
		out[i] = y;
	}
}

void
kernel_load(cudaStream_t s, enum dtype from, int nhwc, const void *x,
    const uint8_t *mirror, int width, int n, int batch, int channels,
    int pixels, int padded, enum dtype t, void *out)
{
	const size_t all = (size_t)batch * pixels;

	if (from == DTYPE_U8 && nhwc && channels == 3 && padded == 4) {
		WITH_TYPE(t,
		    (LAUNCH(blocks(all), BLOCK, s, load_bytes<T>,
			(const uint8_t *)x, mirror, width, n, pixels, all,
			(four<T> *)out)));
		return;
	}
	WITH_TYPE(t,
	    (LAUNCH(blocks(all * padded), BLOCK, s, load_images<T>, x,
		from == DTYPE_U8, nhwc, mirror, width, n, channels, pixels,
		padded, all * padded, (T *)out)));
}

template <typename T>
static __global__ void
weight_out(const T *work, size_t n, int from, int to, float *grad)
{
	for (EACH(i, n))
		grad[i] = load(work, i / to * from + i % to);
}

void
kernel_weight_out(cudaStream_t s, enum dtype t, const void *work, size_t rows,
    int from, int to, float *grad)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(rows * to), BLOCK, s, weight_out<T>, (const T *)work,
		rows * to, from, to, grad)));
}

template <typename T>
static __global__ void
weight_in(const float *weight, size_t n, int from, int to, T *work)
{
	for (EACH(i, n)) {
		const int c = (int)(i % to);

		store(work, i, c < from ? weight[i / to * from + c] : 0);
	}
}

void
kernel_weight_in(cudaStream_t s, enum dtype t, const float *weight, size_t rows,
    int from, int to, void *work)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(rows * to), BLOCK, s, weight_in<T>, weight,
		rows * to, from, to, (T *)work)));
}

/* The sum, or the maximum, of x over the block, for all its threads. */
template <typename V>
static __device__ V
over_block(V x, int largest)
{
	__shared__ V shared[BLOCK];

	__syncthreads();
	shared[threadIdx.x] = x;
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		__syncthreads();
		if ((int)threadIdx.x < half) {
			const V other = shared[threadIdx.x + half];

			if (!largest)
				shared[threadIdx.x] += other;
			else if (other > shared[threadIdx.x])
				shared[threadIdx.x] = other;
		}
	}
	__syncthreads();
	return shared[0];
}

/* A block an image; the order of sums and what counts as a hit are those of
 * loss_add_image(). */
template <typename T>
static __global__ void
loss_image(const T *logits, const int32_t *labels, int n, int classes,
    struct loss_scale *scale, struct kernel_loss *out, T *dy)
{
	const int image = blockIdx.x;
	const T *row = logits + (size_t)image * classes;
	const int label = image < n ? labels[image] : 0;
	const float own = load(row, label);
	float most = -INFINITY, by;
	double sum = 0;
	int above = 0;

	for (int k = threadIdx.x; k < classes; k += BLOCK) {
		const float v = load(row, k);

		most = v > most ? v : most;
		above += !(v < own) && (v != own || k < label) && k != label;
	}
	most = over_block(most, 1);
	above = over_block(above, 0);
	for (int k = threadIdx.x; k < classes; k += BLOCK)
		sum += exp((double)load(row, k) - most);
	sum = over_block(sum, 0);
	by = image < n ? scale->scale / n : 0;
	for (int k = threadIdx.x; dy != NULL && k < classes; k += BLOCK)
		store(dy + (size_t)image * classes, k,
		    image < n ? (float)(exp((double)load(row, k) - most) / sum -
				    (k == label)) *
			    by
			      : 0);
	if (threadIdx.x == 0) {
		out[image].loss = log(sum) + most - own;
		out[image].top1 = own == own && above < 1;
		out[image].top5 = own == own && above < 5;
	}
}

static __global__ void
loss_sum(const struct kernel_loss *images, int n, struct loss_scale *scale,
    struct kernel_losses *out)
{
	struct kernel_loss r = {};

	for (int i = 0; i < n; i++) {
		r.loss += images[i].loss;
		r.top1 += images[i].top1;
		r.top5 += images[i].top5;
	}
	r.loss /= n;
	r.n = n;
	out->last[out->n++ % KERNEL_LOSSES] = r;
	scale->used = scale->scale;
}

void
kernel_loss(cudaStream_t s, enum dtype t, const void *logits,
    const int32_t *labels, int n, int batch, int classes,
    struct loss_scale *scale, struct kernel_loss *scratch,
    struct kernel_losses *out, void *dy)
{
	WITH_TYPE(t,
	    (LAUNCH(batch, BLOCK, s, loss_image<T>, (const T *)logits, labels,
		n, classes, scale, scratch, (T *)dy)));
	LAUNCH(1, 1, s, loss_sum, scratch, n, scale, out);
}

static __global__ void
look_for_overflow(const float *grads, size_t n, struct loss_scale *scale)
{
	for (EACH(i, n))
		if (scale->dynamic && !isfinite(grads[i]))
			scale->overflow = 1;
}

static __global__ void
update(float *weights, float *momenta, const float *grads, size_t n,
    const float *hyper, const struct loss_scale *scale)
{
	const float lr = hyper[0], momentum = hyper[1], decay = hyper[2];
	const float by = hyper[3] / scale->used;

	if (scale->overflow)
		return;
	for (EACH(i, n)) {
		const float g = grads[i] * by + decay * weights[i];
		const float m = momentum * momenta[i] + g;

		momenta[i] = m;
		weights[i] -= lr * m;
	}
}

static __global__ void
end_step(struct loss_scale *scale)
{
	loss_scale_next(scale);
}

void
kernel_update(cudaStream_t s, float *weights, float *momenta,
    const float *grads, size_t n, const float *hyper, struct loss_scale *scale)
{
	LAUNCH(blocks(n), BLOCK, s, look_for_overflow, grads, n, scale);
	LAUNCH(blocks(n), BLOCK, s, update, weights, momenta, grads, n, hyper,
	    scale);
	LAUNCH(1, 1, s, end_step, scale);
}
