/* Kernels for normalisations and elementwise operations. */
#include "trainer/device/cuda/kernels_reduce.cuh"

/* --- reductions over rows ------------------------------------------------ */

size_t
kernel_scratch(size_t c)
{
	return (size_t)KERNEL_PARTS * 3 * c;
}

/* Sum over rows; K 2: also the squares. With a mask, elements where it is not
 * above 0 count as 0, and the masked x is written to y. */
template <typename T, int K, int N>
static __global__ void
sum_rows(const T *__restrict__ x, const T *__restrict__ mask, size_t rows,
    int channels, float *scratch, T *__restrict__ y)
{
	const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x) * N;
	float sums[K][N] = {};

	UNROLL(4)
	for (EACH_ROW(r, c < channels ? rows : 0)) {
		const size_t at = (r * channels + c) / N;
		lanes<T, N> v = load_lanes<T, N>(x, at);

		if (mask != NULL) {
			const lanes<T, N> m = load_lanes<T, N>(mask, at);

			for (int j = 0; j < N; j++)
				if (!((float)m.at[j] > 0))
					v.at[j] = (T)0.0f;
			store_lanes<T, N>(y, at, v);
		}
		for (int j = 0; j < N; j++) {
			const float one = (float)v.at[j];

			sums[0][j] += one;
			if (K > 1)
				sums[K - 1][j] += one * one;
		}
	}
	finish_part<K, N>(sums, c, channels, scratch);
}

void
kernel_bias_grad(cudaStream_t s, enum dtype t, const void *dy, const void *y,
    size_t rows, int c, float *scratch, float *grad, void *dx)
{
	const outs<1> out = { { grad } };

	WITH_LANES(t, c,
		   LAUNCH(reduction_grid(rows, c / N), row_block(c / N), s,
		       (sum_rows<T, 1, N>), (const T *)dy, (const T *)y, rows,
		       c, scratch, (T *)dx);
		   add_all_parts<1>(s, scratch, rows, c / N, c, out));
}

void
kernel_norm_sums(cudaStream_t s, enum dtype t, const void *x, size_t rows,
    int c, float *scratch, const struct norm_vectors *v)
{
	const outs<2> out = { { v->sum, v->squares } };

	WITH_LANES(t, c,
		   LAUNCH(reduction_grid(rows, c / N), row_block(c / N), s,
		       (sum_rows<T, 2, N>), (const T *)x, (const T *)NULL, rows,
		       c, scratch, (T *)NULL);
		   add_all_parts<2>(s, scratch, rows, c / N, c, out));
}

/* Mask by which a gradient passes a ReLU. */
enum mask { MASK_NONE, MASK_OUTPUT, MASK_NORM };

/* Sums of d * (x - mean), of d, and if TWO of d * (x2 - mean2); the sums are
 * multiplied by invstd later. */
template <typename T, int N, int MASK, int TWO>
static __global__ void
__launch_bounds__(BLOCK, TWO ? 3 : 4)
    mask_and_reduce(struct norm_reduce r, struct norm_vectors first,
	struct norm_vectors second, size_t rows, int channels, float *scratch)
{
	const T *const __restrict__ x = (const T *)r.x;
	const T *const __restrict__ dy = (const T *)r.dy;
	const T *const __restrict__ dy2 = (const T *)r.dy2;
	const T *const __restrict__ y = (const T *)r.y;
	const T *const __restrict__ x2 = (const T *)r.x2;
	T *const __restrict__ to = (T *)r.out;
	const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x) * N;
	const int own = c < channels ? c : 0;
	float sums[2 + TWO][N] = {}, mean[N], mean2[N], scale[N], shift[N];

	load_columns<N>(first.mean, own, mean);
	if (TWO)
		load_columns<N>(second.mean, own, mean2);
	if (MASK == MASK_NORM) {
		load_columns<N>(first.scale, own, scale);
		load_columns<N>(first.shift, own, shift);
	}
	for (EACH_ROW(row, c < channels ? rows : 0)) {
		const size_t i = (row * channels + c) / N;
		const lanes<T, N> in = load_lanes<T, N>(x, i);
		lanes<T, N> d = load_lanes<T, N>(dy, i), also, out, in2;

		if (dy2 != NULL)
			also = load_lanes<T, N>(dy2, i);
		if (MASK == MASK_OUTPUT)
			out = load_lanes<T, N>(y, i);
		if (TWO)
			in2 = load_lanes<T, N>(x2, i);
		for (int j = 0; j < N; j++) {
			const float one = (float)in.at[j];
			float v = (float)d.at[j];

			if (dy2 != NULL)
				v += (float)also.at[j];
			/* Round to T, as the ReLU's input was. */
			if ((MASK == MASK_OUTPUT && !((float)out.at[j] > 0)) ||
			    (MASK == MASK_NORM &&
				!((float)(T)(one * scale[j] + shift[j]) > 0)))
				v = 0;
			d.at[j] = (T)v;
			v = (float)d.at[j];
			sums[0][j] += v * (one - mean[j]);
			sums[1][j] += v;
			if (TWO)
				sums[1 + TWO][j] +=
				    v * ((float)in2.at[j] - mean2[j]);
		}
		if (to != NULL)
			store_lanes<T, N>(to, i, d);
	}
	load_columns<N>(first.invstd, own, mean);
	if (TWO)
		load_columns<N>(second.invstd, own, mean2);
	for (int j = 0; j < N; j++) {
		sums[0][j] *= mean[j];
		if (TWO)
			sums[1 + TWO][j] *= mean2[j];
	}
	finish_part<2 + TWO, N>(sums, c, channels, scratch);
}

