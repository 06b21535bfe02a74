/* Pooling kernels; forward optionally with the preceding ReLU and normalisation
 * or bias. A row is a pixel; a thread handles a piece of N channels of each of
 * its rows. In kernels, c of struct pool_window is the number of pieces. */
#include "trainer/device/cuda/kernels_common.cuh"

struct pixel {
	int image, y, x;
};

/* Pixel r of images of (h, w). There must be fewer than 2^32 pixels. */
static __device__ inline struct pixel
pixel_of(size_t r, int h, int w)
{
	const unsigned line = (unsigned)r / w;

	return { (int)(line / h), (int)(line % h), (int)((unsigned)r % w) };
}

static __device__ inline size_t
index_of(int image, int y, int x, int c, int h, int w, int channels)
{
	return (((size_t)image * h + y) * w + x) * channels + c;
}

static size_t
inputs(const struct pool_window *w)
{
	return (size_t)w->batch * w->h * w->w;
}

static size_t
outputs(const struct pool_window *w)
{
	return (size_t)w->batch * w->p * w->q;
}

static struct pool_window
in_pieces(const struct pool_window *w, int n)
{
	struct pool_window r = *w;

	r.c /= n;
	return r;
}

static dim3
row_grid(size_t rows, size_t per)
{
	const unsigned n = grid_lanes(per);
	const size_t y = (rows + BLOCK / n - 1) / (BLOCK / n);

	return dim3(
	    (unsigned)((per + n - 1) / n), (unsigned)(y < 65535 ? y : 65535));
}

/* Piece of channels of this thread, and loop over its rows. */
#define PIECE ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define EACH_PIXEL(r, rows) EACH_ROW(r, PIECE < w.c ? (rows) : 0)

/* Launch a kernel for rows of w->c channels. */
#define LAUNCH_ROWS(rows, kernel, ...) \
	WITH_LANES(t, w->c, \
	    LAUNCH(row_grid(rows, w->c / N), row_block(w->c / N), s, kernel, \
		__VA_ARGS__))

/* Sizes of the usual windows as constants, so that loops are unrolled and
 * nothing is divided. */
template <int K>
static __device__ inline void
use_constants(struct pool_window &w)
{
	if (K == 0)
		return;
	w.kernel = K;
	w.stride = 2;
	w.pad = K - 2;
}

#define LAUNCH_WINDOWS(rows, f, ...) \
	do { \
		const int usual = w->stride == 2 && w->pad == w->kernel - 2; \
		if (usual && w->kernel == 3) \
			LAUNCH_ROWS(rows, (f<T, N, 3>), __VA_ARGS__); \
		else if (usual && w->kernel == 2) \
			LAUNCH_ROWS(rows, (f<T, N, 2>), __VA_ARGS__); \
		else \
			LAUNCH_ROWS(rows, (f<T, N, 0>), __VA_ARGS__); \
	} while (0)

/* --- largest ------------------------------------------------------------- */

/* Maximum of x or, if shift is given, of relu(x * scale + shift), which is at
 * the largest x, or at the smallest if scale is negative. The place of such a
 * maximum of 0 is POOL_NOWHERE, since no gradient passes. */
template <typename T, int N, int K>
static __global__ void
maxpool(const T *__restrict__ x, const float *scale, const float *shift,
    struct pool_window w, size_t rows, T *__restrict__ y,
    uint8_t *__restrict__ places)
{
	float by[N], plus[N] = {}, sign[N];

	use_constants<K>(w);
	for (int j = 0; j < N; j++)
		by[j] = 1;
	if (scale != NULL && PIECE < w.c)
		load_columns<N>(scale, PIECE * N, by);
	if (shift != NULL && PIECE < w.c)
		load_columns<N>(shift, PIECE * N, plus);
	for (int j = 0; j < N; j++)
		sign[j] = by[j] < 0 ? -1 : by[j] > 0 ? 1 : 0;
	for (EACH_PIXEL(r, rows)) {
		const struct pixel o = pixel_of(r, w.p, w.q);
		float best[N] = {};
		lanes<T, N> out;
		lanes<uint8_t, N> where = {};
		int seen = 0;

		UNROLL(9)
		for (int k = 0; k < w.kernel * w.kernel; k++) {
			const int row = o.y * w.stride - w.pad + k / w.kernel;
			const int column =
			    o.x * w.stride - w.pad + k % w.kernel;
			lanes<T, N> v;

			if (row < 0 || row >= w.h || column < 0 ||
			    column >= w.w)
				continue;
			v = load_lanes<T, N>(x,
			    index_of(
				o.image, row, column, PIECE, w.h, w.w, w.c));
			for (int j = 0; j < N; j++) {
				const float one = (float)v.at[j] * sign[j];

				if (seen && !(one > best[j]) && one == one)
					continue;
				best[j] = one;
				where.at[j] = (uint8_t)k;
			}
			seen = 1;
		}
		for (int j = 0; j < N; j++) {
			const float v = best[j] * sign[j] * by[j] + plus[j];

			out.at[j] = (T)(shift != NULL && v < 0 ? 0 : v);
			if (shift != NULL && !((float)out.at[j] > 0))
				where.at[j] = POOL_NOWHERE;
		}
		store_lanes<T, N>(y, r * w.c + PIECE, out);
		store_lanes<uint8_t, N>(places, r * w.c + PIECE, where);
	}
}

