/* 3 x 3 convolutions by Winograd's algorithm, forward and backward to the
 * input, for CPUs with AVX-512.
 *
 * The data of a unit stays in the L2 cache: transformed weights of some input
 * and 64 output channels, transformed input of some tiles, and their sums. Each
 * unit transforms its weights: that takes less time than reading transformed
 * ones, four times the size, from memory. */
#include <config.h>

#include "trainer/device/cpu/kernels/winograd.h"

#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/transpose.h"
#include "trainer/device/cpu/kernels/winograd_points.h"

enum {
	GROUP = 4,             /* output channel blocks of a unit */
	WIDTH = GROUP * LANES, /* channels */
	ROWS = 6,              /* tiles accumulated in registers */
	MOST_TILES = 32,       /* most tiles of a step */
	LARGE_CACHE = 7 << 18, /* bytes: 1.75 MiB */
	LEAST_TILES = 8        /* fewest that are worth transforming weights */
};

/* Evaluate three weights at the six points, over the points' distances. */
static inline void
weight_points(const vec g[3], vec out[SIDE])
{
	const float na = 1 / (2 * A2 * (A2 - B2)),
		    nb = 1 / (2 * B2 * (B2 - A2));
	const vec even_a = add_product(g[0] * all_lanes(na), na * A2, g[2]);
	const vec even_b = add_product(g[0] * all_lanes(nb), nb * B2, g[2]);
	const vec odd_a = g[1] * all_lanes(na * A);
	const vec odd_b = g[1] * all_lanes(nb * B);

	out[0] = g[0] * all_lanes(1 / (A2 * B2));
	out[1] = even_a + odd_a;
	out[2] = even_a - odd_a;
	out[3] = even_b + odd_b;
	out[4] = even_b - odd_b;
	out[5] = g[2];
}

/* Transform six products to four results. */
static inline void
results_of_points(const vec m[SIDE], vec out[TILE])
{
	const vec even_a = m[1] + m[2], odd_a = m[1] - m[2];
	const vec even_b = m[3] + m[4], odd_b = m[3] - m[4];

	out[0] = m[0] + even_a + even_b;
	out[1] = add_product(all_lanes(A) * odd_a, B, odd_b);
	out[2] = add_product(all_lanes(A2) * even_a, B2, even_b);
	out[3] = add_product(add_product(m[5], A2 * A, odd_a), B2 * B, odd_b);
}

/* Transform the nine weights from one input channel to sixteen output channels;
 * position i is stored at out + i * step. */
static void
transform_weights(const float *w, size_t step, float *out)
{
	vec columns[SIDE][3];

	UNROLL
	for (int k = 0; k < 3; k++) {
		vec g[3], t[SIDE];

		UNROLL
		for (int i = 0; i < 3; i++)
			g[i] = _mm512_loadu_ps(w + (i * 3 + k) * LANES * LANES);
		weight_points(g, t);
		UNROLL
		for (int i = 0; i < SIDE; i++)
			columns[i][k] = t[i];
	}
	UNROLL
	for (int i = 0; i < SIDE; i++) {
		vec t[SIDE];

		weight_points(columns[i], t);
		UNROLL
		for (int k = 0; k < SIDE; k++)
			_mm512_store_ps(
			    out + (size_t)(i * SIDE + k) * step, t[k]);
	}
}

static void
transpose_block(const float *in, float *out)
{
	__m512i r[LANES];

#pragma GCC unroll 16
	for (int i = 0; i < LANES; i++)
		r[i] = _mm512_loadu_si512(in + i * LANES);
	transpose_16(r);
#pragma GCC unroll 16
	for (int i = 0; i < LANES; i++)
		_mm512_storeu_si512(out + i * LANES, r[i]);
}

/* One of the 36 products: sums = [sums +] x * weights for some tiles, depth
 * input and 64 output channels. Prefetches for later steps: memory is idle. */
