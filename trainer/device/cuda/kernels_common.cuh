/* Shared by all kernels: elements, loops over them, launches. Included by
 * kernels*.cu only. */
#ifndef TRAINER_CUDA_KERNELS_COMMON_H
#define TRAINER_CUDA_KERNELS_COMMON_H

#include "trainer/device/cuda/kernels.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "trainer/device/cuda/grid.h"

enum { BLOCK = GRID_BLOCK };

/* Unroll a loop so that loads of several iterations overlap. */
#ifdef __CUDACC__
#define UNROLL(n) _Pragma(UNROLL_TEXT(unroll n))
#define UNROLL_TEXT(x) #x
#else
#define UNROLL(n)
#endif

/* Tests define LAUNCH to run kernels on the CPU. */
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

static inline unsigned
blocks(size_t n)
{
	const size_t most = 65536, b = (n + BLOCK - 1) / BLOCK;

	return (unsigned)(b < 1 ? 1 : b < most ? b : most);
}

/* Loop of a thread over its elements, strided by the number of threads. */
#define EACH(i, n) \
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; \
	i < (n); \
	i += (size_t)gridDim.x * blockDim.x

/* Run code with T defined as the type t. */
#define WITH_TYPE(t, ...) \
	do { \
		if ((t) == DTYPE_FP16) { \
			typedef __half T; \
			__VA_ARGS__; \
		} else if ((t) == DTYPE_BF16) { \
			typedef __nv_bfloat16 T; \
			__VA_ARGS__; \
		} else { \
			typedef float T; \
			__VA_ARGS__; \
		} \
	} while (0)

/* N adjacent elements, read and written at once. */
template <typename T, int N> struct alignas(sizeof(T) * N) lanes {
	T at[N];
};

template <typename T, int N>
static __device__ inline lanes<T, N>
load_lanes(const T *x, size_t i)
{
	return ((const lanes<T, N> *)x)[i];
}

template <typename T, int N>
static __device__ inline void
store_lanes(T *x, size_t i, const lanes<T, N> &v)
{
	((lanes<T, N> *)x)[i] = v;
}

/* Load v[c .. c + N - 1], 16 bytes at once; c is a multiple of N, v is
 * aligned. */
template <int N>
static __device__ inline void
load_columns(const float *__restrict__ v, int c, float *out)
{
	enum { M = N < 4 ? N : 4 };

	for (int i = 0; i < N; i += M) {
		const lanes<float, M> some =
		    load_lanes<float, M>(v, (c + i) / M);

		for (int j = 0; j < M; j++)
			out[i + j] = some.at[j];
	}
}

/* Run code with type T and N lanes: 16 bytes, or one element if n, the number
 * of adjacent elements, is not a multiple of that. */
#define WITH_LANES(t, n, ...) \
	WITH_TYPE( \
	    t, do { \
		    if ((n) % (16 / sizeof(T)) == 0) { \
			    enum { N = 16 / sizeof(T) }; \
			    __VA_ARGS__; \
		    } else { \
			    enum { N = 1 }; \
			    __VA_ARGS__; \
		    } \
	    } while (0))

/* First piece of a thread and step to the next, see grid.h. All are in the same
 * columns. */
static __device__ inline size_t
first_piece(void)
{
	return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline size_t
piece_step(void)
{
	return (size_t)gridDim.x * blockDim.x;
}

/* Threads of a block for rows of `per` pieces, one column each. */
static inline dim3
row_block(size_t per)
{
	const unsigned n = grid_lanes(per);

	return dim3(n, BLOCK / n);
}

/* Loop of such a thread over its rows. */
#define EACH_ROW(r, rows) \
	size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y; \
	r < (rows); \
	r += (size_t)gridDim.y * blockDim.y

#endif
