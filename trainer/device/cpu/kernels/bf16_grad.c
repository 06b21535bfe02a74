/* Weight gradients in bf16 with avx512_bf16. Each thread computes some blocks
 * of output and of input channels. For a stretch of pixels at a time it pairs
 * the values of two images and accumulates their products. */
#include <config.h>

#include "trainer/device/cpu/kernels/bf16_grad.h"

#include <immintrin.h>
#include <string.h>

#include "trainer/base/parallel.h"

enum {
	BLOCK = BF16_GRAD_BLOCK,
	PIXEL = 64,       /* bytes of a block's channels of two images */
	PAIR = 4,         /* bytes of one value of two images */
	HALF = 8,         /* input channels of a tile */
	TILE_BLOCKS = 2,  /* blocks of output channels of a tile */
	MAX_PIXELS = 200, /* pixels of a stretch, unless a row has more */
	X_BYTES =
	    512 << 10, /* bytes of paired input that stay in the L2 cache */
	MAX_ROWS = MAX_PIXELS,
	MAX_KERNEL = 3,
	MIN_BATCH = 4,   /* an odd last image is paired with zeros */
	MIN_PRODUCTS = 8 /* blocks per thread, as each makes its own pairs */
};

/* --- products ------------------------------------------------------------ */

/* Rows of paired values that are multiplied: row r of the input is at x +
 * x_at[r], that of the gradient at dy + dy_row[r] * dy_bytes. */
struct row_pairs {
	int n;
	int x_at[MAX_ROWS], dy_row[MAX_ROWS];
};

/* Accumulation of HALF input channels and some blocks of output channels. */
struct grad_tile {
	const struct row_pairs *rows;
	const char *x, *dy;
	ptrdiff_t step;     /* bytes between pixels of x */
	ptrdiff_t dy_bytes; /* of a row */
	int pixels;         /* of a row */
	int add;            /* 1: add to the result */
	float *to;          /* result [HALF][16] for each block */
	size_t next;        /* floats between blocks in `to` */
};

/* Unroll loops over registers: a variable index would need memory. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* Broadcast a pair of values to all lanes. */
static inline __m512bh
spread_pair(const char *pair)
{
	int both;

	memcpy(&both, pair, sizeof both);
	return (__m512bh)_mm512_set1_epi32(both);
}

/* Accumulate the products of `blocks` blocks of output channels. Inlined with a
 * constant, so that sums stay in registers. */
static inline __attribute__((always_inline)) void
multiply_tile(const struct grad_tile *t, const int blocks)
{
	__m512 sums[TILE_BLOCKS][HALF];

	UNROLL
	for (int b = 0; b < blocks; b++)
		UNROLL
	for (int k = 0; k < HALF; k++) {
		sums[b][k] = _mm512_setzero_ps();
		_mm_prefetch(
		    (const char *)(t->to + (size_t)b * t->next + k * BLOCK),
		    _MM_HINT_T0);
	}
	for (int r = 0; r < t->rows->n; r++) {
		const char *x = t->x + t->rows->x_at[r];
		const char *dy = t->dy + t->rows->dy_row[r] * t->dy_bytes;

		for (int i = 0; i < t->pixels; i++) {
			__m512bh y[TILE_BLOCKS];

			UNROLL
			for (int b = 0; b < blocks; b++)
				y[b] = (__m512bh)_mm512_loadu_si512(
				    dy + b * PIXEL);
			UNROLL
			for (int k = 0; k < HALF; k++) {
				const __m512bh v = spread_pair(x + PAIR * k);

				UNROLL
				for (int b = 0; b < blocks; b++)
					sums[b][k] = _mm512_dpbf16_ps(
					    sums[b][k], v, y[b]);
			}
			x += t->step;
			dy += blocks * PIXEL;
		}
	}
	UNROLL
	for (int b = 0; b < blocks; b++)
		UNROLL
	for (int k = 0; k < HALF; k++) {
		float *to = t->to + (size_t)b * t->next + k * BLOCK;

		if (t->add)
			sums[b][k] =
			    _mm512_add_ps(sums[b][k], _mm512_loadu_ps(to));
		_mm512_storeu_ps(to, sums[b][k]);
	}
}

