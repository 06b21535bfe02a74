/* Template of the kernels of cpu_kernels.h for one element type and instruction
 * set. Define before including it:
 *
 *	KERNELS_BF16   1: bf16 elements, 0: fp32
 *	KERNELS(name)  the name with type and instruction set after it
 *	KERNELS_ISA    "AVX-512"
 *
 * Vectors are GCC and clang vector types of VECTOR_LANES floats (cpu_vector.h);
 * the compiler splits them if registers are shorter.
 */

#include "trainer/device/cpu/kernels/cpu_kernels.h"
#include "trainer/device/cpu/kernels/cpu_vector.h"

#ifndef KERNELS
#define KERNELS_BF16 0
#define KERNELS(name) name##_alone
#define KERNELS_ISA "alone"
#endif

#if KERNELS_BF16
typedef uint16_t KERNELS(elem);
#else
typedef float KERNELS(elem);
#endif
#define elem KERNELS(elem)

static inline vec
KERNELS(load)(const elem *p)
{
#if KERNELS_BF16
	return vec_load_half(p);
#else
	return vec_load(p);
#endif
}

/* bf16: round to nearest even; NaNs produced by the CPU stay NaN. */
static inline void
KERNELS(store)(elem *p, vec v)
{
#if KERNELS_BF16
	vec_store_half(p, v);
#else
	vec_store(p, v);
#endif
}

/* The same with a non-temporal store; p is aligned to the stored size. */
static inline void
KERNELS(store_past)(elem *p, vec v)
{
#if KERNELS_BF16
	vec_store_half_past(p, v);
#else
	vec_store_past(p, v);
#endif
}

#define LOAD KERNELS(load)
#define STORE KERNELS(store)

/* Loops over panels process four vectors at a time, each with the values of its
 * channels: a block is one, two or four vectors. Data is prefetched, as the CPU
 * prefetches too little when a panel comes from memory. */
enum { KERNELS(SIDE) = 4, KERNELS(AHEAD) = 2048 /* bytes */ };
#define SIDE KERNELS(SIDE)

static ALWAYS_INLINE void
KERNELS(fetch)(const elem *p, size_t i)
{
	const char *at = (const char *)(p + i * VECTOR_LANES) + KERNELS(AHEAD);

	UNROLL
	for (size_t k = 0; k < SIDE * VECTOR_LANES * sizeof(elem); k += 64)
		__builtin_prefetch(at + k);
}

/* Reduce the sums of four vectors to the channels of the block. */
static inline void
KERNELS(fold)(int block, const vec acc[SIDE], float *out)
{
	const int groups = block / VECTOR_LANES;

	for (int g = 0; g < SIDE; g++)
		vec_add_to(out + g % groups * VECTOR_LANES, acc[g]);
}

/* Channel values of a normalisation for one vector of the block. */
struct KERNELS(lane) {
	vec mean, scale, shift;
};

static inline void
KERNELS(lanes_of)(
    int block, const struct cpu_norm *a, struct KERNELS(lane) lanes[SIDE])
{
	const int groups = block / VECTOR_LANES;

	for (int g = 0; g < SIDE; g++) {
		const int c = g % groups * VECTOR_LANES;

		lanes[g] = (struct KERNELS(lane)){ vec_load(a->mean + c),
			vec_load(a->scale + c), vec_load(a->shift + c) };
	}
}

static inline vec
KERNELS(normed)(struct KERNELS(lane) l, vec x)
{
	return (x - l.mean) * l.scale + l.shift;
}

/* Sums over long panels are split, so that a float accumulates at most 64 terms
 * before it is added to the total. */
enum { KERNELS(PIECE) = 64 * 4 /* vectors */ };

static inline size_t
KERNELS(piece_end)(size_t i, size_t n)
{
	return n - i > KERNELS(PIECE) ? i + KERNELS(PIECE) : n;
}

/* Accumulate vectors i .. i + n - 1. */
static ALWAYS_INLINE void
KERNELS(stats_of)(
    const elem *x, size_t i, size_t n, const vec *middle, vec *s, vec *q)
{
	UNROLL
	for (size_t g = 0; g < n; g++) {
		vec v = LOAD(x + (i + g) * VECTOR_LANES) - middle[g];

		s[g] += v;
		q[g] += v * v;
	}
}

