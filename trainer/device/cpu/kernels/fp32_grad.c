/* Gradients of the weights of convolutions in fp32 as matrix products.
 * cpu_conv.c calls it on CPUs with AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/fp32_grad.h"

#include <immintrin.h>

#include "trainer/base/parallel.h"

enum {
	LANES = 16,
	BLOCK = LANES * LANES, /* weights between two blocks at a place */
	WIDE = 4,              /* output blocks whose sums are in registers */
	ROWS = 6,              /* input channels whose sums are */
	GROUP = 16,            /* blocks of a unit, on either side */
	STRIP = 112,           /* pixels, so that WIDE blocks and one fit the
	                          first cache */
	UNITS = 16,            /* wanted at least */
	LEAST_STRIPS = 4,      /* of a unit */
	LINES = 4              /* of 16 floats that are fetched in a row */
};

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef __m512 vec;

/* sums (+)= x * dy over the pixels of a strip: of some channels of one input
 * block, WIDE output blocks.  Meanwhile the memory has nothing to do, so
 * that what is soon wanted is brought nearer. */
struct grad_product {
	int images, pixels, add;
	const float *x, *dy;                   /* of the first image */
	ptrdiff_t x_image, dy_image, dy_block; /* steps */
	float *sums;
	ptrdiff_t sums_block;
	const float *const *soon; /* rows of LINES * LANES floats */
	int n_soon;
};

static inline __attribute__((always_inline)) void
multiply_rows(int rows, const struct grad_product *p, int channel)
{
	vec acc[ROWS][WIDE];
	float *const sums = p->sums + channel * LANES;
	int lines = p->n_soon * LINES, line = 0;

	UNROLL
	for (int i = 0; i < rows; i++)
		UNROLL
	for (int k = 0; k < WIDE; k++)
		acc[i][k] = p->add
		    ? _mm512_loadu_ps(sums + i * LANES + k * p->sums_block)
		    : _mm512_setzero_ps();
	for (int image = 0; image < p->images; image++) {
		const float *x = p->x + image * p->x_image + channel;
		const float *dy = p->dy + image * p->dy_image;

		for (int j = 0; j < p->pixels; j++) {
			vec g[WIDE];

			if (line < lines) {
				_mm_prefetch(
				    (const char *)(p->soon[line / LINES] +
					line % LINES * LANES),
				    _MM_HINT_T1);
				line++;
			}
			UNROLL
			for (int k = 0; k < WIDE; k++)
				g[k] = _mm512_loadu_ps(
				    dy + j * LANES + k * p->dy_block);
			UNROLL
			for (int i = 0; i < rows; i++) {
				const vec from =
				    _mm512_set1_ps(x[j * LANES + i]);

				UNROLL
				for (int k = 0; k < WIDE; k++)
					acc[i][k] = _mm512_fmadd_ps(
					    from, g[k], acc[i][k]);
			}
		}
	}
	UNROLL
	for (int i = 0; i < rows; i++)
		UNROLL
	for (int k = 0; k < WIDE; k++)
		_mm512_storeu_ps(
		    sums + i * LANES + k * p->sums_block, acc[i][k]);
}

/* All sixteen channels: 6 + 5 + 5. */
static void
multiply_block(struct grad_product *p)
{
	multiply_rows(ROWS, p, 0);
	p->soon += p->n_soon;
	multiply_rows(ROWS - 1, p, ROWS);
	p->soon += p->n_soon;
	multiply_rows(ROWS - 1, p, 2 * ROWS - 1);
	p->soon += p->n_soon;
}

static int
smaller_of(int a, int b)
{
	return a < b ? a : b;
}

static int
divide_up(int n, int by)
{
	return (n + by - 1) / by;
}

static int
taps_of(const struct fp32_grad *g)
{
	return g->kernel * g->kernel;
}

/* Input blocks, once for each place of the window. */
static int
left_blocks(const struct fp32_grad *g)
{
	return g->in_blocks * taps_of(g);
}

static int
groups_of(const struct fp32_grad *g)
{
	return divide_up(left_blocks(g), GROUP) *
	    divide_up(g->out_blocks, GROUP);
}

