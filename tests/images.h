/* Images for tests and benchmarks, and files to keep them in.
 */
#ifndef TESTS_IMAGES_H
#define TESTS_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/data/decode.h"

/* An image with waves, patches and noise, as JPEG files of photographs have:
 * 500 x 375 at quality 90 takes about 92 KB with noise 40.
 *
 * Returns [h][w][3]; free with free(). */
uint8_t *image_paint(int w, int h, unsigned seed, double noise);

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

/* encode_image, or the test program ends. */
uint8_t *image_encode(const uint8_t *rgb, int w, int h,
    const struct encode_options *o, size_t *len);

/* What a decoder must make of a pixel that was encoded without loss in the
 * given colour (PNG). */
void image_decoded_pixel(
    enum encode_colour colour, const uint8_t rgb[3], uint8_t out[3]);

/* Write a file, making its folders; the test program ends if it cannot. */
void file_write(const char *path, const void *data, size_t len);

/* A new folder under TMPDIR or /tmp; free the name with free(). */
char *folder_new(void);

/* Remove a folder and all in it, and free its name. */
void folder_remove(char *path);

#endif