static void
KERNELS(stats)(struct cpu_panel p, const void *xv, const float *pivot,
    float *sum, float *squares)
{
	const elem *x = xv;
	const int groups = p.block / VECTOR_LANES;
	vec middle[SIDE], total[SIDE] = { { 0 } }, total2[SIDE] = { { 0 } };
	const size_t n = p.n / VECTOR_LANES;

	for (int g = 0; g < SIDE; g++)
		middle[g] = vec_load(pivot + g % groups * VECTOR_LANES);
	for (size_t i = 0; i < n;) {
		const size_t end = KERNELS(piece_end)(i, n);
		vec s[SIDE] = { { 0 } }, q[SIDE] = { { 0 } };

		for (; i + SIDE <= end; i += SIDE) {
			KERNELS(fetch)(x, i);
			KERNELS(stats_of)(x, i, SIDE, middle, s, q);
		}
		if (i < end)
			KERNELS(stats_of)(x, i, end - i, middle, s, q);
		i = end;
		UNROLL
		for (int g = 0; g < SIDE; g++) {
			total[g] += s[g];
			total2[g] += q[g];
		}
	}
	KERNELS(fold)(p.block, total, sum);
	KERNELS(fold)(p.block, total2, squares);
}

/* Operands of a normalisation, and channel values for four vectors. */
struct KERNELS(norm_job) {
	const elem *x, *add;
	elem *y;
	struct KERNELS(lane) l[SIDE];
	size_t n; /* vectors */
	int past;
};

static ALWAYS_INLINE void
KERNELS(norm_of)(const struct KERNELS(norm_job) * j, size_t i, size_t n,
    const int adds, const int relu)
{
	UNROLL
	for (size_t g = 0; g < n; g++) {
		const size_t at = (i + g) * VECTOR_LANES;
		vec v = KERNELS(normed)(j->l[g], LOAD(j->x + at));

		if (adds)
			v += LOAD(j->add + at);
		if (relu)
			v = vec_relu(v);
		if (j->past)
			KERNELS(store_past)(j->y + at, v);
		else
			STORE(j->y + at, v);
	}
}

static ALWAYS_INLINE void
KERNELS(norm_all)(
    const struct KERNELS(norm_job) * job, const int adds, const int relu)
{
	const struct KERNELS(norm_job) j = *job;
	size_t i = 0;

	for (; i + SIDE <= j.n; i += SIDE) {
		KERNELS(fetch)(j.x, i);
		if (adds)
			KERNELS(fetch)(j.add, i);
		KERNELS(norm_of)(&j, i, SIDE, adds, relu);
	}
	if (i < j.n)
		KERNELS(norm_of)(&j, i, j.n - i, adds, relu);
	if (j.past)
		vec_fence();
}

static void
KERNELS(norm)(struct cpu_panel p, const struct cpu_norm *a, const void *add,
    int relu, void *y)
{
	struct KERNELS(norm_job) j = { .x = a->x,
		.add = add,
		.y = y,
		.n = p.n / VECTOR_LANES,
		.past = p.past };

	KERNELS(lanes_of)(p.block, a, j.l);
	if (add != NULL && relu)
		KERNELS(norm_all)(&j, 1, 1);
	else if (add != NULL)
		KERNELS(norm_all)(&j, 1, 0);
	else if (relu)
		KERNELS(norm_all)(&j, 0, 1);
	else
		KERNELS(norm_all)(&j, 0, 0);
}

/* Operands of the sums over d: s[0] sums d, s[1] sums d * (x - mean). */
struct KERNELS(sums_job) {
	const elem *x, *y, *dy2, *dy;
	elem *to; /* end of a block: d is stored here; else NULL */
	struct KERNELS(lane) l[SIDE];
	size_t n; /* vectors */
};

/* end   end of a block: uses dy2, y and to
 * relu  d is masked by norm(a) > 0 */
