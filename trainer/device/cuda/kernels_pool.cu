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

template <typename T, int N>
static __global__ void
maxpool(const T *__restrict__ x, struct pool_window w, size_t n,
    T *__restrict__ y, uint8_t *__restrict__ places)
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

/* Each input asks the windows over it whether it was their largest. */
template <typename T, int N>
static __global__ void
maxpool_back(
    struct pool_gradient g, struct pool_window w, size_t n, T *__restrict__ dx)
{
	for (EACH(i, n)) {
		const struct place o = place_of(i, w.c, w.w, w.h);
		const int p1 = last_window(o.y, w, w.p);
		const int q1 = last_window(o.x, w, w.q);
		float sums[N] = {};
		lanes<T, N> out;

		for (int p = first_window(o.y, w); p <= p1; p++)
			for (int q = first_window(o.x, w); q <= q1; q++) {
				const int t =
				    (o.y + w.pad - p * w.stride) * w.kernel +
				    o.x + w.pad - q * w.stride;
				const size_t at =
				    index_of(o.image, p, q, o.c, w.p, w.q, w.c);
				float d[N];

				load_gradient<T, N>(g, at, d);
				for (int j = 0; j < N; j++)
					if (g.places[at * N + j] == t)
						sums[j] += d[j];
			}
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

/* --- largest, with what was before the pooling ---------------------------- */

/* Windows of stride 2 that are K wide, 3 with one pixel of padding or 2 with
 * none.  A thread takes STRIP rows of one column, so that what neighbouring
 * rows share is loaded once. */
enum { STRIP = 8 };

struct strip {
	int image, column, from, to; /* rows from .. to - 1 */
};

static size_t
count_strips(const struct pool_window *w, int rows, int columns)
{
	return (size_t)w->batch * ((rows + STRIP - 1) / STRIP) * columns;
}

static __device__ inline struct strip
strip_of(unsigned i, int rows, int columns)
{
	const unsigned in_image = (rows + STRIP - 1) / STRIP;
	struct strip s;

	s.column = i % columns;
	s.from = i / columns % in_image * STRIP;
	s.to = s.from + STRIP < rows ? s.from + STRIP : rows;
	s.image = i / columns / in_image;
	return s;
}

static dim3
strip_grid(size_t strips, size_t per)
{
	const unsigned n = grid_lanes(per);
	const size_t rows = (strips + BLOCK / n - 1) / (BLOCK / n);

	return dim3((unsigned)((per + n - 1) / n),
	    (unsigned)(rows < 65535 ? rows : 65535));
}

/* Comparisons of N lanes in units: of 16 bits two at once, else one. */
template <typename T, int N> struct unit {
	enum { LANES = 1 };
	typedef float type;

	static __device__ inline float
	of(const lanes<T, N> &x, int i)
	{
		return (float)x.at[i];
	}
};

template <typename T, typename PAIR> struct unit_of_two {
	enum { LANES = 2 };
	typedef PAIR type;

	static __device__ inline PAIR
	of(const lanes<T, 8> &x, int i)
	{
		PAIR v;

		v.x = x.at[2 * i];
		v.y = x.at[2 * i + 1];
		return v;
	}
};

template <> struct unit<__half, 8> : public unit_of_two<__half, __half2> {
};
template <>
struct unit<__nv_bfloat16, 8>
    : public unit_of_two<__nv_bfloat16, __nv_bfloat162> {
};

static __device__ inline void
set_unit(float *v, float first, float)
{
	*v = first;
}

static __device__ inline void
set_unit(__half2 *v, float first, float second)
{
	*v = __floats2half2_rn(first, second);
}

static __device__ inline void
set_unit(__nv_bfloat162 *v, float first, float second)
{
	*v = __floats2bfloat162_rn(first, second);
}

static __device__ inline float
lane_of(float v, int)
{
	return v;
}

template <typename PAIR>
static __device__ inline float
lane_of(const PAIR &v, int i)
{
	return (float)(i == 0 ? v.x : v.y);
}

/* All bits of each lane where a > b. */
static __device__ inline unsigned
above(float a, float b)
{
	return a > b ? ~0u : 0;
}

template <typename PAIR>
static __device__ inline unsigned
above(const PAIR &a, const PAIR &b)
{
	return __hgt2_mask(a, b);
}

/* The larger of each lane, NaN if either is. */
static __device__ inline float
larger(float a, float b)
{
	return a > b || a != a ? a : b;
}

template <typename PAIR>
static __device__ inline PAIR
larger(const PAIR &a, const PAIR &b)
{
	return __hmax2_nan(a, b);
}

static __device__ inline float
times(float a, float b)
{
	return a * b;
}

template <typename PAIR>
static __device__ inline PAIR
times(const PAIR &a, const PAIR &b)
{
	return __hmul2(a, b);
}

/* The largest so far of each lane and the number of its place. */
template <typename T, int N> struct largest {
	typedef unit<T, N> U;
	enum { UNITS = N / U::LANES };
	typename U::type best[UNITS];
	unsigned where[UNITS];

	__device__ inline void
	clear(void)
	{
		for (int u = 0; u < UNITS; u++) {
			set_unit(&best[u], -INFINITY, -INFINITY);
			where[u] = 0;
		}
	}

	/* places  number in each lane */
	__device__ inline void
	take(int u, const typename U::type &v, unsigned places)
	{
		const unsigned mask = above(v, best[u]);

		best[u] = larger(v, best[u]);
		where[u] = (where[u] & ~mask) | (places & mask);
	}

	__device__ inline void
	take_row(const largest &row, unsigned places)
	{
		for (int u = 0; u < UNITS; u++)
			take(u, row.best[u], row.where[u] + places);
	}

	__device__ inline int
	place(int j) const
	{
		return U::LANES == 1 ? where[j]
				     : where[j / 2] >> j % 2 * 16 & 0xff;
	}
};

/* y and places of relu(x * scale + shift), rounded to T, without having it in
 * memory: where scale is not negative the largest x makes the largest y, else
 * the smallest.  A largest of 0 has POOL_NOWHERE: no gradient goes through. */
template <typename T, int N, int K> struct pool_forward {
	typedef unit<T, N> U;
	enum { UNITS = N / U::LANES, ONES = U::LANES == 2 ? 0x10001 : 1 };
	const T *x;
	struct pool_window w;
	typename U::type sign[UNITS];
	float by[N], plus[N];

	__device__ inline void
	find(const float *scale, const float *shift, int c)
	{
		for (int j = 0; j < N; j++)
			by[j] = 1;
		load_columns<N>(shift, c, plus);
		if (scale != NULL)
			load_columns<N>(scale, c, by);
		for (int u = 0; u < UNITS; u++)
			set_unit(&sign[u], sign_of(u * U::LANES),
			    sign_of(u * U::LANES + U::LANES - 1));
	}

	__device__ inline float
	sign_of(int j) const
	{
		return by[j] < 0 ? -1 : by[j] > 0 ? 1 : 0;
	}

	/* Of one row of a window, in column q of the outputs. */
	__device__ inline largest<T, N>
	row(int image, int y, int q, int piece) const
	{
		largest<T, N> r;

		r.clear();
		UNROLL(K)
		for (int t = 0; t < K; t++) {
			const int column = 2 * q - (K - 2) + t;
			lanes<T, N> v;

			if (y < 0 || y >= w.h || column < 0 || column >= w.w)
				continue;
			v = load_lanes<T, N>(x,
			    index_of(image, y, column, piece, w.h, w.w, w.c));
			for (int u = 0; u < UNITS; u++)
				r.take(u, times(U::of(v, u), sign[u]),
				    (unsigned)t * ONES);
		}
		return r;
	}

	__device__ inline void
	store(const largest<T, N> &m, size_t at, T *y, uint8_t *places) const
	{
		lanes<T, N> out;
		lanes<uint8_t, N> where;

		for (int j = 0; j < N; j++) {
			const int u = j / U::LANES, i = j % U::LANES;
			const float v =
			    lane_of(times(m.best[u], sign[u]), i) * by[j] +
			    plus[j];

			out.at[j] = (T)(v < 0 ? 0 : v);
			where.at[j] =
			    (uint8_t)((float)out.at[j] > 0 ? m.place(j)
							   : POOL_NOWHERE);
		}
		store_lanes<T, N>(y, at, out);
		store_lanes<uint8_t, N>(places, at, where);
	}
};

template <typename T, int N, int K>
static __global__ void
maxpool_fused(const T *__restrict__ x, const float *scale, const float *shift,
    struct pool_window w, size_t strips, T *__restrict__ y,
    uint8_t *__restrict__ places)
{
	const int piece = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	pool_forward<T, N, K> f;

	f.x = x;
	f.w = w;
	f.find(scale, shift, piece < w.c ? piece * N : 0);
	for (EACH_ROW(r, piece < w.c ? strips : 0)) {
		const struct strip s = strip_of((unsigned)r, w.p, w.q);
		largest<T, N> before;

		if (K == 3)
			before =
			    f.row(s.image, 2 * s.from - 1, s.column, piece);
		for (int p = s.from; p < s.to; p++) {
			largest<T, N> best, last;

			best.clear();
			if (K == 3)
				best.take_row(before, 0);
			best.take_row(f.row(s.image, 2 * p, s.column, piece),
			    (K - 2) * K * f.ONES);
			last = f.row(s.image, 2 * p + 1, s.column, piece);
			best.take_row(last, (K - 1) * K * f.ONES);
			before = last;
			f.store(best,
			    index_of(
				s.image, p, s.column, piece, w.p, w.q, w.c),
			    y, places);
		}
	}
}

void
kernel_maxpool(cudaStream_t s, enum dtype t, const void *x, const float *scale,
    const float *shift, const struct pool_window *w, void *y, uint8_t *places)
{
	const size_t n = outputs(w), strips = count_strips(w, w->p, w->q);

	if (shift == NULL)
		WITH_LANES(t, w->c,
		    LAUNCH(blocks(n / N), BLOCK, s, (maxpool<T, N>),
			(const T *)x, in_pieces(w, N), n / N, (T *)y, places));
	else if (w->kernel == 3)
		WITH_LANES(t, w->c,
		    LAUNCH(strip_grid(strips, w->c / N),
			reduction_block(w->c / N), s, (maxpool_fused<T, N, 3>),
			(const T *)x, scale, shift, in_pieces(w, N), strips,
			(T *)y, places));
	else
		WITH_LANES(t, w->c,
		    LAUNCH(strip_grid(strips, w->c / N),
			reduction_block(w->c / N), s, (maxpool_fused<T, N, 2>),
			(const T *)x, scale, shift, in_pieces(w, N), strips,
			(T *)y, places));
}

/* One window's gradient and where it goes. */
template <int N> struct window_gradient {
	float d[N];
	lanes<uint8_t, N> where;

	template <typename T>
	__device__ inline void
	read(const struct pool_gradient &g, const struct pool_window &w,
	    int image, int p, int q, int piece)
	{
		const size_t at = index_of(image, p, q, piece, w.p, w.q, w.c);

		if (p < w.p && q < w.q) {
			where = load_lanes<uint8_t, N>(g.places, at);
			load_gradient<T, N>(g, at, d);
			return;
		}
		for (int j = 0; j < N; j++) {
			d[j] = 0;
			where.at[j] = POOL_NOWHERE;
		}
	}
};

/* What becomes of an input's gradient: it is kept, and its sum over rows found;
 * or it goes on through the normalisation that made the input, and is not kept:
 * less traffic than to read it again, since it is four times as large as what
 * it is made of. */
enum pool_back { BACK_BIAS, BACK_NORM };

/* A thread takes patches of 2 x 2 inputs, one below the other.  The windows
 * over a patch are that of its first pixel and, where K is 3, the next ones. */
template <typename T, int N, int K, int BACK>
static __global__ void
__launch_bounds__(BLOCK, 2)
    maxpool_patches(struct pool_gradient g, struct pool_window w, size_t strips,
	struct norm_back norm, float by, T *__restrict__ dx, float *scratch)
{
	enum { WINDOWS = K - 1, PAD = K - 2 };
	const T *const __restrict__ x = (const T *)norm.x;
	const int piece = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sums[1][N] = {};
	norm_equation<N> equation;

	if (BACK == BACK_NORM)
		equation.find(norm, by, piece < w.c ? piece * N : 0);
	for (EACH_ROW(r, piece < w.c ? strips : 0)) {
		const struct strip s =
		    strip_of((unsigned)r, (w.h + 1) / 2, (w.w + 1) / 2);
		window_gradient<N> v[WINDOWS][WINDOWS];

		UNROLL(WINDOWS)
		for (int i = 0; K == 3 && i < WINDOWS; i++)
			v[0][i].template read<T>(
			    g, w, s.image, s.from, s.column + i, piece);
		for (int p = s.from; p < s.to; p++) {
			UNROLL(WINDOWS)
			for (int i = 0; i < WINDOWS; i++)
				v[PAD][i].template read<T>(g, w, s.image,
				    p + PAD, s.column + i, piece);
			UNROLL(4)
			for (int pixel = 0; pixel < 4; pixel++) {
				const int a = pixel / 2, b = pixel % 2;
				const size_t at = index_of(s.image, 2 * p + a,
				    2 * s.column + b, piece, w.h, w.w, w.c);
				float d[N] = {};
				lanes<T, N> in, out;

				if (2 * p + a >= w.h || 2 * s.column + b >= w.w)
					continue;
				if (BACK == BACK_NORM)
					in = load_lanes<T, N>(x, at);
				/* Window i begins 2 i - PAD pixels from the
				 * patch's first; it covers this pixel where the
				 * place in it is one. */
				UNROLL(WINDOWS * WINDOWS)
				for (int i = 0; i < WINDOWS * WINDOWS; i++) {
					const int m = i / WINDOWS;
					const int n = i % WINDOWS;
					const int y = a + PAD - 2 * m;
					const int z = b + PAD - 2 * n;

					if (y < 0 || z < 0)
						continue;
					UNROLL(N)
					for (int j = 0; j < N; j++)
						if (v[m][n].where.at[j] ==
						    y * K + z)
							d[j] += v[m][n].d[j];
				}
				for (int j = 0; j < N; j++) {
					sums[0][j] += d[j];
					out.at[j] = (T)(BACK == BACK_NORM
						? equation.at(
						      d[j], (float)in.at[j], j)
						: d[j]);
				}
				store_lanes<T, N>(dx, at, out);
			}
			UNROLL(WINDOWS)
			for (int i = 0; K == 3 && i < WINDOWS; i++)
				v[0][i] = v[PAD][i];
		}
	}
	if (BACK == BACK_BIAS)
		finish_part<1, N>(sums, piece * N, w.c * N, scratch);
}

void
kernel_maxpool_bias_grad(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, float *scratch,
    float *grad, void *dx)
{
	const size_t strips = count_strips(w, (w->h + 1) / 2, (w->w + 1) / 2);
	const struct norm_back none = {};
	const outs<1> out = { { grad } };

	WITH_LANES(t, w->c,
		   LAUNCH(reduction_grid(strips, w->c / N),
		       reduction_block(w->c / N), s,
		       (w->kernel == 3 ? maxpool_patches<T, N, 3, BACK_BIAS>
				       : maxpool_patches<T, N, 2, BACK_BIAS>),
		       *g, in_pieces(w, N), strips, none, 0, (T *)dx, scratch);
		   add_all_parts<1>(s, scratch, strips, w->c / N, w->c, out));
}

void
kernel_maxpool_norm_back(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w,
    const struct norm_back *norm, int train, double count)
{
	const float by = train ? (float)(1 / count) : 0;
	const size_t strips = count_strips(w, (w->h + 1) / 2, (w->w + 1) / 2);

	WITH_LANES(t, w->c,
	    LAUNCH(strip_grid(strips, w->c / N), reduction_block(w->c / N), s,
		(w->kernel == 3 ? maxpool_patches<T, N, 3, BACK_NORM>
				: maxpool_patches<T, N, 2, BACK_NORM>),
		*g, in_pieces(w, N), strips, *norm, by, (T *)norm->dx,
		(float *)NULL));
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
		const struct place o = place_of(r, 1, w.q, w.p);
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
	const size_t rows = outputs(w) / w->c;
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