struct conv_product {
	int tiles, depth, add;
	const float *x, *weights;
	float *sums;
	const float *then;        /* weights of the next product */
	const float *const *soon; /* rows of TILE pixels for the next steps */
};

/* Multiply `rows` tiles, at most ROWS, whose sums fit in registers. */
static inline __attribute__((always_inline)) void
multiply_rows(int rows, struct conv_product p)
{
	vec acc[ROWS][GROUP];

	UNROLL
	for (int i = 0; i < rows; i++)
		UNROLL
	for (int k = 0; k < GROUP; k++)
		acc[i][k] = p.add
		    ? _mm512_load_ps(p.sums + i * WIDTH + k * LANES)
		    : all_lanes(0);
	for (int c = 0; c < p.depth; c++) {
		vec w[GROUP];

		_mm_prefetch(
		    (const char *)(p.soon[c / TILE] + c % TILE * LANES),
		    _MM_HINT_T1);
		_mm_prefetch((const char *)(p.then + c * LANES), _MM_HINT_T0);
		UNROLL
		for (int k = 0; k < GROUP; k++)
			w[k] =
			    _mm512_load_ps(p.weights + c * WIDTH + k * LANES);
		UNROLL
		for (int i = 0; i < rows; i++) {
			const vec x = all_lanes(p.x[i * p.depth + c]);

			UNROLL
			for (int k = 0; k < GROUP; k++)
				acc[i][k] = _mm512_fmadd_ps(x, w[k], acc[i][k]);
		}
	}
	UNROLL
	for (int i = 0; i < rows; i++)
		UNROLL
	for (int k = 0; k < GROUP; k++)
		_mm512_store_ps(p.sums + i * WIDTH + k * LANES, acc[i][k]);
}

static int
parts_of(int tiles)
{
	return (tiles + ROWS - 1) / ROWS;
}

/* Multiply all tiles in parts of nearly equal size. Not inlined, or the
 * compiler would run out of registers for addresses. */
static __attribute__((noinline)) void
multiply_tiles(struct conv_product p)
{
	const int parts = parts_of(p.tiles), tiles = p.tiles;

	for (int i = 0, done = 0; i < parts; i++) {
		const int rows = tiles * (i + 1) / parts - done;

		switch (rows) {
		case 1:
			multiply_rows(1, p);
			break;
		case 2:
			multiply_rows(2, p);
			break;
		case 3:
			multiply_rows(3, p);
			break;
		case 4:
			multiply_rows(4, p);
			break;
		case 5:
			multiply_rows(5, p);
			break;
		default:
			multiply_rows(ROWS, p);
			break;
		}
		done += rows;
		p.x += rows * p.depth;
		p.sums += rows * WIDTH;
		p.soon += p.depth / TILE;
		p.then += p.depth * LANES;
	}
}

/* Transform the results of one tile, sixteen channels; rows x columns of them
 * are in the plane. */
static void
transform_sums(const float *sums, size_t step, vec bias, int relu, int rows,
    const __mmask16 *there, ptrdiff_t row, float *y)
{
	vec columns[TILE][SIDE];

	UNROLL
	for (int k = 0; k < SIDE; k++) {
		vec m[SIDE], t[TILE];

		UNROLL
		for (int i = 0; i < SIDE; i++)
			m[i] = _mm512_load_ps(
			    sums + (size_t)(i * SIDE + k) * step);
		results_of_points(m, t);
		UNROLL
		for (int i = 0; i < TILE; i++)
			columns[i][k] = t[i];
	}
	UNROLL
	for (int i = 0; i < TILE; i++) {
		vec t[TILE];

		if (i >= rows)
			break;
		results_of_points(columns[i], t);
		UNROLL
		for (int k = 0; k < TILE; k++) {
			t[k] += bias;
			if (relu)
				t[k] = _mm512_max_ps(t[k], all_lanes(0));
			_mm512_mask_storeu_ps(
			    y + i * row + k * LANES, there[k], t[k]);
		}
	}
}