static ALWAYS_INLINE void
KERNELS(back_sums_of)(const struct KERNELS(sums_job) * j, size_t i, size_t n,
    const int end, const int relu, vec s[2][SIDE])
{
	UNROLL
	for (size_t g = 0; g < n; g++) {
		const size_t at = (i + g) * VECTOR_LANES;
		vec x = LOAD(j->x + at), d = LOAD(j->dy + at);

		if (end && j->dy2 != NULL)
			d += LOAD(j->dy2 + at);
		if (end && j->y != NULL)
			d = vec_mask(LOAD(j->y + at), d);
		if (relu)
			d = vec_mask(KERNELS(normed)(j->l[g], x), d);
		if (end)
			STORE(j->to + at, d);
		s[0][g] += d;
		s[1][g] += d * (x - j->l[g].mean);
	}
}

static ALWAYS_INLINE void
KERNELS(back_sums_all)(const struct KERNELS(sums_job) * job, const int end,
    const int relu, vec total[2][SIDE])
{
	const struct KERNELS(sums_job) j = *job;

	for (size_t i = 0; i < j.n;) {
		const size_t last = KERNELS(piece_end)(i, j.n);
		vec s[2][SIDE] = { { { 0 } } };

		for (; i + SIDE <= last; i += SIDE) {
			KERNELS(fetch)(j.dy, i);
			KERNELS(fetch)(j.x, i);
			if (end && j.dy2 != NULL)
				KERNELS(fetch)(j.dy2, i);
			if (end && j.y != NULL)
				KERNELS(fetch)(j.y, i);
			KERNELS(back_sums_of)(&j, i, SIDE, end, relu, s);
		}
		if (i < last)
			KERNELS(back_sums_of)(&j, i, last - i, end, relu, s);
		i = last;
		for (int k = 0; k < 2; k++) {
			UNROLL
			for (int g = 0; g < SIDE; g++)
				total[k][g] += s[k][g];
		}
	}
}

static void
KERNELS(norm_back_sums)(struct cpu_panel p, const struct cpu_norm *a, int relu,
    const void *dy, float *sum, float *dot)
{
	struct KERNELS(sums_job)
	    j = { .x = a->x, .dy = dy, .n = p.n / VECTOR_LANES };
	vec total[2][SIDE] = { { { 0 } } };

	KERNELS(lanes_of)(p.block, a, j.l);
	if (relu)
		KERNELS(back_sums_all)(&j, 0, 1, total);
	else
		KERNELS(back_sums_all)(&j, 0, 0, total);
	KERNELS(fold)(p.block, total[0], sum);
	KERNELS(fold)(p.block, total[1], dot);
}

static void
KERNELS(block_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
    const void *y, const void *dy2, void *dy, float *sum, float *dot)
{
	struct KERNELS(sums_job) j = { .x = a->x,
		.y = y,
		.dy2 = dy2,
		.dy = dy,
		.to = dy,
		.n = p.n / VECTOR_LANES };
	vec total[2][SIDE] = { { { 0 } } };

	KERNELS(lanes_of)(p.block, a, j.l);
	KERNELS(back_sums_all)(&j, 1, 0, total);
	KERNELS(fold)(p.block, total[0], sum);
	KERNELS(fold)(p.block, total[1], dot);
}

struct KERNELS(back_job) {
	const elem *x, *dy;
	elem *dx;
	struct KERNELS(lane) l[SIDE];
	vec k0[SIDE], k1[SIDE];
	size_t n; /* vectors */
	int past;
};

static ALWAYS_INLINE void
KERNELS(norm_back_of)(
    const struct KERNELS(back_job) * j, size_t i, size_t n, const int relu)
{
	UNROLL
	for (size_t g = 0; g < n; g++) {
		const size_t at = (i + g) * VECTOR_LANES;
		vec v = LOAD(j->x + at), d = LOAD(j->dy + at);

		if (relu)
			d = vec_mask(KERNELS(normed)(j->l[g], v), d);
		d = j->l[g].scale * d + (v - j->l[g].mean) * j->k1[g] +
		    j->k0[g];
		if (j->past)
			KERNELS(store_past)(j->dx + at, d);
		else
			STORE(j->dx + at, d);
	}
}

static ALWAYS_INLINE void
KERNELS(norm_back_all)(const struct KERNELS(back_job) * job, const int relu)
{
	const struct KERNELS(back_job) j = *job;
	size_t i = 0;

	for (; i + SIDE <= j.n; i += SIDE) {
		KERNELS(fetch)(j.x, i);
		KERNELS(fetch)(j.dy, i);
		KERNELS(norm_back_of)(&j, i, SIDE, relu);
	}
	if (i < j.n)
		KERNELS(norm_back_of)(&j, i, j.n - i, relu);
	if (j.past)
		vec_fence();
}

