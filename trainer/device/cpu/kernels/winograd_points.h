/* Transforms of Winograd's algorithm for 3 x 3 convolutions with AVX-512: each
 * window of a row is replaced by the values of a polynomial at six points, and
 * back.
 *
 * The points are 0, +-A, +-B and infinity: closer together than the usual 1 and
 * 2, which loses less precision to large factors.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_POINTS_H
#define TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_POINTS_H

#include <immintrin.h>
#include <stddef.h>

enum {
	LANES = 16,
	TILE = 4,                /* side of a tile of output or gradient */
	SIDE = 6,                /* side of the input that a tile depends on */
	POSITIONS = SIDE * SIDE, /* products */
	TAPS = 9
};

#define A 0.625F
#define B 1.5F
#define A2 (A * A)
#define B2 (B * B)

/* Unroll loops over registers: a variable index would need memory. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef __m512 vec;

static inline vec
all_lanes(float f)
{
	return _mm512_set1_ps(f);
}

/* a * b + c. */
static inline vec
add_product(vec c, float a, vec b)
{
	return _mm512_fmadd_ps(all_lanes(a), b, c);
}

/* Evaluate six inputs at the six points. */
static inline void
input_points(const vec d[SIDE], vec out[SIDE])
{
	const vec even_a = add_product(d[4], -B2, d[2]);
	const vec odd_a = add_product(d[3], -B2, d[1]);
	const vec even_b = add_product(d[4], -A2, d[2]);
	const vec odd_b = add_product(d[3], -A2, d[1]);

	out[0] =
	    add_product(add_product(d[4], A2 * B2, d[0]), -(A2 + B2), d[2]);
	out[1] = add_product(even_a, A, odd_a);
	out[2] = add_product(even_a, -A, odd_a);
	out[3] = add_product(even_b, B, odd_b);
	out[4] = add_product(even_b, -B, odd_b);
	out[5] =
	    add_product(add_product(d[5], A2 * B2, d[1]), -(A2 + B2), d[3]);
}

struct pixel_plane {
	const float *at;
	int h, w;
};

/* A tile: position of its first pixel, which may be in the padding. */
struct tile_place {
	struct pixel_plane plane;
	int y, x;
};

/* Load size pixels of a row from x on, zeros in the padding. */
static inline __attribute__((always_inline)) void
load_row(struct pixel_plane p, int y, int x, int size, const __mmask16 *there,
    vec *out)
{
	static const float none[SIDE * LANES];
	const float *in =
	    y >= 0 && y < p.h ? p.at + ((ptrdiff_t)y * p.w + x) * LANES : none;

	UNROLL
	for (int k = 0; k < size; k++)
		out[k] = _mm512_maskz_loadu_ps(there[k], in + k * LANES);
}

/* Set masks of the columns from x to x + size - 1 that lie in the plane. */
static inline __attribute__((always_inline)) void
find_columns(struct pixel_plane p, int x, int size, __mmask16 *out)
{
	UNROLL
	for (int k = 0; k < size; k++)
		out[k] = (__mmask16) - (x + k >= 0 && x + k < p.w);
}

/* Transform sixteen channels of a tile of the input; position i is stored at
 * out + i * step. */
static inline __attribute__((always_inline)) void
transform_input(struct tile_place p, size_t step, float *out)
{
	vec rows[SIDE][SIDE];
	__mmask16 there[SIDE];

	find_columns(p.plane, p.x, SIDE, there);
	UNROLL
	for (int i = 0; i < SIDE; i++) {
		vec d[SIDE];

		load_row(p.plane, p.y + i, p.x, SIDE, there, d);
		input_points(d, rows[i]);
	}
	UNROLL
	for (int k = 0; k < SIDE; k++) {
		vec d[SIDE], t[SIDE];

		UNROLL
		for (int i = 0; i < SIDE; i++)
			d[i] = rows[i][k];
		input_points(d, t);
		UNROLL
		for (int i = 0; i < SIDE; i++)
			_mm512_store_ps(
			    out + (size_t)(i * SIDE + k) * step, t[i]);
	}
}

/* An output tile: image, first pixel, size inside the plane. */
struct tile_spot {
	int image, y, x, rows, columns;
};

static inline int
tiles_of(int size)
{
	return (size + TILE - 1) / TILE;
}

/* Tile number `tile`, counted over planes of h x w. */
static inline struct tile_spot
tile_spot_of(int h, int w, long tile)
{
	const int y = (int)(tile / tiles_of(w) % tiles_of(h)) * TILE;
	const int x = (int)(tile % tiles_of(w)) * TILE;

	return (struct tile_spot){ (int)(tile / tiles_of(w) / tiles_of(h)), y,
		x, h - y < TILE ? h - y : TILE, w - x < TILE ? w - x : TILE };
}

#endif
