/* Kernels of pooling, alone and with the normalisation or the bias and the ReLU
 * before it.  A row is a pixel; a thread takes a piece of N channels of each of
 * its rows.  In kernels pool_window.c counts pieces. */
#include "trainer/device/cuda/kernels_reduce.cuh"

struct pixel {
	int image, y, x;
};

/* Pixel r of images of (h, w); there are fewer than 2^32 pixels. */
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

/* The piece of channels of this thread; the loop over its rows. */
#define PIECE ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define EACH_PIXEL(r, rows) EACH_ROW(r, PIECE < w.c ? (rows) : 0)

/* Launch a kernel for all rows of w->c channels. */
#define LAUNCH_ROWS(rows, kernel, ...) \
	WITH_LANES(t, w->c, \
	    LAUNCH(row_grid(rows, w->c / N), reduction_block(w->c / N), s, \
		kernel, __VA_ARGS__))

/* N elements of the windows' gradient, dy + dy2. */
template <typename T, int N>
static __device__ inline void
load_gradient(const struct pool_gradient &g, size_t at, float *d)
{
	const lanes<T, N> one = load_lanes<T, N>((const T *)g.dy, at);
	lanes<T, N> two;

	if (g.dy2 != NULL)
		two = load_lanes<T, N>((const T *)g.dy2, at);
	for (int j = 0; j < N; j++) {
		d[j] = (float)one.at[j];
		if (g.dy2 != NULL)
			d[j] += (float)two.at[j];
	}
}

/* --- largest ------------------------------------------------------------- */

/* Largest of x, or with shift of relu(x * scale + shift): where scale is not
 * negative the largest x makes that, else the smallest.  A largest of 0 then
 * has POOL_NOWHERE: no gradient goes through. */
