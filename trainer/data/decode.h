/* Pixels out of JPEG and PNG files in memory: no more of them than are wanted.
 * Colours come as RGB, 8 bits each, whatever the file holds (grey, CMYK,
 * palette, 16 bits); transparency, colour profiles and orientation notes have
 * no influence, as in Pillow's convert("RGB").  (Of 16 bits of grey the upper 8
 * are taken, as of 16 bits of colour; Pillow makes all above 255 white.)
 *
 *	d = decoder_new();
 *	decoder_open(d, data, len, &w, &h, &e);
 *	decoder_read(d, 1, &box, &pixels, &e);
 */
#ifndef TRAINER_DATA_DECODE_H
#define TRAINER_DATA_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trainer/data/decode_format.h"

enum image_format { IMAGE_FORMAT_JPEG, IMAGE_FORMAT_PNG, N_IMAGE_FORMATS };

/* Was this program built with what the format needs? */
int decode_has(enum image_format f);

struct decoder; /* one thread's */

/* A new one; free it with decoder_free. */
struct decoder *decoder_new(void);

/* Free it; d may be NULL. */
void decoder_free(struct decoder *d);

/* Refuse images of more pixels than that from now on; at first
 * DECODE_MAX_PIXELS, which is also the most.  What an image takes while it is
 * decoded is at most 6 bytes a pixel (a progressive JPEG's coefficients) and 3
 * for what is wanted of it. */
void decoder_limit(struct decoder *d, long max_pixels);

/* Begin an image: look at what kind of file it is (the name does not matter)
 * and how large.
 *
 * data  [len] the whole file; borrowed until the last decoder_read
 * w, h  set to the image's size, >= 1; w * h is within the limit
 *
 * Errors, ERROR_INPUT: neither JPEG nor PNG, truncated, corrupt, too large,
 * more scans than DECODE_MAX_SCANS, or a format that this program was built
 * without. */
int decoder_open(struct decoder *d, const uint8_t *data, size_t len, int *w,
    int *h, struct error *e);

/* Into how few pixels the image can be decoded at little cost: the largest of
 * 1, 2, 4, 8 that is <= most and by which the format can divide (PNG: 1). */
int decoder_scale(const struct decoder *d, double most);

/* Decode a part; once for each decoder_open.
 *
 * scale  1, or what decoder_scale gave: width and height are divided by it,
 *        rounded up
 * box    inside of the scaled image, not empty
 *
 * Errors as decoder_open's: not all is seen by that.  A file that is corrupt
 * only after what the box needs passes for good. */
int decoder_read(struct decoder *d, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e);

#endif