/* Are pixels of the input where a strip's are, in the same order? */
static int
is_direct(const struct fp32_grad *g)
{
	return g->kernel == 1 && g->stride == 1 && g->pad == 0;
}

void
fp32_grad_cut(struct fp32_grad *g)
{
	const int pixels = g->out_h * g->out_w;
	const int parts = divide_up(pixels, STRIP);

	g->strip_pixels = divide_up(pixels, parts);
	g->strip_images =
	    smaller_of(pixels < STRIP ? STRIP / pixels : 1, g->images);
	g->strips = parts * divide_up(g->images, g->strip_images);
	g->slices = smaller_of(
	    divide_up(UNITS, groups_of(g)), g->strips / LEAST_STRIPS);
	if (g->slices < 1)
		g->slices = 1;
	g->units = groups_of(g) * g->slices;
}

static size_t
weights_size(const struct fp32_grad *g)
{
	return (size_t)left_blocks(g) * (size_t)g->out_blocks * BLOCK;
}

/* Floats of a strip of one block. */
static size_t
strip_size(const struct fp32_grad *g)
{
	return (size_t)g->strip_pixels * (size_t)g->strip_images * LANES;
}

/* Rows that are noted at most: all of the output, most of the input. */
static int
most_rows(const struct fp32_grad *g)
{
	const int rows = divide_up(g->strip_pixels, LINES) * g->strip_images;

	return rows * GROUP * (1 + g->stride);
}

/* And those that fill them up to the same number for each product. */
static size_t
soon_size(const struct fp32_grad *g)
{
	return (size_t)(most_rows(g) +
	    GROUP * divide_up(GROUP, WIDE) * divide_up(LANES, ROWS));
}

size_t
fp32_grad_scratch_bytes(const struct fp32_grad *g)
{
	return (is_direct(g) ? 0 : GROUP * strip_size(g) * sizeof(float)) +
	    soon_size(g) * sizeof(float *);
}

size_t
fp32_grad_sums_bytes(const struct fp32_grad *g)
{
	return (size_t)(g->slices - 1) * weights_size(g) * sizeof(float);
}

/* Some pixels. */
struct grad_strip {
	int image, images;
	int pixel, pixels;
};

static struct grad_strip
strip_of(const struct fp32_grad *g, int i)
{
	const int all = g->out_h * g->out_w;
	const int parts = divide_up(all, g->strip_pixels);
	struct grad_strip s = { .image = i / parts * g->strip_images,
		.pixel = i % parts * g->strip_pixels };

	s.images = smaller_of(g->strip_images, g->images - s.image);
	s.pixels = smaller_of(g->strip_pixels, all - s.pixel);
	return s;
}

/* What a unit does. */
struct grad_unit {
	const struct fp32_grad *g;
	const struct fp32_grad_places *p;
	int left, n_left; /* input blocks, times places */
	int out, n_out;   /* output blocks */
	int strip, end;
	float *to;          /* the slice's weights */
	float *packed;      /* [n_left][strip] pixels of the input */
	const float **soon; /* rows that will be wanted */
	int most_soon;
};

static const float *
input_plane(const struct grad_unit *u, int image, int block)
{
	return u->p->x +
	    (size_t)(image * u->g->in_blocks + block) * (size_t)u->g->h *
	    (size_t)u->g->w * LANES;
}

static const float *
output_plane(const struct grad_unit *u, int image, int block)
{
	return u->p->dy +
	    (size_t)(image * u->g->out_blocks + block) * (size_t)u->g->out_h *
	    (size_t)u->g->out_w * LANES;
}

/* A row of the output's pixels, as far as a strip has it, and the row of the
 * input that meets it at a place of the window. */
struct grad_row {
	const float *in; /* NULL: all padding */
	int x;           /* the input's pixel that meets the first */
	int pixels;
};

