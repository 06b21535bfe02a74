/* Decodes parts of JPEG and PNG images in memory. Pixels are always 8-bit RGB,
 * also if the file contains grey, CMYK, a palette or 16-bit colour;
 * transparency, colour profiles and orientation are ignored, as in Pillow's
 * convert("RGB"). PNGs with 16-bit grey are rejected, since Pillow turns all
 * values above 255 white.
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

enum {
	DECODE_MAX_PIXELS = 1 << 27, /* maximum per image: 134 million */
	DECODE_MAX_SCANS = 200,      /* maximum in a progressive JPEG */
	DECODE_PAD = 64              /* readable bytes after the last pixel */
};

/* Pixels x0 .. x1 - 1 of rows y0 .. y1 - 1. */
struct decode_box {
	int x0, y0, x1, y1;
};

/* Decoded pixels; valid until the decoder's next call. */
struct decode_pixels {
	const uint8_t *rgb; /* the box's first pixel; DECODE_PAD bytes after its
			       last pixel are readable */
	size_t stride;      /* bytes from a row to the next */
};

enum image_format { IMAGE_FORMAT_JPEG, IMAGE_FORMAT_PNG, N_IMAGE_FORMATS };

/* True if this program was built with the format's library. */
int decode_has(enum image_format f);

struct decoder; /* for use by one thread */

/* Create a decoder; free it with decoder_free. */
struct decoder *decoder_new(void);

/* Free it; d may be NULL. */
void decoder_free(struct decoder *d);

/* Set the maximum number of pixels; the default and upper limit is
 * DECODE_MAX_PIXELS. Decoding needs at most 6 bytes per pixel (coefficients of
 * a progressive JPEG) and 3 per decoded pixel. */
void decoder_limit(struct decoder *d, long max_pixels);

/* Open an image: find its format, by its content, and its size.
 *
 * data  [len] the whole file; borrowed until the last decoder_read
 * w, h  set to the image's size, >= 1; w * h is within the limit
 *
 * ERROR_INPUT: neither JPEG nor PNG, truncated, corrupt, too large, more scans
 * than DECODE_MAX_SCANS, or a format that this program was built without. */
int decoder_open(struct decoder *d, const uint8_t *data, size_t len, int *w,
    int *h, struct error *e);

/* The factor by which decoding can cheaply scale down: the largest of 1, 2, 4,
 * 8 that is <= most and supported by the format (PNG: 1). */
int decoder_scale(const struct decoder *d, double most);

/* Decode a part. Call it once for each decoder_open.
 *
 * scale  1, or the value of decoder_scale: width and height are divided by it,
 *        rounded up
 * box    inside the scaled image, not empty
 *
 * Errors as in decoder_open. A file that is corrupt only after the data of the
 * box is accepted. */
int decoder_read(struct decoder *d, int scale, const struct decode_box *box,
    struct decode_pixels *out, struct error *e);

#endif
