/* Crops and resizes an opened image to S x S pixels. */
#ifndef TRAINER_DATA_IMAGE_H
#define TRAINER_DATA_IMAGE_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"
#include "trainer/base/rng.h"

/* The box of w x h pixels at (x, y) of a image, resized to out_w x out_h, of
 * which size x size pixels at (left, top) are kept. Pixels outside of the box
 * have no influence. */
struct crop {
	int x, y, w, h;
	int out_w, out_h;
	int left, top;
	int size;
	int mirror; /* 1: mirror the result */
};

/* Blocks of random numbers that crop_random may use. */
enum { CROP_BLOCKS = 16 };

/* A random part: an area of 8 to 100 % of the image's, an aspect ratio of 3/4
 * to 4/3 uniform in its logarithm, anywhere; after ten tries that did not fit,
 * the middle with the nearest ratio allowed.  Mirrored half of the time.
 *
 * w, h   of the image, >= 1
 * r      numbers are taken from its blocks first .. first + CROP_BLOCKS - 1
 *
 * Source: torchvision 0.14, RandomResizedCrop and RandomHorizontalFlip. */
struct crop crop_random(
    int w, int h, int size, const struct rng *r, uint64_t first);

/* The whole image with its short side resized to size * 256 / 224 (rounded),
 * and of that the middle.
 *
 * Source: torchvision 0.14, Resize and CenterCrop; 256 and 224 are those of
 * PyTorch's ImageNet example. */
struct crop crop_middle(int w, int h, int size);

/* Decode what a crop needs and resize it.
 *
 * d      decoder_open was called
 * w, h   what it found
 * exact  0: a crop that is reduced to half or less is decoded at a half (or
 *        1/4, 1/8) of its size as far as it is not made smaller than wanted;
 *        1: always from all pixels
 * rgb    [size][size][3] set */
int image_make(struct decoder *d, struct resizer *r, int w, int h,
    const struct crop *c, int exact, uint8_t *rgb, struct error *e);

#endif
