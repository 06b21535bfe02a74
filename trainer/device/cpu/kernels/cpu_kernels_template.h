/* The kernels of cpu_kernels.h for elements of one type and one instruction
 * set.  A template, included twice by each cpu_kernels*.c with
 *
 *	KERNELS_BF16   1: bf16 elements, 0: fp32
 *	KERNELS(name)  the name with type and instruction set after it
 *	KERNELS_ISA    "AVX-512"
 *
 * Vectors are GCC's and clang's own, VECTOR_LANES floats (cpu_vector.h): the
 * compiler splits them where the registers are shorter.
 */
#include <string.h>

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
	vec_half h;

	memcpy(&h, p, sizeof h);
	return (vec)(__builtin_convertvector(h, vec_uint) << 16);
#else
	vec v;

	memcpy(&v, p, sizeof v);
	return v;
#endif
}

/* bf16: to the nearest, ties to even; NaNs of the CPU's kind stay. */
static inline void
KERNELS(store)(elem *p, vec v)
{
#if KERNELS_BF16
	vec_uint u = (vec_uint)v;
	vec_half h;

	u += 0x7fff + (u >> 16 & 1);
	h = __builtin_convertvector(u >> 16, vec_half);
	memcpy(p, &h, sizeof h);
#else
	memcpy(p, &v, sizeof v);
#endif
}

#define LOAD KERNELS(load)
#define STORE KERNELS(store)

/* Sums are kept for four vectors side by side and folded to the block's
 * channels at the end; long panels are cut, so that a float never gathers more
 * than 64 terms before it joins a sum of sums. */
static inline void
KERNELS(fold)(int block, const vec acc[4], float *out)
{
	const int groups = block / VECTOR_LANES;

	for (int g = 0; g < 4; g++) {
		vec v = vec_load(out + g % groups * VECTOR_LANES);

		vec_store(out + g % groups * VECTOR_LANES, v + acc[g]);
	}
}

static void
KERNELS(stats)(struct cpu_panel p, const void *xv, const float *pivot,
    float *sum, float *squares)
{
	const elem *x = xv;
	const int groups = p.block / VECTOR_LANES;
	vec middle[4], total[4] = { { 0 } }, total2[4] = { { 0 } };
	const size_t n = p.n / VECTOR_LANES;

	for (int g = 0; g < 4; g++)
		middle[g] = vec_load(pivot + g % groups * VECTOR_LANES);
	for (size_t i = 0; i < n;) {
		const size_t end = n - i > 256 ? i + 256 : n;
		vec s[4] = { { 0 } }, q[4] = { { 0 } };

		for (; i + 4 <= end; i += 4)
			for (size_t g = 0; g < 4; g++) {
				vec v = LOAD(x + (i + g) * VECTOR_LANES) -
				    middle[g];

				s[g] += v;
				q[g] += v * v;
			}
		for (size_t g = 0; i < end; i++, g++) {
			vec v = LOAD(x + i * VECTOR_LANES) - middle[g];

			s[g] += v;
			q[g] += v * v;
		}
		for (int g = 0; g < 4; g++) {
			total[g] += s[g];
			total2[g] += q[g];
		}
	}
	KERNELS(fold)(p.block, total, sum);
	KERNELS(fold)(p.block, total2, squares);
}

/* The per-channel numbers of a normalisation for one vector of the block. */
struct KERNELS(lane) {
	vec mean, scale, shift;
};

static inline struct KERNELS(lane)
    KERNELS(lane_of)(const struct cpu_norm *a, int g)
{
	return (struct KERNELS(lane)){ vec_load(a->mean + g * VECTOR_LANES),
		vec_load(a->scale + g * VECTOR_LANES),
		vec_load(a->shift + g * VECTOR_LANES) };
}

static inline vec
KERNELS(normed)(struct KERNELS(lane) l, vec x)
{
	return (x - l.mean) * l.scale + l.shift;
}

static void
KERNELS(norm)(struct cpu_panel p, const struct cpu_norm *a,
    const struct cpu_norm *b, const void *addv, int relu, void *yv)
{
	const size_t step = (size_t)p.block;
	const elem *add = addv;
	elem *y = yv;

	for (int g = 0; g < p.block / VECTOR_LANES; g++) {
		const struct KERNELS(lane) la = KERNELS(lane_of)(a, g);
		const struct KERNELS(lane) lb =
		    KERNELS(lane_of)(b != NULL ? b : a, g);
		const elem *xa = a->x, *xb = b != NULL ? b->x : NULL;

		for (size_t i = (size_t)g * VECTOR_LANES; i < p.n; i += step) {
			vec v = KERNELS(normed)(la, LOAD(xa + i));

			if (xb != NULL)
				v += KERNELS(normed)(lb, LOAD(xb + i));
			if (add != NULL)
				v += LOAD(add + i);
			STORE(y + i, relu ? vec_relu(v) : v);
		}
	}
}