/* A step: some tiles of a unit, some input channels. */
struct conv_step {
	int unit;
	int out;         /* first of GROUP output blocks */
	long first, end; /* tiles of the unit */
	int in, n_in;    /* input blocks */
	long tile;
	int tiles;
	struct tile_spot spots[MOST_TILES];
};

/* Working data of a thread. */
struct conv_part {
	const struct winograd *c;
	const struct winograd_conv_places *p;
	/* Scratch, and the floats from one position to the next: slightly more
	 * than a power of two, or all would fall into the same cache set. */
	float *weights, *x, *sums;
	size_t weights_step, x_step, sums_step;
	const float **soon; /* rows to prefetch */
};

static long
smaller_of(long a, long b)
{
	return a < b ? a : b;
}

/* Rows that can be prefetched during one of the 36 products. */
static int
soon_of_product(int tiles, int blocks)
{
	return parts_of(tiles) * blocks * (LANES / TILE);
}

/* Divide a thread's scratch. Returns its bytes. */
static size_t
set_scratch(const struct winograd *c, struct conv_part *u, char *scratch)
{
	const size_t depth = (size_t)c->depth * LANES;
	const size_t soon =
	    POSITIONS * (size_t)soon_of_product(c->block, c->depth);

	u->weights_step = depth * WIDTH + LANES;
	u->x_step = (size_t)c->block * depth + LANES;
	/* Keep the sums of all of a unit's tiles, unless they are complete
	 * after the first input channels. */
	u->sums_step =
	    (size_t)(c->depth < c->in_blocks ? c->range : c->block) * WIDTH +
	    LANES;
	if (scratch != NULL) {
		u->weights = (float *)(void *)scratch;
		u->x = u->weights + POSITIONS * u->weights_step;
		u->sums = u->x + POSITIONS * u->x_step;
		u->soon = (const float **)(void *)(u->sums +
		    POSITIONS * u->sums_step);
	}
	return POSITIONS * (u->weights_step + u->x_step + u->sums_step) *
	    sizeof(float) +
	    soon * sizeof *u->soon;
}

size_t
winograd_conv_bytes(const struct winograd *c)
{
	struct conv_part u;

	return set_scratch(c, &u, NULL);
}

static void
step_size(const struct conv_part *u, struct conv_step *s)
{
	s->n_in = (int)smaller_of(u->c->depth, u->c->in_blocks - s->in);
	s->tiles = (int)smaller_of(u->c->block, s->end - s->tile);
	for (int i = 0; i < s->tiles; i++)
		s->spots[i] =
		    tile_spot_of(u->c->out_h, u->c->out_w, s->tile + i);
}

/* Set s to the first step of a unit, which need not exist. */
static void
first_step(const struct conv_part *u, int unit, struct conv_step *s)
{
	const struct winograd *c = u->c;
	const int ranges = (int)((c->tiles + c->range - 1) / c->range);

	s->unit = unit;
	s->out = unit / ranges * GROUP;
	s->in = 0;
	s->tile = s->first = (long)(unit % ranges) * c->range;
	s->end = smaller_of(s->first + c->range, c->tiles);
	step_size(u, s);
}

/* Set s to the step after `before`: the next tiles, input channels, or unit. */
static void
next_step(const struct conv_part *u, const struct conv_step *before,
    struct conv_step *s)
{
	*s = *before;
	s->tile += s->tiles;
	if (s->tile >= s->end) {
		s->tile = s->first;
		s->in += s->n_in;
	}
	if (s->in >= u->c->in_blocks)
		first_step(u, s->unit + 1, s);
	else
		step_size(u, s);
}

/* Weights from an input to an output block. */
static const float *
weight_block(const struct conv_part *u, int in, int out)
{
	const size_t i = u->c->is_gradient
	    ? (size_t)in * (size_t)u->c->out_blocks + (size_t)out
	    : (size_t)out * (size_t)u->c->in_blocks + (size_t)in;

	return u->p->weights + i * TAPS * LANES * LANES;
}