template <typename T, int N, int TWO>
static void
reduce_masked(cudaStream_t s, const struct norm_reduce *r, size_t rows, int c,
    float *scratch)
{
	const struct norm_vectors second = TWO ? *r->second : *r->first;
	const dim3 grid = reduction_grid(rows, c / N);
	const dim3 block = row_block(c / N);

	if (r->y != NULL)
		LAUNCH(grid, block, s,
		    (mask_and_reduce<T, N, MASK_OUTPUT, TWO>), *r, *r->first,
		    second, rows, c, scratch);
	else if (r->relu)
		LAUNCH(grid, block, s, (mask_and_reduce<T, N, MASK_NORM, TWO>),
		    *r, *r->first, second, rows, c, scratch);
	else
		LAUNCH(grid, block, s, (mask_and_reduce<T, N, MASK_NONE, TWO>),
		    *r, *r->first, second, rows, c, scratch);
}

void
kernel_norm_reduce(cudaStream_t s, enum dtype t, const struct norm_reduce *r,
    size_t rows, int c, float *scratch)
{
	const outs<2> one = { { r->gamma[0], r->beta[0] } };
	const outs<3> two = { { r->gamma[0], r->beta[0], r->gamma[1] } };

	if (r->x2 == NULL) {
		WITH_LANES(
		    t, c, (reduce_masked<T, N, 0>(s, r, rows, c, scratch));
		    add_all_parts<2>(s, scratch, rows, c / N, c, one));
		return;
	}
	WITH_LANES(t, c, (reduce_masked<T, N, 1>(s, r, rows, c, scratch));
		   add_all_parts<3>(s, scratch, rows, c / N, c, two));
	(void)cudaMemcpyAsync(r->beta[1], r->beta[0], (size_t)c * sizeof(float),
	    cudaMemcpyDeviceToDevice, s);
}

/* --- normalisation ------------------------------------------------------- */

/* Compute scale and shift of N channels, starting at c. If keep is 1, store all
 * vectors and update the running statistics. The small difference in d is
 * computed in fp64. */
template <int N>
static __device__ inline void
finish_norm(const struct norm_vectors &v, int train, int c, int keep,
    float *scale, float *shift)
{
	const double by = 1 / v.count;
	float sum[N], squares[N], gamma[N], beta[N];

	load_columns<N>(v.sum, c, sum);
	load_columns<N>(v.squares, c, squares);
	load_columns<N>(v.gamma, c, gamma);
	load_columns<N>(v.beta, c, beta);
	for (int j = 0; j < N; j++) {
		float *const mean = v.running_mean + c + j;
		float *const var = v.running_var + c + j;
		const double m = train ? sum[j] * by : *mean;
		double d = train ? squares[j] * by - m * m : *var;
		float invstd;

		d = d > 0 ? d : 0;
		invstd = 1 / sqrtf((float)(d + 1e-5));
		scale[j] = gamma[j] * invstd;
		shift[j] = (float)(beta[j] - m * scale[j]);
		if (!keep)
			continue;
		v.mean[c + j] = (float)m;
		v.invstd[c + j] = invstd;
		v.scale[c + j] = scale[j];
		v.shift[c + j] = shift[j];
		if (!train)
			continue;
		*mean = (float)(0.9 * *mean + 0.1 * m);
		*var = (float)(0.9 * *var + 0.1 * d / (1 - by));
	}
}

