/* Images for tests and benchmarks, and files to keep them in.
 */
#ifndef TESTS_IMAGES_H
#define TESTS_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/data/decode.h"

/* An image with waves, patches and noise, like a photograph: 500 x 375 at
 * quality 90 takes about 92 KB with noise 40.
 *
 * Returns [h][w][3]; free with free(). */
uint8_t *image_paint(int w, int h, unsigned seed, double noise);

/* Pixel format of the file. From RGB: grey is green; CMYK as in Photoshop (255
 * is no ink), without black; a palette has 3 bits of red, 3 of green and 2 of
 * blue; opacity is 128; 16-bit values are 257 times those of 8 bits. */
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

/* encode_image(); ends the test program on errors. */
uint8_t *image_encode(const uint8_t *rgb, int w, int h,
    const struct encode_options *o, size_t *len);

/* The pixel that a decoder must return for one encoded losslessly (PNG) in the
 * given colour. */
void image_decoded_pixel(
    enum encode_colour colour, const uint8_t rgb[3], uint8_t out[3]);

/* Write a file, making its folders; the test program ends if it cannot. */
void file_write(const char *path, const void *data, size_t len);

/* A new folder under TMPDIR or /tmp; free the name with free(). */
char *folder_new(void);

/* Remove a folder and all in it, and free its name. */
void folder_remove(char *path);

#endif