/* --- pairs --------------------------------------------------------------- */

/* Pair n pixels of images a and b (NULL: zeros), reading each `every`-th. */
static void
pair_pixels(const uint16_t *a, const uint16_t *b, int n, int every, char *to,
    ptrdiff_t step)
{
	const __m512i low = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43,
	    11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2,
	    33, 1, 32, 0);
	const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(BLOCK));
	int i = 0;

	for (; every == 1 && i + 2 <= n; i += 2) {
		const __m512i v = _mm512_loadu_si512(a + i * BLOCK);
		const __m512i w = b == NULL ? _mm512_setzero_si512()
					    : _mm512_loadu_si512(b + i * BLOCK);

		_mm512_storeu_si512(to, _mm512_permutex2var_epi16(v, low, w));
		_mm512_storeu_si512(
		    to + step, _mm512_permutex2var_epi16(v, high, w));
		to += 2 * step;
	}
	for (; i < n; i++) {
		const ptrdiff_t at = (ptrdiff_t)i * every * BLOCK;
		const __m256i v = _mm256_loadu_si256((const void *)(a + at));
		const __m256i w = b == NULL
		    ? _mm256_setzero_si256()
		    : _mm256_loadu_si256((const void *)(b + at));

		_mm512_storeu_si512(to,
		    _mm512_permutex2var_epi16(_mm512_castsi256_si512(v), low,
			_mm512_castsi256_si512(w)));
		to += step;
	}
}

/* --- a thread's part ----------------------------------------------------- */

static int
divide_up(int a, int b)
{
	return (a + b - 1) / b;
}

/* Input rows read by output rows `first` to `last - 1`. */
struct row_span {
	int first, n;
};

static struct row_span
input_rows(const struct bf16_grad *g, int first, int last)
{
	int low = first * g->stride - g->pad;
	int high = (last - 1) * g->stride - g->pad + g->kernel;

	if (g->kernel == 1)
		return (struct row_span){ first, last - first };
	low = low < 0 ? 0 : low;
	high = high > g->in_h ? g->in_h : high;
	return (struct row_span){ low, high > low ? high - low : 0 };
}

/* Output rows of a stretch, counted over all pairs of images. */
static int
stretch_rows(const struct bf16_grad *g)
{
	const int all = divide_up(g->batch, 2) * g->out_h;
	const int most = g->out_w < MAX_PIXELS ? MAX_PIXELS / g->out_w : 1;

	return divide_up(all, divide_up(all, most));
}

/* Upper limit of the pixels of paired input in a stretch. */
static int
stretch_pixels(const struct bf16_grad *g)
{
	const int rows = stretch_rows(g);

	if (g->kernel == 1)
		return rows * g->out_w;
	/* Each image may add the overlap of a window. */
	return (rows * g->stride +
		   (divide_up(rows, g->out_h) + 1) * (g->kernel - 1)) *
	    g->in_w;
}

/* Blocks of input channels paired at a time. */
static int
group_blocks(const struct bf16_grad *g)
{
	const int n = X_BYTES / (stretch_pixels(g) * PIXEL);

	return n > 1 ? n : 1;
}

struct grad_part {
	const struct bf16_grad *g;
	const uint16_t *x, *dy;
	char *x_pairs, *dy_pairs;
	size_t panel; /* bytes of a block's pixels in x_pairs */
	float *dw;
	int in_first, in_last, out_first, out_last; /* blocks */
	int first, last;                            /* rows of the stretch */
	struct row_pairs rows[MAX_KERNEL]; /* rows to multiply by window row */
};

/* Part of a stretch: a pair of images and a range of its rows. */
struct grad_piece {
	int pair, first, last;
	struct row_span in;
	int in_at, out_at; /* rows of earlier pieces */
};

static int
next_piece(const struct grad_part *p, struct grad_piece *s)
{
	const int h = p->g->out_h;
	const int at = p->first + s->out_at + (s->last - s->first);

	if (at >= p->last)
		return 0;
	s->in_at += s->in.n;
	s->out_at += s->last - s->first;
	s->pair = at / h;
	s->first = at % h;
	s->last = s->first + p->last - at < h ? s->first + p->last - at : h;
	s->in = input_rows(p->g, s->first, s->last);
	return 1;
}

