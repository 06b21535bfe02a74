/* The part of an image that is used: at random for training, the centre for
 * validation.  image.c calls it; it reads no pixel. */
#include <config.h>

#include "trainer/data/crop.h"

#include <assert.h>
#include <math.h>

static const double area_min = 0.08, ratio_min = 3.0 / 4, ratio_max = 4.0 / 3;

/* One try with four random numbers; 0 if it does not fit. */
static int
try_box(struct crop *c, int w, int h, const uint32_t four[4])
{
	const double area =
	    (double)w * h * (area_min + (1 - area_min) * (four[0] * 0x1p-32));
	const double ratio = exp(log(ratio_min) +
	    (log(ratio_max) - log(ratio_min)) * (four[1] * 0x1p-32));

	c->w = (int)rint(sqrt(area * ratio));
	c->h = (int)rint(sqrt(area / ratio));
	if (c->w < 1 || c->w > w || c->h < 1 || c->h > h)
		return 0;
	c->x = (int)((w - c->w + 1) * (four[2] * 0x1p-32));
	c->y = (int)((h - c->h + 1) * (four[3] * 0x1p-32));
	return 1;
}

/* The largest box in the middle whose ratio is allowed. */
static void
middle_box(struct crop *c, int w, int h)
{
	const double ratio = (double)w / h;

	c->w = ratio > ratio_max ? (int)rint(h * ratio_max) : w;
	c->h = ratio < ratio_min ? (int)rint(w / ratio_min) : h;
	c->x = (w - c->w) / 2;
	c->y = (h - c->h) / 2;
}

struct crop
crop_random(int w, int h, int size, const struct rng *r, uint64_t first)
{
	struct crop c = { .out_w = size, .out_h = size, .size = size };
	uint32_t four[4];
	int found = 0;

	assert(w >= 1 && h >= 1 && size >= 1);
	for (uint64_t i = 0; i < 10 && !found; i++) {
		rng_block(r, first + i, four);
		found = try_box(&c, w, h, four);
	}
	if (!found)
		middle_box(&c, w, h);
	rng_block(r, first + CROP_BLOCKS - 1, four);
	c.mirror = (int)(four[0] >> 31);
	return c;
}

struct crop
crop_middle(int w, int h, int size)
{
	const int side = (int)rint(size * 256.0 / 224);
	struct crop c = { .w = w, .h = h, .size = size };

	assert(w >= 1 && h >= 1 && size >= 1);
	/* The long side is cut, not rounded, as torchvision does. */
	c.out_w = w <= h ? side : (int)((double)side * w / h);
	c.out_h = h <= w ? side : (int)((double)side * h / w);
	c.left = (int)rint((c.out_w - size) / 2.0);
	c.top = (int)rint((c.out_h - size) / 2.0);
	return c;
}