static __global__ void
norm_finish(int train, int channels, struct norm_vectors v)
{
	const int c = blockIdx.x * blockDim.x + threadIdx.x;
	float scale, shift;

	if (c < channels)
		finish_norm<1>(v, train, c, 1, &scale, &shift);
}

void
kernel_norm_finish(
    cudaStream_t s, int train, int c, const struct norm_vectors *v)
{
	LAUNCH(blocks(c), BLOCK, s, norm_finish, train, c, *v);
}

/* The first threads, one for each piece of channels, store the vectors. */
template <typename T, int N>
static __global__ void
__launch_bounds__(BLOCK, 4) norm_apply(const T *__restrict__ x,
    struct norm_vectors a, const T *__restrict__ z, struct norm_vectors b,
    int normed, int train, size_t n, int per, int relu, T *__restrict__ y)
{
	const int c = (int)(first_piece() % per) * N;
	const int keep = first_piece() < (size_t)per;
	float scale[N], shift[N], scale2[N], shift2[N];

	finish_norm<N>(a, train, c, keep, scale, shift);
	if (normed)
		finish_norm<N>(b, train, c, keep, scale2, shift2);
	for (int j = 0; j < N && !normed; j++) {
		scale2[j] = 1;
		shift2[j] = 0;
	}
	UNROLL(2)
	for (size_t i = first_piece(); i < n; i += piece_step()) {
		const lanes<T, N> in = load_lanes<T, N>(x, i);
		lanes<T, N> also, out;

		if (z != NULL)
			also = load_lanes<T, N>(z, i);
		for (int j = 0; j < N; j++) {
			float v = (float)in.at[j] * scale[j] + shift[j];

			if (z != NULL)
				v += (float)also.at[j] * scale2[j] + shift2[j];
			out.at[j] = (T)(relu && v < 0 ? 0 : v);
		}
		store_lanes<T, N>(y, i, out);
	}
}

void
kernel_norm_apply(cudaStream_t s, enum dtype t, const void *x,
    const struct norm_vectors *first, const void *z,
    const struct norm_vectors *second, int train, size_t rows, int c, int relu,
    void *y)
{
	const struct norm_vectors b = second != NULL ? *second : *first;

	WITH_LANES(t, c,
	    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s,
		(norm_apply<T, N>), (const T *)x, *first, (const T *)z, b,
		second != NULL, train, rows * (c / N), c / N, relu, (T *)y));
}

/* Gradient of one input, or of two that were normalised and added. */
template <typename T, int N, int TWO>
static __global__ void
norm_back(const T *__restrict__ dy, struct norm_back first,
    struct norm_back second, float by, size_t n, int per)
{
	const T *const __restrict__ x = (const T *)first.x;
	const T *const __restrict__ x2 = (const T *)second.x;
	T *const __restrict__ dx = (T *)first.dx;
	T *const __restrict__ dx2 = (T *)second.dx;
	const int c = (int)(first_piece() % per) * N;
	norm_equation<N> q[1 + TWO];

	q[0].find(first, by, c);
	if (TWO)
		q[TWO].find(second, by, c);
	UNROLL(2)
	for (size_t i = first_piece(); i < n; i += piece_step()) {
		const lanes<T, N> d = load_lanes<T, N>(dy, i);
		const lanes<T, N> in = load_lanes<T, N>(x, i);
		lanes<T, N> in2, out;

		if (TWO)
			in2 = load_lanes<T, N>(x2, i);
		for (int j = 0; j < N; j++)
			out.at[j] =
			    (T)q[0].at((float)d.at[j], (float)in.at[j], j);
		store_lanes<T, N>(dx, i, out);
		for (int j = 0; TWO && j < N; j++)
			out.at[j] =
			    (T)q[TWO].at((float)d.at[j], (float)in2.at[j], j);
		if (TWO)
			store_lanes<T, N>(dx2, i, out);
	}
}

