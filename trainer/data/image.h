/* From an opened image to S x S pixels.
 */
#ifndef TRAINER_DATA_IMAGE_H
#define TRAINER_DATA_IMAGE_H

#include <stdint.h>

#include "common/error.h"
#include "trainer/data/crop.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"

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