/* Pair block `block` of `blocks` of one piece: n pixels from `from` on. */
static void
pair_block(const struct grad_part *p, const uint16_t *at, size_t plane,
    int blocks, int block, int pair, size_t from, int n, int every, char *to,
    ptrdiff_t step)
{
	const size_t image = (size_t)blocks * plane;
	const uint16_t *a = at + (size_t)pair * 2 * image +
	    (size_t)block * plane + from * BLOCK;

	pair_pixels(a, 2 * pair + 1 < p->g->batch ? a + image : NULL, n, every,
	    to, step);
}

static void
pair_input(const struct grad_part *p, int first, int last)
{
	const struct bf16_grad *g = p->g;
	const size_t plane = (size_t)(g->in_h * g->in_w) * BLOCK;
	const int sparse = g->kernel == 1 && g->stride > 1;
	const int w = g->kernel == 1 ? g->out_w : g->in_w;
	struct grad_piece s = { 0 };

	while (next_piece(p, &s))
		for (int b = first; b < last; b++) {
			char *to = p->x_pairs + (size_t)(b - first) * p->panel +
			    (size_t)(s.in_at * w) * PIXEL;

			for (int i = 0; i < (sparse ? s.in.n : 1); i++)
				pair_block(p, p->x, plane, g->in_c / BLOCK, b,
				    s.pair,
				    sparse ? (size_t)((s.in.first + i) *
						 g->stride * g->in_w)
					   : (size_t)(s.in.first * w),
				    sparse ? w : s.in.n * w,
				    sparse ? g->stride : 1,
				    to + (size_t)(i * w) * PIXEL, PIXEL);
		}
}

static void
pair_output(const struct grad_part *p, int first, int n)
{
	const struct bf16_grad *g = p->g;
	const int w = g->out_w;
	const size_t plane = (size_t)(g->out_h * w) * BLOCK;
	struct grad_piece s = { 0 };

	while (next_piece(p, &s))
		for (int b = 0; b < n; b++)
			pair_block(p, p->dy, plane, g->out_c / BLOCK, first + b,
			    s.pair, (size_t)(s.first * w),
			    (s.last - s.first) * w, 1,
			    p->dy_pairs + (s.out_at * w * n + b) * PIXEL,
			    n * PIXEL);
}

/* For each row of a window, list the pairs of input and gradient rows. */
static void
find_rows(struct grad_part *p)
{
	const struct bf16_grad *g = p->g;
	struct grad_piece s = { 0 };

	for (int r = 0; r < g->kernel; r++)
		p->rows[r].n = 0;
	if (g->kernel == 1) {
		p->rows[0] = (struct row_pairs){ .n = 1 };
		return;
	}
	while (next_piece(p, &s))
		for (int i = s.first; i < s.last; i++)
			for (int r = 0; r < g->kernel; r++) {
				struct row_pairs *rows = &p->rows[r];
				const int y = i * g->stride - g->pad + r;

				if (y < 0 || y >= g->in_h)
					continue;
				rows->x_at[rows->n] =
				    (s.in_at + y - s.in.first) * g->in_w *
				    PIXEL;
				rows->dy_row[rows->n++] =
				    s.out_at + i - s.first;
			}
}

/* Multiply a block of input channels by n blocks of output channels. */
static void
multiply_block(const struct grad_part *p, int in, int in_first, int out, int n)
{
	const struct bf16_grad *g = p->g;
	const size_t taps = (size_t)(g->kernel * g->kernel);
	const size_t in_blocks = (size_t)g->in_c / BLOCK;
	const char *x = p->x_pairs + (size_t)(in - in_first) * p->panel;
	float *to = p->dw +
	    ((size_t)out * in_blocks + (size_t)in) * taps * BLOCK * BLOCK;
	struct grad_tile t = { .step =
				   g->kernel == 1 ? PIXEL : g->stride * PIXEL,
		.dy_bytes = (ptrdiff_t)g->out_w * n * PIXEL,
		.add = p->first > 0,
		.next = in_blocks * taps * BLOCK * BLOCK };

	for (int tap = 0; tap < (int)taps; tap++) {
		const int shift = tap % g->kernel - g->pad;
		const int low = shift < 0 ? divide_up(-shift, g->stride) : 0;
		int high = (g->in_w - 1 - shift) / g->stride + 1;

		if (g->in_w - 1 - shift < 0)
			high = 0;
		high = high < g->out_w ? high : g->out_w;
		t.rows = &p->rows[tap / g->kernel];
		t.pixels = g->kernel == 1 ? (p->last - p->first) * g->out_w
					  : high - low;
		for (int half = 0; half < 2; half++) {
			t.x = x + (low * g->stride + shift) * PIXEL +
			    half * HALF * PAIR;
			t.dy = p->dy_pairs + (ptrdiff_t)low * n * PIXEL;
			t.to = to + (tap * BLOCK + half * HALF) * BLOCK;
			if (n == 1)
				multiply_tile(&t, 1);
			else
				multiply_tile(&t, 2);
		}
	}
}

