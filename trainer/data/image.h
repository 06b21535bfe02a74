/* Crops and resizes an opened image to S x S pixels. */
#ifndef TRAINER_DATA_IMAGE_H
#define TRAINER_DATA_IMAGE_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"
#include "trainer/base/rng.h"

/* A crop: resize the box of w x h pixels at (x, y) to out_w x out_h, and keep
 * the size x size pixels at (left, top). Pixels outside the box have no
 * influence. */
struct crop {
	int x, y, w, h;
	int out_w, out_h;
	int left, top;
	int size;
	int mirror; /* 1: mirror the result */
};

/* Blocks of random numbers that crop_random may use. */
enum { CROP_BLOCKS = 16 };

/* A random part: 8 to 100 % of the image's area, at any place, with an aspect
 * ratio of 3/4 to 4/3 whose logarithm is uniform. After ten tries that do not
 * fit, use the middle with the nearest allowed ratio. Mirrored with probability
 * 1/2.
 *
 * w, h   of the image, >= 1
 * r      its blocks first .. first + CROP_BLOCKS - 1 are used
 *
 * Source: torchvision 0.14, RandomResizedCrop and RandomHorizontalFlip. */
struct crop crop_random(
    int w, int h, int size, const struct rng *r, uint64_t first);

/* The middle of the image after resizing its short side to size * 256 / 224
 * (rounded).
 *
 * Source: torchvision 0.14, Resize and CenterCrop; 256 and 224 are those of
 * PyTorch's ImageNet example. */
struct crop crop_middle(int w, int h, int size);

/* Decode what a crop needs and resize it.
 *
 * d      with an open image
 * w, h   as set by decoder_open
 * exact  0: decode at 1/2, 1/4 or 1/8 of the size if the crop is reduced by at
 *        least that factor; 1: use all pixels
 * rgb    [size][size][3] set */
int image_make(struct decoder *d, struct resizer *r, int w, int h,
    const struct crop *c, int exact, uint8_t *rgb, struct error *e);

#endif