static void
KERNELS(norm_back)(struct cpu_panel p, const struct cpu_norm *a, int relu,
    const float *k0, const float *k1, const void *dy, void *dx)
{
	struct KERNELS(back_job) j = { .x = a->x,
		.dy = dy,
		.dx = dx,
		.n = p.n / VECTOR_LANES,
		.past = p.past && dx != a->x && dx != dy };

	KERNELS(lanes_of)(p.block, a, j.l);
	for (int g = 0; g < SIDE; g++) {
		const int c = g % (p.block / VECTOR_LANES) * VECTOR_LANES;

		j.k0[g] = vec_load(k0 + c);
		j.k1[g] = vec_load(k1 + c);
	}
	if (relu)
		KERNELS(norm_back_all)(&j, 1);
	else
		KERNELS(norm_back_all)(&j, 0);
}

static void
KERNELS(maxpool)(const struct cpu_window *w, int block, const void *xv,
    void *yv, uint8_t *where)
{
	const elem *x = xv;
	elem *y = yv;

	for (int o = 0; o < w->out_h * w->out_w; o++) {
		const int y0 = o / w->out_w * w->stride - w->pad;
		const int x0 = o % w->out_w * w->stride - w->pad;

		for (int g = 0; g < block; g += VECTOR_LANES) {
			vec best = { 0 };
			vec_uint at = { 0 };
			int seen = 0;

			for (int k = 0; k < w->kernel * w->kernel; k++) {
				int yy = y0 + k / w->kernel;
				int xx = x0 + k % w->kernel;
				vec v;

				if (yy < 0 || yy >= w->in_h || xx < 0 ||
				    xx >= w->in_w)
					continue;
				v = LOAD(x + (yy * w->in_w + xx) * block + g);
				vec_keep_larger(
				    &best, &at, v, (unsigned)k, !seen);
				seen = 1;
			}
			STORE(y + o * block + g, best);
			vec_store_bytes(where + o * block + g, at);
		}
	}
}

/* Windows that contain input position `at`, padding included: first .. last of
 * n; empty if first > last. */
static int
KERNELS(first_window)(const struct cpu_window *w, int at)
{
	return at < w->kernel ? 0 : (at - w->kernel) / w->stride + 1;
}

static int
KERNELS(last_window)(const struct cpu_window *w, int at, int n)
{
	return at / w->stride < n ? at / w->stride : n - 1;
}

/* Each input pixel sums the gradients of the windows that cover it. */
static void
KERNELS(maxpool_back)(const struct cpu_window *w, int block, const void *dyv,
    const uint8_t *where, void *dxv)
{
	const elem *dy = dyv;
	elem *dx = dxv;

	for (int i = 0; i < w->in_h * w->in_w; i++) {
		const int yy = i / w->in_w + w->pad;
		const int xx = i % w->in_w + w->pad;
		const int y0 = KERNELS(first_window)(w, yy);
		const int x0 = KERNELS(first_window)(w, xx);
		const int y1 = KERNELS(last_window)(w, yy, w->out_h);
		const int x1 = KERNELS(last_window)(w, xx, w->out_w);

		for (int g = 0; g < block; g += VECTOR_LANES) {
			vec sum = { 0 };

			/* in the order of positions in a window */
			for (int oy = y1; oy >= y0; oy--)
				for (int ox = x1; ox >= x0; ox--) {
					const int k =
					    (yy - oy * w->stride) * w->kernel +
					    xx - ox * w->stride;
					const int o =
					    (oy * w->out_w + ox) * block + g;

					sum +=
					    vec_where(vec_load_bytes(where + o),
						(unsigned)k, LOAD(dy + o));
				}
			STORE(dx + i * block + g, sum);
		}
	}
}

