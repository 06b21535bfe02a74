/* Kernels of normalisations, and element by element. */
#include "trainer/device/cuda/kernels_common.cuh"

/* --- reductions over rows ------------------------------------------------
 *
 * A block takes some channels and a share of the rows; its partial sums go to
 * scratch, [part][k][c], and are added up in order. */

enum { ROWS = 8 };

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

/* The sum of x over the threads of the same threadIdx.x, in order; for those
 * of row 0. */
static __device__ double
over_rows(double x)
{
	__shared__ double shared[BLOCK];
	const unsigned lane = threadIdx.x;
	double sum = 0;

	__syncthreads();
	shared[threadIdx.y * blockDim.x + lane] = x;
	__syncthreads();
	for (unsigned r = 0; threadIdx.y == 0 && r < blockDim.y; r++)
		sum += shared[r * blockDim.x + lane];
	return sum;
}

/* Add K sums of N channels from c on; row 0 writes them. */
template <int K, int N>
static __device__ void
finish_part(const double (*sums)[N], int c, int channels, float *scratch)
{
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++) {
			const double sum = over_rows(sums[k][j]);

			if (threadIdx.y == 0 && c < channels)
				scratch[((size_t)blockIdx.y * K + k) *
					channels +
				    c + j] = (float)sum;
		}
}

/* out[k][c] = the sum over parts; outs that are NULL are skipped. */
template <int K> struct outs {
	float *at[K];
};

enum { PART_LANES = 32 };

template <int K>
static __global__ void
add_parts(const float *scratch, unsigned parts, int channels, outs<K> out)
{
	const int c = blockIdx.x * PART_LANES + threadIdx.x;

	for (int k = 0; k < K; k++) {
		double sum = 0;

		for (unsigned p = threadIdx.y; p < parts && c < channels;
		     p += blockDim.y)
			sum += scratch[((size_t)p * K + k) * channels + c];
		sum = over_rows(sum);
		if (threadIdx.y == 0 && c < channels && out.at[k] != NULL)
			out.at[k][c] = (float)sum;
	}
}

template <int K>
static void
add_all_parts(
    cudaStream_t s, const float *scratch, size_t rows, int c, outs<K> out)
{
	LAUNCH((unsigned)((c + PART_LANES - 1) / PART_LANES),
	    dim3(PART_LANES, BLOCK / PART_LANES), s, add_parts<K>, scratch,
	    parts_of(rows), c, out);
}

/* Rows that a thread of a reduction takes. */
#define EACH_ROW(r, rows) \
	size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y; \
	r < (rows); \
	r += (size_t)gridDim.y * blockDim.y

template <typename T, int K, int N>
static __global__ void
sum_rows(const T *x, size_t rows, int channels, float *scratch)
{
	const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x) * N;
	double sums[K][N] = {};

	for (EACH_ROW(r, c < channels ? rows : 0)) {
		const lanes<T, N> v =
		    load_lanes<T, N>(x, (r * channels + c) / N);

		for (int j = 0; j < N; j++) {
			const double one = (float)v.at[j];

			sums[0][j] += one;
			if (K > 1)
				sums[K - 1][j] += one * one;
		}
	}
	finish_part<K, N>(sums, c, channels, scratch);
}

/* Blocks and threads for rows of per pieces. */
static dim3
reduction_grid(size_t rows, size_t per)
{
	const unsigned n = grid_lanes(per);

	return dim3((unsigned)((per + n - 1) / n), parts_of(rows));
}

static dim3
reduction_block(size_t per)
{
	const unsigned n = grid_lanes(per);

	return dim3(n, BLOCK / n);
}

void
kernel_bias_grad(cudaStream_t s, enum dtype t, const void *dy, size_t rows,
    int c, float *scratch, float *grad)
{
	const outs<1> out = { { grad } };

	WITH_LANES(t, c,
	    LAUNCH(reduction_grid(rows, c / N), reduction_block(c / N), s,
		(sum_rows<T, 1, N>), (const T *)dy, rows, c, scratch));
	add_all_parts<1>(s, scratch, rows, c, out);
}

void
kernel_norm_sums(cudaStream_t s, enum dtype t, const void *x, size_t rows,
    int c, float *scratch, const struct norm_vectors *v)
{
	const outs<2> out = { { v->sum, v->squares } };

	WITH_LANES(t, c,
	    LAUNCH(reduction_grid(rows, c / N), reduction_block(c / N), s,
		(sum_rows<T, 2, N>), (const T *)x, rows, c, scratch));
	add_all_parts<2>(s, scratch, rows, c, out);
}

/* What a thread of mask_and_reduce() needs of its channels. */
template <int N> struct reduce_columns {
	float scale[N], shift[N], mean[N], invstd[N], mean2[N], invstd2[N];
};

