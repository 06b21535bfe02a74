/* Winograd's weight gradients of 3 x 3 convolutions, for CPUs with AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/winograd.h"

#include <string.h>

#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/winograd_points.h"

enum {
	GROUP = 4,             /* channel blocks of a unit */
	WIDTH = GROUP * LANES, /* channels */
	DEPTH = 32,            /* most tiles at a time */
	SMALL_DEPTH = 16,      /* with an L2 cache of 1 MiB */
	LARGE_CACHE = 3 << 19, /* 1.5 MiB */
	ROWS = 4,              /* input channels at a time */
	UNITS = 16,            /* least number of units */
	SLICE_TILES = 64,      /* least tiles per slice if there are several */
	LEAST_TILES = 8 /* least tiles for which transforming the sums pays */
};

/* Floats between positions: slightly more than a power of two; otherwise all
 * positions of a tile would share one cache set. */
enum { PANEL = DEPTH * WIDTH + LANES, SUMS = WIDTH * WIDTH + LANES };

struct winograd_scratch {
	float x[POSITIONS][PANEL], dy[POSITIONS][PANEL];
	float sums[POSITIONS][SUMS];
};

/* Evaluate four gradients at the six points, over the points' distances. */
static inline void
gradient_points(const vec g[TILE], vec out[SIDE])
{
	const float na = 1 / (2 * A2 * (A2 - B2)),
		    nb = 1 / (2 * B2 * (B2 - A2));
	const vec even_a = add_product(g[0] * all_lanes(na), na * A2, g[2]);
	const vec odd_a =
	    add_product(g[1] * all_lanes(na * A), na * A2 * A, g[3]);
	const vec even_b = add_product(g[0] * all_lanes(nb), nb * B2, g[2]);
	const vec odd_b =
	    add_product(g[1] * all_lanes(nb * B), nb * B2 * B, g[3]);

	out[0] = g[0] * all_lanes(1 / (A2 * B2));
	out[1] = even_a + odd_a;
	out[2] = even_a - odd_a;
	out[3] = even_b + odd_b;
	out[4] = even_b - odd_b;
	out[5] = g[3];
}

/* Transform six products to three sums. */
static inline void
sums_of_points(const vec m[SIDE], vec out[3])
{
	const vec even_a = m[1] + m[2], odd_a = m[1] - m[2];
	const vec even_b = m[3] + m[4], odd_b = m[3] - m[4];

	out[0] = m[0] + even_a + even_b;
	out[1] = add_product(all_lanes(A) * odd_a, B, odd_b);
	out[2] = add_product(add_product(m[5], A2, even_a), B2, even_b);
}

/* Transform sixteen channels of a tile of the gradient, which may be partial;
 * position i is stored at out + i * PANEL. Returns their sum. */
static vec
transform_gradient(struct tile_place p, int n_rows, int n_columns, float *out)
{
	vec rows[TILE][SIDE], sum = all_lanes(0);
	__mmask16 there[TILE];

	UNROLL
	for (int k = 0; k < TILE; k++)
		there[k] = (__mmask16) - (k < n_columns);
	p.plane.h = p.y + n_rows;
	UNROLL
	for (int i = 0; i < TILE; i++) {
		vec g[TILE];

		load_row(p.plane, p.y + i, p.x, TILE, there, g);
		gradient_points(g, rows[i]);
		sum += (g[0] + g[1]) + (g[2] + g[3]);
	}
	UNROLL
	for (int k = 0; k < SIDE; k++) {
		vec g[TILE], t[SIDE];

		UNROLL
		for (int i = 0; i < TILE; i++)
			g[i] = rows[i][k];
		gradient_points(g, t);
		UNROLL
		for (int i = 0; i < SIDE; i++)
			_mm512_store_ps(out + (i * SIDE + k) * PANEL, t[i]);
	}
	return sum;
}

/* sums (+)= the products of ROWS input and WIDTH output channels, summed over
 * depth tiles. */
