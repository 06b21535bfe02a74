/* Encodes JPEG and PNG files of all kinds in memory, for toy images, tests and
 * benchmarks. */
#ifndef TRAINER_DATA_ENCODE_H
#define TRAINER_DATA_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trainer/data/decode.h"

/* The pixel format of the file. Conversion from RGB: grey is the green; CMYK as
 * Photoshop writes it (255 is no ink) without black; a palette of 3 bits of
 * red, 3 of green and 2 of blue; opacity 128; 16 bits are 257 times 8. */
enum encode_colour {
	ENCODE_RGB, /* in JPEG: as YCbCr */
	ENCODE_GREY,
	ENCODE_CMYK,    /* JPEG */
	ENCODE_YCCK,    /* JPEG */
	ENCODE_PALETTE, /* PNG */
	ENCODE_RGBA,    /* PNG */
	ENCODE_RGB16    /* PNG */
};

struct encode_options {
	enum image_format format;
	enum encode_colour colour;
	int quality;     /* JPEG: 1 .. 100 */
	int across;      /* JPEG: pixels that share a colour sample: 1, 2, 4 */
	int down;        /* 1 or 2 */
	int progressive; /* JPEG: progressive; PNG: interlaced */
};

/* Encode an image.
 *
 * rgb   [h][w][3]
 * out   set to [*len] bytes; free with free()
 *
 * Errors, ERROR_INPUT: built without the library, or its own message. */
int encode_image(const uint8_t *rgb, int w, int h,
    const struct encode_options *o, uint8_t **out, size_t *len,
    struct error *e);

#endif