template <typename T, int N>
static __device__ inline void
mask_and_reduce_piece(const struct norm_reduce &r, const reduce_columns<N> &v,
    size_t i, double (*sums)[N])
{
	const lanes<T, N> x = load_lanes<T, N>((const T *)r.x, i);
	const lanes<T, N> dy = load_lanes<T, N>((const T *)r.dy, i);
	lanes<T, N> dy2, y, x2, out;

	if (r.dy2 != NULL)
		dy2 = load_lanes<T, N>((const T *)r.dy2, i);
	if (r.y != NULL)
		y = load_lanes<T, N>((const T *)r.y, i);
	if (r.x2 != NULL)
		x2 = load_lanes<T, N>((const T *)r.x2, i);
	for (int j = 0; j < N; j++) {
		const float one = (float)x.at[j];
		const float above = r.y != NULL ? (float)y.at[j]
						: one * v.scale[j] + v.shift[j];
		float d = (float)dy.at[j];

		if (r.dy2 != NULL)
			d += (float)dy2.at[j];
		if (r.relu && !(above > 0))
			d = 0;
		out.at[j] = (T)d;
		if (r.out != NULL)
			d = (float)out.at[j];
		sums[0][j] += (double)d * (one - v.mean[j]) * v.invstd[j];
		sums[1][j] += d;
		if (r.x2 != NULL)
			sums[2][j] += (double)d *
			    ((float)x2.at[j] - v.mean2[j]) * v.invstd2[j];
	}
	if (r.out != NULL)
		store_lanes<T, N>((T *)r.out, i, out);
}

template <typename T, int N>
static __global__ void
mask_and_reduce(struct norm_reduce r, struct norm_vectors first,
    struct norm_vectors second, size_t rows, int channels, float *scratch)
{
	const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x) * N;
	double sums[3][N] = {};
	reduce_columns<N> v;

	for (int j = 0; j < N && c < channels; j++) {
		v.scale[j] = first.scale[c + j];
		v.shift[j] = first.shift[c + j];
		v.mean[j] = first.mean[c + j];
		v.invstd[j] = first.invstd[c + j];
		v.mean2[j] = second.mean[c + j];
		v.invstd2[j] = second.invstd[c + j];
	}
	for (EACH_ROW(row, c < channels ? rows : 0))
		mask_and_reduce_piece<T, N>(
		    r, v, (row * channels + c) / N, sums);
	finish_part<3, N>(sums, c, channels, scratch);
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

	WITH_LANES(t, c,
	    LAUNCH(reduction_grid(rows, c / N), reduction_block(c / N), s,
		(mask_and_reduce<T, N>), *r, *r->first, second, rows, c,
		scratch));
	add_all_parts<3>(s, scratch, rows, c, out);
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

template <typename T, int N>
static __global__ void
norm_apply(const T *x, struct norm_vectors a, const T *z, struct norm_vectors b,
    int normed, size_t n, int per, int relu, T *y)
{
	const int c = (int)(first_piece() % per) * N;
	float scale[N], shift[N], scale2[N], shift2[N];

	for (int j = 0; j < N; j++) {
		scale[j] = a.scale[c + j];
		shift[j] = a.shift[c + j];
		scale2[j] = normed ? b.scale[c + j] : 1;
		shift2[j] = normed ? b.shift[c + j] : 0;
	}
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
    const struct norm_vectors *second, size_t rows, int c, int relu, void *y)
{
	const struct norm_vectors b = second != NULL ? *second : *first;

	WITH_LANES(t, c,
	    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s,
		(norm_apply<T, N>), (const T *)x, *first, (const T *)z, b,
		second != NULL, rows * (c / N), c / N, relu, (T *)y));
}

template <typename T, int N>
static __global__ void
norm_back(const T *dy, const T *x, struct norm_vectors v, const float *gamma,
    const float *gamma_grad, const float *beta_grad, float by, size_t n,
    int per, T *dx)
{
	const int c = (int)(first_piece() % per) * N;
	float scale[N], mean[N], slope[N], base[N];

	for (int j = 0; j < N; j++) {
		scale[j] = v.invstd[c + j] * gamma[c + j];
		mean[j] = v.mean[c + j];
		slope[j] = by * gamma_grad[c + j] * v.invstd[c + j];
		base[j] = by * beta_grad[c + j];
	}
	for (size_t i = first_piece(); i < n; i += piece_step()) {
		const lanes<T, N> d = load_lanes<T, N>(dy, i);
		const lanes<T, N> in = load_lanes<T, N>(x, i);
		lanes<T, N> out;

		for (int j = 0; j < N; j++)
			out.at[j] =
			    (T)(((float)d.at[j] - base[j] -
				    slope[j] * ((float)in.at[j] - mean[j])) *
				scale[j]);
		store_lanes<T, N>(dx, i, out);
	}
}

void
kernel_norm_back(cudaStream_t s, enum dtype t, const void *dy, const void *x,
    const struct norm_vectors *v, const float *gamma, const float *gamma_grad,
    const float *beta_grad, int train, double count, size_t rows, int c,
    void *dx)
{
	const float by = train ? (float)(1 / count) : 0;

	WITH_LANES(t, c,
	    LAUNCH(grid_blocks(rows * (c / N), c / N), BLOCK, s,
		(norm_back<T, N>), (const T *)dy, (const T *)x, *v, gamma,
		gamma_grad, beta_grad, by, rows * (c / N), c / N, (T *)dx));
}

cudaError_t
kernel_check(void)
{
	struct cudaFuncAttributes ignored;

	return cudaFuncGetAttributes(&ignored, (const void *)copy_vector);
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