static inline __attribute__((always_inline)) void
multiply_rows(int depth, const float *x, const float *dy, int add, float *sums)
{
	vec acc[ROWS][GROUP];

	UNROLL
	for (int i = 0; i < ROWS; i++)
		UNROLL
	for (int k = 0; k < GROUP; k++)
		acc[i][k] = add ? _mm512_load_ps(sums + i * WIDTH + k * LANES)
				: all_lanes(0);
	for (int t = 0; t < depth; t++, x += WIDTH, dy += WIDTH) {
		vec g[GROUP];

		UNROLL
		for (int k = 0; k < GROUP; k++)
			g[k] = _mm512_load_ps(dy + k * LANES);
		UNROLL
		for (int i = 0; i < ROWS; i++)
			UNROLL
		for (int k = 0; k < GROUP; k++)
			acc[i][k] =
			    _mm512_fmadd_ps(all_lanes(x[i]), g[k], acc[i][k]);
	}
	UNROLL
	for (int i = 0; i < ROWS; i++)
		UNROLL
	for (int k = 0; k < GROUP; k++)
		_mm512_store_ps(sums + i * WIDTH + k * LANES, acc[i][k]);
}

/* Transform 36 sums to nine for one input channel, sixteen output channels. */
static void
transform_sums(const float *sums, float *dw)
{
	vec columns[3][SIDE];

	UNROLL
	for (int k = 0; k < SIDE; k++) {
		vec m[SIDE], t[3];

		UNROLL
		for (int i = 0; i < SIDE; i++)
			m[i] = _mm512_load_ps(sums + (i * SIDE + k) * SUMS);
		sums_of_points(m, t);
		UNROLL
		for (int i = 0; i < 3; i++)
			columns[i][k] = t[i];
	}
	UNROLL
	for (int i = 0; i < 3; i++) {
		vec t[3];

		sums_of_points(columns[i], t);
		UNROLL
		for (int k = 0; k < 3; k++)
			_mm512_storeu_ps(
			    dw + (i * 3 + k) * LANES * LANES, t[k]);
	}
}

void
winograd_cut(struct winograd *c)
{
	const int groups = c->in_blocks / GROUP * (c->out_blocks / GROUP);
	long n = groups > 0 ? (UNITS + groups - 1) / groups : 1;

	c->tiles = (long)c->images * tiles_of(c->out_h) * tiles_of(c->out_w);
	if (n > c->tiles / SLICE_TILES)
		n = c->tiles / SLICE_TILES;
	c->slices = n > 1 ? (int)n : 1;
	c->units = groups * c->slices;
}

size_t
winograd_scratch_bytes(void)
{
	return sizeof(struct winograd_scratch);
}

/* Floats of the weight sums of a slice. */
static size_t
weights_size(const struct winograd *c)
{
	return (size_t)c->in_blocks * (size_t)c->out_blocks * TAPS * LANES *
	    LANES;
}

static size_t
slice_size(const struct winograd *c)
{
	return weights_size(c) + (size_t)c->out_blocks * LANES;
}

size_t
winograd_sums_bytes(const struct winograd *c)
{
	return (size_t)(c->slices - 1) * slice_size(c) * sizeof(float);
}

/* Work of a unit. */
struct winograd_part {
	const struct winograd *c;
	const struct winograd_places *p;
	int in, out;     /* first of GROUP blocks */
	long first, end; /* tiles */
};

/* A tile of one of a unit's blocks; input blocks come first. */
static struct tile_place
find_place(const struct winograd_part *u, int block, struct tile_spot s)
{
	const struct winograd *c = u->c;
	struct tile_place p = { .y = s.y, .x = s.x };

	if (block < GROUP) {
		p.plane.at = u->p->x +
		    (size_t)(s.image * c->in_blocks + u->in + block) *
			(size_t)c->h * (size_t)c->w * LANES;
		p.plane.h = c->h;
		p.plane.w = c->w;
		p.y -= c->pad;
		p.x -= c->pad;
	} else {
		p.plane.at = u->p->dy +
		    (size_t)(s.image * c->out_blocks + u->out + block - GROUP) *
			(size_t)c->out_h * (size_t)c->out_w * LANES;
		p.plane.h = c->out_h;
		p.plane.w = c->out_w;
	}
	return p;
}

/* Transform n tiles of all blocks, block by block, because the CPU prefetches
 * along rows. Adds the sum of the gradient to bias. */
