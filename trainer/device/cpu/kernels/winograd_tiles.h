/* How Winograd's algorithm cuts the output of a 3 x 3 convolution into tiles:
 * as few as possible, first those of TILE places along a side, then those of
 * less, which do not need the products at the last point.
 *
 * Tiles are in an order of kinds, for all images: full in height alone, full
 * in both, full in width alone, in neither.  So tiles that need a product
 * follow each other.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_TILES_H
#define TRAINER_DEVICE_CPU_KERNELS_WINOGRAD_TILES_H

#include "trainer/device/cpu/kernels/winograd_points.h"

/* One side of the output. */
struct tile_cut {
	int size, tiles, full;
};

struct tile_order {
	struct tile_cut rows, columns;
	long ends[4]; /* of the four kinds */
};

/* Where a tile is: image, first place of the output, how many it has. */
struct tile_spot {
	int image, y, x, rows, columns;
};

static inline struct tile_cut
tile_cut_of(int size)
{
	const int tiles = (size + TILE - 1) / TILE, lack = tiles * TILE - size;

	return (
	    struct tile_cut){ size, tiles, lack < tiles ? tiles - lack : 0 };
}

static inline struct tile_order
tile_order_of(int images, int h, int w)
{
	struct tile_order o = { tile_cut_of(h), tile_cut_of(w), { 0 } };
	const struct tile_cut y = o.rows, x = o.columns;

	o.ends[0] = (long)images * y.full * (x.tiles - x.full);
	o.ends[1] = o.ends[0] + (long)images * y.full * x.full;
	o.ends[2] = o.ends[1] + (long)images * (y.tiles - y.full) * x.full;
	o.ends[3] = (long)images * y.tiles * x.tiles;
	return o;
}

/* Where the places of a tile of a side begin; for the one after the last, the
 * end. */
static inline int
tile_start(struct tile_cut c, int tile)
{
	const int at = tile * (TILE - 1) + (tile < c.full ? tile : c.full);

	return at < c.size ? at : c.size;
}

static inline struct tile_spot
tile_spot_of(const struct tile_order *o, long tile)
{
	const struct tile_cut y = o->rows, x = o->columns;
	const int kind =
	    (tile >= o->ends[0]) + (tile >= o->ends[1]) + (tile >= o->ends[2]);
	const int low = kind >= 2, right = kind == 0 || kind == 3;
	const int tall = low ? y.tiles - y.full : y.full;
	const int wide = right ? x.tiles - x.full : x.full;
	const int at = (int)(tile - (kind > 0 ? o->ends[kind - 1] : 0));
	const int i = at / wide % tall + (low ? y.full : 0);
	const int k = at % wide + (right ? x.full : 0);

	return (struct tile_spot){ at / wide / tall, tile_start(y, i),
		tile_start(x, k), tile_start(y, i + 1) - tile_start(y, i),
		tile_start(x, k + 1) - tile_start(x, k) };
}

/* Which of n tiles from `first` on need the product at a position: skip those
 * before; returns how many. */
static inline int
tile_needed(
    const struct tile_order *o, int position, long first, int n, int *skip)
{
	long from = first, end = first + n;

	if (position / SIDE == SIDE - 1 && end > o->ends[1])
		end = o->ends[1];
	if (position % SIDE == SIDE - 1) {
		end = end < o->ends[2] ? end : o->ends[2];
		from = from > o->ends[0] ? from : o->ends[0];
	}
	*skip = from < end ? (int)(from - first) : 0;
	return from < end ? (int)(end - from) : 0;
}

#endif
