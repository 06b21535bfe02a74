/* Kernels of pooling, alone and with the normalisation or the bias and the ReLU
 * before it. */
#include "trainer/device/cuda/kernels_reduce.cuh"

/* Element i of a (batch, h, w, c) tensor. */
struct place {
	int c, x, y, image;
};

static __device__ inline struct place
place_of(size_t i, int c, int w, int h)
{
	struct place p;

	if (i <= UINT32_MAX) { /* the usual case, which divides faster */
		uint32_t k = (uint32_t)i;

		p.c = (int)(k % (unsigned)c);
		k /= (unsigned)c;
		p.x = (int)(k % (unsigned)w);
		k /= (unsigned)w;
		p.y = (int)(k % (unsigned)h);
		p.image = (int)(k / (unsigned)h);
		return p;
	}
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

/* In all kernels of pooling channels are counted in pieces of N. */
static struct pool_window
in_pieces(const struct pool_window *w, int n)
{
	struct pool_window r = *w;

	r.c /= n;
	return r;
}

/* --- largest ------------------------------------------------------------- */

/* FUSED: of relu(x * scale + shift), rounded as if it had been in memory; the
 * place of a largest that is 0 is POOL_NOWHERE: no gradient goes through. */
template <typename T, int N, int FUSED>
static __global__ void
maxpool(const T *__restrict__ x, const float *scale, const float *shift,
    struct pool_window w, size_t n, T *__restrict__ y,
    uint8_t *__restrict__ places)
{
	const int c = (int)(first_piece() % w.c) * N;
	float by[N], plus[N];

	for (int j = 0; j < N; j++)
		by[j] = 1;
	if (FUSED) {
		load_columns<N>(shift, c, plus);
		if (scale != NULL)
			load_columns<N>(scale, c, by);
	}
	for (size_t i = first_piece(); i < n; i += piece_step()) {
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
			for (int j = 0; FUSED && j < N; j++) {
				const float one =
				    (float)v.at[j] * by[j] + plus[j];

				v.at[j] = (T)(one < 0 ? 0 : one);
			}
			for (int j = 0; j < N; j++)
				if (!seen ||
				    (float)v.at[j] > (float)best.at[j]) {
					best.at[j] = v.at[j];
					where.at[j] = (uint8_t)t;
				}
			seen = 1;
		}
		for (int j = 0; FUSED && j < N; j++)
			if (!((float)best.at[j] > 0))
				where.at[j] = POOL_NOWHERE;
		store_lanes<T, N>(y, i, best);
		store_lanes<uint8_t, N>(places, i, where);
	}
}