/* The row that begins at a pixel of a strip, which has so many more. */
static struct grad_row
row_of(
    const struct fp32_grad *g, const float *plane, int tap, int pixel, int more)
{
	const int i = pixel / g->out_w, j = pixel % g->out_w;
	const int y = i * g->stride + tap / g->kernel - g->pad;
	struct grad_row r = { NULL, j * g->stride + tap % g->kernel - g->pad,
		smaller_of(g->out_w - j, more) };

	if (y >= 0 && y < g->h)
		r.in = plane + (ptrdiff_t)y * g->w * LANES;
	return r;
}

/* The pixels of one image that meet those of a strip at a place of the
 * window, zeros for those of the padding. */
static void
pack_image(const struct fp32_grad *g, const float *plane,
    const struct grad_strip *s, int tap, float *to)
{
	struct grad_row r;

	for (int k = 0; k < s->pixels; k += r.pixels) {
		r = row_of(g, plane, tap, s->pixel + k, s->pixels - k);
		for (int i = 0; i < r.pixels; i++, to += LANES) {
			const int x = r.x + i * g->stride;
			vec v = _mm512_setzero_ps();

			if (r.in != NULL && x >= 0 && x < g->w)
				v = _mm512_loadu_ps(r.in + x * LANES);
			_mm512_store_ps(to, v);
		}
	}
}

static void
pack_strip(const struct grad_unit *u, const struct grad_strip *s)
{
	for (int k = 0; k < u->n_left; k++) {
		const int block = (u->left + k) % u->g->in_blocks;
		const int tap = (u->left + k) / u->g->in_blocks;

		for (int i = 0; i < s->images; i++)
			pack_image(u->g, input_plane(u, s->image + i, block), s,
			    tap,
			    u->packed + (size_t)k * strip_size(u->g) +
				(size_t)(i * s->pixels) * LANES);
	}
}

static int
note_row(const struct grad_unit *u, const float *row, int noted)
{
	if (noted < u->most_soon)
		u->soon[noted++] = row;
	return noted;
}

/* Note the rows of a plane that a strip has. */
static int
note_plane(const struct grad_unit *u, const float *plane,
    const struct grad_strip *s, int noted)
{
	for (int k = 0; k < s->pixels; k += LINES)
		noted = note_row(u, plane + (s->pixel + k) * LANES, noted);
	return noted;
}

/* Those of the input that meet it at a place of the window. */
static int
note_packed(const struct grad_unit *u, const float *plane,
    const struct grad_strip *s, int tap, int noted)
{
	const struct fp32_grad *g = u->g;
	struct grad_row r;

	for (int k = 0; k < s->pixels; k += r.pixels) {
		r = row_of(g, plane, tap, s->pixel + k, s->pixels - k);
		for (int x = r.x > 0 ? r.x : 0;
		     r.in != NULL && x < g->w && x < r.x + r.pixels * g->stride;
		     x += LINES)
			noted = note_row(u, r.in + x * LANES, noted);
	}
	return noted;
}

/* Those of one input block.  Two places of a row of the window share their
 * rows. */
static int
note_input(const struct grad_unit *u, int image, int k,
    const struct grad_strip *s, int noted)
{
	const struct fp32_grad *g = u->g;
	const int tap = (u->left + k) / g->in_blocks;
	const float *plane =
	    input_plane(u, image, (u->left + k) % g->in_blocks);

	if (is_direct(g))
		return note_plane(u, plane, s, noted);
	if (tap % g->kernel > 0 && k >= g->in_blocks)
		return noted;
	return note_packed(u, plane, s, tap, noted);
}

/* Those of all planes of the unit, filled up to a multiple of products; returns
 * how many for each product. */
static int
note_strip(const struct grad_unit *u, const struct grad_strip *s, int products)
{
	int noted = 0;

	for (int i = s->image; i < s->image + s->images; i++) {
		for (int k = 0; k < u->n_out; k++)
			noted = note_plane(
			    u, output_plane(u, i, u->out + k), s, noted);
		for (int k = 0; k < u->n_left; k++)
			noted = note_input(u, i, k, s, noted);
	}
	while (noted % products != 0)
		u->soon[noted++] = u->to;
	return noted / products;
}