static void
KERNELS(norm_back_sums)(struct cpu_panel p, const struct cpu_norm *a, int relu,
    const void *dyv, float *sum, float *dot)
{
	const int groups = p.block / VECTOR_LANES;
	const elem *x = a->x, *dy = dyv;
	struct KERNELS(lane) l[4];
	vec total[4] = { { 0 } }, total2[4] = { { 0 } };
	const size_t n = p.n / VECTOR_LANES;

	for (int g = 0; g < 4; g++)
		l[g] = KERNELS(lane_of)(a, g % groups);
	for (size_t i = 0; i < n;) {
		const size_t end = n - i > 256 ? i + 256 : n;
		vec s[4] = { { 0 } }, q[4] = { { 0 } };

		while (i < end)
			for (size_t g = 0; g < 4 && i < end; g++, i++) {
				vec v = LOAD(x + i * VECTOR_LANES);
				vec d = LOAD(dy + i * VECTOR_LANES);

				if (relu)
					d = vec_mask(
					    KERNELS(normed)(l[g], v), d);
				s[g] += d;
				q[g] += d * (v - l[g].mean);
			}
		for (int g = 0; g < 4; g++) {
			total[g] += s[g];
			total2[g] += q[g];
		}
	}
	KERNELS(fold)(p.block, total, sum);
	KERNELS(fold)(p.block, total2, dot);
}

static void
KERNELS(block_back_sums)(struct cpu_panel p, const struct cpu_norm *a,
    const struct cpu_norm *b, const void *yv, const void *dy2v, void *dyv,
    float *sum, float *dot_a, float *dot_b)
{
	const size_t step = (size_t)p.block;
	const elem *xa = a->x, *xb = b != NULL ? b->x : NULL;
	const elem *y = yv, *dy2 = dy2v;
	elem *dy = dyv;

	for (int g = 0; g < p.block / VECTOR_LANES; g++) {
		const vec ma = vec_load(a->mean + g * VECTOR_LANES);
		const vec mb =
		    vec_load((b != NULL ? b : a)->mean + g * VECTOR_LANES);
		vec total[3] = { { 0 } };

		for (size_t i = (size_t)g * VECTOR_LANES; i < p.n;) {
			const size_t end =
			    p.n - i > 64 * step ? i + 64 * step : p.n;
			vec s[3] = { { 0 } };

			for (; i < end; i += step) {
				vec d = LOAD(dy + i);

				if (dy2 != NULL)
					d += LOAD(dy2 + i);
				if (y != NULL)
					d = vec_mask(LOAD(y + i), d);
				STORE(dy + i, d);
				s[0] += d;
				s[1] += d * (LOAD(xa + i) - ma);
				if (xb != NULL)
					s[2] += d * (LOAD(xb + i) - mb);
			}
			for (int k = 0; k < 3; k++)
				total[k] += s[k];
		}
		vec_add_to(sum + g * VECTOR_LANES, total[0]);
		vec_add_to(dot_a + g * VECTOR_LANES, total[1]);
		if (xb != NULL)
			vec_add_to(dot_b + g * VECTOR_LANES, total[2]);
	}
}

static void
KERNELS(norm_back)(struct cpu_panel p, const struct cpu_norm *a, int relu,
    const float *k0v, const float *k1v, const void *dyv, void *dxv)
{
	const size_t step = (size_t)p.block;
	const elem *x = a->x, *dy = dyv;
	elem *dx = dxv;

	for (int g = 0; g < p.block / VECTOR_LANES; g++) {
		const struct KERNELS(lane) l = KERNELS(lane_of)(a, g);
		const vec k0 = vec_load(k0v + g * VECTOR_LANES);
		const vec k1 = vec_load(k1v + g * VECTOR_LANES);

		for (size_t i = (size_t)g * VECTOR_LANES; i < p.n; i += step) {
			vec v = LOAD(x + i), d = LOAD(dy + i);

			if (relu)
				d = vec_mask(KERNELS(normed)(l, v), d);
			STORE(dx + i, l.scale * d + (v - l.mean) * k1 + k0);
		}
	}
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

/* Each input pixel gathers from the windows that cover it. */
/* The windows that hold an input at `at`, which counts the padding: from the
 * first, which may come after the last, to the last of n. */
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

			/* In the order of the places in a window. */
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

	/* Arenas are multiples of 16 elements. */
	for (size_t i = 0; i < n; i += VECTOR_LANES) {
		vec w = vec_load(param + i);
		vec m = vec_load(momentum + i) * keep +
		    (vec_load(grad + i) * scale + w * decay);

		vec_store(momentum + i, m);
		vec_store(param + i, w - m * lr);
	}
}

/* What cpu_kernels.c chooses. */
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
};

#undef elem
#undef LOAD
#undef STORE
