/* encode_image for each format.
 */
#ifndef TRAINER_DATA_ENCODE_FORMAT_H
#define TRAINER_DATA_ENCODE_FORMAT_H

#include "trainer/data/encode.h"

/* As encode_image. */
int encode_jpeg(const uint8_t *rgb, int w, int h,
    const struct encode_options *o, uint8_t **out, size_t *len,
    struct error *e);
int encode_png(const uint8_t *rgb, int w, int h, const struct encode_options *o,
    uint8_t **out, size_t *len, struct error *e);

#endif