static struct pixel_plane
input_plane(const struct conv_part *u, int image, int block)
{
	const struct winograd *c = u->c;

	return (struct pixel_plane){ u->p->x +
		    (size_t)(image * c->in_blocks + block) * (size_t)c->h *
			(size_t)c->w * LANES,
		c->h, c->w };
}

static float *
output_plane(const struct conv_part *u, int image, int block)
{
	const struct winograd *c = u->c;

	return u->p->y +
	    (size_t)(image * c->out_blocks + block) * (size_t)c->out_h *
	    (size_t)c->out_w * LANES;
}

static int
note_row(const struct conv_part *u, const float *row, int noted, int most)
{
	if (noted < most)
		u->soon[noted++] = row;
	return noted;
}

/* Note approximately the input rows that the step is the first to read. */
static int
note_inputs(
    const struct conv_part *u, const struct conv_step *s, int noted, int most)
{
	for (int b = 0; b < s->n_in; b++)
		for (int t = 0; t < s->tiles; t++) {
			const struct tile_spot at = s->spots[t];
			const struct pixel_plane p =
			    input_plane(u, at.image, s->in + b);
			const int x = at.x > u->c->pad ? at.x - u->c->pad : 0;
			int y = at.y - u->c->pad + SIDE - TILE;

			for (int end = y + TILE; y < end; y++)
				if (y >= 0 && y < p.h)
					noted = note_row(u,
					    p.at + (y * p.w + x) * LANES, noted,
					    most);
		}
	return noted;
}

/* Note the rows to prefetch during the step: its output rows, if it writes
 * them, and input rows of the next step. */
static void
note_rows(const struct conv_part *u, const struct conv_step *s,
    const struct conv_step *next, int most)
{
	int noted = 0;

	for (int i = 0;
	     i < GROUP * s->tiles && s->in + s->n_in == u->c->in_blocks; i++) {
		const struct tile_spot at = s->spots[i % s->tiles];
		const float *y =
		    output_plane(u, at.image, s->out + i / s->tiles) +
		    (at.y * u->c->out_w + at.x) * LANES;

		for (int k = 0; k < at.rows; k++)
			noted = note_row(
			    u, y + k * u->c->out_w * LANES, noted, most);
	}
	for (int i = 0; i < GROUP * next->n_in && next->unit < u->c->units &&
	     (next->in != s->in || next->out != s->out);
	     i++) {
		const float *w = weight_block(
		    u, next->in + i % next->n_in, next->out + i / next->n_in);

		for (int k = 0; k < TAPS * LANES * LANES; k += TILE * LANES)
			noted = note_row(u, w + k, noted, most);
	}
	if (next->unit < u->c->units)
		noted = note_inputs(u, next, noted, most);
	while (noted < most)
		u->soon[noted++] = u->weights;
}

static void
transform_results(const struct conv_part *u, const struct conv_step *s,
    const float *sums, int t)
{
	const struct winograd *c = u->c;
	const struct tile_spot at = s->spots[t];
	const ptrdiff_t row = (ptrdiff_t)c->out_w * LANES;
	__mmask16 there[TILE];

	for (int k = 0; k < TILE; k++)
		there[k] = (__mmask16) - (k < at.columns);
	for (int o = s->out; o < s->out + GROUP; o++, sums += LANES)
		transform_sums(sums, u->sums_step,
		    u->p->bias == NULL
			? all_lanes(0)
			: _mm512_loadu_ps(u->p->bias + o * LANES),
		    c->relu, at.rows, there, row,
		    output_plane(u, at.image, o) + at.y * row + at.x * LANES);
}