/* Output o of n covers inputs floor(o * in / n) .. ceil((o + 1) * in / n). */
static void
KERNELS(avgpool)(
    const struct cpu_window *w, int block, const void *xv, void *yv)
{
	const elem *x = xv;
	elem *y = yv;

	for (int o = 0; o < w->out_h * w->out_w; o++) {
		const int oy = o / w->out_w, ox = o % w->out_w;
		const int y0 = oy * w->in_h / w->out_h;
		const int y1 = ((oy + 1) * w->in_h + w->out_h - 1) / w->out_h;
		const int x0 = ox * w->in_w / w->out_w;
		const int x1 = ((ox + 1) * w->in_w + w->out_w - 1) / w->out_w;
		const float scale = 1.0f / (float)((y1 - y0) * (x1 - x0));

		for (int g = 0; g < block; g += VECTOR_LANES) {
			vec sum = { 0 };

			for (int yy = y0; yy < y1; yy++)
				for (int xx = x0; xx < x1; xx++)
					sum += LOAD(x +
					    (yy * w->in_w + xx) * block + g);
			STORE(y + o * block + g, sum * scale);
		}
	}
}

static void
KERNELS(avgpool_back)(
    const struct cpu_window *w, int block, const void *dyv, void *dxv)
{
	const elem *dy = dyv;
	elem *dx = dxv;

	for (int i = 0; i < w->in_h * w->in_w; i++)
		for (int g = 0; g < block; g += VECTOR_LANES) {
			const int yy = i / w->in_w, xx = i % w->in_w;
			vec sum = { 0 };

			for (int oy = 0; oy < w->out_h; oy++) {
				const int y0 = oy * w->in_h / w->out_h;
				const int y1 =
				    ((oy + 1) * w->in_h + w->out_h - 1) /
				    w->out_h;

				if (yy < y0 || yy >= y1)
					continue;
				for (int ox = 0; ox < w->out_w; ox++) {
					const int x0 = ox * w->in_w / w->out_w;
					const int x1 = ((ox + 1) * w->in_w +
							   w->out_w - 1) /
					    w->out_w;

					if (xx < x0 || xx >= x1)
						continue;
					sum +=
					    LOAD(dy +
						(oy * w->out_w + ox) * block +
						g) *
					    (1.0f /
						(float)((y1 - y0) * (x1 - x0)));
				}
			}
			STORE(dx + i * block + g, sum);
		}
}

static void
KERNELS(add)(size_t n, const void *bv, void *av)
{
	const elem *b = bv;
	elem *a = av;

	for (size_t i = 0; i < n; i += VECTOR_LANES)
		STORE(a + i, LOAD(a + i) + LOAD(b + i));
}

static void
KERNELS(sum)(size_t n, const void *av, const void *bv, int relu, void *yv)
{
	const elem *a = av, *b = bv;
	elem *y = yv;

	for (size_t i = 0; i < n; i += VECTOR_LANES) {
		vec v = LOAD(a + i);

		if (b != NULL)
			v += LOAD(b + i);
		STORE(y + i, relu ? vec_relu(v) : v);
	}
}

static void
KERNELS(relu_back)(size_t n, const void *yv, void *dyv)
{
	const elem *y = yv;
	elem *dy = dyv;

	for (size_t i = 0; i < n; i += VECTOR_LANES)
		STORE(dy + i, vec_mask(LOAD(y + i), LOAD(dy + i)));
}

static void
KERNELS(from_float)(size_t n, const float *x, void *yv)
{
	elem *y = yv;
	size_t i = 0;

	for (; i + VECTOR_LANES <= n; i += VECTOR_LANES)
		STORE(y + i, vec_load(x + i));
	for (; i < n; i++)
#if KERNELS_BF16
		y[i] = bf16_from_float(x[i]);
#else
		y[i] = x[i];
#endif
}

static void
KERNELS(to_float)(size_t n, const void *xv, float *y)
{
	const elem *x = xv;
	size_t i = 0;

	for (; i + VECTOR_LANES <= n; i += VECTOR_LANES)
		vec_store(y + i, LOAD(x + i));
	for (; i < n; i++)
#if KERNELS_BF16
		y[i] = bf16_to_float(x[i]);
#else
		y[i] = x[i];
#endif
}