void
kernel_maxpool(cudaStream_t s, enum dtype t, const void *x, const float *scale,
    const float *shift, const struct pool_window *w, void *y, uint8_t *places)
{
	const size_t n = outputs(w);

	if (shift != NULL)
		WITH_LANES(t, w->c,
		    LAUNCH(grid_blocks(n / N, w->c / N), BLOCK, s,
			(maxpool<T, N, 1>), (const T *)x, scale, shift,
			in_pieces(w, N), n / N, (T *)y, places));
	else
		WITH_LANES(t, w->c,
		    LAUNCH(grid_blocks(n / N, w->c / N), BLOCK, s,
			(maxpool<T, N, 0>), (const T *)x, scale, shift,
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

/* The gradient of piece o of the input: it asks the windows over it whether it
 * was their largest. */
template <typename T, int N>
static __device__ inline void
pooled_gradient(const struct pool_gradient &g, const struct pool_window &w,
    const struct place &o, float *sums)
{
	const int p1 = last_window(o.y, w, w.p);
	const int q0 = first_window(o.x, w), q1 = last_window(o.x, w, w.q);

	for (int j = 0; j < N; j++)
		sums[j] = 0;
	for (int p = first_window(o.y, w); p <= p1; p++)
		for (int q = q0; q <= q1; q++) {
			const int t = (o.y + w.pad - p * w.stride) * w.kernel +
			    o.x + w.pad - q * w.stride;
			const size_t at =
			    index_of(o.image, p, q, o.c, w.p, w.q, w.c);
			const lanes<uint8_t, N> where =
			    load_lanes<uint8_t, N>(g.places, at);
			const lanes<T, N> d =
			    load_lanes<T, N>((const T *)g.dy, at);
			lanes<T, N> d2;

			if (g.dy2 != NULL)
				d2 = load_lanes<T, N>((const T *)g.dy2, at);
			for (int j = 0; j < N; j++) {
				float one = (float)d.at[j];

				if (g.dy2 != NULL)
					one += (float)d2.at[j];
				if (where.at[j] == t)
					sums[j] += one;
			}
		}
}

template <typename T, int N>
static __global__ void
maxpool_back(
    struct pool_gradient g, struct pool_window w, size_t n, T *__restrict__ dx)
{
	for (EACH(i, n)) {
		float sums[N];
		lanes<T, N> out;

		pooled_gradient<T, N>(g, w, place_of(i, w.c, w.w, w.h), sums);
		for (int j = 0; j < N; j++)
			out.at[j] = (T)sums[j];
		store_lanes<T, N>(dx, i, out);
	}
}

void
kernel_maxpool_back(cudaStream_t s, enum dtype t, const struct pool_gradient *g,
    const struct pool_window *w, void *dx)
{
	const size_t n = inputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(blocks(n / N), BLOCK, s, (maxpool_back<T, N>), *g,
		in_pieces(w, N), n / N, (T *)dx));
}

/* NORM 0: dx is the gradient, out its sum over rows.  NORM 1: sums of the
 * gradient times the normalised x, and of the gradient, which is not kept. */
template <typename T, int N, int NORM>
static __global__ void
__launch_bounds__(BLOCK, 3) maxpool_reduce(struct pool_gradient g,
    struct pool_window w, size_t rows, const T *__restrict__ x,
    struct norm_vectors v, T *__restrict__ dx, float *scratch)
{
	const int piece = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int own = piece < w.c ? piece * N : 0;
	float sums[1 + NORM][N] = {}, mean[N], invstd[N];

	if (NORM)
		load_columns<N>(v.mean, own, mean);
	for (EACH_ROW(r, piece < w.c ? rows : 0)) {
		const size_t i = r * w.c + piece;
		struct place o = place_of(r, 1, w.w, w.h);
		lanes<T, N> one;
		float d[N];

		o.c = piece;
		if (NORM)
			one = load_lanes<T, N>(x, i);
		pooled_gradient<T, N>(g, w, o, d);
		for (int j = 0; j < N; j++) {
			if (NORM)
				sums[0][j] +=
				    d[j] * ((float)one.at[j] - mean[j]);
			else
				one.at[j] = (T)d[j];
			sums[NORM][j] += d[j];
		}
		if (!NORM)
			store_lanes<T, N>(dx, i, one);
	}
	if (NORM)
		load_columns<N>(v.invstd, own, invstd);
	for (int j = 0; NORM && j < N; j++)
		sums[0][j] *= invstd[j];
	finish_part<1 + NORM, N>(sums, piece * N, w.c * N, scratch);
}

void
kernel_maxpool_bias_grad(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, float *scratch,
    float *grad, void *dx)
{
	const size_t rows = inputs(w) / w->c;
	const struct norm_vectors none = {};
	const outs<1> out = { { grad } };

	WITH_LANES(
	    t, w->c,
	    LAUNCH(reduction_grid(rows, w->c / N), reduction_block(w->c / N), s,
		(maxpool_reduce<T, N, 0>), *g, in_pieces(w, N), rows,
		(const T *)NULL, none, (T *)dx, scratch);
	    add_all_parts<1>(s, scratch, rows, w->c / N, w->c, out));
}

void
kernel_maxpool_reduce(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, const void *x,
    const struct norm_vectors *v, float *scratch, float *gamma, float *beta)
{
	const size_t rows = inputs(w) / w->c;
	const outs<2> out = { { gamma, beta } };

	WITH_LANES(
	    t, w->c,
	    LAUNCH(reduction_grid(rows, w->c / N), reduction_block(w->c / N), s,
		(maxpool_reduce<T, N, 1>), *g, in_pieces(w, N), rows,
		(const T *)x, *v, (T *)NULL, scratch);
	    add_all_parts<2>(s, scratch, rows, w->c / N, w->c, out));
}

/* The gradient once more, and through the normalisation: less traffic than to
 * keep it, since it is four times as large as what it is made of. */
template <typename T, int N>
static __global__ void
__launch_bounds__(BLOCK, 3) maxpool_norm_back(struct pool_gradient g,
    struct pool_window w, struct norm_back norm, float by, size_t n)
{
	const T *const __restrict__ x = (const T *)norm.x;
	T *const __restrict__ dx = (T *)norm.dx;
	norm_equation<N> q;

	q.find(norm, by, (int)(first_piece() % w.c) * N);
	for (size_t i = first_piece(); i < n; i += piece_step()) {
		const lanes<T, N> in = load_lanes<T, N>(x, i);
		lanes<T, N> out;
		float d[N];

		pooled_gradient<T, N>(g, w, place_of(i, w.c, w.w, w.h), d);
		for (int j = 0; j < N; j++)
			out.at[j] = (T)q.at(d[j], (float)in.at[j], j);
		store_lanes<T, N>(dx, i, out);
	}
}

void
kernel_maxpool_norm_back(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w,
    const struct norm_back *norm, int train, double count)
{
	const float by = train ? (float)(1 / count) : 0;
	const size_t n = inputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(grid_blocks(n / N, w->c / N), BLOCK, s,
		(maxpool_norm_back<T, N>), *g, in_pieces(w, N), *norm, by,
		n / N));
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
avgpool(
    const T *__restrict__ x, struct pool_window w, size_t n, T *__restrict__ y)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.q, w.p);
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
					o.image, r, c, o.c, w.h, w.w, w.c));
				for (int j = 0; j < N; j++)
					sums[j] += (float)v.at[j];
			}
		for (int j = 0; j < N; j++)
			v.at[j] = (T)(sums[j] / ((r1 - r0) * (c1 - c0)));
		store_lanes<T, N>(y, i, v);
	}
}

void
kernel_avgpool(cudaStream_t s, enum dtype t, const void *x,
    const struct pool_window *w, void *y)
{
	const size_t n = outputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(blocks(n / N), BLOCK, s, (avgpool<T, N>), (const T *)x,
		in_pieces(w, N), n / N, (T *)y));
}

template <typename T, int N>
static __global__ void
avgpool_back(const T *__restrict__ dy, struct pool_window w, size_t n,
    T *__restrict__ dx)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.w, w.h);
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
					o.image, p, q, o.c, w.p, w.q, w.c));
				for (int j = 0; j < N; j++)
					sums[j] +=
					    (float)v.at[j] / (rows * columns);
			}
		for (int j = 0; j < N; j++)
			v.at[j] = (T)sums[j];
		store_lanes<T, N>(dx, i, v);
	}
}

void
kernel_avgpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct pool_window *w, void *dx)
{
	const size_t n = inputs(w);

	WITH_LANES(t, w->c,
	    LAUNCH(blocks(n / N), BLOCK, s, (avgpool_back<T, N>), (const T *)dy,
		in_pieces(w, N), n / N, (T *)dx));
}