template <typename T, int N>
static __global__ void
maxpool(const T *__restrict__ x, const float *scale, const float *shift,
    struct pool_window w, size_t rows, T *__restrict__ y,
    uint8_t *__restrict__ places)
{
	float by[N], plus[N] = {}, sign[N];

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
	LAUNCH_ROWS(outputs(w), (maxpool<T, N>), (const T *)x, scale, shift,
	    in_pieces(w, N), outputs(w), (T *)y, places);
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

/* What becomes of an input's gradient: it is kept; kept, and its sum over rows
 * found; or it goes on through the normalisation that made the input. */
enum pool_back { BACK_PLAIN, BACK_BIAS, BACK_NORM };

/* Each input adds up the gradients of the windows whose largest it was. */
template <typename T, int N, int BACK>
static __global__ void
maxpool_back(struct pool_gradient g, struct pool_window w, size_t rows,
    struct norm_back norm, float by, T *__restrict__ dx, float *scratch)
{
	float sums[1][N] = {};
	norm_equation<N> equation;

	if (BACK == BACK_NORM)
		equation.find(norm, by, PIECE < w.c ? PIECE * N : 0);
	for (EACH_PIXEL(r, rows)) {
		const struct pixel o = pixel_of(r, w.h, w.w);
		const int p1 = last_window(o.y, w, w.p);
		const int q1 = last_window(o.x, w, w.q);
		float sum[N] = {};
		lanes<T, N> x, out;

		if (BACK == BACK_NORM)
			x = load_lanes<T, N>(
			    (const T *)norm.x, r * w.c + PIECE);
		for (int p = first_window(o.y, w); p <= p1; p++)
			for (int q = first_window(o.x, w); q <= q1; q++) {
				const int k =
				    (o.y + w.pad - p * w.stride) * w.kernel +
				    o.x + w.pad - q * w.stride;
				const size_t at = index_of(
				    o.image, p, q, PIECE, w.p, w.q, w.c);
				const lanes<uint8_t, N> where =
				    load_lanes<uint8_t, N>(g.places, at);
				float d[N];

				load_gradient<T, N>(g, at, d);
				for (int j = 0; j < N; j++)
					if (where.at[j] == k)
						sum[j] += d[j];
			}
		for (int j = 0; j < N; j++) {
			sums[0][j] += sum[j];
			out.at[j] = (T)(BACK == BACK_NORM
				? equation.at(sum[j], (float)x.at[j], j)
				: sum[j]);
		}
		store_lanes<T, N>(dx, r * w.c + PIECE, out);
	}
	if (BACK == BACK_BIAS)
		finish_part<1, N>(sums, PIECE * N, w.c * N, scratch);
}

void
kernel_maxpool_back(cudaStream_t s, enum dtype t, const struct pool_gradient *g,
    const struct pool_window *w, void *dx)
{
	const struct norm_back none = {};

	LAUNCH_ROWS(inputs(w), (maxpool_back<T, N, BACK_PLAIN>), *g,
	    in_pieces(w, N), inputs(w), none, 0, (T *)dx, (float *)NULL);
}

void
kernel_maxpool_bias_grad(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, float *scratch,
    float *grad, void *dx)
{
	const struct norm_back none = {};
	const outs<1> out = { { grad } };

	WITH_LANES(
	    t, w->c,
	    LAUNCH(reduction_grid(inputs(w), w->c / N),
		reduction_block(w->c / N), s, (maxpool_back<T, N, BACK_BIAS>),
		*g, in_pieces(w, N), inputs(w), none, 0, (T *)dx, scratch);
	    add_all_parts<1>(s, scratch, inputs(w), w->c / N, w->c, out));
}

void
kernel_maxpool_norm_back(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w,
    const struct norm_back *norm, int train, double count)
{
	const float by = train ? (float)(1 / count) : 0;

	LAUNCH_ROWS(inputs(w), (maxpool_back<T, N, BACK_NORM>), *g,
	    in_pieces(w, N), inputs(w), *norm, by, (T *)norm->dx,
	    (float *)NULL);
}

/* Add to sums the gradient of the windows of channel c times the input that was
 * the largest, less the mean, row by row as maxpool_reduce() does. */
template <typename T>
static __device__ float
sum_of_inputs(const struct pool_gradient &g, const struct pool_window &w,
    size_t rows, const T *__restrict__ x, int c, int channels, float mean)
{
	const T *const dy = (const T *)g.dy, *const dy2 = (const T *)g.dy2;
	float sum = 0;

	for (EACH_ROW(r, rows)) {
		const struct pixel o = pixel_of(r, w.p, w.q);
		const size_t at = r * channels + c;
		const int t = g.places[at];
		size_t from;

		if (t == POOL_NOWHERE)
			continue;
		from = index_of(o.image, o.y * w.stride - w.pad + t / w.kernel,
		    o.x * w.stride - w.pad + t % w.kernel, c, w.h, w.w,
		    channels);
		sum += ((float)dy[at] + (dy2 != NULL ? (float)dy2[at] : 0)) *
		    ((float)x[from] - mean);
	}
	return sum;
}

/* Sums over outputs, a quarter of the inputs, of the gradient d times the
 * normalised input that was the largest, and of d.  The output is
 * y = gamma * normalised + beta wherever d counts, so that
 *
 *	normalised = (y - beta) / gamma,
 *
 * off by the rounding of y over gamma, which is about that of one value of the
 * input where |beta| <= 4 |gamma|.  Channels where it is not read the input. */
template <typename T, int N>
static __global__ void
__launch_bounds__(BLOCK, 4) maxpool_reduce(struct pool_gradient g,
    struct pool_window w, size_t rows, const T *__restrict__ x,
    const T *__restrict__ y, struct norm_vectors v, float *scratch)
{
	const int piece = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int own = piece < w.c ? piece * N : 0;
	const size_t mine = piece < w.c ? rows : 0;
	float sums[2][N] = {}, beta[N], mean[N], scale[N], invstd[N];

	load_columns<N>(v.shift, own, beta);
	load_columns<N>(v.mean, own, mean);
	load_columns<N>(v.scale, own, scale);
	for (int j = 0; j < N; j++)
		beta[j] += mean[j] * scale[j];
	UNROLL(2)
	for (EACH_ROW(r, mine)) {
		const size_t at = r * w.c + piece;
		const lanes<uint8_t, N> where =
		    load_lanes<uint8_t, N>(g.places, at);
		const lanes<T, N> out = load_lanes<T, N>(y, at);
		float d[N];

		load_gradient<T, N>(g, at, d);
		for (int j = 0; j < N; j++)
			if (where.at[j] != POOL_NOWHERE) {
				sums[0][j] +=
				    d[j] * ((float)out.at[j] - beta[j]);
				sums[1][j] += d[j];
			}
	}
	load_columns<N>(v.mean, own, mean);
	load_columns<N>(v.scale, own, scale);
	load_columns<N>(v.invstd, own, invstd);
	UNROLL(N)
	for (int j = 0; j < N; j++)
		if (scale[j] != 0 &&
		    fabsf(beta[j]) * invstd[j] <= 4 * fabsf(scale[j]))
			sums[0][j] *= invstd[j] / scale[j];
		else
			sums[0][j] = invstd[j] *
			    sum_of_inputs(
				g, w, mine, x, own + j, w.c * N, mean[j]);
	finish_part<2, N>(sums, piece * N, w.c * N, scratch);
}

void
kernel_maxpool_reduce(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, const void *x,
    const void *y, const struct norm_vectors *v, float *scratch, float *gamma,
    float *beta)
{
	const size_t rows = outputs(w);
	const outs<2> out = { { gamma, beta } };

	WITH_LANES(
	    t, w->c,
	    LAUNCH(reduction_grid(rows, w->c / N), reduction_block(w->c / N), s,
		(maxpool_reduce<T, N>), *g, in_pieces(w, N), rows, (const T *)x,
		(const T *)y, *v, scratch);
	    add_all_parts<2>(s, scratch, rows, w->c / N, w->c, out));
}

/* --- means --------------------------------------------------------------- */

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

		/* A window before p0 ends before o.y. */
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