static void
KERNELS(sgd)(const struct sgd *s, size_t n, const float *grad, float *momentum,
    float *param)
{
	const float lr = (float)s->lr, keep = (float)s->momentum;
	const float decay = (float)s->weight_decay;
	const float scale = (float)s->grad_scale;

	/* arenas are multiples of 16 elements */
	for (size_t i = 0; i < n; i += VECTOR_LANES) {
		vec w = vec_load(param + i);
		vec m = vec_load(momentum + i) * keep +
		    (vec_load(grad + i) * scale + w * decay);

		vec_store(momentum + i, m);
		vec_store(param + i, w - m * lr);
	}
}

#if !KERNELS_BF16
/* Twelve accumulators hide the latency of a multiply-add (four or five cycles
 * at two per cycle) and fit with two factors into sixteen registers. */
#ifdef __AVX2__
enum { ROOF_SUMS = 12 };
#else
enum { ROOF_SUMS = 48 / VECTOR_LANES };
#endif
#ifdef __clang__
#define UNROLL_SUMS
#else
#define UNROLL_SUMS _Pragma("GCC unroll 12")
#endif

/* Sums start at different values, not at 2, their limit: the compiler would
 * compute equal sums once and constant ones never. None becomes denormal. */
static float
roof_products(long n)
{
	const vec x = (vec){ 0 } + 0.5F, y = (vec){ 0 } + 1.0F;
	vec s[ROOF_SUMS], all = { 0 };

	UNROLL_SUMS
	for (int k = 0; k < ROOF_SUMS; k++)
		s[k] = (vec){ 0 } + (float)(k + 3);
	for (long i = 0; i < n; i++) {
		UNROLL_SUMS
		for (int k = 0; k < ROOF_SUMS; k++)
			s[k] = s[k] * x + y;
	}
	UNROLL_SUMS
	for (int k = 0; k < ROOF_SUMS; k++)
		all += s[k];
	return all[0];
}

static float
roof_read(const float *a, size_t n)
{
	vec s[ROOF_SUMS] = { { 0 } }, all = { 0 };
	size_t i = 0;

	for (; i + ROOF_SUMS * VECTOR_LANES <= n;
	     i += ROOF_SUMS * VECTOR_LANES) {
		UNROLL_SUMS
		for (int k = 0; k < ROOF_SUMS; k++)
			s[k] += vec_load(a + i + k * VECTOR_LANES);
	}
	for (; i < n; i += VECTOR_LANES)
		all += vec_load(a + i);
	UNROLL_SUMS
	for (int k = 0; k < ROOF_SUMS; k++)
		all += s[k];
	return all[0];
}

static void
roof_triad(float *a, const float *b, const float *c, size_t n)
{
	for (size_t i = 0; i < n; i += VECTOR_LANES)
		vec_store_past(a + i, vec_load(b + i) * 0.5F + vec_load(c + i));
	vec_fence();
}

static void
roof_update(float *a, float *b, const float *c, size_t n)
{
	for (size_t i = 0; i < n; i += VECTOR_LANES) {
		const vec v = vec_load(b + i) * 0.5F + vec_load(c + i);

		vec_store(b + i, v);
		vec_store(a + i, vec_load(a + i) - v * 0.25F);
	}
}
#endif

/* Table for cpu_kernels_find(). */
const struct cpu_kernels KERNELS(cpu_kernels) = {
	.isa = KERNELS_ISA,
	.type = KERNELS_BF16 ? DTYPE_BF16 : DTYPE_FP32,
	.lanes = VECTOR_LANES,
	.stats = KERNELS(stats),
	.norm = KERNELS(norm),
	.norm_back_sums = KERNELS(norm_back_sums),
	.block_back_sums = KERNELS(block_back_sums),
	.norm_back = KERNELS(norm_back),
	.maxpool = KERNELS(maxpool),
	.maxpool_back = KERNELS(maxpool_back),
	.avgpool = KERNELS(avgpool),
	.avgpool_back = KERNELS(avgpool_back),
	.add = KERNELS(add),
	.sum = KERNELS(sum),
	.relu_back = KERNELS(relu_back),
	.from_float = KERNELS(from_float),
	.to_float = KERNELS(to_float),
	.sgd = KERNELS(sgd),
#if !KERNELS_BF16
	.sums = ROOF_SUMS,
	.products = roof_products,
	.read = roof_read,
	.triad = roof_triad,
	.update = roof_update,
#endif
};

#undef elem
#undef LOAD
#undef STORE
#undef SIDE