static void
run_strip(const struct grad_unit *u, int index)
{
	const struct fp32_grad *g = u->g;
	const struct grad_strip s = strip_of(g, index);
	const struct grad_strip next = strip_of(g, index + 1);
	const ptrdiff_t out_plane = (ptrdiff_t)g->out_h * g->out_w * LANES;
	const int products =
	    u->n_left * (u->n_out / WIDE) * divide_up(LANES, ROWS);
	struct grad_product p = { .images = s.images,
		.pixels = s.pixels,
		.add = index > u->strip,
		.x_image = is_direct(g)
		    ? (ptrdiff_t)g->in_blocks * g->h * g->w * LANES
		    : (ptrdiff_t)s.pixels * LANES,
		.dy_image = g->out_blocks * out_plane,
		.dy_block = out_plane,
		.sums_block = (ptrdiff_t)left_blocks(g) * BLOCK,
		.soon = u->soon,
		.n_soon =
		    index + 1 < u->end ? note_strip(u, &next, products) : 0 };

	if (!is_direct(g))
		pack_strip(u, &s);
	for (int o = u->out; o < u->out + u->n_out; o += WIDE)
		for (int k = 0; k < u->n_left; k++) {
			const int tap = (u->left + k) / g->in_blocks;
			const int block = (u->left + k) % g->in_blocks;

			p.x = is_direct(g)
			    ? input_plane(u, s.image, block) + s.pixel * LANES
			    : u->packed + (size_t)k * strip_size(g);
			p.dy = output_plane(u, s.image, o) + s.pixel * LANES;
			p.sums = u->to + o * p.sums_block +
			    (ptrdiff_t)(block * taps_of(g) + tap) * BLOCK;
			multiply_block(&p);
		}
}

static void
run_unit(const struct fp32_grad *g, const struct fp32_grad_places *p, int unit,
    char *scratch)
{
	const int slice = unit / groups_of(g), group = unit % groups_of(g);
	const int left_groups = divide_up(left_blocks(g), GROUP);
	const int left = group % left_groups * GROUP;
	const int out = group / left_groups * GROUP;
	struct grad_unit u = { g, p, left,
		smaller_of(GROUP, left_blocks(g) - left), out,
		smaller_of(GROUP, g->out_blocks - out),
		(int)((long)g->strips * slice / g->slices),
		(int)((long)g->strips * (slice + 1) / g->slices),
		slice == 0 ? p->dw
			   : p->sums + (size_t)(slice - 1) * weights_size(g),
		(float *)(void *)scratch, NULL, most_rows(g) };

	u.soon = (const float **)(void *)(u.packed +
	    (is_direct(g) ? 0 : GROUP * strip_size(g)));
	for (int i = u.strip; i < u.end; i++)
		run_strip(&u, i);
}

/* Add the sums of all slices for one output block. */
static void
add_slices(const struct fp32_grad *g, const struct fp32_grad_places *p, int out)
{
	const size_t n = weights_size(g) / (size_t)g->out_blocks;
	float *to = p->dw + (size_t)out * n;

	for (size_t i = 0; i < n && g->slices > 1; i += LANES) {
		const float *from = p->sums + (size_t)out * n + i;
		vec sum = _mm512_loadu_ps(to + i);

		for (int k = 1; k < g->slices; k++, from += weights_size(g))
			sum += _mm512_loadu_ps(from);
		_mm512_storeu_ps(to + i, sum);
	}
}

void
fp32_grad_run(const struct fp32_grad *g, const struct fp32_grad_places *p,
    char *space, size_t stride)
{
	PARALLEL_FOR
	for (int i = 0; i < g->units; i++)
		run_unit(g, p, i, space + (size_t)parallel_thread() * stride);
	PARALLEL_FOR
	for (int i = 0; i < g->out_blocks; i++)
		add_slices(g, p, i);
}

int
fp32_grad_suits(const struct fp32_grad *g, int threads)
{
	return g->out_blocks % WIDE == 0 && g->strips >= LEAST_STRIPS &&
	    g->units >= 2 * threads;
}
