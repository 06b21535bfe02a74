/* Sums over the rows of (rows, channels). Included by kernels*.cu only.
 *
 * A block handles some channels and a share of the rows. Each thread adds its
 * rows in fp32, a tree adds the threads of a channel, and the partial sums are
 * written to scratch, [part][k][c], and added in the same way. The order
 * depends only on the sizes, so equal input gives equal bytes. The error of
 * such an fp32 sum is at most (rows of a thread + 32) * 2^-24 of the sum of the
 * terms' magnitudes (Higham, "Accuracy and Stability of Numerical Algorithms",
 * section 4.2). */
#ifndef TRAINER_CUDA_KERNELS_REDUCE_H
#define TRAINER_CUDA_KERNELS_REDUCE_H

#include "trainer/device/cuda/kernels_common.cuh"

/* The gradient of a normalisation's input is a * dy + b * x + e per channel:
 *
 *	dx = gamma * invstd * (dy - beta_grad / count
 *	         - (x - mean) * invstd * gamma_grad / count)
 */
template <int N> struct norm_equation {
	float a[N], b[N], e[N];

	/* by  1 / count, or 0 if the statistics are constants */
	__device__ inline void
	find(const struct norm_back &n, float by, int c)
	{
		float mean[N], beta_grad[N];

		load_columns<N>(n.v.invstd, c, e);
		load_columns<N>(n.v.gamma, c, a);
		load_columns<N>(n.gamma_grad, c, b);
		load_columns<N>(n.v.mean, c, mean);
		load_columns<N>(n.beta_grad, c, beta_grad);
		for (int j = 0; j < N; j++) {
			a[j] *= e[j];
			b[j] *= -by * e[j] * a[j];
			e[j] = -by * a[j] * beta_grad[j] - b[j] * mean[j];
		}
	}

	__device__ inline float
	at(float dy, float x, int j) const
	{
		return a[j] * dy + (b[j] * x + e[j]);
	}
};

/* Number of parts of a reduction over rows of `per` pieces. */
static unsigned
parts_of(size_t rows, size_t per)
{
	const size_t own = BLOCK / grid_lanes(per);
	const size_t columns = (per + grid_lanes(per) - 1) / grid_lanes(per);
	const size_t parts = (rows + 4 * own - 1) / (4 * own);
	const size_t some = GRID_REDUCE / columns;
	const size_t most = some < 1 ? 1
	    : some < KERNEL_PARTS    ? some
				     : (size_t)KERNEL_PARTS;

	return (unsigned)(parts < most ? parts : most);
}

/* Grid of a reduction over rows of `per` pieces. */
static dim3
reduction_grid(size_t rows, size_t per)
{
	const unsigned n = grid_lanes(per);

	return dim3((unsigned)((per + n - 1) / n), parts_of(rows, per));
}

/* Add the values of each column of threads by a tree; row 0 holds the sums.
 * blockDim.y must be a power of two. */
template <int N>
static __device__ inline void
add_columns(float (*shared)[BLOCK])
{
	const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;

	for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
		__syncthreads();
		for (int i = 0; threadIdx.y < half && i < N; i++)
			shared[i][at] += shared[i][at + half * blockDim.x];
	}
}

/* Add K sums of N channels from c on over the block; row 0 writes them to
 * scratch. */
template <int K, int N>
static __device__ inline void
finish_part(const float (*sums)[N], int c, int channels, float *scratch)
{
	__shared__ float shared[K * N][BLOCK];
	const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;

	for (int i = 0; i < K * N; i++)
		shared[i][at] = sums[i / N][i % N];
	add_columns<K * N>(shared);
	for (int i = 0; threadIdx.y == 0 && c < channels && i < K * N; i++)
		scratch[((size_t)blockIdx.y * K + i / N) * channels + c +
		    i % N] = shared[i][at];
}

/* out[k][c] = sum over parts; NULL outs are skipped. */
template <int K> struct outs {
	float *at[K];
};

enum {
	PART_LANES = 8, /* floats per memory sector */
	PART_LOADS = 4  /* loads in flight */
};

template <int K>
static __global__ void
add_parts(const float *__restrict__ scratch, unsigned parts, int channels,
    outs<K> out)
{
	__shared__ float shared[K][BLOCK];
	const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
	const int c = blockIdx.x * PART_LANES + threadIdx.x;

	for (int k = 0; k < K; k++) {
		float some[PART_LOADS] = {};

		for (unsigned p = threadIdx.y; p < parts && c < channels;
		     p += PART_LOADS * blockDim.y)
			for (int i = 0; i < PART_LOADS; i++) {
				const unsigned q = p + i * blockDim.y;

				if (q < parts)
					some[i] += scratch[((size_t)q * K + k) *
						channels +
					    c];
			}
		shared[k][at] = (some[0] + some[1]) + (some[2] + some[3]);
	}
	add_columns<K>(shared);
	for (int k = 0; threadIdx.y == 0 && c < channels && k < K; k++)
		if (out.at[k] != NULL)
			out.at[k][c] = shared[k][at];
}

/* per  pieces per row in the preceding reduction */
template <int K>
static void
add_all_parts(cudaStream_t s, const float *scratch, size_t rows, size_t per,
    int c, outs<K> out)
{
	LAUNCH((unsigned)((c + PART_LANES - 1) / PART_LANES),
	    dim3(PART_LANES, BLOCK / PART_LANES), s, add_parts<K>, scratch,
	    parts_of(rows, per), c, out);
}

#endif
