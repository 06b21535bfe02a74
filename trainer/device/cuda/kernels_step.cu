/* Kernels of dropout and of the beginning and end of a step. */
#include "trainer/device/cuda/kernels_common.cuh"
#include "trainer/base/philox.h"
#include "trainer/base/pixel.h"

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

void
kernel_load(cudaStream_t s, enum dtype from, int nhwc, const void *x,
    const uint8_t *mirror, int width, int n, int batch, int channels,
    int pixels, int padded, enum dtype t, void *out)
{
	const size_t all = (size_t)batch * pixels * padded;

	WITH_TYPE(t,
	    (LAUNCH(blocks(all), BLOCK, s, load_images<T>, x, from == DTYPE_U8,
		nhwc, mirror, width, n, channels, pixels, padded, all,
		(T *)out)));
}

/* Index in the working weights of element i of a piece. */
static __device__ inline size_t
work_place(const struct weight_piece &p, int i)
{
	return p.work + (size_t)(i / p.channels) * p.padded + i % p.channels;
}

/* One block per piece, so that one launch serves any number of tensors. */
template <typename T>
static __global__ void
weight_out(const struct weight_piece *pieces, const T *__restrict__ work,
    float *__restrict__ grads)
{
	const struct weight_piece p = pieces[blockIdx.x];

	UNROLL(4)
	for (int i = threadIdx.x; i < p.n; i += BLOCK)
		grads[p.arena + i] = load(work, work_place(p, i));
}

void
kernel_weight_out(cudaStream_t s, enum dtype t,
    const struct weight_piece *pieces, int n, const void *work, float *grads)
{
	WITH_TYPE(t,
	    (LAUNCH(
		n, BLOCK, s, weight_out<T>, pieces, (const T *)work, grads)));
}

/* Padding is cleared at allocation and stays 0. */
template <typename T>
static __global__ void
weight_in(const struct weight_piece *pieces, const float *__restrict__ weights,
    T *__restrict__ work)
{
	const struct weight_piece p = pieces[blockIdx.x];

	for (int i = threadIdx.x; i < p.n; i += BLOCK)
		store(work, work_place(p, i), weights[p.arena + i]);
}

void
kernel_weight_in(cudaStream_t s, enum dtype t,
    const struct weight_piece *pieces, int n, const float *weights, void *work)
{
	if (n > 0)
		WITH_TYPE(t,
		    (LAUNCH(n, BLOCK, s, weight_in<T>, pieces, weights,
			(T *)work)));
}

/* Sum or maximum of x over the block, returned to all threads. */
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

/* One block per image. The order of sums and the definition of a hit are those
 * of loss_add_image(). */
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
look_for_overflow(
    const float *__restrict__ grads, size_t n, struct loss_scale *scale)
{
	if (!scale->dynamic)
		return;
	UNROLL(4)
	for (EACH(i, n))
		if (!isfinite(grads[i]))
			scale->overflow = 1;
}

/* Update the working weights in the same pass: weights are read once. */
template <typename T>
static __global__ void
update(struct kernel_arenas a)
{
	const struct weight_piece p = a.pieces[blockIdx.x];
	const float lr = a.hyper[0], momentum = a.hyper[1], decay = a.hyper[2];
	const float by = a.hyper[3] / a.scale->used;

	if (a.scale->overflow)
		return;
	UNROLL(4)
	for (int i = threadIdx.x; i < p.n; i += BLOCK) {
		const size_t k = p.arena + i;
		const float w = a.weights[k];
		const float m =
		    momentum * a.momenta[k] + (a.grads[k] * by + decay * w);

		a.momenta[k] = m;
		a.weights[k] = w - lr * m;
		if (p.has_work)
			store((T *)a.work, work_place(p, i), w - lr * m);
	}
}

static __global__ void
end_step(struct loss_scale *scale)
{
	loss_scale_next(scale);
}

void
kernel_update(cudaStream_t s, enum dtype t, const struct kernel_arenas *a)
{
	LAUNCH(blocks(a->n), BLOCK, s, look_for_overflow, a->grads, a->n,
	    a->scale);
	WITH_TYPE(t, (LAUNCH(a->n_pieces, BLOCK, s, update<T>, *a)));
	LAUNCH(1, 1, s, end_step, a->scale);
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
	    (LAUNCH(blocks(n), BLOCK, s, compress<T>, x, n, scale, (T *)half)));
}

void
kernel_decompress(
    cudaStream_t s, enum dtype t, const void *half, size_t n, float *x)
{
	WITH_TYPE(t,
	    (LAUNCH(
		blocks(n), BLOCK, s, decompress<T>, (const T *)half, n, x)));
}
