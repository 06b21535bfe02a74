/* Kernels of pooling and dropout; of what is at a step's beginning and end. */
#include "trainer/device/cuda/kernels_common.cuh"
#include "trainer/base/philox.h"
#include "trainer/base/pixel.h"

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
inputs(const struct pool_window *w)
{
	return (size_t)w->batch * w->c * w->h * w->w;
}

static size_t
outputs(const struct pool_window *w)
{
	return (size_t)w->batch * w->c * w->p * w->q;
}

/* In maxpool() and maxpool_back() channels are counted in pieces of N. */
template <typename T, int N>
static __global__ void
maxpool(const T *x, struct pool_window w, size_t n, T *y, uint8_t *places)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.q, w.p);
		lanes<T, N> best = {};
		lanes<uint8_t, N> where = {};
		int seen = 0;

		for (int t = 0; t < w.kernel * w.kernel; t++) {
			const int row = o.y * w.stride - w.pad + t / w.kernel;
			const int column =
			    o.x * w.stride - w.pad + t % w.kernel;
			lanes<T, N> v;

			if (row < 0 || row >= w.h || column < 0 ||
			    column >= w.w)
				continue;
			v = load_lanes<T, N>(x,
			    index_of(o.image, row, column, o.c, w.h, w.w, w.c));
			for (int j = 0; j < N; j++)
				if (!seen ||
				    (float)v.at[j] > (float)best.at[j]) {
					best.at[j] = v.at[j];
					where.at[j] = (uint8_t)t;
				}
			seen = 1;
		}
		store_lanes<T, N>(y, i, best);
		store_lanes<uint8_t, N>(places, i, where);
	}
}

/* The same with channels in pieces of n. */
static struct pool_window
in_pieces(const struct pool_window *w, int n)
{
	struct pool_window r = *w;

	r.c /= n;
	return r;
}

void
kernel_maxpool(cudaStream_t s, enum dtype t, const void *x,
    const struct pool_window *w, void *y, uint8_t *places)
{
	const size_t n = outputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(blocks(n / N), BLOCK, s, (maxpool<T, N>), (const T *)x,
		in_pieces(w, N), n / N, (T *)y, places));
}

/* The first and the last window over pixel y of a side. */
static __device__ inline int
first_window(int y, const struct pool_window &w)
{
	const int before = y + w.pad - w.kernel;

	return before < 0 ? 0 : before / w.stride + 1;
}

static __device__ inline int
last_window(int y, const struct pool_window &w, int windows)
{
	const int last = (y + w.pad) / w.stride;

	return last < windows ? last : windows - 1;
}

/* Each input pixel asks the windows over it whether it was their largest. */
template <typename T, int N>
static __global__ void
maxpool_back(
    const T *dy, const uint8_t *places, struct pool_window w, size_t n, T *dx)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.w, w.h);
		const int p1 = last_window(o.y, w, w.p);
		const int q0 = first_window(o.x, w);
		const int q1 = last_window(o.x, w, w.q);
		float sums[N] = {};
		lanes<T, N> out;

		for (int p = first_window(o.y, w); p <= p1; p++)
			for (int q = q0; q <= q1; q++) {
				const int t =
				    (o.y + w.pad - p * w.stride) * w.kernel +
				    o.x + w.pad - q * w.stride;
				const size_t at =
				    index_of(o.image, p, q, o.c, w.p, w.q, w.c);
				const lanes<uint8_t, N> where =
				    load_lanes<uint8_t, N>(places, at);
				const lanes<T, N> d = load_lanes<T, N>(dy, at);

				for (int j = 0; j < N; j++)
					if (where.at[j] == t)
						sums[j] += (float)d.at[j];
			}
		for (int j = 0; j < N; j++)
			out.at[j] = (T)sums[j];
		store_lanes<T, N>(dx, i, out);
	}
}

void
kernel_maxpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const uint8_t *places, const struct pool_window *w, void *dx)
{
	const size_t n = inputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(blocks(n / N), BLOCK, s, (maxpool_back<T, N>), (const T *)dy,
		places, in_pieces(w, N), n / N, (T *)dx));
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
avgpool(const T *x, struct pool_window w, size_t n, T *y)
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
    const struct pool_window *w, void *y)
{
	const size_t n = outputs(w);

	WITH_TYPE(t,
	    (LAUNCH(
		blocks(n), BLOCK, s, avgpool<T>, (const T *)x, *w, n, (T *)y)));
}

template <typename T>
static __global__ void
avgpool_back(const T *dy, struct pool_window w, size_t n, T *dx)
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
    const struct pool_window *w, void *dx)
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

/* Between the arena and working weights of as many channels. */
template <typename A, typename B, int N>
static __global__ void
convert(const A *from, size_t n, B *to)
{
	for (EACH(i, n)) {
		const lanes<A, N> v = load_lanes<A, N>(from, i);
		lanes<B, N> out;

		for (int j = 0; j < N; j++)
			out.at[j] = (B)(float)v.at[j];
		store_lanes<B, N>(to, i, out);
	}
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
	const size_t n = rows * to;

	if (from == to && n % 4 == 0) {
		WITH_TYPE(t,
		    LAUNCH(blocks(n / 4), BLOCK, s, (convert<T, float, 4>),
			(const T *)work, n / 4, grad));
		return;
	}
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
	const size_t n = rows * to;

	if (from == to && n % 4 == 0) {
		WITH_TYPE(t,
		    LAUNCH(blocks(n / 4), BLOCK, s, (convert<float, T, 4>),
			weight, n / 4, (T *)work));
		return;
	}
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

	for (int i = threadIdx.x; i < n; i += BLOCK) {
		r.loss += images[i].loss;
		r.top1 += images[i].top1;
		r.top5 += images[i].top5;
	}
	r.loss = over_block(r.loss, 0) / n;
	r.top1 = over_block(r.top1, 0);
	r.top5 = over_block(r.top5, 0);
	r.n = n;
	if (threadIdx.x != 0)
		return;
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
	LAUNCH(1, BLOCK, s, loss_sum, scratch, n, scale, out);
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

/* --- gradients on their way ---------------------------------------------- */

template <typename T>
static __global__ void
compress(const float *x, size_t n, float scale, T *half)
{
	for (EACH(i, n))
		store(half, i, x[i] * scale);
}

template <typename T>
static __global__ void
decompress(const T *half, size_t n, float *x)
{
	for (EACH(i, n))
		x[i] = load(half, i);
}

void
kernel_compress(cudaStream_t s, enum dtype t, const float *x, size_t n,
    float scale, void *half)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, compress<T>, x, n, scale,
		(T *)half)));
}

void
kernel_decompress(
    cudaStream_t s, enum dtype t, const void *half, size_t n, float *x)
{
	WITH_TYPE(t,
	    (LAUNCH(blocks(n), BLOCK, s, decompress<T>, (const T *)half, n,
		x)));
}