static void
transform_tiles(const struct winograd_part *u, const struct tile_spot *spots,
    int n, float *bias, struct winograd_scratch *s)
{
	for (int b = 0; b < GROUP; b++)
		for (int t = 0; t < n; t++)
			transform_input(find_place(u, b, spots[t]), PANEL,
			    s->x[0] + t * WIDTH + b * LANES);
	for (int b = 0; b < GROUP; b++) {
		vec sum = _mm512_loadu_ps(bias + b * LANES);

		for (int t = 0; t < n; t++)
			sum += transform_gradient(
			    find_place(u, GROUP + b, spots[t]), spots[t].rows,
			    spots[t].columns, s->dy[0] + t * WIDTH + b * LANES);
		_mm512_storeu_ps(bias + b * LANES, sum);
	}
}

/* Compute all products of a unit. */
static void
multiply_tiles(
    const struct winograd_part *u, float *bias, struct winograd_scratch *s)
{
	const int depth = u->c->cache >= LARGE_CACHE ? DEPTH : SMALL_DEPTH;

	for (long t = u->first; t < u->end; t += depth) {
		const int n = u->end - t < depth ? (int)(u->end - t) : depth;
		struct tile_spot spots[DEPTH];

		for (int i = 0; i < n; i++)
			spots[i] =
			    tile_spot_of(u->c->out_h, u->c->out_w, t + i);
		transform_tiles(u, spots, n, bias, s);
		/* All 36 products over these tiles, added to earlier ones. */
		for (int p = 0; p < POSITIONS; p++)
			for (int i = 0; i < WIDTH; i += ROWS)
				multiply_rows(n, s->x[p] + i, s->dy[p],
				    t > u->first, s->sums[p] + i * WIDTH);
	}
}

static void
run_unit(const struct winograd *c, const struct winograd_places *p, int unit,
    char *scratch)
{
	struct winograd_scratch *s = (struct winograd_scratch *)(void *)scratch;
	const int slice = unit % c->slices, group = unit / c->slices;
	const int groups = c->in_blocks / GROUP;
	const struct winograd_part u = { c, p, group % groups * GROUP,
		group / groups * GROUP, c->tiles * slice / c->slices,
		c->tiles * (slice + 1) / c->slices };
	float bias[WIDTH] = { 0 };
	float *dw =
	    slice == 0 ? p->dw : p->sums + (size_t)(slice - 1) * slice_size(c);
	float *db = slice == 0 ? p->bias : dw + weights_size(c);

	multiply_tiles(&u, bias, s);
	for (int i = 0; i < GROUP * WIDTH; i++) {
		const int o = i / WIDTH, k = i % WIDTH;
		const size_t block =
		    (size_t)(u.out + o) * (size_t)c->in_blocks +
		    (size_t)(u.in + k / LANES);

		transform_sums(s->sums[0] + k * WIDTH + o * LANES,
		    dw + block * TAPS * LANES * LANES + k % LANES * LANES);
	}
	if (u.in == 0 && db != NULL)
		memcpy(db + u.out * LANES, bias, sizeof bias);
}

/* to += from. */
static void
add_to(size_t n, const float *from, float *to)
{
	for (size_t i = 0; i < n; i += LANES)
		_mm512_storeu_ps(to + i,
		    _mm512_loadu_ps(to + i) + _mm512_loadu_ps(from + i));
}

static void
add_slices(
    const struct winograd *c, const struct winograd_places *p, int out_block)
{
	const size_t n = weights_size(c) / (size_t)c->out_blocks;

	for (int k = 1; k < c->slices; k++) {
		const float *from = p->sums + (size_t)(k - 1) * slice_size(c);

		add_to(n, from + (size_t)out_block * n,
		    p->dw + (size_t)out_block * n);
		if (p->bias != NULL)
			add_to(LANES,
			    from + weights_size(c) + (size_t)out_block * LANES,
			    p->bias + out_block * LANES);
	}
}

void
winograd_run(const struct winograd *c, const struct winograd_places *p,
    char *space, size_t stride)
{
	PARALLEL_FOR
	for (int i = 0; i < c->units; i++)
		run_unit(c, p, i, space + (size_t)parallel_thread() * stride);
	PARALLEL_FOR
	for (int i = 0; i < c->out_blocks; i++)
		add_slices(c, p, i);
}

int
winograd_suits(const struct winograd *c)
{
	return c->pad == 1 && c->in_blocks % GROUP == 0 &&
	    c->out_blocks % GROUP == 0 && c->tiles >= LEAST_TILES &&
	    c->units >= 2 * c->threads;
}