static void
run_step(const struct conv_part *u, const struct conv_step *s,
    const struct conv_step *next)
{
	const int each = soon_of_product(s->tiles, s->n_in);
	float turned[TAPS * LANES * LANES];
	struct conv_product p = { .tiles = s->tiles,
		.depth = s->n_in * LANES,
		.add = s->in > 0,
		.x = u->x,
		.weights = u->weights,
		.sums = u->sums,
		.soon = u->soon };

	if (u->c->depth < u->c->in_blocks)
		p.sums += (s->tile - s->first) * WIDTH;
	for (int i = 0; i < GROUP * s->n_in && s->tile == s->first; i++) {
		const int o = i / s->n_in, in = i % s->n_in;
		const float *w = weight_block(u, s->in + in, s->out + o);

		for (int k = 0; k < TAPS && u->c->is_gradient; k++)
			transpose_block(w + (TAPS - 1 - k) * LANES * LANES,
			    turned + k * LANES * LANES);
		if (u->c->is_gradient)
			w = turned;
		for (int k = 0; k < LANES; k++)
			transform_weights(w + k * LANES, u->weights_step,
			    u->weights + (in * LANES + k) * WIDTH + o * LANES);
	}
	/* Transform by blocks, as the CPU prefetches along rows. */
	for (int b = 0; b < s->n_in; b++)
		for (int t = 0; t < s->tiles; t++) {
			const struct tile_spot at = s->spots[t];
			const struct tile_place place = {
				input_plane(u, at.image, s->in + b),
				at.y - u->c->pad, at.x - u->c->pad
			};

			transform_input(
			    place, u->x_step, u->x + (t * s->n_in + b) * LANES);
		}
	note_rows(u, s, next, POSITIONS * each);
	for (int i = 0; i < POSITIONS; i++) {
		p.then = p.weights + u->weights_step;
		multiply_tiles(p);
		p.x += u->x_step;
		p.weights += u->weights_step;
		p.sums += u->sums_step;
		p.soon += each;
	}
	p.sums -= POSITIONS * u->sums_step;
	if (s->in + s->n_in == u->c->in_blocks)
		for (int t = 0; t < s->tiles; t++)
			transform_results(u, s, p.sums + t * WIDTH, t);
}

void
winograd_conv_run(const struct winograd *c,
    const struct winograd_conv_places *p, char *space, size_t stride)
{
	PARALLEL_FOR
	for (int i = 0; i < c->units; i++) {
		struct conv_part u = { .c = c, .p = p };
		struct conv_step s, next;

		set_scratch(c, &u, space + (size_t)parallel_thread() * stride);
		first_step(&u, i, &s);
		for (; s.unit == i; s = next) {
			next_step(&u, &s, &next);
			run_step(&u, &s, &next);
		}
	}
}

/* With few input channels, their weights stay in the L2 cache and sums are
 * complete at once; with many, sums of some tiles stay in it. The data takes
 * 1.1 to 1.7 MiB, or 1 MiB if the cache has no more. */
void
winograd_conv_cut(struct winograd *c)
{
	const int large = c->cache >= LARGE_CACHE;
	const int groups = c->out_blocks / GROUP;
	long ranges = groups > 0 ? (2L * c->threads + groups - 1) / groups : 1;

	c->tiles = (long)c->images * tiles_of(c->out_h) * tiles_of(c->out_w);
	if (c->in_blocks <= (large ? 2 * GROUP : GROUP)) {
		c->depth = c->in_blocks;
		c->block = c->in_blocks <= GROUP && large ? 5 * ROWS : 2 * ROWS;
		c->range = (int)((c->tiles + ranges - 1) / ranges);
	} else {
		c->depth = 2;
		c->block = MOST_TILES;
		c->range = (int)smaller_of(
		    large ? 4 * MOST_TILES : 2 * MOST_TILES, c->tiles);
	}
	ranges = (c->tiles + c->range - 1) / c->range;
	c->units = groups * (int)ranges;
}

int
winograd_conv_suits(const struct winograd *c)
{
	return c->pad == 1 && c->out_blocks % GROUP == 0 &&
	    c->tiles >= LEAST_TILES && c->units >= c->threads;
}