static void
run_part(struct grad_part *p)
{
	const struct bf16_grad *g = p->g;
	const int all = divide_up(g->batch, 2) * g->out_h;
	const int rows = stretch_rows(g);
	const int blocks = group_blocks(g);

	for (int in = p->in_first; in < p->in_last; in += blocks) {
		const int end =
		    in + blocks < p->in_last ? in + blocks : p->in_last;

		for (int r = 0; r < all; r += rows) {
			p->first = r;
			p->last = r + rows < all ? r + rows : all;
			pair_input(p, in, end);
			find_rows(p);
			for (int out = p->out_first; out < p->out_last;
			     out += TILE_BLOCKS) {
				const int rest = p->out_last - out;
				const int n =
				    rest < TILE_BLOCKS ? rest : TILE_BLOCKS;

				pair_output(p, out, n);
				for (int i = in; i < end; i++)
					multiply_block(p, i, in, out, n);
			}
		}
	}
}

int
bf16_grad_suits(const struct bf16_grad *g)
{
	const long products =
	    (long)(g->in_c / BLOCK) * (g->out_c / BLOCK) / g->threads;

	return g->in_c % BLOCK == 0 && g->out_c % BLOCK == 0 &&
	    (g->kernel == 1 || g->kernel == 3) && g->pad == g->kernel / 2 &&
	    g->batch >= MIN_BATCH && products >= MIN_PRODUCTS;
}

size_t
bf16_grad_bytes(const struct bf16_grad *g)
{
	const int in = g->in_c / BLOCK;
	const int blocks = group_blocks(g) < in ? group_blocks(g) : in;

	return ((size_t)stretch_pixels(g) * (size_t)blocks +
		   (size_t)(stretch_rows(g) * g->out_w) * TILE_BLOCKS) *
	    PIXEL;
}

void
bf16_grad_run(const struct bf16_grad *g, const uint16_t *x, const uint16_t *dy,
    char *space, size_t stride, float *dw)
{
	const int in = g->in_c / BLOCK, out = g->out_c / BLOCK;
	const int blocks = group_blocks(g) < in ? group_blocks(g) : in;
	const size_t panel = (size_t)stretch_pixels(g) * PIXEL;
	int in_parts = 1, out_parts = 1;
	long least = 0;

	/* Divide the channels among the threads so that the largest part has
	 * the fewest products, then the fewest blocks to pair. */
	for (int i = 1; i <= g->threads && i <= in; i++) {
		const int o = g->threads / i < out ? g->threads / i : out;
		const long a = divide_up(in, i), b = divide_up(out, o);
		const long cost = 64 * a * b + a + b;

		if (least == 0 || cost < least) {
			least = cost;
			in_parts = i;
			out_parts = o;
		}
	}

	PARALLEL_FOR
	for (int i = 0; i < in_parts * out_parts; i++) {
		struct grad_part p = { .g = g,
			.x = x,
			.dy = dy,
			.x_pairs = space + (size_t)i * stride,
			.dy_pairs =
			    space + (size_t)i * stride + (size_t)blocks * panel,
			.panel = panel,
			.dw = dw,
			.in_first = in * (i % in_parts) / in_parts,
			.in_last = in * (i % in_parts + 1) / in_parts,
			.out_first = out * (i / in_parts) / out_parts,
			.out_last = out * (i / in_parts + 1) / out_parts };

		run_part(&p);
	}
}