void
kernel_norm_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct norm_back *first, const struct norm_back *second, int train,
    size_t rows, int c)
{
	const float by = train ? (float)(1 / first->v.count) : 0;

	if (second == NULL)
		WITH_LANES(t, c,
		    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s,
			(norm_back<T, N, 0>), (const T *)dy, *first, *first, by,
			rows * (c / N), c / N));
	else
		WITH_LANES(t, c,
		    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s,
			(norm_back<T, N, 1>), (const T *)dy, *first, *second,
			by, rows * (c / N), c / N));
}

cudaError_t
kernel_check(void)
{
	struct cudaFuncAttributes ignored;

	return cudaFuncGetAttributes(&ignored, (const void *)norm_finish);
}

/* --- random values ------------------------------------------------------- */

/* 2654435761 is a prime near 2^32 times the golden ratio (Knuth, volume 3,
 * section 6.4): its upper bits look random. */
static __global__ void
fill_random(uint16_t *x, size_t n)
{
	for (EACH(i, n)) {
		const uint32_t r = (uint32_t)i * 2654435761u >> 16;

		x[i] = (uint16_t)(0x3800 | (r & 0x83ff));
	}
}

void
kernel_fill_random(cudaStream_t s, void *x, size_t bytes)
{
	const size_t n = bytes / sizeof(uint16_t);

	if (n > 0)
		LAUNCH(blocks(n), BLOCK, s, fill_random, (uint16_t *)x, n);
}

/* --- element by element -------------------------------------------------- */

template <typename T, int N>
static __global__ void
bias(T *x, const float *b, size_t n, int per, int relu)
{
	const int c = (int)(first_piece() % per) * N;
	float added[N];

	for (int j = 0; j < N; j++)
		added[j] = b[c + j];
	for (size_t i = first_piece(); i < n; i += piece_step()) {
		lanes<T, N> v = load_lanes<T, N>(x, i);

		for (int j = 0; j < N; j++) {
			const float one = (float)v.at[j] + added[j];

			v.at[j] = (T)(relu && one < 0 ? 0 : one);
		}
		store_lanes<T, N>(x, i, v);
	}
}

void
kernel_bias(cudaStream_t s, enum dtype t, void *x, const float *b, size_t rows,
    int c, int relu)
{
	WITH_LANES(t, c,
	    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s, (bias<T, N>),
		(T *)x, b, rows * (c / N), c / N, relu));
}

template <typename T, int N>
static __global__ void
sum(const T *x, const T *z, size_t n, int relu, T *y)
{
	for (EACH(i, n)) {
		lanes<T, N> v = load_lanes<T, N>(x, i), also;

		if (z != NULL)
			also = load_lanes<T, N>(z, i);
		for (int j = 0; j < N; j++) {
			const float one = (float)v.at[j] +
			    (z != NULL ? (float)also.at[j] : 0);

			v.at[j] = (T)(relu && one < 0 ? 0 : one);
		}
		store_lanes<T, N>(y, i, v);
	}
}

void
kernel_sum(cudaStream_t s, enum dtype t, const void *x, const void *z, size_t n,
    int relu, void *y)
{
	WITH_LANES(t, n,
	    LAUNCH(blocks(n / N), BLOCK, s, (sum<T, N>), (const T *)x,
		(const T *)z, n / N, relu, (T *)y));
}

template <typename T, int N>
static __global__ void
relu_back(const T *dy, const T *y, size_t n, T *dx)
{
	for (EACH(i, n)) {
		const lanes<T, N> v = load_lanes<T, N>(y, i);
		lanes<T, N> d = load_lanes<T, N>(dy, i);

		for (int j = 0; j < N; j++)
			if (!((float)v.at[j] > 0))
				d.at[j] = (T)0.0f;
		store_lanes<T, N>(dx, i, d);
	}
}

void
kernel_relu_back(cudaStream_t s, enum dtype t, const void *dy, const void *y,
    size_t n, void *dx)
{
	WITH_LANES(t, n,
	    LAUNCH(blocks(n / N), BLOCK, s, (relu_back<T, N>), (const T *)dy,
		(const T *)y, n / N, (T *)dx));
}