void
kernel_maxpool(cudaStream_t s, enum dtype t, const void *x, const float *scale,
    const float *shift, const struct pool_window *w, void *y, uint8_t *places)
{
	LAUNCH_WINDOWS(outputs(w), maxpool, (const T *)x, scale, shift,
	    in_pieces(w, N), outputs(w), (T *)y, places);
}

/* First and last window that contain coordinate y. */
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

/* Each input sums the gradients of the windows of which it is the maximum. */
template <typename T, int N, int K>
static __global__ void
maxpool_back(struct pool_gradient g, struct pool_window w, size_t rows,
    T *__restrict__ dx)
{
	use_constants<K>(w);
	for (EACH_PIXEL(r, rows)) {
		const struct pixel o = pixel_of(r, w.h, w.w);
		const int p1 = last_window(o.y, w, w.p);
		const int q1 = last_window(o.x, w, w.q);
		float sum[N] = {};
		lanes<T, N> out;

		for (int p = first_window(o.y, w); p <= p1; p++)
			for (int q = first_window(o.x, w); q <= q1; q++) {
				const int k =
				    (o.y + w.pad - p * w.stride) * w.kernel +
				    o.x + w.pad - q * w.stride;
				const size_t at = index_of(
				    o.image, p, q, PIECE, w.p, w.q, w.c);
				const lanes<uint8_t, N> where =
				    load_lanes<uint8_t, N>(g.places, at);
				const lanes<T, N> d =
				    load_lanes<T, N>((const T *)g.dy, at);
				lanes<T, N> also = {};

				if (g.dy2 != NULL)
					also = load_lanes<T, N>(
					    (const T *)g.dy2, at);
				for (int j = 0; j < N; j++)
					if (where.at[j] == k)
						sum[j] += (float)d.at[j] +
						    (float)also.at[j];
			}
		for (int j = 0; j < N; j++)
			out.at[j] = (T)sum[j];
		store_lanes<T, N>(dx, r * w.c + PIECE, out);
	}
}

void
kernel_maxpool_back(cudaStream_t s, enum dtype t, const struct pool_gradient *g,
    const struct pool_window *w, void *dx)
{
	LAUNCH_WINDOWS(
	    inputs(w), maxpool_back, *g, in_pieces(w, N), inputs(w), (T *)dx);
}

/* --- means --------------------------------------------------------------- */

/* Window of output coordinate p, as in torch.nn.AdaptiveAvgPool2d. */
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

template <typename T, int N>
static __global__ void
avgpool(const T *__restrict__ x, struct pool_window w, size_t rows,
    T *__restrict__ y)
{
	for (EACH_PIXEL(i, rows)) {
		const struct pixel o = pixel_of(i, w.p, w.q);
		const int r0 = adaptive_from(o.y, w.h, w.p);
		const int r1 = adaptive_to(o.y, w.h, w.p);
		const int c0 = adaptive_from(o.x, w.w, w.q);
		const int c1 = adaptive_to(o.x, w.w, w.q);
		float sums[N] = {};
		lanes<T, N> v;

		for (int r = r0; r < r1; r++)
			for (int c = c0; c < c1; c++) {
				v = load_lanes<T, N>(x,
				    index_of(
					o.image, r, c, PIECE, w.h, w.w, w.c));
				for (int j = 0; j < N; j++)
					sums[j] += (float)v.at[j];
			}
		for (int j = 0; j < N; j++)
			v.at[j] = (T)(sums[j] / ((r1 - r0) * (c1 - c0)));
		store_lanes<T, N>(y, i * w.c + PIECE, v);
	}
}

void
kernel_avgpool(cudaStream_t s, enum dtype t, const void *x,
    const struct pool_window *w, void *y)
{
	LAUNCH_ROWS(outputs(w), (avgpool<T, N>), (const T *)x, in_pieces(w, N),
	    outputs(w), (T *)y);
}

template <typename T, int N>
static __global__ void
avgpool_back(const T *__restrict__ dy, struct pool_window w, size_t rows,
    T *__restrict__ dx)
{
	for (EACH_PIXEL(i, rows)) {
		const struct pixel o = pixel_of(i, w.h, w.w);
		const int p0 = o.y * w.p / w.h, q0 = o.x * w.q / w.w;
		float sums[N] = {};
		lanes<T, N> v;

		/* Windows before p0 end before o.y. */
		for (int p = p0; p < w.p && adaptive_from(p, w.h, w.p) <= o.y;
		     p++)
			for (int q = q0;
			     q < w.q && adaptive_from(q, w.w, w.q) <= o.x;
			     q++) {
				const int rows = adaptive_to(p, w.h, w.p) -
				    adaptive_from(p, w.h, w.p);
				const int columns = adaptive_to(q, w.w, w.q) -
				    adaptive_from(q, w.w, w.q);

				v = load_lanes<T, N>(dy,
				    index_of(
					o.image, p, q, PIECE, w.p, w.q, w.c));
				for (int j = 0; j < N; j++)
					sums[j] +=
					    (float)v.at[j] / (rows * columns);
			}
		for (int j = 0; j < N; j++)
			v.at[j] = (T)sums[j];
		store_lanes<T, N>(dx, i * w.c + PIECE, v);
	}
}

void
kernel_avgpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct pool_window *w, void *dx)
{
	LAUNCH_ROWS(inputs(w), (avgpool_back<T, N>), (const T *)dy,
	    in_pieces(w, N), inputs(w), (T *)dx);
}
